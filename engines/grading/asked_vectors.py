"""Vectors of which the question asks for any one: a normal vector and each of its multiples."""

from __future__ import annotations

from fractions import Fraction

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.forms import Form, Many, Matrix, Named
from engines.grading.linear_terms import compute_rank
from engines.grading.numbers import Term
from engines.grading.reading import form_of
from engines.grading.tokens import tokenize
from engines.grading.verdicts import GradeVerdict, differ_by

_ANY_MULTIPLE = make_phrases(
    "a normal vector, a normal, a direction vector, an eigenvector, a vector orthogonal"
    ", a vector perpendicular"
    ", a vector parallel, ein Normalenvektor, einen Normalenvektor, einen Richtungsvektor"
    ", ein Richtungsvektor"
    ", einen Eigenvektor, ein Eigenvektor, un vecteur normal, un vecteur directeur, un vecteur propre"
    ", un vector normal, un vector director, un vector propio, un autovector, un vettore normale"
    ", un vettore direttore, un autovettore, um vetor normal, um vetor diretor, um autovetor"
    ", нормальный вектор"
    ", вектор нормали, направляющий вектор, собственный вектор, 一个法向量, 法向量, 方向向量, 一个特征向量"
)
"""Words with which a question asks for a vector of which any multiple is right."""


def compare_asked_vectors(gold: Form, pred: Form, question: str) -> GradeVerdict | None:
    """Compare two vectors up to a factor where the question asks for any such vector; None elsewhere."""
    if _ANY_MULTIPLE.find(tokenize(question)) is None:
        return None
    vectors = [_read_vector(form) for form in (gold, pred)]
    if vectors[0] is None or vectors[1] is None or len(vectors[0]) != len(vectors[1]):
        return None
    if not all(any(vector) for vector in vectors if vector) or compute_rank((vectors[0], vectors[1])) > 1:
        return differ_by("neither is a multiple of the other")
    return GradeVerdict("equal", reason="any multiple of the vector is one")


def _read_vector(form: Form) -> tuple[Fraction, ...] | None:
    """Return the entries of a vector of numbers, also behind its name as `n(2; -1; 3)`; None for others."""
    value = form.value if isinstance(form, Named) else form
    if isinstance(value, Matrix):
        items: tuple[Form, ...] = tuple(cell for row in value.rows for cell in row)
    elif isinstance(value, Many) and value.kind in ("tuple", "list"):
        items = value.items
    elif isinstance(value, Term) and value.tree is not None and value.tree.label == "call":
        items = tuple(map(form_of, value.tree.children[1:]))
    else:
        return None
    entries = [item.value for item in items if isinstance(item, Term) and item.value is not None]
    return tuple(entries) if len(entries) == len(items) > 1 else None
