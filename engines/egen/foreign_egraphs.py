"""E-graphs of egg, egglog and Herbie as an operation: counted exactly, members drawn, kept as a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.spec import Arg, refused

if TYPE_CHECKING:
    from engines.egen.egraph.serialized import Serialized

_FEW = 20
_MOST_DIFFERENT = 1_000


@dataclass(frozen=True, slots=True)
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
            raise refused(what, "E424", "Ask for fewer, or for --order uniform without --out.")


def extract(spec: Extract) -> dict[str, Any]:
    """The terms of a class of a serialized e-graph.

    Returns: file, class, classes and nodes (of the whole), repeated (see `egraph.serialized.Serialized`),
    smallest (nodes of the smallest term, None where none ends), counts (pairs of a size and how many terms
    have it), total, members (term as s-expression, and size), clusters (classes that it is made of, itself
    among them, with several terms). Raises: DataError E300 for what is no such file; EngineError E454 for no
    such class, E452 for a folder that holds something else.
    """
    from engines.egen.egraph.serialized import read_serialized
    from engines.egen.theories.terms import s_expression

    graph = read_serialized(spec.file)
    root = graph.root(spec.number)
    counts = graph.counts(root, spec.max_size)
    draw = graph.uniform if spec.order == "uniform" else graph.different
    members = draw(root, spec.max_size, spec.members, spec.seed) if spec.members else []
    several = [name for name in graph.reachable(root) if sum(graph.counts(name, spec.max_size)) > 1]
    if spec.out is not None:
        _keep(graph, several, spec)
    return {
        "file": str(spec.file),
        "class": root,
        "classes": len(graph.classes),
        "nodes": graph.nodes,
        "repeated": graph.repeated,
        "smallest": graph.smallest(root),
        "counts": [[size, count] for size, count in enumerate(counts) if count],
        "total": sum(counts),
        "members": [{"term": s_expression(tree), "size": len(tree)} for tree in members],
        "clusters": len(several),
    }


def _keep(graph: Serialized, names: Sequence[str], spec: Extract) -> None:
    """Write classes as a corpus, each by its smallest term and others."""
    from engines.core.build import ResumableBuild
    from engines.egen.corpus.assemble import assemble
    from engines.egen.corpus.build import Plan, other_folder, refuse_other_folder, versions
    from engines.egen.corpus.shards import BLOCK, GrownHead, write_shard
    from engines.egen.corpus.sources import Head, Source
    from engines.egen.records import EgenConfig, Member, Verdict
    from engines.egen.theories.terms import s_expression

    assert spec.out is not None
    if any((spec.out / name).exists() for name in ("manifest.json", "plan.json")):
        raise other_folder(spec.out, "this folder holds a corpus already")
    refuse_other_folder(spec.out)
    grown: list[GrownHead] = []
    heads: list[Head] = []
    for name in names:
        counts = graph.counts(name, spec.max_size)
        terms = graph.different(name, spec.max_size, 1 + max(1, spec.members), spec.seed)
        texts = list(map(s_expression, terms))
        rows = tuple(Member(text, Verdict("undecided", 1.0)) for text in texts)
        nodes = len(graph.classes[name])
        grown.append(GrownHead(len(grown), rows, "saturated", 0, nodes, 1, str(sum(counts))))
        heads.append(Head(texts[0], "foreign", name, len(terms[0])))
    config = EgenConfig(
        members=max(1, spec.members), max_tokens=spec.max_size, seed=spec.seed, theory="terms", mode="paper"
    )
    with ResumableBuild(spec.out).lock("E453"):
        shards = {}
        for block in range(-(-len(grown) // BLOCK)):
            stored = write_shard(spec.out / "shards", block, grown[block * BLOCK : (block + 1) * BLOCK])
            shards[block] = spec.out / "shards" / stored.name
        plan = Plan(Source(spec.file.name, tuple(heads)), config, "", versions()).to_dict()
        assemble(spec.out, {**plan, "origin": "extracted"}, heads, shards, seed=spec.seed, merge=False)
