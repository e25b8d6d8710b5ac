"""Formulas in a treebank: sentences in which one word stands where a phrase stood, as a formula would.

A treebank of newspapers and letters has no formulas. A third of what the pipeline learns from is changed so
that it knows the word `FORMULA` as a phrase, as a clause ("then MATH"), and after a noun ("the set MATH").
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

from engines.language.treebank import Sentence

__all__ = ["FORMULA", "with_formula"]

FORMULA = "MATH"
"""The word that stands for a formula in what the pipeline reads."""
_NOMINAL = ("nsubj", "nsubj:pass", "obj", "obl", "nmod", "conj", "xcomp", "root")
_CLAUSE = ("ccomp", "advcl", "parataxis", "conj", "root")
_KEPT = ("case", "cc", "mark", "punct", "cop", "advmod")


def with_formula(sentence: Sentence, random: Random) -> Sentence | None:
    """The sentence with a formula for one of its phrases or after one of its nouns; None where none fits."""
    places = list(range(len(sentence.words)))
    random.shuffle(places)
    if random.random() < 0.3:
        for place in places:
            if sentence.tags[place] in ("NN", "NNS") and sentence.relations[place] != "compound":
                return _after(sentence, place)
        return None
    for place in places:
        tag, relation = sentence.tags[place], sentence.relations[place]
        noun = relation in _NOMINAL and tag[:2] in ("NN", "PR")
        if (noun or (relation in _CLAUSE and tag[:2] == "VB")) and (
            changed := _instead(sentence, place, relation)
        ):
            return changed
    return None


def _instead(sentence: Sentence, place: int, relation: str) -> Sentence | None:
    """The phrase of the word at `place`, without what introduces it, as one formula."""
    children: dict[int, list[int]] = {}
    for word, head in enumerate(sentence.heads):
        if head != word:
            children.setdefault(head, []).append(word)
    gone, pending = {place}, []
    for child in children.get(place, []):
        introduces = sentence.relations[child] in _KEPT and child < place
        if not introduces and sentence.relations[child] != "punct":
            pending.append(child)
    while pending:
        word = pending.pop()
        gone.add(word)
        pending += children.get(word, [])
    first, last = min(gone), max(gone)
    if last - first + 1 != len(gone) or len(gone) == len(sentence.words):
        return None
    if relation in ("root", "ccomp", "advcl", "parataxis") and len(gone) < 3:
        return None
    order = [word for word in range(len(sentence.words)) if word not in gone or word == place]
    new = {word: number for number, word in enumerate(order)}
    heads = tuple(new[sentence.heads[word] if sentence.heads[word] in new else place] for word in order)

    def taken(values: tuple[str, ...], own: str) -> tuple[str, ...]:
        return tuple(own if word == place else values[word] for word in order)

    return Sentence(
        words=taken(sentence.words, FORMULA),
        spaces=tuple(sentence.spaces[last if word == place else word] for word in order),
        tags=taken(sentence.tags, "NN"),
        lemmas=taken(sentence.lemmas, FORMULA),
        heads=heads,
        relations=tuple(sentence.relations[word] for word in order),
    )


def _after(sentence: Sentence, place: int) -> Sentence:
    """A formula right after a noun, that it names."""

    def grown(values: tuple[str, ...], own: str) -> tuple[str, ...]:
        return (*values[: place + 1], own, *values[place + 1 :])

    heads = [head + (head > place) for head in sentence.heads]
    heads.insert(place + 1, place)
    return replace(
        sentence,
        words=grown(sentence.words, FORMULA),
        spaces=(*sentence.spaces[:place], True, *sentence.spaces[place:]),
        tags=grown(sentence.tags, "NN"),
        lemmas=grown(sentence.lemmas, FORMULA),
        heads=tuple(heads),
        relations=grown(sentence.relations, "appos"),
    )
