"""Clipboard: through the terminal when it is remote (SSH), with the desktop's tool when here, else a file."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from engines.core.files import write_text

__all__ = ["copy", "is_remote"]

_TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    ("", ("pbcopy",)),
    ("", ("clip.exe",)),
)


def is_remote(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this terminal is at the other end of an SSH connection."""
    return bool(environment.get("SSH_CONNECTION") or environment.get("SSH_TTY"))


def copy(
    text: str,
    *,
    osc52: Callable[[str], None],
    fallback: Path,
) -> str:
    """Copy and say by which way: `through OSC 52`, `with xclip`, or `to <file>`.

    Args: osc52: sends the text to the terminal. fallback: the file for when there is no clipboard.
    Raises: DataError when even the file cannot be written.
    """
    if is_remote():
        osc52(text)
        return "through OSC 52"
    for variable, command in _TOOLS:
        if (variable and not os.environ.get(variable)) or not shutil.which(command[0]):
            continue
        try:
            subprocess.run(
                command,
                input=text.encode(),
                check=True,
                timeout=2,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, subprocess.SubprocessError):
            continue
        return f"with {command[0]}"
    fallback.parent.mkdir(parents=True, exist_ok=True)
    write_text(fallback, text)
    return f"to {fallback}"
