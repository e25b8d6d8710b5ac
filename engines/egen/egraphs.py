"""E-graphs to look at: the classes of one, derivations found in one, and those of egg, egglog and Herbie."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.notebook_display import Shown, Tex, align_chain
from engines.core.spec import Arg, make_refusal, specification
from engines.egen.settings import (
    AssumeAny,
    EgenConfig,
    IterationLimit,
    Limits,
    Mode,
    NodeLimit,
    OwnRules,
    TheoryName,
    TimeLimit,
)
from engines.egen.theories.registry import theory_of, theory_text
from engines.mathematics.verification.verdicts import MemberVerdict

if TYPE_CHECKING:
    from engines.egen.egraph.serialized import SerializedEgraph

_Expression = Arg("Infix, LaTeX or prefix; may begin with -.")
_Rules = Arg("Which rules: strict, common or paper.")


@specification
class WalkEgraph:
    """Grow the e-graph of an expression and print its classes, the root first, each with its nodes."""

    expr: Annotated[str, Arg("Infix, LaTeX or prefix; may begin with -.", metavar="EXPR")]
    assume: AssumeAny = ""
    theory: TheoryName = "reals"
    mode: Annotated[Mode, _Rules] = "strict"
    number: Annotated[int | None, Arg("Only this class.", low=0, name="class")] = None
    nodes: NodeLimit = Limits().nodes
    iterations: IterationLimit = Limits().iterations
    time_s: TimeLimit = Limits().time_s


@specification
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
    nodes: NodeLimit = Limits().nodes
    iterations: IterationLimit = Limits().iterations
    time_s: TimeLimit = Limits().time_s


def walk_egraph(spec: WalkEgraph, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Return the e-graph of an expression.

    Returns:
        Head, root, classes ({number: [[label, child, …], …]}), terms ({number: prefix and unicode of the
        smallest term}), stop_reason, iterations, nodes, seconds, fired (matches by rule).

    Events:
        As `generate`'s of stage `grow`.

    Raises:
        ExpressionError: .
        EngineError: E454 when there is no such class; `GrowthError`.
    """
    from engines.egen.egraph.process import shared_process

    theory_record = theory_text(spec.theory)
    # The theory depends on the variables of the head, so it is read twice.
    head = theory_of(theory_record, spec.assume).read_term(spec.expr)
    theory = theory_of(theory_record, spec.assume, head)
    grown = shared_process().egraph(
        head, mode=spec.mode, limits=_make_limits(spec), theory=theory, events=events, stop=stop
    )
    numbers = list(grown.classes) if spec.number is None else [spec.number]
    if spec.number is not None and spec.number not in grown.classes:
        raise EngineError(
            f"there is no class {spec.number}",
            remedy=f"They are numbered 0 to {len(grown.classes) - 1}.",
            code="E454",
        )
    terms = {number: grown.smallest_term(number) for number in numbers}
    return {
        "head": theory.to_row(head),
        "root": grown.root,
        "classes": {str(n): [[node.label, *node.children] for node in grown.classes[n]] for n in numbers},
        "stop_reason": grown.stop_reason,
        "iterations": grown.iterations,
        "nodes": grown.nodes,
        "seconds": grown.seconds,
        "fired": dict(grown.fired),
        "terms": {
            str(n): {
                theory_record: theory.to_row(tree)[theory_record] for theory_record in ("prefix", "unicode")
            }
            for n, tree in terms.items()
        },
    }


def derive(
    spec: Derive | str, target: str | None = None, *, stop: Stop = never, **settings: Any
) -> dict[str, Any]:
    """Return how one expression follows from another, or its shortest form from it, one without a derivative
    if there is any.

    Args:
        spec: Or the start, with the target and settings of `Derive`.

    Returns:
        Steps, the first being the start, as rows with `rule` (what made the line, see
        `records.DerivationStep`), each judged against the first; none, and `reason`, when no way was found;
        counterexample (x, head, member, difference), where the two differ or the second is undefined.

    >>> found = derive("tan(x)", "-tan(-x)")
    >>> [step["infix"] for step in found["steps"]][-1]
    '-tan(-x)'
    >>> found = derive(Derive("sqrt(x^2)", "x", assume="x > 0"))
    >>> [step["infix"] for step in found["steps"]]
    ['sqrt(x^2)', 'x']
    """
    from engines.egen.egraph.process import shared_process
    from engines.mathematics.verification.verdicts import verdict_row

    spec = Derive(spec, target, **settings) if isinstance(spec, str) else spec
    if spec.rules and spec.theory != "reals":
        raise make_refusal(f"{spec.theory} takes no further rules", "E427", "Leave out --rules.")
    name = theory_text(spec.theory)
    base_theory = theory_of(name, spec.assume)
    start = base_theory.read_term(spec.start)
    target_tree = None if spec.target is None else base_theory.read_term(spec.target, head=False)
    own_rule_text = ""
    # The user's rules are checked first, and become part of the theory.
    if spec.rules:
        from engines.egen.rules.user_rules import checked_rules

        own_rule_text = checked_rules(spec.rules)
    theory = theory_of(name, spec.assume, start, *([target_tree] if target_tree else []), own=own_rule_text)
    result = shared_process().derive(
        start, target_tree, mode=spec.mode, limits=_make_limits(spec), theory=theory, stop=stop
    )
    steps = [
        {**theory.to_row(step.tree), **verdict_row(step.verdict), "rule": step.rule} for step in result.steps
    ]
    example = result.counterexample
    document = {"steps": steps, "reason": result.reason, "counterexample": example and example.to_dict()}
    return Shown(
        document,
        lambda: [{**step, "expression": Tex(step["latex"])} for step in steps],
        ("expression", "verdict", "rule"),
        title=result.reason,
        latex=lambda: align_chain(step["latex"] for step in steps),
    )


def _make_limits(spec: WalkEgraph | Derive) -> Limits:
    return Limits(iterations=spec.iterations, nodes=spec.nodes, time_s=spec.time_s)


_FEW = 20
_MOST_DIFFERENT = 1_000


@specification
class Extract:
    """Count the terms of a class of an e-graph that egg, egglog or Herbie wrote, and draw some of them.

    The file is JSON of egraph-serialize. Counts by size are exact, also where the class is in a cycle.
    """

    file: Annotated[Path, Arg("JSON of egraph-serialize.", metavar="FILE")]
    number: Annotated[
        str | None,
        Arg("The class, by its id or egglog's name.", shown="the root", name="class", metavar="ID"),
    ] = None
    members: Annotated[int, Arg("How many members.", low=0, high=10_000)] = _FEW
    order: Annotated[
        Literal["different", "uniform"],
        Arg("different: each as unlike those before it as can be. uniform: all equally likely."),
    ] = "different"
    max_size: Annotated[int, Arg("The largest term, in nodes.", low=1, high=200)] = 15
    seed: Annotated[int, Arg("Seed for the members.", low=0)] = 0
    out: Annotated[
        Path | None,
        Arg("Also write every class with several terms as a cluster of a corpus folder.", writes=True),
    ] = None

    def __post_init__(self) -> None:
        if self.members > _MOST_DIFFERENT and (self.order == "different" or self.out):
            what = f"members is {self.members:,}, and at most {_MOST_DIFFERENT:,} are told apart"
            raise make_refusal(what, "E424", "Ask for fewer, or for --order uniform without --out.")


def extract(spec: Extract) -> dict[str, Any]:
    """Return the terms of a class of a serialized e-graph.

    Returns:
        File, class, classes and nodes (of the e-graph), repeated (see `egraph.serialized.SerializedEgraph`),
        smallest (nodes of the smallest term, None where none ends), counts (pairs of a size and how many
        terms have it), total, members (term as s-expression, and size), clusters (classes that it is made
        of, itself among them, with several terms).

    Raises:
        DataError: E300 for what is no such file.
        EngineError: E454 for no such class, E452 for a folder that holds something else.
    """
    from engines.egen.egraph.serialized import read_serialized
    from engines.egen.theories.terms import s_expression

    graph = read_serialized(spec.file)
    root = graph.find_root_class(spec.number)
    counts = graph.count_terms(root, spec.max_size)
    draw = graph.sample_uniformly if spec.order == "uniform" else graph.sample_different
    members = draw(root, spec.max_size, spec.members, spec.seed) if spec.members else []
    several = [name for name in graph.list_reachable(root) if sum(graph.count_terms(name, spec.max_size)) > 1]
    if spec.out is not None:
        _write_corpus(graph, several, spec)
    return {
        "file": str(spec.file),
        "class": root,
        "classes": len(graph.classes),
        "nodes": graph.nodes,
        "repeated": graph.repeated,
        "smallest": graph.smallest_size(root),
        "counts": [[size, count] for size, count in enumerate(counts) if count],
        "total": sum(counts),
        "members": [{"term": s_expression(tree), "size": len(tree)} for tree in members],
        "clusters": len(several),
    }


def _write_corpus(graph: SerializedEgraph, names: Sequence[str], spec: Extract) -> None:
    """Write classes as a corpus, each by its smallest term and others."""
    from engines.core.build import ResumableBuild
    from engines.egen.corpora import write_shards
    from engines.egen.corpus.assemble import assemble
    from engines.egen.corpus.build import Plan, library_versions, other_folder, refuse_other_folder
    from engines.egen.corpus.folder import GrownHead, StoredMember
    from engines.egen.corpus.sources import HeadSource, SourceHead
    from engines.egen.theories.terms import s_expression

    assert spec.out is not None
    # Keep folders apart: a corpus is never written over another one.
    if any((spec.out / name).exists() for name in ("manifest.json", "plan.json")):
        raise other_folder(spec.out, "this folder holds a corpus already")
    refuse_other_folder(spec.out)
    grown: list[GrownHead] = []
    heads: list[SourceHead] = []
    for name in names:
        counts = graph.count_terms(name, spec.max_size)
        terms = graph.sample_different(name, spec.max_size, 1 + max(1, spec.members), spec.seed)
        texts = list(map(s_expression, terms))
        rows = tuple(StoredMember(text, MemberVerdict("undecided", 1.0)) for text in texts)
        nodes = len(graph.classes[name])
        grown.append(GrownHead(len(grown), rows, "saturated", 0, nodes, 1, str(sum(counts))))
        heads.append(SourceHead(texts[0], "foreign", name, len(terms[0])))
    config = EgenConfig(
        members=max(1, spec.members), max_tokens=spec.max_size, seed=spec.seed, theory="terms", mode="paper"
    )
    with ResumableBuild(spec.out).lock("E453"):
        shards = write_shards(spec.out / "shards", grown)
        plan = Plan(HeadSource(spec.file.name, tuple(heads)), config, "", library_versions()).to_dict()
        assemble(spec.out, {**plan, "origin": "extracted"}, heads, shards, seed=spec.seed, merge=False)
