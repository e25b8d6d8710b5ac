"""What E-Gen needs that may be missing."""

from __future__ import annotations

from collections.abc import Iterator

from engines.core.assets import asset
from workbench.doctor import Finding

__all__ = ["examine"]


def examine() -> Iterator[Finding]:
    """The table of rewrite rules."""
    yield Finding("rewrite rules", "ok", str(asset("rules/egen.toml")))
