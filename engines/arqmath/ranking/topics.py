"""Topics with their scores in every run, and the rankings of one topic."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.arqmath.choices import Added, Against, IndexFolder, RunName, SomeCollection
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import changed
from engines.core.spec import Arg, no_effect

if TYPE_CHECKING:
    from engines.arqmath.ranking.overview import Rankings
    from engines.forum.folder import ArqmathFolder

__all__ = [
    "Picture",
    "Ranking",
    "Show",
    "Topics",
    "WriteRun",
    "picture",
    "ranking",
    "show",
    "topics",
    "write_run",
]


@dataclass(frozen=True, slots=True)
class Topics:
    """Print the topics with a run's nDCG', the difference from another run, and the means of all runs."""

    folder: SomeCollection
    run: RunName = ""
    against: Against = ""
    added: Added = ()
    index: IndexFolder = None


@dataclass(frozen=True, slots=True)
class Show:
    """Print a topic's ranking: rank, move against another run, grade, gain, score, rank in every run."""

    folder: SomeCollection
    topic: Annotated[str, Arg("A topic's id, like A.301.")]
    run: RunName = ""
    against: Against = ""
    depth: Annotated[int, Arg("Answers to print.", low=1, short="-k")] = 50
    written: Annotated[bool, Arg("The answers of Task 3 instead.")] = False
    added: Added = ()
    index: IndexFolder = None

    def __post_init__(self) -> None:
        """Raises: EngineError E427 for runs where written answers are shown, which are those of all."""
        if self.written:
            no_effect({"--run": self.run or None, "--against": self.against or None}, "--written")


@dataclass(frozen=True, slots=True)
class Ranking:
    """Print a topic as every run ranks it, with its text and its judgements."""

    folder: SomeCollection
    topic: Annotated[str, Arg("A topic's id, like A.301.")]
    added: Added = ()


@dataclass(frozen=True, slots=True)
class WriteRun:
    """Write one of a collection's runs in TREC's format."""

    folder: SomeCollection
    run: Annotated[str, Arg("Name of a run, or a run file.")]
    out: Annotated[Path, Arg("The file to write.", option=True, writes=True)]
    added: Added = ()


@dataclass(frozen=True, slots=True)
class Picture:
    """Draw the bars of a run over the topics, as SVG."""

    folder: SomeCollection
    run: Annotated[str, Arg("Name of a run, or a run file.")]
    against: Against = ""
    added: Added = ()


def topics(spec: Topics, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Runs, topics with their scores, and the judgements of a collection.

    Returns: see `Rankings.overview`, each topic with its title written for a terminal (`shown`); index:
    ready, small (it can be built while one waits), large or none (there are no posts); run and against, the
    names of the two that are shown: the last and the first unless given.
    Events: progress in runs, warnings of files that cannot be read. Raises: DataError for what is no
    collection, E372 for a run that there is not.

    >>> from engines.core.assets import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> [topic["id"] for topic in topics(Topics(forum))["topics"]][:2]
    ['A.901', 'A.902']
    """
    from engines.arqmath.collection.lookup import SMALL_BYTES
    from engines.formula.unicode import render_text

    found = _warned(_rankings(spec.folder, spec.added, (spec.run, spec.against), events, stop), events)
    run, against = _chosen(found, spec.run, spec.against)
    document = found.overview()
    for topic in document["topics"]:
        topic["shown"] = " ".join(render_text(topic["title"]).split())
    posts = found.folder.posts
    state = "none" if posts is None else "small" if posts.stat().st_size <= SMALL_BYTES else "large"
    if posts is not None and spec.index is not None:
        # A finished index that is not older than the posts.
        built = changed(spec.index / "manifest.json")[0]
        state = "ready" if built >= changed(posts)[0] else state
    problems = [*document["problems"], *_lost(found.folder, spec.index, events)]
    return {**document, "problems": problems, "index": state, "run": run, "against": against}


def show(spec: Show, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any] | list[dict[str, Any]]:
    """A topic as one run ranks it, held against another.

    Returns: topic, title, question, tags, info, run, against, answers (see `answer_rows`); `written`: the
    answers of Task 3 alone, each with its text written for a terminal (shown). Events: as `topics`. Raises:
    DataError E371 for a topic, E372 for a run that there is not.
    """
    from engines.arqmath.ranking.overview import answer_rows

    rankings = _warned(_rankings(spec.folder, spec.added, (spec.run, spec.against), events, stop), events)
    _lost(rankings.folder, spec.index, events)
    run, against = _chosen(rankings, spec.run, spec.against)
    found = _shown(rankings, spec.topic)
    if spec.written:
        written: list[dict[str, Any]] = found["answers"]
        return written
    named = {name: found[name] for name in ("topic", "title", "question", "tags", "info")}
    return {**named, "run": run, "against": against, "answers": answer_rows(found, run, against)}


def ranking(spec: Ranking, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """A topic in every run; see `Rankings.ranking`. Its texts and those of the answers written to it are also
    written for a terminal (`shown`)."""
    return _shown(_rankings(spec.folder, spec.added, (), events, stop), spec.topic)


def write_run(spec: WriteRun, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Write a run. Returns: file, documents. Raises: DataError E372 for a run that there is not."""
    from engines.retrieval.run import write_run as write

    rankings = _rankings(spec.folder, spec.added, (spec.run,), events, stop)
    run = rankings.find_run(spec.run).run
    write(run, spec.out, depth=10**9)
    return {"file": str(spec.out), "documents": len(run)}


def picture(spec: Picture, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Draw a run's nDCG' over the topics.

    Returns: svg. Raises: DataError E372 for a run that there is not.
    """
    from engines.retrieval.bars import bars

    rankings = _warned(_rankings(spec.folder, spec.added, (spec.run, spec.against), events, stop), events)
    against = rankings.find_run(spec.against).name if spec.against else ""
    run = rankings.find_run(spec.run).name
    scores = {topic["id"]: topic["ndcg"] for topic in rankings.overview()["topics"] if run in topic["ndcg"]}
    ticks = {topic: own[against] for topic, own in scores.items() if against in own}
    title = f"nDCG′ of {run} over {len(scores)} topics" + (f", tick: {against}" if against else "")
    return {"svg": bars({topic: own[run] for topic, own in scores.items()}, title, ticks=ticks)}


def _shown(rankings: Rankings, topic: str) -> dict[str, Any]:
    from engines.formula.unicode import render_text

    found = rankings.ranking(topic)
    for answer in found["answers"]:
        answer["shown"] = render_text(answer["text"])
    shown = {"title": render_text(found["title"]), "question": render_text(found["question"])}
    return {**found, "shown": shown}


def _warned(rankings: Rankings, events: Sink) -> Rankings:
    for problem in rankings.problems:
        events(Event("warning", {"message": problem}))
    return rankings


def _lost(folder: ArqmathFolder, index: Path | None, events: Sink) -> list[str]:
    """A warning of posts that could not be read, where an index knows of them."""
    from engines.arqmath.collection.lookup import rows_left_out

    if folder.posts is None or index is None or not (index / "manifest.json").exists():
        return []
    lost = rows_left_out(folder, index)
    told = [f"{folder.posts.name}: rows that could not be read: {lost:,}; their posts have no text here"]
    for what in told if lost else ():
        events(Event("warning", {"message": what}))
    return told if lost else []


def _chosen(rankings: Rankings, run: str, against: str) -> tuple[str, str]:
    """The names of the two runs, the last and the first unless given."""
    names = list(rankings.runs)
    shown = rankings.find_run(run).name if run else names[-1] if names else ""
    others = [name for name in names if name != shown]
    return shown, rankings.find_run(against).name if against else others[0] if others else ""


_KEPT: dict[tuple[object, ...], Rankings] = {}
"""Collections that were read, until one of their files changes."""


def _rankings(
    folder: Path, added: tuple[Path, ...], runs: tuple[str, ...], events: Sink, stop: Stop
) -> Rankings:
    """The collection, read with the runs from elsewhere; of `runs` those that are files are some."""
    from engines.arqmath.ranking.overview import Rankings
    from engines.forum.folder import ArqmathFolder

    collection = ArqmathFolder.open(folder)
    files = [Path(run).absolute() for run in runs if run and Path(run).is_file()]
    everything = tuple(dict.fromkeys((*added, *files)))
    read = [
        path
        for role, path in collection.files()
        if role.name not in ("posts", "links", "comments", "formulas", "formula_runs", "graphs")
    ]
    key = (str(collection.path), *((str(path), changed(path)) for path in (*read, *everything)))
    if key not in _KEPT:
        found = Rankings.read(collection, everything, events=events, stop=stop)
        if stop():
            return found
        while len(_KEPT) > 2:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = found
    return _KEPT[key]
