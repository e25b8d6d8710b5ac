"""Second stages that need no training of ours: structure of formulas, ColBERT."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.arqmath.training.cross_encoder import StoredText
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.machine import half_precision, torch_device
from engines.retrieval.encoders import fingerprint
from engines.retrieval.library_folders import library_model

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
            found = json.loads((folder / name).read_bytes())
        except (OSError, ValueError):  # what opens the folder says what is wrong with it
            continue
        about |= found if isinstance(found, dict) else {}
    kinds = about.get("architectures") or []
    return "HF_ColBERT" in kinds or about.get("model_type") in ("ColBERT", "MultiVectorEncoder")


class ColbertScorer:
    """Scores of pairs by late interaction of a model that was trained for it."""

    truncated = 0

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
        self.fingerprint = f"colbert {half} {fingerprint(folder)}"

    def reads(self, answer: StoredText) -> str:
        """The answer."""
        return answer.text

    def score(
        self, pairs: Sequence[tuple[str, str]], *, events: Sink = ignore, stop: Stop = never
    ) -> NDArray[np.float64]:
        """As `Scorer.score`; (pairs,) sums of the model's similarity."""
        import numpy as np

        found = np.full(len(pairs), np.nan)
        asked = list(dict.fromkeys(question for question, _ in pairs))
        self.truncated += self._cut([answer for _, answer in pairs])
        queries = dict(zip(asked, self._encoded(asked, "encode_query"), strict=True)) if asked else {}
        order = sorted(range(len(pairs)), key=lambda row: len(pairs[row][1]))
        for begin in range(0, len(order), _BATCH):
            if stop():
                break
            batch = order[begin : begin + _BATCH]
            answers = self._encoded([pairs[row][1] for row in batch], "encode_document")
            mine = [queries[pairs[row][0]] for row in batch]
            found[batch] = self._model.similarity_pairwise(mine, answers).float().cpu().numpy()
            events(Event("progress", {"done": begin + len(batch)}))
        return found

    def _encoded(self, texts: list[str], how: str) -> list[Any]:
        return list(getattr(self._model, how)(texts, batch_size=_BATCH, show_progress_bar=False))

    def _cut(self, answers: Sequence[str]) -> int:
        """How many answers have more tokens than the model reads."""
        limit = self._model[0].document_length or self._model.max_seq_length
        if not answers or limit is None:
            return 0
        ids = self._model.tokenizer(list(answers), verbose=False)["input_ids"]
        return sum(len(own) > limit for own in ids)


# Second stages that need no training: how near formulas are in structure, and words in their contexts.
#
# `formulas` holds the operator trees of a topic's formulas against those of an answer, as structural
# formula
# search does. `interaction` is late interaction (Khattab and Zaharia 2020, ColBERT, equation 3, as a mean):
# each token of the topic is held against the token of the answer that is nearest to it.

_SMALLEST = 3
"""Nodes of a formula of the topic that is looked for, unless all are smaller: x alone is everywhere."""
_TOKENS = 384
_BATCH_TOKENS = 4_096
_SHOWN_EVERY = 50


class FormulaScorer:
    """The mean, over the formulas of a topic, of the cosine of the answer's nearest formula.

    Features of operator trees are weighted by 1 + ln(count); letters and numbers that differ still meet in
    the generalised ones. Without formulas on either side the score is 0.
    """

    name = "formulas"
    truncated = 0

    @property
    def fingerprint(self) -> str:
        """The version of the features."""
        from engines.formula.features import FEATURES_VERSION

        return f"formulas {FEATURES_VERSION}"

    def reads(self, answer: StoredText) -> str:
        """The answer."""
        return answer.text

    def score(
        self, pairs: Sequence[tuple[str, str]], *, events: Sink = ignore, stop: Stop = never
    ) -> NDArray[np.float64]:
        """As `Scorer.score`; (pairs,) between 0 and 1."""
        import numpy as np

        found = np.full(len(pairs), np.nan)
        for row, (question, answer) in enumerate(pairs):
            if stop():
                break
            found[row] = _nearness(_asked(question), _formulas(answer))
            if row % _SHOWN_EVERY == _SHOWN_EVERY - 1:
                events(Event("progress", {"done": row + 1}))
        return found


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
    found = _formulas(question)
    return [one for one in found if one[1] >= _SMALLEST] or found


def _formulas(text: str) -> list[_Formula]:
    """The different formulas of a text."""
    from engines.retrieval.tokens import pieces

    found = dict.fromkeys(piece.strip() for formula, piece in pieces(text) if formula)
    return [_vector(latex) for latex in found if latex]


@lru_cache(maxsize=50_000)
def _vector(latex: str) -> _Formula:
    from engines.formula.features import features
    from engines.formula.parser import search_tree

    counts = features(search_tree(latex))
    weights = {name: 1 + log(count) for name, count in counts.items()}
    length = sqrt(sum(weight * weight for weight in weights.values()))
    nodes = sum(count for name, count in counts.items() if name.startswith("l "))
    return {name: weight / length for name, weight in weights.items()}, nodes


class InteractionScorer:
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
        from engines.core.machine import half_precision, torch_device
        from engines.retrieval.encoders import fingerprint

        self.folder = folder or backbone_folder(MINILM)
        self.name = "interaction" if folder is None else f"interaction-{folder.resolve().name}"
        device = torch_device(device)
        half = None if exact else half_precision(device)
        self._tokenizer = open_tokenizer(self.folder, "E380")
        model, _ = open_model(AutoModel, self.folder, "E380", add_pooling_layer=False)
        self._model = model.to(device, half).eval()
        self._longest = min(_TOKENS, longest(model.config))
        self._device = device
        self.truncated = 0
        self.fingerprint = f"interaction {_TOKENS} {half} {fingerprint(self.folder)}"

    def reads(self, answer: StoredText) -> str:
        """The answer."""
        return answer.text

    def score(
        self, pairs: Sequence[tuple[str, str]], *, events: Sink = ignore, stop: Stop = never
    ) -> NDArray[np.float64]:
        """As `Scorer.score`; (pairs,) cosines."""
        import numpy as np

        found = np.full(len(pairs), np.nan)
        asked = list(dict.fromkeys(question for question, _ in pairs))
        states = dict(zip(asked, self._states(asked), strict=True)) if asked else {}
        ids = self._ids([answer for _, answer in pairs])
        order = sorted(range(len(pairs)), key=lambda row: len(ids[row]))
        done = 0
        while done < len(order) and not stop():
            size = max(1, _BATCH_TOKENS // max(1, len(ids[order[min(done + 31, len(order) - 1)]])))
            batch = order[done : done + size]
            for row, answer in zip(batch, self._of([ids[row] for row in batch]), strict=True):
                found[row] = float((states[pairs[row][0]] @ answer.T).max(1).mean())
            done += len(batch)
            events(Event("progress", {"done": done}))
        return found

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Tokens of texts, special ones among them, at most so many."""
        if not texts:
            return []
        found: list[list[int]] = self._tokenizer(list(texts), verbose=False)["input_ids"]
        self.truncated += sum(len(ids) > self._longest for ids in found)
        return [[*ids[: self._longest - 1], ids[-1]] if len(ids) > self._longest else ids for ids in found]

    def _states(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        return self._of(self._ids(texts))

    def _of(self, ids: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
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
