"""Drawings as files: SVG, or PNG that cairo paints of it."""

from __future__ import annotations

from pathlib import Path

from engines.core.files import write_bytes, write_text
from engines.core.spec import refused

__all__ = ["check_drawing", "write_drawing"]

_WAYS = (".svg", ".png")


def check_drawing(path: Path | None) -> None:
    """Raises: EngineError E430 for a name that ends otherwise."""
    if path is not None and path.suffix not in _WAYS:
        raise refused(f"{path.name} is neither {' nor '.join(_WAYS)}", "E430", "Choose another name.")


def write_drawing(path: Path, svg: str, *, width: int) -> None:
    """Write a drawing as the file's name ends. Args: width: of a PNG, in pixels."""
    if path.suffix == ".svg":
        write_text(path, svg)
        return
    import cairosvg  # type: ignore[import-untyped]

    write_bytes(path, cairosvg.svg2png(svg.encode(), output_width=width))
