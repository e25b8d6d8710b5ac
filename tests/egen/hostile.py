"""Three hundred pairs that are not equal and are made to escape the verifier.

Half of them are of a human scale: numbers up to some thousands, regions no narrower than a tenth in the plane
and a hundredth on the line. The others lie far out or are tiny. Each comes with a point at which the two
differ, or only one of them is defined, which `parts` sees with mpmath, without the verifier. Right is what is
not said to be equal: `different`, `shrinks`, `extends` where the member has the larger domain, and for single
points those that `except` names.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import cycle
from typing import Any, Literal

import mpmath  # type: ignore[import-untyped]

from engines.core.tree import Tree

Kind = Literal["value", "lost", "gained", "single"]
"""What is so at the point: two values; only the head has one; only the member has one; one of them lacks a
value there and nowhere near."""
HALF = 150
_DIGITS = 1_500


@dataclass(frozen=True, slots=True)
class Pair:
    """A head and a member in infix notation that are not equal, and a point that shows it."""

    family: str
    human: bool
    kind: Kind
    head: str
    member: str
    at: dict[str, str]


Drawn = tuple[str, str, dict[str, Any]]
Family = Callable[[random.Random], Drawn]


def _size(draw: random.Random) -> int:
    """A number as a person may write it: small, or some hundreds or thousands."""
    return draw.choice((-1, 1)) * draw.choice(
        (draw.randint(2, 12), draw.randint(13, 400), draw.randint(401, 5000))
    )


def _ten(draw: random.Random, low: int, high: int) -> str:
    return f"10^{draw.randint(low, high)}"


def _shifted_sign(draw: random.Random) -> Drawn:
    a, d = _size(draw), draw.choice((1, 2))
    return f"sign(x-{a})", f"sign(x-{a + d})", {"x": f"{2 * a + d}/2"}


def _shifted_floor(draw: random.Random) -> Drawn:
    a, d = draw.randint(2, 60), draw.choice((10, 20, 50))
    return f"floor(x/{a})", f"floor((x-1/{d})/{a})", {"x": f"1/{2 * d}"}


def _sign_of_curve(draw: random.Random) -> Drawn:
    a, b, r = draw.randint(-8, 8), draw.randint(-8, 8), draw.choice((1, 2, 3))
    return "1", f"sign((x-{a})^2+(y-{b})^2-1/{r * r})", {"x": a, "y": b}


def _kinks_apart(draw: random.Random) -> Drawn:
    a, d = _size(draw), draw.choice((1, 2, 4))
    return f"abs(x-{a})+abs(x-{a + d})", f"abs(2x-{2 * a + d})", {"x": f"{2 * a + d}/2"}


def _hat(draw: random.Random) -> Drawn:
    a, f = _size(draw), draw.choice(("x", "sin(x)", "e^(x/9999)"))
    return f, f"{f}+abs(x-{a})+abs(x-{a + 2})-2*abs(x-{a + 1})", {"x": a + 1}


def _between_roots(draw: random.Random) -> Drawn:
    a, d = _size(draw), draw.choice((10, 50, 100))
    f = draw.choice(("x", "cos(x)", "x^2+1"))
    u = f"(x-{a})*(x-{a}-1/{d})"
    g = draw.choice((f"0*sqrt({u})", f"0*ln({u})", f"0*({u})^(1/4)", f"0*acosh(1+{u})"))
    return f, f"{f}+{g}", {"x": f"{2 * a * d + 1}/{2 * d}"}


def _root_of_square(draw: random.Random) -> Drawn:
    a, d = _size(draw), draw.choice((10, 50, 100))
    u = f"(x-{a})*(x-{a}-1/{d})"
    return (
        u,
        draw.choice((f"sqrt(({u})^2)", f"abs({u})", f"(({u})^4)^(1/4)")),
        {"x": f"{2 * a * d + 1}/{2 * d}"},
    )


def _wave(draw: random.Random) -> Drawn:
    """A wave that just crosses the end of a domain."""
    a = draw.choice((100, 300, 999))
    f = draw.choice(
        ("sqrt(1-1/{a}+sin(x))", "ln(1-1/{a}+sin(x))", "asin((1+1/{a})*sin(x))", "acos((1+1/{a})*sin(x))")
    )
    return "x", f"x+0*{f.format(a=a)}", {"x": "-pi/2"}


def _jump_at_pole(draw: random.Random) -> Drawn:
    a, d = _size(draw), draw.choice((1, 10, 100))
    f = draw.choice(("atan(1/({u}))+atan({u})", "({u})/sqrt(({u})^2)", "floor(tanh({u}))", "abs({u})/({u})"))
    return f.format(u=f"x-{a}"), f.format(u=f"x-{a}-1/{d}"), {"x": f"{2 * a * d + 1}/{2 * d}"}


def _slow_inverse(draw: random.Random) -> Drawn:
    a = abs(_size(draw))
    f, at = draw.choice((("asin(sin({u}))", 2), ("atan(tan({u}))", 3), ("acos(cos({u}))", 4)))
    return f"x/{a}" if f[1] != "c" else f"abs(x/{a})", f.format(u=f"x/{a}"), {"x": at * a}


def _slope(draw: random.Random) -> Drawn:
    a, d = _size(draw), draw.choice((10, 50, 100))
    u = f"(x-{a})*(x-{a}-1/{d})"
    return f"2x-{2 * a}-1/{d}", f"d/dx(abs({u}))", {"x": f"{4 * a * d + 1}/{4 * d}"}


def _disc(draw: random.Random, f: str = "{h}+0*{g}") -> Drawn:
    a, b, r = draw.uniform(-9, 9), draw.uniform(-9, 9), draw.choice((0.1, 0.2, 0.5, 1, 2))
    at = {"x": f"{a:.2f}", "y": f"{b:.2f}"}
    u = f"(x-{at['x']})^2+(y-{at['y']})^2-{r * r:g}"
    h = draw.choice(("x+y", "x*y", "sin(x)-y", "e^(x-y)"))
    g = draw.choice((f"sqrt({u})", f"ln({u})", f"({u})^(1/4)", f"acosh(1+{u})"))
    return h, f.format(h=h, g=g, u=u), at


def _ball(draw: random.Random) -> Drawn:
    at = {name: f"{draw.uniform(-9, 9):.2f}" for name in "xyz"}
    u = "+".join(f"({name}-{value})^2" for name, value in at.items())
    r = draw.choice((0.1, 0.2, 0.5, 1))
    return "x*y+z", f"x*y+z+0*{draw.choice(('sqrt', 'ln'))}({u}-{r * r:g})", at


def _ellipse(draw: random.Random) -> Drawn:
    """Multiplied out, with a term in x y."""
    a, b = draw.randint(-9, 9), draw.randint(-9, 9)
    c = draw.choice((1, 2, 3))
    x, y = 2 * (c + 1) * a - 2 * b, 2 * b - 2 * a
    rest = (c + 1) * a * a - 2 * a * b + b * b
    u = f"{c + 1}*x^2-2*x*y+y^2-{x}*x-{y}*y+{rest}-1/{draw.choice((4, 9, 25))}"
    return "x-y", f"x-y+0*{draw.choice(('sqrt', 'ln'))}({u})", {"x": a, "y": b}


def _bump(draw: random.Random) -> Drawn:
    a, b = draw.randint(-9, 9), draw.randint(-9, 9)
    bell = f"{draw.choice(('1.05', '1.2', '1.5'))}*e^(-(x-{a})^2-(y-{b})^2)"
    return (
        "x+y",
        f"x+y+{draw.choice((f'0*asin({bell})', f'0*ln(1-{bell})', f'0*atanh({bell})'))}",
        {"x": a, "y": b},
    )


def _bump_floor(draw: random.Random) -> Drawn:
    a, b = draw.randint(-9, 9), draw.randint(-9, 9)
    return "x*y", f"x*y+floor({draw.choice(('1.2', '1.5', '2'))}/(1+(x-{a})^2+(y-{b})^2))", {"x": a, "y": b}


def _pyramid(draw: random.Random) -> Drawn:
    a, b = draw.randint(-8, 8), draw.randint(-8, 8)
    hats = (f"(abs({v}-{c})+abs({v}-{c + 2})-2*abs({v}-{c + 1}))" for v, c in (("x", a), ("y", b)))
    return "x+y", f"x+y+{'*'.join(hats)}", {"x": a + 1, "y": b + 1}


def _two_discs(draw: random.Random) -> Drawn:
    """The head has a large disc, the member a small one too."""
    a, b, c, d = draw.randint(-9, -1), draw.randint(-9, 9), draw.randint(1, 9), draw.randint(-9, 9)
    large, small = (
        f"(x-{a})^2+(y-{b})^2-{draw.choice((4, 9))}",
        f"(x-{c})^2+(y-{d})^2-1/{draw.choice((4, 25))}",
    )
    return f"x*sqrt({large})", f"x*sqrt({large})+0*sqrt({small})", {"x": c or 1, "y": d}


def _strip(draw: random.Random) -> Drawn:
    a, b = draw.randint(1, 9), draw.randint(-9, 9)
    u, half = f"{a}x-y-{b}", Fraction(2 * b + 1, 2)
    return f"abs({u})+abs({u}-1)", f"abs(2*({u})-1)", {"x": 0, "y": -half}


def _single(draw: random.Random) -> Drawn:
    """A point where the head touches the end of its domain, and the member has no value."""
    head, member = draw.choice(
        (
            ("sqrt(1-cos({v}))", "sqrt(1-cos({v}^2/{v}))"),
            ("sqrt({v}^2)", "sqrt({v}^3/{v})"),
            ("acos(1-{v}^2)", "acos(1-{v}^3/{v})"),
            ("acosh(1+{v}^2)", "acosh(1+{v}^3/{v})"),
            ("sqrt({v}^2*({v}^2+1))", "sqrt({v}^3*({v}^2+1)/{v})"),
        )
    )
    a = draw.randint(0, 30)
    v = f"(x-{a})" if a else "x"
    return head.format(v=v), member.format(v=v), {"x": a}


def _rounded(draw: random.Random) -> Drawn:
    a = draw.choice(("1.41421356", "1.4142135624"))
    f = draw.choice(("{c}*sin(x)", "x^2-{c}", "e^({c}*x/9)", "ln(x^2+{c})"))
    return f.format(c="sqrt(2)"), f.format(c=a), {"x": "1"}


def _far_kink(draw: random.Random) -> Drawn:
    k = draw.randint(5, 120)
    return f"10^{2 * k}-x^2", f"abs(x^2-10^{2 * k})", {"x": f"2*10^{k}"}


def _far_end(draw: random.Random) -> Drawn:
    f, k = draw.choice(("sqrt", "ln")), draw.randint(6, 200)
    return "x", f"x+0*{f}(10^{k}-x)", {"x": f"2*10^{k}"}


def _tiny_gap(draw: random.Random) -> Drawn:
    a, k = _size(draw), draw.randint(3, 60)
    f = draw.choice(("sqrt", "ln"))
    return "x", f"x+0*{f}((x-{a})^2-10^(-{k}))", {"x": a}


def _tiny_disc(draw: random.Random) -> Drawn:
    a, b, k = draw.randint(-9, 9), draw.randint(-9, 9), draw.randint(2, 8)
    return "x+y", f"x+y+0*sqrt((x-{a})^2+(y-{b})^2-10^(-{2 * k}))", {"x": a, "y": b}


def _far_disc(draw: random.Random) -> Drawn:
    a, b = (draw.choice((-1, 1)) * draw.randint(100, 4000) for _ in range(2))
    return "x+y", f"x+y+0*sqrt((x-{a})^2+(y-{b})^2-{draw.choice((1, 4, 25))})", {"x": a, "y": b}


def _close_jumps(draw: random.Random) -> Drawn:
    a, k = _size(draw), draw.randint(3, 40)
    return f"sign(x-{a})", f"sign(x-{a}-10^(-{k}))", {"x": f"{a}+10^(-{k + 1})"}


def _tiny_term(draw: random.Random) -> Drawn:
    k = draw.randint(9, 300)
    f = draw.choice(("x", "sin(x)", "e^x", "atan(x)"))
    g = draw.choice((f"10^(-{k})", f"x^2/10^{k}", f"sin(x)/10^{k}"))
    return f, f"{f}+{g}", {"x": "1"}


def _faded(draw: random.Random) -> Drawn:
    k = draw.randint(50, 900)
    head, member = draw.choice(
        (
            (f"tanh({k}+x^2)", "1"),
            (f"sqrt(x^2+e^(-{k}))", "abs(x)"),
            (f"1+e^(-{k}-x^2)", "1"),
            (f"ln(e^{k}+x^2)", f"{k}"),
        )
    )
    return head, member, {"x": "1"}


def _far_floor(draw: random.Random) -> Drawn:
    k = draw.randint(3, 30)
    return "abs(x)", f"abs(x)+floor(x^2/10^{k})", {"x": f"2*10^{k}"}


def _far_inverse(draw: random.Random) -> Drawn:
    k = draw.randint(4, 40)
    f, at = draw.choice((("asin(sin(x/10^{k}))", 2), ("atan(tan(x/10^{k}))", 3)))
    return f"x/10^{k}", f.format(k=k), {"x": f"{at}*10^{k}"}


def _spike(draw: random.Random) -> Drawn:
    a, k = draw.randint(-30, 30), draw.randint(2, 6)
    g = draw.choice(("sqrt(1-{e})", "asin({e})", "acos({e})"))
    return "x", f"x+0*{g.format(e=f'1.1*e^(-10^{k}*(x-{a})^2)')}", {"x": a}


HUMAN: dict[str, tuple[Kind, Family]] = {
    "shifted sign": ("value", _shifted_sign),
    "shifted floor": ("value", _shifted_floor),
    "sign of a curve": ("value", _sign_of_curve),
    "kinks apart": ("value", _kinks_apart),
    "between roots": ("lost", _between_roots),
    "root of a square": ("value", _root_of_square),
    "wave beyond an end": ("lost", _wave),
    "jump at a pole": ("value", _jump_at_pole),
    "slow inverse": ("value", _slow_inverse),
    "slope of a kink": ("value", _slope),
    "disc": ("lost", _disc),
    "disc bent": ("value", partial(_disc, f="{h}+abs({u})-({u})")),
    "ball": ("lost", _ball),
    "ellipse": ("lost", _ellipse),
    "bump": ("lost", _bump),
    "floor of a bump": ("value", _bump_floor),
    "pyramid": ("value", _pyramid),
    "two discs": ("lost", _two_discs),
    "hat": ("value", _hat),
    "rounded number": ("value", _rounded),
    "strip": ("value", _strip),
    "single point": ("single", _single),
}
OTHER: dict[str, tuple[Kind, Family]] = {
    "far kink": ("value", _far_kink),
    "far end": ("lost", _far_end),
    "tiny gap": ("lost", _tiny_gap),
    "tiny disc": ("lost", _tiny_disc),
    "far disc": ("lost", _far_disc),
    "close jumps": ("value", _close_jumps),
    "tiny term": ("value", _tiny_term),
    "faded": ("value", _faded),
    "far floor": ("value", _far_floor),
    "far inverse": ("value", _far_inverse),
    "spike": ("lost", _spike),
}


def pairs(seed: int = 0) -> Iterator[Pair]:
    """The list, the same for a seed: families in turn; of what only one of the two has, every third the other
    way round."""
    for human, families in ((True, HUMAN), (False, OTHER)):
        draws = {family: random.Random(f"{seed} {family}") for family in families}
        for k, family in zip(range(HALF), cycle(families)):
            kind, drawn = families[family]
            head, member, at = drawn(draws[family])
            if kind == "lost" and k // len(families) % 3 == 2:
                kind, head, member = "gained", member, head
            yield Pair(family, human, kind, head, member, {name: str(value) for name, value in at.items()})


def parts(pair: Pair) -> bool:
    """Whether the two differ at the point, or only one of them has a value, as mpmath sees it."""
    from engines.core.expression_language import LETTERS
    from engines.formula.reader import read_expression as read

    with mpmath.workdps(_DIGITS):
        at = {name: _value(read(text, letters=LETTERS), {}) for name, text in pair.at.items()}
        head, member = (_value(read(text, letters=LETTERS), at) for text in (pair.head, pair.member))
        if pair.kind in ("lost", "single"):
            return head is not None and member is None
        if pair.kind == "gained":
            return head is None and member is not None
        return (
            head is not None and member is not None and abs(head - member) > mpmath.mpf(10) ** (100 - _DIGITS)
        )


def _value(tree: Tree, at: dict[str, Any]) -> Any:
    """The real value of an expression, None where it has none."""
    label = tree.label
    if not tree.children:
        known = {"pi": mpmath.pi, "e": mpmath.e} | at
        return (
            mpmath.mpf(known[label])
            if label in known
            else mpmath.mpf(Fraction(label).numerator) / Fraction(label).denominator
        )
    if label == "d":
        step = mpmath.mpf(10) ** -50
        values = [_value(tree.children[1], at | {"x": at["x"] + h}) for h in (-step, step)]
        return None if None in values else (values[1] - values[0]) / (2 * step)
    values = [_value(child, at) for child in tree.children]
    if None in values:
        return None
    if label in _ARITHMETIC:
        one, other = values
        return None if label == "/" and other == 0 else _ARITHMETIC[label](one, other)
    if label == "pow":
        base, exponent = values
        whole = exponent == mpmath.floor(exponent)
        return None if (base < 0 and not whole) or (base == 0 and exponent <= 0) else base**exponent
    (u,) = values
    allowed = _ALLOWED.get(label)
    return getattr(mpmath, _NAMES.get(label, label))(u) if allowed is None or allowed(u) else None


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}
_NAMES = {"abs": "fabs", "ln": "log"}
_ALLOWED: dict[str, Callable[[Any], bool]] = {
    "sqrt": lambda u: u >= 0,
    "ln": lambda u: u > 0,
    "asin": lambda u: abs(u) <= 1,
    "acos": lambda u: abs(u) <= 1,
    "acosh": lambda u: u >= 1,
    "atanh": lambda u: abs(u) < 1,
}


def judged(pair: Pair) -> Literal["right", "undecided", "equal"]:
    """What comes of a pair: `equal` if the verifier takes the two for equal."""
    from engines.core.expression_language import LETTERS
    from engines.formula.reader import read_expression as read
    from engines.mathematics.verification.verifier import make_verifier

    head, member = (read(text, letters=LETTERS) for text in (pair.head, pair.member))
    (verdict,) = make_verifier(head, member).judge_members([member])
    if verdict.outcome == "undecided":
        return "undecided"
    named = pair.kind == "single" and verdict.exceptional_text
    wrong = verdict.outcome == "equal" or (verdict.outcome == "extends" and pair.kind != "gained")
    return "equal" if wrong and not named else "right"
