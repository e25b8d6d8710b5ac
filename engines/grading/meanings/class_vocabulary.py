"""Classes that answers in words name, in the languages of answers: what each says of which aspect.

An aspect has values of which exactly one holds. A class is the values that it leaves, of one aspect or
several: `bijective` is injective and surjective. What two texts say is compared by these values.
"""

from __future__ import annotations

from engines.grading.meanings.classes_of_answers import ANSWER_CLASSES
from engines.grading.meanings.classes_of_figures import FIGURE_CLASSES
from engines.grading.meanings.classes_of_functions import FUNCTION_CLASSES
from engines.grading.meanings.classes_of_structures import STRUCTURE_CLASSES

ASPECTS: dict[str, str] = {
    "truth": "yes no",
    "frequency": "always sometimes never",
    "existence": "exists missing",
    "solutions": "0 1 2 3 4 other infinite",
    "roots": "distinct equal",
    "convergence": "absolute conditional divergent",
    "mode": "uniform pointwise none",
    "parity": "even odd neither",
    "monotonicity": "increasing decreasing nondecreasing nonincreasing constant none",
    "concavity": "up down none",
    "extremum": "maximum minimum saddle inflection none",
    "extent": "local global",
    "injective": "yes no",
    "surjective": "yes no",
    "linear dependence": "dependent independent",
    "definiteness": "positive semipositive indefinite seminegative negative",
    "logic": "tautology contingent contradiction",
    "necessary": "yes no",
    "sufficient": "yes no",
    "rationality": "integer fraction algebraic transcendental",
    "primality": "prime composite",
    "continuity": "uniform plain none",
    "differentiable": "yes no",
    "integrable": "yes no",
    "discontinuity": "removable jump infinite oscillating",
    "singularity": "removable pole essential",
    "order": "1 2 3 4 other",
    "position": "parallel coincident skew oblique perpendicular tangent secant separate inside concentric",
    "touching": "externally internally",
    "sides": "equilateral isosceles scalene",
    "angles": "acute right obtuse",
    "quadrilateral": "square rectangle rhombus parallelogram trapezoid kite other",
    "conic": "circle ellipse parabola hyperbola lines point",
    "stability": "asymptotic neutral unstable",
    "equilibrium": "node spiral center saddle",
    "reflexive": "yes no",
    "symmetric": "yes no",
    "transitive": "yes no",
    "antisymmetric": "yes no",
    "independence": "independent dependent",
    "exclusivity": "exclusive compatible",
    "test": "reject retain",
    "correlation": "positive negative none",
    "skewness": "left right none",
    "equation kind": "elliptic parabolic hyperbolic",
    "linearity": "linear nonlinear",
    "homogeneity": "homogeneous inhomogeneous",
    "open": "yes no",
    "closed": "yes no",
    "boundedness": "both above below none",
    "compact": "yes no",
    "connected": "yes no",
    "countability": "finite countable uncountable",
    "commutative": "yes no",
    "cyclic": "yes no",
    "reducibility": "reducible irreducible",
    "invertible": "yes no",
    "diagonalizable": "yes no",
    "planar": "yes no",
    "bipartite": "yes no",
    "sign": "positive negative zero",
    "similarity": "congruent similar neither",
    "triangle criterion": "SSS SAS ASA AAS SSA",
}
"""For each aspect its values."""

CLASSES: dict[str, tuple[dict[str, str], str]] = {
    **ANSWER_CLASSES,
    **FUNCTION_CLASSES,
    **FIGURE_CLASSES,
    **STRUCTURE_CLASSES,
}
"""For each class the values of aspects that it leaves, and its words."""
