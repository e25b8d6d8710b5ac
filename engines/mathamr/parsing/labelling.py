"""Learning of the roles of dependents from PropBank's examples and graphs, parsed by the English pipeline."""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from engines.core.errors import DataError
from engines.core.files import atomic_writer
from engines.core.json_lines import json_objects
from engines.language.english import Word
from engines.mathamr.graph.amr import Graph, read_graph
from engines.mathamr.graph.files import Block, read_blocks
from engines.mathamr.parsing.alignment import aligned, arguments
from engines.mathamr.parsing.frames import frames
from engines.mathamr.parsing.roles import Dependent, Predicate, Roles, candidates, features, seen

__all__ = ["derive", "introduced", "voice"]

_RELATIONS = (
    "nsubj",
    "nsubj:pass",
    "obj",
    "iobj",
    "obl",
    "nmod",
    "nmod:poss",
    "ccomp",
    "xcomp",
    "advcl",
    "acl",
)
_EPOCHS = 4
_BATCH = 256
_RATE = 0.03
_DECAY = 1e-5
_LEAST = 0.02
"""Weights below are not kept."""


@dataclass(frozen=True, slots=True)
class Example:
    """A dependent with its role."""

    predicate: Predicate
    dependent: Dependent
    role: str

    @property
    def key(self) -> str:
        return f"{self.predicate.frame} {self.dependent.relation} {self.dependent.preposition}"


def introduced(words: Sequence[Word], number: int) -> str:
    """The preposition or mark of a word."""
    for place, word in enumerate(words):
        if word.head == number and place != number and word.relation in ("case", "mark"):
            return word.lemma.lower()
    return ""


def voice(relations: set[str]) -> str:
    """The voice of a predicate with these relations below it: P passive, O with an object, N neither."""
    return "P" if relations & {"nsubj:pass", "aux:pass"} else "O" if "obj" in relations else "N"


def derive(
    examples: Path | None, out: Path, *, amr: Sequence[Path] = (), held_out: float = 0.0
) -> dict[str, float]:
    """Write a file as `roles.tsv.gz` from PropBank's examples (JSON Lines: roleset, text, rel, args), from
    files of AMR graphs with their sentences, or both.

    Args: held_out: the share of the sentences that is not learnt from, and on which accuracy is measured.
    Returns: sentences (that teach something), dependents, features, graphs, left_out (lines and blocks
    that cannot be read); with `held_out` tested and accuracy too: the share of dependents whose role, taken
    alone, is right. The same files give the same model. Raises: DataError E674 where nothing can be learnt.
    """
    left: list[DataError] = []
    rows = [] if examples is None else list(_annotated(examples, left.append))
    graphs = [found for path in amr for found in _graphs(path, left.append)]
    texts = [row["text"] for row in rows] + [one.sentence for one, _ in graphs]
    parsed = list(_parsed(texts))
    found = [_examples(row, words) for row, words in zip(rows, parsed, strict=False)]
    found += [_of_graph(graph, words) for (_, graph), words in zip(graphs, parsed[len(rows) :], strict=True)]
    sentences = [one for one in found if one]
    if not sentences:
        remedy = "Name PropBank's examples, or files of graphs under their sentences."
        raise DataError("no sentence shows a role", path=examples, code="E674", remedy=remedy)
    Random(0).shuffle(sentences)
    tested = [one for found in sentences[: int(held_out * len(sentences))] for one in found]
    learnt = [one for found in sentences[int(held_out * len(sentences)) :] for one in found]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for one in learnt:
        counts[one.key][one.role] += 1
    weights = _learnt(learnt, counts)
    lines = [f"weight\t{name}\t{value:.2f}" for name, value in sorted(weights.items())]
    for key, own in sorted(counts.items()):
        lines.append(f"count\t{key}\t" + " ".join(f"{role}={count}" for role, count in sorted(own.items())))
    with (
        atomic_writer(out, "wb") as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed,
    ):
        packed.write("\n".join(lines).encode() + b"\n")
    figures: dict[str, float] = {
        "sentences": len(sentences),
        "dependents": len(learnt),
        "features": len(weights),
        "graphs": len(graphs),
        "left_out": len(left),
    }
    if tested:
        model = Roles(counts, weights)
        scores = [(model.scores(one.predicate, one.dependent), one.role) for one in tested]
        right = sum(max(sorted(found), key=found.__getitem__) == role for found, role in scores)
        figures |= {"tested": len(tested), "accuracy": right / len(tested)}
    return figures


def _annotated(path: Path, on_bad: Callable[[DataError], None]) -> Iterator[dict[str, Any]]:
    """PropBank's examples, the arguments as name, first and last word."""
    shape = '{"roleset": "give-01", "text": "…", "rel": "2", "args": [["ARG0", 0, 1]]}'
    remedy = f"Each line is like {shape}."
    for number, row in json_objects(path, remedy=remedy, on_bad=on_bad):
        try:
            args = [(str(name), int(first), int(last)) for name, first, last in row["args"]]
            (rel, *_), roleset, text = str(row["rel"]).split(), row["roleset"], row["text"]
            if not isinstance(roleset, str) or not isinstance(text, str):
                raise TypeError("roleset and text are texts")
        except (KeyError, TypeError, ValueError) as error:
            what = f"this is no example of PropBank's: {error}"
            on_bad(DataError(what, path=path, line=number, code="E317", remedy=remedy))
            continue
        yield {"roleset": roleset, "text": text, "rel": rel, "args": args}


def _parsed(texts: Sequence[str]) -> Iterator[tuple[Word, ...]]:
    from engines.language.english import analysed

    return analysed([(word or "_", True) for word in text.split(" ")] for text in texts)


def _graphs(path: Path, on_bad: Callable[[DataError], None]) -> Iterator[tuple[Block, Graph]]:
    for one in read_blocks(path, on_bad=on_bad):
        try:
            yield one, read_graph(one.graph)
        except DataError as error:
            on_bad(DataError(error.what, path=path, line=one.line, code=error.code, remedy=error.remedy))


def _examples(row: Mapping[str, Any], words: Sequence[Word]) -> list[Example]:
    """Each argument whose head hangs on the predicate, if the inventory has its frame and role."""
    frame = row["roleset"].replace("_", "-")
    first_of = row["rel"]
    if not first_of.isdigit() or int(first_of) >= len(words):
        return []
    found = []
    for named, first, last in row["args"]:
        role = named.removeprefix("ARGM-").removeprefix("ARG")
        if last < len(words):
            shown = (_example(words, int(first_of), frame, n, role) for n in range(first, last + 1))
            found += [one for one in shown if one is not None][:1]
    return found


def _of_graph(graph: Graph, words: Sequence[Word]) -> list[Example]:
    """Each role of a frame in a graph, where the words of both are known and one hangs on the other."""
    places = aligned(words, graph)
    concepts = graph.by_variable()
    return [
        found
        for frame, role, other in arguments(graph)
        if frame in places
        and other in places
        and (found := _example(words, places[frame], concepts[frame].concept, places[other], role))
    ]


def _example(words: Sequence[Word], place: int, frame: str, number: int, role: str) -> Example | None:
    """A dependent of a predicate, if it hangs on it and the inventory has the frame and the role."""
    word = words[number]
    if word.head != place or number == place or word.relation not in _RELATIONS:
        return None
    if frame not in frames().roles or role not in dict(candidates(frame)):
        return None
    below = {one.relation for at, one in enumerate(words) if one.head == place and at != place}
    predicate = Predicate(frame, words[place].tag, voice(below))
    return Example(predicate, Dependent(word.relation, introduced(words, number), word.tag), role)


def _learnt(examples: Sequence[Example], counts: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    """The weights under which the roles of the examples are likeliest; each is left out of its own counts."""
    import torch

    names: dict[str, int] = {"seen": 0, "often": 1}
    sparse, dense, right = [], [], []
    for one in examples:
        own = dict(counts[one.key])
        own[one.role] -= 1
        roles = candidates(one.predicate.frame)
        sparse.append(
            [
                [names.setdefault(name, len(names)) for name in features(one.predicate, one.dependent, *role)]
                for role in roles
            ]
        )
        dense.append([seen(own, role) for role, _ in roles])
        right.append([role for role, _ in roles].index(one.role))
    weights = torch.nn.Parameter(torch.zeros(len(names)))
    optimizer = torch.optim.Adam([weights], lr=_RATE)
    for epoch in range(_EPOCHS):
        for group in optimizer.param_groups:
            group["lr"] = _RATE * (1 - epoch / _EPOCHS)
        order = list(range(len(examples)))
        Random(epoch).shuffle(order)
        for start in range(0, len(order), _BATCH):
            batch = order[start : start + _BATCH]
            flat = [role for place in batch for role in sparse[place]]
            found = torch.nn.functional.embedding_bag(
                torch.tensor([name for role in flat for name in role]),
                weights[:, None],
                torch.tensor([0, *map(len, flat)]).cumsum(0)[:-1],
                mode="sum",
            )[:, 0]
            found = found + torch.tensor([value for place in batch for value in dense[place]]) @ weights[:2]
            scores = torch.nn.utils.rnn.pad_sequence(
                list(found.split([len(sparse[place]) for place in batch])),
                batch_first=True,
                padding_value=-1e9,
            )
            loss = torch.nn.functional.cross_entropy(scores, torch.tensor([right[place] for place in batch]))
            optimizer.zero_grad()
            (loss + _DECAY * weights.square().sum()).backward()
            optimizer.step()
    values = weights.tolist()
    return {
        name: round(values[place], 2)
        for name, place in names.items()
        if place < 2 or abs(values[place]) >= _LEAST
    }
