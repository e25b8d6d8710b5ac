"""The cross-encoder: question and answer are read together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import exp
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from engines.arqmath.ranking.scorers import Scorer, StoredText, batches_by_length
from engines.arqmath.training.model_folder import (
    TOKENIZERS,
    TokenFrame,
    TokenIds,
    best_window,
    check_tokens,
    count_positions,
    has_top_layers,
    longest_first,
    open_model,
    open_tokenizer,
    open_top_layers,
    padded_batch,
    read_architecture,
    tokenize_texts,
    unusable_model_error,
)
from engines.core.files import write_bytes, write_json
from engines.core.hashing import sha256
from engines.core.system import asset, half_precision, torch_device

if TYPE_CHECKING:
    import numpy as np
    import torch
    from numpy.typing import NDArray


# The cosine head: question and answer are read together, and the means of their states are compared.
#
# A head on the first token begins at chance. The mean states of the two sides of a pair say something from
# the start where the encoder was made for sentences, as MiniLM was: training begins with what its cosine
# knows.

_MARK = {"pair_head": "cosine"}
"""What `config.json` says of a folder whose encoder has this head."""
_QUESTION = "pair_question_tokens"
"""How many tokens of the body of its question it reads before an answer, behind the title."""
_WINDOW = "pair_window"
"""Whether it reads the best window of a long answer, and not its beginning."""
_CLOSEST = 1 - 1e-6


def has_cosine_head(config: Mapping[str, Any]) -> bool:
    """Return whether a model folder with this `config.json` is of this kind."""
    return _MARK.items() <= config.items()


def write_library_files(folder: Path) -> None:
    """Write what sentence-transformers' CrossEncoder needs to open a folder.

    These are the module `PairCosine`, as code, and the two files that name it.
    """
    source = asset("models/arqmath-reranker/pair_cosine.py")
    write_bytes(folder / source.name, source.read_bytes())
    write_json(
        folder / "modules.json", [{"idx": 0, "name": "0", "path": "", "type": "pair_cosine.PairCosine"}]
    )
    about = {"model_type": "CrossEncoder", "activation_fn": "torch.nn.modules.linear.Identity"}
    write_json(folder / "config_sentence_transformers.json", about)


def mark_config(encoder: Any, question_tokens: int, window: bool) -> None:
    """Say in an encoder's config that it has this head, and what it reads of a question and an answer."""
    encoder.config.update({**_MARK, _QUESTION: question_tokens, _WINDOW: window})


def cosine_head(encoder: Any) -> torch.nn.Module:
    """Return an encoder of pairs with token types as a classifier of pairs.

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
            # Token type 1 marks the answer; padding has type 0 and no attention.
            second = attention_mask * token_type_ids
            sides = [
                nn.functional.normalize((states * mask.unsqueeze(-1)).sum(1), dim=-1)
                for mask in (attention_mask - second, second)
            ]
            # p(class 1) = (1 + cosine) / 2, kept away from 0 and 1 so that its logarithm is finite.
            cosine = (sides[0] * sides[1]).sum(-1)
            share = (1 + cosine.clamp(-_CLOSEST, _CLOSEST)) / 2
            return SimpleNamespace(
                cosine=cosine, logits=torch.stack([torch.log1p(-share), torch.log(share)], -1)
            )

    return PairCosine()


# The cross-encoder: question and answer are read together, and the log-odds of label 1 are the score.
#
# As in Reusch, Thiele and Lehner (2022), but the score is the difference of the logits and not the raw logit
# of class 1, which orders pairs rightly only where the other logit is constant. The softmax probability has
# the same order, but not in single precision: from log-odds of 16 on it is 1. Where there is one label its
# logit is the log-odds. Pairs are sorted by length, so that a batch is hardly ever padded; a text that stands
# in many pairs is tokenised once.

MAX_TOKENS = 512
_ANSWER = "\x1e"
"""Stands before the answer in what a cosine head reads: what is before it is never left out for a window."""
CODE = "E380"
_BATCH_TOKENS = {"cpu": 4_096, "cuda": 65_536}
"""Tokens of a batch with its padding. Larger ones are no faster on a CPU, whose caches they leave."""


class CrossEncoder(Scorer):
    """A Hugging Face folder of a sequence classifier with one label or two, or of an encoder with a cosine
    head.

    A pair that is too long is cut, longest side first; `half` is the 16-bit type that matrices are multiplied
    in, or None.
    """

    def __init__(
        self, folder: str | Path, *, device: str = "auto", max_tokens: int | None = None, exact: bool = False
    ) -> None:
        """Load a cross-encoder from a folder.

        Args:
            device: `auto` takes a GPU where there is one.
            max_tokens: Of a pair with its special tokens; at most what the model can read; None: what its
                tokenizer was saved with, that is trained with, or 512 where it says nothing.
            exact: Single precision also where the device multiplies matrices of 16 bits several times faster
                (a GPU, or a processor with AMX).

        Raises:
            DataError: E380 for a folder without model or tokenizer, E381 for a model that is no classifier
                with one label or two, E382 for a tokenizer that is not the model's.
        """
        from transformers.tokenization_utils_base import LARGE_INTEGER

        self.folder = Path(folder)
        self.name = self.folder.resolve().name
        device = torch_device(device)
        self._device = device
        read_architecture(self.folder, CODE)
        known = json.loads((self.folder / "config.json").read_bytes())
        self._titles = has_cosine_head(known)
        self._question_tokens = int(known.get(_QUESTION, 0))
        self._windows = bool(known.get(_WINDOW, False))
        self._prompt = _read_prompt(self.folder)
        self._model = _load_classifier(self.folder, cosine=self._titles).to(device).eval()
        self._tokenizer = open_tokenizer(self.folder, CODE)
        config = self._model.config
        rows = self._model.get_input_embeddings().num_embeddings
        # A tokenizer that was saved without a length says a huge number.
        check_tokens(self.folder, self._tokenizer, rows, "E382")
        recorded = int(self._tokenizer.model_max_length)
        if recorded >= LARGE_INTEGER:  # the library's sign of none
            recorded = MAX_TOKENS
        self.max_tokens = min(max_tokens or recorded, count_positions(config))
        self._frame = TokenFrame.from_tokenizer(self._tokenizer, types=getattr(config, "type_vocab_size", 1))
        self._with_types = "token_type_ids" in self._tokenizer.model_input_names
        # The head of a classifier stays in single precision: half would round close scores to ties.
        self.half = None if exact else half_precision(device)
        if self.half is not None and not self._titles:
            _keep_head_exact(self._model, device)
        self._batch_tokens = _BATCH_TOKENS["cpu" if device == "cpu" else "cuda"]

    @property
    def fingerprint(self) -> str:
        """A hash of all that the scores depend on: weights, tokenizer, precision and length."""
        import hashlib

        score = "cosine" if self._titles else "log-odds"
        result = hashlib.sha256(f"{self.max_tokens} {self.half} {score}\n".encode())
        for file in sorted(self.folder.iterdir()):
            if file.suffix == ".safetensors" or file.name in (*TOKENIZERS, "config.json", _LIBRARY):
                result.update(f"{file.name} {sha256(file)}\n".encode())
        return result.hexdigest()[:16]

    def select_text(self, answer: StoredText) -> str:
        """Return the answer; with a cosine head the title of its question before it, as first stages have it,
        and as much of that question's body as the head was trained with.
        """
        if not self._titles:
            return answer.text
        before = "\n".join(part for part in (answer.title, self._cut_question_body(answer.question)) if part)
        return f"{before}\n{_ANSWER}{answer.text}" if before else answer.text

    def _cut_question_body(self, text: str) -> str:
        if not self._question_tokens or not text:
            return ""
        result = self._tokenizer(
            text,
            add_special_tokens=False,
            truncation=True,
            max_length=self._question_tokens,
            return_offsets_mapping=True,
        )
        return text[: result["offset_mapping"][-1][1]] if result["input_ids"] else ""

    def probability(self, score: float) -> float:
        """Return what the model says of an answer, between 0 and 1.

        It is for display only, because many scores become the same number. With a cosine head it is the score
        itself.
        """
        if self._titles:
            return score
        return 1 / (1 + exp(-max(score, -700)))

    def score_batches(self, pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[NDArray[np.int64], Any]]:
        """Yield batches of pairs, as their indices, with their scores.

        A score is the log-odds of class 1 or, with a cosine head, (1 + cosine) / 2. The same pairs give the
        same numbers; other pairs in a batch may change the last digits.
        """
        import numpy as np
        import torch

        pairs = [(self._prompt + question, answer) for question, answer in pairs]
        tokens = self._tokenize_pairs(pairs)
        room = self.max_tokens - self._frame.width
        token_counts = {text: sum(map(len, parts)) for text, parts in tokens.items()}
        # Longest-first truncation: tokens are taken from the longer side until the pair fits.
        kept = np.array(
            [longest_first(token_counts[left], token_counts[right], room) for left, right in pairs]
        )
        full_lengths = np.array([token_counts[left] + token_counts[right] for left, right in pairs])
        read_lengths = kept.sum(1)
        # Pairs of similar length share a batch, so that little is padding.
        for batch in batches_by_length(read_lengths + self._frame.width, self._batch_tokens):
            sides = [self._cut_sides(tokens, *pairs[row], *kept[row]) for row in batch]
            inputs = padded_batch(
                [self._frame.wrap_pair(left, right) for left, right in sides],
                self._tokenizer.pad_token_id or 0,
            )
            if not self._with_types:
                del inputs["token_type_ids"]
            inputs = {name: tensor.to(self._device) for name, tensor in inputs.items()}
            with (
                torch.inference_mode(),
                torch.autocast(self._device, self.half, enabled=self.half is not None),
            ):
                result = self._model(**inputs)
            if self._titles:
                scores = (1 + result.cosine.double()) / 2
            else:
                logits = result.logits.double()
                # log p1 - log p0 orders answers like p1 without saturating.
                scores = logits[:, -1] - (logits[:, 0] if logits.shape[1] == 2 else 0)
            self.truncated += int((read_lengths < full_lengths)[batch].sum())
            yield batch, scores.cpu().numpy()

    def _tokenize_pairs(self, pairs: Sequence[tuple[str, str]]) -> dict[str, list[TokenIds]]:
        """Token ids of every distinct text, without special tokens and uncut; of what stands before an answer
        and of the answer by themselves."""
        import numpy as np

        texts = {text: text.split(_ANSWER, 1) for pair in pairs for text in pair}
        parts = list(dict.fromkeys(part for split in texts.values() for part in split))
        ids = dict(zip(parts, tokenize_texts(self._tokenizer, parts), strict=True))
        return {text: [np.array(ids[part], np.int32) for part in split] for text, split in texts.items()}

    def _cut_sides(
        self, tokens: Mapping[str, list[TokenIds]], question: str, answer: str, left: int, right: int
    ) -> tuple[TokenIds, TokenIds]:
        """Return what is read of a pair: so many tokens of each side."""
        import numpy as np

        asked = np.concatenate(tokens[question])
        *before, own = tokens[answer]
        if self._windows:
            own = best_window(own, asked, max(0, right - sum(map(len, before))))
        return asked[:left], np.concatenate([*before, own])[:right]


_LIBRARY = "config_sentence_transformers.json"


def _read_prompt(folder: Path) -> str:
    """Return what the model's authors put before every question, as sentence-transformers' CrossEncoder
    does."""
    if not (folder / "modules.json").exists():
        return ""
    try:
        about = json.loads((folder / _LIBRARY).read_bytes())
        return str((about.get("prompts") or {}).get(about.get("default_prompt_name")) or "")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise unusable_model_error(folder, f"{_LIBRARY} cannot be read", CODE) from error


def _keep_head_exact(model: Any, device: str) -> None:
    """Have what makes scores of states compute in single precision, also where the encoder has 16 bits: of
    logits with 8 bits a hundred answers have five scores."""
    import torch

    encoder = model.base_model
    heads = [part for part in model.children() if part is not encoder]
    if isinstance(pooler := getattr(encoder, "pooler", None), torch.nn.Module):
        heads.append(pooler)

    def wrap_forward(forward: Callable[..., Any]) -> Callable[..., Any]:
        def run_exact(*given: Any, **named: Any) -> Any:
            with torch.autocast(device, enabled=False):
                return forward(
                    *map(_to_single_precision, given),
                    **{name: _to_single_precision(one) for name, one in named.items()},
                )

        return run_exact

    for part in heads:
        part.forward = wrap_forward(part.forward)


def _to_single_precision(value: Any) -> Any:
    import torch

    return value.float() if isinstance(value, torch.Tensor) and value.is_floating_point() else value


def _load_classifier(folder: Path, *, cosine: bool) -> Any:
    """Return the model in single precision; a head that the folder lacks would be drawn at random and is
    refused.
    """
    from transformers import AutoModel, AutoModelForSequenceClassification

    if cosine and has_top_layers(folder):
        missing, labels, model = [], 2, cosine_head(open_top_layers(folder, CODE))
    elif cosine:
        encoder, info = open_model(AutoModel, folder, CODE, add_pooling_layer=False)
        missing, labels, model = sorted(info["missing_keys"]), 2, cosine_head(encoder)
    else:
        model, info = open_model(AutoModelForSequenceClassification, folder, CODE)
        missing, labels = sorted(info["missing_keys"]), model.config.num_labels
    if missing or labels not in (1, 2):
        what = f"{missing[0]} is missing" if missing else f"it has {labels} labels"
        remedy = "Fine-tune it first: mathwb train arqmath/finetune-n1 (see mathwb train --list)."
        raise unusable_model_error(
            folder, f"this model is not a classifier of pairs: {what}", "E381", remedy, exit_code=2
        )
    return model
