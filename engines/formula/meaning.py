r"""What a formula says: terms and statements, read from LaTeX, MathML or plain text.

The labels of terms are, with their operands:

- numbers (`7`, `-7`, `0.5`), named constants `pi`, `e`, `i` (the imaginary unit), `inf`, sets of numbers
  (`ℝ`), and variables: a letter or word with what is attached to it (`x`, `x_1`, `α`, `x'`, `A_ij`); where
  such a name is a label of the language it has a mark behind it (`d_`, and `i_` where i is a letter);
- `+ - * / pow` (2), `sqrt ln abs`, the trigonometric and hyperbolic functions and their inverses (1),
  `log` (base, argument), `d` (variable, body);
- `sum prod integral` (variable, from, to, body), `antiderivative` (variable, body), `limit` (variable, to,
  side `+`, `-` or `both`, body);
- `sign floor ceil round factorial gamma conj re im arg` (1), `binomial pochhammer mod min max gcd lcm` (2,
  more are nested to the left), `root` (degree, radicand);
- `call` (name, arguments...): a function of which nothing is known: `f`, `f'`, `f^-1`, a sequence;
- `pm` (one or two): both signs at once;
- `tuple list set` (members...), `interval` (`oo`, `oc`, `co` or `cc`, low, high), `union intersection
  without` (2), `matrix` (rows of `row`), `det tr transpose inverse` (1);
- `such` (member, condition): the set of all such members; `cases` (value, condition, value, ...): a value
  by cases, in which `else` is the condition of all that is left;
- statements: `= != < <= > >= in subset approx` (2), `congruent` (left, right, modulus), `and or implies iff`
  (2 and more), `not` (1), `forall exists` (variable, where it ranges, if that is said, body), `related` (the
  sign of a relation of which nothing is known, left, right), `maps` (function, from, to);
- `unit` (name): a factor such as `cm`; `text` (words): an answer in words.

In documents an operator of which nothing is known is a `call` of its sign. Its arguments are what it applies
to: a statement among them is a `call` of its label, a variable that the operator binds has a mark before it
(`•k`), and `given` has what is given. `…` is what an ellipsis leaves out.

A percent sign divides by 100 and a degree sign multiplies by pi/180.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from engines.core.errors import DataError
from engines.core.tree import MAX_CHARACTERS, MAX_DEPTH, MAX_NODES, Tree
from engines.formula.cursor import (
    ZERO,
    ReadingContext,
    UnreadError,
    is_bold,
    is_statement,
)
from engines.formula.dialects import NATURAL_DIALECTS, recognize_dialect
from engines.formula.layout import Piece, read_pieces
from engines.formula.lexer import LatexSource
from engines.formula.operator_tree import deep_recursion
from engines.formula.statement_parser import StatementParser
from engines.formula.symbols import ARROWS, PieceRole
from engines.formula.vocabulary import (
    RELATION_NAMES,
    argument_pieces,
    bracket_after,
    is_connective,
    iterate_lines,
    join_words,
    make_line,
    name_of,
    says_nothing,
    sequence_name,
    unroll_cells,
)


@dataclass(frozen=True, slots=True)
class Names:
    """What a document says of its letters.

    `functions` are functions, `letters` are neither functions nor constants although they could be (`e`, `i`,
    `f`), and `integers` stand for integers; what stands above the names in `indexed` is an index and no
    exponent, or only where it is in brackets (`x(`). In an answer (`is_answer`) percent and degree signs are
    units, a colon makes a `ratio`, values may be listed behind a relation, and its left side may be left out.
    A logarithm without a base is natural, or to the base `log_base`.
    With `reads_unknown_signs`, as in a document, operators and relations of which nothing is known are read
    as such. Square brackets around one term can be its integer part (`has_integer_parts`), and points between
    factors signs of products, also `2.3` (`has_points_for_products`), and `C_n^k` a number of combinations
    (`has_scripted_counts`).
    """

    functions: frozenset[str] = frozenset()
    letters: frozenset[str] = frozenset()
    integers: frozenset[str] = frozenset()
    is_answer: bool = False
    indexed: frozenset[str] = frozenset()
    log_base: str = ""
    reads_unknown_signs: bool = False
    has_integer_parts: bool = False
    has_points_for_products: bool = False
    has_scripted_counts: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    r"""A formula as a term or statement; `tree` is None where it cannot be read, and `reason` says why.

    `notes` name what could be read in two ways, and how it was: "i is the imaginary unit". `open_ended` has
    the products that no bracket or line of a fraction ends: the arguments of `\sin x y`, and what stands
    behind a slash, as `1/2 \cdot x`; and powers behind the bracket of an argument, `\ln(x)^2`. Some writers
    mean them to end sooner, or later.
    """

    tree: Tree | None
    reason: str = ""
    notes: tuple[str, ...] = ()
    open_ended: frozenset[Tree] = frozenset()


_NONE = Names()


def read(formula: str | LatexSource, names: Names | None = None, dialect: str = "auto") -> Reading:
    r"""Read what a formula says; it never raises.

    `auto` takes an element for MathML, commands and braces for LaTeX, and all else for plain text.

    >>> read(r"\frac{1}{2} x_1 = \sin^2 \alpha").tree.list_labels()
    ['=', '*', '/', '1', '2', 'x_1', 'pow', 'sin', 'α', '2']
    >>> read("x^10 <= sqrt(2)").tree.list_labels()
    ['<=', 'pow', 'x', '10', 'sqrt', '2']
    >>> read(r"1/2x").reason
    'what is divided by can be read in two ways'
    """
    try:
        meant = formula if isinstance(formula, LatexSource) else _as_latex(formula, dialect)
        if isinstance(meant, Tree):
            if _too_large(meant):
                raise UnreadError("it is too large")
            return Reading(meant)
        tree, context = parse_or_raise(meant, names)
    except UnreadError as error:
        return Reading(None, error.reason)
    except DataError as error:
        return Reading(None, error.what)
    return _make_reading(tree, context)


def _make_reading(tree: Tree, context: ReadingContext) -> Reading:
    return Reading(tree, "", tuple(context.notes), frozenset(context.open_ended))


def _as_latex(text: str, dialect: str) -> str | Tree:
    if len(text) > MAX_CHARACTERS:
        raise UnreadError(f"it has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read")
    name = recognize_dialect(text) if dialect == "auto" else dialect
    if name not in NATURAL_DIALECTS:
        raise ValueError(f"no dialect {name!r}: known are auto, {', '.join(NATURAL_DIALECTS)}")
    return NATURAL_DIALECTS[name].convert(text)


def parse_or_raise(formula: str | LatexSource, names: Names | None = None) -> tuple[Tree, ReadingContext]:
    """Return the term, and what was settled while it was read.

    Raises:
        UnreadError: With the place of what cannot be read.
    """
    parts = pieces_of(LatexSource.from_latex(formula))
    context = context_of(parts, names or _NONE)
    context.is_answer = names is not None and names.is_answer
    context.log_base = "" if names is None else names.log_base
    context.has_integer_parts = names is not None and names.has_integer_parts
    context.has_points_for_products = names is not None and names.has_points_for_products
    context.has_scripted_counts = names is not None and names.has_scripted_counts
    context.reads_unknown_signs = names is not None and names.reads_unknown_signs
    tree = _parse_tree(parts, context)
    if _too_large(tree):
        raise UnreadError("it is too large")
    return tree, context


def _parse_tree(parts: list[Piece], context: ReadingContext) -> Tree:
    with deep_recursion():
        tree = StatementParser(parts, context).parse_line()
        return _with_sequences(tree, context) if context.sequences else tree


def _too_large(tree: Tree) -> bool:
    nodes = levels = 0
    row: Sequence[Tree] = (tree,)
    while row and nodes <= MAX_NODES and levels <= MAX_DEPTH:
        nodes, levels = nodes + len(row), levels + 1
        row = [child for node in row for child in node.children]
    return nodes > MAX_NODES or levels > MAX_DEPTH


def pieces_of(source: LatexSource) -> list[Piece]:
    """Return the pieces of a formula, with words and arguments found in them."""
    if len(source.latex) > MAX_CHARACTERS:
        raise UnreadError(f"it has {len(source.latex):,} characters; at most {MAX_CHARACTERS:,} are read")
    return [*_read_pieces_of(source.latex)]


@lru_cache(1024)
def _read_pieces_of(latex: str) -> tuple[Piece, ...]:
    # What a document says of its letters is looked for in all formulas before each of them is read.
    with deep_recursion():
        return tuple(unroll_cells(join_words(read_pieces(LatexSource(latex), make_line, whole=True))))


def context_of(parts: list[Piece], names: Names) -> ReadingContext:
    """Return what is known of the letters of a formula before it is read."""
    # `bare` has names without and `called` names with a bracket behind; `single` has
    # capitals that occur alone.
    functions, letters = set(names.functions), set(names.letters)
    bare: set[str] = set()
    called: set[str] = set()
    capitals: set[str] = set()
    single: set[str] = set()
    bold = False
    # Go over all lines, those of arguments too.
    for line_parts in iterate_lines(parts):
        before = ""
        for at, piece in enumerate(line_parts):
            # An i or e in a subscript is an index there, and so everywhere in this formula.
            if (
                piece.text == "O!SUB"
                and at
                and line_parts[at - 1].role in (PieceRole.UNKNOWN, PieceRole.SCRIPT)
            ):
                letters |= {one.text for one in argument_pieces(piece.alone) if one.text in ("i", "e")}
            if piece.role != PieceRole.UNKNOWN:
                before = ""
                continue
            name = name_of(piece)
            bold = bold or is_bold(name)
            # A bracket behind a name makes it a candidate for a function.
            how = bracket_after(line_parts, at)
            if how:
                called |= {name} if how == "function" else set()
            else:
                bare.add(name)
            # Capitals side by side, as in AB, are points of geometry.
            capital = len(name) == 1 and "A" <= name <= "Z"
            behind = line_parts[at + 1] if at + 1 < len(line_parts) else None
            if capital and before:
                capitals |= {before, name}
            # A capital that occurs alone is a variable, so AB is a product of variables after all.
            elif capital and (
                behind is None or behind.role != PieceRole.UNKNOWN or not name_of(behind).isupper()
            ):
                ahead = line_parts[at - 1] if at else None
                if ahead is None or (ahead.role != PieceRole.FUNCTION and ahead.text != "∠"):
                    single.add(name)
            before = name if capital else ""
            # "i = 1" at the beginning makes i an index, no imaginary unit.
            if name == "i" and behind is not None and behind.role == PieceRole.RELATION:
                opens = at == 0 or line_parts[at - 1].role in (PieceRole.PUNCTUATION, PieceRole.RELATION)
                after = line_parts[at + 2].alone.label if at + 2 < len(line_parts) else ""
                # Not so in "i = √…" and "i = (0, 1)", which define the imaginary unit.
                defines = after == "O!root" or [one.text for one in line_parts[at + 2 : at + 4]] == ["(", "0"]
                if opens and not (behind.operator.label == "U!eq" and defines):
                    letters.add("i")
    # A name is a function if it is always followed by a bracket, or if the formula defines it.
    functions |= (called - bare - letters - {"e", "i", "π", "d"}) | _find_defined_names(parts)
    geometric = capitals - single - functions
    return ReadingContext(
        frozenset(functions),
        frozenset(letters),
        frozenset(bare),
        # A single such name is no evidence of geometry.
        frozenset(geometric if len(geometric) > 1 else ()),
        bold,
        indexed=names.indexed,
    )


def _find_defined_names(parts: list[Piece]) -> set[str]:
    """Return letters that the formula itself makes functions: `P(x) = …`, `f: A \\to B`."""
    result: set[str] = set()
    for at, (piece, after) in enumerate(pairwise(parts)):
        if piece.role != PieceRole.UNKNOWN:
            continue
        # "f: A → B" makes f a function.
        if after.text == ":" and any(one.operator.label.startswith("F!→") for one in parts[at + 2 :]):
            result.add(name_of(piece))
        elif after.text == "(":
            # "P(x, y) =" does so too, if only letters are between its brackets;
            # otherwise it may be a product.
            close = at + 2
            while close < len(parts) and (
                parts[close].role in (PieceRole.UNKNOWN, PieceRole.SCRIPT) or parts[close].text == ","
            ):
                close += 1
            if (
                close + 1 < len(parts)
                and parts[close].text == ")"
                and parts[close + 1].operator.label in ("U!eq", "O!assign")
                and (
                    at == 0
                    or parts[at - 1].role in (PieceRole.PUNCTUATION, PieceRole.RELATION, PieceRole.ATOM)
                )
                and name_of(piece) not in ("e", "i", "π", "d")
            ):
                result.add(name_of(piece))
    return result


def _with_sequences(tree: Tree, context: ReadingContext) -> Tree:
    """Return the tree with each `a_1` as `a` of 1 where some index of a is worked out."""
    if not tree.children:
        base, indices = context.subscripted.get(tree.label, ("", ()))
        is_sequence = base in context.sequences
        return Tree("call", (Tree(sequence_name(base)), *indices)) if is_sequence else tree
    return Tree(tree.label, tuple(_with_sequences(child, context) for child in tree.children))


def list_relations(reading: Reading | Tree) -> list[Tree]:
    """Return the statements that a formula joins by "and", such as the relations of a chain with their sides.

    A term has none.

    >>> [link.list_labels() for link in list_relations(read("a = b < c"))]
    [['=', 'a', 'b'], ['<', 'b', 'c']]
    """
    tree = reading.tree if isinstance(reading, Reading) else reading
    if tree is None or not is_statement(tree):
        return []
    if tree.label == "and":
        return [link for part in tree.children for link in list_relations(part)]
    return [tree]


@dataclass(frozen=True, slots=True)
class StatementLink:
    """A relation in a text of mathematics: its sides, each read alone, and where it stands."""

    left: Reading
    relation: str
    right: Reading
    span: tuple[int, int]
    modulus: Reading | None = None

    @property
    def tree(self) -> Tree | None:
        """The statement; None where a side is not read."""
        left, right, modulus = self.left.tree, self.right.tree, self.modulus
        if left is None or right is None:
            return None
        if modulus is not None:
            return Tree("congruent", (left, right, modulus.tree)) if modulus.tree is not None else None
        if self.relation == "divides":
            return Tree("congruent", (right, ZERO, left))
        if self.relation == "not in":
            return Tree("not", (Tree("in", (left, right)),))
        return Tree(self.relation, (left, right)) if self.relation in _TWO_SIDED else None

    @property
    def reason(self) -> str:
        """Why the link is not read, or an empty text."""
        if self.tree is not None:
            return ""
        side_reason = self.left.reason or self.right.reason or (self.modulus.reason if self.modulus else "")
        return side_reason or f"the relation {self.relation!r} is not understood"


_TWO_SIDED = frozenset(("=", "!=", "<", "<=", ">", ">=", "in", "subset", "approx"))


def read_links(formula: str | LatexSource, names: Names | None = None) -> list[StatementLink]:
    r"""Return the links of the chains of relations in a formula, over all lines of an aligned environment.

    A side that cannot be read concerns only the links next to it.

    >>> [(one.relation, one.span) for one in read_links(r"\begin{align} a &= b \\ &= c \end{align}")]
    [('=', (14, 20)), ('=', (19, 28))]
    """
    source = LatexSource.from_latex(formula)
    # A formula that cannot even be tokenised has no links, which is no error for the caller.
    try:
        parts = pieces_of(source)
    except UnreadError:
        return []
    context = context_of(parts, names or _NONE)
    result: list[StatementLink] = []
    for chain in _iterate_chains(parts):
        if len(chain) < 2:
            continue
        # A modulus at the end of a chain applies to all its links.
        moduli = [end for side, _ in chain if (end := _take_modulus(side)) is not None]
        modulus = _read_side(moduli[-1], context) if moduli else None
        # Read each side once: it belongs to the link on its left and to the one on its right.
        readings = [
            _read_side(side, context) if side else Reading(None, "a side is missing") for side, _ in chain
        ]
        for at, (left, relation) in enumerate(chain[:-1]):
            right = chain[at + 1][0]
            if not left or not right or relation is None:
                continue
            label = relation.operator.label
            name = RELATION_NAMES.get(label) or (relation.text or label[2:])
            if name == "\\mid":
                name = "divides"
            if label == "U!approx" and relation.text != "\\cong":
                name = "approx"
            span = left[0].start, right[-1].end
            # A modulus makes a congruence only of an equation or an equivalence.
            equivalent = modulus if label in ("U!equivalent", "U!eq") else None
            result.append(StatementLink(readings[at], name, readings[at + 1], span, equivalent))
    return result


def _take_modulus(side: list[Piece]) -> list[Piece] | None:
    r"""Return the modulus at the end of a side, taken off it: `\pmod n`, `\mod n`, `(\bmod n)`, `(mod n)`."""
    if side and side[-1].role == PieceRole.ANNOTATION:
        return list(argument_pieces(side.pop().alone.children[0]))
    for at, piece in enumerate(side[:-1]):
        opens = piece.text == "(" and side[-1].text == ")"
        marked = side[at + 1].role == PieceRole.MODIFIER or side[at + 1].text == "mod"
        if at and ((opens and marked) or piece.text == "\\mod"):
            result = side[at + 2 : -1] if opens else side[at + 1 :]
            del side[at:]
            return result
    return None


def _read_side(parts: list[Piece], context: ReadingContext) -> Reading:
    own = replace(
        context,
        notes={},
        places={},
        bound=[],
        subscripted={},
        sequences=set(context.sequences),
        open_ended=set(),
    )
    try:
        tree = _parse_tree(parts, own)
    except UnreadError as error:
        return Reading(None, error.reason)
    if is_statement(tree) or tree.label == "list":
        return Reading(None, "a list beside a relation is not understood")
    if _too_large(tree):
        return Reading(None, "it is too large")
    return _make_reading(tree, own)


_Sides = list[tuple[list[Piece], Piece | None]]


def _iterate_chains(parts: list[Piece]) -> Iterator[_Sides]:
    chain: _Sides = []
    side: list[Piece] = []
    depth = 0
    for at, piece in enumerate(parts):
        depth = max(0, depth + (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE))
        after = next((one for one in parts[at + 1 :] if not says_nothing(one)), None)
        # Within brackets nothing ends a side, not even a relation.
        if depth or not (ends := _ends_side(piece, parts, at, after)):
            if not says_nothing(piece) or depth:
                side.append(piece)
        elif ends == "relation":
            chain.append((side, piece))
            side = []
        # After a comma further items, as in "x = 1, 2", continue the side; a new relation begins a chain.
        elif after is not None and piece.text == "," and not _goes_on(parts, at):
            side.append(piece)
        else:
            yield [*chain, (side, None)]
            chain, side = [], []
    yield [*chain, (side, None)]


def _ends_side(piece: Piece, parts: list[Piece], at: int, after: Piece | None) -> str:
    """Return whether a side ends here: with a relation, or the chain as well."""
    label = piece.operator.label
    # Arrows and logical signs stand between statements, so they end the chain.
    if label in ARROWS or label.startswith(("U!and", "U!or")):
        return "chain"
    if piece.role == PieceRole.RELATION:
        return "relation"
    # A new line that begins with a sign or a relation continues the chain.
    if piece.text == "\\\\":
        return "" if after is not None and after.role in (PieceRole.RELATION, PieceRole.ADD) else "chain"
    if piece.role == PieceRole.PERIOD:
        return "chain"
    if piece.role == PieceRole.PUNCTUATION:
        if (
            piece.alone.label == "V!quad"
            and after is not None
            and after.role in (PieceRole.RELATION, PieceRole.ADD)
        ):
            return ""
        # "1,000" is one number: three digits right after the comma.
        before, behind = parts[at - 1] if at else None, parts[at + 1] if at + 1 < len(parts) else None
        number = before is not None and behind is not None and before.role == behind.role == PieceRole.NUMBER
        return "" if number and len(behind.text) == 3 and behind.start - before.end < 4 else "chain"  # type: ignore[union-attr]
    return "chain" if is_connective(piece) else ""


def _goes_on(parts: list[Piece], at: int) -> bool:
    """Return whether a relation follows the comma here before the next one: another formula, no list."""
    depth = 0
    for piece in parts[at + 1 :]:
        depth += (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE)
        if depth <= 0 and piece.role == PieceRole.RELATION:
            return True
        if depth <= 0 and (
            piece.role == PieceRole.PUNCTUATION or piece.text == "\\\\" or is_connective(piece)
        ):
            return piece.role != PieceRole.PUNCTUATION or piece.text != ","
    return False
