"""Checkpoints are whole or not there, and a damaged one is never taken."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from engines.core.errors import EngineError
from engines.training.checkpoints import (
    all_checkpoints,
    check_checkpoint,
    from_file,
    newest_checkpoint,
    prune_checkpoints,
    write,
)

FILES = {"a": b"weights" * 1000, "b": b""}


def test_what_is_written_verifies(tmp_path: Path) -> None:
    folder = write(tmp_path, 500, FILES, {"loss": 1.5})
    assert folder.name == "step-000500"
    assert (tmp_path / "latest").read_text() == "step-000500\n"
    found = check_checkpoint(folder)
    assert (found.step, found.facts["loss"]) == (500, 1.5)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "step-000500"]


@pytest.mark.parametrize("harm", ["cut", "flip", "gone", "manifest", "no manifest"])
def test_the_one_before_is_taken(tmp_path: Path, harm: str) -> None:
    write(tmp_path, 1, FILES, {})
    last = write(tmp_path, 2, FILES, {})
    file = last / "a"
    data = bytearray(file.read_bytes())
    if harm == "cut":
        file.write_bytes(data[:-1])
    elif harm == "flip":
        data[700] ^= 1
        file.write_bytes(data)
    elif harm == "gone":
        file.unlink()
    elif harm == "manifest":
        (last / "manifest.json").write_text("{")
    else:
        (last / "manifest.json").unlink()
    heard: list[EngineError] = []
    found = newest_checkpoint(tmp_path, on_bad=heard.append)
    assert found is not None
    assert found.step == 1
    assert [(error.code, error.where) for error in heard] == [("E635", str(last))]


class Harm:
    """What runs code when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return (pytest.fail, ("it was run",))


@pytest.mark.parametrize("content", [pickle.dumps(Harm()), b"", b"PK no archive", b"\x80\x02}q\x00."])
def test_what_only_unpickling_would_read_is_corrupt(tmp_path: Path, content: bytes) -> None:
    """And nobody is told to unpickle it all the same, as the library does."""
    path = tmp_path / "training.pt"
    path.write_bytes(content)
    with pytest.raises(EngineError) as caught:
        from_file(path)
    assert caught.value.code == "E635"
    assert "weights_only" not in str(caught.value)


def test_one_that_was_never_finished_does_not_count(tmp_path: Path) -> None:
    (tmp_path / ".step-000009.01234567.tmp").mkdir(parents=True)
    assert newest_checkpoint(tmp_path) is None
    assert newest_checkpoint(tmp_path / "nowhere") is None
    write(tmp_path, 3, FILES, {})
    prune_checkpoints(tmp_path, 1)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["latest", "step-000003"]


def test_the_newest_and_the_best_stay(tmp_path: Path) -> None:
    for step in (1, 2, 3, 4, 5):
        write(tmp_path, step, FILES, {})
    prune_checkpoints(tmp_path, 2, protect=1)
    assert [step for step, _ in all_checkpoints(tmp_path)] == [1, 4, 5]


def test_a_full_disk_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, 1, FILES, {})

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EngineError) as caught:
        write(tmp_path, 2, FILES, {})
    assert caught.value.code == "E310"
    assert [step for step, _ in all_checkpoints(tmp_path)] == [1]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest", "step-000001"]
