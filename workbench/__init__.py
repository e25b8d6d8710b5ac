"""What the command line and the screens share."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
