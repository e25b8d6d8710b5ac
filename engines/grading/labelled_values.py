"""Values with a label each: mean 5 and standard deviation 2, 12 boys and 15 girls, max at x = 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engines.core.tree import ZERO, Tree
from engines.formula.vocabulary import CONNECTIVES
from engines.grading.forms import Form, Many, UnreadForm
from engines.grading.meanings.quantified_sentences import find_stem
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.sentence_quantities import find_denial, list_quantities
from engines.grading.tokens import AnswerToken, is_blank, skip_blanks, text_at, tokenize, unwrap_texts
from engines.grading.translated_vocabulary import ANDS
from engines.grading.trees import tree_of_term
from engines.language.numerals import write_numerals

Label = frozenset[str]
"""The words of a label that tell it from others."""

_SYNONYMS = {
    word: name
    for name, group in (
        ("mean", "average mittel μ mu xbar mittelwert durchschnitt moyenne media среднее 平均"),
        ("deviation", "σ sigma sd standardabweichung écart-type desviación"),
        ("variance", "varianz var varianza дисперсия"),
        ("maximum", "max maximal greatest largest highest máximo максимум hochpunkt"),
        ("minimum", "min minimal least smallest lowest mínimo минимум tiefpunkt"),
        ("centre", "center mittelpunkt centro центр 圆心 c m"),
        ("radius", "r rayon radio радиус 半径"),
        ("length", "long länge lang longueur longitud длина lunghezza comprimento 长"),
        ("slope", "gradient steigung pente pendiente наклон"),
        ("intercept", "achsenabschnitt ordonnée"),
        ("point", "through passing durch punkt par punto точку"),
        ("width", "wide breite breit largeur large ancho ширина largura larghezza широкий"),
        ("perimeter", "umfang périmètre perímetro perimetro периметр"),
        ("area", "fläche flächeninhalt aire área superficie площадь"),
        ("volume", "volumen volum объём объем"),
        ("height", "high tall höhe hoch hauteur haut altura alto altezza высота 高"),
        ("depth", "deep tiefe tief profondeur profondo profundidad глубина"),
    )
    for word in group.split()
}
_NAMES = frozenset(_SYNONYMS.values()) | {"y", "intercept"}
_SYMBOLS = {"P": "perimeter", "A": "area", "V": "volume"}
"""Letters for what is measured, before a sign of equality."""
_UNTELLING = frozenset(
    (
        *(
            "the",
            "a",
            "an",
            "is",
            "are",
            "of",
            "at",
            "there",
            "be",
            "was",
            "were",
            "has",
            "with",
            "its",
            "it",
        ),
        *("standard", "arithmetic", "arithmetische", "arithmetischer", "arithmétique", "aritmética"),
        *("aritmetica", "local", "relative", "value", "values", "x", "total", "one", "other", "answer"),
        *("rectangle", "rechteck", "rectángulo", "rettangolo", "retângulo", "прямоугольник", "box", "quader"),
        *("f", "function", "graph", "line", "straight", "gerade", "droite", "recta", "прямая"),
        *("circle", "sphere", "kreis", "kugel", "cercle", "sphère", "círculo", "esfera"),
        *(
            "years",
            "year",
            "old",
            "jahre",
            "jahr",
            "alt",
            "ans",
            "an",
            "años",
            "año",
            "anni",
            "anos",
            "лет",
            "года",
        ),
        *(
            "costs",
            "cost",
            "kostet",
            "kosten",
            "coûte",
            "coûtent",
            "cuesta",
            "cuestan",
            "custa",
            "custam",
            "costa",
        ),
        *(
            "стоит",
            "стоят",
            "has",
            "have",
            "hat",
            "haben",
            "a",
            "ont",
            "tiene",
            "tienen",
            "tem",
            "têm",
            "ha",
            "hanno",
        ),
        *(
            "weighs",
            "weigh",
            "wiegt",
            "pèse",
            "pesa",
            "весит",
            "earns",
            "gets",
            "receives",
            "pays",
            "pay",
            "paid",
            "zahlt",
            "zahlen",
            "paie",
            "paient",
            "paga",
            "pagan",
            "платит",
            "платят",
            "each",
            "now",
        ),
        *("o", "os", "as", "il", "lo", "gli", "los", "las", "un", "una", "um", "uma", "das"),
        *("measures", "needs", "takes", "будет", "ему", "ей", "ihm", "y", "e", "et", "und"),
        *(
            "den",
            "dem",
            "ein",
            "eine",
            "einen",
            "der",
            "die",
            "das",
            "ist",
            "sind",
            "beträgt",
            "bei",
            "beim",
            "la",
            "le",
            "les",
            "el",
            "es",
            "est",
        ),
    )
)
_SIGNS = frozenset("=:,;.()[]{}$&≈ ")
_MOST_TOKENS = 80
_MOST_WORDS = 4
"""Words of a label; longer ones are sentences."""


def read_labelled(text: str) -> dict[Label, Form] | None:
    """Return the values of a text with their labels; None where it is no list of at least two of them, and no
    point with a label.

    >>> [sorted(label) for label in read_labelled("mean 5, standard deviation 2")]
    [['mean'], ['deviation']]
    """
    text = text if any(map(str.isdigit, text)) else write_numerals(text)
    text = _count_pi(text.replace("\\pi", "π")).replace("^{2}", "²").replace("^2", "²")
    tokens = [token for token in unwrap_texts(tokenize(text)) if token.text not in _SPACES]
    if len(tokens) > _MOST_TOKENS:
        return None
    if _is_denied_or_open(tokens):
        return None
    values: dict[Label, Form] = {}
    parts = _share_values(
        [one for part in _split_parts(tokens) for one in _repeat_value(_drop_working(part))]
    )
    for part in parts:
        spans = _find_term(part) or list_quantities(part, 0, len(part))
        if not spans and all(is_blank(token) or token.text.lower() in _UNTELLING for token in part):
            continue  # the line with slope 2
        shares = [span for span in spans if part[span[1] - 1].text in ("%", "\\%")]
        if len(spans) == 2 and len(shares) == 1:
            # 20 L of the 50 % solution: how strong it is says which one is meant.
            first, last = next(span for span in spans if span not in shares)
            figures = (token.text for token in part[slice(*shares[0])] if not is_blank(token))
            label: Label | None = frozenset(("".join(figures).replace("\\", ""),))
        elif len(spans) == 1:
            first, last = spans[0]
            label = _read_label([*part[:first], *part[last:]])
        else:
            return None
        value = read_form("".join(token.text for token in part[first:last]).strip())
        if not label or label in values or isinstance(value, UnreadForm):
            return None
        values[label] = value
    is_point = any(isinstance(value, Many) and value.kind == "tuple" for value in values.values())
    return values if len(values) > 1 or is_point else None


def _drop_working(part: Sequence[AnswerToken]) -> Sequence[AnswerToken]:
    """Return a part without the calculation of its value: `median = (5 + 6)/2 = 5.5`"
    ", `the mean is 20/4 = 5`."""
    signs = [at for at, token in enumerate(part) if token.text == "="]
    words = [token.kind == "word" and token.text not in ("sqrt", "π") for token in part]
    if not signs or (
        True in words[signs[-1] :] and any(token.kind == "digits" for token in part[: signs[0]])
    ):
        return part
    start = signs[-1]
    while start and not words[start - 1]:
        start -= 1
    working = part[start : signs[-1]]
    return [*part[:start], *part[signs[-1] :]] if _has_digits(working) else part


def _share_values(parts: Sequence[Sequence[AnswerToken]]) -> list[Sequence[AnswerToken]]:
    """Return parts in which a label alone has the value of the next one that is said of both: `the median and
    the mode are both 3`."""
    shared: list[Sequence[AnswerToken]] = []
    for at, part in enumerate(parts):
        following = parts[at + 1] if at + 1 < len(parts) else []
        both = [index for index, token in enumerate(following) if token.text.lower() in _BOTH]
        is_shared = bool(both) and not _has_digits(part) and _has_digits(following[both[0] :])
        shared.append([*part, *following[both[0] + 1 :]] if is_shared else part)
    return [[token for token in part if token.text.lower() not in _BOTH] for part in shared]


_BOTH = frozenset(["both", "beide", "ambos", "ambas", "entrambi", "entrambe", "оба", "обе"])


def _has_digits(tokens: Sequence[AnswerToken]) -> bool:
    return any(token.kind == "digits" for token in tokens)


def _repeat_value(part: Sequence[AnswerToken]) -> list[Sequence[AnswerToken]]:
    """Return a part of a list once for each of the names that it gives a value, as `median = mode = 5`."""
    signs = [at for at, token in enumerate(part) if token.text == "="]
    heads = [part[start:end] for start, end in zip([0, *(at + 1 for at in signs)], signs, strict=False)]
    named = all(any(token.kind == "word" and len(token.text) > 1 for token in head) for head in heads)
    figures = any(token.kind in ("digits", "formula") for head in heads for token in head)
    if len(signs) < 2 or not named or figures:
        return [part]
    return [[*head, *part[signs[-1] :]] for head in heads]


def _is_denied_or_open(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether a value is denied, which is none then, or one of alternatives, of which one holds."""
    digits = (at for at, token in enumerate(tokens) if token.kind == "digits")
    if any(find_denial(tokens, 0, at) is not None for at in digits):
        return True
    return any(CONNECTIVES.get(token.text.lower()) == "or" for token in tokens)


def find_asked_value(problem: str, text: str) -> str:
    """Return the value whose label, alone among those of a text, stands in the question; "" for none.

    >>> find_asked_value("What is the degree of the equation?", "The degree is 2; its order is 3")
    '2'
    """
    tokens = [token for token in unwrap_texts(tokenize(text)) if token.text not in _SPACES]
    if len(tokens) > _MOST_TOKENS or _is_denied_or_open(tokens):
        return ""
    values: dict[Label, str] = {}
    for part in _split_parts(tokens):
        spans = list_quantities(part, 0, len(part))
        if not spans:
            continue
        first, last = spans[0]
        # `The order is 3` names what is 3; `3 apples` may be what is given.
        is_named = not any(token.kind == "word" and len(token.text) == 1 for token in part)
        label = _read_label(part[:first]) if is_named and len(spans) == 1 else None
        if (
            not label
            or label in values
            or not all(is_blank(one) or one.text in _SIGNS for one in part[last:])
        ):
            return ""
        values[label] = "".join(token.text for token in part[first:last]).strip()
    words = {token.text.lower() for token in tokenize(problem) if token.kind == "word"}
    said = {_SYNONYMS.get(word) or find_stem(word) for word in words} | (words & _NAMES)
    asked = [value for label, value in values.items() if label <= said]
    # A label of which one word is asked for may be the same thing in other words.
    is_clear = len(values) > 1 and all(label <= said or label.isdisjoint(said) for label in values)
    return asked[0] if len(asked) == 1 and is_clear else ""


def order_by_question(problem: str, text: str) -> list[Form]:
    """Return the values of a text in the order in which the question names their labels; [] where it does not
    name all of them, each once.

    >>> [form.text for form in order_by_question("Find mean and median.", "median 4, mean 5")]
    ['5', '4']
    """
    values = read_labelled(text)
    if values is None:
        return []
    said = [token.text.lower() for token in tokenize(problem) if token.kind == "word"]
    named = [_SYNONYMS.get(word) or (word if word in _NAMES else find_stem(word)) for word in said]
    places = {label: [at for at, word in enumerate(named) if word in label] for label in values}
    if not all(len(found) == len(label) for label, found in places.items()):
        return []
    return [values[label] for label in sorted(values, key=lambda label: places[label])]


def list_unlabelled(values: Mapping[Label, Form]) -> Many | None:
    """Return values whose labels only tell them from each other, as `the smaller is 3, the larger 8`, as a
    list; None where the labels say more."""
    known = all(label <= _TELLING_APART for label in values) or (
        len(values) > 1 and all(label <= _DIMENSIONS for label in values)
    )
    return Many("list", tuple(values.values())) if known and values else None


_DIMENSIONS = frozenset(("length", "width", "height", "depth", *map(find_stem, ("side", "sides"))))
"""Words for the sides of a figure, which are as good in any order where only the sides are asked for."""
_TELLING_APART = frozenset(
    map(
        find_stem,
        [
            "smaller",
            "larger",
            "bigger",
            "greater",
            "smallest",
            "largest",
            "first",
            "second",
            "third",
            "number",
            "numbers",
            "one",
            "other",
            "kleinere",
            "größere",
            "petit",
            "grand",
            "menor",
            "mayor",
            "minore",
            "maggiore",
            "меньшее",
            "большее",
        ],
    )
)


def pair_labels(mine: Mapping[Label, Form], theirs: Mapping[Label, Form]) -> list[tuple[Label, Label]] | None:
    """Return which label of one text is which of the other; None where that is not clear.

    A label may have words more than the other, as `Ben` beside `Ben's marbles`, if the words that no other
    label of its text has say which it is.
    """
    if mine.keys() == theirs.keys():
        return [(label, label) for label in mine]
    if len(mine) != len(theirs):
        return None
    pairs = []
    for label in mine:
        telling = label.difference(*(other for other in mine if other != label))
        matches = [other for other in theirs if other & telling]
        if len(matches) != 1 or not (label <= matches[0] or matches[0] <= label):
            return None
        pairs.append((label, matches[0]))
    return pairs if len({other for _, other in pairs}) == len(theirs) else None


_SPACES = ("$", "\\", "\\quad", "\\ ", "\\,", "\\;", "\\qquad")
_TERMS = ("\\frac", "\\dfrac", "\\tfrac", "\\sqrt")


def _find_term(part: Sequence[AnswerToken]) -> list[tuple[int, int]]:
    """Return where a fraction or root with commands begins and ends, at the end of a part; [] without one."""
    start = next((at for at, token in enumerate(part) if token.text in _TERMS), -1)
    if start < 0:
        return []
    while start and (part[start - 1].kind == "digits" or part[start - 1].text in tuple("-−")):
        start -= 1
    end = len(part) - (bool(part) and part[-1].text == ".")
    words = any(token.kind == "word" and len(token.text) > 1 for token in part[start:end])
    return [(start, end)] if start < end and not words else []


def _count_pi(text: str) -> str:
    """Return a text with a number before each π that stands alone, as it is before others."""
    return "".join(
        "1π" if one == "π" and not text[at - 1 : at].isdigit() and text[at + 1 : at + 2] != "/" else one
        for at, one in enumerate(text)
    )


def _split_parts(tokens: Sequence[AnswerToken]) -> list[list[AnswerToken]]:
    parts: list[list[AnswerToken]] = [[]]
    depth = 0
    for at, token in enumerate(tokens):
        between_digits = 0 < at < len(tokens) - 1 and tokens[at + 1].kind == tokens[at - 1].kind == "digits"
        depth += (token.text in tuple("([{")) - (token.text in tuple(")]}"))
        if depth:
            parts[-1].append(token)
        elif (token.text in tuple(",;") and not between_digits) or _joins(tokens, at):
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if not all(is_blank(token) or token.text == "." for token in part)]


def _joins(tokens: Sequence[AnswerToken], at: int) -> bool:
    word = tokens[at].text.lower()
    if word in ("with", "mit", "avec", "con", "с") or CONNECTIVES.get(word) == "and":
        return True
    # The letter of a y-intercept joins nothing.
    following = text_at(tokens, skip_blanks(tokens, at + 1))
    is_word = len(following) > 1 or following in _ARTICLES
    return word in ANDS and following.isalpha() and is_word and following not in _NAMES


_ARTICLES = ("a", "o")
"""Articles of one letter, as in `e a Ana`."""


def make_circle(values: dict[Label, Form]) -> Tree | None:
    """Return the equation of the circle or sphere with a centre and a radius; None for other labels."""
    centre, radius = values.get(_CENTRE), values.get(_RADIUS)
    if len(values) != 2 or not isinstance(centre, Many) or not isinstance(radius, Term):
        return None
    size = tree_of_term(radius)
    entries = [tree_of_term(item) if isinstance(item, Term) else "" for item in centre.items]
    if isinstance(size, str) or not 1 < len(entries) < len(_COORDINATES) + 1:
        return None
    squares = [
        Tree("pow", (Tree("-", (Tree(name), entry)), Tree("2")))
        for name, entry in zip(_COORDINATES, entries, strict=False)
        if isinstance(entry, Tree)
    ]
    total = squares[0]
    for square in squares[1:]:
        total = Tree("+", (total, square))
    return Tree("=", (total, Tree("pow", (size, Tree("2"))))) if len(squares) == len(entries) else None


def make_line(values: dict[Label, Form]) -> Tree | None:
    """Return the equation of the line with a slope, and an intercept or point; None for other labels."""
    slope, point = values.get(_SLOPE), values.get(_POINT)
    intercept = values.get(_INTERCEPT) or values.get(_INTERCEPT - {"y"})
    if intercept is not None and point is None:
        point = intercept if isinstance(intercept, Many) else Many("tuple", (Term("0", tree=ZERO), intercept))
    if len(values) != 2 or not isinstance(slope, Term) or not isinstance(point, Many):
        return None
    entries = [tree_of_term(item) for item in (slope, *point.items) if isinstance(item, Term)]
    trees = [entry for entry in entries if isinstance(entry, Tree)]
    if len(trees) != 3:
        return None
    rise, at, height = trees
    right = Tree("+", (Tree("*", (rise, Tree("-", (Tree("x"), at)))), height))
    return Tree("=", (Tree("y"), right))


_SLOPE, _POINT, _INTERCEPT = frozenset(("slope",)), frozenset(("point",)), frozenset(("y", "intercept"))
_CENTRE, _RADIUS = frozenset(("centre",)), frozenset(("radius",))
_COORDINATES = ("x", "y", "z")


def _read_label(tokens: Sequence[AnswerToken]) -> Label | None:
    """Return the telling words of a label; None where it says more."""
    words: list[str] = []
    for at, token in enumerate(tokens):
        if token.text == "²" and words[-1:] == ["deviation"]:
            words[-1] = "variance"
            continue
        hyphen = token.text == "-" and 0 < at < len(tokens) - 1 and tokens[at + 1].kind == "word"
        if is_blank(token) or token.text in _SIGNS or hyphen:
            continue
        word = token.text.lower().lstrip("\\")
        if token.text in _SYMBOLS and text_at(tokens, at + 1 + (text_at(tokens, at + 1) == " ")) == "=":
            words.append(_SYMBOLS[token.text])
            continue
        if token.kind not in ("word", "command") or not word.isalpha():
            return None
        if word == "in" and words:
            break  # 12 boys in the class
        if word not in _UNTELLING:
            words.append(_SYNONYMS.get(word) or (word if word in _NAMES else find_stem(word)))
    return frozenset(words) if 0 < len(words) <= _MOST_WORDS else None
