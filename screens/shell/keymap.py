"""Keymap of all screens: the same letter is the same verb everywhere.

A verb owns its keys; a scope (the app, a kind of widget, a screen) says in one sentence what the verb does
there, and may bring a verb of its own. From this one registry come the bindings, the footer, the `?` help,
the palette, user remaps and `docs/keys.md`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual.binding import Binding, BindingType

from engines.core.errors import EngineError, did_you_mean


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb, and the keys that mean it on every screen, as Textual names them, the displayed one first.

    `hint` says whether the footer names it. Movement is only listed in `?`.
    """

    keys: tuple[str, ...]
    label: str
    hint: bool = True
    always: bool = False
    """Whether it also applies in dialogs, and while something is written."""


VERBS: dict[str, Verb] = {
    # The verbs of several scopes; those of one scope alone are declared there, and added by `scope`.
    # In the order in which the footer gives up its space: the last ones go first. What ends or keeps
    # something applies seldom, and matters most then.
    "stop": Verb(("x",), "stop"),
    "keep": Verb(("K",), "save"),
    "open": Verb(("enter",), "open"),
    "filter": Verb(("slash",), "filter"),
    "add": Verb(("a",), "add"),
    "next_choice": Verb(("C",), "next"),
    "diff": Verb(("d",), "diff"),
    "kill": Verb(("X",), "kill"),
    "again": Verb(("R",), "run again"),
    "refresh": Verb(("r",), "read again"),
    "all": Verb(("A",), "all"),
    "evaluate": Verb(("E",), "evaluate"),
    "inspect": Verb(("i",), "inspect"),
    "model": Verb(("p",), "model"),
    "smooth": Verb(("z",), "smooth"),
    "judge": Verb(("J",), "judge"),
    "raw": Verb(("L",), "LaTeX"),
    "choose_run": Verb(("c",), "run"),
    "against": Verb(("b",), "against"),
    "yank": Verb(("y",), "yank"),
    "yank_as": Verb(("Y",), "yank as"),
    "export": Verb(("e",), "export"),
    "edit": Verb(("o",), "open in editor"),
    "mark": Verb(("space",), "mark"),
    "mark_range": Verb(("v",), "mark range"),
    "sort": Verb(("s",), "sort"),
    "reverse": Verb(("S",), "reverse"),
    "follow": Verb(("t",), "follow"),
    "wrap": Verb(("w",), "wrap"),
    "full": Verb(("f",), "full pane"),
    "next_pane": Verb(("tab",), "next pane"),
    "previous_pane": Verb(("shift+tab",), "previous pane", hint=False),
    "previous_tab": Verb(("left_square_bracket",), "previous tab", hint=False),
    "next_tab": Verb(("right_square_bracket",), "next tab"),
    "bookmark": Verb(("m",), "bookmark"),
    "note": Verb(("M",), "note"),
    "back": Verb(("escape",), "back"),
    "next_match": Verb(("n",), "next match", hint=False),
    "previous_match": Verb(("N",), "previous match", hint=False),
    "down": Verb(("j", "down"), "down", hint=False),
    "up": Verb(("k", "up"), "up", hint=False),
    "left": Verb(("h", "left"), "left", hint=False),
    "right": Verb(("l", "right"), "right", hint=False),
    "top": Verb(("g", "home"), "top", hint=False),
    "bottom": Verb(("G", "end"), "bottom", hint=False),
    "half_down": Verb(("ctrl+d", "pagedown"), "half page down", hint=False),
    "half_up": Verb(("ctrl+u", "pageup"), "half page up", hint=False),
    "earlier": Verb(("less_than_sign",), "one before", hint=False),
    "later": Verb(("greater_than_sign",), "one after", hint=False),
    "delete": Verb(("D",), "delete"),
    "undo": Verb(("u",), "undo"),
    "notes": Verb(("B",), "notes", hint=False),
    "jump": Verb(("apostrophe", "ctrl+o"), "jump"),
    "activity": Verb(("at",), "activity"),
    "quit": Verb(("q", "ctrl+q"), "quit"),
    "suspend": Verb(("ctrl+z",), "suspend", hint=False, always=True),
    "palette": Verb(("colon", "ctrl+p"), "palette"),
    "help": Verb(("question_mark", "f1"), "help"),
}

# How keys are shown whose names are not what people call them.
_SHOWN = {
    "enter": "⏎",
    "shift+tab": "⇧tab",
    "escape": "esc",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "apostrophe": "'",
    "at": "@",
    "colon": ":",
    "question_mark": "?",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "pagedown": "pgdn",
    "pageup": "pgup",
    "down": "↓",
    "up": "↑",
    "left": "←",
    "right": "→",
}


@dataclass(frozen=True, slots=True)
class VerbKey:
    """A verb in a scope.

    `id` is `scope.verb` (`jobs.stop`) and `sentence` what it does there. The bound widget or screen performs
    the `action` in its method `action_<verb>`.
    """

    id: str
    sentence: str
    label: str
    keys: tuple[str, ...]
    action: str
    hint: bool = True
    always: bool = False

    @property
    def verb(self) -> str:
        """Return the verb, without the scope."""
        return self.id.partition(".")[2]


def scope(name: str, /, **sentences: str | tuple[str | Verb, str]) -> tuple[VerbKey, ...]:
    """Return the keys of one scope.

    Args:
        name: the scope, the first part of the keys' ids.
        sentences: for each verb the sentence that describes it here, or a pair of a footer label and the
            sentence. Of a verb that no other scope has, the first of the pair is the `Verb` itself.

    Raises:
        LookupError: A verb has no key, or its key is that of another verb.

    >>> scope("jobs", stop="Stop it.", again=("resume", "Start a new attempt."))[1].label
    'resume'
    """
    keys = []
    for verb, text in sentences.items():
        first, sentence = text if isinstance(text, tuple) else ("", text)
        if isinstance(first, Verb):
            _add_verb(f"{name}.{verb}", verb, first)
        if verb not in VERBS:
            raise LookupError(f"{name}.{verb}: a verb without a key; write Verb((key,), label) before it")
        usual = VERBS[verb]
        label = first if isinstance(first, str) and first else usual.label
        keys.append(VerbKey(f"{name}.{verb}", sentence, label, usual.keys, verb, usual.hint, usual.always))
    return tuple(keys)


def _add_verb(id_: str, verb: str, new: Verb) -> None:
    """Add the verb that a scope brings, unless the keymap uses its name or a key of it otherwise."""
    for known, what in VERBS.items():
        if what != new if known == verb else not set(what.keys).isdisjoint(new.keys):
            raise LookupError(f"{id_}: the verb {known} has the keys {', '.join(what.keys)} already")
    VERBS[verb] = new


APP_KEYS = scope(
    "app",
    jump="Show a letter on every pane and tab; type one to go there.",
    undo="Take back the last deletion, label, judgement, note, bookmark or change of a graph; after a "
    "restart, the last deletion.",
    notes="List all notes and bookmarks of this workspace; enter goes to the item.",
    activity="List what happened in this session: successes, warnings and failures with their remedies.",
    quit="Quit; jobs keep running, and the last line says how many.",
    suspend="Stop mathwb and go back to the shell, also from dialogs; `fg` resumes it.",
    palette="Find a command, a screen or an item by its id.",
    help="List the keys that apply here, each with a sentence; enter runs one.",
)
VIEW_KEYS = scope(
    "view",
    yank="Copy the selected item in its usual form.",
    yank_as="Choose the form to copy the selected item in; `command line` is always offered.",
    export="Write this view to a file in a format of choice.",
    bookmark="Set or remove a bookmark on the selected item.",
    note="Write a note on the selected item; it is saved in the workspace.",
    full="Show this pane on the whole screen, or restore the layout.",
    next_pane="Go to the next pane.",
    previous_pane="Go to the previous pane.",
    left="Go to the pane on the left.",
    right="Go to the pane on the right.",
    next_tab="Show the next tab of this pane, or of the one beside it.",
    previous_tab="Show the previous tab of this pane, or of the one beside it.",
    back="Close what is open, clear the filter, then go back.",
)
_MOVES: dict[str, str | tuple[str, str]] = {
    "down": "Go one line down.",
    "up": "Go one line up.",
    "top": "Go to the first line.",
    "bottom": "Go to the last line.",
    "half_down": "Go half a page down.",
    "half_up": "Go half a page up.",
}
LIST_KEYS = scope(
    "list",
    open="Open the line under the cursor.",
    filter="Filter the lines: words, `field:value`, `field>number`; `!` in front inverts.",
    next_match="Go to the next line that matches the last filter.",
    previous_match="Go to the previous line that matches the last filter.",
    mark="Mark or unmark the line, and go one down.",
    mark_range="Mark all lines from the last marked one to this one.",
    sort="Sort by the next column, and go to the first line.",
    reverse="Reverse the order.",
    **_MOVES,
)
TEXT_KEYS = scope(
    "text",
    filter="Show only the lines that contain the words; `!` in front inverts.",
    next_match="Go to the next line that matches the last filter.",
    previous_match="Go to the previous line that matches the last filter.",
    wrap="Wrap long lines, or cut them at the edge.",
    follow="Follow the end as lines arrive, or stay here.",
    **_MOVES,
)
SCATTER_KEYS = scope(
    "map",
    open="Open the highlighted cluster.",
    sort=("arrange", "Arrange by PCA, at once, or by t-SNE, as a job."),
    next_match="Highlight the next cluster at the same place.",
    previous_match="Highlight the previous cluster at the same place.",
    down="Highlight the nearest cluster below.",
    up="Highlight the nearest cluster above.",
    left="Highlight the nearest cluster on the left; where there is none, go to the pane there.",
    right="Highlight the nearest cluster on the right.",
    top="Highlight the topmost cluster.",
    bottom="Highlight the lowest cluster.",
    half_down="Go half the map down.",
    half_up="Go half the map up.",
)
SHEET_KEYS = scope(
    "sheet",
    yank=("command", "Copy the command line that prints the same."),
    export="Write the list to a file, as CSV or JSON lines.",
)


def key_text(key: str, *, plain: bool = False) -> str:
    """Return a key as people write it: `/` for `slash`, `^d` for `ctrl+d`.

    With `plain` a key whose sign is not ASCII keeps its name.
    """
    shown = _SHOWN.get(key, key.replace("ctrl+", "^"))
    return key if plain and not shown.isascii() else shown


def bindings(keys: Iterable[VerbKey]) -> list[BindingType]:
    """Return the Textual bindings of some keys, for a class's `BINDINGS`."""

    def make_binding(key: VerbKey) -> Binding:
        names = ",".join(key.keys)
        return Binding(
            # Several keys of one binding are separated by commas, and share its id, by which users remap it.
            names,
            key.action,
            key.label,
            show=key.hint,
            priority=key.always,
            id=key.id,
            tooltip=key.sentence,
        )

    return [make_binding(key) for key in keys]


def remap_keys(
    overrides: Mapping[str, str], known: Sequence[VerbKey], on_bad: Callable[[EngineError], None]
) -> dict[str, str]:
    """Translate the user's remapped keys into a Textual keymap.

    Args:
        overrides: the keys by id (`jobs.stop`) or by verb.
        known: all keys that can be remapped.
        on_bad: gets an error for each override that cannot be used.
    """
    ids = {key.id for key in known}
    result: dict[str, str] = {}
    # Names of verbs first and ids last, so that an id wins over its verb.
    for name, wanted in sorted(overrides.items(), key=lambda item: "." in item[0]):
        targets = [name] if name in ids else [id_ for id_ in ids if id_.partition(".")[2] == name]
        if not targets:
            what = f"the keymap names {name!r}, which no screen has"
            remedy = did_you_mean(name, [*ids, *VERBS]) or "docs/keys.md lists the names."
            on_bad(EngineError(what, remedy=remedy, where="settings, keymap", code="E423"))
        result.update(dict.fromkeys(targets, wanted))
    return result
