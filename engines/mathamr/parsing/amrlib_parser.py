"""amrlib's sequence-to-sequence parsers (parse_xfm), from a folder that the user has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engines.core.errors import DataError
from engines.mathamr.graph.amr import Graph, read_graph

__all__ = ["Amrlib"]

_TOKENIZERS = ("tokenizer.json", "spiece.model", "vocab.json")


class Amrlib:
    """A parse_xfm model. Nothing is fetched: the tokenizer's files lie in the folder too.

    Raises: DataError E355 for a folder that is no such model.
    """

    name = "amrlib"

    def __init__(self, folder: Path, device: str | None = None) -> None:
        self.model = _loaded(folder, device)

    def __call__(self, contexts: Sequence[str]) -> Iterator[Graph | None]:
        # What the decoder gives may be no graph; then the next best of its beams is taken, or none.
        for text in self.model.parse_sents(list(contexts), add_metadata=False):
            try:
                graph = None if text is None else read_graph(text)
            except DataError:
                graph = None
            empty = graph is None or not (graph.root.concept or graph.root.branches)
            yield None if empty else graph


def _loaded(folder: Path, device: str | None) -> Any:
    meta, config = _document(folder / "amrlib_meta.json"), _document(folder / "config.json")
    if ".parse_xfm." not in str(meta.get("inference_module")):
        kind = meta.get("inference_module") or "none"
        raise _unusable(folder, f"the folder's kind of parser is {kind}, not parse_xfm")
    if "parse_amr" not in (config.get("task_specific_params") or {}):
        raise _unusable(folder, "config.json has no task_specific_params.parse_amr")
    if not any((folder / name).exists() for name in _TOKENIZERS):
        raise _unusable(folder, "the folder has no tokenizer, and none is fetched")
    import torch
    from amrlib.models.parse_xfm.inference import Inference

    chosen = device or ("cuda:0" if torch.cuda.is_available() else "cpu")
    settings = {key: value for key, value in (meta.get("kwargs") or {}).items() if key != "device"}
    try:
        return Inference(str(folder), device=chosen, tok_name_or_path=str(folder), **settings)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise _unusable(folder, f"the model cannot be loaded: {str(error).splitlines()[0]}") from error


def _document(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _unusable(path.parent, f"{path.name} cannot be read") from error
    return found if isinstance(found, dict) else {}


def _unusable(folder: Path, what: str) -> DataError:
    return DataError(
        what,
        path=folder,
        code="E355",
        exit_code=3,
        remedy="A parse_xfm folder has amrlib_meta.json, config.json, weights, and its tokenizer's files.",
    )
