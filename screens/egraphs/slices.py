"""Slices for a plot of several variables: one runs, the others stay where they are at a judged point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

__all__ = ["Slice", "slices"]

_POINTS = 6


@dataclass(frozen=True, slots=True)
class Slice:
    """The variable that `runs`, and the values of the others."""

    runs: str = "x"
    fixed: tuple[tuple[str, float], ...] = ()

    def of(self, prefix: str) -> str:
        """An expression on the slice, as one of x alone."""
        held = {name: format(Decimal(repr(value)), "f") for name, value in self.fixed}
        held[self.runs] = "x"
        return " ".join(held.get(token, token) for token in prefix.split())

    @property
    def words(self) -> str:
        """`over x at y = 1.3`."""
        values = ", ".join(f"{name} = {value:.3g}" for name, value in self.fixed)
        return f"over {self.runs}" + (f" at {values}" if values else "")


def slices(points: Sequence[Mapping[str, Any]]) -> tuple[Slice, ...]:
    """The slices through some of these points of `egen.explain`, those at values near 1 first; the one of x
    alone where points have no other variables.

    >>> found = slices([{"at": {"x": 2.0, "y": -1.5}, "head_state": "defined"}])
    >>> [one.words for one in found]
    ['over x at y = -1.5', 'over y at x = 2']
    >>> found[1].of("- pow x 2 y")
    '- pow 2.0 2 x'
    """
    known = [point for point in points if "at" in point]
    known.sort(key=lambda point: (point["head_state"] != "defined", _remoteness(point["at"])))
    found = (
        Slice(runs, tuple((name, value) for name, value in point["at"].items() if name != runs))
        for point in known[:_POINTS]
        for runs in point["at"]
    )
    return tuple(dict.fromkeys(found)) or (Slice(),)


def _remoteness(at: Mapping[str, float]) -> float:
    return max(abs(abs(value) - 1) for value in at.values())
