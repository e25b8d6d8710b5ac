r"""Documents taken apart: words and formulas in their order, each with the line that it stands on.

Read are LaTeX (`.tex`), Markdown (`.md`, `.Rmd`, `.qmd`, `.txt`), notebooks (`.ipynb`, their Markdown cells),
HTML, JSON Lines (`id` and `text`, a post's `body`, or a `problem` with its `solution`), the posts of ARQMath
as XML, and a run of ARQMath with the posts that it ranks. A formula that does not end is told and taken for
words.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engines.core.errors import DataError, raise_error
from engines.core.rows import MAX_DOCUMENT_BYTES, json_object, read_lines, whole_rows
from engines.documents.tex import Macros, collect_definitions
from engines.formula.latex_conversion import latex_of_mathml
from engines.forum.post_text import unescape_html

MAX_CHARACTERS = 64_000_000
"""A longer file that is not read row by row is refused."""

OnBad = Callable[[DataError], None]

PARAGRAPH_END = "\u2029"
"""Ends a paragraph in the words of HTML, where a blank line would change the numbers of lines."""
LIST_BEGIN, LIST_END, ITEM_BEGIN = "\x1c", "\x1d", "\x1e"
"""Signs of space in the words of HTML where its lists and their items begin and end."""
_LIST_SIGNS: Mapping[str, str] = {
    **dict.fromkeys(("ul", "ol"), LIST_BEGIN), **dict.fromkeys(("/ul", "/ol"), LIST_END), "li": ITEM_BEGIN
}  # fmt: skip
_PARAGRAPHS = ("/p", "/li", "/div", "/blockquote", *(f"/h{level}" for level in range(1, 7)))
_DISPLAYED = (
    "equation align gather multline eqnarray flalign alignat math displaymath aligned gathered split dmath"
)
_MATH = "|".join(_DISPLAYED.split())
_LITERAL = "verbatim|lstlisting|minted|comment|asy|tikzpicture|Verbatim|alltt|filecontents"
_OPENS = re.compile(
    rf"\\begin\{{(?P<env>(?:{_MATH}|{_LITERAL})\*?)\}}(?:\{{\d+\}})?"
    r"|(?P<left_out><!--|\\iffalse(?![A-Za-z])|(?<![~\w$\\])~~(?=[^\s~]))"
    r"|\\verb\*?(?P<verb>[^\w\s*])|\\(?P<bracket>[\[(])|\\."
    r"|(?P<dollars>\$\$?)|(?P<comment>%[^\n]*)|(?P<fence>^[ ]{0,3}(?:```+|~~~+))(?P<math>[ \t]*math[ \t]*\n)?"
    r"|(?P<code>`+)|(?P<asy>\[asy\])",
    re.MULTILINE | re.DOTALL,
)
_LEFT_OUT = {"<!--": "-->", r"\iffalse": r"\fi", "~~": "~~"}
"""What ends a comment, a part that TeX skips, and words that are struck out: nothing of the text."""
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_PERCENT = re.compile(r"(?<!\\)%(?=[^\n]*\S)|(?<!\\)%\Z")
"""Outside LaTeX files people mean per cent, but for the one that ends a line."""
_MONEY = re.compile(r"\d[\d.,]*(?:\s[^\\=^_{}+*/<>]*)?\s")
"""What may stand between two amounts of dollars."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_MARKUP = re.compile(
    r"(?P<comment><!--)|<(?P<skip>script|style|pre|code|textarea)\b[^>]*>"
    r"|<(?P<math>(?:\w+:)?math)\b(?P<attributes>[^>]*)>"
    r"|<span\b[^>]*\bmath-container\b[^>]*>(?P<latex>(?:[^<]++|<(?!/?span\b))*+)</span\s*>"
    r"|<(?P<block>/?(?:p|br|div|li|ul|ol|blockquote|h[1-6]|hr|tr|td|table)\b)[^>]*>|</?[A-Za-z][^>]*>",
    re.DOTALL | re.IGNORECASE,
)
"""A tag, the beginning of a comment, or a formula in a `span`."""
_ANNOTATION = re.compile(
    r"<(?:\w+:)?annotation\b[^>]*encoding\s*=\s*[\"']application/x-(?:la)?tex[\"'][^>]*>(.*?)</", re.DOTALL
)
_ALTERNATIVE = re.compile(r"\balttext\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_DOLLARS = re.compile(r"^\s*(?:\$\$?|\\[\[(])|(?:\$\$?|\\[\])])\s*$")


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Words, or the LaTeX of a formula. `said`: it belongs to the problem, whose statements hold."""

    text: str
    line: int
    formula: bool = False
    said: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """`row`: the line of the file where a document of several begins; the lines of its pieces then count from
    the beginning of its text. Otherwise 0, and lines are those of the file."""

    id: str
    pieces: tuple[TextPiece, ...]
    row: int = 0


def read_documents(path: Path, posts: Path | None = None, on_bad: OnBad = raise_error) -> Iterator[Document]:
    """Yield the documents of a file, in order; of a run those of `posts` that it ranks.

    Raises:
        DataError: For a file that cannot be read, E315 for one that is not text, E430 for one of an unknown
            kind. What is wrong with a row or a formula goes to `on_bad`.
    """
    names = [suffix.lower() for suffix in path.suffixes]
    # The kind is the last suffix that is no compression, as in `answers.jsonl.gz`.
    kind = next((name for name in reversed(names) if name not in (".gz", ".bz2", ".xz")), "")
    if posts is not None:
        from engines.retrieval.trec import read_run

        wanted = {post for scored in read_run(path).rankings.values() for post, _ in scored}
        yield from (document for document in read_documents(posts, on_bad=on_bad) if document.id in wanted)
    elif kind in (".jsonl", ".ndjson"):
        yield from _read_row_documents(path, on_bad)
    elif kind == ".xml":
        yield from _read_post_documents(path, on_bad)
    elif kind in WHOLE:
        yield read_whole_document(text_of(path), kind, path, on_bad)
    else:
        what = f"{kind or 'a file without extension'} names no kind of document"
        remedy = (
            "Give the file one of these: .tex .md .Rmd .qmd .txt .ipynb .html .xhtml .jsonl .xml; "
            "for a run name its posts with --posts."
        )
        raise DataError(what, path=path, code="E430", remedy=remedy)


def split_pieces(
    text: str, tell: Callable[[int, str], None], *, kind: str = "md", first: int = 1
) -> Iterator[TextPiece]:
    r"""Yield the words and formulas of a text.

    Args:
        tell: Takes the line of a formula that does not end, and what is wrong.
        kind: "tex" has comments, "md" code.
        first: The number of its first line.

    >>> [piece.text for piece in split_pieces(r"So $x=1$, and \[y=2.\]", print) if piece.formula]
    ['x=1', 'y=2.']
    """
    # `at` is where the search goes on, `begun` where the text not yet yielded begins.
    breaks = [match.start() for match in re.finditer("\n", text)]
    at = begun = 0
    missing: set[str] = set()

    def line(position: int) -> int:
        return first + bisect_right(breaks, position - 1)

    while match := _OPENS.search(text, at):
        start, at = match.start(), match.end()
        closing, formula = _closing_delimiter(match, kind)
        if closing is None:
            # A delimiter without an end, such as a comment sign outside of LaTeX, is ordinary text.
            at = start + 1 if match["comment"] else at
            continue
        # A delimiter that is missing once is missing for the rest: do not search for it again.
        end = -1 if closing in missing else text.find(closing, at)
        if end < 0:
            missing.add(closing)
        if formula and closing[0] == "$":
            # the next dollars that no backslash is before
            while end > 0 and text[end - 1] == "\\" and text[end - 2] != "\\":
                end = text.find(closing, end + 1)
            # Dollars do not enclose paragraphs, and "$5 and $6" is money.
            gap = _PARAGRAPH.search(text, at, end if end >= 0 else min(len(text), at + 10_000))
            money = kind != "tex" and closing == "$" and _is_money(text, at, end)
            end = -1 if gap or money else end
        elif closing == "~~" and _PARAGRAPH.search(text, at, max(at, end)):
            end = -1
        if end < 0:
            if formula and not (kind != "tex" and match["dollars"]):
                tell(line(start), f"{match[0]} without {closing}")
            continue
        if begun < start:
            yield TextPiece(text[begun:start], line(begun))
        if formula:
            body = _COMMENT.sub("", text[at:end]) if kind == "tex" else _PERCENT.sub(r"\\%", text[at:end])
            if kind == "md" and len(body) > 2 and body[0] == body[-1] == "`":
                body = body[1:-1]  # GitHub's $`x`$
            yield TextPiece(body, line(at), formula=True)
        # A line comment leaves its line end to the text, because it may separate paragraphs.
        at = begun = end + len(closing) if closing != "\n" else end
    if begun < len(text):
        yield TextPiece(text[begun:], line(begun))


def _is_money(text: str, at: int, end: int) -> bool:
    """Return whether two dollar signs, at -1 and at `end`, are those of two amounts, or the first is one."""
    if _MONEY.fullmatch(text, at, max(at, end)) is None:
        return False
    return text[end + 1 : end + 2].isdigit() or re.search("[A-Za-z]{2}", text[at:end]) is not None


def _closing_delimiter(match: re.Match[str], kind: str) -> tuple[str | None, bool]:
    """Return what ends what begins there, and whether that is a formula; None where nothing begins."""
    if name := match["env"]:
        return rf"\end{{{name}}}", re.match(_LITERAL, name) is None
    if match["verb"]:
        return match["verb"], False
    if match["bracket"]:
        return {"[": r"\]", "(": r"\)"}[match["bracket"]], True
    if match["dollars"]:
        return match["dollars"], True
    if match["asy"]:
        return "[/asy]", False
    if match["comment"] and kind == "tex":
        return "\n", False
    if (sign := match["left_out"]) and (kind != "tex" or sign == r"\iffalse"):
        return _LEFT_OUT[sign], False
    if kind == "md" and (match["fence"] or match["code"]):
        return (match["fence"] or match["code"]).strip(), match["math"] is not None
    return None, False


def read_whole_document(text: str, kind: str, path: Path, on_bad: OnBad = raise_error) -> Document:
    """Return the document of a file's text.

    Args:
        kind: One of `WHOLE`.
    """
    pieces = tuple(WHOLE[kind](text, path, on_bad))
    return Document(path.name, pieces if kind in _OF_PROJECTS else _expand_own_macros(pieces))


def _expand_own_macros(pieces: tuple[TextPiece, ...]) -> tuple[TextPiece, ...]:
    r"""Write out the macros that a text defines for its formulas, as MathJax and KaTeX do:
    `$\newcommand{\eps}{\varepsilon}$`."""
    # Definitions with empty lines between them are no formula to the reader of Markdown.
    definitions = collect_definitions("\n".join(piece.text for piece in pieces))
    if not definitions:
        return pieces
    macros = Macros(definitions)
    return tuple(
        replace(piece, text=macros.expand_macros(piece.text))
        if piece.formula and not collect_definitions(piece.text)
        else piece
        for piece in pieces
    )


def text_of(path: Path) -> str:
    """Return the text of a file. Raises: DataError."""
    lines: list[str] = []
    size = 0
    for _, line in read_lines(path, longest=MAX_DOCUMENT_BYTES):
        lines.append(line)
        size += len(line) + 1
        if size > MAX_CHARACTERS:
            what = f"the file has more than {MAX_CHARACTERS:,} characters"
            raise DataError(what, path=path, remedy="Split it into several.")
    return "\n".join(lines)


def _make_reporter(path: Path, on_bad: OnBad, row: int = 0) -> Callable[[int, str], None]:
    """Tell of a formula: in a row the line of the file is that of the row."""

    def tell(line: int, what: str) -> None:
        on_bad(DataError(what, path=path, line=row or line, code="E317", remedy="Close the formula."))

    return tell


def _read_tex_pieces(text: str, path: Path, on_bad: OnBad) -> Iterator[TextPiece]:
    begun = text.find(r"\begin{document}")
    if begun < 0:
        return split_pieces(text, _make_reporter(path, on_bad), kind="tex")
    line = text.count("\n", 0, begun) + 1
    end = text.find(r"\end{document}", begun)
    return split_pieces(
        text[begun : end if end > 0 else None], _make_reporter(path, on_bad), kind="tex", first=line
    )


def _read_markdown_pieces(text: str, path: Path, on_bad: OnBad) -> Iterator[TextPiece]:
    return split_pieces(text, _make_reporter(path, on_bad))


def _read_html_pieces(text: str, path: Path, on_bad: OnBad) -> Iterator[TextPiece]:
    return html_pieces(text, _make_reporter(path, on_bad))


def html_pieces(text: str, tell: Callable[[int, str], None]) -> Iterator[TextPiece]:
    """Yield the words and formulas of HTML: MathML, what Stack Exchange marks, and LaTeX between dollars."""
    line, at = 1, 0
    words: list[str] = []
    begun = 1

    def flush_words() -> Iterator[TextPiece]:
        # Text is decoded only between tags: a decoded "<" would look like the beginning of another tag.
        held = unescape_html("".join(words))
        words.clear()
        yield from split_pieces(held, tell, kind="html", first=begun)

    for match, end in _iterate_markup(text):
        between, markup = text[at : match.start()], text[match.start() : end]
        words.append(between)
        line += between.count("\n")
        latex = _of_markup(match, markup)
        if latex is not None:
            yield from flush_words()
            yield TextPiece(_PERCENT.sub(r"\\%", _DOLLARS.sub("", latex)), line, formula=True)
        # What is left out keeps its lines, so that those after it keep their numbers.
        lines = markup.count("\n")
        line += lines
        at = end
        if latex is None:
            block = (match["block"] or "").lower()
            # A block that ends also ends a sentence, and any other tag separates words.
            separator = "\n" * lines if lines else ". " if block.startswith("/") else " "
            ending = PARAGRAPH_END if block in _PARAGRAPHS else ""
            words.append(separator + ending + _LIST_SIGNS.get(block, ""))
        else:
            begun = line
    words.append(text[at:])
    yield from flush_words()


def _iterate_markup(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """Yield each tag with its end, which of comments, formulas and what is left out is that of the closing
    tag; one without a closing tag ends itself, and a comment that does not end is text."""
    missing: set[str] = set()
    at, last = 0, text.rfind(">") + 1  # no tag ends behind it
    while match := _MARKUP.search(text, at, last):
        at = match.end()
        closing = "-->" if match["comment"] else ""
        if name := match["skip"] or match["math"]:
            closing = rf"</{re.escape(name.lower())}\s*>"
        # What is missing once is missing for the rest: do not search for it again.
        if closing and closing not in missing:
            if ended := re.compile(closing, re.IGNORECASE).search(text, at):
                at = ended.end()
            else:
                missing.add(closing)
        if closing not in missing or not match["comment"]:
            yield match, at


def row_pieces(text: str, tell: Callable[[int, str], None]) -> Iterator[TextPiece]:
    """Return the words and formulas of a text in a row, which may be HTML."""
    marked = "math-container" in text or "<math" in text or "</p>" in text
    return html_pieces(text, tell) if marked else split_pieces(text, tell, kind="row")


def _of_markup(match: re.Match[str], markup: str) -> str | None:
    """Return the LaTeX of a formula; None for other markup, and for a formula that does not end."""
    if match["latex"] is not None:
        return unescape_html(match["latex"])
    if not match["math"] or markup == match[0]:
        return None
    if inner_match := _ANNOTATION.search(markup):
        return unescape_html(inner_match[1])
    if inner_match := _ALTERNATIVE.search(match["attributes"]):
        return unescape_html(inner_match[1] or inner_match[2] or "")

    return latex_of_mathml(markup)


def _read_notebook_pieces(text: str, path: Path, on_bad: OnBad) -> Iterator[TextPiece]:
    """Yield the Markdown cells; a line of a cell stands on the line of the file that holds it."""
    try:
        cells = json.loads(text)["cells"]
        held = [cell["source"] for cell in cells if cell["cell_type"] == "markdown"]
        sources = ["".join(source) for source in held]
    except json.JSONDecodeError as error:
        what, remedy = f"the notebook is not JSON: {error.msg}", "Open it in Jupyter and save it again."
        raise DataError(what, path=path, line=error.lineno, remedy=remedy) from error
    except (KeyError, TypeError, RecursionError) as error:
        what = "this is not a notebook: it has no list of cells"
        raise DataError(what, path=path, remedy="Save it as nbformat 4.") from error
    # JSON escapes each line in one of two ways; search for it from where the last one was found.
    offset = 0
    for source in sources:
        lines = []
        for each in source.split("\n"):
            written = (json.dumps(each, ensure_ascii=ascii)[1:-1] for ascii in (True, False))
            # A line that is not found keeps the previous position, so line numbers never decrease.
            offset = max(offset, *(text.find(one, offset) for one in written))
            lines.append(text.count("\n", 0, offset) + 1)
        for piece in split_pieces(source, _make_reporter(path, on_bad)):
            yield TextPiece(piece.text, lines[piece.line - 1], piece.formula)
        yield TextPiece("\n\n", lines[-1])


WHOLE: Mapping[str, Callable[[str, Path, OnBad], Iterator[TextPiece]]] = {
    **dict.fromkeys((".tex", ".ltx"), _read_tex_pieces),
    **dict.fromkeys((".md", ".markdown", ".rmd", ".qmd", ".txt"), _read_markdown_pieces),
    ".ipynb": _read_notebook_pieces,
    **dict.fromkeys((".html", ".htm", ".xhtml"), _read_html_pieces),
}
"""Readers of documents that are a file each, by its extension."""
_OF_PROJECTS = (".tex", ".ltx")
"""Kinds of files whose macros are those of their project, which `engines.documents.folder` reads."""
_TEXTS = ("text", "solution", "body", "answer", "response")
_SOLVES = ("solution", "answer", "response")
"""Of these the ones that solve what stands in one of the next."""
_GIVEN = ("problem", "question")


def _read_row_documents(path: Path, on_bad: OnBad) -> Iterator[Document]:
    for number, line in whole_rows(read_lines(path, on_bad=on_bad), path):
        row: dict[str, Any] = {}
        what = "the line is no JSON object with a text"
        try:
            row = json_object(line)
        except ValueError as error:
            what = str(error)
        key = next((key for key in _TEXTS if isinstance(row.get(key), str)), None)
        if key is None:
            remedy = 'Write lines such as {"id": "1", "text": "So $1+1=2$."}.'
            on_bad(DataError(what, path=path, line=number, code="E317", remedy=remedy))
            continue
        yield of_row(row, key, number, _make_reporter(path, on_bad, number))


def of_row(row: Mapping[str, Any], key: str, number: int, tell: Callable[[int, str], None]) -> Document:
    """Return the document of a JSON object: its text, behind the problem that it solves."""
    results: list[TextPiece] = []
    given = next((row[name] for name in _GIVEN if isinstance(row.get(name), str)), None)
    if key in _SOLVES and given is not None:
        results = [TextPiece(p.text, 1, p.formula, said=True) for p in split_pieces(given, tell)]
        results.append(TextPiece("\n\n", 1))
    results += row_pieces(row[key], tell)
    return Document(str(row.get("id", number)), tuple(results), number)


def _read_post_documents(path: Path, on_bad: OnBad) -> Iterator[Document]:
    from engines.forum.readers import Report, read_posts

    report = Report()
    remedy = "Correct the post or leave it out."
    for post in read_posts(path, report):
        yield Document(str(post.id), tuple(split_pieces(post.text, lambda *_: None, kind="row")), post.line)
    for line, what in sorted([*report.first, *report.broken]):
        on_bad(DataError(what, path=path, line=line, code="E317", remedy=remedy))
    if more := report.bad + report.warned - len(report.first) - len(report.broken):
        on_bad(DataError(f"{more:,} more posts are broken", path=path, code="E317", remedy=remedy))
