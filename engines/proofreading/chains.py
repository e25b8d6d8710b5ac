r"""Chains of relations in and across formulas, as `a = b \le c` and rows of `align`; what words beside say.

A formula is split into statements (`formula_statements`); one that begins with a relation goes on where the
statement before it ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engines.documents.reading import PARAGRAPH_END, Document, TextPiece
from engines.formula.brackets import find_closing
from engines.proofreading.cue_phrases import (
    distinguishes_cases,
    has_last_word,
    is_made_of,
    last_clause,
    last_sentence,
    mentions,
    starts_with_refusal,
    words_of,
)
from engines.proofreading.formula_statements import BOX, OPERATORS, WORDS, FormulaStatement, split_statements
from engines.proofreading.scopes import NOWHERE, Position, read_positions
from engines.proofreading.worded_operations import read_worded_side

MAX_FORMULA = 50_000
"""Characters of a formula; a longer one is a link of the relation `TOO_LONG`, which is not read."""
TOO_LONG = "…"
_WRITTEN_OPERATORS = ("×", "·", "÷", "∙")
"""Signs of operations in words, where they begin no item of a list."""
_OPENING_QUOTES = ("``", '"', "“", "„", "«", "'")
_CLOSING_QUOTES = ("''", '"', "”", "“", "»", "'")
_GOING_ON = re.compile(r"(?<=\d)\.\.\.")
"""The dots of a decimal that goes on, which are no points at the end of a sentence."""
_MODULUS = re.compile(
    r"[\s,;]*(?:\\(?:quad|qquad|,|;|!|:| ))*\s*(?:\\pmod\s*(?:\{([^{}]*)\}|(\d|[a-z]))|"
    r"(?:\\left)?\((?:\\(?:text|mathrm|operatorname|textrm|mbox)\{\s*mod\s*\}|\\bmod|\\mod|mod)(?:~|\\[ ,;])*"
    r"\s*(?:\{([^{}]*)\}|([^()]*?))(?:\\right)?\)|"
    r"\\mod\s*(?:\{([^{}]*)\}|(\d+|[a-z])))\s*\.?\s*$"
)
_REMAINDER = re.compile(
    r"(?P<residue>[\s{]*(?:\\pm|[-+])?\s*\{?\s*(?P<number>\d+)[\s}]*)"
    r"\\bmod(?![A-Za-z])\s*(?:\{(?P<braced>[^{}]*)\}|(?P<plain>\d+|[a-z]))[\s.,;]*"
)
"""A number with the sign of a remainder behind it, which is that of a congruence where the number is one."""
_TRIMMED = re.compile(
    r"^(?:\s|\\[,;:! ]|\\(?:displaystyle|quad|qquad|negthinspace|indent|noindent)(?![A-Za-z])|~|&|\{\})+"
    r"|(?:\s|(?<!\\)[.,;:]|\\[,;:! ]|\\(?:quad|qquad|displaystyle|checkmark|square|blacksquare)(?![A-Za-z])"
    r"|~|&|\{\}|\\+$|(?:\s|\\[,;: ])+!)+$"  # an exclamation mark behind a space is no factorial
)
_SENTENCE_ENDED = re.compile(r"\.\s*(?:\\\]|\\end\{\w+\*?\})?\s*$")
_PARAGRAPH_BEGUN = re.compile(r"\s*?\n[ \t]*\n\s*(?:<[^<>]*>\s*)*[A-Z]")
_PARAGRAPH_END = re.compile(rf"\n[ \t]*\n|{PARAGRAPH_END}")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_LEADING_ON = re.compile(r"(?m)^(?P<word>(?![#|>])(?=.*[a-z])(?:.*[\w,:)])?)\s*\n[ \t]*\n\s*\Z")
"""Words that no point ends, with the blank line before the formula in which their sentence goes on."""
SENTENCE = re.compile(r"(?<!\be\.g)(?<!\bi\.e)[.!?](?=\s|$)|\n[ \t]*\n|;\s|[。！？；]")


@dataclass(frozen=True, slots=True)
class ChainLink:
    """A relation between two formulas that stand next to each other.

    Attributes:
        left: The formula on the left of the relation.
        relation: The label of the relation.
        right: The formula on the right of it.
        line: The line of the relation in the file.
        words_before: The words of its sentence before its formula, with formulas as `§`.
        words_after: The words that follow its formula.
        chain_index: The index of its chain in the document.
        index: The index of the link in its chain.
        connective: What connects it with the statement before it in the same formula: "so" or "since" (an
            arrow), "and", ",", "row", "column", the words between them, or "" (nothing).
        modulus: The modulus of a congruence.
        of_problem: Whether the problem states it.
        position: The section, paragraph and scope in which it stands.
        piece_index: The index of its formula among the pieces of the document.
        formulas: The formulas of its sentence before it.
        next_formula: The formula that follows its own, behind `words_after`.
        words_after_next: The words that follow the next formula.
        bracketed: The conditions in brackets behind it.
        remarks: The words within its formula.
    """

    left: str
    relation: str
    right: str
    line: int
    words_before: str
    words_after: str = ""
    chain_index: int = 0
    index: int = 0
    connective: str = ""
    modulus: str = ""
    of_problem: bool = False
    position: Position = NOWHERE
    piece_index: int = 0
    formulas: tuple[str, ...] = ()
    next_formula: str = ""
    words_after_next: str = ""
    bracketed: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def restricting_formulas(self) -> tuple[str, ...]:
        """The formulas after it that restrict the numbers for which it holds."""
        behind = bool(self.next_formula) and is_made_of("restricting", self.words_after)
        return (*self.bracketed, self.next_formula) if behind else self.bracketed

    @property
    def begins_before(self) -> bool:
        """Whether its left side begins before its formula, with a sign of an operation or relation."""
        if self.index or self.connective:
            return False
        touching = self.formulas[-1].rstrip(" ~") if self.formulas else ""
        return touching.endswith((*OPERATORS, "=")) or self.words_before.endswith(_WRITTEN_OPERATORS)

    @property
    def goes_on_behind(self) -> bool:
        """Whether a sign of an operation behind its formula goes on with its right side."""
        return self.words_after.startswith(_WRITTEN_OPERATORS)

    @property
    def is_unannounced(self) -> bool:
        """Whether no words and no other statement of its formula lead to it, as in a list."""
        return not (self.connective or self.index or words_of(last_sentence(self.words_before)))

    @property
    def is_denied_directly(self) -> bool:
        """Whether the words right before or after a statement deny it or say that it is another's."""
        announcing = last_sentence(self.words_before).rpartition(":")[0]  # "the following is wrong:"
        words = (last_clause(text[-60:]).split()[-4:] for text in (self.words_before, announcing))
        return (
            any(mentions("refused", " ".join(cue_words)) for cue_words in words)
            or self.is_denied_by_words_after
        )

    @property
    def has_denial_nearby(self) -> bool:
        """Whether its sentence has a word that denies or supposes, of this statement or another."""
        return mentions("denied", self.words_before[-120:]) or self.is_denied_by_words_after

    @property
    def is_denied_by_words_after(self) -> bool:
        if self.next_formula and words_of(self.words_after) == ["not"]:
            return False  # "x = 1, not y = 1" denies the next
        # "7 | 30 ⇔ false" says within its formula that it does not hold.
        refused = any(starts_with_refusal(remark) or mentions("refused", remark) for remark in self.remarks)
        return refused or starts_with_refusal(self.words_after) or self.is_quoted

    @property
    def is_quoted(self) -> bool:
        """Whether its formula stands between quotation marks: it is mentioned, and not claimed."""
        return self.words_before.endswith(_OPENING_QUOTES) and self.words_after.startswith(_CLOSING_QUOTES)

    @property
    def may_be_one_of_several(self) -> bool:
        """Whether words nearby speak of several cases or values, or suppose one, as "when" and "root" do."""
        return mentions("several", f"{self.words_before} {self.connective}") or self.has_alternative_after

    @property
    def is_one_of_alternatives(self) -> bool:
        """Whether words nearby say that it is one of several values or cases, as "either" does."""
        words = f"{self.words_before} {self.connective}", _SENTENCE_END.split(self.words_after[:40])[0]
        return any(
            (mentions("alternative", part) and not mentions("equivalent", part)) or distinguishes_cases(part)
            for part in words
        )

    @property
    def has_alternative_after(self) -> bool:
        return mentions("several", _SENTENCE_END.split(self.words_after[:40])[0])

    @property
    def is_rounded(self) -> bool:
        return mentions("rounded", self.words_before + self.words_after)


def iterate_chains(document: Document, positions: Sequence[Position] = ()) -> Iterator[list[ChainLink]]:
    """Yield the chains of relations in a document, each as its links; a side without a relation has none.

    Args:
        document: The document, as pieces of words and formulas.
        positions: The positions of its pieces in the theorems and proofs of the text; read if not given.
    """
    words_before = ""
    number = 0
    end = ""
    opened = False
    touched, bare = False, False
    # Where a chain ended before a remark, `and $u = x^2$`, behind which a paragraph goes on with it.
    explained, in_remark, parted = "", False, False
    compared = "", ""
    """The sides of the last statement that began with its relation."""
    formulas_before: list[str] = []
    positions = positions or read_positions(document)
    for index, piece in enumerate(document.pieces):
        # Words: what stands before the next formula is the rest of the last sentence; a chain goes on behind
        # them only where they are no more than a comma or space.
        if not piece.formula:
            parts = SENTENCE.split(_LEADING_ON.sub(r"\g<word>", piece.text))
            words_before = parts[-1] if len(parts) > 1 else words_before + parts[0]
            words_before = words_before[-400:]
            formulas_before = [] if len(parts) > 1 else formulas_before
            touched = opened and bare and not piece.text.strip()
            between = piece.text.strip(" ,\n\t~\\")
            opened = opened and not between
            in_remark = (in_remark and not between) or has_last_word("remarking", between)
            explained = explained if not between or is_made_of("remarking", between) else ""
            parted = in_remark and not between and _PARAGRAPH_END.search(piece.text) is not None
            continue
        if len(piece.text) > MAX_FORMULA:
            beginning = " ".join(piece.text[:40].split()) + " …"
            long = ChainLink(
                beginning,
                TOO_LONG,
                "…",
                piece.line,
                _separate_words(words_before),
                chain_index=number,
                of_problem=piece.said,
            )
            yield [replace(long, position=positions[index], piece_index=index)]
            number, end = number + 1, ""
            continue
        # A formula: the words behind it may deny or restrict what it says.
        after = document.pieces[index + 1].text[:80] if index + 1 < len(document.pieces) else ""
        ended = _SENTENCE_ENDED.search(piece.text) is not None
        if after and document.pieces[index + 1].formula:
            # A formula without a relation that touches another is a factor, as `126` behind `252 = 2.`.
            adjacent = split_statements(document.pieces[index + 1].text)
            is_factor = not any(each.relations for each in adjacent)
            after, ended = ("·", False) if is_factor else ("", ended)
        after = f". {after}" if ended or _PARAGRAPH_BEGUN.match(after) else after
        behind, beyond = (
            document.pieces[index + step].text if index + step < len(document.pieces) else ""
            for step in (2, 3)
        )
        last = ""
        is_universal = r"\forall" in piece.text and r"\exists" not in piece.text
        words_before += " for all " if r"\forall" in piece.text else ""
        words_before += " there exists such that " if r"\exists" in piece.text else ""
        continued = explained if parted else end
        statements = split_statements(piece.text, piece.line)
        bracketed = tuple(
            each.sides[0].strip()[1:-1]
            for each in statements
            if not each.relations and each.sides[0].strip()[:1] == "(" and each.sides[0].strip()[-1:] == ")"
        )
        remarks = tuple(
            " ".join(words[1].split())
            for each in statements
            if not each.relations and (words := WORDS.match(each.sides[0].strip()))
        )
        if worded := _read_worded_link(piece, number, words_before, formulas_before, statements, after):
            number += 1
            yield [replace(worded, position=positions[index], piece_index=index)]
        for statement in statements:
            # A statement that begins with a relation, `= 3`, goes on from the side before.
            if statement.begins_with_relation and not statement.sides[0]:
                # `> 1`, `< 1` and `\ne 1` in turn are said of the same side.
                is_of_same_side = opened and statement.sides[-1].strip() == compared[1]
                statement.sides[0] = compared[0] if is_of_same_side else last or (continued if opened else "")
                compared = statement.sides[0], statement.sides[-1].strip()
            last = statement.sides[-1]
            lead = words_before
            quantified: tuple[str, ...] = ()
            if is_universal and statement.connective == ",":
                lead += " § we have "  # what comes first says which values the variable has
                quantified = (" ".join(statements[0].sides),)
            result = _make_links(statement, piece, number, _separate_words(lead), after)
            if result:
                number += 1
                sentence_formulas = (*formulas_before, *quantified)
                yield [
                    replace(
                        link,
                        position=positions[index],
                        piece_index=index,
                        formulas=sentence_formulas,
                        next_formula=behind,
                        words_after_next=_separate_words(beyond[:80]),
                        bracketed=bracketed,
                        remarks=remarks,
                    )
                    for link in result
                ]
        bare = not any(each.relations for each in statements)
        # `$a$ $b$ $= c$` is said of a product, or of what nobody can tell.
        end, opened = "" if bare and touched else last, True
        touched = False
        explained = explained if in_remark and not parted else last
        in_remark, parted = in_remark and not parted, False
        words_before = (words_before + " § ")[-400:]
        formulas_before.append(piece.text)
        if ended:
            words_before, formulas_before = "", []


def _read_worded_link(
    piece: TextPiece,
    number: int,
    words_before: str,
    formulas_before: Sequence[str],
    statements: Sequence[FormulaStatement],
    after: str,
) -> ChainLink | None:
    """Return the equation that words before an expression say: `The derivative of $x^2$ is $2x$`."""
    if len(statements) != 1 or statements[0].relations or not formulas_before:
        return None
    words, behind = _separate_words(words_before), _separate_words(after)
    worded = read_worded_side(words, formulas_before, piece.text, behind)
    if worded is None:
        return None
    side, operation = worded
    right = trim_side(statements[0].sides[0])
    return ChainLink(
        side, "=", right, piece.line, operation.words_before, behind, number, of_problem=piece.said
    )


def _separate_words(words: str) -> str:
    return " ".join(words.split()).lower()


def _make_links(
    statement: FormulaStatement, piece: TextPiece, number: int, words_before: str, after: str
) -> list[ChainLink]:
    modulus = ""
    if match := _MODULUS.search(statement.sides[-1]):
        modulus = next((group for group in match.groups() if group), "")
        statement.sides[-1] = statement.sides[-1][: match.start()]
    elif remainder := _REMAINDER.fullmatch(statement.sides[-1]):
        divisor = (remainder["braced"] or remainder["plain"] or "").strip()
        # 1 = 7 \bmod 3 names a remainder, and nobody has to divide 4 by 15 in 49 = 4 \bmod 15.
        if not divisor.isdecimal() or int(remainder["number"]) < int(divisor):
            modulus, statement.sides[-1] = divisor, remainder["residue"]
    sides = [trim_side(side) for side in statement.sides]
    return [
        ChainLink(
            sides[index],
            relation,
            sides[index + 1],
            line,
            words_before,
            _separate_words(after),
            number,
            index,
            statement.connective,
            modulus,
            piece.said,
        )
        for index, (relation, line) in enumerate(statement.relations)
        if sides[index] and sides[index + 1]
    ]


def trim_side(side: str) -> str:
    r"""Return a side without what only typesets it: punctuation, spaces, a box around it.

    >>> trim_side(r"\boxed{\frac12}. \quad")
    '\\frac12'
    >>> trim_side("0.999...")
    '0.999\\ldots'
    """
    side = _TRIMMED.sub("", _GOING_ON.sub(r"\\ldots ", side))
    while match := BOX.search(side):
        end = find_closing(side, match.end() - 1)
        end = len(side) if end < 0 else end
        side = side[: match.start()] + " " + side[match.end() : end] + " " + side[end + 1 :]
        side = _TRIMMED.sub("", side)
    return _TRIMMED.sub("", side)
