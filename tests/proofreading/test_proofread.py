"""Documents are taken apart, and the links of their chains judged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.core.errors import StoppedError
from engines.core.events import Event
from engines.documents import folder
from engines.documents.reading import Document, read_documents
from engines.proofreading.chains import ChainLink
from engines.proofreading.link_judge import LinkJudge
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.proofread_files import Proofread, exit_code, proofread
from tests.conftest import expect_error


def _verdicts(tmp_path: Path, text: str, name: str = "text.md") -> list[tuple[str, int]]:
    (tmp_path / name).write_text(text, "utf-8")
    (document,) = proofread(Proofread(tmp_path / name))["documents"]
    return [(link["verdict"], link["line"]) for link in document["links"]]


def test_what_holds_follows_or_is_given_is_told_from_what_is_wrong(tmp_path: Path) -> None:
    text = "Let $2x+3=7$.\nThen $x=2$, so $x^2=4$.\n\n$2+2=4=5$ and\n$(a+b)^2 = a^2+2ab+b^2 = a^2+b^2$."
    expected = ["given", "follows", "follows", "right", "wrong", "right", "wrong"]
    assert _verdicts(tmp_path, text) == list(zip(expected, [1, 2, 2, 4, 4, 5, 5], strict=True))


def test_an_equation_to_be_solved_is_not_the_one_that_is_wrong(tmp_path: Path) -> None:
    rest = "$$2x=14$$\n$$x=7$$\n"
    expected = [("given", 1), ("wrong", 2), ("follows", 3)]
    assert _verdicts(tmp_path, f"Solve $2x+3=11$. We get\n{rest}") == expected
    # Without that word the two that go together are believed.
    assert _verdicts(tmp_path, f"Now $2x+3=11$, thus\n{rest}")[0] == ("wrong", 1)


def test_rows_of_align_are_one_chain_and_comments_are_left_out(tmp_path: Path) -> None:
    text = (
        "\\begin{align*}\n6+99\\cdot4 &= 402 \\\\\n% no\n&= 403\n\\end{align*}\n"
        "\\begin{verbatim}$1=2$\\end{verbatim}"
    )
    assert _verdicts(tmp_path, text, "a.tex") == [("right", 2), ("wrong", 4)]


def test_definitions_of_functions_are_applied(tmp_path: Path) -> None:
    assert [v for v, _ in _verdicts(tmp_path, "Let $f(x)=x^2+1$. Then $f(3)=10$.")] == ["given", "follows"]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("$f(2) = 5$", "follows"),
        ("$f(2) = 7$", "wrong"),
        ("$f'(x) = 2x$", "follows"),
        ("$f'(3) = 6$", "follows"),
        ("$f''(x) = 2x$", "wrong"),
        (r"$\frac{d}{dx} f(x) = 2x$", "follows"),
        (r"$\frac{\partial h}{\partial x} = 2xy$", "follows"),
        (r"$\int_0^1 f(x)\,dx = 4/3$", "follows"),
        (r"$\int_0^1 f(x)\,dx = 5/3$", "wrong"),
        ("$f(a+b) = a^2 + 2ab + b^2 + 1$. Let $c = 1$", "follows"),
        ("$f(a+b) = a^2 + b^2 + 1$. Let $c = 1$", "wrong"),
        ("$g(f(1)) = 0$", "wrong"),  # neither the sine of 2 radians nor that of two degrees
        (r"$g(\pi/2) = 0$", "wrong"),
    ],
)
def test_values_and_derivatives_of_functions_are_those_of_their_definitions(
    tmp_path: Path, claim: str, verdict: str
) -> None:
    text = r"Let $f(x) = x^2 + 1$, $g(t) = \sin t$ and $h(x, y) = x^2 y$. Then " + claim + "."
    assert _verdicts(tmp_path, text)[3][0] == verdict


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\frac{d}{dx} x^3 = 3x^2", "right"),
        (r"\frac{d}{dx} x^3 = 3x", "wrong"),
        ("(x^3)' = 3x", "wrong"),
        (r"\lim_{n\to\infty} \frac{n}{n+1} = 2", "wrong"),
        (r"\sum_{k=1}^n k = \frac{n(n-1)}{2}", "wrong"),
        (r"\int_0^a x\,dx = a^2", "wrong"),
        (r"\int \frac{1}{x^2}\,dx = \frac{1}{x} + C", "wrong"),
        (r"\int \frac{1}{x^2}\,dx = -\frac{1}{x} + C", "right"),
        (r"\int (3x^2+x)\,dx = x^3 + C_1 + 2x^2 + C_2", "wrong"),
        (r"\int x\cos x\,dx = x\sin x + \int\sin x\,dx", "wrong"),
        (r"\frac{d^2y}{dx^3} = 2y", "wrong"),  # whatever y is
        (r"2 + \int_0^a x\,dx = 2 + a^2", "wrong"),
        (r"\binom{n}{2} = 45", "given"),  # n is sought
        (r"n! = n(n-1)!", "right"),
        (r"\binom{n}{k} = \frac{n!}{k!(n-k)!}", "right"),
    ],
)
def test_what_operators_give_is_judged(tmp_path: Path, claim: str, verdict: str) -> None:
    assert _verdicts(tmp_path, f"Moreover ${claim}$.") == [(verdict, 1)]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (r"\det A = -2", "follows"),
        ("A^2 - 5A - 2I = 0", "follows"),
        ("A^2 - 4A - 2I = 0", "wrong"),
        ("p(A) = 0", "given"),  # of a polynomial
        ("A(X=1) = 0.2", "given"),  # of a probability
        (r"A^{-1} = -\frac12 \begin{pmatrix} 4 & -2 \\ -3 & 1 \end{pmatrix}", "follows"),
        (r"A^2 = \begin{pmatrix} 7 & 10 \\ 15 & 21 \end{pmatrix}", "wrong"),
        ("AB = BA", "wrong"),
        (r"A \cdot B = B \cdot A", "wrong"),
        (r"\det(AB) = 2", "follows"),
        ("2A = A + A", "right"),
        ("MN = NM", "not shown"),
        ("(M+N)^2 = M^2 + 2MN + N^2", "not shown"),
        ("(M+N)^2 = M^2 + MN + NM + N^2", "right"),
        ("(MN)^{-1} = N^{-1}M^{-1}", "right"),
        ("(MN)^T = N^T M^T", "right"),
        ("MN^{-1}NI = MI", "right"),
        (r"\det(MN) = \det(M)\det(N)", "right"),
    ],
)
def test_matrices_need_not_commute(tmp_path: Path, claim: str, verdict: str) -> None:
    text = (
        r"Let $A = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$, "
        r"$B = \begin{pmatrix} 0 & 1 \\ 1 & 0 \end{pmatrix}$,"
        f" and $M$ and $N$ be matrices. Then ${claim}$."
    )
    assert _verdicts(tmp_path, text)[2:] == [(verdict, 1)]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("A^2 = I", "given"),  # an equation for k
        ("Ax = 0", "given"),
        (r"\det A = 5", "given"),
        (r"A^2 = \begin{pmatrix} 1 & 2k \\ 0 & k^2 \end{pmatrix}", "wrong"),
        (r"\det(A - \lambda I) = (1-\lambda)(k-\lambda)", "follows"),
        (r"\det(A - \lambda I) = (1-\lambda)(k+\lambda)", "wrong"),
    ],
)
def test_entries_of_matrices_can_be_sought(tmp_path: Path, claim: str, verdict: str) -> None:
    text = rf"Let $A = \begin{{pmatrix}} 1 & 2 \\ 0 & k \end{{pmatrix}}$. Now ${claim}$."
    assert _verdicts(tmp_path, text)[-1][0] == verdict


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        (r"$\int_0^a x\,dx = a$, so $a = 2$.", ["given", "follows"]),
        (r"$\sum_{k=1}^n k = n^2$ implies $n = 1$.", ["given", "follows"]),
        (r"$\det\begin{pmatrix} a & 1 \\ 1 & a \end{pmatrix} = a$, so $a^2-a-1=0$.", ["given", "not shown"]),
        ("Let $f(x) = x^2$. Now $f'(x) = x^3$ gives $x = 0$.", ["given", "given", "given"]),
        (r"$\int_0^a x\,dx = a^2$. Let $a = 2$.", ["wrong", "given"]),
    ],
)
def test_what_is_solved_next_is_an_equation(tmp_path: Path, text: str, verdicts: list[str]) -> None:
    assert [verdict for verdict, _ in _verdicts(tmp_path, text)] == verdicts


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"$\log 100 = 2$.", "right if"),
        (r"$\log 8 = 3$.", "right if"),
        (r"$\log 2 \approx 0.301$.", "right if"),
        (r"$\log 100 = 3$.", "wrong"),
        (r"$\ln 100 = 2$.", "wrong"),
        (r"Let $f(x) = \log x$. Then $f(100) = 2$.", "given"),
        (r"$\frac{d}{dx} \log x = \frac{1}{x \ln 10}$.", "given"),
    ],
)
def test_logarithms_have_the_base_that_is_meant(tmp_path: Path, text: str, verdict: str) -> None:
    assert _verdicts(tmp_path, text)[-1][0] == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # A derivative is that everywhere, and not only where its slip does not show.
        ("Let $L(w) = (y-wx)^2$ and $w = y/x$. Then $L'(w) = 2x(y-wx)$.", "wrong"),
        ("Let $L(w) = (y-wx)^2$ and $w = y/x$. Then $L'(w) = -2x(y-wx)$.", "follows"),
        # What is factored is still defined once.
        ("Let $P(x) = x^2-3x+2$. $P(x) = (x-1)(x-2)$. Now $P(4) = 5$.", "wrong"),
        ("Let $f(x) = x^2$. Let $f(x) = (x-1)(x-2)$. Now $f(4) = 6$.", "follows"),
        # An identity is no equation that a value solves.
        (r"$V = \frac43 \pi r^3$. $\frac{dV}{dr} = 4\pi r^2$. $r = 3$.", "not shown"),
        # Two values of x say nothing together.
        (r"$x = 0$, or $x = \sqrt 2$. Then $x^2 + y = y$.", "not shown"),
        (r"$x = \sqrt 7$ or $x = -\sqrt 7$. Now $x^3 = 8$.", "not shown"),
        ("$3p + e = 124$ and $5p + e = 182$. Subtracting, $2p = 58$.", "follows"),
        (r"$\pi = (\frac56, \frac16)$.", "given"),
        (r"$\int 2 \sin x \cos x\,dx = \sin^2 x + C = -\cos^2 x + C$.", "right"),
        (r"$\int 2 \sin x \cos x\,dx = \sin^2 x + C = \cos^2 x + C$.", "wrong"),
        (r"$\int 2 \sin x \cos x\,dx = \sin^2 x = -\cos^2 x$.", "wrong"),
    ],
)
def test_what_holds_in_part_is_judged_as_a_whole(tmp_path: Path, text: str, verdict: str) -> None:
    assert _verdicts(tmp_path, text)[-1][0] == verdict


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("Solve $x^2-5x+6=0$. So $x=2$ or $x=3$.", ["given", "follows", "follows"]),
        ("Solve $x^2-5x+6=0$. So $x=2$ or $x=4$.", ["given", "follows", "wrong"]),
        (r"We solve $z^2 = 9$. Hence $z=\pm 3$.", ["given", "follows"]),
        ("Solve $2^v = 8$; then $v = 4$.", ["given", "wrong"]),
        (r"Solve $w^2-2w-1=0$: $w = 1 + \sqrt 2$, say.", ["given", "follows"]),
        # Said of the intersection on the left, and of cases.
        ("$x^2+x-6=0$, so $x=2$. The other is by symmetry $x=-2$.", ["given", "follows", "not shown"]),
        ("Case 1: $x^2=4$, so $x=2$. Case 2: $x^2=9$, so $x=3$.", ["given", "follows", "given", "follows"]),
    ],
)
def test_roots_follow_from_their_equation(tmp_path: Path, text: str, verdicts: list[str]) -> None:
    assert [verdict for verdict, _ in _verdicts(tmp_path, text)] == verdicts


@pytest.mark.parametrize(
    "lead",
    [
        "Therefore, ",
        "Für alle reellen Zahlen $x$ gilt ",
        "Für jedes $x \\in \\mathbb{R}$ gilt stets ",
        "Somit gilt ",
        "Pour tout réel $x$, on a ",
        "Soit $x$ un réel. Donc ",
        "Para todo número real $x$ se cumple que ",
        "Por lo tanto, ",
        "Per ogni $x$ reale, ",
        "Для любого действительного $x$ имеем ",
        "Следовательно, ",
        "对任意实数 $x$，有",
        "因此",
        # a dotless ı is no i
        "Según la regla sı, para todo número real $x$ se cumple que ",
    ],
)
def test_what_is_said_for_all_numbers_is_judged_in_every_language(tmp_path: Path, lead: str) -> None:
    assert _verdicts(tmp_path, f"{lead}$(x+1)^2 = x^2+1$.", "a.md")[-1][0] == "wrong"
    assert _verdicts(tmp_path, f"{lead}$(x+1)^2 = x^2+2x+1$.", "a.md")[-1][0] == "right"


def test_a_sequence_may_have_the_name_of_an_operation(tmp_path: Path) -> None:
    text = r"Let $\textit{sum}_{x,y} = \textit{sum}_{x-1,y} + a_{x,y}$. Its members add up to $2 + 2 = 5$."
    assert [verdict for verdict, _ in _verdicts(tmp_path, text, "a.md")] == ["given", "wrong"]


@pytest.mark.parametrize(
    "text",
    [
        "Let $x$ be a solution. Then we have $x^2 = x+2$.",
        "Let $x$ be a fixed point of the map. Hence $x^2 = x+2$.",
        "Sei $x$ eine Lösung. Dann gilt $x^2 = x+2$.",
        "Für alle Primzahlen $p$ gilt $p^2 = p+2$.",
        "Soit $x$ une solution. Donc $x^2 = x+2$.",
        "设 $x$ 是方程的根，则 $x^2 = x+2$。",
        "对任意素数 $p$，有 $p^2 = p+2$。",
        "Для всех простых $p$ имеем $p^2 = p+2$.",
        "В кольце вычетов имеем $2 \\cdot 4 = 0$.",
        "在环中，$2 \\cdot 4 = 0$。",
        "若 $n = 0$，则 $1 = 0$，矛盾。",
        "The following is incorrect: $1 + 1 = 3$.",
        "This is wrong: $(a+b)^2 = a^2+b^2$ for all $a$ and $b$.",
        "Das ist falsch: $(a+b)^2 = a^2+b^2$ für alle $a$ und $b$.",
    ],
)
def test_what_is_restricted_denied_or_of_another_domain_is_not_wrong(tmp_path: Path, text: str) -> None:
    assert "wrong" not in [verdict for verdict, _ in _verdicts(tmp_path, text, "a.md")]


def test_an_equation_of_a_system_is_not_accused_of_what_was_made_of_it(tmp_path: Path) -> None:
    text = "$x+y=3$ and $x-y=1$.\n\nAdding, $2x=5$, so $x=5/2$ and $y=1/2$."
    assert [verdict for verdict, _ in _verdicts(tmp_path, text)][:3] == ["given", "not shown", "wrong"]


@pytest.mark.parametrize(
    "text",
    [
        "We look for $n$ with $f(n) = n$. Now $f(2) = 7$.",
        "Let $f(x) = x^2$ for $x > 1$, and $f(x) = x + 5$ for $x < 0$. Then $f(2) = 7$.",
        "Let $f(x) = x^2 + 1$. For which $a$ is $f(a + 1) = 2a$?",
        "Let $f(x) = x^2 + 1$. Suppose $f(2) = 7$.",
        "Let $f(x) = ax + b$. Then $f(2) = 7$.",
    ],
)
def test_functions_of_several_definitions_and_equations_to_be_solved_are_not_wrong(
    tmp_path: Path, text: str
) -> None:
    assert "wrong" not in [verdict for verdict, _ in _verdicts(tmp_path, text)]


def test_html_and_notebooks_keep_their_lines(tmp_path: Path) -> None:
    page = (
        "<p>One\n<span class='math-container'>$1+1=2$</span></p>\n<math><mn>1</mn><mo>=</mo><mn>2</mn></math>"
    )
    assert _verdicts(tmp_path, page, "a.html") == [("right", 2), ("wrong", 3)]
    cells = [
        {"cell_type": "markdown", "source": ["So\n", "$1+1=3$"]},
        {"cell_type": "code", "source": "$1=2$"},
    ]
    book = json.dumps({"cells": cells}, indent=1)
    line = next(n for n, row in enumerate(book.split("\n"), 1) if "1+1=3" in row)
    assert _verdicts(tmp_path, book, "a.ipynb") == [("wrong", line)]


def test_formulas_that_do_not_end_and_broken_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text("one\n$1=2\n\nand \\[3=3\\]", "utf-8")
    found = proofread(Proofread(tmp_path / "a.tex"))
    assert [(bad["line"], bad["what"]) for bad in found["bad"]] == [(2, "$ without $")]
    assert found["counts"]["right"] == 1
    assert exit_code(found) == 1
    (tmp_path / "b.ipynb").write_text('{"cells": [\n', "utf-8")
    with expect_error("E300", path=tmp_path / "b.ipynb"):
        list(read_documents(tmp_path / "b.ipynb"))
    (tmp_path / "c.docx").write_text("x", "utf-8")
    with expect_error("E430", path=tmp_path / "c.docx"):
        list(read_documents(tmp_path / "c.docx"))


def test_sarif_and_html(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "<7>", "text": "$1=1=2$"}\n', "utf-8")
    proofread(Proofread(tmp_path / "a.jsonl", sarif=tmp_path / "a.sarif", html=tmp_path / "a.html"))
    (result,) = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("wrong", "error")
    assert "&lt;7&gt;" in (tmp_path / "a.html").read_text()


def test_links_beyond_the_most_are_said_to_be_left_out(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("$" + "=".join(["1"] * 10_001) + "$", "utf-8")
    (document,) = proofread(Proofread(tmp_path / "long.md"))["documents"]
    assert [link["verdict"] for link in document["links"]] == ["right"] * 2000 + ["unread"]
    assert "2,000 links" in document["links"][-1]["reason"]


def test_posts_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    rows = '<row Id="1" PostTypeId="2" Body="x"/>\n<row Id="2" PostTypeId="1" Title="t" Body="b"/>'
    (tmp_path / "posts.xml").write_text(f"<posts>\n{rows}\n</posts>\n", "utf-8")
    found = proofread(Proofread(tmp_path / "posts.xml"))
    assert found["bad"] == [
        {"file": str(tmp_path / "posts.xml"), "line": 2, "what": "answer 1 has no ParentId"}
    ]
    assert exit_code(found) == 1


def test_posts_stand_on_their_lines_and_a_file_may_be_named_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    post = '<row Id="7" PostTypeId="1" Title="t" Body="&lt;p&gt;$1+1=3$&lt;/p&gt;"/>'
    Path("p.xml").write_text(f"<posts>\n\n{post}\n</posts>\n", "utf-8")
    (document,) = proofread(Proofread(Path("p.xml"), sarif=Path("p.sarif")))["documents"]
    assert document["row"] == 3
    (result,) = json.loads(Path("p.sarif").read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": (tmp_path / "p.xml").as_uri()},
        "region": {"startLine": 3},
    }


def test_the_problem_is_not_judged_and_what_loses_domain_fails(tmp_path: Path) -> None:
    row = {"id": "1", "problem": "Is $1+1=3$?", "solution": r"Now $x = \sqrt{x}^2$."}
    (tmp_path / "a.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    found = proofread(Proofread(tmp_path / "a.jsonl"))
    assert [link["verdict"] for link in found["documents"][0]["links"]] == ["loses domain"]
    assert exit_code(found) == 1


def test_a_row_that_begins_with_an_operator_goes_on(tmp_path: Path) -> None:
    text = "\\begin{align*}10 &= 1 + 2 \\\\ &\\quad + 3 + 4 \\\\ &= 11\\end{align*}"
    assert _verdicts(tmp_path, text, "a.tex") == [("right", 1), ("wrong", 1)]


def test_percent_is_no_comment_outside_latex(tmp_path: Path) -> None:
    text = "<p>So $50% \\cdot 20 = 10$ and <span class='math-container'>$50% \\cdot 20 = 11$</span></p>"
    assert [verdict for verdict, _ in _verdicts(tmp_path, text, "a.html")] == ["right", "wrong"]
    assert [verdict for verdict, _ in _verdicts(tmp_path, "$1 = 1 % = 2\n$", "a.tex")] == ["right"]
    for name in ("a.md", "b.html"):
        assert _verdicts(tmp_path, "Price is cut 15% and then $2+2=5$", name) == [("wrong", 1)]


def test_a_condition_on_two_letters_is_one_on_each(tmp_path: Path) -> None:
    for said in ("Let $a,b>0$.", "Let $a, b > 0$."):
        assert _verdicts(tmp_path, f"{said} Then $\\ln(a^2b)=2\\ln a+\\ln b$.", "a.md")[-1] == ("right", 1)


def test_a_file_that_ends_within_a_row_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "text": "$1=1$"}\n{"id": "2", "te', "utf-8")
    with expect_error("E316", line=2):
        proofread(Proofread(tmp_path / "a.jsonl"))


def test_a_notebook_may_be_one_long_line(tmp_path: Path) -> None:
    """A picture in it is one text; 24 MB, which is more than a row of data may have."""
    picture = {"output_type": "display_data", "data": {"image/png": "A" * 24_000_000}}
    cells = [
        {"cell_type": "code", "source": "plot()", "outputs": [picture]},
        {"cell_type": "markdown", "source": ["So $1+1=2$ holds.\n"]},
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}), "utf-8")
    (document,) = read_documents(tmp_path / "a.ipynb")
    assert [piece.text for piece in document.pieces if piece.formula] == ["1+1=2"]


def test_what_is_not_read_is_a_note_of_sarif(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("$1 \\in N$ and\n\\[1=1\n", "utf-8")
    proofread(Proofread(tmp_path / "a.md", sarif=tmp_path / "a.sarif"))
    results = json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in results]
    assert ([result["level"] for result in results], places) == (["note", "note"], [1, 2])


def test_more_formulas_than_tell_the_letters_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("$x$ " * 10_001, "utf-8")
    (bad,) = proofread(Proofread(tmp_path / "a.md"))["bad"]
    assert "10,000 formulas" in bad["what"]


def _fail_on_seven(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Let the rules fail with an error on chains that begin with 7."""
    judge_chain = LinkJudge.judge_chain

    def judge_or_fail(
        self: LinkJudge, chain: list[ChainLink], next_link: ChainLink | None = None
    ) -> list[LinkVerdict]:
        if chain[0].left == "7":
            raise error
        return judge_chain(self, chain, next_link)

    monkeypatch.setattr(LinkJudge, "judge_chain", judge_or_fail)


def test_a_rule_that_fails_on_one_document_does_not_end_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in {"a.md": "$1+1=2$", "b.md": "$2=2$\n\n$7=7$", "c.md": "$3=3$"}.items():
        (tmp_path / name).write_text(text, "utf-8")
    _fail_on_seven(monkeypatch, ZeroDivisionError("division by zero"))
    events: list[Event] = []
    found = proofread(Proofread(tmp_path), events=events.append)
    assert [(each["id"], len(each["links"])) for each in found["documents"]] == [
        ("a.md", 1),
        ("b.md", 0),
        ("c.md", 1),
    ]
    (bad,) = found["bad"]
    assert (bad["file"], bad["line"]) == (str(tmp_path / "b.md"), 3)
    for said in ("defect of mathwb", "ZeroDivisionError: division by zero", "report"):
        assert said in bad["what"]
    assert [bad["what"] in str(event.data["message"]) for event in events] == [True]
    assert (found["not_judged"], found["counts"]["right"], exit_code(found)) == (1, 2, 1)


def test_a_rule_that_fails_on_one_row_names_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [json.dumps({"id": text, "text": f"one\n${text}$"}) for text in ("1=1", "7=7", "2=2")]
    (tmp_path / "a.jsonl").write_text("\n".join(rows) + "\n", "utf-8")
    _fail_on_seven(monkeypatch, KeyError("x"))
    found = proofread(Proofread(tmp_path / "a.jsonl"))
    assert [each["line"] for each in found["bad"]] == [2]
    assert (found["not_judged"], found["counts"]["right"], exit_code(found)) == (1, 2, 1)


@pytest.mark.parametrize("error", [MemoryError(), StoppedError("stopped")])
def test_what_is_no_defect_ends_the_proofreading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    (tmp_path / "a.md").write_text("$7=7$", "utf-8")
    _fail_on_seven(monkeypatch, error)
    with pytest.raises(type(error)):
        proofread(Proofread(tmp_path))


def test_a_file_on_which_the_reader_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("$1+1=2$", "utf-8")
    (tmp_path / "b.tex").write_text("$7=7$", "utf-8")
    read_expanded = folder._read_expanded

    def read_or_fail(text: str, *others: Any) -> Document:
        if "7" in text:
            raise IndexError("list index out of range")
        return read_expanded(text, *others)

    monkeypatch.setattr(folder, "_read_expanded", read_or_fail)
    found = proofread(Proofread(tmp_path))
    assert [each["file"] for each in found["bad"]] == [str(tmp_path / "b.tex")]
    assert "defect of mathwb" in found["bad"][0]["what"]
    assert (found["counts"]["right"], exit_code(found)) == (1, 1)


def test_warnings_name_the_file_of_a_folder(tmp_path: Path) -> None:
    texts = {"a.md": b"$1+1=2$", "empty.md": b"", "other.tex": b"\xff\xfea"}
    for name, content in texts.items():
        (tmp_path / name).write_bytes(content)
    events: list[Event] = []
    proofread(Proofread(tmp_path), events=events.append)
    warnings = sorted(str(event.data["message"]).partition(": ")[0] for event in events)
    assert warnings == [str(tmp_path / "empty.md"), str(tmp_path / "other.tex")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"Now $\sqrt{x^2} = x$.", ["right if"]),
        (r"Let $\sqrt{x+2} = x$.", ["given"]),
        (r"Now $x = \sqrt{x}^2$ and $\sqrt{y}^2 = y$.", ["loses domain", "right"]),
        (r"We use the fact that $\log ab = \log a + \log b$.", ["right"]),
        (r"Its information is $-\log(\frac{1}{2^4}) = 4 \textrm{ bits}$.", ["right if"]),
        (r"Its information is $-\log(\frac{1}{2^4}) = 5 \textrm{ bits}$.", ["wrong"]),
        (r"On the next sheet $\log 1 = 2\pi i$.", ["not shown"]),
        (r"On the next sheet $\log 1 = 3\pi i$.", ["wrong"]),
        (r"It handles $2 \cdot 10^9 \cdot 16 \cdot 32 = 10^{12}$ bytes.", ["not shown"]),
        (r"It handles $2 \cdot 10^9 \cdot 16 \cdot 32 = 10^{11}$ bytes.", ["wrong"]),
        (r"Simplify: $\log ab = \log a + \log b$.", ["right"]),
        (r"Simplify: $\log a^2 = 2 \log a$.", ["loses domain"]),
        (r"Remember, $\sqrt[3]{x} = x^{1/3}$ and $\sqrt[4]{x^2} = x^{1/2}$.", ["right", "loses domain"]),
        ("Also $(a+b)^2 = a^2+b^2$.", ["wrong"]),
        ("Given $(a+b)^2 = a^2+b^2$ we go on.", ["given"]),
        ("We have $x = 3$, $y = 2x+1$. So $y^3 = 342$.", ["given", "given", "wrong"]),
        ("We have $x = 3$ or $x = 4$. So $x^3 = 28$.", ["given", "not shown", "not shown"]),
        (r"Let $x = k + 1$. Then $\sum_{k=1}^3 x = 9$.", ["given", "not shown"]),
        ("One cannot say that $2 + 2 = 5$.", ["not shown"]),
        ("To the nearest integer $12.7/2 = 7$.", ["not shown"]),
        ("We write $(x+1)^2 - x = x^2 - x + 1$.", ["wrong"]),
        (r"Then $x^2 + 5x - 24 = (x-8)(x-3)$.", ["wrong"]),
        ("Let $x + 1 = 2x$ or $y^2 = y$.", ["given", "given"]),
        (r"Thus $\cos x + \sin x = \sin x \cos x$.", ["wrong"]),
        (r"Let $\cos x + \sin x = \sin x \cos x$.", ["given"]),
        ("We get $2x + 4 = 21$. So $2x = 16$ and hence $x = 8$.", ["wrong", "not shown", "not shown"]),
        ("We get $2x + 4 = 20$. So $2x = 17$ and hence $x = 8$.", ["given", "wrong", "follows"]),
        ("Let $b = a - 31$ and $a + b = 53$. Then $a + (a - 31) = 54$.", ["given", "given", "wrong"]),
        (r"Now $x^2 + 3x = x(x+4) = x(x+3)$.", ["wrong", "wrong"]),
        (r"Then $\sin 30^\circ = \frac13$, and $180^\circ - 50^\circ = 120^\circ$.", ["wrong", "wrong"]),
        (r"So $+30^\circ = -30^\circ$, and $+3 = -3$.", ["wrong", "wrong"]),
        (r"Also $\pm 16^{3/2} = \pm 65$ and $\frac32 \div \frac14 = 5$.", ["wrong", "wrong"]),
        (r"It costs $\$72 - \$60 = \$10$, or $90/2 = 46\text{ mph}$.", ["wrong", "wrong"]),
        (r"So $60 = 5\text{ ft}$ and $6 \cdot (4\frac13) = 6 \cdot \frac92$.", ["not shown", "wrong"]),
        (r"So $7^2 \equiv 8 \pmod{10}$, $9^{-1} \equiv 89 \pmod{100}$.", ["wrong", "right"]),
        (r"So $7^2 \equiv 9 \pmod{10}$ and $7^3 \equiv 4$.", ["right", "wrong"]),
        ("The third side is positive, so $20 + 2x > 0$, which gives $x < 10$.", ["wrong", "given"]),
        ("So $2x < 15$, which gives $x \\le 7$.", ["given", "given"]),
        (r"Thus $(t+1)^2 \pause = t^2+2t+1 \pause = 2t + t^2 + \pause 1$.", ["right", "right"]),
        ("The solutions are $x = 2$ and $x = 3$, so $x^2 - 5x + 6 = 0$.", ["given", "not shown", "follows"]),
        (r"Then $500 \div 13 = 38$ with remainder 6, and $\gcd(132,100) = 4$.", ["not shown", "not shown"]),
    ],
)
def test_verdicts(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert [verdict for verdict, _ in _verdicts(tmp_path, text)] == expected


def test_a_formula_that_is_too_long_is_told(tmp_path: Path) -> None:
    text = "$" + "{" * 1_000_000 + "$ and $" + "(" * 20_000 + "x" + ")" * 20_000 + " = 1$ and $1 + 1 = 2$"
    assert [verdict for verdict, _ in _verdicts(tmp_path, text)] == ["unread", "unread", "right"]


def test_a_file_without_posts_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml"
    path.write_text('<posts><row Id="1" Body="a"></posts', encoding="utf-8")
    with expect_error("E317", path=path):
        proofread(Proofread(path))
