"""The cross-encoder: question and answer are read together, and P(label 1) is the score.

Fact sheet section 3.5. The score is the softmax probability and not the raw logit of class 1, which orders
pairs rightly only where the other logit is constant. Pairs are sorted by length, so that a batch is hardly
ever padded; a text that stands in many pairs is tokenised once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MAX_TOKENS", "CrossEncoder", "Scorer", "longest_first"]

MAX_TOKENS = 512
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model")
_OFFSET_POSITIONS = ("roberta", "xlm-roberta", "camembert")
"""Their positions begin behind that of the padding, so the table holds fewer tokens than it has rows."""

_BATCH_TOKENS = {"cpu": 4_096, "cuda": 65_536}
"""Tokens of a batch with its padding. Larger ones are no faster on a CPU, whose caches they leave."""


class Scorer(Protocol):
    """What a ranking asks for scores."""

    @property
    def name(self) -> str:
        """What it is called in reports and in the last column of a run."""
        ...

    @property
    def fingerprint(self) -> str:
        """Changes when its scores could."""
        ...

    @property
    def truncated(self) -> int:
        """How many of the pairs that it has scored so far were too long to be read whole."""
        ...

    def score(
        self, pairs: Sequence[tuple[str, str]], *, events: Sink = ignore, stop: Stop = never
    ) -> NDArray[np.float64]:
        """(pairs,) probabilities that the answer is one, in the order of the pairs (question, answer).

        Events: progress in pairs. When `stop` is raised it ends early: what was not reached is NaN.
        """
        ...


def longest_first(left: int, right: int, room: int) -> tuple[int, int]:
    """How many tokens of either side stay when both must fit into `room`: the longer side gives first.

    >>> longest_first(40, 600, 509), longest_first(400, 300, 509), longest_first(10, 10, 509)
    ((40, 469), (255, 254), (10, 10))
    """
    if left + right <= room:
        return left, right
    short = min(left, right)
    half = room // 2
    if short <= half:
        return (left, room - left) if left <= right else (room - right, right)
    # Both give: as Hugging Face's "longest_first", the side that was longer keeps the odd token.
    return (half, room - half) if left <= right else (room - half, half)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The special tokens around the two texts of a pair, and the segment of every part."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    segments: tuple[int, int, int, int, int] | None

    @property
    def width(self) -> int:
        return len(self.before) + len(self.between) + len(self.after)

    def ids(self, left: Sequence[int], right: Sequence[int]) -> list[int]:
        return [*self.before, *left, *self.between, *right, *self.after]

    def types(self, left: int, right: int) -> list[int]:
        assert self.segments is not None
        parts = (len(self.before), left, len(self.between), right, len(self.after))
        return [kind for kind, count in zip(self.segments, parts, strict=True) for _ in range(count)]


def _frame(tokenizer: Any) -> _Frame:
    """What the tokenizer puts around a pair, read off a short one."""
    found = tokenizer("a", "b")
    ids, sides = found["input_ids"], found.sequence_ids(0)
    first, last = sides.index(0), len(sides) - sides[::-1].index(0)
    second, end = sides.index(1), len(sides) - sides[::-1].index(1)
    types = found.get("token_type_ids")
    segments = None
    if types is not None:
        around = (types[:first], types[first:last], types[last:second], types[second:end], types[end:])
        segments = tuple(part[0] if part else 0 for part in around)
    return _Frame(tuple(ids[:first]), tuple(ids[last:second]), tuple(ids[end:]), segments)  # type: ignore[arg-type]


class CrossEncoder:
    """A Hugging Face folder of a sequence classifier with two labels.

    `pairs` and `truncated` count what has been scored and which of it was cut, longest side first.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        device: str = "auto",
        max_tokens: int = MAX_TOKENS,
        exact: bool = False,
    ) -> None:
        """Load it.

        Args: device: `auto` takes a GPU where there is one. max_tokens: of a pair with its special tokens; at
        most what the model can read. exact: single precision also where the device multiplies matrices of 16
        bits several times faster (a GPU, or a processor with AMX).

        Raises: DataError E380 for a folder without model or tokenizer, E381 for a model that is no classifier
        with two labels, E382 for a tokenizer that is not the model's.
        """
        import torch

        self.folder = Path(folder)
        self.name = self.folder.resolve().name
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self._device = device
        self._tokenizer = _load_tokenizer(self.folder)
        self._model = _load_classifier(self.folder).to(device).eval()
        config = self._model.config
        if len(self._tokenizer) > self._model.get_input_embeddings().num_embeddings:
            raise DataError(
                f"the tokenizer knows {len(self._tokenizer):,} tokens and the model "
                f"{self._model.get_input_embeddings().num_embeddings:,}",
                path=self.folder,
                code="E382",
                remedy="Put the tokenizer beside the model that it was saved with.",
            )
        positions = int(config.max_position_embeddings)
        if config.model_type in _OFFSET_POSITIONS:
            positions -= int(config.pad_token_id or 0) + 1
        self.max_tokens = min(max_tokens, positions)
        self._frame = _frame(self._tokenizer)
        self._half = None if exact else _half(device)
        self._batch_tokens = _BATCH_TOKENS["cpu" if device == "cpu" else "cuda"]
        self.pairs = 0
        self.truncated = 0

    @property
    def fingerprint(self) -> str:
        """A hash of weights, tokenizer, length and precision."""
        import hashlib

        from engines.core.files import sha256

        found = hashlib.sha256(f"{self.max_tokens} {self._half}\n".encode())
        for file in sorted(self.folder.iterdir()):
            if file.suffix == ".safetensors" or file.name in (*_TOKENIZERS, "config.json"):
                found.update(f"{file.name} {sha256(file)}\n".encode())
        return found.hexdigest()[:16]

    def score(
        self, pairs: Sequence[tuple[str, str]], *, events: Sink = ignore, stop: Stop = never
    ) -> NDArray[np.float64]:
        """As `Scorer.score`. The same pairs give the same numbers; batches of other pairs may change the last
        digits."""
        import numpy as np
        import torch

        found = np.full(len(pairs), np.nan)
        if not pairs:
            return found
        tokens = self._tokenised(pairs)
        room = self.max_tokens - self._frame.width
        kept = np.array(
            [longest_first(len(tokens[question]), len(tokens[answer]), room) for question, answer in pairs]
        )
        whole = np.array([len(tokens[question]) + len(tokens[answer]) for question, answer in pairs])
        lengths = kept.sum(1) + self._frame.width
        cut = lengths - self._frame.width < whole
        done = 0
        with torch.inference_mode():
            for batch in _batches(lengths, self._batch_tokens):
                if stop():
                    break
                sides = [
                    (tokens[pairs[row][0]][: kept[row, 0]], tokens[pairs[row][1]][: kept[row, 1]])
                    for row in batch
                ]
                with torch.autocast(self._device, self._half, enabled=self._half is not None):
                    logits = self._model(**self._inputs(sides)).logits
                odds = (logits[:, 1].double() - logits[:, 0].double()).cpu().numpy()
                found[batch] = 1 / (1 + np.exp(-np.clip(odds, -700, 700)))
                done += len(batch)
                self.pairs += len(batch)
                self.truncated += int(cut[batch].sum())
                events(Event("progress", {"done": done, "total": len(pairs), "unit": "pairs"}))
        return found

    def _tokenised(self, pairs: Sequence[tuple[str, str]]) -> dict[str, list[int]]:
        """Token ids of every distinct text, without special tokens and uncut."""
        texts = list(dict.fromkeys(text for pair in pairs for text in pair))
        found: list[list[int]] = self._tokenizer(
            texts, add_special_tokens=False, return_attention_mask=False, verbose=False
        )["input_ids"]
        return dict(zip(texts, found, strict=True))

    def _inputs(self, sides: Sequence[tuple[list[int], list[int]]]) -> dict[str, Any]:
        """The tensors of a batch, padded to its longest pair."""
        import torch

        rows = [self._frame.ids(left, right) for left, right in sides]
        width = max(map(len, rows))
        pad = self._tokenizer.pad_token_id or 0
        made = {
            "input_ids": [row + [pad] * (width - len(row)) for row in rows],
            "attention_mask": [[1] * len(row) + [0] * (width - len(row)) for row in rows],
        }
        if self._frame.segments is not None:
            kinds = [self._frame.types(len(left), len(right)) for left, right in sides]
            made["token_type_ids"] = [row + [0] * (width - len(row)) for row in kinds]
        return {name: torch.tensor(rows).to(self._device) for name, rows in made.items()}


def _batches(lengths: NDArray[np.int64], batch_tokens: int) -> Iterator[NDArray[np.int64]]:
    """Rows by length, longest first, so that a lack of memory shows at once."""
    import numpy as np

    order = np.argsort(-lengths, kind="stable")
    begin = 0
    while begin < len(order):
        count = max(1, batch_tokens // int(lengths[order[begin]]))
        yield order[begin : begin + count]
        begin += count


def _half(device: str) -> Any:
    """The 16-bit type that the device is several times faster in, or None."""
    import torch

    if device != "cpu":
        return torch.float16
    has_amx = getattr(torch.cpu, "_is_amx_tile_supported", None)
    return torch.bfloat16 if has_amx is not None and has_amx() else None


def _load_tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    if not (folder / "config.json").exists():
        raise DataError(
            "this is no model folder: config.json is missing",
            path=folder,
            code="E380",
            exit_code=3,
            remedy="Name a folder that mathwb train or save_pretrained wrote.",
        )
    # Without these files some tokenizer classes load all the same, and know no word.
    if not any((folder / name).exists() for name in _TOKENIZERS):
        raise DataError(
            f"the model folder has no tokenizer ({', '.join(_TOKENIZERS[:3])} …)",
            path=folder,
            code="E380",
            exit_code=3,
            remedy="Copy the tokenizer of the model that it was trained from into the folder.",
        )
    try:
        return AutoTokenizer.from_pretrained(folder, local_files_only=True, use_fast=True)
    except Exception as error:  # the library raises what the damage happens to lead to
        raise _unreadable(folder, "tokenizer", error) from error


def _load_classifier(folder: Path) -> Any:
    """The model in single precision; a head that the folder lacks would be drawn at random and is refused."""
    import torch
    from transformers import AutoModelForSequenceClassification
    from transformers.utils import logging

    # What it would say of a head that is not there, the error below says.
    logging.disable_progress_bar()
    verbosity = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        model, info = AutoModelForSequenceClassification.from_pretrained(
            folder, local_files_only=True, use_safetensors=True, dtype=torch.float32, output_loading_info=True
        )
    except Exception as error:  # the library raises what the damage happens to lead to
        raise _unreadable(folder, "model", error) from error
    finally:
        logging.set_verbosity(verbosity)
    if info["missing_keys"] or model.config.num_labels != 2:
        missing = sorted(info["missing_keys"])
        what = f"{missing[0]} is missing" if missing else f"it has {model.config.num_labels} labels"
        raise DataError(
            f"this model is no classifier of pairs: {what}",
            path=folder,
            code="E381",
            remedy="Fine-tune it first: mathwb train arqmath/finetune-n1 (see mathwb train --list).",
        )
    return model


def _unreadable(folder: Path, part: str, error: Exception) -> DataError:
    first = (str(error).strip().splitlines() or [type(error).__name__])[0]
    return DataError(f"the {part} cannot be loaded: {first[:200]}", path=folder, code="E380", exit_code=3)
