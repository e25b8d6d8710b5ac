"""How fast the tree decoder learns: a batch of problems at once against one problem at a time.

    .venv/bin/python -m benchmarks.mwp_solver [DATA] [--batch 16] [--problems 160] [--runs 5]

The decoder of the paper's sizes (width 768, embedding 128) on states of an encoder that are drawn at random,
so that only decoding is timed: loss and gradient of every problem, on one thread. Both ways give the same
losses, which is checked. Without DATA the problems are those of the English sample.
"""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of

WIDTH, LENGTH = 768, 48


def prepared(data: Path, count: int, batch: int) -> tuple[Any, list[Any], list[Any]]:
    """A decoder, and the same problems in batches and one by one."""
    import numpy as np
    import torch

    from engines.mwp.problems.readers import read_problems
    from engines.mwp.solver.encoders import Encoded
    from engines.mwp.solver.tree_head import TreeHead
    from engines.mwp.solver.words import Words, nodes, stacked

    problems = read_problems(data).usable
    words = Words.of(problem.equation for problem in problems if problem.equation is not None)
    known = {*words.constants, *words.operators}
    usable = [
        problem
        for problem in problems
        if all(label in known or label.startswith("N_") for label in problem.prefix)
    ]
    torch.manual_seed(0)
    head = TreeHead(words, WIDTH, embedding=128, dropout=0.0)

    def inputs(rows: list[Any]) -> Any:
        most = max(len(row.numbers) for row in rows)
        present = torch.tensor([[place < len(row.numbers) for place in range(most)] for row in rows])
        states = torch.stack([drawn[row.id] for row in rows])
        mask = torch.ones(len(rows), LENGTH, dtype=torch.bool)
        encoded = Encoded(states, mask, states[:, 0], states[:, 1 : most + 1], present)
        tables = [nodes(row.equation, words) for row in rows]
        return encoded, torch.from_numpy(stacked([np.asarray(table) for table in tables]))

    rows = [usable[place % len(usable)] for place in range(count)]
    drawn = {row.id: torch.randn(LENGTH, WIDTH) for row in rows}
    batches = [inputs(rows[begin : begin + batch]) for begin in range(0, count, batch)]
    return head, batches, [inputs([row]) for row in rows]


def main() -> None:
    from engines.core.assets import asset

    parser = parser_of(__doc__)
    parser.add_argument("data", type=Path, nargs="?")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--problems", type=int, default=160)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    kept = Record("mwp_solver", arguments.out, data=arguments.data, problems=arguments.problems)
    import torch

    torch.set_num_threads(1)
    data = arguments.data or asset("sample/problems/sample-en/problems.jsonl")
    head, batched, single = prepared(data, arguments.problems, arguments.batch)

    def learn(parts: list[Any]) -> float:
        head.zero_grad()
        total = 0.0
        for encoded, targets in parts:
            loss = head.loss(encoded, targets).sum()
            loss.backward()
            total += loss.item()
        return total

    sums = learn(batched), learn(single)
    assert abs(sums[0] - sums[1]) < 1e-3 * sums[1], sums
    times: dict[str, list[float]] = {"batched": [], "single": []}
    for _ in range(arguments.runs):
        for name, parts in (("batched", batched), ("single", single)):
            begun = time.process_time()
            learn(parts)
            times[name].append(time.process_time() - begun)
    figures: dict[str, object] = {
        f"{name}_problems_per_processor_s": round(arguments.problems / statistics.median(found), 1)
        for name, found in times.items()
    }
    ratios = [a / b for a, b in zip(times["single"], times["batched"], strict=True)]
    figures |= {
        "ratio": round(statistics.median(ratios), 2),
        "batch": arguments.batch,
        "problems": arguments.problems,
        "runs": arguments.runs,
        "data": data.parent.name if data.name == "problems.jsonl" else data.name,
    }
    print(figures)
    kept.write(figures, libraries=("torch",))


if __name__ == "__main__":
    main()
