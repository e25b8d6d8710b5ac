"""Problems laid out in a plane by the vectors of a solver (Figure 4 of the paper)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import EngineError
from engines.core.spec import Arg, refused
from engines.mwp.problems.readers import read_problems
from engines.retrieval.plane import Method, refuse_idle_seed

__all__ = ["ArrangeProblems", "arrange_problems"]


@dataclass(frozen=True, slots=True)
class ArrangeProblems:
    """Lay the problems of the commonest equations out in a plane, by the vectors of a solver."""

    model: Annotated[Path, Arg("A solver: its folder, or the name of one.", ref="solver")]
    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    templates: Annotated[int, Arg("How many equations; the paper shows 5.", low=1, high=40)] = 5
    before: Annotated[bool, Arg("By the encoder as it was before the training.")] = False
    method: Annotated[Method, Arg("t-SNE as in the paper, or PCA.")] = "tsne"
    seed: Annotated[int, Arg("Of t-SNE.", low=0)] = 0
    file: Annotated[
        Path | None, Arg("Draw it there, as .svg.", name="out", shown="the places, printed", writes=True)
    ] = None

    def __post_init__(self) -> None:
        """Raises: EngineError E430 for another kind of picture, E427 for a seed of PCA."""
        refuse_idle_seed(self.method, self.seed)
        if self.file is not None and self.file.suffix != ".svg":
            raise refused(f"{self.file.name} is no .svg", "E430", "Choose another --out.")


def arrange_problems(spec: ArrangeProblems) -> dict[str, Any]:
    """Points [[x, y], …] with the ids and equations of the problems.

    Raises: EngineError E645 where no problem has an equation, or a solver from scratch has no `before`;
    DataError E680 for a folder without a solver.
    """
    from engines.core.files import write_text
    from engines.mwp.evaluations.evaluate import title
    from engines.mwp.solver.solve import ready
    from engines.retrieval.encoders import BUILT_IN, encoder
    from engines.retrieval.plane import picture, plane

    usable = read_problems(spec.data).usable
    common = [name for name, _ in Counter(row.template for row in usable).most_common(spec.templates)]
    rows = [row for row in usable if row.template in common]
    solver = ready(spec.model)
    if not rows or (spec.before and solver.base != BUILT_IN):
        what = "no problem here has an equation" if not rows else "the solver was not begun from MiniLM"
        raise EngineError(what, code="E645", exit_code=2, remedy="Choose other data, or leave --before out.")
    if spec.before:
        vectors = encoder(BUILT_IN).encode([row.original for row in rows], normalise=False)
    else:
        vectors = solver.vectors(rows)
    points = plane(vectors, spec.method, seed=spec.seed)
    names = [row.template for row in rows]
    if spec.file is not None:
        state = "before training" if spec.before else "trained"
        write_text(spec.file, picture(points, names, f"{title(spec.data)}, {spec.model.name}, {state}"))
    return {
        "model": spec.model.name,
        "method": spec.method,
        "before": spec.before,
        "points": points.tolist(),
        "ids": [row.id for row in rows],
        "templates": names,
        "file": None if spec.file is None else str(spec.file),
    }
