"""How much processor time the encoders that ship take in NumPy and with torch, and how far apart they are.

    .venv/bin/python -m benchmarks.encoders [--onnx]

The expressions are 2,000 of the sample corpus. Of three passes the quickest counts, in processor time, so
that what else runs on the machine matters little. `--onnx` also measures the transformer in ONNX Runtime, of
the packages onnx, onnxscript and onnxruntime, which are no dependencies.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks._record import Record, parser_of
from engines.core.system import asset
from engines.egen.corpus.folder import open_corpus
from engines.egen.models import numpy_encoders
from engines.egen.models.datasets import Sequences, is_usable, make_batches
from engines.egen.models.encode import load_encoder
from engines.egen.models.model_encoder import TOKENS_PER_BATCH

COUNT = 2_000


def expressions() -> list[str]:
    corpus = open_corpus(asset("sample/corpora/sample-e"))
    texts = [
        text
        for _, table in corpus.iterate_members()
        for text in table["prefix"].to_pylist()
        if is_usable(text, 200)
    ]
    random.Random(0).shuffle(texts)
    return texts[:COUNT]


def quickest(encode: Callable[[], Any]) -> tuple[float, Any]:
    """The processor time of the quickest of three passes, and what the last gave."""
    encode()
    spent = []
    for _ in range(3):
        begun = time.process_time()
        result = encode()
        spent.append(time.process_time() - begun)
    return round(min(spent), 3), result


def by_onnx(folder: Path, texts: list[str], place: Path) -> Callable[[], Any]:
    import onnxruntime  # type: ignore[import-not-found]
    import torch

    from engines.egen.models.model_folder import load_model
    from engines.egen.models.transformer import embed

    model = load_model(folder)

    class Embed(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return embed(self.model, ids)

    rows = Sequences.from_prefixes(texts, max_length=200)
    sizes = {0: torch.export.Dim("rows", max=8_192), 1: torch.export.Dim("length", min=3, max=200)}
    some = (torch.from_numpy(rows.pad_rows(range(8))),)
    torch.onnx.export(
        Embed(), some, str(place), input_names=["ids"], dynamic_shapes={"ids": sizes}, dynamo=True
    )
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(place, options, providers=["CPUExecutionProvider"])

    def encode() -> Any:
        result = np.zeros((len(rows), model.config.d_model), np.float32)
        for batch in make_batches(rows.lengths, TOKENS_PER_BATCH):
            result[batch] = session.run(None, {"ids": rows.pad_rows(batch)})[0]
        return result

    return encode


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--onnx", action="store_true", help="ONNX Runtime as well")
    given = parser.parse_args()
    record = Record("encoders", given.out, expressions=COUNT, onnx=given.onnx or None)
    texts = expressions()
    figures: dict[str, float] = {}
    with TemporaryDirectory() as place:
        for name, opened in (
            ("egen-cl-mean", numpy_encoders.model_encoder),
            ("egen-composed", numpy_encoders.composed_encoder),
        ):
            folder = asset(f"models/{name}")
            torch, plain = load_encoder(folder, device="cpu"), opened(folder)
            ways: dict[str, Callable[[], Any]] = {
                "torch": partial(torch.encode, texts, normalise=False),
                "numpy": partial(plain.encode, texts, normalise=False),
            }
            if given.onnx and name == "egen-cl-mean":
                ways["onnx"] = by_onnx(folder, texts, Path(place) / "model.onnx")
            vectors = {}
            for way, encode in ways.items():
                figures[f"{name}_{way}_s"], vectors[way] = quickest(encode)
                if way != "torch":
                    apart = np.abs(vectors[way] - vectors["torch"]).max()
                    figures[f"{name}_{way}_largest_difference"] = float(apart)
    for figure, value in figures.items():
        print(f"{figure:<45} {value:.3g}")
    record.write(figures, libraries=("numpy", "torch"))


if __name__ == "__main__":
    main()
