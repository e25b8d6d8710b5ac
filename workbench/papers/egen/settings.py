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
        "members without detours, only one of those that differ by signs, or any; unset: any for mode paper",
        ("plain", "distinct", "any"),
    ),
    Key("egen.order", "shortest", "which members come first", ("shortest", "readable", "random")),
    Key(
        "egen.max_tokens", 25, "the longest member, in tokens of generator notation", least=1, most=MAX_TOKENS
    ),
)
