"""Classes of numbers, matrices, relations, sets, groups, graphs and events, in the languages of answers."""

from __future__ import annotations

STRUCTURE_CLASSES: dict[str, tuple[dict[str, str], str]] = {
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
        "kann verworfen werden, kann abgelehnt werden, reject the null hypothesis, reject H_0"
        ", reject H0, reject H₀, reject, we reject"
        ", null hypothesis is rejected, H_0 is rejected, H0 is rejected, H₀ is rejected"
        ", is rejected, rejected, discard, discarded, dismissed, sufficient evidence to reject"
        ", enough evidence to reject, significant, statistically significant, signifikant, significatif"
        ", verwerfen, verworfen, verwirft, verwerfe, abgelehnt, ablehnen, zu verwerfen, abzulehnen"
        ", H_0 verwerfen, Nullhypothese verwerfen, rejeter, rejette, rejetée, on rejette, rechazar, rechaza"
        ", se rechaza, rechazamos, rechazada, rifiuta, rifiutare, rifiutata, rifiutiamo, rejeita, rejeitar"
        ", rejeitada, rejeitamos, rejeita-se, отвергаем, отвергнуть, отвергается, отвергают, отклоняется"
        ", отклоняем, отклонить, отклоняют, 拒绝原假设, 拒绝, 棄却, 棄却する, 棄却される, 棄却できる",
    ),
    "fail to reject": (
        {"test": "retain"},
        "fail to reject the null hypothesis, fail to reject H_0, fail to reject H0, fail to reject H₀"
        ", fail to reject, retain the null hypothesis, accept the null hypothesis, accept H_0, accept H0"
        ", accept H₀, retain, retained, H_0 beibehalten, beibehalten, nicht verwerfen, 接受原假设"
        ", 不拒绝原假设"
        ", insufficient evidence to reject, not enough evidence to reject, no evidence to reject"
        ", not sufficient evidence to reject, no reason to reject, no grounds to reject"
        ", kann nicht verworfen werden"
        ", kann nicht abgelehnt werden, conservée, se conserva"
        ", 棄却できない, 棄却されない, 棄却しない, 不能拒绝, 无法拒绝",
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
}
"""What numbers, vectors, matrices, relations, topological sets, groups, graphs, events and tests are."""
