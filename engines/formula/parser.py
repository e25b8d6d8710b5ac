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

from engines.formula.layout import DEEPEST, Piece, pieces
from engines.formula.lexer import Source
from engines.formula.operator_tree import ABSENT, OperatorTree, apply, deep_recursion, fragments
from engines.formula.spans import node_spans
from engines.formula.symbols import ARROWS, BODIES, STARTS, Role

_CONNECTIVES = {"U!and", "U!or"}
_ENDS = {Role.PUNCTUATION, Role.PERIOD, Role.COLON, Role.BAR}


@dataclass(slots=True)
class _Stretch:
    """What stands between two ends of statements within one pair of brackets; `listed`: members of a set,
    which are no statements."""

    listed: bool = False
    related: bool = False
    statements: bool = True
    signs: list[int] = field(default_factory=list)


def connected(parts: list[Piece]) -> list[Piece]:
    r"""The pieces, with each `\land` and `\lor` whose sides all are relations as a relation itself.

    In `x > 0 \land y > 0` it joins two statements, in `x \land y = z` it makes a term.
    """
    result = list(parts)
    stretches = [_Stretch()]

    def finish(listed: bool) -> _Stretch:
        last = stretches.pop()
        if last.statements and last.related and not last.listed:
            for at in last.signs:
                result[at] = replace(result[at], role=Role.RELATION)
        return _Stretch(listed)

    for at, piece in enumerate(parts):
        here = stretches[-1]
        label = piece.operator.label
        if piece.role == Role.OPEN:
            stretches.append(_Stretch(piece.text == "{"))
        elif piece.role == Role.CLOSE and len(stretches) > 1:
            finish(listed=False)
        elif piece.role in _ENDS or (
            piece.role == Role.RELATION and (label in ARROWS or piece.text == "\\mid")
        ):
            stretches.append(finish(listed=here.listed and piece.role == Role.PUNCTUATION))
        elif piece.role == Role.RELATION:
            here.related = True
        elif piece.role == Role.ADD and label in _CONNECTIVES:
            here.statements = here.statements and here.related
            here.related = False
            here.signs.append(at)
    while stretches:
        finish(listed=False)
    return result


Mode = Literal["arqmath", "correct"]

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


class Run:
    """Operands with operators between them, from left to right; the same sign again adds an operand."""

    def __init__(self, first: OperatorTree, mode: Mode) -> None:
        self.operands = [first]
        self.operator: OperatorTree | None = None
        self.sign = ""
        self.mode = mode

    def add(self, operator: OperatorTree, sign: str, operand: OperatorTree) -> None:
        """One more operand; `sign` tells operators apart that are written in different ways."""
        nested = self.mode == "correct" and not operator.label.startswith("U!")
        if self.operator is not None and (sign != self.sign or not sign or operator.children or nested):
            self.operands = [self.tree()]
        self.operator, self.sign = operator, "" if operator.children else sign
        self.operands.append(operand)

    def tree(self) -> OperatorTree:
        return self.operands[0] if self.operator is None else apply(self.operator, self.operands)


def listed(parts: list[OperatorTree]) -> OperatorTree:
    """Expressions side by side; one alone is itself."""
    return parts[0] if len(parts) == 1 else OperatorTree(f"M!L-{len(parts)}", tuple(parts))


def fenced(opening: str, closing: str, found: list[OperatorTree]) -> OperatorTree | None:
    """What these things mean in these brackets; `set` opens a set by a condition. None: nothing."""
    pair = opening + closing
    if opening == "set" or (pair == "()" and len(found) == 1):
        return found[0]
    if pair in _INTERVALS and len(found) == 2:
        return OperatorTree(f"O!interval({_INTERVALS[pair]})", tuple(found))
    label = _PAIRS.get(pair)
    return None if label is None else OperatorTree(label.format(len(found)), tuple(found))


def fragmented(parts: list[Piece]) -> OperatorTree:
    """What cannot be parsed: the pieces one by one; what stands in brackets is put together."""
    stack: list[list[OperatorTree]] = [[]]
    bare: Piece | None = None
    for piece in parts:
        if piece.role == Role.SCRIPT:
            base = stack[-1].pop() if stack[-1] else ABSENT
            base = bare.alone if bare is not None else base
            stack[-1].append(OperatorTree(piece.text, (base, piece.alone)))
            bare = None
            continue
        bare = piece if piece.role == Role.UNKNOWN else None
        shown = OperatorTree(f"-!{piece.text.lower()}") if bare else piece.alone
        if piece.role == Role.OPEN:
            stack.append([shown])
        elif piece.role == Role.CLOSE and len(stack) > 1:
            inner = stack.pop()
            stack[-1].append(fragments([*inner, shown]))
        else:
            stack[-1].append(shown)
    while len(stack) > 1:
        inner = stack.pop()
        stack[-1].extend(inner)
    return fragments(stack[0])


_TIMES = OperatorTree("U!times")
_PLUS = OperatorTree("U!plus")
_INVISIBLE = " "
_DASHES = "−–"
_AND = OperatorTree("U!and")
_SIGNS = {Role.ADD, Role.MULTIPLY, Role.RELATION, Role.OPERATOR, Role.COLON, *BODIES}
_SEPARATORS = {Role.PUNCTUATION, Role.PERIOD}


def search_tree(latex: str | Source) -> OperatorTree:
    r"""The tree by which a formula is searched: as published, with the words of texts and the alphabets of
    letters (blackboard bold, script, fraktur), which those leave out.

    >>> str(search_tree(r"\text{sinc}(\mathbb{R})")), str(operator_tree(r"\text{sinc}(\mathbb{R})"))
    ('(U!times V!sinc V!ℝ)', '(U!times W! V!R)')
    """
    return operator_tree(latex, texts=True)


def operator_tree(latex: str | Source, mode: Mode = "arqmath", *, texts: bool = False) -> OperatorTree:
    """The operator tree of a formula, with `texts` as `search_tree`; never raises.

    >>> str(operator_tree("x^2 + 1"))
    '(U!plus (O!SUP V!x N!2) N!1)'
    """
    source = Source.of(latex)

    def grammar(parts: list[Piece]) -> OperatorTree:
        return _Grammar(parts, mode).tree()

    with deep_recursion():
        result = grammar(pieces(source, grammar, _DASHES if mode == "arqmath" else "", texts=texts))
    if result.label == "E!":
        result = OperatorTree("E!", result.children, (0, len(source.latex)))
    return result.cut(node_spans(result, source)) if result.tall() else result


class _NoFormulaError(Exception):
    pass


class _Grammar:
    """Recursive descent over pieces."""

    def __init__(self, parts: list[Piece], mode: Mode) -> None:
        self.parts = connected(parts) if mode == "correct" else parts
        self.mode = mode
        self.at = 0
        self.bars = 0
        self.integrals = 0
        self.depth = 0

    def tree(self) -> OperatorTree:
        parts = self.parts
        if not parts:
            return ABSENT
        if len(parts) == 1:
            return parts[0].alone if parts[0].role != Role.STRAY else fragmented(self.parts)
        if parts[1].role == Role.SCRIPT and (alone := self.operator_alone()) is not None:
            return alone
        self.at = 0
        try:
            result = self.formulas()
            self.ending()
        except _NoFormulaError:
            alone = self.operator_alone()
            return alone if alone is not None else fragmented(self.parts)
        return result

    # Tokens

    def role(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.parts[at].role if at < len(self.parts) else ""

    def take(self) -> Piece:
        self.at += 1
        return self.parts[self.at - 1]

    def scripted(self, tree: OperatorTree) -> OperatorTree:
        while self.role() == Role.SCRIPT:
            piece = self.take()
            tree = OperatorTree(piece.text, (tree, piece.alone))
        return tree

    def operator(self) -> OperatorTree:
        piece = self.take()
        return self.scripted(piece.alone) if self.role() == Role.SCRIPT else piece.operator

    def ending(self) -> None:
        """The end of the line; a full stop or comma may stand before it."""
        while self.role() == Role.PERIOD or (
            self.role() == Role.PUNCTUATION and self.parts[self.at].text != ";"
        ):
            self.at += 1
        if self.at < len(self.parts):
            raise _NoFormulaError

    def operator_alone(self) -> OperatorTree | None:
        self.at = 0
        if self.parts[0].role in (*_SIGNS, Role.FUNCTION):
            result = self.scripted(self.take().alone)
            if self.at == len(self.parts):
                return result
        return None

    # Formulas

    def formulas(self) -> OperatorTree:
        """Formulas with punctuation between them; expressions in between join the side where they stand."""
        done: list[OperatorTree] = []
        left: list[OperatorTree] = []
        chain: list[tuple[OperatorTree, list[OperatorTree]]] = []
        colon: tuple[OperatorTree, OperatorTree] | None = None

        def finish() -> OperatorTree:
            result = self.related(left, chain)
            return apply(colon[0], (colon[1], result)) if colon else result

        while True:
            expression = ABSENT if self.role() == Role.RELATION else self.conditioned()
            if self.role() == Role.RELATION:
                if chain:
                    done.append(finish())
                    left, chain, colon = [], [], None
                left.append(expression)
                while self.role() == Role.RELATION:
                    operator = self.operator()
                    right = self.conditioned() if self.starts() else ABSENT
                    chain.append((operator, [right]))
            elif chain:
                chain[-1][1].append(expression)
            else:
                left.append(expression)
            if self.role() == Role.COLON:
                operator = self.operator()
                colon = operator, finish()
                left, chain = [], []
                continue
            if self.parts[self.at - 1].role == Role.ANNOTATION and self.starts():
                continue
            if self.role() in _SEPARATORS and self.more():
                full = self.role() == Role.PERIOD
                while self.role() in _SEPARATORS:
                    self.take()
                if full:
                    done.append(finish())
                    left, chain, colon = [], [], None
                continue
            done.append(finish())
            results = done.pop()
            for before in reversed(done):
                results = OperatorTree("O!form-seq", (before, results))
            return results

    def chained(self, left: OperatorTree) -> OperatorTree:
        """Relations after an expression, in brackets; LaTeXML takes none there."""
        chain = []
        while self.role() == Role.RELATION:
            operator = self.operator()
            chain.append((operator, [self.conditioned() if self.starts() else ABSENT]))
        return self.related([left], chain)

    def more(self) -> bool:
        ahead = 0
        while self.role(ahead) in _SEPARATORS:
            ahead += 1
        role = self.role(ahead)
        return role in STARTS or role in (Role.ADD, Role.BAR, Role.RELATION)

    def starts(self) -> bool:
        return self.role() in STARTS or self.role() in (Role.ADD, Role.BAR, Role.ANNOTATION)

    def related(
        self, left: list[OperatorTree], chain: list[tuple[OperatorTree, list[OperatorTree]]]
    ) -> OperatorTree:
        if self.mode == "correct":
            for looser in (ARROWS, {"U!or"}, {"U!and"}):
                places = [at for at, (operator, _) in enumerate(chain) if operator.label in looser]
                if places and (looser is not ARROWS or len(places) < len(chain)):
                    return self.parted(left, chain, places)
        first = listed(left)
        if not chain:
            return first
        if len(chain) == 1:
            return apply(chain[0][0], (first, listed(chain[0][1])))
        made = []
        before: OperatorTree | None = first
        for operator, right in chain:
            after = listed(right)
            made.append(apply(operator, (after,) if before is None else (before, after)))
            before = after if self.mode == "correct" else None
        return apply(_AND, made)

    def parted(
        self,
        left: list[OperatorTree],
        chain: list[tuple[OperatorTree, list[OperatorTree]]],
        places: list[int],
    ) -> OperatorTree:
        """Relations between what binds less than relations do: arrows of implication, or, and."""
        ends = [*places[1:], len(chain)]
        first = self.related(left, chain[: places[0]])
        arrows = [chain[at][0] for at in places]
        rest = [self.related(chain[at][1], chain[at + 1 : end]) for at, end in zip(places, ends, strict=True)]
        if arrows[0].label in ARROWS:
            return self.related([first], [(arrow, [one]) for arrow, one in zip(arrows, rest, strict=True)])
        return apply(arrows[0], (first, *rest))

    def conditioned(self) -> OperatorTree:
        """An expression, under a condition after a bar, with what is said of it behind."""
        result = self.expression()
        while self.role() == Role.BAR and self.parts[self.at].text == "|" and not self.bars:
            self.take()
            result = OperatorTree("O!conditional", (result, self.expression()))
        while self.role() == Role.MODIFIER:
            operator = self.operator()
            result = apply(operator, (result, self.expression()))
        while self.role() == Role.ANNOTATION:
            result = OperatorTree("O!annotated", (result, self.take().alone))
        return result

    # Expressions

    def expression(self) -> OperatorTree:
        run = Run(self.signed(), self.mode)
        while self.role() == Role.ADD:
            text = self.parts[self.at].text
            run.add(self.operator(), text, self.term())
        return run.tree()

    def signed(self) -> OperatorTree:
        return apply(self.operator(), (self.term(),)) if self.role() == Role.ADD else self.term()

    def term(self) -> OperatorTree:
        number = self.role() == Role.NUMBER
        run = Run(self.factor(), self.mode)
        while True:
            if self.role() == Role.MULTIPLY:
                text = self.parts[self.at].text
                run.add(self.operator(), text, self.factor())
            elif self.role() in STARTS or (self.role() == Role.BAR and self.opens_bar()):
                if number and self.is_fraction():
                    run.add(_PLUS, "", self.factor())
                else:
                    run.add(_TIMES, _INVISIBLE, self.factor())
            else:
                return run.tree()
            number = False

    def is_fraction(self) -> bool:
        tree = self.parts[self.at].alone
        return tree.label == "O!divide" and all(child.label.startswith("N!") for child in tree.children)

    def factor(self) -> OperatorTree:
        if self.depth > DEEPEST:
            raise _NoFormulaError
        self.depth += 1
        result = self.applied()
        self.depth -= 1
        return result

    def applied(self) -> OperatorTree:
        role = self.role()
        if role in BODIES:
            return self.body()
        if role == Role.FUNCTION:
            return self.function()
        if role == Role.OPERATOR:
            operator = self.operator()
            return apply(operator, (self.factor(),)) if self.role() in STARTS else operator
        if role == Role.OPEN:
            result = self.fenced()
        elif role == Role.BAR:
            result = self.barred()
        elif role in STARTS or role == Role.ANNOTATION:
            if self.integrals and self.differential():
                self.take()
                return OperatorTree("O!differential-d", (self.factor(),))
            result = self.take().alone
        else:
            raise _NoFormulaError
        while True:
            if self.role() == Role.SCRIPT:
                result = self.scripted(result)
            elif self.role() == Role.POSTFIX:
                result = apply(self.take().operator, (result,))
            else:
                return result

    def differential(self) -> bool:
        piece = self.parts[self.at]
        return piece.role == Role.UNKNOWN and piece.text == "d" and self.role(1) in (Role.UNKNOWN, Role.ATOM)

    def body(self) -> OperatorTree:
        role = self.role()
        operator = self.operator()
        if not self.starts() or (self.role() == Role.BAR and not self.opens_bar()):
            return operator
        if role == Role.LIMIT and self.role() == Role.OPEN and operator.label in ("F!max", "F!min"):
            return self.called(operator)
        integrals, self.integrals = self.integrals, self.integrals + 1 if role == Role.INTEGRAL else 0
        result = self.signed()
        self.integrals = integrals
        if role == Role.INTEGRAL and not operator.children:
            return apply(operator, (result, ABSENT, ABSENT))
        return apply(operator, (result,))

    def function(self) -> OperatorTree:
        operator = self.operator()
        if self.role() == Role.OPEN:
            return self.called(operator)
        if self.role() in (Role.FUNCTION, *BODIES) or (self.role() == Role.BAR and self.opens_bar()):
            return apply(operator, (self.factor(),))
        if self.role() not in STARTS:
            return operator
        run = Run(self.factor(), self.mode)
        simple = (Role.ATOM, Role.UNKNOWN, Role.NUMBER)
        while self.role() in simple and not (self.integrals and self.differential()):
            run.add(_TIMES, _INVISIBLE, self.factor())
        return apply(operator, (run.tree(),))

    # Brackets

    def opens_bar(self) -> bool:
        """Whether the bar here opens: none is open, and its partner follows."""
        if self.bars:
            return False
        text = self.parts[self.at].text
        depth = 0
        for piece in self.parts[self.at + 1 :]:
            depth += (piece.role == Role.OPEN) - (piece.role == Role.CLOSE)
            if depth < 0 or (depth == 0 and piece.role == Role.BAR and piece.text == text):
                return depth == 0
        return False

    def barred(self) -> OperatorTree:
        text = self.take().text
        self.bars += 1
        try:
            result = self.expression()
        finally:
            self.bars -= 1
        if self.role() != Role.BAR or self.parts[self.at].text != text:
            raise _NoFormulaError
        self.take()
        return OperatorTree("F!abs" if text == "|" else "O!norm", (result,))

    def called(self, operator: OperatorTree) -> OperatorTree:
        """A function of each thing in the brackets that follow."""
        at = self.at
        opening, closing, found = self.bracketed()
        scripted = self.role() == Role.SCRIPT
        if opening + closing in ("()", "[]", "{}") and (self.mode == "correct" or not scripted):
            return self.scripted(apply(operator, tuple(found)))
        self.at = at
        return apply(operator, (self.scripted(self.fenced()),))

    def fenced(self) -> OperatorTree:
        result = fenced(*self.bracketed())
        if result is None:
            raise _NoFormulaError
        return result

    def bracketed(self) -> tuple[str, str, list[OperatorTree]]:
        opening = self.take().text
        bars, self.bars = self.bars, 0
        integrals, self.integrals = self.integrals, 0
        result = [self.element(opening)]
        while self.role() == Role.PUNCTUATION:
            while self.role() == Role.PUNCTUATION:
                self.take()
            result.append(self.element(opening))
        if opening == "{" and self.role() in (Role.COLON, Role.BAR, Role.RELATION) and len(result) == 1:
            self.take()
            result = [OperatorTree("O!conditional-set", (result[0], self.formulas()))]
            opening = "set"
        if self.role() != Role.CLOSE:
            raise _NoFormulaError
        self.bars, self.integrals = bars, integrals
        return opening, self.take().text, result

    def element(self, opening: str) -> OperatorTree:
        """One of several things in brackets: an expression, or a bare operator."""
        if self.role() in _SIGNS and self.role(1) in (Role.PUNCTUATION, Role.CLOSE):
            return self.take().alone
        result = self.conditioned() if opening != "{" else self.expression()
        if opening == "[" and self.role() == Role.COLON:
            operator = self.operator()
            return apply(operator, (result, self.expression()))
        if self.role() == Role.RELATION and self.mode == "correct" and opening != "{":
            return self.chained(result)
        if self.role() == Role.RELATION and opening == "{":
            if self.parts[self.at].text == "\\mid":
                return result
            operator = self.operator()
            result = apply(operator, (result, self.expression()))
            if self.role() not in (Role.COLON, Role.BAR, Role.RELATION):
                raise _NoFormulaError
        return result


class Formula(Source):
    """A formula: its LaTeX and what is made of it, each made once, when it is asked for, of tokens that are
    read once."""

    @cached_property
    def tree(self) -> OperatorTree:
        return operator_tree(self)

    @cached_property
    def search_tree(self) -> OperatorTree:
        """The tree by which it is searched."""
        return search_tree(self)

    @cached_property
    def layout(self) -> OperatorTree:
        from engines.formula.symbol_layout import layout_tree

        return layout_tree(self)

    @cached_property
    def spans(self) -> list[tuple[int, int] | None]:
        """Where the nodes of `search_tree` stand."""
        return node_spans(self.search_tree, self)

    @cached_property
    def shown(self) -> str:
        from engines.formula.unicode import unicode_text

        return unicode_text(self)
