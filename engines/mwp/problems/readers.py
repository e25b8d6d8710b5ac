"""Readers of problems: formats and layouts are recognised by what a file holds, which is
also described."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import DataError, ExpressionError
from engines.core.files import write_rows
from engines.core.rows import (
    MAX_DOCUMENT_BYTES,
    RepeatedKeyError,
    csv_cells,
    csv_rows,
    json_object,
    read_lines,
    unique_keys,
)
from engines.core.spec import Arg, specification
from engines.core.tree import Tree
from engines.mwp.problems.numbers import (
    Language,
    Masked,
    language_of,
    list_unread_numbers,
    mask_numbers,
    mask_words,
    plain_digits,
    value_of,
)
from engines.mwp.problems.problem import (
    OPERATORS,
    EquationError,
    Problem,
    constant_label,
    evaluate,
    is_right,
    list_placeholders,
    parse_prefix,
    read_equation,
)


@dataclass(frozen=True, slots=True)
class ProblemLayout:
    """The keys of one format, in lower case.

    Args:
        needs: Keys that make the format.
        masked: The text with placeholders.
        numbers: Their values.
        original: Keys whose texts make the unmasked problem.
        segmented: The same as words.
        equation: Where it stands, the first that is there.
        answer: The source's own.
        exact: In Chinese a number of the equation is one of the text where both are written alike, otherwise
            where they are worth the same.
        words: Numbers in words count.
        language: Of a text without a word.
    """

    name: str
    needs: frozenset[str]
    original: tuple[str, ...]
    equation: tuple[str, ...]
    answer: tuple[str, ...]
    id: tuple[str, ...] = ("id",)
    fold: str = "fold"
    masked: str = ""
    numbers: str = ""
    segmented: str = ""
    exact: bool = False
    words: bool = False
    language: Language = "en"


def _make_layout(name: str, needs: str, *keys: str, masked: str = "", **more: Any) -> ProblemLayout:
    original, equation, answer = (tuple(key.split()) for key in keys)
    text, _, numbers = masked.partition(" ")
    return ProblemLayout(
        name, frozenset(needs.split()), original, equation, answer, masked=text, numbers=numbers, **more
    )


_OURS = "text numbers equation original source"
_BODY = "body question"
LAYOUTS = (
    _make_layout("mathwb", _OURS, "original", "equation", "answer", masked="text numbers"),
    _make_layout(
        *("asdiv-masked", "body question masked prefix", _BODY, "prefix", "answer answer_text"),
        masked="masked numbers",
    ),
    _make_layout(
        "mawps-masked", "masked prefix numbers", "text", "prefix", "answer", masked="masked numbers"
    ),
    _make_layout(
        *("math23k-masked", "original_text text prefix nums", "original_text", "prefix", "answer_raw answer"),
        masked="text nums",
        language="zh",
    ),
    _make_layout(
        *("math23k", "original_text equation", "original_text", "equation", "ans answer_raw answer"),
        segmented="segmented_text",
        exact=True,
        language="zh",
    ),
    _make_layout(
        *("masked-csv", "question numbers equation answer", "question", "equation", "answer"),
        masked="question numbers",
    ),
    _make_layout("asdiv", "body question formula", _BODY, "formula", "answer answer_text", words=True),
    _make_layout("svamp", "body question equation answer", _BODY, "equation", "answer"),
    _make_layout("mawps", "squestion lequations", "squestion", "lequations", "lsolutions", id=("iindex",)),
    _make_layout("plain", "text", "text", "equation", "answer"),
    _make_layout("plain", "question", "question", "equation", "answer"),
)
"""In the order in which they are tried."""


AGAIN = " (again)"
"""Behind the name of a column that another has too."""


def lower_keys(row: Mapping[Any, Any] | Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """Return the row with its keys in lower case, `-` and blanks as `_`, without the `@` of what was XML.

    Of two columns of one name (`Question`, `question`) the one is read that holds the other's text, otherwise
    the first; what differs is kept beside it.
    """
    result: dict[str, Any] = {}
    for key, value in row.items() if isinstance(row, Mapping) else row:
        name = re.sub(r"[-\s]+", "_", str(key).strip().lstrip("@").lower())
        known = result.get(name)
        if known in (None, "") or (known != value and str(known).strip() in str(value)):
            result[name] = value
        elif value not in (None, "") and str(value).strip() not in str(known):
            result[name + AGAIN] = value
    return result


def layout_of(keys: Mapping[str, Any] | frozenset[str]) -> ProblemLayout | None:
    """Return the first known layout whose keys a row has, or None."""
    return next((layout for layout in LAYOUTS if layout.needs <= set(keys)), None)


OnBadRecord = Callable[[int, str], None]
_REMEDY = (
    "Problems are rows of JSON Lines, JSON or CSV with `text` (or `question`), `equation` and `answer`, or a "
    "file of ASDiv, MAWPS, SVAMP, ParaMAWPS or Math23K."
)


def read_records(path: Path, bad: OnBadRecord) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return each record with its line (of its beginning); keys in lower case. Compressed files are read
    through.

    Args:
        bad: Takes line and reason of a record that cannot be read.
    """
    lines = read_lines(
        path, on_bad=lambda error: bad(error.line or 0, error.what), longest=MAX_DOCUMENT_BYTES
    )
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        return iter(())  # blank, or no line could be read
    start = first[1].lstrip()[0]
    rest = chain([first], lines)
    if start == "<":
        return _read_xml(path, rest)
    if start == "{" and _is_json(first[1]):
        return _read_json_lines(rest, bad)
    if start in "[{":
        return _read_json(rest, bad)
    return _read_csv(path, rest, bad)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _read_json_lines(
    lines: Iterator[tuple[int, str]], bad: OnBadRecord
) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            row = json_object(line)
        except ValueError as error:
            bad(number, str(error))
            continue
        yield number, lower_keys(row)


def _read_json(lines: Iterator[tuple[int, str]], bad: OnBadRecord) -> Iterator[tuple[int, dict[str, Any]]]:
    numbered = list(lines)
    text = "\n".join(line for _, line in numbered)
    repeated: list[RepeatedKeyError] = []

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        try:
            return unique_keys(pairs)
        except RepeatedKeyError as error:
            repeated.append(error)
            return {}

    # Rows are decoded one by one from the whole text: an object may go on over several lines.
    decoder = json.JSONDecoder(object_pairs_hook=object_of)
    offset = len(text) - len(text.lstrip().removeprefix("["))
    counted = number = 0
    # `offset` is a position in the text; `counted` is how far line breaks have been counted.
    while match := re.compile(r"[\s,]*").match(text, offset):
        offset = match.end()
        if offset >= len(text) or text[offset] == "]":
            return
        number += text.count("\n", counted, offset)
        counted = offset
        line = numbered[number][0]
        try:
            row, offset = decoder.raw_decode(text, offset)
        except (ValueError, RecursionError) as error:
            # Where the next object begins cannot be known.
            bad(line, f"from here on the file is not JSON: {error}")
            return
        if repeated:
            bad(line, str(repeated[0]))
            repeated.clear()
        elif isinstance(row, dict):
            yield line, lower_keys(row)
        else:
            bad(line, "this is not a JSON object")


_MOST = 100_000
"""Characters of a cell: more is a quote that nothing closes."""


def _read_csv(
    path: Path, lines: Iterator[tuple[int, str]], bad: OnBadRecord
) -> Iterator[tuple[int, dict[str, Any]]]:
    head_line, head = next(lines)
    if re.fullmatch('"?sep=.?"?', head.strip(), re.IGNORECASE):
        # A spreadsheet's own line, which says what separates.
        head_line, head = next(lines, (head_line, ""))
    separators = (",", "\t", ";")
    fitting = [one for one in separators if layout_of(lower_keys(dict.fromkeys(csv_cells(head, one))))]
    if not fitting:
        columns = max((csv_cells(head, one) for one in separators), key=len)
        what = f"the columns {', '.join(columns)[:120]!r} are not those of problems"
        raise DataError(what, path=path, line=head_line, code="E318", remedy=_REMEDY)
    separator = max(fitting, key=lambda one: len(csv_cells(head, one)))
    header = csv_cells(head, separator)
    for row in csv_rows(lines, separator):
        long = bool(row.cells) and max(map(len, row.cells)) > _MOST
        if row.wrong or long:
            wrong = row.wrong or f"a cell has more than {_MOST:,} characters"
            bad(row.line, f"from here on the file is not CSV: {wrong}")
            return
        if row.cells and len(row.cells) != len(header):
            over = f" over {row.lines} lines: a quote may not be closed" if row.lines > 1 else ""
            bad(row.line, f"{len(row.cells)} columns, not {len(header)}{over}")
        elif row.cells:
            yield row.line, lower_keys(zip(header, row.cells, strict=True))


def _read_xml(path: Path, lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the problems of ASDiv; the folds are read where the folder `nfolds` lies beside the file."""
    from lxml import etree

    text = "\n".join(line for _, line in lines)
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        what, remedy = f"the XML is broken: {error.msg}", "Fix the line, or download the file again."
        raise DataError(what, path=path, line=error.position[0], code="E318", remedy=remedy) from error
    folds = _read_folds(path)
    result = root.findall(".//Problem")
    if not result:
        raise DataError("the XML holds no element Problem", path=path, code="E318", remedy=_REMEDY)
    for problem in result:
        row: dict[str, Any] = {str(key): str(value) for key, value in problem.items()}
        for child in problem.iterchildren(tag=etree.Element):
            row[str(child.tag)] = "".join(map(str, child.itertext())).strip()
        begins: Any = problem.sourceline
        yield begins or 0, lower_keys({**row, "fold": folds.get(row.get("ID", ""))})


def _read_folds(path: Path) -> dict[str, int]:
    folds: dict[str, int] = {}
    for file in sorted(path.parent.glob("nfolds/asdiv-a/fold*.txt")):
        if match := re.fullmatch(r"fold(\d+)", file.stem):
            folds |= {line.strip(): int(match[1]) for _, line in read_lines(file) if line.strip()}
    return folds


_MASK = re.compile(r"(?:N_|\b(?:number|n))(\d+)")
_PLACE = re.compile(r"N_(\d+)")
_NUMBER = re.compile(r"\d*\(\d+/\d+\)|\d+(?:\.\d+)?%?")
_PARTED = re.compile(r"\( *\d+ */ *\d+ *\)")
_UNIT = re.compile(r"千米/小时$")
_ANSWER = re.compile(r"[($]*(-?[\d.,]+(?:\(\(?\d+\)?/\(?\d+\)?\))?%?|\(\(?\d+\)?/\(?\d+\)?\)+|\d+/\d+)")
_ROUNDED = Fraction(1, 10**9)
"""Files round a third to .3333333333."""
_MANY = 25
"""More numbers than this are remarked: no problem of the data sets has as many."""
_COMMON = {Fraction(1), Fraction(2), Fraction("3.14"), Fraction(100), Fraction("0.01")}
"""Constants that stand in no text and are nothing to remark."""


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


def read_problems(path: Path, *, words: bool | None = None) -> ProblemFile:
    """Return the problems of a file; see `engines.mwp.problems.readers` for the formats.

    Args:
        words: Whether English number words count as numbers where the text is not masked yet; None takes what
            the format is known for (ASDiv: yes).

    Raises:
        DataError: E318 for a file without problems, E314 for an empty one, and as `read_lines` does.
    """
    reading = _Reading(words)
    for line, row in read_records(path, lambda line, reason: reading.skip_row(line, "", reason)):
        reading.read_row(line, row, path)
    if not reading.rows:
        first = reading.skipped[0] if reading.skipped else RowNote(1, "", "it holds no rows")
        what = f"the file holds no problem: {first.reason}"
        remedy = "A problem is a row with `text` (or `question`), `equation` and `answer`."
        raise DataError(what, path=path, line=first.line or None, code="E318", remedy=remedy)
    ((format, _),) = reading.formats.most_common(1)
    rows = tuple(reading.rows.values())
    return ProblemFile(
        path, format, rows, tuple(reading.skipped), tuple(reading.disagreements), tuple(reading.remarks)
    )


class _UnusableError(Exception):
    pass


class _Reading:
    def __init__(self, words: bool | None) -> None:
        self.words = words
        self.rows: dict[str, Problem] = {}
        self.formats: Counter[str] = Counter()
        self.skipped: list[RowNote] = []
        self.disagreements: list[RowNote] = []
        self.remarks: list[RowNote] = []

    def skip_row(self, line: int, id_: str, reason: str) -> None:
        self.skipped.append(RowNote(line, id_, reason))

    def read_row(self, line: int, row: Mapping[str, Any], path: Path) -> None:
        layout = layout_of(row)
        if layout is None:
            self.skip_row(line, str(row.get("id", "")), "it has no text (or question) of a problem")
            return
        id_ = next((str(row[key]) for key in layout.id if row.get(key) not in (None, "")), "")
        id_ = id_ or f"{path.name.partition('.')[0]}-{line}"
        if id_ in self.rows:
            self.skip_row(line, id_, f"a problem above has the id {id_!r} too")
            return
        try:
            problem, stored, remarks = _build_problem(row, layout, id_, path.name, self.words)
        except _UnusableError as error:
            self.skip_row(line, id_, str(error))
            return
        self.formats[layout.name] += 1
        self.rows[id_] = problem
        self.remarks += (RowNote(line, id_, remark) for remark in remarks)
        if problem.equation and stored is not None and not is_right(problem.answer, stored):
            what = f"{problem.template} gives {problem.answer:.10g}, and the answer is {float(stored):.10g}"
            self.disagreements.append(RowNote(line, id_, what))


def _build_problem(
    row: Mapping[str, Any], layout: ProblemLayout, id_: str, source: str, words: bool | None
) -> tuple[Problem, Fraction | None, list[str]]:
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
        if _MASK.search(original):
            raise _UnusableError("the text has placeholders without numbers")
        use = layout.words if words is None else words
        segmented = row.get(layout.segmented) if layout.segmented else None
        if segmented and language == "zh":
            # Where every sign is a word of its own, a fraction is made one again.
            joined = _PARTED.sub(lambda found: found[0].replace(" ", ""), str(segmented))
            masked, new_indices = mask_words(joined.split(" ")), None
        else:
            masked, new_indices = mask_numbers(original, language, words=use), None
        remarks += (
            f"not a number: {reason}" for reason in list_unread_numbers(masked.text, masked.numbers, original)
        )
    if len(masked.numbers) > _MANY:
        remarks.append(f"many numbers: {len(masked.numbers)}")
    # The stored answer only serves to check the equation, whose value counts.
    text = next((row[key] for key in layout.answer if row.get(key) not in (None, "")), None)
    stored = _parse_answer(text)
    if text is not None and stored is None:
        remarks.append(f"no answer: {str(text)[:40]!r} begins with no number")
    elif isinstance(text, str) and layout.name == "plain" and re.search(r"[^\W\d_]", text):
        remarks.append(f"a unit: of the answer {text[:40]!r} only the number is read")
    equation, value = None, None
    try:
        equation = _read_row_equation(row, layout, masked, new_indices)
        value = evaluate(equation, masked.values)
        remarks += _list_oddities(equation, masked, written=new_indices is None)
    except ExpressionError as error:
        equation = None
        remarks.append(f"no equation: {error.what}")
    # The value of the equation wins over the answer that the file states.
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
        ),
        stored,
        remarks,
    )


def _convert_placeholders(text: str, given: Any, original: str) -> tuple[Masked, dict[str, str]]:
    """Return a masked text with its placeholders as ours, in order of appearance, and ours by theirs."""
    listed = given if isinstance(given, list) else re.split(r"[\s,;]+", str(given or "").strip())
    numbers = [_plain_number(number) for number in listed if number not in (None, "")]
    results = list(dict.fromkeys(match[0] for match in _MASK.finditer(text)))
    first = 1 if any(re.fullmatch(r"n\d+", token) for token in results) else 0
    order = []
    for token in results:
        place = int(re.sub(r"\D", "", token)) - first
        if not 0 <= place < len(numbers):
            raise _UnusableError(f"{token} is not among the {len(numbers)} numbers of the row")
        order.append(place)
    if len(order) < len(numbers):
        raise _UnusableError(f"the text has {len(order)} placeholders for {len(numbers)} numbers")
    names = {token: f"N_{index}" for index, token in enumerate(results)}
    text = _MASK.sub(lambda match: names[match[0]], text)
    try:
        values = tuple(value_of(numbers[place]) for place in order)
    except ValueError as error:
        raise _UnusableError(str(error)) from None
    shown = _as_written(text, original)
    if shown is not None and len(shown) == len(values):
        exact = tuple(map(value_of, shown))
        # The number is that of the text, exactly.
        if all(abs(a - b) < _ROUNDED for a, b in zip(exact, values, strict=True)):
            return Masked(text, shown, exact), names
    return Masked(text, tuple(numbers[place] for place in order), values), names


def _plain_number(number: Any) -> str:
    text = str(number).strip()
    return text[:-2] if re.fullmatch(r"-?\d+\.0", text) else text


def _as_written(text: str, original: str) -> tuple[str, ...] | None:
    """Return the numbers as the unmasked text has them, where both are otherwise equal."""
    pieces = _PLACE.split(text)[::2]
    if not original.startswith(pieces[0]):
        return None
    found, place = [], len(pieces[0])
    for piece in pieces[1:]:
        number = _NUMBER.match(original, place)
        if number is None or not original.startswith(piece, number.end()):
            return None
        found.append(number[0])
        place = number.end() + len(piece)
    return tuple(found) if place == len(original) else None


def _read_row_equation(
    row: Mapping[str, Any], layout: ProblemLayout, masked: Masked, names: Mapping[str, str] | None
) -> Tree:
    if not masked.numbers:
        raise EquationError("the text has no number")
    given = next((row[key] for key in layout.equation if row.get(key)), None)
    if isinstance(given, list) and len(given) == 1 and layout.name == "mawps":
        given = given[0]
    if not given:
        raise EquationError("there is none beside the text")
    if isinstance(given, list):
        tokens = [str(token) for token in given]
    else:
        text = _one_side(str(given))
        tokens = text.split()
        if names is None or tokens[0] not in OPERATORS or len(tokens) < 3:
            if names is not None:
                text = _MASK.sub(lambda match: _rename_placeholder(match[0], names), text)
            exact = layout.exact and language_of(masked.text, without=layout.language) == "zh"
            text = _with_fractions(text, masked, exact)
            return read_equation(text, lambda written: _number_to_tree(written, masked, exact))
    return parse_prefix([_convert_token(token, names or {}) for token in tokens])


def _convert_token(token: str, names: Mapping[str, str]) -> str:
    if token in OPERATORS or token.startswith("C_"):
        return token
    if _MASK.fullmatch(token):
        return _rename_placeholder(token, names)
    # A number beside placeholders is a constant.
    return _constant_to_tree(token).label


def _rename_placeholder(token: str, names: Mapping[str, str]) -> str:
    if token not in names:
        raise EquationError(f"the equation uses {token}, which is not in the text")
    return names[token]


def _with_fractions(text: str, masked: Masked, exact: bool) -> str:
    """Return the equation with a placeholder where a fraction of the text stands as a division: of `5*1/2`
    the half.

    Behind a division or a power, and before a power, the signs bind otherwise.
    """
    for index, written in enumerate(masked.numbers):
        if match := re.fullmatch(r"(\d+)/(\d+)" if exact else r"\(?(\d+)/(\d+)\)?", plain_digits(written)):
            division = rf"(?<![\d./^÷又_(]){match[1]}\s*/\s*{match[2]}(?![\d.%^)]|\*\*)"
            bracketed = rf"(?<!\d)\({match[1]}\s*/\s*{match[2]}\)"
            text = re.sub(division if exact else f"{division}|{bracketed}", f"N_{index}", text)
    return text


def _one_side(text: str) -> str:
    """What an equation says of its unknown: `x=…`, `…=x`, or a calculation `7+2=9`."""
    text = re.sub("[$€£¥￥]", "", _UNIT.sub("", text.strip())).replace("＝", "=")
    sides = [side.strip() for side in text.split("=") if side.strip()]
    if len(sides) > 1 and re.fullmatch(r"[^\W\d]\w*", sides[0]) and not _MASK.fullmatch(sides[0]):
        del sides[0]
    if (
        len(sides) == 2
        and re.fullmatch(r"[^\W\d]\w*|-?[\d.,]+%?", sides[1])
        and not _MASK.fullmatch(sides[1])
    ):
        del sides[1]
    if len(sides) != 1:
        raise EquationError(f"{text[:80]!r} is not one equation for one unknown")
    return sides[0]


def _number_to_tree(written: str, masked: Masked, exact: bool) -> Tree:
    if written in masked.numbers:
        return Tree(f"N_{masked.numbers.index(written)}")
    parts = re.fullmatch(r"(\d*)\((\d+)/(\d+)\)", written)
    division = parts is not None and {parts[2], parts[3]} <= set(masked.numbers)
    if not (exact or division):
        value = _parse_value(written)
        for index, known in enumerate(masked.values):
            if abs(known - value) < _ROUNDED:
                return Tree(f"N_{index}")
    if parts is None:
        return _constant_to_tree(written)
    whole, over, under = parts.groups()
    fraction = Tree("/", (_number_to_tree(over, masked, exact), _number_to_tree(under, masked, exact)))
    return Tree("+", (_number_to_tree(whole, masked, exact), fraction)) if whole else fraction


def _constant_to_tree(written: str) -> Tree:
    value = _parse_value(written)
    near = value.limit_denominator(1000)
    if near and abs(near - value) < _ROUNDED:
        value = near
    try:
        return Tree(constant_label(value))
    except EquationError:
        over, under = (Tree(constant_label(Fraction(part))) for part in value.as_integer_ratio())
        return Tree("/", (over, under))


def _parse_value(written: str) -> Fraction:
    try:
        return value_of(written)
    except ValueError as error:
        raise EquationError(str(error)) from None


def _list_oddities(equation: Tree, masked: Masked, *, written: bool) -> list[str]:
    """What is odd about an equation.

    Args:
        written: Its placeholders were found by their numbers.
    """
    remarks = []
    constants = {node.label for node in equation if node.label.startswith("C_")}
    other = sorted(label for label in constants if Fraction(label[2:].replace("_", ".")) not in _COMMON)
    if other:
        remarks.append(f"not in the text: the equation uses {', '.join(other)}")
    if written:
        for place in sorted(set(list_placeholders(equation))):
            if masked.values.count(masked.values[place]) > 1:
                same = masked.numbers[place]
                remarks.append(f"equal numbers: {same} stands more than once, and N_{place} is used")
    return remarks


def _parse_answer(given: Any) -> Fraction | None:
    """Return an answer's number: of `20 (apples)`, `12.5%`, `((3)/(4))` or a list of one."""
    if isinstance(given, list):
        given = given[0] if len(given) == 1 else None
    if given is None or isinstance(given, bool):
        return None
    # The solution of GSM8K ends with its result.
    text = str(given).rpartition("####")[2].strip()
    try:
        return value_of(text)
    except ValueError:
        match = _ANSWER.match(text)
    try:
        return value_of(match[1].rstrip(".,")) if match else None
    except ValueError:
        return None


@specification
class DescribeProblems:
    """Read and check files of problems, row by row; several files are merged."""

    data: Annotated[tuple[Path, ...], Arg("Files of problems, or registered names.", ref="problems")]
    words: Annotated[bool | None, Arg("Read number words as numbers.", shown="as usual for the format")] = (
        None
    )
    out: Annotated[
        Path | None, Arg("Write all problems that have an equation to this file.", writes=True)
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
    read = [read_problems(path, words=spec.words) for path in spec.data]
    rows, renamed = merge_files(read)
    usable = [problem for problem in rows if problem.equation is not None]
    if spec.out:
        write_problems(spec.out, usable)
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
    }


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
