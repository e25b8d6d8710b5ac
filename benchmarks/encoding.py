"""How fast expressions become vectors: batches of one length against the same encoder padded to 200 tokens.

    .venv/bin/python -m benchmarks.encoding [MODEL] [--data FILE|CORPUS] [--count 2000] [--runs 5]

Without MODEL the encoder has the sizes of the recipe `egen/cl-mean-small` and random weights; without data
the expressions are those of the templates. Four ways in turn, several times, and the median of each:
ours; random batches padded to the longest in each; random batches padded to the model's 200; and ours one
expression at a time. All give the same vectors, which is checked.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._record import Record, parser_of

BATCH = 64


def expressions(data: Path | None, count: int) -> list[str]:
    """Texts to encode, in random order."""
    from engines.egen.corpus.sources import templates
    from engines.egen.expressions.language import prefix
    from engines.egen.models.datasets import read_labelled

    found = list(read_labelled(data).texts) if data else [prefix(t.tree) for t in templates()]
    order = np.random.default_rng(0).permutation(len(found))[:count]
    return [found[place] for place in order]


def model_of(folder: Path | None) -> Any:
    """A model of ours."""
    import torch

    from engines.egen.models.model_folder import load_model
    from engines.egen.models.settings import ModelConfig
    from engines.egen.models.transformer import new_model

    if folder:
        return load_model(folder)
    torch.manual_seed(0)
    return new_model(ModelConfig(d_model=192, heads=6, ffn=768, layers=4)).eval()


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    about = {"model": arguments.model, "data": arguments.data, "count": arguments.count}
    kept = Record("encoding", arguments.out, **about)
    import torch

    from engines.egen.models.datasets import Sequences
    from engines.egen.models.encode import ModelEncoder
    from engines.egen.models.transformer import embed

    model, texts = model_of(arguments.model), expressions(arguments.data, arguments.count)
    encoder = ModelEncoder(model)
    rows = Sequences.of(texts, max_length=model.config.max_length)

    def in_turn(width: int | None, size: int = BATCH) -> np.ndarray:
        parts = []
        with torch.inference_mode():
            for begin in range(0, len(rows), size):
                batch = np.arange(begin, min(begin + size, len(rows)))
                parts.append(embed(model, torch.from_numpy(rows.padded(batch, width))).numpy())
        return np.concatenate(parts)

    ways: dict[str, Callable[[], np.ndarray]] = {
        "ours": lambda: encoder.encode(texts, normalise=False),
        "padded_to_longest": lambda: in_turn(None),
        "padded_to_200": lambda: in_turn(model.config.max_length),
        "one_at_a_time": lambda: in_turn(None, 1),
    }
    expected = ways["ours"]()
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(arguments.runs):
        for name, way in ways.items():
            began = time.perf_counter()
            found = way()
            seconds[name].append(time.perf_counter() - began)
            assert np.allclose(found, expected, atol=1e-4), f"{name} gives other vectors"
    median = {name: statistics.median(values) for name, values in seconds.items()}
    figures = {
        "expressions": len(texts),
        "mean_tokens": round(float(rows.lengths.mean()), 1),
        "parameters": sum(weights.numel() for weights in model.parameters()),
        "threads": torch.get_num_threads(),
        "runs": arguments.runs,
        **{f"{name}_expressions_per_s": round(len(texts) / value) for name, value in median.items()},
        "times_padded_to_200": round(median["padded_to_200"] / median["ours"], 2),
        "times_padded_to_longest": round(median["padded_to_longest"] / median["ours"], 2),
    }
    kept.write(figures, libraries=["torch", "numpy"])
    print(
        f"{figures['ours_expressions_per_s']:,} expressions/s: {figures['times_padded_to_200']} times padded "
        f"to 200, {figures['times_padded_to_longest']} times padded to the longest of a batch"
    )


if __name__ == "__main__":
    main()
