"""Whether a difference between answers is one between their texts: it needs a witness in what they mean.

The answer that is found in a text is a piece of it. `4 is the only root; −2 is rejected` also says 4, and of
`3 units to the right and 2 down` a piece is no vector. Such a piece is no witness that the whole is another
answer.
"""

from __future__ import annotations

from collections.abc import Callable

from engines.core.tree import Tree
from engines.formula.statement_view import Statement
from engines.grading.answer_judgement import judge_answers
from engines.grading.boxes_and_announcements import find_announced, find_boxed
from engines.grading.compare import AnswerComparison
from engines.grading.final_answer import LONGEST, drop_end_of_proof, repair_escapes
from engines.grading.forms import Form, Many, Named, RelationForm, WordsForm
from engines.grading.meanings.sentence_items import is_word
from engines.grading.messages import describe_kind
from engines.grading.numbers import Term
from engines.grading.question_text import QuestionText
from engines.grading.reading import read_form
from engines.grading.side_statements import list_statements
from engines.grading.signed_directions import names_direction
from engines.grading.tokens import tokenize
from engines.grading.trees import statement_of_form
from engines.language.numerals import with_ascii_digits
from engines.mathematics.judging.names import free_variables


def find_missing_witness(
    texts: tuple[str, str], answers: tuple[str, str], question: str, comparison: AnswerComparison
) -> str:
    """Return why it is not shown that two texts are different, although the answers that were found in them
    are; "" where it is."""

    def differ(one: str, other: str) -> bool:
        return judge_answers(one, other, comparison).outcome == "different"

    return _find_unread_part(texts, answers, differ) or _find_unknown_letter(answers, question)


def _find_unread_part(
    texts: tuple[str, str], answers: tuple[str, str], differ: Callable[[str, str], bool]
) -> str:
    """Return why a difference between answers that were found is none between their texts; "" where it is.

    Args: texts, answers: both texts, and the answers that were found in them. differ: whether a reference and
    an answer are shown to be different.
    """
    forms = [_take_value(read_form(answer)) for answer in answers]
    for at, (text, answer) in enumerate(zip(texts, answers, strict=True)):
        said = _take_said(text)
        other = answers[1 - at]
        for part in list_statements(said, answer):
            pair = (other, part) if at else (part, other)
            # Of one number the text may say another value, but not of a list that it says piece by piece.
            if not _is_number(forms[1 - at]) or not differ(*pair):
                return f"the text also says {part}"
        if names_direction(said) and not names_direction(texts[1 - at]) and _are_opposite(*forms):
            return "only one of them says in which direction"
        is_other_kind = describe_kind(forms[0]) != describe_kind(forms[1])
        if is_other_kind and _is_piece(forms[at], forms[1 - at]) and _says_more(said, answer):
            return f"of the text only {answer} was read"
    return ""


def _find_unknown_letter(answers: tuple[str, str], question: str) -> str:
    """Return why a number and a term are not shown to be different: the question has not the letter of one of
    them, which may be a unit or a digit; "" where it has it, and for other answers."""
    forms = [read_form(answer) for answer in answers]
    if any(isinstance(form, WordsForm) for form in forms):
        return ""
    letters = [_list_letters(form) for form in forms]
    for text, mine, theirs in zip(answers, letters, letters[::-1], strict=True):
        words = (token.text for token in tokenize(text) if token.kind == "word" and len(token.text) > 1)
        # The reader takes a word that it does not know for a product of letters.
        if word := next((word for word in words if {*word} <= mine and theirs.isdisjoint(word)), ""):
            return f"what {word} stands for is not known"
    values = [_take_value(form) for form in forms]
    letters = [_list_letters(value) for value in values]
    if not all(isinstance(value, Term) for value in values) or not question or (letters[0] and letters[1]):
        return ""
    asked = {token.text for text in QuestionText(question).list_formulas() for token in tokenize(text)}
    unknown = sorted((letters[0] | letters[1]) - asked)
    return f"what {unknown[0]} stands for is not known" if unknown else ""


def _list_letters(form: Form) -> set[str]:
    tree = statement_of_form(form)
    return {*free_variables(tree)} if isinstance(tree, Tree) else set()


def _are_opposite(one: Form, other: Form) -> bool:
    """Return whether two quantities differ in their sign only."""
    values = [form.value if isinstance(form, Term) else None for form in (one, other)]
    return values[0] is not None and values[1] is not None and values[0] == -values[1]


def _take_said(text: str) -> str:
    """Return what a text boxes or announces, or all of it."""
    text = drop_end_of_proof(with_ascii_digits(repair_escapes(text[-LONGEST:])))
    tokens = tokenize(text)
    if (boxed := find_boxed(text, tokens)) is not None:
        return boxed
    first, last, _ = find_announced(text, tokens)
    return text[tokens[first].start : tokens[last - 1].end] if first < last else text


def _take_value(form: Form) -> Form:
    return form.value if isinstance(form, Named) else form


def _is_number(form: Form) -> bool:
    return isinstance(form, Term) and form.value is not None


def _is_piece(form: Form, other: Form) -> bool:
    """Return whether a form may be a piece of what is of the kind of another one, as a number of a tuple."""
    return isinstance(form, Term | WordsForm | Many | RelationForm | Statement) and not _is_number(other)


def _says_more(text: str, answer: str) -> bool:
    """Return whether a text has words that its answer has not."""
    words = [token.text for token in tokenize(text) if is_word(token)]
    return len(words) > sum(is_word(token) for token in tokenize(answer))
