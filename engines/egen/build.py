"""Building a corpus: heads over workers, shards as they are done, the same bytes whatever happens in between.

What determines a corpus is its plan (heads, configuration, rule table, versions), written first. Each block
of heads becomes one shard (`shards.py`); a build that was killed takes up at the blocks without one. Only
when all shards are there the clusters are assembled and the manifest is written, last (`assemble.py`). Times
go to `events.jsonl` and nowhere else.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa

from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import file_error, write_bytes, write_json
from engines.core.locks import sole_builder
from engines.egen.assemble import assemble
from engines.egen.records import EgenConfig, Limits
from engines.egen.rules import table_hash
from engines.egen.shards import (
    BLOCK,
    FORMAT,
    GrownHead,
    Skipped,
    parquet_bytes,
    parquet_table,
    read_shard,
    stored_shards,
    write_shard,
)
from engines.egen.sources import BadLine, Head, Source
from engines.egen.workers import Failed, Service, WorkerPool, growth_service

__all__ = [
    "CORPUS_CONFIG",
    "Built",
    "Plan",
    "build_corpus",
    "refuse_other_folder",
    "resume_corpus",
    "saved_plan",
    "versions",
]

CORPUS_CONFIG = EgenConfig(members=120, limits=Limits(nodes=1_000))
"""What a corpus is built with unless asked otherwise. 120 members need no larger e-graphs than this; those of
a single expression, where a thousand are asked for, may grow to three times as much."""

_PACKAGES = ("mathwb", "egglog", "numpy", "numba", "pyarrow")
_PARTS = frozenset(
    ("build.lock", "clusters.parquet", "events.jsonl", "fingerprints.parquet", "heads.parquet", "shards")
)
"""What a corpus folder may hold before its plan or manifest is there."""
_PROGRESS_S = 0.5
_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Plan:
    """All that determines a corpus."""

    source: Source
    config: EgenConfig
    rules: str
    versions: Mapping[str, str]

    def to_dict(self) -> dict[str, Any]:
        """The plan without the heads themselves, as `plan.json` and the manifest hold it."""
        return {
            "format": FORMAT,
            "source": {
                "name": self.source.name,
                "heads": len(self.source.heads),
                "sha256": self.source.sha256,
                "bad_lines": [asdict(line) for line in self.source.bad_lines],
                "repeated": self.source.repeated,
            },
            "config": asdict(self.config),
            "rules": self.rules,
            "versions": dict(self.versions),
            "block": BLOCK,
        }


@dataclass(frozen=True, slots=True)
class Built:
    """How a build ended. `complete` is false after a stop; the finished shards stay for the next time."""

    complete: bool
    heads: int
    heads_done: int
    clusters: int
    expressions: int
    skipped: tuple[Skipped, ...]


def build_corpus(
    source: Source,
    out: Path,
    config: EgenConfig,
    *,
    workers: int = 1,
    events: Sink = ignore,
    stop: Stop = never,
    service: Service = growth_service,
) -> Built:
    """Grow every head of a source into the corpus folder `out`, or finish what was begun there.

    Args: config: `members` is the most per head, `seed` the corpus seed. workers: processes. events: progress
    counts heads, with `members`, `rate_per_s` and `eta_s`; metrics are `members_per_s` and `workers_bytes`.
    stop: looked at between heads. service: what grows a head in a worker.
    Raises: EngineError E452 when `out` was begun with other settings or holds something else, E453 when
    another build is at work there, E211 when a rule of the strict table produced a member that differs from
    its head; DataError when `out` cannot be written.
    """
    plan = Plan(source, config, table_hash(), versions())
    refuse_other_folder(out)
    with sole_builder(out, code="E453"):
        _begin(out, plan)
        return _Build(out, plan, workers, events, stop, service).run()


def resume_corpus(
    out: Path,
    *,
    workers: int = 1,
    events: Sink = ignore,
    stop: Stop = never,
    service: Service = growth_service,
) -> Built:
    """Finish or mend the corpus begun in `out` with the settings it was begun with; see `build_corpus`."""
    plan = saved_plan(out)
    return build_corpus(
        plan.source, out, plan.config, workers=workers, events=events, stop=stop, service=service
    )


def saved_plan(out: Path) -> Plan:
    """The plan a corpus folder was begun with. Raises: DataError when there is none or it is damaged."""
    try:
        document = json.loads((out / "plan.json").read_text(encoding="utf-8"))
        table = parquet_table((out / "heads.parquet").read_bytes())
        heads = tuple(Head(**row) for row in table.to_pylist())
        source = document["source"]
        bad_lines = tuple(BadLine(**line) for line in source["bad_lines"])
        return Plan(
            Source(source["name"], heads, bad_lines, source["repeated"]),
            EgenConfig(**{**document["config"], "limits": Limits(**document["config"]["limits"])}),
            document["rules"],
            document["versions"],
        )
    except FileNotFoundError:
        raise DataError(
            "no corpus was begun here",
            path=out,
            remedy="Begin one with --templates.",
            code="E322",
            exit_code=3,
        ) from None
    except OSError as error:
        raise file_error(error, out, "read") from error
    except (ValueError, KeyError, TypeError, pa.ArrowInvalid) as error:
        raise DataError(
            "the plan of this corpus is damaged",
            path=out / "plan.json",
            remedy="Begin the corpus again in another folder.",
            code="E323",
        ) from error


def versions() -> dict[str, str]:
    """The versions that a corpus depends on."""
    return {name: metadata.version(name) for name in _PACKAGES}


def _begin(out: Path, plan: Plan) -> None:
    """Write the plan, or check that the folder was begun with the same."""
    if (out / "plan.json").exists():
        _same_plan(out, saved_plan(out).to_dict(), plan.to_dict())
        return
    if (out / "manifest.json").exists():
        raise EngineError(
            "this folder holds a corpus that was imported or saved, and cannot be grown",
            where=str(out),
            remedy="Choose another folder for --out; import or save again what is damaged here.",
            code="E452",
            exit_code=2,
        )
    columns = {name: [getattr(head, name) for head in plan.source.heads] for name in Head.__slots__}
    write_bytes(out / "heads.parquet", parquet_bytes(pa.table(columns)))
    write_json(out / "plan.json", plan.to_dict())


def refuse_other_folder(out: Path) -> None:
    """Raise EngineError E452 when `out` is a folder with files that belong to no corpus."""
    try:
        names = sorted(path.name for path in out.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise file_error(error, out, "read") from error
    other = [name for name in names if name not in _PARTS and not name.endswith(".tmp")]
    if other and not {"plan.json", "manifest.json"} & set(names):
        raise EngineError(
            f"this folder holds other files, such as {other[0]}, and no corpus",
            where=str(out),
            remedy="Choose a new or empty folder for --out.",
            code="E452",
            exit_code=2,
        )


def _same_plan(out: Path, begun: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    before, after = dict(_flat(begun)), dict(_flat(now))
    for name in before | after:
        if before.get(name) != after.get(name):
            raise EngineError(
                f"this folder holds a corpus with {name} {before.get(name)}, and not {after.get(name)}",
                where=str(out),
                remedy="Choose another folder for --out, or leave the settings out to finish this one.",
                code="E452",
                exit_code=2,
            )


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else key)
    else:
        yield name, value


class _Build:
    """One run of a build, from the shards that are there to the manifest."""

    def __init__(
        self, out: Path, plan: Plan, workers: int, events: Sink, stop: Stop, service: Service
    ) -> None:
        self.out, self.plan, self.workers, self.stop, self.service = out, plan, workers, stop, service
        self._log = partial(_log, out / "events.jsonl", events)
        self._grown: dict[int, GrownHead | Skipped] = {}
        self._retried: set[int] = set()
        self._done = self._members = 0

    def run(self) -> Built:
        heads = self.plan.source.heads
        for line in self.plan.source.bad_lines:
            self._log("warning", {"message": f"{self.plan.source.name}:{line.line}: {line.what}"})
        missing = self._missing_blocks()
        self._log(
            "state", {"state": "running", "heads": len(heads), "done": self._done, "workers": self.workers}
        )
        if missing and not self._grow(missing):
            self._log("state", {"state": "stopped", "heads": len(heads), "done": self._done})
            return Built(False, len(heads), self._done, 0, 0, ())
        self._log("state", {"state": "assembling"})
        shards = stored_shards(self.out / "shards")
        result = assemble(self.out, self.plan.to_dict(), heads, shards, seed=self.plan.config.seed)
        self._log(
            "state",
            {"state": "complete", "clusters": result.clusters, "expressions": result.expressions},
        )
        return Built(True, len(heads), len(heads), result.clusters, result.expressions, result.skipped)

    def _missing_blocks(self) -> list[int]:
        """Blocks without an undamaged shard; a damaged one is removed."""
        found = stored_shards(self.out / "shards")
        missing = []
        for block in range(-(-len(self.plan.source.heads) // BLOCK)):
            try:
                shard = read_shard(found[block])
            except KeyError:
                missing.append(block)
            except DataError as error:
                self._log("warning", {"message": f"{error.what}; it is made again"})
                found[block].unlink(missing_ok=True)
                missing.append(block)
            else:
                self._done += len(shard.heads) + len(shard.skipped)
                self._members += shard.stored.rows - len(shard.heads)
        return missing

    def _grow(self, blocks: list[int]) -> bool:
        """Grow the heads of these blocks; false when it was stopped before the end."""
        heads = self.plan.source.heads
        todo = deque(n for block in blocks for n in range(len(heads))[block * BLOCK : (block + 1) * BLOCK])
        rate = _Rate(self._done, self._members, len(heads))
        open_heads = 0
        pool = WorkerPool(self.service, self.plan.config, min(self.workers, len(todo)))
        try:
            while open_heads or (todo and not self.stop()):
                while todo and pool.free and not self.stop():
                    number = todo.popleft()
                    pool.submit(number, heads[number].prefix)
                    open_heads += 1
                for result in pool.collect(_POLL_S):
                    open_heads -= 1
                    if self._again(result):
                        todo.appendleft(result.source)
                    else:
                        self._keep(result)
                if rate.due():
                    self._report(rate, pool.memory_bytes)
        finally:
            pool.close()
        self._report(rate, 0)
        return not todo

    def _report(self, rate: _Rate, workers_bytes: int) -> None:
        members_per_s, progress = rate.report(self._done, self._members)
        self._log("progress", progress)
        self._log("metric", {"members_per_s": members_per_s, "workers_bytes": workers_bytes})

    def _again(self, result: GrownHead | Failed) -> bool:
        """Whether a head gets its second try."""
        if isinstance(result, GrownHead) or result.final or result.source in self._retried:
            return False
        self._retried.add(result.source)
        head = self.plan.source.heads[result.source].prefix
        self._log("warning", {"message": f"{head} is tried again: {result.reason}"})
        return True

    def _keep(self, result: GrownHead | Failed) -> None:
        head = self.plan.source.heads[result.source].prefix
        if isinstance(result, Failed):
            self._log("warning", {"message": f"{head} is left out: {result.reason}"})
            self._grown[result.source] = Skipped(result.source, head, result.reason)
        else:
            self._grown[result.source] = result
            self._members += len(result.rows) - 1
        self._done += 1
        self._store(result.source // BLOCK)

    def _store(self, block: int) -> None:
        """Write the shard of a block once all its heads are in."""
        numbers = range(len(self.plan.source.heads))[block * BLOCK : (block + 1) * BLOCK]
        if not all(number in self._grown for number in numbers):
            return
        results = [self._grown.pop(number) for number in numbers]
        stored = write_shard(
            self.out / "shards",
            block,
            [head for head in results if isinstance(head, GrownHead)],
            [head for head in results if isinstance(head, Skipped)],
        )
        self._log("checkpoint", {"shard": stored.name, "rows": stored.rows, "bytes": stored.bytes})


class _Rate:
    """Heads and members a second since the start of this run, and the seconds that remain at that pace."""

    def __init__(self, done: int, members: int, total: int) -> None:
        self._done, self._members, self._total = done, members, total
        self._start = self._last = time.monotonic()

    def due(self) -> bool:
        return time.monotonic() - self._last >= _PROGRESS_S

    def report(self, done: int, members: int) -> tuple[float, dict[str, object]]:
        """Members a second, and the data of a progress event."""
        self._last = time.monotonic()
        elapsed = max(self._last - self._start, 1e-9)
        pace = (done - self._done) / elapsed
        eta = round((self._total - done) / pace, 1) if pace else None
        progress = {"done": done, "total": self._total, "unit": "heads", "members": members}
        return (members - self._members) / elapsed, {**progress, "rate_per_s": pace, "eta_s": eta}


def _log(path: Path, events: Sink, kind: str, data: Mapping[str, object]) -> None:
    """Tell the listener, and the log in the corpus folder; progress and metrics are for listeners only."""
    done = data.get("done")
    events(Event(kind, data, done if isinstance(done, int) else None))
    if kind in ("progress", "metric"):
        return
    line = json.dumps({"v": 1, "t": round(time.time(), 3), "kind": kind, "data": data}, ensure_ascii=False)
    try:
        with path.open("a", encoding="utf-8") as log:
            log.write(line + "\n")
    except OSError as error:
        raise file_error(error, path, "write") from error
