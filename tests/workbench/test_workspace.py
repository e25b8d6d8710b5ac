"""A workspace is made once, opened often, and refused with a reason."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.core.errors import EngineError
from engines.core.system import asset
from tests.conftest import mathwb
from workbench.folders import default_workspace
from workbench.workspace import LAYOUT_VERSION, Workspace, ensure_sample


def test_opening_makes_it_and_opening_again_finds_it(tmp_path: Path) -> None:
    made = Workspace.open(tmp_path / "mine")
    (made.corpora / "c").mkdir()
    again = Workspace.open(tmp_path / "mine", create=False)
    assert again.root == tmp_path / "mine"
    assert (again.corpora / "c").is_dir()
    folders = (again.runs, again.corpora, again.make_folder("arqmath"), again.models, again.exports)
    assert {folder.parent for folder in folders} == {again.root}
    assert all(folder.is_dir() for folder in folders)


def test_setting_names_it_and_the_default_is_in_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Workspace.open().root == default_workspace()
    monkeypatch.setenv("MATHWB_WORKSPACE", str(tmp_path / "other"))
    assert Workspace.open().root == tmp_path / "other"


def refused(path: Path, **options: bool) -> EngineError:
    with pytest.raises(EngineError) as caught:
        Workspace.open(path, **options)
    assert str(path) in str(caught.value)
    assert caught.value.remedy
    return caught.value


def test_a_newer_version_is_refused_and_untouched(tmp_path: Path) -> None:
    Workspace.open(tmp_path / "w")
    description = tmp_path / "w" / "workspace.toml"
    description.write_text(f"version = {LAYOUT_VERSION + 1}\n")
    error = refused(tmp_path / "w")
    assert (error.code, error.exit_code) == ("E503", 2)
    assert description.read_text() == f"version = {LAYOUT_VERSION + 1}\n"


@pytest.mark.parametrize("content", [b"", b"version = 'one'", b"\xff\xfe", b"version ="])
def test_a_corrupt_description_is_refused(tmp_path: Path, content: bytes) -> None:
    Workspace.open(tmp_path / "w")
    (tmp_path / "w" / "workspace.toml").write_bytes(content)
    assert refused(tmp_path / "w").code == "E504"


def test_a_folder_of_other_things_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    assert refused(tmp_path).code == "E504"
    assert os.listdir(tmp_path) == ["thesis.tex"]


@pytest.mark.parametrize("root", ["w", "."])
def test_one_whose_making_was_cut_short_is_finished(
    tmp_path: Path, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, at each of the writes of a first start."""
    place = tmp_path / root
    left = -1
    codes: set[str] = set()
    opened, mkdir = os.open, os.mkdir

    def limited(act: Callable[..., object]) -> Callable[..., object]:
        def acting(path: object, *rest: object, **more: object) -> object:
            nonlocal left
            if Path(str(path)).is_relative_to(tmp_path):
                left -= 1
                if left < 0:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            return act(path, *rest, **more)

        return acting

    for enough in range(100):
        left = enough
        with monkeypatch.context() as patch:
            patch.setattr(os, "open", limited(opened))
            patch.setattr(os, "mkdir", limited(mkdir))
            patch.setattr(io, "open", limited(io.open))
            try:
                Workspace.open(place)
                break
            except EngineError as error:
                codes.add(error.code)
    assert codes == {"E310"}
    assert enough > 8
    made = Workspace.open(place, create=False)
    assert made.runs.is_dir()
    assert sorted(path.name for path in place.iterdir() if path.is_file()) == [
        "workspace.lock",
        "workspace.toml",
    ]


@pytest.mark.parametrize("name", ["thesis.tex", "corpora/mine/shards", "src", ".workspace.toml.x"])
def test_other_contents_are_no_unfinished_workspace(tmp_path: Path, name: str) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / name).mkdir(parents=True)
    assert refused(tmp_path).code == "E504"


def test_a_comment_in_the_description_stays(sample: Path, tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    description = tmp_path / "w" / "workspace.toml"
    description.write_text("# the one of the paper\nversion = 1 # do not change\nsample = []\n")
    assert ensure_sample(workspace)
    assert description.read_text().startswith("# the one of the paper\nversion = 1 # do not change\n")
    assert tomllib.loads(description.read_text())["sample"] == ["corpora/small"]


def test_a_file_in_its_place_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert refused(tmp_path / "file").code == "E504"


def test_without_create_nothing_is_made(tmp_path: Path) -> None:
    assert refused(tmp_path / "none", create=False).exit_code == 3
    assert not (tmp_path / "none").exists()


def as_nobody(act: Callable[[], None]) -> str:
    """Run `act` in a child without root's rights; returns the code of the EngineError it raises."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            act()
            os.write(writing, b"nothing raised")
        except EngineError as error:
            os.write(writing, error.code.encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as pipe:
        return pipe.read().decode()


def test_no_permission_to_write_is_said_at_once(tmp_path: Path) -> None:
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    made = Workspace.open(tmp_path / "w").root
    made.chmod(0o555)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    closed.chmod(0o555)
    assert as_nobody(lambda: Workspace.open(closed / "new") and None) == "E502"
    # What is there can be looked at, and what would write says why not.
    looked = as_nobody(lambda: None if not Workspace.open(made).writable else made.rmdir())
    assert looked == "nothing raised"
    assert as_nobody(lambda: ensure_sample(Workspace.open(made)) and None) == "nothing raised"
    assert as_nobody(lambda: Workspace.open(made).notes.toggle_bookmark("job/1") and None) == "E311"


@pytest.fixture
def sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "assets" / "sample"
    (folder / "corpora" / "small" / "shards").mkdir(parents=True)
    (folder / "corpora" / "small" / "shards" / "one").write_text("1")
    monkeypatch.setattr("workbench.paper.asset", lambda name: tmp_path / "assets" / name)
    return folder


def test_the_sample_comes_once_and_stays_away_when_removed(sample: Path, tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    assert ensure_sample(workspace)
    copied = workspace.corpora / "small" / "shards" / "one"
    assert copied.read_text() == "1"
    assert not ensure_sample(workspace)
    copied.unlink()
    assert not ensure_sample(workspace)
    assert not copied.exists()


def test_a_workspace_of_an_older_version_gets_the_forum(tmp_path: Path) -> None:
    """It has no folder `arqmath`, and had only the sample of expressions."""
    workspace = Workspace.open(tmp_path / "w")
    workspace.make_folder("arqmath").rmdir()
    description = tmp_path / "w" / "workspace.toml"
    description.write_text(f'version = {LAYOUT_VERSION}\nsample = ["corpora/sample-e"]\n')
    assert ensure_sample(Workspace.open(tmp_path / "w"))
    forum = workspace.make_folder("arqmath") / "sample-forum"
    shipped = asset("sample/arqmath/sample-forum")
    files = {path.relative_to(shipped) for path in shipped.rglob("*") if path.is_file()}
    assert len(files) > 8
    for file in files:
        assert (forum / file).read_bytes() == (shipped / file).read_bytes()
    assert [path.name for path in workspace.corpora.iterdir()] == ["sample-classical"]
    shutil.rmtree(forum)
    assert not ensure_sample(workspace)
    assert not forum.exists()


def test_the_user_may_write_into_the_copied_forum(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    ensure_sample(workspace)
    notes = workspace.make_folder("arqmath") / "sample-forum" / "judgements.jsonl"
    notes.write_text("mine")
    assert not ensure_sample(workspace)
    assert notes.read_text() == "mine"


def test_later_samples_are_added_and_own_folders_kept(sample: Path, tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    ensure_sample(workspace)
    (sample / "corpora" / "later").mkdir()
    (sample / "corpora" / "mine").mkdir()
    (workspace.corpora / "mine").mkdir()
    (workspace.corpora / "mine" / "work").write_text("precious")
    assert ensure_sample(workspace)
    assert (workspace.corpora / "later").is_dir()
    assert (workspace.corpora / "mine" / "work").read_text() == "precious"


def test_a_copy_that_fails_leaves_nothing_half_done(
    sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = Workspace.open(tmp_path / "w")

    def full(source: str, target: str) -> None:
        Path(target).write_text("half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(EngineError):
        ensure_sample(workspace)
    assert os.listdir(workspace.corpora) == []
    monkeypatch.undo()


def test_a_sample_that_finds_the_disk_full_says_so(workspace_full: Workspace) -> None:
    with pytest.raises(EngineError) as caught:
        ensure_sample(workspace_full)
    assert (caught.value.code, caught.value.exit_code) == ("E310", 1)
    assert not list(workspace_full.corpora.iterdir())


@pytest.fixture
def workspace_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    def full(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(source), None, str(target))

    workspace = Workspace.open(tmp_path / "mine")
    monkeypatch.setattr(shutil, "copyfile", full)
    return workspace


def test_a_corpus_of_the_workspace_goes_into_the_trash_and_comes_back() -> None:
    workspace = Workspace.open()
    ensure_sample(workspace)
    corpus = workspace.corpora / "sample-e"

    def read_files() -> dict[Path, bytes]:
        return {path.relative_to(corpus): path.read_bytes() for path in corpus.rglob("*") if path.is_file()}

    held = read_files()
    done = mathwb("data", "remove", "sample-e", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["item"] == "folder/sample-e"
    assert "sample-e" not in {path.name for _, path in workspace.list_own_data()}
    assert not corpus.exists()
    assert not ensure_sample(workspace)
    assert mathwb("data", "remove", "sample-e").returncode == 3
    corpus.mkdir()
    assert "E466" in mathwb("trash", "restore", "folder/sample-e").stderr
    corpus.rmdir()
    assert mathwb("trash", "restore", "folder/sample-e").returncode == 0
    assert read_files() == held
    assert not workspace.trash.list_items()
