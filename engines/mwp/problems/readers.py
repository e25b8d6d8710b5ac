"""Readers of problems: formats and layouts are recognised by what a file holds, which is
also described."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import DataError, ExpressionError
from engines.core.files import write_rows
from engines.core.spec import Arg, make_refusal, specification
from engines.mwp.problems.layouts import AGAIN, FIELDS, ProblemLayout, layout_of, rename_fields, unwrap_row
from engines.mwp.problems.numbers import (
    MaskedText,
    language_of,
    list_number_words,
    list_unread_numbers,
    mask_digits,
    mask_numbers,
    mask_words,
    plain_digits,
    value_of,
)
from engines.mwp.problems.problem import (
    Problem,
    evaluate,
    is_right,
    read_equation,
)
from engines.mwp.problems.records import read_records
from engines.mwp.problems.row_equations import MASK, ROUNDED, constant_tree, read_row_equation

_PLACE = re.compile(r"N_(\d+)")
_NUMBER = re.compile(r"\d*\(\d+/\d+\)|\d+(?:\.\d+)?%?")
_PARTED = re.compile(r"(?:(?<![\d.])\d+ *)?\( *\d+ */ *\d+ *\)")
_ANSWER = re.compile(r"[($]*(-?[\d.,]+(?:\(\(?\d+\)?/\(?\d+\)?\))?%?|\(\(?\d+\)?/\(?\d+\)?\)+|\d+/\d+)")
_CLOCK = re.compile(r"\d{1,2}[:：]\d{2}(?!\d)")
_SHORT_WORDS = 6
"""An answer of more words is a solution, in which the final answer is searched for."""
_MANY = 25
"""More numbers than this are remarked: no problem of the data sets has as many."""


@dataclass(frozen=True, slots=True)
class RowNote:
    """Something about a row: its line, its id where it has one, and what it is."""

    line: int
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ProblemFile:
    """The problems of a file, with its format and what is odd about its rows.

    Args:
        format: The layout of most rows.
        rows: Every problem, also those without a usable equation.
        skipped: Rows that are no problem.
        disagreements: Rows whose equation gives another value than the answer beside it (the equation holds).
        remarks: What is odd about rows that were read: no equation, constants that stand in no text, numbers
            that occur twice, ….
    """

    path: Path
    format: str
    rows: tuple[Problem, ...]
    skipped: tuple[RowNote, ...] = ()
    disagreements: tuple[RowNote, ...] = ()
    remarks: tuple[RowNote, ...] = ()

    @property
    def usable(self) -> tuple[Problem, ...]:
        """The problems that have an equation."""
        return tuple(problem for problem in self.rows if problem.equation is not None)

    def list_skipped(self, limit: int = 20) -> dict[str, Any]:
        """Return the entry `skipped` of a report: how many rows are no problem, and the first of them.

        Without such rows there is no entry.
        """
        if not self.skipped:
            return {}
        return {"skipped": {"rows": len(self.skipped), "first": [asdict(n) for n in self.skipped[:limit]]}}

    def count_rows(self) -> dict[str, int]:
        """Return how many problems, unusable rows and remarks of each kind there are."""
        kinds = Counter(note.reason.partition(":")[0] for note in self.remarks)
        return {
            "problems": len(self.rows),
            "usable": len(self.usable),
            "skipped": len(self.skipped),
            "disagreements": len(self.disagreements),
            **dict(sorted(kinds.items())),
        }


def read_problems(
    path: Path, *, words: bool | None = None, fields: Mapping[str, str] | None = None
) -> ProblemFile:
    """Return the problems of a file; see `engines.mwp.problems.readers` for the formats.

    Args:
        words: Whether English number words count as numbers where the text is not masked yet; None takes what
            the format is known for (ASDiv: yes).
        fields: What the columns of the file hold where it has no known format: by one of `FIELDS` the column.

    Raises:
        DataError: E318 for a file without problems, E314 for an empty one, and as `read_lines` does.
    """
    reading = _Reading(words, fields or {})
    for line, row in read_records(
        path, lambda line, reason: reading.skip_row(line, "", reason), [*(fields or {}).values()]
    ):
        reading.read_row(line, row, path)
    if not reading.rows:
        first = reading.skipped[0] if reading.skipped else RowNote(1, "", "it holds no rows")
        what = f"the file holds no problem: {first.reason}"
        remedy = "A problem is a row with `text` (or `question`), `equation` and `answer`; other columns are "
        remedy += "named by --field text=COLUMN, or counted (--field text=2) where they have no names."
        if "not UTF-8" in first.reason:
            remedy = (
                "Save it as UTF-8, for example with: iconv -f GBK -t UTF-8 (of a Chinese spreadsheet), or "
                "-f WINDOWS-1252 (of a Western one)."
            )
        raise DataError(what, path=path, line=first.line or None, code="E318", remedy=remedy)
    ((format, _),) = reading.formats.most_common(1)
    rows = tuple(reading.rows.values())
    return ProblemFile(
        path, format, rows, tuple(reading.skipped), tuple(reading.disagreements), tuple(reading.remarks)
    )


class _UnusableError(Exception):
    pass


class _Reading:
    def __init__(self, words: bool | None, fields: Mapping[str, str]) -> None:
        self.words, self.fields = words, fields
        self.rows: dict[str, Problem] = {}
        self.formats: Counter[str] = Counter()
        self.skipped: list[RowNote] = []
        self.disagreements: list[RowNote] = []
        self.remarks: list[RowNote] = []

    def skip_row(self, line: int, id_: str, reason: str) -> None:
        self.skipped.append(RowNote(line, id_, reason))

    def read_row(self, line: int, row: Mapping[str, Any], path: Path) -> None:
        if self.fields:
            try:
                row = rename_fields(row, self.fields)
            except KeyError as error:
                self.skip_row(line, "", f"it has no column {error}")
                return
        row = unwrap_row(row)
        layout = layout_of(row)
        if layout is None:
            self.skip_row(line, str(row.get("id", "")), "it has no text (or question) of a problem")
            return
        id_ = next((str(row[key]) for key in layout.id if row.get(key) not in (None, "")), "")
        id_ = id_ or f"{path.name.partition('.')[0]}-{line}"
        given, count = id_, 1
        while id_ in self.rows:
            count += 1
            id_ = f"{given}#{count}"
        if id_ != given:
            self.remarks.append(RowNote(line, id_, f"a repeated id: {given} stands above too"))
        try:
            problem, remarks = _build_problem(row, layout, id_, path.name, self.words)
        except _UnusableError as error:
            self.skip_row(line, id_, str(error))
            return
        self.formats[layout.name] += 1
        self.rows[id_] = problem
        self.remarks += (RowNote(line, id_, remark) for remark in remarks)
        if problem.equation and not is_right(problem.answer, problem.gold):
            what = f"{problem.template} gives {problem.answer:.10g}, and the answer is {problem.gold:.10g}"
            self.disagreements.append(RowNote(line, id_, what))


def _build_problem(
    row: Mapping[str, Any], layout: ProblemLayout, id_: str, source: str, words: bool | None
) -> tuple[Problem, list[str]]:
    remarks: list[str] = []
    # The text may be divided among several columns: the story and its question.
    parts = [str(row[key]).strip() for key in layout.original if row.get(key)]
    if not any(parts):
        raise _UnusableError("the text is empty")
    if "question" in layout.original and not row.get("question"):
        raise _UnusableError("the question is empty")
    if len(parts) == 2 and parts[0] in parts[1]:
        # The question is the whole problem.
        del parts[0]
    language = language_of(" ".join(parts), without=layout.language)
    original = ("" if language == "zh" else " ").join(parts)
    if language == "zh" and len(re.findall(r"[A-Za-z]{3,}", _PLACE.sub("", original))) > 2:
        remarks.append("mixed languages: the text is read as Chinese")
    elif language == "en" and len(re.findall("[㐀-鿿]", original)) > 2:
        remarks.append("mixed languages: the text is read as English")
    for key in row:
        if key.endswith(AGAIN):
            remarks.append(f"two columns {key.removesuffix(AGAIN)!r}: the first is read")
    if re.search("[０-９]", original):
        remarks.append("full-width digits: read as plain ones")
    # Numbers may already be masked by placeholders; otherwise they are masked here.
    given = row.get(layout.masked) if layout.masked else None
    if given:
        masked, new_indices = _convert_placeholders(str(given), row.get(layout.numbers), original)
    else:
        if MASK.search(original):
            raise _UnusableError("the text has placeholders without numbers")
        use = layout.words if words is None else words
        segmented = row.get(layout.segmented) if layout.segmented else None
        if layout.program:
            masked, new_indices, use = mask_digits(original), None, False
        elif segmented and language == "zh":
            joined = _join_fractions(str(segmented), plain_digits(original))
            masked, new_indices, use = mask_words(joined.split(" ")), None, False
        else:
            masked, new_indices = mask_numbers(original, language, words=use), None
            if not use and (said := list_number_words(original, masked.numbers)):
                remarks.append(f"number words: {', '.join(said)} not read as numbers without --words")
        unread = list_unread_numbers(masked.text, masked.numbers, original, words=use)
        remarks += (f"not a number: {reason}" for reason in unread)
    if len(masked.numbers) > _MANY:
        remarks.append(f"many numbers: {len(masked.numbers)}")
    text = next((row[key] for key in layout.answer if row.get(key) not in (None, "")), None)
    if layout.options and text is not None:
        options = read_options(row.get(layout.options))
        letter = str(text).strip().strip("().").upper()
        if letter not in options:
            remarks.append(f"no answer: {letter[:40]!r} is none of the options {', '.join(options)}")
        text = f"{letter}) {options[letter]}" if letter in options else None
        answers = _list_answers(options.get(letter))
    elif layout.name in ("plain", "mathwb") and isinstance(text, str) and _is_solution(text):
        from engines.grading.final_answer import answer as find_answer

        short = find_answer(text, "zh" if language == "zh" else "auto")
        answers = _list_answers(short)
        if answers:
            remarks.append(f"a solution: of the answer only {short[:40]!r} is read")
    else:
        answers = _list_answers(text)
    stored = answers[0] if answers else None
    if text is not None and stored is None:
        remarks.append(f"no answer: {str(text)[:40]!r} is not read as a number")
    elif isinstance(text, str) and _is_calculation(text):
        remarks.append(f"a calculation: the answer {text[:40]!r} is {float(stored or 0):.10g}")
    elif (
        isinstance(text, str)
        and layout.name == "plain"
        and re.search(r"[^\W\d_]", text)
        and not _is_solution(text)
    ):
        remarks.append(f"a unit: of the answer {text[:40]!r} only the number is read")
    if len(answers) > 1:
        shown = ", ".join(f"{float(one):.10g}" for one in answers)
        remarks.append(f"several answers: {shown}; one of them counts, that of the equation")
    equation, value = None, None
    try:
        equation, odd = read_row_equation(row, layout, masked, new_indices, answers)
        value = evaluate(equation, masked.values)
        remarks += odd
        stored = next((one for one in answers if is_right(value, one)), stored)
    except ExpressionError as error:
        equation = None
        remarks.append(f"no equation: {error.what}")
    answer = value if value is not None else stored
    fold = row.get(layout.fold)
    return (
        Problem(
            id=id_,
            language=language,
            text=masked.text,
            numbers=masked.numbers,
            values=tuple(map(float, masked.values)),
            equation=equation,
            answer=math.nan if answer is None else float(answer),
            fold=int(str(fold)) if str(fold).isdecimal() else None,
            source=str(row.get("source") or source) if layout.name == "mathwb" else source,
            original=original,
            answer_text=str(row.get("answer_text") or "" if layout.name == "mathwb" else text or ""),
            stated=None if stored is None else float(stored),
        ),
        remarks,
    )


def _join_fractions(segmented: str, original: str) -> str:
    """Return a segmented text in which a fraction is one word, where every sign is one; a whole number before
    it belongs to it where nothing parts them in the text itself.

    >>> _join_fractions("12 - 5 ( 5 / 12 )", "12-5(5/12)")
    '12 - 5(5/12)'
    """

    def join(match: re.Match[str]) -> str:
        mixed = match[0].replace(" ", "")
        whole, bracket, rest = mixed.partition("(")
        return mixed if not whole or mixed in original else f"{whole} {bracket}{rest}"

    return _PARTED.sub(join, segmented)


def _convert_placeholders(text: str, given: Any, original: str) -> tuple[MaskedText, dict[str, str]]:
    """Return a masked text with its placeholders as ours, in order of appearance, and ours by theirs."""
    listed = given if isinstance(given, list) else re.split(r"[\s,;]+", str(given or "").strip())
    numbers = [_plain_number(number) for number in listed if number not in (None, "")]
    results = list(dict.fromkeys(match[0] for match in MASK.finditer(text)))
    first = 1 if any(re.fullmatch(r"n\d+", token) for token in results) else 0
    order = []
    for token in results:
        position = int(re.sub(r"\D", "", token)) - first
        if not 0 <= position < len(numbers):
            raise _UnusableError(f"{token} is not among the {len(numbers)} numbers of the row")
        order.append(position)
    if len(order) < len(numbers):
        raise _UnusableError(f"the text has {len(order)} placeholders for {len(numbers)} numbers")
    names = {token: f"N_{index}" for index, token in enumerate(results)}
    text = MASK.sub(lambda match: names[match[0]], text)
    try:
        values = tuple(value_of(numbers[position]) for position in order)
    except ValueError as error:
        raise _UnusableError(str(error)) from None
    shown = _as_written(text, original)
    if shown is not None and len(shown) == len(values):
        exact = tuple(map(value_of, shown))
        # The number is that of the text, exactly.
        if all(abs(a - b) < ROUNDED for a, b in zip(exact, values, strict=True)):
            return MaskedText(text, shown, exact), names
    return MaskedText(text, tuple(numbers[position] for position in order), values), names


def _plain_number(number: Any) -> str:
    text = str(number).strip()
    return text[:-2] if re.fullmatch(r"-?\d+\.0", text) else text


def _as_written(text: str, original: str) -> tuple[str, ...] | None:
    """Return the numbers as the unmasked text has them, where both are otherwise equal."""
    pieces = _PLACE.split(text)[::2]
    if not original.startswith(pieces[0]):
        return None
    numbers, offset = [], len(pieces[0])
    for piece in pieces[1:]:
        number = _NUMBER.match(original, offset)
        if number is None or not original.startswith(piece, number.end()):
            return None
        numbers.append(number[0])
        offset = number.end() + len(piece)
    return tuple(numbers) if offset == len(original) else None


_OPTION = re.compile(r"\(?([A-J])\s*[).:]\s*", re.IGNORECASE)


def read_options(given: Any) -> dict[str, str]:
    """Return the options of a row by their letters.

    >>> read_options("a ) 38 , b ) 27.5 , c ) none of these")
    {'A': '38', 'B': '27.5', 'C': 'none of these'}
    >>> read_options(["A)21", "B)$2/3"]), read_options([[{"aoVal": "A", "content": "12 "}]])
    ({'A': '21', 'B': '$2/3'}, {'A': '12'})
    """
    if isinstance(given, list):
        result: dict[str, str] = {}
        for one in given:
            if isinstance(one, Mapping):
                options = {str(key).lower(): value for key, value in one.items()}
                result[str(options.get("aoval", "")).strip().upper()] = str(
                    options.get("content", "")
                ).strip()
            else:
                result |= read_options(one)
        return result
    text = str(given or "")
    marks = [mark for mark in _OPTION.finditer(text) if not text[: mark.start()].rstrip()[-1:].isalnum()]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    return {
        mark[1].upper(): text[mark.end() : end].strip().rstrip(",").strip()
        for mark, end in zip(marks, ends, strict=True)
    }


def _is_solution(text: str) -> bool:
    """Return whether an answer is a text that explains it, without the mark of GSM8K before the result."""
    return "####" not in text and (len(text.split()) > _SHORT_WORDS or "\n" in text or "\\boxed" in text)


def _list_answers(given: Any) -> list[Fraction]:
    """Return the number of an answer, and those of several (a list, or `;` between), if all are numbers."""
    if isinstance(given, str):
        # The steps of a solution of GSM8K may have semicolons too.
        given = given.rpartition("####")[2]
    if isinstance(given, str) and ";" in given:
        given = [part for part in given.strip().strip("{}").split(";") if part.strip()]
    if isinstance(given, list) and len(given) == 1 and isinstance(given[0], list):
        (given,) = given
    answers = [_parse_answer(one) for one in (given if isinstance(given, list) else [given])]
    return [] if None in answers else [one for one in answers if one is not None]


def _parse_answer(given: Any) -> Fraction | None:
    """Return an answer's number: of `20 (apples)`, `12.5%`, `((3)/(4))` or `(3/4)/(1/3)`."""
    if given is None or isinstance(given, bool):
        return None
    # The solution of GSM8K ends with its result; a chosen option begins with its letter.
    text = re.sub(r"^\(?[A-J]\)\s*", "", str(given).rpartition("####")[2].strip())
    try:
        return value_of(text)
    except ValueError:
        pass
    if _CLOCK.match(text):
        return None
    if (value := _calculate(text)) is not None:
        return value
    match = _ANSWER.match(text)
    try:
        return value_of(match[1].rstrip(".,")) if match else None
    except ValueError:
        return None


def _calculate(text: str) -> Fraction | None:
    """Return the value of an answer that is a calculation over numbers."""
    try:
        value = evaluate(read_equation(text, constant_tree), ())
    except ExpressionError:
        return None
    return Fraction(value)


def _is_calculation(text: str) -> bool:
    try:
        value_of(text)
    except ValueError:
        return not _CLOCK.match(text) and _calculate(text) is not None
    return False


@specification
class DescribeProblems:
    """Read and check files of problems, row by row; several files are merged."""

    data: Annotated[tuple[Path, ...], Arg("Files of problems, or registered names.", ref="problems")]
    words: Annotated[bool | None, Arg("Read number words as numbers.", shown="as usual for the format")] = (
        None
    )
    field: Annotated[
        tuple[str, ...],
        Arg("Read this from another column, text=COLUMN: text, question, equation, answer, id or fold."),
    ] = ()
    out: Annotated[
        Path | None, Arg("Write all problems that have an equation or an answer to this file.", writes=True)
    ] = None


def described_problems(spec: DescribeProblems) -> dict[str, Any]:
    """Describe files of problems: counts and notes for each file, and the templates of all.

    Raises:
        DataError: As `read_problems` does.

    >>> from engines.core.system import asset
    >>> data = asset("sample/problems/sample-en/problems.jsonl")
    >>> found = described_problems(DescribeProblems((data,)))
    >>> found["problems"], found["usable"], next(iter(found["templates"].items()))
    (181, 181, ('N_0+N_1', 8))
    """
    fields = parse_fields(spec.field)
    read = [read_problems(path, words=spec.words, fields=fields) for path in spec.data]
    rows, renamed = merge_files(read)
    usable = [problem for problem in rows if problem.equation is not None]
    kept = [problem for problem in rows if problem.equation is not None or problem.answer_text]
    if spec.out:
        write_problems(spec.out, kept)
    templates = Counter(problem.template for problem in usable)
    return {
        "files": [
            {
                "path": str(problem_file.path),
                "format": problem_file.format,
                "languages": dict(Counter(problem.language for problem in problem_file.rows)),
                **problem_file.count_rows(),
                "notes": {
                    "skipped": [asdict(note) for note in problem_file.skipped],
                    "disagreements": [asdict(note) for note in problem_file.disagreements],
                    "remarks": [asdict(note) for note in problem_file.remarks],
                },
            }
            for problem_file in read
        ],
        "problems": len(rows),
        "usable": len(usable),
        "renamed": renamed,
        "templates": dict(templates.most_common()),
        "out": spec.out,
        "out_problems": len(kept) if spec.out else None,
    }


def parse_fields(given: Sequence[str]) -> dict[str, str]:
    """Return the columns by what they hold, of `text=prompt`.

    Raises:
        EngineError: E424 for what is no such pair, E402 where no column holds the text.
    """
    result: dict[str, str] = {}
    for one in given:
        name, separator, column = (part.strip() for part in one.partition("="))
        if not separator or not column or name not in FIELDS:
            what = f"--field {one} does not say where one of {', '.join(FIELDS)} stands"
            raise make_refusal(what, "E424", "Write --field text=COLUMN.")
        if name in result:
            raise make_refusal(f"--field names {name} twice", "E424", "Leave one out.")
        result[name] = column
    if result and not {"text", "question"} & {*result}:
        raise make_refusal("--field names no column for the text", "E402", "Add --field text=COLUMN.")
    return result


def merge_files(files: Sequence[ProblemFile]) -> tuple[list[Problem], int]:
    """Return the problems of several files, and how many had to be renamed: an id that an earlier file has
    becomes `file/id`.
    """
    rows: dict[str, Problem] = {}
    renamed = 0
    for file in files:
        name = file.path.name.partition(".")[0]
        for problem in file.rows:
            id_ = problem.id
            while id_ in rows:
                id_ = f"{name}/{id_}"
            renamed += id_ != problem.id
            rows[id_] = replace(problem, id=id_)
    return list(rows.values()), renamed


def write_problems(path: Path, problems: Sequence[Problem] | Iterator[Problem]) -> None:
    """Write problems as JSON Lines that `read_problems` takes back, whole or not at all."""
    write_rows(path, (problem.to_row() for problem in problems))
