"""The rewrite rules of E-Gen, read from `assets/rules/egen.toml`.

Source: the identities of E-Gen's published generator, mended. The table's head explains its fields; here
every line becomes one `Rule` per direction: `sin-reciprocal` forwards, `sin-reciprocal~` backwards. Patterns
are trees in generator prefix notation whose leaves may be pattern variables (`?a`).
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from engines.core.errors import DataError, ExpressionError
from engines.core.expression_language import (
    ARITY,
    VARIABLE,
    is_constant_token,
    is_number,
    to_prefix,
    variables_of,
)
from engines.core.system import asset
from engines.core.tree import Tree, parse_prefix
from engines.egen.settings import Mode

TABLE = "rules/egen.toml"
ASSUMED = "rules/assumed.toml"
"""Further rules, of what assumptions are about: integers, and exponents that are not known numbers."""

Effect = Literal["sound", "extends", "loses", "mixed", "false"]
"""What a direction does to the domain: none, it grows, it shrinks, both; or the values differ somewhere."""

CONDITIONS: Mapping[str, str] = {
    "const": "a known rational number",
    "int": "a known integer",
    "odd": "a known odd integer",
    "even": "a known even integer",
    "posnum": "a known number above 0",
    "negnum": "a known number below 0",
    "nonconst": "not constant on any interval",
    "nz": "not 0 where it is defined, except at isolated points",
    "pos": "above 0 where it is defined, except at isolated points",
    "nonneg": "at least 0 where it is defined",
    "nonpos": "at most 0 where it is defined",
    "unit": "between -1 and 1 where it is defined",
    "absge1": "of absolute value at least 1 where it is defined",
    "ge1": "at least 1 where it is defined",
    "free": "without the variable x",
    "whole": "an integer, by what is assumed",
    "total": "defined on all of the reals, except at isolated points",
}
"""What a guard can say of a sub-expression, seen as a function of x on the reals."""

_CONDITION = re.compile(r"(\w+)\((.+)\)\Z")
_PATTERN_VARIABLE = re.compile(r"\?[a-z]")
_MIRROR: Mapping[Effect, Effect] = {"extends": "loses", "loses": "extends"}


@dataclass(frozen=True, slots=True)
class RuleCondition:
    """A guard such as `nz(sin ?a)`; `pattern` is a variable or occurs in the side that is matched."""

    name: str
    pattern: Tree

    def __str__(self) -> str:
        return f"{self.name}({to_prefix(self.pattern)})"


Guards = tuple[RuleCondition, ...]
"""Conditions that must all hold."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One direction of an identity.

    `when` must hold in every mode. `exact` lists alternatives, each of which (with `when`) makes both sides
    defined at the same points, up to isolated ones; `((),)` is exact as it is, `()` never provably so.
    `claim` is what the direction does to the domain under `when` alone. `appendix` is the letter (S, G, L, F)
    of the source's directed rule, empty for our additions; `original` is the source's false rule that this
    one mends.
    """

    name: str
    family: str
    left: Tree
    right: Tree
    when: Guards
    exact: tuple[Guards, ...]
    claim: Effect
    appendix: str = ""
    original: tuple[Tree, Tree] | None = None
    reason: str = ""

    def list_guards(self, mode: Mode) -> tuple[Guards, ...]:
        """Return the alternatives under which the rule may fire; none when it is inactive in this mode.

        `strict` lets no direction lose domain. One that extends it needs no more than `when`: as long as none
        loses any, every term grown from a head is defined wherever the head is, and agrees with it there.
        """
        if mode != "strict" or self.claim == "extends":
            return (self.when,)
        return tuple(self.when + more for more in self.exact)

    def to_dict(self) -> dict[str, Any]:
        """Return the rule for `--json`; `exact` is a list of alternatives, empty if there is none."""
        return {
            "name": self.name,
            "family": self.family,
            "left": to_prefix(self.left),
            "right": to_prefix(self.right),
            "when": [str(condition) for condition in self.when],
            "exact": [[str(condition) for condition in guards] for guards in self.exact],
            "class": self.claim,
            "strict": bool(self.list_guards("strict")),
            "appendix": self.appendix,
            "repairs": None if self.original is None else [to_prefix(side) for side in self.original],
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Dropped:
    """A directed rule of the source that the table leaves out, and why."""

    name: str
    left: str
    right: str
    appendix: str
    reason: str


@dataclass(frozen=True, slots=True)
class RuleFamily:
    """The rules of a family, and those of the source that were dropped."""

    name: str
    rules: tuple[Rule, ...]
    dropped: tuple[Dropped, ...]


def is_variable(tree: Tree) -> bool:
    """Return whether the node is a pattern variable (`?a`)."""
    return tree.label.startswith("?")


def reversed_rule(name: str) -> str:
    """Return a rule's name in the other direction."""
    return name.removesuffix("~") if name.endswith("~") else f"{name}~"


def pattern_variables(*patterns: Tree) -> tuple[str, ...]:
    """Return the pattern variables in order of appearance."""
    return tuple(dict.fromkeys(node.label for tree in patterns for node in tree if is_variable(node)))


def _arity_of(token: str, labels: Mapping[str, int] = ARITY) -> int:
    if token in labels:
        return labels[token]
    if (is_constant_token(token) and labels is ARITY) or _PATTERN_VARIABLE.fullmatch(token):
        return 0
    raise ExpressionError(f"{token!r} is neither of the language nor a pattern variable like ?a")


def read_pattern(text: str, labels: Mapping[str, int] = ARITY) -> Tree:
    """Read prefix notation with pattern variables (`/ sin ?a cos ?a`).

    Args:
        labels: Of the language.
    """
    return parse_prefix(text.split(), lambda token: _arity_of(token, labels))


def _read_condition(text: str, matched: Tree) -> RuleCondition:
    match = _CONDITION.match(text)
    if match is None or match[1] not in CONDITIONS:
        raise ExpressionError(f"{text!r} is not a condition; known: {', '.join(CONDITIONS)}")
    pattern = read_pattern(match[2])
    if all(pattern != node for node in matched):
        raise ExpressionError(f"the condition {text} uses a variable that the matched side does not have")
    return RuleCondition(match[1], pattern)


def _read_guards(texts: Iterable[str], matched: Tree) -> Guards:
    return tuple(_read_condition(text, matched) for text in texts)


def _read_exact_guards(value: Any, matched: Tree) -> tuple[Guards, ...]:
    if value is False:
        return ()
    if value and isinstance(value[0], list):
        return tuple(_read_guards(texts, matched) for texts in value)
    return (_read_guards(value, matched),)


_FIELDS = {
    *("name", "left", "right", "both", "when", "when_back", "exact", "exact_back", "class", "back"),
    *("appendix", "repairs", "reason"),
}


def _make_rules(row: Mapping[str, Any], family: str, labels: Mapping[str, int]) -> tuple[Rule, ...]:
    unknown = set(row) - _FIELDS
    if unknown:
        raise ExpressionError(f"unknown field {sorted(unknown)[0]!r}")
    if missing := [field for field in ("name", "left", "right") if not isinstance(row.get(field), str)]:
        raise ExpressionError(f"{missing[0]} is missing, or not text")
    left, right = read_pattern(row["left"], labels), read_pattern(row["right"], labels)
    # An unbound variable on the right could stand for anything.
    if not set(pattern_variables(right)) <= set(pattern_variables(left)):
        raise ExpressionError("the right side holds a variable that the left side does not bind")
    # Without its own class, the way back does the mirror image to the domain.
    effect = row.get("class", "sound")
    back: Effect = row.get("back", _MIRROR.get(effect, effect))
    if not {effect, back} <= set(get_args(Effect)):
        raise ExpressionError(f"class {effect!r}/{back!r} is not one of {', '.join(get_args(Effect))}")
    letters = row.get("appendix", "").split("/")
    when, exact = row.get("when", []), row.get("exact", [])
    # A mended rule keeps the false original, so that the check can show what was wrong.
    mended = row.get("repairs")
    original = (read_pattern(mended["left"]), read_pattern(mended["right"])) if mended else None
    forward = Rule(
        name=row["name"],
        family=family,
        left=left,
        right=right,
        when=_read_guards(when, left),
        exact=_read_exact_guards(exact, left),
        claim=effect,
        appendix=letters[0],
        original=original,
        reason=row.get("reason", ""),
    )
    if not row.get("both", False):
        return (forward,)
    return (
        forward,
        replace(
            forward,
            name=forward.name + "~",
            left=right,
            right=left,
            when=_read_guards(row.get("when_back", when), right),
            exact=_read_exact_guards(row.get("exact_back", exact), right),
            claim=back,
            appendix=letters[-1],
            original=original and (original[1], original[0]),
        ),
    )


def rule_of(row: Mapping[str, Any]) -> Rule:
    """Return one direction from the fields of a table, with its `family`.

    Raises:
        ExpressionError: KeyError.
    """
    fields = {name: value for name, value in row.items() if name != "family"}
    return _make_rules(fields, row["family"], ARITY)[0]


def _list_dropped(row: Mapping[str, Any]) -> tuple[Dropped, ...]:
    letters = row["appendix"].split("/")
    forward = Dropped(row["name"], row["left"], row["right"], letters[0], row["reason"])
    if not row.get("both", False):
        return (forward,)
    return forward, Dropped(row["name"] + "~", row["right"], row["left"], letters[-1], row["reason"])


def parse_families(
    text: str, path: str | Path = TABLE, labels: Mapping[str, int] = ARITY
) -> tuple[RuleFamily, ...]:
    """Read a rule table.

    Args:
        path: Named in errors.
        labels: Of the language, with their operands.

    Raises:
        DataError: If a line is malformed or a name is used twice; the message names the rule.
    """
    families: list[RuleFamily] = []
    names: set[str] = set()
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"the rule table is not TOML: {error}", path=path) from error
    for entry in _families_of(table, path):
        rules: list[Rule] = []
        for row in entry["rules"]:
            try:
                made = _make_rules(row, entry["name"], labels)
            except (ExpressionError, KeyError, TypeError) as error:
                raise DataError(f"rule {row.get('name')!r}: {error}", path=path) from error
            for rule in made:
                if rule.name in names:
                    raise DataError(f"two rules are named {rule.name!r}", path=path)
                names.add(rule.name)
            rules += made
        dropped = [drop for row in entry.get("dropped", ()) for drop in _list_dropped(row)]
        families.append(RuleFamily(entry["name"], tuple(rules), tuple(dropped)))
    return tuple(families)


def _families_of(table: Mapping[str, Any], path: str | Path) -> list[Mapping[str, Any]]:
    entries = table.get("family")
    whole = isinstance(entries, list) and all(
        isinstance(entry, dict)
        and isinstance(entry.get("name"), str)
        and isinstance(entry.get("rules"), list)
        and all(isinstance(row, dict) for row in entry["rules"])
        for entry in entries
    )
    if not whole or not entries:
        remedy = 'Write [[family]] with name = "…" and rules = [{name = "…", left = "…", right = "…"}].'
        raise DataError("the rule table has no families of rules", path=path, remedy=remedy)
    return list(entries)


@cache
def load_families(table: str = TABLE) -> tuple[RuleFamily, ...]:
    """Return the families of a shipped table of rules."""
    return parse_families(asset(table).read_text(encoding="utf-8"), table)


@cache
def load_rules(table: str = TABLE) -> tuple[Rule, ...]:
    """Return every direction of every rule of a shipped table, in its order."""
    return tuple(rule for family in load_families(table) for rule in family.rules)


def table_hash() -> str:
    """Return the SHA-256 of the shipped table without its comments, which is part of what determines a
    corpus.
    """
    table = tomllib.loads(asset(TABLE).read_text(encoding="utf-8"))
    return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()


def active_rules(rules: Iterable[Rule], mode: Mode) -> tuple[Rule, ...]:
    """Return the rules that may be used in a mode."""
    return tuple(rule for rule in rules if rule.list_guards(mode))


@lru_cache(maxsize=8)
def own_rules(text: str) -> tuple[Rule, ...]:
    """Return the rules that `checked_rules` recorded; none for an empty text."""
    try:
        rows = json.loads(text) if text else []
        return tuple(rule_of({**row, "exact": row["exact"] or False}) for row in rows)
    except (ValueError, KeyError, TypeError, AttributeError, ExpressionError) as error:
        raise DataError(
            "the rules that a configuration records cannot be read", remedy="Grow the clusters again."
        ) from error


# Rules applied to terms


def match_pattern(pattern: Tree, tree: Tree, binding: dict[str, Tree]) -> bool:
    """Return whether a pattern matches a term, and extend the binding of its variables."""
    if is_variable(pattern):
        return binding.setdefault(pattern.label, tree) == tree
    return (
        pattern.label == tree.label
        and len(pattern.children) == len(tree.children)
        and all(match_pattern(p, t, binding) for p, t in zip(pattern.children, tree.children, strict=True))
    )


def fill_pattern(pattern: Tree, binding: Mapping[str, Tree]) -> Tree:
    """Return a pattern with its variables replaced by what they are bound to."""
    if is_variable(pattern):
        return binding[pattern.label]
    return Tree(pattern.label, tuple(fill_pattern(child, binding) for child in pattern.children))


def may_hold(condition: RuleCondition, binding: Mapping[str, Tree]) -> bool:
    """Return whether a condition of a rule may hold: of numbers exactly, of functions as far as their form
    says; the rest is for whoever verifies the result.
    """
    tree = fill_pattern(condition.pattern, binding)
    if condition.name in OF_NUMBERS:
        return is_number(tree) and OF_NUMBERS[condition.name](Fraction(tree.label))
    if condition.name == "free":
        return VARIABLE not in tree.list_labels()
    return condition.name != "nonconst" or bool(variables_of(tree))


OF_NUMBERS: Mapping[str, Callable[[Fraction], bool]] = {
    "const": lambda _: True,
    "int": lambda value: value.denominator == 1,
    "odd": lambda value: value.denominator == 1 and value % 2 == 1,
    "even": lambda value: value.denominator == 1 and value % 2 == 0,
    "posnum": lambda value: value > 0,
    "negnum": lambda value: value < 0,
}
"""Conditions of rules that numbers decide, by name."""
