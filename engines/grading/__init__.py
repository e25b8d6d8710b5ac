"""Answers against references: the answer of a solution is found, read and judged.

`answers` finds it, `forms` reads it, `compare` judges two of them, `grades` has the verb, and
`adapters` fit it into evaluation harnesses and training.
"""

from __future__ import annotations

from engines.core.spec import offer_verbs

__all__, __getattr__ = offer_verbs(__name__, {"grade": ("grades", "Grade")})
