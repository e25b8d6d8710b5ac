"""What a question says that its answers use: the names that it asks for, and where it gives values."""

from __future__ import annotations

from dataclasses import dataclass

from engines.core.tree import Tree
from engines.grading.tokens import is_blank, join_formulas, text_at, tokenize

_FENCES = ("\\left", "\\right", "\\,", "\\;", "\\!", "\\ ", "$", " ", "\n", "{", "}")

_SHORT_JOINS = ("y", "e", "и")
"""Words of one letter for `and`."""
_RINGS = ("Z", "ℤ", "F", "𝔽", "C")
_COUNTERS = tuple("ijklmn")
_REALS = (
    "ℝ",
    "real",
    "reals",
    "reelle",
    "reellen",
    "réel",
    "réels",
    "reales",
    "reali",
    "reais",
    "实数",
    "実数",
)
_CONGRUENCES = ("≡", "\\equiv")
_MODULO = ("mod", "modulo", "\\bmod", "\\pmod", "\\mod", "模", "módulo", "модулю")


@dataclass(frozen=True, slots=True)
class QuestionText:
    """The text of a question; "" where it is not known."""

    text: str

    def names(self, side: str) -> bool:
        """Return whether the question has a term, so that `it = …` states its value."""
        return bool(side.strip()) and _squeeze(side) in _squeeze(self.text)

    def list_formulas(self) -> list[str]:
        """Return the formulas between delimiters."""
        return [
            token.text for token in join_formulas(self.text, tokenize(self.text)) if token.kind == "formula"
        ]

    def find_short_joins(self) -> set[str]:
        """Return the letters that join words of the question, as the Spanish y.

        >>> QuestionText("Calcule la esperanza y la varianza.").find_short_joins()
        {'y'}
        """
        tokens = [token for token in tokenize(self.text) if not is_blank(token)]
        return {
            tokens[at].text
            for at in range(1, len(tokens) - 1)
            if tokens[at].text in _SHORT_JOINS
            and all(tokens[at + step].kind == "word" and len(tokens[at + step].text) > 1 for step in (-1, 1))
        }

    def list_large_numbers(self) -> list[str]:
        """Return the numbers of at least two digits, each once."""
        digits = (token.text for token in tokenize(self.text) if token.kind == "digits")
        return list(dict.fromkeys(number for number in digits if len(number) > 1))

    def speaks_of_residues(self) -> bool:
        """Return whether its numbers may be residues, as those of a congruence are."""
        tokens = tokenize(self.text)
        is_modular = any(token.text.lower() in _MODULO or token.text in _CONGRUENCES for token in tokens)
        return is_modular or self.find_modulus() > 0

    def speaks_of_reals(self) -> bool:
        """Return whether it names the real numbers."""
        tokens = tokenize(self.text)
        is_named = any(token.text.lower() in _REALS for token in tokens)
        return is_named or any(
            token.text == "\\mathbb"
            and text_at(tokens, at + 1 + (text_at(tokens, at + 1).strip() in ("", "{"))) == "R"
            for at, token in enumerate(tokens)
        )

    def find_modulus(self) -> int:
        r"""Return the modulus of the question, as 12 of `\mathbb Z/12\mathbb Z`; 0 for none.

        >>> QuestionText(r"$\mathbb Z/12\mathbb Z$").find_modulus(), QuestionText("3 mod 7").find_modulus()
        (12, 7)
        """
        said = [
            token.text
            for token in tokenize(self.text)
            if not is_blank(token) and token.text not in ("\\mathbb", "{", "}", "$")
        ]
        found: set[int] = set()
        for at, word in enumerate(said[:-1]):
            is_ring = word in _RINGS and said[at + 1] in ("_", "/")
            number = said[min(at + 1 + is_ring, len(said) - 1)]
            if number.isdecimal() and (is_ring or word.lower() in _MODULO):
                found.add(int(number))
        return found.pop() if len(found) == 1 else 0

    def list_indices(self) -> set[str]:
        """Return the letters that count terms: those below others, as n of `a_{n+1}`.

        >>> QuestionText("$a_{n+1} = 2v_x + x_1$").list_indices()
        {'n'}
        """
        tokens = [token for token in tokenize(self.text) if not is_blank(token)]
        found: set[str] = set()
        for at, token in enumerate(tokens):
            if token.text != "_":
                continue
            end = at + 2
            if text_at(tokens, at + 1) == "{":
                end = next((end for end in range(at, len(tokens)) if tokens[end].text == "}"), at + 2)
            found |= {one.text for one in tokens[at + 1 : end] if one.text in _COUNTERS}
        return found

    def list_arguments(self) -> list[Tree]:
        """Return the numbers at which values of functions are given, as 0 of `y(0) = 1`.

        >>> [tree.label for tree in QuestionText("$y' = y^2$, $y(0) = 1$").list_arguments()]
        ['0']
        """
        tokens = [token for token in tokenize(self.text) if not is_blank(token) and token.text != "'"]
        return [
            Tree(tokens[at + 2].text)
            for at in range(len(tokens))
            if len(tokens[at].text) == 1
            and tokens[at].kind == "word"
            and [text_at(tokens, at + step) for step in (1, 3, 4)] == ["(", ")", "="]
            and tokens[at + 2].kind == "digits"
        ]


def _squeeze(text: str) -> str:
    """Return a formula without what only changes how it looks."""
    for fence in _FENCES:
        text = text.replace(fence, "")
    return text.replace("\\cdot", "·").replace("−", "-")
