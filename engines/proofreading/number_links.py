"""Links between numbers: rounded, with units or degrees, or wrong; and how else they may be meant."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from engines.core.errors import EngineError
from engines.core.tree import ZERO, Tree
from engines.formula.meaning import Reading
from engines.formula.unit_table import find_unit
from engines.mathematics.algebra.rational import number_tree
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.mathematics.judging.numbers import separate_units
from engines.mathematics.judging.shapes import evaluate_matrices, is_column, shape_of
from engines.mathematics.judging.verdicts import Verdict
from engines.proofreading.bounds import MINUS_ONE
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import has_last_word, last_sentence, mentions, read_last_cue, words_of
from engines.proofreading.divergent_integrals import describe_divergence
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.signed_values import apart_in_any_sign
from engines.proofreading.slips import iterate_changes, iterate_retyped, points_of
from engines.proofreading.term_properties import (
    DECIMAL,
    DEGREES,
    OF_ANGLES,
    WHOLE,
    evaluate_complex,
    evaluate_term,
    expand_mixed_numbers,
    find_units,
    free_symbols,
    is_power_of_ten,
    join_mixed_numbers,
    remove_units,
    values_agree,
)

_CROSS = re.compile(r"\\times(?![A-Za-z])|×")
_MARKS = re.compile(r"\\[%$]|\\(?:text|mbox|textrm|mathrm)\s*\{[^{}]*\}(?:\^\{?\d\}?)?")
_RUN_ON = re.compile(r"\^\d{2,}")
SUPPOSED = "it is only supposed"
UNSOLVABLE = "nothing is calculated: it is an equation without solution"
_LETTERS = "e and i can be variables"
_NEAR_EXPONENT = 0.01
"""Relative error of an exponent up to which two powers count as about equal."""
_ROUGH_CONVERSION = 0.1
"""Relative error up to which a quantity in another unit can be a rounded one: 1 kg is about 2 lb."""
_CLOSE_CONVERSION, _MANY_DIGITS = 0.01, 3
"""The same where so many digits are written."""
_SIDES = 2
_SAME = 1e-9
_COMMA = "{,}"
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?![\d,]))")
"""The comma before the last three digits of a number, which can be that of its decimals."""
_CONVERTED = 1.5
"""Numbers that differ by less are not those of two units, as inches and feet are."""
_ROUNDED_ZEROS = 3
"""At the end of a whole number that is rounded."""
_LONG_WHOLE = 3
"""Digits of a whole number that is not rounded by more than a thousandth have more."""
_MISCOUNTED = 1.5
"""Units of its last digit by which a number differs that was rounded carelessly, or twice."""
_SEVERAL_DIGITS = 3
_ROUGH = 0.1
"""Share by which a short fraction can differ from what it is a rough value of."""
_TINY = 1e-7
"""Share by which numbers differ that are equal but for rounding."""
_RATIONAL = frozenset(("+", "-", "*", "/", "pow"))
_IRRATIONAL = frozenset(("sqrt", "root", "e", "exp", "pi", "ln", "log"))
_ROUNDED_OTHERWISE = "rounded otherwise"
_MANY_SHOWN = 5
"""Digits of a number that no other term has as its value by chance."""
_LONG = 5
"""Characters of a decimal number that is no other by chance."""
_PAIR = re.compile(r"\\div\s*\d+\s*(?:\\[a-z]|[a-z(])|\(\s*\d{1,3},\d{3}\s*\)|\A\(\d+\)\s|(?<![A-Za-z\\])e\(")
_MOST_ROUNDED = 0.01
"""Share by which rounding moves a bound."""
_LARGEST_ROOM = 0.002
"""What a number may differ by, as a share, since others were rounded before it was calculated."""
_APART = 1e-9
_SEEN = 1e-3
"""Share by which two numbers differ that nobody rounds to each other."""
_RANGES = ("interval", "union", "intersection", "without")
_COLLECTIONS = (*_RANGES, "such", "list", "set")


_CALCULATED = ("+", "-", "*", "sum", "integral")
"""Operations that a method calculates with."""
_ROUND_DECIMALS = 1
"""Decimals of a number that can be chosen and need not be rounded."""
_MOST_OFF = 0.5
"""Of a value, the difference of a rough estimate."""
_WORDS_BESIDE = 4
"""Words on either side of a formula that say how exact it is."""


@dataclass(frozen=True, slots=True)
class NumberLinks:
    """Judges links without variables.

    Attributes: read_formula, read_sides: how a formula, and the sides of a link, are read.
    """

    judge: Judge
    read_formula: Callable[[str], Reading]
    read_sides: Callable[[ChainLink], tuple[Reading, Reading]]

    def judge_numbers(self, link: ChainLink, left: Tree, right: Tree) -> LinkVerdict:
        """Return the verdict on a link between two numbers."""
        verdict = self.compare_by_relation(link.relation, left, right)
        if verdict.outcome == "equal":
            return LinkVerdict(link, "right", verdict.reason)
        if verdict.outcome == "equal if":
            return LinkVerdict(link, "right if", verdict.condition)
        if verdict.outcome == "undecided":
            if not link.of_problem and (reason := self._beside_units(link, left, right)):
                return LinkVerdict(link, "wrong", reason)
            claimed = link.relation == "=" and not (link.of_problem or link.is_denied_directly)
            if claimed and (reason := _describe_undefined(left, right)):
                return LinkVerdict(link, "wrong", reason)
            warned = mentions("diverging", f"{link.words_before} {link.words_after}")
            if claimed and not warned and (reason := _describe_divergence(left, right)):
                # Often a text shows so what goes wrong, and says it further on only.
                return LinkVerdict(link, "doubtful", reason)
            is_supposed = link.of_problem or link.is_denied_directly
            if link.relation == "approx" and not is_supposed and (slip := self._find_digit_slip(left, right)):
                return LinkVerdict(link, "wrong", f"it holds with {slip}")
            return LinkVerdict(link, "not shown", verdict.reason)
        is_rounding = link.relation in ("=", "approx")
        reason = self.describe_rounding(left, right, link.relation) if is_rounding else ""
        if reason and not _is_said_otherwise(link, reason):
            return LinkVerdict(link, "right", reason)
        converted = _convert_number(left, right) if find_units(left) != find_units(right) else None
        if converted and (reason := self.describe_rounding(*converted, link.relation)):
            return LinkVerdict(link, "right", reason)
        if link.relation in ("=", "approx") and self.are_rounded_in_parts(left, right):
            return LinkVerdict(link, "right", "each part is rounded")
        if self.are_equal_without_units(link):
            return LinkVerdict(link, "right", "units are left out on one side")
        sized = mentions("of size", f"{link.words_before} {link.words_after}")
        if sized and (_is_square_size(link.right, right, left) or _is_square_size(link.left, left, right)):
            return LinkVerdict(link, "right", "where × stands between the sides of a square")
        # "We would have 2e = 5 - 36 = 41" supposes what is calculated, and not what that gives.
        is_worked_out = link.index > 0 and bool(left.children) and not right.children
        is_denied = link.is_denied_directly and not (is_worked_out and link.is_hypothetical)
        if (
            link.of_problem
            or is_denied
            or self._is_one_of_several_claims(link)
            or (not link.index and has_last_word("conditional", link.words_before))
        ):
            supposed = f"{SUPPOSED}: {verdict.witness}"
            return LinkVerdict(link, "given" if link.of_problem else "not shown", supposed)
        # "But then 1 = 2" is what a false assumption leads to.
        plain = link.left.isdecimal() and link.right.isdecimal() and link.relation == "="
        absurd = plain and (read_last_cue(link.words_before) == "claimed" or link.connective == "so")
        bare = not (left.children or right.children)
        if not link.index and (absurd or (bare and ZERO in (left, right))):
            return LinkVerdict(link, "not shown", UNSOLVABLE)
        if left.label == "e" and self._is_mistyped(left, right):
            return LinkVerdict(link, "wrong", verdict.witness)
        excuse = self._find_excuse(link, left, right, verdict.witness)
        # What one number makes equal to all digits is not rounded.
        if excuse.startswith(_ROUNDED_OTHERWISE) and (
            slip := self._find_exact_slip(link, left, right) or self._find_digit_slip(left, right)
        ):
            return LinkVerdict(link, "wrong", f"{verdict.witness}; it holds with {slip}")
        if excuse:
            return LinkVerdict(link, "given" if excuse == _LETTERS else "not shown", excuse)
        return LinkVerdict(link, "wrong", verdict.witness)

    def _is_one_of_several_claims(self, link: ChainLink) -> bool:
        """Return whether only a whole is claimed of which a link is a part: `1 + 1 = 0 or x = 0`. Of two
        calculations joined by `or` the second says the first in other words."""
        if link.is_operand:
            return True
        others = (self.read_formula(formula).tree for formula in link.alternatives)
        # Further on in a chain stands a step of a calculation.
        return not link.index and any(other is not None and free_symbols(other) for other in others)

    def _find_excuse(self, link: ChainLink, left: Tree, right: Tree, witness: str) -> str:
        """Return how else two different numbers can be meant, so that they are no mistake."""
        # Values: rounding excuses what is near, and nothing where no decimals are written.
        left_value, right_value = evaluate_term(left, {}), evaluate_term(right, {})
        exact = right.children and not any(
            "." in label for label in (*left.list_labels(), *right.list_labels())
        )
        shown = max((len(match[1]) for match in map(DECIMAL.match, right.list_labels()) if match), default=0)
        least = max(10**-shown * (5 if shown else 1), 0.2 * abs(left_value or 0))
        far = exact or (
            left_value is not None and right_value is not None and abs(left_value - right_value) >= least
        )
        if link.index and not left.children and has_last_word("examined", link.words_before):
            return "something is examined where its left side is the value"
        if _is_rounded_like_inputs(left, left_value, right):
            return f"rounded to the digits of what it is calculated from: {witness}"
        words = f"{link.words_before} {link.words_after}"
        if _is_next_whole(left_value, right) and mentions("rounded up", words):
            return f"rounded up: {witness}"
        if _is_rounded_whole(left_value, right) or _is_rounded_root(left, left_value, right):
            return f"rounded: {witness}"
        # What was rounded before it was calculated with leaves digits that are a little off.
        near = link.relation in ("=", "approx") and self.are_about_equal(left, right, link.relation)
        if near and not _has_other_digits(left, right):
            return f"{_ROUNDED_OTHERWISE}: {witness}"
        # What is equal to seven digits is so but for what was rounded before.
        irrational = not _IRRATIONAL.isdisjoint((*left.list_labels(), *right.list_labels()))
        if irrational and left_value and right_value and abs(left_value - right_value) < _TINY * left_value:
            return f"{_ROUNDED_OTHERWISE}: {witness}"
        if link.relation in ("=", "approx") and _is_of_rounded_inputs(left, right):
            return f"calculated with what was rounded: {witness}"
        # Rounding moves a bound by little.
        if link.relation not in ("=", "approx") and left_value is not None and right_value is not None:
            far = far or abs(left_value - right_value) > _MOST_ROUNDED * abs(left_value)
        if link.is_rounded and not far and "i" not in (*left.list_labels(), *right.list_labels()):
            return f"{_ROUNDED_OTHERWISE}: {witness}"
        exponents = [side.children[-1] for side in (left, right) if _is_exponential(side)]
        if link.relation == "approx" and len(exponents) == _SIDES:
            one, other = (evaluate_term(each, {}) for each in exponents)
            if one and other and abs(one - other) < _NEAR_EXPONENT * abs(other):
                return f"rounded to a power: {witness}"
        if (
            link.relation == "approx"
            and _is_rough_fraction(right)
            and left_value is not None
            and right_value is not None
            and abs(left_value - right_value) < _ROUGH * abs(left_value)
        ):
            return f"roughly equal: {witness}"
        if link.relation == "approx" and _is_estimate(left_value, right, right_value):
            return f"an estimate by another calculation: {witness}"
        power = right.label == "pow" and right.children[0].label == "10"
        if (
            power
            and left_value is not None
            and right_value
            and abs(left_value - right_value) < 0.1 * abs(right_value)
        ):
            return f"rounded to a power of ten: {witness}"
        if (
            right.label == "pow"
            and link.relation == "approx"
            and left_value
            and right_value
            and left_value * right_value > 0
        ):
            sizes = math.log(abs(left_value)), math.log(abs(right_value))
            if abs(sizes[0] - sizes[1]) < _NEAR_EXPONENT * abs(sizes[1]):
                return f"rounded to a power: {witness}"
        if self._hold_in_another_locale(link):
            return "a comma can be that of thousands or of decimals"
        if r"\div" in link.left and r"\frac" not in link.left and not (far and not right.children):
            return "a division can leave a remainder"
        if _PAIR.search(link.left + " " + link.right):
            return "it can be read in two ways"
        # Kinds: numbers with other units, letters, matrices, tuples and sets are no mistakes of calculation.
        labels = {*left.list_labels(), *right.list_labels()}
        units = labels & {"unit", "text"} and find_units(left) != find_units(right)
        if units and not _is_wrong_conversion(left, right):
            return "the units differ"
        # A chain ends with the number e that it calculates with; e = 0 - e alone is an equation.
        # Nobody writes |e| for the positive number e.
        if any(node.label == "abs" and node.children[0].label == "e" for node in (*left, *right)):
            return _LETTERS
        if any(side.label in ("e", "i") for side in (left, right)) and not (
            link.index and right.label == "e"
        ):
            return _LETTERS
        # No polynomial of the number e is a fraction, and a side of a triangle has a square.
        if link.relation == "=" and any(map(_is_polynomial_in_e, (left, right), (right, left))):
            return _LETTERS
        if "i" in labels and "tuple" in labels:
            return "pairs can be complex numbers"
        sides = _evaluate_shapes(left, right)
        shapes = ["tuple" if is_column(side) else shape_of(side) for side in sides]
        for kind in ("matrix", "tuple"):
            if shapes.count(kind) == 1 and {*shapes}.isdisjoint((*_RANGES, "such")):
                return f"a {kind} and a letter or number"
        if not {left.label, right.label}.isdisjoint(_COLLECTIONS):
            decimals = any(map(DECIMAL.match, labels))
            if any(";" in side for side in (link.left, link.right)) and not decimals:
                return "brackets with semicolons are continued fractions"
            if not {left.label, right.label} <= {*_COLLECTIONS, "tuple"}:
                return "a collection and a letter or number"
            if left.label in _RANGES and right.label in _RANGES and not decimals:
                return "intervals can be ranges of whole numbers"
        # Notation: what can be read in several ways is only excused if it holds in one of them.
        unclear = _RUN_ON.search(link.left + " " + link.right) is not None
        if link.left.startswith("+"):  # where it does not hold with - either
            signed, whole = self.read_formula("-" + link.left[1:]).tree, self.read_formula(link.right).tree
            unclear = (
                unclear or signed is None or whole is None or values_agree(signed, whole, {}) is not True
            )
        if unclear:
            return "where a side begins or an exponent ends is not clear"
        if "pm" in labels and not apart_in_any_sign(left, right):
            return "signs ± can be meant in several ways"
        if DEGREES.search(link.left + link.right):
            plain = [self.read_formula(DEGREES.sub("", side)).tree for side in (link.left, link.right)]
            if plain[0] is None or plain[1] is None or not _differ_in_value(plain[0], plain[1]):
                return "degrees can be meant in several ways"
        joined = (left, join_mixed_numbers(right)), (join_mixed_numbers(left), right)
        if any(pair != (left, right) and values_agree(*pair, {}) for pair in joined):
            return "a whole number and a fraction can be a mixed number"
        mixed = next((note for side in self.read_sides(link) for note in side.notes if "mixed" in note), "")
        return (
            ""
            if mixed and values_agree(expand_mixed_numbers(left), expand_mixed_numbers(right), {}) is False
            else mixed
        )

    def _hold_in_another_locale(self, link: ChainLink) -> bool:
        """Return whether a link holds where commas of one side are those of decimals."""
        meant = [_THOUSANDS.sub(".", side.replace(_COMMA, ".")) for side in (link.left, link.right)]
        for left, right in ((meant[0], link.right), (link.left, meant[1])):
            one, other = self.read_formula(left).tree, self.read_formula(right).tree
            if (left, right) == (link.left, link.right) or one is None or other is None:
                continue
            if self.compare_by_relation(
                link.relation, one, other
            ).outcome == "equal" or self.describe_rounding(one, other, link.relation):
                return True
        return False

    def compare_by_relation(self, relation: str, left: Tree, right: Tree) -> Verdict:
        """Judge whether a relation holds."""
        # The sign in ¬ 1 = 0 denies the equation, and no number.
        if relation == "=" and left.label == "not" and _is_of_numerals(left.children[0], right):
            return self.judge.holds(Tree("!=", (left.children[0], right)))
        if relation == "=":
            return self.judge.equal(left, right)
        return self.judge.holds(Tree(relation, (left, right)))

    def describe_rounding(self, left: Tree, right: Tree, relation: str) -> str:
        """Return how one side is the other to the digits that it shows: rounded or cut off; "" where it is
        not."""
        if (units := find_units(left)) and units == find_units(right):
            left, right = remove_units(left), remove_units(right)
        for written, value in ((left, right), (right, left)):
            longer = written is left and not right.children  # 2.3 = 2.31 is no rounding
            is_short = written.label == "/" and written.children[1].label == "100"
            is_short = is_short and not written.children[0].children
            if is_short:
                written, value = written.children[0], Tree("*", (Tree("100"), value))  # per cent
            decimals = any(map(DECIMAL.match, (*written.list_labels(), *value.list_labels())))
            power = written.label == "*" and is_power_of_ten(written.children[1])
            if written is right and power and (decimals or relation == "approx"):
                written, value = written.children[0], Tree("/", (value, written.children[1]))
                is_short = WHOLE.match(written.label) is not None
            # Digits show no more of a negative number than of its opposite.
            while written.label == "*" and written.children[0] == MINUS_ONE:
                written, value = written.children[1], Tree("*", (MINUS_ONE, value))
            if not written.children and written.label.startswith("-"):
                written, value = Tree(written.label[1:]), Tree("*", (MINUS_ONE, value))
            if relation == "approx":
                if self.judge.holds(Tree("approx", (value, written))).outcome == "equal":
                    return "rounded"
                continue
            shown = not written.children and (is_short or DECIMAL.match(written.label))
            shown = shown or (written is right and _is_long_whole(written, value))
            if shown and not longer and (reason := self._describe_digits(written, value)):
                return reason
        return ""

    def _describe_digits(self, written: Tree, value: Tree) -> str:
        """Return how a positive number is a value by its last digit: rounded to it, or cut off behind it; ""
        where it is not."""
        unit = number_tree(Fraction(1, 10 ** len(written.label.partition(".")[2])))
        apart = Tree("-", (value, written))
        near = Tree("<=", (Tree("*", (Tree("2"), Tree("abs", (apart,)))), unit))
        if self.judge.holds(near).outcome == "equal":
            return "rounded"
        cut = Tree("<", (ZERO, apart)), Tree("<", (apart, unit))
        return "cut off" if all(self.judge.holds(each).outcome == "equal" for each in cut) else ""

    def are_about_equal(self, left: Tree, right: Tree, relation: str = "=") -> bool:
        """Return whether two numbers are equal but for rounding: of what is written, or, where they differ by
        little and have decimals, of what was calculated with."""
        if self.describe_rounding(left, right, relation):
            return True
        labels = (*left.list_labels(), *right.list_labels())
        if (relation != "approx" and not any(map(DECIMAL.match, labels))) or "row" in labels:
            return False
        share = Tree("*", (Tree("0.02" if relation == "approx" else "0.001"), Tree("abs", (right,))))
        close = Tree("<=", (Tree("abs", (Tree("-", (left, right)),)), share))
        return self.judge.holds(close).outcome == "equal"

    def are_rounded_multiples(self, left: Tree, right: Tree) -> bool:
        """Return whether terms are multiples of one term, such as a unit in letters, by numbers of which the
        second is the first, rounded: `2.53 J/K + 1.11 J/K = 3.6 J/K`."""
        if right.label != "*" or DECIMAL.match(right.children[0].label) is None:
            return False
        number, unit = right.children
        factors = []
        for seed in range(_SIDES):
            at = points_of(free_symbols(left) | free_symbols(right), seed=seed)[0]
            value, size = evaluate_term(left, at), evaluate_term(unit, at)
            if value is None or not size:
                return False
            factors.append(value / size)
        if not math.isclose(*factors, rel_tol=_SAME):
            return False
        return bool(self.describe_rounding(Tree(f"{factors[0]:.9f}"), number, "="))

    def are_rounded_in_parts(self, left: Tree, right: Tree) -> bool:
        """Return whether each term of a sum, factor of a product or entry of a matrix is that of the other
        side, equal or rounded."""
        # 1.41 + 1.73 is not the rounded sum of √2 and √3, but the sum of the rounded terms.
        one, other = _evaluate_shapes(left, right)
        if one.label == other.label == "matrix":
            rows = [[row.children for row in side.children] for side in (one, other)]
        else:
            parts = [list_terms(side) for side in (left, right)]
            if len(parts[0]) == len(parts[1]) == 1 and left.label == right.label and left.label in ("*", "/"):
                parts = [left.children, right.children]
            rows = [[each] for each in parts]
        sizes = [[*map(len, each)] for each in rows]
        if sizes[0] != sizes[1] or sum(sizes[0]) < 2:
            return False
        return all(
            self.judge.equal(mine, theirs).outcome == "equal"
            or self.describe_rounding(mine, theirs, "=") == "rounded"
            or self.are_rounded_in_parts(mine, theirs)
            for pair in zip(*rows, strict=True)
            for mine, theirs in zip(*pair, strict=True)
        )

    def _is_mistyped(self, left: Tree, right: Tree) -> bool:
        """Return whether another digit makes a decimal number what a term is, rounded."""
        if right.children or len(right.label) < _LONG or not DECIMAL.match(right.label):
            return False
        return any(self.describe_rounding(left, Tree(one), "=") for one in iterate_retyped(right.label))

    def _find_exact_slip(self, link: ChainLink, left: Tree, right: Tree) -> str:
        """Return the change of a number by which a calculation is another one, exactly; "" where none does
        that."""
        if link.relation != "=" or not (left.children and right.children):
            return ""
        rational = {node.label for node in (*left, *right) if node.children} <= {"+", "-", "*", "/"}
        value = evaluate_term(right, {}) if rational else None
        for path, changed, instead in iterate_changes(left) if value is not None else ():
            whole = left.replace_subtree(path, changed)
            agree = evaluate_term(whole, {}) is not None and values_agree(whole, right, {}) is not False
            if agree and self.judge.equal(whole, right).outcome == "equal":
                return instead
        return ""

    def _find_digit_slip(self, left: Tree, right: Tree) -> str:
        """Return the change of a term by which it is a decimal with many digits, to all of them, which is far
        from it; "" where none does that."""
        shown = right.label.lstrip("-0.").replace(".", "")
        value = evaluate_term(left, {})
        if right.children or not DECIMAL.match(right.label) or len(shown) < _MANY_SHOWN or value is None:
            return ""
        # A rougher value, as 22/7 for π, differs by less.
        if abs(value - float(right.label)) <= _MOST_ROUNDED * abs(value):
            return ""
        if self._is_mistyped(left, right):
            return "another digit"
        return next(
            (
                instead
                for path, changed, instead in iterate_changes(left)
                if self.describe_rounding(left.replace_subtree(path, changed), right, "=")
            ),
            "",
        )

    def are_equal_without_units(self, link: ChainLink) -> bool:
        """Return whether the sides are equal where signs of per cent, of money and units are left out."""
        sides = [_MARKS.sub(" ", DEGREES.sub("", side)) for side in (link.left, link.right)]
        if sides == [link.left, link.right]:
            return False
        marks = [_MARKS.findall(side) for side in (link.left, link.right)]
        if marks[0] and marks[1] and {*marks[0]} != {*marks[1]}:
            return False
        left, right = (self.read_formula(side).tree for side in sides)
        if left is None or right is None:
            return False
        # Sums have the unit of their terms, and products another; per cent is left out of sums and of 100.
        added = [side.label in ("+", "-") for side in (left, right)]
        if (
            marks[0]
            and marks[1]
            and any(len(each) > 1 and not sums for each, sums in zip(marks, added, strict=True))
        ):
            return False
        shares = [r"\%" in each for each in marks]
        if shares[0] != shares[1] and not (
            any(added)
            or "100" in (*left.list_labels(), *right.list_labels())
            or words_of(link.words_after)[:1] == ["per"]  # "3/12 = 0.25 % per month" of 3 % per year
        ):
            return False
        equal = self.compare_by_relation(link.relation, left, right).outcome == "equal"
        return equal or bool(self.describe_rounding(left, right, link.relation))

    def _beside_units(self, link: ChainLink, left: Tree, right: Tree) -> str:
        """Numbers that differ where one has a unit, and too little for one to be converted."""
        if ("unit" in left.list_labels()) == ("unit" in right.list_labels()):
            return ""
        left_value, right_value = evaluate_term(left, {}), evaluate_term(right, {})
        if not left_value or not right_value or link.is_denied_directly or self.are_equal_without_units(link):
            return ""
        if link.is_rounded or values_agree(left, right, {}) is not False:
            return ""
        ratio = left_value / right_value
        is_measured = all(_is_metric(unit) for unit in find_units(left) | find_units(right))
        # An angle can be one in degrees.
        is_measured = is_measured and OF_ANGLES.isdisjoint((*left.list_labels(), *right.list_labels()))
        differs = 1 / _CONVERTED < ratio < _CONVERTED or (is_measured and not _converts_units(ratio))
        return f"{left_value:.6g} and {right_value:.6g}" if differs else ""


def _is_estimate(value: float | None, right: Tree, estimated: float | None) -> bool:
    """Return whether a calculation can be a method's estimate of a value, as 1 + 0.5 of e^0.5 or a sum of an
    integral: it is no rounded number, is not made of such ones, and is not far off."""
    is_calculated = right.label in _CALCULATED and not is_power_of_ten(right.children[-1])
    rounded = any(len(label.partition(".")[2]) > _ROUND_DECIMALS for label in right.list_labels())
    if not is_calculated or rounded or value is None or estimated is None:
        return False
    return abs(value - estimated) < _MOST_OFF * abs(value)


def _is_said_otherwise(link: ChainLink, reason: str) -> bool:
    """Return whether the words beside a rounded number say that it is exact: "π = 3.14 exactly"; or of one
    that is cut off that it is rounded."""
    before = " ".join(words_of(last_sentence(link.words_before))[-_WORDS_BESIDE:])
    after = " ".join(words_of(link.words_after.partition(".")[0])[:_WORDS_BESIDE])
    beside = f"{before} § {after}"
    if reason == "cut off":
        return mentions("rounding", beside)
    return link.relation == "=" and mentions("exact", beside)


def _is_metric(unit: Tree) -> bool:
    """Return whether a unit is a power of ten times that of the metric system."""
    known = find_unit(unit.children[0].label) if unit.label == "unit" else None
    return known is not None and math.log10(known[1]).is_integer()


def _converts_units(ratio: float) -> bool:
    """Return whether a ratio is one of two units: a power of ten, of 60 and 24 for times and speeds, or that
    of a unit of another system, or of a constant of nature.

    >>> [_converts_units(ratio) for ratio in (1000.0, 3.6, 0.06, 8.0, -1.0)]
    [True, True, True, False, False]
    """
    if ratio <= 0:
        return False
    mantissa = ratio / 10 ** math.floor(math.log10(ratio))
    return any(math.isclose(mantissa, factor, rel_tol=_CLOSE_CONVERSION) for factor in _CONVERSIONS)


_UNIT_RATIOS = (1, 6, 3.6, 2.4, 1.44, 8.64, 3.156, 2.54, 3.048, 9.144, 1.609, 4.536, 1.852, 3.785)
"""Of times, of feet, pounds, miles and gallons."""
_CONSTANT_RATIOS = (4.184, 1.602, 9.81, 6.022, 6.626, 2.998, 1.381, 8.314, math.pi / 1.8)
"""Of calories and degrees, and constants of nature."""
_CONVERSIONS = (
    *(one for ratio in (*_UNIT_RATIOS, *_CONSTANT_RATIOS) for one in (ratio, 10 / ratio)),
    10,
)


def _describe_undefined(left: Tree, right: Tree) -> str:
    """Return why one side has no real value, where the other is a real number: it has the square root of a
    negative number, or the factorial of one; "" where both have one, or imaginary numbers."""
    if any("i" in side.list_labels() for side in (left, right)):
        return ""
    for side, other in ((left, right), (right, left)):
        if evaluate_term(other, {}) is None:
            continue
        for node in side:
            value = evaluate_term(node.children[0], {}) if node.label in ("sqrt", "factorial") else None
            # \sqrt{-3} is imaginary on purpose, \sqrt{14-40} is not.
            is_imaginary = node.label == "sqrt" and not any(part.label == "-" for part in node.children[0])
            if value is not None and value < 0 and not is_imaginary:
                name = "square root" if node.label == "sqrt" else "factorial"
                return f"the {name} of {value:.6g} is no real number"
    return ""


def _describe_divergence(left: Tree, right: Tree) -> str:
    """Return which integral of one side has no value, where the other has one; "" for none."""
    for side, other in ((left, right), (right, left)):
        if evaluate_term(other, {}) is not None:
            return next(filter(None, map(describe_divergence, side)), "")
    return ""


def _differ_in_value(left: Tree, right: Tree) -> bool:
    """Return whether two real or imaginary numbers are known to differ."""
    if values_agree(left, right, {}) is False:
        return True
    one, other = evaluate_complex(left, {}), evaluate_complex(right, {})
    return one is not None and other is not None and abs(one - other) > _SEEN * (1 + abs(one))


def _is_exponential(tree: Tree) -> bool:
    return tree.label == "exp" or (tree.label == "pow" and tree.children[0].label == "e")


def list_terms(tree: Tree) -> tuple[Tree, ...]:
    """Return the terms of a sum, those that are subtracted with a minus."""
    if tree.label == "+":
        return tuple(term for part in tree.children for term in list_terms(part))
    if tree.label == "-" and len(tree.children) == 2:
        taken = (Tree("*", (MINUS_ONE, term)) for term in list_terms(tree.children[1]))
        return (*list_terms(tree.children[0]), *taken)
    return (tree,)


def _is_long_whole(written: Tree, value: Tree) -> bool:
    """Return whether a whole number has so many digits that a calculation with decimals is rounded to it."""
    # Sums and products of short decimals end, and nobody rounds what ends there.
    calculated = {node.label for node in value if node.children} - {"+", "-", "*"}
    long = WHOLE.match(written.label) is not None and len(written.label) > _LONG_WHOLE
    return long and bool(calculated) and any(map(DECIMAL.match, value.list_labels()))


def _has_other_digits(left: Tree, right: Tree) -> bool:
    """Return whether a decimal number differs from a value that nothing was rounded for by more than its last
    digit."""
    for written, value in ((left, right), (right, left)):
        shown, exact = DECIMAL.match(written.label), evaluate_term(value, {})
        # A value with decimals may have been rounded itself.
        if shown and exact is not None and not any(map(DECIMAL.match, value.list_labels())):
            return abs(float(written.label) - exact) > _MISCOUNTED / 10 ** len(shown[1])
    return False


def _is_rounded_whole(value: float | None, written: Tree) -> bool:
    """Return whether a whole number that ends in zeros is a value with further digits, rounded."""
    if value is None or not written.label.isdecimal() or value != int(value) or value % 10 == 0:
        return False
    zeros = len(written.label) - len(written.label.rstrip("0"))
    shown = len(written.label) - zeros
    return zeros >= _ROUNDED_ZEROS and shown > 1 and abs(int(written.label) - value) <= 10**zeros / 2


def _is_rough_fraction(tree: Tree) -> bool:
    """Return whether a term is a fraction of numbers of at most two digits, as rough values are."""
    leaves = [node.label.replace(".", "").strip("-0") for node in tree if not node.children]
    return tree.label == "/" and all(label.isdecimal() and len(label) <= 2 for label in leaves)


def _is_polynomial_in_e(term: Tree, number: Tree) -> bool:
    """Return whether a term is made of powers of e and whole numbers by rational operations, and another of
    whole numbers alone."""
    operations = {node.label for side in (term, number) for node in side if node.children}
    leaves = [{node.label for node in side if not node.children} for side in (term, number)]
    plain = all(label == "e" or label.lstrip("-").isdecimal() for each in leaves for label in each)
    return plain and "e" in leaves[0] - leaves[1] and operations <= _RATIONAL


def _is_next_whole(value: float | None, written: Tree) -> bool:
    """Return whether a number is the next whole one above a value, as that of people or trials needed."""
    number = remove_units(written).label
    return value is not None and number.isdecimal() and 0 < int(number) - value < 1


def _is_rounded_like_inputs(term: Tree, value: float | None, written: Tree) -> bool:
    """Return whether a whole number has as many digits as the least exact number of a product or quotient
    with decimals, and is its value, rounded to units or cut off: 9.8 × 2.3 = 23, 715/2.143 = 333.

    >>> from engines.formula.reader import read
    >>> term = read("715/2.143").tree
    >>> [_is_rounded_like_inputs(term, 333.64, Tree(shown)) for shown in ("333", "334", "332")]
    [True, True, False]
    """
    decimals = [label.replace(".", "").lstrip("0") for label in term.list_labels() if DECIMAL.match(label)]
    # A short whole number is counted, a long one measured.
    wholes = [label for label in term.list_labels() if label.isdecimal() and len(label) >= _LONG_WHOLE]
    digits = len(written.label)
    if value is None or not written.label.isdecimal() or digits < 2 or not decimals:
        return False
    is_product = {node.label for node in term if node.children} <= {"*", "/", "pow"}
    above = value - int(written.label)
    is_near = abs(above) < 0.5 or (bool(wholes) and 0 <= above < 1)
    return is_product and digits == min(map(len, (*decimals, *wholes))) and is_near


def _is_of_numerals(*sides: Tree) -> bool:
    return all(node.children or WHOLE.match(node.label) for side in sides for node in side)


def _is_of_rounded_inputs(term: Tree, written: Tree) -> bool:
    """Return whether a number is a value with further digits, but for what the decimals that it is calculated
    from may have been rounded by: e^5.999 is 402.834 where 5.999 is a logarithm of that.

    >>> from engines.formula.reader import read
    >>> [_is_of_rounded_inputs(read("e^{5.999}").tree, Tree(shown)) for shown in ("402.834", "403.834")]
    [True, False]
    """
    if find_units(term) != find_units(written):
        return False
    term, written = remove_units(term), remove_units(written)
    exact, shown = evaluate_term(term, {}), evaluate_term(written, {})
    if written.children or exact is None or not shown:
        return False
    digits = len(written.label.partition(".")[2])
    return abs(exact - round(exact, digits)) > _APART * abs(exact) and abs(exact - shown) <= min(
        measure_rounding(term), _LARGEST_ROOM * abs(shown)
    )


def measure_rounding(term: Tree) -> float:
    """Return by how much a term changes if each of its decimals is off by half a unit of its last digit.

    >>> f"{measure_rounding(Tree('*', (Tree('4'), Tree('0.25')))):.3f}"
    '0.020'
    """
    exact, room = evaluate_term(term, {}), 0.0
    for label in {*filter(DECIMAL.match, term.list_labels())}:
        moved = Tree(f"{float(label) + 0.5 / 10 ** len(label.partition('.')[2])}")
        value = evaluate_term(replace_variable(term, label, moved), {})
        room += abs(value - exact) if value is not None and exact is not None else 0.0
    return room


def _is_rounded_root(term: Tree, value: float | None, written: Tree) -> bool:
    """Return whether a whole number of several digits is the value of a root or a power, rounded to units."""
    if value is None or not written.label.isdecimal() or len(written.label) < _SEVERAL_DIGITS:
        return False
    rooted = not _IRRATIONAL.isdisjoint(term.list_labels())
    return rooted and value != int(value) and abs(int(written.label) - value) < 0.5


def _is_square_size(latex: str, size: Tree, side: Tree) -> bool:
    r"""Return whether a term is the size of a square, `5 \times 5`, with a side of another length."""
    if size.label != "*" or size.children[0] != size.children[1] or not size.children[0].label.isdecimal():
        return False
    return _CROSS.search(latex) is not None and values_agree(size.children[0], side, {}) is True


def _evaluate_shapes(left: Tree, right: Tree) -> tuple[Tree, Tree]:
    """Return two sides with operations on matrices and vectors carried out, as they are where that fails."""
    try:
        return evaluate_matrices(left, right)
    except EngineError:
        return left, right


def _convert_number(left: Tree, right: Tree) -> tuple[Tree, Tree] | None:
    """Return the number of the first quantity in the units of the second, and the number of the second; None
    unless both have known units of the same dimensions."""
    units = find_units(left) | find_units(right)
    if not all(unit.label == "unit" and find_unit(unit.children[0].label) for unit in units):
        return None
    first, second = separate_units(left), separate_units(right)
    # Units that cancel leave plain numbers, which other checks judge.
    if first is None or second is None or not first.units or first.units != second.units:
        return None
    written = remove_units(right)
    return Tree("/", (Tree("*", (first.number, written)), second.number)), written


def _is_wrong_conversion(left: Tree, right: Tree) -> bool:
    """Return whether two numbers with known units of the same dimensions differ by more than rounding."""
    if (converted := _convert_number(left, right)) is None:
        return False
    value, number = (evaluate_term(each, {}) for each in converted)
    if value is None or number is None:
        return False
    digits = len(converted[1].label.replace(".", "").strip("-0")) if not converted[1].children else 0
    is_close = digits >= _MANY_DIGITS or _is_simple_ratio(left, right)
    share = _CLOSE_CONVERSION if is_close else _ROUGH_CONVERSION
    return abs(value - number) > share * max(abs(value), abs(number))


def _is_simple_ratio(left: Tree, right: Tree) -> bool:
    """Return whether the units of two quantities are simple multiples of each other, as km/h and m/s, which
    nobody converts roughly."""
    sizes = [
        evaluate_term(Tree("/", (quantity.number, remove_units(side))), {})
        for side in (left, right)
        if (quantity := separate_units(side)) is not None
    ]
    if len(sizes) < _SIDES or not sizes[0] or not sizes[1]:
        return False
    ratio = Fraction(sizes[0] / sizes[1]).limit_denominator(_LARGEST_RATIO)
    rest = ratio.numerator * ratio.denominator
    for prime in (2, 3, 5):
        while rest and rest % prime == 0:
            rest //= prime
    return rest == 1


_LARGEST_RATIO = 10**9
