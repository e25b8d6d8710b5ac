"""Segments: parts of an index of formulas, written apart, merged on the disk.

A segment holds some formulas and what is needed to find them; an index is a segment of all of them, with
what only all together say (weights). Merging reads each segment block by block, so that an index of millions
of formulas takes no more memory than a number or two for each. A formula that is merged may come from an
older index: what changed is then read anew, and the rest is taken from there.

    features.npy        uint64, hashes of the features, ascending
    starts.npy          int64, where the postings of each feature begin; one more
    looks.npy           int32, the look of each posting; counts.npy uint16, how often it has the feature
    hashes.npy          uint64, what tells looks apart
    looks.arrow         latex, visual_id, error (whether the tree has an error node)
    formulas.arrow      id, post, kind, line, file (row of the index's list), field (row of fields), look
    fields.arrow        post, name, text
    keys*.npy           see `equal_formulas`
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from engines.core.arrays import ShortFloats
from engines.core.files import write_array
from engines.formula.operator_tree import FEATURES_VERSION, count_features
from engines.formula.operator_tree_parser import search_tree

if TYPE_CHECKING:
    from engines.mathamr.retrieval.equal_formulas import ValueKeys

VERSION = f"{FEATURES_VERSION}.2"
"""Of indexes: of the features, and of the files."""
BLOCK = 4_000_000
"""Postings that are merged at once, unless one feature has more: 300 million bytes."""
_ROWS = 65_536
"""Rows of a table that are written at once."""
_CACHED = 200_000
"""Features whose hashes are remembered."""

_FORMULAS = pa.schema(
    [
        ("id", pa.large_string()),
        ("post", pa.large_string()),
        ("kind", pa.large_string()),
        ("line", pa.int32()),
        ("file", pa.int32()),
        ("field", pa.int32()),
        ("look", pa.int32()),
    ]
)
_LOOKS = pa.schema([("latex", pa.large_string()), ("visual_id", pa.large_string()), ("error", pa.bool_())])
_FIELDS = pa.schema([(name, pa.large_string()) for name in ("post", "name", "text")])


def hash_feature(feature: str) -> int:
    """Return the first eight bytes of a BLAKE2b hash of a feature, as its number."""
    return int.from_bytes(blake2b(feature.encode(), digest_size=8).digest(), "little")


def compute_rarity(holders: NDArray[Any], looks: int) -> ShortFloats:
    """Return the weight of a feature that so many looks have: BM25's inverse document frequency."""
    return np.log1p((looks - holders + 0.5) / (holders + 0.5)).astype(np.float32)


class Segment:
    """Collects formulas, and writes them as a segment."""

    def __init__(self, keys: ValueKeys | None = None, *, by_tree: bool = False) -> None:
        """Args: keys: collects keys of values too. by_tree: what has no visual id is told apart by its tree,
        not by its LaTeX."""
        self._keys, self._by_tree = keys, by_tree
        self._of_latex: dict[str, int] = {}
        self._numbers: dict[str, int] = {}
        self._looks: list[tuple[str, str, bool]] = []
        self._formulas: list[tuple[str, str, str, int, int, int, int]] = []
        self._fields: list[tuple[str, str, str]] = []
        self._ids, self._documents, self._counts = array("Q"), array("i"), array("H")
        self._known: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._looks)

    def add_look(self, latex: str, visual_id: str = "") -> int:
        """Return the number of what formulas that look like this have in common."""
        known = self._of_latex.get(latex) if self._by_tree else None
        if known is not None:
            return known
        tree = search_tree(latex) if self._by_tree else None
        key = f"v{visual_id}" if visual_id else f"l{latex}" if tree is None else f"t{tree.sort_operands()}"
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._looks)
            tree = tree or search_tree(latex)
            self._looks.append((latex, visual_id, bool(tree.list_errors())))
            self._add_postings(count_features(tree), number)
            if self._keys is not None:
                self._keys.add_formula(latex)
        if self._by_tree:
            self._of_latex[latex] = number
        return number

    def _add_postings(self, feature_counts: Counter[str], look: int) -> None:
        known = self._known
        for feature, count in feature_counts.items():
            number = known.get(feature)
            if number is None:
                number = hash_feature(feature)
                if len(known) < _CACHED:
                    known[feature] = number
            self._ids.append(number)
            self._documents.append(look)
            self._counts.append(min(count, 65_535))

    def add_field(self, post: str, name: str, text: str) -> int:
        """Return a text in which formulas stand; the same as the last one is that."""
        if not self._fields or self._fields[-1] != (post, name, text):
            self._fields.append((post, name, text))
        return len(self._fields) - 1

    def add_formula(
        self, look: int, id_: str, post: str, kind: str, *, line: int = 0, file: int = -1, field: int = -1
    ) -> None:
        """Add a formula: its id, its post, where it stands, and its look."""
        self._formulas.append((id_, post, kind, line, file, field, look))

    def write_files(self, folder: Path, *, fields: bool = True) -> None:
        """Write the segment as files into a folder.

        Args:
            fields: False if fields are numbered for all segments, and none holds them.
        """
        folder.mkdir(parents=True, exist_ok=True)
        ids = np.frombuffer(self._ids, np.uint64)
        # Sorting by feature puts the postings of each feature together, in the order of the looks.
        order = np.argsort(ids, kind="stable")
        names, starts = np.unique(ids[order], return_index=True)
        write_array(folder / "features.npy", names)
        write_array(folder / "starts.npy", np.append(starts, len(ids)).astype(np.int64))
        write_array(folder / "looks.npy", np.frombuffer(self._documents, np.int32)[order])
        write_array(folder / "counts.npy", np.frombuffer(self._counts, np.uint16)[order])
        write_array(folder / "hashes.npy", np.array([hash_feature(key) for key in self._numbers], np.uint64))
        write_table(folder / "looks.arrow", _LOOKS, self._looks)
        write_table(folder / "formulas.arrow", _FORMULAS, self._formulas)
        if fields:
            write_fields(folder, self._fields)
        if self._keys is not None:
            self._keys.write_arrays(folder)


class TableWriter:
    """Writes a table that is read without being loaded, some thousand rows at once."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._file = pa.OSFile(str(path), "wb")
        self._writer = pa.ipc.new_file(self._file, schema)
        self._waiting: list[pa.RecordBatch] = []
        self._rows = 0

    def write_batch(self, batch: pa.RecordBatch) -> None:
        """Add rows, and write them once there are enough."""
        self._waiting.append(batch)
        self._rows += len(batch)
        if self._rows >= _ROWS:
            self._flush_rows()

    def _flush_rows(self) -> None:
        if self._waiting:
            for batch in pa.Table.from_batches(self._waiting).combine_chunks().to_batches():
                self._writer.write_batch(batch)
        self._waiting, self._rows = [], 0

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self._flush_rows()
        self._writer.close()
        self._file.close()


def write_fields(folder: Path, rows: Iterable[tuple[str, str, str]]) -> None:
    """Write the fields of an index, numbered in their order."""
    write_table(folder / "fields.arrow", _FIELDS, rows)


def write_table(path: Path, schema: pa.Schema, rows: Iterable[tuple[Any, ...]]) -> None:
    """Write rows as an Arrow file."""
    with TableWriter(path, schema) as table:
        waiting = iter(rows)
        while part := list(islice(waiting, _ROWS)):
            columns = zip(zip(*part, strict=True), schema, strict=True)
            table.write_batch(
                pa.record_batch([pa.array(each, one.type) for each, one in columns], schema=schema)
            )


def read_batches(path: Path) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a table, some at once."""
    with pa.memory_map(str(path)) as file:
        reader = pa.ipc.open_file(file)
        for number in range(reader.num_record_batches):
            yield reader.get_batch(number)


class _StoredColumn:
    """An array on the disk that is read in pieces, without being mapped."""

    def __init__(self, path: Path) -> None:
        held = np.load(path, mmap_mode="r")
        self._path, self._kind, self._at, self._count = path, held.dtype, held.offset, len(held)

    def __len__(self) -> int:
        return self._count

    def read_values(self, begin: int = 0, end: int | None = None) -> NDArray[Any]:
        count = (self._count if end is None else end) - begin
        if count <= 0:
            return np.zeros(0, self._kind)
        return np.fromfile(self._path, self._kind, count, offset=self._at + begin * self._kind.itemsize)


class _GrowingArray:
    """An array on the disk that is written in pieces; its length stands in its head at the end."""

    def __init__(self, path: Path, kind: type[np.generic]) -> None:
        self._file, self._kind, self.count = path.open("wb"), np.dtype(kind), 0
        self._write_head(10**15)

    def _write_head(self, count: int) -> None:
        about = {"descr": self._kind.str, "fortran_order": False, "shape": (count,)}
        np.lib.format.write_array_header_1_0(self._file, about)

    def append_values(self, values: NDArray[Any]) -> None:
        self._file.write(np.ascontiguousarray(values, self._kind).tobytes())
        self.count += len(values)

    def __enter__(self) -> _GrowingArray:
        return self

    def __exit__(self, *_: object) -> None:
        # Heads are filled up to 128 bytes, so that any number takes the same room.
        self._file.seek(0)
        self._write_head(self.count)
        self._file.close()


@dataclass(frozen=True, slots=True)
class SegmentSource:
    """A segment to merge. Attributes: kept: of its formulas those that are, None: all. files: the new number
    of each file; None: they stay."""

    folder: Path
    kept: NDArray[np.bool_] | None = None
    files: NDArray[np.int32] | None = None


def merge_segments(sources: Sequence[SegmentSource], out: Path) -> dict[str, int]:
    """Write an index of the formulas of all sources, in their order.

    Returns:
        Formulas, looks, features, postings, with_error_nodes, without_context. Looks keep the order in which
        they come first.
    """
    # `numbers` maps the looks of each source to their numbers in the merged index; `first` says which are
    # new.
    numbers, first, looks = _number_looks(sources)
    counts = _merge_postings(
        sources, [np.where(f, n, -1) for f, n in zip(first, numbers, strict=True)], looks, out
    )
    errors = 0
    with (
        TableWriter(out / "looks.arrow", _LOOKS) as table,
        _GrowingArray(out / "hashes.npy", np.uint64) as hashes,
    ):
        # A look that several sources have is written from the first.
        for source, new in zip(sources, first, strict=True):
            hashes.append_values(_StoredColumn(source.folder / "hashes.npy").read_values()[new])
            offset = 0
            for batch in read_batches(source.folder / "looks.arrow"):
                batch_ = batch.filter(pa.array(new[offset : offset + len(batch)]))
                errors += batch_["error"].true_count
                table.write_batch(batch_)
                offset += len(batch)
    looks_of_formulas, without_context = _merge_tables(sources, numbers, out)
    _merge_keys(sources, numbers, first, out)
    # The formulas of each look, and where they begin.
    order = np.argsort(looks_of_formulas, kind="stable").astype(np.int32)
    write_array(out / "members.npy", order)
    write_array(
        out / "firsts.npy",
        np.append(0, np.cumsum(np.bincount(looks_of_formulas, minlength=looks))).astype(np.int64),
    )
    return {
        "formulas": len(looks_of_formulas),
        "looks": looks,
        **counts,
        "with_error_nodes": errors,
        "without_context": without_context,
    }


def _number_looks(
    sources: Sequence[SegmentSource],
) -> tuple[list[NDArray[np.int32]], list[NDArray[np.bool_]], int]:
    """Return the new number of each look of each source (-1: none of its formulas is kept), whether that
    source is the first to have it, and how many there are.
    """
    used, parts = [], []
    for source in sources:
        hashes = _StoredColumn(source.folder / "hashes.npy").read_values()
        # Looks of which at least one formula is kept.
        here = np.ones(len(hashes), bool)
        if source.kept is not None:
            column = (batch["look"].to_numpy() for batch in read_batches(source.folder / "formulas.arrow"))
            held = np.concatenate([np.zeros(0, np.int32), *column])[source.kept]
            here = np.bincount(held, minlength=len(hashes)) > 0
        used.append(here)
        parts.append(hashes[here])
    # Equal hashes are the same look, and the numbers follow the first occurrences.
    known, at, inverse = np.unique(np.concatenate(parts), return_index=True, return_inverse=True)
    number = np.empty(len(known), np.int32)
    number[np.argsort(at, kind="stable")] = np.arange(len(known), dtype=np.int32)
    numbers, first, begin = [], [], 0
    for here, part in zip(used, parts, strict=True):
        own = inverse[begin : begin + len(part)]
        of, new = np.full(len(here), -1, np.int32), np.zeros(len(here), bool)
        of[here] = number[own]
        # A look is new to the source in which it occurs first.
        new[here] = at[own] == np.arange(begin, begin + len(part))
        numbers.append(of)
        first.append(new)
        begin += len(part)
    return numbers, first, len(known)


def _merge_postings(
    sources: Sequence[SegmentSource], numbers: Sequence[NDArray[np.int32]], looks: int, out: Path
) -> dict[str, int]:
    columns = [
        {
            name: _StoredColumn(source.folder / f"{name}.npy")
            for name in ("features", "starts", "looks", "counts")
        }
        for source in sources
    ]
    blocks = max(1, -(-sum(len(one["looks"]) for one in columns) // BLOCK))
    # Cut the range of hashes into blocks, so that each block fits into memory; every source has its part.
    bounds = np.array([number * 2**64 // blocks for number in range(1, blocks)], np.uint64)
    cuts = [
        [0, *np.searchsorted(one["features"].read_values(), bounds).tolist(), len(one["features"])]
        for one in columns
    ]
    masses = np.zeros(looks)
    with (
        _GrowingArray(out / "features.npy", np.uint64) as features_,
        _GrowingArray(out / "starts.npy", np.int64) as starts,
        _GrowingArray(out / "looks.npy", np.int32) as documents,
        _GrowingArray(out / "counts.npy", np.uint16) as counts,
    ):
        for block in range(blocks):
            parts = [
                _read_postings(one, cut[block], cut[block + 1], number)
                for one, cut, number in zip(columns, cuts, numbers, strict=True)
            ]
            ids, rows, occurrences = (np.concatenate([part[column] for part in parts]) for column in range(3))
            # A look is in one source alone, and later ones have higher numbers: a feature's stay in order.
            order = np.argsort(ids, kind="stable")
            ids, rows, occurrences = ids[order], rows[order], occurrences[order]
            # `begins` is where each feature's postings begin within the block.
            begins = np.flatnonzero(np.append(len(ids) > 0, ids[1:] != ids[:-1]))
            holders = np.diff(np.append(begins, len(ids)))
            # The mass of a look is the weight of all its features, for Tversky's index.
            weights = np.repeat(compute_rarity(holders, looks), holders) * occurrences
            masses += np.bincount(rows, weights, looks)
            features_.append_values(ids[begins])
            starts.append_values(begins + documents.count)
            documents.append_values(rows)
            counts.append_values(occurrences)
        starts.append_values(np.array([documents.count]))
    write_array(out / "masses.npy", masses.astype(np.float32))
    return {"features": features_.count, "postings": documents.count}


def _read_postings(
    held: Mapping[str, _StoredColumn], begin: int, end: int, numbers: NDArray[np.int32]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    starts = held["starts"].read_values(begin, end + 1)
    first, last = (int(starts[0]), int(starts[-1])) if end > begin else (0, 0)
    ids = np.repeat(held["features"].read_values(begin, end), np.diff(starts) if end > begin else 0)
    rows = numbers[held["looks"].read_values(first, last)]
    kept = rows >= 0
    return ids[kept], rows[kept], held["counts"].read_values(first, last)[kept]


def _merge_tables(
    sources: Sequence[SegmentSource], numbers: Sequence[NDArray[np.int32]], out: Path
) -> tuple[NDArray[np.int32], int]:
    looks, without, fields = [np.zeros(0, np.int32)], 0, 0
    has_fields = any((source.folder / "fields.arrow").exists() for source in sources)
    texts = TableWriter(out / "fields.arrow", _FIELDS) if has_fields else None
    with TableWriter(out / "formulas.arrow", _FORMULAS) as table:
        for source, number in zip(sources, numbers, strict=True):
            # Rows of files that are no longer there are dropped by the mask.
            rows = [batch for batch in read_batches(source.folder / "formulas.arrow") if len(batch)]
            offset = 0
            kept: list[pa.RecordBatch] = []
            for batch in rows:
                mask = source.kept
                kept.append(
                    batch if mask is None else batch.filter(pa.array(mask[offset : offset + len(batch)]))
                )
                offset += len(batch)
            renumbered = None
            if texts is not None:
                renumbered = _merge_fields(source, kept, texts, fields)
                fields += int((renumbered >= 0).sum())
            for batch in kept:
                field_column = batch["field"].to_numpy()
                # Fields, files and looks have numbers of their own in each source; renumber them.
                if renumbered is not None and len(renumbered):
                    field_column = np.where(field_column >= 0, renumbered[np.maximum(field_column, 0)], -1)
                file = batch["file"].to_numpy()
                if source.files is not None and len(source.files):
                    file = np.where(file >= 0, source.files[np.maximum(file, 0)], -1)
                look = number[batch["look"].to_numpy()]
                looks.append(look)
                without += int((field_column < 0).sum())
                columns = {"line": batch["line"], "file": file, "field": field_column, "look": look}
                arrays = [
                    pa.array(columns[one.name], pa.int32()) if one.name in columns else batch[one.name]
                    for one in _FORMULAS
                ]
                table.write_batch(pa.record_batch(arrays, schema=_FORMULAS))
    if texts is not None:
        texts.__exit__()
    return np.concatenate(looks), without


def _merge_fields(
    source: SegmentSource, kept: Sequence[pa.RecordBatch], texts: TableWriter, before: int
) -> NDArray[np.int32]:
    """Write the fields of a source in which kept formulas stand.

    Returns:
        The new number of each, or -1.
    """
    path = source.folder / "fields.arrow"
    result = list(read_batches(path)) if path.exists() else []
    count = sum(map(len, result))
    used = np.zeros(count + 1, bool)
    for batch in kept:
        used[batch["field"].to_numpy()] = True
    used = used[:-1]  # -1 is no field
    at = 0
    for batch in result:
        texts.write_batch(batch.filter(pa.array(used[at : at + len(batch)])))
        at += len(batch)
    return np.where(used, np.cumsum(used) - 1 + before, -1).astype(np.int32)


def _merge_keys(
    sources: Sequence[SegmentSource],
    numbers: Sequence[NDArray[np.int32]],
    first: Sequence[NDArray[np.bool_]],
    out: Path,
) -> None:
    if not all((source.folder / "keys.npy").exists() for source in sources):
        return
    names = ("keys", "keys_looks", "keys_shares")
    parts = []
    for source, number, new in zip(sources, numbers, first, strict=True):
        # Keys of a look are taken from the source that has it first, so that none is stored twice.
        keys, looks, shares = (_StoredColumn(source.folder / f"{name}.npy").read_values() for name in names)
        here = new[looks]
        parts.append((keys[here], number[looks[here]], shares[here]))
    columns = [np.concatenate([part[column] for part in parts]) for column in range(3)]
    order = np.argsort(columns[0], kind="stable")
    for name, column in zip(names, columns, strict=True):
        write_array(out / f"{name}.npy", column[order])
