"""LaTeX formulas converted to MathML by the program LaTeXML, whose input and output are not trusted."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from engines.core.errors import EngineError
from engines.formula.content_mathml import name_of
from engines.formula.symbols import list_symbols

if TYPE_CHECKING:
    from lxml.etree import _Element

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
    """The Presentation MathML and the Content MathML of a formula, a `<math>` element each, as text."""

    presentation: str
    content: str


def convert_with_latexml(formulas: Sequence[str]) -> Iterator[MathMl | None]:
    """Convert formulas to MathML by LaTeXML, in order.

    A formula that has other than known commands is not passed on: others read files, and LaTeXML runs some
    of these as programs. The others are written into a document with a mark before each. Where not exactly
    one formula follows a mark in the output, as after a brace that is never closed, the batch is halved, so
    that a bad formula harms no other.

    Yields:
        The MathML of each formula; None for one that LaTeXML cannot convert, or that is not passed on.

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
            for position, one in zip(positions, made, strict=True):
                result[position] = one
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
    with TemporaryDirectory(prefix="mathwb-") as folder:
        source, out = Path(folder) / "formulas.tex", Path(folder) / "formulas.xhtml"
        source.write_text(f"{_HEAD}{body}\\end{{document}}\n", encoding="utf-8")
        errors = Path(folder) / "errors.txt"
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
