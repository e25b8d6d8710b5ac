r"""Values by cases whose conditions stand between formulas: `$x^2$ for $x \ge 0$, $0$ otherwise`."""

from __future__ import annotations

from engines.grading.tokens import is_blank, join_formulas, tokenize

_CONDITION_WORDS = (
    *("for", "if", "when", "where", "whenever", "für", "falls", "wenn", "pour", "si", "para", "se", "per"),
    *("при", "если", "для", "когда"),
)
_OTHERWISE_WORDS = ("otherwise", "else", "elsewhere", "sonst", "sinon", "иначе", "altrimenti")
_JOINS = ("and", "und", "et", "y", "и", "e", ",", ";", ".")


def spell_cases(text: str) -> str:
    r"""Return values by cases as one formula; "" for texts with other words, or without a condition.

    >>> spell_cases(r"$f(x)=x$ if $x>0$, $f(x)=0$ otherwise")
    'f(x)=x \\text{ for } x>0, f(x)=0 \\text{ otherwise }'
    """
    tokens = join_formulas(text, tokenize(text))
    written: list[str] = []
    conditions = 0
    for token in tokens:
        word = token.text.lower()
        if token.kind == "formula":
            written.append(token.text.strip(" ,"))
        elif token.kind == "word" and word in _CONDITION_WORDS:
            conditions += 1
            written.append(r" \text{ for } ")
        elif word in _OTHERWISE_WORDS:
            written.append(r" \text{ otherwise }")
        elif word in _JOINS:
            written.append(", ")
        elif not is_blank(token):
            return ""
    formulas = sum(token.kind == "formula" for token in tokens)
    said = " ".join("".join(written).split()).strip(" ,")
    return said.replace(", ,", ",") if conditions and formulas > 2 else ""
