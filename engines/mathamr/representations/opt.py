"""Operator trees of formulas, one or a file of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.events import Sink, ignore
from engines.core.sizes import MAX_LATEX
from engines.core.spec import Arg, exactly_one, refused
from engines.mathamr.choices import ONE_FORMULA, Reader

if TYPE_CHECKING:
    from engines.formula.operator_tree import OperatorTree

__all__ = ["Opt", "opt"]


_SHOWN = 80
"""Characters of an error that are repeated beside its place."""


@dataclass(frozen=True, slots=True)
class Opt:
    """The operator tree of a formula, or of each formula of a file.

    Mode arqmath keeps the conventions of ARQMath's published trees: a chain a < b < c loses the operand that
    two relations share. Mode correct repeats it, nests differences, and reads relations in brackets. What
    cannot be parsed is an error node, with the place where it stands.
    """

    latex: Annotated[
        str | None, Arg("The formula, without dollar signs.", metavar="LATEX", longest=MAX_LATEX)
    ] = None
    file: Annotated[Path | None, Arg('Lines {"id": …, "latex": …}.', metavar="FILE")] = None
    reader: Reader = "builtin"
    mode: Annotated[Literal["arqmath", "correct"], Arg("Whose conventions.")] = "arqmath"
    write: Annotated[
        Literal["tree", "latex", "unicode"],
        Arg("How the tree of --latex is printed without --json: an operand a line, or as a formula."),
    ] = "tree"

    def __post_init__(self) -> None:
        """Raises: EngineError E402 or E427 unless there is either a formula or a file."""
        exactly_one({"a formula": self.latex, "a file": self.file}, ONE_FORMULA)
        if self.reader == "latexml" and self.mode == "correct":
            raise refused("LaTeXML reads as ARQMath's trees do", "E402", "Leave --mode or --reader out.")


def opt(spec: Opt, *, events: Sink = ignore) -> dict[str, Any] | Iterator[dict[str, Any]]:
    """The tree as `{"label", "children"}`; of a file a row `{"id", "tree", "errors"}` for each line.

    An error is `{"start", "end", "latex"}`, in characters of the formula, of which the first 80 are given;
    errors without a place of their own, as in brackets within another, are left out. What LaTeXML makes
    nothing of is an error node over the whole. Events: warnings of ids that occur again, and of rows without
    one. Raises: EngineError E377, E378 as `latexml`.

    >>> opt(Opt(latex="x^2"))
    {'label': 'O!SUP', 'children': [{'label': 'V!x'}, {'label': 'N!2'}]}
    """
    from engines.formula.parser import operator_tree

    if spec.latex is not None and spec.reader == "latexml":
        return next(_by_latexml([spec.latex])).document()
    if spec.latex is not None:
        return operator_tree(spec.latex, spec.mode).document()
    assert spec.file is not None
    return _of_file(spec, spec.file, events)


def _of_file(spec: Opt, file: Path, events: Sink) -> Iterator[dict[str, Any]]:
    from engines.formula.parser import operator_tree
    from engines.mathamr.rows import Row, named_rows

    found: Iterable[tuple[Row, OperatorTree]]
    every = named_rows(file, "latex", name="id", events=events)
    if spec.reader == "latexml":
        lines = list(every)
        found = zip(lines, _by_latexml([row["latex"] for row in lines]), strict=True)
    else:
        found = ((row, operator_tree(row["latex"], spec.mode)) for row in every)
    for row, tree in found:
        latex, found_errors = row["latex"], tree.errors()
        places = dict.fromkeys(error.span for error in found_errors if error.span is not None)
        if found_errors and not places:
            places[0, len(latex)] = None
        errors = [
            {"start": start, "end": end, "latex": latex[start : min(end, start + _SHOWN)]}
            for start, end in places
        ]
        yield {"id": row.held.get("id"), "tree": tree.document(), "errors": errors}


def _by_latexml(formulas: Sequence[str]) -> Iterator[OperatorTree]:
    from engines.formula.content_mathml import read_content_mathml
    from engines.formula.latexml import latexml
    from engines.formula.operator_tree import OperatorTree

    for latex, made in zip(formulas, latexml(formulas), strict=True):
        yield OperatorTree("E!", (), (0, len(latex))) if made is None else read_content_mathml(made.content)
