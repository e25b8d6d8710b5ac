"""Expressions, clusters, corpora and models of the workspace, by name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from engines.core.errors import DataError, ExpressionError, did_you_mean
from engines.core.files import file_error
from engines.core.hashing import sha256
from engines.core.rows import read_lines
from engines.core.system import asset, format_bytes
from engines.egen.settings import MAX_TOKENS
from workbench.config import SettingKey
from workbench.errors import MissingError
from workbench.workspace import BadLineSink, DataKind

if TYPE_CHECKING:
    from workbench.doctor import DoctorFinding
    from workbench.workspace import Workspace


KEYS = (
    SettingKey("egen.mode", "strict", "which members count as equal", ("strict", "common", "paper")),
    SettingKey(
        "egen.style",
        "plain",
        "members without detours, only one of those that differ by signs, or any; unset: any for mode paper",
        ("plain", "distinct", "any"),
    ),
    SettingKey(
        "egen.order",
        "interesting",
        "which members come first; unset: shortest where more than 100 are asked for",
        ("interesting", "shortest", "readable", "random"),
    ),
    SettingKey("egen.holes", False, "also members without a value at single points where the head has one"),
    SettingKey(
        "egen.max_tokens", 25, "the longest member, in tokens of generator notation", least=1, most=MAX_TOKENS
    ),
)


_WITH_SYMBOLS_BYTES = 100 * 10**6
"""egglog's library is 15 MB without debugging symbols, and 218 MB with them."""


def check_egen() -> Iterator[DoctorFinding]:
    """Check the table of rewrite rules, and the size of egglog's library."""
    from workbench.doctor import DoctorFinding

    yield DoctorFinding("rewrite rules", "ok", str(asset("rules/egen.toml")))
    egglog = find_spec("egglog")
    for folder in (egglog.submodule_search_locations or ()) if egglog else ():
        for library in Path(folder).glob("bindings*.so"):
            if (held := library.stat().st_size) > _WITH_SYMBOLS_BYTES:
                what = f"nearly all {format_bytes(held)} of its library are debugging symbols"
                yield DoctorFinding(
                    "egglog", "note", what, f"They can go: strip --strip-debug {quote(str(library))}"
                )


def list_models(workspace: Workspace) -> list[Path]:
    """List the models that embed expressions: those that ship, then those of the workspace.

    A model of the workspace hides one that ships and has its name.
    """
    from engines.egen.models.model_folder import models_among

    return models_among(sorted(workspace.models.glob("*")))


def model_path(name: str) -> Path:
    """Return the folder of a model: a path, a name in the workspace, or one that ships (`egen-…`,
    `arqmath-…`).

    Raises:
        MissingError: E355 if there is none with that name.
    """
    from engines.core.system import models_folder
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if path.is_dir():
        return path.absolute()
    workspace = Workspace.open()
    for folder in (workspace.models / name, models_folder() / name):
        if len(path.parts) == 1 and folder.is_dir():
            return folder
    known = [folder.name for folder in list_models(workspace)]
    remedy = did_you_mean(name, known) or (
        f"There are: {', '.join(known)}." if known else "Train one with: mathwb train --headless"
    )
    raise MissingError(f"there is no model {name!r}", code="E355", remedy=remedy)


def corpus_path(name: str) -> Path:
    """Return a path, or else the corpus with this name: of the workspace, registered, or shipped."""
    from engines.core.system import asset
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if path.exists() or len(path.parts) > 1:
        return path.absolute()
    workspace = Workspace.open()
    if (folder := workspace.make_folder("corpora") / name).is_dir():
        return folder
    if (registered := workspace.data.entries_of("corpus").get(name)) is not None:
        return registered.locate_data()
    shipped = asset("sample/corpora") / name
    return shipped if name and shipped.is_dir() else path.absolute()


def expressions_path(name: str) -> str:
    """Return a file or a set of templates as it is named, or else the registered expressions with this
    name.
    """
    from workbench.workspace import Workspace

    if not Path(name).expanduser().exists():
        registered = Workspace.open().data.entries_of("expressions").get(name)
        if registered is not None:
            return str(registered.locate_data())
    return name


def count_clusters(folder: Path) -> int:
    """Return how many clusters a corpus is to have."""
    return int(json.loads((folder / "manifest.json").read_bytes())["source"]["heads"])


_HERE = "workbench.papers.egen.data"
KINDS = (
    DataKind("expressions", "one expression per line: infix, LaTeX or prefix", f"{_HERE}:check_expressions"),
    DataKind("clusters", "equal expressions in E-Gen's published layouts", f"{_HERE}:check_clusters"),
    DataKind(
        "corpus",
        "a corpus folder made by mathwb egen corpus",
        f"{_HERE}:check_corpus",
        "manifest.json",
        held=f"{_HERE}:list_corpora",
        count=f"{_HERE}:count_clusters",
        many="corpora",
    ),
)


def list_corpora(workspace: Workspace) -> Iterator[Path]:
    """Yield the corpora of a workspace."""
    for manifest in sorted(workspace.corpora.glob("*/manifest.json")):
        yield manifest.parent


def check_expressions(path: Path, report: BadLineSink) -> dict[str, int]:
    """Check one expression per line: infix, LaTeX or prefix. Empty lines and those that begin with `#` are
    skipped.
    """
    from engines.formula.reader import read_expression

    lines = records = 0
    for number, line in read_lines(path, on_bad=report):
        lines = number
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            read_expression(text)
            records += 1
        except ExpressionError as error:
            report(DataError(error.what, path=path, line=number, remedy=error.remedy, code=error.code))
    return {"records": records, "lines": lines}


def check_clusters(path: Path, report: BadLineSink) -> dict[str, int]:
    """Check clusters in generator prefix notation, in either published layout.

    One JSON object per line with `head` and `exprs`, or plain blocks (the head, then what equals it, one per
    line) that a blank line ends. A cluster counts without its bad expressions, and not at all with a bad
    head; an expression that it has twice counts once.
    """
    from engines.egen.corpus.published import read_published

    records = expressions = 0
    clusters = read_published(
        path, on_bad=lambda bad: report(DataError(bad.what, path=path, line=bad.line, code="E317"))
    )
    for cluster in clusters:
        records += 1
        expressions += 1 + len(cluster.members)
    lines = sum(1 for _ in read_lines(path, on_bad=lambda _: None))
    return {"records": records, "expressions": expressions, "lines": lines}


def check_corpus(path: Path, report: BadLineSink) -> dict[str, int]:
    """Check that every file that the manifest of a corpus names is there and unchanged."""
    from engines.egen.corpus.folder import corrupt_file_error

    manifest = path / "manifest.json"
    try:
        document = json.loads(manifest.read_text(encoding="utf-8"))
        files = {path / "shards" / shard["name"]: shard["sha256"] for shard in document["shards"]}
        expressions = sum(int(shard["rows"]) for shard in document["shards"])
        files |= {path / name: digest for name, digest in document["files"].items()}
    except OSError as error:
        raise file_error(error, manifest, "read") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        what = f"this is not the manifest of a corpus: {error!r}"
        remedy = "Name a folder that mathwb egen corpus or import made."
        raise DataError(what, path=manifest, code="E318", remedy=remedy) from error
    good = 0
    for file, digest in files.items():
        try:
            if sha256(file) != digest:
                raise corrupt_file_error(file, "the file is not as it was made", "Make it again")
            good += 1
        except DataError as error:
            report(error)
    return {"records": good, "files": len(files), "expressions": expressions}
