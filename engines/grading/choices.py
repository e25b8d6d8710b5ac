r"""Parse the letter of a choice, with its text behind it: `(B)`, `Option C`, `\textbf{(B)}\ 15`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engines.formula.vocabulary import CONNECTIVES
from engines.grading.tokens import (
    TEXT_COMMANDS,
    AnswerToken,
    Phrases,
    is_blank,
    skip_blanks,
    text_at,
    tokenize,
)

_OPTIONS = Phrases(dict.fromkeys(("option", "choice", "answer", "选", "選", "选择", "故选"), ""))
_SPACES = ("\\ ", "\\,", "\\;", "\\:", "\\quad", "\\qquad", "~")
_SHAPES = ("\\bf", "\\rm", *TEXT_COMMANDS)


@dataclass(frozen=True, slots=True)
class Choice:
    """The letter of a choice, and what stands behind it."""

    letter: str
    text: str


def is_option(token: AnswerToken) -> bool:
    """Return whether a token is the letter of a choice."""
    return token.kind == "word" and len(token.text) == 1 and "A" <= token.text <= "J"


def read_choice(text: str) -> Choice | None:
    r"""Read a text that begins with the letter of a choice; None for other texts.

    >>> read_choice(r"\textbf{(B)}\ 15"), read_choice("Option C"), read_choice("B")
    (Choice(letter='B', text='15'), Choice(letter='C', text=''), None)
    """
    tokens = tokenize(text)
    at = skip_blanks(tokens, 0)
    braced = text_at(tokens, at) in _SHAPES
    if braced:
        at = skip_blanks(tokens, at + 1)
        at = skip_blanks(tokens, at + 1) if text_at(tokens, at) == "{" else at
    named = _OPTIONS.match(tokens, at)
    at = skip_blanks(tokens, named[0]) if named is not None else at
    bracketed = text_at(tokens, at) == "("
    at += bracketed
    if at >= len(tokens) or not _is_letter(tokens[at], is_small=bracketed):
        return None
    letter, at = tokens[at].text, at + 1
    marked = text_at(tokens, at) == ")" or (not bracketed and text_at(tokens, at) == ".")
    at += marked
    if bracketed and not marked:
        return None
    at += braced and text_at(tokens, skip_blanks(tokens, at)) == "}"
    colon = text_at(tokens, at) in (":", ".")
    at += colon
    behind = _skip_spaces(tokens, at)
    if behind == len(tokens):
        return Choice(letter, "") if marked or named is not None else None
    if text_at(tokens, behind).lower() in (*CONNECTIVES, ",", ";"):
        return None  # several letters
    # What stands right behind the letter belongs to a formula, as in (A)x.
    shown = marked if named is None else colon
    return Choice(letter, text[tokens[behind].start :]) if shown and behind > at else None


def _is_letter(token: AnswerToken, *, is_small: bool) -> bool:
    return is_option(token) or (is_small and len(token.text) == 1 and "a" <= token.text <= "j")


def _skip_spaces(tokens: Sequence[AnswerToken], at: int) -> int:
    while at < len(tokens) and (is_blank(tokens[at]) or tokens[at].text in _SPACES):
        at += 1
    return at
