"""Scorers of answers to a question, among them those that need no training of ours."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import log, sqrt
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.model_checks import check_finite
from engines.core.system import half_precision, torch_device
from engines.retrieval.encoders import fingerprint_folder, library_model


class StoredText(Protocol):
    """The text of an answer or a question."""

    @property
    def title(self) -> str:
        """The title of the question that it is or answers."""
        ...

    @property
    def text(self) -> str:
        """The cleaned body, with formulas as `$latex$`."""
        ...

    @property
    def question(self) -> str:
        """The cleaned body of the question that it answers."""
        ...


class Scorer(ABC):
    """What scores pairs of question and answer, batch by batch; a second stage of your own is a subclass."""

    name: str
    """What it is called in reports and in the last column of a run."""
    max_tokens: int = 0
    """Of a pair, where both are read together."""
    truncated: int = 0
    """How many of the pairs that it has scored so far were too long to be read whole."""

    @property
    @abstractmethod
    def fingerprint(self) -> str:
        """Changes when its scores could."""

    @abstractmethod
    def score_batches(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[Any, Any]]:
        """Return the places of the pairs of a batch, and their scores."""

    def select_text(self, answer: StoredText) -> str:
        """Return the text of an answer that is scored."""
        return answer.text

    def score(
        self, pairs: Sequence[tuple[str, str]], *, events: Sink = ignore, stop: Stop = never
    ) -> NDArray[np.float64]:
        """Return (pairs,) the scores in the order of the pairs (question, answer).

        Events: progress in pairs. When `stop` is raised it ends early: what was not reached is NaN.

        Raises:
            DataError: E346 for a score that is no finite number.
        """
        result, done = np.full(len(pairs), np.nan), 0
        batches = self.score_batches(pairs)
        while done < len(pairs) and not stop():
            rows, scores = next(batches)
            check_finite(np.asarray(scores, np.float64), self.name, "score")
            result[rows] = scores
            done += len(rows)
            events(Event("progress", {"done": done, "total": len(pairs), "unit": "pairs"}))
        return result


def batches_by_length(lengths: Sequence[int] | NDArray[np.int64], tokens: int) -> Iterator[NDArray[np.int64]]:
    """Yield places of about one length, at most so many tokens with padding, the longest first, so that a
    lack of memory shows at once.
    """
    lengths = np.asarray(lengths)
    order = np.argsort(-lengths, kind="stable")
    begin = 0
    while begin < len(order):
        batch = order[begin : begin + max(1, tokens // int(lengths[order[begin]]))]
        yield batch
        begin += len(batch)


_BATCH = 32


# A second stage by ColBERT's models, which sentence-transformers reads: its own, PyLate's and Stanford's.
#
# Questions and answers are encoded by themselves, each with its marker and length, every token to a short
# vector; the score is the sum over the question's tokens of the nearest token of the answer.


def is_colbert(folder: Path) -> bool:
    """Return whether a folder says that it holds such a model."""
    about: dict[str, Any] = {}
    for name in ("config.json", "config_sentence_transformers.json"):
        try:
            result = json.loads((folder / name).read_bytes())
        except (OSError, ValueError):  # what opens the folder says what is wrong with it
            continue
        about |= result if isinstance(result, dict) else {}
    kinds = about.get("architectures")
    return (isinstance(kinds, list) and "HF_ColBERT" in kinds) or about.get("model_type") in (
        "ColBERT",
        "MultiVectorEncoder",
    )


class ColbertScorer(Scorer):
    """Scores of pairs by late interaction of a model that was trained for it."""

    def __init__(self, folder: Path, *, device: str = "auto", exact: bool = False) -> None:
        """Load it.

        Args:
            exact: Single precision also where the device multiplies matrices of 16 bits several times faster.

        Raises:
            DataError: E312 where there is no folder, E380 for one that the library cannot open whole.
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
        """A hash of all that the scores depend on: weights and precision."""
        return f"colbert {self._half} {fingerprint_folder(self._folder)}"

    def score_batches(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[list[int], Any]]:
        """Yield batches of pairs, as their indices, with sums of the model's similarity as scores."""
        asked = list(dict.fromkeys(question for question, _ in pairs))
        limit = self._model[0].document_length or self._model.max_seq_length
        if limit is not None:
            read = self._model.tokenizer([answer for _, answer in pairs], verbose=False)["input_ids"]
            self.truncated += sum(len(own) > limit for own in read)
        queries = dict(zip(asked, self._encode_texts(asked, "encode_query"), strict=True))
        order = sorted(range(len(pairs)), key=lambda row: len(pairs[row][1]))
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            answers = self._encode_texts([pairs[row][1] for row in batch], "encode_document")
            mine = [queries[pairs[row][0]] for row in batch]
            yield batch, self._model.similarity_pairwise(mine, answers).cpu().numpy()

    def _encode_texts(self, texts: list[str], how: str) -> list[Any]:
        """Vectors of tokens in single precision: sums of 16 bits are the same number for many answers."""
        result = getattr(self._model, how)(texts, batch_size=_BATCH, show_progress_bar=False)
        return [one.float() if hasattr(one, "float") else one for one in result]


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
        """The version of the features of formulas."""
        from engines.formula.operator_tree import FEATURES_VERSION

        return f"formulas {FEATURES_VERSION}"

    def score_batches(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[range, list[float]]]:
        """Yield batches of pairs, as their indices, with scores between 0 and 1."""
        for begin in range(0, len(pairs), _SHOWN_EVERY):
            rows = range(begin, min(begin + _SHOWN_EVERY, len(pairs)))
            yield rows, [self._score_pair(*pairs[row]) for row in rows]

    def _score_pair(self, question: str, answer: str) -> float:
        asked, others = _find_query_formulas(question), _find_formulas(answer)
        if not asked or not others:
            return 0.0
        best = 0.0
        for one, _ in asked:
            best += max(
                sum(weight * other.get(name, 0.0) for name, weight in one.items()) for other, _ in others
            )
        return best / len(asked)


_Formula = tuple[Mapping[str, float], int]
"""A unit vector by feature, and how many nodes the formula has."""


@lru_cache(maxsize=4)
def _find_query_formulas(question: str) -> list[_Formula]:
    """Return the formulas of a topic that are large enough, or all."""
    result = _find_formulas(question)
    return [one for one in result if one[1] >= _SMALLEST] or result


def _find_formulas(text: str) -> list[_Formula]:
    from engines.retrieval.index_terms import split_pieces

    result = dict.fromkeys(piece.strip() for formula, piece in split_pieces(text) if formula)
    return [_build_vector(latex) for latex in result if latex]


@lru_cache(maxsize=50_000)
def _build_vector(latex: str) -> _Formula:
    from engines.formula.operator_tree import count_features
    from engines.formula.operator_tree_parser import search_tree

    counts = count_features(search_tree(latex))
    weights = {name: 1 + log(count) for name, count in counts.items()}
    length = sqrt(sum(weight * weight for weight in weights.values()))
    nodes = sum(count for name, count in counts.items() if name.startswith("l "))
    return {name: weight / length for name, weight in weights.items()}, nodes


class InteractionScorer(Scorer):
    """The mean, over the tokens of a topic, of the cosine of the answer's nearest token, states of an encoder
    that reads both by themselves. `truncated` counts sides with over 384 tokens, or more than it reads."""

    def __init__(self, folder: Path | None = None, *, device: str = "auto", exact: bool = False) -> None:
        """Load it.

        Args:
            folder: Of an encoder in Hugging Face's layout; the built-in MiniLM without one.
            exact: Single precision also where the device multiplies matrices of 16 bits several times faster.

        Raises:
            DataError: E380 for a folder without model or tokenizer.
        """
        from transformers import AutoModel

        from engines.arqmath.training.model_folder import (
            MINILM,
            backbone_folder,
            count_positions,
            open_model,
            open_tokenizer,
            refuse_lost,
        )

        self.folder = folder or backbone_folder(MINILM)
        self.name = "interaction" if folder is None else f"interaction-{folder.resolve().name}"
        device = torch_device(device)
        half = None if exact else half_precision(device)
        self._tokenizer = open_tokenizer(self.folder, "E380")
        model, loading = open_model(AutoModel, self.folder, "E380", add_pooling_layer=False)
        refuse_lost(self.folder, loading["missing_keys"], "E380")
        self._model = model.to(device, half).eval()
        self._longest = min(_TOKENS, count_positions(model.config))
        self._device = device
        self._half = half

    @property
    def fingerprint(self) -> str:
        """A hash of all that the scores depend on: weights, precision and length."""
        return f"interaction {_TOKENS} {self._half} {fingerprint_folder(self.folder)}"

    def score_batches(
        self, pairs: Sequence[tuple[str, str]]
    ) -> Iterator[tuple[NDArray[np.int64], list[float]]]:
        """Yield batches of pairs, as their indices, with cosines as scores."""
        asked = list(dict.fromkeys(question for question, _ in pairs))
        states = dict(zip(asked, self._encode_tokens(self._tokenize_texts(asked)), strict=True))
        ids = self._tokenize_texts([answer for _, answer in pairs])
        for batch in batches_by_length(list(map(len, ids)), _BATCH_TOKENS):
            answers = self._encode_tokens([ids[row] for row in batch])
            yield (
                batch,
                [
                    float((states[pairs[row][0]] @ answer.T).max(1).mean())
                    for row, answer in zip(batch, answers, strict=True)
                ],
            )

    def _tokenize_texts(self, texts: Sequence[str]) -> list[list[int]]:
        results: list[list[int]] = self._tokenizer(list(texts), verbose=False)["input_ids"]
        self.truncated += sum(len(ids) > self._longest for ids in results)
        return [[*ids[: self._longest - 1], ids[-1]] if len(ids) > self._longest else ids for ids in results]

    def _encode_tokens(self, ids: Sequence[Sequence[int]]) -> list[NDArray[np.float32]]:
        """Return (tokens, dimension) of each text, unit rows."""
        import torch

        from engines.arqmath.training.model_folder import pad_rows

        tokens = torch.from_numpy(pad_rows(ids, 0))
        mask = torch.from_numpy(pad_rows([[1] * len(own) for own in ids], 0))
        with torch.inference_mode():
            states = self._model(
                input_ids=tokens.to(self._device), attention_mask=mask.to(self._device)
            ).last_hidden_state.float()
            unit = torch.nn.functional.normalize(states, dim=-1).cpu().numpy()
        return [unit[row, : len(own)] for row, own in enumerate(ids)]
