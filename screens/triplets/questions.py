"""Questions of the Triplets screen: chosen how, what is wrong, solved by what, and which problem."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from textual.app import App

from screens.triplets.choice import Choice, offered
from screens.widgets.dialogs import Choice as Line
from screens.widgets.dialogs import Chooser, Prompt

__all__ = ["ask_choice", "ask_label", "ask_problem", "ask_solver"]


def ask_choice(app: App[Any], now: Choice, *, bertsim: bool, done: Callable[[Choice], None]) -> None:
    """Ask in which way triplets are chosen; `bertsim`: a model compares texts."""
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
    hint = "a problem with its numbers;  enter solves it, esc leaves it"
    Prompt("solve", text, hint=hint).ask(app, done)


def ask_solver(app: App[Any], solvers: Sequence[Path], done: Callable[[str], None]) -> None:
    """Ask for the name of a solver; nothing leaves it to the language of the problem."""
    words = "the first solver of the language that a problem is told in"
    lines = [Line("", "by the language", words, key="0")]
    lines += [Line(path.name, path.name, str(path), key=_key(at)) for at, path in enumerate(solvers, start=1)]
    Chooser("solve with", lines).ask(app, done)


def _key(number: int) -> str:
    """The key of the line of that number; only the first ones have one."""
    return str(number) if number < 10 else ""
