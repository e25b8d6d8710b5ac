"""Solving and measuring: steps, alternatives, accuracies, probes."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Literal

import numpy as np
import pytest
import sympy

from tests.conftest import expect_error

pytest.importorskip("torch")

from engines.core.errors import DataError, EngineError
from engines.core.system import asset
from engines.core.tree import Tree
from engines.mwp.evaluations.answer_checks import score_answer
from engines.mwp.evaluations.comparisons import compare_mcnemar, wilson_interval
from engines.mwp.evaluations.evaluate import (
    ArrangeProblems,
    EvaluateSolver,
    arrange_problems,
    evaluate_solver,
)
from engines.mwp.evaluations.shortcut_probes import PROBES
from engines.mwp.problems.equivalence import are_equivalent
from engines.mwp.problems.problem import list_placeholders, read_equation
from engines.mwp.problems.readers import read_problems
from engines.mwp.solver.numpy_solver import open_array_solver
from engines.mwp.solver.quantization import pack_weights, unpack_weights
from engines.mwp.solver.reading import EquationWords, ScoredEquation
from engines.mwp.solver.settings import SolverSettings
from engines.mwp.solver.solve import Solve, list_steps, problem_of, solve
from engines.mwp.solver.solver import new_solver, open_solver, save_solver
from engines.mwp.solver.training import SolverTask
from engines.training import TrainConfig, train
from tests.arqmath.tiny_models import bert
from tests.mwp.solver_problems import written


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A solver of the seven kinds of `solver_problems`, and what it was trained on."""
    folder = tmp_path_factory.mktemp("solver")
    problems = written(folder, 70)
    settings = {
        "encoder": "transformer",
        "width": 32,
        "layers": 1,
        "dropout": 0.0,
        "rare": 1,
        "numbers": "placeholders",
    }
    task = SolverTask({**settings, "single_use": True, "non_negative": True}, {"problems": problems}, seed=0)
    train(task, TrainConfig(steps=70, batch_size=14, lr=1e-2, warmup=5, device="cpu"), folder / "run")
    return folder / "run" / "model", problems


def test_a_problem_is_solved_step_by_step(trained: tuple[Path, Path]) -> None:
    text = "Ann has 12 boxes with 5 pens in each and loses 7 . How many are left ?"
    found = solve(Solve(trained[0], text, beam=4))
    assert found["text"] == "Ann has N_0 boxes with N_1 pens in each and loses N_2 . How many are left ?"
    assert found["equation"] == "N_0*N_1-N_2"
    assert (found["filled"], found["answer"]) == ("12*5-7", 53.0)
    assert [step["text"] for step in found["steps"]] == ["12 × 5 = 60", "60 − 7 = 53"]
    assert [step["operation"] for step in found["steps"]] == ["N_0*N_1", "R_1-N_2"]
    odds = [found["probability"], *(row["probability"] for row in found["alternatives"])]
    assert odds == sorted(odds, reverse=True)
    assert sum(odds) <= 1 + 1e-9
    assert len(found["alternatives"]) == 3


def test_what_cannot_be_solved_says_why(trained: tuple[Path, Path]) -> None:
    with expect_error("E690") as caught:
        solve(Solve(trained[0], "Ann has three pens and buys four . How many has she ?"))
    assert "--number-words" in caught.value.remedy
    found = solve(Solve(trained[0], "Ann has three pens and buys four more .", number_words=True))
    assert found["numbers"] == ["three", "four"]


@pytest.mark.parametrize("kept", [0, 7, 2000])
def test_weights_cut_short_are_refused(trained: tuple[Path, Path], tmp_path: Path, kept: int) -> None:
    folder = Path(shutil.copytree(trained[0], tmp_path / "copy"))
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:kept])
    with expect_error("E680"):
        solve(Solve(folder, "Ann has 3 pens and 4 more ."))


@pytest.mark.parametrize(
    "change",
    [
        {"layers": 10**9},
        {"width": 4096},
        {"width": 10**9},
        {"embedding": 10**9},
        {"rank": 10**9},
        {"layers": None},
    ],
    ids=str,
)
def test_sizes_that_are_not_those_of_the_weights(
    trained: tuple[Path, Path], tmp_path: Path, change: dict[str, object]
) -> None:
    folder = Path(shutil.copytree(trained[0], tmp_path / "copy"))
    about = json.loads((folder / "solver.json").read_text())
    about["settings"] |= change
    (folder / "solver.json").write_text(json.dumps(about))
    with pytest.raises(EngineError) as caught:
        solve(Solve(folder, "Ann has 3 pens and 4 more ."))
    assert caught.value.code in ("E680", "E678")


def test_weights_that_are_no_numbers_solve_nothing(trained: tuple[Path, Path], tmp_path: Path) -> None:
    from safetensors.numpy import load_file, save_file

    folder = Path(shutil.copytree(trained[0], tmp_path / "copy"))
    weights = load_file(folder / "model.safetensors")
    name = max(weights, key=lambda name: weights[name].size)
    weights[name].flat[0] = float("nan")
    save_file(weights, folder / "model.safetensors")
    with pytest.raises(DataError) as caught:
        solve(Solve(folder, "Ann has 3 pens and 4 more ."))
    assert caught.value.code == "E346"


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        ("小明有9个苹果，吃了2个，还剩几个？", "Chinese, and the solver has learned English only"),
        ("It was -9 degrees and 2 more . How many ?", "the minus before 9"),
        ("Ann has 9 pens and 9999999999999 more . How many ?", "9999999999999 is larger"),
        ("Tom has 3 apples and buys 2e2 more . How many ?", "2e2 is read as 2: write the number out"),
        ("One girl has 9 pens and twenty-five more . How many ?", "twenty-five is read as a word"),
    ],
)
def test_what_is_not_understood_is_told(trained: tuple[Path, Path], text: str, remark: str) -> None:
    (told,) = solve(Solve(trained[0], text))["remarks"]
    assert remark in told


def test_what_a_solver_learned_and_what_it_is_are_told(trained: tuple[Path, Path], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(trained[0], tmp_path / "copy"))
    described = json.loads((folder / "solver.json").read_text())
    (folder / "solver.json").write_text(json.dumps({**described, "note": "only a demonstration"}))
    assert solve(Solve(folder, "Ann has 3 pens and 4 more ."))["remarks"] == ["only a demonstration"]
    own, other = written(tmp_path, 7), tmp_path / "other.jsonl"
    rows = [
        {"text": "He ate 3 of 5 . Left ?", "equation": "5-3"},
        {"text": "他有5个苹果，吃了3个，还剩几个？", "equation": "5-3"},
    ]
    other.write_text("".join(json.dumps(row) + "\n" for row in rows))
    said = [evaluate_solver(EvaluateSolver(folder, data))["remarks"] for data in (own, other)]
    assert any(
        "of the 7 problems have the same text as one the solver was trained on" in one for one in said[0]
    )
    assert said[1] == ["only a demonstration", "Chinese problems: 1; the solver has learned English only"]


@pytest.mark.parametrize("text", ["Ann has ９ pens and ２ more . How many ?", "Pages 2-9 , 9 - 2 or mid-9 ?"])
def test_what_is_understood_has_no_remark(trained: tuple[Path, Path], text: str) -> None:
    assert solve(Solve(trained[0], text))["remarks"] == []


def test_a_part_that_stands_twice_is_one_step() -> None:
    problem = problem_of("3 and 4")
    rows = list_steps(problem, read_equation("(N_0+N_1)*(N_0+N_1)", Tree))
    assert [row["text"] for row in rows] == ["3 + 4 = 7", "7 × 7 = 49"]


def test_measures_are_counted_over_all_usable_rows(trained: tuple[Path, Path], tmp_path: Path) -> None:
    model, problems = trained
    rows = [json.loads(line) for line in problems.read_text().splitlines()]
    bad = {
        "id": "bad",
        "text": "no equation 3",
        "numbers": ["3"],
        "equation": None,
        "original": "3",
        "source": "",
    }
    mixed = tmp_path / "mixed.jsonl"
    mixed.write_text("".join(json.dumps(row) + "\n" for row in [*rows, bad]) + "not json\n")
    found = evaluate_solver(EvaluateSolver(model, mixed, out=tmp_path / "answers.jsonl", against=(model,)))
    kept = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert found["problems"] == len(kept) == 70
    assert found["unusable"]["rows"] == 2
    assert {note["line"] for note in found["unusable"]["first"]} == {71, 72}
    assert found["answer_accuracy"] == sum(row["answer_right"] for row in kept) / 70 > 0.6
    assert found["equation_accuracy"] <= found["equivalent_accuracy"] <= found["answer_accuracy"]
    low, high = found["ci95"]["answer_accuracy"]
    assert low < found["answer_accuracy"] < high
    assert sum(row["problems"] for row in found["by_template"].values()) == 70
    assert {name: row["problems"] for name, row in found["by_ops"].items()} == {"1": 50, "2": 20}
    assert found["against"]["mcnemar_p"] == 1.0
    fold = evaluate_solver(EvaluateSolver(model, problems, fold=1))
    assert fold["problems"] == sum(row["fold"] == 1 for row in rows)
    with pytest.raises(EngineError) as caught:
        evaluate_solver(EvaluateSolver(model, problems, fold=8))
    assert caught.value.code == "E645"


def test_probes_say_what_a_solver_goes_by(trained: tuple[Path, Path]) -> None:
    found = evaluate_solver(EvaluateSolver(*trained, probes=True))["probes"]
    # Its problems are told apart by their first sentences.
    assert found["question_removed"]["problems"] == 70
    assert found["numbers_swapped"]["problems"] > 10
    assert found["numbers_swapped"]["answer_accuracy"] > 0.5


def test_probes_keep_equation_and_answer_together(tmp_path: Path) -> None:
    problem = read_problems(
        written_row(
            tmp_path,
            "Tom has 9 pens . Ann has 4 pens . How many more pens does Tom have ?",
            "9-4",
        )
    ).rows[0]
    draw = Random(0)
    removed = PROBES["question_removed"](problem, draw)
    assert removed is not None
    assert (removed.text, removed.answer) == ("Tom has N_0 pens . Ann has N_1 pens .", 5.0)
    assert PROBES["numbers_swapped"](problem, draw) is None, "4 - 9 is below zero"
    turned = PROBES["sentences_reordered"](problem, draw)
    assert turned is not None
    assert turned.text == "Ann has N_0 pens . Tom has N_1 pens . How many more pens does Tom have ?"
    assert (turned.template, turned.answer) == ("N_1-N_0", 5.0)


def written_row(folder: Path, text: str, equation: str) -> Path:
    path = folder / "row.jsonl"
    path.write_text(json.dumps({"text": text, "equation": equation}) + "\n")
    return path


def test_equal_functions_are_equivalent_as_sympy_says() -> None:
    names = sympy.symbols("N_0 N_1 N_2")
    texts = (
        "N_0*(N_1+N_2)",
        "N_0*N_1+N_0*N_2",
        "N_0*N_1+N_2",
        "N_0/(N_1/N_2)",
        "N_0*N_2/N_1",
        "N_0-(N_1-N_2)",
        "N_0-N_1+N_2",
        "N_0^C_2",
        "N_0*N_0",
        "(N_0-N_0)/(N_1-N_1)",
    )
    trees = [read_equation(text, Tree) for text in texts]
    values = [
        sympy.sympify(
            text.replace("C_2", "2").replace("^", "**"), dict(zip(map(str, names), names, strict=True))
        )
        for text in texts
    ]
    for a, left in zip(trees, values, strict=True):
        for b, right in zip(trees, values, strict=True):
            known = left.is_finite is not False and sympy.simplify(left - right) == 0
            assert are_equivalent(a, b) == known, (a, b)


def test_an_equation_may_be_right_in_answer_alone(tmp_path: Path) -> None:
    problem = read_problems(written_row(tmp_path, "Tom has 2 bags of 2 pens . How many ?", "2*2")).rows[0]
    found = [ScoredEquation(read_equation("N_0+N_1", Tree), -0.1)]
    score = score_answer(problem, found)
    assert (score.answer, score.equation, score.equivalent) == (True, False, False)
    assert not score_answer(problem, "it cannot be read").answer
    assert not score_answer(problem, []).answer


def test_the_files_answer_counts_and_not_what_its_equation_gives(
    trained: tuple[Path, Path], tmp_path: Path
) -> None:
    rows = [json.loads(line) for line in trained[1].read_text().splitlines()]
    solved = evaluate_solver(EvaluateSolver(trained[0], trained[1], out=tmp_path / "all.jsonl"))
    assert solved["answer_accuracy"] == solved["answer_by_equation_accuracy"]
    assert solved["disagreements"] == []
    judged = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    right = next(index for index, row in enumerate(judged) if row["answer_right"])
    # The file now says of one that was right that its answer is another, as a remainder's is.
    stated = judged[right]["gold_value"] + 1
    rows[right] |= {"answer": stated, "answer_text": f"{stated:g} (pens)"}
    changed = tmp_path / "changed.jsonl"
    changed.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = evaluate_solver(EvaluateSolver(trained[0], changed, out=tmp_path / "again.jsonl"))
    assert found["answer_by_equation_accuracy"] == solved["answer_accuracy"]
    assert found["answer_accuracy"] == pytest.approx(solved["answer_accuracy"] - 1 / len(rows))
    assert [(note["line"], note["id"]) for note in found["disagreements"]] == [(right + 1, rows[right]["id"])]
    judged = [json.loads(line) for line in (tmp_path / "again.jsonl").read_text().splitlines()]
    assert (judged[right]["answer_right"], judged[right]["value_right"]) == (False, True)
    assert judged[right]["gold_answer"] == stated


def test_equal_numbers_of_a_text_may_stand_for_each_other(tmp_path: Path) -> None:
    text = "A shop has 12 cats and 20 dogs . It sells 20 cats . How many are left ?"
    problem = read_problems(written_row(tmp_path, text, "12+20-20")).rows[0]
    scores = {
        given: score_answer(problem, [ScoredEquation(read_equation(given, Tree), -0.1)])
        for given in ("N_0+N_1-N_2", "N_0+N_2-N_1", "N_0+N_1-N_1", "N_0")
    }
    assert all(score.answer for score in scores.values())
    assert [score.equation for score in scores.values()] == [True, False, False, False]
    # The last two use fewer numbers than the equation can.
    assert [score.equivalent for score in scores.values()] == [True, True, False, False]


def test_the_interval_is_wilsons_and_the_test_mcnemars() -> None:
    # Worked by hand: 8 of 10.
    z = 1.959963984540054
    centre = (0.8 + z * z / 20) / (1 + z * z / 10)
    half = z * math.sqrt(0.8 * 0.2 / 10 + z * z / 400) / (1 + z * z / 10)
    assert wilson_interval([True] * 8 + [False] * 2) == pytest.approx((centre - half, centre + half))
    ours, theirs = [True] * 5 + [False] + [True] * 4, [False] * 5 + [True] + [True] * 4
    assert compare_mcnemar(ours, theirs)["mcnemar_p"] == pytest.approx(
        float(2 * sum(map(Fraction, (1, 6))) / 64)
    )


def test_problems_are_laid_out_by_the_solvers_vectors(trained: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "map.svg"
    found = arrange_problems(ArrangeProblems(*trained, templates=3, file=out))
    assert len(found["points"]) == len(found["ids"]) == 30
    assert len(set(found["templates"])) == 3
    assert out.read_text().count("<circle") + out.read_text().count("<rect") > 20
    with expect_error("E645"):
        arrange_problems(ArrangeProblems(*trained, before=True))


def test_problems_to_lay_out_are_chosen_by_equation_and_word(trained: tuple[Path, Path]) -> None:
    rows = {row.id: row for row in read_problems(trained[1]).usable}
    template = next(row.template for row in rows.values() if "-" in row.template)
    found = arrange_problems(ArrangeProblems(*trained, equations=(template,), method="pca"))
    assert set(found["templates"]) == {template}
    assert found["ids"] == [id_ for id_, row in rows.items() if row.template == template]
    word = rows[found["ids"][0]].original.split()[0]
    some = arrange_problems(ArrangeProblems(*trained, words=(word.upper(),), templates=40, method="pca"))
    assert some["ids"] == [id_ for id_, row in rows.items() if word.lower() in row.original.lower()]
    with expect_error("E645"):
        arrange_problems(ArrangeProblems(*trained, equations=("N_0^N_1",)))
    with expect_error("E430"):
        arrange_problems(ArrangeProblems(*trained, equations=("N_0+",)))


@pytest.mark.slow
def test_the_solver_that_ships_is_small_and_solves() -> None:
    folder = asset("models/mwp-en")
    assert sum(file.stat().st_size for file in folder.iterdir()) < 12 * 2**20
    found = solve(Solve(folder, "Tom has 12 red pens and 30 blue pens. How many pens does he have in all?"))
    assert found["answer"] == 42
    report = evaluate_solver(EvaluateSolver(folder, asset("sample/problems/sample-en/problems.jsonl")))
    assert report["answer_accuracy"] > 0.3


def test_problems_known_from_training_are_counted_apart(trained: tuple[Path, Path], tmp_path: Path) -> None:
    model, learned = trained
    rows = [
        {"id": "same", "text": "Ann has 8 pens and loses 5 . How many pens are left ?", "equation": "8-5"},
        {
            "id": "near",
            "text": "Ann has 8 pens and loses 5 . How many pens are left now ?",
            "equation": "8-5",
        },
        {"id": "new", "text": "A river of 80 km has 16 locks . How far apart ?", "equation": "80/16"},
    ]
    test = tmp_path / "test.jsonl"
    test.write_text("".join(json.dumps(row) + "\n" for row in rows))
    blind = evaluate_solver(EvaluateSolver(model, test, out=tmp_path / "answers.jsonl"))["contamination"]
    assert (blind["identical"], blind["resembling"]) == (1, None)
    assert blind["training_texts"] > 0
    found = evaluate_solver(EvaluateSolver(model, test, train=learned))["contamination"]
    assert (found["identical"], found["resembling"]) == (1, 1)
    right = {
        row["id"]: row["answer_right"]
        for row in map(json.loads, (tmp_path / "answers.jsonl").read_text().splitlines())
    }
    assert found["like_training"]["problems"] == 2
    assert found["like_training"]["answer_accuracy"] == (right["same"] + right["near"]) / 2
    assert found["unlike_training"]["answer_accuracy"] == float(right["new"])


@pytest.mark.slow
def test_one_problem_is_solved_without_torch_as_with_it() -> None:
    folder = asset("models/mwp-en")
    rows = read_problems(asset("sample/problems/sample-en/problems.jsonl")).usable[::6]
    light = open_array_solver(folder)
    assert light is not None
    for one, other in zip(
        light.solve(rows, beam=5), open_solver(folder, device="cpu").solve(rows, beam=5), strict=True
    ):
        assert not isinstance(one, str)
        assert not isinstance(other, str)
        assert one[0].equation == other[0].equation
        scores = [{found.equation: found.score for found in side} for side in (one, other)]
        # Behind the first, nearly equal ones may change places or be cut off.
        for equation in scores[0].keys() & scores[1].keys():
            assert scores[0][equation] == pytest.approx(scores[1][equation], abs=1e-3)
        assert len(scores[0].keys() & scores[1].keys()) >= len(one) - 1


def test_packed_weights_are_near_their_own_and_only_matrices_are_packed() -> None:
    random = np.random.default_rng(3)
    weights = {
        "layer.weight": random.normal(size=(8, 64)).astype(np.float32),
        "layer.bias": random.normal(size=64).astype(np.float32),
        "odd.weight": random.normal(size=(4, 33)).astype(np.float32),
        "empty.weight": np.zeros((2, 32), np.float32),
        "table.weight": random.normal(size=(8, 64)).astype(np.float32),
        "scales.scale": random.normal(size=3).astype(np.float32),
    }
    stored = pack_weights(weights, ["table.weight"])
    assert stored["table.weight.q4"].nbytes + stored["table.weight.scale"].nbytes == 8 * 64 // 32 * 18
    assert stored["layer.weight.q8"].nbytes + stored["layer.weight.scale"].nbytes == 8 * 64 + 8 * 2
    back = unpack_weights(stored)
    assert back.keys() == weights.keys()
    for name in ("layer.bias", "scales.scale"):
        assert np.array_equal(back[name], weights[name].astype(np.float16).astype(np.float32))
    assert not back["empty.weight"].any()
    # In eight bits a weight is at most half a step from its own, and the scale one part in 2,048 too small.
    for name in ("layer.weight", "odd.weight"):
        largest = np.abs(weights[name]).max(1, keepdims=True)
        assert (np.abs(back[name] - weights[name]) <= largest * (0.5 / 127 + 1 / 2048)).all()
    # In four bits each weight is at most half a step from its own; a step is at most 1.05 eighths of the
    # block's largest.
    blocks, near = (one["table.weight"].reshape(8, 2, 32) for one in (weights, back))
    step = np.abs(blocks).max(-1, keepdims=True) / 8
    assert (np.abs(blocks - near) <= 2.1 * step).all()
    assert np.sqrt(((blocks - near) ** 2).mean()) < 0.4 * step.mean()
    again = unpack_weights(pack_weights(back, ["table.weight"]))
    assert np.array_equal(again["table.weight"], back["table.weight"])
    for name in ("layer.weight.q8", "table.weight.q4"):
        with pytest.raises(ValueError, match="scales"):
            unpack_weights({name: stored[name]})


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_a_solver_on_a_bert_of_its_own_is_read_without_torch(
    precision: Literal["fp32", "int8"], tmp_path: Path
) -> None:
    import torch

    torch.manual_seed(4)
    settings = SolverSettings(precision=precision, max_length=64, complete="first")
    words = EquationWords(("*", "+", "-", "/"), ("C_1",))
    solver = new_solver(settings, words, folder=bert(tmp_path / "bert", head=False))
    save_solver(solver, tmp_path / "solver")
    light, full = open_array_solver(tmp_path / "solver"), open_solver(tmp_path / "solver", device="cpu")
    assert light is not None
    rows = read_problems(written(tmp_path, 14)).usable
    for problem, one, other in zip(rows, light.solve(rows), full.solve(rows), strict=True):
        assert not isinstance(one, str), one
        assert not isinstance(other, str), other
        assert [best.score for best in one] == pytest.approx([best.score for best in other], abs=1e-3)
        # Equations without one of the numbers are behind the others, and each part is in order.
        lacks = [len(set(list_placeholders(best.equation))) < len(problem.numbers) for best in one]
        assert lacks == sorted(lacks)
        for part in (False, True):
            scores = [best.score for best, lacking in zip(one, lacks, strict=True) if lacking is part]
            assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("text", [None, "{", '{"version": "1.0"}'])
def test_a_solver_without_its_tokenizer_is_named(text: str | None, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(asset("models/mwp-zh"), tmp_path / "copy"))
    file = folder / "encoder" / "tokenizer.json"
    file.unlink() if text is None else file.write_text(text)
    with pytest.raises(DataError, match=r"E680|the solver's encoder cannot be opened") as failed:
        solve(Solve(folder, "小明有12个苹果，送给小红5个，还剩多少个？"))
    assert failed.value.path == folder / "encoder"


def test_the_chinese_solver_solves_a_problem_in_every_number() -> None:
    found = solve(Solve(asset("models/mwp-zh"), "学校买了4箱粉笔，每箱25盒，用去36盒，还剩多少盒？"))
    assert (found["equation"], found["answer"]) == ("N_0*N_1-N_2", 64.0)


def test_torch_is_not_imported_for_one_problem() -> None:
    code = (
        "import sys; from pathlib import Path; from engines.mwp.solver.solve import Solve, solve; "
        "from engines.core.system import asset; "
        "found = solve(Solve(asset('models/mwp-en'), 'Ann has 3 pens and buys 4 more pens. How many?')); "
        "print(found['answer'], 'torch' in sys.modules, 'transformers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["7.0", "False", "False"]


def test_the_command_solves_with_one_thread_of_numpys() -> None:
    code = (
        "import os, sys; from workbench.cli import main\n"
        "sys.argv = ['mathwb', 'mwp', 'solve', 'mwp-en', 'Ann has 3 pens and buys 4 more. How many?']\n"
        "try: main()\n"
        "except SystemExit: print(os.environ['OPENBLAS_NUM_THREADS'])"
    )
    clean = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=clean)
    assert done.stdout.splitlines()[-1] == "1"


def test_a_folder_that_is_torn_or_of_another_kind_is_left_to_torch(
    trained: tuple[Path, Path], tmp_path: Path
) -> None:
    assert open_array_solver(trained[0]) is None
    assert open_array_solver(tmp_path) is None
    folder = Path(shutil.copytree(asset("models/mwp-en"), tmp_path / "copy"))
    weights = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    assert open_array_solver(folder) is None
    with expect_error("E680"):
        solve(Solve(folder, "Ann has 3 pens and buys 4 more pens. How many?"))
