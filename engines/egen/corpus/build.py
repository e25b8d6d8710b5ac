"""Building a corpus: heads over workers, shards as they are done, the same bytes whatever happens in between.

What determines a corpus is its plan (heads, configuration, rule table, versions), written first. Each block
of heads becomes one shard (`folder.py`); a build that was killed takes up at the blocks without one. Only
when all shards are there the clusters are assembled and the manifest is written, last (`assemble.py`). Times
go to `events.jsonl` and nowhere else.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from engines.core.build import LOCK, MANIFEST, PLAN, ResumableBuild
from engines.core.distributions import installed_versions
from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import file_error, write_bytes
from engines.egen.corpus.assemble import assemble
from engines.egen.corpus.folder import (
    BLOCK,
    THEORY,
    GrownHead,
    Skipped,
    make_header,
    parquet_bytes,
    parquet_table,
    read_shard,
    stored_shards,
    write_shard,
)
from engines.egen.corpus.sources import BadLine, HeadSource, SourceHead
from engines.egen.egraph.process import ClusterRequest, GrowthError, GrowthPool, Service, serve_growth
from engines.egen.records import Cluster
from engines.egen.rules.table import table_hash
from engines.egen.settings import EgenConfig, head_seed
from engines.egen.theories.registry import theory_of

_PACKAGES = ("mathwb", "egglog", "numpy", "numba", "pyarrow")
_PARTS = frozenset(
    (LOCK, "clusters.parquet", "events.jsonl", "fingerprints.parquet", "heads.parquet", "shards")
)
"""What a corpus folder may hold before its plan or manifest is there; the lock comes first."""
_ANOTHER = "Choose another folder for --out"
# Progress is reported at most this often, however fast clusters are finished.
_PROGRESS_S = 0.5
_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that determines a corpus: heads, configuration, rule table and versions."""

    source: HeadSource
    config: EgenConfig
    rules: str
    versions: Mapping[str, str]
    held_out: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the plan without the heads themselves, as `plan.json` and the manifest hold it."""
        real = self.config.theory == "reals"
        heads = [head.prefix for head in self.source.heads]
        return {
            **(make_header(heads, self.config.assume) if real else {"format": THEORY}),
            "source": {
                "name": self.source.name,
                "heads": len(self.source.heads),
                "sha256": self.source.sha256,
                "bad_lines": [asdict(line) for line in self.source.bad_lines],
                "repeated": self.source.repeated,
            },
            "config": self.config.to_dict(),
            "rules": self.rules,
            "versions": dict(self.versions),
            "block": BLOCK,
            **({} if self.held_out is None else {"held_out": self.held_out}),
        }


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The result of a build.

    `complete` is false after a stop; the finished shards stay for the next time. `bad_lines` counts
    unreadable lines of the source, `held_out` the clusters for validation. With a `share`, the heads are
    those of its shards, and nothing is assembled.
    """

    out: Path
    complete: bool
    heads: int
    heads_done: int
    clusters: int = 0
    expressions: int = 0
    skipped: tuple[Skipped, ...] = ()
    bad_lines: int = 0
    share: str | None = None
    held_out: int = 0


def build_corpus(
    source: HeadSource,
    out: Path,
    config: EgenConfig,
    *,
    workers: int = 1,
    share: tuple[int, int] | None = None,
    held_out: float | None = None,
    events: Sink = ignore,
    stop: Stop = never,
    service: Service = serve_growth,
) -> BuildResult:
    """Grow every head of a source into the corpus folder `out`, or finish or mend what was begun there.

    Args:
        config: `members` is the most per head, `seed` the corpus seed.
        workers: Processes.
        events: Progress counts heads, with `members`, `rate_per_s` and `eta_s`; metrics are `members_per_s`
            and `workers_bytes`.
        share: (3, 16): only the third shard and every sixteenth from there, for processes that divide them,
            on machines that see the same folder; a call without a share then grows what is missing and
            assembles all.
        held_out: Share of the clusters for validation; None is what was begun, and else the paper's.
        stop: Looked at between heads.
        service: What answers in a process.

    Raises:
        EngineError: E452 when `out` was begun with other settings or holds something else, E453 when another
            build is at work there, E211 when a rule of the strict table produced a member that differs from
            its head.
        DataError: When `out` cannot be written.
    """
    if held_out is None and (out / PLAN).exists():
        # The first build decides the share held out, unless this one names another.
        held_out = saved_plan(out).held_out
    plan = Plan(source, config, table_hash(), library_versions(), held_out)
    refuse_other_folder(out)
    build = ResumableBuild(out, share, events=events, stop=stop)
    with build.lock("E453"):
        _begin_build(build, plan)
        return _Growth(build, plan, workers, service).run_build()


def saved_plan(out: Path) -> Plan:
    """Return the plan a corpus folder was begun with."""
    try:
        document = json.loads((out / PLAN).read_text(encoding="utf-8"))
        table = parquet_table((out / "heads.parquet").read_bytes())
        heads = tuple(SourceHead(**row) for row in table.to_pylist())
        source = document["source"]
        bad_lines = tuple(BadLine(**line) for line in source["bad_lines"])
        return Plan(
            HeadSource(source["name"], heads, bad_lines, source["repeated"]),
            EgenConfig.from_document(document["config"]),
            document["rules"],
            document["versions"],
            document.get("held_out"),
        )
    except FileNotFoundError:
        what, remedy = "there is no unfinished corpus here", "Start one with --templates."
        raise DataError(what, path=out, remedy=remedy, code="E322") from None
    except OSError as error:
        raise file_error(error, out, "read") from error
    except (ValueError, KeyError, TypeError, pa.ArrowInvalid) as error:
        what, remedy = "the plan of this corpus is corrupt", "Start the corpus again in another folder."
        raise DataError(what, path=out / PLAN, remedy=remedy, code="E323") from error


def library_versions() -> dict[str, str]:
    """Return the versions of the packages that a corpus depends on."""
    return installed_versions(_PACKAGES)


def _begin_build(build: ResumableBuild, plan: Plan) -> None:
    out, old = build.folder, None
    if (out / PLAN).exists():
        old = saved_plan(out).to_dict()
    elif (out / MANIFEST).exists():
        what = "this folder holds an imported or saved corpus, which cannot be grown"
        raise other_folder(out, what, f"{_ANOTHER}; import or save the corrupt part again.")
    else:
        columns = {name: [getattr(head, name) for head in plan.source.heads] for name in SourceHead.__slots__}
        write_bytes(out / "heads.parquet", parquet_bytes(pa.table(columns)))

    def other_setting_error(name: str, before: Any, after: Any) -> EngineError:
        what = f"this folder holds a corpus with {name} {before}, and not {after}"
        if name in ("config.rules", "config.theory"):
            what = f"this folder holds a corpus grown with other {name.removeprefix('config.')} than named"
        return other_folder(out, what, f"{_ANOTHER}, or leave the settings out to finish this one.")

    build.write_or_check_plan(plan.to_dict(), old, other_setting_error)


def refuse_other_folder(out: Path) -> None:
    """Raise EngineError E452 when `out` is a folder with files that belong to no corpus."""
    try:
        names = sorted(path.name for path in out.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise file_error(error, out, "read") from error
    ours = _PARTS if LOCK in names else ()
    other = [name for name in names if name not in ours and not name.endswith(".tmp")]
    if other and not {PLAN, MANIFEST} & set(names):
        what = f"this folder holds other files, such as {other[0]}, and no corpus"
        raise other_folder(out, what, "Choose a new or empty folder for --out.")


def other_folder(out: Path, what: str, remedy: str = "") -> EngineError:
    """Return the error for a folder that holds something else."""
    remedy = remedy or f"{_ANOTHER}."
    return EngineError(what, where=str(out), remedy=remedy, code="E452")


class _Growth:
    """One run of a build, from the shards that are there to the manifest. Blocks are parts of the build, but
    not made one after the other: heads of several grow at once."""

    def __init__(self, build: ResumableBuild, plan: Plan, workers: int, service: Service) -> None:
        self.out, self.share, self.stop = build.folder, build.share, build.stop
        self.plan, self.workers, self.service = plan, workers, service
        self.blocks = build.split_into_parts(len(plan.source.heads), BLOCK)
        self._log = partial(_write_log, self.out / "events.jsonl", build.events)
        self._grown: dict[int, GrownHead | Skipped] = {}
        self._retried: set[int] = set()
        self._done = self._members = 0

    def run_build(self) -> BuildResult:
        heads = self.plan.source.heads
        for line in self.plan.source.bad_lines:
            self._log("warning", {"message": f"{self.plan.source.name}:{line.line}: {line.what}"})
        missing = self._missing_blocks()
        wanted = sum(map(len, self.blocks.values()))
        self._log("state", {"state": "running", "heads": wanted, "done": self._done, "workers": self.workers})
        bad_lines = len(self.plan.source.bad_lines)
        share = f"{self.share[0]}/{self.share[1]}" if self.share else None
        if missing and not self._grow_blocks(missing, wanted):
            self._log("state", {"state": "stopped", "heads": wanted, "done": self._done})
            return BuildResult(self.out, False, wanted, self._done, bad_lines=bad_lines, share=share)
        if share:
            self._log("state", {"state": "complete", "share": share})
            return BuildResult(self.out, True, wanted, wanted, bad_lines=bad_lines, share=share)
        self._log("state", {"state": "assembling"})
        shards = stored_shards(self.out / "shards")
        result = assemble(self.out, self.plan.to_dict(), heads, shards, seed=self.plan.config.seed)
        counts = {"clusters": result.clusters, "expressions": result.expressions}
        self._log("state", {"state": "complete", **counts})
        return BuildResult(
            self.out, True, len(heads), len(heads), **asdict(result) | {"skipped": result.skipped}
        )

    def _missing_blocks(self) -> list[int]:
        result = stored_shards(self.out / "shards")
        missing = []
        for block in self.blocks:
            try:
                shard = read_shard(result[block])
            except KeyError:
                missing.append(block)
            except DataError as error:
                self._log("warning", {"message": f"{error.what}; rebuilding it"})
                result[block].unlink(missing_ok=True)
                missing.append(block)
            else:
                self._done += len(shard.heads) + len(shard.skipped)
                self._members += shard.stored.rows - len(shard.heads)
        return missing

    def _grow_blocks(self, blocks: list[int], wanted: int) -> bool:
        """Grow the heads of these blocks, of `wanted` in all; false when it was stopped before the end."""
        heads, config = self.plan.source.heads, self.plan.config
        todo = deque(number for block in blocks for number in self.blocks[block])
        rate = _Rate(self._done, self._members, wanted)
        open_heads = 0
        with GrowthPool(min(self.workers, len(todo)), self.service) as pool:
            while open_heads or (todo and not self.stop()):
                # Heads are handed out one by one, since the times that they take differ widely.
                while todo and pool.free and not self.stop():
                    number = todo.popleft()
                    head = heads[number].prefix
                    tree = theory_of(config.theory, "").read_term(head, "prefix", head=False)
                    # The seed comes from the head alone, so that its cluster does not depend on order,
                    # workers or shares.
                    request = ClusterRequest(tree, replace(config, seed=head_seed(config.seed, head)))
                    pool.submit_request(number, request)
                    open_heads += 1
                for number, answer in pool.collect_answers(_POLL_S):
                    open_heads -= 1
                    reason, final = _explain_failure(answer)
                    if reason and not final and self._try_again(number, reason):
                        # First in line: its block is complete only with it.
                        todo.appendleft(number)
                    else:
                        self._keep_result(number, reason or GrownHead.from_cluster(number, answer))
                if rate.is_due():
                    self._report_progress(rate, pool.memory_bytes)
        self._report_progress(rate, 0)
        return not todo

    def _report_progress(self, rate: _Rate, workers_bytes: int) -> None:
        members_per_s, progress = rate.measure_rate(self._done, self._members)
        self._log("progress", progress)
        self._log("metric", {"members_per_s": members_per_s, "workers_bytes": workers_bytes})

    def _try_again(self, number: int, reason: str) -> bool:
        if number in self._retried:
            return False
        self._retried.add(number)
        head = self.plan.source.heads[number].prefix
        self._log("warning", {"message": f"{head}: trying again: {reason}"})
        return True

    def _keep_result(self, number: int, result: GrownHead | str) -> None:
        head = self.plan.source.heads[number].prefix
        if isinstance(result, str):
            self._log("warning", {"message": f"{head} is left out: {result}"})
            self._grown[number] = Skipped(number, head, result)
        else:
            self._grown[number] = result
            self._members += len(result.rows) - 1
        self._done += 1
        self._store_block(number // BLOCK)

    def _store_block(self, block: int) -> None:
        numbers = self.blocks[block]
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


def _explain_failure(answer: Cluster | EngineError) -> tuple[str, bool]:
    """Return why a head gave no cluster (nothing when it did), and whether trying again cannot help.

    Raises:
        EngineError: E211, because a rule is wrong.
    """
    if isinstance(answer, GrowthError):
        return answer.reason, False
    if isinstance(answer, EngineError):
        if answer.code == "E211":
            raise answer
        return answer.what, True
    reason = answer.stats.stop_reason
    return (reason, False) if reason in ("time_limit", "memory_limit", "stopped") else ("", False)


class _Rate:
    def __init__(self, done: int, members: int, total: int) -> None:
        self._done, self._members, self._total = done, members, total
        self._start = self._last = time.monotonic()

    def is_due(self) -> bool:
        return time.monotonic() - self._last >= _PROGRESS_S

    def measure_rate(self, done: int, members: int) -> tuple[float, dict[str, object]]:
        self._last = time.monotonic()
        elapsed = max(self._last - self._start, 1e-9)
        pace = (done - self._done) / elapsed
        eta = round((self._total - done) / pace, 1) if pace else None
        progress = {"done": done, "total": self._total, "unit": "heads", "members": members}
        return (members - self._members) / elapsed, {**progress, "rate_per_s": pace, "eta_s": eta}


def _write_log(path: Path, events: Sink, kind: str, data: Mapping[str, object]) -> None:
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
