"""Fingerprints of terms and statements: keys of their rigorous values, which equal ones share.

A term is evaluated by balls at a few points: at fractions between 0 and 1, and at integers, where sums and
factorials have values too. The values, rounded to 48 bits, are hashed to a key for each kind of point. Equal
terms share a key wherever both have values; terms that share one are most often equal, which a `Judge` has to
say. The value of a variable comes from its name; for what is the same after renaming it comes from its place,
and the key is the least of those of all orders of the variables.

An equation is known by the difference of its sides, up to a factor, an inequality up to a positive one.
Functions of which nothing is known have values drawn by their name and the values of their arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import permutations
from typing import Any

from flint import arb, ctx

from engines.core.expression_language import CONSTANTS, FURTHER, is_constant_token
from engines.core.tree import Tree
from engines.mathematics.judging.names import BOUND, COMPARISONS, TURNED, free_variables
from engines.mathematics.numbers.numeric import CODE
from engines.mathematics.numbers.numeric_kernel import POW
from engines.mathematics.numbers.precise import NOTHING, BallValue, apply_operation, integer_in_ball
from engines.mathematics.verification.enclosures import BALL_FUNCTIONS

# Far more than agree by chance, even after some have been lost by cancellation.
_BITS = 128
_KEPT = 48
"""Bits of a value that count."""
_SURE = 64
"""Bits to which it is to be known for that."""
_RENAMED = 4
"""Of terms with more variables, those that are the same after renaming are not looked for."""
_TERMS = 64
"""So many terms of a sum or factors of a product are added up."""
_PARTS = 32
"""So many parts of a term are kept, the largest."""
_NODES = 400
"""Larger terms have no fingerprint."""

_FRACTIONS, _INTEGERS = 2, 2
"""How many points there are of each kind."""
# A Mersenne prime: fractions over it meet none of the fractions that formulas contain.
_PRIME = 2**61 - 1

Values = list[BallValue]
"""A value for each point; None where there is none or it is not known."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Keys that equal terms share, so that what may be equal to a term is looked up.

    Attributes:
        whole: Of the term as it stands.
        renamed: Whatever its variables are called.
        parts: Of each part that is worth looking for, with its place (child positions from the root).
    """

    whole: tuple[int, ...] = ()
    renamed: tuple[int, ...] = ()
    parts: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()


def _next_random(*said: str) -> int:
    return int.from_bytes(blake2b("\0".join(said).encode(), digest_size=8).digest(), "little")


def _draw_fraction(*said: str) -> arb:
    """Return a fraction between 0 and 1."""
    return arb(_next_random(*said) % (_PRIME - 1) + 1) / _PRIME


@cache
def _draw_point(name: str) -> tuple[tuple[arb, ...], tuple[arb, ...]]:
    """Return what a variable is at the points of both kinds."""
    with ctx.workprec(_BITS):
        fractions = tuple(_draw_fraction(name, "fraction", str(n)) for n in range(_FRACTIONS))
        integers = tuple(arb(_next_random(name, "integer", str(n)) % 21 + 3) for n in range(_INTEGERS))
    return fractions, integers


_PLACES = [f"\0{index}" for index in range(_RENAMED)]
"""Names of variables by their place."""

_RELATIONS = frozenset((*COMPARISONS, "approx"))
_STRUCTURES = {
    *("tuple", "list", "set", "interval", "union", "intersection", "without", "matrix", "row", "unit"),
    *("in", "subset", "and", "or", "implies", "iff", "not", "congruent"),
}
"""What is known by the keys of its parts."""
_UNORDERED = frozenset(["set", "union", "intersection", "and", "or", "iff"])


def _on_integers(operation: Callable[[Any, Any], Any]) -> Callable[[arb, arb], BallValue]:
    def apply_to_integers(u: arb, v: arb) -> BallValue:
        m, n = integer_in_ball(u), integer_in_ball(v)
        return None if m is None or n is None or not (u.is_exact() and v.is_exact()) else operation(m, n)

    return apply_to_integers


def _evaluate_binomial(n: arb, k: arb) -> BallValue:
    whole = integer_in_ball(k) if k.is_exact() else None
    if whole is not None:
        return n.bin(int(whole)) if 0 <= whole <= 10_000 else arb(0) if whole < 0 else None
    return (n + 1).gamma() / ((k + 1).gamma() * (n - k + 1).gamma())


_FUNCTIONS: Mapping[str, Callable[..., BallValue]] = {
    **{label: function for label, function in BALL_FUNCTIONS.items() if label in FURTHER},
    # Keys need no proof, so these have values at more points than the rigorous ones.
    "sign": lambda u: u.sgn(),
    "floor": lambda u: u.floor(),
    "ceil": lambda u: u.ceil(),
    "round": lambda u: (u + arb(0.5)).floor(),
    "factorial": lambda u: (u + 1).gamma(),
    "gamma": lambda u: u.gamma(),
    "binomial": _evaluate_binomial,
    "pochhammer": lambda u, n: (u + n).gamma() / u.gamma(),
    "mod": lambda u, v: u - v * (u / v).floor(),
    "min": lambda u, v: u.min(v),
    "max": lambda u, v: u.max(v),
    "gcd": _on_integers(lambda m, n: arb(m.gcd(n))),
    "lcm": _on_integers(lambda m, n: arb(m.lcm(n))),
}


@cache
def _evaluate_constant(label: str) -> BallValue:
    if label == "pi":
        return arb.pi()
    if label == "e":
        return arb.const_e()
    top, _, bottom = label.partition("/")
    try:
        return arb(top) / arb(bottom) if bottom else arb(top)
    except ValueError:
        return None


class _Evaluation:
    """Values of a term and its parts at the points of an environment: names with a value for each point.

    Attributes: values: of the parts outside sums and the like, by identity.
    """

    def __init__(self, places: int) -> None:
        self.places = places
        self.values: dict[int, Values] = {}

    def evaluate_node(self, node: Tree, names: Mapping[str, Sequence[arb]]) -> Values:
        known = self.values.get(id(node))
        if known is None:
            known = self.values[id(node)] = self._compute_values(node, names)
        return known

    def _compute_values(self, node: Tree, names: Mapping[str, Sequence[arb]]) -> Values:
        label, children = node.label, node.children
        if not children:
            # Leaves: letters have the values of the points; other leaves are constants or unknown.
            if label in names:
                return list(names[label])
            return [
                _evaluate_constant(label) if is_constant_token(label) or label in CONSTANTS else None
            ] * self.places
        if label in ("sum", "prod"):
            return self._compute_series(node, names)
        if label == "call":
            return self._hash_unknown(node, names)
        # Binders and structures have no value of their own, but their parts may be searched for.
        if label in BOUND or label in _STRUCTURES or label in _RELATIONS:
            for child in children:  # their parts may be looked for
                if label not in BOUND:
                    self.evaluate_node(child, names)
            return [None] * self.places
        # Operations of the core language are evaluated by balls of Arb.
        operands = [self.evaluate_node(child, names) for child in children]
        code = CODE.get(label)
        if code is not None and len(operands) <= 2 and code != CODE["where"]:
            fixed = code == POW and not free_variables(children[1])
            result = apply_operation(
                (code, 1, NOTHING if len(operands) == 1 else 1), operands[0], operands[-1], fixed
            )
            return [value if value is None or value.is_finite() else None for value in result]
        if label == "root" and len(operands) == 2:
            return [_evaluate_root(*pair) for pair in zip(*operands, strict=True)]
        operation = _FUNCTIONS.get(label)
        if operation is None or len(operands) > 2:
            return [None] * self.places
        # Further functions, one or two operands each, point by point.
        values: Values = []
        for given in zip(*operands, strict=True):
            value = None if None in given else operation(*given)
            values.append(value if value is None or value.is_finite() else None)
        return values

    def _compute_series(self, node: Tree, names: Mapping[str, Sequence[arb]]) -> Values:
        """Sums and products with few terms, added up."""
        variable, low, high, body = node.children
        bounds = []
        for below, above in zip(self.evaluate_node(low, names), self.evaluate_node(high, names), strict=True):
            # Sums are added up only between bounds that are exact integers, and only if they are short.
            first = None if below is None or not below.is_exact() else integer_in_ball(below)
            last = None if above is None or not above.is_exact() else integer_in_ball(above)
            # last = first - 1 is the empty sum; a bound further below has no agreed meaning.
            known = first is not None and last is not None and first - 1 <= last < first + _TERMS
            bounds.append(range(int(first), int(last) + 1) if known else None)  # type: ignore[arg-type]
        # Evaluate the body once for all terms at all points: each pair is a point of its own there.
        indices = [(index, term) for index, terms in enumerate(bounds) for term in terms or ()]
        inner = _Evaluation(len(indices))
        own = {name: [row[index] for index, _ in indices] for name, row in names.items()}
        own[variable.label] = [arb(term) for _, term in indices]
        terms = iter(inner.evaluate_node(body, own))
        result: Values = []
        for span in bounds:
            if span is None:
                result.append(None)
                continue
            total: BallValue = arb(0 if node.label == "sum" else 1)
            for _ in span:
                term = next(terms)
                if total is not None:
                    total = None if term is None else total + term if node.label == "sum" else total * term
            result.append(total)
        return result

    def _hash_unknown(self, node: Tree, names: Mapping[str, Sequence[arb]]) -> Values:
        name, *arguments = node.children
        operands = [self.evaluate_node(argument, names) for argument in arguments]
        result: Values = []
        for given in zip(*operands, strict=True):
            parts = [_round_value(value) for value in given]
            result.append(None if None in parts else _draw_fraction(name.label, "call", *map(str, parts)))
        return result


def _evaluate_root(degree: BallValue, radicand: BallValue) -> BallValue:
    whole = None if degree is None or not degree.is_exact() else integer_in_ball(degree)
    if radicand is None or degree is None or (whole is not None and whole == 0):
        return None
    if radicand > 0:
        return radicand ** (1 / degree)
    if radicand < 0 and whole is not None and int(whole) % 2:
        return -((-radicand) ** (1 / degree))
    return arb(0) if radicand.is_zero() else None


def _round_value(value: BallValue) -> str | None:
    """Return a value to the bits that count; None where it is not known to as many."""
    if value is None or not value.is_finite():
        return None
    if value.contains(0):
        return "0" if value.rad() < _TINY else None
    if value.rel_accuracy_bits() < _SURE:
        return None
    mantissa, exponent = map(int, value.mid().man_exp())
    size = mantissa.bit_length()
    if size > _KEPT:
        spare = size - _KEPT
        mantissa, exponent = (mantissa + (1 << (spare - 1))) >> spare, exponent + spare
    twos = (mantissa & -mantissa).bit_length() - 1
    return f"{mantissa >> twos}p{exponent + twos}"


_TINY = arb(2) ** -_SURE


def _hash_values(values: Sequence[BallValue], salt: str) -> int | None:
    parts = [_round_value(value) for value in values]
    return None if None in parts else _next_random(salt, *map(str, parts))


def _hash_statement(label: str, values: Sequence[BallValue], salt: str) -> int | None:
    """Return the key of a relation, from the differences of its sides."""
    if label[0] == ">":
        label, values = TURNED[label], [None if value is None else -value for value in values]
    first = values[0]
    if first is None or first.contains(0):
        return None  # an identity says nothing of its own
    scale = first if label in ("=", "!=", "approx") else abs(first)
    return _hash_values([None if value is None else value / scale for value in values], f"{salt} {label}")


class _Keys:
    """The keys of a tree and its parts, with variables at the points of names: one sequence of names, or
    several in turn.

    Args: tree: the whole. variables: its own. orders: of each, as what they are drawn.
    """

    def __init__(self, tree: Tree, variables: Sequence[str], orders: Sequence[Sequence[str]]) -> None:
        # One point is enough for a term, since its value has bits enough; a relation needs their ratio.
        self._fractions = 2 if any(node.label in _RELATIONS for node in tree) else 1
        self._wide = self._fractions + _INTEGERS
        self._names: dict[str, list[arb]] = {name: [] for name in variables}
        for order in orders:
            for name, drawn in zip(variables, order, strict=True):
                fractions, integers = _draw_point(drawn)
                self._names[name] += (*fractions[: self._fractions], *integers)
        self._evaluation = _Evaluation(self._wide * len(orders))
        self._orders = len(orders)

    def smallest_keys(self, node: Tree, what: str) -> tuple[int, ...]:
        """Return the least key of a part for each kind of point, over all orders; of those that have one."""
        result = []
        for kind, first, last in (("fraction", 0, self._fractions), ("integer", self._fractions, self._wide)):
            starts = range(0, self._wide * self._orders, self._wide)
            every = (
                self._smallest_key(node, slice(at + first, at + last), f"{what} {kind}") for at in starts
            )
            if known := [key for key in every if key is not None]:
                result.append(min(known))
        return tuple(result)

    def _smallest_key(self, node: Tree, points: slice, salt: str) -> int | None:
        label = node.label
        if label in _RELATIONS:
            # A relation is identified by the difference of its sides, on which moving
            # terms across has no effect.
            left, right = (
                self._evaluation.evaluate_node(child, self._names)[points] for child in node.children
            )
            pairs = zip(left, right, strict=True)
            return _hash_statement(label, [None if a is None or b is None else a - b for a, b in pairs], salt)
        if label in _STRUCTURES:
            first = 1 if label in ("interval", "unit") else 0
            keys = [self._smallest_key(child, points, salt) for child in node.children[first:]]
            if None in keys:
                return None
            said = [str(key) for key in keys]
            # Members of a set have no order.
            if label in _UNORDERED:
                said.sort()
            return _next_random(salt, label, *(child.label for child in node.children[:first]), *said)
        if salt.endswith("fraction"):
            points = slice(points.start, points.start + 1)
        return _hash_values(self._evaluation.evaluate_node(node, self._names)[points], salt)


def _iterate_parts(tree: Tree) -> Iterator[tuple[tuple[int, ...], Tree]]:
    """Yield the parts that are no number and no variable, outside sums and the like, parents first; each
    once.
    """
    seen: set[Tree] = set()
    pending: list[tuple[tuple[int, ...], Tree]] = [((), tree)]
    while pending:
        path, node = pending.pop(0)
        if path and node.children and node not in seen:
            seen.add(node)
            yield path, node
        if node.label in BOUND:
            continue
        first = 1 if node.label in ("call", "interval", "unit", "text") else 0
        pending += [((*path, index), child) for index, child in enumerate(node.children) if index >= first]


class ValueFingerprints:
    """Makes fingerprints by rigorous values."""

    version = 1
    """Another one for other keys."""

    def compute_fingerprint(self, tree: Tree) -> Fingerprint:
        """Return the fingerprint; without keys where the tree has no values that are known.

        >>> one, other = (Tree("*", (Tree("x"), Tree("x"))), Tree("pow", (Tree("x"), Tree("2"))))
        >>> compute = ValueFingerprints().compute_fingerprint
        >>> compute(one).whole == compute(other).whole
        True
        """
        if len(tree) > _NODES:
            return Fingerprint()
        with ctx.workprec(_BITS):
            variables = sorted(free_variables(tree))
            keys = _Keys(tree, variables, [variables])
            whole = keys.smallest_keys(tree, "whole" if tree.children else "leaf")
            parts: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
            for path, node in _iterate_parts(tree):
                if len(parts) == _PARTS:
                    break
                if free_variables(node) and (result := keys.smallest_keys(node, "whole")):
                    parts.append((path, result))
            renamed: tuple[int, ...] = ()
            if tree.children and 0 < len(variables) <= _RENAMED:
                positions = list(permutations(_PLACES[: len(variables)]))
                renamed = _Keys(tree, variables, positions).smallest_keys(tree, "renamed")
            return Fingerprint(whole, renamed, tuple(parts))

    def iterate_renamings(self, left: Tree, right: Tree) -> Iterator[tuple[Mapping[str, str], Tree]]:
        """Yield the ways to rename the variables of one term after which it may be equal to another: each
        name with its new one, and the term with the new names.
        """
        names, others = sorted(free_variables(left)), sorted(free_variables(right))
        if not 0 < len(names) == len(others) <= _RENAMED:
            return
        with ctx.workprec(_BITS):
            wanted = set(_Keys(right, others, [others]).smallest_keys(right, "whole"))
            results = []
            for order in permutations(others):
                if wanted & set(_Keys(left, names, [order]).smallest_keys(left, "whole")):
                    results.append({name: new for name, new in zip(names, order, strict=True) if name != new})
        for new in sorted(results, key=len):
            yield new, _with_names(left, new)


def _with_names(tree: Tree, names: Mapping[str, str]) -> Tree:
    """Return a tree with other names for its free variables; bound ones give way."""
    if not names or not tree.children:
        return Tree(names[tree.label]) if tree.label in names else tree
    if tree.label in ("call", "interval", "unit", "text"):
        first, *rest = tree.children
        return Tree(tree.label, (first, *(_with_names(child, names) for child in rest)))
    if tree.label not in BOUND or tree.label == "d":
        return Tree(tree.label, tuple(_with_names(child, names) for child in tree.children))
    variable, *bounds, body = tree.children
    inner = {name: new for name, new in names.items() if name != variable.label}
    if variable.label in inner.values():
        fresh = Tree(f"{variable.label}'")
        inner, variable = {**inner, variable.label: fresh.label}, fresh
    return Tree(
        tree.label, (variable, *(_with_names(one, names) for one in bounds), _with_names(body, inner))
    )
