"""The ARQMath collections that a workspace knows, how a registered one is checked,
and the user's own judgements, kept apart from the official grades."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

from engines.core.errors import DataError, EngineError, did_you_mean
from engines.core.events import Sink, ignore, warn
from engines.core.files import file_error, write_text
from engines.core.locks import update
from engines.core.rows import CsvRow, csv_rows, read_lines
from engines.core.spec import Arg, specification
from engines.forum.folder import ArqmathFolder, SomeCollection
from engines.forum.readers import Report as Rows
from engines.forum.readers import read_comments, read_formulas, read_post_links, read_posts
from engines.forum.topics import read_topics
from workbench.errors import MissingError, WorkspaceError
from workbench.notes import RecordFile
from workbench.workspace import DataKind, Workspace

# The ARQMath collections that a workspace knows: those in its folder `arqmath/`, and registered ones.
#
# Each has a folder `arqmath/NAME/` in the workspace for what the user adds: `judgements.jsonl`, `runs.json`
# (run files that stay where they are) and `index/`. A collection that lies in the workspace is that folder.

SAMPLE = "sample"

T = TypeVar("T", bound=Any)


@dataclass(frozen=True, slots=True)
class Collection:
    """An ARQMath collection that the workspace knows.

    Args:
        name: Its name.
        path: Its files: a folder, or a file of posts.
        home: The user's folder for it: judgements, runs and index.
    """

    name: str
    path: Path
    home: Path

    @property
    def index(self) -> Path:
        """The folder of its index."""
        return self.home / "index"

    @property
    def indexed(self) -> bool:
        """Whether it has an index."""
        return (self.index / "manifest.json").exists()

    def open_judgements(self) -> Judgements:
        """Open the user's judgements of its answers."""
        return Judgements(self.home / "judgements.jsonl")

    def added_runs(self) -> list[Path]:
        """List the run files from elsewhere that are shown with it.

        Raises:
            WorkspaceError: E504 if the list of them is corrupt.
        """
        try:
            data = self._runs.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise file_error(error, self._runs, "read") from error
        return self._parse_runs(data)

    @property
    def _runs(self) -> Path:
        return self.home / "runs.json"

    def _parse_runs(self, data: bytes) -> list[Path]:
        try:
            return [Path(str(name)) for name in json.loads(data or b"[]")]
        except (ValueError, TypeError) as error:
            what = f"the list of runs is corrupt: {error}"
            remedy = "Remove the file and add the runs again."
            raise WorkspaceError(what, where=str(self._runs), code="E504", remedy=remedy) from error

    def _change_runs(self, edit: Callable[[list[Path]], list[Path]]) -> None:
        def apply_edit(data: bytes) -> bytes:
            return json.dumps([str(one) for one in edit(self._parse_runs(data))], indent=2).encode() + b"\n"

        update(self._runs, apply_edit)

    def add_run(self, path: Path) -> None:
        """Show a run file with the collection from now on.

        Raises:
            DataError: If it is not a run.
        """
        from engines.retrieval.trec import read_run

        path = path.expanduser().absolute()
        read_run(path)
        self._change_runs(lambda known: known if path in known else [*known, path])

    def forget_run(self, path: Path) -> None:
        """Stop showing an added run; the file stays."""
        self._change_runs(lambda known: [one for one in known if one != path])


def list_collections(workspace: Workspace) -> tuple[Collection, ...]:
    """List the collections of a workspace: those in its folder `arqmath/` and registered ones, the sample
    first.
    """
    folder = workspace.make_folder("arqmath")
    results: list[Collection] = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or not path.is_dir():
            continue
        try:
            ArqmathFolder.open(path)
        except EngineError:
            # It may only keep what the user adds to a registered one; a corrupt description is reported.
            if not (path / "arqmath.toml").exists():
                continue
        results.append(Collection(path.name, path, path))
    taken = {one.name for one in results}
    for name, entry in workspace.data.entries_of("arqmath").items():
        name = name if name not in taken else f"{name}-data"
        results.append(Collection(name, Path(entry.path), folder / name))
    return tuple(sorted(results, key=lambda one: (not one.name.startswith(SAMPLE), one.name)))


def find_collection(workspace: Workspace, name: str) -> Collection:
    """Return a collection by its name or its path.

    Raises:
        MissingError: E354 if there is none.
    """
    known = list_collections(workspace)
    path = Path(name).expanduser().absolute()
    for one in known:
        if one.name == name or one.path.absolute() == path:
            if not one.path.exists():
                workspace.data.find_entry(str(one.path)).locate_data()  # says what to do
            return one
    names = [one.name for one in known]
    raise MissingError(
        f"there is no collection {name!r}",
        code="E354",
        remedy=did_you_mean(name, names)
        or (f"Known: {', '.join(names)}." if names else "Register one with mathwb data add arqmath PATH.")
        + " Add the sample to the workspace with: mathwb tour",
    )


def locate_collection(workspace: Workspace, name: str) -> Path | None:
    """Return the path of a collection, or None if there is none with this name."""
    return next((one.path for one in list_collections(workspace) if one.name == name), None)


def name_of(path: Path) -> str:
    """Return the name of the collection with these files or this index; without one, the name of the
    folder.
    """
    for one in list_collections(Workspace.open()):
        if path in (one.path.absolute(), one.index.absolute()):
            return one.name
    return path.name


def collection_path(name: str) -> Path:
    """Return the path of a file or folder, or of the collection of the workspace with this name.

    Raises:
        MissingError: E354 if there is none.
    """
    path = Path(name).expanduser()
    return path.absolute() if path.exists() else find_collection(Workspace.open(create=False), name).path


def index_path(name: str) -> Path:
    """Return the path of an index, or of the index of the collection with this name or path.

    Raises:
        MissingError: E312 if the collection has no index, E354 for an unknown name.
    """
    path = Path(name).expanduser()
    if path.exists() and not (path / "arqmath.toml").exists():
        return path.absolute()
    try:
        one = find_collection(Workspace.open(create=False), name)
    except MissingError:
        if path.exists():
            return path.absolute()
        raise
    if not one.indexed:
        remedy = f"Make it with: mathwb arqmath index {name} --out {one.index}"
        raise MissingError("the collection has no index yet", where=name, code="E312", remedy=remedy)
    return one.index


def source_path(name: str) -> Path:
    """Return the path of what is ranked: a collection or an index.

    A name means a collection of the workspace, or its index if it has one.

    Raises:
        MissingError: E354 if there is none.
    """
    path = Path(name).expanduser()
    if path.exists():
        return path.absolute()
    result = find_collection(Workspace.open(create=False), name)
    return result.index if result.indexed else result.path


def collection_at(folder: Path) -> Collection | None:
    """Return the collection of the workspace with these files, or None; files need no workspace."""
    try:
        every = list_collections(Workspace.open(create=False))
    except EngineError:
        return None
    return next((one for one in every if one.path.absolute() == folder), None)


def resolve_collection(spec: T) -> T:
    """Fill a spec with what the workspace knows of its collection: the index, and the runs added to it."""
    known = collection_at(spec.folder)
    if known is None:
        return spec
    has = {field.name for field in fields(spec)}
    given: dict[str, Any] = {}
    if "index" in has and spec.index is None:
        given["index"] = known.index
    if "added" in has:
        given["added"] = tuple(dict.fromkeys((*spec.added, *known.added_runs())))
    return replace(spec, **given)


def encoder_path(name: str) -> str:
    """Return the name of the built-in encoder, or the absolute path of a model folder."""
    return name if name == "minilm" else str(Path(name).expanduser().absolute())


def list_rankers(workspace: Workspace) -> list[Path]:
    """List the cross-encoders, models that classify a pair or compare its sides: the workspace's, then
    those that ship.

    A model of the workspace hides one that ships and has its name.
    """
    from engines.core.system import models_folder

    results: dict[str, Path] = {}
    for folder in (workspace.models, models_folder()):
        for path in sorted(folder.glob("*/config.json")):
            if _is_ranker(path.parent):
                results.setdefault(path.parent.name, path.parent)
    return list(results.values())


def _is_ranker(model: Path) -> bool:
    from engines.arqmath.ranking.cross_encoder import has_cosine_head
    from engines.core.model_checks import read_config

    try:
        config = read_config(model)
    except (OSError, ValueError):
        return False
    kinds = config.get("architectures")
    kinds = kinds if isinstance(kinds, list) else []
    return has_cosine_head(config) or any(str(kind).endswith("ForSequenceClassification") for kind in kinds)


_HERE = "workbench.papers.arqmath.data"
KINDS = (
    DataKind(
        "arqmath",
        "an ARQMath collection, a folder or one of its files",
        f"{_HERE}:check_collection",
        files=f"{_HERE}:collection_files",
        held=f"{_HERE}:own_folders",
        many="ARQMath collections",
    ),
)

BadRowSink = Callable[[DataError], None]

_LETTERS = {1: "A", 2: "B", 3: "A"}
"""What the topics of a task begin with."""


class _ReportingRows(Rows):
    """Hands every row that is left out on, with its line."""

    def __init__(self, path: Path, report: BadRowSink) -> None:
        super().__init__()
        self._path, self._report = path, report

    def leave_out(self, line: int, reason: str) -> None:
        super().leave_out(line, reason)
        self._report(DataError(reason, path=self._path, line=line, code="E317"))

    def add_warning(self, line: int, reason: str) -> None:
        super().add_warning(line, reason)
        self._report(DataError(reason, path=self._path, line=line, code="E317"))


def own_folders(workspace: Workspace) -> Iterator[Path]:
    """Yield the collections in the workspace itself."""
    for one in list_collections(workspace):
        if one.path.parent == workspace.make_folder("arqmath"):
            yield one.path


def collection_files(path: Path) -> list[Path]:
    """List the files of a collection, which is a folder or a single file."""
    return [file for _, file in ArqmathFolder.open(path).list_files()]


def check_collection(path: Path, report: BadRowSink) -> dict[str, int]:
    """Count what a collection has: questions, answers, links, comments, topics, judgements, ranked
    documents, …

    A file that cannot be used at all is reported like a bad row, and the others count.

    Raises:
        DataError: If there is nothing of ARQMath.
    """
    counts: Counter[str] = Counter()
    for role, file in ArqmathFolder.open(path).list_files():
        counts["files"] += 1
        try:
            counts.update(getattr(_CollectionFile(file, role.task, report), f"check_{role.name}")())
        except DataError as error:
            report(error)
    records = sum(count for name, count in counts.items() if name != "files")
    return {"records": records, **counts}


@dataclass(frozen=True, slots=True)
class _CollectionFile:
    path: Path
    task: int
    report: BadRowSink

    def check_posts(self) -> dict[str, int]:
        rows = _ReportingRows(self.path, self.report)
        kinds: Counter[int] = Counter()
        for post in read_posts(self.path, rows):
            kinds[post.kind] += 1
        result = {"questions": kinds[1], "answers": kinds[2]}
        if not any(result.values()):
            remedy = "Is it a posts file, with PostTypeId 1 and 2?"
            raise DataError("it holds no question and no answer", path=self.path, code="E318", remedy=remedy)
        return result

    def check_links(self) -> dict[str, int]:
        return {"links": sum(1 for _ in read_post_links(self.path, _ReportingRows(self.path, self.report)))}

    def check_comments(self) -> dict[str, int]:
        return {"comments": sum(1 for _ in read_comments(self.path, _ReportingRows(self.path, self.report)))}

    def check_topics(self) -> dict[str, int]:
        topics = read_topics(self.path)
        self._of_task(topics[0].id)
        return {"topics": len(topics)}

    def check_qrels(self) -> dict[str, int]:
        from engines.retrieval.trec import read_qrels

        qrels = read_qrels(self.path, task=self.task, on_bad=self.report)
        self._of_task(qrels.topics[0])
        return {"judgements": len(qrels)}

    def check_runs(self) -> dict[str, int]:
        from engines.retrieval.trec import read_run

        run = read_run(self.path)
        for warning in run.warnings:
            self.report(DataError(warning, path=self.path, code="E317"))
        return {"ranked": len(run)}

    def check_formula_runs(self) -> dict[str, int]:
        from engines.retrieval.trec import read_run

        return {"ranked_formulas": len(read_run(self.path, task=2))}

    def check_graphs(self) -> dict[str, int]:
        from engines.core.rows import read_json_rows
        from engines.mathamr.graph.amr import read_graph

        count = 0
        for line, row in read_json_rows(self.path, "topic_id", "mathamr"):
            try:
                read_graph(row["mathamr"])
                count += 1
            except DataError as error:
                what = f"{row['topic_id']}: {error.what}"
                self.report(DataError(what, path=self.path, line=line, code="E317"))
        return {"graphs": count}

    def check_answers(self) -> dict[str, int]:
        from engines.retrieval.trec import read_answers

        answers, warnings = read_answers(self.path)
        for warning in warnings:
            self.report(DataError(warning, path=self.path, code="E317"))
        return {"written_answers": len(answers)}

    def check_topic_info(self) -> dict[str, int]:
        head, *rows = [*csv_rows(read_lines(self.path, on_bad=self.report))] or [CsvRow(1, 1, [])]
        if "Topic" not in head.cells:
            remedy = "The first line names the columns; one is Topic."
            raise DataError("no column 'Topic'", path=self.path, line=1, code="E318", remedy=remedy)
        count = 0
        for row in rows:
            if len(row.cells) == len(head.cells):
                count += 1
            elif row.cells or row.wrong:
                reason = row.wrong or f"{len(row.cells)} columns, not {len(head.cells)}"
                self.report(DataError(reason, path=self.path, line=row.line, code="E317"))
        return {"topic_rows": count}

    def check_formulas(self) -> dict[str, int]:
        return {"formulas": sum(1 for _ in read_formulas(self.path, _ReportingRows(self.path, self.report)))}

    def _of_task(self, topic: str) -> None:
        if topic[:1] in ("A", "B") and topic[:1] != _LETTERS[self.task]:
            what = f"its topics ({topic}, …) are not of task {self.task}"
            remedy = "Put the task in the file's name, or write an arqmath.toml that names it."
            raise DataError(what, path=self.path, code="E318", remedy=remedy)


@dataclass(frozen=True, slots=True)
class UserJudgement:
    """The user's grade of an answer, from 0 to 3. `changed` is UTC, ISO 8601."""

    topic: str
    document: str
    grade: int
    changed: str = ""


class Judgements(RecordFile[tuple[str, str], UserJudgement]):
    """The user's judgements in a file of JSON lines, one per topic and document."""

    what = "judgement"

    def read_record(self, row: Mapping[str, Any]) -> UserJudgement:
        """Return a judgement of a stored row."""
        grade = int(row["grade"])
        if not 0 <= grade <= 3:
            raise ValueError(f"the grade {grade}")
        return UserJudgement(str(row["topic"]), str(row["document"]), grade, str(row.get("changed", "")))

    def record_key(self, record: UserJudgement) -> tuple[str, str]:
        """Return what identifies a judgement: topic and document."""
        return record.topic, record.document

    def sort_key(self, record: UserJudgement) -> Any:
        """Return the key that judgements are sorted by."""
        from engines.forum.folder import natural_key

        return natural_key(record.topic), natural_key(record.document)

    def grades_of(self, topic: str) -> dict[str, int]:
        """Return the grades of a topic by document."""
        return {one.document: one.grade for one in self.known.values() if one.topic == topic}

    def set_grade(self, topic: str, document: str, grade: int | None) -> None:
        """Store a grade; None removes it.

        Raises:
            DataError: E373 if the grade is not 0 to 3.
        """
        if grade is not None and not 0 <= grade <= 3:
            what = f"the grade {grade} is not one of 0 to 3"
            raise DataError(what, code="E373", remedy="Give 0, 1, 2 or 3.")
        now = datetime.now(UTC).isoformat(timespec="seconds")

        def change_grade(known: dict[tuple[str, str], UserJudgement]) -> None:
            known.pop((topic, document), None)
            if grade is not None:
                known[topic, document] = UserJudgement(topic, document, grade, now)

        self.change_records(change_grade)

    def qrels_lines(self) -> list[str]:
        """Return lines `topic 0 document grade`, separated by tabs, which every evaluator reads."""
        return [f"{one.topic}\t0\t{one.document}\t{one.grade}" for one in self.all_records()]

    def write_qrels(self, path: Path) -> Path:
        """Write the judgements as qrels and return the path."""
        write_text(path, "".join(line + "\n" for line in self.qrels_lines()))
        return path


@specification
class OwnJudgements:
    """Print your own judgements of a collection's answers as qrels, apart from the official ones."""

    folder: SomeCollection
    out: Annotated[Path | None, Arg("Write them to this file as qrels.", writes=True)] = None


def own_judgements(spec: OwnJudgements, *, events: Sink = ignore) -> list[UserJudgement]:
    """Return the judgements of a collection of the workspace, and write them as qrels if `out` names a
    file.

    Args:
        spec: The collection and the file.
        events: Receives warnings of lines that cannot be read.

    Raises:
        MissingError: E354 for another folder.
    """
    collection = find_collection(Workspace.open(create=False), str(spec.folder))
    own = collection.open_judgements()
    for problem in own.problems:
        warn(events, str(problem))
    if not len(own):
        none = f"{collection.name} has no judgements of yours; judge answers on its screen"
        warn(events, none)
    if spec.out is not None:
        own.write_qrels(spec.out)
        warn(events, f"{len(own):,} judgements written to {spec.out}")
    return list(own.all_records())
