"""Building an index of the answers of a collection, by its plan."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import numpy as np

from engines.arqmath.collection.index import AGAIN, FORMAT, IDS, QUESTIONS, STORE, read_json
from engines.arqmath.collection.posts import PostStore, StoredPost, build_store
from engines.arqmath.first_stage import RETRIEVERS
from engines.core.build import LOCK, MANIFEST, PLAN, ResumableBuild
from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.core.files import write_array, write_json
from engines.core.hashing import sha256
from engines.core.model_checks import check_finite
from engines.forum.folder import ArqmathFolder
from engines.retrieval.bm25 import Bm25, TermPart, build_lexical
from engines.retrieval.dense import IndexKind, build_dense
from engines.retrieval.encoders import BUILT_IN, StoredEncoder
from engines.retrieval.encoders import encoder as load_encoder
from engines.retrieval.index_terms import TERMS, VERSIONS, Terms
from engines.retrieval.trec import package_versions

if TYPE_CHECKING:
    from engines.retrieval.sparse import SparseEncoder


_NAMES = {
    "format": "by another version",
    "posts": "from other posts",
    "links": "from other links",
    "tokens": "with other terms",
    "bm25": "with other settings of BM25",
}
"""What must stay as it was when the folder was begun, and how messages say that it has not."""


def begin_index_plan(
    build: ResumableBuild,
    plan: dict[str, Any],
    named: Mapping[str, Any],
    chosen: Mapping[str, StoredEncoder | SparseEncoder | None],
) -> dict[str, Any]:
    """Return the plan, written, or checked against that which the folder was begun with; an encoder may be
    added later, and settings of BM25 that are not named are the folder's own.

    Raises:
        EngineError: E668 for a folder that was begun with others.
    """
    path = build.folder / PLAN
    old: dict[str, Any] = read_json(path) if path.exists() else {}
    # Settings that the folder was begun with; an old plan names its terms by another word.
    was = {"tokens": old.get("tokens"), **(old.get("bm25") or asdict(Bm25()))}
    if was["tokens"] not in TERMS:
        was["tokens"] = VERSIONS["porter" if str(was["tokens"]).startswith("porter") else "math"]
    of_terms = {name: was[name] if value is None else value for name, value in named.items()}
    plan |= {"tokens": of_terms["tokens"], "bm25": {name: of_terms[name] for name in ("k1", "b")}}
    changed = ""
    # An encoder may be added to a folder, but never exchanged: the vectors would not compare.
    for key, encoder in chosen.items():
        own = old.get(key)
        facts: dict[str, Any] = own or {}
        if encoder is not None:
            names = {"name": encoder.name, "place": encoder.place}
            facts = {**names, "dim": encoder.dimension, "sha256": encoder.fingerprint}
            if roles := getattr(encoder, "roles", ""):
                facts["roles"] = roles
        if own and own["sha256"] != facts["sha256"]:
            changed = (
                f"the vectors in this folder are those of {own['name']}, not of {facts['name']}, which was "
                "requested"
            )
        plan[key] = facts or None

    def other_content_error(what: str) -> EngineError:
        return EngineError(what, where=str(build.folder), code="E668", remedy=AGAIN)

    def other_setting(name: str, _before: Any, _after: Any) -> EngineError:
        begun = "was built" if (build.folder / MANIFEST).exists() else "is not finished, and was begun"
        return other_content_error(f"the index in this folder {begun} {_NAMES[name.split('.')[0]]}")

    if changed:
        raise other_content_error(changed)
    build.write_or_check_plan(plan, old or None, other_setting, keys=tuple(_NAMES))
    return plan


# Building an index of the answers of a collection: by terms, and by vectors if asked for.
#
#     manifest.json          what it was made of, versions, size and hash of every file; written last
#     posts.sqlite           all posts by id (`PostStore`)
#     documents.npy          the ids of the answers, in the order of the indexes
#     questions.npy          the ids of the questions, in the order of their vectors
#     lexical/  dense/       BM25 and faiss (`engines.retrieval`)
#     questions/  sparse/    faiss; learned sparse vectors of the answers
#     structure/             BM25 over the structure of formulas
#
# A document is an answer with the title of its question before it, or a question, title and body. While an
# index is built, `plan.json` says of what, and `parts/` holds terms and vectors of some documents each: a
# build that was killed goes on from them.

_TERM_PART = 5_000
_VECTOR_PART = 512
_PARTS = "parts"


def document_text(post: StoredPost) -> str:
    """Return the text of an answer or a question that is indexed: title and body."""
    return f"{post.title}\n{post.text}"


def build_index(
    folder: ArqmathFolder,
    out: Path,
    *,
    dense: bool = False,
    encoder: str | Path | StoredEncoder = BUILT_IN,
    sparse: str | Path | SparseEncoder | None = None,
    structure: bool = False,
    exact: bool = False,
    kind: IndexKind | None = None,
    terms: Terms | None = None,
    k1: float | None = None,
    b: float | None = None,
    share: tuple[int, int] | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> dict[str, Any]:
    """Index a collection's answers in the folder `out`, finish what was begun there, or add the dense index.

    Args:
        dense: Vectors too.
        encoder: Whose.
        sparse: The model of learned sparse vectors, if there shall be any.
        structure: Of the formulas too.
        exact: In single precision also where 16 bits are faster; either goes on with what the other has made.
        kind: Of dense index; chosen by the size unless given.
        terms, k1, b: Of BM25; those that the folder was begun with unless given, else math, 1.2 and 0.75.
        share: (3, 16): of the vectors' parts only the third and every sixteenth from there, for processes
            that divide them, on machines that see the same folder; the index of terms must be there, and a
            call without a share then makes of the parts what one machine would have made.

    Events:
        Progress in posts, answers, texts and vectors; a log entry with the kind of dense index and why.

    Returns:
        `complete` (false after a stop), out, and then documents, counts of the store, `encoder`, and what
        `lexical`, `dense`, `questions`, `sparse` and `structure` are (None where they are not there); of a
        share `share` (how many parts it has of answers and questions) and nothing else.

    Raises:
        EngineError: E667 when `out` holds something else, E668 when it was begun with another collection,
            model or version, E669 when another build is at work there, E433 for a share where the terms are
            not finished.
        DataError: For a collection without posts.
    """
    # Refuse a wrong folder before any model is loaded.
    posts = folder.need_posts()
    if out.exists() and not (out.is_dir() and _is_ours(out)):
        what = "this folder holds something other than an index"
        raise EngineError(what, where=str(out), code="E667", remedy="Choose a new folder for --out.")
    if share:
        refuse_without_terms(folder.path, out)
    build = ResumableBuild(out, share, events=events, stop=stop)
    with build.lock("E669"):
        chosen = None
        if dense:
            chosen = load_encoder(encoder, half=not exact) if isinstance(encoder, str | Path) else encoder
        plan = {
            "format": FORMAT,
            "collection": folder.title,
            "posts": {"name": posts.name, "sha256": sha256(posts)},
            "links": folder.links and {"name": folder.links.name, "sha256": sha256(folder.links)},
        }
        named = {"tokens": terms and VERSIONS[terms], "k1": k1, "b": b}
        if isinstance(sparse, str | Path):
            from engines.retrieval.sparse import sparse_encoder

            sparse = sparse_encoder(sparse, half=not exact)
        plan = begin_index_plan(build, plan, named, {"encoder": chosen, "sparse_encoder": sparse})
        made = IndexBuild(build, folder, plan, chosen, sparse, structure, kind)
        return made.run() if share is None else made.run_share()


def refuse_without_terms(collection: Path, out: Path) -> None:
    """Refuse to make a share of the vectors in a folder that has no finished index of terms.

    Raises:
        EngineError: E433.

    Raises:
        EngineError: E433.
    """
    if not (out / MANIFEST).exists():
        what = "a share of the vectors needs a finished index of terms, which this folder lacks"
        remedy = f"Make it first: mathwb arqmath index {collection} --out {out}"
        raise EngineError(what, where=str(out), code="E433", remedy=remedy)


def _is_ours(out: Path) -> bool:
    names = {path.name for path in out.iterdir()}
    if not names - {LOCK}:
        return True
    # Corpora have files of these names too, and other programs one of them.
    for name in {MANIFEST, PLAN} & names:
        with contextlib.suppress(DataError):
            if "posts" in read_json(out / name):
                return True
    return False


class IndexBuild:
    """One run of a build, from the files that exist already to the manifest."""

    def __init__(
        self,
        build: ResumableBuild,
        folder: ArqmathFolder,
        plan: Mapping[str, Any],
        encoder: StoredEncoder | None,
        sparse: SparseEncoder | None,
        structure: bool,
        kind: IndexKind | None,
    ) -> None:
        self.build, self.out, self.events, self.stop = build, build.folder, build.events, build.stop
        self.folder, self.plan, self.encoder, self.sparse = folder, plan, encoder, sparse
        self.structure, self.kind = structure, kind
        self.answers = IDS

    def run(self) -> dict[str, Any]:
        """Build what is missing, and return the description of the index."""
        if self._is_finished():
            manifest = read_json(self.out / MANIFEST)
            # Its models may lie elsewhere now.
            now = {key: self.plan[key] for key in ("encoder", "sparse_encoder") if manifest.get(key)}
            if any(manifest[key] != facts for key, facts in now.items()):
                manifest |= now
                write_json(self.out / MANIFEST, manifest)
            return self._describe_result(manifest)
        if not self._ensure_posts():
            return {"complete": False, "out": str(self.out)}
        store = PostStore(self.out / STORE)
        try:
            complete = all(retriever.build(self, store) for retriever in RETRIEVERS.values())
            return self._finish_index(store) if complete else {"complete": False, "out": str(self.out)}
        finally:
            store.close()

    def run_share(self) -> dict[str, Any]:
        """Make the parts of a share of the vectors, unless all vectors are there."""
        made = {"answers": 0, "questions": 0}
        complete = True
        if not self._is_finished():
            store = PostStore(self.out / STORE)
            try:
                encoding = (retriever for retriever in RETRIEVERS.values() if retriever.encodes)
                complete = all(retriever.build(self, store) for retriever in encoding)
            finally:
                store.close()
            made = {
                name: len(self.build.split_into_parts(len(np.load(self.out / ids)), _VECTOR_PART))
                for name, ids in (("answers", IDS), ("questions", QUESTIONS))
                if (self.out / ids).exists()
            }
        return {"complete": complete, "out": str(self.out), "share": made}

    def _is_finished(self) -> bool:
        if not (self.out / MANIFEST).exists():
            return False
        manifest = read_json(self.out / MANIFEST)
        wanted = (name for name, retriever in RETRIEVERS.items() if retriever.is_requested(self))
        return all(manifest.get(name) is not None for name in wanted)

    def _ensure_posts(self) -> bool:
        path, ids = self.out / STORE, self.out / IDS
        if not path.exists():
            posts = self.folder.need_posts()
            built = build_store(posts, path, links=self.folder.links, events=self.events, stop=self.stop)
            if not built["complete"]:
                return False
            for line in built["first"]:
                warn(self.events, f"left out: {line}")
            if built["repeated"]:
                warn(
                    self.events,
                    f"{built['repeated']:,} posts repeat an earlier id; the first of each was used",
                )
            # Ids of an older store would number other posts.
            ids.unlink(missing_ok=True)
        if not ids.exists():
            store = PostStore(path)
            stored_ids = store.answer_ids()
            store.close()
            if not stored_ids:
                what = "the collection has no answers"
                remedy = "Answers are posts of type 2."
                raise DataError(what, path=self.folder.posts, code="E660", remedy=remedy)
            write_array(ids, np.array([id.encode() for id in stored_ids]))
        return True

    def build_postings(self, store: PostStore, folder: str, tokens: str, parts_name: str, unit: str) -> bool:
        """Build BM25 over the terms of one version; return False after a stop."""
        if (self.out / folder).exists():
            return True

        # A part is a block of posts: what is finished survives a stop, and shares can be made elsewhere.
        def write_term_part(texts: Sequence[str], path: Path) -> bool:
            TermPart.from_texts(texts, TERMS[tokens]).save(path)
            return True

        name = f"{parts_name}-{{:05d}}.npz"
        parts = self.make_parts(store, IDS, name, unit, write_term_part, TermPart.load, size=_TERM_PART)
        if parts is not None:
            params = Bm25(**self.plan["bm25"])
            build_lexical(map(TermPart.load, parts), self.out / folder, params, tokens=tokens)
        return parts is not None

    def write_question_ids(self, store: PostStore) -> str:
        """Return the file of the questions' ids, written where it is not there."""
        if self.encoder is not None and not (self.out / QUESTIONS).exists():
            write_array(self.out / QUESTIONS, np.array([id.encode() for id in store.question_ids()]))
        return QUESTIONS

    def build_vectors(self, store: PostStore, ids: str, folder: str, parts_name: str, unit: str) -> bool:
        """Encode the posts whose ids are in the file `ids`; unless this is a share, build their dense index
        too.
        """
        encoder = self.encoder
        if encoder is None or (self.out / folder).exists() or not len(np.load(self.out / ids)):
            return True

        def write_vector_part(texts: Sequence[str], path: Path) -> bool:
            vectors = encoder.documents(texts, stop=self.stop).astype(np.float16)
            check_finite(vectors, encoder.name)
            if self.stop():
                return False
            write_array(path, vectors)
            return True

        # The model's fingerprint is part of the name, so that vectors of another model are never mixed in.
        name = f"{parts_name}-{encoder.fingerprint[:12]}-{{:05d}}.npy"
        parts = self.make_parts(store, ids, name, unit, write_vector_part, partial(np.load, mmap_mode="r"))
        if parts is None or self.build.share:
            return parts is not None
        build_dense(
            (np.load(path) for path in parts),
            self.out / folder,
            total=len(np.load(self.out / ids)),
            dim=encoder.dimension,
            kind=self.kind,
            events=self.events,
        )
        return True

    def make_parts(
        self,
        store: PostStore,
        ids_file: str,
        name: str,
        unit: str,
        make: Callable[[Sequence[str], Path], bool],
        read: Callable[[Path], Any],
        size: int | None = None,
    ) -> list[Path] | None:
        """Return the files of all parts of the share, after making those that are missing or unreadable.

        After a stop, None is returned; the finished parts stay.
        """
        ids = np.load(self.out / ids_file)

        def part_path(number: int) -> Path:
            return self.out / _PARTS / name.format(number)

        def load_part(number: int) -> Path | None:
            try:
                read(part_path(number))
            except (DataError, OSError, ValueError, EOFError, BadZipFile):
                return None
            return part_path(number)

        def make_part(number: int, items: range, events: Sink) -> Path | None:
            part_ids = [id.decode() for id in ids[items.start : items.stop]]
            posts = store.get_posts(part_ids)
            if not make([document_text(posts[id]) for id in part_ids], part_path(number)):
                return None
            events(Event("progress", {"done": len(items), "unit": unit}))
            return part_path(number)

        return self.build.run(
            self.build.split_into_parts(len(ids), size or _VECTOR_PART), load_part, make_part
        )

    def _finish_index(self, store: PostStore) -> dict[str, Any]:
        stored = {name: retriever for name, retriever in RETRIEVERS.items() if retriever.stored}
        built = {name: self.out / name for name in stored if (self.out / name).exists()}
        files = [self.out / STORE, self.out / IDS]
        files += [file for folder in built.values() for file in folder.iterdir()]
        files += [self.out / QUESTIONS] if "questions" in built else []
        manifest = {
            **self.plan,
            "encoder": self.plan["encoder"] if any(stored[name].encodes for name in built) else None,
            "sparse_encoder": self.plan.get("sparse_encoder") if "sparse" in built else None,
            "documents": len(np.load(self.out / IDS)),
            "counts": dict(store.counts),
            **{
                name: dict(retriever.open(built[name]).about) if name in built else None
                for name, retriever in stored.items()
            },
            "versions": package_versions(),
            "files": {
                path.relative_to(self.out).as_posix(): {"bytes": path.stat().st_size, "sha256": sha256(path)}
                for path in sorted(files)
            },
        }
        # The manifest comes last: an index with one is complete. Only then the parts may go.
        self.build.publish_manifest(manifest)
        shutil.rmtree(self.out / _PARTS, ignore_errors=True)
        return self._describe_result(manifest)

    def _describe_result(self, manifest: Mapping[str, Any]) -> dict[str, Any]:
        shown = ["documents", "counts", "encoder", *(name for name in RETRIEVERS if name in manifest)]
        return {"complete": True, "out": str(self.out), **{name: manifest.get(name) for name in shown}}
