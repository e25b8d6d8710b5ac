"""The families of E-Gen's Figure 3."""

from __future__ import annotations

from engines.egen.expressions.language import FUNCTIONS
from engines.egen.models.datasets import Labelled

_NOT_SHOWN = ("acsc", "asec", "acot", "csch", "sech", "acsch", "asech", "acoth")
FIGURE_FAMILIES = tuple(name for name in FUNCTIONS if name not in _NOT_SHOWN)
"""The 17 single-operator families of Figure 3."""


def families(data: Labelled, *, most: int = 200) -> tuple[list[str], list[str]]:
    """Expressions of the clusters whose head has one function only, one of Figure 3 and no derivative.

    Args: most: expressions of a family, taken from its clusters in turn. Returns: texts and, for each, its
    family.
    """
    groups: dict[str, list[list[str]]] = {name: [] for name in FIGURE_FAMILIES}
    for texts in data.clusters:
        head = texts[0].split()
        used = {token for token in head if token in FUNCTIONS or token == "d"}
        if len(used) == 1 and (name := used.pop()) in groups:
            groups[name].append(texts)
    found: list[str] = []
    names: list[str] = []
    for name, clusters in groups.items():
        longest = max(map(len, clusters), default=0)
        turns = [texts[turn] for turn in range(longest) for texts in clusters if turn < len(texts)]
        found += turns[:most]
        names += [name] * len(turns[:most])
    return found, names
