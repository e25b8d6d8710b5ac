"""The rewrite rules, listed or tested on the reals."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import EngineError
from engines.core.spec import Arg, refused

if TYPE_CHECKING:
    from engines.egen.rules.check import RuleCheck
    from engines.egen.rules.table import Family

__all__ = ["Rules", "RulesFound", "document", "rules"]


@dataclass(frozen=True, slots=True)
class Rules:
    """List the rewrite rules by family, or test what each does to values and domains.

    A rule is sound (both sides exist at the same points), extends or loses domain; strict mode uses one that
    loses only under conditions that make it sound.
    """

    check: Annotated[bool, Arg("Test every rule on the reals; exit 1 if a claim differs.")] = False
    family: Annotated[str, Arg("Only families whose name contains this.", metavar="NAME")] = ""
    keep: Annotated[bool, Arg("With --check: store the result beside the table (in a checkout).")] = False

    def __post_init__(self) -> None:
        """Refuse to store part of a check. Raises: EngineError E427."""
        if self.keep and (self.family or not self.check):
            remedy = "Use it with --check and without --family."
            raise refused("--keep stores a check of the whole table", "E427", remedy)


@dataclass(frozen=True, slots=True)
class RulesFound:
    """Families of rules with the checks of this call, by name of the rule; none when none was asked for."""

    families: tuple[Family, ...]
    checks: dict[str, RuleCheck] = field(default_factory=dict)

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Rules that do not do what the table claims, and in what they differ."""
        return [(name, found.problem) for name, found in self.checks.items() if found.problem]


def rules(spec: Rules) -> RulesFound:
    """The families of the rule table, checked if asked for. Raises: EngineError E100 for no family."""
    from engines.egen.rules.table import load_families

    families = tuple(group for group in load_families() if spec.family.lower() in group.name.lower())
    if not families:
        raise EngineError(
            f"no family of rules has {spec.family!r} in its name",
            remedy="`mathwb egen rules` lists the families.",
            exit_code=2,
        )
    if not spec.check:
        return RulesFound(families)
    from engines.egen.rules.check import check_rules
    from engines.egen.rules.check import keep as store
    from engines.egen.rules.sympy_opinion import with_opinions

    found = with_opinions(check_rules([rule for group in families for rule in group.rules]))
    checks = {one.rule.name: one for one in found}
    if spec.keep:
        store(checks.values())
    return RulesFound(families, checks)


def document(found: RulesFound) -> dict[str, Any]:
    """The rules with their checks: those of this call, or else the stored ones."""
    from engines.egen.rules.table import stored_checks, table_hash

    results = {name: one.to_dict() for name, one in found.checks.items()} or stored_checks()
    return {
        "table": table_hash(),
        "rules": [
            {**rule.to_dict(), "check": results.get(rule.name)}
            for group in found.families
            for rule in group.rules
        ],
        "dropped": [
            {**asdict(drop), "family": group.name} for group in found.families for drop in group.dropped
        ],
        "problems": len(found.problems) if found.checks else None,
    }
