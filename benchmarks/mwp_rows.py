"""Solvers of English word problems, trained by their recipes and measured where nothing was trained on.

    .venv/bin/python -m benchmarks.mwp_rows [ROW ...] --cache DIR --data DIR [--folds 0,1] [--seeds 0,1]
        [--challenges] [--report] [--into docs/measurements/mwp.md]

DATA is a folder with ASDiv-A (folds 0-3), MAWPS, one half of SVAMP and ParaMAWPS. A row is a recipe with
settings; each is trained on three folds of ASDiv-A and measured on the fourth, or, without ASDiv-A, measured
on all four. Everything goes through the command line, `mathwb train` and `mathwb mwp eval`, in a workspace in
the cache. A finished run is not done again, even if its recipe has changed since: then its folder has to go.
One that was broken off goes on, and several of these commands may fill one cache. `--challenges` measures on
the challenge sets too, `--votes` on the test problems with their question first and their sentences in other
orders, so that five answers can be put to the vote, as those of several seeds are. `--report` puts what the
cache holds into `results/mwp_rows.json`: right answers over all runs of a row, with the 95 % interval (Wilson
for one answer a problem, otherwise a bootstrap over problems), the mean of what chose the models on the
development splits, and each row against the first of its group on the same problems (McNemar, exact, or where
problems have several answers the randomisation test over problems; Holm's adjustment within the group). A row
that the cache does not hold stays as it was reported.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks._mwp_report import markdown, report
from benchmarks._mwp_runs import CHALLENGES, ORDERS, ROWS, Bench
from benchmarks._record import Record, parser_of, put_into


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(ROWS))
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--folds", default="0")
    parser.add_argument("--seeds", default="0")
    parser.add_argument("--challenges", action="store_true", help="measure on the challenge sets too")
    parser.add_argument("--votes", action="store_true", help="measure on other orders of the sentences too")
    parser.add_argument("--report", action="store_true", help="write what the cache holds")
    parser.add_argument("--into", type=Path, help="the page whose table is replaced")
    arguments = parser.parse_args()
    kept = Record("mwp_rows", arguments.out, data=arguments.data) if arguments.report else None
    for name in set(arguments.rows) - ROWS.keys():
        parser.error(f"there is no row {name!r}")
    bench = Bench(arguments.cache, arguments.data)
    bench.register()
    for seed in map(int, arguments.seeds.split(",")):
        for name in arguments.rows:
            for fold in [None] if ROWS[name].whole else map(int, arguments.folds.split(",")):
                folder = bench.train(name, fold, seed)
                sets = ["asdiv-a", *(CHALLENGES if arguments.challenges else ())]
                sets += ORDERS if arguments.votes else ()
                if ROWS[name].mawps and "paramawps" in sets:
                    sets.remove("paramawps")
                for data in sets:
                    found = bench.measured(folder, data, fold)
                    print(name, fold, seed, data, found["answer_accuracy"], found["ci95"]["answer_accuracy"])
    if kept:
        rows = report(bench)
        kept.write({"rows": rows}, libraries=("torch", "transformers"))
        if arguments.into:
            put_into(arguments.into, markdown(rows))


if __name__ == "__main__":
    main()
