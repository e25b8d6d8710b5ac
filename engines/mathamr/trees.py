"""Operator trees and symbol layout trees of formulas, one or a file of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import DataError
from engines.core.events import Sink, ignore, warn
from engines.core.spec import Arg, exactly_one, make_refusal, specification
from engines.core.system import MAX_LATEX
from engines.mathamr.rows import ONE_FORMULA, InputRow, LatexReader, read_named_rows

if TYPE_CHECKING:
    from engines.formula.operator_tree import OperatorTree


_SHOWN = 80
"""Characters of an error that are repeated beside its place."""


@specification
class ParseOpt:
    """Parse a formula, or each formula of a file, to its operator tree.

    Mode arqmath follows ARQMath's published trees: a chain a < b < c loses the operand that two relations
    share. Mode correct repeats it, nests differences, and reads relations in brackets. What cannot be parsed
    becomes an error node with its position.
    """

    latex: Annotated[
        str | None, Arg("The formula, without dollar signs.", metavar="LATEX", longest=MAX_LATEX)
    ] = None
    file: Annotated[Path | None, Arg('Lines {"id": …, "latex": …}.', metavar="FILE")] = None
    reader: LatexReader = "builtin"
    mode: Annotated[Literal["arqmath", "correct"], Arg("Which conventions to follow.")] = "arqmath"
    write: Annotated[
        Literal["tree", "latex", "unicode"],
        Arg("How to print the tree of --latex without --json: one operand per line, or as a formula."),
    ] = "tree"

    def __post_init__(self) -> None:
        exactly_one({"a formula": self.latex, "a file": self.file}, ONE_FORMULA)
        if self.reader == "latexml" and self.mode == "correct":
            raise make_refusal(
                "LaTeXML follows ARQMath's conventions only", "E402", "Leave --mode or --reader out."
            )


def opt(spec: ParseOpt, *, events: Sink = ignore) -> dict[str, Any] | Iterator[dict[str, Any]]:
    """Return the tree as `{"label", "children"}`; of a file a row `{"id", "tree", "errors"}` for each line.

    An error is `{"start", "end", "latex"}`, in characters of the formula, of which the first 80 are given;
    errors without a place of their own, as in brackets within another, are left out. What LaTeXML makes
    nothing of is an error node over the whole. Events: warnings of ids that occur again, and of rows without
    one.

    Raises:
        EngineError: E377, E378 as `latexml`.

    >>> opt(ParseOpt(latex="x^2"))
    {'label': 'O!SUP', 'children': [{'label': 'V!x'}, {'label': 'N!2'}]}
    """
    from engines.formula.operator_tree_parser import operator_tree

    if spec.latex is not None and spec.reader == "latexml":
        return next(_read_with_latexml([spec.latex])).to_document()
    if spec.latex is not None:
        return operator_tree(spec.latex, spec.mode).to_document()
    assert spec.file is not None
    return _parse_rows(spec, spec.file, events)


def _parse_rows(spec: ParseOpt, file: Path, events: Sink) -> Iterator[dict[str, Any]]:
    from engines.formula.operator_tree_parser import operator_tree

    result: Iterable[tuple[InputRow, OperatorTree]]
    every = read_named_rows(file, "latex", name="id", events=events)
    if spec.reader == "latexml":
        # LaTeXML converts all formulas in one call, so the rows are read to the end first.
        lines = list(every)
        result = zip(lines, _read_with_latexml([row["latex"] for row in lines]), strict=True)
    else:
        result = ((row, operator_tree(row["latex"], spec.mode)) for row in every)
    for row, tree in result:
        latex, found_errors = row["latex"], tree.list_errors()
        positions = dict.fromkeys(error.span for error in found_errors if error.span is not None)
        # An error without a position concerns the whole formula.
        if found_errors and not positions:
            positions[0, len(latex)] = None
        errors = [
            {"start": start, "end": end, "latex": latex[start : min(end, start + _SHOWN)]}
            for start, end in positions
        ]
        yield {"id": row.held.get("id"), "tree": tree.to_document(), "errors": errors}


def _read_with_latexml(formulas: Sequence[str]) -> Iterator[OperatorTree]:
    from engines.formula.content_mathml import read_content_mathml
    from engines.formula.latexml import convert_with_latexml
    from engines.formula.operator_tree import OperatorTree

    for latex, made in zip(formulas, convert_with_latexml(formulas), strict=True):
        # A formula that LaTeXML cannot convert is one error node over its whole length.
        yield OperatorTree("E!", (), (0, len(latex))) if made is None else read_content_mathml(made.content)


@specification
class ParseSlt:
    """Parse a formula, or each formula of a file, to its symbol layout tree: its visual structure.

    "line" lists the symbols from left to right. What is attached to a symbol is a line of its own, under its
    position: above, below, over, under, within, degree, cell.
    """

    latex: Annotated[
        str | None, Arg("The formula, without dollar signs.", metavar="LATEX", longest=MAX_LATEX)
    ] = None
    file: Annotated[
        Path | None, Arg('Lines {"id": …, "latex": …} or {"id": …, "mathml": …}.', metavar="FILE")
    ] = None
    reader: LatexReader = "builtin"

    def __post_init__(self) -> None:
        exactly_one({"a formula": self.latex, "a file": self.file}, ONE_FORMULA)


def slt(spec: ParseSlt, *, events: Sink = ignore) -> dict[str, Any] | Iterator[dict[str, Any]]:
    """Return the tree as `{"label", "children"}`; of a file a row `{"id", "tree"}` for each line.

    A row whose MathML is no XML has no tree, and a warning; nor has what LaTeXML makes nothing of. Events:
    also warnings of ids that occur again, and of rows without one.

    Raises:
        EngineError: E377, E378 as `latexml`.

    >>> slt(ParseSlt(latex="x^2"))["children"][0]["label"]
    'V!x'
    """
    if spec.latex is not None:
        tree = next(
            _read_layout_trees(
                [spec.latex], spec.reader, [lambda what: warn(events, f"{spec.latex}: {what}")]
            )
        )
        return {"label": "E!"} if tree is None else tree
    assert spec.file is not None
    return _parse_slt_rows(spec, spec.file, events)


def _parse_slt_rows(spec: ParseSlt, file: Path, events: Sink) -> Iterator[dict[str, Any]]:
    from engines.formula.symbol_layout import read_presentation_mathml

    # LaTeXML reads all at once; the built-in reader row by row.
    every = read_named_rows(file, one_of=("latex", "mathml"), name="id", events=events)
    for part in [list(every)] if spec.reader == "latexml" else ([row] for row in every):
        written = [row for row in part if isinstance(row.held.get("latex"), str)]
        made = _read_layout_trees(
            [row["latex"] for row in written], spec.reader, [row.warn_of_row for row in written]
        )
        for row in part:
            results: dict[str, Any] = {"id": row.held.get("id"), "tree": None}
            if isinstance(row.held.get("latex"), str):
                # `made` yields a tree for each row of `written`, in their order.
                results["tree"] = next(made)
            else:
                try:
                    results["tree"] = read_presentation_mathml(row["mathml"]).to_document()
                except DataError as error:
                    row.warn_of_row(error.what)
            yield results


def _read_layout_trees(
    formulas: Sequence[str], reader: str, warn: Sequence[Callable[[str], None]]
) -> Iterator[dict[str, Any] | None]:
    """Args: warn: of each formula, what tells of it."""
    from engines.formula.latexml import convert_with_latexml
    from engines.formula.symbol_layout import layout_tree, read_presentation_mathml

    if reader == "builtin":
        yield from (layout_tree(latex).to_document() for latex in formulas)
        return
    for tell, made in zip(warn, convert_with_latexml(formulas), strict=True):
        if made is None:
            tell("LaTeXML cannot convert it")
        yield None if made is None else read_presentation_mathml(made.presentation).to_document()
