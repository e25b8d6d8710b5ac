"""Operator trees of formulas, one or a file of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.spec import Arg, exactly_one
from engines.mathamr.choices import ONE_FORMULA

__all__ = ["Opt", "opt"]


@dataclass(frozen=True, slots=True)
class Opt:
    """The operator tree of a formula, or of each formula of a file.

    Mode arqmath keeps the conventions of ARQMath's published trees: a chain a < b < c loses the operand that
    two relations share. Mode correct repeats it, nests differences, and reads relations in brackets. What
    cannot be parsed is an error node, with the place where it stands.
    """

    latex: Annotated[str | None, Arg("The formula, without dollar signs.", metavar="LATEX")] = None
    file: Annotated[Path | None, Arg('Lines {"id": …, "latex": …}.', metavar="FILE")] = None
    mode: Annotated[Literal["arqmath", "correct"], Arg("Whose conventions.")] = "arqmath"
    write: Annotated[
        Literal["tree", "latex", "unicode"],
        Arg("How the tree of --latex is printed without --json: an operand a line, or as a formula."),
    ] = "tree"

    def __post_init__(self) -> None:
        """Raises: EngineError E402 or E427 unless there is either a formula or a file."""
        exactly_one({"a formula": self.latex, "a file": self.file}, ONE_FORMULA)


def opt(spec: Opt) -> dict[str, Any] | Iterator[dict[str, Any]]:
    """The tree as `{"label", "children"}`; of a file a row `{"id", "tree", "errors"}` for each line.

    An error is `{"start", "end", "latex"}`, in characters of the formula.

    >>> opt(Opt(latex="x^2"))
    {'label': 'O!SUP', 'children': [{'label': 'V!x'}, {'label': 'N!2'}]}
    """
    from engines.formula.parser import operator_tree

    if spec.latex is not None:
        return operator_tree(spec.latex, spec.mode).document()
    assert spec.file is not None
    return _of_file(spec.file, spec.mode)


def _of_file(file: Path, mode: Literal["arqmath", "correct"]) -> Iterator[dict[str, Any]]:
    from engines.formula.parser import operator_tree
    from engines.mathamr.rows import rows

    for row in rows(file, "latex"):
        tree = operator_tree(row["latex"], mode)
        errors = []
        for error in tree.errors():
            start, end = error.span or (0, len(row["latex"]))
            errors.append({"start": start, "end": end, "latex": row["latex"][start:end]})
        yield {"id": row.get("id"), "tree": tree.document(), "errors": errors}
