"""Formulas equal to one: as they stand, in a part, or after renaming of their letters.

An index that is built with values has the keys of the fingerprint of each visually distinct formula that can
be read. Formulas that share a key with the query are candidates, and a judge says which of them are equal.

    keys.npy           uint64, ascending
    keys_looks.npy     int32, the look that has each key
    keys_shares.npy    float32, the share of the look's nodes that each key is of; 1: the whole
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from engines.core.errors import DataError, EngineError
from engines.core.files import write_array
from engines.core.tree import Tree
from engines.mathematics.judging import judge
from engines.mathematics.judging.fingerprint import ValueFingerprints
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.verdicts import Verdict

if TYPE_CHECKING:
    from engines.mathamr.retrieval.formula_index import FormulaIndex

EqualityKind = Literal["equal", "renamed"]

_REFUSED = 400
"""After so many candidates that are not proved equal the search ends, which is said."""


class ValueKeys:
    """Collects the keys of looks, in their order."""

    def __init__(self) -> None:
        self._fingerprints = ValueFingerprints()
        self._looks = 0
        self._keys, self._of, self._shares = array("Q"), array("i"), array("f")

    def add_formula(self, latex: str) -> None:
        """Add the keys of a formula; a formula that cannot be read has none."""
        from engines.formula.reader import read

        tree = read(latex).tree
        if tree is not None:
            fingerprint, nodes = self._fingerprints.compute_fingerprint(tree), len(tree)
            # Each key has the share of the formula that it stands for; the whole formula has the share 1.
            shares = dict.fromkeys((*fingerprint.whole, *fingerprint.renamed), 1.0)
            for path, keys in fingerprint.parts:
                for key in keys:
                    shares.setdefault(key, len(tree.subtree_at(path)) / nodes)
            self._keys.extend(shares)
            self._shares.extend(shares.values())
            self._of.extend([self._looks] * len(shares))
        self._looks += 1

    def start_anew(self) -> ValueKeys:
        """Return another that collects the same of other looks."""
        return ValueKeys()

    @property
    def version(self) -> int:
        """The version of the fingerprints."""
        return self._fingerprints.version

    def write_arrays(self, folder: Path) -> None:
        """Write the keys, sorted, with the looks and shares that belong to them, as arrays into a folder."""
        keys = np.frombuffer(self._keys, np.uint64)
        order = np.argsort(keys, kind="stable")
        write_array(folder / "keys.npy", keys[order])
        write_array(folder / "keys_looks.npy", np.frombuffer(self._of, np.int32)[order])
        write_array(folder / "keys_shares.npy", np.frombuffer(self._shares, np.float32)[order])


@dataclass(frozen=True, slots=True)
class EqualLook:
    """A look that is equal to a query.

    Attributes:
        share: Of its nodes that are in the equal part, 1: the whole.
        judgement: What the judge said.
        renaming: New names of the query's letters.
    """

    look: int
    share: float
    judgement: Verdict
    renaming: Mapping[str, str]

    def to_record(self) -> dict[str, Any]:
        """Return the verdict, its condition and the renaming, as a hit shows them."""
        verdict = self.judgement
        return {"verdict": verdict.outcome, "condition": verdict.condition, "renaming": dict(self.renaming)}


class Equality:
    """Finds what is equal to a formula in an index.

    Attributes: ended: how many searches ended before all candidates were judged.

    Raises:
        DataError: E670 for an index without values, or with those of other fingerprints.
    """

    def __init__(self, opened: FormulaIndex, by: EqualityKind) -> None:
        self._opened, self._by, self.ended = opened, by, 0
        self._judge, self._fingerprints = judge(), ValueFingerprints()
        values = opened.about.get("values")
        if values is None or values["version"] != self._fingerprints.version:
            what = "no values" if values is None else f"values of version {values['version']}"
            raise DataError(
                f"the index has {what}",
                path=opened.folder,
                code="E670",
                remedy="Build it with --values, or search with --how paths.",
            )

    def find_equal(self, latex: str, k: int, *, blank: bool = False) -> list[EqualLook]:
        """Return at most `k` looks that are equal to a formula, the largest equal share first.

        By renaming, a formula is equal only as a whole.

        Args:
            blank: Whether a formula that cannot be read has none.

        Raises:
            EngineError: E376 for such a formula otherwise.
        """
        from engines.formula.reader import read

        reading = read(latex)
        if reading.tree is not None:
            return list(islice(self._iterate_equal(reading.tree), k))
        if blank:
            return []
        raise EngineError(
            f"the formula cannot be read: {reading.reason}",
            code="E376",
            remedy="Search by its parts instead: --how paths.",
        )

    def list_warnings(self) -> Iterator[str]:
        """Yield a warning if searches ended before all candidates were judged."""
        if self.ended:
            what = f"after {_REFUSED} formulas that are not proved equal the rest was not judged"
            yield f"{what} (queries: {self.ended:,})"

    def _iterate_equal(self, query: Tree) -> Iterator[EqualLook]:
        print_ = self._fingerprints.compute_fingerprint(query)
        wanted = print_.whole if self._by == "equal" else print_.renamed
        # Many formulas contain the same parts, so verdicts are kept.
        known: dict[Tree, tuple[Verdict, Mapping[str, str]]] = {}
        refused = 0
        for look, share in _find_candidates(self._opened, wanted):
            # Candidates come by falling share: from here on no whole formula follows.
            if self._by == "renamed" and share < 1:
                return
            # Fingerprints rarely agree by chance; after many refusals, others would be refused as well.
            if refused == _REFUSED:
                self.ended += 1
                return
            for part in self._find_parts(self._opened.read_latex(look), wanted, whole=share == 1):
                if part not in known:
                    known[part] = self._judge_part(query, part)
                judgement, renaming = known[part]
                if judgement.outcome in ("equal", "equal if"):
                    yield EqualLook(look, share, judgement, renaming)
                    break
            else:
                refused += 1

    def _find_parts(self, latex: str, keys: Sequence[int], *, whole: bool) -> list[Tree]:
        """Return the parts of a formula that have one of the keys, or all of it."""
        from engines.formula.reader import read

        tree = read(latex).tree
        if tree is None:  # of an index by another reader
            return []
        if whole:
            return [tree]
        parts = self._fingerprints.compute_fingerprint(tree).parts
        return [tree.subtree_at(path) for path, own in parts if not set(keys).isdisjoint(own)]

    def _judge_part(self, query: Tree, part: Tree) -> tuple[Verdict, Mapping[str, str]]:
        if self._by == "equal":
            return compare_terms(query, part, self._judge), {}
        for names, tree in self._fingerprints.iterate_renamings(query, part):
            judgement = compare_terms(tree, part, self._judge)
            if judgement.outcome in ("equal", "equal if"):
                return judgement, names
        return Verdict("undecided"), {}


def _find_candidates(opened: FormulaIndex, keys: Iterable[int]) -> Iterator[tuple[int, float]]:
    known, looks, shares = opened.keys
    best: dict[int, float] = {}
    for key in keys:
        begin, end = (np.searchsorted(known, np.uint64(key), side) for side in ("left", "right"))
        for look, share in zip(looks[begin:end].tolist(), shares[begin:end].tolist(), strict=True):
            best[look] = max(share, best.get(look, 0.0))
    yield from sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))


def compare_terms(left: Tree, right: Tree, judge: Judge) -> Verdict:
    """Return whether two terms are equal, or two statements say the same."""
    if left == right:
        return Verdict("equal")
    return judge.equal(left, right)
