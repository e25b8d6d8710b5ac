"""Quick imports of the large libraries."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["quick_imports"]


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
