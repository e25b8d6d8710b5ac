"""Columns of the E-graphs screen, and the notations in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from textual.content import Content

from engines.core.errors import EngineError, ExpressionError
from screens.shell.export import CopyForm, json_form
from screens.shell.theme import format_count, format_percent, safe_text
from screens.widgets.table_columns import Record, measure_column
from workbench.papers.egen.evaluation_tables import MISTAKES
from workbench.papers.egen.tables import CLUSTERS, HITS, MEMBERS, NEIGHBOURS, write_expression
from workbench.tables import Column, TableSpec

if TYPE_CHECKING:
    from engines.core.tree import Tree


# The engine's notations are imported where they are used: the screen is painted before.

_plain = False


def write_plainly(plain: bool) -> None:
    """Choose whether `format_expression` writes ASCII, where a superscript 2 would look like any other 2."""
    global _plain
    _plain = plain


def format_expression(prefix: str) -> str:
    """Format an expression for the screen: `63·cosh(2 − 7x)`; plainly, as `infix` does."""
    return write_expression("infix" if _plain else "unicode_infix", prefix)


def format_condition(text: str) -> str:
    """Format numbers and conditions of the judge as `format_expression` does: `x ≠ −3π/2`."""
    return text if _plain else re.sub(r"(?:(?<=\d)\*)?\bpi\b", "π", text).replace("-", "−")


def _read_tree(prefix: str) -> Tree:
    from engines.core.expression_language import LETTERS, read_prefix
    from engines.egen.theories.user_theories import show_registered_term

    try:
        return read_prefix(prefix, LETTERS)
    except ExpressionError:
        return show_registered_term(prefix)[1]


infix = partial(write_expression, "infix")
"""`63*cosh(2 - 7*x)`: ASCII that can be read back."""
latex = partial(write_expression, "latex")


def tree_lines(prefix: str) -> list[str]:
    """Draw an expression as a tree."""
    from engines.core.tree import walk_outline

    return [lead + node.label for lead, node in walk_outline(_read_tree(prefix), lambda node: node.children)]


def list_copy_forms(prefix: str, known: Mapping[str, object]) -> tuple[CopyForm, ...]:
    """Return the forms in which an expression can be copied.

    Args:
        prefix: the expression.
        known: what else its JSON contains.
    """
    document = {**known, "prefix": prefix}
    return (
        CopyForm("u", "Unicode infix", partial(write_expression, "unicode_infix", prefix)),
        CopyForm("i", "infix", partial(infix, prefix)),
        CopyForm("p", "prefix", lambda: prefix),
        CopyForm("l", "LaTeX", partial(latex, prefix)),
        CopyForm("t", "tree", lambda: "\n".join(tree_lines(prefix))),
        json_form(lambda: {**document, "infix": infix(prefix)}),
    )


@lru_cache(4_096)
def list_variables(prefix: str) -> tuple[str, ...]:
    """Return the variables of an expression, in their usual order."""
    from engines.core.expression_language import variables_of
    from engines.mathematics.assumptions import order_variables

    names = variables_of(_read_tree(prefix))
    return tuple(name for name in order_variables(names) if name in names)


def read_expression(text: str) -> tuple[str, str]:
    """Read a typed expression of x.

    Returns:
        Its prefix form and an empty string, or an empty string and what is wrong.
    """
    from engines.core.expression_language import to_prefix
    from engines.mathematics.terms.notation import read_head

    try:
        return to_prefix(read_head(text)), ""
    except ExpressionError as error:
        return "", describe_error(error)


def describe_error(error: EngineError) -> str:
    """Return what is wrong with an expression, where and what to do, in one line."""
    # The position is added unless the message names it already.
    prefix = ""
    named = "(character " in error.what
    if isinstance(error, ExpressionError) and error.position is not None and error.text and not named:
        prefix = f"character {error.position + 1}: "
    return f"{prefix}{error.what}. {error.remedy}".strip()


VERDICTS: dict[str, tuple[str, str]] = {
    "equal": ("✓", "$success"),
    "extends": ("▴", "$success"),
    "shrinks": ("▾", "$warning"),
    "nowhere": ("○", "$warning"),
    "different": ("✗", "$error"),
    "undecided": ("?", "$warning"),
}
"""A verdict's glyph and colour; the word always stands beside them. The worst come last, but for the last."""

VERDICT_SIGNS = (
    ("✓", "equal: the same values, and defined at the same points"),
    ("✓*", "equal except at single points, where one of the two is undefined"),
    ("▴", "extends: equal on the head's domain, and defined outside it too"),
    ("▾", "shrinks: equal where both are defined, undefined on some of the head's domain"),
    ("○", "nowhere: undefined on all of the head's domain"),
    ("✗", "different: other values somewhere"),
    ("?", "undecided: too few points could be computed"),
)

_WORST = ("different", "nowhere", "undecided", "shrinks", "extends")


def verdict_content(word: str, exceptional: str = "", cells: int = 0) -> Content:
    """Draw a verdict in its colour: `✓ equal` or `✓ equal except at 0, 1/2`.

    Args:
        word: the verdict.
        exceptional: the points where the domains differ.
        cells: the width; then it is `✓ except 0, 1/2`, or `✓`, `✓*` if there are points. 0 means any.
    """
    glyph, colour = VERDICTS.get(word, ("·", "$quiet"))
    words = f"{word} except at {format_condition(exceptional)}" if exceptional else word
    if cells:
        # Without room for words the sign stands alone, with a star for exceptional points.
        words = f"except {format_condition(exceptional)}" if exceptional else "" if word == "equal" else word
        words = words if len(words) + 2 <= cells else "*" if exceptional else ""
    gap = "" if words in ("", "*") else " "
    return Content.styled(f"{glyph}{gap}{words}", colour)


def stop_words(reason: str) -> str:
    """Return the reason that a growth ended, in words."""
    return reason.replace("_", " ")


def member_title(member: Record) -> str:
    """Return a member's title: `member 37`, or `head`."""
    return f"member {member['member']}" if member["member"] else "head"


# Cells


def _make_expression_cell(
    name: str, style: Callable[[Record], str] = lambda _: ""
) -> Callable[[Record], Content]:
    return lambda record: safe_text(format_expression(record[name]) if record[name] else "–", style(record))


def _verdict_cell(record: Record, cells: int) -> Content:
    if record["member"] == 0 or not record["verdict"]:
        return Content.styled("…" if record["member"] else "·", "$quiet")
    return verdict_content(record["verdict"], record["except"], cells or 16)


def _agreement_cell(record: Record) -> Content:
    """Return whether all members equal the head; if not, the worst that occurs and the share that is
    equal."""
    words = record["verdict"]
    if words == ["growing"]:
        return Content.styled("…", "$accent")
    if words == ["all"]:
        return Content.styled("✓", "$success")
    if not words:
        return Content.styled("–", "$quiet")
    worst = next((word for word in _WORST if word in words), "equal")
    glyph, colour = VERDICTS[worst]
    return Content.styled(f"{glyph} {format_percent(record['equal'])}", colour)


def _origin_cell(record: Record) -> Content:
    """Return what made a member: its classical form, else the rewrite rules."""
    return safe_text(record.get("by") or ("rules" if record["member"] else ""), "$quiet")


def _make_value_cell(name: str) -> Callable[[Record], Content]:
    def draw_value(record: Record) -> Content:
        state = record[f"{name}_state"]
        if state == "defined":
            return safe_text(f"{record[name]:.4g}")
        return Content.styled("–" if state == "undefined" else "?", "$warning")

    return draw_value


def _failure_cell(record: Record) -> Content:
    if not record["term"]:
        return Content.styled("equal", "$quiet") if record["agrees"] else Content.styled("differs", "$error")
    # The reason first: of a narrow column the end is cut.
    what, _, reason = record["why"].rpartition(": ")
    where = "   ".join(part for part in (what, f"in {format_expression(record['term'])}") if part)
    return safe_text(reason, "$warning") + safe_text(f"   {where}", "$quiet")


def _graph_cell(record: Record) -> Content:
    if record["kind"] == "operand":
        return Content.assemble(("      › ", "$accent"), (record["class"], "bold"))
    if record["kind"] == "node":
        glyph = " " if record["leaf"] else "▾" if record["open"] else "▸"
        return Content.assemble(("   ", ""), (f"{glyph} ", "$quiet"), safe_text(record["short"]))
    glyph = "▾" if record["open"] else "▸"
    named = Content.assemble((f"{glyph} ", "$quiet"), (record["class"], "bold"))
    if record["root"]:
        named += Content.styled(" root", "$accent")
    return named if record["open"] else named + safe_text(f" = {{{record['short']}}}", "$quiet")


def _answer_sign(word: str, right: bool) -> tuple[str, str]:
    """Glyph and colour of an answer: right, equal all the same, or wrong."""
    if right:
        return "✓", "$success"
    return ("≈", "$warning") if word in ("equal", "extends", "shrinks") else ("✗", "$error")


def _same_cluster_cell(record: Record) -> Content:
    same = record["same"] == "yes"
    glyph, colour = _answer_sign(record["verdict"], same)
    return Content.styled(f"{glyph} {'same' if same else 'other'}", colour)


def _analogy_cell(record: Record) -> Content:
    x1, y1, x2 = (safe_text(format_expression(record[name])) for name in ("x1", "y1", "x2"))
    return x1 + Content.styled(" : ", "$accent") + y1 + Content.styled(" :: ", "$accent") + x2


def _expected_cell(record: Record) -> Content:
    if record["verdict"] is None:
        return Content.styled("= x2", "$quiet") if record["echo"] else Content()
    glyph, colour = _answer_sign(record["verdict"], record["verdict"] == "equal")
    words = f"{glyph} {record['verdict']}"
    return Content.styled(words, colour) + Content.styled("  = x2" if record["echo"] else "", "$quiet")


# Tables

POINTS = TableSpec(
    (
        Column("x", "x", 13, "point", least=9, format=".4g"),
        Column("where", "where", 24),
        Column("head", "head", 13, "point", least=11, show=_make_value_cell("head"), drop=1),
        Column("member", "member", 13, "point", least=11, show=_make_value_cell("member")),
        Column("why", "why", show=_failure_cell),
    )
)
GRAPH = TableSpec(
    (
        Column("class", "class", show=_graph_cell),
        Column(
            "term",
            "term",
            show=_make_expression_cell("prefix", lambda row: "$quiet" if row["kind"] == "node" else ""),
        ),
        Column("nodes", "nodes", 5, "right", drop=1),
        Column("label", "label", on=""),
        Column("infix", "infix", on="", value=lambda row: infix(row["prefix"])),
    )
)
ANALOGIES = TableSpec(
    (
        Column("family", "family", 16, drop=1),
        Column("x1", "x1 : y1 :: x2", show=_analogy_cell),
        Column("y1", "y1", on=""),
        Column("x2", "x2", on=""),
        Column("y2", "y2", show=_make_expression_cell("y2")),
    )
)
_TABLES = {
    "clusters": CLUSTERS,
    "members": MEMBERS,
    "points": POINTS,
    "graph": GRAPH,
    "nearest": NEIGHBOURS,
    "wrong": MISTAKES,
    "analogies": ANALOGIES,
    "hits": HITS,
}
_ROOMY = 52
"""Cells of the list of members from which on there is room for more than formulas, verdicts and origins."""
_BRIEFLY: Mapping[str, Mapping[str, Any]] = {
    "equal": {"title": "✓"},
    "member": {"title": "#", "width": 4},
    "tok": {"room": _ROOMY},
    "by": {"least": 12, "show": _origin_cell},
    "verdict": {"title": "✓", "width": 16, "least": 2, "fit": _verdict_cell},
}
"""Formulas have the width of the lists."""


def _shorten_columns(columns: Sequence[Column]) -> tuple[Column, ...]:
    return tuple(replace(column, **_BRIEFLY.get(column.name, {})) for column in columns)


_COLUMNS: Mapping[str, tuple[Column, ...]] = {
    **{id: table.screen_columns() for id, table in _TABLES.items()},
    "clusters": _shorten_columns(
        CLUSTERS.screen_columns(
            head=_make_expression_cell("head"),
            size=lambda record: format_count(record["size"]),
            equal=_agreement_cell,
        )
    ),
    "members": _shorten_columns(
        MEMBERS.screen_columns(
            infix=_make_expression_cell("prefix", lambda row: "" if row["member"] else "bold")
        )
    ),
    "nearest": NEIGHBOURS.screen_columns(infix=_make_expression_cell("prefix"), same=_same_cluster_cell),
    "wrong": MISTAKES.screen_columns(
        **{name: _make_expression_cell(name) for name in ("query", "expected", "predicted")}
    ),
    "hits": HITS.screen_columns(infix=_make_expression_cell("prefix"), verdict=_expected_cell),
}


def listing_arguments(id: str) -> dict[str, Any]:
    """Return the arguments of the `Listing` with this id."""
    return {"columns": _COLUMNS[id], "id": id, "fields": _TABLES[id].fields}


_MEASURED = 500
"""Cells of more rows than this are not measured: it would be felt."""


def fit_columns(id: str, rows: Sequence[Record], without: Collection[str] = ()) -> tuple[Column, ...]:
    """Return the columns of a listing, with fixed widths no larger than these rows need.

    Args:
        id: the listing's id.
        rows: the rows.
        without: the names of columns to leave out; a size that is the same in all rows is left out too.
    """
    columns = []
    for column in _COLUMNS[id]:
        if column.name in without or (column.name == "size" and have_equal_sizes(rows)):
            continue
        # Small lists are measured exactly; larger ones keep their fixed widths.
        if column.width and len(rows) <= _MEASURED:
            cells = max(measure_column(column, rows).cells, len(column.title) + 1)
            column = replace(column, width=min(column.width, cells))
        columns.append(column)
    return tuple(columns)


def have_equal_sizes(rows: Sequence[Record]) -> bool:
    """Tell whether several clusters all have the same size."""
    return len(rows) > 1 and len({row["size"] for row in rows}) == 1
