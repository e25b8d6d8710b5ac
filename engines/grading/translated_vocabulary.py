"""Words between formulas, in the languages of answers, and what the reader knows for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.tokens import Phrases


def _list_signs(table: Mapping[str, Sequence[str]], verbs: Sequence[str] = ("",)) -> dict[str, str]:
    """Return what stands for each of the phrases of a table with any of some verbs before it."""
    return {
        f"{verb}{phrase}": sign
        for sign, groups in table.items()
        for group in groups
        for phrase in group.split(", ")
        for verb in verbs
    }


def _make_signs(table: Mapping[str, Sequence[str]], verbs: Sequence[str] = ("",)) -> Phrases[str]:
    """Return a table of phrases by what stands for them, each with any of some verbs before it."""
    return Phrases(_list_signs(table, verbs))


_VERBS = (
    *("", "is ", "are ", "must be ", "has to be ", "est ", "doit être ", "ist ", "muss "),
    *("es ", "debe ser ", "é ", "deve ser ", "è ", "deve essere ", "должен быть ", "должно быть ", "sont "),
    *("sind ", "sein "),
)
"""Verbs that may stand before these."""
_ORDERS = {
    "≥": (
        "at least, no less than, not less than, greater than or equal to, au moins",
        "supérieur ou égal à, supérieure ou égale à, plus grand ou égal à, mindestens",
        "größer oder gleich, größer gleich, größergleich, nicht kleiner als, mayor o igual que",
        "mayor o igual a, mayor que o igual a, no menor que, al menos, maior ou igual a",
        "maior ou igual que, maior que ou igual a, não menor que, pelo menos",
        "maggiore o uguale a, maggiore o uguale di, non minore di, almeno, не меньше чем",
        "не меньше, не менее чем, не менее, больше или равно, больше или равен",
        "больше либо равно",
    ),
    "≤": (
        "at most, no more than, not more than, no greater than, not greater than",
        "less than or equal to, au plus, inférieur ou égal à, inférieure ou égale à",
        "plus petit ou égal à, höchstens, kleiner oder gleich, kleiner gleich, kleinergleich",
        "nicht größer als, menor o igual que, menor o igual a, menor que o igual a",
        "no mayor que, como máximo, a lo sumo, menor ou igual a, menor ou igual que",
        "menor que ou igual a, não maior que, no máximo, minore o uguale a, minore o uguale di",
        "non maggiore di, al massimo, не больше чем, не больше, не более чем, не более",
        "меньше или равно, меньше или равен, меньше либо равно",
    ),
    ">": (
        "greater than, strictly greater than, larger than, bigger than, more than",
        "strictement supérieur à, strictement supérieure à, supérieur à, supérieure à",
        "plus grand que, größer als, echt größer als, strikt größer als, mayor que, mayor a",
        "estrictamente mayor que, maior que, maior do que, estritamente maior que, maggiore di",
        "strettamente maggiore di, больше чем, больше, строго больше, более",
    ),
    "<": (
        "less than, strictly less than, smaller than, strictement inférieur à",
        "strictement inférieure à, inférieur à, inférieure à, plus petit que, kleiner als",
        "echt kleiner als, strikt kleiner als, menor que, menor a, estrictamente menor que",
        "menor do que, estritamente menor que, minore di, strettamente minore di, меньше чем",
        "меньше, строго меньше, менее",
    ),
    "≠": (
        "not equal to, different from, différent de, différente de, ungleich, verschieden von",
        "distinto de, diferente de, diverso da, diversa da, any number but, any number except",
        "any value except, any value but, anything but, anything except, can be anything but",
        "can be anything except, can be any number except, can be any number but",
        "can be any real number except, may be any number except, не равно, не равен, не равна",
    ),
}
_DENIED = (
    *(
        "not ",
        "no ",
        "never ",
        "cannot be ",
        "can't be ",
        "can not be ",
        "must not be ",
        "mustn't be ",
        "may not be ",
    ),
    *("is not ", "isn't ", "are not ", "aren't ", "should not be ", "does not get ", "nicht ", "ist nicht "),
    *("darf nicht ", "kann nicht ", "n'est pas ", "ne peut pas être ", "ne doit pas être ", "no puede ser "),
    *("no debe ser ", "no es ", "não pode ser ", "não é ", "non può essere ", "non è ", "не может быть "),
    *("не должно быть ", "не должен быть ", "不能", "不", "不得"),
)
"""Words that deny the order behind them."""
_EXCLUSIONS = (
    "cannot be, can't be, can not be, cannot equal, can't equal, must not be, mustn't be, must not equal",
    "may not be, may not equal, should not be, does not equal, doesn't equal, is not, isn't",
    "is different from",
    "darf nicht, kann nicht, ist nicht, ist nicht gleich, ne peut pas être, ne peut pas valoir",
    "ne doit pas être",
    "ne doit pas valoir, n'est pas égal à, n'est pas, no puede ser, no puede valer, no debe ser",
    "no es igual a",
    "no es, não pode ser, não é igual a, não é, non può essere, non può valere, non è uguale a, non è",
    "не может быть равно, не может быть равен, не может равняться, не может быть, не равняется",
    "不能等于, 不等于, 不能为, 不能是, 不为",
)
"""Words for that a value is not taken."""
_LIMITS = {
    "≤": (
        "not exceeding, must not exceed, cannot exceed, can't exceed, can not exceed, may not exceed",
        "never exceeds",
        "does not exceed, doesn't exceed, do not exceed, don't exceed, up to and including, no larger than",
        "no bigger than, überschreitet nicht, darf nicht überschreiten, ne dépasse pas, ne doit pas dépasser",
        "ne peut pas dépasser, n'excède pas, no excede, no supera, no puede superar, não excede",
        "não ultrapassa",
        "non supera, non eccede, не превосходит, не превышает, не превышающие, 不超过, 不大于, 至多",
    ),
    "≥": (
        "no smaller than, not below, never below, must not be below, never falls below, is not below, 不小于",
        "至少",
    ),
    ">": ("exceeding, exceeds, exceed, must exceed, übersteigt, dépasse, supera, excede, превышает, 大于",),
    "<": ("stays below, 小于",),
}
"""Verbs that bound a value, and their denials."""
_OPPOSITE = {">": "≤", "<": "≥"}
RELATIONS = Phrases(
    {
        **_list_signs({opposite: _ORDERS[sign] for sign, opposite in _OPPOSITE.items()}, _DENIED),
        **_list_signs({"≠": _EXCLUSIONS}),
        **_list_signs(_LIMITS),
        **_list_signs(_ORDERS, _VERBS),
    }
)
"""Words for a relation before a value."""
BOUNDS = _make_signs(
    {
        "between": (
            "between, zwischen, compris entre, comprise entre, comprises entre, entre",
            "comprendido entre, comprendida entre, compreendido entre, compreendida entre",
            "compreso tra, compresa tra, tra, fra, между",
        ),
        "strictly between": (
            "strictly between, echt zwischen, strikt zwischen, strictement compris entre",
            "strictement comprise entre, strictement entre, estrictamente entre, estritamente entre",
            "strettamente compreso tra, strettamente tra, строго между",
        ),
        "from": ("from, va de, varie de, reicht von, von, goes from, runs from, vai de, va da, от",),
    },
    (*_VERBS, "lies ", "lie ", "liegt ", "liegen ", "se situe ", "está ", "лежит ", "находится "),
)
"""Words before two bounds."""
EQUALITIES = make_phrases(
    "is, is either, can be, can only be, could be, may be, must be, has to be, equals, is equal to",
    "must equal, est soit, ist entweder, kann sein, peut être, puede ser, может быть, vaut",
    "est égal à, est égale à, est, ist, ist gleich, beträgt, es, es igual a, vale, é, é igual a, è",
    "è uguale a, равен, равна, равно, это, равняется, は, は、",
)
"""Words between a name and its value."""
ALTERNATIVES = make_phrases(
    "or else, or alternatively, or otherwise, oder aber, oder auch, oder sonst, ou bien, ou alors",
    "ou encore, o bien, o si no, o también, ou então, ou ainda, oppure, o anche, либо, или же, или",
    "oder, ou, または, もしくは, あるいは",
)
"""Words between two answers of which either is one."""
FIRST_ALTERNATIVES = make_phrases(
    "either, entweder, soit, ou bien, либо, ou, o bien, o, или",
)
"""Words before the first of two such answers."""
SECOND_ALTERNATIVES = make_phrases(
    "soit, либо, или, ou bien, ou, o bien, o, oder, or",
)
EVERY = make_phrases(
    "the set of all, set of all, die Menge aller, l'ensemble des, el conjunto de los, множество всех",
    "everything, anything, numbers, reals, the reals, every number, any number, each real number",
    "all, every, each, any, all real, any real, every real, all reals, all real numbers, all numbers",
    "every real number, any real number, the real numbers, real numbers, alle, jedes, alle reellen",
    "alle reellen Zahlen, alle Zahlen, jede reelle Zahl, tous les, tout, les, tout réel",
    "tous les réels, tous les nombres réels, tout nombre réel, les réels, todos los, todo, todo real",
    "todos los reales, todos los números reales, todo número real, los, todos os, todos os reais",
    "todos os números reais, tutti gli, ogni, tutti i reali, tutti i numeri reali, ogni numero reale",
    "все, все действительные, все действительные числа, все вещественные числа, любое, любой",
    "любое действительное, любые",
)
"""Words before a letter of which something holds, or in its place."""
SUCH_THAT = make_phrases(
    "with, such that, so that, that are, that satisfy, satisfying, which are, for which, where, mit",
    "für die gilt, für die, tels que, tel que, vérifiant, avec, tales que, tal que, con, que cumplen",
    "que sean, tais que, com, tali che, tale che, такие что, такое что, с, для которых",
)
"""Words between a letter and what holds of it."""
EXCEPT = make_phrases(
    "except, except for, other than, excluding, but not, apart from, außer, ohne, bis auf, sauf",
    "with the exception of, excepté, à l'exception de, excepto, salvo, menos, tranne, eccetto, exceto",
    "a não ser, кроме",
    "за исключением",
)
"""Words before what is excluded."""
EXCLUDED = make_phrases(
    "excluded, is excluded, being excluded, left out, removed, is not allowed, not included, is not included",
    "ausgeschlossen, ist ausgeschlossen, ausgenommen, exclu, est exclu, excluido, está excluido",
    "queda excluido",
    "escluso, è escluso, excluído, está excluído, исключено, исключается, 除外, を除く",
)
"""Words behind what is excluded."""
HALVES = make_phrases(
    "and a half, and one half, et demi, et demie, et un demi, und ein halb, und ein halbes",
    "und ein halber, und eine halbe, einhalb, y medio, y media, e meio, e meia, e mezzo, e mezza",
    "с половиной",
)
"""Words that add a half to a number, behind it or behind what is counted."""
OWNERSHIPS = make_phrases(
    "has, has coordinates, has the coordinates, with, is at, is where, hat, hat die Koordinaten, mit",
    "a, a pour coordonnées, avec, tiene, tiene coordenadas, con, tem, tem coordenadas, com, ha",
    "ha coordinate, имеет координаты, имеет, с координатами",
)
"""Words between the name of a point and its coordinates."""
DEGREES = make_phrases(
    "degree, degrees, Grad, degré, degrés, grado, grados, gradi, grau, graus, градус, градуса",
    "градусов",
)
"""Words for degrees of an angle."""
SCALES = make_phrases(
    "C, F, Celsius, Fahrenheit, Kelvin, Цельсия, of, below, above",
)
"""Words behind degrees that make others of them."""
COPULAS = _make_signs(
    {
        "are": ("sont, sind, son, são, sono, lauten, valent, являются",),
        "is": ("ist, est, es, é, è, lautet, beträgt, vaut, vale, равен, равна, равно, составляет",),
    }
)
"""Verbs between what is asked for and its value."""
REMARKS = _make_signs(
    {
        "inclusive": (
            "inclusive, beide eingeschlossen, eingeschlossen, beide inklusive, beide enthalten",
            "included, both included, ends included, endpoints included, both ends included",
            "inklusive, einschließlich, inclus, compris, bornes comprises, bornes incluses",
            "inclusivo, incluidos, ambos incluidos, extremos incluidos, extremos incluídos",
            "incluídos, inclusos, inclusi, estremi inclusi, estremi compresi, включительно",
        ),
        "exclusive": (
            "exclusive, beide ausgeschlossen, ausgeschlossen, excluded, both excluded",
            "ends excluded, endpoints excluded, not included, exklusive, ausschließlich, exclus",
            "bornes exclues, excluidos, extremos excluidos, excluídos, extremos excluídos, esclusi",
            "estremi esclusi, не включая концы",
        ),
    }
)
"""Words behind two bounds that say whether these belong to what is between them."""
SIGNS = _make_signs(
    {
        "±": (
            "plus or minus, plus-or-minus, plus minus, plus/minus, plus ou moins, plus oder minus",
            "más o menos, più o meno, mais ou menos, плюс-минус, плюс минус",
        ),
        "√": (
            "root, square root, the square root of, square root of, root of, the root of",
            "Wurzel aus, Wurzel, die Wurzel aus, racine de, racine carrée de, la racine carrée de",
            "raíz de, raíz cuadrada de, la raíz cuadrada de, radice di, radice quadrata di",
            "la radice quadrata di, raiz de, raiz quadrada de, a raiz quadrada de, корень из",
            "корень квадратный из, квадратный корень из",
        ),
        "ln ": (
            "natural log of, the natural log of, natural logarithm of, the natural logarithm of",
            "der natürliche Logarithmus von, natürlicher Logarithmus von, le logarithme népérien de",
            "logarithme népérien de, el logaritmo natural de, logaritmo natural de, il logaritmo naturale di",
            "logaritmo naturale di, натуральный логарифм",
        ),
    }
)
"""Words for a sign before a value."""
FACTORIALS = make_phrases("factorial, Fakultät, factorielle, fattoriale, fatorial, факториал, 的阶乘, の階乗")
"""Words behind a number for the product of all up to it."""
OPPOSITES = make_phrases(
    "and its opposite, and its negative, and its negation, and minus that, und sein Negatives",
    "und das Entgegengesetzte, und sein Gegenteil, et son opposé, y su opuesto, e il suo opposto",
    "e o seu oposto, e seu oposto, и противоположный, и противоположный ему, и противоположное число",
)
"""Words behind a value at the end that add the value with the other sign."""
POWERS = make_phrases(
    "to the power of, to the power, raised to, raised to the power, raised to the power of, hoch",
    "à la puissance, puissance, exposant, elevado a, elevada a, elevado à, elevato a, elevata a, alla",
    "в степени",
)
"""Words between a base and its exponent."""
OPEN_BOUNDS = _make_signs(
    {
        "≥": (
            "or more, or greater, or larger, or bigger, or above, or higher, and above, and more",
            "oder mehr, oder größer, ou plus, ou davantage, o más, o mayor, o più, ou mais",
            "ou maior, или больше, или более",
        ),
        "≤": (
            "or less, or fewer, or smaller, or below, or lower, and below, and less, oder weniger",
            "oder kleiner, ou moins, o menos, o menor, o meno, ou menos, ou menor, или меньше",
            "или менее",
        ),
    }
)
"""Words behind a number that make a bound of it."""
SUMS = Phrases(
    dict.fromkeys(
        (
            f"{join}{article}{noun} {verb}".strip()
            for join in (
                "",
                "and ",
                "with ",
                "und ",
                "mit ",
                "et ",
                "avec ",
                "y ",
                "con ",
                "e ",
                "com ",
                "и ",
            )
            for article in ("", "the ", "its ", "die ", "der ", "ihre ", "la ", "sa ", "su ", "a ", "sua ")
            for noun in (
                "sum",
                "limit",
                "value",
                "Summe",
                "Grenzwert",
                "somme",
                "limite",
                "suma",
                "soma",
                "somma",
            )
            for verb in ("", "is", "=", "equals", ":", "of", "ist", "est", "vaut", "es", "é", "è")
        ),
        "",
    )
)
"""Words between the statement that a series converges and its sum."""
MULTIPLES = Phrases(
    {
        f"{every}{zero}{scalar}{noun}": bool(zero)
        for every in ("", "all ", "all the ", "every ", "any ", "the ")
        for zero in ("", "non-zero ", "nonzero ", "non zero ")
        for scalar in ("", "scalar ", "real ")
        for noun in ("multiples of", "multiple of", "multiples of the vector", "multiple of the vector")
    }
    | {
        f"{every}{noun}": False
        for every in ("alle ", "alle reellen ")
        for noun in ("Vielfachen von", "Vielfachen des Vektors", "Vielfache von")
    }
    | {
        f"tous les {noun}": False
        for noun in ("multiples de", "multiples du vecteur", "multiples scalaires de")
    }
    | {
        f"todos los {noun}": False
        for noun in ("múltiplos de", "múltiplos del vector", "múltiplos escalares de")
    }
)
"""Words before a vector for all of its multiples, and whether these are not zero."""
CONSISTING = make_phrases(
    "it consists of, consists of, the null space consists of, the kernel consists of"
    ", the solutions are, they are"
    ", it is, it contains, exactly, the set of, the kernel is, the null space is, these are"
    ", the eigenvectors are"
)
"""Words before the vectors of which a space consists."""
BOUND_JOINS = ("to", "a", "à", "bis", "до", "al", "hasta", "até", "jusqu'à", "through")
"""Words before the second of two bounds."""
TOPICS = (
    "頂点の座標",
    "頂点",
    "交点の座標",
    "顶点坐标",
    "解",
    "答え",
    "答",
    "答案",
    "根",
    "解集",
    "方程式の解",
    "方程的解",
    "不等式の解",
    "不等式的解集",
    "値",
    "定義域",
    "定义域",
)
"""What is asked for, in scripts without spaces; 最小値 says more."""
TOPIC_MARKS = ("は", "是", "为", "為")
"""Words behind a topic, in scripts without spaces."""
CONVERGENCES = ("converges", "convergent", "konvergiert", "converge", "convergente", "сходится", "converge.")
"""What is said of a series with a sum."""
SETS_OF_LETTERS = {"Z": "ℤ", "N": "ℕ", "Q": "ℚ", "R": "ℝ", "C": "ℂ"}
PARITIES_SAID = _make_signs(
    {
        "odd": (
            "is not even, isn't even, not even, is odd, odd, ist ungerade, ungerade, nicht gerade"
            ", ist nicht gerade",
            "est impair, impair, n'est pas pair, es impar, impar, no es par, è dispari, dispari"
            ", é ímpar, ímpar",
            "нечётно, нечетно, нечётное, нечётный, 是奇数, は奇数",
        ),
        "even": (
            "is not odd, isn't odd, not odd, is even, even, ist gerade, gerade, nicht ungerade"
            ", ist nicht ungerade",
            "est pair, n'est pas impair, es par, no es impar, è pari, é par, чётно, четно, чётное, чётный",
            "是偶数, は偶数",
        ),
    }
)
"""Words that say of an integer whether it is even."""
OPERATORS = _make_signs(
    {
        "·": (
            "times, multiplied by, mal, multipliziert mit, fois, multiplié par, multiplicado por"
            ", moltiplicato per",
        ),
        "+": ("plus, más, più, mais, плюс",),
        "−": ("minus, moins, menos, meno, минус",),
        "/": (
            "divided by, over, geteilt durch, dividiert durch, divisé par, dividido por, diviso, делённое на",
        ),
    }
)
"""Words for an operator between two values."""
COORDINATES = Phrases(
    {
        f"{article}{word}{verb}": name
        for name, words in (
            (
                "x",
                "x-coordinate, x-Koordinate, x座標, x坐标, 横坐标, abscissa, abscisse, Abszisse, abscisa"
                ", ascissa, абсцисса",
            ),
            (
                "y",
                "y-coordinate, y-Koordinate, y座標, y坐标, 纵坐标, ordinate, ordonnée, Ordinate, ordenada"
                ", ordinata, ордината",
            ),
            ("z", "z-coordinate, z-Koordinate, z座標, z坐标"),
        )
        for word in words.split(", ")
        for article in ("", "the ", "its ", "die ", "l'", "la ", "a ")
        for verb in ("", " is", " of", " =", " ist", " est", " es", " é", " è", "が", "は", "为", "是")
    }
)
"""Words for coordinates before their values."""
PREFIXES = _make_signs(
    {
        "2 · ": ("twice, double, das Doppelte von, le double de, el doble de, удвоенное",),
        "(1/2) · ": (
            "half of, a half of, one half of, die Hälfte von, la moitié de, la mitad de, половина от",
        ),
        "(1/3) · ": ("a third of, one third of, ein Drittel von, un tiers de, un tercio de, треть от",),
    }
)
"""Words before a value that multiply it."""
CONSTANTS = make_phrases(
    "plus a constant, plus constant, plus any constant, plus some constant, plus an arbitrary constant"
    ", + constant",
    "+ const, + const., plus une constante, plus eine Konstante, más una constante, più una costante",
    "mais uma constante, плюс константа, + константа",
)
"""Words for the constant behind an antiderivative."""
PLACES = make_phrases(
    "only, nur, seulement, solo, sólo, apenas, только, at, in, on, bei, im Jahr, in the year, à, en"
    ", en l'année, em, nel, в, при",
)
"""Words before a value that say where or when it is."""
CONFIRMATIONS = make_phrases(
    "works, is a counterexample, is the only solution, is the solution, is the answer, is the only one"
    ", is the only answer",
    "ist die Lösung, ist die einzige Lösung, ist ein Gegenbeispiel, est la solution, est la seule solution",
    "est un contre-exemple, es la solución, es la única solución, es un contraejemplo, é a solução"
    ", è la soluzione",
    "единственное решение",
)
"""Words behind a value that say that it is what is asked for."""
MEMBERS = make_phrases(
    "everything, all elements, the elements, elements, everything in U, all elements of U, the elements of U",
    "all the elements, all points, the set of elements, the set of all elements, those elements, whatever",
)
MEMBER_VERBS = make_phrases(
    "that is, that's, that are, which is, which are, that lie, lying, belonging, that belong"
)
"""Words for the members of a set, and the verbs before what holds of them."""
FURTHER_PLACES = make_phrases(
    "and also at, and at, and also for, and also when, and additionally at, as well as at, as well as for"
    ", plus at",
    "sowie für, sowie bei, sowie, und auch für, und für, und außerdem für, et aussi pour, et aussi en"
    ", ainsi que pour",
    "et pour, y también para, y para, y también en, e anche per, e per, e também para, e para, а также при"
    ", и при",
)
"""Words that add values to those for which something holds."""
ONES = frozenset(
    (
        "a",
        "an",
        "ein",
        "eine",
        "einen",
        "eins",
        "one",
        "um",
        "uma",
        "un",
        "una",
        "une",
        "uno",
        "один",
        "одна",
        "одно",
    )
)
"""Words for one before what is counted."""
ANDS = {"e": "and", "y": "and", "und": "and", "et": "and", "и": "and", "а": "and", "と": "and", "및": "and"}
"""Words and letters for `and` between two formulas."""
