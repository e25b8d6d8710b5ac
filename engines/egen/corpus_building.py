"""Building a corpus, or finishing one: what may be asked for, and what is taken from a begun one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

from engines.core import machine
from engines.core.events import Sink, Stop, ignore, never
from engines.core.spec import Arg, refused, share_of
from engines.egen.choices import Weights
from engines.egen.records import CORPUS_CONFIG, MAX_MEMBERS, MAX_TOKENS, Mode, Style, style_of
from engines.egen.weights import canonical_weights

if TYPE_CHECKING:
    from engines.egen.corpus.build import Built

T = TypeVar("T")
__all__ = ["BuildCorpus", "build_corpus", "settled"]


@dataclass(frozen=True, slots=True)
class BuildCorpus:
    """Build a corpus of clusters, or finish the one that was begun in the folder.

    What is not given is taken from the corpus that was begun there. Ctrl-C stops gently: finished shards
    stay, and the same command goes on from them. A second Ctrl-C kills.
    """

    out: Annotated[Path, Arg("The corpus folder to write.", option=True, writes=True)]
    templates: Annotated[
        str | None,
        Arg(
            "What to grow: published templates, or your own expressions, one per line, of x or of several "
            "variables. [default: all]",
            metavar="all|poly|functions|derivatives|FILE",
        ),
    ] = None
    sample: Annotated[int | None, Arg("Only so many heads, of every kind, by the seed.", low=1)] = None
    members: Annotated[
        int | None, Arg("At most so many per head. [default: 120]", low=1, high=MAX_MEMBERS)
    ] = None
    max_tokens: Annotated[int | None, Arg("The longest member. [default: 25]", low=1, high=MAX_TOKENS)] = None
    mode: Annotated[Mode | None, Arg("What counts as equal. [default: strict]")] = None
    style: Annotated[
        Style | None,
        Arg(
            "plain: without detours such as tan(acot u). distinct: one of sin(3-u), -sin(u-3). any: all. "
            "[default: plain; any for paper]"
        ),
    ] = None
    weights: Weights = None
    assume: Annotated[
        str | None,
        Arg("What holds of variables in all heads: x > 0, n integer.", shown="nothing", words=True),
    ] = None
    padding: Annotated[bool | None, Arg("Allow * 1, + 0 … [default: no padding]")] = None
    nodes: Annotated[int | None, Arg("The largest e-graph of a head. [default: 1000]", low=1)] = None
    share: Annotated[
        str | None,
        Arg(
            "Grow only the shards of one share, as 3/16 the third of sixteen, and assemble nothing.",
            shown="all, assembled",
        ),
    ] = None
    workers: Annotated[int | None, Arg("Processes. [default: one per processor]", low=1)] = None
    seed: Annotated[int | None, Arg("Chooses the members. [default: 0]", low=0)] = None

    def __post_init__(self) -> None:
        """Refuse far more processes than there are processors, and a share that is none. Raises: EngineError
        E424."""
        share_of(self.share)
        if self.workers is not None and self.workers > 4 * (cores := machine.processors()):
            raise refused(f"workers is {self.workers}, and this machine has {cores} cores", "E424")


def settled(spec: BuildCorpus) -> BuildCorpus:
    """The spec with nothing left open: from the plan of a begun corpus, by default otherwise."""
    from engines.egen.assumptions import read_assumptions
    from engines.egen.corpus.sources import source_name

    config, templates = CORPUS_CONFIG, spec.templates
    if (spec.out / "plan.json").exists():
        from engines.egen.corpus.build import saved_plan

        config = saved_plan(spec.out).config
    else:
        config = replace(config, style=style_of(spec.mode or config.mode))
        templates = templates or "all"
    names = ("members", "max_tokens", "mode", "style", "weights", "assume", "padding", "seed")
    found = {name: getattr(config, name) for name in names}
    found |= {"nodes": config.limits.nodes, "workers": machine.processors()}
    left_open = {name: value for name, value in found.items() if getattr(spec, name) is None}
    if spec.weights is not None:
        left_open["weights"] = canonical_weights(spec.weights)
    if spec.assume is not None:
        left_open["assume"] = str(read_assumptions(spec.assume))
    return replace(spec, **left_open, templates=templates and source_name(templates))


def build_corpus(spec: BuildCorpus, *, events: Sink = ignore, stop: Stop = never) -> Built:
    """Build a corpus, or finish the one that was begun in its folder.

    Raises: EngineError E451 for templates that are neither a name nor a file, E452 for a folder that was
    begun with other settings, E453 when another build is at work there; DataError when it cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     built = build_corpus(BuildCorpus(Path(folder) / "few", "poly", sample=2, members=5))
    >>> built.clusters
    2
    """
    from engines.egen.corpus.build import build_corpus as build
    from engines.egen.corpus.build import saved_plan
    from engines.egen.corpus.sources import open_source, sample
    from engines.egen.records import EgenConfig, Limits

    spec = settled(spec)
    if spec.templates is None:
        source = saved_plan(spec.out).source
    else:
        source = open_source(spec.templates)
        if spec.sample is not None:
            source = sample(source, spec.sample, _given(spec.seed))
    config = EgenConfig(
        members=_given(spec.members),
        max_tokens=_given(spec.max_tokens),
        mode=_given(spec.mode),
        padding=_given(spec.padding),
        seed=_given(spec.seed),
        limits=Limits(nodes=_given(spec.nodes)),
        style=_given(spec.style),
        weights=_given(spec.weights),
        assume=_given(spec.assume),
    )
    return build(
        source,
        spec.out,
        config,
        workers=_given(spec.workers),
        share=share_of(spec.share),
        events=events,
        stop=stop,
    )


def _given(value: T | None) -> T:
    """A setting that `settled` has filled in."""
    assert value is not None
    return value
