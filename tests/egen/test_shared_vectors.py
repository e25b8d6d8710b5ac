"""Vectors made in shares: the bytes are those of one process, and a part that is lost is made again alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.core.errors import EngineError
from engines.egen.models import vectors
from engines.egen.models.embed import Embed, embed
from engines.egen.models.model_encoder import ModelEncoder
from engines.egen.models.vectors import Index, index
from tests.egen.small_clusters import clusters, random_model, write_clusters

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_model(tmp_path_factory.mktemp("models") / "model")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_clusters(tmp_path / "clusters.jsonl")


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "PART", 16)
    vectors._open.clear()


@pytest.fixture
def encoded(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts were encoded at a time."""
    sizes: list[int] = []
    encode = ModelEncoder.encode

    def counted(self: ModelEncoder, texts: Any, **more: Any) -> Any:
        sizes.append(len(texts))
        return encode(self, texts, **more)

    monkeypatch.setattr(ModelEncoder, "encode", counted)
    return sizes


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_shares_make_what_one_process_makes(
    model: Path, corpus: Path, tmp_path: Path, encoded: list[int]
) -> None:
    whole, shared = tmp_path / "whole", tmp_path / "shared"
    alone = index(Index(model, corpus), cache=whole)
    assert alone.expressions == sum(map(len, clusters()))
    at_once, sizes = sum(encoded), list(encoded)
    encoded.clear()
    vectors._open.clear()
    made = [index(Index(model, corpus, f"{number}/3"), cache=shared) for number in (1, 2, 3)]
    assert sum(each.expressions for each in made) == alone.expressions
    assert sum(each.clusters for each in made) == alone.clusters
    assert sorted(encoded) == sorted(sizes)
    assert sum(encoded) == at_once
    lost, cut = sorted(shared.glob("*-00001.npy"))[0], sorted(shared.glob("*-00002.npy"))[0]
    lost.unlink()
    cut.write_bytes(cut.read_bytes()[:-8])
    encoded.clear()
    assert index(Index(model, corpus), cache=shared) == alone
    assert encoded == [16, 16]
    assert content(shared) == content(whole)


def test_a_stop_keeps_the_parts_that_are_finished(
    model: Path, corpus: Path, tmp_path: Path, encoded: list[int]
) -> None:
    whole, kept = tmp_path / "whole", tmp_path / "kept"
    alone = index(Index(model, corpus), cache=whole)
    vectors._open.clear()
    encoded.clear()
    with pytest.raises(EngineError) as raised:
        index(Index(model, corpus), cache=kept, stop=lambda: len(encoded) > 3)
    assert raised.value.code == "E646"
    assert len(list(kept.glob("*.npy"))) == 3
    encoded.clear()
    assert index(Index(model, corpus), cache=kept) == alone
    assert content(kept) == content(whole)


def test_the_lines_of_a_file_in_shares(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    lines = [text for texts in clusters() for text in texts]
    file.write_text("\n".join([*lines[:20], "sin(", *lines[20:]]) + "\n")
    alone = embed(Embed(model, file, tmp_path / "alone.npy"))
    cache = tmp_path / "cache"
    made = [
        embed(Embed(model, file, tmp_path / "shared.npy", f"{number}/2"), cache=cache) for number in (1, 2)
    ]
    assert sum(each.rows for each in made) == alone.rows == len(lines) + 1
    assert not (tmp_path / "shared.npy").exists()
    together = embed(Embed(model, file, tmp_path / "shared.npy"), cache=cache)
    assert (together.rows, together.bad_lines) == (alone.rows, 1)
    assert (tmp_path / "shared.npy").read_bytes() == (tmp_path / "alone.npy").read_bytes()
    assert np.isnan(np.load(tmp_path / "shared.npy")).any(axis=1).nonzero()[0].tolist() == [20]
    assert not list(cache.iterdir())


@pytest.mark.parametrize("bad", [[0, 2, 3], [4], [3, 4]])
def test_progress_ends_full_with_lines_that_cannot_be_read(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: list[int]
) -> None:
    """Also where a part has none that can."""
    monkeypatch.setattr(vectors, "PART", 2)
    file, events = tmp_path / "mine.txt", []
    file.write_text("".join("sin(\n" if number in bad else "sin x\n" for number in range(5)))
    embed(Embed(model, file), events=events.append)
    told = [event.data for event in events if event.kind == "progress"]
    assert (told[-1]["done"], {each["total"] for each in told}) == (5, {5})
    assert [each["done"] for each in told] == sorted(each["done"] for each in told)


def test_a_share_needs_a_folder(model: Path, corpus: Path) -> None:
    with pytest.raises(EngineError) as raised:
        index(Index(model, corpus, "1/2"))
    assert raised.value.code == "E427"
