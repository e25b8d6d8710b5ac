"""Encoders of formulas: of their strings, or of their operator trees."""

from __future__ import annotations

from pathlib import Path

from engines.retrieval.encoders import StoredEncoder, encoder

__all__ = ["formula_string", "open_encoder"]


def open_encoder(which: str, device: str = "auto") -> StoredEncoder:
    """An encoder by name or folder: a sentence encoder, or one of operator trees, which reads LaTeX.

    The last one is kept open until its folder changes. Raises: DataError as `encoder` and `TreeEncoder`.
    """
    from engines.mathamr.training.tree_model import TreeEncoder, is_tree_encoder

    folder = Path(which).expanduser()
    weights = folder / "model.safetensors"
    key = (which, device, weights.stat().st_mtime_ns if weights.is_file() else 0)
    if key not in _OPENED:
        _OPENED.clear()
        trees = is_tree_encoder(folder)
        _OPENED[key] = TreeEncoder(folder, device) if trees else encoder(which, device=device)
    return _OPENED[key]


_OPENED: dict[tuple[str, str, int], StoredEncoder] = {}


def formula_string(model: StoredEncoder, latex: str) -> str:
    """What an encoder reads of a formula alone: its LaTeX, or the string of its operator tree."""
    from engines.mathamr.retrieval.strings import tree_string
    from engines.mathamr.training.tree_model import TreeEncoder

    return latex if isinstance(model, TreeEncoder) else tree_string(latex)
