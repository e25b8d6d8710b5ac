"""Roles of dependents: what a subject, an object or a prepositional phrase means to a frame.

A log-linear model chooses among the numbered roles that the frame has and the modifiers. It knows a dependent
by its relation, its preposition and its tag, a role by its number and by its function in PropBank (PAG, PPT,
GOL, …), and how often the role stood there in examples of the frame. `labelling` learns it from PropBank.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engines.core.assets import asset
from engines.core.errors import DataError
from engines.core.files import read_lines
from engines.mathamr.parsing.frames import frames

__all__ = ["MODIFIERS", "Dependent", "Predicate", "Roles", "candidates", "features", "roles", "seen"]

MODIFIERS: Mapping[str, str] = {
    "LOC": ":location",
    "TMP": ":time",
    "MNR": ":manner",
    "PRP": ":purpose",
    "PNC": ":purpose",
    "CAU": ":cause",
    "GOL": ":destination",
    "DIR": ":direction",
    "COM": ":accompanier",
    "EXT": ":degree",
    "PRD": ":mod",
    "ADV": ":mod",
}
"""The role of each of PropBank's modifiers."""
_BEST = 4
"""So many of the likeliest roles of each dependent are tried together."""
_UNKNOWN: Mapping[str, str] = {"0": "PAG", "1": "PPT", "2": "GOL"}
"""What a word has for roles that is no frame."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A frame in its sentence: its word's tag, and its voice: P passive, O with an object, N neither."""

    frame: str
    tag: str
    voice: str


@dataclass(frozen=True, slots=True)
class Dependent:
    """A word below a predicate: `preposition` is its mark if it is a clause, "" where there is none."""

    relation: str
    preposition: str
    tag: str


@dataclass(frozen=True, slots=True)
class Roles:
    """The model: `counts` of roles by "frame relation preposition", `weights` of features."""

    counts: Mapping[str, Mapping[str, int]]
    weights: Mapping[str, float]

    def scores(self, predicate: Predicate, dependent: Dependent) -> dict[str, float]:
        """The score of each role that the dependent could have: 0, 1, …, LOC, TMP, …"""
        counts = self.counts.get(f"{predicate.frame} {dependent.relation} {dependent.preposition}", {})
        found = {}
        for role, own in candidates(predicate.frame):
            score = sum(
                self.weights.get(one, 0.0) for one in features(predicate, dependent, role, own)
            ) + sum(
                self.weights[name] * value
                for name, value in zip(("seen", "often"), seen(counts, role), strict=True)
            )
            found[role] = score
        return found

    def of(
        self,
        predicate: Predicate,
        dependents: Sequence[Dependent],
        taken: Collection[str],
        barred: Sequence[Collection[str]],
    ) -> list[str | None]:
        """The likeliest roles (:ARG2, :location …) of dependents together, a numbered role at most once.

        Args: taken: numbered roles that are gone. barred: for each dependent, roles that it cannot have.
        Returns: None for a dependent without a role left.
        """
        choices: list[list[tuple[float, str | None]]] = []
        for dependent, no in zip(dependents, barred, strict=True):
            named = (
                (score, f":ARG{role}" if role.isdigit() else MODIFIERS[role])
                for role, score in self.scores(predicate, dependent).items()
            )
            free = [one for one in named if one[1] not in no and one[1] not in taken]
            choices.append([*sorted(free, key=lambda one: (-one[0], one[1]))[:_BEST], (-99.0, None)])
        return _together(choices)


def _together(choices: Sequence[Sequence[tuple[float, str | None]]]) -> list[str | None]:
    """A role of each with the highest sum of scores, a numbered one at most once; of equal sums the first.

    Of all beginnings that use the same numbered roles only the best can go on.
    """
    begun: dict[frozenset[str], tuple[float, tuple[int, ...]]] = {frozenset(): (0.0, ())}
    for ranked in choices:
        longer: dict[frozenset[str], tuple[float, tuple[int, ...]]] = {}
        for used, (cost, places) in begun.items():
            for place, (score, role) in enumerate(ranked):
                numbered = {role} if role is not None and role.startswith(":ARG") else set()
                if not numbered & used:
                    found = cost - score, (*places, place)
                    now = used | numbered
                    longer[now] = min(longer.get(now, found), found)
        begun = longer
    _, best = min(begun.values())
    return [ranked[place][1] for ranked, place in zip(choices, best, strict=True)]


@cache
def candidates(frame: str) -> tuple[tuple[str, str], ...]:
    """The roles that a frame's dependents can have, each with what is known of it."""
    numbered = (one for one in frames().roles.get(frame, _UNKNOWN).items() if one[0].isdigit())
    return (*sorted(numbered), *((name, "") for name in MODIFIERS))


def features(predicate: Predicate, dependent: Dependent, role: str, function: str) -> Iterator[str]:
    """The features of a role of a dependent: each that is known of the one with each of the other."""
    roles = (role, function, role + function) if function else (role,)
    relation, preposition = dependent.relation, dependent.preposition
    for one in (
        relation,
        f"{relation} {preposition}",
        f"{relation}/{predicate.voice}",
        f"{relation}~{predicate.tag[:2]}",
        f"{preposition}^{dependent.tag[:2]}",
    ):
        for other in roles:
            yield f"{one}|{other}"


def seen(counts: Mapping[str, int], role: str) -> tuple[float, float]:
    """Whether a role stood at such a dependent of the frame, and the logarithm of its share."""
    total = sum(counts.values())
    if not total:
        return 0.0, 0.0
    return float(counts.get(role, 0) > 0), math.log((counts.get(role, 0) + 0.1) / (total + 1))


@cache
def roles(file: Path | None = None) -> Roles:
    """The model that ships, or another that was trained. Raises: DataError E317 for a file that is none."""
    path = file or asset("mathamr/roles.tsv.gz")
    counts: dict[str, dict[str, int]] = {}
    weights: dict[str, float] = {}
    for number, line in read_lines(path):
        try:
            kind, key, values = line.split("\t")
            if kind == "weight":
                weights[key] = float(values)
            else:
                pairs = (one.partition("=") for one in values.split())
                counts[key] = {role: int(count) for role, _, count in pairs}
        except ValueError as error:
            raise _no_model(path, number) from error
    if not weights.keys() >= {"seen", "often"}:
        raise _no_model(path)
    return Roles(counts, weights)


def _no_model(path: Path, line: int | None = None) -> DataError:
    remedy = "Name a file that mathwb mathamr roles made."
    return DataError("not a labeller of roles", path=path, line=line, code="E317", remedy=remedy)
