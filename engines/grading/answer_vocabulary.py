"""Words around answers: what joins, limits, denies or concludes them, and what says nothing between them."""

from __future__ import annotations

from collections.abc import Iterable

from engines.formula.vocabulary import CONNECTIVES, TRIGONOMETRIC_AND_HYPERBOLIC
from engines.grading.tokens import Phrases, Value


def make_phrases(*groups: str) -> Phrases[str]:
    """Return a table of the phrases that are listed with commas."""
    return map_phrases(("", group) for group in groups)


def map_phrases(groups: Iterable[tuple[Value, str]]) -> Phrases[Value]:
    """Return a table of what phrases stand for, those that stand for the same listed with commas.

    >>> from engines.grading.tokens import tokenize
    >>> map_phrases({"low": "at least, from", "high": "up to"}.items()).match(tokenize("from 5"), 0)
    (1, 'low')
    """
    return Phrases({phrase: value for value, group in groups for phrase in group.split(", ")})


JOINS = Phrases(
    {word: label for word, label in CONNECTIVES.items() if label in ("and", "or") and word != "&"}
)
REASONS = make_phrases(
    "wait, no, not, actually, sorry, instead, rather, but, because, since, as, so, hence, thus, then",
    "therefore, where, when, if, which, with, =",
)
"""Words after which another answer, or none, is given."""
CONCLUSIONS = make_phrases(
    "so, thus, hence, therefore, also, daher, somit, folglich, deshalb, donc, ainsi, por lo tanto, por tanto",
    "así que, entonces, значит, поэтому, таким образом, следовательно, итак, quindi, pertanto, portanto",
    "所以, 因此, 故, よって, ゆえに, 故に, したがって, 따라서, 그러므로",
)
EXISTENCES = make_phrases("il y a, hay, es gibt, c'è, ci sono, имеется, имеются, há")
"""Words in front of what there is."""
CAUSES = make_phrases("because, since, so, as, which, not")
"""Words behind a comma that end an answer."""
PLAIN_CAUSES = make_phrases("because, since, weil, denn, parce que, porque, потому что, так как, perché")
"""Words that end an answer without a comma before them."""
COPULAS = make_phrases("is, are, equal, equals, =, was, would be, must be, will be")
FINAL_VERBS = ("です", "である", "となる", "になる", "입니다", "이다", "이에요")
"""Verbs behind the number that a sentence states."""
COPULA_VERBS = make_phrases(
    "evaluates to, comes to, amounts to, simplifies to, reduces to, est de, est égal à, est égale à, es de",
    "is, are, equals, is at, are at, is given by, are given by, is equal to, are equal to, ist, sind",
    "lautet, lauten, beträgt, est, sont, vaut, valent, es, que son",
    "soluciones son, raíces son, valores son, равен, равна, равно, равны, составляет, è",
    "sono, são, é, 是, 为, 等于, は",
)
ASSIGNMENTS = make_phrases("=")
CONTRASTS = make_phrases(
    "rather than, instead of, and not, but not, as opposed to, statt, anstatt, plutôt que, а не",
    "而不是, 而非",
)
"""Words before an answer that is denied."""
ABBREVIATIONS = ("approx", "ca", "bzw", "resp", "vs", "no", "nr", "env")
"""Words whose full stop ends no sentence."""
UNSPACED_VERBS = make_phrases("是, 为, 為, 等于, は, 得, 는, 은")
APPROXIMATIONS = make_phrases(
    "i.e. approximately, i.e. about, that is approximately, that is about, approximately, or about",
    " or approximately, which is about, which is approximately, or roughly, ungefähr, soit environ",
    "environ, aproximadamente, приблизительно, 约",
)
"""Words behind an answer that say it once more, or what it is about."""
SUBORDINATE = make_phrases(
    "because, since, when, where, if, while, who is, whose, whereas, weil, wenn",
)
"""Words that begin a clause behind the one that states the answer."""
FURTHER_LIMITS = make_phrases(
    "times as, times more, times less, times the, later than, earlier than, minutes later, hours later",
    "degrees below, degrees under, degrees above, or more, or less, or fewer, or greater, or higher",
    "or lower, below, above, factorial, dozen, hundred, thousand, million, billion, trillion, is not",
    "is wrong, is incorrect, is false, is impossible",
)
"""Words behind a number that say that another is meant."""
ALTERNATIVES = make_phrases("or more, or less, or fewer")
MONTHS = make_phrases(
    "January, February, March, April, May, June, July, August, September, October, November, December",
)
WEEKDAYS = make_phrases(
    "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday, Montag, Dienstag, Mittwoch, Donnerstag",
    "Freitag, Samstag, Sonntag, lundi, mardi, mercredi, jeudi, vendredi, samedi, dimanche, lunes, martes",
    "miércoles, jueves, viernes, sábado, domingo, понедельник, вторник, среда, четверг, пятница, суббота",
    "воскресенье",
)
OPTIONS = make_phrases(
    "option, choice, answer, option is, choice is, answer is, choose, select, pick, go with, choose option",
    "wähle, je choisis, elijo, выбираю, 选, 我选",
)
IS_RIGHT = make_phrases(
    "正确, 是正确的, が正しい, верен, верно",
    "is true, is correct, is right, is the right one, ist richtig, est correcte, es correcta",
)
"""Words behind the letter of a choice that is taken."""
RANGES = make_phrases(
    "for some constant, for any constant, for all constants, for any real constant, for some real constant",
    "for some integer, for any integer, for all integers, for some real, for all real, for every integer",
)
"""Words between a formula and the letter in it whose values they name."""
REASONS_BEHIND = make_phrases(
    "by, since, because, as, due to, for all, weil, nach, car, porque, так как",
)
"""Words behind a predicate that give a reason for it."""
LIST_NOUNS = make_phrases(
    "solutions, roots, zeros, numbers, eigenvalues, values, Lösungen, Nullstellen, racines",
    "pairs, ordered pairs, points, vectors, elements, Paare, Punkte, Elemente, paires, pares, puntos, пары",
    "solutions sont, soluciones, raíces, корни, корня, решения, soluzioni, radici"
    ", soluções, raízes, zéros, ceros, zeri",
    "angles, angles measure, angles have, sides, sides measure, sides have, lengths"
    ", sides have lengths, Winkel",
    "Winkel betragen, Seiten, Winkel haben, angles mesurent, côtés mesurent, ángulos miden, lados miden",
    "angoli misurano, lati misurano, ângulos medem, lados medem, углы, углы равны, стороны, стороны равны",
)
"""Words right before a list of values."""
MEMBERSHIPS = make_phrases(
    "belongs to, lies in, is in, must be in, in, appartient à, pertenece a, принадлежит, liegt in, 属于, ∈",
    "appartient à l'intervalle, dans l'intervalle, liegt im Intervall, im Intervall, en el intervalo",
    "al intervalo, промежутку, отрезку, интервалу, the interval, nell'intervallo",
)
"""Words before the set that has the values."""
MEMBER_LEADS = make_phrases("can be, could be, may be, any of, one of, namely, nämlich, à savoir, а именно")
"""Words before the set in words that has the values."""
POINT_LEADS = make_phrases(
    "meet at, intersect at, intersect in, cross at, touch at, se coupent en, schneiden sich in"
)
"""Words before a list of points."""
ATTAINMENTS = make_phrases(
    "attained, achieved, reached, with equality, equality holds, which occurs, atteint, angenommen",
    "se alcanza, достигается, 当且仅当, 等号成立",
)
"""Words behind an extreme value before where it is taken."""
PLACE_WORDS = make_phrases(
    "when, at, for, if, attained, achieved, reached, taken, occurs, occurring",
    "bei, wenn, für, an der Stelle, angenommen, quand, lorsque, pour, en, atteint, atteinte, obtenu, cuando",
    "para, se alcanza, alcanzado, при, достигается, когда, в точке, quando, per, raggiunto, in, em, atingido",
    "此时, 此時, 当, 當, 时, 時, 在, のとき",
)
"""Words between an extreme value and where it is taken."""
VECTOR_LEADS = make_phrases(
    "the set of all vectors, all vectors, all vectors of the form, the set of all points",
    "alle Vektoren, tous les vecteurs, todos los vectores, все векторы, tutti i vettori",
)
"""Words before a vector with a parameter."""
CHANCES = make_phrases("chance, chances, probability")
ODDS = make_phrases("odds, ratio, Verhältnis, rapport, razón")
PERCENT = make_phrases(
    "%, °, pct, percent, per cent, Prozent, pour cent, por ciento, por cento, per cento, процент, процента"
    ", процентов"
)
PARTS_OF = make_phrases(
    "of an, of a, of one, einer, eines, d'un, d'une, de, de un, de una, de um, de uma, di, di un, di una"
)
"""Words between a fraction and the unit that it is a part of."""
SOLVING = make_phrases(
    "is a solution, are solutions, is the solution, are the solutions, works, work, satisfies it, satisfy it",
    "ist eine Lösung, ist Lösung, sind Lösungen, est solution, sont solutions, es solución, son soluciones",
    "является решением, являются решениями, 都是解, 是解",
)
"""Words behind a set of values that say that these are what is sought."""
SHARES = make_phrases("out of, of the, von, из, sur, choose")
"""Words between two numbers that are one: 5 out of 36."""
KEPT = frozenset(
    ("not", "minus", "negative", "sec", "csc", "cot", "log", "exp", "sqrt", *TRIGONOMETRIC_AND_HYPERBOLIC)
)
"""Words before a number that are part of the answer."""
NO_NUMBERS = ("one", "a half", "half", "third", "quarter")
"""Numerals that are more often something else: this one, a third of them."""
CONCLUDING = make_phrases(
    "i.e., that is, in other words, d. h., das heißt, c'est-à-dire, es decir, то есть, 即, so, thus, hence",
    "therefore, which means, meaning, which leaves, leaving, which gives, giving, which makes, making",
    "twice of which is, half of which is, double of which is",
    "for a total of, then, also, daher, somit, folglich, donc, entonces, así que, значит, поэтому",
    "следовательно, quindi, 所以, 因此, よって, したがって, 따라서",
)
"""Words in a sentence before what it concludes."""
FORMULA_LEADS = make_phrases(
    "that, we get, we have, we find, we obtain, this gives, it gives, this means, get, have, obtain",
    "the value of, the number, the solution is, the solutions are, the answer is, the set is, the result is",
    "holds for all, is true for all, is satisfied for all, gilt für alle, gilt für, vraie pour tout",
    "the range is, the domain is, the condition is, if and only if, exactly when, precisely when",
    "erhält man, erhalten wir, gilt, dass, on obtient, on a, que, obtenemos, tenemos, получаем, имеем, что",
)
"""Words right before a formula that a sentence ends with."""
DENIALS = make_phrases(
    "no reason, no evidence, no grounds, insufficient evidence, lack of evidence, kein Grund, no hay",
    "no es, no son, no tiene, no tienen, no vale, no da, no puede, not, n't, t, never, cannot, nobody",
    "no one, none of, neither, niemand, personne, nadie, никто, nessuno, nicht, kein, keine, keinen, nie",
    "pas, niemals, keineswegs, keinesfalls, jamais, nunca, не, нет, никогда, ні, немає, non, nenhum, não",
    "niet, geen, nooit, inte, icke, aldrig, ikke, ikkje, nie jest, nie ma, nigdy, není, nejsou, nikdy",
    "nu este, nu e, nu sunt, nu poate, nu are, nu dă, nicidecum, ei, ei ole, eivät, nem, soha, δεν, όχι",
    "ποτέ, ليس, ليست, لا, لن, לא, אינו, אינה, אינם, איננו, איננה, không, chẳng, bukan, tidak, 不, 没有",
    "沒有, 没",
)
"""Words that deny the clause in which they stand."""
INTENTIONS = make_phrases(
    "want, wants, wanted, wish, wishes, wished, hope, hopes, hoped, hopes for, hoped for, hoped to get",
    "asks for, asked for, would like, plans to, planned to, intends to, intended to, tried to, wollte",
    "möchte, wünscht sich, voulait, voudrait, quería, quiere, хотел, хотела, хочет, 想要, voleva",
)
"""Words before a quantity that somebody only wishes for."""
ADMISSIONS = make_phrases(
    "could not, couldn't, cannot determine, can't determine, cannot be determined, do not know, don't know",
    "not sure, unsure, cannot solve, can't solve, unable to, not able to, no idea, cannot tell, can't tell",
    "weiß nicht, weiß ich nicht, konnte nicht, kann nicht, ne sais pas, je ne peux pas, no sé, no puedo",
    "не знаю, не могу, не смог, не удалось, 不知道, 无法, わかりません, 分かりません",
)
"""Words with which a sentence says that it has no answer."""
NO_DENIALS = make_phrases(
    "不等式, 不等号, 不妨, 不定积分, 不同, 没关系, not only, nicht nur, non seulement, no solo",
    "no doubt, without doubt, without a doubt, sans doute, sin duda, senza dubbio, sem dúvida, niet alleen",
)
"""Words that only begin as a denial does."""
STATING_VERBS = make_phrases("points, moves, acts, becomes, remains, stays, takes place on, is on, falls on")
"""Verbs other than `is` before what is said of a subject."""
SUMS = make_phrases("add up to, adds up to, added up to, sum up to, sums up to")
"""Words before a total, of which `up to` limits nothing."""
LEVELS = make_phrases(
    "level, significance level, level of significance, level of confidence, confidence level, niveau",
    "signifikanzniveau, уровне значимости",
)
"""Words behind a percentage at which something is tested."""
HEDGES = make_phrases(
    "if, whether, unless, unclear, may, might, could, should, perhaps, possibly, maybe, probably"
    ", either, or, except",
    "other than, apart from, falls, ob, vielleicht, oder, si, sauf, ou, peut-être, quizás, salvo, если",
    "может, кроме, или, 可能, 如果, 除了, もし, 以外, some, not all, not every, at least one",
    "converse, contrapositive, negation, opposite, Umkehrung, réciproque, recíproco",
    "partially, partly, mostly, nearly, almost, half, teilweise, en partie, parcialmente, частично, 部分",
    "einige, quelques, algunos, algunas, некоторые, не все, 有些, 有的",
)
"""Words with which a sentence does not simply state its answer in words."""
CONTRASTING = make_phrases("but, only, although, however, aber, nur, mais, seulement, pero, solo, но, только")
"""Words that take part of a statement back."""
CIRCUMSTANCES_BEHIND = make_phrases("のとき, の時, のときに, 时取得, 时, 時に")
"""Words right behind a quantity for which something else is stated."""
CONDITIONALS = make_phrases(
    "would have been, would only be, wäre, wären, serait, seraient, sería, serían, было бы, был бы, была бы",
    "sarebbe, seria",
)
"""Verbs before a quantity that is none in fact."""
CORRECTIONS = make_phrases(
    "but, only, sondern, mais, sino, а, но, ma, mas, als, und, and, y, et, и",
    "maar, utan, lecz, ale, vaan, hanem, αλλά, بل, אלא, melainkan, tetapi, 而是",
)
"""Words behind which a denial no longer counts."""
SUBORDINATES = make_phrases(
    "qui, quien, attained, reached, achieved, obtained, after, before, when, while, since, because, if",
    "although",
    "though, whereas, given that, having, who, which, where, than, instead of, out of, compared to",
    "compared with, during, until, nachdem, bevor, weil, wenn, während, obwohl, indem, nach, vor, après",
    "avant, quand, lorsque, si, puisque, parce que, car, después de, antes de, cuando, porque, ya que",
    "pues, al, после, до, когда, если, так как, потому что, поскольку, чтобы, dopo, quando, se, perché",
    "poiché, depois de",
)
"""Words that begin a clause or phrase of what is given."""
DETERMINERS = make_phrases(
    "the, these, those, his, her, their, its, our, my, your, all, both, every, of the, the first",
    "the last, die, der, den, dem, diese, diesen, seine, seinen, seiner, ihre, ihren, ihrer, allen, alle",
    "les, des, ces, ses, leurs, los, las, sus, estos, estas, все, всех, этих, его, её, их, gli",
)
"""Words before a number that point back to what is known."""
PREPOSITIONS = make_phrases(
    "in, for, at, from, with, per, on, every, each, within, among, over, für, pro, je, mit, bei, von, aus",
    "auf, pour, en, avec, par, dans, sur, chez, por, para, con, за, в, на, из, по, с, через, для, при, у",
    "da, su",
)
"""Words before a number that rather says where, when or of what."""
OBLIGATIONS = make_phrases(
    "need, needs, needed, has, have, had, want, wants, wanted, going, able, must, plans, ought, likely",
    "is, are, was, were, up, comes, equal, equals, amounts, according, expected, due, required, close",
)
"""Words before `to` whose verb states what happens."""
REMAINDERS = make_phrases(
    "left, remaining, remain, remains, left over, still has, still have, übrig, noch, reste, restent",
    "da, back, zurück, übriggeblieben, restant, queda, quedan, sobran, sobra, осталось, останется, остаётся",
    "остается, rimangono, restano, rimane, resta, sobram, 剩, 剩下, 还剩, 残り, 残る, 남",
)
"""Words of a clause that states what is left."""
TOTALS = make_phrases(
    "total, altogether, in all, overall, combined, together, insgesamt, zusammen, au total, en tout",
    "en total, всего, вместе, итого, in totale, no total, 一共, 总共, 共, 合計, 全部で, 모두, 총",
)
"""Words of a clause that states a total."""
CURRENCIES = ("$", "€", "£", "BRL")
FORMAT_COMMANDS = ("\\text", "\\quad", "\\qquad", "\\mbox", "\\textbf", "\\mathrm")
FORMAT = frozenset((*FORMAT_COMMANDS, *"{}$~", *(f"\\{sign}" for sign in ",;:! ()[]")))
"""What says nothing between two answers."""
MOST_BOXES = 2_000
"""More boxes are longer than an answer that is read."""
WORDS_BETWEEN = 5
MOST_LISTED = 60
UNIT_WORDS = 3
