"""A plane map of embeddings: all clusters by their heads, or the 17 families of E-Gen's Figure 3."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg
from engines.egen.models.lookup import ModelFolder
from engines.retrieval.plane import Method, refuse_idle_seed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engines.retrieval.similarity import Vectors

__all__ = ["Arrange", "arrange"]


@dataclass(frozen=True, slots=True)
class Arrange:
    """Lay the 17 families of single functions, or the clusters of a corpus, out in a plane."""

    model: ModelFolder
    data: Annotated[
        Path | None, Arg("What to show.", ref="corpus", metavar="FILE|CORPUS", shown="the sample")
    ] = None
    clusters: Annotated[bool, Arg("All clusters by their heads, not the 17 families.")] = False
    method: Annotated[Method, Arg("t-SNE as in the paper, or PCA.")] = "tsne"
    seed: Annotated[int, Arg("Of t-SNE.", low=0)] = 0
    known: Annotated[bool, Arg("Only what was arranged before.", hidden=True)] = False

    def __post_init__(self) -> None:
        """Raises: EngineError E427 for a seed of PCA."""
        refuse_idle_seed(self.method, self.seed)


def arrange(
    spec: Arrange, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Lay embeddings out in a plane. Args: cache: the folder where vectors and arrangements are kept.

    Returns: model and method; points ([[x, y], …], None when only what is known was asked for and this is
    not), exprs and names (of what each is coloured by: the kind of its template, or its family); of clusters
    their numbers and left_out too. Raises: EngineError E645 for a corpus without the families, E646.
    """
    from engines.egen.models.encode import kept_encoder
    from engines.egen.models.vectors import model_print, pool, stopped

    found: dict[str, Any] = {"model": spec.model.name, "method": spec.method}
    if spec.clusters:
        heads = pool(spec.model, spec.data, "heads", cache=cache, events=events, stop=stop)
        texts, numbers = (heads.table[name].to_pylist() for name in ("prefix", "cluster"))
        names = _kinds(spec.data, numbers)
        found |= {"clusters": numbers, "left_out": heads.left_out}
        points = _placed(spec, heads.name, lambda: heads.vectors, cache, events)
    else:
        texts, names = _families(spec.data)
        content = "\n".join([model_print(spec.model), *texts])

        def vectors() -> Vectors:
            return kept_encoder(spec.model).encode(texts, normalise=False, events=events, stop=stop)

        points = _placed(spec, sha256(content.encode()).hexdigest()[:32], vectors, cache, events)
    if stop():
        raise stopped("map")
    return {**found, "points": None if points is None else points.tolist(), "exprs": texts, "names": names}


def _kinds(place: Path | None, numbers: Sequence[int]) -> list[str]:
    """Of each cluster the kind of template that it was grown from."""
    from engines.egen.corpus.labelled import sample_corpus
    from engines.egen.corpus.reader import open_corpus

    place = place or sample_corpus()
    if not place.is_dir():
        return ["cluster"] * len(numbers)
    kinds = open_corpus(place).clusters()["kind"].to_pylist()
    return [kinds[number] or "own" for number in numbers]


def _families(place: Path | None) -> tuple[list[str], list[str]]:
    from engines.egen.corpus.labelled import read_labelled, sample_corpus
    from engines.egen.evaluations.families import families

    texts, names = families(read_labelled(place or sample_corpus(), side="all"))
    if not texts:
        raise EngineError(
            "no cluster has a head with one of the 17 functions alone",
            code="E645",
            exit_code=2,
            remedy="Name a corpus of function templates, or show its --clusters.",
        )
    return texts, names


def _placed(
    spec: Arrange, name: str, vectors: Callable[[], Vectors], cache: Path | None, events: Sink
) -> NDArray[np.float32] | None:
    """The places of vectors; those of t-SNE are kept by this name, since they take a while."""
    import numpy as np

    from engines.core.files import write_array
    from engines.retrieval.plane import plane

    if spec.method == "pca":
        return plane(vectors(), "pca")
    path = None if cache is None else cache / f"{name}-tsne-{spec.seed}.npy"
    if path is not None and path.exists():
        known: NDArray[np.float32] = np.load(path)
        return known
    if spec.known:
        return None
    rows = vectors()
    points = plane(rows, "tsne", seed=spec.seed)
    events(Event("progress", {"done": len(rows), "total": len(rows), "unit": "points"}))
    if path is not None:
        write_array(path, points)
    return points
