"""Words around answers: what joins, limits, denies or concludes them, and what says nothing between them."""

from __future__ import annotations

from engines.formula.vocabulary import CONNECTIVES, TRIGONOMETRIC_AND_HYPERBOLIC
from engines.grading.tokens import Phrases


def make_phrases(*groups: str) -> Phrases[str]:
    """Return a table of the phrases that are listed with commas."""
    return Phrases({phrase: "" for group in groups for phrase in group.split(", ")})


JOINS = Phrases(
    {word: label for word, label in CONNECTIVES.items() if label in ("and", "or") and word != "&"}
)
REASONS = make_phrases(
    "wait, no, not, actually, sorry, instead, rather, but, because, since, as, so, hence, thus, then",
    "therefore, where, when, if, which, with, =",
)
"""Words after which another answer, or none, is given."""
CONCLUSIONS = make_phrases("so, thus, hence, therefore")
CAUSES = make_phrases("because, since, so, as, which, not")
"""Words behind a comma that end an answer."""
COPULAS = make_phrases("is, are, equal, equals, =, was, would be, must be, will be")
FINAL_VERBS = ("です", "である", "となる", "になる", "입니다", "이다", "이에요")
"""Verbs behind the number that a sentence states."""
ASSIGNMENTS = make_phrases(
    "is, are, equals, =, is at, are at, is given by, are given by, is equal to, are equal to"
)
CONTRASTS = make_phrases(
    "rather than, instead of, and not, but not, as opposed to, statt, anstatt, plutôt que, а не, 而不是, 而非"
)
"""Words before an answer that is denied."""
SUBORDINATE = make_phrases("because, since, when, where, if, while, who is, whose, whereas, weil, wenn")
"""Words that begin a clause behind the one that states the answer."""
FURTHER_LIMITS = make_phrases(
    "degrees below, degrees under, degrees above",
    "or more, or less, or fewer, or greater, or higher, or lower, below, above, factorial, dozen, hundred",
    "thousand, million, billion, trillion, is not, is wrong, is incorrect, is false, is impossible",
)
"""Words behind a number that say that another is meant."""
ALTERNATIVES = make_phrases("or more, or less, or fewer")
MONTHS = make_phrases(
    "January, February, March, April, May, June, July, August, September, October, November, December"
)
OPTIONS = make_phrases("option, choice, answer, option is, choice is, answer is")
PERCENT = make_phrases("%, °, pct, percent, per cent")
SHARES = make_phrases("out of, of the, von, из, sur")
"""Words between two numbers that are one: 5 out of 36."""
SHORT_UNITS = frozenset(("m", "km", "cm", "mm", "kg", "g"))
KEPT = frozenset(
    ("not", "minus", "negative", "sec", "csc", "cot", "log", "exp", "sqrt", *TRIGONOMETRIC_AND_HYPERBOLIC)
)
"""Words before a number that are part of the answer."""
NO_NUMBERS = ("one", "a half", "half", "third", "quarter")
"""Numerals that are more often something else: this one, a third of them."""
CURRENCIES = ("$", "€", "£")
FORMAT_COMMANDS = ("\\text", "\\quad", "\\qquad", "\\mbox", "\\textbf", "\\mathrm")
FORMAT = frozenset((*FORMAT_COMMANDS, *"{}$~", *(f"\\{sign}" for sign in ",;:! ()[]")))
"""What says nothing between two answers."""
MOST_BOXES = 2_000
"""More boxes are longer than an answer that is read."""
WORDS_BETWEEN = 5
MOST_LISTED = 60
UNIT_WORDS = 3
