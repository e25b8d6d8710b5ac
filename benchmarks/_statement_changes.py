r"""Makers of pairs of a right and a wrong answer, for `hostile_answers`: changed values of sentences,
arguments, counts, derivatives and notations of probability, and changed words around a number."""

from __future__ import annotations

from collections.abc import Callable
from math import comb, factorial
from random import Random

Pair = tuple[str, str]


def draw_two(chance: Random, low: int = 1, high: int = 40) -> tuple[int, int]:
    """Draw two different numbers, the smaller first."""
    one, other = sorted(chance.sample(range(low, high), 2))
    return one, other


def draw_order(chance: Random, one: str, other: str) -> Pair:
    """Return two answers in either order."""
    return (one, other) if chance.random() < 0.5 else (other, one)


def _two_of(chance: Random, *answers: str) -> Pair:
    one, other = chance.sample(answers, 2)
    return one, other


# ---- connectives


def _sentence_list(chance: Random) -> Pair:
    (a, b), name = draw_two(chance), chance.choice("xtny")
    said = chance.choice(
        [
            f"The solutions are {name} = {a} and {name} = {b}.",
            f"The solutions of the equation are {name}={a} and {name}={b}.",
            f"The roots are {a} and {b}.",
            f"So {name} = {a} or {name} = {b}.",
        ]
    )
    part = chance.choice([str(a), str(b), f"{name} = {a}", f"{name} = {b}"])
    return draw_order(chance, part, said)


def _listed_with_and(chance: Random) -> Pair:
    a, b, c = chance.sample(range(1, 40), 3)
    wrong = [f"x={a} and x={c}", f"x={a} and y={b}", f"x={a}", rf"x \ne {a} \text{{ and }} x \ne {b}"]
    return draw_order(chance, f"x={a} or x={b}", chance.choice(wrong))


# ---- brackets


def _period(chance: Random) -> Pair:
    a, b = chance.sample(range(1, 10), 2)
    return draw_order(chance, rf"0.{a}\overline{{{b}}}", rf"0.\overline{{{a}{b}}}")


def _mixed_number(chance: Random) -> Pair:
    whole, below = chance.randrange(1, 9), chance.randrange(3, 9)
    above = chance.randrange(1, below)
    wrong = [
        rf"\frac{{{whole * above}}}{{{below}}}",
        rf"{whole}-\frac{{{above}}}{{{below}}}",
        rf"-{whole}\frac{{{above}}}{{{below}}}",
        rf"{whole + 1}\frac{{{above}}}{{{below}}}",
    ]
    return draw_order(chance, rf"{whole}\frac{{{above}}}{{{below}}}", chance.choice(wrong))


def _nested_root(chance: Random) -> Pair:
    a, b = draw_two(chance, 2, 20)
    wrong = [
        rf"\sqrt{{{a}-\sqrt{{{b}}}}}",
        rf"\sqrt{{{a}}}+\sqrt{{{b}}}",
        rf"{a}+\sqrt{{{b}}}",
    ]
    return draw_order(chance, rf"\sqrt{{{a}+\sqrt{{{b}}}}}", chance.choice(wrong))


# ---- quantifiers


def _extreme(chance: Random) -> Pair:
    a = chance.randrange(2, 300)
    form = chance.choice(["{} {}", "The {} is {}.", "the {} value {}"])
    return draw_order(chance, form.format("maximum", a), form.format("minimum", a))


def _set_by_condition(chance: Random) -> Pair:
    a = chance.randrange(-9, 30)
    bodies = (f"x > {a}", rf"x \ge {a}", f"x < {a}", rf"x \ne {a}")
    sets = [rf"\{{x : {body}\}}" for body in bodies]
    return _two_of(chance, *sets, rf"\{{x \in \mathbb{{Z}} : x > {a}\}}", rf"\{{{a}\}}")


def _residues(chance: Random) -> Pair:
    a = chance.randrange(3, 12)
    wrong = [
        rf"n = {a}k, k \in \mathbb{{Z}}",
        rf"n = {a}k - 1, k \in \mathbb{{Z}}",
        rf"n = {2 * a}k + 1, k \in \mathbb{{Z}}",
        rf"n \not\equiv 1 \pmod {{{a}}}",
    ]
    return draw_order(chance, rf"n \equiv 1 \pmod {{{a}}}", chance.choice(wrong))


def _words_of_limits(chance: Random) -> Pair:
    a = chance.randrange(2, 30)
    words = (
        "mindestens {}, höchstens {}, unter {}, über {}, au moins {}, не менее {}, больше {}, 至少{}, {}以上"
    )
    return draw_order(chance, str(a), chance.choice(words.split(", ")).format(a))


# ---- signs


def _root_of_unity(chance: Random) -> Pair:
    k = chance.choice([5, 7, 8, 9])
    return _two_of(chance, *(rf"{sign}e^{{{turn}i\pi/{k}}}" for sign in ("", "-") for turn in ("", "-", "2")))


def _circle(chance: Random) -> Pair:
    (a, b), r = draw_two(chance, 1, 9), chance.choice([2, 3, 4, 5])
    wrong = [
        rf"(x+{a})^2+(y-{b})^2={r * r}",
        rf"(x-{a})^2+(y-{b})^2={r}",
        rf"(x-{b})^2+(y-{a})^2={r * r}",
        rf"(x-{a})^2-(y-{b})^2={r * r}",
        rf"(x-{a})^2+(y-{b})^2<{r * r}",
    ]
    return draw_order(chance, rf"(x-{a})^2+(y-{b})^2={r * r}", chance.choice(wrong))


def _line(chance: Random) -> Pair:
    a, b = draw_two(chance, 2, 9)
    wrong = [f"y={a}x-{b}", f"y=-{a}x+{b}", f"x={a}y+{b}", f"y={b}x+{a}", f"y>{a}x+{b}", f"{a}x+y+{b}=0"]
    return draw_order(chance, f"y={a}x+{b}", chance.choice(wrong))


# ---- digits


def _share(chance: Random) -> Pair:
    a, b = draw_two(chance, 1, 60)
    said = chance.choice(["{} out of {}", "The probability is {} out of {}.", "The chance is {} in {}."])
    return draw_order(chance, chance.choice([str(a), str(b), rf"\frac{{{b}}}{{{a}}}"]), said.format(a, b))


def _argument(chance: Random) -> Pair:
    a = chance.randrange(2, 99)
    one, other = chance.sample(chance.choice(["ABCX", "abcm"]), 2)
    function = chance.choice(["P", "E", "n", "f", "g"])
    return f"{function}({one}) = {a}", f"{function}({other}) = {a}"


def _numbered(chance: Random) -> Pair:
    a, (i, j) = chance.randrange(2, 99), draw_two(chance, 0, 9)
    name = chance.choice(["a_{}", "x_{}", "f({})", "S_{}"])
    return f"{name.format(i)} = {a}", f"{name.format(j)} = {a}"


def _combinations(chance: Random) -> Pair:
    n = chance.randrange(5, 10)
    k = chance.randrange(2, n - 1)
    j = chance.choice([size for size in range(1, n) if comb(n, size) != comb(n, k)])
    wrong = chance.choice([f"C_{n}^{j}", f"C({n},{j})", f"{{}}_{n}C_{j}", f"{n}C{j}", f"{{}}_{n}P_{k}"])
    return draw_order(chance, chance.choice([str(comb(n, k)), rf"\binom{{{n}}}{{{k}}}"]), wrong)


def _double_factorial(chance: Random) -> Pair:
    n = chance.randrange(4, 12)
    return draw_order(chance, chance.choice([f"{n}!", f"({n}!)!", f"{n + 2}!!", str(factorial(n))]), f"{n}!!")


def _sum_of_powers(chance: Random) -> Pair:
    a, b = draw_two(chance, 2, 9)
    wrong = [
        rf"\sum_{{k=1}}^{{{b}}} k^2",
        rf"\sum_{{k=1}}^{{{a}}} k^3",
        rf"\prod_{{k=1}}^{{{a}}} k^2" if a > 2 else "0",
        rf"\sum_{{k=2}}^{{{a}}} k^2",
    ]
    return draw_order(chance, rf"\sum_{{k=1}}^{{{a}}} k^2", chance.choice(wrong))


def _denied_number(chance: Random) -> Pair:
    a, b = draw_two(chance)
    said = ["The answer is {b} rather than {a}.", "It is {b}, not {a}.", "{b} instead of {a}"]
    return str(a), chance.choice(said).format(a=a, b=b)


def _decimal_comma(chance: Random) -> Pair:
    a, b = chance.sample(range(1, 10), 2)
    wrong = [f"{b},{a}", f"{a},0{b}", f"({a},{b})", rf"\{{{a},{b}\}}", f"{a}, {b}", f"{a},{b}"]
    return draw_order(chance, f"{a}.{b}", chance.choice(wrong))


# ---- units


def _angle(chance: Random) -> Pair:
    a, name = chance.randrange(2, 80), chance.choice(["sin", "cos", "tan"])
    wrong = [rf"\{name} {a}", rf"-\{name} {a}^\circ"]
    return draw_order(chance, rf"\{name} {a}^\circ", chance.choice(wrong))


def _rate(chance: Random) -> Pair:
    a = chance.randrange(2, 90)
    units = chance.choice(["km/h, h/km, km, m/h, km/min, m/s", "км/ч, м/с, км, м/ч, км/мин, ч"])
    return _two_of(chance, *(f"{a} {unit}" for unit in units.split(", ")))


def _below_zero(chance: Random) -> Pair:
    a = chance.randrange(2, 50)
    return draw_order(chance, str(a), f"{a} degrees below zero")


# ---- sides


def _named_ratio(chance: Random) -> Pair:
    a, b = draw_two(chance, 1, 20)
    wrong = [
        f"x:y={b}:{a}",
        f"y:x={a}:{b}",
        f"{b}:{a}",
        f"x:z={a}:{b}",
        rf"\frac{{y}}{{x}}=\frac{{{a}}}{{{b}}}",
    ]
    return draw_order(chance, f"x:y={a}:{b}", chance.choice(wrong))


def _slope(chance: Random) -> Pair:
    a = chance.randrange(2, 30)
    slopes = (r"\frac{dy}{dx}", r"\frac{dx}{dy}", r"\frac{d^2y}{dx^2}", r"\frac{dy}{dt}", "y")
    return _two_of(chance, *(f"{slope} = {a}x" for slope in slopes))


def _primes(chance: Random) -> Pair:
    a = chance.randrange(2, 30)
    return _two_of(chance, *(f"{name}(x) = {a}x" for name in ("f'", "f''", "f", "g'")))


def _bounds(chance: Random) -> Pair:
    a, b = draw_two(chance, -9, 30)
    return _two_of(chance, *(f"{a} {low} x {high} {b}" for low in ("<", r"\le") for high in ("<", r"\le")))


def _size(chance: Random) -> Pair:
    a = chance.randrange(1, 30)
    return _two_of(
        chance, *(f"|x| {sign} {a}" for sign in ("<", ">", "=", r"\le")), f"x < {a}", f"x = {a}", f"-{a} < x"
    )


def _ranking(chance: Random) -> Pair:
    letters = chance.sample("ABCD", 3)
    other = letters[:]
    while other == letters:
        chance.shuffle(other)
    sign = chance.choice([" > ", " < "])
    return sign.join(letters), sign.join(other)


def _event(chance: Random) -> Pair:
    a = chance.randrange(2, 9)
    events = (r"A \cup B", r"A \cap B", "A | B", "B | A", "A'", "A", "X = 1", "X = 2", "X < 1")
    return _two_of(chance, *(f"P({event}) = 1/{a}" for event in events))


def _of_matrix(chance: Random) -> Pair:
    return _two_of(chance, "A^{-1}", "A^T", "A", "-A", "A^2", r"\det A")


def _antiderivative(chance: Random) -> Pair:
    a, b = draw_two(chance, 1, 9)
    wrong = [
        rf"\frac{{x^{{{b + 1}}}}}{{{b + 1}}}+C",
        rf"-\frac{{x^{{{a + 1}}}}}{{{a + 1}}}+C",
        rf"\frac{{t^{{{a + 1}}}}}{{{a + 1}}}+C",
        rf"\int x^{b} dx",
        rf"\int_0^1 x^{a} dx",
    ]
    return draw_order(chance, rf"\int x^{a} dx", chance.choice(wrong))


def _members_of_sets(chance: Random) -> Pair:
    first, other = chance.sample("ABCD", 2)
    wrong = [
        rf"x \in {first} \text{{ and }} x \in {other}",
        rf"x \in {first} \text{{ or }} x \notin {other}",
        rf"x \in {first}",
    ]
    return draw_order(chance, rf"{first} \cup {other}", chance.choice(wrong))


def _between(chance: Random) -> Pair:
    (a, b), how = draw_two(chance), chance.choice(["", "strictly "])
    wrong = [f"({a}, {b + 1})", f"[{a}, {b}]", f"({a}, {b}]", f"{a} < x", f"{a}, {b}"]
    return draw_order(chance, f"x is {how}between {a} and {b}", chance.choice(wrong))


def _less_than_power(chance: Random) -> Pair:
    power, by = chance.randrange(4, 12), chance.randrange(2, 9)
    said = chance.choice([f"{by} less than 2^{power}", f"It is {by} less than $2^{{{power}}}$."])
    return draw_order(chance, said, str(2**power + chance.choice([by, 0, -by - 1, 1])))


def _multiplicities(chance: Random) -> Pair:
    a, b = draw_two(chance)
    said = f"The roots are {a} (with multiplicity 2) and {b}."
    return draw_order(
        chance, said, chance.choice([f"{a}, {b}, {b}", f"{a}, {a}", f"{a}, {a}, {b + 1}", f"{b}"])
    )


def _line_in_words(chance: Random) -> Pair:
    (a, b), number = draw_two(chance, 2, 9), chance.randrange(2, 9)
    wrong = [f"y = {b}x + {number}", f"y = {a}x - {number}", f"y = {a}x", f"y = {number}x + {a + number}"]
    return draw_order(chance, f"the line with slope {a} and y-intercept {number}", chance.choice(wrong))


def _only_if(chance: Random) -> Pair:
    p, q = chance.sample("pqrs", 2)
    said = chance.choice([f"{p} only if {q}", f"{p} is sufficient for {q}", f"{q} is necessary for {p}"])
    wrong = [rf"{q} \to {p}", rf"{p} \land {q}", rf"\neg {p} \to {q}", rf"{p} \leftrightarrow {q}"]
    return draw_order(chance, said, chance.choice(wrong))


def _permuted(chance: Random) -> Pair:
    a, b, c = chance.sample(range(1, 20), 3)
    said = chance.choice(["and all its permutations", r"\text{ and permutations}", "and its permutations"])
    wrong = [
        f"({a}, {b}, {c})",
        f"({a}, {b}, {c}), ({a}, {c}, {b})",
        f"({a}, {b}, {c}) and cyclic permutations",
        f"({a}, {b}, {a}) and permutations",
    ]
    return draw_order(chance, f"({a}, {b}, {c}) {said}", chance.choice(wrong))


def _dozens(chance: Random) -> Pair:
    a = chance.choice(["two", "three", "four", "half a", "a"])
    number = {"two": 24, "three": 36, "four": 48, "half a": 6, "a": 12}[a]
    wrong = number + chance.choice([-12, 1, 6, -number + 2])
    return draw_order(chance, f"{a} dozen", str(wrong))


def _power_with_unit(chance: Random) -> Pair:
    a, power = draw_two(chance, 2, 9)
    sign = chance.choice(["×", r"\times", "·"])
    wrong = [
        f"{a} × 10^-{power - 1} m",
        f"{a} × 10^{power} m",
        f"{a} × 10^-{power} s",
        f"{a} × 10^-{power} m²",
    ]
    return draw_order(chance, f"{a} {sign} 10^{{-{power}}} m", chance.choice(wrong))


def _going_on(chance: Random) -> Pair:
    first, step = chance.randrange(-5, 9), chance.randrange(1, 6)

    def write(start: int, by: int) -> str:
        return rf"\{{{', '.join(str(start + by * index) for index in range(4))}, \dots\}}"

    wrong = [
        write(first + 1, step),
        write(first, step + 1),
        rf"\{{{first} + {step}k : k \in \mathbb{{Z}}\}}",
        rf"\{{{first}, {first + step}, \dots, {first + 9 * step}\}}",
    ]
    return draw_order(chance, write(first, step), chance.choice(wrong))


def _grouped_solutions(chance: Random) -> Pair:
    a, b, c, d = chance.sample(range(1, 30), 4)
    said = rf"x = {a}, y = {b} \text{{ or }} x = {c}, y = {d}"
    wrong = [f"({a}, {d}), ({c}, {b})", f"({a}, {b})", rf"x = {a}, y = {d} \text{{ or }} x = {c}, y = {b}"]
    return draw_order(chance, said, chance.choice(wrong))


def _properties(chance: Random) -> Pair:
    one, other, third = chance.sample(["reflexive", "symmetric", "transitive", "injective", "bounded"], 3)
    wrong = [
        f"{one} and {third}, not {other}",
        f"It is {one}, {other} and {third}.",
        f"It is not {one} but {other}, not {third}.",
    ]
    return draw_order(chance, f"It is {one} and {other} but not {third}.", chance.choice(wrong))


STATEMENT_MAKERS: dict[str, tuple[Callable[[Random], Pair], ...]] = {
    "connective": (_sentence_list, _listed_with_and, _members_of_sets, _only_if, _grouped_solutions),
    "bracket": (_period, _mixed_number, _nested_root, _between, _permuted),
    "quantifier": (_extreme, _set_by_condition, _residues, _words_of_limits, _going_on),
    "sign": (_root_of_unity, _circle, _line, _properties),
    "digit": (
        *(_share, _argument, _numbered, _combinations, _double_factorial, _sum_of_powers, _denied_number),
        *(_decimal_comma, _less_than_power, _multiplicities, _dozens),
    ),
    "unit": (_angle, _rate, _below_zero, _power_with_unit),
    "side": (
        *(_named_ratio, _slope, _primes, _bounds, _size, _ranking, _event, _of_matrix, _antiderivative),
        _line_in_words,
    ),
}
"""What makes pairs of a right and a wrong answer, by what is changed."""
