"""Symbol layout trees of formulas, one or a file of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Event, Sink, ignore
from engines.core.spec import Arg, exactly_one
from engines.mathamr.choices import ONE_FORMULA, Reader

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
    reader: Reader = "builtin"

    def __post_init__(self) -> None:
        """Raises: EngineError E402 or E427 unless there is either a formula or a file."""
        exactly_one({"a formula": self.latex, "a file": self.file}, ONE_FORMULA)


def slt(spec: Slt, *, events: Sink = ignore) -> dict[str, Any] | Iterator[dict[str, Any]]:
    """The tree as `{"label", "children"}`; of a file a row `{"id", "tree"}` for each line.

    A row whose MathML is no XML has no tree, and a warning; nor has what LaTeXML makes nothing of. Raises:
    EngineError E377, E378 as `latexml`.

    >>> slt(Slt(latex="x^2"))["children"][0]["label"]
    'V!x'
    """
    if spec.latex is not None:
        tree = next(_trees([spec.latex], spec.reader, [spec.latex], events))
        return {"label": "E!"} if tree is None else tree
    assert spec.file is not None
    return _of_file(spec, spec.file, events)


def _of_file(spec: Slt, file: Path, events: Sink) -> Iterator[dict[str, Any]]:
    from engines.core.json_lines import rows
    from engines.formula.symbol_layout import read_presentation_mathml

    # LaTeXML reads all at once; the built-in reader row by row.
    every = rows(file, one_of=("latex", "mathml"))
    for part in [list(every)] if spec.reader == "latexml" else ([row] for row in every):
        written = [row for row in part if isinstance(row.get("latex"), str)]
        named = [str(row.get("id")) for row in written]
        made = _trees([row["latex"] for row in written], spec.reader, named, events)
        for row in part:
            found: dict[str, Any] = {"id": row.get("id"), "tree": None}
            if isinstance(row.get("latex"), str):
                found["tree"] = next(made)
            else:
                try:
                    found["tree"] = read_presentation_mathml(row["mathml"]).document()
                except DataError as error:
                    events(Event("warning", {"message": f"{row.get('id')}: {error.what}"}))
            yield found


def _trees(
    formulas: Sequence[str], reader: str, named: Sequence[str], events: Sink
) -> Iterator[dict[str, Any] | None]:
    from engines.formula.latexml import latexml
    from engines.formula.symbol_layout import layout_tree, read_presentation_mathml

    if reader == "builtin":
        yield from (layout_tree(latex).document() for latex in formulas)
        return
    for name, made in zip(named, latexml(formulas), strict=True):
        if made is None:
            events(Event("warning", {"message": f"{name}: LaTeXML makes nothing of it"}))
        yield None if made is None else read_presentation_mathml(made.presentation).document()
