"""A collection with its runs and judgements, and its topics with their scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError, EngineError, did_you_mean
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.core.hashing import file_stamp
from engines.core.spec import Arg, no_effect, specification
from engines.forum.folder import ArqmathFolder, IndexFolder, SomeCollection, natural_key
from engines.retrieval.measures import RELEVANT, Evaluation, evaluate
from engines.retrieval.trec import (
    Answer,
    Qrels,
    TrecRun,
    by_grade,
    made_by,
    read_answer_ids,
    read_answers,
    read_qrels,
    read_run,
)

if TYPE_CHECKING:
    from engines.forum.topics import Topic


# A collection with its runs and judgements, read once and evaluated: for looking into rankings.
#
# Judgements of one topic in several files count together, as a file and a reduced copy of it. A run is
# evaluated over all topics of those files of judgements with which it shares a topic: a run of 2020 is not
# held against the topics of 2021.

Added = Annotated[tuple[Path, ...], Arg("Run files from elsewhere.", hidden=True)]
RunName = Annotated[str, Arg("A run's name, or a run file.", shown="the last")]
Against = Annotated[str, Arg("The run to compare with.", shown="the first")]

_MEASURES = ("ndcg_prime", "map_prime", "p10_prime")


def run_name(path: Path) -> str:
    """Return a run's name: its file's, without the endings of tables.

    >>> run_name(Path("runs/bm25.tsv.gz"))
    'bm25'
    """
    return re.sub(r"(\.(tsv|txt|run|trec|gz))+$", "", path.name, flags=re.IGNORECASE) or path.name


@dataclass(frozen=True, slots=True)
class RankedRun:
    """A run of Task 1; `evaluation` is None when it shares no topic with any judgements."""

    name: str
    path: Path
    run: TrecRun
    evaluation: Evaluation | None


@dataclass(frozen=True, slots=True)
class WrittenAnswers:
    """A run of Task 3: its answers by topic and the grades of those that were judged."""

    name: str
    path: Path
    answers: Mapping[str, Answer]
    grades: Mapping[str, int]


@dataclass(slots=True)
class Rankings:
    """The topics, judgements and runs of a collection.

    `grades` and `judged_in` (the files they come from) are by topic; `info` holds the topics' attributes by
    topic and column; `problems` says what could not be read, and was left out; `unread` has the errors of
    runs by file.
    """

    folder: ArqmathFolder
    runs: dict[str, RankedRun] = field(default_factory=dict)
    answers: dict[str, WrittenAnswers] = field(default_factory=dict)
    topics: dict[str, Topic] = field(default_factory=dict)
    grades: dict[str, Mapping[str, int]] = field(default_factory=dict)
    judged_in: dict[str, list[Path]] = field(default_factory=dict)
    info: dict[str, dict[str, str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    unread: dict[Path, EngineError] = field(default_factory=dict)

    @classmethod
    def from_folder(
        cls, folder: ArqmathFolder, added: Sequence[Path] = (), *, events: Sink = ignore, stop: Stop = never
    ) -> Rankings:
        """Read everything but the posts.

        Args:
            added: Run files from elsewhere. What cannot be read becomes one of `problems`; a stop leaves out
                the runs that were not read yet.
        """
        result = cls(folder)
        result._read_topics()
        result._read_judgements()
        paths = [*folder.runs, *(path for path in added if path not in folder.runs)]
        for number, path in enumerate(paths):
            events(Event("progress", {"done": number, "total": len(paths), "unit": "runs"}))
            if stop():
                result.problems.append(f"stopped before {path.name} was read")
                break
            with result._collect_problem(path):
                run = read_run(path)
                name = _make_unique(run_name(path), result.runs)
                result.runs[name] = RankedRun(name, path, run, result._evaluate_run(run))
                result.problems += [f"{path.name} is read, but {doubt}" for doubt in run.doubts]
        result._read_answers()
        if not (result.problems or result.topic_ids()):
            result.problems.append(
                f"{folder.path} has no topics, no judgements and no runs of Tasks 1 and 3. Expected "
                "topics_task1*.xml, qrels_task1*.tsv and runs, or an arqmath.toml that names such files."
            )
        return result

    def topic_ids(self) -> list[str]:
        """Return every topic that is written, judged or answered, in natural order."""
        ids = {*self.topics, *self.grades}
        for run in self.runs.values():
            ids.update(run.run.rankings)
        for written in self.answers.values():
            ids.update(written.answers)
        return sorted(ids, key=natural_key)

    @contextmanager
    def _collect_problem(self, run: Path | None = None) -> Iterator[None]:
        """Yield a file that cannot be read becomes one of `problems`; of a run its error is kept."""
        try:
            yield
        except EngineError as error:
            self.problems.append(str(error))
            if run is not None:
                self.unread[run.absolute()] = error

    def _read_topics(self) -> None:
        from engines.forum.readers import read_topic_info
        from engines.forum.topics import read_topics

        for path in dict.fromkeys((*self.folder.topics.get(1, ()), *self.folder.topics.get(3, ()))):
            with self._collect_problem():
                for topic in read_topics(path):
                    self.topics.setdefault(topic.id, topic)
        for path in self.folder.topic_info:
            with self._collect_problem():
                self.info |= read_topic_info(path)

    def _read_judgements(self) -> None:
        for path in self.folder.qrels.get(1, ()):
            with self._collect_problem():
                otherwise = 0
                for topic, grades in read_qrels(path).grades.items():
                    known = self.grades.get(topic, {})
                    otherwise += sum(
                        known.get(document, grade) != grade for document, grade in grades.items()
                    )
                    self.grades[topic] = {**grades, **known}
                    self.judged_in.setdefault(topic, []).append(path)
                if otherwise:
                    what = f"{path.name} grades {otherwise:,} answers differently from an earlier file"
                    self.problems.append(f"{what}, which counts")

    def _evaluate_run(self, run: TrecRun) -> Evaluation | None:
        files = {file for topic in run.rankings for file in self.judged_in.get(topic, ())}
        if not files:
            return None
        judged = {topic: grades for topic, grades in self.grades.items() if files & {*self.judged_in[topic]}}
        return evaluate(run, Qrels(judged), _MEASURES)

    def _read_answers(self) -> None:
        qrels: dict[str, Mapping[str, int]] = {}
        ids: dict[str, dict[str, str]] = {}
        for path in self.folder.qrels.get(3, ()):
            with self._collect_problem():
                qrels |= read_qrels(path, task=3).grades
                for table in sorted(path.parent.glob("*run_map*.tsv")):
                    ids |= read_answer_ids(table)
        for path in self.folder.answers:
            with self._collect_problem():
                answers, warnings = read_answers(path)
                self.problems += [f"{path.name}: {warning}" for warning in warnings[:3]]
                name = _make_unique(run_name(path), self.answers)
                grades = {}
                for answer in answers:
                    # A judged answer is known by an id of its own where a table gives it, else by its run.
                    judged = qrels.get(answer.topic, {})
                    own = (ids.get(run, {}).get(answer.topic, "") for run in (answer.tag, name))
                    grade = next((judged[key] for key in (*own, answer.tag, name) if key in judged), None)
                    if grade is not None:
                        grades[answer.topic] = grade
                self.answers[name] = WrittenAnswers(
                    name, path, {answer.topic: answer for answer in answers}, grades
                )

    # For showing, JSON-able

    def build_overview(self) -> dict[str, Any]:
        """Return the runs with their means, the topics with their scores in every run, and the distribution
        of grades.
        """
        from engines.retrieval.significance import bootstrap_interval

        runs = []
        for ranked in self.runs.values():
            result = ranked.evaluation
            values = [row["ndcg_prime"] for row in result.per_topic.values()] if result else []
            runs.append(
                {
                    "name": ranked.name,
                    "path": str(ranked.path),
                    "tag": ranked.run.tag,
                    "documents": len(ranked.run),
                    "topics": len(ranked.run.rankings),
                    "judged_topics": len(values),
                    **({name: result.mean[name] for name in _MEASURES} if result else {}),
                    "interval": bootstrap_interval(values) if values else None,
                    "warnings": len(ranked.run.warnings),
                    "made": made_by(ranked.path),
                }
            )
        return {
            "title": self.folder.title,
            "path": str(self.folder.path),
            "posts": str(self.folder.posts or ""),
            "posts_bytes": self.folder.posts.stat().st_size if self.folder.posts else 0,
            "runs": runs,
            "answers": [self._describe_answers(written) for written in self.answers.values()],
            "topics": [self._describe_topic(topic) for topic in self.topic_ids()],
            "qrels": sorted({str(path) for files in self.judged_in.values() for path in files}),
            "grades": by_grade(grade for grades in self.grades.values() for grade in grades.values()),
            "problems": self.problems,
        }

    def _describe_topic(self, topic: str) -> dict[str, Any]:
        info = self.info.get(topic, {})
        scores, judged = {}, {}
        for name, ranked in self.runs.items():
            if ranked.evaluation is not None and topic in ranked.evaluation.per_topic:
                scores[name] = ranked.evaluation.per_topic[topic]["ndcg_prime"]
                judged[name] = ranked.evaluation.judged_counts[topic]
        return {
            "id": topic,
            "title": self.topics[topic].title.text if topic in self.topics else "",
            "kind": (info.get("Type") or info.get("Dependency") or "").casefold(),
            "info": info,
            "grades": by_grade(self.grades[topic].values()) if topic in self.grades else None,
            "ndcg": scores,
            "judged": judged,
        }

    def _describe_answers(self, written: WrittenAnswers) -> dict[str, Any]:
        grades = list(written.grades.values())
        return {
            "name": written.name,
            "path": str(written.path),
            "topics": len(written.answers),
            "judged": len(grades),
            "ar": sum(grades) / len(grades) if grades else None,
            "p1": sum(grade >= RELEVANT for grade in grades) / len(grades) if grades else None,
        }

    def describe_ranking(self, topic: str) -> dict[str, Any]:
        """Return a topic in every run: its text, `runs` (name: [[id, score], …], best first), `grades` and
        `answers`.

        Raises:
            DataError: E371 for a topic that nothing knows.
        """
        rankings = {
            name: [list(pair) for pair in ranked.run.rankings[topic]]
            for name, ranked in self.runs.items()
            if topic in ranked.run.rankings
        }
        text = self.topics.get(topic)
        written = [
            {
                "run": name,
                "text": one.answers[topic].text,
                "score": one.answers[topic].score,
                "sources": one.answers[topic].sources,
                "grade": one.grades.get(topic),
            }
            for name, one in self.answers.items()
            if topic in one.answers
        ]
        if text is None and topic not in self.grades and not rankings and not written:
            remedy = "The topics are listed by: mathwb arqmath topics"
            raise DataError(f"there is no topic {topic!r}", path=self.folder.path, code="E371", remedy=remedy)
        return {
            "topic": topic,
            "title": text.title.text if text else "",
            "question": text.question.text if text else "",
            "tags": list(text.tags) if text else [],
            "info": self.info.get(topic, {}),
            "runs": rankings,
            "grades": dict(self.grades.get(topic, {})),
            "answers": written,
        }

    def find_run(self, wanted: str) -> RankedRun:
        """Return a run by its name or its file.

        Raises:
            DataError: E372, and what is wrong with the file of one that could not be read.
        """
        if error := self.unread.get(Path(wanted).absolute()):
            raise error
        by_path = {ranked.path.absolute(): ranked for ranked in self.runs.values()}
        result = self.runs.get(wanted) or by_path.get(Path(wanted).absolute())
        if result is None:
            known = ", ".join(self.runs) or "none"
            raise DataError(
                f"there is no run {wanted!r}",
                path=self.folder.path,
                code="E372",
                remedy=did_you_mean(wanted, self.runs) or f"Runs: {known}.",
            )
        return result


def answer_rows(ranking: Mapping[str, Any], run: str, against: str = "") -> list[dict[str, Any]]:
    """Return the answers to a topic as one run ranks them, compared with another run.

    Answers that only the other run has follow, then answers judged relevant that neither run has.

    Args:
        ranking: From `Rankings.describe_ranking`.
        run: The run's name.
        against: The name of the run to compare with, or "".

    Returns:
        Rows with `rank` and `other` (the ranks in the two runs, from 1, or None), `move` (how many ranks the
        answer rose), `grade` (None: unjudged), `judged`, `gain` (the grade over log2 of 1 + its rank among
        the judged answers, its part of DCG'), `change` (of the gain from the other run), `score`, `ranks` (in
        all runs) and `run`, the names of these.
    """
    grades: Mapping[str, int] = ranking["grades"]
    ranks_by_run = {
        name: {document: rank for rank, (document, _) in enumerate(pairs, start=1)}
        for name, pairs in ranking["runs"].items()
    }
    # The part that each answer has in DCG', in either run.
    ranks_here, ranks_there = ranks_by_run.get(run, {}), ranks_by_run.get(against, {})
    gains, before = _compute_gains(ranks_here, grades), _compute_gains(ranks_there, grades)
    scores = dict(map(tuple, ranking["runs"].get(run, ())))
    missed = [document for document, grade in grades.items() if grade > 0]
    rows = []
    # Answers of this run first, then those of the other run only, then relevant ones that both miss.
    for document in dict.fromkeys((*ranks_here, *ranks_there, *missed)):
        rank, other_rank, grade = ranks_here.get(document), ranks_there.get(document), grades.get(document)
        compared = bool(against) and against in ranks_by_run
        ranks = {name: known[document] for name, known in ranks_by_run.items() if document in known}
        gain = gains.get(document, 0.0) if grade is not None else None
        rows.append(
            {
                "id": document,
                "rank": rank,
                "other": other_rank,
                "move": other_rank - rank if rank is not None and other_rank is not None else None,
                "grade": grade,
                "judged": grade is not None,
                "gain": gain,
                "change": gain - before.get(document, 0.0) if gain is not None and compared else None,
                "score": scores.get(document),
                "ranks": ranks,
                "run": list(ranks),
            }
        )
    return rows


def _compute_gains(places: Mapping[str, int], grades: Mapping[str, int]) -> dict[str, float]:
    judged = [document for document in places if document in grades]
    return {document: grades[document] / log2(rank + 1) for rank, document in enumerate(judged, start=1)}


def _make_unique(name: str, taken: Iterable[str]) -> str:
    known = set(taken)
    return next(n for n in (name, *(f"{name}-{i}" for i in range(2, len(known) + 3))) if n not in known)


@specification
class ListTopics:
    """List the topics with a run's nDCG', the difference from another run, and the means of all runs."""

    folder: SomeCollection
    run: RunName = ""
    against: Against = ""
    added: Added = ()
    index: IndexFolder = None


@specification
class ShowTopic:
    """Print a topic's ranking: rank, change from another run, grade, gain, score, rank in every run."""

    folder: SomeCollection
    topic: Annotated[str, Arg("A topic's id, like A.301.")]
    run: RunName = ""
    against: Against = ""
    depth: Annotated[int, Arg("How many answers to print.", low=1, short="-k")] = 50
    written: Annotated[bool, Arg("Print the answers of Task 3 instead.")] = False
    added: Added = ()
    index: IndexFolder = None

    def __post_init__(self) -> None:
        if self.written:
            no_effect({"--run": self.run or None, "--against": self.against or None}, "--written")


@specification
class ShowRanking:
    """Print a topic as every run ranks it, with its text and its judgements."""

    folder: SomeCollection
    topic: Annotated[str, Arg("A topic's id, like A.301.")]
    added: Added = ()


@specification
class WriteRun:
    """Write one of a collection's runs in TREC's format."""

    folder: SomeCollection
    run: Annotated[str, Arg("A run's name, or a run file.")]
    out: Annotated[Path, Arg("The file to write.", option=True, writes=True)]
    added: Added = ()


@specification
class DrawRun:
    """Draw the bars of a run over the topics, as SVG."""

    folder: SomeCollection
    run: Annotated[str, Arg("A run's name, or a run file.")]
    against: Against = ""
    added: Added = ()


def list_topics(spec: ListTopics, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """List the topics of a collection with their scores, its runs and its judgements.

    Returns:
        See `Rankings.build_overview`, each topic with its title written for a terminal (`shown`); index:
        ready, small (it can be built while one waits), large or none (there are no posts); run and against,
        the names of the two that are shown: the last and the first unless given.

    Events:
        Progress in runs, warnings of files that cannot be read.

    Raises:
        DataError: For what is no collection, E372 for a run that there is not.

    >>> from engines.core.system import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> [topic["id"] for topic in list_topics(ListTopics(forum))["topics"]][:2]
    ['A.901', 'A.902']
    """
    from engines.arqmath.collection.posts import SMALL_BYTES
    from engines.formula.unicode import render_text

    result = _warn_of_problems(
        _load_rankings(spec.folder, spec.added, (spec.run, spec.against), events, stop), events
    )
    run, against = _choose_runs(result, spec.run, spec.against)
    document = result.build_overview()
    for topic in document["topics"]:
        topic["shown"] = " ".join(render_text(topic["title"]).split())
    posts = result.folder.posts
    state = "none" if posts is None else "small" if posts.stat().st_size <= SMALL_BYTES else "large"
    if posts is not None and spec.index is not None:
        # A finished index that is not older than the posts.
        built = file_stamp(spec.index / "manifest.json")[0]
        state = "ready" if built >= file_stamp(posts)[0] else state
    problems = [*document["problems"], *_warn_of_lost_posts(result.folder, spec.index, events)]
    return {**document, "problems": problems, "index": state, "run": run, "against": against}


def show_topic(
    spec: ShowTopic, *, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any] | list[dict[str, Any]]:
    """Return a topic as one run ranks it, held against another.

    Returns:
        Topic, title, question, tags, info, run, against, answers (see `answer_rows`); `written`: the answers
        of Task 3 alone, each with its text written for a terminal (shown) and, its links (verdicts and wrong,
        see `engines.arqmath.generation.generate`).

    Events:
        As `list_topics`.

    Raises:
        DataError: E371 for a topic, E372 for a run that there is not.
    """

    rankings = _warn_of_problems(
        _load_rankings(spec.folder, spec.added, (spec.run, spec.against), events, stop), events
    )
    _warn_of_lost_posts(rankings.folder, spec.index, events)
    run, against = _choose_runs(rankings, spec.run, spec.against)
    result = _render_ranking(rankings, spec.topic)
    if spec.written:
        from engines.arqmath.generation.generate import check_answer
        from engines.proofreading.proofread_files import TextProofreader

        written: list[dict[str, Any]] = result["answers"]
        proofreader = TextProofreader()
        said = f"{result['title']}\n\n{result['question']}"
        return [{**one, **check_answer(one["text"], said, proofreader)} for one in written]
    named = {name: result[name] for name in ("topic", "title", "question", "tags", "info")}
    return {**named, "run": run, "against": against, "answers": answer_rows(result, run, against)}


def show_ranking(spec: ShowRanking, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Return a topic in every run, as `Rankings.describe_ranking`.

    Its texts and those of the answers written to it are also rendered for a terminal (`shown`).
    """
    return _render_ranking(_load_rankings(spec.folder, spec.added, (), events, stop), spec.topic)


def write_run(spec: WriteRun, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Write a run of the collection to a file.

    Returns:
        File, documents.

    Raises:
        DataError: E372 for a run that there is not.
    """
    from engines.retrieval.trec import write_run as write

    rankings = _load_rankings(spec.folder, spec.added, (spec.run,), events, stop)
    run = rankings.find_run(spec.run).run
    write(run, spec.out, depth=10**9)
    return {"file": str(spec.out), "documents": len(run)}


def draw_run(spec: DrawRun, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Draw a run's nDCG' over the topics.

    Returns:
        Svg.

    Raises:
        DataError: E372 for a run that there is not.
    """
    from engines.retrieval.pictures import draw_bars

    rankings = _warn_of_problems(
        _load_rankings(spec.folder, spec.added, (spec.run, spec.against), events, stop), events
    )
    against = rankings.find_run(spec.against).name if spec.against else ""
    run = rankings.find_run(spec.run).name
    scores = {
        topic["id"]: topic["ndcg"] for topic in rankings.build_overview()["topics"] if run in topic["ndcg"]
    }
    ticks = {topic: own[against] for topic, own in scores.items() if against in own}
    title = f"nDCG′ of {run} over {len(scores)} topics" + (f", tick: {against}" if against else "")
    return {"svg": draw_bars({topic: own[run] for topic, own in scores.items()}, title, ticks=ticks)}


def _render_ranking(rankings: Rankings, topic: str) -> dict[str, Any]:
    from engines.formula.unicode import render_text

    result = rankings.describe_ranking(topic)
    for answer in result["answers"]:
        answer["shown"] = render_text(answer["text"])
    shown = {"title": render_text(result["title"]), "question": render_text(result["question"])}
    return {**result, "shown": shown}


def _warn_of_problems(rankings: Rankings, events: Sink) -> Rankings:
    for problem in rankings.problems:
        warn(events, problem)
    return rankings


def _warn_of_lost_posts(folder: ArqmathFolder, index: Path | None, events: Sink) -> list[str]:
    from engines.arqmath.collection.posts import rows_left_out

    if folder.posts is None or index is None or not (index / "manifest.json").exists():
        return []
    lost = rows_left_out(folder, index)
    messages = [f"{folder.posts.name}: rows that could not be read: {lost:,}; their posts have no text here"]
    for what in messages if lost else ():
        warn(events, what)
    return messages if lost else []


def _choose_runs(rankings: Rankings, run: str, against: str) -> tuple[str, str]:
    names = list(rankings.runs)
    shown = rankings.find_run(run).name if run else names[-1] if names else ""
    others = [name for name in names if name != shown]
    return shown, rankings.find_run(against).name if against else others[0] if others else ""


_CACHE: dict[tuple[object, ...], Rankings] = {}
"""Collections that were read, until one of their files changes."""


def _load_rankings(
    folder: Path, added: tuple[Path, ...], runs: tuple[str, ...], events: Sink, stop: Stop
) -> Rankings:
    """Return the collection, read with the runs from elsewhere; of `runs` those that are files are some."""
    collection = ArqmathFolder.open(folder)
    files = [Path(run).absolute() for run in runs if run and Path(run).is_file()]
    everything = tuple(dict.fromkeys((*added, *files)))
    read = [
        path
        for role, path in collection.list_files()
        if role.name not in ("posts", "links", "comments", "formulas", "formula_runs", "graphs")
    ]
    key = (str(collection.path), *((str(path), file_stamp(path)) for path in (*read, *everything)))
    if key not in _CACHE:
        result = Rankings.from_folder(collection, everything, events=events, stop=stop)
        if stop():
            return result
        while len(_CACHE) > 2:
            del _CACHE[next(iter(_CACHE))]
        _CACHE[key] = result
    return _CACHE[key]
