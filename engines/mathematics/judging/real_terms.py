"""Real terms of any variables: are they equal, and if not everywhere, under which condition?"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from flint import fmpq

from engines.core.errors import EngineError
from engines.core.expression_language import CONSTANTS, FURTHER, VARIABLE, display_name, variables_of
from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree
from engines.mathematics.algebra.rational import Space, TooLargeError
from engines.mathematics.judging import numbers
from engines.mathematics.judging.missing_hypotheses import find_hypothesis
from engines.mathematics.judging.names import (
    EQUAL,
    undecided_verdict,
)
from engines.mathematics.judging.numbers import NoValueError
from engines.mathematics.judging.renamed_terms import RenamedTerms, rename_variables
from engines.mathematics.judging.stated_assumptions import Known, add_implied_integers
from engines.mathematics.judging.verdicts import Outcome, Verdict
from engines.mathematics.terms.notation import to_infix
from engines.mathematics.verification.enclosures import value_at
from engines.mathematics.verification.explain import describe_domain
from engines.mathematics.verification.verdicts import MemberVerdict

_MOST_VARIABLES = 24
# Expanding higher powers is slow, and a polynomial that is not 0 differs at one of the first points.
_MOST_POWER, _MOST_TRIES = 24, 8
_CONDITIONS = 3
_SPELT = {"≥": ">=", "≤": "<=", "≠": "!="}
_DOMAINS: Mapping[str, str] = {
    "ln": "{} > 0",
    "sqrt": "{} >= 0",
    "asin": "-1 <= {} <= 1",
    "acos": "-1 <= {} <= 1",
    "factorial": "{} >= 0",
    "gamma": "{} > 0",
}


def judge_real_terms(left: Tree, right: Tree, known: Known, *, seed: int = 0) -> Verdict:
    """Judge whether two real terms of the core language are equal."""
    if max(len(left), len(right)) > MAX_NODES or max(left.depth, right.depth) > MAX_DEPTH:
        return undecided_verdict("the terms are too large")
    names = variables_of(left, right) | known.assumptions.variables
    if not names:
        return judge_numbers(left, right)
    if len(names) > _MOST_VARIABLES:
        return undecided_verdict(f"there are more than {_MOST_VARIABLES} variables")
    # Polynomials are decided exactly, which is faster and leaves no doubt.
    if (result := _judge_polynomials(left, right, known)) is not None:
        return result
    whole = add_implied_integers((left, right), known)
    renamed = RenamedTerms(left, right, whole.assumptions)
    # An error means that the verifier cannot judge the terms, and says nothing about them.
    try:
        result = _judge_renamed(renamed, seed)
    except (EngineError, RecursionError, OverflowError) as error:
        what = error.what if isinstance(error, EngineError) else "the terms are too large"
        return undecided_verdict(what)
    notes = "; ".join(whole.notes)
    # An assumption that is not understood might exclude the point at which they differ.
    if result.outcome == "different" and whole.unclear:
        return undecided_verdict(f"{whole.unclear} is assumed, which is not understood")
    return replace(result, reason="; ".join(filter(None, [result.reason, notes])))


def _judge_polynomials(left: Tree, right: Tree, known: Known) -> Verdict | None:
    """Polynomials are equal if their coefficients are. None for other terms, or where it depends on what is
    assumed."""
    if not (_is_polynomial(left) and _is_polynomial(right)):
        return None
    difference = Tree("-", (left, right))
    space = Space([difference])
    try:
        result = space.to_quotient(difference).top
    except TooLargeError:
        return None
    # A polynomial vanishes everywhere exactly if all of its coefficients do.
    if result.is_zero():
        return EQUAL
    # Under assumptions, such as x = y, they may be equal all the same.
    if known.assumptions or known.unclear or known.notes:
        return None
    names = [atom.label for atom in space.atoms]
    # A polynomial that is not zero has few zeros, so one of the first small points shows the difference.
    for start in range(2, 2 + _MOST_TRIES):
        point = {name: fmpq(start + 3 * index) for index, name in enumerate(names)}
        first, second = (value_at(side, point) for side in (left, right))
        if first is not None and second is not None and not first.overlaps(second):
            at_ = ", ".join(f"{display_name(name)} = {position}" for name, position in point.items())
            return Verdict("different", witness=f"{at_}: {float(first):.8g} and {float(second):.8g}")
    return None


def _is_polynomial(tree: Tree) -> bool:
    return numbers.is_polynomial(tree, _MOST_POWER) and {*CONSTANTS}.isdisjoint(tree.list_labels())


def judge_numbers(left: Tree, right: Tree) -> Verdict:
    """Judge whether two terms without variables are the same number."""
    try:
        sign = numbers.compare_numbers(left, right)
    except NoValueError:
        return undecided_verdict("one of them has no real value")
    if sign is None:
        return undecided_verdict("the difference is too small to be seen, or a value is not known")
    if sign:
        return Verdict("different", witness=numbers.format_apart(left, right))
    return EQUAL


def _judge_renamed(terms: RenamedTerms, seed: int) -> Verdict:
    verdict, reason = terms.verify_terms(terms.assumptions, seed)
    match verdict.outcome:
        case "equal" | "extends" | "shrinks":
            return _make_equal_verdict(terms, verdict)
        case "different":
            condition = find_hypothesis(terms, seed)
            witness = _describe_witness(terms, verdict)
            if condition:
                return Verdict("equal if", condition, witness)
            return Verdict("different", witness=witness)
    condition = find_hypothesis(terms, seed)
    if condition:
        return Verdict("equal if", condition)
    if verdict.outcome == "nowhere":
        return undecided_verdict("they have no value at the same points")
    return undecided_verdict(reason or "too few points show whether they are equal")


def _make_equal_verdict(terms: RenamedTerms, verdict: MemberVerdict) -> Verdict:
    exceptional = terms.exclude_exceptional_points(verdict)
    if verdict.outcome == "equal":
        outcome: Outcome = "equal if" if exceptional else "equal"
        return Verdict(outcome, exceptional, checked=verdict.checked)
    left = verdict.outcome == "extends" or verdict.gained
    sides = [*([terms.left] if left else []), *([terms.right] if verdict.outcome != "extends" else [])]
    condition = _describe_domain(terms, sides)
    conditions = " and ".join(filter(None, [condition, exceptional]))
    return Verdict("equal if", conditions, checked=verdict.checked)


def _describe_domain(terms: RenamedTerms, sides: Sequence[Tree]) -> str:
    """Return where terms are defined, in words: what their own parts need that those of the other do
    not."""
    plain = FURTHER.keys().isdisjoint(sides[0].list_labels())
    if plain and set(terms.own_names) == {VARIABLE} and not terms.assumptions and len(sides) == 1:
        text = describe_domain(sides[0]).text
        if text and not text.startswith(("about", "unknown", "nowhere")):
            for sign, spelt in _SPELT.items():
                text = text.replace(sign, spelt)
            return re.sub(r"\bx\b", display_name(terms.own_names[VARIABLE]), text)
    others = {*list_needs(terms.left)} & {*list_needs(terms.right)}
    results = [need for side in sides for need in list_needs(side) if need not in others]
    texts = [
        text.format(to_infix(rename_variables(tree, terms.own_names)))
        for text, tree in dict.fromkeys(results)
    ]
    return " and ".join(texts[:_CONDITIONS]) if texts else "both sides are defined"


def _describe_witness(terms: RenamedTerms, verdict: MemberVerdict) -> str:
    example = verdict.counterexample
    if example is None:
        return ""
    at = dict(example.at) or {VARIABLE: example.x}
    positions = ", ".join(
        f"{display_name(terms.own_names.get(name, name))} = {position:.6g}"
        for name, position in at.items()
        if name in terms.own_names
    )
    sides = [("no value" if side is None else f"{side:.8g}") for side in (example.head, example.member)]
    return f"{positions}: {sides[0]} and {sides[1]}"


def list_needs(tree: Tree) -> list[tuple[str, Tree]]:
    """Return what the parts of a term need in order to be defined: texts with a gap for a term, and the
    terms.
    """
    result: list[tuple[str, Tree]] = []
    for node in tree:
        if node.label in _DOMAINS:
            inner = node.children[0]
            result += [] if numbers.is_number(inner) else [(_DOMAINS[node.label], inner)]
        elif node.label in ("/", "mod") and not _never_zero(node.children[1]):
            result.append(("{} != 0", node.children[1]))
        elif node.label == "pow":
            base, exponent = node.children
            fixed = numbers.exact_value(exponent)
            if numbers.is_number(base):
                continue
            # A real power with an exponent that is no integer needs a base that is not negative.
            if fixed is None or fixed != int(fixed):
                result.append(("{} >= 0" if fixed is not None and fixed > 0 else "{} > 0", base))
            # An exponent of 0 or less excludes the base 0.
            elif fixed <= 0:
                result.append(("{} != 0", base))
        elif node.label == "log":
            result += [("{} > 0", part) for part in node.children if not numbers.is_number(part)]
    return result


def _never_zero(tree: Tree) -> bool:
    """Return whether a term is certainly not 0 where it is defined."""
    if tree.label == "*":
        return all(map(_never_zero, tree.children))
    return (
        numbers.is_number(tree) or tree.label in ("factorial", "gamma") or tree.children[:1] == (Tree("e"),)
    )
