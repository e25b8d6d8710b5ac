"""An ARQMath collection as registered data: every file is read in a stream, and its bad rows are named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engines.core.errors import DataError
from engines.core.files import read_lines
from engines.forum.folder import ArqmathFolder
from engines.forum.readers import Report as Rows
from engines.forum.readers import read_comments, read_formulas, read_links, read_posts
from engines.forum.topics import read_topics
from workbench.data_kinds import Kind
from workbench.papers.arqmath.collections import collections
from workbench.workspace import Workspace

__all__ = ["KINDS", "check", "files", "own"]

_HERE = "workbench.papers.arqmath.data"
KINDS = (
    Kind(
        "arqmath",
        "an ARQMath collection, a folder or one of its files",
        f"{_HERE}:check",
        files=f"{_HERE}:files",
        held=f"{_HERE}:own",
        many="ARQMath collections",
    ),
)

Report = Callable[[DataError], None]

_LETTERS = {1: "A", 2: "B", 3: "A"}
"""What the topics of a task begin with."""


class _Reported(Rows):
    """Hands every row that is left out on, with its line."""

    def __init__(self, path: Path, report: Report) -> None:
        super().__init__()
        self._path, self._report = path, report

    def leave_out(self, line: int, reason: str) -> None:
        super().leave_out(line, reason)
        self._report(DataError(reason, path=self._path, line=line, code="E317"))

    def warn(self, line: int, reason: str) -> None:
        super().warn(line, reason)
        self._report(DataError(reason, path=self._path, line=line, code="E317"))


def own(workspace: Workspace) -> Iterator[Path]:
    """The collections that lie in a workspace itself."""
    for one in collections(workspace):
        if one.path.parent == workspace.folder("arqmath"):
            yield one.path


def files(path: Path) -> list[Path]:
    """The files of a collection, which is a folder or a single file."""
    return [file for _, file in ArqmathFolder.open(path).files()]


def check(path: Path, report: Report) -> dict[str, int]:
    """What a collection holds: questions, answers, links, comments, topics, judgements, ranked documents, …

    A file that cannot be used at all is reported like a bad row, and the others count. Raises: DataError when
    there is nothing of ARQMath.
    """
    counts: Counter[str] = Counter()
    for role, file in ArqmathFolder.open(path).files():
        counts["files"] += 1
        try:
            counts.update(getattr(_File(file, role.task, report), role.name)())
        except DataError as error:
            report(error)
    records = sum(count for name, count in counts.items() if name != "files")
    return {"records": records, **counts}


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a collection; a method for each role counts what it holds."""

    path: Path
    task: int
    report: Report

    def posts(self) -> dict[str, int]:
        rows = _Reported(self.path, self.report)
        kinds: Counter[int] = Counter()
        for post in read_posts(self.path, rows):
            kinds[post.kind] += 1
        found = {"questions": kinds[1], "answers": kinds[2]}
        if not any(found.values()):
            raise DataError(
                "it holds no question and no answer",
                path=self.path,
                code="E318",
                remedy="Is it a file of posts, with PostTypeId 1 and 2?",
            )
        return found

    def links(self) -> dict[str, int]:
        return {"links": sum(1 for _ in read_links(self.path, _Reported(self.path, self.report)))}

    def comments(self) -> dict[str, int]:
        return {"comments": sum(1 for _ in read_comments(self.path, _Reported(self.path, self.report)))}

    def topics(self) -> dict[str, int]:
        topics = read_topics(self.path)
        self._of_task(topics[0].id)
        return {"topics": len(topics)}

    def qrels(self) -> dict[str, int]:
        grades: dict[tuple[str, str], str] = {}
        for line, text in read_lines(self.path, on_bad=self.report):
            columns = text.split()
            reason = ""
            if not columns:
                continue
            if len(columns) != 4:
                reason = f"{len(columns)} columns, not 4 (topic, 0, document, grade)"
            elif not (columns[3].isdecimal() and int(columns[3]) in (0, 1, 2, 3, 5, 6)):
                reason = f"the grade {columns[3][:20]!r} is not one of 0 to 3"
            elif grades.setdefault((columns[0], columns[2]), columns[3]) != columns[3]:
                reason = f"{columns[0]} {columns[2]} is graded {grades[columns[0], columns[2]]} above"
            if reason:
                self.report(DataError(reason, path=self.path, line=line, code="E317"))
        if grades:
            self._of_task(next(iter(grades))[0])
        return {"judgements": len(grades)}

    def runs(self) -> dict[str, int]:
        from engines.retrieval.run import read_run

        run = read_run(self.path)
        for warning in run.warnings:
            self.report(DataError(warning, path=self.path, code="E317"))
        return {"ranked": len(run)}

    def formula_runs(self) -> dict[str, int]:
        from engines.retrieval.run import read_run

        return {"ranked_formulas": len(read_run(self.path, task=2))}

    def graphs(self) -> dict[str, int]:
        from engines.core.json_lines import rows
        from engines.mathamr.graph.amr import read_graph

        count = 0
        for line, row in rows(self.path, "topic_id", "mathamr"):
            try:
                read_graph(row["mathamr"])
                count += 1
            except DataError as error:
                what = f"{row['topic_id']}: {error.what}"
                self.report(DataError(what, path=self.path, line=line, code="E317"))
        return {"graphs": count}

    def answers(self) -> dict[str, int]:
        from engines.retrieval.run import read_answers

        answers, warnings = read_answers(self.path)
        for warning in warnings:
            self.report(DataError(warning, path=self.path, code="E317"))
        return {"written_answers": len(answers)}

    def topic_info(self) -> dict[str, int]:
        import csv

        rows = csv.reader(line for _, line in read_lines(self.path, on_bad=self.report))
        header = next(rows, [])
        if "Topic" not in header:
            raise DataError(
                "no column 'Topic'",
                path=self.path,
                line=1,
                code="E318",
                remedy="The first line names the columns; one is Topic.",
            )
        count = 0
        for row in rows:
            if len(row) == len(header):
                count += 1
            elif row:
                reason = f"{len(row)} columns, not {len(header)}"
                self.report(DataError(reason, path=self.path, line=rows.line_num, code="E317"))
        return {"topic_rows": count}

    def formulas(self) -> dict[str, int]:
        return {"formulas": sum(1 for _ in read_formulas(self.path, _Reported(self.path, self.report)))}

    def _of_task(self, topic: str) -> None:
        """Raises: DataError when a topic is of another task than the file's name says."""
        if topic[:1] in ("A", "B") and topic[:1] != _LETTERS[self.task]:
            raise DataError(
                f"its topics ({topic}, …) are not of task {self.task}",
                path=self.path,
                code="E318",
                remedy="Name the file by its task, or write an arqmath.toml that says so.",
            )
