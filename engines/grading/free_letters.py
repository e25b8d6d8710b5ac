"""Letters of a formula that may be any numbers: `cx + d for arbitrary real c, d`, `ax` with a constant `a`.

The formula is the answer, and the words are only about its letters.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.tokens import AnswerToken, is_blank, skip_blanks, text_at, tokenize

_LEADS_LISTED = "for with where für mit wobei pour où avec para con donde для где per dove 其 任 ( （"
_ANY_LISTED = (
    "some any all every arbitrary real reals constant constants beliebige alle beliebigen beliebig"
    " reelle reellen konstanten reell tout tous toutes réels réel constantes quelconques todo todos"
    " reales cualesquiera arbitrarios arbitrarias любых всех произвольных действительных"
    " вещественных произвольные costanti reali qualsiasi 任 实"
)
_OTHERS_LISTED = (
    "and are is an the value values of can be in parameters number numbers und sind zahlen et sont"
    " des nombres y son números числа чисел и e sono 中 为 意 数 和 常"
)
_LEADS = frozenset(_LEADS_LISTED.split())
"""Words before the letters whose values a formula has."""
_ANY = frozenset(_ANY_LISTED.split())
"""Words for numbers that may be any."""
_WORDS = _LEADS | _ANY | frozenset(_OTHERS_LISTED.split())
_REALS = (r"\mathbb{R}", r"\mathbb R", "ℝ", r"\R", "R", r"\mathbf{R}", r"\Bbb R", r"\Bbb{R}")


def frees_letters(leads: Sequence[AnswerToken], around: Sequence[AnswerToken], *, has_set: bool) -> bool:
    """Return whether words behind a formula say that letters in it may be any numbers, and nothing else.

    Args: leads: what stands before the first letter. around: all that stands behind the formula. has_set:
    whether a set is named to which the letters belong.
    """
    said = [token.text.lower() for token in leads if not is_blank(token)]
    said = said[1:] if said[:1] == [","] else said
    if not said or said[0] not in _LEADS or any(token.kind == "digits" for token in around):
        return False
    # Any word that is not known may restrict the letters.
    words = {token.text.lower() for token in around if token.kind == "word" and token.text != "a"}
    return words <= _WORDS and (has_set or not words.isdisjoint(_ANY))


def is_subject(letters: Sequence[str], formula: str) -> bool:
    """Return whether a formula says what one of the letters is, or a function of it, as `f(x) = 2x` for x."""
    subject = {token.text for token in tokenize(formula.partition("=")[0])} if "=" in formula else set()
    return not subject.isdisjoint(letters)


def spell_freed(letters: Sequence[str], domain: str = "") -> str:
    """Return the words for letters that may be any numbers, of a set if that is not the real ones."""
    listed = ", ".join(letters)
    if domain and domain not in _REALS:
        return f", {listed} \\in {domain}"
    return rf" \text{{ for any real }} {listed}"


def drop_freed(answer: str) -> str:
    """Return an answer without the words that its letters may be any real numbers."""
    # Spelt as by `spell_freed`, or as a range over all real numbers.
    for words in (r" \text{ for any real }", r" \text{ for all real }"):
        formula, said, letters = answer.partition(words)
        if said and all(len(one.strip()) == 1 for one in letters.split(",")):
            return formula
    formula, comma, ranged = answer.rpartition(",")
    letter, _, domain = ranged.replace("\\in ", "∈").replace("\\in\\", "∈\\").partition("∈")
    return formula if comma and len(letter.strip()) == 1 and domain.strip() in _REALS else answer


def find_free_letters(tokens: Sequence[AnswerToken], first: int, last: int) -> tuple[int, list[str]] | None:
    """Return where words begin that free letters of a formula without delimiters, and those letters.

    >>> find_free_letters(tokenize("ax + b, where a and b are any real constants"), 0, 22)
    (5, ['a', 'b'])
    """
    for at in range(first + 1, last):
        if tokens[at].text.lower() not in _LEADS or tokens[at].kind != "word":
            continue
        # Single letters are names, but for an article before "real" or "number".
        letters: list[str] = []
        rest: list[AnswerToken] = []
        for index in range(at + 1, last):
            token = tokens[index]
            behind = text_at(tokens, skip_blanks(tokens, index + 1)).lower()
            article = token.text == "a" and behind in _ANY
            if token.kind == "word" and len(token.text) == 1 and not article and token.text.isascii():
                letters.append(token.text)
            else:
                rest.append(token)
        plain = all(token.kind == "word" or is_blank(token) or token.text in tuple(",.") for token in rest)
        if letters and plain and frees_letters(tokens[at : at + 1], rest, has_set=False):
            end = at
            while end > first and (is_blank(tokens[end - 1]) or tokens[end - 1].text == ","):
                end -= 1
            return end, list(dict.fromkeys(letters))
    return None
