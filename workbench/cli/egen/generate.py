"""`mathwb egen generate EXPR`: expressions equal to one, each verified."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engines.core.events import Event
from engines.egen.records import MAX_MEMBERS, MAX_TOKENS
from workbench.cli.common import Json, emit, progress_line, say, stop_on_interrupt, table

if TYPE_CHECKING:
    from engines.egen.records import Cluster

__all__ = ["generate"]

SHOWN = 40


class Notation(StrEnum):
    """How EXPR is written; auto tries prefix first."""

    auto = "auto"
    prefix = "prefix"
    infix = "infix"


class Strictness(StrEnum):
    """Which members count; see docs/egen.md."""

    strict = "strict"
    common = "common"
    paper = "paper"


def generate(
    expression: Annotated[
        list[str],
        typer.Argument(metavar="EXPR", help="Infix or prefix; may begin with -.", show_default=False),
    ],
    notation: Annotated[Notation, typer.Option("--notation", help="How EXPR is written.")] = Notation.auto,
    members: Annotated[
        int, typer.Option("--members", min=1, max=MAX_MEMBERS, help="How many are wanted.")
    ] = 1_000,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=1, max=MAX_TOKENS, help="Longest member.")
    ] = 25,
    mode: Annotated[
        Strictness, typer.Option("--mode", help="strict: equal wherever EXPR is defined.")
    ] = Strictness.strict,
    padding: Annotated[bool, typer.Option("--padding", help="Allow * 1, + 0, double negation …")] = False,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Chooses members and points.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Also write the JSON document to this file.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Grow an e-graph from an expression, draw equal expressions from it and verify each one."""
    from engines.egen.child import GrowthChild
    from engines.egen.notation import check_head, read
    from engines.egen.records import EgenConfig

    head = read(" ".join(expression), notation.value)
    check_head(head)
    config = EgenConfig(members=members, max_tokens=max_tokens, mode=mode.value, padding=padding, seed=seed)
    with GrowthChild() as child:
        cluster = child.generate(head, config, events=_progress(), stop=stop_on_interrupt())
    document = _document(cluster)
    if out is not None:
        from engines.core.files import write_json

        write_json(out, document)
    emit(document, as_json, text=_text(document))
    if not as_json and len(cluster.members) > SHOWN:
        say(f"{len(cluster.members) - SHOWN:,} more; --json lists all")
    if cluster.stats.stop_reason == "stopped":
        raise typer.Exit(130)


def _progress() -> Any:
    """The line on stderr: members as they come; iterations carry no total and are not shown."""
    line = progress_line("generate")

    def sink(event: Event) -> None:
        if event.kind != "progress" or event.data.get("stage") == "members":
            line(event)

    return sink


def _document(cluster: Cluster) -> dict[str, Any]:
    from engines.egen.language import prefix
    from engines.egen.notation import infix

    stats = cluster.stats
    return {
        "head": prefix(cluster.head),
        "members": [
            {
                "prefix": member.prefix,
                "infix": infix(member.tree),
                "tokens": member.tokens,
                "verdict": member.verdict.outcome,
                "kept": member.verdict.kept,
            }
            for member in cluster.members
        ],
        "stats": {
            "stop_reason": stats.stop_reason,
            "iterations": stats.iterations,
            "nodes": stats.nodes,
            "classes": stats.classes,
            "grow_s": round(stats.grow_s, 4),
            "sample_s": round(stats.sample_s, 4),
            "verify_s": round(stats.verify_s, 4),
            "total_members": stats.total_members,
            "dropped": dict(stats.dropped),
            "suspects": list(stats.suspects),
        },
    }


def _text(document: dict[str, Any]) -> Iterator[str]:
    rows = [
        (row["tokens"], row["verdict"], f"{row['kept']:.0%}", row["infix"])
        for row in document["members"][:SHOWN]
    ]
    yield from table(["tokens", "verdict", "kept", "member"], rows)
    stats = document["stats"]
    yield ""
    yield (
        f"{len(document['members']):,} members of {stats['total_members']:,} terms; "
        f"growth: {stats['stop_reason']}, {stats['nodes']:,} nodes in {stats['classes']:,} classes; "
        f"{stats['grow_s']:.2f} s grown, {stats['sample_s']:.2f} s drawn, {stats['verify_s']:.2f} s verified"
    )
    if stats["dropped"]:
        yield "left out: " + ", ".join(f"{count:,} {reason}" for reason, count in stats["dropped"].items())
