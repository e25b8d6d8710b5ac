"""What Tab completes in bash, zsh and fish: commands, options, choices, and names of the workspace.

The shell asks `mathwb` itself, with `_MATHWB_COMPLETE` in the environment, and gets lines of a word and what
it means, with a tab between; without an answer it completes paths. What commands there are is kept in the
cache folder, so that Tab loads neither typer nor an engine.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Annotated, Any, Literal, get_args

from engines.core.errors import EngineError
from engines.core.system import asset, models_folder
from workbench import __version__
from workbench.folders import cache_dir

_BASH = """\
_mathwb() {
    local IFS=$'\\n'
    COMPREPLY=($(_MATHWB_COMPLETE=1 mathwb "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _mathwb mathwb
"""
_ZSH = """\
#compdef mathwb
_mathwb() {
    local line
    local -a found
    for line in "${(@f)$(_MATHWB_COMPLETE=1 mathwb "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && found+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    if (( $#found )); then _describe mathwb found; else _files; fi
}
if [[ $funcstack[1] = _mathwb ]]; then _mathwb "$@"; else compdef _mathwb mathwb; fi
"""
_FISH = """\
function __mathwb_complete
    set -l now (commandline -ct)
    set -l found (_MATHWB_COMPLETE=1 mathwb (commandline -opc)[2..-1] "$now" 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path "$now"
    end
end
complete -c mathwb -f -a '(__mathwb_complete)'
"""
_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}

_PLAIN = re.compile(r"\w[\w.,+@%=-]*")
"""Names that mean to any shell only what they say: bash puts others on the line as they are."""

Shell = Literal["bash", "zsh", "fish"]


def print_completion_script(shell: Annotated[Shell, "The shell."]) -> None:
    """Print the script by which a shell completes mathwb's commands, options and names.

    bash: mathwb completion bash > ~/.local/share/bash-completion/completions/mathwb.
    zsh: mathwb completion zsh > "${fpath[1]}/_mathwb".
    fish: mathwb completion fish > ~/.config/fish/completions/mathwb.fish.
    """
    # Made now, so that the first Tab does not have to wait for it.
    _load_command_tree()
    print(_SCRIPTS[shell], end="")


def print_completions(words: list[str]) -> None:
    """Print candidates for the last word. No error may escape: a shell would show it at its prompt."""
    with suppress(OSError, ValueError, EngineError):
        for word, meaning in find_completions(words):
            print(f"{word}\t{meaning}")


def find_completions(words: list[str]) -> Iterator[tuple[str, str]]:
    """Yield candidates for the last of the words that follow `mathwb`, each with its meaning."""
    # The last word is the one to complete; it may be empty.
    *before, begun = words or [""]
    # Walk through the words before it: the command, the number of its arguments so far, and an option that
    # waits for its value.
    here, position, awaited = _load_command_tree(), 0, None
    for word in before:
        option = here["options"].get(word)
        if awaited is not None:
            awaited = None
        elif option is not None:
            awaited = option if option["value"] else None
        elif word in here["commands"]:
            here, position = here["commands"][word], 0
        elif not word.startswith("-"):
            position += 1
    if awaited is not None:
        candidates = _candidate_values(awaited)
    elif begun.startswith("-"):
        candidates = {name: one["help"] for name, one in here["options"].items() if name not in before}
    elif here["commands"]:
        candidates = {name: one["help"] for name, one in here["commands"].items()}
    else:
        # A command with a repeatable last argument takes more words than it declares.
        arguments = here["arguments"][position:] or here["arguments"][-1:]
        candidates = _candidate_values(arguments[0]) if arguments else {}
    for word, meaning in candidates.items():
        if word.startswith(begun):
            yield word, meaning


def _candidate_values(one: Mapping[str, Any]) -> Mapping[str, str]:
    return dict.fromkeys(one["choices"], "") | dict.fromkeys(_workspace_names(one["ref"]), one["ref"])


def _workspace_names(ref: str) -> Iterator[str]:
    """Yield the names of the workspace that a reference may stand for: those of folders, and of registered
    data.
    """
    from workbench.workspace import Workspace

    # Where the names of a reference come from: folders of the workspace, models that ship, and registered
    # data.
    folders = {"corpus": "corpora", "problems": "problems"}
    models = dict.fromkeys(("model", "solver", "encoder"), "models")
    shipped = {"model": "egen-*", "solver": "mwp-*"}
    collections = dict.fromkeys(("collection", "source", "index", "formulas"), "arqmath")
    if ref == "recipe":
        root = asset("recipes")
        yield from sorted(path.relative_to(root).with_suffix("").as_posix() for path in root.glob("*/*.toml"))
    elif ref:
        positions = list(models_folder().glob(shipped[ref])) if ref in shipped else []
        names: set[str] = set()
        with suppress(EngineError):
            workspace = Workspace.open(create=False)
            positions += (workspace.root / (folders | models | collections).get(ref, ref)).glob("*")
            names |= {*workspace.data.entries_of(ref)}
        names |= {path.name for path in positions if path.is_dir()}
        yield from sorted(name for name in names if _PLAIN.fullmatch(name))


def _load_command_tree() -> dict[str, Any]:
    """Return every command; made again for another version, and when papers of others come and go."""
    from workbench.paper import all_papers

    made_of = json.dumps([__version__, __file__, *(paper.name for paper in all_papers())])
    path = cache_dir() / f"completion-{sha256(made_of.encode()).hexdigest()[:16]}.json"
    try:
        kept: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError):
        from engines.core.files import write_json
        from workbench.cli.command import program_command

        kept = _describe_command(*program_command(), ())
        with suppress(EngineError):  # where nothing can be written it is made each time
            write_json(path, kept)
    return kept


def _describe_command(command: Any, context: Any, path: tuple[str, ...]) -> dict[str, Any]:
    from engines.core.spec import describe_fields
    from workbench.cli.command import list_subcommands
    from workbench.operations import all_operations

    row = all_operations().get(".".join(path))
    fields = {} if row is None else {field.name: field for field in describe_fields(row.spec_type)}
    recipe = "recipe" if path == ("train",) else ""
    # Step 1: options and arguments of the command itself.
    options: dict[str, Any] = {}
    arguments = []
    for parameter in command.params:
        field = fields.get(parameter.name)
        annotation = parameter.type_descriptor.annotation
        one = {
            # The first sentence of the help is enough for a list.
            "help": " ".join((getattr(parameter, "help", "") or "").split()).split(". ")[0],
            "value": not getattr(parameter, "is_flag", False),
            "choices": list(map(str, field.choices if field else get_args(annotation))),
            "ref": field.arg.ref if field else recipe if parameter.name == "name" else "",
        }
        if parameter.param_type_name == "argument":
            arguments.append(one)
        elif not parameter.hidden:
            options |= dict.fromkeys((*parameter.opts, *parameter.secondary_opts), one)
    # Step 2: its subcommands, each in the same way.
    commands = {
        name: {"help": inner.get_short_help_str(100)} | _describe_command(inner, below, (*path, name))
        for name, inner, below in list_subcommands(command, context)
    }
    options["--help"] = {"help": "Show help.", "value": False, "choices": [], "ref": ""}
    return {"commands": commands, "options": options, "arguments": arguments}
