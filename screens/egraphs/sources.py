"""Sources of what the screen shows: corpora, finished or being built, and models."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.worker import get_current_worker

from engines.core.errors import DataError
from screens.egraphs.columns import format_expression
from screens.shell.export import Destination
from screens.shell.request import RequestAnswer
from screens.shell.theme import format_count
from workbench.papers.egen.tables import CLUSTERS, MEMBERS
from workbench.tables import LazyRow
from workbench.workspace import Workspace

if TYPE_CHECKING:
    from screens.shell.screen import BrowserScreen
    from workbench.jobs.job_views import JobView


NOT_SAVED = "not saved"
"""The source of what was grown here and is not saved."""

_LIMITS = ("nodes", "iterations", "time_s")
_SETTINGS = (
    "members",
    "max_tokens",
    "assume",
    "theory",
    "mode",
    "style",
    "weights",
    "order",
    "holes",
    "padding",
    "seed",
)


# Rows


def _cluster_row(row: Mapping[str, Any], outcomes: Mapping[str, int], seed: int) -> LazyRow:
    members = row["size"] - 1
    equal = outcomes.get("equal", 0)
    # `all` is a word of its own, so that a filter can ask for clusters without any fault.
    words = ["all"] if 0 < members <= equal else [word for word, number in outcomes.items() if number]
    judged = {"verdict": words, "equal": equal / members if members else 0.0}
    return CLUSTERS.make_row({**row, **judged, "id": str(row["cluster"]), "seed": seed})


def row_from_members(
    cluster: int, head: str, rows: Sequence[Mapping[str, Any]], seed: int, **facts: Any
) -> LazyRow:
    """Make the row of a cluster that is in no table of clusters yet.

    Args:
        cluster: its number.
        head: its head, in prefix notation.
        rows: its members without the head.
        seed: the seed of the points.
    """
    row = {**facts, "cluster": cluster, "head": head, "size": len(rows) + 1}
    row["operators"] = sorted(set(head.split()))
    return _cluster_row(row, Counter(member["verdict"] for member in rows), seed)


def member_row(number: int, row: Mapping[str, Any]) -> LazyRow:
    """Make the row of a member; its `except` are the points where the domains differ (`0, 1/2`)."""
    more = {"gained": row.get("gained", False), "except": row.get("except") or ""}
    return MEMBERS.make_row({**row, **more, "id": str(number), "member": number})


# Sources


class ClusterSource:
    """A source of clusters and their members.

    `name` is on its tab, `title` in the breadcrumb, `address` is the prefix of notes. `state` says what is
    unfinished, and is empty otherwise; `folder` is None for what is only in memory.
    """

    name: str
    title: str
    address: str
    folder: Path | None = None
    state = ""

    @property
    def outdated(self) -> bool:
        """Tell whether the source has changed on disk since it was read."""
        return False

    def get_provenance(self, cluster: int) -> Mapping[str, Any]:
        """Return how a cluster was made: its configuration, source, rules and versions."""
        raise NotImplementedError

    def get_settings(self, cluster: int) -> Mapping[str, Any]:
        """Return the settings and limits with which a cluster was grown."""
        config = self.get_provenance(cluster)["config"]
        # Those of before there were styles do not name theirs, and those with holes do not say so.
        known = {"style": "any", "holes": True, **config, **config.get("limits", {})}
        return {name: known[name] for name in (*_SETTINGS, *_LIMITS) if name in known}

    def get_facts(self, cluster: int) -> Mapping[str, Any]:
        """Return what is stored about a cluster's making: source, configuration, rules and versions."""
        made = self.get_provenance(cluster)
        return {name: made[name] for name in ("source", "config", "rules", "versions") if name in made}

    def read_clusters(self) -> list[LazyRow]:
        """Return the rows of all clusters."""
        raise NotImplementedError

    def read_members(self, cluster: int) -> list[LazyRow]:
        """Return the rows of a cluster's members; the head is number 0."""
        raise NotImplementedError


class _Corpus(ClusterSource):
    folder: Path

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.title = f"corpus {path.name}"
        self.address = f"corpus/{path.name}"
        self.folder = path


class _Finished(_Corpus):
    def __init__(self, path: Path) -> None:
        from engines.egen.corpus.folder import open_corpus, theory_in

        super().__init__(path)
        self._corpus = open_corpus(path, several=True)
        _register_theory(theory_in(self._corpus.manifest))
        self._kept = "configs" in self._corpus.manifest
        """Whether each cluster was kept with its own configuration."""
        # Clusters and members are read in threads, one reading at a time.
        self._lock = threading.Lock()

    def get_provenance(self, cluster: int) -> Mapping[str, Any]:
        manifest = self._corpus.manifest
        return {**manifest, "config": manifest["configs"][cluster]} if self._kept else manifest

    def read_clusters(self) -> list[LazyRow]:
        from engines.egen.corpus.assemble import OUTCOMES

        with self._lock:
            rows = self._corpus.read_clusters().to_pylist()
        return [
            _cluster_row(row, {name: row[name] for name in OUTCOMES}, self._cluster_seed(row)) for row in rows
        ]

    def _cluster_seed(self, row: Mapping[str, Any]) -> int:
        seed: int = self.get_provenance(row["cluster"])["config"]["seed"]
        return seed if self._kept else _head_seed(seed, row["head"])

    def read_members(self, cluster: int) -> list[LazyRow]:
        with self._lock:
            rows = self._corpus.read_members(cluster).to_pylist()
        return [member_row(row["member"], row) for row in rows]


class _Building(_Corpus):
    def __init__(self, path: Path) -> None:
        from engines.egen.corpus.folder import read_shard, stored_shards, theory_in

        super().__init__(path)
        try:
            self._plan = json.loads((path / "plan.json").read_text("utf-8"))
        except (OSError, ValueError) as error:
            what, remedy = "the plan of this corpus cannot be read", "Build it again in another folder."
            raise DataError(what, path=path / "plan.json", remedy=remedy) from error
        _register_theory(theory_in(self._plan))
        stored = stored_shards(path / "shards")
        self._shards = [read_shard(stored[block]) for block in sorted(stored)]
        # Rounded up: the last shard may be smaller.
        total = -(-self._plan["source"]["heads"] // self._plan["block"])
        self.state = f"not finished: {format_count(len(stored))} of {format_count(total)} shards"

    @property
    def outdated(self) -> bool:
        shards = sum(1 for _ in (self.folder / "shards").glob("shard-*.parquet"))
        return shards != len(self._shards) or (self.folder / "manifest.json").exists()

    def get_provenance(self, cluster: int) -> Mapping[str, Any]:  # noqa: ARG002
        plan: Mapping[str, Any] = self._plan
        return plan

    @cached_property
    def _rows(self) -> dict[int, list[dict[str, Any]]]:
        result: dict[int, list[dict[str, Any]]] = {}
        for shard in self._shards:
            for row in shard.rows.to_pylist():
                result.setdefault(row["source"], []).append(row)
        return result

    def read_clusters(self) -> list[LazyRow]:
        facts = {head["source"]: head for shard in self._shards for head in shard.heads}
        result = []
        for source, rows in sorted(self._rows.items()):
            head = rows[0]["prefix"]
            tokens = sum(row["tokens"] for row in rows) / len(rows)
            seed = _head_seed(self._plan["config"]["seed"], head)
            more = {**facts[source], "mean_tokens": tokens, "kind": ""}
            result.append(row_from_members(source, head, rows[1:], seed, **more))
        return result

    def read_members(self, cluster: int) -> list[LazyRow]:
        return [member_row(number, row) for number, row in enumerate(self._rows[cluster])]


def _head_seed(seed: int, head: str) -> int:
    from engines.egen.settings import head_seed

    return head_seed(seed, head)


def open_source(path: Path) -> ClusterSource:
    """Open a corpus that is finished or being built.

    Raises:
        DataError: There is none, or it is corrupt.
    """
    return _Finished(path) if (path / "manifest.json").exists() else _Building(path)


def _register_theory(theory: str) -> None:
    """Have terms shown by the signs of this theory, if it is one of somebody's own."""
    if theory.startswith("{"):
        from engines.egen.theories.user_theories import register_theory

        register_theory(theory)


# One cluster


class ListedCluster:
    """A cluster of a source.

    `row` is its line in the table of clusters, `key` identifies it, `head` is in prefix notation, `seed`
    chooses the points at which members are judged; `address` is the prefix of its notes, and `stem` that of
    its exports.
    """

    def __init__(self, source: ClusterSource, row: LazyRow) -> None:
        self.source = source
        self.row = row
        self.number = int(row["cluster"])
        self.key = source.name, self.number
        self.head = str(row["head"])
        self.seed = int(row["seed"])
        self.address = f"{source.address}/cluster/{self.number}"
        self.stem = f"{source.name.replace(' ', '-')}-{self.number}"
        self.settings = source.get_settings(self.number)
        self.mode = str(self.settings.get("mode", "strict"))
        self.assume = str(self.settings.get("assume", ""))
        self.theory = str(self.settings.get("theory", "reals"))
        _register_theory(self.theory)
        self.weights = str(self.settings.get("weights", ""))
        self.assuming = ["--assume", self.assume] if self.assume else []
        self.assuming += ["--theory", self.theory] if self.theory != "reals" else []

    @property
    def written(self) -> str:
        """The head as a user types it, with assumptions and weights: `x^2*y where x > 0 weights trig=4`."""
        where = f" where {self.assume}" if self.assume else ""
        weights = f" weights {self.weights}" if self.weights else ""
        theory = f" theory {self.theory}" if self.theory != "reals" else ""
        return f"{self.row.get('infix')}{where}{weights}{theory}"

    @property
    def egraph_params(self) -> dict[str, object]:
        """Return the parameters of `egen.egraph`."""
        settings = self.settings
        limits = {name: settings[name] for name in _LIMITS if name in settings}
        about = {"assume": self.assume, "theory": self.theory}
        return {"expr": self.head, **about, "mode": self.mode, **limits}

    @property
    def egraph_command(self) -> list[str]:
        """Return the words of the command that grows its e-graph."""
        return ["egen", "egraph", *self.assuming, "--mode", self.mode, *self.limits, "--", self.head]

    @property
    def limits(self) -> list[str]:
        """The limits that are not the usual ones, as options of a command."""
        from engines.egen.settings import Limits

        usual, words = Limits(), []
        for name in _LIMITS:
            value = self.settings.get(name, getattr(usual, name))
            words += [] if value == getattr(usual, name) else [f"--{name.replace('_', '-')}", f"{value}"]
        return words

    @property
    def facts(self) -> dict[str, object]:
        """Return the provenance of exported files."""
        made = {name: self.row[name] for name in ("head", "seed", "stop", "nodes", "classes")}
        return {"corpus": self.source.name, "cluster": self.number, **made, "settings": self.settings}


def list_corpora(folder: Path) -> dict[str, Path]:
    """Return the corpora in a folder by name, samples first."""
    made = ("manifest.json", "plan.json")
    results = [path for path in folder.iterdir() if any((path / file).exists() for file in made)]
    results.sort(key=lambda path: (not path.name.startswith("sample"), path.name))
    return {path.name: path for path in results}


def read_source(path: Path) -> tuple[ClusterSource, list[LazyRow]]:
    """Read a corpus and its clusters, the first of which are formatted already.

    Raises:
        DataError: The corpus cannot be read.
    """
    source = open_source(path)
    rows = source.read_clusters()
    # The first screen of rows is formatted in this thread, the rest in another one.
    for row in rows[:64]:
        format_expression(row["head"])
    return source, rows


def make_infix(rows: Sequence[LazyRow]) -> None:
    """Format all clusters, so that filtering by text is fast; for threads."""
    worker = get_current_worker()
    for row in rows:
        if worker.is_cancelled:
            return
        row.get("infix")


# Models


class Models:
    """The models of the screen, and the jobs that encode corpora with them.

    Args:
        screen: the screen.
        found: gets the models that ship and those of the workspace.
        made: gets the parameters of an awaited job that has succeeded.
    """

    def __init__(
        self,
        screen: BrowserScreen,
        *,
        on_models: Callable[[tuple[Path, ...]], object],
        made: Callable[[Mapping[str, Any]], object],
    ) -> None:
        self._screen = screen
        self._found, self._made = on_models, made
        self._awaited: frozenset[int] = frozenset()
        self._trained = 0

    def find_models(self) -> None:
        """Look for models in a thread."""
        from workbench.papers.egen.data import list_models

        def pass_models(answer: RequestAnswer) -> None:
            if answer.error is None:
                self._found(answer.value)

        self._screen.in_thread(
            lambda: tuple(list_models(self._screen.workbench.workspace)), pass_models, group="models"
        )

    def make_map(self, model: Path, corpus: Path, arrangement: str) -> None:
        """Submit a job that arranges a map by t-SNE."""
        clusters = arrangement != "families"
        what = "the clusters" if clusters else "the 17 families"
        self._submit_job("egen.map", f"t-SNE of {what}", model, corpus, method="tsne", clusters=clusters)

    def encode_corpus(self, model: Path, corpus: Path) -> None:
        """Submit a job that computes all vectors of a corpus."""
        self._submit_job("egen.index", "vectors", model, corpus)

    def _submit_job(self, operation: str, made: str, model: Path, corpus: Path, **more: object) -> None:
        from workbench.recipes import Recipe

        title = f"{made} of {corpus.name} by {model.name}"
        recipe = Recipe(operation, title, {"model": str(model), "data": str(corpus), **more})

        def await_job(job: int) -> None:
            self._awaited |= {job}
            self._screen.workbench.look_now()

        self._screen.submit_job(lambda: recipe, f"makes it: {title}", await_job)

    def look_at_jobs(self, jobs: Iterable[JobView], model: Path | None, corpus: Path | None) -> int | None:
        """Take up the results of jobs, and look for models that were trained.

        Returns:
            The job that computes another map of what is shown, while it runs.
        """
        jobs = tuple(jobs)
        running = self.running_job(jobs, model, corpus)
        if running is not None:
            # Also one that an earlier session has started.
            self._awaited |= {running}
        for job in jobs:
            if job.id in self._awaited and not job.live:
                self._awaited -= {job.id}
                if job.state == "succeeded":
                    self._made(job.params)
                else:
                    self._screen.workbench.warn(f"job {job.id} {job.state}: {job.reason}", remedy=job.remedy)
        # A training that has ended may have published a model.
        trained = sum(job.task == "train" and job.state == "succeeded" for job in jobs)
        if trained != self._trained:
            self._trained = trained
            self.find_models()
        return running

    @staticmethod
    def running_job(jobs: Iterable[JobView], model: Path | None, corpus: Path | None) -> int | None:
        """Return the job that computes another map of this corpus by this model, or None."""
        wanted = {"model": str(model), "data": str(corpus)}
        making = (job for job in jobs if job.live and job.task == "egen.map")
        return next((job.id for job in making if wanted.items() <= job.params.items()), None)


def destinations(workspace: Workspace) -> Iterator[Destination]:
    """Return the corpora and the models."""
    from workbench.papers.egen.data import list_models

    for path in sorted(workspace.corpora.iterdir()):
        if path.is_dir() and not path.name.startswith("."):
            yield Destination((("corpus", path.name),), "a corpus of clusters")
    for path in list_models(workspace):
        yield Destination((("model", path.name),), "a model that makes vectors of expressions")
