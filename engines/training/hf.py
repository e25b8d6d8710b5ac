"""Everything that touches Hugging Face's Trainer: it has the loop, the devices and the precision.

Checkpoints, evaluation, logs and the order of the data are ours (`session`), since the Trainer writes
checkpoints in place, resumes the one with the highest number and keeps batches of one length apart by itself.
So it is used with all of that switched off, and with one callback after each step.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.training.config import TrainConfig
from engines.training.failures import no_device
from engines.training.task import Batch, TrainingTask

if TYPE_CHECKING:
    import torch

__all__ = ["arguments", "load_libraries", "objective", "precision", "trainer"]

_OPTIONAL = ("datasets", "scipy", "sklearn")


def load_libraries() -> None:
    """Import torch and the Trainer in little more than half of the time that they usually take.

    Without a garbage collector, which would walk through half a million new objects again and again; and
    without what transformers loads in case its own data sets, detection losses and assisted generation are
    used, none of which are.
    """
    if "transformers" in sys.modules:
        # It may have looked for those packages already, and would then miss them.
        return
    hidden = [name for name in _OPTIONAL if name not in sys.modules]
    collecting = gc.isenabled()
    gc.disable()
    # transformers asks once whether a package is there, and remembers the answer.
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None: it cannot be imported
    try:
        import torch  # noqa: F401
        from transformers import Trainer  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]
        # What has been loaded stays: it need not be looked through again.
        gc.freeze()
        if collecting:
            gc.enable()


def arguments(config: TrainConfig, out: Path, steps: int) -> Any:
    """The Trainer's arguments; making them takes the device. Raises: EngineError E634."""
    import torch
    from transformers import TrainingArguments

    if config.device == "cuda" and not torch.cuda.is_available():
        raise no_device(config.device)
    made = TrainingArguments(
        output_dir=str(out),
        max_steps=steps,
        per_device_train_batch_size=config.batch_size,
        gradient_accumulation_steps=config.accumulate,
        max_grad_norm=config.clip,
        seed=config.seed,
        bf16=precision(config) == "bf16",
        torch_compile=config.compile,
        use_cpu=config.device == "cpu" or not _accelerator(),
        save_strategy="no",
        eval_strategy="no",
        logging_strategy="no",
        logging_nan_inf_filter=False,
        report_to="none",
        disable_tqdm=True,
        log_level="error",
        remove_unused_columns=False,
        label_names=[],
        ddp_find_unused_parameters=False,
        ddp_timeout=7200,
    )
    if made.world_size == 1 and made.n_gpu > 1:
        # Several GPUs are used by several processes (accelerate launch), never by threads of one.
        made._n_gpu = 1
    return made


def _accelerator() -> bool:
    import torch

    return torch.cuda.is_available() or torch.backends.mps.is_available()


def precision(config: TrainConfig) -> str:
    """bf16 or fp32. What is asked for is taken; auto looks at the device."""
    import torch

    if config.precision != "auto":
        return config.precision
    able = config.device != "cpu" and torch.cuda.is_available() and torch.cuda.is_bf16_supported()
    return "bf16" if able else "fp32"


def objective(model: torch.nn.Module, task: TrainingTask) -> torch.nn.Module:
    """Model and loss as one module, so that several processes and the compiler see one call a batch."""
    from torch import nn

    class Objective(nn.Module):  # type: ignore[misc]  # an untyped library
        accepts_loss_kwargs = False

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, **batch: Any) -> dict[str, Any]:
            return {"loss": task.loss(self.model, batch)}

    return Objective()


def trainer(
    module: torch.nn.Module,
    args: Any,
    batches: Iterable[Batch],
    optimizer: torch.optim.Optimizer,
    scheduler: Any,
    *,
    begin: Callable[[Any], None],
    heard: Callable[[torch.Tensor], None],
    after: Callable[[Any, Any], None],
) -> Any:
    """A Trainer on these batches.

    Args: begin: told the Trainer's state before the first step. heard: told the detached loss of every batch.
    after: told state and control after every step.
    """
    from transformers import Trainer, TrainerCallback
    from transformers.trainer_callback import PrinterCallback

    class Hooks(TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            begin(state)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
            after(state, control)

    class Loop(Trainer):  # type: ignore[misc]
        def get_train_dataloader(self) -> Any:
            return batches

        def compute_loss(
            self,
            model: Any,
            inputs: Any,
            return_outputs: bool = False,  # noqa: ARG002  # the signature is the Trainer's
            num_items_in_batch: Any = None,  # noqa: ARG002
        ) -> Any:
            loss = model(**inputs)["loss"]
            heard(loss.detach())
            return loss

    made = Loop(module, args, callbacks=[Hooks()], optimizers=(optimizer, scheduler))
    made.remove_callback(PrinterCallback)
    return made
