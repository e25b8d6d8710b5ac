"""The clipboard: OSC 52 to the terminal, a program of the desktop, and a file."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

from engines.core.files import write_text
from workbench.config import is_remote

# The variable of the environment that a program needs, and its command. The first that works is used.
_TOOLS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("WAYLAND_DISPLAY", ("wl-copy",)),
    ("DISPLAY", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", ("xsel", "--clipboard", "--input")),
    ("", ("pbcopy",)),
    ("", ("clip.exe",)),
)


def copy_text(text: str, *, osc52: Callable[[str], None], file: Path) -> str:
    """Copy a text by every available way.

    Nobody can know which way the user's clipboard listens to, so the text goes to the terminal, to a
    desktop program, and to a file.

    Args:
        text: what to copy.
        osc52: sends the text to the terminal.
        file: the file that gets the text.

    Returns:
        What was done, as words for a message.

    Raises:
        DataError: The file cannot be written; the text has been sent to the terminal by then.
    """
    osc52(text)
    ways = ["to the terminal", *(f"with {name}" for name in _copy_with_desktop(text))]
    write_text(file, text)
    return f"{' and '.join(ways)}, and to {file}"


def _copy_with_desktop(text: str) -> Iterator[str]:
    """Copy with the first program of the desktop that does it, and name that."""
    # The desktop of the machine at the other end is not the user's.
    if is_remote():
        return
    for variable, command in _TOOLS:
        if (variable and not os.environ.get(variable)) or not shutil.which(command[0]):
            continue
        quiet = subprocess.DEVNULL
        try:
            # Two seconds: a program that waits for its display would block for ever.
            subprocess.run(command, input=text.encode(), check=True, timeout=2, stdout=quiet, stderr=quiet)
        except (OSError, subprocess.SubprocessError):
            continue
        yield command[0]
        return
