"""Pictures as operations: what the screens ask the engine process to draw."""

from __future__ import annotations

from workbench.operation import Operation

OPERATIONS = (
    Operation(
        "picture.curves",
        "A picture of curves.",
        "engines.core.picture:curves",
        listed=False,
    ),
    Operation(
        "picture.formula",
        "A picture of a formula.",
        "engines.core.picture:formula",
        listed=False,
    ),
)
"""They belong to no paper and have no command."""
