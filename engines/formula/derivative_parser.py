r"""Derivatives: `\frac{d}{dx}` of what follows, `\frac{dy}{dx}`, by several variables."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.formula.big_operator_parser import BigOperatorParser
from engines.formula.cursor import (
    call_unknown,
)
from engines.formula.layout import Piece
from engines.formula.symbols import PieceRole
from engines.formula.vocabulary import (
    is_name,
    is_variable,
    name_of,
    spell_argument,
    variable_name,
)

DIFFERENT_ORDERS = "the orders of a derivative above and below the line differ"
"""Why `\\frac{d^2y}{dx^3}` has no reading."""


class DerivativeParser(BigOperatorParser):
    """Reads fractions that are derivatives."""

    def parse_derivative(self, above: Sequence[Piece], below: Sequence[Piece], piece: Piece) -> Tree | None:
        r"""Return a derivative: `\frac{d}{dx}` of what follows, `\frac{dy}{dx}`, `\frac{d^2 y}{dx^2}`."""
        marks = ("d", "\\partial")
        # Only "d over d" or "∂ over ∂", with a variable after the lower sign, is a derivative.
        if len(below) < 2 or below[0].text not in marks or above[0].text != below[0].text:
            return None
        marked = len(below) == 3 and below[2].text != "O!SUP"
        if self.context.reads_unknown_signs and (not is_variable(below[1]) or len(below) > 3 or marked):
            return self.parse_partial(above[1:], below, piece)
        if not is_variable(below[1]):
            return None
        # The order is the exponent of the upper sign, and the exponent of the variable must repeat it.
        order, rest = 1, list(above[1:])
        if rest and rest[0].role == PieceRole.SCRIPT and rest[0].text == "O!SUP":
            digits = spell_argument(rest[0].alone)
            if not digits.isdecimal() or not 0 < int(digits) < 10:
                raise self.make_error("a derivative of such an order is not understood", piece)
            order, rest = int(digits), rest[1:]
            under = below[2:]
            if len(under) != 1:
                raise self.make_error("a derivative by several variables is not understood", piece)
            if spell_argument(under[0].alone) != digits:
                raise self.make_error(DIFFERENT_ORDERS, piece)
        elif len(below) > 2:
            raise self.make_error("a derivative by such a variable is not understood", piece)
        variable = Tree(variable_name(name_of(below[1])))
        # "dy/dx" has the body in the numerator; after a bare "d/dx" it is the term that follows.
        body = self.cursor_on(rest).parse_only_term() if rest else self.slope_of(piece)
        # In dy/dx the letter y is a function of x, not a constant whose derivative would vanish.
        if is_name(body.label) and body != variable and not self.is_constant(body):
            body = Tree("call", (body, variable))
        # A derivative of order n is n nested nodes of order one, so that rules need to know only these.
        for _ in range(order):
            body = Tree("d", (variable, body))
        return body

    def parse_partial(self, above: Sequence[Piece], below: Sequence[Piece], piece: Piece) -> Tree:
        r"""Return a derivative by several variables, or by one with a mark: `\partial^2 f/\partial x\partial
        y_1`."""
        starts = [at for at, one in enumerate(below) if one.text == below[0].text]
        variables: list[Tree] = []
        for start, end in zip(starts, [*starts[1:], len(below)], strict=True):
            parts, times = below[start + 1 : end], "1"
            if len(parts) > 1 and parts[-1].text == "O!SUP":
                parts, times = parts[:-1], spell_argument(parts[-1].alone)
            if not times.isdecimal() or not 0 < int(times) < 10:
                raise self.make_error("a derivative of such an order is not understood", piece)
            variables += [self.cursor_on(parts).parse_only_term()] * int(times)
        order = 1
        if above and above[0].text == "O!SUP":
            times, above = spell_argument(above[0].alone), above[1:]
            order = int(times) if times.isdecimal() else 0
        if order != len(variables):
            raise self.make_error("a derivative of such an order is not understood", piece)
        body = self.cursor_on(above).parse_only_term() if above else self.slope_of(piece)
        plain = [one for one in variables if not one.children and not self.has_bold(one)]
        if (
            is_name(body.label)
            and body not in variables
            and not self.is_constant(body)
            and plain == variables
        ):
            body = call_unknown(body.label, *dict.fromkeys(variables))
        for variable in reversed(variables):
            known = variable in plain
            body = Tree("d", (variable, body)) if known else call_unknown("∂", variable, body)
        return body

    def is_constant(self, tree: Tree) -> bool:
        """Return whether what is differentiated is no letter that depends on the variable."""
        return bool(tree.children) or tree.label in ("e", "pi", "i", *self.context.letters)

    def slope_of(self, piece: Piece) -> Tree:
        """Parse what stands behind a derivative."""
        doubt = "what the derivative applies to can be read in two ways"
        if self.here.role == PieceRole.OPEN:
            result = self.parse_fenced()
            if self.here.role == PieceRole.SCRIPT:
                raise self.make_error(doubt, piece, "Write brackets.")
            return result
        if not self.starts_factor():
            raise self.make_error("a derivative without an argument is not understood", piece)
        result = self.parse_factor()
        if self.starts_factor() or self.here.role == PieceRole.MULTIPLY:
            raise self.make_error(doubt, piece, "Write brackets.")
        return result
