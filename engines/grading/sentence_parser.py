"""Parse sentences for the answers that they state in words and numbers, with what limits or denies these."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from engines.core.tree import Tree
from engines.formula.latex_conversion import is_written_with_names
from engines.formula.vocabulary import CONNECTIVES, NAMES_IN_TEXT, begins_with_set, count_repetitions
from engines.grading.answer_vocabulary import (
    ABBREVIATIONS,
    ADMISSIONS,
    ALTERNATIVES,
    APPROXIMATIONS,
    ASSIGNMENTS,
    CAUSES,
    CONCLUSIONS,
    CONTRASTS,
    COPULA_VERBS,
    COPULAS,
    CURRENCIES,
    EXISTENCES,
    FINAL_VERBS,
    FURTHER_LIMITS,
    HEDGES,
    INTENTIONS,
    IS_RIGHT,
    JOINS,
    KEPT,
    LEVELS,
    LIST_NOUNS,
    MEMBER_LEADS,
    MEMBERSHIPS,
    MONTHS,
    MOST_LISTED,
    NO_NUMBERS,
    OPTIONS,
    PARTS_OF,
    PERCENT,
    PLAIN_CAUSES,
    POINT_LEADS,
    REMAINDERS,
    SHARES,
    SOLVING,
    STATING_VERBS,
    SUBORDINATE,
    SUMS,
    TOTALS,
    UNSPACED_VERBS,
    VECTOR_LEADS,
    WEEKDAYS,
)
from engines.grading.boxes_and_announcements import LOOSE
from engines.grading.choices import is_option
from engines.grading.definitions import defines_letter
from engines.grading.formulas_in_words import find_formula_in_words, write_spoken_signs
from engines.grading.free_letters import find_free_letters, is_subject, spell_freed
from engines.grading.integers_in_words import may_name_integers, spell_integers
from engines.grading.locales import (
    LIMITS,
)
from engines.grading.numbers import in_words
from engines.grading.permutations import find_permutations
from engines.grading.quantity_reader import is_quantity
from engines.grading.ranges_in_words import spell_ranges
from engines.grading.sentence_quantities import (
    MOST_TOKENS,
    Span,
    choose_quantity,
    find_denial,
    find_given_regions,
    list_quantities,
    match_figures,
    match_quantity,
    match_unit,
    match_value,
    names_another,
)
from engines.grading.times import find_date, find_spoken_clock, read_date
from engines.grading.tokens import (
    AnswerToken,
    Phrases,
    is_blank,
    skip_blanks,
    text_at,
    tokenize,
)
from engines.grading.word_answers import WORD_ANSWERS, find_word_answer
from engines.language.numerals import find_numerals, read_numeral, write_numerals


class SentenceParser:
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

    def match_letter(self, first: int, last: int) -> int:
        """Return the index behind the letter of a choice in brackets; 0 where none begins."""
        at = skip_blanks(self.tokens, first)
        bracketed = text_at(self.tokens, at) == "(" and text_at(self.tokens, at + 2) == ")"
        return at + 3 if bracketed and at + 2 < last and is_option(self.tokens[at + 1]) else 0

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

    def has_digits(self, first: int, last: int) -> bool:
        return any(token.kind == "digits" for token in self.tokens[first:last])

    def find_phrase(self, phrases: Phrases[str], first: int, last: int) -> int | None:
        """Return the index behind the last phrase of a table between two tokens; None without one."""
        matches = list(phrases.find_all(self.tokens[:last], first, last))
        return matches[-1][1] if matches else None

    def find_sentence_end(self, first: int, last: int, marks: str) -> int:
        """Return the index of the token that ends a sentence: a mark before white space, or a new line."""
        for at in range(first, last):
            token = self.tokens[at]
            if token.kind == "line" or token.text == "。":
                return at
            if token.text not in marks or self.ends_abbreviation(at):
                continue
            if at + 1 >= last or is_blank(self.tokens[at + 1]):
                return at
        return last

    def ends_abbreviation(self, at: int) -> bool:
        """Return whether a full stop ends an abbreviation, as `i.e.` or `approx.`, and no sentence."""
        word = text_at(self.tokens, at - 1).lower()
        return word in ABBREVIATIONS or (word in ("e", "g", "h") and text_at(self.tokens, at - 2) == ".")

    def find_in_words(self, first: int, last: int, announced: bool) -> str:
        """Return the answer of a text without formulas: itself where it is short, or what it says last."""
        first, last = self.trim(first, last, " \n\t")
        if (permuted := find_permutations(self.tokens, first, self.trim(first, last)[1])) is not None:
            if not permuted[1]:
                return self.spell(permuted[0], self.trim(first, last)[1])
            ordered = self.find_in_words(first, permuted[0], announced)
            return f"{ordered} {permuted[1]}" if ordered.endswith(")") else ordered
        if (freed := find_free_letters(self.tokens, first, last)) is not None:
            family = self.find_in_words(first, freed[0], announced)
            if "=" in family and not is_subject(freed[1], family):
                return family + spell_freed(freed[1])
        if (vectors := VECTOR_LEADS.match(self.tokens[:last], first)) is not None:
            first = skip_blanks(self.tokens, vectors[0])
        last = self.drop_final_verb(first, last)
        if begins_with_set(self.spell(first, last)):
            end = self.trim(first, last)[1]
            solving = SOLVING.match_before(self.tokens[:end], end)
            last = end if solving is None else self.trim(first, solving[0])[1]
        whole = self.spell(first, last)
        bare = whole.rstrip(LOOSE)
        if (
            # Formulas without delimiters are the answer as they are.
            begins_with_set(whole)
            or spell_integers(whole)
            or spell_ranges(whole) != whole
            or defines_letter(whole)
            or ("≡" in whole and "mod" in whole and not self.is_one_sentence(first, last))
            or ("=" not in whole and is_written_with_names(whole))
            or is_quantity(bare)
            or read_date(self.tokens[first:last])
            or whole.endswith("\\right.")
        ):
            return whole
        if (letter := self.match_letter(first, last)) and self.is_one_sentence(letter, last):
            return whole
        option = skip_blanks(self.tokens, first + 1)
        named = text_at(self.tokens, first).lower() in _OPTION_ARTICLES and option < last
        if named and is_option(self.tokens[option]) and not self.spell(option + 1, last).strip(LOOSE):
            return self.tokens[option].text  # la bonne réponse est la B
        if items := self.list_items(first, last):
            return ", ".join(items)
        if spoken := self.find_spoken_formula(first, last, announced):
            return spoken
        # Behind an announcement the answer comes first and reasons follow; elsewhere it comes last.
        if announced:
            last = self.find_answer_end(first, last)
        last = self.find_main_clause_end(first, last)
        if (conclusion := CONCLUSIONS.match(self.tokens[:last], first)) is not None:
            first = conclusion[0] + (text_at(self.tokens, conclusion[0]) in tuple(",:"))
        first = self.skip_label(first, last)
        if (lead := EXISTENCES.match(self.tokens[:last], skip_blanks(self.tokens, first))) is not None:
            first = lead[0]
        begin, last = self.trim(first, last, LOOSE if announced else LOOSE.replace("!", ""))
        first = self.skip_unspaced_lead(self.skip_lead(begin, last), last)
        last = self.drop_tail(first, last)
        # What is left without its lead is the answer, unless it is a sentence.
        short = self.spell(first, last)
        if not self.has_digits(first, last):
            clock = find_spoken_clock(self.tokens, first, last)
            if rewritten := clock or self.find_among_numerals(first, last, announced):
                return rewritten
        if not short.isascii() and (right := self.find_right_option(first, last)):
            return right
        if not short.isascii() and (counted := self.find_counted(first, last)):
            return counted if len(short) > len(counted) else short
        if member := self.find_member_set(first, last):
            return member
        if self.states_several(first, last) or self.mixes_scripts(first, last):
            first = begin
        elif not self.is_sentence(first, last):
            return short
        if stated := self.find_stated_words(first, last) or self.find_stated_day(first, last):
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
            words = any(
                token.kind == "word" and len(token.text) > 2 and token.text not in NAMES_IN_TEXT
                for token in behind
            )
            rooted = any(token.text in ("√", "π") for token in behind) and len(behind) < _SHORT_FORMULA
            closed = sum(token.text in tuple("([") for token in behind) == sum(
                token.text in tuple(")]") for token in behind
            )
            has_value = self.has_digits(start, stop) or any(token.text in _FORMULA_SIGNS for token in behind)
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

    def find_spoken_formula(self, first: int, last: int, announced: bool) -> str:
        """Return the formula that a sentence says in words, as `x must be at least 4`: the last sentence, or
        the first behind an announcement; "" without one."""
        # A formula between its delimiters has nothing around it in most answers.
        if not any(token.kind == "word" for token in self.tokens[first:last]):
            return ""
        if not announced:
            first = self.find_last_sentence(first, last)
        last = self.trim(first, self.find_sentence_end(first, last, ".!?"))[1]
        if last - first > MOST_TOKENS:
            return ""
        last = next(
            (
                at
                for at in range(first + 1, last)
                if self.tokens[at].text == "," and CAUSES.match(self.tokens, skip_blanks(self.tokens, at + 1))
            ),
            last,
        )
        tables = (COPULA_VERBS, MEMBER_LEADS) if may_name_integers(self.spell(first, last)) else ()
        verbs = (self.find_phrase(table, first, last) for table in tables)
        for behind in (at for at in verbs if at is not None):
            if spell_integers(said := self.spell(skip_blanks(self.tokens, behind), last)):
                return said
        start = find_formula_in_words(self.tokens, first, last)
        if start is None and not self.has_digits(first, last):
            return self.find_spoken_numbers(first, last)
        if start is None:
            return ""
        if any(token.kind == "formula" for token in self.tokens[start:last]):
            return write_spoken_signs(self.tokens[start:last])
        return self.spell(start, last).strip(LOOSE)

    def find_spoken_numbers(self, first: int, last: int) -> str:
        """Return the formula that a sentence says in words, its numbers among them, as `four thirds pi`; ""
        for others."""
        text = self.spell(first, last)
        spans = find_numerals(text)
        if not spans:
            return ""
        for start, end in reversed(spans):
            sign, _, figures = text[start:end].partition(" ")
            if figures and sign.lower() in ("minus", "negative") and start:
                start = end - len(figures)  # x minus three
            text = f"{text[:start]}({read_numeral(text[start:end])}){text[end:]}"
        tokens = tokenize(text)
        begin = find_formula_in_words(tokens, 0, len(tokens))
        return "" if begin is None else text[tokens[begin].start :].strip(LOOSE)

    def is_one_sentence(self, first: int, last: int) -> bool:
        """Return whether a sentence in words, and no other one, stands between two tokens."""
        first = skip_blanks(self.tokens, first)
        end = self.find_sentence_end(first, last, ".!?")
        begins = first < last and self.tokens[first].kind == "word" and len(self.tokens[first].text) > 1
        return begins and self.is_sentence(first, end) and not self.spell(end, last).strip(LOOSE)

    def find_last_sentence(self, first: int, last: int) -> int:
        """Return where the last sentence begins."""
        start, end = first, self.find_sentence_end(first, last, ".!?")
        while self.trim(end, last)[0] < self.trim(end, last)[1]:
            start = end + 1
            end = self.find_sentence_end(start, last, ".!?")
        return start

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
        part = self.tokens[first:last]
        if any(token.kind == "command" for token in part) or not any(map(_is_noun, part)):
            return False
        return any(
            any(map(_is_noun, self.tokens[one[1] : other[0]])) and "(" not in self.spell(one[1], other[0])
            for one, other in pairwise(list_quantities(self.tokens, first, last))
        )

    def find_stated_words(self, first: int, last: int) -> str:
        """Return the answer in words that a sentence states, as `convergent`, if it states no quantity; ""
        without one."""
        if not WORD_ANSWERS.may_occur(self.tokens[first:last]):
            return ""
        spans = list_quantities(self.tokens, first, last)
        given = find_given_regions(self.tokens[:last], spans)
        tested = [span for span in spans if LEVELS.match(self.tokens, skip_blanks(self.tokens, span[1]))]
        if not all(given[span[0]] or span in tested for span in spans):
            return ""
        if HEDGES.find(self.tokens[first:last]) is not None:
            return ""
        end = next((at for at in range(first + 1, last) if given[at] and not given[first]), last)
        return find_word_answer(self.tokens, first, end)

    def find_stated_day(self, first: int, last: int) -> str:
        """Return the date of a sentence with no other numbers, or the day of the week that something is; ""
        without one."""
        date = find_date(self.tokens, first, last)
        if date is not None:
            alone = not self.has_digits(first, date[0]) and not self.has_digits(date[1], last)
            return self.spell(*date) if alone else ""
        days = [at for at in range(first, last) if WEEKDAYS.match(self.tokens, at) is not None]
        if len(days) != 1 or find_denial(self.tokens, first, days[0]) is not None:
            return ""
        before = days[0]
        while before > first and (
            is_blank(self.tokens[before - 1]) or self.tokens[before - 1].text.lower() in _ARTICLES
        ):
            before -= 1
        verbs = (table.match_before(self.tokens, before) for table in (COPULAS, COPULA_VERBS, STATING_VERBS))
        return self.tokens[days[0]].text if any(verb is not None for verb in verbs) else ""

    def find_listed(self, first: int, last: int) -> str:
        """Return the list of equations that a sentence ends with, as `x = 1, x = 2 and x = 3`, or of numbers
        behind a verb; "" without one."""
        places = [
            self.find_phrase(table, first, last) for table in (COPULAS, LIST_NOUNS, MEMBER_LEADS, POINT_LEADS)
        ]
        named = self.find_phrase(LIST_NOUNS, first, last)
        colon = next((at for at in range(named or last, last) if self.tokens[at].text == ":"), None)
        places.append(None if colon is None else colon + 1)
        listed = [first, *(skip_blanks(self.tokens, place) for place in places if place is not None)]
        for at in range(first, last):
            match = partial(match_value, self.tokens) if at in listed else self.match_equation
            end, count = match(at, last), 0
            while end and count < MOST_LISTED:
                count += 1
                end = self.skip_repetition(end, last)
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

    def skip_repetition(self, first: int, last: int) -> int:
        """Return the index behind brackets that say how often a value counts, `(with multiplicity 2)`; the
        first where there are none."""
        opening = skip_blanks(self.tokens, first)
        if text_at(self.tokens, opening) != "(":
            return first
        closing = next((at for at in range(opening, last) if self.tokens[at].text == ")"), opening)
        remark = Tree("unit", (Tree(self.spell(opening, closing + 1)),))
        return closing + 1 if count_repetitions(remark) else first

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
        if self.is_only_wished(start, stop, last):
            return self.spell(first, last)
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

    def is_only_wished(self, start: int, stop: int, last: int) -> bool:
        """Return whether somebody only wishes for a quantity, or the sentence says that it is no answer."""
        before = start
        while before and is_blank(self.tokens[before - 1]):
            before -= 1
        wished = INTENTIONS.match_before(self.tokens, before) is not None
        return wished or self.find_phrase(ADMISSIONS, stop, last) is not None

    def find_main_clause_end(self, first: int, last: int) -> int:
        """Return the end of the main clause of the last sentence: what is denied or explained stands behind
        it."""
        start = self.find_last_sentence(first, last)
        contrasts = CONTRASTS.find_all(self.tokens, start + 1, last)
        # `p or q but not both` denies neither.
        denied = (at for at, end, _ in contrasts if text_at(self.tokens, end + 1).lower() != "both")
        end = next(denied, last)
        for at, _, _ in APPROXIMATIONS.find_all(self.tokens, start + 1, end):
            if self.has_digits(start, at):
                end = at
                break
        for at, _, _ in SUBORDINATE.find_all(self.tokens, start + 1, end):
            if self.has_digits(start, at) and self.find_phrase(COPULAS, start, at) is not None:
                return last if self.continues(at, last) else at
        return end

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
            if at > first and PLAIN_CAUSES.match(self.tokens, at) is not None:
                return at
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

    def skip_label(self, first: int, last: int) -> int:
        """Return the index behind words with a colon in front of values, as `Eigenvalues: -1, 3`; the first
        where the colon is that of a ratio, or several have labels."""
        colons = [at for at in range(first, last) if self.tokens[at].text in (":", "：")]
        if len(colons) != 1:
            return first
        label, (colon,) = self.tokens[first : colons[0]], colons
        behind = skip_blanks(self.tokens, colon + 1)
        said = [token for token in label if not is_blank(token)]
        if len(said) > 1 and said[1].text == "%":
            said = said[2:]  # 95% CI: (2, 3)
        spelt = all(token.kind == "word" for token in said)
        words = spelt and any(_is_noun(token) or token.text in _SHORT_LABELS for token in said)
        is_value = behind < last and (
            self.tokens[behind].kind != "word" or len(self.tokens[behind].text) == 1
        )
        return behind if words and is_value else first

    def drop_final_verb(self, first: int, last: int) -> int:
        """Return the end of a text without the verb that ends a sentence behind a formula, as です."""
        first, end = self.trim(first, last)
        text = self.spell(first, end)
        verb = next(filter(text.endswith, FINAL_VERBS), "")
        start = self.trim(first, end - len(verb), " ")[1] if verb else last
        return start if first < start < last and not _is_of_other_script(self.tokens[start - 1]) else last

    def drop_tail(self, first: int, last: int) -> int:
        """Return the end of a number without the words behind it that say that it is left or a total."""
        end = match_quantity(self.tokens, first, last)
        behind = skip_blanks(self.tokens, end)
        tails = (table.match(self.tokens[:last], behind) for table in (REMAINDERS, TOTALS))
        return end if end and any(tail is not None and tail[0] == last for tail in tails) else last

    def skip_unspaced_lead(self, first: int, last: int) -> int:
        """Return the index behind the verb that leads to a formula in a script without spaces, as 范围是x≥2;
        the first where words follow."""
        part = self.tokens[:last]
        for at in range(last - 1, first, -1):
            if _is_of_other_script(part[at]):
                joined = any(self.spell(start, at + 1) in CONNECTIVES for start in range(first, at + 1))
                if joined:
                    continue
                verb = UNSPACED_VERBS.match_before(part, at + 1)
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
            behind = skip_blanks(part, at + 1 + (text_at(part, at + 1) == ")"))
            right = is_option(part[at]) and IS_RIGHT.match(part, behind) is not None
            joined = JOINS.match_before(part, at) or JOINS.match_before(part, at - 1)
            if right and joined is None and find_denial(part, first, at) is None:
                return at
            if (match := OPTIONS.match(part, at)) is None:
                continue
            letter = skip_blanks(part, match[0])
            while text_at(part, letter) in (":", "("):
                letter = skip_blanks(part, letter + 1)
            if find_denial(part, first, letter) is not None:
                continue
            if letter < last and is_option(part[letter]) and not text_at(part, letter + 1).startswith("'"):
                return letter
        return None

    def find_right_option(self, first: int, last: int) -> str:
        """Return the only letter of a choice that is called right; "" without one."""
        part = self.tokens[:last]
        letters = [at for at in range(first, last) if is_option(part[at])]
        right = [at for at in letters if IS_RIGHT.match(part, skip_blanks(part, at + 1)) is not None]
        return part[right[0]].text if len(letters) == len(right) == 1 else ""

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
            while stop < last and (
                _is_of_other_script(self.tokens[stop]) or self.tokens[stop].text in ("%", "/", "²", "³")
            ):
                stop += 1
            stop = max(stop, match_unit(self.tokens[:last], word))
            at = max(at, end)
            bare = stop == word and (end >= last or self.tokens[end].kind == "sign")
            if bare and (end >= last or text_at(self.tokens, end) in tuple(",.，。;)")):
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

    def find_among_numerals(self, first: int, last: int, announced: bool) -> str:
        """Return the answer of a sentence with several numbers in words, or with one that is not in English,
        as it would be with digits; "" for others."""
        text = self.spell(first, last)
        spans = find_numerals(text)
        if (text.isascii() and len(spans) < _SEVERAL) or in_words(text) is not None:
            return ""
        unclear = any(
            text[start:end].lower() in NO_NUMBERS or text[:start].lower().endswith("the ")
            for start, end in spans
        )
        written = write_numerals(text)
        if written == text or unclear:
            return ""
        solution = SentenceParser(written, tokenize(written))
        result = solution.find_in_words(0, len(solution.tokens), announced)
        self.rivals = solution.rivals
        return result

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
        behind = skip_blanks(self.tokens, stop)
        percent = PERCENT.match(self.tokens[:last], behind)
        part_of = PARTS_OF.match(self.tokens[:last], behind)  # three quarters of an hour
        behind = behind if part_of is None else skip_blanks(self.tokens, part_of[0])
        unit = match_unit(self.tokens[:last], behind)
        value = read_numeral(text[start:end]) if unit and not percent else None
        if value is not None:
            return f"{value} {self.spell(behind, unit)}"
        return self.spell(begin, percent[0] if percent else stop)


_OPTION_ARTICLES = ("la", "le", "die", "the", "option", "буква", "вариант")
_SHORT_LABELS = ("CI", "IQR", "SD")
_FORMULA_SIGNS = frozenset("=(^+²³")


_LIST_LEADS = (COPULAS, LIST_NOUNS, MEMBER_LEADS, POINT_LEADS)
_ARTICLES = ("a", "an", "ein", "un", "einen")


_SEVERAL = 2
_SHORT_FORMULA = 12
"""Tokens of a formula without delimiters and its unit, as `2√5 units`."""


_JOINING = frozenset((*CONNECTIVES, "比", "к", *"または"))
"""Words of other scripts between two numbers of one answer."""


_SUBSCRIPTS = frozenset("₀₁₂₃₄₅₆₇₈₉")


def _is_noun(token: AnswerToken) -> bool:
    """Return whether a token can name what is counted: a word of some length that joins nothing."""
    return token.kind == "word" and len(token.text) > 2 and token.text.lower() not in CONNECTIVES


def _is_of_other_script(token: AnswerToken) -> bool:
    return token.kind == "word" and token.text[0] >= "\u0400" and not "\u2100" <= token.text[0] <= "\u214f"
