r"""The final answer of a solution, as text: what is boxed, what is announced, or else what comes last.

A solution is parsed as tokens, of which each formula is one: boxes, announcements (`the answer is`), and in
what these leave the formulas and numbers with what is joined to them or limits them. The words are those of
`locales` and of the tables below.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from engines.formula.vocabulary import TRIGONOMETRIC_AND_HYPERBOLIC
from engines.grading.boxes_and_announcements import find_announced, find_boxed
from engines.grading.locales import (
    Locale,
    find_language,
    list_figures,
    with_decimal_points,
)
from engines.grading.other_notations import write_myriads
from engines.grading.rejected_values import drop_rejected
from engines.grading.solution_parser import SolutionParser
from engines.grading.tokens import (
    AnswerToken,
    is_blank,
    join_formulas,
    skip_blanks,
    text_at,
    tokenize,
)
from engines.language.numerals import with_ascii_digits

LONGEST = 200_000
"""Of a longer solution only so many characters at its end are searched."""


@dataclass(frozen=True, slots=True)
class StatedAnswer:
    """The final answer of a solution.

    Attributes: text: the answer. rivals: other quantities of the same sentence, where it does not say which
    of them is the answer.
    """

    text: str
    rivals: tuple[str, ...] = ()


def answer(solution: str, locale: Locale = "auto", beside: str = "") -> str:
    r"""Return the final answer in a solution; a text that is no more than an answer is that answer.

    Several boxes or formulas that belong together (`\boxed{1} and \boxed{2}`) are one answer, a list. Digits
    of other scripts are ASCII in it, and decimals have a point.

    Args:
        solution: A solution, or no more than an answer.
        locale: The language, which says how decimals are written; `auto`: that of the text.
        beside: What the answer is compared with, whose language counts where the text shows none.

    >>> answer(r"So $x$ is $2 + 3$, hence \boxed{\frac{5}{1}}. Check: $5$.")
    '\\frac{5}{1}'
    >>> answer("She pays 3 for each.\n#### 1,200")
    '1,200'
    """
    return find_answer(solution, locale, beside).text


@lru_cache(maxsize=128)
def find_answer(solution: str, locale: Locale = "auto", beside: str = "") -> StatedAnswer:
    """Return the final answer in a solution, as `answer` does, with what else its sentence may mean.

    >>> find_answer("A box of 5 weighs 30 kg")
    StatedAnswer(text='30 kg', rivals=('5',))
    """
    text = write_myriads(_write_signs(with_ascii_digits(repair_escapes(solution[-LONGEST:]))))
    text = drop_rejected(drop_end_of_proof(take_marked(text)))
    tokens = tokenize(text)
    result = _parse_solution(text, tokens)
    if not any(map(result.text.__contains__, ".,")):
        return result
    language = find_language(tokens) if locale == "auto" else locale
    if beside and not language and any("," in number.marks for number in list_figures(result.text)):
        language = find_language(tokenize(beside))
    asked = locale != "auto"
    return replace(result, text=with_decimal_points(result.text, language, asked=asked))


def take_last_sentence(text: str) -> str:
    """Return the last sentence of a text, or of what its last box or announcement says."""
    text = take_marked(with_ascii_digits(repair_escapes(text[-LONGEST:])))
    tokens = tokenize(text)
    boxed = find_boxed(text, tokens)
    if boxed is not None:
        return boxed
    first, last, _ = find_announced(text, tokens)
    solution = SolutionParser(text, tokens)
    first, last = solution.trim(first, last)
    start, end = first, solution.find_sentence_end(first, last, ".!?")
    while end < last and solution.trim(end, last)[0] < solution.trim(end, last)[1]:
        start = end + 1
        end = solution.find_sentence_end(start, last, ".!?")
    return solution.spell(start, end).strip()


def _parse_solution(text: str, tokens: Sequence[AnswerToken]) -> StatedAnswer:
    boxed = find_boxed(text, tokens)
    if boxed is not None:
        if "\\" in boxed:
            return StatedAnswer(repair_escapes(boxed))
        solution = SolutionParser(boxed, tokenize(boxed))
        return StatedAnswer(solution.find_in_words(0, len(solution.tokens), False))
    first, last, announced = find_announced(text, tokens)
    joined = join_formulas(text, tokens[first:last] if announced else tokens)
    solution = SolutionParser(text, joined)
    return StatedAnswer(solution.find_last(0, len(solution.tokens), announced), solution.rivals)


def take_marked(text: str) -> str:
    """Return what tags mark as the answer, without thoughts and drawings."""
    if "</think>" in text:
        text = text.rpartition("</think>")[2]
    if "[asy]" in text:
        first, *rest = text.split("[asy]")
        text = " ".join((first, *(part.partition("[/asy]")[2] for part in rest)))
    if "</answer>" in text:
        text = text.rpartition("</answer>")[0].rpartition("<answer>")[2]
    return text


def _write_signs(text: str) -> str:
    """Return a text with signs for the words of other scripts before numbers, as 根号2, and the code of a
    currency whose sign has a dollar in it."""
    if "$H_" in text:
        text = _open_hypotheses(text)
    if "R$" in text or "R\\$" in text:
        text = _write_reais(text)
    if text.isascii():
        return text
    for words, sign in _SIGNS_OF_SCRIPTS.items():
        text = text.replace(words, sign)
    return _write_fractions(text)


def _open_hypotheses(text: str) -> str:
    """Return a text in which the names of hypotheses are words of their sentence, as in `Reject $H_0$`."""
    for name in ("H_0", "H_1", "H_a", "H_A"):
        text = text.replace(f"${name}$", name)
    return text


def _write_fractions(text: str) -> str:
    """Return a text with fractions that are one sign in figures: `4⅔` as 4 2/3, and `⅔x` as (2/3)x."""
    if _FRACTIONS.isdisjoint(text):
        return text
    written = ""
    for at, sign in enumerate(text):
        if sign not in _FRACTIONS:
            written += sign
            continue
        figures = unicodedata.normalize("NFKC", sign).replace("⁄", "/")
        if written[-1:].isdigit():
            written += f" {figures}"
        else:
            # Behind a space a unit may follow, or a factor such as a function: ½ ln x.
            is_factor = bool(text[at + 1 : at + 2].strip()) or _begins_factor(text[at + 1 :])
            written += f"({figures})" if is_factor else figures
    return written


def _begins_factor(text: str) -> bool:
    """Return whether a text begins with a function, a root or a bracket, and not with a unit."""
    tokens = [token for token in tokenize(text) if not is_blank(token)]
    first = tokens[0].text if tokens else ""
    return first in tuple("(|√π") or first.removeprefix("\\") in _FUNCTIONS


_FUNCTIONS = frozenset(("ln", "log", "exp", "sqrt", "pi", "e", *TRIGONOMETRIC_AND_HYPERBOLIC))
_FRACTIONS = frozenset("⅓⅔⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒½¼¾")


def _write_reais(text: str) -> str:
    """Return a text with the code of a currency for its sign `R$` before an amount."""
    tokens = tokenize(text)
    written, at = "", 0
    while at < len(tokens):
        before = at - 1
        while before >= 0 and is_blank(tokens[before]):
            before -= 1
        amount = skip_blanks(tokens, at + 2)
        is_sign = tokens[at].text == "R" and text_at(tokens, at + 1) in ("$", "\\$")
        # The set of real numbers may end a formula: `x \in \mathbb R$`.
        opens = before < 0 or tokens[before].kind in ("word", "digits") or tokens[before].text in ",;(:="
        if is_sign and opens and amount < len(tokens) and tokens[amount].kind == "digits":
            written, at = f"{written}BRL ", at + 2
        else:
            written, at = written + tokens[at].text, at + 1
    return written


def write_leading_zeros(text: str) -> str:
    """Return a text with a zero before each decimal point that has no figure before it.

    >>> write_leading_zeros("It is .5."), write_leading_zeros("1.5 and ... 7"), write_leading_zeros(",5")
    ('It is 0.5.', '1.5 and ... 7', '0,5')
    """
    if not any(f"{mark}{digit}" in text for mark in ".," for digit in "0123456789"):
        return text
    tokens = tokenize(text)
    written = ""
    for at, token in enumerate(tokens):
        is_point = token.text == "." or (token.text == "," and not written.strip("$ "))
        before = tokens[at - 1] if at else None
        begins = before is None or before.kind in ("space", "line") or before.text in _BEFORE_POINTS
        is_led = begins and at + 1 < len(tokens) and tokens[at + 1].kind == "digits"
        written += f"0{token.text}" if is_point and is_led else token.text
    return written


_BEFORE_POINTS = (
    "$",
    "{",
    "(",
    "[",
    "=",
    "+",
    "-",
    "−",
    "*",
    "/",
    "<",
    ">",
    "≈",
    "≤",
    "≥",
    "\\$",
    "~",
    "&",
    ":",
    ",",
)


def lead_with_dollars(text: str) -> str:
    r"""Return a text whose only dollar sign stands behind an amount with that before it, as $5 for 5$.

    >>> lead_with_dollars("It costs 5 $."), lead_with_dollars("-5 $"), lead_with_dollars("x = 5$")
    ('It costs $5.', '-$5', 'x = 5$')
    """
    if text.count("$") != 1:
        return text
    tokens = tokenize(text)
    sign = next((at for at, token in enumerate(tokens) if token.text == "$"), 0)
    end = sign - (sign > 0 and is_blank(tokens[sign - 1]))
    first = end
    while first and (tokens[first - 1].kind == "digits" or tokens[first - 1].text in (".", ",")):
        first -= 1
    first -= first > 0 and tokens[first - 1].text in ("-", "−")
    before = next((token for token in reversed(tokens[:first]) if not is_blank(token)), None)
    # Behind an operator the sign is rather one of two that delimit a formula.
    is_amount = before is None or (before.kind == "word" and len(before.text) > 1) or before.text == ":"
    ends = sign + 1 == len(tokens) or is_blank(tokens[sign + 1]) or tokens[sign + 1].text in tuple(".,!?;:)")
    digits = first + (text_at(tokens, first) in ("-", "−"))
    if digits >= end or tokens[digits].kind != "digits" or not (is_amount and ends):
        return text
    amount = text[tokens[digits].start : tokens[end - 1].end]
    return f"{text[: tokens[digits].start]}${amount}{text[tokens[sign].end :]}"


def _write_exponents(text: str) -> str:
    """Return a text with exponents of units that are formulas of their own, as `cm$^2$`, as small figures."""
    tokens = tokenize(text)
    written: list[str] = []
    at = 0
    while at < len(tokens):
        if (
            tokens[at].text == "$"
            and text_at(tokens, at + 1) == "^"
            and at
            and tokens[at - 1].kind in ("word", "digits")
        ):
            end = next((end for end in range(at + 2, len(tokens)) if tokens[end].text == "$"), at)
            exponent = "".join(token.text for token in tokens[at + 2 : end]).strip("{} ")
            is_figure = exponent.removeprefix("-").isdecimal() and tokens[at - 1].kind == "word"
            if is_figure or exponent == "\\circ":
                written.append(exponent.translate(_RAISED) if is_figure else "°")
                at = end + 1
                continue
        written.append(tokens[at].text)
        at += 1
    return "".join(written)


_RAISED = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_SIGNS_OF_SCRIPTS = {
    "根号下": "√",
    "根号": "√",
    "ルート": "√",
    "プラスマイナス": "±",
    "マイナス": "-",
    "正负": "±",
    "零下": "-",
    "氷点下": "-",
    "영하 ": "-",
}


def drop_end_of_proof(text: str) -> str:
    r"""Return a text without the sign that ends a proof, as `\blacksquare`, and the dollars of that."""
    bare = text.rstrip(" \n\t.$")
    if not bare.endswith(_ENDS_OF_PROOFS):
        return text
    mark = next(filter(bare.endswith, _ENDS_OF_PROOFS))
    rest = bare.removesuffix(mark).rstrip()
    if not rest.strip("$"):
        return text
    if rest.count("$") % 2:
        rest = rest.removesuffix("$") if rest.endswith("$") else f"{rest}$"
    return rest


_ENDS_OF_PROOFS = ("\\blacksquare", "\\square", "\\Box", "\\qed", "∎", "■", "□", "Q.E.D", "QED", "q.e.d")


def repair_escapes(text: str) -> str:
    r"""Return a text without the traces of other programs.

    These are commands with two backslashes, commands whose `\f`, `\b`, `\t` or `\r` became a control
    character, Markdown's stars, and tokens that end a turn.

    >>> repair_escapes("**$\x0crac12$**<|im_end|>")
    '$\\frac12$'
    """
    if not text.isprintable():
        # JSON that was decoded twice turns `\f` of `\frac` into a form feed, and so on.
        for broken, letters in _BROKEN:
            text = broken.sub(letters, text)
        text = _CONTROL.sub(" ", text)
    if "\\" in text:
        # Backslashes are doubled throughout or not at all: a single one elsewhere means that `\\` ends a
        # line.
        if _DOUBLED.search(text) and not _SINGLE.search(text):
            text = _DOUBLED.sub(r"\\", text)
        text = _WRITTEN_LINE.sub("\n", text)
    if "<" in text:
        text = _TURN.split(text, maxsplit=1)[0] if not text.startswith("<|") else _TURN.sub(" ", text)
    if "`" in text:
        text = text.replace("`", " ")
    if "..." in text:
        text = _GOING_ON.sub("…", text)
    if "$^" in text:
        text = _write_exponents(text)
    return _STARS.sub("", text) if "**" in text else text


_BROKEN = tuple(
    (re.compile(rf"\\*{char}(?={rest})"), rf"\\{letter}")
    for char, letter, rest in (
        ("\x0c", "f", "rac|orall|lat"),
        ("\x08", "b", "oxed|egin|inom|eta|ar|oldsymbol|mod|f"),
        ("\t", "t", "ext|frac|imes|heta|an|o |au|riangle"),
        ("\r", "r", "ight|angle|ho|m\\{"),
    )
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
_DOUBLED = re.compile(
    r"\\\\(?=(?:[dt]?frac|sqrt|boxed|left|right|text|pi|cdot|times|begin|end|math[a-z]+|infty|cup|cap|pm|leq?|geq?"
    r"|neq?|circ|sin|cos|tan|log|ln|in|alpha|beta|theta|quad|[()\[\]])(?![a-z]))"
)
_SINGLE = re.compile(r"(?<!\\)\\[a-zA-Z(\[]")
_WRITTEN_LINE = re.compile(r"\\n(?![a-z])|\\n(?=\\n)")
_GOING_ON = re.compile(r"(?<=\d)(?<=[.\d]{3})\s*\.{3,}|(?<=[-+−·*,])\s*\.{3,}")
"""Behind decimals and operators, where three full stops are one sign and end no sentence."""
_STARS = re.compile(r"(?<![\w)}])\*\*|\*\*(?![\w({\\])")
_TURN = re.compile(r"<\|[a-z_]+\|>|<(?:eos|/s|end_of_turn)>")
