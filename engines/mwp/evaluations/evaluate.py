"""Measures of a solver on problems (section 4 of the paper)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

from engines.chat.settings import ChatSettings
from engines.core.errors import DataError, EngineError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import write_rows, write_text
from engines.core.picture import Dot, PaperPlot, check_drawing, dots_figure
from engines.core.spec import Arg, Flat, exactly_one, make_refusal, specification
from engines.mwp.evaluations.answer_checks import RELATIVE, SolverScore, score_answer
from engines.mwp.evaluations.attempts import ScoredAttempt, SolverAttempt, attempt_of, score_attempt
from engines.mwp.evaluations.comparisons import (
    ComparedSolver,
    compare_solvers,
    measure_families,
    wilson_interval,
)
from engines.mwp.evaluations.contamination import measure_contamination
from engines.mwp.evaluations.language_settings import PromptSettings
from engines.mwp.evaluations.mistake_kinds import classify_mistake, group_mistakes
from engines.mwp.evaluations.shortcut_probes import PROBES
from engines.mwp.problems.equivalence import read_template
from engines.mwp.problems.problem import EquationError, Problem, to_infix
from engines.mwp.problems.readers import read_problems
from engines.mwp.solver.solve import open_cached_solver
from engines.retrieval.pictures import Method, draw_labelled_points, project_to_plane, refuse_unused_seed

if TYPE_CHECKING:
    from engines.mwp.solver.reading import ScoredEquation
    from engines.mwp.solver.solver import Solver


SolverAnswers = Sequence["list[ScoredEquation] | str"]

_CHUNK = 128
_NEEDS_NO_QUESTION = 0.5
"""A solver that keeps this share of its accuracy without the question is told so."""
_OF_EQUATIONS = ("equation_accuracy", "equivalent_accuracy")
"""The measures that need an equation on both sides."""
_BY_EQUATIONS = ("answer_by_equation_accuracy", *_OF_EQUATIONS)
"""Those that need one in the file."""
MEASURES: Mapping[str, Callable[[SolverScore], bool]] = {
    "answer_accuracy": lambda score: score.answer,
    "answer_by_equation_accuracy": lambda score: score.by_equation,
    "equation_accuracy": lambda score: score.equation,
    "equivalent_accuracy": lambda score: score.equivalent,
    "relative_accuracy": lambda score: score.relative,
}


@specification
class EvaluateSolver:
    """Evaluate a solver, a language model or a file of answers: share of right answers, with 95 % intervals
    (Wilson), and of right equations where there are any.

    Give a solver and problems, or, instead of the solver, --answers FILE or --llm URL --model NAME. Put a
    language model's key, if it needs one, in MATHWB_LLM_KEY; its replies are cached, and a stopped run
    continues from them.
    """

    model: Annotated[
        Path | None,
        Arg(
            "A solver: its folder, or the name of one.",
            ref="solver",
            option=False,
            unless=("answers", "llm"),
        ),
    ] = None
    data: Annotated[Path | None, Arg("Problems, or a registered name.", ref="problems", option=False)] = None
    answers: Annotated[
        Path | None,
        Arg("Evaluate the answers of this file: JSON Lines, CSV or TSV with id and answer (or text)."),
    ] = None
    chat: Annotated[ChatSettings, Flat()] = ChatSettings()
    asking: Annotated[PromptSettings, Flat()] = PromptSettings()
    fold: Annotated[int | None, Arg("Only the problems of this fold.", low=0)] = None
    beam: Annotated[int | None, Arg("Beam width.", low=1, high=100, shown="the model's")] = None
    against: Annotated[
        tuple[Path, ...],
        Arg("Another solver to compare with, problem by problem (McNemar, Holm).", ref="solver"),
    ] = ()
    train: Annotated[
        Path | None,
        Arg(
            "The problems that it was trained on: simple baselines learn from them too, and unseen templates "
            "and problems that resemble them are counted.",
            ref="problems",
        ),
    ] = None
    probes: Annotated[
        bool, Arg("Also evaluate without questions, with numbers swapped and with sentences reordered.")
    ] = False
    seed: Annotated[int, Arg("Seed for the changes of --probes and the intervals of samples.", low=0)] = 0
    out: Annotated[Path | None, Arg("Write every answer to this file as JSON Lines.", writes=True)] = None
    plot: PaperPlot = None

    if TYPE_CHECKING:  # checkers see no flat settings

        def __init__(self, model: Path | None = None, data: Path | None = None, **settings: Any) -> None: ...

    def __post_init__(self) -> None:
        check_drawing(self.plot)
        self.chat.check_settings()
        self.asking.check_settings(self.chat)
        exactly_one(
            {"MODEL": self.model, "--answers": self.answers, "--llm": self.chat.llm},
            "Name a solver, a file of answers, or a language model.",
        )
        if self.data is None:
            raise make_refusal("DATA is needed", "E402", "Name the problems to evaluate on.")
        if self.model is None and (self.probes or self.beam is not None):
            what = "--probes and --beam are for a solver"
            raise make_refusal(what, "E427", "Leave them out.")


def evaluate_solver(
    spec: EvaluateSolver, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Return the measures over all problems with an answer, as fractions of 1; unusable rows are counted.

    An answer is right within 1e-3 of the file's; for `relative_accuracy` within `RELATIVE` of its size. What
    the file's equation gives is measured beside it, and rows where the two differ are listed. Measures of
    equations are over the problems that have one, and there only where equations are given.

    Raises:
        DataError: E680 for a folder without a solver, E645 for data without a problem to measure on, E317 for
            a file without answers.
        EngineError: E646 when it is stopped, E691 and E692 as language models.

    >>> from engines.core.system import asset
    >>> data = asset("sample/problems/sample-en/problems.jsonl")
    >>> found = evaluate_solver(EvaluateSolver(asset("models/mwp-en"), data))
    >>> found["problems"], 0.3 < found["answer_accuracy"] < 0.5
    (181, True)
    """
    assert spec.data is not None
    read = read_problems(spec.data)
    rows = [
        row
        for row in read.rows
        if (row.equation is not None or row.answer_text) and (spec.fold is None or row.fold == spec.fold)
    ]
    if not rows:
        folds = sorted({row.fold for row in read.rows if row.fold is not None})
        what = "no problem here has an equation or an answer"
        remedy = "Name columns with `mathwb mwp problems FILE --field answer=COLUMN --out problems.jsonl`."
        if spec.fold is not None:
            what = f"no problem of fold {spec.fold} has an equation or an answer"
            listed = (
                f"Its folds are {', '.join(map(str, folds))}." if folds else "Its problems are of no fold."
            )
            remedy = f"{listed} Name another --fold, or none."
        raise DataError(what, path=spec.data, code="E645", remedy=remedy)
    # The training problems are read first: a broken file is named before hours are spent.
    learned = None
    if spec.train is not None:
        learned = [
            row for row in read_problems(spec.train).usable if spec.fold is None or row.fold != spec.fold
        ]
        if not learned:
            what = "no training problem has an equation"
            raise DataError(what, path=spec.train, code="E645", remedy="Name the problems it was trained on.")
    subject = _attempt_problems(spec, rows, cache, events, stop)
    attempts = subject.attempts
    scored = list(map(score_attempt, rows, attempts))
    # What was given for a problem may be nothing that can be read.
    unread = Counter(one.unread for one in attempts if one.unread)
    bare = {row.id for row in read.rows if row.equation is None and not row.answer_text}
    unusable = [
        *read.skipped,
        *(note for note in read.remarks if note.id in bare and note.reason.startswith("no equation")),
    ]
    others = [
        ComparedSolver(
            folder.name,
            "solver",
            _score_solver(folder, rows, spec.beam, events, stop),
        )
        for folder in spec.against
    ]
    if learned is not None:
        from engines.mwp.evaluations.baselines import solve_by_baselines

        others += [
            ComparedSolver(name, "baseline", list(map(score_attempt, rows, given)))
            for name, given in solve_by_baselines(learned, rows).items()
        ]
    templates = None if learned is None else {row.template for row in learned}
    document: dict[str, Any] = {
        "model": subject.name,
        "data": data_title(spec.data),
        "format": read.format,
        "fold": spec.fold,
        "problems": len(rows),
        "with_equation": sum(row.equation is not None for row in rows),
        "unusable": {
            "rows": len(unusable),
            "first": [{"line": note.line, "id": note.id, "reason": note.reason} for note in unusable[:20]],
        },
        "unread": dict(unread),
        "disagreements": [asdict(note) for note in read.disagreements if note.id in {row.id for row in rows}],
        "remarks": subject.remarks,
        **_compute_measures(rows, attempts, scored),
        "tolerance": {"absolute": 1e-3, "relative": RELATIVE},
        **_group_problems(rows, attempts, scored),
        "mistakes": group_mistakes(rows, attempts, scored, templates),
        **subject.facts,
    }
    if (families := measure_families(rows, scored)) is not None:
        document["families"] = families
    marks = open_cached_solver(spec.model).learned if spec.model is not None else ()
    if marks or learned is not None:
        right = [one.score.answer for one in scored]
        document["contamination"] = measure_contamination(rows, right, marks, learned)
    if others:
        document["comparisons"] = compare_solvers(rows, scored, others)
    if spec.against:
        first = document["comparisons"][0]
        keys = ("model", "answer_accuracy", "right_here_alone", "right_there_alone", "mcnemar_p")
        document["against"] = {key: first[key] for key in keys}
    if spec.probes and spec.model is not None:
        with_equation = [
            (row, one) for row, one in zip(rows, scored, strict=True) if row.equation is not None
        ]
        document["probes"] = _run_probes(
            open_cached_solver(spec.model),
            [row for row, _ in with_equation],
            [one.score for _, one in with_equation],
            spec,
            events,
            stop,
        )
    if spec.out is not None:
        _write_answers(spec.out, rows, attempts, scored)
        document["out"] = str(spec.out)
    if spec.plot is not None and cache is not None:
        _draw_measures(spec.plot, document, cache)
        document["plot"] = str(spec.plot)
    return document


@dataclass(frozen=True, slots=True)
class MeasuredSubject:
    """What is evaluated: its name, its attempt at every problem, remarks, and what else the report says."""

    name: str
    attempts: list[SolverAttempt]
    remarks: list[str]
    facts: dict[str, Any]


def _attempt_problems(
    spec: EvaluateSolver, rows: Sequence[Problem], cache: Path | None, events: Sink, stop: Stop
) -> MeasuredSubject:
    if spec.answers is not None:
        from engines.mwp.evaluations.predictions import read_predictions

        attempts, remarks = read_predictions(spec.answers).match_problems(rows)
        return MeasuredSubject(spec.answers.name, attempts, remarks, {})
    if spec.chat.llm is not None:
        from engines.mwp.evaluations.language_model import ask_problems, measure_samples

        asked = ask_problems(spec.chat, spec.asking, rows, cache=cache, events=events, stop=stop)
        facts: dict[str, Any] = {"setting": asked.summary}
        if spec.asking.samples > 1:
            facts["samples"] = measure_samples(asked.problems, seed=spec.seed)
        attempts = [one.vote() for one in asked.problems]
        return MeasuredSubject(str(spec.chat.llm_model), attempts, [], facts)
    assert spec.model is not None
    solver = open_cached_solver(spec.model)
    attempts = list(map(attempt_of, _solve_problems(solver, rows, spec.beam, "problems", events, stop)))
    return MeasuredSubject(spec.model.name, attempts, _list_remarks(solver, rows), {})


def _score_solver(
    folder: Path, rows: Sequence[Problem], beam: int | None, events: Sink, stop: Stop
) -> list[ScoredAttempt]:
    result = _solve_problems(open_cached_solver(folder), rows, beam, f"problems, {folder.name}", events, stop)
    return [score_attempt(row, attempt_of(one)) for row, one in zip(rows, result, strict=True)]


def _draw_measures(path: Path, measures: Mapping[str, Any], cache: Path) -> None:
    """The measures with their intervals, and the share of right answers by the number of operations."""
    dots: list[Dot] = [
        (name.replace("_", " "), 100 * measures[name], (100 * low, 100 * high), None)
        for name, (low, high) in measures["ci95"].items()
    ]
    dots += [
        (f"operations: {name}, {row['problems']:,} problems", 100 * row["answer_accuracy"], None, None)
        for name, row in measures["by_ops"].items()
    ]
    dots_figure(path, dots, f"{measures['model']} on {measures['data']}, %", "", cache=cache)


def _solve_problems(
    solver: Solver, rows: Sequence[Problem], beam: int | None, unit: str, events: Sink, stop: Stop
) -> SolverAnswers:
    result: list[Any] = []

    def report_batch(solved: int) -> None:
        if stop():
            raise StoppedError("the evaluation was stopped", remedy="Run it again.")
        events(Event("progress", {"done": len(result) + solved, "total": len(rows), "unit": unit}))

    # Announce the total before the first batch is solved, which takes longest.
    report_batch(0)
    for begin in range(0, len(rows), _CHUNK):
        result += solver.solve(rows[begin : begin + _CHUNK], beam=beam or 0, on_batch=report_batch)
    return result


def _list_remarks(solver: Solver, rows: Sequence[Problem]) -> list[str]:
    from engines.mwp.problems.near_duplicates import fingerprint_problems
    from engines.mwp.solver.solve import LANGUAGES

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


def _compute_measures(
    rows: Sequence[Problem], attempts: Sequence[SolverAttempt], scored: Sequence[ScoredAttempt]
) -> dict[str, Any]:
    """Return the measures with their intervals, and how many answers that are right are so by an equation
    that is equivalent to the right one."""
    by_equation = [one.score for row, one in zip(rows, scored, strict=True) if row.equation is not None]
    gives_equations = any(attempt.equation is not None for attempt in attempts)
    shares: dict[str, list[bool]] = {}
    for name, measure in MEASURES.items():
        # Measures of equations are left out for a subject that gave none.
        scores = by_equation if name in _BY_EQUATIONS else [one.score for one in scored]
        if scores and (gives_equations or name not in _OF_EQUATIONS):
            shares[name] = list(map(measure, scores))
    right = [one.score for one in scored if one.score.answer]
    return {
        **{name: sum(share) / len(share) for name, share in shares.items()},
        "ci95": {name: wilson_interval(share) for name, share in shares.items()},
        "right": {"answers": len(right), "equivalent": sum(score.equivalent for score in right)},
    }


def _group_problems(
    rows: Sequence[Problem], attempts: Sequence[SolverAttempt], scored: Sequence[ScoredAttempt]
) -> dict[str, Any]:
    """Return the measures by template and by number of operations, of the problems with an equation."""
    by_template: dict[str, list[int]] = {}
    by_operations: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        if row.equation is not None:
            by_template.setdefault(row.template, []).append(number)
            operations = sum(bool(node.children) for node in row.equation)
            by_operations.setdefault(str(operations), []).append(number)

    def measure_group(members: Sequence[int]) -> dict[str, Any]:
        measures = _compute_measures(
            [rows[number] for number in members],
            [attempts[number] for number in members],
            [scored[number] for number in members],
        )
        return {"problems": len(members), **{name: measures[name] for name in MEASURES if name in measures}}

    # Equally common templates are in the order of the alphabet, so that reports can be compared.
    commonest = sorted(by_template, key=lambda name: (-len(by_template[name]), name))
    return {
        "by_template": {name: measure_group(by_template[name]) for name in commonest},
        "by_ops": {name: measure_group(by_operations[name]) for name in sorted(by_operations)},
    }


def data_title(path: Path) -> str:
    """Return the name of a file of problems: for a set of the workspace, the name of its folder."""
    return path.parent.name if path.name == "problems.jsonl" else path.name


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
        # Each problem draws by its own id, so its variant does not depend on which others are evaluated.
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
    # A solver that answers without the question has learned which numbers usually go together.
    removed = result["question_removed"]
    if removed["problems"] and removed["answer_accuracy"] >= _NEEDS_NO_QUESTION * removed["before"] > 0:
        share = removed["answer_accuracy"] / removed["before"]
        result["remark"] = (
            f"without the question the solver keeps {share:.0%} of its accuracy: it hardly uses it"
        )
    return result


def _write_answers(
    path: Path,
    rows: Sequence[Problem],
    attempts: Sequence[SolverAttempt],
    scored: Sequence[ScoredAttempt],
) -> None:
    def answer_row(row: Problem, attempt: SolverAttempt, one: ScoredAttempt) -> dict[str, Any]:
        right = one.score.answer
        return {
            "id": row.id,
            "equation": None if attempt.equation is None else to_infix(attempt.equation),
            "answer": one.score.value if one.score.value is not None else one.answer or None,
            "gold_equation": row.template,
            "gold_answer": row.gold if row.gold == row.gold else row.answer_text,
            "gold_value": row.answer if row.answer == row.answer else None,
            "answer_right": right,
            "value_right": one.score.by_equation,
            "equation_right": one.score.equation,
            "equivalent": one.score.equivalent,
            "mistake": None if right else classify_mistake(row, attempt, one),
            "text": attempt.text or None,
            "unread": attempt.unread or None,
        }

    write_rows(path, map(answer_row, rows, attempts, scored))


@specification
class ArrangeProblems:
    """Map the problems of the commonest equations in the plane, by a solver's vectors."""

    model: Annotated[Path, Arg("A solver: its folder, or the name of one.", ref="solver")]
    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    templates: Annotated[int, Arg("How many equations to show; the paper shows 5.", low=1, high=40)] = 5
    equations: Annotated[
        tuple[str, ...],
        Arg(
            "Show this equation, as in N_0*N_1-N_2, and others named so, not the commonest.", name="equation"
        ),
    ] = ()
    words: Annotated[
        tuple[str, ...],
        Arg("Show only problems with this word, or another such (the paper's Figure 5).", name="word"),
    ] = ()
    before: Annotated[bool, Arg("Use the encoder as it was before training.")] = False
    method: Annotated[Method, Arg("t-SNE as in the paper, or PCA.")] = "tsne"
    seed: Annotated[int, Arg("Seed for t-SNE.", low=0)] = 0
    file: Annotated[
        Path | None, Arg("Draw to this .svg file.", name="out", shown="print the coordinates", writes=True)
    ] = None

    def __post_init__(self) -> None:
        refuse_unused_seed(self.method, self.seed)
        if self.file is not None and self.file.suffix != ".svg":
            raise make_refusal(f"{self.file.name} is no .svg", "E430", "Choose another --out.")


def _normalise_template(text: str) -> str:
    """Return an equation as templates are written: up to the order of operands."""
    try:
        return to_infix(read_template(text))
    except EquationError as error:
        raise make_refusal(f"--equation {text}: {error}", "E430", "Write it as in N_0*N_1-N_2.") from error


def arrange_problems(spec: ArrangeProblems) -> dict[str, Any]:
    """Return points [[x, y], …] with the ids and equations of the problems.

    Raises:
        EngineError: E645 where no problem has an equation, or a solver from scratch has no `before`.
        DataError: E680 for a folder without a solver.
    """
    from engines.retrieval.encoders import BUILT_IN, encoder

    usable = read_problems(spec.data).usable
    wanted = [word.casefold() for word in spec.words]
    rows = [row for row in usable if not wanted or any(word in row.original.casefold() for word in wanted)]
    if spec.equations:
        shown = [_normalise_template(text) for text in spec.equations]
    else:
        shown = [name for name, _ in Counter(row.template for row in rows).most_common(spec.templates)]
    rows = [row for row in rows if row.template in shown]
    solver = open_cached_solver(spec.model)
    # The encoder before training can be shown only where it is known: for solvers begun from MiniLM.
    if not rows or (spec.before and solver.base != BUILT_IN):
        chosen = "" if not (spec.equations or wanted) else " of these, with one of the words"
        what = f"no problem here has an equation{chosen}"
        if rows:
            what = "the solver was not initialised from MiniLM"
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
            spec.file,
            draw_labelled_points(points, names, f"{data_title(spec.data)}, {spec.model.name}, {state}"),
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
