"""Settings of pre-training and fine-tuning, as a recipe's table `model` has them. No torch is needed."""

from __future__ import annotations

from typing import Annotated, Literal

from engines.core.spec import Arg, make_refusal, specification

CORPORA = ("mathse1", "mathse2", "mathse3", "khan", "amps")
"""MathSE (1) natural sentences, (2) text and formulas, (3) parts of formulas; AMPS' Khan exercises, all of
AMPS. Of several the examples are mixed."""
PairSource = Literal["collection", "annotated"]
EncoderPooling = Literal["mean", "cls"]

CODE = "E676"


@specification(kw_only=True)
class PretrainSettings:
    """The settings of pre-training a language model."""

    corpora: Annotated[str, Arg(f"Corpora to read: one or more of {', '.join(CORPORA)}, joined by +.")] = (
        "mathse1"
    )
    max_length: Annotated[int, Arg("Tokens of an example, including special tokens.", low=8)] = 512
    split_inside_formulas: Annotated[
        bool, Arg("Also split MathSE at punctuation inside formulas, as the published code does.")
    ] = False
    order: Annotated[bool, Arg("Predict sentence order besides the masked tokens; RoBERTa never does.")] = (
        True
    )
    first_token: Annotated[
        bool,
        Arg("Instead of the order: keep pairs in order, and predict the first token of the second segment."),
    ] = False
    masked: Annotated[float, Arg("Share of the tokens to mask and predict.", low=0, high=1)] = 0.15
    latex_tokens: Annotated[bool, Arg("Add the LaTeX tokens to the tokenizer.")] = True
    held_out: Annotated[float, Arg("Share of the documents held out for evaluation.", low=0, high=1)] = 0.05
    measured: Annotated[int, Arg("Held-out examples used per evaluation.", low=1)] = 500

    @property
    def names(self) -> tuple[str, ...]:
        """The corpora one by one."""
        return tuple(self.corpora.split("+"))

    def __post_init__(self) -> None:
        if any(name not in CORPORA for name in self.names):
            remedy = f"Use one of {', '.join(CORPORA)}, or a+b."
            raise make_refusal(f"corpora is {self.corpora!r}", CODE, remedy)
        if not 0 < self.masked < 1 or not 0 < self.held_out < 1:
            raise make_refusal("masked and held_out must be between 0 and 1", CODE)
        if self.first_token and self.order:
            remedy = "Leave one of them out: --set model.order=false"
            raise make_refusal("order and first_token cannot both be predicted", CODE, remedy)


@specification(kw_only=True)
class FinetuneSettings:
    """The settings of fine-tuning a cross-encoder."""

    pairs: Annotated[
        PairSource, Arg("Questions with their own answers, or the relevant answers of judged topics.")
    ] = "collection"
    per_question: Annotated[int, Arg("Correct answers per question, at most.", low=1)] = 1
    hard_share: Annotated[
        float,
        Arg("Share of incorrect answers taken from the first stage, if its run is given.", low=0, high=1),
    ] = 0.5
    max_length: Annotated[
        int, Arg("Longest pair, in tokens, special ones included; the longer side is cut.", low=8)
    ] = 512
    measured: Annotated[int, Arg("Held-out questions used per evaluation.", low=1)] = 500
    candidates: Annotated[int, Arg("Answers per held-out question, one of them correct.", low=2)] = 10


@specification(kw_only=True)
class RerankSettings:
    """The settings of training a re-ranker with a cosine head."""

    answers: Annotated[int, Arg("Answers per list.", low=2)] = 8
    first_rank: Annotated[int, Arg("Wrong answers come from first-stage ranks from here on.", low=1)] = 5
    last_rank: Annotated[int, Arg("Deepest rank to sample from.", low=2)] = 64
    temperature: Annotated[float, Arg("Temperature: what cosines are divided by.", low=0)] = 0.05
    teacher_temperature: Annotated[
        float, Arg("Temperature of the first stage's scores, which are 0 to 1 within a question.", low=0)
    ] = 0.1
    trained_layers: Annotated[
        int, Arg("How many upper layers to train; 0: all, and the word embeddings.", low=0)
    ] = 0
    latex_tokens: Annotated[bool, Arg("Add the LaTeX tokens to the tokenizer.")] = False
    question_tokens: Annotated[
        int, Arg("Tokens to read of the body of an answer's question, after its title.", low=0)
    ] = 0
    window: Annotated[
        bool, Arg("Of a long answer, read the part that shares most with the question; off: its beginning.")
    ] = True
    max_length: Annotated[
        int, Arg("Longest pair, in tokens, special ones included; the longer side is cut.", low=8)
    ] = 256
    measured: Annotated[int, Arg("Held-out questions used per evaluation.", low=1)] = 50
    layers_alone: Annotated[
        bool, Arg("Save only the trained layers, in 16 bits, to load on top of the built-in MiniLM.")
    ] = False

    def __post_init__(self) -> None:
        if not self.temperature or not self.teacher_temperature:
            raise make_refusal("a temperature must be above 0", CODE)
        if self.layers_alone and (self.latex_tokens or not self.trained_layers):
            remedy = "Save all of it: --set model.layers_alone=false"
            raise make_refusal("only upper layers of MiniLM can be saved alone", CODE, remedy)
        if self.last_rank - self.first_rank + 1 < self.answers:
            raise make_refusal(
                f"ranks {self.first_rank} to {self.last_rank} hold no {self.answers} answers", CODE
            )


@specification(kw_only=True)
class BiEncoderSettings:
    """The settings that dense and sparse encoders of questions and answers share."""

    negatives: Annotated[
        int,
        Arg(
            "Wrong answers per question from the first stage, if its run is given; the batch adds more.",
            low=0,
        ),
    ] = 1
    first_rank: Annotated[int, Arg("Wrong answers come from first-stage ranks from here on.", low=1)] = 5
    last_rank: Annotated[int, Arg("Deepest rank to sample from.", low=1)] = 64
    titled: Annotated[
        float,
        Arg(
            "Share of the questions whose answers are read with titles, as in an index; the own answer's "
            "title gives it away.",
            low=0,
            high=1,
        ),
    ] = 1.0
    max_length: Annotated[
        int, Arg("Longest text, in tokens, special ones included; the end is cut.", low=8)
    ] = 256
    measured: Annotated[int, Arg("Held-out questions used per evaluation.", low=1)] = 50
    candidates: Annotated[int, Arg("Answers per held-out question, one of them its own.", low=2)] = 10

    def __post_init__(self) -> None:
        if self.last_rank < self.first_rank:
            raise make_refusal(f"ranks {self.first_rank} to {self.last_rank} are not a range", CODE)


@specification(kw_only=True)
class DenseSettings(BiEncoderSettings):
    """The settings of training a dense encoder of questions and answers."""

    pooling: Annotated[
        EncoderPooling, Arg("Pooling: the mean of all tokens' states, or the first token's.")
    ] = "mean"
    temperature: Annotated[float, Arg("Temperature: what cosines are divided by.", low=0)] = 0.05

    def __post_init__(self) -> None:
        BiEncoderSettings.__post_init__(self)
        if not self.temperature:
            raise make_refusal("the temperature must be above 0", CODE)


@specification(kw_only=True)
class SpladeSettings(BiEncoderSettings):
    """The settings of training a sparse encoder of questions and answers."""

    question_flops: Annotated[float, Arg("Weight of the FLOPS loss of questions.", low=0)] = 3e-4
    answer_flops: Annotated[float, Arg("Weight of the FLOPS loss of answers.", low=0)] = 1e-4
    flops_warmup: Annotated[int, Arg("Batches over which both weights rise, quadratically.", low=0)] = 0
