"""Symbol layout trees of formulas, one or a file of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Event, Sink, ignore
from engines.core.spec import Arg, exactly_one
from engines.mathamr.choices import ONE_FORMULA

__all__ = ["Slt", "slt"]


@dataclass(frozen=True, slots=True)
class Slt:
    """The symbol layout tree of a formula, or of each formula of a file: what it looks like.

    Under "line" stand the symbols from left to right; what hangs on a symbol is a line of its own, by where
    it stands: above, below, over, under, within, degree, cell.
    """

    latex: Annotated[str | None, Arg("The formula, without dollar signs.", metavar="LATEX")] = None
    file: Annotated[
        Path | None, Arg('Lines {"id": …, "latex": …} or {"id": …, "mathml": …}.', metavar="FILE")
    ] = None

    def __post_init__(self) -> None:
        """Raises: EngineError E402 or E427 unless there is either a formula or a file."""
        exactly_one({"a formula": self.latex, "a file": self.file}, ONE_FORMULA)


def slt(spec: Slt, *, events: Sink = ignore) -> dict[str, Any] | Iterator[dict[str, Any]]:
    """The tree as `{"label", "children"}`; of a file a row `{"id", "tree"}` for each line.

    A row whose MathML is no XML has no tree, and a warning.

    >>> slt(Slt(latex="x^2"))["children"][0]["label"]
    'V!x'
    """
    from engines.formula.symbol_layout import layout_tree

    if spec.latex is not None:
        return layout_tree(spec.latex).document()
    assert spec.file is not None
    return _of_file(spec.file, events)


def _of_file(file: Path, events: Sink) -> Iterator[dict[str, Any]]:
    from engines.formula.symbol_layout import layout_tree, read_presentation_mathml
    from engines.mathamr.rows import rows

    for row in rows(file, one_of=("latex", "mathml")):
        found: dict[str, Any] = {"id": row.get("id"), "tree": None}
        if isinstance(latex := row.get("latex"), str):
            found["tree"] = layout_tree(latex).document()
        else:
            try:
                found["tree"] = read_presentation_mathml(row["mathml"]).document()
            except DataError as error:
                events(Event("warning", {"message": f"{row.get('id')}: {error.what}"}))
        yield found
