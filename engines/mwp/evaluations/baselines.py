"""The strongest simple baselines of a solver: they learn from the same problems and read no meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from engines.core.tree import Tree
from engines.mwp.evaluations.attempts import SolverAttempt
from engines.mwp.problems.problem import EquationError, Problem, evaluate, list_placeholders

_NEIGHBOURS = 20
"""Training problems that the nearest neighbour may fall back on."""


def solve_by_baselines(learned: Sequence[Problem], rows: Sequence[Problem]) -> dict[str, list[SolverAttempt]]:
    """Solve problems by three baselines.

    `most frequent equation` takes the commonest equations of the training problems in their order; `nearest
    problem` those of the training problems whose texts are most alike; `TF-IDF and logistic regression` those
    that a linear model of the words finds likely. Texts are vectors by TF-IDF: of words and pairs of words in
    English, of one to three characters in Chinese. Each baseline takes its first equation that uses every
    number of the problem, else its first that has a value.

    Args:
        learned: Problems with equations, which the solver was trained on.
        rows: The problems to solve.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    trees = {row.template: row.normal for row in learned if row.normal is not None}
    templates = [row.template for row in learned]
    chinese = Counter(row.language for row in learned)["zh"] * 2 > len(learned)
    how: dict[str, Any] = {"analyzer": "char", "ngram_range": (1, 3)} if chinese else {"ngram_range": (1, 2)}
    vectorizer = TfidfVectorizer(sublinear_tf=True, **how)
    known = vectorizer.fit_transform([row.text for row in learned])
    asked = vectorizer.transform([row.text for row in rows])
    commonest = [name for name, _ in Counter(templates).most_common()]
    # Rows of TF-IDF have length 1, so products are cosines.
    cosines = asked @ known.T
    if len(trees) > 1:
        model = LogisticRegression(C=10, max_iter=200)
        model.fit(known, templates)
        chances = model.predict_proba(asked)
        likely = [[str(model.classes_[index]) for index in (-row).argsort()] for row in chances]
    else:
        likely = [commonest] * len(rows)
    order = {
        "most frequent equation": [commonest] * len(rows),
        "nearest problem": [
            [
                templates[index]
                for index in (-cosines[number].toarray()[0]).argsort(kind="stable")[:_NEIGHBOURS]
            ]
            for number in range(len(rows))
        ],
        "TF-IDF and logistic regression": likely,
    }
    return {
        name: [
            _take_first(row, (trees[template] for template in ranked))
            for row, ranked in zip(rows, rankings, strict=True)
        ]
        for name, rankings in order.items()
    }


def _take_first(problem: Problem, equations: Iterable[Tree]) -> SolverAttempt:
    usable = None
    for equation in equations:
        try:
            evaluate(equation, problem.values)
        except EquationError:
            continue
        if len(set(list_placeholders(equation))) == len(problem.numbers):
            return SolverAttempt(equation=equation)
        usable = usable or equation
    if usable is None:
        return SolverAttempt(unread="no equation of the training problems has a value here")
    return SolverAttempt(equation=usable)
