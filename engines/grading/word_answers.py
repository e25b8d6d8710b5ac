"""Answers that are words: what is said of a series, function or system, and what says the opposite.

`The series converges by the ratio test` says *convergent*. The words of a sentence for such an answer are one
phrase of the table below, with what denies it before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from engines.grading.answer_vocabulary import HEDGES, map_phrases
from engines.grading.sentence_quantities import find_denial
from engines.grading.tokens import AnswerToken, Phrases, is_blank, skip_blanks, tokenize

_REACHING = (
    "",
    "diverges to ",
    "tends to ",
    "goes to ",
    "approaches ",
    "is ",
    "the limit is ",
    "tend vers ",
    "tiende a ",
)
_INFINITIES = (
    "infinity",
    "∞",
    "\\infty",
    "+∞",
    "+ ∞",
    "+infinity",
    "plus infinity",
    "+\\infty",
    "positive infinity",
)
_MINUSES = ("-", "−", "negative ", "minus ")
"""How a text says that something has no bound; the first names stand behind a minus as well."""
_SAID = {
    "does not exist": "does not exist, doesn't exist, do not exist, dne, n'existe pas, no existe"
    ", existiert nicht, не существует, 不存在, 存在しない, non esiste, não existe",
    "no solution": "no solution, no solutions, no real solution, no real solutions, no real roots, no roots"
    ", pas de solution, aucune solution, keine Lösung, keine Lösungen, no tiene solución, no hay solución"
    ", no tiene soluciones, нет решений, решений нет, не имеет решений, нет корней, nessuna soluzione"
    ", не имеет корней, корней не имеет, решений не имеет, корней нет, keine reellen Lösungen"
    ", keine reelle Lösung"
    ", pas de solution réelle, aucune solution réelle, 没有实数根, 无实根, 方程无解, 实数解はない, 没有解"
    ", 无解, 無解, 无实数解, 没有实数解, 没有实根, 没有根, 解なし, 解がない, 解は存在しない, sem solução"
    ", solution does not exist, solutions do not exist, ninguna solución, no existe solución, niemals erfüllt"
    ", действительных решений нет, действительных корней нет, nie erfüllt, empty set, leere Menge"
    ", solution set is empty, Lösungsmenge ist leer, ensemble vide, conjunto vacío"
    ", пустое множество, 空集, 空集合",
    "infinitely many solutions": "infinitely many solutions, infinitely many, unendlich viele Lösungen"
    ", une infinité de solutions, infinitas soluciones, бесконечно много решений"
    ", infinite soluzioni, 无穷多解",
    "absolutely convergent": "absolutely convergent, converges absolutely",
    "not absolutely convergent": "does not converge absolutely, not absolutely convergent",
    "conditionally convergent": "conditionally convergent, converges conditionally",
    "convergent": "convergent, converges, konvergiert, konvergent, сходится, convergente",
    "divergent": "divergent, diverges, does not converge, doesn't converge, not convergent, divergiert"
    ", divergente, konvergiert nicht, ne converge pas, no converge, расходится, не сходится",
    "even": "even, even function, gerade, paire, четная, чётная, 偶函数, 偶関数",
    "odd": "odd, odd function, ungerade, impaire, нечетная, нечётная, 奇函数, 奇関数",
    "neither even nor odd": "neither even nor odd, neither odd nor even, ni pair ni impair"
    ", weder gerade noch ungerade, 非奇非偶函数",
    "linearly independent": "linearly independent, linear unabhängig, linéairement indépendants"
    ", linealmente independientes, линейно независимы",
    "linearly dependent": "linearly dependent, linear abhängig, linéairement dépendants"
    ", linealmente dependientes, линейно зависимы, not linearly independent",
    "tautology": "tautology, tautologie, Tautologie, тавтология",
    "contradiction": "contradiction, unsatisfiable",
    "contingency": "contingency, neither a tautology nor a contradiction",
    "injective": "injective, one-to-one, injektiv, инъективна",
    "surjective": "surjective, onto, surjektiv, сюръективна",
    "bijective": "bijective, bijektiv, биективна, injective and surjective, one-to-one and onto",
    "invertible": "invertible, nonsingular, non-singular, regulär, invertierbar, inversible",
    "singular": "singular, not invertible, noninvertible, singulär, nicht invertierbar, non inversible",
    "reject the null hypothesis": "reject the null hypothesis, null hypothesis gets rejected"
    ", H0 gets rejected, null hypothesis must be rejected, null hypothesis should be rejected"
    ", H0 must be rejected, H_0 gets rejected, H_0 must be rejected, H_0 should be rejected"
    ", verwirf die Nullhypothese"
    ", verwerfe die Nullhypothese, reject H_0, reject H0, reject H₀"
    ", null hypothesis is rejected, H_0 is rejected, H0 is rejected, H₀ is rejected"
    ", Nullhypothese wird abgelehnt, Nullhypothese wird verworfen, H_0 wird abgelehnt, H_0 wird verworfen"
    ", H₀ wird abgelehnt, H₀ wird verworfen, H0 wird abgelehnt, H0 wird verworfen, H_0 ablehnen, H₀ ablehnen"
    ", Nullhypothese ablehnen, Nullhypothese verwerfen, on rejette H_0, on rejette H₀"
    ", on rejette l'hypothèse nulle"
    ", se rechaza H_0, se rechaza H₀, se rechaza la hipótesis nula, si rifiuta H_0"
    ", si rifiuta l'ipotesi nulla"
    ", rejeita-se H_0, rejeita-se a hipótese nula, нулевая гипотеза отвергается, отвергаем H_0"
    ", H_0 отвергается",
    "fail to reject the null hypothesis": "fail to reject the null hypothesis, fail to reject H_0"
    ", fail to reject H0, fail to reject H₀, do not reject the null hypothesis, do not reject H_0"
    ", do not reject H0, do not reject H₀, cannot reject the null hypothesis"
    ", don't reject the null hypothesis",
    "∞": ", ".join(
        (
            *(f"{verb}{name}" for verb in _REACHING for name in _INFINITIES),
            *(
                "grows without bound",
                "increases without bound",
                "grows without limit",
                "grows beyond all bounds",
            ),
            *("wächst über alle Grenzen", "croît indéfiniment", "crece sin límite", "unendlich", "infini"),
            *("infinito", "неограниченно растёт", "无穷大", "正无穷"),
        )
    ),
    "-∞": ", ".join(
        (
            *(f"{verb}{sign}{name}" for verb in _REACHING for sign in _MINUSES for name in _INFINITIES[:3]),
            *("decreases without bound", "falls without bound", "decreases without limit"),
            *("fällt unbeschränkt", "décroît indéfiniment", "decrece sin límite", "负无穷"),
        )
    ),
    "orthogonal": "orthogonal, perpendicular, senkrecht, orthogonaux, orthogonales, перпендикулярны, 垂直",
    "diagonalizable": "diagonalizable, diagonalisable, diagonalisierbar",
    "not diagonalizable": "not diagonalizable, not diagonalisable, nicht diagonalisierbar",
    "irrational": "irrational, not rational",
    "concave up": "concave up, concave upward",
    "concave down": "concave down, concave downward",
    "true": "true, wahr, vrai, verdadero, верно, 正确",
    "false": "false, not true, untrue, falsch, faux, falso, неверно, 错误",
    "valid": "valid",
    "invalid": "invalid, not valid",
    "increasing": "increasing, increases, strictly increasing, monoton steigend, streng monoton steigend"
    ", wächst, monoton wachsend, streng monoton wachsend, steigt, steigt streng monoton"
    ", wächst streng monoton, steigend, croissante, strictement croissante, croît, creciente"
    ", estrictamente creciente, crece, crescente, strettamente crescente, estritamente crescente, cresce"
    ", возрастает, строго возрастает",
    "decreasing": "decreasing, decreases, strictly decreasing, monoton fallend, streng monoton fallend"
    ", fällt, fällt monoton, fällt streng monoton, fallend, abnehmend, décroissante"
    ", strictement décroissante, décroît, decreciente, estrictamente decreciente, decrece, decrescente"
    ", strettamente decrescente, estritamente decrescente, decresce, убывает, строго убывает",
}
WORD_ANSWERS = map_phrases(_SAID.items())
_OPPOSITES = (
    (
        "maximum, max, maximal, greatest, largest, highest, Maximum, максимум, máximo, maxima"
        ", maximums, maximale, maximaler, maximales, maximalen, Maxima, Maximalwert"
        ", Höchstwert, Hochpunkt, größte, größter, größtes, größten, plus grand, plus grande"
        ", máxima, máximos, el mayor, la mayor, massimo, massima, il maggiore, максимальное"
        ", максимальный, максимальная, максимума, максимального, наибольшее, наибольший"
        ", наибольшая, наибольшего, 最大, 极大, 極大, 최댓값, 최대, 最多, 극댓값, 극대, supremum, sup"
        ", suprémum, supremo, estremo superiore, borne supérieure, супремум, верхняя грань, 上确界, 上確界"
        ", 上限, 상한",
        "minimum, min, minimal, least, smallest, lowest, Minimum, минимум, mínimo, minima"
        ", minimums, minimale, minimaler, minimales, minimalen, Minima, Minimalwert"
        ", Tiefstwert, Tiefpunkt, kleinste, kleinster, kleinstes, kleinsten, plus petit"
        ", plus petite, mínima, mínimos, el menor, la menor, minimo, il minore, минимальное"
        ", минимальный, минимальная, минимума, минимального, наименьшее, наименьший"
        ", наименьшая, наименьшего, 最小, 极小, 極小, 최솟값, 최소, 最少, 극솟값, 극소, infimum, inf, ínfimo"
        ", infimo, estremo inferiore, borne inférieure, инфимум, нижняя грань, 下确界, 下確界, 下限"
        ", 하한",
    ),
    (
        "to the left, left, leftward, leftwards, nach links, vers la gauche, влево",
        "to the right, right, rightward, rightwards, nach rechts, vers la droite, вправо",
        "up, upward, upwards, nach oben, вверх",
        "down, downward, downwards, nach unten, вниз",
    ),
    (
        "north, northward, Norden, nord, norte, на север, северу, 北",
        "south, southward, Süden, sud, al sur, hacia el sur, на юг, югу, 南",
        "east, eastward, Osten, vers l'est, à l'est, este, на восток, востоку, 东, 東",
        "west, westward, Westen, ouest, oeste, на запад, западу, 西",
    ),
    ("clockwise", "counterclockwise, anticlockwise"),
    ("into the page", "out of the page"),
    (
        "increase, increased, increases, rises, rose, increasing, steigend, steigt, wachsend, wächst"
        ", croissante, croissant, croît, creciente, crece, crescente, cresce, increase of, rise, growth"
        ", gain, Zunahme, Anstieg, Erhöhung, hausse, augmentation, aumento, incremento, acréscimo, рост"
        ", увеличение, увеличилось, увеличился, увеличилась, augmenté, aumentó, gestiegen, возрастает"
        ", возрастающая, растёт, растет, 递增, 遞增, 增加, 増加, 증가, 增大, 増大",
        "decrease, decreased, decreases, falls, fell, decreasing, fallend, fällt, abnehmend, décroissante"
        ", décroissant, décroît, decreciente, decrece, decrescente, decresce, reduction, drop, decline"
        ", discount, loss, Rückgang, Senkung, Abnahme, baisse, réduction, diminution, descenso, disminución"
        ", reducción, diminuzione, riduzione, redução, diminuição, queda, снижение, уменьшение, уменьшилось"
        ", уменьшился, уменьшилась, diminué, disminuyó, gesunken, gefallen, убывает, убывающая, убывающий"
        ", 递减, 遞減, 减少, 減少, 감소, 减小, 減小",
    ),
    (
        "convergent, converges, converge, konvergiert, konvergent, convergente, сходится"
        ", сходящийся, 收敛, 収束, 收斂, 수렴",
        "divergent, diverges, diverge, divergiert, divergente, расходится, расходящийся, 发散"
        ", 発散, 發散, 발산",
    ),
    (
        "even, gerade, pair, paire, par, pari, чётная, четная, чётное, четное, чётный, четный"
        ", 偶数, 偶數, 偶函数, 偶関数, 偶函數, 짝수, 우함수",
        "odd, ungerade, impair, impaire, impar, dispari, нечётная, нечетная, нечётное"
        ", нечетное, нечётный, нечетный, 奇数, 奇數, 奇函数, 奇関数, 奇函數, 홀수, 기함수",
    ),
    (
        "positive, positiv, positiver, positives, positif, positivo, positiva, положительно"
        ", положительное, положительный, положительная, 正数, 正數, 正の, 正的, 正值, 양수, 양의",
        "negative, negativ, negativer, negatives, négatif, négative, negativo, negativa"
        ", отрицательно, отрицательное, отрицательный, отрицательная, 负数, 負数, 負數, 负的, 負の, 负值"
        ", 음수, 음의",
    ),
    ("convex, konvex, convexe, convexa, convessa, выпукла", "concave, konkav, cóncava, concava, вогнута"),
    ("profit, gain, gains", "loss, loses, lost"),
    ("younger", "older"),
    ("above, oben, au-dessus, encima, сверху, 上方", "below, unten, au-dessous, debajo, снизу, 下方"),
    ("attractive, attract", "repulsive, repel"),
    ("absorbed", "released"),
    (
        "inside, interior, innerhalb, à l'intérieur, dentro, внутри, 内部",
        "outside, exterior, außerhalb, à l'extérieur, fuera, вне, 外部",
    ),
    ("forward, forwards", "backward, backwards"),
    (
        "mean, average, Mittelwert, Durchschnitt, moyenne, media, média, среднее, 平均数, 平均値",
        "median, Zentralwert, médiane, mediana, медиана, 中位数, 中央値",
        "mode, Modalwert, Modus, moda, мода, 众数, 最頻値",
    ),
    (
        "area, Flächeninhalt, Fläche, aire, área, superficie, площадь, 面积, 面積",
        "perimeter, circumference, Umfang, périmètre, perímetro, perimetro, периметр, 周长, 周の長さ",
        "volume, Volumen, volum, volumen, объём, объем, 体积, 体積",
    ),
    (
        "radius, Radius, rayon, radio, raggio, raio, радиус",
        "diameter, Durchmesser, diamètre, diámetro, диаметр",
    ),
    ("rank, Rang, rang, rango, ранг", "nullity, Defekt, nullité, nulidad"),
    (
        "lcm, least common multiple, lowest common multiple, kgV, kleinste gemeinsame Vielfache, ppcm, mcm"
        ", plus petit commun multiple, m.c.m., mínimo común múltiplo, mmc, НОК, 最小公倍数",
        "gcd, greatest common divisor, hcf, highest common factor, ggT, größte gemeinsame Teiler, pgcd, mcd"
        ", plus grand commun diviseur, m.c.d., máximo común divisor, mdc, НОД, 最大公约数, 最大公約数",
    ),
    (
        "first digit, first digits, first term, leading digit, starts with, begins with, erste Ziffer"
        ", premier chiffre, primera cifra, prima cifra, primeiro algarismo, первая цифра, 首位",
        "last digit, last digits, last term, units digit, ends in, ends with, letzte Ziffer, Einerziffer"
        ", dernier chiffre, última cifra, ultima cifra, último algarismo, последняя цифра, 末位, 个位",
    ),
)
_DIRECTIONS = Phrases(
    {phrase: "" for pair in _OPPOSITES[1:5] for group in pair for phrase in group.split(", ")}
)
_DIRECTED = Phrases(dict.fromkeys(("directed", "pointing", "in the", "the", "to", "toward the", ","), ""))
EXTREMES = Phrases({phrase: "" for group in _OPPOSITES[0] for phrase in group.split(", ")})
"""Words for the greatest and the least value."""
_SIDES = map_phrases(
    ((number, side), group)
    for number, opposites in enumerate(_OPPOSITES)
    for side, group in enumerate(opposites)
)


def find_word_answer(tokens: Sequence[AnswerToken], first: int, last: int) -> str:
    """Return what words between two tokens say of a subject, as `convergent`, with `not` where they deny it;
    "" where they say none of it, or several.

    >>> find_word_answer(tokenize("The series does not converge absolutely"), 0, 11)
    'not absolutely convergent'
    >>> find_word_answer(tokenize("It converges absolutely"), 0, 5)
    'absolutely convergent'
    """
    said: dict[str, int] = {}
    at = first
    part = tokens[:last]
    while at < last:
        match = WORD_ANSWERS.match(part, at)
        if match is None:
            at += 1
            continue
        said.setdefault(match[1], at)
        at = match[0]
    if len(said) != 1 or HEDGES.find(tokens[first:last]) is not None:
        return ""
    (answer, start), *_ = said.items()
    denied = find_denial(tokens, first, start)
    return f"not {answer}" if denied is not None else answer


def split_word_answers(text: str) -> dict[str, str]:
    """Return what a text says of a subject in words, each with the set for which it does; {} where it says
    something else.

    >>> split_word_answers("f is increasing for x > 1")
    {'increasing': 'x > 1'}
    >>> split_word_answers("concave up on (0, 1) and concave down on (1, 2)")
    {'concave up': '(0, 1)', 'concave down': '(1, 2)'}
    """
    tokens = tokenize(text)
    matches: list[tuple[int, int]] = []
    for at in range(len(tokens) if WORD_ANSWERS.may_occur(tokens) else 0):
        match = WORD_ANSWERS.match(tokens, at)
        if match is not None and match[1][-1] != "∞" and (not matches or at >= matches[-1][1]):
            matches.append((at, match[0]))
    said: dict[str, str] = {}
    first = 0
    for (_, _), following in zip_longest(matches, matches[1:], fillvalue=(len(tokens), 0)):
        last = following[0]
        ranged = next(
            ((at, match[0]) for at in range(first, last) if (match := _RANGES.match(tokens, at))), None
        )
        answer = "" if ranged is None else find_word_answer(tokens, first, ranged[0])
        if ranged is not None and any(token.kind == "digits" for token in tokens[first : ranged[0]]):
            return {}  # converges to 6 for x = 2
        if not answer or ranged is None or answer in said:
            return {}
        said[answer] = _drop_join(_join_ranges(tokens[ranged[1] : last]))
        first = last
    return said if all(said.values()) else {}


def _join_ranges(tokens: Sequence[AnswerToken]) -> str:
    """Return the text of tokens in which sets that are listed with their words are alternatives: what holds
    for x < 1 and for x > 2 holds where x is in either."""
    written, at = "", 0
    while at < len(tokens):
        join = _FURTHER.match(tokens, at)
        ranged = None if join is None else _RANGES.match(tokens, skip_blanks(tokens, join[0]))
        if ranged is not None:
            at, written = ranged[0], f"{written.rstrip(' ,')} or"
        else:
            written += tokens[at].text
            at += 1
    return written


_FURTHER = Phrases(
    dict.fromkeys(
        (
            *("and", "and also", "as well as", "and again", "und", "und auch", "sowie", "et", "et aussi"),
            *("ainsi que", "y", "y también", "e", "e anche", "e também", "и", "и также", ","),
        ),
        "",
    )
)
"""Words before a further set for which the same holds."""


def drop_remaining(said: dict[str, str]) -> dict[str, str]:
    """Return what is said of sets without what is said of all that remains: `diverges for every other x`."""
    return {
        answer: where.partition(";")[0].strip()
        for answer, where in said.items()
        if _REMAINING.find(tokenize(where)) is None
    }


_REMAINING = Phrases(
    dict.fromkeys(
        (
            *("every other", "all other", "any other", "otherwise", "elsewhere", "everywhere else", "sonst"),
            *(
                "alle anderen",
                "allen anderen",
                "für alle übrigen",
                "ailleurs",
                "tout autre",
                "tous les autres",
            ),
            *("los demás", "en otro caso", "altrimenti", "tutti gli altri", "caso contrário", "остальных"),
        ),
        "",
    )
)


def _drop_join(text: str) -> str:
    """Return what stands before a comma or `and` at the end of a text."""
    text = text.strip(" .$},;")
    return text.removesuffix(" and").removesuffix(" but").strip(" .$},;")


_RANGES = Phrases(
    dict.fromkeys(
        (
            *(
                "on the interval",
                "on",
                "for",
                "when",
                "if",
                "over",
                "in the interval",
                "auf",
                "für",
                "im Intervall",
            ),
            *("sur", "en", "на", "при", "for all", "on the open interval", "for all x with", "wenn", "falls"),
            *(
                "in",
                "pour",
                "quand",
                "lorsque",
                "sur l'intervalle",
                "dans",
                "para",
                "cuando",
                "en el intervalo",
            ),
            *("per", "quando", "nell'intervallo", "no intervalo", "em", "если", "когда", "на промежутке"),
            *("на интервале", "для"),
        ),
        "",
    )
)


def state_opposites(gold: str, pred: str) -> str:
    """Return what one short text says and the other the opposite of, as `left` and `right`; "" otherwise."""
    sides: list[dict[int, dict[int, str]]] = []
    for text in (gold, pred):
        tokens = tokenize(text)
        if len(tokens) > _MOST_SHORT or not _SIDES.may_occur(tokens):
            return ""
        sides.append(_list_sides(tokens))
    for number, said in sides[0].items():
        other = sides[1].get(number, {})
        if len(said) == len(other) == 1 and {*said} != {*other}:
            return " and ".join((*said.values(), *other.values()))
    return ""


_MOST_SHORT = 60
"""Tokens of a text that says no more than its answer."""


def match_side(tokens: Sequence[AnswerToken], at: int) -> tuple[int, str] | None:
    """Return the index behind a word that has an opposite, and what it says; None where none begins."""
    match = _SIDES.match(tokens, at)
    if match is None:
        return None
    number, side = match[1]
    return match[0], _OPPOSITES[number][side].partition(",")[0]


def name_opposite(name: str) -> str:
    """Return the opposite of what `match_side` says; "" where it is not the only one.

    >>> name_opposite("convergent"), name_opposite("north")
    ('divergent', '')
    """
    names = (
        [side.partition(",")[0] for side in sides]
        for sides in _OPPOSITES
        if len(sides) == 2 and sides[0].partition(",")[0] not in _INCLUSIVE
    )
    return next((pair[1 - pair.index(name)] for pair in names if name in pair), "")


_INCLUSIVE = ("convex", "increase", "maximum", "first digit", "lcm", "radius", "rank")
"""Of these what is one may be the other as well, as what is constant, or both belong to the same."""


def _list_sides(tokens: Sequence[AnswerToken]) -> dict[int, dict[int, str]]:
    """Return which of several opposites a text names: for the number of these, each side with its words."""
    sides: dict[int, dict[int, str]] = {}
    for at in range(len(tokens)):
        if (match := _SIDES.match(tokens, at)) is not None and find_denial(tokens, 0, at) is None:
            number, side = match[1]
            sides.setdefault(number, {})[side] = "".join(token.text for token in tokens[at : match[0]])
    return sides


def drop_direction(text: str) -> str:
    """Return a quantity without the words behind it that say where it points, as `5 N to the left`."""
    tokens = tokenize(text)
    if len(tokens) < 3 or not text[:1].isdecimal():
        return text
    braced = tokens[-1].text == "}"  # 20 \\text{ N to the left}
    end = len(tokens) - braced
    end -= tokens[end - 1].text == "direction"
    match = _DIRECTIONS.match_before(tokens, _trim_blanks(tokens, end))
    while match is not None:
        end = _trim_blanks(tokens, match[0])
        match = _DIRECTED.match_before(tokens, end)
    if not 0 < end < len(tokens) - 1 - braced:
        return text
    return text[: tokens[end - 1].end] + "}" * braced


def _trim_blanks(tokens: Sequence[AnswerToken], end: int) -> int:
    while end and is_blank(tokens[end - 1]):
        end -= 1
    return end


def is_plain_sentence(tokens: Sequence[AnswerToken]) -> bool:
    """Return whether a text is words only, without numbers and formulas."""
    signs = tuple(".,'’-−+∞_₀0")
    return all(token.kind == "word" or is_blank(token) or token.text in signs for token in tokens)
