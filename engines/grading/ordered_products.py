r"""Products whose order counts: of vectors, sets, matrices, elements of groups and quaternions.

The judge takes letters for numbers. What it finds equal is compared here by the values of vector products,
and by the words of letters that the products of matrices expand to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from engines.core.tree import Tree
from engines.formula.cursor import is_arrowed
from engines.formula.meaning import Names, read
from engines.grading.answer_vocabulary import make_phrases
from engines.grading.numbers import plain_number
from engines.grading.tokens import AnswerToken, is_blank, tokenize
from engines.grading.verdicts import EQUAL, GradeVerdict, differ_by

_VECTOR_COMMANDS = ("\\mathbf", "\\boldsymbol", "\\bm")
_READING = Names(is_answer=True, reads_unknown_signs=True)

Coordinates = tuple[float, float, float]
OrderedSum = dict[tuple[tuple[str, ...], tuple[tuple[str, int], ...]], Fraction]
"""A sum of products: for each, its letters that commute and its word of those that do not, the factor."""


def compare_vector_products(gold: str, pred: str) -> GradeVerdict | None:
    r"""Compare two answers of vectors of which one has a vector product; None for other answers.

    >>> compare_vector_products(r"\vec a \times \vec b", r"-\vec b \times \vec a").outcome
    'equal'
    >>> compare_vector_products(r"\vec a \times \vec b", r"\vec b \times \vec a").outcome
    'different'
    """
    if not any("\\times" in text or "×" in text for text in (gold, pred)):
        return None
    trees = [read(_write_arrows(text), _READING).tree for text in (gold, pred)]
    if trees[0] is None or trees[1] is None or not all(any(map(is_arrowed, tree)) for tree in trees if tree):
        return None
    sides = [tree.children[1] if tree.label == "=" else tree for tree in trees if tree is not None]
    if not any(node.label == "×" for side in sides for node in side):
        return None
    if sides[0] == sides[1]:
        return EQUAL
    names = sorted({label for side in sides for label in side.list_labels()})
    for shift in range(_TRIALS):
        try:
            values = [_evaluate_vectors(side, names, shift) for side in sides]
        except (_UnclearProductError, ArithmeticError, ValueError):
            return GradeVerdict("undecided", reason="the order of a vector product counts")
        if not _are_near(*values):
            return differ_by("the order of a vector product counts")
    return EQUAL


_TRIALS = 3


class _UnclearProductError(Exception):
    """What is no sum or product of vectors and numbers."""


def _write_arrows(text: str) -> str:
    """Return a text with arrows over its bold letters, and over unit vectors with hats."""
    tokens = tokenize(text.strip(" $."))
    words = [token.text for token in tokens if not is_blank(token) and token.text not in tuple("{}")]
    hats = any(
        [one, sign, other] == ["\\hat", "\\times", "\\hat"] and letter in _UNIT_VECTORS
        for one, letter, sign, other in zip(words, words[1:], words[2:], words[3:], strict=False)
    )
    arrows = (*_VECTOR_COMMANDS, "\\hat") if hats else _VECTOR_COMMANDS
    return "".join("\\vec" if token.text in arrows else token.text for token in tokens)


_UNIT_VECTORS = tuple("ijknruve")


def _are_near(one: float | Coordinates, other: float | Coordinates) -> bool:
    if isinstance(one, tuple) != isinstance(other, tuple):
        return False
    mine, theirs = (side if isinstance(side, tuple) else (side,) for side in (one, other))
    return all(math.isclose(*pair, rel_tol=1e-9, abs_tol=1e-9) for pair in zip(mine, theirs, strict=True))


def _evaluate_vectors(tree: Tree, names: Sequence[str], shift: int) -> float | Coordinates:
    """Return the value of a term in which each letter has a value of its own, those with arrows a vector."""
    label, parts = tree.label, tree.children
    if not parts:
        if (number := plain_number(label)) is not None and number.value is not None:
            return float(number.value)
        at = names.index(label) + 1
        if is_arrowed(tree):
            return (math.sin(at * 5 + shift), math.sin(at * at + 2 * shift + 1), math.cos(at * 3 - shift))
        if label == "pi":
            return math.pi
        return 1.5 + math.sin(at * 7 + shift)
    if label == "call" and parts[0].label not in ("×", "norm"):
        raise _UnclearProductError
    values = [_evaluate_vectors(part, names, shift) for part in parts[label == "call" :]]
    one, other = values[0], values[-1]
    match label, one, other:
        case "call", tuple(), tuple() if parts[0].label == "×" and len(values) == 2:
            (a, b, c), (x, y, z) = one, other
            return (b * z - c * y, c * x - a * z, a * y - b * x)
        case "abs" | "call", tuple(), _ if len(values) == 1:
            return math.hypot(*one)
        case "abs", float(), _:
            return abs(one)
        case "sqrt", float(), _ if len(values) == 1:
            return math.sqrt(one)
        case "+" | "-", tuple(), tuple():
            sign = 1 if label == "+" else -1
            return (one[0] + sign * other[0], one[1] + sign * other[1], one[2] + sign * other[2])
        case "+" | "-", float(), float() if len(values) == 2:
            return one + other if label == "+" else one - other
        case "*", tuple(), tuple():
            return _multiply_scalar(one, other)
        case "*", float(), float():
            return one * other
        case "*", float(), tuple():
            return (one * other[0], one * other[1], one * other[2])
        case "*" | "/", tuple(), float():
            factor = other if label == "*" else 1 / other
            return (one[0] * factor, one[1] * factor, one[2] * factor)
        case "/", float(), float():
            return one / other
        case "pow", tuple(), float() if other == 2:
            return _multiply_scalar(one, one)
        case "pow", float(), float() if one > 0:
            return float(one**other)
    raise _UnclearProductError


def _multiply_scalar(one: Coordinates, other: Coordinates) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


# ---- letters that do not commute

_OF_MATRICES = make_phrases(
    "matrix, matrices, Matrix, Matrizen, matrice, matriz, матрица, матрицы, матриц, 矩阵, 矩陣, 行列, 행렬"
    ", linear operators, linear maps, linear transformations, operators",
)
_OF_GROUPS = make_phrases(
    "subgroup, coset, cosets, non-abelian, nonabelian, non-commutative, group G"
    ", dihedral group, symmetric group",
    "Untergruppe, Nebenklasse, Nebenklassen, nicht abelsche, sous-groupe, subgrupo, sottogruppo, подгруппа"
    ", подгруппы, 子群, 陪集, 部分群, 부분군",
)
_OF_QUATERNIONS = make_phrases(
    "quaternion, quaternions, Quaternionen, cuaternión, cuaterniones, quaternioni"
    ", кватернионы, 四元数, 사원수",
)
_COMMUTING = make_phrases(
    "abelian, commute, commutes, commuting, commutative, abelsche, vertauschen, abélien, 交换"
)
_DENYING = ("non", "not", "nicht", "non-", "no", "don't", "-")
_NUMBER_LETTERS = frozenset("klmnpq")
"""Letters that count even beside elements of a group."""
_UNITS = {("i", "j"): "k", ("j", "k"): "i", ("k", "i"): "j"}


def find_reordering(gold: str, pred: str, problem: str) -> GradeVerdict | None:
    """Return the verdict on answers that are equal for numbers where the order of their products counts; None
    where it changes nothing.

    >>> find_reordering("A^2 - B^2", "(A - B)(A + B)", "Let A and B be matrices.").outcome
    'different'
    >>> find_reordering("(A + B)^2", "A^2 + BA + AB + B^2", "Let A and B be matrices.")
    """
    if (moved := _find_moved_factor(gold, pred)) is not None:
        return moved
    if not problem:
        return None
    trees = [read(text.strip(" $."), Names(is_answer=True)).tree for text in (gold, pred)]
    if trees[0] is None or trees[1] is None or trees[0] == trees[1]:
        return None
    labels = {label for tree in trees if tree is not None for label in tree.list_labels()}
    letters, is_quaternion = _list_ordered_letters(problem, labels)
    if len(letters - {"I", "E"}) < 2:
        return None
    sides = [tree.children[1] if tree.label == "=" else tree for tree in trees if tree is not None]
    try:
        sums = [_expand_words(side, letters, is_quaternion) for side in sides]
    except _UnclearProductError:
        return GradeVerdict("undecided", reason="the letters of the question do not commute")
    return None if sums[0] == sums[1] else differ_by("the letters of the question do not commute")


def _find_moved_factor(gold: str, pred: str) -> GradeVerdict | None:
    """Return the verdict on answers with the factors of `A × B` or the sizes of M_{2×3} in another order."""
    (sets, sizes), (other_sets, other_sizes) = map(_list_crossed, (gold, pred))
    if sizes != other_sizes and sorted(map(sorted, sizes)) == sorted(map(sorted, other_sizes)):
        return differ_by("the order of the sizes of a matrix counts")
    if sets != other_sets and sorted(map(sorted, sets)) == sorted(map(sorted, other_sets)):
        return GradeVerdict("equal if", condition="the factors are numbers, and no sets")
    return None


def _list_crossed(text: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the capital letters on both sides of a sign of multiplication, and the numbers of indices."""
    tokens = [token for token in tokenize(text) if not is_blank(token)]
    sets, sizes = [], []
    for at in range(1, len(tokens) - 1):
        if tokens[at].text not in ("\\times", "×"):
            continue
        before, behind = tokens[at - 1], tokens[at + 1]
        pair = before.text, behind.text
        if all(len(one) == 1 and "A" <= one <= "Z" and one not in "LWH" for one in pair):
            sets.append(pair)
        index = [token.text for token in tokens[max(0, at - 3) : at - 1]] == ["_", "{"]
        if index and before.kind == behind.kind == "digits":
            sizes.append(pair)
    return sets, sizes


def _list_ordered_letters(problem: str, labels: set[str]) -> tuple[frozenset[str], bool]:
    """Return which of some letters do not commute by what a question says they are, and whether they are
    quaternions."""
    tokens = tokenize(problem)
    said = [token for token in tokens if not is_blank(token)]
    if _OF_QUATERNIONS.find(tokens) is not None:
        return frozenset(labels & {"i", "j", "k"}), True
    if _says_commuting(said):
        return frozenset(), False
    joined = {letter for label in labels if label.isupper() and label.isalpha() for letter in label}
    single = {label for label in labels if len(label) == 1 and label.isalpha()} | joined
    if _OF_GROUPS.find(tokens) is not None:
        return frozenset(single - _NUMBER_LETTERS), False
    if _OF_MATRICES.find(tokens) is None:
        return frozenset(), False
    named = {
        letter for token in said if token.kind == "word" and token.text.isupper() for letter in token.text
    }
    sizes = {
        letter
        for one, sign, other in zip(said, said[1:], said[2:], strict=False)
        if sign.text in ("\\times", "×")
        for letter in (one.text, other.text)
    }
    return frozenset((single & named) - sizes), False


def _says_commuting(said: Sequence[AnswerToken]) -> bool:
    """Return whether a question says that its letters commute, in words or as `AB = BA`."""
    found = _COMMUTING.find(said)
    if found is not None:
        before = {token.text.lower() for token in said[max(0, found[0] - 2) : found[0]]}
        return before.isdisjoint(_DENYING)
    words = [token.text for token in said]
    return any(
        sign == "=" and len(one) == 2 and one == other[::-1] and one.isalpha()
        for one, sign, other in zip(words, words[1:], words[2:], strict=False)
    )


def _expand_words(tree: Tree, letters: frozenset[str], is_quaternion: bool) -> OrderedSum:
    """Return a term as a sum of products in which some letters keep their order."""
    label, parts = tree.label, tree.children
    if not parts:
        if (number := plain_number(label)) is not None and number.value is not None:
            return {((), ()): number.value} if number.value else {}
        if label in letters:
            is_identity = label in ("I", "E") and not is_quaternion
            return {((), () if is_identity else ((label, 1),)): Fraction(1)}
        if len(label) > 1 and {*label} <= letters:  # AB is read as the name of a segment
            return {((), tuple((letter, 1) for letter in label)): Fraction(1)}
        return {((label,), ()): Fraction(1)}

    def expand(part: Tree) -> OrderedSum:
        return _expand_words(part, letters, is_quaternion)

    match label:
        case "+" | "-" if len(parts) == 2:
            return _add_sums(expand(parts[0]), expand(parts[1]), 1 if label == "+" else -1)
        case "*":
            return _multiply_sums(expand(parts[0]), expand(parts[1]), is_quaternion)
        case "/":
            return _multiply_sums(expand(parts[0]), _invert_sum(expand(parts[1])), is_quaternion)
        case "transpose":
            return {
                (
                    plain,
                    tuple((f"{name}ᵀ".removesuffix("ᵀᵀ"), power) for name, power in reversed(word)),
                ): factor
                for (plain, word), factor in expand(parts[0]).items()
            }
        case "pow" if (parts[0].children or len(parts[0].label) == 1) and _is_count(parts[1].label):
            base, power = expand(parts[0]), int(parts[1].label)
            base = _invert_sum(base) if power < 0 else base
            result: OrderedSum = {((), ()): Fraction(1)}
            for _ in range(abs(power)):
                result = _multiply_sums(result, base, is_quaternion)
            return result
    raise _UnclearProductError


_MOST_FACTORS = 6


def _is_count(label: str) -> bool:
    """Return whether an exponent is a small whole number."""
    return label.removeprefix("-").isdecimal() and abs(int(label)) <= _MOST_FACTORS


def _add_sums(one: OrderedSum, other: OrderedSum, sign: int) -> OrderedSum:
    result = dict(one)
    for key, factor in other.items():
        result[key] = result.get(key, Fraction(0)) + sign * factor
    return {key: factor for key, factor in result.items() if factor}


def _multiply_sums(one: OrderedSum, other: OrderedSum, is_quaternion: bool) -> OrderedSum:
    result: OrderedSum = {}
    for (plain, word), factor in one.items():
        for (further, behind), times in other.items():
            sign, joined = _shorten_word((*word, *behind), is_quaternion)
            product: OrderedSum = {(tuple(sorted((*plain, *further))), joined): sign * factor * times}
            result = _add_sums(result, product, 1)
    return result


def _invert_sum(one: OrderedSum) -> OrderedSum:
    """Return the inverse of a product of letters that keep their order."""
    if len(one) != 1:
        raise _UnclearProductError
    (((plain, word), factor),) = one.items()
    if plain:
        raise _UnclearProductError
    return {((), tuple((name, -power) for name, power in reversed(word))): 1 / factor}


def _shorten_word(
    word: Sequence[tuple[str, int]], is_quaternion: bool
) -> tuple[int, tuple[tuple[str, int], ...]]:
    """Return a word without letters beside their inverses, with the products of units of quaternions worked
    out, and its sign."""
    sign, result = 1, list[tuple[str, int]]()
    for name, power in word:
        if is_quaternion and power < 0:
            sign, power = -sign, 1  # the inverse of a unit is its opposite
        last = result[-1] if result else ("", 0)
        if last == (name, -power):
            result.pop()
        elif is_quaternion and last[0]:
            result.pop()
            if last[0] == name:
                sign = -sign
            elif (last[0], name) in _UNITS:
                result.append((_UNITS[last[0], name], 1))
            else:
                sign = -sign
                result.append((_UNITS[name, last[0]], 1))
        else:
            result.append((name, power))
    return sign, tuple(result)
