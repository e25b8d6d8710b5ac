"""Compare quantities with units: converted, or where only one side has a unit, a percent sign or degrees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from engines.formula.unit_table import UNIT_SYMBOLS, UNIT_WORDS, write_base_units
from engines.grading.messages import to_message_text
from engines.grading.numbers import Term, plain_number
from engines.grading.quantity_reader import read_measure
from engines.grading.term_arithmetic import (
    apply_multiplier,
    convert_to_degrees,
    convert_to_radians,
    divide_by_hundred,
    multiply_by_letter,
    raise_term,
    scale_term,
)
from engines.grading.tokens import tokenize
from engines.grading.unit_reader import read_unit
from engines.grading.verdicts import GradeVerdict, differ_by, with_policy

Units = Literal["compare", "require", "ignore"]
"""Compare units where both sides have one, require that of the reference, or ignore all."""
UNIT_PASSED = "only one of them has a unit"
"""What the reason begins with where a missing unit makes no difference."""
TermComparison = Callable[[Term, Term], GradeVerdict]


def compare_with_units(gold: Term, pred: Term, units: Units, compare: TermComparison) -> GradeVerdict:
    """Compare two terms of which at least one has a unit, after conversion to the same unit.

    Args:
        gold: The reference.
        pred: The answer.
        units: What a missing unit means: see `grade`.
        compare: Compares the terms without their units.
    """
    gold, pred = apply_multiplier(gold), apply_multiplier(pred)
    mine, theirs = gold.unit, pred.unit
    if mine is None and theirs is None:
        return compare(gold, pred)
    plain_gold, plain_pred = replace(gold, unit=None), replace(pred, unit=None)
    if units == "ignore":
        return compare(plain_gold, plain_pred)
    if mine is None or theirs is None:
        present = mine or theirs
        assert present is not None
        if present.measures_only("percent"):
            return _compare_percent(gold, pred, compare)
        for read in (_read_molar, _read_pence, _read_symbol):
            amount = read(pred if mine else gold)
            if amount is not None and amount.unit is not None and amount.unit.powers == present.powers:
                return compare_with_units(*((gold, amount) if mine else (amount, pred)), units, compare)
        if units == "require" and mine is not None:
            return differ_by(f"{to_message_text(pred)} has no unit, and the reference is in {mine.text}")
        result = compare(plain_gold, plain_pred)
        if result.outcome == "different" and present.measures_only("angle"):
            result = compare(convert_to_degrees(gold), convert_to_degrees(pred))
            return with_policy(result, "a degree is pi/180")
        if result.outcome == "different" and len(present.text) == 1 and present.text.isalpha():
            # The letter is a variable where the other side has it too.
            return compare(multiply_by_letter(gold), multiply_by_letter(pred))
        return with_policy(result, f"{UNIT_PASSED}, {present.text}")
    if mine.powers == theirs.powers:
        if mine.factor == theirs.factor:
            return compare(plain_gold, plain_pred)
        scaled = scale_term(plain_gold, mine.factor), scale_term(plain_pred, theirs.factor)
        result = _add_unit(compare(*scaled), write_base_units(mine.powers))
        if result.outcome == "different" and plain_gold.decimals:
            # A rounded reference shows its digits in its own unit.
            in_its_unit = compare(plain_gold, scale_term(plain_pred, theirs.factor / mine.factor))
            result = in_its_unit if in_its_unit.outcome == "equal" else result
        return with_policy(result, f"{theirs.text} converted to {mine.text}")
    if mine.scale and theirs.scale:
        sizes = scale_term(plain_gold, mine.scale[0]), scale_term(plain_pred, theirs.scale[0])
        result = compare(raise_term(sizes[0], mine.scale[1]), raise_term(sizes[1], theirs.scale[1]))
        if result.outcome == "different" and compare(*sizes).outcome == "equal":
            return GradeVerdict("equal if", condition="they are differences of temperatures")
        return with_policy(_add_unit(result, "K"), f"{theirs.text} converted to {mine.text}")
    if {mine.powers, theirs.powers} == {(("angle", 1),), (("radians", 1),)}:
        in_degrees = mine.measures_only("angle")
        sides = (plain_gold, plain_pred) if in_degrees else (gold, pred)
        result = compare(
            *((sides[0], convert_to_degrees(sides[1])) if in_degrees else map(convert_to_radians, sides))
        )
        return with_policy(result, "a degree is pi/180")
    result = compare(plain_gold, plain_pred)
    vague = not (mine.known and theirs.known)
    vague = (
        vague
        or bool(mine.scale and theirs.measures_only("angle"))
        or bool(theirs.scale and mine.measures_only("angle"))
    )
    if result.outcome == "equal" and vague and _counts_same(mine.text, theirs.text):
        return GradeVerdict("equal", reason=f"{theirs.text} are counted in {mine.text}")
    if result.outcome == "equal" and vague:
        return GradeVerdict("equal if", condition=f"{theirs.text} stands for {mine.text}")
    if result.outcome not in ("equal", "different", "equal if"):
        return result
    if not (mine.known and theirs.known):
        return GradeVerdict("undecided", reason=f"how much {theirs.text} is in {mine.text} is not known")
    if {name for one in (mine, theirs) for name, _ in one.powers} >= {"calendar", "time"}:
        return GradeVerdict("undecided", reason="how many days a month or a year has is not said")
    measured = (f"{to_message_text(one)} measures {one.unit.dimension}" for one in (gold, pred) if one.unit)
    return differ_by(" and ".join(measured))


def _counts_same(mine: str, theirs: str) -> bool:
    """Return whether one of two units is a word that counts, and the other also says what: 支 and 支铅笔."""
    short, long = sorted((mine, theirs), key=len)
    return short in _COUNTERS and long.startswith(short) and not long.startswith(_OTHER_NOUNS)


_OTHER_NOUN_LIST = "元素 元件 条件 人天 人次 人日 人月 本科 台阶 张力 位数 位置 名次 头寸 把握"
_OTHER_NOUNS = (*_OTHER_NOUN_LIST.split(" "),)
"""Words that only begin with one that counts."""
_COUNTERS = frozenset("支枝只隻本枚匹頭头冊册条张張位名人辆棵颗块朵把台件元円羽杯袋盒瓶")
"""Words of Chinese and Japanese that count what is named behind them."""


def compare_unit_names(gold: str, pred: str) -> GradeVerdict | None:
    """Compare two units without numbers, as `N·m²/kg²` and `m³/(kg s²)`; None for other answers.

    >>> compare_unit_names("N", "kg m/s^2").outcome, compare_unit_names("x y", "y x")
    ('equal', None)
    """
    mine, theirs = read_unit(gold), read_unit(pred)
    if mine is None or theirs is None or not (mine.known and theirs.known):
        return None
    if _has_number(gold) or _has_number(pred):
        return None
    if not any(len(one.powers) > 1 and "kg" in one.text for one in (mine, theirs)):
        return None  # letters are rather variables
    if mine.powers == theirs.powers and mine.factor == theirs.factor:
        return GradeVerdict("equal", reason=f"{theirs.text} is {mine.text}")
    return differ_by(f"{theirs.text} and {mine.text}")


def has_known_unit(text: str) -> bool:
    """Return whether an answer is an amount in a unit that is known, as €5.

    >>> has_known_unit("€5"), has_known_unit("5 cm"), has_known_unit("5 apples"), has_known_unit("5")
    (True, True, False, False)
    """
    amount = read_measure(text)
    return amount is not None and amount.unit is not None and amount.unit.known


def _has_number(text: str) -> bool:
    """Return whether a unit has a number besides its exponents and the 1 of `1/(kg s)`."""
    before = ""
    for token in tokenize(text):
        is_exponent = before.rstrip("{(-−").endswith("^")
        if token.kind == "digits" and not is_exponent and (before or token.text != "1"):
            return True
        before += token.text.strip()
    return False


def _add_unit(verdict: GradeVerdict, unit: str) -> GradeVerdict:
    """Return a verdict on converted terms whose witness says in which unit its numbers are."""
    return replace(verdict, witness=f"{verdict.witness}, in {unit}") if verdict.witness else verdict


def _read_pence(term: Term) -> Term | None:
    """Return `320p`, which is a product elsewhere, as pence; None for other terms."""
    tree = term.tree
    if tree is None or tree.label != "*" or len(tree.children) != 2 or tree.children[1].label != "p":
        return None
    number = plain_number(tree.children[0].label)
    return None if number is None else replace(number, unit=read_unit("pence"))


def _read_symbol(term: Term) -> Term | None:
    """Return `3 s` or `5 m²`, which are products elsewhere, as a quantity; None for other terms."""
    tree = term.tree
    if tree is None or tree.label != "*" or len(tree.children) != 2:
        return None
    symbol = tree.children[1]
    letter, power = (symbol.children[0], symbol.children[1].label) if symbol.label == "pow" else (symbol, "1")
    if len(letter.label) != 1 or letter.children or power not in ("1", "2", "3"):
        return None
    if letter.label not in UNIT_WORDS and letter.label not in UNIT_SYMBOLS:
        return None  # small and capital letters are other units
    number, unit = plain_number(tree.children[0].label), read_unit(f"{letter.label}^{power}")
    return replace(number, unit=unit) if number is not None and unit is not None and unit.known else None


def _read_molar(term: Term) -> Term | None:
    """Return `0.5 M`, which is a product elsewhere, as moles in a litre; None for other terms."""
    tree = term.tree
    if tree is None or tree.label != "*" or len(tree.children) != 2 or tree.children[1].label != "M":
        return None
    number = plain_number(tree.children[0].label)
    return None if number is None else replace(number, unit=read_unit("mol/L"))


def _compare_percent(gold: Term, pred: Term, compare: TermComparison) -> GradeVerdict:
    """One side is a percentage, the other a number: 28 % is 0.28, and may be meant by 28."""
    exact = compare(divide_by_hundred(gold), divide_by_hundred(pred))
    if exact.outcome == "equal":
        return with_policy(exact, "a percent is 1/100")
    meant = compare(replace(gold, unit=None), replace(pred, unit=None))
    if meant.outcome == "equal":
        number = pred if pred.unit is None else gold
        return GradeVerdict("equal if", condition=f"{number.text} is in percent")
    return exact
