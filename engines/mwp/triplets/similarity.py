"""Bi-BLEU and BERTSim of problem texts, and the similarity of equations (Shen et al. 2022, section 3).

Bi-BLEU compares tokens, BERTSim sentence vectors; equations are compared by their tree edit distance.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engines.core.arrays import Floats, ShortInts
from engines.core.compiling import compile_kernel
from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.spec import make_refusal
from engines.core.tree import Tree
from engines.core.tree_edit import edit_distance, edit_script
from engines.mwp.problems.equivalence import read_template
from engines.mwp.problems.numbers import Language, language_of
from engines.mwp.problems.problem import Problem, to_infix
from engines.mwp.triplets.settings import BleuTokens, Similarity, Text

# Bi-BLEU: sentence BLEU of two texts, each as the other's reference, on average (Shen et al. 2022).
#
# Four-grams with equal weights, brevity penalty, and NLTK's smoothing method 1: no n-gram in common counts
# as 0.1 of one. Compiled; the counts of all texts are laid out once.


_LONGEST = 4
_WORD = re.compile(r"N_\d+|[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:\.\d+)?|\S")
_WORD_ZH = re.compile(r"N_\d+|[A-Za-z]+|\d+(?:\.\d+)?|\S")


def tokenize_for_bleu(text: str, language: Language, how: BleuTokens = "auto") -> tuple[str, ...]:
    """Return the tokens that BLEU counts: characters in Chinese, words in English.

    Words are in lower case, punctuation stands alone; in Chinese each character and each placeholder is one.
    """
    if how == "characters" or (how == "auto" and language == "zh"):
        return tuple(text)
    if language == "zh":
        return tuple(_WORD_ZH.findall(text))
    return tuple(word if word.startswith("N_") else word.lower() for word in _WORD.findall(text))


def compute_bibleu(left: Sequence[str], right: Sequence[str]) -> float:
    """Return the Bi-BLEU of two sequences of tokens, between 0 and 1.

    Bi-BLEU(T1, T2) = (BLEU(T1, T2) + BLEU(T2, T1)) / 2 (Shen et al. 2022), with NLTK's
    smoothing method 1.

    >>> round(compute_bibleu("abc", "abd"), 4)
    0.2403
    """
    return float(BiBleu([left, right]).compare_texts(0, np.array([1]))[0])


class BiBleu:
    """Bi-BLEU among many texts. Args: texts: their tokens."""

    name = "bibleu"

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        numbers: dict[tuple[str, ...], int] = {}
        ids: list[int] = []
        counts: list[int] = []
        begins = np.zeros(len(texts) * _LONGEST + 1, np.int64)
        self._lengths = np.array([len(text) for text in texts], np.int32)
        for index, text in enumerate(texts):
            for size in range(1, _LONGEST + 1):
                grams = Counter(zip(*(text[start:] for start in range(size)), strict=False))
                ids += [numbers.setdefault(gram, len(numbers)) for gram in grams]
                counts += grams.values()
                begins[index * _LONGEST + size] = len(ids)
        self._ids, self._counts = np.array(ids, np.int32), np.array(counts, np.int32)
        self._begins = begins
        # The logarithm of how many n-grams each text has, averaged over n.
        sizes = np.maximum(self._lengths[:, None] - np.arange(_LONGEST)[None], 1)
        self._log_sizes = np.log(sizes).mean(1)
        self._have = np.zeros(max(len(numbers), 1), np.int32)

    def compare_texts(self, anchor: int, others: NDArray[np.integer]) -> Floats:
        """Return the Bi-BLEU of one text with others at given indices, shape `(n,)`.

        It must not run in several threads at once, because it uses one scratch array.
        """
        known = self._ids, self._counts, self._begins, self._lengths, self._log_sizes, self._have
        return _compute_scores(anchor, np.asarray(others, np.int64), *known)


@compile_kernel
def _compute_scores(
    anchor: int,
    others: NDArray[np.int64],
    ids: ShortInts,
    counts: ShortInts,
    begins: NDArray[np.int64],
    lengths: ShortInts,
    log_sizes: Floats,
    have: ShortInts,
) -> Floats:
    # The n-grams of text i with size s lie from begins[4 i + s] to begins[4 i + s + 1].
    first, last = begins[anchor * 4], begins[anchor * 4 + 4]
    # Spread the counts of the anchor over the vocabulary, so that matches take one look-up each.
    for at in range(first, last):
        have[ids[at]] = counts[at]
    result = np.zeros(len(others))
    a = float(lengths[anchor])
    for row in range(len(others)):
        candidate = others[row]
        b = float(lengths[candidate])
        log_matches = 0.0
        shares = True
        for size in range(4):
            common = 0
            # Clipped matches: an n-gram counts at most as often as in the other text.
            for at in range(begins[candidate * 4 + size], begins[candidate * 4 + size + 1]):
                common += min(have[ids[at]], counts[at])
            # Without a common word BLEU is 0, whatever the smoothing.
            if size == 0 and common == 0:
                shares = False
                break
            # Smoothing method 1: a zero count becomes 0.1.
            log_matches += math.log(common if common else 0.1)
        if not shares:
            continue
        log_matches /= 4.0
        # Each direction has its own brevity penalty and its own denominators.
        brevity_a = 1.0 if a > b else math.exp(1.0 - b / a)
        brevity_b = 1.0 if b > a else math.exp(1.0 - a / b)
        result[row] = 0.5 * (
            brevity_a * math.exp(log_matches - log_sizes[anchor])
            + brevity_b * math.exp(log_matches - log_sizes[candidate])
        )
    # Clear only what was set: the array is as long as the vocabulary.
    for at in range(first, last):
        have[ids[at]] = 0
    return result


class TextSimilarity(Protocol):
    """What compares the text of one problem with others."""

    name: str

    def compare_texts(self, anchor: int, others: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return the similarities of one text to others at given indices, shape `(n,)`."""
        ...


class BertSim:
    """The cosine of sentence vectors. Args: vectors: (texts, d), of length 1."""

    name = "bertsim"

    def __init__(self, vectors: NDArray[np.float32]) -> None:
        self.vectors = vectors

    def compare_texts(self, anchor: int, others: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return the cosines of one text with others at given indices, shape `(n,)`."""
        return np.asarray(self.vectors[others] @ self.vectors[anchor], np.float64)


def similarity_of(
    problems: Sequence[Problem],
    text: Text,
    *,
    how: BleuTokens = "auto",
    encoder: str | None = None,
    events: Sink = ignore,
    stop: Stop = never,
) -> TextSimilarity:
    """Return what compares the texts of problems; the random choice is measured by Bi-BLEU.

    Args:
        encoder: Of sentences, `minilm` or a folder; None takes MiniLM where all problems are English.
    """
    if text != "bertsim":
        return BiBleu([tokenize_for_bleu(problem.text, problem.language, how) for problem in problems])
    if encoder is None and any(problem.language == "zh" for problem in problems):
        remedy = "Name one that does with --encoder FOLDER, or use --text bibleu."
        raise EngineError("the built-in sentence encoder reads no Chinese", code="E682", remedy=remedy)
    from engines.retrieval.encoders import BUILT_IN
    from engines.retrieval.encoders import encoder as opened

    model = opened(encoder or BUILT_IN)
    return BertSim(model.encode([problem.original for problem in problems], events=events, stop=stop))


def compare_problems(spec: Similarity) -> dict[str, Any]:
    """Compare two texts by Bi-BLEU, or two equations by normal form, tree edit distance, similarity and
    edits.

    Raises:
        EquationError: E220 for an equation that cannot be read.
    """
    if spec.texts:
        if not spec.left.strip() or not spec.right.strip():
            raise make_refusal("one of the texts is empty", "E424")
        language = language_of(spec.left + spec.right)
        left, right = (tokenize_for_bleu(text, language, spec.tokens) for text in (spec.left, spec.right))
        return {"bibleu": compute_bibleu(left, right), "tokens": [len(left), len(right)]}
    one, second = (read_template(text) for text in (spec.left, spec.right))
    return {
        "left": to_infix(one),
        "right": to_infix(second),
        "distance": edit_distance(one, second),
        "nodes": [len(one), len(second)],
        "similarity": equation_similarity(one, second),
        "edits": list_edits(one, second),
    }


def equation_similarity(left: Tree, right: Tree) -> float:
    """Return 1 - tree edit distance / (nodes of both) (Shen et al. 2022).

    >>> from engines.mwp.problems.problem import read_equation
    >>> round(equation_similarity(read_equation("N_0+N_1", Tree), read_equation("N_0-N_1", Tree)), 4)
    0.8333
    """
    return 1.0 - edit_distance(left, right) / (len(left) + len(right))


def list_edits(left: Tree, right: Tree) -> list[dict[str, Any]]:
    """Return what becomes of each node on a shortest way from one equation to the other, with labels."""
    from_, to = left.list_labels(), right.list_labels()
    return [
        {
            **asdict(edit),
            "from": None if edit.left is None else from_[edit.left],
            "to": None if edit.right is None else to[edit.right],
        }
        for edit in edit_script(left, right)
    ]
