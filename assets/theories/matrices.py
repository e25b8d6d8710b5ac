"""2×2 matrices: random integers find what differs, polynomials in the entries prove what is equal.

A matrix is its four entries, row by row; an entry is a polynomial, a dictionary from monomials (the names of
their factors, sorted) to integers. Integers are polynomials without factors.
"""

import random

MOST = 20_000


def differ(left, right):
    names = sorted({node.label for tree in (left, right) for node in tree if not node.children})
    draw = random.Random(0)
    for _ in range(3):
        drawn = {name: [{(): draw.randint(-9, 9)} for _ in range(4)] for name in names}
        one, other = value(left, drawn), value(right, drawn)
        if one != other:
            at = ", ".join(f"{name} = {shown(drawn[name])}" for name in names if name not in ("zero", "one"))
            return f"at {at} the first is {shown(one)}, the second {shown(other)}"
    entries = {name: [{(f"{name}{place}",): 1} for place in ("11", "12", "21", "22")] for name in names}
    return None if value(left, entries) == value(right, entries) else "entries differ as polynomials"


def value(tree, at):
    parts = [value(child, at) for child in tree.children]
    match tree.label, parts:
        case "zero", []:
            return [{}, {}, {}, {}]
        case "one", []:
            return [{(): 1}, {}, {}, {(): 1}]
        case "plus", [one, other]:
            return [plus(p, q) for p, q in zip(one, other, strict=True)]
        case "minus", [one, other]:
            return [plus(p, q, -1) for p, q in zip(one, other, strict=True)]
        case "negative", [one]:
            return [plus({}, p, -1) for p in one]
        case "times", [one, other]:
            return product(one, other)
        case "com", [one, other]:
            return [plus(p, q, -1) for p, q in zip(product(one, other), product(other, one), strict=True)]
        case "transposed", [[a, b, c, d]]:
            return [a, c, b, d]
        case "adj", [[a, b, c, d]]:
            return [d, plus({}, b, -1), plus({}, c, -1), a]
        case name, []:
            return [plus({}, p) for p in at[name]]
    raise ValueError(f"no operator {tree.label}")


def product(one, other):
    (a, b, c, d), (e, f, g, h) = one, other
    rows = ((a, e, b, g), (a, f, b, h), (c, e, d, g), (c, f, d, h))
    return [plus(times(p, q), times(r, s)) for p, q, r, s in rows]


def plus(one, other, sign=1):
    found = dict(one)
    for factors, number in other.items():
        found[factors] = found.get(factors, 0) + sign * number
    return {factors: number for factors, number in found.items() if number}


def times(one, other):
    found = {}
    if len(one) * len(other) > MOST:
        raise ValueError(f"more than {MOST} terms")
    for p, n in one.items():
        for q, m in other.items():
            factors = tuple(sorted(p + q))
            found[factors] = found.get(factors, 0) + n * m
    return {factors: number for factors, number in found.items() if number}


def shown(matrix):
    a, b, c, d = (entry.get((), 0) for entry in matrix)
    return f"[{a} {b}; {c} {d}]"
