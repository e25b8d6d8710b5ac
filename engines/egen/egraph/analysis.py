"""What the e-graph knows about its classes: constants and facts."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from engines.core.expression_language import ARITY, FUNCTIONS, RESULT_LIMIT, VARIABLE, fold_numbers, is_number
from engines.core.tree import Tree
from engines.mathematics.assumptions import AssumedRelation, Assumptions

# Facts about classes as the bits of one integer, so that one rule of egglog stands for many implications.
#
# Searching costs more by the number of rules than by what they find. Implications about the same nodes (`(= e
# (Mul u v))`) become one rule, which works out all of them at once from what is known of the classes. Facts
# that guard rules of the table are relations too, filled from the bits where these are settled.

FACTS = (
    *("Konst", "Alg", "Trans", "Nonconst", "Nz", "Pos", "Nonneg", "Bounded", "Absge1", "Ge1"),
    *("Nonpos", "Whole", "Free"),
)
"""What can be known of a class. Konst: no x in it. Alg: an algebraic function. Trans: transcendental on every
interval. Nonconst: constant on no interval. Nz: zero only at isolated points. Pos > 0, Nonneg >= 0,
Bounded: |u| <= 1, Absge1: |u| >= 1, Ge1: u >= 1. Of assumptions alone: Nonpos <= 0, Whole: an integer, Free:
no x in it."""
GUARDS = FACTS[3:]
"""Those that guard rules of the table."""
_PLACES = {name: place for place, name in enumerate(FACTS)}
_ATOM = re.compile(r"\((\w+) (\w+)\)")
_Fact = tuple[str, str]


class Implication(NamedTuple):
    """What follows from a query, whose conditions may be facts: `(= e (Abs u)) (Bounded u)`, `Bounded e`."""

    query: str
    facts: tuple[str, ...]


def rule_text(query: str, actions: str, ruleset: str) -> str:
    """Return a rule as egglog text."""
    return f"(rule ({query}) ({actions}) :ruleset {ruleset})"


def note_action(term: str, *facts: str) -> str:
    """Return the action that notes facts about a term."""
    return f"(set (Known {term}) {sum(1 << _PLACES[fact] for fact in facts)})"


def iterate_asked_rules() -> Iterator[str]:
    """Return the rules of the ruleset `asked`, which fill the relations."""
    for fact in GUARDS:
        yield rule_text(f"(= m (Known e)) (!= 0 (& m {1 << _PLACES[fact]}))", f"({fact} e)", "asked")


def gather_implications(implications: Iterable[Implication]) -> Iterator[str]:
    """Yield one egglog rule for all implications about the same nodes.

    Implications that need something to be known belong to the ruleset `facts`, which runs until nothing is
    new; the others to `shapes`, which runs once.
    """
    groups: dict[str, list[tuple[list[_Fact], list[str]]]] = {}
    for query, facts in implications:
        parts = list(split_atoms(query))
        conditions = [fact for fact in map(_read_fact, parts) if fact]
        nodes = " ".join(part for part in parts if not _read_fact(part))
        groups.setdefault(nodes, []).append((conditions, list(facts)))
    for nodes, many in groups.items():
        at_once = [fact for conditions, facts in many if not conditions for fact in facts]
        if any(not conditions for conditions, _ in many):
            later = "(Deg " in nodes or "(Applied " in nodes
            yield rule_text(nodes, _note_facts(at_once), "facts" if later else "shapes")
        if guarded := [one for one in many if one[0]]:
            yield _worked_out(nodes, guarded)


def _note_facts(facts: Iterable[str]) -> str:
    about: dict[str, list[str]] = {"e": []}
    others = []
    for fact in dict.fromkeys(facts):
        name, *of = fact.split()
        if name in _PLACES:
            about.setdefault(of[0], []).append(name)
        else:
            others.append(f"({fact})")
    return " ".join([*(note_action(of, *names) for of, names in about.items()), *others])


def _worked_out(nodes: str, many: list[tuple[list[_Fact], list[str]]]) -> str:
    variables = sorted({of for conditions, _ in many for _, of in conditions})
    query = " ".join([nodes, *(f"(= k_{of} (Known {of}))" for of in variables)])
    # where all conditions and what follows are the same fact, one mask does for many
    alike: dict[tuple[str, tuple[str, ...]], int] = {}
    terms: dict[str, list[str]] = {}
    for conditions, conclusions in many:
        names, about = {name for name, _ in conditions}, tuple(sorted({of for _, of in conditions}))
        results: dict[str, int] = {}
        for name, of in map(str.split, conclusions):
            if names == {name}:
                alike[of, about] = alike.get((of, about), 0) | 1 << _PLACES[name]
            else:
                results[of] = results.get(of, 0) | 1 << _PLACES[name]
        for of, bits in results.items():
            holds = _join_all([f"(>> k_{one} {_PLACES[name]})" for name, one in conditions])
            terms.setdefault(of, []).append(f"(* {bits} (& 1 {holds}))")
    for (of, about), bits in alike.items():
        terms.setdefault(of, []).append(f"(& {bits} {_join_all([f'k_{one}' for one in about])})")
    return rule_text(
        query, " ".join(f"(set (Known {of}) {_join_any(parts)})" for of, parts in terms.items()), "facts"
    )


def _join_all(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"(& {parts[0]} {_join_all(parts[1:])})"


def _join_any(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"(| {parts[0]} {_join_any(parts[1:])})"


def _read_fact(atom: str) -> _Fact | None:
    match = _ATOM.fullmatch(atom)
    return (match[1], match[2]) if match and match[1] in _PLACES else None


def split_atoms(query: str) -> Iterator[str]:
    """Return what stands in brackets in a text of egglog."""
    depth = start = 0
    for index, char in enumerate(query):
        if char == "(":
            start = start if depth else index
            depth += 1
        elif char == ")":
            depth -= 1
            if not depth:
                yield query[start : index + 1]


# An e-class stands for one function on the domain D of the head. The invariant that growth keeps in `strict`:
# every term of the e-graph is defined on D up to isolated points, and the terms of a class agree there. It
# holds for the head's own subterms, because a term is defined only where all of its subterms are, and a rule
# that may only gain domain carries it over to what it builds. So each node proves something about its
# children too: where `ln u` is defined u is positive, where `/ a b` is defined b is not zero. All facts are
# statements almost everywhere on D, none is ever taken back, and what cannot be derived counts as unknown.
#
# Constants are exact rationals: the class of a constant holds a `Num`. Two different ones in a class are
# never merged in silence: `Clash` is the alarm, which ends folding at once (it would count for ever where 0 =
# 1, so that numbers are worked out only while there is `Calm`) and then growth.

# Together with the limits of the base, this keeps an exact power at some hundreds of digits.
_EXPONENT_LIMIT = 64

_SYMBOLS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div"}


def constructor_name(label: str) -> str:
    """Return the egglog constructor of an operator, function or named constant."""
    return _SYMBOLS.get(label, label.capitalize())


def _constructor_arities(labels: Mapping[str, int]) -> dict[str, int]:
    return {constructor_name(label): 1 if label == "d" else count for label, count in labels.items()}


SEVERAL = {label: count for label, count in ARITY.items() if label != VARIABLE}
"""The labels where x is a variable among others."""


def term_text(tree: Tree, labels: Container[str]) -> str:
    """Return a term or pattern as egglog text.

    Args:
        tree: The term or pattern.
        labels: The labels of the language; other leaves are variables.
    """
    if tree.label.startswith("?"):
        return f"v_{tree.label[1:]}"
    if is_number(tree):
        return number_text(Fraction(tree.label))
    if tree.label not in labels:
        return f'(Var "{tree.label}")'
    children = tree.children[1:] if tree.label == "d" else tree.children
    return f"({' '.join([constructor_name(tree.label), *(term_text(child, labels) for child in children)])})"


def number_text(value: Fraction | int) -> str:
    """Return a rational constant as egglog text."""
    return f"(Num {_rational_text(value)})"


def _rational_text(value: Fraction | int) -> str:
    exact = Fraction(value)
    return f"(bigrat {_integer_text(exact.numerator)} {_integer_text(exact.denominator)})"


def _integer_text(value: int) -> str:
    return f"(bigint {value})" if abs(value) < 2**62 else f'(from-string "{value}")'


def iterate_schema(labels: Mapping[str, int] = ARITY) -> Iterator[str]:
    """Yield the declarations of a language in egglog: sorts, constructors, relations and rulesets.

    Args:
        labels: The labels of the language, with their numbers of operands.
    """
    yield "(sort Math)"
    yield "(constructor Num (BigRat) Math)"
    yield "(constructor Var (String) Math)"
    for name, arity in _constructor_arities(labels).items():
        operands = f"({' '.join(['Math'] * arity)})"
        yield f"(constructor {name} {operands} Math)"
        if arity:
            yield f"(relation Subsumed{name} {operands})"
    for fact in GUARDS:
        yield f"(relation {fact} (Math))"
    # Facts of a class are bits of a number, and merging classes joins them.
    yield "(function Known (Math) i64 :merge (| old new))"
    yield "(relation Clash ())"
    yield "(relation Calm ())"
    yield "(function Deg (Math) i64 :merge old)"
    yield "(function Root () Math :no-merge)"
    yield "(relation Applied (Math Math))"
    for name in ("fold", "spare", "shapes", "facts", "asked", "clear"):
        yield f"(ruleset {name})"


def _constructor_row(name: str, arity: int) -> str:
    return f"({' '.join([name, 'a', 'b'][: 1 + arity])})"


def iterate_clearing_rules(labels: Mapping[str, int] = ARITY) -> Iterator[str]:
    """Return the rules of the ruleset `clear`, which take out all that was grown. No rule sees what was
    subsumed, which is why that is noted down.

    Args:
        as `schema`.
    """
    arities = _constructor_arities(labels)
    for name, arity in (*arities.items(), ("Num", 1), ("Var", 1), ("Deg", 1), ("Known", 1), ("Root", 0)):
        row = _constructor_row(name, arity)
        yield rule_text(f"(= n {row})", f"(delete {row})", "clear")
    for fact in (*GUARDS, "Clash"):
        row = _constructor_row(fact, fact != "Clash")
        yield rule_text(row, f"(delete {row})", "clear")
    yield rule_text("(Applied e u)", "(delete (Applied e u))", "clear")
    for name, arity in arities.items():
        if arity:
            row, noted = _constructor_row(name, arity), _constructor_row(f"Subsumed{name}", arity)
            yield rule_text(noted, f"(delete {row}) (delete {noted})", "clear")


def _subsume_action(term: str) -> str:
    return f"(subsume {term}) (Subsumed{term[1:]}"


def _iterate_folding_rules() -> Iterator[str]:
    limit = _integer_text(RESULT_LIMIT)
    # Larger numbers are not evaluated: repeated squaring would make them grow without end.
    small = f"(< (abs v) {_rational_text(RESULT_LIMIT)}) (< (denom v) {limit})"
    zero = _rational_text(0)

    def folding_rule(pattern: str, value: str, when: str = "") -> str:
        return rule_text(f"(Calm) (= n {pattern}) {when} (= v {value}) {small}", "(union n (Num v))", "fold")

    both = "(Num a) (Num b)"
    yield folding_rule(f"(Add {both})", "(+ a b)")
    yield folding_rule(f"(Sub {both})", "(- a b)")
    yield folding_rule(f"(Mul {both})", "(* a b)")
    yield folding_rule(f"(Div {both})", "(/ a b)", f"(!= b {zero})")
    # The same holds for powers, so bases and exponents are limited before the power is computed.
    exponent = (
        f"(= (denom b) {_integer_text(1)}) "
        f"(<= b {_rational_text(_EXPONENT_LIMIT)}) (>= b {_rational_text(-_EXPONENT_LIMIT)}) "
        f"(!= a {zero}) (< (abs a) {_rational_text(10**4)}) (< (denom a) {_integer_text(10**4)})"
    )
    yield folding_rule(f"(Pow {both})", "(pow a b)", exponent)
    yield folding_rule("(Abs (Num a))", "(abs a)")
    yield folding_rule("(Sqrt (Num a))", "(sqrt a)", f"(>= a {zero})")
    numerator, denominator = (
        f"(bigrat (numer a) {_integer_text(1)})",
        f"(bigrat (denom a) {_integer_text(1)})",
    )
    # A fraction is a quotient of integers as well, so that rules about quotients apply to it.
    yield rule_text(
        f"(= n (Num a)) (!= (denom a) {_integer_text(1)})",
        f"(union n (Div (Num {numerator}) (Num {denominator})))",
        "fold",
    )
    # Two different numbers in one class prove that a rule is wrong; without `Calm` no folding follows.
    yield rule_text("(= (Num a) (Num b)) (!= a b)", "(Clash) (delete (Calm))", "fold")


def _iterate_sparing_rules() -> Iterator[str]:
    zero, one = _rational_text(0), _rational_text(1)
    functions = {constructor_name(name) for name in FUNCTIONS}
    for name, arity in _constructor_arities(ARITY).items():
        if arity:
            row = _constructor_row(name, arity)
            forgotten = " (delete (Applied n a))" if name in functions else ""
            yield rule_text(f"(= n {row}) (= n (Num v))", _subsume_action(row) + forgotten, "spare")
    for name, c in (("Mul", one), ("Div", one), ("Pow", one), ("Add", zero), ("Sub", zero)):
        yield rule_text(f"(= n ({name} n (Num {c})))", _subsume_action(f"({name} n (Num {c}))"), "spare")
    for name, c in (("Mul", one), ("Add", zero)):
        yield rule_text(f"(= n ({name} (Num {c}) n))", _subsume_action(f"({name} (Num {c}) n)"), "spare")


def implication_of(query: str, *facts: str) -> Implication:
    """Return what is known where a query holds."""
    return Implication(query, facts)


def _for_functions(names: str, query: str, *facts: str) -> Iterator[Implication]:
    """Yield what is known of the value `e` of each function where a query holds of its operand `u`."""
    for name in names.split():
        yield implication_of(f"(= e ({name} u)) {query}".rstrip(), *facts)


def _constant_query(*tests: str, c: str = "c") -> str:
    integer = f"(= (denom {c}) {_integer_text(1)})"
    odd = f"(% (numer {c}) {_integer_text(2)})"
    # Tests of a rational constant in egglog's language.
    known = {
        "positive": f"(> {c} {_rational_text(0)})",
        "nonzero": f"(!= {c} {_rational_text(0)})",
        "not-one": f"(!= {c} {_rational_text(1)})",
        "nonneg": f"(>= {c} {_rational_text(0)})",
        "negative": f"(< {c} {_rational_text(0)})",
        "small": f"(<= {c} {_rational_text(1)}) (>= {c} {_rational_text(-1)})",
        "one-or-more": f"(>= {c} {_rational_text(1)})",
        "minus-one-or-less": f"(<= {c} {_rational_text(-1)})",
        "integer": integer,
        "fraction": f"(!= (denom {c}) {_integer_text(1)})",
        "even": f"{integer} (= {odd} {_integer_text(0)})",
        "odd": f"{integer} (!= {odd} {_integer_text(0)})",
    }
    return " ".join(known[test] for test in tests)


def _iterate_fact_rules(variable: bool) -> Iterator[Implication]:
    functions = [constructor_name(name) for name in FUNCTIONS]
    one = number_text(1)
    for name, arity in (("Num", 1), ("Var", 1), *_constructor_arities(ARITY).items()):
        if variable or name != "X":
            yield implication_of(f"(= e ({' '.join([name, 'u', 'v'][: 1 + arity])}))")
    # Which functions are made of what.
    yield implication_of("(= e (Num u))", "Konst e")
    yield implication_of("(= e (Pi))", "Konst e", "Pos e", "Ge1 e")
    yield implication_of("(= e (E))", "Konst e", "Pos e", "Ge1 e")
    for name in functions:
        yield implication_of(f"(= e ({name} u))", "Applied e u")
    for applied in ("(Applied e u)", "(= e (Sqrt u))", "(= e (Abs u))"):
        yield implication_of(f"{applied} (Konst u)", "Konst e")
        yield implication_of(f"{applied} (Nonconst u)", "Nonconst e")
    for name in ("Add", "Sub", "Mul", "Div", "Pow"):
        yield implication_of(f"(= e ({name} u v)) (Konst u) (Konst v)", "Konst e")
    if variable:
        yield implication_of("(= e (X))", "Alg e", "Nonconst e")
    # Algebraic functions are closed under arithmetic, roots and absolute values.
    yield implication_of("(Konst e)", "Alg e")
    for name in ("Add", "Sub", "Mul", "Div"):
        yield implication_of(f"(= e ({name} u v)) (Alg u) (Alg v)", "Alg e")
    yield implication_of("(= e (Pow u (Num c))) (Alg u)", "Alg e")
    yield implication_of("(= e (Sqrt u)) (Alg u)", "Alg e")
    yield implication_of("(= e (Abs u)) (Alg u)", "Alg e")
    # sin u, e^u and the like are transcendental where u is algebraic and not constant.
    yield implication_of("(Applied e u) (Alg u) (Nonconst u)", "Trans e")
    yield implication_of("(= e (Pow (E) u)) (Alg u) (Nonconst u)", "Trans e")
    yield implication_of(
        f"(= e (Pow (Num c) u)) {_constant_query('positive', 'not-one')} (Alg u) (Nonconst u)", "Trans e"
    )
    # Adding an algebraic function keeps a function transcendental; multiplying does so unless it is 0.
    for name in ("Add", "Sub"):
        yield implication_of(f"(= e ({name} u v)) (Trans u) (Alg v)", "Trans e")
        yield implication_of(f"(= e ({name} u v)) (Alg u) (Trans v)", "Trans e")
        yield implication_of(f"(= e ({name} u v)) (Nonconst u) (Konst v)", "Nonconst e")
        yield implication_of(f"(= e ({name} u v)) (Konst u) (Nonconst v)", "Nonconst e")
    for name in ("Mul", "Div"):
        yield implication_of(f"(= e ({name} u v)) (Trans u) (Alg v) (Nz v)", "Trans e")
        yield implication_of(f"(= e ({name} u v)) (Alg u) (Nz u) (Trans v)", "Trans e")
        yield implication_of(f"(= e ({name} u v)) (Nonconst u) (Konst v) (Nz v)", "Nonconst e")
        yield implication_of(f"(= e ({name} u v)) (Konst u) (Nz u) (Nonconst v)", "Nonconst e")
    yield implication_of(f"(= e (Pow u (Num c))) {_constant_query('nonzero')} (Trans u)", "Trans e")
    yield implication_of(f"(= e (Pow u (Num c))) {_constant_query('nonzero')} (Nonconst u)", "Nonconst e")
    yield implication_of("(= e (Pow (E) u)) (Nonconst u)", "Nonconst e")
    yield implication_of(
        f"(= e (Pow (Num c) u)) {_constant_query('positive', 'not-one')} (Nonconst u)", "Nonconst e"
    )
    yield implication_of("(= e (Sqrt u)) (Trans u)", "Trans e")
    yield implication_of("(= e (Abs u)) (Trans u)", "Trans e")
    yield implication_of("(Trans e)", "Nonconst e")
    yield implication_of("(= m (Deg e)) (!= m 0)", "Nonconst e")
    yield implication_of("(= m (Deg e))", "Nz e")
    # Signs and sizes.
    yield implication_of("(Nonconst e)", "Nz e")
    yield implication_of("(Pos e)", "Nz e", "Nonneg e")
    yield implication_of("(Nonneg e) (Nz e)", "Pos e")
    yield implication_of("(Ge1 e)", "Absge1 e", "Pos e")
    yield implication_of("(Absge1 e)", "Nz e")
    yield implication_of("(Absge1 e) (Pos e)", "Ge1 e")
    yield implication_of(f"(= e (Num c)) {_constant_query('positive')}", "Pos e")
    yield implication_of(f"(= e (Num c)) {_constant_query('nonneg')}", "Nonneg e")
    yield implication_of(f"(= e (Num c)) {_constant_query('nonzero')}", "Nz e")
    yield implication_of(f"(= e (Num c)) {_constant_query('small')}", "Bounded e")
    yield implication_of(f"(= e (Num c)) {_constant_query('one-or-more')}", "Ge1 e")
    yield implication_of(f"(= e (Num c)) {_constant_query('minus-one-or-less')}", "Absge1 e")
    yield from _for_functions("Sec Csc Coth", "", "Absge1 e")
    yield implication_of("(= e (Cosh u))", "Ge1 e")
    yield implication_of("(= e (Sech u))", "Pos e", "Bounded e")
    yield from _for_functions("Sin Cos Tanh", "", "Bounded e")
    yield from _for_functions("Csch Acsch Acoth Acsc", "", "Nz e")
    yield implication_of("(= e (Acot u))", "Pos e")
    yield from _for_functions("Acos Asec Acosh Asech Sqrt Abs", "", "Nonneg e")
    yield from _for_functions("Asin Atan Sinh Tanh Asinh Atanh Sqrt Abs", "(Nz u)", "Nz e")
    yield implication_of(f"(= e (Pow u (Num c))) {_constant_query('even')}", "Nonneg e")
    yield implication_of(f"(= e (Pow u (Num c))) {_constant_query('fraction')}", "Nonneg e")
    yield implication_of("(= e (Pow u v)) (Nz u)", "Nz e")
    yield implication_of("(= e (Pow u v)) (Pos u)", "Pos e")
    yield implication_of("(= e (Mul u v)) (Nz u) (Nz v)", "Nz e")
    yield implication_of("(= e (Div u v)) (Nz u)", "Nz e")
    for name in ("Mul", "Div"):
        yield implication_of(f"(= e ({name} u v)) (Nonneg u) (Nonneg v)", "Nonneg e")
        # If a product or quotient and one of its operands are positive, so is the other operand.
        yield implication_of(f"(= e ({name} u v)) (Pos e) (Pos v)", "Pos u")
        yield implication_of(f"(= e ({name} u v)) (Pos e) (Pos u)", "Pos v")
        yield implication_of(f"(= e ({name} u v)) (Nonneg e) (Pos v)", "Nonneg u")
    yield implication_of("(= e (Mul u v)) (Nonneg e) (Pos u)", "Nonneg v")
    yield implication_of("(= e (Mul u v)) (Nz e)", "Nz u", "Nz v")
    yield implication_of("(= e (Div u v)) (Nz e)", "Nz u")
    yield implication_of(f"(= e (Pow u (Num c))) {_constant_query('positive')} (Nz e)", "Nz u")
    yield implication_of("(= e (Add u v)) (Nonneg u) (Nonneg v)", "Nonneg e")
    yield implication_of("(= e (Add u v)) (Pos u) (Nonneg v)", "Pos e")
    yield implication_of("(= e (Add u v)) (Nonneg u) (Pos v)", "Pos e")
    yield implication_of("(= e (Add u v)) (Ge1 u) (Nonneg v)", "Ge1 e")
    yield implication_of("(= e (Add u v)) (Nonneg u) (Ge1 v)", "Ge1 e")
    yield implication_of("(= e (Sub u v)) (Ge1 u) (Bounded v)", "Nonneg e")
    yield implication_of("(= e (Add u v)) (Ge1 u) (Bounded v)", "Nonneg e")
    yield implication_of("(= e (Add u v)) (Bounded u) (Ge1 v)", "Nonneg e")
    yield implication_of(f"(= e (Sub u (Num c))) (Ge1 u) {_constant_query('small')}", "Nonneg e")
    for fact in ("Bounded", "Absge1", "Ge1"):
        yield implication_of(f"(= e (Mul u v)) ({fact} u) ({fact} v)", f"{fact} e")
        yield implication_of(
            f"(= e (Pow u (Num c))) {_constant_query('integer', 'positive')} ({fact} u)", f"{fact} e"
        )
        yield implication_of(f"(= e (Abs u)) ({fact} u)", f"{fact} e")
    for fact in ("Bounded", "Ge1"):
        yield implication_of(f"(= e (Sqrt u)) ({fact} u)", f"{fact} e")
    yield implication_of(f"(= e (Div {one} v)) (Absge1 v)", "Bounded e")
    yield implication_of(f"(= e (Div {one} v)) (Bounded v)", "Absge1 e")
    # What a node says of its operands by being defined.
    yield implication_of("(= e (Div u v))", "Nz v")
    yield implication_of(f"(= e (Pow u (Num c))) {_constant_query('negative')}", "Nz u")
    yield implication_of(f"(= e (Pow u (Num c))) {_constant_query('fraction')}", "Nonneg u")
    for name, zeros in (("Csc", "Sin"), ("Cot", "Sin"), ("Tan", "Cos"), ("Sec", "Cos")):
        yield implication_of(f"(= e ({name} u)) (= z ({zeros} u))", "Nz z")
    implied = {
        "Nz": ("Csch", "Coth", "Acsch"),
        "Pos": ("Ln", "Asech"),
        "Bounded": ("Asin", "Acos", "Atanh", "Asech"),
        "Absge1": ("Asec", "Acsc", "Acoth"),
        "Ge1": ("Acosh",),
        "Nonneg": ("Sqrt",),
    }
    for fact, names in implied.items():
        for name in names:
            yield implication_of(f"(= e ({name} u))", f"{fact} u")
    yield implication_of("(= e (Log b u))", "Pos b", "Pos u")


def _iterate_degree_rules(variable: bool) -> Iterator[str]:
    degree = "(set (Deg e) {})"
    if variable:
        yield rule_text("(= e (X))", degree.format(1), "shapes")
    yield rule_text(f"(= e (Num c)) {_constant_query('nonzero')}", degree.format(0), "shapes")
    # The degree of a sum is known only if the degrees differ: equal leading terms may cancel.
    for name in ("Add", "Sub"):
        yield rule_text(
            f"(= e ({name} u v)) (= m (Deg u)) (= n (Deg v)) (> m n)", degree.format("m"), "facts"
        )
        yield rule_text(
            f"(= e ({name} u v)) (= m (Deg u)) (= n (Deg v)) (< m n)", degree.format("n"), "facts"
        )
    yield rule_text("(= e (Mul u v)) (= m (Deg u)) (= n (Deg v))", degree.format("(+ m n)"), "facts")
    yield rule_text("(= e (Div u v)) (= m (Deg u)) (= n (Deg v))", degree.format("(- m n)"), "facts")
    # Small exponents only, so that the degree stays a small integer.
    power = f"{_constant_query('integer', 'nonzero', 'not-one')} (<= (abs c) {_rational_text(9)})"
    scaled = degree.format("(* m (to-i64 (to-f64 c)))")
    yield rule_text(f"(= e (Pow u (Num c))) (= m (Deg u)) {power}", scaled, "facts")


def iterate_analysis_rules(*, several: bool = False) -> Iterator[str]:
    """Return the rules of the analysis, one command a line.

    Args: several: of variables of which facts tell what they are (`assumed_facts`), instead of x alone.
    """
    yield from _iterate_folding_rules()
    yield from _iterate_sparing_rules()
    yield from _iterate_degree_rules(not several)
    yield from gather_implications(
        (*_iterate_fact_rules(not several), *(_facts_of_several() if several else ()))
    )
    yield from iterate_asked_rules()


def condition_query(name: str, operand: str, fresh: str) -> str:
    """Return the egglog query for a condition of the rule table.

    Args:
        name: The condition as in the table (`nz`, `int`, …).
        operand: The egglog pattern that it is about.
        fresh: A variable name that the rule does not use elsewhere.
    """
    if name == "total":
        return f"(= {fresh} {operand})"
    constant = {
        "const": (),
        "int": ("integer",),
        "even": ("even",),
        "odd": ("odd",),
        "posnum": ("positive",),
        "negnum": ("negative",),
    }
    if name in constant:
        return f"(= (Num {fresh}) {operand}) {_constant_query(*constant[name], c=fresh)}"
    fact = {"unit": "Bounded"}.get(name, name.capitalize())
    return f"({fact} {operand})"


# Assumptions as facts. Everything holds almost everywhere on the head's domain within the region of the
# assumptions. A real variable is a function that is constant on no open set; an integer one takes no part in
# that: for each of its values there are the functions of the others, and `Konst` says that no real variable
# is in a term.


def _facts_of_several() -> Iterator[Implication]:
    zero, minus, integer = "(bigrat (bigint 0) (bigint 1))", number_text(-1), "(= (denom c) (bigint 1))"
    yield implication_of(f"(= e (Num c)) (<= c {zero})", "Nonpos e")
    yield implication_of(f"(= e (Num c)) {integer}", "Whole e")
    for name in ("Add", "Sub", "Mul"):
        yield implication_of(f"(= e ({name} u v)) (Whole u) (Whole v)", "Whole e")
    yield implication_of(f"(= e (Pow u (Num c))) (Whole u) {integer} (> c {zero})", "Whole e")
    # A positive integer is at least 1, and one that is not 0 has an absolute value of at least 1.
    yield implication_of("(Whole e) (Pos e)", "Ge1 e")
    yield implication_of("(Whole e) (Nz e)", "Absge1 e")
    yield implication_of("(= e (Abs u)) (Whole u)", "Whole e")
    yield implication_of("(= e (Abs u)) (Bounded e)", "Bounded u")
    for name in ("Mul", "Div"):
        for left, right, conclusion in (
            ("Nonpos", "Nonneg", "Nonpos"),
            ("Nonneg", "Nonpos", "Nonpos"),
            ("Nonpos", "Nonpos", "Nonneg"),
        ):
            yield implication_of(f"(= e ({name} u v)) ({left} u) ({right} v)", f"{conclusion} e")
    yield implication_of("(= e (Add u v)) (Nonpos u) (Nonpos v)", "Nonpos e")
    yield implication_of("(= e (Sub u v)) (Nonpos u) (Nonneg v)", "Nonpos e")
    yield implication_of("(= e (Sub u v)) (Nonneg u) (Nonpos v)", "Nonneg e")
    yield implication_of(f"(= e (Mul {minus} u)) (Nonneg e)", "Nonpos u")
    # v - u has the opposite sign of u - v.
    yield implication_of("(= e (Sub u v)) (= f (Sub v u)) (Pos e)", "Nonpos f", "Nz f")
    yield implication_of("(= e (Sub u v)) (= f (Sub v u)) (Nonneg e)", "Nonpos f")
    yield implication_of("(= e (Sub u v)) (= f (Sub v u)) (Nz e)", "Nz f")
    yield implication_of("(= e (Num u))", "Free e")
    for label, count in SEVERAL.items():
        if label == "d":
            continue
        operands = ["u", "v"][:count]
        free = " ".join(f"(Free {operand})" for operand in operands)
        yield implication_of(f"(= e ({' '.join([constructor_name(label), *operands])})) {free}", "Free e")


def assumed_facts(assumptions: Assumptions, variables: Sequence[str]) -> Iterator[str]:
    """Return what is known of the variables, and what is assumed."""
    for name in variables:
        leaf = term_text(Tree(name), SEVERAL)
        # An integer is no continuous variable, so what is said of polynomials does not apply to it.
        if name in assumptions.integers:
            yield note_action(leaf, "Konst", "Whole")
        else:
            yield note_action(leaf, "Alg", "Nonconst")
            yield f"(set (Deg {leaf}) 1)"
        if name != VARIABLE:
            yield note_action(leaf, "Free")
    for one in assumptions.relations:
        yield from _iterate_relation_commands(one)
    ends = [
        (fold_numbers(one.left), fold_numbers(one.right)) for one in assumptions.relations if one.sign != "!="
    ]
    # Bounded means between -1 and 1, so both bounds have to be known.
    low = {right for left, right in ends if is_number(left) and Fraction(left.label) >= -1}
    for left, right in ends:
        if is_number(right) and Fraction(right.label) <= 1 and left in low:
            yield note_action(term_text(left, SEVERAL), "Bounded")
    yield "(run asked 1)"


def _iterate_relation_commands(one: AssumedRelation) -> Iterator[str]:
    left, right = fold_numbers(one.left), fold_numbers(one.right)
    difference = f"(Sub {term_text(right, SEVERAL)} {term_text(left, SEVERAL)})"
    # a != b says that their difference is not 0, and a bound of 0 says so of the other side itself.
    if one.sign == "!=":
        yield note_action(difference, "Nz")
        if Tree("0") in (left, right):
            yield note_action(term_text(left if right == Tree("0") else right, SEVERAL), "Nz")
        return
    yield note_action(difference, "Pos" if one.sign == "<" else "Nonneg")
    # A bound that is a number says more: of the sign, and of the size from 1 on.
    if is_number(left) and (bound := Fraction(left.label)) >= 0:
        strict = bound > 0 or one.sign == "<"
        yield note_action(term_text(right, SEVERAL), "Ge1" if bound >= 1 else "Pos" if strict else "Nonneg")
    if is_number(right) and (bound := Fraction(right.label)) <= 0:
        leaf = term_text(left, SEVERAL)
        yield note_action(leaf, "Nonpos")
        if bound < 0 or one.sign == "<":
            yield note_action(leaf, "Nz")
        if bound <= -1:
            yield note_action(leaf, "Absge1")
