r"""Operator trees as LaTeX.

What is written is read again as the same tree, up to the order of operands of commutative operators, except
where a tree has no LaTeX: text that it has not kept, and labels that no command has. An error node that knows
its place is written as its source has it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache

from engines.formula.operator_tree import OperatorTree
from engines.formula.symbols import (
    ALPHABETS,
    BODIES,
    PieceRole,
    list_symbols,
    negate_symbol,
    split_alphabet,
    stacked_commands,
    symbol_roles,
)

_SIGN, _FORMULAS, _RELATION, _CONDITION, _SUM, _TERM, _FACTOR, _CALL, _ATOM = range(9)
"""How tightly what is written binds: a sign stands alone, a factor takes what follows, a call no script."""
_LEVELS = {
    PieceRole.RELATION: _RELATION,
    PieceRole.COLON: _RELATION,
    PieceRole.MODIFIER: _CONDITION,
    PieceRole.ADD: _SUM,
    PieceRole.MULTIPLY: _TERM,
    PieceRole.FUNCTION: _CALL,
    PieceRole.BIG: _FACTOR,
    PieceRole.INTEGRAL: _FACTOR,
    PieceRole.LIMIT: _FACTOR,
    PieceRole.OPERATOR: _CALL,
    PieceRole.POSTFIX: _ATOM,
}
_NAMED = (*BODIES, PieceRole.FUNCTION)
_CALLED = ("F!max", "F!min")
_FENCES = {
    "F!abs": (r"\left|", r"\right|"),
    "O!norm": (r"\left\|", r"\right\|"),
    "F!floor": (r"\lfloor ", r"\rfloor "),
    "F!ceiling": (r"\lceil ", r"\rceil "),
    "M!D-lsqb;&rsqb;": ("[", "]"),
    "M!D-lang;&rang;": (r"\langle ", r"\rangle "),
    "M!S": (r"\{", r"\}"),
    "M!V": ("(", ")"),
    "O!interval(O-O)": ("(", ")"),
    "O!interval(C-C)": ("[", "]"),
    "O!interval(O-C)": ("(", "]"),
    "O!interval(C-O)": ("[", ")"),
}
_SCRIPTS = {"O!SUP": "^", "O!SUB": "_"}
_BARE = {"&lsqb;": "[", "&rsqb;": "]", "&comma;": ",", "&quest;": "?", "&semi;": ";"}
_SPECIAL = {"{": r"\{", "}": r"\}", "∥": r"\|", "⟨": r"\langle ", "⟩": r"\rangle ", "⌊": r"\lfloor "}
_SPECIAL |= {"⌋": r"\rfloor ", "⌈": r"\lceil ", "⌉": r"\rceil ", "#": r"\#", "$": r"\$", "_": r"\_"}
_TEXT = r"\text{}"
_SIZED = ("{array}", "{alignat}", "{alignat*}", "{alignedat}", "{subarray}")
_COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|[^A-Za-z])")
_ENVIRONMENT = re.compile(r"\\begin\s*(?P<name>\{\w+\*?\})(?P<columns>(?:\[[^\]]*\])?\s*\{[^{}]*\})?")
WrittenLatex = tuple[str, int]
"""LaTeX and how tightly it binds."""


@cache
def _operator_symbols() -> Mapping[tuple[str, bool], tuple[str, str]]:
    """Return the first symbol of each operator, with its role, by label and whether it takes what follows."""
    result: dict[tuple[str, bool], tuple[str, str]] = {}
    for symbol, known in symbol_roles().items():
        if known.role in _LEVELS:
            large = known.role in BODIES
            result.setdefault((known.operator.label, large), (symbol, known.role))
            result.setdefault((known.alone.label, large), (symbol, known.role))
    for symbol, known in symbol_roles().items():
        if (denied := negate_symbol(known)) is not None:
            result.setdefault((denied.operator.label, False), (rf"\not{symbol}", known.role))
    return result


def _operator_symbol(label: str, operands: int = 0) -> tuple[str, str]:
    small, large = _operator_symbols().get((label, False)), _operator_symbols().get((label, True))
    return (large or small if operands == 1 else small or large) or ("", "")


@cache
def _command_names() -> Mapping[str, str]:
    result: dict[str, str] = {}
    for name, known in symbol_roles().items():
        label = known.alone.label
        text = label[2:]
        if known.role in ("atom", "unknown") and (not text.isascii() or len(text) > 1 or text == "&"):
            result.setdefault(label, name)
    for name, symbol in list_symbols().items():
        text = unicodedata.normalize("NFKC", symbol.unicode)
        alone = _COMMAND.fullmatch(name) and name not in symbol_roles() and symbol.group != "accents"
        if alone and len(text) == 1 and not text.isascii():
            result.setdefault(f"V!{text}", name)
    return result


@cache
def _prefix_commands() -> Mapping[str, str]:
    result: dict[str, str] = {}
    for name, known in symbol_roles().items():
        if known.role in ("accent", PieceRole.ANNOTATION):
            result.setdefault(known.operator.label, name)
    return result


def to_latex(tree: OperatorTree, source: str = "") -> str:
    r"""Return the LaTeX of a tree; `source` is what it was read from, where that is at hand.

    >>> to_latex(OperatorTree("O!SUP", (OperatorTree("V!x"), OperatorTree("N!2"))))
    'x^{2}'
    """
    writer = _Writer(source)
    for node in reversed(list(tree.walk_nodes())):
        writer.done[id(node)] = writer.write_node(node)
    text = writer.done[id(tree)][0].lstrip()
    ended = text.rstrip()
    # A control space ends with one.
    return f"{ended} " if ended.endswith("\\") and ended != text else ended


class _Writer:
    """Writes a node of which all that stands under it is written."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.done: dict[int, WrittenLatex] = {}

    def write_nodes(self, nodes: Sequence[OperatorTree]) -> list[WrittenLatex]:
        return [self.done[id(node)] for node in nodes]

    def write_node(self, node: OperatorTree) -> WrittenLatex:
        label, operands = node.label, node.children
        # Each result carries how tightly it binds, so that the parent can decide about brackets.
        if label.startswith("E!"):
            return self.write_error(node), _FORMULAS
        if label.startswith("M!") and label[2:3] in tuple("LMR"):
            return self.write_grouped(node)
        if not operands:
            return _write_leaf(label)
        if label in _SCRIPTS and len(operands) == 2:
            return self.write_scripted(node)
        # A conjunction of links that share their sides was a chain.
        if label == "U!and" and (chain := self.write_chain(node)):
            return chain, _RELATION
        parts = self.write_nodes(operands)
        fence = _FENCES.get(label[:3] if label.startswith(("M!S-", "M!V-")) else label)
        if fence is not None:
            # Inside a set a relation needs brackets, because it could be read as the condition.
            least = _SUM if fence == _FENCES["M!S"] else _RELATION
            return f"{fence[0]}{_write_elements(parts, least)}{fence[1]}", _ATOM
        # Operators with a notation of their own come before those that only have a symbol.
        special = self.write_special(node, parts)
        if special is not None:
            return special
        if label == "O!text":
            return rf"\text{{{' '.join(child.label[2:] for child in node.children)}}}", _ATOM
        if label == "U!times":
            return _write_product(node, parts)
        symbol, role, applied = self.split_node(node)
        return _write_application(symbol, role, self.write_nodes(applied), node)

    def write_special(self, node: OperatorTree, parts: list[WrittenLatex]) -> WrittenLatex | None:
        label = node.label
        texts = [text for text, _ in parts]
        if label == "O!cases":
            rows = r" \\ ".join(" & ".join(texts[at : at + 2]) for at in range(0, len(texts), 2))
            return rf"\begin{{cases}}{rows}\end{{cases}}", _ATOM
        # From here on, the number of operands decides.
        symbol, role = _operator_symbol(label)
        if role == PieceRole.INTEGRAL and len(parts) == 3:
            limits = "".join(f"{mark}{{{text}}}" for mark, text in zip("_^", texts[1:], strict=True) if text)
            return f"{symbol}{limits} {_write_integrand(node.children[0], parts[0])}", _FACTOR
        if len(parts) == 1:
            if label == "O!differential-d":
                return f"d {_write_bound(parts[0], _CALL)}", _CALL
            command = r"\not" if label == "O!not" else _prefix_commands().get(label)
            return None if command is None else (f"{command}{{{texts[0]}}}", _ATOM)
        if len(parts) != 2:
            return None
        if label in stacked_commands():
            command, kind = stacked_commands()[label]
            above, below = texts
            written = (
                f"{{{above} {command} {below}}}" if kind == "infix" else f"{command}{{{above}}}{{{below}}}"
            )
            return written, _ATOM if label == "O!binomial" else _CALL
        if label == "O!root":
            # A degree with "]" would end the optional argument of \sqrt, hence the braces.
            degree = f"{{{texts[1]}}}" if "]" in texts[1] else texts[1]
            return rf"\sqrt{'' if degree == '2' else f'[{degree}]'}{{{texts[0]}}}", _ATOM
        if label == "O!form-seq":
            return f"{texts[0]}{',' if self.splits_formulas(node) else ' .'} {texts[1]}", _FORMULAS
        if label == "O!conditional":
            # "|" also stands for absolute values, so a side with commas uses \mid.
            if any(binds == _FORMULAS for _, binds in parts):
                return r" \mid ".join(map(_write_side, parts)), _RELATION
            return " | ".join(_write_bound(part, _SUM) for part in parts), _CONDITION
        if label == "O!annotated":
            return f"{_write_bound(parts[0], _SUM)} {texts[1]}", _CONDITION
        if label == "O!conditional-set":
            element = texts[0] if parts[0][1] == _RELATION else _write_bound(parts[0], _SUM)
            return rf"\{{{element} : {texts[1]}\}}", _ATOM
        return None

    # Operators

    def split_node(self, node: OperatorTree) -> tuple[str, str, Sequence[OperatorTree]]:
        scripted = node.label.startswith("+!")
        operands = node.children[1:] if scripted else node.children
        carrier, scripts = self.split_spine(node.children[0]) if scripted else (node, [])
        symbol, role = _operator_symbol(carrier.label, len(operands))
        return (
            (symbol or _write_leaf(f"V!{carrier.label[2:]}")[0]).rstrip() + "".join(scripts),
            role,
            operands,
        )

    def split_spine(self, node: OperatorTree) -> tuple[OperatorTree, list[str]]:
        scripts: list[str] = []
        while node.label in _SCRIPTS and len(node.children) == 2:
            scripts.append(self.write_script(node))
            node = node.children[0]
        return node, scripts[::-1]

    def write_script(self, node: OperatorTree) -> str:
        script = node.children[1]
        primes = script.label[2:]
        if node.label == "O!SUP" and primes and not primes.strip("′") and not script.children:
            return "'" * len(primes)
        return f"{_SCRIPTS[node.label]}{{{self.done[id(script)][0].rstrip()}}}"

    def write_scripted(self, node: OperatorTree) -> WrittenLatex:
        carrier, scripts = self.split_spine(node.children[0])
        script = self.write_script(node)
        symbol, role = _operator_symbol(carrier.label, 1)
        if symbol and not carrier.children and carrier.label not in _command_names():
            if role in _NAMED:
                return symbol + "".join(scripts) + script, _SIGN
            return f"({symbol}){''.join(scripts)}{script}", _ATOM
        text, binds = self.done[id(node.children[0])]
        # What has an index or a prime may have a power; TeX takes no second one of a kind.
        marks = {one[0] for one in scripts}
        twice = script[0] in marks or (script[0] == "'" and "^" in marks)
        base = f"({text})" if twice or binds < _ATOM else text or "{}"
        return f"{base.rstrip()}{script}", _ATOM

    def write_chain(self, node: OperatorTree) -> str:
        """Return `a < b < c`, where each relation goes on from the one before it; else nothing."""
        if len(node.children) == 1:
            return ""
        written = last = ""
        for at, child in enumerate(node.children):
            symbol, role, operands = self.split_node(child)
            sides = [_write_side(part) for part in self.write_nodes(operands)]
            goes_on = at > 0 and (len(sides) == 1 or str(operands[:1]) == last)
            if (
                role != PieceRole.RELATION
                or (at and not goes_on)
                or not len(sides) + at >= 2 >= len(sides) > 0
            ):
                return ""
            written += f" {symbol} {sides[-1]}" if goes_on else f" {symbol} ".join(sides)
            last = str(operands[-1:])
        return written

    def splits_formulas(self, node: OperatorTree) -> bool:
        """Return whether a comma between two formulas makes no list of what stands beside it."""
        first, second = node.children
        if second.label == "O!form-seq" and second.children:
            second = second.children[0]
        if not (self.is_relation(first) and self.is_relation(second)):
            return False
        while second.children and second.label == "U!and":
            second = second.children[0]
        return not self.split_node(second)[2][0].label.startswith("M!L-")

    def is_relation(self, node: OperatorTree) -> bool:
        if not node.children or node.label == "O!conditional":
            return False
        if node.label == "U!and":
            return bool(self.write_chain(node))
        _, role, operands = self.split_node(node)
        return role == PieceRole.RELATION and len(operands) == 2

    # Groups and errors

    def write_grouped(self, node: OperatorTree) -> WrittenLatex:
        parts = self.write_nodes(node.children)
        kind = node.label[2]
        if kind == "L":
            return ", ".join(_write_bound(part, _CONDITION) for part in parts), _FORMULAS
        if kind == "R":
            return " & ".join(text for text, _ in parts), _FORMULAS
        rows = r" \\ ".join(text for text, _ in parts)
        opening = _ENVIRONMENT.match(self.source, node.span[0]) if node.span is not None else None
        if opening is None or opening["name"] in ("{cases}", "{dcases}", "{rcases}"):
            return rf"\begin{{matrix}}{rows}\end{{matrix}}", _ATOM
        columns = opening["columns"] or "" if opening["name"] in _SIZED else ""
        return rf"\begin{opening['name']}{columns}{rows}\end{opening['name']}", _ATOM

    def write_error(self, node: OperatorTree) -> str:
        if node.span is not None and self.source:
            return self.source[slice(*node.span)]
        if not node.children:
            return rf"\text{{{node.label[2:]}}}"
        return " ".join(filter(None, (self.write_fragment(child) for child in node.children)))

    def write_fragment(self, node: OperatorTree) -> str:
        kind, name = node.label[:2], node.label[2:]
        if node.label == "O!fragments":
            return ""
        if kind in ("T!", "-!") and not node.children:
            letters = name if kind == "T!" else [name]
            return " ".join(_write_leaf(f"V!{letter}")[0].strip() for letter in letters)
        return self.done[id(node)][0].strip() or _TEXT


def _write_leaf(label: str) -> WrittenLatex:
    name = _BARE.get(label[2:], label[2:])
    if label.startswith("W!"):
        return "", _ATOM
    if label.startswith("T!"):
        return rf"\text{{{name}}}", _ATOM
    if (command := _command_names().get(label)) is not None:
        return f"{command} ", _ATOM
    symbol = _operator_symbol(label)[0]
    if symbol:
        return f"{symbol} ", _SIGN
    if _COMMAND.fullmatch(name):
        return f"{name} ", _ATOM
    if len(name) == 1 and (font := split_alphabet(name)):
        return rf"\{ALPHABETS[font[0]][1][0]}{{{font[1]}}}", _ATOM
    # A negative number binds like a sum: as an operand it needs brackets.
    if label.startswith("N!") or len(name) == 1:
        return _SPECIAL.get(name, name), _SUM if name.startswith("-") and len(name) > 1 else _ATOM
    return rf"\operatorname{{{name}}}", _ATOM


def _write_application(
    symbol: str, role: str, parts: Sequence[WrittenLatex], node: OperatorTree
) -> WrittenLatex:
    level = _LEVELS.get(role, _CALL)
    # The weakest operators come first; each operand gets the brackets that its level needs.
    if level == _RELATION:
        ends = [_write_side(part) for part in parts]
        if role == PieceRole.COLON:
            pairs = zip(parts, ends, strict=True)
            ends = [text if binds >= _FORMULAS else end for (text, binds), end in pairs]
        return (f" {symbol} ".join(ends) if len(parts) > 1 else f"{symbol} {ends[0]}"), level
    if role == PieceRole.MODIFIER and len(parts) > 1:
        return f" {symbol} ".join(_write_bound(part, _TERM) for part in parts), level
    if role == PieceRole.ADD:
        terms = [_write_bound(part, _TERM) for part in parts]
        # A single term is a sign in front, as in -x.
        if len(terms) == 1:
            return f"{symbol}{'' if symbol in '+-' else ' '}{terms[0]}", level
        terms[0] = _write_body(node.children[-len(parts)], parts[0])
        return f" {symbol} ".join(terms), level
    if role == PieceRole.MULTIPLY and len(parts) > 1:
        # Every factor but the last needs brackets if it would take the factors after it into itself.
        factors = [*(_write_bound(one, _CALL) for one in parts[:-1]), _write_bound(parts[-1], _FACTOR)]
        return f" {symbol} ".join(factors), level
    if role == PieceRole.POSTFIX and len(parts) == 1:
        return f"{_write_bound(parts[0], _ATOM)}{symbol}", level
    if role == PieceRole.OPERATOR and len(parts) == 1:
        return f"{symbol} {_write_bound(parts[0], _FACTOR)}", min(_CALL, max(parts[0][1], _FACTOR))
    if role in BODIES and len(parts) == 1 and node.label not in _CALLED:
        write = _write_integrand if role == PieceRole.INTEGRAL else _write_body
        return f"{symbol} {write(node.children[-1], parts[0])}", level
    # An operator of the form "F!★" without a role has only its sign, and is set as a binary operator.
    sign = node.label.rpartition("!")[2]
    if not role and len(parts) == 2 and len(sign) == 1 and not sign.isalnum():
        left, right = _write_bound(parts[0], _CALL), _write_bound(parts[1], _FACTOR)
        return rf"{left} \mathbin{{{symbol.strip()}}} {right}", _TERM
    if not role and _COMMAND.fullmatch(symbol):
        return symbol + "".join(f"{{{text}}}" for text, _ in parts), _ATOM
    if role not in (*_NAMED, PieceRole.OPERATOR, ""):
        symbol = rf"\operatorname{{{node.label.rpartition('!')[2]}}}"
    # Anything else is set as a function with its operands in brackets.
    return f"{symbol}({_write_elements(parts)})", _CALL


def _write_product(node: OperatorTree, parts: Sequence[WrittenLatex]) -> WrittenLatex:
    """Factors side by side, or with a sign between them where that would be read as something else."""
    texts = [*(_write_bound(part, _CALL) for part in parts[:-1]), _write_bound(parts[-1], _FACTOR)]
    numbers = any(text[:1].isdigit() or text[:1] == "." for text in texts[1:])
    mixed = node.children[0].label.startswith("N!") and node.children[1:2] and texts[1].startswith(r"\frac")
    return (r" \times " if numbers or mixed else " ").join(text.rstrip() for text in texts), _TERM


def _write_body(node: OperatorTree, part: WrittenLatex) -> str:
    return part[0] if part[1] == _SUM and len(node.children) == 1 else _write_bound(part, _TERM)


def _write_integrand(node: OperatorTree, part: WrittenLatex) -> str:
    """Return what stands under an integral; a letter d that is no differential stands in brackets."""
    product = node.children[0] if part[1] == _SUM and len(node.children) == 1 else node
    letter = product.label == "U!times" and any(child.label == "V!d" for child in product.children[:-1])
    return f"({part[0]})" if letter else _write_body(node, part)


def _write_bound(part: WrittenLatex, level: int) -> str:
    text, binds = part
    return text or _TEXT if binds >= level else f"({text})"


def _write_side(part: WrittenLatex) -> str:
    text, binds = part
    return text or _TEXT if binds == _FORMULAS else _write_bound(part, _CONDITION)


def _write_elements(parts: Sequence[WrittenLatex], least: int = _RELATION) -> str:
    """Return the things in brackets; a bar that is alone there is no absolute value."""
    bars = len(parts) > 1
    return ", ".join(
        text
        if binds == _SIGN
        else _write_bound((text, _SIGN if bars and binds == _CONDITION else binds), least)
        for text, binds in parts
    )
