"""The vectors that ship of the sample corpus are those that the model gives, and spare encoding it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engines.egen.composed.network import ComposedEncoder
from engines.egen.models import vectors
from engines.egen.models.datasets import sample_corpus
from engines.egen.models.encode import ModelEncoder, cached_encoder, load_encoder, longest_input
from engines.egen.models.model_folder import shipped_models

MODELS = {path.name: path for path in shipped_models()}
NAMES = ("egen-cl-mean", "egen-composed")
COSTLY = MODELS["egen-cl-mean"]


def derive() -> None:
    """Make the shipped files anew, when a model or the corpus is another."""
    for name in NAMES:
        encoder = load_encoder(MODELS[name], device="cpu")
        rows, _ = vectors._list_expressions(sample_corpus(), "all", longest_input(encoder), lambda: False)
        made = encoder.encode([text for text, _, _ in rows]).astype(np.float16)
        file = vectors.shipped_vectors(MODELS[name])
        file.parent.mkdir(exist_ok=True)
        np.savez(file, of=vectors._pool_name(MODELS[name], sample_corpus(), "all"), vectors=made)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("name", ["egen-both", *NAMES])
def test_what_ships_is_what_the_model_gives(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = cached_encoder(MODELS[name])
    with monkeypatch.context() as patch:
        for kind in (ComposedEncoder, ModelEncoder):
            patch.setattr(kind, "encode", None)  # everything that they would encode ships
        pool = vectors.open_pool(MODELS[name], None, "all", cache=tmp_path)
    some = np.arange(0, len(pool), 97)
    exact = encoder.encode(pool.table["prefix"].take(some).to_pylist())
    assert np.abs(pool.vectors[some] - exact).max() < 5e-4
    assert np.abs(np.linalg.norm(pool.vectors, axis=1) - 1).max() < 1e-5


@pytest.mark.usefixtures("one_thread")
def test_a_file_of_another_model_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = cached_encoder(COSTLY)
    other = tmp_path / "other.npz"
    with np.load(vectors.shipped_vectors(COSTLY)) as kept:
        np.savez(other, of="of another", vectors=kept["vectors"])
    monkeypatch.setattr(vectors, "shipped_vectors", lambda model: other)
    assert vectors._with_shipped(encoder, COSTLY, sample_corpus()) is encoder


@pytest.mark.usefixtures("one_thread")
def test_texts_that_do_not_ship_are_encoded(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = cached_encoder(COSTLY)
    shipped = vectors._with_shipped(encoder, COSTLY, sample_corpus())
    assert isinstance(shipped, vectors._Shipped)
    known = next(iter(shipped.rows))
    texts = ["+ x 123", known, "* 123 sin x"]
    assert set(texts) & set(shipped.rows) == {known}
    found, exact = shipped.encode(texts), encoder.encode(texts)
    assert np.array_equal(found[::2], exact[::2])
    assert np.abs(found[1] - exact[1]).max() < 5e-4
