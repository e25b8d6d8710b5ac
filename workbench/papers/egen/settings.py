"""The user's settings for E-Gen."""

from __future__ import annotations

from engines.egen.records import MAX_TOKENS
from workbench.config import Key

__all__ = ["KEYS"]

KEYS = (
    Key("egen.mode", "strict", "which members count as equal", ("strict", "common", "paper")),
    Key(
        "egen.style",
        "plain",
        "members without detours, or any; if unset, any for mode paper",
        ("plain", "any"),
    ),
    Key("egen.order", "shortest", "which members come first", ("shortest", "readable", "random")),
    Key(
        "egen.max_tokens", 25, "the longest member, in tokens of generator notation", least=1, most=MAX_TOKENS
    ),
)
