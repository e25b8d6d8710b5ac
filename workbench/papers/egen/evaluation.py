"""Evaluations and maps as files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from engines.core.events import Sink, Stop, ignore, never
from engines.core.picture import PaperPlot, check_drawing, dots_figure, write_drawing
from engines.core.spec import Arg, specification
from engines.egen.evaluations.evaluate import Evaluate
from engines.egen.models.embed import Arrange, arrange_embeddings
from workbench.errors import UsageError


@specification
class EvaluateRow(Evaluate):
    """Evaluate a model by the paper's protocol and by a stricter one, with 95 % bootstrap intervals.

    A corpus is evaluated on its validation side. FILE may also be a test set saved by --write. With --llm the
    questions of semantic, mistakes and algebra go to a language model instead; put its key, if it needs one,
    in MATHWB_LLM_KEY. Prompts and answers are cached, and a stopped run continues from them.
    """

    row: Annotated[
        str | None, Arg("Save the result for `mathwb repro` under this row: CL Mean, seq2seq, …", writes=True)
    ] = None
    plot: PaperPlot = None

    def __post_init__(self) -> None:
        Evaluate.__post_init__(self)
        check_drawing(self.plot)


def evaluate_row(
    spec: EvaluateRow, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Evaluate a model, as `engines.egen.evaluations.evaluate.evaluate`, and store the result of a named
    row.

    Returns:
        The result; with a row also `kept`, the file.
    """
    from engines.egen.evaluations.evaluate import evaluate as measure

    result = measure(spec, cache=cache, events=events, stop=stop)
    if spec.plot is not None and cache is not None:
        rows = [
            (
                f"{each['name']}, {each['protocol']}",
                each["value"],
                tuple(each["interval"]),
                next(iter(each["paper"].values()), None),
            )
            for each in result["figures"]
        ]
        dots_figure(spec.plot, rows, f"{result['model']} on {result['data']}, %", "paper", cache=cache)
    return result if spec.row is None else {**result, "kept": str(_save_result(result, spec, spec.row))}


def _save_result(result: Mapping[str, Any], spec: EvaluateRow, row: str) -> Path:
    from engines.core.system import reported_tables
    from workbench.operations import command_line, find_operation
    from workbench.repro import save_result
    from workbench.workspace import Workspace

    values = {
        figure["name"]: {"mean": figure["value"], "low": figure["interval"][0], "high": figure["interval"][1]}
        for figure in result["figures"]
        if figure["protocol"] == "paper"
    }
    table = next(
        table["number"]
        for table in reported_tables("egen")
        if {column["measure"] for column in table["columns"]} <= values.keys()
    )
    return save_result(
        Workspace.open().root,
        "egen",
        table=table,
        row=row,
        values=values,
        setting=f"{result['model']} on {result['data']}, seed {result['seed']}",
        command=command_line(find_operation("egen.eval"), replace(spec, row=None, worst=None, write=None)),
    )


@specification
class DrawMap(Arrange):
    """Draw the 17 families of single functions as the paper's Figure 3 does, or the clusters of a corpus."""

    file: Annotated[
        Path | None,
        Arg("Where to write: .svg, .png or .csv.", name="out", shown="print the coordinates", writes=True),
    ] = None

    def __post_init__(self) -> None:
        Arrange.__post_init__(self)
        if self.file is not None and self.file.suffix not in (".svg", ".png", ".csv"):
            what = f"{self.file.name} is neither .svg nor .png nor .csv"
            raise UsageError(what, code="E430", remedy="Choose another --out.")


def draw_map(
    spec: DrawMap, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Arrange expressions on a map, as `arrange_embeddings` does, and write it to `file`."""
    result = arrange_embeddings(spec, cache=cache, events=events, stop=stop)
    if spec.file is not None and result["points"] is not None:
        _write_drawing(spec.file, result)
    return {**result, "file": None if spec.file is None else str(spec.file)}


def _write_drawing(path: Path, result: Mapping[str, Any]) -> None:
    texts, names, points = result["exprs"], result["names"], result["points"]
    if path.suffix == ".csv":
        from workbench.export import write_table

        clusters = result.get("clusters", [""] * len(texts))
        rows = ((c, n, t, *p) for c, n, t, p in zip(clusters, names, texts, points, strict=True))
        facts = {name: result[name] for name in ("model", "method", "left_out") if name in result}
        write_table(path, ("cluster", "name", "prefix", "x", "y"), rows, provenance=facts)
        return
    import numpy as np

    from engines.retrieval.pictures import draw_labelled_points

    ways = {"tsne": "t-SNE", "pca": "PCA"}
    what = "clusters" if "clusters" in result else "expressions"
    title = f"{result['model']}: {len(texts):,} {what}, {ways[result['method']]}"
    write_drawing(path, draw_labelled_points(np.array(points, np.float32), names, title), width=1_660)
