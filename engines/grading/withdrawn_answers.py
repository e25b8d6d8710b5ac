"""Values that a text names and does not state: `it is hardly 3`, `3 fails`, `3. No, 4`, `step 3`.

A value that is found counts only where the rest of the text lets it stand. What a reference or question says
in the same words takes nothing back.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence

from engines.grading.answer_vocabulary import (
    COPULA_VERBS,
    COPULAS,
    CORRECTIONS,
    DENIALS,
    JOINS,
    NO_DENIALS,
)
from engines.grading.boxes_and_announcements import find_announced
from engines.grading.final_answer import take_marked
from engines.grading.forms import Many, Named, WordsForm
from engines.grading.leftover_words import LeftoverWords
from engines.grading.locales import match_announcement
from engines.grading.meanings.implications import read_implication
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.sentence_quantities import list_quantities, match_quantity, match_unit
from engines.grading.tokens import (
    TEXT_COMMANDS,
    AnswerToken,
    Phrases,
    is_blank,
    join_formulas,
    match_braces,
    text_at,
    tokenize,
)
from engines.grading.translated_vocabulary import RELATIONS
from engines.grading.verdicts import GradeOutcome
from engines.grading.withdrawal_vocabulary import (
    BEHIND_COPULAS,
    CLAUSES_OF_CONTENT,
    CONDITIONAL_VERBS,
    CONDITIONS,
    COUNTED_BEHIND,
    DISAVOWALS,
    ERRORS,
    FILLERS,
    GIVING_UP,
    LABELS,
    METHODS,
    OPERATORS_BEFORE,
    REFUSALS,
    REJECTIONS_BEHIND,
    RETRACTIONS,
    TRUE_VALUES,
)
from engines.language.numerals import with_ascii_digits

_LONGEST = 2_000
"""Characters at the end of a text that are read."""
_MOST_TOKENS = 120
"""Tokens of a text that is no long solution, in which what stands before the value counts as well."""
_MOST_DENIED = 3
"""Words between a denial and the value that it denies, besides fillers."""
_ENDS = frozenset(".!?。！？…")
_MARKS = _ENDS | frozenset(",;:，；：、—–")
_OPENING, _CLOSING = frozenset("([（"), frozenset(")]）")
_SIGNS = frozenset(("$", "*", "{", "}", "\\(", "\\)", "\\[", "\\]", "\\boxed", "\\fbox", *TEXT_COMMANDS))
"""What marks formulas, boxes and texts, and says nothing."""
_STRIKES = ("\\cancel", "\\bcancel", "\\xcancel", "\\sout", "\\st")


def find_withdrawal(
    gold: str, pred: str, value: str, problem: str, compare: Callable[[str], GradeOutcome]
) -> str:
    """Return how a text takes back the value that was found in it; "" where it lets it stand.

    Args: gold: the reference. pred: the text. value: what was found in it. problem: the question. compare:
    grades a value as the whole answer.
    """
    text = unicodedata.normalize("NFC", with_ascii_digits(take_marked(pred[-_LONGEST:])))
    if not any(char.isalpha() for char in text):
        return ""
    return _WithdrawalFinder(gold, text, value, problem, compare).find_reason()


class _WithdrawalFinder:
    """What stands around a value: `first` and `last` are where its figures begin and end among the tokens."""

    def __init__(
        self, gold: str, text: str, value: str, problem: str, compare: Callable[[str], GradeOutcome]
    ) -> None:
        self.text = text
        self.value = value
        self.compare = compare
        self.tokens = _drop_signs(tokenize(text))
        self.gold = [token for token in tokenize(gold.lower()) if not is_blank(token)]
        self.known = [*self.gold, *(token for token in tokenize(problem.lower()) if not is_blank(token))]
        self.is_asked = bool(problem)
        form = read_form(gold)
        # What the reader makes of a sentence is no value.
        is_sentence = isinstance(form, Term) and form.value is None and read_implication(gold) is not None
        self.is_single = isinstance(form, Term | Named) and not is_sentence
        self.is_stated = isinstance(form, Term | Named | Many | WordsForm)
        self.is_value = self.is_single or isinstance(form, Many)
        stated = form.value if isinstance(form, Named) else form
        self.has_range = not isinstance(stated, Term | Many) or any(map(gold.__contains__, _NO_EQUALITIES))
        self.settled = False
        self.first, self.last = self.locate_value()

    def locate_value(self) -> tuple[int, int]:
        """Return where the value stands: in the last box, first behind an announcement or where the text
        begins with it, or else last."""
        tokens = tokenize(self.text)
        boxes = [at for at, token in enumerate(tokens) if token.text in ("\\boxed", "\\fbox")]
        if boxes:
            self.settled = True
            opening = text_at(tokens, boxes[-1] + 1) == "{"
            end = match_braces(tokens).get(boxes[-1] + 1) if opening else boxes[-1] + 2
            stop = tokens[end].end if end is not None and end < len(tokens) else len(self.text)
            inside = [at for at, one in enumerate(self.tokens) if tokens[boxes[-1]].end <= one.start < stop]
            return (inside[0], inside[-1] + 1) if inside else (0, 0)
        begin, _, self.settled = find_announced(self.text, tokens)
        start = tokens[begin].start if begin < len(tokens) else 0
        places = self.find_places(start)
        if self.settled and not places:
            self.settled = False
            places = self.find_places(0)
        if not places:
            return 0, 0
        stated = [place for place in places if not self.is_label(place[0])] or places
        leads = self.settled or stated[0][0] == 0
        return stated[0] if leads else stated[-1]

    def find_places(self, start: int) -> list[tuple[int, int]]:
        """Return where the figures of the value stand behind a character, or all of it that has none."""
        said = _drop_signs(tokenize(with_ascii_digits(self.value)))
        figures = [at for at, token in enumerate(said) if token.kind == "digits"]
        first, last = (figures[0], figures[-1] + 1) if figures else (0, len(said))
        core = [token.text for token in said[first:last]]
        is_negative = text_at(said, first - 1) in _MINUSES
        size = len(core)
        return [
            (at, at + size)
            for at in range(len(self.tokens) - size + 1)
            if self.tokens[at].start >= start
            and [token.text for token in self.tokens[at : at + size]] == core
            and (text_at(self.tokens, at - 1) in _MINUSES) == is_negative
            and self.is_whole(at, at + size)
        ]

    def is_whole(self, first: int, last: int) -> bool:
        """Return whether figures are no part of decimals, as the 3 of 1.3."""
        tokens = self.tokens
        for mark, figure in ((first - 1, first - 2), (last, last + 1)):
            is_attached = text_at(tokens, mark) in (".", ",") and text_at(tokens, figure).isdecimal()
            if is_attached and tokens[max(mark, figure)].start == tokens[min(mark, figure)].end:
                return False
        return True

    def find_reason(self) -> str:
        """Return how the value is taken back; "" where it stands."""
        if self.first == self.last:
            return ""
        whole = self.first == 0 and all(token.text in _MARKS for token in self.tokens[self.last :])
        clause = self.find_clause_start()
        reasons = (
            "the value is struck out" if any(map(self.value.lstrip("$ ").startswith, _STRIKES)) else "",
            self.find_phrase(DISAVOWALS, clause, self.last if whole else self.first)
            if self.is_stated
            else "",
            # Statements and ranges in words were compared with their denials.
            self.find_beside(clause) if self.is_value else "",
            self.find_leftover(clause) if self.is_value and not self.has_range else "",
            self.find_surrender(clause),
            self.find_alternative(clause),
            self.find_retraction(clause),
        )
        return next(filter(None, reasons), "")

    def find_beside(self, clause: int) -> str:
        """Return what right beside the value says that it is denied, counted with or a label."""
        return self.find_denial_before(clause) or self.find_rejection_behind() or self.find_label()

    def find_phrase(self, phrases: Phrases[str], first: int, last: int) -> str:
        """Return how the first phrase of a table is said between two tokens that is not said in the reference
        or question."""
        for at, end, _ in phrases.find_all(self.tokens[:last], first, last):
            if not self.is_known(at, end) and not self.is_harmless(at):
                return f"the text says: {self.spell(at, end)}"
        return ""

    def is_known(self, first: int, last: int) -> bool:
        """Return whether the reference or question has the same words."""
        return _contains(self.known, [token.text.lower() for token in self.tokens[first:last]])

    def is_harmless(self, at: int) -> bool:
        """Return whether a phrase only begins as a denial or doubt does, or ends so: `no doubt`; and whether
        its letter is none of `isn't`."""
        if self.tokens[at].text.lower() == "t" and text_at(self.tokens, at - 1) not in ("'", "’"):
            return True
        before = [NO_DENIALS.match(self.tokens, start) for start in range(max(0, at - 2), at + 1)]
        return any(match is not None and match[0] > at for match in before) or (
            METHODS.match(self.tokens, at) is not None
        )

    def spell(self, first: int, last: int) -> str:
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    # ---- the clause of the value

    def is_boundary(self, at: int) -> bool:
        """Return whether a clause ends at a token."""
        token = self.tokens[at]
        if token.kind == "line":
            return True
        if token.text not in _MARKS:
            return False
        if at + 1 < len(self.tokens) and CLAUSES_OF_CONTENT.match(self.tokens, at + 1) is not None:
            return False
        if token.text not in ".,:" or at + 1 >= len(self.tokens):
            return True
        further = self.tokens[at + 1]
        return further.start > token.end or further.text >= _FIRST_UNSPACED

    def find_clause_start(self) -> int:
        at = self.first
        while at and not self.is_boundary(at - 1) and self.tokens[at - 1].text not in _CLOSING:
            at -= 1
        return at

    def find_sentence_end(self) -> int:
        ends = (at for at in range(self.last, len(self.tokens)) if self.ends_sentence(at))
        return next(ends, len(self.tokens))

    def ends_sentence(self, at: int) -> bool:
        token = self.tokens[at]
        return self.is_boundary(at) and (token.kind == "line" or token.text in _ENDS)

    def find_denial_before(self, clause: int) -> str:
        """Return the denial before the value that is of it and of nothing else."""
        for at, end, _ in DENIALS.find_all(self.tokens[: self.first], clause, self.first):
            if self.is_harmless(at) or _contains(self.gold, [self.tokens[at].text.lower()]):
                continue
            if self.bounds_value(at, end):
                continue
            if self.governs(end, self.list_content(end, self.first)):
                return f"the text denies it: {self.spell(at, self.first)}"
        return ""

    def bounds_value(self, first: int, last: int) -> bool:
        """Return whether a denial belongs to words for a relation, as in `x must not exceed 5`, which a
        reference with more than a number may mean."""
        starts = range(max(0, first - _MOST_DENIED), first + 1)
        matches = (RELATIONS.match(self.tokens, at) for at in starts) if self.has_range else ()
        return any(match is not None and match[0] >= last for match in matches)

    def list_content(self, first: int, last: int) -> list[AnswerToken]:
        return [
            token
            for token in self.tokens[first:last]
            if token.kind == "word" and token.text.lower() not in FILLERS
        ]

    def governs(self, end: int, content: Sequence[AnswerToken]) -> bool:
        """Return whether a denial that ends before a token reaches the value: neither another number nor a
        statement stands between them, as in `the only one that is not even is 3`."""
        between = self.tokens[end : self.first]
        if any(token.kind == "digits" or token.text == "=" for token in between):
            return False
        if CORRECTIONS.find(between) is not None:
            return False
        if any(token.text >= _FIRST_UNSPACED for token in content):
            return False
        for table in (COPULAS, COPULA_VERBS):
            for at, _, _ in table.find_all(self.tokens, end, self.first):
                if self.list_content(end, at):
                    return False
        return len(content) <= _MOST_DENIED

    def find_rejection_behind(self) -> str:
        """Return the words right behind the value, or behind a verb, that reject it or count with it."""
        tokens = self.tokens
        at = max(self.last, match_unit(tokens, self.last))
        while at < len(tokens):
            if text_at(tokens, at) in _CLOSING:
                at += 1
                continue
            for table in (REJECTIONS_BEHIND, COUNTED_BEHIND, DENIALS):
                match = table.match(tokens, at)
                if match is None or self.is_known(at, match[0]) or self.is_harmless(at):
                    continue
                is_contrast = table is DENIALS and any(
                    token.kind == "digits" for token in tokens[match[0] : match[0] + 2]
                )
                if not is_contrast:
                    return f"the text says of it: {self.spell(at, match[0])}"
            copula = BEHIND_COPULAS.match(tokens, at)
            if copula is None:
                return ""
            at = copula[0]
        return ""

    def find_leftover(self, clause: int) -> str:
        """Return the word of the clause of the value that is not accounted for."""
        end = self.find_clause_end()
        known = [*self.known, *self.list_formula_words(), *self.list_other_words(clause, end)]
        form = read_form(self.value)
        is_measured = isinstance(form, Term) and form.unit is not None and form.unit.known
        said = LeftoverWords(self.tokens, (self.first, self.last), known)
        word = said.find_word(clause, end, is_asked=self.is_asked, is_measured=is_measured)
        # What was compared by its meaning is more than the value.
        is_letter = len(self.value) == 1 and self.value.isalpha()
        # Nor does a word count that was read as a part of it, as in `4 factorial`.
        without = self.value.replace(word, "").strip()
        is_spelled = bool(without) and without in self.text
        is_value = bool(word) and is_spelled and not is_letter and self.compare(without) == "equal"
        return f"it is not known what the text says with: {word}" if is_value else ""

    def list_other_words(self, first: int, last: int) -> list[AnswerToken]:
        """Return the words of the other clauses, of which this one goes on to speak."""
        others = [*self.tokens[:first], *self.tokens[last:]]
        return [token._replace(text=token.text.lower()) for token in others]

    def list_formula_words(self) -> list[AnswerToken]:
        """Return the words of the formula of the value, as `pi`, and those before its figures."""
        said = tokenize(self.value.lower())
        figures = [at for at, token in enumerate(said) if token.kind == "digits"]
        last = figures[-1] if figures else len(said)
        return [
            token
            for at, token in enumerate(said)
            if at < last or (token.text < _FIRST_UNSPACED and not is_blank(said[at - 1]))
        ]

    def find_clause_end(self) -> int:
        ends = (at for at in range(self.last, len(self.tokens)) if self.is_boundary(at))
        return next(ends, len(self.tokens))

    def is_label(self, first: int) -> bool:
        """Return whether a number only numbers something, as in `step 3`."""
        before = first - (text_at(self.tokens, first - 1) in _OPENING)
        label = LABELS.match_before(self.tokens, before)
        return label is not None and not self.is_known(label[0], before)

    def find_label(self) -> str:
        """Return what the value numbers, or of which operation it is an operand."""
        if self.settled:
            return ""
        if self.is_label(self.first):
            return f"the number is a label: {self.spell(max(0, self.first - 1), self.last)}"
        operator = OPERATORS_BEFORE.match_before(self.tokens, self.first)
        if operator is not None and not self.is_known(operator[0], self.first):
            return f"the number is an operand: {self.spell(operator[0], self.last)}"
        return ""

    # ---- other clauses

    def find_surrender(self, clause: int) -> str:
        """Return the words with which the text gives up, or says that it is not sure.

        Before the value they count in its own clause, in a short text that does not announce its answer
        afterwards, and right before an announcement.
        """
        is_short = len(self.tokens) <= _MOST_TOKENS
        first = 0 if is_short and not self.settled else clause
        if self.settled:  # `I have no idea. The answer is 3.`, but not `I was not sure, but the answer is 3.`
            near = max(0, self.first - _NEAR)
            is_corrected = CORRECTIONS.find(self.tokens[near : self.first]) is not None
            first = clause if is_corrected else near
        return self.find_phrase(GIVING_UP, first, len(self.tokens))

    def find_alternative(self, clause: int) -> str:
        """Return what the text says beside a value behind `either`, where the reference is one value."""
        tokens = self.tokens
        if not self.is_single or "either" not in (
            token.text.lower() for token in tokens[clause : self.first]
        ):
            return ""
        joins = JOINS.find_all(tokens, self.last, self.find_sentence_end())
        at = next((at for at, _, label in joins if label == "or"), None)
        is_known = at is None or _contains(self.known, [tokens[at].text.lower()])
        return "" if is_known or at is None else f"the text says: either, {self.spell(at, len(tokens))}"

    def find_retraction(self, clause: int) -> str:
        """Return the words behind the value that take it back, where another value follows them."""
        tokens = self.tokens
        for at in range(self.last, len(tokens)):
            before = at - (CORRECTIONS.match_before(tokens, at) is not None)
            begins = self.is_boundary(before - 1) or tokens[before - 1].text in _OPENING
            if begins and ERRORS.match(tokens, at) is not None:
                return f"the text says: {self.spell(at, len(tokens))}"
            if begins and self.takes_back(at) and (other := self.find_other(at, len(tokens))):
                return f"the text says afterwards: {other}"
            stated = match_announcement(tokens, at) or TRUE_VALUES.match(tokens, at)
            if stated is not None and (other := self.find_other(stated[0], self.find_value_end(stated[0]))):
                return f"the text says afterwards: {other}"
        end = self.find_sentence_end()
        is_conditional = CONDITIONAL_VERBS.find(tokens[clause : self.first]) and CONDITIONS.find(
            tokens[self.last : end]
        )
        other = self.find_other(self.last, end) if is_conditional else ""
        return f"under another condition the text says: {other}" if other else ""

    def takes_back(self, at: int) -> bool:
        """Return whether a clause begins with words that correct what stands before it."""
        if RETRACTIONS.match(self.tokens, at) is not None:
            return True
        refusal = REFUSALS.match(self.tokens, at)
        # `Is 4 a root as well? No.` refuses another value.
        is_asked = text_at(self.tokens, at - 1) in ("?", "？")
        if refusal is None or (is_asked and self.find_sentence_end() < at - 1):
            return False
        return refusal[0] >= len(self.tokens) or self.is_boundary(refusal[0])

    def find_value_end(self, first: int) -> int:
        """Return the index behind the quantity that begins at a token; the same index where none does."""
        return max(first, match_quantity(self.tokens, first, len(self.tokens)))

    def find_other(self, first: int, last: int) -> str:
        """Return a value between two tokens that is not that of the reference; "" where one is."""
        if not self.is_single:
            return ""
        if first >= last:
            return ""
        said = self.spell(first, last)
        tokens = join_formulas(said, tokenize(said))
        spans = list_quantities(tokens, 0, len(tokens))
        spans += [(at, at + 1) for at, token in enumerate(tokens) if token.kind == "formula"]
        values = [said[tokens[begin].start : tokens[end - 1].end] for begin, end in spans]
        verdicts = [self.compare(value) for value in values]
        is_rival = "equal" not in verdicts and "different" in verdicts
        return values[verdicts.index("different")] if is_rival else ""


_NO_EQUALITIES = ("≠", "\\ne", "<", ">", "\\le", "\\ge")
_NEAR = 12
"""Tokens between words that give up and the value that is announced all the same."""
_MINUSES = ("-", "−")
_FIRST_UNSPACED = "\u3040"


def _drop_signs(tokens: Sequence[AnswerToken]) -> list[AnswerToken]:
    """Return tokens without white space but lines, and without what only marks formulas and texts."""
    return [token for token in tokens if token.kind != "space" and token.text not in _SIGNS]


def _contains(tokens: Sequence[AnswerToken], words: Sequence[str]) -> bool:
    """Return whether words stand side by side among tokens."""
    size = len(words)
    return any(
        [token.text for token in tokens[at : at + size]] == words for at in range(len(tokens) - size + 1)
    )
