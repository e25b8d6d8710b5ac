"""A corpus on disk: Parquet shards named by their content, complete from the moment they have a name.

A shard holds the heads of one block of the source, in order: one row per expression, and in the file's own
metadata what is known of each head and which heads were left out. Its name carries the block's number and the
first digits of the SHA-256 of its bytes, so that a file that was cut or changed is known without an index.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engines.core.errors import DataError
from engines.core.files import file_error, write_bytes
from engines.egen.expressions.language import LETTERS, prefix
from engines.egen.records import Cluster, Member, Verdict
from engines.egen.theories.theory import ordered, read_assumptions

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
class GrownHead:
    """A head with its expressions (`rows[0]` is the head) and how they came about; holds no times.

    `total_members` is a decimal string: it may exceed 64 bits.
    """

    source: int
    rows: tuple[Member, ...]
    stop_reason: str
    iterations: int
    nodes: int
    classes: int
    total_members: str
    dropped: Mapping[str, int] = field(default_factory=dict)
    suspects: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        return self.rows[0].prefix

    @classmethod
    def of(cls, source: int, cluster: Cluster) -> GrownHead:
        stats = cluster.stats
        head = Member(prefix(cluster.head), Verdict("equal", 1.0))
        return cls(
            source,
            (head, *cluster.members),
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
    source: int
    head: str
    reason: str


@dataclass(frozen=True, slots=True)
class Stored:
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


def header(heads: Iterable[str], *assumed: str) -> dict[str, Any]:
    """What a plan and a manifest begin with: the layout, and for heads of more than x, or under assumptions,
    the variables of all of them.

    >>> header(["sin x"], ""), header(["* a x", "+ x y"], "n integer")
    ({'format': 1}, {'format': 2, 'variables': ['x', 'y', 'a', 'n']})
    """
    names = {token for head in heads for token in head.split() if len(token) == 1 and token in LETTERS}
    for text in filter(None, assumed):
        names |= read_assumptions(text).variables
    if not names and not any(assumed):
        return {"format": FORMAT}
    return {"format": SEVERAL, "variables": list(ordered(names))}


def theory_in(plan: Mapping[str, Any]) -> str:
    """Which theory a plan or manifest names."""
    return str(plan["config"].get("theory", "reals"))


def assumption(plan: Mapping[str, Any], number: int) -> str:
    """Under what a head was grown; those that were saved one by one each have their own."""
    configs = plan.get("configs")
    config: Mapping[str, Any] = configs[number] if configs else plan["config"]
    return str(config.get("assume", ""))


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
    named = any(row.by for head in heads for row in head.rows)
    schema = ROWS.append(pa.field("by", pa.string())) if named else ROWS
    columns: dict[str, list[Any]] = {name: [] for name in schema.names}
    for head in heads:
        for number, row in enumerate(head.rows):
            of = row.verdict
            values = head.source, number, row.prefix, row.tokens
            verdict = of.outcome, of.kept, of.gained, of.exceptions
            for column, value in zip(columns.values(), (*values, *verdict, row.by), strict=named):
                column.append(value)
    note = {
        "block": block,
        "heads": [
            {name: getattr(head, name) for name in GrownHead.__slots__ if name != "rows"} for head in heads
        ],
        "skipped": [asdict(head) for head in skipped],
    }
    table = pa.table(columns, schema=schema).replace_schema_metadata({_KEY: json.dumps(note, sort_keys=True)})
    data = parquet_bytes(table)
    digest = sha256(data).hexdigest()
    name = f"shard-{block:05d}-{digest[:16]}.parquet"
    write_bytes(folder / name, data)
    return Stored(block, name, table.num_rows, len(data), digest)


def stored_shards(folder: Path) -> dict[int, Path]:
    """The shard files of a folder by block, whole or not; of two for one block, the first by name."""
    found: dict[int, Path] = {}
    for path in shard_files(folder):
        found.setdefault(int(path.name.split("-")[1]), path)
    return found


def shard_files(folder: Path) -> list[Path]:
    """Every file of a folder that has a name such as `write_shard` gives, in order."""
    return sorted(path for path in folder.glob("shard-*.parquet") if _NAME.match(path.name))


def read_shard(path: Path) -> Shard:
    data, digest = _whole(path)
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
    _whole(path)


def _whole(path: Path) -> tuple[bytes, str]:
    match = _NAME.match(path.name)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise corrupt(path, f"the shard {path.name} is missing", _REDO) from None
    except OSError as error:
        raise file_error(error, path, "read") from error
    digest = sha256(data).hexdigest()
    if match is None or not digest.startswith(match[2]):
        what = f"the shard {path.name} was truncated or changed: its content does not match its name"
        raise corrupt(path, what, _REDO)
    return data, digest


def corrupt(path: Path, what: str, mend: str, exit_code: int | None = None) -> DataError:
    """A file of a corpus that is missing or not as it was written; `mend`: what its build would do."""
    corpus = path.parent.parent if path.parent.name == "shards" else path.parent
    remedy = "It was not grown here: import or save it again, to another folder."
    if (corpus / "plan.json").exists():
        remedy = f"{mend} with: mathwb egen corpus --out {corpus}"
    return DataError(what, path=path, remedy=remedy, code="E320", exit_code=exit_code)
