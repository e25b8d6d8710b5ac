"""The cosine head: question and answer are read together, and the means of their states are compared.

A head on the first token begins at chance. The mean states of the two sides of a pair say something from the
start where the encoder was made for sentences, as MiniLM was: training begins with what its cosine knows.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["cosine_head", "has_cosine_head", "mark", "question_tokens", "reads_windows"]

_MARK = {"pair_head": "cosine"}
"""What `config.json` says of a folder whose encoder has this head."""
_QUESTION = "pair_question_tokens"
_WINDOW = "pair_window"
_CLOSEST = 1 - 1e-6


def has_cosine_head(folder: Path) -> bool:
    """Whether a model folder is of this kind."""
    return _MARK.items() <= _config(folder).items()


def question_tokens(folder: Path) -> int:
    """How many tokens of the body of its question such a model reads before an answer, behind the title."""
    return int(_config(folder).get(_QUESTION, 0))


def reads_windows(folder: Path) -> bool:
    """Whether such a model reads the best window of a long answer, and not its beginning."""
    return bool(_config(folder).get(_WINDOW, False))


def mark(encoder: Any, question_tokens: int, window: bool) -> None:
    """Say in an encoder's config that it has this head, and what it reads of a question and an answer."""
    encoder.config.update({**_MARK, _QUESTION: question_tokens, _WINDOW: window})


def _config(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "config.json").read_bytes())
    return found


def cosine_head(encoder: Any) -> torch.nn.Module:
    """An encoder of pairs with token types as a classifier of pairs.

    Called with a batch, it gives `cosine` (pairs,) of the mean states of type 0 and type 1, special tokens
    among them, and `logits` (pairs, 2) whose softmax for class 1 is (1 + cosine) / 2.
    """
    import torch
    from torch import nn

    class PairCosine(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder
            self.config = encoder.config

        def get_input_embeddings(self) -> Any:
            return self.encoder.get_input_embeddings()

        def forward(
            self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
        ) -> SimpleNamespace:
            states = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state.float()
            second = attention_mask * token_type_ids
            sides = [
                nn.functional.normalize((states * mask.unsqueeze(-1)).sum(1), dim=-1)
                for mask in (attention_mask - second, second)
            ]
            cosine = (sides[0] * sides[1]).sum(-1)
            share = (1 + cosine.clamp(-_CLOSEST, _CLOSEST)) / 2
            return SimpleNamespace(
                cosine=cosine, logits=torch.stack([torch.log1p(-share), torch.log(share)], -1)
            )

    return PairCosine()
