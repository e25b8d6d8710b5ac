"""Training of an encoder of operator trees, without judgements."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.spec import read
from engines.mathamr.training.contrast import Contrast
from engines.mathamr.training.settings import CODE, TreeSettings
from engines.mathamr.training.tree_data import TreeVocabulary

if TYPE_CHECKING:
    import numpy as np

    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.formula_index import FormulaIndex


def tree_encoder(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> TreeTask:
    """The trainer `mathamr.trees`: `data.collection`, and, if there is one, `data.index`. `data.backbone` is
    an encoder to begin with, whose labels it keeps."""
    return TreeTask(read(TreeSettings, model, place="model.", code=CODE), data, seed)


class TreeTask(Contrast):
    """An encoder of operator trees, which learns from the looks of a collection."""

    trainer, vocabulary = "mathamr.trees", TreeVocabulary
    title = "Encoder of operator trees"
    what = "Encodes a formula by its operator tree, so that renamed and commuted formulas lie close."
    limits = (
        "What a formula is about is not known to it: letters are interchangeable, text plays no part.",
        "Formulas that are equal by algebra, and not by renaming and commuting, need not lie close.",
    )
    use = r'r"\frac{a}{b}"'

    def sources(self, folder: ArqmathFolder) -> tuple[Path, ...]:
        """The tables of formulas; without them the posts."""
        posts = () if folder.posts is None or folder.latex_tables else (folder.posts,)
        return (*folder.latex_tables, *posts)

    def texts(self, index: FormulaIndex, draw: np.random.Generator) -> list[str]:
        """The LaTeX of the looks."""
        latex: list[str] = index.looks["latex"].to_pylist()
        draw.shuffle(latex)
        return latex[: self.settings.formulas or None]
