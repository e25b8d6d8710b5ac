"""Whether two numbers or formulas are the same, with their units and to the precision that counts."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from engines.core.tree import ZERO, Tree
from engines.grading.compare_units import Units, compare_with_units
from engines.grading.constants import compare_with_constants
from engines.grading.families import replace_leaf
from engines.grading.numbers import Term
from engines.grading.reading import is_constant
from engines.grading.related_constants import relate_constants
from engines.grading.remainders import drop_remainder
from engines.grading.term_arithmetic import shown_part
from engines.grading.tokens import is_blank, tokenize
from engines.grading.trees import number_tree, tree_of_term
from engines.grading.verdicts import EQUAL, GradeVerdict, read_both, to_grade_verdict
from engines.mathematics.judging.judge import Judge

_LONG_DECIMAL = 10
"""A number with so many significant digits is that of a computer: equal if it is rounded correctly."""

_ROUNDED_DECIMAL = 3
"""A reference with so many significant digits may be rounded."""
_LOGARITHMS = ("ln", "log")
_MEASURED = {"length", "mass", "time", "current", "temperature", "amount", "angle", "radians"}
"""What is measured, and so rounded; money is counted."""


def _write_plain_letters(tree: Tree) -> Tree:
    """Return a term with its letters in the plain style, `N` for `𝒩`, unless it has both."""
    labels = {*tree.list_labels()}
    styled = {
        one: plain
        for one in labels
        if not one.isascii() and (plain := unicodedata.normalize("NFKC", one)) != one
    }
    if not styled or not labels.isdisjoint(styled.values()):
        return tree
    for one, plain in styled.items():
        tree = replace_leaf(tree, Tree(one), Tree(plain))
    return tree


class ExactComparison:
    """Compares terms, exactly where no precision is asked for.

    Args: judge: returns who is asked about formulas; called only where that is needed. digits, units: see
    `AnswerComparison`. rounds: whether a decimal of the reference may be the rounding of the answer.
    """

    def __init__(
        self, judge: Callable[[], Judge], digits: int | None, units: Units, rounds: bool = True
    ) -> None:
        self._rounds = rounds
        self._judge = judge
        self._digits = digits
        self._units = units

    def compare(self, gold: Term, pred: Term) -> GradeVerdict:
        # Units decide first, since they may change the numbers.
        if gold.unit is not None or pred.unit is not None:
            rounds = gold.unit is None or {name for name, _ in gold.unit.powers} <= _MEASURED
            compare = (
                self.compare
                if rounds
                else ExactComparison(self._judge, self._digits, self._units, False).compare
            )
            return compare_with_units(gold, pred, self._units, compare)
        if gold.shown_digits or pred.shown_digits:
            return self._compare_unfinished_decimals(gold, pred)
        # In different bases equal values are written differently, and equal digits have different values.
        if gold.base != pred.base and gold.value is not None and gold.value == pred.value:
            return GradeVerdict("equal if", condition=f"it may be written in base {pred.base}")
        if gold.base != pred.base and gold.text.partition("_")[0] == pred.text.partition("_")[0]:
            bases = sorted((gold.base, pred.base))
            if bases[1] == 10 or bases[0] == 10:
                base = pred.base if gold.base == 10 else gold.base
                return GradeVerdict("equal if", condition=f"{pred.text.partition('_')[0]} is in base {base}")
        if gold.value is not None and pred.value is not None:
            return self._compare_numbers(gold, pred)
        # What cannot be read is still equal if it is spelt alike.
        if (gold.tree is None or pred.tree is None) and _spell_tokens(gold.text) == _spell_tokens(pred.text):
            return EQUAL
        trees = read_both(tree_of_term(gold), tree_of_term(pred))
        if isinstance(trees, GradeVerdict):
            return trees
        gold_tree, pred_tree = relate_constants(drop_remainder(*trees), drop_remainder(*trees[::-1]))
        if gold_tree == pred_tree:
            return EQUAL
        # A long decimal is the output of a computer: equal if the exact side rounds to it.
        decimals = self._count_decimals(gold, pred)
        if decimals is not None:
            return self._compare_rounded(gold_tree, pred_tree, decimals, self._describe_precision(gold, pred))
        judged = to_grade_verdict(self._judge().equal(gold_tree, pred_tree))
        if judged.outcome == "equal":
            return judged
        if judged.outcome == "equal if" and self._agree_where_defined(gold_tree, pred_tree, judged.condition):
            return GradeVerdict("equal", reason=f"both are defined where {judged.condition}")
        # Engineers call the imaginary unit j.
        letters = [{*tree.list_labels()} & {"i", "j"} for tree in (gold_tree, pred_tree)]
        if letters == [{"i"}, {"j"}]:
            engineered = self._judge().equal(gold_tree, replace_leaf(pred_tree, Tree("j"), Tree("i")))
            if engineered.outcome == "equal":
                return GradeVerdict("equal", reason="j is the imaginary unit")
        if letters[0] == {"i"} and not letters[1] and "I" in pred_tree.list_labels():
            computed = self._judge().equal(gold_tree, replace_leaf(pred_tree, Tree("I"), Tree("i")))
            if computed.outcome == "equal":
                return GradeVerdict("equal", reason="I is the imaginary unit of a program")
        plain = _write_plain_letters(gold_tree), _write_plain_letters(pred_tree)
        if plain != (gold_tree, pred_tree) and self._judge().equal(*plain).outcome == "equal":
            return GradeVerdict("equal", reason="letters in another style are the same")
        return compare_with_constants(self._judge(), gold_tree, pred_tree) or judged

    def _agree_where_defined(self, gold: Tree, pred: Tree, condition: str) -> bool:
        """Return whether terms with logarithms or factorials are equal wherever all of these are defined, or
        sums except where a power or quotient in them has no value."""
        sums = any(node.label in ("sum", "prod") for tree in (gold, pred) for node in tree)
        if sums and all(" != " in one for one in condition.split(" and ")):
            return True
        for labels, sign in ((_LOGARITHMS, ">"), (("factorial",), ">=")):
            arguments = [
                [node.children[-1] for node in tree if node.label in labels] for tree in (gold, pred)
            ]
            if not (all(arguments) if sign == ">" else any(arguments)):
                continue
            defined = [Tree(sign, (one, ZERO)) for one in dict.fromkeys((*arguments[0], *arguments[1]))]
            if self._judge().equal(gold, pred, defined).outcome == "equal":
                return True
        return False

    def _compare_unfinished_decimals(self, gold: Term, pred: Term) -> GradeVerdict:
        """Of numbers as `0.333…`: by what they are where they repeat themselves, else by the digits shown."""
        # With a precision of the caller's the dots do not matter.
        if self._digits is not None:
            return self.compare(
                *(replace(one, shown_digits=0, value=one.value or shown_part(one)) for one in (gold, pred))
            )
        if gold.value is not None and pred.value is not None:
            return self._compare_numbers(gold, pred)
        unfinished, complete = (gold, pred) if gold.shown_digits else (pred, gold)
        # Otherwise the value lies between the digits shown and one more in the last place, which the judge
        # can decide for an exact other side.
        shown = shown_part(unfinished)
        if complete.shown_digits:
            agree = unfinished.text.startswith(complete.text) or complete.text.startswith(unfinished.text)
        else:
            tree = tree_of_term(complete)
            if isinstance(tree, str):
                return GradeVerdict("unread", reason=tree)
            size = Tree("abs", (tree,))
            ends = (
                Tree("<=", (number_tree(abs(shown)), size)),
                Tree("<", (size, number_tree(abs(shown) + Fraction(1, 10**unfinished.shown_digits)))),
            )
            within = self._judge().holds(
                Tree("and", (*ends, Tree("<=", (Tree("0"), Tree("*", (number_tree(shown), tree))))))
            )
            if within.outcome not in ("equal", "different"):
                return to_grade_verdict(within)
            agree = within.outcome == "equal"
        if not agree:
            return GradeVerdict("different", witness=f"{unfinished.text}… and {complete.text}")
        return GradeVerdict("equal if", condition=f"{unfinished.text}… goes on as {complete.text}")

    def _compare_numbers(self, gold: Term, pred: Term) -> GradeVerdict:
        assert gold.value is not None
        assert pred.value is not None
        if gold.value == pred.value:
            return EQUAL
        decimals = self._count_decimals(gold, pred)
        if decimals is not None and abs(gold.value - pred.value) <= Fraction(1, 2 * 10**decimals):
            return GradeVerdict("equal", reason=self._describe_precision(gold, pred))
        return GradeVerdict(
            "different", witness=f"{_format_fraction(gold.value)} and {_format_fraction(pred.value)}"
        )

    def _count_decimals(self, gold: Term, pred: Term) -> int | None:
        """To how many decimals two terms are compared; None: exactly."""
        if self._digits is not None:
            return self._digits
        if self._rounds and _is_rounded(gold, pred):
            return gold.decimals
        # Of two decimals, neither is the rounding of something exact.
        if (gold.decimals is None) == (pred.decimals is None):
            return None
        rounded = pred if gold.decimals is None else gold
        return rounded.decimals if rounded.significant >= _LONG_DECIMAL else None

    def _describe_precision(self, gold: Term, pred: Term) -> str:
        """To how many digits two terms are the same, for the reason of a verdict."""
        if self._digits is not None:
            return f"to {self._digits} decimals"
        if self._rounds and _is_rounded(gold, pred):
            return f"rounded to the {gold.significant} significant digits of the reference"
        return f"to the {max(gold.significant, pred.significant)} significant digits that are written"

    def _compare_rounded(self, gold: Tree, pred: Tree, decimals: int, precision: str) -> GradeVerdict:
        same = self._judge().equal(gold, pred)
        if same.outcome in ("equal", "equal if"):
            return to_grade_verdict(same)
        apart = Tree("abs", (Tree("-", (gold, pred)),))
        half = Tree("/", (Tree("1"), Tree(str(2 * 10**decimals))))
        near = self._judge().holds(Tree("<=", (apart, half)))
        if near.outcome == "equal":
            return GradeVerdict("equal", reason=precision)
        return to_grade_verdict(same if near.outcome == "different" and same.outcome == "different" else near)


def _is_rounded(gold: Term, pred: Term) -> bool:
    """Return whether a reference is a decimal that a more precise answer may round to: one with three or more
    significant digits, beside an exact number or one with more decimals."""
    if not gold.decimals or gold.significant < _ROUNDED_DECIMAL:
        return False
    if pred.decimals is not None:
        return pred.decimals > gold.decimals
    return pred.value is not None or (pred.tree is not None and is_constant(pred.tree))


def _spell_tokens(text: str) -> list[str]:
    """Return the tokens of a text without white space: two of them side by side are no single number."""
    return [token.text for token in tokenize(text) if not is_blank(token)]


def _format_fraction(value: Fraction) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:20]}…{text[-10:]}"
