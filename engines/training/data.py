"""Training data: batches of about one length, made ahead, resampled in every epoch where asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

import numpy as np

from engines.core.errors import EngineError
from engines.training.task import Batch, Stream, TrainConfig, TrainingTable

T = TypeVar("T")


class Ahead(Iterator[T], Generic[T]):
    """Iterate over a source one item ahead: a thread makes the next item while the current one is used.

    An exception of the source is raised where its item is asked for. `close` it after use.
    """

    def __init__(self, source: Iterator[T]) -> None:
        self._source = source
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ahead")
        self._next: Future[T] = self._thread.submit(next, source)

    def __next__(self) -> T:
        result = self._next.result()
        self._next = self._thread.submit(next, self._source)
        return result

    def wait_until_idle(self) -> None:
        """Wait until the thread is at rest: what follows may use what the iterator uses."""
        wait([self._next])

    def close(self) -> None:
        """Stop the thread that makes batches ahead."""
        self._thread.shutdown(wait=True, cancel_futures=True)


class Resampled(Generic[T]):
    """A `TrainingTable` of `count` rows in the random order of an epoch; without one, in their own.

    Args: draw: makes the example of a row with random numbers that seed, epoch and row determine.
    """

    def __init__(
        self, count: int, draw: Callable[[int, np.random.Generator], T], seed: int, epoch: int | None = None
    ) -> None:
        self._count, self._draw, self._seed, self._epoch = count, draw, seed, epoch or 0
        order = np.random.default_rng([seed, 7, self._epoch]).permutation(count)
        self._order = np.arange(count) if epoch is None else order

    def shuffled(self, epoch: int) -> Resampled[T]:
        """Return the examples of another epoch."""
        return Resampled(self._count, self._draw, self._seed, epoch)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> T:
        row = int(self._order[index])
        return self._draw(row, np.random.default_rng([self._seed, 5, self._epoch, row]))


Numbered = tuple[int, int]
"""A row, and a number that is another one in every epoch, for what is drawn when it is collated."""


def number_rows(rows: Sequence[int], seed: int) -> Resampled[Numbered]:
    """Return row numbers with a fresh random number for each, drawn again in every epoch."""
    return Resampled(len(rows), lambda index, draw: (int(rows[index]), int(draw.integers(2**63))), seed)


# Batches of examples of about one length, in an order that seed and position determine.
#
# The data is read in windows of `bucket` batches. A window is sorted by length, cut into batches, and the
# batches are shuffled with a generator of their own for every (seed, epoch, window). So a position is three
# numbers (`Position`), whatever the data is, and no random number of the training is used up.


@dataclass(frozen=True, slots=True)
class StreamPosition:
    """The position of a training in its data: epoch, window and batch, and what went before."""

    epoch: int = 0
    window: int = 0
    batch: int = 0
    tokens: int = 0
    examples: int = 0


class Batches:
    """An endless iterator of collated batches; `position` is that after the batch given out last. The next
    one is made in a thread meanwhile: `settle` waits for it, `close` ends the thread.

    Of several processes each takes its turn: process `rank` of `world` gets every world-th batch, and the
    position counts the batches of all.
    """

    def __init__(
        self,
        data: TrainingTable | Stream,
        config: TrainConfig,
        *,
        length: Callable[[Any], int],
        collate: Callable[[Sequence[Any]], Batch],
        start: StreamPosition = StreamPosition(),
        rank: int = 0,
        world: int = 1,
    ) -> None:
        self.position = start
        self._data = data
        self._config = config
        self._length = length
        self._collate = collate
        self._rank = rank
        self._world = world
        self._ahead: Ahead[tuple[Batch, StreamPosition]] | None = None

    def __iter__(self) -> Iterator[Batch]:
        return self

    def __next__(self) -> Batch:
        """From the position on.

        Raises:
            EngineError: E636 when there is nothing to read.
        """
        if self._ahead is None:
            self._ahead = Ahead(self._make_batches())
        batch, self.position = next(self._ahead)
        return batch

    def wait_until_idle(self) -> None:
        """Wait until nothing is made: what follows may use the data and what collates it."""
        if self._ahead is not None:
            self._ahead.wait_until_idle()

    def close(self) -> None:
        """End the thread; asked again, it goes on from the position."""
        if self._ahead is not None:
            self._ahead.close()
            self._ahead = None

    def _make_batches(self) -> Iterator[tuple[Batch, StreamPosition]]:
        turn = 0
        for examples, after in self._walk_windows(self.position):
            mine = turn == self._rank
            turn = (turn + 1) % self._world
            if mine:
                batch = self._collate(examples)
            if turn == 0:
                yield batch, after

    def _walk_windows(self, start: StreamPosition) -> Iterator[tuple[list[Any], StreamPosition]]:
        size = self._config.batch_size * self._config.bucket
        epoch, window, skip = start.epoch, start.window, start.batch
        tokens, examples = start.tokens, start.examples
        while True:
            source = self._shuffled_windows(epoch, window, size)
            empty = window == 0
            for content in source:
                empty = False
                for number, (batch, length) in enumerate(self._cut_window(content, epoch, window)):
                    if number < skip:
                        continue
                    tokens += length
                    examples += len(batch)
                    yield batch, StreamPosition(epoch, window, number + 1, tokens, examples)
                window, skip = window + 1, 0
            if empty:
                remedy = "Name data with examples, or filter less strictly."
                raise EngineError("there is no training data", code="E636", remedy=remedy)
            epoch, window, skip = epoch + 1, 0, 0

    def _shuffled_windows(self, epoch: int, first: int, size: int) -> Iterator[list[Any]]:
        if isinstance(self._data, Stream):
            stream = iter(self._data.read_epoch(epoch, first * size))
            while window := list(islice(stream, size)):
                yield window
            return
        data, count = self._data, len(self._data)
        order = None
        if shuffled := getattr(data, "shuffled", None):
            data = shuffled(epoch)
        else:
            order = np.random.default_rng([self._config.seed, 1, epoch]).permutation(count)
        many = getattr(data, "__getitems__", None)
        for begin in range(first * size, count, size):
            end = min(begin + size, count)
            positions = (np.arange(begin, end) if order is None else order[begin:end]).tolist()
            yield list(many(positions)) if many else [data[index] for index in positions]

    def _cut_window(self, window: list[Any], epoch: int, number: int) -> list[tuple[list[Any], int]]:
        config = self._config
        lengths = np.fromiter((self._length(example) for example in window), np.int64, len(window))
        order = np.arange(len(window)) if config.bucket == 1 else np.argsort(lengths, kind="stable")
        parts = _batch_ends(lengths[order], config)
        cut = [order[a:b] for a, b in zip([0, *parts[:-1]], parts, strict=True)]
        shuffle = np.random.default_rng([config.seed, 2, epoch, number]).permutation(len(cut))
        return [([window[i] for i in cut[part]], int(lengths[cut[part]].sum())) for part in shuffle]


def _batch_ends(lengths: Any, config: TrainConfig) -> list[int]:
    """Return where batches end in a window whose examples have these lengths."""
    if not config.batch_tokens:
        return [*range(config.batch_size, len(lengths), config.batch_size), len(lengths)]
    ends, begin, longest = [], 0, 0
    for index, length in enumerate(lengths.tolist()):
        longest = max(longest, length)
        # An example that is too long for the budget alone is a batch of its own.
        if index > begin and longest * (index - begin + 1) > config.batch_tokens:
            ends.append(index)
            begin, longest = index, length
    return [*ends, len(lengths)]


def batches_per_epoch(data: TrainingTable | Stream, config: TrainConfig) -> int:
    """Return how many batches an epoch has; 0 when only reading it would show."""
    if config.batch_tokens or isinstance(data, Stream):
        return 0
    return -(-len(data) // config.batch_size)
