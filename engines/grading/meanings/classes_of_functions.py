"""Classes of series, functions, singularities and equations, in the languages of answers."""

from __future__ import annotations

FUNCTION_CLASSES: dict[str, tuple[dict[str, str], str]] = {
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
}
"""What converges, rises, is even, continuous, integrable or stable, and of which kind equations are."""
