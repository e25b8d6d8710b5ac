"""`mathwb egen corpus|stats|find|import|export|pairs`: whole corpora from the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from engines.core.events import ignore, never
from workbench.cli.common import Json, emit, progress_line, stop_on_interrupt, table

__all__ = ["corpus", "export", "find", "import_", "pairs", "stats"]

Folder = Annotated[Path, typer.Argument(help="A corpus folder.", show_default=False)]
Out = Annotated[Path, typer.Option("--out", help="The corpus folder to write.", show_default=False)]


class Mode(StrEnum):
    """Which members count as equal."""

    strict = "strict"
    common = "common"
    paper = "paper"


class Layout(StrEnum):
    """A published layout."""

    blocks = "blocks"
    jsonl = "jsonl"


class Split(StrEnum):
    """Which clusters are for training."""

    paper = "paper"
    shapes = "shapes"


def corpus(
    out: Out,
    templates: Annotated[
        str | None,
        typer.Option(
            "--templates",
            metavar="all|poly|functions|derivatives|FILE",
            help="What to grow: published templates, or your own expressions, one per line. [default: all]",
        ),
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", min=1, help="Only so many heads, of every kind, by the seed.")
    ] = None,
    members: Annotated[
        int | None, typer.Option("--members", min=1, help="At most so many per head. [default: 120]")
    ] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="The longest member. [default: 25]")
    ] = None,
    mode: Annotated[
        Mode | None, typer.Option("--mode", help="What counts as equal. [default: strict]")
    ] = None,
    padding: Annotated[
        bool | None, typer.Option("--padding/--no-padding", help="Allow * 1, + 0 … [default: no padding]")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", min=1, help="Processes. [default: one per processor]")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="Chooses the members. [default: 0]")
    ] = None,
    detach: Annotated[bool, typer.Option("--detach", help="Build it in the background, as a job.")] = False,
    as_json: Json = False,
) -> None:
    """Build a corpus of clusters, or finish the one that was begun in the folder.

    What is not given is taken from the corpus that was begun there. Ctrl-C stops gently: finished shards
    stay, and the same command goes on from them. A second Ctrl-C kills.
    """
    from workbench.tasks.egen import corpus as build
    from workbench.tasks.egen import corpus_params

    params = corpus_params(
        {
            "out": str(out),
            "templates": templates,
            "sample": sample,
            "members": members,
            "max_tokens": max_tokens,
            "mode": mode and mode.value,
            "padding": padding,
            "workers": workers,
            "seed": seed,
        }
    )
    if detach:
        _submit(params, as_json)
        return
    built = build(params, events=progress_line("corpus"), stop=stop_on_interrupt())
    emit(built, as_json, text=_built(built))
    if not built["complete"]:
        raise typer.Exit(130)


def _submit(params: dict[str, Any], as_json: bool) -> None:
    from workbench.jobs import JobSpec, submit
    from workbench.workspace import Workspace

    name = Path(params["out"]).name
    seed = int(params.pop("seed"))
    job = submit(Workspace.open(), JobSpec("egen.corpus", f"egen corpus {name}", params, seed))
    text = f"job {job.id} builds {params['out']}; follow it with: mathwb jobs tail {job.id}"
    emit({"job": job.id, "out": params["out"]}, as_json, text=text)


def _built(built: Mapping[str, Any]) -> list[str]:
    if not built["complete"]:
        return [
            f"stopped after {built['heads_done']:,} of {built['heads']:,} heads; the same command goes on"
        ]
    lines = [f"{built['clusters']:,} clusters, {built['expressions']:,} expressions in {built['out']}"]
    if built["bad_lines"]:
        lines.append(f"lines that could not be read: {built['bad_lines']:,}")
    return lines + [f"left out: {head['head']} ({head['reason']})" for head in built["skipped"]]


def stats(folder: Folder, as_json: Json = False) -> None:
    """Statistics of a corpus, beside the paper's Table 3."""
    from engines.egen.stats import corpus_stats

    found = corpus_stats(folder)
    emit(found, as_json, text=_statistics(found))


def _statistics(found: Mapping[str, Any]) -> list[str]:
    paper = found["paper"]
    rows: list[tuple[str, object, object]] = [
        ("operators", found["operators"], paper["operators"]),
        ("clusters", found["clusters"], ""),
        ("expressions", found["expressions"], ""),
        ("cluster size, mean", found["mean_cluster_size"], paper["mean_cluster_size"]),
        ("members per head, mean", found["mean_members_per_head"], ""),
        ("tokens, mean", found["mean_tokens"], paper["mean_tokens"]),
        ("tokens in training notation, mean", found["mean_training_tokens"], ""),
        ("training pairs", found["split"]["pairs"], paper["pairs"]),
        ("training triplets", found["split"]["triplets"], paper["triplets"]),
        (
            "validation expressions",
            found["split"]["validation"]["expressions"],
            paper["validation_expressions"],
        ),
        (
            "validation expressions, shapes held out",
            found["split_by_shape"]["validation"]["expressions"],
            "",
        ),
        ("heads merged into an equal one", found["merged_heads"], ""),
        ("heads left out", len(found["skipped"]), ""),
    ]
    lines = table(("", "here", "paper"), rows)
    shares = ", ".join(f"{name} {share:.2%}" for name, share in found["verdicts"].items() if share)
    ends = ", ".join(f"{name} {count:,}" for name, count in found["stop_reasons"].items())
    return [*lines, "", f"verdicts     {shares}", f"growth ended {ends}"]


def find(
    folder: Folder,
    expression: Annotated[
        list[str],
        typer.Argument(metavar="EXPR", help="Infix or prefix; may begin with -.", show_default=False),
    ],
    as_json: Json = False,
) -> None:
    """The cluster of a corpus that holds a function, in whatever form it is written."""
    from workbench.tasks.egen import find as search

    found = search({"corpus": str(folder), "expr": " ".join(expression)}, events=ignore, stop=never)
    emit(found, as_json, text=_matches(found))


def _matches(found: Mapping[str, Any]) -> list[str]:
    if not found["matches"]:
        return [f"no cluster holds {found['unicode']}"]
    rows = [
        (
            match["cluster"],
            match["unicode"],
            match["verdict"],
            "another form" if match["member"] is None else f"member {match['member']}",
        )
        for match in found["matches"]
    ]
    return table(("cluster", "head", "verdict", "there as"), rows)


def import_(
    file: Annotated[Path, typer.Argument(help="Clusters in E-Gen's published layout.", show_default=False)],
    out: Out,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of verification and splits.")] = 0,
    as_json: Json = False,
) -> None:
    """Make a corpus of published clusters; every member is judged against its head."""
    from dataclasses import asdict

    from engines.egen.published import import_published

    made = import_published(file, out, seed=seed, events=progress_line("import"), stop=stop_on_interrupt())
    built = {"out": str(out), "complete": True, **asdict(made)}
    emit({"out": str(out), **asdict(made)}, as_json, text=_built(built))


def export(
    folder: Folder,
    file: Annotated[Path, typer.Argument(help="The file to write; .gz compresses.", show_default=False)],
    layout: Annotated[
        Layout, typer.Option("--layout", help="Blocks of lines, or JSON lines.")
    ] = Layout.blocks,
    as_json: Json = False,
) -> None:
    """Write the clusters of a corpus in E-Gen's published layout."""
    from engines.egen.corpus import open_corpus
    from engines.egen.published import export_published

    count = export_published(open_corpus(folder), file, layout=layout.value)
    emit({"file": str(file), "clusters": count}, as_json, text=f"{count:,} clusters in {file}")


def pairs(
    folder: Folder,
    triplets: Annotated[bool, typer.Option("--triplets", help="Anchor, positive and negative.")] = False,
    split: Annotated[Split, typer.Option("--split", help="Whose training side.")] = Split.paper,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Chooses the order.")] = 0,
    start: Annotated[int, typer.Option("--start", min=0, help="Position to begin at.")] = 0,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="At most so many.")] = None,
    as_jsonl: Annotated[bool, typer.Option("--jsonl", help="JSON lines instead of tabs.")] = False,
) -> None:
    """Stream training pairs (or triplets) in shuffled order, one per line."""
    from itertools import islice

    from engines.egen.corpus import open_corpus
    from engines.egen.pairs import stream_pairs, stream_triplets

    stream = stream_triplets if triplets else stream_pairs
    rows = stream(open_corpus(folder), split=split.value, seed=seed, start=start)
    for row in islice(rows, limit):
        print(json.dumps(row) if as_jsonl else "\t".join(row))
