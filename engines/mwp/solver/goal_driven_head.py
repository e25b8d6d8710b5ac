"""The goal-driven tree decoder of GTS (Xie and Sun 2019), batched.

An equation is written in prefix order. The vector of a finished part depends on what it is made of alone, so
with the right equation given all parts of a batch are computed height by height from the leaves up, and all
goals depth by depth from the root down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engines.core.tree import Tree
from engines.mwp.problems.problem import ProblemValue
from engines.mwp.solver.encoders import EncodedProblems
from engines.mwp.solver.reading import (
    EquationWords,
    LegalSteps,
    ScoredEquation,
    compute_step,
    insert_equation,
)
from engines.training.libraries import Module

if TYPE_CHECKING:
    from torch import Tensor


_NEVER = -1e12


@dataclass(frozen=True, slots=True)
class _TreePart:
    """A finished part of an equation and its value, or an operator that waits for its operands."""

    vector: Any
    tree: Tree
    value: ProblemValue | None = None
    finished: bool = False


@dataclass(frozen=True, slots=True)
class _PartialTree:
    """An equation on the way: its problem, the goals still open and the parts so far (the last one is next),
    which numbers it has used, and the logarithm of its probability."""

    row: int
    goals: tuple[Any, ...]
    parts: tuple[_TreePart, ...] = ()
    used: frozenset[int] = frozenset()
    operators: int = 0
    score: float = 0.0


class _Gated(Module):
    def __init__(self, inputs: int, outputs: int) -> None:
        from torch import nn

        super().__init__()
        self.content, self.gate = nn.Linear(inputs, outputs), nn.Linear(inputs, outputs)

    def forward(self, *inputs: Tensor) -> Tensor:
        import torch

        joined = torch.cat(inputs, -1)
        return torch.tanh(self.content(joined)) * torch.sigmoid(self.gate(joined))


class TreeHead(Module):
    """The decoder of equations.

    The symbols are those of GTS (Xie and Sun 2019): goal q, node n, context c, finished left part t.
    """

    def __init__(self, words: EquationWords, width: int, *, embedding: int, dropout: float) -> None:
        import torch
        from torch import nn

        super().__init__()
        self.words, operators = words, len(words.operators)
        self.operators = nn.Embedding(operators, embedding)
        self.constants = nn.Parameter(torch.randn(len(words.constants), width) * 0.02)
        self.node, self.node_after = _Gated(width, width), _Gated(2 * width, width)
        self.attend_node, self.attend_state = nn.Linear(width, width), nn.Linear(width, width)
        self.attend = nn.Linear(width, 1)
        self.of_operator = nn.Linear(2 * width, operators)
        self.operand_here, self.operand = nn.Linear(2 * width, width), nn.Linear(width, width)
        self.operand_score = nn.Linear(width, 1, bias=False)
        self.left, self.right = (_Gated(2 * width + embedding, width) for _ in range(2))
        self.merge = _Gated(2 * width + embedding, width)
        self.dropout = nn.Dropout(dropout)

    def _attend_to_text(self, node: Tensor, rows: Tensor, problems: EncodedProblems, keys: Tensor) -> Tensor:
        import torch

        energy = self.attend(torch.tanh(self.attend_node(node)[:, None] + keys[rows])).squeeze(-1)
        shares = energy.masked_fill(~problems.mask[rows], _NEVER).softmax(-1)
        return (shares[:, None] @ problems.states[rows]).squeeze(1)

    def _score_tokens(self, node: Tensor, context: Tensor, operands: Tensor, present: Tensor) -> Tensor:
        """(nodes, operators + constants + numbers) from operands (nodes, operands, width)."""
        import torch

        here = torch.cat([node, context], -1)
        energy = torch.tanh(self.operand_here(here)[:, None] + self.operand(operands))
        scores = self.operand_score(energy).squeeze(-1).masked_fill(~present, _NEVER)
        return torch.cat([self.of_operator(here), scores], -1)

    def _present_operands(self, problems: EncodedProblems) -> Tensor:
        import torch

        known = problems.present.new_ones(len(problems.present), len(self.words.constants))
        return torch.cat([known, problems.present], 1)

    def loss(self, problems: EncodedProblems, nodes: Tensor) -> Tensor:
        """Return -log p of the right equation of each problem, shape `(problems,)`, in nats.

        The decoder of GTS (Xie and Sun 2019) with teacher forcing: goals q go from the root down,
        vectors t of finished subtrees from the leaves up.

        Args:
            nodes: The equations as `to_node_table` gives them, shape `(problems, nodes, 5)`, -1 behind the
                last node.
        """
        import torch
        from torch import nn

        drop = self.dropout
        token, parent, left, height, depth = nodes.unbind(-1)
        operands, present = problems.with_constants(self.constants), self._present_operands(problems)
        count = len(self.words.operators)
        is_leaf, is_operator = token >= count, (token >= 0) & (token < count)
        # e(y): the vector of each leaf; `parts` holds the subtree vectors t.
        at = (token - count).clamp(min=0)[..., None].expand(-1, -1, operands.shape[-1])
        parts = torch.where(is_leaf[..., None], operands.gather(1, at), 0.0)
        operator = self.operators(token.clamp(0, count - 1))
        # Bottom-up, height by height: t = merge(e(operator), t_left, t_right).
        for level in range(1, int(height.max()) + 1):
            rows, places = ((height == level) & is_operator).nonzero(as_tuple=True)
            # In prefix order the first operand follows its operator; the second one names it as its left.
            second = self._find_second_operands(left, parent, rows, places)
            merged = self.merge(
                drop(operator[rows, places]), drop(parts[rows, places + 1]), drop(parts[rows, second])
            )
            parts = parts.index_put((rows, places), merged)
        # Top-down, depth by depth: the goal q of the root is the vector of the problem.
        goals = torch.zeros_like(parts)
        goals[:, 0] = problems.vector
        states = problems._replace(states=drop(problems.states))
        keys = self.attend_state(states.states)
        total = problems.vector.new_zeros(len(nodes))
        for level in range(int(depth.max()) + 1):
            rows, places = (depth == level).nonzero(as_tuple=True)
            # `before` is the finished left sibling of a node, whose vector t changes the node's state
            # .
            goal = drop(goals[rows, places])
            before = left[rows, places]
            after = self.node_after(drop(parts[rows, before.clamp(min=0)]), goal)
            node = torch.where((before >= 0)[:, None], after, self.node(goal))
            # c: attention over the states of the text.
            context = self._attend_to_text(drop(node), rows, states, keys)
            inputs = drop(node), drop(context)
            # One softmax over operators, constants and numbers; the loss is its -log p of the right token.
            logits = self._score_tokens(*inputs, drop(operands)[rows], present[rows])
            losses = nn.functional.cross_entropy(logits, token[rows, places], reduction="none")
            total = total.index_add(0, rows, losses)
            inner = is_operator[rows, places]
            if not inner.any():
                continue
            rows, places = rows[inner], places[inner]
            # An operator passes one goal to its left and one to its right operand.
            known = (*(part[inner] for part in inputs), drop(operator[rows, places]))
            second = self._find_second_operands(left, parent, rows, places)
            goals = goals.index_put((rows, places + 1), self.left(*known))
            goals = goals.index_put((rows, second), self.right(*known))
        return total

    @staticmethod
    def _find_second_operands(left: Tensor, parent: Tensor, rows: Tensor, places: Tensor) -> Tensor:
        """Return where the second operands are: those whose parent is at these places and that have a left
        part."""
        return ((parent[rows] == places[:, None]) & (left[rows] >= 0)).int().argmax(1)

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

        operands, present = problems.with_constants(self.constants), self._present_operands(problems)
        keys = self.attend_state(problems.states)
        done: list[list[ScoredEquation]] = [[] for _ in values]
        # One partial tree for each problem at first; a tree without open goals is an equation.
        live = [_PartialTree(row, (vector,)) for row, vector in enumerate(problems.vector)]
        while live:
            rows = torch.tensor([way.row for way in live], device=problems.vector.device)
            node = self._next_nodes(live)
            context = self._attend_to_text(node, rows, problems, keys)
            logits = self._score_tokens(node, context, operands[rows], present[rows])
            # Illegal tokens have a score so low that they are never chosen.
            odds = self._mask_illegal(logits, live, present, legal, max_steps).double().log_softmax(-1)
            continuations: list[list[tuple[float, int, int]]] = [[] for _ in values]
            best = odds.sort(-1, descending=True)
            for source, (row_odds, tokens) in enumerate(
                zip(best.values.tolist(), best.indices.tolist(), strict=True)
            ):
                way = live[source]
                continuations[way.row] += [
                    (way.score + odd, source, token)
                    for odd, token in zip(row_odds, tokens, strict=True)
                    if odd > _NEVER / 2
                ]
            chosen = [
                choice
                for row, mine in enumerate(continuations)
                # Keep the `beam` best continuations of each problem.
                for choice in self._choose_continuations(mine, live, done[row], values[row], legal, beam)
            ]
            grown = self._extend_trees(chosen, live, node, context, operands, values)
            live = [way for way in grown if way.goals]
            for way in grown:
                if not way.goals:
                    insert_equation(done[way.row], ScoredEquation(way.parts[0].tree, way.score), beam)
        return done

    def _next_nodes(self, live: Sequence[_PartialTree]) -> Tensor:
        import torch

        goals = torch.stack([way.goals[-1] for way in live])
        before = [way.parts[-1].vector if way.parts and way.parts[-1].finished else None for way in live]
        none = torch.zeros_like(goals[0])
        after = self.node_after(torch.stack([none if part is None else part for part in before]), goals)
        there = torch.tensor([part is not None for part in before], device=goals.device)
        return torch.where(there[:, None], after, self.node(goals))

    def _mask_illegal(
        self, logits: Tensor, live: Sequence[_PartialTree], present: Tensor, legal: LegalSteps, max_steps: int
    ) -> Tensor:
        operators, known = len(self.words.operators), len(self.words.constants)
        logits = logits.clone()
        for source, way in enumerate(live):
            unused = int(present[way.row, known:].sum()) - len(way.used)
            full = legal.single_use and not known and len(way.goals) >= unused
            if way.operators == max_steps or full:
                logits[source, :operators] = _NEVER
            if legal.single_use:
                logits[source, [operators + index for index in way.used]] = _NEVER
        return logits

    def _choose_continuations(
        self,
        ways: Sequence[tuple[float, int, int]],
        live: Sequence[_PartialTree],
        done: Sequence[ScoredEquation],
        values: Sequence[float],
        legal: LegalSteps,
        beam: int,
    ) -> list[tuple[float, int, int]]:
        """Return the best legal continuations of a problem that may still come among the best equations."""
        result: list[tuple[float, int, int]] = []
        for score, source, token in sorted(ways, key=lambda way: -way[0]):
            if len(result) == beam or (len(done) == beam and score <= done[-1].score):
                break
            if self._is_legal(live[source], token, values, legal):
                result.append((score, source, token))
        return result

    def _is_legal(self, way: _PartialTree, token: int, values: Sequence[float], legal: LegalSteps) -> bool:
        if token < len(self.words.operators):
            return True
        value: ProblemValue | None = values[token - len(self.words.operators)]
        index = len(way.parts) - 1
        while index > 0 and way.parts[index].finished and value is not None:
            before, operator = way.parts[index].value, way.parts[index - 1].tree.label
            assert before is not None
            value = compute_step(operator, before, value, legal)
            index -= 2
        return value is not None

    def _extend_trees(
        self,
        chosen: Sequence[tuple[float, int, int]],
        live: Sequence[_PartialTree],
        node: Tensor,
        context: Tensor,
        operands: Tensor,
        values: Sequence[Sequence[float]],
    ) -> list[_PartialTree]:
        import torch

        count = len(self.words.operators)
        result = []
        inner = [(score, source, token) for score, source, token in chosen if token < count]
        # Operators: the goal is replaced by the goals of the two operands, the left one on top.
        if inner:
            sources = torch.tensor([source for _, source, _ in inner], device=node.device)
            tokens = torch.tensor([token for _, _, token in inner], device=node.device)
            vectors = self.operators(tokens)
            known = node[sources], context[sources], vectors
            goals = zip(self.right(*known), self.left(*known), strict=True)
            for (score, source, token), vector, pair in zip(inner, vectors, goals, strict=True):
                way, waits = live[source], _TreePart(vector, Tree(self.words.operators[token]))
                result.append(
                    replace(
                        way,
                        goals=(*way.goals[:-1], *pair),
                        parts=(*way.parts, waits),
                        operators=way.operators + 1,
                        score=score,
                    )
                )
        # Operands: the goal is reached by a leaf, which may complete the subtrees that wait for it.
        for score, source, token in chosen:
            if token < count:
                continue
            way, index = live[source], token - count
            leaf = _TreePart(
                operands[way.row, index], Tree(self.words.operand_label(index)), values[way.row][index], True
            )
            used = way.used | {index} if index >= len(self.words.constants) else way.used
            result.append(
                replace(way, goals=way.goals[:-1], parts=(*way.parts, leaf), used=used, score=score)
            )
        return self._merge_finished(result)

    def _merge_finished(self, ways: list[_PartialTree]) -> list[_PartialTree]:
        """Return the ways with every operator applied whose two operands are finished."""
        import torch

        while True:
            at = [
                index
                for index, way in enumerate(ways)
                if len(way.parts) > 2 and way.parts[-1].finished and way.parts[-2].finished
            ]
            if not at:
                return ways
            triples = [ways[position].parts[-3:] for position in at]
            columns = zip(*triples, strict=True)
            merged = self.merge(*(torch.stack([part.vector for part in column]) for column in columns))
            for position, vector, (operator, first, second) in zip(at, merged, triples, strict=True):
                assert first.value is not None
                assert second.value is not None
                value = compute_step(operator.tree.label, first.value, second.value, LegalSteps())
                tree = Tree(operator.tree.label, (first.tree, second.tree))
                whole = _TreePart(vector, tree, value, True)
                ways[position] = replace(ways[position], parts=(*ways[position].parts[:-3], whole))
