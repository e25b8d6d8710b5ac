"""mathwb: a workbench for mathematical language. Its engines are `egen`, `mwp`, `arqmath` and `mathamr`."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
