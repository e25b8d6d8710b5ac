"""Runs and judgements as TREC has them: every ARQMath variant of a run read, one that no evaluator can
reorder written with its manifest; the reduction of Task 2 runs to visual ids."""

from __future__ import annotations

import json
import math
import re
import struct
from array import array
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

from engines.core.distributions import installed_versions
from engines.core.errors import DataError, raise_error
from engines.core.events import Sink, warn
from engines.core.files import atomic_writer, write_note
from engines.core.hashing import sha256
from engines.core.rows import read_lines
from engines.core.spec import make_refusal, to_mapping

# Ranked lists: reading every ARQMath variant of a TREC run, and writing one that no evaluator can reorder.
#
# A run maps each topic to its documents in the order in which trec_eval would see them: by score descending,
# compared in single precision, ties by document id descending. The rank column is ignored, as trec_eval does.

Scored = tuple[str, float]
"""A document id and its score."""

DEPTH = 1_000
"""Documents of a topic that a run has at most, as in ARQMath; rankings are as deep when they are fused."""


@dataclass(frozen=True, slots=True)
class TrecRun:
    """A system's ranked documents by topic.

    `rankings` holds them in trec_eval's order, or in that of `from_scores`. `tag` is the name in the file's
    last column. `warnings` says, with line numbers, what was mended when the run was read. `posts` maps
    formula ids to post ids where a Task 2 file carries them. `doubts` says what makes its scores look like
    none.
    """

    tag: str
    rankings: Mapping[str, Sequence[Scored]]
    warnings: tuple[str, ...] = ()
    posts: Mapping[str, str] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()

    @staticmethod
    def from_scores(tag: str, scores: Mapping[str, Iterable[Scored]]) -> TrecRun:
        """Return a run out of unordered scores, compared in double precision, ties by document id descending;
        a document that occurs twice keeps its best score. `write_run` writes scores that keep this order.
        """
        rankings: dict[str, Sequence[Scored]] = {}
        for topic, pairs in scores.items():
            best: dict[str, float] = {}
            for document, score in pairs:
                if not math.isfinite(score):
                    what = f"topic {topic}: document {document} has the score {score}"
                    remedy = "A score is a finite number; did the model's training diverge?"
                    raise DataError(what, remedy=remedy)
                if document not in best or score > best[document]:
                    best[document] = score
            rankings[topic] = sorted(best.items(), key=lambda pair: (pair[1], pair[0]), reverse=True)
        return TrecRun(tag, rankings)

    def __len__(self) -> int:
        return sum(len(ranking) for ranking in self.rankings.values())

    def limit_depth(self, depth: int) -> TrecRun:
        """Return the same run with at most `depth` documents a topic."""
        shorter = {topic: ranking[:depth] for topic, ranking in self.rankings.items()}
        return TrecRun(self.tag, shorter, self.warnings, self.posts, self.doubts)


@dataclass(frozen=True, slots=True)
class Answer:
    """A Task 3 answer: one free text for a topic, with the sources it names."""

    topic: str
    text: str
    score: float
    tag: str
    sources: str


def trec_order(pairs: list[Scored]) -> list[Scored]:
    """Sort documents as trec_eval orders them: by score in single precision, then by id, both descending.

    >>> trec_order([("a", 1.0), ("b", 1.0), ("c", 2.0)])
    [('c', 2.0), ('b', 1.0), ('a', 1.0)]
    """
    single = array("f", (min(max(score, -3.4e38), 3.4e38) for _, score in pairs))
    order = sorted(range(len(pairs)), key=lambda i: (single[i], pairs[i][0]), reverse=True)
    return [pairs[i] for i in order]


_Columns = Callable[[list[str]], tuple[str, str, str, str, str]]


def _detect_columns(first: list[list[str]], path: Path, task: int | None) -> tuple[int, _Columns, bool]:
    """Return how many columns the file has, how (topic, document, rank, score, tag) are taken from one line,
    and whether the third column is a post id. Six columns are TREC's unless the second one names formulas
    (Task 2).
    """
    width = len(first[0])
    if width == 5 and _lacks_tag(first):
        what = "the lines lack their last column, the tag that names the run"
        hint = "Expected topic, Q0, document, rank, score, tag (TREC), or the same without Q0: append a tag."
        raise DataError(what, path=path, line=1, remedy=hint)
    if width == 5:
        return 5, lambda c: (c[0], c[1], c[2], c[3], c[4]), False
    if width != 6:
        remedy = "Expected topic, Q0, document, rank, score, tag (TREC), or the same without Q0."
        raise DataError(f"a run line has {width} columns", path=path, line=1, remedy=remedy)
    first = [columns for columns in first if len(columns) == width]
    second = {columns[1] for columns in first}
    of_posts = not (len(second) == 1 and second <= {"Q0", "q0", "0", "1"})
    if task == 2 and of_posts:
        return 6, lambda c: (c[0], c[1], c[3], c[4], c[5]), True
    if all(_is_number(c[2]) and not _is_number(c[3]) and " " in c[5] for c in first):
        raise _of_task(3, "answers in its last column", path)
    if len(second) == len(first) > 1:
        raise _of_task(2, "formulas in its second column", path)
    return 6, lambda c: (c[0], c[2], c[3], c[4], c[5]), False


def _lacks_tag(lines: Sequence[Sequence[str]]) -> bool:
    """Return whether lines of five columns end with the score: the last one is a number that differs from
    line to line, or the second one is TREC's Q0.
    """
    five = [columns for columns in lines if len(columns) == 5]
    numbers = all(_is_number(columns[4]) for columns in five)
    return numbers and (len({columns[4] for columns in five}) > 1 or five[0][1].upper() == "Q0")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _of_task(task: int, what: str, path: Path) -> DataError:
    return DataError(
        f"this is a run of Task {task}, with {what}",
        path=path,
        code="E318",
        remedy=f"Use a command with --task {task}; the mathamr commands are for Task 2."
        if task == 2
        else "Evaluate it with: mathwb arqmath eval RUN --qrels QRELS --task 3",
    )


def read_run(path: str | Path, *, task: int | None = None) -> TrecRun:
    """Read a run: TREC (6 columns), ARQMath (5), or ARQMath Task 2 with post id (6, `task=2`); plain or gzip.

    Duplicates keep their best score and are reported in `warnings` with their lines; scores that are the
    ranks or all the same, ranks that contradict scores, and several tags are among the `doubts`.

    Raises:
        DataError: With file and line for a wrong column count, a score that is no finite number, or a file
            without rows, E318 for a run of another task.
    """
    path = Path(path)
    rows = (
        (line, [column.strip() for column in _split_columns(text)])
        for line, text in read_lines(path)
        if text.strip()
    )
    # The first rows tell which of the formats this is.
    begin = list(islice(rows, 50))
    if not begin:
        remedy = "Was the system that wrote it interrupted?"
        raise DataError("the run has no rows", path=path, remedy=remedy)
    width, pick, with_post = _detect_columns([columns for _, columns in begin], path, task)
    scores: dict[str, dict[str, float]] = {}
    posts: dict[str, str] = {}
    warnings: list[str] = []
    are_ranks = True
    tags: dict[str, None] = {}
    ranks: dict[str, list[tuple[float, float]]] = {}
    for line, columns in chain(begin, rows):
        if len(columns) != width:
            what = f"{len(columns)} columns where earlier lines have {width}"
            remedy = "All lines of a run have the same columns; see docs/reference/arqmath.md."
            raise DataError(what, path=path, line=line, remedy=remedy)
        topic, document, rank, text, tag = pick(columns)
        try:
            score = float(text)
        except ValueError:
            what = f"the score {text[:40]!r} is not a number"
            remedy = "Is this a qrels file, or are columns missing?"
            raise DataError(what, path=path, line=line, remedy=remedy) from None
        if not math.isfinite(score):
            what = f"the score of document {document} is {text}"
            remedy = "A ranking needs finite scores; write the run again."
            raise DataError(what, path=path, line=line, remedy=remedy)
        # A score that repeats the rank would turn the order upside down.
        are_ranks &= rank.isdecimal() and float(rank) == score
        tags.setdefault(tag)
        if rank.isdecimal():
            ranks.setdefault(topic, []).append((float(rank), score))
        documents = scores.setdefault(topic, {})
        # The better score of a duplicate counts, as the warning says.
        known = documents.get(document)
        if known is not None:
            warnings.append(f"line {line}: document {document} occurs again for topic {topic}")
            score = max(score, known)
        documents[document] = score
        if with_post:
            posts[document] = columns[2]
    rankings = {
        topic: trec_order(list(documents_of_topic.items())) for topic, documents_of_topic in scores.items()
    }
    return TrecRun(
        tag, rankings, tuple(warnings), posts, tuple(_describe_suspicions(scores, ranks, tags, are_ranks))
    )


_NAMED = 5
"""Repeated documents that are named one by one."""


def warned_run(path: Path, task: int | None, events: Sink) -> TrecRun:
    """Return the same, with a warning of all that was mended in it and that makes its scores look like
    none.
    """
    run = read_run(path, task=task)
    mended = list(run.warnings[:_NAMED])
    if len(run.warnings) > _NAMED:
        mended.append(f"{len(run.warnings):,} duplicates in all; the best score of each was used")
    for message in (*mended, *run.doubts):
        warn(events, f"{path}: {message}")
    return run


def _describe_suspicions(
    scores: Mapping[str, Mapping[str, float]],
    ranks: Mapping[str, list[tuple[float, float]]],
    tags: Collection[str],
    are_ranks: bool,
) -> Iterator[str]:
    """Return what makes scores look like none, or the file like several runs."""
    if len(tags) > 1:
        yield f"it names {len(tags):,} runs, as {' and '.join(list(tags)[:2])}, and is read as one run"
    otherwise = [
        topic
        for topic, pairs in ranks.items()
        if any(low > high for (_, high), (_, low) in pairwise(sorted(pairs, key=lambda pair: pair[0])))
    ]
    if otherwise and not are_ranks:
        what = f"{len(otherwise):,} topics, as {otherwise[0]}, are ordered differently by rank and by score"
        yield f"{what}; scores are used, as in trec_eval"
    several = [score.values() for score in scores.values() if len(score) > 1]
    if several and are_ranks:
        yield "every score equals the rank, so the last document counts as the best"
    elif several and all(len(set(topic_scores)) == 1 for topic_scores in several):
        yield "all scores of a topic are equal, so documents are ordered by id"


def strictly_decreasing(scores: Iterable[float]) -> Iterator[float]:
    """Yield scores of a ranking, lowered where needed so that each is smaller than the one before in single
    precision: then no evaluator breaks a tie its own way.
    """
    previous: float | None = None
    for score in scores:
        (value,) = struct.unpack("<f", struct.pack("<f", min(max(score, -3.4e38), 3.4e38)))
        if previous is not None and value >= previous:
            # The next smaller number: one bit away.
            (bits,) = struct.unpack("<i", struct.pack("<f", previous))
            below = -0x7FFFFFFF if previous == 0.0 else bits - 1 if bits > 0 else bits + 1
            (value,) = struct.unpack("<f", struct.pack("<i", below))
        previous = value
        yield value


def with_tail(best: Sequence[Scored], rest: Iterable[str]) -> list[Scored]:
    """Return a ranking, and behind it documents without scores of their own, in their order: as little below
    it as single precision allows.
    """
    tail = list(rest)
    lowest = best[-1][1] if best else 0.0
    lowered = strictly_decreasing([lowest] * (len(tail) + 1))
    return [*best, *zip(tail, list(lowered)[1:], strict=True)]


def unequal_depths(runs: Mapping[Path, TrecRun], topics: Container[str]) -> str:
    """Return a warning where a run is less than half as deep as another, so that what it leaves out counts
    against it; "" where none is. Depth is the mean number of documents of its topics, among `topics`.
    """
    depths = {}
    for path, run in runs.items():
        own = [len(ranking) for topic, ranking in run.rankings.items() if topic in topics]
        depths[path] = sum(own) / len(own) if own else 0.0
    low, high = min(depths, key=depths.__getitem__), max(depths, key=depths.__getitem__)
    if 2 * depths[low] >= depths[high]:
        return ""
    return (
        f"the runs are of unequal depth: {low} has {depths[low]:,.0f} documents of a topic in the mean, "
        f"{high} {depths[high]:,.0f}; missing documents count against a run"
    )


def _split_columns(text: str) -> list[str]:
    return text.split("\t") if "\t" in text else text.split()


def _of_run(columns: Sequence[str]) -> bool:
    """Return whether a line is of a run, of whichever task: a rank and a score stand beside each other in
    it.
    """
    numbers = map(_is_number, columns[1:-1])
    return len(columns) in (5, 6) and any(first and second for first, second in pairwise(numbers))


def check_out(path: Path, topics: Container[str]) -> None:
    """Refuse to write a run where that would lose something.

    Raises:
        EngineError: E432 where that is no run or has lines of other topics, which would be lost, E430 for a
            name of a packed file.
    """
    if path.suffix == ".gz":
        raise make_refusal(
            f"runs are written uncompressed, but {path.name} ends in .gz", "E430", "Leave .gz out."
        )
    if not path.is_file() or not path.stat().st_size:
        return
    lines = [_split_columns(text) for _, text in read_lines(path) if text.strip()]
    foreign = {columns[0] for columns in lines if columns[0] not in topics}
    if not all(map(_of_run, lines)):
        what = f"{path} is not a run, and would be overwritten"
    elif foreign:
        what = (
            f"{path} has lines of {len(foreign):,} other topics, as {min(foreign)}, and would be overwritten"
        )
    else:
        return
    raise make_refusal(what, "E432", "Choose another --out, or remove the file.")


def write_run(run: TrecRun, path: str | Path, *, depth: int = DEPTH) -> int:
    """Write TREC format, at most `depth` documents a topic, ranks from 1, scores strictly decreasing.

    A tag of several words becomes one, since trec_eval parts columns at blanks.

    Returns:
        How many documents stand deeper and were left out.
    """
    tag = "-".join(run.tag.split()) or "run"
    with atomic_writer(Path(path)) as file:
        for topic, ranking in run.rankings.items():
            top = ranking[:depth]
            lowered = strictly_decreasing(score for _, score in top)
            for rank, ((document, _), score) in enumerate(zip(top, lowered, strict=True), start=1):
                file.write(f"{topic}\tQ0\t{document}\t{rank}\t{score:.9g}\t{tag}\n")
    return len(run) - len(run.limit_depth(depth))


def read_answers(path: str | Path, *, limit: int = 1_200) -> tuple[list[Answer], tuple[str, ...]]:
    """Read a Task 3 run: topic, rank, score, tag, sources, answer, tab separated; one answer a topic.

    Returns:
        The answers and warnings (text longer than `limit` Unicode characters, an odd number of `$`).

    Raises:
        DataError: With file and line for wrong columns, a second answer to a topic, or a bad score.
    """
    path, expected = Path(path), "Expected topic, rank, score, run, sources, answer, separated by tabs."
    answers: dict[str, Answer] = {}
    warnings: list[str] = []
    for line, text in read_lines(path):
        if not text.strip():
            continue
        columns = text.split("\t", 5)
        if len(columns) != 6:
            what = f"a Task 3 line has {len(columns)} columns, not 6"
            raise DataError(what, path=path, line=line, remedy=expected)
        # The answer is the last column, so it may contain tabs.
        topic, _rank, score, tag, sources, answer = columns
        try:
            number = float(score)
        except ValueError:
            what = f"the score {score[:40]!r} is not a number"
            raise DataError(what, path=path, line=line, remedy=expected) from None
        if topic in answers:
            remedy = "A run has one answer to a topic."
            raise DataError(f"a second answer to topic {topic}", path=path, line=line, remedy=remedy)
        if len(answer) > limit:
            warnings.append(f"line {line}: the answer to {topic} has {len(answer)} characters, over {limit}")
        if answer.count("$") % 2:
            warnings.append(f"line {line}: the answer to {topic} has an odd number of $")
        answers[topic] = Answer(topic, answer, number, tag, sources)
    if not answers:
        raise DataError("the run has no answers", path=path, remedy=expected)
    return list(answers.values()), tuple(warnings)


def read_answer_ids(path: str | Path) -> dict[str, dict[str, str]]:
    """Return which judged document each run of Task 3 gave to each topic: lines of run, topic, document id.

    Returns:
        Run to topic to document.

    Raises:
        DataError: With file and line for wrong columns or a second document for a topic of a run.
    """
    path, expected = Path(path), "Expected run, topic, id of the answer in the qrels."
    ids: dict[str, dict[str, str]] = {}
    for line, text in read_lines(path):
        columns = text.split()
        if not columns:
            continue
        if len(columns) != 3:
            what = f"a line has {len(columns)} columns, not 3"
            raise DataError(what, path=path, line=line, remedy=expected)
        tag, topic, document = columns
        if ids.setdefault(tag, {}).setdefault(topic, document) != document:
            remedy = "A run has one answer to a topic."
            raise DataError(f"a second answer of {tag} to topic {topic}", path=path, line=line, remedy=remedy)
    if not ids:
        raise DataError("the file names no answers", path=path, remedy=expected)
    return ids


def write_answers(answers: Iterable[Answer], path: str | Path) -> None:
    """Write a Task 3 run: topic, rank 1, score, tag, sources, answer; tabs and line ends become spaces."""
    with atomic_writer(Path(path)) as file:
        for answer in answers:
            columns = (answer.topic, "1", f"{answer.score:.9g}", answer.tag, answer.sources, answer.text)
            file.write("\t".join(" ".join(column.split()) for column in columns) + "\n")


_SHOWN = ("first", "model", "weight", "depth", "candidates")


def package_versions() -> dict[str, str]:
    """Return the versions of the packages that runs and indexes depend on, of those that are installed."""
    return installed_versions(("mathwb", "faiss-cpu", "numpy", "torch", "transformers"))


def manifest_of(run: Path) -> Path:
    """Return where the manifest of a run lies: `RUN.json`."""
    return run.with_name(f"{run.name}.json")


def made_by(run: Path) -> str:
    """Return how a run was made, from what lies beside it: `arqmath.rank, first lexical + dense, weight 0.3`;
    empty where nothing does. Of a run that was changed since it says so.
    """
    try:
        document = json.loads(manifest_of(run).read_bytes())
        shown = [f"{name} {document['found'][name]}" for name in _SHOWN if document["found"].get(name)]
        words = ", ".join([str(document["operation"]), *shown])
        return words if document["run"]["sha256"] == sha256(run) else f"{words}; changed since"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""


def scored_depth(run: Path) -> int | None:
    """Read from a run's manifest how many documents of a topic have scores of their own (`scored`); those
    behind them are there for their order only, whatever scale their scores have.

    Returns:
        None for a run without a manifest, that has been changed since, or in which all scores are of one
        kind.
    """
    try:
        document = json.loads(manifest_of(run).read_bytes())
        depth, made = document.get("scored"), document.get("run", {}).get("sha256")
        known = isinstance(depth, int) and depth > 0 and made in (None, sha256(run))
    except (OSError, ValueError, AttributeError):
        return None
    return depth if known else None


def write_manifest(
    operation: str,
    spec: Any,
    run: Path,
    reads: Mapping[str, Iterable[Path]],
    metadata: Mapping[str, Any],
    *,
    scored: int | None = None,
) -> None:
    """Write the manifest of a run: what made it, from which files, with which settings and versions.

    Raises:
        DataError: E452 where another file is in its place.

    Args:
        operation: Its name, `arqmath.rank`; with the settings of its `spec` it is the command.
        reads: The files that the run depends on, by what they serve as (of an index of answers its manifest,
            which has the hashes of all others).
        metadata: What the operation says of the run.
        scored: As of `scored_depth`.
    """
    document = {
        "operation": operation,
        "settings": to_mapping(spec),
        "run": {"file": run.name, "sha256": sha256(run)},
        "reads": {
            name: [{"file": str(path), "sha256": sha256(path)} for path in paths]
            for name, paths in reads.items()
        },
        "found": dict(metadata),
        **({} if scored is None else {"scored": scored}),
        "versions": package_versions(),
    }
    write_note(manifest_of(run), document, "operation")


NOT_A_GRADE = {5, 6}
"""Task 3 marks: 5 a failure of the judging system, 6 the assessor does not know. Both count as 0."""


@dataclass(frozen=True, slots=True)
class Qrels:
    """Grades by topic and document: 0 not relevant; ARQMath has 1 low, 2 medium, 3 high. A topic may have no
    graded documents."""

    grades: Mapping[str, Mapping[str, int]]

    @property
    def topics(self) -> list[str]:
        """Judged topics in file order."""
        return list(self.grades)

    def __len__(self) -> int:
        return sum(len(documents) for documents in self.grades.values())

    def distribution(self) -> dict[int, int]:
        """Return how many judgements carry each grade."""
        counts: dict[int, int] = {}
        for documents in self.grades.values():
            for grade in documents.values():
                counts[grade] = counts.get(grade, 0) + 1
        return dict(sorted(counts.items()))


def by_grade(grades: Iterable[int]) -> list[int]:
    """Return how many judgements have grade 0, 1, 2, and 3 or more."""
    counts = [0, 0, 0, 0]
    for grade in grades:
        counts[min(grade, 3)] += 1
    return counts


def read_qrels(
    path: str | Path, *, task: int = 1, on_bad: Callable[[DataError], None] = raise_error
) -> Qrels:
    """Read `topic 0 document grade` lines (tabs or spaces, plain or gzip).

    Any whole number is a grade, as in TREC, where one below 0 says that the document was not judged: it is
    left out, as by trec_eval with -J. Of Task 3 they are 0 to 3, and the marks 5 and 6 become 0.

    Raises:
        DataError: With file and line for a wrong column count, a grade that is none, or two different grades
            for one document, unless `on_bad` does something else with it (the line is left out then); for a
            file without judgements.
    """
    path = Path(path)
    marks: dict[str, dict[str, int]] = {}

    def refuse(line: int, what: str, remedy: str) -> None:
        on_bad(DataError(what, path=path, line=line, remedy=remedy))

    # A bad line is passed to `on_bad`, which may raise; if it does not, the line is left out.
    for line, text in read_lines(path, on_bad=on_bad):
        columns = text.split()
        if not columns:
            continue
        if len(columns) != 4:
            what = f"a qrels line has {len(columns)} columns, not 4"
            refuse(line, what, "Expected topic, 0, document, grade. Is this a run?")
            continue
        topic, _, document, mark = columns
        grade = int(mark) if re.fullmatch(r"[+-]?[0-9]{1,9}", mark) else None
        # Task 3 marks 5 (system failure) and 6 (cannot decide) are no grades; they count as not relevant.
        marked = task == 3 and grade in NOT_A_GRADE
        if grade is None or (task == 3 and not marked and not 0 <= grade <= 3):
            what = f"the grade {mark[:20]!r} is not {'one of 0 to 3' if task == 3 else 'a whole number'}"
            remedy = "Expected topic, 0, document, grade; for Task 3 also 5 and 6, which are not grades."
            refuse(line, what, remedy)
            continue
        grade = 0 if marked else max(-1, grade)
        documents = marks.setdefault(topic, {})
        if documents.setdefault(document, grade) != grade:
            what = f"{topic} {document} is graded {documents[document]} above and {grade} here"
            refuse(line, what, "Keep one of the two lines.")
    grades = {
        topic: {document: grade for document, grade in documents.items() if grade >= 0}
        for topic, documents in marks.items()
    }
    if not any(grades.values()):
        raise DataError(
            "no judgements in the file", path=path, remedy="Expected lines of topic, 0, document, grade."
        )
    return Qrels(grades)


def check_topics(run: TrecRun, qrels: Qrels, *, run_path: str | Path, qrels_path: str | Path) -> list[str]:
    """Return the judged topics that the run leaves out.

    Raises:
        DataError: When they share none (another task).
    """
    missing = [topic for topic in qrels.grades if topic not in run.rankings]
    if len(missing) == len(qrels.grades):
        ours = next(iter(run.rankings))
        theirs = next(iter(qrels.grades))
        what = f"run and qrels share no topic (run: {ours} …, qrels: {theirs} …)"
        remedy = f"Are these of the same task and year? The qrels are {qrels_path}."
        raise DataError(what, path=run_path, remedy=remedy)
    return missing


def check_one_each(run: TrecRun, path: str | Path) -> None:
    """Raise DataError E318 for a run that is none of Task 3, as it has several documents of a topic."""
    topic, ranking = max(run.rankings.items(), key=lambda pair: len(pair[1]))
    if len(ranking) > 1:
        what = f"a run of Task 3 has one answer to a topic, and this one has {len(ranking):,} to {topic}"
        raise DataError(what, path=path, code="E318", remedy="Is this a run of Task 1? Leave out --task.")


def read_visual_ids(path: str | Path) -> dict[str, str]:
    """Return visual ids by formula id, from a TSV whose header names an id column (`id`) and `visual_id`.

    A file with two columns and no such header is read as formula id, visual id.
    """
    path = Path(path)
    ids: dict[str, str] = {}
    id_column, visual_column = 0, 1
    for line, text in read_lines(path):
        columns = text.split("\t")
        if line == 1 and "visual_id" in columns:
            id_column = columns.index("id") if "id" in columns else 0
            visual_column = columns.index("visual_id")
            continue
        if len(columns) <= max(id_column, visual_column):
            what = f"{len(columns)} columns where a visual id is expected"
            remedy = "Expected columns id and visual_id, with tabs between them."
            raise DataError(what, path=path, line=line, remedy=remedy)
        if columns[visual_column]:
            ids[columns[id_column]] = columns[visual_column]
    return ids


def to_visual_ids(run: TrecRun, visual_ids: Mapping[str, str]) -> tuple[TrecRun, int]:
    """Return a Task 2 run over visual ids: of the formulas that look the same the best scored stays.

    Returns:
        The run and how many formulas had no visual id (they are left out).
    """
    unknown = 0
    scores: dict[str, list[tuple[str, float]]] = {}
    for topic, ranking in run.rankings.items():
        kept = scores.setdefault(topic, [])
        for formula, score in ranking:
            visual = visual_ids.get(formula)
            if visual is None:
                unknown += 1
            else:
                kept.append((visual, score))
    return TrecRun.from_scores(run.tag, scores), unknown
