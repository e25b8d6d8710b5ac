"""`mathwb egen rules`: the rewrite rules, and the test of what each does on the reals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.cli.common import Json, emit, table

if TYPE_CHECKING:
    from engines.egen.rule_check import RuleCheck
    from engines.egen.rules import Family

__all__ = ["rules"]


def rules(
    check: Annotated[
        bool, typer.Option("--check", help="Test every rule on the reals; exit 1 if a claim differs.")
    ] = False,
    family: Annotated[str, typer.Option(metavar="NAME", help="Only families whose name contains this.")] = "",
    keep: Annotated[
        bool, typer.Option("--keep", help="With --check: store the result beside the table (in a checkout).")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the rewrite rules by family, or test what each does to values and domains.

    A rule is sound (both sides exist at the same points), extends or loses domain; strict mode uses one that
    loses only under conditions that make it sound.
    """
    from engines.core.errors import EngineError
    from engines.egen.rules import load_families, stored_checks, table_hash

    if keep and (family or not check):
        raise EngineError(
            "--keep stores a check of the whole table",
            remedy="Use it with --check and without --family.",
            exit_code=2,
        )

    families = [group for group in load_families() if family.lower() in group.name.lower()]
    if not families:
        raise EngineError(
            f"no family of rules has {family!r} in its name",
            remedy="`mathwb egen rules` lists the families.",
            exit_code=2,
        )
    checks = _checked(families) if check else {}
    if keep:
        from engines.egen.rule_check import keep as store

        store(checks.values())
    results = {name: found.to_dict() for name, found in checks.items()} or stored_checks()
    problems = [(name, found.problem) for name, found in checks.items() if found.problem]
    document = {
        "table": table_hash(),
        "rules": [
            {**rule.to_dict(), "check": results.get(rule.name)} for group in families for rule in group.rules
        ],
        "dropped": [{**drop.to_dict(), "family": group.name} for group in families for drop in group.dropped],
        "problems": len(problems) if check else None,
    }
    lines = _overview(families, checks)
    if family:
        lines += ["", *_details(families, checks)]
    lines += [f"{name}: {problem}" for name, problem in problems]
    emit(document, as_json, text=lines)
    if problems:
        raise typer.Exit(1)


def _checked(families: Sequence[Family]) -> dict[str, RuleCheck]:
    from engines.egen.rule_check import check_rules
    from engines.egen.rule_opinion import with_opinions

    checks = with_opinions(check_rules([rule for group in families for rule in group.rules]))
    return {found.rule.name: found for found in checks}


def _overview(families: Sequence[Family], checks: dict[str, RuleCheck]) -> list[str]:
    """One line a family: directed rules by class (found if checked, else claimed), and a line of totals."""
    header = ["rules", "sound", "extends", "loses", "other", "strict", "dropped"]
    rows = [_counts(group, checks) for group in families]
    if checks:
        header += ["points", "sympy", "problems"]
    header.append("family")
    totals = [sum(column) for column in zip(*rows, strict=True)]
    named = [[*row, group.name] for row, group in zip(rows, families, strict=True)]
    return table(header, [*named, [*totals, "total"]])


def _counts(group: Family, checks: dict[str, RuleCheck]) -> list[int]:
    from engines.egen.rules import active

    effects = Counter(checks[rule.name].found.effect if checks else rule.claim for rule in group.rules)
    known = [effects["sound"], effects["extends"], effects["loses"]]
    strict = len(active(group.rules, "strict"))
    row = [len(group.rules), *known, len(group.rules) - sum(known), strict, len(group.dropped)]
    if checks:
        found = [checks[rule.name] for rule in group.rules]
        row.append(sum(one.found.points for one in found))
        row.append(sum(one.opinion is not None and one.opinion.verdict == "agree" for one in found))
        row.append(sum(bool(one.problem) for one in found))
    return row


def _details(families: Sequence[Family], checks: dict[str, RuleCheck]) -> Iterator[str]:
    """Every rule of the families with its conditions, and what is dropped."""
    from engines.egen.language import prefix

    for group in families:
        for rule in group.rules:
            exact = " or ".join(", ".join(map(str, guards)) or "always" for guards in rule.exact) or "never"
            when = f"   when {', '.join(map(str, rule.when))}" if rule.when else ""
            found = checks[rule.name].found.effect if checks else rule.claim
            yield f"{rule.name}: {prefix(rule.left)} -> {prefix(rule.right)}   {found}{when}   exact {exact}"
        for drop in group.dropped:
            yield f"{drop.name}: {drop.left} -> {drop.right}   dropped: {drop.reason}"
