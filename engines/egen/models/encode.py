"""From expressions to vectors: by a model of ours, or any sentence-transformers folder as a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.hashing import cache_by_file_state, file_stamp
from engines.core.model_checks import read_config
from engines.core.system import has_torch, torch_device
from engines.egen.composed.network import KIND, ComposedEncoder, load_network
from engines.egen.models.datasets import is_usable
from engines.egen.models.model_encoder import ModelEncoder
from engines.egen.models.model_folder import load_model, shipped_models, unopened_error
from engines.retrieval.dense import Vectors, normalize_rows

if TYPE_CHECKING:
    from engines.retrieval.encoders import Encoder


MANY = 20_000
"""More expressions than this are encoded in 16 bits by `encode_many`, where the processor is faster so."""
_ANY_LENGTH = 10**6
JOINED = "egen-joined"
"""Model type of a folder whose `config.json` names its parts: folders within it, or models that ship, as
`{"model_type": "egen-joined", "egen": {"parts": ["egen-cl-mean", "egen-composed"]}}`."""
_UNSAFE = ("*.bin", "*.pt", "*.pth", "*.pkl", "*.pickle", "*.ckpt")


class JoinedEncoder:
    """Several encoders as one `Encoder`: their vectors side by side, each of length 1, so that a cosine is
    the mean of theirs.

    Args: max_length: what the one that reads least can read, in tokens of training notation.
    """

    def __init__(self, encoders: Sequence[Encoder], name: str, max_length: int) -> None:
        self.encoders, self.name, self.max_length = tuple(encoders), name, max_length
        self.dimension = sum(encoder.dimension for encoder in encoders)

    def encode(
        self,
        texts: Sequence[str],
        *,
        normalise: bool = True,  # noqa: ARG002  # they are of length 1
        half: bool = False,
        events: Sink = ignore,
        stop: Stop = never,
    ) -> Vectors:
        """Encode expressions as `Encoder.encode` does, with the vectors of all parts joined.

        A part that cannot read an expression has zeros there.

        Args:
            half: As parts take it that are models of E-Gen.
        """
        results = [
            encoder.encode(texts, half=half, events=events, stop=stop)
            if isinstance(encoder, ModelEncoder)
            else encoder.encode(texts, events=events, stop=stop)
            for encoder in self.encoders
        ]
        return normalize_rows(np.concatenate(results, axis=1))


def list_parts(folder: Path) -> list[Path]:
    """Return the folders that a joined model is made of; the folder itself where it is none."""
    try:
        document = read_config(folder)
        if document["model_type"] != JOINED:
            return [folder]
    except (OSError, ValueError, KeyError):
        return [folder]
    shipped = {model.name: model for model in shipped_models()}
    own = {path.name: path for path in folder.iterdir() if path.is_dir()}
    try:
        names = [str(name) for name in document["egen"]["parts"]]
    except (KeyError, TypeError) as error:
        raise unopened_error(folder, "its config.json names no parts") from error
    missing = [name for name in names if name not in own and name not in shipped]
    if missing or not names:
        raise unopened_error(
            folder, f"its part {missing[0]!r} is not there" if missing else "it has no parts"
        )
    return [own.get(name) or shipped[name] for name in names]


def longest_input(encoder: Encoder) -> int:
    """Return the longest expression that an encoder takes, in tokens of training notation. One of text takes
    any, and cuts what is too long for it.
    """
    return encoder.max_length if isinstance(encoder, ModelEncoder | JoinedEncoder) else _ANY_LENGTH


def encode_readable(
    encoder: Encoder, texts: Sequence[str | None], *, events: Sink = ignore, stop: Stop = never
) -> Vectors:
    """Return (texts, dimension), not normalised, with a row of nan for None and for what it cannot read,
    which is done from the start.
    """
    most = longest_input(encoder)
    kept = {index: text for index, text in enumerate(texts) if text and is_usable(text, most)}
    left = len(texts) - len(kept)

    def report_event(event: Event) -> None:
        done = left + int(str(event.data["done"]))
        events(replace(event, data={**event.data, "done": done, "total": len(texts)}))

    report_event(Event("progress", {"done": 0, "unit": "expressions"}))
    result = np.full((len(texts), encoder.dimension), np.nan, np.float32)
    result[list(kept)] = encoder.encode(list(kept.values()), normalise=False, events=report_event, stop=stop)
    return result


def encode_many(
    encoder: Encoder,
    texts: Sequence[str],
    *,
    of: int | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> Vectors:
    """Return (texts, dimension), unit vectors for looking up; `MANY` by a model of ours in 16 bits.

    Args:
        of: How many there are in all, where these are a part.
    """
    if (of or len(texts)) > MANY and isinstance(encoder, ModelEncoder | JoinedEncoder):
        return encoder.encode(texts, half=True, events=events, stop=stop)
    return encoder.encode(texts, events=events, stop=stop)


@cache_by_file_state(
    2, lambda folder: tuple(file_stamp(part / "model.safetensors") for part in list_parts(folder))
)
def cached_encoder(folder: Path) -> Encoder:
    """Load an encoder as `load_encoder` does, and keep it loaded until the weights change."""
    return load_encoder(folder)


def load_encoder(folder: Path, *, device: str = "auto") -> Encoder:
    """Return the encoder of a model folder.

    Args:
        device: Auto takes a GPU where there is one.

    Raises:
        DataError: E642 for a folder that holds no model, E643 for weights that only unpickling would read.
    """

    device = torch_device(device)
    result = list_parts(folder)
    if result == [folder]:
        return _load_encoder(folder, device)
    encoders = [_load_encoder(part, device) for part in result]
    return JoinedEncoder(encoders, folder.name, min(map(longest_input, encoders)))


def _load_encoder(folder: Path, device: str) -> Encoder:
    config = folder / "config.json"
    document: dict[str, object] = {}
    if config.exists():
        try:
            document = read_config(folder)
        except (OSError, ValueError) as error:
            raise unopened_error(folder, "its config.json cannot be read") from error
    # Without torch, the program's own models are evaluated with NumPy.
    composed = document.get("model_type") == KIND
    if (composed or "egen" in document) and not has_torch():
        from engines.egen.models import numpy_encoders as ours

        return ours.composed_encoder(folder) if composed else ours.model_encoder(folder)
    if composed:
        return ComposedEncoder(load_network(folder), folder.name, device=device)
    if "egen" in document or not (folder / "modules.json").exists():
        return ModelEncoder(load_model(folder), folder.name, device=device)
    # Pickled weights can run code when they are loaded, so only safetensors are accepted.
    unsafe = [path.name for pattern in _UNSAFE for path in folder.rglob(pattern)]
    if unsafe and not list(folder.rglob("*.safetensors")):
        what = f"its weights are in {unsafe[0]}, which can only be read by running code in it"
        raise DataError(what, path=folder, code="E643", remedy="Save the model with safetensors.")
    from engines.retrieval.encoders import encoder

    try:
        return encoder(folder, device=device)
    except DataError as error:
        raise unopened_error(folder, error.what, error.remedy) from error
