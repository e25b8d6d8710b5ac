"""What a question says of its answer: the choices that it lists, and the unit that it asks for.

The letter C stands for the text of that choice, and 60 for 60 litres where a question asks how many litres.
"""

from __future__ import annotations

from dataclasses import dataclass

from engines.grading.answer_vocabulary import DENIALS, HEDGES, make_phrases
from engines.grading.boxes_and_announcements import find_boxed
from engines.grading.choices import is_option
from engines.grading.numbers import plain_number
from engines.grading.sentence_quantities import find_denial, match_unit
from engines.grading.tokens import (
    TEXT_COMMANDS,
    is_blank,
    skip_blanks,
    text_at,
    tokenize,
    unwrap_texts,
)

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
_SAID_AROUND = (
    "correct right best final choose pick select so thus hence therefore would be my it richtig richtige ist "
    "die lösung bonne est la correcta correta letra верный правильный 故 因 此 所 以 选 選 择 擇 项 項 答 案 "
    "為 为 是 正 解 は です 。 ： ， 정 답 은 는 입 니 다 \\boxed \\mathrm \\mathbf ** * !"
)
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
        "'",
        "’",
        "s",
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
        *_SAID_AROUND.split(),
    ]
)


_WHETHER = make_phrases(
    "does, do, is, are, can, has, have, did, was, were, will, gibt es, ist, sind, hat, haben, kann"
    ", existiert",
    "est-ce que, existe-t-il, y a-t-il, existe, es, hay, tiene, esiste, há, tem, существует ли, есть ли"
    ", является ли",
)
"""Words that begin a question with the answer yes or no."""
_NON_EXISTENCE = make_phrases(
    "cannot exist, can't exist, can not exist, does not exist, doesn't exist, do not exist, don't exist"
    ", is impossible",
    "there is none, there are none, is not possible, existiert nicht, kann nicht existieren, gibt es nicht",
    "ist nicht möglich, n'existe pas, ne peut pas exister, est impossible, no existe, no puede existir"
    ", es imposible",
    "não existe, é impossível, non esiste, è impossibile, не существует, не может существовать, невозможно",
)
"""Words that say that what a question asks about is not there."""
_LANGUAGE_WORDS = {
    "de": "der die das ein eine ist wie und den dem berechne bestimme gib löse",
    "fr": "le la les un une des est dans et calculer donner quel quelle calculez",
    "es": "el la los las un una es cuánto cuál calcula halla resuelve del",
    "it": "il la un una di e calcola qual quanto è risolvi trova della",
    "pt": "um uma de é calcule qual quanto resolva determine com da dos das os",
}
_FEW_WORDS = 3


def find_question_language(text: str) -> str:
    """Return the language of a question whose decimals may have a comma; "" where it is another or not known.

    >>> find_question_language("Calcola l'area di un trapezio."), find_question_language("Find the area.")
    ('it', '')
    """
    words = [token.text.lower() for token in tokenize(text[-_LONGEST:]) if token.kind == "word"]
    if sum("а" <= word[0] <= "я" for word in words) >= _FEW_WORDS:
        return "ru"
    counts = {name: sum(word in listed.split() for word in words) for name, listed in _LANGUAGE_WORDS.items()}
    best = max(counts, key=lambda name: counts[name])
    return best if counts[best] >= _FEW_WORDS else ""


def denies_existence(question: str, answer: str) -> bool:
    """Return whether a question has the answer yes or no, and the last clause of an answer says that what it
    asks about does not exist.

    >>> denies_existence("Does K_4 have a circuit?", "Its degrees are odd, so a circuit cannot exist.")
    True
    """
    asked, said = tokenize(question), tokenize(answer)
    start = max((at + 1 for at, token in enumerate(asked[:-1]) if token.text in tuple(".:¿")), default=0)
    if (
        _WHETHER.match(asked, skip_blanks(asked, start)) is None
        or find_denial(asked, 0, len(asked) - 1) is not None
    ):
        return False
    last = max((at for at, token in enumerate(said) if token.text in tuple(",;:—")), default=0)
    return _NON_EXISTENCE.find(said[last:]) is not None


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

    def spell_boxed(self, answer: str) -> str:
        """Return the texts of the choices that the box at the end of a solution names; "" for one without
        such a box, or with words that deny it beside it.

        >>> QuestionFrame((("A", "4"), ("B", "7"))).spell_boxed(r"As 4 is even, it is \\boxed{B}.")
        '7'
        """
        tokens = tokenize(answer)
        boxed = find_boxed(answer, tokens)
        around = tokens[-_AROUND_BOX:]
        last = max((at for at, token in enumerate(around) if token.text in ("\\boxed", "\\fbox")), default=0)
        words = sum(token.kind == "word" for token in around[last:])
        denied = any(table.find(around) is not None for table in (DENIALS, HEDGES))
        if boxed is None or denied or words > sum(token.kind == "word" for token in tokenize(boxed)):
            return ""
        return self.spell_choices(boxed)

    def list_named(self, answer: str) -> dict[str, str]:
        """Return the letters with a closing bracket that an answer names, each with the text behind it; {}
        for one that begins otherwise.

        >>> QuestionFrame((("A", "4"), ("B", "7"))).list_named("b) 7 and a) 4")
        {'B': '7', 'A': '4'}
        """
        tokens = [token for token in unwrap_texts(tokenize(answer)) if token.text != "$"]
        known = dict(self.choices)
        marks = [
            at
            for at in range(len(tokens) - 1)
            if tokens[at].text.upper() in known and tokens[at + 1].text == ")" and len(tokens[at].text) == 1
        ]
        if not marks or any(token.text.strip(" (") for token in tokens[: marks[0]]):
            return {}
        named: dict[str, str] = {}
        for at, end in zip(marks, [*marks[1:], len(tokens)], strict=True):
            said = "".join(token.text for token in tokens[at + 2 : end]).strip(" ,;.(")
            for join in _JOINS:
                said = said.removesuffix(join).strip(" ,;")
            named[tokens[at].text.upper()] = said
        return named if len(named) == len(marks) else {}


_JOINS = (" and", " und", " et", " y", " e", " и", "和")


_AROUND_BOX = 40
"""Tokens at the end of a solution in which no word may deny what is boxed."""


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
        spaced = (
            text_at(tokens, behind) == "}"
            or behind >= len(tokens)
            or is_blank(tokens[behind])
            or text_at(tokens, behind) in ("$", "\\")
        )
        expected = chr(ord("A") + len(marks))
        if named and starts and closes and (spaced or opened) and letter == expected:
            shaped = (
                text_at(tokens, at - opened - 1) == "{" and text_at(tokens, at - opened - 2) in TEXT_COMMANDS
            )
            braced = shaped and text_at(tokens, behind) == "}"
            marks.append((at - opened - 2 * braced, behind + braced, letter))
    if len(marks) < 2:
        return []
    ends = [start for start, _, _ in marks[1:]] + [len(tokens)]
    listed = []
    for (_, behind, letter), end in zip(marks, ends, strict=True):
        said = text[tokens[behind].start : tokens[end - 1].end] if behind < end else ""
        listed.append((letter, _trim_choice(said)))
    return listed


def _trim_choice(text: str) -> str:
    """Return the text of a choice without the spaces and the dollar sign of a line of choices."""
    said = text.strip(" \n\t,;")
    for space in ("\\qquad", "\\quad", "\\ ", "\\"):
        said = said.removesuffix(space).removeprefix(space).strip(" \n\t,;")
    return said.strip("$ ") if said.count("$") == 1 else said


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
