"""Embedding the expressions of a file, and a map of them in the plane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.events import Event, Sink, Stop, ignore, never, warn_of_left_out
from engines.core.expression_language import FUNCTIONS, to_prefix
from engines.core.spec import Arg, make_refusal, share_of, specification
from engines.egen.models.model_folder import ModelFolder
from engines.retrieval.pictures import Method, project_to_plane, refuse_unused_seed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engines.egen.corpus.sources import BadLine
    from engines.egen.models.datasets import Labelled
    from engines.retrieval.dense import Vectors


_NOT_SHOWN = ("acsc", "asec", "acot", "csch", "sech", "acsch", "asech", "acoth")
FIGURE_FAMILIES = tuple(name for name in FUNCTIONS if name not in _NOT_SHOWN)
"""The 17 single-operator families of Figure 3."""


@specification
class Embed:
    """Embed a file of expressions: one vector per line, in the same order.

    A line that cannot be read gives a row of nan; such lines are counted and listed.
    """

    model: ModelFolder
    file: Annotated[Path, Arg("One expression per line: infix, LaTeX or prefix.")]
    out: Annotated[Path | None, Arg("Where to write: .npy or .parquet.", shown="FILE.npy", writes=True)] = (
        None
    )
    share: Annotated[
        str | None, Arg("Compute only the parts of one share, such as 3/16.", shown="all parts, and the file")
    ] = None

    def __post_init__(self) -> None:
        share_of(self.share)
        if self.target.suffix not in (".npy", ".parquet"):
            what = f"{self.target.name} is neither .npy nor .parquet"
            raise make_refusal(what, "E430", "Choose another --out.")

    @property
    def target(self) -> Path:
        """The file that vectors are written to."""
        return self.out or self.file.with_name(self.file.name + ".npy")


@dataclass(frozen=True, slots=True)
class Embedded:
    """The result of embedding a file.

    There are `rows` vectors of `dimension` numbers, `bad_lines` of them nan; `bad` says which. With a
    `share`, the rows are those of its parts, and the file is not written.
    """

    file: Path
    rows: int
    dimension: int
    bad_lines: int
    bad: tuple[BadLine, ...]
    share: str | None = None


def resolve_embedding(spec: Embed) -> Embed:
    """Return the specification with the file that vectors are written to."""
    return replace(spec, out=spec.target)


def embed(spec: Embed, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never) -> Embedded:
    """Write the vectors of a file's expressions; empty lines do not count.

    A Parquet file holds the expressions too (`expr`, in generator prefix notation, null where there is no
    vector; `vector`).

    Args:
        cache: The folder for finished parts, from which a run that was stopped, or that others did a share
            of, goes on.

    Raises:
        DataError: E321 for a file without an expression that can be read.

    >>> import tempfile
    >>> from engines.egen.models.model_folder import shipped_models
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "mine.txt"
    ...     _ = file.write_text("sin(2*x)\\n* 2 * sin x cos x\\n")
    ...     made = embed(Embed(shipped_models()[0], file))
    >>> made.rows
    2
    """
    from engines.core.build import ResumableBuild
    from engines.core.hashing import sha256
    from engines.egen.models.encode import cached_encoder, encode_readable, longest_input
    from engines.egen.models.vectors import encode_in_parts, model_print, print_of

    encoder = cached_encoder(spec.model)
    texts, bad = _read_expressions(spec.file, longest_input(encoder))
    warn_of_left_out(events, spec.file, ((f"{spec.file}:{row.line}", row.what) for row in bad))
    name = print_of("embed", model_print(spec.model), sha256(spec.file))
    build = ResumableBuild(cache, share_of(spec.share), events=events, stop=stop)
    vectors = encode_in_parts(build, name, texts, partial(encode_readable, encoder))
    if spec.share is None:
        _write_vectors(spec.target, texts, vectors)
        build.publish_manifest(parts=f"{name}-*.npy")
    return Embedded(spec.target, len(vectors), encoder.dimension, len(bad), tuple(bad), spec.share)


def _read_expressions(path: Path, max_length: int) -> tuple[list[str | None], list[BadLine]]:
    """Return the expression of each line in generator prefix notation, None for a line that is listed as
    bad.
    """
    from engines.core.rows import read_lines
    from engines.egen.corpus.sources import BadLine
    from engines.egen.models.datasets import Sequences

    texts: list[str | None] = []
    bad: list[BadLine] = []
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            text = plain_prefix(line)
            Sequences.from_prefixes([text], max_length=max_length)
            texts.append(text)
        except ExpressionError as error:
            texts.append(None)
            bad.append(BadLine(number, error.what))
    remedy = "Write one on each line."
    if not texts:
        raise DataError("the file holds no expression", path=path, code="E321", remedy=remedy)
    if len(bad) == len(texts):
        what = f"none of its {len(bad):,} lines is an expression"
        remedy += f" This one: {bad[0].what}."
        raise DataError(what, path=path, line=bad[0].line, remedy=remedy, code="E321")
    return texts, bad


def plain_prefix(text: str) -> str:
    """Return an expression in prefix, infix or LaTeX as models read it: generator prefix notation without
    `log`.

    Raises:
        ExpressionError: For what is no expression.
    """
    from engines.egen.models.datasets import without_log
    from engines.formula.reader import read_expression

    return to_prefix(without_log(read_expression(text)))


def _write_vectors(path: Path, texts: Sequence[str | None], vectors: Vectors) -> None:
    from engines.core.files import atomic_writer, write_array

    if path.suffix == ".npy":
        write_array(path, vectors)
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
    with atomic_writer(path, "wb") as file:
        pq.write_table(pa.table({"expr": pa.array(texts, pa.string()), "vector": column}), file)


@specification
class Arrange:
    """Lay the 17 families of single functions, or the clusters of a corpus, out in a plane."""

    model: ModelFolder
    data: Annotated[
        Path | None, Arg("Clusters to draw.", ref="corpus", metavar="FILE|CORPUS", shown="the sample")
    ] = None
    clusters: Annotated[bool, Arg("Draw the heads of all clusters instead of the 17 families.")] = False
    method: Annotated[Method, Arg("t-SNE as in the paper, or PCA.")] = "tsne"
    seed: Annotated[int, Arg("Seed for t-SNE.", low=0)] = 0
    known: Annotated[bool, Arg("Use a saved layout only; compute none.", hidden=True)] = False

    def __post_init__(self) -> None:
        refuse_unused_seed(self.method, self.seed)


def arrange_embeddings(
    spec: Arrange, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Arrange embeddings in a plane.

    Args:
        cache: The folder where vectors and arrangements are kept.

    Returns:
        Model and method; points ([[x, y], …], None when only what is known was asked for and this is not),
        exprs and names (of what each is coloured by: the kind of its template, or its family); of clusters
        their numbers and left_out too.

    Raises:
        EngineError: E645 for a corpus without the families, E646.
    """
    from engines.egen.models.encode import cached_encoder
    from engines.egen.models.vectors import model_print, open_pool, stopped_error

    results: dict[str, Any] = {"model": spec.model.name, "method": spec.method}
    if spec.clusters:
        heads = open_pool(spec.model, spec.data, "heads", cache=cache, events=events, stop=stop)
        texts, numbers = (heads.table[name].to_pylist() for name in ("prefix", "cluster"))
        names = _list_kinds(spec.data, numbers)
        results |= {"clusters": numbers, "left_out": heads.left_out}
        points = _place_points(spec, heads.name, lambda: heads.vectors, cache, events)
    else:
        texts, names = _read_families(spec.data)
        content = "\n".join([model_print(spec.model), *texts])

        def compute_vectors() -> Vectors:
            return cached_encoder(spec.model).encode(texts, normalise=False, events=events, stop=stop)

        points = _place_points(
            spec, sha256(content.encode()).hexdigest()[:32], compute_vectors, cache, events
        )
    if stop():
        raise stopped_error("map")
    return {**results, "points": None if points is None else points.tolist(), "exprs": texts, "names": names}


def _list_kinds(corpus_folder: Path | None, numbers: Sequence[int]) -> list[str]:
    from engines.egen.corpus.folder import open_corpus
    from engines.egen.models.datasets import sample_corpus

    corpus_folder = corpus_folder or sample_corpus()
    if not corpus_folder.is_dir():
        return ["cluster"] * len(numbers)
    kinds = open_corpus(corpus_folder).read_clusters()["kind"].to_pylist()
    return [kinds[number] or "own" for number in numbers]


def list_function_families(data: Labelled, *, most: int = 200) -> tuple[list[str], list[str]]:
    """Return expressions of the clusters whose head has one function only, one of Figure 3, and no
    derivative.

    Args:
        most: Expressions of a family, taken from its clusters in turn.

    Returns:
        Texts and, for each, its family.
    """
    groups: dict[str, list[list[str]]] = {name: [] for name in FIGURE_FAMILIES}
    for texts in data.clusters:
        head = texts[0].split()
        used = {token for token in head if token in FUNCTIONS or token == "d"}
        if len(used) == 1 and (name := used.pop()) in groups:
            groups[name].append(texts)
    result: list[str] = []
    names: list[str] = []
    for name, clusters in groups.items():
        longest = max(map(len, clusters), default=0)
        turns = [texts[turn] for turn in range(longest) for texts in clusters if turn < len(texts)]
        result += turns[:most]
        names += [name] * len(turns[:most])
    return result, names


def _read_families(path: Path | None) -> tuple[list[str], list[str]]:
    from engines.egen.models.datasets import read_labelled, sample_corpus

    texts, names = list_function_families(read_labelled(path or sample_corpus(), side="all"))
    if not texts:
        what = "no cluster has a head with one of the 17 functions alone"
        remedy = "Name a corpus of function templates, or use --clusters."
        raise EngineError(what, code="E645", remedy=remedy)
    return texts, names


def _place_points(
    spec: Arrange, name: str, vectors: Callable[[], Vectors], cache: Path | None, events: Sink
) -> NDArray[np.float32] | None:
    import numpy as np

    from engines.core.files import write_array

    if spec.method == "pca":
        return project_to_plane(vectors(), "pca")
    path = None if cache is None else cache / f"{name}-tsne-{spec.seed}.npy"
    if path is not None and path.exists():
        known: NDArray[np.float32] = np.load(path)
        return known
    if spec.known:
        return None
    rows = vectors()
    points = project_to_plane(rows, "tsne", seed=spec.seed)
    events(Event("progress", {"done": len(rows), "total": len(rows), "unit": "points"}))
    if path is not None:
        write_array(path, points)
    return points
