"""Classes that answers in words name, in the languages of answers: what each says of which aspect.

An aspect has values of which exactly one holds. A class is the values that it leaves, of one aspect or
several: `bijective` is injective and surjective. What two texts say is compared by these values.
"""

from __future__ import annotations

ASPECTS: dict[str, str] = {
    "truth": "yes no",
    "frequency": "always sometimes never",
    "existence": "exists missing",
    "solutions": "0 1 2 3 4 other infinite",
    "roots": "distinct equal",
    "convergence": "absolute conditional divergent",
    "mode": "uniform pointwise none",
    "parity": "even odd neither",
    "monotonicity": "increasing decreasing nondecreasing nonincreasing constant none",
    "concavity": "up down none",
    "extremum": "maximum minimum saddle inflection none",
    "extent": "local global",
    "injective": "yes no",
    "surjective": "yes no",
    "linear dependence": "dependent independent",
    "definiteness": "positive semipositive indefinite seminegative negative",
    "logic": "tautology contingent contradiction",
    "necessary": "yes no",
    "sufficient": "yes no",
    "rationality": "integer fraction algebraic transcendental",
    "primality": "prime composite",
    "continuity": "uniform plain none",
    "differentiable": "yes no",
    "integrable": "yes no",
    "discontinuity": "removable jump infinite oscillating",
    "singularity": "removable pole essential",
    "order": "1 2 3 4 other",
    "position": "parallel coincident skew oblique perpendicular tangent secant separate inside concentric",
    "touching": "externally internally",
    "sides": "equilateral isosceles scalene",
    "angles": "acute right obtuse",
    "quadrilateral": "square rectangle rhombus parallelogram trapezoid kite other",
    "conic": "circle ellipse parabola hyperbola lines point",
    "stability": "asymptotic neutral unstable",
    "equilibrium": "node spiral center saddle",
    "reflexive": "yes no",
    "symmetric": "yes no",
    "transitive": "yes no",
    "antisymmetric": "yes no",
    "independence": "independent dependent",
    "exclusivity": "exclusive compatible",
    "test": "reject retain",
    "correlation": "positive negative none",
    "skewness": "left right none",
    "equation kind": "elliptic parabolic hyperbolic",
    "linearity": "linear nonlinear",
    "homogeneity": "homogeneous inhomogeneous",
    "open": "yes no",
    "closed": "yes no",
    "boundedness": "both above below none",
    "compact": "yes no",
    "connected": "yes no",
    "countability": "finite countable uncountable",
    "commutative": "yes no",
    "cyclic": "yes no",
    "reducibility": "reducible irreducible",
    "invertible": "yes no",
    "diagonalizable": "yes no",
    "planar": "yes no",
    "bipartite": "yes no",
    "sign": "positive negative zero",
    "similarity": "congruent similar neither",
}
"""For each aspect its values."""

CLASSES: dict[str, tuple[dict[str, str], str]] = {
    "yes": (
        {"truth": "yes"},
        "yes, true, correct, right, it is, it does, they are, they do, it can, we can, you can"
        ", holds, does hold"
        ", is the case, that is right, ja, wahr, richtig, stimmt, korrekt, oui, vrai, vraie, si, sí"
        ", verdadero, verdadera, cierto, correcto, correcta, sì, vero, vera, corretto, corretta, sim"
        ", verdadeiro, verdadeira, correto, correta, да, верно, правда, истинно, истина, правильно"
        ", 是, 是的"
        ", 对, 對, 正确, 正確, 成立, 真, 真命题, はい, 正しい, 真である, 네, 예, 참, 맞다",
    ),
    "no": (
        {"truth": "no"},
        "no, nope, false, incorrect, wrong, untrue, it is not, it isn't, it does not, it doesn't"
        ", they are not"
        ", they aren't, they do not, they don't, it cannot, it can't, we cannot, fails, not necessarily"
        ", not always, not in general, nein, falsch, unwahr, nicht immer, nicht unbedingt, inkorrekt"
        ", fausse, pas toujours, pas nécessairement, falso, falsa, incorrecto, incorrecta, no siempre"
        ", no necesariamente, scorretto, errato, não, incorreto, nem sempre, нет, неверно"
        ", неправда, ложь, ложно"
        ", неправильно, не всегда, не обязательно, 否, 不是, 不对, 不對, 错误, 錯誤, 错, 錯, 不正确"
        ", 不成立, 假, 假命题, 不一定, いいえ, 誤り, 偽, 正しくない, 成り立たない, 아니요, 거짓"
        ", nicht korrekt",
    ),
    "faux": ({"truth": "no"}, "faux"),
    "always": (
        {"frequency": "always"},
        "always, always true, immer, toujours, siempre, sempre, всегда, 总是",
    ),
    "sometimes": ({"frequency": "sometimes"}, "sometimes, sometimes true, manchmal, parfois, иногда, 有时"),
    "never": ({"frequency": "never"}, "never, never true, niemals, jamais, nunca, никогда, 从不"),
    "possible": (
        {"truth": "yes"},
        "possible, möglich, posible, possibile, possível, возможно, 可能, 可以",
    ),
    "impossible": (
        {"truth": "no"},
        "impossible, unmöglich, imposible, impossibile, impossível, невозможно, 不可能, 不可以"
        ", ausgeschlossen",
    ),
    "exists": (
        {"existence": "exists"},
        "exists, exist, existiert, existe, existent, esiste, существует, существуют, 存在, 存在する",
    ),
    "missing": (
        {"existence": "missing"},
        "dne, is undefined, undefined, not defined, nicht definiert, undefiniert, indéfini"
        ", не определено, не определён, 不存在, 存在しない, 没有定义, 无定义, 定義されない, nonexistent",
    ),
    "solutions": (
        {"solutions": "1 2 3 4 other infinite"},
        "solution, solutions, root, roots, zero, zeros, zeroes, Lösung, Lösungen, Nullstelle, Nullstellen"
        ", Wurzeln, racine, racines, solución, soluciones, raíz, raíces, soluzione, soluzioni"
        ", radice, radici"
        ", solução, soluções, raiz, raízes, решение, решения, решений, корень, корня, корней, корни, 解, 根"
        ", distinct roots, distinct solutions",
    ),
    "no solutions": (
        {"solutions": "0"},
        "unlösbar, nicht lösbar, unsolvable, insoluble, not solvable, неразрешимо"
        ", не имеет решения, 无解, 無解"
        ", 无实数解, 无实根, 无实数根, 解なし, 解がない, 解は存在しない, 実数解なし, 実数解をもたない"
        ", 無解, 해가 없다, 해는 없다, none, 空集, 空集合, 解集为空集, empty set, leere Menge"
        ", ensemble vide, conjunto vacío"
        ", insieme vuoto, conjunto vazio, пустое множество, empty, leer, vide, vacío, vuoto, vazio"
        ", пусто, ∅"
        ", \\emptyset, \\varnothing, irresoluble, sans solution",
    ),
    "infinitely many solutions": (
        {"solutions": "infinite"},
        "infinitely many solutions, infinitely many, unendlich viele Lösungen, unendlich viele"
        ", une infinité de solutions, une infinité, infinitas soluciones, infinidad de soluciones"
        ", infinite soluzioni, infinitas soluções, бесконечно много решений, бесконечно много, 无穷多解"
        ", 无数解, 无穷多个解, 無数の解, 解は無数にある, infinite number of solutions"
        ", an infinite number of solutions, sistema compatible indeterminado"
        ", sistema es compatible indeterminado, sistema possível e indeterminado",
    ),
    "unique solution": (
        {"solutions": "1"},
        "unique solution, exactly one solution, one solution, a single solution, only one solution"
        ", genau eine Lösung, eindeutig lösbar, eindeutige Lösung, une unique solution, solution unique"
        ", une seule solution, solución única, una única solución, una sola solución, soluzione unica"
        ", una sola soluzione, solução única, uma única solução, единственное решение, одно решение"
        ", ровно одно решение, 唯一解, 有唯一解, 只有一个解, 唯一の解, exactly one root, one real root"
        ", sistema compatible determinado, sistema es compatible determinado, sistema possível e determinado"
        ", exactly one real root, один корень, 有且只有一个解, 一个解, 有一个解",
    ),
    "two solutions": (
        {"solutions": "2"},
        "two solutions, exactly two solutions, two roots, two real roots, two real solutions, zwei Lösungen"
        ", zwei reelle Lösungen, genau zwei Lösungen, deux solutions, deux racines, deux solutions réelles"
        ", deux racines réelles, dos soluciones, dos raíces, dos raíces reales, due soluzioni, due radici"
        ", duas soluções, duas raízes, два решения, два корня, два действительных корня, 两个解, 两个实数根"
        ", 两个实根, 二つの実数解, 2つの実数解, exactly two real roots, exactly two real solutions",
    ),
    "two distinct solutions": (
        {"solutions": "2", "roots": "distinct"},
        "two distinct real roots, two different real roots, two distinct roots, two distinct real solutions"
        ", two unequal real roots, two distinct solutions, two different solutions"
        ", zwei verschiedene Lösungen"
        ", zwei verschiedene reelle Lösungen, deux racines distinctes, deux racines réelles distinctes"
        ", deux solutions distinctes, dos raíces distintas, dos raíces reales distintas"
        ", dos soluciones distintas, due radici distinte, due soluzioni distinte, duas raízes distintas"
        ", два различных корня, два различных действительных корня, 两个不相等的实数根, 两个不等的实数根"
        ", 两个不等实根, 两个不同的实数根, 两个不相等的实根, 異なる2つの実数解, 異なる二つの実数解"
        ", two real and distinct roots, real and distinct roots, the roots are real and distinct",
    ),
    "equal solutions": (
        {"solutions": "1 2", "roots": "equal"},
        "two equal real roots, two equal roots, a double root, one double root, a repeated root"
        ", one repeated root, a repeated real root, real and equal roots, eine doppelte Nullstelle"
        ", une racine double, una raíz doble, una radice doppia, uma raiz dupla, двойной корень"
        ", два равных корня, 两个相等的实数根, 两个相等的实根, 重根, 有重根, 重解, 重解をもつ",
    ),
    "absolutely convergent": (
        {"convergence": "absolute"},
        "absolutely convergent, converges absolutely, converge absolutely, absolutely, absolut konvergent"
        ", konvergiert absolut, absolut, absolument convergente, converge absolument, absolument"
        ", absolutamente convergente, converge absolutamente, absolutamente, assolutamente convergente"
        ", converge assolutamente, assolutamente, сходится абсолютно, абсолютно сходится"
        ", абсолютно сходящийся, абсолютно, 绝对收敛, 絕對收斂, 絶対収束, 絶対収束する"
        ", absolute convergence",
    ),
    "conditionally convergent": (
        {"convergence": "conditional"},
        "conditionally convergent, converges conditionally, converges only conditionally, conditionally"
        ", only conditionally convergent, bedingt konvergent, konvergiert bedingt, nur bedingt konvergent"
        ", semi-convergente, conditionnellement convergente, converge conditionnellement"
        ", condicionalmente convergente, converge condicionalmente, condizionatamente convergente"
        ", converge condizionatamente, сходится условно, условно сходится, условно сходящийся, 条件收敛"
        ", 條件收斂, 条件収束, 条件収束する, conditional convergence",
    ),
    "convergent": (
        {"convergence": "absolute conditional"},
        "convergent, converges, converge, konvergiert, konvergieren, konvergent, convergente, convergent"
        ", сходится, сходятся, сходящийся, 收敛, 收斂, 收敛的, 収束, 収束する, 수렴, 수렴한다, convergence",
    ),
    "divergent": (
        {"convergence": "divergent"},
        "divergent, diverges, diverge, divergiert, divergieren, divergente, расходится, расходятся"
        ", расходящийся, 发散, 發散, 发散的, 発散, 発散する, 발산, 발산한다, divergence",
    ),
    "uniformly convergent": (
        {"mode": "uniform"},
        "uniformly convergent, converges uniformly, uniform convergence, gleichmäßig konvergent"
        ", konvergiert gleichmäßig, converge uniformément, uniformément convergente, converge uniformemente"
        ", uniformemente convergente, сходится равномерно, равномерно сходится, 一致收敛, 一様収束",
    ),
    "pointwise convergent": (
        {"mode": "uniform pointwise"},
        "pointwise convergent, converges pointwise, pointwise, pointwise convergence, punktweise konvergent"
        ", konvergiert punktweise, punktweise, converge simplement, converge puntualmente"
        ", сходится поточечно, поточечно, 逐点收敛, 各点収束",
    ),
    "even": (
        {"parity": "even"},
        "even, gerade, pair, paire, par, pares, pari, 偶数, even function, fonction paire"
        ", función par, funzione pari, função par, gerade Funktion"
        ", чётная функция, четная функция, чётная, четная, чётной функцией, четной функцией, 偶函数, 偶函數"
        ", 偶関数, 우함수, achsensymmetrisch zur y-Achse",
    ),
    "odd": (
        {"parity": "odd"},
        "odd, ungerade, impair, impaire, impar, ímpar, impares, dispari, 奇数, odd function"
        ", fonction impaire, función impar, funzione dispari, função ímpar, ungerade Funktion"
        ", нечётная функция, нечетная функция, нечётная, нечетная, нечётной функцией, нечетной функцией"
        ", 奇函数, 奇函數, 奇関数, 기함수, punktsymmetrisch zum Ursprung",
    ),
    "neither even nor odd": ({"parity": "neither"}, "非奇非偶函数, 既不是奇函数也不是偶函数"),
    "increasing": (
        {"monotonicity": "increasing"},
        "increasing, increases, strictly increasing, monotonically increasing, monotone increasing"
        ", strictly monotonically increasing, monotonic increasing, steigend, wachsend, steigt, wächst"
        ", monoton steigend, monoton wachsend, streng monoton steigend, streng monoton wachsend"
        ", streng steigend, croissante, croissant, strictement croissante, strictement croissant, croît"
        ", creciente, crece, estrictamente creciente, monótona creciente, crescente, cresce"
        ", strettamente crescente, monotona crescente, estritamente crescente, возрастает, возрастающая"
        ", строго возрастает, монотонно возрастает, строго возрастающая, возрастающей, 单调递增"
        ", 递增, 单调增"
        ", 單調遞增, 严格单调递增, 严格递增, 增函数, 单调递增函数, 单调增函数, 单调上升, 単調増加"
        ", 単調増加する"
        ", 狭義単調増加, 増加, 増加する, 증가, rising, rises",
    ),
    "decreasing": (
        {"monotonicity": "decreasing"},
        "decreasing, decreases, strictly decreasing, monotonically decreasing, monotone decreasing"
        ", strictly monotonically decreasing, monotonic decreasing, fallend, abnehmend, fällt, sinkend"
        ", monoton fallend, streng monoton fallend, streng fallend, monoton abnehmend"
        ", streng monoton abnehmend, décroissante, décroissant, strictement décroissante"
        ", strictement décroissant, décroît, decreciente, decrece, estrictamente decreciente"
        ", monótona decreciente, decrescente, decresce, strettamente decrescente, monotona decrescente"
        ", estritamente decrescente, убывает, убывающая, строго убывает, монотонно убывает"
        ", строго убывающая, убывающей, 单调递减, 递减, 单调减, 單調遞減, 严格单调递减, 严格递减, 减函数"
        ", 单调递减函数, 单调减函数, 单调下降, 単調減少, 単調減少する, 狭義単調減少, 減少"
        ", 減少する, 감소",
    ),
    "non-decreasing": (
        {"monotonicity": "increasing nondecreasing constant"},
        "non-decreasing, nondecreasing, weakly increasing, monoton nicht fallend, nicht fallend"
        ", неубывающая"
        ", не убывает, 単調非減少, 单调不减",
    ),
    "non-increasing": (
        {"monotonicity": "decreasing nonincreasing constant"},
        "non-increasing, nonincreasing, weakly decreasing, nicht steigend, невозрастающая, не возрастает"
        ", 单调不增",
    ),
    "monotonic": (
        {"monotonicity": "increasing decreasing nondecreasing nonincreasing constant"},
        "monotonic, monotone, monoton, monótona, monotona, монотонна, 单调, 単調",
    ),
    "constant": (
        {"monotonicity": "constant"},
        "constant, konstant, constante, costante, постоянна, константа, 常数, 定数, 常值函数",
    ),
    "concave up": (
        {"concavity": "up"},
        "concave up, concave upward, concave upwards, convex, strictly convex, konvex"
        ", linksgekrümmt, convexe"
        ", convexa, convessa, выпукла вниз, 凹函数, 下凸, 下に凸, cóncava hacia arriba, opens upward"
        ", opens upwards, opens up",
    ),
    "concave down": (
        {"concavity": "down"},
        "concave down, concave downward, concave downwards, concave, strictly concave, konkav"
        ", rechtsgekrümmt"
        ", cóncava, concava, выпукла вверх, 凸函数, 上凸, 上に凸, cóncava hacia abajo, opens downward"
        ", opens downwards, opens down",
    ),
    "maximum": (
        {"extremum": "maximum"},
        "maximum, max, maxima, Hochpunkt, Maximalstelle, máximo, massimo, максимум, точка максимума"
        ", точкой максимума, 极大值, 极大值点, 最大值, 极大, 極大, 極大値, 최댓값, maximum point"
        ", a maximum point",
    ),
    "minimum": (
        {"extremum": "minimum"},
        "minimum, min, minima, Tiefpunkt, Minimalstelle, mínimo, minimo, минимум, точка минимума"
        ", точкой минимума, 极小值, 极小值点, 最小值, 极小, 極小, 極小値, 최솟값, minimum point"
        ", a minimum point",
    ),
    "extremum": (
        {"extremum": "maximum minimum"},
        "extremum, extrema, extreme point, Extremum, Extremstelle, Extrempunkt, extremo, estremo, экстремум"
        ", точка экстремума, 极值点, 极值, 極値",
    ),
    "saddle": (
        {"extremum": "saddle"},
        "saddle point, saddle, Sattelpunkt, point selle, point-selle, col, punto silla, punto de silla"
        ", punto di sella, sella, ponto de sela, седловая точка, седло, седловой точкой, 鞍点"
        ", 鞍點, 안장점",
    ),
    "inflection point": (
        {"extremum": "inflection"},
        "inflection point, point of inflection, inflection, Wendepunkt, point d'inflexion"
        ", punto de inflexión, punto di flesso, точка перегиба, 拐点, 変曲点",
    ),
    "local": (
        {"extent": "local"},
        "local, relative, lokal, lokales, relatives, relatif, relativo, локальный, 局部",
    ),
    "global": (
        {"extent": "global"},
        "global, globales, assoluto, глобальный, 全局",
    ),
    "global maximum": (
        {"extremum": "maximum", "extent": "global"},
        "absolute maximum, absolutes Maximum, maximum absolu, máximo absoluto, massimo assoluto",
    ),
    "global minimum": (
        {"extremum": "minimum", "extent": "global"},
        "absolute minimum, absolutes Minimum, minimum absolu, mínimo absoluto, minimo assoluto",
    ),
    "injective": (
        {"injective": "yes"},
        "injective, one-to-one, one to one, injektiv, inyectiva, iniettiva, injetora, injetiva, инъективна"
        ", инъективное, инъективно, инъекция, 单射, 單射, 単射, an injection, injection, 1-1",
    ),
    "surjective": (
        {"surjective": "yes"},
        "surjective, onto, surjektiv, sobreyectiva, suprayectiva, suriettiva, sobrejetora, sobrejetiva"
        ", сюръективна, сюръективно, сюръективное, сюръекция, 满射, 滿射, 全射, a surjection, surjection",
    ),
    "bijective": (
        {"injective": "yes", "surjective": "yes"},
        "bijective, bijektiv, biyectiva, biiettiva, bijetora, bijetiva, биективна, биективно, биекция, 双射"
        ", 雙射, 全単射, a bijection, bijection, a one-to-one correspondence, one-to-one correspondence",
    ),
    "linearly independent": (
        {"linear dependence": "independent"},
        "linearly independent, linear unabhängig, linéairement indépendants, linéairement indépendante"
        ", linéairement indépendantes, libre, linealmente independientes, linearmente indipendenti"
        ", linearmente independentes, линейно независимы, 线性无关, 線性無關, 線形独立, 一次独立",
    ),
    "linearly dependent": (
        {"linear dependence": "dependent"},
        "linearly dependent, linear abhängig, linéairement dépendants, linéairement dépendantes, liée"
        ", linealmente dependientes, linearmente dipendenti, linearmente dependentes, линейно зависимы"
        ", 线性相关, 線性相關, 線形従属, 一次従属",
    ),
    "positive definite": (
        {"definiteness": "positive"},
        "positive definite, positive-definite, positiv definit, définie positive, definida positiva"
        ", definita positiva, положительно определена, положительно определённая, 正定, 正定的, 正定値",
    ),
    "positive semidefinite": (
        {"definiteness": "positive semipositive"},
        "positive semidefinite, positive semi-definite, positiv semidefinit, semidefinida positiva, 半正定",
    ),
    "negative definite": (
        {"definiteness": "negative"},
        "negative definite, negative-definite, negativ definit, définie négative, definida negativa"
        ", definita negativa, отрицательно определена, отрицательно определённая, 负定, 負定値",
    ),
    "negative semidefinite": (
        {"definiteness": "negative seminegative"},
        "negative semidefinite, negative semi-definite, negativ semidefinit, 半负定",
    ),
    "indefinite": (
        {"definiteness": "indefinite"},
        "indefinite, indefinit, indéfinie, indefinida, indefinita, знаконеопределена, 不定",
    ),
    "tautology": (
        {"logic": "tautology"},
        "tautology, tautological, Tautologie, tautologie, tautología, tautologia, тавтология, 重言式, 永真式",
    ),
    "contradiction": (
        {"logic": "contradiction"},
        "contradiction, unsatisfiable, unerfüllbar, Widerspruch, contradicción, contraddizione"
        ", противоречие"
        ", 矛盾式, 永假式, 恒偽",
    ),
    "contingency": ({"logic": "contingent"}, "contingency, contingent, contingente, 偶真式"),
    "satisfiable": ({"logic": "tautology contingent"}, "satisfiable, erfüllbar, выполнима, 可满足"),
    "necessary": (
        {"necessary": "yes"},
        "necessary, necessary condition, notwendig, notwendige, nécessaire, necesaria, necesario"
        ", necessaria"
        ", necessario, necessária, необходимо, необходимое, необходимым, 必要, 必要条件, 必要條件, 必要的",
    ),
    "sufficient": (
        {"sufficient": "yes"},
        "sufficient, sufficient condition, hinreichend, hinreichende, suffisante, suffisant, suficiente"
        ", sufficiente, достаточно, достаточное, достаточным, 充分, 充分条件, 充分條件, 十分"
        ", 十分条件, 充分的",
    ),
    "necessary and sufficient": (
        {"necessary": "yes", "sufficient": "yes"},
        "充要条件, 充要條件, 充分必要条件, 必要十分条件, 必要十分, 充分且必要, equivalent condition"
        ", iff condition",
    ),
    "sufficient, not necessary": (
        {"necessary": "no", "sufficient": "yes"},
        "充分不必要条件, 充分非必要条件, 充分而不必要条件, 充分不必要, 充分但不必要条件"
        ", 充分但不必要, 充分而不必要",
    ),
    "necessary, not sufficient": (
        {"necessary": "yes", "sufficient": "no"},
        "必要不充分条件, 必要非充分条件, 必要而不充分条件, 必要不充分, 必要但不充分条件"
        ", 必要但不充分, 必要而不充分",
    ),
    "neither necessary nor sufficient": (
        {"necessary": "no", "sufficient": "no"},
        "既不充分也不必要条件, 既非充分也非必要条件, 既非充分又非必要条件, 既不必要也不充分条件"
        ", 既不充分又不必要条件"
        ", 既不充分也不必要, 必要条件でも十分条件でもない, 非充分非必要条件",
    ),
    "rational": (
        {"rationality": "integer fraction"},
        "rational, rational number, eine rationale Zahl, rationnel, racional, razionale, рационально"
        ", рациональное, рациональное число, 有理数",
    ),
    "irrational": (
        {"rationality": "algebraic transcendental"},
        "irrational, irrational number, irrationale Zahl, irrationnel, irracional, irrazionale"
        ", иррационально, иррациональное, иррациональное число, 无理数, 無理数",
    ),
    "integer": ({"rationality": "integer"}, "integer, an integer, eine ganze Zahl, целое, целое число, 整数"),
    "transcendental": (
        {"rationality": "transcendental"},
        "transcendental, transzendent, transcendant, trascendente, трансцендентно, 超越数",
    ),
    "algebraic": (
        {"rationality": "integer fraction algebraic"},
        "algebraic, algebraisch, algébrique, algebraico, алгебраическое",
    ),
    "prime": (
        {"primality": "prime"},
        "prime, prime number, Primzahl, prim, premier, primo, простое, простое число, 质数, 素数",
    ),
    "composite": (
        {"primality": "composite"},
        "composite, composite number, zusammengesetzt, composé, compuesto, composto, составное"
        ", составное число, 合数",
    ),
    "continuous": (
        {"continuity": "uniform plain"},
        "continuous, stetig, continue, continu, continua, continuo, contínua, непрерывна, непрерывная, 连续"
        ", 連續, 連続, 连续的",
    ),
    "uniformly continuous": (
        {"continuity": "uniform"},
        "uniformly continuous, gleichmäßig stetig, uniformément continue, uniformemente continua"
        ", uniformemente contínua, равномерно непрерывна, 一致连续, 一様連続",
    ),
    "discontinuous": (
        {"continuity": "none"},
        "discontinuous, unstetig, discontinue, discontinua, discontinuo, descontínua, разрывна"
        ", 不连续, 间断"
        ", 不連続",
    ),
    "differentiable": (
        {"differentiable": "yes"},
        "differentiable, differenzierbar, dérivable, derivable, diferenciable, derivabile, diferenciável"
        ", дифференцируема, 可导, 可微, 微分可能, analytic, holomorphic, holomorph",
    ),
    "integrable": (
        {"integrable": "yes"},
        "integrable, Riemann integrable, integrierbar, intégrable, integrabile, интегрируема, 可积, 積分可能",
    ),
    "removable discontinuity": (
        {"discontinuity": "removable"},
        "removable discontinuity, a hole, hole, hebbare Unstetigkeitsstelle, hebbar"
        ", discontinuité effaçable"
        ", discontinuidad evitable, evitable, discontinuità eliminabile, устранимый разрыв, 可去间断点",
    ),
    "jump discontinuity": (
        {"discontinuity": "jump"},
        "jump discontinuity, jump, Sprungstelle, discontinuité de saut, discontinuidad de salto"
        ", salto finito, скачок, разрыв первого рода, 跳跃间断点",
    ),
    "infinite discontinuity": (
        {"discontinuity": "infinite"},
        "infinite discontinuity, vertical asymptote, Polstelle, discontinuidad infinita, 无穷间断点",
    ),
    "oscillating discontinuity": (
        {"discontinuity": "oscillating"},
        "oscillating discontinuity, 振荡间断点",
    ),
    "removable singularity": (
        {"singularity": "removable"},
        "removable singularity, hebbare Singularität, singularité éliminable, singularidad evitable"
        ", устранимая особая точка, 可去奇点",
    ),
    "pole": ({"singularity": "pole"}, "pole, Pol, pôle, polo, полюс, 极点, 極"),
    "simple pole": (
        {"singularity": "pole", "order": "1"},
        "simple pole, pole of order 1, pole of order one, first-order pole, einfacher Pol"
        ", pôle simple, polo simple",
    ),
    "double pole": (
        {"singularity": "pole", "order": "2"},
        "double pole, pole of order 2, pole of order two, second-order pole, doppelter Pol"
        ", Pol zweiter Ordnung"
        ", pôle double, pôle d'ordre 2, polo doble, polo de orden 2, полюс второго порядка, 二阶极点",
    ),
    "triple pole": (
        {"singularity": "pole", "order": "3"},
        "triple pole, pole of order 3, pole of order three, third-order pole, Pol dritter Ordnung",
    ),
    "essential singularity": (
        {"singularity": "essential"},
        "essential singularity, wesentliche Singularität, singularité essentielle, singularidad esencial"
        ", существенно особая точка, 本性奇点, 真性特異点",
    ),
    "parallel": (
        {"position": "parallel"},
        "parallel, parallels, parallèle, parallèles, paralela, paralelas, paralelo, paralelos, parallele"
        ", parallelo, параллельны, параллельна, 平行, 互相平行, 平行である",
    ),
    "coincident": (
        {"position": "coincident"},
        "coincident, identical, the same line, the same plane, coincide, identisch, fallen zusammen"
        ", confondues, coincidentes, coincidenti, совпадают, 重合, 一致する",
    ),
    "skew": (
        {"position": "skew"},
        "skew, skew lines, windschief, non coplanaires, alabeadas, se cruzan, sghembe, reversas"
        ", скрещивающиеся, скрещиваются, 异面, 異面直線, ねじれの位置",
    ),
    "perpendicular": (
        {"position": "perpendicular"},
        "perpendicular, orthogonal, at right angles, senkrecht, rechtwinklig zueinander, perpendiculaires"
        ", perpendiculaire, orthogonaux, orthogonales, perpendiculares, perpendicolari, ortogonales"
        ", ortogonali, перпендикулярны, перпендикулярна, 垂直, 互相垂直, 直交, 垂直である",
    ),
    "intersecting": (
        {"position": "oblique perpendicular secant"},
        "intersecting, intersect, intersects, cross, meet, schneiden sich, schneidet, sécantes, sécante"
        ", se coupent, secantes, secante, se cortan, incidenti, secanti, concorrentes, пересекаются"
        ", пересекает, 相交, 交わる, two common points, two points of intersection, secant"
        ", zwei gemeinsame Punkte, deux points communs, dos puntos comunes, две общие точки, 两个公共点"
        ", 有两个公共点, 有两个交点, 两个交点",
    ),
    "tangent": (
        {"position": "tangent"},
        "tangent, tangent to, touch, touches, tangential, is a tangent, a tangent line, a tangent of"
        ", berühren sich, berührt, Tangente, tangents, tangente, tangentes, tangenti, касается, касаются"
        ", касательная, 相切, 切线, 接する, 接線, one common point, exactly one common point"
        ", exactly one point in common, exactly one point of intersection, genau ein gemeinsamer Punkt"
        ", genau einen gemeinsamen Punkt, un seul point commun, un único punto común, один общий пункт"
        ", одну общую точку, ровно одну общую точку, 有且只有一个公共点, 只有一个公共点, 仅有一个公共点"
        ", 有唯一公共点, 一个公共点, meets at exactly one point, intersects at exactly one point",
    ),
    "separate": (
        {"position": "separate"},
        "separate, disjoint, do not meet, no common points, no common point, no points in common"
        ", no points of intersection, Passante, getrennt, keine gemeinsamen Punkte, disjoints"
        ", extérieurs, exteriores, aucun point commun, ningún punto común, не пересекаются, нет общих точек"
        ", 相离, 外离, 没有公共点, 无公共点, 離れている, 共有点をもたない",
    ),
    "inside": ({"position": "inside"}, "one inside the other, 内含, 包含"),
    "concentric": (
        {"position": "concentric"},
        "concentric, konzentrisch, concentriques, concéntricas, 同心圆",
    ),
    "externally tangent": (
        {"position": "tangent", "touching": "externally"},
        "externally tangent, tangent externally, touch externally, berühren sich von außen"
        ", tangents extérieurement, tangentes exteriores, внешне касаются, 外切",
    ),
    "internally tangent": (
        {"position": "tangent", "touching": "internally"},
        "internally tangent, tangent internally, touch internally, berühren sich von innen"
        ", tangents intérieurement, tangentes interiores, внутренне касаются, 内切, 內切",
    ),
    "equilateral": (
        {"sides": "equilateral"},
        "equilateral, gleichseitig, gleichseitiges, équilatéral, equilátero, equilatero"
        ", равносторонний, 等边"
        ", 等边三角形, 正三角形",
    ),
    "isosceles": (
        {"sides": "isosceles"},
        "isosceles, gleichschenklig, gleichschenkliges, isocèle, isósceles, isoscele, равнобедренный, 等腰"
        ", 等腰三角形, 二等辺三角形",
    ),
    "scalene": (
        {"sides": "scalene"},
        "scalene, ungleichseitig, scalène, escaleno, scaleno, разносторонний, 不等边三角形",
    ),
    "right triangle": (
        {"angles": "right"},
        "right triangle, right-angled, right angled, right-angled triangle, rechtwinklig, rechtwinkliges"
        ", rectangle en, triangle rectangle, rectángulo, triángulo rectángulo, rettangolo"
        ", triangolo rettangolo, прямоугольный, прямоугольный треугольник, 直角三角形, 直角",
    ),
    "isosceles right triangle": (
        {"sides": "isosceles", "angles": "right"},
        "isosceles right triangle, right isosceles triangle, 等腰直角三角形, 直角二等辺三角形"
        ", gleichschenklig-rechtwinklig",
    ),
    "acute": ({"angles": "acute"}, "acute, spitzwinklig, acutangle, acutángulo, остроугольный, 锐角三角形"),
    "obtuse": (
        {"angles": "obtuse"},
        "obtuse, stumpfwinklig, obtusangle, obtusángulo, тупоугольный, 钝角三角形",
    ),
    "square": ({"quadrilateral": "square"}, "square, Quadrat, carré, cuadrado, quadrato, квадрат, 正方形"),
    "rectangle": (
        {"quadrilateral": "square rectangle"},
        "rectangle, Rechteck, прямоугольник, 矩形, 长方形, 長方形",
    ),
    "rhombus": (
        {"quadrilateral": "square rhombus"},
        "rhombus, Raute, losange, rombo, losango, ромб, 菱形",
    ),
    "parallelogram": (
        {"quadrilateral": "square rectangle rhombus parallelogram"},
        "parallelogram, Parallelogramm, parallélogramme, paralelogramo, parallelogramma"
        ", параллелограмм, 平行四边形, 平行四辺形",
    ),
    "trapezoid": (
        {"quadrilateral": "trapezoid"},
        "trapezoid, trapezium, Trapez, trapèze, trapecio, trapezio, трапеция, 梯形, 台形",
    ),
    "kite": ({"quadrilateral": "kite"}, "kite, Drachenviereck, cerf-volant, дельтоид, 筝形, 凧形"),
    "circle": ({"conic": "circle"}, "circle, Kreis, cercle, círculo, circunferencia, окружность, 圆, 円"),
    "ellipse": ({"conic": "ellipse"}, "ellipse, Ellipse, elipse, ellisse, эллипс, 椭圆, 楕円"),
    "parabola": ({"conic": "parabola"}, "parabola, Parabel, parabole, parábola, парабола, 抛物线, 放物線"),
    "hyperbola": ({"conic": "hyperbola"}, "hyperbola, Hyperbel, hyperbole, hipérbola, iperbole, гипербола"),
    "asymptotically stable": (
        {"stability": "asymptotic"},
        "asymptotically stable, asymptotisch stabil, asymptotiquement stable, asintóticamente estable"
        ", асимптотически устойчиво, 渐近稳定, 漸近安定, attractor, sink, attracting",
    ),
    "stable": (
        {"stability": "asymptotic neutral"},
        "stable, stabil, estable, stabile, estável, устойчиво, устойчива, устойчивое, 稳定, 安定",
    ),
    "unstable": (
        {"stability": "unstable"},
        "unstable, instabil, instable, inestable, instabile, instável, неустойчиво, неустойчива"
        ", неустойчивое, 不稳定, 不安定, repeller, source, repelling",
    ),
    "node": ({"equilibrium": "node"}, "node, Knoten, nœud, nodo, узел, 结点"),
    "spiral": (
        {"equilibrium": "spiral"},
        "spiral, focus, spiral point, Strudel, Strudelpunkt, foyer, foco, fuoco, espiral, фокус, 焦点",
    ),
    "center": ({"equilibrium": "center"}, "center, centre, Zentrum, Wirbel, centro, центр, 中心"),
    "reflexive": (
        {"reflexive": "yes"},
        "reflexivity, Reflexivität, réflexivité, reflexividad, riflessività, рефлексивность"
        ", reflexive, reflexiv, réflexive, reflexiva, рефлексивно, 自反",
    ),
    "symmetric": (
        {"symmetric": "yes"},
        "symmetry, Symmetrie, simetría, simmetria, симметричность, symmetric, symmetrisch"
        ", symétrique, simétrica, simmetrica, симметрично, 对称",
    ),
    "transitive": (
        {"transitive": "yes"},
        "transitivity, Transitivität, transitivité, transitividad, transitività, транзитивность"
        ", transitive, transitiv, transitiva, транзитивно, 传递",
    ),
    "antisymmetric": (
        {"antisymmetric": "yes"},
        "antisymmetric, anti-symmetric, antisymmetrisch, antisymétrique, antisimétrica, 反对称",
    ),
    "equivalence relation": (
        {"reflexive": "yes", "symmetric": "yes", "transitive": "yes"},
        "equivalence relation, an equivalence relation, Äquivalenzrelation, relation d'équivalence"
        ", relación de equivalencia, relazione di equivalenza, отношение эквивалентности, 等价关系"
        ", 同値関係",
    ),
    "partial order": (
        {"reflexive": "yes", "antisymmetric": "yes", "transitive": "yes"},
        "partial order, a partial order, Halbordnung, partielle Ordnung, relation d'ordre"
        ", orden parcial, 偏序关系, 半順序",
    ),
    "independent": (
        {"independence": "independent"},
        "independent, unabhängig, stochastisch unabhängig, indépendants, independientes, indipendenti"
        ", независимы, 独立, 相互独立, 互相独立, 独立である",
    ),
    "dependent": (
        {"independence": "dependent"},
        "dependent, abhängig, stochastisch abhängig, dépendants, dependientes, dipendenti, зависимы, 不独立",
    ),
    "mutually exclusive": (
        {"exclusivity": "exclusive"},
        "mutually exclusive, unvereinbar, incompatibles, mutuamente excluyentes, несовместны, 互斥, 互不相容",
    ),
    "reject": (
        {"test": "reject"},
        "reject the null hypothesis, reject H_0, reject H0, reject H₀, reject, we reject"
        ", null hypothesis is rejected, H_0 is rejected, H0 is rejected, H₀ is rejected"
        ", is rejected, rejected"
        ", verwerfen, H_0 verwerfen, Nullhypothese verwerfen, rejeter, on rejette, rechazar, se rechaza"
        ", отвергаем, отвергнуть, 拒绝原假设, 拒绝, 棄却, 棄却する",
    ),
    "fail to reject": (
        {"test": "retain"},
        "fail to reject the null hypothesis, fail to reject H_0, fail to reject H0, fail to reject H₀"
        ", fail to reject, retain the null hypothesis, accept the null hypothesis, accept H_0, accept H0"
        ", accept H₀, H_0 beibehalten, nicht verwerfen, 接受原假设, 不拒绝原假设"
        ", insufficient evidence to reject",
    ),
    "positive correlation": (
        {"correlation": "positive"},
        "positive correlation, positively correlated, positiv korreliert, 正相关, 正の相関",
    ),
    "negative correlation": (
        {"correlation": "negative"},
        "negative correlation, negatively correlated, negativ korreliert, 负相关, 負の相関",
    ),
    "no correlation": ({"correlation": "none"}, "no correlation, uncorrelated, unkorreliert, 不相关"),
    "skewed right": (
        {"skewness": "right"},
        "skewed right, right-skewed, right skewed, positively skewed, skewed to the right, rechtsschief",
    ),
    "skewed left": (
        {"skewness": "left"},
        "skewed left, left-skewed, left skewed, negatively skewed, skewed to the left, linksschief",
    ),
    "elliptic": ({"equation kind": "elliptic"}, "elliptic, elliptisch, elliptique, elíptica, эллиптическое"),
    "parabolic": ({"equation kind": "parabolic"}, "parabolic, parabolisch, parabolique, parabólica"),
    "hyperbolic": ({"equation kind": "hyperbolic"}, "hyperbolic, hyperbolisch, hyperbolique, hiperbólica"),
    "linear": ({"linearity": "linear"}, "linear, linéaire, lineal, lineare, линейно, линейна, 线性, 線形"),
    "nonlinear": (
        {"linearity": "nonlinear"},
        "nonlinear, non-linear, nichtlinear, non linéaire, no lineal, non lineare, нелинейно, 非线性",
    ),
    "homogeneous": ({"homogeneity": "homogeneous"}, "homogeneous, homogen, homogène, homogénea, омогенна"),
    "inhomogeneous": (
        {"homogeneity": "inhomogeneous"},
        "inhomogeneous, nonhomogeneous, non-homogeneous, inhomogen",
    ),
    "open": ({"open": "yes"}, "open, offen, ouvert, ouverte, abierto, aperto, открыто, 开集, 開集合"),
    "closed": (
        {"closed": "yes"},
        "closed, abgeschlossen, fermé, fermée, cerrado, chiuso, замкнуто, 闭集, 閉集合",
    ),
    "clopen": ({"open": "yes", "closed": "yes"}, "clopen"),
    "bounded": (
        {"boundedness": "both"},
        "bounded, beschränkt, bornée, borné, acotada, acotado, limitata, limitato, limitada, ограничена"
        ", ограничено, ограниченная, 有界, 有界である",
    ),
    "unbounded": (
        {"boundedness": "above below none"},
        "unbounded, unbeschränkt, non bornée, no acotada, illimitata, неограничена, 无界, 非有界",
    ),
    "bounded above": (
        {"boundedness": "both above"},
        "bounded above, bounded from above, from above, above, nach oben beschränkt, majorée"
        ", majoré, acotada superiormente"
        ", ограничена сверху, 有上界, 上に有界",
    ),
    "bounded below": (
        {"boundedness": "both below"},
        "bounded below, bounded from below, from below, below, nach unten beschränkt, minorée"
        ", minoré, acotada inferiormente"
        ", ограничена снизу, 有下界, 下に有界",
    ),
    "compact": ({"compact": "yes"}, "compact, kompakt, compacto, compatto, компактно, 紧, 紧集, コンパクト"),
    "connected": (
        {"connected": "yes"},
        "connected, zusammenhängend, connexe, conexo, connesso, связно, связный, 连通, 連結",
    ),
    "disconnected": (
        {"connected": "no"},
        "disconnected, unzusammenhängend, non connexe, disconexo, несвязно, 不连通, 非連結",
    ),
    "finite": ({"countability": "finite"}, "finite, endlich, fini, finie, finito, finita, конечно, 有限"),
    "countable": (
        {"countability": "finite countable"},
        "countable, abzählbar, dénombrable, numerable, numerabile, enumerável, счётно, счетно, 可数, 可算",
    ),
    "countably infinite": (
        {"countability": "countable"},
        "countably infinite, abzählbar unendlich, infini dénombrable, infinito numerable, счётно бесконечно"
        ", 可数无穷, 可算無限",
    ),
    "uncountable": (
        {"countability": "uncountable"},
        "uncountable, uncountably infinite, überabzählbar, non dénombrable, indénombrable, no numerable"
        ", non numerabile, несчётно, несчетно, 不可数, 非可算",
    ),
    "infinite": (
        {"countability": "countable uncountable"},
        "infinite, unendlich, infini, infinie, infinito, infinita, бесконечно, 无限, 無限",
    ),
    "abelian": (
        {"commutative": "yes"},
        "abelian, commutative, abelsch, kommutativ, abélien, abélienne, commutatif, commutative, abeliano"
        ", conmutativo, conmutativa, commutativo, абелева, коммутативна, 交换, 可换, 可換"
        ", 阿贝尔群, 交换群",
    ),
    "non-abelian": (
        {"commutative": "no"},
        "non-abelian, nonabelian, noncommutative, non-commutative, nichtabelsch, nicht-abelsch, неабелева"
        ", 非交换群, 非可換",
    ),
    "cyclic": ({"cyclic": "yes"}, "cyclic, zyklisch, cyclique, cíclico, ciclico, циклическая, 循环群"),
    "reducible": (
        {"reducibility": "reducible"},
        "reducible, reduzibel, réductible, reducible, приводим, 可约",
    ),
    "irreducible": (
        {"reducibility": "irreducible"},
        "irreducible, irreduzibel, irréductible, irriducibile, irredutível, неприводим, 不可约, 既約",
    ),
    "invertible": (
        {"invertible": "yes"},
        "invertible, nonsingular, non-singular, regulär, invertierbar, inversible, régulière, invertibile"
        ", inversível, обратима, невырождена, невырожденная, 可逆, 非奇异, 正則",
    ),
    "singular": (
        {"invertible": "no"},
        "singular, noninvertible, non-invertible, singulär, singulière, singolare, вырождена, вырожденная"
        ", необратима, 不可逆, 奇异, 非正則",
    ),
    "diagonalizable": (
        {"diagonalizable": "yes"},
        "diagonalizable, diagonalisable, diagonalisierbar, diagonalizzabile, diagonalizável"
        ", диагонализируема, 可对角化, 対角化可能",
    ),
    "planar": ({"planar": "yes"}, "planar, planare, plättbar, планарен, 平面图"),
    "bipartite": ({"bipartite": "yes"}, "bipartite, bipartit, biparti, bipartito, двудольный, 二分图"),
    "positive": (
        {"sign": "positive"},
        "positive, positiv, positif, positivo, positiva, положительно, положительный, 正, 正的, 正数, 正の数",
    ),
    "negative": (
        {"sign": "negative"},
        "negative, negativ, négatif, négative, negativo, negativa, отрицательно, отрицательный, 负, 负的"
        ", 负数, 負の数, 負",
    ),
    "consistent": (
        {"solutions": "1 2 3 4 other infinite"},
        "consistent, konsistent, совместна, 相容, 有解, sistema es compatible, sistema compatible"
        ", système est compatible, sistema è compatibile, sistema compatibile, sistema é possível",
    ),
    "inconsistent": (
        {"solutions": "0"},
        "inconsistent, inkonsistent, система несовместна, 不相容, 矛盾, sistema es incompatible"
        ", sistema incompatible"
        ", sistema de ecuaciones es incompatible, système est incompatible, système incompatible"
        ", sistema è incompatibile, sistema incompatibile, sistema è impossibile, sistema impossibile"
        ", sistema é impossível, sistema impossível, system ist widersprüchlich, LGS ist unlösbar"
        ", sistema é incompatível, sistema incompatível",
    ),
    "congruent": (
        {"similarity": "congruent"},
        "congruent, kongruent, isométriques, congruentes, congruenti, конгруэнтны, 全等, 合同",
    ),
    "similar": (
        {"similarity": "similar congruent"},
        "similar, ähnlich, semblables, semejantes, simili, 相似",
    ),
}
"""For each class the values of aspects that it leaves, and its words."""
