"""Poolings: how the states of tokens become one vector; each is a function in `POOLINGS`, by its name in a
recipe."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor


def mean(states: Tensor, real: Tensor) -> Tensor:
    """(batch, d) from states (batch, length, d) and which of them are real tokens (batch, length)."""
    real = real[..., None]
    return states.masked_fill(~real, 0.0).sum(1) / real.sum(1).to(states.dtype)


def maximum(states: Tensor, real: Tensor) -> Tensor:
    """As `mean`."""
    return states.masked_fill(~real[..., None], float("-inf")).amax(1)


def first(states: Tensor, real: Tensor) -> Tensor:  # noqa: ARG001  # the first token is real
    """As `mean`."""
    return states[:, 0]


POOLINGS = {"mean": mean, "max": maximum, "first": first, "cls": first}
