"""A small message-passing encoder of operator trees or of MathAMR graphs, and its folder.

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
from engines.core.machine import torch_device
from engines.mathamr.training.graph_data import GraphVocabulary
from engines.mathamr.training.structures import TYPES, Vocabulary, joined
from engines.mathamr.training.tree_data import TreeVocabulary
from engines.retrieval.dense import Vectors, unit

if TYPE_CHECKING:
    import torch


_VOCABULARIES: dict[str, type[Vocabulary[Any]]] = {one.kind: one for one in (TreeVocabulary, GraphVocabulary)}
_BATCH = 256


def new_model(labels: int, roles: int, d_model: int, rounds: int) -> torch.nn.Module:
    """A new model. It takes what `joined` gives, as tensors, and the number of structures; and returns
    (structures, d_model), unit rows.

    In each round a node hears the mean of the nodes that its edges lead to and the mean of those whose edges
    lead to it, and is added to; a structure's vector comes from the mean and the maximum of its nodes and the
    root of its formula.
    """
    import torch
    from torch import nn

    class Structures(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.label = nn.Embedding(labels, d_model)
            self.kind = nn.Embedding(len(TYPES), d_model)
            self.role = nn.Embedding(roles, d_model)
            self.mix = nn.ModuleList(nn.Linear(3 * d_model, 2 * d_model) for _ in range(rounds))
            self.out = nn.ModuleList(nn.Linear(2 * d_model, d_model) for _ in range(rounds))
            self.norm = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(rounds))
            self.last = nn.Linear(3 * d_model, d_model)

        def forward(self, batch: Mapping[str, torch.Tensor], structures: int) -> torch.Tensor:
            heads, tails, owner = batch["heads"], batch["tails"], batch["owner"]
            state = self.label(batch["labels"]) + self.kind(batch["types"])
            role = self.role(batch["roles"])

            def mean(values: torch.Tensor, at: torch.Tensor, count: int) -> torch.Tensor:
                number = values.new_zeros(count, 1).index_add_(0, at, torch.ones_like(values[:, :1]))
                return values.new_zeros(count, d_model).index_add_(0, at, values) / number.clamp(min=1)

            for mix, out, norm in zip(self.mix, self.out, self.norm, strict=True):
                below = mean(state[tails] + role, heads, len(state))
                above = mean(state[heads] + role, tails, len(state))
                state = norm(state + out(nn.functional.gelu(mix(torch.cat([state, below, above], -1)))))
            most = state.new_full((structures, d_model), -1e4)
            most = most.scatter_reduce(0, owner.unsqueeze(-1).expand_as(state), state, "amax")
            parts = [mean(state, owner, structures), most, state[batch["roots"]]]
            return nn.functional.normalize(self.last(torch.cat(parts, -1)), dim=-1)

    return Structures()


def save_structure_encoder(
    model: torch.nn.Module, vocabulary: Vocabulary[Any], settings: Mapping[str, Any], folder: Path
) -> None:
    """Write weights, labels and configuration."""
    from safetensors.torch import save

    tensors = {name: tensor.contiguous().cpu() for name, tensor in model.state_dict().items()}
    write_bytes(folder / "model.safetensors", save(tensors, {"format": "pt"}))
    write_json(folder / "labels.json", {"labels": vocabulary.labels, "roles": vocabulary.roles})
    write_json(folder / "config.json", {"model_type": vocabulary.kind, **settings})


def is_structure_encoder(folder: Path) -> bool:
    """Whether a folder holds an encoder of operator trees or of graphs."""
    try:
        return json.loads((folder / "config.json").read_bytes())["model_type"] in _VOCABULARIES
    except (OSError, ValueError, KeyError, TypeError):
        return False


def load_structure_encoder(folder: Path) -> tuple[torch.nn.Module, Vocabulary[Any], dict[str, Any]]:
    """Model, vocabulary and configuration of a folder. Raises: DataError E663 for one that holds none."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        config = json.loads((folder / "config.json").read_bytes())
        vocabulary = _VOCABULARIES[config["model_type"]](**json.loads((folder / "labels.json").read_bytes()))
        sizes = len(vocabulary), len(vocabulary.roles), int(config["d_model"]), int(config["rounds"])
        model = new_model(*sizes)
        model.load_state_dict(load_file(folder / "model.safetensors"))
    except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
        raise DataError(
            f"not an encoder of trees or graphs: {' '.join(str(error).split())[:160]}",
            path=folder,
            code="E663",
            exit_code=3,
            remedy="Name a folder that training with mathamr.trees or mathamr.graphs made.",
        ) from error
    return model, vocabulary, config


class StructureEncoder:
    """Encodes formulas by their operator trees, or in context by their MathAMR graphs; an `Encoder`."""

    def __init__(self, folder: Path, device: str = "auto") -> None:
        """Raises: DataError E663 for a folder that holds none."""

        self.name, self.place, self._folder = folder.name, str(folder.absolute()), folder
        self._model, self._vocabulary, self._config = load_structure_encoder(folder)
        self.reads, self.dimension = self._vocabulary.reads, int(self._config["d_model"])
        self._device = torch_device(device)
        self._model.to(self._device).eval()

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over weights, labels and configuration."""
        from engines.retrieval.encoders import fingerprint

        return fingerprint(self._folder)

    def encode(
        self, texts: Sequence[str], *, normalise: bool = True, events: Sink = ignore, stop: Stop = never
    ) -> Vectors:
        """(texts, dimension): as `Encoder.encode`; the texts are in the representation `reads`.

        Raises: DataError E329 for a graph that is none.
        """
        import torch

        most, vocabulary = int(self._config["max_nodes"]), self._vocabulary
        found = np.zeros((len(texts), self.dimension), np.float32)
        for begin in range(0, len(texts), _BATCH):
            if stop():
                break
            part = texts[begin : begin + _BATCH]
            arrays = joined([vocabulary.arrays(vocabulary.read(one), most) for one in part])
            batch = {name: torch.from_numpy(array).to(self._device) for name, array in arrays.items()}
            with torch.inference_mode():
                found[begin : begin + len(part)] = self._model(batch, len(part)).cpu().numpy()
            events(Event("progress", {"done": begin + len(part), "total": len(texts), "unit": "texts"}))
        return unit(found) if normalise else found
