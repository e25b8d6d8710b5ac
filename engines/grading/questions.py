"""What a question says of its answer: the choices that it lists, and the unit that it asks for.

The letter C stands for the text of that choice, and 60 for 60 litres where a question asks how many litres.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.choices import is_option
from engines.grading.numbers import plain_number
from engines.grading.sentence_quantities import match_unit
from engines.grading.tokens import is_blank, skip_blanks, text_at, tokenize, unwrap_texts

_LONGEST = 4_000
"""Characters at the end of a question that are read."""
_HOW_MANY = make_phrases(
    "how many, wie viele, wie viel, wieviele, combien de, cuántos, cuántas, quantos, quantas, quanti"
    ", quante, сколько, hoeveel, ile",
)
_IN_UNIT = make_phrases(
    "in, answer in, in units of, en, in der Einheit, em, в, expressed in, given in, measured in",
)
_CLOSING = (")", ".", ":")
_AROUND_LETTERS = frozenset(
    [
        "(",
        ")",
        ".",
        ",",
        ":",
        "$",
        "{",
        "}",
        "and",
        "or",
        "&",
        "und",
        "et",
        "y",
        "e",
        "и",
        "option",
        "options",
        "choice",
        "choices",
        "answer",
        "answers",
        "letter",
        "the",
        "is",
        "are",
        "only",
        "antwort",
        "réponse",
        "opción",
        "opção",
        "risposta",
        "ответ",
        "вариант",
    ]
)


@dataclass(frozen=True, slots=True)
class QuestionFrame:
    """What a question says of its answer: its choices with their letters, and the unit asked for or ""."""

    choices: tuple[tuple[str, str], ...] = ()
    unit: str = ""

    def spell_choices(self, answer: str) -> str:
        """Return the texts of the choices whose letters an answer names; "" for one that says anything else.

        >>> QuestionFrame((("A", "4"), ("B", "7"))).spell_choices("Option (b)")
        '7'
        """
        texts: list[str] = []
        known = dict(self.choices)
        for token in unwrap_texts(tokenize(answer)):
            if (text := known.get(token.text.upper())) is not None:
                texts.append(text)
            elif not (is_blank(token) or token.text.lower() in _AROUND_LETTERS):
                return ""
        return " and ".join(texts)


def read_question(text: str) -> QuestionFrame:
    """Return what a question says of its answer.

    >>> read_question("Which is prime? A) 4  B) 7").choices, read_question("How many litres is it?").unit
    ((('A', '4'), ('B', '7')), 'litres')
    """
    text = text[-_LONGEST:]
    return QuestionFrame(tuple(_list_choices(text)), _find_unit(text))


def _list_choices(text: str) -> list[tuple[str, str]]:
    """Return the letters from A on, each with its text behind it; [] without two of them."""
    tokens = tokenize(text)
    marks: list[tuple[int, int, str]] = []
    for at, token in enumerate(tokens):
        letter = token.text.upper()
        before = text_at(tokens, at - 1)
        opened = before == "("
        starts = at == 0 or opened or not before.strip() or before in ("$", "{", "\\n")
        named = token.kind == "word" and len(token.text) == 1 and is_option(token._replace(text=letter))
        closes = text_at(tokens, at + 1) in (_CLOSING[:1] if opened else _CLOSING)
        behind = at + 2
        spaced = behind >= len(tokens) or is_blank(tokens[behind]) or text_at(tokens, behind) in ("$", "\\")
        expected = chr(ord("A") + len(marks))
        if named and starts and closes and (spaced or opened) and letter == expected:
            marks.append((at - opened, behind, letter))
    if len(marks) < 2:
        return []
    ends = [start for start, _, _ in marks[1:]] + [len(tokens)]
    listed = []
    for (_, behind, letter), end in zip(marks, ends, strict=True):
        said = text[tokens[behind].start : tokens[end - 1].end] if behind < end else ""
        listed.append((letter, said.strip(" \n\t,;")))
    return listed


def _find_unit(text: str) -> str:
    """Return the unit behind `how many`, or behind `in` at the end of a question; "" without one."""
    tokens = tokenize(text)
    for _, end, _ in _HOW_MANY.find_all(tokens, 0, len(tokens)):
        start = skip_blanks(tokens, end)
        if unit := match_unit(tokens, start):
            return text[tokens[start].start : tokens[unit - 1].end].removesuffix(" of")
    for _, end, _ in _IN_UNIT.find_all(tokens, 0, len(tokens)):
        start = skip_blanks(tokens, end)
        unit = match_unit(tokens, start)
        if unit and (unit == len(tokens) or tokens[unit].text in tuple(".,?!;)")):
            return text[tokens[start].start : tokens[unit - 1].end]
    return ""


def complete_reference(gold: str, frame: QuestionFrame) -> str:
    """Return a reference that is a number alone with the unit that the question asks for.

    >>> complete_reference("60", QuestionFrame(unit="litres"))
    '60 litres'
    """
    bare = gold.strip(" .$")
    return f"{bare} {frame.unit}" if frame.unit and plain_number(bare) is not None else gold
