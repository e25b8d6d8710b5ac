"""Every example once an epoch, batches of about one length, and the same order from any position."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.errors import EngineError
from engines.training import TrainConfig
from engines.training.data import Batches, StreamPosition, batches_per_epoch


class Flow:
    def __init__(self, examples: list[Any]) -> None:
        self.examples = examples

    def read_epoch(self, epoch: int, start: int) -> Any:
        yield from self.examples[start:]


def batches(data: Any, config: TrainConfig, **more: Any) -> Batches:
    return Batches(data, config, length=len, collate=lambda rows: {"rows": list(rows)}, **more)


def config(**changes: Any) -> TrainConfig:
    return TrainConfig(**{"steps": 1, "batch_size": 4, "bucket": 3, **changes})


texts = st.lists(st.text("ab", min_size=1, max_size=9), min_size=1, max_size=60)


@pytest.mark.slow
@given(texts, st.booleans(), st.integers(0, 3), st.sampled_from([0, 12]))
def test_an_epoch_has_every_example_once_and_resumes_anywhere(
    data: list[str], flow: bool, seed: int, tokens: int
) -> None:
    source: Any = Flow(data) if flow else data
    plan = config(seed=seed, batch_tokens=tokens)
    whole, positions, seen = [], [StreamPosition()], 0
    reader = batches(source, plan)
    for batch in reader:
        whole.append(batch["rows"])
        positions.append(reader.position)
        seen += len(batch["rows"])
        if seen >= 2 * len(data):
            break
    assert seen == 2 * len(data)
    assert Counter(text for rows in whole for text in rows) == Counter(data * 2)
    assert positions[-1].tokens == 2 * sum(map(len, data))
    assert positions[-1].examples == seen
    if not tokens:
        assert all(len(rows) <= 4 for rows in whole)
    for place in range(len(whole)):
        again = batches(source, plan, start=positions[place])
        assert [batch["rows"] for batch in islice(again, len(whole) - place)] == whole[place:]


@given(texts)
def test_a_budget_of_tokens_counts_padding(data: list[str]) -> None:
    for batch in islice(batches(data, config(batch_tokens=12)), 10):
        rows = batch["rows"]
        assert len(rows) == 1 or max(map(len, rows)) * len(rows) <= 12


def test_a_batch_holds_examples_of_about_one_length() -> None:
    data = ["x" * (1 + number * 7 % 50) for number in range(400)]
    padded = plain = 0
    for batch in islice(batches(data, config(batch_size=8, bucket=50)), 50):
        rows = batch["rows"]
        padded += max(map(len, rows)) * len(rows)
        plain += sum(map(len, rows))
    assert padded < 1.05 * plain


def test_epochs_and_seeds_differ() -> None:
    data = [str(number) for number in range(48)]
    first = [batch["rows"] for batch in islice(batches(data, config()), 24)]
    assert first[:12] != first[12:]
    assert first != [batch["rows"] for batch in islice(batches(data, config(seed=1)), 24)]


def test_an_order_that_is_random_already_is_kept() -> None:
    class Shuffled(list[str]):
        def shuffled(self, epoch: int) -> list[str]:
            return self[epoch:] + self[:epoch]

    data = Shuffled(str(number) for number in range(20))
    found = [row for batch in islice(batches(data, config(bucket=1)), 10) for row in batch["rows"]]
    assert found == [*data, *data[1:], data[0]]


def test_many_can_be_read_at_once() -> None:
    asked = []

    class Many(list[str]):
        def __getitems__(self, places: list[int]) -> list[str]:
            asked.append(len(places))
            return [self[place] for place in places]

    next(iter(batches(Many("abcdefghijklmnopqrst"), config())))
    assert asked == [12]


def test_processes_share_the_batches() -> None:
    data = [str(number) for number in range(24)]
    alone = [batch["rows"] for batch in islice(batches(data, config()), 6)]
    shares = [
        [batch["rows"] for batch in islice(batches(data, config(), rank=rank, world=2), 3)] for rank in (0, 1)
    ]
    assert [rows for pair in zip(*shares, strict=True) for rows in pair] == alone


def test_no_data_is_said() -> None:
    with pytest.raises(EngineError) as caught:
        next(iter(batches([], config())))
    assert caught.value.code == "E636"


def test_length_of_an_epoch() -> None:
    assert batches_per_epoch(["a"] * 9, config()) == 3
    assert batches_per_epoch(["a"] * 9, config(batch_tokens=5)) == 0
    assert batches_per_epoch(Flow(["a"]), config()) == 0


def test_the_next_batch_is_made_while_the_position_is_that_of_the_last() -> None:
    data, made = [str(number) for number in range(24)], []

    def collate(rows: Any) -> dict[str, Any]:
        made.append(list(rows))
        return {"rows": list(rows)}

    reader = Batches(data, config(), length=len, collate=collate)
    first = next(reader)["rows"]
    reader.wait_until_idle()
    assert len(made) == 2
    assert made[0] == first
    assert reader.position.examples == 4
    # Closed and asked again, it gives what was made ahead, and loses nothing.
    reader.close()
    assert next(reader)["rows"] == made[1]
    reader.close()


def test_what_goes_wrong_in_the_thread_is_raised_where_the_batch_is_asked_for() -> None:
    def collate(rows: Any) -> dict[str, Any]:
        raise ValueError("no such token")

    reader = Batches(["a"], config(), length=len, collate=collate)
    with pytest.raises(ValueError, match="no such token"):
        next(reader)
    reader.close()
