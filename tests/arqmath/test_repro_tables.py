"""The paper's tables: every one is there, with recipes that exist and what is missing to fill it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from workbench.repro import paper_tables
from workbench.workspace import Workspace


@pytest.fixture
def found() -> dict[int, object]:
    return {item.number: item for item in paper_tables(Workspace.open(), "arqmath")}


def test_every_table_is_listed_with_what_it_needs(found: dict[int, object]) -> None:
    assert set(found) == {2, 3, 4, 5, 6, 7}
    for item in found.values():
        assert any("collection" in what for what in item.missing)
        assert not any(what.startswith("a recipe ") for what in item.missing)
        assert "mathwb" in item.command


def test_two_tables_that_show_one_model_agree(found: dict[int, object]) -> None:
    def row(number: int, name: str) -> list[float]:
        return next([c.paper for c in row.cells] for row in found[number].rows if row.name == name)

    assert row(4, "ALBERT") == row(5, "MathSE (1)") == row(6, "ALBERT, N = 1")[:3]
    assert row(4, "RoBERTa") == row(6, "RoBERTa, N = 1")[:3]
    assert [r.name for r in found[3].rows] == [r.name for r in found[2].rows][:5]


def test_a_whole_collection_that_is_registered_is_not_missing() -> None:
    from workbench.repro import _has_data

    need = {"kind": "arqmath", "count": "answers", "least": 1_000_000}

    def holding(answers: int, kind: str = "arqmath") -> SimpleNamespace:
        data = SimpleNamespace(kind=kind, counts={"answers": answers})
        return SimpleNamespace(data=SimpleNamespace(list_entries=lambda: [data]))

    assert _has_data(holding(1_400_000), need)
    assert not _has_data(holding(3_395), need)
    assert not _has_data(holding(1_400_000, "corpus"), need)
