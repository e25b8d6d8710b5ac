r"""LaTeX tokens for the vocabulary of a language model (Reusch, Thiele and Lehner 2022).

A tokenizer of everyday text splits `\frac` into pieces. The list here is derived, not copied: the symbols of
standard LaTeX, amsmath and amssymb, ranked by how often ARQMath's formulas use them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from engines.core.assets import asset
from engines.core.errors import EngineError
from engines.formula.symbols import symbols

__all__ = ["SIZE", "add_latex_tokens", "derive", "latex_tokens"]

SIZE = 540
"""Length of the list; the vocabulary of BERT lacks about 500 of it."""

_NOT_STANDARD = "macros"
_ENVIRONMENT = re.compile(r"\\begin\s*\{([A-Za-z]+\*?)\}")
_TOKEN = re.compile(r"\\(?:[A-Za-z]+|\s|.)|[^\w\s\\]|[_\\]", re.DOTALL)


def derive(formulas: Iterable[str], *, size: int = SIZE) -> list[tuple[str, int]]:
    """The standard symbols by their number of occurrences in formulas, at most `size` of them.

    Equally frequent ones keep the order of the symbol table, so that those that a small collection never
    uses fill the end of the list.
    """
    counts: Counter[str] = Counter()
    for latex in formulas:
        counts.update(_TOKEN.findall(latex))
        if "\\begin" in latex:
            counts.update(_ENVIRONMENT.findall(latex))
    standard = [name for name, symbol in symbols().items() if symbol.group != _NOT_STANDARD]
    ranked = sorted(standard, key=lambda name: -counts[name])
    return [(name, counts[name]) for name in ranked[:size]]


@cache
def latex_tokens() -> tuple[str, ...]:
    """The shipped list, most frequent first, derived from the formulas of ARQMath's mini collection."""
    lines = asset("latex/tokens.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(line.split("\t")[0] for line in lines[1:])


def add_latex_tokens(tokenizer: Any, model: Any | None = None) -> int:
    r"""Add the list to a fast tokenizer, so that every token stays whole and keeps its case.

    Added tokens are looked for before the text is lower-cased: `\Gamma` and `\gamma` stay apart in every
    tokenizer. Names of environments count as whole words only. `model` gets rows for the new tokens in its
    embeddings; each begins as the mean of the pieces that the tokenizer cut the token into before. Returns:
    how many were new.

    Raises: EngineError for a slow tokenizer, which handles added tokens otherwise.
    """
    from transformers import AddedToken

    if not tokenizer.is_fast:
        raise EngineError(
            "LaTeX tokens need a fast tokenizer",
            code="E361",
            exit_code=2,
            remedy="Save the model with its tokenizer.json.",
        )
    known = tokenizer.get_vocab()
    missing = [token for token in latex_tokens() if token not in known]
    pieces = [tokenizer(token, add_special_tokens=False)["input_ids"] for token in missing]
    count = tokenizer.add_tokens(
        [AddedToken(token, normalized=False, single_word=token[0].isalpha()) for token in missing]
    )
    if model is not None:
        if model.get_input_embeddings().num_embeddings < len(tokenizer):
            model.resize_token_embeddings(len(tokenizer))
        places = tokenizer.convert_tokens_to_ids(missing)
        _begin(model, {place: ids for place, ids in zip(places, pieces, strict=True) if ids})
    return count


def _begin(model: Any, pieces: Mapping[int, Sequence[int]]) -> None:
    """Set the rows of new tokens, and of what predicts them, to the mean of the rows of their pieces."""
    import torch

    head = model.get_output_embeddings()
    tables = [model.get_input_embeddings().weight, *([] if head is None else [head.weight, head.bias])]
    with torch.no_grad():
        for table in {id(table): table for table in tables if table is not None}.values():
            for place, ids in pieces.items():
                table[place] = table[torch.tensor(ids, device=table.device)].mean(0)
