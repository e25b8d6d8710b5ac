"""Symbol layout trees of formulas, one or a file of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Event, Sink, ignore
from engines.core.sizes import MAX_LATEX
from engines.core.spec import Arg, exactly_one
from engines.mathamr.choices import ONE_FORMULA, Reader

__all__ = ["Slt", "slt"]


@dataclass(frozen=True, slots=True)
class Slt:
    """The symbol layout tree of a formula, or of each formula of a file: what it looks like.

    Under "line" stand the symbols from left to right; what hangs on a symbol is a line of its own, by where
    it stands: above, below, over, under, within, degree, cell.
    """

    latex: Annotated[
        str | None, Arg("The formula, without dollar signs.", metavar="LATEX", longest=MAX_LATEX)
    ] = None
    file: Annotated[
        Path | None, Arg('Lines {"id": …, "latex": …} or {"id": …, "mathml": …}.', metavar="FILE")
    ] = None
    reader: Reader = "builtin"

    def __post_init__(self) -> None:
        """Raises: EngineError E402 or E427 unless there is either a formula or a file."""
        exactly_one({"a formula": self.latex, "a file": self.file}, ONE_FORMULA)


def slt(spec: Slt, *, events: Sink = ignore) -> dict[str, Any] | Iterator[dict[str, Any]]:
    """The tree as `{"label", "children"}`; of a file a row `{"id", "tree"}` for each line.

    A row whose MathML is no XML has no tree, and a warning; nor has what LaTeXML makes nothing of. Events:
    also warnings of ids that occur again, and of rows without one. Raises: EngineError E377, E378 as
    `latexml`.

    >>> slt(Slt(latex="x^2"))["children"][0]["label"]
    'V!x'
    """
    if spec.latex is not None:
        tree = next(_trees([spec.latex], spec.reader, [partial(_warn, events, spec.latex)]))
        return {"label": "E!"} if tree is None else tree
    assert spec.file is not None
    return _of_file(spec, spec.file, events)


def _warn(events: Sink, name: str, message: str) -> None:
    events(Event("warning", {"message": f"{name}: {message}"}))


def _of_file(spec: Slt, file: Path, events: Sink) -> Iterator[dict[str, Any]]:
    from engines.formula.symbol_layout import read_presentation_mathml
    from engines.mathamr.rows import named_rows

    # LaTeXML reads all at once; the built-in reader row by row.
    every = named_rows(file, one_of=("latex", "mathml"), name="id", events=events)
    for part in [list(every)] if spec.reader == "latexml" else ([row] for row in every):
        written = [row for row in part if isinstance(row.held.get("latex"), str)]
        made = _trees([row["latex"] for row in written], spec.reader, [row.warn for row in written])
        for row in part:
            found: dict[str, Any] = {"id": row.held.get("id"), "tree": None}
            if isinstance(row.held.get("latex"), str):
                found["tree"] = next(made)
            else:
                try:
                    found["tree"] = read_presentation_mathml(row["mathml"]).document()
                except DataError as error:
                    row.warn(error.what)
            yield found


def _trees(
    formulas: Sequence[str], reader: str, warn: Sequence[Callable[[str], None]]
) -> Iterator[dict[str, Any] | None]:
    """Args: warn: of each formula, what tells of it."""
    from engines.formula.latexml import latexml
    from engines.formula.symbol_layout import layout_tree, read_presentation_mathml

    if reader == "builtin":
        yield from (layout_tree(latex).document() for latex in formulas)
        return
    for tell, made in zip(warn, latexml(formulas), strict=True):
        if made is None:
            tell("LaTeXML makes nothing of it")
        yield None if made is None else read_presentation_mathml(made.presentation).document()
