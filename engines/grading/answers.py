r"""The final answer of a solution, as text: what is boxed, what is announced, or else what comes last."""

from __future__ import annotations

import re
from itertools import pairwise

from engines.formula.brackets import find_closing
from engines.formula.notations import is_written_with_names
from engines.formula.words import CONNECTIVES, begins_with_set
from engines.grading.locales import ANNOUNCED, DECIMAL_WITH_COMMA, Locale, language_of, with_decimal_points
from engines.grading.numbers import in_words
from engines.grading.quantities import is_quantity
from engines.language.numerals import find_numerals, with_ascii_digits

LONGEST = 200_000
"""Of a longer solution only so many characters at its end are searched."""


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
    text = with_ascii_digits(repair_escapes(solution[-LONGEST:]))
    language = language_of(text, locale)
    found = _find_answer(text, language)
    if beside and not language and DECIMAL_WITH_COMMA.match(found):
        language = language_of(beside)
    return with_decimal_points(found, language, asked=locale != "auto")


def _find_answer(text: str, language: str) -> str:
    if "..." in text:
        text = _GOING_ON.sub("…", text)
    if "</think>" in text:
        text = text.rpartition("</think>")[2]
    if "[asy]" in text:
        first, *rest = text.split("[asy]")
        text = " ".join((first, *(part.partition("[/asy]")[2] for part in rest)))
    if "</answer>" in text:
        text = text.rpartition("</answer>")[0].rpartition("<answer>")[2]
    boxed = _find_boxed(text)
    if boxed is not None:
        return repair_escapes(boxed) if "\\" in boxed else _find_plain_answer(boxed, False)
    announced = False
    for pattern in (*_ANNOUNCED, *([ANNOUNCED[language]] if language in ANNOUNCED else [])):
        found = None
        for found in pattern.finditer(text):  # noqa: B007  # the last one
            pass
        if found is not None and text[found.end() :].strip(_LOOSE):
            text, announced = text[found.end() :], True
            text = text.lstrip().partition("\n\n")[0]
            break
    return _find_last_answer(text.strip(), announced)


_GOING_ON = re.compile(r"(?<=\d)(?<=[.\d]{3})\s*\.{3,}")
"""Behind decimals, whose full stops end no sentence."""


def repair_escapes(text: str) -> str:
    r"""A text without what passing through other programs did to it: commands with two backslashes, or whose
    `\f`, `\b`, `\t` or `\r` became a control character; Markdown's stars; tokens that end a turn.

    >>> repair_escapes("**$\x0crac12$**<|im_end|>")
    '$\\frac12$'
    """
    if not text.isprintable():
        for broken, letters in _BROKEN:
            text = broken.sub(letters, text)
        text = _CONTROL.sub(" ", text)
    if "\\" in text:
        if _DOUBLED.search(text) and not _SINGLE.search(text):
            text = _DOUBLED.sub(r"\\", text)
        text = _WRITTEN_LINE.sub("\n", text)
    if "<" in text:
        text = _TURN.split(text, maxsplit=1)[0] if not text.startswith("<|") else _TURN.sub(" ", text)
    if "`" in text:
        text = text.replace("`", " ")
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
_STARS = re.compile(r"(?<![\w)}])\*\*|\*\*(?![\w({\\])")
_TURN = re.compile(r"<\|[a-z_]+\|>|<(?:eos|/s|end_of_turn)>")
_LOOSE = " \n\t.,;:!*$。，"

_ANNOUNCED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"final answer is\s*:?|final answer\s*:\s*(?:the (?:final )?answer is\s*:?)?|^\s*####|\n\s*####",
        r"\banswer\s*(?:\([^)]*\)\s*)?(?:is|are)\s*:?|\banswers?\s*:|\banswer\s*=",
    )
)


def _find_boxed(text: str) -> str | None:
    r"""Return what the last `\boxed` holds, with those before it that are joined to it; None without one."""
    boxes: list[tuple[int, int, str]] = []
    end = len(text)
    while len(boxes) < _MANY:
        start = max(text.rfind(command, 0, end) for command in ("\\boxed", "\\fbox", "boxed{"))
        if start < 0:
            break
        inside, after = _read_braces(
            text, text.find("{", start) if "{" in text[start : start + 8] else start + 6
        )
        if boxes and not _is_list_separator(text[after : boxes[-1][0]]):
            break
        if after > start and inside.strip() and (not boxes or after <= boxes[-1][0]):
            boxes.append((start, after, inside.strip()))
        end = start
    if not boxes:
        return None
    boxes.reverse()
    joins = [_read_join(text[one[1] : other[0]]) for one, other in pairwise(boxes)]
    return _join_answers([box[2] for box in boxes], joins)


def _read_join(between: str) -> str:
    """Return what joins two answers: a comma, or the word between them where that is "or"."""
    return r" \text{ or } " if _OR.search(_FORMAT.sub(" ", between)) else ", "


def _join_answers(parts: list[str], joins: list[str]) -> str:
    """Answers, each once, with what joins them."""
    result = parts[0]
    for place, part in enumerate(parts[1:]):
        if part not in parts[: place + 1]:
            result += joins[place] + part
    return result


_MANY = 2_000
"""More boxes are longer than an answer that is read."""


def _read_braces(text: str, start: int) -> tuple[str, int]:
    """Return what the braces at `start` hold, and where that ends; without braces the next word, to the
    end of its line where they are not closed."""
    if text[start : start + 1] != "{":
        word = re.compile(r"\s*(\\?[A-Za-z]+|[^\s{}$\\]+)").match(text, start)
        return (word[1], word.end()) if word else ("", start)
    end = find_closing(text, start)
    if end >= 0:
        return text[start + 1 : end], end + 1
    line = text.find("\n", start)
    line = len(text) if line < 0 else line
    return text[start + 1 : line].rstrip("$ ."), line


def _is_list_separator(between: str) -> bool:
    """Return whether what stands between two answers makes them a list: a comma or an "and", and little
    else."""
    plain = _FORMAT.sub(" ", between)
    few = len(plain.split()) <= _WORDS_BETWEEN and "." not in plain
    return few and bool(_JOIN.search(plain)) and not _REASONS.search(plain)


_WORDS_BETWEEN = 5
_JOINING = {
    label: "|".join(rf"\b{word}\b" for word, kind in CONNECTIVES.items() if kind == label and word.isalpha())
    for label in ("and", "or")
}
_JOIN = re.compile(rf"[,;、]|{_JOINING['and']}|{_JOINING['or']}")
_OR = re.compile(_JOINING["or"])
_REASONS = re.compile(
    r"\b(?:wait|no|not|actually|sorry|instead|rather|but|because|since|as|so|hence|thus|then|therefore|where|when|if|which|with)\b|=",
    re.IGNORECASE,
)
_FORMAT = re.compile(r"\\(?:text|quad|qquad|mbox|textbf|mathrm)(?![a-z])|\\[,;:! ()\[\]]|[{}$~]")

_MATH = re.compile(
    r"\$\$(?P<a>.+?)\$\$|(?<!\\)\$(?P<b>(?:\\.|[^$\\])+)\$|\\\((?P<c>(?:(?!\\\().)+?)\\\)"
    r"|\\\[(?P<d>(?:(?!(?<!\\)\\\[).)+?)\\\]"
    r"|\\begin\{(?P<env>(?:equation|align|gather|multline|displaymath|math)\*?)\}(?P<e>(?:(?!\\begin\{(?P=env)\}).)+?)\\end\{(?P=env)\}",
    re.DOTALL,
)


def _find_last_answer(text: str, announced: bool) -> str:
    """Return the last answer of a text without boxes."""
    formulas = list(_MATH.finditer(text))
    if not formulas:
        return _find_plain_answer(text, announced)
    for formula in reversed(formulas):
        if said := _INSIDE.match(formula[0]):
            return _formula_content(formula).partition(said[1])[2].strip()
    if announced:
        # "the answer is $x$, because $y$": what comes first, with what is joined to it.
        first = 0
        lead = _SAID.search(text[: formulas[0].start()])
        if _NUMBER.search(text[: formulas[0].start()]) and not lead:
            return _find_plain_answer(text[: formulas[0].start()], announced)
        last = first
        while last + 1 < len(formulas) and _is_list_separator(_text_before_formula(text, formulas, last)):
            last += 1
        rest = text[formulas[last].end() :]
        said = _SAID.match(rest)
        if said is not None and _is_single_answer(_formula_content(formulas[last])):
            return _find_last_answer(rest[said.end() :], True)
        if said is not None or (
            _is_single_answer(_formula_content(formulas[last])) and len(formulas) > last + 1
        ):
            return _find_last_answer(rest, False)
    else:
        first = last = len(formulas) - 1
        rest = text[formulas[last].end() :]
        said = _SAID.match(rest)
        if said is not None and _is_single_answer(_formula_content(formulas[last])):
            return _find_plain_answer(rest[said.end() :], True)
        if _CONCLUDES.search(rest):
            return _find_plain_answer(rest, False)
        while first and _is_list_separator(_text_before_formula(text, formulas, first - 1)):
            first -= 1
    found = [_formula_content(one) for one in formulas[first : last + 1]]
    changed, limited = _BEFORE.search(text[: formulas[first].start()]), _AFTER.match(rest)
    if changed:
        found[0] = f"\\text{{{changed[0]}}} {found[0]}"
    joins = [_read_join(_text_before_formula(text, formulas, place)) for place in range(first, last)]
    joined = _join_answers(found, joins)
    if changed or limited:
        return joined + (f" \\text{{{limited[0]}}}" if limited else "")
    if len(found) == 1:
        before = text[: formulas[first].start()].strip()
        after = re.split(r"[.!?](?:\s|$)|\n", rest, maxsplit=1)[0].strip(_LOOSE)
        short = len(after.split()) <= _UNIT_WORDS and not _NUMBER.search(after) and "\\" not in after
        if after and short and (not before or announced) and not _SAID.match(after):
            return f"{found[0]} \\text{{ {after}}}"
    return joined


_INSIDE = re.compile(r"\W*(?:text\s*\{\s*)?((?i:answer)\s*(?:is|:|=)\s*\}?)")
_UNIT_WORDS = 3
_CONCLUDES = re.compile(r"\b(?:therefore|thus|hence|so)\b[^$\\]*?\d", re.IGNORECASE)
_SAID = re.compile(r"[\s,]*(?:is|are|equals?|=|was|would be|must be|will be)\b\s*:?", re.IGNORECASE)


def _text_before_formula(text: str, formulas: list[re.Match[str]], number: int) -> str:
    return text[formulas[number].end() : formulas[number + 1].start()]


def _formula_content(formula: re.Match[str]) -> str:
    inside = next(part for name, part in formula.groupdict().items() if name != "env" and part is not None)
    if formula["env"] or ("\\\\" in inside and "\\begin" not in inside):
        # Of several lines the last.
        lines = [line.replace("&", " ").strip() for line in inside.split("\\\\")]
        inside = next((line for line in reversed(lines) if line), "")
    return inside.strip()


def _is_single_answer(formula: str) -> bool:
    return re.fullmatch(r"\\?[A-Za-z]+(?:_\w|_\{\w+\})?|[A-Za-z]\([A-Za-z]\)", formula.strip()) is not None


_NUMBER = re.compile(r"\d")


def _find_plain_answer(text: str, announced: bool) -> str:
    """Return the answer of a text without formulas: itself where it is short, or else what it says last."""
    text = text.strip()
    if (
        begins_with_set(text)
        or ("=" not in text and is_written_with_names(text))
        or is_quantity(text.rstrip(_LOOSE))
    ):
        return text
    if text.endswith("\\right."):
        return text
    if announced:
        text = _SENTENCE_END.split(text, maxsplit=1)[0].strip()
    text = _CONCLUSION.sub("", text)
    match = _LEAD.match(text)
    text = text[match.end() :] if match and not _MODIFIED.search(text) else text
    short = text.rstrip(_LOOSE if announced else _LOOSE.replace("!", ""))
    if not short.isascii() and (counted := _find_counted(short)):
        return counted[-1][0].strip() if len(short) > len(counted[-1][0]) else short
    if not re.search(r"[a-z]{2}\s+\S*[a-z]{2}", short, re.IGNORECASE) or "\\" in short:
        return short  # no sentence
    if announced:
        said = list(re.finditer(r"\b(?:is|are|equals|was)\b|=", short))
        if said:
            short = short[said[-1].end() :].strip(_LOOSE)
        if not _NUMBER.search(short) or _QUANTITY.fullmatch(short):
            return _find_spelt_number(short) or short
    else:
        said = list(re.finditer(r"\b(?:is|are|equals)\b|=", short))
        end = short[said[-1].end() :].strip(_LOOSE) if said else ""
        if end and _NUMBER.search(end) and not re.search(r"[A-Za-z]{3}", end):
            return end
    if not announced and len({*_LETTERS.findall(short)}) > 1:
        return short
    option = _OPTION.search(short)
    numbers = list(_QUANTITY.finditer(short))
    if option and not (numbers and numbers[-1].start() > option.end()):
        return option[1]
    if not numbers:
        return _find_spelt_number(short) or short
    first, last = numbers[-1].span()
    before, after = _BEFORE.search(short[:first]), _AFTER.match(short[last:])
    first = before.start() if before else first
    return short[first : last + (after.end() if after else 0)].strip().rstrip(",.;:")


def _find_spelt_number(text: str) -> str:
    """Return the only number in words of a sentence; "" where there is none, or something with it changes
    it."""
    found = find_numerals(text)
    if len(found) != 1 or in_words(text) is not None:
        return ""
    start, end = found[0]
    changed = _BEFORE.search(text[:start]) or _AFTER.match(text[end:]) or _MODIFIED.search(text)
    if changed or text[start:end].lower() in _NO_NUMBERS:
        return ""
    percent = _PERCENT.match(text, end)
    return text[start : percent.end() if percent else end]


_PERCENT = re.compile(r"\s*per ?cent\b")


_NO_NUMBERS = ("one", "a half", "half", "third", "quarter")
"""Numerals that are more often something else: this one, a third of them."""


def _find_counted(text: str) -> list[re.Match[str]]:
    """Return the numbers with what they count behind them; a word that joins formulas is not counted."""
    found = list(_COUNTED.finditer(text))
    joined = any(match[0].lstrip("-0123456789.,:/ \u00a0") in CONNECTIVES for match in found)
    return [] if joined else found


_COUNTED = re.compile(
    r"-?\d[\d.,\u00a0]*(?:\s?[:/]\s?\d+)?\s?[%\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff]+(?![\d\w])"
)
"""A number with a word of another script behind it, as 42只."""
_LIMITS = (
    r"(?:at least|at most|less than|more than|fewer than|greater than|up to|not|below|above|under|over"
    r"|cannot be|can't be|isn't|never|between\s+\S+\s+and|(?:(?:square|cube) )?root of|half(?: of)?"
    r"|twice|double|triple|negative|minus)"
)
_BEFORE = re.compile(rf"\b{_LIMITS}(?: the)?\s*$", re.IGNORECASE)
_AFTER = re.compile(
    r"\s*(?:or (?:more|less|fewer|greater|higher|lower)|below|above"
    r"|is (?:not|wrong|incorrect|false|impossible)|factorial|dozen|hundred|thousand"
    r"|[mbt]r?illion)\b",
    re.IGNORECASE,
)
_MODIFIED = re.compile(
    rf"\b{_LIMITS}\b|\bor (?:more|less|fewer)\b|\b(?:January|February|March|April|May|June|July|August"
    r"|September|October|November|December)\b",
    re.IGNORECASE,
)
"""What stands with a number and says that it is another."""
_SENTENCE_END = re.compile(r"[.!?;](?:\s|$)|。|\n|, (?:because|since|so|as|which|not)\b")
_CONCLUSION = re.compile(r"(?:so|thus|hence|therefore|then)\b[,:]?\s+", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:(?!not\b|minus\b|negative\b|(?:arc)?(?:sin|cos|tan)|sec|csc|cot|log|exp|sqrt)[A-Za-z]{3,}\s+)+"
    r"(?=[$€£]?[-+]?\.?\d)"
)
_OPTION = re.compile(r"\b(?i:option|choice|answer)\b(?:\s+is)?\s*:?\s*\(?([A-J])\)?(?![\w'])")
_LETTERS = re.compile(r"\(([A-J])\)")
_UNIT = r"%|°|pct|per ?cent|[a-zµ]{1,3}[²³]|(?:k|c|m)?m\b|kg\b|g\b"
_QUANTITY = re.compile(
    r"(?<![\w.^])(?:\d+ (?=\d+/\d))?[$€£]?\s?[-−+]?\s?[$€£]?"
    r"(?:\d{1,3}(?:[, ]\d{3})+(?!\d)|\d+)?(?:[.,]\d+|\d)"
    r"(?:\s?[/:^]\s?-?\d+(?:\.\d+)?)*"
    rf"(?:\s?[$€£])?(?:\s?(?:{_UNIT})(?![\w]))?",
    re.IGNORECASE,
)
