"""Second stages that need no training of ours: structure of formulas, ColBERT."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.arqmath.ranking.reranking import Scorer, batches_by_length
from engines.core.machine import half_precision, torch_device
from engines.retrieval.encoders import fingerprint, library_model

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


# A second stage by ColBERT's models, which sentence-transformers reads: its own, PyLate's and Stanford's.
#
# Questions and answers are encoded by themselves, each with its marker and length, every token to a short
# vector; the score is the sum over the question's tokens of the nearest token of the answer.

_BATCH = 32


def is_colbert(folder: Path) -> bool:
    """The folder says that it holds such a model; a plain encoder has no projection of tokens."""
    about: dict[str, Any] = {}
    for name in ("config.json", "config_sentence_transformers.json"):
        try:
            result = json.loads((folder / name).read_bytes())
        except (OSError, ValueError):  # what opens the folder says what is wrong with it
            continue
        about |= result if isinstance(result, dict) else {}
    kinds = about.get("architectures") or []
    return "HF_ColBERT" in kinds or about.get("model_type") in ("ColBERT", "MultiVectorEncoder")


class ColbertScorer(Scorer):
    """Scores of pairs by late interaction of a model that was trained for it."""

    def __init__(self, folder: Path, *, device: str = "auto", exact: bool = False) -> None:
        """Load it.

        Args: exact: single precision also where the device multiplies matrices of 16 bits several times
        faster.

        Raises: DataError E312 where there is no folder, E380 for one that the library cannot open whole.
        """
        self.name = folder.resolve().name
        device = torch_device(device)
        half = None if exact else half_precision(device)
        self._model, _ = library_model(
            "MultiVectorEncoder", folder, device, "Name a folder of ColBERT.", "E380"
        )
        if half is not None:
            self._model.to(dtype=half)
        self._folder, self._half = folder, half

    @property
    def fingerprint(self) -> str:
        """Of the folder and the precision."""
        return f"colbert {self._half} {fingerprint(self._folder)}"

    def batches(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[list[int], Any]]:
        """Scores are sums of the model's similarity."""
        asked = list(dict.fromkeys(question for question, _ in pairs))
        self.truncated += self._cut([answer for _, answer in pairs])
        queries = dict(zip(asked, self._encoded(asked, "encode_query"), strict=True))
        order = sorted(range(len(pairs)), key=lambda row: len(pairs[row][1]))
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            answers = self._encoded([pairs[row][1] for row in batch], "encode_document")
            mine = [queries[pairs[row][0]] for row in batch]
            yield batch, self._model.similarity_pairwise(mine, answers).float().cpu().numpy()

    def _encoded(self, texts: list[str], how: str) -> list[Any]:
        return list(getattr(self._model, how)(texts, batch_size=_BATCH, show_progress_bar=False))

    def _cut(self, answers: Sequence[str]) -> int:
        limit = self._model[0].document_length or self._model.max_seq_length
        if limit is None:
            return 0
        ids = self._model.tokenizer(list(answers), verbose=False)["input_ids"]
        return sum(len(own) > limit for own in ids)


# Second stages that need no training: how near formulas are in structure, and words in their contexts.
#
# `formulas` holds the operator trees of a topic's formulas against those of an answer, as structural formula
# search does. `interaction` is late interaction (Khattab and Zaharia 2020, ColBERT, equation 3, as a mean):
# each token of the topic is held against the token of the answer that is nearest to it.

_SMALLEST = 3
"""Nodes of a formula of the topic that is looked for, unless all are smaller: x alone is everywhere."""
_TOKENS = 384
_BATCH_TOKENS = 4_096
_SHOWN_EVERY = 50


class FormulaScorer(Scorer):
    """The mean, over the formulas of a topic, of the cosine of the answer's nearest formula.

    Features of operator trees are weighted by 1 + ln(count); letters and numbers that differ still meet in
    the generalised ones. Without formulas on either side the score is 0.
    """

    name = "formulas"

    @property
    def fingerprint(self) -> str:
        """The version of the features."""
        from engines.formula.features import FEATURES_VERSION

        return f"formulas {FEATURES_VERSION}"

    def batches(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[range, list[float]]]:
        """Scores are between 0 and 1."""
        for begin in range(0, len(pairs), _SHOWN_EVERY):
            rows = range(begin, min(begin + _SHOWN_EVERY, len(pairs)))
            yield rows, [_nearness(_asked(pairs[row][0]), _formulas(pairs[row][1])) for row in rows]


_Formula = tuple[Mapping[str, float], int]
"""A unit vector by feature, and how many nodes the formula has."""


def _nearness(asked: Sequence[_Formula], others: Sequence[_Formula]) -> float:
    if not asked or not others:
        return 0.0
    best = 0.0
    for one, _ in asked:
        best += max(sum(weight * other.get(name, 0.0) for name, weight in one.items()) for other, _ in others)
    return best / len(asked)


@lru_cache(maxsize=4)
def _asked(question: str) -> list[_Formula]:
    """The formulas of a topic that are large enough, or all."""
    result = _formulas(question)
    return [one for one in result if one[1] >= _SMALLEST] or result


def _formulas(text: str) -> list[_Formula]:
    from engines.retrieval.tokens import pieces

    result = dict.fromkeys(piece.strip() for formula, piece in pieces(text) if formula)
    return [_vector(latex) for latex in result if latex]


@lru_cache(maxsize=50_000)
def _vector(latex: str) -> _Formula:
    from engines.formula.features import features
    from engines.formula.parser import search_tree

    counts = features(search_tree(latex))
    weights = {name: 1 + log(count) for name, count in counts.items()}
    length = sqrt(sum(weight * weight for weight in weights.values()))
    nodes = sum(count for name, count in counts.items() if name.startswith("l "))
    return {name: weight / length for name, weight in weights.items()}, nodes


class InteractionScorer(Scorer):
    """The mean, over the tokens of a topic, of the cosine of the answer's nearest token, states of an encoder
    that reads both by themselves. `truncated` counts sides with over 384 tokens, or more than it reads."""

    def __init__(self, folder: Path | None = None, *, device: str = "auto", exact: bool = False) -> None:
        """Load it.

        Args: folder: of an encoder in Hugging Face's layout; the built-in MiniLM without one. exact: single
        precision also where the device multiplies matrices of 16 bits several times faster.

        Raises: DataError E380 for a folder without model or tokenizer.
        """
        from transformers import AutoModel

        from engines.arqmath.training.model_folder import (
            MINILM,
            backbone_folder,
            longest,
            open_model,
            open_tokenizer,
        )

        self.folder = folder or backbone_folder(MINILM)
        self.name = "interaction" if folder is None else f"interaction-{folder.resolve().name}"
        device = torch_device(device)
        half = None if exact else half_precision(device)
        self._tokenizer = open_tokenizer(self.folder, "E380")
        model, _ = open_model(AutoModel, self.folder, "E380", add_pooling_layer=False)
        self._model = model.to(device, half).eval()
        self._longest = min(_TOKENS, longest(model.config))
        self._device = device
        self._half = half

    @property
    def fingerprint(self) -> str:
        """Of the folder, the length and the precision."""
        return f"interaction {_TOKENS} {self._half} {fingerprint(self.folder)}"

    def batches(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[NDArray[np.int64], list[float]]]:
        """Scores are cosines."""
        asked = list(dict.fromkeys(question for question, _ in pairs))
        states = dict(zip(asked, self._states(self._ids(asked)), strict=True))
        ids = self._ids([answer for _, answer in pairs])
        for batch in batches_by_length(list(map(len, ids)), _BATCH_TOKENS):
            answers = self._states([ids[row] for row in batch])
            yield (
                batch,
                [
                    float((states[pairs[row][0]] @ answer.T).max(1).mean())
                    for row, answer in zip(batch, answers, strict=True)
                ],
            )

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        found: list[list[int]] = self._tokenizer(list(texts), verbose=False)["input_ids"]
        self.truncated += sum(len(ids) > self._longest for ids in found)
        return [[*ids[: self._longest - 1], ids[-1]] if len(ids) > self._longest else ids for ids in found]

    def _states(self, ids: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """(tokens, dimension) of each text, unit rows."""
        import torch

        longest = max(map(len, ids))
        tokens = torch.zeros(len(ids), longest, dtype=torch.long)
        mask = torch.zeros_like(tokens)
        for row, own in enumerate(ids):
            tokens[row, : len(own)] = torch.tensor(own)
            mask[row, : len(own)] = 1
        with torch.inference_mode():
            states = self._model(
                input_ids=tokens.to(self._device), attention_mask=mask.to(self._device)
            ).last_hidden_state.float()
            unit = torch.nn.functional.normalize(states, dim=-1).cpu().numpy()
        return [unit[row, : len(own)] for row, own in enumerate(ids)]
