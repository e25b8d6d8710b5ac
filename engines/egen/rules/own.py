"""Rules of a user's own, checked, for growing e-graphs and deriving."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from string import ascii_lowercase

from engines.core.errors import DataError, ExpressionError
from engines.core.files import read_lines
from engines.core.tree import Tree
from engines.egen.expressions.language import ARITY, variables_of
from engines.egen.rules.check import Class, Found, check_rules, classify
from engines.egen.rules.foreign import read_foreign
from engines.egen.rules.table import Effect, Rule, load_rules, parse_families, rule_of

_CLAIMS: dict[Class, Effect] = {"equal": "sound", "widening": "extends", "losing": "loses"}
_REMEDY = "Mend it or leave it out; `mathwb egen rules FILE --check` checks all of them."


def checked_rules(path: Path) -> str:
    """The rules of a file, each checked, as text that `own_rules` reads: what a configuration records.

    Rules of our TOML keep the conditions that they name. Of others, those that lose domain are used in mode
    `common` alone.

    Args: path: our TOML, lines `left -> right`, or a table (`rules.foreign`). Raises: DataError for a file
    without rules, and for a rule that is false, cannot be read or decided, or has the name of one of ours.
    """
    rules = _ours(path) if path.suffix == ".toml" else _foreign(path)
    taken = {rule.name for rule in load_rules()}
    for rule in rules:
        if rule.name in taken:
            what = f"the rule {rule.name!r} has the name of another"
            raise DataError(what, path=path, remedy="Give it a name of its own.")
        taken.add(rule.name)
    fields = ("name", "family", "left", "right", "when", "exact", "class")
    rows = [{name: rule.to_dict()[name] for name in fields} for rule in rules]
    return json.dumps(rows, ensure_ascii=False)


def _ours(path: Path) -> list[Rule]:
    families = parse_families("\n".join(line for _, line in read_lines(path)), path)
    checks = check_rules([rule for family in families for rule in family.rules])
    for check in checks:
        if check.problem:
            raise DataError(f"the rule {check.rule.name!r}: {check.problem}", path=path, remedy=_REMEDY)
    return [check.rule for check in checks]


def _foreign(path: Path) -> list[Rule]:
    read, unread = read_foreign(path)
    if unread:
        raise DataError(unread[0].why, path=path, line=unread[0].line, remedy=_REMEDY)
    return [_rule(path, classify(rule)) for rule in read]


def _rule(path: Path, found: Found) -> Rule:
    rule = found.rule
    if found.effect not in _CLAIMS:
        what = f"the rule {rule.name!r} is {found.effect}"
        raise DataError(what, path=path, line=rule.line, remedy=_REMEDY)
    names = dict(
        zip(sorted(variables_of(rule.left)), (f"?{letter}" for letter in ascii_lowercase), strict=False)
    )
    sides = []
    for tree in (rule.left, rule.right):
        for node in tree:
            if node.children and node.label not in ARITY:
                what = f"{node.label!r} is not an operator of expressions"
                raise DataError(what, path=path, line=rule.line, remedy=_REMEDY)
        sides.append(_patterned(tree, names))
    claim = _CLAIMS[found.effect]
    exact = () if claim == "loses" else ((),)
    return Rule(rule.name, rule.group or "own", sides[0], sides[1], (), exact, claim)


def _patterned(tree: Tree, names: dict[str, str]) -> Tree:
    if not tree.children:
        return Tree(names.get(tree.label, tree.label))
    return Tree(tree.label, tuple(_patterned(child, names) for child in tree.children))


@lru_cache(maxsize=8)
def own_rules(text: str) -> tuple[Rule, ...]:
    """What `checked_rules` gave, as rules; none of an empty text."""
    try:
        rows = json.loads(text) if text else []
        return tuple(rule_of({**row, "exact": row["exact"] or False}) for row in rows)
    except (ValueError, KeyError, TypeError, AttributeError, ExpressionError) as error:
        raise DataError(
            "the rules that a configuration records cannot be read", remedy="Grow the clusters again."
        ) from error
