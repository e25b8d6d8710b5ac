"""A file that many processes change at once loses none of their changes."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from engines.core import files, locks
from engines.core.errors import DataError
from engines.core.locks import update

ADD = """
import sys, time
from pathlib import Path
from engines.core.locks import update

def change(data):
    time.sleep(0.01)  # whoever reads without the lock reads the same as others
    return data + sys.argv[2].encode() + b"\\n"

update(Path(sys.argv[1]), change)
"""


@pytest.mark.slow
def test_none_of_many_changes_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "new" / "list.txt"
    command = [sys.executable, "-c", ADD, str(path)]
    processes = [subprocess.Popen([*command, str(number)]) for number in range(12)]
    assert [process.wait(60) for process in processes] == [0] * 12
    assert sorted(map(int, path.read_text().split())) == list(range(12))


def test_threads_wait_for_each_other_too(tmp_path: Path) -> None:
    path = tmp_path / "count"
    threads = [
        threading.Thread(target=update, args=(path, lambda data: str(int(data or b"0") + 1).encode()))
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_bytes() == b"20"


def test_a_change_that_fails_or_changes_nothing_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "list"
    update(path, lambda _: b"one")
    before = path.stat()

    def fail(data: bytes) -> bytes:
        raise LookupError(data)

    with pytest.raises(LookupError, match="one"):
        update(path, fail)
    assert update(path, lambda data: data) == b"one"
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert update(path, lambda data: data + b", two") == b"one, two"


def test_a_link_is_followed_and_the_permissions_stay(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "config.toml"
    real.parent.mkdir()
    real.write_bytes(b"a")
    real.chmod(0o600)
    link = tmp_path / "config.toml"
    link.symlink_to(real)
    update(link, lambda data: data + b"b")
    assert link.is_symlink()
    assert real.read_bytes() == b"ab"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*.lock")] == []  # who goes by the other name waits too


def test_drafts_of_killed_writers_go_and_others_stay(tmp_path: Path) -> None:
    for name in (".list.0123abcd.tmp", ".other.0123abcd.tmp", ".list.mine.tmp"):
        (tmp_path / name).touch()
    update(tmp_path / "list", lambda _: b"one")
    assert {path.name for path in tmp_path.iterdir()} == {
        ".list.mine.tmp",
        ".other.0123abcd.tmp",
        "list",
        "list.lock",
    }


def test_a_lock_that_is_never_let_go_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_PATIENCE_S", 0.05)
    with (tmp_path / "list.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(DataError) as refused:
            update(tmp_path / "list", lambda _: b"one")
    assert refused.value.code == "E462"
    assert str(tmp_path / "list") in refused.value.where
    update(tmp_path / "list", lambda _: b"one")


def lockless(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a folder be on a file system without locks."""
    real = fcntl.flock

    def flock(descriptor: int, operation: int) -> None:
        if Path(os.readlink(f"/proc/self/fd/{descriptor}")).is_relative_to(folder):
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock)


def test_where_a_file_system_has_no_locks_the_state_folder_has(
    tmp_path: Path, user_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_PATIENCE_S", 0.05)
    lockless(tmp_path, monkeypatch)
    with pytest.raises(DataError) as refused:
        update(tmp_path / "list", lambda _: update(tmp_path / "list", lambda _: b"within"))
    assert refused.value.code == "E462"
    update(tmp_path / "list", lambda _: b"one")
    assert (tmp_path / "list").read_bytes() == b"one"
    lockless(user_home, monkeypatch)
    monkeypatch.setenv("MATHWB_HOME", str(tmp_path / "home"))
    with pytest.raises(DataError) as refused:
        update(tmp_path / "list", lambda _: b"two")
    assert refused.value.code == "E461"
    assert (tmp_path / "list").read_bytes() == b"one"


def test_the_lock_of_another_user_can_be_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = tmp_path / "list.lock"
    lock.touch()
    real = os.open

    def refusing(path: object, flags: int, *rest: int) -> int:
        if path == lock and flags & os.O_RDWR:
            raise PermissionError(errno.EACCES, "")
        return real(path, flags, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refusing)
    update(tmp_path / "list", lambda _: b"one")
    assert (tmp_path / "list").read_bytes() == b"one"


def test_where_nothing_can_be_written_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.open

    def read_only(path: object, flags: int, *rest: int) -> int:
        if flags & os.O_CREAT:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, flags, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", read_only)
    with pytest.raises(DataError) as refused:
        update(tmp_path / "list", lambda _: b"one")
    assert refused.value.code == "E311"


@pytest.mark.parametrize("folder", [False, True])
def test_a_draft_that_is_swept_away_before_it_is_locked_is_made_anew(
    tmp_path: Path, folder: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, swept = fcntl.flock, []

    def late(descriptor: int, operation: int) -> None:
        """Another process cleans up between the making and the locking."""
        if not operation & fcntl.LOCK_NB and not swept:
            swept.extend(tmp_path.glob(".*.tmp"))
            files.remove_drafts(tmp_path)
            files.remove_stale_drafts(tmp_path)
            assert not list(tmp_path.glob(".*.tmp"))
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", late)
    if folder:
        with files.atomic_folder(tmp_path / "made", None) as draft:
            files.remove_stale_drafts(tmp_path)
            (draft / "one").write_text("1")
        assert (tmp_path / "made" / "one").read_text() == "1"
    else:
        with files.atomic_writer(tmp_path / "made") as file:
            files.remove_drafts(tmp_path)
            file.write("1")
        assert (tmp_path / "made").read_text() == "1"
    assert len(swept) == 1
