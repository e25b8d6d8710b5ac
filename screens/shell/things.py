"""Things: what the palette finds by name on every screen, also on those not opened yet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from screens.registry import SCREENS
from screens.shell.selection import Step, Thing
from workbench.workspace import Workspace

__all__ = ["Reach", "at_address", "gather", "matching"]

Reach = tuple[str, Thing]
"""A thing, and the name of the screen that shows it."""

_WORDS = {"arqmath": "collection", "mathamr": "collection", "post": "answer"}
"""Words of addresses that the palette calls otherwise."""
_MOST = 100


def gather(workspace: Workspace) -> list[Reach]:
    """Everything that the screens name; call it in a thread. What cannot be read is left out: its screen says
    why."""
    found: list[Reach] = []
    for entry in SCREENS:
        if (make := entry.load_things()) is None:
            continue
        try:
            for thing in make(workspace):
                found.append((entry.name, thing))  # those before a failure stay
        except Exception:  # noqa: BLE001  # see above
            continue
    return found


def matching(things: Iterable[Reach], text: str) -> list[Reach]:
    """The things whose name or sentence has all words of the text, at most 100: first those whose name has
    them as words of its own, then as parts of words, then those whose sentence has them."""
    words = text.casefold().split()
    own, named, told = [], [], []
    for reach in things:
        label = reach[1].label.casefold()
        if all(word in label.split() for word in words):
            own.append(reach)
        elif all(word in label for word in words):
            named.append(reach)
        elif all(word in f"{label} {reach[1].sentence}".casefold() for word in words):
            told.append(reach)
    return [*own, *named, *told][:_MOST]


def at_address(address: str) -> tuple[str, Sequence[Step]] | None:
    """The screen and the steps that lead to what has this address; None when no screen shows it."""
    parts = address.split("/")
    mode = next((entry.name for entry in SCREENS if entry.address == parts[0]), None)
    steps = [(_WORDS.get(word, word), name) for word, name in zip(parts[::2], parts[1::2], strict=False)]
    return None if mode is None or not steps else (mode, steps)
