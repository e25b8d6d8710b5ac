"""The operations of E-Gen, called as the engine process and the job worker call them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.core.errors import EngineError, ExpressionError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.core.expression_language import read_prefix
from engines.core.spec import to_mapping
from engines.egen.corpus.folder import open_corpus
from engines.egen.verify_and_explain import Verify, verify
from tests.conftest import expect_error
from workbench.operations import find_operation
from workbench.papers.egen.tables import write_expression


def call(name: str, *, events: Sink = ignore, stop: Stop = never, **given: Any) -> dict[str, Any]:
    """An operation's document after a trip through JSON."""
    row = find_operation(f"egen.{name}")
    done = row.perform(row.resolve_spec(given), events=events, stop=stop)
    again: dict[str, Any] = json.loads(json.dumps(done.document))
    return again


def judged(place: Path, head: str, members: list[str], **given: Any) -> list[dict[str, Any]]:
    """The verdicts of members in prefix notation."""
    file = place / "pairs.tsv"
    file.write_text("".join(f"{head}\t{member}\n" for member in members))
    rows: list[dict[str, Any]] = call("verify", file=str(file), **given)["results"]
    return rows


def test_generated_members_arrive_as_they_are_found_and_are_returned() -> None:
    seen: list[Event] = []
    found = call("generate", expr="sin(2*x) + 3", members=40, seed=1, order="shortest", events=seen.append)
    stages = [event.data["stage"] for event in seen if event.kind == "progress"]
    assert stages[0] == "grow"
    assert stages[-1] == "members"
    came = [text for event in seen for text in event.data.get("members", ())]  # type: ignore[attr-defined]
    assert sorted(came) == sorted(member["prefix"] for member in found["members"])
    assert len(came) == 40
    assert found["head"] == "+ sin * 2 x 3"
    assert found["config"]["seed"] == 1
    assert {member["verdict"] for member in found["members"]} <= {"equal", "extends"}
    json.dumps([dict(event.data) for event in seen])


def test_generation_stops_with_what_there_is() -> None:
    seen: list[Event] = []
    found = call(
        "generate",
        expr="tanh(3*x + 4) - 6",
        members=100_000,
        events=seen.append,
        stop=lambda: any(event.data.get("members") for event in seen),
    )
    assert 0 < len(found["members"]) < 100_000


def test_verify_judges_members(tmp_path: Path) -> None:
    rows = judged(tmp_path, "x", ["pow sqrt x 2", "abs x", "* 1 x"])
    assert [row["verdict"] for row in rows] == ["shrinks", "different", "equal"]
    assert rows[1]["counterexample"]["x"] < 0


def test_verify_reads_any_notation_and_keeps_lines_as_they_are_written(tmp_path: Path) -> None:
    lines = [
        "sin(2*x)\t2*sin(x)*cos(x)",
        "+ x x\t* 2 x",
        r"\frac{x^2-1}{x-1}" + "\tx + 1",
        "sqrt(x^2)\tx",
        "- x 1\t-1 + x",
        "1/x\t",
        "pow x\tx",
        "+ x\tx",
        "x",
    ]
    (tmp_path / "pairs.tsv").write_text("\n".join(lines), "utf-8")
    found = verify(Verify(tmp_path / "pairs.tsv"))
    rows = {row["line"]: row for row in found.results}
    assert [rows[line]["verdict"] for line in range(1, 6)] == [
        "equal",
        "equal",
        "equal",
        "different",
        "equal",
    ]
    assert (rows[3]["except"], [*found.texts][2]["member"]) == ("1", "x + 1")
    # What begins as prefix notation and breaks off is no sum.
    assert [rows[line]["verdict"] for line in range(6, 10)] == [None] * 4
    assert rows[6]["error"] == "nothing stands behind the tab"


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
    found = call("explain", head="x", member="sqrt(x)^2")
    assert found["verdict"]["verdict"] == "shrinks"
    drawn = call("curve", exprs=["x", "ln x"], low=-1, high=1, count=5)
    assert drawn["x"] == [-1, -0.5, 0, 0.5, 1]
    assert drawn["curves"][1]["y"][:2] == [None, None]
    assert not any(drawn["outside"])


def test_a_curve_runs_over_any_variable_and_has_values_where_the_assumptions_hold() -> None:
    drawn = call("curve", exprs=["d x * y pow x 2"], low=-1, high=1, count=5, over="y", at={"x": 3.0})
    assert drawn["curves"][0]["y"] == [-6, -3, 0, 3, 6]
    below = call("curve", exprs=["y"], low=-1, high=1, count=3, over="y", at={"x": 0.5}, assume="y < x")
    assert (below["curves"][0]["y"], below["outside"]) == ([-1, 0, None], [False, False, True])
    whole = call("curve", exprs=["n"], low=-1, high=1, count=50, over="n", assume="n integer")
    assert whole["x"] == [-1, -0.5, 0, 0.5, 1]
    assert whole["curves"][0]["y"] == [-1, None, 0, None, 1]


def test_a_derivation_goes_from_one_end_to_the_other() -> None:
    found = call("derive", start="tan x", target="* -1 tan * -1 x")
    assert (found["steps"][0]["prefix"], found["steps"][-1]["prefix"]) == ("tan x", "* -1 tan * -1 x")
    assert all(step["rule"] for step in found["steps"][1:])
    assert {step["verdict"] for step in found["steps"]} == {"equal"}
    apart = call("derive", start="sin x", target="cos x")
    assert apart["steps"] == []
    assert "not the same function" in apart["reason"]


def test_a_derivation_without_an_end_goes_to_the_shortest_form() -> None:
    found = call("derive", start="sin(x)^2 + cos(x)^2 + x")
    assert found["steps"][-1]["prefix"] == "+ 1 x"
    assert {step["verdict"] for step in found["steps"]} == {"equal"}
    slope = call("derive", start="d x tan x")["steps"]
    assert "d" not in slope[-1]["prefix"].split()
    alone = call("derive", start="x")
    assert (alone["steps"], "shorter" in alone["reason"]) == ([], True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small real corpus of five expressions."""
    home = tmp_path_factory.mktemp("tasks")
    file = home / "mine.txt"
    file.write_text("sin(2*x) + 3\nno(x)\n3 + sin(2*x)\ncosh(x) - 1\nd x * -9 sinh - 2 * 7 x\nln(x)\n")
    built = call("corpus", out=str(home / "corpus"), templates=str(file), members=20, workers=2, seed=3)
    assert built["complete"]
    assert built["heads"] == 5
    assert built["clusters"] == 4
    return home / "corpus"


@pytest.mark.slow
def test_a_corpus_of_own_expressions_is_sound(folder: Path, tmp_path: Path) -> None:
    found = call("stats", corpus=str(folder))
    assert found["bad_lines"] == 1
    assert found["seed"] == 3
    assert found["verdicts"]["equal"] + found["verdicts"]["extends"] == pytest.approx(1)
    for number in range(found["clusters"]):
        cluster = call("show", corpus=str(folder), cluster=number)
        assert cluster["head"] == cluster["members"][0]["prefix"]
        assert len(cluster["members"]) == cluster["size"]
        rows = judged(tmp_path, cluster["head"], [row["prefix"] for row in cluster["members"]], seed=99)
        assert {row["verdict"] for row in rows} <= {"equal", "extends", "undecided"}


def test_find_names_the_cluster_and_the_member(folder: Path) -> None:
    found = call("find", corpus=str(folder), expr="3 - sin(-2*x)")
    assert found["matches"][0]["cluster"] == 0
    assert found["matches"][0]["verdict"] == "equal"
    assert call("find", corpus=str(folder), expr="63*cosh(2 - 7*x)")["matches"][0]["cluster"] == 2


@pytest.mark.slow
def test_one_worker_and_two_give_the_same_real_corpus(folder: Path, tmp_path: Path) -> None:
    source = str(folder.parent / "mine.txt")
    call("corpus", out=str(tmp_path / "corpus"), templates=source, members=20, workers=1, seed=3)
    for name in ("manifest.json", "clusters.parquet", "fingerprints.parquet", "plan.json"):
        assert (tmp_path / "corpus" / name).read_bytes() == (folder / name).read_bytes()


def test_what_is_not_given_comes_from_the_corpus_that_was_begun(folder: Path) -> None:
    row = find_operation("egen.corpus")
    resolved = row.resolve_spec({"out": str(folder), "members": None})
    assert (resolved.members, resolved.seed, resolved.mode) == (20, 3, "strict")
    assert resolved.templates is None
    fresh = row.resolve_spec({"out": "somewhere", "seed": None})
    assert fresh.templates == "all"
    assert fresh.members == 120
    assert fresh.out.is_absolute()
    assert row.resolve_spec(to_mapping(fresh)) == fresh
    assert row.perform(row.resolve_spec({"out": str(folder), "workers": 1})).document["complete"]


def test_a_generated_cluster_can_be_kept(tmp_path: Path) -> None:
    out = str(tmp_path / "saved")
    file = str(tmp_path / "cluster.json")
    generated = call("generate", expr="ln(x^2)", mode="common", members=40, out=file)
    assert json.loads(Path(file).read_text()) == generated
    assert call("save", cluster=file, out=out) == {"out": out, "cluster": 0}
    call("generate", expr="cosh x", members=5, out=file)
    assert call("save", cluster=file, out=out)["cluster"] == 1
    corpus = open_corpus(Path(out))
    kept = corpus.read_members(0)
    members = generated["members"]
    assert kept["prefix"].to_pylist() == [generated["head"], *(row["prefix"] for row in members)]
    assert kept["verdict"].to_pylist()[1:] == [row["verdict"] for row in members]
    assert kept["gained"].to_pylist()[1:] == [row.get("gained", False) for row in members]
    assert [config["mode"] for config in corpus.manifest["configs"]] == ["common", "strict"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"head": "x", "members": [], "stats": {}}', "sin x"])
def test_what_is_no_generated_cluster_is_not_kept(text: str, tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(text)
    with expect_error("E318"):
        call("save", cluster=str(tmp_path / "c.json"), out=str(tmp_path / "saved"))


@pytest.mark.parametrize("expr", ["", "foo(x)", "x + j", "sin(", "1/(1-1)", "i*x", "+ " * 10_000])
def test_bad_expressions_are_explained(expr: str) -> None:
    with pytest.raises(ExpressionError):
        call("generate", expr=expr)


def test_bad_settings_are_explained() -> None:
    for params in ({"members": 0}, {"mode": "loose"}):
        with pytest.raises(EngineError) as caught:
            call("generate", expr="x", **params)
        assert caught.value.exit_code == 2


@pytest.mark.parametrize(("task", "params"), [("map", {"method": "pca"}), ("eval", {"task": "kmeans"})])
def test_a_seed_that_nothing_is_drawn_by_is_refused(task: str, params: dict[str, str]) -> None:
    with expect_error("E427") as caught:
        call(task, model="egen-both", **params, seed=3)
    assert (caught.value.code, caught.value.exit_code) == ("E427", 2)


@pytest.mark.parametrize("name", ["members", "max_tokens"])
@pytest.mark.parametrize("value", [0, 10**20])
def test_numbers_that_make_no_sense_are_refused(name: str, value: int, tmp_path: Path) -> None:
    for task, params in (("generate", {"expr": "x"}), ("corpus", {"out": str(tmp_path / "c")})):
        with expect_error("E424") as caught:
            call(task, **params, **{name: value})
        assert (caught.value.code, caught.value.exit_code) == ("E424", 2)


@pytest.mark.parametrize(
    ("notation", "text"),
    [("infix", "2*x^3"), ("unicode_infix", "2x³"), ("latex", "2 x^{3}")],
)
def test_lists_write_expressions_in_every_notation(notation: str, text: str) -> None:
    assert write_expression(notation, "* 2 pow x 3") == text
