"""The user's own files are checked line by line, registered, and left where they are."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from engines.core.errors import DataError, EngineError
from engines.core.system import asset
from tests.conftest import expect_error
from workbench.cli.command import app
from workbench.cli.data import list_data
from workbench.workspace import SHOWN, DataRegistry, Workspace, all_kinds, ensure_sample


@pytest.fixture
def registry(tmp_path: Path) -> DataRegistry:
    return Workspace.open(tmp_path / "w").data


def test_expressions_are_counted_and_bad_lines_named(registry: DataRegistry, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(b"# my own\nsin(x)^2 + 1\n- tanh x 6\n\nsin(\n\xff\nfoo x\n")
    checked = registry.add_entry("expressions", path)
    assert checked.data.counts == {"records": 2, "lines": 7}
    assert [error.where for error in checked.bad_lines] == [f"{path}:{line}" for line in (5, 6, 7)]
    assert registry.find_entry("mine") == checked.data
    assert checked.data.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("plain", [True, False])
def test_clusters_in_both_layouts_count_the_same(registry: DataRegistry, tmp_path: Path, plain: bool) -> None:
    clusters = [["sin x", "cos - / pi 2 x"], ["x", "+ x 0", "foo x"]]
    path = tmp_path / "clusters"
    if plain:
        path.write_text("\n\n".join("\n".join(cluster) for cluster in clusters) + "\n")
    else:
        rows = (json.dumps({"head": cluster[0], "exprs": cluster}) for cluster in clusters)
        path.write_bytes(gzip.compress("\n".join(rows).encode()))
    checked = registry.add_entry("clusters", path)
    assert checked.data.counts["records"] == 2
    assert checked.data.counts["expressions"] == 4
    assert checked.data.bad == 1


@pytest.mark.real_data
def test_the_published_clusters_are_registered(registry: DataRegistry, real_data: Path) -> None:
    checked = registry.add_entry("clusters", real_data / "expr" / "egen_clusters_sample.jsonl.gz")
    assert checked.data.counts["records"] == 300
    # Not quite half a percent differentiate by `sin asin x` and the like, which is no variable.
    assert 0 < checked.data.bad < 0.005 * checked.data.counts["expressions"]


def corpus(folder: Path) -> Path:
    (folder / "shards").mkdir(parents=True)
    shards = []
    for number in range(3):
        data = f"shard {number}".encode()
        (folder / "shards" / f"{number}.parquet").write_bytes(data)
        shards.append({"name": f"{number}.parquet", "sha256": hashlib.sha256(data).hexdigest(), "rows": 7})
    (folder / "clusters.parquet").write_bytes(b"clusters")
    files = {"clusters.parquet": hashlib.sha256(b"clusters").hexdigest()}
    (folder / "manifest.json").write_text(json.dumps({"shards": shards, "files": files}))
    return folder


def test_a_shard_cut_in_the_middle_is_named(registry: DataRegistry, tmp_path: Path) -> None:
    folder = corpus(tmp_path / "corpus")
    assert registry.add_entry("corpus", folder).data.bad == 0
    shard = folder / "shards" / "1.parquet"
    shard.write_bytes(shard.read_bytes()[:4])
    (folder / "shards" / "2.parquet").unlink()
    checked = registry.check_entry(registry.find_entry("corpus"))
    assert checked.data.counts == {"records": 2, "files": 4, "expressions": 21}
    assert str(shard) in str(checked.bad_lines[0])
    assert checked.bad_lines[1].exit_code == 3


def test_a_corpus_that_was_built_is_registered(registry: DataRegistry) -> None:
    samples = sorted(asset("sample/corpora").iterdir())
    assert samples
    for sample in samples:
        checked = registry.add_entry("corpus", sample)
        assert checked.data.bad == 0
        assert checked.data.counts["expressions"] > checked.data.counts["records"]


def test_the_list_shows_what_lies_in_the_workspace_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    workspace = Workspace.open()
    ensure_sample(workspace)
    path = tmp_path / "mine.txt"
    path.write_text("sin x\n")
    workspace.data.add_entry("expressions", path)
    list_data(as_json=True)
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert [(name, row["kind"], row["registered"]) for name, row in rows.items()] == [
        ("mine", "expressions", True),
        ("sample-classical", "corpus", False),
        ("sample-e", "corpus", False),
        ("sample-en", "problems", False),
        ("sample-zh", "problems", False),
        ("training-en", "problems", False),
        ("training-zh", "problems", False),
        ("sample-forum", "arqmath", False),
    ]
    assert rows["sample-forum"]["path"] == str(workspace.make_folder("arqmath") / "sample-forum")
    list_data(as_json=False)
    assert "sample-forum" in capsys.readouterr().out


def test_a_changed_file_is_noticed_and_the_entry_kept(registry: DataRegistry, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("sin x\n")
    entry = registry.add_entry("expressions", path).data
    assert registry.check_entry(entry).state == "unchanged"
    path.write_text("sin x\ncos x\n")
    checked = registry.check_entry(entry)
    assert (checked.state, checked.data.counts["records"]) == ("changed", 2)
    assert registry.find_entry("mine") == entry
    path.unlink()
    with expect_error("E354", exit_code=3) as caught:
        registry.check_entry(entry)
    assert "mathwb data add expressions PATH --name mine" in caught.value.remedy


def test_names_are_unique_paths_are_registered_once_and_removing_keeps_the_file(
    registry: DataRegistry, tmp_path: Path
) -> None:
    paths = [tmp_path / folder / "mine.txt" for folder in ("a", "b")]
    for path in paths:
        path.parent.mkdir()
        path.write_text("x\n")
        registry.add_entry("expressions", path)
    registry.add_entry("expressions", paths[0])
    assert {entry.name for entry in registry.list_entries()} == {"mine", "mine-2"}
    with expect_error("E432"):
        registry.add_entry(
            "expressions",
            paths[0],
            name="mine-2" if registry.find_entry(str(paths[1])).name == "mine-2" else "mine",
        )
    registry.remove_entry(str(paths[1]))
    assert [entry.path for entry in registry.list_entries()] == [str(paths[0])]
    assert paths[1].exists()


def test_a_removed_entry_is_brought_back_as_it_was_and_replaces_no_other(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "w")
    mine = tmp_path / "mine.txt"
    mine.write_text("x\nno expression!\n")
    workspace.data.add_entry("expressions", mine)
    before = workspace.data.list_entries()
    workspace.data.remove_entry("mine")
    assert workspace.data.list_entries() == ()
    (item,) = workspace.trash.list_items()
    workspace.data.add_entry("expressions", mine, name="again")
    with pytest.raises(EngineError) as caught:
        workspace.trash.restore_item(workspace, item)
    assert caught.value.code == "E466"
    workspace.data.remove_entry("again")
    workspace.trash.restore_item(workspace, workspace.trash.find_item("data/mine"))
    assert workspace.data.list_entries() == before


@pytest.mark.parametrize("kind", sorted(all_kinds()))
@pytest.mark.parametrize("content", [b"", b"\0\1\2\3", b"no expression at all!\n" * 3])
def test_what_holds_nothing_usable_is_not_registered(
    registry: DataRegistry, tmp_path: Path, kind: str, content: bytes
) -> None:
    path = tmp_path / "input"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        registry.add_entry(kind, path)
    assert caught.value.exit_code == 2
    assert str(path) in str(caught.value)
    assert registry.list_entries() == ()


def test_thousands_of_bad_lines_are_counted_and_some_kept(registry: DataRegistry, tmp_path: Path) -> None:
    path = tmp_path / "mostly-bad"
    path.write_text("x\n" + "sin(\n" * 2000)
    checked = registry.add_entry("expressions", path)
    assert checked.data.bad == 2000
    assert len(checked.bad_lines) == SHOWN


def test_unknown_kinds_and_names_get_a_hint(registry: DataRegistry, tmp_path: Path) -> None:
    with expect_error("E431") as caught:
        registry.add_entry("cluster", tmp_path)
    assert "clusters" in caught.value.remedy
    with pytest.raises(EngineError) as caught:
        registry.find_entry("mine")
    assert caught.value.exit_code == 3


def test_a_corrupt_list_is_refused_and_kept(registry: DataRegistry) -> None:
    registry.path.write_text("[mine]\nkind = 3\nwhat = 1\n")
    with expect_error("E504"):
        registry.list_entries()
    assert registry.path.read_text().startswith("[mine]")


PROBLEM = '{"text": "Ann has 3 apples and 4 pears. How many fruits?", "equation": "3+4"}\n'


@pytest.mark.parametrize(
    ("kind", "file", "content", "command"),
    [
        ("problems", "mine.jsonl", PROBLEM, "mwp problems mine"),
        (
            "amr",
            "mine.txt",
            "# ::snt She runs.\n(r / run-02 :ARG0 (s / she))\n",
            "mathamr roles --amr mine --out new",
        ),
        ("arqmath", "mine", None, "arqmath topics mine"),
    ],
)
def test_what_was_moved_away_says_how_to_register_it_again(
    tmp_path: Path, kind: str, file: str, content: str | None, command: str
) -> None:
    path = tmp_path / file
    if content is None:
        shutil.copytree(asset("sample/arqmath/sample-forum"), path)
    else:
        path.write_text(content)
    Workspace.open().data.add_entry(kind, path, name="mine")
    path.rename(tmp_path / "elsewhere")
    done = CliRunner().invoke(app, command.split())
    assert done.exit_code == 3
    assert "E354" in done.output
    assert f"mathwb data add {kind} PATH --name mine" in done.output


def test_registered_files_are_searched_by_name_and_by_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where one stands beside the folder, which then has its name."""
    from workbench.papers.mathamr.data import index_path

    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("We see $x^2$.")
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, ["data", "add", "formulas", "notes"]).exit_code == 0
    with pytest.raises(EngineError) as caught:
        index_path("notes")
    assert caught.value.code == "E312"
    assert CliRunner().invoke(app, ["mathamr", "index", "notes"]).exit_code == 0
    place = index_path("notes")
    assert (place / "about.json").exists()
    assert index_path(str(tmp_path / "notes")) == index_path(str(place)) == place
    assert index_path(str(tmp_path)) == tmp_path
