"""E-graphs to look at: the classes of one, and derivations found in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.shown import Shown, Tex, chain
from engines.core.spec import Arg, refused
from engines.egen.records import AssumeAny, Limits, Mode, OwnRules, TheoryName
from engines.egen.theories.theory import theory_of

_Expression = Arg("Infix, LaTeX or prefix; may begin with -.")
_Rules = Arg("Which rules: strict, common or paper.")
_Nodes = Arg("The largest e-graph.", low=1, hidden=True)
_Iterations = Arg("The most rounds of growth.", low=1, hidden=True)
_Seconds = Arg("The longest growth, in seconds of work.", low=0, hidden=True)


@dataclass(frozen=True, slots=True)
class WalkEgraph:
    """Grow the e-graph of an expression and print its classes, the root first, each with its nodes."""

    expr: Annotated[str, Arg("Infix, LaTeX or prefix; may begin with -.", metavar="EXPR")]
    assume: AssumeAny = ""
    theory: TheoryName = "reals"
    mode: Annotated[Mode, _Rules] = "strict"
    number: Annotated[int | None, Arg("Only this class.", low=0, name="class")] = None
    nodes: Annotated[int, _Nodes] = Limits().nodes
    iterations: Annotated[int, _Iterations] = Limits().iterations
    time_s: Annotated[float, _Seconds] = Limits().time_s


@dataclass(frozen=True, slots=True)
class Derive:
    """Derive one expression from another: one step per line, each judged against the first."""

    start: Annotated[str, _Expression]
    target: Annotated[
        str | None, Arg("The expression to reach.", shown="the shortest form found", option=False)
    ] = None
    assume: AssumeAny = ""
    rules: OwnRules = None
    theory: TheoryName = "reals"
    mode: Annotated[Mode, _Rules] = "strict"
    nodes: Annotated[int, _Nodes] = Limits().nodes
    iterations: Annotated[int, _Iterations] = Limits().iterations
    time_s: Annotated[float, _Seconds] = Limits().time_s


def egraph(spec: WalkEgraph, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """The e-graph of an expression.

    Returns: head, root, classes ({number: [[label, child, …], …]}), terms ({number: prefix and unicode of the
    smallest term}), stop_reason, iterations, nodes, seconds, fired (matches by rule). Events: as `generate`'s
    of stage `grow`. Raises: ExpressionError; EngineError E454 when there is no such class; `GrowthError`.
    """
    from engines.egen.egraph.process import shared_process
    from engines.egen.theories.own import theory_text

    name = theory_text(spec.theory)
    head = theory_of(name, spec.assume).read(spec.expr)
    theory = theory_of(name, spec.assume, head)
    grown = shared_process().egraph(
        head, mode=spec.mode, limits=_limits(spec), theory=theory, events=events, stop=stop
    )
    numbers = list(grown.classes) if spec.number is None else [spec.number]
    if spec.number is not None and spec.number not in grown.classes:
        raise EngineError(
            f"there is no class {spec.number}",
            remedy=f"They are numbered 0 to {len(grown.classes) - 1}.",
            code="E454",
        )
    terms = {number: grown.smallest(number) for number in numbers}
    return {
        "head": theory.row(head),
        "root": grown.root,
        "classes": {str(n): [[node.label, *node.children] for node in grown.classes[n]] for n in numbers},
        "stop_reason": grown.stop_reason,
        "iterations": grown.iterations,
        "nodes": grown.nodes,
        "seconds": grown.seconds,
        "fired": dict(grown.fired),
        "terms": {
            str(n): {name: theory.row(tree)[name] for name in ("prefix", "unicode")}
            for n, tree in terms.items()
        },
    }


def derive(
    spec: Derive | str, target: str | None = None, *, stop: Stop = never, **settings: Any
) -> dict[str, Any]:
    """How one expression follows from another, or its shortest form from it, one without a derivative if
    there is any.

    Args: spec: or the start, with the target and settings of `Derive`.

    Returns: steps, the first being the start, as rows with `rule` (what made the line, see
    `egraph.derivation.Step`), each judged against the first; none, and `reason`, when no way was found;
    counterexample (x, head, member, difference), where the two differ or the second is undefined.

    >>> found = derive("tan(x)", "-tan(-x)")
    >>> [step["infix"] for step in found["steps"]][-1]
    '-tan(-x)'
    >>> found = derive(Derive("sqrt(x^2)", "x", assume="x > 0"))
    >>> [step["infix"] for step in found["steps"]]
    ['sqrt(x^2)', 'x']
    """
    from engines.egen.egraph.process import shared_process
    from engines.egen.rules.own import checked_rules
    from engines.egen.theories.own import theory_text
    from engines.egen.verification.verify import verdict_row

    spec = Derive(spec, target, **settings) if isinstance(spec, str) else spec
    if spec.rules and spec.theory != "reals":
        raise refused(f"{spec.theory} takes no further rules", "E427", "Leave out --rules.")
    name = theory_text(spec.theory)
    plain = theory_of(name, spec.assume)
    start = plain.read(spec.start)
    wanted = None if spec.target is None else plain.read(spec.target, head=False)
    own = checked_rules(spec.rules) if spec.rules else ""
    theory = theory_of(name, spec.assume, start, *([wanted] if wanted else []), own=own)
    found = shared_process().derive(
        start, wanted, mode=spec.mode, limits=_limits(spec), theory=theory, stop=stop
    )
    steps = [
        {**theory.row(step.tree), **verdict_row(step.verdict), "rule": step.rule} for step in found.steps
    ]
    example = found.counterexample
    document = {"steps": steps, "reason": found.reason, "counterexample": example and example.to_dict()}
    return Shown(
        document,
        lambda: [{**step, "expression": Tex(step["latex"])} for step in steps],
        ("expression", "verdict", "rule"),
        title=found.reason,
        latex=lambda: chain(step["latex"] for step in steps),
    )


def _limits(spec: WalkEgraph | Derive) -> Limits:
    return Limits(iterations=spec.iterations, nodes=spec.nodes, time_s=spec.time_s)
