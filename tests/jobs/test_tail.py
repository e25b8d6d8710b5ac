"""Event logs read while they grow, from both ends, damaged or not."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.jobs import tail
from workbench.jobs.logged_values import read_finite_values
from workbench.jobs.merged_curves import AttemptCurves, MeasureCurve
from workbench.jobs.tail import EventTail, LineTail, last_lines, read_progress


def line(seq: int, kind: str = "log", t: float = 0.0, step: int | None = None, **data: Any) -> str:
    event = {"v": 1, "t": t, "job": 1, "attempt": 1, "seq": seq, "kind": kind, "step": step, "data": data}
    return json.dumps(event, separators=(",", ":")) + "\n"


def seqs(events: list[Any]) -> list[int]:
    return [event.seq for event in events]


@given(
    texts=st.lists(st.text(max_size=20), max_size=12),
    cuts=st.lists(st.integers(0, 2000), max_size=12),
    size=st.integers(1, 300),
)
def test_however_a_log_arrives_each_event_is_read_once(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], cuts: list[int], size: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "events.jsonl"
    content = "".join(line(seq, message=text) for seq, text in enumerate(texts)).encode()
    reader, read = EventTail(path), []
    places = sorted({0, *(cut % (len(content) + 1) for cut in cuts), len(content)})
    for start, end in pairwise(places):
        with path.open("ab") as file:
            file.write(content[start:end])
        read += reader.read_events(size)
    while reader.unread_bytes:
        read += reader.read_events(size)
    assert [event.data["message"] for event in read] == texts
    assert reader.damaged == 0


def test_a_missing_log_is_empty(tmp_path: Path) -> None:
    assert EventTail(tmp_path / "none").read_events() == []
    assert last_lines(tmp_path / "none", 5) == []
    assert read_progress(tmp_path / "none").done is None


def test_a_replaced_log_and_one_cut_short_are_read_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(line(0) + line(1) + '{"v":1,')
    reader = EventTail(path)
    assert seqs(reader.read_events()) == [0, 1]
    path.write_text(line(7))
    assert seqs(reader.read_events()) == [7]
    (tmp_path / "new").write_text(line(8) + line(9))
    (tmp_path / "new").replace(path)
    assert seqs(reader.read_events()) == [8, 9]
    path.unlink()
    assert reader.read_events() == []


def test_damaged_lines_are_counted_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    deep = "[" * 100_000
    path.write_bytes(line(0).encode() + b"\xff\x00 {\n[1]\n{}\n\n" + deep.encode() + b"\n" + line(1).encode())
    reader = EventTail(path)
    assert seqs(reader.read_events()) == [0, 1]
    assert reader.damaged == 4
    assert reader.complaint.startswith("4 lines of log ")


def test_a_step_that_a_library_counted_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text('{"v":1,"t":1,"job":1,"attempt":1,"seq":0,"kind":"metric","step":"5","data":null}\n')
    reader = EventTail(path)
    assert [(event.step, event.data) for event in reader.read_events()] == [(5, {})]
    assert reader.damaged == 0


def test_a_line_without_end_takes_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tail, "MAX_LINE_BYTES", 1000)
    path = tmp_path / "log"
    path.write_text(line(0) + "x" * 5000 + "\n" + line(1))
    reader, read = EventTail(path), []
    for _ in range(60):
        read += reader.read_events(100)
        assert len(reader._half) <= 1000
    assert seqs(read) == [0, 1]
    assert reader.damaged == 1


@given(count=st.integers(0, 60), wanted=st.integers(0, 70), half=st.booleans(), length=st.integers(0, 4000))
def test_the_last_lines_are_those_at_the_end(
    tmp_path_factory: pytest.TempPathFactory, count: int, wanted: int, half: bool, length: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "events.jsonl"
    path.write_text("".join(line(n, message="x" * length) for n in range(count)) + '{"v"' * half)
    reader = EventTail(path, from_end=wanted)
    first = reader.read_events(2**22)
    assert seqs(first) == list(range(count))[max(0, count - wanted) :]


def test_last_lines_of_any_text(tmp_path: Path) -> None:
    path = tmp_path / "stderr.log"
    path.write_bytes(b"one\ntwo \xff\nthree")
    assert last_lines(path, 2) == ["two \\xff", "three"]
    assert LineTail(path, from_end=1).read_lines() == [b"two \xff"]


def test_progress_rate_and_time_left(tmp_path: Path) -> None:
    path = tmp_path / "log"
    reports = [line(n, "progress", t=100.0 + n, done=10 * n, total=200, unit="heads") for n in range(11)]
    path.write_text("".join(reports) + line(99, "metric", t=111.0, step=5, loss_nats=0.5))
    found = read_progress(path)
    assert (found.done, found.total, found.unit, found.step, found.last_t) == (100, 200, "heads", 5, 111.0)
    assert found.rate == pytest.approx(10.0)
    assert found.eta_s == pytest.approx(10.0)
    assert found.metrics == {"loss_nats": 0.5}


def test_the_rate_is_that_of_the_last_minute_and_of_this_phase(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(
        line(0, "progress", t=0, done=0, total=1000)
        + line(1, "progress", t=1000, done=100, total=1000)
        + line(2, "progress", t=1010, done=200, total=1000)
    )
    assert read_progress(path).rate == pytest.approx(10.0)
    with path.open("a") as file:
        file.write(line(3, "progress", t=1011, done=5, total=7, unit="pairs"))
    assert read_progress(path).rate is None


def test_the_clock_is_set_back(tmp_path: Path) -> None:
    path = tmp_path / "log"
    times = (5000, 5010, 1000, 1010)
    path.write_text("".join(line(n, "progress", t=t, done=100 * n, total=1000) for n, t in enumerate(times)))
    assert read_progress(path).rate == pytest.approx(10.0)


def test_progress_is_found_behind_many_other_lines(tmp_path: Path) -> None:
    path = tmp_path / "log"
    report = line(0, "progress", t=1.0, done=3, total=None)
    path.write_text(report + "".join(line(n, message="x" * 100) for n in range(1, 5000)))
    assert path.stat().st_size > 2**19
    found = read_progress(path)
    assert (found.done, found.total, found.eta_s) == (3, None, None)


@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300),
    st.integers(1, 20),
)
def test_a_curve_keeps_extremes_and_mean_in_bounded_memory(values: list[float], half_capacity: int) -> None:
    curve = MeasureCurve(half_capacity)
    for step, value in enumerate(values):
        curve.add_values([step], [value])
    assert len(curve.steps) == len(curve.means) == len(curve.lows) == len(curve.highs) <= 2 * half_capacity
    assert curve.steps == sorted(set(curve.steps))
    assert (min(curve.lows), max(curve.highs)) == (min(values), max(values))
    assert (curve.last, curve.count) == (values[-1], len(values))
    # Each point stands for the values from its step to the next one's.
    for start, end, mean in zip(curve.steps, [*curve.steps[1:], len(values)], curve.means, strict=True):
        merged = values[start:end]
        assert mean == pytest.approx(math.fsum(merged) / len(merged), abs=1e-6)


def test_merged_curves_follow_a_log(tmp_path: Path) -> None:
    path = tmp_path / "log"
    curves = AttemptCurves(path)
    assert not curves.read_more()
    path.write_text(
        line(0, "metric", step=10, loss=2.0, lr=0.1) + line(1, message="loss") + line(2, "metric", loss=None)
    )
    assert curves.read_more()
    with path.open("a") as file:
        file.write(line(3, "metric", step=20, loss=1.0, name="text"))
    assert curves.read_more()
    assert (curves.curves["loss"].steps, curves.curves["loss"].means) == ([10, 20], [2.0, 1.0])
    assert set(curves.curves) == {"loss", "lr"}


def test_a_value_without_a_step_follows_the_last_step_on_screen_and_in_the_table(tmp_path: Path) -> None:
    path = tmp_path / "attempt-1" / "events.jsonl"
    path.parent.mkdir()
    path.write_text("".join(line(n, "metric", step=step, loss=1.0) for n, step in enumerate([10, 20, None])))
    curves = AttemptCurves(path)
    curves.read_more()
    with path.open("a") as file:
        file.write(line(3, "metric", loss=2.0))
    curves.read_more()
    assert curves.curves["loss"].steps == [10, 20, 21, 22]
    assert [step for step, _ in read_finite_values(tmp_path, "loss")] == [10, 20, 21, 22]


def test_a_value_that_is_no_number_any_more_is_not_told_as_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    path.write_text(
        line(0, "metric", step=1, loss=0.5, lr=0.1) + line(1, "metric", step=2, loss=None, lr=0.05)
    )
    assert read_progress(path).metrics == {"lr": 0.05}
    tail = EventTail(path)
    assert [event.to_text().split("  ")[-2:] for event in tail.read_events()][1] == [
        "loss not finite",
        "lr 0.05",
    ]


def test_merged_curves_know_where_a_value_was_no_number(tmp_path: Path) -> None:
    path = tmp_path / "log"
    values = [1.0, None, 2.0, None, None]
    path.write_text("".join(line(at, "metric", step=at, loss=value) for at, value in enumerate(values)))
    curves = AttemptCurves(path)
    assert curves.read_more()
    found = curves.curves["loss"]
    assert (found.steps, found.undefined_steps, found.undefined_count) == ([0, 2], [1, 3, 4], 3)


@given(
    st.lists(st.lists(st.floats(-1e3, 1e3), max_size=40), max_size=8),
    st.sampled_from([2, 4, 10]),
)
def test_many_values_at_once_make_the_points_of_one_at_a_time(
    pieces: list[list[float]], half_capacity: int
) -> None:
    singly, together, step = MeasureCurve(half_capacity), MeasureCurve(half_capacity), 0
    for piece in pieces:
        steps = list(range(step, step + len(piece)))
        together.add_values(steps, piece)
        for at, value in zip(steps, piece, strict=True):
            singly.add_values([at], [value])
        step += len(piece)
    assert (together.steps, together.lows, together.highs) == (singly.steps, singly.lows, singly.highs)
    assert together.means == pytest.approx(singly.means, abs=1e-9)
    assert together.count == singly.count == step


def test_a_damaged_line_among_metrics_costs_only_itself(tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    good = [line(step, "metric", step=step, loss=float(step), on=True) for step in range(5)]
    good[2] = good[2][:-9] + "\n"
    log.write_text("".join(good))
    curves = AttemptCurves(log)
    assert curves.read_more()
    assert curves.curves["loss"].steps == [0, 1, 3, 4]
    assert "on" not in curves.curves
