"""The tasks of E-Gen: what screens, jobs and commands ask of the engine, JSON-able in and out.

An expression comes as text in `params["expr"]` (infix or prefix, see `notation`) and goes out as a row:
prefix, infix, unicode, latex, tokens, and its verdict where it has one. Texts are plain; who shows them
escapes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop
from engines.core.tree import Tree
from engines.egen.language import prefix, read_prefix
from engines.egen.notation import infix, latex, read, unicode_infix
from engines.egen.records import MAX_MEMBERS, MAX_TOKENS, Cluster, EgenConfig, Limits, Verdict

__all__ = [
    "cluster",
    "corpus",
    "corpus_params",
    "curve",
    "derive",
    "egraph",
    "explain",
    "find",
    "generate",
    "save",
    "stats",
    "verify",
]


def generate(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """The cluster of an expression, members told as they are found.

    Params: expr, notation (auto|prefix|infix), members, max_tokens, mode, padding, seed, and nodes,
    iterations, time_s to limit growth. Events: `progress` with stage `grow` (nodes, classes, seconds; step =
    iteration) and with stage `members` (done, total, rows: those that came). Returns: head and members as
    rows, stats, config.
    """
    head = _head(params)
    config = _config(EgenConfig(), params)

    def told(event: Event) -> None:
        found = event.data.get("members")
        if isinstance(found, list):
            rows = [_expression(read_prefix(text)) for text in found]
            event = replace(event, data={**event.data, "members": len(rows), "rows": rows})
        events(event)

    from engines.egen.generate import generate as grow

    return _cluster(grow(head, config, grower=_grower(config.mode), events=told, stop=stop))


def verify(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """Judge members against a head. Params: expr, notation, members (texts), seed. Returns: head, members."""
    from engines.egen.verify import Verifier

    head = _head(params)
    trees = [read(text, params.get("notation", "auto")) for text in params["members"]]
    verdicts = Verifier(head, seed=int(params.get("seed", 0))).check(trees)
    rows = [_judged(tree, verdict) for tree, verdict in zip(trees, verdicts, strict=True)]
    return {"head": _expression(head), "members": rows}


def egraph(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """The e-graph of an expression, for walking.

    Params: expr, notation, mode, nodes, iterations, time_s. Returns: root, classes ({number: [[label, child,
    …], …]}), terms ({number: prefix and unicode of the smallest term}), stop_reason, iterations, nodes,
    seconds, fired.
    """
    head = _head(params)
    config = _config(EgenConfig(), params)

    def told(progress: Any) -> None:
        data = {"stage": "grow", "nodes": progress.nodes, "classes": progress.classes}
        events(Event("progress", data, progress.iteration))

    grown = _grower(config.mode).grow(head, config.limits, on_iteration=told, stop=stop)
    terms = {}
    for number in grown.classes:
        tree = grown.smallest(number)
        terms[str(number)] = {"prefix": prefix(tree), "unicode": unicode_infix(tree)}
    return {"head": _expression(head), **grown.to_dict(), "terms": terms}


def explain(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """Why a member was judged as it was. Params: expr (the head), member, notation, seed."""
    from engines.egen.explain import explain as case

    head = _head(params)
    member = read(params["member"], params.get("notation", "auto"))
    return case(head, member, seed=int(params.get("seed", 0)))


def curve(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """Values for a plot. Params: exprs (texts), notation, low, high, count."""
    from engines.egen.explain import curve as values

    trees = [read(text, params.get("notation", "auto")) for text in params["exprs"]]
    return values(trees, float(params["low"]), float(params["high"]), int(params["count"]))


def derive(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """How one expression follows from another. Params: expr, member (where it leads; without it, to the
    shortest form in the e-graph of `expr`, one without a derivative if there is any), notation, mode.

    Returns: steps, the first being `expr`, as rows with `rule`, judged against the first; none, and `reason`,
    when no way was found.
    """
    from engines.egen.derivation import derive as search

    start, config = _head(params), _config(EgenConfig(), params)
    if "member" in params:
        target = read(params["member"], params.get("notation", "auto"))
    else:
        target = _shortest(start, config, stop)
        if target == start:
            return {"steps": [], "reason": "No shorter form of it was found."}
    found = search(start, target, mode=config.mode, stop=stop)
    steps = [{**_judged(step.tree, step.verdict), "rule": step.rule} for step in found.steps]
    return {"steps": steps, "reason": found.reason}


def _shortest(head: Tree, config: EgenConfig, stop: Stop) -> Tree:
    """The shortest term of its e-graph's root, one without a derivative before any with one."""
    grown = _grower(config.mode).grow(head, config.limits, stop=stop)
    terms: list[Tree] = [head, *(grown.term(node) for node in grown.classes[grown.root])]

    def cost(tree: Tree) -> tuple[bool, int, str]:
        labels = [part.label for part in tree]
        return "d" in labels, len(labels), prefix(tree)

    return min(terms, key=cost)


def corpus_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of `corpus` with nothing left open, for a job's recipe.

    What is not given is taken from the plan in `out` when a corpus was begun there, and by default otherwise.
    """
    from engines.egen.build import CORPUS_CONFIG, saved_plan
    from engines.egen.templates import Selection

    out = Path(params["out"]).absolute()
    given = {name: value for name, value in params.items() if value is not None}
    config = CORPUS_CONFIG
    if (out / "plan.json").exists():
        config = saved_plan(out).config
    elif "templates" not in given:
        given["templates"] = "all"
    if given.get("templates", "all") not in get_args(Selection):
        given["templates"] = str(Path(given["templates"]).absolute())
    settings = {name: getattr(config, name) for name in ("members", "max_tokens", "mode", "padding", "seed")}
    settings["nodes"] = config.limits.nodes
    return {"workers": _processors(), **settings, **given, "out": str(out)}


def corpus(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Build a corpus, or finish the one that was begun in its folder.

    Params: out, templates (a name or a file; not needed to finish), sample (only so many of their heads),
    members, max_tokens, mode, padding, nodes, seed, workers.
    Returns: how it ended (see `engines.egen.build.Built`) and `out`.
    """
    from engines.egen.build import CORPUS_CONFIG, build_corpus, saved_plan
    from engines.egen.sources import open_source, sample

    resolved = corpus_params(params)
    out = Path(resolved["out"])
    begun = saved_plan(out) if (out / "plan.json").exists() else None
    config = _config(begun.config if begun else CORPUS_CONFIG, resolved)
    if begun and "templates" not in resolved:
        source = begun.source
    else:
        source = open_source(resolved["templates"])
        if "sample" in resolved:
            source = sample(source, int(resolved["sample"]), config.seed)
    built = build_corpus(source, out, config, workers=int(resolved["workers"]), events=events, stop=stop)
    return {"out": str(out), **asdict(built), "bad_lines": len(source.bad_lines)}


def cluster(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """The members of a stored cluster. Params: corpus (folder), cluster (number).

    Returns: the cluster's row of the table of clusters, and `members`: rows with their number, 0 the head.
    """
    from engines.egen.corpus import open_corpus

    found = open_corpus(Path(params["corpus"]))
    number = int(params["cluster"])
    rows = [
        {
            "member": row["member"],
            **_expression(read_prefix(row["prefix"])),
            "verdict": row["verdict"],
            "kept": row["kept"],
            "gained": row["gained"],
        }
        for row in found.members(number).to_pylist()
    ]
    return {**found.clusters().slice(number, 1).to_pylist()[0], "members": rows}


def stats(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """The statistics of a corpus. Params: corpus (folder)."""
    from engines.egen.stats import corpus_stats

    return corpus_stats(Path(params["corpus"]))


def find(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """Which clusters hold a function. Params: corpus (folder), expr, notation.

    Returns: the expression, and `matches`: cluster, head, verdict of the expression against the head, and the
    member it is, if it is one.
    """
    from engines.egen.corpus import open_corpus

    tree = _head(params)
    matches = [
        {
            "cluster": match.cluster,
            "head": match.head,
            "unicode": unicode_infix(read_prefix(match.head)),
            "member": match.member,
            **_verdict(match.verdict),
        }
        for match in open_corpus(Path(params["corpus"])).find(tree)
    ]
    return {**_expression(tree), "matches": matches}


def save(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """Keep a generated cluster in a corpus of saved ones; one with the same head is replaced.

    Params: out (the folder of that corpus), generated (what `generate` returned, or its head, stats and those
    of its members that are to be kept, and its config unless that is the usual one).
    Returns: out and cluster, the number it has there.
    """
    from engines.egen.saved import save_cluster
    from engines.egen.shards import GrownHead, Row

    generated = params["generated"]
    members = [
        Row(row["prefix"], row["tokens"], row["verdict"], row["kept"], row["gained"])
        for row in generated["members"]
    ]
    head = generated["head"]
    known = generated["stats"]
    grown = GrownHead(
        0,
        (Row(head["prefix"], head["tokens"], "equal", 1.0, False), *members),
        stop_reason=known["stop_reason"],
        iterations=known["iterations"],
        nodes=known["nodes"],
        classes=known["classes"],
        total_members=str(known["total_members"]),
    )
    given = generated.get("config", {})
    config = _config(EgenConfig(), {**given, **given.get("limits", {})})
    return {"out": params["out"], "cluster": save_cluster(Path(params["out"]), grown, config)}


@lru_cache(maxsize=1)
def _grower(mode: Any) -> Any:
    """The rules of a mode, loaded once and kept while they are the ones asked for."""
    from engines.egen.growth import Grower

    return Grower(mode)


def _processors() -> int:
    from workbench.jobs.devices import cpus

    return cpus()


def _head(params: Mapping[str, Any]) -> Tree:
    from engines.egen.notation import check_head

    tree = read(str(params["expr"]), params.get("notation", "auto"))
    check_head(tree)
    return tree


_LIMITS = ("nodes", "iterations", "time_s")
_SETTINGS = ("members", "max_tokens", "mode", "padding", "seed")


def _config(base: EgenConfig, params: Mapping[str, Any]) -> EgenConfig:
    """The configuration with what the parameters say, checked."""
    limits: Limits = replace(base.limits, **{name: params[name] for name in _LIMITS if name in params})
    config = replace(base, limits=limits, **{name: params[name] for name in _SETTINGS if name in params})
    for name, most in (("members", MAX_MEMBERS), ("max_tokens", MAX_TOKENS)):
        if not 1 <= (value := getattr(config, name)) <= most:
            raise EngineError(
                f"{name} is {value:,}",
                remedy=f"Choose a number from 1 to {most:,}.",
                code="E457",
                exit_code=2,
            )
    if config.mode not in ("strict", "common", "paper"):
        raise EngineError(
            f"{config.mode!r} is not a mode",
            remedy="Choose strict, common or paper.",
            code="E457",
            exit_code=2,
        )
    return config


def _expression(tree: Tree) -> dict[str, Any]:
    return {
        "prefix": prefix(tree),
        "infix": infix(tree),
        "unicode": unicode_infix(tree),
        "latex": latex(tree),
        "tokens": len(tree),
    }


def _judged(tree: Tree, verdict: Verdict) -> dict[str, Any]:
    return {**_expression(tree), **_verdict(verdict)}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    from engines.egen.verify import verdict_row

    return verdict_row(verdict)


def _cluster(found: Cluster) -> dict[str, Any]:
    return {
        "head": _expression(found.head),
        "members": [_judged(member.tree, member.verdict) for member in found.members],
        "stats": asdict(found.stats),
        "config": asdict(found.config),
    }
