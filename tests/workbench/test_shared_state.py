"""Everything that changes what programs share is done by twelve processes at once, and killed at every write.

Processes are forked from this one, so that they all begin at the same moment, and nothing is imported in
between. What is there afterwards is read by this process.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import sys
import tomllib
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engines.core.system import asset
from screens.shell.session import Session
from tests.conftest import mathwb
from workbench.config import load_config
from workbench.folders import config_dir, config_file, state_dir
from workbench.jobs.folder import Ending, all_jobs, create_job, find_job, is_protected
from workbench.papers.arqmath.data import Collection
from workbench.papers.mwp.data import TripletLabels
from workbench.recipes import Recipe
from workbench.workspace import Workspace, ensure_sample

pytestmark = pytest.mark.slow

MANY = 12
KILLED = -signal.SIGKILL


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


def forked(act: Callable[[], None], prepare: Callable[[], None] = lambda: None) -> int:
    """Do it in a process of its own. Returns: the number of the process."""
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        prepare()
        act()
        code = 0
    except BaseException:  # whatever it is, the other process goes on elsewhere
        with contextlib.suppress(OSError):
            (config_dir().parent / f"failed-{os.getpid()}").write_text(traceback.format_exc())
    finally:
        os._exit(code)


def ended(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def failures(home: Path) -> str:
    return "\n".join(path.read_text() for path in home.glob("failed-*"))


def at_once(acts: Iterable[Callable[[], None]]) -> list[int]:
    """Do all of it in as many processes, which begin together. Returns: how each ended."""
    waiting, go = os.pipe()

    def wait() -> None:
        os.close(go)
        os.read(waiting, 1)

    processes = [forked(act, wait) for act in acts]
    os.close(go)  # now they begin
    os.close(waiting)
    return [ended(process) for process in processes]


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
    assert at_once(partial(change.act, number) for number in wanted) == [0] * MANY, failures(user_home)
    assert wanted | before <= change.known()
    assert config_file().read_text().startswith("# mine\n")
    assert not list(user_home.rglob(".*.tmp"))


def start() -> None:
    ensure_sample(workspace())


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
    assert at_once([start] * MANY) == [0] * MANY, failures(user_home)
    sample_there(asset("sample"))


WRITES = {f"os.{name}" for name in ("rename", "remove", "mkdir", "rmdir", "link", "symlink", "truncate")}
WRITES |= {"fcntl.flock"}


def dies_at(number: int, home: Path) -> Callable[[], None]:
    """Let this process be killed before it writes for the nth time; what a file gets is torn in the middle,
    since the number counts syncing too."""
    left = number

    def count() -> None:
        nonlocal left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[2], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            if str(args[0]).startswith(str(home)):
                count()
        elif event in WRITES:
            count()

    def begin() -> None:
        sync = os.fsync

        def synced(descriptor: int) -> None:
            count()
            sync(descriptor)

        os.fsync = synced
        sys.addaudithook(hook)

    return begin


@pytest.mark.parametrize("name", CHANGES)
def test_killed_at_every_write_it_is_done_or_not_and_nothing_else_is_lost(name: str, user_home: Path) -> None:
    change = CHANGES[name]
    done: set[int] = set()
    for number in range(1, 100):
        change.prepare(number)
        before = change.known()
        assert number not in before
        code = ended(forked(partial(change.act, number), dies_at(number, user_home)))
        assert code in (0, KILLED), failures(user_home)
        after = change.known()
        assert before <= after <= before | {number}
        if code == 0:
            break
        if change.again or number not in after:
            change.act(number)
        done.add(number)
        assert done <= change.known()
    assert code == 0, "it was killed each time"
    assert number > 4, "it was never killed"
    assert not list(config_dir().glob(".*.tmp"))


def test_a_first_start_killed_at_every_write_is_finished(
    user_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = tmp_path / "assets" / "sample"
    for name in ("corpora/one/shards/a", "corpora/one/b", "problems/two/c"):
        (sample / name).parent.mkdir(parents=True, exist_ok=True)
        (sample / name).write_text(name)
    monkeypatch.setattr("workbench.paper.asset", lambda name: tmp_path / "assets" / name)
    for number in range(1, 200):
        code = ended(forked(start, dies_at(number, user_home)))
        assert code in (0, KILLED), failures(user_home)
        start()
        sample_there(sample)
        if code == 0:
            break
        shutil.rmtree(workspace().root)
    assert code == 0, "it was killed each time"
    assert number > 20, "it was never killed"
