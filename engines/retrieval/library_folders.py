"""Opening of a folder by the sentence-transformers library: whole, from safetensors, never fetched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from engines.core.errors import DataError, unloadable
from engines.core.files import file_error

Kind = Literal["SentenceTransformer", "SparseEncoder", "MultiVectorEncoder"]
"""Classes of the library: dense, sparse (SPLADE) and late interaction (ColBERT)."""


def library_model(kind: Kind, folder: Path, device: str, remedy: str, code: str = "E663") -> tuple[Any, Path]:
    """The model of a folder, and where its language model lies.

    Args: remedy: which folder to name instead.
    Raises: DataError E312 where there is no folder, `code` for one that the library cannot open, or whose
    weights are not all there: the library would draw them at random.
    """
    if not folder.is_dir():
        raise file_error(FileNotFoundError(2, "no such folder"), folder, "read")
    import sentence_transformers
    import transformers

    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()  # it reports missing weights, as this does
    modules = folder / "modules.json"
    try:
        model = getattr(sentence_transformers, kind)(
            str(folder), device=device, local_files_only=True, model_kwargs={"use_safetensors": True}
        )
        place = folder / (json.loads(modules.read_bytes())[0]["path"] if modules.exists() else "")
        # Asked again without data, transformers names what is missing.
        _, loading = type(model[0].auto_model).from_pretrained(
            str(place), local_files_only=True, device_map="meta", output_loading_info=True
        )
    except Exception as error:  # the library raises whatever the fault happens to lead to
        whole = "Copy the folder again, whole; weights must be safetensors."
        raise model_error(folder, *unloadable("the model cannot be loaded", error, whole), code) from error
    missing = sorted(name for name in loading["missing_keys"] if "pooler" not in name)
    if missing:
        what = f"the weights do not fit the model: {len(missing)} are missing, as {missing[0]}"
        raise model_error(folder, what, remedy, code)
    return model, place


def model_error(folder: Path, what: str, remedy: str, code: str = "E663") -> DataError:
    """The error for a folder whose model is not what is asked for."""
    return DataError(what, path=folder, code=code, remedy=remedy)
