"""The tasks of E-Gen's models: embeddings, evaluations and derivations that are checked.

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
    "data_of",
    "default_model",
    "embed",
    "embedder_of",
    "evaluate",
    "model_folder",
    "models",
    "place_of",
    "semembed",
    "texts_of",
    "write",
]

EVALUATIONS = ("kmeans", "semantic", "mistakes", "algebra", "retrieval")
SAMPLE = "sample/corpora/sample-e"
_THRESHOLD_DERIVATIONS = 200


def model_folder(name: str) -> Path:
    """The folder of a model: a path, a name in the workspace, or one that ships (`egen-…`).

    Raises: MissingError E355 when there is none of that name.
    """
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if path.is_dir():
        return path
    places = [Workspace.open().models, _shipped()]
    for place in places:
        if len(path.parts) == 1 and (place / name).is_dir():
            return place / name
    known = [folder.name for folder in models(places[0])]
    remedy = did_you_mean(name, known) or (
        f"There are: {', '.join(known)}." if known else "Train one with: mathwb train --headless"
    )
    raise MissingError(f"there is no model {name!r}", code="E355", remedy=remedy)


def _shipped() -> Path:
    """Where models are that come with the installation; the folder may not be there."""
    from engines.core.assets import asset

    return asset("recipes").parent / "models"


def models(workspace_models: Path) -> list[Path]:
    """The models that turn expressions into vectors: those that ship, then those of the workspace.

    One of the workspace hides one that ships and has its name.
    """
    found: dict[str, Path] = {}
    for place, pattern in ((_shipped(), "egen-*"), (workspace_models, "*")):
        for folder in sorted(place.glob(pattern)):
            if _embeds(folder):
                found[folder.name] = folder
    return list(found.values())


def _embeds(folder: Path) -> bool:
    """Whether a folder holds a model of ours, or one of sentence-transformers."""
    import json

    if (folder / "modules.json").exists():
        return True
    try:
        return "egen" in json.loads((folder / "config.json").read_bytes())
    except (OSError, ValueError):
        return False


def default_model() -> Path | None:
    """The encoder that ships; None in an installation without one."""
    return next(iter(sorted(_shipped().glob("egen-*"))), None)


@lru_cache(maxsize=2)
def _loaded(folder: Path, changed: int) -> Embedder:  # noqa: ARG001  # a new time loads it anew
    from engines.egen.encode import load_embedder

    return load_embedder(folder)


def embedder_of(params: Mapping[str, Any]) -> Embedder:
    """The loaded model that `params["model"]` names; it stays loaded for the next question."""
    folder = model_folder(str(params["model"])).absolute()
    weights = folder / "model.safetensors"
    return _loaded(folder, weights.stat().st_mtime_ns if weights.exists() else 0)


def place_of(name: str | None) -> Path:
    """Where data is: a path, or the name of a corpus in the workspace; the sample corpus without a name."""
    from engines.core.assets import asset
    from workbench.workspace import Workspace

    if name is None:
        return asset(SAMPLE)
    path = Path(name).expanduser()
    if not path.exists() and len(path.parts) == 1 and (Workspace.open().corpora / name).is_dir():
        return Workspace.open().corpora / name
    return path


def data_of(params: Mapping[str, Any], side: str | None = None, key: str = "data") -> Labelled:
    """The labelled expressions that the parameters name; of a corpus the validation side unless `side` says
    another."""
    from engines.egen.labelled import read_labelled

    return read_labelled(
        place_of(params.get(key)),
        side=side or params.get("side", "validation"),  # type: ignore[arg-type]  # refused by the reader
        split=params.get("split", "paper"),
        partial=bool(params.get("partial", False)),
    )


def evaluate(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """One of the five evaluations.

    Params: task (of EVALUATIONS), model, data, split (paper or shapes) and side (validation, train, all) of a
    corpus, partial (take what a file lists as equal in part), count (items, derivations or analogies), seed,
    train (mistakes: the corpus or file whose derivations the threshold is learned on; the training side of
    `data` when that is a corpus, else of the sample), write (a file to keep the built test set in), worst
    (how many mistakes to return). Returns: `Report.to_dict()` with `data` and `seed`.
    """
    task = str(params["task"])
    from engines.egen.tasks.measured import WORST

    if task not in EVALUATIONS:
        remedy = did_you_mean(task, EVALUATIONS) or f"There are: {', '.join(EVALUATIONS)}."
        raise UsageError(f"there is no evaluation {task!r}", code="E429", remedy=remedy)
    params = {**params, "worst": int(params.get("worst") or WORST)}
    report = _EVALUATORS[task](embedder_of(params), params, events, stop)
    if stop():
        raise EngineError("the evaluation was stopped", code="E646", remedy="Start it again.")
    place = place_of(params.get("data"))
    return {**report.to_dict(), "data": place.name, "seed": int(params.get("seed", 0))}


def _kmeans(embedder: Embedder, params: Mapping[str, Any], events: Sink, stop: Stop) -> Report:
    from engines.egen.tasks.kmeans import evaluate as run

    return run(embedder, data_of(params), worst=params["worst"], events=events, stop=stop)


def _retrieval(embedder: Embedder, params: Mapping[str, Any], events: Sink, stop: Stop) -> Report:
    from engines.egen.tasks.retrieval import evaluate as run

    return run(embedder, data_of(params), worst=params["worst"], events=events, stop=stop)


def _semantic(embedder: Embedder, params: Mapping[str, Any], events: Sink, stop: Stop) -> Report:
    from engines.egen.tasks import semantic

    place, seed = place_of(params.get("data")), int(params.get("seed", 0))
    if _begins_with(place, '"query"'):
        items = list(semantic.read_items(place))
    else:
        count = int(params.get("count") or 1_000)
        items = semantic.build(data_of(params), count, seed=seed, events=events, stop=stop)
    if params.get("write"):
        semantic.write_items(items, Path(params["write"]))
    return semantic.evaluate(embedder, items, seed=seed, worst=params["worst"], events=events, stop=stop)


def _mistakes(embedder: Embedder, params: Mapping[str, Any], events: Sink, stop: Stop) -> Report:
    from engines.egen.tasks import derivations, mistakes

    place, seed = place_of(params.get("data")), int(params.get("seed", 0))
    count = int(params.get("count") or 3_000)
    if _is_derivations(place):
        test = list(derivations.read_derivations(place))
    else:
        test = derivations.build(data_of(params), count, seed=seed, events=events, stop=stop)
    if params.get("write"):
        derivations.write_derivations(test, Path(params["write"]))
    learned = params.get("train") or (params.get("data") if place.is_dir() else None)
    training = _training_derivations(learned, min(count, 1_000), seed, events, stop)
    return mistakes.evaluate(embedder, training, test, worst=params["worst"], events=events, stop=stop)


def _training_derivations(
    name: str | None, count: int, seed: int, events: Sink, stop: Stop
) -> list[Derivation]:
    from engines.egen.tasks import derivations

    place = place_of(name)
    if _is_derivations(place):
        return list(derivations.read_derivations(place))
    data = data_of({"data": name}, side="train")
    return derivations.build(data, count, seed=seed + 1, events=events, stop=stop)


def _algebra(embedder: Embedder, params: Mapping[str, Any], events: Sink, stop: Stop) -> Report:
    from engines.egen.tasks import algebra, analogies

    place = place_of(params.get("data"))
    listed = params.get("analogies")
    if listed:
        found = list(analogies.read_analogies(Path(listed)))
    else:
        count = int(params.get("count") or analogies.PAPER_COUNT)
        found = analogies.build(count, seed=int(params.get("seed", 0)))
    if params.get("write"):
        analogies.write_analogies(found, Path(params["write"]))
    side = params.get("side", "all" if place.is_dir() else None)
    pool = data_of(params, side=side).texts
    return algebra.evaluate(embedder, found, pool, worst=params["worst"], events=events, stop=stop)


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
    """Embed the expressions of a file. Params: model, source (an expression a line, in prefix or infix
    notation; empty lines do not count), file (.npy or .parquet). Returns: file, rows, dimension.

    Raises: DataError with path and line for what is no expression, or none that the model reads.
    """
    from engines.core.files import atomic_writer, write_array

    embedder = embedder_of(params)
    texts = _texts_in(Path(params["source"]), embedder.max_length)
    vectors = embedder.embed(texts, events=events, stop=stop)
    if stop():
        raise EngineError("the encoding was stopped", code="E646", remedy="Start it again.")
    path = Path(params["file"])
    if path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        column = pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), vectors.shape[1])
        with atomic_writer(path, "wb") as file:
            pq.write_table(pa.table({"expr": pa.array(texts), "vector": column}), file)
    else:
        write_array(path, vectors)
    return {"file": str(path), "rows": len(vectors), "dimension": int(vectors.shape[1])}


def _texts_in(path: Path, max_length: int) -> list[str]:
    """The expressions of a file in generator prefix notation."""
    from engines.core.errors import DataError, ExpressionError
    from engines.core.files import read_lines
    from engines.egen.sequences import Sequences

    found = []
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            (text,) = texts_of([line])
            Sequences.of([text], max_length=max_length)
        except ExpressionError as error:
            what = error.what.removeprefix("expression 1: ")
            raise DataError(what, path=path, line=number, remedy=error.remedy, code="E321") from error
        found.append(text)
    if not found:
        raise DataError(
            "the file holds no expression", path=path, code="E314", remedy="Write one on each line."
        )
    return found


def texts_of(expressions: Sequence[str]) -> list[str]:
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
    embedder = None if name is None else embedder_of({"model": str(name)})
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

    embedder = embedder_of(params)
    if not isinstance(embedder, ModelEmbedder):
        raise UsageError("this model writes nothing", code="E641", remedy="Name one of a seq2seq recipe.")
    (text,) = texts_of([str(params["expr"])])
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
