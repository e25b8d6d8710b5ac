"""Encoders joined to one: their vectors side by side, each of length 1; a cosine is the mean of theirs.

A folder with a `config.json` alone names its parts: folders within it, or models that ship.

    {"model_type": "egen-joined", "egen": {"parts": ["egen-cl-mean", "egen-composed"]}}
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engines.core.events import Sink, Stop, ignore, never
from engines.egen.models.lookup import shipped_models
from engines.egen.models.model_folder import unopened
from engines.retrieval.dense import Vectors, unit

if TYPE_CHECKING:
    from engines.retrieval.encoders import Encoder


KIND = "egen-joined"


class JoinedEncoder:
    """Several encoders as one `Encoder`; its vectors have length 1 in any case.

    Args: max_length: what the one that reads least can read, in tokens of training notation.
    """

    def __init__(self, encoders: Sequence[Encoder], name: str, max_length: int) -> None:
        self.encoders, self.name, self.max_length = tuple(encoders), name, max_length
        self.dimension = sum(each.dimension for each in encoders)

    def encode(
        self,
        texts: Sequence[str],
        *,
        normalise: bool = True,  # noqa: ARG002  # they are of length 1
        half: bool = False,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> Vectors:
        """As `Encoder.encode`; a row that one of them did not reach is zero there.

        Args: half: as parts take it that are models of E-Gen.
        """
        from engines.egen.models.encode import ModelEncoder

        found = [
            each.encode(texts, half=half, events=events, stop=stop)
            if isinstance(each, ModelEncoder)
            else each.encode(texts, events=events, stop=stop)
            for each in self.encoders
        ]
        return unit(np.concatenate(found, axis=1))


def parts(folder: Path) -> list[Path]:
    """The folders that a joined model is made of; the folder itself where it is none.

    Raises: DataError E642 for one whose parts are not there.
    """
    try:
        document = json.loads((folder / "config.json").read_bytes())
        if document["model_type"] != KIND:
            return [folder]
    except (OSError, ValueError, KeyError, TypeError):
        return [folder]
    shipped = {model.name: model for model in shipped_models()}
    own = {place.name: place for place in folder.iterdir() if place.is_dir()}
    try:
        names = [str(name) for name in document["egen"]["parts"]]
    except (KeyError, TypeError) as error:
        raise unopened(folder, "its config.json names no parts") from error
    missing = [name for name in names if name not in own and name not in shipped]
    if missing or not names:
        raise unopened(folder, f"its part {missing[0]!r} is not there" if missing else "it has no parts")
    return [own.get(name) or shipped[name] for name in names]
