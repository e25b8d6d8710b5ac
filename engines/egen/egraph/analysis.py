"""What the e-graph knows about its classes: constants and facts."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from engines.core.tree import Tree
from engines.core.vocabulary import ARITY, FUNCTIONS, RESULT_LIMIT, VARIABLE, fold_numbers, is_number
from engines.mathematics.assumptions import Assumptions, Relation

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


def rule(query: str, actions: str, ruleset: str) -> str:
    """A rule as egglog text."""
    return f"(rule ({query}) ({actions}) :ruleset {ruleset})"


def known(term: str, *facts: str) -> str:
    """The action that notes facts about a term."""
    return f"(set (Known {term}) {sum(1 << _PLACES[fact] for fact in facts)})"


def asked() -> Iterator[str]:
    """The rules of the ruleset `asked`, which fill the relations."""
    for fact in GUARDS:
        yield rule(f"(= m (Known e)) (!= 0 (& m {1 << _PLACES[fact]}))", f"({fact} e)", "asked")


def gathered(implications: Iterable[Implication]) -> Iterator[str]:
    """One rule for all implications about the same nodes: of the ruleset `facts`, which runs until nothing is
    new, or where nothing need be known before, of `shapes`, which runs once."""
    groups: dict[str, list[tuple[list[_Fact], list[str]]]] = {}
    for query, facts in implications:
        parts = list(atoms(query))
        conditions = [fact for fact in map(_fact, parts) if fact]
        nodes = " ".join(part for part in parts if not _fact(part))
        groups.setdefault(nodes, []).append((conditions, list(facts)))
    for nodes, many in groups.items():
        at_once = [fact for conditions, facts in many if not conditions for fact in facts]
        if any(not conditions for conditions, _ in many):
            later = "(Deg " in nodes or "(Applied " in nodes
            yield rule(nodes, _noted(at_once), "facts" if later else "shapes")
        if guarded := [one for one in many if one[0]]:
            yield _worked_out(nodes, guarded)


def _noted(facts: Iterable[str]) -> str:
    about: dict[str, list[str]] = {"e": []}
    others = []
    for fact in dict.fromkeys(facts):
        name, *of = fact.split()
        if name in _PLACES:
            about.setdefault(of[0], []).append(name)
        else:
            others.append(f"({fact})")
    return " ".join([*(known(of, *names) for of, names in about.items()), *others])


def _worked_out(nodes: str, many: list[tuple[list[_Fact], list[str]]]) -> str:
    variables = sorted({of for conditions, _ in many for _, of in conditions})
    query = " ".join([nodes, *(f"(= k_{of} (Known {of}))" for of in variables)])
    # where all conditions and what follows are the same fact, one mask does for many
    alike: dict[tuple[str, tuple[str, ...]], int] = {}
    terms: dict[str, list[str]] = {}
    for conditions, found in many:
        names, about = {name for name, _ in conditions}, tuple(sorted({of for _, of in conditions}))
        results: dict[str, int] = {}
        for name, of in map(str.split, found):
            if names == {name}:
                alike[of, about] = alike.get((of, about), 0) | 1 << _PLACES[name]
            else:
                results[of] = results.get(of, 0) | 1 << _PLACES[name]
        for of, bits in results.items():
            holds = _all([f"(>> k_{one} {_PLACES[name]})" for name, one in conditions])
            terms.setdefault(of, []).append(f"(* {bits} (& 1 {holds}))")
    for (of, about), bits in alike.items():
        terms.setdefault(of, []).append(f"(& {bits} {_all([f'k_{one}' for one in about])})")
    return rule(query, " ".join(f"(set (Known {of}) {_any(parts)})" for of, parts in terms.items()), "facts")


def _all(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"(& {parts[0]} {_all(parts[1:])})"


def _any(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"(| {parts[0]} {_any(parts[1:])})"


def _fact(atom: str) -> _Fact | None:
    found = _ATOM.fullmatch(atom)
    return (found[1], found[2]) if found and found[1] in _PLACES else None


def atoms(query: str) -> Iterator[str]:
    """What stands in brackets in a text of egglog."""
    depth = start = 0
    for place, char in enumerate(query):
        if char == "(":
            start = start if depth else place
            depth += 1
        elif char == ")":
            depth -= 1
            if not depth:
                yield query[start : place + 1]


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

_EXPONENT_LIMIT = 64

_SYMBOLS = {"+": "Add", "-": "Sub", "*": "Mul", "/": "Div"}


def constructor(label: str) -> str:
    """The egglog constructor of an operator, function or named constant."""
    return _SYMBOLS.get(label, label.capitalize())


def _arities(labels: Mapping[str, int]) -> dict[str, int]:
    return {constructor(label): 1 if label == "d" else count for label, count in labels.items()}


SEVERAL = {label: count for label, count in ARITY.items() if label != VARIABLE}
"""The labels where x is a variable among others."""


def term(tree: Tree, labels: Container[str]) -> str:
    """A term or pattern as egglog text. Args: labels: of the language; other leaves are variables."""
    if tree.label.startswith("?"):
        return f"v_{tree.label[1:]}"
    if is_number(tree):
        return number(Fraction(tree.label))
    if tree.label not in labels:
        return f'(Var "{tree.label}")'
    children = tree.children[1:] if tree.label == "d" else tree.children
    return f"({' '.join([constructor(tree.label), *(term(child, labels) for child in children)])})"


def number(value: Fraction | int) -> str:
    """A rational constant as egglog text."""
    return f"(Num {_rational(value)})"


def _rational(value: Fraction | int) -> str:
    exact = Fraction(value)
    return f"(bigrat {_integer(exact.numerator)} {_integer(exact.denominator)})"


def _integer(value: int) -> str:
    return f"(bigint {value})" if abs(value) < 2**62 else f'(from-string "{value}")'


def schema(labels: Mapping[str, int] = ARITY) -> Iterator[str]:
    """Sorts, constructors, relations and rulesets. Args: labels: of the language, with their operands."""
    yield "(sort Math)"
    yield "(constructor Num (BigRat) Math)"
    yield "(constructor Var (String) Math)"
    for name, arity in _arities(labels).items():
        operands = f"({' '.join(['Math'] * arity)})"
        yield f"(constructor {name} {operands} Math)"
        if arity:
            yield f"(relation Subsumed{name} {operands})"
    for fact in GUARDS:
        yield f"(relation {fact} (Math))"
    yield "(function Known (Math) i64 :merge (| old new))"
    yield "(relation Clash ())"
    yield "(relation Calm ())"
    yield "(function Deg (Math) i64 :merge old)"
    yield "(function Root () Math :no-merge)"
    yield "(relation Applied (Math Math))"
    for name in ("fold", "spare", "shapes", "facts", "asked", "clear"):
        yield f"(ruleset {name})"


def _row(name: str, arity: int) -> str:
    return f"({' '.join([name, 'a', 'b'][: 1 + arity])})"


def clearing(labels: Mapping[str, int] = ARITY) -> Iterator[str]:
    """The rules of the ruleset `clear`, which take out all that was grown. No rule sees what was subsumed,
    which is why that is noted down. Args: as `schema`."""
    arities = _arities(labels)
    for name, arity in (*arities.items(), ("Num", 1), ("Var", 1), ("Deg", 1), ("Known", 1), ("Root", 0)):
        row = _row(name, arity)
        yield rule(f"(= n {row})", f"(delete {row})", "clear")
    for fact in (*GUARDS, "Clash"):
        row = _row(fact, fact != "Clash")
        yield rule(row, f"(delete {row})", "clear")
    yield rule("(Applied e u)", "(delete (Applied e u))", "clear")
    for name, arity in arities.items():
        if arity:
            row, noted = _row(name, arity), _row(f"Subsumed{name}", arity)
            yield rule(noted, f"(delete {row}) (delete {noted})", "clear")


def _subsumed(term: str) -> str:
    return f"(subsume {term}) (Subsumed{term[1:]}"


def _folding() -> Iterator[str]:
    limit = _integer(RESULT_LIMIT)
    small = f"(< (abs v) {_rational(RESULT_LIMIT)}) (< (denom v) {limit})"
    zero = _rational(0)

    def fold(pattern: str, value: str, when: str = "") -> str:
        return rule(f"(Calm) (= n {pattern}) {when} (= v {value}) {small}", "(union n (Num v))", "fold")

    both = "(Num a) (Num b)"
    yield fold(f"(Add {both})", "(+ a b)")
    yield fold(f"(Sub {both})", "(- a b)")
    yield fold(f"(Mul {both})", "(* a b)")
    yield fold(f"(Div {both})", "(/ a b)", f"(!= b {zero})")
    exponent = (
        f"(= (denom b) {_integer(1)}) "
        f"(<= b {_rational(_EXPONENT_LIMIT)}) (>= b {_rational(-_EXPONENT_LIMIT)}) "
        f"(!= a {zero}) (< (abs a) {_rational(10**4)}) (< (denom a) {_integer(10**4)})"
    )
    yield fold(f"(Pow {both})", "(pow a b)", exponent)
    yield fold("(Abs (Num a))", "(abs a)")
    yield fold("(Sqrt (Num a))", "(sqrt a)", f"(>= a {zero})")
    numerator, denominator = f"(bigrat (numer a) {_integer(1)})", f"(bigrat (denom a) {_integer(1)})"
    yield rule(
        f"(= n (Num a)) (!= (denom a) {_integer(1)})",
        f"(union n (Div (Num {numerator}) (Num {denominator})))",
        "fold",
    )
    yield rule("(= (Num a) (Num b)) (!= a b)", "(Clash) (delete (Calm))", "fold")


def _sparing() -> Iterator[str]:
    zero, one = _rational(0), _rational(1)
    functions = {constructor(name) for name in FUNCTIONS}
    for name, arity in _arities(ARITY).items():
        if arity:
            row = _row(name, arity)
            forgotten = " (delete (Applied n a))" if name in functions else ""
            yield rule(f"(= n {row}) (= n (Num v))", _subsumed(row) + forgotten, "spare")
    for name, c in (("Mul", one), ("Div", one), ("Pow", one), ("Add", zero), ("Sub", zero)):
        yield rule(f"(= n ({name} n (Num {c})))", _subsumed(f"({name} n (Num {c}))"), "spare")
    for name, c in (("Mul", one), ("Add", zero)):
        yield rule(f"(= n ({name} (Num {c}) n))", _subsumed(f"({name} (Num {c}) n)"), "spare")


def follows(query: str, *facts: str) -> Implication:
    """What is known where a query holds."""
    return Implication(query, facts)


def _const(*tests: str, c: str = "c") -> str:
    integer = f"(= (denom {c}) {_integer(1)})"
    odd = f"(% (numer {c}) {_integer(2)})"
    known = {
        "positive": f"(> {c} {_rational(0)})",
        "nonzero": f"(!= {c} {_rational(0)})",
        "not-one": f"(!= {c} {_rational(1)})",
        "nonneg": f"(>= {c} {_rational(0)})",
        "negative": f"(< {c} {_rational(0)})",
        "small": f"(<= {c} {_rational(1)}) (>= {c} {_rational(-1)})",
        "one-or-more": f"(>= {c} {_rational(1)})",
        "minus-one-or-less": f"(<= {c} {_rational(-1)})",
        "integer": integer,
        "fraction": f"(!= (denom {c}) {_integer(1)})",
        "even": f"{integer} (= {odd} {_integer(0)})",
        "odd": f"{integer} (!= {odd} {_integer(0)})",
    }
    return " ".join(known[test] for test in tests)


def _facts(variable: bool) -> Iterator[Implication]:
    functions = [constructor(name) for name in FUNCTIONS]
    one = number(1)
    for name, arity in (("Num", 1), ("Var", 1), *_arities(ARITY).items()):
        if variable or name != "X":
            yield follows(f"(= e ({' '.join([name, 'u', 'v'][: 1 + arity])}))")
    # Which functions are made of what.
    yield follows("(= e (Num u))", "Konst e")
    yield follows("(= e (Pi))", "Konst e", "Pos e", "Ge1 e")
    yield follows("(= e (E))", "Konst e", "Pos e", "Ge1 e")
    for name in functions:
        yield follows(f"(= e ({name} u))", "Applied e u")
    for applied in ("(Applied e u)", "(= e (Sqrt u))", "(= e (Abs u))"):
        yield follows(f"{applied} (Konst u)", "Konst e")
        yield follows(f"{applied} (Nonconst u)", "Nonconst e")
    for name in ("Add", "Sub", "Mul", "Div", "Pow"):
        yield follows(f"(= e ({name} u v)) (Konst u) (Konst v)", "Konst e")
    if variable:
        yield follows("(= e (X))", "Alg e", "Nonconst e")
    yield follows("(Konst e)", "Alg e")
    for name in ("Add", "Sub", "Mul", "Div"):
        yield follows(f"(= e ({name} u v)) (Alg u) (Alg v)", "Alg e")
    yield follows("(= e (Pow u (Num c))) (Alg u)", "Alg e")
    yield follows("(= e (Sqrt u)) (Alg u)", "Alg e")
    yield follows("(= e (Abs u)) (Alg u)", "Alg e")
    yield follows("(Applied e u) (Alg u) (Nonconst u)", "Trans e")
    yield follows("(= e (Pow (E) u)) (Alg u) (Nonconst u)", "Trans e")
    yield follows(f"(= e (Pow (Num c) u)) {_const('positive', 'not-one')} (Alg u) (Nonconst u)", "Trans e")
    for name in ("Add", "Sub"):
        yield follows(f"(= e ({name} u v)) (Trans u) (Alg v)", "Trans e")
        yield follows(f"(= e ({name} u v)) (Alg u) (Trans v)", "Trans e")
        yield follows(f"(= e ({name} u v)) (Nonconst u) (Konst v)", "Nonconst e")
        yield follows(f"(= e ({name} u v)) (Konst u) (Nonconst v)", "Nonconst e")
    for name in ("Mul", "Div"):
        yield follows(f"(= e ({name} u v)) (Trans u) (Alg v) (Nz v)", "Trans e")
        yield follows(f"(= e ({name} u v)) (Alg u) (Nz u) (Trans v)", "Trans e")
        yield follows(f"(= e ({name} u v)) (Nonconst u) (Konst v) (Nz v)", "Nonconst e")
        yield follows(f"(= e ({name} u v)) (Konst u) (Nz u) (Nonconst v)", "Nonconst e")
    yield follows(f"(= e (Pow u (Num c))) {_const('nonzero')} (Trans u)", "Trans e")
    yield follows(f"(= e (Pow u (Num c))) {_const('nonzero')} (Nonconst u)", "Nonconst e")
    yield follows("(= e (Pow (E) u)) (Nonconst u)", "Nonconst e")
    yield follows(f"(= e (Pow (Num c) u)) {_const('positive', 'not-one')} (Nonconst u)", "Nonconst e")
    yield follows("(= e (Sqrt u)) (Trans u)", "Trans e")
    yield follows("(= e (Abs u)) (Trans u)", "Trans e")
    yield follows("(Trans e)", "Nonconst e")
    yield follows("(= m (Deg e)) (!= m 0)", "Nonconst e")
    yield follows("(= m (Deg e))", "Nz e")
    # Signs and sizes.
    yield follows("(Nonconst e)", "Nz e")
    yield follows("(Pos e)", "Nz e", "Nonneg e")
    yield follows("(Nonneg e) (Nz e)", "Pos e")
    yield follows("(Ge1 e)", "Absge1 e", "Pos e")
    yield follows("(Absge1 e)", "Nz e")
    yield follows("(Absge1 e) (Pos e)", "Ge1 e")
    yield follows(f"(= e (Num c)) {_const('positive')}", "Pos e")
    yield follows(f"(= e (Num c)) {_const('nonneg')}", "Nonneg e")
    yield follows(f"(= e (Num c)) {_const('nonzero')}", "Nz e")
    yield follows(f"(= e (Num c)) {_const('small')}", "Bounded e")
    yield follows(f"(= e (Num c)) {_const('one-or-more')}", "Ge1 e")
    yield follows(f"(= e (Num c)) {_const('minus-one-or-less')}", "Absge1 e")
    for name in ("Sec", "Csc", "Coth"):
        yield follows(f"(= e ({name} u))", "Absge1 e")
    yield follows("(= e (Cosh u))", "Ge1 e")
    yield follows("(= e (Sech u))", "Pos e", "Bounded e")
    for name in ("Sin", "Cos", "Tanh"):
        yield follows(f"(= e ({name} u))", "Bounded e")
    for name in ("Csch", "Acsch", "Acoth", "Acsc"):
        yield follows(f"(= e ({name} u))", "Nz e")
    yield follows("(= e (Acot u))", "Pos e")
    for name in ("Acos", "Asec", "Acosh", "Asech", "Sqrt", "Abs"):
        yield follows(f"(= e ({name} u))", "Nonneg e")
    for name in ("Asin", "Atan", "Sinh", "Tanh", "Asinh", "Atanh", "Sqrt", "Abs"):
        yield follows(f"(= e ({name} u)) (Nz u)", "Nz e")
    yield follows(f"(= e (Pow u (Num c))) {_const('even')}", "Nonneg e")
    yield follows(f"(= e (Pow u (Num c))) {_const('fraction')}", "Nonneg e")
    yield follows("(= e (Pow u v)) (Nz u)", "Nz e")
    yield follows("(= e (Pow u v)) (Pos u)", "Pos e")
    yield follows("(= e (Mul u v)) (Nz u) (Nz v)", "Nz e")
    yield follows("(= e (Div u v)) (Nz u)", "Nz e")
    for name in ("Mul", "Div"):
        yield follows(f"(= e ({name} u v)) (Nonneg u) (Nonneg v)", "Nonneg e")
        yield follows(f"(= e ({name} u v)) (Pos e) (Pos v)", "Pos u")
        yield follows(f"(= e ({name} u v)) (Pos e) (Pos u)", "Pos v")
        yield follows(f"(= e ({name} u v)) (Nonneg e) (Pos v)", "Nonneg u")
    yield follows("(= e (Mul u v)) (Nonneg e) (Pos u)", "Nonneg v")
    yield follows("(= e (Mul u v)) (Nz e)", "Nz u", "Nz v")
    yield follows("(= e (Div u v)) (Nz e)", "Nz u")
    yield follows(f"(= e (Pow u (Num c))) {_const('positive')} (Nz e)", "Nz u")
    yield follows("(= e (Add u v)) (Nonneg u) (Nonneg v)", "Nonneg e")
    yield follows("(= e (Add u v)) (Pos u) (Nonneg v)", "Pos e")
    yield follows("(= e (Add u v)) (Nonneg u) (Pos v)", "Pos e")
    yield follows("(= e (Add u v)) (Ge1 u) (Nonneg v)", "Ge1 e")
    yield follows("(= e (Add u v)) (Nonneg u) (Ge1 v)", "Ge1 e")
    yield follows("(= e (Sub u v)) (Ge1 u) (Bounded v)", "Nonneg e")
    yield follows("(= e (Add u v)) (Ge1 u) (Bounded v)", "Nonneg e")
    yield follows("(= e (Add u v)) (Bounded u) (Ge1 v)", "Nonneg e")
    yield follows(f"(= e (Sub u (Num c))) (Ge1 u) {_const('small')}", "Nonneg e")
    for fact in ("Bounded", "Absge1", "Ge1"):
        yield follows(f"(= e (Mul u v)) ({fact} u) ({fact} v)", f"{fact} e")
        yield follows(f"(= e (Pow u (Num c))) {_const('integer', 'positive')} ({fact} u)", f"{fact} e")
        yield follows(f"(= e (Abs u)) ({fact} u)", f"{fact} e")
    for fact in ("Bounded", "Ge1"):
        yield follows(f"(= e (Sqrt u)) ({fact} u)", f"{fact} e")
    yield follows(f"(= e (Div {one} v)) (Absge1 v)", "Bounded e")
    yield follows(f"(= e (Div {one} v)) (Bounded v)", "Absge1 e")
    # What a node says of its operands by being defined.
    yield follows("(= e (Div u v))", "Nz v")
    yield follows(f"(= e (Pow u (Num c))) {_const('negative')}", "Nz u")
    yield follows(f"(= e (Pow u (Num c))) {_const('fraction')}", "Nonneg u")
    for name, zeros in (("Csc", "Sin"), ("Cot", "Sin"), ("Tan", "Cos"), ("Sec", "Cos")):
        yield follows(f"(= e ({name} u)) (= z ({zeros} u))", "Nz z")
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
            yield follows(f"(= e ({name} u))", f"{fact} u")
    yield follows("(= e (Log b u))", "Pos b", "Pos u")


def _degrees(variable: bool) -> Iterator[str]:
    degree = "(set (Deg e) {})"
    if variable:
        yield rule("(= e (X))", degree.format(1), "shapes")
    yield rule(f"(= e (Num c)) {_const('nonzero')}", degree.format(0), "shapes")
    for name in ("Add", "Sub"):
        yield rule(f"(= e ({name} u v)) (= m (Deg u)) (= n (Deg v)) (> m n)", degree.format("m"), "facts")
        yield rule(f"(= e ({name} u v)) (= m (Deg u)) (= n (Deg v)) (< m n)", degree.format("n"), "facts")
    yield rule("(= e (Mul u v)) (= m (Deg u)) (= n (Deg v))", degree.format("(+ m n)"), "facts")
    yield rule("(= e (Div u v)) (= m (Deg u)) (= n (Deg v))", degree.format("(- m n)"), "facts")
    power = f"{_const('integer', 'nonzero', 'not-one')} (<= (abs c) {_rational(9)})"
    scaled = degree.format("(* m (to-i64 (to-f64 c)))")
    yield rule(f"(= e (Pow u (Num c))) (= m (Deg u)) {power}", scaled, "facts")


def analysis(*, several: bool = False) -> Iterator[str]:
    """The rules of the analysis, one command a line.

    Args: several: of variables of which facts tell what they are (`assumed_facts`), instead of x alone.
    """
    yield from _folding()
    yield from _sparing()
    yield from _degrees(not several)
    yield from gathered((*_facts(not several), *(_facts_of_several() if several else ())))
    yield from asked()


def condition(name: str, operand: str, fresh: str) -> str:
    """An egglog query for a condition of the rule table.

    Args: name: as in the table (`nz`, `int`, ...). operand: the egglog pattern it speaks of. fresh: a
    variable name not used elsewhere in the rule.
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
        return f"(= (Num {fresh}) {operand}) {_const(*constant[name], c=fresh)}"
    fact = {"unit": "Bounded"}.get(name, name.capitalize())
    return f"({fact} {operand})"


# Assumptions as facts. Everything holds almost everywhere on the head's domain within the region of the
# assumptions. A real variable is a function that is constant on no open set; an integer one takes no part in
# that: for each of its values there are the functions of the others, and `Konst` says that no real variable
# is in a term.


def _facts_of_several() -> Iterator[Implication]:
    zero, minus, integer = "(bigrat (bigint 0) (bigint 1))", number(-1), "(= (denom c) (bigint 1))"
    yield follows(f"(= e (Num c)) (<= c {zero})", "Nonpos e")
    yield follows(f"(= e (Num c)) {integer}", "Whole e")
    for name in ("Add", "Sub", "Mul"):
        yield follows(f"(= e ({name} u v)) (Whole u) (Whole v)", "Whole e")
    yield follows(f"(= e (Pow u (Num c))) (Whole u) {integer} (> c {zero})", "Whole e")
    yield follows("(Whole e) (Pos e)", "Ge1 e")
    yield follows("(Whole e) (Nz e)", "Absge1 e")
    yield follows("(= e (Abs u)) (Whole u)", "Whole e")
    yield follows("(= e (Abs u)) (Bounded e)", "Bounded u")
    for name in ("Mul", "Div"):
        for one, other, found in (
            ("Nonpos", "Nonneg", "Nonpos"),
            ("Nonneg", "Nonpos", "Nonpos"),
            ("Nonpos", "Nonpos", "Nonneg"),
        ):
            yield follows(f"(= e ({name} u v)) ({one} u) ({other} v)", f"{found} e")
    yield follows("(= e (Add u v)) (Nonpos u) (Nonpos v)", "Nonpos e")
    yield follows("(= e (Sub u v)) (Nonpos u) (Nonneg v)", "Nonpos e")
    yield follows("(= e (Sub u v)) (Nonneg u) (Nonpos v)", "Nonneg e")
    yield follows(f"(= e (Mul {minus} u)) (Nonneg e)", "Nonpos u")
    yield follows("(= e (Sub u v)) (= f (Sub v u)) (Pos e)", "Nonpos f", "Nz f")
    yield follows("(= e (Sub u v)) (= f (Sub v u)) (Nonneg e)", "Nonpos f")
    yield follows("(= e (Sub u v)) (= f (Sub v u)) (Nz e)", "Nz f")
    yield follows("(= e (Num u))", "Free e")
    for label, count in SEVERAL.items():
        if label == "d":
            continue
        operands = ["u", "v"][:count]
        free = " ".join(f"(Free {operand})" for operand in operands)
        yield follows(f"(= e ({' '.join([constructor(label), *operands])})) {free}", "Free e")


def assumed_facts(assumptions: Assumptions, variables: Sequence[str]) -> Iterator[str]:
    """What is known of the variables, and what is assumed."""
    for name in variables:
        leaf = term(Tree(name), SEVERAL)
        if name in assumptions.integers:
            yield known(leaf, "Konst", "Whole")
        else:
            yield known(leaf, "Alg", "Nonconst")
            yield f"(set (Deg {leaf}) 1)"
        if name != VARIABLE:
            yield known(leaf, "Free")
    for one in assumptions.relations:
        yield from _relation(one)
    ends = [
        (fold_numbers(one.left), fold_numbers(one.right)) for one in assumptions.relations if one.sign != "!="
    ]
    low = {right for left, right in ends if is_number(left) and Fraction(left.label) >= -1}
    for left, right in ends:
        if is_number(right) and Fraction(right.label) <= 1 and left in low:
            yield known(term(left, SEVERAL), "Bounded")
    yield "(run asked 1)"


def _relation(one: Relation) -> Iterator[str]:
    left, right = fold_numbers(one.left), fold_numbers(one.right)
    difference = f"(Sub {term(right, SEVERAL)} {term(left, SEVERAL)})"
    if one.sign == "!=":
        yield known(difference, "Nz")
        if Tree("0") in (left, right):
            yield known(term(left if right == Tree("0") else right, SEVERAL), "Nz")
        return
    yield known(difference, "Pos" if one.sign == "<" else "Nonneg")
    if is_number(left) and (bound := Fraction(left.label)) >= 0:
        strict = bound > 0 or one.sign == "<"
        yield known(term(right, SEVERAL), "Ge1" if bound >= 1 else "Pos" if strict else "Nonneg")
    if is_number(right) and (bound := Fraction(right.label)) <= 0:
        leaf = term(left, SEVERAL)
        yield known(leaf, "Nonpos")
        if bound < 0 or one.sign == "<":
            yield known(leaf, "Nz")
        if bound <= -1:
            yield known(leaf, "Absge1")
