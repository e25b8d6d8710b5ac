"""Tokens of a formula as it was meant: references of HTML, characters outside ASCII and definitions of macros
are what they stand for."""

from __future__ import annotations

import html
import re
import unicodedata

from engines.formula.characters import accent, latex_of, script
from engines.formula.lexer import Token, lex
from engines.formula.macros import DEFINITION, expanded

__all__ = ["source_tokens"]

_REFERENCE = re.compile(r"&(?:\\displaystyle ?)?(?:amp;)*(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]+);")
"""A reference of HTML, escaped once or more; in cells LaTeXML puts a style between its parts."""
_DELIMITERS = {("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")}
"""What a formula stands between in a text."""
_ROOTS = ("√", "∛", "∜")


def source_tokens(latex: str, letters: str = "") -> list[Token]:
    r"""The tokens of a formula as it was meant; the characters `letters` are left as they are.

    >>> [token.text for token in source_tokens(r"\def\R{A} a &lt; \R²")]
    ['a', '<', 'A', '^', '{', '2', '}']
    """
    found = _undelimited(lex(latex))
    if "&" in latex:
        found = _referred(found, latex)
    if not latex.isascii():
        found = _rooted(_spelled(found, letters))
    return expanded(found) if DEFINITION.search(latex) else found


def _undelimited(tokens: list[Token]) -> list[Token]:
    """Without the dollars or brackets around the whole."""
    if len(tokens) < 2 or (tokens[0].text, tokens[-1].text) not in _DELIMITERS:
        return tokens
    double = len(tokens) > 3 and {token.text for token in (*tokens[:2], *tokens[-2:])} == {"$"}
    inner = tokens[2:-2] if double else tokens[1:-1]
    return tokens if any(token.text in (tokens[0].text, tokens[-1].text) for token in inner) else inner


def _referred(tokens: list[Token], latex: str) -> list[Token]:
    found: list[Token] = []
    end = 0
    for token in tokens:
        reference = _REFERENCE.match(latex, token.start) if token.text == "&" else None
        if reference and token.start >= end and (meant := _meant(reference[1])):
            found += _placed(meant, token.start, reference[0])
            end = reference.end()
        elif token.start >= end:
            found.append(token)
    return found


def _meant(name: str) -> str:
    """The LaTeX of the character that a reference names; "" where it names none."""
    character = html.unescape(f"&{name};")
    if len(character) != 1:
        return ""
    return "\\ " if character == "\N{NO-BREAK SPACE}" else latex_of(character)


def _spelled(tokens: list[Token], letters: str) -> list[Token]:
    """Characters as the LaTeX that they stand for; raised and lowered ones that follow are one script."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.text.isascii() or token.kind == "command" or token.text in letters:
            found.append(token)
        elif token.kind == "number":
            found.append(Token("number", unicodedata.normalize("NFKC", token.text), token.start, token.text))
        elif mark := script(token.text):
            written = token.text
            while at < len(tokens) and tokens[at].start == token.start + len(written):
                if script(tokens[at].text[:1]) != mark or len(tokens[at].text) > 1:
                    break
                written += tokens[at].text
                at += 1
            inner = "".join(latex_of(one) for one in unicodedata.normalize("NFKC", written))
            marked = found and found[-1].text == mark
            found += _placed(f"{{{inner}}}" if marked else f"{mark}{{{inner}}}", token.start, written)
        elif unicodedata.combining(token.text) and found:
            base, command = found[-1], accent(token.text)
            whole = unicodedata.normalize("NFC", base.text + token.text)
            if len(whole) == 1 or (command and base.kind in ("letter", "number", "command")):
                found.pop()
                meant = latex_of(whole) if len(whole) == 1 else f"{command}{{{base.text}}}"
                found += _placed(meant, base.start, (base.written or base.text) + token.text)
        else:
            found += _placed(latex_of(token.text), token.start, token.text)
    return found


def _placed(latex: str, start: int, written: str) -> list[Token]:
    """The tokens of what stands for what is written there."""
    return [Token(token.kind, token.text, start, written) for token in lex(latex)]


def _rooted(tokens: list[Token]) -> list[Token]:
    """Braces around the number, or in place of the brackets, behind the sign of a root."""
    opened: list[int] = []
    roots: dict[int, int] = {}
    for at, token in enumerate(tokens):
        behind = at > 0 and tokens[at - 1].written in _ROOTS and token.written not in _ROOTS
        if behind and token.kind == "number":
            roots[at] = at
        if token.text == "(":
            opened.append(at if behind else -1)
        elif token.text == ")" and opened and (opening := opened.pop()) >= 0:
            roots[opening] = at
    ends = set(roots.values())
    found: list[Token] = []
    for at, token in enumerate(tokens):
        written = token.written or token.text
        if at in roots:
            found.append(Token("other", "{", token.start, written))
        if token.kind == "number" or (at not in roots and at not in ends):
            found.append(token)
        if at in ends:
            found.append(Token("other", "}", token.start, written))
    return found
