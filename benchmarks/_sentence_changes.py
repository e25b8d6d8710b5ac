r"""Makers of pairs of a right and a wrong answer, for `hostile_answers`: sentences that state several things,
such as a value and its place or a formula and its letters, of which one is changed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from benchmarks._statement_changes import Pair, draw_order

_EXTREMES = (
    ("The maximum value is {0} when $x={1}$.", "The minimum value is {0} when $x={1}$."),
    ("The greatest value, {0}, is attained at $x={1}$.", "The least value, {0}, is attained at $x={1}$."),
    ("Das Maximum ist {0} bei $x={1}$.", "Das Minimum ist {0} bei $x={1}$."),
    ("Le maximum est {0}, atteint en $x={1}$.", "Le minimum est {0}, atteint en $x={1}$."),
    ("El máximo es {0} para $x={1}$.", "El mínimo es {0} para $x={1}$."),
    ("Il massimo è {0} per $x={1}$.", "Il minimo è {0} per $x={1}$."),
    ("Максимум равен {0} при $x={1}$.", "Минимум равен {0} при $x={1}$."),
    ("最大值为{0}，此时$x={1}$。", "最小值为{0}，此时$x={1}$。"),
    ("当$x={1}$时，最大值为{0}。", "当$x={1}$时，最小值为{0}。"),
    ("$x={1}$ のとき最大値 {0} をとる。", "$x={1}$ のとき最小値 {0} をとる。"),
    ("최댓값은 {0} ($x={1}$).", "최솟값은 {0} ($x={1}$)."),
)
_FAMILIES = (
    "$f(x)={}$ for arbitrary real ${}, {}$.",
    "$f(x)={}$, where ${}$ and ${}$ are any real constants.",
    r"$f(x)={}$, where ${}, {} \in \mathbb{{R}}$ are arbitrary constants.",
    "$f(x)={}$ mit beliebigen reellen ${}, {}$.",
    "$f(x)={}$ où ${}, {}$ sont des réels quelconques.",
    "$f(x)={}$，其中${}, {}$为任意实数.",
    "f(x) = {}, where {} and {} are any real constants.",
)
_CHANGING = (
    "all multiples of ${}$.",
    "all divisors of ${}$.",
    "powers of ${}$.",
    "all integers except ${}$.",
    "every number other than ${}$.",
    "alle Zahlen außer ${}$.",
    "tous les multiples de ${}$.",
    "${}$.",
)
_OPPOSITES = (
    ("increasing on $({}, {})$.", "decreasing on $({}, {})$."),
    ("monoton steigend auf $({}, {})$.", "monoton fallend auf $({}, {})$."),
    ("croissante sur $({}, {})$.", "décroissante sur $({}, {})$."),
    ("возрастает на $({}, {})$.", "убывает на $({}, {})$."),
    ("creciente en $({}, {})$.", "decreciente en $({}, {})$."),
    ("divergent für $({}, {})$.", "konvergent für $({}, {})$."),
    ("在 $({}, {})$ 递增.", "在 $({}, {})$ 递减."),
)


def change_extreme(chance: Random) -> Pair:
    """Change an extreme value, its place, or which one it is."""
    one, other, third = chance.sample(range(1, 60), 3)
    dollars = chance.choice(("{}", "${}$"))
    said = chance.choice(_EXTREMES)
    right, changed = (one, other), chance.choice(((third, other), (one, third), (one, other)))
    wrong = chance.choice(_EXTREMES)[0] if right != changed else said[1]
    return said[0].format(dollars.format(one), other), wrong.format(dollars.format(changed[0]), changed[1])


def change_family(chance: Random) -> Pair:
    """Change the formula of a family and leave what is said of its letters."""
    c, d = chance.choice(("ab", "cd", "pq", "mn"))
    forms = [f"{c}x+{d}", f"{c}x^2+{d}", f"{c}x^3-{d}x", f"{c}+{d}", rf"{c}\sin x+{d}", f"{c}x^2+{d}x"]
    one, other = chance.sample(forms, 2)
    said = _FAMILIES[:-1] if "\\" in one + other else _FAMILIES
    return chance.choice(said).format(one, c, d), chance.choice(said).format(other, c, d)


def change_words(chance: Random) -> Pair:
    """Change the words that make something else of a number, or a property of an interval."""
    one, other = sorted(chance.sample(range(2, 60), 2))
    if chance.random() < 0.5:
        said, changed = chance.sample(chance.choice(_OPPOSITES), 2)
        return said.format(one, other), changed.format(one, other)
    # Exceptions say the same in several of these sentences, so one of the two is the number alone.
    said = chance.choice(_CHANGING[:-1])
    return draw_order(chance, said.format(one), _CHANGING[-1].format(one))


def swap_places(chance: Random) -> Pair:
    """Swap the places of two extremes, or which of two roots counts twice."""
    one, other = chance.sample(range(1, 60), 2)
    said = chance.choice(
        (
            "local maximum at $x={}$ and local minimum at $x={}$.",
            "$x={}$ (double root), $x={}$.",
            "Maximum bei $x={}$ und Minimum bei $x={}$.",
            "the positive root is ${}$ and the negative one ${}$.",
        )
    )
    return said.format(one, other), said.format(other, one)


def drop_orders(chance: Random) -> Pair:
    """Drop that the values of one of two tuples may be in any order."""
    same, *values = chance.sample(range(1, 30), 4)
    listed = ", ".join(map(str, values))
    said = f"$({same},{same},{same})$ and all permutations of $({listed})$"
    return said, f"({same},{same},{same}), ({listed})."


_WITHDRAWALS = (
    "The answer is {0}. No, {1}.",
    "Answer: {0}. Sorry, it is {1}.",
    r"\boxed{{{0}}} is what many write; the truth is {1}.",
    "The answer is by no means {0}.",
    "I doubt that it is {0}.",
    "Die Antwort ist keineswegs {0}.",
    "La respuesta no es {0}.",
    "Non è {0}.",
    "A resposta não é {0}.",
    "Het is niet {0}.",
    "Det är inte {0}.",
    "Ответ не равен {0}.",
    "Není to {0}.",
    "Δεν είναι {0}.",
    "Cevap {0} değil.",
    "答案不等于{0}.",
    "答えは{0}ではありません.",
    "답은 {0}이 아닙니다.",
    "n = {0} fails.",
    "{0} is too large.",
    "I give up. I have {0} equations.",
    "It depends; {0}.",
    "See theorem {0}.",
    "{0} to the power {1}.",
)


def withdraw_value(chance: Random) -> Pair:
    """Name the right value, and deny it, take it back or use it for something else."""
    value, other = chance.sample(range(2, 900), 2)
    return str(value), chance.choice(_WITHDRAWALS).format(value, other)


SENTENCE_MAKERS: dict[str, tuple[Callable[[Random], Pair], ...]] = {
    "connective": (withdraw_value,),
    "quantifier": (change_family, drop_orders),
    "digit": (change_extreme,),
    "side": (change_words, swap_places),
}
"""What makes pairs of a right and a wrong answer, by what is changed."""
