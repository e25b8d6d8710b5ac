"""Data is read once for its check and its hash, and large data tells how far it is."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import zipfile
from pathlib import Path

import pytest

from engines.core import hashing as watched
from engines.core.events import Event
from engines.core.hashing import open_read, watch_reads
from engines.core.rows import read_lines
from workbench.workspace import Workspace

POSTS = (
    "<posts>\n"
    + "".join(f'<row Id="{n}" PostTypeId="1" Title="t" Body="{"b" * 400}" />\n' for n in range(400))
    + "</posts>\n"
).encode()
LINE = b'{"id": 1, "type": 1, "title": "t", "body": "b"}\n' * 3_000


@pytest.fixture
def again(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that were read only to be hashed."""
    found: list[str] = []

    def hashed(path: Path) -> str:
        found.append(path.name)
        return hashlib.sha256(path.read_bytes()).hexdigest()

    monkeypatch.setattr(watched, "sha256", hashed)
    return found


PACKED: dict[str, bytes] = {
    "Posts.xml": POSTS,
    "posts.jsonl": LINE,
    "posts.jsonl.gz": gzip.compress(LINE, mtime=0),
    "Posts.xml.bz2": bz2.compress(POSTS),
    "Posts.xml.xz": lzma.compress(POSTS),
}


@pytest.mark.parametrize("name", PACKED)
def test_a_collection_is_read_once(tmp_path: Path, again: list[str], name: str) -> None:
    content = PACKED[name]
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / name).write_bytes(content)
    data = Workspace.open(tmp_path / "w").data.add_entry("arqmath", folder).data
    assert data.files == {name: hashlib.sha256(content).hexdigest()}
    assert again == []


def test_what_is_not_read_from_end_to_end_is_hashed_by_itself(tmp_path: Path, again: list[str]) -> None:
    path, part = tmp_path / "Posts.xml.zip", tmp_path / "part"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Posts.xml", POSTS)
    data = Workspace.open(tmp_path / "w").data.add_entry("arqmath", path).data
    assert data.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    part.write_bytes(LINE)
    with watch_reads(len(LINE)) as watch:
        assert next(read_lines(part))[0] == 1
        with open_read(part) as file:
            file.seek(1)
            assert file.read(1) == LINE[1:2]
            while file.read(100):
                pass
        assert watch.hash_file(part) == hashlib.sha256(LINE).hexdigest()
    assert again == ["Posts.xml.zip", "part"]


def test_progress_is_that_of_all_files_and_no_byte_counts_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watched, "_STEP_BYTES", 1)
    monkeypatch.setattr(watched, "_MIB", 1)
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "Posts.xml").write_bytes(POSTS)
    (folder / "Comments.xml").write_text('<row Id="1" PostId="1" Text="no" />\n')
    heard: list[Event] = []
    data = Workspace.open(tmp_path / "w").data
    data.add_entry("arqmath", folder, events=heard.append)
    done = [event.data["done"] for event in heard]
    total = sum(file.stat().st_size for file in folder.iterdir())
    assert done == sorted(set(done))
    assert len(done) > 2
    assert done[-1] == total == heard[0].data["total"]
    heard.clear()
    assert data.check_entry(data.find_entry("mine"), events=heard.append).state == "unchanged"
    assert heard
