"""The pairs of a file, or one pair, graded: the command `grade`."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from engines.core.errors import DataError, describe_defect
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.notebook_display import Tabular
from engines.core.rows import readable_file
from engines.core.spec import Arg, Flat, exactly_one, make_refusal, specification
from engines.core.stored_rows import StoredRows
from engines.core.text import is_text
from engines.grading.grades import Grade, GradePolicy, grade_under_policy
from engines.grading.pair_rows import PAIRS_REMEDY, read_pairs
from engines.grading.verdicts import GradeOutcome

_PROGRESS_EVERY = 1_000


@specification
class GradePairs:
    """Grade answers against references: equal, equal if, different, undecided or unread.

    An answer is LaTeX, plain text or a whole solution, in which the final answer is found. Only "equal" means
    that it is right; "equal if" gives the condition, "different" a witness, the other two a reason.
    """

    pairs: Annotated[
        Path | None,
        Arg("JSON Lines or CSV with gold and pred; - is standard input.", option=False, inline=".jsonl"),
    ] = None
    gold: Annotated[str | None, Arg("A reference, instead of a file.", metavar="TEXT")] = None
    pred: Annotated[str | None, Arg("The answer to it.", metavar="TEXT")] = None
    problem: Annotated[
        str | None, Arg("The question; in a file its field or column problem.", metavar="TEXT")
    ] = None
    policy: Annotated[GradePolicy, Flat()] = GradePolicy()

    if TYPE_CHECKING:  # checkers see no flat settings

        def __init__(
            self, pairs: Path | None = None, gold: str | None = None, pred: str | None = None, **settings: Any
        ) -> None: ...


@dataclass(frozen=True, slots=True)
class Graded(Tabular):
    """Each pair with its verdict, and how many have which; `complete`: it was not stopped."""

    results: StoredRows
    totals: dict[str, int]
    complete: bool = True

    def table(self) -> tuple[str, Sequence[str], Iterable[Sequence[Any]]]:
        names = ("line", "verdict", "gold", "pred", "condition", "witness", "reason")
        said = ", ".join(f"{count:,} {name}" for name, count in self.totals.items() if count)
        return said, names, ([row.get(name) for name in names] for row in self.results)


def grade_pairs(spec: GradePairs, *, events: Sink = ignore, stop: Stop = never) -> Graded:
    """Grade a file, or one pair. Raises: DataError where none of the rows can be used; EngineError E402 or
    E427 for a pair that is not whole or is given besides a file."""
    exactly_one({"PAIRS": spec.pairs, "--gold": spec.gold}, "Name a file, or give --gold and --pred.")
    if (spec.gold is None) != (spec.pred is None):
        missing = "--gold" if spec.gold is None else "--pred"
        raise make_refusal(f"{missing} is needed", "E402", "Give --gold and --pred.")
    graded = _Grading()
    if spec.gold is not None and spec.pred is not None:
        graded.add_grade(
            1, {}, grade_under_policy(spec.policy, spec.gold, spec.pred, None, spec.problem or "")
        )
        return graded.finish_grading()
    assert spec.pairs is not None

    bad: deque[DataError] = deque()

    def add_bad(before: float) -> None:
        """Put the rows that could not be read among the others, where their lines stand."""
        while bad and (bad[0].line or 0) < before:
            error = bad.popleft()
            events(Event("warning", {"message": str(error)}))
            graded.add_grade(error.line or 0, {}, Grade("unread", reason=f"{error.where}: {error.what}"))
            graded.bad = graded.bad or error
            graded.bad_count += 1

    with readable_file(spec.pairs) as path:
        for number, row in read_pairs(path, bad.append):
            add_bad(number)
            if stop():
                return graded.finish_grading(complete=False)
            problem = row.get("problem")
            question = problem if isinstance(problem, str) and is_text(problem) else ""
            try:
                grade_of_row = grade_under_policy(spec.policy, row["gold"], row["pred"], None, question)
            except Exception as error:  # noqa: BLE001  # one row must not end a file of thousands
                what = f"{path}:{number}: {describe_defect(error, 'the row was not graded')}"
                events(Event("warning", {"message": what}))
                grade_of_row = Grade("unread", reason=what)
                graded.defect_count += 1
            graded.add_grade(number, row, grade_of_row)
            if len(graded.rows) % _PROGRESS_EVERY == 0:
                events(Event("progress", {"done": len(graded.rows), "total": None, "unit": "pairs"}))
        add_bad(math.inf)
        if len(graded.rows) == graded.bad_count:
            raise graded.bad or DataError("there are no pairs", path=path, code="E317", remedy=PAIRS_REMEDY)
    return graded.finish_grading()


def grades_document(graded: Graded) -> dict[str, Any]:
    """Return graded pairs for JSON: results, totals, and whether all pairs were graded."""
    return {"results": graded.results, "totals": graded.totals, "complete": graded.complete}


def exit_code(document: Mapping[str, Any]) -> int:
    """Return the exit code: 0 only if every answer is right; 130 if stopped."""
    if not document["complete"]:
        return 130
    return 0 if document["totals"]["equal"] == document["totals"]["pairs"] else 1


class _Grading:
    """What is graded so far: its rows, which go to the disk, how many have which verdict, the first row that
    could not be read, and on how many a rule failed."""

    def __init__(self) -> None:
        self.rows, self.bad_count, self.defect_count = StoredRows(), 0, 0
        self.bad: DataError | None = None
        self._counts: Counter[str] = Counter()

    def add_grade(self, line: int, row: Mapping[str, Any], grade: Grade) -> None:
        named = {"id": row["id"]} if isinstance(row.get("id"), str | int) else {}
        self.rows.append({"line": line, **named, **asdict(grade)})
        self._counts[grade.verdict] += 1

    def finish_grading(self, *, complete: bool = True) -> Graded:
        totals = {"pairs": len(self.rows), **{name: self._counts[name] for name in get_args(GradeOutcome)}}
        totals |= {"bad rows": self.bad_count, "not graded": self.defect_count}
        return Graded(self.rows, totals, complete)
