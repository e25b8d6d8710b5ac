r"""LaTeX formulas as operator trees.

The grammar is that of LaTeXML, which made the trees of ARQMath: sequences of formulas, relations, sums,
products, factors with scripts; letters are variables, so `f(x)` is a product. What cannot be parsed becomes a
node `E!` over what it consists of, and the rest is parsed. Mode `arqmath` keeps the conventions of the
published trees (a chain `a < b < c` loses the shared operand, `a - b - c` is one node, a dash that is no
hyphen is a letter; `\sin(x)^2` is the sine of a square); mode `correct` repeats shared operands, nests
differences and quotients, lets relations bind closer than `\implies`, and gives a script behind a function's
brackets to its value.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from engines.formula.layout import DEEPEST, Piece, read_pieces
from engines.formula.lexer import LatexSource
from engines.formula.operator_tree import ABSENT, OperatorTree, apply_operator, deep_recursion, make_fragments
from engines.formula.spans import node_spans
from engines.formula.symbols import ARROWS, BODIES, STARTS, PieceRole

_CONNECTIVES = {"U!and", "U!or"}
_ENDS = {PieceRole.PUNCTUATION, PieceRole.PERIOD, PieceRole.COLON, PieceRole.BAR}


@dataclass(slots=True)
class _Stretch:
    """What stands between two ends of statements within one pair of brackets; `listed`: members of a set,
    which are no statements."""

    listed: bool = False
    related: bool = False
    statements: bool = True
    signs: list[int] = field(default_factory=list)


def join_connectives(parts: list[Piece]) -> list[Piece]:
    r"""Return the pieces, with each `\land` and `\lor` whose sides all are relations as a relation itself.

    In `x > 0 \land y > 0` it joins two statements, in `x \land y = z` it makes a term.
    """
    result = list(parts)
    stretches = [_Stretch()]

    def finish_stretch(listed: bool) -> _Stretch:
        # Only at the end of a stretch is it known whether all of its sides are relations.
        last = stretches.pop()
        if last.statements and last.related and not last.listed:
            for at in last.signs:
                result[at] = replace(result[at], role=PieceRole.RELATION)
        return _Stretch(listed)

    # A stretch ends at a bracket, at punctuation or at an arrow; connectives in it join statements only if
    # all of their sides are relations.
    for at, piece in enumerate(parts):
        current_stretch = stretches[-1]
        # After an opening brace, and after commas behind it, elements are listed:
        # connectives there make terms.
        label = piece.operator.label
        if piece.role == PieceRole.OPEN:
            stretches.append(_Stretch(piece.text == "{"))
        elif piece.role == PieceRole.CLOSE and len(stretches) > 1:
            finish_stretch(listed=False)
        elif piece.role in _ENDS or (
            piece.role == PieceRole.RELATION and (label in ARROWS or piece.text == "\\mid")
        ):
            stretches.append(
                finish_stretch(listed=current_stretch.listed and piece.role == PieceRole.PUNCTUATION)
            )
        elif piece.role == PieceRole.RELATION:
            current_stretch.related = True
        elif piece.role == PieceRole.ADD and label in _CONNECTIVES:
            current_stretch.statements = current_stretch.statements and current_stretch.related
            current_stretch.related = False
            current_stretch.signs.append(at)
    while stretches:
        finish_stretch(listed=False)
    return result


ParserMode = Literal["arqmath", "correct"]

_INTERVALS = {"()": "O-O", "[]": "C-C", "(]": "O-C", "[)": "C-O"}
_PAIRS = {
    "()": "M!V-{}",
    "{}": "M!S-{}",
    "[]": "M!D-lsqb;&rsqb;",
    "⟨⟩": "M!D-lang;&rang;",
    "||": "F!abs",
    "∥∥": "O!norm",
    "⌊⌋": "F!floor",
    "⌈⌉": "F!ceiling",
}
"""Labels by the brackets; `{}` is how many things there are."""


class OperandRun:
    """Operands with operators between them, from left to right; the same sign again adds an operand."""

    def __init__(self, first: OperatorTree, mode: ParserMode) -> None:
        self.operands = [first]
        self.operator: OperatorTree | None = None
        self.sign = ""
        self.mode = mode

    def add_operand(self, operator: OperatorTree, sign: str, operand: OperatorTree) -> None:
        """Add an operand; `sign` tells apart operators that are written in different ways."""
        nested = self.mode == "correct" and not operator.label.startswith("U!")
        if self.operator is not None and (sign != self.sign or not sign or operator.children or nested):
            self.operands = [self.to_tree()]
        self.operator, self.sign = operator, "" if operator.children else sign
        self.operands.append(operand)

    def to_tree(self) -> OperatorTree:
        """Return the operation of the operands so far."""
        return self.operands[0] if self.operator is None else apply_operator(self.operator, self.operands)


def make_list(parts: list[OperatorTree]) -> OperatorTree:
    """Return expressions side by side as a list; a single one is returned unchanged."""
    return parts[0] if len(parts) == 1 else OperatorTree(f"M!L-{len(parts)}", tuple(parts))


def make_fenced(opening: str, closing: str, members: list[OperatorTree]) -> OperatorTree | None:
    """Return what expressions mean between two brackets, such as an interval, or None if they mean nothing.

    Args:
        opening: The opening bracket, or `set` for a set by a condition.
        closing: The closing bracket.
        members: The expressions, without the commas between them.
    """
    pair = opening + closing
    if opening == "set" or (pair == "()" and len(members) == 1):
        return members[0]
    if pair in _INTERVALS and len(members) == 2:
        return OperatorTree(f"O!interval({_INTERVALS[pair]})", tuple(members))
    label = _PAIRS.get(pair)
    return None if label is None else OperatorTree(label.format(len(members)), tuple(members))


def make_fragments_of(parts: list[Piece]) -> OperatorTree:
    """Return pieces that cannot be parsed one by one, with what stands in brackets put together."""
    stack: list[list[OperatorTree]] = [[]]
    bare: Piece | None = None
    # A script applies to the piece before it, which must be taken back from the output.
    for piece in parts:
        if piece.role == PieceRole.SCRIPT:
            base = stack[-1].pop() if stack[-1] else ABSENT
            base = bare.alone if bare is not None else base
            stack[-1].append(OperatorTree(piece.text, (base, piece.alone)))
            bare = None
            continue
        bare = piece if piece.role == PieceRole.UNKNOWN else None
        shown = OperatorTree(f"-!{piece.text.lower()}") if bare else piece.alone
        if piece.role == PieceRole.OPEN:
            stack.append([shown])
        elif piece.role == PieceRole.CLOSE and len(stack) > 1:
            inner = stack.pop()
            stack[-1].append(make_fragments([*inner, shown]))
        else:
            stack[-1].append(shown)
    # Brackets that are never closed have their contents put back where they are.
    while len(stack) > 1:
        inner = stack.pop()
        stack[-1].extend(inner)
    return make_fragments(stack[0])


_TIMES = OperatorTree("U!times")
_PLUS = OperatorTree("U!plus")
_INVISIBLE = " "
_DASHES = "−–"
_AND = OperatorTree("U!and")
_SIGNS = {PieceRole.ADD, PieceRole.MULTIPLY, PieceRole.RELATION, PieceRole.OPERATOR, PieceRole.COLON, *BODIES}
_SEPARATORS = {PieceRole.PUNCTUATION, PieceRole.PERIOD}


def search_tree(latex: str | LatexSource) -> OperatorTree:
    r"""Return the tree by which a formula is searched: as published, with the words of texts and the
    alphabets of letters (blackboard bold, script, fraktur), which those leave out.

    >>> str(search_tree(r"\text{sinc}(\mathbb{R})")), str(operator_tree(r"\text{sinc}(\mathbb{R})"))
    ('(U!times V!sinc V!ℝ)', '(U!times W! V!R)')
    """
    return operator_tree(latex, texts=True)


def operator_tree(
    latex: str | LatexSource, mode: ParserMode = "arqmath", *, texts: bool = False
) -> OperatorTree:
    """Return the operator tree of a formula, with `texts` as `search_tree`; never raises.

    >>> str(operator_tree("x^2 + 1"))
    '(U!plus (O!SUP V!x N!2) N!1)'
    """
    source = LatexSource.from_latex(latex)

    def parse_pieces(parts: list[Piece]) -> OperatorTree:
        return _Grammar(parts, mode).parse_tree()

    with deep_recursion():
        result = parse_pieces(
            read_pieces(source, parse_pieces, _DASHES if mode == "arqmath" else "", texts=texts)
        )
    if result.label == "E!":
        result = OperatorTree("E!", result.children, (0, len(source.latex)))
    return result.cut_deep_parts(node_spans(result, source)) if result.is_too_tall() else result


class _NoFormulaError(Exception):
    pass


class _Grammar:
    """Recursive descent over pieces."""

    def __init__(self, parts: list[Piece], mode: ParserMode) -> None:
        self.parts = join_connectives(parts) if mode == "correct" else parts
        self.mode = mode
        self.at = 0
        self.bars = 0
        self.integrals = 0
        self.depth = 0

    def parse_tree(self) -> OperatorTree:
        parts = self.parts
        if not parts:
            return ABSENT
        if len(parts) == 1:
            return parts[0].alone if parts[0].role != PieceRole.STRAY else make_fragments_of(self.parts)
        if parts[1].role == PieceRole.SCRIPT and (alone := self.operator_alone()) is not None:
            return alone
        self.at = 0
        try:
            result = self.parse_formulas()
            self.read_ending()
        except _NoFormulaError:
            alone = self.operator_alone()
            return alone if alone is not None else make_fragments_of(self.parts)
        return result

    # Tokens

    def role_ahead(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.parts[at].role if at < len(self.parts) else ""

    def take_piece(self) -> Piece:
        self.at += 1
        return self.parts[self.at - 1]

    def parse_scripted(self, tree: OperatorTree) -> OperatorTree:
        while self.role_ahead() == PieceRole.SCRIPT:
            piece = self.take_piece()
            tree = OperatorTree(piece.text, (tree, piece.alone))
        return tree

    def parse_operator(self) -> OperatorTree:
        piece = self.take_piece()
        return self.parse_scripted(piece.alone) if self.role_ahead() == PieceRole.SCRIPT else piece.operator

    def read_ending(self) -> None:
        """The end of the line; a full stop or comma may stand before it."""
        while self.role_ahead() == PieceRole.PERIOD or (
            self.role_ahead() == PieceRole.PUNCTUATION and self.parts[self.at].text != ";"
        ):
            self.at += 1
        if self.at < len(self.parts):
            raise _NoFormulaError

    def operator_alone(self) -> OperatorTree | None:
        self.at = 0
        if self.parts[0].role in (*_SIGNS, PieceRole.FUNCTION):
            result = self.parse_scripted(self.take_piece().alone)
            if self.at == len(self.parts):
                return result
        return None

    # Formulas

    def parse_formulas(self) -> OperatorTree:
        """Return formulas with punctuation between them; expressions in between join the side where they
        stand.
        """
        # `left` collects the first side, `chain` the relations with their right sides,
        # and `done` whole formulas.
        done: list[OperatorTree] = []
        left: list[OperatorTree] = []
        chain: list[tuple[OperatorTree, list[OperatorTree]]] = []
        colon: tuple[OperatorTree, OperatorTree] | None = None

        def finish_formula() -> OperatorTree:
            result = self.make_relation(left, chain)
            return apply_operator(colon[0], (colon[1], result)) if colon else result

        # A formula is an expression, or a chain of relations; it ends at punctuation or a colon.
        while True:
            expression = ABSENT if self.role_ahead() == PieceRole.RELATION else self.parse_conditioned()
            if self.role_ahead() == PieceRole.RELATION:
                if chain:
                    done.append(finish_formula())
                    left, chain, colon = [], [], None
                left.append(expression)
                while self.role_ahead() == PieceRole.RELATION:
                    operator = self.parse_operator()
                    right = self.parse_conditioned() if self.starts_factor() else ABSENT
                    chain.append((operator, [right]))
            # An expression without a relation before it joins the last side that was begun.
            elif chain:
                chain[-1][1].append(expression)
            else:
                left.append(expression)
            if self.role_ahead() == PieceRole.COLON:
                operator = self.parse_operator()
                colon = operator, finish_formula()
                left, chain = [], []
                continue
            # An annotation, such as "(mod n)", does not end the formula.
            if self.parts[self.at - 1].role == PieceRole.ANNOTATION and self.starts_factor():
                continue
            # Commas keep collecting into the same side, while a full stop ends the formula.
            if self.role_ahead() in _SEPARATORS and self.has_more():
                full = self.role_ahead() == PieceRole.PERIOD
                while self.role_ahead() in _SEPARATORS:
                    self.take_piece()
                if full:
                    done.append(finish_formula())
                    left, chain, colon = [], [], None
                continue
            # The sequence nests to the right: (f, (g, h)).
            done.append(finish_formula())
            results = done.pop()
            for before in reversed(done):
                results = OperatorTree("O!form-seq", (before, results))
            return results

    def parse_chained(self, left: OperatorTree) -> OperatorTree:
        """Relations after an expression, in brackets; LaTeXML takes none there."""
        chain = []
        while self.role_ahead() == PieceRole.RELATION:
            operator = self.parse_operator()
            chain.append((operator, [self.parse_conditioned() if self.starts_factor() else ABSENT]))
        return self.make_relation([left], chain)

    def has_more(self) -> bool:
        ahead = 0
        while self.role_ahead(ahead) in _SEPARATORS:
            ahead += 1
        role = self.role_ahead(ahead)
        return role in STARTS or role in (PieceRole.ADD, PieceRole.BAR, PieceRole.RELATION)

    def starts_factor(self) -> bool:
        return self.role_ahead() in STARTS or self.role_ahead() in (
            PieceRole.ADD,
            PieceRole.BAR,
            PieceRole.ANNOTATION,
        )

    def make_relation(
        self, left: list[OperatorTree], chain: list[tuple[OperatorTree, list[OperatorTree]]]
    ) -> OperatorTree:
        # Split at the loosest connective first: arrows, then "or", then "and".
        if self.mode == "correct":
            for looser in (ARROWS, {"U!or"}, {"U!and"}):
                indices = [at for at, (operator, _) in enumerate(chain) if operator.label in looser]
                if indices and (looser is not ARROWS or len(indices) < len(chain)):
                    return self.split_relations(left, chain, indices)
        first = make_list(left)
        if not chain:
            return first
        if len(chain) == 1:
            return apply_operator(chain[0][0], (first, make_list(chain[0][1])))
        # A chain a = b = c is the conjunction of its links.
        made = []
        before: OperatorTree | None = first
        for operator, right in chain:
            after = make_list(right)
            made.append(apply_operator(operator, (after,) if before is None else (before, after)))
            # LaTeXML leaves out the shared side in later links; the correct mode repeats it.
            before = after if self.mode == "correct" else None
        return apply_operator(_AND, made)

    def split_relations(
        self,
        left: list[OperatorTree],
        chain: list[tuple[OperatorTree, list[OperatorTree]]],
        places: list[int],
    ) -> OperatorTree:
        """Relations between what binds less than relations do: arrows of implication, or, and."""
        ends = [*places[1:], len(chain)]
        first = self.make_relation(left, chain[: places[0]])
        arrows = [chain[at][0] for at in places]
        rest = [
            self.make_relation(chain[at][1], chain[at + 1 : end])
            for at, end in zip(places, ends, strict=True)
        ]
        if arrows[0].label in ARROWS:
            return self.make_relation(
                [first], [(arrow, [one]) for arrow, one in zip(arrows, rest, strict=True)]
            )
        return apply_operator(arrows[0], (first, *rest))

    def parse_conditioned(self) -> OperatorTree:
        """Return an expression, under a condition after a bar, with what is said of it behind."""
        result = self.parse_expression()
        while self.role_ahead() == PieceRole.BAR and self.parts[self.at].text == "|" and not self.bars:
            self.take_piece()
            result = OperatorTree("O!conditional", (result, self.parse_expression()))
        while self.role_ahead() == PieceRole.MODIFIER:
            operator = self.parse_operator()
            result = apply_operator(operator, (result, self.parse_expression()))
        while self.role_ahead() == PieceRole.ANNOTATION:
            result = OperatorTree("O!annotated", (result, self.take_piece().alone))
        return result

    # Expressions

    def parse_expression(self) -> OperatorTree:
        run = OperandRun(self.parse_signed(), self.mode)
        while self.role_ahead() == PieceRole.ADD:
            text = self.parts[self.at].text
            run.add_operand(self.parse_operator(), text, self.parse_term())
        return run.to_tree()

    def parse_signed(self) -> OperatorTree:
        return (
            apply_operator(self.parse_operator(), (self.parse_term(),))
            if self.role_ahead() == PieceRole.ADD
            else self.parse_term()
        )

    def parse_term(self) -> OperatorTree:
        number = self.role_ahead() == PieceRole.NUMBER
        run = OperandRun(self.parse_factor(), self.mode)
        while True:
            if self.role_ahead() == PieceRole.MULTIPLY:
                text = self.parts[self.at].text
                run.add_operand(self.parse_operator(), text, self.parse_factor())
            elif self.role_ahead() in STARTS or (self.role_ahead() == PieceRole.BAR and self.opens_bar()):
                if number and self.is_fraction():
                    run.add_operand(_PLUS, "", self.parse_factor())
                else:
                    run.add_operand(_TIMES, _INVISIBLE, self.parse_factor())
            else:
                return run.to_tree()
            number = False

    def is_fraction(self) -> bool:
        tree = self.parts[self.at].alone
        return tree.label == "O!divide" and all(child.label.startswith("N!") for child in tree.children)

    def parse_factor(self) -> OperatorTree:
        if self.depth > DEEPEST:
            raise _NoFormulaError
        self.depth += 1
        result = self.parse_applied()
        self.depth -= 1
        return result

    def parse_applied(self) -> OperatorTree:
        # Operators that take what follows come first.
        role = self.role_ahead()
        if role in BODIES:
            return self.parse_body()
        if role == PieceRole.FUNCTION:
            return self.parse_function()
        if role == PieceRole.OPERATOR:
            operator = self.parse_operator()
            return (
                apply_operator(operator, (self.parse_factor(),)) if self.role_ahead() in STARTS else operator
            )
        if role == PieceRole.OPEN:
            result = self.parse_fenced()
        elif role == PieceRole.BAR:
            result = self.parse_barred()
        # The d of a differential is a letter that only an open integral turns into an operator.
        elif role in STARTS or role == PieceRole.ANNOTATION:
            if self.integrals and self.is_differential():
                self.take_piece()
                return OperatorTree("O!differential-d", (self.parse_factor(),))
            result = self.take_piece().alone
        else:
            raise _NoFormulaError
        # Scripts and postfix signs apply in the order in which they are written.
        while True:
            if self.role_ahead() == PieceRole.SCRIPT:
                result = self.parse_scripted(result)
            elif self.role_ahead() == PieceRole.POSTFIX:
                result = apply_operator(self.take_piece().operator, (result,))
            else:
                return result

    def is_differential(self) -> bool:
        piece = self.parts[self.at]
        return (
            piece.role == PieceRole.UNKNOWN
            and piece.text == "d"
            and self.role_ahead(1) in (PieceRole.UNKNOWN, PieceRole.ATOM)
        )

    def parse_body(self) -> OperatorTree:
        role = self.role_ahead()
        operator = self.parse_operator()
        if not self.starts_factor() or (self.role_ahead() == PieceRole.BAR and not self.opens_bar()):
            return operator
        if (
            role == PieceRole.LIMIT
            and self.role_ahead() == PieceRole.OPEN
            and operator.label in ("F!max", "F!min")
        ):
            return self.call_function(operator)
        integrals, self.integrals = self.integrals, self.integrals + 1 if role == PieceRole.INTEGRAL else 0
        result = self.parse_signed()
        self.integrals = integrals
        if role == PieceRole.INTEGRAL and not operator.children:
            return apply_operator(operator, (result, ABSENT, ABSENT))
        return apply_operator(operator, (result,))

    def parse_function(self) -> OperatorTree:
        operator = self.parse_operator()
        if self.role_ahead() == PieceRole.OPEN:
            return self.call_function(operator)
        if self.role_ahead() in (PieceRole.FUNCTION, *BODIES) or (
            self.role_ahead() == PieceRole.BAR and self.opens_bar()
        ):
            return apply_operator(operator, (self.parse_factor(),))
        if self.role_ahead() not in STARTS:
            return operator
        run = OperandRun(self.parse_factor(), self.mode)
        simple = (PieceRole.ATOM, PieceRole.UNKNOWN, PieceRole.NUMBER)
        while self.role_ahead() in simple and not (self.integrals and self.is_differential()):
            run.add_operand(_TIMES, _INVISIBLE, self.parse_factor())
        return apply_operator(operator, (run.to_tree(),))

    # Brackets

    def opens_bar(self) -> bool:
        """Return whether the bar here opens: none is open, and its partner follows."""
        if self.bars:
            return False
        text = self.parts[self.at].text
        depth = 0
        for piece in self.parts[self.at + 1 :]:
            depth += (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE)
            if depth < 0 or (depth == 0 and piece.role == PieceRole.BAR and piece.text == text):
                return depth == 0
        return False

    def parse_barred(self) -> OperatorTree:
        text = self.take_piece().text
        self.bars += 1
        try:
            result = self.parse_expression()
        finally:
            self.bars -= 1
        if self.role_ahead() != PieceRole.BAR or self.parts[self.at].text != text:
            raise _NoFormulaError
        self.take_piece()
        return OperatorTree("F!abs" if text == "|" else "O!norm", (result,))

    def call_function(self, operator: OperatorTree) -> OperatorTree:
        """Return a function of each thing in the brackets that follow."""
        at = self.at
        opening, closing, arguments = self.parse_bracketed()
        scripted = self.role_ahead() == PieceRole.SCRIPT
        if opening + closing in ("()", "[]", "{}") and (self.mode == "correct" or not scripted):
            return self.parse_scripted(apply_operator(operator, tuple(arguments)))
        self.at = at
        return apply_operator(operator, (self.parse_scripted(self.parse_fenced()),))

    def parse_fenced(self) -> OperatorTree:
        result = make_fenced(*self.parse_bracketed())
        if result is None:
            raise _NoFormulaError
        return result

    def parse_bracketed(self) -> tuple[str, str, list[OperatorTree]]:
        opening = self.take_piece().text
        # A bar or an integral outside the brackets is not closed by anything inside them.
        bars, self.bars = self.bars, 0
        integrals, self.integrals = self.integrals, 0
        result = [self.parse_element(opening)]
        while self.role_ahead() == PieceRole.PUNCTUATION:
            while self.role_ahead() == PieceRole.PUNCTUATION:
                self.take_piece()
            result.append(self.parse_element(opening))
        # A set with a condition, { x : x > 0 }, has a colon, bar or relation after its only element.
        if (
            opening == "{"
            and self.role_ahead() in (PieceRole.COLON, PieceRole.BAR, PieceRole.RELATION)
            and len(result) == 1
        ):
            self.take_piece()
            result = [OperatorTree("O!conditional-set", (result[0], self.parse_formulas()))]
            opening = "set"
        if self.role_ahead() != PieceRole.CLOSE:
            raise _NoFormulaError
        self.bars, self.integrals = bars, integrals
        return opening, self.take_piece().text, result

    def parse_element(self, opening: str) -> OperatorTree:
        """Return one of several things in brackets: an expression, or a bare operator."""
        # A sign alone between brackets or commas is an operator as an object, as in (G, +).
        if self.role_ahead() in _SIGNS and self.role_ahead(1) in (PieceRole.PUNCTUATION, PieceRole.CLOSE):
            return self.take_piece().alone
        result = self.parse_conditioned() if opening != "{" else self.parse_expression()
        # In square brackets a colon separates, as in the degree of a field extension, [K : F].
        if opening == "[" and self.role_ahead() == PieceRole.COLON:
            operator = self.parse_operator()
            return apply_operator(operator, (result, self.parse_expression()))
        if self.role_ahead() == PieceRole.RELATION and self.mode == "correct" and opening != "{":
            return self.parse_chained(result)
        # In braces "\mid" is the bar of the condition, not a relation of divisibility.
        if self.role_ahead() == PieceRole.RELATION and opening == "{":
            if self.parts[self.at].text == "\\mid":
                return result
            operator = self.parse_operator()
            # A relation such as x ∈ A counts as the element only if a condition follows.
            result = apply_operator(operator, (result, self.parse_expression()))
            if self.role_ahead() not in (PieceRole.COLON, PieceRole.BAR, PieceRole.RELATION):
                raise _NoFormulaError
        return result


class ParsedFormula(LatexSource):
    """A formula: its LaTeX and what is made of it, each made once, when it is asked for, of tokens that are
    read once."""

    @cached_property
    def tree(self) -> OperatorTree:
        """The operator tree of the formula."""
        return operator_tree(self)

    @cached_property
    def search_tree(self) -> OperatorTree:
        """The tree by which it is searched."""
        return search_tree(self)

    @cached_property
    def layout(self) -> OperatorTree:
        """The symbol layout tree of the formula."""
        from engines.formula.symbol_layout import layout_tree

        return layout_tree(self)

    @cached_property
    def spans(self) -> list[tuple[int, int] | None]:
        """The spans of the nodes of `search_tree` in the source."""
        return node_spans(self.search_tree, self)

    @cached_property
    def shown(self) -> str:
        """The formula as one line of Unicode."""
        from engines.formula.unicode import unicode_text

        return unicode_text(self)
