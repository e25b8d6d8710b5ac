"""Numerals with what is written within them: separators, repeating digits, a base."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.formula.cursor import (
    Cursor,
    call_unknown,
)
from engines.formula.symbols import STARTS, PieceRole
from engines.formula.vocabulary import (
    argument_pieces,
    spell_argument,
)

_BEHIND_NUMBERS = (PieceRole.PERIOD, PieceRole.ATOM, PieceRole.SCRIPT)
"""What may be a part of the number before it, as a comma may."""


class NumeralParser(Cursor):
    """Reads numerals."""

    def takes_point_of_product(self) -> bool:
        """Return whether a point stands between two factors, and take it; it can begin a decimal."""
        if not self.context.has_points_for_products or self.position + 1 >= self.length:
            return self.context.has_points_for_products and self.here.text.startswith(".")
        if self.here.role != PieceRole.PERIOD:
            return self.here.role == PieceRole.NUMBER and self.here.text.startswith(".")
        if self.piece_ahead(1).role not in STARTS:
            return False
        self.position += 1
        return True

    def take_pointed_factors(self) -> list[Tree]:
        """Take a number with points between its digits as factors where points stand for products: none of
        another number."""
        if not self.context.has_points_for_products or "." not in self.here.text:
            return []
        return [Tree(number) for number in self.take_piece().text.split(".") if number]

    def multiply_from_last(self, factors: Sequence[Tree], last: Tree) -> Tree:
        """Return the product of factors in their order, as it stands where there are none before the last."""
        for factor in reversed(factors):
            last = Tree("*", (factor, last))
        return last

    def parse_number(self) -> Tree:
        """Parse a number with its separators, repeating digits or base."""
        piece = self.take_piece()
        text = piece.text
        if text.count(".") > 1:
            raise self.make_error(f"{text!r} is no number", piece)
        end, after = piece.end, self.here
        # Most numbers have nothing behind them that could belong to them.
        if after.role not in _BEHIND_NUMBERS and after.text != ",":
            return Tree(text)
        # 1,000: a comma before three digits separates thousands.
        listed = self.context.is_answer and self.brackets
        if text.isdigit() and len(text) < 4 and text[0] != "0":
            while self.here.text == "," and self.piece_ahead(1).role == PieceRole.NUMBER:
                comma, digits = self.here, self.piece_ahead(1)
                # A comma in braces, {,}, starts one character later, because the opening
                # brace comes before it.
                braced = comma.start > end
                # In the brackets of an answer a comma stands between members: (1,200).
                if listed and not braced:
                    break
                # Three digits exactly: "1,50" is a list or a decimal comma, not a number of thousands.
                if comma.start - end > 1 or len(digits.text.partition(".")[0]) != 3:
                    break
                # Digits follow the comma directly or after a thin space, "\,"; "1, 000" is a list.
                if not (braced or digits.start == comma.end or digits.start == comma.end + 2):
                    break
                self.position += 2
                text, end = text + digits.text, digits.end
                if not braced:
                    self.context.add_note(
                        "a comma before three digits is a separator of thousands", comma.start
                    )
        # 1{,}5: a comma in braces is a decimal comma.
        comma, digits = self.here, self.piece_ahead(1)
        braced = comma.text == "," and comma.start == end + 1 and digits.start == comma.end + 1
        if braced and digits.role == PieceRole.NUMBER and text.isdigit() and digits.text.isdigit():
            self.position += 2
            text += "." + digits.text
        # 0.\overline{3}: repeating digits.
        if self.here.role == PieceRole.PERIOD and self.piece_ahead(1).alone.label == "F!¯" and text.isdigit():
            self.take_piece()
            return self.parse_repeating(text + ".")
        # The bar may also start after the first decimals, as in 0.1\overline{6}.
        if self.here.alone.label == "F!¯" and "." in text and self.here.role == PieceRole.ATOM:
            return self.parse_repeating(text)
        # A subscript of a number is its base, as in 101_2.
        if self.here.role == PieceRole.SCRIPT and self.here.text == "O!SUB":
            return self.in_base(text)
        return Tree(text)

    def parse_repeating(self, text: str) -> Tree:
        r"""Parse a repeating decimal, `0.1\overline{6}`, as a fraction."""
        parts = argument_pieces(self.here.alone.children[0])
        if len(parts) != 1 or not parts[0].text.isdigit():
            raise self.make_error("a line above is not understood")
        self.take_piece()
        whole, _, fixed = text.partition(".")
        digits = parts[0].text
        below = 10 ** len(fixed) * (10 ** len(digits) - 1)
        above = int(whole + fixed + digits) - int(whole + fixed)
        return Tree("/", (Tree(str(above)), Tree(str(below))))

    def in_base(self, text: str) -> Tree:
        """Return the value of a number whose subscript is its base."""
        script = self.take_piece()
        base = spell_argument(script.alone)
        if self.context.reads_unknown_signs and not base.isdigit() and argument_pieces(script.alone):
            return call_unknown(text, *self.cursor_of_argument(script.alone).parse_arguments())
        if not base.isdecimal() or not text.isdecimal() or not 2 <= int(base) <= 36 or len(text) > 60:
            raise self.make_error("a subscript of a number is not understood", script)
        if any(int(digit) >= int(base) for digit in text):
            raise self.make_error(f"{text} has a digit that base {base} has not", script)
        self.context.add_note("a subscript of a number is its base")
        return Tree(str(int(text, int(base))))
