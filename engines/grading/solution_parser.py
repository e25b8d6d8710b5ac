"""Parse what an announcement or box leaves of a solution: formulas and numbers with what limits them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from engines.formula.latex_conversion import is_written_with_names
from engines.formula.vocabulary import CONNECTIVES, begins_with_set
from engines.grading.announcements import LOOSE, is_list_separator, join_answers
from engines.grading.answer_vocabulary import (
    ABBREVIATIONS,
    ALTERNATIVES,
    APPROXIMATIONS,
    ASSIGNMENTS,
    CAUSES,
    CONCLUSIONS,
    CONTRASTS,
    COPULA_VERBS,
    COPULAS,
    CURRENCIES,
    FINAL_VERBS,
    FURTHER_LIMITS,
    HEDGES,
    IS_RIGHT,
    JOINS,
    KEPT,
    LIST_NOUNS,
    MEMBERSHIPS,
    MONTHS,
    MOST_LISTED,
    NO_NUMBERS,
    OPTIONS,
    PERCENT,
    RANGES,
    SHARES,
    SUBORDINATE,
    SUMS,
    UNIT_WORDS,
    UNSPACED_VERBS,
)
from engines.grading.choices import is_option
from engines.grading.integers_in_words import spell_integers, spell_ranges
from engines.grading.locales import (
    LIMITS,
    match_announcement,
)
from engines.grading.numbers import in_words
from engines.grading.quantity_reader import is_quantity
from engines.grading.stated_quantities import (
    Span,
    choose_quantity,
    find_denial,
    find_given_regions,
    list_quantities,
    match_figures,
    match_quantity,
    match_unit,
    names_another,
)
from engines.grading.tokens import (
    AnswerToken,
    Phrases,
    is_blank,
    skip_blanks,
    text_at,
    tokenize,
)
from engines.grading.word_answers import find_word_answer
from engines.language.numerals import find_numerals, read_numeral


class SolutionParser:
    """What an announcement or box leaves of a solution: tokens, of which each formula is one."""

    def __init__(self, text: str, tokens: Sequence[AnswerToken]) -> None:
        self.text = text
        self.tokens = tokens
        self.rivals: tuple[str, ...] = ()

    def spell(self, first: int, last: int) -> str:
        """Return the text from one token to another."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end] if first < last else ""

    def trim(self, first: int, last: int, loose: str = LOOSE) -> tuple[int, int]:
        """Return a range without the white space in front and the loose signs at its end."""
        while first < last and is_blank(self.tokens[first]):
            first += 1
        while first < last and not self.tokens[last - 1].text.strip(loose):
            last -= 1
        return first, last

    # ---- answers in formulas

    def find_last(self, first: int, last: int, announced: bool) -> str:
        """Return the last answer between two tokens; behind an announcement the first."""
        formulas = [at for at in range(first, last) if self.tokens[at].kind == "formula"]
        if not formulas:
            return self.find_in_words(first, last, announced)
        for at in reversed(formulas):
            if said := _read_announcing_formula(self.tokens[at].text):
                return said
        if announced:
            if (letter := self.match_letter(first, formulas[0])) and self.states_cause(letter, formulas[0]):
                return self.tokens[letter - 2].text
            # "the answer is $x$, because $y$": what comes first, with what is joined to it
            if self.has_digits(first, formulas[0]) and self.find_phrase(COPULAS, first, formulas[0]) is None:
                return self.find_in_words(first, formulas[0], True)
            count = 1
            while count < len(formulas) and is_list_separator(
                self.tokens[formulas[count - 1] + 1 : formulas[count]]
            ):
                count += 1
            chosen, further = formulas[:count], len(formulas) > count
        else:
            chosen, further = formulas[-1:], False
        end = chosen[-1] + 1
        behind = self.match_copula(end, last)
        is_name = bool(behind or further) and _is_name(self.tokens[chosen[-1]].text)
        if behind and is_name:
            return (self.find_last if announced else self.find_in_words)(behind, last, True)
        if announced and (behind or (is_name and further)):
            return self.find_last(end, last, False)
        if not announced:
            if self.concludes_with_number(end, last):
                return self.find_in_words(end, last, False)
            if ranged := self.spell_ranged(formulas):
                return ranged
            while chosen[0] > formulas[0]:
                before = formulas[formulas.index(chosen[0]) - 1]
                if not is_list_separator(self.tokens[before + 1 : chosen[0]]):
                    break
                chosen.insert(0, before)
        return self.spell_formulas(chosen, first, last, announced)

    def spell_ranged(self, formulas: Sequence[int]) -> str:
        """Return a formula with the words for the range of a letter in it, as `$cx$ for some constant $c$`;
        "" where the last formula is no such letter."""
        if len(formulas) < 2 or not _is_name(self.tokens[formulas[-1]].text):
            return ""
        one, other = formulas[-2:]
        if RANGES.match(self.tokens, skip_blanks(self.tokens, one + 1)) is None:
            return ""
        words = self.spell(one + 1, other)
        if "constant" in words:
            return self.tokens[one].text
        return f"{self.tokens[one].text} \\text{{{words}}} {self.tokens[other].text}"

    def spell_formulas(self, chosen: Sequence[int], first: int, last: int, announced: bool) -> str:
        """Return formulas with what joins or limits them, and with the unit behind a single one."""
        end = chosen[-1] + 1
        said = [self.tokens[at].text for at in chosen]
        limit, further = self.match_limit_before(chosen[0], first), self.match_limit_after(end, last)
        if limit is not None:
            said[0] = f"\\text{{{self.spell(limit, chosen[0])}}} {said[0]}"
        between = [self.tokens[one + 1 : other] for one, other in pairwise(chosen)]
        joined = self.spell_letter(chosen[0], first) + join_answers(said, between)
        if limit is not None or further:
            return joined + (f" \\text{{{self.spell(end, further)}}}" if further else "")
        if len(said) == 1:
            start, stop = self.trim(end, self.find_sentence_end(end, last, ".!?"))
            while start < stop and not self.tokens[start].text.strip(LOOSE):
                start += 1
            behind = self.tokens[start:stop]
            few = sum(is_blank(token) for token in behind) < UNIT_WORDS
            plain = all(token.kind not in ("digits", "command", "formula") for token in behind)
            alone = announced or not self.spell(first, chosen[0]).strip()
            if behind and few and plain and alone and not self.match_copula(start, stop):
                return f"{said[0]} \\text{{ {self.spell(start, stop)}}}"
        return joined

    def match_letter(self, first: int, last: int) -> int:
        """Return the index behind the letter of a choice in brackets; 0 where none begins."""
        at = skip_blanks(self.tokens, first)
        bracketed = text_at(self.tokens, at) == "(" and text_at(self.tokens, at + 2) == ")"
        return at + 3 if bracketed and at + 2 < last and is_option(self.tokens[at + 1]) else 0

    def states_cause(self, first: int, last: int) -> bool:
        """Return whether a reason begins between two tokens."""
        return any(SUBORDINATE.match(self.tokens[:last], at) for at in range(first, last))

    def spell_letter(self, at: int, first: int) -> str:
        """Return the letter of a choice in brackets right before a formula, as `(C) `; "" without one."""
        before = at
        while before > first and is_blank(self.tokens[before - 1]):
            before -= 1
        letter = before - 2
        if letter <= first or (text_at(self.tokens, letter - 1), text_at(self.tokens, letter + 1)) != (
            "(",
            ")",
        ):
            return ""
        return f"({self.tokens[letter].text}) " if is_option(self.tokens[letter]) else ""

    def match_copula(self, first: int, last: int) -> int:
        """Return the index behind a verb such as `is`, and a colon behind that; 0 where none begins."""
        while first < last and (is_blank(self.tokens[first]) or self.tokens[first].text == ","):
            first += 1
        verb = COPULAS.match(self.tokens[:last], first)
        if verb is None:
            return 0
        colon = skip_blanks(self.tokens, verb[0])
        return colon + 1 if colon < last and self.tokens[colon].text == ":" else verb[0]

    def match_limit_before(self, at: int, first: int) -> int | None:
        """Return where words begin that limit the number at a token: `at least the`; None without any."""
        before = list(self.tokens[first:at])
        while before and (is_blank(before[-1]) or before[-1].text.lower() == "the"):
            before.pop()
        if before and before[-1].text.lower() == "and":  # between 5 and
            start = len(before) - 1
            while start and self.tokens[first + start].text.lower() != "between":
                start -= 1
            if before[start].text.lower() == "between" and sum(map(is_blank, before[start:])) == 2:
                return first + start
        if before and before[-1].text in tuple("<>≤≥"):  # for x > 5
            start = len(before) - 1
            while start and (is_blank(before[start - 1]) or not is_blank(before[start])):
                start -= 1
            return first + start
        if SUMS.match_before(before, len(before)) is not None:
            return None
        match = LIMITS.match_before(before, len(before))
        return None if match is None else first + match[0]

    def match_limit_after(self, at: int, last: int) -> int:
        """Return the index behind words that limit the number before a token; 0 without any."""
        behind = skip_blanks(self.tokens, at)
        limit = FURTHER_LIMITS.match(self.tokens[:last], behind)
        if limit is None:  # 8 elements or fewer
            limit = ALTERNATIVES.match(self.tokens[:last], skip_blanks(self.tokens, behind + 1))
        return 0 if limit is None else limit[0]

    def concludes_with_number(self, first: int, last: int) -> bool:
        """Return whether a conclusion with a number in words stands here: `, so there are 5`."""
        concluded = False
        for at in range(first, last):
            token = self.tokens[at]
            if token.kind in ("formula", "command"):
                concluded = False
            concluded = concluded or CONCLUSIONS.match(self.tokens, at) is not None
            if concluded and token.kind == "digits":
                return True
        return False

    # ---- answers in words

    def has_digits(self, first: int, last: int) -> bool:
        return any(token.kind == "digits" for token in self.tokens[first:last])

    def find_phrase(self, phrases: Phrases[str], first: int, last: int) -> int | None:
        """Return the index behind the last phrase of a table between two tokens; None without one."""
        part = self.tokens[:last]
        matches = [match[0] for at in range(first, last) if (match := phrases.match(part, at)) is not None]
        return matches[-1] if matches else None

    def find_sentence_end(self, first: int, last: int, marks: str) -> int:
        """Return the index of the token that ends a sentence: a mark before white space, or a new line."""
        for at in range(first, last):
            token = self.tokens[at]
            behind = at + 1 >= last or is_blank(self.tokens[at + 1])
            if token.kind == "line" or token.text == "。":
                return at
            if token.text in marks and behind and not self.ends_abbreviation(at):
                return at
        return last

    def ends_abbreviation(self, at: int) -> bool:
        """Return whether a full stop ends an abbreviation, as `i.e.` or `approx.`, and no sentence."""
        word = text_at(self.tokens, at - 1).lower()
        return word in ABBREVIATIONS or (word in ("e", "g", "h") and text_at(self.tokens, at - 2) == ".")

    def find_in_words(self, first: int, last: int, announced: bool) -> str:
        """Return the answer of a text without formulas: itself where it is short, or what it says last."""
        first, last = self.trim(first, last, " \n\t")
        whole = self.spell(first, last)
        bare = whole.rstrip(LOOSE)
        if (
            # Formulas without delimiters are the answer as they are.
            begins_with_set(whole)
            or spell_integers(whole)
            or spell_ranges(whole) != whole
            or ("=" not in whole and is_written_with_names(whole))
            or is_quantity(bare)
            or whole.endswith("\\right.")
        ):
            return whole
        if items := self.list_items(first, last):
            return ", ".join(items)
        # Behind an announcement the answer comes first and reasons follow; elsewhere it comes last.
        if announced:
            last = self.find_answer_end(first, last)
        last = self.find_main_clause_end(first, last)
        if (conclusion := CONCLUSIONS.match(self.tokens[:last], first)) is not None:
            first = conclusion[0] + (text_at(self.tokens, conclusion[0]) in tuple(",:"))
        begin, last = self.trim(first, last, LOOSE if announced else LOOSE.replace("!", ""))
        first = self.skip_unspaced_lead(self.skip_lead(begin, last), last)
        # What is left without its lead is the answer, unless it is a sentence.
        short = self.spell(first, last)
        if not short.isascii() and (counted := self.find_counted(first, last)):
            return counted if len(short) > len(counted) else short
        if member := self.find_member_set(first, last):
            return member
        if self.states_several(first, last) or self.mixes_scripts(first, last):
            first = begin
        elif not self.is_sentence(first, last):
            return short
        if stated := self.find_stated_words(first, last):
            return stated
        if listed := self.find_listed(first, last):
            return listed
        # In a sentence the answer stands behind a verb such as `is`; if there is none, the last number
        # counts.
        if announced:
            said = self.find_phrase(COPULAS, first, last)
            if said is not None:
                first, last = self.trim(said, last)
                while first < last and not self.tokens[first].text.strip(LOOSE):
                    first += 1
            if not self.has_digits(first, last) or match_quantity(self.tokens, first, last) == last:
                return self.find_spelt_number(first, last) or self.spell(first, last)
        # A verb goes before a sign of equality: `the line is y = 2x`.
        for said in (self.find_phrase(table, first, last) for table in (COPULA_VERBS, ASSIGNMENTS)):
            if announced or said is None or self.states_before(first, said):
                continue
            if find_denial(self.tokens, first, said) is not None:
                continue
            start, stop = self.trim(said, last)
            behind = self.tokens[start:stop]
            words = any(token.kind == "word" and len(token.text) > 2 for token in behind)
            rooted = any(token.text in ("√", "π") for token in behind) and len(behind) < _SHORT_FORMULA
            closed = sum(token.text in tuple("([") for token in behind) == sum(
                token.text in tuple(")]") for token in behind
            )
            has_value = self.has_digits(start, stop) or any(token.text == "=" for token in behind)
            if has_value and closed and (rooted or not words):
                return self.spell(start, stop).strip(LOOSE)
        return self.find_option_or_number(first, last, announced)

    def states_before(self, first: int, last: int) -> bool:
        """Return whether another clause states a value before a verb: `the least is 3, the greatest is`."""
        verb = self.find_phrase(COPULA_VERBS, first, last - 1)
        if verb is None:
            return False
        spans = list_quantities(self.tokens, verb, last)
        given = find_given_regions(self.tokens[:last], spans)
        return any(not given[span[0]] for span in spans)

    def list_items(self, first: int, last: int) -> list[str]:
        """Return the items of a list in Markdown that says what names are, as `- a = 3`; [] for others."""
        lines = self.spell(first, last).splitlines()
        items = [line.strip().lstrip("-*•").strip() for line in lines]
        marked = all(line.strip()[:1] in tuple("-*•") and line.count("=") == 1 for line in lines)
        return items if len(items) > 1 and marked else []

    def mixes_scripts(self, first: int, last: int) -> bool:
        """Return whether words of a script other than Latin stand around a number, and no formula."""
        part = self.tokens[first:last]
        formula = any(token.kind == "command" or token.text in tuple("=<>≤≥∈()") for token in part)
        words = [token for token in part if _is_of_other_script(token) and token.text not in _JOINING]
        return not formula and self.has_digits(first, last) and bool(words)

    def find_member_set(self, first: int, last: int) -> str:
        """Return the set or interval in brackets that a sentence ends with, behind `belongs to`; "" without
        one."""
        behind = self.find_phrase(MEMBERSHIPS, first, last)
        if behind is None:
            return ""
        at = skip_blanks(self.tokens, behind)
        closed = self.tokens[last - 1].text in tuple(")]}[") and at < last
        return self.spell(at, last) if closed and self.tokens[at].text in ("(", "[", "{", "]", "\\{") else ""

    def states_several(self, first: int, last: int) -> bool:
        """Return whether words that are no unit stand between two quantities: `7 books 35 euros`."""
        spans = list_quantities(self.tokens, first, last)
        return any(
            token.kind == "word" and len(token.text) > 2 and token.text.lower() not in CONNECTIVES
            for one, other in pairwise(spans)
            for token in self.tokens[one[1] : other[0]]
            if "(" not in self.spell(one[1], other[0])
        ) and not any(token.kind == "command" for token in self.tokens[first:last])

    def find_stated_words(self, first: int, last: int) -> str:
        """Return the answer in words that a sentence states, as `convergent`, if it states no quantity; ""
        without one."""
        spans = list_quantities(self.tokens, first, last)
        given = find_given_regions(self.tokens[:last], spans)
        if not all(given[span[0]] for span in spans):
            return ""
        if HEDGES.find(self.tokens[first:last]) is not None:
            return ""
        end = next((at for at in range(first + 1, last) if given[at] and not given[first]), last)
        return find_word_answer(self.tokens, first, end)

    def find_listed(self, first: int, last: int) -> str:
        """Return the list of equations that a sentence ends with, as `x = 1, x = 2 and x = 3`, or of numbers
        behind a verb; "" without one."""
        places = [self.find_phrase(table, first, last) for table in (COPULAS, LIST_NOUNS)]
        listed = [skip_blanks(self.tokens, place) for place in places if place is not None]
        for at in range(first, last):
            match = partial(match_quantity, self.tokens) if at in listed else self.match_equation
            end, count = match(at, last), 0
            while end and count < MOST_LISTED:
                count += 1
                if end == last:
                    return self.spell(at, end) if count > 1 else ""
                behind = self.skip_join(end, last)
                end = match(behind, last) if end < behind < last else 0
        return ""

    def match_equation(self, first: int, last: int) -> int:
        """Return the index behind a name that equals a number, `x = 5`; 0 where none begins."""
        behind = first + 1
        while text_at(self.tokens, behind)[:1] in _SUBSCRIPTS and behind < last:
            behind += 1
        sign = skip_blanks(self.tokens, behind)
        if self.tokens[first].kind != "word" or sign >= last or self.tokens[sign].text != "=":
            return 0
        return match_quantity(self.tokens, skip_blanks(self.tokens, sign + 1), last)

    def skip_join(self, first: int, last: int) -> int:
        """Return the index behind a comma, a word such as `and`, or both; the first where there is none."""
        at = skip_blanks(self.tokens, first)
        at = skip_blanks(self.tokens, at + 1) if text_at(self.tokens, at) in (",", ";") else at
        join = JOINS.match(self.tokens[:last], at)
        at = at if join is None else skip_blanks(self.tokens, join[0])
        return at if at > skip_blanks(self.tokens, first) else first

    def find_option_or_number(self, first: int, last: int, announced: bool) -> str:
        """Return the letter of a choice or the last number of a sentence, whichever comes last."""
        letters = {
            self.tokens[at].text
            for at in range(first + 1, last)
            if is_option(self.tokens[at])
            and (text_at(self.tokens, at - 1), text_at(self.tokens, at + 1)) == ("(", ")")
        }
        # Several letters in brackets are the list of options, not a choice.
        if not announced and len(letters) > 1:
            return self.spell(first, last)
        option = self.find_option(first, last)
        spans = list_quantities(self.tokens, first, last)
        if option is not None and (not spans or spans[-1][0] <= option):
            return self.tokens[option].text
        if not spans:
            return self.find_spelt_number(first, last) or self.spell(first, last)
        start, stop = self.choose(spans, last)
        # `at least 5` and `5 or more` are other answers than 5.
        limit, further = self.match_limit_before(start, first), self.match_limit_after(stop, last)
        denied = find_denial(self.tokens, first, start)
        start = min(at for at in (start, limit, denied) if at is not None)
        return self.spell(start, further or stop).strip().rstrip(",.;:")

    def choose(self, spans: Sequence[Span], last: int) -> Span:
        """Return the quantity that the last sentence with one states, and note others that may be meant."""
        choice = choose_quantity(self.tokens, spans, last)
        self.rivals = tuple(self.spell(*span) for span in choice.rivals)
        if names_another(self.tokens, choice.chosen):
            self.rivals = (self.spell(choice.chosen[0], choice.chosen[1] + 1),)
        return choice.chosen

    def find_main_clause_end(self, first: int, last: int) -> int:
        """Return the end of the main clause of the last sentence: what is denied or explained stands behind
        it."""
        start, end = first, self.find_sentence_end(first, last, ".!?")
        while self.trim(end, last)[0] < self.trim(end, last)[1]:
            start = end + 1
            end = self.find_sentence_end(start, last, ".!?")
        for at in range(start + 1, last):
            if CONTRASTS.match(self.tokens, at):
                return at
            if APPROXIMATIONS.match(self.tokens, at) and self.has_digits(start, at):
                return at
            states = SUBORDINATE.match(self.tokens, at) and self.has_digits(start, at)
            if states and self.find_phrase(COPULAS, start, at) is not None:
                return last if self.continues(at, last) else at
        return last

    def continues(self, first: int, last: int) -> bool:
        """Return whether a clause behind a subordinate one states a value: `…, and x = 5 when y = 2`."""
        comma = next((at for at in range(first, last) if self.tokens[at].text == ","), last)
        verb = self.find_phrase(COPULAS, comma, last) if comma < last else None
        return verb is not None and JOINS.match(self.tokens, skip_blanks(self.tokens, comma + 1)) is not None

    def find_answer_end(self, first: int, last: int) -> int:
        """Return where an announced answer ends: with its sentence, or before a reason for it."""
        end = self.find_sentence_end(first, last, ".!?;")
        if text_at(self.tokens, end) == ";" and end < last:
            whole = self.find_sentence_end(first, last, ".!?")
            if all(token.kind in ("digits", "sign") or is_blank(token) for token in self.tokens[first:whole]):
                end = whole  # a list
        for at in range(first, end):
            if self.tokens[at].text == "," and CAUSES.match(self.tokens, skip_blanks(self.tokens, at + 1)):
                return at
        return end

    def skip_lead(self, first: int, last: int) -> int:
        """Return the index behind the words that lead to a number or equation: `there are 5`, `the roots are
        x = 1`; the first where the words may be part of the answer."""
        part = self.tokens[:last]
        at = first
        # Only plain words are led over: a function's name or a minus in words belongs to the number.
        while at + 1 < last and is_blank(part[at + 1]):
            token = part[at]
            if (
                token.kind != "word"
                or not token.text.isascii()
                or len(token.text) < 3
                or token.text.lower() in KEPT
            ):
                break
            at += 2
        numeric = at
        while text_at(part, numeric) in (*CURRENCIES, "-", "+", "."):
            numeric += 1
        is_number = numeric < last and part[numeric].kind == "digits"
        named = len(text_at(part, at)) == 1 and text_at(part, skip_blanks(part, at + 1)) == "="
        if at == first or not (is_number or named):
            return first
        modified = any(
            table.match(part, index)
            for table in (LIMITS, ALTERNATIVES, MONTHS)
            for index in range(first, last)
        )
        return first if modified or find_denial(part, first, at) is not None else at

    def skip_unspaced_lead(self, first: int, last: int) -> int:
        """Return the index behind the verb that leads to a formula in a script without spaces, as 范围是x≥2;
        the first where words follow."""
        part = self.tokens[:last]
        for at in range(last - 1, first, -1):
            if _is_of_other_script(part[at]):
                joined = any(self.spell(start, at + 1) in CONNECTIVES for start in range(first, at + 1))
                verb = None if joined else UNSPACED_VERBS.match_before(part, at + 1)
                behind = at + 1 + (text_at(part, at + 1) in tuple(":："))
                alone = self.has_digits(behind, last) and not self.has_digits(first, at)
                denied = find_denial(part, first, at + 1) is not None
                return behind if verb is not None and alone and not denied else first
        return first

    def is_sentence(self, first: int, last: int) -> bool:
        """Return whether two words stand side by side, and no command of LaTeX."""
        part = self.tokens[first:last]
        if any(token.kind == "command" for token in part):
            return False
        long = [
            token.kind == "word" and len(token.text) > 1 and not _is_of_other_script(token) for token in part
        ]
        for at in range(1, len(part)):
            if is_blank(part[at]) and long[at - 1]:
                end = next((i for i in range(at + 1, len(part)) if is_blank(part[i])), len(part))
                if any(long[at + 1 : end]):
                    return True
        return False

    def find_option(self, first: int, last: int) -> int | None:
        """Return the index of the letter that is called an option; None without one."""
        part = self.tokens[:last]
        for at in range(first, last):
            right = is_option(part[at]) and IS_RIGHT.match(part, skip_blanks(part, at + 1)) is not None
            joined = JOINS.match_before(part, at) or JOINS.match_before(part, at - 1)
            if right and joined is None and find_denial(part, first, at) is None:
                return at
            if (match := OPTIONS.match(part, at)) is None:
                continue
            letter = skip_blanks(part, match[0])
            while text_at(part, letter) in (":", "("):
                letter = skip_blanks(part, letter + 1)
            if letter < last and is_option(part[letter]) and not text_at(part, letter + 1).startswith("'"):
                return letter
        return None

    def find_counted(self, first: int, last: int) -> str:
        """Return the last number with a word of a script other than Latin behind it, as 42只; "" without one,
        and where a word joins formulas."""
        spans: list[Span] = []
        at = first
        while at < last:
            start = at
            at += 1
            negative = self.tokens[start].text == "-" and start + 1 < last
            end = match_figures(self.tokens, start + negative, last)
            if not end:
                continue
            share = SHARES.match(self.tokens[:last], skip_blanks(self.tokens, end))
            if share is not None and (
                below := match_figures(self.tokens, skip_blanks(self.tokens, share[0]), last)
            ):
                return self.spell(start, below)
            if text_at(self.tokens, end) in ("/", ":") and (
                below := match_figures(self.tokens, end + 1, last)
            ):
                end = below
            word = end + (end < last and is_blank(self.tokens[end]))
            stop = word
            while stop < last and (_is_of_other_script(self.tokens[stop]) or self.tokens[stop].text == "%"):
                stop += 1
            at = max(at, end)
            bare = stop == word and (end >= last or self.tokens[end].kind == "sign")
            if bare and text_at(self.tokens, end) in ("", *tuple(",.，。;)")):
                spans.append((start, end))
                continue
            if not any(map(_is_of_other_script, self.tokens[word:stop])) or (
                stop < last and self.tokens[stop].kind in ("digits", "word")
            ):
                continue
            if self.spell(word, stop) in CONNECTIVES:
                return ""
            spans.append((start, stop))
            at = stop
        if not any(
            map(_is_of_other_script, (token for span in spans for token in self.tokens[slice(*span)]))
        ):
            return ""
        chosen = self.choose(spans, last)
        limited = self.match_limit_before(chosen[0], first) is not None
        if limited or find_denial(self.tokens, first, chosen[0]) is not None:
            return ""
        counted = self.spell(*chosen)
        verb = next(filter(counted.endswith, FINAL_VERBS), "")
        return counted.removesuffix(verb)

    def find_spelt_number(self, first: int, last: int) -> str:
        """Return the only number in words of a sentence; "" where there is none, or something with it changes
        it."""
        text = self.spell(first, last)
        # Of `six of the ten marbles` only six is stated.
        spans = [span for span in find_numerals(text) if not text[: span[0]].lower().endswith("the ")]
        if len(spans) != 1 or in_words(text) is not None:
            return ""
        (start, end), offset = spans[0], self.tokens[first].start
        inside = range(first, last)
        begin = next((at for at in inside if self.tokens[at].start >= offset + start), last)
        stop = next((at for at in inside if self.tokens[at].start >= offset + end), last)
        around = (at for at in inside if not begin <= at < stop)
        if any(table.match(self.tokens, at) for at in around for table in (LIMITS, ALTERNATIVES, MONTHS)):
            return ""
        if self.match_limit_before(begin, first) is not None or self.match_limit_after(stop, last):
            return ""
        if text[start:end].lower() in NO_NUMBERS:
            return ""
        percent = PERCENT.match(self.tokens[:last], skip_blanks(self.tokens, stop))
        unit = match_unit(self.tokens[:last], skip_blanks(self.tokens, stop))
        value = read_numeral(text[start:end]) if unit and not percent else None
        if value is not None:
            return f"{value} {self.spell(skip_blanks(self.tokens, stop), unit)}"
        return self.spell(begin, percent[0] if percent else stop)


_SHORT_FORMULA = 12
"""Tokens of a formula without delimiters and its unit, as `2√5 units`."""
_JOINING = frozenset((*CONNECTIVES, "比", "к", *"または"))
"""Words of other scripts between two numbers of one answer."""
_SUBSCRIPTS = frozenset("₀₁₂₃₄₅₆₇₈₉")


def _is_of_other_script(token: AnswerToken) -> bool:
    return token.kind == "word" and token.text[0] >= "\u0400"


def _read_announcing_formula(formula: str) -> str:
    r"""Return the answer that a formula announces itself, as `\text{Answer: } 5`; "" for other formulas."""
    if "answer" not in formula.lower():
        return ""
    tokens = tokenize(formula)
    at = 0
    while at < len(tokens) and (tokens[at].kind != "word" or text_at(tokens, at).lower() == "text"):
        at += 1
    announced = match_announcement(tokens, at)
    if announced is None:
        return ""
    end = skip_blanks(tokens, announced[0])
    end += text_at(tokens, end) == "}"
    return formula[tokens[end].start :].strip() if end < len(tokens) else ""


def _is_name(formula: str) -> bool:
    """Return whether a formula is no more than a name: `x`, `x_1`, `f(x)`."""
    tokens = [token for token in tokenize(formula) if not is_blank(token)]
    if not tokens or not (tokens[0].kind == "word" or tokens[0].text[1:].isalpha()):
        return False
    rest = [token.text for token in tokens[1:]]
    if rest[:1] == ["_"]:
        return len(rest) == 2 or (rest[1:2] == ["{"] and rest[-1] == "}" and len(rest) == 4)
    applied = rest[:1] == ["("] and rest[-1] == ")" and len(rest) == 3
    return not rest or (applied and len(tokens[0].text) == len(rest[1]) == 1 and rest[1].isalpha())
