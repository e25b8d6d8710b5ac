"""Everything that changes what programs share is done by twelve processes at once, and killed at every write.

The processes are forked, so that they all begin at the same moment, and nothing is imported in between. What
is there afterwards is read by this process.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from engines.core.system import asset
from engines.training.checkpoints import MANIFEST
from screens.shell.session import Session
from tests.conftest import mathwb
from tests.processes import KILLED, MANY, read_failures, run_at_once, run_until_write
from workbench.config import load_config
from workbench.folders import config_dir, config_file, state_dir
from workbench.jobs.folder import Ending, all_jobs, create_job, find_job, is_protected
from workbench.jobs.job_registry import read_job
from workbench.papers.arqmath.data import Collection
from workbench.papers.mwp.data import TripletLabels
from workbench.recipes import Recipe
from workbench.workspace import Workspace, ensure_sample

pytestmark = pytest.mark.slow


def workspace() -> Workspace:
    return Workspace.open()


def command(*words: object) -> None:
    """Run a command of the command line in this process."""
    done = mathwb(*words)
    assert done.returncode == 0, done.stderr


@dataclass(frozen=True)
class Change:
    """Something that changes shared state. `act` does it for a number, `known` lists the numbers for which it
    was done, and `prepare` makes what it needs for a number. `again` says whether it may be done twice."""

    act: Callable[[int], None]
    known: Callable[[], set[int]]
    prepare: Callable[[int], None] = lambda number: None
    again: bool = True


def text_file(number: int) -> Path:
    path = config_dir().parent / f"e{number}.txt"
    path.write_text("sin(x)^2\nx + 1\n")
    return path


def run_file(number: int) -> Path:
    path = config_dir().parent / f"r{number}.txt"
    path.write_text("A.1\tQ0\t5\t1\t2.5\tmine\n")
    return path


def theory_file(number: int) -> Path:
    path = config_dir().parent / f"t{number}" / "regular.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(asset("theories/regular.toml").read_bytes())
    judge = asset("theories/regular.py").read_text() + f"# {number}\n"
    path.with_name("regular.py").write_text(judge)
    return path


def make_corpus(number: int) -> None:
    folder = workspace().corpora / f"c{number}"
    folder.mkdir(exist_ok=True)
    for name in ("manifest.json", "clusters.parquet"):
        (folder / name).write_text("{}")


def removed_corpus(number: int) -> None:
    make_corpus(number)
    command("data", "remove", f"c{number}")


def own_corpora() -> set[int]:
    """The corpora of the workspace; each is there or in the trash, and whole."""
    kept = [path for path in workspace().corpora.iterdir() if not path.name.startswith(".")]
    deleted = [path for item in workspace().trash.list_items("folder") for path in item.list_contents()]
    for folder in (*kept, *deleted):
        assert {path.name for path in folder.iterdir()} == {"manifest.json", "clusters.parquet"}
    assert not numbers(path.name for path in kept) & numbers(path.name for path in deleted)
    return numbers(path.name for path in kept)


def collection() -> Collection:
    place = workspace().make_folder("arqmath") / "mine"
    return Collection("mine", place, place)


def session() -> Session:
    return Session(state_dir() / "session.json", "/w")


def numbers(names: Any) -> set[int]:
    return {int(digits) for name in names if (digits := "".join(filter(str.isdigit, str(name))))}


def keep(number: int) -> None:
    one = session()
    one.remember_screens(mode="jobs", screens={f"screen{number}": {"n": number}})
    one.save()


def known_screens() -> set[int]:
    return {number for number in range(200) if session().screen_state(f"screen{number}")}


def label(number: int) -> None:
    row = {"anchor": number, "positive": 2, "negative": 3, "pool": "", "strategy": ""}
    TripletLabels(workspace().make_folder("problems") / "labels.jsonl").set_label("set", row, "incoherent")


def labels() -> set[int]:
    known = TripletLabels(workspace().make_folder("problems") / "labels.jsonl")
    assert not known.problems
    return numbers(one.anchor for one in known.all_records())


def make_job(number: int) -> None:
    """Make job folders up to this number."""
    while len(all_jobs(workspace().runs)) < number:
        job = create_job(workspace().runs, Recipe("count", "a job", {"n": 1}))
        job.last_attempt().write_result(Ending("succeeded"))


def delete_job(number: int) -> None:
    make_job(number)
    if number in {job.id for job in all_jobs(workspace().runs)}:
        command("jobs", "rm", number)


def job_numbers() -> set[int]:
    jobs = all_jobs(workspace().runs)
    assert all(find_job(workspace().runs, job.id).read_recipe().task == "count" for job in jobs)
    return {job.id for job in jobs}


def deleted_jobs() -> set[int]:
    return numbers(item.name for item in workspace().trash.list_items("job"))


def whole_deleted_jobs() -> set[int]:
    """The jobs in the trash; what is listed there can be restored completely."""
    items = workspace().trash.list_items("job")
    for item in items:
        (folder,) = item.list_contents()
        assert (folder / "recipe.toml").is_file()
        assert len([*folder.rglob("result.json")]) == 1
    return numbers(item.name for item in items)


def bookmark(number: int) -> None:
    if number not in notes():
        workspace().notes.toggle_bookmark(f"job/{number}")


def notes() -> set[int]:
    known = workspace().notes
    assert not known.problems
    return numbers(note.address for note in known.all_records() if note.bookmark)


def trusted() -> set[int]:
    path = config_dir() / "judges.json"
    known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    return numbers(Path(place).parent.name for place in known.values())


def deleted_data() -> set[int]:
    return numbers(item.name for item in workspace().trash.list_items("data"))


def checkpoint(number: int) -> Path:
    return Path(read_job(workspace(), number).out) / "checkpoints" / "step-00000001"


def make_checkpoint(number: int) -> None:
    """Make jobs up to this number, and in the last one a checkpoint of several files."""
    make_job(number)
    folder = checkpoint(number)
    folder.mkdir(parents=True)
    for name in (MANIFEST, "weights", "random-numbers", "optimizer"):
        (folder / name).write_text("{}")


def pruned() -> set[int]:
    """The jobs without a checkpoint; one that is there is whole."""
    for job in all_jobs(workspace().runs):
        held = {path.name for path in checkpoint(job.id).glob("*")}
        assert held in (set(), {MANIFEST, "weights", "random-numbers", "optimizer"})
    return {job.id for job in all_jobs(workspace().runs) if not checkpoint(job.id).exists()}


def registered() -> set[int]:
    return numbers(entry.name for entry in workspace().data.list_entries())


def add_data(number: int) -> None:
    command("data", "add", "expressions", text_file(number), "--name", f"d{number}")


def removed_data(number: int) -> None:
    add_data(number)
    command("data", "remove", f"d{number}")


CHANGES = {
    "config set": Change(
        lambda number: command("config", "set", f"keymap.app.k{number}", "z"),
        lambda: numbers(load_config().keymap),
    ),
    "data add": Change(
        add_data,
        registered,
    ),
    "data remove": Change(
        lambda number: command("data", "remove", f"d{number}"),
        lambda: set(range(200)) - registered(),
        add_data,
        again=False,
    ),
    "data remove of a corpus": Change(
        lambda number: command("data", "remove", f"c{number}"),
        lambda: set(range(200)) - own_corpora(),
        make_corpus,
        again=False,
    ),
    "trash restore of a corpus": Change(
        lambda number: command("trash", "restore", f"folder/c{number}"),
        own_corpora,
        removed_corpus,
        again=False,
    ),
    "egen theory --trust": Change(
        lambda number: command("egen", "theory", theory_file(number), "--trust"),
        trusted,
    ),
    "jobs rm": Change(
        lambda number: command("jobs", "rm", number),
        lambda: set(range(200)) - job_numbers(),
        make_job,
        again=False,
    ),
    "jobs restore": Change(
        lambda number: command("jobs", "restore", number),
        lambda: set(range(200)) - deleted_jobs(),
        delete_job,
        again=False,
    ),
    "jobs protect": Change(
        lambda number: command("jobs", "protect", number),
        lambda: {job.id for job in all_jobs(workspace().runs) if is_protected(job)},
        make_job,
    ),
    "new job": Change(
        lambda number: create_job(workspace().runs, Recipe("count", f"job {number}")) and None,
        lambda: numbers(job.read_recipe().title for job in all_jobs(workspace().runs)),
    ),
    "trash restore": Change(
        lambda number: command("trash", "restore", f"data/d{number}"),
        registered,
        removed_data,
        again=False,
    ),
    "trash empty": Change(
        lambda number: command("trash", "empty", f"data/d{number}", "--yes"),
        lambda: set(range(200)) - deleted_data(),
        removed_data,
        again=False,
    ),
    "trash empty of jobs": Change(
        lambda number: command("trash", "empty", f"job/{number}", "--yes"),
        lambda: set(range(200)) - whole_deleted_jobs(),
        delete_job,
        again=False,
    ),
    "jobs prune": Change(
        lambda number: command("jobs", "prune", number),
        pruned,
        make_checkpoint,
    ),
    "bookmark": Change(bookmark, notes),
    "judgement": Change(
        lambda number: collection().open_judgements().set_grade("A.1", str(number), 2),
        lambda: numbers(one.document for one in collection().open_judgements().all_records()),
    ),
    "label": Change(label, labels),
    "added run": Change(
        lambda number: collection().add_run(run_file(number)),
        lambda: numbers(path.name for path in collection().added_runs()),
    ),
    "session": Change(keep, known_screens),
}


def make_change(name: str, number: int) -> None:
    CHANGES[name].act(number)


@pytest.mark.parametrize("name", CHANGES)
def test_of_twelve_at_once_none_is_lost(name: str, user_home: Path) -> None:
    change = CHANGES[name]
    config_dir().mkdir(parents=True)
    config_file().write_text("# mine\n")
    wanted = set(range(1, MANY + 1))
    for number in wanted:
        change.prepare(number)
    before = change.known()
    assert not wanted & before
    codes = run_at_once(partial(make_change, name, number) for number in wanted)
    assert codes == [0] * MANY, read_failures(user_home)
    assert wanted | before <= change.known()
    assert config_file().read_text().startswith("# mine\n")
    assert not list(user_home.rglob(".*.tmp"))


def start() -> None:
    ensure_sample(workspace())


def start_with(assets: Path) -> None:
    """Start with these assets in the place of those that are shipped."""
    with mock.patch("workbench.paper.asset", lambda name: assets / name):
        start()


def contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sample_there(sample: Path) -> None:
    """Hold the sample in the workspace against the one that is shipped."""
    assert sample.is_dir()
    expected = contents(sample)
    copied = contents(workspace().root)
    assert {path: data for path, data in copied.items() if path in expected} == expected
    assert {str(path) for path in copied.keys() - expected.keys()} <= {"workspace.toml", "workspace.lock"}
    pieces = {path.relative_to(sample).as_posix() for path in sample.glob("*/*")}
    assert set(tomllib.loads((workspace().root / "workspace.toml").read_text())["sample"]) == pieces


def test_twelve_first_starts_at_once(user_home: Path) -> None:
    assert run_at_once([start] * MANY) == [0] * MANY, read_failures(user_home)
    sample_there(asset("sample"))


@pytest.mark.parametrize("name", CHANGES)
def test_killed_at_every_write_it_is_done_or_not_and_nothing_else_is_lost(name: str, user_home: Path) -> None:
    change = CHANGES[name]
    done: set[int] = set()
    for number in range(1, 100):
        change.prepare(number)
        before = change.known()
        assert number not in before
        code = run_until_write(partial(make_change, name, number), number, user_home)
        assert code in (0, KILLED), read_failures(user_home)
        after = change.known()
        assert before <= after <= before | {number}
        if code == 0:
            break
        if change.again or number not in after:
            change.act(number)
        done.add(number)
        assert done <= change.known()
    assert code == 0, "it was killed each time"
    assert number > 3, "it was never killed"
    assert not list(config_dir().glob(".*.tmp"))


def test_a_first_start_killed_at_every_write_is_finished(user_home: Path, tmp_path: Path) -> None:
    sample = tmp_path / "assets" / "sample"
    for name in ("corpora/one/shards/a", "corpora/one/b", "problems/two/c"):
        (sample / name).parent.mkdir(parents=True, exist_ok=True)
        (sample / name).write_text(name)
    act = partial(start_with, sample.parent)
    for number in range(1, 200):
        code = run_until_write(act, number, user_home)
        assert code in (0, KILLED), read_failures(user_home)
        act()
        sample_there(sample)
        if code == 0:
            break
        shutil.rmtree(workspace().root)
    assert code == 0, "it was killed each time"
    assert number > 20, "it was never killed"
