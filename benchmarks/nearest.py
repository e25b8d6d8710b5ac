"""Processor time of looking for neighbours in a corpus that has no vectors yet, and in one that has.

    .venv/bin/python -m benchmarks.nearest assets/models/egen-both

The corpus is the one that ships; it is encoded as a large one is, in 16 bits, and as a small one, in 32.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks._record import Record, parser_of
from engines.egen.models import encode, vectors
from engines.egen.models.datasets import sample_corpus


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("model", type=Path)
    arguments = parser.parse_args()
    model = arguments.model
    kept = Record("nearest", arguments.out, model=model)
    encode.kept_encoder(model).encode(["sin x"])
    figures: dict[str, object] = {}
    found = []
    for name, many in (("in_16_bits", 0), ("in_32_bits", 1 << 40)):
        encode.MANY = many
        vectors._open.clear()
        with tempfile.TemporaryDirectory() as cache:
            began = time.process_time()
            pool = vectors.pool(model, sample_corpus(), "all", cache=Path(cache))
            figures[f"{name}_ms_per_expression"] = 1e3 * (time.process_time() - began) / len(pool.vectors)
            found.append(np.array(pool.vectors))
            began = time.process_time()
            vectors.pool(model, sample_corpus(), "all", cache=Path(cache))
            figures[f"{name}_again_s"] = time.process_time() - began
    figures["expressions"] = len(found[0])
    figures["least_cosine_of_both"] = float((found[0] * found[1]).sum(axis=1).min())
    for key, value in figures.items():
        print(f"{key:32}{value}")
    kept.write(figures, libraries=["torch", "numpy"])


if __name__ == "__main__":
    main()
