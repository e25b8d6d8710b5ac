"""Checks of models that somebody else made: what their files say before anything is built of them, and what
they give."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import DataError
from engines.core.system import format_bytes

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor, nn


def check_finite(numbers: NDArray[Any], model: str, what: str = "vector") -> None:
    """Refuse what a model whose training diverged gives: figures that are made of it look like others.

    Every encoder and every scorer calls this where it returns.

    Raises:
        DataError: E346.
    """
    import numpy as np

    if not np.isfinite(numbers).all():
        raise _not_finite(f"a {what} of the model {model} is not a finite number")


def check_weights(network: nn.Module, model: str) -> None:
    """Refuse weights that are no numbers, for models that write: a text does not show it.

    Raises:
        DataError: E346.
    """
    for name, weights in network.named_parameters():
        if not weights.isfinite().all():
            raise _not_finite(f"the weights {name} of the model {model} are not all finite numbers")


def _not_finite(what: str) -> DataError:
    remedy = (
        "Its training may have diverged: choose another checkpoint. If numbers of 16 bits are too small for "
        "it, compute in single precision (--exact)."
    )
    return DataError(what, code="E346", remedy=remedy)


# A config.json can ask for any size. A library builds first what it says and reads the weights then, so the
# sizes are compared with what the weights' own headers say, which takes milliseconds.

_ANY_SIZE = 4_096
"""Sizes up to this cost nothing, whatever the weights are."""
# A number of layers up to this one is plausible, whatever the weights are.
_ANY_LAYERS = 64
_ANY_LENGTH = 2**24
"""Positions, of which some models make a table that is not among their weights."""
_SIZES = re.compile(
    r"(?:^|_)(?:size|dim|dimension|features|channels|width|embd|embedding|rank|model|ff|ffn|heads?|groups|experts)"
    r"(?:_|$)"
)
_LENGTHS = re.compile(r"(?:^|_)(?:positions?|length|seq|ctx)(?:_|$)")
_LAYERS = re.compile(r"(?:^|_)(?:layers?|blocks)(?:_|$)")
_STACK = re.compile(r"(?:^|\.)(?:layers?|blocks?|h)\.(\d+)\.")
_TOKENIZER_FILES = ("*.json", "*.txt", "*.model")
"""What tokenizers are made of: `tokenizer.json`, `vocab.txt`, `merges.txt`, `spiece.model` and others."""
_TOKEN_BYTES = 1_024
"""A token takes 30 to 130 bytes in the files of known models, with the merges that make it."""
# A tokenizer of this size is harmless for any model; without weights to compare with, more is allowed.
_ANY_TOKENIZER_BYTES = 8 << 20
_NO_WEIGHTS_BYTES = 128 << 20
_CORE = (
    "vocab_size",
    "hidden_size",
    "d_model",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
)
"""What no model has 0 or fewer of."""


def read_config(folder: Path) -> dict[str, Any]:
    """Return the `config.json` of a model folder.

    Raises:
        OSError: .
        ValueError: Where it holds no table.
    """
    result = json.loads((folder / "config.json").read_bytes())
    if not isinstance(result, dict):
        raise ValueError("config.json holds no table of settings")
    return result


def check_model_folder(folder: Path) -> None:
    """Compare the sizes in a folder's `config.json`, and in those of its parts, with the weights beside them,
    and what these take with the memory.

    Raises:
        OSError and ValueError: With what is wrong; whatever safetensors raises for a damaged header.
    """
    needed = 0
    for config in sorted((folder, *(path.parent for path in folder.glob("[0-9]*_*/config.json")))):
        if (config / "config.json").exists():
            document = read_config(config)
            shapes = _stored_shapes(config)
            if shapes:
                check_sizes(document, shapes)
            needed += 4 * sum(math.prod(shape) for shape in shapes.values())
            check_tokenizer(config)
    import psutil

    free = psutil.virtual_memory().available
    if needed > free:
        raise ValueError(
            f"it takes {format_bytes(needed)} in single precision,"
            f" and {format_bytes(free)} of memory are free"
        )


def check_tokenizer(folder: Path) -> None:
    """Compare the sizes of a tokenizer's files with the number of tokens that the weights beside it know,
    before a library reads the files whole.

    Raises: OSError; ValueError; whatever safetensors raises for a damaged header.
    """
    rows = max((side for shape in _stored_shapes(folder).values() for side in shape), default=0)
    most = max(_TOKEN_BYTES * rows, _ANY_TOKENIZER_BYTES) if rows else _NO_WEIGHTS_BYTES
    for pattern in _TOKENIZER_FILES:
        for path in sorted(folder.glob(pattern)):
            size = path.stat().st_size
            if size > most:
                tokens = f" for the {rows:,} tokens of the weights" if rows else ""
                raise ValueError(
                    f"{path.name} is {format_bytes(size)}, and a tokenizer{tokens} takes"
                    f" {format_bytes(most)} at most"
                )


def check_shapes(cls: Any, folder: Path, **changes: Any) -> None:
    """Compare the weights of a folder with what a class of the library transformers makes of its
    `config.json`, which takes no memory.

    Raises:
        ValueError: Whatever the library raises.
    """
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        _, loading = cls.from_pretrained(
            str(folder),
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            device_map="meta",
            output_loading_info=True,
            ignore_mismatched_sizes=True,
            **changes,
        )
    finally:
        logging.set_verbosity(level)
    # The library reports such weights instead of raising an error, so the first one is named here.
    for name, stored, described in sorted(loading["mismatched_keys"]):
        own, wanted = ("×".join(map(str, shape)) for shape in (stored, described))
        raise ValueError(f"the weights {name} are {own} numbers, and config.json describes {wanted}")


def check_fit(make: Callable[[], nn.Module], stored: Mapping[str, Tensor]) -> None:
    """Compare the sizes of a network with those of its weights before it is built: it is made without memory.

    Raises: ValueError.
    """
    import torch

    with torch.device("meta"):
        wanted = make().state_dict()
    for name, weights in wanted.items():
        if name not in stored or stored[name].shape != weights.shape:
            raise ValueError(f"the weights {name} are missing, or of another size than described")


def _stored_shapes(folder: Path) -> dict[str, list[int]]:
    """Return the shapes of the weights in a folder, by their names; empty where it has none in
    safetensors.
    """
    from safetensors import safe_open

    result: dict[str, list[int]] = {}
    whole = folder / "model.safetensors"
    for path in [whole] if whole.exists() else sorted(folder.glob("*.safetensors")):
        with safe_open(path, "np") as file:
            result |= {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
    return result


def check_sizes(config: Mapping[str, Any], shapes: Mapping[str, Sequence[int]]) -> None:
    """Compare the sizes that a table of settings names with the shapes of weights. Raises: ValueError."""
    largest = max((side for shape in shapes.values() for side in shape), default=0)
    layers = []
    for name, value in _integers(config):
        own = name.rpartition(".")[2]
        if own in _CORE and value < 1:
            raise ValueError(f"{name} is {value:,}")
        if _LAYERS.search(own):
            # Each layer has at least one weight of its own, so there cannot be more layers than weights.
            most = max(len(shapes), _ANY_LAYERS)
            layers.append(value)
        elif _LENGTHS.search(own):
            most = _ANY_LENGTH
        elif _SIZES.search(own):
            # No size can be larger than the longest side of a weight.
            most = max(largest, _ANY_SIZE)
        else:
            continue
        if value > most:
            raise ValueError(f"{name} is {value:,}, and the weights are not of that size")
    # Names such as `layers.11.weight` number the layers that the weights are for.
    stacked = max((int(match[1]) + 1 for one in shapes if (match := _STACK.search(one))), default=0)
    if layers and stacked > sum(layers):
        raise ValueError(f"{sum(layers):,} layers are described, and the weights are of {stacked:,}")


def _integers(config: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, int]]:
    """Yield the whole numbers of a config and of the tables in it, by dotted names."""
    for name, value in config.items():
        if isinstance(value, dict):
            yield from _integers(value, f"{before}{name}.")
        elif isinstance(value, int) and not isinstance(value, bool):
            yield f"{before}{name}", value
