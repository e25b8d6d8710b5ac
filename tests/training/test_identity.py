"""A folder holds one training: what its weights depend on is written down and compared."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tiny import Tiny, config

from engines.core.errors import EngineError
from engines.core.files import model_files
from engines.training import Origin, TrainConfig, TrainResult, train
from engines.training.checkpoints import Identity, hash_content, newest_checkpoint


def run(out: Path, task: Tiny | None = None, *, stop_at: int = 0, **changes: Any) -> TrainResult:
    heard: list[int] = []
    return train(
        task or Tiny(),
        config(**changes),
        out,
        events=lambda event: heard.append(event.step or 0),
        stop=lambda: bool(stop_at) and max(heard, default=0) >= stop_at,
    )


def refusal(out: Path, task: Tiny | None = None, **changes: Any) -> str:
    with pytest.raises(EngineError) as caught:
        run(out, task, **changes)
    assert (caught.value.code, caught.value.exit_code) == ("E637", 2)
    assert caught.value.remedy
    return caught.value.what


@pytest.mark.parametrize("stop_at", [2, 0])
def test_another_training_is_refused_begun_or_finished(tmp_path: Path, stop_at: int) -> None:
    assert run(tmp_path, stop_at=stop_at).complete is not bool(stop_at)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.safetensors")}
    assert "train.lr: 0.01 there, 0.02 requested" in refusal(tmp_path, lr=0.02)
    assert "seed: 3 there, 4 requested" in refusal(tmp_path, seed=4)
    several = refusal(tmp_path, Tiny(count=100), clip=0.5, schedule="constant")
    for words in ("model.count: 200 there, 100", "train.clip: 1.0 there, 0.5", "'linear' there, 'constant'"):
        assert words in several
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.safetensors")} == before


def test_a_model_whose_checkpoints_are_gone_still_says_what_it_is(tmp_path: Path) -> None:
    run(tmp_path)
    shutil.rmtree(tmp_path / "checkpoints")
    assert "train.lr" in refusal(tmp_path, lr=0.02)
    assert run(tmp_path).resumed_from == 0


def test_where_it_runs_and_how_often_it_reports_do_not_matter(tmp_path: Path) -> None:
    run(tmp_path, stop_at=6)
    result = run(tmp_path, log_every=3, eval_every=5, save_every=7, keep=1, device="auto", compile=False)
    assert (result.complete, result.resumed_from) == (True, 6)


def test_another_number_of_steps_is_written_down(tmp_path: Path) -> None:
    run(tmp_path)
    result = run(tmp_path, steps=24)
    assert (result.step, result.resumed_from) == (24, 20)
    run(tmp_path, steps=0, epochs=1.2)  # of 25 batches
    changes = [
        {"at_step": 20, "from": 20, "to": 24},
        {"at_step": 24, "from": 24, "to": 30},
    ]
    found = newest_checkpoint(tmp_path / "checkpoints")
    assert found is not None
    assert (found.step, found.facts["steps_changed"]) == (30, changes)
    facts = json.loads((tmp_path / "model" / "training.json").read_text())
    assert facts["steps_changed"] == changes
    assert facts["identity"] == found.facts["identity"]
    card = (tmp_path / "model" / "README.md").read_text()
    assert "20 to 24 at step 20; 24 to 30 at step 24" in card
    assert "train.steps: 30 are done there, 10 requested" in refusal(tmp_path, steps=10)
    assert run(tmp_path, steps=30).resumed_from == 30


def test_checkpoints_of_an_older_version_are_refused(tmp_path: Path) -> None:
    run(tmp_path, stop_at=2)
    manifest = tmp_path / "checkpoints" / "step-000002" / "manifest.json"
    document = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**document, "v": 1, "identity": None}))
    assert "older version" in refusal(tmp_path)


def test_data_is_known_by_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "deep" / "1.txt").write_text("one")
    (tmp_path / "a" / "2.txt").write_text("two")
    shutil.copytree(tmp_path / "a", tmp_path / "b")

    def identity(place: Path, **changes: Any) -> Identity:
        return Identity.of_task(
            Origin("t", {"tau": 0.1, **changes}, {"corpus": (place,)}), TrainConfig(steps=1)
        )

    there = identity(tmp_path / "a").settings
    assert identity(tmp_path / "b").describe_differences(there) == []
    assert json.loads(json.dumps(dict(there))) == there
    (tmp_path / "b" / "2.txt").write_text("too")
    (difference,) = identity(tmp_path / "b").describe_differences(there)
    assert difference.startswith("data.corpus: content ")
    (tmp_path / "b" / "2.txt").rename(tmp_path / "b" / "3.txt")
    (tmp_path / "b" / "3.txt").write_text("two")
    assert len(identity(tmp_path / "b", tau=0.2).describe_differences(there)) == 2
    assert hash_content([tmp_path / "a" / "2.txt"]) == hash_content([tmp_path / "b" / "3.txt"])


def test_the_files_that_make_a_model(tmp_path: Path) -> None:
    for name in ("config.json", "model.safetensors", "vocab.txt", "training.json", "README.md", "x.bin"):
        (tmp_path / name).write_text("")
    found = [path.name for path in model_files(tmp_path)]
    assert found == ["config.json", "model.safetensors", "vocab.txt"]


def test_a_setting_that_is_not_given_is_no_part_of_what_a_training_is(tmp_path: Path) -> None:
    run(tmp_path, stop_at=6)
    checkpoint = newest_checkpoint(tmp_path / "checkpoints")
    assert checkpoint is not None
    assert "train.warmup" in checkpoint.facts["identity"]
    assert "train.warmup_share" not in checkpoint.facts["identity"]
    assert "train.warmup_share: nothing there, 0.5 requested" in refusal(tmp_path, warmup_share=0.5)
