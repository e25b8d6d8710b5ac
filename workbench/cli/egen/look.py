"""`mathwb egen show|explain|derive|egraph`: what the E-graphs screen shows, without the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from engines.core.events import ignore, never
from workbench.cli.common import Json, emit, table

__all__ = ["derive", "egraph", "explain", "show"]

SHOWN_CLASSES = 20


def show(
    folder: Annotated[Path, typer.Argument(help="A corpus folder.", show_default=False)],
    cluster: Annotated[int, typer.Argument(help="The cluster's number.", min=0, show_default=False)],
    as_json: Json = False,
) -> None:
    """Print a stored cluster: its head, number 0, and its members with their verdicts."""
    from workbench.tasks import egen

    found = egen.cluster({"corpus": str(folder), "cluster": cluster}, events=ignore, stop=never)
    rows = ([row[name] for name in ("member", "tokens", "verdict", "infix")] for row in found["members"])
    emit(found, as_json, text=table(("member", "tokens", "verdict", "expression"), rows))


def explain(
    head: Annotated[str, typer.Argument(help="Infix or prefix; may begin with -.", show_default=False)],
    member: Annotated[str, typer.Argument(help="What is judged against it.", show_default=False)],
    seed: Annotated[int, typer.Option("--seed", min=0, help="Chooses the points.")] = 0,
    as_json: Json = False,
) -> None:
    """Judge an expression against a head, and say why: domains, values at every point, what fails where."""
    from workbench.tasks import egen

    found = egen.explain({"expr": head, "member": member, "seed": seed}, events=ignore, stop=never)
    emit(found, as_json, text=_case(found))


def _case(found: Mapping[str, Any]) -> Iterator[str]:
    verdict = found["verdict"]
    yield from table(
        ("", ""),
        [
            ("head", f"{found['head']}   defined on {found['head_domain']['text']}"),
            ("member", f"{found['member']}   defined on {found['member_domain']['text']}"),
            ("verdict", f"{verdict['verdict']}, on {verdict['kept']:.0%} of {verdict['points']} points"),
            ("because", found["because"]),
        ],
    )[1:]
    yield ""
    rows = [
        (f"{point['x']:.6g}", _value(point, "head"), _value(point, "member"), _failure(point))
        for point in found["points"]
    ]
    yield from table(("x", "head", "member", "because"), rows)


def _value(point: Mapping[str, Any], name: str) -> str:
    return f"{point[name]:.10g}" if point[f"{name}_state"] == "defined" else point[f"{name}_state"]


def _failure(point: Mapping[str, Any]) -> str:
    return f"{point['why']}, in {point['term']}" if "term" in point else ""


def derive(
    start: Annotated[str, typer.Argument(help="Infix or prefix; may begin with -.", show_default=False)],
    target: Annotated[
        str | None, typer.Argument(help="Where it is to lead.", show_default="the shortest form found")
    ] = None,
    mode: Annotated[str, typer.Option("--mode", help="strict, common or paper: which rules.")] = "strict",
    as_json: Json = False,
) -> None:
    """Say how one expression follows from another: a rule a line, each judged against the first."""
    from workbench.tasks import egen

    params = {"expr": start, "mode": mode} | ({} if target is None else {"member": target})
    found = egen.derive(params, events=ignore, stop=never)
    rows = [(step["verdict"], step["infix"], step["rule"] or "start") for step in found["steps"]]
    lines = table(("verdict", "expression", "rule"), rows) if rows else [f"no derivation: {found['reason']}"]
    emit(found, as_json, text=lines)


def egraph(
    expression: Annotated[
        str, typer.Argument(metavar="EXPR", help="Infix or prefix; may begin with -.", show_default=False)
    ],
    mode: Annotated[str, typer.Option("--mode", help="strict, common or paper: which rules.")] = "strict",
    number: Annotated[int | None, typer.Option("--class", min=0, help="Only this class.")] = None,
    as_json: Json = False,
) -> None:
    """Grow the e-graph of an expression and print its classes, the root first, each with its nodes."""
    from engines.core.errors import EngineError
    from workbench.tasks import egen

    found = egen.egraph({"expr": expression, "mode": mode}, events=ignore, stop=never)
    classes = found["classes"]
    if number is not None and str(number) not in classes:
        raise EngineError(
            f"there is no class {number}",
            remedy=f"They are numbered 0 to {len(classes) - 1}.",
            code="E454",
            exit_code=2,
        )
    root = str(found["root"])
    wanted = [str(number)] if number is not None else [root, *(name for name in classes if name != root)]
    if number is not None:
        found = {**found, **{part: {str(number): found[part][str(number)]} for part in ("classes", "terms")}}
    shown = wanted if number is not None else wanted[:SHOWN_CLASSES]
    emit(found, as_json, text=_classes(found, shown, len(wanted)))


def _classes(found: Mapping[str, Any], shown: list[str], there_are: int) -> Iterator[str]:
    rows = []
    for name in shown:
        nodes = found["classes"][name]
        rows.append((f"c{name}", len(nodes), found["terms"][name]["prefix"], _nodes(nodes)))
    yield from table(("class", "nodes", "smallest term", "is"), rows)
    if there_are > len(shown):
        yield f"… and {there_are - len(shown):,} more classes; --json lists all"


def _nodes(nodes: list[list[Any]]) -> str:
    return ", ".join(" ".join([node[0], *(f"c{child}" for child in node[1:])]) for node in nodes)
