"""The plot of the Jobs screen: one metric of one run or several, smoothed or not; and the line about the best
value so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from textual.content import Content

from screens.jobs.follow import RunCurves, smooth
from screens.shell.text import count, number, safe_text
from screens.widgets.picture import PicturePlot
from screens.widgets.plot import Series

if TYPE_CHECKING:
    from workbench.jobs.view import JobView

__all__ = ["STRENGTHS", "CurvePlot", "best_metric", "shortened", "validation"]

STRENGTHS = (0.0, 0.6, 0.9, 0.97)
"""Of the moving average, in the order in which the key goes through them."""

Points = tuple[Sequence[float], Sequence[float]]


class CurvePlot(PicturePlot):
    """Set `metric` (empty: the first that is a loss), then `draw_runs`."""

    def __init__(self) -> None:
        super().__init__()
        self.metric = ""
        self.strength = 0.0
        self.display = False
        self.legend = True

    def next_strength(self) -> float:
        """The next strength of smoothing, none after the last."""
        self.strength = STRENGTHS[(STRENGTHS.index(self.strength) + 1) % len(STRENGTHS)]
        return self.strength

    def choose(self, names: Sequence[str]) -> None:
        """Take the first loss, or the first metric, while none is chosen or the chosen one is not there."""
        if self.metric not in names:
            self.metric = next((name for name in names if "loss" in name), names[0] if names else "")

    def draw_runs(self, runs: Mapping[tuple[int | None, str], Points]) -> None:
        """Draw the chosen metric of these runs, by their signs and names."""
        series = [
            Series(name, list(steps), smooth(values, self.strength), sign)
            for (sign, name), (steps, values) in runs.items()
            if len(steps)
        ]
        self.display = bool(series)
        how = f", smoothed {self.strength}" if self.strength else ""
        self.caption = f"{self.metric} by step{how}"
        self.series = tuple(series)


def best_metric(params: Mapping[str, Any], names: Sequence[str]) -> tuple[str, bool]:
    """The measure that a training is judged by, empty for none, and whether less of it is better."""
    train = params.get("train")
    train = train if isinstance(train, Mapping) else {}
    if (best := train.get("best")) in names:
        return str(best), bool(train.get("best_is_lowest", False))
    found = next((name for name in names if name.startswith("validation")), "")
    return found, "loss" in found


def validation(view: JobView, curves: RunCurves, checkpoint: str) -> list[Content]:
    """Last and best value of the measure that counts, and the checkpoint that a resume would take."""
    parts = []
    name, lowest = best_metric(view.params, curves.names)
    steps, values = curves.joined(name) if name else ([], [])
    if values:
        best = min(values) if lowest else max(values)
        at = steps[values.index(best)]
        short, percent = shortened(name)
        if values[-1] == best:
            parts.append(safe_text(f"{short} {number(best)}{percent} ▲ best, at {count(at)}"))
        else:
            parts.append(safe_text(f"{short} {number(values[-1])}{percent} ▼"))
            parts.append(safe_text(f"best {number(best)}{percent} at {count(at)}"))
    if checkpoint:
        bad = "damaged" in checkpoint or "no sound" in checkpoint
        parts.append(safe_text(checkpoint, "$warning" if bad else "$quiet"))
    return parts


def shortened(name: str) -> tuple[str, str]:
    """A measure as it is said: `val kmeans` and ` %` of `validation_kmeans_percent`."""
    short = name.replace("validation_", "val ")
    stem = short.removesuffix("_percent")
    return stem, " %" if stem != short else ""
