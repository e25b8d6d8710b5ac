"""Palette and help: both list what can be done here, and both do the chosen line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen

from screens.registry import SCREENS
from screens.shell.export import Command, Step
from screens.shell.keymap import VERBS, key_text
from screens.shell.navigation import Reach, matching
from screens.shell.screen import WorkbenchScreen, why_greyed
from screens.widgets.dialogs import Choice, Chooser
from screens.widgets.table import Table

Go = Callable[[str], object]
"""Goes to a screen by its name."""

_ORDER: dict[str, float] = {verb: rank for rank, verb in enumerate(VERBS)}
_SCREENS = _ORDER["activity"] + 0.5
"""Where the keys that go to a screen stand among the others."""
_OF_LISTS = (
    ("★ ✎", "before a line: bookmarked with m, has a note (M)"),
    ("●", "before a line: marked with space"),
    ("▲ ▼", "after a title: sorted by this column, ascending or descending"),
)
"""The signs of every list."""


@dataclass(frozen=True, slots=True)
class Line:
    choice: Choice
    run: Callable[[], object]


def help_lines(app: App[Any], screen: Screen[object]) -> list[Line]:
    """One line per key that applies to the focused pane, greyed ones with their reason; then its signs."""
    found: dict[tuple[str, int], tuple[list[str], DOMNode, str, str, bool]] = {}
    for key, active in screen.active_bindings.items():
        binding = active.binding
        if not binding.id:
            continue
        place = (binding.action, id(active.node))
        if place in found:
            found[place][0].append(key)
        else:
            found[place] = ([key], active.node, binding.description, binding.tooltip, active.enabled)
    lines = []
    for (verb, _), (keys, node, label, sentence, enabled) in found.items():
        reason = "" if enabled else why_greyed(node, verb)
        shown = " ".join(key_text(key, plain=getattr(app, "ascii", False)) for key in keys)
        choice = Choice(f"key {verb}", label, sentence, key=shown, reason=reason)
        lines.append(Line(choice, _doing(app, node, verb)))
    lines.sort(key=lambda line: _ORDER.get(line.choice.name.removeprefix("key "), _SCREENS))
    pane = screen.active_pane if isinstance(screen, WorkbenchScreen) else None
    legend = [*pane.legend(), *(_OF_LISTS if pane.query(Table) else ())] if pane is not None else []
    signs = [Choice(f"sign {sign}", "sign", means, key=sign) for sign, means in legend]
    return lines + [Line(choice, lambda: None) for choice in signs]


def _doing(app: App[Any], node: DOMNode, verb: str) -> Callable[[], object]:
    return lambda: app.call_later(app.run_action, verb, node)


def palette_lines(app: App[Any], screen: Screen[object], go: Go, commands: Iterable[Command]) -> list[Line]:
    """Screens, commands of this one and of the app (`commands`); then everything that has a key."""
    lines = []
    for entry in SCREENS:
        choice = Choice(f"go {entry.name}", entry.title, "go to this screen", key=entry.key)
        lines.append(Line(choice, partial(go, entry.name)))
    if isinstance(screen, WorkbenchScreen) and screen.built:
        lines += map(_command_line, screen.commands())
        for lookup in screen.lookups():
            choice = Choice(f"word {lookup.word}", f"{lookup.word} …", lookup.sentence, reason="type its id")
            lines.append(Line(choice, lambda: None))
    lines += map(_command_line, commands)
    listed = {f"key {verb}" for verb, known in VERBS.items() if known.hint} - {"key palette", "key help"}
    return lines + [line for line in help_lines(app, screen) if line.choice.name in listed]


def _command_line(command: Command) -> Line:
    choice = Choice(f"command {command.name}", command.name, command.sentence, reason=command.reason)
    return Line(choice, command.run)


def elsewhere_lines(here: str, do: Callable[[str, str], object]) -> list[Line]:
    """What the keys of the other screens do; `do(screen, verb)` goes there and does it."""
    lines = []
    for entry in SCREENS:
        for key in entry.load_keys():
            if entry.name != here and key.hint and key.id.startswith(f"{entry.name}."):
                choice = Choice(key.id, f"{entry.title}: {key.label}", key.sentence)
                lines.append(Line(choice, partial(do, entry.name, key.verb)))
    return lines


def destination_lines(
    destinations: Iterable[Reach], go: Callable[[str, Sequence[Step]], object], text: str
) -> list[Line]:
    lines = []
    for mode, place in matching(destinations, text):
        choice = Choice(f"destination {mode} {place.steps}", place.label, place.sentence)
        lines.append(Line(choice, partial(go, mode, place.steps)))
    return lines


def lookup_lines(
    screens: Sequence[WorkbenchScreen], go: Go, complain: Callable[[str], object], text: str
) -> list[Line]:
    """`job 12`: the line that goes there, for every word that some of these screens knows."""
    word, _, wanted = text.strip().lstrip(":").partition(" ")
    wanted = wanted.strip()
    if not wanted:
        return []

    def look_up(screen: WorkbenchScreen) -> None:
        lookup = next(lookup for lookup in screen.lookups() if lookup.word == word)
        go(screen.MODE)
        if not lookup.go(wanted):
            complain(f"there is no {word} {wanted}")

    return [
        Line(Choice(f"look {word} {wanted}", f"{word} {wanted}", lookup.sentence), partial(look_up, screen))
        for screen in screens
        for lookup in screen.lookups()
        if lookup.word == word
    ]


def choose(
    app: App[Any], title: str, lines: Iterable[Line], more: Callable[[str], list[Line]] | None = None
) -> None:
    """Let a line be chosen, and do it; `more` makes lines out of what is written."""
    known = {line.choice.name: line for line in lines}

    def more_choices(text: str) -> list[Choice]:
        extra = more(text) if more is not None else []
        known.update({line.choice.name: line for line in extra})
        return [line.choice for line in extra]

    chooser = Chooser(title, [line.choice for line in known.values()], typed=True, more=more_choices)
    chooser.ask(app, lambda name: known[name].run())
