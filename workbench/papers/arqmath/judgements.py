"""The user's own judgements of answers, kept apart from the official grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from engines.arqmath.arguments import SomeCollection
from engines.core.errors import DataError
from engines.core.events import Sink, ignore, warn
from engines.core.files import write_text
from engines.core.spec import Arg
from workbench.notes import RecordFile


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the user thinks of an answer: a grade from 0 to 3. `changed` is UTC, ISO 8601."""

    topic: str
    document: str
    grade: int
    changed: str = ""


class Judgements(RecordFile[tuple[str, str], Judgement]):
    """Own judgements in a file of JSON lines, one per topic and document."""

    what = "judgement"

    def __len__(self) -> int:
        return len(self.known)

    def read(self, row: Mapping[str, Any]) -> Judgement:
        grade = int(row["grade"])
        if not 0 <= grade <= 3:
            raise ValueError(f"the grade {grade}")
        return Judgement(str(row["topic"]), str(row["document"]), grade, str(row.get("changed", "")))

    def key(self, record: Judgement) -> tuple[str, str]:
        return record.topic, record.document

    def order(self, record: Judgement) -> Any:
        from engines.arqmath.ranking.overview import natural

        return natural(record.topic), natural(record.document)

    def of(self, topic: str) -> dict[str, int]:
        """Grades by document for one topic."""
        return {one.document: one.grade for one in self.known.values() if one.topic == topic}

    def judge(self, topic: str, document: str, grade: int | None) -> None:
        """Keep a grade; None removes it. Raises: DataError E373 for a grade that is not 0 to 3."""
        if grade is not None and not 0 <= grade <= 3:
            raise DataError(
                f"the grade {grade} is not one of 0 to 3", code="E373", remedy="Give 0, 1, 2 or 3."
            )
        with self.changing() as known:
            if grade is None:
                known.pop((topic, document), None)
            else:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                known[topic, document] = Judgement(topic, document, grade, now)

    def qrels(self) -> list[str]:
        """Lines `topic 0 document grade`, tab separated: what every evaluator reads."""
        return [f"{one.topic}\t0\t{one.document}\t{one.grade}" for one in self.all()]

    def write_qrels(self, path: Path) -> Path:
        write_text(path, "".join(line + "\n" for line in self.qrels()))
        return path


@dataclass(frozen=True, slots=True)
class OwnJudgements:
    """Print your own judgements of a collection's answers as qrels, apart from the official ones."""

    folder: SomeCollection
    out: Annotated[Path | None, Arg("Write them to this file as qrels.", writes=True)] = None


def own_judgements(spec: OwnJudgements, *, events: Sink = ignore) -> list[Judgement]:
    """The judgements of a collection of the workspace, written as qrels where `out` names a file.

    Events: warnings of lines that cannot be read. Raises: MissingError E354 for another folder.
    """
    from workbench.papers.arqmath.data import find_collection
    from workbench.workspace import Workspace

    collection = find_collection(Workspace.open(create=False), str(spec.folder))
    own = collection.judgements()
    for problem in own.problems:
        warn(events, str(problem))
    if not len(own):
        none = f"{collection.name} has no judgements of yours; judge answers on its screen"
        warn(events, none)
    if spec.out is not None:
        own.write_qrels(spec.out)
        warn(events, f"{len(own):,} judgements written to {spec.out}")
    return list(own.all())
