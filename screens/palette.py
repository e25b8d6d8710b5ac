"""The palette and the help: both list what can be done here, and both do the chosen line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.screen import Screen

from screens.base import WorkbenchScreen
from screens.keys import VERBS, key_text
from screens.places import PLACES
from screens.widgets.dialogs import Choice

if TYPE_CHECKING:
    from screens.app import Workbench

__all__ = ["Line", "help_lines", "lookup_lines", "palette_lines"]

_ORDER = {verb: rank for rank, verb in enumerate(VERBS)}


@dataclass(frozen=True, slots=True)
class Line:
    """A choice with what it does."""

    choice: Choice
    run: Callable[[], object]


def help_lines(app: Workbench, screen: Screen[object]) -> list[Line]:
    """One line per key that applies to the focused pane, greyed ones with their reason."""
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
        reason = "" if enabled else _reason(node, verb)
        shown = " ".join(key_text(key) for key in keys)
        choice = Choice(f"key {verb}", label, sentence, key=shown, reason=reason)
        lines.append(Line(choice, _doing(app, node, verb)))
    return sorted(lines, key=lambda line: _ORDER.get(line.choice.name.removeprefix("key "), 99))


def _reason(node: DOMNode, verb: str) -> str:
    return node.why_not(verb) if isinstance(node, WorkbenchScreen) else "it does not apply here"


def _doing(app: Workbench, node: DOMNode, verb: str) -> Callable[[], object]:
    return lambda: app.call_later(app.run_action, verb, node)


def palette_lines(app: Workbench, screen: Screen[object]) -> list[Line]:
    """Screens, commands of this one and of the app; then everything that has a key."""
    lines = []
    for place in PLACES:
        choice = Choice(f"go {place.mode}", f"go to {place.title}", "screen", key=place.key)
        lines.append(Line(choice, partial(app.go, place.mode)))
    if isinstance(screen, WorkbenchScreen) and screen.built:
        for command in screen.commands():
            choice = Choice(f"command {command.name}", command.name, command.sentence, reason=command.reason)
            lines.append(Line(choice, command.run))
        for lookup in screen.lookups():
            choice = Choice(f"word {lookup.word}", f"{lookup.word} …", lookup.sentence, reason="write its id")
            lines.append(Line(choice, lambda: None))
    for command in app.commands():
        choice = Choice(f"command {command.name}", command.name, command.sentence, reason=command.reason)
        lines.append(Line(choice, command.run))
    hidden = {"palette", "help", *(place.mode for place in PLACES)}
    keyed = [line for line in help_lines(app, screen) if line.choice.name.removeprefix("key ") not in hidden]
    return lines + [line for line in keyed if VERBS[line.choice.name.removeprefix("key ")].hint]


def lookup_lines(app: Workbench, text: str) -> Sequence[Line]:
    """`job 12`: the line that goes there, for every word that some screen knows."""
    word, _, wanted = text.strip().lstrip(":").partition(" ")
    wanted = wanted.strip()
    if not wanted:
        return ()
    lines = []
    for mode, lookup in app.all_lookups():
        if lookup.word == word:
            choice = Choice(f"look {word} {wanted}", f"{word} {wanted}", lookup.sentence)
            lines.append(Line(choice, partial(app.look_up, mode, word, wanted)))
    return lines
