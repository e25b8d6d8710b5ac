"""The tasks of E-Gen's models: embeddings, evaluations, neighbours, maps and derivations that are checked.

A model is named by a folder, or by its name among the workspace's models or those that ship. Data is a corpus
folder (or its name in the workspace), or a file of clusters; without any it is the sample corpus.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop
from workbench.errors import MissingError, UsageError, did_you_mean

if TYPE_CHECKING:
    from engines.egen.encode import Embedder
    from engines.egen.labelled import Labelled
    from engines.egen.tasks.derivations import Derivation
    from engines.egen.tasks.measured import Report

__all__ = [
    "EVALUATIONS",
    "check",
    "embed",
    "evaluate",
    "map_",
    "model_folder",
    "nearest",
    "semembed",
    "write",
]

EVALUATIONS = ("kmeans", "semantic", "mistakes", "algebra", "retrieval")
SAMPLE = "sample/corpora/sample-e"
_THRESHOLD_DERIVATIONS = 200


def model_folder(name: str) -> Path:
    """The folder of a model: a path, a name in the workspace, or one that ships (`egen-…`).

    Raises: MissingError E355 when there is none of that name.
    """
    from engines.core.assets import asset
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if path.is_dir():
        return path
    places = [Workspace.open().models]
    if (shipped := asset("recipes").parent / "models").is_dir():
        places.append(shipped)
    for place in places:
        if len(path.parts) == 1 and (place / name).is_dir():
            return place / name
    known = [folder.name for place in places for folder in sorted(place.iterdir()) if folder.is_dir()]
    remedy = did_you_mean(name, known) or (
        f"There are: {', '.join(known)}." if known else "Train one with: mathwb train --headless"
    )
    raise MissingError(f"there is no model {name!r}", code="E355", remedy=remedy)


def default_model() -> Path | None:
    """The encoder that ships; None in an installation without one."""
    from engines.core.assets import asset

    shipped = asset("recipes").parent / "models"
    return next(iter(sorted(shipped.glob("egen-*"))), None)


@lru_cache(maxsize=2)
def _loaded(folder: Path, changed: int) -> Embedder:  # noqa: ARG001  # a new time loads it anew
    from engines.egen.encode import load_embedder

    return load_embedder(folder)


def _embedder(params: Mapping[str, Any]) -> Embedder:
    folder = model_folder(str(params["model"])).absolute()
    weights = folder / "model.safetensors"
    return _loaded(folder, weights.stat().st_mtime_ns if weights.exists() else 0)


def _place(name: str | None) -> Path:
    """Where data is: a path, or the name of a corpus in the workspace; the sample corpus without a name."""
    from engines.core.assets import asset
    from workbench.workspace import Workspace

    if name is None:
        return asset(SAMPLE)
    path = Path(name).expanduser()
    if not path.exists() and len(path.parts) == 1 and (Workspace.open().corpora / name).is_dir():
        return Workspace.open().corpora / name
    return path


def _data(params: Mapping[str, Any], side: str | None = None, key: str = "data") -> Labelled:
    """The labelled expressions that the parameters name; of a corpus the validation side unless `side` says
    another."""
    from engines.egen.labelled import read_labelled

    return read_labelled(
        _place(params.get(key)),
        side=side or params.get("side", "validation"),  # type: ignore[arg-type]  # refused by the reader
        split=params.get("split", "paper"),
        partial=bool(params.get("partial", False)),
    )


def evaluate(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """One of the five evaluations.

    Params: task (of EVALUATIONS), model, data, split (paper or shapes) and side (validation, train, all) of a
    corpus, partial (take what a file lists as equal in part), count (items, derivations or analogies), seed,
    train (mistakes: the corpus or file whose derivations the threshold is learned on; the training side of
    `data` when that is a corpus, else of the sample), write (a file to keep the built test set in).
    Returns: `Report.to_dict()` with `data` and `seed`.
    """
    task = str(params["task"])
    if task not in EVALUATIONS:
        remedy = did_you_mean(task, EVALUATIONS) or f"There are: {', '.join(EVALUATIONS)}."
        raise UsageError(f"there is no evaluation {task!r}", code="E429", remedy=remedy)
    report = _EVALUATORS[task](_embedder(params), params, events, stop)
    if stop():
        raise EngineError("the evaluation was stopped", code="E646", remedy="Start it again.")
    place = _place(params.get("data"))
    return {**report.to_dict(), "data": place.name, "seed": int(params.get("seed", 0))}


def _kmeans(embedder: Embedder, params: Mapping[str, Any], events: Sink, stop: Stop) -> Report:
    from engines.egen.tasks.kmeans import evaluate as run

    return run(embedder, _data(params), events=events, stop=stop)


def _retrieval(embedder: Embedder, params: Mapping[str, Any], events: Sink, stop: Stop) -> Report:
    from engines.egen.tasks.retrieval import evaluate as run

    return run(embedder, _data(params), events=events, stop=stop)


def _semantic(embedder: Embedder, params: Mapping[str, Any], events: Sink, stop: Stop) -> Report:
    from engines.egen.tasks import semantic

    place, seed = _place(params.get("data")), int(params.get("seed", 0))
    if _begins_with(place, '"query"'):
        items = list(semantic.read_items(place))
    else:
        count = int(params.get("count") or 1_000)
        items = semantic.build(_data(params), count, seed=seed, events=events, stop=stop)
    if params.get("write"):
        semantic.write_items(items, Path(params["write"]))
    return semantic.evaluate(embedder, items, seed=seed, events=events, stop=stop)


def _mistakes(embedder: Embedder, params: Mapping[str, Any], events: Sink, stop: Stop) -> Report:
    from engines.egen.tasks import derivations, mistakes

    place, seed = _place(params.get("data")), int(params.get("seed", 0))
    count = int(params.get("count") or 3_000)
    if _is_derivations(place):
        test = list(derivations.read_derivations(place))
    else:
        test = derivations.build(_data(params), count, seed=seed, events=events, stop=stop)
    if params.get("write"):
        derivations.write_derivations(test, Path(params["write"]))
    learned = params.get("train") or (params.get("data") if place.is_dir() else None)
    training = _training_derivations(learned, min(count, 1_000), seed, events, stop)
    return mistakes.evaluate(embedder, training, test, events=events, stop=stop)


def _training_derivations(
    name: str | None, count: int, seed: int, events: Sink, stop: Stop
) -> list[Derivation]:
    from engines.egen.tasks import derivations

    place = _place(name)
    if _is_derivations(place):
        return list(derivations.read_derivations(place))
    data = _data({"data": name}, side="train")
    return derivations.build(data, count, seed=seed + 1, events=events, stop=stop)


def _algebra(embedder: Embedder, params: Mapping[str, Any], events: Sink, stop: Stop) -> Report:
    from engines.egen.tasks import algebra, analogies

    place = _place(params.get("data"))
    listed = params.get("analogies")
    if listed:
        found = list(analogies.read_analogies(Path(listed)))
    else:
        count = int(params.get("count") or analogies.PAPER_COUNT)
        found = analogies.build(count, seed=int(params.get("seed", 0)))
    if params.get("write"):
        analogies.write_analogies(found, Path(params["write"]))
    side = params.get("side", "all" if place.is_dir() else None)
    return algebra.evaluate(embedder, found, _data(params, side=side).texts, events=events, stop=stop)


_EVALUATORS = {
    "kmeans": _kmeans,
    "retrieval": _retrieval,
    "semantic": _semantic,
    "mistakes": _mistakes,
    "algebra": _algebra,
}


def _first_lines(path: Path, count: int = 2) -> list[str]:
    from itertools import islice

    from engines.core.files import read_lines

    return [] if path.is_dir() else [line for _, line in islice(read_lines(path), count)]


def _begins_with(path: Path, mark: str) -> bool:
    return any(mark in line for line in _first_lines(path, 1))


def _is_derivations(path: Path) -> bool:
    """Whether a file is in the layout of derivations: its first line ends with a tab and a number."""
    return any("\t" in line and line.rpartition("\t")[2].strip().isdigit() for line in _first_lines(path, 1))


def embed(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Embed expressions into a file. Params: model, exprs (texts in prefix or infix notation), file (.npy or
    .parquet). Returns: file, rows, dimension."""
    import numpy as np

    from engines.core.files import atomic_writer

    embedder, texts = _embedder(params), _texts(params["exprs"])
    vectors = embedder.embed(texts, events=events, stop=stop)
    if stop():
        raise EngineError("the encoding was stopped", code="E646", remedy="Start it again.")
    path = Path(params["file"])
    with atomic_writer(path, "wb") as file:
        if path.suffix == ".parquet":
            import pyarrow as pa
            import pyarrow.parquet as pq

            column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
            pq.write_table(pa.table({"expr": pa.array(texts), "vector": column}), file)
        else:
            np.save(file, vectors)
    return {"file": str(path), "rows": len(vectors), "dimension": int(vectors.shape[1])}


def _texts(expressions: Sequence[str]) -> list[str]:
    """Generator prefix notation of each. Raises: ExpressionError with the number of the line in its words."""
    from engines.core.errors import ExpressionError
    from engines.egen.language import prefix
    from engines.egen.notation import read
    from engines.egen.sequences import without_log

    found = []
    for number, text in enumerate(expressions, 1):
        try:
            found.append(prefix(without_log(read(text))))
        except ExpressionError as error:
            raise ExpressionError(
                f"expression {number}: {error.what}", text=text, position=error.position, remedy=error.remedy
            ) from error
    return found


def nearest(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """The expressions of a corpus nearest to one by cosine. Params: model, expr, data, side (all), count.

    Returns: expr, and `neighbours`: prefix, unicode, cluster, cosine, and whether it is verified to be equal.
    """
    from engines.egen.encode import unit
    from engines.egen.labelled import read_labelled
    from engines.egen.language import read_prefix
    from engines.egen.notation import unicode_infix
    from engines.egen.tasks.retrieval import nearest_rows
    from engines.egen.verify import Verifier

    embedder = _embedder(params)
    (text,) = _texts([str(params["expr"])])
    place = _place(params.get("data"))
    data = read_labelled(place, side=params.get("side", "all"), min_size=1)
    pool = _pool_vectors(embedder, place, data, events, stop)
    query = embedder.embed([text])
    rows = nearest_rows(query, pool, int(params.get("count", 10)))[0].tolist()
    scores = unit(pool[rows]) @ unit(query)[0]
    verdicts = Verifier(read_prefix(text)).check([read_prefix(data.texts[row]) for row in rows])
    neighbours = [
        {
            "prefix": data.texts[row],
            "unicode": unicode_infix(read_prefix(data.texts[row])),
            "cluster": int(data.labels[row]),
            "cosine": float(score),
            "verdict": verdict.outcome,
        }
        for row, score, verdict in zip(rows, scores, verdicts, strict=True)
    ]
    tree = read_prefix(text)
    return {"prefix": text, "unicode": unicode_infix(tree), "pool": len(data.texts), "neighbours": neighbours}


_pools: dict[tuple[str, str, int], Any] = {}


def _pool_vectors(embedder: Embedder, place: Path, data: Labelled, events: Sink, stop: Stop) -> Any:
    """The vectors of a corpus, kept for the next question of the same process."""
    key = (embedder.name, str(place.absolute()), len(data.texts))
    if key not in _pools:
        vectors = embedder.embed(data.texts, events=events, stop=stop)
        if stop():
            raise EngineError("the search was stopped", code="E646", remedy="Start it again.")
        _pools.clear()
        _pools[key] = vectors
    return _pools[key]


def map_(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """A plane map of embeddings.

    Params: model, method (pca or tsne), seed, and what to show: `exprs` with `names`, or the 17 families of
    Figure 3 from `data` (side all). `file`: an .svg or .png to draw. Returns: points [[x, y], …], exprs,
    names, file.
    """
    from engines.egen.tasks.map import families, picture, plane

    embedder = _embedder(params)
    if "exprs" in params:
        texts, names = _texts(params["exprs"]), list(params.get("names") or params["exprs"])
    else:
        texts, names = families(_data({"side": "all", **params}), most=int(params.get("most", 200)))
    if not texts:
        raise EngineError(
            "no cluster has a head with one of the 17 functions alone",
            code="E645",
            exit_code=2,
            remedy="Name a corpus of function templates.",
        )
    vectors = embedder.embed(texts, events=events, stop=stop)
    points = plane(vectors, params.get("method", "tsne"), seed=int(params.get("seed", 0)))
    if params.get("file"):
        _draw(picture(points, names, f"{embedder.name}: {len(texts):,} expressions"), Path(params["file"]))
    return {"points": points.tolist(), "exprs": texts, "names": names, "file": params.get("file")}


def _draw(svg: str, path: Path) -> None:
    from engines.core.files import write_bytes, write_text

    if path.suffix == ".png":
        import cairosvg  # type: ignore[import-untyped]

        write_bytes(path, cairosvg.svg2png(svg.encode(), output_width=1660))
    else:
        write_text(path, svg)


def check(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Find the first wrong step of each derivation in a file.

    Params: file, model (the one that ships unless given; none: the verifier alone), threshold (learned on
    training derivations of the sample corpus unless given). Returns: threshold, and `derivations`: steps,
    first_wrong and first_flagged (transitions from 0, or None), and `transitions` with verdict,
    counterexample, cosine, flagged.
    """
    from engines.egen.language import prefix
    from engines.egen.notation import infix
    from engines.egen.tasks import check as checking
    from engines.egen.tasks import derivations, mistakes
    from engines.egen.verify import verdict_row

    found = list(derivations.read_derivations(Path(params["file"])))
    name = params.get("model") or default_model()
    embedder = None if name is None else _embedder({"model": str(name)})
    limit = params.get("threshold")
    if embedder is not None and limit is None:
        training = _training_derivations(None, _THRESHOLD_DERIVATIONS, 0, events, stop)
        cosines = mistakes.step_cosines(embedder, training)
        limit = mistakes.threshold(cosines, [each.wrong for each in training])
    rows = []
    for checked in checking.check(found, embedder, limit):
        transitions = [
            {**verdict_row(each.verdict), "cosine": each.cosine, "flagged": each.flagged}
            for each in checked.transitions
        ]
        steps = [{"prefix": prefix(step), "infix": infix(step)} for step in checked.derivation.steps]
        ends = {"first_wrong": checked.first_wrong, "first_flagged": checked.first_flagged}
        rows.append({"steps": steps, "known": checked.derivation.wrong, **ends, "transitions": transitions})
    return {"model": embedder and embedder.name, "threshold": limit, "derivations": rows}


def write(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """What a sequence-to-sequence model writes for an expression. Params: model, expr, beams.

    Returns: `written`: prefix (None when it is no expression), score_nats a token, and the verdict.
    """
    from engines.egen.decoding import write as run
    from engines.egen.encode import ModelEmbedder
    from engines.egen.language import prefix, read_prefix
    from engines.egen.verify import verdict_row

    embedder = _embedder(params)
    if not isinstance(embedder, ModelEmbedder):
        raise UsageError("this model writes nothing", code="E641", remedy="Name one of a seq2seq recipe.")
    (text,) = _texts([str(params["expr"])])
    (found,) = run(embedder.model, [read_prefix(text)], beams=int(params.get("beams", 5)))
    rows = [
        {
            "prefix": each.tree and prefix(each.tree),
            "score_nats": each.score_nats,
            **(verdict_row(each.verdict) if each.verdict else {"verdict": None}),
        }
        for each in found
    ]
    return {"prefix": text, "written": rows}


def semembed(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Build the baseline's corpus: rewritings of expressions by SymPy alone.

    Params: out, templates (a name or a file), sample, seed, time_s (for one rewriting). Returns: out,
    clusters, expressions.
    """
    from engines.egen.language import read_prefix
    from engines.egen.sememb import build
    from engines.egen.sources import open_source, sample

    source = open_source(params.get("templates", "all"))
    if params.get("sample"):
        source = sample(source, int(params["sample"]), int(params.get("seed", 0)))
    built = build(
        [read_prefix(head.prefix) for head in source.heads],
        Path(params["out"]),
        time_s=float(params.get("time_s", 2.0)),
        seed=int(params.get("seed", 0)),
        events=events,
        stop=stop,
    )
    return {"out": params["out"], **asdict(built)}
