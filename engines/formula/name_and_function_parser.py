r"""Names with what is attached to them: scripts, powers, and the arguments of functions."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.formula.counting import COUNTS, make_count, make_double_factorial
from engines.formula.cursor import (
    MINUS_ONE,
    STATEMENTS,
    UnreadError,
    as_argument,
    call_unknown,
    find_ranging,
    is_statement,
    make_negative,
    mark_bound,
    nest_to_left,
    opposite_number,
)
from engines.formula.infix import is_angle
from engines.formula.layout import Piece
from engines.formula.numeral_parser import NumeralParser
from engines.formula.symbols import PieceRole
from engines.formula.unit_table import BARE_UNITS
from engines.formula.vocabulary import (
    CONSTANT_SIGNS,
    EXPECTED,
    ONE_PLACE,
    PAIRS,
    PROBABILITIES,
    RANGING,
    SETS_OF_NUMBERS,
    SEVERAL,
    SIGNS,
    SIGNS_OF_NUMBERS,
    TRIGONOMETRIC_AND_HYPERBOLIC,
    USUAL_FUNCTION_LETTERS,
    Line,
    argument_pieces,
    bracket_after,
    is_name,
    is_variable,
    name_of,
    sequence_name,
    spell_argument,
    variable_name,
)

_EXTREMES = ("\\min", "\\max", "\\sup", "\\inf")
_MARKS_ABOVE = {
    **{sign: sign for sign in ("*", "+", "-")},
    "\\ast": "*",
    "\\star": "⋆",
    "\\dagger": "†",
    "\\dag": "†",
    "\\times": "×",
    "\\perp": "⊥",
    "\\prime": "'",
    "\\leq": "<=",
    "\\ge": ">=",
}
"""What may stand above a name or expression, and says which other one it is."""
_MEANT = ("|", "∥", "⌊", "⌈")
"""Brackets that are functions of what they enclose."""


class NameAndFunctionParser(NumeralParser):
    """Reads what begins with a number, a letter or the name of a function, with what is attached to it."""

    # Powers

    def parse_powers(self, base: Tree) -> Tree:
        """Parse powers and signs behind a factor."""
        while True:
            piece = self.here
            if piece.role == PieceRole.SCRIPT:
                # Only names carry subscripts; those are read with the name, so one here
                # belongs to an expression.
                if piece.text != "O!SUP":
                    base = self.take_element(base, piece)
                    continue
                self.take_piece()
                base = self.raise_base(base, piece)
            elif piece.role == PieceRole.POSTFIX:
                self.take_piece()
                if piece.operator.label == "O!percent" and self.here.role == PieceRole.NUMBER:
                    # No percentage is multiplied with a number without a sign: 11 % 4 is a remainder.
                    base = Tree("mod", (base, self.parse_factor()))
                elif piece.operator.label == "O!percent":
                    hundredth = Tree("/", (base, Tree("100")))
                    base = self.make_quantity(base, "%") if self.context.is_answer else hundredth
                # n!! is a function of its own, not the factorial of n!.
                elif self.here.text == "!" and self.here.role == PieceRole.POSTFIX:
                    self.take_piece()
                    doubled = None if self.here.text == "!" else make_double_factorial(base)
                    if doubled is None:
                        raise self.make_error("a double factorial of such a term is not understood", piece)
                    base = doubled
                else:
                    base = Tree("factorial", (base,))
            else:
                return base

    def take_element(self, base: Tree, script: Piece) -> Tree:
        """Return an expression with a subscript of unknown meaning, `(AB)_{12}`, as an unknown function."""
        if not self.context.reads_unknown_signs:
            raise self.make_error("a subscript of an expression is not understood", script)
        indices = self.parse_indices(script)
        self.take_piece()
        return call_unknown("_", base, *(self.index_terms(indices) if isinstance(indices, str) else indices))

    def raise_base(self, base: Tree, script: Piece) -> Tree:
        """Return a base with its exponent, which may also be a degree sign, a transpose, a star or a
        prime.
        """
        # A single mark in the exponent is often no power: degree, transpose, star, and so on.
        if isinstance(script.alone, Line) and len(script.alone.parts) == 1:
            mark = script.alone.parts[0]
            # A ring is the degree sign: 20°C is a unit, and any other angle is converted to radians.
            if mark.operator.label == "O!compose":
                if self.here.role == PieceRole.UNKNOWN and name_of(self.here) in ("C", "F"):
                    return self.make_quantity(base, "°" + name_of(self.take_piece()))
                if self.context.is_answer:
                    return self.make_quantity(base, "°")
                return Tree("*", (base, Tree("/", (Tree("pi"), Tree("180")))))
            is_transposed = mark.alone.label == "V!⊤" or (mark.text == "T" and base.label == "matrix")
            if self.context.is_answer and (is_transposed or mark.text == "T"):
                if base.label == "call" and len(base.children) > 2:
                    return base  # t(1, 2)^T
                if base.label in ("tuple", "interval", "list"):
                    # A column in a row: answers compare vectors by their entries.
                    return Tree("tuple", base.children[base.label == "interval" :])
                if base.label == "matrix":
                    columns = zip(*(row.children for row in base.children), strict=True)
                    return Tree("matrix", tuple(Tree("row", column) for column in columns))
            if is_transposed:
                return Tree("transpose", (base,))
            if base.label in SETS_OF_NUMBERS and mark.text in ("+", "-", "*"):
                return Tree(base.label + mark.text)
            # By convention z and w are complex, so a star conjugates them.
            if mark.text == "*" and base.label in ("z", "w"):
                self.context.add_note(f"{base.label}* is the conjugate")
                return Tree("conj", (base,))
            # A^T could be a transpose or a power with exponent T, unless the base is a
            # number or a known constant.
            if mark.text == "T" and not base.label[-1:].isdigit() and base.label not in ("e", "pi"):
                if self.context.reads_unknown_signs:
                    return call_unknown("^T", base)
                raise self.make_error("'T' as an exponent can be read in two ways", mark)
            if mark.role not in (PieceRole.NUMBER, PieceRole.UNKNOWN, PieceRole.ATOM):
                if self.context.reads_unknown_signs and (sign := _MARKS_ABOVE.get(mark.text)):
                    is_letter = not base.children and is_name(base.label)
                    return Tree(f"{base.label}^{sign}") if is_letter else call_unknown(f"^{sign}", base)
                raise self.make_error(
                    f"{mark.text or mark.alone.label[2:]!r} as an exponent is not understood", mark
                )
        elif self.context.reads_unknown_signs and (sign := self.spell_marks(script)):
            return Tree(f"{base.label}^{sign}") if is_name(base.label) else call_unknown(f"^{sign}", base)
        elif script.alone.label.startswith("V!′"):
            # A prime behind an expression is a derivative, if only one variable can be meant.
            leaves = {leaf for leaf in base if not leaf.children and is_name(leaf.label)}
            names = [
                leaf for leaf in leaves if leaf.label not in USUAL_FUNCTION_LETTERS | {"e", "pi", "i", "inf"}
            ]
            # (F - G)' is the derivative of functions, of whatever variable.
            of_functions = any(leaf.label[0].isupper() and leaf.label != "X" for leaf in names)
            marked = any(leaf.label[0] == "•" for leaf in base)
            if not base.children or len(names) != 1 or of_functions or marked:
                if self.context.reads_unknown_signs:
                    return call_unknown("'" * len(script.alone.label[2:]), base)
                raise self.make_error("a prime is not understood here", script)
            for _ in script.alone.label[2:]:
                base = Tree("d", (names[0], base))
            return base
        # "n^{th}" is language, not a power.
        if spell_argument(script.alone) in ("th", "st", "nd", "rd"):
            raise self.make_error("an ordinal is not understood", script)
        parts = script.alone.parts if isinstance(script.alone, Line) else ()
        if base.label == "factorial" and parts and parts[0].text == "(":
            raise self.make_error("a multifactorial is not understood", script)
        exponent = self.make_term(script.alone)
        if self.here.text == "O!SUP" and isinstance(self.here.alone, Line):
            exponent = self.raise_base(exponent, self.take_piece())  # powers associate to the right
        if self.has_bold(base):
            if self.context.reads_unknown_signs:
                return call_unknown("^", base, exponent)
            raise self.make_error("a power of a vector is not understood", script)
        # A matrix to the power of -1 is its inverse, not a reciprocal.
        if exponent == MINUS_ONE and base.label == "matrix":
            return Tree("inverse", (base,))
        return Tree("pow", (base, exponent))

    def spell_marks(self, script: Piece) -> str:
        """Return the marks in an exponent of marks alone, as `**`; "" for another."""
        marks = [_MARKS_ABOVE.get(one.text, "") for one in argument_pieces(script.alone)]
        return "".join(marks) if all(marks) else ""

    def make_quantity(self, number: Tree, unit: str) -> Tree:
        """Return a number in a unit."""
        return Tree("*", (number, Tree("unit", (Tree(unit),))))

    # Letters

    def parse_letter(self) -> Tree:
        """Parse a letter or word with its scripts and arguments."""
        piece = self.take_piece()
        name = name_of(piece)
        self.context.places.setdefault(name, piece.start)
        # Names that are functions of one, several or two arguments are read with their arguments.
        if self.context.reads_unknown_signs and name in "ℜℑ" and not self.starts_factor():
            return self.parse_name(name)  # the real numbers, or a letter
        if (name in ONE_PLACE and len(name) > 1) or name in "ℜℑ":
            return self.parse_function(name, piece)
        if self.context.reads_unknown_signs and name in RANGING and self.here.text not in ("(", "["):
            return self.parse_over(RANGING[name], piece, *self.parse_bounds(piece))
        if self.context.reads_unknown_signs and name == "λ" and self.begins_abstraction():
            return self.parse_abstraction()
        if name in SEVERAL:
            return self.of_several(SEVERAL[name], piece)
        if name in PAIRS and self.here.role == PieceRole.OPEN:
            return self.of_pair(PAIRS[name], piece)
        # A currency sign stands before the number that it is the unit of.
        if name == "$":
            return self.make_quantity(self.parse_factor(), "$")
        # Δx is one name; Δ alone is a variable.
        if name == "Δ" and is_variable(self.here):
            return self.parse_name(name + name_of(self.take_piece()))
        # An angle takes all the letters of its points, as in ∠ABC.
        if name == "∠" and is_variable(self.here):
            while is_variable(self.here):
                name += name_of(self.take_piece())
            result = self.parse_name(name)
            if is_variable(self.here) and name_of(self.here).isupper():
                raise self.make_error("an angle with a subscript is not understood", piece)
            return result
        if self.context.reads_unknown_signs and name in SIGNS:
            return self.parse_sign(name)
        if not is_name(name):
            raise self.make_error(f"{piece.text or name!r} is not understood", piece)
        # A command of several letters that is in no table would be misread as a variable.
        if len(name) > 1 and piece.text.startswith("\\"):
            raise self.make_error(f"{piece.text} is not known", piece)
        # Points of geometry next to each other, such as AB, name one segment.
        if name in self.context.geometric and self.here.role == PieceRole.UNKNOWN:
            while self.here.role == PieceRole.UNKNOWN and name_of(self.here) in self.context.geometric:
                name += name_of(self.take_piece())
            self.context.add_note(f"{name} is one name")
        return self.parse_name(name)

    def parse_name(self, name: str) -> Tree:
        """Return a letter or word with its scripts, or the function that it is."""
        # Scripts come first, since f_1(x) and f^2(x) have theirs before the brackets.
        label, power = self.parse_identifier(name)
        if power is not None and self.is_index_above(name, power):
            label, power = self.index_above(label, power), None
        plain = label.label == variable_name(name)
        is_function = name in self.context.functions or label.label in self.context.functions
        # A bracket after a name is a call only if the name can be a function in this formula.
        if (
            self.here.role == PieceRole.OPEN
            and self.here.text in ("(", "[", "{")
            and self.is_function_call(name, is_function)
        ):
            return self.parse_call(label, power)
        # A power before a bracket, a^2(b), could be applied to the value of the function as well.
        opens_square = self.here.text == "[" and self.here.role == PieceRole.OPEN
        if self.context.reads_unknown_signs and opens_square and not self.has_limits_behind():
            # Square brackets behind a name are an argument, an index or a factor.
            alone = self.piece_ahead(2).text == "]"
            several = power is None and self.has_several_indices()
            if alone or several or "A" <= name[0] <= "Z" or len(name) > 1:
                head = label if label.label == "call" else call_unknown(label.label)
                head = Tree("call", (Tree(f"{head.children[0].label}[]"), *head.children[1:]))
                return self.parse_array_entry(head) if several else self.parse_call(head, power)
        lone = self.here.role == PieceRole.OPEN and bracket_after(self.parts, self.position - 1) == "function"
        if lone and power is not None and name not in ("e", "i", "π"):
            raise self.make_error(f"a power of {name} before a bracket can be read in two ways", power)
        if "A" <= name <= "Z" and opens_square and not self.has_limits_behind():
            raise self.make_error(f"square brackets behind {name} can be read in two ways")
        # e, i and π are constants only without scripts of their own.
        if plain and name in ("e", "i", "π"):
            label = self.make_constant(name)
        # A unit of several letters counts only right after a number, as in "3 cm".
        if len(name) > 1 and plain and name in BARE_UNITS and self.piece_ahead(-2).role == PieceRole.NUMBER:
            label = Tree("unit", (Tree(name),))
        if power is not None:
            label = self.raise_base(label, power)
        return self.parse_powers(label)

    def parse_identifier(self, name: str) -> tuple[Tree, Piece | None]:
        """Return a name with its subscript and primes, and its exponent where it has one."""
        if self.context.has_scripted_counts and (count := self.parse_scripted_count(name)) is not None:
            return count, None
        # Scripts may come in any order; a second exponent is left to `parse_powers`.
        power: Piece | None = None
        primes = ""
        indices: list[Tree] | str = ""
        while self.here.role == PieceRole.SCRIPT:
            script = self.here
            marks = argument_pieces(script.alone)
            if script.text == "O!SUB":
                if indices:
                    raise self.make_error("two subscripts are not understood")
                sign = SIGNS_OF_NUMBERS.get("".join(one.text for one in marks))
                if sign and name in ("ℝ", "ℤ"):
                    name += sign
                else:
                    indices = self.parse_indices(script)
            # A prime is an exponent for the layout, but part of the name here.
            elif script.alone.label.startswith("V!′"):
                primes += script.alone.label[2:]
            elif not isinstance(script.alone, Line):
                self.make_term(script.alone)
            elif marks and all(one.alone.label == "V!′" for one in marks):
                primes += "′" * len(marks)
            elif power is None:
                power = script
            else:
                break
            self.position += 1
        name += "'" * len(primes)
        # Indices that are terms make a sequence: a_{n+1} is the call a(n + 1).
        if isinstance(indices, list):
            self.context.sequences.add(name)
            return Tree("call", (Tree(sequence_name(name)), *indices)), power
        # A subscript without terms is part of the name; its reading as an index is kept for later.
        if indices:
            label = f"{name}_{indices}"
            self.context.subscripted[label] = name, self.index_terms(indices)
            return Tree(label), power
        return Tree(variable_name(name)), power

    def parse_scripted_count(self, name: str) -> Tree | None:
        """Parse how many ways there are to choose, with its numbers below and above the letter: `C_n^k`."""
        scripts = self.here, self.piece_ahead(1)
        numbers = {each.text: each.alone for each in scripts if each.role == PieceRole.SCRIPT}
        if name not in COUNTS or len(numbers) < len(scripts):
            return None
        self.position += len(scripts)
        return make_count(name, *(self.make_term(numbers[text]) for text in ("O!SUB", "O!SUP")))

    def is_index_above(self, name: str, script: Piece) -> bool:
        """Return whether the document says that what stands above a name is an index."""
        marks = argument_pieces(script.alone)
        if not marks or not {name, f"{name}("} & self.context.indexed:
            return False
        if name not in self.context.indexed and marks[0].text != "(":
            return False
        alone = marks[0].role if len(marks) == 1 else ""
        return (
            marks[0].text != "-" and alone not in (PieceRole.ADD, PieceRole.MULTIPLY) and marks[0].text != "T"
        )

    def index_above(self, label: Tree, script: Piece) -> Tree:
        """Return a name with an index above it: `x^1` is one name, `x^{k+1}` an element of a sequence."""
        marks = argument_pieces(script.alone)
        if marks[0].text == "(" and marks[-1].text == ")":
            marks = marks[1:-1]
        plain = "".join(name_of(one) if one.role == PieceRole.UNKNOWN else one.text for one in marks)
        if label.label != "call" and plain.replace(",", "").isalnum():
            return Tree(f"{label.label}^{plain}")
        head, lower = (
            (label.children[0].label, label.children[1:]) if label.label == "call" else (label.label, ())
        )
        return Tree("call", (Tree(f"{head}^"), *lower, *self.cursor_on(marks).parse_arguments()))

    def parse_indices(self, script: Piece) -> list[Tree] | str:
        """Return a subscript: as part of a name, or, where it is worked out or bound, as terms."""
        parts = argument_pieces(script.alone)
        if not parts:
            if self.context.reads_unknown_signs:
                return ""  # nothing is printed
            raise self.make_error("a subscript is empty", script)
        # Collect the subscript as plain text; the loop is left as soon as something has to be evaluated.
        plain = ""
        for part in parts:
            if part.alone.label.startswith("T!"):
                plain += part.alone.label[2:].strip().replace(" ", "")
            elif part.role == PieceRole.NUMBER and part.text.isdigit():
                plain += part.text
            elif part.role == PieceRole.UNKNOWN and is_name(name := name_of(part)):
                # A bound letter in a subscript varies, so the subscript is an index and
                # no part of the name.
                if name in self.context.bound:
                    if self.context.reads_unknown_signs and len(parts) > 1 and all(map(is_variable, parts)):
                        return [self.make_constant(name_of(one)) for one in parts]
                    break
                plain += name
            elif part.alone.label == "C!infinity":
                plain += "∞"
            elif part.text in _EXTREMES:
                plain += part.text.removeprefix("\\")  # the greatest or least value of what is named
            elif (len(parts) == 1 and part.role in (PieceRole.ADD, PieceRole.MULTIPLY)) or (
                self.context.reads_unknown_signs and not plain and part.text in ("/", "*", "+")
            ):
                plain += "∕" if part.text == "/" else part.text  # no fraction
            elif part.text == ",":
                plain += ","
            else:
                break
        # Reached only if every piece is plain text.
        else:
            if plain:
                return plain
        return self.cursor_of_argument(script.alone).parse_arguments()

    def index_terms(self, plain: str) -> tuple[Tree, ...]:
        """Return the indices of a subscript as terms."""
        if "," in plain:
            return tuple(Tree(variable_name(one)) for one in plain.split(",") if one)
        names = [plain] if plain.isdigit() or len(plain) > 3 else plain
        return tuple(Tree(variable_name(one)) for one in names)

    def parse_arguments(self) -> list[Tree]:
        """Return terms with commas between them, to the end of the line."""
        parse = self.parse_statement if self.context.reads_unknown_signs else self.parse_set_operations
        result = [as_argument(parse())]
        while self.here.text == "," or (
            self.context.reads_unknown_signs and (self.here.text == ";" or self.is_given())
        ):
            self.take_piece()
            result.append(as_argument(parse()))
        if self.position < self.length:
            self.raise_unexpected()
        return result

    def make_constant(self, name: str) -> Tree:
        """Return a letter as a constant or variable."""
        if name == "π":
            return Tree("pi" if name not in self.context.letters else name)
        if name in self.context.letters or name in self.context.bound:
            return Tree(variable_name(name))
        if name == "i":
            self.context.add_note("i is the imaginary unit")
        return Tree(name)

    def is_function_call(self, name: str, known: bool) -> bool:
        """Return whether a name before a bracket is a function of what is in it."""
        if known:
            return True
        if name in ("e", "i", "π", *self.context.bound):
            return False
        if self.context.reads_unknown_signs and name in EXPECTED and self.here.text != "{":
            return True
        if name in self.context.letters or self.here.text != "(":
            return False
        how = bracket_after(self.parts, self.position - 1)
        if (
            name in USUAL_FUNCTION_LETTERS
            or len(name) > 1
            or (how == "function" and name not in self.context.products)
        ):
            self.context.add_note(f"{name} is a function")
            return True
        if how == "function":
            self.context.add_note(f"{name}(…) is a product")
        return False

    def parse_call(self, name: Tree, power: Piece | None) -> Tree:
        """Parse the arguments of a called function."""
        head, extra = name.label, name.children[:0]
        # A name with indices is already a call: its indices become the first arguments.
        if name.label == "call":
            head, extra = name.children[0].label, name.children[1:]
        elif name.label in self.context.subscripted:
            del self.context.subscripted[name.label]
        # f^{-1}(x) is the inverse function; any other power could mean a repeated application.
        if power is not None:
            marks = argument_pieces(power.alone)
            if [one.text for one in marks] == ["-", "1"]:
                head += "^-1"
            elif self.context.reads_unknown_signs:
                if len(marks) == 1 and (sign := _MARKS_ABOVE.get(marks[0].text)):
                    head += f"^{sign}"
                else:
                    head, extra = f"{head}^", (*extra, self.make_term(power.alone))
            else:
                raise self.make_error(f"a power of the function {head} can be read in two ways", power)
        elif head == "Γ":
            head = "gamma"
        opening = self.here
        result = self.parse_bracketed()[2]
        if any(map(is_statement, result)):
            if not (self.context.reads_unknown_signs or (self.context.is_answer and head in PROBABILITIES)):
                raise self.make_error(f"a relation as the argument of {head} is not understood", opening)
            result = [*map(as_argument, result)]
        # What ranges in an index, as in E_{x ~ p}[f(x)], is bound.
        ranges = [one for one in extra if one.label == "call" and one.children[0].label in STATEMENTS]
        if self.context.reads_unknown_signs and ranges:
            names = set().union(*map(find_ranging, ranges))
            result = [mark_bound(one, names) for one in result]
            extra = tuple(mark_bound(one, names) for one in extra)
        if head == "gamma" and len(result) == 1 and not extra:
            return self.parse_powers(Tree("gamma", tuple(result)))
        return self.parse_powers(Tree("call", (Tree(head), *extra, *result)))

    def has_several_indices(self) -> bool:
        """Return whether another square bracket opens where the one here is closed, as in `a[i][j]`."""
        behind = self.list_behind_bracket()
        return bool(behind) and behind[0].text == "["

    def has_limits_behind(self) -> bool:
        """Return whether the brackets that open here are a factor with limits, as in `π[x^2]_0^1`."""
        limits = self.list_behind_bracket()[:2]
        return {piece.text for piece in limits if piece.role == PieceRole.SCRIPT} == {"O!SUB", "O!SUP"}

    def list_behind_bracket(self) -> Sequence[Piece]:
        """List what stands behind the bracket that opens here; nothing if it is never closed."""
        depth = 0
        for at in range(self.position, self.length):
            piece = self.parts[at]
            depth += (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE)
            if depth <= 0:
                return self.parts[at + 1 : self.length]
        return ()

    def parse_array_entry(self, head: Tree) -> Tree:
        """Parse the indices of an entry of an array, each in square brackets."""
        indices: list[Tree] = []
        while self.here.text == "[" and self.here.role == PieceRole.OPEN:
            indices += map(as_argument, self.parse_bracketed()[2])
        return self.parse_powers(Tree("call", (*head.children, *indices)))

    def parse_bracketed(self) -> tuple[str, str, list[Tree]]:
        """Return an opening bracket, the closing one, and the things in between."""
        if (inside := self.parse_set_by_condition()) is not None:
            return "{", "}", [inside]
        opening = self.take_piece()
        # Bars, integrals and hints from outside do not apply inside the brackets;
        # they come back at the end.
        bars, self.bars = self.bars, 0
        self.brackets += 1
        integrals, self.integrals = self.integrals, 0
        hint, self.context.allows_intervals = self.context.allows_intervals, False
        self.enter_level()
        result: list[Tree] = []
        if self.here.role != PieceRole.CLOSE:
            result.append(self.parse_statement())
            if (
                self.here.role == PieceRole.PUNCTUATION
                and self.here.text in (",", ";")
                and self.is_turned_bracket(opening.text)
            ):
                # ]a, b[ or [a; b[
                self.take_piece()
                # An interval such as [a, b[ closes with an opening bracket, so its end is
                # searched for before parsing.
                end = next(at for at in range(self.position, self.length) if self.parts[at].text == "[")
                result.append(self.cursor_on(self.parts[self.position : end]).parse_only_term())
                self.position = end
            while self.here.role == PieceRole.PUNCTUATION and self.here.text in (",", ";"):
                self.take_piece()
                result.append(self.parse_statement())
            if (self.context.reads_unknown_signs or self.context.is_answer) and self.is_given():
                result.append(self.parse_given())
        if self.position >= self.length:
            if not opening.text:
                raise self.make_error("\\left. is not a bracket", opening, "Write a bracket on both sides.")
            raise self.make_error(f"{opening.text!r} is never closed", opening, "Write where it ends.")
        if self.here.role != PieceRole.CLOSE and not (opening.text in "[]" and self.here.text == "["):
            self.raise_unexpected()
        self.context.depth -= 1
        self.brackets -= 1
        self.bars, self.integrals, self.context.allows_intervals = bars, integrals, hint
        return opening.text, self.take_piece().text, result

    def parse_given(self) -> Tree:
        r"""Parse what is given behind a bar in brackets: `P(A \mid B)`."""
        given: list[Tree] = []
        while not given or (self.here.role == PieceRole.PUNCTUATION and self.here.text in (",", ";")):
            self.take_piece()
            given.append(as_argument(self.parse_statement()))
        return call_unknown("given", *given)

    def parse_set_by_condition(self) -> Tree | None:
        r"""Parse a set by what holds of its members, `\{x \mid x > 0\}`, or a system after one brace.

        Returns:
            The set or system, or None for other brackets.
        """
        if self.here.text != "{" or self.here.role != PieceRole.OPEN:
            return None
        # Look ahead without taking anything: where the brace closes, and where its own bar or colon is.
        depth, middle, end = 0, 0, self.position
        for at in range(self.position, self.length):
            piece = self.parts[at]
            depth += (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE)
            if depth == 1 and not middle and (piece.role == PieceRole.COLON or piece.text in ("\\mid", "|")):
                middle = at
            if not depth:
                end = at
                break
        if end > self.position and not self.parts[end].text:  # \\left\\{ ... \\right.
            inside = self.parts[self.position + 1 : end]
            table = len(inside) == 1 and inside[0].alone.label.startswith("M!M")
            system = self.parse_cases(inside[0]) if table else self.cursor_on(inside).parse_line()
            self.position = end + 1
            return system
        # Two plain bars could enclose an absolute value; `\mid` and a colon are clear.
        bars = sum(piece.text == "|" for piece in self.parts[self.position : end])
        if not middle or end == self.position or (self.parts[middle].text == "|" and bars != 1):
            return None
        member, condition = self.parts[self.position + 1 : middle], self.parts[middle + 1 : end]
        related = any(piece.role == PieceRole.RELATION for piece in condition)
        if not member or not condition or not (related or self.context.reads_unknown_signs):
            return None
        sides = self.cursor_on(member).parse_line(), self.cursor_on(condition).parse_line()
        self.position = end + 1
        if not is_statement(sides[1]):
            return call_unknown("such", *map(as_argument, sides))
        return Tree("such", sides)

    def is_turned_bracket(self, opening: str) -> bool:
        """Return whether the bracket that was opened is closed by one that opens."""
        depth = 0
        for piece in self.parts[self.position :]:
            if not depth and piece.text == "[":
                return opening in ("[", "]")
            depth += (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE)
            if depth < 0:
                return False
        return False

    # Functions

    def parse_sign(self, name: str) -> Tree:
        """Return a sign such as ⊥, or the operator that it is before what it applies to: □A, ℘(X)."""
        label, power = self.parse_identifier(name)
        label = label if label.children else call_unknown(label.label)
        if (self.starts_factor() or self.begins_prefix()) and name not in CONSTANT_SIGNS:
            label = Tree("call", (*label.children, as_argument(self.parse_factor())))
        return label if power is None else self.raise_base(label, power)

    def parse_function(self, name: str, piece: Piece) -> Tree:
        """Return a function with its scripts, over its brackets or the simple things that follow."""
        if self.context.reads_unknown_signs and name not in ONE_PLACE and name not in SEVERAL:
            return self.parse_unknown_function(piece.text.lstrip("\\") or name)
        if self.context.reads_unknown_signs and name == "arg" and self.here.text in ("\\max", "\\min"):
            sought = self.take_piece()
            return self.parse_over(f"arg{sought.text[1:]}", sought, *self.parse_bounds(sought))
        power: Tree | None = None
        base: Tree | None = None
        # Scripts of the name come first: a base for log, a power for the others.
        while self.here.role == PieceRole.SCRIPT:
            script = self.take_piece()
            if not isinstance(script.alone, Line):
                raise self.make_error(f"a prime of {name} is not understood", script)
            if script.text == "O!SUB":
                if name != "log":
                    raise self.make_error(f"a subscript of {name} is not understood", script)
                base = self.make_term(script.alone)
            else:
                if power is not None:
                    raise self.make_error(f"two powers of {name} are not understood", script)
                power = self.make_term(script.alone)
        if name in SEVERAL:
            return self.of_several(SEVERAL[name], piece)
        if name not in ONE_PLACE:
            raise self.make_error(f"\\{name} is not understood", piece)
        label = ONE_PLACE[name]
        # A power of -1 means the inverse of a trigonometric function, and is doubtful for others.
        if power == MINUS_ONE:
            if label not in TRIGONOMETRIC_AND_HYPERBOLIC:
                raise self.make_error(f"{name} to the power of -1 can be read in two ways", piece)
            self.context.add_note(f"{name}^-1 is the inverse function", piece.start)
            label, power = f"a{label}", None
        opening = self.here
        grouped = opening.role == PieceRole.OPEN and opening.text not in _MEANT
        if grouped:
            members = self.parse_bracketed()[2]
            if len(members) != 1 or is_statement(members[0]):
                raise self.make_error(f"{name} takes one argument", opening, f"Write {name}(x).")
            argument = members[0]
        else:
            argument = self.parse_bare_argument(name, piece)
        result = self.apply_function(label, argument, base, name, piece)
        if power is not None:
            result = Tree("pow", (result, power))
        if not grouped:
            # In `\ln 1/x` the slash may stand in the argument.
            if self.here.text == "/" and self.here.role == PieceRole.MULTIPLY:
                self.context.open_ended.add(result)
            return result
        powered = self.parse_powers(result)
        # In `\sin(x)^2` the power could be that of the bracket or of the sine.
        if powered.label == "pow" and powered != result:
            self.context.open_ended.add(powered)
        return powered

    def apply_function(self, label: str, argument: Tree, base: Tree | None, name: str, piece: Piece) -> Tree:
        """Return a function applied to its argument."""
        if label == "exp":
            return Tree("pow", (Tree("e"), argument))
        if label == "cis":
            return Tree("+", (Tree("cos", (argument,)), Tree("*", (Tree("i"), Tree("sin", (argument,))))))
        if label == "log":
            if base is None and name == "lg":
                base = Tree("10")
            if base is None and self.context.log_base:
                base = Tree(self.context.log_base)
            if base is None:
                self.context.add_note("log is the natural logarithm", piece.start)
                return Tree("ln", (argument,))
            return Tree("log", (base, argument))
        return Tree(label, (argument,))

    def parse_bare_argument(self, name: str, piece: Piece) -> Tree:
        """Parse the argument of a function without brackets: simple things side by side."""
        minus = self.here.text == "-" and self.here.role == PieceRole.ADD
        if minus:
            self.take_piece()
        role = self.here.role
        meant = role == PieceRole.OPEN and self.here.text in _MEANT
        # Another function, sum, integral or absolute value without brackets is the whole argument.
        if meant or role in (
            PieceRole.FUNCTION,
            PieceRole.BAR,
            PieceRole.BIG,
            PieceRole.INTEGRAL,
            PieceRole.LIMIT,
        ):
            argument = self.parse_factor()
            return make_negative(argument) if minus else argument
        if not self.starts_factor():
            raise self.make_error(f"{name} has no argument", piece, f"Write {name}(x).")
        # A minus and the number after it become one negative number.
        plain = minus and self.is_plain_number()
        # After a fraction it is unclear whether the next factor is part of the argument.
        fraction = self.here.alone.label == "O!divide"
        argument = opposite_number(self.parse_factor()) if plain else self.parse_factor()
        # Letters and numbers join the argument until something else stands there.
        while (
            self.here.role in (PieceRole.NUMBER, PieceRole.UNKNOWN, PieceRole.ATOM) and self.starts_factor()
        ):
            piece_here = self.here
            if piece_here.alone.label in ("O!divide", "O!binomial") or fraction or piece_here.text == "{":
                raise self.make_error(
                    f"what {name} applies to can be read in two ways", remedy="Write brackets."
                )
            function = (
                piece_here.role == PieceRole.UNKNOWN
                and name_of(piece_here) in ONE_PLACE
                and len(name_of(piece_here)) > 1
            )
            if function or piece_here.alone.label.startswith("M!M"):
                break
            if piece_here.role == PieceRole.NUMBER:
                raise self.make_error(f"the number {piece_here.text[:20]} follows without an operator")
            argument = Tree("*", (argument, self.parse_factor()))
            # Nothing but a convention says that the argument goes on.
            self.context.open_ended.add(argument)
        slash = self.here
        if (
            name in TRIGONOMETRIC_AND_HYPERBOLIC
            and slash.text == "/"
            and slash.role == PieceRole.MULTIPLY
            and is_angle(argument)
        ):
            # of \\cos \\pi/2 the whole angle is the argument
            self.take_piece()
            argument = Tree("/", (argument, self.parse_factor()))
            self.context.open_ended.add(argument)
            if self.starts_factor():
                raise self.make_error(
                    f"what {name} applies to can be read in two ways", remedy="Write brackets."
                )
        # A bracket after the argument is ambiguous: sin x (x + 1).
        if self.here.role == PieceRole.OPEN:
            offset = self.here.end - 1
            what = f"what {name} applies to can be read in two ways"
            raise UnreadError(what, offset, f"Write {name}(…)*(…) or {name}(…*(…)).")
        return make_negative(argument) if minus and not plain else argument

    def of_several(self, label: str, piece: Piece) -> Tree:
        """Parse a function of several arguments, as gcd(a, b); before a relation its name alone."""
        if self.context.is_answer and self.here.role == PieceRole.RELATION:
            return Tree(variable_name(label))
        if self.here.role == PieceRole.SCRIPT or self.here.role != PieceRole.OPEN:
            raise self.make_error(
                f"{label} without brackets is not understood", piece, f"Write {label}(a, b)."
            )
        _, _, members = self.parse_bracketed()
        if len(members) == 1 and members[0].label in ("set", "list"):
            members = list(members[0].children)
        if not members or any(map(is_statement, members)):
            raise self.make_error(f"{label} takes terms", piece)
        return self.parse_powers(nest_to_left(label, members))

    def of_pair(self, label: str, piece: Piece) -> Tree:
        """Parse a function of two arguments, as C(n, k)."""
        _, _, members = self.parse_bracketed()
        if len(members) != 2 or any(map(is_statement, members)):
            raise self.make_error(f"{label} takes two terms", piece, f"Write {label}(n, k).")
        return self.parse_powers(Tree(label, tuple(members)))
