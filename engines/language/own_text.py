"""Sentences of our own with their trees: questions and commands, which a treebank of news and letters lacks.

`assets/language/own.txt` holds them as templates; a word of a list stands for its sign wherever it occurs.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from engines.core.assets import asset
from engines.core.errors import DataError
from engines.core.files import read_lines
from engines.language.treebank import Sentence

__all__ = ["own_sentences"]


def own_sentences(random: Random, times: int) -> Iterator[Sentence]:
    """Every template `times` times, with words drawn for its signs."""
    path = asset("language/own.txt")
    lists: dict[str, list[str]] = {}
    templates: list[list[list[str]]] = []
    for number, line in read_lines(path):
        words = line.split()
        if not words or words[0] == "#":
            continue
        if words[0].startswith("$") and "/" not in words[0]:
            lists[words[0]] = words[1:]
            continue
        cells = [word.split("/") if word[0] != "/" else ["/", *word[2:].split("/")] for word in words]
        if any(len(cell) not in (4, 5) for cell in cells):
            raise DataError("a word is form/tag/head/relation", path=path, line=number, code="E317")
        templates.append(cells)
    for cells in templates * times:
        forms = [random.choice(lists[cell[0]]) if cell[0] in lists else cell[0] for cell in cells]
        yield Sentence(
            words=tuple(forms),
            spaces=tuple(after not in (".", ",", "?", "n't") for after in [*forms[1:], ""]),
            tags=tuple(cell[1] for cell in cells),
            lemmas=tuple(_lemma(cell, form) for cell, form in zip(cells, forms, strict=True)),
            heads=tuple(int(cell[2]) - 1 if cell[2] != "0" else at for at, cell in enumerate(cells)),
            relations=tuple(cell[3] for cell in cells),
        )


_IRREGULAR = {"children": "child"}


def _lemma(cell: list[str], form: str) -> str:
    if len(cell) == 5:
        return cell[4]
    if cell[1] == "NNS":
        return _IRREGULAR.get(form, form.removesuffix("xes") + "x" if form.endswith("xes") else form[:-1])
    return form
