"""A pane for one problem of a triplet: its text, its equation as a tree, and how like the anchor it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.shell.export import CommandLine, Selection
from screens.shell.keymap import TEXT_KEYS, bindings
from screens.shell.theme import count, safe_text
from screens.triplets.columns import Shown, figure, problem_selection
from screens.triplets.drawing import marked, tree_drawing
from screens.widgets.listing import error_text
from screens.widgets.pane import Pane

_MOVES = ("down", "up", "top", "bottom", "half_down", "half_up")


class _Scrolled(VerticalScroll, can_focus=True, inherit_bindings=False):
    """What is too long is scrolled by the keys of every text."""

    BINDINGS: ClassVar[list[BindingType]] = bindings([key for key in TEXT_KEYS if key.verb in _MOVES])
    DEFAULT_CSS = "_Scrolled { padding: 0 1; scrollbar-size-vertical: 1; } _Scrolled Static { height: auto; }"

    def _go(self, y: float) -> None:
        self.scroll_to(y=y, animate=False)

    def action_down(self) -> None:
        self._go(self.scroll_y + 1)

    def action_up(self) -> None:
        self._go(self.scroll_y - 1)

    def action_top(self) -> None:
        self._go(0)

    def action_bottom(self) -> None:
        self._go(self.max_scroll_y)

    def action_half_down(self) -> None:
        self._go(self.scroll_y + max(1, self.size.height // 2))

    def action_half_up(self) -> None:
        self._go(self.scroll_y - max(1, self.size.height // 2))


class ProblemPane(Pane):
    DEFAULT_CSS = "ProblemPane .scores { height: 2; padding: 0 1; color: $quiet; }"

    def __init__(self, role: str, *, id: str) -> None:
        super().__init__(title=role, id=id)
        self.role = role
        self.shown: Shown | None = None
        self._scores = Static(classes="scores")
        self._body = Static()

    def compose(self) -> ComposeResult:
        yield self._scores
        yield _Scrolled(self._body)
        yield from super().compose()

    def show(self, shown: Shown | None) -> None:
        self.shown = shown
        if shown is None:
            self.detail = ""
            self._scores.update("")
            self._body.update("")
            return
        problems = shown.found["problems"]
        problem = problems[self.role]
        self.detail = str(problem["id"])
        # The anchor against its negative, which it is most easily taken for.
        other = problems["negative" if self.role == "anchor" else "anchor"]
        self._scores.update(_scores(self.role, shown.found, random=shown.choice.text == "random"))
        self._body.update(_body(problem, other))

    def show_error(self, error: EngineError) -> None:
        self.show(None)
        self._body.update(error_text(error))

    def why_not(self, verb: str) -> str:
        return "no triplet is shown" if verb == "open" and self.shown is None else super().why_not(verb)

    def legend(self) -> Sequence[tuple[str, str]]:
        return (
            ("⟨7⟩", "a number of the problem: N_0 is the first, N_1 the second"),
            ("eq", "similarity of its equation to the anchor's; 1: equal"),
            ("text", "similarity of its text to the anchor's; 1: equal"),
        )

    def selection(self, line: CommandLine) -> Selection | None:
        return None if self.shown is None else problem_selection(self.shown, self.role, line)


def _scores(role: str, found: Mapping[str, Any], *, random: bool) -> Content:
    triplet, problems = found["triplet"], found["problems"]
    if role == "anchor":
        same = found["positive_count"] if not triplet["alone"] else 0
        return safe_text(
            f"{count(same)} others of its equation" if same else "alone with its equation", "$quiet"
        )
    if problems[role]["id"] == triplet["anchor"]:
        return Content.styled("the anchor itself", "$warning")
    equation, text = (figure(triplet[f"{kind}_sim_{role}"]) for kind in ("eq", "text"))
    best = "lowest" if role == "positive" else "best" if triplet["strategy"] == "joint" else "highest"
    best = "one" if random else best
    many = f"\n{best} of {count(found[f'{role}_count'])}"
    look = "$success bold" if role == "positive" else "$warning bold"
    return Content.assemble("eq ", (equation, "bold"), "  text ", (text, look), (many, "$quiet"))


def _body(problem: Mapping[str, Any], other: Mapping[str, Any]) -> Content:
    answer = problem["answer"]
    lines = [
        marked(problem, other),
        Content(),
        safe_text(f"{problem['equation']} = {'?' if answer is None else f'{answer:.10g}'}", "bold"),
        *(safe_text(line) for line in tree_drawing(problem["normal"], problem)),
    ]
    if problem["source"]:
        lines += [Content(), safe_text(f"from {problem['source']}", "$quiet")]
    return Content("\n").join(lines)
