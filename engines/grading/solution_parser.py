"""Parse what an announcement or box leaves of a solution: formulas with what limits them, or sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engines.formula.vocabulary import CONNECTIVES
from engines.grading.answer_vocabulary import (
    ATTAINMENTS,
    CIRCUMSTANCES_BEHIND,
    CONCLUDING,
    CONCLUSIONS,
    COPULAS,
    MOST_LISTED,
    PLACE_WORDS,
    PLAIN_CAUSES,
    RANGES,
    SUBORDINATE,
    UNIT_WORDS,
)
from engines.grading.boxes_and_announcements import LOOSE, is_list_separator, join_answers
from engines.grading.choices import is_option
from engines.grading.definitions import find_definition, spell_definition
from engines.grading.free_letters import frees_letters, is_subject, spell_freed
from engines.grading.locales import (
    match_announcement,
)
from engines.grading.permutations import find_permutations, follows_permutations, spell_permutations
from engines.grading.ranges_in_words import spell_ranges
from engines.grading.sentence_parser import SentenceParser
from engines.grading.sentence_quantities import match_unit
from engines.grading.tokens import (
    is_blank,
    skip_blanks,
    text_at,
    tokenize,
)
from engines.grading.word_answers import EXTREMES
from engines.language.numerals import find_numerals


class SolutionParser(SentenceParser):
    """A solution: the last of its formulas is the answer, or what its sentences state."""

    def find_last(self, first: int, last: int, announced: bool) -> str:
        """Return the last answer between two tokens; behind an announcement the first."""
        formulas = [at for at in range(first, last) if self.tokens[at].kind == "formula"]
        if not formulas:
            return self.find_in_words(first, last, announced)
        begin, end = self.trim(first, last)
        if end - begin == 1:  # most answers of data sets are a formula and nothing else
            text = self.tokens[begin].text
            return _read_announcing_formula(text) or text
        if (cause := self.find_cause(first, last)) is not None:
            return self.find_last(first, cause, announced)
        if spoken := self.find_spoken_formula(first, last, announced):
            return spoken
        while (
            len(formulas) > 1 and ATTAINMENTS.find(self.tokens[formulas[-2] + 1 : formulas[-1]]) is not None
        ):
            formulas.pop()  # the minimum is $3$, attained at $x = 1$
        if not announced:
            if behind := self.find_value_behind_place(formulas[-1], last):
                return self.find_in_words(behind, last, False)
            if end := self.drop_place(formulas, first):
                return self.find_in_words(first, end, False)
        for at in reversed(formulas):
            if said := _read_announcing_formula(self.tokens[at].text):
                return said
        if ranged := self.spell_range_behind(formulas, last) or self.spell_definition_behind(formulas, last):
            return ranged
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
            if ranged := self.spell_ranged(formulas) or self.spell_family(formulas, last):
                return ranged
            while chosen[0] > formulas[0]:
                before = formulas[formulas.index(chosen[0]) - 1]
                if not is_list_separator(self.tokens[before + 1 : chosen[0]]):
                    break
                chosen.insert(0, before)
        return self.spell_formulas(chosen, first, last, announced)

    def find_cause(self, first: int, last: int) -> int | None:
        """Return where the last sentence begins to say why what it states holds; None where it does not."""
        start = self.find_last_sentence(first, last)
        for at in range(start + 1, last):
            if PLAIN_CAUSES.match(self.tokens, at) is None:
                continue
            before = self.tokens[start:at]
            states = any(token.kind in ("formula", "digits") for token in before)
            states = states or bool(find_numerals(self.spell(start, at)))
            concludes = CONCLUDING.find(self.tokens[at:last]) is not None
            return at if states and not concludes else None
        return None

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

    def drop_place(self, formulas: list[int], first: int) -> int:
        """Drop the last formula where it says only where an extreme value is taken, as in `the maximum is
        $5$ when $x = 2$`; return the index behind the value before it where that is in words, or 0."""
        place = formulas[-1]
        start = self.find_last_sentence(first, place)
        named = next(EXTREMES.find_all(self.tokens, start, place), None)
        if named is None and self.is_remark_on_place(formulas):
            formulas.pop()
            return 0
        if named is None or not _is_place(self.tokens[place].text):
            return 0
        end, said = place, False
        while end > named[1]:
            before = self.tokens[end - 1]
            if (words := PLACE_WORDS.match_before(self.tokens, end)) is not None:
                end, said = words[0], True
            elif is_blank(before) or before.text.lower() in _BEFORE_PLACES:
                said = said or before.text in _OPENING
                end -= 1
            else:
                break
        if not said:
            return 0
        value = formulas[-2] if len(formulas) > 1 else -1
        word = self.trim(named[1], value, " ")[1] - 1
        if value == end - 1 and text_at(self.tokens, word).lower() in _OF:
            return 0  # the maximum of $x^2$ at $x = 2$
        if value == end - 1 and not _is_name(self.tokens[value].text):
            formulas.pop()
            return 0
        return end if self.has_digits(max(named[1], value + 1), end) else 0

    def is_remark_on_place(self, formulas: Sequence[int]) -> bool:
        """Return whether the last formula only says for which value of a letter the one before it is taken,
        as in `$5$ (at $x = 2$)` or `$5$（$x = 2$ のとき）`."""
        if len(formulas) < 2 or not _is_place(self.tokens[formulas[-1]].text):
            return False
        value, place = formulas[-2:]
        name = self.tokens[place].text.partition("=")[0].strip()
        if not name.isalpha() or name in (token.text for token in tokenize(self.tokens[value].text)):
            return False
        between = [token for token in self.tokens[value + 1 : place] if not is_blank(token)]
        opens = bool(between) and between[0].text in _OPENING
        said = PLACE_WORDS.match(between, int(opens))
        if said is not None:
            return said[0] == len(between)
        behind = CIRCUMSTANCES_BEHIND.match(self.tokens, skip_blanks(self.tokens, place + 1))
        return opens and len(between) == 1 and behind is not None

    def find_value_behind_place(self, place: int, last: int) -> int:
        """Return the index behind words such as のとき that make a formula the place of what they lead to; 0
        where none follow it, or no number does."""
        words = CIRCUMSTANCES_BEHIND.match(self.tokens, skip_blanks(self.tokens, place + 1))
        if words is None or not _is_place(self.tokens[place].text):
            return 0
        return words[0] if self.has_digits(words[0], last) else 0

    def spell_family(self, formulas: Sequence[int], last: int) -> str:
        """Return a formula with the letters in it that may be any numbers, as `$cx+d$ for arbitrary real
        $c, d$` or `$ax+b$, where $a$ and $b$ are constants`; "" where the last ones are no such letters."""
        begin = len(formulas)
        letters: list[str] = []
        while begin and (names := _read_letters(self.tokens[formulas[begin - 1]].text))[0]:
            begin -= 1
            letters[:0] = names[0]
            if names[1] and formulas[begin] != formulas[-1]:
                return ""
        if not 0 < begin < len(formulas):
            return ""
        main, named = formulas[begin - 1], formulas[begin]
        domain = _read_letters(self.tokens[formulas[-1]].text)[1]
        end = self.trim(named, self.find_sentence_end(formulas[-1] + 1, last, ".!?;"))[1]
        one_sentence = self.find_sentence_end(main + 1, named, ".!?;") == named
        leads, around = self.tokens[main + 1 : named], self.tokens[main + 1 : end]
        if not one_sentence or is_subject(letters, self.tokens[main].text):
            return ""
        if not frees_letters(leads, around, has_set=bool(domain)):
            return ""
        return self.tokens[main].text + spell_freed(letters, domain)

    def spell_range_behind(self, formulas: Sequence[int], last: int) -> str:
        """Return formulas with the range of a letter in them that the text behind them names; "" for
        others."""
        letters = len(formulas)
        while letters > 1 and _is_name(self.tokens[formulas[letters - 1]].text):
            letters -= 1
        is_range = letters == len(formulas) > 1 and _is_integer_range(self.tokens[formulas[-1]].text)
        letters -= is_range
        before = list(formulas[:letters])
        name = self.tokens[formulas[-1]].text.strip()[:1]
        if is_range and not (
            name in self.tokens[before[-1]].text and self.leads_to_range(before[-1] + 1, formulas[-1])
        ):
            return ""
        chosen = [before.pop()]
        while before and is_list_separator(self.tokens[before[-1] + 1 : chosen[0]]):
            chosen.insert(0, before.pop())
        between = [self.tokens[one + 1 : other] for one, other in pairwise(chosen)]
        said = join_answers([self.tokens[at].text.rstrip(" ,") for at in chosen], between)
        if is_range:
            return f"{said}, {self.tokens[formulas[-1]].text}"
        end = self.find_sentence_end(formulas[-1] + 1, last, ".!?")
        words = "".join(token.text for token in self.tokens[chosen[-1] + 1 : end])
        spelled = spell_ranges(said + words)
        return spelled if spelled.startswith(said) and spelled != said + words else ""

    def spell_definition_behind(self, formulas: Sequence[int], last: int) -> str:
        """Return a formula with the definitions of its letters that follow it; "" for others."""
        for at in range(max(0, len(formulas) - MOST_LISTED), len(formulas) - 1):
            end = self.find_sentence_end(formulas[at] + 1, last, ".!?")
            sentence = "".join(token.text for token in self.tokens[formulas[at] : end])
            found = find_definition(sentence)
            if found is None or found[0] != self.tokens[formulas[at]].text.rstrip(" ,"):
                continue
            first = at
            while first and is_list_separator(self.tokens[formulas[first - 1] + 1 : formulas[first]]):
                first -= 1
            before = "".join(f"{self.tokens[one].text.rstrip(' ,')}, " for one in formulas[first:at])
            return before + spell_definition(sentence)
        return ""

    def leads_to_range(self, first: int, last: int) -> bool:
        """Return whether words between two tokens lead to the range of a letter, as `, where`."""
        signs = [token for token in self.tokens[first:last] if not is_blank(token)]
        said = [token for token in signs if token.text not in ",("]
        return (bool(said) or any(token.text == "(" for token in signs)) and all(
            CONNECTIVES.get(token.text.lower()) == "if" for token in said
        )

    def spell_formulas(self, chosen: Sequence[int], first: int, last: int, announced: bool) -> str:
        """Return formulas with what joins or limits them, and with the unit behind a single one."""
        end = chosen[-1] + 1
        said = [self.tokens[at].text for at in chosen]
        limit, further = self.match_limit_before(chosen[0], first), self.match_limit_after(end, last)
        if limit is not None:
            said[0] = f"\\text{{{self.spell(limit, chosen[0])}}} {said[0]}"
        if end < last:
            permuted = find_permutations(self.tokens, chosen[-1], self.find_sentence_end(end, last, ".!?"))
            said[-1] += "" if permuted is None or not permuted[1] else rf" \text{{ {permuted[1]}}}"
        for index, at in enumerate(chosen):
            if follows_permutations(self.tokens, at):
                said[index] = spell_permutations(said[index]) or said[index]
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
            is_unit = bool(behind) and match_unit(self.tokens[:stop], start) == stop
            if is_unit or (behind and few and plain and alone and not self.match_copula(start, stop)):
                return f"{said[0]} \\text{{ {self.spell(start, stop)}}}"
        return joined

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


_INTEGERS = (r"\mathbb{Z}", r"\mathbb Z", r"\mathbbZ", r"\Z", "ℤ", r"\mathbf{Z}")


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


def _is_integer_range(formula: str) -> bool:
    r"""Return whether a formula says that letters are integers, as `k \in \mathbb{Z}` or `k = 0, 1, 2`."""
    tokens = [token for token in tokenize(formula) if not is_blank(token)]
    said = [token.text for token in tokens]
    if said[1:2] == ["="] and len(said) > 4 and {*said[3::2]} == {","}:
        return len(said[0]) == 1 and all(token.kind == "digits" for token in tokens[2::2])
    return (
        len(said) > 2
        and "\\in" in said
        and said[-1] in ("ℤ", "Z", "}")
        and "Z" in said[-2:] + ["Z"] * ("ℤ" in said)
    )


def _is_place(formula: str) -> bool:
    """Return whether a formula says where something is, as `x = 2`, `(1, 2)` or `a = b = 1`."""
    *names, value = formula.strip().split("=")
    said = [token.text for token in tokenize(value.strip())]
    pair = bool(said) and said[0] == "(" and said[-1] == ")"
    return (bool(names) or pair) and all(_is_name(name) or name.strip()[:1] == "(" for name in names)


_OF = ("of", "von", "des", "der", "de", "du", "di", "del", "функции")
_OPENING = ("(", "（")
_BEFORE_PLACES = (*_OPENING, ",", "，", "、", "which", "is", "it", "and", "that")
"""Signs and words between an extreme value and those for where it is taken."""


def _read_letters(formula: str) -> tuple[list[str], str]:
    r"""Return the letters that a formula lists, and the set of which it says that they are: `a, b \in S`;
    no letters for other formulas."""
    names, _, domain = formula.replace("∈", "\\in").partition("\\in")
    letters = [name.strip() for name in names.split(",")]
    if not all(_is_name(name) and "(" not in name for name in letters):
        return [], ""
    return letters, domain.strip()


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
