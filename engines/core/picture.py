"""Pictures of curves and formulas for terminals, as PNG and sixel; drawings and plots for papers as SVG, PNG
or PDF."""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import EngineError
from engines.core.files import write_bytes, write_text
from engines.core.spec import Arg, make_refusal, specification
from engines.core.system import MAX_LATEX

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_WAYS = (".svg", ".png", ".pdf")


def check_drawing(path: Path | None) -> None:
    """Raise EngineError E430 for a name that ends otherwise."""
    if path is not None and path.suffix not in _WAYS:
        raise make_refusal(f"{path.name} is none of {', '.join(_WAYS)}", "E430", "Choose another name.")


def write_drawing(path: Path, svg: str, *, width: int) -> None:
    """Write a drawing as the file's name ends, PDF with its fonts.

    Args:
        width: Of a PNG, in pixels.
    """
    if path.suffix == ".svg":
        write_text(path, svg)
        return
    import cairosvg  # type: ignore[import-untyped]

    if path.suffix == ".pdf":
        write_bytes(path, cairosvg.svg2pdf(svg.encode()))
    else:
        write_bytes(path, cairosvg.svg2png(svg.encode(), output_width=width))


# Sixel: pictures as DEC terminals take them, six rows of pixels to a line of text.
#
# A picture is an index into a palette for each pixel, row by row; `CLEAR` leaves the pixel as it is. The
# format is that of the VT330/VT340 Programmer Reference Manual, volume 2, chapter 14.

CLEAR = 255
"""The index of a pixel that is not painted."""

# Sixel graphics: a character stands for a column of six pixels, one bit each, and is written as the bits
# plus 63, which is "?" for an empty column.
_BAND = 6
_LEAST = 63
_TO_TEXT = bytes((index + _LEAST) % 256 for index in range(256))
_RUN = re.compile(rb"(.)\1{3,}", re.DOTALL)


@lru_cache(2048)
def _bit_table(colour: int, row: int) -> bytes:
    """Return a table that turns the pixels of a colour into the bit of their row, and all others into
    nothing.
    """
    return bytes(1 << row if index == colour else 0 for index in range(256))


def encode(
    pixels: bytes, width: int, palette: Sequence[Sequence[int]], box: tuple[int, int, int, int]
) -> str:
    """Return the part `box` of a picture, as a control sequence that paints it from the cursor on.

    Args:
        pixels: Indices of `palette`, or `CLEAR`, `width` to a row.
        palette: Red, green and blue from 0 to 255, at most 255 colours.
        box: Left, top, right and bottom in pixels, the last two exclusive.
    """
    left, top, right, bottom = box
    rows = [pixels[row * width + left : row * width + right] for row in range(top, bottom)]
    used = sorted(set().union(*rows) - {CLEAR})
    lines = [_encode_band(rows[start : start + _BAND], right - left) for start in range(0, len(rows), _BAND)]
    colours = "".join(_format_register(index, palette[index]) for index in used)
    # The second parameter: pixels without a colour stay as they are.
    return f'\x1bP0;1;0q"1;1;{right - left};{bottom - top}{colours}{"-".join(lines)}\x1b\\'


def _format_register(index: int, colour: Sequence[int]) -> str:
    red, green, blue = (round(part * 100 / 255) for part in colour)
    return f"#{index};2;{red};{green};{blue}"


def _encode_band(rows: Sequence[bytes], width: int) -> str:
    """Up to six rows: for each colour a line of text, one over the other."""
    lines = []
    for colour in sorted(set().union(*rows) - {CLEAR}):
        bits = 0
        for number, row in enumerate(rows):
            bits |= int.from_bytes(row.translate(_bit_table(colour, number)), "little")
        text = bits.to_bytes(width, "little").translate(_TO_TEXT).rstrip(b"?")
        short = _RUN.sub(lambda run: b"!%d%s" % (len(run[0]), run[1]), text)
        lines.append(f"#{colour}{short.decode('ascii')}")
    return "$".join(lines)


# Pictures of curves and formulas, in the colours and of the size that a terminal wants.
#
# A picture is a PNG, or, for sixel, a palette with an index for each pixel. Matplotlib draws it; it is
# imported when the first picture is asked for.

_DPI = 72
"""So that a point is a pixel."""

_MARKERS = "os^Dos"
_FILLED = 4
"""So many markers are filled, the others are not."""

_SMALLEST = 0.55
"""A formula is made smaller until it fits, down to this part of its size."""


@specification
class Look:
    """Colours (as `#rrggbb`) and sizes of a picture."""

    foreground: Annotated[str, Arg("Text.")]
    background: Annotated[str, Arg("Behind everything.")]
    quiet: Annotated[str, Arg("Labels.")]
    line: Annotated[str, Arg("Axes and grid.")]
    warning: Annotated[str, Arg("Where something is undefined.")]
    series: Annotated[tuple[str, ...], Arg("One curve after the other.")]
    cell_width: Annotated[int, Arg("Of a cell of the terminal, in pixels.", low=1, high=256)]
    cell_height: Annotated[int, Arg("Of a cell of the terminal, in pixels.", low=1, high=256)]
    colours: Annotated[int, Arg("Colours for sixel; 0 for a PNG.", low=0, high=254)] = 0


@specification
class CurvesPicture:
    """A picture of curves. A curve is a table of `name`, `xs` and `ys`, these null where it is undefined."""

    curves: Annotated[tuple[Mapping[str, Any], ...], Arg("The curves.")]
    look: Annotated[Look, Arg("Colours and sizes.")]
    columns: Annotated[int, Arg("Cells across.", low=1, high=1000)]
    lines: Annotated[int, Arg("Cells down.", low=1, high=1000)]
    x: Annotated[tuple[float, ...], Arg("Least and largest x.")]
    y: Annotated[tuple[float, ...], Arg("Least and largest y.")]
    gaps: Annotated[tuple[Mapping[str, Any], ...], Arg("Stretches from `low` to `high` to be marked.")] = ()
    caption: Annotated[str, Arg("Under the x axis.")] = ""
    markers: Annotated[bool, Arg("Signs on the curves.")] = False


@specification
class FormulaPicture:
    """A picture of a formula, as large as it is; refused when it does not fit."""

    latex: Annotated[str, Arg("The formula, without dollar signs.", longest=MAX_LATEX)]
    look: Annotated[Look, Arg("Colours and sizes.")]
    columns: Annotated[int, Arg("Cells across, at most.", low=1, high=1000)]
    lines: Annotated[int, Arg("Cells down, at most.", low=1, high=1000)]


def draw_curves(spec: CurvesPicture, *, cache: Path) -> dict[str, Any]:
    """Draw curves with axes, legend and caption.

    Returns:
        `columns` and `lines` of cells that the picture fills, `width` and `height` in pixels, and either
        `png` (Base64) or `palette`, `pixels` (zlib, Base64) and `sixel`, the whole as a control sequence.
    """
    look = spec.look
    width, height = spec.columns * look.cell_width, spec.lines * look.cell_height
    figure = _make_figure(width, height, look, cache)
    axes = _make_axes(figure, spec, width, height)
    for gap in spec.gaps:
        if gap["low"] == gap["high"]:
            axes.axvline(gap["low"], color=look.warning, alpha=0.5, linewidth=1)
        else:
            axes.axvspan(gap["low"], gap["high"], facecolor=look.warning, alpha=0.22, linewidth=0)
    thin = max(1.2, look.cell_height / 12)
    for number, one in enumerate(spec.curves):
        below = len(spec.curves) - 1 - number
        ys = _without_poles(one["ys"], spec.y[1] - spec.y[0])
        colour = look.series[number % len(look.series)]
        # Two that coincide are both seen: the first is broader.
        line: dict[str, Any] = {"linewidth": thin if spec.markers else thin * (1 + 2.4 * below)}
        if spec.markers:
            line |= _marker_style(number, len(ys), colour, look)
        axes.plot(one["xs"], ys, color=colour, label=str(one["name"]), solid_joinstyle="round", **line)
        # A single value between two gaps would be a line of length zero, so it is drawn as a dot.
        alone = _isolated_indices(ys)
        axes.plot([one["xs"][at] for at in alone], [ys[at] for at in alone], "o", color=colour)
    if len(spec.curves) > 1:
        _add_legend(axes, look)
    return _encode_picture(figure, spec.columns, spec.lines, look)


def draw_formula(spec: FormulaPicture, *, cache: Path) -> dict[str, Any]:
    """Draw a formula as a picture that fits into `spec.columns` by `spec.lines` cells.

    Returns:
        What `draw_curves` returns.

    Raises:
        EngineError: E201 for LaTeX that cannot be drawn, or a formula that is too large for those cells.
    """
    look = spec.look
    prepare_matplotlib(cache)
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import MathTextParser

    text = f"${_display_latex(spec.latex)}$"
    most = spec.columns * look.cell_width, spec.lines * look.cell_height
    size = look.cell_height * 0.95
    least = size * _SMALLEST
    # Shrink the font until the formula fits: its size does not grow linearly, so measure again each time.
    while True:
        font = FontProperties(size=size, math_fontfamily="cm")
        try:
            wide, above, below, *_ = MathTextParser("path").parse(text, dpi=_DPI, prop=font)
        except ValueError as error:
            raise EngineError(f"the formula cannot be drawn: {error}", code="E201") from None
        if wide <= most[0] and above + below <= most[1]:
            break
        if size <= least:
            raise EngineError("the formula is too large to be drawn here", code="E201")
        size = max(least, size * min(0.95, most[0] / wide, most[1] / (above + below)))
    # A picture fills whole cells of the terminal; the formula is centred in their height.
    columns, lines = math.ceil(wide / look.cell_width), math.ceil((above + below) / look.cell_height)
    width, height = columns * look.cell_width, lines * look.cell_height
    figure = _make_figure(width, height, look, cache)
    base = (height - above - below) / 2 + below
    figure.text(0, base / height, text, color=look.foreground, fontproperties=font, va="baseline")
    return _encode_picture(figure, columns, lines, look)


def _display_latex(latex: str) -> str:
    depth = 0
    parts = re.split(r"(\\[A-Za-z]+|[{}])", latex)
    for at, part in enumerate(parts):
        depth += (part == "{") - (part == "}")
        if part == r"\frac" and depth == 0:
            parts[at] = r"\dfrac"
    return "".join(parts)


def prepare_matplotlib(cache: Path) -> None:
    """Make Matplotlib keep its list of fonts in our cache and need no display."""
    cache.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("MPLCONFIGDIR", str(cache))
    os.environ.setdefault("MPLBACKEND", "agg")


def _make_figure(width: int, height: int, look: Look, cache: Path) -> Figure:
    prepare_matplotlib(cache)
    from matplotlib.figure import Figure

    return Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor=look.background)


def _make_axes(figure: Figure, spec: CurvesPicture, width: int, height: int) -> Axes:
    from matplotlib.ticker import MaxNLocator, ScalarFormatter

    look = spec.look
    font = look.cell_height * 0.62
    y_locator = MaxNLocator(max(2, min(5, height // (look.cell_height * 2))))
    x_locator = MaxNLocator(max(2, min(7, width // (look.cell_width * 12))))
    (low, high), (start, end) = spec.y, spec.x
    # A margin keeps the extreme values off the frame.
    pad = (high - low) * 0.04
    shown = [tick for tick in y_locator.tick_values(low, high) if low - pad <= tick <= high + pad]
    formatter = ScalarFormatter(useMathText=False)
    formatter.set_powerlimits((-4, 5))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_facecolor(look.background)
    axes.set_xlim(start, end)
    axes.set_ylim(low - pad, high + pad)
    axes.xaxis.set_major_locator(x_locator)
    axes.yaxis.set_major_locator(y_locator)
    axes.yaxis.set_major_formatter(formatter)
    # The labels are outside of the axes: room for the longest.
    longest = max(map(len, formatter.format_ticks(shown)), default=1)
    left, right = (longest * 0.6 * font + 8) / width, 1 - 0.9 * font / width
    bottom = font * (2.7 if spec.caption else 1.6) / height
    top = 1 - font * (1.7 if len(spec.curves) > 1 else 1.1) / height
    axes.set_position((left, bottom, max(0.05, right - left), max(0.05, top - bottom)))
    axes.yaxis.get_offset_text().set(color=look.quiet, fontsize=font * 0.85)
    axes.tick_params(colors=look.quiet, labelsize=font, length=3, width=1, pad=3)
    axes.grid(visible=True, color=look.line, linewidth=0.8, alpha=0.55)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set(color=look.line, linewidth=1, visible=side in ("left", "bottom"))
    if spec.caption:
        axes.set_xlabel(_escape_dollars(spec.caption), color=look.quiet, fontsize=font, labelpad=1)
    return axes


def _add_legend(axes: Axes, look: Look) -> None:
    legend = axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.01, 0.985),
        ncols=len(axes.lines),
        frameon=False,
        borderpad=0,
        borderaxespad=0.1,
        handlelength=1.4,
        handletextpad=0.5,
        columnspacing=1.4,
        fontsize=look.cell_height * 0.62,
        labelcolor=look.foreground,
    )
    for text in legend.get_texts():
        text.set_text(_escape_dollars(text.get_text()))


def _escape_dollars(text: str) -> str:
    return text.replace("$", r"\$")


def _marker_style(number: int, points: int, colour: str, look: Look) -> dict[str, Any]:
    """Return a sign of its own on each curve, so that it is known without colour too."""
    return {
        "marker": _MARKERS[number % len(_MARKERS)],
        "markersize": look.cell_height * 0.3,
        "markevery": (points // 20 + number * max(1, points // 50), max(1, points // 8)),
        "markerfacecolor": colour if number < _FILLED else look.background,
    }


def _isolated_indices(ys: Sequence[float]) -> list[int]:
    """Return the places of values with none beside them, which no line joins to others."""
    known = [False, *(not math.isnan(y) for y in ys), False]
    return [at for at in range(len(ys)) if known[at + 1] and not known[at] and not known[at + 2]]


def _without_poles(ys: Sequence[float | None], whole: float) -> list[float]:
    """Return values with NaN where there is none, and before a jump over the whole height: a pole, not a
    slope.
    """
    result: list[float] = []
    before = math.nan
    for value in ys:
        y = math.nan if value is None else float(value)
        result.append(math.nan if abs(y - before) >= whole else y)
        before = y
    return result


def _encode_picture(figure: Figure, columns: int, lines: int, look: Look) -> dict[str, Any]:
    import base64
    import zlib

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    image = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba()).convert("RGB")
    results = {"columns": columns, "lines": lines, "width": image.width, "height": image.height}
    if not look.colours:
        file = io.BytesIO()
        image.save(file, "png", compress_level=6)
        return {**results, "png": base64.b64encode(file.getvalue()).decode("ascii")}
    palette, pixels = _index_colours(image, look)
    whole = encode(pixels, image.width, palette, (0, 0, image.width, image.height))
    packed = base64.b64encode(zlib.compress(pixels)).decode("ascii")
    return {**results, "palette": palette, "pixels": packed, "sixel": whole}


def _index_colours(image: Any, look: Look) -> tuple[list[list[int]], bytes]:
    """Return a palette and an index for each pixel; what has the background's colour stays clear."""
    import numpy as np
    from PIL import Image, ImageColor

    colours = np.asarray(image)
    clear = (colours == np.array(ImageColor.getrgb(look.background))).all(axis=2)
    few = image.quantize(look.colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    flat = few.getpalette() or []
    palette = [flat[start : start + 3] for start in range(0, min(len(flat), 3 * look.colours), 3)]
    indices = np.asarray(few).copy()
    indices[clear] = CLEAR
    return palette, indices.tobytes()


# Plots for papers: fonts inside, readable in grey, as wide as a column.
#
# What a colour says, a line style and a marker say too. Text is drawn as outlines (SVG) or embedded as
# TrueType (PDF). The data are those of the plots in the terminal.

PaperPlot = Annotated[Path | None, Arg("Plot to this .svg, .png or .pdf file.", shown="no plot", writes=True)]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Of Okabe and Ito, which the colour-blind tell apart."""
_STYLES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
_PAPER_MARKERS = "os^Dvp*"
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


@specification
class CurvesFigure:
    """Curves for a paper. A curve is a table of `name`, `xs` and `ys` (null where it is undefined), and of
    `low` and `high` where it has a band."""

    out: Annotated[Path, Arg("A .svg, .png or .pdf file.", writes=True)]
    curves: Annotated[tuple[Mapping[str, Any], ...], Arg("The curves.")]
    x: Annotated[str, Arg("Under the x axis.")] = ""
    y: Annotated[str, Arg("Beside the y axis.")] = ""

    def __post_init__(self) -> None:
        check_drawing(self.out)


def write_curves_figure(spec: CurvesFigure, *, cache: Path) -> dict[str, Any]:
    """Draw curves for a paper and write them to `spec.out`.

    Returns:
        `{"out": …}`, the file that was written.
    """

    def draw(axes: Any) -> None:
        for number, one in enumerate(spec.curves):
            ys = [float("nan") if y is None else y for y in one["ys"]]
            every = max(1, len(ys) // 8)
            look = {
                "color": _COLOURS[number % len(_COLOURS)],
                "linestyle": _STYLES[number % len(_STYLES)],
                "marker": _PAPER_MARKERS[number % len(_PAPER_MARKERS)],
                "markersize": 3.5,
                # Not all at the same steps, where one would hide the other.
                "markevery": (number * every // len(spec.curves), every),
            }
            axes.plot(one["xs"], ys, label=str(one["name"]), **look)
            # Where a value is no finite number: a cross at the bottom.
            if missing := [x for x, y in zip(one["xs"], one["ys"], strict=True) if y is None]:
                at_bottom = {"transform": axes.get_xaxis_transform(), "clip_on": False}
                axes.plot(missing, [0.0] * len(missing), "x", color=look["color"], markersize=4, **at_bottom)
            if "low" in one:
                band = {"color": look["color"], "alpha": 0.18, "linewidth": 0}
                axes.fill_between(one["xs"], one["low"], one["high"], **band)
        axes.set_xlabel(spec.x)
        axes.set_ylabel(spec.y)
        if len(spec.curves) > 1:
            axes.legend(frameon=False)

    _write_figure(spec.out, draw, 2.3, cache)
    return {"out": str(spec.out)}


Dot = tuple[str, float | None, tuple[float, float] | None, float | None]
"""A row of a plot of dots: its name, our figure with its interval, and theirs."""


def dots_figure(path: Path, rows: Sequence[Dot], x: str, theirs: str, *, cache: Path) -> None:
    """Draw our figures (filled, with 95 % intervals) next to a paper's (open), one line each."""

    def draw(axes: Any) -> None:
        heights = [-index for index in range(len(rows))]
        for at, (_, value, ends, _) in zip(heights, rows, strict=True):
            if ends is not None:
                axes.plot(ends, (at, at), color=_COLOURS[0], linewidth=1.4)
            if value is not None:
                axes.plot(value, at, "o", color=_COLOURS[0], markersize=4)
        other = [(row[3], at) for at, row in zip(heights, rows, strict=True) if row[3] is not None]
        axes.plot([], [], "o", color=_COLOURS[0], markersize=4, label="here, 95 %")
        if other:
            style = {"color": _COLOURS[1], "fillstyle": "none", "markersize": 4}
            axes.plot(*zip(*other, strict=True), "D", label=theirs, **style)
        axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
        axes.set_yticks(heights, [row[0] for row in rows])
        axes.set_ylim(heights[-1] - 0.6, 0.6)
        axes.set_xlabel(x)

    _write_figure(path, draw, 0.6 + 0.22 * len(rows), cache)


def _write_figure(path: Path, draw: Any, height: float, cache: Path) -> None:
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
