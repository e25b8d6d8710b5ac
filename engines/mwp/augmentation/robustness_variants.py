"""Robustness variants of a problem (its family), drawn from a seed, each with a checked equation and answer.

A variant has other numbers, its facts in another order, another number that is asked for, a distractor (a
sentence that does not matter), a fact less, or other names, things and units. `certify_variant` checks each
variant; those that fail are not made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import nan
from random import Random
from typing import Literal, get_args

from engines.core.tree import Tree
from engines.mwp.augmentation.family_words import DISTRACTORS, NAMES, THINGS, UNITS
from engines.mwp.augmentation.reordering import reorder_question, shuffle_facts
from engines.mwp.augmentation.reversal import Refused, reversed_operations
from engines.mwp.augmentation.variant import (
    ProblemVariant,
    is_question,
    join_parts,
    renumber_problem,
    split_problem,
)
from engines.mwp.problems.equivalence import are_equivalent
from engines.mwp.problems.numbers import value_of
from engines.mwp.problems.problem import (
    UNANSWERABLE,
    EquationError,
    Problem,
    ProblemValue,
    evaluate,
    list_placeholders,
    renumber_placeholders,
)

FamilyKind = Literal["numbers", "reordered", "reversed", "distractor", "missing", "entities", "paraphrase"]
FAMILY_KINDS: tuple[FamilyKind, ...] = get_args(FamilyKind)[:-1]
"""The kinds that are made here; a language model makes paraphrases."""

_TRIES = 200
_PLACE = re.compile(r"N_(\d+)")
_PLAIN = re.compile(r"\d+|\d{1,3}(?:,\d{3})+")
_LEANING = re.compile(
    r"(?:he|she|it|they|his|her|hers|its|their|these|those|this|that|then|next|after|later|finally|so|also|each"
    r"|every|both|another|the other|the rest|the remaining|however|but|and|if|when|instead|now|among"
    r"|of (?:these|those|them|which))\b",
    re.IGNORECASE,
)
"""A sentence that begins with one of these leans on the one before."""
_LEANING_ZH = re.compile("他|她|它|其|每|又|再|还|后来|然后|结果|这|那|剩|如果|照这样|平均|共|一共|正好|比")


def make_family(
    problem: Problem, kinds: Sequence[FamilyKind], seed: int
) -> tuple[list[Problem], Counter[tuple[FamilyKind, str]]]:
    """Return the variants of a problem, one of each kind where there is one, and why there is none of others.

    Args:
        problem: One with an equation.
        kinds: What to make.
        seed: With it, the problem's id and the kind, the draw of each variant is fixed.
    """
    made: list[Problem] = []
    refused: Counter[tuple[FamilyKind, str]] = Counter()
    for kind in kinds:
        draw = Random(f"{seed} {problem.id} {kind}")
        try:
            variant = _MAKERS[kind](problem, draw)
            reason = variant if isinstance(variant, str) else certify_variant(problem, variant, kind)
        except EquationError as error:
            variant = reason = error.what
        if isinstance(variant, Problem) and not reason:
            made.append(replace(variant, id=f"{problem.id}/{kind}", source=problem.id, fold=None))
        else:
            refused[kind, reason] += 1
    return made, refused


def certify_variant(source: Problem, variant: Problem, kind: FamilyKind) -> str:
    """Return what is wrong with a variant, or "".

    The placeholders of its text are its numbers in their order, and its answer is the exact value of its
    equation. With other numbers every step keeps its sign, and is whole where the source's is. The
    calculation is the source's, except where another number is asked for or a fact is missing.
    """
    assert source.equation is not None
    places = [int(placeholder) for placeholder in _PLACE.findall(variant.text)]
    # Placeholders are numbered by their first occurrence.
    if list(dict.fromkeys(places)) != list(range(len(variant.numbers))):
        return "the numbers of the text are not those of the problem"
    if kind == "missing":
        return "" if variant.equation is None else "the fact is not missing"
    if variant.equation is None:
        return "there is no equation"
    values = tuple(map(value_of, variant.numbers))
    if float(evaluate(variant.equation, values)) != variant.answer:
        return "the answer is not the value of the equation"
    if kind == "reversed":
        return ""
    # Each kind promises to keep something else of the source; what it promises is checked.
    if kind in ("numbers", "entities") and variant.equation != source.equation:
        return "the calculation is another one"
    if kind == "numbers":
        before, after = (_describe_steps(one) for one in (source, variant))
        return "" if before == after else "a step has another sign, or is not whole any more"
    if variant.answer != source.answer:
        return "the answer is another one"
    # Numbers may have moved in the text: those of the source are found again by value, if values are
    # distinct.
    shared = [values.index(value) if value in values else -1 for value in map(value_of, source.numbers)]
    if len({*source.values}) == len(source.values) and kind in ("reordered", "distractor", "paraphrase"):
        moved = renumber_placeholders(source.equation, shared)
        return "" if are_equivalent(moved, variant.equation) else "the calculation is another one"
    return ""


def _describe_steps(problem: Problem) -> list[tuple[int, bool]]:
    """Return of every step of an equation its sign, and whether it is whole."""
    assert problem.equation is not None
    values = tuple(map(value_of, problem.numbers))
    result = []
    for node in problem.equation:
        if node.children:
            value = evaluate(node, values)
            whole = isinstance(value, Fraction) and value.denominator == 1
            result.append(((value > 0) - (value < 0), whole))
    return result


# ---- makers of variants: each returns a problem, or why there is none


def _change_numbers(problem: Problem, draw: Random) -> Problem | str:
    """Other whole numbers, in the same order of size."""
    assert problem.equation is not None
    wanted = _describe_steps(problem)
    values = [value_of(written) for written in problem.numbers]
    # Years and numbers that are no plain integers stay: others would make the text odd.
    changed = [
        index
        for index, written in enumerate(problem.numbers)
        if _PLAIN.fullmatch(written) and values[index] > 1 and not 1900 <= values[index] <= 2100
    ]
    if not set(changed) & set(list_placeholders(problem.equation)):
        return "no number of the equation is a whole number above 1"
    ranks = _rank(values)
    for _ in range(_TRIES):
        tried = list(values)
        for index in changed:
            tried[index] = Fraction(draw.randint(2, max(12, 2 * int(values[index]))))
        # The order of size is kept, or `5 more than` could become negative.
        if tried == values or _rank(tried) != ranks:
            continue
        numbers = [
            _write_like(problem.numbers[index], tried[index]) if index in changed else problem.numbers[index]
            for index in range(len(values))
        ]
        try:
            made = renumber_problem(problem, problem.text, problem.equation, numbers, id_=problem.id)
        except EquationError:
            continue
        if _describe_steps(made) == wanted:
            return made
    return "no other numbers were drawn that keep every step possible"


def _rank(values: Sequence[Fraction]) -> list[int]:
    order = sorted(set(values))
    return [order.index(value) for value in values]


def _write_like(written: str, value: Fraction) -> str:
    return f"{int(value):,}" if "," in written else str(int(value))


def _reorder_facts(problem: Problem, draw: Random) -> Problem | str:
    """Return the facts in another order, or else the question first."""
    assert problem.equation is not None
    parts = split_problem(problem)
    facts = [part for part in parts if not is_question(part, problem.language)]
    leaning = _LEANING_ZH if problem.language == "zh" else _LEANING
    # A Chinese clause that ends with a comma belongs to the next.
    whole = problem.language == "en" or all(re.search("[。．；;！!]$", part) for part in facts)
    if whole and not any(leaning.match(part) for part in parts):
        shuffled = shuffle_facts(problem, draw)
        if shuffled is not None:
            return shuffled
    variant = reorder_question(problem)
    return variant.problem if isinstance(variant, ProblemVariant) else variant


def _reverse_operation(problem: Problem, draw: Random) -> Problem | str:
    """Another number is asked for, and the answer is told."""
    results = list(reversed_operations(problem))
    coherent = [one for one in results if isinstance(one, ProblemVariant) and not one.doubts]
    if coherent:
        return draw.choice(coherent).problem
    reasons = [one.reason for one in results if isinstance(one, Refused)]
    return reasons[0] if reasons else "the text would be doubtful"


def _add_distractor(problem: Problem, draw: Random) -> Problem | str:
    """A sentence with a number that has nothing to do with the question."""
    assert problem.equation is not None
    parts = split_problem(problem)
    places = [index for index, part in enumerate(parts) if is_question(part, problem.language)]
    if len(parts) < 2 or not places or places[0] == 0:
        return "there is no place for a sentence before the question"
    if problem.language == "zh" and not re.search("[。．；;！!]$", parts[places[0] - 1]):
        return "the question begins within a sentence"
    # A number of the problem or its answer would make the distractor relevant.
    taken = {*problem.values, problem.answer}
    numbers = [number for number in range(3, 60) if float(number) not in taken]
    sentence = draw.choice(DISTRACTORS[problem.language]).format(f"N_{len(problem.numbers)}")
    text = join_parts(problem, [*parts[: places[0]], sentence, *parts[places[0] :]])
    extended = (*problem.numbers, str(draw.choice(numbers)))
    return renumber_problem(problem, text, problem.equation, extended, id_=problem.id)


def _drop_fact(problem: Problem, draw: Random) -> Problem | str:
    """A fact that the answer needs is left out."""
    assert problem.equation is not None
    parts = split_problem(problem)
    needed = set(list_placeholders(problem.equation))
    values = tuple(map(value_of, problem.numbers))
    choices = []
    for index, part in enumerate(parts):
        inside = {int(placeholder) for placeholder in _PLACE.findall(part)}
        kept = [values[placeholder] for placeholder in range(len(values)) if placeholder not in inside]
        # A needed number whose value occurs elsewhere is not missing.
        lost = [placeholder for placeholder in inside & needed if values[placeholder] not in kept]
        if (
            lost
            and not is_question(part, problem.language)
            and _depends_on(problem.equation, lost[0], values)
        ):
            choices.append(index)
    facts = sum(not is_question(part, problem.language) for part in parts)
    if not choices or facts < 2:
        return "no one of several facts alone holds a number that is needed"
    dropped = draw.choice(choices)
    text = join_parts(problem, [part for index, part in enumerate(parts) if index != dropped])
    # What is left is numbered again from 0.
    order = list(dict.fromkeys(int(placeholder) for placeholder in _PLACE.findall(text)))
    numbers = tuple(problem.numbers[placeholder] for placeholder in order)
    new_text = _PLACE.sub(lambda match: f"N_{order.index(int(match[1]))}", text)
    return replace(
        problem,
        text=new_text,
        numbers=numbers,
        values=tuple(problem.values[placeholder] for placeholder in order),
        equation=None,
        answer=nan,
        original=_PLACE.sub(lambda match: numbers[int(match[1])], new_text),
        answer_text=UNANSWERABLE,
        stated=None,
    )


def _depends_on(equation: Tree, index: int, values: Sequence[ProblemValue]) -> bool:
    """Return whether the value of an equation changes with one of its numbers."""
    seen = set()
    for added in (0, 1, 2):
        try:
            seen.add(evaluate(equation, [*values[:index], values[index] + added, *values[index + 1 :]]))
        except EquationError:
            continue
    return len(seen) > 1


def _change_entities(problem: Problem, draw: Random) -> Problem | str:
    """Other names, things and units, with the same calculation."""
    assert problem.equation is not None
    text = problem.text
    for groups in (NAMES[problem.language], THINGS[problem.language], _free_units(problem)):
        text = _exchange_words(text, groups, problem.language == "zh", draw)
    if text == problem.text:
        return "it has no name, thing or unit of the lists"
    return renumber_problem(problem, text, problem.equation, problem.numbers, id_=problem.id)


def _free_units(problem: Problem) -> tuple[tuple[str, ...], ...]:
    """Units may only be exchanged where nothing is converted."""
    assert problem.equation is not None
    if any(label.startswith("C_") for label in problem.equation.list_labels()):
        return ()
    return tuple(
        group
        for group in UNITS[problem.language]
        if sum(_has_word(problem.text, word, problem.language == "zh") for word in group) == 1
    )


def _has_word(text: str, word: str, chinese: bool) -> bool:
    forms = word.split("|")
    return any(re.search(re.escape(form) if chinese else rf"\b{form}\b", text) for form in forms)


def _exchange_words(text: str, groups: Sequence[Sequence[str]], chinese: bool, draw: Random) -> str:
    """Replace each word of a group by another of the group that the text does not have, all of them at once.

    Forms of a word (`apple|apples`) are separated by `|`, the same form in all words of a group.
    """
    changes: dict[str, str] = {}
    for group in groups:
        present = [word for word in group if _has_word(text, word, chinese)]
        free = [word for word in group if word not in present]
        for word, replacement in zip(present, draw.sample(free, min(len(free), len(present))), strict=False):
            changes |= dict(zip(word.split("|"), replacement.split("|"), strict=True))
    if not changes:
        return text
    listed = "|".join(map(re.escape, sorted(changes, key=len, reverse=True)))
    return re.sub(listed if chinese else rf"\b(?:{listed})\b", lambda match: changes[match[0]], text)


_MAKERS: Mapping[FamilyKind, Callable[[Problem, Random], Problem | str]] = {
    "numbers": _change_numbers,
    "reordered": _reorder_facts,
    "reversed": _reverse_operation,
    "distractor": _add_distractor,
    "missing": _drop_fact,
    "entities": _change_entities,
}
