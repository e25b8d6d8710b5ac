"""Indexing of formulas, of a collection or of one's own documents: by the parts of their operator trees, and,
if wanted, by vectors and values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.core.spec import Arg, make_refusal, no_effect, specification
from engines.formula.lexer import remove_comments, token_texts
from engines.mathamr.rows import check

if TYPE_CHECKING:
    from engines.forum.folder import ArqmathFolder
    from engines.forum.readers import FormulaRow, Report
    from engines.mathamr.retrieval.equal_formulas import ValueKeys


_LOOKED_S = 1.0
"""Between two looks at the files that are watched."""
_SMALL = 20_000_000
"""Bytes of posts and tables up to which a collection is indexed on the way, in half a minute at most."""

_PART = 65_536
"""Visually distinct formulas that are indexed at once."""
_ENCODED = 4_096
"""Those that are encoded between two reports of progress."""


@specification
class IndexFormulas:
    """Make formulas searchable: of a collection, or of your own documents and tables.

    FOLDER is a collection of ARQMath; or a table (CSV, TSV, JSON Lines, Parquet), a document (LaTeX,
    Markdown, notebook, HTML, a dump of Stack Exchange, a packed source of arXiv), or a folder of these. An
    existing index of documents is updated: only files that changed are read.
    """

    folder: Annotated[
        Path,
        Arg("A collection, a file or folder, or the name of one.", ref="formula source", metavar="FOLDER"),
    ]
    out: Annotated[
        Path | None,
        Arg("The index folder to write.", writes=True, shown="in the workspace, for a registered name"),
    ] = None
    column: Annotated[
        str | None,
        Arg("The column of a table that holds formulas, or texts with $formulas$.", shown="by its name"),
    ] = None
    encoder: Annotated[
        str | None, Arg("Also encode the formulas' strings, with minilm or a model folder.", ref="encoder")
    ] = None
    device: Annotated[str, Arg("auto, cpu or cuda.")] = "auto"
    values: Annotated[bool, Arg("Also index by values, for searches with --how equal or renamed.")] = False
    watch: Annotated[bool, Arg("Keep running, and update the index whenever a file changes.")] = False


def index(
    spec: IndexFormulas,
    *,
    events: Sink = ignore,
    stop: Stop = never,
) -> dict[str, Any]:
    """Write the index, which appears whole or not at all; finished parts of one of documents outlive a stop.

    Returns:
        Out, complete, formulas, looks, features, postings, with_error_nodes, without_context, left_out (rows
        and formulas that could not be read, and those with the id of an earlier one), doubts (how many
        formulas have no LaTeX, no visual id, …), encoder, values (with `values`: of the fingerprints the
        version, how many visually distinct formulas have keys, and the number of keys); of documents also
        files, files_read (those that were new or changed), files_left_out (how many of each kind).

    Events:
        Progress in formulas; a warning of each and of what was left out, with the first place.

    Raises:
        EngineError: E402 without a place for the index, E430 for a file of no known kind.
        DataError: E660 where there are no formulas, E452 where `out` holds something else, or an index of
            something else, and as `encoder`.

    >>> from tempfile import mkdtemp
    >>> from engines.core.system import asset
    >>> found = index(IndexFormulas(asset("sample/arqmath/sample-forum"), Path(mkdtemp()) / "index"))
    >>> found["complete"], found["formulas"] >= found["looks"] > 100
    (True, True)
    """
    from engines.mathamr.retrieval.incremental_index import is_current
    from engines.mathamr.retrieval.segments import VERSION

    if spec.out is None:
        raise make_refusal("a folder for the index is needed", "E402", "Name one with --out.")
    # Keys of values are collected over all parts, in one process.
    keys = None
    if spec.values:
        from engines.mathamr.retrieval.equal_formulas import ValueKeys

        keys = ValueKeys()
    collection = _open_collection(spec)
    source = spec.folder if collection is None else collection.path
    _refuse_another(spec.out, source)
    # Settings that must agree before parts of an older index are used again.
    about: dict[str, Any] = {
        "version": VERSION,
        "collection" if collection is not None else "documents": str(source.resolve()),
        "column": spec.column,
        "encoder": None,
        "values": None if keys is None else {"version": keys.version},
    }
    try:
        while True:
            result = _index_once(spec, spec.out, collection, about, keys, events, stop)
            if not spec.watch:
                return result
            events(Event("log", {"message": f"{result['formulas']:,} formulas; waiting for changes"}))
            # Look again until a file has changed or the caller stops.
            while is_current(spec.folder, spec.out, about) is not None:
                check(stop)
                sleep(_LOOKED_S)
    except StoppedError:
        return {"out": str(spec.out), "complete": False}


def _open_collection(spec: IndexFormulas) -> ArqmathFolder | None:
    from engines.forum.folder import DESCRIPTION, ArqmathFolder

    if not spec.folder.exists() or (spec.folder / DESCRIPTION).exists():
        return ArqmathFolder.open(spec.folder)  # says what is wrong
    try:
        result = ArqmathFolder.open(spec.folder)
    except DataError:
        return None
    marked = result.latex_tables or (result.posts is not None and _is_marked(result.posts))
    if not marked or spec.column is not None:
        return None
    no_effect({"--watch": spec.watch}, "a collection, which does not change")
    return result


def _is_marked(posts: Path) -> bool:
    """Return whether the first posts have formulas as ARQMath marks them; otherwise they are texts with
    dollars.
    """
    from itertools import islice

    from engines.forum.readers import Report, read_posts

    first = islice(read_posts(posts, Report()), 500)
    return any(id_ for post in first for id_, _ in (*post.title_formulas, *post.body.formulas))


def _index_once(
    spec: IndexFormulas,
    out: Path,
    collection: ArqmathFolder | None,
    about: Mapping[str, Any],
    keys: ValueKeys | None,
    events: Sink,
    stop: Stop,
) -> dict[str, Any]:
    import numpy as np

    from engines.mathamr.retrieval.incremental_index import is_current, write_documents
    from engines.retrieval.index_storage import new_folder

    # Nothing has changed, and the vectors are those of the same encoder: the index is up to date.
    if collection is None and (old := is_current(spec.folder, out, about)) is not None:
        encoder = (old.get("encoder") or {}).get("place")
        if spec.encoder is None or encoder == spec.encoder:
            return {"out": str(out), "complete": True, **old, "files_read": 0}
    said = dict(about)
    with new_folder(out, said) as draft:
        if collection is None:
            said |= write_documents(spec.folder, out, draft, about, keys, events, stop)
        else:
            said |= _write_collection(collection, draft, events, stop, keys)
        _write_words(draft, stop)
        if keys is not None:
            held = np.load(draft / "keys_looks.npy", mmap_mode="r")
            said["values"] = {"version": keys.version, "looks": len(np.unique(held)), "keys": len(held)}
        if spec.encoder is not None:
            said["encoder"] = _write_vectors(spec.encoder, spec.device, draft, events, stop)
    return {"out": str(out), "complete": True, **said}


def _write_words(folder: Path, stop: Stop) -> None:
    from engines.mathamr.retrieval.formula_index import WORDS, remove_formulas
    from engines.mathamr.retrieval.segments import read_batches
    from engines.retrieval.bm25 import TermPart, build_lexical
    from engines.retrieval.index_terms import VERSIONS, english_terms

    def make_term_parts() -> Iterator[TermPart]:
        for batch in read_batches(folder / "fields.arrow"):
            check(stop)
            yield TermPart.from_texts(map(remove_formulas, batch["text"].to_pylist()), english_terms)

    if next((len(batch) for batch in read_batches(folder / "fields.arrow")), 0):
        build_lexical(make_term_parts(), folder / WORDS, tokens=VERSIONS["porter"])


def find_index(
    collection: ArqmathFolder,
    given: Path | None,
    cache: Path | None,
    *,
    values: bool = False,
) -> Path | None:
    """Return the index that is given; without one a small collection is indexed on the way, in the cache.

    Args:
        values: Whether it is also indexed by values.
    """
    if given is not None:
        return given
    files = [path for path in (collection.posts, *collection.latex_tables) if path is not None]
    if cache is None or sum(path.stat().st_size for path in files) > _SMALL:
        return None
    from hashlib import sha256

    from engines.mathamr.retrieval.segments import VERSION

    version = None
    if values:
        from engines.mathematics.judging.fingerprint import ValueFingerprints

        version = ValueFingerprints().version
    # The state of the files is part of the name, so a changed collection gets a new index.
    state = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    file_path = cache / "formulas" / sha256(repr((VERSION, version, state)).encode()).hexdigest()[:16]
    if not (file_path / "about.json").exists():
        file_path.parent.mkdir(parents=True, exist_ok=True)
        index(IndexFormulas(collection.path, file_path, values=values))
    return file_path


def _refuse_another(out: Path, made_of: Path) -> None:
    from engines.mathamr.retrieval.formula_index import made_of_another
    from engines.retrieval.index_storage import ABOUT

    try:
        about = json.loads((out / ABOUT).read_bytes())
    except (OSError, ValueError):  # nothing, or what can only be built anew
        return
    if isinstance(about, dict) and (collection := made_of_another(about, made_of)) is not None:
        what = "another collection" if "collection" in about else "other documents"
        raise DataError(
            f"the folder holds an index of {what}: {collection}",
            path=out,
            code="E452",
            remedy="Name a new folder with --out, or remove this one first.",
        )


_KINDS = ("title", "question", "answer", "comment")
"""What formulas of a collection stand in."""


class _CollectionRows:
    """What is read of a collection: its formulas, the visually distinct ones, its fields; and what is wrong
    with it, how often and where first."""

    def __init__(self) -> None:
        self.looks: dict[str, int] = {}
        self.latex: list[str] = []
        self.visual: list[str] = []
        self.formulas: list[tuple[int, str, str, str]] = []
        self.fields: list[tuple[str, str, str]] = []
        self.field_of: dict[str, int] = {}
        self.others: dict[tuple[str, str], int] = {}
        self.ids: set[str] = set()
        self.left_out = 0
        self.warnings: dict[str, int] = {}
        self.first: dict[str, str] = {}

    def add_warning(self, what: str, location: str, count: int = 1) -> None:
        self.warnings[what] = self.warnings.get(what, 0) + count
        self.first.setdefault(what, location)

    def leave_out(self, what: str, location: str, count: int = 1) -> None:
        self.add_warning(what, location, count)
        self.left_out += count

    def count_unread(self, path: Path, report: Report) -> None:
        if report.bad:
            line, reason = report.first[0]
            self.leave_out("rows could not be read", f"{path}:{line}: {reason}", report.bad)

    def add_to_field(self, post: str, formula: str) -> None:
        """Say that a formula stands in the newest field; that counts which has it first."""
        new = len(self.fields) - 1
        if self.field_of.setdefault(formula, new) != new:
            self.others.setdefault((post, formula), new)

    def find_field(self, post: str, formula: str) -> int:
        """Return the field of its post that a formula stands in, or any where the post is not known; -1 where
        there is no such text.
        """
        number = self.field_of.get(formula, -1)
        if number < 0 or not post or self.fields[number][0] == post:
            return number
        return self.others.get((post, formula), -1)

    def add_formula(self, formula: FormulaRow, location: str) -> None:
        """A formula, of several with one id the first; without a visual id the LaTeX tells them apart."""
        if not formula.id:
            self.leave_out("formulas have no id", location)
            return
        if formula.id in self.ids:
            self.leave_out("formulas have the id of an earlier one", location)
            return
        self.ids.add(formula.id)
        if not formula.text.strip():
            self.add_warning("formulas have no LaTeX", location)
        if formula.kind and formula.kind not in _KINDS:
            self.add_warning(f"formulas are in another field than {', '.join(_KINDS)}", location)
        if formula.id in self.field_of and self.find_field(formula.post, formula.id) < 0:
            self.add_warning("formulas are in the text of another post than the table says", location)
        latex = remove_comments(formula.text)
        # Formulas with one visual id are one look; without an id the LaTeX decides. The letters keep
        # the two kinds of keys apart.
        key = f"v{formula.visual_id}" if formula.visual_id else f"l{latex}"
        look = self.looks.setdefault(key, len(self.looks))
        if look < len(self.latex) and _look_different(formula.text, self.latex[look]):
            what = "formulas differ from the first with their visual id, and are indexed by that one's parts"
            self.add_warning(what, location)
        if look == len(self.latex):
            self.latex.append(latex)
            self.visual.append(formula.visual_id)
        self.formulas.append((look, formula.id, formula.post, formula.kind))


def _look_different(left: str, right: str) -> bool:
    from engines.formula.symbol_layout import layout_string, layout_tree

    if left == right or token_texts(left) == token_texts(right):
        return False
    return layout_string(layout_tree(left)) != layout_string(layout_tree(right))


def _read_collection(collection: ArqmathFolder, events: Sink, stop: Stop) -> _CollectionRows:
    from engines.forum.readers import FormulaRow, Report, read_formulas, read_posts
    from engines.mathamr.retrieval.texts import list_post_fields

    rows, report = _CollectionRows(), Report()
    # The posts say in which field each formula stands; their formulas count only if there are no tables.
    for post in read_posts(collection.posts, report) if collection.posts is not None else ():
        check(stop)
        for name, text in list_post_fields(post):
            field_formulas = post.title_formulas if name == "title" else post.body.formulas
            rows.fields.append((post.id, name, text))
            kind = "title" if name == "title" else "question" if post.kind == 1 else "answer"
            for id_, latex in dict.fromkeys(field_formulas):
                if id_:
                    rows.add_to_field(post.id, id_)
                if not collection.latex_tables:
                    rows.add_formula(
                        FormulaRow(id_, post.id, kind, "", latex), f"{collection.posts}: post {post.id}"
                    )
    if collection.posts is not None:
        rows.count_unread(collection.posts, report)
    # The tables of LaTeX have the visual ids.
    for table in collection.latex_tables:
        report, without, first = Report(), 0, ""
        for formula in read_formulas(table, report):
            location = f"{table}:{formula.line}"
            rows.add_formula(formula, location)
            if not formula.visual_id:
                without, first = without + 1, first if without else location
        rows.count_unread(table, report)
        if 0 < without < report.read:  # a table without the column has none
            rows.add_warning(
                "formulas have no visual id, and are distinguished by their LaTeX", first, without
            )
        events(Event("progress", {"done": len(rows.formulas), "unit": "formulas"}))
    if collection.latex_tables and (missing := [one for one in rows.field_of if one not in rows.ids]):
        what = "formulas of posts are in no table, and are not searched"
        rows.add_warning(what, f"{collection.posts}: formula {missing[0]}", len(missing))
    if not rows.formulas:
        raise DataError(
            "the collection has no formula",
            path=collection.path,
            code="E660",
            remedy="Expected formulas*.tsv, latex_representation/*.tsv, or posts with math-container spans.",
        )
    return rows


def _write_collection(
    collection: ArqmathFolder, folder: Path, events: Sink, stop: Stop, keys: ValueKeys | None
) -> dict[str, Any]:
    from tempfile import TemporaryDirectory

    from engines.mathamr.retrieval.segments import Segment, SegmentSource, merge_segments, write_fields

    rows = _read_collection(collection, events, stop)
    # Formulas of one look go into one segment: those of its number.
    rows.formulas.sort(key=lambda row: row[0])
    sources: list[SegmentSource] = []
    at = 0
    with TemporaryDirectory(prefix=".segments-", dir=folder) as scratch_folder:
        for begin in range(0, len(rows.latex), _PART):
            segment = Segment(None if keys is None else keys.start_anew())
            end = min(begin + _PART, len(rows.latex))
            for number in range(begin, end):
                if not number % 1_000:
                    check(stop)
                segment.add_look(rows.latex[number], rows.visual[number])
            while at < len(rows.formulas) and rows.formulas[at][0] < end:
                look, id_, post, kind = rows.formulas[at]
                segment.add_formula(look - begin, id_, post, kind, field=rows.find_field(post, id_))
                at += 1
            sources.append(SegmentSource(Path(scratch_folder) / str(begin)))
            segment.write_files(sources[-1].folder, fields=False)
            said = {"done": end, "total": len(rows.latex), "unit": "formulas indexed"}
            events(Event("progress", said))
        counts = merge_segments(sources, folder)
    write_fields(folder, rows.fields)
    for what, count in rows.warnings.items():
        warn(events, f"{count:,} {what}; the first: {rows.first[what]}")
    return {**counts, "left_out": rows.left_out, "doubts": rows.warnings}


def _write_vectors(which: str, device: str, folder: Path, events: Sink, stop: Stop) -> dict[str, str]:
    import pyarrow as pa

    from engines.formula.operator_tree_parser import ParsedFormula
    from engines.mathamr.retrieval.open_cache import open_encoder
    from engines.mathamr.retrieval.texts import write_tree_string
    from engines.retrieval.dense import build_dense

    model = open_encoder(which, device)
    latex = pa.ipc.open_file(pa.memory_map(str(folder / "looks.arrow"))).read_all()["latex"].to_pylist()

    def encode_parts() -> Iterator[Any]:
        for begin in range(0, len(latex), _ENCODED):
            check(stop)
            yield model.documents(
                [write_tree_string(ParsedFormula(one)) for one in latex[begin : begin + _ENCODED]]
            )
            done = min(begin + _ENCODED, len(latex))
            events(Event("progress", {"done": done, "total": len(latex), "unit": "vectors"}))

    build_dense(encode_parts(), folder / "vectors", total=len(latex), dim=model.dimension)
    return {"name": model.name, "place": model.place, "fingerprint": model.fingerprint}
