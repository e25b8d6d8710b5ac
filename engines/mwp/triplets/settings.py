"""What the operations on triplets are asked: specs, and the words that they and their results share."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from engines.core.spec import Arg

__all__ = [
    "ExplainTriplet",
    "FindTriplets",
    "ListAnchors",
    "Similarity",
    "Strategy",
    "Text",
    "Tokens",
    "TripletSearch",
]

Strategy = Literal["em", "nn", "joint"]
"""Exact match and nearest neighbour (section 3 of the paper), and equation and text scored together."""
Text = Literal["bibleu", "bertsim", "random"]
Tokens = Literal["auto", "characters", "words"]


@dataclass(frozen=True, slots=True)
class TripletSearch:
    """How triplets are looked for, and among which problems."""

    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    strategy: Annotated[Strategy, Arg("Exact match, nearest neighbour, or equation and text at once.")] = "em"
    text: Annotated[Text, Arg("How texts are compared.")] = "bibleu"
    pool: Annotated[str, Arg("What triplets are taken from: train, qr, roda.")] = "train"
    rare_min: Annotated[int, Arg("Equations with fewer problems are never a negative's.", low=1)] = 1
    tokens: Annotated[Tokens, Arg("What Bi-BLEU counts.", shown="Chinese characters, English words")] = "auto"
    encoder: Annotated[str | None, Arg("Of texts, a folder or minilm.", shown="minilm, for English")] = None
    equation_encoder: Annotated[
        str | None, Arg("Of equations, for joint.", ref="model", shown="hashed subtrees")
    ] = None
    weight: Annotated[float, Arg("Of the equation against the text, for joint.", low=0, high=1)] = 0.5
    seed: Annotated[int, Arg("Of random choices.", low=0)] = 0


@dataclass(frozen=True, slots=True)
class FindTriplets(TripletSearch):
    """For each problem a positive of its equation in other words, a negative of another in like words."""

    without: Annotated[
        Path | None, Arg("Leave out the triplets of this file, of labels or triplets.", shown="none")
    ] = None
    out: Annotated[Path | None, Arg("Write the triplets there as JSON Lines.")] = None


@dataclass(frozen=True, slots=True)
class ListAnchors:
    """The problems that triplets are found for, and how many the pool has of each equation."""

    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    pool: Annotated[str, Arg("What triplets are taken from: train, qr, roda.")] = "train"


@dataclass(frozen=True, slots=True)
class ExplainTriplet(TripletSearch):
    """Why a problem has the triplet that it has."""

    anchor: Annotated[str, Arg("The id of the problem.")] = field(kw_only=True)
    show: Annotated[int, Arg("How many candidates of each kind.", low=1, high=1000)] = 10


@dataclass(frozen=True, slots=True)
class Similarity:
    """How similar two equations are, or two texts: the measures by which triplets are chosen."""

    left: Annotated[str, Arg("An equation such as N_0*N_1-N_2, or a text.")]
    right: Annotated[str, Arg("Another.")]
    texts: Annotated[bool, Arg("They are texts.")] = False
    tokens: Annotated[Tokens, Arg("What Bi-BLEU counts.", shown="Chinese characters, English words")] = "auto"
