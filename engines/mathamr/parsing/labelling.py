"""Learning of the roles of dependents from PropBank's examples, parsed by the English pipeline."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from engines.core.files import atomic_writer, read_lines
from engines.language.english import Word
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


def derive(examples: Path, out: Path, *, held_out: float = 0.0) -> dict[str, float]:
    """Write `roles.tsv.gz` from PropBank's examples (JSON Lines: roleset, text, rel, args).

    Args: held_out: the share of the sentences that is not learnt from, and on which accuracy is measured.
    Returns: {"sentences", "dependents", "features"}, with `held_out` "tested" and "accuracy" too: the share
    of dependents whose role, taken alone, is right. The same examples give the same file.
    """
    from engines.language.english import analysed

    rows = [json.loads(line) for _, line in read_lines(examples)]
    parsed = analysed([(word or "_", True) for word in row["text"].split(" ")] for row in rows)
    sentences = [found for row, words in zip(rows, parsed, strict=True) if (found := _examples(row, words))]
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
    }
    if tested:
        model = Roles(counts, weights)
        scores = [(model.scores(one.predicate, one.dependent), one.role) for one in tested]
        right = sum(max(sorted(found), key=found.__getitem__) == role for found, role in scores)
        figures |= {"tested": len(tested), "accuracy": right / len(tested)}
    return figures


def _examples(row: Mapping[str, Any], words: Sequence[Word]) -> list[Example]:
    """Each argument whose head hangs on the predicate, if the inventory has its frame and role."""
    frame = row["roleset"].replace("_", "-")
    first_of = str(row["rel"]).split()[0]
    if frame not in frames().roles or not first_of.isdigit() or int(first_of) >= len(words):
        return []
    place = int(first_of)
    below = {word.relation for number, word in enumerate(words) if word.head == place and number != place}
    predicate = Predicate(frame, words[place].tag, voice(below))
    known = {role for role, _ in candidates(frame)}
    found = []
    for named, first, last in row["args"]:
        role = named.removeprefix("ARGM-").removeprefix("ARG")
        if last >= len(words) or role not in known:
            continue
        for number in range(first, last + 1):
            word = words[number]
            if word.head == place and number != place and word.relation in _RELATIONS:
                dependent = Dependent(word.relation, introduced(words, number), word.tag)
                found.append(Example(predicate, dependent, role))
                break
    return found


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
