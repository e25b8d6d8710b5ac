"""A corpus on disk: Parquet shards named by their content, complete from the moment they have a name.

A shard holds the heads of one block of the source, in order: one row per expression, and in the file's own
metadata what is known of each head and which heads were left out. Its name carries the block's number and the
first digits of the SHA-256 of its bytes, so that a file that was cut or changed is known without an index.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engines.core.errors import DataError
from engines.core.files import write_bytes
from engines.core.tree import Tree
from engines.egen.language import prefix, tokens
from engines.egen.records import Cluster, Verdict

__all__ = [
    "BLOCK",
    "FORMAT",
    "ROWS",
    "GrownHead",
    "Row",
    "Shard",
    "Skipped",
    "Stored",
    "mending",
    "parquet_bytes",
    "parquet_table",
    "read_shard",
    "stored_shards",
    "write_shard",
]

FORMAT = 1
"""Version of the layout of a corpus folder."""
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
    ]
)
"""`source` is the head's place in the source, `member` 0 is the head itself."""

_NAME = re.compile(r"shard-(\d{5,})-([0-9a-f]{16})\.parquet\Z")
_KEY = b"mathwb.egen.shard"


@dataclass(frozen=True, slots=True)
class Row:
    """An expression in generator prefix notation with its verdict against the head."""

    prefix: str
    tokens: int
    verdict: str
    kept: float
    gained: bool

    @classmethod
    def of(cls, tree: Tree, verdict: Verdict) -> Row:
        """An expression as it was judged."""
        return cls(prefix(tree), tokens(tree), verdict.outcome, verdict.kept, verdict.gained)


@dataclass(frozen=True, slots=True)
class GrownHead:
    """A head with its expressions (`rows[0]` is the head) and how they came about; holds no times.

    `total_members` is a decimal string: it may exceed 64 bits.
    """

    source: int
    rows: tuple[Row, ...]
    stop_reason: str
    iterations: int
    nodes: int
    classes: int
    total_members: str
    dropped: Mapping[str, int] = field(default_factory=dict)
    suspects: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        """The head in generator prefix notation."""
        return self.rows[0].prefix

    @classmethod
    def of(cls, source: int, cluster: Cluster) -> GrownHead:
        """What a shard keeps of a generated cluster."""
        stats = cluster.stats
        head = Row.of(cluster.head, Verdict("equal", 1.0))
        return cls(
            source,
            (head, *(Row.of(member.tree, member.verdict) for member in cluster.members)),
            stats.stop_reason,
            stats.iterations,
            stats.nodes,
            stats.classes,
            str(stats.total_members),
            dict(sorted(stats.dropped.items())),
            stats.suspects,
        )


@dataclass(frozen=True, slots=True)
class Skipped:
    """A head that was left out, and why."""

    source: int
    head: str
    reason: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A shard file as the manifest lists it; `bytes` is its size."""

    block: int
    name: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Shard:
    """A shard that was read: its rows, and its heads without their rows."""

    rows: pa.Table
    heads: tuple[Mapping[str, Any], ...]
    skipped: tuple[Skipped, ...]
    stored: Stored


def parquet_bytes(table: pa.Table) -> bytes:
    """The table as Parquet with every option fixed: equal tables give equal bytes."""
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
    """The table in the bytes of a Parquet file. It is small, so no threads are started for it."""
    return pq.ParquetFile(pa.BufferReader(data), pre_buffer=False).read(use_threads=False)


def write_shard(
    folder: Path, block: int, heads: Sequence[GrownHead], skipped: Iterable[Skipped] = ()
) -> Stored:
    """Write the shard of a block; it appears under its name only when it is complete."""
    columns: dict[str, list[Any]] = {name: [] for name in ROWS.names}
    for head in heads:
        for number, row in enumerate(head.rows):
            for name, value in (("source", head.source), ("member", number), *_fields(row)):
                columns[name].append(value)
    note = {
        "block": block,
        "heads": [{k: v for k, v in asdict(head).items() if k != "rows"} for head in heads],
        "skipped": [asdict(head) for head in skipped],
    }
    table = pa.table(columns, schema=ROWS).replace_schema_metadata({_KEY: json.dumps(note, sort_keys=True)})
    data = parquet_bytes(table)
    digest = sha256(data).hexdigest()
    name = f"shard-{block:05d}-{digest[:16]}.parquet"
    write_bytes(folder / name, data)
    return Stored(block, name, table.num_rows, len(data), digest)


def _fields(row: Row) -> Iterable[tuple[str, Any]]:
    return ((name, getattr(row, name)) for name in Row.__slots__)


def stored_shards(folder: Path) -> dict[int, Path]:
    """The shard files of a folder by block, undamaged or not; of two for one block, the first by name."""
    found: dict[int, Path] = {}
    for path in sorted(folder.glob("shard-*.parquet")):
        match = _NAME.match(path.name)
        if match:
            found.setdefault(int(match[1]), path)
    return found


def read_shard(path: Path) -> Shard:
    """Read a shard whole.

    Raises: DataError that names the shard and how to mend it when it is missing, cut or changed.
    """
    match = _NAME.match(path.name)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise _damaged(path, "is missing") from None
    digest = sha256(data).hexdigest()
    if match is None or not digest.startswith(match[2]):
        raise _damaged(path, "was cut or changed: its content does not match its name")
    table = parquet_table(data)
    note = json.loads(table.schema.metadata[_KEY])
    return Shard(
        table.replace_schema_metadata(None),
        tuple(note["heads"]),
        tuple(Skipped(**head) for head in note["skipped"]),
        Stored(note["block"], path.name, table.num_rows, len(data), digest),
    )


def mending(corpus: Path, first: str) -> str:
    """What to do about a damaged corpus folder: `first` and the command, when it was grown there."""
    if (corpus / "plan.json").exists():
        return f"{first} with: mathwb egen corpus --out {corpus}"
    return "It was not grown here: import or save it again, into another folder."


def _damaged(path: Path, what: str) -> DataError:
    return DataError(
        f"the shard {path.name} {what}",
        path=path,
        remedy=mending(path.parent.parent, "Redo this shard alone"),
        code="E320",
        exit_code=3,
    )
