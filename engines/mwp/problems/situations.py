"""Situations of word problems: texts with slots, numbers to draw, and the equation of each question.

A situation is data (`assets/generation/<language>/*.toml`). Its texts have slots: `{a}` for a number,
`{物}` for a word of the vocabulary, `{物2}` for another word of that kind, `{物:1}` for the second column
of its entry. `[甲|乙]` is a choice. Its questions are listed by the equation that answers them, over the
letters of its numbers. What follows `｜` in a text fills `{单}`, `{单:1}`, … of the question.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from engines.core.errors import DataError
from engines.core.tree import Tree
from engines.mwp.problems.problem import ProblemValue, constant_label, evaluate, read_equation

SHARES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20)
"""Denominators of the fractions that are drawn."""
COUNTED = tuple("人名个只棵本张支辆头把页枚朵台件双盆粒次套块颗盏幅艘间排行箱筐盒包袋瓶题道句字朋岁")
"""How words begin that follow a number of things which cannot be divided."""
_HUNDRED = 100
_PART_SHARES = SHARES[:9]
_MAX_DENOMINATOR = 1000
_MAX_NUMERATOR = 10**7


class UnmetError(Exception):
    """The numbers that were drawn do not suit the situation."""


@dataclass(frozen=True, slots=True)
class DrawnNumber:
    """A number of a text: what it is, and how the text writes it."""

    value: Fraction
    written: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a situation.

    Args:
        equation: Over the letters of the situation's numbers.
        texts: The wordings of the question.
    """

    equation: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Situation:
    """A situation of word problems.

    Args:
        topic: The file that it comes from.
        draw: How each number is drawn, by its letter: see `draw_number`.
        keep: Conditions that the numbers have to meet: `a>b`, or `a/b` for a value that must be whole.
        answer: What an answer may be: `whole`, `tidy` (at most two decimals) or `any`.
        texts: The wordings of what is known; `{?}` is where the question stands if not at the end.
        questions: What may be asked.
        relation: The letter of the number to which the text relates another, `y`; empty where there is none.
        slots: What `{X}`, `{Y}` and `{U}` of the relation stand for; `{M}` and `{L}` are X and Y as subjects.
        weight: How often the situation occurs, relative to others.
    """

    name: str
    topic: str
    draw: Mapping[str, str]
    keep: tuple[str, ...]
    answer: str
    texts: tuple[str, ...]
    questions: tuple[Question, ...]
    relation: str
    slots: Mapping[str, str]
    weight: float


@dataclass(frozen=True, slots=True)
class Relation:
    """How one number is stated by another: `{Y}` is `{r}` more than `{X}`.

    Args:
        value: The second number, over the first one, `x`, and the letters of `draw`.
    """

    text: str
    value: str
    draw: Mapping[str, str]
    weight: float


@dataclass(frozen=True)
class Vocabulary:
    """What texts are made of: words by kind, relations and situations."""

    words: Mapping[str, tuple[tuple[str, ...], ...]]
    relations: tuple[Relation, ...]
    situations: tuple[Situation, ...]


@dataclass
class Filling:
    """What the slots of one text stand for; words are drawn when they are first asked for."""

    rng: random.Random
    words: Mapping[str, tuple[tuple[str, ...], ...]]
    chosen: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def choose_word(self, slot: str) -> str:
        """Return the word of a slot: `物`, `物2` (another one), `物:1` (its second column)."""
        name, _, column = slot.partition(":")
        if name not in self.chosen:
            kind = name.rstrip("0123456789")
            if kind not in self.words:
                raise DataError(f"{{{slot}}} is no slot", code="E318", remedy="Add its words to words.toml.")
            taken = {entry for key, entry in self.chosen.items() if key.rstrip("0123456789") == kind}
            free = [entry for entry in self.words[kind] if entry not in taken]
            self.chosen[name] = self.rng.choice(free)
        return self.chosen[name][int(column or 0)]


def draw_number(spec: str, rng: random.Random) -> DrawnNumber:
    """Draw a number.

    Args:
        spec: `20`, `3-40` (integers), `10-90/10` (in steps), `0.5-4.5` (as many decimals as are written),
            `5%-95%/5`, `share` (a fraction below 1), `part` (1 over an integer); of several, separated by
            `|`, one is taken.
    """
    spec = rng.choice(spec.split("|")).strip()
    if spec in ("share", "part"):
        below = rng.choice(SHARES if spec == "share" else _PART_SHARES)
        value = Fraction(1 if spec == "part" else rng.randint(1, below - 1), below)
        return DrawnNumber(value, f"({value.numerator}/{value.denominator})")
    limits, _, step = spec.partition("/")
    low, _, high = limits.partition("-")
    percent = low.endswith("%")
    bounds = [limit.rstrip("%") for limit in (low, high or low)]
    decimals = max(len(number.partition(".")[2]) for number in (*bounds, step))
    # Drawn as an integer in units of the last decimal, which keeps every number exact.
    scale = 10**decimals
    first, last = (int(Fraction(bound) * scale) for bound in bounds)
    width = int(Fraction(step) * scale) if step else 1
    value = Fraction(rng.randrange(first, last + 1, width), scale)
    if percent:
        return DrawnNumber(value / 100, write_decimal(value) + "%")
    return DrawnNumber(value, write_decimal(value))


def write_decimal(value: Fraction) -> str:
    """Return a number with at most three decimals.

    Raises:
        UnmetError: If it has more, or is not positive.
    """
    if (value * 1000).denominator != 1 or value <= 0:
        raise UnmetError
    return f"{float(value):.3f}".rstrip("0").rstrip(".")


@cache
def read_letters(equation: str) -> Tree:
    """Return the tree of an equation over letters; numbers in it are constants."""
    return read_equation(equation, lambda text: Tree(constant_label(Fraction(text))), Tree)


def list_letters(tree: Tree) -> list[str]:
    """Return the letters of an equation."""
    return [node.label for node in tree if not node.children and not node.label.startswith("C_")]


def replace_letters(tree: Tree, trees: Mapping[str, Tree]) -> Tree:
    """Return an equation with letters replaced by trees."""
    if not tree.children:
        return trees.get(tree.label, tree)
    return Tree(tree.label, tuple(replace_letters(child, trees) for child in tree.children))


def evaluate_letters(tree: Tree, numbers: Mapping[str, DrawnNumber]) -> ProblemValue:
    """Return the exact value of an equation over letters."""
    names = {letter: Tree(f"N_{index}") for index, letter in enumerate(numbers)}
    return evaluate(replace_letters(tree, names), [number.value for number in numbers.values()])


def draw_numbers(
    draw: Mapping[str, str], keep: Sequence[str], rng: random.Random, relation: Tree | None = None
) -> dict[str, DrawnNumber]:
    """Draw the numbers of a situation, each after those that it depends on.

    Args:
        draw: By letter; `=a*b` for a number that follows from others.
        keep: The conditions of the situation.
        relation: What the letter `y` of a condition stands for.

    Raises:
        UnmetError: If they do not meet the conditions.
    """
    numbers: dict[str, DrawnNumber] = {}
    for letter, spec in draw.items():
        if spec.startswith("="):
            value = Fraction(evaluate_letters(read_letters(spec[1:]), numbers))
            numbers[letter] = DrawnNumber(value, write_decimal(value))
        else:
            numbers[letter] = draw_number(spec, rng)
    for condition in keep:
        _check_condition(condition, numbers, relation)
    return numbers


def _check_condition(condition: str, numbers: Mapping[str, DrawnNumber], relation: Tree | None) -> None:
    left, sign, right = condition.partition(">")
    y = {"y": relation} if relation is not None else {}
    value = evaluate_letters(replace_letters(read_letters(left), y), numbers)
    if sign:
        if not value > evaluate_letters(replace_letters(read_letters(right), y), numbers):
            raise UnmetError
    elif not isinstance(value, Fraction) or value.denominator != 1 or value <= 0:
        raise UnmetError


def suits_answer(value: ProblemValue, answer: str) -> bool:
    """Return whether an answer is one that a textbook would have."""
    if not isinstance(value, Fraction) or value <= 0:
        return False
    if answer == "whole":
        return value.denominator == 1
    if answer == "tidy":
        return (value * 100).denominator == 1
    return value.denominator <= _MAX_DENOMINATOR and value.numerator < _MAX_NUMERATOR


def suits_words(words: str, written: str) -> bool:
    """Return whether a number may stand before words: things that are counted are whole numbers.

    Args:
        words: What follows the number in the text.
        written: The number as it is written.
    """
    return not words.startswith(COUNTED) or written.isdecimal()


def suits_question(text: str, value: Fraction) -> bool:
    """Return whether an answer suits what the text asks for: whole things, and money in hundredths."""
    # What follows the last question word is what the answer counts.
    _, asks, words = text.rpartition("多少")
    if not asks:
        _, asks, words = text.rpartition("几")
    if asks and words.startswith(COUNTED):
        return value.denominator == 1
    return not words.startswith("元") or (value * _HUNDRED).denominator == 1


def expand_text(text: str, filling: Filling) -> str:
    """Return a text with its choices made and its slots of words filled; slots of numbers stay."""
    index, result = 0, []
    while index < len(text):
        if text[index] == "[":
            # Words are drawn for the chosen option only.
            chosen, index = _expand_choice(text, index, filling)
            result.append(chosen)
        elif text[index] == "{":
            close = text.index("}", index)
            slot = text[index + 1 : close]
            result.append(filling.choose_word(slot) if _is_word(slot) else f"{{{slot}}}")
            index = close + 1
        else:
            result.append(text[index])
            index += 1
    return "".join(result)


def _is_word(slot: str) -> bool:
    return not (slot.isascii() and len(slot) == 1)


def _expand_choice(text: str, index: int, filling: Filling) -> tuple[str, int]:
    depth, start, options = 0, index + 1, []
    for position in range(index, len(text)):
        character = text[position]
        if character == "[":
            depth += 1
        elif character == "|" and depth == 1:
            options.append(text[start:position])
            start = position + 1
        elif character == "]":
            depth -= 1
            if depth == 0:
                options.append(text[start:position])
                return expand_text(filling.rng.choice(options), filling), position + 1
    raise DataError(f"a choice is not closed: {text!r}", code="E318", remedy="Close it with ].")


def split_slots(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words before each number's slot, with its letter; at last those after them, with ""."""
    while True:
        words, opened, text = text.partition("{")
        letter, _, text = text.partition("}")
        yield words, letter if opened else ""
        if not opened:
            return
