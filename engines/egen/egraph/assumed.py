"""Assumptions as facts of an e-graph, beside what it knows anyway (`analysis`).

Everything holds almost everywhere on the head's domain within the region of the assumptions. A real variable
is a function that is constant on no open set; an integer one takes no part in that: for each of its values
there are the functions of the others, and `Konst` says that no real variable is in a term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from engines.core.tree import Tree
from engines.egen.assumptions import Assumptions, Relation
from engines.egen.egraph.analysis import Implication, constructor, known, number, told
from engines.egen.egraph.analysis import analysis as analysis_of
from engines.egen.expressions.language import ARITY, VARIABLE
from engines.egen.expressions.patterns import fold, is_number


def term(tree: Tree) -> str:
    """A folded expression as an egglog term; every variable is a `Var`."""
    if is_number(tree):
        return number(Fraction(tree.label))
    if not tree.children and tree.label not in ("pi", "e"):
        return f'(Var "{tree.label}")'
    children = tree.children[1:] if tree.label == "d" else tree.children
    return f"({' '.join([constructor(tree.label), *map(term, children)])})"


def analysis() -> Iterator[str]:
    """The rules of `analysis.analysis` for variables that are given by facts, and those of further facts."""
    return analysis_of(variable=False, further=_further())


def _further() -> Iterator[Implication]:
    zero, minus, integer = "(bigrat (bigint 0) (bigint 1))", number(-1), "(= (denom c) (bigint 1))"
    yield told(f"(= e (Num c)) (<= c {zero})", "Nonpos e")
    yield told(f"(= e (Num c)) {integer}", "Whole e")
    for name in ("Add", "Sub", "Mul"):
        yield told(f"(= e ({name} u v)) (Whole u) (Whole v)", "Whole e")
    yield told(f"(= e (Pow u (Num c))) (Whole u) {integer} (> c {zero})", "Whole e")
    yield told("(Whole e) (Pos e)", "Ge1 e")
    yield told("(Whole e) (Nz e)", "Absge1 e")
    yield told("(= e (Abs u)) (Whole u)", "Whole e")
    yield told("(= e (Abs u)) (Bounded e)", "Bounded u")
    for name in ("Mul", "Div"):
        for one, other, found in (
            ("Nonpos", "Nonneg", "Nonpos"),
            ("Nonneg", "Nonpos", "Nonpos"),
            ("Nonpos", "Nonpos", "Nonneg"),
        ):
            yield told(f"(= e ({name} u v)) ({one} u) ({other} v)", f"{found} e")
    yield told("(= e (Add u v)) (Nonpos u) (Nonpos v)", "Nonpos e")
    yield told("(= e (Sub u v)) (Nonpos u) (Nonneg v)", "Nonpos e")
    yield told("(= e (Sub u v)) (Nonneg u) (Nonpos v)", "Nonneg e")
    yield told(f"(= e (Mul {minus} u)) (Nonneg e)", "Nonpos u")
    yield told("(= e (Sub u v)) (= f (Sub v u)) (Pos e)", "Nonpos f", "Nz f")
    yield told("(= e (Sub u v)) (= f (Sub v u)) (Nonneg e)", "Nonpos f")
    yield told("(= e (Sub u v)) (= f (Sub v u)) (Nz e)", "Nz f")
    yield told("(= e (Num u))", "Free e")
    for label, count in ARITY.items():
        if label in (VARIABLE, "d"):
            continue
        operands = ["u", "v"][:count]
        free = " ".join(f"(Free {operand})" for operand in operands)
        yield told(f"(= e ({' '.join([constructor(label), *operands])})) {free}", "Free e")


def facts(assumptions: Assumptions, variables: Sequence[str]) -> Iterator[str]:
    """What is known of the variables, and what is assumed."""
    for name in variables:
        leaf = term(Tree(name))
        if name in assumptions.integers:
            yield known(leaf, "Konst", "Whole")
        else:
            yield known(leaf, "Alg", "Nonconst")
            yield f"(set (Deg {leaf}) 1)"
        if name != VARIABLE:
            yield known(leaf, "Free")
    for one in assumptions.relations:
        yield from _relation(one)
    ends = [(fold(one.left), fold(one.right)) for one in assumptions.relations if one.sign != "!="]
    low = {right for left, right in ends if is_number(left) and Fraction(left.label) >= -1}
    for left, right in ends:
        if is_number(right) and Fraction(right.label) <= 1 and left in low:
            yield known(term(left), "Bounded")
    yield "(run asked 1)"


def _relation(one: Relation) -> Iterator[str]:
    left, right = fold(one.left), fold(one.right)
    difference = f"(Sub {term(right)} {term(left)})"
    if one.sign == "!=":
        yield known(difference, "Nz")
        if Tree("0") in (left, right):
            yield known(term(left if right == Tree("0") else right), "Nz")
        return
    yield known(difference, "Pos" if one.sign == "<" else "Nonneg")
    if is_number(left):
        yield from _above(term(right), Fraction(left.label), strict=one.sign == "<")
    if is_number(right):
        yield from _below(term(left), Fraction(right.label), strict=one.sign == "<")


def _above(leaf: str, bound: Fraction, *, strict: bool) -> Iterator[str]:
    if bound >= 1:
        yield known(leaf, "Ge1")
    elif bound > 0 or (bound == 0 and strict):
        yield known(leaf, "Pos")
    elif bound == 0:
        yield known(leaf, "Nonneg")


def _below(leaf: str, bound: Fraction, *, strict: bool) -> Iterator[str]:
    if bound <= 0:
        yield known(leaf, "Nonpos")
    if bound < 0 or (bound == 0 and strict):
        yield known(leaf, "Nz")
    if bound <= -1:
        yield known(leaf, "Absge1")
