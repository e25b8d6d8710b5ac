"""How a problem is read: its tokens and its numbers; and what its equation may be made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from engines.core.tree import Tree
from engines.mwp.problems.problem import (
    EquationError,
    Problem,
    ProblemValue,
    evaluate,
    list_placeholders,
    normalise_equation,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


LARGEST = 1e12
"""No quantity of a problem is larger."""
_LEAVES = (Tree("N_0"), Tree("N_1"))


@dataclass(frozen=True, slots=True)
class LegalSteps:
    """What an equation may do: use a number of the text more than once, or have a step below zero."""

    single_use: bool = False
    non_negative: bool = False


@dataclass(frozen=True, slots=True)
class ScoredEquation:
    """An equation and the logarithm of its probability."""

    equation: Tree
    score: float


def insert_equation(equations: list[ScoredEquation], new: ScoredEquation, most: int) -> None:
    """Put an equation in its place among the best; of the same one, up to the order of operands, the likelier
    stays."""
    same = normalise_equation(new.equation)
    known = next((one for one in equations if normalise_equation(one.equation) == same), None)
    if known is not None:
        if known.score >= new.score:
            return
        equations.remove(known)
    equations.append(new)
    equations.sort(key=lambda one: -one.score)
    del equations[most:]


def put_complete_first(equations: Sequence[ScoredEquation], problem: Problem) -> list[ScoredEquation]:
    """Return equations with those first that use every number of the problem, otherwise in their order."""
    return sorted(equations, key=lambda one: len(set(list_placeholders(one.equation))) < len(problem.numbers))


def compute_step(
    operator: str, left: ProblemValue, right: ProblemValue, legal: LegalSteps
) -> ProblemValue | None:
    """Return the value of a step, or None where the step is illegal, as a division by zero is.

    >>> compute_step("-", 2.0, 3.0, LegalSteps()), compute_step("-", 2.0, 3.0, LegalSteps(non_negative=True))
    (-1.0, None)
    """
    try:
        value = evaluate(Tree(operator, _LEAVES), (left, right))
    except EquationError:
        return None
    size = float(value)
    # `not` with `<=` refuses NaN as well, with which every comparison is false.
    if not abs(size) <= LARGEST or (legal.non_negative and size < 0):
        return None
    return value


# Operators and constants are taken from the training problems alone.

COMMUTATIVE = ("+", "*")

OFTEN = 5
"""A constant that is rarer is not learned, as in GTS."""

DeductionStep = tuple[int, int, int]
"""Operator, and the places of its operands: constants, then the numbers of the text, then -1 for the result
of the first step, -2 for that of the second."""


def number_of(label: str) -> int | None:
    """Return which number of the text a label means; None for a constant or an operator."""
    return int(label[2:]) if label.startswith("N_") else None


@dataclass(frozen=True, slots=True)
class EquationWords:
    """The operators and constants that equations may use."""

    operators: tuple[str, ...]
    constants: tuple[str, ...]

    @classmethod
    def from_equations(cls, equations: Iterable[Tree]) -> EquationWords:
        """Return the operators of equations, and the constants that occur `OFTEN` times or more, sorted."""
        operators, constants = set(), Counter[str]()
        for equation in equations:
            for node in equation:
                if node.children:
                    operators.add(node.label)
                elif number_of(node.label) is None:
                    constants[node.label] += 1
        often = sorted(label for label, count in constants.items() if count >= OFTEN)
        return cls(tuple(sorted(operators)), tuple(often))

    def operand_index(self, label: str) -> int:
        """Return the index of an operand: constants come first, then numbers.

        Raises:
            KeyError: For an unknown constant.
        """
        number = number_of(label)
        if number is not None:
            return len(self.constants) + number
        if label not in self.constants:
            raise KeyError(label)
        return self.constants.index(label)

    def operand_label(self, index: int) -> str:
        """Return the label of the operand at an index: a constant or a placeholder."""
        known = len(self.constants)
        return self.constants[index] if index < known else f"N_{index - known}"


def to_steps(equation: Tree, words: EquationWords) -> list[DeductionStep]:
    """Return an equation as steps, operands first; equal parts are computed once, operands of + and * are
    sorted.

    Raises:
        KeyError: For an operator or constant that is not among the words.
    """
    steps: list[DeductionStep] = []
    done: dict[DeductionStep, int] = {}

    def visit_node(node: Tree) -> int:
        if not node.children:
            return words.operand_index(node.label)
        if node.label not in words.operators:
            raise KeyError(node.label)
        left, right = (visit_node(child) for child in node.children)
        if node.label in COMMUTATIVE and _operand_order(right) < _operand_order(left):
            left, right = right, left
        step = (words.operators.index(node.label), left, right)
        if step not in done:
            steps.append(step)
            # Results count from -1 downwards, apart from the indices of operands.
            done[step] = -len(steps)
        return done[step]

    visit_node(equation)
    return steps


def _operand_order(index: int) -> tuple[bool, int]:
    """Results stand behind constants and numbers, the earlier first."""
    return index < 0, abs(index)


def to_node_table(equation: Tree, words: EquationWords) -> NDArray[np.int64]:
    """Return an equation as a table of its nodes in prefix order, shape `(nodes, 5)`.

    The columns are the token (operators, then constants, then numbers), the position of the parent, the
    position of the first operand for a second operand (otherwise -1), the height above the leaves, and the
    depth below the root.

    Raises:
        KeyError: For an operator or constant that is not among the words.
    """
    import numpy as np

    rows: list[list[int]] = []

    def visit_node(node: Tree, parent: int, left: int, depth: int) -> int:
        here = len(rows)
        # Token and height follow below: the row has to stand before those of the operands.
        rows.append([0, parent, left, 0, depth])
        if not node.children:
            rows[here][0] = len(words.operators) + words.operand_index(node.label)
            return 0
        if node.label not in words.operators:
            raise KeyError(node.label)
        rows[here][0] = words.operators.index(node.label)
        first = visit_node(node.children[0], here, -1, depth + 1)
        # In prefix order the first operand is right behind its operator.
        second = visit_node(node.children[1], here, here + 1, depth + 1)
        rows[here][3] = 1 + max(first, second)
        return rows[here][3]

    visit_node(equation, -1, -1, 0)
    return np.array(rows, np.int64)


def pad_tables(tables: Sequence[NDArray[np.int64]], fill: int = -1) -> NDArray[np.int64]:
    """Return tables of different lengths as one array, shape `(tables, longest, …)`, padded with `fill`."""
    import numpy as np

    longest = max(len(table) for table in tables)
    result = np.full((len(tables), longest, *tables[0].shape[1:]), fill, np.int64)
    for row, table in zip(result, tables, strict=True):
        row[: len(table)] = table
    return result


PLACEHOLDERS = 32
"""Numbers of a problem that can be told apart where they are read as placeholders."""
_PLACE = re.compile(r"N_(\d+)(?!\d)")
_WORD = re.compile(r"[㐀-鿿]|[^\W\d_㐀-鿿]+|\d|[^\w\s]|_")
_SPECIAL = ("<pad>", "<unknown>", "<problem>")


@dataclass(frozen=True, slots=True)
class ReadProblem:
    """A problem as numbers: tokens, and where among them the mark of each number is."""

    ids: tuple[int, ...]
    marks: tuple[int, ...]


def split_at_placeholders(text: str) -> list[str | int]:
    """Return the text between placeholders, and the placeholders' numbers, in order.

    >>> split_at_placeholders("Tom has N_0 pens")
    ['Tom has ', 0, ' pens']
    """
    result = _PLACE.split(text)
    return [int(part) if index % 2 else part for index, part in enumerate(result)]


def words_of(text: str) -> list[str]:
    """Return the words of a text: Chinese characters and digits one by one, other words in lower case.

    >>> words_of("小明有12个 Apples.")
    ['小', '明', '有', '1', '2', '个', 'apples', '.']
    """
    return [word.lower() for word in _WORD.findall(text)]


class ProblemReader:
    """Reads problems: `len` counts its tokens, `marks` the marks of numbers, whose ids follow those of the
    tokens."""

    _before: tuple[int, ...] = ()
    _after: tuple[int, ...] = ()
    """What stands before and after every text."""

    def __init__(self, numbers: Literal["digits", "placeholders"], max_length: int) -> None:
        self._max_length = max_length
        self.marks = 1 if numbers == "digits" else PLACEHOLDERS

    def __len__(self) -> int:
        raise NotImplementedError

    def _tokenize(self, text: str) -> list[int]:
        raise NotImplementedError

    def read_problem(self, problem: Problem) -> ReadProblem | str:
        """Return a problem as numbers, or why it cannot be read."""
        count = len(problem.numbers)
        if not count:
            return "it has no number"
        if self.marks > 1 and count > self.marks:
            return f"it has {count} numbers, and only {self.marks} can be distinguished"
        ids: list[int] = []
        marks: dict[int, int] = {}
        for part in split_at_placeholders(problem.text):
            if isinstance(part, str):
                ids += self._tokenize(part)
                continue
            if part >= count:
                return f"the text has N_{part}, and there are {count} numbers"
            # One mark for all numbers does not tell them apart, so their digits stand before it.
            if self.marks == 1:
                ids += self._tokenize(problem.numbers[part])
            # A number that occurs twice is read at its first mark.
            marks.setdefault(part, len(self._before) + len(ids))
            ids.append(len(self) + (part if self.marks > 1 else 0))
        if len(marks) < count:
            lost = next(number for number in range(count) if number not in marks)
            return f"N_{lost} is not in the text"
        whole = [*self._before, *ids, *self._after]
        if len(whole) > self._max_length:
            return f"it has {len(whole)} tokens, and {self._max_length} are read"
        return ReadProblem(tuple(whole), tuple(marks[number] for number in range(count)))


class TokenReader(ProblemReader):
    """Reads with the tokenizer of a pretrained model."""

    def __init__(
        self, tokenizer: Any, numbers: Literal["digits", "placeholders"], max_length: int, size: int
    ) -> None:
        """Args: size: rows of the model's table of tokens."""
        super().__init__(numbers, max_length)
        self.tokenizer, self._size = tokenizer, size
        self._known: dict[str, list[int]] = {}
        # What the tokenizer puts around a text is found by comparing a text with and without it.
        framed, bare = tokenizer("1")["input_ids"], self._tokenize("1")
        begin = framed.index(bare[0])
        self._before, self._after = tuple(framed[:begin]), tuple(framed[begin + len(bare) :])

    def __len__(self) -> int:
        return self._size

    def _tokenize(self, text: str) -> list[int]:
        if text not in self._known:
            self._known[text] = list(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        return self._known[text]


class WordReader(ProblemReader):
    """Reads characters (Chinese) and words with a vocabulary of the training problems."""

    def __init__(
        self, vocabulary: Sequence[str], numbers: Literal["digits", "placeholders"], max_length: int
    ) -> None:
        super().__init__(numbers, max_length)
        self.vocabulary, self._before = tuple(vocabulary), (_SPECIAL.index("<problem>"),)
        self._ids = {word: number for number, word in enumerate(self.vocabulary)}

    @staticmethod
    def learn_vocabulary(problems: Iterable[Problem], rare: int) -> tuple[str, ...]:
        """Return the special tokens, digits and signs, then the words that occur `rare` times or more,
        sorted.
        """
        counts: Counter[str] = Counter()
        for problem in problems:
            for part in split_at_placeholders(problem.text):
                if isinstance(part, str):
                    counts.update(words_of(part))
        signs = [*"0123456789", *"./%()"]
        often = sorted(word for word, count in counts.items() if count >= rare and word not in signs)
        return (*_SPECIAL, *signs, *often)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def _tokenize(self, text: str) -> list[int]:
        return [self._ids.get(word, _SPECIAL.index("<unknown>")) for word in words_of(text)]
