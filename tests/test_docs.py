"""What the documents say is so."""

from __future__ import annotations

import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup
from typer.testing import CliRunner

from workbench import __version__
from workbench.cli.root import app
from workbench.recipes import load, with_settings

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str) -> list[str]:
    """The lines of the page's blocks but those of Python, without comments; what goes on is one line."""
    found = [
        body for language, body in re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL) if language != "python"
    ]
    lines = re.sub(r"\\\n\s*", "", "".join(found)).splitlines()
    return [line.split("  ")[0].strip() for line in lines]


def commands() -> list[str]:
    """What the pages show after `mathwb`, in blocks and in lines; generated pages have tests of their own."""
    found = []
    for page in PAGES:
        if page.name in ("commands.md", "keys.md"):
            continue
        text = page.read_text()
        found += [line for line in blocks(text) if line.startswith("mathwb")]
        outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        found += [" ".join(each.split()) for each in re.findall(r"`(mathwb [^`…]+)`", outside)]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("line", commands())
def test_commands_are_ones_that_the_parser_takes(line: str) -> None:
    words = shlex.split(line.replace("TASK", "kmeans"))[1:]
    if set(words) & {"--help", "--version"}:
        assert CliRunner().invoke(app, words).exit_code == 0
        return
    root = typer.main.get_command(app)
    context = root.make_context("mathwb", words)
    while isinstance(context.command, TyperGroup):
        rest = [*context._protected_args, *context.args]
        if not rest:
            break
        name, command, rest = context.command.resolve_command(context, rest)
        assert command is not None
        assert name is not None
        bare = len(shlex.split(line)) <= 3 and not rest  # a command is only named
        context = command.make_context(name, rest, parent=context, resilient_parsing=bare)
    if words[0] == "train" and context.params.get("name"):
        with_settings(load(context.params["name"]), context.params.get("settings") or [])


# Lines of the README that are run as they stand, in its order, in a folder with the files that they name.
RUN = (
    'mathwb egen generate "sin(x)^2 + cos(x)^2" --members 10',
    'mathwb egen generate "- tanh - * 3 x -4 6" --json',
    "mathwb egen verify pairs.tsv --json",
    "mathwb train --list",
    "mathwb mwp problems sample-en",
    "mathwb mwp augment sample-zh --out variants.jsonl",
    "mathwb mwp triplets sample-en --pool train,qr --out triplets.jsonl",
    "mathwb mwp explain sample-en en-001 --pool train,qr --strategy joint",
    'mathwb mwp solve mwp-en "Ann has 12 boxes with 5 pens in each and loses 7. How many are left?"',
    "mathwb data add arqmath COLLECTION",
    "mathwb arqmath index COLLECTION --out INDEX --dense",
    "mathwb arqmath search INDEX 'integral of $\\frac{\\sin x}{x}$'",
    "mathwb arqmath rank INDEX --topics TOPICS.xml --no-rerank --out three.tsv",
    "mathwb arqmath eval three.tsv --qrels QRELS --json",
    "mathwb arqmath compare bm25.tsv three.tsv --qrels QRELS",
    "mathwb mathamr opt --latex 'x^n + y^n = z^n'",
    "mathwb data add expressions mine.txt",
    "mathwb config show",
)


def test_what_is_quick_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(RUN) <= set(commands())
    forum = ROOT / "assets" / "sample" / "arqmath" / "sample-forum"
    shutil.copytree(forum, tmp_path / "COLLECTION")
    shutil.copy(forum / "topics_task1.xml", tmp_path / "TOPICS.xml")
    shutil.copy(forum / "qrels_task1.tsv", tmp_path / "QRELS")
    shutil.copy(forum / "runs" / "bm25.tsv", tmp_path / "bm25.tsv")
    (tmp_path / "pairs.tsv").write_text("sin x\t/ 1 csc x\n")
    (tmp_path / "mine.txt").write_text("sin(2*x)\n")
    monkeypatch.chdir(tmp_path)
    for line in RUN:
        done = CliRunner().invoke(app, shlex.split(line)[1:])
        assert done.exit_code == 0, (line, done.stderr)
        assert done.stdout


def benchmarks() -> list[str]:
    """What the pages show after `python -m benchmarks.`, as `commands`."""
    text = "\n".join(page.read_text() for page in PAGES)
    inline = [
        " ".join(line.split()) for line in re.findall(r"`(?:\w+=\w+ )?(python\s+-m\s+benchmarks[^`]+)`", text)
    ]
    return list(dict.fromkeys([*inline, *(line for line in blocks(text) if "-m benchmarks" in line)]))


@pytest.mark.parametrize("line", benchmarks())
def test_benchmarks_are_there_with_their_options(line: str) -> None:
    words = shlex.split(line)
    (name,) = (word for word in words if word.startswith("benchmarks."))
    source = (ROOT / f"{name.replace('.', '/')}.py").read_text()
    for option in (word for word in words if word.startswith("--") and word != "--out"):
        assert f'"{option}"' in source


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
