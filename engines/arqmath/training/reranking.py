"""The trainer `arqmath.reranker`: a pair's cosine learns the order of lists of answers.

Each question of the collection has two lists or three. In one, answers to other questions, with the titles of
those before them as a first stage knows them, are to be ordered as the first stage orders them (listwise
distillation). In another, an answer of its own, or one to a question that is linked to it, is to stand before
answers that the first stage ranked 5th to 64th; titles are left out there, since they would give it away.
Where questions are linked to it and the model reads their bodies (`question_tokens`), a third one has an
answer to one of those before such answers, all with title and body of their questions. The loss of a list is
the cross-entropy in nats of the softmax of cosines against its target. Judgements are never read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from engines.arqmath.ranking.cross_encoder import cosine_head, mark_config, write_library_files
from engines.arqmath.training.backbones import Backbone, add_latex_tokens
from engines.arqmath.training.forum_task import MADE_FOR, ForumTask, move_to_model, rank_of
from engines.arqmath.training.model_folder import (
    MINILM,
    TokenFrame,
    TrainedWeights,
    backbone_folder,
    best_window,
    longest_first,
    rows_by_kind,
    save_model,
)
from engines.arqmath.training.pairs import MAKE_RUN, draw_held_out, read_linked_questions
from engines.arqmath.training.settings import CODE, RerankSettings
from engines.core.errors import DataError
from engines.core.spec import make_refusal
from engines.training.token_cache import CachedSequences

if TYPE_CHECKING:
    import torch


LIMITS = (
    MADE_FOR,
    "It reads the title of an answer's question before the answer.",
    "Its score orders answers together with a first stage; it is not a probability.",
)


@dataclass(frozen=True, slots=True)
class _AnswerList:
    question: str
    answers: tuple[str, ...]
    target: tuple[float, ...]
    titled: bool


class RerankTask(ForumTask[RerankSettings]):
    """The trainer `arqmath.reranker`. Data: collection (a folder of ARQMath); run (a first stage's, whose
    topics are questions of the collection: `arqmath rank --questions`); backbone (a model folder; MiniLM
    without); exclude (ids of posts to keep out, one per line)."""

    trainer = "arqmath.reranker"
    settings_class = RerankSettings
    needs: ClassVar = {**ForumTask.needs, "run": "run of a first stage (arqmath rank --questions)"}
    files = ("run", "exclude")
    linked = True
    measures = ("validation_loss_nats", "validation_mrr")

    def __init__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> None:
        super().__init__(model, data, seed=seed)
        if self.settings.layers_alone and str(data.get("backbone", MINILM)) != MINILM:
            remedy = "Save all of it: --set model.layers_alone=false"
            raise make_refusal("only the built-in MiniLM can be saved as layers alone", CODE, remedy)

    @cached_property
    def backbone(self) -> Backbone:
        """The language model that is trained.

        Raises:
            DataError: E672 for one that does not tell the sides of a pair apart.
        """
        result = super().backbone
        if not TokenFrame.from_tokenizer(result.tokenizer, types=result.types).second:
            raise DataError(
                f"{result.name} cannot tell the two sides of a pair apart",
                path=backbone_folder(self.data.get("backbone", MINILM)),
                code="E672",
                remedy="Use a BERT or ALBERT model, which has token types.",
            )
        return result

    @cached_property
    def _model(self) -> Any:
        encoder: Any = self.backbone.open_encoder()
        if self.settings.latex_tokens:
            add_latex_tokens(self.tokenizer, encoder)
        layers = len(getattr(encoder.encoder, "layer", ()))
        if self.settings.trained_layers and layers:
            first = layers - self.settings.trained_layers
            kept = tuple(f"encoder.layer.{number}." for number in range(max(0, first), layers))
            for name, weight in encoder.named_parameters():
                new_words = self.settings.latex_tokens and "word_embeddings" in name
                weight.requires_grad_(name.startswith(kept) or new_words)
        mark_config(encoder, self.settings.question_tokens, self.settings.window)
        return cosine_head(encoder)

    def model(self) -> torch.nn.Module:
        """Return the model as the training begins with it."""
        model: torch.nn.Module = self._model
        return model

    @cached_property
    def _places(self) -> dict[str, int]:
        return {question: index for index, question in enumerate(self.threads.questions)}

    @cached_property
    def _same(self) -> dict[int, set[int]]:
        result: dict[int, set[int]] = {}
        for index, group in enumerate(self.threads.groups):
            result.setdefault(group, set()).add(index)
        return result

    @cached_property
    def _lists(self) -> tuple[list[_AnswerList], list[_AnswerList]]:
        from engines.retrieval.fusion import min_max
        from engines.retrieval.trec import read_run

        threads, settings = self.threads, self.settings
        ranked, linked = read_run(self.data["run"]).rankings, read_linked_questions(self.folder)
        draw = Random(self.seed)
        count = len(threads.questions)
        held = set(draw_held_out(count, draw))
        measured = set(draw.sample(sorted(held), min(settings.measured, len(held))))
        sides: tuple[list[_AnswerList], list[_AnswerList]] = [], []
        self.without = 0
        for index, question in enumerate(threads.questions):
            others = threads.drop_own_answers(index, min_max(ranked.get(question, ())))
            lists = self._of_question(index, others, linked.get(question, set()), draw)
            self.without += not lists
            if index not in held or index in measured:
                sides[index in held].extend(lists)
        if not sides[0]:
            raise DataError(
                f"no question of the collection has {settings.answers} ranked answers of others in this run",
                path=self.data["run"],
                code="E674",
                remedy=MAKE_RUN,
            )
        return sides

    def _of_question(
        self, index: int, others: Sequence[tuple[str, float]], linked: set[str], draw: Random
    ) -> list[_AnswerList]:
        threads, settings = self.threads, self.settings
        question, size = threads.questions[index], settings.answers
        first, last = settings.first_rank - 1, settings.last_rank
        head, deep = others[:first], others[first:last]
        # A quarter of a list is from the top of the run, the rest from the ranks that the settings name.
        few = min(len(head), size // 4)
        if len(deep) < size - few:
            return []
        chosen = draw.sample(head, few) + draw.sample(deep, size - few)
        scores = [score for _, score in chosen]
        # The teacher's scores as probabilities: the target of ListNet (Cao et al. 2007), softened by a
        # temperature.
        powers = np.exp((np.array(scores) - max(scores)) / settings.teacher_temperature)
        target = tuple((powers / powers.sum()).tolist())
        lists = [_AnswerList(question, tuple(answer for answer, _ in chosen), target, titled=True)]
        # Answers to duplicates and linked questions count as right, and never as wrong.
        same = self._same[threads.groups[index]] | {self._places[n] for n in linked if n in self._places}
        right = [answer for other in sorted(same) for answer in threads.list_correct(other)]
        wrong = [answer for answer, _ in deep if threads.known[answer] not in same]
        # A list with one right answer, first, among wrong ones from the run.
        first_right = (1.0,) + (0.0,) * (size - 1)
        if len(wrong) >= size - 1:
            answers = (draw.choice(right), *draw.sample(wrong, size - 1))
            lists.append(_AnswerList(question, answers, first_right, titled=False))
        linked_to = [answer for other in sorted(same - {index}) for answer in threads.list_correct(other)]
        if settings.question_tokens and linked_to and len(wrong) >= size - 1:
            answers = (draw.choice(linked_to), *draw.sample(wrong, size - 1))
            lists.append(_AnswerList(question, answers, first_right, titled=True))
        return lists

    @cached_property
    def _texts(self) -> tuple[dict[tuple[str, str], int], CachedSequences]:
        """Rows by kind and id, and the tokens: questions, their titles, and answers."""
        assert self._model is not None  # the tokenizer has all its tokens
        # Only texts of the lists are tokenized, and the titles and bodies of the questions of their answers.
        wanted = {one.question for side in self._lists for one in side}
        wanted |= {answer for side in self._lists for one in side for answer in one.answers}
        parents = {
            self.threads.questions[self.threads.known[name]] for name in wanted & self.threads.known.keys()
        }

        def iterate_texts() -> Iterator[tuple[str, str]]:
            seen = set()
            for post in self.iterate_posts():
                kinds = {"text": post.text} if post.id in wanted else {}
                if post.id in parents:
                    kinds |= {"title": post.title, "body": post.body.text}
                for kind, text in kinds.items():
                    if (kind, post.id) not in seen:
                        seen.add((kind, post.id))
                        yield f"{kind} {post.id}", text

        names, result = self.tokenize_texts(
            "titled",
            "collection",
            texts=iterate_texts,
            keep=0 if self.settings.window else self.settings.max_length,
            of=[sorted(wanted), sorted(parents)],
        )
        return rows_by_kind(names), result

    def train_data(self) -> range:
        """Return the indices of the lists to train on."""
        assert self._texts is not None
        return range(len(self._lists[0]))

    def _cut_sides(self, one: _AnswerList) -> list[tuple[NDArray[np.int32], NDArray[np.int32]]]:
        """Return the tokens of both sides of each pair, cut longest side first; of a long answer the best
        window.
        """
        rows, texts = self._texts
        asked = rows["text", one.question]
        room = self.settings.max_length - self.frame.width
        result = []
        for name in one.answers:
            answer, whole = texts[rows["text", name]], int(texts.whole[rows["text", name]])
            before = answer[:0]
            if one.titled:
                parent = self.threads.questions[self.threads.known[name]]
                body = texts[rows["body", parent]][: self.settings.question_tokens]
                before = np.concatenate([texts[rows["title", parent]], body])
            left, right = longest_first(int(texts.whole[asked]), len(before) + whole, room)
            if self.settings.window:
                answer = best_window(answer, texts[asked], max(0, right - len(before)))
            result.append((texts[asked][:left], np.concatenate([before, answer])[:right]))
        return result

    def length(self, example: int) -> int:
        """Return the length of a list in tokens."""
        sides = self._cut_sides(self._lists[0][example])
        return sum(len(left) + len(right) + self.frame.width for left, right in sides)

    def collate(self, examples: Sequence[int]) -> dict[str, torch.Tensor]:
        """Return a batch of lists: inputs of shape `(lists · answers, length)` and `target`, shape `(lists,
        answers)`.
        """
        return self._build_batch([self._lists[0][example] for example in examples])

    def _build_batch(self, lists: Sequence[_AnswerList]) -> dict[str, torch.Tensor]:
        import torch

        rows = [self.frame.wrap_pair(left, right) for one in lists for left, right in self._cut_sides(one)]
        return {**self.pad_pairs(rows), "target": torch.tensor([one.target for one in lists])}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the number of lists of a batch."""
        return (len(batch["target"]),)

    def _compute_cosines(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        inputs = {name: tensor for name, tensor in batch.items() if name != "target"}
        return model(**inputs).cosine.view(batch["target"].shape)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return the mean over lists of the cross-entropy in nats."""
        import torch

        shares = torch.log_softmax(self._compute_cosines(model, batch) / self.settings.temperature, -1)
        return -(batch["target"] * shares).sum(-1).mean()

    def unmeasured(self, name: str) -> str:
        """Return why a metric cannot be measured, or an empty text."""
        held_out = self._lists[1]
        if name == "validation_mrr" and all(one.titled for one in held_out):
            return "no question without a title is held out"
        return "" if held_out else "no question is held out"

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure held-out questions: the loss over their lists, and the mean reciprocal rank of the right
        answer.

        The rank is among the answers of the first stage; equal cosines count half.
        """
        losses, ranks = [], []
        for one in self._lists[1]:
            batch = move_to_model(self._build_batch([one]), model)
            losses.append(float(self.loss(model, batch)))
            if not one.titled:
                right, *wrong = self._compute_cosines(model, batch)[0].tolist()
                ranks.append(rank_of(right, wrong))
        result = {"validation_loss_nats": float(np.mean(losses))} if losses else {}
        if ranks:
            result["validation_mrr"] = float(np.mean(1 / np.array(ranks)))
        return result

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write a folder of the encoder, marked as one with a cosine head, with tokenizer and card."""
        head: Any = model
        data: dict[str, object] = {
            "collection": self.folder.title,
            "first stage": self.data["run"].name,
            "lists": f"{len(self._lists[0]):,} of {self.settings.answers} answers",
            "questions with too few ranked answers": f"{self.without:,}",
            "initialised from": self.backbone.name,
            "tokens of a pair": f"{self.settings.max_length}, the longer side is cut"
            + (
                ", of a long answer the part that shares most with the question is read"
                if self.settings.window
                else ""
            ),
        }
        save_model(
            TrainedWeights(head.encoder) if self.settings.layers_alone else head.encoder,
            self.tokenizer,
            folder,
            facts,
            title="ARQMath re-ranker",
            about="Reads question and answer together; the cosine of the means of both sides' states ranks "
            "answers beside a first stage: `mathwb arqmath rank INDEX --topics TOPICS --model this-folder "
            "--weight 0.25 --out RUN`. The code in the folder is mathwb's, and imports nothing of it.",
            data=data,
            limits=LIMITS,
            use=(
                "from sentence_transformers import CrossEncoder\n"
                'model = CrossEncoder("this-folder", trust_remote_code=True)\n'
                'model.rank("Is $2$ prime?", ["Yes, it is.", "Take the limit."])'
            ),
            tags=("sentence-transformers", "cross-encoder", "text-ranking"),
        )
        write_library_files(folder)
