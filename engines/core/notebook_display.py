"""Results as notebooks show them: a table of their rows, which pandas takes too.

Text of data is escaped, and stands as code where it holds what a notebook would typeset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from importlib import import_module
from itertools import islice
from typing import Any

MOST = 40
"""Rows that are shown; pandas gets all."""


class Tex(str):
    """A cell that a notebook typesets: LaTeX that this program wrote."""

    __slots__ = ()


class Tabular:
    """Something with rows: `table` gives a line about it, the names of the columns, and the rows."""

    __slots__ = ()

    def table(self) -> tuple[str, Sequence[str], Iterable[Sequence[Any]]]:
        """Return the title, the column names and the rows that a notebook shows."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        title, columns, rows = self.table()
        return html_table(title, columns, rows)

    def to_pandas(self) -> Any:
        """Return the rows as a data frame.

        Raises:
            ModuleNotFoundError: Without pandas, which mathwb never needs.
        """
        _, columns, rows = self.table()
        return import_module("pandas").DataFrame([list(row) for row in rows], columns=list(columns))


class Shown(dict[str, Any], Tabular):
    """A document of an operation that is shown as a table of the rows it holds.

    >>> found = Shown({"steps": [{"infix": "x < 1", "verdict": "equal"}]}, "steps", ("infix", "verdict"))
    >>> found["steps"][0]["infix"], "<td>x &lt; 1</td>" in found._repr_html_()
    ('x < 1', True)
    """

    __slots__ = ("_columns", "_draw", "_latex", "_rows", "_title")

    def __init__(
        self,
        document: Mapping[str, Any],
        rows: str | Callable[[], Iterable[Mapping[str, Any]]],
        columns: Sequence[str],
        *,
        title: str = "",
        draw: Callable[[], str] | None = None,
        latex: Callable[[], str] | None = None,
    ) -> None:
        """Args: rows: the key of the rows, or what makes them. columns: their keys, in order. title: a line
        above them. draw: makes an SVG that stands above. latex: makes LaTeX of all of it, without dollars."""
        super().__init__(document)
        self._rows, self._columns, self._title = rows, tuple(columns), title
        self._draw, self._latex = draw, latex

    def table(self) -> tuple[str, Sequence[str], Iterable[Sequence[Any]]]:
        """Return the title, the column names and the rows that a notebook shows."""
        rows = self._rows() if callable(self._rows) else self[self._rows]
        return self._title, self._columns, ([row.get(name) for name in self._columns] for row in rows)

    def _repr_html_(self) -> str:
        return (self._draw() if self._draw else "") + Tabular._repr_html_(self)

    def _repr_latex_(self) -> str | None:
        return f"$${self._latex()}$$" if self._latex else None


def align_chain(terms: Iterable[str]) -> str:
    """Return LaTeX that shows equal terms one below another."""
    lines = r" \\ ".join(f"&= {term}" for term in terms)
    return rf"\begin{{aligned}}{lines}\end{{aligned}}"


def html_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return an HTML table of the first rows, and how many more there are."""
    rest = iter(rows)
    listed = [list(row) for row in islice(rest, MOST)]
    more_count = sum(1 for _ in rest)
    head = "".join(f"<th>{escape(name.replace('_', ' '))}</th>" for name in columns)
    body = "".join(f"<tr>{''.join(map(_format_cell, row))}</tr>" for row in listed)
    above = f"<p>{_cell_text(title)}</p>" if title else ""
    more = f"<p>{more_count:,} more</p>" if more_count else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if listed else ""
    return f"{above}{table}{more}"


def _format_cell(value: object) -> str:
    if isinstance(value, float):
        return f'<td style="text-align:right">{value:.6g}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td style="text-align:right">{value:,}</td>'
    if isinstance(value, list | tuple):
        value = ", ".join(f"{each:.4g}" if isinstance(each, float) else str(each) for each in value)
    return f"<td>{_cell_text('' if value is None else value)}</td>"


def _cell_text(value: object) -> str:
    if isinstance(value, Tex):
        return f"${escape(value)}$"
    text = escape(str(value))
    return f"<code>{text}</code>" if "$" in text or "\\" in text else text
