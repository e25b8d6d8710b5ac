"""How triplets are chosen, and the questions about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from textual.app import App

from screens.widgets.dialogs import Choice as Line
from screens.widgets.dialogs import Chooser, Prompt
from workbench.papers.mwp.tables import choice_name

STRATEGIES: Mapping[str, str] = {
    "em": "exact match: same equation, and the nearest other one",
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
        return f"{self.strategy} · {self.text}"

    @property
    def words(self) -> str:
        return f"{STRATEGIES[self.strategy]}; {TEXTS[self.text]}"

    def params(self, path: Path) -> dict[str, Any]:
        return {"data": str(path), "strategy": self.strategy, "text": self.text, "pool": self.pool}

    @property
    def options(self) -> list[str]:
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
        words = "the same choice, from these problems and their variants"
        found[way.name] = way, f"pool {way.pool}", words
    return found


def ask_choice(app: App[Any], now: Choice, *, bertsim: bool, done: Callable[[Choice], None]) -> None:
    ways = offered(now, bertsim=bertsim)
    lines = [
        Line(name, short, words, key=_key(number))
        for number, (name, (_, short, words)) in enumerate(ways.items(), start=1)
    ]
    Chooser("choose triplets by", lines).ask(app, lambda name: done(ways[name][0]))


def ask_label(app: App[Any], anchor: str, now: str, done: Callable[[str], None]) -> None:
    """Ask what is wrong with the triplet of an anchor; nothing takes the label that it has `now` back."""
    from workbench.papers.mwp.labels import LABELS

    lines = [Line(name, name, words, key=name[0]) for name, words in LABELS.items()]
    if now:
        lines.append(Line("-", "no label", f"take {now} back", key="-"))
    title = f"what is wrong with the triplet of {anchor}?"
    Chooser(title, lines).ask(app, lambda name: done("" if name == "-" else name))


def ask_problem(app: App[Any], text: str, done: Callable[[str], None]) -> None:
    """Ask for a problem to solve; `text` stands there to be changed."""
    hint = "a problem with its numbers;  enter solves it, esc cancels"
    Prompt("solve", text, hint=hint).ask(app, done)


def ask_solver(app: App[Any], solvers: Sequence[Path], done: Callable[[str], None]) -> None:
    words = "the first solver for the problem's language"
    lines = [Line("", "by the language", words, key="0")]
    lines += [Line(path.name, path.name, str(path), key=_key(at)) for at, path in enumerate(solvers, start=1)]
    Chooser("solve with", lines).ask(app, done)


def _key(number: int) -> str:
    return str(number) if number < 10 else ""
