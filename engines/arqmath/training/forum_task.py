"""What trainings on a forum share: their data, the backbone, the token cache, batches, ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from engines.arqmath.training.backbones import Backbone, open_backbone
from engines.arqmath.training.model_folder import (
    MINILM,
    TokenFrame,
    TokenIds,
    backbone_folder,
    padded_batch,
    tokenize_named_texts,
)
from engines.arqmath.training.pairs import Threads, read_threads
from engines.arqmath.training.settings import CODE
from engines.core.errors import DataError
from engines.core.files import model_files
from engines.core.rows import read_lines
from engines.core.spec import read, to_mapping
from engines.forum.folder import ArqmathFolder
from engines.forum.readers import Post, Report, read_posts
from engines.training.task import Origin
from engines.training.token_cache import CachedSequences, TokenCache, cached_rows

if TYPE_CHECKING:
    import torch

Settings = TypeVar("Settings")
MADE_FOR = (
    "Made for questions and answers in English about mathematics, formulas as LaTeX between dollar signs."
)


class ForumTask(Generic[Settings]):
    """A training task on a collection; a trainer adds its examples, its loss and its measures."""

    trainer: ClassVar[str]
    settings_class: ClassVar[type]
    """Reads a recipe's table `model`."""
    code: ClassVar[str] = CODE
    """Of the error for a setting that cannot be read."""
    needs: ClassVar[Mapping[str, str]] = {"collection": "collection"}
    """The data that a recipe must name, and what they are in an error."""
    files: ClassVar[tuple[str, ...]] = ()
    """Further data, a file each, that a recipe may name."""
    linked: ClassVar[bool] = False
    """Whether the links of the collection are read."""

    def __init__(self, model: Mapping[str, Any], data: Mapping[str, Path], *, seed: int) -> None:
        self.settings: Settings = read(self.settings_class, model, prefix="model.", code=self.code)
        self.data, self.seed = data, seed
        self._cache = TokenCache()
        for name, what in self.needs.items():
            require_data(data, name, what)

    def use_cache(self, cache: TokenCache) -> None:
        """Store the rows of tokens in a cache from now on."""
        self._cache = cache

    def origin(self) -> Origin:
        """Return the origin of the training: trainer, settings and files, for its fingerprint."""
        return Origin(self.trainer, to_mapping(self.settings), self.list_source_files())

    def list_source_files(self) -> dict[str, Sequence[Path]]:
        """Return the files that the training reads, by what they serve as."""
        named = {name: (self.data[name],) for name in self.files if name in self.data}
        links = self.folder.links if self.linked else None
        collection = (self.folder.need_posts(), *([] if links is None else [links]))
        return {"backbone": self.backbone_files(), "collection": collection, **named}

    def backbone_files(self) -> tuple[Path, ...]:
        """Return the files of the backbone."""
        return model_files(backbone_folder(self.data.get("backbone", MINILM)))

    @cached_property
    def folder(self) -> ArqmathFolder:
        """The collection."""
        return ArqmathFolder.open(self.data["collection"])

    def iterate_posts(self) -> Iterator[Post]:
        """Iterate over the posts of the collection."""
        return read_posts(self.folder.need_posts(), Report())

    @cached_property
    def threads(self) -> Threads:
        """Questions and their answers, without those that are excluded."""
        return read_threads(self.folder, exclude=read_ids(self.data.get("exclude")))

    @cached_property
    def backbone(self) -> Backbone:
        """The language model that the training begins with."""
        length = self.settings.max_length  # type: ignore[attr-defined]  # all of them have one
        return open_backbone(self.data.get("backbone", MINILM), max_length=length)

    @property
    def tokenizer(self) -> Any:
        """The tokenizer of the backbone."""
        return self.backbone.tokenizer

    @cached_property
    def frame(self) -> TokenFrame:
        """The special tokens around a text or a pair."""
        return TokenFrame.from_tokenizer(self.tokenizer, types=self.backbone.types)

    def tokenize_texts(
        self,
        name: str,
        *kinds: str,
        texts: Callable[[], Iterable[tuple[str, str]]],
        keep: int = 0,
        **made_of: Any,
    ) -> tuple[list[str], CachedSequences]:
        """Return the names and token ids of texts, from the cache where they are there.

        Args:
            kinds, made_of: All that they depend on, as `TokenCache.stored_path` takes it.
            keep: Tokens of a text, at most; 0: all.
        """
        path = self._cache.stored_path(name, *kinds, tokenizer=self.tokenizer, most=keep, **made_of)
        return cached_rows(path, lambda: tokenize_named_texts(self.tokenizer, texts()), keep=keep)

    def pad_pairs(self, rows: Sequence[tuple[TokenIds, TokenIds]]) -> dict[str, torch.Tensor]:
        """Return a padded batch of pairs."""
        return padded_batch(rows, self.tokenizer.pad_token_id)


def require_data(data: Mapping[str, Path], name: str, what: str) -> Path:
    """Return a data set of the recipe.

    Raises:
        DataError: E674 when the recipe names none.
    """
    if name not in data:
        remedy = f"Name one with --set data.{name}=PATH"
        raise DataError(f"the recipe names no {what}", code="E674", exit_code=3, remedy=remedy)
    return data[name]


def read_ids(path: Path | None) -> list[str]:
    """Return the first word of every line of a file, if there is one."""
    return [] if path is None else [line.split()[0] for _, line in read_lines(path) if line.strip()]


def rank_of(right: float, wrong: Iterable[float]) -> float:
    """Return the rank of the right answer by these scores; equal ones count half.

    >>> rank_of(0.5, [0.7, 0.5, 0.1])
    2.5
    """
    return 1 + sum((each > right) + (each == right) / 2 for each in wrong)


def move_to_model(batch: Mapping[str, torch.Tensor], model: torch.nn.Module) -> dict[str, torch.Tensor]:
    """Return a batch on the device of a model."""
    device = next(model.parameters()).device
    return {name: tensor.to(device) for name, tensor in batch.items()}
