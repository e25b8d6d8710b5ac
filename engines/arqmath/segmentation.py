r"""Segments of posts for pre-training: the three strategies of TU_DBS (fact sheet section 3.2).

A cleaned post is text in which each formula stands between dollar signs. A document is a list of segments;
sentence-order pairs are cut from documents of two segments or more.
"""

from __future__ import annotations

import re

from engines.formula.lexer import lex, tokens

__all__ = ["RELATIONS", "formula_parts", "formulas", "sentences", "text_and_formulas"]

_SENTENCE_END = re.compile(r"\. |[?!:;]")
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
RELATIONS = frozenset({"=", "<", ">", *("\\" + word for word in _RELATION_WORDS.split())})
"""The symbols after which MathSE (3) splits a formula, from the tables of LaTeX and amssymb."""


def sentences(text: str, *, title: str = "") -> list[str]:
    r"""MathSE (1): natural sentences, the title first.

    Text is split at ". " and at each of ? ! : ; (the marks are removed), also inside formulas, as published.

    >>> sentences("Find $x$. Is $x^2=4$ true? I tried $y$")
    ['Find $x$', 'Is $x^2=4$ true', 'I tried $y$']
    """
    found = [re.sub(r"[?!:;]", "", title).strip()] if title else []
    found += [part.strip() for part in _SENTENCE_END.split(text)]
    return [part for part in found if part]


def text_and_formulas(text: str, *, title: str = "") -> list[str]:
    r"""MathSE (2): chunks of text, and every formula of more than three tokens on its own.

    >>> text_and_formulas("Let $n$ be even, then $a^2+b^2=c^2$ holds for all of these numbers")
    ['Let $n$ be even, then', '$a^2+b^2=c^2$', 'holds for all of these numbers']
    """
    found: list[str] = []
    for sentence in sentences(text, title=title):
        found += _chunks(sentence.replace("$$", "$"))
    return found


def _chunks(sentence: str) -> list[str]:
    chunks: list[str] = []
    current = ""
    after_formula = False
    for position, piece in enumerate(sentence.split("$")):
        if position % 2:
            # Splitting at `\;` or `\:` leaves a backslash that belongs to nothing.
            formula = piece.rstrip("\\").strip() if piece.endswith("\\") else piece
            if len(tokens(formula)) > _FORMULA_TOKENS:
                if current.strip():
                    chunks.append(current.strip())
                chunks.append(f"${formula}$")
                current, after_formula = "", True
            else:
                current += f"${formula}$"
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


def formulas(text: str) -> list[str]:
    """The formulas of a cleaned text, without their dollar signs."""
    return [piece for piece in text.replace("$$", "$").split("$")[1::2] if piece.strip()]


def formula_parts(latex: str) -> list[str]:
    r"""MathSE (3): a formula cut after every relation symbol; one of two parts or fewer gives nothing.

    >>> formula_parts(r"a = b + c \le d")
    ['a =', 'b + c \\le', 'd']
    """
    parts: list[str] = []
    start = 0
    for token in lex(latex):
        if token.text in RELATIONS:
            end = token.start + len(token.text)
            parts.append(latex[start:end].strip())
            start = end
    rest = latex[start:].strip()
    if rest:
        parts.append(rest)
    return parts if len(parts) > 2 else []
