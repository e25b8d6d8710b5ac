"""Joined encoders: cosines are the mean of their parts', parts are found, and what is no part is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from engines.core.errors import DataError
from engines.egen.composed.network import ComposedSizes, new_network, save_network
from engines.egen.models.encode import (
    JoinedEncoder,
    cached_encoder,
    encode_many,
    encode_readable,
    list_parts,
    load_encoder,
)
from engines.egen.models.model_folder import shipped_models
from engines.egen.models.vectors import model_print
from tests.conftest import expect_error

TEXTS = ["pow sin x 2", "- 1 pow cos x 2", "+ x 3", "/ + x 3 sin x", "* x + 7 x"]


def _joined(folder: Path, *names: object) -> Path:
    folder.mkdir(exist_ok=True)
    document = {"model_type": "egen-joined", "egen": {"parts": names}}
    (folder / "config.json").write_text(json.dumps(document))
    return folder


def _composed(folder: Path, seed: int = 0) -> Path:
    torch.manual_seed(seed)
    save_network(new_network(ComposedSizes(d_model=12, hidden=8)), folder)
    return folder


def test_a_cosine_is_the_mean_of_the_parts_cosines() -> None:
    joined = shipped_models()[0]
    assert [each.name for each in shipped_models()] == ["egen-both", "egen-cl-mean", "egen-composed"]
    assert [part.name for part in list_parts(joined)] == ["egen-cl-mean", "egen-composed"]
    encoder = load_encoder(joined, device="cpu")
    assert isinstance(encoder, JoinedEncoder)
    vectors = encoder.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), encoder.dimension)
    apart = [load_encoder(part, device="cpu").encode(TEXTS) for part in list_parts(joined)]
    assert vectors @ vectors.T == pytest.approx(np.mean([one @ one.T for one in apart], axis=0), abs=1e-5)
    # What one of them cannot read, the whole cannot.
    long = " ".join(["+ x"] * 300 + ["x"])
    assert np.isnan(encode_readable(encoder, [TEXTS[0], long])).all(axis=1).tolist() == [False, True]


@pytest.mark.usefixtures("one_thread")
def test_many_are_encoded_in_16_bits_by_the_parts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = load_encoder(shipped_models()[0], device="cpu")
    exact = encode_many(encoder, TEXTS)
    monkeypatch.setattr("engines.egen.models.model_encoder.half_precision", lambda device: torch.bfloat16)
    monkeypatch.setattr("engines.egen.models.encode.MANY", len(TEXTS) - 1)
    rough = encode_many(encoder, TEXTS)
    assert not np.array_equal(rough, exact)
    assert (rough * exact).sum(axis=1).min() > 0.999


def test_shipped_encoders_are_of_twelve_megabytes_together() -> None:
    sizes = [path.stat().st_size for folder in shipped_models() for path in folder.rglob("*.*")]
    assert sum(sizes) < 12e6


def test_parts_of_ones_own_come_first_and_are_noticed(tmp_path: Path) -> None:
    folder = _joined(tmp_path / "mine", "egen-composed", "other")
    _composed(folder / "egen-composed")
    _composed(folder / "other", seed=1)
    assert list_parts(folder) == [folder / "egen-composed", folder / "other"]
    before, first = model_print(folder), cached_encoder(folder).encode(TEXTS)
    assert first.shape == (len(TEXTS), 24)
    _composed(folder / "other", seed=2)
    assert model_print(folder) != before
    again = cached_encoder(folder).encode(TEXTS)
    assert again[:, :12] == pytest.approx(first[:, :12])
    assert again[:, 12:] != pytest.approx(first[:, 12:])


def test_what_cannot_be_joined_is_refused(tmp_path: Path) -> None:
    for names in (("nothing",), (), ("../mine",), ("egen-both",)):
        with pytest.raises(DataError) as refused:
            load_encoder(_joined(tmp_path / "mine", *names))
        assert refused.value.code == "E642"
    (tmp_path / "mine" / "config.json").write_text('{"model_type": "egen-joined"}')
    with expect_error("E642"):
        load_encoder(tmp_path / "mine")
