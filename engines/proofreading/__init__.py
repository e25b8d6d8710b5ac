"""Where is the mistake in a text: every link between its formulas is judged."""

from __future__ import annotations

from engines.core.spec import offered

__all__, __getattr__ = offered(__name__, {"proofread": ("texts", "Proofread")})
