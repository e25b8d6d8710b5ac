"""Classes of verdicts, solutions and logic, in the languages of answers."""

from __future__ import annotations

ANSWER_CLASSES: dict[str, tuple[dict[str, str], str]] = {
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
}
"""Yes and no, what exists, how many solutions there are, what is necessary or sufficient."""
