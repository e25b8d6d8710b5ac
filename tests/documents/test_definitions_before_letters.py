"""Definitions of a project that end in a name, before formulas that begin with a letter."""

from __future__ import annotations

from engines.documents.tex import Macros


def test_the_first_letter_of_a_formula_is_no_part_of_the_definition_before_it() -> None:
    known = {r"\old": r"\let\old\max", r"\new": r"\newcommand{\new}{y}"}
    macros = Macros(known)
    assert macros.expand_macros(r"f(x) = \old x") == r"f(x) = \max x"
    assert macros.expand_macros(r"g(x) = \new") == "g(x) = y"
