"""Masked language models: which tokens are predicted, the head that predicts them, and the saved folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engines.arqmath.training.backbones import Backbone
from engines.arqmath.training.latex_tokens import add_latex_tokens
from engines.arqmath.training.model_folder import quiet, save_model
from engines.arqmath.training.sequences import Ids

if TYPE_CHECKING:
    import torch

__all__ = ["IGNORED", "language_model", "masked", "ordinary", "save_language_model", "word_head"]

IGNORED = -100
"""Label of a token that is not predicted."""
LIMITS = (
    "Made from questions and answers in English about mathematics, formulas as LaTeX between dollar signs.",
    "A language model: it must be fine-tuned before it ranks or classifies anything.",
)
_HEADS = {"bert": "cls.predictions", "albert": "predictions", "roberta": "lm_head"}


def language_model(backbone: Backbone, *, order: bool, latex_tokens: bool) -> torch.nn.Module:
    """The backbone with its heads, and rows for new LaTeX tokens. Args: order: as `pretraining_model`'s."""
    with quiet():
        made = backbone.pretraining_model(order=order)
        if latex_tokens:
            add_latex_tokens(backbone.tokenizer, made)
    return made


def word_head(model: Any) -> torch.nn.Module:
    """What turns states (tokens, width) into logits (tokens, vocabulary)."""
    head: torch.nn.Module = model.get_submodule(_HEADS[model.config.model_type])
    return head


def ordinary(tokenizer: Any) -> Ids:
    """The ids of tokens that are not special."""
    return np.setdiff1d(np.arange(len(tokenizer)), tokenizer.all_special_ids).astype(np.int32)


def masked(
    ids: Ids, open_: NDArray[np.bool_], draw: np.random.Generator, *, share: float, mask: int, ordinary: Ids
) -> tuple[Ids, Ids]:
    """What the model reads and what it is to predict.

    Args: open_: (tokens,) which may be predicted. ordinary: ids that replace a token.
    Returns: ids and labels, (tokens,) each; at least one token is predicted where one may be.
    """
    places = np.flatnonzero(open_)
    chosen = draw.permutation(places)[: max(1, round(share * len(places)))]
    read, labels = ids.copy(), np.full(len(ids), IGNORED, np.int32)
    labels[chosen] = ids[chosen]
    kind = draw.random(len(chosen))
    read[chosen[kind < 0.8]] = mask
    random = chosen[kind >= 0.9]
    read[random] = ordinary[draw.integers(len(ordinary), size=len(random))]
    return read, labels


def save_language_model(
    model: torch.nn.Module,
    backbone: Backbone,
    folder: Path,
    facts: Mapping[str, Any],
    data: Mapping[str, object],
) -> None:
    """A folder for AutoModelForMaskedLM and AutoModel, with tokenizer and card."""
    save_model(
        model,
        backbone.tokenizer,
        folder,
        facts,
        title=f"{backbone.family.upper()} for mathematical language",
        about="Pre-trained on mathematical text and formulas; a backbone for ranking answers.",
        data=data,
        limits=LIMITS,
        use=(
            "from transformers import AutoModelForMaskedLM, AutoTokenizer\n"
            'tokenizer = AutoTokenizer.from_pretrained("this-folder")\n'
            'model = AutoModelForMaskedLM.from_pretrained("this-folder")'
        ),
        tags=("fill-mask",),
    )
