r"""The grammar of statements: relations and their chains, connectives, and formulas one after another."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.formula.cursor import SHARED, ZERO, is_statement
from engines.formula.expressions import Expressions
from engines.formula.layout import Piece
from engines.formula.operators import Role
from engines.formula.words import CONNECTIVES, RELATIONS, USUAL, inner, is_alignment, is_blank, words_of

_IMPLIES = {"O!implies": 1, "F!⇒": 1, "F!⟹": 1, "O!is-implied-by": -1, "F!⇐": -1, "F!⟸": -1}
_IFF = {"U!iff", "F!⇔", "F!⟺"}
ARROWS = frozenset((*_IMPLIES, *_IFF))
"""Labels of arrows between statements."""


class Statements(Expressions):
    """Reads all that a line says: recursive descent over its pieces."""

    # Formulas

    def whole(self) -> Tree:
        """All that the line says."""
        while self.parts and self.is_gap(self.parts[-1]):
            self.parts.pop()
        self.length = len(self.parts)
        if not self.parts:
            raise self.error("the expression is empty", remedy="Write something like: x^{2} + 1")
        found: list[Tree] = []
        joins: list[str] = []
        while True:
            while self.is_gap(self.here):
                self.at += 1
            found.append(self.statement())
            if self.at >= self.length:
                break
            joins.append(self.separator())
        return self.joined(found, joins)

    def is_gap(self, piece: Piece) -> bool:
        return (
            piece.role in (Role.PUNCTUATION, Role.PERIOD)
            or piece.text == "\\\\"
            or is_alignment(piece)
            or (piece.alone.label.startswith("T!") and not words_of(piece))
        )

    def separator(self) -> str:
        """What stands between two formulas: a comma, a word, a new line."""
        result = ""
        first = self.at
        while self.at < self.length:
            piece = self.here
            words = words_of(piece)
            if words in CONNECTIVES:
                result = CONNECTIVES[words]
            elif not self.is_gap(piece):
                break
            elif not result and piece.role == Role.PUNCTUATION:
                result = ","
            self.at += 1
        if self.at == first:
            self.unexpected()
        if self.at >= self.length:
            raise self.error("something is missing at the end")
        return result

    def joined(self, found: list[Tree], joins: list[str]) -> Tree:
        if len(found) == 1:
            return found[0]
        kinds = [is_statement(one) for one in found]
        words = set(joins)
        if "iff" in words or "implies" in words or "if" in words:
            if len(found) == 2 and all(kinds):
                left, right = found
                return (
                    Tree("iff", (left, right))
                    if "iff" in words
                    else Tree("implies", (right, left) if "if" in words else (left, right))
                )
            raise self.error("a condition in words is not understood")
        if all(kinds):
            if "or" in words:
                if "and" in words:
                    raise self.error("'and' beside 'or' can be read in two ways")
                return Tree("or", tuple(found))
            return Tree("and", tuple(found))
        if any(kinds):
            last = found[-1]
            shared = last.label in SHARED and not any(kinds[:-1]) and words <= {",", "and"}
            if shared and not any(
                one.children and one.label != "call" for one in (*found[:-1], last.children[0])
            ):
                every = (*found[:-1], last.children[0])
                return Tree("and", tuple(Tree(last.label, (one, *last.children[1:])) for one in every))
            raise self.error("a list beside a relation is not understood")
        return Tree("list", tuple(found))

    # Statements

    def statement(self) -> Tree:
        left = self.disjunction()
        while True:
            label = self.here.operator.label
            if label in _IFF:
                self.take()
                left = Tree("iff", (left, self.disjunction()))
            elif label in _IMPLIES:
                self.take()
                right = self.disjunction()
                left = Tree("implies", (left, right) if _IMPLIES[label] > 0 else (right, left))
            else:
                return left

    def disjunction(self) -> Tree:
        found = [self.conjunction()]
        while self.here.operator.label == "U!or" and self.here.role == Role.ADD:
            self.take()
            found.append(self.conjunction())
        return found[0] if len(found) == 1 else Tree("or", tuple(found))

    def conjunction(self) -> Tree:
        found = [self.negation()]
        while self.here.operator.label == "U!and" and self.here.role == Role.ADD:
            self.take()
            found.append(self.negation())
        return found[0] if len(found) == 1 else Tree("and", tuple(found))

    def negation(self) -> Tree:
        if self.here.operator.label == "O!not" and not self.here.operator.children:
            self.take()
            self.enter()
            result = Tree("not", (self.negation(),))
            self.context.depth -= 1
            return result
        return self.chain()

    # Relations

    def chain(self) -> Tree:
        """Relations one after another, each with the sides next to it."""
        if self.here.role == Role.RELATION:
            raise self.error("the left side is missing")
        left = self.sets()
        found: list[Tree] = []
        while True:
            ahead, piece = 0, self.here
            while is_blank(piece) or piece.alone.label == "V!quad":
                ahead += 1
                piece = self.ahead(ahead)
            if piece.role == Role.COLON and piece.text == ":" and not found:
                left = self.ratio(left)
                continue
            bar = piece.role == Role.BAR and piece.text == "|" and not self.bars and not self.brackets
            if (
                (bar and self.ahead(ahead + 1).role == Role.SCRIPT)
                or (not bar and piece.role != Role.RELATION)
                or piece.operator.label in ARROWS
            ):
                break
            self.at += ahead
            relation = self.relation()
            right = self.related(relation)
            modulus = self.modulus()
            if modulus is not None:
                if relation not in ("=", "equivalent"):
                    raise self.error("a modulus belongs to a congruence")
                found.append(Tree("congruent", (left, right, modulus)))
            else:
                found.append(self.made(relation, left, right, piece))
            left = right
        if not found:
            return left
        return found[0] if len(found) == 1 else Tree("and", tuple(found))

    def relation(self) -> str:
        piece = self.take()
        label = piece.operator.label
        known = RELATIONS.get(label, "")
        if label == "U!approx":
            known = "approx" if piece.text != "\\cong" else ""
        elif label == "U!equivalent":
            known = "equivalent"
        elif piece.text in ("|", "\\mid", "\\nmid", "\\not\\mid") and not self.brackets:
            known = "divides" if piece.text in ("|", "\\mid") else "not divides"
        if self.here.text == "=" and piece.text in ("<", ">") and self.here.start == piece.end:
            self.take()
            known += "="
        while self.here.role == Role.SCRIPT:
            script = self.take()
            above = inner(script.alone)
            if script.text == "O!SUB" or any(one.text == "?" for one in above):
                raise self.error(
                    "a relation with something below it or a question mark is not understood", script
                )
            self.context.note("what stands above a relation is not part of it")
        self.context.places.setdefault(known, piece.start)
        if not known:
            raise self.error(f"the relation {piece.text or label[2:]!r} is not understood", piece)
        if label == "O!assign":
            self.context.note("':=' is an equation")
        return known

    def related(self, relation: str) -> Tree:
        """The right side of a relation."""
        before = self.context.intervals
        self.context.intervals = relation in ("in", "not in", "subset")
        while self.here.text == "\\\\" or is_alignment(self.here):
            self.at += 1
        if self.at >= self.length or self.here.role in (Role.RELATION, Role.PUNCTUATION, Role.PERIOD):
            raise self.error("the right side is missing")
        result = self.sets()
        self.context.intervals = before
        return result

    def modulus(self) -> Tree | None:
        r"""`\pmod n`, `(\bmod n)` behind a congruence."""
        if self.here.role == Role.ANNOTATION:
            return self.term_of(self.take().alone.children[0])
        if self.here.role == Role.OPEN and self.opens_modulus():
            self.at += 2
            result = self.sets()
            if self.here.role != Role.CLOSE:
                self.unexpected()
            self.take()
            return result
        if self.here.role == Role.MODIFIER and self.here.text in ("\\mod", "\\bmod"):
            self.take()
            return self.sets()
        return None

    def made(self, relation: str, left: Tree, right: Tree, piece: Piece) -> Tree:
        if relation == "equivalent":
            raise self.error("'\\equiv' without a modulus can be read in two ways", piece)
        if relation == "contains":
            return Tree("in", (right, left))
        if relation == "superset":
            return Tree("subset", (right, left))
        if relation.startswith("not "):
            return Tree("not", (self.made(relation[4:], left, right, piece),))
        if relation == "divides":
            self.context.note("'|' says that the left side divides the right")
            return Tree("=", (Tree("mod", (right, left)), ZERO))
        return Tree(relation, (left, right))

    def ratio(self, left: Tree) -> Tree:
        colon = self.take()
        if left.label in self.context.functions | USUAL or self.at >= self.length:
            raise self.error("':' is not understood here", colon)
        right = self.sets()
        if self.here.role in (Role.COLON, Role.RELATION):
            raise self.error("':' is not understood here", colon)
        self.context.note("':' is a ratio")
        return Tree("/", (left, right))
