r"""The final answer of a solution, as text: what is boxed, what is announced, or else what comes last.

A solution is parsed as tokens, of which each formula is one: boxes, announcements (`the answer is`), and in
what these leave the formulas and numbers with what is joined to them or limits them. The words are those of
`locales` and of the tables below.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from engines.formula.latex_conversion import is_written_with_names
from engines.formula.vocabulary import CONNECTIVES, begins_with_set
from engines.grading.answer_vocabulary import (
    ALTERNATIVES,
    ASSIGNMENTS,
    CAUSES,
    CONCLUSIONS,
    CONTRASTS,
    COPULAS,
    CURRENCIES,
    FINAL_VERBS,
    FORMAT,
    FURTHER_LIMITS,
    JOINS,
    KEPT,
    MONTHS,
    MOST_BOXES,
    MOST_LISTED,
    NO_NUMBERS,
    OPTIONS,
    PERCENT,
    REASONS,
    SHARES,
    SHORT_UNITS,
    SUBORDINATE,
    UNIT_WORDS,
    WORDS_BETWEEN,
)
from engines.grading.choices import is_option
from engines.grading.locales import (
    LIMITS,
    Locale,
    find_language,
    list_figures,
    match_announcement,
    may_announce,
    with_decimal_points,
)
from engines.grading.numbers import in_words
from engines.grading.quantity_reader import is_quantity
from engines.grading.tokens import (
    AnswerToken,
    Phrases,
    is_blank,
    join_formulas,
    match_braces,
    skip_blanks,
    text_at,
    tokenize,
)
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
    text = _take_marked(with_ascii_digits(repair_escapes(solution[-LONGEST:])))
    tokens = tokenize(text)
    result = _find_answer(text, tokens)
    if not any(map(result.__contains__, ".,")):
        return result
    language = find_language(tokens) if locale == "auto" else locale
    if beside and not language and any("," in number.marks for number in list_figures(result)):
        language = find_language(tokenize(beside))
    return with_decimal_points(result, language, asked=locale != "auto")


def _find_answer(text: str, tokens: Sequence[AnswerToken]) -> str:
    boxed = _find_boxed(text, tokens)
    if boxed is not None:
        return repair_escapes(boxed) if "\\" in boxed else _parse_words(boxed)
    first, last, announced = _find_announced(text, tokens)
    solution = _Solution(text, join_formulas(text, tokens[first:last]))
    return solution.find_last(0, len(solution.tokens), announced)


def _parse_words(text: str) -> str:
    solution = _Solution(text, tokenize(text))
    return solution.find_in_words(0, len(solution.tokens), False)


def _take_marked(text: str) -> str:
    """Return what tags mark as the answer, without thoughts and drawings."""
    if "</think>" in text:
        text = text.rpartition("</think>")[2]
    if "[asy]" in text:
        first, *rest = text.split("[asy]")
        text = " ".join((first, *(part.partition("[/asy]")[2] for part in rest)))
    if "</answer>" in text:
        text = text.rpartition("</answer>")[0].rpartition("<answer>")[2]
    return text


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
_GOING_ON = re.compile(r"(?<=\d)(?<=[.\d]{3})\s*\.{3,}")
"""Behind decimals, where three full stops are one sign and end no sentence."""
_STARS = re.compile(r"(?<![\w)}])\*\*|\*\*(?![\w({\\])")
_TURN = re.compile(r"<\|[a-z_]+\|>|<(?:eos|/s|end_of_turn)>")
_LOOSE = " \n\t.,;:!*$。，"

# ---- boxes and announcements


def _find_boxed(text: str, tokens: Sequence[AnswerToken]) -> str | None:
    r"""Return what the last `\boxed` holds, with those before it that are joined to it; None without one."""
    starts = [
        at
        for at, token in enumerate(tokens)
        if token.text in ("\\boxed", "\\fbox") or (token.text == "boxed" and text_at(tokens, at + 1) == "{")
    ]
    closing = match_braces(tokens) if starts else {}
    boxes: list[tuple[int, int, str]] = []
    # From the last box backwards, as long as boxes are members of one list (`\boxed{1}` and `\boxed{2}`).
    for at in reversed(starts[-MOST_BOXES:]):
        inside, end = _read_box(text, tokens, at, closing)
        if boxes and not _is_list_separator(tokens[end : boxes[-1][0]]):
            break
        if inside and (not boxes or end <= boxes[-1][0]):
            boxes.append((at, end, inside))
    if not boxes:
        return None
    boxes.reverse()
    between = [tokens[one[1] : other[0]] for one, other in pairwise(boxes)]
    return _join_answers([box[2] for box in boxes], between)


def _read_box(text: str, tokens: Sequence[AnswerToken], at: int, closing: dict[int, int]) -> tuple[str, int]:
    """Return what a box holds, and the index behind it: a group, which ends with its line where it is not
    closed, or the next word."""
    opening = skip_blanks(tokens, at + 1)
    if text_at(tokens, opening) != "{":
        if opening >= len(tokens) or text_at(tokens, opening) in ("}", "$"):
            return "", opening
        return tokens[opening].text, opening + 1
    if opening in closing:
        end = closing[opening]
        return text[tokens[opening].end : tokens[end].start].strip(), end + 1
    end = next((i for i in range(opening, len(tokens)) if tokens[i].kind == "line"), len(tokens))
    return text[tokens[opening].end : tokens[end - 1].end].rstrip("$ .").strip(), end


def _find_announced(text: str, tokens: Sequence[AnswerToken]) -> tuple[int, int, bool]:
    """Return where the paragraph behind the last announcement begins and ends, and whether there is one.

    A final answer goes before other ones, and English before other languages.
    """
    best = 0, 0
    places = enumerate(tokens) if "#" in text or may_announce(tokens) else ()
    for at, token in places:
        if token.kind not in ("word", "sign"):
            continue
        # Ranks: 3 for `####` and final answers, 2 for answers in English, 1 for those in other languages,
        # whose words are more often something else.
        if token.text == "#":
            rank, end = (3, at + 4) if _is_marked(tokens, at) else (0, 0)
        elif (announced := match_announcement(tokens, at)) is None:
            continue
        elif announced[1] == "en":
            final = text_at(tokens, at - 2).lower() == "final"
            rank, end = (3 if final else 2), announced[0]
        else:
            rank, end = 1, announced[0]
        # The last one of the highest rank that is followed by something.
        if rank and rank >= best[0] and text[tokens[end - 1].end :].strip(_LOOSE):
            best = rank, end
    if not best[0]:
        return 0, len(tokens), False
    first = skip_blanks(tokens, best[1])
    # An announcement may introduce another: `The answer is: final answer: 5`.
    while (further := match_announcement(tokens, _skip_articles(tokens, first))) is not None:
        first = skip_blanks(tokens, further[0])
    # An empty line ends what is announced.
    last = next(
        (
            at
            for at in range(first, len(tokens))
            if tokens[at].kind == "line" and tokens[at].text.count("\n") > 1
        ),
        len(tokens),
    )
    return first, last, True


def _is_marked(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether four hashes begin a line here."""
    before = at - 1 if text_at(tokens, at - 1).isspace() else at
    begins = before <= 0 or tokens[before].kind == "line"
    return begins and all(text_at(tokens, at + step) == "#" for step in range(4))


def _skip_articles(tokens: Sequence[AnswerToken], at: int) -> int:
    while text_at(tokens, at).lower() in ("the", "final"):
        at = skip_blanks(tokens, at + 1)
    return at


def _is_list_separator(between: Sequence[AnswerToken]) -> bool:
    """Return whether what stands between two answers makes them a list: a comma or a word such as "and", and
    little else."""
    said = [token for token in between if not is_blank(token) and token.text not in FORMAT]
    words = sum(token.kind != "sign" for token in said)
    if words > WORDS_BETWEEN or any(token.text == "." for token in said):
        return False
    joined = any(token.text in tuple(",;、") for token in said) or JOINS.find(said) is not None
    return joined and REASONS.find(said) is None


def _join_answers(parts: Sequence[str], between: Sequence[Sequence[AnswerToken]]) -> str:
    """Return answers, each once, with what joins them: a comma, or the word where that is "or"."""
    result = parts[0]
    for index, part in enumerate(parts[1:]):
        if part not in parts[: index + 1]:
            words = (JOINS.match(between[index], at) for at in range(len(between[index])))
            is_choice = any(word is not None and word[1] == "or" for word in words)
            result += (r" \text{ or } " if is_choice else ", ") + part
    return result


class _Solution:
    """What an announcement or box leaves of a solution: tokens, of which each formula is one."""

    def __init__(self, text: str, tokens: Sequence[AnswerToken]) -> None:
        self.text = text
        self.tokens = tokens

    def spell(self, first: int, last: int) -> str:
        """Return the text from one token to another."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end] if first < last else ""

    def trim(self, first: int, last: int, loose: str = _LOOSE) -> tuple[int, int]:
        """Return a range without the white space in front and the loose signs at its end."""
        while first < last and is_blank(self.tokens[first]):
            first += 1
        while first < last and not self.tokens[last - 1].text.strip(loose):
            last -= 1
        return first, last

    # ---- answers in formulas

    def find_last(self, first: int, last: int, announced: bool) -> str:
        """Return the last answer between two tokens; behind an announcement the first."""
        formulas = [at for at in range(first, last) if self.tokens[at].kind == "formula"]
        if not formulas:
            return self.find_in_words(first, last, announced)
        for at in reversed(formulas):
            if said := _read_announcing_formula(self.tokens[at].text):
                return said
        if announced:
            # "the answer is $x$, because $y$": what comes first, with what is joined to it
            if self.has_digits(first, formulas[0]) and self.find_phrase(COPULAS, first, formulas[0]) is None:
                return self.find_in_words(first, formulas[0], True)
            count = 1
            while count < len(formulas) and _is_list_separator(
                self.tokens[formulas[count - 1] + 1 : formulas[count]]
            ):
                count += 1
            chosen, further = formulas[:count], len(formulas) > count
        else:
            chosen, further = formulas[-1:], False
        end = chosen[-1] + 1
        behind = self.match_copula(end, last)
        is_name = bool(behind or further) and _is_name(self.tokens[chosen[-1]].text)
        if behind and is_name:
            return (self.find_last if announced else self.find_in_words)(behind, last, True)
        if announced and (behind or (is_name and further)):
            return self.find_last(end, last, False)
        if not announced:
            if self.concludes_with_number(end, last):
                return self.find_in_words(end, last, False)
            while chosen[0] > formulas[0]:
                before = formulas[formulas.index(chosen[0]) - 1]
                if not _is_list_separator(self.tokens[before + 1 : chosen[0]]):
                    break
                chosen.insert(0, before)
        return self.spell_formulas(chosen, first, last, announced)

    def spell_formulas(self, chosen: Sequence[int], first: int, last: int, announced: bool) -> str:
        """Return formulas with what joins or limits them, and with the unit behind a single one."""
        end = chosen[-1] + 1
        said = [self.tokens[at].text for at in chosen]
        limit, further = self.match_limit_before(chosen[0], first), self.match_limit_after(end, last)
        if limit is not None:
            said[0] = f"\\text{{{self.spell(limit, chosen[0])}}} {said[0]}"
        between = [self.tokens[one + 1 : other] for one, other in pairwise(chosen)]
        joined = _join_answers(said, between)
        if limit is not None or further:
            return joined + (f" \\text{{{self.spell(end, further)}}}" if further else "")
        if len(said) == 1:
            start, stop = self.trim(end, self.find_sentence_end(end, last, ".!?"))
            while start < stop and not self.tokens[start].text.strip(_LOOSE):
                start += 1
            behind = self.tokens[start:stop]
            few = sum(is_blank(token) for token in behind) < UNIT_WORDS
            plain = all(token.kind not in ("digits", "command", "formula") for token in behind)
            alone = announced or not self.spell(first, chosen[0]).strip()
            if behind and few and plain and alone and not self.match_copula(start, stop):
                return f"{said[0]} \\text{{ {self.spell(start, stop)}}}"
        return joined

    def match_copula(self, first: int, last: int) -> int:
        """Return the index behind a verb such as `is`, and a colon behind that; 0 where none begins."""
        while first < last and (is_blank(self.tokens[first]) or self.tokens[first].text == ","):
            first += 1
        verb = COPULAS.match(self.tokens[:last], first)
        if verb is None:
            return 0
        colon = skip_blanks(self.tokens, verb[0])
        return colon + 1 if colon < last and self.tokens[colon].text == ":" else verb[0]

    def match_limit_before(self, at: int, first: int) -> int | None:
        """Return where words begin that limit the number at a token: `at least the`; None without any."""
        before = list(self.tokens[first:at])
        while before and (is_blank(before[-1]) or before[-1].text.lower() == "the"):
            before.pop()
        if before and before[-1].text.lower() == "and":  # between 5 and
            start = len(before) - 1
            while start and self.tokens[first + start].text.lower() != "between":
                start -= 1
            if before[start].text.lower() == "between" and sum(map(is_blank, before[start:])) == 2:
                return first + start
        if before and before[-1].text in tuple("<>≤≥"):  # for x > 5
            start = len(before) - 1
            while start and (is_blank(before[start - 1]) or not is_blank(before[start])):
                start -= 1
            return first + start
        match = LIMITS.match_before(before, len(before))
        return None if match is None else first + match[0]

    def match_limit_after(self, at: int, last: int) -> int:
        """Return the index behind words that limit the number before a token; 0 without any."""
        behind = skip_blanks(self.tokens, at)
        limit = FURTHER_LIMITS.match(self.tokens[:last], behind)
        if limit is None:  # 8 elements or fewer
            limit = ALTERNATIVES.match(self.tokens[:last], skip_blanks(self.tokens, behind + 1))
        return 0 if limit is None else limit[0]

    def concludes_with_number(self, first: int, last: int) -> bool:
        """Return whether a conclusion with a number in words stands here: `, so there are 5`."""
        concluded = False
        for at in range(first, last):
            token = self.tokens[at]
            if token.kind in ("formula", "command"):
                concluded = False
            concluded = concluded or CONCLUSIONS.match(self.tokens, at) is not None
            if concluded and token.kind == "digits":
                return True
        return False

    # ---- answers in words

    def has_digits(self, first: int, last: int) -> bool:
        return any(token.kind == "digits" for token in self.tokens[first:last])

    def find_phrase(self, phrases: Phrases[str], first: int, last: int) -> int | None:
        """Return the index behind the last phrase of a table between two tokens; None without one."""
        part = self.tokens[:last]
        matches = [match[0] for at in range(first, last) if (match := phrases.match(part, at)) is not None]
        return matches[-1] if matches else None

    def find_sentence_end(self, first: int, last: int, marks: str) -> int:
        """Return the index of the token that ends a sentence: a mark before white space, or a new line."""
        for at in range(first, last):
            token = self.tokens[at]
            behind = at + 1 >= last or is_blank(self.tokens[at + 1])
            if token.kind == "line" or token.text == "。" or (token.text in marks and behind):
                return at
        return last

    def find_in_words(self, first: int, last: int, announced: bool) -> str:
        """Return the answer of a text without formulas: itself where it is short, or what it says last."""
        first, last = self.trim(first, last, " \n\t")
        whole = self.spell(first, last)
        bare = whole.rstrip(_LOOSE)
        if (
            # Formulas without delimiters are the answer as they are.
            begins_with_set(whole)
            or ("=" not in whole and is_written_with_names(whole))
            or is_quantity(bare)
            or whole.endswith("\\right.")
        ):
            return whole
        # Behind an announcement the answer comes first and reasons follow; elsewhere it comes last.
        if announced:
            last = self.find_answer_end(first, last)
        last = self.find_main_clause_end(first, last)
        if (conclusion := CONCLUSIONS.match(self.tokens[:last], first)) is not None:
            first = conclusion[0] + (text_at(self.tokens, conclusion[0]) in tuple(",:"))
        first = self.skip_lead(*self.trim(first, last, " \n\t"))
        first, last = self.trim(first, last, _LOOSE if announced else _LOOSE.replace("!", ""))
        # What is left without its lead is the answer, unless it is a sentence.
        short = self.spell(first, last)
        if not short.isascii() and (counted := self.find_counted(first, last)):
            return counted if len(short) > len(counted) else short
        if not self.is_sentence(first, last):
            return short
        if listed := self.find_listed(first, last):
            return listed
        # In a sentence the answer stands behind a verb such as `is`; if there is none, the last number
        # counts.
        said = self.find_phrase(ASSIGNMENTS if not announced else COPULAS, first, last)
        if announced:
            if said is not None:
                first, last = self.trim(said, last)
                while first < last and not self.tokens[first].text.strip(_LOOSE):
                    first += 1
            if not self.has_digits(first, last) or self.match_quantity(first, last) == last:
                return self.find_spelt_number(first, last) or self.spell(first, last)
        elif said is not None:
            start, stop = self.trim(said, last)
            words = any(token.kind == "word" and len(token.text) > 2 for token in self.tokens[start:stop])
            if self.has_digits(start, stop) and not words:
                return self.spell(start, stop).strip(_LOOSE)
        return self.find_option_or_number(first, last, announced)

    def find_listed(self, first: int, last: int) -> str:
        """Return the list of equations that a sentence ends with, as `x = 1, x = 2 and x = 3`, or of numbers
        behind a verb; "" without one."""
        listed = self.find_phrase(COPULAS, first, last)
        for at in range(first, last):
            behind_verb = listed is not None and at == skip_blanks(self.tokens, listed)
            match = self.match_quantity if behind_verb else self.match_equation
            end, count = match(at, last), 0
            while end and count < MOST_LISTED:
                count += 1
                if end == last:
                    return self.spell(at, end) if count > 1 else ""
                behind = self.skip_join(end, last)
                end = match(behind, last) if end < behind < last else 0
        return ""

    def match_equation(self, first: int, last: int) -> int:
        """Return the index behind a name that equals a number, `x = 5`; 0 where none begins."""
        sign = skip_blanks(self.tokens, first + 1)
        if self.tokens[first].kind != "word" or sign >= last or self.tokens[sign].text != "=":
            return 0
        return self.match_quantity(skip_blanks(self.tokens, sign + 1), last)

    def skip_join(self, first: int, last: int) -> int:
        """Return the index behind a comma, a word such as `and`, or both; the first where there is none."""
        at = skip_blanks(self.tokens, first)
        at = skip_blanks(self.tokens, at + 1) if text_at(self.tokens, at) in (",", ";") else at
        join = JOINS.match(self.tokens[:last], at)
        at = at if join is None else skip_blanks(self.tokens, join[0])
        return at if at > skip_blanks(self.tokens, first) else first

    def find_option_or_number(self, first: int, last: int, announced: bool) -> str:
        """Return the letter of a choice or the last number of a sentence, whichever comes last."""
        letters = {
            self.tokens[at].text
            for at in range(first + 1, last)
            if is_option(self.tokens[at])
            and (text_at(self.tokens, at - 1), text_at(self.tokens, at + 1)) == ("(", ")")
        }
        # Several letters in brackets are the list of options, not a choice.
        if not announced and len(letters) > 1:
            return self.spell(first, last)
        option = self.find_option(first, last)
        number = self.find_quantity(first, last)
        if option is not None and (number is None or number[0] <= option):
            return self.tokens[option].text
        if number is None:
            return self.find_spelt_number(first, last) or self.spell(first, last)
        start, stop = number
        if measured := self.find_measured(first, last):
            return measured
        # `at least 5` and `5 or more` are other answers than 5.
        limit, further = self.match_limit_before(start, first), self.match_limit_after(stop, last)
        return self.spell(start if limit is None else limit, further or stop).strip().rstrip(",.;:")

    def find_measured(self, first: int, last: int) -> str:
        """Return the quantity with known units that ends a sentence, as `2 hours and 30 minutes`; "" without
        one, and where words limit it."""
        for at in range(first, last):
            if self.tokens[at].kind != "digits" or text_at(self.tokens, at - 1)[-1:] in tuple(".,^/-"):
                continue
            said = self.spell(at, last).rstrip(_LOOSE)
            if is_quantity(said):
                return said if self.match_limit_before(at, first) is None else ""
        return ""

    def find_main_clause_end(self, first: int, last: int) -> int:
        """Return the end of the main clause of the last sentence: what is denied or explained stands behind
        it."""
        start, end = first, self.find_sentence_end(first, last, ".!?")
        while self.trim(end, last)[0] < self.trim(end, last)[1]:
            start = end + 1
            end = self.find_sentence_end(start, last, ".!?")
        for at in range(start + 1, last):
            if CONTRASTS.match(self.tokens, at):
                return at
            states = SUBORDINATE.match(self.tokens, at) and self.has_digits(start, at)
            if states and self.find_phrase(COPULAS, start, at) is not None:
                return at
        return last

    def find_answer_end(self, first: int, last: int) -> int:
        """Return where an announced answer ends: with its sentence, or before a reason for it."""
        end = self.find_sentence_end(first, last, ".!?;")
        if text_at(self.tokens, end) == ";" and end < last:
            whole = self.find_sentence_end(first, last, ".!?")
            if all(token.kind in ("digits", "sign") or is_blank(token) for token in self.tokens[first:whole]):
                end = whole  # a list
        for at in range(first, end):
            if self.tokens[at].text == "," and CAUSES.match(self.tokens, skip_blanks(self.tokens, at + 1)):
                return at
        return end

    def skip_lead(self, first: int, last: int) -> int:
        """Return the index behind the words that lead to a number or equation: `there are 5`, `the roots are
        x = 1`; the first where the words may be part of the answer."""
        part = self.tokens[:last]
        at = first
        # Only plain words are led over: a function's name or a minus in words belongs to the number.
        while at + 1 < last and is_blank(part[at + 1]):
            token = part[at]
            if (
                token.kind != "word"
                or not token.text.isascii()
                or len(token.text) < 3
                or token.text.lower() in KEPT
            ):
                break
            at += 2
        numeric = at
        while text_at(part, numeric) in (*CURRENCIES, "-", "+", "."):
            numeric += 1
        is_number = numeric < last and part[numeric].kind == "digits"
        named = len(text_at(part, at)) == 1 and text_at(part, skip_blanks(part, at + 1)) == "="
        if at == first or not (is_number or named):
            return first
        modified = any(
            table.match(part, index)
            for table in (LIMITS, ALTERNATIVES, MONTHS)
            for index in range(first, last)
        )
        return first if modified else at

    def is_sentence(self, first: int, last: int) -> bool:
        """Return whether two words stand side by side, and no command of LaTeX."""
        part = self.tokens[first:last]
        if any(token.kind == "command" for token in part):
            return False
        long = [
            token.kind == "word" and len(token.text) > 1 and not _is_of_other_script(token) for token in part
        ]
        for at in range(1, len(part)):
            if is_blank(part[at]) and long[at - 1]:
                end = next((i for i in range(at + 1, len(part)) if is_blank(part[i])), len(part))
                if any(long[at + 1 : end]):
                    return True
        return False

    def find_option(self, first: int, last: int) -> int | None:
        """Return the index of the letter that is called an option; None without one."""
        part = self.tokens[:last]
        for at in range(first, last):
            if (match := OPTIONS.match(part, at)) is None:
                continue
            letter = skip_blanks(part, match[0])
            while text_at(part, letter) in (":", "("):
                letter = skip_blanks(part, letter + 1)
            if letter < last and is_option(part[letter]) and not text_at(part, letter + 1).startswith("'"):
                return letter
        return None

    def find_quantity(self, first: int, last: int) -> tuple[int, int] | None:
        """Return where the last number with its unit begins and ends; None without one."""
        span: tuple[int, int] | None = None
        at = first
        while at < last:
            before = text_at(self.tokens, at - 1) if at > first else ""
            end = 0 if before[-1:].isalnum() or before in (".", "^") else self.match_quantity(at, last)
            if end:
                span = at, end
            at = max(at + 1, end)
        return span

    def match_quantity(self, first: int, last: int) -> int:
        """Return the index behind a number with currency, sign and unit; 0 where none begins."""
        part = self.tokens[:last]
        at = first
        # `-$5` and `$-5`: the sign stands before or behind the currency.
        for signs in (CURRENCIES, ("-", "−", "+"), CURRENCIES):
            if text_at(part, at) in signs:
                at += 1
                at += at < last and is_blank(part[at])
        at = self.match_figures(at, last)
        while at and (sign := at + (at < last and is_blank(part[at]))) < last:
            taken = SHARES.match(part, sign)
            if taken is None and part[sign].text not in tuple("/:^"):
                break
            below = sign + 1 if taken is None else taken[0]
            below += text_at(part, below).isspace()
            below += text_at(part, below) == "-"
            if (end := self.match_figures(below, last)) == 0:
                break
            at = end
        if not at:
            return 0
        if text_at(part, skip := at + text_at(part, at).isspace()) in CURRENCIES:
            at = skip + 1
        unit = skip_blanks(part, at)
        if (percent := PERCENT.match(part, unit)) is not None:
            return percent[0]
        if unit < last and part[unit].kind == "word":
            raised = text_at(part, unit + 1) in ("²", "³") and len(part[unit].text) < 4
            if raised or part[unit].text.lower() in SHORT_UNITS:
                return unit + 1 + raised
        return at

    def match_figures(self, first: int, last: int) -> int:
        """Return the index behind digits with what parts thousands, decimals and mixed numbers; 0 without."""
        part = self.tokens[:last]
        at = first
        if at < last and part[at].kind == "digits":
            at += 1
            while (
                text_at(part, at) in (",", " ")
                and len(text_at(part, at + 1)) == 3
                and part[at + 1].kind == "digits"
            ):
                at += 2
            slash = text_at(part, at + 2) == "/" and at + 3 < last
            if (
                at == first + 1
                and text_at(part, at) == " "
                and slash
                and part[at + 1].kind == part[at + 3].kind == "digits"
            ):
                return at + 4
        if text_at(part, at) in (".", ",") and at + 1 < last and part[at + 1].kind == "digits":
            return at + 2
        return at if at > first else 0

    def find_counted(self, first: int, last: int) -> str:
        """Return the last number with a word of a script other than Latin behind it, as 42只; "" without one,
        and where a word joins formulas."""
        counted = ""
        at = first
        while at < last:
            start = at
            at += 1
            negative = self.tokens[start].text == "-" and start + 1 < last
            end = self.match_figures(start + negative, last)
            if not end:
                continue
            share = SHARES.match(self.tokens[:last], skip_blanks(self.tokens, end))
            if share is not None and (below := self.match_figures(skip_blanks(self.tokens, share[0]), last)):
                return self.spell(start, below)
            if text_at(self.tokens, end) in ("/", ":") and (below := self.match_figures(end + 1, last)):
                end = below
            word = end + (end < last and is_blank(self.tokens[end]))
            stop = word
            while stop < last and (_is_of_other_script(self.tokens[stop]) or self.tokens[stop].text == "%"):
                stop += 1
            at = max(at, end)
            if stop == word or (stop < last and self.tokens[stop].kind in ("digits", "word")):
                continue
            if self.spell(word, stop) in CONNECTIVES:
                return ""
            counted, at = self.spell(start, stop), stop
        verb = next(filter(counted.endswith, FINAL_VERBS), "")
        return counted.removesuffix(verb)

    def find_spelt_number(self, first: int, last: int) -> str:
        """Return the only number in words of a sentence; "" where there is none, or something with it changes
        it."""
        text = self.spell(first, last)
        spans = find_numerals(text)
        if len(spans) != 1 or in_words(text) is not None:
            return ""
        (start, end), offset = spans[0], self.tokens[first].start
        inside = range(first, last)
        begin = next((at for at in inside if self.tokens[at].start >= offset + start), last)
        stop = next((at for at in inside if self.tokens[at].start >= offset + end), last)
        if any(table.match(self.tokens, at) for at in inside for table in (LIMITS, ALTERNATIVES, MONTHS)):
            return ""
        if self.match_limit_before(begin, first) is not None or self.match_limit_after(stop, last):
            return ""
        if text[start:end].lower() in NO_NUMBERS:
            return ""
        percent = PERCENT.match(self.tokens[:last], skip_blanks(self.tokens, stop))
        return self.spell(begin, percent[0] if percent else stop)


def _is_of_other_script(token: AnswerToken) -> bool:
    return token.kind == "word" and token.text[0] >= "\u0400"


def _read_announcing_formula(formula: str) -> str:
    r"""Return the answer that a formula announces itself, as `\text{Answer: } 5`; "" for other formulas."""
    if "answer" not in formula.lower():
        return ""
    tokens = tokenize(formula)
    at = 0
    while at < len(tokens) and (tokens[at].kind != "word" or text_at(tokens, at).lower() == "text"):
        at += 1
    announced = match_announcement(tokens, at)
    if announced is None:
        return ""
    end = skip_blanks(tokens, announced[0])
    end += text_at(tokens, end) == "}"
    return formula[tokens[end].start :].strip() if end < len(tokens) else ""


def _is_name(formula: str) -> bool:
    """Return whether a formula is no more than a name: `x`, `x_1`, `f(x)`."""
    tokens = [token for token in tokenize(formula) if not is_blank(token)]
    if not tokens or not (tokens[0].kind == "word" or tokens[0].text[1:].isalpha()):
        return False
    rest = [token.text for token in tokens[1:]]
    if rest[:1] == ["_"]:
        return len(rest) == 2 or (rest[1:2] == ["{"] and rest[-1] == "}" and len(rest) == 4)
    applied = rest[:1] == ["("] and rest[-1] == ")" and len(rest) == 3
    return not rest or (applied and len(tokens[0].text) == len(rest[1]) == 1 and rest[1].isalpha())
