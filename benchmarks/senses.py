"""Senses of words learnt from PropBank: how often they are right, beside the first sense.

    .venv/bin/python -m benchmarks.senses EXAMPLES.jsonl.gz ROLESETS.tsv.gz --amr FILE.amr.txt.gz …

A log-linear model chooses among the rolesets that the inventory has for a word: by the sense's rank, by the
relations, prepositions and voice below the word with the functions of the sense's roles, and by the cosines
of the sense's description with the words around and with the head and dependents, in the word vectors of the
English pipeline. It is trained on four fifths of the examples' sentences (seed 0). Beside its accuracy on the
rest stand the first sense and the most frequent sense of the training examples; and on the words of AMR
graphs that are known to be one node each, the same with the first sense favoured by 0 to 4 (logits).
Intervals are 95 % by bootstrap over words, seed 0. The built-in parser takes the first sense, or the one in
`assets/mathamr/senses.tsv`.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap

from benchmarks._record import Record, parser_of, table
from engines.core.files import read_lines
from engines.language.english import Word, analysed, pipeline
from engines.mathamr.graph.amr import read_blocks, read_graph
from engines.mathamr.parsing.lexicon import frames, lemma_of
from engines.mathamr.parsing.parts import Dependencies
from engines.mathamr.parsing.roles import aligned, voice

_KINDS = {"V": "v", "N": "n", "J": "j"}
_FAVOURS = (0, 1, 2, 3, 4)
_SILENT = ("punct", "det", "cc", "conj")
_EPOCHS, _BATCH, _RATE, _DECAY = 8, 128, 0.03, 1e-3


@dataclass(frozen=True)
class Item:
    """A word of a sentence, the senses that it can have, and the place of the right one."""

    sentence: Dependencies
    place: int
    senses: tuple[str, ...]
    right: int

    @property
    def word(self) -> str:
        tag = self.sentence.words[self.place].tag
        return f"{self.sentence.lemma(self.place)}/{_KINDS[tag[0]]}"


def item(words: Sequence[Word], place: int, sense: str) -> Item | None:
    """A word with a choice of senses, the right one among them."""
    sentence = Dependencies(words, [lemma_of(word, frames()) for word in words])
    kind = _KINDS.get(words[place].tag[0])
    senses = frames().words.get(f"{sentence.lemma(place)}/{kind}", ())
    if sense not in senses or len(senses) == 1:
        return None
    return Item(sentence, place, senses, senses.index(sense))


def of_examples(path: Path) -> list[Item]:
    rows = [json.loads(line) for _, line in read_lines(path)]
    parsed = analysed([(word or "_", True) for word in row["text"].split(" ")] for row in rows)
    found = []
    for row, words in zip(rows, parsed, strict=True):
        place = str(row["rel"]).split()[0]
        if place.isdigit() and int(place) < len(words):
            found.append(item(words, int(place), row["roleset"].replace("_", "-")))
    return [one for one in found if one is not None]


def of_graphs(path: Path) -> list[Item]:
    blocks = list(read_blocks(path))
    parsed = analysed([(word or "_", True) for word in one.sentence.split(" ")] for one in blocks)
    found = []
    for block, words in zip(blocks, parsed, strict=True):
        graph = read_graph(block.graph)
        concepts = {name: node.concept for name, node in graph.by_variable().items()}
        found += [item(words, place, concepts[name]) for name, place in aligned(words, graph).items()]
    return [one for one in found if one is not None]


class Vectors:
    """Mean vectors of words, rare words of the descriptions weighing more."""

    def __init__(self, rolesets: Path) -> None:
        self.vocabulary = pipeline().vocab
        with gzip.open(rolesets, "rt", encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file][1:]
        said = {row[0].replace("_", "-"): re.findall(r"[a-z]+", f"{row[1]} {row[3]}".lower()) for row in rows}
        self.counts = Counter(word for words in said.values() for word in words)
        self.senses = {sense: self.mean(words) for sense, words in said.items()}

    def mean(self, words: Sequence[str]) -> NDArray[np.float64]:
        total = np.zeros(self.vocabulary.vectors_length)
        for word in words:
            total += self.vocabulary[word].vector / (1 + np.log1p(self.counts[word] / 50))
        return total / (np.linalg.norm(total) or 1.0)

    def cosines(self, one: Item) -> NDArray[np.float64]:
        """[senses, 2]: of each sense's description with the words around, and with head and dependents."""
        sentence, place = one.sentence, one.place
        near = range(max(0, place - 8), min(len(sentence.words), place + 9))
        around = [sentence.lemma(other) for other in near if sentence.words[other].tag[0] in "NVJRI"]
        linked = [sentence.lemma(other) for other in (*sentence.children(place), sentence.words[place].head)]
        contexts = [
            self.mean([word for word in words if word != one.word[:-2]]) for words in (around, linked)
        ]
        found = np.array([[self.senses[sense] @ context for context in contexts] for sense in one.senses])
        return found - found.mean(axis=0)


def features(one: Item) -> Iterator[list[str]]:
    """The features of each sense of a word."""
    sentence, words = one.sentence, one.sentence.words
    children = [child for child in sentence.children(one.place) if sentence.base(child) not in _SILENT]
    shapes = [f"v{voice({sentence.relation(child) for child in children})}", f"t{words[one.place].tag}"]
    for child in children:
        shapes.append(sentence.relation(child))
        if mark := sentence.marker(child):
            shapes.append(f"{sentence.base(child)} {mark}")
    for rank, sense in enumerate(one.senses):
        functions = [function for role, function in frames().roles[sense].items() if role.isdigit()]
        own = "own" if sense[:-3] == one.word[:-2] else "other"
        pairs = [f"{shape}|{function}" for shape in shapes for function in functions]
        yield [
            f"rank{min(rank, 4)}{one.word[-1]}",
            own,
            *pairs,
            *(f"{shape}#{len(functions)}" for shape in shapes),
        ]


class Model:
    """The log-linear model, trained on items."""

    def __init__(self, items: Sequence[Item], vectors: Vectors) -> None:
        import torch

        self.vectors = vectors
        self.names: dict[str, int] = {}
        sparse = [
            [[self.names.setdefault(name, len(self.names)) for name in sense] for sense in features(one)]
            for one in items
        ]
        dense = [torch.from_numpy(vectors.cosines(one)).float() for one in items]
        weights, cosines = (
            torch.zeros(len(self.names), requires_grad=True),
            torch.zeros(2, requires_grad=True),
        )
        optimizer = torch.optim.Adam([{"params": [weights]}, {"params": [cosines], "lr": 0.1}], lr=_RATE)
        for epoch in range(_EPOCHS):
            optimizer.param_groups[0]["lr"] = _RATE * (1 - epoch / _EPOCHS)
            order = list(range(len(items)))
            Random(epoch).shuffle(order)
            for start in range(0, len(order), _BATCH):
                loss = _DECAY * weights.square().sum()
                batch = order[start : start + _BATCH]
                for place in batch:
                    scores = torch.stack([weights[sense].sum() for sense in sparse[place]])
                    scores = torch.log_softmax(scores + dense[place] @ cosines, 0)
                    loss = loss - scores[items[place].right] / len(batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        self.weights, self.cosines = weights.detach().numpy(), cosines.detach().numpy()

    def scores(self, one: Item) -> NDArray[np.float64]:
        sparse = [
            sum(float(self.weights[self.names[name]]) for name in sense if name in self.names)
            for sense in features(one)
        ]
        return np.array(sparse) + self.vectors.cosines(one) @ self.cosines


def share(right: Sequence[bool]) -> dict[str, Any]:
    """The share that is right, with its interval."""
    found = np.array(right, float)
    low, high = bootstrap((found,), np.mean, rng=np.random.default_rng(0)).confidence_interval
    return {
        "accuracy": round(float(found.mean()), 4),
        "interval": [round(float(low), 4), round(float(high), 4)],
    }


def main() -> None:
    options = parser_of(__doc__)
    options.add_argument("examples", type=Path)
    options.add_argument("rolesets", type=Path)
    options.add_argument("--amr", type=Path, nargs="*", default=[])
    given = options.parse_args()
    data = {"examples": given.examples, "rolesets": given.rolesets, "amr": given.amr}
    kept = Record("senses", given.out, **data)
    items = of_examples(given.examples)
    Random(0).shuffle(items)
    tested, learnt = items[: len(items) // 5], items[len(items) // 5 :]
    model = Model(learnt, Vectors(given.rolesets))
    often: dict[str, Counter[int]] = defaultdict(Counter)
    for one in learnt:
        often[one.word][one.right] += 1
    chosen = {word: min(counts, key=lambda sense: (-counts[sense], sense)) for word, counts in often.items()}
    figures: dict[str, Any] = {
        "learnt_words": len(learnt),
        "held_out": {
            "words": len(tested),
            "first_sense": share([one.right == 0 for one in tested]),
            "most_frequent": share([one.right == chosen.get(one.word, 0) for one in tested]),
            "learnt": share([one.right == int(model.scores(one).argmax()) for one in tested]),
        },
    }
    for path in given.amr:
        words = of_graphs(path)
        scores = [model.scores(one) for one in words]
        figures[path.name.partition(".amr")[0]] = {
            "words": len(words),
            "first_sense": share([one.right == 0 for one in words]),
            "most_frequent": share([one.right == chosen.get(one.word, 0) for one in words]),
        } | {
            f"learnt, first favoured by {favour}": share(
                [
                    one.right == int((own + favour * (np.arange(len(own)) == 0)).argmax())
                    for one, own in zip(words, scores, strict=True)
                ]
            )
            for favour in _FAVOURS
        }
    rows = [
        [f"{name}: {how}", f"{found['accuracy']:.3f}", "{:.3f} to {:.3f}".format(*found["interval"])]
        for name, by in figures.items()
        if isinstance(by, dict)
        for how, found in by.items()
        if isinstance(found, dict)
    ]
    print("\n".join(table(["senses", "accuracy", "95 %"], rows)))
    kept.write(figures, libraries=("spacy", "torch"))


if __name__ == "__main__":
    main()
