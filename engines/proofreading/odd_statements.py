"""Statements about one unknown of which one is the odd one out, since it holds at none of its values.

Statements about one unknown, where others have their one value, hold at some of the values that the text
or its equations name. One that holds at none where another does, while those beside it hold at a common
value, is the odd one out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from engines.core.tree import Tree
from engines.proofreading.cue_phrases import mentions, read_last_cue, words_of
from engines.proofreading.term_properties import (
    OF_ANGLES,
    evaluate_term,
    free_symbols,
    real_roots,
    values_agree,
)

_MOST_STATEMENTS = 400
_MOST_NODES_OF_STATEMENT = 120
_MOST_VALUES = 12
_UNCLEAR = frozenset(
    ("text", "pm", "abs", "call", "e", "matrix", "list", "set", "interval", "i", "inf", "limit", "mod")
)


@dataclass(frozen=True, slots=True)
class ComparedSides:
    """An equation of a text.

    Attributes:
        place: Its index among the links.
        left: Its left side.
        right: Its right side.
        before: The words before it.
        after: The words after it.
        fixed: Whether it is not to be reported.
    """

    place: int
    left: Tree
    right: Tree
    before: str
    after: str
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class OddStatement:
    """A statement that is false at values at which other statements of the text are true.

    Attributes:
        place: The index of the statement among the links.
        at: The values, by variable.
        by: The indices of the statements that are true there.
    """

    place: int
    at: Mapping[str, float]
    by: tuple[int, ...]


def find_odd_statements(statements: Sequence[ComparedSides]) -> Iterator[OddStatement]:
    """Yield the statements that contradict the other statements about the same unknown."""
    held = [each for each in statements[:_MOST_STATEMENTS] if _is_clear(each)]
    names = {each.place: free_symbols(each.left) | free_symbols(each.right) for each in held}
    values: dict[str, list[float]] = defaultdict(list)
    lone: dict[int, str] = {}
    several: set[str] = set()
    for each in held:
        if (result := _read_value(each)) is not None:
            lone[each.place] = result[0]
            values[result[0]].append(result[1])
            if words_of(each.after)[:1] == ["or"] or each.before.endswith((" or", "either")):
                several.add(result[0])
    fixed = {
        name: many[0] for name, many in values.items() if name not in several and max(many) - min(many) < 1e-9
    }
    reported: set[int] = set()
    for name in sorted({name for of in names.values() for name in of}):
        at = {other: value for other, value in fixed.items() if other != name}
        about = [
            each for each in held if name in names[each.place] and names[each.place] - {name} <= at.keys()
        ]
        if len(about) < 3:
            continue
        for odd in _iterate_oddities(about, name, at, values[name], lone):
            if odd.place not in reported:
                reported.add(odd.place)
                yield odd


def _is_clear(statement: ComparedSides) -> bool:
    sides = statement.left, statement.right
    if sum(map(len, sides)) > _MOST_NODES_OF_STATEMENT:
        return False
    return not any(
        node.label in _UNCLEAR or (node.label in OF_ANGLES and free_symbols(node))
        for side in sides
        for node in side
    )


def _read_value(statement: ComparedSides) -> tuple[str, float] | None:
    """Return the variable that stands alone, and its value."""
    for one, other in ((statement.left, statement.right), (statement.right, statement.left)):
        if not one.children and free_symbols(one) and not free_symbols(other):
            value = evaluate_term(other, {})
            return None if value is None else (one.label, value)
    return None


def _iterate_oddities(
    about: Sequence[ComparedSides],
    name: str,
    at: Mapping[str, float],
    named: Sequence[float],
    lone: Mapping[int, str],
) -> Iterator[OddStatement]:
    places = list(named)
    for each in about:
        if each.place not in lone:
            places += real_roots(each.left, each.right, name, at)
    places = [
        one for number, one in enumerate(places) if all(abs(one - two) > 1e-9 for two in places[:number])
    ]
    if len(places) > _MOST_VALUES:
        return
    holds = [[values_agree(each.left, each.right, {**at, name: place}) for place in places] for each in about]
    for number, each in enumerate(about):
        if each.fixed or _is_supposed(each):
            continue
        others = [row for other, row in enumerate(holds) if other != number]
        mine = holds[number]
        if any(
            mine[index] is not False and any(row[index] for row in others) for index in range(len(places))
        ):
            continue
        last = len(about) - 1
        near = [1, 2] if number == 0 else [last - 2, last - 1] if number == last else [number - 1, number + 1]
        if all(about[one].place in lone for one in near):
            continue
        for index, place in enumerate(places):
            elsewhere = {**at, name: place + 0.37}
            if all(
                holds[one][index] and values_agree(about[one].left, about[one].right, elsewhere) is False
                for one in near
            ):
                if number == 0 and mentions("task", each.before):
                    if any(free_symbols(side) - {name} for side in (each.left, each.right)):
                        break
                    # where an equation is to be solved and the next has not its solution, that is wrong
                    for task, following, one in zip(holds[0], holds[1], places, strict=True):
                        if task and following is False:
                            yield OddStatement(about[1].place, {**at, name: one}, (about[0].place,))
                            break
                else:
                    yield OddStatement(
                        each.place, {**at, name: place}, tuple(about[one].place for one in near)
                    )
                break


def _is_supposed(statement: ComparedSides) -> bool:
    """Return whether it is a definition or a value that is tried, or said to have no solution."""
    if "no" in words_of(statement.before[-60:] + " " + statement.after[:40]):
        return True
    if not any(not side.children and free_symbols(side) for side in (statement.left, statement.right)):
        return False
    words = statement.before
    return read_last_cue(words) == "given" or mentions("supposed", words.rpartition("§")[2])
