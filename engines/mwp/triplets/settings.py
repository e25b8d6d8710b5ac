"""Triplets, and what the operations on them can be asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from engines.core.errors import DataError
from engines.core.rows import json_objects
from engines.core.spec import Arg, make_refusal, specification

Strategy = Literal["em", "nn", "joint"]
"""Exact match and nearest neighbour (section 3 of the paper), and equation and text scored together."""
Text = Literal["bibleu", "bertsim", "random"]
BleuTokens = Literal["auto", "characters", "words"]

_CODE = "E427"
_EVEN = 0.5


@specification
class TripletSearch:
    """How triplets are searched for, and among which problems."""

    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    strategy: Annotated[Strategy, Arg("Exact match, nearest neighbour, or equation and text together.")] = (
        "em"
    )
    text: Annotated[Text, Arg("How texts are compared.")] = "bibleu"
    pool: Annotated[str, Arg("Where candidates come from: train, qr, roda.")] = "train"
    rare_min: Annotated[int, Arg("Take no negative whose equation has fewer problems.", low=1)] = 1
    tokens: Annotated[BleuTokens, Arg("Tokens for Bi-BLEU.", shown="Chinese characters, English words")] = (
        "auto"
    )
    encoder: Annotated[str | None, Arg("Text encoder: a folder or minilm.", shown="minilm, for English")] = (
        None
    )
    equation_encoder: Annotated[
        str | None, Arg("Equation encoder, for joint.", ref="model", shown="hashed subtrees")
    ] = None
    weight: Annotated[float, Arg("Weight of the equation against the text, for joint.", low=0, high=1)] = (
        _EVEN
    )
    seed: Annotated[int, Arg("Seed for random choices.", low=0)] = 0

    def __post_init__(self) -> None:
        if self.strategy != "joint":
            if self.equation_encoder is not None or self.weight != _EVEN:
                raise make_refusal(
                    "equations have an encoder and a weight in joint only", _CODE, "Choose joint."
                )
        elif self.text == "random" or self.rare_min > 1:
            what = "a random text" if self.text == "random" else "a minimum of problems per equation"
            raise make_refusal(f"joint does not choose by {what}", _CODE, "Choose em or nn.")
        if self.encoder is not None and self.text != "bertsim":
            raise make_refusal("texts have an encoder in bertsim only", _CODE, "Choose the text bertsim.")
        if self.tokens != "auto" and self.text == "bertsim":
            raise make_refusal("bertsim counts no tokens", _CODE, "Choose the text bibleu.")


@specification
class FindTriplets(TripletSearch):
    """For each problem, find a positive (same equation, other words) and a negative (other equation, similar
    words)."""

    without: Annotated[
        Path | None, Arg("Leave out the triplets listed in this file of labels or triplets.", shown="none")
    ] = None
    out: Annotated[Path | None, Arg("Write the triplets to this file as JSON Lines.", writes=True)] = None


@specification
class ListAnchors:
    """List the anchor problems, and how many problems in the pool share each one's equation."""

    data: Annotated[Path, Arg("Problems, or a registered name.", ref="problems")]
    pool: Annotated[str, Arg("Where candidates come from: train, qr, roda.")] = "train"


@specification
class ExplainTriplet(TripletSearch):
    """Show why a problem got its triplet."""

    anchor: Annotated[str, Arg("The id of the problem.")] = field(kw_only=True)
    show: Annotated[int, Arg("How many candidates to show of each kind.", low=1, high=1000)] = 10


@specification
class Similarity:
    """Compare two equations or two texts by the measures that choose triplets."""

    left: Annotated[str, Arg("An equation such as N_0*N_1-N_2, or a text.")]
    right: Annotated[str, Arg("The other equation or text.")]
    texts: Annotated[bool, Arg("Compare texts, not equations.")] = False
    tokens: Annotated[BleuTokens, Arg("Tokens for Bi-BLEU.", shown="Chinese characters, English words")] = (
        "auto"
    )

    def __post_init__(self) -> None:
        if self.tokens != "auto" and not self.texts:
            raise make_refusal("--tokens is for texts only", _CODE, "Add --texts.")


@dataclass(frozen=True, slots=True)
class Triplet:
    """One line of a file of triplets; anchor, positive and negative are ids.

    Args:
        eq_sim_positive, eq_sim_negative: Of the equations with the anchor's.
        text_sim_positive, text_sim_negative: Of the texts.
        pool: The parts it was taken from.
        alone: No other problem of the pool has the anchor's equation.
    """

    anchor: str
    positive: str
    negative: str
    eq_sim_positive: float
    eq_sim_negative: float
    text_sim_positive: float
    text_sim_negative: float
    pool: str
    strategy: Strategy
    alone: bool

    @property
    def margin(self) -> float:
        """How much more similar in words the negative is than the positive."""
        return self.text_sim_negative - self.text_sim_positive


def read_bad_triplets(path: Path) -> frozenset[tuple[str, str, str]]:
    """Return the triplets (anchor, positive, negative) that a file of labels or of triplets marks as bad."""
    result = set()
    remedy = "Make the file again with: mathwb mwp labels --out FILE"
    for number, row in json_objects(path, remedy=remedy):
        try:
            result.add((str(row["anchor"]), str(row["positive"]), str(row["negative"])))
        except KeyError as error:
            what = f"the line names no triplet: {error}"
            raise DataError(what, path=path, line=number, code="E317", remedy=remedy) from error
    return frozenset(result)
