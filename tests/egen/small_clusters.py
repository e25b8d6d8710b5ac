"""A few clusters of equal expressions, written down by hand, and vectors that know the functions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engines.core.events import Sink, Stop, ignore, never
from engines.egen.corpus.same_functions import POINTS, compute_fingerprints
from engines.retrieval.dense import Vectors, normalize_rows

_FORMS = {
    "sin": (
        "cos - {u} / pi 2",
        "/ 1 csc {u}",
        "* -1 sin * -1 {u}",
        "- 0 sin - 0 {u}",
        "sqrt - 1 pow cos {u} 2",
    ),
    "cos": ("sin + {u} / pi 2", "/ 1 sec {u}", "cos * -1 {u}", "cos - 0 {u}", "- 1 * 2 pow sin / {u} 2 2"),
    "tan": ("/ sin {u} cos {u}", "/ 1 cot {u}", "* -1 tan * -1 {u}", "tan + {u} pi", "* sin {u} sec {u}"),
    "tanh": ("/ sinh {u} cosh {u}", "/ 1 coth {u}", "* -1 tanh * -1 {u}", "* sinh {u} sech {u}"),
}
_ARGUMENTS = {"+ * 3 x 5": "+ 5 * x 3", "- x 4": "+ x -4", "* 7 x": "* x 7", "/ x 6": "* x / 1 6"}


def clusters() -> list[list[str]]:
    """16 clusters, a head and up to 10 members; the square root is no equal member and is left out."""
    found = []
    for name, forms in _FORMS.items():
        for argument, other in _ARGUMENTS.items():
            patterns = ["{f} {u}", *(form for form in forms if not form.startswith("sqrt"))]
            texts = [p.format(f=name, u=u) for p in patterns for u in (argument, other)]
            found.append(texts)
    return found


def write_clusters(path: Path) -> Path:
    """In E-Gen's JSON layout."""
    rows = [{"cluster": n, "source": "hand", "head": c[0], "exprs": c} for n, c in enumerate(clusters())]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


class Oracle:
    """Embeds an expression as its values at fixed points: equal functions get equal vectors."""

    name = "oracle"
    dimension = len(POINTS)

    def encode(
        self, texts: Sequence[str], *, normalise: bool = True, events: Sink = ignore, stop: Stop = never
    ) -> Vectors:
        prints = compute_fingerprints([text.split() for text in texts])
        found = np.nan_to_num(np.where(prints > 9e3, 5.0, prints)).astype(np.float32)
        return normalize_rows(found) if normalise else found


class Bag:
    """Embeds an expression as the counts of its tokens: knows the writing and nothing of the meaning."""

    name = "bag"
    dimension = 97

    def encode(
        self, texts: Sequence[str], *, normalise: bool = True, events: Sink = ignore, stop: Stop = never
    ) -> Vectors:
        found = np.zeros((len(texts), 97), np.float32)
        for row, text in enumerate(texts):
            for token in text.split():
                found[row, sum(map(ord, token)) % 97] += 1
        return normalize_rows(found) if normalise else found


def random_model(folder: Path) -> Path:
    """A model folder of random weights that both embeds and writes."""
    import torch

    from engines.egen.models.config import ModelConfig
    from engines.egen.models.model_folder import save_model
    from engines.egen.models.transformer import new_model

    torch.manual_seed(0)
    sizes = ModelConfig(d_model=32, heads=4, ffn=64, layers=1, decoder_layers=1, pooling="max")
    save_model(new_model(sizes), folder)
    return folder
