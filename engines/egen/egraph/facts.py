"""Facts about classes as the bits of one integer, so that one rule of egglog stands for many implications.

Searching costs more by the number of rules than by what they find. Implications about the same nodes
(`(= e (Mul u v))`) become one rule, which works out all of them at once from what is known of the classes.
Facts that guard rules of the table are relations too, filled from the bits where these are settled.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["FACTS", "GUARDS", "Implication", "asked", "gathered", "known", "rule"]

FACTS = (
    *("Konst", "Alg", "Trans", "Nonconst", "Nz", "Pos", "Nonneg", "Bounded", "Absge1", "Ge1"),
    *("Nonpos", "Whole", "Free"),
)
"""What can be known of a class. Konst: no x in it. Alg: an algebraic function. Trans: transcendental on every
interval. Nonconst: constant on no interval. Nz: zero only at isolated points. Pos > 0, Nonneg >= 0,
Bounded: |u| <= 1, Absge1: |u| >= 1, Ge1: u >= 1. Of assumptions alone: Nonpos <= 0, Whole: an integer, Free:
no x in it."""
GUARDS = FACTS[3:]
"""Those that guard rules of the table."""
_PLACES = {name: place for place, name in enumerate(FACTS)}
_ATOM = re.compile(r"\((\w+) (\w+)\)")
_Fact = tuple[str, str]


class Implication(NamedTuple):
    """What follows from a query, whose conditions may be facts: `(= e (Abs u)) (Bounded u)`, `Bounded e`."""

    query: str
    facts: tuple[str, ...]


def rule(query: str, actions: str, ruleset: str) -> str:
    """A rule as egglog text."""
    return f"(rule ({query}) ({actions}) :ruleset {ruleset})"


def known(term: str, *facts: str) -> str:
    """The action that notes facts about a term."""
    return f"(set (Known {term}) {sum(1 << _PLACES[fact] for fact in facts)})"


def asked() -> Iterator[str]:
    """The rules of the ruleset `asked`, which fill the relations."""
    for fact in GUARDS:
        yield rule(f"(= m (Known e)) (!= 0 (& m {1 << _PLACES[fact]}))", f"({fact} e)", "asked")


def gathered(implications: Iterable[Implication]) -> Iterator[str]:
    """One rule for all implications about the same nodes: of the ruleset `facts`, which runs until nothing is
    new, or where nothing need be known before, of `shapes`, which runs once."""
    groups: dict[str, list[tuple[list[_Fact], list[str]]]] = {}
    for query, facts in implications:
        atoms = list(_atoms(query))
        conditions = [fact for fact in map(_fact, atoms) if fact]
        nodes = " ".join(atom for atom in atoms if not _fact(atom))
        groups.setdefault(nodes, []).append((conditions, list(facts)))
    for nodes, many in groups.items():
        at_once = [fact for conditions, facts in many if not conditions for fact in facts]
        if any(not conditions for conditions, _ in many):
            later = "(Deg " in nodes or "(Applied " in nodes
            yield rule(nodes, _noted(at_once), "facts" if later else "shapes")
        if guarded := [one for one in many if one[0]]:
            yield _worked_out(nodes, guarded)


def _noted(facts: Iterable[str]) -> str:
    """The actions that note facts, or that there are none."""
    about: dict[str, list[str]] = {"e": []}
    others = []
    for fact in dict.fromkeys(facts):
        name, *of = fact.split()
        if name in _PLACES:
            about.setdefault(of[0], []).append(name)
        else:
            others.append(f"({fact})")
    return " ".join([*(known(of, *names) for of, names in about.items()), *others])


def _worked_out(nodes: str, many: list[tuple[list[_Fact], list[str]]]) -> str:
    """The rule for implications with conditions."""
    variables = sorted({of for conditions, _ in many for _, of in conditions})
    query = " ".join([nodes, *(f"(= k_{of} (Known {of}))" for of in variables)])
    # where all conditions and what follows are the same fact, one mask does for many
    alike: dict[tuple[str, tuple[str, ...]], int] = {}
    terms: dict[str, list[str]] = {}
    for conditions, found in many:
        names, about = {name for name, _ in conditions}, tuple(sorted({of for _, of in conditions}))
        results: dict[str, int] = {}
        for name, of in map(str.split, found):
            if names == {name}:
                alike[of, about] = alike.get((of, about), 0) | 1 << _PLACES[name]
            else:
                results[of] = results.get(of, 0) | 1 << _PLACES[name]
        for of, bits in results.items():
            holds = _all([f"(>> k_{one} {_PLACES[name]})" for name, one in conditions])
            terms.setdefault(of, []).append(f"(* {bits} (& 1 {holds}))")
    for (of, about), bits in alike.items():
        terms.setdefault(of, []).append(f"(& {bits} {_all([f'k_{one}' for one in about])})")
    return rule(query, " ".join(f"(set (Known {of}) {_any(parts)})" for of, parts in terms.items()), "facts")


def _all(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"(& {parts[0]} {_all(parts[1:])})"


def _any(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"(| {parts[0]} {_any(parts[1:])})"


def _fact(atom: str) -> _Fact | None:
    """An atom that is a fact."""
    found = _ATOM.fullmatch(atom)
    return (found[1], found[2]) if found and found[1] in _PLACES else None


def _atoms(query: str) -> Iterator[str]:
    """The atoms of a query."""
    depth = start = 0
    for place, char in enumerate(query):
        if char == "(":
            start = start if depth else place
            depth += 1
        elif char == ")":
            depth -= 1
            if not depth:
                yield query[start : place + 1]
