r"""Queries as people type them, and what an index has for one.

Without dollars a query is one formula. With them it is what stands between them, and the rest are words:
`sums of $k^2$ by induction`. `?a` stands for any sub-expression, `??` for any operands.

The most similar formulas by shared parts are scored again: by how similar they are once the query's letters
are those of the formula, each always by the same one, and whether they then have all of the query. Words
beside the formula count by BM25 of the texts in which formulas stand. A query of several formulas is a
text's, which is a file, post or row: each counts by its best in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import ShortFloats
from engines.core.errors import EngineError
from engines.formula.operator_tree import OperatorTree, count_features
from engines.formula.operator_tree_parser import ParsedFormula, search_tree
from engines.formula.patterns import (
    find_renaming,
    is_pattern,
    match_pattern,
    pattern_features,
    rename_variables,
    with_wildcards,
)
from engines.forum.post_text import clean_plain

if TYPE_CHECKING:
    from engines.mathamr.retrieval.formula_index import FormulaIndex

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\$([^$]+)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z]{2,}|\*|<=|>=|!=|->|=>|\+-|[\^_]\s*(?:\(|-?\d[\d.]|-\w|\w+\s*[!^])|[%{}]")
_CHOOSE = re.compile(r"\b(\w+)\s+choose\s+(\w+)\b")


@dataclass(frozen=True)
class QueryFormula:
    """A formula of a query: as it was typed, and as LaTeX, wildcards as letters."""

    typed: str
    formula: ParsedFormula

    @cached_property
    def tree(self) -> OperatorTree:
        """The operator tree that is searched for."""
        return self.formula.search_tree

    @cached_property
    def is_pattern(self) -> bool:
        """Whether the formula has wildcards."""
        return is_pattern(self.tree)


@dataclass(frozen=True, slots=True)
class FormulaQuery:
    """A query: one formula or several, and words beside them, or ""."""

    formulas: tuple[QueryFormula, ...]
    words: str = ""


def read_query(text: str) -> FormulaQuery:
    """Raise EngineError E376 for a query without a formula.

    >>> found = read_query("sums of $k^2$ and $sqrt(k)$")
    >>> [one.formula.latex for one in found.formulas], found.words
    (['k^2', '\\\\sqrt{k}'], 'sums of and')
    """
    text = clean_plain(text).text
    between = [next(filter(None, match.groups())) for match in _FORMULA.finditer(text)]
    formulas = [one for one in map(str.strip, between or [text]) if one]
    if not formulas:
        raise EngineError(
            "the query has no formula", code="E376", remedy="Type one, as x^2 or as: words and $x^2$."
        )
    words = " ".join(_FORMULA.sub(" ", text).split()) if between else ""
    return FormulaQuery(
        tuple(QueryFormula(one, ParsedFormula(plain_to_latex(with_wildcards(one)))) for one in formulas),
        words,
    )


def plain_to_latex(typed: str) -> str:
    r"""Return plain text as LaTeX where it uses what LaTeX does not have; anything else unchanged.

    >>> plain_to_latex("sin(x)/sqrt(x^2+1) <= alpha"), plain_to_latex("a_n x^2")
    ('\\sin (x)/\\sqrt{x^{2}+1} \\le \\alpha', 'a_n x^2')
    """
    typed = _CHOOSE.sub(r"\\binom{\1}{\2}", typed)
    # Most queries are LaTeX: only what LaTeX does not have is a reason to read one as plain text.
    if not _PLAIN.search(typed):
        return typed
    from engines.formula.cursor import UnreadError
    from engines.formula.dialects import recognize_dialect
    from engines.formula.latex_conversion import latex_of_plain

    if recognize_dialect(typed) != "plain":
        return typed
    try:
        latex = " ".join(latex_of_plain(typed).split())
    except UnreadError:
        return typed
    # Words in the result mean that the text was rather misread than converted.
    return typed if "\\text" in latex else latex


RESCORED = 100
"""The most similar formulas that are compared by consistent letters."""
CONSISTENT = 0.4
"""The share of a score that is the similarity with consistent letters."""
CONTAINED = 0.05
"""Of a formula that has all of the query, the share of its weight in what similarity is measured against."""
_ALL = 0.9999
"""Weights are added up in different orders."""
WORDS = 0.05
"""The share of a score that is that of the words."""
_CANDIDATES = 1_000
"""Formulas among which words, and several formulas, decide."""
_MATCHED = 3_000
"""Formulas with all that a pattern names that are compared with it."""


@dataclass(frozen=True, slots=True)
class ScoredLook:
    """A look and its score. Attributes: member: the row of the formula that fits best, -1: any. bound: of a
    pattern what each wildcard stands for."""

    look: int
    score: float
    member: int = -1
    bound: Mapping[str, OperatorTree] = field(default_factory=dict)


def find_nearest(opened: FormulaIndex, tree: OperatorTree, k: int) -> list[ScoredLook]:
    """Return the formulas most similar to one, at most `k`."""
    scores, rows = opened.search(count_features(tree), max(k, RESCORED))
    results = [ScoredLook(int(row), float(score)) for row, score in zip(rows, scores, strict=True)]
    head = rescore_consistently(opened, tree, results[:RESCORED])
    return [*sorted(head, key=lambda one: -one.score), *results[RESCORED:]][:k]


def rescore_consistently(
    opened: FormulaIndex, tree: OperatorTree, hits: Sequence[ScoredLook], share: float = CONSISTENT
) -> list[ScoredLook]:
    """Return the same, scored again with the query's letters changed to each formula's."""
    # Weights are looked up once for each feature, since many formulas share theirs.
    weights: dict[str, float] = {}
    scored = []
    for one in hits:
        formula = search_tree(opened.read_latex(one.look))
        # The letters of the query are variables: x^2 + y^2 should find a^2 + b^2 in full, but not a^2 +
        # a^2.
        names = find_renaming(tree, formula)
        ours, theirs = count_features(rename_variables(tree, names)), count_features(formula)
        if new := (ours.keys() | theirs.keys()) - weights.keys():
            weights |= opened.weigh_features(new)
        shared = sum(min(count, theirs[name]) * weights[name] for name, count in ours.items())
        own, mass = (sum(n * weights[name] for name, n in side.items()) for side in (ours, theirs))
        # Renaming letters can only help: the score never falls.
        again = max(opened.compute_similarity(shared, own, mass), one.score)
        # A formula that contains all of the query is measured mainly by what the query has.
        if shared >= own * _ALL:
            again = max(again, own / ((1 - CONTAINED) * own + CONTAINED * mass))
        scored.append(replace(one, score=(1 - share) * one.score + share * again))
    return scored


def find_matching(opened: FormulaIndex, pattern: OperatorTree, k: int) -> list[ScoredLook]:
    """Return the formulas that a pattern matches, by the share of them that it does, at most `k`."""
    wanted = pattern_features(pattern)
    results = []
    # The features that every match must have narrow the search; the pattern itself decides.
    for look in opened.find_with_all(wanted, _MATCHED):
        if (one := match_pattern(pattern, search_tree(opened.read_latex(look)))) is not None:
            results.append(ScoredLook(look, one.share, bound=one.bound))
    # Of equal shares those with the least besides stay first.
    return sorted(results, key=lambda one: -one.score)[:k]


def answer_query(opened: FormulaIndex, query: FormulaQuery, k: int) -> list[ScoredLook]:
    """Return what the index has for a query, best first, at most `k`."""
    if len(query.formulas) == 1 and not query.words:
        return _answer_formula(opened, query.formulas[0], k)
    lists = [_answer_formula(opened, asked, _CANDIDATES) for asked in query.formulas]
    words = opened.score_words(query.words) if query.words else None
    if len(lists) == 1:
        looks = [_add_word_score(opened, one, words) for one in lists[0]]
    else:
        looks = _combine_by_text(opened, lists, words)
    return sorted(looks, key=lambda one: (-one.score, one.look))[:k]


def _answer_formula(opened: FormulaIndex, asked: QueryFormula, k: int) -> list[ScoredLook]:
    return (find_matching if asked.is_pattern else find_nearest)(opened, asked.tree, k)


def _add_word_score(opened: FormulaIndex, one: ScoredLook, words: ShortFloats | None) -> ScoredLook:
    """Return the score with that of the words, of the formula in whose text they score best."""
    if words is None:
        return one
    rows = opened.rows_of(one.look)
    fits = select_word_scores(words, opened.fields_of(rows))
    best = int(np.argmax(fits))
    score = (1 - WORDS) * one.score + WORDS * float(fits[best])
    return replace(one, score=score, member=int(rows[best]))


def select_word_scores(words: ShortFloats, fields: NDArray[np.int32]) -> ShortFloats:
    """Return the scores of words for formulas by their fields; 0 for formulas without a field."""
    return np.where(fields >= 0, words[np.maximum(fields, 0)], 0).astype(np.float32)


def _combine_by_text(
    opened: FormulaIndex, lists: Sequence[Iterable[ScoredLook]], words: ShortFloats | None
) -> list[ScoredLook]:
    """Of each text that has formulas of the lists the best for each query formula; scores are means over the
    query's formulas, and the formula that is named is the best of all."""
    # For each text, the best formula that matches each formula of the query.
    best: dict[tuple[str, str], dict[int, ScoredLook]] = {}
    for number, hits in enumerate(lists):
        for one in hits:
            rows = opened.rows_of(one.look)
            for row, text in zip(rows.tolist(), opened.texts_of(rows), strict=True):
                own = best.setdefault(text, {})
                if number not in own or own[number].score < one.score:
                    own[number] = replace(one, member=row)
    together = []
    for own in best.values():
        first = max(own.values(), key=lambda one: one.score)
        # Formulas of the query that the text does not have count as 0.
        score = sum(one.score for one in own.values()) / len(lists)
        if words is not None:
            fits = select_word_scores(words, opened.fields_of(np.array([one.member for one in own.values()])))
            score = (1 - WORDS) * score + WORDS * float(fits.max())
        together.append(replace(first, score=score))
    return together
