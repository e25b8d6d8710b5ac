"""Encoders without torch give the vectors of torch to 1e-5."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from engines.core.errors import DataError
from engines.core.system import asset
from engines.egen.composed.network import ComposedEncoder, ComposedSizes, new_network, save_network
from engines.egen.models import encode
from engines.egen.models.config import ModelConfig
from engines.egen.models.encode import load_encoder
from engines.egen.models.model_encoder import ModelEncoder
from engines.egen.models.model_folder import save_model
from engines.egen.models.numpy_encoders import composed_encoder, model_encoder
from engines.egen.models.transformer import new_model
from tests.conftest import expect_error

TEXTS = ["x", "+ pow x 2 - * -12 x 304", "sin / x -0.5", "d x acoth x", "* 2.25 pow e - 0 x", "ln abs / 1 x"]
TEXTS += [" ".join([f"+ * {n} pow x {n}" for n in range(2, size)] + ["x"]) for size in (4, 7, 12)]


@pytest.mark.parametrize("name", ["egen-cl-mean", "egen-composed", "egen-both"])
def test_the_encoders_that_ship_give_the_same_vectors(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = asset(f"models/{name}")
    theirs = load_encoder(folder, device="cpu").encode(TEXTS, normalise=False)
    monkeypatch.setattr(encode, "has_torch", lambda: False)
    ours = load_encoder(folder, device="cpu")
    assert np.abs(ours.encode(TEXTS, normalise=False) - theirs).max() < 1e-5
    assert np.abs(ours.encode(TEXTS[:1], normalise=False) - theirs[:1]).max() < 1e-5, "of its own"


@pytest.mark.parametrize(("pooling", "layers"), [("mean", 0), ("max", 0), ("mean", 2)])
def test_trained_ones_do_too(tmp_path: Path, pooling: str, layers: int) -> None:
    torch.manual_seed(3)
    sizes = {"d_model": 24, "heads": 4, "ffn": 40, "layers": 2, "decoder_layers": layers, "max_length": 99}
    model = new_model(ModelConfig.from_table({**sizes, "pooling": pooling})).eval()
    for weight in model.parameters():
        torch.nn.init.normal_(weight, std=0.4)
    save_model(model, tmp_path)
    ours, theirs = model_encoder(tmp_path), ModelEncoder(model)
    assert (ours.dimension, ours.max_length) == (theirs.dimension, theirs.max_length)
    # What makes all states positive, for a maximum, costs digits in the file.
    assert ours.encode(TEXTS, normalise=False) == pytest.approx(
        theirs.encode(TEXTS, normalise=False), abs=2e-5
    )

    network = new_network(ComposedSizes(d_model=12, hidden=8)).eval()
    save_network(network, tmp_path / "composed")
    same = composed_encoder(tmp_path / "composed").encode(TEXTS)
    assert same == pytest.approx(ComposedEncoder(network).encode(TEXTS), abs=1e-5)


def test_folders_that_are_not_whole_are_refused(tmp_path: Path) -> None:
    save_network(new_network(ComposedSizes(d_model=12, hidden=8)), tmp_path)
    stored = load_file(tmp_path / "model.safetensors")
    del stored["of_two"]
    save_file(stored, tmp_path / "model.safetensors")
    for opened in (composed_encoder, model_encoder):
        with pytest.raises(DataError) as caught:
            opened(tmp_path)
        assert caught.value.code == "E642"
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    with expect_error("E642"):
        composed_encoder(tmp_path)
