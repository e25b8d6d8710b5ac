"""A cluster for the tests of this folder, and a workspace whose jobs go there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.jobs.conftest import Lab, end_all, hurry, whole
from tests.slurm.cluster import Cluster, missing
from workbench.jobs import control, slurm
from workbench.jobs.job_views import JobView
from workbench.recipes import Recipe
from workbench.workspace import Workspace

__all__ = ["whole"]


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One node with two processors."""
    yield from _cluster(nodes=1)


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[Cluster]:
    """Two nodes with two processors each."""
    yield from _cluster(nodes=2)


def _cluster(nodes: int) -> Iterator[Cluster]:
    if lacking := missing():
        pytest.skip(f"not here: {', '.join(lacking)}")
    with tempfile.TemporaryDirectory(prefix="slurm-", ignore_cleanup_errors=True) as folder:
        made = Cluster(Path(folder), nodes=nodes)
        yield made
        made.end()


class Slurm(Lab):
    """A workspace whose jobs run on a cluster."""

    cluster: Cluster

    def submit(self, task: str = "count", executor: str = "slurm", **params: object) -> int:
        spec = Recipe(f"test.{task}", f"test {task}", {"executor": executor, **params}, seed=7)
        return control.submit_job(self.workspace, spec).id

    def view(self, number: int) -> JobView:
        slurm.forget_states()
        return super().view(number)

    def full(self) -> str:
        """Take all processors of the cluster. Returns: the number of the job that does."""
        number = self.cluster.run(
            "sbatch", "--parsable", "--exclusive", "--output=/dev/null", "--wrap=sleep 600"
        )
        self.until(lambda: self.cluster.state(number).startswith("RUNNING"), "a full cluster")
        return number

    def state(self, number: int) -> str:
        """What the cluster says of a job of ours."""
        return self.cluster.state(self.view(number).cluster_id)


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: Cluster) -> Iterator[Slurm]:
    """Jobs on the cluster of one node."""
    yield from _lab(tmp_path, monkeypatch, cluster)


@pytest.fixture
def lab_of_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, two_nodes: Cluster) -> Iterator[Slurm]:
    """Jobs on the cluster of two nodes."""
    yield from _lab(tmp_path, monkeypatch, two_nodes)


def _lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cluster: Cluster) -> Iterator[Slurm]:
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    hurry(monkeypatch)
    made = Slurm(Workspace.open(tmp_path / "workspace"))
    made.cluster = cluster
    yield made
    cluster.run("scancel", "--user=root", "--quiet")
    made.until(lambda: not cluster.run("squeue", "--noheader"), "an empty cluster")
    end_all(tmp_path)
