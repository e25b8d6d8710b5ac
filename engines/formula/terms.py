r"""The grammar of what is meant: pieces of a formula as terms and statements of `engines.formula.meaning`.

It differs from that of the published operator trees, which keeps neither brackets nor texts. Where a formula
can be read in two ways (`1/2x`, `\sin x(y+1)`), or says what has no term, it is not read, and the reason says
so: nothing is dropped.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from engines.core.tree import MAX_DEPTH, MAX_NODES, Tree
from engines.formula.layout import Piece
from engines.formula.operator_tree import OperatorTree
from engines.formula.operators import Role

ONE, ZERO, MINUS_ONE = Tree("1"), Tree("0"), Tree("-1")
_END = Piece("", "", OperatorTree("W!"), OperatorTree("W!"), 0, 0)

RELATIONS = {
    "U!eq": "=",
    "O!assign": "=",
    "U!neq": "!=",
    "O!lt": "<",
    "O!gt": ">",
    "O!leq": "<=",
    "O!geq": ">=",
    "O!less-than-or-equals": "<=",
    "O!greater-than-or-equals": ">=",
    "O!in": "in",
    "O!notin": "not in",
    "O!contains": "contains",
    "O!subset": "subset",
    "O!superset-of": "superset",
    "O!superset-of-or-equals": "superset",
    "O!not-less-than": "not <",
    "O!not-greater-than": "not >",
}
_IMPLIES = {"O!implies": 1, "F!⇒": 1, "F!⟹": 1, "O!is-implied-by": -1, "F!⇐": -1, "F!⟸": -1}
_IFF = {"U!iff", "F!⇔", "F!⟺"}
ARROWS = frozenset((*_IMPLIES, *_IFF))
"""Labels of arrows between statements."""
_ALIGNED = re.compile(
    r"\\?(?:align|aligned|alignat|alignedat|flalign|eqnarray|gather|gathered|multline|split|eqalign|eqalignno"
    r"|displaylines)\*?\Z"
)
_SETS = {"U!union": "union", "U!intersect": "intersection", "O!setdiff": "without"}
_TIMES = {"U!times", "F!⋅", "F!∗"}
_PLAIN = ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "coth", "sech", "csch")
_INVERSE = {f"arc{name}": f"a{name}" for name in _PLAIN} | {f"ar{name}": f"a{name}" for name in _PLAIN[6:]}
ONE_PLACE = {
    **{name: name for name in (*_PLAIN, "ln", "exp", "abs", "sign", "tr", "det", "floor", "ceil", "round")},
    **{f"a{name}": f"a{name}" for name in _PLAIN},
    **_INVERSE,
    **dict.fromkeys(("sgn", "signum"), "sign"),
    "cosec": "csc",
    "tg": "tan",
    "ctg": "cot",
    "arctg": "atan",
    "arcctg": "acot",
    "cotan": "cot",
    "sh": "sinh",
    "ch": "cosh",
    "th": "tanh",
    "ceiling": "ceil",
    "Re": "re",
    "Im": "im",
    "ℜ": "re",
    "ℑ": "im",
    "arg": "arg",
    "Arg": "arg",
    "Tr": "tr",
    "trace": "tr",
    "real": "re",
    "imag": "im",
    "sqrt": "sqrt",
    "conj": "conj",
    "log": "log",
    "lg": "log",
    "cis": "cis",
}
"""Functions of one argument by their names in print, and their labels."""
_SEVERAL = {"min": "min", "max": "max", "gcd": "gcd", "lcm": "lcm", "GCD": "gcd", "LCM": "lcm"}
_BODIES = {"O!sum": "sum", "O!product": "prod"}
_SETS_OF_NUMBERS = ("ℝ", "ℤ", "ℕ", "ℚ", "ℂ")
_COLLECTIONS = frozenset(
    (*_SETS_OF_NUMBERS, "union", "intersection", "without", "set", "interval", "list", "text")
)
USUAL = frozenset("fghFGφϕψΦΨΓζ")
"""Letters that are functions before a bracket unless the document says otherwise."""
_STARTS = {
    Role.ATOM,
    Role.UNKNOWN,
    Role.NUMBER,
    Role.OPEN,
    Role.FUNCTION,
    Role.OPERATOR,
    Role.BIG,
    Role.INTEGRAL,
    Role.LIMIT,
}
_CLOSURE = {"[]": "cc", "(]": "oc", "[)": "co", "()": "oo", "][": "oo", "]]": "oc", "[[": "co", "](": "oo"}
_CLOSED = (Role.SCRIPT, Role.CLOSE, Role.ATOM, Role.POSTFIX)
"""After these a number is another factor."""
_DOTS = {"V!...", "V!⋯", "V!⋮", "V!⋱"}
_UNITS = (
    "m cm mm km dm nm µm in ft yd mi s ms min h hr hrs g kg mg lb lbs oz l L ml mL N J W kW V A K Pa Hz rad"
    " mph inches inch feet foot yards miles meters metres centimeters seconds minutes hours days weeks months"
    " years units unit dollars cents degrees degree pounds ounces liters grams kilograms sec deg mol"
)
UNITS = frozenset(_UNITS.split())
_CONNECTIVES = {
    **dict.fromkeys(("and", "et", "und", "&"), "and"),
    **dict.fromkeys(("or", "oder", "ou"), "or"),
    **dict.fromkeys(("if", "when", "whenever", "for", "where", "with", "provided", "as", "for all"), "if"),
    **dict.fromkeys(("iff", "if and only if", "is equivalent to"), "iff"),
    **dict.fromkeys(("implies", "then", "so", "thus", "hence", "therefore", "gives"), "implies"),
}
_SHARED = ("in", "!=", "<", "<=", ">", ">=")
"""Relations that hold for each letter of a list before them: `a, b > 0`."""
STATEMENTS = frozenset((*_SHARED, "=", "subset", "approx", "congruent", "and", "or", "implies", "iff", "not"))


class UnreadError(Exception):
    """Why a formula is not read, and where."""

    def __init__(self, reason: str, place: int = 0, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason, self.place, self.remedy = reason, place, remedy


@dataclass(frozen=True, slots=True)
class Line(OperatorTree):
    """An argument whose pieces are read later, where more is known of the letters in it."""

    parts: tuple[Piece, ...] = ()


def line(parts: list[Piece]) -> OperatorTree:
    return Line("line", (), None, tuple(worded(parts)))


def inner(tree: OperatorTree) -> tuple[Piece, ...]:
    """The pieces of an argument."""
    return tree.parts if isinstance(tree, Line) else ()


@dataclass(slots=True)
class Context:
    """What holds in all lines of a formula: what its letters are, and what was settled while reading."""

    functions: frozenset[str]
    letters: frozenset[str]
    products: frozenset[str] = frozenset()
    geometric: frozenset[str] = frozenset()
    notes: dict[str, int] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)
    bound: list[str] = field(default_factory=list)
    subscripted: dict[str, tuple[str, tuple[Tree, ...]]] = field(default_factory=dict)
    sequences: set[str] = field(default_factory=set)
    differential: Tree | None = None
    intervals: bool = False
    depth: int = 0

    def note(self, text: str, place: int = 0) -> None:
        self.notes.setdefault(text, place)


def free(tree: Tree) -> set[str]:
    """The names of variables that nothing binds."""
    if not tree.children:
        return {tree.label}
    if tree.label in ("sum", "prod", "integral", "limit"):
        bound, *bounds, body = tree.children
        return set().union(*map(free, bounds)) | (free(body) - {bound.label})
    return set().union(*map(free, tree.children))


def substituted(tree: Tree, name: str, value: Tree) -> Tree:
    if not tree.children:
        return value if tree.label == name else tree
    return Tree(tree.label, tuple(substituted(child, name, value) for child in tree.children))


def nested(label: str, members: Sequence[Tree]) -> Tree:
    """A function of two as one of several."""
    found = members[0]
    for member in members[1:]:
        found = Tree(label, (found, member))
    return found


def negative(tree: Tree) -> Tree:
    return Tree("*", (MINUS_ONE, tree))


def _minus(number: Tree) -> Tree:
    return negative(number) if number.children else Tree(f"-{number.label}")


def is_statement(tree: Tree) -> bool:
    return tree.label in STATEMENTS and bool(tree.children)


def is_bold(tree: Tree) -> bool:
    """Whether a bold letter is in a term: it is a vector or matrix, whose products do not commute."""
    return any("\U0001d400" <= node.label[:1] <= "\U0001d433" for node in tree)


def name_of(piece: Piece) -> str:
    """The name of a letter or word."""
    label = piece.alone.label
    if label[2:3] == "\\":
        return label[3:]
    if label.startswith("V!italic-"):
        return {"ε": "ϵ", "φ": "ϕ"}.get(label[9:], label[9:])
    return "ℓ" if piece.text == "\\ell" else label[2:]


class Terms:
    """Recursive descent over the pieces of a line."""

    def __init__(self, parts: Sequence[Piece], context: Context) -> None:
        self.parts = list(parts)
        self.length = len(self.parts)
        self.at = 0
        self.context = context
        self.bars = 0
        self.brackets = 0
        self.integrals = 0

    # Pieces

    @property
    def here(self) -> Piece:
        return self.parts[self.at] if self.at < self.length else _END

    def ahead(self, count: int) -> Piece:
        at = self.at + count
        return self.parts[at] if 0 <= at < self.length else _END

    def take(self) -> Piece:
        self.at += 1
        return self.parts[self.at - 1]

    def error(self, reason: str, piece: Piece | None = None, remedy: str = "") -> UnreadError:
        piece = piece or self.here
        place = piece.start if piece is not _END else (self.parts[-1].end if self.parts else 0)
        return UnreadError(reason, place, remedy)

    def sub(self, tree: OperatorTree) -> Terms:
        return Terms(inner(tree), self.context)

    def term_of(self, tree: OperatorTree) -> Tree:
        """An argument that is one term."""
        if not isinstance(tree, Line):
            if tree.label.startswith("N!"):
                return Tree(tree.label[2:])
            raise self.error(
                "an argument is missing" if tree.label == "E!missing" else "it is nested too deep"
            )
        return self.sub(tree).only()

    def only(self) -> Tree:
        """One term, and nothing else."""
        if not self.parts:
            raise self.error("something is empty")
        self.enter()
        found = self.sets()
        if self.at < self.length:
            self.unexpected()
        self.context.depth -= 1
        return found

    def enter(self) -> None:
        self.context.depth += 1
        if self.context.depth > MAX_DEPTH:
            raise self.error(f"the expression is nested more than {MAX_DEPTH} deep")

    def unexpected(self) -> NoReturn:
        piece = self.here
        if piece.alone.label == "E!deep":
            raise self.error(f"the expression is nested more than {MAX_DEPTH} deep")
        if piece.role == Role.CLOSE:
            raise self.error(f"{piece.text!r} closes nothing", remedy="Remove it, or open it before.")
        if piece.alone.label.startswith("T!"):
            raise self.error(f"{piece.alone.label[2:].strip()[:40]!r} is not understood")
        if piece.role == Role.STRAY:
            if piece.text == "{":
                raise self.error("'{' is never closed", remedy="Write } where it ends.")
            raise self.error(f"{piece.text!r} stands alone")
        shown = piece.text or piece.alone.label[2:]
        if piece.role in (Role.RELATION, Role.PUNCTUATION, Role.BAR, Role.COLON, Role.ADD, Role.MULTIPLY):
            raise self.error(f"{shown!r} is not understood here")
        raise self.error(f"{shown!r} is not understood")

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
            or (piece.role == Role.STRAY and piece.text == "&")
            or (piece.alone.label.startswith("T!") and not piece.alone.label[2:].strip(" .,;:"))
        )

    def separator(self) -> str:
        """What stands between two formulas: a comma, a word, a new line."""
        found = ""
        first = self.at
        while self.at < self.length:
            piece = self.here
            words = piece.alone.label[2:].strip(" .,;:").lower() if piece.alone.label.startswith("T!") else ""
            if words in _CONNECTIVES:
                found = _CONNECTIVES[words]
            elif not self.is_gap(piece):
                break
            elif not found and piece.role == Role.PUNCTUATION:
                found = ","
            self.at += 1
        if self.at == first:
            self.unexpected()
        if self.at >= self.length:
            raise self.error("something is missing at the end")
        return found

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
            shared = last.label in _SHARED and not any(kinds[:-1]) and words <= {",", "and"}
            if shared and not any(
                one.children and one.label != "call" for one in (*found[:-1], last.children[0])
            ):
                every = (*found[:-1], last.children[0])
                return Tree("and", tuple(Tree(last.label, (one, *last.children[1:])) for one in every))
            raise self.error("a list beside a relation is not understood")
        return Tree("list", tuple(found))

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
            found = Tree("not", (self.negation(),))
            self.context.depth -= 1
            return found
        return self.chain()

    def chain(self) -> Tree:
        """Relations one after another, each with the sides next to it."""
        if self.here.role == Role.RELATION:
            raise self.error("the left side is missing")
        left = self.sets()
        found: list[Tree] = []
        while True:
            ahead = 0
            while is_blank(self.ahead(ahead)) or self.ahead(ahead).alone.label == "V!quad":
                ahead += 1
            piece = self.ahead(ahead)
            if piece.role == Role.COLON and piece.text == ":" and not found:
                left = self.ratio(left)
                continue
            bar = piece.role == Role.BAR and piece.text == "|" and not self.bars and not self.brackets
            scripted = self.ahead(ahead + 1).role == Role.SCRIPT
            if (
                (bar and scripted)
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
        while self.here.text == "\\\\" or (self.here.role == Role.STRAY and self.here.text == "&"):
            self.at += 1
        if self.at >= self.length or self.here.role in (Role.RELATION, Role.PUNCTUATION, Role.PERIOD):
            raise self.error("the right side is missing")
        found = self.sets()
        self.context.intervals = before
        return found

    def modulus(self) -> Tree | None:
        r"""`\pmod n`, `(\bmod n)` behind a congruence."""
        if self.here.role == Role.ANNOTATION:
            return self.term_of(self.take().alone.children[0])
        if self.here.role == Role.OPEN and self.opens_modulus():
            self.at += 2
            found = self.sets()
            if self.here.role != Role.CLOSE:
                self.unexpected()
            self.take()
            return found
        if self.here.role == Role.MODIFIER and self.here.text in ("\\mod", "\\bmod"):
            self.take()
            return self.sets()
        return None

    def opens_modulus(self) -> bool:
        after = self.ahead(1)
        return self.here.text == "(" and (
            after.role == Role.MODIFIER or after.text == "mod" or after.alone.label == "T!mod"
        )

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

    # Terms

    def sets(self) -> Tree:
        left = self.sum()
        while self.here.role == Role.ADD and self.here.operator.label in _SETS:
            label = _SETS[self.take().operator.label]
            right = self.sum()
            left = Tree(label, (_interval(left), _interval(right)))
        return left

    def sum(self) -> Tree:
        """Terms with signs between them."""
        found = self.signed()
        bound, first = self.context.bound, found
        while True:
            at = self.at
            while self.here.text == "\\\\" or (
                self.at > at and (self.here.alone.label == "V!quad" or self.here.text == "&")
            ):
                self.at += 1
            piece = self.here
            if piece.role != Role.ADD or piece.operator.label not in _SIGNS:
                self.at = at
                break
            self.take()
            tail = _tail(found)
            right = self.sign_and_term() if self.here.role == Role.ADD else self.term()
            if tail is not None and tail not in bound and tail in free(right):
                raise self.error(f"where what is summed over {tail} ends can be read in two ways", piece)
            label = _SIGNS[piece.operator.label]
            if label == "mp":
                raise self.error("'\\mp' is not understood", piece)
            found = Tree(label, (found, right))
        if self.here.role == Role.MODIFIER and self.here.text == "\\bmod":
            if found is not first:
                raise self.error("what '\\bmod' applies to can be read in two ways")
            self.take()
            found = Tree("mod", (found, self.term()))
            if self.here.role == Role.ADD:
                raise self.error("what '\\bmod' applies to can be read in two ways")
        return found

    def signed(self) -> Tree:
        return self.sign_and_term() if self.here.role == Role.ADD else self.term()

    def sign_and_term(self) -> Tree:
        piece = self.take()
        label = _SIGNS.get(piece.operator.label)
        if label == "+":
            return self.term()
        if label == "pm":
            return Tree("pm", (self.term(),))
        if label != "-":
            raise self.error(f"{piece.text!r} is not understood here", piece)
        if self.is_plain_number():
            return self.term(minus=True)
        if self.here.role == Role.ADD:
            self.enter()
            found = negative(self.sign_and_term())
            self.context.depth -= 1
            return found
        return negative(self.term())

    def is_plain_number(self) -> bool:
        after = self.ahead(1)
        behind = after.role == Role.SCRIPT or after.text == "!"
        return self.here.role == Role.NUMBER and not behind and not self.mixed(self.here, after)

    def mixed(self, number: Piece, fraction: Piece) -> bool:
        r"""Whether the two are a mixed number, `2\frac{1}{2}`."""
        if number.role != Role.NUMBER or fraction.role != Role.ATOM or len(fraction.alone.children) != 2:
            return False
        if fraction.alone.label != "O!divide" or not number.text.isdigit():
            return False
        parts = [inner(one) for one in fraction.alone.children]
        if len(parts) != 2 or any(
            len(one) != 1 or one[0].role != Role.NUMBER or not one[0].text.isdigit() for one in parts
        ):
            return False
        return int(parts[0][0].text) < int(parts[1][0].text)

    def term(self, *, minus: bool = False) -> Tree:
        """Factors side by side or with signs between them."""
        first = self.here
        if first.text == "{" and first.role == Role.ATOM:
            return self.braced()
        found = _minus(self.factor()) if minus else self.factor()
        slashed = False
        while True:
            piece = self.here
            before = self.parts[self.at - 1]
            if piece.role == Role.MULTIPLY:
                self.take()
                label = piece.operator.label
                slashed = piece.text == "/"
                if label not in _TIMES and label != "O!divide":
                    raise self.error(f"{piece.text!r} is not understood here", piece)
                if self.at >= self.length:
                    raise self.error(f"something is missing behind {piece.text!r}", piece)
                right = self.signed_factor()
                found = self.product("/" if label == "O!divide" else "*", found, right, piece)
            elif self.starts():
                if slashed and not self.is_unit():
                    raise self.error("what is divided by can be read in two ways", remedy="Write brackets.")
                if self.mixed(before, piece) and found.label == before.text:
                    self.context.note("a whole number before a fraction is a mixed number", before.start)
                    parts = [inner(one)[0].text for one in self.take().alone.children]
                    found = self.powered(Tree("+", (found, Tree("/", tuple(map(Tree, parts))))))
                    continue
                if piece.role == Role.NUMBER and before.role not in _CLOSED:
                    raise self.error(f"the number {piece.text[:20]} follows without an operator")
                self.check_digits(before, piece)
                if piece.text == "{" and piece.role == Role.ATOM:
                    raise self.error("braces around a sum are no brackets", remedy="Write brackets.")
                word = name_of(before) if before.role == Role.UNKNOWN else ""
                if len(word) > 1 and word.isascii() and word not in UNITS:
                    raise self.error(f"what {word} applies to is not understood", before, "Write brackets.")
                found = self.product("*", found, self.factor(), piece)
            else:
                return found

    def product(self, label: str, left: Tree, right: Tree, piece: Piece) -> Tree:
        bold = is_bold(left) or is_bold(right)
        if bold and all(is_bold(one) or any(node.label == "matrix" for node in one) for one in (left, right)):
            raise self.error("a product of vectors or matrices is not understood", piece)
        for one in (left, right):
            if one.label in _COLLECTIONS or (
                one.label == "pow" and one.children[0].label in _SETS_OF_NUMBERS
            ):
                raise self.error("a product of sets is not understood", piece)
        return Tree(label, (left, right))

    def check_digits(self, script: Piece, number: Piece) -> None:
        """Refuse `^23`, which TeX takes for `^2 3`."""
        parts = inner(script.alone)
        digit = script.role == Role.SCRIPT and len(parts) == 1 and script.end - script.start == 1
        if digit and number.role == Role.NUMBER and script.end + 1 == number.start:
            shown = parts[0].text + number.text
            what = f"^{shown} can be read in two ways"
            raise UnreadError(what, script.start + 1, f"Write ^{{{shown}}}, or a sign in between.")

    def braced(self) -> Tree:
        """A sum in braces, which stands for a term alone: braces are not seen."""
        found = self.term_of(self.take().alone)
        if self.here.role == Role.MULTIPLY or self.starts() or self.here.role == Role.POSTFIX:
            raise self.error("braces around a sum are no brackets", remedy="Write brackets.")
        if self.at > 1 and self.parts[self.at - 2].role == Role.ADD and self.parts[self.at - 2].text != "+":
            raise self.error("braces around a sum are no brackets", remedy="Write brackets.")
        return found

    def signed_factor(self) -> Tree:
        if self.here.text == "-" and self.here.role == Role.ADD:
            self.take()
            if self.is_plain_number():
                return _minus(self.factor())
            return negative(self.factor())
        if self.here.text == "{" and self.here.role == Role.ATOM:
            raise self.error("braces around a sum are no brackets", remedy="Write brackets.")
        return self.factor()

    def starts(self) -> bool:
        """Whether another factor stands here."""
        piece = self.here
        if piece.role == Role.BAR:
            return not self.bars and piece.text in "|∥" and self.closes_later()
        if piece.role not in _STARTS or piece.text == "\\\\":
            return False
        if piece.role == Role.OPEN and self.opens_modulus():
            return False
        if self.integrals and self.differential():
            return False
        if piece.alone.label.startswith("T!"):
            return self.is_unit() or self.is_called()
        return True

    def is_unit(self) -> bool:
        label = self.here.alone.label
        words = label[2:].strip(" .")
        if not label.startswith("T!") or not words:
            return False
        before = self.ahead(-1)
        return words in UNITS or (before.role == Role.NUMBER and words.lower() not in _CONNECTIVES)

    def is_called(self) -> bool:
        return self.ahead(1).role == Role.OPEN and self.here.alone.label[2:].isalpha()

    def closes_later(self) -> bool:
        text, depth = self.here.text, 0
        for piece in self.parts[self.at + 1 :]:
            depth += (piece.role == Role.OPEN) - (piece.role == Role.CLOSE)
            if depth < 0 or (depth == 0 and piece.role in (Role.RELATION, Role.PUNCTUATION)):
                return False
            if depth == 0 and piece.role == Role.BAR and piece.text == text:
                return True
        return False

    def differential(self) -> bool:
        after = self.ahead(1)
        return (
            self.here.text == "d"
            and self.here.role == Role.UNKNOWN
            and after.role == Role.UNKNOWN
            and name_of(after)[:1].isalpha()
        )

    def factor(self) -> Tree:
        self.enter()
        piece = self.here
        role = piece.role
        if role == Role.NUMBER:
            found = self.powered(self.number())
        elif role == Role.UNKNOWN:
            found = self.letter()
        elif role == Role.OPEN or (role == Role.CLOSE and piece.text == "]"):
            found = self.powered(self.fenced())
        elif role == Role.FUNCTION:
            self.take()
            name = piece.operator.label[2:]
            found = self.function("lg" if piece.text == "\\lg" else name, piece)
        elif role == Role.BAR:
            found = self.powered(self.barred())
        elif role == Role.BIG:
            found = self.big()
        elif role == Role.INTEGRAL:
            found = self.integral()
        elif role == Role.LIMIT:
            found = self.limit()
        elif role == Role.ATOM:
            found = self.atom()
        else:
            self.missing()
        self.context.places.setdefault(found.label, piece.start)
        self.context.depth -= 1
        return found

    def missing(self) -> NoReturn:
        piece = self.here
        if piece is _END:
            raise self.error("the expression ends too early", remedy="Write what is missing at its end.")
        if piece.role in (Role.OPERATOR, Role.STRAY, Role.CLOSE):
            self.unexpected()
        raise self.error(f"something is missing before {piece.text or piece.alone.label[2:]!r}")

    def number(self) -> Tree:
        piece = self.take()
        text = piece.text
        if text.count(".") > 1:
            raise self.error(f"{text!r} is no number", piece)
        end = piece.end
        if text.isdigit() and len(text) < 4 and text[0] != "0":
            while self.here.text == "," and self.ahead(1).role == Role.NUMBER:
                comma, digits = self.here, self.ahead(1)
                braced = comma.start > end
                if comma.start - end > 1 or len(digits.text.partition(".")[0]) != 3:
                    break
                if not (braced or digits.start == comma.end or digits.start == comma.end + 2):
                    break
                self.at += 2
                text, end = text + digits.text, digits.end
                self.context.note("a comma before three digits is a separator of thousands", comma.start)
        comma, digits = self.here, self.ahead(1)
        braced = comma.text == "," and comma.start == end + 1 and digits.start == comma.end + 1
        if braced and digits.role == Role.NUMBER and text.isdigit() and digits.text.isdigit():
            self.at += 2
            text += "." + digits.text
        if self.here.role == Role.PERIOD and self.ahead(1).alone.label == "F!¯" and text.isdigit():
            self.take()
            return self.repeating(text + ".")
        if self.here.alone.label == "F!¯" and "." in text and self.here.role == Role.ATOM:
            return self.repeating(text)
        if self.here.role == Role.SCRIPT and self.here.text == "O!SUB":
            return self.in_base(text)
        return Tree(text)

    def repeating(self, text: str) -> Tree:
        r"""`0.1\overline{6}` as a fraction."""
        parts = inner(self.here.alone.children[0])
        if len(parts) != 1 or not parts[0].text.isdigit():
            raise self.error("a line above is not understood")
        self.take()
        whole, _, fixed = text.partition(".")
        digits = parts[0].text
        below = 10 ** len(fixed) * (10 ** len(digits) - 1)
        above = int(whole + fixed + digits) - int(whole + fixed)
        return Tree("/", (Tree(str(above)), Tree(str(below))))

    def in_base(self, text: str) -> Tree:
        script = self.take()
        base = "".join(one.text for one in inner(script.alone))
        if not base.isdigit() or not text.isdigit() or not 2 <= int(base) <= 36 or len(text) > 60:
            raise self.error("a subscript of a number is not understood", script)
        if any(int(digit) >= int(base) for digit in text):
            raise self.error(f"{text} has a digit that base {base} has not", script)
        self.context.note("a subscript of a number is its base")
        return Tree(str(int(text, int(base))))

    # Scripts

    def powered(self, found: Tree) -> Tree:
        """Powers and signs behind a factor."""
        while True:
            piece = self.here
            if piece.role == Role.SCRIPT:
                if piece.text != "O!SUP":
                    raise self.error("a subscript of an expression is not understood", piece)
                self.take()
                found = self.raised(found, piece)
            elif piece.role == Role.POSTFIX:
                self.take()
                if piece.operator.label == "O!percent":
                    found = Tree("/", (found, Tree("100")))
                elif self.here.text == "!" and self.here.role == Role.POSTFIX:
                    raise self.error("a double factorial is not understood", piece)
                else:
                    found = Tree("factorial", (found,))
            else:
                return found

    def raised(self, base: Tree, script: Piece) -> Tree:
        if isinstance(script.alone, Line) and len(script.alone.parts) == 1:
            mark = script.alone.parts[0]
            if mark.operator.label == "O!compose":
                if self.here.role == Role.UNKNOWN and name_of(self.here) in ("C", "F"):
                    return Tree("*", (base, Tree("unit", (Tree("°" + name_of(self.take())),))))
                return Tree("*", (base, Tree("/", (Tree("pi"), Tree("180")))))
            if mark.alone.label == "V!⊤" or (mark.text == "T" and base.label == "matrix"):
                return Tree("transpose", (base,))
            if base.label in _SETS_OF_NUMBERS and mark.text in ("+", "-", "*"):
                return Tree(base.label + mark.text)
            if mark.text == "*" and base.label in ("z", "w"):
                self.context.note(f"{base.label}* is the conjugate")
                return Tree("conj", (base,))
            if mark.text == "T" and not base.label[-1:].isdigit() and base.label not in ("e", "pi"):
                raise self.error("'T' as an exponent can be read in two ways", mark)
            if mark.role not in (Role.NUMBER, Role.UNKNOWN, Role.ATOM):
                raise self.error(
                    f"{mark.text or mark.alone.label[2:]!r} as an exponent is not understood", mark
                )
        elif script.alone.label.startswith("V!′"):
            raise self.error("a prime is not understood here", script)
        if "".join(one.text for one in inner(script.alone)) in ("th", "st", "nd", "rd"):
            raise self.error("an ordinal is not understood", script)
        exponent = self.term_of(script.alone)
        if is_bold(base):
            raise self.error("a power of a vector is not understood", script)
        if exponent == MINUS_ONE and base.label == "matrix":
            return Tree("inverse", (base,))
        return Tree("pow", (base, exponent))

    # Letters

    def letter(self) -> Tree:
        piece = self.take()
        name = name_of(piece)
        self.context.places.setdefault(name, piece.start)
        if (name in ONE_PLACE and len(name) > 1) or name in "ℜℑ":
            return self.function(name, piece)
        if name in _SEVERAL:
            return self.of_several(_SEVERAL[name], piece)
        if name == "lim":
            self.at -= 1
            return self.limit()
        if name == "$":
            return Tree("*", (self.factor(), Tree("unit", (Tree("$"),))))
        if name == "Δ" and self.is_variable(self.here):
            return self.named(name + name_of(self.take()))
        if name == "∠" and self.is_variable(self.here):
            while self.is_variable(self.here):
                name += name_of(self.take())
            found = self.named(name)
            if self.is_variable(self.here) and name_of(self.here).isupper():
                raise self.error("an angle with a subscript is not understood", piece)
            return found
        if not _is_name(name):
            raise self.error(f"{piece.text or name!r} is not understood", piece)
        if len(name) > 1 and piece.text.startswith("\\"):
            raise self.error(f"{piece.text} is not known", piece)
        if name in self.context.geometric and self.here.role == Role.UNKNOWN:
            while self.here.role == Role.UNKNOWN and name_of(self.here) in self.context.geometric:
                name += name_of(self.take())
            self.context.note(f"{name} is one name")
        return self.named(name)

    def named(self, name: str) -> Tree:
        """A letter or word with its scripts, or the function that it is."""
        label, power = self.identifier(name)
        plain = label.label == _bound_name(name)
        is_function = name in self.context.functions or label.label in self.context.functions
        if self.here.role == Role.OPEN and self.here.text in ("(", "[") and self.applies(name, is_function):
            return self.call(label, power)
        lone = self.here.role == Role.OPEN and bracket_after(self.parts, self.at - 1) == "function"
        if lone and power is not None and name not in ("e", "i", "π"):
            raise self.error(f"a power of {name} before a bracket can be read in two ways", power)
        if "A" <= name <= "Z" and self.here.text == "[" and self.here.role == Role.OPEN:
            raise self.error(f"square brackets behind {name} can be read in two ways")
        if plain and name in ("e", "i", "π"):
            label = self.constant(name)
        if len(name) > 1 and plain and name in UNITS and self.ahead(-2).role == Role.NUMBER:
            label = Tree("unit", (Tree(name),))
        if power is not None:
            label = self.raised(label, power)
        return self.powered(label)

    def identifier(self, name: str) -> tuple[Tree, Piece | None]:
        """A name with its subscript and primes, and its exponent where it has one."""
        power: Piece | None = None
        primes = ""
        indices: list[Tree] | str = ""
        while self.here.role == Role.SCRIPT:
            script = self.here
            marks = inner(script.alone)
            if script.text == "O!SUB":
                if indices:
                    raise self.error("two subscripts are not understood")
                indices = self.indices(script)
            elif script.alone.label.startswith("V!′"):
                primes += script.alone.label[2:]
            elif not isinstance(script.alone, Line):
                self.term_of(script.alone)
            elif marks and all(one.alone.label == "V!′" for one in marks):
                primes += "′" * len(marks)
            elif power is None:
                power = script
            else:
                break
            self.at += 1
        name += "'" * len(primes)
        if isinstance(indices, list):
            self.context.sequences.add(name)
            return Tree("call", (Tree(name), *indices)), power
        if indices:
            label = f"{name}_{indices}"
            self.context.subscripted[label] = name, self.index_terms(indices)
            return Tree(label), power
        return Tree(_bound_name(name)), power

    def indices(self, script: Piece) -> list[Tree] | str:
        """A subscript: as part of a name, or, where it is worked out or bound, as terms."""
        parts = inner(script.alone)
        if not parts:
            raise self.error("a subscript is empty", script)
        plain = ""
        for part in parts:
            if part.alone.label.startswith("T!"):
                plain += part.alone.label[2:].strip().replace(" ", "")
            elif part.role == Role.NUMBER and part.text.isdigit():
                plain += part.text
            elif part.role == Role.UNKNOWN and _is_name(name := name_of(part)):
                if name in self.context.bound:
                    break
                plain += name
            elif part.alone.label in ("C!infinity",):
                plain += "∞"
            elif len(parts) == 1 and part.role in (Role.ADD, Role.MULTIPLY):
                plain += part.text
            elif part.text == ",":
                plain += ","
            else:
                break
        else:
            if plain:
                return plain
        return self.sub(script.alone).arguments()

    def index_terms(self, plain: str) -> tuple[Tree, ...]:
        if "," in plain:
            return tuple(Tree(_bound_name(one)) for one in plain.split(",") if one)
        names = [plain] if plain.isdigit() or len(plain) > 3 else plain
        return tuple(Tree(_bound_name(one)) for one in names)

    def arguments(self) -> list[Tree]:
        """Terms with commas between them, to the end of the line."""
        found = [self.sets()]
        while self.here.text == ",":
            self.take()
            found.append(self.sets())
        if self.at < self.length:
            self.unexpected()
        return found

    def constant(self, name: str) -> Tree:
        if name == "π":
            return Tree("pi" if name not in self.context.letters else name)
        if name in self.context.letters or name in self.context.bound:
            return Tree(_bound_name(name))
        if name == "i":
            self.context.note("i is the imaginary unit")
        return Tree(name)

    def applies(self, name: str, known: bool) -> bool:
        """Whether a name before a bracket is a function of what is in it."""
        if known:
            return True
        if name in ("e", "i", "π", *self.context.bound) or self.here.text != "(":
            return False
        if name in self.context.letters:
            return False
        how = bracket_after(self.parts, self.at - 1)
        if name in USUAL or len(name) > 1 or (how == "function" and name not in self.context.products):
            self.context.note(f"{name} is a function")
            return True
        if how == "function":
            self.context.note(f"{name}(…) is a product")
        return False

    def call(self, name: Tree, power: Piece | None) -> Tree:
        head, extra = name.label, name.children[:0]
        if name.label == "call":
            head, extra = name.children[0].label, name.children[1:]
        elif name.label in self.context.subscripted:
            del self.context.subscripted[name.label]
        if power is not None:
            marks = inner(power.alone)
            if [one.text for one in marks] != ["-", "1"]:
                raise self.error(f"a power of the function {head} can be read in two ways", power)
            head += "^-1"
        elif head == "Γ":
            head = "gamma"
        opening = self.here
        found = self.bracketed()[2]
        if any(map(is_statement, found)):
            raise self.error(f"a relation as the argument of {head} is not understood", opening)
        if head == "gamma" and len(found) == 1 and not extra:
            return self.powered(Tree("gamma", tuple(found)))
        return self.powered(Tree("call", (Tree(head), *extra, *found)))

    # Functions

    def function(self, name: str, piece: Piece) -> Tree:
        """A function with its scripts, over its brackets or the simple things that follow."""
        power: Tree | None = None
        base: Tree | None = None
        while self.here.role == Role.SCRIPT:
            script = self.take()
            if not isinstance(script.alone, Line):
                raise self.error(f"a prime of {name} is not understood", script)
            if script.text == "O!SUB":
                if name != "log":
                    raise self.error(f"a subscript of {name} is not understood", script)
                base = self.term_of(script.alone)
            else:
                if power is not None:
                    raise self.error(f"two powers of {name} are not understood", script)
                power = self.term_of(script.alone)
        if name in _SEVERAL:
            return self.of_several(_SEVERAL[name], piece)
        if name not in ONE_PLACE:
            raise self.error(f"\\{name} is not understood", piece)
        label = ONE_PLACE[name]
        if power == MINUS_ONE:
            if label not in _PLAIN:
                raise self.error(f"{name} to the power of -1 can be read in two ways", piece)
            self.context.note(f"{name}^-1 is the inverse function", piece.start)
            label, power = f"a{label}", None
        if self.here.role == Role.OPEN:
            opening = self.here
            members = self.bracketed()[2]
            if len(members) != 1 or is_statement(members[0]):
                raise self.error(f"{name} takes one argument", opening, f"Write {name}(x).")
            found = self.applied(label, members[0], base, name, piece)
        else:
            found = self.applied(label, self.bare(name, piece), base, name, piece)
            if power is not None:
                return Tree("pow", (found, power))
            return found
        if power is not None:
            found = Tree("pow", (found, power))
        return self.powered(found)

    def applied(self, label: str, argument: Tree, base: Tree | None, name: str, piece: Piece) -> Tree:
        if label == "exp":
            return Tree("pow", (Tree("e"), argument))
        if label == "cis":
            return Tree("+", (Tree("cos", (argument,)), Tree("*", (Tree("i"), Tree("sin", (argument,))))))
        if label == "log":
            if base is None and name == "lg":
                base = Tree("10")
            if base is None:
                self.context.note("log is the natural logarithm", piece.start)
                return Tree("ln", (argument,))
            return Tree("log", (base, argument))
        return Tree(label, (argument,))

    def bare(self, name: str, piece: Piece) -> Tree:
        """The argument of a function that has no brackets: simple things side by side."""
        minus = self.here.text == "-" and self.here.role == Role.ADD
        if minus:
            self.take()
        role = self.here.role
        if role in (Role.FUNCTION, Role.BAR, Role.BIG, Role.INTEGRAL, Role.LIMIT):
            found = self.factor()
            return negative(found) if minus else found
        if not self.starts():
            raise self.error(f"{name} has no argument", piece, f"Write {name}(x).")
        plain = minus and self.is_plain_number()
        fraction = self.here.alone.label == "O!divide"
        found = _minus(self.factor()) if plain else self.factor()
        while self.here.role in (Role.NUMBER, Role.UNKNOWN, Role.ATOM) and self.starts():
            here = self.here
            if here.alone.label in ("O!divide", "O!binomial") or fraction or here.text == "{":
                raise self.error(f"what {name} applies to can be read in two ways", remedy="Write brackets.")
            if here.role == Role.UNKNOWN and (name_of(here) in ONE_PLACE and len(name_of(here)) > 1):
                break
            if here.role == Role.NUMBER:
                raise self.error(f"the number {here.text[:20]} follows without an operator")
            found = Tree("*", (found, self.factor()))
        if self.here.role == Role.OPEN:
            place = self.here.end - 1
            what = f"what {name} applies to can be read in two ways"
            raise UnreadError(what, place, f"Write {name}(…)*(…) or {name}(…*(…)).")
        return negative(found) if minus and not plain else found

    def of_several(self, label: str, piece: Piece) -> Tree:
        if self.here.role == Role.SCRIPT or self.here.role != Role.OPEN:
            raise self.error(f"{label} without brackets is not understood", piece, f"Write {label}(a, b).")
        _, _, members = self.bracketed()
        if len(members) == 1 and members[0].label in ("set", "list"):
            members = list(members[0].children)
        if not members or any(map(is_statement, members)):
            raise self.error(f"{label} takes terms", piece)
        return self.powered(nested(label, members))

    # Operators over what follows

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
        return Tree(label, (Tree(_bound_name(name)), start, end, body))

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
            if len(relations) == 1 and signs == ["="] and relations[0] == 1 and self.is_variable(parts[0]):
                start = Terms(parts[2:], self.context).only()
                return name_of(parts[0]), start, self.term_of(high)
            if not relations and len(parts) == 1 and self.is_variable(parts[0]) and name_of(parts[0]) != "d":
                raise self.error(f"{piece.text} does not say where it begins", piece, shape)
            raise self.error(f"{piece.text} does not name its variable", piece, shape)
        infinity = Tree("inf")
        if len(relations) == 1 and relations[0] == 1 and self.is_variable(parts[0]):
            name = name_of(parts[0])
            bound = Terms(parts[2:], self.context).only() if signs[0] not in ("in", "=", "") else ZERO
            if signs[0] == ">=":
                return name, bound, infinity
            if signs[0] == ">":
                return name, Tree("+", (bound, ONE)), infinity
            if signs[0] == "in" and len(parts) == 3:
                inside = name_of(parts[2])
                if inside == "ℤ":
                    return name, negative(infinity), infinity
        if (
            len(relations) == 2
            and relations[1] == relations[0] + 2
            and self.is_variable(parts[relations[0] + 1])
        ):
            name = name_of(parts[relations[0] + 1])
            start = Terms(parts[: relations[0]], self.context).only()
            end = Terms(parts[relations[1] + 1 :], self.context).only()
            if set(signs) <= {"<=", "<"}:
                start = Tree("+", (start, ONE)) if signs[0] == "<" else start
                end = Tree("-", (end, ONE)) if signs[1] == "<" else end
                return name, start, end
        raise self.error(f"the range of {piece.text} is not understood", piece, shape)

    def is_variable(self, piece: Piece) -> bool:
        return piece.role == Role.UNKNOWN and len(name_of(piece)) == 1 and _is_name(name_of(piece))

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
        return Tree(_bound_name(found.label))

    def limit(self) -> Tree:
        piece = self.take()
        if piece.operator.label in ("F!max", "F!min"):
            return self.of_several(piece.operator.label[2:], piece)
        if piece.operator.label not in ("O!limit", "V!lim"):
            raise self.error(f"{piece.text} is not understood", piece)
        low, high = self.bounds(piece)
        parts = low.parts if low is not None else ()
        arrows = ("\\to", "\\rightarrow", "\\longrightarrow")
        if (
            len(parts) < 3
            or parts[1].text not in arrows
            or not self.is_variable(parts[0])
            or high is not None
        ):
            raise self.error("what a limit goes to is not understood", piece, r"Write \lim_{x\to 0} u.")
        side, target = "both", parts[2:]
        if len(target) > 1 and target[-1].role == Role.SCRIPT and isinstance(target[-1].alone, Line):
            mark = [one.text for one in target[-1].alone.parts]
            if mark in (["+"], ["-"]):
                side, target = mark[0], target[:-1]
        name = name_of(parts[0])
        to = Terms(target, self.context).only()
        self.context.bound.append(name)
        if not self.starts() and self.here.role != Role.ADD:
            raise self.error("\\lim has no body", piece)
        body = self.signed()
        self.context.bound.pop()
        return Tree("limit", (Tree(_bound_name(name)), to, Tree(side), body))

    # Brackets

    def bracketed(self) -> tuple[str, str, list[Tree]]:
        """An opening bracket, the closing one, and the things in between."""
        opening = self.take()
        bars, self.bars = self.bars, 0
        self.brackets += 1
        integrals, self.integrals = self.integrals, 0
        hint, self.context.intervals = self.context.intervals, False
        self.enter()
        found: list[Tree] = []
        if self.here.role != Role.CLOSE:
            found.append(self.statement())
            if self.here.role == Role.PUNCTUATION and self.here.text == "," and self.turned(opening.text):
                # ]a, b[ or [a, b[
                self.take()
                end = next(at for at in range(self.at, self.length) if self.parts[at].text == "[")
                found.append(Terms(self.parts[self.at : end], self.context).only())
                self.at = end
            while self.here.role == Role.PUNCTUATION and self.here.text in (",", ";"):
                self.take()
                found.append(self.statement())
        if self.at >= self.length:
            if not opening.text:
                raise self.error("\\left. is not a bracket", opening, "Write a bracket on both sides.")
            raise self.error(f"{opening.text!r} is never closed", opening, "Write where it ends.")
        if self.here.role != Role.CLOSE and not (opening.text in "[]" and self.here.text == "["):
            self.unexpected()
        self.context.depth -= 1
        self.brackets -= 1
        self.bars, self.integrals, self.context.intervals = bars, integrals, hint
        return opening.text, self.take().text, found

    def turned(self, opening: str) -> bool:
        """Whether the bracket that was opened is closed by one that opens."""
        depth = 0
        for piece in self.parts[self.at :]:
            if not depth and piece.text == "[":
                return opening in ("[", "]")
            depth += (piece.role == Role.OPEN) - (piece.role == Role.CLOSE)
            if depth < 0:
                return False
        return False

    def fenced(self) -> Tree:
        start = self.here
        opening, closing, found = self.bracketed()
        pair = opening + closing
        if opening == "" or closing == "" or (pair in ("[]", "()") and self.is_evaluated()):
            if len(found) == 1 and self.is_evaluated():
                return self.evaluated(found[0], start)
            raise self.error(
                "a bracket on one side only is not understood", start, "Write a bracket on both sides."
            )
        if pair == "||" and len(found) == 1:
            return Tree("det" if found[0].label == "matrix" else "abs", tuple(found))
        if pair == "⌊⌋" and len(found) == 1:
            return Tree("floor", tuple(found))
        if pair == "⌈⌉" and len(found) == 1:
            return Tree("ceil", tuple(found))
        if pair == "{}" and not (len(found) == 1 and is_statement(found[0])):
            if len(found) == 1 and (self.here.role == Role.SCRIPT or found[0].label in "+-*/"):
                raise self.error("braces around one thing can be read in two ways", start)
            return Tree("set", tuple(found))
        if pair == "⟨⟩" and len(found) > 1:
            return Tree("tuple", tuple(found))
        if pair in ("()", "[]") and len(found) == 1:
            if pair == "[]" and not found[0].children and self.here.role != Role.SCRIPT:
                raise self.error("square brackets around one thing can be read in two ways", start)
            return found[0]
        if pair in _CLOSURE and len(found) == 2 and not any(map(is_statement, found)):
            infinite = any("inf" in (end.label, *(one.label for one in end.children)) for end in found)
            if pair != "()" or self.context.intervals or infinite:
                return Tree("interval", (Tree(_CLOSURE[pair]), *found))
        if pair == "()" and found and not any(map(is_statement, found)):
            return Tree("tuple", tuple(found))
        if pair == "[]" and len(found) > 2:
            return Tree("list", tuple(found))
        raise self.error(f"the brackets {pair} are not understood here", start)

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
            if len(parts) > 2 and parts[1].text == "=" and self.is_variable(parts[0]):
                name, parts = name_of(parts[0]), parts[2:]
            ends.append(Terms(parts, self.context).only())
        if not name:
            names = {one for one in free(found) if _is_name(one)} - set().union(*map(free, ends))
            names -= {"e", "pi", "i", "inf", "call"}
            if len(names) != 1:
                raise self.error("which variable the limits are for can be read in two ways", start)
            name = names.pop()
        if any(node.label in ("sum", "prod", "integral", "limit", "d", "call") for node in found):
            raise self.error("limits behind such an expression are not understood", start)
        return Tree("-", (substituted(found, name, ends[1]), substituted(found, name, ends[0])))

    def barred(self) -> Tree:
        opening = self.take()
        self.bars += 1
        integrals, self.integrals = self.integrals, 0
        found = self.sum()
        if self.here.role != Role.BAR or self.here.text != opening.text:
            if self.at >= self.length:
                raise self.error(
                    f"{opening.text!r} is never closed", opening, f"Write {opening.text} where it ends."
                )
            self.unexpected()
        self.take()
        self.bars -= 1
        self.integrals = integrals
        if opening.text != "|":
            raise self.error("a norm is not understood", opening)
        return Tree("det" if found.label == "matrix" else "abs", (found,))

    # Fractions, roots, texts and tables

    def atom(self) -> Tree:
        piece = self.take()
        tree = piece.alone
        label = tree.label
        if label == "O!divide":
            return self.powered(self.fraction(piece))
        if label == "O!root":
            radicand = self.term_of(tree.children[0])
            if tree.children[1].label == "N!2" and not isinstance(tree.children[1], Line):
                return self.powered(Tree("sqrt", (radicand,)))
            degree = self.term_of(tree.children[1])
            found = Tree("sqrt", (radicand,)) if degree == Tree("2") else Tree("root", (degree, radicand))
            return self.powered(found)
        if label == "O!binomial":
            return self.powered(Tree("binomial", tuple(map(self.term_of, tree.children))))
        if label == "C!infinity":
            return self.powered(Tree("inf"))
        if label == "C!emptyset":
            return Tree("set")
        if isinstance(tree, Line):
            if piece.text == "{" and self.here.role != Role.SCRIPT:
                raise self.error("braces around a sum are no brackets", piece, "Write brackets.")
            return self.powered(self.term_of(tree))
        if label.startswith("T!"):
            return self.text(piece)
        if label in _DOTS:
            raise self.error("an ellipsis is not understood", piece)
        if label.startswith("M!M"):
            return self.powered(self.matrix(piece))
        if label.startswith("F!") and len(tree.children) == 1:
            return self.accented(piece)
        if label == "O!cases":
            raise self.error("cases are not understood", piece)
        if label == "O!continued-fraction":
            return self.powered(Tree("/", tuple(map(self.term_of, tree.children))))
        if label == "E!missing":
            raise self.error("an argument is missing", piece)
        raise self.error(f"{piece.text or label[2:]!r} is not understood", piece)

    def fraction(self, piece: Piece) -> Tree:
        above, below = piece.alone.children
        parts = [inner(one) for one in (above, below)]
        for one in (above, below):
            if one.label == "E!missing" and (one is above or not parts[0]):
                raise self.error("\\frac is not complete", piece, "Write both parts.")
        if not parts[0]:
            raise self.error("a part of a fraction is empty", piece)
        if (slope := self.slope(parts[0], parts[1], piece)) is not None:
            return slope
        upper = Terms(parts[0], self.context)
        if self.integrals:
            upper.integrals = self.integrals
            top = ONE if upper.differential() else upper.sets()
            if upper.differential():
                if self.context.differential is not None:
                    raise self.error("two differentials are not understood", piece)
                self.context.differential = upper.differential_name()
                if upper.at < upper.length and top == ONE:
                    upper.integrals = 0
                    top = upper.only()
            if upper.at < upper.length:
                upper.unexpected()
        else:
            top = upper.only()
        if below.label == "E!missing":
            raise self.error("\\frac is not complete", piece, "Write both parts.")
        return Tree("/", (top, self.term_of(below)))

    def slope(self, above: Sequence[Piece], below: Sequence[Piece], piece: Piece) -> Tree | None:
        r"""A derivative: `\frac{d}{dx}` of what follows, `\frac{dy}{dx}`, `\frac{d^2 y}{dx^2}`."""
        marks = ("d", "\\partial")
        if len(below) < 2 or below[0].text not in marks or above[0].text != below[0].text:
            return None
        if not self.is_variable(below[1]):
            return None
        order, rest = 1, list(above[1:])
        if rest and rest[0].role == Role.SCRIPT and rest[0].text == "O!SUP":
            digits = "".join(one.text for one in inner(rest[0].alone))
            if not digits.isdigit() or not 0 < int(digits) < 10:
                raise self.error("a derivative of such an order is not understood", piece)
            order, rest = int(digits), rest[1:]
            under = below[2:]
            if len(under) != 1 or "".join(one.text for one in inner(under[0].alone)) != digits:
                raise self.error("a derivative by several variables is not understood", piece)
        elif len(below) > 2:
            raise self.error("a derivative by such a variable is not understood", piece)
        variable = Tree(_bound_name(name_of(below[1])))
        body = Terms(rest, self.context).only() if rest else self.slope_of(piece)
        if _is_name(body.label) and body != variable and not self.is_constant(body):
            body = Tree("call", (body, variable))
        for _ in range(order):
            body = Tree("d", (variable, body))
        return body

    def is_constant(self, tree: Tree) -> bool:
        """Whether what is differentiated is no letter that depends on the variable."""
        return bool(tree.children) or tree.label in ("e", "pi", "i", *self.context.letters)

    def slope_of(self, piece: Piece) -> Tree:
        if self.here.role == Role.OPEN:
            found = self.fenced()
            if self.here.role == Role.SCRIPT:
                raise self.error(
                    "what the derivative applies to can be read in two ways", piece, "Write brackets."
                )
            return found
        if not self.starts():
            raise self.error("a derivative without an argument is not understood", piece)
        found = self.factor()
        if self.starts() or self.here.role == Role.MULTIPLY:
            raise self.error(
                "what the derivative applies to can be read in two ways", piece, "Write brackets."
            )
        return found

    def text(self, piece: Piece) -> Tree:
        words = piece.alone.label[2:].strip()
        bare = words.strip(".,;: ")
        before = self.ahead(-2)
        if bare in UNITS or (before.role == Role.NUMBER and bare.lower() not in _CONNECTIVES):
            return self.powered(Tree("unit", (Tree(bare),)))
        if bare.isalpha() and bare in ONE_PLACE and len(bare) > 1:
            return self.function(bare, piece)
        if not bare:
            raise self.error("a text is empty", piece)
        if self.length == 1:
            return Tree("text", (Tree(words),))
        if _WORDS.match(bare) and bare.lower() not in _CONNECTIVES:
            return self.named(re.sub(r"[\s-]+", "_", bare))
        raise self.error(f"{bare[:40]!r} is not understood", piece)

    def matrix(self, piece: Piece) -> Tree:
        name = piece.text.removesuffix("*").lstrip("\\")
        rows = [row.children for row in piece.alone.children]
        if name in ("pmatrix", "bmatrix", "matrix", "smallmatrix", "array", "vmatrix", "Bmatrix"):
            if not rows or len({len(row) for row in rows}) != 1:
                raise self.error("a matrix whose rows have different lengths is not understood", piece)
            made = tuple(Tree("row", tuple(map(self.term_of, row))) for row in rows)
            found = Tree("matrix", made)
            return Tree("det", (found,)) if name == "vmatrix" else found
        raise self.error(f"the environment {name!r} is not understood", piece)

    def accented(self, piece: Piece) -> Tree:
        tree = piece.alone
        mark = _MARKS.get(tree.label)
        if tree.label in ("F!abs", "F!floor", "F!ceiling"):
            label = {"F!ceiling": "ceil"}.get(tree.label, tree.label[2:])
            return self.powered(Tree(label, (self.term_of(tree.children[0]),)))
        parts = inner(tree.children[0])
        if tree.label == "F!¯" and any(
            (one.role == Role.UNKNOWN and name_of(one) in ("z", "w", "i")) or one.role == Role.ADD
            for one in parts
        ):
            self.context.note("a line above is the conjugate")
            below = self.here.role == Role.SCRIPT and self.here.text == "O!SUB" and len(parts) == 1
            inside = [*parts, self.take()] if below else parts
            return self.powered(Tree("conj", (Terms(inside, self.context).only(),)))
        if mark and len(parts) == 1 and self.is_variable(parts[0]):
            return self.named(name_of(parts[0]) + mark)
        raise self.error(f"{tree.label[2:]!r} above or below is not understood", piece)


_SIGNS = {"U!plus": "+", "O!minus": "-", "O!plus-or-minus": "pm", "O!minus-or-plus": "mp"}
_MARKS = {"F!¯": "\u0304", "F!^": "\u0302", "F!~": "\u0303", "F!˙": "\u0307", "F!¨": "\u0308"}
_WORDS = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+)*\Z")


def _is_name(name: str) -> bool:
    return name[:1].isalpha() and all(
        one.isalnum() or unicodedata.combining(one) or one in "'_" for one in name
    )


def _bound_name(name: str) -> str:
    """The label of a letter or word that is a variable: what is a label of the language gets a mark."""
    return f"{name}_" if name in _RESERVED else name


_OPERATORS = (
    "sum prod integral antiderivative limit floor ceil round factorial gamma conj binomial pochhammer mod"
    " call pm tuple list set interval union intersection without matrix row det tr transpose inverse unit"
    " text root not pow log d e i pi inf in subset approx congruent and or implies iff re im arg sign"
)
_RESERVED = frozenset((*_OPERATORS.split(), *ONE_PLACE.values(), *_SEVERAL.values()))


def _tail(tree: Tree) -> str | None:
    """The variable of the sum or limit at the end of a term: what follows could belong to it."""
    while tree.children:
        if tree.label in ("sum", "prod", "limit"):
            return tree.children[0].label
        if tree.label not in ("+", "-", "*"):
            return None
        tree = tree.children[-1]
    return None


def _interval(tree: Tree) -> Tree:
    """A pair that stands where a set does."""
    if tree.label == "tuple" and len(tree.children) == 2:
        return Tree("interval", (Tree("oo"), *tree.children))
    return tree


def is_blank(piece: Piece) -> bool:
    """Whether a piece says nothing: a mark of alignment, a new line, an empty text."""
    label = piece.alone.label
    return (
        (piece.role == Role.STRAY and piece.text == "&")
        or piece.text in ("\\\\", "\\therefore", "\\because")
        or (label.startswith("T!") and not label[2:].strip())
    )


def is_connective(piece: Piece) -> bool:
    """Whether a piece is a text that joins formulas: `and`, `if`, `for all`."""
    label = piece.alone.label
    return label.startswith("T!") and label[2:].strip(" .,;:").lower() in _CONNECTIVES


def unrolled(parts: list[Piece]) -> list[Piece]:
    """The pieces with the cells of aligned environments in the place of these, a new line after each row."""
    found: list[Piece] = []
    for piece in parts:
        rows = piece.alone.children
        cells = [cell.parts for row in rows for cell in row.children if isinstance(cell, Line)]
        aligned = _ALIGNED.match(piece.text) or (
            piece.text in ("array", "\\substack")
            and any(cell and cell[0].role == Role.RELATION for cell in cells)
        )
        if not aligned or not piece.alone.label.startswith("M!M"):
            found.append(piece)
            continue
        for row in rows:
            for cell in row.children:
                found += unrolled(list(cell.parts)) if isinstance(cell, Line) else []
            found.append(_NEW_LINE)
    return found


_NEW_LINE = Piece(Role.ATOM, "\\\\", OperatorTree("W!"), OperatorTree("W!"), 0, 0)


def occurrences(parts: Sequence[Piece]) -> Iterator[Sequence[Piece]]:
    """The lines of a formula: itself, and those of its arguments."""
    pending: list[Sequence[Piece]] = [parts]
    while pending:
        found = pending.pop()
        yield found
        for piece in found:
            trees = [piece.alone]
            while trees:
                tree = trees.pop()
                if isinstance(tree, Line):
                    pending.append(tree.parts)
                else:
                    trees += tree.children


_FAR = 200
"""Pieces that are looked at to tell a function from a product."""


def bracket_after(parts: Sequence[Piece], at: int) -> str:
    """Whether a bracket follows the name here and its scripts, and whether it rather holds the arguments of a
    function: one letter or number, several things, or sets."""
    at += 1
    while at < len(parts) and parts[at].role == Role.SCRIPT:
        at += 1
    if at >= len(parts) or parts[at].text != "(" or parts[at].role != Role.OPEN:
        return ""
    depth, size, several = 0, 0, False
    for piece in parts[at : at + _FAR]:
        depth += (piece.role == Role.OPEN) - (piece.role == Role.CLOSE)
        if not depth:
            break
        size += piece.role != Role.SCRIPT
        sets = piece.role == Role.ADD and piece.operator.label in _SETS
        several = several or sets or (depth == 1 and piece.text == "," and piece.role == Role.PUNCTUATION)
    lone = size == 2 and parts[at + 1].role in (Role.UNKNOWN, Role.NUMBER)
    return "function" if lone or several else "bracket"


def worded(parts: list[Piece]) -> list[Piece]:
    """The pieces with letters side by side that spell a function, as in `sin x`, as one word."""
    if not any(piece.text in _FIRST and piece.role == Role.UNKNOWN for piece in parts):
        return parts
    found: list[Piece] = []
    at = 0
    while at < len(parts):
        end, text = at, ""
        while end < len(parts) and len(text) < 6 and parts[end].role == Role.UNKNOWN:
            if len(parts[end].text) != 1 or (end > at and parts[end].start != parts[end - 1].end):
                break
            text += parts[end].text
            end += 1
        word = next((text[:size] for size in range(len(text), 1, -1) if text[:size] in _SPELT), "")
        if text in ("Re", "Im") and end < len(parts) and parts[end].text == "(":
            word = text
        if word and (at == 0 or parts[at - 1].role != Role.UNKNOWN or parts[at - 1].end != parts[at].start):
            last = parts[at + len(word) - 1]
            tree = OperatorTree(f"V!{word}")
            found.append(Piece(Role.UNKNOWN, word, tree, tree, parts[at].start, last.end))
            at += len(word)
        else:
            found.append(parts[at])
            at += 1
    return found


_SPELT = frozenset(
    (
        *_PLAIN[:10],
        *(f"arc{name}" for name in _PLAIN[:3]),
        "log",
        "ln",
        "exp",
        "lim",
        "mod",
        "gcd",
        "lcm",
        "sqrt",
    )
)
_FIRST = frozenset((*(word[0] for word in _SPELT), "R", "I"))


def too_large(tree: Tree) -> bool:
    return len(tree) > MAX_NODES or tree.depth > MAX_DEPTH
