"""What people read on the command line of models: evaluations, vectors, neighbours, maps, derivations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from engines.egen.records import told_apart, where
from workbench.cli.common import table
from workbench.operation import Aside

if TYPE_CHECKING:
    from engines.egen.corpus.build_semembed import BuildSemembed
    from engines.egen.models.embed import Embed, Embedded
    from engines.egen.models.vectors import Indexed
    from workbench.papers.egen.evaluation import EvaluateRow
    from workbench.papers.egen.map import DrawMap

__all__ = [
    "analogy",
    "check",
    "draw_map",
    "embed",
    "evaluate",
    "index",
    "nearest",
    "rewrite",
    "semembed",
    "semvec",
]

_SHOWN_MISTAKES = 5


def embed(found: Embedded, _spec: Embed) -> Iterator[str]:
    """Where the vectors are."""
    if found.bad_lines:
        yield Aside(f"lines without a vector, which are rows of nan: {found.bad_lines:,}")
    if found.share:
        yield f"share {found.share}: {found.rows:,} vectors; without --share all is put together"
        return
    yield f"{found.rows:,} vectors of {found.dimension} numbers in {found.file}"


def index(found: Indexed, _spec: object) -> Iterator[str]:
    """How many expressions have vectors."""
    if found.left_out:
        yield Aside(f"expressions that the model cannot read: {found.left_out:,}")
    if found.share:
        vectors = found.expressions + found.clusters
        yield f"share {found.share}: {vectors:,} vectors; without --share all is put together"
        return
    yield f"{found.expressions:,} expressions of {found.clusters:,} clusters have vectors"


def nearest(found: Mapping[str, Any], _spec: object) -> list[str]:
    """Neighbours with their verdicts."""
    rows = [
        (f"{each['cosine']:.4f}", each.get("verdict", ""), _address(each), each["unicode"])
        for each in found["neighbours"]
    ]
    return table(("cosine", "verdict", "cluster", f"nearest to {found['unicode']}"), rows)


def _address(hit: Mapping[str, Any]) -> str:
    """`412.37`: cluster and member; what is of no corpus has none."""
    return "" if hit["cluster"] is None else f"{hit['cluster']}.{hit['member']}"


def analogy(found: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """What was asked, and the hits."""
    asked = " : ".join(found[name]["unicode"] for name in ("x1", "y1"))
    yield f"{asked}  ::  {found['x2']['unicode']} : ?"
    if found["expected"] is not None:
        place, other = found["place"], found["place_without_echo"]
        where = f"hit {place}" if place else f"none of the {len(found['hits'])} hits"
        more = f", hit {other} without what equals x2" if other not in (place, None) else ""
        yield f"expected {found['expected']['unicode']}: {where}{more}"
    rows = [
        (
            f"{hit['cosine']:.4f}",
            hit["verdict"] or "",
            "equals x2" if hit["echo"] else "",
            _address(hit),
            hit["unicode"],
        )
        for hit in found["hits"]
    ]
    yield from table(("cosine", "verdict", "", "cluster", f"nearest of {found['candidates']:,}"), rows)


def draw_map(found: Mapping[str, Any], spec: DrawMap) -> Iterator[str]:
    """The places, or where the picture is."""
    if spec.file is None:
        numbers = found.get("clusters", [""] * len(found["exprs"]))
        points = found["points"] or []
        rows = (
            (number, name, f"{x:.4f}", f"{y:.4f}", text)
            for number, name, (x, y), text in zip(
                numbers, found["names"], points, found["exprs"], strict=True
            )
        )
        yield from table(("cluster", "name", "x", "y", "expression"), rows)
    elif "clusters" in found:
        yield f"{len(found['points']):,} clusters in {spec.file}"
    else:
        families = len(set(found["names"]))
        yield f"{len(found['points']):,} expressions of {families} families in {spec.file}"


def rewrite(found: Mapping[str, Any], _spec: object) -> list[str]:
    """What was written, best first."""
    rows = [
        (f"{each['score_nats']:.3f}", each["verdict"] or "no expression", each["prefix"] or "")
        for each in found["written"]
    ]
    return table(("nats a token", "verdict", "written"), rows)


def semembed(found: Mapping[str, Any], _spec: BuildSemembed) -> Iterator[str]:
    """What was built."""
    yield f"{found['clusters']:,} clusters, {found['expressions']:,} expressions in {found['out']}"


def semvec(found: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """The figures, and what was asked."""
    rows = [
        (each["name"].replace("_", " "), f"{each['value']:.2f}", "[{:.2f}, {:.2f}]".format(*each["interval"]))
        for each in found["figures"]
    ]
    yield from table((f"score at {found['k']}, %", "here", "95 %"), rows)
    yield (
        f"{found['asked']:,} queries of {found['set']}-{found['queries']} among {found['expressions']:,} "
        f"expressions of {found['classes']:,} classes"
    )


# Derivations


def check(found: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Every derivation with a note on each step that needs one."""
    if found["model"]:
        yield f"{found['model']} suspects a step whose cosine is below {found['threshold']:.4f}"
        if held := found["suspicion"]:
            yield (
                f"{held['precision']:.0f} % of them hold, {held['recall']:.0f} % of mistakes are "
                "suspected (derivations with one mistake each)"
            )
    for number, derivation in enumerate(found["derivations"], 1):
        yield f"derivation {number}: {_verdict(derivation)}"
        for place, step in enumerate(derivation["steps"]):
            note = _note(derivation["transitions"][place - 1]) if place else ""
            yield f"  {place + 1}. {step['infix']}{note}"
    if found["bad"]:
        yield f"derivations that could not be read: {len(found['bad']):,}"


_SAID = {"wrong": "is wrong", "loses domain": "loses domain", "not shown": "is not shown"}


def _verdict(derivation: Mapping[str, Any]) -> str:
    """`step 3 is wrong; step 5 is not shown`: the first of each kind."""
    found = [each["judgement"] for each in derivation["transitions"]]
    parts = [f"step {found.index(kind) + 2} {said}" for kind, said in _SAID.items() if kind in found]
    parts = parts or ["every step is right"]
    flagged = derivation["first_flagged"]
    if flagged is not None and flagged != derivation["first_wrong"]:
        parts.append(f"the embeddings suspect step {flagged + 2}")
    return "; ".join(parts)


def _note(transition: Mapping[str, Any]) -> str:
    parts = []
    example, judgement = transition["counterexample"], transition["judgement"]
    if judgement == "right":
        parts += [transition["reason"]] if transition["verdict"] != "equal" or transition["except"] else []
    elif example:
        shown = told_apart(example["head"], example["member"], example["difference"], digits=6)
        at = where(example["x"], example.get("at"), digits=4)
        parts.append(f"{judgement.upper()}: at {at}: {' becomes '.join(shown)}")
    else:
        parts.append(f"{judgement.upper()}: {transition['reason']}")
    if transition["cosine"] is not None:
        parts.append(f"cosine {transition['cosine']:.3f}" + (", suspicious" if transition["flagged"] else ""))
    return f"   [{'; '.join(parts)}]" if parts else ""


# Evaluations


def evaluate(found: Mapping[str, Any], spec: EvaluateRow) -> Iterator[str]:
    """Figures beside the paper's, the setting, and the costliest mistakes."""
    if "kept" in found:
        yield Aside(f"kept in {found['kept']}")
    papers = list(dict.fromkeys(name for figure in found["figures"] for name in figure["paper"]))
    rows = [
        (
            figure["name"],
            figure["protocol"],
            f"{figure['value']:.2f}",
            "[{:.2f}, {:.2f}]".format(*figure["interval"]),
            *(f"{figure['paper'][name]:.2f}" if name in figure["paper"] else "" for name in papers),
        )
        for figure in found["figures"]
    ]
    yield f"{found['task']}: {found['model']} on {found['data']}"
    yield from table(("measure, %", "protocol", "here", "95 %", *(f"paper {name}" for name in papers)), rows)
    yield ""
    yield from _setting(found["setting"])
    if families := found["setting"].get("by_family"):
        yield ""
        columns = ("family", "analogies", "paper, %", "any form, %")
        yield from table(columns, [(name, n, f"{a:.1f}", f"{b:.1f}") for name, (n, a, b) in families.items()])
    if found["mistakes"]:
        yield ""
        yield f"wrong: {found['wrong']:,}; the costliest:"
        columns = ("cost", "query", "expected", "predicted")
        rows = [
            (f"{case['cost']:.4f}", case["query"], case["expected"] or "–", case["predicted"] or "–")
            for case in found["mistakes"][: spec.worst or _SHOWN_MISTAKES]
        ]
        yield from (f"  {line}" for line in table(columns, rows))


def _setting(setting: Mapping[str, Any]) -> Iterator[str]:
    for name, value in setting.items():
        if not isinstance(value, Mapping):
            shown = f"{value:.6g}" if isinstance(value, float) else str(value)
            yield f"{name.replace('_', ' ')}: {shown}"
        elif value and name != "by_family":
            counts = ", ".join(f"{key}: {count:.6g}" for key, count in value.items())
            yield f"{name.replace('_', ' ')}: {counts}"
