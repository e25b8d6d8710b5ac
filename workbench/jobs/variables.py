"""Variables of the environment that belong to a job: it has those of whoever asked for it, whoever starts it.

They are ours, and those that say where the libraries find things, how many threads they take, which GPUs
there are, and to whom a job is told. Secrets are never written down: a job that waits gets those of whoever
starts it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from workbench.jobs.executors import LAUNCHED, VISIBLE
from workbench.jobs.process import MARK

__all__ = ["held", "placed"]

_FAMILIES = re.compile(
    r"(MATHWB|CUDA|OMP|MKL|OPENBLAS|NUMEXPR|HF|TRANSFORMERS|TOKENIZERS|TORCH|PYTORCH|NCCL|WANDB|MLFLOW|TRACKIO)_"
)
_SINGLE = (*VISIBLE, "PYTHONPATH")
_SECRET = {"TOKEN", "KEY", "SECRET", "PASSWORD", "PASS", "CREDENTIALS", "AUTH"}
_WITH_PASSWORD = re.compile(r"://[^/\s]*@")


def held(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a job that may have to wait takes along."""
    return {name: value for name, value in environment.items() if _belongs(name, value)}


def placed(taken: Mapping[str, str], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """An environment in which what belongs to a job is as it was `taken` along."""
    return {name: value for name, value in environment.items() if not _belongs(name, value)} | dict(taken)


def _belongs(name: str, value: str) -> bool:
    if name in (MARK, LAUNCHED) or not (name in _SINGLE or _FAMILIES.match(name)):
        return False
    return not (_SECRET & set(name.split("_")) or _WITH_PASSWORD.search(value))
