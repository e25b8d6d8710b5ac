"""The client of language models: asked through a server of the test, never beyond this machine."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engines.chat.cached_client import Chat, ModelAnswer, Prices
from engines.chat.http_client import KEY
from engines.core.errors import EngineError
from engines.core.events import Event
from tests.chat.model_server import Model, served
from tests.conftest import expect_error


@pytest.fixture
def model() -> Iterator[Model]:
    with served() as made:
        yield made


def test_a_busy_address_is_asked_again_and_not_for_ever(model: Model) -> None:
    said = iter([(429, {"Retry-After": "0"}, b""), (503, {"Retry-After": "0"}, b"")])
    model.reply = lambda _: next(said, "ANSWER: A")
    assert Chat(model.url, "m").ask(["question"]) == [
        ModelAnswer(
            "ANSWER: A", refused=False, cut=False, prompt_tokens=100, completion_tokens=10, asked=True
        )
    ]
    model.requests.clear()
    model.reply = lambda _: (500, {"Retry-After": "0"}, b"<html><b>down</b></html>")
    with expect_error("E691"):
        Chat(model.url, "m").ask(["question"])
    assert 1 < len(model.requests) < 10


def test_a_model_without_a_temperature_is_asked_without_one(model: Model, tmp_path: Path) -> None:
    refusal = (400, {}, b'{"error": {"message": "temperature is not supported"}}')
    model.reply = lambda _: refusal if "temperature" in model.requests[-1] else "ANSWER: A"
    (answer,) = Chat(model.url, "m", tmp_path).ask(["question"])
    assert answer is not None
    assert answer.text == "ANSWER: A"
    (kept,) = tmp_path.iterdir()
    assert "temperature" not in json.loads(kept.read_text())["request"]


def test_the_longest_answer_is_asked_for_as_the_model_wants_it(model: Model) -> None:
    what = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    refusal = (400, {}, json.dumps({"error": {"message": what}}).encode())
    model.reply = lambda _: refusal if "max_tokens" in model.requests[-1] else "ANSWER: A"
    Chat(model.url, "m", longest=77).ask(["question"])
    assert model.requests[-1]["max_completion_tokens"] == 77
    assert model.requests[-1]["temperature"] == 0


def test_samples_are_answers_of_their_own_and_are_kept_as_such(model: Model, tmp_path: Path) -> None:
    count = iter(range(100))
    model.reply = lambda prompt: f"{prompt} {next(count)}"
    prompts = ["one", "two", "one"]
    drawn = Chat(model.url, "m", tmp_path).draw_answers(prompts, 3, temperature=0.7)
    texts = [[answer.text for answer in row if answer is not None] for row in drawn]
    assert texts[0] == texts[2]
    assert len({*texts[0], *texts[1]}) == len(model.requests) == 6
    assert {request["temperature"] for request in model.requests} == {0.7}
    again = Chat(model.url, "m", tmp_path).draw_answers(prompts, 3, temperature=0.7)
    assert [[answer.text for answer in row if answer is not None] for row in again] == texts
    # More samples begin with those that were drawn; the likeliest answer is another question.
    Chat(model.url, "m", tmp_path).draw_answers(["one"], 4, temperature=0.7)
    Chat(model.url, "m", tmp_path).ask(["one"])
    assert len(model.requests) == 8


@pytest.mark.parametrize(
    "reply",
    [
        (302, {"Location": "http://127.0.0.1:9/v1/chat/completions"}, b""),
        (400, {"Transfer-Encoding": "chunked"}, b"FF\r\ncut short"),
        (200, {}, b"<html>"),
        (200, {}, b'{"choices": []}'),
        (200, {}, b'{"choices": [{"message": {"content": 7}}]}'),
        (401, {}, b'{"error": {"message": "the key sk-very-secret is wrong"}}'),
    ],
)
def test_an_address_that_does_not_answer_as_it_should_is_named(
    model: Model, reply: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-very-secret")
    model.reply = lambda _: reply
    with expect_error("E691") as caught:
        Chat(model.url, "m").ask(["question"])
    assert model.url in caught.value.where
    assert "secret" not in str(caught.value)


def test_an_address_where_nobody_listens(model: Model) -> None:
    with expect_error("E691"):
        Chat("http://127.0.0.1:9/v1", "m").ask(["question"])
    assert not model.requests


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "localhost:8000",
        "http://localhost:no/v1",
        "http://[::1/v1",
        "http://localhost/v1\r\nX-Own: 1",
        "http://me:pass@localhost/v1",
        "http://far.example/v1",
        "http://127.0.0.1.far.example/v1",
        "http://localhost.far.example/v1",
        "http://[::ffff:8.8.8.8]/v1",
    ],
)
def test_an_address_that_is_none_or_gives_the_key_away_is_refused(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-very-secret")
    with pytest.raises(EngineError) as caught:
        Chat(url, "m")
    assert caught.value.code == "E427"
    assert "pass@" not in str(caught.value)


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    """What a proxy for every address is sent; it answers nothing."""
    heard: list[bytes] = []
    listening = socket.create_server(("127.0.0.1", 0))

    def hear() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listening.accept()
                with connection:
                    heard.append(connection.recv(65_536))

    thread = threading.Thread(target=hear, daemon=True)
    thread.start()
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{listening.getsockname()[1]}")
    for name in ("no_proxy", "NO_PROXY", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
    yield heard
    listening.shutdown(socket.SHUT_RDWR)
    listening.close()
    thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LocalHost"])
def test_this_machine_is_never_asked_through_a_proxy(
    model: Model, proxy: list[bytes], host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-very-secret")
    (answer,) = Chat(model.url.replace("127.0.0.1", host), "m").ask(["question"])
    assert answer is not None
    assert answer.text == "ANSWER: A"
    assert model.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert proxy == []


def test_a_proxy_of_an_encrypted_address_does_not_see_the_key(
    proxy: list[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-very-secret")
    with pytest.raises(EngineError) as caught:
        Chat("https://far.example/v1", "m").ask(["question"])
    assert caught.value.code == "E691"
    assert proxy[0].startswith(b"CONNECT far.example:443")
    assert b"secret" not in b"".join(proxy)


def test_a_redirect_takes_the_key_nowhere(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-very-secret")
    for status in (301, 302, 303, 307, 308):
        model.requests.clear()
        model.reply = lambda _, status=status: (status, {"Location": f"{model.url}/chat/completions"}, b"")
        with expect_error("E691"):
            Chat(model.url, "m").ask(["question"])
        assert len(model.requests) == 1


@pytest.mark.parametrize("key", ["sk-very\nsecret", "sk-very\x00secret", "sk-very-sécret", "sk-very\tsecret"])
def test_a_key_that_no_request_can_carry_is_refused_and_not_repeated(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ, KEY: key})
    with pytest.raises(EngineError) as caught:
        Chat("https://far.example/v1", "m")
    assert caught.value.code == "E427"
    assert "sk-very" not in str(caught.value)


def test_a_line_end_around_the_key_is_not_part_of_it(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sk-very-secret\n")
    Chat(model.url, "m").ask(["question"])
    assert model.headers[0]["Authorization"] == "Bearer sk-very-secret"


def test_an_answer_that_repeats_the_key_is_kept_without_it(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "sk-very-secret")
    model.reply = lambda _: f"you sent {model.headers[-1]['Authorization']}"
    chat = Chat(model.url, "m", tmp_path)
    (answer,) = chat.ask(["question"])
    assert answer is not None
    assert answer.text == "you sent Bearer (key)"
    assert "secret" not in next(tmp_path.iterdir()).read_text()
    assert "secret" not in f"{chat!r} {vars(chat)!r}"


def test_no_more_is_asked_when_the_budget_is_spent_and_the_next_run_goes_on(
    model: Model, tmp_path: Path
) -> None:
    # An answer costs 100 * 2 + 10 * 10 = 300 millionths; four are under way at once.
    def chat(budget: float) -> Chat:
        return Chat(model.url, "m", tmp_path, prices=Prices(2.0, 10.0), budget=budget)

    prompts = [f"question {number}" for number in range(20)]
    with expect_error("E692"):
        chat(600e-6).ask(prompts)
    first = len(model.requests)
    assert 2 <= first <= 5
    assert len(list(tmp_path.iterdir())) == first
    answers = chat(1.0).ask(prompts)
    assert len(model.requests) == 20
    assert sum(answer is not None and not answer.asked for answer in answers) == first
    with pytest.raises(EngineError):
        Chat(model.url, "other", prices=Prices(2.0, 10.0), budget=0.0).ask(["question"])
    assert len(model.requests) == 20


def test_no_more_is_asked_after_an_interrupt(model: Model) -> None:
    def interrupt(_event: Event) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Chat(model.url, "m").ask([f"question {number}" for number in range(100)], events=interrupt)
    assert len(model.requests) < 100


def test_a_folder_that_cannot_be_made_for_answers_is_named(model: Model, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EngineError) as caught:
        Chat(model.url, "m", tmp_path / "file" / "answers").ask(["question"])
    assert caught.value.code == "E313"


def test_a_reply_that_was_cut_off_is_marked(model: Model) -> None:
    choice = {"message": {"content": "First, we"}, "finish_reason": "length"}
    model.reply = lambda _: (200, {}, json.dumps({"choices": [choice]}).encode())
    chat = Chat(model.url, "m")
    (answer,) = chat.ask(["question"])
    assert answer is not None
    assert (answer.text, answer.cut) == ("First, we", True)
    assert chat.summary([answer])["cut"] == 1
