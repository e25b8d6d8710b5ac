r"""The structure of a text: where a statement stands, how far it reaches, and what the text is about there.

A document is a tree of scopes: sections, theorems with their proofs, examples, exercises with their
solutions, cases, suppositions, items of lists. What is said in a scope holds in it and in those inside it. A
scope is about ordinary numbers unless its words name another domain.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from engines.documents.reading import ITEM_BEGIN, LIST_BEGIN, LIST_END, PARAGRAPH_END, Document
from engines.proofreading.cue_phrases import (
    mentions,
    names_step,
    words_behind,
    words_of,
)
from engines.proofreading.domain_words import find_domains
from engines.proofreading.moduli import equates_residues, names_residue_ring
from engines.proofreading.scope_names import HEADINGS, PART_LEADS, scope_kind

NUMBERS = "numbers"
"""The domain of a text that names no other."""
ALGEBRA = "rings and groups"
_OFTEN = 3
"""So many words of a domain in a section say that it is about that."""
_SHARE = 60
"""… and one word of so many formulas."""
_SHARE_WITHIN = 12
"""… where the words of the examples, proofs and exercises in it count too, which name ideas of algebra."""
_BOLD_BEGINNING = (
    r"^[ \t>]*(?:\\(?:noindent|(?:small|med|big)skip|par)(?![A-Za-z])[ \t]*)*"
    r"(?:\*\*|__|<(?:b|strong)>|\\text(?:bf|it)[ \t]*\{|\{[ \t]*\\bf(?:series)?(?![A-Za-z]))[ \t]*"
)
"""A line that begins in bold, as the number of an exercise does: `\\noindent{\\bf 4.}`."""
_SIGNS = re.compile(
    rf"\\(?P<level>{'|'.join(HEADINGS)})\*?\s*(?:\[[^\]]*\])?\{{(?P<title>[^{{}}]*)"
    r"|^(?P<marks>#{1,6})[ \t]+(?P<heading>[^\n]*)"
    r"|\\(?P<edge>begin|end)\s*\{(?P<name>[A-Za-z]+)\*?\}|\\(?P<turn>start|stop)(?P<block>[a-z]+)"
    rf"|\\(?P<item>item)(?![A-Za-z])|(?P<marked>[{LIST_BEGIN}{LIST_END}{ITEM_BEGIN}])"
    r"|\\(?P<command>(?:new|begin)?(?:question|titledquestion|problem|exercise|exer|ex|qt|task))(?![A-Za-z])"
    rf"|{_BOLD_BEGINNING}[(（]?(?P<part>[a-z]|[ivx]{{1,4}})[)）]"
    r"|^[ \t>]*(?:[(（]?(?P<letter>[a-h])[)）](?=\s)|[(（]?(?P<choice>[A-E])[.)）．、](?=[ \t]*\Z)"
    r"|（(?P<digit>\d)）|(?P<circled>[①-⑨]))"
    rf"|(?:^|(?<=[.!?。{PARAGRAPH_END}]))[ \t>]*(?:{'|'.join(PART_LEADS)})[ \t]+"
    r"(?:[Pp]art[ \t]+)?\((?P<prose>[a-h])\)(?=[\s,:])"
    r"|^(?P<indent>[ \t]*)(?:[-*+]|\d{1,2}[.)])[ \t]+(?=\S|\Z)"
    r"|(?<=\n)[ \t]*(?P<row>\|)"
    r"|(?:^|(?<=\n))[ \t>]*(?:\\(?:textbf|emph|noindent|textit|underline|paragraph)\s*\{?|\*\*|__|<\w+>)*"
    r"\s{0,200}+"  # no more, since every one of many blank lines is tried
    r"(?P<lead>[A-Z][a-z]+)[ \t~]*(?P<number>\d[\d.]*|[IVX]+|[A-Z])?\}?[ \t]*(?P<mark>[.:)(]|\*\*|__|\})"
    rf"|{_BOLD_BEGINNING}(?:(?P<task>\d{{1,3}})[.)]|(?P<bold>[a-h])\.)"
    r"|\[!(?P<callout>[A-Za-z]+)\][+-]?"
    r"|^[ \t]*(?:!!!|\?\?\?)\+?[ \t]+(?P<admonition>[a-z]+)"
    r"|(?P<case>\b[Cc]ase)[ \t~]+(?P<which>\d+|[IVX]+|[A-Z]\b|\(?[a-z]\))"
    rf"|(?P<paragraph>\n[ \t]*\n(?=(?P<moved>[ \t]*))|{PARAGRAPH_END})",
    re.MULTILINE,
)
_RUN_IN = re.compile(
    rf"{_BOLD_BEGINNING}(?P<label>[^*{{}}<>_.:\n]{{1,40}})(?:[.:]\s*(?:\*\*|__|\}}|</)|(?:\*\*|__|\}}|</\w+>)\s*[.:])",
    re.MULTILINE,
)
"""Bold words that begin a paragraph and name what it is about: `**Series.**`."""
CHOICES_BEGIN = re.compile(r"[?？]\s*[(（]?[Aa][.)）]\s*\Z")
"""Words that end with a question and the label of the first of its answers."""
_HEADED, _PART, _INDENTED = -1, -3, -10
"""Levels of what only its first words name, of a part of an exercise, `(b)`, and of an item that ends where
lines are indented less than its text; each column by which it is indented is one level less."""
_LONGEST_QUOTATION = 16
"""Pieces of a text that can be somebody's work."""
PARAGRAPH_SIGN = re.compile(rf"\n[ \t]*\n|{PARAGRAPH_END}")
_COLUMNS_OF_ROW = 90
"""Columns by which a row of a table is said to be indented: everything else ends it."""
_HEADING_END = re.compile(r"[}\n]")
_UNENDED = re.compile(r"[,:，：]\s*\Z")
"""The end of words whose sentence goes on."""
_LEVELS = {name: number for number, name in enumerate(HEADINGS)}


@dataclass(frozen=True, eq=False)
class Scope:
    """A part of a text in which what it says holds.

    Attributes: kind: document, section, theorem, definition, example, exercise, proof, solution, remark,
    case, supposition, list, item, or quotation of somebody's work in which mistakes are looked for. level: of
    a section, the highest is 0. domains: how often words in it, and not in a scope inside it, name a domain
    besides numbers. algebra_words: of a section, how many words in it and in the scopes inside it name groups
    or rings; formulas_within: and how many formulas these have.
    titled: the domains that its heading names.
    """

    kind: str
    title: str = ""
    line: int = 1
    parent: Scope | None = None
    level: int = 0
    domains: Counter[str] = field(default_factory=Counter)
    formulas: list[int] = field(default_factory=lambda: [0])
    algebra_words: list[int] = field(default_factory=lambda: [0])
    formulas_within: list[int] = field(default_factory=lambda: [0])
    titled: Counter[str] = field(default_factory=Counter)

    @property
    def lineage(self) -> Iterator[Scope]:
        """The scope, and those around it, the innermost first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    @cached_property
    def section(self) -> Scope:
        """The section that it stands in."""
        return next(scope for scope in self.lineage if scope.kind in ("section", "document"))

    @property
    def task(self) -> Scope | None:
        """The exercise or example that it stands in, the innermost one."""
        return next((scope for scope in self.lineage if scope.kind in ("exercise", "example")), None)

    def reaches(self, other: Scope) -> bool:
        """Return whether what is said here holds there."""
        return any(scope is self for scope in other.lineage)

    @property
    def is_quotation(self) -> bool:
        """Whether it is in somebody's work in which the text looks for mistakes."""
        return any(scope.kind == "quotation" for scope in self.lineage)

    @property
    def is_algebra(self) -> bool:
        """Whether its words and those of the scopes inside it are about groups or rings."""
        formulas = self.formulas_within[0] if self.kind == "document" else self.formulas[0]
        return self.algebra_words[0] >= max(_OFTEN, formulas / _SHARE_WITHIN)

    @property
    def name(self) -> str:
        """The scope in words: `section Heat; example`."""
        parts = [f"{each.kind} {each.title}".strip() for each in self.lineage if each.kind != "document"]
        return "; ".join(reversed(parts)) or "document"


@dataclass(frozen=True, slots=True, eq=False)
class Position:
    """Where a formula stands.

    Attributes: paragraph: its number in the document. near: the domains that its paragraph names. label: the
    last bold words in its section that begin a paragraph and name what comes.
    """

    scope: Scope
    paragraph: int = 0
    near: Counter[str] = field(default_factory=Counter)
    label: str = ""

    def is_labelled_as(self, other: Position) -> bool:
        """Return whether no other label stands before it than before another position."""
        return not (self.label and other.label) or self.label == other.label

    @property
    def domain(self) -> str:
        """What the text is about here: `NUMBERS`, or one of the domains of the vocabulary."""
        near = self.near.most_common(1)
        if near:
            return near[0][0]
        for scope in self.scope.lineage:
            if scope.titled:
                return next(iter(scope.titled))
            often = scope.domains.most_common(1)
            if often and often[0][1] >= max(_OFTEN, scope.formulas[0] / _SHARE):
                return often[0][0]
            if scope.is_algebra:
                return ALGEBRA
        return NUMBERS


NOWHERE = Position(Scope("document"))
"""Of what stands in no document."""


class _Outline:
    """Follows the signs of a text and keeps the scope at hand."""

    def __init__(self) -> None:
        self.scope = self.document = Scope("document")
        self.closed: Scope | None = None
        self.paragraph = 0
        self.near: Counter[str] = Counter()
        self.named: set[str] = set()
        self.in_heading = False
        """Whether a formula that comes next belongs to a heading."""

    def read_words(self, text: str, line: int) -> None:
        at = 0
        self.in_heading = self.in_heading and _HEADING_END.search(text) is None
        for sign in _SIGNS.finditer(text):
            plain = text[at : sign.start()]
            self._read_plain(plain)
            at = sign.end()
            line += plain.count("\n")
            self._follow(sign, line)
            line += sign[0].count("\n")
        self._read_plain(text[at:])

    def name_domain(self, *domains: str) -> None:
        """Note that the paragraph and the scope at hand name domains."""
        self.near.update(domains)
        self.scope.domains.update(domains)

    def begin_quotation(self) -> None:
        """Begin what somebody else wrote, in which the text looks for mistakes."""
        self._open("quotation", "", 0, _HEADED)

    def end_quotation(self) -> None:
        self._close("quotation")

    def _read_plain(self, words: str) -> None:
        named = list(find_domains(words))
        self.name_domain(*named)
        for scope in {self.scope.section, self.document}:
            scope.algebra_words[0] += named.count(ALGEBRA)
        self.named.update(named)
        # `Group` is a word of algebra where others are too, and not in `work in your group`.
        self.scope.domains.update(self.named & {*find_domains(words, often=True)})
        if not words.strip():
            return
        if mentions("contrary", words):
            self._open("supposition", "", 0)
        elif any(each.kind == "supposition" for each in self.scope.lineage) and mentions(
            "contradiction", words
        ):
            self._close("supposition")

    def _follow(self, sign: re.Match[str], line: int) -> None:
        if sign["paragraph"]:
            # A sentence that goes on to a displayed formula is still in its item.
            goes_on = _UNENDED.search(sign.string[: sign.start()]) and not sign.string[sign.end() :].strip()
            self._begin_next_paragraph(_COLUMNS_OF_ROW if goes_on else len(sign["moved"] or ""))
        elif sign["level"] or sign["marks"]:
            level = _LEVELS[sign["level"]] if sign["level"] else len(sign["marks"])
            self._begin_paragraph()
            while self.scope.kind != "document" and (
                self.scope.kind != "section" or self.scope.level >= level
            ):
                self._leave()
            self.closed = None
            title = (sign["title"] or sign["heading"] or "").strip()
            self._open("section", title, line, level)
            self.in_heading = _HEADING_END.search(sign.string, sign.end()) is None
            named = [*find_domains(title)] or [ALGEBRA] * ("groups" in words_of(title))
            self.near.update(find_domains(title))
            self.scope.titled.update(named)
        elif sign["edge"] or sign["turn"]:
            kind = scope_kind(sign["name"] or sign["block"], within=True)
            if kind and (sign["edge"] == "begin" or sign["turn"] == "start"):
                self._begin_paragraph()
                self._open(kind, "", line)
            elif kind:
                self._close(kind)
                self._begin_paragraph()
        elif sign["item"] or sign["marked"] == ITEM_BEGIN:
            self._begin_listed_item(line)
        elif sign["marked"] == LIST_BEGIN:
            self._open("list", "", line)
        elif sign["marked"]:
            self._close("list")
        elif sign["indent"] is not None or sign["row"]:
            columns = _COLUMNS_OF_ROW if sign["row"] else len(sign["indent"].expandtabs())
            self._begin_indented_item(columns, line)
        elif sign["command"]:
            self._close("exercise")
            self._begin_paragraph()
            self._open("exercise", "", line)
        elif sign["case"]:
            self._begin_case(sign["which"], line)
        elif sign["lead"]:
            self._begin_lead(sign, line)
        elif sign["prose"]:
            self._begin_part_of_prose(sign, line)
        elif (
            part := sign["part"]
            or sign["letter"]
            or sign["digit"]
            or sign["circled"]
            or sign["bold"]
            or sign["choice"]
        ):
            self._begin_part(part, line)
        elif sign["task"]:
            self._begin_headed("exercise", sign["task"], line)
        elif kind := scope_kind(sign["callout"] or sign["admonition"] or ""):
            self._begin_headed(kind, "", line)

    def _begin_lead(self, sign: re.Match[str], line: int) -> None:
        if sign["lead"] == "Case" and sign["number"]:
            self._begin_case(sign["number"], line)
            return
        kind = scope_kind(sign["lead"])
        if not kind or kind == "list" or (not sign["number"] and sign["mark"] == "("):
            if blank := PARAGRAPH_SIGN.search(sign[0]):
                written = sign[0][blank.end() :].lstrip("\n")
                self._begin_next_paragraph(len(written) - len(written.lstrip()))
            self._read_plain(sign[0])
            return
        self._begin_headed(kind, sign["number"] or "", line)

    def _begin_headed(self, kind: str, title: str, line: int) -> None:
        """Begin what only its first words name, and which ends where the next of these begins."""
        # The solution of a part of an exercise is in it.
        left = (_HEADED,) if kind in ("solution", "proof") else (_HEADED, _PART)
        while self.scope.kind not in ("document", "section") and self.scope.level in left:
            self._leave()
        self._begin_paragraph()
        self._open(kind, title, line, _HEADED)

    def _begin_part(self, title: str, line: int) -> None:
        """Begin a part of an exercise, which ends where the next one or another exercise begins."""
        open_part = next((scope for scope in self.scope.lineage if scope.level == _PART), None)
        while open_part is not None and any(scope is open_part for scope in self.scope.lineage):
            self._leave()
        self._begin_paragraph()
        self._open("item", title, line, _PART)

    def _begin_part_of_prose(self, sign: re.Match[str], line: int) -> None:
        """Begin a part of which the words at the beginning of a sentence say that it is about that, `For (b),
        …`; they only refer to it where the text is not at the part before it."""
        part = sign["prose"]
        is_next = any(
            scope.level == _PART and scope.title == chr(ord(part) - 1) for scope in self.scope.lineage
        )
        if part == "a" or is_next:
            self._begin_part(part, line)
        else:
            self._read_plain(sign[0])

    def _begin_listed_item(self, line: int) -> None:
        """Begin an item of a list that has a beginning and an end."""
        kinds = [each.kind for each in self.scope.lineage]
        if "item" in kinds and ("list" not in kinds or kinds.index("item") < kinds.index("list")):
            self._close("item")
        # A heading in an item has ended its list, which goes on all the same.
        self._begin_paragraph()
        if "list" in kinds:
            self._open("item", "", line)

    def _begin_indented_item(self, columns: int, line: int) -> None:
        """Begin an item that only its first sign shows; it is in another that is indented less."""
        self._begin_paragraph(columns)
        ended = [each for each in self.scope.lineage if each.level <= _INDENTED - columns]
        while ended and any(each is ended[-1] for each in self.scope.lineage):
            self._leave()
        self._open("item", "", line, _INDENTED - columns)

    def _begin_case(self, which: str, line: int) -> None:
        if any(each.kind == "case" for each in self.scope.lineage):
            self._close("case")
        self._begin_paragraph()
        self._open("case", which, line)

    def _begin_next_paragraph(self, indented: int) -> None:
        """Begin a paragraph behind a blank line, which no supposition reaches."""
        self._begin_paragraph(indented)
        while self.scope.kind == "supposition":
            self._leave()

    def _begin_paragraph(self, indented: int = 0) -> None:
        """Begin a paragraph, which is in the items that are indented by fewer columns."""
        self.paragraph += 1
        self.near = Counter()
        while self.scope.level <= _INDENTED - indented:
            self._leave()

    def _open(self, kind: str, title: str, line: int, level: int = 0) -> None:
        parent = self.scope
        if kind in ("proof", "solution") and self.closed is not None and self.closed.parent is self.scope:
            parent = self.closed
        self.scope = Scope(kind, title, line, parent, level)

    def _close(self, kind: str) -> None:
        closed = next((each for each in self.scope.lineage if each.kind == kind), None)
        # Leaving a proof leaves its theorem, which may be the scope to close.
        while closed is not None and any(each is closed for each in self.scope.lineage):
            self._leave()

    def _leave(self) -> None:
        """Leave the scope at hand. A proof is in the scope of its theorem, and leaving it leaves both."""
        left = self.scope
        assert left.parent is not None
        self.scope = left.parent
        if left.kind in ("theorem", "exercise", "example"):
            self.closed = left
        elif left.kind in ("proof", "solution") and self.scope is self.closed:
            assert self.scope.parent is not None
            self.scope = self.scope.parent


def read_positions(document: Document) -> list[Position]:
    r"""Return where each piece of a document stands.

    >>> from engines.documents.reading import TextPiece
    >>> words = TextPiece(r"\begin{example} In a ring", 1), TextPiece(r"\end{example}", 1)
    >>> text = words[0], TextPiece("2=0", 1, True), words[1]
    >>> [(each.scope.name, each.domain) for each in read_positions(Document("", text))]
    [('example', 'rings and groups'), ('example', 'rings and groups'), ('document', 'numbers')]
    """
    outline = _Outline()
    result: list[Position] = []
    label, section = "", outline.scope.section
    begun, ended = _find_quotations(document)
    for at, piece in enumerate(document.pieces):
        if at in ended:
            outline.end_quotation()
        if piece.formula:
            outline.scope.formulas[0] += 1
            outline.document.formulas_within[0] += 1
            outline.scope.section.formulas[0] += outline.scope is not outline.scope.section
            if names_residue_ring(piece.text):
                outline.name_domain("residues")
                if outline.in_heading:
                    outline.scope.titled.update(["residues"])
            elif equates_residues(piece.text):
                outline.near.update(["residues"])
        else:
            outline.read_words(piece.text, piece.line)
            is_behind_formula = at > 0 and document.pieces[at - 1].formula
            label = _find_label(piece.text, first=not is_behind_formula) or (
                label if outline.scope.section is section else ""
            )
            section = outline.scope.section
        if at in begun:
            outline.begin_quotation()
        result.append(Position(outline.scope, outline.paragraph, outline.near, label))
    return result


def _find_label(text: str, *, first: bool) -> str:
    """Return the last bold words in a text that begin a paragraph and name what it is about; "" for none.

    Args:
        first: Whether the text stands behind no formula.
    """
    labels = [match["label"].strip().lower() for match in _RUN_IN.finditer(text) if match.start() or first]
    return next((label for label in reversed(labels) if not names_step(label)), "")


def _find_quotations(document: Document) -> tuple[frozenset[int], frozenset[int]]:
    """Return the pieces behind which somebody else's work begins in which the text looks for mistakes, and
    those before which it ends: `A student writes: …`, `Find all errors.`, or the other way round."""
    begun, ended = set(), set()
    author = announced = -_LONGEST_QUOTATION
    for at, piece in enumerate(document.pieces):
        if piece.formula:
            continue
        asks = mentions("asking for mistakes", piece.text)
        if asks and 0 <= announced < at <= announced + _LONGEST_QUOTATION:
            begun.add(announced)
            ended.add(at)
        written = words_behind("author", piece.text)
        if mentions("author", piece.text):
            author, announced = at, -_LONGEST_QUOTATION
        # The work begins behind a colon, or with the next paragraph.
        opens = ":" in written or PARAGRAPH_SIGN.search(written) is not None
        if opens and 0 <= author <= at < author + _LONGEST_QUOTATION and announced < author:
            announced = at
        if asks and written.rstrip(f" {PARAGRAPH_END}.\n").endswith(":"):
            begun.add(at)
            ended.add(at + _LONGEST_QUOTATION)
    return frozenset(begun), frozenset(ended)
