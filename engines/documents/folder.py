"""A folder of documents: what in it has formulas, in which state each file is, and the formulas of some.

Read are documents (`engines.documents.reading`), tables with a column of formulas, dumps of Stack Exchange
and sources as arXiv packs them (`.tar.gz`, or one file in `.gz`). Hidden folders and what programs make
(`node_modules`, environments) are passed over. PDF files hold no formulas that could be read.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import IO

from engines.core.errors import DataError, EngineError, describe_defect
from engines.core.files import file_error
from engines.core.text import is_text
from engines.documents import tex
from engines.documents.formulas import DocumentFormula, extract_formulas, is_table, table_formulas
from engines.documents.reading import (
    MAX_CHARACTERS,
    WHOLE,
    Document,
    OnBad,
    read_documents,
    read_whole_document,
    text_of,
)

_PASSED_OVER = {"node_modules", "__pycache__", "site-packages", "venv", "build", "dist"}
_PACKED = (".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz")
_MOST_ROOTS = 200
"""LaTeX files of a folder that are looked through for the one that inputs another."""
_DUMPS = (".xml", ".xml.gz", ".xml.bz2", ".7z")
_KIND_REMEDY = (
    "Name a table (.csv .tsv .jsonl .parquet), a document (.tex .md .ipynb .html), a dump (.xml) or a folder "
    "of them."
)
_PDF_REMEDY = (
    "Formulas cannot be read from PDF. Index its LaTeX source (arXiv offers it as .tar.gz), or convert it to "
    "Markdown with a tool such as marker or nougat, and index that."
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A file with formulas, by its place in the folder; two with the same state hold the same formulas.

    Attributes:
        large: A table or dump, which is read row by row.
    """

    path: str
    state: str
    large: bool = False

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return int(self.state.partition("-")[0])


@dataclass(slots=True)
class Scanned:
    """The contents of a folder of documents.

    `left_out` counts the files of each kind that are not read. `scans` holds what each LaTeX file says of
    itself, by its state, so that unchanged files need not be read again.
    """

    root: Path
    units: list[Unit] = field(default_factory=list)
    macros: dict[str, tex.Macros] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    scans: dict[str, tuple[str, tex.Scan]] = field(default_factory=dict)


def scan_folder(
    source: Path, known: Mapping[str, tuple[str, tex.Scan]], column: str | None = None
) -> Scanned:
    """Scan a folder, or a single file, for documents with formulas.

    Args:
        known: `scans` of the last time.

    Raises:
        DataError: For a path that cannot be read, and E430 for a single file that is a PDF or of no known
            kind.
    """
    # A single file is scanned like a folder of one, but refused aloud where a folder would pass it over.
    single = source.is_file()
    result = Scanned(source.parent if single else source)
    if single and not _document_kind(source.name):
        what, remedy = f"{source.name} is of no known kind", _KIND_REMEDY
        if source.suffix.lower() == ".pdf":
            what, remedy = "a PDF file has no formulas that can be read", _PDF_REMEDY
        raise DataError(what, path=source, code="E430", remedy=remedy)
    # A file counts as unchanged if its size and both of its times are: reading
    # all contents again is slow.
    states: dict[str, str] = {}
    for path, entry in [(source.name, source.stat())] if single else _walk_documents(source, result.left_out):
        kind = _document_kind(path)
        if kind:
            # The time of the last change of any kind too: a file that is moved here brings the other along.
            states[path] = f"{entry.st_size}-{entry.st_mtime_ns}-{entry.st_ctime_ns}"
        else:
            result.left_out[PurePosixPath(path).suffix.lower() or "without extension"] += 1
    # A LaTeX file that has not changed need not be read again.
    for path, state in states.items():
        if path.lower().removesuffix(".gz").endswith(tex.SUFFIXES):
            previous = known.get(path)
            if previous is not None and previous[0] == state:
                result.scans[path] = previous
            else:
                try:
                    result.scans[path] = state, tex.scan_tex(text_of(result.root / path))
                except DataError:  # it is told when its formulas are read
                    result.scans[path] = state, tex.Scan((), {}, root=False)
    # Definitions reach from the file that makes them to the files that it inputs, so they need all scans.
    result.macros = tex.resolve_project_macros({path: scan for path, (_, scan) in result.scans.items()})
    for path, state in sorted(states.items()):
        # Packages and classes only provide definitions, and have no formulas of their own to index.
        if path.lower().removesuffix(".gz").endswith((".sty", ".cls")):
            continue
        # The macros that a file uses may be defined in another one: its state includes their digest.
        if path in result.macros:
            state += result.macros[path].digest
        # The chosen column decides which formulas a table or dump has, so it is part of the state.
        large = _document_kind(path) in ("table", "dump")
        # A table counts only if it has a column of formulas.
        if (
            large
            and not single
            and _document_kind(path) == "table"
            and not _has_column(result.root / path, column)
        ):
            result.left_out["tables without a column of formulas"] += 1
            continue
        result.units.append(Unit(path, f"{state}-{column}" if large and column else state, large))
    return result


def pdf_warning(count: int) -> str:
    """Return the warning about PDF files."""
    return f"{count:,} PDF {'file is' if count == 1 else 'files are'} not read. {_PDF_REMEDY}"


def _document_kind(path: str) -> str:
    name = path.lower()
    if is_table(name):
        return "table"
    if name.endswith(_DUMPS):
        return "dump"
    if name.endswith(_PACKED):
        return "packed"
    plain = name.removesuffix(".gz")
    suffix = PurePosixPath(plain).suffix
    if suffix in WHOLE or suffix in tex.SUFFIXES:
        return "document"
    return "packed" if plain != name else ""


def _walk_documents(folder: Path, left_out: Counter[str]) -> Iterator[tuple[str, os.stat_result]]:
    pending = [""]
    while pending:
        inside = pending.pop()
        # An iterative walk: a deep tree of folders cannot exhaust the stack.
        try:
            entries = sorted(os.scandir(folder / inside), key=lambda entry: entry.name)
        except OSError as error:
            # Only the top folder has to be readable; others that are not are counted and passed over.
            if not inside:
                raise file_error(error, folder, "read") from error
            left_out["folders that cannot be opened"] += 1
            continue
        for entry in entries:
            path = f"{inside}/{entry.name}" if inside else entry.name
            if entry.name.startswith("."):
                continue
            if not is_text(entry.name):
                left_out["with a name that is not UTF-8"] += 1
                continue
            try:
                # Links to folders are not followed, because they may form a circle.
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _PASSED_OVER:
                        pending.append(path)
                elif entry.is_file():
                    yield path, entry.stat()
            except OSError:
                continue


def _has_column(path: Path, column: str | None) -> bool:
    try:
        next(table_formulas(path, path.name, column, lambda _: None), None)
    except EngineError as error:
        return error.code != "E318"  # what else is wrong is told when it is read
    return True


def read_project(project: Path, on_bad: OnBad) -> Iterator[tuple[Path, Document]]:
    """Return the documents of a folder, or of a file with what it inputs, each with its file: formulas are
    without the commands that the project defines, and its environments have the names that they stand for.

    A LaTeX file that another one in its folder, or in the folder above, inputs is read with the definitions
    of that one. Tables and dumps in a folder are passed over.

    Raises: DataError for a place that cannot be read, E430 for a file of no known kind.
    """
    if project.is_dir():
        scanned = scan_folder(project, {})
        # A folder without a root document is a part of a project.
        is_part = not any(scan.root for _, scan in scanned.scans.values())
        scans = _ScansOnDemand()
        for unit in scanned.units:
            file, kind = project / unit.path, _document_kind(unit.path)
            try:
                if kind == "document":
                    macros = scanned.macros.get(unit.path)
                    if is_part and macros is not None:
                        macros = _gather_macros(_find_project(file, scans), scans)
                    document = _read_expanded(text_of(file), file, macros, on_bad)
                    yield file, replace(document, id=unit.path)
                elif kind == "packed":
                    yield from _read_packed_documents(file, unit.path, on_bad)
            except DataError as error:
                on_bad(error)
            except Exception as error:  # noqa: BLE001  # one file must not end the reading of a folder
                what, remedy = describe_defect(error, "the file was not read"), "All other files are read."
                on_bad(DataError(what, path=file, code="E900", remedy=remedy))
    elif project.is_file() and project.suffix.lower() in (".tex", ".ltx"):
        scans = _ScansOnDemand()
        own = str(project.absolute())
        macros = _gather_macros(_find_project(project, scans), scans)
        for path in tex.reachable_files(own, scans):
            if path == own or path.lower().endswith((".tex", ".ltx")):
                file = project if path == own else Path(path)
                yield file, _read_expanded(text_of(file), file, macros, on_bad)
    else:
        for document in read_documents(project, on_bad=on_bad):
            yield project, document


def _find_project(file: Path, scans: _ScansOnDemand) -> list[str]:
    """Return the files whose definitions hold in a LaTeX file: those of the root document that inputs it, in
    its folder or in the folder above; without one, the file and what it inputs."""
    own = str(file.absolute())
    if not scans[own].root:
        for folder in file.absolute().parents[:2]:
            for path in sorted(folder.glob("*.tex"))[:_MOST_ROOTS]:
                if scans[str(path)].root and own in (files := list(tex.reachable_files(str(path), scans))):
                    return files
    return list(tex.reachable_files(own, scans))


def _gather_macros(files: Iterable[str], scans: _ScansOnDemand) -> tex.Macros:
    return tex.Macros({name: text for path in files for name, text in scans[path].definitions.items()})


class _ScansOnDemand(Mapping[str, tex.Scan]):
    """What LaTeX files say of themselves, by their places; each is read when it is asked for."""

    def __init__(self) -> None:
        self._known: dict[str, tex.Scan] = {}

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and Path(path).is_absolute() and Path(path).is_file()

    def __getitem__(self, path: str) -> tex.Scan:
        if path not in self._known:
            try:
                self._known[path] = tex.scan_tex(text_of(Path(path)))
            except DataError:
                self._known[path] = tex.Scan((), {}, root=False)
        return self._known[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def _read_expanded(text: str, file: Path, macros: tex.Macros | None, on_bad: OnBad) -> Document:
    suffix = PurePosixPath(file.name.lower().removesuffix(".gz")).suffix
    if macros is None:
        return read_whole_document(text, suffix, file, on_bad)
    document = read_whole_document(macros.expand_delimiters(text), suffix, file, on_bad)
    pieces = (
        replace(piece, text=macros.expand_macros(piece.text)) if piece.formula else piece
        for piece in document.pieces
    )
    return replace(document, pieces=tuple(pieces))


def unit_formulas(
    root: Path, path: str, macros: tex.Macros | None, column: str | None, on_bad: OnBad
) -> Iterator[DocumentFormula]:
    """Yield the formulas of a file, in order. What cannot be read of it goes to `on_bad`; it never raises an
    EngineError of its own.
    """
    try:
        kind = _document_kind(path)
        if kind == "table":
            yield from table_formulas(root / path, path, column, on_bad)
        elif kind == "packed":
            yield from _read_packed_formulas(root / path, path, on_bad)
        elif kind == "dump":
            for document in read_documents(root / path, on_bad=on_bad):
                yield from extract_formulas(document, path)
        else:
            suffix = PurePosixPath(path.lower().removesuffix(".gz")).suffix
            yield from _text_formulas(text_of(root / path), suffix, root / path, path, macros, on_bad)
    except DataError as error:
        on_bad(error)


def _text_formulas(
    text: str, suffix: str, file_path: Path, path: str, macros: tex.Macros | None, on_bad: OnBad
) -> Iterator[DocumentFormula]:
    text = text if macros is None else macros.expand_delimiters(text)
    yield from extract_formulas(read_whole_document(text, suffix, file_path, on_bad), path, macros)


def _read_packed_formulas(file_path: Path, path: str, on_bad: OnBad) -> Iterator[DocumentFormula]:
    """Yield the formulas of a packed source; places in it are `paper.tar.gz/main.tex`."""
    for name, text, macros in _read_packed_texts(file_path):
        suffix = PurePosixPath(name.lower()).suffix
        yield from _text_formulas(text, suffix, file_path / name, f"{path}/{name}", macros, on_bad)


def _read_packed_documents(file_path: Path, path: str, on_bad: OnBad) -> Iterator[tuple[Path, Document]]:
    for name, text, macros in _read_packed_texts(file_path):
        document = _read_expanded(text, file_path / name, macros, on_bad)
        yield file_path / name, replace(document, id=f"{path}/{name}")


def _read_packed_texts(file_path: Path) -> Iterator[tuple[str, str, tex.Macros | None]]:
    """Return the documents in an archive: name, text and macros of each."""
    texts = dict(_read_archive_texts(file_path))
    scans = {name: tex.scan_tex(text) for name, text in texts.items() if name.lower().endswith(tex.SUFFIXES)}
    macros = tex.resolve_project_macros(scans)
    for name, text in sorted(texts.items()):
        if PurePosixPath(name.lower()).suffix in WHOLE:
            yield name, text, macros.get(name)


def _read_archive_texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the texts in an archive, which is unpacked in memory alone; names stay in it."""
    # Limit the unpacked size: a small archive may expand to more than the memory holds.
    left = MAX_CHARACTERS
    try:
        archive = tarfile.open(path)  # noqa: SIM115  (closed below)
    # A paper with a single source is a gzipped file without an archive around it.
    except tarfile.ReadError as error:
        if not path.name.endswith(".gz"):
            raise _broken_archive_error(path) from error
        yield from _read_single_source(path)
        return
    except (EOFError, OSError) as error:
        raise _broken_archive_error(path) from error
    try:
        with archive:
            for member in archive:
                suffix = PurePosixPath(member.name.lower()).suffix
                if not member.isfile() or (suffix not in WHOLE and suffix not in tex.SUFFIXES):
                    continue
                left -= member.size
                if left < 0:
                    raise _too_large(path)
                # Member names are normalised against a root, so that "../" cannot leave the archive.
                file: IO[bytes] | None = archive.extractfile(member)
                if file is not None:
                    yield normpath(f"/{member.name}").lstrip("/"), _decode_source(file.read())
            # Tar takes what is not its own for the end; only all of it has the right sum.
            while archive.fileobj.read(2**20):
                pass
    except (EOFError, OSError, tarfile.TarError, zlib.error, LZMAError) as error:
        raise _broken_archive_error(path) from error


def _read_single_source(path: Path) -> Iterator[tuple[str, str]]:
    """Yield a source of one file, as arXiv packs it."""
    try:
        with gzip.open(path) as file:
            text = _decode_source(file.read(MAX_CHARACTERS + 1))
    except (EOFError, OSError, zlib.error) as error:
        raise _broken_archive_error(path) from error
    if len(text) > MAX_CHARACTERS:
        raise _too_large(path)
    if "\\document" in text or "\\begin" in text:
        yield f"{path.name.removesuffix('.gz')}.tex", text


def _decode_source(data: bytes) -> str:
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace").read()
    return text if "\ufffd" not in text else data.decode("latin-1").replace("\r\n", "\n")


def _broken_archive_error(path: Path) -> DataError:
    return DataError("the archive is corrupt", path=path, code="E316", remedy="Download or copy it again.")


def _too_large(path: Path) -> DataError:
    what = f"the texts in it have more than {MAX_CHARACTERS:,} characters"
    return DataError(what, path=path, code="E317", remedy="Unpack it into a folder, and index that.")


def group_by_size(units: Sequence[Unit], size: int) -> Iterator[list[Unit]]:
    """Yield files in groups of about so many bytes, in order."""
    batch: list[Unit] = []
    byte_count = 0
    for unit in units:
        batch.append(unit)
        byte_count += unit.size
        if byte_count > size or len(batch) == 256:
            yield batch
            batch, byte_count = [], 0
    if batch:
        yield batch
