"""Modules of torch that are classes before torch is loaded."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

__all__ = ["Module"]


class Module:
    """A base class: what is made of it is a `torch.nn.Module`, and only making one loads torch."""

    def __new__(cls, *_args: Any, **_settings: Any) -> Any:
        """An instance of the class that derives from both."""
        kind: Any = cls
        return super().__new__(_joined(kind))

    if TYPE_CHECKING:

        def __call__(self, *inputs: Any) -> Any: ...
        def __getattr__(self, name: str) -> Any: ...


@cache
def _joined(cls: Any) -> Any:
    from torch import nn

    return type(cls.__name__, (cls, nn.Module), {"__module__": cls.__module__})
