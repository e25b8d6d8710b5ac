r"""Makers of pairs of a right and a wrong answer, for `hostile_answers`: one connective, bracket, quantifier,
sign, digit, unit or side of a formula is changed. Those of sentences are in `_statement_changes` and
`_sentence_changes`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from benchmarks._sentence_changes import SENTENCE_MAKERS
from benchmarks._statement_changes import STATEMENT_MAKERS, Pair, draw_order, draw_two

Maker = Callable[[Random], Pair]


def _other(chance: Random, number: int) -> int:
    """A number with one digit changed."""
    digits = list(str(number))
    place = chance.randrange(len(digits))
    least = 1 if place == 0 and len(digits) > 1 else 0
    digits[place] = chance.choice([digit for digit in "0123456789"[least:] if digit != digits[place]])
    return int("".join(digits))


# ---- connectives

_LETTERS = (("p", "q"), ("P", "Q"), ("A", "B"), ("r", "s"), ("a", "b"))


def _logic(chance: Random) -> Pair:
    p, q = chance.choice(_LETTERS)
    p = chance.choice(["", r"\neg ", r"\lnot "]) + p
    signs = chance.sample([r"\land", r"\lor", r"\implies", r"\iff"], 2)
    return f"{p} {signs[0]} {q}", f"{p} {signs[1]} {q}"


def _plain_logic(chance: Random) -> Pair:
    p, q = chance.choice(_LETTERS)
    return draw_order(chance, rf"{p} \text{{ and }} {q}", rf"{p} \text{{ or }} {q}")


def _three_logic(chance: Random) -> Pair:
    one, other = chance.sample(
        [(r"\land", r"\lor"), (r"\lor", r"\land"), (r"\lor", r"\lor"), (r"\land", r"\land")], 2
    )
    return (rf"p {one[0]} (q {one[1]} r)", rf"p {other[0]} (q {other[1]} r)")


def _not_both(chance: Random) -> Pair:
    sign = chance.choice([r"\land", r"\lor"])
    return draw_order(chance, rf"\neg(p {sign} q)", rf"\neg p {sign} \neg q")


def _or_and(chance: Random) -> Pair:
    a, b = draw_two(chance)
    left, right = chance.choice([("<", ">"), (r"\le", r"\ge"), ("<", r"\ge")])
    return rf"x {left} {a} \text{{ or }} x {right} {b}", rf"x {left} {a} \text{{ and }} x {right} {b}"


def _inside(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return draw_order(chance, rf"x > {a} \text{{ and }} x < {b}", rf"x > {a} \text{{ or }} x < {b}")


def _names_or_and(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return draw_order(chance, rf"x = {a} \text{{ or }} y = {b}", rf"x = {a} \text{{ and }} y = {b}")


def _union(chance: Random) -> Pair:
    a, b, c, d = sorted(chance.sample(range(-20, 40), 4))
    signs = chance.sample([r"\cup", r"\cap", r"\setminus"], 2)
    one, other = f"({a},{c})", f"[{b},{d}]"
    return f"{one} {signs[0]} {other}", f"{one} {signs[1]} {other}"


def _finite_union(chance: Random) -> Pair:
    a, b, c = chance.sample(range(1, 30), 3)
    signs = chance.sample([r"\cup", r"\cap", r"\setminus"], 2)
    one, other = rf"\{{{a},{b}\}}", rf"\{{{b},{c}\}}"
    return f"{one} {signs[0]} {other}", f"{one} {signs[1]} {other}"


def _named_union(chance: Random) -> Pair:
    signs = chance.sample([r"\cup", r"\cap", r"\setminus"], 2)
    return f"A {signs[0]} B", f"A {signs[1]} B"


def _exclusive(chance: Random) -> Pair:
    p, q = chance.choice(_LETTERS[:2])
    signs = chance.sample([r"\oplus", r"\lor", r"\land", r"\iff", r"\implies"], 2)
    return f"{p} {signs[0]} {q}", f"{p} {signs[1]} {q}"


def _listed_values(chance: Random) -> Pair:
    a, b = draw_two(chance)
    join = chance.choice([", ", r" \text{ and } "])
    return draw_order(chance, f"x = {a}, {b}", f"x = {a}{join}y = {b}")


# ---- brackets


def _interval(chance: Random) -> Pair:
    a, b = draw_two(chance, -20, 40)
    one, other = chance.sample(["()", "[]", "[)", "(]"], 2)
    prefix = chance.choice(["", r"x \in "])
    return f"{prefix}{one[0]}{a}, {b}{one[1]}", f"{prefix}{other[0]}{a}, {b}{other[1]}"


def _interval_or_set(chance: Random) -> Pair:
    a, b = draw_two(chance, -20, 40)
    interval = chance.choice([rf"x \in ({a}, {b})", rf"[{a}, {b}]", rf"x \in [{a}, {b}]", rf"{a} < x < {b}"])
    return draw_order(chance, interval, rf"\{{{a}, {b}\}}")


def _set_of_sets(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return draw_order(chance, rf"\{{\{{{a}\}}, \{{{b}\}}\}}", rf"\{{{a}, {b}\}}")


def _factor(chance: Random) -> Pair:
    a, b = draw_two(chance, 2)
    return draw_order(chance, f"{a}(x+{b})", f"{a}x+{b}")


def _quotient(chance: Random) -> Pair:
    a, b = draw_two(chance, 2)
    return draw_order(chance, rf"\frac{{x+{a}}}{{{b}}}", rf"x+\frac{{{a}}}{{{b}}}")


def _root(chance: Random) -> Pair:
    a, b = draw_two(chance, 2)
    return draw_order(chance, rf"\sqrt{{{a}+{b}}}", rf"\sqrt{{{a}}}+{b}")


def _power(chance: Random) -> Pair:
    a = chance.randrange(2, 30)
    return draw_order(chance, f"(-{a})^2", f"-{a}^2")


def _power_of_product(chance: Random) -> Pair:
    a = chance.randrange(2, 30)
    return draw_order(chance, f"({a}x)^2", f"{a}x^2")


def _function(chance: Random) -> Pair:
    a, name = chance.randrange(1, 30), chance.choice([r"\sin", r"\cos", r"\ln", r"\tan"])
    return draw_order(chance, f"{name}(x+{a})", f"{name}(x)+{a}")


def _absolute(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return draw_order(chance, f"|{a}-{b}|", f"({a}-{b})")


def _rounded(chance: Random) -> Pair:
    a, b = chance.randrange(5, 80), chance.choice([2, 3, 7, 9, 11])
    a += a % b == 0
    return draw_order(chance, rf"\lfloor \frac{{{a}}}{{{b}}} \rfloor", rf"\lceil \frac{{{a}}}{{{b}}} \rceil")


def _scaled_vector(chance: Random) -> Pair:
    (a, b), c = draw_two(chance), chance.randrange(2, 9)
    wrong = chance.choice([f"({a}, {b})", rf"(\frac{{{a}}}{{{c}}}, {b})", rf"({a}, \frac{{{b}}}{{{c}}})"])
    return draw_order(chance, rf"\frac{{1}}{{{c}}}({a}, {b})", wrong)


# ---- quantifiers


def _for_all(chance: Random) -> Pair:
    a = chance.randrange(1, 30)
    body = chance.choice([f"x^2 > {a}", f"x > {a}", f"f(x) = {a}", rf"x + y \le {a}"])
    within = chance.choice([r"x", r"x \in \mathbb{R}", r"x \in \mathbb{Z}"])
    mark = chance.choice([", ", r": ", r"\, "])
    return draw_order(chance, rf"\forall {within}{mark}{body}", rf"\exists {within}{mark}{body}")


def _quantifier_order(chance: Random) -> Pair:
    sign = chance.choice(["<", ">", r"\le"])
    body = f"x {sign} y"
    return draw_order(chance, rf"\forall x \exists y: {body}", rf"\exists y \forall x: {body}")


def _range(chance: Random) -> Pair:
    a = chance.randrange(1, 30)
    one, other = chance.sample(["R", "Z", "N", "Q"], 2)
    body = f"x^2 > {a}x"
    return rf"\forall x \in \mathbb{{{one}}}: {body}", rf"\forall x \in \mathbb{{{other}}}: {body}"


def _family(chance: Random) -> Pair:
    a, b = draw_two(chance, 2, 9)
    return (
        rf"x = \frac{{k\pi}}{{{a}}}, k \in \mathbb{{Z}}",
        rf"x = \frac{{k\pi}}{{{b}}}, k \in \mathbb{{Z}}",
    )


def _shifted_family(chance: Random) -> Pair:
    a, b = draw_two(chance, 3, 12)
    return (
        rf"x = \frac{{\pi}}{{{a}}} + 2k\pi, k \in \mathbb{{Z}}",
        rf"x = \frac{{\pi}}{{{b}}} + 2k\pi, k \in \mathbb{{Z}}",
    )


def _halved_family(chance: Random) -> Pair:
    a = chance.randrange(2, 12)
    return draw_order(
        chance,
        rf"x = \frac{{\pi}}{{{a}}} + k\pi, k \in \mathbb{{Z}}",
        rf"x = \frac{{\pi}}{{{a}}} + 2k\pi, k \in \mathbb{{Z}}",
    )


def _family_or_one(chance: Random) -> Pair:
    a = chance.randrange(2, 12)
    return draw_order(
        chance, rf"x = \frac{{\pi}}{{{a}}} + 2k\pi, k \in \mathbb{{Z}}", rf"x = \frac{{\pi}}{{{a}}}"
    )


def _in_words(chance: Random) -> Pair:
    a = chance.randrange(2, 90)
    one, other = chance.sample(["at least", "at most", "more than", "fewer than", "exactly"], 2)
    return f"{one} {a}", f"{other} {a}"


def _for_some(chance: Random) -> Pair:
    a = chance.randrange(2, 90)
    return draw_order(chance, rf"x^2 > {a} \text{{ for all }} x", rf"x^2 > {a} \text{{ for some }} x")


def _exception(chance: Random) -> Pair:
    a, b = draw_two(chance, -20, 20)
    wrong = chance.choice(
        [
            f"all real numbers except {b}",
            "all real numbers",
            rf"x \ne {b}",
            rf"x = {a}",
            rf"\mathbb{{R}} \setminus \{{{b}\}}",
        ]
    )
    return draw_order(chance, f"all real numbers except {a}", wrong)


def _parity(chance: Random) -> Pair:
    every = chance.choice([r"\text{{all {} }} n", r"n \text{{ is {}}}", r"n \text{{ {}}}"])
    return draw_order(chance, every.format("even"), every.format("odd"))


def _undeclared_family(chance: Random) -> Pair:
    (a, b), letter = draw_two(chance, 2, 9), chance.choice("kn")
    return draw_order(
        chance, rf"x = \frac{{k\pi}}{{{a}}}, k \in \mathbb{{Z}}", rf"x = \frac{{{letter}\pi}}{{{b}}}"
    )


# ---- signs


def _minus(chance: Random) -> Pair:
    a = chance.randrange(1, 999)
    return draw_order(chance, str(a), f"-{a}")


def _terms(chance: Random) -> Pair:
    a, b = draw_two(chance)
    power = chance.choice(["x", "x^2", "x^3", r"\sqrt{x}", r"\sin x", "e^x"])
    return draw_order(chance, f"{a}{power} + {b}", f"{a}{power} - {b}")


def _surds(chance: Random) -> Pair:
    a, b = chance.randrange(1, 40), chance.choice([2, 3, 5, 6, 7, 10, 11])
    return draw_order(chance, rf"{a} + \sqrt{{{b}}}", rf"{a} - \sqrt{{{b}}}")


def _conjugates(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return draw_order(chance, f"{a} + {b}i", f"{a} - {b}i")


def _both_signs(chance: Random) -> Pair:
    a = chance.randrange(1, 40)
    return draw_order(chance, rf"\pm {a}", chance.choice([f"{a}", f"-{a}"]))


def _exponent(chance: Random) -> Pair:
    a, b = chance.randrange(1, 9), chance.randrange(2, 30)
    return draw_order(chance, rf"{a} \times 10^{{{b}}}", rf"{a} \times 10^{{-{b}}}")


def _decay(chance: Random) -> Pair:
    a = chance.randrange(2, 30)
    return draw_order(chance, f"e^{{{a}x}}", f"e^{{-{a}x}}")


def _relation(chance: Random) -> Pair:
    a = chance.randrange(-20, 40)
    one, other = chance.sample(["<", ">", r"\le", r"\ge", "=", r"\ne"], 2)
    left = chance.choice(["x", "y", "n", "2x+1", "x^3"])
    return f"{left} {one} {a}", f"{left} {other} {a}"


def _membership(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return draw_order(chance, rf"x \in [{a}, {b}]", rf"x \notin [{a}, {b}]")


def _inclusion(chance: Random) -> Pair:
    one, other = chance.sample([r"\subset", r"\supset", r"\in", "="], 2)
    return f"A {one} B", f"A {other} B"


def _point(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return draw_order(chance, f"({a}, {b})", chance.choice([f"({a}, -{b})", f"(-{a}, {b})"]))


def _denied(chance: Random) -> Pair:
    body = chance.choice(["p", r"(p \land q)", r"(p \lor q)", r"(p \implies q)"])
    return draw_order(chance, rf"\neg {body}", body)


def _opposite_component(chance: Random) -> Pair:
    a, b = draw_two(chance)
    letter = chance.choice([r"\vec{{{}}}", r"\mathbf{{{}}}", "{}"])
    i, j = letter.format("i"), letter.format("j")
    return draw_order(chance, f"({a}, {b})", f"{a}{i} - {b}{j}")


# ---- digits


def _integer(chance: Random) -> Pair:
    a = chance.randrange(10, 10 ** chance.randrange(2, 12))
    return str(a), str(_other(chance, a))


def _decimal(chance: Random) -> Pair:
    a, size = chance.randrange(1, 10**6), chance.randrange(1, 6)
    return f"{a / 10**size:.{size}f}", f"{_other(chance, a) / 10**size:.{size}f}"


def _thousands(chance: Random) -> Pair:
    a = chance.randrange(10_000, 10**9)
    return f"{a:,}", f"{_other(chance, a):,}"


def _fraction(chance: Random) -> Pair:
    a, b = chance.randrange(1, 99), chance.randrange(2, 99)
    c = _other(chance, a)
    return rf"\frac{{{a}}}{{{b}}}", f"{c}/{b}" if c else "0"


def _tiny(chance: Random) -> Pair:
    n, zeros = chance.randrange(30, 3_000), chance.randrange(10, 20)
    return rf"\frac{{1}}{{{n}!}}", "0." + "0" * zeros


def _tiny_power(chance: Random) -> Pair:
    n, zeros = chance.randrange(30, 300), chance.randrange(10, 20)
    return f"10^{{-{n}}}", "0." + "0" * zeros


def _long_decimal(chance: Random) -> Pair:
    b = chance.choice([3, 7, 9, 11, 13])
    a = chance.randrange(1, b)
    digits = f"{a / b:.12f}"
    last = chance.choice([digit for digit in "0123456789" if abs(int(digit) - int(digits[-1])) > 1])
    return rf"\frac{{{a}}}{{{b}}}", digits[:-1] + last


def _short_decimal(chance: Random) -> Pair:
    b = chance.choice([3, 7, 9, 11, 13])
    a = chance.randrange(1, b)
    return rf"\frac{{{a}}}{{{b}}}", f"{a / b:.{chance.randrange(1, 5)}f}"


def _repeating(chance: Random) -> Pair:
    a = chance.randrange(1, 99)
    return rf"0.\overline{{{a:02}}}", rf"0.\overline{{{_other(chance, a + 100) % 100:02}}}"


def _root_of(chance: Random) -> Pair:
    a, b = draw_two(chance, 2)
    c = chance.randrange(2, 9)
    return rf"{c}\sqrt{{{a}}}", rf"{c}\sqrt{{{b}}}"


def _degree_of_root(chance: Random) -> Pair:
    a = chance.choice([2, 3, 5, 6, 7, 10])
    return draw_order(chance, rf"\sqrt[3]{{{a}}}", rf"\sqrt[4]{{{a}}}")


def _base(chance: Random) -> Pair:
    one, other = chance.sample(range(5, 10), 2)
    return f"1{chance.randrange(0, 5)}_{one}", f"1{chance.randrange(0, 5)}3_{other}"


def _power_of(chance: Random) -> Pair:
    a, b = draw_two(chance, 2, 20)
    c = chance.choice([2, 3, 5, 7])
    return f"{c}^{{{a}}}", f"{c}^{{{b}}}"


def _coefficient(chance: Random) -> Pair:
    a, b = draw_two(chance, 2)
    c = chance.randrange(1, 30)
    return f"{a}x^2 + {c}x", f"{b}x^2 + {c}x"


def _choice(chance: Random) -> Pair:
    one, other = chance.sample("ABCDE", 2)
    a, b = draw_two(chance)
    gold = rf"\textbf{{({one})}}\ {a}"
    return gold, chance.choice(
        [f"({other})", other, str(b), rf"\textbf{{({other})}}\ {b}", f"({other}) {a}", f"({one}) {b}"]
    )


def _clock(chance: Random) -> Pair:
    hour, minute = chance.randrange(1, 12), chance.randrange(10, 50)
    return f"{hour}:{minute}", f"{hour}:{minute + chance.randrange(1, 9)}"


def _number_word(chance: Random) -> Pair:
    words = ["eleven", "twelve", "thirteen", "twenty", "thirty-two", "forty-two", "fifty", "ninety-nine"]
    values = [11, 12, 13, 20, 32, 42, 50, 99]
    one, other = chance.sample(range(len(words)), 2)
    return str(values[one]), words[other]


def _chinese_number(chance: Random) -> Pair:
    words = ["三", "五", "八", "十", "十二", "十五", "二十", "二十一", "三十六", "一百"]
    values = [3, 5, 8, 10, 12, 15, 20, 21, 36, 100]
    one, other = chance.sample(range(len(words)), 2)
    return str(values[one]), chance.choice([words[other], f"答案是{values[other]}。", f"{values[other]}只"])


def _member(chance: Random) -> Pair:
    a, b, c, d = chance.sample(range(-20, 40), 4)
    opening, closing = chance.choice([(r"\{", r"\}"), ("", ""), ("(", ")")])
    return f"{opening}{a}, {b}, {c}{closing}", f"{opening}{a}, {b}, {d}{closing}"


def _fewer(chance: Random) -> Pair:
    a, b, c = chance.sample(range(-20, 40), 3)
    opening, closing = chance.choice([(r"\{", r"\}"), ("", ""), ("(", ")")])
    return draw_order(chance, f"{opening}{a}, {b}, {c}{closing}", f"{opening}{a}, {b}{closing}")


def _entry(chance: Random) -> Pair:
    a, b, c, d, e = chance.sample(range(-20, 40), 5)
    begin, end = r"\begin{pmatrix}", r"\end{pmatrix}"
    return rf"{begin} {a} & {b} \\ {c} & {d} {end}", rf"{begin} {a} & {b} \\ {c} & {e} {end}"


def _index(chance: Random) -> Pair:
    a, b = draw_two(chance, 0, 10)
    return f"x_{a} + 1", f"x_{b} + 1"


def _modulus(chance: Random) -> Pair:
    a, (b, c) = chance.randrange(1, 3), draw_two(chance, 4, 20)
    return rf"x \equiv {a} \pmod{{{b}}}", rf"x \equiv {a} \pmod{{{c}}}"


def _periodic_function(chance: Random) -> Pair:
    a, b = draw_two(chance, 1, 9)
    name = chance.choice([r"\sin", r"\cos"])
    return f"{name}({a}x) + C", f"{name}({b}x) + C"


def _asked_value(chance: Random) -> Pair:
    a, b = draw_two(chance, 2, 900)
    asked = chance.choice(["m + n", r"\frac{m}{n}", "abc", "AB", r"\frac{dy}{dx}", "f(2)"])
    return draw_order(chance, f"{asked} = {a}", str(b))


def _spelt(chance: Random) -> Pair:
    words = {
        "Die Antwort ist {}.": ("sieben", "zwölf", "dreizehn", "zwanzig", "einundvierzig", "hundert"),
        "Ответ: {}": ("семь", "двенадцать", "тринадцать", "двадцать", "сорок один", "сто"),
        "She needs {} eggs.": ("seven", "twelve", "thirteen", "twenty", "forty-one", "one hundred"),
    }
    values = (7, 12, 13, 20, 41, 100)
    (one, other), text = chance.sample(range(len(values)), 2), chance.choice(list(words))
    return str(values[one]), text.format(words[text][other])


# ---- units

_SIZES = (
    ("mm", "cm", "dm", "m", "km", "in", "ft"),
    ("g", "kg", "mg", "lb"),
    ("s", "min", "h", "days", "weeks"),
)
_POWERS = ("cm", "m", "km", "ft", "in")


def _unit(chance: Random) -> Pair:
    a = chance.randrange(1, 99)
    one, other = chance.sample(chance.choice(_SIZES), 2)
    return rf"{a}\text{{ {one}}}", rf"{a}\text{{ {other}}}" if chance.random() < 0.5 else f"{a} {other}"


def _other_unit(chance: Random) -> Pair:
    a = chance.randrange(1, 99)
    one, other = (chance.choice(sizes) for sizes in chance.sample(_SIZES, 2))
    return rf"{a}\text{{ {one}}}", rf"{a}\text{{ {other}}}"


def _square(chance: Random) -> Pair:
    a, unit = chance.randrange(1, 99), chance.choice(_POWERS)
    powers = chance.sample(["", "^2", "^3"], 2)
    return rf"{a}\text{{ {unit}}}{powers[0]}", rf"{a}\text{{ {unit}}}{powers[1]}"


def _speed(chance: Random) -> Pair:
    a = chance.randrange(1, 99)
    one, other = chance.sample(["km/h", "m/s", "ft/s", "m/min"], 2)
    return rf"{a}\text{{ {one}}}", rf"{a}\text{{ {other}}}"


def _money(chance: Random) -> Pair:
    a = chance.randrange(1, 99)
    one, other = chance.sample([rf"\${a}", f"{a} cents", f"{a} euros", f"£{a}", f"{a} yuan"], 2)
    return one, other


def _temperature(chance: Random) -> Pair:
    a = chance.randrange(1, 99)
    return draw_order(chance, rf"{a}^\circ\text{{C}}", rf"{a}^\circ\text{{F}}")


def _degrees(chance: Random) -> Pair:
    a, b = draw_two(chance, 1, 90)
    return rf"{a}^\circ", chance.choice([rf"{b}^\circ", rf"\frac{{{b}\pi}}{{180}}", rf"{a}\pi", rf"{a}\%"])


def _percent(chance: Random) -> Pair:
    a = chance.randrange(1, 99)
    return draw_order(
        chance, rf"{a}\%", chance.choice([f"{a / 1000}", f"{a / 10}", rf"{a + 1}\%", rf"{a}^\circ"])
    )


def _mixed_time(chance: Random) -> Pair:
    h, (one, other) = chance.randrange(1, 12), draw_two(chance, 1, 59)
    wrong = chance.choice(
        [f"{h} h {other} min", f"{60 * h + other} min", f"{h + 1} h {one} min", f"{h} min {one} h"]
    )
    return f"{h} h {one} min", wrong if h != one or wrong[-3:] == "min" else f"{h} h {other} min"


def _mixed_length(chance: Random) -> Pair:
    feet, (one, other) = chance.randrange(2, 9), draw_two(chance, 1, 11)
    return f"{feet} ft {one} in", chance.choice(
        [f"{feet} ft {other} in", f"{12 * feet + other} in", f"{feet}.{one} ft"]
    )


def _half_day(chance: Random) -> Pair:
    hour = chance.randrange(1, 12)
    return draw_order(chance, f"{hour}:30 a.m.", f"{hour}:30 p.m.")


def _scale(chance: Random) -> Pair:
    a = chance.randrange(2, 99)
    one, other = chance.sample(["thousand", "million", "billion", "hundred"], 2)
    return rf"{a}\text{{ {one}}}", f"{a} {other}"


def _prefix(chance: Random) -> Pair:
    a, unit = chance.randrange(1, 99), chance.choice(["J", "W", "N", "A", "V", "Hz", "Pa"])
    one, other = chance.sample(["", "k", "m", "M", "µ"], 2)
    return rf"{a}\text{{ {one}{unit}}}", chance.choice([rf"{a}\text{{ {other}{unit}}}", f"{a} {other}{unit}"])


def _derived_unit(chance: Random) -> Pair:
    a = chance.randrange(1, 99)
    one, other = chance.sample(["J", "W", "N", "A", "V", "Pa", "kg m/s", r"kg\,m^2/s", "m/s^2", "K"], 2)
    return rf"{a}\ \mathrm{{{one}}}", rf"{a}\text{{ {other}}}"


def _number_of_units(chance: Random) -> Pair:
    a, b = draw_two(chance)
    unit = chance.choice(["kg/m^3", "kg m/s", "kg/s", "kg m^2", "N m^2/kg^2", "J/(kg K)", "g/cm^3"])
    return f"{a} {unit}", chance.choice([f"{b} {unit}", f"-{a} {unit}", f"{a}0 {unit}"])


# ---- sides


def _assigned(chance: Random) -> Pair:
    a, b = draw_two(chance)
    join = chance.choice([", ", r" \text{ and } "])
    return f"x = {a}{join}y = {b}", f"x = {b}{join}y = {a}"


def _ordered(chance: Random) -> Pair:
    a, b = draw_two(chance)
    opening, closing = chance.choice(["()", (r"\langle ", r"\rangle"), (r"\left(", r"\right)")])
    return f"{opening}{a}, {b}{closing}", f"{opening}{b}, {a}{closing}"


def _upside_down(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return rf"\frac{{{a}}}{{{b}}}", chance.choice([rf"\frac{{{b}}}{{{a}}}", f"{b}/{a}"])


def _difference(chance: Random) -> Pair:
    a, b = chance.sample("abcxyz", 2)
    return f"{a} - {b}", f"{b} - {a}"


def _powers(chance: Random) -> Pair:
    a, b = draw_two(chance, 3, 20)
    return f"{a}^{{{b}}}", f"{b}^{{{a}}}"


def _without(chance: Random) -> Pair:
    a, b, c = sorted(chance.sample(range(1, 40), 3))
    return draw_order(chance, rf"[{a},{b}] \setminus [{b},{c}]", rf"[{b},{c}] \setminus [{a},{b}]")


def _converse(chance: Random) -> Pair:
    p, q = chance.choice(_LETTERS)
    return rf"{p} \implies {q}", rf"{q} \implies {p}"


def _inequality(chance: Random) -> Pair:
    a = chance.randrange(-20, 40)
    sign = chance.choice(["<", ">", r"\le", r"\ge"])
    return f"{a} {sign} x", f"x {sign} {a}"


def _transposed(chance: Random) -> Pair:
    a, b, c, d = chance.sample(range(-20, 40), 4)
    begin, end = r"\begin{bmatrix}", r"\end{bmatrix}"
    return rf"{begin} {a} & {b} \\ {c} & {d} {end}", rf"{begin} {a} & {c} \\ {b} & {d} {end}"


def _logarithm(chance: Random) -> Pair:
    a, b = draw_two(chance, 2)
    return rf"\log_{{{a}}} {b}", rf"\log_{{{b}}} {a}"


def _ratio(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return f"{a}:{b}", f"{b}:{a}"


def _ray(chance: Random) -> Pair:
    a = chance.randrange(-20, 40)
    return draw_order(chance, rf"(-\infty, {a})", rf"({a}, \infty)")


def _system(chance: Random) -> Pair:
    a, b = draw_two(chance)
    begin, end = r"\begin{cases}", r"\end{cases}"
    return rf"{begin} x = {a} \\ y = {b} {end}", chance.choice(
        [rf"{begin} x = {b} \\ y = {a} {end}", f"x = {b}, y = {a}", f"({b}, {a})"]
    )


def _pieces(chance: Random) -> Pair:
    a, b = draw_two(chance)
    begin, end = r"\begin{cases}", r"\end{cases}"
    return (
        rf"f(x) = {begin} {a} & x < 0 \\ {b} & x \ge 0 {end}",
        rf"f(x) = {begin} {b} & x < 0 \\ {a} & x \ge 0 {end}",
    )


def _vector(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return rf"{a}\mathbf{{i}} + {b}\mathbf{{j}}", rf"{b}\mathbf{{i}} + {a}\mathbf{{j}}"


def _solutions(chance: Random) -> Pair:
    a, b, c, d = chance.sample(range(1, 40), 4)
    right = chance.choice([f"p={a},q={b};p={c},q={d}", f"(p, q) = ({a}, {b}), ({c}, {d})"])
    return right, chance.choice(
        [
            f"p={b},q={a};p={c},q={d}",
            f"(p, q) = ({a}, {b})",
            f"({a}, {b}), ({d}, {c})",
            f"({a}, {d}), ({c}, {b})",
        ]
    )


def _general_solution(chance: Random) -> Pair:
    a, b = draw_two(chance, 2, 30)
    return f"y = Ce^{{{a}x}}", chance.choice([f"y = Ke^{{{b}x}}", f"y = e^{{{a}x}}", f"y = Ce^{{{a}x}} + K"])


def _currency(chance: Random) -> Pair:
    one, other = chance.sample(["€{}", "£{}", r"\${}", "{} yen"], 2)
    amount = draw_two(chance)[0]
    return one.format(amount), other.format(amount)


def _vector_product(chance: Random) -> Pair:
    a, b = chance.sample("abcuvw", 2)
    return rf"\vec {a}\times\vec {b}", chance.choice([rf"\vec {b}\times\vec {a}", rf"\vec {a}\cdot\vec {b}"])


def _limit_side(chance: Random) -> Pair:
    a, b = draw_two(chance)
    return rf"\lim_{{x\to {a}^+}} f(x) = {b}", rf"\lim_{{x\to {a}^-}} f(x) = {b}"


def _written_rows(chance: Random) -> Pair:
    a, b, c, d = chance.sample(range(1, 40), 4)
    return f"[{a}, {b}; {c}, {d}]", chance.choice([f"[{a}, {b}; {d}, {c}]", f"[{a}, {b}, {c}, {d}]"])


MAKERS: dict[str, tuple[Maker, ...]] = {
    "connective": (
        _logic, _plain_logic, _three_logic, _not_both, _or_and, _inside, _names_or_and, _union, _finite_union,
        _named_union, _exclusive, _listed_values,
    ),
    "bracket": (
        _interval, _interval_or_set, _set_of_sets, _factor, _quotient, _root, _power, _power_of_product,
        _function, _absolute, _rounded, _scaled_vector,
    ),
    "quantifier": (
        _for_all, _quantifier_order, _range, _family, _shifted_family, _halved_family, _family_or_one,
        _in_words, _for_some, _exception, _parity, _undeclared_family,
    ),
    "sign": (
        _minus, _terms, _surds, _conjugates, _both_signs, _exponent, _decay, _relation, _membership,
        _inclusion, _point, _denied, _opposite_component,
    ),
    "digit": (
        _integer, _decimal, _thousands, _fraction, _tiny, _tiny_power, _long_decimal, _short_decimal,
        _repeating, _root_of, _degree_of_root, _base, _power_of, _coefficient, _choice, _clock, _number_word,
        _chinese_number, _member, _fewer, _entry, _index, _modulus, _periodic_function, _asked_value, _spelt,
    ),
    "unit": (
        _unit, _other_unit, _square, _speed, _money, _temperature, _degrees, _percent, _mixed_time,
        _mixed_length, _half_day, _scale, _prefix, _derived_unit, _number_of_units,
        _currency,
    ),
    "side": (
        _assigned, _ordered, _upside_down, _difference, _powers, _without, _converse, _inequality,
        _transposed, _logarithm, _ratio, _ray, _system, _pieces, _vector, _solutions, _general_solution,
        _vector_product, _limit_side, _written_rows,
    ),
}  # fmt: skip
MAKERS = {
    kind: (*makers, *STATEMENT_MAKERS[kind], *SENTENCE_MAKERS.get(kind, ()))
    for kind, makers in MAKERS.items()
}
"""What makes pairs of a right and a wrong answer, by what is changed."""
_DRESSES = (
    "{}",
    "${}$",
    r"\boxed{{{}}}",
    "The answer is ${}$.",
    r"So it is \boxed{{{}}}.",
    r"$\displaystyle {}$",
)


def hostile_pairs(count: int, seed: int) -> Iterator[tuple[str, str, str]]:
    """Make pairs of a right and a wrong answer, each once, the kinds in turn.

    Returns:
        What is changed, the reference, and the wrong answer in one of several dresses.
    """
    chance = Random(seed)
    seen: set[Pair] = set()
    kinds = list(MAKERS)
    number = 0
    while len(seen) < count:
        kind = kinds[number % len(kinds)]
        number += 1
        gold, wrong = chance.choice(MAKERS[kind])(chance)
        dress = "{}" if wrong.endswith(".") else chance.choice(_DRESSES)
        pair = (gold, dress.format(wrong))
        if gold != wrong and pair not in seen:
            seen.add(pair)
            yield kind, *pair
