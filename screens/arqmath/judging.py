"""Judging: the question for one's own grade of an answer, and how the grades spread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from screens.arqmath.columns import GRADES
from screens.arqmath.runs import Runs
from screens.shell.theme import count, elide, safe_text, some
from screens.widgets.dialogs import Dialog
from screens.widgets.table import Record

_TAKEN_BACK = "-"


class GradeLine(Dialog[str]):
    """A line at the foot of the screen that waits for one key, a grade.

    Args: what: what is judged. taken_back: whether there is a grade of one's own to take back. refusal: why
    it cannot be judged; the line then says so and takes no grade.
    """

    DEFAULT_CSS = """
    GradeLine { align: left bottom; background: transparent; }
    GradeLine > Vertical {
        width: 1fr; max-width: 100%; height: auto; background: $panel; padding: 0 1;
        border: none; border-top: solid $accent;
    }
    """

    def __init__(self, what: str, *, taken_back: bool = False, refusal: str = "") -> None:
        super().__init__()
        self._what = what
        self._refusal = refusal
        grades = {} if refusal else {str(grade): word for grade, word in enumerate(GRADES)}
        self._keys = {**grades, _TAKEN_BACK: "removes it"} if taken_back else grades

    def compose(self) -> ComposeResult:
        with Vertical():
            if self._refusal:
                yield Static(safe_text(f"✗ {self._what} cannot be judged: {self._refusal}", "$warning"))
                yield Static(safe_text("esc cancels", "$quiet"))
            else:
                yield Static(safe_text(f"grade 0-3 of {self._what}, esc cancels", "$accent"))
                parts = [
                    Content.assemble((key, "$accent bold"), " ", word) for key, word in self._keys.items()
                ]
                yield Static(Content("   ").join(parts))

    def on_key(self, event: events.Key) -> None:
        if event.character in self._keys:
            event.stop()
            self.dismiss(event.character)


def ask(app: App[Any], topic: str, row: Record, done: Callable[[int | None], None]) -> None:
    """Ask for a grade, 0 to 3, of an answer to a topic; None takes one's own back."""
    line = GradeLine(f"answer {row['id']} to {topic}", taken_back=row["own"] is not None)
    line.ask(app, lambda grade: done(None if grade == _TAKEN_BACK else int(grade)))


def refuse(app: App[Any], row: Record | None, reason: str) -> None:
    """Say why there is no answer that could be judged; the grades that follow `J` go nowhere else."""
    app.push_screen(GradeLine(f"answer {row['id']}" if row is not None else "this", refusal=reason))


def judged_lines(runs: Runs, topic: str, judgements: int | None) -> list[str]:
    """How the grades spread, over all topics and for this one, and how much of the runs is judged.

    `judgements`: how many are the user's own, None when they cannot be read.
    """
    overview = runs.overview
    if not overview:
        return []
    everything = overview["grades"]
    here = next((known for known in overview["topics"] if known["id"] == topic), None)
    own = here["grades"] if here is not None and here["grades"] is not None else [0, 0, 0, 0]
    total, most = sum(everything), max([1, *everything])
    lines = [f"{'grade':<14}{'all topics':>11}{'':>5}  {'':<6}{topic:>7}"]
    for grade in (3, 2, 1, 0):
        share = f"{everything[grade] / total:.0%}".replace("%", " %") if total else ""
        length = "█" * round(6 * everything[grade] / most)
        figures = f"{count(everything[grade]):>9}{share:>5}  {length:<6}{count(own[grade]):>7}"
        lines.append(f"{grade} {GRADES[grade]:<14}{figures}")
    judged = sum(known["grades"] is not None for known in overview["topics"])
    lines.append(f"{'judged':<16}{count(total):>9}{'':>5}  {'':<6}{count(sum(own)):>7}")
    lines += ["", f"{count(judged)} of {count(len(overview['topics']))} topics are judged"]
    if here is not None and here["judged"]:
        lines += ["", f"answers to {topic} that are judged"]
        widest = min(24, max(map(len, here["judged"])))
        lines += [
            f"  {elide(name, widest):<{widest}}  {count(known):>6} of {count(of)}"
            for name, (known, of) in here["judged"].items()
        ]
    if judgements is not None:
        lines += ["", f"{some(judgements, 'judgement')} of your own, in no score"]
    if overview["answers"]:
        lines += ["", "written answers (Task 3)"]
        for one in overview["answers"]:
            figures = f"AR {one['ar']:.3f}  P@1 {one['p1']:.3f}" if one["ar"] is not None else "not judged"
            lines += [f"  {one['name']}", f"    {figures}  over {one['judged']} of {one['topics']} answers"]
    return lines
