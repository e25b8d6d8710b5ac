"""What the documents say is so."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from workbench import __version__

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def commands() -> list[str]:
    text = (ROOT / "README.md").read_text()
    lines = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).splitlines()
    return [line.split("  ")[0].strip() for line in lines if line.startswith("mathwb ")]


@pytest.mark.parametrize("line", commands())
def test_commands_of_the_readme_exist_with_their_options(line: str) -> None:
    words = shlex.split(line)[1:]
    path = words[:2] if words[0] in ("egen", "jobs", "data", "config", "arqmath") else words[:1]
    code = "import sys; sys.argv[0] = 'mathwb'; from workbench.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", code, *path, "--help"], capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 0, result.stderr
    for option in (word for word in words if word.startswith("--")):
        assert option in result.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


def test_every_shipped_file_has_its_source() -> None:
    listed = re.findall(r"^\| `([^`]+)`", (ROOT / "assets" / "SOURCES.md").read_text(), re.MULTILINE)
    for path in (ROOT / "assets").rglob("*"):
        name = path.relative_to(ROOT / "assets").as_posix()
        if path.is_file() and name != "SOURCES.md":
            folders = [entry for entry in listed if entry.endswith("/")]
            assert name in listed or name.startswith(tuple(folders)), name
    for entry in listed:
        assert (ROOT / "assets" / entry).exists(), entry


def test_contributing_is_short() -> None:
    assert len((ROOT / "CONTRIBUTING.md").read_text().splitlines()) < 60


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["version"] == __version__
    assert f"version: {__version__}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("picture", sorted((ROOT / "docs" / "img").glob("*.svg")), ids=lambda path: path.name)
def test_pictures_fetch_nothing_and_name_no_places(picture: Path) -> None:
    text = picture.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|@font-face|@import|url\((?!#)|/(?:home|root|tmp|Users|work)/", text)
