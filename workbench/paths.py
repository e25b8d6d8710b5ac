"""Where the user's files live. `MATHWB_HOME` moves every one of them into one folder."""

from __future__ import annotations

import os
from pathlib import Path


def _folder(kind: str) -> Path:
    home = os.environ.get("MATHWB_HOME")
    if home:
        return Path(home).expanduser() / kind
    import platformdirs

    return Path(getattr(platformdirs, f"user_{kind}_dir")("mathwb", appauthor=False))


def data_dir() -> Path:
    """Workspaces; worth a backup."""
    return _folder("data")


def config_dir() -> Path:
    """What the user has set."""
    return _folder("config")


def state_dir() -> Path:
    """Session, job index, logs, crash files: local to this machine."""
    return _folder("state")


def cache_dir() -> Path:
    """What can be made again."""
    return _folder("cache")


def config_file() -> Path:
    """The one settings file."""
    return config_dir() / "config.toml"


def default_workspace() -> Path:
    """The workspace used when none is named."""
    return data_dir() / "workspace"


def crash_dir() -> Path:
    """One file per unexpected failure."""
    return state_dir() / "crashes"
