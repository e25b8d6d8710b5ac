"""Eigenvalues with their eigenvectors: `λ = 3 with eigenvector (1, 1)`, in any order and up to factors."""

from __future__ import annotations

from collections.abc import Sequence

from engines.grading.compare import AnswerComparison
from engines.grading.forms import Form, Many, Matrix
from engines.grading.messages import to_message_text
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.spans import make_span
from engines.grading.tokens import AnswerToken, Phrases, is_blank, text_at, tokenize, unwrap_texts
from engines.grading.verdicts import GradeVerdict, differ_by

EigenPair = tuple[Form, tuple[Form, ...]]
"""A value, and the vectors that are said of it."""

_MOST_TOKENS = 200
_SPEAKS_OF_EIGEN = Phrases(
    dict.fromkeys(
        (
            *("eigenvector", "eigenvectors", "eigenvalue", "eigenvalues", "Eigenvektor", "Eigenvektoren"),
            *("Eigenwert", "Eigenwerte", "vecteur propre", "valeur propre", "vector propio", "valor propio"),
            *("autovettore", "autovector", "autovalor", "\\lambda", "λ", "собственный вектор", "特征向量"),
        ),
        "",
    )
)
_SKIPPED = Phrases(
    dict.fromkeys(
        (
            *("eigenvector", "eigenvectors", "eigenvalue", "eigenvalues", "with", "for", "to", "is", "are"),
            *("the", "an", "and", "corresponding", "has", "associated", "mit", "zu", "zum", "und", "der"),
            *("Eigenvektor", "Eigenwert", "ist", "Eigenvektoren", "Eigenwerte", "avec", "et", "con", "y"),
            *("vecteur propre", "valeur propre", "vector propio", "valor propio", "respectively"),
            *("autovettore", "autovalore", "autovector", "autovalor", "e", "spanned by", "span", "\\to"),
            *("собственный вектор", "собственное значение", "特征值", "特征向量", "\\quad", "\\qquad"),
        ),
        "",
    )
)
_SIGNS = frozenset("$:;,.{}[]→&") | {"\\,", "\\;", "\\ ", "\\{", "\\}", "\\left", "\\right"}
_CONDITIONS = ("where", "wobei", "où", "donde", "dove", "onde", "где")
_VALUES, _VECTORS = ("λ", "\\lambda", "lambda"), ("v", "\\vec", "\\mathbf", "u", "x", "E")


def speaks_of_eigenvectors(text: str) -> bool:
    """Return whether a text may state eigenvalues with vectors."""
    return any(stem in text for stem in _STEMS) and _SPEAKS_OF_EIGEN.find(tokenize(text)) is not None


_STEMS = ("igen", "λ", "lambda", "propre", "propi", "autov", "собств", "特征")


def compare_eigenvectors(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare eigenvalues with their vectors; None where one of the texts does not state both."""
    mine, theirs = read_eigenvectors(gold), read_eigenvectors(pred)
    if mine is None or theirs is None:
        return None
    if len(mine) != len(theirs):
        return differ_by(f"{len(mine)} and {len(theirs)} values")
    left = list(theirs)
    verdicts: list[GradeVerdict] = []
    for value, vectors in mine:
        same = next((one for one in left if comparison.compare(value, one[0]).outcome == "equal"), None)
        if same is None:
            known = [comparison.compare(value, one[0]).outcome for one in left]
            return (
                differ_by(f"{to_message_text(value)} is in one of them only")
                if {*known} == {"different"}
                else None
            )
        left.remove(same)
        if len(vectors) != len(same[1]):
            return differ_by(f"{len(vectors)} and {len(same[1])} vectors of one value")
        spans = [make_span(Many("list", each)) for each in (vectors, same[1])]
        if spans[0] is None or spans[1] is None:
            return None
        verdicts.append(comparison.compare(spans[0], spans[1]))
    apart = next((one for one in verdicts if one.outcome != "equal"), None)
    return apart or GradeVerdict("equal", reason="eigenvectors are compared up to a factor")


def read_eigenvectors(text: str) -> list[EigenPair] | None:
    """Return the eigenvalues that a text states, each with its vectors; None for other texts.

    >>> [len(vectors) for _, vectors in read_eigenvectors("λ = 3: (1, 1); λ = -1: (1, -1)")]
    [1, 1]
    """
    tokens = [token for token in unwrap_texts(tokenize(text)) if not is_blank(token) and token.text != "$"]
    if len(tokens) > _MOST_TOKENS:
        return None
    return _EigenParser(text, tokens).parse_pairs()


class _EigenParser:
    """Parser of values and vectors in the order in which a text states them, or by their indices."""

    def __init__(self, text: str, tokens: Sequence[AnswerToken]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0

    def parse_pairs(self) -> list[EigenPair] | None:
        pairs: list[tuple[Form, list[Form], str]] = []
        while self.at < len(self.tokens):
            if self.skip():
                continue
            index, is_vector = self.take_name()
            item = self.take_vector() if is_vector is not False else None
            if item is not None:
                owner = next((one for one in pairs if index and one[2] == index), None)
                if owner is None and not pairs:
                    return None
                (owner or pairs[-1])[1].append(item)
                continue
            value = self.take_value() if not is_vector else None
            if value is None:
                return None
            pairs.append((value, [], index))
        stated = [(value, tuple(vectors)) for value, vectors, _ in pairs]
        return stated if len(stated) > 1 and all(vectors for _, vectors in stated) else None

    def skip(self) -> bool:
        """Go over a word or sign between values and vectors."""
        if self.scales_vector():
            self.at += 1
            return True
        if text_at(self.tokens, self.at) in _CONDITIONS:  # where s, t ≠ 0
            self.at = len(self.tokens)
            return True
        if (match := _SKIPPED.match(self.tokens, self.at)) is not None:
            self.at = match[0]
            return True
        if text_at(self.tokens, self.at) in _SIGNS and not self._opens_matrix():
            self.at += 1
            return True
        return False

    def scales_vector(self) -> bool:
        """Return whether a letter stands here that only multiplies the vector behind it, as in t(1, 2)."""
        letter, behind = text_at(self.tokens, self.at), self.at + 1
        while text_at(self.tokens, behind) in ("\\,", "\\cdot", "·"):
            behind += 1
        opens = text_at(self.tokens, behind) in ("(", "\\begin")
        return len(letter) == 1 and letter in "stckabrαβ" and opens and behind < len(self.tokens)

    def _opens_matrix(self) -> bool:
        return text_at(self.tokens, self.at) == "[" and text_at(self.tokens, self.at + 2) in (",", "/")

    def take_name(self) -> tuple[str, bool | None]:
        """Go over `λ_1 =` or `v_1 =`; return the index, and whether it names a vector, None without one."""
        name = text_at(self.tokens, self.at)
        at = self.at + 1
        if name in ("\\vec", "\\mathbf"):
            at += 1 + (text_at(self.tokens, at) == "{") + (text_at(self.tokens, at + 2) == "}")
        index = ""
        at += text_at(self.tokens, at) == "_"
        opened = text_at(self.tokens, at) == "{"
        at += opened
        while at < len(self.tokens) and text_at(self.tokens, at) not in ("=", "}"):
            index += text_at(self.tokens, at)
            at += 1
        at += opened
        if name not in (*_VALUES, *_VECTORS) or text_at(self.tokens, at) != "=" or len(index) > 2:
            return "", None
        self.at = at + 1
        return index.translate(_SUBSCRIPTS), name in _VECTORS

    def take_vector(self) -> Form | None:
        """Return the tuple or column that begins here."""
        start = self.at
        opening = text_at(self.tokens, start)
        if opening not in ("(", "[", "\\begin", "\\langle"):
            return None
        depth = 0
        for end in range(start, len(self.tokens)):
            text = self.tokens[end].text
            depth += (text in ("(", "[", "\\begin", "\\langle")) - (text in (")", "]", "\\end", "\\rangle"))
            if not depth:
                break
        else:
            return None
        end += 3 * (opening == "\\begin")
        if text_at(self.tokens, end + 1) in ("^", "ᵀ"):
            marked = end + 1
            rest = "".join(token.text for token in self.tokens[marked : marked + 4])
            length = next((len(one) for one in ("^{T}", "^T", "ᵀ") if rest.startswith(one)), 0)
            if not length:
                return None
            self.at = marked + length
        else:
            self.at = end + 1
        form = read_form(
            self.text[self.tokens[start].start : self.tokens[min(end, len(self.tokens) - 1)].end]
        )
        is_vector = isinstance(form, Matrix) or (isinstance(form, Many) and form.kind == "tuple")
        return form if is_vector else None

    def take_value(self) -> Form | None:
        """Return the number that begins here."""
        start = self.at
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            ends = token.text in (",", ";", ":", "→") or (token.kind == "word" and len(token.text) > 1)
            if ends or _SKIPPED.match(self.tokens, self.at) is not None:
                break
            self.at += 1
        if self.at == start:
            return None
        text = self.text[self.tokens[start].start : self.tokens[self.at - 1].end].strip(" .$")
        form = read_form(text)
        return form if isinstance(form, Term) and form.unit is None else None


_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
