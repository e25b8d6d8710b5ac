"""One training from start or checkpoint to the model folder."""

from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop
from engines.core.files import write_json
from engines.training import checkpoints, hf, state
from engines.training.batches import Batches, Position, batches_per_epoch
from engines.training.boards import Board
from engines.training.config import TrainConfig
from engines.training.failures import no_number, other_training
from engines.training.meter import Meter
from engines.training.schedule import factor
from engines.training.task import TrainingTask, TrainResult

__all__ = ["Session"]


class Session:
    """Holds what a training is at; `run` does it once."""

    def __init__(
        self,
        task: TrainingTask,
        config: TrainConfig,
        out: Path,
        *,
        events: Sink,
        stop: Stop,
        facts: Mapping[str, Any],
    ) -> None:
        self._task, self._config, self._out = task, config, out
        self._events, self._stop, self._facts = events, stop, facts
        self._checkpoints = out / "checkpoints"
        self._started = time.monotonic()
        self._step = 0
        self._saved = 0
        self._resumed_from = 0
        self._loss: float | None = None
        self._measures: dict[str, float] = {}
        self._best = state.Best()
        self._ended = ""

    def run(self) -> TrainResult:
        """Train. Returns: how it ended; the model is saved unless it was stopped."""
        hf.load_libraries()
        import torch
        from transformers import set_seed

        config = self._config
        set_seed(config.seed)
        self._model = self._task.model()
        data = self._task.train_data()
        self._args = hf.arguments(config, self._out, 1)
        self._rank, world = self._args.process_index, self._args.world_size
        self._plan(batches_per_epoch(data, config), world)
        self._args.max_steps = self._total
        self._tell_device()
        if self._args.device.type == "cuda":
            torch.set_float32_matmul_precision("high")
        self._module = hf.objective(self._model, self._task).to(self._args.device)
        trained = [weight for weight in self._module.parameters() if weight.requires_grad]
        self._parameters = sum(weight.numel() for weight in trained)
        self._optimizer = torch.optim.AdamW(
            trained, lr=config.lr, weight_decay=config.weight_decay, fused=self._args.device.type == "cuda"
        )
        self._scheduler = torch.optim.lr_scheduler.LambdaLR(self._optimizer, self._rate)
        random_state, position = self._resume()
        self._batches = Batches(
            data,
            config,
            length=self._task.length,
            collate=self._task.collate,
            start=position,
            rank=self._rank,
            world=world,
        )
        self._meter = Meter(self._batches.position)
        if not self._ended:
            self._train(random_state)
        return self._finish()

    def _plan(self, batches: int, world: int) -> None:
        """How many steps there are in all and in an epoch."""
        config = self._config
        self._epoch_steps = config.epoch_steps or -(-batches // (config.accumulate * world))
        if config.steps:
            self._total = config.steps
        elif self._epoch_steps:
            self._total = max(1, math.ceil(config.epochs * self._epoch_steps))
        else:
            self._total = 0
        if not self._total or (config.schedule == "cosine_restarts" and not self._epoch_steps):
            raise EngineError(
                "how many steps an epoch has is not known beforehand for this data",
                code="E630",
                exit_code=2,
                remedy="Set steps, and epoch_steps for a schedule that counts epochs.",
            )

    def _rate(self, step: int) -> float:
        return factor(self._config, step, total=self._total, epoch_steps=self._epoch_steps)

    def _train(self, random_state: Mapping[str, Any] | None) -> None:
        self._board = Board(self._out / "tensorboard") if self._rank == 0 else None

        def begin(trainer_state: Any) -> None:
            trainer_state.global_step = self._step
            if random_state is not None:
                state.put_random(random_state)
            self._meter.resume_clock()

        self._trainer = hf.trainer(
            self._module,
            self._args,
            self._batches,
            self._optimizer,
            self._scheduler,
            begin=begin,
            heard=self._meter.add,
            after=self._after_step,
        )
        try:
            self._trainer.train()
        finally:
            if self._board is not None:
                self._board.close()

    def _after_step(self, trainer_state: Any, control: Any) -> None:
        """Everything that is done between two steps."""
        config = self._config
        step = self._step = trainer_state.global_step
        last = step >= self._total
        self._meter.pause_clock()
        # The first loss at once: it says that all is well, long before the tenth.
        if last or step == 1 or step % config.log_every == 0:
            self._log()
        stopped = not last and self._agreed(self._stop())
        better = False
        if last or (config.eval_every and step % config.eval_every == 0):
            better = self._evaluate()
        if last:
            self._ended = "finished"
        elif config.patience and self._best.worse_in_a_row >= config.patience:
            self._ended = "early_stop"
        due = config.save_every and step % config.save_every == 0
        if due or better or stopped or self._ended:
            self._save_checkpoint()
        control.should_training_stop = bool(stopped or self._ended)
        self._progress(force=last or stopped)
        self._meter.resume_clock()

    def _agreed(self, mine: bool) -> bool:
        """Of several processes, whether any one wants it."""
        if self._args.world_size == 1:
            return mine
        import torch

        flag = torch.tensor(float(mine), device=self._args.device)
        return bool(self._trainer.accelerator.reduce(flag, "sum").item())

    def _log(self) -> None:
        reading = self._meter.read(self._batches.position, self._trainer)
        if not math.isfinite(reading["loss_nats"]):
            raise no_number(self._step, self._saved)
        self._loss = reading["loss_nats"]
        values = {**reading, "lr": self._rate(self._step - 1) * self._config.lr}
        self._tell("metric", values)
        if self._board is not None:
            self._board.add(values, self._step)

    def _evaluate(self) -> bool:
        """Take the measures. Returns: whether the model is the best so far."""
        before = time.monotonic()
        self._check_weights()
        measures: dict[str, float] = {}
        if self._rank == 0:
            measures = state.measured(self._task, self._model)
        measures = state.shared(measures, self._args.world_size)
        self._measures = measures
        self._tell("metric", {**measures, "evaluation_s": round(time.monotonic() - before, 3)})
        if self._board is not None and measures:
            self._board.add(measures, self._step)
        if not self._config.best:
            return False
        if self._config.best not in measures:
            raise EngineError(
                f"the evaluation has no measure {self._config.best!r} to choose by",
                code="E630",
                exit_code=2,
                remedy=f"It has: {', '.join(measures)}.",
            )
        return self._best.offer(self._step, measures, self._config)

    def _check_weights(self) -> None:
        if not self._meter.finite() or not state.all_finite(self._model):
            raise no_number(self._step, self._saved)

    def _save_checkpoint(self) -> None:
        self._check_weights()
        before = time.monotonic()
        randoms = state.gathered(state.get_random(), self._args.world_size)
        if self._rank == 0:
            files = {
                "model.safetensors": state.weights_to_bytes(self._model),
                "training.pt": state.to_bytes(
                    {
                        "optimizer": self._optimizer.state_dict(),
                        "scheduler": self._scheduler.state_dict(),
                        "random": randoms,
                    }
                ),
            }
            facts = {
                "config_sha256": self._config.sha256(),
                "model_sha256": state.shape_hash(self._model),
                "position": self._batches.position.to_dict(),
                "best": self._best.to_dict(),
                "measures": self._measures,
                "loss_nats": self._loss,
                "ended": self._ended,
                "world": self._args.world_size,
                "versions": state.versions(),
            }
            folder = checkpoints.write(self._checkpoints, self._step, files, facts)
            self._saved = self._step
            protect = self._best.step if self._config.best else None
            checkpoints.prune(self._checkpoints, self._config.keep, protect=protect)
            size = sum(len(data) for data in files.values())
            took = {"bytes": size, "seconds": round(time.monotonic() - before, 3)}
            self._tell("checkpoint", {"name": folder.name, **took})

    def _resume(self) -> tuple[Mapping[str, Any] | None, Position]:
        """Load the newest sound checkpoint. Returns: the random state to put back, and the position."""
        damaged: list[Path] = []

        def bad(error: EngineError) -> None:
            damaged.append(Path(error.where))
            self._tell("warning", {"message": f"{error.what}; the one before is used", "path": error.where})

        found = checkpoints.newest(self._checkpoints, on_bad=bad)
        if self._rank == 0:
            # They would count as newer than all that is still to come.
            for folder in damaged:
                shutil.rmtree(folder, ignore_errors=True)
        if found is None:
            return None, Position()
        facts = found.facts
        if (facts["config_sha256"], facts["model_sha256"]) != (
            self._config.sha256(),
            state.shape_hash(self._model),
        ):
            raise other_training(self._checkpoints)
        state.load_weights(self._model, found.folder / "model.safetensors")
        saved = state.from_file(found.folder / "training.pt")
        self._optimizer.load_state_dict(saved["optimizer"])
        self._scheduler.load_state_dict(saved["scheduler"])
        self._step = self._saved = self._resumed_from = found.step
        self._best = state.Best.from_dict(facts["best"])
        self._measures, self._loss = dict(facts["measures"]), facts["loss_nats"]
        self._ended = facts["ended"]
        self._tell("log", {"message": f"resumed from the checkpoint of step {found.step}"})
        if facts["world"] != self._args.world_size:
            message = f"begun with {facts['world']} processes: the result differs from an uninterrupted one"
            self._tell("warning", {"message": message})
        randoms = saved["random"]
        return randoms[self._rank] if self._rank < len(randoms) else None, Position(**facts["position"])

    def _finish(self) -> TrainResult:
        if self._ended and self._config.best and self._best.step != self._step:
            chosen = checkpoints.verify(self._checkpoints / f"step-{self._best.step:06d}")
            state.load_weights(self._model, chosen.folder / "model.safetensors")
        at_best = bool(self._ended and self._config.best)
        position = self._batches.position
        result = TrainResult(
            complete=bool(self._ended),
            stop_reason=self._ended or "stopped",
            step=self._step,
            best_step=self._best.step if at_best else self._step,
            measures=self._best.measures if at_best else self._measures,
            loss_nats=self._loss,
            model=str(self._out / "model") if self._ended else "",
            tokens=position.tokens,
            examples=position.examples,
            seconds=round(time.monotonic() - self._started, 3),
            device=self._device,
            precision=hf.precision(self._config),
            parameters=self._parameters,
            resumed_from=self._resumed_from,
        )
        if self._ended and self._rank == 0:
            self._save_model(result)
        return result

    def _save_model(self, result: TrainResult) -> None:
        """Write the model folder: whole or not at all."""
        facts = {
            "config": self._config.to_dict(),
            "result": {key: value for key, value in result.to_dict().items() if key != "model"},
            "versions": state.versions(),
            **self._facts,
        }
        final, draft, old = self._out / "model", self._out / "model.tmp", self._out / "model.old"
        for folder in (draft, old):
            shutil.rmtree(folder, ignore_errors=True)
        draft.mkdir(parents=True)
        self._model.eval()
        self._task.save(self._model.to("cpu"), draft, facts)
        write_json(draft / "training.json", facts)
        for file in draft.rglob("*"):
            _sync(file)
        if final.exists():
            final.rename(old)
        draft.rename(final)
        _sync(self._out)
        shutil.rmtree(old, ignore_errors=True)
        self._tell("log", {"message": "the model is saved", "path": str(final)})

    def _tell_device(self) -> None:
        import torch

        device = self._args.device
        if device.type == "cuda":
            self._device = torch.cuda.get_device_name(device)
            why = "asked for" if self._config.device == "cuda" else "the first GPU that can be used"
        else:
            self._device = device.type
            why = "asked for" if self._config.device == "cpu" else "no GPU can be used"
            why = f"{torch.get_num_threads()} threads; {why}"
        words = f"training on {self._device} ({why}), {hf.precision(self._config)}"
        count = self._args.world_size
        self._tell("log", {"message": words + (f", {count} processes" if count > 1 else "")})

    def _progress(self, *, force: bool) -> None:
        if force or self._meter.due():
            self._tell("progress", {"done": self._step, "total": self._total, "unit": "steps"})

    def _tell(self, kind: str, data: Mapping[str, object]) -> None:
        if self._rank == 0:
            self._events(Event(kind, data, self._step))


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
