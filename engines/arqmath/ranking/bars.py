"""A run's nDCG' over the topics as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

__all__ = ["bars"]

_BAR, _HEIGHT, _LEFT, _TOP, _FOOT = 10, 240, 48, 34, 56
_BLUE, _ORANGE, _INK, _LINE = "#0072b2", "#e69f00", "#222222", "#bbbbbb"


def bars(overview: Mapping[str, Any], run: str, against: str = "") -> str:
    """An SVG with a bar per evaluated topic, a tick where the other run stands, and the run's mean.

    Args: overview: from `Rankings.overview`.
    """
    topics = [topic for topic in overview["topics"] if run in topic["ndcg"]]
    facts: Mapping[str, Any] = next((one for one in overview["runs"] if one["name"] == run), {})
    width = _LEFT + max(280, (_BAR + 3) * len(topics)) + 16
    floor = _TOP + _HEIGHT

    def y(value: float) -> float:
        return round(floor - value * _HEIGHT, 2)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{floor + _FOOT}" '
        f'font-family="sans-serif" font-size="10" fill="{_INK}">',
        f'<rect width="{width}" height="{floor + _FOOT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="16" font-size="12">nDCG′ of {escape(run)} over {len(topics)} topics'
        + (f", tick: {escape(against)}" if against else "")
        + "</text>",
    ]
    for step in range(6):
        value = step / 5
        parts.append(
            f'<line x1="{_LEFT}" x2="{width - 10}" y1="{y(value)}" y2="{y(value)}" stroke="{_LINE}" '
            f'stroke-width="0.5"/><text x="{_LEFT - 6}" y="{y(value) + 3}" text-anchor="end">'
            f"{value:.1f}</text>"
        )
    for place, topic in enumerate(topics):
        x, value = _LEFT + 4 + place * (_BAR + 3), topic["ndcg"][run]
        parts.append(
            f'<rect x="{x}" y="{y(value)}" width="{_BAR}" height="{round(value * _HEIGHT, 2)}" '
            f'fill="{_BLUE}">'
            f"<title>{escape(topic['id'])} {value:.4f}</title></rect>"
        )
        if against in topic["ndcg"]:
            at = y(topic["ndcg"][against])
            parts.append(
                f'<line x1="{x - 1}" x2="{x + _BAR + 1}" y1="{at}" y2="{at}" stroke="{_ORANGE}" '
                'stroke-width="2"/>'
            )
        parts.append(
            f'<text transform="translate({x + 8} {floor + 8}) rotate(-90)" text-anchor="end" '
            f'font-size="8">{escape(topic["id"])}</text>'
        )
    mean = facts.get("ndcg_prime")
    if mean is not None:
        parts.append(
            f'<line x1="{_LEFT}" x2="{width - 10}" y1="{y(mean)}" y2="{y(mean)}" stroke="{_INK}" '
            f'stroke-dasharray="4 3"/><text x="{width - 10}" y="{y(mean) - 4}" text-anchor="end">'
            f"mean {mean:.4f}</text>"
        )
    return "\n".join([*parts, "</svg>", ""])
