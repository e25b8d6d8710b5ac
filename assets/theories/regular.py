"""Regular expressions: two are equal when their automata of derivatives accept the same words (Brzozowski,
1964). What differs is shown by a shortest word that one of them has and the other has not."""

from collections import deque
from functools import lru_cache

NOTHING, EMPTY = ("nothing",), ("empty",)
MOST = 5_000


def differ(left, right):
    letters = sorted({node.label for tree in (left, right) for node in tree if not node.children})
    letters = [letter for letter in letters if letter not in ("nothing", "empty")]
    start = read(left), read(right)
    seen, waiting = {start}, deque([(start, "")])
    while waiting:
        (one, other), word = waiting.popleft()
        if accepts(one) != accepts(other):
            which = "the first" if accepts(one) else "the second"
            return f"only {which} has the word {word!r}" if word else f"only {which} has the empty word"
        for letter in letters:
            following = after(one, letter), after(other, letter)
            if following not in seen:
                if len(seen) >= MOST:
                    raise ValueError(f"the automata have more than {MOST} states")
                seen.add(following)
                waiting.append((following, word + letter))
    return None


def read(tree):
    parts = [read(child) for child in tree.children]
    match tree.label, parts:
        case "nothing", []:
            return NOTHING
        case "empty", []:
            return EMPTY
        case "either", [one, other]:
            return either(one, other)
        case "then", [one, other]:
            return then(one, other)
        case "star", [one]:
            return star(one)
        case "some", [one]:
            return then(one, star(one))
        case letter, []:
            return ("letter", letter)
    raise ValueError(f"no operator {tree.label}")


def either(one, other):
    alternatives = set()
    for part in (one, other):
        alternatives |= part[1] if part[0] == "either" else {part}
    alternatives.discard(NOTHING)
    if len(alternatives) > 1:
        return ("either", frozenset(alternatives))
    return alternatives.pop() if alternatives else NOTHING


def then(one, other):
    if NOTHING in (one, other):
        return NOTHING
    if one == EMPTY:
        return other
    if other == EMPTY:
        return one
    return then(one[1], then(one[2], other)) if one[0] == "then" else ("then", one, other)


def star(one):
    if one in (NOTHING, EMPTY):
        return EMPTY
    return one if one[0] == "star" else ("star", one)


@lru_cache(maxsize=100_000)
def accepts(term):
    """Whether the empty word is among the words of a term."""
    kind, *parts = term
    if kind == "either":
        return any(map(accepts, parts[0]))
    if kind == "then":
        return all(map(accepts, parts))
    return kind in ("empty", "star")


@lru_cache(maxsize=100_000)
def after(term, letter):
    """What may follow a letter."""
    kind, *parts = term
    if kind == "letter":
        return EMPTY if parts[0] == letter else NOTHING
    if kind == "either":
        found = NOTHING
        for part in parts[0]:
            found = either(found, after(part, letter))
        return found
    if kind == "then":
        one, other = parts
        found = then(after(one, letter), other)
        return either(found, after(other, letter)) if accepts(one) else found
    return then(after(parts[0], letter), term) if kind == "star" else NOTHING
