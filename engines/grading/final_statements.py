r"""What an explanation states in the end: `Using 1/f = 1/a + 1/b the distance is **0.30 m**, as sketched`.

A text of words and formulas is parsed into its formulas and the words between them. The value that counts
is marked (bold), concluded (behind `so`, `that is`, 即), said with a verb (`equals`, beträgt), or the first
thing in the text with remarks behind it. It is the last exact side of a chain; the side on the left is what
was asked for. Words that deny, hedge or restrict what is stated leave no value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from engines.formula.vocabulary import CONNECTIVES
from engines.grading.answer_vocabulary import (
    ADMISSIONS,
    ALTERNATIVES,
    CONCLUDING,
    CONCLUSIONS,
    CONDITIONALS,
    COPULA_VERBS,
    DENIALS,
    FURTHER_LIMITS,
    HEDGES,
    INTENTIONS,
    LEVELS,
    make_phrases,
)
from engines.grading.locales import LIMITS, LIMITS_BEHIND
from engines.grading.meanings.sentence_items import is_word
from engines.grading.question_text import QuestionText
from engines.grading.sentence_quantities import match_unit
from engines.grading.tokens import (
    AnswerToken,
    Phrases,
    is_blank,
    join_formulas,
    skip_blanks,
    text_at,
    tokenize,
    unwrap_texts,
)
from engines.grading.translated_vocabulary import FIRST_ALTERNATIVES
from engines.grading.unit_reader import names_unit
from engines.language.numerals import find_numerals

_MOST_TOKENS = 220
"""Longer texts are solutions with steps of their own."""
_OPENING, _CLOSING = "([{⟨（", ")]}⟩）"
_SENTENCE_ENDS = (".", "。", "?", "；", ";")
_EQUALITIES = ("=", ":=")
_EQUIVALENCES = ("≡", "\\equiv", "⇔", "⟺", "\\iff", "\\Leftrightarrow", "\\Longleftrightarrow")
_APPROXIMATIONS = ("≈", "≃", "≅", "\\approx", "\\simeq", "\\doteq")
_RESTATEMENTS = make_phrases(
    "i.e., that is, that is to say, in other words, which is, or equivalently, equivalently, namely"
    ", d. h., d.h."
    ", das heißt, nämlich, also, c'est-à-dire, soit, à savoir, es decir, o sea, esto es, ou seja"
    ", isto é, cioè"
    ", ossia, то есть, т. е., т.е., а именно, 即, 也就是, 也即, 亦即, すなわち, つまり, 즉"
)
VALUE_VERBS = make_phrases(
    "simplifies to, which simplifies to, evaluates to, gives, yields, gives us, comes out to, works out to"
    ", reduces to, is given by, results in, becomes, turns out to be, ergibt, ergibt sich"
    ", ergibt sich zu, beträgt"
    ", lautet, donne, vaut, est égal à, est égale à, resulta, da, vale, es igual a, получается, равна"
    ", равен, равно"
    ", 等于, 为, 是, 得, 得到, は, となる"
)
_EXCEPTIONS = make_phrases(
    "together with, along with, as well as, and also, plus, zusammen mit, sowie, ainsi que, junto con",
    "or, unless, except, only for, only if, außer, oder, sauf, ou, salvo, o, exceto, кроме, или"
    ", 除, 或, 若, tranne",
)
"""Words behind a value that say that it is not all, or not sure."""
_RESTRICTIONS = make_phrases(
    "for, valid for, if, when, where, with, provided, on, in, defined for, holds for, as long as"
    ", für, gültig für"
    ", wenn, falls, wobei, mit, auf, sofern, pour, valable pour, si, où, avec, sur, para"
    ", válida para, válido para"
    ", con, donde, en, se, com, onde, при, если, для, где, 当, 其中, 如果, ただし, per, dove"
)
"""Words that begin a remark on where a value holds."""


_VALUE_NOUNS = make_phrases(
    "the classes of, the residue classes of, the residue classes, the class of, the value"
    ", the values, the set"
    ", the point, the points, the vector, the vectors, the matrix, the function, the number"
    ", the numbers, the pair"
    ", die Restklassen, der Punkt, die Punkte, die Menge, le point, les points, el punto"
    ", los puntos, the formula"
)
"""Nouns between a verb and the value that it states."""
_EXACTLY = make_phrases(
    "exactly when, precisely when, if and only if, iff, whenever, exactly for, genau dann wenn, genau für"
    ", si et seulement si, si y solo si, тогда и только тогда когда, 当且仅当"
)
_RELATIONS = frozenset((*"=<>≠≤≥∈", "\\ne", "\\neq", "\\le", "\\ge", "\\leq", "\\geq", "\\in"))
_PREMISES = make_phrases(
    "using, by, with, from, since, because, as, given, applying, if, let, mit, aus, nach, da"
    ", weil, wegen, avec, par"
    ", en utilisant, d'après, comme, puisque, usando, por, con, como, dado, так как, поскольку"
    ", по, из, 由, 因为, 由于"
    ", 根据, 用, pela, pelo, como, usando, dato che, per"
)
"""Words that begin what an explanation starts from."""
_REFUSALS = make_phrases(
    "impossible, wrong, incorrect, false, contradiction, absurd, fails, rejected, discarded"
    ", extraneous, unmöglich"
    ", falsch, Widerspruch, impossible, faux, imposible, falso, contradicción, невозможно, неверно"
    ", противоречие"
    ", 不可能, 错误, 矛盾"
)
"""Words that say that a statement does not hold."""
_LIMITING = (DENIALS, HEDGES, INTENTIONS, ADMISSIONS, CONDITIONALS, LEVELS, _REFUSALS)
"""Words with which a sentence does not simply state a value."""
_LIMITING_BEHIND = (FURTHER_LIMITS, ALTERNATIVES, Phrases(dict.fromkeys(LIMITS_BEHIND, "")))
"""Words right behind a value that say that another is meant."""
_LEADS = (CONCLUDING, CONCLUSIONS, _RESTATEMENTS)


_BOUNDS = ("<", ">", "≤", "≥", "≠", "\\le", "\\ge", "\\ne")


@dataclass(frozen=True, slots=True)
class FinalStatement:
    """What a text states in the end.

    Attributes: value: what counts. side: the first side of its chain, where that is no name of the value, so
    that it has to be a calculation of it; "" for others. restriction: the condition under which it is stated.
    label: the name that was taken from it.
    """

    value: str
    side: str = ""
    restriction: str = ""
    label: str = ""

    def spell_whole(self) -> str:
        """Return the value with the numbers that its letters stand for, where the condition names them."""
        return f"{self.value}, {self.restriction}" if self.is_family else self.value

    def define(self, question: QuestionText) -> QuestionText:
        """Return a question that also says what the condition defines."""
        return QuestionText(f"{question.text} ${self.restriction}$") if self.defines_letter else question

    @property
    def is_family(self) -> bool:
        """Return whether the condition says which numbers a letter of the value stands for."""
        return "∈" in self.restriction or "\\in" in self.restriction

    @property
    def defines_letter(self) -> bool:
        """Return whether the condition says what a letter of the value is."""
        return self.restriction.count("=") == 1 and not any(map(self.restriction.__contains__, _BOUNDS))


@dataclass(frozen=True, slots=True)
class _Run:
    """A formula among words, or several that make up a list: where its parts begin and end, and whether it
    stands in a remark in brackets."""

    parts: tuple[tuple[int, int], ...]
    is_remark: bool

    @property
    def start(self) -> int:
        return self.parts[0][0]

    @property
    def end(self) -> int:
        return self.parts[-1][1]


def list_final_statements(text: str, question: QuestionText) -> list[FinalStatement]:
    """Return what a text may state in the end, the surest first; [] where that is a formula and nothing else.

    >>> [one.value for one in list_final_statements("5 − 3 = 2, i.e. two vectors", QuestionText(""))]
    ['5 − 3 = 2', '2']
    """
    return _FinalParser(text, question).list_statements()


def list_stated_equations(text: str, question: QuestionText) -> list[tuple[str, str]]:
    """Return the sides of equations that a text states, neighbours in each chain of them.

    >>> list_stated_equations("It is 12, because 2·6 = 3·4 = 12", QuestionText(""))
    [('2·6', '3·4'), ('3·4', '12')]
    """
    return list(_FinalParser(text, question).list_equations())


class _FinalParser:
    """Parser of one text."""

    def __init__(self, text: str, question: QuestionText) -> None:
        self.bold = _find_bold(text)
        self.text = text.replace("**", "").replace("“", '"').replace("”", '"')
        joined = unwrap_texts(join_formulas(self.text, tokenize(self.text)))
        joins = question.find_short_joins()
        # A word of one letter joins statements in the language of the question.
        self.tokens = [
            token._replace(kind="sign", text=",")
            if token.text in joins and _stands_alone(joined, at)
            else token
            for at, token in enumerate(joined)
            if token.text != "$"
        ]
        self.question = question
        self.is_text = _mark_words(self.tokens)
        self.runs = self._join_lists(list(self._find_runs())) if len(self.tokens) <= _MOST_TOKENS else []

    def list_statements(self) -> list[FinalStatement]:
        """Return the statements, each once."""
        found: list[FinalStatement] = []
        if FIRST_ALTERNATIVES.match(self.tokens, skip_blanks(self.tokens, 0)) is not None:
            return []  # soit x = 1, soit x = 2
        if self.bold and not has_own_words(self.bold):  # `**Step 5**` is a heading
            found += _FinalParser(self.bold, self.question).list_statements() or [FinalStatement(self.bold)]
        for run in self._list_spans():
            restriction = self._find_restriction(run.end) if self._is_stated(run.start, run.end) else None
            if restriction is not None:
                found += self._read_chain(run, restriction)
        return list(dict.fromkeys(found))

    def list_equations(self) -> Iterator[tuple[str, str]]:
        """Return neighbouring sides of the chains that are stated and neither denied nor supposed."""
        for start, end in (part for run in self.runs for part in run.parts):
            if not self._is_stated(start, end):
                continue
            for statement in _split_list(self._open_formula(start, end)):
                for (left, _), (right, is_exact) in pairwise(_split_sides(statement)):
                    if is_exact:
                        yield left, right
        for one, other in pairwise(self.runs):
            verb = VALUE_VERBS.match(self.tokens, skip_blanks(self.tokens, one.end))
            is_linked = verb is not None and skip_blanks(self.tokens, verb[0]) == other.start
            if is_linked and self._is_stated(one.start, other.end):
                before, behind = (
                    _split_sides(self._open_formula(run.start, run.end)) for run in (one, other)
                )
                yield before[-1][0], behind[0][0]

    # ---- formulas among words

    def _find_runs(self) -> Iterator[_Run]:
        """Find the formulas: tokens that are no words, up to a mark before a word."""
        at, remark = 0, 0
        while at < len(self.tokens):
            token = self.tokens[at]
            phrase = next(filter(None, (table.match(self.tokens, at) for table in _LEADS)), None)
            if phrase is not None and phrase[0] > at + 1:
                at = phrase[0]  # i.e. is no product
                continue
            if token.text in ("'", "’") and at and self.is_text[at - 1]:
                at += 2  # Cauchy's
                continue
            if is_blank(token) or self.is_text[at] or _is_mark(token.text):
                at += 1
                continue
            if token.text in ("(", "（") and self._holds_words(at):
                remark += 1
                at += 1
                continue
            if token.text in (")", "）"):
                remark = max(0, remark - 1)
                at += 1
                continue
            end = self._find_run_end(at)
            yield _Run(((at, end),), remark > 0)
            at = max(end, at + 1)

    def _find_run_end(self, at: int) -> int:
        depth, end = 0, at
        for index in range(at, len(self.tokens)):
            token = self.tokens[index]
            if token.text in tuple(_OPENING) and not depth and index > at and self._holds_words(index):
                break
            depth += (token.text in tuple(_OPENING)) - (token.text in tuple(_CLOSING))
            if depth < 0 or (not depth and self.is_text[index]):
                break
            if not depth and self._ends_clause(index):
                break
            if not is_blank(token):
                end = index + 1
        return end

    def _join_lists(self, runs: list[_Run]) -> list[_Run]:
        """Return formulas that `and` or a comma joins as one, without the remarks between them."""
        joined: list[_Run] = []
        for run in runs:
            last = next((one for one in reversed(joined) if not one.is_remark), None)
            if last is not None and not run.is_remark and self._joins(last.end, run.start):
                joined[joined.index(last)] = _Run((*last.parts, *run.parts), is_remark=False)
            elif not self._is_bare_letter(run):
                joined.append(run)
        return joined

    def _joins(self, first: int, last: int) -> bool:
        """Return whether between two tokens `and` or a comma stands, and no more words than a noun has."""
        depth, words, joined = 0, 0, False
        for at in range(first, last):
            token = self.tokens[at]
            depth += (token.text in tuple("(（")) - (token.text in tuple(")）"))
            if depth or token.text in tuple(")）"):
                continue
            if token.text in (",", "、", "，") or CONNECTIVES.get(token.text.lower()) == "and":
                joined = True
            elif self.is_text[at]:
                words += 1
            elif not is_blank(token):
                return False
        return (
            joined
            and words <= _NOUN_WORDS
            and not any(
                table.match(self.tokens, at)
                for at in range(first, last)
                for table in (
                    CONCLUDING,
                    CONCLUSIONS,
                    _RESTATEMENTS,
                    _RESTRICTIONS,
                    COPULA_VERBS,
                    VALUE_VERBS,
                )
            )
        )

    def _is_bare_letter(self, run: _Run) -> bool:
        """Return whether a run is a letter that words are about, as the `f` of `f has a pole`."""
        token = self.tokens[run.start]
        return (
            run.end == run.start + 1 and token.kind == "word" and not self.tokens[run.start].text.isdecimal()
        )

    def _ends_clause(self, at: int) -> bool:
        """Return whether a mark parts clauses, and neither decimals nor the members of a list."""
        text = self.tokens[at].text
        behind = skip_blanks(self.tokens, at + 1)
        if text == "." and "." in (text_at(self.tokens, at + 1), text_at(self.tokens, at - 1)):
            return False  # dots behind decimals
        if text in ("：", ":") or text in _SENTENCE_ENDS:
            return behind >= len(self.tokens) or behind > at + 1 or text not in (".", ":")
        if text not in (",", "，", "、"):
            return False
        if behind >= len(self.tokens) or self.is_text[behind] or text == "，":
            return True
        return any(table.match(self.tokens, behind) for table in (*_LEADS, _RESTRICTIONS))

    def _holds_words(self, at: int) -> bool:
        """Return whether a bracket holds words, so that it is a remark."""
        depth = 0
        for index in range(at, len(self.tokens)):
            depth += (self.tokens[index].text in tuple("(（")) - (self.tokens[index].text in tuple(")）"))
            if not depth:
                return False
            if self.is_text[index]:
                return True
        return True

    # ---- which of them counts

    def _list_spans(self) -> Iterator[_Run]:
        """Return the values that may count: the last that is concluded or restated, the only one behind a
        verb or colon, the first with nothing but remarks behind it."""
        plain = [
            run
            for run in self.runs
            if not run.is_remark or self._is_led(run.start, _RESTATEMENTS, VALUE_VERBS)
        ]
        concluded = [run for run in plain if self._is_concluded(run)]
        if concluded and self._is_followed_by_remark(concluded[-1]):
            yield concluded[-1]
        if (numeral := self._find_numeral()) is not None:
            yield numeral
        restated = bool(concluded) and self._is_led(concluded[-1].start, _RESTATEMENTS)
        if concluded and not restated:
            return
        # What is said of several quantities is not the value of one of them.
        others = [run for run in plain if run not in concluded and not self._is_premise(run)]
        # What is said once more is a remark: `2k, i.e. it points upwards with length 2`.
        restated_at = self._find_restatement(plain[0].end) if plain else 0
        others = [run for run in others if run.start < restated_at]
        said = len(others) == 1 and (
            self._is_led(others[0].start, COPULA_VERBS, VALUE_VERBS) or self._is_named(others[0])
        )
        begins = bool(plain) and others[:1] == plain[:1] and self._begins_with(plain[0])
        limits = len(others) == 1 and self._states_condition(others[0])
        ends = bool(others) and not concluded and self._ends_text(others[-1]) and len(others) == 1
        if others and (said or begins or ends or limits) and self._is_followed_by_remark(others[0]):
            yield others[0]

    def _find_restatement(self, first: int) -> int:
        """Return where words begin that say once more what stands before them; the end without any."""
        found = next(_RESTATEMENTS.find_all(self.tokens, first, len(self.tokens)), None)
        return len(self.tokens) if found is None else found[0]

    def _states_condition(self, run: _Run) -> bool:
        """Return whether a formula is the condition that a sentence states: `for every real k with k > 4`."""
        signs = {token.text for token in self._open_formula(run.start, run.end)}
        return not signs.isdisjoint(_RELATIONS) and self._is_led(run.start, _RESTRICTIONS, _EXACTLY)

    def _is_concluded(self, run: _Run) -> bool:
        """Return whether a phrase concludes or restates with a formula"
        ", or begins its clause: `so it is 3`."""
        start = self._find_clause_start(run.start)
        # Of several quantities behind `so` none is said to be the conclusion.
        alone = sum(self._find_clause_start(one.start) == start for one in self.runs) == 1
        begun = alone and any(table.match(self.tokens, start) for table in (CONCLUDING, CONCLUSIONS))
        labelled = [one for one in self.runs if not one.is_remark and self._is_labelled(one)]
        return begun or self._is_led(run.start, *_LEADS) or labelled == [run]

    def _is_premise(self, run: _Run) -> bool:
        """Return whether a formula stands in what an explanation begins with: `Using $a = b$: …`."""
        start = self._find_clause_start(run.start)
        led = self._is_led(run.start, COPULA_VERBS, VALUE_VERBS)
        return not led and _PREMISES.match(self.tokens, start) is not None

    def _is_led(self, at: int, *tables: Phrases[str]) -> bool:
        """Return whether a phrase of a table stands before a token"
        ", with no more than a noun between them."""
        before = _skip_back(self.tokens, at)
        if (noun := _VALUE_NOUNS.match_before(self.tokens, before)) is not None:
            before = _skip_back(self.tokens, noun[0])
        return any(table.match_before(self.tokens, before) for table in tables)

    def _is_followed_by_remark(self, run: _Run) -> bool:
        """Return whether a formula ends its clause, or a word follows that restricts it."""
        behind = skip_blanks(self.tokens, run.end)
        return (
            behind >= len(self.tokens)
            or self.tokens[behind].text in _BEFORE_REMARKS
            or _RESTRICTIONS.match(self.tokens, behind) is not None
        )

    def _is_named(self, run: _Run) -> bool:
        """Return whether words that name a value stand before the sign of equality with which a formula
        begins or goes on, as in `Res = 3` or `curl F = 0`."""
        words = sum(self.is_text[: run.start])
        signs = [self.tokens[at].text in _EQUALITIES for at in range(run.start, min(run.start + 3, run.end))]
        return 0 < words <= _LABEL_WORDS and any(signs)

    def _is_labelled(self, run: _Run) -> bool:
        """Return whether a colon stands before a formula."""
        before = _skip_back(self.tokens, run.start)
        return text_at(self.tokens, before - 1) in (":", "：")

    def _begins_with(self, run: _Run) -> bool:
        """Return whether no words stand before a formula."""
        return not any(self.is_text[: run.start])

    def _ends_text(self, run: _Run) -> bool:
        """Return whether a formula is all of the last clause of a text, but for remarks."""
        return self._find_clause_start(run.start) == run.start

    def _find_clause_start(self, at: int) -> int:
        """Return the index behind the last mark before a token."""
        while at and not _is_mark(self.tokens[at - 1].text):
            at -= 1
        return skip_blanks(self.tokens, at)

    def _find_sentence(self, start: int, end: int) -> tuple[int, int]:
        """Return where the clauses begin and end in which something is stated."""
        first = start
        while first:
            token = self.tokens[first - 1]
            if token.text in _SENTENCE_ENDS and (
                first >= len(self.tokens) or is_blank(self.tokens[first]) or token.text in "。；;"
            ):
                break
            if _is_mark(token.text) and any(
                table.match(self.tokens, skip_blanks(self.tokens, first))
                for table in (CONCLUDING, CONCLUSIONS)
            ):
                break
            first -= 1
        last = end
        while last < len(self.tokens) and not (
            self.tokens[last].text in _SENTENCE_ENDS and self._ends_clause(last)
        ):
            last += 1
        return first, last

    def _is_stated(self, start: int, end: int) -> bool:
        """Return whether nothing in its sentence denies or hedges a value."""
        behind = skip_blanks(self.tokens, end)
        if LIMITS.match_before(self.tokens, start) is not None or any(
            table.match(self.tokens, behind) is not None for table in _LIMITING_BEHIND
        ):
            return False
        first, last = self._find_sentence(start, end)
        around = [at for at in range(first, last) if not start <= at < end or self.is_text[at]]
        return not any(
            table.match(self.tokens, at) is not None and not _is_letter(self.tokens, at)
            for at in around
            for table in self._limiting
        )

    @cached_property
    def _limiting(self) -> list[Phrases[str]]:
        """The vocabularies of words that limit values, of which the text has some."""
        return [table for table in _LIMITING if table.may_occur(self.tokens)]

    def _find_restriction(self, end: int) -> str | None:
        """Return the condition behind a value, "" without one; None where the words behind it limit it in
        another way."""
        at = end
        while at < len(self.tokens) and (
            is_blank(self.tokens[at]) or self.tokens[at].text in tuple(",，(（、")
        ):
            at += 1
        if _EXCEPTIONS.match(self.tokens, at) is not None:
            return None
        restriction = _RESTRICTIONS.match(self.tokens, at)
        if restriction is None:
            return ""
        run = next((one for one in self.runs if one.start >= restriction[0]), None)
        if run is None or skip_blanks(self.tokens, restriction[0]) != run.start:
            return None
        behind = [one for one in self.runs if one.start > run.start]
        return None if behind else self._spell(run.start, run.end)

    def _find_numeral(self) -> _Run | None:
        """Return where a number in words stands at the end of a text, right behind a verb."""
        last = len(self.tokens)
        while last and (is_blank(self.tokens[last - 1]) or _is_mark(self.tokens[last - 1].text)):
            last -= 1
        for at in range(last - 1, max(-1, last - _NUMERAL_TOKENS), -1):
            led = any(
                table.match_before(self.tokens, _skip_back(self.tokens, at))
                for table in (COPULA_VERBS, VALUE_VERBS)
            )
            if led:
                said = self._spell(at, last)
                is_numeral = find_numerals(said)[:1] == [(0, len(said))]
                return _Run(((at, last),), is_remark=False) if is_numeral else None
        return None

    # ---- chains

    def _read_chain(self, run: _Run, restriction: str) -> Iterator[FinalStatement]:
        """Return the last exact side of a chain"
        ", and all of it; only that where its first side is no label."""
        opened = ("".join(token.text for token in self._open_formula(*part)) for part in run.parts)
        parts = [part.strip(" ,;，。") for part in opened]
        parts = [part if part.endswith("..") else part.removesuffix(".") for part in parts]
        # Equations that `and` joins hold together, and those behind commas may be alternatives.
        is_joined = any(CONNECTIVES.get(self.tokens[at].text) == "and" for at in range(run.start, run.end))
        whole = (r" \text{ and } " if is_joined and any("=" in part for part in parts) else ", ").join(parts)
        # Words that name a value stand before the sign with which it begins.
        words = self._spell(self._find_clause_start(run.start), run.start) if whole.startswith("=") else ""
        whole = whole.lstrip("= ")
        inside = tokenize(whole)
        sides = _split_sides(inside)
        exact = [side for side, is_exact in sides if is_exact]
        label = exact[0]
        yield FinalStatement(whole, "", restriction, words)
        if any(token.text in CONNECTIVES for token in inside):
            return  # several statements
        if sides[-1][0] not in exact and not _is_numeric(exact[-1]) and _is_numeric(sides[-1][0]):
            is_named = is_label(label) or self.question.names(label)
            yield FinalStatement(sides[-1][0], "" if is_named else label, restriction, label * is_named)
        if len(exact) > 1:
            is_named = is_label(label) or self.question.names(label)
            yield FinalStatement(exact[-1], "" if is_named else label, restriction, label * is_named)

    def _open_formula(self, start: int, end: int) -> Sequence[AnswerToken]:
        """Return the tokens between two, with those of formulas between delimiters."""
        result: list[AnswerToken] = []
        for token in self.tokens[start:end]:
            result += tokenize(token.text) if token.kind == "formula" else [token]
        return result

    def _spell(self, start: int, end: int) -> str:
        return "".join(token.text for token in self.tokens[start:end]).strip(" .,;，。")


_NOUN_WORDS = 3
"""Words between the members of a list, as `and the trivial group`."""
_LABEL_WORDS = 2
"""Words before a sign of equality that only name what is equal."""
_BEFORE_REMARKS = tuple(",，(（.;:—–。")
"""Marks between a value and a remark on it."""
_NUMERAL_TOKENS = 12


def has_own_words(text: str) -> bool:
    r"""Return whether an answer says something in words besides names, units and what joins formulas.

    >>> has_own_words(r"\int_0^1 f\,dx"), has_own_words(r"2 \text{ or } 3"), has_own_words("poles at 0")
    (False, False, True)
    """
    tokens = [token for token in unwrap_texts(tokenize(text)) if token.text != "$"]
    return any(
        marked and token.text.lower() not in CONNECTIVES and token.text not in _PLAIN_NAMES
        for token, marked in zip(tokens, _mark_words(tokens), strict=True)
    )


_PLAIN_NAMES = (
    "pmatrix",
    "bmatrix",
    "vmatrix",
    "cases",
    "aligned",
    "array",
    "matrix",
    "Var",
    "Cov",
    "Res",
    "ord",
    "span",
    "Dom",
)
"""Words of commands and names of functions."""


def _find_bold(text: str) -> str:
    """Return what the last stars mark, "" where there is nothing or a heading."""
    parts = text.split("**")
    marked = [part.strip() for part in parts[1::2]] if len(parts) % 2 else []
    return next((part for part in reversed(marked) if part and not part.endswith((":", "："))), "")


def _stands_alone(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a letter has white space on both sides."""
    return 0 < at < len(tokens) - 1 and is_blank(tokens[at - 1]) and is_blank(tokens[at + 1])


def _mark_words(tokens: Sequence[AnswerToken]) -> list[bool]:
    """Return of each token whether it is a word of a text, and no name, function, unit or product."""
    marked = [is_word(token) for token in tokens]
    for at, token in enumerate(tokens):
        if not marked[at] or token.text[0] >= _FIRST_OTHER:
            continue
        glued = at > 0 and (tokens[at - 1].kind == "digits" or tokens[at - 1].text in _GLUING)
        followed = (
            len(token.text) < 3 and text_at(tokens, at + 1)[:1] in _GLUED and bool(text_at(tokens, at + 1))
        )
        is_product = (
            len(token.text) < 4
            and any("α" <= letter <= "ω" for letter in token.text)
            and (any(letter.isascii() for letter in token.text))
        )
        equated = text_at(tokens, skip_blanks(tokens, at + 1)) == "="
        is_letters = len(token.text) == _PRODUCT and (token.text[0] == "d" or equated)
        is_called = len(token.text) <= _LONGEST_CALL and text_at(tokens, at + 1) == "("
        is_short = len(token.text) < 4 and (glued or followed)
        if is_short or is_called or is_product or is_letters or token.text in _NAMES:
            marked[at] = False
        elif at and (tokens[at - 1].kind == "digits" or text_at(tokens, at - 2).isdecimal()):
            start = skip_blanks(tokens, at)
            for index in range(start, match_unit(tokens, start)):
                marked[index] = False
    return marked


_FIRST_OTHER = "\u0400"
_LONGEST_CALL = 5
"""Letters of a name right before a bracket, as of `Res(f, 0)`."""
_GLUING = tuple("(^_·*/²³⁴ⁿ₀₁₂₃√")
_GLUED = "²³⁴ⁿ^_(₀₁₂₃"
_NAMES = (
    "diag",
    "span",
    "arctan",
    "arcsin",
    "arccos",
    "sinh",
    "cosh",
    "tanh",
    "Re",
    "Im",
    "Arg",
    "Log",
    "mod",
)
"""Functions of formulas that are written as words."""


def _is_mark(text: str) -> bool:
    return text in (",", "，", "、", ":", "：", *_SENTENCE_ENDS)


def _is_letter(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a token is a letter of a formula, and not a short word."""
    return (
        len(tokens[at].text) == 1
        and tokens[at].text.isascii()
        and text_at(tokens, at + 1) in ("=", "(", "^", "_")
    )


def _skip_back(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index behind the last token before another that is neither blank nor a comma."""
    while at and (is_blank(tokens[at - 1]) or tokens[at - 1].text in (",", "，")):
        at -= 1
    return at


def _split_list(tokens: Sequence[AnswerToken]) -> list[list[AnswerToken]]:
    """Return the parts of a formula between its commas, but those of decimals and in brackets."""
    parts: list[list[AnswerToken]] = [[]]
    depth = 0
    for at, token in enumerate(tokens):
        bracket = token.text.lstrip("\\")
        depth += (bracket in tuple(_OPENING)) - (bracket in tuple(_CLOSING))
        if token.text in (",", ";") and not depth and (at + 1 == len(tokens) or is_blank(tokens[at + 1])):
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _split_sides(tokens: Sequence[AnswerToken]) -> list[tuple[str, bool]]:
    """Return the sides of a chain of equalities, and whether each is exact and not what it is about."""
    sides: list[tuple[str, bool]] = []
    depth, start, exact = 0, 0, True
    text = [token.text for token in tokens]
    # Logical formulas are equivalent; numbers are congruent.
    equal = _EQUALITIES if any("mod" in one for one in text) else (*_EQUALITIES, *_EQUIVALENCES)
    for at, one in enumerate(text):
        bracket = one.lstrip("\\")
        depth += (bracket in tuple(_OPENING)) - (bracket in tuple(_CLOSING))
        if depth:
            continue
        if one == "," and any(sign in text[at:] for sign in equal):
            return [("".join(text), True)]  # several statements
        if one in equal or one in _APPROXIMATIONS:
            sides.append(("".join(text[start:at]).strip(" &:"), exact))
            start, exact = at + 1, one in equal
    sides.append(("".join(text[start:]).strip(" &.,;，。"), exact))
    return [side for side in sides if side[0]] or [("".join(text), True)]


def _is_numeric(side: str) -> bool:
    """Return whether a side is a number, perhaps with a unit, and no formula with letters."""
    tokens = tokenize(side.replace("\\times", "×").replace("\\text", ""))
    start = next((at for at, token in enumerate(tokens) if token.kind in ("word", "command")), len(tokens))
    rest = "".join(token.text for token in tokens[start:]).strip("{} ")
    return any(token.kind == "digits" for token in tokens[:start]) and (not rest or names_unit(rest))


def is_label(side: str) -> bool:
    r"""Return whether the first side of a chain names what it is about, as `F(s)`, `\det(2A)`, `Res`.

    >>> is_label("Res"), is_label(r"\det(2A)"), is_label("P(X = 0)"), is_label("x + 2y"), is_label("2x")
    (True, True, True, False, False)
    """
    tokens = [token for token in tokenize(side) if not is_blank(token)]
    if not tokens:
        return False
    head, rest = tokens[0], tokens[1:]
    named = head.kind == "word" or (
        head.kind == "command" and (head.text[1:] in _OPERATORS or len(head.text) > 2)
    )
    if not named or (head.text.lstrip("\\") in _FUNCTIONS):
        return False
    if not rest and head.kind == "word" and len(head.text) == _PRODUCT and head.text.islower():
        return False  # xy = 0
    depth = 0
    for token in rest:
        depth += (token.text in tuple(_OPENING)) - (token.text in tuple(_CLOSING))
        if not depth and token.text in tuple("+-−*·/<>≤≥∈"):
            return False
    return (
        head.kind != "command" or head.text[1:] in _OPERATORS or not rest or rest[0].text in ("(", "_", "{")
    )


_OPERATORS = (
    *(
        "det",
        "dim",
        "rank",
        "operatorname",
        "mathrm",
        "Pr",
        "mathbb",
        "gcd",
        "lcm",
        "ker",
        "mathcal",
        "nabla",
    ),
    *("oint", "int", "iint", "iiint", "lim", "sum", "prod", "vec", "mathbf", "hat", "bar", "overline"),
)
_PRODUCT = 2
"""Letters of what is rather a product than a name."""
_FUNCTIONS = ("sin", "cos", "tan", "ln", "log", "exp", "sqrt", "frac", "dfrac", "tfrac", "cot", "sec", "csc")
