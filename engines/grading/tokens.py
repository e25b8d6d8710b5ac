r"""Answers and solutions as tokens, formulas among words, and tables of phrases to match against them.

The reader of formulas has tokens of its own (`engines.formula.lexer`). Those here are of the words around
formulas: they keep their spaces, since an answer is a piece of its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Generic, NamedTuple, TypeVar

_UNSPACED = "\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af"
"""Scripts without spaces between words: each character is a word."""
_TOKEN = re.compile(
    r"(?P<command>\\(?:[A-Za-z]+|.|\Z))"
    rf"|(?P<word>[^\W\d_²³¹⁰-₟{_UNSPACED}]+|[{_UNSPACED}])"
    r"|(?P<digits>\d+)"
    r"|(?P<line>[ \t]*\n\s*)"
    r"|(?P<space>\s+)"
    r"|(?P<sign>.)",
    re.DOTALL,
)
_FORMULAS = {"\\(": "\\)", "\\[": "\\]"}
_ENVIRONMENTS = ("equation", "align", "gather", "multline", "displaymath", "math")

TEXT_COMMANDS = frozenset(
    f"\\{name}"
    for name in (
        "text",
        "textbf",
        "textit",
        "textrm",
        "textnormal",
        "mbox",
        "mathrm",
        "mathbf",
        "operatorname",
    )
)
"""Commands whose argument is a text."""


class AnswerToken(NamedTuple):
    """A piece of a text; `kind` is word, digits, command, sign, space, line or formula.

    A line is white space with a new line. The text of a formula is what stands between its delimiters.
    """

    kind: str
    text: str
    start: int
    end: int


class TokenSequence(tuple[AnswerToken, ...]):
    """The tokens of a text, with what is asked of them again and again."""

    text: str

    def __new__(cls, text: str) -> TokenSequence:
        """Take a text apart."""
        tokens = super().__new__(
            cls,
            (
                AnswerToken(match.lastgroup or "sign", match[0], *match.span())
                for match in _TOKEN.finditer(text)
            ),
        )
        tokens.text = text
        return tokens

    # Most of the many vocabularies have none of the words of a text.
    @cached_property
    def small_texts(self) -> frozenset[str]:
        """The texts of the tokens in lower case."""
        return frozenset(token.text.lower() for token in self)

    @cached_property
    def with_formulas(self) -> Sequence[AnswerToken]:
        """The tokens with each formula as one of them."""
        return _join_formulas(self.text, self)


def tokenize(text: str) -> Sequence[AnswerToken]:
    r"""Return the tokens of a text, white space among them.

    >>> [token.text for token in tokenize(r"42只 is \pi")]
    ['42', '只', ' ', 'is', ' ', '\\pi']
    """
    return _tokenize_once(text) if len(text) < _CACHED else TokenSequence(text)


_CACHED = 2_000
"""Longer texts are not kept."""


_tokenize_once = lru_cache(maxsize=512)(TokenSequence)


_BLANK = ("space", "line")


def is_blank(token: AnswerToken) -> bool:
    """Return whether a token is white space."""
    return token.kind in _BLANK


def skip_blanks(tokens: Sequence[AnswerToken], at: int) -> int:
    """Return the index of the next token that is no white space."""
    while at < len(tokens) and is_blank(tokens[at]):
        at += 1
    return at


def text_at(tokens: Sequence[AnswerToken], at: int) -> str:
    """Return the text of a token; "" where there is none."""
    return tokens[at].text if 0 <= at < len(tokens) else ""


Value = TypeVar("Value")


def unwrap_texts(tokens: Sequence[AnswerToken]) -> list[AnswerToken]:
    r"""Return tokens with the words of `\text{…}` in its place."""
    if not any(token.text in TEXT_COMMANDS for token in tokens):
        return list(tokens)
    return [token for token in tokens if token.text not in TEXT_COMMANDS and token.text not in ("{", "}")]


class Phrases(Generic[Value]):
    """A vocabulary: phrases, small or capital, and what each stands for.

    >>> limits = Phrases({"at least": "low", "at": ""})
    >>> limits.match(tokenize("At  least 5"), 0), limits.match_before(tokenize("is at least"), 5)
    ((3, 'low'), (2, 'low'))
    """

    def __init__(self, phrases: Mapping[str, Value]) -> None:
        self._phrases = phrases

    # Few tables are searched both ways, and many commands search none.
    @cached_property
    def _forwards(self) -> dict[str, _Branch[Value]]:
        branches: dict[str, _Branch[Value]] = {}
        for phrase, value in self._phrases.items():
            _add_branch(branches, _split_phrase(phrase), value)
        return branches

    @cached_property
    def _backwards(self) -> dict[str, _Branch[Value]]:
        branches: dict[str, _Branch[Value]] = {}
        for phrase, value in self._phrases.items():
            _add_branch(branches, _split_phrase(phrase)[::-1], value)
        return branches

    def may_occur(self, tokens: Sequence[AnswerToken]) -> bool:
        """Return whether a phrase begins with the word of a token, so that it is worth looking for one."""
        first = self._forwards.keys()
        if isinstance(tokens, TokenSequence):
            return not first.isdisjoint(tokens.small_texts)
        return any(token.text.lower() in first for token in tokens)

    def match(self, tokens: Sequence[AnswerToken], at: int) -> tuple[int, Value] | None:
        """Return the index behind the longest phrase that begins at a token, and what it stands for."""
        return _follow_branches(self._forwards, tokens, at, 1)

    def match_before(self, tokens: Sequence[AnswerToken], end: int) -> tuple[int, Value] | None:
        """Return the index of the first token of the longest phrase that ends before one, and what it
        stands for."""
        match = _follow_branches(self._backwards, tokens, end - 1, -1)
        return None if match is None else (match[0] + 1, match[1])

    def find(self, tokens: Sequence[AnswerToken]) -> tuple[int, int, Value] | None:
        """Return where the first phrase begins and ends, and what it stands for."""
        return next(self.find_all(tokens, 0, len(tokens)), None)

    def find_all(
        self, tokens: Sequence[AnswerToken], first: int, last: int
    ) -> Iterator[tuple[int, int, Value]]:
        """Return where phrases begin and end that begin between two tokens, and what they stand for."""
        starts = self._forwards
        if isinstance(tokens, TokenSequence) and starts.keys().isdisjoint(tokens.small_texts):
            return
        for at in range(first, last):
            if (
                tokens[at].text.lower() in starts
                and (phrase := _follow_branches(starts, tokens, at, 1)) is not None
            ):
                yield (at, *phrase)

    def is_whole(self, tokens: Sequence[AnswerToken]) -> bool:
        """Return whether tokens are a phrase and nothing else."""
        match = self.match(tokens, 0)
        return match is not None and match[0] == len(tokens)


class _Branch(Generic[Value]):
    """Where phrases are that begin alike: by the next word, and what those stand for that end here."""

    __slots__ = ("ending", "further")

    def __init__(self) -> None:
        self.further: dict[str, _Branch[Value]] = {}
        self.ending: tuple[Value] | None = None


def is_spaced(text: str) -> bool:
    """Return whether the tokens of a text are the words between its spaces, as of Latin and Cyrillic ones."""
    return max(text, default="") < _FIRST_OTHER and text.replace(" ", "").isalpha()


_FIRST_OTHER = "\u2000"
"""Before it are alphabets whose words have spaces between them."""


def _split_phrase(phrase: str) -> Sequence[str]:
    small = phrase.lower()
    if is_spaced(small):
        return small.split()
    return [token.text for token in TokenSequence(small) if not is_blank(token)]


def _add_branch(branches: dict[str, _Branch[Value]], words: Sequence[str], value: Value) -> None:
    for word in words:
        if word not in branches:
            branches[word] = _Branch()
        branch = branches[word]
        branches = branch.further
    branch.ending = branch.ending or (value,)


def _follow_branches(
    branches: Mapping[str, _Branch[Value]], tokens: Sequence[AnswerToken], at: int, step: int
) -> tuple[int, Value] | None:
    """Return the index past the longest phrase that is met in one direction, and what it stands for."""
    longest, count = None, len(tokens)
    while 0 <= at < count and (branch := branches.get(tokens[at].text.lower())) is not None:
        at += step
        if branch.ending is not None:
            longest = at, branch.ending[0]
        if not (branches := branch.further):
            break
        while 0 <= at < count and tokens[at].kind in _BLANK:
            at += step
    return longest


# ---- formulas among words


def match_braces(tokens: Sequence[AnswerToken]) -> dict[int, int]:
    """Return the index of the closing brace for that of each opening one that is closed."""
    opened: list[int] = []
    closing: dict[int, int] = {}
    for at, token in enumerate(tokens):
        if token.text == "{":
            opened.append(at)
        elif token.text == "}" and opened:
            closing[opened.pop()] = at
    return closing


def join_formulas(text: str, tokens: Sequence[AnswerToken]) -> list[AnswerToken]:
    r"""Return the tokens of a text with each formula as one of them.

    >>> [(token.kind, token.text) for token in join_formulas("is $x$", tokenize("is $x$"))][2:]
    [('formula', 'x')]
    """
    if isinstance(tokens, TokenSequence) and tokens.text == text:
        return list(tokens.with_formulas)
    return _join_formulas(text, tokens)


def _join_formulas(text: str, tokens: Sequence[AnswerToken]) -> list[AnswerToken]:
    result: list[AnswerToken] = []
    dollars = [at for at, token in enumerate(tokens) if token.text == "$"][::-1]
    at = 0
    while at < len(tokens):
        while dollars and dollars[-1] <= at:
            dollars.pop()
        formula_end = _find_formula_end(tokens, at, dollars)
        if formula_end is None:
            result.append(tokens[at])
            at += 1
            continue
        first, last, end = formula_end
        inside = _take_last_line(text, tokens[first:last], is_aligned=tokens[at].text == "\\begin")
        result.append(AnswerToken("formula", inside, tokens[at].start, tokens[end].end))
        at = end + 1
    return result


def _find_formula_end(
    tokens: Sequence[AnswerToken], at: int, dollars: Sequence[int]
) -> tuple[int, int, int] | None:
    """Return where the inside of the formula that begins at a token starts and ends, and its last token.

    Args: dollars: the indices of the dollar signs behind the token, the last first.
    """
    opening = tokens[at].text
    if opening == "$" and dollars:
        if dollars[-1] == at + 1:  # a formula between two dollar signs
            for index in range(len(dollars) - 2, 0, -1):
                if dollars[index] + 1 == dollars[index - 1] and dollars[index] > at + 2:
                    return at + 2, dollars[index], dollars[index - 1]
            return None
        end = next((end for end in reversed(dollars) if _may_close(tokens, at, end)), None)
        return None if end is None else (at + 1, end, end)
    if closing := _FORMULAS.get(opening):
        for end in range(at + 1, len(tokens)):
            if tokens[end].text == opening:
                return None
            if tokens[end].text == closing:
                return (at + 1, end, end) if end > at + 1 else None
    if opening == "\\begin":
        name = _read_environment(tokens, at)
        if name.rstrip("*") not in _ENVIRONMENTS:
            return None
        size = 3 + len(name) - len(name.rstrip("*"))
        for end in range(at + 1 + size, len(tokens)):
            if tokens[end].text in ("\\begin", "\\end") and _read_environment(tokens, end) == name:
                return None if tokens[end].text == "\\begin" else (at + 1 + size, end, end + size)
    return None


def _may_close(tokens: Sequence[AnswerToken], opening: int, closing: int) -> bool:
    """Return whether the formula between two dollar signs may be one, and not what stands between amounts, as
    in `$204 + $160 = $364`."""
    first = text_at(tokens, opening + 1)
    amount = first[:1].isdecimal() or (text_at(tokens, opening - 1).isdecimal() and first[:1] in tuple(" ,."))
    if not amount:
        return True
    behind = tokens[closing + 1] if closing + 1 < len(tokens) else None
    if behind is None or is_blank(behind):
        return True
    if behind.kind == "digits" or (behind.text == "." and text_at(tokens, closing + 2).isdecimal()):
        return False
    return not is_blank(tokens[closing - 1]) or behind.kind == "sign"


def _read_environment(tokens: Sequence[AnswerToken], at: int) -> str:
    """Return the name in braces behind `\\begin` or `\\end`; "" where there is none."""
    if text_at(tokens, at + 1) != "{":
        return ""
    name = text_at(tokens, at + 2)
    star = text_at(tokens, at + 3) == "*"
    return f"{name}{'*' * star}" if text_at(tokens, at + 3 + star) == "}" else ""


def _take_last_line(text: str, inside: Sequence[AnswerToken], *, is_aligned: bool) -> str:
    """Return what a formula says; of several lines the last that is not empty."""
    breaks = [at for at, token in enumerate(inside) if token.text == "\\\\"]
    written = "\\begin" in {token.text for token in inside}
    if not inside or not (is_aligned or (breaks and not written)):
        return text[inside[0].start : inside[-1].end].strip() if inside else ""
    ends = [*breaks, len(inside)]
    for first, last in zip([-1, *breaks][::-1], ends[::-1], strict=True):
        line = "".join(" " if token.text == "&" else token.text for token in inside[first + 1 : last]).strip()
        if line:
            return line
    return ""
