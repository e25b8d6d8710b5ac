"""Vectors of strings, kept with their ids."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg, refused
from engines.mathamr.choices import SomeEncoder

__all__ = ["EmbedStrings", "embed"]


@dataclass(frozen=True, slots=True)
class EmbedStrings:
    """Encode strings, as `mathamr represent` writes them."""

    file: Annotated[
        Path, Arg('Lines {"id": …, "string": …}, with the "kind" of the strings.', metavar="FILE")
    ]
    out: Annotated[Path, Arg("The folder to write: ids.json, vectors.npy.", option=True, writes=True)]
    encoder: SomeEncoder = "minilm"
    device: Annotated[str, Arg("auto, cpu or cuda.")] = "auto"


def embed(spec: EmbedStrings, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Write the vectors, unit rows in the order of the strings, whole or not at all.

    Returns: out, complete, strings, dimension, encoder. Events: a warning where an encoder of trees or graphs
    reads strings that do not say which representation they are, and of ids that occur again. Raises:
    DataError E317 for a row without id or string, E314 for a file without rows, EngineError E402 for another
    representation than the encoder reads, or several; and as `encoder`.
    """
    from engines.core.files import refuse_other, write_array
    from engines.mathamr.retrieval.encoding import open_encoder
    from engines.mathamr.rows import named_rows
    from engines.retrieval.stored import ABOUT, new_folder

    refuse_other(spec.out, ABOUT)
    found = list(named_rows(spec.file, "id", "string", name="id", events=events))
    kinds = {str(row.held.get("kind") or "") for row in found}
    if len(kinds) > 1:
        what = f"the strings of {spec.file.name} are of several representations: {', '.join(sorted(kinds))}"
        raise refused(what, "E402", "Encode each kind by itself.")
    (kind,) = kinds
    model = open_encoder(spec.encoder, spec.device, kind=kind or None)
    if not kind and (reads := getattr(model, "reads", None)):
        message = f"{spec.file} does not say which representation its strings are; {model.name} reads {reads}"
        events(Event("warning", {"message": message}))
    vectors = model.encode([row["string"] for row in found], events=events, stop=stop)
    if stop():
        return {"out": str(spec.out), "complete": False}
    about = {"encoder": model.name, "fingerprint": model.fingerprint, "dimension": model.dimension}
    with new_folder(spec.out, about) as draft:
        write_array(draft / "vectors.npy", vectors)
        (draft / "ids.json").write_text(json.dumps([row["id"] for row in found]), encoding="utf-8")
    return {"out": str(spec.out), "complete": True, "strings": len(found), **about}
