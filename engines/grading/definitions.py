r"""What words behind a formula say of its letters: `2a + b, where a = 3`, `a_n = 2n for n \ge 1`.

What is defined there is put into the formula.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.formula.dialects import recognize_dialect
from engines.formula.latex_conversion import latex_of_plain
from engines.formula.vocabulary import NAMES_IN_TEXT
from engines.grading.linear_terms import list_conjuncts
from engines.grading.tokens import AnswerToken, is_blank, text_at, tokenize
from engines.mathematics.judging.names import free_variables, replace_variable

_LEADS = (
    *(
        "where",
        "with",
        "for",
        "wobei",
        "mit",
        "für",
        "où",
        "avec",
        "pour",
        "donde",
        "con",
        "para",
        "где",
        "при",
    ),
    *("для", "其中", "dove", "per"),
)
_BEFORE = " ,;(（，"
_RELATIONS = ("=", "≥", "≤", ">", "<", "∈", "\\ge", "\\geq", "\\le", "\\leq", "\\in", "\\geqslant")


def find_definition(text: str) -> tuple[str, str] | None:
    """Return a formula and what is said of its letters behind it; None for other texts.

    >>> find_definition("z = 2a + b, where a = 3")
    ('z = 2a + b', 'a = 3')
    """
    if not any(lead in text for lead in _LEADS):
        return None
    tokens = tokenize(text)
    for at, token in enumerate(tokens):
        if token.text not in _LEADS or not at:
            continue
        behind = [one for one in tokens[at + 1 :] if not is_blank(one) and one.text not in ("$", "}")]
        letter = _find_letter(behind[:_LONGEST_LEAD])
        if not letter or behind[0].text in _RELATIONS:
            continue
        core = text[: token.start].rstrip(_BEFORE)
        core = core.removesuffix("\\text{").removesuffix("\\quad").rstrip(_BEFORE)
        defined = text[behind[0].start :].rstrip(" )）$").removesuffix(".")
        # Other words than names would be read as letters.
        around = (*tokens[:at], *behind)
        worded = any(one.kind == "word" and len(one.text) > 2 and one.text not in _NAMES for one in around)
        is_formula = sum(not is_blank(one) for one in tokens[:at]) > 2
        if core and is_formula and not worded and letter in {one.text for one in tokens[:at]}:
            return core, defined
    return None


_COUNTERS = ("k", "n", "m", "j")
_NAMES = (*NAMES_IN_TEXT, "and", "und", "pi", "text", "quad")


_LONGEST_LEAD = 5
"""Tokens with which a condition such as `0 \\le k \\le 3` begins."""


def _find_letter(tokens: Sequence[AnswerToken]) -> str:
    """Return the letter that a condition is about; "" where none begins."""
    said = [token.text for token in tokens]
    if not any(one in _RELATIONS for one in said):
        return ""
    letters = [one for one in said if _is_letter(one) and one not in _RELATIONS]
    opens = said[0] == "|" or said[0].isdecimal() or (said[0] in "-−" and said[1].isdecimal())
    return letters[0] if letters and (opens or (said[0] == letters[0] and said[1] in _RELATIONS)) else ""


def _is_letter(text: str) -> bool:
    return (len(text) == 1 and text.isalpha()) or (text[:1] == "\\" and text[1:].isalpha())


def spell_definition(text: str) -> str:
    r"""Return a text with the word before definitions in \text, or a comma before the range of an index."""
    found = find_definition(text)
    if found is None:
        return text
    core, defined = (latex_of_plain(part) if recognize_dialect(part) == "plain" else part for part in found)
    behind = [token for token in tokenize(found[1]) if not is_blank(token)]
    letter = _find_letter(behind[:_LONGEST_LEAD])
    counts = letter in _COUNTERS and sum(token.text in _RELATIONS for token in behind) > 1
    is_index = any(f"_{mark}{letter}" in found[0] for mark in ("", "{"))
    if (
        is_index
        or counts
        or ("," in defined and defined.count("=") == 1)
        or "\\in" in defined
        or "∈" in defined
    ):
        return f"{core}, {defined}"
    defined = defined.replace(",", r" \land ")
    return rf"{core} \text{{ where }} {defined}"


def put_definitions(tree: Tree) -> Tree | None:
    """Return what is said with definitions of its letters put into it; None for other statements."""
    if tree.label == "=" and tree.children[1].label == "cases":
        inner = put_definitions(tree.children[1])
        return None if inner is None else Tree("=", (tree.children[0], inner))
    if tree.label == "implies":
        conditions, core = tree.children
    elif tree.label == "cases" and len(tree.children) == 2:
        core, conditions = tree.children
    else:
        return None
    subject = core.children[0] if core.label == "=" else Tree("")
    for one in list_conjuncts(conditions):
        if one.label != "=" or one.children[0].children:
            return None
        name = one.children[0].label
        if (
            name not in free_variables(core)
            or name in subject.list_labels()
            or name in free_variables(one.children[1])
        ):
            return None
        core = replace_variable(core, name, one.children[1])
    return core


def defines_letter(text: str) -> bool:
    """Return whether words behind a formula say something of its letters."""
    return find_definition(text) is not None and text_at(tokenize(text), 0) not in _LEADS
