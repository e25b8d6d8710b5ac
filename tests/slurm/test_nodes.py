"""Jobs on a cluster of several nodes: where they run, and what becomes of them when a node fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from workbench.jobs import control
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.slurm.conftest import Slurm

pytestmark = pytest.mark.slurm


def told(lab: Slurm, number: int) -> dict[str, str]:
    """What the cluster knows of a job of ours."""
    words = lab.cluster.run("scontrol", "--oneliner", "show", "job", lab.view(number).cluster_id).split()
    return dict(word.split("=", 1) for word in words if "=" in word)


def test_several_nodes_can_be_asked_for(lab_of_two: Slurm, whole: dict[str, Any]) -> None:
    lab = lab_of_two
    number = lab.submit(n=6, executor="slurm:nodes=2")
    assert lab.wait(number, "succeeded").value == whole
    assert (told(lab, number)["NumNodes"], told(lab, number)["NodeList"]) == ("2", "n[0-1]")


def test_the_runs_of_an_array_are_spread_over_the_nodes(lab_of_two: Slurm, whole: dict[str, Any]) -> None:
    lab = lab_of_two
    executor = "slurm:exclusive="
    spec = Recipe("test.count", "held", {"n": 6, "hold": 3, "executor": executor}, seed=7)
    made = control.submit_sweep(
        lab.workspace, "test", "a sweep", [(spec, {}, {"seed": 0}), (spec, {}, {"seed": 1})]
    )
    members = control.member_numbers(lab.workspace, made.id)
    for number in members:
        lab.until(lambda: lab.view(number).done == 3, "item 3")  # noqa: B023
    assert {told(lab, number)["NodeList"] for number in members} == {"n0", "n1"}
    for number in members:
        lab.go(number)
        assert lab.wait(number, "succeeded").value == whole


def test_a_job_whose_node_fails_goes_on_at_the_other(lab_of_two: Slurm, whole: dict[str, Any]) -> None:
    lab = lab_of_two
    number = lab.held(executor="slurm")
    first = told(lab, number)["NodeList"]
    # Drained too, or it would be back at once, and the job with it.
    for state in ("drain", "down"):
        lab.cluster.run("scontrol", "update", f"nodename={first}", f"state={state}", "reason=test")
    lab.until(lambda: lab.view(number).attempt == 2, "the second attempt")
    lab.go(number)
    assert lab.wait(number, "succeeded").value == whole
    assert {first, told(lab, number)["NodeList"]} == {"n0", "n1"}
