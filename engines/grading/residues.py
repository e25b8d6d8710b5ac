r"""Answers modulo a number that the question names: residues as `±1, ±5`, and subgroups as `⟨2⟩`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from engines.grading.forms import Form, Many, Named
from engines.grading.listed_objects import list_listed
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.tokens import AnswerToken, is_blank, tokenize
from engines.grading.verdicts import GradeVerdict, differ_by

_Subgroup = frozenset[int]
_DRESS = ("\\left", "\\right", "\\mathbb", "$", "\\,", "\\;", "\\ ", "_", "\\bar", "\\overline")
_MOST_ELEMENTS = 500


def compare_residues(gold: str, pred: str, modulus: int) -> GradeVerdict | None:
    """Compare several residues, or several subgroups, modulo a number; None for other answers.

    >>> compare_residues(r"\\{1, 5, 7, 11\\}", "±1, ±5", 12).outcome
    'equal'
    >>> compare_residues(r"\\{0\\}, \\{0,3\\}, \\{0,2,4\\}, \\mathbb Z_6", "⟨1⟩, ⟨2⟩, ⟨3⟩, ⟨0⟩", 6).outcome
    'equal'
    """
    if not 1 < modulus <= _MOST_ELEMENTS:
        return None
    gold, pred = (_drop_modulus(text, modulus) for text in (gold, pred))
    groups = [_read_subgroups(text, modulus) for text in (gold, pred)]
    if groups[0] is not None and groups[1] is not None:
        if groups[0] == groups[1]:
            return GradeVerdict("equal", reason=f"the same subgroups modulo {modulus}")
        single = min(groups[0] ^ groups[1], key=len)
        return differ_by(f"only one of them has the subgroup with {len(single)} elements")
    residues = [_read_residues(read_form(text), modulus) for text in (gold, pred)]
    if residues[0] is None or residues[1] is None or len(residues[0]) < 2:
        return None
    if residues[0] == residues[1]:
        return GradeVerdict("equal", reason=f"the same residues modulo {modulus}")
    return differ_by(f"only one of them has {min(residues[0] ^ residues[1])} modulo {modulus}")


def _drop_modulus(text: str, modulus: int) -> str:
    """Return a text without the modulus behind its values, as `(mod 8)`, and with a comma for `and`."""
    tokens = [token for token in tokenize(text) if token.text not in ("{", "}", "$") or "\\{" in text]
    words = [token.text for token in tokens]
    at = next((at for at, word in enumerate(words) if word in _MODULO), 0)
    behind = [word for word in words[at + 1 :] if word.strip() and word not in tuple("().{}$")]
    if not at or behind != [str(modulus)]:
        return text
    said = "".join(words[:at]).rstrip(" (\\")
    return said.replace(" and ", ", ")


_MODULO = ("mod", "modulo", "\\bmod", "\\pmod", "\\mod")


def _read_residues(form: Form, modulus: int) -> _Subgroup | None:
    """Return the residues of listed integers; None for other answers."""
    form = form.value if isinstance(form, Named) else form
    if not isinstance(form, Many) or form.kind not in ("set", "list"):
        return None
    found: set[int] = set()
    for item in form.items:
        nested = _read_residues(item, modulus) if isinstance(item, Many) else None
        value = item.value if isinstance(item, Term) else None
        if nested is not None:
            found |= nested
        elif isinstance(value, Fraction) and value.denominator == 1:
            if abs(value) >= modulus:
                return None  # a number such as an order, and no residue
            found.add(int(value) % modulus)
        else:
            return None
    return frozenset(found)


def _read_subgroups(text: str, modulus: int) -> frozenset[_Subgroup] | None:
    """Return listed subgroups of the integers modulo a number; None for other answers."""
    members = list_listed([token for token in tokenize(text) if token.text not in _DRESS])
    groups = [_read_subgroup([token for token in one if not is_blank(token)], modulus) for one in members]
    known = [group for group in groups if group is not None]
    return frozenset(known) if len(known) == len(groups) > 1 else None


def _read_subgroup(tokens: Sequence[AnswerToken], modulus: int) -> _Subgroup | None:
    said = [token.text for token in tokens]
    if not said:
        return None
    if said[0] in ("Z", "ℤ"):  # all of it, as Z_6 and Z/6Z
        is_whole = [one for one in said if one.isdecimal()] in ([str(modulus)], [])
        return frozenset(range(modulus)) if is_whole else None
    numbers = [int(one) for one in said if one.isdecimal()]
    if said[0] in ("⟨", "\\langle", "<") and len(numbers) == 1 and len(said) == 3:
        return frozenset(number * numbers[0] % modulus for number in range(modulus))
    if said[0] in ("{", "\\{") and numbers:
        return frozenset(number % modulus for number in numbers)
    return None
