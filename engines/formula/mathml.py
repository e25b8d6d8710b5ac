"""MathML as operator trees, and LaTeXML, which writes it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from engines.core.errors import DataError, EngineError
from engines.formula.operator_tree import ABSENT, OperatorTree, apply_operator, deep_recursion, make_fragments
from engines.formula.symbols import list_symbols

if TYPE_CHECKING:
    from lxml.etree import _Element


def mathml_root(xml: str) -> _Element:
    """Return the outermost element, without comments; nothing outside the text is read.

    Raises:
        DataError: E317 for text that is no XML.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        return etree.fromstring(xml.encode(), parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise DataError(f"not well-formed MathML: {error}", code="E317") from error


def name_of(element: _Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


_UNORDERED = "times plus eq neq approx equivalent union intersect and or"
_ORDERED = (
    "minus divide lt gt leq geq subset prsubset notsubset in notin forall exists not implies int sum product"
    " partialdiff limit factorial compose root setdiff rem power quotient"
)
_FUNCTIONS = (
    "sin cos tan sec csc cot sinh cosh tanh sech csch coth arcsin arccos arctan arcsinh arccosh arctanh exp"
    " log ln min max gcd lcm abs floor ceiling arg real imaginary conjugate"
)
_CONSTANTS = "infinity emptyset exponentiale imaginaryi pi eulergamma reals integers naturalnumbers rationals"
_LABELS: Mapping[str, str] = {
    **{name: f"U!{name}" for name in _UNORDERED.split()},
    **{name: f"O!{name}" for name in _ORDERED.split()},
    **{name: f"F!{name}" for name in _FUNCTIONS.split()},
    **{name: f"C!{name}" for name in _CONSTANTS.split()},
    "determinant": "F!det",
}
_SYMBOLS: Mapping[str, str] = {
    "superscript": "O!SUP",
    "subscript": "O!SUB",
    "fragments": "O!fragments",
    "formulae-sequence": "O!form-seq",
    "missing-subexpression": "W!",
    "absent": "W!",
    "for-all": "O!forall",
    "modulo": "O!rem",
    "similar-to": "U!similar-to",
    "approximately-equals": "U!approx",
    "iff": "U!iff",
    "delimited-[]": "M!D-lsqb;&rsqb;",
    "hyperbolic-cotangent": "F!coth",
}
"""What LaTeXML names in words; all others are ordered operators of their name."""
_CLOSURES = {"open": "O-O", "closed": "C-C", "open-closed": "O-C", "closed-open": "C-O"}
_ESCAPES = {"[": "&lsqb;", "]": "&rsqb;", ",": "&comma;", "?": "&quest;"}
"""Characters that the published labels spell out."""


def read_content_mathml(xml: str) -> OperatorTree:
    """Return the operator tree of a `<math>` element of Content MathML.

    >>> str(read_content_mathml("<math><apply><plus/><ci>x</ci><cn>1</cn></apply></math>"))
    '(U!plus V!x N!1)'

    Raises:
        DataError E317: for text that is no XML.
    """
    children = list(mathml_root(xml))
    if not children:
        return ABSENT
    with deep_recursion():
        result = _to_tree(children[0])
    return result.cut_deep_parts() if result.is_too_tall() else result


def _to_tree(element: _Element) -> OperatorTree:
    name = name_of(element)
    children = list(element)
    # Content markup names its operators by elements; these have children with a meaning of their own.
    if name == "apply":
        return _apply_operator(children)
    if name == "cerror":
        return make_fragments([_to_tree(child) for child in children[1:]])
    if name in ("ci", "cn", "mtext", "csymbol"):
        return _leaf_to_tree(name, element)
    if name == "interval":
        closure = _CLOSURES.get(element.get("closure", "closed"), "C-C")
        return OperatorTree(f"O!interval({closure})", tuple(map(_to_tree, children)))
    # The label contains the number of elements, so that collections of different sizes differ.
    if name in ("set", "list", "vector"):
        return OperatorTree(f"M!{name[0].upper()}-{len(children)}", tuple(map(_to_tree, children)))
    if name == "matrix":
        rows = tuple(map(_to_tree, children))
        width = max((len(row.children) for row in rows), default=0)
        return OperatorTree(f"M!M-{len(rows)}x{width}", rows)
    if name == "matrixrow":
        return OperatorTree("M!R!", tuple(map(_to_tree, children)))
    if name == "merror":
        return OperatorTree("E!", tuple(map(_to_tree, children)))
    # Anything else is an operator without operands, or unknown, which "-!" marks.
    return OperatorTree(_LABELS.get(name, f"-!{name}"), tuple(map(_to_tree, children)))


def _leaf_to_tree(name: str, element: _Element) -> OperatorTree:
    text = unicodedata.normalize("NFKC", "".join(map(str, element.itertext())).strip())
    if name == "cn":
        return OperatorTree(f"N!{text}")
    if name == "mtext":
        return ABSENT if len(element) else OperatorTree(f"T!{text}")
    if name == "ci":
        if len(element):
            return ABSENT
        # LaTeXML names letters that have two shapes: italic-ϵ.
        return OperatorTree(f"V!{_ESCAPES.get(text, text)}")
    if len(element):
        return _to_tree(element[0])
    if element.get("cd") == "unknown":
        return OperatorTree(f"-!{text.lower()}")
    return OperatorTree(_SYMBOLS.get(text, f"O!{text}"))


def _apply_operator(children: Sequence[_Element]) -> OperatorTree:
    if not children:
        return ABSENT
    degree = next((child for child in children[1:] if name_of(child) == "degree"), None)
    operands = [_to_tree(child) for child in children[1:] if name_of(child) not in ("degree", "share")]
    operator = _to_tree(children[0])
    if operator.label == "O!root":
        operands.append(_to_tree(degree[0]) if degree is not None and len(degree) else OperatorTree("N!2"))
    elif operator == OperatorTree("O!int"):
        operands += [ABSENT, ABSENT]
    if operator.label.startswith(("V!", "-!")) and not operator.children:
        operator = OperatorTree(f"F!{operator.label[2:]}")
    return apply_operator(operator, operands)


PROGRAM = "latexmlc"
_OPTIONS = (
    *("--quiet", "--format=xhtml", "--pmml", "--cmml", "--nocomments", "--nodefaultresources"),
    # Or it would ask whoever listens at its usual port, and leave a server there.
    *("--expire=-1", "--address=127.0.0.1", "--port=1"),
)
# Starting the program takes seconds, so many formulas are converted in one run.
_BATCH = 200
_START_S, _EACH_S = 60, 2
"""Seconds that a run may take: to start, and for each formula."""
_MEMORY_KIB, _FILE_BLOCKS = 2 * 2**20, 2**18
"""What a run may take: of memory, and of each file that it writes, in blocks of 512 bytes."""
_ENVIRONMENT = ("PATH", "PERL5LIB")
"""What the program is told of the surroundings: where it and its modules are."""
_MARK = re.compile(r"mathwb(\d+)formula")
_COMMAND = re.compile(r"\\(?:[A-Za-z@]+|.|\Z)", re.DOTALL)
_BEGIN = re.compile(r"\\(?:begin|end)(?![A-Za-z@])\s*(?:\{([A-Za-z]+\*?)\})?")
_DEFINING = frozenset((r"\def", r"\newcommand", r"\renewcommand", r"\DeclareMathOperator"))
"""Of the known commands those that could give another meaning to the rest."""
_HEAD = "\\documentclass{article}\n\\usepackage{amsmath,amssymb}\n\\begin{document}\n"


@dataclass(frozen=True, slots=True)
class MathMl:
    """What LaTeXML makes of a formula: two `<math>` elements, as text."""

    presentation: str
    content: str


def convert_with_latexml(formulas: Sequence[str]) -> Iterator[MathMl | None]:
    """Yield the MathML of each formula by LaTeXML, in order; None for one that it makes nothing of, or that
    is not made of known commands alone: others read files, and LaTeXML runs some of these as programs.

    A document is made in which a mark stands before each formula. Where not exactly one formula follows a
    mark, as after a brace that is never closed, the batch is halved, so that a bad formula harms no other.

    Raises:
        EngineError: E377 where the program is not installed, E378 where it does not work.
    """
    if shutil.which(PROGRAM) is None:
        raise EngineError(
            f"{PROGRAM} is not on the PATH",
            code="E377",
            remedy="Install LaTeXML, or leave --reader out: the built-in reader needs nothing.",
        )
    for begin in range(0, len(formulas), _BATCH):
        yield from _convert_batch(formulas[begin : begin + _BATCH])


def is_harmless(latex: str) -> bool:
    r"""Return whether a formula has only commands and environments of LaTeX's and amsmath's formulas.

    >>> is_harmless(r"\frac{1}{2}"), is_harmless(r"\csname input\endcsname"), is_harmless(r"\begin{input}")
    (True, False, False)
    """
    known = list_symbols()
    return (
        "^^" not in latex  # another way to write any character
        and all(
            name == "\\ " or (name in known and name not in _DEFINING)
            for name in _COMMAND.findall(latex.replace("\n", " "))
        )
        and all(name in known and known[name].group == "environments" for name in _BEGIN.findall(latex))
    )


def _convert_batch(formulas: Sequence[str]) -> list[MathMl | None]:
    result: list[MathMl | None] = [None] * len(formulas)
    # Formulas that could harm the program are never passed on; their result stays None.
    pending = [[at for at, one in enumerate(formulas) if one.strip() and is_harmless(one)]]
    while pending:
        positions = pending.pop()
        if not positions:
            continue
        made = _run_latexml([formulas[index] for index in positions])
        if isinstance(made, list):
            for place, one in zip(positions, made, strict=True):
                result[place] = one
        # A batch that fails as a whole is halved until the formula at fault is alone, so that the others
        # get their result in O(log n) further runs.
        elif len(positions) > 1:
            middle = len(positions) // 2
            pending += [positions[middle:], positions[:middle]]
    # If nothing could be converted, check whether the program works at all.
    if not any(result) and isinstance(said := _run_latexml(["x"]), str):
        raise EngineError(
            f"{PROGRAM} cannot convert x: {said}",
            code="E378",
            remedy=f"Try it by hand: {PROGRAM} --pmml --cmml FILE.tex",
        )
    return result


def _run_latexml(formulas: Sequence[str]) -> list[MathMl] | str:
    """Return the MathML of formulas; or, where they cannot all be told apart, what went wrong."""
    from lxml import etree

    # Each formula follows a paragraph with its number, by which its output is found again.
    body = "".join(f"\\par mathwb{at}formula ${one.strip()}$\n" for at, one in enumerate(formulas))
    with TemporaryDirectory(prefix="mathwb-") as place:
        source, out = Path(place) / "formulas.tex", Path(place) / "formulas.xhtml"
        source.write_text(f"{_HEAD}{body}\\end{{document}}\n", encoding="utf-8")
        errors = Path(place) / "errors.txt"
        try:
            _run_limited([*_OPTIONS, f"--destination={out}", str(source)], errors, len(formulas))
        except (subprocess.TimeoutExpired, OSError) as error:
            return f"it cannot be run: {type(error).__name__}"
        if not out.exists():
            lines = errors.read_text("utf-8", "replace").split("\n")
            return next((line.strip()[:160] for line in reversed(lines) if line.strip()), "no output")
        # The output is not trusted: no entities, no network.
        try:
            parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
            root = etree.fromstring(out.read_bytes(), parser)
        except etree.XMLSyntaxError as error:
            return f"no XML: {error.msg}"
    # Exactly one formula must follow each mark, or the results could be attributed to the wrong formula.
    behind: dict[int, list[_Element]] = {}
    for mark, element in _walk_formulas(root):
        behind.setdefault(mark, []).append(element)
    if list(behind) != list(range(len(formulas))) or any(len(own) != 1 for own in behind.values()):
        return "its output does not separate the formulas"
    made = [one for own in behind.values() if (one := _split_formula(own[0])) is not None]
    return made if len(made) == len(formulas) else "no parallel markup"


def _run_limited(options: Sequence[str], errors: Path, formulas: int) -> None:
    """Run the program in the folder of `errors`, with limits of memory, time and files, and with nothing to
    find but its own files: the folder is its home and all of its search path.

    Raises:
        OSError: TimeoutExpired, when it and what it has started have been ended.
    """
    seconds = _START_S + _EACH_S * formulas
    # Not `resource.setrlimit` in the child: this process may have threads. Not every system has each limit.
    shell = f'ulimit -v {_MEMORY_KIB}; ulimit -f {_FILE_BLOCKS}; ulimit -t {seconds}; exec "$0" "$@"'
    own = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    own |= {"HOME": str(errors.parent), "TMPDIR": str(errors.parent), "LC_ALL": "C.UTF-8"}
    with errors.open("wb") as said:
        process = subprocess.Popen(
            ["/bin/sh", "-c", shell, PROGRAM, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            cwd=errors.parent,
            env=own,
            start_new_session=True,
        )
        try:
            process.wait(seconds)
        # The program may have started others, so its whole session is ended, even if it finished itself.
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _walk_formulas(root: _Element) -> Iterator[tuple[int, _Element]]:
    """Yield the outermost `<math>` elements, each with the number of the last mark before it (-1: none)."""
    mark = -1
    pending: list[_Element | str] = [root]
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            mark = max((int(one) for one in _MARK.findall(item)), default=mark)
        elif name_of(item) == "math":
            yield mark, item
        else:
            for child in reversed(item):
                pending += [child.tail or "", child]
            pending.append(item.text or "")


def _split_formula(math: _Element) -> MathMl | None:
    from lxml import etree

    semantics = next((one for one in math if name_of(one) == "semantics"), None)
    if semantics is None or not len(semantics):
        return None
    notes = (one for one in semantics if name_of(one) == "annotation-xml")
    meant = next((one for one in notes if one.get("encoding") == "MathML-Content"), None)
    if meant is None:
        return None
    shown, content = (
        "".join(etree.tostring(one, encoding="unicode", with_tail=False) for one in inner)
        for inner in ([semantics[0]], list(meant))
    )
    return MathMl(f"<math>{shown}</math>", f"<math>{content}</math>")
