"""The trainer `mwp.solver`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.errors import DataError
from engines.core.files import model_files, write_text
from engines.core.spec import make_refusal, read, to_mapping
from engines.mwp.evaluations.answer_checks import score_answer
from engines.mwp.problems.near_duplicates import find_look_alikes, fingerprint_problems
from engines.mwp.problems.problem import Problem
from engines.mwp.problems.readers import read_problems
from engines.mwp.solver.reading import EquationWords, ReadProblem, pad_tables
from engines.mwp.solver.settings import CODE, SolverSettings
from engines.mwp.solver.solver import (
    FILE,
    Solver,
    built_in,
    new_solver,
    open_solver,
    save_solver,
    stack_inputs,
)
from engines.training.checkpoints import model_card
from engines.training.libraries import rows_of_all
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    from engines.mwp.triplets.hard_triplets import TripletPool


def batch_contrastive_loss(anchor: Tensor, positive: Tensor, negative: Tensor, tau: float) -> Tensor:
    """Return the mean over i of -ln( e^(cos(x_i, x_i+)/tau) / sum over j of e^(cos(x_i, x_j+)/tau) +
    e^(cos(x_i, x_j-)/tau) ), in nats; j goes over the batches of all processes. 0 for no anchors.

    Args:
        anchor, positive, negative: (batch, width).
    """
    import torch
    import torch.nn.functional as F  # noqa: N812  # the name everybody uses

    both, begin = rows_of_all(torch.cat([positive, negative], -1))
    others = F.normalize(torch.cat(both.chunk(2, -1)), dim=-1)
    cosines = F.normalize(anchor, dim=-1) @ others.T
    right = begin + torch.arange(len(anchor), device=anchor.device)
    return F.cross_entropy(cosines / tau, right, reduction="sum") / max(1, len(anchor))


@dataclass(frozen=True, slots=True)
class TrainingMaterial:
    """Args: train: problems with equations. development: those that choose the model. left_out: how many
    problems, by reason. alike: development problems that look like one to train on."""

    train: tuple[Problem, ...]
    development: tuple[Problem, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    alike: int = 0


def select_material(
    data: Mapping[str, Path],
    *,
    fold: int | None = None,
    development: float = 0.1,
    seed: int = 0,
    keep_look_alikes: bool = False,
) -> TrainingMaterial:
    """Return the problems of a recipe's data.

    Args:
        data: Problems; also, a second file, merged; development; unlike, a file whose problems, and whatever
            looks like one of them, are kept out.
        fold: Of `problems`, kept out, with what looks like it in `also`.
        development: Share drawn from `problems` where no file is given, of those that look like no other as
            long as there are enough.
        seed: Of the draw.
        keep_look_alikes: Keep training problems that look like one of `development`.

    Raises:
        DataError: E679 when nothing is left to train on, or a fold that there is not.
    """
    if "problems" not in data:
        remedy = "Name a file with --set data.problems=FILE."
        raise DataError("the recipe names no problems", code="E679", exit_code=3, remedy=remedy)
    left_out: Counter[str] = Counter()
    rows, held_out = _read_usable(data["problems"], left_out), list[Problem]()
    # First the fold that is tested on is taken out, with what looks like it in the second file.
    if fold is not None:
        held_out = [row for row in rows if row.fold == fold]
        rows = [row for row in rows if row.fold != fold]
        if not held_out:
            remedy = "Folds are in the problems; list them with: mathwb mwp problems FILE"
            what = f"no problem is of fold {fold}"
            raise DataError(what, path=data["problems"], code="E679", remedy=remedy)
        left_out[f"fold {fold}"] += len(held_out)
    also = _read_usable(data["also"], left_out) if "also" in data else []
    also = _drop_look_alikes(also, held_out, "looks like a problem of the fold", left_out)
    # Then whatever resembles the problems that must stay unseen.
    if "unlike" in data:
        unseen = read_problems(data["unlike"]).rows
        folds = ", ".join(map(str, sorted({row.fold for row in unseen if row.fold is not None})))
        reason = "looks like a problem of data.unlike" + (f" (folds {folds} and no other)" if folds else "")
        rows, also = (_drop_look_alikes(part, unseen, reason, left_out) for part in (rows, also))
    # Then the development problems: given in a file, or drawn from the training problems.
    if "development" in data:
        chosen, alike = _read_usable(data["development"], Counter()), 0
        if not keep_look_alikes:
            rows, also = (
                _drop_look_alikes(part, chosen, "looks like a development problem", left_out)
                for part in (rows, also)
            )
    else:
        drawn, alike = _draw_development(rows, [*rows, *also], round(development * len(rows)), seed)
        chosen = [row for index, row in enumerate(rows) if index in drawn]
        rows = [row for index, row in enumerate(rows) if index not in drawn]
    # Ids of the second file that are taken get the name of their source in front.
    taken = {row.id for row in (*rows, *chosen)}
    renamed = (replace(row, id=f"{row.source}:{row.id}") if row.id in taken else row for row in also)
    train = (*rows, *renamed)
    if not train:
        remedy = "See what was left out with: mathwb mwp problems FILE"
        what = "no problem is left to train on"
        raise DataError(what, path=data["problems"], code="E679", remedy=remedy)
    return TrainingMaterial(train, tuple(chosen), dict(left_out), alike)


def _draw_development(
    rows: Sequence[Problem], others: Sequence[Problem], count: int, seed: int
) -> tuple[set[int], int]:
    """Return places of problems drawn by the seed, those first that look like no other, and how many do."""
    order = Random(seed).sample(range(len(rows)), len(rows))
    results: list[int] = []
    passed: list[int] = []
    for begin in range(0, len(order), max(1, count)):
        if len(results) >= count:
            break
        positions = order[begin : begin + count]
        alike = find_look_alikes([rows[index] for index in positions], others)
        for at, position in enumerate(positions):
            (passed if at in alike else results).append(position)
    short = max(0, count - len(results))
    return {*results[:count], *passed[:short]}, short


def _read_usable(path: Path, left_out: Counter[str]) -> list[Problem]:
    read = read_problems(path)
    left_out["no problem"] += len(read.skipped)
    left_out["no equation"] += len(read.rows) - len(read.usable)
    return list(read.usable)


def _drop_look_alikes(
    rows: list[Problem], others: Sequence[Problem], reason: str, left_out: Counter[str]
) -> list[Problem]:
    alike = find_look_alikes(rows, others)
    if alike:
        left_out[reason] += len(alike)
    return [row for index, row in enumerate(rows) if index not in alike]


# The trainer `mwp.solver`: an encoder and a head that learn to write equations, and, with `alpha`, to keep
# problems of one equation together and those that only read alike apart (section 3 of the paper).

SolverExample = tuple[int, int, int]
"""An anchor, its positive and its negative, as places among the problems; -1 without."""


class SolverTask:
    """The trainer `mwp.solver`. Data: as `data.material` says; encoder (the folder of a pretrained
    one, or of a solver, with whose weights and words the training begins)."""

    measures = ("development_answer_accuracy", "development_equation_accuracy")

    def __init__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> None:
        self.settings = read(SolverSettings, model, prefix="model.", code=CODE)
        self.data, self.seed = data, seed

    def origin(self) -> Origin:
        """Return the origin of the training: trainer, settings and files, for its fingerprint."""
        data: dict[str, Sequence[Path]] = {name: (path,) for name, path in self.data.items()}
        if self.settings.encoder == "pretrained" or "encoder" in self.data:
            data["encoder"] = model_files(self.data.get("encoder", built_in()))
        return Origin("mwp.solver", to_mapping(self.settings), data)

    @cached_property
    def material(self) -> TrainingMaterial:
        """The problems to train on, those to measure on, and what was left out."""
        settings = self.settings
        return select_material(
            self.data,
            fold=settings.fold,
            development=settings.development,
            seed=self.seed,
            keep_look_alikes=settings.look_alikes == "keep",
        )

    @cached_property
    def pool(self) -> TripletPool | None:
        """The pool of triplets, or None if the training needs no triplets."""
        from engines.mwp.triplets.hard_triplets import parts_of, pool_of

        if not self.settings.alpha and self.settings.anchors == "train":
            return None
        return pool_of(
            self.material.train,
            parts_of(self.settings.pool),
            coherent=self.settings.coherent,
            path=self.data.get("problems"),
        )

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Training problems, then their variants."""
        made = self.pool.examples if self.pool else ()
        return (*self.material.train, *(one.problem for one in made if one.part != "train"))

    def model(self) -> Solver:
        """Return the solver as it begins; operators, constants and vocabulary of a new one are those of the
        training problems.
        """
        # Begin with a trained solver, or build one for the operators and constants of these problems.
        train, folder = self.material.train, self.data.get("encoder")
        if folder is not None and (folder / FILE).exists():
            solver = open_solver(folder, device="cpu", settings=self.settings)
        elif folder is not None and self.settings.encoder != "pretrained":
            raise make_refusal(
                f"data.encoder, {folder.name}, is not a solver", CODE, "Leave it out, or name one."
            )
        else:
            words = EquationWords.from_equations(
                problem.equation for problem in train if problem.equation is not None
            )
            solver = new_solver(self.settings, words, folder=folder, texts=train)
        # The fingerprints let an evaluation warn when it measures on problems that were trained on.
        solver.learned |= {*fingerprint_problems(train)}
        solver.chosen = frozenset(fingerprint_problems(self.material.development))
        solver.languages = tuple(sorted({*solver.languages, *(problem.language for problem in train)}))
        self._read: dict[int, ReadProblem] = {}
        self._targets: dict[int, Any] = {}
        self.left_out: Counter[str] = Counter(self.material.left_out)
        # Read every problem once; whatever the solver cannot read or express is left out and counted.
        for index, problem in enumerate(self.problems):
            read = solver.reader.read_problem(problem)
            if isinstance(read, str):
                self.left_out[read] += 1
                continue
            self._read[index] = read
            try:
                self._targets[index] = solver.make_target(problem)
            except KeyError as error:
                self.left_out[f"{error.args[0]} is too rare"] += 1
            except ValueError as error:
                self.left_out[str(error)] += 1
        self._worth = [solver.operand_values(problem) for problem in self.problems]
        return solver

    @cached_property
    def _examples(self) -> tuple[SolverExample, ...]:
        wanted = len(self.problems if self.settings.anchors == "all" else self.material.train)
        anchors = [index for index in range(wanted) if index in self._targets]
        others = self._find_triplets(anchors) if self.settings.alpha else {}
        return tuple((position, *others.get(position, (-1, -1))) for position in anchors)

    def _find_triplets(self, anchors: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Positive and negative of the anchors that have both, where all can be read and nobody labelled them
        bad."""
        from engines.mwp.triplets.find_and_explain import TripletSource, make_retriever
        from engines.mwp.triplets.hard_triplets import iterate_triplets
        from engines.mwp.triplets.settings import FindTriplets, read_bad_triplets
        from engines.mwp.triplets.similarity import similarity_of

        pool, asked, settings = self.pool, [self.problems[position] for position in anchors], self.settings
        assert pool is not None
        spec = FindTriplets(
            self.data["problems"], settings.strategy, settings.text, settings.pool, seed=self.seed
        )
        texts = similarity_of(pool.problems, spec.text, how=spec.tokens, encoder=spec.encoder)
        positions = {problem.id: index for index, problem in enumerate(self.problems)}
        result: dict[int, tuple[int, int]] = {}
        bad = read_bad_triplets(self.data["labels"]) if "labels" in self.data else frozenset()
        for one in iterate_triplets(make_retriever(spec, TripletSource(tuple(asked), 0, pool, texts)), asked):
            if (one.anchor, one.positive, one.negative) in bad:
                continue
            anchor, *others = (positions[name] for name in (one.anchor, one.positive, one.negative))
            if all(position in self._read for position in others):
                result[anchor] = (others[0], others[1])
        self.left_out["a triplet, not a problem"] = len(anchors) - len(result)
        return result

    def train_data(self) -> tuple[SolverExample, ...]:
        """Return every training problem that can be learned from, with its triplet where there is a
        contrastive loss.
        """
        return self._examples

    def length(self, example: SolverExample) -> int:
        """Return the length of an example in tokens, for batches of similar length."""
        return sum(len(self._read[index].ids) for index in example if index >= 0)

    def collate(self, examples: Sequence[SolverExample]) -> dict[str, torch.Tensor]:
        """Return `ids`, `length`, `marks`: of all anchors, then of the positives and of the negatives that
        there are, as `solver.stack_inputs` gives them; `contrasted`: (positives,) whose they are; `targets`:
        (anchors, …) what the head is to write; `values`: (anchors, constants + numbers).
        """
        import torch

        anchors = [row[0] for row in examples]
        contrasted = [row for row, example in enumerate(examples) if example[1] >= 0]
        positions = [*anchors, *(examples[row][side] for side in (1, 2) for row in contrasted)]
        batch = stack_inputs([self._read[index] for index in positions])
        batch["contrasted"] = torch.tensor(contrasted, dtype=torch.long)
        batch["targets"] = torch.from_numpy(pad_tables([self._targets[position] for position in anchors]))
        value_table = np.zeros(
            (len(anchors), len(self._worth[0]) - len(self.problems[0].values) + batch["marks"].shape[1])
        )
        for row, position in zip(value_table, anchors, strict=True):
            row[: len(self._worth[position])] = self._worth[position]
        batch["values"] = torch.from_numpy(value_table)
        return batch

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Return how many problems a batch has, and how many of them are contrasted."""
        return len(batch["targets"]), len(batch["contrasted"])

    def loss(self, model: Solver, batch: Mapping[str, Any]) -> torch.Tensor:
        """Return the head's loss of the anchors and alpha times the contrastive loss, in nats a problem."""
        import torch

        count, contrasted = len(batch["targets"]), len(batch["contrasted"])
        anchors = model.encode(_slice_batch(batch, 0, count))
        loss = model.compute_losses(anchors, batch["targets"], batch["values"]).mean()
        # A part of the head that these equations do not need has a gradient all the same.
        loss = loss + 0 * sum(weight.sum() for weight in model.head.parameters())
        if not self.settings.alpha:
            return torch.stack([loss, loss.new_zeros(())])
        # Also without a triplet of its own a process has those of the others to wait for.
        anchor = anchors.vector[batch["contrasted"]]
        positive = negative = anchor
        if contrasted:
            positive = model.encode(_slice_batch(batch, count, count + contrasted)).vector
            negative = model.encode(_slice_batch(batch, count + contrasted, count + 2 * contrasted)).vector
        apart = batch_contrastive_loss(anchor, positive, negative, self.settings.tau)
        return torch.stack([loss, self.settings.alpha * apart])

    def unmeasured(self, _name: str) -> str:
        """Return why a metric cannot be measured, or an empty text."""
        return "" if self.material.development else "there are no development problems"

    def evaluate(self, model: Solver) -> dict[str, float]:
        """Return the share of development problems with the right answer, and with the right equation (up to
        the order of operands).

        Problems that cannot be read count as wrong.
        """
        rows = self.material.development
        if not rows:
            return {}
        scores = [
            score_answer(problem, result) for problem, result in zip(rows, model.solve(rows), strict=True)
        ]
        return {
            "development_answer_accuracy": float(np.mean([score.answer for score in scores])),
            "development_equation_accuracy": float(np.mean([score.equation for score in scores])),
        }

    def save(self, model: Solver, folder: Path, facts: Mapping[str, Any]) -> None:
        """Write the solver and its model card into a folder."""
        save_solver(model, folder)
        data: dict[str, object] = {
            **{name: path.name for name, path in self.data.items()},
            "training problems": f"{len(self._examples):,}",
            "development problems": f"{len(self.material.development):,}",
            "of these like a training problem": f"{self.material.alike:,}",
            "variants": f"{len(self.problems) - len(self.material.train):,}",
            **{f"left out: {reason}": f"{count:,}" for reason, count in self.left_out.items() if count},
        }
        text = model_card(
            "Solver of math word problems",
            "Reads a word problem and writes an equation over its numbers, step by step; the equation "
            "always has a value.",
            facts,
            data=data,
            limits=_LIMITS,
            use=(
                "from pathlib import Path\n"
                "from mathwb.mwp import Solve, solve\n"
                'solve(Solve(Path("this-folder"), "Tom has 3 pens and buys 4 more. How many has he now?"))'
                '["answer"]'
            ),
            tags=("math-word-problems",),
        )
        write_text(folder / "README.md", text)


def _slice_batch(batch: Mapping[str, torch.Tensor], begin: int, end: int) -> dict[str, torch.Tensor]:
    length = batch["length"][begin:end]
    return {
        "ids": batch["ids"][begin:end, : int(length.max())],
        "length": length,
        "marks": batch["marks"][begin:end],
    }


_LIMITS = (
    "An equation with a value is written for every problem with numbers, whether it makes sense or not.",
    "The probability is the model's own; read the steps.",
)
