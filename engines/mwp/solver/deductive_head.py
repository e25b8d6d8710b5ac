"""The deductive head (Jie, Li and Lu 2022): quantities are combined two at a time until the answer stands.

At each step every pair of quantities and operation is scored, with a flag that says whether it is the last;
the best becomes a new quantity, and the others are updated by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from engines.mwp.solver.deductions import PartialDeduction
from engines.mwp.solver.encoders import EncodedProblems
from engines.mwp.solver.reading import (
    COMMUTATIVE,
    LARGEST,
    EquationWords,
    LegalSteps,
    ScoredEquation,
    insert_equation,
)
from engines.training.libraries import Module

if TYPE_CHECKING:
    import torch
    from torch import Tensor


_NEVER = -1e9


class _ScoredSteps(NamedTuple):
    """Of pairs of quantities and operations: where their operands are (pairs,), scores (rows, pairs,
    operators, 2), not last and last, and vectors (rows, pairs, operators, width)."""

    left: Tensor
    right: Tensor
    scores: Tensor
    vectors: Tensor

    def find_pair(self, left: Tensor, right: Tensor) -> Tensor:
        return ((self.left == left[:, None]) & (self.right == right[:, None])).int().argmax(1)


class DeductiveHead(Module):
    """Scores steps. `words` says which operators and constants there are."""

    def __init__(self, words: EquationWords, width: int, *, dropout: float) -> None:
        import torch
        from torch import nn

        super().__init__()
        self.words, count = words, len(words.operators)
        self.constants = nn.Parameter(torch.randn(len(words.constants), width) * 0.02)
        self.left, self.right, self.both = (nn.Linear(width, width) for _ in range(3))
        self.operation = nn.Linear(width, count * width)
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(dropout)
        self.of_quantity = nn.Linear(width, 1)
        self.of_step = nn.Linear(width, 2)
        self.update = nn.GRUCell(width, width)
        commute = torch.tensor([operator in COMMUTATIVE for operator in words.operators], dtype=torch.bool)
        self.register_buffer("commute", commute, persistent=False)

    def score_steps(self, quantities: Tensor, legal: LegalSteps) -> _ScoredSteps:
        """Return every operation on every pair but those of two constants."""
        import torch

        rows, count, width = quantities.shape
        index = torch.arange(count, device=quantities.device)
        wanted = torch.maximum(index[:, None], index) >= len(self.words.constants)
        if legal.single_use:
            wanted.fill_diagonal_(False)
        left, right = wanted.nonzero(as_tuple=True)
        pairs = (
            self.left(quantities)[:, left]
            + self.right(quantities)[:, right]
            + self.both(quantities[:, left] * quantities[:, right])
        )
        steps = self.operation(self.dropout(torch.relu(pairs)))
        vectors = self.norm(torch.relu(steps.view(rows, len(left), len(self.words.operators), width)))
        own = self.of_quantity(quantities)
        scores = self.of_step(self.dropout(vectors)) + (own[:, left] + own[:, right])[:, :, None]
        return _ScoredSteps(left, right, scores, vectors)

    def add_quantity(self, quantities: Tensor, new: Tensor) -> Tensor:
        """Return the quantities after a step: all updated by the new one, which is the last."""
        import torch

        rows, count, width = quantities.shape
        news = new[:, None].expand(-1, count, -1)
        updated = self.update(news.reshape(-1, width), quantities.reshape(-1, width))
        return torch.cat([updated.view(rows, count, width), new[:, None]], 1)

    def loss(self, problems: EncodedProblems, steps: Tensor, values: Tensor, legal: LegalSteps) -> Tensor:
        """Return (rows,) minus the logarithm of the probability of the right steps, in nats.

        Args:
            problems: The encoded texts of the problems.
            steps: (rows, steps, 3) as `to_steps` returns them; the operator is -1 after the last step.
            values: (rows, constants + numbers) the values of the quantities, in double precision.
            legal: The steps that are allowed at each point.
        """
        import torch
        from torch import nn

        known = len(self.words.constants)
        quantities = problems.with_constants(self.constants)
        fixed = quantities.shape[1]
        # `available` marks the quantities that exist in each row: all constants and the numbers of its text.
        available = torch.cat([problems.present.new_ones(len(steps), known), problems.present], 1)
        free, pending = available, torch.zeros_like(available)
        total = quantities.new_zeros(len(steps))
        # Rows leave the batch when their equation is complete; `active` are the rows that are left.
        active = torch.arange(len(steps), device=steps.device)
        for number in range(steps.shape[1]):
            kept = steps[active, number, 0] >= 0
            active = active[kept]
            quantities, free, pending, values = (part[kept] for part in (quantities, free, pending, values))
            operator, left, right = steps[active, number].unbind(1)
            # A negative operand counts back from the newest quantity; a quantity made by a step comes after
            # the constants and numbers.
            left, right = (torch.where(at < 0, fixed - 1 - at, at) for at in (left, right))
            last = self._is_last_step(steps, active, number)
            scored = self.score_steps(quantities, legal)
            allowed, results = self._find_legal_steps(scored, free, pending, values, legal)
            row, pair = torch.arange(len(active), device=steps.device), scored.find_pair(left, right)
            # What the equation does is allowed, whatever the rules say.
            allowed[row, pair, operator, last] = True
            # One softmax over every pair, operation and flag: -log p of the right choice is the loss of the
            # step.
            scores = scored.scores.masked_fill(~allowed, _NEVER).flatten(1)
            right_one = (pair * len(self.words.operators) + operator) * 2 + last
            losses = nn.functional.cross_entropy(scores, right_one, reduction="none")
            total = total.index_add(0, active, losses)
            # The result of the step becomes a quantity of its own.
            quantities = self.add_quantity(quantities, scored.vectors[row, pair, operator])
            values = torch.cat([values, results[row, pair, operator][:, None]], 1)
            free, pending = self._update_usage(free, pending, left, right, known, legal)
        return total

    @staticmethod
    def _is_last_step(steps: Tensor, active: Tensor, number: int) -> Tensor:
        import torch

        if number + 1 == steps.shape[1]:
            return torch.ones_like(active)
        return (steps[active, number + 1, 0] < 0).long()

    @staticmethod
    def _update_usage(
        free: Tensor, pending: Tensor, left: Tensor, right: Tensor, known: int, legal: LegalSteps
    ) -> tuple[Tensor, Tensor]:
        """Return which quantities may be used, and which results must be, after a step."""
        import torch

        row = torch.arange(len(free), device=free.device)
        free, pending = free.clone(), pending.clone()
        pending[row, left] = pending[row, right] = False
        if legal.single_use:
            free[row, left] = free[row, right] = False
            free[:, :known] = True
        new = torch.ones_like(free[:, :1])
        return torch.cat([free, new], 1), torch.cat([pending, new], 1)

    def _find_legal_steps(
        self, scored: _ScoredSteps, free: Tensor, pending: Tensor, values: Tensor, legal: LegalSteps
    ) -> tuple[Tensor, Tensor]:
        """Return (rows, pairs, operators, 2) which steps are legal, not last and last; (rows, pairs,
        operators) what they are worth.
        """
        import torch

        left, right = scored.left, scored.right
        pair = free[:, left] & free[:, right]
        both = pair[..., None] & ((left <= right)[:, None] | ~self.commute)
        results = self._compute_results(values[:, left], values[:, right])
        both &= torch.isfinite(results) & (results.abs() <= LARGEST)
        if legal.non_negative:
            both &= results >= 0
        settled = pending[:, left].long() + (pending[:, right] & (left != right)).long()
        finishing = settled == pending.sum(1, keepdim=True)
        return torch.stack([both, both & finishing[..., None]], -1), results

    def _compute_results(self, left: Tensor, right: Tensor) -> Tensor:
        import torch

        results = {
            "+": lambda: left + right,
            "-": lambda: left - right,
            "*": lambda: left * right,
            "/": lambda: left / right,
            "^": lambda: left.abs() ** right.clamp(-64, 64),
        }
        return torch.stack([results[operator]() for operator in self.words.operators], -1)

    def decode(
        self,
        problems: EncodedProblems,
        values: Sequence[Sequence[float]],
        legal: LegalSteps,
        *,
        beam: int,
        max_steps: int,
    ) -> list[list[ScoredEquation]]:
        """Return the best equations of each problem, best first: at most `beam`, each legal.

        Args:
            values: Of each problem, what constants and numbers are worth.
        """
        import torch

        longest = len(self.words.constants) + problems.quantities.shape[1]
        # One partial deduction per problem at first, later up to `beam`.
        labels = [self.words.operand_label(index) for index in range(longest)]
        live = [PartialDeduction.begin(labels, row_values, row=row) for row, row_values in enumerate(values)]
        done: list[list[ScoredEquation]] = [[] for _ in values]
        quantities = problems.with_constants(self.constants)
        for step in range(max_steps):
            scored = self.score_steps(quantities, legal)
            allowed, results = self._find_legal_steps(
                scored, *self._stack_rules(live, quantities.device), legal
            )
            # The last step that is allowed must finish the equation.
            if step + 1 == max_steps:
                allowed[..., 0] = False
            scores = scored.scores.masked_fill(~allowed, _NEVER).flatten(1).double()
            best = scores.log_softmax(1).topk(min(beam, scores.shape[1]))
            pairs, operators, lasts = torch.unravel_index(best.indices, allowed.shape[1:])
            # Back from the flat index to pair (its two operands), operator and flag.
            choices = torch.stack([pairs, scored.left[pairs], scored.right[pairs], operators, lasts], -1)
            continuations: list[list[tuple[float, int, list[int]]]] = [[] for _ in values]
            # Collect the continuations of every problem over all its partial deductions.
            for source, (odds, odds_of_choice) in enumerate(
                zip(best.values.tolist(), choices.tolist(), strict=True)
            ):
                way = live[source]
                continuations[way.row] += [
                    (way.score + odd, source, at)
                    for odd, at in zip(odds, odds_of_choice, strict=True)
                    if allowed[source, at[0], at[3], at[4]]
                ]
            kept: list[tuple[PartialDeduction, int, list[int]]] = []
            # Keep the `beam` best of each problem; a finished equation leaves the search.
            for row, mine in enumerate(continuations):
                for score, source, at in sorted(mine, key=lambda way: -way[0])[:beam]:
                    pair, left, right, operator, last = at
                    value = float(results[source, pair, operator])
                    new = live[source].apply_step((left, right, operator), value, score, self.words, legal)
                    if last:
                        insert_equation(done[row], ScoredEquation(new.trees[-1], score), beam)
                    else:
                        kept.append((new, source, at))
            # What is already less likely than `beam` finished equations never comes among them.
            kept = [
                way
                for way in kept
                if len(done[way[0].row]) < beam or way[0].score > done[way[0].row][-1].score
            ]
            if not kept:
                break
            live = [way for way, _, _ in kept]
            sources = torch.tensor([source for _, source, _ in kept], device=quantities.device)
            at = torch.tensor([at for _, _, at in kept], device=quantities.device)
            quantities = self.add_quantity(quantities[sources], scored.vectors[sources, at[:, 0], at[:, 3]])
        return done

    def _stack_rules(
        self, live: Sequence[PartialDeduction], device: torch.device
    ) -> tuple[Tensor, Tensor, Tensor]:
        import torch

        return (
            torch.tensor([way.free for way in live], device=device),
            torch.tensor([way.pending for way in live], device=device),
            torch.tensor([way.values for way in live], device=device, dtype=torch.float64),
        )
