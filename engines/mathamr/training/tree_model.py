"""A small message-passing encoder of operator trees, and its folder.

config.json  model.safetensors  labels.json  README.md
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import write_bytes, write_json
from engines.mathamr.training.tree_data import PLACES, TYPES, Vocabulary, joined
from engines.retrieval.similarity import Vectors, unit

if TYPE_CHECKING:
    import torch

__all__ = ["KIND", "TreeEncoder", "is_tree_encoder", "load_tree_encoder", "new_model", "save_tree_encoder"]

KIND = "mathamr-trees"
_BATCH = 256


def new_model(labels: int, d_model: int, rounds: int) -> torch.nn.Module:
    """A new model. It takes what `joined` gives, as tensors, and the number of trees; and returns (trees,
    d_model), unit rows.

    In each round a node hears the mean of its children and its parent, and is added to; a tree's vector comes
    from the mean and the maximum of its nodes and its root.
    """
    import torch
    from torch import nn

    class Trees(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.label = nn.Embedding(labels, d_model)
            self.kind = nn.Embedding(len(TYPES), d_model)
            self.place = nn.Embedding(PLACES, d_model)
            self.mix = nn.ModuleList(nn.Linear(3 * d_model, 2 * d_model) for _ in range(rounds))
            self.out = nn.ModuleList(nn.Linear(2 * d_model, d_model) for _ in range(rounds))
            self.norm = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(rounds))
            self.last = nn.Linear(3 * d_model, d_model)

        def forward(self, batch: Mapping[str, torch.Tensor], trees: int) -> torch.Tensor:
            parents, tree = batch["parents"], batch["tree"]
            state = self.label(batch["labels"]) + self.kind(batch["types"])
            place = self.place(batch["places"])
            inner = (parents != torch.arange(len(parents), device=parents.device)).unsqueeze(-1)
            children = torch.zeros_like(state[:, :1]).index_add_(0, parents, inner.to(state.dtype))
            for mix, out, norm in zip(self.mix, self.out, self.norm, strict=True):
                sent = (state + place) * inner
                heard = torch.zeros_like(state).index_add_(0, parents, sent) / children.clamp(min=1)
                above = (state[parents] + place) * inner
                state = norm(state + out(nn.functional.gelu(mix(torch.cat([state, heard, above], -1)))))
            sizes = torch.zeros(trees, 1, device=state.device).index_add_(
                0, tree, torch.ones_like(state[:, :1])
            )
            mean = torch.zeros(trees, d_model, device=state.device).index_add_(0, tree, state) / sizes
            most = torch.full((trees, d_model), -1e4, device=state.device)
            most = most.scatter_reduce(0, tree.unsqueeze(-1).expand_as(state), state, "amax")
            root = state[~inner.squeeze(-1)]
            return nn.functional.normalize(self.last(torch.cat([mean, most, root], -1)), dim=-1)

    return Trees()


def save_tree_encoder(
    model: torch.nn.Module, vocabulary: Vocabulary, settings: Mapping[str, Any], folder: Path
) -> None:
    """Write weights, labels and configuration."""
    from safetensors.torch import save

    tensors = {name: tensor.contiguous().cpu() for name, tensor in model.state_dict().items()}
    write_bytes(folder / "model.safetensors", save(tensors, {"format": "pt"}))
    write_json(folder / "labels.json", list(vocabulary.labels))
    write_json(folder / "config.json", {"model_type": KIND, **settings})


def is_tree_encoder(folder: Path) -> bool:
    """Whether a folder holds an encoder of operator trees."""
    try:
        return bool(json.loads((folder / "config.json").read_bytes()).get("model_type") == KIND)
    except (OSError, ValueError, AttributeError):
        return False


def load_tree_encoder(folder: Path) -> tuple[torch.nn.Module, Vocabulary, dict[str, Any]]:
    """Model, vocabulary and configuration of a folder. Raises: DataError E663 for one that holds none."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config = json.loads((folder / "config.json").read_bytes())
        vocabulary = Vocabulary(json.loads((folder / "labels.json").read_bytes()))
        model = new_model(len(vocabulary), int(config["d_model"]), int(config["rounds"]))
        model.load_state_dict(load_file(folder / "model.safetensors"))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise DataError(
            f"not an encoder of operator trees: {' '.join(str(error).split())[:160]}",
            path=folder,
            code="E663",
            exit_code=3,
            remedy="Name a folder that training with mathamr.trees made.",
        ) from error
    return model, vocabulary, config


class TreeEncoder:
    """Encodes formulas, given as LaTeX, by their operator trees; an `Encoder`."""

    def __init__(self, folder: Path, device: str = "auto") -> None:
        """Raises: DataError E663 for a folder that holds none."""
        import torch

        self.name, self.place, self._folder = folder.name, str(folder.absolute()), folder
        self._model, self._vocabulary, self._config = load_tree_encoder(folder)
        self.dimension = int(self._config["d_model"])
        self._device = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else device
        self._model.to(self._device).eval()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over weights, labels and configuration."""
        from engines.retrieval.encoders import fingerprint

        return fingerprint(self._folder)

    def encode(
        self, texts: Sequence[str], *, normalise: bool = True, events: Sink = ignore, stop: Stop = never
    ) -> Vectors:
        """(texts, dimension): as `Encoder.encode`; the texts are LaTeX."""
        import torch

        from engines.formula.parser import operator_tree

        most = int(self._config["max_nodes"])
        found = np.zeros((len(texts), self.dimension), np.float32)
        for begin in range(0, len(texts), _BATCH):
            if stop():
                break
            part = texts[begin : begin + _BATCH]
            arrays = joined([self._vocabulary.arrays(operator_tree(one), most) for one in part])
            batch = {name: torch.from_numpy(array).to(self._device) for name, array in arrays.items()}
            with torch.inference_mode():
                found[begin : begin + len(part)] = self._model(batch, len(part)).cpu().numpy()
            events(Event("progress", {"done": begin + len(part), "total": len(texts), "unit": "texts"}))
        return unit(found) if normalise else found
