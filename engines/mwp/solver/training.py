"""The trainer `mwp.solver`: an encoder and a head that learn to write equations, and, with `alpha`, to keep
problems of one equation together and those that only read alike apart (section 3 of the paper)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.spec import read, refused, values
from engines.mwp.solver.data import Material, marks, material
from engines.mwp.solver.settings import CODE, SolverSettings
from engines.training.identity import model_files
from engines.training.task import Origin

if TYPE_CHECKING:
    import torch

    from engines.mwp.problems.problem import Problem
    from engines.mwp.solver.reading import Read
    from engines.mwp.solver.solver import Solver
    from engines.mwp.triplets.pool import Pool

__all__ = ["Examples", "SolverTask", "solver"]

Example = tuple[int, int, int]
"""An anchor, its positive and its negative, as places among the problems; -1 without."""


def solver(model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> SolverTask:
    """The trainer `mwp.solver`. Data: as `data.material` says; encoder (the folder of a pretrained
    one, or of a solver, with whose weights and words the training begins)."""
    return SolverTask(read(SolverSettings, model, place="model.", code=CODE), data, seed)


class Examples(Sequence[Example]):
    """Training examples."""

    def __init__(self, rows: Sequence[Example]) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        return self._rows[place]


class SolverTask:
    """A solver to train; see `engines.training.TrainingTask`."""

    measures = ("development_answer_accuracy", "development_equation_accuracy")

    def __init__(self, settings: SolverSettings, data: Mapping[str, Path], seed: int) -> None:
        self.settings, self.data, self.seed = settings, data, seed

    def origin(self) -> Origin:
        """The trainer, all settings, and the files."""
        from engines.mwp.solver.solver import built_in

        data: dict[str, Sequence[Path]] = {name: (path,) for name, path in self.data.items()}
        if self.settings.encoder == "pretrained" or "encoder" in self.data:
            data["encoder"] = model_files(self.data.get("encoder", built_in()))
        return Origin("mwp.solver", values(self.settings), data)

    @cached_property
    def material(self) -> Material:
        """The problems. Raises: DataError E679."""
        settings = self.settings
        return material(self.data, fold=settings.fold, development=settings.development, seed=self.seed)

    @cached_property
    def pool(self) -> Pool | None:
        """What triplets are taken from, where there are any. Raises: EngineError E681 for problems with one
        equation."""
        from engines.mwp.triplets.pool import parts_of, pool_of

        if not self.settings.alpha and self.settings.anchors == "train":
            return None
        return pool_of(self.material.train, parts_of(self.settings.pool), coherent=self.settings.coherent)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """Training problems, then their variants."""
        made = self.pool.examples if self.pool else ()
        return (*self.material.train, *(one.problem for one in made if one.part != "train"))

    def model(self) -> Solver:
        """The solver as it begins; operators, constants and vocabulary of a new one are those of the training
        problems. Raises: EngineError E678 for an encoder from scratch that is to begin with what is no
        solver; DataError E663 and E680 for a folder that cannot be begun with."""
        from engines.mwp.solver.model_folder import FILE, open_solver
        from engines.mwp.solver.solver import new_solver
        from engines.mwp.solver.words import Words

        train, folder = self.material.train, self.data.get("encoder")
        if folder is not None and (folder / FILE).exists():
            made = open_solver(folder, device="cpu", settings=self.settings)
        elif folder is not None and self.settings.encoder != "pretrained":
            raise refused(f"data.encoder, {folder.name}, is no solver", CODE, "Leave it out, or name one.")
        else:
            words = Words.of(problem.equation for problem in train if problem.equation is not None)
            made = new_solver(self.settings, words, folder=folder, texts=train)
        made.learned |= {*marks(train)}
        made.chosen = frozenset(marks(self.material.development))
        made.languages = tuple(sorted({*made.languages, *(problem.language for problem in train)}))
        self._read: dict[int, Read] = {}
        self._targets: dict[int, Any] = {}
        self.left_out: Counter[str] = Counter(self.material.left_out)
        for place, problem in enumerate(self.problems):
            read = made.reader.read(problem)
            if isinstance(read, str):
                self.left_out[read] += 1
                continue
            self._read[place] = read
            try:
                self._targets[place] = made.target(problem)
            except KeyError as error:
                self.left_out[f"{error.args[0]} is too rare"] += 1
            except ValueError as error:
                self.left_out[str(error)] += 1
        self._worth = [made.worth(problem) for problem in self.problems]
        return made

    @cached_property
    def _examples(self) -> Examples:
        wanted = len(self.problems if self.settings.anchors == "all" else self.material.train)
        anchors = [place for place in range(wanted) if place in self._targets]
        others = self._triplets(anchors) if self.settings.alpha else {}
        return Examples([(place, *others.get(place, (-1, -1))) for place in anchors])

    def _triplets(self, anchors: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Positive and negative of the anchors that have both, where all can be read and nobody labelled them
        bad."""
        from engines.mwp.triplets.find import Ready, retriever
        from engines.mwp.triplets.retrieval import triplets
        from engines.mwp.triplets.settings import FindTriplets
        from engines.mwp.triplets.texts import similarity_of
        from engines.mwp.triplets.triplet import labelled

        pool, asked, settings = self.pool, [self.problems[place] for place in anchors], self.settings
        assert pool is not None
        spec = FindTriplets(
            self.data["problems"], settings.strategy, settings.text, settings.pool, seed=self.seed
        )
        texts = similarity_of(pool.problems, spec.text, how=spec.tokens, encoder=spec.encoder)
        places = {problem.id: place for place, problem in enumerate(self.problems)}
        found: dict[int, tuple[int, int]] = {}
        bad = labelled(self.data["labels"]) if "labels" in self.data else frozenset()
        for one in triplets(retriever(spec, Ready(tuple(asked), 0, pool, texts)), asked):
            if (one.anchor, one.positive, one.negative) in bad:
                continue
            anchor, *others = (places[name] for name in (one.anchor, one.positive, one.negative))
            if all(place in self._read for place in others):
                found[anchor] = (others[0], others[1])
        self.left_out["a triplet, not a problem"] = len(anchors) - len(found)
        return found

    def train_data(self) -> Examples:
        """Every training problem that can be learned from, with its triplet where there is a contrastive
        loss."""
        return self._examples

    def length(self, example: Example) -> int:
        """Tokens of all problems of an example."""
        return sum(len(self._read[place].ids) for place in example if place >= 0)

    def collate(self, examples: Sequence[Example]) -> dict[str, torch.Tensor]:
        """`ids`, `length`, `marks`: of all anchors, then of the positives and of the negatives that there
        are, as `solver.inputs` gives them; `contrasted`: (positives,) whose they are; `targets`: (anchors, …)
        what the head is to write; `values`: (anchors, constants + numbers)."""
        import torch

        from engines.mwp.solver.solver import inputs
        from engines.mwp.solver.words import stacked

        anchors = [row[0] for row in examples]
        contrasted = [row for row, example in enumerate(examples) if example[1] >= 0]
        places = [*anchors, *(examples[row][side] for side in (1, 2) for row in contrasted)]
        batch = inputs([self._read[place] for place in places])
        batch["contrasted"] = torch.tensor(contrasted, dtype=torch.long)
        batch["targets"] = torch.from_numpy(stacked([self._targets[place] for place in anchors]))
        worth = np.zeros(
            (len(anchors), len(self._worth[0]) - len(self.problems[0].values) + batch["marks"].shape[1])
        )
        for row, place in zip(worth, anchors, strict=True):
            row[: len(self._worth[place])] = self._worth[place]
        batch["values"] = torch.from_numpy(worth)
        return batch

    def counts(self, batch: Mapping[str, Any]) -> tuple[int, ...]:
        """Problems, and those of them that are contrasted."""
        return len(batch["targets"]), len(batch["contrasted"])

    def loss(self, model: Solver, batch: Mapping[str, Any]) -> torch.Tensor:
        """The head's loss of the anchors and alpha times the contrastive loss, in nats a problem."""
        import torch

        from engines.mwp.solver.losses import contrastive

        count, contrasted = len(batch["targets"]), len(batch["contrasted"])
        anchors = model.encode(_some(batch, 0, count))
        loss = model.losses(anchors, batch["targets"], batch["values"]).mean()
        # A part of the head that these equations do not need has a gradient all the same.
        loss = loss + 0 * sum(weight.sum() for weight in model.head.parameters())
        if not self.settings.alpha:
            return torch.stack([loss, loss.new_zeros(())])
        # Also without a triplet of its own a process has those of the others to wait for.
        anchor = anchors.vector[batch["contrasted"]]
        positive = negative = anchor
        if contrasted:
            positive = model.encode(_some(batch, count, count + contrasted)).vector
            negative = model.encode(_some(batch, count + contrasted, count + 2 * contrasted)).vector
        apart = contrastive(anchor, positive, negative, self.settings.tau)
        return torch.stack([loss, self.settings.alpha * apart])

    def evaluate(self, model: Solver) -> dict[str, float]:
        """Of the development problems the share of right answers and of right equations (up to the order of
        operands); those that cannot be read are wrong."""
        from engines.mwp.evaluations.scores import judged

        rows = self.material.development
        if not rows:
            return {}
        scores = [judged(problem, found) for problem, found in zip(rows, model.solve(rows), strict=True)]
        return {
            "development_answer_accuracy": float(np.mean([score.answer for score in scores])),
            "development_equation_accuracy": float(np.mean([score.equation for score in scores])),
        }

    def save(self, model: Solver, folder: Path, facts: Mapping[str, Any]) -> None:
        """Solver and card."""
        from engines.core.files import write_text
        from engines.mwp.solver.model_folder import save_solver
        from engines.training.card import card

        save_solver(model, folder)
        out = {f"left out: {reason}": f"{count:,}" for reason, count in self.left_out.items() if count}
        data: dict[str, object] = {
            **{name: path.name for name, path in self.data.items()},
            "training problems": f"{len(self._examples):,}",
            "development problems": f"{len(self.material.development):,}",
            "of these like a training problem": f"{self.material.alike:,}",
            "variants": f"{len(self.problems) - len(self.material.train):,}",
            **out,
        }
        text = card(
            "Solver of math word problems",
            "Reads a problem in words and writes an equation over its numbers, step by step; the equation "
            "always has a value.",
            facts,
            data=data,
            limits=_LIMITS,
            use=(
                "from engines.mwp.solver.model_folder import open_solver\n"
                "from engines.mwp.solver.solve import problem_of\n"
                'solver = open_solver("this-folder")\n'
                'solver.solve([problem_of("Tom has 3 pens and buys 4 more. How many has he now?")])'
            ),
            tags=("math-word-problems",),
        )
        write_text(folder / "README.md", text)


def _some(batch: Mapping[str, torch.Tensor], begin: int, end: int) -> dict[str, torch.Tensor]:
    """Some problems of a batch, no longer than the longest of them: positives are long, anchors are not."""
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
