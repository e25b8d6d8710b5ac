"""`d`: how one member follows from another, a rule a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from textual import work

from engines.core.errors import EngineError
from screens.egraphs.forms import shown
from screens.egraphs.looks import VERDICTS
from screens.text import width
from screens.widgets.listing import ReaderBox
from screens.widgets.textscreen import TextScreen

if TYPE_CHECKING:
    from screens.egraphs.screen import EgraphsScreen

__all__ = ["Derivation"]


class Derivation(TextScreen):
    """The two ends at once, what lies between when the engine has found it."""

    def __init__(self, owner: EgraphsScreen, left: str, right: str, mode: str) -> None:
        super().__init__("derivation", [f"from  {shown(left)}", f"to    {shown(right)}", "", "… searching"])
        self._owner = owner
        self._ask = {"expr": left, "member": right, "notation": "prefix", "mode": mode}

    def on_mount(self) -> None:
        self._search()

    @work(exclusive=True, exit_on_error=False)
    async def _search(self) -> None:
        try:
            found = await self._owner.call("egen.derive", self._ask)
        except EngineError as error:
            lines = ["no derivation:", f"  {error}"]
        else:
            words = (
                "egen",
                "derive",
                "--mode",
                self._ask["mode"],
                "--",
                self._ask["expr"],
                self._ask["member"],
            )
            lines = [*derivation_lines(found), "", self._owner.workbench.command_line(*words)]
        reader = self.query_one(ReaderBox).reader
        reader.show([*reader.lines[:3], *lines])


def derivation_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """One line a step: its verdict against the first, the expression, the rule; or why there is none."""
    steps = found["steps"]
    if not steps:
        yield found.get("reason") or "No derivation was found within the bound; there may be a longer one."
        return
    texts = [shown(step["prefix"]) for step in steps]
    cells = min(64, max(map(width, texts)))
    for step, text in zip(steps, texts, strict=True):
        judged = step.get("verdict") or ""
        glyph = VERDICTS.get(judged, ("·", ""))[0]
        rule = step.get("rule") or "start"
        yield f"{glyph} {text}{' ' * max(0, cells - width(text))}   {rule}"
