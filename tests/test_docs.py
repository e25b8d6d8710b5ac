"""What the documents say is so."""

from __future__ import annotations

import ast
import importlib
import json
import posixpath
import re
import shlex
import subprocess
import tomllib
from pathlib import Path
from urllib.parse import unquote

import pytest
import typer
from typer.core import TyperGroup
from typer.testing import CliRunner

from docs import notebooks
from workbench import __version__
from workbench.cli.command import app
from workbench.cli.manual import TABLES, errors_page, fill_tables
from workbench.recipes import load_recipe, with_settings

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
RETIRED = re.compile(r"(?:003b8fa|2ffded1c|70191849|52fe8905): .*")
"""A benchmark that was a one-time study, with the commit that has it."""


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(text: str) -> list[str]:
    """The lines of the page's blocks of commands, without comments; a continued line is one."""
    bodies = [
        body
        for language, body in re.findall(r"```(\w*)\n(.*?)```", text, re.DOTALL)
        if language not in ("python", "text", "toml")
    ]
    lines = re.sub(r"\\\n\s*", "", "".join(bodies)).splitlines()
    return [line.split("  ")[0].strip() for line in lines]


def commands() -> list[str]:
    """What the pages show after `mathwb`, in blocks and in lines; generated pages have tests of their own."""
    shown = []
    for page in PAGES:
        if page.name in ("commands.md", "keys.md", "errors.md"):
            continue
        text = page.read_text("utf-8")
        shown += [re.sub(r" > [\w.]+$", "", line) for line in blocks(text) if line.startswith("mathwb ")]
        outside = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        shown += [" ".join(each.split()) for each in re.findall(r"`(mathwb [^`…]+)`", outside)]
    return list(dict.fromkeys(shown))


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
        with_settings(load_recipe(context.params["name"]), context.params.get("settings") or [])


# Lines of the README that are run as they stand; `tests/test_guides.py` runs those of the guides.
RUN = (
    'mathwb egen generate "sin(x)^2 + cos(x)^2" --members 10',
    "mathwb egen verify pairs.tsv --json",
    "mathwb train --list",
    "mathwb mwp problems sample-en",
    "mathwb mathamr opt --latex 'x^n + y^n = z^n'",
)


@pytest.mark.slow
def test_what_is_quick_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [line for line in RUN if line not in commands()] == []
    (tmp_path / "pairs.tsv").write_text("sin x\t/ 1 csc x\n")
    monkeypatch.chdir(tmp_path)
    for line in RUN:
        done = CliRunner().invoke(app, shlex.split(line)[1:])
        assert done.exit_code == 0, (line, done.stderr)
        assert done.stdout


def benchmarks() -> list[str]:
    """What the pages show after `python -m benchmarks.`, as `commands`."""
    text = RETIRED.sub("", "\n".join(page.read_text("utf-8") for page in PAGES))
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


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```python" in page.read_text("utf-8")], ids=name_of
)
def test_python_on_pages_imports_what_there_is(page: Path) -> None:
    for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
        for node in ast.parse(block).body:
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith(("engines", "mathwb")):
                module = importlib.import_module(str(node.module))
                assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []


def test_records_that_pages_name_are_there() -> None:
    for page in PAGES:
        for path in re.findall(
            r"`(benchmarks/results/\w+\.json)`(?!\s+of\s+(?:003b8fa|6495484e))", page.read_text("utf-8")
        ):
            assert (ROOT / path).exists(), (page, path)


def anchors(page: Path) -> set[str]:
    """What a link may name behind #: the page's headings, as they are shown on the web."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    text = re.sub(r"`[^`\n]*`", "", text)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        aim = page.parent / path if path else page
        assert aim.exists(), target
        assert not anchor or anchor in anchors(aim), target


def test_files_that_pages_and_sources_name_are_there() -> None:
    rooms = [ROOT / room for room in ("engines", "workbench", "screens", "benchmarks", "assets")]
    sources = [
        path for room in rooms for ending in ("py", "toml", "md") for path in room.rglob(f"*.{ending}")
    ]
    for path in (*PAGES, *sources):
        text = path.read_text("utf-8")
        for name in re.findall(r"\b(?:docs|assets/(?:rules|mathamr|latex)|tests/slurm)/[\w./-]+\.\w+", text):
            assert (ROOT / name).exists(), (path, name)


def test_what_the_api_page_shows_exists() -> None:
    for name in re.findall(r"^::: (\S+)$", (ROOT / "docs" / "api.md").read_text("utf-8"), re.MULTILINE):
        assert name.startswith("mathwb."), "the name that users import"
        path, _, verb = name.replace("mathwb.", "engines.", 1).replace(".", "/").rpartition("/")
        if (ROOT / path / f"{verb}.py").exists() or (ROOT / path / verb / "__init__.py").exists():
            continue
        source = (ROOT / f"{path}.py").read_text("utf-8")
        assert re.search(rf"^(def|class) {verb}\b", source, re.MULTILINE), name


def test_readme_index_and_navigation_have_every_guide() -> None:
    names = {f"guides/{path.name}" for path in (ROOT / "docs" / "guides").glob("*.md")}
    for page in ("README.md", "docs/index.md", "mkdocs.yml"):
        found = re.findall(r"guides/[\w-]+\.md", (ROOT / page).read_text("utf-8"))
        assert set(found) == names, page
        assert len(found) == len(names), page


def test_the_page_of_error_codes_is_that_of_the_table() -> None:
    assert (ROOT / "docs" / "errors.md").read_text("utf-8") == errors_page(), "run: make pages"


def test_the_tables_within_pages_are_current() -> None:
    pages = [path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("**/*.md"))]
    assert pages == [fill_tables(page) for page in pages], "run: make pages"
    assert all(any(f"manual`: {name} -->" in page for page in pages) for name in TABLES)


@pytest.mark.parametrize("path", sorted(notebooks.PLACE.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_page_of_a_notebook_is_that_of_its_file(path: Path) -> None:
    made = notebooks.page(json.loads(path.read_text("utf-8")), path.stem)
    assert path.with_suffix(".md").read_text("utf-8") == made, "python -m docs.notebooks"


@pytest.mark.slow
def test_links_of_the_built_site_lead_somewhere() -> None:
    if not (ROOT / "build" / "docs" / "bin" / "zensical").exists():
        pytest.skip("the site builder is not installed: make site")
    subprocess.run(["make", "site"], cwd=ROOT, check=True, capture_output=True)
    site = ROOT / "build" / "site"
    pages = {path.relative_to(site).as_posix(): path.read_text("utf-8") for path in site.rglob("*.html")}
    ids = {name: set(re.findall(r"\bid=[\"']?([^\s\"'>]+)", text)) for name, text in pages.items()}
    assert set(ids) == {"404.html"} | {
        path.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        for path in (ROOT / "docs").rglob("*.md")
    }
    assert [path for path in site.rglob("*") if path.suffix in (".py", ".ipynb", ".md", ".1")] == []
    for name in pages.keys() - {"404.html"}:
        for target in re.findall(r"\b(?:href|src)=[\"']?([^\s\"'>]+)", pages[name]):
            if re.match(r"https?:|data:|mailto:", target):
                continue
            path, _, anchor = unquote(target).partition("#")
            aim = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
            assert (site / aim).exists(), (name, target)
            assert not anchor or aim not in ids or anchor in ids[aim], (name, target)


def test_the_site_has_every_page() -> None:
    pages = set(re.findall(r"^ +- ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert pages == {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) < 120


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


def test_every_paper_is_cited() -> None:
    cited = (ROOT / "CITATION.cff").read_text("utf-8")
    for paper in (ROOT / "assets" / "repro").glob("*.toml"):
        comment = paper.read_text("utf-8").partition("\n\n")[0].replace("\n# ", " ")
        names = re.search(r"\(([A-Z][\w, ]+?),? 2\d{3}\)", comment)
        assert names is not None, paper.name
        for name in re.split(r", | and ", names[1]):
            assert f"family-names: {name}\n" in cited, (paper.name, name)


@pytest.mark.parametrize("picture", sorted((ROOT / "docs" / "img").glob("*.svg")), ids=lambda path: path.name)
def test_pictures_fetch_nothing_and_name_no_places(picture: Path) -> None:
    text = picture.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|@font-face|@import|url\((?!#)|/(?:home|root|tmp|Users|work)/", text)
