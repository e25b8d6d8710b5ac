"""Reading a finished corpus: the table of clusters, the members of one, and who holds a function."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engines.core.errors import DataError, EngineError
from engines.core.files import file_error
from engines.core.tree import Tree
from engines.egen.corpus.shards import (
    BLOCK,
    FORMAT,
    SEVERAL,
    THEORY,
    Shard,
    assumption,
    check_shard,
    corrupt,
    parquet_table,
    read_shard,
    stored_shards,
    theory_in,
)
from engines.egen.corpus.splits import SplitName
from engines.egen.expressions.language import LETTERS, VARIABLE, read_prefix, variables_of
from engines.egen.records import Verdict
from engines.egen.theories.theory import read_assumptions

if TYPE_CHECKING:
    from engines.egen.theories.theory import Theory

_NEEDED = {"format", "source", "config", "shards", "files"}
_KEPT_SHARDS = 4
_REMAKE = "Make it again from the shards"
_RELATED = 20
"""Functions with another domain that `find` looks at, at most."""


@dataclass(frozen=True, slots=True)
class Match:
    """A cluster that holds a function. `verdict` judges what was looked for against the cluster's head;
    `member` is its place among the members when it is there up to the order of operands."""

    cluster: int
    head: str
    verdict: Verdict
    member: int | None


class Corpus:
    """A finished corpus folder. Tables are read when asked for; a corrupt file is an explained error."""

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self._shards: dict[int, Shard] = {}

    @property
    def variables(self) -> tuple[str, ...]:
        return tuple(self.manifest.get("variables", (VARIABLE,)))

    @property
    def letters(self) -> str:
        """What its expressions may have besides x; empty for a corpus of x alone."""
        return LETTERS if self.manifest["format"] == SEVERAL else ""

    @cached_property
    def theory(self) -> Theory:
        """What its terms are read and written by."""
        from engines.egen.theories.theory import theory_of

        return theory_of(theory_in(self.manifest), "")

    def assumed(self, cluster: int) -> str:
        return assumption(self.manifest, cluster)

    def clusters(self) -> pa.Table:
        """One row per cluster, as `assemble.CLUSTERS` describes it."""
        return self._clusters

    @cached_property
    def _clusters(self) -> pa.Table:
        return self._table("clusters.parquet")

    def members(self, cluster: int) -> pa.Table:
        """The expressions of a cluster: cluster, member (0 is the head), prefix, tokens, verdict, kept,
        gained, except, by, source (the place in the source of the head that it was grown from).

        Raises: EngineError E454 when there is no such cluster; DataError when its shard is corrupt.
        """
        if not 0 <= cluster < self._clusters.num_rows:
            raise EngineError(
                f"there is no cluster {cluster}",
                where=str(self.path),
                remedy=f"They are numbered 0 to {self._clusters.num_rows - 1}.",
                code="E454",
            )
        sources = self._clusters["merged_from"][cluster].as_py()
        repeated = self._clusters["duplicates"][cluster].as_py()
        parts = []
        for source in sources:
            rows = self._shard(source // BLOCK).rows
            parts.append(rows.filter(pc.equal(rows["source"], source)))
        table = pa.concat_tables(parts)
        if repeated:
            gone = set(repeated)
            table = table.take([place for place in range(table.num_rows) if place not in gone])
        count = table.num_rows
        numbers = {"cluster": [cluster] * count, "member": list(range(count))}
        columns = {name: pa.array(values, pa.int32()) for name, values in numbers.items()}
        for name in ("prefix", "tokens", "verdict", "kept", "gained", "except", "by", "source"):
            columns[name] = table[name]
        return pa.table(columns)

    def each(self, side: str = "all", split: SplitName = "paper") -> Iterator[tuple[int, pa.Table]]:
        """Every cluster with its members, in order, or those on one side of a split."""
        sides = self._clusters["split" if split == "paper" else "split_by_shape"].to_pylist()
        for cluster, here in enumerate(sides):
            if side in ("all", here):
                yield cluster, self.members(cluster)

    def find(self, tree: Tree) -> list[Match]:
        """The clusters whose head is verified to be this function, then those equal to it on less."""
        from engines.egen.corpus.assemble import fingerprints, look_alike
        from engines.egen.verification.verify import verifier

        if self.manifest["format"] == THEORY:
            return [*self._find_term(tree)]
        if not variables_of(tree) <= {*self.variables}:
            return []
        prints = self._prints
        one = fingerprints([tree], self.variables)[0]
        alike = look_alike(one, prints)
        alike += np.flatnonzero(np.isnan(prints).all(axis=1)).tolist()  # assumed to hold at no such point
        related = [n for n in look_alike(one, prints, same_domain=False) if n not in alike]
        found: list[Match] = []
        for cluster in alike + related[:_RELATED]:
            head = self._clusters["head"][cluster].as_py()
            judge = verifier(
                read_prefix(head, LETTERS), tree, assumptions=read_assumptions(self.assumed(cluster))
            )
            (verdict,) = judge.check([tree])
            if verdict.outcome in ("equal", "extends", "shrinks"):
                found.append(Match(cluster, head, verdict, self._place(cluster, tree)))
        return sorted(found, key=lambda match: match.verdict.outcome != "equal")

    def _find_term(self, tree: Tree) -> Iterator[Match]:
        from engines.egen.theories.theory import compared

        judge, text = self.theory.judge(tree), self.theory.row(tree)["prefix"]
        for cluster, head in enumerate(self._clusters["head"].to_pylist()):
            verdict = compared(judge, self.theory.read(head, "prefix"))
            if verdict.outcome == "equal":
                yield Match(cluster, head, verdict, self._place(cluster, tree))
            elif verdict.outcome == "undecided":  # it may stand there as it is written
                texts = self.members(cluster)["prefix"].to_pylist()
                if text in texts:
                    yield Match(cluster, head, verdict, texts.index(text))

    def _place(self, cluster: int, tree: Tree) -> int | None:
        from engines.egen.expressions.forms import Subterms

        terms = Subterms(self.theory.arity)
        forms = self.theory.forms(terms)
        wanted = forms.key(terms.read(tree.labels()))
        texts = self.members(cluster)["prefix"].to_pylist()
        return next(
            (n for n, text in enumerate(texts) if forms.key(terms.read(text.split())) == wanted), None
        )

    @cached_property
    def _prints(self) -> Any:
        column = self._table("fingerprints.parquet")["print"].combine_chunks()
        return column.flatten().to_numpy().reshape(len(column), -1)

    def check_shards(self) -> None:
        """Raise DataError for the first shard that is missing, cut or changed; reads every one."""
        for entry in self.manifest["shards"]:
            check_shard(self.path / "shards" / entry["name"])

    def _shard(self, block: int) -> Shard:
        if block not in self._shards:
            shard = read_shard(self.path / "shards" / self.manifest["shards"][block]["name"])
            while len(self._shards) >= _KEPT_SHARDS:
                self._shards.pop(next(iter(self._shards)))
            self._shards[block] = shard
        return self._shards[block]

    def _table(self, name: str) -> pa.Table:
        path = self.path / name
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise corrupt(path, f"{name} is missing", _REMAKE) from None
        if sha256(data).hexdigest() != self.manifest["files"][name]:
            raise corrupt(path, f"{name} was truncated or changed: the manifest has another hash", _REMAKE)
        return parquet_table(data)


def open_corpus(path: Path, *, several: bool = False) -> Corpus:
    """Open a corpus folder.

    Args: several: whether its functions may have more variables than x, or hold under assumptions.
    Raises: DataError when it holds no corpus, one that is not finished, or E458 one of several variables.
    """
    try:
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        if not isinstance(manifest, dict) or not manifest.keys() >= _NEEDED:
            raise ValueError("not the manifest of a corpus")
    except FileNotFoundError:
        raise _unfinished(path) from None
    except OSError as error:
        raise file_error(error, path, "read") from error
    except ValueError as error:
        raise corrupt(path / "manifest.json", "the manifest cannot be read", _REMAKE, 2) from error
    if manifest["format"] not in (FORMAT, SEVERAL, THEORY):
        raise DataError(
            f"this corpus is of layout {manifest['format']}, and {THEORY} is the newest that this version "
            "reads",
            path=path,
            remedy="A newer mathwb made it: update mathwb.",
            code="E325",
        )
    corpus = Corpus(path, manifest)
    if not several and manifest["format"] == THEORY:
        raise DataError(
            "this corpus is of another theory than real functions",
            path=path,
            remedy="Models and their evaluations take functions of x only: name such a corpus.",
            code="E458",
        )
    if not several and manifest["format"] == SEVERAL:
        raise DataError(
            f"this corpus has the variables {', '.join(corpus.variables)}, or holds under assumptions",
            path=path,
            remedy="Models and their evaluations take functions of x only: name such a corpus.",
            code="E458",
        )
    return corpus


def _unfinished(path: Path) -> DataError:
    if not (path / "plan.json").exists():
        return DataError(
            "there is no corpus here",
            path=path,
            remedy=f"Build one with: mathwb egen corpus --out {path}",
            code="E322",
        )
    plan = json.loads((path / "plan.json").read_text(encoding="utf-8"))
    done, total = len(stored_shards(path / "shards")), -(-plan["source"]["heads"] // plan["block"])
    return DataError(
        f"this corpus is not finished: {done} of {total} shards are there",
        path=path,
        remedy=f"Finish it with: mathwb egen corpus --out {path}",
        code="E324",
    )
