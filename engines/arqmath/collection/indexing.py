"""Indexing a collection, and exporting an index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import EngineError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.spec import Arg, make_refusal, share_of, specification
from engines.forum.folder import ArqmathFolder, SomeCollection, SomeIndex
from engines.retrieval.index_terms import Terms


@specification
class IndexCollection:
    """Index the answers of a collection by words and formulas, and optionally by vectors.

    Ctrl-C stops gently, and the same command continues from there; --dense may be added later. Searches use
    the settings that the index was built with.
    """

    folder: Annotated[
        Path, Arg("A collection's folder or name, or its file of posts.", ref="collection", metavar="FOLDER")
    ]
    out: Annotated[Path, Arg("The index to write.", option=True, writes=True)]
    dense: Annotated[bool, Arg("Also make vectors, to search by meaning.")] = False
    encoder: Annotated[
        str, Arg("The model that makes the vectors.", ref="encoder", metavar="minilm|FOLDER")
    ] = "minilm"
    sparse: Annotated[
        Path | None, Arg("Also make learned sparse vectors, with this SPLADE model folder.", metavar="FOLDER")
    ] = None
    structure: Annotated[
        bool, Arg("Also index the formulas' structure, by parts of their operator trees.")
    ] = False
    exact: Annotated[bool, Arg("Compute vectors in single precision even where 16 bits are faster.")] = False
    terms: Annotated[
        Terms | None,
        Arg(
            "Terms of BM25. math: words, LaTeX commands and pairs of symbols; porter: as in Lucene, English "
            "words by Porter's stemmer, formulas split like words.",
            shown="math",
        ),
    ] = None
    k1: Annotated[float | None, Arg("BM25's k1: how much repeated terms add.", low=0, shown="1.2")] = None
    b: Annotated[
        float | None, Arg("BM25's b: how strongly long answers are penalised.", low=0, high=1, shown="0.75")
    ] = None
    share: Annotated[
        str | None,
        Arg(
            "Compute only one share of the vectors, such as 3/16, and do not index them.",
            shown="all vectors, indexed",
        ),
    ] = None

    def __post_init__(self) -> None:
        if self.encoder != "minilm" and not self.dense:
            raise make_refusal("an encoder makes vectors, which need --dense", "E427", "Add --dense.")
        if self.exact and not (self.dense or self.sparse):
            raise make_refusal("--exact is for vectors, which need --dense", "E427", "Add --dense.")
        if self.share is not None and not self.dense:
            raise make_refusal("only vectors can be divided into shares", "E427", "Add --dense.")
        for option, what in (("sparse", "sparse vectors are"), ("structure", "the structure of formulas is")):
            if self.share is not None and getattr(self, option):
                remedy = f"Leave --{option} or --share out."
                raise make_refusal(f"{what} not divided into shares", "E427", remedy)
        share_of(self.share)


def check_share(spec: IndexCollection) -> IndexCollection:
    """Return the spec, of a share only where it can be made.

    Raises:
        EngineError: E433.
    """
    if spec.share is not None:
        from engines.arqmath.collection.index_build import refuse_without_terms

        refuse_without_terms(spec.folder, spec.out)
    return spec


def index(spec: IndexCollection, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Make a collection searchable; see `engines.arqmath.collection.index_build.build_index`.

    >>> from engines.core.system import asset
    >>> forum = asset("sample/arqmath/sample-forum")
    >>> from tempfile import mkdtemp
    >>> place = Path(mkdtemp())
    >>> made = index(IndexCollection(forum, place / "index"))
    >>> made["complete"], made["documents"], made["dense"]
    (True, 182, None)
    """
    from engines.arqmath.collection.index_build import build_index

    return build_index(
        ArqmathFolder.open(spec.folder),
        spec.out,
        dense=spec.dense,
        encoder=spec.encoder,
        sparse=spec.sparse,
        structure=spec.structure,
        exact=spec.exact,
        terms=spec.terms,
        k1=spec.k1,
        b=spec.b,
        share=share_of(spec.share),
        events=events,
        stop=stop,
    )


@specification
class PrepareIndex:
    """Build the index of a small collection, anew when its posts are others now."""

    folder: SomeCollection
    index: Annotated[Path, Arg("The index to write.", option=True, writes=True)]


def prepare_index(spec: PrepareIndex, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Index a collection as `index` does, replacing an index of other posts or of another version."""
    from engines.arqmath.collection.index import PLAN
    from engines.core.files import remove_folder

    request = IndexCollection(spec.folder, spec.index)
    try:
        return index(request, events=events, stop=stop)
    except EngineError as error:
        if error.code != "E668":  # begun with other posts or by another version
            raise
    remove_folder(spec.index, PLAN)
    return index(request, events=events, stop=stop)


_ROWS = 2_000


@specification
class ExportDocuments:
    """Export the answers of an index as JSON Lines that Pyserini and PyTerrier can index.

    Each line has `id` and `contents`: the question's title, a line break and the answer with its formulas as
    `$latex$`; this is the text that mathwb itself searches.
    """

    index: SomeIndex
    out: Annotated[Path, Arg("The file to write.", option=True, writes=True)]


def export_documents(spec: ExportDocuments, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Export the documents of an index as JSON Lines, one `{"id", "contents"}` a line, as Anserini reads
    them.

    The file appears whole or not at all.

    Returns:
        Out, documents.

    Events:
        Progress in documents.

    Raises:
        DataError: For a folder that is no index, as `open_index`, and when `out` cannot be written.
        StoppedError: After a stop.

    >>> from engines.core.system import asset
    >>> from tempfile import mkdtemp
    >>> from engines.arqmath import IndexCollection, index
    >>> place = Path(mkdtemp())
    >>> _ = index(IndexCollection(asset("sample/arqmath/sample-forum"), place / "index"))
    >>> export_documents(ExportDocuments(place / "index", place / "documents.jsonl"))["documents"]
    182
    """
    import json

    from engines.arqmath.collection.index import open_index
    from engines.arqmath.collection.index_build import document_text
    from engines.core.files import atomic_writer

    store = open_index(spec.index).store
    ids = store.answer_ids()
    with atomic_writer(spec.out) as file:
        for begin in range(0, len(ids), _ROWS):
            if stop():
                raise StoppedError("the export was stopped", remedy="Run it again.")
            for post in store.get_posts(ids[begin : begin + _ROWS]).values():
                row = {"id": post.id, "contents": document_text(post)}
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            done = min(begin + _ROWS, len(ids))
            events(Event("progress", {"done": done, "total": len(ids), "unit": "documents"}))
    return {"out": str(spec.out), "documents": len(ids)}
