"""The trainer `arqmath.crossencoder`: question and answer are read together and judged correct or not.

As Reusch, Thiele and Lehner (2022) fine-tune: input `[CLS] question [SEP] answer [SEP]`, the question's title
and body as one text; a linear layer of two classes on the first token. A pair that is too long loses tokens
at the end of its longer side (longest-first, chosen so that both sides are always seen); the share of such
pairs is a measure.

Held-out questions are ranked: each one's correct answer among incorrect ones drawn as for the training.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engines.arqmath.ranking.scorers import batches_by_length
from engines.arqmath.training.forum_task import (
    MADE_FOR,
    ForumTask,
    move_to_model,
    rank_of,
    read_ids,
    require_data,
)
from engines.arqmath.training.model_folder import longest_first, save_model
from engines.arqmath.training.pairs import (
    AnnotatedTopics,
    DrawnPairs,
    HardNegatives,
    PairSampler,
    Threads,
    draw_pairs,
    read_question_run,
    read_threads,
)
from engines.arqmath.training.settings import FinetuneSettings
from engines.core.errors import DataError
from engines.forum.folder import ArqmathFolder
from engines.forum.topics import read_topics
from engines.training.token_cache import CachedSequences

if TYPE_CHECKING:
    import torch


CrossEncoderExample = tuple[int, int, int]
"""Rows of question and answer among the tokenised texts, and the label."""

LIMITS = (
    MADE_FOR,
    "A high probability says that an answer looks like one to the question, not that it is right.",
    "Incorrect answers of the training are other questions' answers: some of them fit all the same.",
)
_BATCH_TOKENS = 8_192


def open_pair_sampler(
    folder: ArqmathFolder,
    *,
    annotated: Path | None = None,
    run: Path | None = None,
    hard_negatives: Path | None = None,
    hard_share: float = 0.5,
    exclude: Path | None = None,
) -> tuple[PairSampler, Threads]:
    """Return what draws pairs: from the judged topics of `annotated` and `run`, or from the threads of a
    collection.

    The threads are returned as well.

    Raises:
        DataError: E674 when the files do not fit together.
    """
    from engines.retrieval.trec import read_qrels, read_run

    threads = read_threads(folder, exclude=read_ids(exclude))
    if annotated is not None:
        if run is None:
            what = "annotated pairs need a model's run, whose results are the incorrect answers"
            raise DataError(what, code="E674", remedy="Rank the same topics first: mathwb arqmath rank.")
        return AnnotatedTopics.from_qrels(read_qrels(annotated), read_run(run), threads.known), threads
    if hard_negatives is None:
        return threads, threads
    return HardNegatives(threads, read_question_run(hard_negatives, threads), hard_share), threads


@dataclass(frozen=True, slots=True)
class PairRows:
    """Pairs as rows of tokenised texts: `table` (pairs, 3) of question, answer and label."""

    table: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, index: int) -> CrossEncoderExample:
        question, answer, label = self.table[index].tolist()
        return question, answer, label


class CrossEncoderTask(ForumTask[FinetuneSettings]):
    """The trainer `arqmath.crossencoder`. Data: collection (a folder of ARQMath); backbone (a model folder;
    MiniLM without); annotated (judgements) and run for annotated pairs; hard_negatives (a run whose topics
    are questions of the collection); exclude (ids of posts to keep out, one per line)."""

    trainer = "arqmath.crossencoder"
    settings_class = FinetuneSettings
    measures = (
        "validation_accuracy",
        "validation_loss_nats",
        "validation_pairwise_accuracy",
        "validation_mrr",
        "truncated_percent",
    )

    def __init__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> None:
        super().__init__(model, data, seed=seed)
        self._annotated = self.settings.pairs == "annotated"
        if self._annotated:
            require_data(data, "annotated", "judgements for annotated pairs")
            require_data(data, "run", "run for annotated pairs")

    def list_source_files(self) -> dict[str, Sequence[Path]]:
        """Return the files that the training reads; with annotated pairs also topics, judgements and run."""
        names = ("annotated", "run") if self._annotated else ("hard_negatives",)
        files = {name: (self.data[name],) for name in (*names, "exclude") if name in self.data}
        topics = {"topics": self.folder.topics.get(1, ())} if self._annotated else {}
        return {**super().list_source_files(), **files, **topics}

    @cached_property
    def source(self) -> PairSampler:
        """What pairs are drawn from."""
        return open_pair_sampler(
            self.folder,
            annotated=self.data["annotated"] if self._annotated else None,
            run=self.data["run"] if self._annotated else None,
            hard_negatives=self.data.get("hard_negatives"),
            hard_share=self.settings.hard_share,
            exclude=self.data.get("exclude"),
        )[0]

    @cached_property
    def pairs(self) -> DrawnPairs:
        """All pairs. Of annotated topics every relevant answer is used."""
        many = 10**9 if self._annotated else self.settings.per_question
        return draw_pairs(self.source, per_question=many, seed=self.seed)

    @cached_property
    def groups(self) -> list[tuple[str, list[str]]]:
        """Held-out questions with candidate answers, the correct one first."""
        pairs, source, settings = self.pairs, self.source, self.settings
        # Another seed than that of the pairs, so that candidates are not drawn by the same random numbers.
        draw = Random(self.seed + 1)
        positions = sorted({int(index) for index in pairs.rows[pairs.held_out, 0]})
        result = []
        for index in draw.sample(positions, min(settings.measured, len(positions))):
            wrong = source.draw_incorrect(index, settings.candidates - 1, draw)
            if wrong:
                result.append((source.questions[index], [draw.choice(source.list_correct(index)), *wrong]))
        return result

    @cached_property
    def _texts(self) -> tuple[dict[str, int], CachedSequences]:
        wanted = {self.pairs.questions[index] for index in np.unique(self.pairs.rows[:, 0])}
        wanted.update(self.pairs.answers)
        for question, candidates in self.groups:
            wanted.update((question, *candidates))

        # A post may be in several files; its first text counts.
        def iterate_texts() -> Iterator[tuple[str, str]]:
            left = set(wanted)
            files = self.folder.topics.get(1, ()) if self._annotated else ()
            topics = ((topic.id, topic.text) for path in files for topic in read_topics(path))
            for name, text in chain(topics, ((post.id, post.text) for post in self.iterate_posts())):
                if name in left:
                    left.remove(name)
                    yield name, text

        names, result = self.tokenize_texts(
            "texts",
            "collection",
            "topics",
            texts=iterate_texts,
            keep=self.settings.max_length,
            of=sorted(wanted),
        )
        rows = {name: row for row, name in enumerate(names)}
        lost = wanted - rows.keys()
        if lost:
            what = f"{len(lost):,} questions or answers have no text here, such as {sorted(lost)[0]}"
            remedy = "Annotated pairs need the topics in the folder of the collection."
            raise DataError(what, path=self.data["collection"], code="E674", remedy=remedy)
        return rows, result

    def model(self) -> torch.nn.Module:
        """Return the model as the training begins with it."""
        return self.backbone.open_classifier()

    @cached_property
    def _train(self) -> PairRows:
        rows, _ = self._texts
        pairs = self.pairs
        # A question of which no pair was drawn has no text here; no row of the table refers to it.
        question = np.array([rows.get(name, -1) for name in pairs.questions], np.int32)
        answer = np.array([rows[name] for name in pairs.answers], np.int32)
        table = np.stack([question[pairs.rows[:, 0]], answer[pairs.rows[:, 1]], pairs.labels], axis=1)
        return PairRows(table[~pairs.held_out].astype(np.int32))

    def train_data(self) -> PairRows:
        """Return the pairs to train on."""
        return self._train

    @cached_property
    def _lengths(self) -> NDArray[np.int64]:
        return self._texts[1].lengths

    def length(self, example: CrossEncoderExample) -> int:
        """Return the length of a pair in tokens, after truncation."""
        question, answer, _ = example
        full_length = int(self._lengths[question] + self._lengths[answer]) + self.frame.width
        return min(full_length, self.settings.max_length)

    def truncated_percent(self) -> float:
        """Return the share of training pairs that lose tokens."""
        whole = self._texts[1].whole
        table = self.train_data().table
        if not len(table):
            return 0.0
        lengths = whole[table[:, 0]] + whole[table[:, 1]] + self.frame.width
        return float(100 * (lengths > self.settings.max_length).mean())

    def collate(self, examples: Sequence[CrossEncoderExample]) -> dict[str, torch.Tensor]:
        """Return `input_ids`, `token_type_ids` and `attention_mask`, shape `(batch, length)`, and `labels`,
        shape `(batch,)`.
        """
        import torch

        _, texts = self._texts
        # What the special tokens leave of the length is divided between both sides.
        room = self.settings.max_length - self.frame.width
        rows = []
        for question, answer, _ in examples:
            kept = longest_first(int(texts.whole[question]), int(texts.whole[answer]), room)
            rows.append(self.frame.wrap_pair(texts[question][: kept[0]], texts[answer][: kept[1]]))
        return {**self.pad_pairs(rows), "labels": torch.tensor([label for _, _, label in examples])}

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the number of pairs of a batch."""
        return (len(batch["labels"]),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return the cross-entropy of the two classes, in nats."""
        return model(**batch).loss

    def unmeasured(self, name: str) -> str:
        """Return why a metric cannot be measured, or an empty text."""
        return "" if self.groups or name == "truncated_percent" else "no question is held out"

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure held-out questions.

        Accuracy and loss over the correct and the first incorrect answer of each question; the share of
        incorrect answers that score below the correct one; the mean reciprocal rank of the correct one among
        `candidates` (equal scores count half); and the share of truncated pairs.
        """
        if not self.groups:
            return {"truncated_percent": self.truncated_percent()}
        rows, _ = self._texts
        examples = [
            (rows[question], rows[answer], int(index == 0))
            for question, candidates in self.groups
            for index, answer in enumerate(candidates)
        ]
        odds = self._compute_log_odds(model, examples)
        # All candidates are scored together, in batches of one length, and divided by question again.
        of_group = np.split(odds, np.cumsum([len(candidates) for _, candidates in self.groups])[:-1])
        ranks = [rank_of(group[0], group[1:]) for group in of_group]
        # At rank r of n, n - r incorrect answers are below the correct one.
        below = [(len(group) - rank) / (len(group) - 1) for group, rank in zip(of_group, ranks, strict=True)]
        # Positive where the judgement is right; that of the incorrect answer is negated for this.
        signed = np.array([sign * odd for group in of_group for sign, odd in ((1, group[0]), (-1, group[1]))])
        return {
            "validation_accuracy": float((signed > 0).mean()),
            "validation_loss_nats": float(np.logaddexp(0, -signed).mean()),
            "validation_pairwise_accuracy": float(np.mean(below)),
            "validation_mrr": float(np.mean(1 / np.array(ranks))),
            "truncated_percent": self.truncated_percent(),
        }

    def _compute_log_odds(
        self, model: torch.nn.Module, examples: Sequence[CrossEncoderExample]
    ) -> NDArray[np.float64]:
        """(examples,) logarithms of the odds of label 1, read in batches of about one length."""
        import torch

        lengths = [self.length(example) for example in examples]
        result = np.zeros(len(examples))
        for batch in batches_by_length(lengths, _BATCH_TOKENS):
            inputs = self.collate([examples[index] for index in batch])
            # Given labels, the model would also compute a loss.
            inputs.pop("labels")
            with torch.inference_mode():
                logits = model(**move_to_model(inputs, model)).logits
            # Of two classes the difference of the logits is the logarithm of the odds.
            result[batch] = (logits[:, 1].double() - logits[:, 0].double()).cpu().numpy()
        return result

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the model, its tokenizer and its card into a folder."""
        counts, settings = self.pairs.counts, self.settings
        data: dict[str, object] = {
            "collection": self.folder.title,
            "pairs": f"{settings.pairs}, {counts['correct']:,} correct and {counts['incorrect']:,} incorrect",
            "questions": f"{counts['questions']:,}, {counts['held_out_questions']:,} of them held out",
            "initialised from": self.backbone.name,
            "tokens of a pair": f"{settings.max_length}, the longer side is cut",
        }
        limits = list(LIMITS)
        if self._annotated:
            data["judgements"] = self.data["annotated"].name
            limits.append(
                f"Rankings of the topics {self.source.questions[0]} to {self.source.questions[-1]} must not "
                "be measured with it: it was trained on their judgements."
            )
        if "hard_negatives" in self.data:
            data["hard negatives"] = f"{self.data['hard_negatives'].name}, share {settings.hard_share}"
        save_model(
            model,
            self.tokenizer,
            folder,
            facts,
            title="ARQMath cross-encoder",
            about="Reads question and answer together; the probability of class 1 (softmax) ranks answers.",
            data=data,
            limits=limits,
            use=(
                "from transformers import AutoModelForSequenceClassification, AutoTokenizer\n"
                'tokenizer = AutoTokenizer.from_pretrained("this-folder")\n'
                'model = AutoModelForSequenceClassification.from_pretrained("this-folder")\n'
                'inputs = tokenizer("Is $2$ prime?", "Yes, it is.", truncation="longest_first", '
                'return_tensors="pt")\n'
                "model(**inputs).logits.softmax(-1)[0, 1]"
            ),
            tags=("text-ranking",),
        )
