"""What a run was made of, in a file beside it: settings, versions and hashes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from engines.core.files import sha256, write_note
from engines.core.spec import values

__all__ = ["made_by", "manifest_of", "write_manifest"]

_SHOWN = ("first", "model", "weight", "depth", "candidates")
_PACKAGES = ("mathwb", "faiss-cpu", "numpy", "torch", "transformers")


def manifest_of(run: Path) -> Path:
    """Where it lies: `RUN.json`."""
    return run.with_name(f"{run.name}.json")


def made_by(run: Path) -> str:
    """How a run was made, from what lies beside it: `arqmath.rank, first lexical + dense, weight 0.3`; empty
    where nothing does. Of a run that was changed since it says so."""
    try:
        document = json.loads(manifest_of(run).read_bytes())
        shown = [f"{name} {document['found'][name]}" for name in _SHOWN if document["found"].get(name)]
        words = ", ".join([str(document["operation"]), *shown])
        return words if document["run"]["sha256"] == sha256(run) else f"{words}; changed since"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return ""


def write_manifest(
    operation: str, spec: Any, run: Path, reads: Mapping[str, Iterable[Path]], found: Mapping[str, Any]
) -> None:
    """Write it, after the run. Raises: DataError E452 where another file is in its place.

    Args: operation: its name, `arqmath.rank`; with the settings of its `spec` it is the command. reads: the
    files that the run depends on, by what they serve as (of an index of answers its manifest, which has the
    hashes of all others). found: what the operation says of the run.
    """
    document = {
        "operation": operation,
        "settings": values(spec),
        "run": {"file": run.name, "sha256": sha256(run)},
        "reads": {
            name: [{"file": str(path), "sha256": sha256(path)} for path in paths]
            for name, paths in reads.items()
        },
        "found": dict(found),
        "versions": {name: metadata.version(name) for name in _PACKAGES},
    }
    write_note(manifest_of(run), document, "operation")
