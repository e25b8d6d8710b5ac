"""A place in the pieces of a line: what stands there, what is known of the letters, and why it is not read.

The grammar of what is meant is in layers, each a class over the one before: `Cursor` (looking),
`numeral_parser`, `name_and_function_parser`, `big_operator_parser`, `derivative_parser`, `expression_parser`
(all terms) and `statement_parser`. It differs from that of the published operator trees, which keeps neither
brackets nor texts. Where a formula can be read in two ways (`1/2x`), or says what has no term, it is not
read, and the reason says so: nothing is dropped.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, Self

from engines.core.tree import MAX_DEPTH, Tree
from engines.formula.layout import Piece
from engines.formula.operator_tree import OperatorTree
from engines.formula.symbols import STARTS, PieceRole
from engines.formula.unit_table import BARE_UNITS, is_product_of_units
from engines.formula.vocabulary import (
    BETWEEN_REMARKS,
    BETWEENS,
    CONNECTIVES,
    DIFFERENCES,
    GIVEN,
    QUANTIFYING_PHRASES,
    RANGE_WORDS,
    REMARKS_ON_OR,
    Line,
    argument_pieces,
    is_name,
    name_of,
)

ONE, ZERO, MINUS_ONE = Tree("1"), Tree("0"), Tree("-1")
ELLIPSIS = "…"
"""The label of what is left out: in a list, sum, product or matrix."""
SAID = "said"
"""The name of the function that a condition in words is."""
END = Piece("", "", OperatorTree("W!"), OperatorTree("W!"), 0, 0)
SHARED_RELATIONS = ("in", "!=", "<", "<=", ">", ">=")
"""Relations that hold for each letter of a list before them: `a, b > 0`."""
QUANTIFIERS = ("forall", "exists")
_QUANTIFYING_SIGNS = (*QUANTIFIERS, "not-exists")
_ORDERS = ("<", "<=", ">", ">=", "!=")
_JOINING = (
    CONNECTIVES,
    QUANTIFYING_PHRASES,
    DIFFERENCES,
    BETWEENS,
    BETWEEN_REMARKS,
    REMARKS_ON_OR,
    RANGE_WORDS,
)
"""Words that are no unit behind a number."""
_CONNECTIVES = ("and", "or", "implies", "iff", "not")
STATEMENTS = frozenset(
    (*SHARED_RELATIONS, "=", "subset", "approx", "congruent", "related", "maps", *QUANTIFIERS, *_CONNECTIVES)
)


class UnreadError(Exception):
    """Why a formula is not read, and where."""

    def __init__(self, reason: str, offset: int = 0, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason, self.offset, self.remedy = reason, offset, remedy


@dataclass(slots=True)
class ReadingContext:
    """What holds in all lines of a formula: what its letters are, and what was settled while reading."""

    functions: frozenset[str]
    letters: frozenset[str]
    products: frozenset[str] = frozenset()
    geometric: frozenset[str] = frozenset()
    bold: bool = False
    notes: dict[str, int] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    bound: list[str] = field(default_factory=list)
    subscripted: dict[str, tuple[str, tuple[Tree, ...]]] = field(default_factory=dict)
    sequences: set[str] = field(default_factory=set)
    differential: Tree | None = None
    allows_intervals: bool = False
    is_answer: bool = False
    log_base: str = ""
    has_integer_parts: bool = False
    has_points_for_products: bool = False
    has_scripted_counts: bool = False
    reads_unknown_signs: bool = False
    """Whether operators and relations of which nothing is known are read: those of documents are."""
    depth: int = 0
    indexed: frozenset[str] = frozenset()
    open_ended: set[Tree] = field(default_factory=set)
    """Terms that no bracket or line ends: arguments of several factors, functions before a slash, what stands
    behind one, and powers of what only braces join."""

    def add_note(self, text: str, offset: int = 0) -> None:
        """Note something that was settled while reading, with the first offset where it mattered."""
        self.notes.setdefault(text, offset)


def free_variables(tree: Tree) -> set[str]:
    """Return the names of variables that nothing binds."""
    if not tree.children:
        return {tree.label}
    if tree.label in QUANTIFIERS:
        return set().union(*map(free_variables, tree.children[1:])) - {tree.children[0].label}
    if tree.label in ("sum", "prod", "integral", "limit"):
        bound, *bounds, body = tree.children
        return set().union(*map(free_variables, bounds)) | (free_variables(body) - {bound.label})
    return set().union(*map(free_variables, tree.children))


def substitute_variable(tree: Tree, name: str, value: Tree) -> Tree:
    """Return a tree with a value in the place of a variable."""
    if not tree.children:
        return value if tree.label == name else tree
    return Tree(tree.label, tuple(substitute_variable(child, name, value) for child in tree.children))


def nest_to_left(label: str, members: Sequence[Tree]) -> Tree:
    """Return a binary operator over several operands, nested to the left.

    >>> print(*nest_to_left("+", [Tree("a"), Tree("b"), Tree("c")]).list_labels())
    + + a b c
    """
    result = members[0]
    for member in members[1:]:
        result = Tree(label, (result, member))
    return result


def make_negative(tree: Tree) -> Tree:
    """Return -1 times a tree."""
    return Tree("*", (MINUS_ONE, tree))


def opposite_number(number: Tree) -> Tree:
    """Return a number with the opposite sign."""
    return make_negative(number) if number.children else Tree(f"-{number.label}")


def is_statement(tree: Tree) -> bool:
    """Return whether a tree is a statement."""
    return tree.label in STATEMENTS and bool(tree.children)


def call_unknown(name: str, *arguments: Tree) -> Tree:
    """Return a function of which nothing is known but its arguments."""
    return Tree("call", (Tree(name), *arguments))


def as_argument(tree: Tree) -> Tree:
    """Return what a function may be applied to: a statement is there an unknown function of its sides."""
    if not is_statement(tree):
        return tree
    if tree.label in QUANTIFIERS:
        bound, *rest = tree.children
        marked = Tree(f"•{bound.label}")
        rest = [substitute_variable(one, bound.label, marked) for one in rest]
        return call_unknown(tree.label, marked, *map(as_argument, rest))
    return call_unknown(tree.label, *map(as_argument, tree.children))


def mark_bound(tree: Tree, names: Iterable[str]) -> Tree:
    """Return a tree with a mark before the variables that an unknown operator binds in it."""
    for name in sorted(names):
        tree = substitute_variable(tree, name, Tree(f"•{name}"))
    return tree


def find_ranging(tree: Tree) -> set[str]:
    """Return the variables that a range binds: those of its list, or on the left side of what is said.

    A statement that is an argument is seen as well.
    """
    head, parts = tree.label, tree.children
    if head == "call" and parts[0].label in STATEMENTS:
        head, parts = parts[0].label, parts[1:]
    if head in ("list", "and"):
        return set().union(*map(find_ranging, parts))
    if not parts or head not in STATEMENTS:
        return {name for name in free_variables(tree) if is_name(name)}
    names = find_ranging(parts[1 if head == "related" else 0])
    # Of i < j both range, as of 1 <= i < n what is no number does.
    return names | ({parts[-1].label} if head in _ORDERS and is_name(parts[-1].label) else set())


def join_unknown(name: str, left: Tree, right: Tree) -> Tree:
    """Return two operands of an unknown operation that associates, with those that they are made of.

    >>> a, b, c = map(Tree, "abc")
    >>> join_unknown("∘", a, join_unknown("∘", b, c)).list_labels()
    ['call', '∘', 'a', 'b', 'c']
    """
    parts = [
        one.children[1:] if one.label == "call" and one.children[0].label == name else (one,)
        for one in (left, right)
    ]
    return call_unknown(name, *parts[0], *parts[1])


ARROW = "\u20d7"
"""The arrow above a letter."""


def is_arrowed(tree: Tree) -> bool:
    r"""Return whether a term is a vector by the arrow above its letter, as `2 \vec{a} + \vec{b}`."""
    if tree.label == "call":
        return tree.children[0].label == "×"
    if not tree.children:
        return ARROW in tree.label
    return tree.label in ("+", "-", "*", "/") and any(map(is_arrowed, tree.children))


def make_cross_product(left: Tree, right: Tree) -> Tree:
    """Return the vector product of two vectors, with the scalar factors of both before it."""
    # Scalars may stand anywhere in the product, so they are taken out of both sides.
    scalars: list[Tree] = []
    vectors = [left, right]
    for side, vector in enumerate(vectors):
        while vector.label == "*" and len({*map(is_arrowed, vector.children)}) == len(vector.children):
            scalar, vector = sorted(vector.children, key=is_arrowed)
            scalars.append(scalar)
        vectors[side] = vector
    result = call_unknown("×", *vectors)
    for scalar in scalars:
        result = Tree("*", (scalar, result))
    return result


def is_bold(name: str) -> bool:
    """Return whether a letter is bold: it is a vector or matrix, whose products do not commute."""
    return "\U0001d400" <= name[:1] <= "\U0001d433"


class Cursor(ABC):
    """The pieces of a line and a place among them."""

    def __init__(self, parts: Sequence[Piece], context: ReadingContext) -> None:
        self.parts = list(parts)
        self.length = len(self.parts)
        self.position = 0
        self.context = context
        self.bars = 0
        self.brackets = 0
        self.integrals = 0

    # What the layers above read: the parts of a formula that hold one another

    @abstractmethod
    def parse_line(self) -> Tree:
        """Parse all that the line says."""
        ...

    @abstractmethod
    def parse_cases(self, piece: Piece) -> Tree:
        """Parse a value by cases, or statements that hold together."""
        ...

    @abstractmethod
    def parse_statement(self) -> Tree:
        """Parse statements joined by `iff` and `implies`."""
        ...

    @abstractmethod
    def parse_set_operations(self) -> Tree:
        """Parse a chain of unions, intersections and differences of sets, or a sum where there is none."""
        ...

    @abstractmethod
    def parse_sum(self, *, of_integral: bool = False) -> Tree:
        """Parse a sum; one that an integral is of ends with the term that has the differential."""
        ...

    @abstractmethod
    def parse_signed(self) -> Tree:
        """Parse a term with its sign."""
        ...

    @abstractmethod
    def parse_term(self) -> Tree:
        """Parse factors side by side or with signs between them."""
        ...

    @abstractmethod
    def parse_factor(self) -> Tree:
        """Parse a factor with its powers."""
        ...

    @abstractmethod
    def parse_arguments(self) -> list[Tree]:
        """Parse arguments with commas between them."""
        ...

    @abstractmethod
    def parse_over(self, name: str, piece: Piece, low: Line | None, high: Line | None) -> Tree:
        """Parse what an operator with a range applies to."""
        ...

    @abstractmethod
    def parse_bounds(self, piece: Piece) -> tuple[Line | None, Line | None]:
        """Parse the bounds of a large operator."""
        ...

    @abstractmethod
    def parse_abstraction(self) -> Tree:
        """Parse a function by its value."""
        ...

    @abstractmethod
    def begins_prefix(self) -> bool:
        """Return whether a sign of negation or a mark stands before what it belongs to."""
        ...

    @abstractmethod
    def is_sign_alone(self) -> bool:
        """Return whether a sign stands here that is named and not applied."""
        ...

    @abstractmethod
    def parse_sign_alone(self) -> Tree:
        """Parse a sign as a name."""
        ...

    @abstractmethod
    def begins_abstraction(self) -> bool:
        """Return whether variables and a full stop stand here."""
        ...

    @abstractmethod
    def parse_unknown_function(self, name: str) -> Tree:
        """Parse a function of which only the name is known."""
        ...

    @abstractmethod
    def parse_fenced(self) -> Tree:
        """Parse an expression in brackets."""
        ...

    # Pieces

    @property
    def here(self) -> Piece:
        """The piece at the cursor, or `END`."""
        return self.parts[self.position] if self.position < self.length else END

    def piece_ahead(self, count: int) -> Piece:
        """Return a piece further on (or back), or `END`."""
        at = self.position + count
        return self.parts[at] if 0 <= at < self.length else END

    def take_piece(self) -> Piece:
        """Return the piece at the cursor and go on behind it."""
        self.position += 1
        return self.parts[self.position - 1]

    def cursor_on(self, parts: Sequence[Piece]) -> Self:
        """Return another line of the same formula."""
        return type(self)(parts, self.context)

    def cursor_of_argument(self, tree: OperatorTree) -> Self:
        """Return a cursor of this kind over the pieces of an argument."""
        return self.cursor_on(argument_pieces(tree))

    def make_term(self, tree: OperatorTree) -> Tree:
        """Return an argument that is one term."""
        if not isinstance(tree, Line):
            if tree.label.startswith("N!"):
                return Tree(tree.label[2:])
            raise self.make_error(
                "an argument is missing" if tree.label == "E!missing" else "it is nested too deep"
            )
        return self.cursor_of_argument(tree).parse_only_term()

    def parse_only_term(self) -> Tree:
        """Return one term, and nothing else."""
        if not self.parts:
            raise self.make_error("something is empty")
        self.enter_level()
        result = self.parse_set_operations()
        if self.position < self.length:
            self.raise_unexpected()
        self.context.depth -= 1
        return result

    def enter_level(self) -> None:
        """Count one more level of nesting, and refuse too many."""
        self.context.depth += 1
        if self.context.depth > MAX_DEPTH:
            raise self.make_error(f"the expression is nested more than {MAX_DEPTH} deep")

    # What stands here

    def starts_factor(self) -> bool:
        """Return whether another factor stands here."""
        piece = self.here
        if piece.role == PieceRole.BAR:
            return not self.bars and piece.text in "|∥" and self.closes_later()
        if piece.role not in STARTS or piece.text == "\\\\":
            return False
        if piece.role == PieceRole.OPEN and self.opens_modulus():
            return False
        if self.integrals and self.is_differential():
            return False
        if piece.alone.label.startswith("T!"):
            return self.is_unit() or self.is_called()
        # A quantifier ends the range of the one before it: `\\forall n \\in ℕ \\exists m`.
        return piece.operator.label.partition("!")[2] not in _QUANTIFYING_SIGNS

    def is_unit(self) -> bool:
        """Return whether a text at the cursor is a unit."""
        label = self.here.alone.label
        words = label[2:].strip(" .")
        if not label.startswith("T!") or not words:
            return False
        before = self.piece_ahead(-1)
        joins = any((words := words.lower()) in table for table in _JOINING)
        written = label[2:].strip(" .")
        return (
            written in BARE_UNITS
            or (before.role == PieceRole.NUMBER and not joins)
            or is_product_of_units(written)
        )

    def is_called(self) -> bool:
        """Return whether a word at the cursor is followed by a bracket, or is always a function."""
        if self.here.alone.label[2:] == "cis":
            return True
        return self.piece_ahead(1).role == PieceRole.OPEN and self.here.alone.label[2:].isalpha()

    def is_in_braces(self) -> bool:
        """Return whether the bracket that is open at the cursor is a brace."""
        depth = 0
        for piece in reversed(self.parts[: self.position]):
            depth += (piece.role == PieceRole.CLOSE) - (piece.role == PieceRole.OPEN)
            if depth < 0:
                return piece.text in ("{", "\\{")
        return False

    def closes_later(self) -> bool:
        """Return whether a bar at the cursor is closed by one like it."""
        text, depth = self.here.text, 0
        for piece in self.parts[self.position + 1 :]:
            depth += (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE)
            if depth < 0 or (depth == 0 and piece.role in (PieceRole.RELATION, PieceRole.PUNCTUATION)):
                return False
            if depth == 0 and piece.role == PieceRole.BAR and piece.text == text:
                return True
        return False

    def opens_modulus(self) -> bool:
        """Return whether a bracket at the cursor opens `(mod n)`."""
        after = self.piece_ahead(1)
        return self.here.text == "(" and (
            after.role == PieceRole.MODIFIER or after.text == "mod" or after.alone.label == "T!mod"
        )

    def is_differential(self) -> bool:
        """Return whether `d` and a letter stand at the cursor."""
        after = self.piece_ahead(1)
        return (
            self.here.text == "d"
            and self.here.role == PieceRole.UNKNOWN
            and after.role == PieceRole.UNKNOWN
            and name_of(after)[:1].isalpha()
        )

    def is_plain_number(self) -> bool:
        """Return whether a number without power, factorial or fraction stands at the cursor."""
        after = self.piece_ahead(1)
        behind = after.role == PieceRole.SCRIPT or after.text == "!"
        return (
            self.here.role == PieceRole.NUMBER and not behind and not self.is_mixed_number(self.here, after)
        )

    def is_mixed_number(self, number: Piece, fraction: Piece) -> bool:
        r"""Return whether the two are a mixed number, `2\frac{1}{2}`."""
        if (
            number.role != PieceRole.NUMBER
            or fraction.role != PieceRole.ATOM
            or len(fraction.alone.children) != 2
        ):
            return False
        if fraction.alone.label != "O!divide" or not number.text.isdigit():
            return False
        parts = [argument_pieces(one) for one in fraction.alone.children]
        if len(parts) != 2 or any(
            len(one) != 1 or one[0].role != PieceRole.NUMBER or not one[0].text.isdigit() for one in parts
        ):
            return False
        return int(parts[0][0].text) < int(parts[1][0].text)

    def is_given(self) -> bool:
        """Return whether a bar before what is given stands here, and none that closes."""
        return self.here.role in (PieceRole.BAR, PieceRole.RELATION) and self.here.text in GIVEN

    # Why not

    def has_bold(self, tree: Tree) -> bool:
        """Return whether a tree has bold letters, which stand for vectors or matrices."""
        return self.context.bold and any(is_bold(node.label) for node in tree)

    def make_error(self, reason: str, piece: Piece | None = None, remedy: str = "") -> UnreadError:
        """Return the error for what cannot be read, at a piece."""
        piece = piece or self.here
        offset = piece.start if piece is not END else (self.parts[-1].end if self.parts else 0)
        return UnreadError(reason, offset, remedy)

    def braces_error(self, piece: Piece | None = None) -> UnreadError:
        """Return the error for braces where brackets are meant."""
        return self.make_error("braces around a sum are no brackets", piece, "Write brackets.")

    def raise_unexpected(self) -> NoReturn:
        """Raise the error for a piece that nothing can begin with or go on with."""
        piece = self.here
        if piece.alone.label == "E!deep":
            raise self.make_error(f"the expression is nested more than {MAX_DEPTH} deep")
        if piece.role == PieceRole.CLOSE:
            raise self.make_error(f"{piece.text!r} closes nothing", remedy="Remove it, or open it before.")
        if piece.alone.label.startswith("T!"):
            raise self.make_error(f"{piece.alone.label[2:].strip()[:40]!r} is not understood")
        if piece.role == PieceRole.STRAY:
            if piece.text == "{":
                raise self.make_error("'{' is never closed", remedy="Write } where it ends.")
            raise self.make_error(f"{piece.text!r} stands alone")
        shown = piece.text or piece.alone.label[2:]
        if piece.role in (
            PieceRole.RELATION,
            PieceRole.PUNCTUATION,
            PieceRole.BAR,
            PieceRole.COLON,
            PieceRole.ADD,
            PieceRole.MULTIPLY,
        ):
            raise self.make_error(f"{shown!r} is not understood here")
        raise self.make_error(f"{shown!r} is not understood")

    def raise_missing(self) -> NoReturn:
        """Raise the error for an operand that is missing."""
        piece = self.here
        if piece is END:
            raise self.make_error("the expression ends too early", remedy="Write what is missing at its end.")
        if piece.role in (PieceRole.OPERATOR, PieceRole.STRAY, PieceRole.CLOSE):
            self.raise_unexpected()
        raise self.make_error(f"something is missing before {piece.text or piece.alone.label[2:]!r}")
