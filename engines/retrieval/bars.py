"""A run's measure over the topics as a picture, by itself or as the difference from another run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Annotated

from engines.core.spec import Arg

__all__ = ["PIXELS", "Plot", "bars", "deltas"]

Plot = Annotated[
    Path | None, Arg("Draw it over the topics there, as .svg or .png.", shown="no picture", writes=True)
]

PIXELS = 1_660
"""Width of a picture as PNG."""
_BAR, _STEP, _HEIGHT, _LEFT, _TOP, _FOOT = 10, 13, 240, 48, 34, 56
_BLUE, _ORANGE, _INK, _LINE = "#0072b2", "#e69f00", "#222222", "#bbbbbb"


def bars(values: Mapping[str, float], title: str, *, ticks: Mapping[str, float] | None = None) -> str:
    """An SVG with a bar for each topic, from 0 to 1, a tick where another run stands, and the mean.

    Args: values: by topic, in their order. ticks: the other run's.
    """
    return _page([_panel(values, title, (0.0, 1.0), ticks or {})], len(values))


def deltas(panels: Sequence[tuple[str, Mapping[str, float]]]) -> str:
    """An SVG of differences, a panel below the other: bars above or below 0, the highest first, on one scale.

    Args: panels: title, and the differences by topic.
    """
    most = max((abs(value) for _, values in panels for value in values.values()), default=0.0)
    limit = next((step for step in (0.1, 0.2, 0.4, 0.6, 0.8) if most <= step), 1.0)
    drawn = [
        _panel(dict(sorted(values.items(), key=lambda row: -row[1])), title, (-limit, limit), {})
        for title, values in panels
    ]
    return _page(drawn, max((len(values) for _, values in panels), default=0))


def _page(panels: Sequence[list[str]], topics: int) -> str:
    each, width = _TOP + _HEIGHT + _FOOT, _width(topics)
    height = each * len(panels)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="sans-serif" font-size="10" fill="{_INK}">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    for place, panel in enumerate(panels):
        parts += [f'<g transform="translate(0 {place * each})">', *panel, "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _width(topics: int) -> int:
    return _LEFT + max(420, _STEP * topics) + 16


def _panel(
    values: Mapping[str, float], title: str, scale: tuple[float, float], ticks: Mapping[str, float]
) -> list[str]:
    low, high = scale
    floor, right = _TOP + _HEIGHT, _width(len(values)) - 10

    def y(value: float) -> float:
        return round(floor - (value - low) / (high - low) * _HEIGHT, 2)

    parts = [f'<text x="{_LEFT}" y="16" font-size="12">{escape(title)}</text>']
    for step in range(6 if low == 0 else 5):
        value = low + (high - low) * step / (5 if low == 0 else 4)
        parts.append(
            f'<line x1="{_LEFT}" x2="{right}" y1="{y(value)}" y2="{y(value)}" stroke="{_LINE}" '
            f'stroke-width="0.5"/><text x="{_LEFT - 6}" y="{y(value) + 3}" text-anchor="end">'
            f"{_number(value, low)}</text>"
        )
    for place, (topic, value) in enumerate(values.items()):
        x, name = _LEFT + 4 + place * _STEP, escape(topic)
        top, foot = y(max(value, 0.0)), y(min(value, 0.0))
        parts.append(
            f'<rect x="{x}" y="{top}" width="{_BAR}" height="{round(foot - top, 2)}" '
            f'fill="{_BLUE if value >= 0 else _ORANGE}"><title>{name} {_number(value, low, 4)}</title></rect>'
        )
        if topic in ticks:
            at = y(ticks[topic])
            parts.append(
                f'<line x1="{x - 1}" x2="{x + _BAR + 1}" y1="{at}" y2="{at}" stroke="{_ORANGE}" '
                'stroke-width="2"/>'
            )
        parts.append(
            f'<text transform="translate({x + 8} {floor + 8}) rotate(-90)" text-anchor="end" '
            f'font-size="8">{name}</text>'
        )
    if values:
        mean = sum(values.values()) / len(values)
        parts.append(
            f'<line x1="{_LEFT}" x2="{right}" y1="{y(mean)}" y2="{y(mean)}" stroke="{_INK}" '
            f'stroke-dasharray="4 3"/><text x="{right}" y="28" text-anchor="end">'
            f"mean {_number(mean, low, 4)}</text>"
        )
    return parts


def _number(value: float, low: float, digits: int = 0) -> str:
    """With its sign where there are differences; two digits unless said, one where the scale is 0 to 1."""
    return f"{value:.{digits or 1}f}" if low == 0 else f"{value:+.{digits or 2}f}"
