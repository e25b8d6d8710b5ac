"""Training of an encoder of MathAMR graphs, without judgements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.spec import read
from engines.mathamr.training.contrast import Contrast
from engines.mathamr.training.graph_data import GraphVocabulary
from engines.mathamr.training.settings import CODE, GraphSettings
from engines.mathamr.training.structures import Structure

if TYPE_CHECKING:
    import numpy as np

    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.formula_index import FormulaIndex


def graph_encoder(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> GraphTask:
    """The trainer `mathamr.graphs`: `data.collection`, and, if there is one, `data.index`. `data.backbone` is
    an encoder to begin with, whose labels it keeps."""
    return GraphTask(read(GraphSettings, model, place="model.", code=CODE), data, seed)


class GraphTask(Contrast):
    """An encoder of MathAMR graphs, which learns from formulas in their contexts; in the equal graph a part
    of the concepts is hidden too."""

    settings: GraphSettings
    trainer, vocabulary = "mathamr.graphs", GraphVocabulary
    title = "Encoder of MathAMR graphs"
    what = "Encodes a formula in its context by the graph of both, so that renamed formulas lie close."
    limits = (
        "Graphs come from the built-in AMR parser, which is approximate; the same one must make the queries.",
        "It has learnt from no judgement which contexts belong together.",
    )
    use = '"(f / find-01 :arg1 (v / value :math (V1 / x :mark target)))"'

    def sources(self, folder: ArqmathFolder) -> tuple[Path, ...]:
        """The tables of formulas, and the posts."""
        return (*folder.latex_tables, *(() if folder.posts is None else (folder.posts,)))

    def texts(self, index: FormulaIndex, draw: np.random.Generator) -> list[str]:
        """The graph of one formula of each look that has a context."""
        from engines.mathamr.retrieval.strings import Strings

        formulas = index.formulas.select(["id", "field", "look"]).to_pylist()
        one_of = {row["look"]: row["id"] for row in formulas if row["field"] >= 0}
        chosen = [one_of[look] for look in draw.permutation(sorted(one_of)).tolist()]
        return Strings(index, "graph", self.settings.window).of_formulas(
            chosen[: self.settings.formulas or None]
        )

    def equal(self, one: Structure, draw: np.random.Generator) -> Structure:
        """With other letters, and in a context of which a part is unknown."""
        return self._prepared[0].equal(one, draw, self.settings.hidden)
