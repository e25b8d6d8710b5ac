"""Settings of a solver, as a recipe's table `model` has them. No torch is needed."""

from __future__ import annotations

from typing import Annotated, Literal

from engines.core.spec import Arg, make_refusal, specification

DecoderHead = Literal["tree", "deductive"]
"""tree: the goal-driven decoder of GTS, which writes the equation from its root down. deductive: at each step
the best pair of quantities and operation becomes a new quantity (Jie, Li and Lu 2022)."""

CODE = "E678"


@specification(kw_only=True)
class SolverSettings:
    """The settings of a solver and of its training, besides those that every training takes."""

    encoder: Annotated[
        Literal["pretrained", "transformer", "gru"],
        Arg("A text encoder (MiniLM, or the folder data.encoder), or one trained from scratch."),
    ] = "pretrained"
    head: Annotated[DecoderHead, Arg("How the solver writes the equation.")] = "deductive"
    rank: Annotated[
        int, Arg("Rank of the adapters on a frozen pretrained encoder; 0: train all of it.", low=0)
    ] = 0
    width: Annotated[int, Arg("Width of an encoder from scratch.", low=8)] = 512
    layers: Annotated[int, Arg("Layers of an encoder from scratch.", low=1)] = 2
    rare: Annotated[int, Arg("From scratch: words rarer than this in training are unknown words.", low=1)] = 2
    numbers: Annotated[
        Literal["digits", "placeholders"],
        Arg("Read a number as its digits and a mark, or as a mark for its position only."),
    ] = "digits"
    pooling: Annotated[
        Literal["mean", "first"], Arg("Pooling: the mean of the token states, or the first one.")
    ] = "mean"
    max_length: Annotated[int, Arg("Longest problem, in tokens; longer ones are left out.", low=8)] = 256
    embedding: Annotated[int, Arg("Width of the operators in the tree decoder.", low=4)] = 128
    dropout: Annotated[
        float, Arg("Dropout rate in the head and in an encoder from scratch.", low=0, high=0.9)
    ] = 0.1
    single_use: Annotated[bool, Arg("Use each number of the text at most once in an equation.")] = False
    non_negative: Annotated[bool, Arg("Allow no step of an equation below zero.")] = False
    beam: Annotated[int, Arg("Beam width.", low=1)] = 3
    complete: Annotated[
        Literal["first"] | None,
        Arg(
            "first: of the best equations those that use every number of the problem come before the others."
        ),
    ] = None
    max_steps: Annotated[int, Arg("Longest equation, in operations.", low=1)] = 22
    alpha: Annotated[float, Arg("Weight of the contrastive loss; 0: none.", low=0)] = 0.0
    tau: Annotated[float, Arg("Temperature of the contrastive loss.", low=0)] = 0.05
    strategy: Annotated[
        Literal["em", "nn", "joint"], Arg("How triplets are chosen; see mathwb mwp triplets.")
    ] = "em"
    text: Annotated[Literal["bibleu", "bertsim", "random"], Arg("How texts are compared for triplets.")] = (
        "bibleu"
    )
    pool: Annotated[str, Arg("Where candidates come from: train, qr, roda.")] = "train"
    coherent: Annotated[bool, Arg("Leave variants of doubtful text out of the pool.")] = False
    anchors: Annotated[
        Literal["train", "all"],
        Arg("Use the pool's variants only as candidates, or also train to solve them."),
    ] = "train"
    fold: Annotated[int | None, Arg("Fold to hold out of training.", low=0)] = None
    folds: Annotated[int, Arg("Folds that --folds holds out in turn, one run each.", low=0)] = 0
    development: Annotated[
        float,
        Arg("Share of the problems held out to choose the model, without data.development.", low=0, high=0.5),
    ] = 0.1
    look_alikes: Annotated[
        Literal["keep"] | None,
        Arg(
            "keep: train on problems that look like a development problem too, as published protocols do; "
            "otherwise they are left out."
        ),
    ] = None
    precision: Annotated[
        Literal["fp32", "fp16", "int8"],
        Arg("Precision of the stored weights; int8: matrices in eight bits, word pieces in four."),
    ] = "fp32"

    def __post_init__(self) -> None:
        if self.rank and self.encoder != "pretrained":
            raise make_refusal("adapters (rank) are for a pretrained encoder", CODE, "Set model.rank=0.")
        if self.alpha and not self.tau:
            raise make_refusal("tau must be above 0", CODE)
        if self.encoder == "transformer" and self.width % max(1, self.width // 64):
            raise make_refusal(f"width {self.width} is no multiple of 64, nor below 128", CODE)
