"""`mathwb egen eval`, `embed`, `nearest`, `map`, `check` and `rewrite` as scripts use them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import mathwb
from tests.egen.small_clusters import clusters, random_model, write_clusters
from workbench.jobs.folder import Job
from workbench.recipes import Recipe

egen = partial(mathwb, "egen")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_model(tmp_path_factory.mktemp("models") / "random")


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clusters(tmp_path_factory.mktemp("data") / "c.jsonl")


@pytest.mark.parametrize("task", ["kmeans", "semantic", "algebra", "retrieval"])
def test_every_evaluation_is_one_document(model: Path, file: Path, task: str) -> None:
    count = ("--count", 30) if task in ("semantic", "algebra") else ()
    done = egen("eval", task, model, "--data", file, *count, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["task"], found["model"], found["data"]) == (task, "random", "c.jsonl")
    assert {figure["protocol"] for figure in found["figures"]} >= {"paper"}
    for figure in found["figures"]:
        assert figure["interval"][0] <= figure["value"] <= figure["interval"][1]


def test_mistakes_are_measured_on_files_and_kept_for_the_tables(model: Path, tmp_path: Path) -> None:
    lines = []
    for a in range(2, 9):
        lines += [f"* {a} + x 1\t2", f"* {a} + 1 x", f"+ {a} * {a} x", f"- {a} * {a} x", ""]
    path = tmp_path / "derivations.txt"
    path.write_text("\n".join(lines))
    done = egen("eval", "mistakes", model, "--data", path, "--train", path, "--row", "seq2seq")
    assert done.returncode == 0, done.stderr
    assert "transitions: 21" in done.stdout
    from workbench.repro import paper_tables
    from workbench.workspace import Workspace

    (table,) = paper_tables(Workspace.open(), "egen", number=8)
    row = next(row for row in table.rows if row.name == "seq2seq")
    assert all(cell.ours is not None for cell in row.cells)
    assert "random on derivations.txt" in row.source


def test_vectors_stand_in_the_order_of_the_lines(model: Path, tmp_path: Path) -> None:
    from engines.egen.models.encode import load_encoder

    texts = ["sin x", "+ * 3 x 5", "x", "cosh(2*x)", "sin x"]
    path = tmp_path / "e.txt"
    path.write_text("\n".join(texts) + "\n")
    for name in ("v.npy", "v.parquet"):
        done = egen("embed", model, path, "--out", tmp_path / name, "--json")
        assert json.loads(done.stdout)["rows"] == 5
    vectors = np.load(tmp_path / "v.npy")
    expected = load_encoder(model, device="cpu").encode(
        ["sin x", "+ * 3 x 5", "x", "cosh * 2 x", "sin x"], normalise=False
    )
    assert np.allclose(vectors, expected, atol=1e-5)
    import pyarrow.parquet as pq

    table = pq.read_table(tmp_path / "v.parquet")
    assert np.allclose(np.stack(table["vector"].to_numpy(zero_copy_only=False)), vectors)


def test_a_line_without_a_vector_is_a_row_of_nan(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "e.txt"
    for wrong in ("sin(", "0.00032", "pow x 3.14159", " ".join(["+ x"] * 150 + ["x"])):
        path.write_text(f"sin x\n\n{wrong}\ncos x\n")
        for ending in ("npy", "parquet"):
            done = egen("embed", model, path, "--out", tmp_path / f"v.{ending}", "--json")
            assert done.returncode == 0, done.stderr
            found = json.loads(done.stdout)
            assert (found["rows"], found["bad_lines"], found["bad"][0]["line"]) == (3, 1, 3)
            assert "e.txt:3:" in done.stderr
        assert np.isnan(np.load(tmp_path / "v.npy")).all(1).tolist() == [False, True, False]
        import pyarrow.parquet as pq

        assert pq.read_table(tmp_path / "v.parquet")["expr"].to_pylist() == ["sin x", None, "cos x"]
    path.write_text("sin(\n0.00032\n")
    done = egen("embed", model, path)
    assert done.returncode == 2
    assert "e.txt:1:" in done.stderr


def test_neighbours_are_judged(model: Path, file: Path) -> None:
    done = egen("nearest", model, "sin + * 3 x 5", "--corpus", file, "-k", 3, "--json")
    found = json.loads(done.stdout)["neighbours"]
    assert found[0]["prefix"] == "sin + * 3 x 5"
    assert found[0]["cosine"] == pytest.approx(1, abs=1e-5)
    verdicts = {text: label for label, texts in enumerate(clusters()) for text in texts}
    assert all((each["verdict"] == "equal") == (verdicts[each["prefix"]] == 0) for each in found)


def test_a_map_is_drawn(model: Path, file: Path, tmp_path: Path) -> None:
    done = egen("map", model, "--data", file, "--method", "pca", "--out", tmp_path / "map.svg")
    assert done.returncode == 0, done.stderr
    assert "4 families" in done.stdout
    assert (tmp_path / "map.svg").read_text().startswith("<svg")
    assert egen("map", model, "--out", tmp_path / "map.pdf").returncode == 2


def test_the_first_wrong_step_is_named_with_a_counterexample(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "d.txt"
    path.write_text("(x+1)^2\nx^2+2*x+1\nx^2+2*x+2\nx*(x+2)+3\n\n+ x 1\n+ 1 x\n")
    done = egen("check", path, "--model", model, "--threshold", "0.5", "--json")
    assert done.returncode == 1
    first, second = json.loads(done.stdout)["derivations"]
    assert (first["first_wrong"], second["first_wrong"]) == (1, None)
    example = first["transitions"][1]["counterexample"]
    assert example["member"] - example["head"] == pytest.approx(1)
    assert first["transitions"][0]["cosine"] is not None
    done = egen("check", path, "--model", model, "--threshold", "0.5")
    assert "step 3 is wrong" in done.stdout
    assert "every step is right" in done.stdout


def test_a_derivation_names_single_points_at_which_a_step_differs() -> None:
    lines = egen("derive", "x", "a*x^2/(a*x)").stdout.splitlines()
    assert lines[-1].startswith("equal except at ")
    assert "x = 0" in lines[-1]
    assert "a = 0" in lines[-1]


@pytest.mark.parametrize(
    ("steps", "judgement", "says"),
    [
        ("1/0\n0", "not shown", "NOT SHOWN: the head is defined at no more than isolated real points"),
        ("ln(-1)\n3", "not shown", "step 2 is not shown"),
        ("ln(x^2)\n2*ln(x)", "loses domain", "becomes undefined"),
        ("sqrt(x)\nsqrt(-1-x^2)", "wrong", "step 2 is wrong"),
        ("0*x+1\n2", "wrong", ": 1 becomes 2"),
        ("2*ln(x)\nln(x^2)", "right", "defined outside it too"),
        ("(x+1)^2\nx^2+2*x+1", "right", "every step is right"),
        ("1\nx/x", "right", "except at x = 0"),
    ],
)
def test_a_step_is_right_wrong_loses_domain_or_is_not_shown(
    steps: str, judgement: str, says: str, model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "d.txt"
    path.write_text(f"{steps}\n\nx\n+ x 0\n")
    done = egen("check", path, "--model", model, "--threshold", "-1", "--json")
    assert done.returncode == (0 if judgement == "right" else 1)
    first, second = json.loads(done.stdout)["derivations"]
    (step,) = first["transitions"]
    assert step["judgement"] == judgement
    assert (first["right"], second["right"]) == (judgement == "right", True)
    assert (step["counterexample"] is not None) == (judgement in ("wrong", "loses domain") or "2*ln" in steps)
    assert step["reason"]
    done = egen("check", path, "--model", model, "--threshold", "-1")
    assert says in done.stdout


def test_derivations_that_cannot_be_read_are_counted_and_the_rest_is_checked(
    model: Path, tmp_path: Path
) -> None:
    path = tmp_path / "d.txt"
    path.write_text("x\n)(\nx\n\n0.00032*x\nx*0.00032\n\nx\n\nx+1\n1+x\n")
    done = egen("check", path, "--model", model, "--threshold", "0.1", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert [each["line"] for each in found["bad"]] == [2, 8]
    assert "d.txt:2:" in done.stderr
    unread, read = found["derivations"]
    # The model has no token for this constant, and the verifier needs none.
    assert (unread["right"], unread["transitions"][0]["cosine"]) == (True, None)
    assert read["transitions"][0]["cosine"] is not None
    path.write_text("x\n)(\n")
    assert egen("check", path, "--model", model, "--threshold", "0.1").returncode == 2


def test_a_sequence_model_writes_and_is_judged(model: Path) -> None:
    found = json.loads(egen("rewrite", model, "sin x", "--beams", 2, "--json").stdout)
    assert len(found["written"]) == 2
    assert all(("verdict" in each) and each["score_nats"] < 0 for each in found["written"])


def test_a_model_that_is_not_there(file: Path) -> None:
    done = egen("eval", "kmeans", "no-such-model", "--data", file)
    assert done.returncode == 3
    assert "E355" in done.stderr


def test_shares_and_their_place(model: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[Recipe, int]] = []

    def started_as(_workspace: object, recipe: Recipe, shares: int) -> Job:
        started.append((recipe, shares))
        return Job(5, file)

    monkeypatch.setattr("workbench.jobs.control.submit_shares", started_as)
    asked = ("index", model, "--corpus", file, "--shares", "3", "--executor", "slurm:time=5")
    done = egen(*asked, "--detach", "--json")
    assert json.loads(done.stdout) == {"job": 5, "data": str(file)}
    recipe, shares = started[0]
    assert (recipe.task, recipe.params["executor"], shares) == ("egen.index", "slurm:time=5", 3)
    for refused in (asked, (*asked, "--detach", "--share", "1/3"), (*asked[:4], "--executor", "slurm")):
        done = egen(*refused)
        assert done.returncode == 2
        assert "E427" in done.stderr
    assert len(started) == 1
