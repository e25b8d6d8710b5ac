"""Choosing the settings of first stages on some topics, and reporting on others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.arqmath.first_stage import FirstStage
from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg, no_effect, specification
from engines.forum.folder import SomeIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engines.arqmath.collection.index import AnswerIndex
    from engines.retrieval.trec import TrecRun


BM25_GRID = tuple(product((0.4, 0.8, 1.2, 1.6, 2.0, 3.0), (0.0, 0.25, 0.5, 0.75, 1.0)))
"""k1 and b that are tried."""
_LUCENE = (0.9, 0.4)
"""k1 and b of Anserini and Pyserini."""
RANK_CONSTANTS = (1, 5, 10, 20, 40, 60, 100, 200)
"""k of reciprocal rank fusion."""
_READ = 500
"""Documents that are read at once."""
_FOLDS = 5
_STEPS = 10
"""Weights are tenths."""


@specification
class Tune:
    """Tune BM25's terms, k1 and b, the weights of sums and the constant of rank fusion for nDCG' on some
    topics, and report on others: those not in --tune-topics, or by cross-validation.

    Nothing is changed: give the chosen values to `arqmath index` and `--first`.
    """

    index: SomeIndex
    topics: Annotated[tuple[Path, ...], Arg("A topic file; repeatable.", option=True)]
    qrels: Annotated[tuple[Path, ...], Arg("Their judgements; repeatable.", option=True)]
    tune_topics: Annotated[tuple[Path, ...], Arg("Tune on these topics only, and report on the others.")] = ()
    folds: Annotated[
        int | None, Arg("Folds of the cross-validation, without --tune-topics.", low=2, shown="5")
    ] = None
    seed: Annotated[int, Arg("Seed for folds, tests and intervals.", low=0)] = 0

    def __post_init__(self) -> None:
        if self.tune_topics:
            no_effect({"--folds": self.folds}, "--tune-topics", "E434")


def tune(spec: Tune, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Measure every system with settings that were chosen on other topics than those it is measured on.

    Returns:
        Complete (false after a stop, and then nothing else), topics (reported), tuned_on (with `tune_topics`,
        how many) or folds, and systems: of each system, chosen (once, or by fold; where there is a choice),
        ndcg_prime, interval (95 %, bootstrap over topics) and, held against another system, against,
        difference, difference_interval, randomisation_p and holm_p.

    Events:
        Progress in systems; warnings of judged topics that are not asked.

    Raises:
        EngineError: E344 where too few topics are judged to choose or to report on.

    >>> from engines.core.system import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> from tempfile import mkdtemp
    >>> place = Path(mkdtemp())
    >>> from engines.arqmath import IndexCollection, index
    >>> _ = index(IndexCollection(forum, place / "index"))
    >>> files = (forum / "topics_task1.xml",), (forum / "qrels_task1.tsv",)
    >>> found = tune(Tune(place / "index", *files, folds=3))
    >>> [(row["system"], round(row["ndcg_prime"], 3)) for row in found["systems"][:2]]
    [('BM25 as indexed', 0.707), ('BM25, k1 and b', 0.787)]
    """
    import numpy as np

    from engines.arqmath.collection.index import cached_index
    from engines.arqmath.ranking.rank import read_judgements
    from engines.forum.topics import read_topic_files
    from engines.retrieval.measures import evaluate
    from engines.retrieval.trec import Qrels

    index = cached_index(spec.index)
    topics = read_topic_files(spec.topics)
    qrels = read_judgements(spec.qrels, topics, events)
    assert qrels is not None
    texts = {topic.id: topic.text for topic in topics if topic.id in qrels.grades}
    names = list(texts)
    # Each split chooses on some topics and reports on the others.
    splits = _split_topics(spec, names)
    judged = Qrels({name: qrels.grades[name] for name in names})
    reported = sorted({index_ for _, others in splits for index_ in others})
    rows: list[dict[str, Any]] = []
    measured: dict[str, NDArray[np.float64]] = {}
    for system, against, runs in _iterate_systems(index, texts):
        values: dict[str, NDArray[np.float64]] = {}
        # A row of nDCG' over all topics for each setting; the choice by split needs no second search.
        for setting, run in runs:
            if stop():
                return {"complete": False}
            per_topic = evaluate(run, judged, ["ndcg_prime"]).per_topic
            values[setting] = np.array([per_topic[name]["ndcg_prime"] for name in names])
        chosen, own = _choose_settings(values, splits, len(names))
        measured[system] = own[reported]
        rows.append({"system": system, **({"chosen": chosen} if len(values) > 1 else {})})
        rows[-1] |= {"against": against} if against else {}
        events(Event("progress", {"done": len(rows), "unit": "systems"}))
    _add_statistics(rows, measured, spec.seed)
    how = {"tuned_on": len(splits[0][0])} if spec.tune_topics else {"folds": spec.folds or _FOLDS}
    return {"complete": True, "topics": len(reported), **how, "systems": rows}


_Split = tuple[list[int], list[int]]
"""Places of the topics that are chosen on, and of those that are reported."""


def _split_topics(spec: Tune, names: Sequence[str]) -> list[_Split]:
    import numpy as np

    from engines.forum.topics import read_topic_files

    positions = range(len(names))
    if spec.tune_topics:
        named = {topic.id for topic in read_topic_files(spec.tune_topics)}
        splits = [
            ([n for n in positions if names[n] in named], [n for n in positions if names[n] not in named])
        ]
    else:
        order = np.random.default_rng(spec.seed).permutation(len(names))
        folds = [fold.tolist() for fold in np.array_split(order, spec.folds or _FOLDS)]
        splits = [([n for n in positions if n not in set(fold)], fold) for fold in folds]
    if not all(chosen and others for chosen, others in splits) or len(names) < 2:
        what = f"{len(names)} topics are both given and judged; some to tune on and others to report on are"
        remedy = "Give topics and judgements of more; --topics includes those of --tune-topics."
        raise EngineError(f"{what} needed", code="E344", remedy=remedy)
    return splits


_Runs = Iterator[tuple[str, "TrecRun"]]


def _iterate_systems(index: AnswerIndex, texts: Mapping[str, str]) -> Iterator[tuple[str, str, _Runs]]:
    from engines.arqmath.collection.index_build import document_text
    from engines.retrieval.bm25 import Bm25, Frequencies
    from engines.retrieval.fusion import grid_weightings
    from engines.retrieval.index_terms import VERSIONS
    from engines.retrieval.trec import DEPTH, TrecRun

    ids = [name.decode() for name in index.ids.tolist()]
    as_is, plain = index.open_retriever("lexical").part.about, "BM25 as indexed"

    def run_bm25(counted: Frequencies, grid: Sequence[tuple[float, float]], label: str = "") -> _Runs:
        for k1, b in grid:
            scored = {
                topic: [(ids[row], float(s)) for row, s in zip(rows.tolist(), scores, strict=True)]
                for topic, scores, rows in counted.search(Bm25(k1, b), DEPTH)
            }
            yield f"{label}k1 {k1:g}, b {b:g}", TrecRun.from_scores("BM25", scored)

    def run_all_terms(grid: Sequence[tuple[float, float]]) -> _Runs:
        for terms, counted in by_terms.items():
            yield from run_bm25(counted, grid, f"{terms}, ")

    def iterate_texts() -> Iterator[str]:
        for begin in range(0, len(ids), _READ):
            yield from map(document_text, index.store.get_posts(ids[begin : begin + _READ]).values())

    by_terms = {terms: Frequencies(iterate_texts(), texts, version) for terms, version in VERSIONS.items()}
    own = by_terms[next(terms for terms, version in VERSIONS.items() if version == as_is["tokens"])]
    as_indexed_params = as_is["bm25"]["k1"], as_is["bm25"]["b"]
    # BM25 as the index has it is what the other systems are compared with.
    yield plain, "", run_bm25(own, [as_indexed_params])
    yield "BM25, k1 and b", plain, run_bm25(own, BM25_GRID)
    yield "BM25 with Anserini's defaults", plain, run_bm25(by_terms["porter"], [_LUCENE])
    yield "BM25 by Porter's stemmer, k1 and b", plain, run_bm25(by_terms["porter"], [*BM25_GRID, _LUCENE])
    yield "BM25, terms, k1 and b", plain, run_all_terms([*BM25_GRID, _LUCENE])
    # The other first stages and their fusions, if the index has any.
    if len(index.searches) > 1:
        scored = {name: index.rank_topics(texts, DEPTH, how=name) for name in index.searches}
        fused = f"{index.how} as it is"
        yield fused, plain, _fuse_stages([FirstStage.from_text(index.how)], scored)
        pairs = (
            zip(index.searches, weights, strict=True) for weights in grid_weightings(len(scored), _STEPS)
        )
        sums = (FirstStage(tuple((name, weight) for name, weight in pair if weight)) for pair in pairs)
        yield "weights of a sum", fused, _fuse_stages(sums, scored)
        constants = (FirstStage(tuple((name, 1.0) for name in scored), k) for k in RANK_CONSTANTS)
        yield "rrf, k", fused, _fuse_stages(constants, scored)


def _fuse_stages(stages: Iterable[FirstStage], runs_by_name: Mapping[str, TrecRun]) -> _Runs:
    from engines.retrieval.trec import DEPTH

    return ((str(stage), stage.fuse_runs(runs_by_name).limit_depth(DEPTH)) for stage in stages)


def _choose_settings(
    values: Mapping[str, NDArray[np.float64]], splits: Sequence[_Split], count: int
) -> tuple[list[str], NDArray[np.float64]]:
    """Return what does best on the topics of each split, and the values of the others with it, by topic."""
    import numpy as np

    own, settings = np.full(count, np.nan), []
    for on, others in splits:
        best = max(values, key=lambda setting: values[setting][on].mean())
        own[others] = values[best][others]
        settings.append(best)
    return settings, own


def _add_statistics(
    rows: Sequence[dict[str, Any]], measured: Mapping[str, NDArray[np.float64]], seed: int
) -> None:
    """Means, intervals and tests of each system, put into its row; tests are adjusted together."""
    from engines.retrieval.significance import bootstrap_interval, compare, holm

    tests = []
    for row in rows:
        own = measured[row["system"]]
        row |= {
            "ndcg_prime": round(float(own.mean()), 6),
            "interval": [round(bound, 6) for bound in bootstrap_interval(own.tolist(), seed=seed)],
        }
        if "against" in row:
            pair = [dict(enumerate(one.tolist())) for one in (measured[row["against"]], own)]
            left, right = ({str(n): value for n, value in one.items()} for one in pair)
            tests.append((row, compare(left, right, seed=seed)))
    adjusted = holm([test.randomisation_p for _, test in tests])
    for (row, test), holm_p in zip(tests, adjusted, strict=True):
        row |= {
            "difference": round(test.difference, 6),
            "difference_interval": [round(bound, 6) for bound in test.interval],
            "randomisation_p": test.randomisation_p,
            "holm_p": holm_p,
        }
