r"""What an answer is: a number or formula with its unit, words, a list, an interval, a matrix, a relation.

A form is found in the text by its brackets, commas and signs; what stands between them is a formula, which
`engines.formula` reads when the form is compared and it is no plain number.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from engines.core.errors import EngineError
from engines.core.tree import Tree
from engines.formula.brackets import are_braces_balanced, find_closing, is_closed_at_end, split_outside
from engines.formula.cursor import UnreadError
from engines.formula.notations import latex_of_plain
from engines.formula.statements import Statement, read_statement
from engines.grading.families import cases_of, family_of
from engines.grading.numbers import Term, in_words, names_unit, plain_number, read_quantity, read_unit
from engines.language.numerals import split_chinese
from engines.mathematics.judging.names import TURNED, WRITTEN, free_variables
from engines.mathematics.terms.notation import to_latex

LONGEST = 4_000
"""A longer answer is not read."""
_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class WordsForm:
    """An answer in words, or the letter of a choice."""

    text: str


@dataclass(frozen=True, slots=True)
class Many:
    """Several answers. A `list` is what a solution gives with commas, a `set` has braces, a `tuple` an order;
    a `ratio` is as 1:2."""

    kind: Literal["list", "set", "tuple", "ratio"]
    items: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class IntervalForm:
    """An interval; `closed` says which ends belong to it."""

    low: Form
    high: Form
    closed: tuple[bool, bool]


@dataclass(frozen=True, slots=True)
class Union:
    """What belongs to any of several sets."""

    parts: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Without:
    """A set of the line without another."""

    whole: Form
    taken: Form


@dataclass(frozen=True, slots=True)
class Matrix:
    """A matrix, by rows."""

    rows: tuple[tuple[Form, ...], ...]


@dataclass(frozen=True, slots=True)
class Named:
    """What is said of a name: `x = 5`, `f(x) = 2x`, `x \\in [0, 1]`."""

    name: str
    value: Form


@dataclass(frozen=True, slots=True)
class RelationForm:
    """Formulas with signs between them, such as `2x + y = 1` and `0 < x < 1`."""

    members: tuple[str, ...]
    signs: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class UnreadForm:
    """What cannot be read, and why. It equals nothing: not even another for the same reason."""

    reason: str


Form = (
    Term
    | WordsForm
    | Many
    | IntervalForm
    | Union
    | Without
    | Matrix
    | Named
    | RelationForm
    | Statement
    | UnreadForm
)
REALS = IntervalForm(Term("-\\infty"), Term("\\infty"), (False, False))
EMPTY = Many("set", ())


@lru_cache(maxsize=4096)
def read_form(text: str) -> Form:
    r"""The form of an answer.

    >>> read_form("1{,}024").value, type(read_form("[0, 2)")).__name__
    (Fraction(1024, 1), 'IntervalForm')
    """
    if len(text) > LONGEST:
        return UnreadForm(f"an answer of {len(text):,} characters, and at most {LONGEST:,} are read")
    plain = normalise_text(text)
    if not plain:
        return UnreadForm("the answer is empty")
    if not are_braces_balanced(plain):
        return UnreadForm("its brackets do not match")
    return _read_whole(text) or _read_at_depth(plain, 0)


def _read_whole(text: str) -> Form | None:
    """What a text with connectives, quantifiers, cases, conditions or operations on sets says as a
    whole; None for other texts, and for those that the reader does not read."""
    if not (_LOGIC.search(text) or (_BUILDER.search(text) and "{" in text)):
        return None
    statement = read_statement(text)
    if not isinstance(statement, Statement):
        return None
    tree, kind = statement.tree, statement.kind
    if statement.connective in ("and", "or") and (named := _read_assignments(tree)) is not None:
        return named
    if kind in ("system", "compound", "quantified", "cases") or family_of(tree) or cases_of(tree):
        return statement
    if kind in ("union", "set", "relation") and {"intersection", "such"} & {*tree.list_labels()}:
        return statement
    letters = kind == "union" and any(one in free_variables(tree) for one in "ABCDEFGHMNPSTUVXY")
    return statement if letters else None


_LOGIC = re.compile(
    r"\\(?:land|lor|wedge|vee|neg|lnot|implies|iff|forall|exists|nexists|cap|cup|setminus|mid|to|rightarrow"
    r"|(?:Long)?(?:left)?[Rr]ightarrow|(?:Long)?Leftrightarrow|mathbb\s*\{?[ZN]|begin\{(?:d?cases|array))(?![a-z])"
    r"|[∧∨¬∀∃⇒⇔∩∪→ℤℕ]|\b(?:or|integers?|for\s+(?:all|some|every|each|any))\b|\band\b"
)
"""Words and signs with which a text may say something that is no single value, list or relation."""
_BUILDER = re.compile(r":|\||\\mid(?![a-z])")


def _read_assignments(tree: Tree) -> Form | None:
    """Equations that hold together, each of a name and its value, as what is said of each name; those of one
    name of which one holds as its values."""
    items: list[Form] = []
    names = {part.children[0] if part.label == "=" else part for part in tree.children}
    if any(name.children for name in names) or (tree.label == "or" and len(names) > 1):
        return None
    for part in tree.children:
        try:
            value = read_form(to_latex(part.children[1]))
        except (KeyError, IndexError, EngineError):
            return None
        items.append(Named(part.children[0].label, value))
    return _make_list(items)


def normalise_text(text: str) -> str:
    r"""The text without what only changes how it looks: sizes, spaces, dollar signs, commas of thousands.

    >>> normalise_text(r"$\left(\dfrac{1}{2},\ 32{,}349\right)$.")
    '(\\frac{1}{2}, 32349)'
    """
    if _PLAIN_INTEGER.fullmatch(text):
        return text
    text = _THOUSANDS_MARKED.sub("", text)
    if "\\" not in text and "{" not in text and _FUNCTION.search(text):
        with contextlib.suppress(UnreadError):  # too deep: so it stays for whoever reads it
            text = latex_of_plain(text)
    text = text.translate(_UNICODE)
    text = _LAYOUT.sub("", text)
    text = _SPACES.sub(" ", text)
    text = _FRAC.sub(r"\\frac", text)
    text = _replace_commands(text)
    text = text.replace("\\$", "＄").replace("\\%", "%").replace("^{\\circ}", "°").replace("^\\circ", "°")
    text = _DEGREES.sub(r"°\1\2", text) if "°" in text else text
    text = _DOTTED.sub(r"\1\\overline{\2\3\4}", text) if "\\dot" in text else text
    text = re.sub(r"\$(?=\s?\d[\d,. ]*$)(?<!\d\$)|(?<=\d)\$$", "＄", text) if text.count("$") == 1 else text
    text = text.replace("$", " ").replace("＄", "$")
    text = _AND.sub(", ", text)
    text = _LIST_COMMA.sub(", ", text)
    return text.strip().rstrip(".;:,").strip()


_DEGREES = re.compile(
    r"(?:\{\}|\\[,;: ]|\s)*°\s*(?:\\(?:text|mathrm|textrm|mbox|rm)\s*\{?\s*([CF])\s*\}?|([CF])(?![A-Za-z]))"
)
_DOTTED = re.compile(r"(\d*\.\d*)\\dot\s*\{?(\d)\}?(?:(\d*)\\dot\s*\{?(\d)\}?)?")


def _replace_commands(text: str) -> str:
    r"""Functions of programming languages as LaTeX: `sqrt(2)`, `2*pi`, `x**2`.

    >>> print(_replace_commands("2*sqrt(x+1)**2/pi"))
    2*\sqrt{x+1}^2/\pi
    """
    text = text.replace("**", "^")
    text = _FUNCTION.sub(r"\\\1 ", text)
    while match := _ROOT_CALL.search(text):
        end = find_closing(text, match.end() - 1)
        if end < 0:
            break
        inside = text[match.end() : end].strip()
        text = f"{text[: match.start()]}\\sqrt{{{inside}}}{text[end + 1 :]}"
    return text.strip()


_FUNCTION = re.compile(
    r"(?<![\\A-Za-z{])(sqrt|pi|infty|sin|cos|tan|sec|csc|cot|ln|log|exp|arcsin|arccos|arctan)(?![A-Za-z])"
)
_ROOT_CALL = re.compile(r"\\sqrt\s*\(")
_PLAIN_INTEGER = re.compile(r"-?\d+")
_THOUSANDS_MARKED = re.compile(
    r"(?<=\d)(?:\{,\}|,\s*\\!|\\!\s*,|\\,|[\u00a0\u202f\u2009'’])\s*(?=\d{3}(?!\d))"
)
_UNICODE = str.maketrans(
    {
        "−": "-",
        "–": "-",
        "≤": "\\le ",
        "≥": "\\ge ",
        "≠": "\\ne ",
        "∈": "\\in ",
        "∪": "\\cup ",
        "∞": "\\infty ",
        "π": "\\pi ",
        "√": "\\sqrt ",
        "×": "\\times ",
        "·": "\\cdot ",
        "±": "\\pm ",
        "≈": "\\approx ",
        "∅": "\\emptyset ",
        "ℝ": "\\mathbb{R}",
        "½": "\\frac{1}{2}",
        "¼": "\\frac{1}{4}",
        "¾": "\\frac{3}{4}",
        "⁄": "/",
        "⋅": "\\cdot ",
        "θ": "\\theta ",
        "\u00a0": " ",
        "，": ",",
        "\n": " ",
        "\t": " ",
    }
)
_LAYOUT = re.compile(
    r"\\(?:left|right|[bB]igg?[lrm]?|displaystyle|textstyle|limits|mathstrut|hphantom\{[^{}]*\}|phantom\{[^{}]*\})(?![a-z])"
    r"|\\!"
)
_SPACES = re.compile(r"(?<!\\)\\(?:[,;: ]|q?quad(?![a-z]))|\\quad|~|\s{2,}")
_FRAC = re.compile(r"\\[dtc]frac")
_AND = re.compile(
    r",?\s*(?:\\(?:text|mbox|textrm|mathrm)\{\s*,?\s*(?:and|or)\s*\}|\\(?:land|lor|vee|wedge)(?![a-z])"
    r"|(?<![a-zA-Z\\])(?:and|or)(?![a-zA-Z]))\s*"
)
_LIST_COMMA = re.compile(r"\s*,\s+(?:,\s*)+")


_COMMA, _SEMICOLON = re.compile(","), re.compile(";")
_SIGN = re.compile(
    r"\\(?:leqslant|geqslant|leq?|geq?|neq?|lt|gt|in|approx|implies|Rightarrow|Longrightarrow|to)(?![a-z])"
    r"|\\not\s*=|:=|<=|>=|!=|==|=|<|>"
)
_SIGNS = {**WRITTEN, "\\in": "in", ":=": "=", "==": "="}
_CUP = re.compile(r"\\cup(?![a-z])")
_MINUS = re.compile(r"\s*(?:\\(?:setminus|smallsetminus|backslash)(?![a-z])|(?<=[})\]R])\s*-(?=\s*\\\{))\s*")
_UNEQUAL = re.compile(r"([^=<>]+?)\s*(?:\\neq?(?![a-z])|\\not\s*=|!=)\s*")
_PM = re.compile(r"\\(pm|mp)(?![a-z])")
_COLON = re.compile(r":|(?<=\d) to (?=\d)")


def _read_at_depth(text: str, depth: int) -> Form:
    if depth > _DEEPEST:
        return UnreadForm("it is nested too deeply")
    text = text.strip()
    if not text:
        return UnreadForm("a part of the answer is empty")
    number = plain_number(text)
    if number is not None:
        return number
    if text[0].isdigit() and (several := read_quantity(_TEXT.sub(r"\1", text).strip())) is not None:
        return several
    special = _read_special(text)
    if special is not None:
        return special
    parts, _ = split_outside(text, _SEMICOLON)
    if len(parts) > 1:
        groups = [_read_at_depth(part, depth + 1) for part in parts if part]
        # several named values between semicolons belong together
        return _make_list(
            [
                replace(one, kind="tuple") if isinstance(one, Many) and one.kind == "list" else one
                for one in groups
            ]
        )
    parts, _ = split_outside(text, _COMMA)
    if len(parts) > 1:
        if _THOUSANDS.fullmatch(text):
            return _read_term(text.replace(",", ""))
        if _QUOTIENT.fullmatch(text):
            return _read_at_depth(text.replace(",", ""), depth)
        if _DECIMAL_COMMA.fullmatch(text):
            return _read_term(text.replace(",", "."))
        if match := _UNEQUAL.match(parts[0]):
            # What follows is excluded too.
            values = tuple(_read_at_depth(part, depth + 1) for part in (parts[0][match.end() :], *parts[1:]))
            if all(isinstance(value, Term) for value in values) and (name := single_name(match[1])):
                return Named(name, Without(REALS, Many("set", values)))
        return _make_list([_read_at_depth(part, depth + 1) for part in parts if part])
    parts, signs = split_outside(text, _SIGN)
    if signs:
        return _make_relation(parts, signs, depth)
    parts, _ = split_outside(text, _CUP)
    if len(parts) > 1:
        return Union(tuple(_read_at_depth(part, depth + 1) for part in parts))
    if "\\" in text and (match := _MINUS.search(text)):
        whole, taken = (
            _read_at_depth(text[: match.start()], depth + 1),
            _read_at_depth(text[match.end() :], depth + 1),
        )
        if isinstance(whole, IntervalForm | Union | Many | Without):
            return Without(whole, taken)
    enclosed = _read_enclosed(text, depth)
    if enclosed is not None:
        return enclosed
    if len(_PM.findall(text)) == 1:
        return Many("list", tuple(_read_at_depth(_PM.sub(sign, text), depth + 1) for sign in ("+", "-")))
    parts, _ = split_outside(text, _COLON)
    if len(parts) > 1 and all(parts):
        return _read_clock(text) or Many("ratio", tuple(_read_at_depth(part, depth + 1) for part in parts))
    return _read_term(text)


def _make_list(items: list[Form]) -> Form:
    """A list; a name goes on to the bare values after it, and lists in it are parts of it."""
    flat: list[Form] = []
    name = ""
    for item in items:
        name = item.name if isinstance(item, Named) else name
        inner = item.value if isinstance(item, Named) else item
        values = inner.items if isinstance(inner, Many) and inner.kind == "list" else (inner,)
        flat += [
            Named(name, value) if name and not isinstance(value, RelationForm) else value for value in values
        ]
    if len(flat) == 1:
        return flat[0]
    named = [item for item in flat if isinstance(item, Named)]
    if len(named) == len(flat) and len({_base_name(item.name) for item in named}) == 1:
        return Named(_base_name(named[0].name), Many("list", tuple(item.value for item in named)))
    return Many("list", tuple(flat))


def _base_name(name: str) -> str:
    """A name without its number: `x_1` and `x_2` are two values of x."""
    return re.sub(r"_\{?\d+\}?$", "", name)


_NAME = re.compile(
    r"(?:\\(?:mathrm|text|mathbf|mathit|operatorname|overline|angle|vec|hat|bar|mathcal)\s*\{?[A-Za-z ]+\}?"
    r"|\\(?:alpha|beta|gamma|delta|theta|phi|lambda|mu|omega|sigma|rho|tau|varphi|epsilon|Delta|Theta|ell)"
    r"|[A-Z]{1,4}|[A-Za-z])"
    r"(?:_(?:\w|\{\w+\}))?'*(?:\^\{-1\}|\^\{\(\w+\)\})?(?:\((?:[A-Za-z](?:,[A-Za-z])*|-?\d+)\))?"
)


def single_name(text: str) -> str:
    """The name that a text is, without spaces: `x`, `f(x)`, `AB`, `(p,q)`; "" for anything else."""
    text = text.replace(" ", "")
    if _NAME.fullmatch(text):
        return text.replace("{", "").replace("}", "")
    if text.startswith("(") and text.endswith(")"):
        parts = text[1:-1].split(",")
        return text if len(parts) > 1 and all(map(_NAME.fullmatch, parts)) else ""
    parts = text.split(":")
    return text if len(parts) > 1 and all(map(_NAME.fullmatch, parts)) else ""


def _make_relation(members: list[str], signs: list[str], depth: int) -> Form:
    marks = [_SIGNS.get(sign.replace(" ", ""), sign) for sign in signs]
    marks = ["!=" if mark.startswith("\\not") else mark for mark in marks]
    for number in range(len(marks) - 1, -1, -1):
        if marks[number] in ("\\implies", "\\Rightarrow", "\\Longrightarrow", "\\to"):
            # What follows is what is meant.
            members, marks = members[number + 1 :], marks[number + 1 :]
            break
    while len(marks) > 1 and marks[-1] == "approx":
        members, marks = members[:-1], marks[:-1]
    if not marks:
        return _read_at_depth(members[0], depth + 1)
    if not all(members):
        # `= 6` is 6; `> 6` says what a value is more than
        alone = bool(members[-1]) and not any(members[:-1])
        if alone and marks[-1] not in _ORDERS:
            return _read_at_depth(members[-1], depth + 1)
        bounded = _read_bound("x", marks[-1], members[-1], depth) if alone else None
        if isinstance(bounded, Named):
            return bounded.value
        return UnreadForm("one side of a relation is empty")
    first, last = members[0], members[-1]
    equal = all(mark in ("=", "approx") for mark in marks)
    if marks == ["approx"] and not single_name(first) and (exact := read_constant(first)) is not None:
        return exact  # of what is about another the exact side counts
    if equal or marks == ["in"]:
        if name := single_name(first):
            value = _read_at_depth(last, depth + 1)
            pair = value.items if isinstance(value, Many) and value.kind == "tuple" else ()
            if marks == ["in"] and len(pair) == 2 and not name.startswith("("):
                value = IntervalForm(pair[0], pair[1], (False, False))
            if marks != ["in"] or not isinstance(value, Term | WordsForm):
                return Named(name, value)
        if equal and len(members) == 2 and (name := single_name(last)):
            return Named(name, _read_at_depth(first, depth + 1))
        if equal and not _LETTER.search(_COMMANDS.sub("", first)):
            return _read_at_depth(last, depth + 1)  # a calculation and its result
    return _read_solution(members, marks, depth) or RelationForm(tuple(members), tuple(marks))


def read_constant(text: str) -> Term | None:
    """A number, or a term without letters; None for others."""
    found = plain_number(text)
    return found if found is not None else None if _LETTER.search(_COMMANDS.sub("", text)) else Term(text)


_LETTER = re.compile(r"[A-Za-z]")
_COMMANDS = re.compile(r"\\(?:text|mbox|mathrm)\{[^{}]*\}|\\[A-Za-z]+|(?<![A-Za-z])[ei](?![A-Za-z])")
_ORDERS = ("<", "<=", ">", ">=", "!=")
_LOW, _HIGH = Term("-\\infty"), Term("\\infty")


def _read_solution(members: list[str], marks: list[str], depth: int) -> Form | None:
    """Inequalities over a name alone as the set of its values: `0 < x \\le 1`, `x \\ne 3`, `1 < |x| < 2`."""
    if any(mark not in _ORDERS for mark in marks):
        return None
    if len(members) == 2:
        if not single_name(members[0]) and (single_name(members[1]) or _absolute_name(members[1])):
            members, marks = members[::-1], [TURNED[marks[0]]]
        return _read_bound(members[0], marks[0], members[1], depth)
    if len(members) != 3 or len({mark[0] for mark in marks}) > 1 or marks[0] == "!=":
        return None
    if marks[0][0] == ">":
        members, marks = members[::-1], [TURNED[mark] for mark in reversed(marks)]
    low, high = _read_at_depth(members[0], depth + 1), _read_at_depth(members[2], depth + 1)
    closed = (marks[0] == "<=", marks[1] == "<=")
    if name := single_name(members[1]):
        return Named(name, IntervalForm(low, high, closed))
    inside = _absolute_name(members[1])
    if inside and isinstance(low, Term) and low.value is not None and low.value >= 0:
        minus = [_read_at_depth(f"-({members[number]})", depth + 1) for number in (2, 0)]
        return Named(
            inside, Union((IntervalForm(minus[0], minus[1], closed[::-1]), IntervalForm(low, high, closed)))
        )
    return None


def _read_bound(left: str, mark: str, right: str, depth: int) -> Form | None:
    """`x <= 3`, `|x| > 1`: a name, or its absolute value, and one bound."""
    edge, closed = _read_at_depth(right, depth + 1), mark in ("<=", ">=")
    if inside := _absolute_name(left):
        if mark == "!=" or not isinstance(edge, Term) or edge.value is None or edge.value < 0:
            return None
        minus = _read_at_depth(f"-({right})", depth + 1)
        if mark[0] == "<":
            return Named(inside, IntervalForm(minus, edge, (closed, closed)))
        outside = (IntervalForm(_LOW, minus, (False, closed)), IntervalForm(edge, _HIGH, (closed, False)))
        return Named(inside, Union(outside))
    name = single_name(left)
    if not name or single_name(right):
        return None
    below, above = IntervalForm(_LOW, edge, (False, closed)), IntervalForm(edge, _HIGH, (closed, False))
    if mark == "!=":
        return Named(name, Union((below, above)))
    return Named(name, below if mark[0] == "<" else above)


def _absolute_name(text: str) -> str:
    match = re.fullmatch(r"(?:\||\\[lr]?vert)\s*(.+?)\s*(?:\||\\[lr]?vert)", text)
    return single_name(match[1]) if match else ""


_THOUSANDS = re.compile(
    r"[-+]?\s?[$€£]?\s?[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?![\d,])[^\d,;()=]*(?:\^\{?[23]\}?)?"
)
_QUOTIENT = re.compile(
    r"[-+]?(?:[1-9]\d{0,2}(?:,\d{3})+\s?/\s?(?:\d+|[1-9]\d{0,2}(?:,\d{3})+)|\d+\s?/\s?[1-9]\d{0,2}(?:,\d{3})+)"
)
_DECIMAL_COMMA = re.compile(r"[-+]?(?:0,\d{2,}|\d{4,},\d{1,2}|\d+,\d+\s?[€%]|€\s?\d+,\d+)")
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)\s*(?:\\text\{\s*)?([ap]\.?m\.?)?\}?", re.IGNORECASE)


def _read_clock(text: str) -> Form | None:
    match = _CLOCK.fullmatch(text)
    if not match or int(match[1]) > 24:
        return None
    half = (match[3] or "").lower().replace(".", "")
    return WordsForm(f"{int(match[1])}:{match[2]}{' ' + half if half else ''}")


def _read_enclosed(text: str, depth: int) -> Form | None:
    """A set, interval, tuple or matrix, or what stands in brackets; None where they enclose no whole."""
    if text.startswith("-") and text[1:].lstrip().startswith("["):
        return None
    matrix = _MATRIX.fullmatch(text)
    if matrix is not None and "\\begin" not in matrix[2]:
        rows = [row for row in re.split(r"\\\\|\\cr(?![a-z])", matrix[2]) if row.strip(" \\")]
        result = tuple(
            tuple(_read_at_depth(cell, depth + 1) for cell in row.rstrip(" \\").split("&")) for row in rows
        )
        return Matrix(result) if result else UnreadForm("the matrix is empty")
    for opening, closing, kind in _BRACKETS:
        around = text.startswith(opening) and text.endswith(closing) and len(text) >= len(opening + closing)
        turned = "]" in opening or closing == "["
        if not around or (text.count("[") + text.count("]") != 2 if turned else not is_closed_at_end(text)):
            continue
        inside = text[len(opening) : len(text) - len(closing)].strip()
        if not inside:
            return EMPTY if kind == "set" else None
        separator = _SEMICOLON if len(split_outside(inside, _SEMICOLON)[0]) > 1 else _COMMA
        parts, _ = split_outside(inside, separator)
        if kind == "set":
            if opening == "{" and len(parts) == 1:
                return _read_at_depth(inside, depth + 1)
            if len(split_outside(inside, _BUILDER)[0]) > 1:
                return UnreadForm("a set given by what holds of its members")
            members = _make_list([_read_at_depth(part, depth + 1) for part in parts])
            members = members.value if isinstance(members, Named) else members
            listed = members.items if isinstance(members, Many) and members.kind == "list" else (members,)
            if any(isinstance(one, Many) and one.kind == "set" for one in listed):
                return UnreadForm("a set of sets")
            if isinstance(members, Many) and members.kind == "list":
                return Many("set", members.items)
            return Many("set", (members,))
        if len(parts) == 1 and (opening, closing) == ("(", ")"):
            return _read_at_depth(inside, depth + 1)
        if opening + closing == "[]" and (listed_rows := _of_rows(parts, depth)) is not None:
            return listed_rows
        if len(parts) == 1:
            return None
        items = tuple(_read_at_depth(part, depth + 1) for part in parts)
        if kind == "tuple" or len(items) != 2:
            return Many("tuple", items)
        return IntervalForm(items[0], items[1], (opening == "[", closing == "]"))
    return None


def _of_rows(parts: list[str], depth: int) -> Matrix | None:
    """`[[1, 2], [3, 4]]`: rows in brackets, all as long as the first."""
    if not all(part.startswith("[") and part.endswith("]") and part.count("[") == 1 for part in parts):
        return None
    rows = [split_outside(part[1:-1], _COMMA)[0] for part in parts]
    if len({len(row) for row in rows}) > 1:
        return None
    return Matrix(tuple(tuple(_read_at_depth(cell, depth + 1) for cell in row) for row in rows))


_MATRIX = re.compile(
    r"\\begin\{([pbB]?(?:small)?matrix\*?|array)\}(?:\{[clr|]*\})?(.*)\\end\{\1\}", re.DOTALL
)
_BRACKETS = (
    ("\\{", "\\}", "set"),
    ("\\lbrace", "\\rbrace", "set"),
    ("{", "}", "set"),
    ("\\langle", "\\rangle", "tuple"),
    ("<", ">", "tuple"),
    ("(", ")", "tuple"),
    ("[", "]", "interval"),
    ("[", ")", "interval"),
    ("(", "]", "interval"),
    ("]", "[", "interval"),
    ("]", "]", "interval"),
    ("[", "[", "interval"),
)


_SPECIAL: dict[str, Form] = {
    "\\emptyset": EMPTY,
    "\\varnothing": EMPTY,
    "\\mathbb{R}": REALS,
    "\\mathbb R": REALS,
    "\\R": REALS,
    "\\Bbb{R}": REALS,
}


def _read_special(text: str) -> Form | None:
    known = _SPECIAL.get(text)
    if known is not None:
        return known
    whole = _TEXT.fullmatch(text)
    inside = whole[1].strip() if whole else text
    if re.fullmatch(r"(?:the )?(?:set of )?(?:all )?real(?:s| numbers)", inside, re.IGNORECASE):
        return REALS
    if re.fullmatch(
        r"(?:there (?:is|are) )?no (?:real )?solutions?|(?:the )?empty set|none exist", inside, re.IGNORECASE
    ):
        return EMPTY
    if match := re.fullmatch(r"([-+]?)\s*(?:infinity|inf)", inside, re.IGNORECASE):
        return Term(f"{match[1].replace('+', '')}\\infty")
    if re.fullmatch(r"DNE|does(?: not|n't) exist", inside):
        return WordsForm("does not exist")
    if _MONTH.search(inside) and "\\" not in inside:
        return WordsForm(inside)
    if (number := in_words(inside)) is not None:
        return number
    choice = _CHOICE.fullmatch(inside)
    if choice:
        letter = choice[1] or choice[2] or choice[3]
        return WordsForm(letter if whole else letter.upper())
    if whole:
        if _CLOCK.fullmatch(inside):
            return _read_clock(inside)
        if re.fullmatch(r"[-+\d.,/: ]+%?", inside) or re.fullmatch(r"[A-Z](?:, ?[A-Z])+", inside):
            return _read_at_depth(inside, 1)
        return WordsForm(inside)
    if _CLOCK.fullmatch(text):
        return _read_clock(text)
    if _WORDS.fullmatch(text) and not names_unit(text):
        return WordsForm(text)
    return None


_MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
)
_TEXT = re.compile(
    r"\\(?:text|textbf|textit|textrm|textnormal|mbox|mathrm|mathbf|operatorname)\s*\{([^{}\\]*)\}"
)
_CHOICE = re.compile(r"(?:option|choice|answer)?\s*\(([A-Ja-j])\)|(?:option|choice)\s+([A-J])|([A-J])[.)]")
_WORDS = re.compile(r"(?=.*[A-Za-z]{3})(?=.*[aeiouyAEIOUY])(?!.*\\)[A-Za-z][A-Za-z' ,.-]*")


def _read_term(text: str) -> Form:
    """A formula with its unit; words where there is no formula."""
    text = text.strip()
    number = plain_number(text) if text else None
    if number is not None:
        return number
    if found := _CURRENCY.fullmatch(text):
        inside = _read_term(f"{found[1]}{found[3]}".strip())
        if isinstance(inside, Term) and (inside.unit is None or inside.unit.measures_only("dollars")):
            return replace(inside, unit=inside.unit or read_unit(found[2]))
    if found := _UNIT.fullmatch(text) or _PLAIN_UNIT.fullmatch(text):
        words = " ".join(re.sub(r"\\[a-z]+\s*\{((?:[^{}]|\^\{-?\d\})*)\}", r"\1", found[2]).split())
        named = read_unit(words)
        inside = plain_number(found[1].strip()) or Term(found[1].strip())
        joined = text[: found.start(2)][-1:].isdigit() and found[2][:1].isalpha()
        if named is not None and inside.text and (named.known or not joined):
            if inside.value is None and _THOUSANDS.fullmatch(inside.text):
                inside = plain_number(inside.text.replace(",", "")) or inside
            return replace(inside, unit=named)
    if not text.isascii() and (
        found := _COUNTED.fullmatch(text) or _COUNTED.fullmatch(" ".join(_TEXT.sub(r"\1", text).split()))
    ):
        number, word = plain_number(found[1]), read_unit(found[2].removesuffix("です"))
        if number is not None:
            return replace(number, unit=word)
    numeral, counted = split_chinese(text)
    if numeral and len(counted) <= _CLASSIFIER and (number := in_words(numeral)) is not None:
        return replace(number, unit=read_unit(counted))
    words = _TEXT.sub(r"\1", text).strip()
    if words != text and _WORDS.fullmatch(words):
        return WordsForm(words)
    return Term(text)


_CLASSIFIER = 3
"""Characters of a word that is counted in Chinese."""
_COUNTED = re.compile(r"([-+\d./]+)\s?([\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff]+)")
_CURRENCY = re.compile(r"([-+]?)\s*(\$|€|£|¥|USD)\s*([-+]?[\d.].*)", re.DOTALL)
_WORD_UNIT = (
    r"(?:\\(?:text|mbox|textbf|textrm|textnormal|mathrm|operatorname)\s*"
    r"\{[^{}\\]*(?:\^\{-?\d\}[^{}\\]*)*\}\s*(?:\^\s*\{?[1-9]\}?)?"
    r"(?:\s*/\s*\\(?:text|mbox|mathrm)\s*\{[^{}\\]*\}\s*(?:\^\s*\{?[1-9]\}?)?)?)"
)
_UNIT = re.compile(rf"(.*?[\d}})a-z|])\s*({_WORD_UNIT}|°\s?[CF]?|(?<=\d)\s?\\Omega(?![a-z])|%|€|\$|£|¢)", re.DOTALL)
_PLAIN_UNIT = re.compile(
    r"([-+]?[$€£]?\s?[\d.,/ ]*\d)\s?((?:(?:square|sq\.?|cubic) )?"
    r"(?:[A-Za-z]{3,}|(?<= )(?:[mgshlLNJWKAVΩ](?![a-zA-Z])|(?:[kMGmµμnp](?:[NJWAVΩC]|Pa|Hz|mol)|Pa|Hz|mol|kWh)(?![a-zA-Z]))|[ckm]m|kg|ft|in|mi|m(?=[²³])|[ap]\.m\.?|[ap]m|€|%)[²³]?"
    r"(?:[ /-][A-Za-z.²³]+){0,4}(?:\s?\^\s?\{?[23]\}?)?)"
)


def read_vector(text: str) -> Many | None:
    """A vector in terms of the letters i, j and k, as a tuple; None for anything else.

    >>> [item.text for item in read_vector("2i - j").items]
    ['2', '-1']
    """
    if not {"i", "j"} < {*text} and not {"j", "k"} < {*text} and not {"i", "k"} < {*text}:
        return None
    statement = read_statement(text)
    along = _list_components(statement.tree) if isinstance(statement, Statement) else None
    if along is None:
        return None
    names = "ijk" if "k" in along else "ij"
    try:
        return Many("tuple", tuple(_read_at_depth(to_latex(along.get(name, Tree("0"))), 1) for name in names))
    except (KeyError, EngineError):
        return None


def _list_components(tree: Tree) -> dict[str, Tree] | None:
    """What stands before each of i, j and k in a sum; None where something else is in it."""
    label, parts = tree.label, tree.children
    if label.rstrip("_") in ("i", "j", "k") and not parts:
        return {label.rstrip("_"): Tree("1")}
    if (
        label == "*"
        and len(parts) == 2
        and free_variables(parts[0]) == set()
        and "i" not in parts[0].list_labels()
    ):
        inner = _list_components(parts[1])
        if inner is None or len(inner) != 1:
            return None
        return {name: _scale_component(parts[0], value) for name, value in inner.items()}
    if label not in ("+", "-") or len(parts) != 2:
        return None
    one, other = map(_list_components, parts)
    if one is None or other is None or one.keys() & other.keys():
        return None
    if label == "-":
        other = {name: _scale_component(Tree("-1"), value) for name, value in other.items()}
    return {**one, **other}


def _scale_component(factor: Tree, value: Tree) -> Tree:
    return factor if value == Tree("1") else Tree("*", (factor, value))


def by_basis(text: str) -> Many | None:
    r"""A vector in terms of **i**, **j** and **k**, as a tuple; None for anything else.

    >>> [item.text for item in by_basis(r"3\mathbf{i} - \hat{\mathbf j}").items]
    ['3', '-1']
    """
    plain = normalise_text(text)
    for _ in range(2):
        plain = _BASIS.sub(lambda found: f"⟨{found[1] or found[2]}⟩", plain)
    if "⟨" not in plain:
        return None
    parts, signs = split_outside(plain, _SIGNED)
    if parts and not parts[0]:
        parts = parts[1:]
    else:
        signs = ["+", *signs]
    values: dict[str, str] = {}
    for sign, part in zip(signs, parts, strict=True):
        found = _ALONG.fullmatch(part)
        if found is None or found[2] in values:
            return None
        values[found[2]] = f"{'-' if sign == '-' else ''}{found[1].strip() or '1'}"
    names = "ijk" if "k" in values else "ij"
    items = (
        _read_at_depth(values[name], 1) if name in values else Term("0", Fraction(0), 0) for name in names
    )
    return Many("tuple", tuple(items))


_BASIS = re.compile(
    r"\\(?:mathbf|boldsymbol|bm|hat|widehat|vec|overrightarrow|textbf)\s*"
    r"(?:\{\s*[\\⟨]?([ijk])(?:math)?⟩?\s*\}|\s*[\\⟨]?([ijk])(?:math)?(?![A-Za-z])⟩?)"
)
_SIGNED = re.compile(r"[-+]")
_ALONG = re.compile(r"([^⟨⟩]*)⟨([ijk])⟩")
