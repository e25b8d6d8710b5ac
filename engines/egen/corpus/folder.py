"""A corpus folder: its shards, written and read, and a finished corpus with its table of clusters, the
members of one, and who holds a function.

A shard is a Parquet file named by its content, complete from the moment it has a name. It holds the heads of
one block of the source, in order: one row per expression, and in the file's own metadata what is known of
each head and which heads were left out. Its name carries the block's number and the first digits of the
SHA-256 of its bytes, so that a file that was cut or changed is known without an index.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from engines.core.errors import DataError, EngineError
from engines.core.expression_language import LETTERS, VARIABLE, read_prefix, to_prefix, variables_of
from engines.core.files import file_error, write_bytes
from engines.core.tree import Tree
from engines.egen.records import Cluster
from engines.egen.settings import SplitName
from engines.mathematics.assumptions import order_variables, read_assumptions
from engines.mathematics.verification.verdicts import MemberVerdict

if TYPE_CHECKING:
    from engines.egen.theories.theory import Theory

FORMAT, SEVERAL, THEORY = 1, 2, 3
"""Versions of the layout of a corpus folder: of x alone, of several variables, with a `header`, of another
theory."""
BLOCK = 16
"""Heads in a shard: what a killed build loses at most for each of its workers."""

ROWS = pa.schema(
    [
        ("source", pa.int32()),
        ("member", pa.int32()),
        ("prefix", pa.string()),
        ("tokens", pa.int32()),
        ("verdict", pa.string()),
        ("kept", pa.float32()),
        ("gained", pa.bool_()),
        ("except", pa.string()),
    ]
)
"""`source` is the head's place in the source, `member` 0 is the head itself; `except` is empty in shards that
were written before there was such a column. `by`, the family of classical forms that made a member, is a
column where there is such a member."""

_NAME = re.compile(r"shard-(\d{5,})-([0-9a-f]{16})\.parquet\Z")
_KEY = b"mathwb.egen.shard"
_REDO = "Redo this shard alone"


@dataclass(frozen=True, slots=True)
class StoredMember:
    """A member as a shard has it: a text in its theory's prefix notation, its verdict against the head, and
    the family of classical forms that makes it."""

    prefix: str
    verdict: MemberVerdict
    by: str = ""

    @property
    def tokens(self) -> int:
        """The number of tokens."""
        return self.prefix.count(" ") + 1


@dataclass(frozen=True, slots=True)
class GrownHead:
    """A head with its expressions (`rows[0]` is the head) and how they came about; holds no times.

    `total_members` is a decimal string: it may exceed 64 bits.
    """

    source: int
    rows: tuple[StoredMember, ...]
    stop_reason: str
    iterations: int
    nodes: int
    classes: int
    total_members: str
    dropped: Mapping[str, int] = field(default_factory=dict)
    suspects: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """The head of the cluster, in prefix notation."""
        return self.rows[0].prefix

    @classmethod
    def from_cluster(cls, source: int, cluster: Cluster) -> GrownHead:
        """Return a grown cluster as it is stored."""
        stats = cluster.stats
        head = StoredMember(to_prefix(cluster.head), MemberVerdict("equal", 1.0))
        members = (StoredMember(member.prefix, member.verdict, member.by) for member in cluster.members)
        return cls(
            source,
            (head, *members),
            stats.stop_reason,
            stats.iterations,
            stats.nodes,
            stats.classes,
            str(stats.total_members),
            dict(sorted(stats.dropped.items())),
            stats.suspects,
        )


_FACTS = tuple(item.name for item in fields(GrownHead) if item.name != "rows")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A head that gave no cluster, and why."""

    source: int
    head: str
    reason: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A shard on the disk: its block, name, size and hash."""

    block: int
    name: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Shard:
    """The contents of a shard."""

    rows: pa.Table
    heads: tuple[Mapping[str, Any], ...]
    skipped: tuple[Skipped, ...]
    stored: Stored


def make_header(heads: Iterable[str], *assumed: str) -> dict[str, Any]:
    """Return the beginning of a plan and a manifest: the layout, and the variables if there are more than x.

    Assumptions count as variables too.

    >>> make_header(["sin x"], ""), make_header(["* a x", "+ x y"], "n integer")
    ({'format': 1}, {'format': 2, 'variables': ['x', 'y', 'a', 'n']})
    """
    names = {token for head in heads for token in head.split() if len(token) == 1 and token in LETTERS}
    for text in filter(None, assumed):
        names |= read_assumptions(text).variables
    if not names and not any(assumed):
        return {"format": FORMAT}
    return {"format": SEVERAL, "variables": list(order_variables(names))}


def theory_in(plan: Mapping[str, Any]) -> str:
    """Return the theory of a plan or a manifest."""
    return str(plan["config"].get("theory", "reals"))


def assumption_of(plan: Mapping[str, Any], number: int) -> str:
    """Return the assumption that a head was grown under; clusters that were saved one by one each have their
    own.
    """
    configs = plan.get("configs")
    config: Mapping[str, Any] = configs[number] if configs else plan["config"]
    return str(config.get("assume", ""))


def parquet_bytes(table: pa.Table) -> bytes:
    """Return the table as Parquet with every option fixed: equal tables give equal bytes."""
    sink = BytesIO()
    pq.write_table(
        table,
        sink,
        version="2.6",
        compression="zstd",
        compression_level=3,
        use_dictionary=True,
        write_statistics=False,
        row_group_size=1 << 20,
    )
    return sink.getvalue()


def parquet_table(data: bytes) -> pa.Table:
    """Return the table in the bytes of a Parquet file. It is small, so no threads are started for it."""
    return pq.ParquetFile(pa.BufferReader(data), pre_buffer=False).read(use_threads=False)


def write_shard(
    folder: Path, block: int, heads: Sequence[GrownHead], skipped: Iterable[Skipped] = ()
) -> Stored:
    """Write the shard of a block; it appears under its name only when it is complete."""
    named = any(row.by for head in heads for row in head.rows)
    # The column of classical forms exists only where a member was made by one.
    schema = ROWS.append(pa.field("by", pa.string())) if named else ROWS
    columns: dict[str, list[Any]] = {name: [] for name in schema.names}
    for head in heads:
        for number, row in enumerate(head.rows):
            of = row.verdict
            values = head.source, number, row.prefix, row.tokens
            verdict = of.outcome, of.kept_share, of.gained, of.exceptional_text
            for column, value in zip(columns.values(), (*values, *verdict, row.by), strict=named):
                column.append(value)
    note = {
        "block": block,
        "heads": [
            {name: getattr(head, name) for name in GrownHead.__slots__ if name != "rows"} for head in heads
        ],
        "skipped": [asdict(head) for head in skipped],
    }
    # What is true of whole clusters is kept in the schema's metadata, so that rows stay flat.
    table = pa.table(columns, schema=schema).replace_schema_metadata({_KEY: json.dumps(note, sort_keys=True)})
    data = parquet_bytes(table)
    # The name has the content's hash: equal shards of two machines have equal names.
    digest = sha256(data).hexdigest()
    name = f"shard-{block:05d}-{digest[:16]}.parquet"
    write_bytes(folder / name, data)
    return Stored(block, name, table.num_rows, len(data), digest)


def stored_shards(folder: Path) -> dict[int, Path]:
    """Return the shard files of a folder by block, whole or not; of two for one block, the first by name."""
    results: dict[int, Path] = {}
    for path in shard_files(folder):
        results.setdefault(int(path.name.split("-")[1]), path)
    return results


def shard_files(folder: Path) -> list[Path]:
    """Return every file of a folder that has a name such as `write_shard` gives, in order."""
    return sorted(path for path in folder.glob("shard-*.parquet") if _NAME.match(path.name))


def read_shard(path: Path) -> Shard:
    """Read a shard and check it against the hash in its name."""
    data, digest = _read_file(path)
    table = parquet_table(data)
    note = json.loads(table.schema.metadata[_KEY])
    for name in ("except", "by"):
        if name in table.column_names:
            continue
        table = table.append_column(name, pa.array([""] * table.num_rows))
    return Shard(
        table.replace_schema_metadata(None),
        tuple(note["heads"]),
        tuple(Skipped(**head) for head in note["skipped"]),
        Stored(note["block"], path.name, table.num_rows, len(data), digest),
    )


def check_shard(path: Path) -> None:
    """Raise DataError that names the shard and how to mend it when it is missing, cut or changed."""
    _read_file(path)


def _read_file(path: Path) -> tuple[bytes, str]:
    match = _NAME.match(path.name)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise corrupt_file_error(path, f"the shard {path.name} is missing", _REDO) from None
    except OSError as error:
        raise file_error(error, path, "read") from error
    digest = sha256(data).hexdigest()
    if match is None or not digest.startswith(match[2]):
        what = f"the shard {path.name} was truncated or changed: its content does not match its name"
        raise corrupt_file_error(path, what, _REDO)
    return data, digest


def corrupt_file_error(path: Path, what: str, mend: str, exit_code: int | None = None) -> DataError:
    """Return a file of a corpus that is missing or not as it was written; `mend`: what its build would do."""
    corpus = path.parent.parent if path.parent.name == "shards" else path.parent
    remedy = "It was not grown here: import or save it again, to another folder."
    if (corpus / "plan.json").exists():
        remedy = f"{mend} with: mathwb egen corpus --out {corpus}"
    return DataError(what, path=path, remedy=remedy, code="E320", exit_code=exit_code)


# A finished corpus.

_NEEDED = {"format", "source", "config", "shards", "files"}
# Shards in memory at a time; clusters are mostly read in order, so few suffice.
_KEPT_SHARDS = 4
_REMAKE = "Make it again from the shards"
_RELATED = 20
"""Functions with another domain that `find` looks at, at most."""


@dataclass(frozen=True, slots=True)
class ClusterMatch:
    """A cluster that holds a function. `verdict` judges what was looked for against the cluster's head;
    `member` is its place among the members when it is there up to the order of operands."""

    cluster: int
    head: str
    verdict: MemberVerdict
    member: int | None


class Corpus:
    """A finished corpus folder. Tables are read when asked for; a corrupt file is an explained error."""

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self._shards: dict[int, Shard] = {}

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of the corpus."""
        return tuple(self.manifest.get("variables", (VARIABLE,)))

    @property
    def letters(self) -> str:
        """The letters that expressions may have besides x; empty for a corpus of x alone."""
        return LETTERS if self.manifest["format"] == SEVERAL else ""

    @cached_property
    def theory(self) -> Theory:
        """The theory of the corpus."""
        from engines.egen.theories.registry import theory_of

        return theory_of(theory_in(self.manifest), "")

    def assumption_of_cluster(self, cluster: int) -> str:
        """Return the assumption that a cluster was grown under."""
        return assumption_of(self.manifest, cluster)

    def read_clusters(self) -> pa.Table:
        """Return one row per cluster, as `assemble.CLUSTERS` describes it."""
        return self._clusters

    @cached_property
    def _clusters(self) -> pa.Table:
        return self._read_table("clusters.parquet")

    def read_members(self, cluster: int) -> pa.Table:
        """Return the expressions of a cluster: cluster, member (0 is the head), prefix, tokens, verdict,
        kept, gained, except, by, source (the place in the source of the head that it was grown from).
        """
        if not 0 <= cluster < self._clusters.num_rows:
            remedy = f"They are numbered 0 to {self._clusters.num_rows - 1}."
            what = f"there is no cluster {cluster}"
            raise EngineError(what, where=str(self.path), remedy=remedy, code="E454")
        sources = self._clusters["merged_from"][cluster].as_py()
        repeated = self._clusters["duplicates"][cluster].as_py()
        parts = []
        for source in sources:
            rows = self._open_shard(source // BLOCK).rows
            parts.append(rows.filter(pc.equal(rows["source"], source)))
        table = pa.concat_tables(parts)
        if repeated:
            gone = set(repeated)
            table = table.take([index for index in range(table.num_rows) if index not in gone])
        count = table.num_rows
        numbers = {"cluster": [cluster] * count, "member": list(range(count))}
        columns = {name: pa.array(values, pa.int32()) for name, values in numbers.items()}
        for name in ("prefix", "tokens", "verdict", "kept", "gained", "except", "by", "source"):
            columns[name] = table[name]
        return pa.table(columns)

    def iterate_members(
        self, side: str = "all", split: SplitName = "paper"
    ) -> Iterator[tuple[int, pa.Table]]:
        """Yield every cluster with its members, in order, or those on one side of a split."""
        sides = self._clusters["split" if split == "paper" else "split_by_shape"].to_pylist()
        for cluster, here in enumerate(sides):
            if side in ("all", here):
                yield cluster, self.read_members(cluster)

    def find_clusters(self, tree: Tree) -> list[ClusterMatch]:
        """Return the clusters whose head is verified to be this function, then those equal to it on less."""
        from engines.egen.corpus.same_functions import compute_fingerprints, look_alike
        from engines.mathematics.verification.verifier import make_verifier

        if self.manifest["format"] == THEORY:
            return [*self._find_term(tree)]
        if not variables_of(tree) <= {*self.variables}:
            return []
        # Fingerprints are values at fixed points: few heads can be equal, and only these are verified.
        prints = self._prints
        one = compute_fingerprints([tree], self.variables)[0]
        alike = look_alike(one, prints)
        alike += np.flatnonzero(np.isnan(prints).all(axis=1)).tolist()  # assumed to hold at no such point
        related = [n for n in look_alike(one, prints, same_domain=False) if n not in alike]
        results: list[ClusterMatch] = []
        for cluster in alike + related[:_RELATED]:
            head = self._clusters["head"][cluster].as_py()
            judge = make_verifier(
                read_prefix(head, LETTERS),
                tree,
                assumptions=read_assumptions(self.assumption_of_cluster(cluster)),
            )
            (verdict,) = judge.judge_members([tree])
            if verdict.outcome in ("equal", "extends", "shrinks"):
                results.append(ClusterMatch(cluster, head, verdict, self._find_member(cluster, tree)))
        return sorted(results, key=lambda match: match.verdict.outcome != "equal")

    def _find_term(self, tree: Tree) -> Iterator[ClusterMatch]:
        from engines.egen.theories.theory import compare_term

        judge, text = self.theory.make_judge(tree), self.theory.to_row(tree)["prefix"]
        for cluster, head in enumerate(self._clusters["head"].to_pylist()):
            verdict = compare_term(judge, self.theory.read_term(head, "prefix"))
            if verdict.outcome == "equal":
                yield ClusterMatch(cluster, head, verdict, self._find_member(cluster, tree))
            elif verdict.outcome == "undecided":  # it may stand there as it is written
                texts = self.read_members(cluster)["prefix"].to_pylist()
                if text in texts:
                    yield ClusterMatch(cluster, head, verdict, texts.index(text))

    def _find_member(self, cluster: int, tree: Tree) -> int | None:
        from engines.mathematics.terms.canonical import Subterms

        terms = Subterms(self.theory.arity)
        forms = self.theory.make_forms(terms)
        wanted = forms.key_of(terms.number_of(tree.list_labels()))
        texts = self.read_members(cluster)["prefix"].to_pylist()
        return next(
            (n for n, text in enumerate(texts) if forms.key_of(terms.number_of(text.split())) == wanted), None
        )

    @cached_property
    def _prints(self) -> Any:
        column = self._read_table("fingerprints.parquet")["print"].combine_chunks()
        return column.flatten().to_numpy().reshape(len(column), -1)

    def check_shards(self) -> None:
        """Raise DataError for the first shard that is missing, cut or changed; reads every one."""
        for entry in self.manifest["shards"]:
            check_shard(self.path / "shards" / entry["name"])

    def _open_shard(self, block: int) -> Shard:
        if block not in self._shards:
            shard = read_shard(self.path / "shards" / self.manifest["shards"][block]["name"])
            while len(self._shards) >= _KEPT_SHARDS:
                self._shards.pop(next(iter(self._shards)))
            self._shards[block] = shard
        return self._shards[block]

    def _read_table(self, name: str) -> pa.Table:
        path = self.path / name
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise corrupt_file_error(path, f"{name} is missing", _REMAKE) from None
        if sha256(data).hexdigest() != self.manifest["files"][name]:
            raise corrupt_file_error(
                path, f"{name} was truncated or changed: the manifest has another hash", _REMAKE
            )
        return parquet_table(data)


def open_corpus(path: Path, *, several: bool = False) -> Corpus:
    """Open a corpus folder.

    Args:
        several: Whether its functions may have more variables than x, or hold under assumptions.

    Raises:
        DataError: When it holds no corpus, one that is not finished, or E458 one of several variables.
    """
    try:
        manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        if not isinstance(manifest, dict) or not manifest.keys() >= _NEEDED:
            raise ValueError("not the manifest of a corpus")
    except FileNotFoundError:
        raise _unfinished_error(path) from None
    except OSError as error:
        raise file_error(error, path, "read") from error
    except ValueError as error:
        raise corrupt_file_error(path / "manifest.json", "the manifest cannot be read", _REMAKE, 2) from error
    layout = manifest["format"]
    if layout not in (FORMAT, SEVERAL, THEORY):
        what = f"this corpus is of layout {layout}, and {THEORY} is the newest that this version reads"
        raise DataError(what, path=path, remedy="A newer mathwb made it: update mathwb.", code="E325")
    corpus = Corpus(path, manifest)
    if not several and layout != FORMAT:
        what = f"this corpus has the variables {', '.join(corpus.variables)}, or holds under assumptions"
        if layout == THEORY:
            what = "this corpus is of another theory than real functions"
        remedy = "Models and their evaluations take functions of x only: name such a corpus."
        raise DataError(what, path=path, remedy=remedy, code="E458")
    return corpus


def _unfinished_error(path: Path) -> DataError:
    if not (path / "plan.json").exists():
        remedy = f"Build one with: mathwb egen corpus --out {path}"
        return DataError("there is no corpus here", path=path, remedy=remedy, code="E322")
    plan = json.loads((path / "plan.json").read_text(encoding="utf-8"))
    done, total = len(stored_shards(path / "shards")), -(-plan["source"]["heads"] // plan["block"])
    what = f"this corpus is not finished: {done} of {total} shards are there"
    remedy = f"Finish it with: mathwb egen corpus --out {path}"
    return DataError(what, path=path, remedy=remedy, code="E324")
