"""mathwb: a workbench for mathematical language. Its engines are `egen`, `mwp`, `arqmath` and `mathamr`."""

from __future__ import annotations

import sys

from engines.moved import Finder

__all__ = ["__version__"]

__version__ = "0.1.0"

sys.meta_path.insert(0, Finder(__name__))
