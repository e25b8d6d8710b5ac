"""Word problems that are generated: Chinese ones, from situations that were written for this project.

Of each problem the situation, its numbers, the question and the wording are drawn; the equation is known and
the answer is computed. The same count and seed give the same problems.
"""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import accumulate
from math import gcd
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import write_rows
from engines.core.spec import Arg, specification
from engines.core.system import asset
from engines.core.tree import Tree
from engines.mwp.problems.problem import EquationError, Problem
from engines.mwp.problems.situations import (
    DrawnNumber,
    Filling,
    Question,
    Relation,
    Situation,
    UnmetError,
    Vocabulary,
    draw_number,
    draw_numbers,
    evaluate_letters,
    expand_text,
    list_letters,
    read_letters,
    replace_letters,
    split_slots,
    suits_answer,
    suits_question,
    suits_words,
)

_TRIES = 2000
"""Drawings of one question before it counts as one that cannot be met."""
_SHOWN = 5
_REMEDY = "Mend the situation in assets/generation."
_DISTRACTOR_SHARE = 0.18
"""Share of problems that get a number that their equation does not use, if they have a place for one."""
_DISTRACTORS = {
    "人": (("{Z}年级的", "2-6"), ("{Z}岁的", "6-12")),
    "产": (("今年{Z}月份，", "2-12"),),
    "厂": (("今年{Z}月份，", "2-12"),),
}
"""What may stand before a text that begins with a word of a kind, and how its number is drawn."""
_FULL_STOP_SHARE = 0.3
"""Share of questions that end with a full stop, as textbooks have it."""
_SIGN_SHARE = 0.3
"""Share of 是多少 that is written as =多少."""


@specification
class GenerateProblems:
    """Generate Chinese word problems of primary school, with equations and exact answers."""

    count: Annotated[int, Arg("How many problems.", low=1, high=1_000_000)] = 1000
    seed: Annotated[int, Arg("Draws situations, wordings and numbers.", low=0)] = 0
    out: Annotated[
        Path | None,
        Arg("Write the problems to this file as JSON Lines; it can be read as problems.", writes=True),
    ] = None


@cache
def load_vocabulary() -> Vocabulary:
    """Read the situations and words of Chinese problems.

    Raises:
        DataError: If the installation lacks them.
    """
    folder = asset("generation/zh")
    words: dict[str, tuple[tuple[str, ...], ...]] = {}
    relations: list[Relation] = []
    situations: list[Situation] = []
    for path in sorted(folder.glob("*.toml")):
        table = tomllib.loads(path.read_text("utf-8"))
        words |= {
            kind: tuple(tuple(entry.split("/")) for entry in entries)
            for kind, entries in table.get("words", {}).items()
        }
        relations += (
            Relation(row["text"], row["value"], row.get("draw", {}), row.get("weight", 1.0))
            for row in table.get("relation", [])
        )
        situations += (_read_situation(row, path.stem) for row in table.get("situation", []))
    return Vocabulary(words, tuple(relations), tuple(situations))


def _read_situation(row: dict[str, Any], topic: str) -> Situation:
    return Situation(
        name=row["name"],
        topic=topic,
        draw=row.get("draw", {}),
        keep=tuple(row.get("keep", ())),
        answer=row.get("answer", "tidy"),
        texts=tuple(row["text"]),
        questions=tuple(Question(equation, tuple(texts)) for equation, texts in row["ask"].items()),
        relation=row.get("relation", ""),
        slots=row.get("slots", {}),
        weight=row.get("weight", 1.0),
    )


def generate_problems(count: int, seed: int = 0, *, stop: Stop = never) -> Iterator[Problem]:
    """Yield generated problems; no text occurs twice.

    Args:
        count: How many.
        seed: Draws situations, wordings and numbers.
    """
    vocabulary = load_vocabulary()
    rng = random.Random(seed)
    limits = list(accumulate(situation.weight for situation in vocabulary.situations))
    seen: set[str] = set()
    repeats = 0
    while len(seen) < count and not stop():
        (situation,) = rng.choices(vocabulary.situations, cum_weights=limits)
        problem = generate_problem(vocabulary, situation, rng, f"generated-zh-{seed}-{len(seen) + 1}")
        # A situation with few numbers and words is exhausted in the end: then there are fewer problems.
        if problem.original in seen:
            repeats += 1
            if repeats > 100 * count:
                return
            continue
        seen.add(problem.original)
        yield problem


def generate_problem(
    vocabulary: Vocabulary,
    situation: Situation,
    rng: random.Random,
    name: str,
    question: Question | None = None,
) -> Problem:
    """Return a problem of a situation.

    Args:
        question: The one to ask; without it one is drawn.

    Raises:
        DataError: If no numbers meet the conditions of the situation.
    """
    for _ in range(_TRIES):
        try:
            return _try_problem(vocabulary, situation, rng, name, question or rng.choice(situation.questions))
        except (UnmetError, EquationError):
            continue
    what = f"no numbers suit the situation {situation.name!r}"
    raise DataError(what, code="E318", remedy="Widen what its numbers are drawn from.")


def _try_problem(
    vocabulary: Vocabulary, situation: Situation, rng: random.Random, name: str, question: Question
) -> Problem:
    # 1. A situation may compare two quantities by any relation (more by 5, three times as many): the relation
    # brings numbers of its own, and the other quantity `y` becomes a term in the first.
    draw, tree = dict(situation.draw), read_letters(question.equation)
    relation, related = None, None
    if situation.relation:
        (relation,) = rng.choices(vocabulary.relations, [row.weight for row in vocabulary.relations])
        draw |= relation.draw
        related = replace_letters(read_letters(relation.value), {"x": Tree(situation.relation)})
        tree = replace_letters(tree, {"y": related})
    # 2. Numbers are drawn until they suit the situation and its answer; `generate_problem` tries again.
    numbers = draw_numbers(draw, situation.keep, rng, related)
    value = evaluate_letters(tree, numbers)
    if not suits_answer(value, situation.answer):
        raise UnmetError
    # 3. Words are chosen once for a problem, so that a name or thing is the same throughout.
    filling = Filling(rng, vocabulary.words)
    text = _write_text(situation, question, relation, filling)
    if "{u}：{v}" in text and gcd(int(numbers["u"].value), int(numbers["v"].value)) > 1:
        raise UnmetError
    if rng.random() < _DISTRACTOR_SHARE:
        text = _add_distractor(text, filling, numbers)
    return _mask_text(name, situation.name, text, numbers, tree, Fraction(value))


def _write_text(situation: Situation, question: Question, relation: Relation | None, filling: Filling) -> str:
    rng = filling.rng
    # Behind ｜ stand the words of this text alone; `{?}` marks where the question goes, otherwise it is last.
    (text, _, own), asked = rng.choice(situation.texts).partition("｜"), rng.choice(question.texts)
    text = text.replace("{?}", asked) if "{?}" in text else text + asked
    if relation:
        text = text.replace("{R}", relation.text)
        for slot, words in ({"L": "{Y}", "M": "{X}"} | dict(situation.slots)).items():
            text = text.replace(f"{{{slot}}}", words)
    filling.chosen["单"] = tuple(expand_text(own, filling).split("/"))
    text = expand_text(text, filling)
    if rng.random() < _SIGN_SHARE:
        text = text.replace("是多少", "=多少")
    if text.endswith("？") and rng.random() < _FULL_STOP_SHARE:
        text = text[:-1] + "。"
    return text


def _add_distractor(text: str, filling: Filling, numbers: dict[str, DrawnNumber]) -> str:
    for kind, choices in _DISTRACTORS.items():
        word = filling.chosen.get(kind, ("",))[0]
        if word and text.startswith(word):
            words, spec = filling.rng.choice(choices)
            numbers["Z"] = draw_number(spec, filling.rng)
            return words + text
    return text


def _mask_text(
    name: str, source: str, text: str, numbers: dict[str, DrawnNumber], tree: Tree, answer: Fraction
) -> Problem:
    # Placeholders count numbers by their order in the text, whatever letters the situation gives them.
    order: list[str] = []
    masked, original = [], []
    if not suits_question(text, answer):
        raise UnmetError
    for words, letter in split_slots(text):
        if order and not suits_words(words, numbers[order[-1]].written):
            raise UnmetError
        masked.append(words)
        original.append(words)
        if letter:
            if letter in order:
                raise DataError(f"{text!r} has the number {letter} twice", code="E318", remedy=_REMEDY)
            masked.append(f"N_{len(order)}")
            original.append(numbers[letter].written)
            order.append(letter)
    values = [numbers[letter].value for letter in order]
    if lost := set(list_letters(tree)) - set(order):
        raise DataError(f"{text!r} lacks the numbers {sorted(lost)}", code="E318", remedy=_REMEDY)
    if len(set(values)) < len(values):
        # Equal numbers would leave open which of them an equation means.
        raise UnmetError
    equation = replace_letters(tree, {letter: Tree(f"N_{index}") for index, letter in enumerate(order)})
    return Problem(
        id=name,
        language="zh",
        text="".join(masked),
        numbers=tuple(numbers[letter].written for letter in order),
        values=tuple(map(float, values)),
        equation=equation,
        answer=float(answer),
        fold=None,
        source=source,
        original="".join(original),
    )


def generate(spec: GenerateProblems, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Generate problems and say what they are.

    >>> generate(GenerateProblems(count=3))["problems"]
    3
    """
    problems: list[Problem] = []
    for problem in generate_problems(spec.count, spec.seed, stop=stop):
        problems.append(problem)
        if len(problems) % 500 == 0 or len(problems) == spec.count:
            events(Event("progress", {"done": len(problems), "total": spec.count, "unit": "problems"}))
    if spec.out:
        write_rows(spec.out, (problem.to_row() for problem in problems))
    shown = problems if spec.out is None else problems[:_SHOWN]
    return {
        "problems": len(problems),
        "situations": len({problem.source for problem in problems}),
        "templates": len({problem.template for problem in problems}),
        "most_frequent": dict(Counter(problem.template for problem in problems).most_common(_SHOWN)),
        "complete": not stop(),
        "out": spec.out,
        "rows": [problem.to_row() for problem in shown],
    }
