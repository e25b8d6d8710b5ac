"""A bench for any solver: files of answers, and language models at a server of the test."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engines.chat.cached_client import Chat
from engines.core.errors import EngineError
from engines.core.system import asset
from engines.mwp.evaluations.attempts import SolverAttempt, score_attempt
from engines.mwp.evaluations.comparisons import (
    ComparedSolver,
    compare_mcnemar,
    compare_solvers,
    wilson_interval,
)
from engines.mwp.evaluations.evaluate import EvaluateSolver, evaluate_solver
from engines.mwp.evaluations.language_model import AskedProblem, ModelReply, measure_samples
from engines.mwp.problems.problem import EquationError
from engines.mwp.problems.programs import read_program
from engines.mwp.problems.readers import read_problems
from engines.mwp.solver.solve import Solve, solve
from tests.chat.model_server import Model, served
from tests.conftest import expect_error, mathwb

ROWS = [
    ("a", "Ann has 12 boxes with 5 pens in each and loses 7. How many pens are left?", "12*5-7", "53"),
    ("b", "A rope of 3 km is cut into 4 parts. How long is each?", "3/4", "0.75 km"),
    ("c", "Tom reads 8 pages a day for 6 days. How many pages does he read?", "8*6", "48"),
    ("d", "Which of these is 3 plus 4? (A) 12 (B) 7", "", "B"),
    ("e", "小明有12支铅笔，用了5支，还剩多少支？", "", "7支"),
]


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    path = tmp_path / "problems.jsonl"
    keys = ("id", "question", "equation", "answer")
    path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in ROWS))
    return path


@pytest.fixture
def model() -> Iterator[Model]:
    with served() as made:
        yield made


def answers(path: Path, **given: str) -> Path:
    path.write_text("".join(json.dumps({"id": id_, "answer": text}) + "\n" for id_, text in given.items()))
    return path


def score_file(problems: Path, answers: Path, **more: Any) -> dict[str, Any]:
    return evaluate_solver(EvaluateSolver(data=problems, answers=answers, **more))


def test_answers_are_compared_as_grade_compares_them(problems: Path, tmp_path: Path) -> None:
    right = answers(
        tmp_path / "right.jsonl",
        a="12 * 5 = 60, and 60 - 7 = 53. So the answer is 53 pens.",
        b="750 m",
        c="48.0004",
        d="The answer is (B) 7",
        e="答：还剩7支铅笔。",
    )
    out = tmp_path / "out.jsonl"
    found = score_file(problems, right, out=out)
    assert (found["problems"], found["with_equation"], found["answer_accuracy"]) == (5, 3, 1.0)
    assert "equation_accuracy" not in found
    assert found["mistakes"]["wrong"] == 0
    assert [json.loads(line)["answer_right"] for line in out.read_text().splitlines()] == [True] * 5
    wrong = answers(tmp_path / "wrong.jsonl", a="67", b="0.75 m", c="14", d="A", e="17支", f="1")
    found = score_file(problems, wrong)
    assert found["answer_accuracy"] == 0.0
    kinds = {kind: row["ids"] for kind, row in found["mistakes"]["kinds"].items()}
    assert kinds == {"operation": ["a", "c"], "unit": ["b"], "value": ["d", "e"]}
    assert found["remarks"] == ["1 answers belong to no problem that is measured"]


@pytest.mark.parametrize(
    "text",
    [
        "id\tprediction\na\t53\nc\t48\n",
        "ID;Output\na;53\nc;48\n",
        'problem_id,text\na,"First 60, so\nANSWER: 53"\nc,48\n',
        '{"doc_id": "a", "response": 53}\n\n{"doc_id": "c", "completion": ["48"]}\n',
        '{"id": "a", "equation": "N_0*N_1-N_2"}\n{"id": "c", "equation": "N_1*N_0"}\n',
    ],
)
def test_a_file_of_answers_may_be_json_lines_or_a_table(problems: Path, tmp_path: Path, text: str) -> None:
    (tmp_path / "given").write_text(text)
    found = score_file(problems, tmp_path / "given")
    assert found["right"]["answers"] == 2
    assert found["unread"] == {"there is no answer in the file": 3}


def test_answers_without_ids_stand_in_the_order_of_the_problems(problems: Path, tmp_path: Path) -> None:
    (tmp_path / "given.csv").write_text("answer\n53\n1\n48\nB\n7\n")
    assert score_file(problems, tmp_path / "given.csv")["answer_accuracy"] == 0.8
    (tmp_path / "given.csv").write_text("answer\n53\n1\n")
    with expect_error("E645"):
        score_file(problems, tmp_path / "given.csv")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "E314"),
        ("id,name\n1,2\n", "E317"),
        ('{"id": "a"}\n', "E317"),
        ('{"id": "a", "answer": ', "E317"),
        ("id,answer\na,53\n,48\n", "E317"),
        ("id,answer\nx,53\n", "E645"),
    ],
)
def test_a_file_that_holds_no_answers_is_refused(
    problems: Path, tmp_path: Path, text: str, code: str
) -> None:
    (tmp_path / "given").write_text(text)
    with expect_error(code):
        score_file(problems, tmp_path / "given")


@pytest.mark.slow
def test_what_a_solver_writes_is_scored_as_the_solver_is(tmp_path: Path) -> None:
    data, out = asset("sample/problems/sample-en/problems.jsonl"), tmp_path / "out.jsonl"
    solver = evaluate_solver(EvaluateSolver(asset("models/mwp-en"), data, out=out))
    file = score_file(data, out)
    for key in ("answer_accuracy", "equation_accuracy", "equivalent_accuracy", "by_template", "mistakes"):
        assert file[key] == solver[key]


def test_equations_differ_in_kind(problems: Path, tmp_path: Path) -> None:
    given = tmp_path / "given.jsonl"
    by_kind = {
        "missed number": "N_0*N_1",
        "operation": "N_0*N_1/N_2",
        "order": "N_0-N_1*N_2",
        "number of steps": "N_0*N_1-N_2+N_0-N_1",
        "other number": "N_0*N_1-N_2-C_2",
    }
    for kind, equation in by_kind.items():
        given.write_text(json.dumps({"id": "a", "equation": equation}))
        assert list(score_file(problems, given)["mistakes"]["kinds"])[-1] == kind


# ---- comparisons


def test_a_comparison_lists_what_flipped(problems: Path) -> None:
    rows = read_problems(problems).rows
    texts = {"a": "53", "b": "0.75 km", "c": "14", "d": "A", "e": "7"}
    ours = [score_attempt(row, SolverAttempt(texts[row.id])) for row in rows]
    others = [
        ComparedSolver("other", "solver", [score_attempt(row, SolverAttempt("48")) for row in rows]),
        ComparedSolver("same", "solver", ours),
    ]
    first, second = compare_solvers(rows, ours, others)
    flips = [(flip["id"], flip["right"], flip["answer"], flip["other_answer"]) for flip in first["flips"]]
    assert flips == [
        ("a", "here", "53", "48"),
        ("b", "here", "0.75 km", "48"),
        ("c", "there", "14", "48"),
        ("e", "here", "7", "48"),
    ]
    assert (first["right_here_alone"], first["right_there_alone"]) == (3, 1)
    # Two tests: the smaller p-value counts twice.
    assert first["mcnemar_p"] == pytest.approx(2 * (1 + 4) / 2**4)
    assert first["holm_p"] == 1.0
    assert (second["mcnemar_p"], second["flips"]) == (1.0, [])


def test_baselines_learn_from_the_same_rows(tmp_path: Path) -> None:
    data = asset("sample/problems/sample-en/problems.jsonl")
    found = score_file(data, answers(tmp_path / "none.jsonl", **{"en-001": "0"}), train=data)
    figures = {row["model"]: row["answer_accuracy"] for row in found["comparisons"]}
    assert list(figures) == ["most frequent equation", "nearest problem", "TF-IDF and logistic regression"]
    # On what they learned by heart the nearest problem is the problem itself.
    assert figures["nearest problem"] > 0.95
    assert figures["most frequent equation"] < figures["TF-IDF and logistic regression"]
    assert found["mistakes"]["unseen_template"] == 0


# ---- programs


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a = 1/3\nanswer = a*3", Fraction(1)),
        (
            "So:\n```python\n# boxes\nboxes = 12 * 5  # in all\nanswer = boxes - 7\nprint(answer)\n```",
            53,
        ),
        ("```\nx = 1\n```\nNo, rather:\n```\nx = 2\nanswer = x ^ 3\n```", 8),
        ("price = 20% × 1,500\nanswer = price ÷ 4\nrest = 7", 75),
        ("总数 = 12*5\n答案 = 总数-7", 53),
        ("a = 0.1 + 0.2", Fraction(3, 10)),
    ],
)
def test_a_program_is_evaluated_exactly(text: str, value: Any) -> None:
    assert read_program(text).value == value


@pytest.mark.parametrize(
    "text",
    [
        "53",
        "answer = boxes - 7",
        "answer = 1/0",
        "answer = __import__('os').system('true')",
        "answer = (1",
        "answer = 10^10^10",
        "a = a + 1",
        "\n".join(f"a{number} = 1" for number in range(200)),
        f"answer = {'(' * 5000}1{')' * 5000}",
    ],
)
def test_a_program_that_has_no_value_says_why(text: str) -> None:
    with pytest.raises(EquationError) as caught:
        read_program(text)
    assert len(caught.value.what) < 400


def test_a_program_that_would_grow_without_bound_is_no_equation() -> None:
    lines = ["a0 = 2", *(f"a{number} = a{number - 1} - a{number - 1}" for number in range(1, 40))]
    program = read_program("\n".join(lines))
    assert program.value == 0
    assert program.join_steps() is None


# ---- language models


def solve_line(prompt: str) -> str:
    """A model that knows the first three problems."""
    known = {"12 boxes": "53 pens", "rope": "750 m", "8 pages": "48"}
    return next(
        (f"I think.\nANSWER: {text}" for key, text in known.items() if key in prompt), "I do not know"
    )


def ask(model: Model, problems: Path, cache: Path | None = None, **more: Any) -> dict[str, Any]:
    spec = EvaluateSolver(data=problems, llm=model.url, llm_model="m", **more)
    return evaluate_solver(spec, cache=cache)


def test_a_language_model_is_asked_once_and_measured(model: Model, problems: Path, tmp_path: Path) -> None:
    model.reply = solve_line
    found = ask(model, problems, tmp_path, price_in=2.0, price_out=10.0)
    assert (found["model"], found["right"]["answers"]) == ("m", 3)
    assert found["setting"]["asked_now"] == len(model.requests) == 5
    assert found["setting"]["cost"] == pytest.approx(5 * (100 * 2 + 10 * 10) / 1e6)
    again = ask(model, problems, tmp_path)
    assert (len(model.requests), again["setting"]["asked_now"]) == (5, 0)
    # Another mode is another question.
    ask(model, problems, tmp_path, mode="direct")
    assert len(model.requests) == 10


def test_programs_of_a_language_model_are_equations(model: Model, problems: Path) -> None:
    programs = {
        "12 boxes": "```\nboxes = 5 * 12\nanswer = boxes - 7\n```",
        "rope": "answer = 3 / 4",
        "8 pages": "import os",
        "plus": "answer = 3 + 4",
        "小明": "用了 = 5\nanswer = 12 - 用了",
    }
    model.reply = lambda prompt: next(text for key, text in programs.items() if key in prompt.split("\n")[0])
    found = ask(model, problems, mode="program")
    assert found["unread"] == {
        "no program: there is no line `name = expression`, such as `boxes = 12 * 5`": 1
    }
    assert (found["setting"]["unreadable"], found["right"]["answers"]) == (1, 3)
    assert found["equivalent_accuracy"] == pytest.approx(2 / 3)


def whole_reply(text: str, **more: Any) -> tuple[int, dict[str, str], bytes]:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop", **more}
    return 200, {}, json.dumps({"choices": [choice]}).encode()


def test_refusals_cut_replies_and_limits_are_told_apart(
    model: Model, problems: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    monkeypatch.setattr("engines.chat.cached_client.time.sleep", waited.append)
    limits = {"rope": 2}

    def reply(prompt: str) -> Any:
        if "12 boxes" in prompt:
            return {"role": "assistant", "content": None, "refusal": "No."}
        if "8 pages" in prompt:
            return whole_reply("8 times 6 is 48", finish_reason="length")
        if "plus" in prompt:
            return whole_reply("")
        if "rope" in prompt and limits["rope"]:
            limits["rope"] -= 1
            return 429, {"Retry-After": "0.2"}, b'{"error": {"message": "rate limit"}}'
        return "ANSWER: 0.75 km" if "rope" in prompt else "ANSWER: 7"

    model.reply = reply
    found = ask(model, problems)
    assert found["unread"] == {
        "the model refused": 1,
        "the reply was cut off before its end": 1,
        "the reply is empty": 1,
    }
    assert (found["setting"]["refused"], found["setting"]["cut"]) == (1, 1)
    assert found["right"]["answers"] == 2
    assert len(model.requests) == 5 + 2
    assert waited


def test_a_run_that_is_broken_off_asks_nothing_twice(model: Model, problems: Path, tmp_path: Path) -> None:
    model.reply = lambda prompt: (
        (400, {}, b'{"error": {"message": "quota"}}') if "小明" in prompt else solve_line(prompt)
    )
    with expect_error("E691"):
        ask(model, problems, tmp_path)
    kept = len(list((tmp_path / "answers").iterdir()))
    model.requests.clear()
    model.reply = solve_line
    assert ask(model, problems, tmp_path)["setting"]["asked_now"] == len(model.requests) == 5 - kept


def test_the_commonest_of_several_answers_counts(model: Model, problems: Path) -> None:
    counts: dict[str, int] = {}

    def reply(prompt: str) -> str:
        key = prompt.split("\n")[0]
        counts[key] = counts.get(key, 0) + 1
        if "12 boxes" in prompt:
            return "ANSWER: 53" if counts[key] % 2 else f"ANSWER: {counts[key]}"
        return "ANSWER: 0.75 km" if counts[key] == 1 else "ANSWER: 1 km"

    model.reply = reply
    found = ask(model, problems, samples=4)
    assert {request["temperature"] for request in model.requests} == {0.7}
    assert len(model.requests) == 20
    assert found["right"]["answers"] == 1
    assert list(found["samples"]["maj"]) == list(found["samples"]["pass"]) == ["1", "2", "4"]
    assert found["samples"]["maj"]["4"]["accuracy"] == 0.2
    assert found["samples"]["pass"]["4"]["accuracy"] == 0.4


def test_pass_at_k_is_the_share_of_draws_with_a_right_answer(problems: Path) -> None:
    row = read_problems(problems).rows[0]
    texts = ["53", "1", "53", "2", "3"]
    asked = AskedProblem(row, tuple(ModelReply(text, SolverAttempt(text)) for text in texts))
    found = measure_samples([asked])["pass"]
    for k in (1, 2, 4, 5):
        draws = [draw for draw in product(range(5), repeat=k) if len({*draw}) == k]
        share = sum(any(texts[place] == "53" for place in draw) for draw in draws) / len(draws)
        assert found[str(k)]["accuracy"] == pytest.approx(share)


def test_a_prompt_of_ones_own_has_a_place_for_the_problem(
    model: Model, problems: Path, tmp_path: Path
) -> None:
    model.reply = solve_line
    prompt = tmp_path / "prompt.txt"
    prompt.write_text("Q: 1 and 1?\nA: ANSWER: 2\nQ: {problem}\nA:")
    ask(model, problems, prompt=prompt)
    asked = [request["messages"][0]["content"] for request in model.requests]
    assert all(re.fullmatch(r"Q: 1 and 1\?\nA: ANSWER: 2\nQ: .+\nA:", text) for text in asked)
    prompt.write_text("Q: ?")
    with expect_error("E317"):
        ask(model, problems, prompt=prompt)


def test_a_language_model_solves_one_problem(model: Model) -> None:
    model.reply = lambda _: "boxes = 5*12\nanswer = boxes - 7"
    text = "Ann has 12 boxes with 5 pens in each and loses 7. How many are left?"
    found = solve(Solve(text=text, llm=model.url, llm_model="m", mode="program"))
    assert (found["equation"], found["answer"]) == ("N_1*N_0-N_2", 53.0)
    assert [step["text"] for step in found["steps"]] == ["5 × 12 = 60", "60 − 7 = 53"]
    said = iter(["ANSWER: 4 km", "ANSWER: 4000 m", "ANSWER: 5 km"])
    model.reply = lambda _: next(said)
    found = solve(Solve(text="How far is it?", llm=model.url, llm_model="m", samples=3))
    assert (found["answer_text"], found["equation"]) in (("4 km", None), ("4000 m", None))
    assert found["probability"] == pytest.approx(2 / 3)
    model.reply = lambda _: {"role": "assistant", "content": None, "refusal": "No."}
    with expect_error("E690"):
        solve(Solve(text="How far is it?", llm=model.url, llm_model="m"))


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"data": Path("d"), "model": Path("m"), "answers": Path("a")},
        {"data": Path("d"), "model": Path("m"), "llm": "http://localhost/v1", "llm_model": "m"},
        {"data": Path("d"), "llm": "http://localhost/v1"},
        {"data": Path("d"), "llm_model": "m", "model": Path("m")},
        {"data": Path("d"), "answers": Path("a"), "samples": 3},
        {"data": Path("d"), "answers": Path("a"), "probes": True},
        {"data": Path("d"), "llm": "http://localhost/v1", "llm_model": "m", "samples": 2, "temperature": 0.0},
        {"data": Path("d"), "llm": "http://localhost/v1", "llm_model": "m", "budget": 1.0},
        {"answers": Path("a")},
    ],
    ids=str,
)
def test_options_that_do_not_go_together_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as caught:
        EvaluateSolver(**given)
    assert caught.value.code in ("E427", "E402")


def test_intervals_and_tests_agree_with_another_library() -> None:
    from scipy.stats import binomtest

    for right in ([True], [False], [True] * 8 + [False] * 2, [False] * 40 + [True]):
        interval = binomtest(sum(right), len(right)).proportion_ci(method="wilson")
        assert wilson_interval(right) == pytest.approx((interval.low, interval.high), abs=1e-12)
    ours, theirs = [True] * 9 + [False] * 4, [False] * 7 + [True] * 6
    assert compare_mcnemar(ours, theirs)["mcnemar_p"] == pytest.approx(binomtest(7, 11).pvalue)


def test_nothing_is_sent_without_an_address(problems: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(Chat, "draw_answers", lambda *_: pytest.fail("a model was asked"))
    score_file(problems, answers(tmp_path / "a.jsonl", a="53"))


def test_a_command_without_a_solver_begins_with_the_problems(
    model: Model, problems: Path, tmp_path: Path
) -> None:
    given = answers(tmp_path / "given.jsonl", a="53", b="1")
    done = mathwb("mwp", "eval", "--answers", str(given), str(problems))
    assert re.search(r"answer accuracy +20\.0", done.stdout)
    asked = ("--llm", model.url, "--model", "m")
    model.reply = lambda _: "ANSWER: 7 pens"
    done = mathwb("mwp", "solve", *asked, "Ann", "has", "3 pens and buys 4.")
    assert "answer 7 pens   (100%)" in done.stdout
    assert model.requests[0]["messages"][0]["content"].startswith("Ann has 3 pens and buys 4.\n")
    both = mathwb("mwp", "eval", "mwp-en", str(problems), "--answers", str(given))
    assert (both.returncode, "E427" in both.stderr) == (2, True)
