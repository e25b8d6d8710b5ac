"""Writing expressions with a sequence-to-sequence model: greedily, or with a beam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engines.core.errors import ExpressionError
from engines.core.tree import Tree
from engines.egen.expressions.language import prefix
from engines.egen.expressions.training_notation import decode
from engines.egen.models.sequences import END, PAD, START, Sequences, batches
from engines.egen.records import Verdict
from engines.egen.verification.verify import Verifier

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["Written", "beam", "greedy_accuracy", "write"]

_TOKENS_PER_BATCH = 4_096


@dataclass(frozen=True, slots=True)
class Written:
    """An expression that the model wrote for a source: its ids without SOE, the mean log-probability of a
    token in nats, the tree where the ids are an expression, and the verdict on it as a member beside the
    source."""

    ids: tuple[int, ...]
    score_nats: float
    tree: Tree | None
    verdict: Verdict | None

    @property
    def equal(self) -> bool:
        """Whether it is the same function wherever the source is defined."""
        return self.verdict is not None and self.verdict.outcome in ("equal", "extends")


def write(model: nn.Module, sources: Sequence[Tree], *, beams: int = 1) -> list[list[Written]]:
    """What the model writes for each source, best first, judged by the verifier: `beams` each at most.

    Args: beams: 1 is greedy decoding.
    Raises: EngineError E641 for a model without a decoder; ExpressionError for a source it cannot read.
    """
    import torch

    limit = model.config.max_length
    rows = Sequences.of([prefix(tree) for tree in sources], max_length=limit)
    raw: list[list[tuple[list[int], float]]] = [[] for _ in sources]
    device = next(model.parameters()).device
    for batch in batches(rows.lengths, max(1, _TOKENS_PER_BATCH // beams)):
        ids = torch.from_numpy(rows.padded(batch)).to(device)
        with torch.inference_mode():
            found = beam(model, ids, beams, limit)
        for row, candidates in zip(batch.tolist(), found, strict=True):
            raw[row] = candidates
    return [_judged(tree, candidates) for tree, candidates in zip(sources, raw, strict=True)]


def _judged(source: Tree, candidates: list[tuple[list[int], float]]) -> list[Written]:
    verifier = Verifier(source)
    written = []
    for ids, score in candidates:
        try:
            tree = decode(ids)
        except ExpressionError:
            written.append(Written(tuple(ids), score, None, None))
            continue
        (verdict,) = verifier.check([tree])
        written.append(Written(tuple(ids), score, tree, verdict))
    return written


def greedy_accuracy(model: nn.Module, sources: Sequence[Tree]) -> float:
    """The share of sources for which greedy decoding writes an equal expression."""
    found = write(model, sources)
    return sum(candidates[0].equal for candidates in found) / max(1, len(found))


def beam(model: nn.Module, ids: Tensor, beams: int, limit: int) -> list[list[tuple[list[int], float]]]:
    """For each source of a batch the `beams` best by mean log-probability of a token, best first: the ids
    written, with EOE, and that mean. One beam takes the likeliest token each time: greedy decoding.

    A beam that has ended stays as it is and takes part; the search is over when all have.
    """
    import torch

    from engines.egen.models.transformer import begin, step

    cache = begin(model, ids)
    count = len(ids)
    if beams > 1:
        cache.choose(torch.arange(count, device=ids.device).repeat_interleave(beams))
    tokens = torch.full((count, beams, 1), START, device=ids.device)
    # Only the first beam is alive at first, or all would be the same.
    sums = torch.full((count, beams), -torch.inf, device=ids.device)
    sums[:, 0] = 0.0
    ended = torch.zeros(count, beams, dtype=torch.bool, device=ids.device)
    lengths = torch.zeros(count, beams, device=ids.device)
    for _ in range(limit - 1):
        chances = step(model, tokens[:, :, -1].reshape(-1, 1), cache)[:, -1].float().log_softmax(-1)
        chances = chances.view(count, beams, -1)
        frozen = torch.full_like(chances, -torch.inf)
        frozen[..., PAD] = 0.0
        chances = torch.where(ended[..., None], frozen, chances)
        totals = sums[..., None] + chances
        longer = lengths + (~ended)
        ranks = (totals / longer.clamp(min=1)[..., None]).flatten(1).topk(beams, dim=-1).indices
        parent, token = ranks // chances.shape[-1], ranks % chances.shape[-1]
        sums = totals.flatten(1).gather(1, ranks)
        lengths = longer.gather(1, parent)
        ended = ended.gather(1, parent) | (token == END)
        history = tokens.gather(1, parent[..., None].expand(-1, -1, tokens.shape[-1]))
        tokens = torch.cat([history, token[..., None]], -1)
        offsets = torch.arange(count, device=ids.device)[:, None] * beams
        if beams > 1:
            cache.choose((parent + offsets).flatten())
        if bool(ended.all()):
            break
    found = []
    means = (sums / lengths.clamp(min=1)).tolist()
    for rows, scores in zip(tokens[:, :, 1:].tolist(), means, strict=True):
        ranked = sorted(zip(rows, scores, strict=True), key=lambda pair: -pair[1])
        found.append([(_until_end(row), score) for row, score in ranked if score > -torch.inf])
    return found


def _until_end(row: list[int]) -> list[int]:
    return row[: row.index(END) + 1] if END in row else [token for token in row if token != PAD]
