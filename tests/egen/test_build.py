"""Building a corpus: the same bytes however many workers, whatever is killed, and trouble is named."""

from __future__ import annotations

import errno
import json
import os
import random
import shutil
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path

import pytest

from engines.core.errors import DataError
from engines.core.events import Event
from engines.core.locks import sole_builder
from engines.egen.corpora import BuildCorpus, CorpusStats, corpus_stats
from engines.egen.corpus.build import BuildResult, build_corpus, saved_plan
from engines.egen.corpus.folder import open_corpus, stored_shards
from engines.egen.corpus.published import export_published
from engines.egen.models.datasets import read_labelled, stream_pairs, training_texts
from engines.egen.settings import EgenConfig, Limits, head_seed
from tests.conftest import expect_error
from tests.egen import fake_growth

CONFIG = EgenConfig(members=5)


def content(out: Path) -> dict[str, str]:
    """The hash of every file that a corpus consists of."""
    logs = {"events.jsonl", "build.lock"}
    return {
        str(path.relative_to(out)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name not in logs
    }


def start_builder(out: Path) -> subprocess.Popen[bytes]:
    """A process that builds the reference corpus slowly."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.egen.fake_growth", str(out)], cwd=Path(__file__).parents[2]
    )


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of 70 heads built by one worker without a break."""
    out = tmp_path_factory.mktemp("reference")
    built = build_corpus(fake_growth.source(70), out, CONFIG, workers=1, service=fake_growth.service)
    assert built.complete
    assert (built.heads, built.clusters, built.expressions) == (70, 70, 70 * 6)
    return out


@pytest.mark.slow
def test_two_workers_give_the_same_bytes(reference: Path, tmp_path: Path) -> None:
    build_corpus(fake_growth.source(70), tmp_path, CONFIG, workers=2, service=fake_growth.slow_service)
    assert content(tmp_path) == content(reference)


@pytest.mark.slow
def test_shares_give_the_same_bytes_and_a_lost_shard_is_made_again_alone(
    reference: Path, tmp_path: Path
) -> None:
    def build(share: tuple[int, int] | None) -> BuildResult:
        source = fake_growth.source(70)
        return build_corpus(source, tmp_path, CONFIG, share=share, service=fake_growth.service)

    for first in (3, 1):
        part = build((first, 3))
        assert (part.complete, part.share, part.clusters) == (True, f"{first}/3", 0)
    assert sorted(stored_shards(tmp_path / "shards")) == [0, 2, 3]
    assert not (tmp_path / "manifest.json").exists()
    whole = build(None)
    assert (whole.complete, whole.share, whole.clusters) == (True, None, 70)
    assert content(tmp_path) == content(reference)

    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "shards").iterdir()}
    stored_shards(tmp_path / "shards")[3].unlink()
    assert build((2, 3)).heads == 16 * 2 - 10
    assert 3 not in stored_shards(tmp_path / "shards")
    assert build((1, 3)).heads == 16 * 2
    assert content(tmp_path) == content(reference)
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "shards").iterdir()}
    assert [name for name in after if after[name] != before[name]] == [
        stored_shards(tmp_path / "shards")[3].name
    ]


def test_shares_are_built_side_by_side_and_no_whole_beside_them(tmp_path: Path) -> None:
    with sole_builder(tmp_path, code="E453", shared=True):
        assert build_corpus(
            fake_growth.source(20), tmp_path, CONFIG, share=(1, 2), service=fake_growth.service
        ).complete
        with expect_error("E453"):
            build_corpus(fake_growth.source(20), tmp_path, CONFIG, service=fake_growth.service)
    for wrong in ("4/3", "0/2", "half"):
        with expect_error("E424"):
            BuildCorpus(tmp_path, share=wrong)


@pytest.mark.slow
def test_what_a_killed_builder_left_half_written_is_removed(reference: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    shutil.copytree(reference, out)
    victim = next(out.glob("shards/shard-*"))
    victim.rename(victim.with_name(f".{victim.name}.3c1830e9.tmp"))
    (out / "shards" / ".mine.tmp").write_text("not ours")
    fake_growth.finish(out, workers=1, service=fake_growth.service)
    (out / "shards" / ".mine.tmp").unlink()
    assert content(out) == content(reference)


@pytest.mark.slow
def test_a_builder_killed_at_any_moment_ends_in_the_same_bytes(reference: Path, tmp_path: Path) -> None:
    out = tmp_path / "corpus"
    moment = random.Random(5)
    for finished in range(6):  # with so many shards; the last one in the middle of the assembly
        builder = start_builder(out)
        deadline = time.monotonic() + 60
        while len(list(out.glob("shards/shard-*"))) < finished and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(moment.uniform(0, 0.3 if finished else 1.5))
        builder.kill()
        builder.wait()
    fake_growth.finish(out, workers=2, service=fake_growth.slow_service)
    assert content(out) == content(reference)


@pytest.mark.slow
def test_a_kill_leaves_no_worker_behind(tmp_path: Path) -> None:
    import psutil

    builder = subprocess.Popen(
        [sys.executable, "-m", "tests.egen.fake_growth", str(tmp_path / "corpus")],
        cwd=Path(__file__).parents[2],
    )
    children: list[psutil.Process] = []
    deadline = time.monotonic() + 60
    while len(children) < 2 and time.monotonic() < deadline:
        children = psutil.Process(builder.pid).children()
        time.sleep(0.02)
    builder.kill()
    builder.wait()
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []


@pytest.mark.slow
def test_a_stop_keeps_finished_shards_and_the_rest_follows(reference: Path, tmp_path: Path) -> None:
    seen: list[Event] = []

    def enough() -> bool:
        return any(event.kind == "checkpoint" for event in seen)

    built = build_corpus(
        fake_growth.source(70),
        tmp_path,
        CONFIG,
        events=seen.append,
        stop=enough,
        service=fake_growth.slow_service,
    )
    assert not built.complete
    assert 16 <= built.heads_done < 70
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "shards").iterdir()}
    assert kept
    with expect_error("E324"):
        open_corpus(tmp_path)
    assert fake_growth.finish(tmp_path, service=fake_growth.service).complete
    assert content(tmp_path) == content(reference)
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "shards").iterdir()}
    assert kept.items() <= after.items()


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "changed", "missing"])
def test_a_corrupt_shard_is_named_and_redone_alone(reference: Path, tmp_path: Path, damage: str) -> None:
    build_corpus(fake_growth.source(70), tmp_path, CONFIG, service=fake_growth.service)
    victim = sorted((tmp_path / "shards").iterdir())[2]
    data = victim.read_bytes()
    if damage == "cut":
        victim.write_bytes(data[: len(data) // 2])
    elif damage == "changed":
        victim.write_bytes(data[:100] + bytes([data[100] ^ 1]) + data[101:])
    else:
        victim.unlink()
    others = {p: p.stat().st_mtime_ns for p in (tmp_path / "shards").iterdir() if p != victim}
    for read in (
        lambda: open_corpus(tmp_path).read_members(40),
        lambda: corpus_stats(CorpusStats(tmp_path)),
        lambda: list(stream_pairs(open_corpus(tmp_path))),
        lambda: training_texts(open_corpus(tmp_path), "paper", max_length=64),
        lambda: read_labelled(tmp_path),
        lambda: export_published(open_corpus(tmp_path), tmp_path.with_suffix(".txt")),
    ):
        with pytest.raises(DataError) as caught:
            read()
        assert victim.name in caught.value.what
        assert "mathwb egen corpus --out" in caught.value.remedy
        assert caught.value.exit_code == 3
    open_corpus(tmp_path).read_members(0)
    grown: list[Event] = []
    fake_growth.finish(tmp_path, service=fake_growth.service, events=grown.append)
    assert content(tmp_path) == content(reference)
    assert sum(event.kind == "checkpoint" for event in grown) == 1
    assert {p: p.stat().st_mtime_ns for p in others} == others


def test_a_finished_corpus_is_not_grown_again(reference: Path) -> None:
    before = content(reference)
    fake_growth.finish(reference, service=fake_growth.broken_service)
    assert content(reference) == before


@pytest.mark.slow
def test_trouble_with_a_head_is_tried_twice_and_then_named(tmp_path: Path) -> None:
    heads = fake_growth.source(3, "sin x", "cos x", "tan x", "sinh x", "cosh x", "asin x", "acos x")
    config = EgenConfig(members=3, limits=Limits(time_s=-7.0, memory_bytes=600 * 2**20))
    seen: list[Event] = []
    built = build_corpus(
        heads, tmp_path, config, workers=2, events=seen.append, service=fake_growth.moody_service
    )
    assert {head.head: head.reason for head in built.skipped} == {
        "sin x": "the worker ended by signal 9",
        "cos x": "time_limit",
        "tan x": "time_limit",
        "sinh x": "the head is defined nowhere",
        "cosh x": "SystemExit: panic",
        "asin x": "memory_limit",
    }
    assert built.clusters == 4
    again = [str(e.data["message"]) for e in seen if "trying again" in str(e.data.get("message"))]
    assert len(again) == 5  # an error of the expression itself is final
    assert json.loads((tmp_path / "manifest.json").read_text())["skipped"][0]["head"] == "sin x"
    fake_growth.finish(tmp_path, service=fake_growth.broken_service)


@pytest.mark.slow
def test_a_worker_that_dies_once_leaves_no_trace_in_the_result(
    reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_DIR", str(tmp_path))
    out = tmp_path / "corpus"
    build_corpus(fake_growth.source(70), out, CONFIG, workers=2, service=fake_growth.fails_once_service)
    assert (tmp_path / "died").exists()
    assert content(out) == content(reference)


def test_a_wrong_rule_fails_the_build_and_is_named(tmp_path: Path) -> None:
    with expect_error("E211") as caught:
        build_corpus(fake_growth.source(20), tmp_path, CONFIG, service=fake_growth.wrong_service)
    assert caught.value.exit_code == 1
    assert "bad-rule" in caught.value.remedy


def test_a_service_that_cannot_start_is_one_error(tmp_path: Path) -> None:
    with expect_error("E141"):
        build_corpus(fake_growth.source(3), tmp_path, CONFIG, workers=2, service=fake_growth.broken_service)


def test_a_folder_is_finished_only_with_the_settings_it_was_begun_with(reference: Path) -> None:
    for source, config, name in (
        (fake_growth.source(70), EgenConfig(members=6), "config.members"),
        (fake_growth.source(70), EgenConfig(members=5, seed=1), "config.seed"),
        (fake_growth.source(70), EgenConfig(members=5, limits=Limits(nodes=9)), "config.limits.nodes"),
        (fake_growth.source(71), CONFIG, "source.heads"),
    ):
        with expect_error("E452") as caught:
            build_corpus(source, reference, config, service=fake_growth.service)
        assert name in caught.value.what
        assert caught.value.exit_code == 2


def test_two_builders_do_not_share_a_folder(tmp_path: Path) -> None:
    def second(event: Event) -> None:
        if event.kind == "checkpoint":
            with expect_error("E453"):
                fake_growth.finish(tmp_path, service=fake_growth.service)
            met.append(event)

    met: list[Event] = []
    build_corpus(fake_growth.source(20), tmp_path, CONFIG, events=second, service=fake_growth.service)
    assert met


def test_nothing_in_a_corpus_tells_the_time_or_the_place(reference: Path) -> None:
    manifest = (reference / "manifest.json").read_text()
    assert str(reference) not in manifest
    assert (
        "202"
        not in manifest.replace(json.loads(manifest)["rules"], "").split('"shards"')[0].split('"versions"')[0]
    )
    log = [json.loads(line) for line in (reference / "events.jsonl").read_text().splitlines()]
    assert log[0]["kind"] == "state"
    assert all(line["t"] > 1e9 for line in log)


def test_seeds_of_heads_depend_on_the_head_and_not_on_its_place(reference: Path, tmp_path: Path) -> None:
    assert head_seed(0, "sin x") == head_seed(0, "sin x") < 2**63
    assert len({head_seed(seed, head) for seed in (0, 1) for head in ("sin x", "cos x")}) == 4
    few = fake_growth.source(70)
    few = type(few)("few", few.heads[50:])
    build_corpus(few, tmp_path, CONFIG, service=fake_growth.service)
    here, there = open_corpus(tmp_path), open_corpus(reference)
    assert here.read_members(3)["prefix"].to_pylist() == there.read_members(53)["prefix"].to_pylist()


def test_the_plan_is_what_was_asked_for(reference: Path) -> None:
    plan = saved_plan(reference)
    assert plan.source == fake_growth.source(70)
    assert plan.config == CONFIG


def test_progress_tells_done_total_members_and_time_left(tmp_path: Path) -> None:
    seen: list[Event] = []
    build_corpus(
        fake_growth.source(60), tmp_path, CONFIG, events=seen.append, service=fake_growth.slow_service
    )
    progress = [event.data for event in seen if event.kind == "progress"]
    assert progress[-1]["done"] == progress[-1]["total"] == 60
    assert progress[-1]["members"] == 300
    assert len(progress) > 1
    assert all(isinstance(data["eta_s"], float) for data in progress if data["done"])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_one_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(DataError, match="no permission"):
        build_corpus(fake_growth.source(3), tmp_path / "corpus", CONFIG, service=fake_growth.service)


@pytest.mark.slow
def test_a_full_disk_is_one_error_and_nothing_finished_is_lost(
    reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = 4
    sync = os.fsync

    def fill(descriptor: int) -> None:
        nonlocal room
        room -= 1
        if room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fill)
        with expect_error("E310"):
            build_corpus(fake_growth.source(70), tmp_path, CONFIG, service=fake_growth.service)
    assert not list(tmp_path.rglob("*.tmp"))
    build_corpus(fake_growth.source(70), tmp_path, CONFIG, service=fake_growth.service)
    assert content(tmp_path) == content(reference)


def test_a_file_in_the_way_is_one_error(tmp_path: Path) -> None:
    (tmp_path / "corpus").write_text("not a folder")
    with expect_error("E313"):
        build_corpus(fake_growth.source(3), tmp_path / "corpus", CONFIG, service=fake_growth.service)


def test_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").touch()
    with expect_error("E452") as caught:
        build_corpus(fake_growth.source(2), tmp_path, CONFIG, service=fake_growth.service)
    assert (caught.value.code, caught.value.exit_code) == ("E452", 2)
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_a_build_that_died_before_its_plan_is_begun_again(tmp_path: Path) -> None:
    for name in ("build.lock", "heads.parquet", ".plan.json.0a1b2c3d.tmp"):
        (tmp_path / name).touch()
    assert build_corpus(fake_growth.source(2), tmp_path, CONFIG, service=fake_growth.service).complete
