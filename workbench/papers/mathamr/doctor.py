"""What MathAMR needs that may be missing."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

from engines.core.assets import asset
from workbench.doctor import Finding

__all__ = ["examine"]


def examine() -> Iterator[Finding]:
    """The English pipeline of the built-in AMR parser, and whether amrlib is there for a better one."""
    yield Finding("AMR parser", "ok", f"built-in, approximate: {asset('models/language-en')}")
    if find_spec("amrlib") is None:
        yield Finding("amrlib", "note", "not installed; --parser amrlib needs it and a model folder")
    else:
        yield Finding("amrlib", "ok", "installed; --parser amrlib needs a model folder besides")
