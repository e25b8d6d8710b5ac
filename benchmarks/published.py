"""Our verdicts beside the marks of published clusters, tabulated by cause.

    .venv/bin/python -m benchmarks.published FILE      (expr/egen_clusters_sample.jsonl.gz of the real data)

Each line of the file holds a head, the expressions found equal to it at six real points in complex arithmetic
and, as `partial_domain`, those found equal at only some of them. We judge the same pairs on the reals. Prints
a Markdown table: mark of the file, our verdict, cause, count, the shortest example. Causes are computed: for
a lost point the innermost sub-term that is undefined; for an expression that is marked and yet equal, where
principal values in the complex plane differ.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._record import Record, parser_of
from engines.core.derivative import derivative
from engines.core.errors import ExpressionError
from engines.core.files import read_lines
from engines.core.numeric import UNDEFINED, compile_many, evaluate
from engines.core.tree import Tree
from engines.egen.expressions.language import read_prefix
from engines.egen.records import Verdict
from engines.egen.verification.verify import Verifier

RECIPROCAL = {"csc": "sin", "sec": "cos", "cot": "tan", "csch": "sinh", "sech": "cosh", "coth": "tanh"}


def without_derivatives(tree: Tree) -> Tree:
    parts = tuple(without_derivatives(child) for child in tree.children)
    return derivative(parts[1], "x") if tree.label == "d" else Tree(tree.label, parts)


def principal(tree: Tree, z: np.ndarray) -> np.ndarray:
    """Principal values in the complex plane, acot z = atan(1/z), as computer algebra has them."""
    if not tree.children:
        known = {"x": z, "pi": np.full_like(z, np.pi), "e": np.full_like(z, np.e)}
        return known[tree.label] if tree.label in known else np.full_like(z, float(tree.label))
    values = [principal(child, z) for child in tree.children]
    u, label = values[0], tree.label
    if label in ("+", "-", "*", "/", "pow"):
        operator = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "pow": np.power}[label]
        return operator(u, values[1])
    if label == "log":
        return np.log(values[1]) / np.log(u)
    if label in RECIPROCAL:
        return 1 / getattr(np, RECIPROCAL[label])(u)
    if label.startswith("a") and label[1:] in RECIPROCAL:
        return getattr(np, "a" + RECIPROCAL[label[1:]])(1 / u)
    return getattr(np, "log" if label == "ln" else label)(u)


def failing(member: Tree, x: float) -> str:
    """The label of the innermost sub-term that is undefined at x."""
    node = member
    while True:
        children = [
            child for child in node.children if evaluate(compile_many([child]), [x]).state[0, 0] == UNDEFINED
        ]
        if not children:
            return node.label
        node = children[0]


def complex_cause(verifier: Verifier, head: Tree, member: Tree) -> str:
    """Where the two differ in the complex plane although they agree on the reals."""
    z = verifier.points.astype(complex)
    with np.errstate(all="ignore"):
        a, b = (principal(without_derivatives(tree), z) for tree in (head, member))
        differs = np.abs(a - b) > 1e-6 * np.maximum(np.abs(a), np.abs(b))
    if differs[verifier.inside :].any():
        return "complex branches differ outside the real domain"
    if differs[: verifier.inside].any():
        return "complex branches differ on a detour inside the domain"
    if len(verifier.points) > verifier.inside and head.label == "d":
        return "the derivative's complex branch outside the real domain"
    return "rounding in the file's check"


def cause(verifier: Verifier, head: Tree, member: Tree, verdict: Verdict, marked: bool) -> str:
    if verdict.outcome in ("shrinks", "nowhere"):
        assert verdict.counterexample is not None
        return f"{failing(member, verdict.counterexample.x)} leaves the reals"
    if verdict.outcome == "extends":
        return "defined outside the head's domain too"
    if verdict.outcome == "different":
        return "values differ: a constant was rounded to a fraction"
    return complex_cause(verifier, head, member) if marked else ""


def judged(path: Path) -> Iterator[tuple[str, str, str, str]]:
    """Mark, verdict, cause and example of every expression that is not the head itself."""
    for _, line in read_lines(path):
        row = json.loads(line)
        head = read_prefix(row["head"])
        verifier = Verifier(head)
        marked = row["partial_domain"]
        for k, text in enumerate(marked + row["exprs"]):
            if text == row["head"]:
                continue
            mark, example = "marked" if k < len(marked) else "not marked", f"`{row['head']}` / `{text}`"
            try:
                member = read_prefix(text)
            except ExpressionError:
                yield mark, "not read", "derivative by an expression", example
                continue
            (verdict,) = verifier.check([member])
            why = cause(verifier, head, member, verdict, k < len(marked))
            yield mark, verdict.outcome, why, example


def main() -> None:
    counts: dict[tuple[str, str, str], int] = {}
    examples: dict[tuple[str, str, str], str] = {}
    parser = parser_of(__doc__)
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    kept = Record("published", arguments.out, file=arguments.file)
    for mark, outcome, why, example in judged(arguments.file):
        key = (mark, outcome, why)
        counts[key] = counts.get(key, 0) + 1
        if key not in examples or len(example) < len(examples[key]):
            examples[key] = example
    order = sorted(counts, key=lambda key: (key[0], key[1], -counts[key]))
    print("| file | verdict | cause | expressions | example: head / member |\n|---|---|---|---|---|")
    for key in order:
        print("|", " | ".join([*key, f"{counts[key]:,}", examples[key]]), "|")
    print("| all |  |  |", f"{sum(counts.values()):,}", "|  |")
    rows = [
        {"file": mark, "verdict": verdict, "cause": why, "expressions": counts[mark, verdict, why]}
        for mark, verdict, why in order
    ]
    kept.write({"expressions": sum(counts.values()), "rows": rows}, libraries=["numpy", "numba"])


if __name__ == "__main__":
    main()
