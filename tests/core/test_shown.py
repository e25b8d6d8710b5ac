"""Results as notebooks show them: text of data is escaped, all rows reach pandas, a long list says so."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest
from lxml import html

from engines.core.notebook_display import MOST, Shown, html_table
from engines.egen import Derive, Generate, derive, generate, verify
from engines.grading import grade
from workbench.operations import to_plain

HOSTILE = '<script>alert("x")</script>'


def test_text_of_data_is_escaped_and_not_typeset() -> None:
    rows = [{"a": HOSTILE, "b": r"$\href{javascript:alert(1)}{x}$", "c": 0.123456789, "d": [0.1, 0.25]}]
    found = Shown({"rows": rows}, "rows", ("a", "b", "c", "d", "none"), title=HOSTILE)
    root = html.fromstring(f"<div>{found._repr_html_()}</div>")
    assert not root.findall(".//script")
    cells = [cell.text_content() for cell in root.findall(".//td")]
    assert cells == [HOSTILE, r"$\href{javascript:alert(1)}{x}$", "0.123457", "0.1, 0.25", ""]
    # A notebook typesets no formula inside of code.
    assert root.findall(".//td/code")[0].text_content() == cells[1]
    assert to_plain(found) == {"rows": rows}


def test_hostile_answers_and_expressions_are_shown_as_text() -> None:
    shown = grade(HOSTILE, rf"\boxed{{{HOSTILE}}}")._repr_html_()
    assert "<script" not in shown
    assert "<script" not in verify([("x", "x"), ("x", HOSTILE)])._repr_html_()


def test_a_long_list_says_how_many_more_there_are() -> None:
    text = html_table("", ("n",), [[number] for number in range(MOST + 5)])
    assert text.count("<tr>") == MOST + 1
    assert "<p>5 more</p>" in text


def test_pandas_gets_all_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    given = []
    frame = lambda rows, columns: given.append((rows, columns))  # noqa: E731
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=frame))
    verify([("x", "tan(atan(x))")] * (MOST + 1)).to_pandas()
    ((rows, columns),) = given
    assert columns[:3] == ["line", "member", "verdict"]
    assert len(rows) == MOST + 1


def test_clusters_and_derivations_are_typeset() -> None:
    cluster = generate("sin(2*x)", members=3)
    assert [one.prefix for one in cluster.members] == [
        one.prefix for one in generate(Generate("sin(2*x)", members=3)).members
    ]
    cells = [cell.text_content() for cell in html.fromstring(cluster._repr_html_()).iterfind(".//td")]
    assert len(cells) == 3 * 5
    assert (cells[0][0], cells[0][-1]) == ("$", "$")
    assert cluster._repr_latex_().count("&=") == 4
    assert derive("tan(x)", "-tan(-x)") == (found := derive(Derive("tan(x)", "-tan(-x)")))
    pairs = verify([("x", "sqrt(x)^2"), ("x", "x + 1"), ("x", "(")])._repr_latex_()
    assert r"x &\overset{\text{shrinks}}{=} \sqrt{x}^{2} \\ x &\ne x + 1\end" in pairs
    assert (
        found._repr_latex_()
        == r"$$\begin{aligned}&= \tan\left(x\right) \\ &= -\tan\left(-x\right)\end{aligned}$$"
    )
