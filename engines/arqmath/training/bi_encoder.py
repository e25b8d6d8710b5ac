"""The trainers `arqmath.encoder` and `arqmath.splade`: questions and answers as vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from engines.arqmath.training.forum_task import MADE_FOR, ForumTask, move_to_model, rank_of
from engines.arqmath.training.model_folder import quieten_transformers, rows_by_kind
from engines.arqmath.training.pairs import draw_held_out, read_linked_questions, read_question_run
from engines.arqmath.training.settings import BiEncoderSettings, DenseSettings, EncoderPooling, SpladeSettings
from engines.core.errors import DataError, EngineError
from engines.core.files import write_text
from engines.training.checkpoints import model_card
from engines.training.data import Resampled
from engines.training.libraries import POOLINGS, rows_of_all
from engines.training.token_cache import CachedSequences

if TYPE_CHECKING:
    import torch

    from engines.retrieval.trec import TrecRun


# What trainings of dense and of sparse encoders share: questions and answers are read apart, and compared.
#
# A question is read as `arqmath rank` asks it, title and body; an answer as an index reads it, the title of
# its question before it. That title gives a question's own answer away, so a share of the questions can be
# learnt without titles, before right and wrong answers alike. The loss (InfoNCE) is the cross-entropy in nats
# of the own answer among all answers of the batch, in all processes: the own ones of the other questions, and
# the wrong ones that a first stage ranked high. Answers to the same question or a known duplicate are none of
# its wrong ones, nor does a first stage give it answers to questions that are linked to it. Judgements are
# never read.

LIMITS = (
    MADE_FOR,
    "Wrong answers of the training are other questions' answers: some of them fit all the same.",
    "Its score orders answers to one question; it is no probability.",
)
Settings = TypeVar("Settings", bound=BiEncoderSettings)


class BiEncoderExample(NamedTuple):
    """A question, the number of its set of duplicates, its own answer and wrong ones as rows of the texts,
    and the numbers of their questions' sets."""

    question: int
    group: int
    answers: tuple[int, ...]
    groups: tuple[int, ...]


class HeldOutQuestion(NamedTuple):
    """A held-out question and candidates, the own answer first, with and without titles, as rows."""

    question: int
    titled: tuple[int, ...]
    bare: tuple[int, ...]


def info_nce(
    questions: torch.Tensor,
    answers: torch.Tensor,
    same: torch.Tensor,
    *,
    begin: int = 0,
    temperature: float = 1.0,
) -> torch.Tensor:
    """Return the mean cross-entropy in nats of each question's answer among all, by products of vectors.

    Args:
        questions: (batch, d).
        answers: (answers, d); those of the questions begin at `begin`, in their order.
        same: (batch, answers), which are no wrong answers to a question.
    """
    import torch

    right = begin + torch.arange(len(questions), device=questions.device)
    candidates = ~same
    candidates[right - begin, right] = True
    # Products in 16 bits would tell cosines apart by 0.004 at best.
    with torch.autocast(questions.device.type, enabled=False):
        scores = questions.float() @ answers.float().T / temperature
    return torch.nn.functional.cross_entropy(scores.masked_fill(~candidates, -torch.inf), right)


class BiEncoderTask(ForumTask[Settings]):
    """Training of such an encoder as a training task; what the vectors are, the trainers say."""

    files = ("run", "exclude")
    linked = True
    measures: tuple[str, ...] = ("validation_loss_nats", "validation_mrr", "validation_bare_mrr")

    def __init__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> None:
        super().__init__(model, data, seed=seed)
        self._saw_negative: bool | None = None

    @property
    @abstractmethod
    def temperature(self) -> float:
        """The number that products of vectors are divided by."""

    @abstractmethod
    def model(self) -> torch.nn.Module:
        """Return the encoder: called with `input_ids` and `attention_mask`, it gives the vectors, (texts,
        d).
        """

    def compute_regularisation(
        self, model: torch.nn.Module, questions: torch.Tensor, answers: torch.Tensor
    ) -> torch.Tensor | float:
        """Return the term that is added to the loss.

        Args:
            questions, answers: Vectors of all processes.
        """
        del model, questions, answers
        return 0.0

    def measure_vectors(self, question: torch.Tensor, answers: torch.Tensor) -> Mapping[str, float]:
        """Return further measures of a held-out question, `(1, d)`, and its candidates, `(answers, d)`."""
        del question, answers
        return {}

    @cached_property
    def _split(self) -> tuple[list[int], list[int]]:
        count = len(self.threads.questions)
        held = draw_held_out(count, Random(self.seed))
        trained = sorted(set(range(count)) - set(held))
        return trained, sorted(held[: self.settings.measured])

    @cached_property
    def _first_stage_run(self) -> tuple[TrecRun, dict[str, set[str]]] | None:
        if "run" not in self.data:
            return None
        return read_question_run(self.data["run"], self.threads), read_linked_questions(self.folder)

    def list_hard_negatives(self, index: int) -> list[str]:
        """Return answers to other questions that the first stage ranks high for a question, best first."""
        if self._first_stage_run is None:
            return []
        (run, linked), threads, settings = self._first_stage_run, self.threads, self.settings
        question, group = threads.questions[index], threads.groups[index]
        others = threads.drop_own_answers(index, run.rankings.get(question, ()))
        near, result = linked.get(question, set()), []
        for answer, _ in others[settings.first_rank - 1 : settings.last_rank]:
            other = threads.known[answer]
            if threads.groups[other] != group and threads.questions[other] not in near:
                result.append(answer)
        return result

    @cached_property
    def _held_out_ids(self) -> list[tuple[int, list[str]]]:
        """Measured questions by place, with candidates: the own answer, ranked ones, others of its tags."""
        result, many = [], self.settings.candidates - 1
        for index in self._split[1]:
            draw = Random(f"{self.seed} {index}")
            ranked = self.list_hard_negatives(index)
            wrong = draw.sample(ranked, min(many, len(ranked)))
            more = self.threads.draw_incorrect(index, many, draw)
            wrong += [answer for answer in more if answer not in wrong][: many - len(wrong)]
            if wrong:
                result.append((index, [draw.choice(self.threads.list_correct(index)), *wrong]))
        return result

    @cached_property
    def _texts(self) -> tuple[dict[tuple[str, str], int], CachedSequences]:
        """Rows by kind and id, and the tokens: questions, answers behind titles and, as far as they are read,
        without."""
        threads, room = self.threads, self.settings.max_length - self.frame.width_one
        # Candidates of held-out questions are also measured without their titles.
        bare = {id for _, candidates in self._held_out_ids for id in candidates}
        if self.settings.titled < 1:
            bare |= threads.known.keys()
        asked = set(threads.questions)

        def iterate_posts() -> Iterator[Any]:
            seen: set[str] = set()
            for post in self.iterate_posts():
                if (post.id in asked or post.id in threads.known) and post.id not in seen:
                    seen.add(post.id)
                    yield post

        def iterate_texts() -> Iterator[tuple[str, str]]:
            # Answers may stand before their question in the file, so titles are read in a pass of their own.
            titles = {post.id: post.title for post in iterate_posts() if post.kind == 1}
            for post in iterate_posts():
                if post.kind == 1:
                    yield f"question {post.id}", post.text
                    continue
                yield f"titled {post.id}", f"{titles[post.parent]}\n{post.body.text}"
                if post.id in bare:
                    yield f"bare {post.id}", post.body.text

        every = self.settings.titled < 1 or sorted(bare)
        names, result = self.tokenize_texts(
            "apart", "collection", "exclude", texts=iterate_texts, keep=room, bare=every
        )
        return rows_by_kind(names), result

    def train_data(self) -> Resampled[BiEncoderExample]:
        """Return the questions that are trained on, each with other answers in every epoch."""
        trained = self._split[0]
        if not trained:
            what = "the collection has only one question with an answer, which leaves none to train on"
            remedy = "Name a larger collection."
            raise DataError(what, path=self.data["collection"], code="E674", exit_code=3, remedy=remedy)
        shared = self.settings
        if (
            "run" in self.data
            and shared.negatives
            and not any(self.list_hard_negatives(index) for index in trained)
        ):
            raise DataError(
                f"no training question has a wrong answer from the collection at ranks "
                f"{shared.first_rank} to {shared.last_rank} of this run",
                path=self.data["run"],
                code="E674",
                remedy="Name a run of this collection, a lower first_rank, or none and negatives=0.",
            )
        assert self._texts is not None
        return Resampled(len(trained), lambda row, draw: self._draw_example(trained[row], draw), self.seed)

    def _draw_example(self, index: int, draw: np.random.Generator) -> BiEncoderExample:
        threads, rows, chance = self.threads, self._texts[0], Random(int(draw.integers(2**62)))
        hard = self.list_hard_negatives(index)
        answers = [chance.choice(threads.list_correct(index))]
        answers += chance.sample(hard, min(self.settings.negatives, len(hard)))
        kind = "titled" if chance.random() < self.settings.titled else "bare"
        return BiEncoderExample(
            rows["question", threads.questions[index]],
            threads.groups[index],
            tuple(rows[kind, answer] for answer in answers),
            tuple(threads.groups[threads.known[answer]] for answer in answers),
        )

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        return self._texts[1].lengths + self.frame.width_one

    def length(self, example: BiEncoderExample) -> int:
        """Return tokens of the question and all its answers."""
        return int(self._lengths[[example.question, *example.answers]].sum())

    def collate(self, examples: Sequence[BiEncoderExample]) -> dict[str, torch.Tensor]:
        """Return a batch: questions, then their own answers, then wrong answers.

        Shapes: `question_ids` and `question_mask` (batch, length); `answer_ids` and `answer_mask` (answers,
        length); `groups` (batch,); `answer_groups` (answers,). Duplicates of a question share a group.
        """
        import torch

        def collect_column(of: str) -> list[int]:
            own = [getattr(one, of)[0] for one in examples]
            return own + [each for one in examples for each in getattr(one, of)[1:]]

        questions = self.pad_texts([one.question for one in examples])
        answers = self.pad_texts(collect_column("answers"))
        return {
            "question_ids": questions["input_ids"],
            "question_mask": questions["attention_mask"],
            "answer_ids": answers["input_ids"],
            "answer_mask": answers["attention_mask"],
            "groups": torch.tensor([one.group for one in examples]),
            "answer_groups": torch.tensor(collect_column("groups")),
        }

    def pad_texts(self, rows: Sequence[int]) -> dict[str, torch.Tensor]:
        """Return `input_ids` and `attention_mask` of texts, each of shape `(texts, length)`."""
        result = self.pad_pairs([self.frame.wrap_text(self._texts[1][row]) for row in rows])
        return {name: result[name] for name in ("input_ids", "attention_mask")}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the number of questions of a batch."""
        return (len(batch["groups"]),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return the InfoNCE loss over the answers of all processes, plus the trainer's regularisation.

        For question i with own answer i, the loss is -log(exp(s_ii / τ) / Σ_j exp(s_ij / τ)) (van den Oord et
        al. 2018); j leaves out other answers of the same group.
        """
        questions, own = (
            model(input_ids=batch[f"{side}_ids"], attention_mask=batch[f"{side}_mask"])
            for side in ("question", "answer")
        )
        answers, begin = rows_of_all(own)
        groups, _ = rows_of_all(batch["answer_groups"])
        same = batch["groups"][:, None] == groups
        self._saw_negative = self._saw_negative or not bool(same.all())
        result = info_nce(questions, answers, same, begin=begin, temperature=self.temperature)
        return result + self.compute_regularisation(model, rows_of_all(questions)[0], answers)

    def unmeasured(self, _name: str) -> str:
        """Return why a metric cannot be measured, or an empty text."""
        return "" if self._held_out_ids else "no question is held out"

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure held-out questions: the loss of the own answer among the candidates, and its mean
        reciprocal rank.

        Candidates are measured as an index reads them, with and without titles; equal scores count half.

        Raises:
            EngineError: E687 when no batch had a wrong answer: the loss is 0 then.
        """
        import torch

        if self._saw_negative is False:
            what = "no batch had a wrong answer to any of its questions, so nothing was learned"
            remedy = "Use a larger train.batch_size, or give a first stage's run as data.run."
            raise EngineError(what, code="E687", remedy=remedy)
        losses: list[float] = []
        seen: list[Mapping[str, float]] = []
        ranks: dict[str, list[float]] = {"titled": [], "bare": []}
        for one in self.held_out:
            question = self.encode_rows(model, [one.question])
            for kind, rows in (("titled", one.titled), ("bare", one.bare)):
                answers = self.encode_rows(model, rows)
                # Row 0 is the question's own answer, the others are wrong.
                right, *wrong = (question @ answers.T)[0].tolist()
                ranks[kind].append(rank_of(right, wrong))
                if kind == "titled":
                    nothing = torch.zeros(1, len(rows), dtype=torch.bool, device=answers.device)
                    losses.append(float(info_nce(question, answers, nothing, temperature=self.temperature)))
                    seen.append(self.measure_vectors(question, answers))
        if not losses:
            return {}
        return {
            "validation_loss_nats": float(np.mean(losses)),
            "validation_mrr": float(np.mean(1 / np.array(ranks["titled"]))),
            "validation_bare_mrr": float(np.mean(1 / np.array(ranks["bare"]))),
            **{name: float(np.mean([one[name] for one in seen])) for name in seen[0]},
        }

    @cached_property
    def held_out(self) -> list[HeldOutQuestion]:
        """The held-out questions with their candidates, as rows of texts."""
        rows = self._texts[0]
        return [
            HeldOutQuestion(
                rows["question", self.threads.questions[index]],
                tuple(rows["titled", id] for id in candidates),
                tuple(rows["bare", id] for id in candidates),
            )
            for index, candidates in self._held_out_ids
        ]

    def encode_rows(self, model: torch.nn.Module, rows: Sequence[int]) -> torch.Tensor:
        """Return the vectors of texts, shape `(texts, d)`."""
        result: torch.Tensor = model(**move_to_model(self.pad_texts(rows), model))
        return result.float()

    def save_library_model(
        self,
        kind: Literal["SentenceTransformer", "SparseEncoder"],
        language: Any,
        modules: Sequence[Any],
        folder: Path,
        facts: Mapping[str, Any],
        **about: Any,
    ) -> None:
        """Write a model as this class of sentence-transformers reads it, and its card.

        Args:
            language: A language model, with its head for masked tokens where it is to be sparse.
            modules: The library's, behind it.
            about: As `card` takes it.
        """
        import sentence_transformers
        from sentence_transformers.base.modules import Transformer

        task = "fill-mask" if kind == "SparseEncoder" else "feature-extraction"
        with quieten_transformers(), TemporaryDirectory(prefix="mathwb-") as scratch_folder:
            language.save_pretrained(scratch_folder)
            self.tokenizer.save_pretrained(scratch_folder)
            first = Transformer(scratch_folder, transformer_task=task, model_kwargs={"use_safetensors": True})
            made = getattr(sentence_transformers, kind)(modules=[first, *modules], device="cpu")
            made.save_pretrained(str(folder), create_model_card=False)
        about["tags"] = ("sentence-transformers", *about["tags"], "mathematics")
        use = (
            f"from sentence_transformers import {kind}\n"
            f'model = {kind}("this-folder")\n'
            'model.similarity(model.encode("Is $2$ prime?"), model.encode("Primes\\nYes, it is."))'
        )
        write_text(folder / "README.md", model_card(facts=facts, limits=LIMITS, use=use, **about))

    def card_data(self) -> dict[str, object]:
        """Return what the model card says about the data."""
        trained = self._split[0]
        lacking = sum(not self.list_hard_negatives(index) for index in trained)
        without = f"{lacking:,} questions without a wrong answer of it"
        return {
            "collection": self.folder.title,
            "questions": f"{len(self.threads.questions):,}, {len(trained):,} of them trained on",
            "answers": f"{len(self.threads.known):,}",
            "first stage": f"{self.data['run'].name}, {without}" if "run" in self.data else "none",
            "begun from": self.backbone.name,
            "tokens of a text": f"{self.settings.max_length}, the end is cut",
        }


# The trainer `arqmath.encoder`: a dense encoder of questions and answers.
#
# A text's vector, of length 1, is the mean of its tokens' states or the first token's state; the cosine of
# question and answer orders answers. It is trained as `bi_encoder` says, and saved as a folder of
# sentence-transformers: `arqmath index --dense --encoder FOLDER` makes the vectors of answers and questions
# by it.


class DenseTask(BiEncoderTask[DenseSettings]):
    """The trainer `arqmath.encoder`. Data: collection (a folder of ARQMath); run (a first stage's, whose
    topics are questions of the collection: `arqmath rank --questions`; without one wrong answers are those of
    the batch); backbone (a model folder; MiniLM without); exclude (ids of posts to keep out, one a line)."""

    trainer = "arqmath.encoder"
    settings_class = DenseSettings

    @property
    def temperature(self) -> float:
        """The number that cosines are divided by."""
        return self.settings.temperature

    def model(self) -> torch.nn.Module:
        """Return the model as the training begins with it."""
        return _build_dense_encoder(self.backbone.open_encoder(), self.settings.pooling)

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write a folder that sentence-transformers opens."""
        from sentence_transformers.base.modules import Normalize
        from sentence_transformers.sentence_transformer.modules import Pooling as LibraryPooling

        language: Any = model.get_submodule("language")
        pooling = self.settings.pooling
        library = LibraryPooling(int(language.config.hidden_size), pooling_mode=pooling)
        what = {"mean": "the mean of all states", "cls": "the first state"}[pooling]
        self.save_library_model(
            "SentenceTransformer",
            language,
            [library, Normalize()],
            folder,
            facts,
            title="ARQMath encoder",
            about="Encodes questions and answers as vectors of length 1; their cosine orders answers.",
            data={**self.card_data(), "vector": what},
            tags=("sentence-similarity",),
        )


def _build_dense_encoder(language: Any, pooling: EncoderPooling) -> torch.nn.Module:
    from torch import nn

    class Encoder(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.language = language

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            result = self.language(input_ids=input_ids, attention_mask=attention_mask)
            states = result.last_hidden_state.float()
            return nn.functional.normalize(POOLINGS[pooling](states, attention_mask.bool()), dim=-1)

    return Encoder()


# The trainer `arqmath.splade`: a sparse encoder of questions and answers, as SPLADE v2 (Formal et al. 2021).
#
# A language model with its head for masked tokens says of every word of its vocabulary how much it counts in
# a text: the highest log(1 + relu(logit)) of the text's tokens. The product of question and answer orders
# answers. It is trained as `bi_encoder` says; to the loss is added, with a weight for each side, an estimate
# of the FLOPS of a search: the sum over words of the squared mean weight (Paria et al. 2020). These weights
# rise with the square of the batches. It is saved as a folder of sentence-transformers' SparseEncoder:
# `arqmath index --sparse FOLDER`.


def estimate_flops(vectors: torch.Tensor) -> torch.Tensor:
    """Return the sum over terms of the squared mean of their weights, (texts, terms)."""
    return (vectors.mean(0) ** 2).sum()


class SpladeTask(BiEncoderTask[SpladeSettings]):
    """The trainer `arqmath.splade`. Data: collection (a folder of ARQMath); run (a first stage's, whose
    topics are questions of the collection: `arqmath rank --questions`; without one wrong answers are those of
    the batch); backbone (a folder of a language model; MiniLM, with a new head, without); exclude (ids of
    posts to keep out, one per line)."""

    trainer = "arqmath.splade"
    settings_class = SpladeSettings
    measures = (*BiEncoderTask.measures, "validation_question_terms", "validation_answer_terms")

    @property
    def temperature(self) -> float:
        """Products are used as they are."""
        return 1.0

    @cached_property
    def _language(self) -> tuple[torch.nn.Module, bool]:
        with quieten_transformers():
            return self.backbone.masked_model()

    def model(self) -> torch.nn.Module:
        """Return the model as the training begins with it."""
        return _build_splade_encoder(self._language[0])

    def compute_regularisation(
        self, model: torch.nn.Module, questions: torch.Tensor, answers: torch.Tensor
    ) -> torch.Tensor:
        """Return the FLOPS of both sides by their weights, which rise with every batch."""
        seen: torch.Tensor = model.get_buffer("batches")
        seen += 1
        share = (seen / max(1, self.settings.flops_warmup)).clamp(max=1) ** 2
        weights = self.settings.question_flops, self.settings.answer_flops
        return share * (weights[0] * estimate_flops(questions) + weights[1] * estimate_flops(answers))

    def measure_vectors(self, question: torch.Tensor, answers: torch.Tensor) -> dict[str, float]:
        """Return how many terms of a question and, on average, of an answer are not 0."""
        return {
            f"validation_{side}_terms": float((vectors > 0).sum(1).float().mean())
            for side, vectors in (("question", question), ("answer", answers))
        }

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure as every bi-encoder does, and count the terms of the vectors.

        Raises:
            EngineError: E687 when no answer has any: then nothing more is learnt.
        """
        result = super().evaluate(model)
        if result.get("validation_answer_terms") == 0:
            raise EngineError(
                "all terms of all held-out answers have weight 0 and cannot recover",
                code="E687",
                remedy=(
                    "Lower the FLOPS weights or the learning rate, or start from a language model "
                    "with its masked-token head."
                ),
            )
        return result

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write a folder that sentence-transformers opens."""
        from sentence_transformers.sparse_encoder.modules import SpladePooling

        new = "new: the word embeddings after a transform initialised as the identity"
        self.save_library_model(
            "SparseEncoder",
            model.get_submodule("language"),
            [SpladePooling()],
            folder,
            facts,
            title="ARQMath SPLADE",
            about="Encodes questions and answers as weights of terms; their product orders answers.",
            data={**self.card_data(), "head": new if self._language[1] else "that of the language model"},
            tags=("sparse-encoder", "splade"),
        )


def _build_splade_encoder(language: Any) -> torch.nn.Module:
    """Return (texts, terms) weights of texts."""
    import torch
    from torch import nn

    class Splade(nn.Module):  # type: ignore[misc]  # an untyped library
        def __init__(self) -> None:
            super().__init__()
            self.language = language
            self.register_buffer("batches", torch.zeros((), dtype=torch.float32))

        def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
            logits = self.language(input_ids=input_ids, attention_mask=attention_mask).logits
            padding = attention_mask.unsqueeze(-1) == 0
            # What is highest stays so in the logarithm, which is then taken once for a text.
            highest = logits.masked_fill(padding, -torch.inf).max(1).values
            return torch.log1p(torch.relu(highest.float()))

    return Splade()
