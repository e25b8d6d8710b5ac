"""Where the user's files live (`engines.core.system`)."""

from __future__ import annotations

from pathlib import Path

from engines.core.system import home_folder


def data_dir() -> Path:
    """Workspaces; worth a backup."""
    return home_folder("data")


def config_dir() -> Path:
    """What the user has set."""
    return home_folder("config")


def state_dir() -> Path:
    """Session, job index, logs, crash files: local to this machine."""
    return home_folder("state")


def cache_dir() -> Path:
    """What can be made again."""
    return home_folder("cache")


def config_file() -> Path:
    return config_dir() / "config.toml"


def default_workspace() -> Path:
    return data_dir() / "workspace"


def crash_dir() -> Path:
    """One file per unexpected failure."""
    return state_dir() / "crashes"
