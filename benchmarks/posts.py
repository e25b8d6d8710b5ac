"""Speed and memory of reading and cleaning the posts of a large collection, and of writing them to a store.

    .venv/bin/python -m benchmarks.posts COLLECTION [--bytes 2000000000] [--file FILE] [--runs 3]

COLLECTION (posts_mini.jsonl.gz of the real data) is multiplied to a Posts XML file of the given size, in a
temporary folder or as FILE, which is kept and used again. Then it is read in processes of their own: posts
with their bodies as `$latex$` text. The target is 25 MB/s in less than 500 MB. Last the store is written, in
a process of its own: the whole phase of posts of `arqmath index`. The target is 15 MB/s.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks._multiply import multiply
from benchmarks._record import Record, parser_of

READ = """
import json, resource, sys, time
from engines.forum.readers import Report, read_posts
report, formulas, characters, began, used = Report(), 0, 0, time.perf_counter(), time.process_time()
for post in read_posts(sys.argv[1], report):
    formulas += len(post.body.formulas)
    characters += len(post.body.text)
print(json.dumps({
    "seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - used, "posts": report.read,
    "malformed": report.bad, "formulas": formulas, "characters": characters,
    "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
}))
"""

STORE = """
import json, resource, sys, time
from pathlib import Path
from engines.arqmath.collection.store import build_store
began, used = time.perf_counter(), time.process_time()
facts = build_store(Path(sys.argv[1]), Path(sys.argv[2]))
print(json.dumps({
    "seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - used,
    "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024, **facts,
}))
"""


def _run(script: str, *arguments: Path) -> dict[str, Any]:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(found.stdout))


def measure_store(path: Path, out: Path) -> dict[str, object]:
    """Write the store of the file."""
    found = _run(STORE, path, out)
    size = path.stat().st_size
    return {
        "store_bytes": out.stat().st_size,
        "store_answers": found["answers"],
        "store_s": round(found["seconds"], 2),
        "store_megabytes_per_s": round(size / found["seconds"] / 1e6, 1),
        "store_megabytes_per_cpu_s": round(size / found["cpu_seconds"] / 1e6, 1),
        "store_peak_megabytes": round(found["peak_bytes"] / 1e6, 1),
    }


def measure(path: Path, runs: int) -> dict[str, object]:
    """Read the file in processes of their own; the medians."""
    results = [_run(READ, path) for _ in range(runs)]
    size = path.stat().st_size
    seconds = statistics.median(result["seconds"] for result in results)
    cpu = statistics.median(result["cpu_seconds"] for result in results)
    return {
        "file_bytes": size,
        **{name: results[0][name] for name in ("posts", "formulas", "characters", "malformed")},
        "runs": runs,
        "median_s": round(seconds, 2),
        "megabytes_per_s": round(size / seconds / 1e6, 1),
        "megabytes_per_cpu_s": round(size / cpu / 1e6, 1),
        "peak_megabytes": round(max(result["peak_bytes"] for result in results) / 1e6, 1),
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--bytes", type=int, default=2_000_000_000)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    about = {"collection": arguments.collection, "file": arguments.file, "bytes": arguments.bytes}
    kept = Record("posts", arguments.out, **about)
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.file or Path(folder) / "Posts.xml"
        if not path.exists():
            multiply(arguments.collection, path, target_bytes=arguments.bytes)
        figures = measure(path, arguments.runs) | measure_store(path, Path(folder) / "posts.sqlite")
    kept.write(figures)
    print(
        f"{figures['megabytes_per_s']} MB/s ({figures['megabytes_per_cpu_s']} MB per CPU second), at most "
        f"{figures['peak_megabytes']} MB of memory, {figures['posts']:,} posts in {figures['median_s']} s; "
        f"with the store {figures['store_megabytes_per_s']} MB/s ({figures['store_megabytes_per_cpu_s']})"
    )


if __name__ == "__main__":
    main()
