"""Problems with solutions to train a generator on: questions of a collection with one answer each, AMPS.

Texts are tokenised once, into a file: a full collection has billions of tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engines.arqmath.training.sequences import kept_rows, longest_first, named
from engines.core.errors import DataError

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerFast

__all__ = ["KHAN_TIMES", "MATHEMATICA_SHARE", "Problems", "Texts", "amps_texts", "collection_texts"]

KHAN_TIMES = 5
MATHEMATICA_SHARE = 0.5
"""How often AMPS's exercises are taken (paper section 4.3)."""


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
    from engines.forum.folder import ArqmathFolder
    from engines.forum.readers import Report, read_posts

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
        raise DataError(
            "no question has an answer",
            path=posts,
            code="E651",
            exit_code=3,
            remedy="Name Posts with questions and their answers.",
        )
    number = {post: n for n, post in enumerate(post for pair in chosen for post in pair)}

    def read() -> Iterator[tuple[int, str]]:
        for post in read_posts(posts, Report()):
            if post.id in number:
                yield number[post.id], post.text

    return Texts(read(), len(number), np.arange(len(number)).reshape(-1, 2))


def amps_texts(folder: Path, *, seed: int) -> Texts:
    """AMPS: Khan's exercises five times, half of Mathematica's, drawn by the seed."""
    from engines.arqmath.collection.amps import read_amps
    from engines.forum.readers import Report

    rng = np.random.default_rng(seed)
    texts: list[tuple[int, str]] = []
    pairs: list[tuple[int, int]] = []
    for problem in read_amps(folder, Report()):
        times = KHAN_TIMES if problem.source == "khan" else int(rng.random() < MATHEMATICA_SHARE)
        if times:
            pairs += [(len(texts), len(texts) + 1)] * times
            texts += [(len(texts), problem.problem), (len(texts) + 1, problem.solution)]
    if not pairs:
        raise DataError(
            "no exercise is found here",
            path=folder,
            code="E651",
            exit_code=3,
            remedy="Expected AMPS's folders khan/<exercise>/N.json or mathematica/<topic>/N.txt.",
        )
    return Texts(texts, len(texts), np.array(pairs, np.int64))


class Problems:
    """Pairs of tokenised texts with random access: an item is (number, tokens of the training sequence)."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerFast,
        sources: Sequence[Texts],
        *,
        max_length: int,
        place: Path | None = None,
    ) -> None:
        self.max_length = max_length
        self._before, self._between = tokenizer(["PROBLEM: ", "SOLUTION: "], add_special_tokens=False)[
            "input_ids"
        ]
        self._end = tokenizer.eos_token_id
        self._room = max_length - len(self._before) - len(self._between) - 1
        # No more of a text is ever read than one that stands alone would keep.
        numbers, self._texts = kept_rows(place, lambda: named(tokenizer, _read(sources)), keep=max_length)
        begins = np.cumsum([0, *(source.count for source in sources)])
        rows = np.argsort(numbers)
        pairs = [source.pairs + begin for source, begin in zip(sources, begins, strict=False)]
        self.pairs = rows[np.concatenate(pairs)]
        """(pairs, 2) rows of problem and solution."""
        self.cut = float((self._texts.lengths[self.pairs].sum(axis=1) > self._room).mean())
        """The share of pairs that had to be shortened."""

    def sequence(self, pair: int) -> tuple[list[int], int]:
        """Token ids with the end token, and how many are the prompt's; the longer text is cut first."""
        asked, answered = (self._texts[row].tolist() for row in self.pairs[pair])
        first, second = longest_first(len(asked), len(answered), self._room)
        head = [*self._before, *asked[:first], *self._between]
        return [*head, *answered[:second], self._end], len(head)

    def __len__(self) -> int:
        return len(self.pairs)


def _read(sources: Iterable[Texts]) -> Iterator[tuple[int, str]]:
    """The texts of all sources with their numbers: those of a source follow the ones before."""
    begin = 0
    for source in sources:
        for number, text in source.read:
            yield begin + number, text
        begin += source.count
