"""Values of other names than the question asks for: `x^2 = 5` is no answer to "Find x", nor S_n to "Find
a_n"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.harmless_words import HARMLESS_WORDS
from engines.grading.tokens import AnswerToken, is_blank, text_at, tokenize

_ASKING = make_phrases(
    "find, compute, evaluate, determine, calculate, what is, what's, find the value of",
    "compute the value of, determine the value of, what is the value of, calculate the value of",
    "evaluate the value of, bestimme, berechne, bestimmen sie, berechnen sie, was ist, calculer",
    "calcule, calculez, déterminer, déterminez, trouver, trouvez, calcula, calcular, halla, hallar",
    "determina, determinar, encuentra, calcola, trova, determinare, determine o, bereken, bepaal",
    "oblicz, найдите, вычислите, найти, вычислить, 求, 计算",
)
"""Words right before the term that a question asks for."""
_OWNERS = make_phrases(
    "number of divisors of, number of factors of, number of digits of, maximum value of",
    "minimum value of, maximum of, minimum of, area of, perimeter of, volume of, coordinates of, radius",
    "diameter, acceleration, velocity, speed, width, length, height",
)
"""Words before the name of a thing of which the question asks for something."""
_MARKS = frozenset(
    (
        "$",
        "{",
        "}",
        "\\left",
        "\\right",
        "\\,",
        "\\!",
        "\\;",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "\\mathrm",
        "\\operatorname",
        "\\boxed",
        "\\cdot",
    )
)
_ENDS = frozenset((".", "?", ",", ";", ":", "。", "？", "，", "!"))
_FUNCTIONS = frozenset(
    ("Var", "Cov", "det", "tr", "gcd", "lcm", "ln", "log", "sin", "cos", "tan", "Res", "max", "min", "exp")
)
_NAME_TOKENS = frozenset("_^'′()|")
_LONGEST = 24
"""Tokens of a side that names what its equation is about."""


def find_other_name(problem: str, gold: str, pred: str, are_equal: Callable[[str, str], bool]) -> str:
    """Return the name whose value an answer states and the term that is asked for, as `x^2 and x`; "" where
    these are the same or may be.

    Args: gold: the reference, which is a value without a name. pred: the answer. are_equal: compares terms.

    >>> find_other_name("Find x.", "5", "x^2 = 5", lambda one, other: one == other)
    'x^2 and x'
    >>> find_other_name("Find x.", "5", "x = 5", lambda one, other: one == other)
    ''
    """
    if "=" in gold or not problem or pred.count("=") < 1:
        return ""
    side = _read_side(pred)
    asked = _find_asked(problem)
    if not side or side == asked:
        return ""
    if not asked:
        owner = _find_owner(problem, side)
        return f"{''.join(side)} and something of {owner}" if owner else ""
    named, wanted = "".join(side), "".join(asked)
    if wanted.startswith(f"{named}(") or "\\circ" in asked:
        return ""
    if _is_name(asked):
        # y is the usual name for the value of a function.
        is_graph = named == "y" and len(asked) > 1 and asked[1] == "("
        is_fine = is_graph or (len(side) > 1 and are_equal(named, wanted))
    else:
        said = {token.text for token in tokenize(problem)}
        is_fresh = _is_name(side) and side[0] not in said
        is_fine = is_fresh or are_equal(named, wanted)
    return "" if is_fine else f"{named} and {wanted}"


def _list_tokens(text: str) -> list[AnswerToken]:
    written = "".join(_SIGNS.get(char, char) for char in text.replace("**", ""))
    return [token for token in tokenize(written) if not is_blank(token) and token.text not in _MARKS]


_SIGNS = {"∩": "\\cap ", "∪": "\\cup ", "·": "\\cdot ", "σ": "\\sigma ", "μ": "\\mu ", "²": "^2", "³": "^3"}


def _read_side(pred: str) -> list[str]:
    """Return the tokens of the left side of the one equation of an answer; [] for other answers."""
    tokens = _list_tokens(pred)
    signs = [at for at, token in enumerate(tokens) if token.text == "="]
    side = tokens[: signs[0]] if signs else []
    if len(side) == 1 and side[0].kind == "digits" and len(signs) == 1:
        side = tokens[signs[0] + 1 :]  # 5 = y
    start = max(
        (at + 1 for at, token in enumerate(side) if _is_long_word(token) or token.text in _ENDS), default=0
    )
    side = side[start:]
    has_letter = any(token.kind in ("word", "command") and token.text not in _CONSTANTS for token in side)
    is_name = has_letter and side[0].kind != "digits" and len(side) <= _LONGEST
    return [token.text for token in side] if is_name else []


_CONSTANTS = ("π", "\\pi", "e", "i", "\\sqrt", "\\frac", "\\dfrac", "\\tfrac", "\\cdot", "\\times")


def _is_long_word(token: AnswerToken) -> bool:
    """Return whether a token is a word that is no name of points, function or product of letters."""
    if token.kind != "word" or (len(token.text) == 1 and token.text < _FIRST_UNSPACED):
        return False
    is_product = len(token.text) == 2 and not HARMLESS_WORDS.is_whole([token])
    return not (token.text in _FUNCTIONS or (token.text.isupper() and token.text.isascii()) or is_product)


_FIRST_UNSPACED = "\u3040"


def _find_asked(problem: str) -> list[str]:
    """Return the tokens of the only term that a question asks for by a formula; [] for none."""
    tokens = _list_tokens(problem)
    asked: list[list[str]] = []
    for _, end, _ in _ASKING.find_all(tokens, 0, len(tokens)):
        stop = end
        while stop < len(tokens) and not _is_long_word(tokens[stop]) and tokens[stop].text not in _ENDS:
            stop += 1
        term = [token.text for token in tokens[end:stop]]
        ends = (
            stop >= len(tokens) or tokens[stop].text in _ENDS or tokens[stop].text in ("if", "given", "when")
        )
        if (
            term
            and ends
            and "=" not in term
            and any(token.kind in ("word", "command") for token in tokens[end:stop])
        ):
            asked.append(term)
    return asked[0] if len(asked) == 1 else []


def _find_owner(problem: str, side: Sequence[str]) -> str:
    """Return of what a question asks for something in words where the name of a value is another thing of it:
    n = 6 is no number of divisors of n; "" where the name may be right."""
    tokens = _list_tokens(problem)
    for at, end, _ in _OWNERS.find_all(tokens, 0, len(tokens)):
        owner = text_at(tokens, end)
        start = at - (text_at(tokens, at - 1).lower() == "the")
        is_asked = end - 1 >= 0 and _ASKING.match_before(tokens, start) is not None
        if not is_asked or not owner.isalpha() or (len(owner) > 1 and not owner.isupper()):
            continue
        asks_letter = text_at(tokens, end - 1).lower() not in ("of", "von", "de")
        is_other = [owner] != list(side) if asks_letter else owner == side[0] or _is_point(side, owner)
        is_place = (
            not asks_letter and len(side) == 1 and text_at(tokens, end - 2) == "value" and side[0] in "xyzt"
        )
        if is_other or is_place:
            return owner
    return ""


def _is_point(side: Sequence[str], owner: str) -> bool:
    """Return whether a name is another point or segment than a thing named by points."""
    return (
        owner.isupper() and side[0].isupper() and side[0] != owner and (len(owner) == 1 or len(side[0]) == 2)
    )


def _is_name(term: Sequence[str]) -> bool:
    """Return whether a term is the name of one thing: a letter, maybe with an index, or applied to
    something."""
    if len(term) == 1:
        return (len(term[0]) == 1 and term[0].isalpha()) or term[0].startswith("\\")
    is_letter = (len(term[0]) == 1 and term[0].isalpha()) or term[0] in _FUNCTIONS
    return (is_letter and term[1] in ("_", "(", "'")) or term[0].startswith("\\vec")
