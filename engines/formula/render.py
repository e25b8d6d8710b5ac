r"""Operator trees as LaTeX.

What is written is read again as the same tree, up to the order of operands of commutative operators, except
where a tree has no LaTeX: error nodes, text, and operands that the published conventions have lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from engines.formula.operator_tree import OperatorTree
from engines.formula.operators import Role, negated, roles
from engines.formula.symbols import symbols

__all__ = ["latex"]

_FORMULAS, _RELATION, _CONDITION, _SUM, _TERM, _FACTOR, _ATOM = range(7)
_LEVELS = {
    Role.RELATION: _RELATION,
    Role.COLON: _RELATION,
    Role.MODIFIER: _CONDITION,
    Role.ADD: _SUM,
    Role.MULTIPLY: _TERM,
    Role.FUNCTION: _FACTOR,
    Role.BIG: _FACTOR,
    Role.INTEGRAL: _FACTOR,
    Role.LIMIT: _FACTOR,
    Role.OPERATOR: _FACTOR,
}
_FENCES = {
    "F!abs": (r"\left|", r"\right|"),
    "O!norm": (r"\left\|", r"\right\|"),
    "F!floor": (r"\lfloor ", r"\rfloor "),
    "F!ceiling": (r"\lceil ", r"\rceil "),
    "M!D-lsqb;&rsqb;": ("[", "]"),
}
_INTERVALS = {"O-O": ("(", ")"), "C-C": ("[", "]"), "O-C": ("(", "]"), "C-O": ("[", ")")}
_BARE = {"&lsqb;": "[", "&rsqb;": "]", "&comma;": ",", "&quest;": "?", "&semi;": ";"}
Written = tuple[str, int]
"""LaTeX and how tightly it binds."""


@cache
def _operators() -> Mapping[str, tuple[str, str]]:
    """The first symbol of each operator, with its role, by label."""
    found: dict[str, tuple[str, str]] = {}
    for symbol, known in roles().items():
        if known.role in _LEVELS or known.role == Role.POSTFIX:
            found.setdefault(known.operator.label, (symbol, known.role))
            found.setdefault(known.alone.label, (symbol, known.role))
    for symbol, known in roles().items():
        if (denied := negated(known)) is not None:
            found.setdefault(denied.operator.label, (rf"\not{symbol}", known.role))
    return found


@cache
def _letters() -> Mapping[str, str]:
    """The command of each character that has one, and of each atom."""
    found: dict[str, str] = {}
    for name, known in roles().items():
        text = known.alone.label[2:]
        if known.role in ("atom", "unknown") and (not text.isascii() or len(text) > 1 or text == "&"):
            found.setdefault(text, name)
    for name, symbol in symbols().items():
        if len(symbol.unicode) == 1 and symbol.group == "greek" and name not in roles():
            found.setdefault(symbol.unicode, name)
    return found


def latex(tree: OperatorTree) -> str:
    r"""The LaTeX of a tree.

    >>> latex(OperatorTree("O!SUP", (OperatorTree("V!x"), OperatorTree("N!2"))))
    'x^{2}'
    """
    done: dict[int, Written] = {}
    for node in reversed(list(tree.walk())):
        done[id(node)] = _written(node, [done[id(child)] for child in node.children])
    return done[id(tree)][0].strip()


def _written(node: OperatorTree, parts: list[Written]) -> Written:
    label = node.label
    texts = [text for text, _ in parts]
    if not parts:
        return _leaf(label)
    if label in ("O!SUP", "O!SUB") and len(parts) == 2:
        script = node.children[1].label
        if label == "O!SUP" and script[2:] and not script[2:].strip("′"):
            return f"{_bound(parts[0], _ATOM).rstrip()}{chr(39) * len(script[2:])}", _ATOM
        inner = node.children[0]
        # What has an index may have a power; of other two scripts the first is in brackets, but of operators.
        twice = (
            inner.label in ("O!SUP", "O!SUB")
            and (label, inner.label) != ("O!SUP", "O!SUB")
            and not texts[0].endswith("'")
            and inner.children[0].label not in _operators()
        )
        base = _bound(parts[0], _ATOM) if not twice else f"({texts[0]})"
        if not node.children[0].children and node.children[0].label in _operators():
            base = texts[0]
        return f"{base.rstrip()}{'^' if label == 'O!SUP' else '_'}{{{texts[1]}}}", _ATOM
    if label.startswith("+!"):
        return _applied(texts[0], _role_of(node.children[0]), parts[1:])
    if label in _FENCES and len(parts) == 1:
        left, right = _FENCES[label]
        return f"{left}{texts[0]}{right}", _ATOM
    if label.startswith("O!interval("):
        left, right = _INTERVALS.get(label[11:14], ("(", ")"))
        return f"{left}{', '.join(texts)}{right}", _ATOM
    if label.startswith("M!"):
        return _grouped(label, texts)
    plain = {
        "O!divide": lambda: (rf"\frac{{{texts[0]}}}{{{texts[1]}}}", _ATOM),
        "O!continued-fraction": lambda: (rf"\cfrac{{{texts[0]}}}{{{texts[1]}}}", _ATOM),
        "O!binomial": lambda: (rf"\binom{{{texts[0]}}}{{{texts[1]}}}", _ATOM),
        "O!root": lambda: (_root(texts), _ATOM),
        "O!form-seq": lambda: (", ".join(texts), _FORMULAS),
        "O!differential-d": lambda: (f"d {_bound(parts[0], _ATOM)}", _ATOM),
        "O!conditional": lambda: (" | ".join(_bound(part, _SUM) for part in parts), _CONDITION),
        "O!conditional-set": lambda: (rf"\{{{texts[0]} : {texts[1]}\}}", _ATOM),
    }
    if label in plain and len(parts) == (1 if label == "O!differential-d" else 2):
        return plain[label]()
    symbol, role = _operators().get(label, ("", ""))
    if role == Role.POSTFIX:
        return f"{_bound(parts[0], _ATOM)}{symbol}", _ATOM
    if not role:
        accents = [name for name, known in roles().items() if known[:2] == ("accent", OperatorTree(label))]
        if accents:
            return f"{accents[0]}{{{texts[0]}}}", _ATOM
        return rf"\operatorname{{{label[2:]}}}({', '.join(texts)})", _FACTOR
    return _applied(symbol, role, parts, implicit=label == "U!times")


def _leaf(label: str) -> Written:
    name = _BARE.get(label[2:], label[2:])
    known = _operators().get(label)
    if known is not None:
        return f"{known[0]} ", _RELATION
    if label.startswith("W!"):
        return "{}", _ATOM
    if label.startswith(("T!", "E!")):
        return rf"\text{{{name}}}", _ATOM
    if name in _letters():
        return f"{_letters()[name]} ", _ATOM
    return (
        name if len(name) == 1 or name.isdigit() or label.startswith("N!") else rf"\operatorname{{{name}}}"
    ), _ATOM


def _role_of(node: OperatorTree) -> str:
    while node.children:
        node = node.children[0]
    return _operators().get(node.label, ("", Role.FUNCTION))[1]


def _applied(symbol: str, role: str, parts: list[Written], *, implicit: bool = False) -> Written:
    level = _LEVELS.get(role, _FACTOR)
    texts = [text for text, _ in parts]
    if role == Role.FUNCTION or (role == Role.LIMIT and len(parts) > 1):
        return f"{symbol}({', '.join(texts)})", _ATOM
    if level == _FACTOR:
        body = _bound(parts[0], _FACTOR if role == Role.OPERATOR else _TERM)
        return f"{symbol} {body}", _FACTOR
    # What stands beside a relation may be a list, and behind a colon a formula.
    inner = level + 1
    if level == _RELATION:
        ends = [text if binds == _FORMULAS else _bound((text, binds), inner) for text, binds in parts]
        if role == Role.COLON:
            ends[1:] = texts[1:]
        return (f" {symbol} ".join(ends) if len(parts) > 1 else f"{symbol} {ends[0]}"), level
    if len(parts) == 1:
        return f"{symbol}{_bound(parts[0], inner)}", level
    # A large operator takes all that follows it in a product.
    *before, last = parts
    most = [_bound(part, _ATOM if level == _TERM else inner) for part in before]
    return (" " if implicit else f" {symbol} ").join([*most, _bound(last, inner)]), level


def _bound(part: Written, level: int) -> str:
    text, binds = part
    return text if binds >= level else f"({text})"


def _root(texts: list[str]) -> str:
    return rf"\sqrt{{{texts[0]}}}" if texts[1] == "2" else rf"\sqrt[{texts[1]}]{{{texts[0]}}}"


def _grouped(label: str, texts: list[str]) -> Written:
    kind = label[2:3]
    if kind == "R":
        return " & ".join(texts), _FORMULAS
    if kind == "M":
        rows = r" \\ ".join(texts)
        return rf"\begin{{matrix}}{rows}\end{{matrix}}", _ATOM
    if kind == "S":
        return rf"\{{{', '.join(texts)}\}}", _ATOM
    return (f"({', '.join(texts)})", _ATOM) if kind == "V" else (", ".join(texts), _FORMULAS)
