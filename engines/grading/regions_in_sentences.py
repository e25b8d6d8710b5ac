r"""Sets of numbers that a sentence puts together: `0 ≤ x ≤ 1, together with the point 2`, `x ≤ 4 with x ≠ 1`.

Every word of the sentence has to be known, or to stand in the question: what was not read may change the set.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.answer_vocabulary import CONCLUDING, DENIALS, JOINS, make_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.forms import Form, IntervalForm, Many, Named, Union
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.tokens import AnswerToken, Phrases, is_blank, join_formulas, tokenize, unwrap_texts
from engines.grading.verdicts import GradeVerdict

_UNITING = (
    "or, or for, together with, and also, and also for, and for, as well as, as well as for, and the point"
    ", and the points, plus, plus the point, oder, sowie, sowie für, und für, und auch für, zusammen mit"
    ", ou, et pour, ainsi que, ainsi que pour, y para, o, así como, junto con, e per, oppure, и при, или"
)
_LIMITING = (
    "with, but, where, such that, subject to, provided, mit, wobei, aber, avec, mais, où, con, pero, donde"
    ", con la condición, com, onde, причём, при условии, и"
)
_JOINS = Phrases(
    {
        **dict.fromkeys(_UNITING.split(", "), "or"),
        **dict.fromkeys(_LIMITING.split(", "), "and"),
    }
)
_FILLERS = make_phrases(
    "all, every, the, x, for, numbers, number, real, reals, real numbers, values, points, point, isolated",
    "set of, those, that, are, is, exactly, consists of, domain, solution, solutions, interval, intervals",
    "on, it, f, alle, für, reellen, reelle, Zahlen, der, die, das, Punkt, isolierten, isolierte, ist",
    "Werte, genau, tous, les, réels, pour, nombres, le, la, point, isolé, est, todos, los, reales, para",
    "números, el, punto, aislado, está formado por, es, dominio, tutti, i, reali, per, numeri, il, punto",
    "è, все, числа, при, точка",
)
"""Words that change nothing of a set."""
_RELATIONS = ("<", ">", "≤", "≥", "≠", "=", "\\le", "\\ge", "\\leq", "\\geq", "\\ne", "\\neq", "∈", "\\in")
_SHORTEST_STEM = 5


def compare_regions(gold: str, pred: str, question: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare a set of numbers with one that a sentence puts together of several; None for other answers."""
    mine = _unite(read_form(gold))
    said = spell_region(pred, question) if mine is not None else ""
    if mine is None or not said:
        return None
    compared = comparison.compare(mine, read_form(said))
    return compared if compared.outcome == "equal" else None


def spell_region(text: str, question: str) -> str:
    """Return a sentence for a set as relations with one connective between them; "" for other sentences.

    >>> spell_region("All x with 0 ≤ x ≤ 1, together with the isolated point 2", "")
    '0 ≤ x ≤ 1 or x = 2'
    >>> spell_region("all x ≤ 4 that are odd, with x ≠ 1", "")
    ''
    """
    tokens = unwrap_texts(join_formulas(text, tokenize(text)))
    concluded = CONCLUDING.find_all(tokens, 0, len(tokens))
    start = max((end for at, end, _ in concluded if JOINS.match_before(tokens, at - 1) is None), default=0)
    tokens = [token for token in tokens[start:] if token.text != "$"]
    if DENIALS.find(tokens) is not None:
        return ""
    pieces: list[str] = []
    joins: set[str] = set()
    words: list[AnswerToken] = []
    for piece in _split_pieces(tokens):
        if isinstance(piece, str) and piece.isalpha() and len(piece) == 1 and not pieces:
            continue  # all x with
        if not isinstance(piece, str):
            words += piece
            continue
        join = _read_join(words, question)
        if not pieces and join == "and":
            join = ""  # all x with 0 ≤ x ≤ 1
        if join is None or bool(join) != bool(pieces):
            return ""
        joins |= {join} if join else set()
        pieces.append(piece)
        words = []
    if len(pieces) < 2 or len(joins) != 1 or _read_join(words, question) != "":
        return ""
    letters = {token.text for piece in pieces for token in tokenize(piece) if token.text.isalpha()}
    if len(letters) != 1:
        return ""
    letter, (join,) = letters.pop(), joins
    is_point = [not any(map(piece.__contains__, _RELATIONS)) for piece in pieces]
    if is_point[0] or (any(is_point) and join != "or"):
        return ""
    pairs = zip(pieces, is_point, strict=True)
    return f" {join} ".join(f"{letter} = {piece}" if alone else piece for piece, alone in pairs)


def _split_pieces(tokens: Sequence[AnswerToken]) -> list[str | list[AnswerToken]]:
    """Return the formulas of a text, and the words between them."""
    result: list[str | list[AnswerToken]] = []
    formula = ""
    for token in tokens:
        is_formula = token.kind in ("formula", "digits", "command") or (
            token.kind == "sign" and token.text not in tuple(",.;:")
        )
        if is_formula or (token.kind == "word" and len(token.text) == 1 and token.text.isascii()):
            formula += token.text
        elif is_blank(token) and formula:
            formula += " "
        elif not is_blank(token):
            result += [formula.strip()] if formula.strip() else []
            formula = ""
            result.append([token])
    return [*result, formula.strip()] if formula.strip() else result


def _read_join(words: Sequence[AnswerToken], question: str) -> str | None:
    """Return the connective of words between formulas, "" without one; None where a word is not known."""
    asked = {token.text.lower()[:_SHORTEST_STEM] for token in tokenize(question) if token.kind == "word"}
    found: list[str] = []
    at = 0
    while at < len(words):
        join, filler = _JOINS.match(words, at), _FILLERS.match(words, at)
        word = words[at].text.lower()
        if join is not None and (filler is None or join[0] >= filler[0]):
            found.append(join[1])
            at = join[0]
        elif filler is not None:
            at = filler[0]
        elif words[at].kind == "sign" or (len(word) >= _SHORTEST_STEM and word[:_SHORTEST_STEM] in asked):
            at += 1
        else:
            return None
    return "" if not found else found[0] if len({*found}) == 1 else None


def _unite(form: Form) -> Form | None:
    """Return a set of numbers, also one that is listed by its intervals; None for other forms."""
    form = form.value if isinstance(form, Named) else form
    if isinstance(form, Many) and form.kind == "list" and len(form.items) > 1:
        parts = tuple(_open_pair(item) for item in form.items)
        return Union(parts) if all(isinstance(part, IntervalForm) for part in parts) else None
    return form if isinstance(form, IntervalForm | Union) else None


def _open_pair(item: Form) -> Form:
    """Return `(1, 2)` as an interval beside other sets."""
    is_pair = isinstance(item, Many) and item.kind == "tuple" and len(item.items) == len("ab")
    if not isinstance(item, Many) or not is_pair or not all(isinstance(end, Term) for end in item.items):
        return item
    return IntervalForm(item.items[0], item.items[1], (False, False))
