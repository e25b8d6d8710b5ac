"""Drawing of problems: texts with their numbers and differing words marked, equations as trees."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from textual.content import Content

from engines.core.tree import Tree, outline, parse_prefix
from screens.shell.theme import safe_text

Problem = Mapping[str, Any]
"""A problem as `mwp.explain` gives it."""

_OPERATORS = "+-*/^"
_PART = re.compile(r"(N_\d+)|([^\W\d_]+(?:'[^\W\d_]+)?)|(\d+(?:\.\d+)?)|(.)", re.DOTALL)
_PLACE = re.compile(r"N_(\d+)")
NUMBER, OTHER = "$accent bold", "$warning underline"


def _parts(text: str, language: str) -> list[str]:
    """Placeholders, words, signs; in Chinese every character is one."""
    if language == "zh":
        return re.findall(r"N_\d+|[A-Za-z]+|.", text, re.DOTALL)
    return [found[0] for found in _PART.finditer(text)]


def _grams(parts: Sequence[str], language: str) -> set[tuple[str, ...]]:
    """Words, or in Chinese pairs of neighbours."""
    if language == "zh":
        return set(pairwise(parts))
    return {(part.casefold(),) for part in parts}


def marked(problem: Problem, other: Problem | None) -> Content:
    """A text with its own numbers in place of the placeholders, and the words marked that `other` lacks."""
    language = problem["language"]
    parts = _parts(problem["text"], language)
    known = _grams(_parts(other["text"], language), language) if other is not None else None
    shown: list[Content] = []
    for place, part in enumerate(parts):
        if found := _PLACE.fullmatch(part):
            shown.append(safe_text(f"⟨{_number(problem, int(found[1]))}⟩", NUMBER))
        elif known is not None and any(map(str.isalnum, part)) and not _has(known, parts, place, language):
            shown.append(safe_text(part, OTHER))
        else:
            shown.append(safe_text(part))
    return Content("").join(shown)


def _has(known: set[tuple[str, ...]], parts: Sequence[str], place: int, language: str) -> bool:
    if language != "zh":
        return (parts[place].casefold(),) in known
    return any(tuple(parts[at : at + 2]) in known for at in (place - 1, place) if at >= 0)


def plain_text(problem: Problem) -> str:
    return " ".join(_PLACE.sub(lambda found: _number(problem, int(found[1])), problem["text"]).split())


def _number(problem: Problem, place: int) -> str:
    numbers = problem["numbers"]
    return str(numbers[place]) if place < len(numbers) else f"N_{place}"


def tree_of(labels: Sequence[str]) -> Tree:
    return parse_prefix(labels, lambda label: 2 if label in _OPERATORS else 0)


def leaf(label: str, problem: Problem | None) -> str:
    """`N_0=7`; a constant as its value."""
    if found := _PLACE.fullmatch(label):
        return f"{label}={_number(problem, int(found[1]))}" if problem is not None else label
    return label.removeprefix("C_").replace("_", ".") if label.startswith("C_") else label


def tree_drawing(labels: Sequence[str], problem: Problem | None) -> list[str]:
    def children(node: Tree) -> Sequence[Tree]:
        return node.children if any(child.children for child in node.children) else ()

    def words(node: Tree) -> str:
        if children(node) or not node.children:
            return leaf(node.label, problem)
        return "  ".join([node.label, *(leaf(child.label, problem) for child in node.children)])

    return [lead + words(node) for lead, node in outline(tree_of(labels), children)]


def node_lines(tree: Tree) -> list[str]:
    return [lead + leaf(node.label, None) for lead, node in outline(tree, lambda node: node.children)]


def grown(tree: Tree, problem: Problem, steps: int | None = None) -> Content:
    """A tree as far as it has grown: the operations of the first so many steps stand there, the last one lit,
    and a dot for each of the others. None: all of it.

    Steps go from the operands upwards, left to right, equal ones once, as `mwp.solve` lists them.
    """
    reached: dict[Tree, int] = {}
    _reach(tree, reached)
    lines = []
    for lead, node in outline(tree, lambda node: node.children):
        step = reached.get(node, 0)
        if steps is not None and step > steps:
            lines.append(Content.assemble((lead, "$quiet"), ("·", "$quiet")))
        else:
            look = "$accent bold" if step and step == steps else ""
            lines.append(Content.assemble((lead, "$quiet"), safe_text(leaf(node.label, problem), look)))
    return Content("\n").join(lines)


def _reach(node: Tree, reached: dict[Tree, int]) -> None:
    for child in node.children:
        _reach(child, reached)
    if node.children:
        reached.setdefault(node, len(reached) + 1)


def aligned(edits: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Edits in the order of both trees: what is inserted stands where it comes."""
    inserted = {edit["right"]: edit for edit in edits if edit["kind"] == "insert"}
    found: list[Mapping[str, Any]] = []
    due = 0
    for edit in edits:
        if edit["kind"] == "insert":
            continue
        if edit["right"] is not None:
            found += [inserted.pop(place) for place in range(due, edit["right"]) if place in inserted]
            due = edit["right"] + 1
        found.append(edit)
    return [*found, *(inserted[place] for place in sorted(inserted))]
