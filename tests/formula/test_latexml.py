"""LaTeXML as a reader: how the program is called and its output taken apart, by a stand-in for it, and by the
program itself where it is installed.

The stand-in reads the document that it is given and writes the MathML below, as LaTeXML writes it; a brace
that is never closed swallows what follows.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from engines.core.errors import EngineError
from engines.formula import mathml as module
from engines.formula.mathml import latexml, read_content_mathml
from engines.formula.parser import operator_tree
from engines.formula.symbol_layout import layout_tree
from engines.mathamr.trees import Opt, Slt, opt, slt

MATHML = {
    "x^2": (
        "<msup><mi>x</mi><mn>2</mn></msup>",
        '<apply><csymbol cd="ambiguous">superscript</csymbol><ci>x</ci><cn type="integer">2</cn></apply>',
    ),
    "a+1": ("<mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow>", "<apply><plus/><ci>a</ci><cn>1</cn></apply>"),
    "x": ("<mi>x</mi>", "<ci>x</ci>"),
}
STAND_IN = """#!{python}
import re, sys
known = {known!r}
options = dict(one.partition("=")[::2] for one in sys.argv[1:-1])
assert {{"--pmml", "--cmml", "--quiet"}} <= options.keys()
text = open(sys.argv[-1], encoding="utf-8").read().split(chr(92) + "begin{{document}}")[1]
if "broken" in known:
    sys.exit("Fatal:perl:die no")
parts = []
for mark, latex in re.findall(r"(mathwb\\d+formula) \\$(.*)\\$", text):
    if latex.count("{{") != latex.count("}}"):
        parts.append("<p>" + mark + "<math/></p>")
        break
    shown, meant = known.get(latex, ("<mi>?</mi>", ""))
    meant = meant and '<annotation-xml encoding="MathML-Content">' + meant + "</annotation-xml>"
    parts.append("<div><p>" + mark + ' <math alttext="' + latex + '"><semantics>' + shown + meant
                 + "</semantics></math></p></div>")
page = '<html xmlns="http://www.w3.org/1999/xhtml"><body>' + "".join(parts) + "</body></html>"
open(options["--destination"], "w", encoding="utf-8").write(page)
"""


def _installed(place: Path, monkeypatch: pytest.MonkeyPatch, known: dict[str, tuple[str, str]]) -> None:
    program = place / "latexmlc"
    program.write_text(STAND_IN.format(python=sys.executable, known=known), "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(place))


def test_trees_are_those_of_the_same_formulas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(tmp_path, monkeypatch, MATHML)
    for latex in MATHML:
        assert opt(Opt(latex, reader="latexml")) == operator_tree(latex).document()
        assert slt(Slt(latex, reader="latexml")) == layout_tree(latex).document()


def test_a_bad_formula_harms_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that swallows what follows, one without meaning, and one that would read a file, in one batch."""
    _installed(tmp_path, monkeypatch, MATHML)
    given = ["x^2", "{a", "a+1", "y", r"\input{/etc/hostname}", "x"]
    made = list(latexml(given))
    assert [one is not None for one in made] == [True, False, True, False, False, True]
    file = tmp_path / "formulas.jsonl"
    file.write_text(
        "".join(json.dumps({"id": n, "latex": one}) + "\n" for n, one in enumerate(given)), "utf-8"
    )
    rows = list(opt(Opt(file=file, reader="latexml")))
    assert [row["tree"]["label"] for row in rows] == ["O!SUP", "E!", "U!plus", "E!", "E!", "V!x"]
    assert rows[1]["errors"] == [{"start": 0, "end": 2, "latex": "{a"}]
    said: list[str] = []
    shown = list(
        slt(Slt(file=file, reader="latexml"), events=lambda event: said.append(event.data["message"]))
    )
    assert [row["tree"] is None for row in shown] == [False, True, False, True, True, False]
    assert len(said) == 3


@pytest.mark.skipif(shutil.which("latexmlc") is None, reason="LaTeXML is not installed")
def test_the_program_itself_reads_the_same_trees() -> None:
    given = [r"\frac{a}{b}+c^2", r"\int_0^1 x\,dx", r"\frac{1}{", r"a_{n}\geq 0"]
    made = list(latexml(given))
    assert made[2] is None
    read = [str(read_content_mathml(one.content).sorted()) for one in made if one]
    assert read == [str(operator_tree(latex).sorted()) for latex in given if latex != given[2]]


def test_batches_keep_the_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(tmp_path, monkeypatch, MATHML)
    monkeypatch.setattr(module, "_BATCH", 2)
    made = list(latexml(["x", "a+1", "x^2"]))
    labels = [str(read_content_mathml(one.content)) for one in made if one]
    assert labels == [str(operator_tree(latex)) for latex in ("x", "a+1", "x^2")]


def test_a_program_that_is_missing_or_does_not_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match="not on the PATH") as missing:
        opt(Opt("x", reader="latexml"))
    assert missing.value.code == "E377"
    _installed(tmp_path, monkeypatch, {"broken": ("", "")})
    with pytest.raises(EngineError, match="perl:die") as broken:
        opt(Opt("x", reader="latexml"))
    assert broken.value.code == "E378"
