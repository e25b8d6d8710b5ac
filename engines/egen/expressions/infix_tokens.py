"""The tokens of infix notation, in all their spellings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NoReturn

from engines.core.errors import ExpressionError
from engines.core.tree import MAX_NODES
from engines.egen.expressions.language import (
    ALIASES,
    ARITY,
    CONSTANTS,
    FURTHER,
    VARIABLE,
    VARIABLES,
    check_length,
    operands,
    visible,
)

__all__ = ["CALLED", "Token", "fail", "tokens_of"]

_MAX_TOKENS = 4 * MAX_NODES
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SPELLINGS = {"**": "^", "−": "-", "–": "-", **dict.fromkeys("·×∙⋅∗", "*"), **dict.fromkeys("÷∕⁄", "/")}
CALLED: dict[str, tuple[str, int]] = {
    **{name: (name, count) for name, count in ARITY.items() if count and name.isalpha() and name != "d"},
    **{alias: (name, 1) for alias, name in ALIASES.items()},
    "exp": ("exp", 1),
    "cosec": ("csc", 1),
    "diff": ("diff", 2),
    **{name: (name, count) for name, count in FURTHER.items()},
}
"""Every name that takes arguments: what it stands for, and how many."""
_NAMES = sorted({*CALLED, VARIABLE, *CONSTANTS, "π"} - set(FURTHER), key=lambda name: (-len(name), name))
_MORE_NAMES = sorted({*_NAMES, *FURTHER}, key=lambda name: (-len(name), name))
"""Those of expressions with several variables."""

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    | (?P<scientific>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][-+]?[0-9]+)
    | (?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)
    | (?P<slope>d\s*/\s*dx(?![a-z]))
    | (?P<logarithm>log_(?P<base>[0-9]+(?:\.[0-9]+)?|e|pi|π|x|[a-z](?![a-z]))|log(?P<digits>10|2)(?![0-9]))
    | (?P<word>[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹]+)
    | (?P<superscript>⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
    | (?P<symbol>\*\*|[-+*/^()\[\]{}|,√−–·×∙⋅∗÷∕⁄])""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text; `position` counts characters, `spaced` says that white space comes before it,
    `base` is that of `log_2`."""

    kind: Literal["number", "leaf", "function", "symbol", "end"]
    text: str
    position: int
    spaced: bool = False
    base: str = ""


def fail(text: str, what: str, position: int, remedy: str = "") -> NoReturn:
    """Raise the ExpressionError for what stands at this character."""
    raise ExpressionError(
        f"{what} (character {position + 1})", text=visible(text), position=position, remedy=remedy
    )


def tokens_of(text: str, letters: str = "") -> list[Token]:
    """The tokens of the text, an `end` last.

    Args: letters: other variables than x. Raises: ExpressionError for what belongs to no token.
    """
    check_length(text)
    found: list[Token] = []
    at, spaced = 0, False
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            remedy = (
                "Give one expression, not an equation."
                if text[at] == "="
                else "Remove it; an expression has numbers, x, pi, e, functions, brackets and + - * / ^."
            )
            fail(text, f"{text[at]!r} is not part of an expression", at, remedy)
        kind, word, start = match.lastgroup, match.group(), at
        at = match.end()
        if kind == "space":
            spaced = True
            continue
        if kind == "scientific":
            remedy = "Write 3*10^5 for the number, or put spaces around what is to be added to e."
            fail(text, f"{word[:20]} can be read in two ways", start, remedy)
        elif kind == "number":
            found.append(Token("number", _checked(text, word, start), start, spaced))
        elif kind == "slope":
            found.append(Token("function", "d/dx", start, spaced))
        elif kind == "logarithm":
            base = (match["base"] or match["digits"]).replace("π", "pi")
            known = base if base in letters else _checked(text, base, start)
            found.append(Token("function", "log", start, spaced, known))
        elif kind == "word":
            found.extend(_names(text, word, start, spaced, letters))
        elif kind == "superscript":
            found.append(Token("symbol", "^", start, spaced))
            if word[0] == "⁻":
                found.append(Token("symbol", "-", start))
            digits = word.lstrip("⁻").translate(_SUPERSCRIPTS)
            found.append(Token("number", _checked(text, digits, start), start))
        else:
            found.append(Token("symbol", _SPELLINGS.get(word, word), start, spaced))
        spaced = False
        if len(found) > _MAX_TOKENS:
            raise ExpressionError(
                f"the expression has more than {_MAX_TOKENS:,} symbols",
                text=visible(text[:200]),
                position=0,
                remedy="Split it into smaller expressions.",
            )
    found.append(Token("end", "", len(text), spaced))
    return found


def _checked(text: str, word: str, position: int) -> str:
    """The word, when the language has it."""
    try:
        operands(word)
    except ExpressionError as error:
        fail(text, error.what, position, error.remedy)
    return word


def _names(text: str, word: str, start: int, spaced: bool, letters: str) -> list[Token]:
    """The names that letters written together stand for: `xsinx` is x sin x."""
    found: list[Token] = []
    at, alone, strange = 0, 0, False
    names = _MORE_NAMES if letters else _NAMES
    while at < len(word):
        name = next((name for name in names if word.startswith(name, at)), None)
        if name is None and word[at] in letters:
            name = word[at]
        if name is not None and name in VARIABLE + letters:
            alone += 1
            strange = strange or name not in VARIABLES
        # `xyz` and `ab` are products; `max` is rather a function
        if name is None or (alone > 2 and strange):
            _checked(text, word, start)
            fail(
                text,
                f"{word[:40]!r} is not a function or constant of the language",
                start,
                "Write names apart, with spaces or signs between them.",
            )
        kind: Literal["leaf", "function"] = "function" if name in CALLED else "leaf"
        found.append(Token(kind, "pi" if name == "π" else name, start + at, spaced))
        at += len(name)
        spaced = False
    return found
