"""Selections: what is under the cursor of a pane, as it can be copied, noted, or gone to by its id."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Command", "CommandLine", "Form", "Lookup", "Selection", "Step", "Thing"]

Step = tuple[str, str]
"""A palette id: a word that a screen looks up, and what it looks up by it."""

CommandLine = Callable[..., str]
"""Makes a line to type in a shell out of the words of a `mathwb` command."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which a thing is copied: a letter for the menu, a name, and the text when asked for."""

    key: str
    name: str
    text: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected.

    Args: address: where notes and bookmarks are kept (`corpus/sample-e/cluster/412`). title: its name in a
    sentence. command: the command line that prints the same thing without the screen. forms: what it can be
    copied as, the usual form first; the command line is added as `c` unless a form has that letter.
    """

    address: str
    title: str
    command: str
    forms: tuple[Form, ...] = ()

    def all_forms(self) -> tuple[Form, ...]:
        """The forms, with the command line among them."""
        if any(form.key == "c" for form in self.forms):
            return self.forms
        return (*self.forms, Form("c", "command line", lambda: self.command))


@dataclass(frozen=True, slots=True)
class Lookup:
    """A palette id: `:<word> <id>`. `go(id)` shows it and says whether there is such a thing."""

    word: str
    sentence: str
    go: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Thing:
    """Something of a workspace that the palette finds by name: the steps that lead to it on its screen, such
    as a collection and a topic of it, and what it is."""

    steps: tuple[Step, ...]
    sentence: str

    @property
    def label(self) -> str:
        """`topic A.301`."""
        return " ".join(self.steps[-1])


@dataclass(frozen=True, slots=True)
class Command:
    """A palette line that has no key."""

    name: str
    sentence: str
    run: Callable[[], object]
    reason: str = ""
