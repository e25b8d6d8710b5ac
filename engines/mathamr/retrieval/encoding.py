"""Encoders of formulas: of their strings, of their operator trees, or of their graphs."""

from __future__ import annotations

from pathlib import Path

from engines.core.spec import refused
from engines.mathamr.rows import Representation
from engines.retrieval.encoders import StoredEncoder, encoder


def open_encoder(which: str, device: str = "auto", *, kind: str | None = None) -> StoredEncoder:
    """An encoder by name or folder: a sentence encoder, or one of operator trees, which reads LaTeX, or of
    MathAMR graphs.

    The last one is kept open until its folder changes. Args: kind: the representation that it is to read.
    Raises: DataError as `encoder` and `StructureEncoder`, EngineError E402 for one that reads another.
    """
    from engines.mathamr.training.structure_model import StructureEncoder, is_structure_encoder

    folder = Path(which).expanduser()
    weights = folder / "model.safetensors"
    key = (which, device, weights.stat().st_mtime_ns if weights.is_file() else 0)
    if key not in _OPENED:
        _OPENED.clear()
        structures = is_structure_encoder(folder)
        _OPENED[key] = StructureEncoder(folder, device) if structures else encoder(which, device=device)
    found = _OPENED[key]
    if kind is not None and isinstance(found, StructureEncoder) and found.reads != kind:
        what = f"the encoder {found.name} reads the representation {found.reads}, not {kind}"
        raise refused(what, "E402", f"Take --kind {found.reads}, or another encoder.")
    return found


_OPENED: dict[tuple[str, str, int], StoredEncoder] = {}


def formula_string(model: StoredEncoder, latex: str) -> str:
    """What an encoder reads of a formula alone: its LaTeX, its graph, or the string of its operator tree."""
    from engines.mathamr.retrieval.strings import alone, represented
    from engines.mathamr.training.structure_model import StructureEncoder

    kind: Representation = model.reads if isinstance(model, StructureEncoder) else "opt"
    return represented(kind, "0", {"0": latex}, amr=alone("0"))
