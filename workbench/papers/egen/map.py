"""Maps of embeddings as files: pictures, and tables with a note of where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.events import Sink, Stop, ignore, never
from engines.core.files import refuse_other
from engines.core.spec import Arg
from engines.egen.models.lookup import ModelFolder
from engines.egen.models.map import Arrange
from workbench.errors import UsageError

__all__ = ["DrawMap", "KeepMap", "draw", "keep"]


@dataclass(frozen=True, slots=True)
class DrawMap(Arrange):
    """Draw the 17 families of single functions as the paper's Figure 3 does, or the clusters of a corpus."""

    file: Annotated[
        Path | None,
        Arg("Where to write: .svg, .png or .csv.", name="out", shown="the places, printed", writes=True),
    ] = None

    def __post_init__(self) -> None:
        """Refuse a kind of file that is not written. Raises: UsageError E430, EngineError E427."""
        Arrange.__post_init__(self)
        if self.file is not None and self.file.suffix not in (".svg", ".png", ".csv"):
            raise UsageError(
                f"{self.file.name} is neither .svg nor .png nor .csv",
                code="E430",
                remedy="Choose another --out.",
            )


@dataclass(frozen=True, slots=True)
class KeepMap:
    """Arrange a corpus by t-SNE and keep it, so that its map is there at once."""

    model: ModelFolder
    out: Annotated[Path, Arg("The folder for map.svg and map.csv.", option=True, writes=True)]
    data: Annotated[Path | None, Arg("What to show.", ref="corpus", shown="the sample")] = None
    what: Annotated[Literal["tsne", "families"], Arg("All clusters, or the 17 families.")] = "tsne"
    seed: Annotated[int, Arg("Of t-SNE.", low=0)] = 0


def draw(
    spec: DrawMap, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """As `engines.egen.models.map.arrange`, with `file`, which is written."""
    from engines.egen.models.map import arrange

    found = arrange(spec, cache=cache, events=events, stop=stop)
    if spec.file is not None and found["points"] is not None:
        _write(spec.file, found)
    return {**found, "file": None if spec.file is None else str(spec.file)}


def keep(
    spec: KeepMap, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Returns: points (how many), and file, the picture."""
    from engines.egen.models.map import arrange

    wanted = Arrange(spec.model, spec.data, clusters=spec.what != "families", seed=spec.seed)
    refuse_other(spec.out, "map.csv")
    found = arrange(wanted, cache=cache, events=events, stop=stop)
    spec.out.mkdir(parents=True, exist_ok=True)
    for name in ("map.svg", "map.csv"):
        _write(spec.out / name, found)
    return {"points": len(found["exprs"]), "file": str(spec.out / "map.svg")}


def _write(path: Path, found: Mapping[str, Any]) -> None:
    """Write the map as a picture or as a table, as its name ends."""
    from engines.core.drawn import write_drawing

    texts, names, points = found["exprs"], found["names"], found["points"]
    if path.suffix == ".csv":
        from workbench.export import write_table

        clusters = found.get("clusters", [""] * len(texts))
        rows = ((c, n, t, *p) for c, n, t, p in zip(clusters, names, texts, points, strict=True))
        facts = {name: found[name] for name in ("model", "method", "left_out") if name in found}
        write_table(path, ("cluster", "name", "prefix", "x", "y"), rows, provenance=facts)
        return
    import numpy as np

    from engines.retrieval.plane import picture

    ways = {"tsne": "t-SNE", "pca": "PCA"}
    what = "clusters" if "clusters" in found else "expressions"
    title = f"{found['model']}: {len(texts):,} {what}, {ways[found['method']]}"
    write_drawing(path, picture(np.array(points, np.float32), names, title), width=1_660)
