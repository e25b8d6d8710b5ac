"""A language model at an address: asked through a server of the test, never beyond this machine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.chat.cached_client import Chat
from engines.chat.http_client import KEY
from engines.core.errors import EngineError
from engines.core.expression_language import read_prefix
from engines.egen.evaluations import language_model as asked
from engines.egen.evaluations.analogies import Analogy
from engines.egen.evaluations.evaluate import Evaluate, evaluate
from engines.egen.evaluations.mistakes import MarkedDerivation
from engines.egen.evaluations.semantic import SemanticItem, write_items
from tests.chat.model_server import Model, served
from tests.conftest import expect_error

ITEMS = [
    SemanticItem("+ x x", "* 2 x", ("+ x 1", "* 3 x", "- x x")),
    SemanticItem("pow x 2", "* x x", ("pow x 3", "+ x x", "* x 2")),
    SemanticItem("- x x", "* 0 x", ("+ x 1", "* 3 x", "/ x x")),
]
DERIVATIONS = [
    MarkedDerivation(tuple(map(read_prefix, ("+ + x x x", "+ * 2 x x", "* 4 x", "* x 4"))), 1),
    MarkedDerivation(tuple(map(read_prefix, ("+ x x", "* 2 x", "* x 2"))), None),
]
ANALOGIES = [
    Analogy("sin x", "csc x", "+ x 1", "/ 1 + x 1"),
    Analogy("x", "+ x 1", "sin x", "+ sin x 1"),
]


@pytest.fixture
def model() -> Iterator[Model]:
    with served() as made:
        yield made


def lettered(prompt: str) -> dict[str, str]:
    return {text.strip(): letter for letter, text in re.findall(r"^([A-Z])\. (.*)$", prompt, re.MULTILINE)}


RIGHT = {"x + x": "2*x", "x^2": "x*x", "x - x": "0*x"}


def knows(prompt: str) -> str:
    query = re.search(r"equals (.*) wherever both", prompt)
    assert query is not None
    return f"I compare them.\n**ANSWER:** ({lettered(prompt)[RIGHT[query[1]]]})."


def test_a_model_that_knows_chooses_right_and_one_that_guesses_does_not(model: Model) -> None:
    model.reply = knows
    report = asked.semantic(Chat(model.url, "m"), ITEMS)
    assert [figure.value for figure in report.figures] == [100.0]
    model.reply = lambda prompt: (
        "ANSWER: " + next(letter for text, letter in lettered(prompt).items() if text not in RIGHT.values())
    )
    report = asked.semantic(Chat(model.url, "m"), ITEMS)
    assert report.figures[0].value == 0.0
    assert report.wrong == len(report.mistakes) == 3


def test_transitions_that_are_called_wrong_are_scored_as_embeddings_are(model: Model) -> None:
    model.reply = lambda prompt: "ANSWER: 2" if "4*x" in prompt else "answer: none"
    figures = {each.name: each.value for each in asked.mistakes(Chat(model.url, "m"), DERIVATIONS).figures}
    assert figures["mistake_f1"] == figures["none_f1"] == 100.0
    # Lines 1 and 2 of five transitions: one hit, one false alarm, and nothing missed.
    model.reply = lambda prompt: "ANSWER: lines 1 and 2" if "4*x" in prompt else "ANSWER: none"
    report = asked.mistakes(Chat(model.url, "m"), DERIVATIONS)
    figures = {each.name: each.value for each in report.figures}
    assert figures["mistake_precision"] == 50.0
    assert figures["mistake_recall"] == 100.0
    assert figures["none_recall"] == 75.0
    assert [case.note for case in report.mistakes] == ["a right step that was flagged"]


def test_an_analogy_is_right_in_the_listed_form_or_in_any(model: Model) -> None:
    replies = {"x + 1 is": "ANSWER: $\\frac{1}{1 + x}$", "sin(x) is": "ANSWER: sin(x) + 3 - 2"}
    model.reply = lambda prompt: next(said for key, said in replies.items() if f"as {key}" in prompt)
    figures = {each.name: each.value for each in asked.algebra(Chat(model.url, "m"), ANALOGIES).figures}
    assert figures == {"algebra_accuracy": 50.0, "algebra_accuracy_any_form": 100.0}


@pytest.mark.parametrize("said", ["", "I cannot say.", "ANSWER: Z", "ANSWER: 12"])
def test_what_cannot_be_read_is_wrong_and_counted(model: Model, said: str) -> None:
    model.reply = lambda _: said
    report = asked.semantic(Chat(model.url, "m"), ITEMS)
    assert report.figures[0].value == 0.0
    assert report.setting["unreadable"] == 3
    report = asked.mistakes(Chat(model.url, "m"), DERIVATIONS)
    assert report.setting["unreadable"] == 2
    assert {each.name: each.value for each in report.figures}["mistake_recall"] == 0.0


def test_a_refusal_is_wrong_and_counted_as_one(model: Model) -> None:
    model.reply = lambda _: {"role": "assistant", "content": None, "refusal": "No."}
    setting = asked.semantic(Chat(model.url, "m"), ITEMS).setting
    assert (setting["refused"], setting["unreadable"]) == (3, 0)


def test_answers_are_kept_with_their_prompts_and_never_the_key(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-very-secret")
    items = tmp_path / "items.jsonl"
    write_items(ITEMS, items)
    model.reply = knows
    spec = Evaluate("semantic", llm=model.url, llm_model="m", data=items, price_in=2.0, price_out=10.0)
    first = evaluate(spec, cache=tmp_path)
    assert model.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert first["setting"]["asked_now"] == len(model.requests) == 3
    assert first["setting"]["cost"] == pytest.approx(3 * (100 * 2 + 10 * 10) / 1e6)
    again = evaluate(spec, cache=tmp_path)
    assert len(model.requests) == 3
    assert again == {**first, "setting": {**first["setting"], "asked_now": 0}}
    kept = [file.read_text() for file in (tmp_path / "answers").iterdir()]
    assert sorted(json.loads(text)["request"]["messages"][0]["content"] for text in kept) == sorted(
        request["messages"][0]["content"] for request in model.requests
    )
    assert "secret" not in "".join([*kept, json.dumps(first)])
    evaluate(Evaluate("semantic", llm=model.url, llm_model="other", data=items), cache=tmp_path)
    assert len(model.requests) == 6


def test_a_run_that_was_stopped_or_failed_goes_on(model: Model, tmp_path: Path) -> None:
    said = iter(["ANSWER: A", "ANSWER: A"])
    model.reply = lambda _: next(said, (400, {}, b'{"error": {"message": "quota"}}'))
    with expect_error("E691") as caught:
        asked.semantic(Chat(model.url, "m", tmp_path), ITEMS)
    assert (caught.value.code, caught.value.exit_code) == ("E691", 3)
    assert len(list(tmp_path.iterdir())) == 2
    with pytest.raises(EngineError) as caught:
        asked.semantic(Chat(model.url, "m", tmp_path), ITEMS, stop=lambda: True)
    assert caught.value.code == "E646"
    model.reply = lambda _: "ANSWER: A"
    asked_before = len(model.requests)
    assert asked.semantic(Chat(model.url, "m", tmp_path), ITEMS).setting["asked_now"] == 1
    assert len(model.requests) == asked_before + 1


def test_a_kept_answer_that_is_torn_is_asked_again(model: Model, tmp_path: Path) -> None:
    asked.semantic(Chat(model.url, "m", tmp_path), ITEMS)
    next(tmp_path.iterdir()).write_text('{"response": ')
    assert asked.semantic(Chat(model.url, "m", tmp_path), ITEMS).setting["asked_now"] == 1


@pytest.mark.parametrize(
    "given",
    [
        {"task": "kmeans", "llm": "http://localhost/v1", "llm_model": "m"},
        {"task": "retrieval", "llm": "http://localhost/v1", "llm_model": "m"},
        {"task": "semantic", "llm": "http://localhost/v1"},
        {"task": "semantic", "llm": "http://localhost/v1", "llm_model": "m", "model": Path("folder")},
        {"task": "semantic", "llm_model": "m", "model": Path("folder")},
        {"task": "semantic", "price_in": 2.0, "model": Path("folder")},
        {"task": "semantic", "llm": "http://localhost/v1", "llm_model": "m", "budget": 1.0},
        {"task": "semantic", "budget": 1.0, "model": Path("folder")},
        {"task": "semantic", "llm": "https://me:pass@far.example/v1", "llm_model": "m"},
        {"task": "semantic"},
        {"task": "semantic", "train": Path("x"), "model": Path("folder")},
        {"task": "mistakes", "train": Path("x"), "llm": "http://localhost/v1", "llm_model": "m"},
        {"task": "kmeans", "analogies": Path("x"), "model": Path("folder")},
        {"task": "kmeans", "count": 3, "model": Path("folder")},
        {"task": "retrieval", "write": Path("x"), "model": Path("folder")},
    ],
)
def test_options_that_do_not_go_together_are_refused_before_anything_is_sent(given: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as caught:
        Evaluate(**given)
    assert (caught.value.code, caught.value.exit_code) == ("E427", 2)
