"""Embedding the expressions of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from engines.core.errors import DataError, ExpressionError
from engines.core.events import Sink, Stop, ignore, never, warn_of_lines
from engines.core.spec import Arg, refused, share_of
from engines.egen.models.lookup import ModelFolder

if TYPE_CHECKING:
    from engines.egen.corpus.sources import BadLine
    from engines.retrieval.similarity import Vectors

__all__ = ["Embed", "Embedded", "embed", "plain_prefix", "settled"]


@dataclass(frozen=True, slots=True)
class Embed:
    """Embed a file of expressions: one row of numbers each, in the order of the lines.

    A line that cannot be read gives a row of nan; such lines are counted and named.
    """

    model: ModelFolder
    file: Annotated[Path, Arg("One expression a line, prefix or infix.")]
    out: Annotated[Path | None, Arg("Where to write: .npy or .parquet.", shown="FILE.npy", writes=True)] = (
        None
    )
    share: Annotated[
        str | None,
        Arg("Make only the parts of one share, as 3/16 the third of sixteen.", shown="all, and the file"),
    ] = None

    def __post_init__(self) -> None:
        """Refuse a kind of file that is not written, and a share that is none. Raises: EngineError E430,
        E424."""
        share_of(self.share)
        if self.target.suffix not in (".npy", ".parquet"):
            what = f"{self.target.name} is neither .npy nor .parquet"
            raise refused(what, "E430", "Choose another --out.")

    @property
    def target(self) -> Path:
        """The file to write."""
        return self.out or self.file.with_name(self.file.name + ".npy")


@dataclass(frozen=True, slots=True)
class Embedded:
    """What was written: `rows` vectors of `dimension` numbers, `bad_lines` of them nan; `bad` says which. Of
    a `share` the rows are those of its parts, and the file is not written."""

    file: Path
    rows: int
    dimension: int
    bad_lines: int
    bad: tuple[BadLine, ...]
    share: str | None = None


def settled(spec: Embed) -> Embed:
    """The spec with the file to write."""
    return replace(spec, out=spec.target)


def embed(spec: Embed, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never) -> Embedded:
    """Write the vectors of a file's expressions; empty lines do not count.

    A Parquet file holds the expressions too (`expr`, in generator prefix notation, null where there is no
    vector; `vector`). Args: cache: the folder for finished parts, from which a run that was stopped, or that
    others did a share of, goes on. Raises: DataError E321 for a file without an expression that can be read.

    >>> import tempfile
    >>> from engines.egen.models.lookup import shipped_models
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "mine.txt"
    ...     _ = file.write_text("sin(2*x)\\n* 2 * sin x cos x\\n")
    ...     made = embed(Embed(shipped_models()[0], file))
    >>> made.rows
    2
    """
    from engines.core.files import sha256
    from engines.egen.models.encode import encode_readable, kept_encoder, longest
    from engines.egen.models.parts import Parts
    from engines.egen.models.vectors import model_print, print_of, stopped

    encoder = kept_encoder(spec.model)
    texts, bad = _read(spec.file, longest(encoder))
    warn_of_lines(events, spec.file, ((each.line, each.what) for each in bad))
    name = print_of("embed", model_print(spec.model), sha256(spec.file))
    parts = Parts(cache, name, share_of(spec.share))
    vectors = parts.encoded(texts, partial(encode_readable, encoder), events=events, stop=stop)
    if vectors is None:
        raise stopped("encoding")
    if spec.share is None:
        _write(spec.target, texts, vectors)
        parts.remove()
    return Embedded(spec.target, len(vectors), encoder.dimension, len(bad), tuple(bad), spec.share)


def _read(path: Path, max_length: int) -> tuple[list[str | None], list[BadLine]]:
    """The expression of each line in generator prefix notation, None for a line that is listed as bad."""
    from engines.core.files import read_lines
    from engines.egen.corpus.sources import BadLine
    from engines.egen.models.sequences import Sequences

    texts: list[str | None] = []
    bad: list[BadLine] = []
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            text = plain_prefix(line)
            Sequences.of([text], max_length=max_length)
            texts.append(text)
        except ExpressionError as error:
            texts.append(None)
            bad.append(BadLine(number, error.what))
    if not texts:
        raise DataError(
            "the file holds no expression", path=path, code="E321", remedy="Write one on each line."
        )
    if len(bad) == len(texts):
        raise DataError(
            f"none of its {len(bad):,} lines is an expression",
            path=path,
            line=bad[0].line,
            remedy=f"Write one on each line. This one: {bad[0].what}.",
            code="E321",
        )
    return texts, bad


def plain_prefix(text: str) -> str:
    """An expression in prefix or infix notation as models read it: generator prefix notation without `log`.

    Raises: ExpressionError for what is no expression.
    """
    from engines.egen.expressions.language import prefix
    from engines.egen.expressions.notation import read
    from engines.egen.models.sequences import without_log

    return prefix(without_log(read(text)))


def _write(path: Path, texts: Sequence[str | None], vectors: Vectors) -> None:
    from engines.core.files import atomic_writer, write_array

    if path.suffix == ".npy":
        write_array(path, vectors)
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    with atomic_writer(path, "wb") as file:
        pq.write_table(pa.table({"expr": pa.array(texts, pa.string()), "vector": column}), file)
