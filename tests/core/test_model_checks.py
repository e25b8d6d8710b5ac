"""Sizes in a config.json are compared with the weights before anything is built of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from safetensors.numpy import save_file

from engines.arqmath.training.model_folder import open_tokenizer
from engines.core.model_checks import (
    check_finite,
    check_fit,
    check_model_folder,
    check_sizes,
    check_tokenizer,
    check_weights,
)
from tests.conftest import expect_error

SHAPES = {"embeddings.word_embeddings.weight": [30_522, 384], "encoder.layer.5.output.weight": [384, 384]}


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ({"num_hidden_layers": 6, "hidden_size": 384, "vocab_size": 30_522}, ""),
        ({"num_hidden_layers": 12, "layer_norm_eps": 1e-12, "use_cache": True}, ""),
        ({"encoder_layers": 6, "decoder_layers": 6, "n_positions": 131_072}, ""),
        ({"num_hidden_layers": 6, "sliding_window": 10**9, "eos_token_id": 10**6}, ""),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers is 1,000,000,000"),
        ({"text_config": {"num_hidden_layers": 10**9}}, "text_config.num_hidden_layers"),
        ({"n_layer": 65}, "n_layer is 65"),
        ({"decoder_layers": 10**6, "num_hidden_layers": 6}, "decoder_layers"),
        ({"num_hidden_layers": 3}, "3 layers are described, and the weights are of 6"),
        ({"num_hidden_layers": 0}, "num_hidden_layers is 0"),
        ({"text_config": {"hidden_size": -384}}, "text_config.hidden_size is -384"),
        ({"num_attention_heads": 0}, "num_attention_heads is 0"),
        ({"vocab_size": 30_523}, "vocab_size is 30,523"),
        ({"d_ff": 10**6}, "d_ff is 1,000,000"),
        ({"in_features": 10**6}, "in_features is 1,000,000"),
        ({"max_position_embeddings": 10**10}, "max_position_embeddings is 10,000,000,000"),
    ],
)
def test_sizes_that_are_not_of_the_weights(config: dict[str, Any], says: str) -> None:
    if not says:
        check_sizes(config, SHAPES)
        return
    with pytest.raises(ValueError, match=says):
        check_sizes(config, SHAPES)


def folder_of(place: Path, config: object, **weights: np.ndarray) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    (place / "config.json").write_text(json.dumps(config))
    save_file(weights or {"a": np.zeros((3, 5), np.float32)}, place / "model.safetensors")
    return place


@pytest.mark.parametrize("config", [None, [], "x", 3, True])
def test_a_config_that_is_no_table(tmp_path: Path, config: object) -> None:
    with pytest.raises(ValueError, match="no table"):
        check_model_folder(folder_of(tmp_path, config))


def test_the_parts_of_a_folder_and_the_pieces_of_weights_are_looked_at(tmp_path: Path) -> None:
    folder_of(tmp_path, {"num_hidden_layers": 1})
    check_model_folder(tmp_path)
    folder_of(tmp_path / "2_Dense", {"in_features": 10**6, "out_features": 10**6})
    with pytest.raises(ValueError, match="in_features"):
        check_model_folder(tmp_path)
    folder_of(tmp_path / "2_Dense", {"in_features": 3, "out_features": 5})
    check_model_folder(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "model-00001-of-00002.safetensors")
    layers = {f"h.{n}.w": np.zeros(2, np.float32) for n in range(3)}
    save_file(layers, tmp_path / "model-00002-of-00002.safetensors")
    with pytest.raises(ValueError, match="weights are of 3"):
        check_model_folder(tmp_path)


def test_what_the_memory_cannot_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights of 16 bits take twice their size."""
    folder_of(tmp_path, {}, a=np.zeros((512, 1024), np.float16))

    def free(available: int) -> None:
        monkeypatch.setattr(psutil, "virtual_memory", lambda: type("Memory", (), {"available": available}))

    free(2 * 2**20)
    check_model_folder(tmp_path)
    free(2 * 2**20 - 1)
    with pytest.raises(ValueError, match=r"it takes 2\.0 MiB in single precision"):
        check_model_folder(tmp_path)


def test_a_network_is_compared_before_it_is_built() -> None:
    import torch
    from torch import nn

    check_fit(lambda: nn.Linear(3, 2), {"weight": torch.zeros(2, 3), "bias": torch.zeros(2)})
    with pytest.raises(ValueError, match="bias"):
        check_fit(lambda: nn.Linear(3, 2), {"weight": torch.zeros(2, 3)})
    with pytest.raises(ValueError, match="weight"):
        check_fit(lambda: nn.Linear(10**7, 10**7), {"weight": torch.zeros(2, 3), "bias": torch.zeros(2)})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_none(number: float) -> None:
    import torch
    from torch import nn

    check_finite(np.array([[1.0, -3e38]]), "some")
    check_finite(np.zeros((0, 3)), "some")
    with expect_error("E346"):
        check_finite(np.array([[1.0, 2.0], [number, 0.0]]), "some")
    network = nn.Linear(3, 2)
    check_weights(network, "some")
    with torch.no_grad():
        network.bias[1] = number
    with expect_error("E346"):
        check_weights(network, "some")


def test_a_tokenizer_far_larger_than_its_weights_is_not_read(tmp_path: Path) -> None:
    folder_of(tmp_path, {}, a=np.zeros((20_000, 2), np.float32))
    for name in ("tokenizer.json", "vocab.txt", "spiece.model"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(20_000 * 1_024)  # without data: it takes no room
        check_model_folder(tmp_path)
        with (tmp_path / name).open("wb") as file:
            file.truncate(20_000 * 1_024 + 1)
        for check in (check_tokenizer, check_model_folder):
            with pytest.raises(ValueError, match=rf"{name} is 19\.5 MiB.*20,000 tokens of the weights"):
                check(tmp_path)
        (tmp_path / name).unlink()


def test_a_tokenizer_without_weights_has_a_limit_too(tmp_path: Path) -> None:
    with (tmp_path / "tokenizer.json").open("wb") as file:
        file.truncate(100 << 20)
        check_tokenizer(tmp_path)
        file.truncate(1 << 40)
    with pytest.raises(ValueError, match=r"1\.0 TiB.*128\.0 MiB at most"):
        check_tokenizer(tmp_path)
    with expect_error("E671"):
        open_tokenizer(tmp_path, "E671")
