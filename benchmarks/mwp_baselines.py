"""The solvers that ship beside simple baselines that learn from the same problems.

    .venv/bin/python -m benchmarks.mwp_baselines DATA

DATA is a folder with MAWPS, ASDiv-A (folds 0-3) and the validation problems of Math23K. English baselines
learn from what `mwp/solver-en` is trained on and answer ASDiv-A, Chinese ones from what `mwp/solver-zh` is
trained on and answer Math23K. "template" is the most frequent equation, "tf-idf" logistic regression over
the equations on TF-IDF of words and pairs (English) or of one to three characters (Chinese). Each takes
its likeliest equation that uses every number of the problem, otherwise the likeliest that has a value. Right
answers in %, with 95 % intervals (Wilson), and each baseline against the solver (McNemar, exact).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of, table
from engines.core.assets import asset
from engines.mwp.evaluations.evaluate import interval, mcnemar
from engines.mwp.evaluations.scores import judged
from engines.mwp.problems.equation import EquationError, evaluate, placeholders
from engines.mwp.problems.problem import Problem
from engines.mwp.problems.readers import read_problems
from engines.mwp.solver.reading import Found
from engines.mwp.solver.training import Material, material


def likeliest(problem: Problem, trees: Iterable[Any]) -> list[Found]:
    """The first of the equations that uses every number of the problem, or else that has a value."""
    found: list[Found] = []
    for tree in trees:
        try:
            evaluate(tree, problem.values)
        except EquationError:
            continue
        if len(set(placeholders(tree))) == len(problem.numbers):
            return [Found(tree, 0.0)]
        found = found or [Found(tree, 0.0)]
    return found


def frequent(learned: Material, rows: Sequence[Problem]) -> list[list[Found]]:
    """The most frequent equation for every problem."""
    order = [tree for tree, _ in Counter(row.normal for row in learned.train).most_common()]
    return [likeliest(row, order) for row in rows]


def regression(learned: Material, rows: Sequence[Problem], chinese: bool) -> list[list[Found]]:
    """The likeliest equation by logistic regression."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    how: dict[str, Any] = {"analyzer": "char", "ngram_range": (1, 3)} if chinese else {"ngram_range": (1, 2)}
    vectors = TfidfVectorizer(sublinear_tf=True, **how)
    texts = vectors.fit_transform([row.text for row in learned.train])
    trees = {row.template: row.normal for row in learned.train}
    model = LogisticRegression(C=10, max_iter=200)
    model.fit(texts, [row.template for row in learned.train])
    odds = model.predict_proba(vectors.transform([row.text for row in rows]))
    return [
        likeliest(row, (trees[model.classes_[place]] for place in (-one).argsort()))
        for row, one in zip(rows, odds, strict=True)
    ]


def right(rows: Sequence[Problem], found: Sequence[Any]) -> list[bool]:
    """Which answers are right."""
    return [judged(row, one).answer for row, one in zip(rows, found, strict=True)]


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("data", type=Path)
    arguments = parser.parse_args()
    data: Path = arguments.data
    from engines.mwp.solver.solve import ready

    own = asset("sample/problems")
    asdiv = data / "asdiv_a_folds0-3.jsonl"
    recipes = {
        "mwp-en": (
            {
                "problems": data / "mawps_5fold.jsonl.gz",
                "also": own / "training-en/problems.jsonl",
                "unlike": asdiv,
            },
            asdiv,
        ),
        "mwp-zh": (
            {"problems": own / "training-zh/problems.jsonl", "development": own / "sample-zh/problems.jsonl"},
            data / "math23k_valid.jsonl.gz",
        ),
    }
    used = sorted({path for sources, measured in recipes.values() for path in (*sources.values(), measured)})
    kept = Record("mwp_baselines", arguments.out, data=used)
    figures: dict[str, object] = {}
    shown = []
    for name, (sources, measured) in recipes.items():
        learned, rows = material(sources), read_problems(measured).usable
        answers: dict[str, Sequence[Any]] = {
            name: ready(asset(f"models/{name}")).solve(rows),
            "template": frequent(learned, rows),
            "tf-idf": regression(learned, rows, name == "mwp-zh"),
        }
        scores = {kind: right(rows, found) for kind, found in answers.items()}
        for kind, score in scores.items():
            share, (low, high) = sum(score) / len(score), interval(score)
            against = mcnemar(scores[name], score)
            shown.append(
                (
                    kind,
                    measured.name,
                    f"{share:.1%}",
                    f"{low:.1%} to {high:.1%}",
                    f"{against['mcnemar_p']:.2g}",
                )
            )
            figures[kind if kind == name else f"{name} {kind}"] = {
                "data": measured.name,
                "problems": len(score),
                "trained_on": None if kind == name else len(learned.train),
                "answers_right": round(share, 4),
                "ci95": [round(low, 4), round(high, 4)],
                "against_the_solver": None if kind == name else against,
            }
    print("\n".join(table(("what", "data", "right", "95 %", "p"), shown)))
    kept.write(figures, libraries=("scikit-learn", "torch"))


if __name__ == "__main__":
    main()
