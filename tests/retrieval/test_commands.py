"""`mathwb arqmath eval` and `compare` as scripts call them."""

from __future__ import annotations

import csv
import hashlib
import json
import subprocess
import sys
from math import log2
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from engines.retrieval.trec import made_by, manifest_of
from workbench.cli.command import app


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["arqmath", *map(str, arguments)])


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    good, bad, qrels = tmp_path / "good", tmp_path / "bad", tmp_path / "qrels"
    good.write_text("A.1\tQ0\ta\t1\t2\tgood\nA.1\tQ0\tb\t2\t1\tgood\nA.2\tQ0\ta\t1\t2\tgood\n")
    bad.write_text("A.1\tQ0\tb\t1\t2\tbad\nA.1\tQ0\ta\t2\t1\tbad\nA.2\tQ0\tb\t1\t2\tbad\n")
    qrels.write_text("A.1\t0\ta\t3\nA.1\t0\tb\t0\nA.2\t0\ta\t2\nA.3\t0\ta\t1\n")
    return good, bad, qrels


def test_eval_prints_the_contract(files: tuple[Path, Path, Path]) -> None:
    good, _, qrels = files
    result = call("eval", good, "--qrels", qrels, "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert document["topics"] == 3
    assert document["ndcg_prime"] == pytest.approx(2 / 3, abs=1e-6)
    assert document["run_topics"]["topics"] == 2
    assert document["run_topics"]["ndcg_prime"] == 1.0
    assert document["per_topic"]["A.1"]["p10_prime"] == 0.1
    assert document["per_topic"]["A.3"]["map_prime"] == 0.0
    assert "1 judged topics are not in the run" in result.stderr


def test_eval_by_topic_attribute(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    good, _, qrels = files
    info = tmp_path / "info.csv"
    info.write_text("Topic,Dependency\nA.1,Both\nA.2,Text\nA.3,Text\n")
    document = json.loads(call("eval", good, "--qrels", qrels, "--topics-by", info, "--json").stdout)
    assert document["by"]["Dependency"]["Both"]["ndcg_prime"] == 1.0
    assert document["by"]["Dependency"]["Text"]["ndcg_prime"] == 0.5


def test_topic_attributes_that_do_not_help(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    good, _, qrels = files
    info = tmp_path / "info.csv"
    info.write_text("Topic,Kind\nB.1,x\nB.2,y\n")
    result = call("eval", good, "--qrels", qrels, "--topics-by", info, "--json")
    assert json.loads(result.stdout)["by"] == {"Kind": {}}
    assert "3 judged topics are missing from it" in result.stderr
    info.write_text("Topic,Kind\n", encoding="utf-16")
    result = call("eval", good, "--qrels", qrels, "--topics-by", info)
    assert (result.exit_code, "UTF-16" in result.stderr) == (2, True)


def test_judgements_of_another_task_are_told(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    good, _, _ = files
    other = tmp_path / "other"
    other.write_text("A.1\t0\td_1\t3\n")
    assert "none of its documents is judged" in call("eval", good, "--qrels", other).stderr
    assert "--visual-ids" in call("eval", good, "--qrels", other, "--task", "2").stderr


def test_eval_of_task_3_has_the_contract_too(tmp_path: Path) -> None:
    qrels, ids = tmp_path / "qrels", tmp_path / "ids.tsv"
    qrels.write_text("A.1\t0\td_1\t3\nA.1\t0\td_2\t1\nA.2\t0\td_3\t1\nA.3\t0\td_4\t5\nA.4\t0\td_5\t2\n")
    ids.write_text("mine\tA.1\td_1\nmine\tA.2\td_3\nmine\tA.3\td_4\n")
    document = json.loads(call("eval", ids, "--qrels", qrels, "--task", "3", "--json").stdout)
    assert (document["topics"], document["judged"], document["run_topics"]["topics"]) == (4, 3, 3)
    assert document["ar"] == pytest.approx(4 / 3, abs=1e-6)
    assert document["p1"] == pytest.approx(1 / 3, abs=1e-6)
    first = document["per_topic"]["A.1"]
    assert first["ndcg_prime"] == pytest.approx(3 / (3 + 1 / log2(3)), abs=1e-6)
    assert (first["map_prime"], first["p10_prime"], first["grade"]) == (1.0, 0.1, 3)
    assert document["map_prime"] == 0.25
    assert document["per_topic"]["A.4"]["ndcg_prime"] == 0.0


@pytest.mark.parametrize("more", [("eval",), ("compare", "good")])
def test_runs_of_task_1_are_none_of_task_3(files: tuple[Path, Path, Path], more: tuple[str, ...]) -> None:
    good, bad, qrels = files
    command, *others = more
    result = call(command, *(good for _ in others), bad, "--qrels", qrels, "--task", "3")
    assert result.exit_code == 2
    assert "one answer to a topic, and this one has 2 to A.1" in result.stderr


def test_compare_tests_against_the_first(files: tuple[Path, Path, Path]) -> None:
    good, bad, qrels = files
    document = json.loads(call("compare", good, bad, "--qrels", qrels, "--json").stdout)
    (test,) = document["comparisons"]
    assert test["difference"] < 0
    assert test["losses"] == 2
    assert [system["run"] for system in document["systems"]] == [str(good), str(bad)]


def test_several_judgements_are_one_table_with_one_correction(
    files: tuple[Path, Path, Path], tmp_path: Path
) -> None:
    good, bad, qrels = files
    other = tmp_path / "other-year"
    other.write_text("A.1\t0\tb\t3\nA.2\t0\ta\t1\n")
    line = ("compare", good, bad, good, "--qrels", qrels, "--qrels", other)
    document = json.loads(call(*line, "--json").stdout)
    assert [(Path(row["qrels"]).name, Path(row["run"]).name) for row in document["systems"]] == [
        (year, run) for year in ("qrels", "other-year") for run in ("good", "bad", "good")
    ]
    tests = document["comparisons"]
    alone = json.loads(call("compare", good, bad, "--qrels", other, "--json").stdout)["comparisons"][0]
    (same,) = (one for one in tests if one["run"] == str(bad) and one["qrels"] == str(other))
    assert (same["difference"], same["t_p"]) == (alone["difference"], alone["t_p"])
    # Holm's step-down over all four, by its definition.
    p_values = [one["randomisation_p"] for one in tests]
    order, largest = sorted(range(4), key=p_values.__getitem__), 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (4 - rank) * p_values[place]))
        assert tests[place]["holm_p"] == pytest.approx(largest)
    assert [one["bonferroni_p"] for one in tests] == [min(1.0, 4 * p) for p in p_values]

    rows = list(csv.DictReader(call(*line, "--csv").stdout.splitlines()))
    assert [row["judgements"] for row in rows] == ["qrels"] * 3 + ["other-year"] * 3
    for row, system in zip(rows, document["systems"], strict=True):
        assert float(row["nDCG'"]) == pytest.approx(system["ndcg_prime"], abs=5e-5)
    tex = call(*line, "--tex").stdout
    assert tex.startswith(r"\begin{tabular}{llrrrlrrrr}")
    assert tex.count(r" \\") == 7
    assert call(*line, "--tex", "--csv").exit_code == 2


def test_pictures_are_drawn_as_their_names_end(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    good, bad, qrels = files
    svg, png = tmp_path / "bars.svg", tmp_path / "deltas.png"
    result = call("eval", good, "--qrels", qrels, "--plot", svg)
    assert result.stdout.splitlines()[-1] == f"by topic: {svg}"
    assert "nDCG′ of good over 3 topics" in svg.read_text()
    document = json.loads(call("compare", good, bad, "--qrels", qrels, "--plot", png, "--json").stdout)
    assert document["plot"] == str(png)
    assert png.read_bytes().startswith(b"\x89PNG")
    pdf = tmp_path / "deltas.pdf"
    assert call("compare", good, bad, "--qrels", qrels, "--plot", pdf).exit_code == 0
    assert pdf.read_bytes().startswith(b"%PDF")
    assert b"/FontFile" in pdf.read_bytes()
    result = call("compare", good, bad, "--qrels", qrels, "--plot", tmp_path / "x.gif")
    assert result.exit_code == 2
    assert "E430" in result.stderr


def test_a_file_that_is_no_run_ends_with_one_line(files: tuple[Path, Path, Path]) -> None:
    _, _, qrels = files
    result = call("eval", qrels, "--qrels", qrels)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert f"{qrels}:1" in result.stderr


def test_evaluating_loads_nothing_heavy(files: tuple[Path, Path, Path]) -> None:
    good, _, qrels = files
    code = (
        "import sys; sys.argv = ['mathwb', 'arqmath', 'eval', sys.argv[1], '--qrels', sys.argv[2]]\n"
        "from workbench.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([m for m in ('torch', 'numpy', 'textual', 'scipy', 'pyarrow') if m in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(good), str(qrels)], capture_output=True, text=True, timeout=60
    )
    assert result.stdout.splitlines()[-1] == "[]"


def test_fuse_takes_runs_of_any_origin(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    good, bad, _ = files
    out = tmp_path / "out"
    result = call("fuse", good, bad, "--k", "1", "--out", out, "--json")
    assert json.loads(result.stdout)["documents"] == 4
    assert "topics are not in all runs" not in result.stderr
    scores = {tuple(line.split()[:3:2]): float(line.split()[4]) for line in out.read_text().splitlines()}
    assert scores["A.1", "a"] == pytest.approx(1 / 2 + 1 / 3)
    beside = json.loads(manifest_of(out).read_text())
    assert (beside["operation"], beside["settings"]["k"]) == ("arqmath.fuse", 1)
    hashes = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (out, good, bad)]
    assert [beside["run"]["sha256"], *(one["sha256"] for one in beside["reads"]["runs"])] == hashes
    assert scores["A.2", "b"] == pytest.approx(1 / 2)
    assert made_by(out) == "arqmath.fuse"
    out.write_text(out.read_text() + "\n")
    assert made_by(out) == "arqmath.fuse; changed since"
    assert made_by(good) == ""
    ranks = tmp_path / "ranks"
    ranks.write_text("A.1\tQ0\ta\t1\t1\tx\nA.1\tQ0\tb\t2\t2\tx\n")
    weighted = call(
        "fuse", good, ranks, "--how", "weighted", "--weights", "3", "--weights", "1", "--out", out
    )
    assert "every score equals the rank" in weighted.stderr
    assert "1 topics are not in all runs, such as A.2" in weighted.stderr
    assert call("fuse", good, "--out", out).exit_code == 2


def test_grades_beyond_those_of_arqmath_are_named(files: tuple[Path, Path, Path]) -> None:
    good, _, qrels = files
    qrels.write_text("A.1 0 a 4\nA.1 0 b 5\nA.2 0 a -1\n")
    result = call("eval", good, "--qrels", qrels, "--json")
    assert json.loads(result.stdout)["per_topic"]["A.1"]["ndcg_prime"] == pytest.approx(
        (4 + 5 / log2(3)) / (5 + 4 / log2(3)), abs=1e-6
    )
    assert "grades up to 5 are used as they are; 5 and 6 are marks of Task 3" in result.stderr


def test_runs_of_task_3_are_compared_with_the_first(tmp_path: Path) -> None:
    qrels, table = tmp_path / "qrels", tmp_path / "ids"
    grades = {"one": [0, 1, 0, 2], "two": [3, 2, 1, 2], "three": [0, 0, 1, 1]}
    rows = [(name, n, grade) for name, own in grades.items() for n, grade in enumerate(own)]
    qrels.write_text("".join(f"A.{n} 0 {name}{n} {grade}\n" for name, n, grade in rows))
    table.write_text("".join(f"{name}\tA.{n}\t{name}{n}\n" for name, n, _ in rows))
    found = json.loads(call("eval", table, "--qrels", qrels, "--task", "3", "--json").stdout)
    assert [tuple(test.values()) for test in found["comparisons"]] == [
        ("two", 3, 0, 1, 0.25, 0.5),
        ("three", 1, 2, 1, 1.0, 1.0),
    ]
    lines = call("eval", table, "--qrels", qrels, "--task", "3").stdout.splitlines()
    assert lines[0].split()[:4] == ["run", "judged", "AR", "P@1"]
    assert "nDCG" not in "".join(lines)
    assert lines[-2].split()[-4:] == ["3", "0", "0.2500", "0.5000"]
