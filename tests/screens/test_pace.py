"""Garbage is collected between the keys, never at one."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from screens.shell import terminal as pace


class Ring:
    """What only the collector can free."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = gc.get_threshold()
    gc.unfreeze()
    yield
    gc.freeze()
    gc.set_threshold(*before)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.slow
def test_what_is_new_goes_after_the_last_key_and_the_rest_after_a_while(clock: list[float]) -> None:
    garbage = pace.Garbage()
    old = Ring()
    gone = weakref.ref(old)
    garbage.note_key()
    clock[0] += 1.0
    garbage.collect_when_quiet()
    assert gc.get_freeze_count() == 0
    clock[0] += 1.0
    garbage.collect_when_quiet()
    assert gc.get_freeze_count() > 0
    # It is set aside now: only the sweep of everything finds it.
    del old
    new = Ring()
    went = weakref.ref(new)
    del new
    clock[0] += 1.0
    garbage.note_key()
    clock[0] += 2.0
    garbage.collect_when_quiet()
    assert went() is None
    assert gone() is not None
    for _ in range(31):
        clock[0] += 1.0
        garbage.collect_when_quiet()
    assert gone() is None


def test_typing_is_not_disturbed(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    garbage = pace.Garbage()
    monkeypatch.setattr(pace.gc, "collect", lambda: pytest.fail("collected while typing"))
    for _ in range(100):
        clock[0] += 1.0
        garbage.note_key()
        garbage.collect_when_quiet()
