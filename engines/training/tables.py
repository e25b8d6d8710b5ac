"""A table of a recipe as keyword arguments of a record of settings, every value of its field's type."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from engines.core.errors import EngineError

__all__ = ["typed"]


def typed(cls: type[Any], values: Mapping[str, Any], *, owner: str, code: str) -> dict[str, Any]:
    """The values, checked against the defaults of a dataclass's fields; whole numbers serve as real ones.

    Args: owner: what has these settings, for the message ("training", "a model"). code: of the error.
    Raises: EngineError `code` for a key without a field, or a value of another type than the default.
    """
    defaults = {field.name: field.default for field in fields(cls) if field.default is not MISSING}
    checked: dict[str, Any] = {}
    for key, value in values.items():
        if key not in defaults:
            close = difflib.get_close_matches(key, list(defaults), n=1)
            remedy = f"Did you mean {close[0]!r}?" if close else f"It has: {', '.join(defaults)}."
            raise EngineError(f"{owner} has no setting {key!r}", code=code, exit_code=2, remedy=remedy)
        wanted = type(defaults[key])
        accepted = (int, float) if wanted is float else (wanted,)
        if isinstance(value, bool) is not (wanted is bool) or not isinstance(value, accepted):
            raise EngineError(
                f"{key} is {value!r}, and {wanted.__name__} is needed",
                code=code,
                exit_code=2,
                remedy="Change it with --set or in the recipe.",
            )
        checked[key] = float(value) if wanted is float else value
    return checked
