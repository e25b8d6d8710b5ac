"""Documents for pre-training, lists of segments: posts by the strategies of TU_DBS, exercises of AMPS."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.arqmath.training.settings import PretrainSettings
from engines.core.errors import DataError
from engines.core.files import file_error
from engines.core.system import format_bytes
from engines.formula.lexer import lex_latex, token_texts
from engines.forum.folder import ArqmathFolder
from engines.forum.readers import Report, read_posts

# Segments of posts: the three strategies of TU_DBS (Reusch, Thiele and Lehner 2022).
#
# A cleaned post is text in which each formula stands between dollar signs. A document is a list of segments;
# sentence-order pairs are cut from documents of two segments or more.

_SENTENCE_END = re.compile(r"\. |[?!:;]")
_FORMULA = re.compile(r"\$\$([^$]+)\$\$|\$([^$]+)\$")
_MARK = "\x00"
"""Stands for a formula while the text around it is cut; a cleaned text has none."""
_FORMULA_TOKENS = 3
"""A formula with more tokens is a segment of its own."""
_SHORT_TEXT = 10
"""A shorter piece of text stays with the formula before it, in characters."""

_RELATION_WORDS = """
le leq leqq leqslant lesssim lessapprox lessdot lessgtr lesseqgtr lesseqqgtr ll lll lnapprox lneq lneqq lnsim
ge geq geqq geqslant gtrsim gtrapprox gtrdot gtrless gtreqless gtreqqless gg ggg gnapprox gneq gneqq gnsim
lt gt ne neq nless ngtr nleq ngeq nleqq ngeqq nleqslant ngeqslant lvertneqq gvertneqq eqslantless eqslantgtr
equiv doteq doteqdot Doteq approx approxeq thickapprox cong ncong simeq sim nsim thicksim backsim backsimeq
asymp propto varpropto triangleq circeq bumpeq Bumpeq eqcirc risingdotseq fallingdotseq eqsim models
subset supset subseteq supseteq subseteqq supseteqq Subset Supset nsubseteq nsupseteq nsubseteqq nsupseteqq
subsetneq supsetneq subsetneqq supsetneqq varsubsetneq varsupsetneq varsubsetneqq varsupsetneqq
sqsubset sqsupset sqsubseteq sqsupseteq
prec succ preceq succeq preccurlyeq succcurlyeq precsim succsim precapprox succapprox precnapprox succnapprox
precneqq succneqq precnsim succnsim nprec nsucc npreceq nsucceq curlyeqprec curlyeqsucc
in ni notin owns cap cup wedge vee land lor
parallel nparallel shortparallel nshortparallel perp mid nmid shortmid nshortmid
vdash dashv vDash Vdash Vvdash nvdash nvDash nVdash nVDash bowtie Join between pitchfork smile frown
smallsmile smallfrown therefore because trianglelefteq trianglerighteq ntrianglelefteq ntrianglerighteq
triangleleft triangleright vartriangleleft vartriangleright ntriangleleft ntriangleright
vartriangle blacktriangleleft blacktriangleright backepsilon
"""
RELATION_SIGNS = frozenset({"=", "<", ">", *("\\" + word for word in _RELATION_WORDS.split())})
"""The symbols after which MathSE (3) splits a formula, from the tables of LaTeX and amssymb."""


def split_natural_sentences(
    text: str, *, title: str = "", known: Sequence[str] = (), split_inside_formulas: bool = False
) -> list[str]:
    r"""Split a text into natural sentences, the title first: MathSE (1) of Reusch, Thiele and Lehner (2022).

    Text is split at ". " and at each of ? ! : ; (the marks are removed).

    Args:
        known: The LaTeX of the text's formulas, in their order, so that a dollar sign that is none of theirs
            is text; where none is given, formulas are what stands between dollar signs.
        split_inside_formulas: Also at the marks in formulas, as the published code does.

    >>> split_natural_sentences(r"Find $x$. Is $x^2=4$ true? I tried $f: A \to B$")
    ['Find $x$', 'Is $x^2=4$ true', 'I tried $f: A \\to B$']
    """
    if split_inside_formulas:
        return _cut_sentences(title, text)
    marked, formulas = _mark_formulas(title, text, known)
    return [re.sub(_MARK, lambda _: f"${next(formulas)}$", sentence) for sentence in marked]


def split_text_and_formulas(
    text: str, *, title: str = "", known: Sequence[str] = (), split_inside_formulas: bool = False
) -> list[str]:
    r"""Split a text into chunks, every formula of more than three tokens on its own: MathSE (2).

    The arguments are those of `split_natural_sentences`. As in the published code, a formula that is cut in
    two turns what follows it in its sentence round: its text is taken for formulas and the formulas for text.

    >>> split_text_and_formulas("Let $n$ be even, then $a^2+b^2=c^2$ holds for all of these numbers")
    ['Let $n$ be even, then', '$a^2+b^2=c^2$', 'holds for all of these numbers']
    """
    result: list[str] = []
    if split_inside_formulas:
        for sentence in _cut_sentences(title, text):
            pieces = sentence.replace("$$", "$").split("$")
            # Splitting at `\;` or `\:` leaves a backslash that belongs to nothing.
            pieces[1::2] = [re.sub(r"\s*\\+$", "", piece) for piece in pieces[1::2]]
            result += _join_chunks(pieces)
        return result
    marked, formulas = _mark_formulas(title, text, known)
    for sentence in marked:
        words = sentence.split(_MARK)
        pieces = [piece for word in words[:-1] for piece in (word, next(formulas))]
        result += _join_chunks([*pieces, words[-1]])
    return result


def _cut_sentences(title: str, text: str) -> list[str]:
    results = [re.sub(r"[?!:;]", "", title), *_SENTENCE_END.split(text)]
    return [part.strip() for part in results if part.strip()]


def _mark_formulas(title: str, text: str, known: Sequence[str]) -> tuple[list[str], Iterator[str]]:
    formulas: list[str] = []

    def store_formula(match: re.Match[str]) -> str:
        formulas.append(match[1] or match[2])
        return _MARK

    title, text = _FORMULA.sub(store_formula, title.replace(_MARK, "")), text.replace(_MARK, "")
    if not known:
        return _cut_sentences(title, _FORMULA.sub(store_formula, text)), iter(formulas)
    parts = []
    for latex in known:
        before, formula, after = text.partition(f"${latex}$")
        if formula:
            formulas.append(latex)
            parts += [before, _MARK]
            text = after
    return _cut_sentences(title, "".join([*parts, text])), iter(formulas)


def _join_chunks(pieces: Sequence[str]) -> list[str]:
    """Args: pieces: text and formulas by turns, a text first."""
    chunks: list[str] = []
    current = ""
    after_formula = False
    for position, piece in enumerate(pieces):
        if position % 2:
            if len(token_texts(piece)) > _FORMULA_TOKENS:
                if current.strip():
                    chunks.append(current.strip())
                chunks.append(f"${piece}$")
                current, after_formula = "", True
            else:
                current += f"${piece}$"
                after_formula = False
        elif after_formula and len(piece.strip()) < _SHORT_TEXT:
            if piece.strip():
                chunks[-1] += " " + piece.strip()
        else:
            current += piece
            after_formula = False
    if current.strip():
        chunks.append(current.strip())
    return chunks


def find_formulas(text: str) -> list[str]:
    """Return the formulas between dollar signs in a cleaned text, without the signs."""
    return [piece for piece in text.replace("$$", "$").split("$")[1::2] if piece.strip()]


def split_formula(latex: str) -> list[str]:
    r"""Cut a formula after every relation symbol: MathSE (3); one of two parts or fewer gives nothing.

    >>> split_formula(r"a = b + c \le d")
    ['a =', 'b + c \\le', 'd']
    """
    parts: list[str] = []
    start = 0
    for token in lex_latex(latex):
        if token.text in RELATION_SIGNS:
            end = token.start + len(token.text)
            parts.append(latex[start:end].strip())
            start = end
    rest = latex[start:].strip()
    if rest:
        parts.append(rest)
    return parts if len(parts) > 2 else []


# AMPS, exercises with worked solutions (Hendrycks et al. 2021), in the folders in which it is published.
#
# `mathematica/<topic>/…/N.txt` holds a line `Problem:`, the problem, and one or more times a line `Answer:`
# and an answer; `khan/<exercise>/N.json` an object with `problem` (or `question`) and `hints`. Either part
# may be missing, and the folder may be one of the parts.

_MAX_BYTES = 2**20
"""A longer exercise is malformed."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """A problem and one solution of it, in steps. `source` is khan or mathematica, `topic` its folder."""

    source: str
    topic: str
    problem: str
    steps: tuple[str, ...]

    @property
    def solution(self) -> str:
        """The steps as one text, a line each."""
        return "\n".join(self.steps)

    @property
    def segments(self) -> list[str]:
        """The problem and the steps: the chunks in which AMPS is given."""
        return [self.problem, *self.steps]


def read_amps(folder: str | Path, report: Report) -> Iterator[Exercise]:
    """Yield every exercise, folder by folder; a problem with several answers gives one exercise for each.

    Files that are no exercise are counted in the report.

    Raises:
        DataError: When the folder is missing or holds no exercise at all.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise file_error(FileNotFoundError(2, "no such folder"), folder, "read")
    for path in _iterate_files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            if path.stat().st_size > _MAX_BYTES:
                raise ValueError(f"larger than {format_bytes(_MAX_BYTES)}")
            text = path.read_bytes().decode("utf-8")
            khan = _parse_khan(path, text) if path.suffix == ".json" else _parse_mathematica(path, text)
        except (ValueError, OSError) as error:
            reason = "not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            report.leave_out(1, f"{name}: {reason}")
            continue
        report.read += 1
        yield from khan
    if not report.read:
        remedy = "Expected AMPS's folders khan/<exercise>/N.json or mathematica/<topic>/N.txt."
        raise DataError("no exercises found here", path=folder, code="E318", remedy=remedy)


def _iterate_files(folder: Path) -> Iterator[Path]:
    """Exercise files in an order that does not depend on the file system; one folder at a time in memory."""
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names, key=lambda name: (len(name), name)):
            if name.endswith((".txt", ".json")) and not name.startswith("."):
                yield Path(parent) / name


def _parse_khan(path: Path, text: str) -> list[Exercise]:
    row = json.loads(text)
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    problem = row.get("problem") or row.get("question")
    hints = row.get("hints") or row.get("solution")
    steps = [hints] if isinstance(hints, str) else hints
    if not isinstance(problem, str) or not isinstance(steps, list):
        raise ValueError("no problem with hints")
    lines = tuple(step.strip() for step in steps if isinstance(step, str) and step.strip())
    if not problem.strip() or not lines:
        raise ValueError("the problem or its hints are empty")
    return [Exercise("khan", path.parent.name, problem.strip(), lines)]


def _parse_mathematica(path: Path, text: str) -> list[Exercise]:
    sections: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        mark = line.strip()
        if mark in ("Problem:", "Answer:"):
            sections.append((mark, []))
        elif sections and mark:
            sections[-1][1].append(mark)
    if not sections or sections[0][0] != "Problem:" or not sections[0][1]:
        raise ValueError("it does not start with a problem")
    answers = [tuple(lines) for mark, lines in sections[1:] if mark == "Answer:" and lines]
    if not answers:
        raise ValueError("no answer")
    problem = "\n".join(sections[0][1])
    return [Exercise("mathematica", path.parent.name, problem, lines) for lines in answers]


def read_documents(
    settings: PretrainSettings, data: Mapping[str, Path], report: Report | None = None
) -> Iterator[list[str]]:
    """Yield the documents of the corpora, one after the other: a post each (the title of a question is its
    first segment), a formula each for MathSE (3), an exercise each for AMPS.

    Args:
        report: Gets the malformed rows.
    """
    report = report or Report()
    for corpus in settings.names:
        if corpus.startswith("mathse"):
            folder = ArqmathFolder.open(data["collection"])
            yield from _read_post_documents(corpus, folder, settings.split_inside_formulas, report)
        else:
            for exercise in read_amps(data["amps"], report):
                if corpus == "amps" or exercise.source == corpus:
                    yield exercise.segments


def _read_post_documents(
    corpus: str, folder: ArqmathFolder, inside: bool, report: Report
) -> Iterator[list[str]]:
    for post in read_posts(folder.need_posts(), report):
        known = [latex for _, latex in post.body.formulas]
        if corpus == "mathse3":
            result = find_formulas(post.title if known and not inside else post.text)
            yield from map(split_formula, result if inside else [*result, *known])
        else:
            cut = split_natural_sentences if corpus == "mathse1" else split_text_and_formulas
            yield cut(post.body.text, title=post.title, known=known, split_inside_formulas=inside)
