"""The command palette and the help: everything that the screens can do or go to, as lines to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from textual.app import App
from textual.dom import DOMNode
from textual.screen import Screen

from screens.registry import SCREENS
from screens.shell.export import Command, Destination, PaletteStep
from screens.shell.keymap import VERBS, key_text
from screens.shell.screen import WorkbenchScreen, why_greyed
from screens.widgets.dialogs import Chooser, MenuChoice
from screens.widgets.table import Table
from workbench.workspace import Workspace

Reach = tuple[str, Destination]
"""A destination, and the name of the screen that shows it."""

_MOST = 100


def gather_destinations(workspace: Workspace) -> list[Reach]:
    """Return everything that the screens can go to by name; call it in a thread.

    Sources that cannot be read are left out: their screen shows the error.
    """
    destinations: list[Reach] = []
    for entry in SCREENS:
        if (make := entry.load_destinations()) is None:
            continue
        try:
            for destination in make(workspace):
                destinations.append((entry.name, destination))  # those before a failure stay
        except Exception:  # noqa: BLE001  # see above
            continue
    return destinations


def match_destinations(destinations: Iterable[Reach], text: str) -> list[Reach]:
    """Return the destinations whose name or sentence contains all words of a text, at most 100.

    Names with the words as whole words come first, then names that contain them, then sentences.
    """
    words = text.casefold().split()
    own, named, described = [], [], []
    for reach in destinations:
        label = reach[1].label.casefold()
        if all(word in label.split() for word in words):
            own.append(reach)
        elif all(word in label for word in words):
            named.append(reach)
        elif all(word in f"{label} {reach[1].sentence}".casefold() for word in words):
            described.append(reach)
    return [*own, *named, *described][:_MOST]


Go = Callable[[str], object]

_ORDER: dict[str, float] = {verb: rank for rank, verb in enumerate(VERBS)}
_SCREENS = _ORDER["activity"] + 0.5
"""Where the keys that go to a screen stand among the others."""
_OF_LISTS = (
    ("★ ✎", "before a line: bookmarked with m, has a note (M)"),
    ("●", "before a line: marked with space"),
    ("▲ ▼", "after a title: sorted by this column, ascending or descending"),
)


def help_lines(app: App[Any], screen: Screen[object]) -> list[MenuChoice]:
    """Return one line for each key of the focused pane, greyed ones with their reason, then the signs."""
    # Step 1: one entry for each action of a node, with all the keys that it has.
    results: dict[tuple[str, int], tuple[list[str], DOMNode, str, str, bool]] = {}
    for key, active in screen.active_bindings.items():
        binding = active.binding
        # Bindings without an id are Textual's own.
        if not binding.id:
            continue
        binding_key = (binding.action, id(active.node))
        if binding_key in results:
            results[binding_key][0].append(key)
        else:
            results[binding_key] = ([key], active.node, binding.description, binding.tooltip, active.enabled)
    # Step 2: the lines, with the reason for those that do not apply now.
    lines = []
    for (verb, _), (keys, node, label, sentence, enabled) in results.items():
        reason = "" if enabled else why_greyed(node, verb)
        shown = " ".join(key_text(key, plain=getattr(app, "ascii", False)) for key in keys)
        run = partial(app.call_later, app.run_action, verb, node)
        lines.append(MenuChoice(f"key {verb}", label, sentence, shown, reason, run))
    order = lambda line: _ORDER.get(line.name.removeprefix("key "), _SCREENS)  # noqa: E731
    # What works now comes first.
    lines.sort(key=lambda line: (bool(line.reason), order(line)))
    # Step 3: the signs of the focused pane, which only it can explain.
    pane = screen.active_pane if isinstance(screen, WorkbenchScreen) else None
    legend = [*pane.list_signs(), *(_OF_LISTS if pane.query(Table) else ())] if pane is not None else []
    return lines + [MenuChoice(f"sign {sign}", "sign", means, key=sign) for sign, means in legend]


def palette_lines(
    app: App[Any], screen: Screen[object], go: Go, commands: Iterable[Command]
) -> list[MenuChoice]:
    """Return the palette's lines: screens, their commands and the app's, then everything that has a key."""
    # Screens, then commands and lookups, then keys.
    lines = []
    for entry in SCREENS:
        run = partial(go, entry.name)
        lines.append(MenuChoice(f"go {entry.name}", entry.title, entry.about, entry.key, run=run))
    if isinstance(screen, WorkbenchScreen) and screen.built:
        lines += map(_command_line, screen.list_commands())
        for lookup in screen.lookups():
            word = lookup.word
            lines.append(MenuChoice(f"word {word}", f"{word} …", lookup.sentence, reason="type its id"))
    lines += map(_command_line, commands)
    listed = {f"key {verb}" for verb, known in VERBS.items() if known.hint} - {"key palette", "key help"}
    return lines + [line for line in help_lines(app, screen) if line.name in listed]


def _command_line(command: Command) -> MenuChoice:
    name = command.name
    return MenuChoice(f"command {name}", name, command.sentence, reason=command.reason, run=command.run)


def elsewhere_lines(here: str, do: Callable[[str, str], object]) -> list[MenuChoice]:
    """Return the lines for the keys of the other screens; `do(screen, verb)` goes there and does it."""
    lines = []
    for entry in SCREENS:
        for key in entry.load_keys():
            if entry.name != here and key.hint and key.id.startswith(f"{entry.name}."):
                run = partial(do, entry.name, key.verb)
                lines.append(MenuChoice(key.id, f"{entry.title}: {key.label}", key.sentence, run=run))
    return lines


def destination_lines(
    destinations: Iterable[Reach], go: Callable[[str, Sequence[PaletteStep]], object], text: str
) -> list[MenuChoice]:
    """Return the lines for the destinations that match a text."""
    return [
        MenuChoice(f"destination {mode} {to.steps}", to.label, to.sentence, run=partial(go, mode, to.steps))
        for mode, to in match_destinations(destinations, text)
    ]


def lookup_lines(
    screens: Sequence[WorkbenchScreen], go: Go, complain: Callable[[str], object], text: str
) -> list[MenuChoice]:
    """Return the lines that look an id up, such as `job 12`, for every screen that knows the word."""
    # The colon is optional: the palette itself was opened by one.
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
        MenuChoice(f"look {word} {wanted}", f"{word} {wanted}", lookup.sentence, run=partial(look_up, screen))
        for screen in screens
        for lookup in screen.lookups()
        if lookup.word == word
    ]


def choose_line(
    app: App[Any],
    title: str,
    lines: Iterable[MenuChoice],
    more: Callable[[str], list[MenuChoice]] | None = None,
) -> None:
    """Let the user choose a line, and run it.

    Args:
        app: shows the dialog.
        title: the dialog's title.
        lines: the lines to choose from.
        more: returns further lines for the text that is typed.
    """
    # Lines that appear while something is typed are added, so that the chosen name is found.
    known = {line.name: line for line in lines}

    def more_lines(text: str) -> list[MenuChoice]:
        result = more(text) if more is not None else []
        known.update({line.name: line for line in result})
        return result

    chooser = Chooser(title, list(known.values()), typed=True, more=more_lines)
    chooser.ask(app, lambda name: known[name].run())
