"""Files are written whole or not at all, and read with the place of every error."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.errors import DataError
from engines.core.files import (
    atomic_folder,
    atomic_writer,
    copy_folder,
    file_error,
    remove_folder,
    write_bytes,
    write_json,
    write_note,
    write_text,
)
from engines.core.hashing import sha256
from engines.core.rows import MAX_LINE_BYTES, csv_rows, read_lines
from engines.core.text import make_printable


def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "result.txt"
    write_text(path, "old")
    with pytest.raises(TypeError), atomic_writer(path) as file:
        file.writelines(["half of the ", None])  # type: ignore[list-item]
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["result.txt"]


def test_readers_never_see_a_half_written_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "result.txt"
    with atomic_writer(path) as file:
        file.write("new")
        file.flush()
        assert not path.exists()
    assert path.read_text() == "new"


def test_written_files_have_the_usual_permissions(tmp_path: Path) -> None:
    write_text(tmp_path / "ours", "")
    (tmp_path / "theirs").write_text("")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "theirs").stat().st_mode


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_said_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError) as caught:
        write_text(tmp_path / "big", "text")
    assert caught.value.code == "E310"
    assert caught.value.exit_code == 1
    assert "full" in caught.value.what
    assert caught.value.remedy
    assert os.listdir(tmp_path) == []


def test_a_place_that_is_no_folder_is_named(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "")
    with pytest.raises(DataError) as caught:
        write_text(tmp_path / "file" / "below", "")
    assert str(tmp_path / "file" / "below") in str(caught.value)


@pytest.mark.parametrize("compress", [False, True])
def test_lines_are_numbered_and_lose_their_ends(tmp_path: Path, compress: bool) -> None:
    text = "\ufeffsin x\r\n\nτ ≈ 6.28\nlast"
    data = text.encode()
    write_bytes(tmp_path / "lines", gzip.compress(data) if compress else data)
    assert list(read_lines(tmp_path / "lines")) == [(1, "sin x"), (2, ""), (3, "τ ≈ 6.28"), (4, "last")]


@given(st.lists(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\n\0\ufeff"))))
def test_every_text_comes_back(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.mktemp("lines") / "lines"
    write_text(path, "".join(line + "\n" for line in ["first", *lines]))
    assert [line for _, line in read_lines(path)] == ["first", *lines]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "E314"),
        (b"PK\x03\x04\0\0\0", "E315"),
        ("sin x".encode("utf-16"), "E315"),
        (gzip.compress(b"sin x\n" * 1000, mtime=0)[:-9], "E316"),
        (b"\x1f\x8bnothing", "E316"),
        (b"x\ncaf\xe9\n", "E317"),
        (b"x\na\0b\n", "E317"),
    ],
)
def test_what_is_no_text_is_refused_with_its_place(tmp_path: Path, data: bytes, code: str) -> None:
    path = tmp_path / "input"
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        list(read_lines(path))
    assert caught.value.code == code
    assert caught.value.exit_code == 2
    assert caught.value.path == path
    if code == "E317":
        assert caught.value.line == 2


def test_a_missing_file_is_missing_data(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        list(read_lines(tmp_path / "nowhere"))
    assert caught.value.exit_code == 3


def test_a_bad_line_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "input"
    path.write_bytes(b"one\n\xff\nthree\n" + b"y" * (MAX_LINE_BYTES + 10) + b"\nfive\n")
    bad: list[DataError] = []
    assert list(read_lines(path, on_bad=bad.append)) == [(1, "one"), (3, "three"), (5, "five")]
    assert [error.where for error in bad] == [f"{path}:2", f"{path}:4"]
    assert [error.remedy for error in bad] == [
        "Save the file as UTF-8 text.",
        "Divide it into several lines.",
    ]


def test_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    write_json(tmp_path / "value.json", {"π": 3.14})
    data = (tmp_path / "value.json").read_bytes()
    assert "π".encode() in data
    assert sha256(tmp_path / "value.json") == hashlib.sha256(data).hexdigest()


def test_terminals_get_no_commands_from_text() -> None:
    assert make_printable("sin(x)² ≤ 1, 数学") == "sin(x)² ≤ 1, 数学"
    assert make_printable("a\x1b[31mb\r\n\x9b") == "a\\x1b[31mb\\r\\n\\x9b"
    assert make_printable("\u202eevil\u2066\ud800") == "\\u202eevil\\u2066\\ud800"


@given(st.text())
def test_printable_text_is_printable(text: str) -> None:
    shown = make_printable(text)
    assert all(char.isprintable() or char.isspace() for char in shown)
    assert not set(shown) & set("\x1b\n\r\t\x07\u202e\u2028")
    assert make_printable(shown) == shown


def test_a_pipe_is_read_like_a_file(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(gzip.compress(b"one\ntwo\n"),))
    writer.start()
    assert list(read_lines(pipe)) == [(1, "one"), (2, "two")]
    writer.join()


@pytest.mark.parametrize("code", [errno.EEXIST, errno.ENOTDIR, errno.EIO, None])
def test_every_complaint_of_the_system_says_what_to_do(code: int | None) -> None:
    error = OSError("it is not seekable") if code is None else OSError(code, os.strerror(code), "there")
    explained = file_error(error, "there", "read")
    assert explained.remedy
    assert "None" not in explained.what


def test_a_device_is_written_to_and_never_replaced() -> None:
    before = os.stat("/dev/full")
    with pytest.raises(DataError) as caught:
        write_text("/dev/full", "text")
    assert caught.value.code == "E310"
    after = os.stat("/dev/full")
    assert (after.st_rdev, after.st_ino) == (before.st_rdev, before.st_ino)


def test_a_folder_appears_whole_and_replaces_the_old_one(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "model"
    for text in ("old", "new"):
        with atomic_folder(target, "part") as draft:
            (draft / "part").mkdir()
            (draft / "part" / "file").write_text(text)
            assert not target.exists() or (target / "part" / "file").read_text() == "old"
        assert (target / "part" / "file").read_text() == text
    with atomic_folder(target, None) as draft:
        (draft / "other").touch()
    assert [path.name for path in target.iterdir()] == ["part"]
    assert os.listdir(target.parent) == ["model"]


def test_of_two_that_keep_a_folder_the_first_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one comes between the last look and the change of names, as two first starts may."""
    target, rename = tmp_path / "sample", Path.rename

    def later(draft: Path, place: Path) -> Path:
        target.mkdir()
        (target / "theirs").touch()
        return rename(draft, place)

    monkeypatch.setattr(Path, "rename", later)
    with atomic_folder(target, None) as draft:
        (draft / "ours").touch()
    assert os.listdir(tmp_path) == ["sample"]
    assert os.listdir(target) == ["theirs"]


@pytest.mark.parametrize("error", [ZeroDivisionError(), OSError(errno.ENOSPC, "full")])
def test_a_folder_that_fails_leaves_the_old_one(tmp_path: Path, error: Exception) -> None:
    with atomic_folder(tmp_path / "index", "a") as draft:
        (draft / "a").touch()
    with (
        pytest.raises((ZeroDivisionError, DataError)) as caught,
        atomic_folder(tmp_path / "index", "a") as draft,
    ):
        (draft / "b").touch()
        raise error
    if isinstance(caught.value, DataError):
        assert caught.value.code == "E310"
    assert os.listdir(tmp_path) == ["index"]
    assert os.listdir(tmp_path / "index") == ["a"]


def test_a_file_where_a_folder_is_to_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "model").touch()
    with pytest.raises(DataError) as caught, atomic_folder(tmp_path / "model", "before") as draft:
        (draft / "a").touch()
    assert caught.value.code == "E313"
    assert os.listdir(tmp_path) == ["model"]


def test_what_killed_processes_left_is_cleaned_up(tmp_path: Path) -> None:
    killed = tmp_path / ".model.0123abcd.tmp"
    others = [tmp_path / ".model.x.0123abcd.tmp", tmp_path / ".model.tmp"]
    for folder in (killed, *others, tmp_path / ".model.0123abcd.old"):
        folder.mkdir()
    (tmp_path / ".model.0123abcd.old" / "before").touch()
    with pytest.raises(ZeroDivisionError), atomic_folder(tmp_path / "model", "before"):
        # Killed in the middle of an exchange: the old folder is back before anything else is done.
        assert os.listdir(tmp_path / "model") == ["before"]
        # A draft that is being filled belongs to somebody.
        with atomic_folder(tmp_path / "model", "before") as second:
            assert len(list(tmp_path.glob(".model.????????.tmp"))) == 2
            (second / "after").touch()
        raise ZeroDivisionError
    assert os.listdir(tmp_path / "model") == ["after"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["model", *(p.name for p in others)])


def test_a_copy_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    (tmp_path / "a" / "deep").mkdir(parents=True)
    (tmp_path / "a" / "deep" / "file").write_text("content")
    copy_folder(tmp_path / "a", tmp_path / "b", "deep")
    assert (tmp_path / "b" / "deep" / "file").read_text() == "content"
    (tmp_path / "a" / "file").symlink_to(tmp_path / "nowhere")
    with pytest.raises(DataError) as caught:
        copy_folder(tmp_path / "a", tmp_path / "b", "deep")
    assert caught.value.where == str(tmp_path / "a" / "file")
    assert os.listdir(tmp_path / "b") == ["deep"]


def test_a_folder_without_the_mark_is_refused_before_the_work_and_never_removed(tmp_path: Path) -> None:
    theirs = tmp_path / "model"
    theirs.mkdir()
    (theirs / "thesis.tex").write_text("years")
    with pytest.raises(DataError) as caught, atomic_folder(theirs, "training.json"):
        pytest.fail("the work has begun")
    assert caught.value.code == "E452"
    with pytest.raises(DataError) as caught:
        remove_folder(theirs, "training.json")
    assert caught.value.code == "E452"
    assert (theirs / "thesis.tex").read_text() == "years"
    (theirs / "training.json").touch()
    remove_folder(theirs, "training.json")
    assert os.listdir(tmp_path) == []


def test_a_note_that_nobody_asked_for_replaces_none_but_its_own(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv.json"
    write_note(path, {"operation": "rank"}, "operation")
    write_note(path, {"operation": "fuse"}, "operation")
    for theirs in ('{"mine": 1}', '["operation"]', "[1", "[" * 20_000):
        path.write_text(theirs)
        with pytest.raises(DataError) as caught:
            write_note(path, {"operation": "rank"}, "operation")
        assert (caught.value.code, path.read_text()) == ("E452", theirs)


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "big").mkdir()
    file, folder = tmp_path / "run.tsv", tmp_path / "model"
    file.symlink_to(tmp_path / "big" / "run.tsv")
    folder.symlink_to(tmp_path / "big" / "model")
    for text in ("old", "new"):
        write_text(file, text)
        with atomic_folder(folder, "mark") as draft:
            (draft / "mark").write_text(text)
        assert [file.is_symlink(), folder.is_symlink()] == [True, True]
        assert (tmp_path / "big" / "run.tsv").read_text() == text
        assert (tmp_path / "big" / "model" / "mark").read_text() == text
    assert sorted(os.listdir(tmp_path / "big")) == ["model", "run.tsv"]
    assert sorted(os.listdir(tmp_path)) == ["big", "model", "run.tsv"]


def test_a_quote_that_is_not_closed_swallows_no_rows() -> None:
    """The rows behind it would be one cell; a quote within a cell is a character."""
    rows = [*csv_rows(enumerate(["a", '"x', "y", "z"], 1))]
    assert [(row.line, row.cells, row.wrong) for row in rows] == [
        (1, ["a"], ""),
        (2, [], "a quote is not closed"),
    ]
    closed = [*csv_rows(enumerate(['5" pipe,b', '"two', 'lines ""q"" of it",c'], 1))]
    assert [row.cells for row in closed] == [['5" pipe', "b"], ['two\nlines "q" of it', "c"]]
    assert not any(row.wrong for row in closed)
