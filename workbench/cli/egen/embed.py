"""`mathwb egen embed`, `nearest`, `analogy` and `map`: vectors, neighbours, sums and a picture of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.common import Json, emit, progress_line, stop_on_interrupt, table
from workbench.errors import UsageError

__all__ = ["analogy", "embed", "map_", "nearest"]

Model = Annotated[
    str,
    typer.Argument(help="A folder (of sentence-transformers too), or a model's name.", show_default=False),
]
Corpus = Annotated[
    str | None,
    typer.Option(
        "--corpus", metavar="DIR", help="A corpus or a file of clusters.", show_default="the sample"
    ),
]
Count = Annotated[int, typer.Option("-k", "--count", min=1, help="How many.")]


class Method(StrEnum):
    """How vectors come to lie in a plane."""

    pca = "pca"
    tsne = "tsne"


def embed(
    model: Model,
    file: Annotated[Path, typer.Argument(help="One expression a line, prefix or infix.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option("--out", help="Where to write: .npy or .parquet.", show_default="FILE.npy")
    ] = None,
    as_json: Json = False,
) -> None:
    """Embed a file of expressions: one row of numbers each, in the order of the lines."""
    from workbench.tasks.egen_models import embed as run

    target = out or file.with_name(file.name + ".npy")
    if target.suffix not in (".npy", ".parquet"):
        raise UsageError(
            f"{target.name} is neither .npy nor .parquet", code="E430", remedy="Choose another --out."
        )
    params = {"model": model, "source": str(file), "file": str(target)}
    found = run(params, events=progress_line("embed"), stop=stop_on_interrupt())
    text = f"{found['rows']:,} vectors of {found['dimension']} numbers in {found['file']}"
    emit(found, as_json, text=text)


def nearest(
    model: Model,
    expression: Annotated[
        list[str],
        typer.Argument(metavar="EXPR", help="Infix or prefix; may begin with -.", show_default=False),
    ],
    corpus: Corpus = None,
    count: Count = 10,
    as_json: Json = False,
) -> None:
    """The expressions of a corpus that lie nearest to one, and whether they are equal to it."""
    from workbench.tasks.egen_explore import nearest as run

    params = {"model": model, "expr": " ".join(expression), "count": count}
    if corpus is not None:
        params["data"] = corpus
    found = run(params, events=progress_line("embed"), stop=stop_on_interrupt())
    emit(found, as_json, text=_neighbours(found))


def _neighbours(found: Mapping[str, Any]) -> list[str]:
    rows = [
        (f"{each['cosine']:.4f}", each.get("verdict", ""), _address(each), each["unicode"])
        for each in found["neighbours"]
    ]
    return table(("cosine", "verdict", "cluster", f"nearest to {found['unicode']}"), rows)


def _address(hit: Mapping[str, Any]) -> str:
    """`412.37`: cluster and member; what is of no corpus has none."""
    return "" if hit["cluster"] is None else f"{hit['cluster']}.{hit['member']}"


def analogy(
    model: Model,
    x1: Annotated[str, typer.Argument(help="x1 is to …", show_default=False)],
    y1: Annotated[str, typer.Argument(help="… y1 as …", show_default=False)],
    x2: Annotated[str, typer.Argument(help="… x2 is to what?", show_default=False)],
    expected: Annotated[
        str | None,
        typer.Option("--expected", metavar="EXPR", help="What would be right.", show_default=False),
    ] = None,
    corpus: Corpus = None,
    count: Count = 10,
    as_json: Json = False,
) -> None:
    """Solve x1 : y1 :: x2 : ? by adding and subtracting vectors, and say whether the answer is right.

    Candidates are the expressions of a corpus and those of the analogies that `egen eval algebra` measures.
    """
    from workbench.tasks.egen_explore import analogy as run

    params = {"model": model, "x1": x1, "y1": y1, "x2": x2, "count": count}
    params |= {name: text for name, text in (("expected", expected), ("data", corpus)) if text is not None}
    found = run(params, events=progress_line("embed"), stop=stop_on_interrupt())
    emit(found, as_json, text=_hits(found))


def _hits(found: Mapping[str, Any]) -> Iterator[str]:
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


def map_(
    model: Model,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="Where to write: .svg, .png or .csv.", show_default="the places, printed"),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="FILE|CORPUS", help="What to show.", show_default="the sample"),
    ] = None,
    clusters: Annotated[
        bool, typer.Option("--clusters", help="All clusters by their heads, not the 17 families.")
    ] = False,
    method: Annotated[Method, typer.Option("--method", help="t-SNE as in the paper, or PCA.")] = Method.tsne,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of t-SNE.")] = 0,
    as_json: Json = False,
) -> None:
    """Draw the 17 families of single functions as the paper's Figure 3 does, or the clusters of a corpus."""
    from workbench.tasks.egen_explore import map_ as run

    if out is not None and out.suffix not in (".svg", ".png", ".csv"):
        raise UsageError(
            f"{out.name} is neither .svg nor .png nor .csv", code="E430", remedy="Choose another --out."
        )
    params: dict[str, Any] = {"model": model, "method": method.value, "seed": seed, "clusters": clusters}
    params |= {name: str(value) for name, value in (("data", data), ("file", out)) if value is not None}
    found = run(params, events=progress_line("embed"), stop=stop_on_interrupt())
    emit(found, as_json, text=_drawn(found, out))


def _drawn(found: Mapping[str, Any], out: Path | None) -> Iterator[str]:
    if out is None:
        numbers = found.get("clusters", [""] * len(found["exprs"]))
        rows = (
            (number, name, f"{x:.4f}", f"{y:.4f}", text)
            for number, name, (x, y), text in zip(
                numbers, found["names"], found["points"], found["exprs"], strict=True
            )
        )
        yield from table(("cluster", "name", "x", "y", "expression"), rows)
    elif "clusters" in found:
        yield f"{len(found['points']):,} clusters in {out}"
    else:
        yield f"{len(found['points']):,} expressions of {len(set(found['names']))} families in {out}"
