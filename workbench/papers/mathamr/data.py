"""Graphs, indexes and models of MathAMR in the workspace, by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from engines.core.errors import DataError, EngineError, did_you_mean
from engines.core.system import asset
from workbench.config import SettingKey
from workbench.errors import MissingError
from workbench.workspace import BadLineSink, DataKind

if TYPE_CHECKING:
    from engines.mathamr.inspection import Inspect
    from engines.mathamr.parsing.parsers import Parse, ParseAmr
    from engines.mathamr.retrieval.indexing import IndexFormulas
    from engines.mathamr.retrieval.task2 import EvaluateRuns
    from workbench.doctor import DoctorFinding
    from workbench.workspace import Workspace


KEYS = (
    SettingKey(
        "mathamr.amr_model",
        "",
        "the folder of amrlib's model, for --parser amrlib and the screen",
        check="workbench.config:absolute_folder",
    ),
)


def check_mathamr() -> Iterator[DoctorFinding]:
    """Check for the English pipeline of the built-in AMR parser, and for amrlib."""
    from workbench.doctor import DoctorFinding

    if find_spec("spacy") is None:
        yield DoctorFinding(
            "AMR parser", "note", "the built-in one needs spacy: `pip install 'mathwb[language]'`"
        )
    else:
        yield DoctorFinding("AMR parser", "ok", f"built-in, approximate: {asset('models/language-en')}")
    if find_spec("amrlib") is None:
        yield DoctorFinding("amrlib", "note", "not installed; --parser amrlib needs it and a model folder")
    else:
        yield DoctorFinding("amrlib", "ok", "installed; --parser amrlib also needs a model folder")


KINDS = (
    DataKind(
        "amr", "AMR graphs in PENMAN, each under its sentence", "workbench.papers.mathamr.data:check_graphs"
    ),
    DataKind(
        "formulas",
        "documents or tables with formulas, or a folder of them",
        "workbench.papers.mathamr.data:check_formulas",
        files="workbench.papers.mathamr.data:formula_files",
    ),
)


def check_graphs(path: Path, report: BadLineSink) -> dict[str, int]:
    """Count the graphs that can be read; blocks that cannot are reported."""
    from engines.mathamr.graph.amr import read_blocks, read_graph

    count = 0
    for one in read_blocks(path, on_bad=report):
        try:
            read_graph(one.graph)
            count += 1
        except DataError as error:
            report(DataError(error.what, path=path, line=one.line, code=error.code, remedy=error.remedy))
    return {"records": count}


def check_formulas(path: Path, report: BadLineSink) -> dict[str, int]:
    """Count formulas, and the files that contain some."""
    from engines.documents.folder import pdf_warning, scan_folder, unit_formulas

    folder = scan_folder(path, {})
    if pdf := folder.left_out[".pdf"]:
        report(DataError(pdf_warning(pdf), path=path, code="E430", remedy="Leave them, or convert them."))
    count = sum(
        1
        for unit in folder.units
        for _ in unit_formulas(folder.root, unit.path, folder.macros.get(unit.path), None, report)
    )
    return {"records": count, "files": len(folder.units)}


def formula_files(path: Path) -> list[Path]:
    """List the files of a data set of formulas."""
    from engines.documents.folder import scan_folder

    folder = scan_folder(path, {})
    return [folder.root / unit.path for unit in folder.units]


def source_path(name: str) -> Path:
    """Return what formulas are read from: a path, a data set of kind formulas, or a collection.

    Raises:
        MissingError: E354 if there is none.
    """
    from workbench.papers.arqmath.data import find_collection
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if path.exists() or len(path.parts) > 1:
        return path.absolute()
    workspace = Workspace.open(create=False)
    own = formula_sets(workspace)
    return own[name] if name in own else find_collection(workspace, name).path


def formula_sets(workspace: Workspace) -> dict[str, Path]:
    """Return the data sets of kind formulas that are still there, by name."""
    known = {name: Path(one.path) for name, one in workspace.data.entries_of("formulas").items()}
    return {name: path for name, path in known.items() if path.exists()}


def with_place(spec: IndexFormulas) -> IndexFormulas:
    """Fill in the workspace's folder for the index of a named source, if no folder is given."""
    from workbench.papers.arqmath.data import list_collections
    from workbench.workspace import Workspace

    if spec.out is not None:
        return spec
    try:
        workspace = Workspace.open(create=False)
        known = {one.path.absolute(): one.name for one in list_collections(workspace)}
        known |= {path.absolute(): name for name, path in formula_sets(workspace).items()}
    except EngineError:
        return spec
    name = known.get(spec.folder.absolute())
    return spec if name is None else replace(spec, out=index_place(workspace, name))


def amr_path(name: str) -> Path:
    """Return a file by its path, or one that is registered under this name.

    Raises:
        MissingError: E354 if there is none.
    """
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if path.exists() or len(path.parts) > 1:
        return path.absolute()
    known = Workspace.open(create=False).data.entries_of("amr")
    if name in known:
        return known[name].locate_data()
    remedy = (
        did_you_mean(name, known) or f"Registered: {', '.join(known) or 'none'}; mathwb data add amr FILE."
    )
    raise MissingError(f"there are no AMR graphs {name!r}", code="E354", remedy=remedy)


# Where the workspace keeps indexes of formulas (`mathamr/NAME/index`, NAME being a collection's), and which
# model amrlib is to take.

Parsing = TypeVar("Parsing", "ParseAmr", "Inspect", "Parse")
Searching = TypeVar("Searching", "Inspect", "EvaluateRuns")


def index_place(workspace: Workspace, name: str) -> Path:
    """Return the workspace's folder for the index of a collection or data set."""
    return workspace.make_folder("mathamr") / name / "index"


def index_path(name: str) -> Path:
    """Return the path of an index, or of the index of the collection or data set with this name or folder.

    Raises:
        MissingError: E312 if it has no index, E354 for an unknown name.
    """
    from workbench.papers.arqmath.data import find_collection
    from workbench.workspace import Workspace

    path = Path(name).expanduser()
    if (path / "about.json").exists():
        return path.absolute()
    try:
        workspace = Workspace.open(create=False)
        own = formula_sets(workspace)
    except EngineError:
        if path.exists():  # an index needs no workspace
            return path.absolute()
        raise
    known = name if name in own else next((n for n, at in own.items() if at == path.absolute()), None)
    if known is None and path.exists():
        return path.absolute()
    index_folder = index_place(workspace, known or find_collection(workspace, name).name)
    if not (index_folder / "about.json").exists():
        remedy = f"Make the index with: mathwb mathamr index {name}"
        raise MissingError("its formulas are not indexed yet", where=name, code="E312", remedy=remedy)
    return index_folder


def resolve_inspect(spec: Inspect) -> Inspect:
    """Fill in the workspace's index of the collection, and amrlib's model."""
    return with_index(with_model(spec))


def with_index(spec: Searching) -> Searching:
    """Fill in the workspace's index of the collection, if none is given."""
    from workbench.papers.arqmath.data import collection_at
    from workbench.workspace import Workspace

    if spec.index is not None or spec.folder is None:
        return spec
    if (known := collection_at(spec.folder)) is None:
        return spec
    index_folder = index_place(Workspace.open(create=False), known.name)
    return replace(spec, index=index_folder) if (index_folder / "about.json").exists() else spec


def with_model(spec: Parsing) -> Parsing:
    """Fill in the model that the settings name, if amrlib is to parse and none is given."""
    if spec.parser != "amrlib" or spec.model is not None:
        return spec
    from workbench.config import load_config

    folder = load_config().get("mathamr.amr_model")
    return replace(spec, model=Path(str(folder)).expanduser().absolute()) if folder else spec
