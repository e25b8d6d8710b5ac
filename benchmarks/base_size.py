"""BERT-GTS on ASDiv-A from an encoder of base size: without contrastive loss, and with it in three ways.

    python ../shared/tools/pretrained.py ENCODERS mpnet
    .venv/bin/python -m benchmarks.base_size --encoder ENCODERS/all-mpnet-base-v2 --data DATA --cache DIR
        [ROW ...] [--folds 0,1] [--seeds 0,1,2] [--steps N] [--report]

DATA is the folder that `benchmarks.mwp_rows` takes. Each row is a recipe of the paper's Tables 2, 3 and 5
with the encoder in place of BERT; it is trained on three folds and measured on the fourth, all rows of a seed
before the next seed, so that they can be compared early. Finished runs in DIR are not done again, one that
was broken off goes on from its last checkpoint, and after each run the table of all that are finished
is printed, with 95 % intervals (Wilson for one answer a problem, otherwise a bootstrap over problems) and the
difference from the row without contrastive loss (McNemar, with several seeds the randomisation test; Holm).
`--report` prints the table alone. `--steps` trains less, to try whether everything works: in another DIR.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of
from benchmarks.mwp_rows import Bench, Row, markdown, report

_GROUP = "base size, ASDiv-A"
RECIPES: Mapping[str, tuple[str, str]] = {
    "base": ("BERT-GTS", "mwp/bert-gts-en-paper"),
    "base-em": ("+ CL, em", "mwp/bert-gts-en-cl-paper"),
    "base-joint": ("+ CL, joint", "mwp/bert-gts-en-cl-joint"),
    "base-em-all": ("+ CL, em over train, QR and RODA", "mwp/bert-gts-en-cl-all-paper"),
}
"""Rows by name: the title and the recipe."""


def make_rows(encoder: Path, steps: int) -> dict[str, Row]:
    """Return the rows with an encoder.

    Args:
        encoder: A folder that transformers opens.
        steps: Steps of each training; 0: as the recipe says.
    """
    settings: dict[str, Any] = {"data.encoder": str(encoder.absolute())}
    if steps:
        settings |= {"train.steps": steps, "train.eval_every": steps, "train.save_every": max(1, steps // 2)}
    return {name: Row(_GROUP, title, recipe, settings) for name, (title, recipe) in RECIPES.items()}


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=", ".join(RECIPES))
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--folds", default="0")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--report", action="store_true", help="train nothing, and print the table")
    arguments = parser.parse_args()
    for name in set(arguments.rows) - RECIPES.keys():
        parser.error(f"there is no row {name!r}")
    if not (arguments.encoder / "config.json").is_file():
        parser.error(f"{arguments.encoder} is no folder of an encoder: it has no config.json")
    # Where the record goes; only what --out names, because these runs are not part of the repository.
    record = Record("base_size", arguments.out or "-", encoder=arguments.encoder.name, data=arguments.data)
    bench = Bench(arguments.cache, arguments.data, make_rows(arguments.encoder, arguments.steps))
    if arguments.report:
        print(markdown(report(bench, {})))
    else:
        bench.register()
        for seed in map(int, arguments.seeds.split(",")):
            for fold in map(int, arguments.folds.split(",")):
                for name in arguments.rows or RECIPES:
                    bench.measured(bench.train(name, fold, seed), "asdiv-a", fold)
                    print(markdown(report(bench, {})), flush=True)
    record.write({"rows": report(bench, {})}, libraries=("torch", "transformers"))


if __name__ == "__main__":
    main()
