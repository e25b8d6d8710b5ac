"""Where the user's files live (`engines.core.system`)."""

from __future__ import annotations

from pathlib import Path

from engines.core.system import home_folder


def data_dir() -> Path:
    """Return the folder of the workspaces, which is worth a backup."""
    return home_folder("data")


def config_dir() -> Path:
    """Return the folder of what the user has set."""
    return home_folder("config")


def state_dir() -> Path:
    """Return the folder of session, job index, logs and crash files, which are local to this machine."""
    return home_folder("state")


def cache_dir() -> Path:
    """Return the folder of what can be made again."""
    return home_folder("cache")


def config_file() -> Path:
    """Return the path of the settings file."""
    return config_dir() / "config.toml"


def default_workspace() -> Path:
    """Return the folder of the workspace that is used if none is named."""
    return data_dir() / "workspace"


def crash_dir() -> Path:
    """Return the folder that gets one file per unexpected failure."""
    return state_dir() / "crashes"
