"""Where the terminal is."""

from __future__ import annotations

import os
from collections.abc import Mapping

__all__ = ["is_remote"]


def is_remote(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this terminal is at the other end of an SSH connection."""
    return bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))
