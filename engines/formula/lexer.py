"""LaTeX formulas as tokens: commands, numbers, letters, other characters; and a cursor that goes over them.

Definitions are expanded, references and characters resolved. It never fails: whatever a post contains becomes
tokens; a definition that cannot be followed, or does not end, stays as a stray token. Groups, scripts and
environments are the parser's business.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from engines.formula.symbols import accent_command, latex_of, script_mark, symbol_roles

_TOKEN = re.compile(
    r"(?P<command>\\(?:[A-Za-z]+\*?|\Z|.))"
    r"|(?P<letter>[^\W\d_])"
    r"|(?P<number>\d+(?:\.\d+)*|\.\d+)"
    r"|(?P<space>\s+)"
    r"|(?P<comment>(?<!\\)%(?:[^\n]*\n)?)"
    r"|(?P<other>.)",
    re.DOTALL,
)

_PER_CENT = re.compile(
    r"(?P<command>\\[A-Za-z]+\*?)%(?:[^\n]*\n|\s)(?=[A-Za-z])|\\.|%(?P<end>[^\n]*\n|\s)|%", re.DOTALL
)


class Token(NamedTuple):
    """`kind` is command, number, letter or other; `start` is the position in the source.

    `written` is what stands there where it is not the text.
    """

    kind: str
    text: str
    start: int
    written: str = ""

    @property
    def end(self) -> int:
        """The offset behind the token."""
        return self.start + len(self.written or self.text)


def lex_latex(latex: str) -> list[Token]:
    r"""Return tokens with their positions; white space and comments are left out.

    In a formula of one line no comment ends: a per cent sign there is where a longer line was wrapped.

    >>> [token.text for token in lex_latex(r"\frac{12}{x_{1}}")]
    ['\\frac', '{', '12', '}', '{', 'x', '_', '{', '1', '}', '}']
    """
    result = []
    for match in _TOKEN.finditer(latex + "\n" if "\n" in latex else latex):
        kind = match.lastgroup
        if kind not in ("space", "comment") and kind is not None:
            text = match[0]
            if kind == "command" and text[1:].isspace():
                text = "\\ "  # also `\<newline>`
            result.append(Token(kind, text, match.start()))
    return result


def token_texts(latex: str) -> list[str]:
    r"""Return the texts of the tokens that mean something: without white space and braces, as ARQMath's
    MathSE (2) segmentation counts them.

    >>> token_texts("a^{2}")
    ['a', '^', '2']
    """
    return [token.text for token in lex_latex(latex) if token.text not in "{}"]


def remove_comments(latex: str) -> str:
    r"""Remove comments from LaTeX, for texts that others will typeset.

    A per cent sign before white space is where a longer line was wrapped, as LaTeXML does: both sides are
    joined. In several lines it begins a comment, which is removed; any other is meant as a sign.

    >>> remove_comments("\\frac{1}{2% 88}+\\alpha% x+5%"), remove_comments("a%one\nb")
    ('\\frac{1}{288}+\\alpha x+5\\%', 'ab')
    """

    def keep_line(match: re.Match[str]) -> str:
        if match["command"]:
            return f"{match['command']} "
        return "" if match["end"] else "\\%" if match[0] == "%" else match[0]

    return _PER_CENT.sub(keep_line, latex) if "%" in latex else latex


_NEW = ("\\newcommand", "\\renewcommand", "\\providecommand", "\\DeclareRobustCommand")
_DEF = ("\\def", "\\gdef", "\\edef", "\\xdef")
_OPERATORS = ("\\DeclareMathOperator", "\\DeclareMathOperator*")
_DOCUMENT_COMMANDS = tuple(
    f"\\{verb}{kind}DocumentCommand"
    for verb in ("New", "Renew", "Provide", "Declare")
    for kind in ("", "Expandable")
)
"""Definitions whose arguments a signature such as `s m o` describes."""
_PAIRED = "\\DeclarePairedDelimiter"
_DEFINING = {
    *(*_NEW, *(f"{name}*" for name in _NEW), *_DEF, "\\let", *_OPERATORS, *_DOCUMENT_COMMANDS),
    *("\\DeclareDocumentMacro", _PAIRED),
}
DEFINITION = re.compile(rf"\\(?:{'|'.join(name[1:] for name in _DEFINING if name[-1] != '*')})(?![A-Za-z])")
"""Where a formula may define something."""
# Both limits together stop macros that call themselves, or double their text with each call.
_MOST_CALLS, _MOST_TOKENS = 1_000, 50_000
_OPERATOR = Token("command", "\\operatorname", 0)
_NO_VALUE, _TRUE, _FALSE = (
    Token("command", f"\\{name}", 0) for name in ("NoValue", "BooleanTrue", "BooleanFalse")
)
"""What an optional argument is that was not given, and a star that was or was not."""
_DECISIONS = {
    f"\\If{asked}{branches}": (deciding, turned, branches)
    for asked, deciding, turned in (
        ("NoValue", _NO_VALUE, False),
        ("Value", _NO_VALUE, True),
        ("Boolean", _TRUE, False),
    )
    for branches in ("TF", "T", "F")
}
"""Commands that choose by an argument: the token that decides, whether its absence does, and the branches."""


@dataclass(frozen=True, slots=True)
class _Parameter:
    """An argument of a command: `kind` is `m` (one that is always there), `o` (between the delimiters, or
    `default`) or `t` (a token that is there or not)."""

    kind: str = "m"
    delimiters: tuple[str, str] = ("[", "]")
    default: tuple[Token, ...] = (_NO_VALUE,)


@dataclass(frozen=True, slots=True)
class _Macro:
    """The arguments that a command takes, and what it stands for."""

    parameters: tuple[_Parameter, ...]
    body: list[Token]


class _UnreadableError(Exception):
    pass


def expand_macros(tokens: list[Token]) -> list[Token]:
    """Return the tokens without definitions, and with what they define in the place of its name."""
    return _Expansion(tokens).expand_tokens()


class _Expansion:
    """Reads tokens from the end of a list, where what macros stand for is put."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.left = list(reversed(tokens))
        self.macros: dict[str, _Macro] = {}

    def expand_tokens(self) -> list[Token]:
        result: list[Token] = []
        calls = 0
        # `left` is a stack, reversed: the next token is its last, and an
        # expansion is pushed back onto it.
        while self.left:
            token = self.left.pop()
            # The lexer takes a star for a part of the name, which it is only where no macro takes it.
            plain = self.macros.get(token.text[:-1]) if token.text[-1:] == "*" else None
            if plain and plain.parameters and plain.parameters[0].delimiters[0] == "*":
                self.left.append(Token("other", "*", token.start, token.written or token.text))
                token = token._replace(text=token.text[:-1], written=token.written or token.text)
            if token.text in _DEFINING:
                # A definition that cannot be read must leave no trace, so what was consumed is put back.
                before = list(self.left)
                try:
                    if token.text in _DOCUMENT_COMMANDS:
                        self.define_by_signature()
                    else:
                        self.define_macro(token.text)
                except (_UnreadableError, IndexError):
                    self.left = before
                    result.append(token._replace(kind="stray"))
            elif token.text in _DECISIONS and self.macros:
                before = list(self.left)
                try:
                    self.choose_branch(*_DECISIONS[token.text])
                except IndexError:
                    self.left = before
                    result.append(token._replace(kind="stray"))
            elif token.text == "\\expandafter" and self.macros:
                continue
            elif token.text in self.macros and token.kind in ("command", "letter"):
                calls += 1
                if calls > _MOST_CALLS or len(self.left) + len(result) > _MOST_TOKENS:
                    return [*result, token._replace(kind="stray")]
                # A macro at the end of the text may lack its arguments.
                try:
                    self.call_macro(token, self.macros[token.text])
                except IndexError:
                    result.append(token._replace(kind="stray"))
            else:
                result.append(token)
        return result

    def peek_text(self) -> str:
        return self.left[-1].text if self.left else ""

    def define_macro(self, how: str) -> None:
        """Read a definition and remember it."""
        # \let makes one token stand for another, here as a macro without arguments.
        if how == "\\let":
            name = self.left.pop().text
            if self.peek_text() == "=":
                self.left.pop()
            self.macros[name] = _Macro((), [self.left.pop()])
            return
        # The name is in braces or bare, and has to be a single command.
        named = self.read_argument()
        if len(named) != 1 or named[0].kind != "command":
            raise _UnreadableError
        name, arguments, default = named[0].text, 0, None
        # A pair of delimiters may have a star or a size before what they enclose.
        if how == _PAIRED:
            enclosed = Token("other", "#", 0), Token("number", "3", 0)
            body = [*self.read_argument(), *enclosed, *self.read_argument()]
            self.macros[name] = _Macro((_Parameter("t", ("*", "")), _Parameter("o"), _Parameter()), body)
            return
        # \def lists its arguments (#1#2), \newcommand counts them ([2]).
        if how in _DEF:
            while self.peek_text() == "#":
                self.left.pop()
                arguments += len(self.left.pop().text)
        elif how not in _OPERATORS:
            if self.peek_text() == "[":
                count = self.read_option()
                if len(count) != 1 or count[0].text not in "0123456789":
                    raise _UnreadableError
                arguments = int(count[0].text)
            # An option after the count is the default of the first argument.
            if self.peek_text() == "[":
                default = self.read_option()
        if self.peek_text() != "{":
            raise _UnreadableError
        body = self.read_argument()
        # A body may use only the arguments that are declared.
        argument_digits = [
            after.text[0] for mark, after in pairwise(body) if mark.text == "#" and after.kind == "number"
        ]
        if any(int(number) > arguments for number in argument_digits if number.isdecimal()):
            raise _UnreadableError
        # \DeclareMathOperator is a macro whose body is the operator in upright letters.
        if how in _OPERATORS:
            brace = Token("other", "{", 0), Token("other", "}", 0)
            body = [_OPERATOR, brace[0], *body, brace[1]]
        first = _Parameter() if default is None else _Parameter("o", default=tuple(default))
        parameters = (first, *[_Parameter()] * (arguments - 1)) if arguments else ()
        self.macros[name] = _Macro(parameters, body)

    def define_by_signature(self) -> None:
        r"""Read a definition such as `\NewDocumentCommand{\name}{s m O{x}}{body}`."""
        named, signature, body = (self.read_argument() for _ in range(3))
        if len(named) != 1 or named[0].kind != "command":
            raise _UnreadableError
        parameters: list[_Parameter] = []
        rest = [*reversed(signature)]

        def take_group() -> tuple[Token, ...]:
            inner = _Expansion(rest[::-1])
            group = inner.read_argument()
            rest[:] = inner.left
            return tuple(group)

        # One letter a parameter, as in LaTeX's xparse: m and v mandatory, o and O optional in brackets, d,
        # D, r, R with delimiters of their own, s a star, t another token; a capital brings a default.
        while rest:
            kind = rest.pop().text
            if kind in ("+", "!"):
                continue  # long arguments, and spaces before them
            delimiters = "[", "]"
            default: tuple[Token, ...] = (_NO_VALUE,)
            if kind in ("d", "D", "r", "R"):
                delimiters = rest.pop().text, rest.pop().text
            elif kind in ("g", "G"):
                delimiters = "{", "}"
            elif kind == "t":
                mark = take_group()
                delimiters = (mark[0].text if mark else "", "")
            elif kind == "s":
                delimiters = "*", ""
            elif kind not in ("m", "v", "o", "O"):
                raise _UnreadableError
            if kind in ("O", "D", "G", "R"):
                default = take_group()
            # Expansion knows three kinds only: mandatory, a token that may be there, optional.
            kind = "m" if kind in ("m", "v") else "t" if kind in ("s", "t") else "o"
            parameters.append(_Parameter(kind, delimiters, default))
        self.macros[named[0].text] = _Macro(tuple(parameters), body)

    def choose_branch(self, deciding: Token, turned: bool, branches: str) -> None:
        """Put the branch that an argument decides for in the place of a command that chooses."""
        asked = self.read_argument()
        holds = (len(asked) == 1 and asked[0].text == deciding.text) != turned
        first = self.read_argument()
        second = self.read_argument() if branches == "TF" else []
        chosen = (first, second) if branches != "F" else (second, first)
        self.left.extend(reversed(chosen[0 if holds else 1]))

    def call_macro(self, token: Token, macro: _Macro) -> None:
        """Put what a macro stands for in its place; its tokens stand where its name does."""
        given: list[list[Token]] = []
        for parameter in macro.parameters:
            present = parameter.kind == "m" or self.peek_text() == parameter.delimiters[0]
            if parameter.kind == "m":
                given.append(self.read_argument())
            elif parameter.kind == "t":
                given.append([_TRUE if present else _FALSE])
                self.left = self.left[:-1] if present else self.left
            elif present:
                self.left.pop()
                given.append(self.read_until(*parameter.delimiters))
            else:
                given.append(list(parameter.default))
        made: list[Token] = []
        position = 0
        while position < len(macro.body):
            part = macro.body[position]
            position += 1
            # "#12" is the first argument, followed by the digit 2, since the lexer
            # takes 12 for one number.
            if part.text == "#" and position < len(macro.body) and macro.body[position].kind == "number":
                digits = macro.body[position].text
                position += 1
                number = int(digits[0])
                made += given[number - 1] if 0 < number <= len(given) else []
                if digits[1:]:
                    made.append(Token("number", digits[1:], token.start, token.written or token.text))
            else:
                made.append(Token(part.kind, part.text, token.start, token.written or token.text))
        # Pushed in reverse, so that the result is expanded further from its first token on.
        self.left.extend(reversed(made))

    def read_argument(self) -> list[Token]:
        first = self.left.pop()
        return self.read_until("{", "}") if first.text == "{" else [first]

    def read_option(self) -> list[Token]:
        self.left.pop()
        return self.read_until("[", "]")

    def read_until(self, opening: str, closing: str) -> list[Token]:
        result: list[Token] = []
        level = 1
        while True:
            token = self.left.pop()
            level += (token.text == opening) - (token.text == closing)
            if not level:
                return result
            result.append(token)


_REFERENCE = re.compile(r"&(?:\\displaystyle ?)?(?:amp;)*(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]+);")
"""A reference of HTML, escaped once or more; in cells LaTeXML puts a style between its parts."""
_DELIMITERS = {("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")}
"""What a formula stands between in a text."""
_ROOTS = ("√", "∛", "∜")


def source_tokens(latex: str, letters: str = "") -> list[Token]:
    r"""Return the tokens of a formula as it was meant: references of HTML, characters outside ASCII and
    definitions are what they stand for; the characters `letters` are left as they are.

    >>> [token.text for token in source_tokens(r"\def\R{A} a &lt; \R²")]
    ['a', '<', 'A', '^', '{', '2', '}']
    """
    result = _remove_delimiters(lex_latex(latex))
    if "&" in latex:
        result = _replace_references(result, latex)
    if not latex.isascii():
        result = _brace_radicands(_spell_characters(result, letters))
    return expand_macros(result) if DEFINITION.search(latex) else result


class LatexSource:
    """The LaTeX of a formula, and its tokens, which are read once for all that is made of it."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self._tokens: dict[str, list[Token]] = {}

    @classmethod
    def from_latex(cls, latex: str | LatexSource) -> LatexSource:
        """Return LaTeX as a source; a source is returned unchanged."""
        return latex if isinstance(latex, LatexSource) else LatexSource(latex)

    def list_tokens(self, letters: str = "") -> list[Token]:
        """Return the tokens as `source_tokens` does, in a list that may be changed."""
        left = "".join(one for one in letters if one in self.latex)
        if left not in self._tokens:
            self._tokens[left] = source_tokens(self.latex, left)
        return [*self._tokens[left]]


def _remove_delimiters(tokens: list[Token]) -> list[Token]:
    if len(tokens) < 2 or (tokens[0].text, tokens[-1].text) not in _DELIMITERS:
        return tokens
    double = len(tokens) > 3 and {token.text for token in (*tokens[:2], *tokens[-2:])} == {"$"}
    inner = tokens[2:-2] if double else tokens[1:-1]
    return tokens if any(token.text in (tokens[0].text, tokens[-1].text) for token in inner) else inner


def _replace_references(tokens: list[Token], latex: str) -> list[Token]:
    result: list[Token] = []
    end = 0
    for token in tokens:
        reference = _REFERENCE.match(latex, token.start) if token.text == "&" else None
        if reference and token.start >= end and (meant := _resolve_reference(reference[1])):
            result += _lex_at(meant, token.start, reference[0])
            end = reference.end()
        elif token.start >= end:
            result.append(token)
    return result


def _resolve_reference(name: str) -> str:
    """Return the LaTeX of the character that a reference names; "" where it names none."""
    character = html.unescape(f"&{name};")
    if len(character) != 1:
        return ""
    return "\\ " if character == "\N{NO-BREAK SPACE}" else latex_of(character)


def _spell_characters(tokens: list[Token], letters: str) -> list[Token]:
    """Characters as the LaTeX that they stand for; raised and lowered ones that follow are one script."""
    result: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        at += 1
        if token.text.isascii() or token.kind == "command" or token.text in letters:
            result.append(token)
        elif token.kind == "number":
            result.append(Token("number", unicodedata.normalize("NFKC", token.text), token.start, token.text))
        # Characters such as ² are scripts: consecutive ones, as in ¹², form a single script.
        elif mark := script_mark(token.text):
            written = token.text
            while at < len(tokens) and tokens[at].start == token.start + len(written):
                if script_mark(tokens[at].text[:1]) != mark or len(tokens[at].text) > 1:
                    break
                written += tokens[at].text
                at += 1
            inner = "".join(latex_of(one) for one in unicodedata.normalize("NFKC", written))
            # After an explicit ^ or _ the characters are already in a script.
            marked = result and result[-1].text == mark
            result += _lex_at(f"{{{inner}}}" if marked else f"{mark}{{{inner}}}", token.start, written)
        # A combining accent applies to the token before it: use one composed
        # character where Unicode has it.
        elif unicodedata.combining(token.text) and result:
            base, command = result[-1], accent_command(token.text)
            whole = unicodedata.normalize("NFC", base.text + token.text)
            if len(whole) == 1 or (command and base.kind in ("letter", "number", "command")):
                result.pop()
                meant = latex_of(whole) if len(whole) == 1 else f"{command}{{{base.text}}}"
                result += _lex_at(meant, base.start, (base.written or base.text) + token.text)
        else:
            result += _lex_at(latex_of(token.text), token.start, token.text)
    return result


def _lex_at(latex: str, start: int, written: str) -> list[Token]:
    return [Token(token.kind, token.text, start, written) for token in lex_latex(latex)]


def _brace_radicands(tokens: list[Token]) -> list[Token]:
    """Braces around the number, or in place of the brackets, behind the sign of a root."""
    # Match brackets with a stack, noting only those that follow a root sign.
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
    # Second pass: braces go around a number, and replace the brackets around anything longer.
    ends = set(roots.values())
    result: list[Token] = []
    for at, token in enumerate(tokens):
        written = token.written or token.text
        if at in roots:
            result.append(Token("other", "{", token.start, written))
        if token.kind == "number" or (at not in roots and at not in ends):
            result.append(token)
        if at in ends:
            result.append(Token("other", "}", token.start, written))
    return result


_UNITS = ("pt", "em", "ex", "mu", "cm", "mm", "in", "px", "pc", "bp", "dd", "cc", "sp")


class TokenCursor:
    """Goes over tokens from left to right."""

    def __init__(self, tokens: list[Token], length: int) -> None:
        self.tokens = tokens
        self.length = length
        self.roles = symbol_roles()
        self.at = 0

    def current_text(self) -> str:
        """Return the token here; "" at the end."""
        return self.tokens[self.at].text if self.at < len(self.tokens) else ""

    def current_start(self) -> int:
        """Return the offset of the token at the cursor."""
        return self.tokens[self.at].start if self.at < len(self.tokens) else self.length

    def previous_end(self) -> int:
        """Return the offset behind the token before the cursor."""
        if not 0 < self.at <= len(self.tokens):
            return self.length if self.at else 0
        _, text, start, written = self.tokens[self.at - 1]
        return start + len(written or text)

    def text_ahead(self, count: int) -> str:
        """Return the token some places further on."""
        return self.tokens[self.at + count].text if self.at + count < len(self.tokens) else ""

    def skip_group(self) -> None:
        """Pass over the rest of a group and its closing brace."""
        level = 1
        while level and self.at < len(self.tokens):
            level += {"{": 1, "}": -1}.get(self.current_text(), 0)
            self.at += 1

    def skip_spaces(self) -> None:
        """Go on behind commands that only make space."""
        while (known := self.roles.get(self.current_text())) is not None and known.role == "space":
            self.at += 1

    def skip_argument(self) -> None:
        """Pass over an argument that is not read."""
        self.skip_spaces()
        if self.current_text() == "{":
            self.at += 1
            self.skip_group()
        elif self.current_text():
            self.at += 1

    def skip_length(self) -> None:
        r"""Pass over a length such as `-1.5em`, or one in braces."""
        if self.current_text() == "{":
            self.skip_argument()
            return
        self.at += self.current_text() in ("+", "-")
        if self.at < len(self.tokens) and self.tokens[self.at].kind == "number":
            self.at += 1
            self.at += 2 * (self.current_text() + self.text_ahead(1) in _UNITS)

    def skip_gap(self) -> None:
        """Pass over a length in square brackets, behind the end of a line."""
        unit = 3 if self.text_ahead(1) in ("+", "-") else 2
        if self.current_text() == "[" and self.text_ahead(unit) + self.text_ahead(unit + 1) in _UNITS:
            self.skip_option()

    def skip_option(self) -> None:
        """Pass over what stands in square brackets, if anything does."""
        if self.current_text() == "[":
            while self.current_text() not in ("]", ""):
                self.at += 1
            self.at += 1

    def read_words(self) -> list[tuple[str, tuple[int, int]]]:
        """Return the words and numbers of an argument that is text, with their places."""
        results: list[tuple[str, tuple[int, int]]] = []
        for token, text in self.take_argument():
            if not text.isalnum():
                continue
            if results and token.start <= results[-1][1][1]:
                before, (begin, _) = results.pop()
                results.append((before + text, (begin, token.end)))
            else:
                results.append((text, (token.start, token.end)))
        return [(unicodedata.normalize("NFKC", word), offset) for word, offset in results]

    def read_name(self) -> str:
        """Return the letters of an argument as one name."""
        spelled = "".join(text for _, text in self.take_argument() if text not in "{}")
        return re.sub(r"[\\\s]", "", spelled)

    def take_argument(self) -> Iterator[tuple[Token, str]]:
        """Yield the tokens of an argument as they are written; several that stand for one character are
        one.
        """
        start = self.at
        self.skip_argument()
        spelled = -1
        for token in self.tokens[start : self.at]:
            if token.written.isascii():
                yield token, token.text
            elif token.start != spelled:
                spelled = token.start
                yield token, unicodedata.normalize("NFC", token.written)
