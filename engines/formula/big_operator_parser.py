r"""Operators over a range: sums, products, unions, greatest and least values, integrals and limits; and
operators of which nothing is known but what they apply to.

What a term of the language stands for (`sum`, `integral`, …) is read as that. In documents any other range is
read as well, `\sum_{x \in D} f(x)`: the operator is then an unknown function of what says where the variable
ranges and of the body. The variable is bound: it has a mark before it, `•x`, as no variable of the text has.
"""

from __future__ import annotations

from engines.core.expression_language import BINDERS
from engines.core.tree import Tree
from engines.formula.counting import COUNTS, make_count
from engines.formula.cursor import (
    END,
    ONE,
    ZERO,
    UnreadError,
    as_argument,
    call_unknown,
    find_ranging,
    free_variables,
    make_negative,
    mark_bound,
    substitute_variable,
)
from engines.formula.layout import Piece
from engines.formula.name_and_function_parser import NameAndFunctionParser
from engines.formula.symbols import BODIES, PieceRole, list_meanings
from engines.formula.vocabulary import (
    RELATION_NAMES,
    Line,
    argument_pieces,
    flatten_rows,
    is_name,
    is_variable,
    name_of,
    variable_name,
)

_LARGE = list_meanings(*BODIES)
"""Sums, integrals and the like by their labels in operator trees."""
_SIGNS = {label: symbol.unicode or symbol.term for label, symbol in _LARGE.items()}
"""What such an operator is called where nothing is known of what it ranges over."""
_SUMS = {label: symbol.term for label, symbol in _LARGE.items() if symbol.term in BINDERS}
_FROM_SIDES = {"\\downarrow": "+", "\\searrow": "+", "\\uparrow": "-", "\\nearrow": "-"}
"""Arrows that say from which side a limit is taken."""
_DIFFERENTIAL_SIGNS = {"\\nabla": "∇", "\\partial": "∂"}
"""Signs of operators before what they apply to."""


class BigOperatorParser(NameAndFunctionParser):
    """Reads operators with what they range over and apply to."""

    # Combinations

    def begins_count(self) -> bool:
        r"""Return whether a number of combinations with its first number before it stands here: `{}_5C_2`,
        and in answers 5C2."""
        before, letter, behind = self.here, self.piece_ahead(1), self.piece_ahead(2)
        if before.role == PieceRole.ATOM and not argument_pieces(before.alone) and not before.text:
            if letter.role != PieceRole.SCRIPT:
                return False
            letter, behind = behind, self.piece_ahead(3)
            return letter.role == PieceRole.UNKNOWN and name_of(letter) in COUNTS and behind.text == "O!SUB"
        figures = before.role == behind.role == PieceRole.NUMBER and (before.text + behind.text).isdecimal()
        adjacent = before.end == letter.start and letter.end == behind.start
        return self.context.is_answer and figures and adjacent and letter.text in COUNTS

    def parse_count(self) -> Tree:
        r"""Parse a number of combinations or arrangements: `{}_5C_2`, `{}^5P_2`, 5C2."""
        piece = self.take_piece()
        if piece.role == PieceRole.NUMBER:
            return make_count(self.take_piece().text, Tree(piece.text), Tree(self.take_piece().text))
        first = self.make_term(self.take_piece().alone)
        name = name_of(self.take_piece())
        return make_count(name, first, self.make_term(self.take_piece().alone))

    # Operators of which nothing is known

    def parse_over(self, name: str, piece: Piece, low: Line | None, high: Line | None) -> Tree:
        r"""Parse what an operator with a range applies to: `\max_{x \in S} f(x)`, `\bigcup_i A_i`."""
        ranges: list[Tree] = []
        if low is not None and low.parts:
            line = self.cursor_on(flatten_rows(low.parts)).parse_line()
            ranges += line.children if line.label == "list" else [line]
        names = set().union(*map(find_ranging, ranges))
        if high is not None:
            ranges.append(self.make_term(high))
        count = len(self.context.bound)
        self.context.bound += [name.removesuffix("_") for name in sorted(names)]
        if not self.starts_factor() and not (self.here.role == PieceRole.ADD and self.here.text == "-"):
            raise self.make_error(f"{piece.text} has no body", piece, "Write it after the limits.")
        body = self.parse_signed()
        del self.context.bound[count:]
        return mark_bound(call_unknown(name, *map(as_argument, (*ranges, body))), names)

    def parse_unknown_operator(self) -> Tree:
        r"""Parse a sign before what it applies to, `\nabla f`, `\partial U`; alone it is a name."""
        piece = self.take_piece()
        name = _DIFFERENTIAL_SIGNS[piece.text]
        label, power = self.parse_identifier(name)
        # ∇· is another operator than ∇.
        if self.here.role == PieceRole.MULTIPLY and piece.text == "\\nabla":
            label = Tree(
                label.label + {"\\cdot": "·", "\\times": "×"}.get(self.take_piece().text, ""), label.children
            )
        head, indices = (label.children[0].label, label.children[1:]) if label.children else (label.label, ())
        extra = () if power is None else (self.make_term(power.alone),)
        operand = (as_argument(self.parse_factor()),) if self.starts_factor() else ()
        return call_unknown(head + "^" * len(extra), *indices, *extra, *operand)

    def parse_unknown_function(self, name: str) -> Tree:
        """Parse a function of which only the name is known, with scripts, before brackets or a factor."""
        label, power = self.parse_identifier(name)
        if self.here.role == PieceRole.OPEN and self.here.text in ("(", "[", "{"):
            return self.parse_call(label, power)
        head, indices = (label.children[0].label, label.children[1:]) if label.children else (label.label, ())
        extra = () if power is None else (self.make_term(power.alone),)
        operand = (as_argument(self.parse_factor()),) if self.starts_factor() else ()
        return call_unknown(head + "^" * len(extra), *indices, *extra, *operand)

    def begins_prefix(self) -> bool:
        """Return whether a sign of negation or a mark stands before what it belongs to: `\\lnot A`, `!A`."""
        if self.here.operator.label == "O!not" and not self.here.operator.children:
            return True
        return self.here.text == "!" and is_variable(self.piece_ahead(1))

    def is_sign_alone(self) -> bool:
        r"""Return whether a sign stands here that is named and not applied, as in `(A, \le)` or `+^M`."""
        after = self.piece_ahead(1)
        return self.here.role in (PieceRole.ADD, PieceRole.MULTIPLY, PieceRole.RELATION) and (
            after is END or after.role in (PieceRole.CLOSE, PieceRole.PUNCTUATION, PieceRole.SCRIPT)
        )

    def parse_sign_alone(self) -> Tree:
        """Parse a sign as a name, with its scripts and arguments."""
        label, power = self.parse_identifier(self.take_piece().text.lstrip("\\"))
        label = label if label.children else call_unknown(label.label)
        parts = [*label.children, *([] if power is None else [self.make_term(power.alone)])]
        if self.here.text == "(" and self.here.role == PieceRole.OPEN:
            parts += map(as_argument, self.parse_bracketed()[2])
        return Tree("call", tuple(parts))

    def parse_abstraction(self) -> Tree:
        r"""Parse a function by its value, `\lambda x.\, x + 1`, behind its sign."""
        names: list[str] = []
        while is_variable(self.here):
            names.append(self.parse_identifier(name_of(self.take_piece()))[0].label)
        self.take_piece()
        body = as_argument(self.parse_statement())
        return mark_bound(call_unknown("λ", *map(Tree, names), body), set(names))

    def begins_abstraction(self) -> bool:
        """Return whether variables and a full stop stand here."""
        at = 0
        while is_variable(self.piece_ahead(at)) or self.piece_ahead(at).role == PieceRole.SCRIPT:
            at += 1
        return (
            at > 0 and self.piece_ahead(at).role == PieceRole.PERIOD and self.position + at + 1 < self.length
        )

    def parse_differentials(self, piece: Piece) -> list[Tree]:
        """Parse the variables of the differentials behind the first one, as `dx dy`: those that its sign asks
        for, and, where no other integral is around it, all.
        """
        most = {"O!double-integral": 1, "O!triple-integral": 2}.get(piece.operator.label, 0)
        result: list[Tree] = []
        while self.is_differential() and (self.integrals == 1 or len(result) < most):
            result.append(self.differential_name())
        return result

    # Large operators

    def parse_big_operator(self) -> Tree:
        """Parse a sum or product with its bounds."""
        piece = self.take_piece()
        label = _SUMS.get(piece.operator.label)
        symbol = _SIGNS.get(piece.operator.label, "") if self.context.reads_unknown_signs else ""
        if label is None and not symbol:
            raise self.make_error(f"{piece.text} is not understood", piece)
        shape = rf"Write {piece.text}_{{k=1}}^{{n}} u."
        low, high = self.parse_bounds(piece)
        if label is None:
            return self.parse_over(symbol, piece, low, high)
        if low is None:
            raise self.make_error(f"{piece.text} needs both limits", piece, shape)
        depth = self.context.depth
        try:
            name, start, end = self.range_of(low, high, piece, shape)
        except UnreadError:
            if not symbol:
                raise
            self.context.depth = depth
            return self.parse_over(symbol, piece, low, high)
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
                return name_of(parts[0]), start, self.make_term(high)
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
        symbol = _SIGNS.get(piece.operator.label, "") if self.context.reads_unknown_signs else ""
        if not symbol and piece.operator.label not in ("O!int", "O!double-integral", "O!triple-integral"):
            raise self.make_error(f"{piece.text} is not understood", piece)
        if not symbol and piece.operator.label != "O!int":
            raise self.make_error(f"{piece.text} over a region is not understood", piece)
        # Either both limits or none: a single one names a region, as in ∫_D.
        low, high = self.parse_bounds(piece)
        regional = (low is None) != (high is None) or piece.operator.label != "O!int"
        if regional and not symbol:
            raise self.make_error("an integral over a region is not understood", piece)
        ends = (self.make_term(low), self.make_term(high)) if low is not None and high is not None else None
        # The differential may stand inside the body ("dx/x"); an outer integral must not take it.
        outer, self.context.differential = self.context.differential, None
        self.integrals += 1
        # With the differential in front, "∫ dx f", the integrand is one term;
        # otherwise it reaches to its end.
        if self.is_differential():
            variable = self.differential_name()
            body = self.parse_term() if self.starts_factor() else ONE
        else:
            if self.position >= self.length:
                raise self.make_error(f"{piece.text} has no body", piece)
            body = self.parse_sum(of_integral=True)
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
        variables = [variable, *self.parse_differentials(piece)] if symbol else [variable]
        # The state of the integral around this one comes back, with the
        # differential that it may have met.
        self.integrals -= 1
        self.context.differential = outer
        if regional or len(variables) > 1 or variable.children:
            if not symbol:
                raise self.make_error("two differentials are not understood", piece)
            region = [as_argument(self.cursor_on(one.parts).parse_line()) for one in (low, high) if one]
            integral = call_unknown(_SIGNS[piece.operator.label], *region, *variables, as_argument(body))
            names = [name for one in variables for name in one.children[1:] or (one,)]
            return mark_bound(integral, {one.label for one in names if is_name(one.label)})
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
            if self.context.reads_unknown_signs:
                return call_unknown(name.label, *self.parse_bracketed()[2])
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

    def evaluate_between(self, body: Tree, start: Piece) -> Tree:
        r"""Return `\left. F \right|_a^b` as F at b less F at a."""
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
            names = {one for one in free_variables(body) if is_name(one)} - set().union(
                *map(free_variables, ends)
            )
            names -= {"e", "pi", "i", "inf", "call"}
            if len(names) != 1:
                raise self.make_error("which variable the limits are for can be read in two ways", start)
            name = names.pop()
        # Substitution under a binder could capture a bound variable, so such expressions are refused.
        if any(node.label in ("sum", "prod", "integral", "limit", "d", "call") for node in body):
            raise self.make_error("limits behind such an expression are not understood", start)
        return Tree("-", (substitute_variable(body, name, ends[1]), substitute_variable(body, name, ends[0])))

    # Limits

    def parse_limit(self) -> Tree:
        """Parse a limit, maximum or minimum."""
        piece = self.take_piece()
        # max and min share the role of limits in the table of symbols, but take several arguments here.
        symbol = _SIGNS.get(piece.operator.label, "") if self.context.reads_unknown_signs else ""
        over = self.here.role == PieceRole.SCRIPT or (symbol and self.here.role != PieceRole.OPEN)
        if symbol and over:
            return self.parse_over(symbol, piece, *self.parse_bounds(piece))
        if piece.operator.label in ("F!max", "F!min"):
            return self.of_several(piece.operator.label[2:], piece)
        if symbol:
            return self.parse_unknown_function(symbol)
        if piece.operator.label not in ("O!limit", "V!lim"):
            raise self.make_error(f"{piece.text} is not understood", piece)
        # Below the sign there must be "variable arrow target".
        low, high = self.parse_bounds(piece)
        parts = low.parts if low is not None else ()
        arrows = ("\\to", "\\rightarrow", "\\longrightarrow", *_FROM_SIDES)
        usual = len(parts) > 2 and parts[1].text in arrows and is_variable(parts[0]) and high is None
        if self.context.reads_unknown_signs and low is not None and not usual:
            return self.parse_over("lim", piece, low, high)
        if len(parts) < 3 or parts[1].text not in arrows or not is_variable(parts[0]) or high is not None:
            raise self.make_error("what a limit goes to is not understood", piece, r"Write \lim_{x\to 0} u.")
        # A target with "+" or "-" as its exponent is a one-sided limit.
        side, target = _FROM_SIDES.get(parts[1].text, "both"), parts[2:]
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
