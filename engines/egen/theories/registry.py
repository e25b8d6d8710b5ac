"""The theory of a name: those that ship, and those of files."""

from __future__ import annotations

from engines.core.errors import ExpressionError
from engines.core.expression_language import FURTHER, variables_of
from engines.core.tree import Tree
from engines.egen.theories.theory import BUILT_IN, Theory
from engines.mathematics.assumptions import order_variables, read_assumptions


def theory_text(name: str) -> str:
    """Return what a configuration records of a theory: `reals`, `logic`, or the checked text of its file.

    Args:
        name: As `theories.user_theories.theory_file` takes it, or such a text already.

    Raises:
        DataError: As `read_theory`.
    """
    if name in BUILT_IN or name.startswith("{"):
        return name
    from engines.egen.theories.user_theories import read_theory, theory_file

    return read_theory(theory_file(name))


def theory_of(name: str, assume: str, *trees: Tree, own: str = "") -> Theory:
    """Return the theory of this name for expressions, with assumptions in its own language.

    Args:
        name: As `theory_text` takes it.
        own: Further rules, as `rules.user_rules.checked_rules` gives them.

    Raises:
        ExpressionError: For assumptions that cannot be read.
    """
    if name == "terms":
        from engines.egen.theories.terms import FreeTerms

        return FreeTerms()
    if name not in BUILT_IN:
        from engines.egen.theories.user_theories import Own

        if assume:
            raise ExpressionError("a theory of one's own takes no assumptions", remedy="Leave out --assume.")
        return Own(theory_text(name))
    if name == "logic":
        from engines.egen.theories.logic import Logic, read_premises

        return Logic(read_premises(assume), Logic.list_variables(*trees))
    from engines.egen.theories.real_functions import Reals

    assumptions = read_assumptions(assume)
    rewritable = not any(node.label in FURTHER for tree in trees for node in tree)
    pointwise = not rewritable or any(map(_is_too_large, trees))
    names = variables_of(*trees) | assumptions.variables
    known = tuple(name for name in order_variables(names) if name in names)
    return Reals(assumptions, known, pointwise, rewritable, own)


def _is_too_large(tree: Tree) -> bool:
    """Return whether a tree holds a number beyond double precision: only numbers that are worked out need
    a look."""
    if not any(node.children and not variables_of(node) for node in tree):
        return False
    from engines.mathematics.verification.enclosures import too_large

    return too_large(tree)
