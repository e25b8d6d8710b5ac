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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from lzma import LZMAError
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import IO

from engines.core.errors import DataError, EngineError
from engines.core.files import file_error
from engines.core.text import is_text
from engines.documents import tex
from engines.documents.formulas import DocumentFormula, extract_formulas, is_table, table_formulas
from engines.documents.reading import (
    MAX_CHARACTERS,
    WHOLE,
    OnBad,
    read_documents,
    read_whole_document,
    text_of,
)

_PASSED_OVER = {"node_modules", "__pycache__", "site-packages", "venv", "build", "dist"}
_PACKED = (".tar.gz", ".tgz", ".tar", ".tar.bz2", ".tar.xz")
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
        """Of the file, in bytes."""
        return int(self.state.partition("-")[0])


@dataclass(slots=True)
class Scanned:
    """What is in a folder. `left_out`: how many files of each kind are not read; `scans`: of LaTeX files what
    each says of itself, by its state, so that what did not change need not be read again."""

    root: Path
    units: list[Unit] = field(default_factory=list)
    macros: dict[str, tex.Macros] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    scans: dict[str, tuple[str, tex.Scan]] = field(default_factory=dict)


def scan_folder(place: Path, known: Mapping[str, tuple[str, tex.Scan]], column: str | None = None) -> Scanned:
    """What is in a folder, or a single file.

    Args:
        known: `scans` of the time before.

    Raises:
        DataError: For a place that cannot be read, E430 for a single file of no known kind, and for a PDF
            file.
    """
    single = place.is_file()
    result = Scanned(place.parent if single else place)
    if single and not _document_kind(place.name):
        what, remedy = f"{place.name} is of no known kind", _KIND_REMEDY
        if place.suffix.lower() == ".pdf":
            what, remedy = "a PDF file has no formulas that can be read", _PDF_REMEDY
        raise DataError(what, path=place, code="E430", remedy=remedy)
    states: dict[str, str] = {}
    for path, entry in [(place.name, place.stat())] if single else _walk_documents(place, result.left_out):
        kind = _document_kind(path)
        if kind:
            # The time of the last change of any kind too: a file that is moved here brings the other along.
            states[path] = f"{entry.st_size}-{entry.st_mtime_ns}-{entry.st_ctime_ns}"
        else:
            result.left_out[PurePosixPath(path).suffix.lower() or "without extension"] += 1
    for path, state in states.items():
        if path.lower().removesuffix(".gz").endswith(tex.SUFFIXES):
            before = known.get(path)
            if before is not None and before[0] == state:
                result.scans[path] = before
            else:
                try:
                    result.scans[path] = state, tex.scan_tex(text_of(result.root / path))
                except DataError:  # it is told when its formulas are read
                    result.scans[path] = state, tex.Scan((), {}, root=False)
    result.macros = tex.resolve_project_macros({path: scan for path, (_, scan) in result.scans.items()})
    for path, state in sorted(states.items()):
        if path.lower().removesuffix(".gz").endswith((".sty", ".cls")):
            continue
        if path in result.macros:
            state += result.macros[path].digest
        large = _document_kind(path) in ("table", "dump")
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
        try:
            entries = sorted(os.scandir(folder / inside), key=lambda entry: entry.name)
        except OSError as error:
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
    text: str, suffix: str, place: Path, path: str, macros: tex.Macros | None, on_bad: OnBad
) -> Iterator[DocumentFormula]:
    text = text if macros is None else macros.expand_delimiters(text)
    yield from extract_formulas(read_whole_document(text, suffix, place, on_bad), path, macros)


def _read_packed_formulas(place: Path, path: str, on_bad: OnBad) -> Iterator[DocumentFormula]:
    """Yield the formulas of a packed source; places in it are `paper.tar.gz/main.tex`."""
    texts = dict(_read_archive_texts(place))
    scans = {name: tex.scan_tex(text) for name, text in texts.items() if name.lower().endswith(tex.SUFFIXES)}
    macros = tex.resolve_project_macros(scans)
    for name, text in sorted(texts.items()):
        suffix = PurePosixPath(name.lower()).suffix
        if suffix in WHOLE:
            yield from _text_formulas(text, suffix, place / name, f"{path}/{name}", macros.get(name), on_bad)


def _read_archive_texts(place: Path) -> Iterator[tuple[str, str]]:
    """Yield the texts in an archive, which is unpacked in memory alone; names stay in it."""
    left = MAX_CHARACTERS
    try:
        archive = tarfile.open(place)  # noqa: SIM115  (closed below)
    except tarfile.ReadError as error:
        if not place.name.endswith(".gz"):
            raise _broken_archive_error(place) from error
        yield from _read_single_source(place)
        return
    except (EOFError, OSError) as error:
        raise _broken_archive_error(place) from error
    try:
        with archive:
            for member in archive:
                suffix = PurePosixPath(member.name.lower()).suffix
                if not member.isfile() or (suffix not in WHOLE and suffix not in tex.SUFFIXES):
                    continue
                left -= member.size
                if left < 0:
                    raise _too_large(place)
                file: IO[bytes] | None = archive.extractfile(member)
                if file is not None:
                    yield normpath(f"/{member.name}").lstrip("/"), _decode_source(file.read())
            # Tar takes what is not its own for the end; only all of it has the right sum.
            while archive.fileobj.read(2**20):
                pass
    except (EOFError, OSError, tarfile.TarError, zlib.error, LZMAError) as error:
        raise _broken_archive_error(place) from error


def _read_single_source(place: Path) -> Iterator[tuple[str, str]]:
    """Yield a source of one file, as arXiv packs it."""
    try:
        with gzip.open(place) as file:
            text = _decode_source(file.read(MAX_CHARACTERS + 1))
    except (EOFError, OSError, zlib.error) as error:
        raise _broken_archive_error(place) from error
    if len(text) > MAX_CHARACTERS:
        raise _too_large(place)
    if "\\document" in text or "\\begin" in text:
        yield f"{place.name.removesuffix('.gz')}.tex", text


def _decode_source(data: bytes) -> str:
    text = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace").read()
    return text if "\ufffd" not in text else data.decode("latin-1").replace("\r\n", "\n")


def _broken_archive_error(place: Path) -> DataError:
    return DataError("the archive is corrupt", path=place, code="E316", remedy="Download or copy it again.")


def _too_large(place: Path) -> DataError:
    what = f"the texts in it have more than {MAX_CHARACTERS:,} characters"
    return DataError(what, path=place, code="E317", remedy="Unpack it into a folder, and index that.")


def group_by_size(units: Sequence[Unit], size: int) -> Iterator[list[Unit]]:
    """Files in groups of about so many bytes, in order."""
    batch: list[Unit] = []
    held = 0
    for unit in units:
        batch.append(unit)
        held += unit.size
        if held > size or len(batch) == 256:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch
