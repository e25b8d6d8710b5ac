"""Formulas of documents and tables: where each stands, what its author's commands mean, its sentence."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import tarfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.core.errors import raise_error
from engines.documents.folder import scan_folder, unit_formulas
from engines.documents.formulas import DocumentFormula
from engines.documents.tex import Macros, collect_definitions, resolve_project_macros, scan_tex
from tests.conftest import expect_error

MAIN = r"""\documentclass{article}
\usepackage{own}
\newcommand{\norm}[1]{\lVert #1\rVert}
\newcommand{\be}{\begin{equation}}
\newcommand{\ee}{\end{equation}}
\begin{document}
Let $x\in\R$. Then, by the triangle inequality,
\be \norm{x+y} \le \norm{x}+\norm{y}. \label{tri} \ee
% $not=this$
\include{parts/two}
\end{document}
"""
TWO = r"""By Cauchy, e.g. in \cite{a}, $\norm{x}^2=0$ iff $x=0$. Next.
\begin{align}
 a &= b \label{x}\\
   &= \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}.
\end{align}
"""


def read(place: Path, column: str | None = None) -> list[DocumentFormula]:
    found = scan_folder(place, {}, column)
    return [
        row
        for unit in found.units
        for row in unit_formulas(found.root, unit.path, found.macros.get(unit.path), column, raise_error)
    ]


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    folder = tmp_path / "paper"
    (folder / "parts").mkdir(parents=True)
    (folder / "main.tex").write_text(MAIN)
    (folder / "own.sty").write_text("\\def\\R{\\mathbb{R}}\n")
    (folder / "parts" / "two.tex").write_text(TWO)
    return folder


LATEX = [
    ("main.tex", 7, r"x\in\mathbb{R}"),
    ("main.tex", 8, r"\lVert x+y\rVert \le \lVert x\rVert+\lVert y\rVert"),
    ("parts/two.tex", 1, r"\lVert x\rVert^2=0"),
    ("parts/two.tex", 1, "x=0"),
    ("parts/two.tex", 3, "a = b"),
    ("parts/two.tex", 4, r"= \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}"),
]


def test_latex_is_read_with_what_its_project_defines(paper: Path) -> None:
    found = read(paper)
    assert [(row.path, row.line, row.latex) for row in found] == LATEX
    assert found[2].sentence == r"By Cauchy, e.g. in , $\lVert x\rVert^2=0$ iff $x=0$."
    assert found[0].sentence == r"Let $x\in\mathbb{R}$."


def test_a_source_as_arxiv_packs_it_reads_as_its_folder(paper: Path, tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "2101.00001.tar.gz", "w:gz") as archive:
        archive.add(paper, arcname=".")
    found = read(tmp_path / "2101.00001.tar.gz")
    places = [(f"2101.00001.tar.gz/{path}", line, latex) for path, line, latex in LATEX]
    assert [(row.path, row.line, row.latex) for row in found] == places
    with gzip.open(tmp_path / "2101.00002.gz", "wt") as file:
        file.write(r"\documentclass{article}\begin{document}$x=1$\end{document}")
    assert [row.latex for row in read(tmp_path / "2101.00002.gz")] == ["x=1"]


def packed(place: Path, texts: dict[str, str], mode: str = "w:gz") -> bytes:
    with tarfile.open(place, mode) as archive:  # type: ignore[call-overload]
        for name, text in texts.items():
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return place.read_bytes()


@pytest.mark.parametrize("kind", ["gz", "xz", "bz2"])
def test_a_damaged_archive_is_said_to_be_one_and_nothing_of_it_is_taken(tmp_path: Path, kind: str) -> None:
    text = "$x=1$ " + "".join(map(str, random.Random(1).sample(range(10**6), 9_000)))
    place = tmp_path / f"a.tar.{kind}"
    whole = packed(place, {"a.tex": text, "b.tex": text}, f"w:{kind}")
    middle = len(whole) // 2
    cut = gzip.compress(gzip.decompress(whole)[:90_000]) if kind == "gz" else whole[:middle]
    for damaged in (whole[:middle] + bytes(200) + whole[middle + 200 :], whole[:middle], cut):
        place.write_bytes(damaged)
        with expect_error("E316"):
            read(place)


def test_places_in_an_archive_stay_in_it(tmp_path: Path) -> None:
    packed(tmp_path / "a.tar.gz", {"../../x.tex": "$x$", "/etc/y.tex": "$y$"})
    assert [row.path for row in read(tmp_path)] == ["a.tar.gz/etc/y.tex", "a.tar.gz/x.tex"]


def test_a_file_of_the_same_size_and_time_is_another(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.md").write_text(f"${name}^2$")
        os.utime(tmp_path / f"{name}.md", (1e9, 1e9))
    before = {unit.path: unit.state for unit in scan_folder(tmp_path, {}).units}
    (tmp_path / "b.md").replace(tmp_path / "a.md")
    assert scan_folder(tmp_path, {}).units[0].state != before["a.md"]


def test_packed_latex_knows_its_own_commands_and_odd_names_are_counted(tmp_path: Path) -> None:
    for name, text in (("a.tex.gz", r"\def\R{\mathbb{R}} $x\in\R$"), ("b.sty.gz", r"\def\R{r}")):
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))
    assert [row.latex for row in read(tmp_path)] == [r"x\in\mathbb{R}"]
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md")).write_text("$x$")
    (tmp_path / "c.csv").write_bytes("latex\nx".encode("utf-16"))
    found = scan_folder(tmp_path, {})
    assert found.left_out == {"with a name that is not UTF-8": 1}
    assert [unit.path for unit in found.units] == ["a.tex.gz", "c.csv"]


def test_files_that_input_each_other_end() -> None:
    scans = {"a.tex": scan_tex(r"\input{b}\def\A{1}"), "b.tex": scan_tex(r"\input{a}\def\B{2}")}
    assert {path: one.expand_macros(r"\A\B") for path, one in resolve_project_macros(scans).items()} == {
        "a.tex": "12",
        "b.tex": "12",
    }


def test_commands_are_written_out_as_their_authors_mean_them() -> None:
    own = Macros(
        collect_definitions(
            r"\newcommand*{\abs}[1]{\left|#1\right|}\DeclareMathOperator{\tr}{tr}\let\eps=\varepsilon"
            r"\newcommand{\ip}[2][x]{\langle #1,#2\rangle}\renewcommand\abs[1]{|#1|}\newcommand{\broken}{"
        )
    )
    assert own.expand_macros(r"\abs{\eps} + \tr A \ip{y}\ip[a]{b} \text{if so}") == (
        r"|\varepsilon| + \operatorname{tr} A \langle x,y\rangle\langle a,b\rangle \text{if so}"
    )
    assert own.expand_macros(r"\frac{1}{2}") == r"\frac{1}{2}"


def test_tables_of_formulas_and_of_texts(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,latex\nq1,x^2\nq2,"\\sqrt{a,\nb}"\nq3,y\n')
    (tmp_path / "b.tsv").write_text('name\tformula\none "odd\tx\ntwo\ty^2\n')
    (tmp_path / "c.jsonl").write_text(json.dumps({"id": 7, "text": "If $a$ then $b$."}) + "\n")
    pq.write_table(pa.table({"mine": ["a+b", None, "c"]}), tmp_path / "d.parquet")
    found = read(tmp_path)
    assert [(row.path, row.line, row.row, row.latex) for row in found] == [
        ("a.csv", 2, "q1", "x^2"),
        ("a.csv", 3, "q2", "\\sqrt{a,\nb}"),
        ("a.csv", 5, "q3", "y"),
        ("b.tsv", 2, "", "x"),
        ("b.tsv", 3, "", "y^2"),
        ("c.jsonl", 1, "7", "a"),
        ("c.jsonl", 1, "7", "b"),
    ]
    assert found[-1].sentence == "If $a$ then $b$."
    with expect_error("E318"):
        read(tmp_path / "d.parquet")
    assert [row.latex for row in read(tmp_path / "d.parquet", "mine")] == ["a+b", "c"]


MARKDOWN = """A disc costs $5 and a box $6, but $x=1$ and $2n$ hold.

```math
\\zeta(2) = 1
```

```python
"$no$"
```

GitHub writes $`a+b`$ too.
"""


def test_markdown_has_blocks_of_mathematics_and_amounts_of_money(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(MARKDOWN)
    found = [(one.line, one.latex) for one in read(tmp_path)]
    assert found == [(1, "x=1"), (1, "2n"), (4, "\\zeta(2) = 1"), (11, "a+b")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Let $2 n $ be even and $k$ odd, $10 x $ and $3$.", ["2 n", "k", "10 x", "3"]),
        ("It is $5 and $x$ is, from $5 to $7 at $n$.", ["x", "n"]),
    ],
)
def test_a_number_before_a_blank_is_money_only_beside_words_or_another(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    (tmp_path / "a.md").write_text(text)
    assert [one.latex for one in read(tmp_path)] == expected


def test_a_paragraph_of_html_ends_its_sentence_once(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        "<h1>Heat</h1><p>We take $k^3+1$.</p><p>And so on, $x$ ...</p><li>$y$ is one</li>"
    )
    found = [one.sentence for one in read(tmp_path)]
    assert found == ["We take $k^3+1$.", "And so on, $x$ ...", "$y$ is one."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<math><mi>x</mi> and <math> of $y$<p>and $z$", ["y", "z"]),
        ("<math><mi>x</mi></math> <math><mi>y</mi> $z$", ["x", "z"]),
        ("<m:math> $x$ <math><mi>y</mi></math> <pre> $z$", ["x", "y", "z"]),
        ("<!-- $x$ --> <!-- $y$", ["y"]),
        ("<pre>$x$</PRE> <pre>$y$ <script>$z$</script>", ["y"]),
        ("<code>$x$ <code>$y$ <math><mi>z</mi></math>", ["x", "y", "z"]),
        ("$x$ < <b $y$", ["x", "y"]),
    ],
)
def test_markup_of_html_that_does_not_end_hides_nothing(
    tmp_path: Path, text: str, expected: list[str]
) -> None:
    (tmp_path / "a.html").write_text(text)
    assert [one.latex for one in read(tmp_path)] == expected


def test_a_heading_is_no_part_of_the_sentence_behind_it(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(
        "\\section[short]{Norms}\nFor all $x$ it holds.\\subsection*{On}\nTake $y$."
    )
    assert [one.sentence for one in read(tmp_path)] == ["For all $x$ it holds.", "Take $y$."]
    (tmp_path / "a.tex").unlink()
    (tmp_path / "b.md").write_text("# Norms\nFor all $x$ it holds\n\n## On\nTake $y$.")
    assert [one.sentence for one in read(tmp_path)] == ["For all $x$ it holds", "Take $y$."]


def test_a_dump_of_stack_exchange_has_formulas_between_dollars(tmp_path: Path) -> None:
    row = '<row Id="{}" PostTypeId="{}" {} Title="On $p^2$" Body="&lt;p&gt;See $x_1$.&lt;/p&gt;" />\n'
    rows = row.format(1, 1, "") + row.format(2, 2, 'ParentId="1"')
    (tmp_path / "Posts.xml").write_text(f"<?xml version='1.0'?>\n<posts>\n{rows}</posts>")
    found = read(tmp_path)
    assert [(one.line, one.row, one.latex) for one in found] == [
        (3, "1", "p^2"),
        (3, "1", "x_1"),
        (4, "2", "p^2"),
        (4, "2", "x_1"),
    ]


def test_pdf_is_never_passed_over_in_silence(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / "a.md").write_text("$x$")
    assert scan_folder(tmp_path, {}).left_out[".pdf"] == 1
    with expect_error("E430") as caught:
        scan_folder(tmp_path / "a.pdf", {})
    assert "Markdown" in caught.value.remedy


def test_a_change_in_a_preamble_changes_the_state_of_what_is_read_with_it(paper: Path) -> None:
    before = {unit.path: unit.state for unit in scan_folder(paper, {}).units}
    (paper / "own.sty").write_text("\\def\\R{\\mathbf{R}}\n")
    after = {unit.path: unit.state for unit in scan_folder(paper, {}).units}
    assert {path for path in after if after[path] != before[path]} == {"main.tex", "parts/two.tex"}


def test_commands_with_signatures_and_pairs_of_delimiters_are_written_out() -> None:
    own = Macros(
        collect_definitions(
            r"\DeclareDocumentCommand \Val { m o } {\mathrm{v}\IfNoValueTF{#2}{}{_{#2}}(#1)}"
            r"\NewDocumentCommand{\E}{s O{X} d()}{E\IfBooleanT{#1}{^*}[#2\IfValueT{#3}{ | #3}]}"
            r"\DeclareDocumentCommand \Entails { t{/} } {\IfBooleanTF {#1}{\nvDash}{\vDash}}"
            r"\DeclarePairedDelimiter\norm{\lVert}{\rVert}\DeclareDocumentMacro \Nat {\mathbb{N}}"
            r"\newcommand{\drawn}[1]{\setbox0=\hbox{#1}}"
        )
    )
    assert own.expand_macros(r"\Val{t} = \Val{t}[s]") == r"\mathrm{v}(t) = \mathrm{v}_{s}(t)"
    assert own.expand_macros(r"\E, \E*, \E[Y](Z)") == "E[X], E^*[X], E[Y|Z]"
    assert own.expand_macros(r"A \Entails/ B \Entails C") == r"A \nvDash B \vDash C"
    assert own.expand_macros(r"\norm{x} \norm*{y} \Nat") == r"\lVert x\rVert \lVert y\rVert \mathbb{N}"
    assert own.expand_macros(r"\drawn{x}") == r"\drawn{x}"


def test_a_subfile_is_read_with_the_definitions_of_its_main_file() -> None:
    scans = {
        "inc/main.tex": scan_tex(r"\documentclass{book}\input{\top/sty/own.sty}"),
        "sty/own.sty": scan_tex(r"\newcommand{\R}{\mathbb{R}}"),
        "a/b.tex": scan_tex(r"\documentclass[../inc/main]{subfiles}"),
    }
    assert resolve_project_macros(scans)["a/b.tex"].expand_macros(r"\R") == r"\mathbb{R}"


def test_a_command_before_a_path_stands_for_its_folder() -> None:
    scans = {
        "main.tex": scan_tex(r"\def\where{parts}\input{\where/own.tex}\input{\where/a}\begin{document}"),
        "parts/own.tex": scan_tex(r"\newcommand{\R}{\mathbb{R}}"),
        "parts/a.tex": scan_tex(r"$\R$"),
    }
    assert resolve_project_macros(scans)["parts/a.tex"].expand_macros(r"\R") == r"\mathbb{R}"


@pytest.mark.parametrize("name", ["a.Rmd", "a.qmd"])
def test_markdown_with_code_that_runs_is_markdown(name: str, tmp_path: Path) -> None:
    text = (
        "---\ntitle: x\n---\nSo $a=b$.\n\n```{r, echo=FALSE}\nx <- y$z; w$v\n```\n\nNow `r a$b` and $c=d$.\n"
    )
    (tmp_path / name).write_text(text)
    assert [row.latex for row in read(tmp_path)] == ["a=b", "c=d"]
