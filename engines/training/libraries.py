"""The large libraries: quick imports, modules declared before torch is loaded, their failures."""

from __future__ import annotations

import contextlib
import errno
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.files import file_error
from engines.training.task import TrainConfig


@contextmanager
def quick_imports() -> Iterator[None]:
    """Import in the block without garbage collection, which would walk through half a million new objects
    again and again: a third of the time that torch and transformers take. They are never looked at again."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


class Module:
    """A base class: what is made of it is a `torch.nn.Module`, and only making one loads torch."""

    def __new__(cls, *_args: Any, **_settings: Any) -> Any:
        kind: Any = cls
        return super().__new__(_joined(kind))

    if TYPE_CHECKING:

        def __call__(self, *inputs: Any) -> Any: ...
        def __getattr__(self, name: str) -> Any: ...


@cache
def _joined(cls: Any) -> Any:
    from torch import nn

    return type(cls.__name__, (cls, nn.Module), {"__module__": cls.__module__})


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
def explained(config: TrainConfig, out: Path) -> Iterator[None]:
    """Raise what goes wrong in the block as an EngineError where it is one of the known ways."""
    try:
        yield
    except EngineError:
        raise
    except MemoryError as error:
        raise _memory(config, "") from error
    except Exception as error:
        known = _known(error, config, out)
        if known is None:
            raise
        raise known from error


def _known(error: Exception, config: TrainConfig, out: Path) -> EngineError | None:
    text = str(error).lower()
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return file_error(error, out, "write")
    if any(word in text for word in _NO_ROOM):
        return file_error(OSError(errno.ENOSPC, "no space left"), out, "write")
    if type(error).__name__ == "OutOfMemoryError" or any(word in text for word in _NO_MEMORY):
        return _memory(config, "of the GPU" if "cuda" in text or "gpu" in text else "")
    if isinstance(error, RuntimeError) and any(word in text for word in _NO_DEVICE):
        return EngineError(
            f"the device is gone or has failed: {str(error).splitlines()[0]}",
            code="E633",
            remedy="Run `mathwb doctor`, then resume, with device = cpu if there is no other.",
        )
    return None


def _memory(config: TrainConfig, of: str) -> EngineError:
    batch = f"batch_tokens below {config.batch_tokens}" if config.batch_tokens else ""
    batch = batch or f"batch_size below {config.batch_size}"
    return EngineError(
        f"out of memory {of}".replace("  ", " "),
        code="E632",
        remedy=f"Use {batch} with accumulate above {config.accumulate}, or a smaller model.",
    )


def no_number(step: int, saved: int) -> EngineError:
    """The loss or a weight is NaN or infinite."""
    kept = f" The checkpoint of step {saved} is sound." if saved else ""
    return EngineError(
        f"the loss is not a number at step {step}",
        code="E631",
        remedy=f"Use a lower lr, more warmup, a smaller clip, or precision = fp32.{kept}",
    )


def no_device(wanted: str) -> EngineError:
    """A GPU was asked for and none can be used."""
    return EngineError(
        f"device is {wanted}, and there is no usable GPU",
        code="E634",
        remedy="See `mathwb doctor`, or use device = auto or cpu.",
    )


def other_training(folder: Path, differences: Sequence[str] | None, remedy: str = "") -> EngineError:
    """The folder holds a training with other settings. Args: differences: in words; None: not known."""
    if differences is None:
        what = "the folder holds a training by an older version, which did not record its inputs"
    else:
        what = f"the folder holds another training: {'; '.join(differences)}"
    return EngineError(
        what,
        where=str(folder),
        code="E637",
        remedy=remedy or "Name another folder with --out, or remove what is in this one.",
    )
