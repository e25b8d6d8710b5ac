"""Learned sparse vectors: their encoder, and their index, searched memory-mapped.

The vectors are those of SPLADE (Formal, Piwowarski and Clinchant, SIGIR 2021): the weight of term j is
log(1 + relu(w_ij)), w_ij being the logit of the masked-token head at token i, summed over the tokens of a
text or, since SPLADE v2, the largest of them. The score is the inner product of the query's and the
document's vector. On the disk the index is a sparse matrix, a row a document:

    data.csr.npy      float32, the weights, document by document
    indices.csr.npy   int32, the term of each
    indptr.csr.npy    int64, where each document begins; one more
    about.json        counts
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from scipy.sparse import csr_array, vstack

from engines.core.events import Stop, never
from engines.core.files import write_array
from engines.core.model_checks import check_finite
from engines.core.system import half_precision, torch_device
from engines.retrieval.dense import Vectors
from engines.retrieval.encoders import fingerprint_folder, library_model, model_error
from engines.retrieval.index_storage import (
    Rows,
    best_of_both,
    corrupt_file_error,
    map_array,
    new_folder,
    read_about,
)

_DATA, _TERMS, _STARTS = (f"{name}.csr.npy" for name in ("data", "indices", "indptr"))
_BATCH = 32
_REMEDY = "Name a folder of SPLADE."
_BLOCK = 50_000
"""Documents that are compared at once."""


class SparseEncoder(Protocol):
    """What turns documents and queries into sparse vectors, shape `(texts, terms)`."""

    @property
    def name(self) -> str:
        """The name of the model in reports."""
        ...

    @property
    def place(self) -> str:
        """The folder that opens the model again."""
        ...

    @property
    def dimension(self) -> int:
        """Return the number of terms."""
        ...

    @property
    def fingerprint(self) -> str:
        """Return a hash that changes whenever the vectors of the model would."""
        ...

    def encode_documents(self, texts: Sequence[str], *, stop: Stop = never) -> csr_array:
        """Return the vectors of documents; after a stop, those that were not reached are empty."""
        ...

    def encode_queries(self, texts: Sequence[str]) -> csr_array:
        """Return the vectors of queries, shape `(texts, terms)`."""
        ...


def sparse_encoder(folder: str | Path, *, device: str = "auto", half: bool = False) -> SparseModel:
    """Return a model of sentence-transformers' `SparseEncoder`, or a language model with SPLADE's head.

    Raises:
        DataError: E312 where there is no folder, E663 for one that holds no such model.
    """
    path, device = Path(folder).expanduser().absolute(), torch_device(device)
    model, _ = library_model("SparseEncoder", path, device, _REMEDY)
    # Without modules the library puts a head of its own, drawn at random, on what is no language model.
    if not (path / "modules.json").exists() and not any(type(m).__name__ == "SpladePooling" for m in model):
        what = "this is not a sparse encoder: it has no masked-token head"
        raise model_error(path, what, _REMEDY)
    if half:
        model.to(dtype=half_precision(device))
    return SparseModel(path, model)


class SparseModel:
    """A `SparseEncoder` of sentence-transformers; `sparse_encoder` makes it."""

    def __init__(self, folder: Path, model: Any) -> None:
        self.name, self.place, self._folder, self._model = folder.name, str(folder), folder, model
        # The library names the width of states where SPLADE's pooling does not know that of its vectors.
        self.dimension = int(model.encode_document([""], show_progress_bar=False).shape[1])

    @cached_property
    def fingerprint(self) -> str:
        """Return the SHA-256 over the names and contents of the model's files."""
        return fingerprint_folder(self._folder)

    def encode_documents(self, texts: Sequence[str], *, stop: Stop = never) -> csr_array:
        """Encode documents as `SparseEncoder` does: equal texts once, texts of similar length together."""
        return self._encode_distinct(texts, self._model.encode_document, stop)

    def encode_queries(self, texts: Sequence[str]) -> csr_array:
        """Return the vectors of queries, shape `(texts, terms)`."""
        return self._encode_distinct(texts, self._model.encode_query, never)

    def _encode_distinct(self, texts: Sequence[str], encode: Any, stop: Stop) -> csr_array:
        positions = {text: index for index, text in enumerate(sorted(set(texts), key=len))}
        wanted, vectors = list(positions), []
        for begin in range(0, len(wanted), _BATCH):
            if stop():
                break
            part = encode(wanted[begin : begin + _BATCH], show_progress_bar=False, batch_size=_BATCH)
            dense = part.to_dense().float().cpu().numpy()
            check_finite(dense, self.name)
            vectors.append(csr_array(dense))
        missing = len(wanted) - sum(part.shape[0] for part in vectors)
        rows = vstack([*vectors, csr_array((missing, self.dimension), dtype=np.float32)], format="csr")
        return csr_array(rows[[positions[text] for text in texts]])


def build_sparse(parts: Iterable[csr_array], out: Path, *, dimension: int) -> dict[str, Any]:
    """Write the index of all documents of the parts, in their order, into the folder `out`; all or nothing.

    Returns:
        What `about.json` in it says: documents, terms, postings.
    """
    about: dict[str, Any] = {}
    with new_folder(out, about) as draft:
        # Bare numbers first: the header of an .npy file has their count, which is known only at the end.
        raw = draft / "data", draft / "indices"
        counts = [np.zeros(1, np.int64)]
        with raw[0].open("wb") as data, raw[1].open("wb") as indices:
            for part in parts:
                data.write(part.data.astype(np.float32).tobytes())
                indices.write(part.indices.astype(np.int32).tobytes())
                counts.append(np.diff(part.indptr).astype(np.int64))
        starts = np.cumsum(np.concatenate(counts))
        for path, kind, name in zip(raw, (np.float32, np.int32), (_DATA, _TERMS), strict=True):
            held = np.memmap(path, kind, "r") if path.stat().st_size else np.zeros(0, kind)
            write_array(draft / name, np.asarray(held))
            path.unlink()
        write_array(draft / _STARTS, starts)
        about |= {"documents": len(starts) - 1, "terms": dimension, "postings": int(starts[-1])}
    return about


class SparseIndex:
    """An opened index; the weights stay on the disk until a search needs them."""

    def __init__(self, folder: Path) -> None:
        self.about = read_about(folder)
        self._data, self._terms, self._starts = (
            map_array(folder / name) for name in (_DATA, _TERMS, _STARTS)
        )
        if len(self._starts) != len(self) + 1 or self._starts[-1] != len(self._data):
            raise corrupt_file_error(folder / _STARTS, "it does not match the other files")

    def __len__(self) -> int:
        return int(self.about["documents"])

    def search(self, queries: csr_array, k: int) -> tuple[Vectors, Rows]:
        """Return the best documents of each query, (queries, k): scores and rows; equal scores in the order
        of the documents. Rows are -1 where a query has a term in common with fewer.
        """
        count = queries.shape[0]
        best: tuple[Vectors, Rows] = np.zeros((count, 0), np.float32), np.zeros((count, 0), np.int64)
        asked = queries.toarray().T.astype(np.float32)
        for begin in range(0, len(self), _BLOCK):
            starts = np.asarray(self._starts[begin : begin + _BLOCK + 1])
            inside = slice(int(starts[0]), int(starts[-1]))
            shape = (len(starts) - 1, int(self.about["terms"]))
            # Each block is a matrix of its own, so its rows count from its first weight.
            block = csr_array((self._data[inside], self._terms[inside], starts - starts[0]), shape=shape)
            best = best_of_both(best, np.ascontiguousarray((block @ asked).T), begin, k)
        scores, rows = best
        # No weight is negative, so a score of 0 means that no term is shared.
        return scores, np.where(scores > 0, rows, -1)
