"""Theories of one's own as an operation: which there are, what one says, and trusting a judge in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from engines.core.spec import Arg, refused


@dataclass(frozen=True, slots=True)
class CheckTheory:
    """List the theories there are, or check one: its operators, and every rule by its judge.

    A judge in Python runs as you. That of a file of yours is imported only after --trust, which holds for the
    file as it is now: read it first.
    """

    theory: Annotated[
        str | None,
        Arg("A theory's name, or FILE.toml.", metavar="NAME|FILE", shown="list them", option=False),
    ] = None
    trust: Annotated[bool, Arg("Let the Python file that judges it be imported, as it is now.")] = False

    def __post_init__(self) -> None:
        if self.trust and not self.theory:
            raise refused("nothing is named that could be trusted", "E427", "Name a theory's file.")


def check_theory(spec: CheckTheory) -> dict[str, Any]:
    """The theories there are, or one that was checked.

    Returns: `theories` (name, title, file); or title, file, judge, operators (name, arity, written) and rules
    (name, left, right, both). Raises: DataError E222 with the line of what is wrong, EngineError E223 for a
    judge that is not trusted.

    >>> found = check_theory(CheckTheory("sets"))
    >>> found["title"], found["operators"][0]
    ('the algebra of sets', {'name': 'union', 'arity': 2, 'written': 'a u b'})
    """
    from pathlib import Path

    from engines.core.tree import Tree
    from engines.egen.theories.judges import trust
    from engines.egen.theories.own import Own, judge_file, read_theory, theory_file, theory_names

    if spec.theory is None:
        rows = []
        for name, file in theory_names().items():
            rows.append({"name": name, "title": Own(read_theory(file)).name, "file": str(file)})
        return {"theories": rows}
    file = theory_file(spec.theory)
    python: Path | None = judge_file(file)
    if spec.trust:
        if python is None:
            raise refused("its judge is a model, which needs no trust", "E427", "Leave out --trust.")
        trust(python)
    definition = Own(read_theory(file)).definition
    operators = []
    for name, sign in definition.signs.table.items():
        written = definition.signs.written(Tree(name, tuple(map(Tree, "ab"[: sign.arity]))))
        operators.append({"name": name, "arity": sign.arity, "written": written})
    names = ("name", "left", "right", "both")
    return {
        "title": definition.name,
        "file": str(file),
        "judge": python.name if python else f"all of {definition.model and definition.model.values} values",
        "operators": operators,
        "rules": [
            dict(zip(names, (one.name, *one.written, len(one.rules) > 1), strict=True))
            for one in definition.equations
        ],
    }
