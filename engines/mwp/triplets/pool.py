"""The pool that positives and negatives are taken from: the training problems, and what was made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import EngineError
from engines.core.spec import known, refused
from engines.core.tree import Tree
from engines.core.tree_edit import Nearest
from engines.mwp.evaluations.scores import signature
from engines.mwp.problems.numbers import Language
from engines.mwp.problems.problem import Problem

Part = Literal["train", "qr", "roda"]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Example:
    """A problem of the pool. Args: part: where it comes from. of: the problem that it was made of, "" for one
    that was there."""

    problem: Problem
    part: Part = "train"
    of: str = ""


class Pool:
    """Examples in the order of their ids, grouped by language and normalised equation.

    `examples[i]`; `equations[e]` are the trees, distinct within a language, and `equation[i]` says which one
    an example has; `members[e]` are its examples in the order of their ids, so that the first of equals has
    the least id.
    """

    def __init__(self, examples: Iterable[Example], parts: Sequence[Part] = ("train",)) -> None:
        self.parts = tuple(parts)
        self.examples = sorted(examples, key=lambda example: example.problem.id)
        self.place = {example.problem.id: place for place, example in enumerate(self.examples)}
        numbers: dict[tuple[Language, Tree], int] = {}
        told = ((example.problem.language, example.problem.normal) for example in self.examples)
        self.equation = np.array(
            [numbers.setdefault((name, tree), len(numbers)) for name, tree in told if tree is not None],
            np.int64,
        )
        self.equations = [tree for _, tree in numbers]
        self._chinese = np.array([language == "zh" for language, _ in numbers], np.bool_)
        order = np.argsort(self.equation, kind="stable")
        self.members: list[Places] = np.split(order, np.cumsum(np.bincount(self.equation))[:-1])

    @cached_property
    def nearest(self) -> Nearest:
        """Its equations by similarity (the paper, section 3): 1 - tree edit distance / (nodes of both)."""
        return Nearest(self.equations)

    @cached_property
    def _functions(self) -> NDArray[np.int64]:
        """Equal numbers for equations that are equal as functions of the numbers of a problem."""
        known: dict[Any, int] = {}
        return np.array([known.setdefault(signature(tree), len(known)) for tree in self.equations], np.int64)

    def equal(self, equation: int) -> Places:
        """The other equations of its language that are equal to one as functions, as N_0-(N_1+N_2) is to
        N_0-N_1-N_2."""
        same = (self._functions == self._functions[equation]) & ~self.foreign(equation)
        same[equation] = False
        return np.flatnonzero(same)

    def foreign(self, equation: int) -> NDArray[np.bool_]:
        """(equations,) which are of another language."""
        return np.asarray(self._chinese != self._chinese[equation])

    def other(self, equation: int) -> NDArray[np.bool_]:
        """(equations,) which a negative may have: others of the language that are not equal as functions."""
        return np.asarray((self._functions != self._functions[equation]) & ~self.foreign(equation))

    @property
    def problems(self) -> list[Problem]:
        return [example.problem for example in self.examples]

    def counts(self) -> dict[str, int]:
        """How many examples of each part."""
        return dict(Counter(example.part for example in self.examples))


def parts_of(text: str) -> tuple[Part, ...]:
    """The parts of a pool, `train,qr,roda`. Raises: EngineError E424 for another, or a pool without train."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in get_args(Part):
            raise refused(f"{name!r} is not part of a pool", "E424", known(name, get_args(Part)))
    if "train" not in names:
        raise refused(
            f"the pool {text!r} lacks train",
            "E424",
            "Equations are compared within the data: write train,qr",
        )
    return tuple(part for part in get_args(Part) if part in names)


def pool_of(problems: Sequence[Problem], parts: Sequence[Part], *, coherent: bool = False) -> Pool:
    """The pool of problems with an equation, and of what is made of them.

    Args: coherent: without variants that have a doubt about their text.
    Raises: EngineError E681 where fewer than two equations are there.
    """
    from engines.mwp.augmentation.augment import variants

    examples = [Example(problem) for problem in problems if problem.equation is not None]
    for part in parts:
        if part != "train":
            examples += (
                Example(variant.problem, part, variant.of)
                for variant in variants(problems, (part,)).made
                if not (coherent and variant.doubts)
            )
    pool = Pool(examples, parts)
    different = max((int(pool.other(one).sum()) + 1 for one in range(len(pool.equations))), default=0)
    if different < 2:
        raise EngineError(
            f"the problems have {different} different equations per language, and triplets need two",
            code="E681",
            remedy="Name more problems.",
        )
    return pool
