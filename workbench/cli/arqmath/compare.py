"""`mathwb arqmath compare RUN RUN... --qrels QRELS`: is one run better than another, beyond chance?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from workbench.cli.arqmath.eval import SHOWN, QrelsOption, TaskOption, VisualIds, load_run
from workbench.cli.common import Json, emit, table
from workbench.errors import UsageError

__all__ = ["compare_runs"]


def compare_runs(
    runs: Annotated[list[Path], typer.Argument(help="The first is the baseline.", metavar="RUN RUN...")],
    qrels: QrelsOption,
    task: TaskOption = 1,
    visual_ids: VisualIds = None,
    measure: Annotated[str, typer.Option("--measure", help="Measure that is tested.")] = "ndcg_prime",
    seed: Annotated[int, typer.Option("--seed", help="Of the randomisation test and the intervals.")] = 0,
    as_json: Json = False,
) -> None:
    """Compare runs with the first one: paired t-test and randomisation test, corrected for their number."""
    from engines.retrieval.measures import MEASURES, evaluate
    from engines.retrieval.qrels import read_qrels
    from engines.retrieval.significance import bonferroni, bootstrap_interval, compare, holm

    if len(runs) < 2:
        raise UsageError("one run cannot be compared", code="E402", remedy="Give two runs or more.")
    if measure not in MEASURES:
        raise UsageError(f"no measure {measure!r}", code="E403", remedy=f"Known: {', '.join(MEASURES)}.")
    judgements = read_qrels(qrels)
    results = [evaluate(load_run(path, judgements, qrels, task, visual_ids), judgements) for path in runs]
    values = [{topic: row[measure] for topic, row in result.per_topic.items()} for result in results]
    comparisons = [compare(values[0], other, seed=seed) for other in values[1:]]
    for_bonferroni = bonferroni([c.randomisation_p for c in comparisons])
    for_holm = holm([c.randomisation_p for c in comparisons])
    systems = [
        {
            "run": str(path),
            **{name: round(result.mean[name], 6) for name in SHOWN},
            "interval": bootstrap_interval(list(own.values()), seed=seed),
        }
        for path, result, own in zip(runs, results, values, strict=True)
    ]
    tests = [
        {"run": str(path), **asdict(c), "bonferroni_p": b, "holm_p": h}
        for path, c, b, h in zip(runs[1:], comparisons, for_bonferroni, for_holm, strict=True)
    ]
    document = {"measure": measure, "baseline": str(runs[0]), "systems": systems, "comparisons": tests}
    lines = table(
        [
            "run",
            "nDCG'",
            "mAP'",
            "P'@10",
            f"95 % of {measure}",
            "difference",
            "t-test",
            "randomisation",
            "Holm",
        ],
        [
            [
                path.name,
                *(f"{result.mean[name]:.4f}" for name in SHOWN),
                "{:.3f} to {:.3f}".format(*bootstrap_interval(list(own.values()), seed=seed)),
                *(
                    [f"{c.difference:+.4f}", f"{c.t_p:.4f}", f"{c.randomisation_p:.4f}", f"{h:.4f}"]
                    if c is not None
                    else ["", "", "", ""]
                ),
            ]
            for path, result, own, c, h in zip(
                runs, results, values, [None, *comparisons], [1.0, *for_holm], strict=True
            )
        ],
    )
    emit(document, as_json, text=lines)
