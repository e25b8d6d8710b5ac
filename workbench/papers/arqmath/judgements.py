"""The user's own judgements of answers, kept apart from the official grades."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from engines.arqmath.choices import SomeCollection
from engines.core.errors import DataError
from engines.core.events import Event, Sink, ignore
from engines.core.files import atomic_writer, read_lines, write_text
from engines.core.locks import locked
from engines.core.spec import Arg

__all__ = ["Judgement", "Judgements", "OwnJudgements", "own_judgements"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the user thinks of an answer: a grade from 0 to 3. `changed` is UTC, ISO 8601."""

    topic: str
    document: str
    grade: int
    changed: str = ""


class Judgements:
    """Own judgements in a file of JSON lines, one per topic and document.

    Every change reads the file again under a lock, so that two programs lose nothing. Lines that cannot be
    read are reported in `problems` and kept as they are.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: tuple[DataError, ...] = ()
        self._unread: list[str] = []
        self._known = self._load()

    def __len__(self) -> int:
        return len(self._known)

    def all(self) -> tuple[Judgement, ...]:
        """Every judgement, by topic and document."""
        from engines.arqmath.ranking.overview import natural

        def key(one: Judgement) -> object:
            return natural(one.topic), natural(one.document)

        return tuple(sorted(self._known.values(), key=key))  # type: ignore[arg-type]

    def of(self, topic: str) -> dict[str, int]:
        """Grades by document for one topic."""
        return {one.document: one.grade for one in self._known.values() if one.topic == topic}

    def judge(self, topic: str, document: str, grade: int | None) -> None:
        """Keep a grade; None takes it back. Raises: DataError E373 for a grade that is not 0 to 3."""
        if grade is not None and not 0 <= grade <= 3:
            raise DataError(f"the grade {grade} is not one of 0 to 3", code="E373")
        with locked(self.path):
            self._known = self._load()
            if grade is None:
                self._known.pop((topic, document), None)
            else:
                now = datetime.now(UTC).isoformat(timespec="seconds")
                self._known[topic, document] = Judgement(topic, document, grade, now)
            with atomic_writer(self.path) as file:
                file.writelines(line + "\n" for line in self._unread)
                file.writelines(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in self.all())

    def qrels(self) -> list[str]:
        """Lines `topic 0 document grade`, tab separated: what every evaluator reads."""
        return [f"{one.topic}\t0\t{one.document}\t{one.grade}" for one in self.all()]

    def write_qrels(self, path: Path) -> Path:
        """Write `qrels()`. Returns: the path."""
        write_text(path, "".join(line + "\n" for line in self.qrels()))
        return path

    def _load(self) -> dict[tuple[str, str], Judgement]:
        known: dict[tuple[str, str], Judgement] = {}
        problems: list[DataError] = []
        self._unread = []
        if self.path.exists() and self.path.stat().st_size:
            for number, line in read_lines(self.path, on_bad=problems.append):
                try:
                    row = json.loads(line)
                    grade = int(row["grade"])
                    if not 0 <= grade <= 3:
                        raise ValueError(f"the grade {grade}")
                    one = Judgement(
                        str(row["topic"]), str(row["document"]), grade, str(row.get("changed", ""))
                    )
                    known[one.topic, one.document] = one
                except (ValueError, KeyError, TypeError) as error:
                    problems.append(DataError(f"no judgement: {error}", path=self.path, line=number))
                    self._unread.append(line)
        self.problems = tuple(problems)
        return known


@dataclass(frozen=True, slots=True)
class OwnJudgements:
    """Print your own judgements of a collection's answers as qrels; they are apart from the official ones."""

    folder: SomeCollection
    out: Annotated[Path | None, Arg("Write them there as qrels.")] = None


def own_judgements(spec: OwnJudgements, *, events: Sink = ignore) -> list[Judgement]:
    """The judgements of a collection of the workspace, written as qrels where `out` names a file.

    Events: warnings of lines that cannot be read. Raises: MissingError E354 for another folder.
    """
    from workbench.papers.arqmath.collections import find_collection
    from workbench.workspace import Workspace

    collection = find_collection(Workspace.open(create=False), str(spec.folder))
    own = collection.judgements()
    for problem in own.problems:
        events(Event("warning", {"message": str(problem)}))
    if not len(own):
        none = f"{collection.name} has no judgements of yours; judge answers on its screen"
        events(Event("warning", {"message": none}))
    if spec.out is not None:
        own.write_qrels(spec.out)
        events(Event("warning", {"message": f"{len(own):,} judgements written to {spec.out}"}))
    return list(own.all())
