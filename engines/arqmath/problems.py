"""Problems with solutions to train a generator on: questions of a collection with one answer each, AMPS.

Texts are tokenised once, into a temporary file: a full collection has billions of tokens.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engines.arqmath.sequences import longest_first
from engines.core.errors import DataError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

__all__ = ["KHAN_TIMES", "MATHEMATICA_SHARE", "Problems", "Texts", "amps_texts", "collection_texts"]

KHAN_TIMES = 5
MATHEMATICA_SHARE = 0.5
"""How often AMPS's exercises are taken (paper section 4.3)."""
_CHUNK = 512


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts by number, and which of them belong together: `pairs` is (examples, 2), problem and solution."""

    read: Iterable[tuple[int, str]]
    count: int
    pairs: NDArray[np.int64]


def collection_texts(folder: Path, *, seed: int) -> Texts:
    """Every question of a collection that has an answer, with one of its answers, drawn by the seed.

    The posts are read twice: for their ids, and for their texts. Raises: DataError E651 without any.
    """
    from engines.arqmath.collection import Report, read_posts
    from engines.arqmath.folder import ArqmathFolder

    posts = ArqmathFolder.open(folder).need_posts()
    answers: dict[str, list[str]] = {}
    questions: set[str] = set()
    for post in read_posts(posts, Report()):
        if post.kind == 1:
            questions.add(post.id)
        elif post.body.text:
            answers.setdefault(post.parent, []).append(post.id)
    rng = np.random.default_rng(seed)
    chosen = [(asked, ids[int(rng.integers(len(ids)))]) for asked, ids in sorted(answers.items())]
    chosen = [pair for pair in chosen if pair[0] in questions]
    if not chosen:
        raise DataError("no question has an answer", path=posts, code="E651", exit_code=3)
    number = {post: n for n, post in enumerate(post for pair in chosen for post in pair)}

    def read() -> Iterator[tuple[int, str]]:
        for post in read_posts(posts, Report()):
            if post.id in number:
                yield number[post.id], post.text

    return Texts(read(), len(number), np.arange(len(number)).reshape(-1, 2))


def amps_texts(folder: Path, *, seed: int) -> Texts:
    """AMPS: Khan's exercises five times, half of Mathematica's, drawn by the seed."""
    from engines.arqmath.amps import read_amps
    from engines.arqmath.collection import Report

    rng = np.random.default_rng(seed)
    texts: list[tuple[int, str]] = []
    pairs: list[tuple[int, int]] = []
    for problem in read_amps(folder, Report()):
        times = KHAN_TIMES if problem.source == "khan" else int(rng.random() < MATHEMATICA_SHARE)
        if times:
            pairs += [(len(texts), len(texts) + 1)] * times
            texts += [(len(texts), problem.problem), (len(texts) + 1, problem.solution)]
    if not pairs:
        raise DataError("no exercise is found here", path=folder, code="E651", exit_code=3)
    return Texts(texts, len(texts), np.array(pairs, np.int64))


class Problems:
    """Pairs of tokenised texts with random access: an item is (number, tokens of the training sequence)."""

    def __init__(
        self, tokenizer: PreTrainedTokenizerFast, sources: Sequence[Texts], *, max_length: int
    ) -> None:
        self.max_length = max_length
        first, self._between = tokenizer(["PROBLEM: ", "SOLUTION: "], add_special_tokens=False)["input_ids"]
        self._before, self._end = first, tokenizer.eos_token_id
        self._offsets = np.zeros(sum(source.count for source in sources), np.int64)
        self._lengths = np.zeros(len(self._offsets), np.int32)
        self._file = tempfile.TemporaryFile(prefix="mathwb-")  # noqa: SIM115 (lives as long as this object)
        self.pairs = self._written(tokenizer, sources)
        self._tokens: Any = np.memmap(self._file, np.uint32, mode="r")
        room = max_length - len(self._before) - len(self._between) - 1
        self.cut = float((self._lengths[self.pairs].sum(axis=1) > room).mean())
        """The share of pairs that had to be shortened."""

    def _written(self, tokenizer: PreTrainedTokenizerFast, sources: Sequence[Texts]) -> NDArray[np.int64]:
        place, at, pairs = 0, 0, []
        for source in sources:
            for numbers, texts in _chunks(source.read):
                for number, ids in zip(
                    numbers, tokenizer(texts, add_special_tokens=False)["input_ids"], strict=True
                ):
                    # No more of a text is ever read than one that stands alone would keep.
                    kept = np.array(ids[: self.max_length], np.uint32)
                    self._offsets[at + number], self._lengths[at + number] = place, len(kept)
                    self._file.write(kept.tobytes())
                    place += len(kept)
            pairs.append(source.pairs + at)
            at += source.count
        self._file.flush()
        return np.concatenate(pairs)

    def _text(self, number: int) -> list[int]:
        begin = int(self._offsets[number])
        found: list[int] = self._tokens[begin : begin + int(self._lengths[number])].tolist()
        return found

    def sequence(self, pair: int) -> tuple[list[int], int]:
        """Token ids with the end token, and how many are the prompt's; the longer text is cut first."""
        asked, answered = (self._text(int(number)) for number in self.pairs[pair])
        room = self.max_length - len(self._before) - len(self._between) - 1
        first, second = longest_first(len(asked), len(answered), room)
        head = [*self._before, *asked[:first], *self._between]
        return [*head, *answered[:second], self._end], len(head)

    def __len__(self) -> int:
        return len(self.pairs)


def _chunks(texts: Iterable[tuple[int, str]]) -> Iterator[tuple[list[int], list[str]]]:
    numbers: list[int] = []
    held: list[str] = []
    for number, text in texts:
        numbers.append(number)
        held.append(text)
        if len(held) == _CHUNK:
            yield numbers, held
            numbers, held = [], []
    if held:
        yield numbers, held
