r"""The grammar of expressions: sums, products, brackets, fractions, roots, texts, tables, large operators,
and calculus: integrals, limits, values at two ends."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.core.expression_language import is_constant_token
from engines.core.tree import Tree
from engines.formula.cursor import (
    ARROW,
    ELLIPSIS,
    ONE,
    SAID,
    ZERO,
    UnreadError,
    as_argument,
    call_unknown,
    free_variables,
    is_arrowed,
    is_statement,
    join_unknown,
    make_cross_product,
    make_negative,
    opposite_number,
)
from engines.formula.derivative_parser import DerivativeParser
from engines.formula.ellipsis import continue_members
from engines.formula.layout import Piece
from engines.formula.residue_classes import make_multiples, shift_multiples
from engines.formula.symbols import PieceRole
from engines.formula.unit_table import BARE_UNITS, find_unit, is_product_of_units, split_unit
from engines.formula.vocabulary import (
    BETWEEN_NUMBERS,
    CONNECTIVES,
    DIFFERENCES,
    HALF_LINES,
    ONE_PLACE,
    SET_OPERATIONS,
    SETS_IN_WORDS,
    SETS_OF_NUMBERS,
    Line,
    argument_pieces,
    is_one_factor,
    is_variable,
    make_line,
    name_of,
    variable_name,
    words_of,
)

_SIGNS = {"U!plus": "+", "O!minus": "-", "O!plus-or-minus": "pm", "O!minus-or-plus": "mp"}
_SUMS = {"O!sum": "sum", "O!product": "prod"}
_TIMES = {"U!times", "F!⋅", "F!∗"}
_CLOSED = (PieceRole.SCRIPT, PieceRole.CLOSE, PieceRole.ATOM, PieceRole.POSTFIX)
"""After these a number is another factor."""
_CLOSURE = {"[]": "cc", "(]": "oc", "[)": "co", "()": "oo", "][": "oo", "]]": "oc", "[[": "co", "](": "oo"}
_COLLECTIONS = frozenset(
    (*SETS_OF_NUMBERS, "union", "intersection", "without", "set", "interval", "list", "text")
)
_NO_CELL = make_line([])
OTHERWISE = ("otherwise", "else", "if not", "in all other cases", "sonst", "sinon", "иначе", "其他")
_DOTS = {"V!...", "V!⋯", "V!⋮", "V!⋱"}
_UNKNOWN_SIGNS = {"O!direct-sum": "⊕", "O!square-union": "⊔", "F!△": "△", "F!⊎": "⊎"}
_OPERATING = ("\\nabla", "\\partial")
_MARKS = {"F!¯": "\u0304", "F!^": "\u0302", "F!~": "\u0303", "F!˙": "\u0307", "F!¨": "\u0308"}
_WORDS = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*\Z")


def _trailing_variable(tree: Tree) -> str | None:
    """Return the variable of the sum or limit at the end of a term: what follows could belong to it."""
    while tree.children:
        if tree.label in ("sum", "prod", "limit"):
            return tree.children[0].label
        if tree.label not in ("+", "-", "*"):
            return None
        tree = tree.children[-1]
    return None


def _symbol_of(piece: Piece) -> str:
    label = piece.operator.label
    return {"O!compose": "∘", "O!tensor-product": "⊗"}.get(label) or (
        label[2:] if label.startswith("F!") else piece.text.lstrip("\\")
    )


def _make_interval(tree: Tree) -> Tree:
    if tree.label == "tuple" and len(tree.children) == 2:
        return Tree("interval", (Tree("oo"), *tree.children))
    return tree


class ExpressionParser(DerivativeParser):
    """The grammar of terms."""

    # Sums and products

    def parse_set_operations(self) -> Tree:
        """Parse a chain of unions, intersections and differences of sets, or a sum where there is none."""
        left = self.parse_sum()
        while self.here.role == PieceRole.ADD and self.here.operator.label in SET_OPERATIONS:
            label = SET_OPERATIONS[self.take_piece().operator.label]
            right = self.parse_sum()
            left = Tree(label, (_make_interval(left), _make_interval(right)))
        return left

    def parse_sum(self, *, of_integral: bool = False) -> Tree:
        """Return terms with signs between them.

        Args:
            of_integral: The sum is what an integral is of, and ends with the term that has the differential:
                `\\int \\frac{dx}{x} + 1` has 1 beside the integral.
        """
        result = self.parse_signed()
        operation = DIFFERENCES.get(words_of(self.here)) if self.context.is_answer else None
        if operation is not None and is_constant_token(result.label):
            self.take_piece()  # `1 less than x`
            return Tree(operation, (self.parse_sum(), result))
        bound, first = self.context.bound, result
        while not (of_integral and self.context.differential is not None):
            # A line break or an alignment mark between terms is skipped only where a sign follows.
            at, piece = self.position, self.here
            while piece.text == "\\\\" or (
                self.position > at and (piece.alone.label == "V!quad" or piece.text == "&")
            ):
                self.position += 1
                piece = self.here
            if self.context.reads_unknown_signs and (sign := _UNKNOWN_SIGNS.get(piece.operator.label)):
                self.take_piece()
                result = join_unknown(sign, result, self.parse_signed())
                continue
            if piece.role != PieceRole.ADD or piece.operator.label not in _SIGNS:
                self.position = at
                break
            self.take_piece()
            # A sum or integral without brackets reaches as far as possible, so its index
            # may leak into the next term.
            tail = _trailing_variable(result)
            # A second sign after the first, as in "a + -b", belongs to the term.
            right = self.sign_and_term() if self.here.role == PieceRole.ADD else self.parse_term()
            # "Σ_k a_k + k" could end before or after the sign.
            if tail is not None and tail not in bound and tail in free_variables(right):
                raise self.make_error(f"where what is summed over {tail} ends can be read in two ways", piece)
            label = _SIGNS[piece.operator.label]
            if label == "mp":
                raise self.make_error("'\\mp' is not understood", piece)
            coset = shift_multiples(label, result, right) if self.context.is_answer else None
            result = coset or Tree(label, (result, right))
        # "a + b mod n" could mean (a + b) mod n or a + (b mod n).
        if self.here.role == PieceRole.MODIFIER and self.here.text == "\\bmod":
            if result is not first:
                raise self.make_error("what '\\bmod' applies to can be read in two ways")
            self.take_piece()
            result = Tree("mod", (result, self.parse_term()))
            if self.here.role == PieceRole.ADD:
                raise self.make_error("what '\\bmod' applies to can be read in two ways")
        return result

    def parse_signed(self) -> Tree:
        """Parse a term with its sign."""
        if self.context.reads_unknown_signs and self.is_sign_alone():
            return self.parse_sign_alone()
        return self.sign_and_term() if self.here.role == PieceRole.ADD else self.parse_term()

    def sign_and_term(self) -> Tree:
        """Parse a sign and the term behind it."""
        piece = self.take_piece()
        label = _SIGNS.get(piece.operator.label)
        # A plus before a term changes nothing; a minus before a plain number becomes part of the number.
        if label == "+":
            return self.parse_term()
        if label == "pm":
            return Tree("pm", (self.parse_term(),))
        if label != "-":
            raise self.make_error(f"{piece.text!r} is not understood here", piece)
        if self.is_plain_number():
            return self.parse_term(minus=True)
        # Several signs in a row nest, so the depth is counted to bound the recursion.
        if self.here.role == PieceRole.ADD:
            self.enter_level()
            result = make_negative(self.sign_and_term())
            self.context.depth -= 1
            return result
        return make_negative(self.parse_term())

    def parse_term(self, *, minus: bool = False) -> Tree:
        """Parse factors side by side or with signs between them."""
        first = self.here
        # A braced group is invisible in print: it may stand where the printed formula needs no brackets.
        if first.text == "{" and first.role == PieceRole.ATOM:
            return self.parse_braced()
        result = opposite_number(self.parse_factor()) if minus else self.parse_factor()
        slashed = False
        while True:
            piece = self.here
            before = self.parts[self.position - 1]
            # An explicit sign: times or divided by.
            if piece.role == PieceRole.MULTIPLY:
                self.take_piece()
                label = piece.operator.label
                divided, slashed = slashed, piece.text == "/"
                if label not in _TIMES and label != "O!divide":
                    if self.context.reads_unknown_signs and self.position < self.length:
                        result = join_unknown(_symbol_of(piece), result, self.signed_factor())
                        continue
                    raise self.make_error(f"{piece.text!r} is not understood here", piece)
                # The sign is the last piece, so the factor after it is missing.
                if self.position >= self.length:
                    raise self.make_error(f"something is missing behind {piece.text!r}", piece)
                right = self.signed_factor()
                if piece.text == "\\times" and is_arrowed(result):
                    while not is_arrowed(right) and self.starts_factor():  # \vec{r} \times m \vec{v}
                        right = Tree("*", (right, self.parse_factor()))
                result = self.make_product("/" if label == "O!divide" else "*", result, right, piece)
                # 6/2 × 10⁸: some mean that the power belongs to the divisor.
                if divided:
                    self.context.open_ended.add(result)
            elif self.context.reads_unknown_signs and self.is_taken_at():
                # F|_{x=0}: what stands before it, at a value or within a set.
                self.take_piece()
                script = self.here
                indices = self.parse_indices(script)
                self.take_piece()
                at = self.index_terms(indices) if isinstance(indices, str) else indices
                result = call_unknown("|", result, *at)
            # Juxtaposition: a factor follows without a sign, or behind a point.
            elif self.takes_point_of_product() or self.starts_factor():
                # "a/b c" might be a/(bc) or (a/b)c; only a unit written as text, as in "1/2 m", is clear.
                if slashed and not self.is_unit():
                    raise self.make_error(
                        "what is divided by can be read in two ways", remedy="Write brackets."
                    )
                if operation := BETWEEN_NUMBERS.get(words_of(piece)):
                    self.take_piece()
                    result = Tree(operation, (result, self.parse_factor()))
                    continue
                # "2 1/2" is a mixed number.
                if self.is_mixed_number(before, piece) and result.label == before.text:
                    self.context.add_note("a whole number before a fraction is a mixed number", before.start)
                    parts = [argument_pieces(one)[0].text for one in self.take_piece().alone.children]
                    result = self.parse_powers(Tree("+", (result, Tree("/", tuple(map(Tree, parts))))))
                    continue
                # "x 2" is rather a misprint for x² or x_2 than a product, unless a bracket
                # closes before the number.
                is_power = self.context.is_answer and before.text in "nk"  # n2^n
                is_power = is_power and self.piece_ahead(1).role == PieceRole.SCRIPT
                if piece.role == PieceRole.NUMBER and before.role not in _CLOSED and not is_power:
                    raise self.make_error(f"the number {piece.text[:20]} follows without an operator")
                self.check_digits(before, piece)
                if piece.text == "{" and piece.role == PieceRole.ATOM:
                    raise self.braces_error()
                # A word such as `sin` in the plain letters of a product is doubtful.
                word = name_of(before) if before.role == PieceRole.UNKNOWN else ""
                if len(word) > 1 and word.isascii() and word not in BARE_UNITS:
                    raise self.make_error(
                        f"what {word} applies to is not understood", before, "Write brackets."
                    )
                result = self.make_product("*", result, self.parse_factor(), piece)
            else:
                return result

    def make_product(self, label: str, left: Tree, right: Tree, piece: Piece) -> Tree:
        """Return a product or quotient, unless its operands are vectors, sets or statements."""
        bold = self.has_bold(left) or self.has_bold(right)
        if bold and self.context.reads_unknown_signs and {left.label, right.label} & set(SETS_OF_NUMBERS):
            return join_unknown("·", left, right)
        if bold and all(
            self.has_bold(one) or any(node.label == "matrix" for node in one) for one in (left, right)
        ):
            if self.context.reads_unknown_signs and label == "*":
                return join_unknown("·", left, right)
            raise self.make_error("a product of vectors or matrices is not understood", piece)
        if (
            self.context.reads_unknown_signs
            and piece.text == "\\times"
            and is_arrowed(left)
            and is_arrowed(right)
        ):
            return make_cross_product(left, right)
        for one in (left, right):
            if one.label in _COLLECTIONS or (one.label == "pow" and one.children[0].label in SETS_OF_NUMBERS):
                if self.context.reads_unknown_signs and piece.text in ("\\times", "\\cdot"):
                    return join_unknown("×", left, right)
                multiples = make_multiples(left, right) if self.context.is_answer and label == "*" else None
                if multiples is not None:
                    return multiples
                raise self.make_error("a product of sets is not understood", piece)
        return Tree(label, (left, right))

    def check_digits(self, script: Piece, number: Piece) -> None:
        """Refuse `^23`, which TeX takes for `^2 3`."""
        parts = argument_pieces(script.alone)
        digit = script.role == PieceRole.SCRIPT and len(parts) == 1 and script.end - script.start == 1
        if digit and number.role == PieceRole.NUMBER and script.end + 1 == number.start:
            shown = parts[0].text + number.text
            what = f"^{shown} can be read in two ways"
            raise UnreadError(what, script.start + 1, f"Write ^{{{shown}}}, or a sign in between.")

    def parse_braced(self) -> Tree:
        """Return a sum in braces, which stands for a term alone: braces are not seen."""
        result = self.make_term(self.take_piece().alone)
        if (
            self.here.role == PieceRole.MULTIPLY
            or self.starts_factor()
            or self.here.role == PieceRole.POSTFIX
        ):
            raise self.braces_error()
        if (
            self.position > 1
            and self.parts[self.position - 2].role == PieceRole.ADD
            and self.parts[self.position - 2].text != "+"
        ):
            raise self.braces_error()
        return result

    def signed_factor(self) -> Tree:
        """Parse a factor that may have a minus, behind a sign of multiplication."""
        if self.here.text == "-" and self.here.role == PieceRole.ADD:
            self.take_piece()
            if self.is_plain_number():
                return opposite_number(self.parse_factor())
            return make_negative(self.parse_factor())
        if self.here.text == "{" and self.here.role == PieceRole.ATOM:
            raise self.braces_error()
        return self.parse_factor()

    def parse_factor(self) -> Tree:
        """Parse a factor with its powers."""
        self.enter_level()
        piece = self.here
        role = piece.role
        if role in (PieceRole.NUMBER, PieceRole.ATOM) and self.begins_count():
            result = self.parse_powers(self.parse_count())
        elif role == PieceRole.NUMBER:
            *factors, last = self.take_pointed_factors() or [self.parse_number()]
            result = self.multiply_from_last(factors, self.parse_powers(last))
            if (
                self.context.reads_unknown_signs
                and piece.text == "1"
                and self.here.text == "{"
                and self.here.role == PieceRole.OPEN
            ):
                # 1{x > 0} is 1 where it holds, and 0 elsewhere.
                result = call_unknown("1", *map(as_argument, self.parse_bracketed()[2]))
        elif role == PieceRole.LIMIT or (role == PieceRole.UNKNOWN and name_of(piece) == "lim"):
            result = self.parse_limit()
        elif role == PieceRole.UNKNOWN:
            result = self.parse_letter()
        elif role == PieceRole.OPEN or (role == PieceRole.CLOSE and piece.text == "]"):
            result = self.parse_powers(self.parse_fenced())
        elif role == PieceRole.FUNCTION:
            self.take_piece()
            name = piece.operator.label[2:]
            result = self.parse_function("lg" if piece.text == "\\lg" else name, piece)
        elif role == PieceRole.BAR:
            result = self.parse_powers(self.parse_barred())
        elif role == PieceRole.BIG:
            result = self.parse_big_operator()
        elif role == PieceRole.INTEGRAL:
            result = self.parse_integral()
        elif self.context.reads_unknown_signs and self.begins_prefix():
            self.take_piece()
            result = call_unknown("!" if piece.text == "!" else "not", as_argument(self.parse_factor()))
        elif role == PieceRole.ATOM:
            result = self.parse_atom()
        elif self.context.reads_unknown_signs and role == PieceRole.OPERATOR and piece.text in _OPERATING:
            result = self.parse_unknown_operator()
        else:
            self.raise_missing()
        # f ∘ g binds more than a product, and before a value it is the value of f there.
        while (
            self.context.reads_unknown_signs
            and self.here.operator.label == "O!compose"
            and self.position + 1 < self.length
        ):
            self.take_piece()
            right = self.parse_factor()
            applied = not result.children and right.label == "call" and len(right.children) > 1
            applied = applied and right.children[0].label != "∘"
            result = call_unknown(result.label, right) if applied else join_unknown("∘", result, right)
        # Keep where each label occurs first, so that a later complaint about it can point at the formula.
        self.context.places.setdefault(result.label, piece.start)
        # Only a normal end undoes `enter_level`: an error abandons the whole
        # reading, and the depth with it.
        self.context.depth -= 1
        return result

    # Brackets

    def parse_fenced(self) -> Tree:
        """Parse an expression in brackets: what it means depends on the pair and on what is inside."""
        start = self.here
        if self.context.is_answer and start.text == self.piece_ahead(1).text == "[":
            return self.parse_rows()
        if self.context.is_answer and start.text == "[" and (matrix := self.parse_spaced_rows()) is not None:
            return matrix
        opening, closing, members = self.parse_bracketed()
        pair = opening + closing
        if self.context.has_integer_parts and pair == "[]" and len(members) == 1 and not self.is_evaluated():
            return Tree("floor", tuple(members))
        if (
            self.context.reads_unknown_signs
            and (fenced := self.parse_unknown_pair(pair, members)) is not None
        ):
            return fenced
        # Limits after the brackets mean F|_a^b; without them a missing bracket is an error.
        if opening == "" or closing == "" or (pair in ("[]", "()") and self.is_evaluated()):
            if len(members) == 1 and self.is_evaluated():
                return self.evaluate_between(members[0], start)
            raise self.make_error(
                "a bracket on one side only is not understood", start, "Write a bracket on both sides."
            )
        # Bars and floors around one term.
        if pair == "||" and len(members) == 1:
            return Tree("det" if members[0].label == "matrix" else "abs", tuple(members))
        if pair == "⌊⌋" and len(members) == 1:
            return Tree("floor", tuple(members))
        if pair == "⌈⌉" and len(members) == 1:
            return Tree("ceil", tuple(members))
        # Braces make a set, or stand around a system.
        if pair == "{}" and len(members) == 1 and members[0].label in ("such", "and", "cases"):
            return members[0]
        if self.context.reads_unknown_signs and pair == "{}" and any(map(is_statement, members)):
            members = [*map(as_argument, members)]
        if pair == "{}" and not (len(members) == 1 and is_statement(members[0])):
            # {x}² or {x + 1} is more often a TeX group that became visible than a set of one element.
            if len(members) == 1 and (self.here.role == PieceRole.SCRIPT or members[0].label in "+-*/"):
                raise self.make_error("braces around one thing can be read in two ways", start)
            if self.context.is_answer and Tree(ELLIPSIS) in members:
                if (continued := continue_members(members, Tree(ELLIPSIS))) is None:
                    raise self.make_error("an ellipsis is not understood", start)
                return continued
            return Tree("set", tuple(members))
        if pair == "⟨⟩" and len(members) > 1:
            return Tree("tuple", tuple(members))
        # Round and square brackets around one thing only group it.
        if pair in ("()", "[]") and len(members) == 1:
            if pair == "[]" and not members[0].children and self.here.role != PieceRole.SCRIPT:
                raise self.make_error("square brackets around one thing can be read in two ways", start)
            return members[0]
        # A pair in matching brackets may be an interval; round ones only if the context has intervals.
        if pair in _CLOSURE and len(members) == 2 and not any(map(is_statement, members)):
            # An infinite end marks an interval, because no point of the plane has an infinite coordinate.
            infinite = any("inf" in (end.label, *(one.label for one in end.children)) for end in members)
            if pair != "()" or self.context.allows_intervals or infinite:
                return Tree("interval", (Tree(_CLOSURE[pair]), *members))
        if pair == "()" and members and not any(map(is_statement, members)):
            return Tree("tuple", tuple(members))
        if pair == "[]" and len(members) > 2:
            return Tree("list", tuple(members))
        raise self.make_error(f"the brackets {pair} are not understood here", start)

    def parse_unknown_pair(self, pair: str, members: Sequence[Tree]) -> Tree | None:
        """Return what stands in brackets that have a meaning which is not known, or is applied to more."""
        # Of \left. … \right. no bracket is written.
        fenced = len(pair) == 2 and bool(members)
        if fenced and members[-1].label == "call" and members[-1].children[0].label == "given":
            return call_unknown(f"{pair[0]}|{pair[1:]}", *map(as_argument, members))
        if pair == "∥∥":
            return call_unknown("norm" if len(members) == 1 else pair, *map(as_argument, members))
        if len(members) != 1 or not pair:
            return None
        only = members[0]
        if pair == "{}" and only.label == "call" and only.children[0].label == "such":
            return only
        if pair == "[]" and not only.children and self.here.role != PieceRole.SCRIPT:
            return call_unknown(pair, only)
        if pair in ("⟨⟩", "⟦⟧", "⌜⌝", "⌞⌟"):
            return call_unknown(pair, as_argument(only))
        # (f ∘ g)(x) is the value of what stands in the brackets.
        if only.label == "call" and only.children[0].label == "∘" and self.here.text == "(":
            inside = self.parse_bracketed()[2]
            functions = only.children[1:]
            if all(not one.children for one in functions):
                value = call_unknown(functions[-1].label, *map(as_argument, inside))
                for one in reversed(functions[:-1]):
                    value = call_unknown(one.label, value)
                return value
            return call_unknown("apply", only, *map(as_argument, inside))
        return None

    def is_taken_at(self) -> bool:
        """Return whether a bar with a subscript stands here that ends what is before it: `f|_{x=0}`."""
        after, beyond = self.piece_ahead(1), self.piece_ahead(2)
        return (
            self.here.role == PieceRole.BAR
            and self.here.text == "|"
            and not self.bars
            and after.role == PieceRole.SCRIPT
            and after.text == "O!SUB"
            and beyond.text != "O!SUP"
        )

    def parse_rows(self) -> Tree:
        """Parse a matrix as programs write it, `[[1, 2], [3, 4]]`."""
        rows: list[Tree] = []
        end = "["
        while end != "]":
            self.take_piece()
            if self.here.text != "[":
                self.raise_unexpected()
            cells: list[Tree] = []
            while self.here.text in ("[", ","):
                self.take_piece()
                cells.append(self.parse_sum())
            rows.append(Tree("row", tuple(cells)))
            if self.take_piece().text != "]" or self.here.text not in (",", "]"):
                raise self.make_error("a matrix in brackets is not understood")
            end = self.here.text
        self.take_piece()
        if len({len(row.children) for row in rows}) > 1:
            raise self.make_error("a matrix whose rows have different lengths is not understood")
        return Tree("matrix", tuple(rows))

    def parse_spaced_rows(self) -> Tree | None:
        """Parse a matrix of numbers with spaces and semicolons, `[0 -1; 1 0]`; None for other brackets."""
        rows: list[list[Tree]] = [[]]
        ahead = 1
        while (piece := self.piece_ahead(ahead)).text != "]":
            before = self.piece_ahead(ahead - 1)
            ahead += 1
            if piece.text == ";":
                rows.append([])
                continue
            is_negative = piece.text == "-"
            number = self.piece_ahead(ahead) if is_negative else piece
            # `1 -2` are two numbers, `1 - 2` and `1-2` are one.
            joined = before.role == PieceRole.NUMBER and before.end == piece.start
            if number.role != PieceRole.NUMBER or joined or (is_negative and piece.end < number.start):
                return None
            # 1 500 can be one number, with a space for its thousands.
            if piece.role == before.role == PieceRole.NUMBER and len(piece.text) == len("500"):
                return None
            rows[-1].append(Tree(f"-{number.text}" if is_negative else number.text))
            ahead += is_negative
        if len(rows) == 1 or len({len(row) for row in rows}) > 1 or len(rows[0]) == 1:
            return None
        self.position += ahead + 1
        return Tree("matrix", tuple(Tree("row", tuple(row)) for row in rows))

    def parse_barred(self) -> Tree:
        """Parse an absolute value or norm."""
        opening = self.take_piece()
        # While a bar is open, the next bar closes it instead of opening another one.
        self.bars += 1
        # An integral outside the bars must not take its differential from inside them.
        integrals, self.integrals = self.integrals, 0
        result = self.parse_set_operations() if self.context.reads_unknown_signs else self.parse_sum()
        if self.here.role != PieceRole.BAR or self.here.text != opening.text:
            if self.position >= self.length:
                raise self.make_error(
                    f"{opening.text!r} is never closed", opening, f"Write {opening.text} where it ends."
                )
            self.raise_unexpected()
        self.take_piece()
        self.bars -= 1
        self.integrals = integrals
        # Norms are refused only here, so that an unclosed one is reported as unclosed.
        if opening.text != "|":
            if self.context.reads_unknown_signs:
                return call_unknown("norm", result)
            raise self.make_error("a norm is not understood", opening)
        return Tree("det" if result.label == "matrix" else "abs", (result,))

    # Fractions, roots, texts and tables

    def parse_atom(self) -> Tree:
        """Parse what is one thing in the layout: fraction, root, binomial, matrix, accent or text."""
        piece = self.take_piece()
        tree = piece.alone
        label = tree.label
        if label == "O!divide":
            return self.parse_powers(self.parse_fraction(piece))
        if label == "O!root":
            # A root without a degree has degree 2 in the layout tree.
            radicand = self.make_term(tree.children[0])
            degree = self.make_term(tree.children[1])
            radical = Tree("sqrt", (radicand,)) if degree == Tree("2") else Tree("root", (degree, radicand))
            return self.parse_powers(radical)
        if label == "O!binomial":
            return self.parse_powers(Tree("binomial", tuple(map(self.make_term, tree.children))))
        if label == "C!infinity":
            return self.parse_powers(Tree("inf"))
        if label == "C!emptyset":
            return Tree("set")
        if isinstance(tree, Line):
            # {x}^2 is a usual way to mark the base of an exponent; elsewhere braces
            # are mistaken for brackets.
            if piece.text == "{" and self.here.role != PieceRole.SCRIPT:
                raise self.braces_error(piece)
            result = self.parse_powers(self.make_term(tree))
            # Braces are not printed: a reader sees the exponent of {2b}^2 at its last factor.
            if result.label == "pow" and not is_one_factor(tree.parts):
                self.context.open_ended.add(result)
            return result
        if label.startswith("T!"):
            return self.parse_text(piece)
        # The layout knows what follows, but a reader would have to guess what is meant.
        if label in _DOTS:
            if self.context.reads_unknown_signs or self.context.is_answer:
                return Tree(ELLIPSIS)
            raise self.make_error("an ellipsis is not understood", piece)
        if label.startswith("M!M"):
            return self.parse_powers(self.parse_matrix(piece))
        if label.startswith("F!") and len(tree.children) == 1:
            return self.parse_accented(piece)
        if label == "O!cases":
            return self.parse_cases(piece)
        if label == "O!continued-fraction":
            return self.parse_powers(Tree("/", tuple(map(self.make_term, tree.children))))
        if label == "E!missing":
            raise self.make_error("an argument is missing", piece)
        raise self.make_error(f"{piece.text or label[2:]!r} is not understood", piece)

    def parse_cases(self, piece: Piece) -> Tree:
        """Parse a value by cases, or, if no row has a condition, statements that hold together."""
        cells = piece.alone.children
        if piece.alone.label.startswith("M!M"):  # \\left\\{ \\begin{array} ... \\right.
            cells = tuple(cell for row in cells for cell in (*row.children, _NO_CELL)[:2])
        rows = [
            (argument_pieces(one), argument_pieces(other))
            for one, other in zip(*[iter(cells)] * 2, strict=True)
        ]
        rows = [row for row in rows if any(row)]
        if not any(condition for _, condition in rows):
            branches = [self.cursor_on(value).parse_line() for value, _ in rows]
            if branches and all(map(is_statement, branches)):
                return Tree("and", tuple(branches)) if len(branches) > 1 else branches[0]
            raise self.make_error("cases without conditions are not understood", piece)
        parts: list[Tree] = []
        for value, condition in rows:
            if is_statement(case := self.cursor_on(value).parse_line()) or case.label == "list":
                raise self.make_error("cases of statements are not understood", piece)
            words = [words_of(one) for one in condition]
            if words and words[0] in CONNECTIVES:
                condition, words = condition[1:], words[1:]
            if len(words) == 1 and words[0] in OTHERWISE:
                parts += [case, Tree("else")]
            elif (held := self.parse_condition(condition)) is not None:
                parts += [case, held]
            else:
                raise self.make_error("the condition of a case is not understood", piece)
        return Tree("cases", tuple(parts))

    def parse_condition(self, condition: Sequence[Piece]) -> Tree | None:
        """Return the condition of a case; None where it is none."""
        words = " ".join(filter(None, (words_of(one) or one.text for one in condition)))
        if not self.context.reads_unknown_signs:
            statement = self.cursor_on(condition).parse_line() if condition else ZERO
            return statement if is_statement(statement) else None
        depth = self.context.depth
        try:
            if condition and is_statement(statement := self.cursor_on(condition).parse_line()):
                return statement
        except UnreadError:
            self.context.depth = depth
        # Words are a condition that is not judged.
        said = any(len(words_of(one)) > 1 for one in condition)
        return call_unknown(SAID, Tree("text", (Tree(variable_name(words)),))) if said else None

    def parse_fraction(self, piece: Piece) -> Tree:
        """Parse a fraction; `d/dx` is a derivative."""
        above, below = piece.alone.children
        # Both parts are pieces, not trees: their first letters decide between a
        # fraction and a derivative.
        parts = [argument_pieces(one) for one in (above, below)]
        for one in (above, below):
            if one.label == "E!missing" and (one is above or not parts[0]):
                raise self.make_error("\\frac is not complete", piece, "Write both parts.")
        if not parts[0]:
            raise self.make_error("a part of a fraction is empty", piece)
        if (slope := self.parse_derivative(parts[0], parts[1], piece)) is not None:
            return slope
        # A differential in the numerator, "∫ dx/x", belongs to the integral around the fraction.
        upper = self.cursor_on(parts[0])
        if self.integrals:
            upper.integrals = self.integrals
            # The differential may come first ("dx f") or last ("f dx") in the numerator.
            top = ONE if upper.is_differential() else upper.parse_set_operations()
            if upper.is_differential():
                if self.context.differential is not None:
                    raise self.make_error("two differentials are not understood", piece)
                self.context.differential = upper.differential_name()
                # After a leading differential the rest of the numerator is the integrand,
                # without another differential.
                if upper.position < upper.length and top == ONE:
                    upper.integrals = 0
                    top = upper.parse_only_term()
            if upper.position < upper.length:
                upper.raise_unexpected()
        else:
            top = upper.parse_only_term()
        if below.label == "E!missing":
            raise self.make_error("\\frac is not complete", piece, "Write both parts.")
        return Tree("/", (top, self.make_term(below)))

    def parse_unit(self, text: str) -> Tree:
        r"""Return a unit with the powers behind it, which are of its last part: `\text{m/s}^2` is m / s^2."""
        result = ONE
        factors = split_unit(text)
        for place, (symbol, exponent) in enumerate(factors, 1):
            # A word that is an operation of the language, as "sum", must not be taken for it.
            part = Tree("unit", (Tree(symbol if find_unit(symbol) else variable_name(symbol)),))
            if abs(exponent) != 1:
                part = Tree("pow", (part, Tree(str(abs(exponent)))))
            if place == len(factors):
                part = self.parse_powers(part)
            if result == ONE and exponent > 0:
                result = part
            else:
                result = Tree("*" if exponent > 0 else "/", (result, part))
        return result

    def parse_text(self, piece: Piece) -> Tree:
        """Parse a text: a unit, a function's name, or words that are refused."""
        words = piece.alone.label[2:].strip()
        bare = words.strip(".,;: ")
        before = self.piece_ahead(-2)
        is_measured = before.role == PieceRole.NUMBER and bare.lower() not in CONNECTIVES
        if bare in BARE_UNITS or is_measured or is_product_of_units(bare):
            return self.parse_unit(bare)
        if bare.isalpha() and bare in ONE_PLACE and len(bare) > 1:
            return self.parse_function(bare, piece)
        if not bare:
            raise self.make_error("a text is empty", piece)
        if bare.lower() in SETS_IN_WORDS:
            return self.parse_set_in_words(*SETS_IN_WORDS[bare.lower()])
        if self.length == 1:
            return Tree("text", (Tree(variable_name(words)),))
        if _WORDS.match(bare) and bare.lower() not in CONNECTIVES:
            return self.parse_name(re.sub(r"[\s-]+", "_", bare))
        raise self.make_error(f"{bare[:40]!r} is not understood", piece)

    def parse_set_in_words(self, numbers: str, excluding: bool) -> Tree:
        """Parse what follows the words for a set of numbers: the values that are not in it, if any."""
        whole = HALF_LINES.get(numbers, Tree(numbers))
        if not excluding:
            return whole
        taken = [self.parse_sum()]
        if not taken[0].children and self.here.operator.label == "U!eq":
            self.take_piece()  # except x = 1
            taken = [self.parse_sum()]
        while self.here.text == "," or CONNECTIVES.get(words_of(self.here)) in ("and", "or"):
            self.take_piece()
            if self.starts_factor() or self.here.role == PieceRole.ADD:
                taken.append(self.parse_sum())
        alone = len(taken) == 1 and taken[0].label in _COLLECTIONS
        return Tree("without", (whole, taken[0] if alone else Tree("set", tuple(taken))))

    def parse_matrix(self, piece: Piece) -> Tree:
        """Parse a matrix."""
        name = piece.text.removesuffix("*").lstrip("\\")
        rows = [row.children for row in piece.alone.children]
        if len(rows) > 1 and len(rows[-1]) == 1 and not argument_pieces(rows[-1][0]):
            rows.pop()  # a new line behind the last row
        if name in ("pmatrix", "bmatrix", "matrix", "smallmatrix", "array", "vmatrix", "Bmatrix"):
            if not rows or len({len(row) for row in rows}) != 1:
                raise self.make_error("a matrix whose rows have different lengths is not understood", piece)
            made = tuple(Tree("row", tuple(map(self.make_term, row))) for row in rows)
            result = Tree("matrix", made)
            return Tree("det", (result,)) if name == "vmatrix" else result
        raise self.make_error(f"the environment {name!r} is not understood", piece)

    def parse_accented(self, piece: Piece) -> Tree:
        """Parse a letter or term with an accent."""
        tree = piece.alone
        mark = _MARKS.get(tree.label)
        # Commands such as \abs{x} have the layout of an accent, but mean brackets.
        if tree.label in ("F!abs", "F!floor", "F!ceiling"):
            label = {"F!ceiling": "ceil"}.get(tree.label, tree.label[2:])
            return self.parse_powers(Tree(label, (self.make_term(tree.children[0]),)))
        # A bar over z, w, i or a sum is a conjugate; over another letter it makes a
        # new name, such as a mean.
        parts = argument_pieces(tree.children[0])
        if tree.label == "F!¯" and any(
            (one.role == PieceRole.UNKNOWN and name_of(one) in ("z", "w", "i")) or one.role == PieceRole.ADD
            for one in parts
        ):
            self.context.add_note("a line above is the conjugate")
            # In \bar z_1 the subscript belongs to the letter below the bar, so it
            # goes inside the conjugate.
            below = self.here.role == PieceRole.SCRIPT and self.here.text == "O!SUB" and len(parts) == 1
            inside = [*parts, self.take_piece()] if below else parts
            return self.parse_powers(Tree("conj", (self.cursor_on(inside).parse_only_term(),)))
        names = [name_of(one) for one in parts if one.role == PieceRole.UNKNOWN]
        if self.context.is_answer and tree.label == "F!¯" and len(names) == len(parts) > 1:
            return self.parse_name("".join(names))  # the segment between two points
        if (self.context.is_answer or self.context.reads_unknown_signs) and tree.label == "F!→":
            mark = ARROW
        # \vec{0} is the zero vector, which is 0 in sums and products.
        if mark == ARROW and [one.text for one in parts] == ["0"]:
            return ZERO
        # The other marks, such as a hat or tilde, make a different name of one letter.
        if mark and len(parts) == 1 and is_variable(parts[0]):
            return self.parse_name(name_of(parts[0]) + mark)
        if self.context.reads_unknown_signs and (tree.label in _MARKS or tree.label in ("F!→", "F!⏟", "F!⏞")):
            inner = as_argument(self.cursor_on(parts).parse_line())
            if tree.label in ("F!⏟", "F!⏞"):
                # What stands at a brace is a remark.
                self.position += self.here.role == PieceRole.SCRIPT
                return inner
            return self.parse_powers(call_unknown(tree.label[2:], inner))
        raise self.make_error(f"{tree.label[2:]!r} above or below is not understood", piece)
