"""Similarity of two equations and two texts, with the edits between the equations."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from engines.core.spec import refused
from engines.core.tree import Tree
from engines.core.tree_edit import distance, edit_script
from engines.mwp.problems.equation import infix, normalised, parse_infix
from engines.mwp.problems.numbers import language_of
from engines.mwp.triplets.bibleu import bibleu, tokens
from engines.mwp.triplets.settings import Similarity

__all__ = ["edits", "equation_similarity", "similarity"]


def similarity(spec: Similarity) -> dict[str, Any]:
    """Bi-BLEU of two texts; of two equations their normal forms, tree edit distance, similarity and edits.

    Raises: EquationError E220 for an equation that cannot be read.
    """
    if spec.texts:
        if not spec.left.strip() or not spec.right.strip():
            raise refused("one of the texts is empty", "E424")
        language = language_of(spec.left + spec.right)
        left, right = (tokens(text, language, spec.tokens) for text in (spec.left, spec.right))
        return {"bibleu": bibleu(left, right), "tokens": [len(left), len(right)]}
    one, other = (normalised(_read(text)) for text in (spec.left, spec.right))
    return {
        "left": infix(one),
        "right": infix(other),
        "distance": distance(one, other),
        "nodes": [len(one), len(other)],
        "similarity": equation_similarity(one, other),
        "edits": edits(one, other),
    }


def equation_similarity(left: Tree, right: Tree) -> float:
    """1 - tree edit distance / (nodes of both): section 2.2 of the paper.

    >>> round(equation_similarity(parse_infix("N_0+N_1", Tree), parse_infix("N_0-N_1", Tree)), 4)
    0.8333
    """
    return 1.0 - distance(left, right) / (len(left) + len(right))


def edits(left: Tree, right: Tree) -> list[dict[str, Any]]:
    """What becomes of each node on a shortest way, with the labels."""
    from_, to = left.labels(), right.labels()
    return [
        {
            **asdict(edit),
            "from": None if edit.left is None else from_[edit.left],
            "to": None if edit.right is None else to[edit.right],
        }
        for edit in edit_script(left, right)
    ]


def _read(text: str) -> Tree:
    from engines.mwp.problems.equation import constant
    from engines.mwp.problems.numbers import value_of

    return parse_infix(text, lambda written: Tree(constant(value_of(written))))
