"""What a question asks of the digits and order of its answer: `to two decimals`, `exactly`, `in order`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engines.grading.answer_vocabulary import make_phrases, map_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.forms import Form, Many, Named
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.tokens import Phrases, is_blank, tokenize
from engines.grading.verdicts import GradeVerdict
from engines.language.numerals import read_numeral

_LONGEST = 2_000
"""Characters at the end of a question that are read."""
_DECIMALS = make_phrases(
    "decimals, decimal places, decimal place, decimal, dp, d.p., digits after the decimal point, places",
    "Dezimalen, Dezimalstellen, Dezimalstelle, Nachkommastellen, Nachkommastelle, Stellen nach dem Komma",
    "décimales, décimale, chiffres après la virgule, decimales, cifras decimales, decimali, cifre decimali",
    "casas decimais, casa decimal, decimalen, знаков после запятой, знака после запятой, 位小数, 位まで",
)
"""Nouns behind the number of decimals that are asked for."""
_LAST_PLACES = {
    0: "nearest integer, nearest whole number, nearest unit, Ganze, unité près, 整数",
    1: "nearest tenth, one decimal, Zehntel, dixième, décima, decimo, до десятых, 一位小数",
    2: "nearest hundredth, nearest cent, Hundertstel, centième, centésima, centesimo, до сотых, 两位小数",
    3: "nearest thousandth, Tausendstel, millième, milésima, millesimo, до тысячных, 三位小数",
    4: "nearest ten-thousandth, 四位小数",
}
_PLACES = map_phrases(_LAST_PLACES.items())
"""The last place that is asked for, and its number of decimals."""
_EXACTNESS = make_phrases(
    "exact, exactly, exact value, simplest form, in terms of π, in terms of $\\pi$, as a fraction"
    ", surd, surds",
    "exakt, genau, genauen, exakten, exakte, exacte, valeur exacte, exactement, exacto, exacta, exactamente",
    "esatto, esatta, exato, exata, точно, точное, точное значение, 精确值, 厳密",
)
"""Words with which a question asks for no decimals."""
_ORDERS = make_phrases(
    "in order, in this order, in that order, in the order, in increasing order, in decreasing order",
    "in ascending order, in descending order, from smallest to largest, from least to greatest",
    "from largest to smallest, from greatest to least, respectively, der Reihe nach, in dieser Reihenfolge",
    "aufsteigend, absteigend, dans l'ordre, dans cet ordre, ordre croissant, ordre décroissant, en orden",
    "en este orden, respectivamente, in ordine, nell'ordine, em ordem, nessa ordem, по порядку, в порядке",
    "ordered pair, ordered triple, ordered quadruple, ordered tuple, from lowest to highest, par ordenado",
    "from highest to lowest, der Größe nach, geordnetes Paar, de menor a mayor, de mayor a menor",
    "по возрастанию, по убыванию, 오름차순, 내림차순, 차례로",
    "preorder, postorder, inorder, does it print, does the program print, output of the program",
    "the lower and the upper bound, the lower and upper bound",
    "соответственно, 依次, 按顺序, 从小到大, 从大到小, 順に, 小さい順に, 大きい順に",
)
"""Words with which a question asks for values in an order."""
_NO_ORDERS = make_phrases("in order to, in order for, in order that")
_TERMS = ("terms", "members", "Glieder", "termes", "términos", "termini", "termos", "членов", "члена", "项")
_WHICH = ("first", "next", "ersten", "nächsten", "premiers", "prochains", "primeros", "siguientes", "primi")
_MOST_WORDS = 3
_NAMED_SIZES = (
    ("length", "width", "breadth", "height", "depth"),
    ("base", "height", "altitude"),
    ("quotient", "remainder"),
    ("numerator", "denominator"),
    ("mean", "median", "mode", "variance", "standard deviation", "range"),
    ("area", "perimeter", "volume"),
    ("slope", "intercept", "y-intercept", "x-intercept"),
    ("amplitude", "period", "phase"),
    ("Länge", "Breite", "Höhe"),
    ("Quotient", "Rest"),
    ("longueur", "largeur", "hauteur"),
    ("quotient", "reste"),
    ("largo", "ancho", "alto"),
    ("cociente", "resto", "residuo"),
    ("частное", "остаток"),
    ("длина", "ширина", "длину", "ширину"),
    ("长", "宽", "高"),
    ("商", "余数"),
    ("商", "余り"),
)
"""Words for sizes of one thing that a question asks for in a row, each for another value."""
_SIZES_IN_ORDER = Phrases(
    {
        f"{one} {join} {other}": ""
        for group in _NAMED_SIZES
        for one in group
        for other in group
        if one != other
        for join in ("and", "and the", "und", "und die", "et", "et la", "et le", "y", "y el", "и", "和", "と")
    }
)


_ENDS = tuple(".,;:?!。，？")
_ASKING = make_phrases(
    "find, what, determine, calculate, compute, give, state, write, list, bestimme, berechne, gib, wie",
    "trouver, trouvez, calculer, calculez, déterminer, déterminez, quels, quelles, halla, calcula, encuentra",
    "cuáles, determine, calcule, trova, calcola, quali, найдите, найти, определите, 求, 求め",
)
"""Words before the sizes that a question asks for."""


def compare_rounded(
    answers: tuple[str, str], text: str, question: str, compare: Callable[[str, str, int | None], str]
) -> GradeVerdict | None:
    """Compare an answer with the decimals that a reference or question admits; None where these say nothing.

    Args: answers: those that were found. text: that of the answer. compare: returns the outcome for a
    reference and an answer, to so many decimals.
    """
    gold, pred = answers
    rounded = _find_rounded_side(gold)
    if rounded and not _asks_for_exactness(question) and compare(rounded, text, None) == "equal":
        return GradeVerdict("equal", reason="the reference gives these decimals")
    asked = read_decimals(question)
    forms = read_form(gold), read_form(pred)
    digits = _count_asked_decimals(*forms, asked) if asked is not None else None
    if digits is not None and compare(gold, pred, digits) == "equal":
        return GradeVerdict("equal", reason=f"the question asks for {asked} decimals")
    # Who says "about" does not say that the value is exact.
    shown = _count_shown_decimals(*forms) if _says_about(text) else None
    if shown is not None and compare(gold, pred, shown) == "equal":
        return GradeVerdict("equal if", condition="a rounded value is enough")
    return None


def breaks_order(gold: str, pred: str, question: str, comparison: AnswerComparison) -> bool:
    """Return whether a question asks for values in an order, and two lists of them have other ones."""
    mine, theirs = (
        (_order_list(read_form(text)) for text in (gold, pred)) if asks_for_order(question) else (None, None)
    )
    return mine is not None and theirs is not None and comparison.compare(mine, theirs).outcome != "equal"


def read_decimals(question: str) -> int | None:
    """Return to how many decimals a question asks for its answer; None where it says nothing of it.

    >>> read_decimals("Round to two decimal places."), read_decimals("Give it to the nearest tenth.")
    (2, 1)
    >>> read_decimals("auf 3 Nachkommastellen"), read_decimals("How many decimals has 1/8?")
    (3, None)
    """
    tokens = [token for token in tokenize(question[-_LONGEST:]) if not is_blank(token)]
    if (place := _PLACES.find(tokens)) is not None:
        return place[2]
    for start, _, _ in _DECIMALS.find_all(tokens, 0, len(tokens)):
        said = tokens[start - 1].text if start else ""
        number = int(said) if said.isdecimal() else read_numeral(said) if said else None
        if number is not None and 0 <= number < len("123456789"):
            return int(number)
    return None


def _asks_for_exactness(question: str) -> bool:
    """Return whether a question asks for an exact value, and not for decimals as well."""
    tokens = tokenize(question[-_LONGEST:])
    return _EXACTNESS.find(tokens) is not None and read_decimals(question) is None


def asks_for_order(question: str) -> bool:
    """Return whether a question asks for values in an order, as for the first three terms of a sequence.

    >>> asks_for_order("Give the coefficients in order."), asks_for_order("Find x in order to solve it.")
    (True, False)
    >>> asks_for_order("Write the first three terms."), asks_for_order("Find the quotient and remainder.")
    (True, True)
    >>> asks_for_order("Find the ordered pair (a, b)."), asks_for_order("Find all ordered pairs.")
    (True, False)
    """
    tokens = tokenize(question[-_LONGEST:])
    for start, _, _ in _ORDERS.find_all(tokens, 0, len(tokens)):
        if _NO_ORDERS.match(tokens, start) is None:
            return True
    for start, _, _ in _SIZES_IN_ORDER.find_all(tokens, 0, len(tokens)):
        begun = max((at + 1 for at in range(start) if tokens[at].text in _ENDS), default=0)
        if _ASKING.find(tokens[begun:start]) is not None:
            return True
    words = [token.text for token in tokens if not is_blank(token) and token.text != "$"]
    if _asks_for_terms(words):
        return True
    return any(
        word in _WHICH and not {*words[at + 1 : at + 1 + _MOST_WORDS]}.isdisjoint(_TERMS)
        for at, word in enumerate(words)
    )


def _asks_for_terms(words: Sequence[str]) -> bool:
    """Return whether a question asks for terms by their names, as `Find f(1) and f(2)`, or in parts."""
    for at, word in enumerate(words):
        if word.lower() not in _FINDING:
            continue
        rest = [*words[at + 1 : at + 1 + _MOST_TERM_TOKENS]]
        end = next((index for index, part in enumerate(rest) if part in _ENDS and part != ","), len(rest))
        asked = "".join(rest[:end]) if end < len(rest) or at + 1 + end >= len(words) else ""
        terms = asked.replace(" and ", ",").split("and")
        if len(terms) == 2 and all(_is_term(term) for term in terms) and terms[0] != terms[1]:
            return True
        letters = asked.strip("()").split(",")
        if asked.startswith("(") and len(letters) > 1 and all(map(_is_term, letters)):
            return True
    text = " ".join(words).lower()
    return text.count("how many") > 1 or all(f"( {part} )" in text for part in "ab")


def _is_term(text: str) -> bool:
    """Return whether a text is the name of a value: a letter, or a function of a number."""
    is_letter = len(text) == 1 and text.isalpha()
    is_call = len(text) > _SHORTEST_CALL and text[0].isalpha() and text[1] == "(" and text[-1] == ")"
    return is_letter or is_call


_FINDING = ("find", "determine", "compute", "calculate", "bestimme", "berechne", "give")
_MOST_TERM_TOKENS = 12
_SHORTEST_CALL = 3


def _order_list(form: Form) -> Many | None:
    """Return the values of a list as a tuple, which has an order; None for other answers."""
    listed = form.value if isinstance(form, Named) and not form.indexed else form
    return Many("tuple", listed.items) if isinstance(listed, Many) and listed.kind == "list" else None


def _find_rounded_side(text: str) -> str:
    """Return the decimals that a reference gives beside its exact value, as 18.85 of `6π ≈ 18.85`, or "".

    >>> _find_rounded_side("6π ≈ 18.85 cm"), _find_rounded_side("about 3")
    ('18.85 cm', '')
    """
    tokens = tokenize(text)
    signs = [token for token in tokens if token.text in _APPROXIMATIONS]
    if len(signs) != 1 or not text[: signs[0].start].strip():
        return ""
    side = text[signs[0].end :].strip()
    value = read_form(side)
    return side if isinstance(value, Term) and value.value is not None and value.decimals else ""


def _says_about(text: str) -> bool:
    """Return whether a text calls its value an approximate one."""
    tokens = tokenize(text)
    return any(token.text in _APPROXIMATIONS for token in tokens) or _ABOUT.find(tokens) is not None


_ABOUT = make_phrases(
    "about, approximately, approx, roughly, circa, ca, ungefähr, etwa, rund, environ, aproximadamente, unos",
    "circa, около, примерно, приблизительно, cerca de, 约, 大约, 約, およそ",
)
_APPROXIMATIONS = ("≈", "\\approx", "≃", "\\simeq")


def _count_asked_decimals(gold: Form, pred: Form, asked: int) -> int | None:
    """Return to how many decimals a rounded answer is compared with an exact reference; None for others.

    The decimals of a percentage are two more of the number.
    """
    shown = _count_shown_decimals(gold, pred)
    value = pred.value if isinstance(pred, Named) else pred
    if shown is None or not isinstance(value, Term) or value.decimals is None or value.decimals > asked:
        return None
    return shown + asked - value.decimals


def _count_shown_decimals(gold: Form, pred: Form) -> int | None:
    """Return how many decimals a rounded answer shows beside an exact reference; None for others."""
    exact, rounded = (form.value if isinstance(form, Named) else form for form in (gold, pred))
    if not isinstance(exact, Term) or not isinstance(rounded, Term):
        return None
    if exact.decimals or exact.shown_digits or not rounded.decimals or not rounded.value:
        return None  # decimals that are all zero show nothing
    units = [None if one.unit is None else one.unit.text for one in (exact, rounded)]
    if units[0] is not None and units[1] is not None and units[0] != units[1]:
        return None  # the decimals are those of another unit
    is_percentage = rounded.unit is not None and rounded.unit.measures_only("percent")
    return rounded.decimals + 2 * (is_percentage and units[0] is None)
