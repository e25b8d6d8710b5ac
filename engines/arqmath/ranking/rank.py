"""Two-stage ranking: a first stage finds candidates for topics, a second one orders them;
runs of any origin are fused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from errno import EISDIR
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.arqmath.first_stage import RETRIEVERS, FirstStage
from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.core.files import file_error, model_files
from engines.core.spec import Arg, no_effect, specification
from engines.forum.folder import ArqmathFolder
from engines.forum.post_text import CleanText
from engines.forum.topics import Topic, read_topic_files, warn_of_formula_topics, warn_of_unanswered_topics
from engines.retrieval.fusion import FuseRuns, fused_runs, tune_weights, weighted_sum
from engines.retrieval.measures import RELEVANT
from engines.retrieval.trec import (
    DEPTH,
    Qrels,
    Scored,
    TrecRun,
    check_out,
    read_qrels,
    with_tail,
    write_manifest,
    write_run,
)

if TYPE_CHECKING:
    from engines.arqmath.collection.index import AnswerIndex
    from engines.arqmath.collection.posts import PostStore
    from engines.arqmath.ranking.reranking import AnswerTexts, ScoredRanking
    from engines.arqmath.ranking.scorers import Scorer

# The two stages of a ranking: candidates from an index, and what a cross-encoder makes of them.
#
# The first stage may end before a relevant answer is found: its recall is what the second one cannot mend, so
# it is measured. Behind the answers that were scored anew the list goes on in the first stage's order.

RECALL_DEPTHS = (10, 50, 100, 1_000)


def judged_candidates(topics: Sequence[Topic], qrels: Qrels) -> dict[str, list[str]]:
    """Return every judged answer of each topic; topics without judgements are left out.

    Raises:
        DataError: E344 when no topic is judged.
    """
    result = {topic.id: list(qrels.grades[topic.id]) for topic in topics if topic.id in qrels.grades}
    if not result:
        what = f"none of the topics is judged (topics: {topics[0].id} …, qrels: {qrels.topics[0]} …)"
        raise DataError(what, code="E344", remedy="Are topics and qrels of the same task and year?")
    return result


def compute_recall(run: TrecRun, qrels: Qrels, *, depths: Iterable[int] = RECALL_DEPTHS) -> dict[int, float]:
    """Return the share of a topic's relevant answers that is among the first so many, by depth.

    The mean is over the topics of the run that have such an answer; unjudged answers take their places.
    """
    wanted = {
        topic: {document for document, mark in grades.items() if mark >= RELEVANT}
        for topic, grades in qrels.grades.items()
        if topic in run.rankings
    }
    wanted = {topic: documents for topic, documents in wanted.items() if documents}
    result: dict[int, float] = {}
    for depth in depths:
        shares = [
            len(documents.intersection(document for document, _ in run.rankings[topic][:depth]))
            / len(documents)
            for topic, documents in wanted.items()
        ]
        result[depth] = sum(shares) / len(shares) if shares else 0.0
    return result


def combine_stages(first: TrecRun, scored: TrecRun, *, weight: float = 1.0, tag: str = "") -> TrecRun:
    """Return one list out of both stages.

    Args:
        first: The candidates.
        scored: The cross-encoder's scores of the best of them.
        weight: Its share beside the first stage, both after min-max over the answers that were scored; 1
            takes its order alone.

    Returns:
        Per topic the answers that were scored, then the first stage's others in their order, with scores just
        below: min-max over the whole list, as in a fusion, leaves the scored ones their spread.
    """
    own = _restrict_run(first, scored)
    top = scored if weight == 1.0 else weighted_sum([own, scored], [1.0 - weight, weight])
    rankings: dict[str, Sequence[Scored]] = {}
    for topic, ranking in first.rankings.items():
        best = top.rankings.get(topic, ())
        known = {document for document, _ in best}
        rankings[topic] = with_tail(best, [document for document, _ in ranking if document not in known])
    return TrecRun(tag or scored.tag, rankings)


def tune_interpolation(
    first: TrecRun, scored: TrecRun, qrels: Qrels, *, topics: Iterable[str], steps: int = 10
) -> tuple[float, Mapping[float, float]]:
    """Return the cross-encoder's `weight` in `combine_stages` that does best by nDCG' on `topics`, and on no
    other.

    Returns:
        The weight, and every weight tried with its mean.
    """
    _, tried = tune_weights([_restrict_run(first, scored), scored], qrels, topics=topics, steps=steps)
    by_weight = {float(weights.split()[1]): value for weights, value in tried.items()}
    return max(by_weight, key=lambda weight: (by_weight[weight], weight)), by_weight


def _restrict_run(first: TrecRun, scored: TrecRun) -> TrecRun:
    own = {}
    for topic, ranking in scored.rankings.items():
        kept = {document for document, _ in ranking}
        own[topic] = [pair for pair in first.rankings.get(topic, ()) if pair[0] in kept]
    return TrecRun(first.tag, own)


_SCORED = 100

ScoringMethod = Literal["model", "formulas", "interaction"]
"""What a second stage scores by."""
CandidateSource = Literal["index", "judged", "tagged", "all"]
"""What a cross-encoder scores: a first stage's best, the judged answers, those to questions that share a
tag with the topic, or all there are."""


@specification
class Rank:
    """Rank answers for topics: a first stage finds candidates; a cross-encoder, or a method that needs no
    training (--by), scores them.

    Ctrl-C stops gently: finished topics are kept, and the same command continues from them.
    """

    source: Annotated[
        Path, Arg("A collection, or its index made by arqmath index.", ref="source", metavar="FOLDER|INDEX")
    ]
    run: Annotated[Path, Arg("The run to write.", option=True, name="out", writes=True)]
    topics: Annotated[tuple[Path, ...], Arg("A topic file; repeatable.", option=True)] = ()
    questions: Annotated[
        bool, Arg("Rank for the collection's own questions, not topics: a run to train a re-ranker on.")
    ] = False
    model: Annotated[
        Path | None,
        Arg(
            "A cross-encoder, or an encoder or ColBERT for --by interaction: a folder or a model's name.",
            ref="model",
        ),
    ] = None
    by: Annotated[
        ScoringMethod,
        Arg(
            "How candidates are scored: by a model; by how similar topic and answer formulas are in "
            "structure; or by token-level interaction of the texts (MiniLM, or --model)."
        ),
    ] = "model"
    first: Annotated[
        str | None,
        Arg(
            f"The first stage: {', '.join(RETRIEVERS)}, fused, or a weighted sum, as in search --how.",
            shown="lexical + questions, where there are vectors",
        ),
    ] = None
    depth: Annotated[
        int | None,
        Arg(
            "How many first-stage results to re-rank or, without a model, to write.",
            low=1,
            high=DEPTH,
            shown="100, or 1,000 without a model",
        ),
    ] = None
    candidates: Annotated[
        CandidateSource,
        Arg(
            "What the model scores: the first stage's best, all judged answers, all answers to questions "
            "that share a tag with the topic, or all answers."
        ),
    ] = "index"
    qrels: Annotated[tuple[Path, ...], Arg("Judgements, to report the first stage's recall.")] = ()
    rerank: Annotated[bool, Arg("With --no-rerank the first stage's ranking is the run.")] = True
    weight: Annotated[
        float,
        Arg("Weight of the model's score against the first stage's; 1: the model alone.", low=0, high=1),
    ] = 1.0
    tune_topics: Annotated[
        tuple[Path, ...], Arg("Tune the weight on the judgements of these topics only.")
    ] = ()
    max_tokens: Annotated[
        int | None,
        Arg(
            "Longest question and answer together, in tokens.",
            low=16,
            shown="as in the model's training, 512 if unknown",
        ),
    ] = None
    exact: Annotated[bool, Arg("Use single precision even where 16 bits are several times faster.")] = False
    tag: Annotated[str | None, Arg("Name of the run.", shown="the model's")] = None
    device: Annotated[str, Arg("auto, cpu or cuda.")] = "auto"

    def __post_init__(self) -> None:
        """Refuse combinations of options that contradict each other or have no effect."""
        # Each check refuses a combination whose options would have no effect.
        if self.first is not None:
            FirstStage.from_text(self.first)
        if bool(self.topics) == self.questions:
            both = "--topics and --questions cannot be combined" if self.questions else "there are no topics"
            raise _option_error(both, "Give --topics, or add --questions.")
        if self.rerank and self.by == "model" and self.model is None:
            remedy = "Name a cross-encoder with --model, or use --by formulas or --no-rerank."
            raise _option_error("no model is given", remedy)
        if self.by == "formulas" and self.model is not None:
            raise _option_error("formulas are compared without a model", "Leave --model or --by out.")
        if self.by != "model" and not self.rerank:
            raise _option_error("without a second stage --by has no effect", "Leave --by or --no-rerank out.")
        weight, device = self.weight != 1.0, self.device != "auto"
        if self.candidates != "index":
            beside = {"--first": self.first, "--depth": self.depth}
            no_effect(beside, f"--candidates {self.candidates}, which are all scored", "E434")
        if self.candidates in ("tagged", "all"):
            no_effect({"--qrels": self.qrels}, f"--candidates {self.candidates}", "E434")
        if self.by != "model":
            no_effect({"--max-tokens": self.max_tokens}, f"--by {self.by}", "E434")
        if self.by == "formulas":
            no_effect({"--exact": self.exact, "--device": device}, "--by formulas", "E434")
        if not self.rerank:
            idle = {
                "--model": self.model,
                "--max-tokens": self.max_tokens,
                "--weight": weight,
                "--tune-topics": self.tune_topics,
                "--exact": self.exact,
                "--device": device,
            }
            no_effect(idle, "--no-rerank", "E434")
        if self.tune_topics:
            no_effect({"--weight": weight}, "--tune-topics, which chooses one", "E434")
        if self.candidates != "index" and not self.rerank:
            raise _option_error(
                f"candidates {self.candidates!r} need a model to score them",
                "Leave out --candidates; the prime measures ignore unjudged answers.",
            )
        if (self.candidates == "judged" or self.tune_topics) and not self.qrels:
            raise _option_error("judgements are needed for this", "Name them with --qrels.")
        if self.candidates != "index" and (self.tune_topics or self.weight != 1.0):
            raise _option_error(
                "a weight needs a first stage to combine with the model", "Leave --candidates out."
            )


def _option_error(what: str, remedy: str) -> EngineError:
    return EngineError(what, code="E434", remedy=remedy)


def rank(spec: Rank, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Rank the answers of a collection for topics and write the run, with a manifest of what made it.

    The first stage's best (or the judged answers, those of shared tags, or all) are scored by the model;
    behind them the list goes on in the first stage's order. With `tune_topics` the weight between both is
    chosen on their judgements.

    Returns:
        Run, complete, topics, documents, candidates, first, depth, weight, model, and, where something was
        scored, pairs, pairs_per_s, truncated, truncated_share, missing, resumed, seconds, and max_tokens
        where a cross-encoder did; with qrels `recall`, the first stage's at several depths.

    Events:
        Progress in topics, then in pairs; warnings of topics of Task 2, of those that find nothing, of judged
        ones that are not ranked and of candidates without a text; the weights tried as a log entry.

    Raises:
        EngineError: E433 when an index is needed and there is none.
        DataError: For files that cannot be read, and as `score_candidates`.

    >>> from engines.core.system import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> from tempfile import mkdtemp
    >>> place = Path(mkdtemp())
    >>> from engines.arqmath import IndexCollection, index
    >>> _ = index(IndexCollection(forum, place / "index"))
    >>> topics = (forum / "topics_task1.xml",)
    >>> found = rank(Rank(place / "index", place / "bm25.tsv", topics, rerank=False))
    >>> found["first"], found["topics"], found["complete"]
    ('lexical', 12, True)
    """
    from engines.arqmath.ranking.reranking import score_candidates

    source = _AnswerSource(spec.source)
    if spec.questions:
        topics = _load_questions(source.require_index("asking the collection's own questions"))
    else:
        topics = read_topic_files(spec.topics)
        warn_of_formula_topics(topics, events)
    qrels = read_judgements(spec.qrels, topics, events)
    if spec.run.is_dir():
        raise file_error(IsADirectoryError(EISDIR, "a folder"), spec.run, "write")
    check_out(spec.run, {topic.id for topic in topics})
    # Before the first stage, which may take long.
    model = _load_scorer(spec) if spec.rerank else None
    # Without a first stage, all judged, tagged or existing answers are scored.
    if spec.candidates != "index":
        assert model is not None
        candidates, texts = _all_candidates(spec, source, topics, qrels, events)
        ranking = score_candidates(
            topics, candidates, texts, model, spec.run, tag=spec.tag or "", events=events, stop=stop
        )
        facts = {"run": str(spec.run), "candidates": spec.candidates, "first": "", "weight": 1.0}
        result = {**_describe_ranking(ranking), **facts}
    else:
        result = _two_stages(spec, source.require_index("a first stage"), topics, qrels, model, events, stop)
    if model is not None and model.max_tokens:
        result["max_tokens"] = model.max_tokens
    # Only a complete run has a manifest.
    if result["complete"]:
        model_parts = () if spec.model is None or not spec.rerank else model_files(spec.model)
        topic_files = (*spec.topics, *spec.tune_topics)
        reads = {"source": (source.file,), "topics": topic_files, "qrels": spec.qrels, "model": model_parts}
        scored = result.get("depth") if model is not None else None
        write_manifest("arqmath.rank", spec, spec.run, reads, result, scored=scored)
    return result


class _AnswerSource:
    def __init__(self, path: Path) -> None:
        from engines.arqmath.collection.index import cached_index

        self.index = cached_index(path) if (path / "manifest.json").exists() else None
        if self.index is None:
            self.folder = ArqmathFolder.open(path)

    @property
    def file(self) -> Path:
        return self.index.path / "manifest.json" if self.index else self.folder.need_posts()

    def require_index(self, what: str) -> AnswerIndex:
        if self.index is None:
            raise EngineError(
                f"{what} needs an index, and this is a collection without one",
                where=str(self.folder.path),
                code="E433",
                remedy=f"Make one: mathwb arqmath index {self.folder.path} --out DIR, and rank DIR.",
            )
        return self.index

    def load_texts(self, answers: Collection[str]) -> AnswerTexts:
        from engines.arqmath.ranking.reranking import load_texts

        return self.index.store if self.index else load_texts(self.file, answers)


def _load_questions(index: AnswerIndex) -> list[Topic]:
    posts = index.store.get_posts(index.store.question_ids()).values()
    return [Topic(post.id, CleanText(post.title, ()), CleanText(post.text, ()), post.tags) for post in posts]


def read_judgements(files: Sequence[Path], topics: Sequence[Topic], events: Sink) -> Qrels | None:
    """Return the judgements of all files together; a warning counts judged topics that are not ranked.

    Raises:
        DataError: For a document that two files grade differently, and as `read_qrels`.
    """
    if not files:
        return None
    grades: dict[str, dict[str, int]] = {}
    for file in files:
        for topic, documents in read_qrels(file).grades.items():
            own = grades.setdefault(topic, {})
            for document, grade in documents.items():
                if own.setdefault(document, grade) != grade:
                    what = f"{topic} {document} is graded {grade} here and {own[document]} in an earlier file"
                    raise DataError(what, path=file, remedy="Name only one of the two files, or fix one.")
    known = {topic.id for topic in topics}
    absent = [name for name in grades if name not in known]
    if absent:
        warn(events, f"{len(absent)} judged topics are not among the topics, such as {absent[0]}")
    return Qrels(grades)


def _load_scorer(spec: Rank) -> Scorer:
    if spec.by == "formulas":
        from engines.arqmath.ranking.scorers import FormulaScorer

        return FormulaScorer()
    if spec.by == "interaction":
        from engines.arqmath.ranking.scorers import ColbertScorer, InteractionScorer, is_colbert

        if spec.model is not None and is_colbert(spec.model):
            return ColbertScorer(spec.model, device=spec.device, exact=spec.exact)
        return InteractionScorer(spec.model, device=spec.device, exact=spec.exact)
    from engines.arqmath.ranking.cross_encoder import CrossEncoder

    assert spec.model is not None
    return CrossEncoder(spec.model, device=spec.device, max_tokens=spec.max_tokens, exact=spec.exact)


def _all_candidates(
    spec: Rank, source: _AnswerSource, topics: Sequence[Topic], qrels: Qrels | None, events: Sink
) -> tuple[Mapping[str, Sequence[str]], AnswerTexts]:
    """By topic the judged answers, those to questions that share a tag with it, or all answers there are; and
    where their texts come from."""
    if spec.candidates == "judged":
        assert qrels is not None
        wanted = judged_candidates(topics, qrels)
        return wanted, source.load_texts({answer for ids in wanted.values() for answer in ids})
    if spec.candidates == "all":
        store = source.require_index("scoring all answers").store
        return dict.fromkeys((topic.id for topic in topics), store.answer_ids()), store
    store = source.require_index("looking for shared tags").store
    tagged = _find_tagged_answers(store, topics)
    without = [name for name, tagged_ids in tagged.items() if not tagged_ids]
    if without:
        what = f"{len(without)} topics share no tag with any question and are left out, as {without[0]}"
        warn(events, what)
    return tagged, store


def _find_tagged_answers(store: PostStore, topics: Sequence[Topic]) -> dict[str, list[str]]:
    """Return the answers to questions that share a tag with each topic, in the order of the collection."""
    asking: dict[str, list[str]] = {}
    for topic in topics:
        for tag in dict.fromkeys(topic.tags):
            asking.setdefault(tag, []).append(topic.id)
    result: dict[str, list[str]] = {topic.id: [] for topic in topics}
    for answer, tags in store.answer_tags():
        for name in {name for tag in tags for name in asking.get(tag, ())}:
            result[name].append(answer)
    return result


def _two_stages(
    spec: Rank,
    index: AnswerIndex,
    topics: Sequence[Topic],
    qrels: Qrels | None,
    model: Scorer | None,
    events: Sink,
    stop: Stop,
) -> dict[str, Any]:
    from engines.arqmath.ranking.reranking import score_candidates

    how = spec.first or index.how
    depth = spec.depth or (DEPTH if model is None else _SCORED)
    texts = {topic.id: topic.text for topic in topics}
    # Questions of the collection were encoded when it was indexed.
    known = None
    if spec.questions and "questions" in index.searches and index.symmetric:
        known = index.open_retriever("questions").part.vectors()
    first = index.rank_topics(texts, max(depth, DEPTH), how=how, queries=known, events=events, stop=stop)
    about: dict[str, Any] = {"run": str(spec.run), "candidates": "index", "first": how, "depth": depth}
    if stop():
        return {**about, "weight": 0.0, "complete": False, "topics": len(topics), "resumed": 0}
    warn_of_unanswered_topics(topics, first.rankings, events)
    # Recall of the first stage limits whatever the second one can reach.
    if qrels is not None:
        about["recall"] = {
            str(weight_tried): round(value, 4) for weight_tried, value in compute_recall(first, qrels).items()
        }
    if model is None:
        run = TrecRun(spec.tag or how.replace(" ", ""), first.rankings).limit_depth(depth)
        write_run(run, spec.run)
        return {**about, "weight": 0.0, "complete": True, "topics": len(run.rankings), "documents": len(run)}
    # Tune the weight on topics of their own; no other topic is looked at.
    tuning = _select_tuning_topics(read_topic_files(spec.tune_topics), first, qrels)
    result = score_candidates(
        topics,
        first.limit_depth(depth),
        index.store,
        model,
        spec.run,
        tag=spec.tag or "",
        events=events,
        stop=stop,
    )
    # Weighted sum of both stages, after normalisation.
    about["weight"] = weight = spec.weight
    if result.complete:
        if tuning:
            assert qrels is not None
            weight, tried = tune_interpolation(first, result.run, qrels, topics=tuning)
            means = ", ".join(
                f"{weight_tried:g}: {value:.4f}" for weight_tried, value in sorted(tried.items())
            )
            what = f"weight {weight:g} by nDCG' on {len(tuning)} topics ({means})"
            events(Event("log", {"message": what}))
        run = combine_stages(first, result.run, weight=weight, tag=result.run.tag)
        write_run(run, spec.run, depth=DEPTH)
        about |= {"weight": weight, "documents": len(run.limit_depth(DEPTH))}
    return {**_describe_ranking(result), **about}


def _select_tuning_topics(chosen: Sequence[Topic], first: TrecRun, qrels: Qrels | None) -> list[str]:
    if not chosen or qrels is None:
        return []
    names = [topic.id for topic in chosen if topic.id in qrels.grades and topic.id in first.rankings]
    if not names:
        remedy = "Give their file to --topics too, and their judgements to --qrels."
        raise EngineError("no topic to tune on is both ranked and judged", code="E344", remedy=remedy)
    return names


def _describe_ranking(ranking: ScoredRanking) -> dict[str, Any]:
    return {
        "complete": ranking.complete,
        "model": ranking.run.tag,
        "topics": ranking.topics,
        "documents": len(ranking.run),
        "pairs": ranking.pairs,
        "pairs_per_s": round(ranking.pairs_per_s, 2),
        "truncated": ranking.truncated,
        "truncated_share": round(ranking.truncated / ranking.pairs, 4) if ranking.pairs else 0.0,
        "missing": ranking.missing,
        "resumed": ranking.resumed,
        "seconds": round(ranking.seconds, 2),
    }


@specification
class Fuse(FuseRuns):
    """Fuse runs by reciprocal ranks, plain or weighted by scores, or by weighted scores."""

    task: Annotated[int, Arg("1: answers; 2: formulas, possibly with post ids.", low=1, high=2)] = 1


def fuse(spec: Fuse, *, events: Sink = ignore) -> dict[str, Any]:
    """Write the fused run.

    Returns:
        Out, topics, documents, left_out (documents beyond 1,000 of a topic). Events and errors as of
        `fused_runs`.

    >>> from engines.core.system import asset
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> runs = asset("sample/arqmath/sample-forum") / "runs"
    >>> found = fuse(Fuse((runs / "bm25.tsv", runs / "dense.tsv"), Path(mkdtemp()) / "both.tsv"))
    >>> found["topics"]
    12
    """
    fused, left_out = fused_runs(spec, task=spec.task, events=events)
    result = {
        "out": str(spec.out),
        "topics": len(fused.rankings),
        "documents": len(fused),
        "left_out": left_out,
    }
    write_manifest("arqmath.fuse", spec, spec.out, {"runs": spec.runs}, result)
    return result
