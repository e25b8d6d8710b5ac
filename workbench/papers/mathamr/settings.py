"""The user's settings for MathAMR."""

from __future__ import annotations

from workbench.config import Key

__all__ = ["KEYS"]

KEYS = (
    Key(
        "mathamr.amr_model",
        "",
        "the folder of amrlib's model, for --parser amrlib and the screen",
        check="workbench.config:folder",
    ),
)
