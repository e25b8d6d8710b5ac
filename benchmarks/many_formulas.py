"""An index of millions of made formulas: memory and time to merge it, and to search it.

    .venv/bin/python -m benchmarks.many_formulas INDEX FOLDER [--formulas 10000000] [--queries 200]

INDEX is one of a collection; each of its formulas is made again and again with other letters: not as LaTeX,
but as the features that it then has, as far as letters change them (a letter is one of 26, a path to one has
24 variants, whole sub-expressions are new each time), since reading so many takes an hour of one core
(`benchmarks.formulas`, 25,000 rows at once, whatever the number). They are written as segments into FOLDER,
which stay there, and merged by what `mathwb mathamr index` merges with. Queries are formulas of INDEX, as
typed, through the whole of `mathwb mathamr search -k 10`. Memory is that of the process, with and without the
pages of the index that are mapped; each step is a process of its own.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._record import Record, parser_of
from engines.core.files import write_array
from engines.formula.operator_tree import count_features
from engines.formula.operator_tree_parser import search_tree
from engines.mathamr.retrieval.formula_index import FormulaIndex
from engines.mathamr.retrieval.segments import (
    _FORMULAS,
    _LOOKS,
    VERSION,
    SegmentSource,
    hash_feature,
    merge_segments,
    write_fields,
    write_table,
)

PART = 100_000
_LETTERS = np.array([hash_feature(f"l V!{letter}") for letter in "abcdefghijklmnopqrstuvwxyz"], np.uint64)


def mixed(hashes: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Other hashes for other numbers; the same for 0 (splitmix64)."""
    z = hashes + numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.where(numbers == 0, hashes, z ^ (z >> np.uint64(31)))


def make(index: Path, folder: Path, total: int) -> dict[str, Any]:
    texts = FormulaIndex(index).looks["latex"].to_pylist()
    ids, counts, kinds, starts = [], [], [], [0]
    for latex in texts:
        own = count_features(search_tree(latex))
        for name, count in own.items():
            letter = len(name) == 5 and name[:4] == "l V!" and name[4] in "abcdefghijklmnopqrstuvwxyz"
            kinds.append(
                1 if letter else 2 if name[0] == "p" and "V!" in name else 3 if name[0] == "s" else 0
            )
            ids.append(hash_feature(name))
            counts.append(count)
        starts.append(len(ids))
    hashes, times = np.array(ids, np.uint64), np.array(counts, np.uint16)
    of, begins = np.array(kinds, np.int8), np.array(starts)
    letters = np.searchsorted(np.sort(_LETTERS), hashes)
    order = np.argsort(_LETTERS)
    place = order[np.minimum(letters, 25)]
    for part in range(-(-total // PART)):
        out = folder / f"{part:04}"
        if (out / "formulas.arrow").exists():
            continue
        out.mkdir(parents=True, exist_ok=True)
        looks = np.arange(part * PART, min(total, (part + 1) * PART))
        base, turn = looks % len(texts), looks // len(texts)
        sizes = begins[base + 1] - begins[base]
        at = np.repeat(begins[base] - np.append(0, np.cumsum(sizes)[:-1]), sizes) + np.arange(sizes.sum())
        turns = np.repeat(turn, sizes)
        made = hashes[at]
        kind = of[at]
        made = np.where(kind == 1, _LETTERS[(place[at] + turns) % 26], made)
        made = np.where(kind == 2, mixed(made, turns % 24), made)
        made = np.where(kind == 3, mixed(made, turns), made)
        owners = np.repeat(np.arange(len(looks), dtype=np.int32), sizes)
        sort = np.argsort(made, kind="stable")
        names, first = np.unique(made[sort], return_index=True)
        write_array(out / "features.npy", names)
        write_array(out / "starts.npy", np.append(first, len(made)).astype(np.int64))
        write_array(out / "looks.npy", owners[sort])
        write_array(out / "counts.npy", times[at][sort])
        write_array(out / "hashes.npy", mixed(looks.astype(np.uint64), looks + 1))
        latex = [texts[number] for number in base.tolist()]
        write_table(out / "looks.arrow", _LOOKS, ((one, "", False) for one in latex))
        rows = ((str(n), "made", "", n, -1, -1, place_) for place_, n in enumerate(looks.tolist()))
        write_table(out / "formulas.arrow", _FORMULAS, rows)
    return {}


def merged(folder: Path, out: Path) -> dict[str, Any]:
    from engines.retrieval.index_storage import new_folder

    parts = [SegmentSource(path) for path in sorted(folder.iterdir()) if path.is_dir() and path != out]
    about: dict[str, Any] = {"version": VERSION, "collection": "made", "encoder": None}
    with new_folder(out, about) as draft:
        about |= merge_segments(parts, draft)
        if not (draft / "fields.arrow").exists():
            write_fields(draft, [])
    size = sum(path.stat().st_size for path in out.rglob("*"))
    return {**{key: about[key] for key in ("formulas", "looks", "features", "postings")}, "bytes": size}


def searched(out: Path, index: Path, queries: int) -> dict[str, Any]:
    from engines.mathamr.retrieval.search import SearchFormulas, search

    texts = FormulaIndex(index).looks["latex"].to_pylist()
    asked = random.Random(1).sample([one for one in texts if len(one) > 2], queries + 20)
    times, wall = [], []
    for number, latex in enumerate(asked):
        began, clock = time.process_time(), time.perf_counter()
        search(SearchFormulas(out, latex))
        if number >= 20:
            times.append(time.process_time() - began)
            wall.append(time.perf_counter() - clock)
    every = sorted(times)
    return {
        "queries": queries,
        "median_cpu_ms": round(1000 * statistics.median(times), 1),
        "p90_cpu_ms": round(1000 * every[int(0.9 * len(every))], 1),
        "most_cpu_ms": round(1000 * every[-1], 1),
        "median_wall_ms": round(1000 * statistics.median(wall), 1),
    }


def _memory() -> dict[str, float]:
    held = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    own = int(held["RssAnon"].split()[0])
    return {
        "most_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
        "own_gb_at_end": round(own / 1e6, 2),
    }


def _step(work: Callable[..., dict[str, Any]], given: tuple[Any, ...], out: Any) -> None:
    began, clock = time.process_time(), time.perf_counter()
    result = work(*given)
    spent = {"cpu_s": round(time.process_time() - began, 1), "s": round(time.perf_counter() - clock, 1)}
    out.put({**result, **spent, **_memory()})


def apart(work: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
    """What the work gives, done by a process of its own."""
    context = multiprocessing.get_context("spawn")
    out = context.Queue()
    process = context.Process(target=_step, args=(work, given, out))
    process.start()
    result: dict[str, Any] = out.get()
    process.join()
    print(work.__name__, json.dumps(result), flush=True)
    return result


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--formulas", type=int, default=10_000_000)
    parser.add_argument("--queries", type=int, default=200)
    given = parser.parse_args()
    kept = Record("many_formulas", given.out, formulas=given.formulas)
    apart(make, given.index, given.folder, given.formulas)
    out = given.folder / "index"
    figures: dict[str, Any] = {"merge": apart(merged, given.folder, out)}
    figures["search"] = apart(searched, out, given.index, given.queries)
    kept.write(figures)


if __name__ == "__main__":
    main()
