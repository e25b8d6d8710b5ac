"""Relevance judgements, and the reduction of Task 2 formula runs to visual ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engines.core.errors import DataError, raised
from engines.core.files import read_lines
from engines.retrieval.run import Run

NOT_A_GRADE = {5, 6}
"""Task 3 marks: 5 a failure of the judging system, 6 the assessor does not know. Both count as 0."""


@dataclass(frozen=True, slots=True)
class Qrels:
    """Grades by topic and document: 0 not relevant, 1 low, 2 medium, 3 high."""

    grades: Mapping[str, Mapping[str, int]]

    @property
    def topics(self) -> list[str]:
        """Judged topics in file order."""
        return list(self.grades)

    def __len__(self) -> int:
        return sum(len(documents) for documents in self.grades.values())

    def distribution(self) -> dict[int, int]:
        """How many judgements carry each grade."""
        counts: dict[int, int] = {}
        for documents in self.grades.values():
            for grade in documents.values():
                counts[grade] = counts.get(grade, 0) + 1
        return dict(sorted(counts.items()))


def read_qrels(
    path: str | Path, *, trec: bool = False, on_bad: Callable[[DataError], None] = raised
) -> Qrels:
    """Read `topic 0 document grade` lines (tabs or spaces, plain or gzip).

    ARQMath's grades are 0 to 3, and its marks 5 and 6 become 0. With `trec` any whole number is a grade, and
    those below 0 become 0. Raises: DataError with file and line for a wrong column count, a grade that is
    none, or two different grades for one document, unless `on_bad` does something else with it (the line is
    left out then); for a file without judgements.
    """
    path = Path(path)
    grades: dict[str, dict[str, int]] = {}

    def refuse(line: int, what: str, remedy: str) -> None:
        on_bad(DataError(what, path=path, line=line, remedy=remedy))

    for line, text in read_lines(path, on_bad=on_bad):
        columns = text.split()
        if not columns:
            continue
        if len(columns) != 4:
            what = f"a qrels line has {len(columns)} columns, not 4"
            refuse(line, what, "Expected topic, 0, document, grade. Is this a run?")
            continue
        topic, _, document, mark = columns
        grade = _grade(mark, trec)
        if grade is None:
            what = f"the grade {mark[:20]!r} is not {'a whole number' if trec else 'one of 0 to 3'}"
            remedy = "Expected topic, 0, document, grade; for Task 3 also 5 and 6, which are not grades."
            refuse(line, what, remedy)
            continue
        documents = grades.setdefault(topic, {})
        if documents.setdefault(document, grade) != grade:
            what = f"{topic} {document} is graded {documents[document]} above and {grade} here"
            refuse(line, what, "Keep one of the two lines.")
    if not grades:
        raise DataError(
            "no judgements in the file", path=path, remedy="Expected lines of topic, 0, document, grade."
        )
    return Qrels(grades)


def _grade(mark: str, trec: bool) -> int | None:
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", mark):
        return None
    if trec:
        return max(0, int(mark))
    return 0 if int(mark) in NOT_A_GRADE else int(mark) if 0 <= int(mark) <= 3 else None


def check_topics(run: Run, qrels: Qrels, *, run_path: str | Path, qrels_path: str | Path) -> list[str]:
    """The judged topics that the run leaves out. Raises: DataError when they share none (another task)."""
    missing = [topic for topic in qrels.grades if topic not in run.rankings]
    if len(missing) == len(qrels.grades):
        ours = next(iter(run.rankings))
        theirs = next(iter(qrels.grades))
        raise DataError(
            f"run and qrels share no topic (run: {ours} …, qrels: {theirs} …)",
            path=run_path,
            remedy=f"Are these of the same task and year? The qrels are {qrels_path}.",
        )
    return missing


def check_one_each(run: Run, path: str | Path) -> None:
    """Raises: DataError E318 for a run that is none of Task 3, as it has several documents of a topic."""
    topic, ranking = max(run.rankings.items(), key=lambda pair: len(pair[1]))
    if len(ranking) > 1:
        raise DataError(
            f"a run of Task 3 has one answer to a topic, and this one has {len(ranking):,} to {topic}",
            path=path,
            code="E318",
            remedy="Is this a run of Task 1? Leave out --task.",
        )


def read_visual_ids(path: str | Path) -> dict[str, str]:
    """Formula id to visual id, from a TSV whose header names an id column (`id`) and `visual_id`.

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
            raise DataError(
                f"{len(columns)} columns where a visual id is expected",
                path=path,
                line=line,
                remedy="Expected columns id and visual_id, with tabs between them.",
            )
        if columns[visual_column]:
            ids[columns[id_column]] = columns[visual_column]
    return ids


def to_visual_ids(run: Run, visual_ids: Mapping[str, str]) -> tuple[Run, int]:
    """A Task 2 run over visual ids: of the formulas that look the same the best scored stays.

    Returns: the run and how many formulas had no visual id (they are left out).
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
    return Run.from_scores(run.tag, scores), unknown
