"""What the command line and the screens share."""

from __future__ import annotations

from engines import __version__

__all__ = ["__version__"]
