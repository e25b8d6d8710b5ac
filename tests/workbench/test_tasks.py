"""Every registered task is there and takes what the engine process and the worker give it."""

from __future__ import annotations

import inspect

import pytest

from workbench.errors import UsageError
from workbench.tasks import TASKS, resolve


@pytest.mark.parametrize("name", sorted(TASKS))
def test_a_registered_task_is_there(name: str) -> None:
    parameters = inspect.signature(resolve(name)).parameters
    assert list(parameters) == ["params", "events", "stop"]
    assert parameters["events"].kind is parameters["stop"].kind is inspect.Parameter.KEYWORD_ONLY
    assert inspect.getdoc(resolve(name))


def test_an_unknown_task_gets_a_hint() -> None:
    with pytest.raises(UsageError) as caught:
        resolve("egen.generat")
    assert caught.value.remedy == "Did you mean 'egen.generate'?"
