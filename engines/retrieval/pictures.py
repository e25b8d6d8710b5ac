"""Pictures of runs and of vectors: bars over topics, a plane by PCA or t-SNE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from colorsys import hls_to_rgb
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from engines.core.spec import Arg, make_refusal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engines.retrieval.dense import Vectors


Plot = Annotated[
    Path | None,
    Arg("Plot the scores by topic to this .svg, .png or .pdf file.", shown="no plot", writes=True),
]

PNG_WIDTH_PX = 1_660
"""Width of a picture as PNG."""
_BAR_WIDTH_PX, _BAR_STEP_PX, _PANEL_HEIGHT_PX = 10, 13, 240
"""A bar's width, from one bar to the next, and the height of the scale of a panel."""
_LEFT_PX, _TOP_PX, _FOOT_PX = 48, 34, 56
"""Margins of a panel, for the numbers of its scale, its title and the topics."""
_BLUE, _ORANGE, _INK, _LINE = "#0072b2", "#e69f00", "#222222", "#bbbbbb"


def draw_bars(values: Mapping[str, float], title: str, *, ticks: Mapping[str, float] | None = None) -> str:
    """Return an SVG with a bar for each topic, from 0 to 1, a tick where another run stands, and the mean.

    Args:
        values: By topic, in their order.
        ticks: The other run's.
    """
    return _join_panels([_draw_panel(values, title, (0.0, 1.0), ticks or {})], len(values))


def draw_differences(panels: Sequence[tuple[str, Mapping[str, float]]]) -> str:
    """Return an SVG of differences, a panel below the other: bars above or below 0, the highest first, on one
    scale.

    Args:
        panels: Title, and the differences by topic.
    """
    most = max((abs(value) for _, values in panels for value in values.values()), default=0.0)
    limit = next((step for step in (0.1, 0.2, 0.4, 0.6, 0.8) if most <= step), 1.0)
    drawn = [
        _draw_panel(dict(sorted(values.items(), key=lambda row: -row[1])), title, (-limit, limit), {})
        for title, values in panels
    ]
    return _join_panels(drawn, max((len(values) for _, values in panels), default=0))


def _join_panels(panels: Sequence[list[str]], topics: int) -> str:
    each, width = _TOP_PX + _PANEL_HEIGHT_PX + _FOOT_PX, _page_width(topics)
    height = each * len(panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="10" fill="{_INK}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for index, panel in enumerate(panels):
        parts += [f'<g transform="translate(0 {index * each})">', *panel, "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _page_width(topics: int) -> int:
    return _LEFT_PX + max(420, _BAR_STEP_PX * topics) + 16


def _draw_panel(
    values: Mapping[str, float], title: str, scale: tuple[float, float], ticks: Mapping[str, float]
) -> list[str]:
    low, high = scale
    signed = low < 0
    floor, right = _TOP_PX + _PANEL_HEIGHT_PX, _page_width(len(values)) - 10

    # SVG counts y downwards from the top.
    def y(value: float) -> float:
        return round(floor - (value - low) / (high - low) * _PANEL_HEIGHT_PX, 2)

    parts = [f'<text x="{_LEFT_PX}" y="16" font-size="12">{escape(title)}</text>']
    # Grid lines with their values, a bar for each topic, then the mean as a dashed line.
    for step in range(5 if signed else 6):
        value = low + (high - low) * step / (4 if signed else 5)
        parts.append(
            f'<line x1="{_LEFT_PX}" x2="{right}" y1="{y(value)}" y2="{y(value)}" stroke="{_LINE}" '
            f'stroke-width="0.5"/><text x="{_LEFT_PX - 6}" y="{y(value) + 3}" text-anchor="end">'
            f"{_format_value(value, signed=signed)}</text>"
        )
    for index, (topic, value) in enumerate(values.items()):
        x, name = _LEFT_PX + 4 + index * _BAR_STEP_PX, escape(topic)
        top, foot = y(max(value, 0.0)), y(min(value, 0.0))
        parts.append(
            f'<rect x="{x}" y="{top}" width="{_BAR_WIDTH_PX}" height="{round(foot - top, 2)}" '
            f'fill="{_BLUE if value >= 0 else _ORANGE}">'
            f"<title>{name} {_format_value(value, 4, signed=signed)}</title></rect>"
        )
        if topic in ticks:
            at = y(ticks[topic])
            parts.append(
                f'<line x1="{x - 1}" x2="{x + _BAR_WIDTH_PX + 1}" y1="{at}" y2="{at}" stroke="{_ORANGE}" '
                'stroke-width="2"/>'
            )
        parts.append(
            f'<text transform="translate({x + 8} {floor + 8}) rotate(-90)" text-anchor="end" '
            f'font-size="8">{name}</text>'
        )
    if values:
        mean = sum(values.values()) / len(values)
        parts.append(
            f'<line x1="{_LEFT_PX}" x2="{right}" y1="{y(mean)}" y2="{y(mean)}" stroke="{_INK}" '
            f'stroke-dasharray="4 3"/><text x="{right}" y="28" text-anchor="end">'
            f"mean {_format_value(mean, 4, signed=signed)}</text>"
        )
    return parts


def _format_value(value: float, digits: int = 0, *, signed: bool) -> str:
    """Return a value with so many digits behind the point, by default one, and two where it is signed."""
    return f"{value:+.{digits or 2}f}" if signed else f"{value:.{digits or 1}f}"


_TIED = 1e-6
"""Relative: coordinates that differ by less are equally large."""
Method = Literal["pca", "tsne"]
PERPLEXITY = 30.0


def refuse_unused_seed(method: Method, seed: int) -> None:
    """Raise EngineError E427 for a seed of PCA, which draws nothing."""
    if method == "pca" and seed:
        raise make_refusal("PCA takes no seed", "E427", "Leave out --seed, or choose tsne.")


def project_to_plane(vectors: Vectors, method: Method = "tsne", *, seed: int = 0) -> NDArray[np.float32]:
    """Return (rows, 2) coordinates. t-SNE with perplexity 30, or a third of the rows where they are few."""
    import numpy as np

    # With fewer than five rows the perplexity of t-SNE would be 1 or less.
    if method == "pca" or len(vectors) < 5:
        centred = vectors - vectors.mean(0)
        # The right singular vectors of centred rows are their principal axes, the longest first.
        _, _, axes = np.linalg.svd(centred, full_matrices=False)
        flat: NDArray[np.float32] = np.zeros((len(vectors), 2), np.float32)
        result = centred @ axes[:2].T
        # The sign of an axis is free: the first of the largest coordinates points up, however it was rounded.
        sizes = np.abs(result)
        first = (sizes >= sizes.max(0) * (1 - _TIED)).argmax(0)
        result *= np.sign(result[first, np.arange(result.shape[1])])
        flat[:, : result.shape[1]] = result
        return flat
    from sklearn.manifold import TSNE

    perplexity = min(PERPLEXITY, (len(vectors) - 1) / 3)
    made = TSNE(2, perplexity=perplexity, init="pca", random_state=seed).fit_transform(vectors)
    return np.asarray(made, np.float32)


def _pick_colour(number: int, count: int) -> str:
    red, green, blue = hls_to_rgb(number / count, (0.42, 0.55, 0.35)[number % 3], 0.75)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"


def draw_labelled_points(
    points: NDArray[np.float32], labels: Sequence[str], title: str = "", *, size: int = 720
) -> str:
    """Return an SVG of points (rows, 2) coloured by label, with the labels beside it. Every label has a shape
    of its own too, so that it is known without colour.

    Args:
        labels: One for each point; points of one kind have the same.
        size: Width and height of the plane, in pixels.
    """
    order = list(dict.fromkeys(labels))
    low, high = points.min(0), points.max(0)
    # One scale for both axes, so that distances can be compared; the floor is for points that coincide.
    scale = (size - 40) / max(float((high - low).max()), 1e-9)
    positions = 20 + (points - low) * scale
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 110} {size + 30}" '
        f'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="20" y="18">{escape(title)}</text>',
    ]
    for number, label in enumerate(order):
        paint = _pick_colour(number, len(order))
        rows = [row for row, other in enumerate(labels) if other == label]
        marks = [
            _draw_mark(number, float(positions[row, 0]), float(size + 20 - positions[row, 1])) for row in rows
        ]
        lines.append(
            f'<g fill="{paint}" fill-opacity="0.7"><title>{escape(label)}</title>{"".join(marks)}</g>'
        )
        height = 40 + 18 * number
        lines.append(f'<g fill="{paint}">{_draw_mark(number, size + 20, height - 4)}</g>')
        lines.append(f'<text x="{size + 32}" y="{height}">{escape(label)}</text>')
    return "\n".join([*lines, "</svg>\n"])


def _draw_mark(number: int, x: float, y: float) -> str:
    kind = number % 4
    if kind == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
    if kind == 1:
        return f'<rect x="{x - 2.7:.1f}" y="{y - 2.7:.1f}" width="5.4" height="5.4"/>'
    if kind == 2:
        return f'<path d="M{x:.1f} {y - 3.6:.1f}l3.4 6h-6.8z"/>'
    return f'<path d="M{x:.1f} {y - 3.8:.1f}l3.8 3.8l-3.8 3.8l-3.8 -3.8z"/>'
