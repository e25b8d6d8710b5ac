"""How much the families of rules weigh where terms are drawn: `hyperbolic=0.2, inverse trig=0.5`.

A family of the rule table brings operators of its own, and the weight of a term is the product of the weights
of its operators; what is not named weighs 1. Among terms of one length and one weight the drawing is uniform.
"""

from __future__ import annotations

import math
import re

from engines.core.errors import EngineError
from engines.core.spec import refused
from engines.egen.expressions.language import HYPERBOLIC, TRIGONOMETRIC, visible

__all__ = ["FAMILIES", "canonical_weights", "read_weights"]

FAMILIES: dict[str, tuple[str, ...]] = {
    "arithmetic": ("+", "-", "*", "/"),
    "power": ("pow", "sqrt", "abs"),
    "logarithm": ("ln", "log"),
    "trig": TRIGONOMETRIC,
    "inverse trig": tuple(f"a{name}" for name in TRIGONOMETRIC),
    "hyperbolic": HYPERBOLIC,
    "inv hyperbolic": tuple(f"a{name}" for name in HYPERBOLIC),
    "derivative": ("d",),
}
"""The operators that the rules of a family bring; families by their first words in the rule table."""

_LEAST, _MOST = 1e-3, 1e3
_PART = re.compile(r"([a-z ]+?)\s*[=:]\s*(\S+)\Z")


def read_weights(text: str) -> dict[str, float]:
    """The weight of every family that weighs something else than 1. Raises: EngineError E457.

    >>> read_weights("trig = 1, hyperbolic=.2, power=3")
    {'hyperbolic': 0.2, 'power': 3.0}
    """
    found: dict[str, float] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        match = _PART.match(part)
        if match is None or match[1] not in FAMILIES:
            raise _unread(part)
        try:
            weight = float(match[2])
        except ValueError:
            raise _unread(part) from None
        if math.isnan(weight) or not _LEAST <= weight <= _MOST:
            raise _unread(part)
        found[match[1]] = weight
    return {name: weight for name, weight in sorted(found.items()) if weight != 1}


def canonical_weights(text: str) -> str:
    """The same weights always as the same text. Raises: EngineError E457."""
    return ", ".join(f"{name}={weight!r}" for name, weight in read_weights(text).items())


def _unread(part: str) -> EngineError:
    what = f"{visible(part)[:60]!r} is no weight of a family"
    remedy = f"Write hyperbolic=0.2, power=3: from {_LEAST} to {_MOST:g}, of {', '.join(FAMILIES)}."
    return refused(what, "E457", remedy)
