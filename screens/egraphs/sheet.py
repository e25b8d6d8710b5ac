"""A list over the E-graphs screen that asks the engine and shows what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import ModalScreen

from screens.keys import bindings, scope
from screens.text import count
from screens.widgets.listing import Listing

if TYPE_CHECKING:
    from engines.core.events import Event
    from screens.egraphs.screen import EgraphsScreen

__all__ = ["SHEET_KEYS", "Sheet"]

SHEET_KEYS = scope(
    "sheet",
    yank=("command", "Copy the command line that prints the same."),
    export="Write the list to a file, as CSV or JSON lines.",
)


class Sheet(ModalScreen[None]):
    """The frame; `command` and `table` say what can be taken away."""

    DEFAULT_CSS = """
    Sheet { align: center middle; background: $background 60%; }
    Sheet > Vertical {
        width: 130; max-width: 96%; height: 92%;
        border: round $accent; background: $background; border-title-color: $foreground;
        border-subtitle-color: $quiet;
    }
    Sheet .figures { height: auto; max-height: 7; padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", "close", show=False),
        *bindings(SHEET_KEYS),
    ]

    def __init__(self, owner: EgraphsScreen) -> None:
        super().__init__()
        self.owner = owner

    def command(self) -> list[str] | None:
        """The words of the command line, None when there is nothing to print."""
        raise NotImplementedError

    def table(self) -> tuple[str, tuple[str, ...], list[list[object]], Mapping[str, object]]:
        """What is written: the stem of the file, columns, rows, and where it came from."""
        raise NotImplementedError

    async def ask(self, task: str, params: Mapping[str, Any], tell: Callable[[str], object]) -> Any:
        """Ask the engine; `tell` gets how far it is. Closing the sheet stops it. Raises: EngineError."""

        def heard(event: Event) -> None:
            done, total = event.data.get("done"), event.data.get("total")
            if event.kind == "progress" and isinstance(total, int):
                tell(f"{count(int(str(done)))} of {count(total)} {event.data.get('unit', '')} · esc stops it")

        return await self.owner.call(task, params, heard)

    def action_yank(self) -> None:
        words = self.command()
        if words is not None:
            self.owner.workbench.copy(self.owner.workbench.command_line(*words), "command line")

    def action_export(self) -> None:
        from screens.base import Export
        from screens.widgets.dialogs import Choice, Chooser

        stem, columns, rows, facts = self.table()
        if not rows:
            self.owner.workbench.warn("there is nothing to write yet")
            return

        def write(path: Any) -> object:
            from workbench.export import write_table

            return write_table(path, columns, rows, provenance=facts)

        ways = {
            "c": Export("c", "the list as CSV", ".csv", stem, write),
            "j": Export("j", "the list as JSON lines", ".jsonl", stem, write),
        }

        def ask(key: str | None) -> None:
            if key is not None:
                self.owner.workbench.ask_and_write(ways[key])

        choices = [Choice(way.key, way.name, f"{stem}{way.suffix}", key=way.key) for way in ways.values()]
        self.app.push_screen(Chooser("export this list", choices), ask)

    def action_close(self) -> None:
        if not any(listing.clear_filter() for listing in self.query(Listing)):
            self.dismiss(None)
