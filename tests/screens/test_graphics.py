"""What a terminal answers, and what is made of it."""

from __future__ import annotations

import os
import pty
import select
import sys
import threading
from collections.abc import Callable, Iterator

import pytest
from textual import events
from textual.message import Message

from screens.shell.terminal import Graphics, ask_terminal, give_back, read_answers

XTERM = b"\x1bP>|XTerm(379)\x1b\\\x1b[?63;1;2;4;6;9;15;16;22;28c"
KITTY = b"\x1bP>|kitty(0.35.2)\x1b\\\x1b_Gi=4711;OK\x1b\\\x1b[6;21;10t\x1b[?62;c"
OLD_KITTY = KITTY.replace(b"0.35.2", b"0.26.5")
WEZTERM = b"\x1bP>|WezTerm 20240203\x1b\\\x1b_Gi=4711;OK\x1b\\\x1b[6;20;9t\x1b[?65;4;6;18;22c"


@pytest.mark.parametrize(
    ("answer", "protocol", "cell"),
    [
        (XTERM + b"\x1b[?1;0;1024S\x1b[?63;4c", "sixel", (10, 20)),
        (KITTY, "kitty", (10, 21)),
        # These know the protocol, but not pictures in the place of characters.
        (OLD_KITTY, "none", (10, 21)),
        (WEZTERM, "sixel", (9, 20)),
        (b"\x1bP>|ghostty 1.1.3\x1b\\\x1b_Gi=4711;OK\x1b\\\x1b[?62;22c", "kitty", (10, 20)),
        (b"\x1b_Gi=4711;ENOTSUPPORTED:no\x1b\\\x1b[?62c", "none", (10, 20)),
        (b"\x1b[?4c", "none", (10, 20)),  # a VT132, whose level is not an attribute
        (b"\x1b[?1;2c", "none", (10, 20)),
        (b"", "none", (10, 20)),
    ],
)
def test_answers_are_understood(answer: bytes, protocol: str, cell: tuple[int, int]) -> None:
    found = read_answers(answer, None)
    assert (found.protocol, found.cell, found.typed) == (protocol, cell, b"")


def test_the_kernel_knows_the_cell_better() -> None:
    assert read_answers(KITTY, (8, 17)).cell == (8, 17)


def test_colours_are_those_of_the_terminal_within_reason() -> None:
    assert read_answers(XTERM, None).colours == 16
    assert read_answers(XTERM + b"\x1b[?1;0;64S", None).colours == 64
    assert read_answers(XTERM + b"\x1b[?1;0;1024S", None).colours == 254


def test_keys_between_the_answers_are_kept() -> None:
    assert read_answers(b"j" + XTERM + b"\x1b[Bk", None).typed == b"j\x1b[Bk"


def test_keys_that_were_kept_reach_the_screens() -> None:
    class Driver:
        def __init__(self) -> None:
            self.messages: list[Message] = []

        def process_message(self, message: Message) -> None:
            self.messages.append(message)

    driver = Driver()
    give_back("jé\x1b[B3".encode(), driver)  # type: ignore[arg-type]
    keys = [message.key for message in driver.messages if isinstance(message, events.Key)]
    assert keys == ["j", "é", "down", "3"]


class FakeTerminal:
    """The other end of a terminal: answers the last question of each batch, or nothing."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self.master, self.slave = pty.openpty()
        self.heard = b""
        self._answer = answer
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._talk, daemon=True)
        self._thread.start()

    def _talk(self) -> None:
        while not self._over.is_set():
            if select.select([self.master], [], [], 0.02)[0]:
                heard = os.read(self.master, 4096)
                self.heard += heard
                if heard.endswith(b"\x1b[c"):
                    os.write(self.master, self._answer(heard))

    def close(self) -> None:
        self._over.set()
        self._thread.join()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[bytes], bytes]], FakeTerminal]]:
    """Put such a terminal in the place of stdin and stdout."""
    made = []

    def make(answer: Callable[[bytes], bytes]) -> FakeTerminal:
        found = FakeTerminal(answer)
        made.append(found)
        for name, mode in (("__stdin__", "r"), ("__stdout__", "w")):
            file = open(os.dup(found.slave), mode, encoding="utf-8")  # noqa: SIM115
            monkeypatch.setattr(sys, name, file)
        return found

    yield make
    for each in made:
        each.close()


ENVIRONMENT = {"TERM": "xterm-256color"}


def ask(choice: str = "", **environment: str) -> Graphics:
    return ask_terminal(choice, environment=ENVIRONMENT | environment)


def test_a_terminal_is_asked_and_left_as_it_was(terminal: Callable[..., FakeTerminal]) -> None:
    import termios

    def answer(heard: bytes) -> bytes:
        return b"j" + XTERM if b"\x1b[16t" in heard else b"\x1b[?1;0;256S\x1b[?63;1;4c"

    fake = terminal(answer)
    before = termios.tcgetattr(fake.slave)
    found = ask()
    assert (found.protocol, found.colours, found.typed) == ("sixel", 254, b"j")
    assert termios.tcgetattr(fake.slave) == before


def test_who_has_no_sixel_is_not_asked_for_its_colours(terminal: Callable[..., FakeTerminal]) -> None:
    fake = terminal(lambda heard: b"\x1b[?1;2c")
    assert ask().protocol == "none"
    assert fake.heard.count(b"\x1b[c") == 1


def test_who_does_not_answer_is_not_waited_for(terminal: Callable[..., FakeTerminal]) -> None:
    terminal(lambda heard: b"")
    assert ask().protocol == "none"


def test_the_setting_decides(terminal: Callable[..., FakeTerminal]) -> None:
    terminal(lambda heard: XTERM)
    assert ask("kitty").protocol == "kitty"
    assert ask("sixel").protocol == "sixel"


@pytest.mark.parametrize(
    ("choice", "environment"), [("none", {}), ("", {"TERM": "dumb"}), ("", {"NO_COLOR": "1"})]
)
def test_who_wants_none_is_not_asked(
    choice: str, environment: dict[str, str], terminal: Callable[..., FakeTerminal]
) -> None:
    fake = terminal(lambda heard: KITTY)
    assert ask(choice, **environment).protocol == "none"
    assert fake.heard == b""


def test_without_a_terminal_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("out") / "out"
    with path.open("w") as file:
        monkeypatch.setattr(sys, "__stdout__", file)
        assert ask().protocol == "none"
    assert path.read_bytes() == b""
