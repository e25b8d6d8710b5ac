"""A job as one archive that repeats it elsewhere, and the disk space that old checkpoints take."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.files import atomic_writer, file_error
from engines.core.spec import described
from workbench.jobs.folder import Job
from workbench.jobs.parameters import texts
from workbench.jobs.view import JobView, job_view
from workbench.operation import operation

MOST_DATA_BYTES = 2**30
_LOGS = ("events.jsonl", "result.json", "stdout.log", "stderr.log", "device.json")


def pack(job: Job, target: Path) -> dict[str, Any]:
    """Write `target`, a .tar.gz with the recipe, the environment, every log, the finished model, the data
    that the recipe names (up to 1 GiB) and a README with the command that runs it again.

    In the recipe of the archive paths are relative to it (see `workbench.jobs.unpack`). Returns: path, bytes,
    files, and `left_out`: data that is named but not inside. Raises: DataError when it cannot be written.
    """
    view = job_view(job)
    spec = job.spec()
    written = {field.name for field in described(operation(spec.task).spec_type) if field.arg.writes}
    read = {name: value for name, value in spec.params.items() if name not in written}
    inside, left_out = _data(read)
    names = {name: Path(spec.params[name]).name for name in written - {"publish"} if name in spec.params}
    inner = replace(spec, params={**_relative(read, inside), **names})
    files = 0
    try:
        with (
            atomic_writer(target, "wb") as out,
            tarfile.open(fileobj=out, mode="w:gz", dereference=True) as archive,
        ):
            root = f"mathwb-job-{job.id}"
            _add_text(archive, f"{root}/recipe.toml", inner.to_toml())
            _add_text(archive, f"{root}/README.md", _readme(view, left_out))
            files += 2
            for path, name in _members(job, view, inside):
                archive.add(path, f"{root}/{name}", filter=_plain)
                files += 1
    except OSError as error:
        raise file_error(error, target, "write") from error
    return {"path": str(target), "bytes": target.stat().st_size, "files": files, "left_out": left_out}


def drop_checkpoints(view: JobView, keep: int) -> int:
    """Remove the checkpoints of a job that is over, all but the newest `keep`. Returns: the bytes freed.

    Raises: EngineError E603 while it runs.
    """
    from engines.training.checkpoints import prune
    from workbench.jobs.control import disk_use

    if view.live:
        raise EngineError(
            f"job {view.id} is {view.state}", code="E603", exit_code=2, remedy="Wait for its end."
        )
    before = disk_use(view)
    prune(Path(view.out) / "checkpoints", keep)
    after = disk_use(view)
    return before.run_bytes + before.out_bytes - after.run_bytes - after.out_bytes


def _data(params: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Files and folders that parameters name, each with its name inside; and what is too large or gone."""
    inside: dict[str, str] = {}
    left_out = []
    room = MOST_DATA_BYTES
    for key, value in texts(params):
        if not Path(value).is_absolute() or value in inside:
            continue
        path = Path(value)
        size = _size(path)
        if not path.exists() or size > room:
            left_out.append(f"{key} = {path.name}" + ("" if path.exists() else " (gone)"))
            continue
        room -= size
        inside[value] = f"data/{len(inside)}-{path.name}"
    return inside, left_out


def _size(path: Path) -> int:
    found = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in found if file.is_file())


def _relative(value: Any, inside: Mapping[str, str]) -> Any:
    """The parameters with places replaced by those inside."""
    if isinstance(value, Mapping):
        return {key: _relative(item, inside) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_relative(item, inside) for item in value]
    return inside.get(value, value) if isinstance(value, str) else value


def _members(job: Job, view: JobView, inside: Mapping[str, str]) -> list[tuple[Path, str]]:
    found = [(job.environment, "env.json")]
    for attempt in job.attempts():
        found += [(attempt.folder / name, f"{attempt.folder.name}/{name}") for name in _LOGS]
    model = Path(view.out) / "model"
    found += [(path, f"model/{path.relative_to(model)}") for path in sorted(model.rglob("*"))]
    for place, name in inside.items():
        path = Path(place)
        found += [(path, name)] if path.is_file() else []
        found += [(file, f"{name}/{file.relative_to(path)}") for file in sorted(path.rglob("*"))]
    return [(path, name) for path, name in found if path.is_file()]


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Nobody's file: no user, no group."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def _add_text(archive: tarfile.TarFile, name: str, text: str) -> None:
    data = text.encode()
    member = tarfile.TarInfo(name)
    member.size = len(data)
    archive.addfile(member, io.BytesIO(data))


def _readme(view: JobView, left_out: list[str]) -> str:
    lines = [
        f"# {view.title}",
        "",
        f"It ended as {view.state}" + (f": {view.reason}" if view.reason else "") + ".",
        "",
        "To run it again, in this folder:",
        "",
        "    mathwb jobs run recipe.toml",
        "",
        "`env.json` has versions, commit, device and hashes of the data; `attempt-*/` the logs.",
    ]
    if left_out:
        lines += ["", f"Not inside; put the path of your own into recipe.toml: {', '.join(left_out)}."]
    return "\n".join([*lines, ""])
