"""The papers of the workbench: one folder each, named here."""

from __future__ import annotations

__all__ = ["PAPERS"]

PAPERS = ("egen", "mwp", "arqmath", "mathamr")
