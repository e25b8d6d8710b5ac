"""Measures of a solver on problems (section 4 of the paper)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError, EngineError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import write_rows, write_text
from engines.core.picture import Dot, PaperPlot, check_drawing, dots_figure
from engines.core.spec import Arg, make_refusal, specification
from engines.mwp.evaluations.scores import PROBES, RELATIVE, SolverScore, score_answer
from engines.mwp.problems.problem import Problem, to_infix
from engines.mwp.problems.readers import read_problems
from engines.retrieval.pictures import Method, draw_points, project_to_plane, refuse_idle_seed

if TYPE_CHECKING:
    from engines.mwp.solver.reading import ScoredEquation
    from engines.mwp.solver.solver import Solver


SolverAnswers = Sequence["list[ScoredEquation] | str"]

_CHUNK = 128
_NEEDS_NO_QUESTION = 0.5
"""A solver that keeps this share of its accuracy without the question is told so."""
MEASURES: Mapping[str, Callable[[SolverScore], bool]] = {
    "answer_accuracy": lambda score: score.answer,
    "answer_by_equation_accuracy": lambda score: score.by_equation,
    "equation_accuracy": lambda score: score.equation,
    "equivalent_accuracy": lambda score: score.equivalent,
    "relative_accuracy": lambda score: score.relative,
}


@specification
class EvaluateSolver:
    """Evaluate a solver: share of right answers, of right equations, and of equations equal to the right one,
    with 95 % intervals (Wilson)."""

    model: Annotated[Path, Arg("A solver: its folder, or the name of one.", ref="solver")]
    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    fold: Annotated[int | None, Arg("Only the problems of this fold.", low=0)] = None
    beam: Annotated[int | None, Arg("Beam width.", low=1, high=100, shown="the model's")] = None
    against: Annotated[
        Path | None, Arg("Another solver to compare with, problem by problem (McNemar).", ref="solver")
    ] = None
    probes: Annotated[
        bool, Arg("Also evaluate without questions, with numbers swapped and with sentences reordered.")
    ] = False
    seed: Annotated[int, Arg("Seed for the changes of --probes.", low=0)] = 0
    out: Annotated[Path | None, Arg("Write every answer to this file as JSON Lines.", writes=True)] = None
    plot: PaperPlot = None

    def __post_init__(self) -> None:
        check_drawing(self.plot)


def evaluate_solver(
    spec: EvaluateSolver, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Return the measures over all problems with an equation, as fractions of 1; unusable rows are counted.

    An answer is right within 1e-3 of the file's; for `relative_accuracy` within `RELATIVE` of its size. What
    the file's equation gives is measured beside it, and rows where the two differ are listed.

    Raises:
        DataError: E680 for a folder without a solver, E645 for data without a problem to measure on.
        EngineError: E646 when it is stopped.

    >>> from engines.core.system import asset
    >>> data = asset("sample/problems/sample-en/problems.jsonl")
    >>> found = evaluate_solver(EvaluateSolver(asset("models/mwp-en"), data))
    >>> found["problems"], 0.3 < found["answer_accuracy"] < 0.5
    (181, True)
    """
    from engines.mwp.solver.solve import open_cached_solver

    read = read_problems(spec.data)
    rows = [row for row in read.usable if spec.fold is None or row.fold == spec.fold]
    if not rows:
        remedy = "A problem needs an equation or an answer, and must be in --fold."
        what = "no problem here can be used for evaluation"
        raise DataError(what, path=spec.data, code="E645", remedy=remedy)
    solver = open_cached_solver(spec.model)
    result = _solve_problems(solver, rows, spec.beam, "problems", events, stop)
    scores = [score_answer(row, one) for row, one in zip(rows, result, strict=True)]
    # The solver gives a text instead of equations for a problem that it cannot read.
    unread = Counter(one for one in result if isinstance(one, str))
    unusable = [*read.skipped, *(note for note in read.remarks if note.reason.startswith("no equation"))]
    operations = [str(sum(bool(node.children) for node in row.equation or ())) for row in rows]
    document: dict[str, Any] = {
        "model": spec.model.name,
        "data": data_title(spec.data),
        "format": read.format,
        "fold": spec.fold,
        "problems": len(rows),
        "unusable": {
            "rows": len(unusable),
            "first": [{"line": note.line, "id": note.id, "reason": note.reason} for note in unusable[:20]],
        },
        "unread": dict(unread),
        "disagreements": [asdict(note) for note in read.disagreements if note.id in {row.id for row in rows}],
        "remarks": _list_remarks(solver, rows),
        **_compute_measures(scores),
        "ci95": {
            name: wilson_interval([measure(score) for score in scores]) for name, measure in MEASURES.items()
        },
        "tolerance": {"absolute": 1e-3, "relative": RELATIVE},
        "by_template": _group_measures((row.template for row in rows), scores),
        "by_ops": _group_measures(operations, scores, by_name=True),
    }
    # A second solver is compared on the same problems by McNemar's test.
    if spec.against is not None:
        other_results = _solve_problems(
            open_cached_solver(spec.against), rows, spec.beam, "problems, again", events, stop
        )
        right = [score_answer(row, one).answer for row, one in zip(rows, other_results, strict=True)]
        document["against"] = {
            "model": spec.against.name,
            "answer_accuracy": sum(right) / len(right),
            **compare_mcnemar([score.answer for score in scores], right),
        }
    if spec.probes:
        document["probes"] = _run_probes(solver, rows, scores, spec, events, stop)
    if spec.out is not None:
        _write_answers(spec.out, rows, result, scores)
        document["out"] = str(spec.out)
    if spec.plot is not None and cache is not None:
        _draw_measures(spec.plot, document, cache)
        document["plot"] = str(spec.plot)
    return document


def _draw_measures(path: Path, found: Mapping[str, Any], cache: Path) -> None:
    """The measures with their intervals, and the share of right answers by the number of operations."""
    dots: list[Dot] = [
        (name.replace("_", " "), 100 * found[name], (100 * low, 100 * high), None)
        for name, (low, high) in found["ci95"].items()
    ]
    dots += [
        (f"operations: {name}, {row['problems']:,} problems", 100 * row["answer_accuracy"], None, None)
        for name, row in found["by_ops"].items()
    ]
    dots_figure(path, dots, f"{found['model']} on {found['data']}, %", "", cache=cache)


def _solve_problems(
    solver: Solver, rows: Sequence[Problem], beam: int | None, unit: str, events: Sink, stop: Stop
) -> SolverAnswers:
    result: list[Any] = []
    for begin in range(0, len(rows), _CHUNK):
        if stop():
            raise StoppedError("the evaluation was stopped", remedy="Run it again.")
        result += solver.solve(rows[begin : begin + _CHUNK], beam=beam or 0)
        events(Event("progress", {"done": len(result), "total": len(rows), "unit": unit}))
    return result


def _list_remarks(solver: Solver, rows: Sequence[Problem]) -> list[str]:
    from engines.mwp.solver.solve import LANGUAGES
    from engines.mwp.solver.training import fingerprint_problems

    result = [solver.note] if solver.note else []
    texts = fingerprint_problems(rows)
    for kind, what in ((solver.learned, "trained on"), (solver.chosen, "chosen by")):
        if count := sum(mark in kind for mark in texts):
            result.append(
                f"{count:,} of the {len(rows):,} problems have the same text as one the solver was {what}"
            )
    for language, count in Counter(row.language for row in rows).items():
        if solver.languages and language not in solver.languages:
            learned = " and ".join(LANGUAGES[name] for name in solver.languages)
            result.append(f"{LANGUAGES[language]} problems: {count:,}; the solver has learned {learned} only")
    return result


def _compute_measures(scores: Sequence[SolverScore]) -> dict[str, float]:
    return {name: sum(measure(score) for score in scores) / len(scores) for name, measure in MEASURES.items()}


def _group_measures(
    keys: Iterable[str], scores: Sequence[SolverScore], *, by_name: bool = False
) -> dict[str, Any]:
    groups: dict[str, list[SolverScore]] = {}
    for key, score in zip(keys, scores, strict=True):
        groups.setdefault(key, []).append(score)
    order = sorted(groups, key=lambda key: key if by_name else (-len(groups[key]), key))
    return {key: {"problems": len(groups[key]), **_compute_measures(groups[key])} for key in order}


def data_title(path: Path) -> str:
    """Return the name of a file of problems: for a set of the workspace, the name of its folder."""
    return path.parent.name if path.name == "problems.jsonl" else path.name


def wilson_interval(right: Sequence[bool]) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    from scipy.stats import binomtest

    result = binomtest(sum(right), len(right)).proportion_ci(method="wilson")
    return float(result.low), float(result.high)


def compare_mcnemar(ours: Sequence[bool], theirs: Sequence[bool]) -> dict[str, Any]:
    """Compare two solvers on the same problems by McNemar's exact test.

    Q. McNemar, "Note on the sampling error of the difference between correlated proportions", 1947: the
    p-value is the two-sided probability that a fair coin divides the problems that only one solver gets right
    as unevenly.

    Returns:
        How many problems only the first and only the second solver gets right, and the p-value.
    """
    from scipy.stats import binomtest

    alone = sum(a and not b for a, b in zip(ours, theirs, strict=True))
    alone_there = sum(b and not a for a, b in zip(ours, theirs, strict=True))
    p = float(binomtest(alone, alone + alone_there).pvalue) if alone + alone_there else 1.0
    return {"right_here_alone": alone, "right_there_alone": alone_there, "mcnemar_p": p}


def _run_probes(
    solver: Solver,
    rows: Sequence[Problem],
    scores: Sequence[SolverScore],
    spec: EvaluateSolver,
    events: Sink,
    stop: Stop,
) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, probe in PROBES.items():
        made = [probe(row, Random(f"{spec.seed} {row.id}")) for row in rows]
        pairs = [(row, score) for row, score in zip(made, scores, strict=True) if row is not None]
        if not pairs:
            result[name] = {"problems": 0}
            continue
        changed = [row for row, _ in pairs]
        answers = _solve_problems(solver, changed, spec.beam, name.replace("_", " "), events, stop)
        right = [score_answer(row, one).answer for row, one in zip(changed, answers, strict=True)]
        before = sum(score.answer for _, score in pairs) / len(pairs)
        result[name] = {
            "problems": len(pairs),
            "before": before,
            "answer_accuracy": sum(right) / len(right),
            "ci95": wilson_interval(right),
        }
    removed = result["question_removed"]
    if removed["problems"] and removed["answer_accuracy"] >= _NEEDS_NO_QUESTION * removed["before"] > 0:
        share = removed["answer_accuracy"] / removed["before"]
        result["remark"] = (
            f"without the question the solver keeps {share:.0%} of its accuracy: it hardly uses it"
        )
    return result


def _write_answers(
    path: Path, rows: Sequence[Problem], found: SolverAnswers, scores: Sequence[SolverScore]
) -> None:
    def answer_row(row: Problem, one: list[ScoredEquation] | str, score: SolverScore) -> dict[str, Any]:
        best = None if isinstance(one, str) or not one else one[0]
        return {
            "id": row.id,
            "equation": to_infix(best.equation) if best else None,
            "answer": score.value,
            "gold_equation": row.template,
            "gold_answer": row.gold,
            "gold_value": row.answer,
            "answer_right": score.answer,
            "value_right": score.by_equation,
            "equation_right": score.equation,
            "equivalent": score.equivalent,
            "unread": one if isinstance(one, str) else None,
        }

    write_rows(path, map(answer_row, rows, found, scores))


@specification
class ArrangeProblems:
    """Map the problems of the commonest equations in the plane, by a solver's vectors."""

    model: Annotated[Path, Arg("A solver: its folder, or the name of one.", ref="solver")]
    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    templates: Annotated[int, Arg("How many equations to show; the paper shows 5.", low=1, high=40)] = 5
    before: Annotated[bool, Arg("Use the encoder as it was before training.")] = False
    method: Annotated[Method, Arg("t-SNE as in the paper, or PCA.")] = "tsne"
    seed: Annotated[int, Arg("Seed for t-SNE.", low=0)] = 0
    file: Annotated[
        Path | None, Arg("Draw to this .svg file.", name="out", shown="print the coordinates", writes=True)
    ] = None

    def __post_init__(self) -> None:
        refuse_idle_seed(self.method, self.seed)
        if self.file is not None and self.file.suffix != ".svg":
            raise make_refusal(f"{self.file.name} is no .svg", "E430", "Choose another --out.")


def arrange_problems(spec: ArrangeProblems) -> dict[str, Any]:
    """Return points [[x, y], …] with the ids and equations of the problems.

    Raises:
        EngineError: E645 where no problem has an equation, or a solver from scratch has no `before`.
        DataError: E680 for a folder without a solver.
    """
    from engines.mwp.solver.solve import open_cached_solver
    from engines.retrieval.encoders import BUILT_IN, encoder

    usable = read_problems(spec.data).usable
    common = [name for name, _ in Counter(row.template for row in usable).most_common(spec.templates)]
    rows = [row for row in usable if row.template in common]
    solver = open_cached_solver(spec.model)
    # The encoder before training can be shown only where it is known: for solvers begun from MiniLM.
    if not rows or (spec.before and solver.base != BUILT_IN):
        what = "no problem here has an equation" if not rows else "the solver was not initialised from MiniLM"
        raise EngineError(what, code="E645", remedy="Choose other data, or leave --before out.")
    if spec.before:
        vectors = encoder(BUILT_IN).encode([row.original for row in rows], normalise=False)
    else:
        vectors = solver.embed_problems(rows)
    points = project_to_plane(vectors, spec.method, seed=spec.seed)
    names = [row.template for row in rows]
    if spec.file is not None:
        state = "before training" if spec.before else "trained"
        write_text(
            spec.file, draw_points(points, names, f"{data_title(spec.data)}, {spec.model.name}, {state}")
        )
    return {
        "model": spec.model.name,
        "method": spec.method,
        "before": spec.before,
        "points": points.tolist(),
        "ids": [row.id for row in rows],
        "templates": names,
        "file": None if spec.file is None else str(spec.file),
    }
