"""The doctor finds what it is there to find."""

from __future__ import annotations

import importlib.metadata
import shutil
from pathlib import Path

import pytest

from workbench import doctor
from workbench.doctor import DoctorFinding, examine_installation
from workbench.folders import config_dir, config_file
from workbench.workspace import LAYOUT_VERSION, Workspace, ensure_sample


def finding(name: str, state: str) -> list[DoctorFinding]:
    return [f for f in examine_installation() if f.name == name and f.state == state]


def test_this_environment_is_healthy() -> None:
    names = {f.name: f.state for f in examine_installation()}
    assert names["python"] == names["packages"] == names["names"] == names["assets"] == "ok"


def test_a_missing_package_is_missing_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    real = doctor.all_versions
    monkeypatch.setattr(doctor, "all_versions", lambda: {k: v for k, v in real().items() if k != "egglog"})
    (found,) = finding("packages", "missing")
    assert "egglog" in found.what
    assert "make install" in found.remedy


def test_another_version_than_the_lock_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = doctor.all_versions
    monkeypatch.setattr(doctor, "all_versions", lambda: real() | {"sympy": "0.1", "torch": "2.13.0+cpu"})
    (found,) = finding("versions", "wrong")
    assert "sympy 0.1 (lock: " in found.what
    assert "torch" not in found.what


def test_what_a_light_install_lacks_and_could_do_without_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.papers.mathamr.data.find_spec", lambda name: None)
    monkeypatch.setattr("workbench.papers.egen.data._WITH_SYMBOLS_BYTES", 10**6)
    (parser,) = finding("AMR parser", "note")
    assert "mathwb[language]" in parser.what
    (library,) = finding("egglog", "note")
    command, path = library.remedy.removeprefix("They can go: ").rsplit(" ", 1)
    assert command == "strip --strip-debug"
    assert Path(path).is_file()
    monkeypatch.setattr("workbench.papers.egen.data._WITH_SYMBOLS_BYTES", 10**12)
    assert not finding("egglog", "note")


def test_a_stranger_with_our_names_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    owners = {"engines": ["mathwb"], "screens": ["mathwb", "flipper"]}
    monkeypatch.setattr(importlib.metadata, "packages_distributions", lambda: owners)
    (found,) = finding("names", "wrong")
    assert "flipper" in found.what
    assert "'screens'" in found.what


def test_a_folder_that_would_shadow_ours_is_noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "engines").mkdir()
    monkeypatch.chdir(tmp_path)
    assert finding("names", "note")


def test_a_workspace_that_cannot_be_used_is_missing() -> None:
    root = Workspace.open().root
    (root / "workspace.toml").write_text(f"version = {LAYOUT_VERSION + 1}\n")
    (found,) = finding("workspace", "missing")
    assert str(root) in found.what


def test_what_the_workspace_holds_is_counted() -> None:
    workspace = Workspace.open()
    ensure_sample(workspace)
    assert "2 corpora, 4 sets of problems, 1 ARQMath collections" in next(doctor._check_workspace()).what
    shutil.rmtree(workspace.make_folder("arqmath") / "sample-forum")
    assert "2 corpora, 4 sets of problems, 0 ARQMath collections" in next(doctor._check_workspace()).what


def test_a_disk_that_is_nearly_full_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(Path.cwd())
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage._replace(free=10**6))
    assert finding("disk", "wrong")


def test_wrong_settings_are_named_and_the_rest_is_still_examined() -> None:
    config_dir().mkdir(parents=True)
    config_file().write_text("theme =")
    (found,) = finding("settings", "missing")
    assert str(config_file()) in found.what
    assert finding("python", "ok")
