"""`mathwb egen embed`, `nearest` and `map`: vectors, neighbours and a picture of them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from workbench.cli.common import Json, emit, progress_line, stop_on_interrupt, table
from workbench.errors import UsageError

__all__ = ["embed", "map_", "nearest"]

Model = Annotated[
    str,
    typer.Argument(help="A folder (of sentence-transformers too), or a model's name.", show_default=False),
]


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
    from engines.core.errors import DataError
    from engines.core.files import read_lines
    from workbench.tasks.egen_models import embed as run

    target = out or file.with_name(file.name + ".npy")
    if target.suffix not in (".npy", ".parquet"):
        raise UsageError(
            f"{target.name} is neither .npy nor .parquet", code="E430", remedy="Choose another --out."
        )
    lines = [(number, text) for number, text in read_lines(file) if text.strip()]
    if not lines:
        raise DataError("the file holds no expression", path=file, code="E314")
    params = {"model": model, "exprs": [text for _, text in lines], "file": str(target)}
    found = run(params, events=progress_line("embed"), stop=stop_on_interrupt())
    text = f"{found['rows']:,} vectors of {found['dimension']} numbers in {found['file']}"
    emit(found, as_json, text=text)


def nearest(
    model: Model,
    expression: Annotated[
        list[str],
        typer.Argument(metavar="EXPR", help="Infix or prefix; may begin with -.", show_default=False),
    ],
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus", metavar="DIR", help="A corpus or a file of clusters.", show_default="the sample"
        ),
    ] = None,
    count: Annotated[int, typer.Option("-k", "--count", min=1, help="How many.")] = 10,
    as_json: Json = False,
) -> None:
    """The expressions of a corpus that lie nearest to one, and whether they are equal to it."""
    from workbench.tasks.egen_models import nearest as run

    params = {"model": model, "expr": " ".join(expression), "count": count}
    if corpus is not None:
        params["data"] = corpus
    found = run(params, events=progress_line("embed"), stop=stop_on_interrupt())
    emit(found, as_json, text=_neighbours(found))


def _neighbours(found: Mapping[str, Any]) -> list[str]:
    rows = [
        (f"{each['cosine']:.4f}", each["verdict"], each["cluster"], each["unicode"])
        for each in found["neighbours"]
    ]
    return table(("cosine", "verdict", "cluster", f"nearest to {found['unicode']}"), rows)


def map_(
    model: Model,
    out: Annotated[Path, typer.Option("--out", help="The picture: .svg or .png.", show_default=False)],
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="FILE|CORPUS", help="What to show.", show_default="the sample"),
    ] = None,
    method: Annotated[Method, typer.Option("--method", help="t-SNE as in the paper, or PCA.")] = Method.tsne,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of t-SNE.")] = 0,
    as_json: Json = False,
) -> None:
    """Draw the 17 families of single functions as the paper's Figure 3 does."""
    from workbench.tasks.egen_models import map_ as run

    if out.suffix not in (".svg", ".png"):
        raise UsageError(f"{out.name} is neither .svg nor .png", code="E430", remedy="Choose another --out.")
    params: dict[str, Any] = {"model": model, "method": method.value, "seed": seed, "file": str(out)}
    if data is not None:
        params["data"] = data
    found = run(params, events=progress_line("embed"), stop=stop_on_interrupt())
    names = len(set(found["names"]))
    emit(found, as_json, text=f"{len(found['points']):,} expressions of {names} families in {out}")
