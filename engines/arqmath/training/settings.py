"""Settings of pre-training and fine-tuning, as a recipe's table `model` has them. No torch is needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from engines.core.spec import Arg, refused

CORPORA = ("mathse1", "mathse2", "mathse3", "khan", "amps")
"""MathSE (1) natural sentences, (2) text and formulas, (3) parts of formulas; AMPS' Khan exercises, all of
AMPS. Of several the examples are mixed."""
PairSource = Literal["collection", "annotated"]
Pooling = Literal["mean", "cls"]

CODE = "E676"


@dataclass(frozen=True, slots=True, kw_only=True)
class PretrainSettings:
    """How a language model is pre-trained."""

    corpora: Annotated[str, Arg(f"What is read: one or more of {', '.join(CORPORA)}, joined by +.")] = (
        "mathse1"
    )
    max_length: Annotated[int, Arg("Tokens of an example, special ones counted.", low=8)] = 512
    split_inside_formulas: Annotated[
        bool, Arg("Split MathSE at marks inside formulas too, as the published code does.")
    ] = False
    order: Annotated[bool, Arg("Predict sentence order besides the masked tokens; RoBERTa never does.")] = (
        True
    )
    first_token: Annotated[
        bool, Arg("Instead of the order: pairs in their order, and the first token of the second segment.")
    ] = False
    masked: Annotated[float, Arg("Share of the tokens that is predicted.", low=0, high=1)] = 0.15
    latex_tokens: Annotated[bool, Arg("Give the tokenizer the LaTeX tokens.")] = True
    held_out: Annotated[float, Arg("Share of the documents that is measured on.", low=0, high=1)] = 0.05
    measured: Annotated[int, Arg("Held-out examples that an evaluation looks at.", low=1)] = 500

    @property
    def names(self) -> tuple[str, ...]:
        """The corpora one by one."""
        return tuple(self.corpora.split("+"))

    def __post_init__(self) -> None:
        if any(name not in CORPORA for name in self.names):
            remedy = f"It names one of {', '.join(CORPORA)}, or a+b."
            raise refused(f"corpora is {self.corpora!r}", CODE, remedy)
        if not 0 < self.masked < 1 or not 0 < self.held_out < 1:
            raise refused("masked and held_out are shares between 0 and 1", CODE)
        if self.first_token and self.order:
            remedy = "Leave one of them out: --set model.order=false"
            raise refused("order and first_token are both to be predicted", CODE, remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class CocoMaeSettings:
    """How a language model is pre-trained by two spans of a post."""

    max_length: Annotated[int, Arg("Tokens of a span, special ones counted.", low=8)] = 128
    masked: Annotated[float, Arg("Share of the encoder's tokens that is predicted.", low=0, high=1)] = 0.3
    decoder_masked: Annotated[float, Arg("The same of the decoder's.", low=0, high=1)] = 0.45
    decoder_layers: Annotated[int, Arg("Layers of the decoder, which is not saved.", low=1)] = 2
    decoder_weight: Annotated[float, Arg("What the decoder's loss is multiplied by.", low=0)] = 1.0
    contrastive_weight: Annotated[float, Arg("The same of the contrastive loss.", low=0)] = 1.0
    temperature: Annotated[float, Arg("What cosines of spans are divided by.", low=0)] = 0.05
    latex_tokens: Annotated[bool, Arg("Give the tokenizer the LaTeX tokens.")] = True
    held_out: Annotated[float, Arg("Share of the posts that is measured on.", low=0, high=1)] = 0.05
    measured: Annotated[int, Arg("Held-out posts that an evaluation looks at.", low=1)] = 500

    def __post_init__(self) -> None:
        shares = {name: getattr(self, name) for name in ("masked", "decoder_masked", "held_out")}
        if wrong := next((name for name, share in shares.items() if not 0 < share < 1), None):
            raise refused(f"{wrong} is {shares[wrong]}, and a share between 0 and 1 is needed", CODE)
        if not self.temperature:
            raise refused("the temperature is 0, and above 0 is needed", CODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class FinetuneSettings:
    """How a cross-encoder is fine-tuned."""

    pairs: Annotated[
        PairSource, Arg("Questions with their own answers, or the relevant answers of judged topics.")
    ] = "collection"
    per_question: Annotated[int, Arg("Correct answers of a question, at most.", low=1)] = 1
    hard_share: Annotated[
        float,
        Arg("Share of the incorrect answers from the first stage, where its run is given.", low=0, high=1),
    ] = 0.5
    max_length: Annotated[
        int, Arg("Tokens of a pair with its special ones; the longer side is cut.", low=8)
    ] = 512
    measured: Annotated[int, Arg("Held-out questions that an evaluation looks at.", low=1)] = 500
    candidates: Annotated[int, Arg("Answers of each of them, one of which is correct.", low=2)] = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankSettings:
    """How a re-ranker with a cosine head is trained."""

    answers: Annotated[int, Arg("Answers of a list.", low=2)] = 8
    first_rank: Annotated[int, Arg("Ranks of the first stage from here on give wrong answers.", low=1)] = 5
    last_rank: Annotated[int, Arg("The deepest rank that is drawn from.", low=2)] = 64
    temperature: Annotated[float, Arg("What cosines are divided by.", low=0)] = 0.05
    teacher_temperature: Annotated[
        float, Arg("What the first stage's scores, 0 to 1 within a question, are divided by.", low=0)
    ] = 0.1
    trained_layers: Annotated[int, Arg("Upper layers that are trained; 0: all, and the words.", low=0)] = 0
    latex_tokens: Annotated[bool, Arg("Give the tokenizer the LaTeX tokens.")] = False
    question_tokens: Annotated[
        int, Arg("Tokens of the body of an answer's question that are read behind its title.", low=0)
    ] = 0
    window: Annotated[
        bool, Arg("Read of a long answer what shares most with the question; off: its beginning.")
    ] = True
    max_length: Annotated[
        int, Arg("Tokens of a pair with its special ones; the longer side is cut.", low=8)
    ] = 256
    measured: Annotated[int, Arg("Held-out questions that an evaluation looks at.", low=1)] = 50
    layers_alone: Annotated[
        bool, Arg("Save the trained layers alone, in 16 bits, to be read onto the built-in MiniLM.")
    ] = False

    def __post_init__(self) -> None:
        if not self.temperature or not self.teacher_temperature:
            raise refused("a temperature is 0, and above 0 is needed", CODE)
        if self.layers_alone and (self.latex_tokens or not self.trained_layers):
            remedy = "Save all of it: --set model.layers_alone=false"
            raise refused("only upper layers of MiniLM can be saved alone", CODE, remedy)
        if self.last_rank - self.first_rank + 1 < self.answers:
            raise refused(f"ranks {self.first_rank} to {self.last_rank} hold no {self.answers} answers", CODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class BiEncoderSettings:
    """What encoders of questions and answers, dense or sparse, are trained on."""

    negatives: Annotated[
        int,
        Arg(
            "Wrong answers of a question from the first stage, where its run is given; the batch has more.",
            low=0,
        ),
    ] = 1
    first_rank: Annotated[int, Arg("Ranks of the first stage from here on give wrong answers.", low=1)] = 5
    last_rank: Annotated[int, Arg("The deepest rank that is drawn from.", low=1)] = 64
    titled: Annotated[
        float,
        Arg(
            "Share of the questions whose answers have titles before them, as an index has them; that of its "
            "own answer gives it away.",
            low=0,
            high=1,
        ),
    ] = 1.0
    max_length: Annotated[int, Arg("Tokens of a text with its special ones; the end is cut.", low=8)] = 256
    measured: Annotated[int, Arg("Held-out questions that an evaluation looks at.", low=1)] = 50
    candidates: Annotated[int, Arg("Answers of each of them, one of which is its own.", low=2)] = 10

    def __post_init__(self) -> None:
        if self.last_rank < self.first_rank:
            raise refused(f"there are no ranks {self.first_rank} to {self.last_rank}", CODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseSettings(BiEncoderSettings):
    """How a dense encoder of questions and answers is trained."""

    pooling: Annotated[Pooling, Arg("The vector: the mean of all tokens' states, or that of the first.")] = (
        "mean"
    )
    temperature: Annotated[float, Arg("What cosines are divided by.", low=0)] = 0.05

    def __post_init__(self) -> None:
        BiEncoderSettings.__post_init__(self)
        if not self.temperature:
            raise refused("the temperature is 0, and above 0 is needed", CODE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpladeSettings(BiEncoderSettings):
    """How a sparse encoder of questions and answers is trained."""

    question_flops: Annotated[float, Arg("Weight of the FLOPS of questions.", low=0)] = 3e-4
    answer_flops: Annotated[float, Arg("Weight of the FLOPS of answers.", low=0)] = 1e-4
    flops_warmup: Annotated[
        int, Arg("Batches in which both weights rise, as the square of how many there were.", low=0)
    ] = 0
