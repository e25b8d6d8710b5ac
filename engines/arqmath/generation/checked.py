"""The steps of written answers, checked by the proofreader that is lent."""

from __future__ import annotations

from collections import Counter
from typing import Any

from engines.formula.judge import Proofreader

WRONG = ("wrong", "loses domain")


def checked(text: str, said: str, proofreader: Proofreader) -> dict[str, Any]:
    """How many links of an answer have which verdict, and those that are wrong, as `verdicts` and `wrong`."""
    links = proofreader.links(text, said)
    wrong = [
        {"link": " ".join(f"{one.left} {one.relation} {one.right}".split()), "reason": one.reason}
        for one in links
        if one.verdict in WRONG
    ]
    return {"verdicts": dict(Counter(one.verdict for one in links)), "wrong": wrong}
