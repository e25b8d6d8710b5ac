"""Jobs of all kinds killed with -9 at random moments and resumed: `python -m benchmarks.kills`.

Each kind of job runs twice unharmed. What its files are alike in then (whole files, or the values of a JSON
document; times of day are not) is what every later run must give again. Then jobs of the kinds take turns: at
a moment drawn from the time that the kind takes, the worker, the supervisor, or both are killed; a job that
is over then is resumed, and killed again with even odds, until there have been `--kills` kills or `--minutes`
are over. A job is *lost* when it does not come to an end that it can be resumed from, or does not succeed
then; *doubled* when two workers of it live at once, when a resume makes any number of attempts but one, or
when more jobs are listed than were started. What differs is named. `--add` counts the kills to those of
earlier runs with other seeds.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from hashlib import sha256 as hashed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._record import Record, parser_of
from engines.core.files import sha256

if TYPE_CHECKING:
    from workbench.jobs import JobView
    from workbench.recipes import Recipe
    from workbench.workspace import Workspace

PATIENCE_S = 300.0
VICTIMS = ("worker", "supervisor", "both")
MISSING = "not there"


def kinds(workspace: Workspace) -> dict[str, Recipe]:
    """A small job of each kind."""
    from engines.egen.models.lookup import shipped_models
    from workbench.recipes import Recipe, load, with_settings
    from workbench.train import job_spec

    root = workspace.root
    forum = root / "arqmath" / "sample-forum"
    problems = root / "problems" / "sample-en" / "problems.jsonl"
    texts = root / "texts.txt"
    texts.write_text("".join(f"+ sin x {number}\n" for number in range(3_000)))
    operations: dict[str, dict[str, Any]] = {
        "egen.generate": {"expr": "sin x + 1", "members": 20, "time_s": 300.0, "into": "cluster.json"},
        "egen.corpus": {"templates": "poly", "sample": 6, "members": 10, "workers": 1},
        "egen.embed": {"model": str(shipped_models()[0]), "file": str(texts), "into": "vectors.npy"},
        "arqmath.index": {"folder": str(forum)},
        "arqmath.pretrain-data": {"folder": str(forum), "strategy": "1", "into": "segments.jsonl"},
        "mathamr.index": {"folder": str(forum)},
        "mwp.augment": {"data": str(problems), "into": "variants.jsonl"},
        "mwp.triplets": {"data": str(problems), "into": "triplets.jsonl"},
    }
    made = {name: Recipe(name, name, params, seed=7) for name, params in operations.items()}
    trainings = {
        "egen/cl-mean-tiny": ("steps=40", "eval_every=20", "save_every=10", "measured=200"),
        "egen/seq2seq-tiny": ("steps=20", "eval_every=0", "save_every=5", "measured=100", "best=''"),
        "arqmath/finetune-tiny": ("steps=6", "eval_every=0", "save_every=2", "best=''", "measured=2"),
        "mwp/solver-tiny": ("steps=40", "eval_every=20", "save_every=10"),
    }
    for name, settings in trainings.items():
        recipe = with_settings(load(name), list(settings))
        made[f"train {name}"] = job_spec(workspace, recipe, device="cpu", publish=False)
    return made


def contents(out: Path) -> dict[str, Any]:
    """What a finished job has written: hashes of files, and the values of JSON documents by place."""
    found: dict[str, Any] = {}
    for path in sorted([out, *out.rglob("*")]):
        name = str(path.relative_to(out.parent))
        # Logs tell of attempts, which differ.
        log = "tensorboard" in path.parts or path.name == "events.jsonl"
        if not path.is_file() or log or path.suffix == ".lock":
            continue
        if path.suffix in (".json", ".jsonl"):
            text = path.read_text("utf-8")
            document = json.loads(text) if path.suffix == ".json" else [*map(json.loads, text.splitlines())]
            for key, value in leaves(document, ()):
                found[":".join((name, *key))] = value
            continue
        if path.suffix == ".md":
            # The card of a model says how many seconds it took.
            found[name] = [line for line in path.read_text("utf-8").splitlines() if "| time |" not in line]
            continue
        found[name] = rows_of(path) if path.suffix == ".sqlite" else sha256(path)
    return found


def rows_of(database: Path) -> str:
    """The hash of all that a database holds: the same rows may lie differently in its pages."""
    with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as opened:
        return hashed("\n".join(opened.iterdump()).encode("utf-8", "backslashreplace")).hexdigest()


def leaves(value: Any, key: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values of a document with their places in it."""
    inside = (
        enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else None
    )
    if inside is None:
        yield key, value
        return
    for name, each in inside:
        yield from leaves(each, (*key, str(name)))


@dataclass
class Kind:
    """A kind of job, how long it takes, and what every run of it must give."""

    name: str
    recipe: Recipe
    seconds: float = 0.0
    expected: dict[str, Any] = field(default_factory=dict)
    own: list[str] = field(default_factory=list)
    """What differs between runs that nothing happens to."""

    def differences(self, found: Mapping[str, Any]) -> list[str]:
        """What is not as expected; a name that no unharmed run has is one too."""
        wrong = [name for name, value in self.expected.items() if found.get(name, MISSING) != value]
        known = {*self.expected, *self.own}
        # Of what is unlike in every run, not even the names need be alike.
        more = [name for name in found if name not in known and not self._is_own(name)]
        return wrong + more

    def _is_own(self, name: str) -> bool:
        return any(name.partition(":")[0] == each.partition(":")[0] for each in self.own)


@dataclass
class Tally:
    """What has happened so far."""

    kills: Counter[str] = field(default_factory=Counter)
    """By what was aimed at; only those that hit a live process."""
    of_kind: Counter[str] = field(default_factory=Counter)
    jobs: int = 0
    resumes: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    differ: list[str] = field(default_factory=list)
    compared: int = 0


class Ground:
    """A workspace in which jobs are run and killed."""

    def __init__(self, workspace: Workspace, seed: int) -> None:
        self.workspace = workspace
        self.draw = random.Random(seed)
        self.tally = Tally()

    def start(self, kind: Kind) -> int:
        from dataclasses import replace

        from workbench import jobs

        params = dict(kind.recipe.params)
        into = params.pop("into", "out")
        self.tally.jobs += 1
        place = self.workspace.root / "kept" / str(self.tally.jobs) / into
        place.parent.mkdir(parents=True)
        return jobs.submit(self.workspace, replace(kind.recipe, params={**params, "out": str(place)})).id

    def view(self, number: int) -> JobView:
        from workbench import jobs

        return jobs.job(self.workspace, number)

    def over(self, number: int) -> JobView | None:
        """Wait for its end, putting the records straight as any command does; None when it does not come."""
        from workbench import jobs

        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            jobs.reconcile(self.workspace)
            if not (view := self.view(number)).live:
                return view
            time.sleep(0.2)
        return None

    def unharmed(self, kind: Kind) -> dict[str, Any]:
        """What a run gives that nothing happens to."""
        began = time.monotonic()
        number = self.start(kind)
        view = self.over(number)
        kind.seconds = time.monotonic() - began
        if view is None or view.state != "succeeded":
            raise RuntimeError(f"{kind.name} does not even succeed unharmed: {view and view.reason}")
        return contents(Path(view.out))

    def learn(self, kind: Kind) -> None:
        """What is alike in two unharmed runs is expected of all. Raises: RuntimeError when nothing is."""
        first, second = self.unharmed(kind), self.unharmed(kind)
        alike = {name for name in first if second.get(name, MISSING) == first[name]}
        kind.expected = {name: first[name] for name in alike}
        kind.own = sorted({*first, *second} - alike)
        if not kind.expected:
            raise RuntimeError(f"{kind.name} does not repeat itself unharmed")

    def kill(self, number: int, victim: str, kind: Kind) -> None:
        """Kill the worker, its supervisor, or both, as far as they live."""
        attempt = self._attempt(number)
        worker, beat = attempt.worker(), attempt.heartbeat()
        here = {"worker": worker and worker[0], "supervisor": beat and beat.supervisor}
        aimed = [one for name, one in here.items() if one is not None and victim in (name, "both")]
        if sum(one.send(signal.SIGKILL) for one in aimed if one.alive()):
            self.tally.kills[victim] += 1
            self.tally.of_kind[kind.name] += 1

    def _attempt(self, number: int) -> Any:
        from workbench.jobs.folder import find

        return find(self.workspace.runs, number).last()

    def workers(self, number: int) -> int:
        """How many attempts at a job have a live worker."""
        from workbench.jobs.folder import find

        attempts = find(self.workspace.runs, number).attempts()
        claims = [attempt.worker() for attempt in attempts]
        return sum(1 for claim in claims if claim is not None and claim[0].alive())

    def harm(self, kind: Kind, most: int) -> None:
        """One job, killed again and again with even odds, at most so many times, and what comes of it."""
        from workbench import jobs

        tally, number = self.tally, self.start(kind)
        attempts, left = 1, most
        while True:
            if left and (left == most or self.draw.random() < 0.5):
                left -= 1
                self._wait_a_moment(number, self.draw.uniform(0, kind.seconds))
                self.kill(number, self.draw.choice(VICTIMS), kind)
            view = self.over(number)
            if view is None:
                tally.lost.append(f"{kind.name} {number}: no end")
                return
            if self.workers(number):
                tally.doubled.append(f"{kind.name} {number}: a worker lives though it is {view.state}")
            if view.attempt != attempts:
                tally.doubled.append(f"{kind.name} {number}: {view.attempt} attempts instead of {attempts}")
                return
            if view.state == "succeeded":
                break
            if view.state not in ("failed", "lost") or attempts > 20:
                tally.lost.append(f"{kind.name} {number}: {view.state}, {view.reason}")
                return
            if view.state == "failed" and view.signal != signal.SIGKILL:
                tally.lost.append(f"{kind.name} {number}: {view.reason}")
                return
            tally.resumes += 1
            attempts += 1
            jobs.resume(self.workspace, number)
        tally.compared += len(kind.expected)
        wrong = kind.differences(contents(Path(view.out)))
        if wrong:
            tally.differ.append(f"{kind.name} {number}: {', '.join(wrong)}")

    def _wait_a_moment(self, number: int, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.view(number).live:
            if self.workers(number) > 1:
                self.tally.doubled.append(f"{number}: two workers at once")
            time.sleep(0.05)


def measure(root: Path, kills: int, minutes: float, seed: int, only: str) -> dict[str, object]:
    """Harm jobs in a workspace of their own until there have been so many kills."""
    from workbench import jobs
    from workbench.workspace import Workspace, ensure_sample

    workspace = Workspace.open(root)
    ensure_sample(workspace)
    ground = Ground(workspace, seed)
    known = [Kind(name, recipe) for name, recipe in kinds(workspace).items() if only in name]
    for kind in known:
        ground.learn(kind)
        print(f"{kind.name:28} {kind.seconds:5.1f} s, {len(kind.expected)} things alike", flush=True)
    tally, rounds, until = ground.tally, 0, time.monotonic() + 60 * minutes
    while tally.kills.total() < kills and time.monotonic() < until:
        kind = known[rounds % len(known)]
        ground.harm(kind, min(4, kills - tally.kills.total()))
        rounds += 1
        print(
            f"{tally.kills.total():4} {kind.name:28} {tally.lost} {tally.doubled} {tally.differ}", flush=True
        )
    listed = len(jobs.jobs(workspace))
    if listed != tally.jobs:
        tally.doubled.append(f"{listed} jobs are listed, {tally.jobs} were started")
    strays = sorted(str(path.relative_to(workspace.root)) for path in workspace.root.rglob("*.tmp"))
    return {
        "seed": seed,
        "kills": tally.kills.total(),
        "aimed_at": dict(tally.kills),
        "by_kind": dict(tally.of_kind),
        "jobs": tally.jobs,
        "resumes": tally.resumes,
        "things_compared": tally.compared,
        "differ": tally.differ,
        "lost": tally.lost,
        "doubled": tally.doubled,
        "temporary_files_left": len(strays),
        "temporary_files": strays,
        "unlike_in_unharmed_runs": {
            kind.name: sorted({name.partition("/")[2] or name for name in kind.own})[:12] for kind in known
        },
    }


def together(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What several runs found, counted together and each by itself."""
    counts = ("kills", "jobs", "resumes", "things_compared", "temporary_files_left")
    sums: dict[str, Any] = {name: sum(run[name] for run in runs) for name in counts}
    for name in ("aimed_at", "by_kind"):
        sums[name] = dict(sum((Counter(run[name]) for run in runs), Counter[str]()))
    for name in ("differ", "lost", "doubled"):
        sums[name] = [f"seed {run['seed']}: {line}" for run in runs for line in run[name]]
    return {**sums, "runs": list(runs)}


def kept(place: Path) -> list[dict[str, Any]]:
    """The runs whose result is kept there, each with the commit it was made from; none when nothing is."""
    try:
        document = json.loads(place.read_bytes())
    except FileNotFoundError:
        return []
    figures = document["figures"]
    found: list[dict[str, Any]] = figures.get("runs") or [{"commit": document["commit"], **figures}]
    return found


def main() -> None:
    """Kill, print and record."""
    from workbench.export import commit

    parser = parser_of(__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=240.0, help="start no job after so many")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="kinds whose name has this in it")
    parser.add_argument("--add", action="store_true", help="to the runs that are kept; takes another seed")
    asked = parser.parse_args()
    record = Record("kills", asked.out, only=asked.only)
    runs = kept(record.path) if asked.add else []
    if any(run["seed"] == asked.seed for run in runs):
        parser.error(f"a run with seed {asked.seed} is kept already: give another one")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MATHWB_HOME"] = folder
        run = measure(Path(folder) / "workspace", asked.kills, asked.minutes, asked.seed, asked.only)
    figures = together([*runs, {"commit": commit(), **run}])
    print(json.dumps(figures, indent=1))
    record.write(figures, libraries=("torch", "transformers", "psutil"))


if __name__ == "__main__":
    main()
