"""Matrices, tuples, lists, sets and texts: worked out to their members, which are judged one by one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product, repeat
from typing import TYPE_CHECKING

from engines.core.tree import ONE, ZERO, Tree
from engines.mathematics.judging import numbers, point_sets
from engines.mathematics.judging.names import EMPTY, EQUAL, REALS, free_variables, undecided_verdict
from engines.mathematics.judging.numbers import separate_units
from engines.mathematics.judging.verdicts import Verdict

if TYPE_CHECKING:
    from engines.mathematics.judging.stated_assumptions import Known
    from engines.mathematics.judging.terms import TermJudge

_POINTS = ("interval", "union", "intersection", "without", "such")
_KINDS = ("set", "tuple", "list", "matrix", "text", *_POINTS)
_NAMES = {
    "interval": "an interval",
    **dict.fromkeys(("set", "union", "intersection", "without", "such"), "a set"),
}
_LARGEST = 5
"""Rows and columns of which a determinant is worked out."""
_MOST_POWER = 12
_MOST_MEMBERS = 60
_PUNCTUATION = re.compile(r"[^\w\s]+|_")


def shape_of(tree: Tree) -> str:
    """Return `scalar`, or what a term is made of: matrix, tuple, set, text, …."""
    if not tree.children:
        return "set" if tree.label in EMPTY else "scalar"
    return tree.label if tree.label in _KINDS else "scalar"


# ---- working out

MatrixRows = list[list[Tree]]


def evaluate_matrices(left: Tree, right: Tree) -> tuple[Tree, Tree]:
    """Return two sides of an equation with operations on matrices and vectors carried out.

    A product of two vectors is the one that makes both sides numbers, or both sides vectors: the scalar or
    the vector product.

    Raises:
        UnclearError: For what cannot be done, and where both products fit.
    """
    if _VECTORS.isdisjoint([*left.list_labels(), *right.list_labels()]):
        return left, right
    try:
        return _work_out(left), _work_out(right)
    except _TwoVectorsError as unclear:
        fitting = []
        for multiply in (_multiply_to_scalar, _multiply_to_vector):
            try:
                sides = _work_out(left, multiply), _work_out(right, multiply)
            except point_sets.UnclearError:
                continue
            if _is_vector(sides[0]) == _is_vector(sides[1]):
                fitting.append(sides)
        if len(fitting) != 1:
            raise unclear from None
        return fitting[0]


class _TwoVectorsError(point_sets.UnclearError):
    """A product of two vectors, of which there are two kinds."""


_VECTORS = {"matrix", "tuple"}


def _refuse_product(*_: Sequence[Tree]) -> Tree:
    raise _TwoVectorsError("the product of two vectors can be read in two ways")


def _multiply_to_scalar(left: Sequence[Tree], right: Sequence[Tree]) -> Tree:
    return _add_all([Tree("*", pair) for pair in zip(left, right, strict=True)])


def _multiply_to_vector(left: Sequence[Tree], right: Sequence[Tree]) -> Tree:
    if len(left) != 3:
        raise point_sets.UnclearError("only vectors of three entries have a vector product")
    return Tree(
        "tuple",
        tuple(
            Tree("-", (Tree("*", (left[i - 2], right[i - 1])), Tree("*", (left[i - 1], right[i - 2]))))
            for i in range(3)
        ),
    )


VectorProduct = Callable[[Sequence[Tree], Sequence[Tree]], Tree]


def _work_out(tree: Tree, multiply: VectorProduct = _refuse_product) -> Tree:
    if not tree.children or tree.label == "row":
        return tree
    if tree.label == "matrix":
        return _join_blocks(tree, multiply)
    parts = tuple(_work_out(part, multiply) for part in tree.children)
    label = tree.label
    if label in ("d", "limit", "integral") and _is_vector(parts[-1]):
        return _apply_to_entries(lambda entry: Tree(label, (*parts[:-1], entry)), parts[-1])
    if label not in _OPERATIONS or not any(map(_is_vector, parts)):
        return Tree(label, parts)
    if label == "*" and all(map(is_column, parts)):
        columns = [[row[0] for row in _matrix_rows(part)] for part in parts]
        if len(columns[0]) == len(columns[1]) > 1:
            return multiply(*columns)
    return _OPERATIONS[label](*parts)


def _join_blocks(tree: Tree, multiply: VectorProduct) -> Tree:
    """Return a matrix whose entries are all matrices as the one that they are the blocks of; another as it
    is."""
    blocks = [[_work_out(entry, multiply) for entry in row.children] for row in tree.children]
    if not all(entry.label == "matrix" for row in blocks for entry in row):
        return tree
    rows = [[_matrix_rows(entry) for entry in row] for row in blocks]
    if any(len({len(entry) for entry in row}) != 1 for row in rows):
        raise point_sets.UnclearError("the blocks of a matrix are not equally high")
    return _make_matrix(
        [[one for part in line for one in part] for row in rows for line in zip(*row, strict=True)]
    )


def is_column(tree: Tree) -> bool:
    """Return whether a term is a vector, or a matrix of one column."""
    return _is_vector(tree) and all(len(row) == 1 for row in _matrix_rows(tree))


def _matrix_rows(tree: Tree) -> MatrixRows:
    if tree.label == "tuple":
        return [[part] for part in tree.children]
    if tree.label != "matrix":
        raise point_sets.UnclearError("a number stands where a matrix is needed")
    rows = [list(row.children) for row in tree.children]
    if len({len(row) for row in rows}) != 1:
        raise point_sets.UnclearError("the rows of a matrix are not equally long")
    return rows


def _make_matrix(rows: Sequence[Sequence[Tree]]) -> Tree:
    return Tree("matrix", tuple(Tree("row", tuple(row)) for row in rows))


def _is_vector(tree: Tree) -> bool:
    return tree.label in _VECTORS and bool(tree.children)


def _apply_to_entries(change: Callable[[Tree], Tree], tree: Tree) -> Tree:
    if tree.label == "tuple":
        return Tree("tuple", tuple(map(change, tree.children)))
    return _make_matrix([[change(one) for one in row] for row in _matrix_rows(tree)])


def _sum_of_shapes(label: str) -> Callable[[Tree, Tree], Tree]:
    def add_shapes(left: Tree, right: Tree) -> Tree:
        first, second = _matrix_rows(left), _matrix_rows(right)
        if [len(row) for row in first] != [len(row) for row in second]:
            raise point_sets.UnclearError("matrices of different sizes are added")
        rows = [
            [Tree(label, pair) for pair in zip(*both, strict=True)]
            for both in zip(first, second, strict=True)
        ]
        if left.label == right.label == "tuple":
            return Tree("tuple", tuple(row[0] for row in rows))
        return _make_matrix(rows)

    return add_shapes


def _multiply_shapes(left: Tree, right: Tree) -> Tree:
    if not _is_vector(left):
        return _apply_to_entries(lambda entry: Tree("*", (left, entry)), right)
    if not _is_vector(right):
        return _apply_to_entries(lambda entry: Tree("*", (entry, right)), left)
    first, second = _matrix_rows(left), _matrix_rows(right)
    if len(first[0]) != len(second):
        raise point_sets.UnclearError("matrices are multiplied whose sizes do not fit")
    columns = list(zip(*second, strict=True))
    if len(first) == len(columns) == 1:
        return _multiply_to_scalar(first[0], columns[0])  # a row and a column give a number
    return _make_matrix(
        [
            [_add_all([Tree("*", pair) for pair in zip(row, column, strict=True)]) for column in columns]
            for row in first
        ]
    )


def _add_all(terms: Sequence[Tree]) -> Tree:
    return reduce(lambda left, right: Tree("+", (left, right)), terms)


def _divide_shape(left: Tree, right: Tree) -> Tree:
    if _is_vector(right):
        raise point_sets.UnclearError("a matrix is no divisor")
    return _apply_to_entries(lambda entry: Tree("/", (entry, right)), left)


def _matrix_power(one: Tree, exponent: Tree) -> Tree:
    n = numbers.exact_value(exponent) if not _is_vector(exponent) else None
    if n is None or n != int(n) or not -1 <= n <= _MOST_POWER:
        raise point_sets.UnclearError("only small integer powers of matrices are worked out")
    if n == -1:
        return _invert_matrix(one)
    rows = _square_rows(one)
    unit = [[ONE if i == j else ZERO for j in range(len(rows))] for i in range(len(rows))]
    return reduce(_multiply_shapes, [_make_matrix(rows)] * int(n)) if n else _make_matrix(unit)


def _square_rows(tree: Tree) -> MatrixRows:
    rows = _matrix_rows(tree)
    if len(rows) != len(rows[0]):
        raise point_sets.UnclearError("the matrix is not square")
    if len(rows) > _LARGEST:
        raise point_sets.UnclearError(f"matrices of more than {_LARGEST} rows are not worked out")
    return rows


def _compute_determinant(rows: MatrixRows) -> Tree:
    if len(rows) == 1:
        return rows[0][0]
    total: Tree | None = None
    for index, entry in enumerate(rows[0]):
        term = Tree("*", (entry, _compute_determinant(_remove_row_and_column(rows, 0, index))))
        total = term if total is None else Tree("-" if index % 2 else "+", (total, term))
    assert total is not None
    return total


def _remove_row_and_column(rows: MatrixRows, i: int, j: int) -> MatrixRows:
    return [[*row[:j], *row[j + 1 :]] for k, row in enumerate(rows) if k != i]


def _invert_matrix(tree: Tree) -> Tree:
    rows = _square_rows(tree)
    below = _compute_determinant(rows)
    if len(rows) == 1:
        return _make_matrix([[Tree("/", (ONE, below))]])
    # Cramer's rule: the inverse is the transposed matrix of the cofactors over the determinant.
    return _make_matrix(
        [
            [
                Tree(
                    "/",
                    (
                        Tree(
                            "*",
                            (
                                Tree(str((-1) ** (i + j))),
                                _compute_determinant(_remove_row_and_column(rows, j, i)),
                            ),
                        ),
                        below,
                    ),
                )
                for j in range(len(rows))
            ]
            for i in range(len(rows))
        ]
    )


_OPERATIONS: dict[str, Callable[..., Tree]] = {
    "+": _sum_of_shapes("+"),
    "-": _sum_of_shapes("-"),
    "*": _multiply_shapes,
    "/": _divide_shape,
    "pow": _matrix_power,
    "det": lambda one: _compute_determinant(_square_rows(one)),
    "abs": lambda one: (
        _compute_determinant(_square_rows(one))
        if one.label == "matrix"
        else Tree("sqrt", (_add_all([Tree("pow", (part, Tree("2"))) for part in one.children]),))
    ),
    "tr": lambda one: _add_all([row[index] for index, row in enumerate(_square_rows(one))]),
    "transpose": lambda one: _make_matrix(list(map(list, zip(*_matrix_rows(one), strict=True)))),
    "inverse": _invert_matrix,
}


def of_signs(tree: Tree, *, together: bool) -> Tree:
    """Return the set of what a term is for each choice of signs ±; a set or list gives its members.

    Args:
        together: All signs are the same.
    """
    count = sum(node.label == "pm" for node in tree)
    if count > 6 and not together:
        raise point_sets.UnclearError("there are too many signs ±")
    results: list[Tree] = []
    for choice in [repeat("+"), repeat("-")] if together else map(iter, product("+-", repeat=count)):
        one = choose_signs(tree, choice)
        results += one.children if one.label in ("set", "list") else (one,)
    return Tree("set", tuple(dict.fromkeys(results)))


def choose_signs(tree: Tree, signs: Iterator[str]) -> Tree:
    """Return a term with the next of the signs in the place of each ±."""
    sign = next(signs) if tree.label == "pm" else ""
    parts = tuple(choose_signs(child, signs) for child in tree.children)
    if len(parts) == 2 or not sign:
        return Tree(sign or tree.label, parts)
    return parts[0] if sign == "+" else Tree("*", (Tree("-1"), parts[0]))


# ---- judging


def judge_shapes(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict:
    """Judge whether two terms are equal of which at least one is no scalar."""
    kinds = shape_of(left), shape_of(right)
    if "text" in kinds:
        return _judge_texts(left, right)
    if "scalar" in kinds and not any(side.label in REALS and not side.children for side in (left, right)):
        return _with_scalar(judge, left, right, assume)
    if "matrix" in kinds:
        return _judge_matrices(judge, left, right, assume)
    of_pairs = any(
        side.label == "such" and "tuple" in side.children[0].list_labels() for side in (left, right)
    )
    if "tuple" in kinds and any(one in _POINTS[1:] for one in kinds) and not of_pairs:
        # beside a set of numbers a pair is an open interval
        left, right = (
            Tree("interval", (Tree("oo"), *side.children))
            if side.label == "tuple" and len(side.children) == 2
            else side
            for side in (left, right)
        )
        kinds = shape_of(left), shape_of(right)
    if "interval" in kinds and ("tuple" in kinds or kinds == ("interval", "interval")):
        # an open interval is written as a pair is
        pairs = [side.children[1:] if side.label == "interval" else side.children for side in (left, right)]
        open_ = all(side.label != "interval" or side.children[0].label == "oo" for side in (left, right))
        if left.label == right.label == "interval":
            open_ = left.children[0] == right.children[0] and bool(free_variables(left, right))
        if open_:
            return judge_members(judge, pairs[0], pairs[1], assume)
    if all(one in ("tuple", "list") for one in kinds):
        result = judge_members(judge, left.children, right.children, assume)
        # Lists in different orders may still be the same, as those of the solutions of an equation are.
        if result.outcome == "equal" or kinds != ("list", "list"):
            return result
        return _judge_sets(judge, left, right, assume)
    if all(one in ("set", "list") for one in kinds):
        return _judge_sets(judge, left, right, assume)
    if "tuple" in kinds:
        return Verdict("different", witness=f"{_name_of(left)} and {_name_of(right)}")
    # Only intervals and sets of numbers are left: compare them as sets of points on the line.
    try:
        difference = point_sets.of_term(left).find_difference(point_sets.of_term(right))
    except point_sets.UnclearError as error:
        return undecided_verdict(error.what)
    if difference is None:
        return EQUAL
    return Verdict("different", witness=f"{difference.text} belongs to one of them only")


def _name_of(tree: Tree) -> str:
    label = shape_of(tree)
    if label == "scalar":
        return "a number"
    if label in ("tuple", "list"):
        return f"a {label} of {len(tree.children)}"
    return _NAMES.get(label, f"a {label}")


def _judge_texts(left: Tree, right: Tree) -> Verdict:
    results = [list_words(side) for side in (left, right)]
    if results[0] is None or results[1] is None:
        return undecided_verdict("one of them is a text")
    if results[0] == results[1]:
        return EQUAL
    if {*results[0]} <= {*results[1]} or {*results[1]} <= {*results[0]}:
        return undecided_verdict("one text is a part of the other")
    return Verdict("different", witness=f"{' '.join(results[0])!r} and {' '.join(results[1])!r}")


def list_words(tree: Tree) -> list[str] | None:
    """Return the words of a text, without case and punctuation; a letter or name is a word too."""
    if tree.label == "*":
        # a name in italics reads as a product of its letters
        sides = [list_words(part) for part in tree.children]
        return None if sides[0] is None or sides[1] is None else ["".join([*sides[0], *sides[1]])]
    if tree.children and tree.label != "text":
        return None
    label = tree.children[0].label if tree.children else tree.label
    return _PUNCTUATION.sub(" ", label).casefold().split()


def _with_scalar(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict:
    shape, scalar = (right, left) if shape_of(left) == "scalar" else (left, right)
    if shape.label in ("set", "list") and len(shape.children) == 1:
        return judge.compare_terms(shape.children[0], scalar, assume)
    if numbers.is_number(scalar) or (free_variables(scalar) and scalar.children):
        if shape.label == "matrix" and len(shape.children) == len(shape.children[0].children) == 1:
            return undecided_verdict("one of them is a matrix")
        return Verdict("different", witness=f"{_name_of(left)} and {_name_of(right)}")
    return undecided_verdict(f"one of them is {_name_of(shape)}")


def _judge_matrices(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict:
    if any(shape_of(side) not in ("matrix", "tuple", "list") for side in (left, right)):
        return Verdict("different", witness=f"{_name_of(left)} and {_name_of(right)}")
    sides = [
        _matrix_rows(Tree("tuple", side.children) if side.label == "list" else side) for side in (left, right)
    ]
    first, second = sides
    if {left.label, right.label} != {"matrix"} and 1 in (len(first), len(second)):
        # a tuple is a row or a column
        first, second = ([[one for row in rows for one in row]] for rows in sides)
    if [len(row) for row in first] != [len(row) for row in second]:
        sizes = [f"{len(rows)} by {len(rows[0])}" for rows in (first, second)]
        return Verdict("different", witness=f"{sizes[0]} and {sizes[1]}")
    flat = [[one for row in rows for one in row] for rows in (first, second)]
    return judge_members(judge, flat[0], flat[1], assume)


def judge_members(
    judge: TermJudge, left: Sequence[Tree], right: Sequence[Tree], assume: Sequence[Tree]
) -> Verdict:
    """Judge members that stand at the same places."""
    if len(left) != len(right):
        return Verdict("different", witness=f"{len(left)} and {len(right)} members")
    conditions: list[str] = []
    notes: list[str] = []
    doubtful: Verdict | None = None
    witness = ""
    for first, second in zip(left, right, strict=True):
        result = judge.compare_terms(first, second, assume)
        # One pair that differs decides; one that is undecided matters only if no pair differs.
        if result.outcome == "different":
            return result
        if result.outcome == "undecided":
            doubtful = doubtful or result
        if result.condition:
            conditions.append(result.condition)
            witness = witness or result.witness
        if result.reason:
            notes.append(result.reason)
    if doubtful is not None:
        return doubtful
    reason = "; ".join(dict.fromkeys(notes))
    if conditions:
        return Verdict("equal if", " and ".join(dict.fromkeys(conditions)), witness, reason)
    return Verdict("equal", reason=reason)


def _judge_sets(judge: TermJudge, left: Tree, right: Tree, assume: Sequence[Tree]) -> Verdict:
    """Judge sets by their members: each has to be equal to one of the other set."""
    if max(len(left.children), len(right.children)) > _MOST_MEMBERS:
        return undecided_verdict(f"there are more than {_MOST_MEMBERS} members")
    reasons: list[str] = []
    notes: list[str] = []
    single = len(left.children) == len(right.children) == 1
    # Of sets whose members all have variables nothing more is learnt behind one that may be in one only.
    decided = not single and all(map(free_variables, (*left.children, *right.children)))
    # Both directions: each member of either set needs an equal one in the other.
    for own, others in ((left.children, right.children), (right.children, left.children)):
        for index, member in enumerate(own):
            apart = []
            # The one at its place is most often equal, and what is equal is found sooner than what is not.
            for candidate in (*others[index : index + 1], *others[:index], *others[index + 1 :]):
                result = judge.compare_terms(member, candidate, assume)
                if result.outcome == "equal":
                    notes += filter(None, [result.reason])
                    break
                apart.append(result)
            else:
                # With variables, a member may equal one of the others for some of their values.
                if all(one.outcome == "different" for one in apart) and not free_variables(member, *others):
                    return Verdict("different", witness=f"{_to_text(member)} belongs to one of them only")
                reasons.append(f"{_to_text(member)} may belong to one of them only")
                if decided:
                    return undecided_verdict(reasons[0])
    if reasons:
        # Two sets of one member are equal under the same conditions as their members.
        if single:
            return judge.compare_terms(left.children[0], right.children[0], assume)
        return undecided_verdict(reasons[0])
    return Verdict("equal", reason="; ".join(dict.fromkeys(notes)))


def _to_text(tree: Tree) -> str:
    from engines.mathematics.judging.stated_assumptions import describe_statement

    return numbers.format_number(tree) if numbers.is_number(tree) else describe_statement(tree)


def with_units(judge: TermJudge, left: Tree, right: Tree, known: Known) -> Verdict:
    """Judge quantities: the same dimensions, and numbers equal in the same units."""
    first, second = separate_units(left), separate_units(right)
    if first is None or second is None:
        return undecided_verdict("units that are no factors are not judged")
    # A number without a unit may have lost it, so it is neither equal nor different.
    if bool(first.units) != bool(second.units):
        return undecided_verdict("only one of them has a unit")
    if first.units != second.units:
        return Verdict("different", witness=f"{first.shown} and {second.shown}")
    verdict = judge.judge_scalars(first.number, second.number, known)
    if verdict.witness and first.units:
        return replace(verdict, witness=f"{verdict.witness} in {first.shown}")
    return verdict
