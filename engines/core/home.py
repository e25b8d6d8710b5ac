"""Where the user's files live. `MATHWB_HOME` moves every one of them into one folder."""

from __future__ import annotations

import os
from pathlib import Path


def home(kind: str) -> Path:
    """The folder of one kind: `data`, `config`, `state` or `cache`."""
    moved = os.environ.get("MATHWB_HOME")
    if moved:
        return Path(moved).expanduser() / kind
    import platformdirs

    return Path(getattr(platformdirs, f"user_{kind}_dir")("mathwb", appauthor=False))
