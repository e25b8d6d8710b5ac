"""Training in this process: what is reported, what is left behind, and that interruptions do no harm."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from tiny import Tiny, config

from engines.core.errors import EngineError
from engines.core.events import Event
from engines.training import TrainResult, train
from tests.conftest import expect_error, weights


def run(
    out: Path, task: Tiny | None = None, *, stop_at: int = 0, **changes: Any
) -> tuple[TrainResult, list[Event]]:
    heard: list[Event] = []
    result = train(
        task or Tiny(),
        config(**changes),
        out,
        events=heard.append,
        stop=lambda: bool(stop_at) and any(e.kind == "metric" and e.step == stop_at for e in heard),
    )
    return result, heard


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TrainResult, list[Event]]:
    out = tmp_path_factory.mktemp("whole")
    return out, *run(out)


def test_what_is_reported(whole: Any) -> None:
    _, result, heard = whole
    assert (result.complete, result.stop_reason, result.step) == (True, "finished", 20)
    assert result.examples == 160
    metrics = [event for event in heard if event.kind == "metric" and "loss_nats" in event.data]
    assert [event.step for event in metrics] == [1, *range(2, 21, 2)]
    wanted = {"loss_nats", "lr", "tokens_per_s", "examples_per_s", "memory_bytes", "epoch"}
    assert all(set(event.data) == wanted for event in metrics)
    assert metrics[1].data["lr"] == pytest.approx(0.01 * 0.95)
    assert [e.step for e in heard if "accuracy" in e.data] == [4, 8, 12, 16, 20]
    assert [e.step for e in heard if e.kind == "checkpoint"] == [5, 10, 15, 20]
    last = [event for event in heard if event.kind == "progress"][-1]
    assert last.data == {"done": 20, "total": 20, "unit": "steps"}


def test_what_is_left_behind(whole: Any) -> None:
    out, result, _ = whole
    assert {path.name for path in out.iterdir()} == {"model", "checkpoints"}
    assert {path.name for path in (out / "checkpoints").iterdir()} == {
        "latest",
        "step-000010",
        "step-000015",
        "step-000020",
    }
    facts = json.loads((out / "model" / "training.json").read_text())
    # A setting that is not there in older recipes is recorded only where it is set.
    assert facts["config"] == {name: value for name, value in asdict(config()).items() if value is not None}
    assert facts["result"]["measures"] == result.measures
    assert facts["versions"]["torch"]
    assert "accuracy" in (out / "model" / "README.md").read_text()
    # The card tells where it was trained, not where it was asked for.
    card = (out / "model" / "README.md").read_text().splitlines()
    told = [line for line in card if line.startswith(("| device |", "| precision |", "| steps |"))]
    assert told == [
        f"| steps | {result.step:,} (this model: step {result.best_step:,}) |",
        f"| device | {result.device}, {result.precision} |",
    ]


def test_what_is_not_measured_is_refused_before_the_first_step(tmp_path: Path) -> None:
    with expect_error("E630") as caught:
        run(tmp_path, best="acuracy")
    assert "'accuracy'" in caught.value.remedy
    assert list(tmp_path.iterdir()) == []


class Unmeasured(Tiny):
    """Its data allow one of three measures."""

    measures = ("accuracy", "held_out_accuracy", "loss_nats")

    def unmeasured(self, name: str) -> str:
        return "" if name == "loss_nats" else "no row is held out"

    def loss(self, model: Any, batch: Any) -> Any:
        pytest.fail("a step was made")


def test_what_the_data_do_not_allow_to_measure_is_refused_before_the_first_step(tmp_path: Path) -> None:
    with expect_error("E630") as caught:
        run(tmp_path, Unmeasured(), best="held_out_accuracy")
    assert (caught.value.code, caught.value.exit_code) == ("E630", 2)
    assert "--set train.best=loss_nats --set train.best_is_lowest=true" in caught.value.remedy


@pytest.mark.parametrize("place", ["model", "checkpoints/step-000007"])
def test_a_folder_of_the_users_is_refused_before_the_first_step(tmp_path: Path, place: str) -> None:
    (tmp_path / place).mkdir(parents=True)
    (tmp_path / place / "thesis.tex").write_text("years")
    with pytest.raises(EngineError) as caught:
        train(Tiny(), config(), tmp_path, events=lambda event: pytest.fail(str(event)))
    assert (caught.value.code, caught.value.where) == ("E452", str(tmp_path / place))
    assert (tmp_path / place / "thesis.tex").read_text() == "years"


def test_other_files_in_the_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    (tmp_path / "rows" / "measured.csv").write_text("1,2")
    run(tmp_path)
    assert (tmp_path / "rows" / "measured.csv").read_text() == "1,2"


def test_compiling_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(torch, "compile", lambda module, **_: module)
    _, heard = run(tmp_path, compile=True, stop_at=2)
    assert any("compiling" in str(event.data.get("message")) for event in heard)


@pytest.mark.parametrize("stop_at", [2, 10, 12])
def test_stopped_and_resumed_is_as_never_interrupted(whole: Any, tmp_path: Path, stop_at: int) -> None:
    first, _ = run(tmp_path, stop_at=stop_at)
    assert (first.complete, first.stop_reason, first.step, first.model) == (False, "stopped", stop_at, "")
    assert not (tmp_path / "model").exists()
    second, _ = run(tmp_path)
    assert (second.complete, second.resumed_from) == (True, stop_at)
    assert weights(tmp_path) == weights(whole[0])
    assert (second.measures, second.tokens) == (whole[1].measures, whole[1].tokens)


def test_a_mean_of_losses_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    def losses(name: str, broken: bool) -> tuple[TrainResult, dict[int, float]]:
        heard: list[Event] = []
        due = config(log_every=7, save_every=5)
        if broken:
            train(
                Tiny(), due, tmp_path / name, events=heard.append, stop=lambda: "checkpoint" in kinds(heard)
            )
        result = train(Tiny(), due, tmp_path / name, events=heard.append)
        return result, {event.step: event.data["loss_nats"] for event in heard if "loss_nats" in event.data}

    (whole, told), (broken, told_in_parts) = losses("whole", False), losses("broken", True)
    assert broken.resumed_from == 6
    assert (broken.loss_nats, told_in_parts) == (whole.loss_nats, told)


def kinds(events: list[Event]) -> set[str]:
    return {event.kind for event in events}


def test_a_damaged_checkpoint_is_passed_over(whole: Any, tmp_path: Path) -> None:
    run(tmp_path, stop_at=12)
    newest = tmp_path / "checkpoints" / "step-000012" / "training.pt"
    newest.write_bytes(newest.read_bytes()[:-9])
    result, heard = run(tmp_path)
    assert result.resumed_from == 10
    assert any(event.kind == "warning" and "corrupt" in str(event.data) for event in heard)
    assert weights(tmp_path) == weights(whole[0])


def test_finished_but_not_saved_is_only_saved(whole: Any, tmp_path: Path) -> None:
    shutil.copytree(whole[0] / "checkpoints", tmp_path / "checkpoints")
    task = Tiny()
    result, _ = run(tmp_path, task)
    assert task.calls == 0
    assert result.measures == whole[1].measures
    assert weights(tmp_path) == weights(whole[0])


def test_evaluation_and_logs_change_nothing(whole: Any, tmp_path: Path) -> None:
    run(tmp_path, eval_every=0, log_every=7, save_every=0)
    assert weights(tmp_path) == weights(whole[0])


def test_the_seed_matters(whole: Any, tmp_path: Path) -> None:
    run(tmp_path, seed=4)
    assert weights(tmp_path) != weights(whole[0])


def test_accumulated_batches_make_a_step(tmp_path: Path) -> None:
    result, _ = run(tmp_path, accumulate=3, steps=4)
    assert (result.step, result.examples) == (4, 96)
    stopped, _ = run(tmp_path / "b", accumulate=3, steps=4, stop_at=2, log_every=1)
    assert stopped.examples == 48
    run(tmp_path / "b", accumulate=3, steps=4)
    assert weights(tmp_path) == weights(tmp_path / "b")


def test_a_stream_is_resumed_by_position(tmp_path: Path) -> None:
    run(tmp_path / "a", Tiny(flow=True))
    run(tmp_path / "b", Tiny(flow=True), stop_at=14)
    run(tmp_path / "b", Tiny(flow=True))
    assert weights(tmp_path / "a") == weights(tmp_path / "b")


def test_epochs_are_counted_from_the_data(tmp_path: Path) -> None:
    result, _ = run(tmp_path, Tiny(count=50), steps=0, epochs=2)
    assert (result.step, result.examples) == (14, 100)
    with pytest.raises(EngineError) as caught:
        run(tmp_path / "b", Tiny(flow=True), steps=0, epochs=2)
    assert caught.value.code == "E630"


class Worse(Tiny):
    """Best at step 8."""

    measures = ("accuracy", "error")

    def evaluate(self, model: Any) -> dict[str, float]:
        score = 1 - abs(self.calls - 8) / 100
        return {"accuracy": score, "error": 1 - score}


@pytest.mark.parametrize("by", [{"best": "accuracy"}, {"best": "error", "best_is_lowest": True}])
def test_the_best_is_saved_and_the_training_ends_early(tmp_path: Path, by: dict[str, Any]) -> None:
    result, _ = run(tmp_path, Worse(), patience=2, keep=1, **by)
    assert (result.stop_reason, result.step, result.best_step) == ("early_stop", 16, 8)
    assert result.measures["accuracy"] == 1
    best = tmp_path / "checkpoints" / "step-000008" / "model.safetensors"
    from safetensors.torch import load_file

    saved = load_file(tmp_path / "model" / "model.safetensors")
    assert all((load_file(best)[name] == value).all() for name, value in saved.items())


def failing(error: Exception) -> Any:
    def trouble(number: int, loss: Any) -> Any:
        if number == 8:
            raise error
        return loss

    return trouble


def test_named_failures_and_what_they_advise(tmp_path: Path) -> None:
    import torch

    cases = [
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20 GiB."), "E632", "batch_size"),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory"), "E632", "accumulate"),
        (RuntimeError("CUDA error: device-side assert triggered\nmore"), "E633", "resume"),
        (OSError(28, "No space left on device"), "E310", "space"),
        (RuntimeError("I/O error: No space left on device (os error 28)"), "E310", "space"),
    ]
    for number, (error, code, advice) in enumerate(cases):
        with pytest.raises(EngineError) as caught:
            run(tmp_path / str(number), Tiny(trouble=failing(error)))
        assert caught.value.code == code
        assert advice in caught.value.remedy
    with pytest.raises(ZeroDivisionError):
        run(tmp_path / "other", Tiny(trouble=failing(ZeroDivisionError())))


def test_a_loss_that_is_no_number_is_told_before_it_is_saved(tmp_path: Path, whole: Any) -> None:
    with pytest.raises(EngineError) as caught:
        run(tmp_path, Tiny(trouble=lambda number, loss: loss * float("nan") if number == 13 else loss))
    assert caught.value.code == "E631"
    assert "step 10" in caught.value.remedy
    result, _ = run(tmp_path)
    assert result.resumed_from == 10
    assert weights(tmp_path) == weights(whole[0])


def test_weights_that_are_no_number_are_not_saved(tmp_path: Path) -> None:
    class Broken(Tiny):
        def loss(self, model: Any, batch: Any) -> Any:
            found = super().loss(model, batch)
            if self.calls == 10:
                model.out.weight.register_hook(lambda gradient: gradient * float("nan"))
            return found

    with pytest.raises(EngineError) as caught:
        run(tmp_path, Broken(), clip=0.0, log_every=100, eval_every=0)
    assert caught.value.code == "E631"
    assert [path.name for path in sorted((tmp_path / "checkpoints").glob("step*"))] == ["step-000005"]


def test_a_gpu_that_is_not_there(tmp_path: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(EngineError) as caught:
        run(tmp_path, device="cuda")
    assert (caught.value.code, caught.value.exit_code) == ("E634", 3)


@pytest.mark.gpu
def test_on_a_gpu(tmp_path: Path) -> None:
    result, _ = run(tmp_path, device="cuda", compile=True)
    assert result.complete
    assert result.precision == "bf16"
