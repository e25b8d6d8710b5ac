"""Vectors that several processes make, each a share of the parts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engines.arqmath.collection import index_build
from engines.arqmath.collection.index_build import build_index
from engines.core.errors import EngineError
from engines.forum.folder import ArqmathFolder
from engines.retrieval.dense import Vectors
from tests.arqmath.small_forum import forum
from tests.arqmath.test_index import BagEncoder, files
from tests.conftest import expect_error


def test_vectors_divided_into_shares_give_the_index_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_build, "_VECTOR_PART", 5)
    folder = ArqmathFolder.open(forum(tmp_path / "forum"))
    whole, divided = tmp_path / "whole", tmp_path / "divided"
    build_index(folder, whole, dense=True, encoder=BagEncoder())
    with expect_error("E433"):
        build_index(folder, divided, dense=True, encoder=BagEncoder(), share=(1, 3))
    build_index(folder, divided)
    bags = [BagEncoder() for _ in range(3)]
    found: list[dict[str, Any]] = []

    def both_at_once(texts: Sequence[str], **more: Any) -> Vectors:
        """The second share is made while the first one is under way, and a whole build is refused then."""
        if not found:
            found.append({})
            found.append(build_index(folder, divided, dense=True, encoder=bags[1], share=(2, 3)))
            with pytest.raises(EngineError) as caught:
                build_index(folder, divided, dense=True, encoder=BagEncoder())
            assert caught.value.code == "E669"
        return BagEncoder.encode(bags[0], texts, **more)

    bags[0].encode = both_at_once  # type: ignore[method-assign]
    found[:1] = [build_index(folder, divided, dense=True, encoder=bags[0], share=(1, 3))]
    found.append(build_index(folder, divided, dense=True, encoder=bags[2], share=(3, 3)))
    assert all(one["complete"] for one in found)
    assert sum(one["share"]["answers"] for one in found) == len(list((divided / "parts").glob("vectors-*")))
    assert sum(bag.texts for bag in bags) == 36 + 24
    assert not (divided / "dense").exists()
    last = BagEncoder()
    assert build_index(folder, divided, dense=True, encoder=last)["complete"]
    assert last.texts == 0
    assert files(divided) == files(whole)
