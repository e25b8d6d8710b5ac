"""Write the words between formulas, in the languages of answers, as words and signs that the reader knows.

`x vaut 3 et y vaut 2` is written `x = 3 and y = 2`, `alle reellen x ≤ 5 außer 2` is `x ≤ 5 and x ≠ 2`, and
`12 litros y medio` is `12.5 litros`. Nothing is decided but the wording, so that one grammar reads all.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from engines.formula.vocabulary import NAMES_IN_TEXT
from engines.grading.plain_sets import write_set_words
from engines.grading.sentence_quantities import match_figures
from engines.grading.tokens import (
    AnswerToken,
    is_blank,
    join_formulas,
    skip_blanks,
    text_at,
    tokenize,
)
from engines.grading.translated_vocabulary import (
    ALTERNATIVES,
    ANDS,
    BOUND_JOINS,
    BOUNDS,
    CONFIRMATIONS,
    CONSISTING,
    CONSTANTS,
    CONVERGENCES,
    COORDINATES,
    COPULAS,
    DEGREES,
    EQUALITIES,
    EVERY,
    EXCEPT,
    EXCLUDED,
    FACTORIALS,
    FIRST_ALTERNATIVES,
    FURTHER_PLACES,
    HALVES,
    MEMBER_VERBS,
    MEMBERS,
    MULTIPLES,
    ONES,
    OPEN_BOUNDS,
    OPERATORS,
    OPPOSITES,
    OWNERSHIPS,
    PARITIES_SAID,
    PLACES,
    POWERS,
    PREFIXES,
    RELATIONS,
    REMARKS,
    SCALES,
    SECOND_ALTERNATIVES,
    SETS_OF_LETTERS,
    SIGNS,
    SUCH_THAT,
    SUMS,
    TOPIC_MARKS,
    TOPICS,
)
from engines.grading.unit_reader import names_unit
from engines.language.numerals import find_numerals, read_numeral

_FIRST_FOREIGN = "\u0400"
"""The first letter of the scripts whose letters name no variables."""
_LONGEST, _MOST_TOKENS = 800, 160
"""Characters and tokens of a text that is no solution."""
_SHORT_PARTS = 12
"""Parts of an answer that no sentence stands before."""
_BOUND_SIGNS = ("<", ">", "≤", "≥")
_VECTOR_STARTS = ("(", "[", "\\begin")
_CONTINUATIONS = ("-", "−", "–", "+", "√", "π", "(", "{", "[", "$", "\\", "∞")


def translate_words(text: str) -> str:
    """Return a text in which words between formulas are those that the reader knows, or signs.

    >>> translate_words("x vaut 3 et y vaut −2"), translate_words("alle reellen x ≤ 5 außer 2")
    ('x = 3 and y = −2', 'x ≤ 5 and x ≠ 2')
    >>> translate_words("x no menor que 2"), translate_words("7 litros y medio")
    ('x ≥ 2', '7.5 litros')
    """
    tokens = tokenize(text) if len(text) <= _LONGEST else ()
    is_worded = any(token.kind == "word" or token.text == "|" for token in tokens)
    if not is_worded or len(tokens) > _MOST_TOKENS:
        return text
    text = _write_halves(write_set_words(text))
    return _Translator(text).write_text()


def _write_halves(text: str) -> str:
    """Return a text with a number that words add a half to as one in digits: `7 litros y medio`."""
    tokens = tokenize(text)
    if not HALVES.may_occur(tokens):
        return text
    for begin, end, _ in reversed(list(HALVES.find_all(tokens, 0, len(tokens)))):
        before = begin
        while before and is_blank(tokens[before - 1]):
            before -= 1
        counted = _find_counted(tokens, before)
        start = counted if counted < before else before
        while start and is_blank(tokens[start - 1]):
            start -= 1
        value, first = _read_number_before(text, tokens, start, alone=counted == before)
        if value is None:
            continue
        noun = text[tokens[counted].start : tokens[before - 1].end] if counted < before else ""
        written = str(float(value + Fraction(1, 2))) + (f" {noun}" if noun else "")
        text = text[: tokens[first].start] + written + text[tokens[end - 1].end :]
        tokens = tokenize(text)
    return text


def _find_counted(tokens: Sequence[AnswerToken], end: int) -> int:
    """Return where the word for what is counted begins before a token; the token itself without one."""
    word = tokens[end - 1] if end else None
    if word is None or word.kind != "word" or read_numeral(word.text) is not None:
        return end
    return end - 1 if names_unit(word.text) else end


def _read_number_before(
    text: str, tokens: Sequence[AnswerToken], end: int, *, alone: bool
) -> tuple[Fraction | None, int]:
    """Return the integer that ends before a token, in digits or words, and where it begins."""
    if not end:
        return None, 0
    last = tokens[end - 1]
    if last.kind == "digits":
        is_decimal = text_at(tokens, end - 2) in (".", ",", "/")
        return (None, 0) if is_decimal else (Fraction(last.text), end - 1)
    if last.text.lower() in ONES and not alone:
        return Fraction(1), end - 1
    for start, stop in find_numerals(text[: last.end]):
        if (
            stop == last.end
            and (value := read_numeral(text[start:stop])) is not None
            and value.denominator == 1
        ):
            return value, next(at for at, token in enumerate(tokens) if token.start >= start)
    return None, 0


class _Translator:
    """Writes the tokens of a text, formulas as they are and the words between them as the reader has them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = join_formulas(text, tokenize(text))
        self.at = 0
        self.result: list[str] = []
        self.subject = self.find_subject()
        self.has_bounds = False

    def find_subject(self) -> str:
        """Return the first letter that a relation or words for one stand behind; "x" without one."""
        for at, token in enumerate(self.tokens):
            if token.kind == "word" and len(token.text) == 1:
                behind = skip_blanks(self.tokens, at + 1)
                sign = text_at(self.tokens, behind)
                if sign in tuple("<>≤≥≠=") or RELATIONS.match(self.tokens, behind) is not None:
                    return token.text
        return "x"

    def write_text(self) -> str:
        """Return the text with its words translated."""
        first = skip_blanks(self.tokens, 0)
        self.skip_first_alternative(first)
        if not self.at:
            self.skip_every(first)
        if not self.at and not self.result:
            self.skip_owner(first)
        if not self.at and not self.result:
            self.skip_multiples(first)
        for write_beginning in (self.write_point, self.write_members, self.skip_place):
            if not self.at and not self.result:
                write_beginning(first)
        while self.at < len(self.tokens):
            if not (
                self.write_constant()
                or self.write_relation()
                or self.write_bounds()
                or self.write_join()
                or self.write_degrees()
                or self.write_factorial()
                or self.spell_sign()
                or self.write_exception()
                or self.write_fraction()
                or self.write_sum()
                or self.write_membership()
                or self.write_parity()
                or self.write_further_place()
                or self.write_coordinate()
                or self.write_operator()
                or self.write_prefix()
                or self.write_power()
                or self.write_opposite()
                or self.skip_confirmation()
            ):
                token = self.tokens[self.at]
                self.write(self.text[token.start : token.end], self.at + 1)
        return "".join(self.result).strip()

    def write(self, text: str, end: int) -> None:
        """Write a text in the place of the tokens up to an index."""
        self.result.append(text)
        self.at = end

    def get_last(self) -> str:
        """Return the last part that is written and no space; "" without one."""
        return next((part for part in reversed(self.result) if part.strip()), "")

    def drop_spaces(self) -> None:
        while self.result and not self.result[-1].strip():
            self.result.pop()

    def begins_value(self, at: int) -> bool:
        """Return whether a value begins at a token: a number, sign, letter or formula."""
        if at >= len(self.tokens):
            return False
        token = self.tokens[at]
        if token.kind in ("digits", "formula", "command") or token.text in _CONTINUATIONS:
            return True
        return token.kind == "word" and len(token.text) == 1 and token.text.isascii()

    def begins_equation(self, at: int) -> bool:
        """Return whether a name begins at a token with a relation or words for one behind it."""
        if at >= len(self.tokens):
            return False
        token = self.tokens[at]
        if token.kind == "formula":
            return "=" in token.text
        if token.kind != "word" or len(token.text) > 1:
            return False
        behind = self.skip_name(at)
        sign = text_at(self.tokens, behind)
        return sign in tuple("<>≤≥≠=∈") or any(
            table.match(self.tokens, behind) is not None for table in (EQUALITIES, RELATIONS)
        )

    def skip_name(self, at: int) -> int:
        """Return the index behind a letter, its primes and its index, and white space."""
        at += 1
        while at < len(self.tokens) and (
            self.tokens[at].text in ("'", "′") or self.tokens[at].text[0] in "₀₁₂₃₄₅₆₇₈₉"
        ):
            at += 1
        return skip_blanks(self.tokens, at)

    def write_relation(self) -> bool:
        """Write words for a relation before a value as its sign."""
        relation = RELATIONS.match(self.tokens, self.at)
        # Behind a number `less than` takes it from what follows: 3 less than 10.
        is_difference = self.get_last()[-1:].isdigit()
        is_relation = relation is not None and self.begins_value(skip_blanks(self.tokens, relation[0]))
        if relation is not None and is_relation and not is_difference:
            self.write(relation[1], relation[0])
            return True
        equality = EQUALITIES.match(self.tokens, self.at)
        if equality is None or not self.stands_behind_name():
            return self.write_copula()
        behind = skip_blanks(self.tokens, equality[0])
        if not self.begins_value(behind) or self.begins_equation(behind):
            return False
        self.write("=", equality[0])
        return True

    def write_copula(self) -> bool:
        """Write a verb between words and a value as that of English."""
        copula = COPULAS.match(self.tokens, self.at)
        if copula is None or not self.begins_value(skip_blanks(self.tokens, copula[0])):
            return False
        self.write(copula[1], copula[0])
        return True

    def write_bounds(self) -> bool:
        """Write words before two bounds, what joins these, and what is said of them behind, in English."""
        bounds = BOUNDS.match(self.tokens, self.at)
        if bounds is not None and self.begins_value(skip_blanks(self.tokens, bounds[0])):
            self.write(bounds[1], bounds[0])
            self.has_bounds = True
            return True
        following = skip_blanks(self.tokens, self.at + 1)
        if self.has_bounds and self.tokens[self.at].text in BOUND_JOINS and self.begins_value(following):
            self.write("to", self.at + 1)
            return True
        remark = REMARKS.match(self.tokens, self.at) if self.has_bounds else None
        if remark is None or skip_blanks(self.tokens, remark[0]) < len(self.tokens) - 1:
            return False
        while self.result and self.result[-1].strip() in ("", ",", "("):
            self.result.pop()
        self.write(f" {remark[1]}", len(self.tokens))
        return True

    def stands_behind_name(self) -> bool:
        """Return whether a letter, as of a variable, stands right before here, and no other word with it."""
        before = self.at - 1
        while before >= 0 and is_blank(self.tokens[before]):
            before -= 1
        while before > 0 and (
            self.tokens[before].text in ("'", "′") or self.tokens[before].text[0] in "₀₁₂₃₄₅₆₇₈₉"
        ):
            before -= 1
        if before > 2 and self.tokens[before].text == ")" and self.tokens[before - 2].text == "(":
            before -= 3  # f(x) is
        token = self.tokens[before] if before >= 0 else None
        if token is None or token.kind != "word" or len(token.text) > 1 or not token.text.isalpha():
            return False
        return token.text < _FIRST_FOREIGN and not text_at(self.tokens, before - 1)[-1:].isalnum()

    def write_join(self) -> bool:
        """Write a connective of another language between two formulas as `and` or `or`."""
        token = self.tokens[self.at]
        if token.kind != "word":
            return False
        alternative = ALTERNATIVES.match(self.tokens, self.at)
        if alternative is not None:
            behind = skip_blanks(self.tokens, alternative[0])
            if self.begins_equation(behind) or self.begins_value(behind):
                self.write("or", alternative[0])
                return True
        label = ANDS.get(token.text)
        before, behind = text_at(self.tokens, self.at - 1), self.at + 1
        spaced = (not before.strip() and text_at(self.tokens, behind)[:1].isspace()) or token.text >= "\u3040"
        behind = skip_blanks(self.tokens, behind)
        if label is None or not spaced:
            return False
        last = self.get_last()
        # In `3x - y + 1` the letter is a term.
        follows = last[-1:] not in tuple("+-−*/·^(") and (
            last[-1:].isdigit() or last[-1:] in tuple(")]}π°%,;!") or len(last) == 1 or self.is_formula_end()
        )
        # Behind a value `y es 2` is said of y only where a sign follows.
        sign = text_at(self.tokens, behind) in tuple("<>≤≥≠=∈")
        is_name = token.text in ("e", "y") and self.begins_equation(self.at) and (sign or not follows)
        if (
            is_name
            or not follows
            or not (self.begins_equation(behind) or self.begins_value(behind) or self.relates(behind))
        ):
            return False
        self.write(f" {label} " if token.text >= "\u3040" else label, self.at + 1)
        return True

    def relates(self, at: int) -> bool:
        relation = RELATIONS.match(self.tokens, at)
        return relation is not None and self.begins_value(skip_blanks(self.tokens, relation[0]))

    def is_formula_end(self) -> bool:
        before = self.at - 1
        while before > 0 and is_blank(self.tokens[before]):
            before -= 1
        return before >= 0 and self.tokens[before].kind == "formula"

    def spell_sign(self) -> bool:
        """Write words for a sign between or before values, as `plus or minus` and `the square root of`."""
        sign = SIGNS.match(self.tokens, self.at)
        if sign is None:
            return self.write_open_bound()
        behind = skip_blanks(self.tokens, sign[0])
        if not self.begins_value(behind) and SIGNS.match(self.tokens, behind) is None:
            return False
        if self.tokens[behind].kind == "formula":
            if sign[1] != "√":
                return False
            self.write(f"$\\sqrt{{{self.tokens[behind].text}}}$", behind + 1)
        else:
            self.write(sign[1], behind)
        return True

    def write_open_bound(self) -> bool:
        """Write a number with `or more` behind it as a bound: `x is 3 or more`."""
        end = match_figures(self.tokens, self.at, len(self.tokens))
        bound = OPEN_BOUNDS.match(self.tokens, skip_blanks(self.tokens, end)) if end else None
        if bound is None or self.begins_value(skip_blanks(self.tokens, bound[0])):
            return False
        minus = ""
        while self.result and (self.result[-1].strip() in ("", "=", "is") or self.result[-1] in ("-", "−")):
            minus = self.result[-1] if self.result[-1].strip() in ("-", "−") else minus
            self.result.pop()
        figures = self.text[self.tokens[self.at].start : self.tokens[end - 1].end]
        self.write(f" {bound[1]} {minus}{figures}", bound[0])
        return True

    def write_degrees(self) -> bool:
        """Write the word for degrees behind a number as its sign, but for those of temperature."""
        degrees = DEGREES.match(self.tokens, self.at)
        if degrees is None or SCALES.match(self.tokens, skip_blanks(self.tokens, degrees[0])) is not None:
            return False
        before = self.at - 1
        while before > 0 and is_blank(self.tokens[before]):
            before -= 1
        if before < 0 or self.tokens[before].kind != "digits":
            return False
        self.drop_spaces()
        self.write("°", degrees[0])
        return True

    def write_factorial(self) -> bool:
        """Write the word for a factorial behind a number as its sign: `6 factorial`."""
        words = FACTORIALS.match(self.tokens, self.at)
        last = self.get_last()
        if words is None or not last.isdecimal():
            return False
        self.drop_spaces()
        self.write("!", words[0])
        return True

    def write_fraction(self) -> bool:
        """Write a fraction in figures with a space and a letter behind it in brackets: `1/4 cos(2x)`."""
        part = self.tokens[self.at : self.at + 4]
        behind = self.at + 4
        if [token.kind for token in part] != ["digits", "sign", "digits", "space"] or part[1].text != "/":
            return False
        before = text_at(self.tokens, self.at - 1)
        is_factor = behind < len(self.tokens) and (
            self.tokens[behind].text in NAMES_IN_TEXT
            or self.tokens[behind].text == "√"
            or (len(self.tokens[behind].text) == 1 and self.tokens[behind].text in "xyztnπ")
        )
        if not is_factor or before[-1:].isalnum() or before in ("/", ".", ",", "^"):
            return False
        self.write(f"({part[0].text}/{part[2].text}) ", behind)
        return True

    def write_membership(self) -> bool:
        """Write the letter of a set of numbers behind a sign of membership as its sign: `n ∈ Z`."""
        following = text_at(self.tokens, self.at + 1)
        ends = not following[:1].isalnum() and following != "_"
        letter = SETS_OF_LETTERS.get(self.tokens[self.at].text)
        if letter is None or self.get_last() not in ("∈", "∉") or not ends:
            return False
        self.write(letter, self.at + 1)
        return True

    def write_parity(self) -> bool:
        """Write what denies that a number is even or odd as the other, and a verb behind a name: `n² odd`."""
        parity = PARITIES_SAID.match(self.tokens, self.at)
        behind = self.begins_value(self.at - 1) or self.is_formula_end()
        base = text_at(self.tokens, self.at - 2)
        raised = base[-1:] in ("²", "³") or base.isdecimal()
        if parity is None or not (self.stands_behind_name() or raised or behind):
            return False
        self.write(f"is {parity[1]}", parity[0])
        return True

    def write_coordinate(self) -> bool:
        """Write the word for a coordinate before its value as its name: `x-coordinate 3`."""
        coordinate = COORDINATES.match(self.tokens, self.at)
        if coordinate is None or not self.begins_value(skip_blanks(self.tokens, coordinate[0])):
            return False
        self.write(f"{coordinate[1]} = ", skip_blanks(self.tokens, coordinate[0]))
        return True

    def write_operator(self) -> bool:
        """Write words for an operator between two values as its sign: `2 times the square root of 3`."""
        operator = OPERATORS.match(self.tokens, self.at)
        last = self.get_last()
        is_behind = last[-1:].isdigit() or last[-1:] in tuple(")π") or (len(last) == 1 and last.isalpha())
        if operator is None or not (is_behind or self.is_formula_end()):
            return False
        behind = skip_blanks(self.tokens, operator[0])
        if not self.begins_value(behind) and SIGNS.match(self.tokens, behind) is None:
            return False
        self.write(operator[1], operator[0])
        return True

    def write_prefix(self) -> bool:
        """Write words that multiply what stands behind them as a factor: `half of n(n+1)`."""
        factor = PREFIXES.match(self.tokens, self.at)
        behind = len(self.tokens) if factor is None else skip_blanks(self.tokens, factor[0])
        if factor is None or not self.begins_value(behind) or self.tokens[behind].kind == "formula":
            return False
        self.write(factor[1], skip_blanks(self.tokens, factor[0]))
        return True

    def write_power(self) -> bool:
        """Write words before an exponent as its sign: `x elevado a siete sextos`."""
        power = POWERS.match(self.tokens, self.at)
        last = self.get_last()
        is_base = last[-1:].isdigit() or last[-1:] == ")" or (len(last) == 1 and last.isalpha())
        behind = len(self.tokens) if power is None else skip_blanks(self.tokens, power[0])
        if power is None or not is_base or behind >= len(self.tokens):
            return False
        exponent = self.text[self.tokens[behind].start :].rstrip(" .")
        value = read_numeral(exponent)
        figures = all(char.isdigit() or char in "/-−" for char in exponent)
        if value is None and not figures:
            return False
        self.drop_spaces()
        self.write(f"^({exponent if value is None else value})", len(self.tokens))
        return True

    def write_opposite(self) -> bool:
        """Write words that add the opposite of a value as a sign before it: `(1, 2) and its opposite`."""
        opposite = OPPOSITES.match(self.tokens, self.at)
        rest = "" if opposite is None else "".join(token.text for token in self.tokens[opposite[0] :])
        said = "".join(self.result).strip()
        name, _, value = said.rpartition("=")
        words = any(token.kind == "word" and len(token.text) > 1 for token in tokenize(value))
        value = value.strip()
        if opposite is None or rest.strip(" .") or words or not value or value[0] in "-−±":
            return False
        if "," in value and not (value[0] == "(" and value[-1] == ")"):
            return False
        signed = value if value[0] == "(" and value[-1] == ")" else f"({value})"
        self.result = [f"{name}= ±{signed}" if name else f"±{signed}"]
        self.at = len(self.tokens)
        return True

    def write_constant(self) -> bool:
        """Write words for a constant at the end of a formula as its letter."""
        constant = CONSTANTS.match(self.tokens, self.at)
        if constant is None or constant[0] < len(self.tokens) - 1 or not self.result:
            return False
        self.write("+ C", len(self.tokens))
        return True

    def skip_confirmation(self) -> bool:
        """Skip words at the end that say that what stands before them is the answer."""
        words = CONFIRMATIONS.match(self.tokens, self.at)
        if words is None or words[0] < len(self.tokens) - 1 or len(self.result) > _SHORT_PARTS:
            return False
        self.at = len(self.tokens)
        return True

    def write_members(self, first: int) -> None:
        """Write what holds of the members of a set in signs: `everything that is in neither A nor B`."""
        members = MEMBERS.match(self.tokens, first)
        at = first if members is None else skip_blanks(self.tokens, members[0])
        verb = MEMBER_VERBS.match(self.tokens, at)
        said = [token.text for token in self.tokens[at if verb is None else verb[0] :] if not is_blank(token)]
        said = [word for word in said if word not in (".", ",", "$", "to", "the", "set", "sets")]
        if members is None or not said or said[0] not in ("in", "neither", "both", "not"):
            return
        said = [word for word in said if word != "in"]
        if len(said) != 4:
            return
        joins = said[0::2]
        names, signs = said[1::2], ("∈", "∈")
        if joins == ["neither", "nor"]:
            signs = "∉", "∉"
        elif said[1:3] == ["but", "not"]:
            names, signs = said[0::3], ("∈", "∉")
        elif joins != ["both", "and"]:
            return
        if all(len(name) == 1 and name.isupper() for name in names):
            parts = [f"x {sign} {name}" for name, sign in zip(names, signs, strict=True)]
            self.write(" and ".join(parts), len(self.tokens))

    def skip_place(self, first: int) -> None:
        """Skip a preposition before a value that is all of the answer: `at x = 2`, `in 2030`."""
        place = PLACES.match(self.tokens, first)
        behind = len(self.tokens) if place is None else skip_blanks(self.tokens, place[0])
        confirmed = next(CONFIRMATIONS.find_all(self.tokens, behind, len(self.tokens)), (len(self.tokens),))[
            0
        ]
        words = any(token.kind == "word" and len(token.text) > 1 for token in self.tokens[behind:confirmed])
        if not words and (self.begins_equation(behind) or self.begins_value(behind)):
            self.at = behind

    def write_further_place(self) -> bool:
        """Write a place that words add to a condition as another one: `|x| < 1 and also at x = −1`."""
        further = FURTHER_PLACES.match(self.tokens, self.at)
        said = "".join(self.result)
        if further is None or not any(sign in said for sign in "<>≤≥=∈"):
            return False
        behind = skip_blanks(self.tokens, further[0])
        if not self.begins_equation(behind):
            return False
        self.write("or", further[0])
        return True

    def write_sum(self) -> bool:
        """Write what says the sum of a series that converges as what it converges to."""
        at = self.at
        while text_at(self.tokens, at) in (",", ";", ".", ":") or (
            at < len(self.tokens) and is_blank(self.tokens[at])
        ):
            at += 1
        said = SUMS.match(self.tokens, at)
        last = self.get_last()
        behind = len(self.tokens) if said is None else skip_blanks(self.tokens, said[0])
        if last.lower() not in CONVERGENCES or behind >= len(self.tokens) or not self.begins_value(behind):
            return False
        self.write(" to ", behind)
        return True

    def skip_multiples(self, first: int) -> None:
        """Write all multiples of a vector as it with a factor."""
        if (lead := CONSISTING.match(self.tokens, first)) is not None:
            first = skip_blanks(self.tokens, lead[0])
        multiples = MULTIPLES.match(self.tokens, first)
        if (
            multiples is None
            or text_at(self.tokens, skip_blanks(self.tokens, multiples[0])) not in _VECTOR_STARTS
        ):
            return
        behind = skip_blanks(self.tokens, multiples[0])
        vector = self.text[self.tokens[behind].start :].strip(" .")
        if self.tokens[behind].kind == "formula":
            vector = self.tokens[behind].text
        self.write(f"t{vector}, t ≠ 0" if multiples[1] else f"t{vector}, t ∈ ℝ", len(self.tokens))

    def write_exception(self) -> bool:
        """Write what is excluded behind a condition as another one: `x ≤ 5 except 2`."""
        said = "".join(self.result)
        if (value := self.find_excluded()) and any(sign in said for sign in _BOUND_SIGNS):
            self.drop_joins()
            self.write(f" and {self.subject} ≠ {value[0]}", value[1])
            return True
        words = EXCEPT.match(self.tokens, self.at)
        if words is None or not any(sign in said for sign in "<>≤≥") or "=" in said:
            return False
        behind = skip_blanks(self.tokens, words[0])
        if self.begins_equation(behind):
            behind = skip_blanks(self.tokens, self.skip_name(behind) + 1)
        if behind >= len(self.tokens) or not self.begins_value(behind):
            return False
        joined = "" if said.rstrip().endswith("and") else "and "
        self.write(f"{joined}{self.subject} ≠ ", behind)
        while self.at < len(self.tokens):
            join = self.tokens[self.at].text
            following = skip_blanks(self.tokens, self.at + 1)
            if join in (",", "and", *ANDS) and self.begins_value(following):
                if self.begins_equation(following):
                    following = skip_blanks(self.tokens, self.skip_name(following) + 1)
                self.drop_spaces()
                self.write(f" and {self.subject} ≠ ", following)
            else:
                self.write(self.text[self.tokens[self.at].start : self.tokens[self.at].end], self.at + 1)
        return True

    def find_excluded(self) -> tuple[str, int] | None:
        """Return the value here behind which it is said to be excluded, as `x = 3 is excluded`, and the index
        behind that; None for others."""
        at = self.at
        if self.begins_equation(at) and self.tokens[at].kind == "word":
            at = self.skip_name(at)
            at = skip_blanks(self.tokens, at + 1) if text_at(self.tokens, at) == "=" else self.at
        end = match_figures(self.tokens, at, len(self.tokens)) if at < len(self.tokens) else 0
        words = EXCLUDED.match(self.tokens, skip_blanks(self.tokens, end)) if end else None
        if words is None:
            return None
        return self.text[self.tokens[at].start : self.tokens[end - 1].end], words[0]

    def drop_joins(self) -> None:
        """Drop what joins the next part to what is written."""
        while self.result and self.result[-1].strip() in ("", ",", "and", "with", "but", ";"):
            self.result.pop()

    def skip_first_alternative(self, first: int) -> None:
        """Skip `either` before the first of two answers, and write what leads to the second as `or`."""
        opening = FIRST_ALTERNATIVES.match(self.tokens, first)
        if opening is None:
            return
        begin = skip_blanks(self.tokens, opening[0])
        if not self.begins_equation(begin) and not self.begins_value(begin):
            return
        for at in range(begin, len(self.tokens)):
            second = SECOND_ALTERNATIVES.match(self.tokens, at)
            if second is None:
                continue
            behind = skip_blanks(self.tokens, second[0])
            if self.begins_equation(behind) or self.begins_value(behind):
                inside = _Translator(
                    self.text[self.tokens[begin].start : self.tokens[at].start].rstrip(" ,;")
                )
                rest = _Translator(self.text[self.tokens[behind].start :])
                self.write(f"{inside.write_text()} or {rest.write_text()}", len(self.tokens))
                return

    def skip_owner(self, first: int) -> None:
        """Skip the name of a point or a topic before what is said of it: `A' has x = 1`, 解は x = 1 です."""
        at = first
        while at < len(self.tokens) and self.tokens[at].kind == "word" and self.tokens[at].text >= "\u3040":
            at += 1
        topic = "".join(token.text for token in self.tokens[first : at - 1])
        if at > first and self.tokens[at - 1].text in TOPIC_MARKS and topic in TOPICS:
            behind = skip_blanks(self.tokens, at)
            self.at = behind if self.begins_equation(behind) or self.begins_value(behind) else self.at
            return
        named = (
            first < len(self.tokens)
            and len(self.tokens[first].text) == 1
            and self.tokens[first].text.isupper()
        )
        owns = OWNERSHIPS.match(self.tokens, self.skip_name(first)) if named else None
        behind = len(self.tokens) if owns is None else skip_blanks(self.tokens, owns[0])
        if self.begins_equation(behind):
            self.at = behind

    def write_point(self, first: int) -> None:
        """Write a point with its name, or a bar between its coordinates, as a tuple: `S(2|−3)`, `A(2; 3)`."""
        named = (
            first < len(self.tokens)
            and len(self.tokens[first].text) == 1
            and self.tokens[first].text.isupper()
        )
        opening = first + named
        if text_at(self.tokens, opening) != "(":
            return
        closing = next((at for at in range(opening, len(self.tokens)) if self.tokens[at].text == ")"), 0)
        inside = self.tokens[opening + 1 : closing]
        marks = [token.text for token in inside if token.text in ("|", ";")]
        # Between letters the bar is that of a probability.
        plain = not any(token.kind == "word" for token in inside)
        if not marks or len({*marks}) > 1 or not plain or not (named or marks[0] == "|"):
            return
        said = ", ".join("".join(token.text for token in inside).split(marks[0]))
        self.write(f"({said})", closing + 1)

    def skip_every(self, first: int) -> None:
        """Skip words such as `all reals` before a letter or a relation of which something holds."""
        every = EVERY.match(self.tokens, first)
        if every is None:
            return
        behind = skip_blanks(self.tokens, every[0])
        named = (
            behind < len(self.tokens)
            and self.tokens[behind].kind == "word"
            and len(self.tokens[behind].text) == 1
        )
        after = self.skip_name(behind) if named else behind
        such = SUCH_THAT.match(self.tokens, after if text_at(self.tokens, after) != "," else after + 1)
        if such is not None:
            after = skip_blanks(self.tokens, such[0])
            is_bounded = self.begins_value(after) and any(token.text in _BOUND_SIGNS for token in self.tokens)
            if self.begins_equation(after) or is_bounded:
                self.subject = self.tokens[after].text if self.tokens[after].kind == "word" else self.subject
                self.at = after
                return
        excluded = EXCEPT.match(self.tokens, after)
        if named:
            self.subject = self.tokens[behind].text
        if named and excluded is not None:
            value = skip_blanks(self.tokens, excluded[0])
            if self.begins_equation(value):
                value = skip_blanks(self.tokens, self.skip_name(value) + 1)
            self.write(f"{self.subject} ≠ ", value)
        elif self.relates_or_bounds(after):
            self.write(f"{self.subject} ", after)

    def relates_or_bounds(self, at: int) -> bool:
        sign = text_at(self.tokens, at)
        return sign in tuple("<>≤≥≠") or self.relates(at) or BOUNDS.match(self.tokens, at) is not None
