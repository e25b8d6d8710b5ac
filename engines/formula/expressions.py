r"""The grammar of expressions: sums, products, brackets, fractions, roots, texts, tables, large operators,
and calculus: integrals, limits, derivatives, values at two ends."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.core.tree import Tree
from engines.formula.cursor import (
    ONE,
    ZERO,
    UnreadError,
    free_variables,
    is_statement,
    make_negative,
    opposite_number,
    substitute_variable,
)
from engines.formula.layout import Piece
from engines.formula.name_parser import NameParser
from engines.formula.symbols import PieceRole
from engines.formula.unit_table import BARE_UNITS
from engines.formula.words import (
    CONNECTIVES,
    ONE_PLACE,
    RELATION_NAMES,
    SET_OPERATIONS,
    SETS_IN_WORDS,
    SETS_OF_NUMBERS,
    Line,
    argument_pieces,
    is_name,
    is_variable,
    name_of,
    parse_line,
    spell_argument,
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
_NO_CELL = parse_line([])
_OTHERWISE = ("otherwise", "else", "if not", "in all other cases")
_DOTS = {"V!...", "V!⋯", "V!⋮", "V!⋱"}
_MARKS = {"F!¯": "\u0304", "F!^": "\u0302", "F!~": "\u0303", "F!˙": "\u0307", "F!¨": "\u0308"}
_ARROW = "\u20d7"
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


def _make_interval(tree: Tree) -> Tree:
    if tree.label == "tuple" and len(tree.children) == 2:
        return Tree("interval", (Tree("oo"), *tree.children))
    return tree


class Expressions(NameParser):
    """The grammar of terms."""

    # Sums and products

    def parse_sets(self) -> Tree:
        """Parse unions, intersections and differences of sets."""
        left = self.parse_sum()
        while self.here.role == PieceRole.ADD and self.here.operator.label in SET_OPERATIONS:
            label = SET_OPERATIONS[self.take_piece().operator.label]
            right = self.parse_sum()
            left = Tree(label, (_make_interval(left), _make_interval(right)))
        return left

    def parse_sum(self) -> Tree:
        """Return terms with signs between them."""
        result = self.parse_signed()
        bound, first = self.context.bound, result
        while True:
            # A line break or an alignment mark between terms is skipped only where a sign follows.
            at, piece = self.at, self.here
            while piece.text == "\\\\" or (
                self.at > at and (piece.alone.label == "V!quad" or piece.text == "&")
            ):
                self.at += 1
                piece = self.here
            if piece.role != PieceRole.ADD or piece.operator.label not in _SIGNS:
                self.at = at
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
            result = Tree(label, (result, right))
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
            before = self.parts[self.at - 1]
            # An explicit sign: times or divided by.
            if piece.role == PieceRole.MULTIPLY:
                self.take_piece()
                label = piece.operator.label
                slashed = piece.text == "/"
                if label not in _TIMES and label != "O!divide":
                    raise self.make_error(f"{piece.text!r} is not understood here", piece)
                # The sign is the last piece, so the factor after it is missing.
                if self.at >= self.length:
                    raise self.make_error(f"something is missing behind {piece.text!r}", piece)
                right = self.signed_factor()
                result = self.make_product("/" if label == "O!divide" else "*", result, right, piece)
            # Juxtaposition: a factor follows without a sign.
            elif self.starts_factor():
                # "a/b c" might be a/(bc) or (a/b)c; only a unit written as text, as in "1/2 m", is clear.
                if slashed and not self.is_unit():
                    raise self.make_error(
                        "what is divided by can be read in two ways", remedy="Write brackets."
                    )
                # "2 1/2" is a mixed number.
                if self.is_mixed_number(before, piece) and result.label == before.text:
                    self.context.add_note("a whole number before a fraction is a mixed number", before.start)
                    parts = [argument_pieces(one)[0].text for one in self.take_piece().alone.children]
                    result = self.parse_powers(Tree("+", (result, Tree("/", tuple(map(Tree, parts))))))
                    continue
                # "x 2" is rather a misprint for x² or x_2 than a product, unless a bracket
                # closes before the number.
                if piece.role == PieceRole.NUMBER and before.role not in _CLOSED:
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
        if bold and all(
            self.has_bold(one) or any(node.label == "matrix" for node in one) for one in (left, right)
        ):
            raise self.make_error("a product of vectors or matrices is not understood", piece)
        for one in (left, right):
            if one.label in _COLLECTIONS or (one.label == "pow" and one.children[0].label in SETS_OF_NUMBERS):
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
        result = self.term_of(self.take_piece().alone)
        if (
            self.here.role == PieceRole.MULTIPLY
            or self.starts_factor()
            or self.here.role == PieceRole.POSTFIX
        ):
            raise self.braces_error()
        if (
            self.at > 1
            and self.parts[self.at - 2].role == PieceRole.ADD
            and self.parts[self.at - 2].text != "+"
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
        if role == PieceRole.NUMBER:
            result = self.parse_powers(self.parse_number())
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
        elif role == PieceRole.ATOM:
            result = self.parse_atom()
        else:
            self.raise_missing()
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
        opening, closing, members = self.parse_bracketed()
        pair = opening + closing
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
        if pair == "{}" and not (len(members) == 1 and is_statement(members[0])):
            # {x}² or {x + 1} is more often a TeX group that became visible than a set of one element.
            if len(members) == 1 and (self.here.role == PieceRole.SCRIPT or members[0].label in "+-*/"):
                raise self.make_error("braces around one thing can be read in two ways", start)
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

    def parse_barred(self) -> Tree:
        """Parse an absolute value or norm."""
        opening = self.take_piece()
        # While a bar is open, the next bar closes it instead of opening another one.
        self.bars += 1
        # An integral outside the bars must not take its differential from inside them.
        integrals, self.integrals = self.integrals, 0
        result = self.parse_sum()
        if self.here.role != PieceRole.BAR or self.here.text != opening.text:
            if self.at >= self.length:
                raise self.make_error(
                    f"{opening.text!r} is never closed", opening, f"Write {opening.text} where it ends."
                )
            self.raise_unexpected()
        self.take_piece()
        self.bars -= 1
        self.integrals = integrals
        # Norms are refused only here, so that an unclosed one is reported as unclosed.
        if opening.text != "|":
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
            radicand = self.term_of(tree.children[0])
            degree = self.term_of(tree.children[1])
            radical = Tree("sqrt", (radicand,)) if degree == Tree("2") else Tree("root", (degree, radicand))
            return self.parse_powers(radical)
        if label == "O!binomial":
            return self.parse_powers(Tree("binomial", tuple(map(self.term_of, tree.children))))
        if label == "C!infinity":
            return self.parse_powers(Tree("inf"))
        if label == "C!emptyset":
            return Tree("set")
        if isinstance(tree, Line):
            # {x}^2 is a usual way to mark the base of an exponent; elsewhere braces
            # are mistaken for brackets.
            if piece.text == "{" and self.here.role != PieceRole.SCRIPT:
                raise self.braces_error(piece)
            return self.parse_powers(self.term_of(tree))
        if label.startswith("T!"):
            return self.parse_text(piece)
        # The layout knows what follows, but a reader would have to guess what is meant.
        if label in _DOTS:
            raise self.make_error("an ellipsis is not understood", piece)
        if label.startswith("M!M"):
            return self.parse_powers(self.parse_matrix(piece))
        if label.startswith("F!") and len(tree.children) == 1:
            return self.parse_accented(piece)
        if label == "O!cases":
            return self.parse_cases(piece)
        if label == "O!continued-fraction":
            return self.parse_powers(Tree("/", tuple(map(self.term_of, tree.children))))
        if label == "E!missing":
            raise self.make_error("an argument is missing", piece)
        raise self.make_error(f"{piece.text or label[2:]!r} is not understood", piece)

    def parse_cases(self, piece: Piece) -> Tree:
        r"""A value by cases, or, where no row has a condition, statements that hold together."""
        cells = piece.alone.children
        if piece.alone.label.startswith("M!M"):  # \\left\\{ \\begin{array} ... \\right.
            cells = tuple(cell for row in cells for cell in (*row.children, _NO_CELL)[:2])
        rows = [
            (argument_pieces(one), argument_pieces(other))
            for one, other in zip(*[iter(cells)] * 2, strict=True)
        ]
        rows = [row for row in rows if any(row)]
        if not any(condition for _, condition in rows):
            found = [self.cursor_on(value).parse_line() for value, _ in rows]
            if found and all(map(is_statement, found)):
                return Tree("and", tuple(found)) if len(found) > 1 else found[0]
            raise self.make_error("cases without conditions are not understood", piece)
        parts: list[Tree] = []
        for value, condition in rows:
            if is_statement(case := self.cursor_on(value).parse_line()) or case.label == "list":
                raise self.make_error("cases of statements are not understood", piece)
            words = [words_of(one) for one in condition]
            if words and words[0] in CONNECTIVES:
                condition, words = condition[1:], words[1:]
            if len(words) == 1 and words[0] in _OTHERWISE:
                parts += [case, Tree("else")]
            elif condition and is_statement(held := self.cursor_on(condition).parse_line()):
                parts += [case, held]
            else:
                raise self.make_error("the condition of a case is not understood", piece)
        return Tree("cases", tuple(parts))

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
            top = ONE if upper.is_differential() else upper.parse_sets()
            if upper.is_differential():
                if self.context.differential is not None:
                    raise self.make_error("two differentials are not understood", piece)
                self.context.differential = upper.differential_name()
                # After a leading differential the rest of the numerator is the integrand,
                # without another differential.
                if upper.at < upper.length and top == ONE:
                    upper.integrals = 0
                    top = upper.parse_only_term()
            if upper.at < upper.length:
                upper.raise_unexpected()
        else:
            top = upper.parse_only_term()
        if below.label == "E!missing":
            raise self.make_error("\\frac is not complete", piece, "Write both parts.")
        return Tree("/", (top, self.term_of(below)))

    def parse_text(self, piece: Piece) -> Tree:
        """Parse a text: a unit, a function's name, or words that are refused."""
        words = piece.alone.label[2:].strip()
        bare = words.strip(".,;: ")
        before = self.piece_ahead(-2)
        if bare in BARE_UNITS or (before.role == PieceRole.NUMBER and bare.lower() not in CONNECTIVES):
            return self.parse_powers(Tree("unit", (Tree(bare),)))
        if bare.isalpha() and bare in ONE_PLACE and len(bare) > 1:
            return self.parse_function(bare, piece)
        if not bare:
            raise self.make_error("a text is empty", piece)
        if bare.lower() in SETS_IN_WORDS:
            return self.parse_set_in_words(*SETS_IN_WORDS[bare.lower()])
        if self.length == 1:
            return Tree("text", (Tree(words),))
        if _WORDS.match(bare) and bare.lower() not in CONNECTIVES:
            return self.parse_name(re.sub(r"[\s-]+", "_", bare))
        raise self.make_error(f"{bare[:40]!r} is not understood", piece)

    def parse_set_in_words(self, numbers: str, excluding: bool) -> Tree:
        """Parse what follows the words for a set of numbers: the values that are not in it, if any."""
        if not excluding:
            return Tree(numbers)
        taken = [self.parse_sum()]
        while self.here.text == "," or CONNECTIVES.get(words_of(self.here)) in ("and", "or"):
            self.take_piece()
            if self.starts_factor() or self.here.role == PieceRole.ADD:
                taken.append(self.parse_sum())
        alone = len(taken) == 1 and taken[0].label in _COLLECTIONS
        return Tree("without", (Tree(numbers), taken[0] if alone else Tree("set", tuple(taken))))

    def parse_matrix(self, piece: Piece) -> Tree:
        """Parse a matrix."""
        name = piece.text.removesuffix("*").lstrip("\\")
        rows = [row.children for row in piece.alone.children]
        if len(rows) > 1 and len(rows[-1]) == 1 and not argument_pieces(rows[-1][0]):
            rows.pop()  # a new line behind the last row
        if name in ("pmatrix", "bmatrix", "matrix", "smallmatrix", "array", "vmatrix", "Bmatrix"):
            if not rows or len({len(row) for row in rows}) != 1:
                raise self.make_error("a matrix whose rows have different lengths is not understood", piece)
            made = tuple(Tree("row", tuple(map(self.term_of, row))) for row in rows)
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
            return self.parse_powers(Tree(label, (self.term_of(tree.children[0]),)))
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
        if self.context.is_answer and tree.label == "F!→":
            mark = _ARROW
        # The other marks, such as a hat or tilde, make a different name of one letter.
        if mark and len(parts) == 1 and is_variable(parts[0]):
            return self.parse_name(name_of(parts[0]) + mark)
        raise self.make_error(f"{tree.label[2:]!r} above or below is not understood", piece)

    # Large operators

    def parse_big_operator(self) -> Tree:
        """Parse a sum or product with its bounds."""
        piece = self.take_piece()
        label = _SUMS.get(piece.operator.label)
        if label is None:
            raise self.make_error(f"{piece.text} is not understood", piece)
        shape = rf"Write {piece.text}_{{k=1}}^{{n}} u."
        low, high = self.parse_bounds(piece)
        if low is None:
            raise self.make_error(f"{piece.text} needs both limits", piece, shape)
        name, start, end = self.range_of(low, high, piece, shape)
        self.context.bound.append(name)
        if not self.starts_factor() and not (self.here.role == PieceRole.ADD and self.here.text == "-"):
            raise self.make_error(f"{piece.text} has no body", piece, "Write it after the limits.")
        body = self.parse_signed()
        self.context.bound.pop()
        return Tree(label, (Tree(variable_name(name)), start, end, body))

    def parse_bounds(self, piece: Piece) -> tuple[Line | None, Line | None]:
        """Parse the bounds of a large operator."""
        low: Line | None = None
        high: Line | None = None
        while self.here.role == PieceRole.SCRIPT:
            script = self.take_piece()
            if not isinstance(script.alone, Line):
                raise self.make_error("a prime is not understood here", script)
            if script.text == "O!SUB" and low is None:
                low = script.alone
            elif script.text == "O!SUP" and high is None:
                high = script.alone
            else:
                raise self.make_error(f"{piece.text} has too many limits", script)
        return low, high

    def range_of(self, low: Line, high: Line | None, piece: Piece, shape: str) -> tuple[str, Tree, Tree]:
        """Return the variable of a sum, from where it goes, and to where."""
        parts = low.parts
        # Find the relations in the line below the sign: their number and position
        # decide what the range is.
        relations = [at for at, one in enumerate(parts) if one.role == PieceRole.RELATION]
        signs = [RELATION_NAMES.get(parts[at].operator.label, "") for at in relations]
        # With an upper bound: "k = low" below it.
        if high is not None:
            if len(relations) == 1 and signs == ["="] and relations[0] == 1 and is_variable(parts[0]):
                start = self.cursor_on(parts[2:]).parse_only_term()
                return name_of(parts[0]), start, self.term_of(high)
            if not relations and len(parts) == 1 and is_variable(parts[0]) and name_of(parts[0]) != "d":
                raise self.make_error(f"{piece.text} does not say where it begins", piece, shape)
            raise self.make_error(f"{piece.text} does not name its variable", piece, shape)
        # Without one: "k ≥ low", "k ∈ ℤ" and the like go on to infinity.
        infinity = Tree("inf")
        if len(relations) == 1 and relations[0] == 1 and is_variable(parts[0]):
            name = name_of(parts[0])
            # Only an inequality has a bound that is a term; zero stands in for the
            # others, which do not use it.
            bound = self.cursor_on(parts[2:]).parse_only_term() if signs[0] not in ("in", "=", "") else ZERO
            if signs[0] == ">=":
                return name, bound, infinity
            # The index is an integer, so k > a starts at a + 1.
            if signs[0] == ">":
                return name, Tree("+", (bound, ONE)), infinity
            if signs[0] == "in" and len(parts) == 3:
                inside = name_of(parts[2])
                if inside == "ℤ":
                    return name, make_negative(infinity), infinity
        # A chain of two relations holds both bounds: "low ≤ k ≤ high".
        if len(relations) == 2 and relations[1] == relations[0] + 2 and is_variable(parts[relations[0] + 1]):
            name = name_of(parts[relations[0] + 1])
            start = self.cursor_on(parts[: relations[0]]).parse_only_term()
            end = self.cursor_on(parts[relations[1] + 1 :]).parse_only_term()
            if set(signs) <= {"<=", "<"}:
                # The bounds are integers, so strict inequalities move them by one.
                start = Tree("+", (start, ONE)) if signs[0] == "<" else start
                end = Tree("-", (end, ONE)) if signs[1] == "<" else end
                return name, start, end
        raise self.make_error(f"the range of {piece.text} is not understood", piece, shape)

    # Integrals

    def parse_integral(self) -> Tree:
        """Parse an integral, with its differential in front, within, or at the end."""
        piece = self.take_piece()
        # Contour and multiple integrals have no counterpart among the terms.
        if piece.operator.label not in ("O!int", "O!double-integral", "O!triple-integral"):
            raise self.make_error(f"{piece.text} is not understood", piece)
        if piece.operator.label != "O!int":
            raise self.make_error(f"{piece.text} over a region is not understood", piece)
        # Either both limits or none: a single one names a region, as in ∫_D.
        low, high = self.parse_bounds(piece)
        if (low is None) != (high is None):
            raise self.make_error("an integral over a region is not understood", piece)
        ends = (self.term_of(low), self.term_of(high)) if low is not None and high is not None else None
        # The differential may stand inside the body ("dx/x"); an outer integral must not take it.
        outer, self.context.differential = self.context.differential, None
        self.integrals += 1
        # With the differential in front, "∫ dx f", the integrand is one term;
        # otherwise it reaches to its end.
        if self.is_differential():
            variable = self.differential_name()
            body = self.parse_term() if self.starts_factor() else ONE
        else:
            if self.at >= self.length:
                raise self.make_error(f"{piece.text} has no body", piece)
            body = self.parse_sum()
            inner_differential = self.context.differential
            if self.is_differential():
                if inner_differential is not None:
                    raise self.make_error("two differentials are not understood", piece)
                variable = self.differential_name()
            elif inner_differential is not None:
                variable = inner_differential
            else:
                raise self.make_error(
                    f"{piece.text} does not name its variable", piece, r"Write \, dt at its end."
                )
        # The state of the integral around this one comes back, with the
        # differential that it may have met.
        self.integrals -= 1
        self.context.differential = outer
        if ends is None:
            return Tree("antiderivative", (variable, body))
        return Tree("integral", (variable, *ends, body))

    def differential_name(self) -> Tree:
        """Parse the variable of a differential."""
        self.take_piece()
        piece = self.take_piece()
        name, power = self.parse_identifier(name_of(piece))
        if power is not None or name.children:
            raise self.make_error("a differential is not understood", piece)
        if self.here.role == PieceRole.OPEN and self.is_function_call(
            name_of(piece), name_of(piece) in self.context.functions
        ):
            raise self.make_error("the differential of a function is not understood", piece)
        return Tree(variable_name(name.label))

    def is_evaluated(self) -> bool:
        """Return whether the brackets have values at both ends, as [F]_a^b."""
        marks = {self.piece_ahead(0).text, self.piece_ahead(1).text}
        return (
            self.here.role == PieceRole.SCRIPT
            and self.piece_ahead(1).role == PieceRole.SCRIPT
            and len(marks) == 2
        )

    def evaluate_between(self, found: Tree, start: Piece) -> Tree:
        r"""`\left. F \right|_a^b`: F at b less F at a."""
        low, high = self.parse_bounds(start)
        if low is None or high is None:
            raise self.make_error("limits behind a bracket are not understood", start)
        # The limits may name their variable, as in |_{x=a}^{x=b}.
        ends = []
        name = ""
        for bound in (low, high):
            parts = bound.parts
            if len(parts) > 2 and parts[1].text == "=" and is_variable(parts[0]):
                name, parts = name_of(parts[0]), parts[2:]
            ends.append(self.cursor_on(parts).parse_only_term())
        # Without a name there must be exactly one free variable that is not in the limits either.
        if not name:
            names = {one for one in free_variables(found) if is_name(one)} - set().union(
                *map(free_variables, ends)
            )
            names -= {"e", "pi", "i", "inf", "call"}
            if len(names) != 1:
                raise self.make_error("which variable the limits are for can be read in two ways", start)
            name = names.pop()
        # Substitution under a binder could capture a bound variable, so such expressions are refused.
        if any(node.label in ("sum", "prod", "integral", "limit", "d", "call") for node in found):
            raise self.make_error("limits behind such an expression are not understood", start)
        return Tree(
            "-", (substitute_variable(found, name, ends[1]), substitute_variable(found, name, ends[0]))
        )

    # Limits

    def parse_limit(self) -> Tree:
        """Parse a limit, maximum or minimum."""
        piece = self.take_piece()
        # max and min share the role of limits in the table of symbols, but take several arguments here.
        if piece.operator.label in ("F!max", "F!min"):
            return self.of_several(piece.operator.label[2:], piece)
        if piece.operator.label not in ("O!limit", "V!lim"):
            raise self.make_error(f"{piece.text} is not understood", piece)
        # Below the sign there must be "variable arrow target".
        low, high = self.parse_bounds(piece)
        parts = low.parts if low is not None else ()
        arrows = ("\\to", "\\rightarrow", "\\longrightarrow")
        if len(parts) < 3 or parts[1].text not in arrows or not is_variable(parts[0]) or high is not None:
            raise self.make_error("what a limit goes to is not understood", piece, r"Write \lim_{x\to 0} u.")
        # A target with "+" or "-" as its exponent is a one-sided limit.
        side, target = "both", parts[2:]
        if len(target) > 1 and target[-1].role == PieceRole.SCRIPT and isinstance(target[-1].alone, Line):
            mark = [one.text for one in target[-1].alone.parts]
            if mark in (["+"], ["-"]):
                side, target = mark[0], target[:-1]
        name = name_of(parts[0])
        to = self.cursor_on(target).parse_only_term()
        # The variable is bound within the body only, where a letter such as e or i is then no constant.
        self.context.bound.append(name)
        if not self.starts_factor() and self.here.role != PieceRole.ADD:
            raise self.make_error("\\lim has no body", piece)
        body = self.parse_signed()
        self.context.bound.pop()
        return Tree("limit", (Tree(variable_name(name)), to, Tree(side), body))

    # Derivatives

    def parse_derivative(self, above: Sequence[Piece], below: Sequence[Piece], piece: Piece) -> Tree | None:
        r"""Return a derivative: `\frac{d}{dx}` of what follows, `\frac{dy}{dx}`, `\frac{d^2 y}{dx^2}`."""
        marks = ("d", "\\partial")
        # Only "d over d" or "∂ over ∂", with a variable after the lower sign, is a derivative.
        if len(below) < 2 or below[0].text not in marks or above[0].text != below[0].text:
            return None
        if not is_variable(below[1]):
            return None
        # The order is the exponent of the upper sign, and the exponent of the variable must repeat it.
        order, rest = 1, list(above[1:])
        if rest and rest[0].role == PieceRole.SCRIPT and rest[0].text == "O!SUP":
            digits = spell_argument(rest[0].alone)
            if not digits.isdigit() or not 0 < int(digits) < 10:
                raise self.make_error("a derivative of such an order is not understood", piece)
            order, rest = int(digits), rest[1:]
            under = below[2:]
            if len(under) != 1 or spell_argument(under[0].alone) != digits:
                raise self.make_error("a derivative by several variables is not understood", piece)
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
