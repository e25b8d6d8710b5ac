"""`mathwb arqmath eval` and `compare` as scripts call them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from workbench.cli import main; main()", "arqmath"]


def call(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=60)


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
    assert result.returncode == 0
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


def test_compare_tests_against_the_first(files: tuple[Path, Path, Path]) -> None:
    good, bad, qrels = files
    document = json.loads(call("compare", good, bad, "--qrels", qrels, "--json").stdout)
    (test,) = document["comparisons"]
    assert test["difference"] < 0
    assert test["losses"] == 2
    assert [system["run"] for system in document["systems"]] == [str(good), str(bad)]


def test_a_file_that_is_no_run_ends_with_one_line(files: tuple[Path, Path, Path]) -> None:
    _, _, qrels = files
    result = call("eval", qrels, "--qrels", qrels)
    assert result.returncode == 2
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
