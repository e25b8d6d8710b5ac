r"""Chains of relations in and across formulas, as `a = b \le c` and rows of `align`; what words beside say.

A formula is split into statements (`formula_statements`); one that begins with a relation goes on where the
statement before it ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from engines.documents.reading import PARAGRAPH_END, Document, TextPiece
from engines.formula.brackets import find_closing
from engines.proofreading.cue_phrases import (
    calls_false,
    denies_of_all,
    distinguishes_cases,
    ends_with_phrase,
    has_first_word,
    has_last_word,
    is_made_of,
    last_clause,
    last_sentence,
    leave_out,
    mentions,
    names_other_object,
    names_step,
    reports_of_others,
    starts_with_phrase,
    starts_with_refusal,
    words_of,
)
from engines.proofreading.formula_statements import (
    BOX,
    OPERATORS,
    WORDS,
    FormulaStatement,
    begins_with_implication,
    is_implication,
    split_statements,
)
from engines.proofreading.moduli import list_written_moduli
from engines.proofreading.scopes import NOWHERE, Position, read_positions
from engines.proofreading.worded_operations import read_worded_side

MAX_FORMULA = 50_000
"""Characters of a formula; a longer one is a link of the relation `TOO_LONG`, which is not read."""
TOO_LONG = "…"
_MOST_WORDS = 400
"""Characters of a sentence before a formula that are kept."""
_MOST_WORDS_AFTER = 80
"""Characters behind a formula that are looked at."""
_MOST_REFUSING = 3
"""Words of a remark within a formula that says of it that it does not hold."""
_WRITTEN_OPERATORS = ("×", "·", "÷", "∙")
"""Signs of operations in words, where they begin no item of a list."""
_OPENING_QUOTES = ("``", '"', "“", "„", "”", "«", "»", "'", "‘", "‚", "״", "「", "『")
_CLOSING_QUOTES = ("''", '"', "”", "“", "»", "«", "'", "’", "‘", "״", "」", "』")
_QUOTES = (('"', '"'), ("״", "״"), ("“", "”"), ("„", "“"), ("``", "''"), ("«", "»"), ("「", "」"))
"""Pairs of signs between which several words can stand; an apostrophe is none."""
_LOGICAL = (r"\land", r"\lor", r"\wedge", r"\vee", r"\oplus", r"\veebar", "∧", "∨", "⊕")
"""Signs between two statements."""
_DECIMAL_DOTS = re.compile(r"(?<=\d)\.\.\.")
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
_FORMULA_ENDS_SENTENCE = re.compile(r"\.\s*(?:\\\]|\\end\{\w+\*?\})?\s*$")
_PARAGRAPH_BEGUN = re.compile(
    r"\s*?\n(?:[ \t]*\n\s*(?:<[^<>]*>\s*)*[A-Z]|[ \t]*(?:[-*+•]\s|\d+[.)]\s|\\item(?![A-Za-z])))"
)
"""What ends a sentence although no point does: a new paragraph or item of a list."""
_PARAGRAPH_END = re.compile(rf"\n[ \t]*\n|{PARAGRAPH_END}")
_PARAGRAPHS_OF_LABEL = 4
"""Paragraphs from a label with an expression to a formula that says what it is."""
_MOST_PIECES_BEFORE = 16
_MOST_WORDS_OF_LABEL = 4
_CLAUSE_END = re.compile(r"[.,;:!?—–§]")
_MOST_WORDS_OF_REMARK = 40
"""Characters behind a formula that say what it is about."""
_FULL_STOP = re.compile(r"[.!?](?:\s|$)")
_UNENDED_LINE = re.compile(r"(?m)^(?P<word>(?![#|>])(?=.*[a-z])(?:.*[\w,:)])?|[ \t]*[,:])\s*\n[ \t]*\n\s*\Z")
"""Words that no point ends, or the comma or colon behind a formula, with the blank line before the formula in
which their sentence goes on."""
SENTENCE_BREAK = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)[.!?](?=\s|$)|\n[ \t]*\n|(?<=\|)[ \t]*\n[ \t]*(?=\|)|;\s|[。！？；]"
)


_LEADING_ON = frozenset(("i", "e", "i.e", "that", "is", "so", "hence", "thus", "therefore"))
_MARK = re.compile(r"(?<!§)(?<!§ )(?:(?P<cross>[❌✗✘✖])|(?P<tick>[✅✓✔]))")
"""A cross or tick that is not right behind a formula."""
_CROSSED = re.compile(r"[\s)\]|&]*[❌✗✘✖]")
_DINGBAT = re.compile(r"\\ding\s*\{\s*(\d+)\s*\}")
_DINGBATS = {"51": "✓", "52": "✔", "55": "✗", "56": "✘"}
"""Ticks and crosses by their numbers in the font of LaTeX that has them."""


@dataclass(frozen=True)
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
        formulas_before: The formulas of its sentence before it.
        next_formula: The formula that follows its own, behind `words_after`.
        words_after_next: The words that follow the next formula.
        bracketed: The conditions in brackets behind it.
        remarks: The words within its formula.
        argument: The index of the chain of implications that it belongs to, `a = b ⇒ c = d`; -1 for none.
        is_premise: Whether that begins with it.
        may_go_on_from: What else its left side may be, where its formula begins with a relation in a new
            line: the expressions that the lines before it name.
        connective_behind: What connects it with the statement behind it in the same formula.
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
    formulas_before: tuple[str, ...] = ()
    next_formula: str = ""
    words_after_next: str = ""
    bracketed: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    argument: int = -1
    is_premise: bool = False
    may_go_on_from: tuple[str, ...] = ()
    connective_behind: str = ""

    @cached_property
    def restricting_formulas(self) -> tuple[str, ...]:
        """The formulas after it that restrict the numbers for which it holds."""
        return (*self.bracketed, self.next_formula) if self.is_restricted_behind else self.bracketed

    @cached_property
    def is_restricted_behind(self) -> bool:
        """Whether the words between it and the next formula, in its sentence, say that this restricts it."""
        ends = self.words_after.startswith(".")
        return bool(self.next_formula) and not ends and is_made_of("restricting", self.words_after)

    @cached_property
    def begins_before(self) -> bool:
        """Whether its left side begins before its formula, with a sign of an operation or relation."""
        if self.index or self.connective:
            return False
        touching = self.formulas_before[-1].rstrip(" ~") if self.formulas_before else ""
        return touching.endswith((*OPERATORS, "=")) or self.words_before.endswith(_WRITTEN_OPERATORS)

    @cached_property
    def continues_in_words(self) -> bool:
        """Whether a sign of an operation behind its formula goes on with its right side."""
        return self.words_after.startswith(_WRITTEN_OPERATORS)

    @cached_property
    def is_unannounced(self) -> bool:
        """Whether no words and no other statement of its formula lead to it, as in a list."""
        return not (self.connective or self.index or words_of(last_sentence(self.words_before)))

    @cached_property
    def is_denied_directly(self) -> bool:
        """Whether the words right before or after a statement deny it or say that it is another's."""
        return any(mentions("refused", words) for words in self._leading_words) or self._is_denied_elsewhere

    @cached_property
    def is_hypothetical(self) -> bool:
        """Whether it is denied by no more than words that say what would be: `then we would have`."""
        words = self._leading_words
        would = any(mentions("hypothetical", each) for each in words)
        refused = any(mentions("refused", leave_out("hypothetical", each)) for each in words)
        return would and not (refused or self._is_denied_elsewhere)

    @cached_property
    def _leading_words(self) -> list[str]:
        """The last words before it, and those of an announcement: "the following is wrong:"."""
        announcing = last_sentence(self.words_before).rpartition(":")[0]
        return [" ".join(last_clause(each[-60:]).split()[-4:]) for each in (self.words_before, announcing)]

    @cached_property
    def _is_denied_elsewhere(self) -> bool:
        """Whether words deny all of its kind or say that it is somebody's, or a cross or the words behind it
        deny it."""
        begun = last_sentence(self.words_before)
        return (
            denies_of_all(self.words_before)
            or self.is_crossed_out
            or self.is_denied_by_words_after
            or any(map(reports_of_others, self._leading_words))
            or ends_with_phrase("refused right before", self.words_before)
            or (bool(words_of(begun)) and is_made_of("inverted condition", begun))
        )

    @cached_property
    def is_crossed_out(self) -> bool:
        """Whether a cross such as ❌ marks it as wrong: right behind it, or at the beginning of its item."""
        marks = [match for match in _MARK.finditer(self.words_before) if match["cross"] or match["tick"]]
        begun = bool(marks) and marks[-1]["cross"] is not None
        return begun or any(map(_CROSSED.match, (self.words_after, *self.remarks)))

    @cached_property
    def has_denial_nearby(self) -> bool:
        """Whether its sentence has a word that denies or supposes, of this statement or another."""
        return mentions("denied", self.words_before[-120:]) or self.is_denied_by_words_after

    @cached_property
    def is_denied_by_words_after(self) -> bool:
        if self.next_formula and words_of(self.words_after) == ["not"]:
            return False  # "x = 1, not y = 1" denies the next
        # "7 | 30 ⇔ false" says within its formula that it does not hold, and "⇒ v is not conservative" that
        # it does.
        refused = any(
            starts_with_refusal(remark)
            or (mentions("refused", remark) and len(words_of(remark)) <= _MOST_REFUSING)
            for remark in self.remarks
        )
        refused = refused or self._leads_to_refused or self._is_denied_of_all or self.is_quoted
        return refused or starts_with_refusal(self.words_after)

    @property
    def _leads_to_refused(self) -> bool:
        """Whether the next statement says it in other words, or follows from it, and is refused: "§, i.e. §.
        That is impossible"."""
        words = words_of(self.words_after)
        leads_on = bool(words) and _LEADING_ON.issuperset(words) and not self.words_after.startswith(".")
        return leads_on and bool(self.next_formula) and starts_with_refusal(self.words_after_next)

    @cached_property
    def is_called_false(self) -> bool:
        """Whether a cross or the words right behind it say that it is false, and do not only ask or quote."""
        behind = self.words_after
        for sign in _CLOSING_QUOTES:
            behind = behind.removeprefix(sign)
        return self.is_crossed_out or calls_false(behind) or self._is_denied_of_all

    @cached_property
    def belongs_to_judged_implication(self) -> bool:
        """Whether words before or behind its formula speak of an implication as a whole: "the implication §",
        "§ is true, since its premise is false"."""
        behind = _FULL_STOP.split(self.words_after)[0]
        return (
            ends_with_phrase("implication", self.words_before)
            or starts_with_phrase("true as a whole", behind)
            or mentions("premise", behind)
        )

    @cached_property
    def _is_denied_of_all(self) -> bool:
        """Whether it is denied behind the letters that it is said of: "§ for all § is false"."""
        is_named = bool(self.next_formula) and mentions("universal", self.words_after)
        behind = self.words_after_next.removeprefix('"').removeprefix("''").removeprefix("”")
        return is_named and starts_with_refusal(behind)

    @cached_property
    def is_quoted(self) -> bool:
        """Whether its formula stands between quotation marks, or ends what stands between them: it is
        mentioned, and not claimed."""
        before, after = self.words_before, self.words_after
        if before.endswith(_OPENING_QUOTES) and after.startswith(_CLOSING_QUOTES):
            return True
        begun = (
            before.count(opening) % 2 == 1
            if opening == closing
            else before.find(opening, before.rfind(closing) + 1) >= 0
            for opening, closing in _QUOTES
            if after.startswith(closing)
        )
        return any(begun)

    @cached_property
    def is_labelled(self) -> bool:
        """Whether a few words with a colon name what it is about, as `**Second series**:`, and no step."""
        label, colon, behind = last_sentence(self.words_before).rpartition(":")
        words = words_of(label)
        is_name = bool(colon) and not behind.strip(" *_}") and 0 < len(words) <= _MOST_WORDS_OF_LABEL
        return is_name and "§" not in label and not names_step(label)

    @cached_property
    def is_operand(self) -> bool:
        """Whether a sign of logic, or `or` in its formula, joins it with another statement."""
        if any(has_first_word("disjoining", each) for each in (self.connective, self.connective_behind)):
            return True
        before = self.formulas_before[-1].strip() if self.formulas_before else ""
        if not self.words_before.rpartition("§")[2].strip() and before in _LOGICAL:
            return True
        return not self.words_after.strip() and self.next_formula.strip().startswith(_LOGICAL)

    @cached_property
    def alternatives(self) -> list[str]:
        """The formulas before and behind it that `or` joins with it."""
        beside = (
            (self.words_before.rpartition("§")[2], self.formulas_before[-1] if self.formulas_before else ""),
            (self.words_after, self.next_formula),
        )
        return [
            formula
            for words, formula in beside
            if words_of(words)
            and is_made_of("disjoining", words)
            and any(each.relations for each in split_statements(formula))
        ]

    @cached_property
    def may_be_one_of_several(self) -> bool:
        """Whether words nearby speak of several cases or values, or suppose one, as "when" and "root" do."""
        return mentions("several", f"{self.words_before} {self.connective}") or self.speaks_of_several_after

    @cached_property
    def is_one_of_alternatives(self) -> bool:
        """Whether words nearby say that it is one of several values or cases, as "either" does."""
        words = f"{self.words_before} {self.connective}", _FULL_STOP.split(self.words_after[:40])[0]
        return any(
            (mentions("alternative", part) and not mentions("equivalent", part)) or distinguishes_cases(part)
            for part in words
        )

    @cached_property
    def is_of_other_object(self) -> bool:
        """Whether its sentence, or the remark behind it, names another object than the text before: the
        conjugate hyperbola, a wave in the opposite direction, the other possibility."""
        remark = _CLAUSE_END.split(self.words_after[:_MOST_WORDS_OF_REMARK])[0]
        return names_other_object(last_sentence(self.words_before)) or mentions("other object", remark)

    @cached_property
    def speaks_of_several_after(self) -> bool:
        return mentions("several", _FULL_STOP.split(self.words_after[:40])[0])

    @cached_property
    def speaks_of_others_after(self) -> bool:
        """Whether words behind it say that it is one of several, and not what "the solution" is."""
        return mentions("one of several", _FULL_STOP.split(self.words_after[:40])[0])

    @cached_property
    def is_rounded(self) -> bool:
        return mentions("rounded", self.words_before + self.words_after)


def iterate_chains(document: Document, positions: Sequence[Position] = ()) -> Iterator[list[ChainLink]]:
    """Yield the chains of relations in a document, each as its links; a side without a relation has none.

    Args:
        document: The document, as pieces of words and formulas.
        positions: The positions of its pieces in the theorems and proofs of the text; read if not given.
    """
    walker = _ChainWalker(document, positions or read_positions(document))
    for index, piece in enumerate(document.pieces):
        if piece.formula:
            yield from walker.read_formula(index)
        else:
            walker.read_words(piece.text)


class _ChainWalker:
    """Reads the pieces of a document in their order, and remembers what the next formula may go on with.

    Attributes:
        words_before: The words of the sentence at hand, with formulas as `§`.
        formulas_before: The formulas of that sentence.
        chain_count: How many chains there were.
        previous_side: The last side of the last formula.
        may_continue: Whether the next formula may go on with that side.
        has_no_relation: Whether the last formula has none.
        directly_follows_formula: Whether nothing stands between the last formula, which has no relation, and
            the next.
        side_before_remark: The side with which a chain ended before a remark, `and $u = x^2$`, behind which a
            paragraph goes on with it.
        is_in_remark: Whether the formula at hand is such a remark.
        is_behind_remark: Whether a paragraph ends between such a remark and the formula at hand.
        last_comparison: The sides of the last statement that began with its relation.
        argument: The chain of implications to which the sentence belongs, -1 for none.
        is_behind_arrow: Whether an arrow alone leads from the last formula to the next.
        is_in_new_line: Whether a line ends between the last formula and the next.
    """

    def __init__(self, document: Document, positions: Sequence[Position]) -> None:
        self.pieces = document.pieces
        self.positions = positions
        self.words_before = ""
        self.formulas_before: list[str] = []
        self.chain_count = 0
        self.previous_side = ""
        self.may_continue = False
        self.has_no_relation = False
        self.directly_follows_formula = False
        self.side_before_remark = ""
        self.is_in_remark = False
        self.is_behind_remark = False
        self.last_comparison = "", ""
        self.argument = -1
        self.is_behind_arrow = False
        self.is_in_new_line = False

    def read_words(self, text: str) -> None:
        """Read words: what stands before the next formula is the rest of the last sentence, and a chain goes
        on behind them only where they are no more than a comma or space."""
        sentences = SENTENCE_BREAK.split(_UNENDED_LINE.sub(r"\g<word>", text))
        # Of several sentences only the last one goes on to the next formula.
        is_new = len(sentences) > 1
        words = sentences[-1] if is_new else self.words_before + sentences[0]
        self.words_before = words[-_MOST_WORDS:]
        self.formulas_before = [] if is_new else self.formulas_before
        self.directly_follows_formula = self.may_continue and self.has_no_relation and not text.strip()
        between = text.strip(" ,\n\t~\\\xa0")
        if is_new:
            self.argument = -1
        self.is_in_new_line = "\n" in text
        self.is_behind_arrow = is_implication(between) or (self.is_behind_arrow and not between)
        self.may_continue = self.may_continue and not between
        self.is_in_remark = (self.is_in_remark and not between) or has_last_word("remarking", between)
        if between and not is_made_of("remarking", between):
            self.side_before_remark = ""
        self.is_behind_remark = self.is_in_remark and not between and _PARAGRAPH_END.search(text) is not None

    def read_formula(self, index: int) -> Iterator[list[ChainLink]]:
        """Yield the chains of a formula. Args: index: its place among the pieces."""
        piece = self.pieces[index]
        if len(piece.text) > MAX_FORMULA:
            yield [self._make_too_long_link(index)]
            self.chain_count, self.previous_side = self.chain_count + 1, ""
            return
        if is_implication(piece.text):
            self.is_behind_arrow, self.may_continue = True, False
            return
        words_after, ends_sentence = self._find_words_after(index)
        if r"\forall" in piece.text:
            self.words_before += " for all "
        if r"\exists" in piece.text:
            self.words_before += " there exists such that "
        # Words before an expression can say what it is: "the derivative of § is".
        statements = split_statements(piece.text, piece.line)
        if worded := _read_worded_link(
            piece, self.chain_count, self.words_before, self.formulas_before, statements, words_after
        ):
            self.chain_count += 1
            yield [replace(worded, position=self.positions[index], piece_index=index)]
        if statements and not statements[0].connective and self.is_behind_arrow:
            statements[0].connective = "so"
        self.is_behind_arrow = False
        continued_side = self.side_before_remark if self.is_behind_remark else self.previous_side
        last_side = ""
        for place, statement in enumerate(statements):
            following = statements[place + 1].connective if place + 1 < len(statements) else ""
            last = place + 1 == len(statements)
            is_premise = statement.connective != "so" and (
                following == "so" or (last and self._implies_next(index))
            )
            if is_premise:
                self.argument = self.chain_count
            # A statement that begins with a relation, `= 3`, goes on from the side before.
            named: tuple[str, ...] = ()
            if statement.begins_with_relation and not statement.sides[0]:
                named = self._list_expressions_before(index) if self.is_in_new_line and not place else ()
                self._take_over_left_side(
                    statement, last_side or (continued_side if self.may_continue else "")
                )
            last_side = statement.sides[-1]
            if links := self._link_statement(statement, statements, index, words_after):
                self.chain_count += 1
                if not links[0].index:  # the side that was taken over can be empty
                    links[0] = replace(links[0], may_go_on_from=named or links[0].may_go_on_from)
                yield [
                    replace(link, argument=self.argument, is_premise=is_premise, connective_behind=following)
                    for link in links
                ]
        self._end_formula(piece, statements, last_side, ends_sentence=ends_sentence)

    def _make_too_long_link(self, index: int) -> ChainLink:
        piece = self.pieces[index]
        beginning = " ".join(piece.text[:40].split()) + " …"
        return ChainLink(
            beginning,
            TOO_LONG,
            "…",
            piece.line,
            _normalise_words(self.words_before),
            chain_index=self.chain_count,
            of_problem=piece.said,
            position=self.positions[index],
            piece_index=index,
        )

    def _find_words_after(self, index: int) -> tuple[str, bool]:
        """Return the words behind a formula, which may deny or restrict what it says, and whether the formula
        ends its sentence."""
        following = self.pieces[index + 1] if index + 1 < len(self.pieces) else None
        ends_sentence = _FORMULA_ENDS_SENTENCE.search(self.pieces[index].text) is not None
        words_after = following.text[:_MOST_WORDS_AFTER] if following else ""
        if following and words_after and following.formula:
            # A formula without a relation that touches another is a factor, as `126` behind `252 = 2.`.
            is_factor = not any(each.relations for each in split_statements(following.text))
            words_after, ends_sentence = ("·", False) if is_factor else ("", ends_sentence)
        # A sentence or paragraph that ends with the formula says nothing behind it about it.
        is_cut = ends_sentence or _PARAGRAPH_BEGUN.match(words_after)
        return (f". {words_after}" if is_cut else words_after), ends_sentence

    def _implies_next(self, index: int) -> bool:
        """Return whether an arrow or words between lead from a formula to the next."""
        words, formula = (
            self.pieces[index + step].text if index + step < len(self.pieces) else "" for step in (1, 2)
        )
        if starts_with_phrase("implying", words) or is_implication(words.strip()):
            return True
        return not words.strip(" ,\n\t~\\\xa0") and begins_with_implication(formula)

    def _list_expressions_before(self, index: int) -> tuple[str, ...]:
        """List the expressions that formulas shortly before one name."""
        first = self.positions[index].paragraph - _PARAGRAPHS_OF_LABEL
        formulas = (
            self.pieces[at].text
            for at in range(max(0, index - _MOST_PIECES_BEFORE), index)
            if self.pieces[at].formula and self.positions[at].paragraph >= first
        )
        return tuple(trim_side(each.sides[0]) for formula in formulas for each in split_statements(formula))

    def _take_over_left_side(self, statement: FormulaStatement, side: str) -> None:
        """Let a statement that begins with its relation go on from a side."""
        # `> 1`, `< 1` and `\ne 1` in turn are said of the same side.
        is_of_same_side = self.may_continue and statement.sides[-1].strip() == self.last_comparison[1]
        statement.sides[0] = self.last_comparison[0] if is_of_same_side else side
        self.last_comparison = statement.sides[0], statement.sides[-1].strip()

    def _link_statement(
        self,
        statement: FormulaStatement,
        statements: Sequence[FormulaStatement],
        index: int,
        words_after: str,
    ) -> list[ChainLink]:
        piece, words_before = self.pieces[index], self.words_before
        formulas = self.formulas_before
        is_universal = r"\forall" in piece.text and r"\exists" not in piece.text
        if is_universal and statement.connective == ",":
            words_before += " § we have "  # what comes first says which values the variable has
            formulas = [*formulas, " ".join(statements[0].sides)]
        links = _make_links(statement, piece, self.chain_count, _normalise_words(words_before), words_after)
        # "We compute § by squaring: " names the modulus of the congruences behind it.
        remainder = self.formulas_before[-1] if self.formulas_before and self.has_no_relation else ""
        named = list_written_moduli(remainder) if "mod" not in piece.text else []
        next_formula, words_after_next = (
            self.pieces[index + step].text if index + step < len(self.pieces) else "" for step in (2, 3)
        )
        return [
            replace(
                link,
                modulus=str(named[0]) if len(named) == 1 and link.relation == "congruent" else link.modulus,
                position=self.positions[index],
                piece_index=index,
                formulas_before=tuple(formulas),
                next_formula=next_formula,
                words_after_next=_normalise_words(words_after_next[:_MOST_WORDS_AFTER]),
                bracketed=_list_bracketed(statements),
                remarks=_list_remarks(statements),
            )
            for link in links
        ]

    def _end_formula(
        self, piece: TextPiece, statements: Sequence[FormulaStatement], last_side: str, *, ends_sentence: bool
    ) -> None:
        self.has_no_relation = not any(each.relations for each in statements)
        # `$a$ $b$ $= c$` is said of a product, or of what nobody can tell.
        self.previous_side = "" if self.has_no_relation and self.directly_follows_formula else last_side
        self.may_continue, self.directly_follows_formula = True, False
        # A remark keeps the side before it, for the paragraph behind it.
        stays_in_remark = self.is_in_remark and not self.is_behind_remark
        self.side_before_remark = self.side_before_remark if stays_in_remark else last_side
        self.is_in_remark, self.is_behind_remark = stays_in_remark, False
        self.words_before = (self.words_before + " § ")[-_MOST_WORDS:]
        self.formulas_before.append(piece.text)
        # The next sentence has words of its own.
        if ends_sentence:
            self.words_before, self.formulas_before, self.argument = "", [], -1


def _list_bracketed(statements: Sequence[FormulaStatement]) -> tuple[str, ...]:
    """List the conditions in brackets of a formula: `(n > 0)` behind `2^n > n`."""
    sides = (each.sides[0].strip() for each in statements if not each.relations)
    return tuple(side[1:-1] for side in sides if side[:1] == "(" and side[-1:] == ")")


def _list_remarks(statements: Sequence[FormulaStatement]) -> tuple[str, ...]:
    r"""List the words within a formula: what `\text` has in it, alone or with a colon before a row that goes
    on."""
    sides = [(each, _DINGBAT.sub(_write_dingbat, each.sides[0].strip(" &\n"))) for each in statements]
    matches = (
        match
        for each, side in sides
        if (match := WORDS.match(side))
        if not each.relations or (match[1].rstrip().endswith(":") and match[0] == side)
    )
    return tuple(" ".join(words[1].split()) for words in matches)


def _write_dingbat(match: re.Match[str]) -> str:
    return _DINGBATS.get(match[1], "")


def _read_worded_link(
    piece: TextPiece,
    chain_index: int,
    words_before: str,
    formulas_before: Sequence[str],
    statements: Sequence[FormulaStatement],
    words_after: str,
) -> ChainLink | None:
    """Return the equation that words before an expression say: `The derivative of $x^2$ is $2x$`."""
    if len(statements) != 1 or statements[0].relations or not formulas_before:
        return None
    behind = _normalise_words(words_after)
    worded = read_worded_side(_normalise_words(words_before), formulas_before, piece.text, behind)
    if worded is None:
        return None
    side, operation = worded
    right = trim_side(statements[0].sides[0])
    return ChainLink(
        side, "=", right, piece.line, operation.words_before, behind, chain_index, of_problem=piece.said
    )


def _normalise_words(words: str) -> str:
    return " ".join(words.split()).lower()


def _make_links(
    statement: FormulaStatement, piece: TextPiece, chain_index: int, words_before: str, words_after: str
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
            _normalise_words(words_after),
            chain_index,
            index,
            statement.connective,
            modulus,
            piece.said,
            may_go_on_from=tuple(map(trim_side, statement.beside.get(index, ()))),
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
    side = _TRIMMED.sub("", _DECIMAL_DOTS.sub(r"\\ldots ", side))
    while match := BOX.search(side):
        end = find_closing(side, match.end() - 1)
        end = len(side) if end < 0 else end
        side = side[: match.start()] + " " + side[match.end() : end] + " " + side[end + 1 :]
        side = _TRIMMED.sub("", side)
    return _TRIMMED.sub("", side)
