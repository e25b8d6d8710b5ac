"""What each part of the default first stage adds, on the mini collection, with intervals.

    .venv/bin/python -m benchmarks.parts COLLECTION --cache DIR [--into docs/arqmath.md]

COLLECTION and the cache as of `benchmarks.arqmath`. The sum of all three is held against the sum without each
of them, on the topics of each year and of both; then against what is chosen on the topics of one year and
measured on those of the other, in both directions: the best single search, and the best of all seven sums.
Random order is that of the judged answers: what no system at all reaches.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of, put_into, table
from benchmarks.arqmath import DIRECTIONS, THREE, set_up, shuffled
from engines.arqmath.collection.index import DEPTH
from engines.arqmath.first_stage import FirstStage
from engines.retrieval.measures import bootstrap_interval, compare, evaluate, holm
from engines.retrieval.qrels import Qrels

ALL = " + ".join(THREE)
WITHOUT = {part: " + ".join(name for name in THREE if name != part) for part in THREE}
SINGLE, SUM = "best single search of the other year", "best sum of the other year"
RANDOM = "random order of the judged"

Values = dict[str, float]
"""nDCG' by topic."""


def measured(run: Any, qrels: Qrels) -> Values:
    return {topic: row["ndcg_prime"] for topic, row in evaluate(run, qrels, ["ndcg_prime"]).per_topic.items()}


def mean(values: Values) -> float:
    return sum(values.values()) / len(values)


def compared(systems: Mapping[str, Values]) -> dict[str, dict[str, Any]]:
    """Each system's mean with its interval, and how much more the sum of all three has."""
    tests = {name: compare(own, systems[ALL]) for name, own in systems.items() if name not in (ALL, RANDOM)}
    parts = holm([tests[without].randomisation_p for without in WITHOUT.values()])
    adjusted = dict(zip(WITHOUT.values(), parts, strict=True))
    rows: dict[str, dict[str, Any]] = {}
    for name, values in systems.items():
        low, high = bootstrap_interval(list(values.values()))
        rows[name] = {"ndcg_prime": round(mean(values), 4), "interval": [round(low, 4), round(high, 4)]}
        if name in tests:
            test = tests[name]
            rows[name] |= {
                "all_three_gain": round(test.difference, 4),
                "gain_interval": [round(bound, 4) for bound in test.interval],
                "randomisation_p": round(test.randomisation_p, 4),
            }
        if name in adjusted:
            rows[name]["holm_p"] = round(adjusted[name], 4)
    return rows


def markdown(reports: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    lines = []
    for report, rows in reports.items():
        cells = []
        for name, row in rows.items():
            gain = ["", ""]
            if "all_three_gain" in row:
                low, high = row["gain_interval"]
                p = f"{row['randomisation_p']:.3f}" + (f" ({row['holm_p']:.3f})" if "holm_p" in row else "")
                gain = [f"{row['all_three_gain']:+.3f} ({low:+.3f} to {high:+.3f})", p]
            cells.append(
                [name, f"{row['ndcg_prime']:.3f}", "{:.3f} to {:.3f}".format(*row["interval"]), *gain]
            )
        heads = [f"{report}", "nDCG'", "95 %", "all three have more by", "p (Holm of the three parts)"]
        lines += table(heads, cells)
    return "\n".join(lines)


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--into", type=Path, help="the page whose tables are replaced")
    arguments = parser.parse_args()
    kept = Record("parts", arguments.out, collection=arguments.collection)
    bench = set_up(arguments.collection, arguments.cache)
    found = {name: bench.index.run(bench.texts, DEPTH, how=name) for name in THREE}
    sums = [" + ".join(names) for count in (3, 2, 1) for names in combinations(THREE, count)]
    runs = {name: FirstStage.read(name).fuse(found).cut(DEPTH) for name in sums}
    years: dict[str, dict[str, Values]] = {
        year: {name: measured(run, qrels) for name, run in runs.items()}
        for year, qrels in bench.years.items()
    }
    chosen: dict[str, dict[str, str]] = {}
    reports: dict[str, dict[str, Values]] = {}
    for year, other in DIRECTIONS.items():
        best = {
            SINGLE: max(THREE, key=lambda name: mean(years[other][name])),
            SUM: max(sums, key=lambda name: mean(years[other][name])),
        }
        chosen[year] = best
        floor = shuffled(bench.years[year]).per_topic
        reports[f"{len(floor)} topics of {year}"] = {
            **years[year],
            **{name: years[year][system] for name, system in best.items()},
            RANDOM: {topic: row["ndcg_prime"] for topic, row in floor.items()},
        }
    both = {
        name: {topic: value for report in reports.values() for topic, value in report[name].items()}
        for name in next(iter(reports.values()))
    }
    reports[f"both years, {len(both[ALL])} topics"] = both
    figures = {"chosen_on_the_other_year": chosen, "reports": {n: compared(r) for n, r in reports.items()}}
    text = markdown(figures["reports"])
    print(text)
    print(chosen)
    kept.write(figures, libraries=("numpy", "faiss-cpu"))
    if arguments.into:
        put_into(arguments.into, text, "parts")


if __name__ == "__main__":
    main()
