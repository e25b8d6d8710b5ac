"""LaTeXML as a reader: how the program is called and its output taken apart, by a stand-in for it, and by the
program itself where it is installed.

The stand-in reads the document that it is given and writes the MathML below, as LaTeXML writes it; a brace
that is never closed swallows what follows.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from pathlib import Path

import psutil
import pytest

from engines.core.errors import EngineError
from engines.core.system import asset
from engines.formula import latexml as module
from engines.formula.content_mathml import read_content_mathml
from engines.formula.latexml import convert_with_latexml
from engines.formula.operator_tree_parser import operator_tree
from engines.formula.symbol_layout import layout_tree
from engines.mathamr.trees import ParseOpt, ParseSlt, opt, slt
from tests.conftest import expect_error

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
        assert opt(ParseOpt(latex, reader="latexml")) == operator_tree(latex).to_document()
        assert slt(ParseSlt(latex, reader="latexml")) == layout_tree(latex).to_document()


def test_a_bad_formula_harms_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that swallows what follows, one without meaning, and one that would read a file, in one batch."""
    _installed(tmp_path, monkeypatch, MATHML)
    given = ["x^2", "{a", "a+1", "y", r"\input{/etc/hostname}", "x"]
    made = list(convert_with_latexml(given))
    assert [one is not None for one in made] == [True, False, True, False, False, True]
    file = tmp_path / "formulas.jsonl"
    file.write_text(
        "".join(json.dumps({"id": n, "latex": one}) + "\n" for n, one in enumerate(given)), "utf-8"
    )
    rows = list(opt(ParseOpt(file=file, reader="latexml")))
    assert [row["tree"]["label"] for row in rows] == ["O!SUP", "E!", "U!plus", "E!", "E!", "V!x"]
    assert rows[1]["errors"] == [{"start": 0, "end": 2, "latex": "{a"}]
    said: list[str] = []
    shown = list(
        slt(ParseSlt(file=file, reader="latexml"), events=lambda event: said.append(event.data["message"]))
    )
    assert [row["tree"] is None for row in shown] == [False, True, False, True, True, False]
    assert len(said) == 3


@pytest.mark.parametrize(
    "latex",
    [
        r"\input{/etc/hostname}",
        r"\csname input\endcsname{/etc/hostname}",
        r"\@@input /etc/hostname",
        "^^5cinput{/etc/hostname}",
        "^^^^005cinput{/etc/hostname}",
        r"\InputIfFileExists{/etc/hostname}{}{}",
        r"\lstinputlisting{/etc/hostname}",
        r"\verbatiminput{/etc/hostname}",
        r"\RequirePackage{/tmp/evil}",
        r"\usepackage{/tmp/evil}",
        r"\includegraphics{/etc/hostname}",
        r"\openin3=x",
        r"\write18{id}",
        r"\special{x}",
        r"\catcode`\@=0",
        r"\expandafter\relax",
        r"\begin{input}",
        r"\begin {filecontents}",
        r"\begin\relax",
        "\\begin%\n{input}",
        r"\end{document}",
        r"\text{\input{/etc/hostname}}",
        r"\frac@x",
        r"\def\frac{x}",
        r"\newcommand{\x}{y}",
        r"\let\x\y",
    ],
)
def test_only_known_commands_come_to_the_program(
    latex: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _installed(tmp_path, monkeypatch, {**MATHML, latex: MATHML["x"]})
    assert [one is not None for one in convert_with_latexml(["x", latex])] == [True, False]


def test_what_formulas_have_is_known() -> None:
    """The tokens of ARQMath's formulas that are commands, but for those that define others."""
    with asset("latex/tokens.tsv").open(encoding="utf-8") as file:
        rows = [line.split("\t")[0] for line in file][1:]
    commands = [one for one in rows if one.startswith("\\") and one not in (r"\begin", r"\end")]
    assert len(commands) > 400
    refused = {one for one in commands if not module.is_harmless(one)}
    assert refused == {r"\def", r"\newcommand", r"\DeclareMathOperator"}
    assert module.is_harmless(r"\begin{array}{c|c} 1 & 2 \\ \hline 3\ 4 & 5\% \end{array}")


ABOUT = """#!{python}
import json, os, resource, sys
asked = resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE
about = dict(options=sys.argv[1:], place=os.getcwd(), files=os.listdir(), told=dict(os.environ))
about["limits"] = [resource.getrlimit(one)[0] for one in asked]
open({told!r}, "w").write(json.dumps(about))
{then}
"""


def _telling(place: Path, monkeypatch: pytest.MonkeyPatch, then: str = "") -> Path:
    told = place / "about.json"
    program = place / "latexmlc"
    program.write_text(ABOUT.format(python=sys.executable, told=str(told), then=then), "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(place))
    return told


def test_the_program_has_limits_and_finds_its_own_files_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("TEXINPUTS", "LATEXMLINPUTS", "TEXMFHOME", "MATHWB_LLM_KEY", "BASH_ENV", "ENV"):
        monkeypatch.setenv(name, str(tmp_path))
    told = _telling(tmp_path, monkeypatch)
    with pytest.raises(EngineError):
        list(convert_with_latexml(["x"]))
    about = json.loads(told.read_text())
    assert {"formulas.tex"} <= set(about["files"]) <= {"formulas.tex", "errors.txt"}
    assert about["told"]["HOME"] == about["told"]["TMPDIR"] == about["place"]
    assert set(about["told"]) <= {
        "PATH",
        "PERL5LIB",
        "HOME",
        "TMPDIR",
        "LC_ALL",
        "PWD",
        "SHLVL",
        "_",
        "OLDPWD",
        "LC_CTYPE",
    }
    assert {"--expire=-1", "--port=1"} <= set(about["options"])
    memory, seconds, file = about["limits"]
    assert (memory, file) == (2 * 2**30, 2**27)
    assert 0 < seconds < 120
    assert not Path(about["place"]).exists()


def test_what_takes_too_much_is_ended_with_all_that_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    then = (
        "import subprocess, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'child')!r}, 'w').write(str(child.pid))\n"
        "time.sleep(600)"
    )
    _telling(tmp_path, monkeypatch, then)
    monkeypatch.setattr(module, "_START_S", 3)
    monkeypatch.setattr(module, "_EACH_S", 0)
    with expect_error("E378"):
        list(convert_with_latexml(["x"]))
    child = int((tmp_path / "child").read_text())
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(child).wait(10)
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE
    _telling(tmp_path, monkeypatch, "held = bytearray(3 * 2**30)")
    with expect_error("E378"):
        list(convert_with_latexml(["x"]))


@pytest.mark.skipif(shutil.which("latexmlc") is None, reason="LaTeXML is not installed")
def test_the_program_itself_reads_the_same_trees() -> None:
    given = [r"\frac{a}{b}+c^2", r"\int_0^1 x\,dx", r"\frac{1}{", r"a_{n}\geq 0"]
    made = list(convert_with_latexml(given))
    assert made[2] is None
    read = [str(read_content_mathml(one.content).sort_operands()) for one in made if one]
    assert read == [str(operator_tree(latex).sort_operands()) for latex in given if latex != given[2]]


def test_batches_keep_the_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _installed(tmp_path, monkeypatch, MATHML)
    monkeypatch.setattr(module, "_BATCH", 2)
    made = list(convert_with_latexml(["x", "a+1", "x^2"]))
    labels = [str(read_content_mathml(one.content)) for one in made if one]
    assert labels == [str(operator_tree(latex)) for latex in ("x", "a+1", "x^2")]


def test_a_program_that_is_missing_or_does_not_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with expect_error("E377") as missing:
        opt(ParseOpt("x", reader="latexml"))
    assert missing.value.code == "E377"
    _installed(tmp_path, monkeypatch, {"broken": ("", "")})
    with expect_error("E378") as broken:
        opt(ParseOpt("x", reader="latexml"))
    assert broken.value.code == "E378"
