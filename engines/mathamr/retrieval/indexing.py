"""Indexing of a collection's formulas: by the parts of their operator trees, and, if wanted, by vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg
from engines.formula.lexer import unwrapped

if TYPE_CHECKING:
    from engines.formula.judge import Fingerprints
    from engines.forum.folder import ArqmathFolder
    from engines.forum.readers import Formula, Report
    from engines.mathamr.retrieval.equality import Keys


_SMALL = 20_000_000
"""Bytes of posts and tables up to which a collection is indexed on the way, in half a minute at most."""

_PART = 4_096
"""Formulas that are encoded between two reports of progress."""


@dataclass(frozen=True, slots=True)
class IndexFormulas:
    """Index a collection's formulas by parts of their trees, and optionally by vectors."""

    folder: Annotated[Path, Arg("A collection, or its name.", ref="collection", metavar="FOLDER")]
    out: Annotated[Path, Arg("The index folder to write; a new folder.", option=True, writes=True)]
    encoder: Annotated[
        str | None, Arg("Also encode the formulas' strings, with minilm or a model folder.", ref="encoder")
    ] = None
    device: Annotated[str, Arg("auto, cpu or cuda.")] = "auto"
    values: Annotated[bool, Arg("Also index by values, for searches with --how equal or renamed.")] = False


def index(
    spec: IndexFormulas,
    *,
    events: Sink = ignore,
    stop: Stop = never,
    fingerprints: Fingerprints | None = None,
) -> dict[str, Any]:
    """Write the index, which appears whole or not at all.

    Returns: out, complete, formulas, looks, features, postings, with_error_nodes, without_context,
    left_out (rows that could not be read, and those with the id of an earlier one), doubts (how many formulas
    have no LaTeX, no visual id, …), encoder, values (with `values`: of the fingerprints the version, how many
    visually distinct formulas could be read, and the number of keys). Events: progress in formulas; a
    warning of each and of what was left out, with the first place. Raises: EngineError E350 where no
    fingerprints are lent for `values`, DataError E660 for a collection without formulas,
    E452 where `out` holds something else, or an index of another collection, and as `encoder`.

    >>> from tempfile import mkdtemp
    >>> from engines.core.assets import asset
    >>> found = index(IndexFormulas(asset("sample/arqmath/sample-forum"), Path(mkdtemp()) / "index"))
    >>> found["complete"], found["formulas"] >= found["looks"] > 100
    (True, True)
    """
    from engines.formula.features import FEATURES_VERSION
    from engines.forum.folder import ArqmathFolder
    from engines.retrieval.stored import new_folder

    collection = ArqmathFolder.open(spec.folder)
    _refuse_another(spec.out, collection.path)
    keys = None
    if spec.values:
        from engines.mathamr.retrieval.equality import Keys, lent

        keys = Keys(lent(fingerprints))
    place = str(collection.path.resolve())
    about: dict[str, Any] = {"version": FEATURES_VERSION, "collection": place, "encoder": None}
    try:
        with new_folder(spec.out, about) as draft:
            about |= _written(collection, draft, events, stop, keys)
            if spec.encoder is not None:
                about["encoder"] = _encoded(spec.encoder, spec.device, draft, events, stop)
    except _StoppedError:
        return {"out": str(spec.out), "complete": False}
    return {"out": str(spec.out), "complete": True, **about}


def found_index(
    collection: ArqmathFolder,
    given: Path | None,
    cache: Path | None,
    fingerprints: Fingerprints | None = None,
) -> Path | None:
    """The index that is given; without one a small collection is indexed on the way, in the cache, with
    values where fingerprints are lent."""
    if given is not None:
        return given
    files = [path for path in (collection.posts, *collection.latex_tables) if path is not None]
    if cache is None or sum(path.stat().st_size for path in files) > _SMALL:
        return None
    from hashlib import sha256

    from engines.formula.features import FEATURES_VERSION

    version = None if fingerprints is None else fingerprints.version
    state = [(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    place = cache / "formulas" / sha256(repr((FEATURES_VERSION, version, state)).encode()).hexdigest()[:16]
    if not (place / "about.json").exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        spec = IndexFormulas(collection.path, place, values=fingerprints is not None)
        index(spec, fingerprints=fingerprints)
    return place


def _refuse_another(out: Path, collection: Path) -> None:
    """Raise DataError E452 where `out` holds an index of another collection."""
    from engines.mathamr.retrieval.formula_index import other_collection
    from engines.retrieval.stored import ABOUT

    try:
        about = json.loads((out / ABOUT).read_bytes())
    except (OSError, ValueError):  # nothing, or what can only be built anew
        return
    if isinstance(about, dict) and (other := other_collection(about, collection)) is not None:
        raise DataError(
            f"the folder holds an index of another collection: {other}",
            path=out,
            code="E452",
            remedy="Name a new folder with --out, or remove this one first.",
        )


class _StoppedError(Exception):
    """The work was stopped; nothing is kept."""


_KINDS = ("title", "question", "answer", "comment")
"""What formulas of a collection stand in."""


class _Rows:
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

    def warn(self, what: str, place: str, count: int = 1) -> None:
        self.warnings[what] = self.warnings.get(what, 0) + count
        self.first.setdefault(what, place)

    def leave_out(self, what: str, place: str, count: int = 1) -> None:
        self.warn(what, place, count)
        self.left_out += count

    def read(self, path: Path, report: Report) -> None:
        if report.bad:
            line, reason = report.first[0]
            self.leave_out("rows could not be read", f"{path}:{line}: {reason}", report.bad)

    def field(self, post: str, formula: str) -> None:
        """Say that a formula stands in the newest field; that counts which has it first."""
        new = len(self.fields) - 1
        if self.field_of.setdefault(formula, new) != new:
            self.others.setdefault((post, formula), new)

    def field_at(self, post: str, formula: str) -> int:
        """The field of its post that a formula stands in, or any where the post is not known; -1 where there
        is no such text."""
        number = self.field_of.get(formula, -1)
        if number < 0 or not post or self.fields[number][0] == post:
            return number
        return self.others.get((post, formula), -1)

    def add(self, formula: Formula, place: str) -> None:
        """A formula, of several with one id the first; without a visual id the LaTeX tells them apart."""
        if not formula.id:
            self.leave_out("formulas have no id", place)
            return
        if formula.id in self.ids:
            self.leave_out("formulas have the id of an earlier one", place)
            return
        self.ids.add(formula.id)
        if not formula.text.strip():
            self.warn("formulas have no LaTeX", place)
        if formula.kind and formula.kind not in _KINDS:
            self.warn(f"formulas are in another field than {', '.join(_KINDS)}", place)
        if formula.id in self.field_of and self.field_at(formula.post, formula.id) < 0:
            self.warn("formulas are in the text of another post than the table says", place)
        latex = unwrapped(formula.text)
        key = f"v{formula.visual_id}" if formula.visual_id else f"l{latex}"
        look = self.looks.setdefault(key, len(self.looks))
        if look < len(self.latex) and _differ(formula.text, self.latex[look]):
            what = "formulas differ from the first with their visual id, and are indexed by that one's parts"
            self.warn(what, place)
        if look == len(self.latex):
            self.latex.append(latex)
            self.visual.append(formula.visual_id)
        self.formulas.append((look, formula.id, formula.post, formula.kind))


def _differ(one: str, other: str) -> bool:
    from engines.formula.lexer import tokens
    from engines.formula.symbol_layout import layout_string, layout_tree

    if one == other or tokens(one) == tokens(other):
        return False
    return layout_string(layout_tree(one)) != layout_string(layout_tree(other))


def _read(collection: ArqmathFolder, events: Sink, stop: Stop) -> _Rows:
    """The fields of the posts, and the formulas of the tables; without tables those of the posts."""
    from engines.forum.readers import Formula, Report, read_formulas, read_posts
    from engines.mathamr.retrieval.strings import fields_of_post

    rows, report = _Rows(), Report()
    for post in read_posts(collection.posts, report) if collection.posts is not None else ():
        if stop():
            raise _StoppedError
        for name, text in fields_of_post(post):
            own = post.title_formulas if name == "title" else post.body.formulas
            rows.fields.append((post.id, name, text))
            kind = "title" if name == "title" else "question" if post.kind == 1 else "answer"
            for id_, latex in dict.fromkeys(own):
                if id_:
                    rows.field(post.id, id_)
                if not collection.latex_tables:
                    rows.add(Formula(id_, post.id, kind, "", latex), f"{collection.posts}: post {post.id}")
    if collection.posts is not None:
        rows.read(collection.posts, report)
    for table in collection.latex_tables:
        report, without, first = Report(), 0, ""
        for formula in read_formulas(table, report):
            place = f"{table}:{formula.line}"
            rows.add(formula, place)
            if not formula.visual_id:
                without, first = without + 1, first if without else place
        rows.read(table, report)
        if 0 < without < report.read:  # a table without the column has none
            rows.warn("formulas have no visual id, and are distinguished by their LaTeX", first, without)
        events(Event("progress", {"done": len(rows.formulas), "unit": "formulas"}))
    if collection.latex_tables and (missing := [one for one in rows.field_of if one not in rows.ids]):
        what = "formulas of posts are in no table, and are not searched"
        rows.warn(what, f"{collection.posts}: formula {missing[0]}", len(missing))
    if not rows.formulas:
        raise DataError(
            "the collection has no formula",
            path=collection.path,
            code="E660",
            remedy="Expected formulas*.tsv, latex_representation/*.tsv, or posts with math-container spans.",
        )
    return rows


def _written(
    collection: ArqmathFolder, folder: Path, events: Sink, stop: Stop, keys: Keys | None
) -> dict[str, Any]:
    from engines.formula.features import features
    from engines.formula.parser import search_tree
    from engines.mathamr.retrieval.formula_index import Postings, columns, write_table

    rows = _read(collection, events, stop)
    postings, errors = Postings(), 0
    for number, latex in enumerate(rows.latex, start=1):
        tree = search_tree(latex)
        errors += any(node.label.startswith("E!") for node in tree.walk())
        postings.add(features(tree))
        if keys is not None:
            keys.add(latex)
        if not number % 1_000:
            if stop():
                raise _StoppedError
            events(
                Event(
                    "progress",
                    {"done": number, "total": len(rows.latex), "unit": "formulas indexed"},
                )
            )
    counts = postings.write(folder)
    rows.formulas.sort(key=lambda row: row[0])
    looks, ids, posts, kinds = (list(column) for column in zip(*rows.formulas, strict=True))
    first = [0] * len(rows.latex)
    for place in range(len(looks) - 1, -1, -1):
        first[looks[place]] = place
    places = [rows.field_at(post, name) for name, post in zip(ids, posts, strict=True)]
    write_table(folder / "looks.arrow", columns(latex=rows.latex, visual_id=rows.visual, first=first))
    write_table(folder / "formulas.arrow", columns(id=ids, post=posts, kind=kinds, field=places, look=looks))
    at, names, texts = ([row[column] for row in rows.fields] for column in range(3))
    write_table(folder / "fields.arrow", columns(post=at, name=names, text=texts))
    for what, count in rows.warnings.items():
        events(Event("warning", {"message": f"{count:,} {what}; the first: {rows.first[what]}"}))
    return {
        "formulas": len(ids),
        "looks": len(rows.latex),
        **counts,
        "with_error_nodes": errors,
        "without_context": places.count(-1),
        "left_out": rows.left_out,
        "doubts": rows.warnings,
        **({} if keys is None else {"values": keys.write(folder)}),
    }


def _encoded(which: str, device: str, folder: Path, events: Sink, stop: Stop) -> dict[str, str]:
    """Write the vectors of all visually distinct formulas. Returns: whose they are."""
    import pyarrow as pa

    from engines.formula.formula import Formula
    from engines.mathamr.retrieval.representations import tree_string
    from engines.mathamr.retrieval.search import open_encoder
    from engines.retrieval.dense import build_dense

    model = open_encoder(which, device)
    latex = pa.ipc.open_file(pa.memory_map(str(folder / "looks.arrow"))).read_all()["latex"].to_pylist()

    def parts() -> Iterator[Any]:
        for begin in range(0, len(latex), _PART):
            if stop():
                raise _StoppedError
            yield model.encode([tree_string(Formula(one)) for one in latex[begin : begin + _PART]])
            done = min(begin + _PART, len(latex))
            events(Event("progress", {"done": done, "total": len(latex), "unit": "vectors"}))

    build_dense(parts(), folder / "vectors", total=len(latex), dim=model.dimension)
    return {"name": model.name, "place": model.place, "fingerprint": model.fingerprint}
