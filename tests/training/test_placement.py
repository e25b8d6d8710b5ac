"""On which device a worker runs, with a driver's tool that is played by a script."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from engines.core.errors import EngineError
from workbench.cli.jobs import describe_job
from workbench.jobs.control import DiskUse
from workbench.jobs.folder import Attempt, Heartbeat, create_job, find_job
from workbench.jobs.job_views import job_view
from workbench.jobs.machine import ProcessId, list_gpus
from workbench.jobs.placement import LAUNCHED, check_placement, prepare_launch, visible_gpus
from workbench.recipes import Recipe

if TYPE_CHECKING:
    from tests.jobs.conftest import Lab

CARDS = """0, GPU-aaa, Big Card, 81920, 1000, 97
1, GPU-bbb, Big Card, 81920, 80000, 0
2, GPU-ccc, Small Card, 16384, [N/A], 0
3, GPU-ddd, Small Card, 16384, 15000, [N/A]
"""


@pytest.fixture(autouse=True)
def driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "bin" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\ncat <<END\n{CARDS}END\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")


def attempt(lab: Lab, **params: Any) -> Attempt:
    return create_job(lab.workspace.runs, Recipe("train", "test", params)).last_attempt()


def written(made: Attempt) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((made.folder / "device.json").read_text())
    return found


def test_the_cards_of_this_machine() -> None:
    found = list_gpus()
    assert [(card.index, card.uuid, card.busy) for card in found] == [
        (0, "GPU-aaa", 97),
        (1, "GPU-bbb", 0),
        (3, "GPU-ddd", 0),
    ]
    assert found[0].total_bytes == 80 * 2**30


def test_auto_takes_the_one_with_most_room_that_no_other_job_has(lab: Lab) -> None:
    first = attempt(lab, device="auto")
    assert prepare_launch(first, {"device": "auto"}).environment["CUDA_VISIBLE_DEVICES"] == "GPU-bbb"
    assert written(first)["device"] == "Big Card"
    first.write_heartbeat(Heartbeat(0.0, ProcessId.of_this_process()))
    second = attempt(lab, device="auto")
    assert prepare_launch(second, {"device": "auto"}).environment["CUDA_VISIBLE_DEVICES"] == "GPU-ddd"


def test_several_are_launched_as_several_processes(lab: Lab) -> None:
    made = prepare_launch(attempt(lab), {"device": "1,GPU-ddd"})
    assert made.environment["CUDA_VISIBLE_DEVICES"] == "GPU-bbb,GPU-ddd"
    assert LAUNCHED in made.environment
    assert not made.direct
    assert made.command[made.command.index("--num_processes") + 1] == "2"
    assert made.command[-4:-2] == ["-m", "workbench.jobs.worker"]


def test_the_cpu_sees_no_card_and_other_jobs_are_left_alone(lab: Lab) -> None:
    made = prepare_launch(attempt(lab), {"device": "cpu"})
    assert made.environment["CUDA_VISIBLE_DEVICES"] == ""
    assert made.direct
    other = attempt(lab)
    assert prepare_launch(other, {"members": 3}).environment == {}
    assert not (other.folder / "device.json").exists()


def test_a_card_that_is_not_there(lab: Lab) -> None:
    with pytest.raises(EngineError) as caught:
        prepare_launch(attempt(lab), {"device": "2"})
    assert (caught.value.code, caught.value.exit_code) == ("E634", 3)
    assert "1 Big Card" in caught.value.remedy


@pytest.mark.parametrize("device", ["auto", "cpu", "cpu:4", "0", "0,1", "GPU-abc", "MIG-abc"])
def test_devices_that_can_be_meant(device: str) -> None:
    assert refusal({"device": device, "executor": "slurm:partition=gpu,time=60,gpus=2,memory=16"}) is None


@pytest.mark.parametrize(
    "wrong",
    [{"device": "cpu:0"}, {"device": "cuda"}, {"device": "0,0"}, {"executor": "slurm:time=long"}],
)
def test_those_that_cannot(wrong: dict[str, str]) -> None:
    assert refusal(wrong) == ("E638", 2)


def refusal(placement: dict[str, str]) -> tuple[str, int] | None:
    """Code and exit code of what is said against a placement; None when it is taken."""
    try:
        check_placement(placement)
    except EngineError as error:
        return error.code, error.exit_code
    return None


def test_only_the_cards_that_a_process_may_use() -> None:
    def seen(**environment: str) -> list[str]:
        return [card.uuid for card in visible_gpus(list_gpus(), environment)]

    assert seen() == ["GPU-aaa", "GPU-bbb", "GPU-ddd"]
    assert seen(CUDA_VISIBLE_DEVICES="1") == ["GPU-bbb"]
    assert seen(CUDA_VISIBLE_DEVICES="GPU-ddd,0") == ["GPU-aaa", "GPU-ddd"]
    assert seen(CUDA_VISIBLE_DEVICES="") == []
    # CUDA hides what follows a card that is not there.
    assert seen(CUDA_VISIBLE_DEVICES="0,-1,1") == ["GPU-aaa"]
    assert seen(CUDA_VISIBLE_DEVICES="x,0") == []
    assert seen(SLURM_JOB_GPUS="0,3") == ["GPU-aaa", "GPU-ddd"]
    assert seen(CUDA_VISIBLE_DEVICES="0", SLURM_JOB_GPUS="3") == ["GPU-aaa"]


def test_a_variable_that_hides_all_cards_is_named(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "7")
    made = attempt(lab)
    prepare_launch(made, {"device": "auto"})
    assert written(made)["why"] == "CUDA_VISIBLE_DEVICES=7 leaves none of 3 GPUs"
    shown = describe_job(job_view(find_job(lab.workspace.runs, made.job)), [], DiskUse(0, 0))
    device = next(line for line in shown if line.startswith("device "))
    assert device.endswith(f"  cpu: {written(made)['why']}")
    with pytest.raises(EngineError) as caught:
        prepare_launch(made, {"device": "0"})
    assert caught.value.remedy == f"There is: none: {written(made)['why']}."


def test_all_cards(lab: Lab) -> None:
    made = prepare_launch(attempt(lab, device="all"), {"device": "all"})
    assert made.environment["CUDA_VISIBLE_DEVICES"] == "GPU-aaa,GPU-bbb,GPU-ddd"
    assert refusal({"device": "all"}) is None
