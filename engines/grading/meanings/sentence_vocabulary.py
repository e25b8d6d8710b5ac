"""Words of sentences that name classes: what denies, joins, limits or explains"
", and what says nothing itself."""

from __future__ import annotations

DENYING = (
    "not, no, n't, isn't, aren't, doesn't, don't, wasn't, cannot, can't, cannot be, nicht, kein"
    ", keine, keinen"
    ", keiner, keines, pas, aucun, aucune, non, não, нет, не, 不, 没, 没有, 沒有, 非, 无, 無, 未"
    ", ない, ではない"
    ", でない, しない, いない, もたない, ありません, ません, sin, sem, senza, ohne, sans, without"
    ", ningún, ninguna"
    ", it is not, it isn't, it does not, it doesn't, they are not, they aren't, they do not, they don't"
    ", it cannot, it can't, we cannot, nessun, nessuna, nenhum, nenhuma, lacks, 아니다, 않는다"
    ", 没有任何, не имеет, не имеют"
)
NEITHER = "neither, weder, 既不, 既非, tampoco, neither a, neither an"
NOR = "nor, noch, ni, ни, né, nem, 也不, 也非, 又不, 又非"
AND = (
    "and, und, et, y, e, и, 且, 和, 而且, 并且, 又, & , as well as, both, sowie, 、, かつ, また"
    ", 同时, 그리고"
    ", though, が, であるが, だが"
)
OR = "or, oder, ou, o, или, 或, 或者, または, oppure"
BUT = (
    "but, yet, although, aber, jedoch, mais, pero, ma, mas, но, а, 但, 但是, 而, 而是"
    ", しかし, but is, however"
)
REASONS = (
    "by, because, since, as, due to, using, via, from, according to, thanks to, because of"
    ", for example, e.g., which, comparison with, weil, da, denn, wegen, nach dem, nach, aufgrund, durch"
    ", car, parce que, puisque, d'après, grâce à, porque, pues, ya que, por, debido a, según, perché"
    ", poiché, per il, pois, так как, потому что, поскольку, по, из-за, ибо, 因为, 因為, 由于, 由, 根据"
    ", なぜなら, により, のため, ため, から, in fact, indeed, for instance, a counterexample is"
    ", zum Beispiel, z. B., par exemple, por ejemplo, например, 例如, 比如, 例えば, consider, take"
)
CONCLUSIONS = (
    "thus, hence, so, therefore, also, donc, luego, quindi, portanto, следовательно, значит, поэтому, 即"
    ", 所以, 因此, ゆえに, よって, 故, consequently, d. h., d.h., that is, i.e."
    ", meaning, somit, folglich, daher"
    ", así que, por lo tanto, dunque, it follows that, we conclude that, in other words"
)
"""Words before a claim that follows from what stands before them, or says it once more."""
LIMITS = (
    "if, iff, whether, unless, unclear, may, might, could, should, perhaps, possibly, either"
    ", except, other than"
    ", apart from, only if, falls, ob, vielleicht, sauf, peut-être, quizás, salvo, если, может, кроме, 如果"
    ", 除了, もし, 以外, depends, depending, maybe, almost, only, nur, seulement, solo"
    ", только, 只有"
    ", 仅, provided, assuming, as long as, when, wenn, quand, cuando, когда, nearly, partially, presumably"
    ", not all, not every, not both, not each, nicht alle, pas tous, no todos, не все, at most, at least"
    ", more than, less than, no more than, fewer than, up to, höchstens, mindestens, au plus, au moins"
    ", a lo sumo, al menos, не более, не менее, 至多, 至少, half, not just"
    ", possible that, possible to, может быть, möglich, dass"
    ", probably, sondern, both yes and no, not only, wrong to say, both true and false"
)
"""Words with which a sentence does not simply state a class."""
PLACES = (
    "on, for, over, in, on the interval, in the interval, over the interval, for all, at, auf, für"
    ", im Intervall"
    ", im, bei, sur, pour, en, dans, su, per, em, no intervalo, en el intervalo, на, при, в, на интервале"
    ", on the intervals, throughout, for every, auf dem Intervall, sur l'intervalle"
    ", nell'intervallo, 在, 当"
)
"""Words before where or for which values something holds."""
EXACT_PLACES = (
    "if and only if, iff, exactly when, precisely when, exactly if, precisely if, exactly for, precisely for"
    ", genau dann wenn, genau dann,wenn, dann und nur dann,wenn, genau für"
    ", si et seulement si, exactement pour, exactement quand, si y sólo si, si y solo si, exactamente cuando"
    ", se e solo se, esattamente quando, se e somente se, exatamente quando"
    ", тогда и только тогда,когда, ровно при, в точности при, 当且仅当, ちょうど"
)
"""Words before the only values for which something holds."""
ELSEWHERE = (
    "otherwise, for all other values, else, elsewhere, sonst, ansonsten, andernfalls, sinon, en otro caso"
    ", en caso contrario, altrimenti, caso contrário, иначе, в противном случае, в остальных случаях, 否则"
)
"""Words for all values that were not named."""
POINT_PLACES = (
    "at, bei, à, в точке, à l'origine, at the point, an der Stelle, at the origin, en el punto, im Punkt"
)
EVERYWHERE = (
    "everywhere, on the whole real line, on the real line, on all of ℝ, überall, partout, en todas partes"
    ", on its domain, on its whole domain, on its entire domain, sur son ensemble de définition, ovunque"
    ", auf ganz ℝ, auf ganz R, on all of R, for all x, for all real x, for every x, for all real numbers"
)
FILLERS = (
    "level, significance level, level of significance, Signifikanzniveau, Niveau, seuil, nivel, livello"
    ", уровне, уровне значимости, nível, significance"
    ", the, a, an, this, that, these, those, it, its, they, them, there, we, is, are, be, was, were"
    ", has, have"
    ", had, given, does, do, can, will, must, get, say, conclude, conclude that, concludes, see that, see"
    ", it is, it does, they are, they do, it can, we can, you can, can be, being, such, any, all"
    ", just, also, clearly, obviously, then, finally, answer, answer is"
    ", conclusion, result, called, of, to, two, each other, one another, at all, in fact, both"
    ", series, sequence, improper integral, integral, function, map, mapping, functions, curve, graph of"
    ", graph, point, critical point, stationary point, points, vectors, vector, set of vectors, matrix"
    ", matrices, system, systems, linear system, system of equations, equations, equation, statement"
    ", statements, claim, proposition, assertion, conjecture, theorem, formula, set, line, lines"
    ", planes, plane"
    ", straight line, straight lines, straight, the circle, the circles, circles, the parabola, the ellipse"
    ", the hyperbola, triangle, quadrilateral, relation, operator, operation, group, ring, field, event"
    ", events, random variables, variables, variable, number, numbers, value, limit, test, null hypothesis"
    ", hypothesis, condition, conditions, form, quadratic form, expression, problem, inequality, real"
    ", Nullhypothese, die Nullhypothese, hypothèse nulle, l'hypothèse nulle, hipótesis nula"
    ", la hipótesis nula"
    ", ipotesi nulla, l'ipotesi nulla, hipótese nula, нулевая гипотеза, нулевую гипотезу, гипотеза, гипотезу"
    ", 原假设, 零假设, 帰無仮説, result is, muss, werden, doit, être, debe, ser, deve, essere"
    ", polynomial, equilibrium, equilibrium point, fixed point, origin, distribution, conic, conic section"
    ", satisfies, satisfy, satisfying, that satisfies, that satisfy, for which, such that, to the equation"
    ", of the equation, for the equation, to the system, for the system, of the system, fulfilling, solves"
    ", solving, in common, exactly, precisely, limit of the sequence, each, every, here, therefore, so"
    ", statement that, claim that, solution set, solution set is, set of solutions, its graph"
    ", ответ, 答案, 答, 答え, Antwort, réponse, respuesta, risposta, resposta, Lösung lautet, final answer"
    ", au cercle, le cercle, du cercle, au, al, a la circunferencia, la circunferencia, den Kreis"
    ", der Kreis"
    ", dem Kreis, окружности, 这样的, 满足, 条件的"
    ", der, die, das, des, dem, den, ein, eine, einen, einer, es, sie, er, ist, sind, hat, haben"
    ", gibt, gibt es"
    ", es gibt, wird, man, also, somit, Reihe, Folge, Funktion, Abbildung, Gleichung"
    ", Gleichungssystem, System"
    ", Aussage, Behauptung, Menge, Lösungsmenge, die Geraden, die Gerade"
    ", beiden Geraden, eine Gerade, zwei Geraden, Ebenen, Ebene, Vektoren"
    ", Matrix, Punkt"
    ", Grenzwert, Dreieck, Viereck, Relation, Gruppe, Bedingung, Zahl, Wert, Graph, sich, zueinander, daher"
    ", le, la, les, l', un, une, il, elle, ils, elles, on, est, sont, a, ont, n', ne, y a, d', du, de, donc"
    ", série, suite, fonction, application, équation, système, proposition, affirmation, énoncé, ensemble"
    ", droites, droite, plans, plan, vecteurs, matrice, point, limite, triangle, quadrilatère, relation"
    ", groupe, condition, nombre, valeur, courbe, c', ce, cette, ces, intégrale, bien"
    ", ensemble de solutions"
    ", el, los, las, una, uno, lo, es, son, tiene, tienen, hay, existe, se, del, que, esta, este, ambas"
    ", serie, sucesión, función, aplicación, ecuación, sistema, proposición, afirmación, conjunto, rectas"
    ", recta, planos, plano, vectores, matriz, punto, límite, triángulo, cuadrilátero, relación, grupo"
    ", condición, número, valor, curva, integral, conjunto solución"
    ", i, gli, è, sono, ha, hanno, c'è, ci sono, si, successione, funzione, equazione, sistema"
    ", proposizione"
    ", affermazione, insieme, rette, retta, piani, piano, vettori, matrice, limite, triangolo, gruppo"
    ", condizione, numero, valore, dunque, quindi, di, questo, questa"
    ", os, as, um, uma, é, são, tem, têm, há, ela, ele, sequência, série, função, equação, sistema"
    ", afirmação"
    ", conjunto, retas, reta, planos, vetores, matriz, ponto, triângulo, relação, condição, da, do"
    ", это, является, являются, имеет, имеют, ряд, последовательность, функция, функцией"
    ", уравнение, уравнения"
    ", система, утверждение, высказывание, множество, прямые, прямая, плоскости, плоскость"
    ", векторы, матрица"
    ", точка, предел, треугольник, четырёхугольник, отношение, группа, условие, условием, число, у, данный"
    ", данная, данное, этот, эта, она, он, они, окружности, окружность, отображение, интеграл, события, для"
    ", 该, 該, 此, 这, 這, 它, 这个, 级数, 級數, 数列, 函数, 函數, 方程, 方程组, 方程式, 命题"
    ", 命題, 集合, 向量组, 向量"
    ", 矩阵, 矩陣, 是, 为, 為, 有, 的, 在, 直线与圆, 直线和圆, 直线, 两圆, 两直线, 两条直线, 平面"
    ", 曲线, 点, 数, 关系"
    ", 三角形, 四边形, 二次型, 反常积分, 积分, 故, 所以, 因此, 则, 所求, 结论, 原, 原方程, 不等式"
    ", 存在极限, 极限, 条件"
    ", 事件, 个, 是一个, 圆的, 与, 解集, 的解集, 位置关系, 说法, 上, 上是, 内, 内是, 由于此, 它们"
    ", 两者, 都, 均, 同, 极, 一个"
    ", この, その, これ, は, が, を, に, で, である, です, だ, する, の, と, も, でも, 級数は"
    ", 数列は, 関数は, 方程式は, 命題は"
    ", 直線, 円, 級数, 関数, 点は, 互いに, 実数, 値, 条件, 条件である, 条件で, 条件では, 行列"
    ", ベクトル, あるため, て"
)
"""Words that say nothing of what a class is said of, or the kind of thing that it is said of."""
SUBJECTS: dict[str, str] = {
    "series": "series, Reihe, série, ряд, 级数, 級數, 級数",
    "sequence": "sequence, Folge, suite, sucesión, successione, sequência, последовательность, 数列",
    "vectors": "vectors, Vektoren, vecteurs, vectores, vettori, vetores, векторы, 向量组, 向量, ベクトル",
    "rows": "rows, Zeilen, lignes, filas, righe, строки",
    "columns": "columns, Spalten, colonnes, columnas, colonne, столбцы",
    "every": "every, each, all, jede, jeder, jedes, alle, chaque, tout, toute, tous, cada, todo, todos"
    ", каждый, все",
    "converse": "converse, contrapositive, negation, opposite, Umkehrung, réciproque, recíproco",
}
"""Nouns for what a class is said of; two claims of different ones are not the same."""
DOMAINS: dict[str, tuple[str, str]] = {
    "real": (
        "real, reelle, reellen, reelles, reell, réelle, réelles, réel, réels, real, reales, reali"
        ", reale, reais"
        ", действительных, вещественных, действительные, вещественные, действительное"
        ", действительного, 实, 实数, 実数, 実数の",
        "over R, over ℝ, over the reals, over the real numbers, in ℝ, in R, in the reals"
        ", in the real numbers"
        ", in real numbers, dans ℝ, dans R, en ℝ, en los reales, nei reali, в действительных числах"
        ", в вещественных числах, in den reellen Zahlen, over \\mathbb{R}, in \\mathbb{R}"
        ", 在实数范围内, 实数范围内",
    ),
    "complex": (
        "complex, komplexe, komplexen, complexe, complexes, compleja, complejas, комплексных, 复"
        ", 复数, 複素数",
        "over ℂ, over C, in ℂ, over the complex numbers, in the complex numbers, в комплексных числах",
    ),
    "integer": (
        "integer, integral, whole-number, ganzzahlige, ganzzahligen, entière, entières, entera"
        ", enteras, intera"
        ", intere, inteira, inteiras, целых, целые, целочисленных, 整数, 整數",
        "in integers, in the integers, over the integers, over ℤ, in ℤ, in ganzen Zahlen, dans ℤ"
        ", en enteros"
        ", en los enteros, в целых числах, 在整数范围内",
    ),
    "natural": (
        "positive integer, natural, natürliche, natürlichen, naturelle, naturelles, natural, naturales"
        ", натуральных, 正整数, 自然数",
        "in positive integers, in natural numbers, in the positive integers, in ℕ, в натуральных числах",
    ),
    "rational": (
        "rational, rationale, rationalen, rationnelle, rationnelles, racional, racionales"
        ", рациональных, 有理数",
        "in rationals, in rational numbers, in the rationals, over ℚ, in ℚ, в рациональных числах",
    ),
    "positive": ("positive, positiven, positiva, positivas, positives, положительных, 正", ""),
}
"""For each domain its adjectives before or behind the noun `solutions`, and its phrases behind."""
SOLUTION_NOUNS = (
    "solution, solutions, root, roots, zero, zeros, Lösung, Lösungen, Nullstelle, Nullstellen"
    ", racine, racines"
    ", solución, soluciones, raíz, raíces, soluzione, soluzioni, radice, radici, solução, soluções, raízes"
    ", решений, решения, корней, корни, 解, 根, の解, x, n, k, number, numbers, value, values"
    ", value of x, t, z, y"
    ", x-intercepts, eigenvalue, eigenvalues"
)
SOUGHT = (
    "such n, such x, such k, such number, such numbers, such integer, such integers, such pair, such pairs"
    ", such triple, such triples, such value, such values, such function, such functions, such prime"
    ", such primes, such polynomial, such polynomials, value of x, values of x, value of k, values of k"
    ", value of a, values of a, value of n, values of n, integers, integer, such real number, such m"
    ", 这样的x, 这样的n, 这样的实数, 这样的整数, 这样的数, 实数x, 整数n"
    ", real number, real numbers, pairs of integers, pair of integers, such triangle, such p, such set"
)
"""Nouns for what is sought, beside `solution`."""
