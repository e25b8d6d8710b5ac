"""The tasks of E-Gen, called as the engine process and the job worker call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.core.errors import EngineError, ExpressionError
from engines.core.events import Event, ignore, never
from engines.egen.corpus import open_corpus
from engines.egen.language import read_prefix
from workbench.tasks import egen


def call(task: str, **params: Any) -> dict[str, Any]:
    """A task's result after a trip through JSON."""
    found = getattr(egen, task)(params, events=ignore, stop=never)
    again: dict[str, Any] = json.loads(json.dumps(found))
    return again


def test_generated_members_arrive_as_rows_and_are_returned() -> None:
    seen: list[Event] = []
    params = {"expr": "sin(2*x) + 3", "members": 40, "seed": 1}
    found = egen.generate(params, events=seen.append, stop=never)
    stages = [event.data["stage"] for event in seen if event.kind == "progress"]
    assert stages[0] == "grow"
    assert stages[-1] == "members"
    came = [row["prefix"] for event in seen for row in event.data.get("rows", ())]  # type: ignore[attr-defined]
    assert sorted(came) == sorted(member["prefix"] for member in found["members"])
    assert len(came) == 40
    assert found["head"] == {
        "prefix": "+ sin * 2 x 3",
        "infix": "sin(2*x) + 3",
        "unicode": found["head"]["unicode"],
        "latex": found["head"]["latex"],
        "tokens": 6,
    }
    assert {member["verdict"] for member in found["members"]} <= {"equal", "extends"}
    json.dumps(found)
    json.dumps([dict(event.data) for event in seen])


def test_generation_stops_with_what_there_is() -> None:
    seen: list[Event] = []
    found = egen.generate(
        {"expr": "tanh(3*x + 4) - 6", "members": 100_000},
        events=seen.append,
        stop=lambda: any(event.data.get("stage") == "members" for event in seen),
    )
    assert 0 < len(found["members"]) < 100_000


def test_verify_judges_members() -> None:
    found = call("verify", expr="x", members=["sqrt(x)^2", "abs(x)", "* 1 x"])
    assert [row["verdict"] for row in found["members"]] == ["shrinks", "different", "equal"]
    assert found["members"][1]["counterexample"]["x"] < 0


def test_an_egraph_can_be_walked_from_its_root() -> None:
    found = call("egraph", expr="sin x", nodes=400)
    classes = found["classes"]
    assert str(found["root"]) in classes
    for nodes in classes.values():
        for label, *children in nodes:
            assert isinstance(label, str)
            assert all(str(child) in classes for child in children)
    assert found["terms"][str(found["root"])]["prefix"] == "sin x"
    assert set(found["terms"]) == set(classes)
    for term in found["terms"].values():
        read_prefix(term["prefix"])


def test_explain_and_curve_answer() -> None:
    found = call("explain", expr="x", member="sqrt(x)^2")
    assert found["verdict"]["verdict"] == "shrinks"
    drawn = call("curve", exprs=["x", "ln x"], low=-1, high=1, count=5)
    assert drawn["x"] == [-1, -0.5, 0, 0.5, 1]
    assert drawn["curves"][1]["y"][:2] == [None, None]


def test_a_derivation_goes_from_one_end_to_the_other() -> None:
    found = call("derive", expr="tan x", member="* -1 tan * -1 x", notation="prefix")
    assert (found["steps"][0]["prefix"], found["steps"][-1]["prefix"]) == ("tan x", "* -1 tan * -1 x")
    assert all(step["rule"] for step in found["steps"][1:])
    assert {step["verdict"] for step in found["steps"]} == {"equal"}
    apart = call("derive", expr="sin x", member="cos x")
    assert apart["steps"] == []
    assert "not the same function" in apart["reason"]


def test_a_derivation_without_an_end_goes_to_the_shortest_form() -> None:
    found = call("derive", expr="sin(x)^2 + cos(x)^2 + x")
    assert found["steps"][-1]["prefix"] == "+ 1 x"
    assert {step["verdict"] for step in found["steps"]} == {"equal"}
    slope = call("derive", expr="d x tan x", notation="prefix")["steps"]
    assert "d" not in slope[-1]["prefix"].split()
    alone = call("derive", expr="x")
    assert (alone["steps"], "shorter" in alone["reason"]) == ([], True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small real corpus of five expressions."""
    home = tmp_path_factory.mktemp("tasks")
    file = home / "mine.txt"
    file.write_text("sin(2*x) + 3\nno(x)\n3 + sin(2*x)\ncosh(x) - 1\nd x * -9 sinh - 2 * 7 x\nln(x)\n")
    params = {"out": str(home / "corpus"), "templates": str(file), "members": 20, "workers": 2, "seed": 3}
    built = egen.corpus(params, events=ignore, stop=never)
    assert built["complete"]
    assert built["heads"] == 5
    assert built["clusters"] == 4
    return home / "corpus"


def test_a_corpus_of_own_expressions_is_sound(folder: Path) -> None:
    found = call("stats", corpus=str(folder))
    assert found["bad_lines"] == 1
    assert found["seed"] == 3
    assert found["verdicts"]["equal"] + found["verdicts"]["extends"] == pytest.approx(1)
    for number in range(found["clusters"]):
        cluster = call("cluster", corpus=str(folder), cluster=number)
        assert cluster["head"] == cluster["members"][0]["prefix"]
        assert len(cluster["members"]) == cluster["size"]
        judged = call(
            "verify", expr=cluster["head"], notation="prefix", seed=99,
            members=[row["prefix"] for row in cluster["members"]],
        )  # fmt: skip
        assert {row["verdict"] for row in judged["members"]} <= {"equal", "extends", "undecided"}


def test_find_names_the_cluster_and_the_member(folder: Path) -> None:
    found = call("find", corpus=str(folder), expr="3 - sin(-2*x)")
    assert found["matches"][0]["cluster"] == 0
    assert found["matches"][0]["verdict"] == "equal"
    assert call("find", corpus=str(folder), expr="63*cosh(2 - 7*x)")["matches"][0]["cluster"] == 2


def test_one_worker_and_two_give_the_same_real_corpus(folder: Path, tmp_path: Path) -> None:
    params = {
        "out": str(tmp_path / "corpus"),
        "templates": str(folder.parent / "mine.txt"),
        "members": 20,
        "workers": 1,
        "seed": 3,
    }
    egen.corpus(params, events=ignore, stop=never)
    for name in ("manifest.json", "clusters.parquet", "fingerprints.parquet", "plan.json"):
        assert (tmp_path / "corpus" / name).read_bytes() == (folder / name).read_bytes()


def test_what_is_not_given_comes_from_the_corpus_that_was_begun(folder: Path) -> None:
    resolved = egen.corpus_params({"out": str(folder), "members": None})
    assert (resolved["members"], resolved["seed"], resolved["mode"]) == (20, 3, "strict")
    assert "templates" not in resolved
    fresh = egen.corpus_params({"out": "somewhere", "seed": None})
    assert fresh["templates"] == "all"
    assert fresh["members"] == 120
    assert Path(fresh["out"]).is_absolute()
    assert egen.corpus({"out": str(folder), "workers": 1}, events=ignore, stop=never)["complete"]


def test_a_generated_cluster_can_be_kept(tmp_path: Path) -> None:
    out = str(tmp_path / "saved")
    generated = call("generate", expr="sin(x)^2 + cos(x)^2", members=10)
    assert call("save", out=out, generated=generated) == {"out": out, "cluster": 0}
    assert call("save", out=out, generated=call("generate", expr="cosh x", members=5))["cluster"] == 1
    kept = open_corpus(Path(out)).members(0)
    assert kept["prefix"].to_pylist() == [row["prefix"] for row in (generated["head"], *generated["members"])]


@pytest.mark.parametrize("expr", ["", "foo(x)", "x + y", "sin(", "1/(1-1)", "i*x", "+ " * 10_000])
def test_bad_expressions_are_explained(expr: str) -> None:
    with pytest.raises(ExpressionError):
        egen.generate({"expr": expr}, events=ignore, stop=never)


def test_bad_settings_are_explained() -> None:
    for params in ({"members": 0}, {"mode": "loose"}):
        with pytest.raises(EngineError) as caught:
            egen.generate({"expr": "x", **params}, events=ignore, stop=never)
        assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", ["members", "max_tokens"])
@pytest.mark.parametrize("value", [0, 10**20])
def test_numbers_that_make_no_sense_are_refused(name: str, value: int, tmp_path: Path) -> None:
    for task, params in (("generate", {"expr": "x"}), ("corpus", {"out": str(tmp_path / "c")})):
        with pytest.raises(EngineError, match=name) as caught:
            call(task, **params, **{name: value})
        assert (caught.value.code, caught.value.exit_code) == ("E457", 2)
