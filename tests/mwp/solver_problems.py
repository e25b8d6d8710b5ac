"""A few problems of our own, and as many more of their kind as a test wants."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

ROWS = [
    ("{a} has N_0 pens and buys N_1 more . How many pens has {a} now ?", "N_0+N_1"),
    ("{a} has N_0 pens and loses N_1 . How many pens are left ?", "N_0-N_1"),
    ("There are N_0 boxes with N_1 pens in each . How many pens are there ?", "N_0*N_1"),
    ("N_0 pens are shared by N_1 friends of {a} . How many does each get ?", "N_0/N_1"),
    ("{a} has N_0 boxes with N_1 pens in each and loses N_2 . How many are left ?", "N_0*N_1-N_2"),
    ("{a} had N_0 pens , bought N_1 and shared all with N_2 friends . How many has each ?", "(N_0+N_1)/N_2"),
    ("The side of a square is N_0 . What is its perimeter ?", "N_0*C_4"),
]


def written(folder: Path, count: int, *, seed: int = 0, name: str = "own") -> Path:
    """A file of problems; sums, differences and quotients come out whole."""
    draw, rows = Random(seed), []
    for number in range(count):
        text, equation = ROWS[number % len(ROWS)]
        last, friends = draw.randint(2, 9), draw.randint(2, 9)
        first, second = last * friends * draw.randint(2, 5), last * friends
        numbers = [str(first), str(second if number % len(ROWS) == 5 else friends), str(last)]
        here = sum(f"N_{place}" in text for place in range(3))
        masked = text.format(a=draw.choice(["Ann", "Bob", "Eve"]))
        original = masked
        for place in range(here):
            original = original.replace(f"N_{place}", numbers[place])
        rows.append(
            {
                "id": f"{name}-{number}",
                "language": "en",
                "text": masked,
                "original": original,
                "source": "",
                "numbers": numbers[:here],
                "equation": equation,
                "fold": number % 3,
            }
        )
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def random_solver(folder: Path) -> Path:
    """The folder of a solver with random weights."""
    import torch

    from engines.mwp.problems.readers import read_problems
    from engines.mwp.solver.reading import EquationWords
    from engines.mwp.solver.settings import SolverSettings
    from engines.mwp.solver.solver import new_solver, save_solver

    folder.mkdir(parents=True, exist_ok=True)
    problems = read_problems(written(folder, 14)).usable
    settings = SolverSettings(encoder="transformer", width=16, layers=1, rare=1, single_use=True)
    torch.manual_seed(0)
    save_solver(new_solver(settings, EquationWords(("*", "+", "-", "/"), ()), texts=problems), folder)
    return folder
