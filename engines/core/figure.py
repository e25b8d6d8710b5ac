"""Plots for papers, as SVG, PNG or PDF: fonts inside, readable in grey, as wide as a column.

What a colour says, a line style and a marker say too. Text is drawn as outlines (SVG) or embedded as
TrueType (PDF). The data are those of the plots in the terminal.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.files import write_bytes
from engines.core.picture import check_drawing, prepare_matplotlib
from engines.core.spec import Arg

PaperPlot = Annotated[Path | None, Arg("Plot to this .svg, .png or .pdf file.", shown="no plot", writes=True)]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Of Okabe and Ito, which the colour-blind tell apart."""
_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
_MARKERS = "os^Dvp*"
_WIDTH = 3.4
"""Inches: a column of a page of two."""
_LOOK: Mapping[str, Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.color": "#cccccc",
    "lines.linewidth": 1.1,
    "svg.fonttype": "path",
    "svg.hashsalt": "mathwb",
    "pdf.fonttype": 42,
    "savefig.dpi": 300,
}


@dataclass(frozen=True, slots=True)
class CurvesFigure:
    """Curves for a paper. A curve is a table of `name`, `xs` and `ys` (null where it is undefined), and of
    `low` and `high` where it has a band."""

    out: Annotated[Path, Arg("A .svg, .png or .pdf file.", writes=True)]
    curves: Annotated[tuple[Mapping[str, Any], ...], Arg("The curves.")]
    x: Annotated[str, Arg("Under the x axis.")] = ""
    y: Annotated[str, Arg("Beside the y axis.")] = ""

    def __post_init__(self) -> None:
        check_drawing(self.out)


def curves_figure(spec: CurvesFigure, *, cache: Path) -> dict[str, Any]:
    """Draw curves. Returns: `{"out": …}`."""

    def draw(axes: Any) -> None:
        for number, one in enumerate(spec.curves):
            ys = [float("nan") if y is None else y for y in one["ys"]]
            every = max(1, len(ys) // 8)
            look = {
                "color": _COLOURS[number % len(_COLOURS)],
                "linestyle": _STYLES[number % len(_STYLES)],
                "marker": _MARKERS[number % len(_MARKERS)],
                "markersize": 3.5,
                # Not all at the same steps, where one would hide the other.
                "markevery": (number * every // len(spec.curves), every),
            }
            axes.plot(one["xs"], ys, label=str(one["name"]), **look)
            if "low" in one:
                band = {"color": look["color"], "alpha": 0.18, "linewidth": 0}
                axes.fill_between(one["xs"], one["low"], one["high"], **band)
        axes.set_xlabel(spec.x)
        axes.set_ylabel(spec.y)
        if len(spec.curves) > 1:
            axes.legend(frameon=False)

    _write(spec.out, draw, 2.3, cache)
    return {"out": str(spec.out)}


Dot = tuple[str, float | None, tuple[float, float] | None, float | None]
"""A row of a plot of dots: its name, our figure with its interval, and theirs."""


def dots_figure(path: Path, rows: Sequence[Dot], x: str, theirs: str, *, cache: Path) -> None:
    """Our figures with their 95 % intervals, filled, beside those of a paper, open, a line each."""

    def draw(axes: Any) -> None:
        places = [-place for place in range(len(rows))]
        for at, (_, value, ends, _) in zip(places, rows, strict=True):
            if ends is not None:
                axes.plot(ends, (at, at), color=_COLOURS[0], linewidth=1.4)
            if value is not None:
                axes.plot(value, at, "o", color=_COLOURS[0], markersize=4)
        other = [(row[3], at) for at, row in zip(places, rows, strict=True) if row[3] is not None]
        axes.plot([], [], "o", color=_COLOURS[0], markersize=4, label="here, 95 %")
        if other:
            style = {"color": _COLOURS[1], "fillstyle": "none", "markersize": 4}
            axes.plot(*zip(*other, strict=True), "D", label=theirs, **style)
        axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
        axes.set_yticks(places, [row[0] for row in rows])
        axes.set_ylim(places[-1] - 0.6, 0.6)
        axes.set_xlabel(x)

    _write(path, draw, 0.6 + 0.22 * len(rows), cache)


def _write(path: Path, draw: Any, height: float, cache: Path) -> None:
    prepare_matplotlib(cache)
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(dict(_LOOK)):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        draw(figure.subplots())
        made = io.BytesIO()
        # Without the time, so that the same data are the same file.
        dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix)
        figure.savefig(made, format=path.suffix[1:], metadata=dated)
    write_bytes(path, made.getvalue())
