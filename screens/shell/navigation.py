"""Ways to anything on any screen: jump letters, names, addresses, the palette and the help."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.dom import DOMNode
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from screens.registry import SCREENS, at_address
from screens.shell.export import Command, Destination, PaletteStep
from screens.shell.frame import AppFrame
from screens.shell.keymap import VERBS, key_text
from screens.shell.screen import WorkbenchScreen, why_greyed
from screens.widgets.dialogs import Chooser, Dialog, MenuChoice
from screens.widgets.pane import Pane
from screens.widgets.table import Table
from workbench.workspace import Workspace

# The home row first, since most screens have few targets.
LETTERS = "asdfghjklqwertyuiopzxcvbnm"


@dataclass(frozen=True, slots=True)
class Target:
    """A place that the jump labels lead to."""

    place: Offset
    go: Callable[[], Awaitable[object]]


def list_targets(screen: Screen[object]) -> list[Target]:
    """Return everything visible that takes the focus, then the tabs that are not shown.

    A label stands in the blank cell to the left of its target: the gutter of a list or text, or the
    space before a tab.
    """
    # Widgets that the tab key reaches, in its order.
    targets = [
        Target(widget.region.offset, partial(_focus_widget, widget))
        for widget in screen.focus_chain
        if widget.region and not widget.has_class("-not-by-tab")
    ]
    for pane in screen.query(Pane):
        if pane.display:
            targets += [
                # One cell to the left: the blank before the tab.
                Target(tab_offset - Offset(1, 0), partial(_show_tab, pane, page.id or ""))
                for page, tab_offset in pane.tab_places()
                if page is not pane.page
            ]
    return targets


async def _focus_widget(widget: Widget) -> None:
    widget.focus()


async def _show_tab(pane: Pane, page: str) -> None:
    await pane.show_page(page)
    pane.focus_inside()


class JumpScreen(Dialog[int]):
    """Label every target with a letter; the dialog returns the index of the target whose letter is typed."""

    DEFAULT_CSS = """
    JumpScreen { align: left top; background: $background 40%; }
    JumpScreen Static {
        width: 1; height: 1; position: absolute; background: $accent; color: $background; text-style: bold;
    }
    """

    def __init__(self, offsets: Sequence[Offset]) -> None:
        super().__init__()
        self._offsets = offsets[: len(LETTERS)]

    def compose(self) -> ComposeResult:
        for letter, position in zip(LETTERS, self._offsets, strict=False):
            label = Static(letter)
            label.styles.offset = (position.x, position.y)
            yield label

    def on_key(self, event: events.Key) -> None:
        if event.character and event.character in LETTERS[: len(self._offsets)]:
            event.stop()
            self.dismiss(LETTERS.index(event.character))


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


_PATIENCE_S = 10.0
"""So long a destination may take until it is there."""
_STEP_S = 0.1


class Navigation:
    """Go to screens and to what they show; `place` returns the screen below all dialogs, once it is built."""

    def __init__(self, app: AppFrame, place: Callable[[], WorkbenchScreen | None]) -> None:
        self._app = app
        self._place = place

    def _shown_screen(self, mode: str) -> WorkbenchScreen | None:
        """Return the screen of this mode, if it is the one that is shown."""
        screen = self._place()
        return screen if screen is not None and mode == screen.MODE else None

    def go_to_address(self, address: str) -> None:
        """Go to what has this address, or warn that no screen shows it."""
        result = at_address(address)
        if result is None:
            self._app.warn(f"no screen shows {address}")
        else:
            self.go_along(*result)

    def go_along(self, mode: str, steps: Sequence[PaletteStep]) -> None:
        """Go to a screen and follow the lookups there, each as soon as its target exists."""
        # A screen that has still to load, or a lookup after another one, may need time.
        patient = self._shown_screen(mode) is None or len(steps) > 1
        elsewhere = mode != self._app.current_mode
        self._app.switch_mode(mode)
        until = time.monotonic() + (_PATIENCE_S if patient else 0.0)
        # Another screen comes to the front only with the next messages; what opens a dialog waits for it.
        if elsewhere:
            self._app.set_timer(_STEP_S, lambda: self._follow_steps(mode, list(steps), until))
        else:
            self._follow_steps(mode, list(steps), until)

    def _follow_steps(self, mode: str, steps: list[PaletteStep], until: float) -> None:
        if self._app.current_mode != mode or not steps:
            return
        word, wanted = steps[0]
        here = self._shown_screen(mode)
        lookups = here.lookups() if here is not None else ()
        lookup = next((lookup for lookup in lookups if lookup.word == word), None)
        # A lookup fails while its source is still being read, so it is tried again until the time is over.
        if lookup is not None and lookup.go(wanted):
            steps.pop(0)
            until = time.monotonic() + _PATIENCE_S
        elif time.monotonic() >= until:
            self._app.warn(f"there is no {word} {wanted}")
            return
        if steps:
            self._app.set_timer(_STEP_S, lambda: self._follow_steps(mode, steps, until))

    def go_and_do(self, mode: str, verb: str) -> None:
        """Go to a screen and perform an action there as soon as the screen is built."""
        self._app.switch_mode(mode)
        self._app.set_timer(_STEP_S, lambda: self._do_when_built(mode, verb))

    async def _do_when_built(self, mode: str, verb: str) -> None:
        if self._app.current_mode != mode:
            return
        if (here := self._shown_screen(mode)) is None:
            self._app.set_timer(_STEP_S, lambda: self._do_when_built(mode, verb))
        elif reason := here.why_not(verb):
            here.show_refusal(verb, reason)
        else:
            await self._app.run_action(verb, here)


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
