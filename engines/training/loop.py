"""`train`: the training loop, which starts or resumes from the newest checkpoint, up to the model folder.

It runs in one process or in several that share the batches.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import atomic_folder, file_error, refuse_other, remove_folder, write_json
from engines.core.spec import to_mapping
from engines.training import checkpoints, token_cache
from engines.training.checkpoints import Checkpoint, Identity
from engines.training.data import Batches, StreamPosition, batches_per_epoch
from engines.training.libraries import (
    broadcast_value,
    choose_precision,
    gather_values,
    quick_imports,
    start_accelerator,
)
from engines.training.task import Batch, TrainConfig, TrainingTask, TrainResult
from engines.training.token_cache import TokenCache

if TYPE_CHECKING:
    import torch
    from accelerate import Accelerator


def learning_rate_factor(config: TrainConfig, step: int, *, total: int, epoch_steps: int) -> float:
    """Return the number that `lr` is multiplied with for the update after `step` updates.

    >>> config = TrainConfig(steps=100, schedule="linear", warmup=10)
    >>> [learning_rate_factor(config, step, total=100, epoch_steps=50) for step in (0, 4, 10, 55, 100)]
    [0.1, 0.5, 1.0, 0.5, 0.0]
    """
    warmup = config.count_warmup_steps(total)
    if step < warmup:
        return (step + 1) / warmup
    low = config.lr_min / config.lr
    if config.schedule == "linear":
        share = (step - warmup) / max(1, total - warmup)
        return low + (1 - low) * max(0.0, 1 - share)
    if config.schedule == "cosine_restarts":
        epochs = (step - warmup) / max(1, epoch_steps)
        share = _share_of_cycle(epochs if config.per_step else math.floor(epochs), config)
        return low + (1 - low) * (1 + math.cos(math.pi * share)) / 2
    return 1.0


def _share_of_cycle(epochs: float, config: TrainConfig) -> float:
    """Return how far into its cycle an epoch is, from 0 to 1 (exclusive)."""
    length = float(config.restart_epochs)
    if config.restart_factor == 1:
        return (epochs % length) / length
    while epochs >= length:
        epochs -= length
        length *= config.restart_factor
    return epochs / length


def make_objective(model: torch.nn.Module, task: TrainingTask) -> torch.nn.Module:
    """Return model and loss as one module, so that several processes and the compiler see one call per
    batch.
    """
    from torch import nn

    class Objective(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, batch: Batch, shares: torch.Tensor) -> torch.Tensor:
            return (task.loss(self.model, batch) * shares).sum()

    return Objective()


def accumulate_gradients(
    module: torch.nn.Module, task: TrainingTask, batches: Sequence[Batch], accelerator: Accelerator
) -> torch.Tensor:
    """Add up the gradients of a step in the weights.

    A task's losses are means over a batch. Each counts by the tokens or examples that it is a mean over, so
    that several batches, here and in the other processes, give the gradient of one that holds them all.

    Args:
        module: What `make_objective` returns, prepared.
        batches: Those of this process.

    Returns:
        This process's part of the loss; their mean over the processes is the loss in nats.
    """
    from contextlib import nullcontext

    import torch
    from accelerate.utils import send_to_device

    counts = torch.tensor([task.counts(batch) for batch in batches], dtype=torch.float32)
    counts = counts.to(accelerator.device)
    total = accelerator.reduce(counts.sum(0), "sum")
    # The gradients of the processes are averaged, and their sum is wanted.
    # A loss that no batch has anything for counts nothing.
    shares = counts / total.clamp(min=1) * accelerator.num_processes
    parts = []
    for number, batch in enumerate(batches, 1):
        whole = number == len(batches)
        with nullcontext() if whole else accelerator.no_sync(module):
            part = module(send_to_device(batch, accelerator.device, non_blocking=True), shares[number - 1])
            part.backward()
        parts.append(part.detach())
    return torch.stack(parts).sum()


# Progress is reported at most this often, in seconds, however short the steps are.
_TELL_EVERY_S = 0.5


class Meter:
    """Adds up on the device; only a reading waits for it."""

    def __init__(self, start: StreamPosition, device: torch.device, total: float, count: int) -> None:
        """Args: total, count: losses that were added and not read before a training was broken off."""
        import torch

        self._before, self._zero = start, torch.zeros((), device=device)
        self._sum, self._count = torch.tensor(total, device=device), count
        self._seconds = 0.0
        self._since: float | None = None
        self._told = 0.0

    def add(self, loss: torch.Tensor) -> None:
        """Add the loss of a step."""
        self._sum = self._sum + loss.float()
        self._count += 1

    def unread_totals(self) -> tuple[float, int]:
        """Return the sum and the number of losses since they were last read."""
        return self._sum.item(), self._count

    def pause_clock(self) -> None:
        """Stop counting time, for work that is not training."""
        if self._since is not None:
            self._seconds += time.monotonic() - self._since
            self._since = None

    def resume_clock(self) -> None:
        """Count time again."""
        self._since = time.monotonic()

    def take_turn(self) -> bool:
        """Return whether it is time to report, and note that it was done."""
        now = time.monotonic()
        if now - self._told < _TELL_EVERY_S:
            return False
        self._told = now
        return True

    def is_finite(self) -> bool:
        """Return whether all losses since the last reading are finite."""
        import torch

        return bool(torch.isfinite(self._sum).item())

    def read_measures(self, position: StreamPosition, accelerator: Accelerator) -> dict[str, float]:
        """Return the mean loss and throughput since the last reading, over all processes, and this process's
        memory in bytes.
        """
        loss = accelerator.reduce(self._sum / max(1, self._count), "mean").item()
        # The device has done its work by now, so the time of it is in this stretch.
        self.pause_clock()
        self.resume_clock()
        seconds = max(self._seconds, 1e-9)
        tokens = position.tokens - self._before.tokens
        examples = position.examples - self._before.examples
        self._before, self._sum, self._count, self._seconds = position, self._zero, 0, 0.0
        return {
            "loss_nats": loss,
            "tokens_per_s": tokens / seconds,
            "examples_per_s": examples / seconds,
            "memory_bytes": float(_memory_in_use(accelerator.device)),
            "epoch": float(position.epoch),
        }


def _memory_in_use(device: Any) -> int:
    """Bytes in use: of the GPU, or of this process."""
    import torch

    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    import psutil

    return int(psutil.Process().memory_info().rss)


RECORD = "training.json"
"""In every model folder that a training has made, and in no other."""


def train(
    task: TrainingTask,
    config: TrainConfig,
    out: Path,
    *,
    events: Sink = ignore,
    stop: Stop = never,
    facts: Mapping[str, Any] | None = None,
    cache: Path | None = None,
) -> TrainResult:
    """Train a model, or go on with a training that was begun in `out`.

    In `out` there will be `model/` (complete or not at all) and `checkpoints/`. A training that is
    killed at any moment and begun again ends, on a CPU, with the same weights bit for bit as one that was
    never interrupted. When `stop` is raised, the step at hand is finished and a checkpoint written.

    What is in `out` must be the same training: the same trainer, data and settings, those aside that say
    where it runs and how often it reports. With another number of steps it goes on to that number, and
    checkpoint and card say where it was changed.

    Args:
        facts: What else to write down with the model (recipe, data hashes); JSON-able.
        cache: A folder that trainings share for what is made of their data, such as tokens; without one it is
            in `out` until the end.

    Events:
        `progress` in steps; `metric` with loss_nats (the mean of what the steps since the last one went down
        on), lr, tokens_per_s (real tokens), examples_per_s, memory_bytes (GPU memory at its highest, or
        resident memory), epoch, and the task's measures when they are taken; `checkpoint`; `log`; `warning`.

    Raises:
        EngineError: E630 a setting makes no sense, E631 the loss is no number, E632 out of memory, E633 the
            device is gone, E634 there is no such device, E636 no data, E637 `out` holds another training,
            E452 there is a `model/` or a checkpoint in it that no training made, E310 the disk is full.
    """
    refuse_foreign_folder(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise file_error(error, out, "write") from error
    with explain_failures(config, out):
        return _Training(task, config, out, events, stop, facts or {}, cache).run()


def refuse_foreign_folder(out: Path) -> None:
    """Refuse a folder in which a training would replace what no training made."""
    refuse_other(out / "model", RECORD)
    checkpoints.refuse_foreign_folder(out / "checkpoints")


class _Training:
    def __init__(
        self,
        task: TrainingTask,
        config: TrainConfig,
        out: Path,
        events: Sink,
        stop: Stop,
        facts: Mapping[str, Any],
        cache: Path | None,
    ) -> None:
        self._task, self._config, self._out = task, config, out
        self._events, self._stop, self._facts = events, stop, facts
        self._checkpoints, self._rows = out / "checkpoints", out / "rows"
        self._cache = cache or self._rows
        self._identity = Identity.of_task(task.origin(), config)
        self._started = time.monotonic()
        self._step = self._saved = self._resumed_from = 0
        self._loss: float | None = None
        self._measures: dict[str, float] = {}
        self._best = checkpoints.Best()
        self._steps_changed: list[dict[str, int]] = []
        self._ended = ""

    def run(self) -> TrainResult:
        self._config.check_best(self._task.measures)
        corrupt: list[EngineError] = []
        result = checkpoints.newest_checkpoint(self._checkpoints, on_bad=corrupt.append)
        self._refuse_other_training(result)
        self._prepare()
        for error in corrupt:
            self._emit_event(
                "warning", {"message": f"{error.what}; the one before is used", "path": error.where}
            )
            if self._first:
                # It would count as newer than all that is still to come.
                remove_folder(Path(error.where), checkpoints.MANIFEST)
        if result is not None:
            self._restore_checkpoint(result)
        # It goes on where a checkpoint was made between two readings.
        rank, unread = self._accelerator.process_index, result.facts.get("unread", []) if result else []
        total, count = unread[rank] if rank < len(unread) else (0.0, 0)
        self._meter = Meter(self._batches.position, self._accelerator.device, total, count)
        if not self._ended:
            self._train()
        return self._finish()

    def _refuse_other_training(self, checkpoint: Checkpoint | None) -> None:
        model_folder = self._out / "model"
        there: Mapping[str, Any] | None = None
        if checkpoint is not None:
            there, model_folder = checkpoint.facts.get("identity"), checkpoint.folder
        elif (model_folder / RECORD).exists():
            with contextlib.suppress(ValueError, AttributeError):  # no JSON, or no object
                there = json.loads((model_folder / RECORD).read_bytes()).get("identity")
        else:
            return
        differences = None if there is None else self._identity.describe_differences(there)
        if differences is None or differences:
            raise other_training(model_folder, differences)

    def _prepare(self) -> None:
        config = self._config
        with quick_imports():
            import torch
            from accelerate.utils import set_seed

            self._accelerator = start_accelerator(config)
        self._first, device = self._accelerator.is_main_process, self._accelerator.device
        set_seed(config.seed)
        if (use_cache := getattr(self._task, "use_cache", None)) is not None:
            use_cache(TokenCache(self._cache, self._identity.contents))
        self._model = self._task.model()
        self._module = make_objective(self._model, self._task).to(device)
        # Frozen weights are neither trained nor counted.
        trained = [weight for weight in self._model.parameters() if weight.requires_grad]
        self._parameters = sum(weight.numel() for weight in trained)
        with quick_imports():
            self._optimizer = torch.optim.AdamW(
                trained, lr=config.lr, weight_decay=config.weight_decay, fused=device.type == "cuda"
            )
        if self._accelerator.process_index:
            # The processes begin with the same weights, and drop out others.
            torch.manual_seed(config.seed + self._accelerator.process_index)
        data = self._task.train_data()
        config.check_data(self._task)
        self._batches = Batches(
            data,
            config,
            length=self._task.length,
            collate=self._task.collate,
            rank=self._accelerator.process_index,
            world=self._accelerator.num_processes,
        )
        self._plan_steps(batches_per_epoch(data, config))
        self._tell_device()

    def _plan_steps(self, batches: int) -> None:
        """How many steps there are in all and in an epoch.

        Args:
            batches: Of an epoch; 0: not known.
        """
        config = self._config
        of_step = config.accumulate * self._accelerator.num_processes
        self._epoch_steps = config.epoch_steps or -(-batches // of_step)
        self._total = config.steps or math.ceil(config.epochs * self._epoch_steps)
        if not self._epoch_steps and (not config.steps or config.schedule == "cosine_restarts"):
            remedy = "Set steps, and epoch_steps for a schedule that counts epochs."
            what = "the number of steps per epoch is unknown for these data"
            raise EngineError(what, code="E630", remedy=remedy)

    def _train(self) -> None:
        module = self._accelerator.prepare_model(self._module).train()
        batches, stopped = self._batches, False
        self._meter.resume_clock()
        try:
            while not (self._ended or stopped):
                self._update(module, [next(batches) for _ in range(self._config.accumulate)])
                self._step += 1
                stopped = self._between_steps()
        finally:
            self._batches.close()

    def _update(self, module: Any, batches: Sequence[Batch]) -> None:
        self._meter.add(accumulate_gradients(module, self._task, batches, self._accelerator))
        if self._config.clip:
            self._accelerator.clip_grad_norm_(module.parameters(), self._config.clip)
        for group in self._optimizer.param_groups:
            group["lr"] = self._learning_rate(self._step)
        self._optimizer.step()
        self._optimizer.zero_grad()

    def _learning_rate(self, step: int) -> float:
        config = self._config
        return config.lr * learning_rate_factor(
            config, step, total=self._total, epoch_steps=self._epoch_steps
        )

    def _between_steps(self) -> bool:
        config, step = self._config, self._step
        last = step >= self._total
        # The first loss at once: it says that all is well, long before the tenth.
        if last or step == 1 or step % config.log_every == 0:
            self._log()
        # Evaluating and saving do not count as training time.
        self._meter.pause_clock()
        # All processes have to stop at the same step, or some would wait for the others for ever.
        stopped = not last and self._any_process_wants(self._stop())
        better = False
        if last or (config.eval_every and step % config.eval_every == 0):
            better = self._evaluate()
        if last:
            self._ended = "finished"
        elif config.patience and self._best.worse_in_a_row >= config.patience:
            self._ended = "early_stop"
        # Better weights are saved at once, since only a checkpoint brings them back at the end.
        due = config.save_every and step % config.save_every == 0
        if due or better or stopped or self._ended:
            self._save_checkpoint()
        if last or stopped or self._meter.take_turn():
            self._emit_event("progress", {"done": step, "total": self._total, "unit": "steps"})
        self._meter.resume_clock()
        return stopped

    def _any_process_wants(self, mine: bool) -> bool:
        """Of several processes, whether any one wants it."""
        if self._accelerator.num_processes == 1:
            return mine
        import torch

        flag = torch.tensor(float(mine), device=self._accelerator.device)
        return bool(self._accelerator.reduce(flag, "sum").item())

    def _log(self) -> None:
        reading = self._meter.read_measures(self._batches.position, self._accelerator)
        if not math.isfinite(reading["loss_nats"]):
            raise no_number(self._step, self._saved)
        self._loss = reading["loss_nats"]
        self._emit_event("metric", {**reading, "lr": self._learning_rate(self._step - 1)})

    def _evaluate(self) -> bool:
        before = time.monotonic()
        self._check_weights()
        self._batches.wait_until_idle()
        measures = checkpoints.measure_model(self._task, self._model) if self._first else {}
        self._measures = measures = broadcast_value(measures)
        self._emit_event("metric", {**measures, "evaluation_s": round(time.monotonic() - before, 3)})
        self._config.check_best(measures)
        return bool(self._config.best) and self._best.is_best(self._step, measures, self._config)

    def _check_weights(self) -> None:
        import torch

        weights = self._model.parameters()
        if not self._meter.is_finite() or not all(bool(torch.isfinite(w).all().item()) for w in weights):
            raise no_number(self._step, self._saved)

    def _save_checkpoint(self) -> None:
        self._check_weights()
        before = time.monotonic()
        world = self._accelerator.num_processes
        # Every process has random numbers and unread losses of its own; the first one writes them for all.
        randoms = gather_values(checkpoints.get_random(), world)
        unread = gather_values(self._meter.unread_totals(), world)
        if not self._first:
            return
        files = {
            "model.safetensors": checkpoints.weights_to_bytes(self._model),
            "training.pt": checkpoints.to_bytes(
                {"optimizer": self._optimizer.state_dict(), "random": randoms}
            ),
        }
        facts = {
            "identity": self._identity.settings,
            "steps": self._total,
            "steps_changed": self._steps_changed,
            "position": asdict(self._batches.position),
            "best": asdict(self._best),
            "measures": self._measures,
            "loss_nats": self._loss,
            "unread": unread,
            "ended": self._ended,
            "world": world,
            "versions": checkpoints.library_versions(),
        }
        folder = checkpoints.write(self._checkpoints, self._step, files, facts)
        self._saved = self._step
        # Older checkpoints go only after the new one is complete.
        checkpoints.prune_checkpoints(
            self._checkpoints, self._config.keep, protect=self._best.step if self._config.best else None
        )
        size = sum(len(data) for data in files.values())
        took = {"bytes": size, "seconds": round(time.monotonic() - before, 3)}
        self._emit_event("checkpoint", {"name": folder.name, **took})

    def _restore_checkpoint(self, checkpoint: Checkpoint) -> None:
        facts, rank = checkpoint.facts, self._accelerator.process_index
        saved = checkpoints.from_file(checkpoint.folder / "training.pt")
        checkpoints.load_weights(self._model, checkpoint.folder / "model.safetensors")
        self._optimizer.load_state_dict(saved["optimizer"])
        if rank < len(saved["random"]):
            checkpoints.put_random(saved["random"][rank])
        self._batches.position = StreamPosition(**facts["position"])
        self._step = self._saved = self._resumed_from = checkpoint.step
        self._best = checkpoints.Best(**facts["best"])
        self._measures, self._loss = dict(facts["measures"]), facts["loss_nats"]
        self._steps_changed, self._ended = list(facts["steps_changed"]), facts["ended"]
        self._emit_event("log", {"message": f"resumed from the checkpoint of step {checkpoint.step}"})
        if facts["world"] != self._accelerator.num_processes:
            message = f"started with {facts['world']} processes: the result differs from an uninterrupted run"
            self._emit_event("warning", {"message": message})
        if facts["steps"] != self._total and self._ended != "early_stop":
            self._change_steps(facts["steps"])

    def _change_steps(self, before: int) -> None:
        if self._total <= self._step:
            reached = f"train.steps: {self._step} are done there, {self._total} requested"
            remedy = f"Ask for more than {self._step} steps, or train in another folder."
            raise other_training(self._checkpoints, [reached], remedy)
        self._steps_changed.append({"at_step": self._step, "from": before, "to": self._total})
        self._ended = ""
        message = f"the number of steps, {before} so far, is {self._total} from step {self._step} on"
        self._emit_event("warning", {"message": message})

    def _finish(self) -> TrainResult:
        # The model is made of the best weights, which need not be the last ones.
        if self._ended and self._config.best and self._best.step != self._step:
            chosen = checkpoints.check_checkpoint(self._checkpoints / f"step-{self._best.step:06d}")
            checkpoints.load_weights(self._model, chosen.folder / "model.safetensors")
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
            precision=choose_precision(self._config),
            parameters=self._parameters,
            resumed_from=self._resumed_from,
        )
        if self._ended and self._first:
            self._save_model(result)
            # The cached rows were needed only as long as the training could go on.
            token_cache.remove_cache(self._rows)
        return result

    def _save_model(self, result: TrainResult) -> None:
        facts = {
            "config": to_mapping(self._config),
            "identity": self._identity.settings,
            "steps_changed": self._steps_changed,
            "result": {key: value for key, value in result.to_dict().items() if key != "model"},
            "versions": checkpoints.library_versions(),
            **self._facts,
        }
        with atomic_folder(self._out / "model", RECORD) as draft:
            self._model.eval()
            self._task.save(self._model.to("cpu"), draft, facts)
            write_json(draft / RECORD, facts)
        self._emit_event("log", {"message": "the model is saved", "path": str(self._out / "model")})

    def _tell_device(self) -> None:
        import torch

        device, count = self._accelerator.device, self._accelerator.num_processes
        if device.type == "cuda":
            self._device = torch.cuda.get_device_name(device)
            why = "requested" if self._config.device == "cuda" else "the first GPU that can be used"
        else:
            self._device = device.type
            why = "requested" if self._config.device == "cpu" else "no GPU can be used"
            why = f"{torch.get_num_threads()} threads; {why}"
        words = f"training on {self._device} ({why}), {choose_precision(self._config)}"
        self._emit_event("log", {"message": words + (f", {count} processes" if count > 1 else "")})
        if self._config.compile:
            message = "compiling the model: the first step and batches of new lengths take longer"
            self._emit_event("log", {"message": message})

    def _emit_event(self, kind: str, data: Mapping[str, object]) -> None:
        if self._first:
            self._events(Event(kind, data, self._step))


# What goes wrong in a training, as errors that say what to do.

_NO_ROOM = ("no space left on device", "disk quota exceeded", "os error 28")
_NO_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "cublas_status_alloc_failed")
_NO_DEVICE = (
    "cuda error",
    "cuda driver",
    "no cuda",
    "device-side",
    "nccl",
    "device lost",
    "gpu is lost",
    "cudnn_status",
    "cublas_status",
)


@contextlib.contextmanager
def explain_failures(config: TrainConfig, out: Path) -> Iterator[None]:
    """Raise what goes wrong in the block as an EngineError where it is one of the known ways."""
    try:
        yield
    except EngineError:
        raise
    except MemoryError as error:
        raise _out_of_memory(config, "") from error
    except Exception as error:
        known = _known_failure(error, config, out)
        if known is None:
            raise
        raise known from error


def _known_failure(error: Exception, config: TrainConfig, out: Path) -> EngineError | None:
    text = str(error).lower()
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return file_error(error, out, "write")
    if any(word in text for word in _NO_ROOM):
        return file_error(OSError(errno.ENOSPC, "no space left"), out, "write")
    if type(error).__name__ == "OutOfMemoryError" or any(word in text for word in _NO_MEMORY):
        return _out_of_memory(config, "of the GPU" if "cuda" in text or "gpu" in text else "")
    if isinstance(error, RuntimeError) and any(word in text for word in _NO_DEVICE):
        what = f"the device is gone or has failed: {str(error).splitlines()[0]}"
        remedy = "Run `mathwb doctor`, then resume, with device = cpu if there is no other."
        return EngineError(what, code="E633", remedy=remedy)
    return None


def _out_of_memory(config: TrainConfig, of: str) -> EngineError:
    batch = f"batch_tokens below {config.batch_tokens}" if config.batch_tokens else ""
    batch = batch or f"batch_size below {config.batch_size}"
    remedy = f"Use {batch} with accumulate above {config.accumulate}, or a smaller model."
    return EngineError(f"out of memory {of}".replace("  ", " "), code="E632", remedy=remedy)


def no_number(step: int, saved: int) -> EngineError:
    """Return the error for a loss that is not a number."""
    kept = f" The checkpoint of step {saved} is sound." if saved else ""
    remedy = f"Use a lower lr, more warmup, a smaller clip, or precision = fp32.{kept}"
    return EngineError(f"the loss is not a number at step {step}", code="E631", remedy=remedy)


def other_training(
    folder: Path,
    differences: Sequence[str] | None,
    remedy: str = "Name another folder with --out, or remove what is in this one.",
) -> EngineError:
    """Return the error that a folder holds a training with other settings.

    Args:
        differences: In words; None: not known.
    """
    what = "the folder holds a training by an older version, which did not record its inputs"
    if differences is not None:
        what = f"the folder holds another training: {'; '.join(differences)}"
    return EngineError(what, where=str(folder), code="E637", remedy=remedy)
