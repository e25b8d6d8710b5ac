"""Pairs of a question and an answer to fine-tune on: ids, labels, and a side.

For each question with answers up to N of its own are correct (label 1), and the same number is incorrect
(label 0): each a random answer of another question that shares a random tag; where no question shares that
tag, one that shares another, and at last any. So the classes are exactly balanced: correct answers for which
no incorrect one can be found are left out, and so are questions without answers (the paper's code gives those
an incorrect answer). Questions that are known duplicates of each other never give each other's negatives.

90 % of the questions are for training and 10 % held out, not 90 % of the pairs, so that no held-out question
has been seen. The topics of ARQMath are questions of 2019 and later and the collection ends with 2018: the
pairs of the collection hold no topic. `annotated` does hold topics; a ranking of the same topics must not be
measured with a model that was trained on them.

Only ids and tags are in memory, about 0.6 GB for a million questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError
from engines.core.files import atomic_writer
from engines.forum.folder import ArqmathFolder
from engines.forum.readers import Report, read_post_links, read_posts
from engines.retrieval.measures import RELEVANT
from engines.retrieval.trec import Qrels, Scored, TrecRun, read_run

_HELD_OUT = 0.1
# Draws from one pool before the next is tried: a rare tag may have nothing but duplicates.
_TRIES = 20

MAKE_RUN = "Make one: mathwb arqmath rank INDEX --questions --no-rerank --depth 100 --out RUN."


@dataclass(frozen=True, slots=True)
class QuestionAnswerPair:
    """`label` is 1 for a correct answer; `held_out` says that its question is not trained on."""

    question: str
    answer: str
    label: int
    held_out: bool


class PairSampler(Protocol):
    """What pairs are drawn from: questions with their correct and incorrect answers, by the question's
    index.
    """

    @property
    def questions(self) -> Sequence[str]:
        """Ids of questions that have correct answers."""
        ...

    def list_correct(self, index: int) -> Sequence[str]:
        """Return the ids of the correct answers of a question."""
        ...

    def draw_incorrect(self, index: int, count: int, draw: Random) -> list[str]:
        """Return ids of different incorrect answers, as many as there are up to `count`."""
        ...


@dataclass(slots=True)
class Threads:
    """The questions of a collection that have answers. `groups` numbers the sets of known duplicates, `known`
    holds every answer's id and its question's place. `left_out` says why others are not here."""

    questions: list[str]
    answers: list[tuple[str, ...]]
    tags: list[tuple[str, ...]]
    groups: list[int]
    known: dict[str, int]
    left_out: dict[str, int]
    _by_tag: dict[str, list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for index, tags in enumerate(self.tags):
            for tag in tags:
                self._by_tag.setdefault(tag, []).append(index)

    def list_correct(self, index: int) -> Sequence[str]:
        """Return the ids of a question's own answers."""
        return self.answers[index]

    def drop_own_answers(self, index: int, ranking: Iterable[Scored]) -> list[Scored]:
        """Return what a first stage ranked for a question, without its own answers and without unknown
        ones.
        """
        return [(id, score) for id, score in ranking if self.known.get(id, index) != index]

    def draw_incorrect(self, index: int, count: int, draw: Random) -> list[str]:
        """Draw answers of questions that share a tag with a question, or of any question."""
        result: list[str] = []
        for _ in range(count):
            answer = self._draw_other_answer(index, draw, result)
            if answer:
                result.append(answer)
        return result

    def _draw_other_answer(self, index: int, draw: Random, taken: Sequence[str]) -> str:
        tags = list(self.tags[index])
        draw.shuffle(tags)
        # Tags come in random order, so that none is favoured; all questions are the last resort.
        for pool in [*(self._by_tag[tag] for tag in tags), range(len(self.questions))]:
            for _ in range(_TRIES):
                other = pool[draw.randrange(len(pool))]
                # An answer to a duplicate of the question may well be correct.
                if self.groups[other] != self.groups[index]:
                    answer = draw.choice(self.answers[other])
                    if answer not in taken:
                        return answer
        return ""


def read_threads(folder: ArqmathFolder, *, exclude: Iterable[str] = ()) -> Threads:
    """Read ids, tags and duplicates of a collection in one pass over its posts, and over its links if it has
    any.

    Of posts with the same id the first is read, as an index does.

    Args:
        exclude: Ids of posts that are evaluated on, of the collection or not; questions among them and known
            duplicates of them are left out, with their answers.

    Raises:
        DataError: E674 when no question has an answer.
    """
    posts, report = folder.need_posts(), Report()
    tags: dict[str, tuple[str, ...]] = {}
    answers: dict[str, list[str]] = {}
    same, seen = _DuplicateSets(), set[str]()
    for post in read_posts(posts, report):
        if post.id in seen:
            continue
        seen.add(post.id)
        if post.kind == 1:
            tags[post.id] = post.tags
            # Duplicates are merged into sets, so that exclusion and negatives respect chains of duplicates.
            for duplicate in post.duplicates:
                same.merge_sets(post.id, duplicate)
        else:
            answers.setdefault(post.parent, []).append(post.id)
    if folder.links is not None:
        for post_id, duplicate, kind in read_post_links(folder.links, report):
            if kind == "duplicate":
                same.merge_sets(post_id, duplicate)
    # A question is excluded if any duplicate of it is.
    banned = {same.find_representative(post) for post in exclude}
    question_ids = [post for post in tags if post in answers and same.find_representative(post) not in banned]
    excluded = sum(same.find_representative(post) in banned for post in tags)
    if not question_ids:
        what = "the collection has no question with an answer"
        remedy = "Name a collection with both, or exclude less."
        raise DataError(what, path=posts, code="E674", exit_code=3, remedy=remedy)
    numbers: dict[str, int] = {}
    return Threads(
        questions=question_ids,
        answers=[tuple(answers[post]) for post in question_ids],
        tags=[tags[post] for post in question_ids],
        groups=[numbers.setdefault(same.find_representative(post), len(numbers)) for post in question_ids],
        known={answer: index for index, post in enumerate(question_ids) for answer in answers[post]},
        left_out={
            "questions without answers": sum(post not in answers for post in tags),
            "questions excluded": excluded,
            "answers without their question": sum(
                len(answer_ids) for post, answer_ids in answers.items() if post not in tags
            ),
            "rows that could not be read": report.bad,
        },
    )


def read_linked_questions(folder: ArqmathFolder) -> dict[str, set[str]]:
    """Return the duplicates and related questions of every question, both ways."""
    result: dict[str, set[str]] = {}
    pairs = [
        (post.id, other)
        for post in read_posts(folder.need_posts(), Report())
        for other in (*post.duplicates, *post.related)
    ]
    if folder.links is not None:
        pairs += [(post, other) for post, other, _ in read_post_links(folder.links, Report())]
    for post, other in pairs:
        result.setdefault(post, set()).add(other)
        result.setdefault(other, set()).add(post)
    return result


def read_question_run(path: Path, threads: Threads) -> TrecRun:
    """Return a first stage's run whose topics are questions.

    Raises:
        DataError: E674 for a run of other topics.
    """
    run = read_run(path)
    if not any(question in run.rankings for question in threads.questions):
        what = "no topic of this run is a question of the collection"
        raise DataError(what, path=path, code="E674", remedy=MAKE_RUN)
    return run


class _DuplicateSets:
    """Sets of duplicates, merged as they are read; a post that never was merged is a set of its own."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def find_representative(self, post: str) -> str:
        above = self._above
        while post in above and above[post] != post:
            # Path halving of a union-find: each step shortens the way of later look-ups.
            above[post] = above.get(above[post], above[post])
            post = above[post]
        return post

    def merge_sets(self, post: str, other: str) -> None:
        self._above[self.find_representative(post)] = self.find_representative(other)


@dataclass(frozen=True, slots=True)
class HardNegatives:
    """Threads whose incorrect answers come, with the probability `share`, from what a first stage ranks high
    for the question: `run` has question ids as topics. The others are drawn as without it."""

    threads: Threads
    run: TrecRun
    share: float = 0.5

    @property
    def questions(self) -> Sequence[str]:
        """The ids of the questions."""
        return self.threads.questions

    def list_correct(self, index: int) -> Sequence[str]:
        """Return the ids of a question's own answers."""
        return self.threads.list_correct(index)

    def draw_incorrect(self, index: int, count: int, draw: Random) -> list[str]:
        """Return ranked answers to other questions that are no duplicates, and answers of the same tag."""
        threads = self.threads
        group = threads.groups[index]
        ranked = [
            answer
            for answer, _ in self.run.rankings.get(threads.questions[index], ())
            if answer in threads.known and threads.groups[threads.known[answer]] != group
        ]
        # Each answer is a hard one with probability `share`, as far as the run has any.
        wanted = min(sum(draw.random() < self.share for _ in range(count)), len(ranked))
        result = draw.sample(ranked, wanted)
        # As many easy answers are drawn as are needed in all: there may be no hard one.
        rest = [answer for answer in threads.draw_incorrect(index, count, draw) if answer not in result]
        return result + rest[: count - len(result)]


@dataclass(frozen=True, slots=True)
class AnnotatedTopics:
    """Judged topics: correct are the relevant answers (grade 2 and 3), incorrect others that a model ranked
    for the topic, judged lower or not judged at all. What the collection lacks is not used."""

    questions: tuple[str, ...]
    relevant: Mapping[str, tuple[str, ...]]
    others: Mapping[str, tuple[str, ...]]

    @classmethod
    def from_qrels(cls, qrels: Qrels, run: TrecRun, known: Iterable[str]) -> AnnotatedTopics:
        """Raise DataError E674 when no judged topic of the run has a relevant answer here."""
        here = known if isinstance(known, Mapping) else set(known)
        relevant, others = {}, {}
        for topic, grades in qrels.grades.items():
            good = tuple(answer for answer, grade in grades.items() if grade >= RELEVANT and answer in here)
            bad = tuple(
                answer
                for answer, _ in run.rankings.get(topic, ())
                if grades.get(answer, 0) < RELEVANT and answer in here
            )
            if good and bad:
                relevant[topic], others[topic] = good, bad
        if not relevant:
            what = "no judged topic of the run has a relevant answer in the collection"
            remedy = "Are judgements, run and collection of the same task and year?"
            raise DataError(what, code="E674", remedy=remedy)
        return cls(tuple(relevant), relevant, others)

    def list_correct(self, index: int) -> Sequence[str]:
        """Return the ids of the relevant answers to a topic."""
        return self.relevant[self.questions[index]]

    def draw_incorrect(self, index: int, count: int, draw: Random) -> list[str]:
        """Draw incorrect answers from those that a first stage ranked for the topic."""
        incorrect = self.others[self.questions[index]]
        return draw.sample(incorrect, min(count, len(incorrect)))


@dataclass(frozen=True, slots=True)
class DrawnPairs:
    """Drawn pairs in random order: `questions` and `answers` are ids, `rows` (pairs, 2) places in them,
    `labels` and `held_out` (pairs,). `counts` says how many there are of what."""

    questions: Sequence[str]
    answers: Sequence[str]
    rows: NDArray[np.int32]
    labels: NDArray[np.int8]
    held_out: NDArray[np.bool_]
    counts: Mapping[str, int]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[QuestionAnswerPair]:
        for (question, answer), label, out in zip(self.rows, self.labels, self.held_out, strict=True):
            yield QuestionAnswerPair(self.questions[question], self.answers[answer], int(label), bool(out))


def draw_held_out(count: int, draw: Random) -> list[int]:
    """Return the places of a tenth of so many questions, in random order; of at least one of two."""
    return draw.sample(range(count), round(count * _HELD_OUT) or int(count > 1))


def draw_pairs(source: PairSampler, *, per_question: int, seed: int) -> DrawnPairs:
    """Draw at most `per_question` correct answers of every question and as many incorrect ones, shuffled.

    This is the sampling of Reusch, Thiele and Lehner (2022): label 1 for an answer of the question, 0 for an
    answer of another question that shares a tag.
    """
    draw = Random(seed)
    count = len(source.questions)
    sides = np.zeros(count, np.bool_)
    # Questions are held out with all of their pairs, or the model would know those it is measured by.
    sides[draw_held_out(count, draw)] = True
    answers: dict[str, int] = {}
    rows: list[tuple[int, int]] = []
    labels: list[int] = []
    without_incorrect = 0
    # Questions that have too few incorrect answers give fewer pairs, to keep the classes balanced.
    for index in range(count):
        own = source.list_correct(index)
        right = draw.sample(own, min(per_question, len(own)))
        wrong = source.draw_incorrect(index, len(right), draw)
        without_incorrect += len(right) - len(wrong)
        for pair in zip(right, wrong, strict=False):
            rows += [(index, answers.setdefault(answer, len(answers))) for answer in pair]
            labels += [1, 0]
    # Shuffle by a generator of its own, so that the draws above do not change the order.
    order = np.random.default_rng([seed, 3]).permutation(len(rows))
    table = np.array(rows, np.int32).reshape(-1, 2)[order]
    of_side = sides[table[:, 0]]
    counts = {
        "questions": count,
        "held_out_questions": int(sides.sum()),
        "pairs": len(table),
        "training_pairs": int((~of_side).sum()),
        "correct": int(sum(labels)),
        "incorrect": len(labels) - int(sum(labels)),
        "correct_left_out": without_incorrect,
    }
    return DrawnPairs(
        source.questions, list(answers), table, np.array(labels, np.int8)[order], of_side, counts
    )


def write_pairs(pairs: DrawnPairs, path: str | Path) -> None:
    """Write pairs as lines of question, answer, label and side (train or dev), separated by tabs, under a
    header.
    """
    with atomic_writer(Path(path)) as file:
        file.write("question\tanswer\tlabel\tside\n")
        for pair in pairs:
            side = "dev" if pair.held_out else "train"
            file.write(f"{pair.question}\t{pair.answer}\t{pair.label}\t{side}\n")
