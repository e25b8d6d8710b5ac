"""The corpus of the SemEmb baseline: equal expressions by SymPy's rewriting, as the EED data set was made.

Each head is given to SymPy's rewriting functions, each with a time limit; what comes back in another form is
a member. The corpus is an ordinary one, so the same models train on it. SymPy works in a process of its own:
it is interrupted by an alarm there, and killed when even that does not help.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import ExpressionError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.expression_language import read_prefix, to_prefix
from engines.core.spec import Arg, specification
from engines.core.tree import Tree
from engines.egen.egraph.process import GrowthError, GrowthProcess, RequestHandler
from engines.egen.settings import Limits

REWRITINGS = (
    *("expand", "factor", "simplify", "together", "apart", "cancel", "trigsimp", "expand_trig", "expand_log"),
    *("powsimp", "logcombine", "radsimp", "rewrite exp", "rewrite sin", "rewrite cos", "rewrite tan"),
    *("rewrite sinh", "rewrite log", "doit"),
)
# Time beyond the limits of the rewritings, before a process that hangs is ended.
_GRACE_S = 5.0
_MAX_LENGTH = 200


@specification
class BuildSemembed:
    """Build the corpus of the SemEmb baseline: equal forms by SymPy's rewriting alone."""

    out: Annotated[Path, Arg("The corpus folder to write.", option=True, writes=True)]
    templates: Annotated[
        str, Arg("What to rewrite.", metavar="all|poly|functions|derivatives|FILE|NAME", ref="expressions")
    ] = "all"
    sample: Annotated[int | None, Arg("Sample this many heads.", low=1)] = None
    time_s: Annotated[float, Arg("Time limit of one rewriting, in seconds.", low=0.1, name="time")] = 2.0
    seed: Annotated[int, Arg("Seed for the sample and the splits.", low=0)] = 0


def resolve_build(spec: BuildSemembed) -> BuildSemembed:
    """Return the specification with the templates resolved to a name or an absolute path."""
    from engines.egen.corpus.sources import source_name

    return replace(spec, templates=source_name(spec.templates))


def build_semembed(spec: BuildSemembed, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Build the corpus of the SemEmb baseline.

    Returns:
        Out, clusters, expressions, without (heads that SymPy wrote in no other way).

    Raises:
        EngineError: E451 for templates that are neither a name nor a file, and as `build`.
    """
    from engines.egen.corpus.sources import open_source, sample_heads

    source = open_source(spec.templates, letters="")
    if spec.sample is not None:
        source = sample_heads(source, spec.sample, spec.seed)
    heads = [read_prefix(head.prefix) for head in source.heads]
    built = build_from_rewritings(
        heads, spec.out, time_s=spec.time_s, seed=spec.seed, events=events, stop=stop
    )
    return {"out": str(spec.out), **asdict(built)}


@dataclass(frozen=True, slots=True)
class RewritingTotals:
    """The sizes of a corpus of rewritings.

    `without` counts the heads that SymPy wrote in no other way.
    """

    clusters: int
    expressions: int
    without: int


def list_rewritings(tree: Tree, *, time_s: float = 2.0) -> list[Tree]:
    """Return other forms of an expression by SymPy's rewriting functions, each once up to the order of
    operands.

    None of them is verified to differ from the expression. It must run in the main thread of a process on
    POSIX, because time is limited by an alarm.

    Args:
        time_s: The limit for one rewriting in seconds; one that takes longer gives nothing.
    """
    import sympy

    from engines.egen.models.datasets import is_usable
    from engines.mathematics.terms.canonical import canonical_key
    from engines.mathematics.terms.symbolic import from_sympy, isolate_sympy, to_sympy
    from engines.mathematics.verification.verifier import Verifier

    # SymPy may run without end, so each call has a limit of time.
    try:
        with isolate_sympy(), _limit_time(time_s):
            start = to_sympy(tree)
    except ExpressionError:
        return []
    seen = {canonical_key(tree)}
    forms: list[Tree] = []
    for name in REWRITINGS:
        try:
            with isolate_sympy(), _limit_time(time_s):
                rewritten = from_sympy(_apply_rewriting(sympy, name, start))
        except ExpressionError:
            continue
        if not is_usable(to_prefix(rewritten), _MAX_LENGTH) or (key := canonical_key(rewritten)) in seen:
            continue
        seen.add(key)
        forms.append(rewritten)
    # The verifier drops forms that SymPy's complex rules made wrong on the reals.
    with suppress(ExpressionError):
        trees = [read_prefix(to_prefix(rewritten)) for rewritten in forms]
        verdicts = Verifier(tree).judge_members(trees)
        return [
            rewritten
            for rewritten, verdict in zip(trees, verdicts, strict=True)
            if verdict.outcome != "different"
        ]
    return []


class _TooLongError(Exception):
    pass


@contextmanager
def _limit_time(seconds: float) -> Iterator[None]:
    def raise_timeout(number: int, frame: object) -> None:  # noqa: ARG001  # the signature of signal handlers
        raise _TooLongError

    before = signal.signal(signal.SIGALRM, raise_timeout)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _apply_rewriting(sympy: Any, name: str, start: Any) -> Any:
    verb, _, target = name.partition(" ")
    if verb == "rewrite":
        return start.doit().rewrite(getattr(sympy, target))
    if verb == "doit":
        return start.doit()
    function: Callable[[Any], Any] = getattr(sympy, verb)
    return function(start.doit())


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    """A request to `list_rewritings` of a tree, for a process that is ended when SymPy hangs."""

    tree: Tree
    time_s: float
    limits: Limits = field(default_factory=Limits)

    @property
    def seconds(self) -> float:
        """The time limit of all rewritings of an expression together, in seconds."""
        return self.time_s * len(REWRITINGS) + _GRACE_S


def serve_rewriting() -> RequestHandler:
    """Return what answers requests in a process of its own."""
    return lambda request, *_: list_rewritings(request.tree, time_s=request.time_s)


def build_from_rewritings(
    heads: Sequence[Tree],
    out: Path,
    *,
    time_s: float = 2.0,
    seed: int = 0,
    events: Sink = ignore,
    stop: Stop = never,
) -> RewritingTotals:
    """Write a corpus folder of heads and their rewritings, every member judged as in any imported corpus."""
    import sympy  # noqa: F401  # the process below would only say that no head has another form

    from engines.egen.corpus.published import PublishedCluster, corpus_of
    from engines.egen.models.datasets import without_log

    def iterate_clusters() -> Iterator[PublishedCluster]:
        with GrowthProcess(serve_rewriting) as process:
            for number, head in enumerate(heads, 1):
                if stop():
                    raise StoppedError("the build was stopped", remedy="Start it again.")
                members: list[Tree] = []
                with suppress(GrowthError):
                    members = process.ask_service(RewriteRequest(without_log(head), time_s))
                if members:
                    yield PublishedCluster(head, tuple(members), "semembed", number)
                events(Event("progress", {"done": number, "total": len(heads), "unit": "heads"}, number))

    made = corpus_of(iterate_clusters(), Path("semembed.jsonl"), out, seed=seed, stop=stop)
    return RewritingTotals(made.clusters, made.expressions, len(heads) - made.clusters)
