"""Which number of its text an equation's number is, where the text has it more than once.

An equation of a file says 20, and the text may have two numbers 20. Of all ways to bind the one to the
others that one is taken which uses most of them, in the order of the text; a file's own placeholders stand
where they use as many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from itertools import islice, permutations, product

from engines.core.tree import Tree
from engines.mwp.problems.problem import list_placeholders

_MOST = 720
"""Bindings that are looked at: six equal numbers, each used once, have as many."""


def bind_numbers(equation: Tree, numbers: Sequence[Hashable]) -> Tree:
    """Return the equation with equal numbers bound so that it uses as many of them as it can, in the order of
    the text.

    Args:
        equation: Over the placeholders of the text.
        numbers: Those of the text; equal ones may stand for each other.

    >>> from engines.mwp.problems.problem import read_equation, to_infix
    >>> to_infix(bind_numbers(read_equation("N_0+N_1-N_1", Tree), [12, 20, 20]))
    'N_0+N_1-N_2'
    """
    return _replace_placeholders(equation, _choose_binding(list_placeholders(equation), numbers))


def _choose_binding(uses: Sequence[int], numbers: Sequence[Hashable]) -> list[int]:
    result = [*uses]
    for positions, group in _group_uses(uses, numbers):
        if len({uses[position] for position in positions}) < min(len(positions), len(group)):
            for count, position in enumerate(positions):
                result[position] = group[min(count, len(group) - 1)]
    return result


def list_bindings(equation: Tree, numbers: Sequence[Hashable]) -> list[Tree]:
    """Return the equation, and what it is when equal numbers are bound otherwise without using fewer of them.

    >>> from engines.mwp.problems.problem import read_equation, to_infix
    >>> [to_infix(one) for one in list_bindings(read_equation("N_0+N_1-N_2", Tree), [12, 20, 20])]
    ['N_0+N_1-N_2', 'N_0+N_2-N_1']
    """
    uses = list_placeholders(equation)
    groups = _group_uses(uses, numbers)
    result = {equation: None}
    choices = product(*(_assign_group(len(positions), group) for positions, group in groups))
    for choice in islice(choices, _MOST) if groups else ():
        binding = [*uses]
        for (positions, _), assigned in zip(groups, choice, strict=True):
            for position, index in zip(positions, assigned, strict=True):
                binding[position] = index
        result[_replace_placeholders(equation, binding)] = None
    return list(result)


def _assign_group(uses: int, group: Sequence[int]) -> Iterator[tuple[int, ...]]:
    if uses <= len(group):
        return permutations(group, uses)
    return (one for one in product(group, repeat=uses) if len({*one}) == len(group))


def _group_uses(uses: Sequence[int], numbers: Sequence[Hashable]) -> list[tuple[list[int], list[int]]]:
    """Return, for each number that the text has several times and the equation uses, the positions of its
    uses and its indices in the text.
    """
    count = Counter(numbers)
    groups: dict[Hashable, list[int]] = {}
    for position, index in enumerate(uses):
        if index < len(numbers) and count[numbers[index]] > 1:
            groups.setdefault(numbers[index], []).append(position)
    return [
        (positions, [index for index, number in enumerate(numbers) if number == key])
        for key, positions in groups.items()
    ]


def _replace_placeholders(equation: Tree, binding: Sequence[int]) -> Tree:
    """Return the equation with its placeholders, in prefix order, replaced by those of a list."""
    following = iter(binding)

    def replace(node: Tree) -> Tree:
        if node.label.startswith("N_"):
            return Tree(f"N_{next(following)}")
        return Tree(node.label, tuple(replace(child) for child in node.children))

    return replace(equation)
