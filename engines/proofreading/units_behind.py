"""Units that stand in the words behind a formula: `$1/(2 + 20 + 1) = 43.5$ MHz` for delays in nanoseconds."""

from __future__ import annotations

from engines.core.tree import Tree
from engines.formula.unit_table import UNIT_SYMBOLS, UNIT_WORDS
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import words_of
from engines.proofreading.term_properties import evaluate_term

_KNOWN = (*UNIT_WORDS.items(), *UNIT_SYMBOLS.items())
_ROUNDED = 1e-3
_MOST_ROUNDED = 0.05
_PREFIXES = tuple(1000.0**power for power in (-4, -3, -2, -1, 1, 2, 3, 4))
"""What prefixes of units multiply by, from pico to tera."""
_BINARY_PREFIXES = (1024, 1024**2, 1024**3, 1024**4)


def is_multiple_of_unit(link: ChainLink, left: Tree, right: Tree) -> bool:
    """Return whether the right side of a link is a number right before a word, and a prefix of units away
    from the left one: 2^20 = 1 behind which `M words` stands."""
    value = evaluate_term(left, {})
    behind = link.words_after.lstrip()
    if value is None or not value or right.children or (not behind[:1].isalpha() and behind[:1] not in "μΩ"):
        return False
    number = evaluate_term(right, {})
    if not number:
        return False
    # Half a unit of the last digit that is written.
    room = min(0.5 / 10 ** len(right.label.partition(".")[2]), abs(number) * _MOST_ROUNDED)
    is_rounded = any(abs(value / prefix - number) <= room for prefix in _PREFIXES)
    return is_rounded or any(value == number * prefix for prefix in _BINARY_PREFIXES)


def is_mixed_quantity(link: ChainLink, left: Tree, right: Tree) -> bool:
    """Return whether the formula behind a link goes on with its right side in a smaller unit: `$2.5 = 2$
    hours and $30$ minutes`."""
    larger, smaller = (
        [unit for name, unit in _KNOWN if name.lower() in (word, word[:-1])]
        for word in (" ".join(words_of(words)[:1]) for words in (link.words_after, link.words_after_next))
    )
    value, whole = evaluate_term(left, {}), evaluate_term(right, {})
    if value is None or whole is None or not link.next_formula.strip().isdecimal():
        return False
    rest = int(link.next_formula)
    return any(
        powers == others
        and size < unit
        and abs(whole + rest * float(size / unit) - value) <= _ROUNDED * value
        for powers, unit in larger
        for others, size in smaller
    )


def is_converted(link: ChainLink, left: Tree, right: Tree) -> bool:
    """Return whether the word behind a link names the unit of its right side, and its left side has another
    unit for the same thing."""
    words = () if link.words_after.startswith(".") else words_of(link.words_after)[:1]
    left_value, right_value = evaluate_term(left, {}), evaluate_term(right, {})
    if not words or not left_value or not right_value:
        return False
    written = (words[0], words[0][:-1])  # kilometers; the words behind a formula have small letters
    named = [unit for name, unit in _KNOWN if name.lower() in written]
    ratios = (
        float(unit / size)
        for powers, unit in named
        for _, (others, size) in _KNOWN
        if powers == others and unit != size
    )
    room = _ROUNDED
    if link.relation == "approx" and not right.children:  # half a unit of the last digit
        room = max(room, 0.5 / 10 ** len(right.label.partition(".")[2]) / abs(right_value))
    return any(abs(left_value / right_value - ratio) <= room * ratio for ratio in ratios)


def take_miles(tree: Tree) -> Tree:
    """Return a term in which the unit m is a mile, as in m/hr."""
    if tree.label == "unit" and tree.children[0].label == "m":
        return Tree("unit", (Tree("mi"),))
    return Tree(tree.label, tuple(map(take_miles, tree.children)))
