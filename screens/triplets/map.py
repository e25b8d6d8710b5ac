"""A sheet with the problems of a set in the plane, by a solver's vectors before and after its training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Static

from screens.shell.export import Export, table_exports
from screens.shell.frame import Frame
from screens.shell.request import Answer
from screens.shell.text import safe_text
from screens.widgets.notice import error_text
from screens.widgets.scatter import Dot, Scatter
from screens.widgets.sheet import Sheet

__all__ = ["ProblemMap"]


class _Arranged(Answer):
    """One of the two planes is there; tagged with whether it is the one before."""


class ProblemMap(Sheet):
    """Shows the problems of the commonest equations.

    Args: model: the solver. data: the set's name and file. texts: of its problems, by id. go: is called with
    the id of the one that is opened.
    """

    DEFAULT_CSS = """
    ProblemMap Horizontal { height: 1fr; }
    ProblemMap Horizontal > Vertical { width: 1fr; }
    ProblemMap .side { height: 1; padding: 0 1; color: $quiet; }
    ProblemMap #lit { height: 2; padding: 0 1; border-top: solid $line; }
    """

    def __init__(
        self,
        workbench: Frame,
        model: Path,
        data: tuple[str, Path],
        texts: Mapping[str, str],
        go: Callable[[str], object],
    ) -> None:
        super().__init__(workbench)
        self.model, (self._name_of_set, self.data) = model, data
        self._texts, self._go = texts, go
        self._planes = {before: Scatter(id="before" if before else "after") for before in (True, False)}
        self._lit = Static(id="lit")
        # Two requests: of one, the newer question would take the place of the other.
        self._requests = {before: self.request("mwp.tsne", _Arranged) for before in (True, False)}

    def compose(self) -> ComposeResult:
        with Vertical() as box:
            box.border_title = safe_text(f"{self._name_of_set} by {self.model.name}, t-SNE")
            box.border_subtitle = "tab other side   enter go there   y command   e export   esc close"
            with Horizontal():
                for before, plane in self._planes.items():
                    with Vertical():
                        yield Static("before the training" if before else "after it", classes="side")
                        yield plane
            yield self._lit

    def on_mount(self) -> None:
        for before, request in self._requests.items():
            self._planes[before].say(Content.styled("… arranging", "$quiet"))
            request.ask({"model": str(self.model), "data": str(self.data), "before": before}, before)
        self._planes[False].focus()

    @on(_Arranged)
    def _arranged(self, event: _Arranged) -> None:
        plane = self._planes[event.tag]
        if event.error is not None:
            plane.say(error_text(event.error))
            return
        found = event.value
        dots = zip(found["ids"], found["points"], found["templates"], strict=True)
        plane.show([Dot(id_, x, y, template) for id_, (x, y), template in dots])
        self._tell(plane)

    @on(Scatter.Moved)
    def _moved(self, event: Scatter.Moved) -> None:
        if event.control.has_focus:
            self._tell(event.control)

    def _tell(self, plane: Scatter) -> None:
        """Say what is lit, and light it on the other side too."""
        here = plane.here
        if here is None:
            return
        for other in self._planes.values():
            if other is not plane and other.dots:
                other.lit = here.key
        words = f"{here.key}  {here.kind}  {self._texts.get(here.key, '')}"
        self._lit.update(safe_text(words).truncate(max(8, self._lit.size.width - 2), ellipsis=True))

    @on(Scatter.Opened)
    def _opened(self, event: Scatter.Opened) -> None:
        if (here := event.control.here) is not None:
            self.dismiss(None)
            self._go(here.key)

    # What can be taken away

    @property
    def _focused_side(self) -> bool:
        return self._planes[True].has_focus

    def command(self) -> list[str] | None:
        """The command that prints the places of the side that has the focus."""
        return ["mwp", "tsne", str(self.model), str(self.data), *(["--before"] if self._focused_side else [])]

    def exports(self) -> list[Export]:
        """The places of that side."""
        dots = self._planes[self._focused_side].dots
        if not dots:
            return []
        facts = {"model": str(self.model), "problems": str(self.data), "before": self._focused_side}
        return table_exports(
            "places",
            "problems-plane",
            {".csv": "c", ".jsonl": "j"},
            lambda: (("problem", "x", "y", "equation"), ((dot.key, dot.x, dot.y, dot.kind) for dot in dots)),
            facts,
        )
