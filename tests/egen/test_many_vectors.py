"""Vectors of many expressions, in 16 bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engines.egen.models import vectors
from engines.egen.models.encode import encode_many, load_encoder
from tests.egen.small_clusters import random_model

TEXTS = ["sin x", "cos - / pi 2 x", "* 2 * sin x cos x", "x", "+ pow x 2 / x 7"]


@pytest.mark.usefixtures("one_thread")
def test_only_many_expressions_are_encoded_in_16_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    encoder = load_encoder(random_model(tmp_path / "model"), device="cpu")
    exact = encoder.encode(TEXTS)
    assert np.array_equal(encode_many(encoder, TEXTS), exact)
    monkeypatch.setattr("engines.egen.models.model_encoder.half_precision", lambda device: torch.bfloat16)
    monkeypatch.setattr("engines.egen.models.encode.MANY", len(TEXTS) - 1)
    rough = encode_many(encoder, TEXTS)
    assert rough.dtype == np.float32
    assert not np.array_equal(rough, exact)
    assert np.abs(np.linalg.norm(rough, axis=1) - 1).max() < 1e-5
    assert (rough * exact).sum(axis=1).min() > 0.999
    monkeypatch.setattr("engines.egen.models.model_encoder.half_precision", lambda device: None)
    assert np.array_equal(encode_many(encoder, TEXTS), exact)


@pytest.mark.usefixtures("one_thread")
def test_vectors_of_another_precision_are_kept_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    model, kept = random_model(tmp_path / "model"), tmp_path / "kept"
    monkeypatch.setattr("engines.egen.models.encode.MANY", 100)
    found = []
    for kind in (None, torch.bfloat16, None):
        for place in ("engines.core.system", "engines.egen.models.model_encoder"):
            monkeypatch.setattr(f"{place}.half_precision", lambda device, kind=kind: kind)
        vectors._open.clear()
        found.append(np.array(vectors.open_pool(model, None, "heads", cache=kept).vectors))
    assert len(list(kept.glob("*.npy"))) == 2
    assert np.array_equal(found[0], found[2])
