"""Answers of their own to topics (Task 3): written by a model, extracted, or the shortest of several runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.arqmath.first_stage import FirstStage
from engines.core.errors import DataError, EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.hashing import sha256
from engines.core.spec import Arg, make_refusal, no_effect, specification

if TYPE_CHECKING:
    from engines.arqmath.generation.answer_writers import AnswerDraft
    from engines.forum.topics import Topic
    from engines.proofreading.proofread_files import TextProofreader
    from engines.retrieval.trec import Answer


_WAYS: Mapping[str, tuple[str, ...]] = {
    "model": ("beams", "length_penalty", "hint", "sample", "top_k", "new_tokens", "no_repeat", "device"),
    "index": ("how", "depth", "scorer"),
    "shortest": (),
}
"""The ways to answer, each with the settings that are its own; a recipe has a seed whatever it does."""
WRONG = ("wrong", "loses domain")


@specification
class Generate:
    """Write one answer of at most 1,200 characters to each topic.

    After a stop or a kill, the same command continues the run.
    """

    topics: Annotated[Path, Arg("Topics of Task 1 or 3, XML.", metavar="TOPICS")]
    out: Annotated[Path, Arg("The run to write.", option=True, writes=True)]
    model: Annotated[
        Path | None, Arg("Generate answers with this GPT-2: a folder, or a model's name.", ref="model")
    ] = None
    index: Annotated[
        Path | None, Arg("Or extract passages from the answers in this index or collection.", ref="index")
    ] = None
    shortest: Annotated[tuple[Path, ...], Arg("Or take the shortest answer of these runs; repeatable.")] = ()
    beams: Annotated[int | None, Arg("Beam width.", low=1, high=1000, shown="5")] = None
    length_penalty: Annotated[float | None, Arg("Values above 0 favour longer answers.", shown="1")] = None
    hint: Annotated[bool | None, Arg("Start answers with HINT, which makes them shorter.", shown="no")] = None
    sample: Annotated[bool | None, Arg("Sample the tokens.", shown="no")] = None
    top_k: Annotated[int | None, Arg("Sample from this many tokens.", low=1, shown="50")] = None
    new_tokens: Annotated[
        int | None, Arg("Tokens of an answer, at most.", low=1, high=100_000, shown="400")
    ] = None
    no_repeat: Annotated[
        int | None, Arg("Never repeat a sequence of this many tokens.", low=0, shown="0, allowed")
    ] = None
    how: Annotated[
        str | None, Arg("--index: how to find candidates, as in search --how.", shown="lexical")
    ] = None
    depth: Annotated[int | None, Arg("--index: extract from this many answers.", low=1, shown="10")] = None
    scorer: Annotated[Path | None, Arg("--index: score passages with this cross-encoder.", ref="model")] = (
        None
    )
    tag: Annotated[str | None, Arg("Name of the run.", shown="the file's")] = None
    seed: Annotated[int | None, Arg("Seed for --sample.", low=0, shown="0")] = None
    device: Annotated[str | None, Arg("Device for --model: cpu or cuda.", shown="cpu")] = None

    def __post_init__(self) -> None:
        if self.how is not None:
            FirstStage.from_text(self.how)
        ways = [name for name in _WAYS if getattr(self, name)]
        if len(ways) != 1:
            raise EngineError(
                "no way to write answers is given"
                if not ways
                else f"{' and '.join(ways)} are different ways to answer",
                code="E427" if ways else "E402",
                remedy="Give one of --model, --index and --shortest.",
            )
        others = (name for way, own in _WAYS.items() if way not in ways for name in own)
        no_effect({f"--{name.replace('_', '-')}": getattr(self, name) for name in others}, f"--{ways[0]}")
        if self.top_k is not None and not self.sample:
            raise make_refusal(
                "--top-k has no effect without --sample", "E427", "Add --sample, or leave it out."
            )


def generate(spec: Generate, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Answer topics and write a Task 3 run.

    Returns:
        Out, topics, answers, complete (false after a stop; what there is stays beside the run); checked: of
        each answer the topic and its links (see `check_answer`).

    Events:
        Progress in topics; warnings of topics of Task 2 and of those without an answer.

    Raises:
        DataError: When no topic got an answer, and as `write_answers`.

    >>> from engines.core.system import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> from tempfile import mkdtemp
    >>> place = Path(mkdtemp())
    >>> written = tuple(sorted((forum / "answers").glob("*.tsv")))
    >>> generate(Generate(forum / "topics_task1.xml", place / "run.tsv", shortest=written))["answers"]
    12
    """
    from engines.arqmath.generation.answer_writers import (
        AnswerDraft,
        Decoding,
        choose_shortest,
        generate_answers,
    )
    from engines.forum.topics import read_topics, warn_of_formula_topics, warn_of_unanswered_topics
    from engines.retrieval.trec import check_out, read_answers, write_answers

    topics = read_topics(spec.topics)
    warn_of_formula_topics(topics, events)
    check_out(spec.out, {topic.id for topic in topics})
    tag = spec.tag or spec.out.stem
    draft = None
    # The settings that are not given have the defaults of `Decoding`.
    if spec.model is not None:
        given = {field.name: getattr(spec, field.name) for field in fields(Decoding)}
        decoding = Decoding(**{name: value for name, value in given.items() if value is not None})
        draft = AnswerDraft.for_run(spec.out, spec.topics, spec.model, {"decoding": asdict(decoding)})
        answers = generate_answers(
            topics,
            spec.model,
            decoding,
            draft,
            tag=tag,
            device=spec.device or "cpu",
            events=events,
            stop=stop,
        )
    elif spec.index is not None:
        draft, answers = _extract_from_index(spec, topics, spec.index, tag, events, stop)
    else:
        topic_ids = {topic.id for topic in topics}
        runs = [read_answers(path)[0] for path in spec.shortest]
        answers = [answer for answer in choose_shortest(runs, tag) if answer.topic in topic_ids]
    # After a stop, the answers so far stay in the draft beside the run.
    complete = not stop()
    if complete and not answers:
        remedy = "Do the topics belong to these runs, or to another collection than the index?"
        raise DataError("no topic got an answer", path=spec.topics, remedy=remedy)
    if complete:
        warn_of_unanswered_topics(topics, {answer.topic for answer in answers}, events)
    if answers and (complete or draft is None):
        write_answers(answers, spec.out)
    if draft is not None and complete:
        draft.remove()
    result = {"out": str(spec.out), "topics": len(topics), "answers": len(answers), "complete": complete}
    from engines.proofreading.proofread_files import TextProofreader

    proofreader = TextProofreader()
    questions = {topic.id: topic.text for topic in topics}
    rows = [
        {"topic": one.topic, **check_answer(one.text, questions[one.topic], proofreader)} for one in answers
    ]
    return {**result, "checked": rows}


_DEPTH, _HOW = 10, "lexical"


def _extract_from_index(
    spec: Generate, topics: Sequence[Topic], path: Path, tag: str, events: Sink, stop: Stop
) -> tuple[AnswerDraft, list[Answer]]:
    from engines.arqmath.collection.index import MANIFEST, cached_index
    from engines.arqmath.generation.answer_writers import AnswerDraft, extract_answers

    index = cached_index(path)  # first: one that cannot be searched leaves no draft
    how, depth = spec.how or _HOW, spec.depth or _DEPTH
    made_of = {
        "index": sha256(path / MANIFEST),
        "how": how,
        "depth": depth,
        "scorer": str(spec.scorer or ""),
    }
    draft = AnswerDraft.for_run(spec.out, spec.topics, spec.scorer, made_of)

    def find_answers(text: str, depth: int) -> list[str]:
        return [hit.id for hit in index.search(text, depth, how=how)]

    def read_texts(posts: Sequence[str]) -> dict[str, str]:
        return {post: stored.text for post, stored in index.store.get_posts(posts).items()}

    score = _load_passage_scorer(spec.scorer)
    return draft, extract_answers(
        topics, find_answers, read_texts, score, draft, tag=tag, depth=depth, events=events, stop=stop
    )


def _load_passage_scorer(model: Path | None) -> Callable[[str, Sequence[str]], list[float]]:
    """Return how passages are judged: by a cross-encoder when one is named, else by the cosine of
    embeddings.
    """
    if model is not None:
        from engines.arqmath.ranking.cross_encoder import CrossEncoder

        ranker = CrossEncoder(model)
        return lambda text, candidates: [
            float(score) for score in ranker.score([(text, one) for one in candidates])
        ]
    from engines.retrieval.encoders import BUILT_IN, encoder

    embedder = encoder(BUILT_IN, half=True)

    def score_by_cosine(text: str, passages: Sequence[str]) -> list[float]:
        vectors = embedder.encode([text, *passages])
        return [float(value) for value in vectors[1:] @ vectors[0]]

    return score_by_cosine


def check_answer(text: str, said: str, proofreader: TextProofreader) -> dict[str, Any]:
    """Return how many links of an answer have which verdict, and those that are wrong, as `verdicts` and
    `wrong`.
    """
    links = proofreader.check_links(text, said)
    wrong = [
        {"link": " ".join(f"{one.left} {one.relation} {one.right}".split()), "reason": one.reason}
        for one in links
        if one.verdict in WRONG
    ]
    return {"verdicts": dict(Counter(one.verdict for one in links)), "wrong": wrong}
