"""Run a section of the table in this process, and describe what each line did."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.contract.table import FILES, SECTIONS

__all__ = ["observe", "observe_section", "sections", "settled", "wrong_lines"]

Seen = dict[str, dict[str, Any]]

_SHOWN = {"out": 8, "err": 4}
_LONGEST = 140
_PROGRESS = re.compile(r".*(/s\b|\d ?%).*|[a-z][a-z -]* [\d,]+(/[\d,]+)? [a-z]+")
_FLOAT = re.compile(r"-?\d+\.\d+(e[-+]?\d+)?")
_SIZE = re.compile(r"\b[\d.]+(?= ([KMG]i)?B\b)")
_DATA_KEY = re.compile(r"\d+|[A-Z]+\.\d+")
_OF_THE_MACHINE = re.compile(
    r"(.*_s|seconds|.*bytes|.*sha256|digest|.*hash|table|.*pid|host.*|python|version|versions|platform|cpus?|"
    r"memory.*|gpu.*|revision|commit|dirty|time|.*time|date|created|started|ended|.*_at|t|.*per_s|sources?|"
    r"packages|threads|rules)"
)
_BY_SHAPE = re.compile(r"doctor.*|jobs tail.* (-f|--follow).*")
"""Commands whose values belong to the machine or the moment."""


def sections() -> list[str]:
    """Help of every command, wrong command lines made from it, and the sections of the table."""
    return ["help", "wrong", *SECTIONS]


def observe_section(name: str, folder: Path, helps: Seen) -> Seen:
    """Run a section in an empty folder. Args: helps: the recorded section `help`, for the wrong lines."""
    environment, here = dict(os.environ), Path.cwd()
    try:
        _prepare(folder, models=name == "arqmath models")
        if name == "help":
            return dict(_helps(folder))
        seen: Seen = {}
        for line in wrong_lines(helps) if name == "wrong" else SECTIONS[name]:
            before = sum(known.startswith(f"{line}   # ") or known == line for known in seen)
            seen[f"{line}   # {before + 1}" if before else line] = observe(line, folder)
        return seen
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(environment)


# The place


def _prepare(folder: Path, *, models: bool) -> None:
    from workbench.workspace import Workspace, ensure_sample

    for name in [name for name in os.environ if name.startswith("MATHWB_")]:
        del os.environ[name]
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"), "1")
    os.environ.update(offline, MATHWB_HOME=str(folder / "home"), COLUMNS="80", LINES="24", TERM="dumb")
    os.environ["OMP_NUM_THREADS"] = "1"  # tiny models are fastest so, above all on a busy machine
    os.environ["MATHWB_WORKSPACE"] = str(folder / "ws")
    os.chdir(folder)
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    ensure_sample(Workspace.open(folder / "ws"))
    if models:
        _models(folder)


def _models(folder: Path) -> None:
    """A cross-encoder and an encoder of one layer with fixed weights."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz0123456789$+=^_{}\\"]
    words += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz0123456789"]
    (folder / "vocab.txt").write_text("\n".join(words) + "\n")
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
    config = BertConfig(vocab_size=len(words), max_position_embeddings=64, num_labels=2, **sizes)
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"), model_max_length=64)
    for name, kind in (("cross", BertForSequenceClassification), ("encoder", BertModel)):
        torch.manual_seed(0)
        model = kind(config)
        with torch.no_grad():
            for weights in model.parameters():
                weights.mul_(8)
        model.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)


# One line


def observe(line: str, folder: Path) -> dict[str, Any]:
    """What a command line did: exit code, its document or the lines of its text, and what it said."""
    code, out, err = _run(line, folder)
    found: dict[str, Any] = {"exit": code}
    documents = _documents(out)
    by_shape = _BY_SHAPE.fullmatch(line) is not None
    if documents is not None:
        found["json"] = _described(documents, "", folder, by_shape)
    elif out and not by_shape:
        found["out"] = _text(out, "out", folder)
    said = [text for text in err.splitlines() if not _PROGRESS.fullmatch(text)]
    if said and not by_shape:
        found["err"] = _text("\n".join(said), "err", folder)
    return found


def _run(line: str, folder: Path) -> tuple[int, str, str]:
    from workbench.cli import main

    typed, _, given = line.partition(" < ")
    handlers = signal.getsignal(signal.SIGINT)
    kept = (sys.argv, sys.stdin, sys.stdout, sys.stderr)
    own = sys.modules["__main__"]
    package, own.__package__ = own.__package__, ""  # by it the command parser tells the program's name
    environment = dict(os.environ)
    stdin = (folder / given).read_bytes() if given else b""
    sys.argv = ["mathwb", *shlex.split(typed, posix=True)]
    sys.stdin, sys.stdout, sys.stderr = (
        io.TextIOWrapper(io.BytesIO(content), "utf-8", newline="") for content in (stdin, b"", b"")
    )
    try:
        main()
        code: Any = 0
    except SystemExit as end:
        code = end.code
    finally:
        texts = []
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
        sys.argv, sys.stdin, sys.stdout, sys.stderr = kept
        own.__package__ = package
        signal.signal(signal.SIGINT, handlers)
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
    return int(code or 0), texts[0], texts[1]


def _documents(text: str) -> Any:
    """The document, or the documents that stand one on a line; None for text."""
    if not text.startswith(("{", "[")):
        return None
    try:
        found = [json.loads(line) for line in text.splitlines()]
    except json.JSONDecodeError:
        return None
    return found[0] if len(found) == 1 else found


# Descriptions: values where they stay the same, else types


def _plain(text: str, folder: Path) -> str:
    import workbench

    root = Path(workbench.__file__).parents[1]
    for place, name in ((folder, "$T"), (root, "$R")):
        text = text.replace(str(place), name)
    text = re.sub(r"See: mathwb.* --help", "See --help", text)
    text = re.sub(r"(?<=Missing argument )'.*?'", lambda match: match[0].upper(), text)
    return re.sub(r"\S*/_assets/|\$R/assets/", "$A/", text)


def _text(text: str, kind: str, folder: Path) -> list[str]:
    lines = [" ".join(_plain(line, folder).split()) for line in text.splitlines()]
    if kind == "err":
        lines = [line.replace("$T/", "") for line in lines]  # a place may be given as typed or in full
    lines = [_FLOAT.sub("#.#", _SIZE.sub("#", line)) for line in lines if line]
    return [line[:_LONGEST] for line in lines[: _SHOWN[kind]]]


def _described(value: Any, key: str, folder: Path, by_shape: bool) -> Any:
    """A document as keys and leaves (`type value`); a list as the union of its items and its length."""
    if isinstance(value, Mapping):
        items = {name: _described(item, name, folder, by_shape) for name, item in value.items()}
        if items and (len(items) > 40 or all(_DATA_KEY.fullmatch(name) for name in items)):
            return {"{}": _union(items.values()), "n": len(items)}
        return items
    if isinstance(value, list):
        items = [_described(item, key, folder, by_shape) for item in value]
        return {"[]": _union(items), "n": len(items)}
    kind = {bool: "bool", int: "int", float: "float", str: "str", type(None): "null"}[type(value)]
    if kind == "null" or by_shape or _OF_THE_MACHINE.fullmatch(key):
        return kind
    if isinstance(value, float):
        return f"{kind} {value:.5g}"
    text = _plain(value, folder) if isinstance(value, str) else json.dumps(value)
    text = text.removeprefix("$T/") if key == "where" else text
    return f"{kind} {text[:60]}"


def _union(items: Iterable[Any]) -> Any:
    """One description of all: the first one's values, every type; a key that some lack ends in `?`."""
    items = list(items)
    if not items:
        return ""
    if all(isinstance(item, str) for item in items):
        kinds = sorted({kind for item in items for kind in item.partition(" ")[0].split("|")})
        value = items[0].partition(" ")[2]
        return "|".join(kinds) + (f" {value}" if value else "")
    if not all(isinstance(item, Mapping) for item in items):
        return {"either": sorted({json.dumps(_types(item), sort_keys=True) for item in items})}
    names = dict.fromkeys(name.removesuffix("?") for item in items for name in item)
    union = {}
    for name in names:
        if name == "n" and all("[]" in item or "{}" in item for item in items):
            union[name] = items[0][name]
            continue
        present = [item.get(name, item.get(f"{name}?")) for item in items]
        having = [each for each in present if each is not None]
        always = len(having) == len(items) and not any(f"{name}?" in item for item in items)
        union[name if always else f"{name}?"] = _union(having)
    return union


def _types(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _types(item) for name, item in value.items() if name != "n"}
    return str(value).partition(" ")[0]


def settled(first: Any, second: Any) -> Any:
    """What two runs have in common: values that differ are left out, lines that differ have `~` for numbers
    or are `~`."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return {name: settled(item, second.get(name, item)) for name, item in first.items()}
    if isinstance(first, list) and isinstance(second, list):
        if len(first) != len(second):
            return ["~*"]
        return [_settled_line(one, other) for one, other in zip(first, second, strict=True)]
    if first == second:
        return first
    return str(first).partition(" ")[0] if isinstance(first, str) else "~"


def _settled_line(first: str, second: str) -> str:
    if first == second:
        return first
    loose = [re.sub(r"\d+", "~", line) for line in (first, second)]
    return loose[0] if loose[0] == loose[1] else "~"


# Help


def _helps(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The help of every command and group, found from the help of the one above."""
    waiting = [""]
    while waiting:
        path = waiting.pop(0)
        line = f"{path} --help".strip()
        code, out, err = _run(line, folder)
        found = _parsed(out)
        yield line, {"exit": code, "help": found, **({"err": _text(err, "err", folder)} if err else {})}
        waiting += [f"{path} {name}".strip() for name in found.get("Commands", {})]


def _parsed(text: str) -> dict[str, Any]:
    """The printed help without its line breaks: usage, what it is about, and its sections by name."""
    found: dict[str, Any] = {}
    about: list[str] = []
    entries: dict[str, str] | None = None
    name = ""
    for line in text.splitlines():
        if line.startswith("Usage:"):
            found["usage"] = re.sub(r"\{\w+\}", lambda match: match[0].upper(), " ".join(line.split()[2:]))
        elif match := re.fullmatch(r"(\w+):", line):
            entries = found.setdefault(match[1], {})
        elif entries is None:
            about.append(line.strip())
        elif match := re.match(r"  (\S.*?)(?:  +(.*))?$", line):
            name = match[1]
            entries[name] = (match[2] or "").strip()
        elif line.strip():
            entries[name] = f"{entries[name]} {line.strip()}".strip()
    found["about"] = " ".join(" ".join(about).split())
    for name, section in found.items():
        if isinstance(section, dict):
            found[name] = {_entry(key, name): _joined(value) for key, value in section.items()}
    return found


def _entry(key: str, section: str) -> str:
    """The name of an entry; that of an argument in capitals, however its function calls it."""
    name, _, kind = key.partition(" <")
    return key if section != "Arguments" else f"{name.upper()} <{kind}" if kind else name.upper()


def _joined(text: str) -> str:
    """Without the traces of line breaks."""
    return re.sub(r"(?<=\w[-/]) (?=\w)", "", " ".join(text.split()))


def wrong_lines(helps: Seen) -> list[str]:
    """Command lines that are wrong in one way each, made from the help of every command."""
    lines = []
    for line, seen in helps.items():
        path = line.removesuffix("--help").strip()
        if "Commands" in seen["help"]:
            lines += [f"{path} nosuch".strip(), *([path] if path else [])]
            continue
        lines.append(f"{path} --nosuch")
        if "Arguments" in seen["help"] and "[required]" in " ".join(seen["help"]["Arguments"].values()):
            lines.append(f"{path} --json")
        for option, text in seen["help"].get("Options", {}).items():
            name, _, metavar = option.rpartition(", ")[2].partition(" ")
            lines += [f"{path} {name} {value}" for value in _wrong_values(metavar, text)]
    return list(dict.fromkeys(lines))


def _wrong_values(kind: str, text: str) -> Iterator[str]:
    """Values that an option does not take, by its kind (`<a|b>`, `<int range>`) and range (`[1<=x<=9]`)."""
    if "|" in kind and kind.startswith("<"):
        yield "silly"
    if kind.startswith(("<int", "<float")):
        yield "many"
    if low := re.search(r"\bx>=([\d.]+)|([\d.]+)<=x", text):
        yield str(int(float(low[1] or low[2])) - 1)
    if high := re.search(r"\bx<=(\d+)", text):
        yield str(int(high[1]) + 1)
