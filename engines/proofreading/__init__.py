"""Where is the mistake in a text: every link between its formulas is judged."""

from __future__ import annotations

from engines.core.spec import offer_verbs

__all__, __getattr__ = offer_verbs(__name__, {"proofread": ("proofread_files", "Proofread")})
