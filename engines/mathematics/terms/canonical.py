"""Terms under numbers, and their canonical forms: when two expressions count as the same member."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np

from engines.core.arrays import Ints
from engines.core.compiling import compile_kernel
from engines.core.expression_language import (
    ARITY,
    VARIABLE,
    is_name,
)
from engines.core.tree import Tree

# Terms with every subterm held once, under a number: what is found out about one holds wherever it occurs.
#
# Operands have smaller numbers than what they are operands of, and terms that are written the same have the
# same number. Of the thousands of terms that are drawn for a head most subterms are shared.

DERIVATIVE = "d x"
"""The label of a derivative; its only operand is the body."""
_NONE = -1
_FIRST = 512


class Subterms:
    """Numbered terms over the labels of a language.

    Args: arity: operands of each label; others have none. Attributes: names: of the labels, by code. labels,
    lefts, rights: code and operands of every term, -1 for none. table: the same as an array, with room behind
    the last.
    """

    def __init__(self, arity: Mapping[str, int]) -> None:
        self.arity = {**arity, DERIVATIVE: 1}
        self._codes: dict[str, int] = {}
        self._operands = np.empty(0, np.int64)
        self.names: list[str] = []
        self.labels: list[int] = []
        self.lefts: list[int] = []
        self.rights: list[int] = []
        self.table: Ints = np.empty((_FIRST, 3), np.int64)
        self._slots: Ints = np.full(4 * _FIRST, _NONE, np.int64)
        self._trees: dict[int, Tree] = {}

    def __len__(self) -> int:
        return len(self.labels)

    def label_codes(self, names: Iterable[str]) -> Ints:
        """Return the codes of labels, each of them one token but `DERIVATIVE`."""
        results = [self._codes.setdefault(name, len(self._codes)) for name in names]
        if len(self._codes) > len(self.names):
            self.names = list(self._codes)
            self._operands = np.array([self.arity.get(name, 0) for name in self.names], np.int64)
        return np.array(results, np.int64)

    def add_rows(self, rows: Ints) -> list[int]:
        """Return the numbers of terms: (terms, length) codes in prefix order, -1 behind the last of each."""
        known = len(self)
        while known + rows.size > len(self.table):
            self.table = np.concatenate([self.table, np.empty_like(self.table)])
            self._slots = np.full(4 * len(self.table), _NONE, np.int64)
            _rebuild_slots(self.table, known, self._slots)
        numbers = np.empty(len(rows), np.int64)
        count = _number_terms(rows, self._operands, self.table, known, self._slots, numbers)
        for column, new in zip(
            (self.labels, self.lefts, self.rights), self.table[known:count].T, strict=True
        ):
            column += new.tolist()
        result: list[int] = numbers.tolist()
        return result

    def encode_tokens(self, tokens: Sequence[str]) -> Ints:
        """Return the codes of tokens; the variable of a derivative is left out."""
        names = [DERIVATIVE if token == "d" else token for token in tokens]
        return self.label_codes(
            name for index, name in enumerate(names) if not index or names[index - 1] != DERIVATIVE
        )

    def number_of(self, tokens: Sequence[str]) -> int:
        """Return the number of the term that tokens in prefix notation are."""
        return self.add_rows(self.encode_tokens(tokens)[None])[0]

    def tokens_of(self, number: int) -> tuple[str, ...]:
        """Return a term in prefix notation."""
        names: list[str] = []
        waiting = [number]
        while waiting:
            at = waiting.pop()
            names.append(self.names[self.labels[at]])
            if self.rights[at] >= 0:
                waiting.append(self.rights[at])
            if self.lefts[at] >= 0:
                waiting.append(self.lefts[at])
        return tuple(" ".join(names).split())

    def tree_of(self, number: int) -> Tree:
        """Return a term as a tree that shares its subterms with other trees."""
        tree = self._trees.get(number)
        if tree is None:
            name, left, right = self.names[self.labels[number]], self.lefts[number], self.rights[number]
            if left < 0:
                tree = Tree(name)
            elif right >= 0:
                tree = Tree(name, (self.tree_of(left), self.tree_of(right)))
            elif name == DERIVATIVE:
                tree = Tree("d", (Tree(VARIABLE), self.tree_of(left)))
            else:
                tree = Tree(name, (self.tree_of(left),))
            self._trees[number] = tree
        return tree


@compile_kernel
def _find_slot(code: int, left: int, right: int, table: Ints, slots: Ints) -> int:
    mixed = np.uint64(code + 1) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ np.uint64(left + 1)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(right + 1)) * np.uint64(0x94D049BB133111EB)
    last = len(slots) - 1  # a power of two less one
    at = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(last))
    while slots[at] >= 0:
        row = slots[at]
        if table[row, 0] == code and table[row, 1] == left and table[row, 2] == right:
            break
        at = (at + 1) & last
    return int(at)


@compile_kernel
def _rebuild_slots(table: Ints, count: int, slots: Ints) -> None:
    for number in range(count):
        slots[_find_slot(table[number, 0], table[number, 1], table[number, 2], table, slots)] = number


@compile_kernel
def _number_terms(rows: Ints, operands: Ints, table: Ints, count: int, slots: Ints, numbers: Ints) -> int:
    """Number the terms in `rows`; how many there are then."""
    stack = np.empty(rows.shape[1] + 1, np.int64)
    for term in range(rows.shape[0]):
        top, end = 0, rows.shape[1]
        # Shorter rows are filled up with negative numbers at their ends.
        while rows[term, end - 1] < 0:
            end -= 1
        # From right to left, operands of the prefix notation are on the stack before their operator.
        for at in range(end - 1, -1, -1):
            code = rows[term, at]
            left, right = -1, -1
            if operands[code] > 0:
                top -= 1
                left = stack[top]
            if operands[code] > 1:
                top -= 1
                right = stack[top]
            slot = _find_slot(code, left, right, table, slots)
            # Equal terms share a slot, and so a number.
            if slots[slot] < 0:
                table[count, 0], table[count, 1], table[count, 2] = code, left, right
                slots[slot] = count
                count += 1
            stack[top] = slots[slot]
            top += 1
        numbers[term] = stack[0]
    return count


# The canonical form reads sums as signed n-ary sums and products as one numerator over one denominator, both
# sorted; signs belong to terms and products, not to constants (`- a * 3 b` and `+ * -3 b a` are one form),
# and a decimal is the fraction it stands for (`* 0.5 x` and `/ x 2` are one form). Nothing is calculated: `+
# 2 3`, `5`, `* x x` and `pow x 2` stay apart.
#
# It runs over thousands of sampled terms per head, whose subterms are composed once (`Canonical`), of plain
# lists; the canonical form of every subterm is its own prefix text.

# A subterm on the stack: (sign, kind, list, list).
#   ATOM     [text], unused: a function of canonical operands, x, pi, e
#   PRODUCT  texts of the numerator, texts of the denominator; the number 1 has neither
#   SUM      texts of the terms added, texts of the terms subtracted; the number 0 has neither
_Part = tuple[int, int, list[str], list[str]]
# Kinds of forms; the kinds of other nodes continue the numbering below.
_ATOM, _PRODUCT, _SUM = range(3)


def canonical_key(expression: Tree | Sequence[str]) -> str:
    """Return the canonical form as prefix text: equal exactly for expressions that count as one member.

    >>> canonical_key("- * 2 x -7".split()) == canonical_key("+ 7 * x 2".split())
    True
    """
    tokens = expression.list_labels() if isinstance(expression, Tree) else expression
    return _part_text(_read_part(tokens))


class Canonical:
    """Canonical forms of numbered terms as numbers, equal exactly where `canonical_key` is; of every subterm
    once, in compiled code.

    There a form stands for what is written without its sign: a row of `forms` has its kind, where its parts
    are, how many stand first (those added, the numerator) and second, and of a sum whether it is `tied`: its
    first part is both added and subtracted, so that the sum and its opposite are two.
    """

    def __init__(self, terms: Subterms) -> None:
        self._terms = terms
        self._done = 0
        self._numerals: dict[str, int] = {}
        self._leaves: Ints = np.empty((0, 4), np.int64)
        self._found: Ints = np.empty((0, 3), np.int64)
        self._forms: Ints = np.empty((_FIRST, 5), np.int64)
        self._parts: Ints = np.empty(8 * _FIRST, np.int64)
        self._slots: Ints = np.full(4 * _FIRST, _NONE, np.int64)
        self._used = np.zeros(3, np.int64)  # forms, parts, and what the next term takes of them at most
        self._keys: list[int] = []

    def key_of(self, number: int) -> int:
        """Return the key of a term: equal for terms with the same canonical form."""
        if number >= self._done:
            self._compose_forms()
        return self._keys[number]

    def _compose_forms(self) -> None:
        terms, first = self._terms, self._done
        count = len(terms)
        if len(terms.names) > len(self._leaves):
            self._leaves = np.array([self._describe_leaf(name) for name in terms.names], np.int64)
        if len(terms.table) > len(self._found):
            more = len(terms.table) - len(self._found)
            self._found = np.concatenate([self._found, np.zeros((more, 3), np.int64)])
        at = first
        while at < count:
            memory = self._forms, self._parts, self._slots, self._used
            at = int(_compose_terms(at, count, terms.table, self._leaves, self._found, *memory))
            if at < count:
                self._register_form(at)
        self._keys += self._found[first:count, KEY].tolist()
        self._done = count

    def _register_form(self, number: int) -> None:
        """Tell of the operands whether they are tied, and make room."""
        terms = self._terms
        for side in (terms.lefts[number], terms.rights[number]):
            form = self._found[side, FORM]
            if side >= 0 and self._forms[form, 0] == _SUM:
                _, _, plus, less = _read_part(terms.tokens_of(side))
                self._forms[form, TIED] = 1 if min(plus, default="") == min(less, default="") else -1
        while self._used[1] + self._used[2] > len(self._parts):
            self._parts = np.concatenate([self._parts, np.empty_like(self._parts)])
        if self._used[0] + _NEW > len(self._forms):
            self._forms = np.concatenate([self._forms, np.empty_like(self._forms)])
            self._slots = np.full(4 * len(self._forms), _NONE, np.int64)
            _place_forms(self._used[0], self._forms, self._parts, self._slots)

    def _describe_leaf(self, name: str) -> tuple[int, int, int, int]:
        """Kind and sign of a label; of a number the numerals of numerator and denominator, -1 for 1."""
        if name in self._terms.arity or is_name(name):
            return _OPERATORS.get(name, _ATOM), 1, -1, -1
        sign, kind, above, below = _number_part(name)
        numerals = [self._numerals.setdefault(text, len(self._numerals)) for text in (*above, *below)]
        return kind, sign, numerals[0] if above else -1, numerals[-1] if below else -1


_NUMERAL, _TIMES, _OVER, _PLUS, _MINUS = range(3, 8)
_OPERATORS = {"*": _TIMES, "/": _OVER, "+": _PLUS, "-": _MINUS}
SIGN, FORM, KEY = range(3)
"""What is found of a term: its sign and its form, and a number for both."""
TIED = 4
_NEW = 8
"""Forms that one term brings at most."""


@compile_kernel
def _form_slot(form: int, forms: Ints, parts: Ints, slots: Ints) -> int:
    kind, start, size = forms[form, 0], forms[form, 1], forms[form, 2] + forms[form, 3]
    mixed = np.uint64(kind + 8 * forms[form, 2])
    for at in range(start, start + size):
        mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(parts[at] + 1)) * np.uint64(0x94D049BB133111EB)
    last = len(slots) - 1  # a power of two less one
    slot = np.int64((mixed ^ (mixed >> np.uint64(32))) & np.uint64(last))
    while slots[slot] >= 0:
        stored = slots[slot]
        same = forms[stored, 0] == kind and forms[stored, 2] == forms[form, 2]
        if same and forms[stored, 3] == forms[form, 3]:
            for at in range(size):
                same = same and parts[forms[stored, 1] + at] == parts[start + at]
            if same:
                break
        slot = (slot + 1) & last
    return int(slot)


@compile_kernel
def _place_forms(count: int, forms: Ints, parts: Ints, slots: Ints) -> None:
    for form in range(count):
        slots[_form_slot(form, forms, parts, slots)] = form


@compile_kernel
def _sort_parts(begin: int, end: int, parts: Ints) -> None:
    for index in range(begin + 1, end):
        part = parts[index]
        while index > begin and parts[index - 1] > part:
            parts[index] = parts[index - 1]
            index -= 1
        parts[index] = part


@compile_kernel
def _find_form(kind: int, first: int, second: int, forms: Ints, parts: Ints, slots: Ints, used: Ints) -> int:
    """Return the form whose parts stand behind all others, so many first and second, in any order."""
    new, start = used[0], used[1]
    if kind in (_PRODUCT, _SUM):
        _sort_parts(start, start + first, parts)
        _sort_parts(start + first, start + first + second, parts)
    forms[new, 0], forms[new, 1], forms[new, 2], forms[new, 3] = kind, start, first, second
    forms[new, TIED] = 0
    slot = _form_slot(new, forms, parts, slots)
    if slots[slot] < 0:
        slots[slot] = new
        used[0] += 1
        used[1] += first + second
    return int(slots[slot])


@compile_kernel
def _copy_parts(form: int, second: bool, at: int, forms: Ints, parts: Ints) -> int:
    """Copy the first or second parts of a form to a place; where they end. An atom is its own first part."""
    if forms[form, 0] == _ATOM:
        parts[at] = form
        return at if second else at + 1
    start = forms[form, 1] + (forms[form, 2] if second else 0)
    for index in range(start, start + forms[form, 3 if second else 2]):
        parts[at] = parts[index]
        at += 1
    return at


@compile_kernel
def _shares_part(form: int, forms: Ints, parts: Ints) -> bool:
    """Return whether a part of a sum is both added and subtracted."""
    start, plus, less = forms[form, 1], forms[form, 2], forms[form, 3]
    first, second = 0, 0
    while first < plus and second < less:
        left, right = parts[start + first], parts[start + plus + second]
        if left == right:
            return True
        first, second = first + int(left < right), second + int(left > right)
    return False


@compile_kernel
def _is_self_opposite(form: int, forms: Ints, parts: Ints) -> bool:
    """Return whether the opposite of a sum stands for both: it subtracts nothing but what comes later."""
    start, plus, less = forms[form, 1], forms[form, 2], forms[form, 3]
    for index in range(min(plus, less)):
        left, right = parts[start + index], parts[start + plus + index]
        if left != right:
            return bool(right < left)
    return bool(less > 0 and (plus == 0 or less < plus))


@compile_kernel
def _opposite_of_sum(form: int, forms: Ints, parts: Ints, slots: Ints, used: Ints) -> int:
    """Return the opposite of a sum."""
    middle = _copy_parts(form, True, used[1], forms, parts)
    end = _copy_parts(form, False, middle, forms, parts)
    return int(_find_form(_SUM, middle - used[1], end - middle, forms, parts, slots, used))


@compile_kernel
def _compose_terms(
    begin: int,
    count: int,
    nodes: Ints,
    leaves: Ints,
    rows: Ints,
    forms: Ints,
    parts: Ints,
    slots: Ints,
    used: Ints,
) -> int:
    """Find the canonical forms of terms in order, as `_composed` does; the first that needs help, or
    `count`."""
    # Terms are in order, so the forms of operands are known.
    for n in range(begin, count):
        code, left, right = nodes[n]
        sign, kind = leaves[code, 1], leaves[code, 0]
        # Make room first: the caller must enlarge an array before a term needs more than is left.
        size = 16
        for side in (left, right):
            if side >= 0:
                size += 4 * (forms[rows[side, FORM], 2] + forms[rows[side, FORM], 3])
        used[2] = size
        if used[1] + size > len(parts) or used[0] + _NEW > len(forms):
            return n
        # Leaves: a fraction is a form with numeral factors above and below.
        if left < 0 and kind != _ATOM:
            top = bottom = -1
            if leaves[code, 2] >= 0:
                parts[used[1]] = leaves[code, 2]
                top = _find_form(_NUMERAL, 1, 0, forms, parts, slots, used)
            if leaves[code, 3] >= 0:
                parts[used[1]] = leaves[code, 3]
                bottom = _find_form(_NUMERAL, 1, 0, forms, parts, slots, used)
            above, below = int(top >= 0), int(bottom >= 0)
            parts[used[1]] = top
            parts[used[1] + above] = bottom
            form = _find_form(kind, above, below, forms, parts, slots, used)
        # Functions and powers are atoms: their operands' keys make their own.
        elif kind == _ATOM:
            at = used[1]
            parts[at] = code
            if left >= 0:
                at += 1
                parts[at] = rows[left, KEY]
            if right >= 0:
                at += 1
                parts[at] = rows[right, KEY]
            form = _find_form(_ATOM, at + 1 - used[1], 0, forms, parts, slots, used)
        # Sums and products: signs are taken out, neutral operands dropped, and nested operands flattened.
        else:
            left_form, right_form = rows[left, FORM], rows[right, FORM]
            flip, flop = rows[left, SIGN], rows[right, SIGN]
            # of the operands: whether each is 0 in a sum, 1 in a product
            neutral = _PRODUCT if kind in (_TIMES, _OVER) else _SUM
            flop = -flop if kind == _MINUS else flop
            if forms[right_form, 0] == neutral and forms[right_form, 2] + forms[right_form, 3] == 0:
                form, sign = left_form, flip if neutral == _SUM else flip * flop
            elif (
                forms[left_form, 0] == neutral
                and forms[left_form, 2] + forms[left_form, 3] == 0
                and kind != _OVER
            ):
                form, sign = right_form, flop if neutral == _SUM else flip * flop
            # A sum: positive terms, then negative ones, from both operands.
            elif neutral == _SUM:
                middle = end = used[1]
                for second in (False, True):
                    for at_left in (True, False):
                        of, turn = (left_form, flip) if at_left else (right_form, flop)
                        if forms[of, 0] == _SUM:
                            end = _copy_parts(of, second == (turn > 0), end, forms, parts)
                        elif second == (turn < 0):
                            parts[end] = of
                            end += 1
                    middle = middle if second else end
                form, sign = _find_form(_SUM, middle - used[1], end - middle, forms, parts, slots, used), 1
            # A product: a sum that is the opposite of a canonical one gives up its sign.
            else:
                for at_left in (True, False):
                    of = left_form if at_left else right_form
                    turn = 1
                    if forms[of, 0] == _SUM:
                        tied = forms[of, TIED] if _shares_part(of, forms, parts) else -1
                        if tied == 0:
                            return n
                        if tied < 0 and _is_self_opposite(of, forms, parts):
                            of, turn = _opposite_of_sum(of, forms, parts, slots, used), -1
                    if at_left:
                        left_form, flip = of, flip * turn
                    else:
                        right_form, flop = of, flop * turn
                sign = flip * flop
                middle = end = used[1]
                for second in (False, True):
                    for at_left in (True, False):
                        of = left_form if at_left else right_form
                        under = second != (kind == _OVER and not at_left)
                        if forms[of, 0] != _SUM:
                            end = _copy_parts(of, under, end, forms, parts)
                        elif not under:
                            parts[end] = of
                            end += 1
                    middle = middle if second else end
                alone = parts[used[1]]
                if end - used[1] == 1 and middle == end and forms[alone, 0] != _NUMERAL:
                    form = alone
                else:
                    form = _find_form(_PRODUCT, middle - used[1], end - middle, forms, parts, slots, used)
        # The key is twice the form, plus 1 for a negative sign.
        rows[n, SIGN], rows[n, FORM] = sign, form
        if sign < 0 and forms[form, 0] == _SUM:
            rows[n, KEY] = 2 * _opposite_of_sum(form, forms, parts, slots, used)
        else:
            rows[n, KEY] = 2 * form + int(sign < 0)
    return count


def _read_part(tokens: Sequence[str]) -> _Part:
    stack: list[_Part] = []
    pop = stack.pop
    for token in reversed(tokens):
        operands = ARITY.get(token, 0)
        left = pop() if operands else None
        stack.append(_compose_part(token, left, pop() if operands > 1 else None))
    return pop()


def _compose_part(token: str, left: _Part | None, right: _Part | None) -> _Part:
    if left is None:
        return (1, _ATOM, [token], []) if token in ARITY else _number_part(token)
    if right is None:
        return 1, _ATOM, [f"{token} {_part_text(left)}"], []
    if token == "*" or token == "/":
        return _multiply_parts(left, right, token == "/")
    if token == "+" or token == "-":
        return _add_parts(left, right, token == "-")
    return 1, _ATOM, [f"{token} {_part_text(left)} {_part_text(right)}"], []


@lru_cache(maxsize=4096)
def _number_part(token: str) -> _Part:
    if is_name(token):
        return 1, _ATOM, [token], []
    value = Fraction(token)
    if not value:
        return 1, _SUM, [], []
    numerator, denominator = abs(value.numerator), value.denominator
    return (
        1 if value > 0 else -1,
        _PRODUCT,
        [] if numerator == 1 else [str(numerator)],
        [] if denominator == 1 else [str(denominator)],
    )


def _multiply_parts(left: _Part, right: _Part, over: bool) -> _Part:
    sign = left[0] * right[0]
    if right[1] == _PRODUCT and not right[2] and not right[3]:
        return sign, left[1], left[2], left[3]
    if left[1] == _PRODUCT and not left[2] and not left[3] and not over:
        return sign, right[1], right[2], right[3]
    flip, above, below = _split_factors(left)
    flop, over_above, over_below = _split_factors(right)
    sign = flip * flop
    if over:
        above, below = above + over_below, below + over_above
    else:
        above, below = above + over_above, below + over_below
    if len(above) == 1 and not below:
        # What remains of 1/(1/u) is u itself, which may be a sum.
        same = _read_part(above[0].split())
        return sign * same[0], same[1], same[2], same[3]
    return sign, _PRODUCT, above, below


def _split_factors(part: _Part) -> tuple[int, list[str], list[str]]:
    sign, kind, first, second = part
    if kind != _SUM:
        return sign, first, second
    if second and (not first or min(second) < min(first)):
        return -sign, [_series_text(second, first)], []
    return sign, [_series_text(first, second)], []


def _add_parts(left: _Part, right: _Part, minus: bool) -> _Part:
    if minus:
        right = (-right[0], right[1], right[2], right[3])
    # A sum without terms is 0.
    if right[1] == _SUM and not right[2] and not right[3]:
        return left
    if left[1] == _SUM and not left[2] and not left[3]:
        return right
    plus: list[str] = []
    less: list[str] = []
    for part in (left, right):
        sign, kind, first, second = part
        if kind == _SUM:
            # A negative sign exchanges the positive and the negative terms.
            if sign > 0:
                plus += first
                less += second
            else:
                plus += second
                less += first
        else:
            (plus if sign > 0 else less).append(
                first[0] if kind == _ATOM else _fraction_text(1, first, second)
            )
    return 1, _SUM, plus, less


def _part_text(part: _Part) -> str:
    sign, kind, first, second = part
    if kind == _ATOM:
        return first[0] if sign > 0 else f"* -1 {first[0]}"
    if kind == _PRODUCT:
        return _fraction_text(sign, first, second)
    return _series_text(first, second) if sign > 0 else _series_text(second, first)


def _fraction_text(sign: int, above: list[str], below: list[str]) -> str:
    numerator = sorted(above)
    if sign < 0:
        for index, text in enumerate(numerator):
            if text[0].isdigit():
                numerator[index] = "-" + text
                break
        else:
            numerator.insert(0, "-1")
    top = _nest_operator("* ", numerator) if numerator else "1"
    return f"/ {top} {_nest_operator('* ', sorted(below))}" if below else top


def _series_text(plus: list[str], less: list[str]) -> str:
    if not plus:
        return "* -1 " + _nest_operator("+ ", sorted(less)) if less else "0"
    text = _nest_operator("+ ", sorted(plus))
    if not less:
        return text
    return "- " * len(less) + text + " " + " ".join(sorted(less))


def _nest_operator(operator: str, texts: list[str]) -> str:
    return operator * (len(texts) - 1) + " ".join(texts)
