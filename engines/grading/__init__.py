"""Answers against references: the answer of a solution is found, read and judged.

`answers` finds it, `forms` reads it, `compare` judges two of them, `grades` has the verb, and
`adapters` fit it into evaluation harnesses and training.
"""

from __future__ import annotations

from engines.core.spec import offered

__all__, __getattr__ = offered(__name__, {"grade": ("grades", "Grade")})
