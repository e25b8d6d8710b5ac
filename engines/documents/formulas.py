r"""The formulas of documents and tables: each with its file, line and sentence.

Formulas of several rows (`align`) are one each, without what only numbers or aligns them; commands that the
author defined are written out. A sentence ends at a full stop, question or exclamation mark, or where a
paragraph, heading or item begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from engines.core.errors import DataError, did_you_mean
from engines.core.rows import CsvRow, csv_rows, json_object, read_lines
from engines.core.system import MAX_LATEX
from engines.documents.reading import Document, OnBad, row_pieces
from engines.documents.tex import Macros

_ENDS = re.compile(
    r"(?<![.\s][A-Za-z])(?<!\bcf)(?<!\beq)(?<!Eq)(?<!\bfig)(?<!Fig)(?<!Thm)(?<!resp)(?<!\bvs)[.?!][\"')\]}]*(?:\s+|\Z)"
    r"|\n[ \t]*\n|^[ \t]*(?:[-*+>]|\d+[.)])[ \t]+|^[ \t]*#{1,6}[ \t][^\n]*(?:\n|\Z)"
    r"|\\(?:chapter|section|subsection|subsubsection|paragraph|title)\*?(?:\[[^\]]*\])?(?:\{[^{}]*\}|(?![A-Za-z]))"
    r"|\\(?:item|par|caption|footnote)(?![A-Za-z])"
    r"|\\(?:begin|end)\s*\{[^{}]*\}(?:\[[^\]]*\])?",
    re.MULTILINE,
)
_DROPPED = re.compile(
    r"\\(?:label|ref|eqref|cref|Cref|autoref|pageref|index|cite[a-z]*|vspace|hspace|bibliography\w*|input|include)\*?"
    r"(?:\[[^\]]*\])*\{[^{}]*\}|(?<!\\)%[^\n]*"
)
_COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|(?=[\s~]))|(?<!\\)[{}~]")
_NUMBERED = re.compile(
    r"\\(?:label|tag|intertext|shortintertext)\*?\s*\{[^{}]*\}|\\(?:nonumber|notag|displaystyle|qed(?:here)?)(?![A-Za-z])"
    r"|(?<!\\)%[^\n]*"
)
_INNER = re.compile(
    r"\\begin\{(aligned|split|gathered|alignedat|align\*?|gather\*?)\}(?:\[\w\])?(?:\{\d\})?(.*)\\end\{\1\}",
    re.DOTALL,
)
_ROWS = re.compile(r"\\\\(?:\*|\[[^\]]*\])?|\\(?:begin|end)\s*\{[^{}]*\}|\\.|[{}&]", re.DOTALL)
_PUNCTUATION = re.compile(r"(?:(?<!\\)[.,;:]|\s|\\[,;:!]|\\q?quad(?![A-Za-z]))+\Z")
_FORMULAS = "latex formula formulas tex equation expression math"
_TEXTS = "text body solution problem question answer sentence abstract content"
_MARKED = re.compile(r"\$|\\\(|\\\[|math-container|<math|\\begin\{")
# In characters: of a longer sentence only the part around the formula is stored.
_MOST_SENTENCE = 600
_TWICE = re.compile(r"(?:(?<=(?<!\.)\.)|(?<=\.\.\.)) ?\.\Z")
"""The full stop that a paragraph of HTML ends with, where its last sentence has one."""


class DocumentFormula(NamedTuple):
    """A formula: its LaTeX, where it is, the id of its row or post (or ""), and its sentence, formulas as
    `$latex$` ("" where there is none besides the formula)."""

    latex: str
    path: str
    line: int
    row: str
    sentence: str


def extract_formulas(
    document: Document, path: str, macros: Macros | None = None
) -> Iterator[DocumentFormula]:
    """Yield the formulas of a document, in order."""
    row = document.id if document.row else ""
    # `words` holds the text of the current sentence, `pending` its formulas, which
    # wait for the sentence to end.
    words: list[str] = []
    pending: list[tuple[str, int]] = []

    def end_sentence() -> Iterator[DocumentFormula]:
        # At the end of a sentence, all formulas that wait get it as their context.
        sentence = _TWICE.sub("", " ".join("".join(words).split()))
        for latex, line in pending:
            context = "" if sentence.strip(" .,") in ("", f"${latex}$") else sentence
            if len(context) > _MOST_SENTENCE:  # of a long one what is near the formula
                at = max(0, sentence.find(f"${latex}$"))
                begin = max(0, at - _MOST_SENTENCE // 2)
                end = max(begin + _MOST_SENTENCE, at + len(latex) + 2)
                context = sentence[begin:end] + (" …" if end < len(sentence) else "")
                context = f"… {context}" if begin else context
            yield DocumentFormula(latex, path, line, row, context)
        words.clear()
        pending.clear()

    for piece in document.pieces:
        if piece.formula:
            line = document.row or piece.line
            row_formulas = list(_formulas_of(piece.text, line, macros, one_line=bool(document.row)))
            pending += row_formulas
            words.append(" ".join(f"${latex}$" for latex, _ in row_formulas))
            # A full stop may be inside the formula, as in $x = 1.$, and ends the sentence all the same.
            if piece.text.rstrip().endswith((".", ".\\]")):
                yield from end_sentence()
            continue
        # Text between formulas may end one sentence and begin the next.
        at = 0
        for match in _ENDS.finditer(piece.text):
            # The match includes the mark that ends the sentence; a paragraph break, by
            # contrast, is no part of it.
            kept = match.end() if match[0][0] in ".?!" else match.start()
            words.append(_strip_markup(piece.text[at:kept]))
            at = match.end()
            yield from end_sentence()
        words.append(_strip_markup(piece.text[at:]))
    yield from end_sentence()


def _strip_markup(words: str) -> str:
    return _COMMAND.sub(" ", _DROPPED.sub("", words)) if "\\" in words or "~" in words else words


def _formulas_of(text: str, line: int, macros: Macros | None, *, one_line: bool) -> Iterator[tuple[str, int]]:
    """Yield a formula, or the rows of one, with the line of each."""
    begun = 0
    for row, start in _split_rows(text):
        latex = _NUMBERED.sub("", row)
        if macros is not None:
            latex = macros.expand_macros(latex)
        latex = " ".join(_PUNCTUATION.sub("", latex).split())
        begun = start + len(row) - len(row.lstrip())
        if latex and len(latex) <= MAX_LATEX:
            yield latex, line if one_line else line + text.count("\n", 0, begun)


def _split_rows(text: str) -> Iterator[tuple[str, int]]:
    """Yield the rows of a formula without the signs that align them, and where each begins."""
    # A formula that is one environment has its rows inside; their offsets are moved by where these begin.
    if (inner := _INNER.fullmatch(text.strip())) is not None:
        yield from ((row, start + text.find(inner[2])) for row, start in _split_rows(inner[2]))
        return
    if "\\\\" not in text and "&" not in text:
        yield text, 0
        return
    # Only separators at depth zero count: a matrix in a row has & and \\ of its own.
    depth = begun = at = 0
    kept: list[str] = []
    for match in _ROWS.finditer(text):
        what = match[0]
        if what in "{}" or what.startswith(("\\begin", "\\end")):
            depth += 1 if what == "{" or what.startswith("\\begin") else -1
        elif depth == 0 and (what == "&" or what.startswith("\\\\")):
            kept.append(text[at : match.start()])
            at = match.end()
            if what != "&":
                yield " ".join(kept), begun
                # An alignment sign only joins the cells of a row, while a line break ends it.
                kept, begun = [], at
    yield " ".join([*kept, text[at:]]), begun


# Tables: a column of formulas, or of texts with formulas.


def table_formulas(path: Path, name: str, column: str | None, on_bad: OnBad) -> Iterator[DocumentFormula]:
    """Yield the formulas of a table's column. A cell with formulas between dollars, or marked, is a text; in
    a column of formulas any other cell is one.

    Args:
        name: What the file is called in the places.

    Raises:
        DataError: E318 where the column is not there.
    """
    plain = path.name.lower().removesuffix(".gz")
    if plain.endswith(".parquet"):
        cells = _read_parquet_cells(path, column)
    elif plain.endswith((".jsonl", ".ndjson")):
        cells = _read_json_cells(path, column, on_bad)
    else:
        cells = _read_separated_cells(path, "\t" if plain.endswith(".tsv") else ",", column, on_bad)
    for line, id_, cell, texts in cells:
        if _MARKED.search(cell):
            result = row_pieces(cell, lambda *_: None)  # a lone dollar is a dollar
            yield from extract_formulas(Document(id_ or str(line), tuple(result), line), name)
        elif not texts and (latex := cell.strip()) and len(latex) <= MAX_LATEX:
            yield DocumentFormula(latex, name, line, id_, "")


def is_table(path: str) -> bool:
    """Return whether a file is a table of formulas, by its name."""
    return path.lower().removesuffix(".gz").endswith((".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"))


def chosen_column(path: Path, names: Sequence[str], wanted: str | None) -> str:
    """Return the column that is wanted, or the first that holds formulas or texts by its name.

    Raises:
        DataError: E318.
    """
    if wanted is not None and wanted in names:
        return wanted
    known = {name.lower(): name for name in reversed(names)}
    usual = next((known[one] for one in f"{_FORMULAS} {_TEXTS}".split() if one in known), None)
    if wanted is None and usual is not None:
        return usual
    listed = ", ".join(names[:20]) or "none"
    unknown = "no column of the table is known to hold formulas"
    what = f"the table has no column {wanted!r}" if wanted else unknown
    remedy = (did_you_mean(wanted or "", names) or f"Its columns: {listed}.") + " Name one with --column."
    raise DataError(what, path=path, code="E318", remedy=remedy)


_Cell = tuple[int, str, str, bool]
"""Line, id, cell, and whether it is of a column of texts."""


def _is_text(column: str) -> bool:
    return column.lower() in _TEXTS.split()


def _read_parquet_cells(path: Path, column: str | None) -> Iterator[_Cell]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        names = file.schema_arrow.names
        wanted = chosen_column(path, names, column)
        line = 0
        # Batches bound the memory: a column of a large file does not fit into it at once.
        for batch in file.iter_batches(10_000, columns=[wanted, *(["id"] if "id" in names else [])]):
            cells = batch.column(wanted).to_pylist()
            ids = batch.column("id").to_pylist() if "id" in names else [""] * len(cells)
            for id_, cell in zip(ids, cells, strict=True):
                line += 1
                if isinstance(cell, str):
                    yield line, "" if id_ is None else str(id_), cell, _is_text(wanted)
    except (pa.ArrowException, OSError) as error:
        what = f"the Parquet file cannot be read: {' '.join(str(error).split())[:120]}"
        raise DataError(what, path=path, code="E316", remedy="Download or write it again.") from error


def _read_json_cells(path: Path, column: str | None, on_bad: OnBad) -> Iterator[_Cell]:
    wanted = None
    for line, text in read_lines(path, on_bad=on_bad):
        if not text.strip():
            continue
        try:
            row = json_object(text)
        except ValueError as error:
            on_bad(_unusable_row_error(path, line, str(error), 'Write lines such as {"latex": "x^2"}.'))
            continue
        # The first row decides on the column, as the header of a table does.
        if wanted is None:
            wanted = chosen_column(path, list(row), column)
        if isinstance(cell := row.get(wanted), str):
            yield line, str(row.get("id", "")), cell, _is_text(wanted)
        else:
            on_bad(_unusable_row_error(path, line, f"the line has no text {wanted!r}", "Put a text there."))


def _unusable_row_error(path: Path, line: int, what: str, remedy: str) -> DataError:
    return DataError(what, path=path, line=line, code="E317", remedy=remedy)


def _read_separated_cells(path: Path, separator: str, column: str | None, on_bad: OnBad) -> Iterator[_Cell]:
    from engines.forum.readers import Report, read_tabbed_rows

    def whole_rows() -> Iterator[tuple[int, Sequence[str]]]:
        for row in table:
            if row.wrong:
                on_bad(
                    _unusable_row_error(
                        path, row.line, f"the row is no CSV: {row.wrong}", "Close its quotes."
                    )
                )
            else:
                yield row.line, row.cells

    # Tabbed files have one row a line; cells of a CSV file may hold line ends.
    lines = ((line, text.rstrip("\r")) for line, text in read_lines(path, on_bad=on_bad))
    if separator == "\t":
        _, head = next(lines, (0, ""))
        header = [name.strip('"') for name in head.split("\t")]
        report = Report()
        rows: Iterable[tuple[int, Sequence[str]]] = read_tabbed_rows(lines, len(header), report)
    else:
        table = csv_rows(lines)
        header, report = [name.strip() for name in next(table, CsvRow(1, 1, [])).cells], None
        rows = whole_rows()
    at = header.index(chosen_column(path, header, column))
    own = header.index("id") if "id" in header else -1
    texts = _is_text(header[at])
    for line, row in rows:
        if len(row) == len(header):
            yield line, row[own] if own >= 0 else "", row[at], texts
        elif row:
            what = f"{len(row)} columns, not {len(header)}"
            on_bad(_unusable_row_error(path, line, what, "Put cells with commas in quotes."))
    # Rows that were left out are reported last, because the reader of tabbed rows collects them.
    for line, what in report.first if report is not None else ():
        on_bad(_unusable_row_error(path, line, what, "Write as many columns as the header has."))
