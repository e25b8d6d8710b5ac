"""A smaller folder of a pretrained encoder: fewer word pieces, fewer layers.

    .venv/bin/python -m benchmarks._smaller_encoder FOLDER OUT [--pieces 9000] [--layers 6]

FOLDER is a BERT with a Unigram tokenizer, as multilingual-e5-small is. Kept are special pieces, single
characters of ASCII, punctuation and CJK, and the most probable pieces of CJK and digits, until `--pieces` are
reached; the tokenizer's own probabilities choose them, and no text. Layers are taken at even distances, the
first and the last among them. The solver of Chinese problems begins with such a folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from pathlib import Path
from typing import Any

_TABLE = "embeddings.word_embeddings.weight"


def choose_pieces(vocabulary: list[list[Any]], count: int) -> list[int]:
    """Return the places of the pieces to keep, in their order.

    Args:
        vocabulary: Pieces with the logarithms of their probabilities, as in `tokenizer.json`.
        count: How many to keep.
    """

    def is_single(piece: str) -> bool:
        text = piece.removeprefix("▁")
        wide = len(text) == 1 and unicodedata.category(text)[0] in "PSN" and ord(text) < 0x3100
        return len(text) <= 1 and (text.isascii() or wide or "一" <= text <= "鿿")

    def is_useful(piece: str) -> bool:
        return all("一" <= letter <= "鿿" or letter in "▁0123456789.,%/()，。？、：；" for letter in piece)

    special = [at for at, (piece, score) in enumerate(vocabulary) if score == 0.0 or piece == "<unk>"]
    others = sorted(set(range(len(vocabulary))).difference(special), key=lambda at: -vocabulary[at][1])
    single = [at for at in others if is_single(vocabulary[at][0])]
    useful = [at for at in others if is_useful(vocabulary[at][0])]
    kept = dict.fromkeys([*special, *(at for at in single if vocabulary[at][0].isascii())])
    for at in sorted({*single, *useful}, key=lambda at: -vocabulary[at][1]):
        if len(kept) >= count:
            break
        kept.setdefault(at)
    return sorted(kept)


def choose_layers(total: int, count: int) -> list[int]:
    """Return the places of the layers to keep, evenly spread from the first to the last.

    >>> choose_layers(12, 6)
    [0, 2, 4, 7, 9, 11]
    """
    if count >= total:
        return list(range(total))
    return [round(place * (total - 1) / max(1, count - 1)) for place in range(count)]


def shrink_encoder(source: Path, out: Path, *, pieces: int, layers: int) -> None:
    """Write the smaller folder; `source` stays as it is."""
    from safetensors.numpy import load_file, save_file

    tokenizer = json.loads((source / "tokenizer.json").read_text("utf-8"))
    config = json.loads((source / "config.json").read_text("utf-8"))
    weights = load_file(source / "model.safetensors")
    kept = choose_pieces(tokenizer["model"]["vocab"], pieces)
    position = {old: new for new, old in enumerate(kept)}
    tokenizer["model"]["vocab"] = [tokenizer["model"]["vocab"][at] for at in kept]
    tokenizer["model"]["unk_id"] = position[tokenizer["model"]["unk_id"]]
    for token in tokenizer["added_tokens"]:
        token["id"] = position[token["id"]]
    for token in tokenizer["post_processor"].get("special_tokens", {}).values():
        token["ids"] = [position[at] for at in token["ids"]]
    weights[_TABLE] = weights[_TABLE][kept]
    chosen = choose_layers(config["num_hidden_layers"], layers)
    smaller = {name: rows for name, rows in weights.items() if not name.startswith("encoder.layer.")}
    for new, old in enumerate(chosen):
        begin = f"encoder.layer.{old}."
        for name, rows in weights.items():
            if name.startswith(begin):
                smaller[f"encoder.layer.{new}.{name.removeprefix(begin)}"] = rows
    config |= {"vocab_size": len(kept), "num_hidden_layers": len(chosen)}
    config["pad_token_id"] = position[config["pad_token_id"]]
    # On a CPU in bf16 the fused attention has a slow backward pass, and dropout of its weights costs as much
    # again: a training step takes 1.05 s instead of 1.3.
    config |= {"attn_implementation": "eager", "attention_probs_dropout_prob": 0.0}
    out.mkdir(parents=True)
    save_file(smaller, out / "model.safetensors", metadata={"format": "pt"})
    (out / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False), "utf-8")
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")
    (out / "tokenizer_config.json").write_bytes((source / "tokenizer_config.json").read_bytes())
    total = sum(rows.size for rows in smaller.values())
    print(f"{out}: {len(kept):,} word pieces, {len(chosen)} layers, {total / 1e6:.1f} M weights")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--pieces", type=int, default=9000)
    parser.add_argument("--layers", type=int, default=6)
    given = parser.parse_args()
    if given.out.exists():
        sys.exit(f"{given.out} exists already; name a new folder.")
    shrink_encoder(given.folder, given.out, pieces=given.pieces, layers=given.layers)


if __name__ == "__main__":
    main()
