r"""LaTeX formulas as tokens: commands, numbers, letters, other characters.

The lexer never fails: whatever a post contains becomes tokens. Groups, scripts and environments are the
parser's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Token", "lex", "tokens", "unwrapped"]

_TOKEN = re.compile(
    r"(?P<comment>(?<!\\)%(?:[^\n]*\n)?)"
    r"|(?P<command>\\(?:[A-Za-z]+\*?|\Z|.))"
    r"|(?P<number>\d+(?:\.\d+)*|\.\d+)"
    r"|(?P<space>\s+)"
    r"|(?P<letter>[^\W\d_])"
    r"|(?P<other>.)",
    re.DOTALL,
)

_PER_CENT = re.compile(
    r"(?P<command>\\[A-Za-z]+\*?)%(?:[^\n]*\n|\s)(?=[A-Za-z])|\\.|%(?P<end>[^\n]*\n|\s)|%", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is command, number, letter or other; `start` is the position in the source.

    `written` is what stands there where it is not the text.
    """

    kind: str
    text: str
    start: int
    written: str = ""

    @property
    def end(self) -> int:
        """The position behind it."""
        return self.start + len(self.written or self.text)


def lex(latex: str) -> list[Token]:
    r"""Tokens with their positions; white space and comments are left out.

    In a formula of one line no comment ends: a per cent sign there is where a longer line was wrapped.

    >>> [token.text for token in lex(r"\frac{12}{x_{1}}")]
    ['\\frac', '{', '12', '}', '{', 'x', '_', '{', '1', '}', '}']
    """
    found = []
    for match in _TOKEN.finditer(latex + "\n" if "\n" in latex else latex):
        kind = match.lastgroup
        if kind not in ("space", "comment") and kind is not None:
            text = match.group()
            # A control space (`\ `, `\<newline>`) is one and the same command.
            found.append(
                Token(kind, "\\ " if kind == "command" and text[1:].isspace() else text, match.start())
            )
    return found


def tokens(latex: str) -> list[str]:
    r"""The texts of the tokens that mean something: without white space and braces, as ARQMath's MathSE (2)
    segmentation counts them.

    >>> tokens("a^{2}")
    ['a', '^', '2']
    """
    return [token.text for token in lex(latex) if token.text not in "{}"]


def unwrapped(latex: str) -> str:
    r"""LaTeX in which nothing is commented out, for texts that others will typeset.

    A per cent sign before white space is where a longer line was wrapped, as LaTeXML does: both sides are
    joined. In several lines it begins a comment, which goes; any other one is meant as a sign.

    >>> unwrapped("\\frac{1}{2% 88}+\\alpha% x+5%"), unwrapped("a%one\nb")
    ('\\frac{1}{288}+\\alpha x+5\\%', 'ab')
    """

    def mended(match: re.Match[str]) -> str:
        if match["command"]:
            return f"{match['command']} "
        return "" if match["end"] else "\\%" if match[0] == "%" else match[0]

    return _PER_CENT.sub(mended, latex) if "%" in latex else latex
