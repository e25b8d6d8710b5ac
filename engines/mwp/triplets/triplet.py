"""A triplet: an anchor, a positive of its logic in other words, a negative of other logic in like words."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from engines.core.errors import DataError
from engines.core.files import atomic_writer
from engines.core.json_lines import json_objects
from engines.mwp.triplets.settings import Strategy

__all__ = ["Triplet", "labelled", "write_triplets"]


@dataclass(frozen=True, slots=True)
class Triplet:
    """One line of a file of triplets; anchor, positive and negative are ids.

    Args: eq_sim_positive, eq_sim_negative: of the equations with the anchor's. text_sim_positive,
    text_sim_negative: of the texts. pool: the parts it was taken from. alone: no other problem of the pool
    has the anchor's equation.
    """

    anchor: str
    positive: str
    negative: str
    eq_sim_positive: float
    eq_sim_negative: float
    text_sim_positive: float
    text_sim_negative: float
    pool: str
    strategy: Strategy
    alone: bool

    @property
    def margin(self) -> float:
        """How much nearer in words the negative is than the positive."""
        return self.text_sim_negative - self.text_sim_positive


def write_triplets(path: Path, triplets: Iterable[Triplet]) -> None:
    """Write triplets as JSON Lines, whole or not at all."""
    with atomic_writer(path) as file:
        for triplet in triplets:
            file.write(json.dumps(asdict(triplet), ensure_ascii=False) + "\n")


def labelled(path: Path) -> frozenset[tuple[str, str, str]]:
    """Anchor, positive and negative of the triplets that a file names bad: labels or triplets, as they are
    written. Raises: DataError E317 with the line of one that cannot be read."""
    found = set()
    remedy = "Make the file again with: mathwb mwp labels --out FILE"
    for number, row in json_objects(path, remedy=remedy):
        try:
            found.add((str(row["anchor"]), str(row["positive"]), str(row["negative"])))
        except KeyError as error:
            what = f"the line names no triplet: {error}"
            raise DataError(what, path=path, line=number, code="E317", remedy=remedy) from error
    return frozenset(found)
