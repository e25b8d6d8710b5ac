"""Values of other terms than the question asks for: `f(3) = 5` is no answer to "Find f(2)"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.grading.tokens import AnswerToken, is_blank, text_at, tokenize

_MARKS = ("'", "′", "’", "\\prime", "^", "{", "}")
"""What stands between the name of a function and its argument, as in `f'(2)` and `f^{\\prime}(2)`."""
_PRIMES = ("'", "′", "’", "\\prime")
_PASSED = ("$", "\\left", "\\right", "\\bigl", "\\bigr", "\\,", "\\!")
_FUNCTIONS = frozenset("fgh")


@dataclass(frozen=True, slots=True)
class _Application:
    """A function of one letter, with its primes, and its argument; "" for none."""

    name: str
    argument: str

    def spell(self) -> str:
        return f"{self.name}({self.argument})" if self.argument else self.name


def find_other_term(problem: str, gold: str, pred: str) -> str:
    """Return whose value an answer states and whose value is asked for, as `f(3) and f(2)`; "" where the
    question may ask for the first.

    Args: gold: the reference; where it has a function itself, nothing is found.

    >>> find_other_term("Find f(2).", "5", "f(3) = 5")
    'f(3) and f(2)'
    >>> find_other_term("Where does f grow?", "x < 1", "f' grows for x < 1")
    "f' and f"
    >>> find_other_term("Let f(x) = x + 3. What is the value at 2?", "5", "f(2) = 5")
    ''
    """
    if any(_iterate_functions(_list_tokens(gold))):
        return ""
    asked = list(_iterate_functions(_list_tokens(problem)))
    named = {token.text for token in tokenize(problem)}
    for said in _iterate_functions(_list_tokens(pred)):
        if said in asked:
            continue
        for other in asked:
            has_other_place = said.name == other.name and said.argument and said.argument not in named
            has_other_name = said.argument == other.argument and said.name not in {one.name for one in asked}
            # The derivative at the place of a value may be what is asked for in words.
            is_derivative = said.argument != "" and said.name.rstrip("'") == other.name.rstrip("'")
            if (has_other_place and other.argument) or (has_other_name and not is_derivative):
                return f"{said.spell()} and {other.spell()}"
    return ""


def _list_tokens(text: str) -> list[AnswerToken]:
    return [token for token in tokenize(text) if not is_blank(token) and token.text not in _PASSED]


def _iterate_functions(tokens: Sequence[AnswerToken]) -> Iterator[_Application]:
    """Yield the functions of tokens: applied to a number, or f, g and h of which a word says something."""
    for at, token in enumerate(tokens):
        if token.kind != "word" or len(token.text) > 1:
            continue
        end = at + 1
        while text_at(tokens, end) in _MARKS:
            end += 1
        primes = "'" * sum(text_at(tokens, place) in _PRIMES for place in range(at + 1, end))
        is_plain = "^" not in [text_at(tokens, place) for place in range(at + 1, end)] or bool(primes)
        argument = text_at(tokens, end + 1) if text_at(tokens, end) == "(" else ""
        if is_plain and argument.isdecimal() and text_at(tokens, end + 2) == ")":
            yield _Application(token.text + primes, argument)
        elif (
            is_plain
            and token.text in _FUNCTIONS
            and len(text_at(tokens, end)) > 1
            and tokens[end].kind == "word"
        ):
            yield _Application(token.text + primes, "")


def _is_long_word(token: AnswerToken) -> bool:
    return token.kind == "word" and len(token.text) > 1
