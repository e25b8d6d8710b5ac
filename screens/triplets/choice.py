"""How a triplet is chosen: the strategy, what compares texts, and the pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.papers.mwp.rows import choice_name

__all__ = ["POOLS", "STRATEGIES", "Choice", "offered"]

STRATEGIES: Mapping[str, str] = {
    "em": "exact match: of the same equation, and of the nearest other one",
    "nn": "nearest neighbour: the nearest equation, and the next one",
    "joint": "equation and text scored together over the whole pool",
}
TEXTS: Mapping[str, str] = {
    "bibleu": "texts compared by Bi-BLEU",
    "bertsim": "texts compared by sentence vectors",
    "random": "any text",
}
POOLS = ("train", "train,qr", "train,roda", "train,qr,roda")


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to choose triplets."""

    strategy: str = "em"
    text: str = "bibleu"
    pool: str = "train"

    @classmethod
    def named(cls, name: str) -> Choice | None:
        """The choice of a name, `nn-bibleu-train+qr`; None where it is none."""
        strategy, _, rest = name.partition("-")
        text, _, pool = rest.partition("-")
        found = cls(strategy, text, pool.replace("+", ","))
        return (
            found if replace(found, pool="train") in choices(bertsim=True) and found.pool in POOLS else None
        )

    @property
    def name(self) -> str:
        """One word: `em-bibleu-train+qr`."""
        return choice_name(self.strategy, self.text, self.pool)

    @property
    def short(self) -> str:
        """`em · bibleu`."""
        return f"{self.strategy} · {self.text}"

    @property
    def words(self) -> str:
        """What it means."""
        return f"{STRATEGIES[self.strategy]}; {TEXTS[self.text]}"

    def params(self, path: Path) -> dict[str, Any]:
        """What operations on triplets are asked."""
        return {"data": str(path), "strategy": self.strategy, "text": self.text, "pool": self.pool}

    @property
    def options(self) -> list[str]:
        """The options of a command."""
        return ["--strategy", self.strategy, "--text", self.text, "--pool", self.pool]

    def following(self, *, bertsim: bool) -> Choice:
        """The next one of the same pool; `bertsim`: a model compares texts."""
        known = choices(bertsim=bertsim)
        here = replace(self, pool="train")
        place = known.index(here) if here in known else -1
        return replace(known[(place + 1) % len(known)], pool=self.pool)


def choices(*, bertsim: bool) -> list[Choice]:
    """All that make sense, on the training problems; a joint choice is never random."""
    texts = [text for text in TEXTS if bertsim or text != "bertsim"]
    return [
        Choice(strategy, text)
        for text in texts
        for strategy in STRATEGIES
        if (strategy, text) != ("joint", "random")
    ]


def offered(now: Choice, *, bertsim: bool) -> dict[str, tuple[Choice, str, str]]:
    """What can be chosen instead, by name: the choice, how it is called in short, and what it means."""
    found = {}
    for way in (replace(one, pool=now.pool) for one in choices(bertsim=bertsim)):
        found[way.name] = way, way.short, way.words + ("   shown now" if way == now else "")
    for way in (replace(now, pool=pool) for pool in POOLS if pool != now.pool):
        words = "the same choice, from these problems and what is made of them"
        found[way.name] = way, f"pool {way.pool}", words
    return found
