"""Statements: whether they hold, and whether two of them say the same.

A verdict on one statement is "equal" where it holds and "different" where it does not, with a witness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import pairwise, product
from math import lcm
from random import Random
from typing import TYPE_CHECKING

from flint import ctx, fmpq, fmpq_poly

from engines.core.errors import EngineError
from engines.core.expression_language import display_name
from engines.core.tree import ZERO, Tree
from engines.mathematics.algebra.rational import Space, TooLargeError
from engines.mathematics.judging import numbers, point_sets, shapes
from engines.mathematics.judging.names import (
    COMPARISONS,
    EQUAL,
    INTEGERS,
    OPPOSITE,
    QUANTIFIERS,
    TURNED,
    free_variables,
    is_real,
    replace_variable,
    undecided_verdict,
)
from engines.mathematics.judging.propositions import (
    CONNECTIVES,
    compare_by_table,
    is_proposition,
    unify_bound_variable,
    without_denied_quantifiers,
)
from engines.mathematics.judging.stated_assumptions import (
    Known,
    describe_statement,
    iterate_flat,
    read_assumptions,
)
from engines.mathematics.judging.verdicts import Verdict

if TYPE_CHECKING:
    from engines.mathematics.judging.terms import TermJudge

_STATEMENTS = (*COMPARISONS, *QUANTIFIERS, *CONNECTIVES, "in", "subset", "approx", "congruent")
# Limits of each way to judge: points that are tried, the degree of polynomials, remainders that are gone
# through, and lines with the range of their parameter.
_MAX_POINTS = 60
_DEGREE = 40
_REMAINDERS = 4_000
_LINE_COUNT, _PARAMETER_RANGE = 20, 8
_T = Tree("#t")
_APPROX_TOLERANCE = 0.05
"""Numbers said to be about the same that are so far apart, of their size, are not."""


def can_be_judged(tree: Tree) -> bool:
    """Return whether a tree is a statement of a kind that `judge_statement` decides.

    Of what the reader takes as statements (`engines.formula.cursor.is_statement`), `maps` and `related` are
    left out: nothing is known of the function or relation.
    """
    return tree.label in _STATEMENTS and bool(tree.children)


def expand_plus_minus(statement: Tree) -> Tree:
    """Return a statement without signs ±: an `or` of the statements with all signs + and with all signs -."""
    if not can_be_judged(statement) or "pm" not in statement.list_labels():
        return statement
    if statement.label in ("and", "or", "not", "implies", "iff"):
        return Tree(statement.label, tuple(map(expand_plus_minus, statement.children)))
    return Tree("or", shapes.of_signs(statement, together=True).children)


# ---- whether a statement holds

_NUMBERS = "ℕℤℚℝℂ"
"""Sets of numbers, each a subset of the next."""


def judge_statement(judge: TermJudge, statement: Tree, assume: Sequence[Tree]) -> Verdict:
    """Judge whether a statement holds."""
    label, parts = statement.label, statement.children
    if not can_be_judged(statement):
        return undecided_verdict("it is no statement")
    if label == "=":
        return judge.compare_terms(parts[0], parts[1], assume)
    if label in ("and", "or"):
        return _combine_verdicts(label, [judge_statement(judge, part, assume) for part in parts])
    if label == "implies":
        *given, claim = parts
        return judge_statement(judge, claim, [*assume, *given])
    if label == "iff":
        return judge_equivalence(judge, parts[0], parts[1], assume)
    if label == "not":
        return _judge_negation(judge, parts[0], assume)
    if label == "forall":
        verdict = judge_statement(judge, parts[-1], [*assume, *parts[1:-1]])
        return (
            undecided_verdict("it is not known for all values") if verdict.outcome == "equal if" else verdict
        )
    if label == "exists":
        return undecided_verdict("it is not known whether there is such a value")
    if label == "congruent":
        # a ≡ b (mod n) says that n divides a - b.
        remainder = Tree("mod", (Tree("-", parts[:2]), parts[2]))
        return judge.compare_terms(remainder, ZERO, assume)
    if label == "approx":
        return _judge_approximation(judge, parts[0], parts[1])
    if label == "in":
        return _judge_membership(judge, parts[0], parts[1], assume)
    if label == "subset":
        names = [_NUMBERS.find(part.label) for part in parts if not part.children and part.label]
        if len(names) == 2 and min(names) >= 0:
            if names[0] <= names[1]:
                return EQUAL
            return Verdict("different", witness="the second is the smaller")
        left, right = point_sets.of_term(parts[0]), point_sets.of_term(parts[1])
        # A set is a subset of another one exactly if it equals their intersection.
        common_points = point_sets.PointSet(
            (*left.ends, *right.ends), lambda at: left.holds(at) and right.holds(at)
        )
        if (difference := left.find_difference(common_points)) is None:
            return EQUAL
        return Verdict("different", witness=f"{difference.text} belongs to the first only")
    return _judge_relation(judge, statement, assume)


def _combine_verdicts(label: str, verdicts: Sequence[Verdict]) -> Verdict:
    decisive = "different" if label == "and" else "equal"
    for one in verdicts:
        if one.outcome == decisive:
            return one
    for verdict in ("undecided", "equal if"):
        some = [one for one in verdicts if one.outcome == verdict]
        if label == "and" and some:
            if verdict == "undecided":
                return some[0]
            conditions = " and ".join(dict.fromkeys(one.condition for one in some))
            return Verdict("equal if", conditions, some[0].witness, some[0].reason)
    if label == "and":
        return verdicts[0]
    if all(one.outcome == "different" for one in verdicts) and len({one.witness for one in verdicts}) == 1:
        return verdicts[0]
    return undecided_verdict("it is not known which of them holds")


def _judge_negation(judge: TermJudge, statement: Tree, assume: Sequence[Tree]) -> Verdict:
    if statement.label in OPPOSITE:
        return judge_statement(judge, Tree(OPPOSITE[statement.label], statement.children), assume)
    result = judge_statement(judge, statement, assume)
    if free_variables(statement) or result.outcome not in ("equal", "different"):
        return undecided_verdict("the opposite is not judged")
    return Verdict("different", witness="it holds") if result.outcome == "equal" else EQUAL


def _judge_approximation(judge: TermJudge, left: Tree, right: Tree) -> Verdict:
    """Return whether a number is about another: to the digits that are written."""
    sides = shapes.evaluate_matrices(left, right)
    if not all(numbers.is_number(side) for side in sides):
        result = judge.compare_terms(left, right)
        return (
            result if result.outcome in ("equal", "equal if") else undecided_verdict("it is about equal only")
        )
    try:
        with ctx.workprec(256):
            first, second = (numbers.number_ball(side, 256) for side in sides)
            apart = abs(first - second)
            for side, written, given in zip(sides, (first, second), (second, first), strict=True):
                # Take each side in turn as the rounded one: it has as many decimals as are written.
                text = side.label if not side.children else ""
                digits = len(text.partition(".")[2])
                digit = 10.0**-digits if text.lstrip("-.")[:1].isdigit() else 0.0
                # rounded, or cut off
                if 2 * apart <= digit or (apart < digit and abs(written) < abs(given)):
                    return EQUAL
            if apart > _APPROX_TOLERANCE * max(abs(first), abs(second)):
                witness = f"{numbers.format_number(left)} and {numbers.format_number(right)}"
                return Verdict("different", witness=witness)
    except numbers.NoValueError:
        return undecided_verdict("one of them has no real value")
    return undecided_verdict("it is about equal only")


def _judge_membership(judge: TermJudge, member: Tree, whole: Tree, assume: Sequence[Tree]) -> Verdict:
    if not whole.children and whole.label in INTEGERS:
        if numbers.is_number(member):
            exact = numbers.exact_value(member)
            if exact is None:
                return judge.compare_terms(Tree("floor", (member,)), member, assume)
            inside = exact == int(exact) and (exact >= 0 or whole.label not in ("N", "ℕ"))
            return EQUAL if inside else Verdict("different", witness=numbers.format_number(member))
        return undecided_verdict("it is not known whether it is an integer")
    if whole.label in ("set", "list") and (whole.children or whole.label == "set"):
        return _find_member(judge, member, whole.children, assume)
    if whole.label in ("Q", "ℚ") and not whole.children and numbers.exact_value(member) is not None:
        return EQUAL
    if numbers.is_number(member) and not free_variables(whole):
        inside = point_sets.of_term(whole).holds(point_sets.to_real_number(member))
        return EQUAL if inside else Verdict("different", witness=numbers.format_number(member))
    return undecided_verdict("it is not known whether it belongs to the set")


def _find_member(judge: TermJudge, member: Tree, others: Sequence[Tree], assume: Sequence[Tree]) -> Verdict:
    """Judge whether a set or list that is written out has a member."""
    results = []
    for one in others:
        # {2} is a member of {{2}}, and 2 is none.
        if {shapes.shape_of(member), shapes.shape_of(one)} == {"scalar", "set"}:
            results.append(Verdict("different", witness=numbers.format_number(member)))
        else:
            results.append(judge.compare_terms(member, one, assume))
    if not results:
        return Verdict("different", witness="the set is empty")
    if all(one.outcome == "different" for one in results) and not free_variables(member, *others):
        return Verdict("different", witness="it is none of its members")
    return _combine_verdicts("or", results)


def _judge_relation(judge: TermJudge, statement: Tree, assume: Sequence[Tree]) -> Verdict:
    known = read_assumptions(assume)
    sides = [known.substitute_given(side) for side in shapes.evaluate_matrices(*statement.children)]
    relation = Tree(statement.label, tuple(sides))
    names = free_variables(*sides)
    # Other shapes can only be equal or not.
    if any(shapes.shape_of(side) != "scalar" for side in sides):
        if statement.label == "!=":
            equality = judge.compare_terms(sides[0], sides[1], assume)
            if names or equality.outcome not in ("equal", "different"):
                return undecided_verdict(equality.reason or "it is not known whether they are ever equal")
            return (
                EQUAL if equality.outcome == "different" else Verdict("different", witness="they are equal")
            )
        return undecided_verdict("an order of such terms is not judged")
    # Two numbers are compared directly.
    if not names and numbers.is_number(relation.children[0]) and numbers.is_number(relation.children[1]):
        try:
            sign = numbers.compare_numbers(sides[0], sides[1])
        except numbers.NoValueError:
            return undecided_verdict("one of them has no real value")
        if sign is None:
            return undecided_verdict("the difference is too small to be seen")
        if point_sets.sign_satisfies(statement.label, sign):
            return EQUAL
        return Verdict(
            "different", witness=f"{numbers.format_number(sides[0])} and {numbers.format_number(sides[1])}"
        )
    # In one variable, the set where the relation holds is known exactly.
    if len(names) == 1:
        try:
            return _judge_one_variable(relation, next(iter(names)), assume)
        except (point_sets.UnclearError, numbers.NoValueError):
            pass  # an end of the set, as √-3, may be no real number
    # Otherwise try points for a counterexample, then look for a certificate.
    witness = _find_refutation(relation, known)
    if witness:
        return Verdict("different", witness=witness)
    if statement.label == "!=":
        return undecided_verdict("no values are known to be the same")
    return _certify_relation(relation, known) or undecided_verdict(
        "it holds at all points tried, which proves nothing"
    )


def _judge_one_variable(statement: Tree, name: str, assume: Sequence[Tree]) -> Verdict:
    """Judge a relation in one variable by the exact set of values at which it holds.

    Raises:
        UnclearError: When that set cannot be worked out.
    """
    # A set of integers is not made of intervals.
    if any(one.label == "in" and one.children[1].label in INTEGERS for one in iterate_flat(assume)):
        raise point_sets.UnclearError
    given = [
        point_sets.of_statement(one, name) for one in iterate_flat(assume) if free_variables(one) == {name}
    ]
    claim = point_sets.of_statement(statement, name)
    ends = tuple(end for one in (*given, claim) for end in one.ends)
    region = point_sets.PointSet(ends, lambda at: all(one.holds(at) for one in given))
    both = point_sets.PointSet(ends, lambda at: region.holds(at) and claim.holds(at))
    difference = region.find_difference(both)
    if difference is None:
        return EQUAL
    # If the claim fails at single points only, not between any two ends, these are exceptional points.
    outside = point_sets.PointSet(ends, lambda at: region.holds(at) and not claim.holds(at))
    if not any(
        outside.holds(at)
        for at in map(point_sets.to_root, point_sets.points_between(point_sets.sort_numbers(ends)))
    ):
        single = [at.text for at in point_sets.sort_numbers(ends) if outside.holds(at)]
        return Verdict(
            "equal if",
            " and ".join(f"{display_name(name)} != {text}" for text in single),
            f"{display_name(name)} = {difference.text}",
        )
    return Verdict("different", witness=f"{display_name(name)} = {difference.text}")


def _find_refutation(statement: Tree, known: Known) -> str:
    """Return a point where a relation certainly does not hold."""
    names = sorted(free_variables(statement) | known.assumptions.variables)
    if known.unclear or not all(map(is_real, statement.children)):
        return ""
    for point in _sample_points(names, known):
        if truth_at(statement, point) is False:
            return numbers.point_shown(point)
    return ""


def _sample_points(names: Sequence[str], known: Known) -> list[dict[str, float]]:
    random, result = Random(0), []
    whole = {*known.assumptions.integers}
    for _ in range(4 * _MAX_POINTS):
        size = random.choice((1, 4, 20))
        point = {
            name: float(random.randint(-10, 30))
            if name in whole
            else random.randint(-64 * size, 64 * size) / 64
            for name in names
        }
        relations = [Tree(one.sign, (one.left, one.right)) for one in known.assumptions.relations]
        if all(truth_at(one, point) for one in relations):
            result.append(point)
        if len(result) == _MAX_POINTS:
            break
    return result


def truth_at(statement: Tree, point: dict[str, float]) -> bool | None:
    """Return whether a statement holds at a point; None where it cannot be told."""
    label, parts = statement.label, statement.children
    if label in ("and", "or", "not"):
        sides = [truth_at(part, point) for part in parts]
        if label == "not":
            return None if sides[0] is None else not sides[0]
        # One true part decides `or`, and one false part `and`, even where other parts are unknown.
        if (decisive := label == "or") in sides:
            return decisive
        return None if None in sides else not decisive
    if label not in COMPARISONS or not all(map(is_real, parts)):
        return None
    values = [numbers.evaluate_at(part, point) for part in parts]
    if any(value is None or not value.is_finite() for value in values):
        return None
    left, right = values
    assert left is not None
    assert right is not None
    sign = -1 if left < right else 1 if left > right else 0 if left == right else None
    return None if sign is None else point_sets.sign_satisfies(label, sign)


def _certify_relation(statement: Tree, known: Known) -> Verdict | None:
    """Return EQUAL where the signs of the parts prove the relation: squares, powers, absolute values."""
    signs = {
        one.right.label: 0 if one.sign == "<=" else 1
        for one in known.assumptions.relations
        if one.left == ZERO and one.sign != "!=" and not one.right.children
    }
    left, right = statement.children
    if statement.label in ("<", "<="):
        left, right = right, left
    result = _certain_sign(Tree("-", (left, right)) if right != ZERO else left, signs)
    if result is None:
        return None
    return EQUAL if result > 0 or "=" in statement.label else None


def _certain_sign(tree: Tree, signs: Mapping[str, int]) -> int | None:
    """Return 1 for a term that is positive wherever it is defined, 0 if it is not negative, else None."""
    label, parts = tree.label, tree.children
    exact = numbers.exact_value(tree)
    if exact is not None:
        return None if exact < 0 else 1 if exact > 0 else 0
    if not parts:
        return 1 if label in ("pi", "e") else signs.get(label)
    if label in ("+", "*", "/"):
        sides = [_certain_sign(part, signs) for part in parts]
        if sides[0] is None or sides[1] is None:
            # The sign of u is unknown, but u · u is not negative.
            return 0 if label == "*" and parts[0] == parts[1] else None
        # A sum is positive if one of its terms is and none is negative, a
        # product only if all factors are.
        return max(sides[0], sides[1]) if label == "+" else min(sides[0], sides[1])
    if label == "pow":
        exponent = numbers.exact_value(parts[1])
        base = _certain_sign(parts[0], signs)
        if base == 1:
            return 1
        # An even power is not negative, and with a negative exponent it is positive wherever it is defined.
        if exponent is not None and exponent == int(exponent) and exponent % 2 == 0:
            return 0 if exponent > 0 else 1
        return base
    if label in ("cosh", "sech"):
        return 1
    return 0 if label in ("abs", "sqrt", "acosh") else None


# ---- whether two statements say the same


def judge_equivalence(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict:
    """Judge whether two statements say the same."""
    left, right = (without_denied_quantifiers(one) for one in (left, right))
    both_propositional = is_proposition(left) and is_proposition(right)
    if both_propositional or any(one.label in CONNECTIVES for one in (left, right)):
        by_table = compare_by_table(left, right)
        if by_table is not None:
            return by_table
    if not (can_be_judged(left) and can_be_judged(right)):
        return _compare_with_set(left, right)
    if left.label in QUANTIFIERS or right.label in QUANTIFIERS:
        return _judge_quantified(judge, left, right, assume)
    # Relations with the same sides, up to order, say the same.
    if left.label in COMPARISONS and right.label in COMPARISONS:
        same = _compare_sides(judge, left, right, assume)
        if same is not None:
            return same
    if left.label == right.label == "congruent":
        return _judge_congruences(judge, left, right, assume)
    names = free_variables(left, right)
    # In one variable: compare the sets where they hold.
    if len(names) == 1 and not assume:
        name = next(iter(names))
        try:
            witness_point = point_sets.of_statement(left, name).find_difference(
                point_sets.of_statement(right, name)
            )
        except point_sets.UnclearError:
            pass
        else:
            if witness_point is None:
                return EQUAL
            return Verdict(
                "different", witness=f"{display_name(name)} = {witness_point.text}: only one of them holds"
            )
    # The same connective of equal parts.
    if left.label == right.label and left.label in ("and", "or", "in", "subset", "iff", "not"):
        result = _compare_parts(judge, left, right, assume)
        if result is not None:
            return result
    # Equations are compared as differences that are multiples of each other.
    joined = [_as_single_equation(side) for side in (left, right)]
    if joined[0] is not None and joined[1] is not None:
        return _judge_equations(judge, joined[0], joined[1], assume)
    # At last, a point at which only one of them holds.
    known = read_assumptions(assume)
    if not known.unclear:
        for point in _sample_points(sorted(names | known.assumptions.variables), known):
            left_truth, right_truth = truth_at(left, point), truth_at(right, point)
            if left_truth is not None and right_truth is not None and left_truth != right_truth:
                return _differ_at(point)
    return undecided_verdict("it is not known whether they say the same")


def _judge_quantified(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict:
    """Statements with the same quantifier over the same values say the same if what they quantify does."""
    alike = unify_bound_variable(left, right)
    if alike is not None:
        body, ranges, other, others = alike
        same = all(
            judge_equivalence(judge, *pair, assume).outcome == "equal"
            for pair in zip(ranges, others, strict=True)
        )
        if same and judge_equivalence(judge, body, other, [*assume, *ranges]).outcome == "equal":
            return EQUAL
    return undecided_verdict("quantified statements are compared by their parts, and these are not the same")


def _differ_at(point: Mapping[str, float]) -> Verdict:
    return Verdict("different", witness=f"{numbers.point_shown(point)}: only one of them holds")


def _judge_congruences(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict:
    """They say the same if their differences, or one and the other's negative, are congruent always."""
    left_value, right_value = (Tree("-", each.children[:2]) for each in (left, right))
    modulus, second = left.children[2], right.children[2]
    if modulus == second or judge.compare_terms(modulus, second, assume).outcome == "equal":
        # n divides a exactly if it divides -a, so the sum counts as well as the difference.
        for sign in ("-", "+"):
            gap = Tree(sign, (left_value, right_value))
            for multiple in (gap, Tree("mod", (gap, modulus))):
                result = judge.compare_terms(multiple, ZERO, assume)
                if result.outcome == "equal":
                    return result
    if not assume and (found_by_remainders := _compare_all_remainders(left, right)) is not None:
        return found_by_remainders
    random = Random(0)
    names = sorted(free_variables(left, right))
    remainders = [
        Tree("=", (Tree("mod", pair), ZERO)) for pair in ((left_value, modulus), (right_value, second))
    ]
    # Look for integers at which only one of the two holds.
    for _ in range(0 if assume else _MAX_POINTS):
        point = {name: float(random.randint(0, 12)) for name in names}
        held = [truth_at(remainder, point) for remainder in remainders]
        if None not in held and held[0] != held[1]:
            return _differ_at(point)
    return undecided_verdict("it is not known whether they say the same")


def _compare_all_remainders(left: Tree, right: Tree) -> Verdict | None:
    """Of polynomials with whole coefficients and plain moduli: by all remainders of the variables."""
    results = []
    for one in (left, right):
        modulus = numbers.exact_value(one.children[2])
        if modulus is None or modulus != int(modulus) or modulus < 1:
            return None
        if not all(map(_is_polynomial, one.children[:2])):
            return None
        results.append((Tree("-", one.children[:2]), int(modulus)))
    # Both statements depend on the remainders by the least common multiple of the moduli alone.
    whole = lcm(*(modulus for _, modulus in results))
    names = sorted(free_variables(left, right))
    if not names or whole ** len(names) > _REMAINDERS:
        return None
    try:
        space = Space([tree for tree, _ in results])
        rows = [space.to_quotient(tree) for tree, _ in results]
    except (TooLargeError, EngineError, RecursionError, KeyError):
        return None
    if sorted(atom.label for atom in space.atoms) != names:
        return None
    # Over whole numbers only: a denominator or a fraction would not respect remainders.
    if any(not bottom.is_one() or any(c.q != 1 for c in top.to_dict().values()) for top, bottom in rows):
        return None
    for values in product(range(whole), repeat=len(names)):
        point = dict(zip(names, values, strict=True))
        held = []
        for (top, _), (_, modulus) in zip(rows, results, strict=True):
            value = top(*(point[atom.label] for atom in space.atoms))
            held.append(int(value) % modulus == 0)
        if held[0] != held[1]:
            return _differ_at(point)
    return EQUAL


def _compare_with_set(left: Tree, right: Tree) -> Verdict:
    """Compare a statement in one variable with a set of its values, or with its only one."""
    statement, members = (left, right) if can_be_judged(left) else (right, left)
    names = free_variables(statement)
    if len(names) != 1 or free_variables(members):
        return undecided_verdict("only one of them is a statement")
    one = point_sets.of_statement(statement, next(iter(names)))
    difference = one.find_difference(
        point_sets.of_term(Tree("set", (members,)) if shapes.shape_of(members) == "scalar" else members)
    )
    if difference is None:
        return Verdict("equal", reason="the values of the variable are compared")
    return Verdict(
        "different", witness=f"{next(iter(names))} = {difference.text} belongs to one of them only"
    )


def _compare_sides(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict | None:
    """Return that relations are equal if their sides are, in this order or the other, or if their differences
    are multiples; None where that decides nothing.
    """
    turned = Tree(TURNED[right.label], right.children[::-1])
    for other in (right, turned):
        if other.label == left.label:
            result = shapes.judge_members(judge, left.children, other.children, assume)
            if result.outcome == "equal":
                return result
            return _judge_multiple(judge, left, other, assume)
    return None


def _judge_multiple(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict | None:
    if any(shapes.shape_of(side) != "scalar" for one in (left, right) for side in one.children):
        return None
    one, other = (Tree("-", side.children) for side in (left, right))
    names = sorted(free_variables(one, other))
    if "unit" in {*one.list_labels(), *other.list_labels()} or not names:
        return None
    # If one difference is a multiple of the other, the quotient of their values at a point is the factor.
    for start in (3, 7):
        point = {name: Tree(f"{start + 2 * index}") for index, name in enumerate(names)}
        factors = [_substitute_values(tree, point) for tree in (one, other)]
        try:
            sign = [numbers.compare_numbers(factor, ZERO) for factor in factors]
        except (numbers.NoValueError, KeyError):
            continue
        if not all(sign):
            continue
        # Only a positive factor keeps the direction of an inequality.
        if left.label not in ("=", "!=") and sign[0] != sign[1]:
            return None
        factor = Tree("/", (factors[0], factors[1]))
        result = judge.compare_terms(one, Tree("*", (factor, other)), assume)
        return result if result.outcome == "equal" else None
    return None


def _compare_parts(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict | None:
    """Return that statements are equal if their parts are, which in `and`, `or` and `iff` are in any order;
    None where that decides nothing.
    """
    if len(left.children) != len(right.children):
        return None
    rest = list(right.children)
    for index, part in enumerate(left.children):
        choices = rest if left.label in ("and", "or", "iff") else [right.children[index]]
        for candidate in choices:
            if part == candidate or judge.compare_terms(part, candidate, assume).outcome == "equal":
                rest.remove(candidate)
                break
        else:
            return None
    return EQUAL


def _judge_equations(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict:
    """Judge two equations by solving each for a variable in which it is linear, and substituting it into the
    other."""
    verdicts = []
    for first, second in ((left, right), (right, left)):
        solved = _solve_linear(first)
        if solved is None:
            continue
        name, instead = solved
        sides = [replace_variable(side, name, instead) for side in second.children]
        result = judge.compare_terms(sides[0], sides[1], assume)
        if result.outcome == "different":
            witness = f"{display_name(name)} = {describe_statement(instead)} solves one of them only"
            return Verdict("different", witness=witness)
        verdicts.append(result.outcome)
    if verdicts == ["equal", "equal"] or _have_same_factors(left, right):
        return _compare_domains(judge, left, right, assume)
    apart = None if assume else _find_separating_solution(left, right)
    return apart or undecided_verdict("it is not known whether they have the same solutions")


def _as_single_equation(statement: Tree) -> Tree | None:
    """Return an equation, or one that says that any of several between polynomials holds; None for others."""
    if statement.label == "=":
        return statement
    parts = statement.children
    if statement.label != "or" or any(part.label != "=" for part in parts):
        return None
    sides = [Tree("-", part.children) for part in parts]
    if not all(map(_is_polynomial, sides)):
        return None
    return Tree("=", (reduce(lambda left, right: Tree("*", (left, right)), sides), ZERO))


def _is_polynomial(tree: Tree) -> bool:
    return numbers.is_polynomial(tree, _DEGREE - 1)


def _find_separating_solution(left: Tree, right: Tree) -> Verdict | None:
    """Equations between polynomials, by a point that solves one of them only.

    On a line the first is a polynomial in one variable. Without the factors that it shares with the second it
    changes its sign between two values: there it is 0, and the second is not.
    """
    differences = [Tree("-", one.children) for one in (left, right)]
    if not all(map(_is_polynomial, differences)):
        return None
    names = sorted(free_variables(left, right))
    random = Random(0)
    # Restrict both to a random line through integer points: polynomials in t.
    for _ in range(_LINE_COUNT):
        start, direction = ([random.randint(-3, 3) for _ in names] for _ in range(2))
        line_of = {
            name: Tree("+", (Tree(str(a)), Tree("*", (Tree(str(b)), _T))))
            for name, a, b in zip(names, start, direction, strict=True)
        }
        first, second = (_in_one_variable(_substitute_values(one, line_of)) for one in differences)
        if first is None or second is None:
            return None
        for one, other in ((first, second), (second, first)):
            # Remove common factors: only roots of one of them can tell the two apart.
            while one.degree() > 0 and (shared := one.gcd(other)).degree() > 0:
                one = one / shared
            values = (
                [(t, one(t)) for t in range(-_PARAMETER_RANGE, _PARAMETER_RANGE + 1)]
                if one.degree() > 0
                else []
            )
            # A change of sign brackets a root, by the intermediate value theorem.
            for (low, before), (high, after) in pairwise(values):
                if before * after < 0:
                    root = _approximate_root(one, Fraction(low), Fraction(high))
                    at = {
                        name: float(a + b * root) for name, a, b in zip(names, start, direction, strict=True)
                    }
                    witness = f"near {numbers.point_shown(at)} only one of them holds"
                    return Verdict("different", witness=witness)
                if before == 0 or after == 0:
                    t = low if before == 0 else high
                    at = {name: a + b * t for name, a, b in zip(names, start, direction, strict=True)}
                    witness = f"{numbers.point_shown(at)} solves one of them only"
                    return Verdict("different", witness=witness)
    return None


def _substitute_values(tree: Tree, values: Mapping[str, Tree]) -> Tree:
    for name, value in values.items():
        tree = replace_variable(tree, name, value)
    return tree


def _in_one_variable(tree: Tree) -> fmpq_poly | None:
    try:
        space = Space([tree])
        top, bottom = space.to_quotient(tree)
    except (TooLargeError, EngineError, RecursionError, KeyError):
        return None
    if not bottom.is_constant() or any(atom != _T for atom in space.atoms) or top.total_degree() > _DEGREE:
        return None
    rows = {exponents[0] if exponents else 0: c for exponents, c in top.to_dict().items()}
    scale = fmpq(1) / bottom.leading_coefficient()
    return fmpq_poly([rows.get(power, 0) * scale for power in range(max(rows, default=0) + 1)])


def _approximate_root(polynomial: fmpq_poly, low: Fraction, high: Fraction) -> Fraction:
    """Return a point near a root between two values at which a polynomial has different signs."""
    for _ in range(40):
        middle = (low + high) / 2
        value = polynomial(fmpq(middle.numerator, middle.denominator))
        same = value * polynomial(fmpq(low.numerator, low.denominator)) > 0
        low, high = (middle, high) if same else (low, middle)
    return low


def _compare_domains(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict:
    """Judge whether equations that have the same solutions once reduced are defined at the same points."""
    sides = [Tree("*", (ZERO, Tree("-", one.children))) for one in (left, right)]
    result = judge.compare_terms(sides[0], sides[1], assume)
    if result.outcome in ("equal", "equal if") and not result.witness:
        return result
    return undecided_verdict("it is not known whether they are defined at the same points")


def _solve_linear(equation: Tree) -> tuple[str, Tree] | None:
    """Return a variable in which an equation is linear, with a number before it, and what it is equal to."""
    difference = Tree("-", equation.children)
    try:
        space = Space([difference])
        top, bottom = space.to_quotient(difference)
    except (TooLargeError, EngineError, RecursionError, KeyError):
        return None
    if not bottom.is_constant():
        return None
    rows = top.to_dict()
    for index, atom in enumerate(space.atoms):
        if atom.children or atom.label in ("pi", "e", "i"):
            continue
        # The variable must not be inside another atom, such as sin a, where solving for it fails.
        if any(atom.label in other.list_labels() for other in space.atoms if other != atom):
            continue
        # Linear means here: exactly one term has the variable, and this term is
        # the variable times a number.
        with_it = {exponents: c for exponents, c in rows.items() if exponents[index]}
        if len(with_it) != 1:
            continue
        ((exponents, c),) = with_it.items()
        if sum(exponents) != 1:
            continue
        rest = space.make_polynomial({e: -value / c for e, value in rows.items() if not e[index]})
        return atom.label, space.polynomial_to_tree(rest)
    return None


def _have_same_factors(left: Tree, right: Tree) -> bool:
    """Return whether the differences of equations have the same irreducible factors, hence the same
    solutions.
    """
    differences = [Tree("-", one.children) for one in (left, right)]
    try:
        space = Space(differences)
        results = []
        for one in differences:
            top, bottom = space.to_quotient(one)
            if not bottom.is_constant() or top.is_zero():
                return False
            _, rows = space.factor_quotient(space.reduce_quotient(top, space.constant_polynomial(1)))
            results.append({tree for tree, _ in rows})
    except (TooLargeError, EngineError, RecursionError, KeyError):
        return False
    return results[0] == results[1] and bool(results[0])
