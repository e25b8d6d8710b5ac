"""Settings of a solver, as a recipe's table `model` has them. No torch is needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from engines.core.spec import Arg, refused

Head = Literal["tree", "deductive"]
"""tree: the goal-driven decoder of GTS, which writes the equation from its root down. deductive: at each step
the best pair of quantities and operation becomes a new quantity (Jie, Li and Lu 2022)."""

CODE = "E678"


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverSettings:
    """What a solver is and how it is trained, beside what every training takes."""

    encoder: Annotated[
        Literal["pretrained", "transformer", "gru"],
        Arg("A model of text (MiniLM, or the folder data.encoder), or one trained from scratch."),
    ] = "pretrained"
    head: Annotated[Head, Arg("How the equation is written.")] = "deductive"
    rank: Annotated[
        int, Arg("Rank of the adapters of a pretrained encoder, else frozen; 0: all of it is trained.", low=0)
    ] = 0
    width: Annotated[int, Arg("Width of an encoder from scratch.", low=8)] = 512
    layers: Annotated[int, Arg("Layers of an encoder from scratch.", low=1)] = 2
    rare: Annotated[
        int, Arg("What is read less often in the training is an unknown word, from scratch.", low=1)
    ] = 2
    numbers: Annotated[
        Literal["digits", "placeholders"],
        Arg("A number is read as its digits and a mark behind them, or as the mark of its place."),
    ] = "digits"
    pooling: Annotated[
        Literal["mean", "first"], Arg("The vector of a problem: the mean of the states, or the first one.")
    ] = "mean"
    max_length: Annotated[int, Arg("Tokens of a problem; one that is longer is left out.", low=8)] = 256
    embedding: Annotated[int, Arg("Width of the operators in the tree decoder.", low=4)] = 128
    dropout: Annotated[float, Arg("Share dropped out in head and encoder from scratch.", low=0, high=0.9)] = (
        0.1
    )
    single_use: Annotated[bool, Arg("An equation uses each number of the text at most once.")] = False
    non_negative: Annotated[bool, Arg("No step of an equation is below zero.")] = False
    beam: Annotated[int, Arg("Equations that are followed at a time.", low=1)] = 3
    max_steps: Annotated[int, Arg("Operations of an equation.", low=1)] = 22
    alpha: Annotated[float, Arg("Weight of the contrastive loss; 0: none.", low=0)] = 0.0
    tau: Annotated[float, Arg("Temperature of the contrastive loss.", low=0)] = 0.05
    strategy: Annotated[
        Literal["em", "nn", "joint"], Arg("How triplets are chosen; see mathwb mwp triplets.")
    ] = "em"
    text: Annotated[Literal["bibleu", "bertsim", "random"], Arg("How texts are compared for triplets.")] = (
        "bibleu"
    )
    pool: Annotated[str, Arg("What triplets are taken from: train, qr, roda.")] = "train"
    coherent: Annotated[bool, Arg("Variants with a doubt about their text are left out of the pool.")] = False
    anchors: Annotated[
        Literal["train", "all"], Arg("Whether the pool's variants are candidates alone, or are solved too.")
    ] = "train"
    fold: Annotated[int | None, Arg("The fold that is kept out of the training.", low=0)] = None
    folds: Annotated[int, Arg("How many folds --folds keeps out in turn, a run for each.", low=0)] = 0
    development: Annotated[
        float, Arg("Share of the problems that chooses the model, without data.development.", low=0, high=0.5)
    ] = 0.1
    precision: Annotated[Literal["fp32", "fp16"], Arg("Of the stored weights.")] = "fp32"

    def __post_init__(self) -> None:
        """Refuse what makes no sense. Raises: EngineError E678."""
        if self.rank and self.encoder != "pretrained":
            raise refused("adapters (rank) are for a pretrained encoder", CODE, "Set model.rank=0.")
        if self.alpha and not self.tau:
            raise refused("tau is 0, and above 0 is needed", CODE)
        if self.encoder == "transformer" and self.width % max(1, self.width // 64):
            raise refused(f"width {self.width} is no multiple of 64, nor below 128", CODE)
