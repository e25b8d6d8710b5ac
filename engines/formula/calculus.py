r"""Large operators and calculus: sums, products, integrals, limits, derivatives, and values at two ends."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.formula.cursor import ONE, ZERO, free, negative, substituted
from engines.formula.layout import Piece
from engines.formula.letters import Letters
from engines.formula.operators import Role
from engines.formula.words import RELATIONS, Line, is_name, is_variable, name_of, spelt, variable_name

_BODIES = {"O!sum": "sum", "O!product": "prod"}


class Calculus(Letters):
    """Reads operators over what follows them."""

    # Sums and products

    def big(self) -> Tree:
        piece = self.take()
        label = _BODIES.get(piece.operator.label)
        if label is None:
            raise self.error(f"{piece.text} is not understood", piece)
        shape = rf"Write {piece.text}_{{k=1}}^{{n}} u."
        low, high = self.bounds(piece)
        if low is None:
            raise self.error(f"{piece.text} needs both limits", piece, shape)
        name, start, end = self.range_of(low, high, piece, shape)
        self.context.bound.append(name)
        if not self.starts() and not (self.here.role == Role.ADD and self.here.text == "-"):
            raise self.error(f"{piece.text} has no body", piece, "Write it after the limits.")
        body = self.signed()
        self.context.bound.pop()
        return Tree(label, (Tree(variable_name(name)), start, end, body))

    def bounds(self, piece: Piece) -> tuple[Line | None, Line | None]:
        low: Line | None = None
        high: Line | None = None
        while self.here.role == Role.SCRIPT:
            script = self.take()
            if not isinstance(script.alone, Line):
                raise self.error("a prime is not understood here", script)
            if script.text == "O!SUB" and low is None:
                low = script.alone
            elif script.text == "O!SUP" and high is None:
                high = script.alone
            else:
                raise self.error(f"{piece.text} has too many limits", script)
        return low, high

    def range_of(self, low: Line, high: Line | None, piece: Piece, shape: str) -> tuple[str, Tree, Tree]:
        """The variable of a sum, from where it goes, and to where."""
        parts = low.parts
        relations = [at for at, one in enumerate(parts) if one.role == Role.RELATION]
        signs = [RELATIONS.get(parts[at].operator.label, "") for at in relations]
        if high is not None:
            if len(relations) == 1 and signs == ["="] and relations[0] == 1 and is_variable(parts[0]):
                start = self.on(parts[2:]).only()
                return name_of(parts[0]), start, self.term_of(high)
            if not relations and len(parts) == 1 and is_variable(parts[0]) and name_of(parts[0]) != "d":
                raise self.error(f"{piece.text} does not say where it begins", piece, shape)
            raise self.error(f"{piece.text} does not name its variable", piece, shape)
        infinity = Tree("inf")
        if len(relations) == 1 and relations[0] == 1 and is_variable(parts[0]):
            name = name_of(parts[0])
            bound = self.on(parts[2:]).only() if signs[0] not in ("in", "=", "") else ZERO
            if signs[0] == ">=":
                return name, bound, infinity
            if signs[0] == ">":
                return name, Tree("+", (bound, ONE)), infinity
            if signs[0] == "in" and len(parts) == 3:
                inside = name_of(parts[2])
                if inside == "ℤ":
                    return name, negative(infinity), infinity
        if len(relations) == 2 and relations[1] == relations[0] + 2 and is_variable(parts[relations[0] + 1]):
            name = name_of(parts[relations[0] + 1])
            start = self.on(parts[: relations[0]]).only()
            end = self.on(parts[relations[1] + 1 :]).only()
            if set(signs) <= {"<=", "<"}:
                start = Tree("+", (start, ONE)) if signs[0] == "<" else start
                end = Tree("-", (end, ONE)) if signs[1] == "<" else end
                return name, start, end
        raise self.error(f"the range of {piece.text} is not understood", piece, shape)

    # Integrals

    def integral(self) -> Tree:
        piece = self.take()
        if piece.operator.label not in ("O!int", "O!double-integral", "O!triple-integral"):
            raise self.error(f"{piece.text} is not understood", piece)
        if piece.operator.label != "O!int":
            raise self.error(f"{piece.text} over a region is not understood", piece)
        low, high = self.bounds(piece)
        if (low is None) != (high is None):
            raise self.error("an integral over a region is not understood", piece)
        ends = (self.term_of(low), self.term_of(high)) if low is not None and high is not None else None
        outer, self.context.differential = self.context.differential, None
        self.integrals += 1
        if self.differential():
            variable = self.differential_name()
            body = self.term() if self.starts() else ONE
        else:
            if self.at >= self.length:
                raise self.error(f"{piece.text} has no body", piece)
            body = self.sum()
            found = self.context.differential
            if self.differential():
                if found is not None:
                    raise self.error("two differentials are not understood", piece)
                variable = self.differential_name()
            elif found is not None:
                variable = found
            else:
                raise self.error(
                    f"{piece.text} does not name its variable", piece, r"Write \, dt at its end."
                )
        self.integrals -= 1
        self.context.differential = outer
        if ends is None:
            return Tree("antiderivative", (variable, body))
        return Tree("integral", (variable, *ends, body))

    def differential_name(self) -> Tree:
        self.take()
        piece = self.take()
        found, power = self.identifier(name_of(piece))
        if power is not None or found.children:
            raise self.error("a differential is not understood", piece)
        if self.here.role == Role.OPEN and self.applies(
            name_of(piece), name_of(piece) in self.context.functions
        ):
            raise self.error("the differential of a function is not understood", piece)
        return Tree(variable_name(found.label))

    def is_evaluated(self) -> bool:
        marks = {self.ahead(0).text, self.ahead(1).text}
        return self.here.role == Role.SCRIPT and self.ahead(1).role == Role.SCRIPT and len(marks) == 2

    def evaluated(self, found: Tree, start: Piece) -> Tree:
        r"""`\left. F \right|_a^b`: F at b less F at a."""
        low, high = self.bounds(start)
        if low is None or high is None:
            raise self.error("limits behind a bracket are not understood", start)
        ends = []
        name = ""
        for bound in (low, high):
            parts = bound.parts
            if len(parts) > 2 and parts[1].text == "=" and is_variable(parts[0]):
                name, parts = name_of(parts[0]), parts[2:]
            ends.append(self.on(parts).only())
        if not name:
            names = {one for one in free(found) if is_name(one)} - set().union(*map(free, ends))
            names -= {"e", "pi", "i", "inf", "call"}
            if len(names) != 1:
                raise self.error("which variable the limits are for can be read in two ways", start)
            name = names.pop()
        if any(node.label in ("sum", "prod", "integral", "limit", "d", "call") for node in found):
            raise self.error("limits behind such an expression are not understood", start)
        return Tree("-", (substituted(found, name, ends[1]), substituted(found, name, ends[0])))

    # Limits

    def limit(self) -> Tree:
        piece = self.take()
        if piece.operator.label in ("F!max", "F!min"):
            return self.of_several(piece.operator.label[2:], piece)
        if piece.operator.label not in ("O!limit", "V!lim"):
            raise self.error(f"{piece.text} is not understood", piece)
        low, high = self.bounds(piece)
        parts = low.parts if low is not None else ()
        arrows = ("\\to", "\\rightarrow", "\\longrightarrow")
        if len(parts) < 3 or parts[1].text not in arrows or not is_variable(parts[0]) or high is not None:
            raise self.error("what a limit goes to is not understood", piece, r"Write \lim_{x\to 0} u.")
        side, target = "both", parts[2:]
        if len(target) > 1 and target[-1].role == Role.SCRIPT and isinstance(target[-1].alone, Line):
            mark = [one.text for one in target[-1].alone.parts]
            if mark in (["+"], ["-"]):
                side, target = mark[0], target[:-1]
        name = name_of(parts[0])
        to = self.on(target).only()
        self.context.bound.append(name)
        if not self.starts() and self.here.role != Role.ADD:
            raise self.error("\\lim has no body", piece)
        body = self.signed()
        self.context.bound.pop()
        return Tree("limit", (Tree(variable_name(name)), to, Tree(side), body))

    # Derivatives

    def slope(self, above: Sequence[Piece], below: Sequence[Piece], piece: Piece) -> Tree | None:
        r"""A derivative: `\frac{d}{dx}` of what follows, `\frac{dy}{dx}`, `\frac{d^2 y}{dx^2}`."""
        marks = ("d", "\\partial")
        if len(below) < 2 or below[0].text not in marks or above[0].text != below[0].text:
            return None
        if not is_variable(below[1]):
            return None
        order, rest = 1, list(above[1:])
        if rest and rest[0].role == Role.SCRIPT and rest[0].text == "O!SUP":
            digits = spelt(rest[0].alone)
            if not digits.isdigit() or not 0 < int(digits) < 10:
                raise self.error("a derivative of such an order is not understood", piece)
            order, rest = int(digits), rest[1:]
            under = below[2:]
            if len(under) != 1 or spelt(under[0].alone) != digits:
                raise self.error("a derivative by several variables is not understood", piece)
        elif len(below) > 2:
            raise self.error("a derivative by such a variable is not understood", piece)
        variable = Tree(variable_name(name_of(below[1])))
        body = self.on(rest).only() if rest else self.slope_of(piece)
        if is_name(body.label) and body != variable and not self.is_constant(body):
            body = Tree("call", (body, variable))
        for _ in range(order):
            body = Tree("d", (variable, body))
        return body

    def is_constant(self, tree: Tree) -> bool:
        """Whether what is differentiated is no letter that depends on the variable."""
        return bool(tree.children) or tree.label in ("e", "pi", "i", *self.context.letters)

    def slope_of(self, piece: Piece) -> Tree:
        """What stands behind a derivative."""
        doubt = "what the derivative applies to can be read in two ways"
        if self.here.role == Role.OPEN:
            result = self.fenced()
            if self.here.role == Role.SCRIPT:
                raise self.error(doubt, piece, "Write brackets.")
            return result
        if not self.starts():
            raise self.error("a derivative without an argument is not understood", piece)
        result = self.factor()
        if self.starts() or self.here.role == Role.MULTIPLY:
            raise self.error(doubt, piece, "Write brackets.")
        return result
