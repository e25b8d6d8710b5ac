"""Archives and recipes of others: they write to their run folder alone, and what they hold is limited."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.conftest import expect_error
from workbench.cli.command import app
from workbench.jobs.archive import plan_packing, unpack_job, write_planned
from workbench.jobs.folder import Job
from workbench.recipes import Recipe
from workbench.workspace import Workspace

pytestmark = pytest.mark.usefixtures("forked_jobs")

RECIPE = """
task = "mwp.augment"
title = "variants"
[params]
data = "data/0-problems.jsonl"
out = "%s"
"""
PROBLEM = '{"id": "1", "text": "Ann has 3 apples and 4 pears. How many fruits?", "equation": "3+4"}\n'


def member(name: str, content: str = "", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for field, value in fields.items():
        setattr(info, field, value)
    return info, content.encode()


def archive(path: Path, *members: tuple[tarfile.TarInfo, bytes], out: str = "out.jsonl") -> Path:
    first = [member("job/recipe.toml", RECIPE % out), member("job/data/0-problems.jsonl", PROBLEM)]
    with tarfile.open(path, "w:gz") as file:
        for info, data in [*first, *members]:
            file.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize("out", ["/home/x/.bashrc", "../../.bashrc", ".bashrc", "a/../..", "/", "~/.bashrc"])
def test_a_job_writes_to_its_run_folder_alone(tmp_path: Path, out: str) -> None:
    found = unpack_job(archive(tmp_path / "job.tar.gz", out=out), tmp_path / "exports")
    name = ".bashrc" if out.endswith("rc") else "out"
    assert found.recipe.params["out"] == f"./out/{name}"
    assert any(out in line for line in found.remarks) == (out != ".bashrc")
    assert found.recipe.params["data"] == str(tmp_path / "exports" / "job" / "data" / "0-problems.jsonl")
    found.remove()
    assert not list((tmp_path / "exports").iterdir())


def test_what_a_recipe_of_others_reads_is_told(tmp_path: Path) -> None:
    path = tmp_path / "here" / "recipe.toml"
    (tmp_path / "secret").write_text("x")
    path.parent.mkdir()
    (path.parent / "link").symlink_to(tmp_path / "secret")
    params = {
        "trainer": "mwp.solver",
        "data": {"problems": "../secret", "backbone": "here/link", "more": str(path)},
        "model": {"words": ["/etc/passwd"]},
        "publish": "/home/x/models",
        "executor": "slurm:output=/home/x/.bashrc",
    }
    Recipe("train", "a model", params).write(path)
    found = unpack_job(path, tmp_path / "exports")
    remarks = "\n".join(found.remarks)
    for word in ("data.problems", "data.backbone", "model.words = /etc/passwd", "/home/x/models", "slurm:"):
        assert word in remarks
    assert "data.more" not in remarks
    assert found.recipe.params["publish"] == "./out/models"
    assert "executor" not in found.recipe.params
    found.remove()
    assert path.exists()


@pytest.mark.parametrize(
    "bad",
    [
        member("job/link", type=tarfile.SYMTYPE, linkname="/etc"),
        member("job/link", type=tarfile.LNKTYPE, linkname="job/recipe.toml"),
        member("job/pipe", type=tarfile.FIFOTYPE),
        member("job/disk", type=tarfile.BLKTYPE),
        member("job/hole", pax_headers={"GNU.sparse.map": "0,0", "GNU.sparse.size": str(2**25)}),
        member("/tmp/away", "x"),
        member("job/../../away", "x"),
    ],
)
def test_links_devices_holes_and_places_outside_are_refused(
    tmp_path: Path, bad: tuple[tarfile.TarInfo, bytes]
) -> None:
    with expect_error("E318"):
        unpack_job(archive(tmp_path / "job.tar.gz", bad), tmp_path / "exports")
    assert not list((tmp_path / "exports").iterdir())


def zeros(name: str, size: int) -> Iterable[tuple[tarfile.TarInfo, bytes]]:
    yield member(name, "\0" * size)


@pytest.mark.slow
def test_an_archive_that_would_fill_the_disk_is_refused(tmp_path: Path) -> None:
    large = archive(tmp_path / "job.tar.gz", *(next(iter(zeros(f"job/{n}", 2**24))) for n in range(8)))
    assert large.stat().st_size < 2**18
    with expect_error("E316"):
        unpack_job(large, tmp_path / "exports")
    assert not list((tmp_path / "exports").iterdir())


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["a"] * 20_000) + " = 1",
        "['" + "'. '".join("a" * 17) + "']",
        "a = " + "[" * 50_000,
        "a = " + "{a=" * 50_000,
        "a = " + "9" * 5_000,
        "#" * 2**20 + "\na = 1",
    ],
    ids=["many parts", "many quoted parts", "deep list", "deep table", "long number", "long file"],
)
def test_recipes_that_take_too_much_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "recipe.toml").write_text(text)
    with expect_error("E610"):
        Recipe.read(tmp_path / "recipe.toml")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MATHWB_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_nothing_runs_before_somebody_has_agreed(home: Path) -> None:
    packed = archive(home / "job.tar.gz", out=str(home / "bashrc"))
    asked = CliRunner().invoke(app, ["jobs", "run", str(packed)])
    assert (asked.exit_code, "E401" in asked.stderr, str(home / "bashrc") in asked.stderr) == (2, True, True)
    workspace = Workspace.open()
    assert not list(workspace.runs.iterdir())
    assert not list((workspace.root / "exports").iterdir())
    done = CliRunner().invoke(app, ["jobs", "run", str(packed), "--yes"])
    assert done.exit_code == 0, done.stderr
    assert (workspace.runs / "1" / "out" / "bashrc").exists()
    assert not (home / "bashrc").exists()


def test_a_recipe_of_a_training_does_not_say_where_to_write(home: Path) -> None:
    from workbench.train import job_spec

    recipe = Recipe("train", "a model", {"trainer": "mwp.solver", "out": "/home/x"}, name="a")
    with expect_error("E424"):
        job_spec(Workspace.open(), recipe)


@pytest.mark.parametrize("out", ['["/home/x/a", "b"]', '{n = "/home/x/a"}', "3"])
def test_a_place_that_is_no_text_is_refused(home: Path, out: str) -> None:
    folder = home / "job"
    folder.mkdir()
    (folder / "problems.jsonl").write_text(PROBLEM)
    text = RECIPE.replace('"%s"', out).replace("data/0-problems.jsonl", "problems.jsonl")
    (folder / "recipe.toml").write_text(text)
    done = CliRunner().invoke(app, ["jobs", "run", str(folder / "recipe.toml"), "--yes"])
    assert done.exit_code == 2
    assert "E424" in done.output


def test_two_places_of_one_name_stay_two(tmp_path: Path) -> None:
    params = {"trainer": "mwp.solver", "out": "/home/x/models", "publish": "/home/y/models"}
    path = tmp_path / "recipe.toml"
    Recipe("train", "a model", params).write(path)
    written = unpack_job(path, tmp_path / "exports").recipe.params
    assert (written["out"], written["publish"]) == ("./out/models", "./out/publish")


def shared_collection(home: Path) -> tuple[Job, Path]:
    """A job over a collection in which a secret lies by links, hidden and as itself."""
    secret = home / "outside" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("sk-very-secret")
    collection = home / "forum"
    for name, text in {
        "posts.jsonl": '{"id": 1}',
        ".git/config": "sk-very-secret",
        "runs/.env": "sk-very-secret",
        "runs/a.tsv": "A.1",
    }.items():
        (collection / name).parent.mkdir(parents=True, exist_ok=True)
        (collection / name).write_text(text)
    (collection / "key").symlink_to(secret)
    (collection / "runs" / "away").symlink_to(secret.parent)
    (collection / "runs" / "nowhere").symlink_to(home / "missing")
    (collection / "runs" / "posts.jsonl").symlink_to(collection / "posts.jsonl")
    os.link(collection / "posts.jsonl", collection / "again.jsonl")
    os.mkfifo(collection / "pipe")
    workspace = Workspace.open()
    folder = workspace.runs / "1"
    (folder / "out" / "model").mkdir(parents=True)
    (folder / "out" / "model" / "weights").symlink_to(secret)
    (folder / "attempt-1").mkdir()
    (folder / "attempt-1" / "stderr.log").symlink_to(secret)
    params = {"folder": str(collection), "out": str(folder / "out")}
    Recipe("arqmath.index", "an index", params).write(folder / "recipe.toml")
    return Job(1, folder), secret


def test_an_archive_follows_no_link_and_names_what_it_leaves_out(home: Path) -> None:
    job, _ = shared_collection(home)
    packing = plan_packing(job)
    assert not list(home.glob("*.tar.gz"))
    done = write_planned(packing, home / "job.tar.gz")
    with tarfile.open(home / "job.tar.gz") as file:
        held = {info.name: info for info in file}
        content = b"".join(file.extractfile(info).read() for info in held.values())  # type: ignore[union-attr]
    assert b"secret" not in content
    assert all(info.isreg() for info in held.values())
    names = {name.partition("/")[2] for name in held}
    assert names == set(done["contents"]) == set(packing.sizes)
    data = "data/0-forum"
    assert names == {
        "recipe.toml",
        "README.md",
        *(f"{data}/{name}" for name in ("posts.jsonl", "again.jsonl", "runs/a.tsv")),
    }
    assert {held[f"mathwb-job-1/{name}"].size for name in names} == set(packing.sizes.values())
    assert sorted(done["left_out"]) == sorted(
        [
            f"{data}/key (a link)",
            f"{data}/runs/away (a link)",
            f"{data}/runs/nowhere (a link)",
            f"{data}/runs/posts.jsonl (a link)",
            f"{data}/.git (hidden)",
            f"{data}/runs/.env (hidden)",
            f"{data}/pipe (no file)",
            "model/weights (a link)",
            "attempt-1/stderr.log (a link)",
        ]
    )
    found = unpack_job(home / "job.tar.gz", home / "exports")
    assert found.recipe.params["folder"] == str(home / "exports" / "job" / data)


def test_contents_are_listed_before_an_archive_is_written(home: Path) -> None:
    shared_collection(home)
    taken = home / "taken"
    taken.mkdir()
    failed = CliRunner().invoke(app, ["jobs", "pack", "1", "--out", str(taken)])
    assert failed.exit_code
    done = CliRunner().invoke(app, ["jobs", "pack", "1"])
    assert done.exit_code == 0, done.stderr
    for said in (failed.stderr, done.stderr):
        assert "data/0-forum/posts.jsonl" in said
        assert "not inside: data/0-forum/key (a link)" in said
