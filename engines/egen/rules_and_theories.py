"""The rewrite rules and the theories, listed or checked."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import EngineError
from engines.core.spec import Arg, make_refusal, specification

if TYPE_CHECKING:
    from engines.egen.rules.rule_check import RuleCheck
    from engines.egen.rules.table import RuleFamily
    from engines.egen.rules.user_rules import ClassifiedRule, Unread


@specification
class Rules:
    """List the rewrite rules by family, or test what each does to values and domains.

    A rule is sound (both sides are defined at the same points), extends the domain or loses some of it;
    strict mode uses a losing rule only under conditions that make it sound. Rules from a FILE, in any number
    of variables, are equal, widening, losing or false.
    """

    file: Annotated[
        Path | None,
        Arg("Rules to check: TOML, lines `left -> right`, or a table.", metavar="FILE", option=False),
    ] = None
    check: Annotated[bool, Arg("Test every rule on the reals; exit with 1 if a claim is wrong.")] = False
    family: Annotated[str, Arg("Only families whose names contain this text.", metavar="NAME")] = ""

    def __post_init__(self) -> None:
        if self.file and not self.check:
            raise make_refusal("rules from a file can only be checked", "E427", "Add --check.")


@dataclass(frozen=True, slots=True)
class RulesFound:
    """Families of rules with the checks of this call, by name of the rule; none when none was asked for."""

    families: tuple[RuleFamily, ...]
    checks: dict[str, RuleCheck] = field(default_factory=dict)

    @property
    def problems(self) -> list[tuple[str, str]]:
        """The rules whose claim differs from what was found: name and problem."""
        return [(name, check.problem) for name, check in self.checks.items() if check.problem]


@dataclass(frozen=True, slots=True)
class FileChecked:
    """Rules of a file that is not our TOML: what each does, and the lines that hold none."""

    file: Path
    found: tuple[ClassifiedRule, ...]
    unread: tuple[Unread, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many rules have each effect."""
        return dict(Counter(one.effect for one in self.found))

    @property
    def problems(self) -> list[tuple[str, str]]:
        """The rules that are false and the lines that could not be read."""
        false = [one.rule for one in self.found if one.effect == "false"]
        named = [(f"line {rule.line}", f"{rule.name} is false") for rule in false]
        return named + [(f"line {one.line}", f"not read: {one.why}") for one in self.unread]


def list_rules(spec: Rules) -> RulesFound | FileChecked:
    """Return the families of the rule table, or of a file, checked if asked for.

    Raises:
        EngineError: E100 for no family.
        DataError: For a file that holds no rule.
    """
    from engines.egen.rules.table import TABLE, load_families, parse_families

    # Only a TOML file is a table of families; other files have the rules of other systems.
    if spec.file is not None and spec.file.suffix != ".toml":
        from engines.egen.rules.user_rules import classify_rule, read_foreign

        read, unread = read_foreign(spec.file)
        wanted = [rule for rule in read if spec.family.lower() in rule.group.lower()]
        return FileChecked(spec.file, tuple(map(classify_rule, wanted)), tuple(unread))
    known = load_families(TABLE)
    if spec.file is not None:
        from engines.core.rows import read_lines

        known = parse_families("\n".join(line for _, line in read_lines(spec.file)), spec.file)
    families = tuple(group for group in known if spec.family.lower() in group.name.lower())
    if not families:
        raise EngineError(
            f"no family of rules has {spec.family!r} in its name",
            code="E424",
            remedy="`mathwb egen rules` lists the families.",
        )
    if not spec.check:
        return RulesFound(families)
    from engines.egen.rules.rule_check import check_rules

    result = check_rules([rule for group in families for rule in group.rules])
    return RulesFound(families, {one.rule.name: one for one in result})


def rules_document(result: RulesFound | FileChecked) -> dict[str, Any]:
    """Return the rules, with `check` where they were checked; of a file: file, counts (by class), rules,
    unread (line and why), problems.
    """
    if isinstance(result, FileChecked):
        return {
            "file": str(result.file),
            "counts": result.counts,
            "rules": [one.to_dict() for one in result.found],
            "unread": [asdict(one) for one in result.unread],
            "problems": len(result.problems),
        }
    from engines.egen.rules.table import table_hash

    results = {name: one.to_dict() for name, one in result.checks.items()}
    return {
        "table": table_hash(),
        "rules": [
            {**rule.to_dict(), "check": results.get(rule.name)}
            for group in result.families
            for rule in group.rules
        ],
        "dropped": [
            {**asdict(drop), "family": group.name} for group in result.families for drop in group.dropped
        ],
        "problems": len(result.problems) if result.checks else None,
    }


@specification
class CheckTheory:
    """List the theories, or check one: its operators, and every rule by its judge.

    A judge in Python runs with your permissions. Your own judge file is imported only after --trust, and only
    while it stays unchanged: read it first.
    """

    theory: Annotated[
        str | None,
        Arg("A theory's name, or FILE.toml.", metavar="NAME|FILE", shown="list them", option=False),
    ] = None
    trust: Annotated[bool, Arg("Trust the Python file that judges it, as it is now.")] = False

    def __post_init__(self) -> None:
        if self.trust and not self.theory:
            raise make_refusal("nothing is named that could be trusted", "E427", "Name a theory's file.")


def check_theory(spec: CheckTheory) -> dict[str, Any]:
    """List the theories there are, or check one.

    Returns:
        `theories` (name, title, file); or title, file, judge, operators (name, arity, written) and rules
        (name, left, right, both).

    Raises:
        DataError: E222 with the line of what is wrong.
        EngineError: E223 for a judge that is not trusted.

    >>> found = check_theory(CheckTheory("sets"))
    >>> found["title"], found["operators"][0]
    ('the algebra of sets', {'name': 'complement', 'arity': 1, 'written': "a'"})
    """

    from engines.core.tree import Tree
    from engines.egen.theories.judges import trust_file
    from engines.egen.theories.user_theories import Own, judge_file, read_theory, theory_file, theory_names

    # Without a name: all that ship or that the user has.
    if spec.theory is None:
        rows = []
        for name, file in theory_names().items():
            rows.append({"name": name, "title": Own(read_theory(file)).name, "file": str(file)})
        return {"theories": rows}
    file = theory_file(spec.theory)
    judge_path: Path | None = judge_file(file)
    if spec.trust:
        if judge_path is None:
            raise make_refusal("its judge is a model, which needs no trust", "E427", "Leave out --trust.")
        trust_file(judge_path)
    definition = Own(read_theory(file)).definition
    # Each operator as it is written with as many letters as it takes.
    operators = []
    for name, sign in definition.signs.table.items():
        written = definition.signs.write_tree(Tree(name, tuple(map(Tree, "ab"[: sign.arity]))))
        operators.append({"name": name, "arity": sign.arity, "written": written})
    names = ("name", "left", "right", "both")
    return {
        "title": definition.name,
        "file": str(file),
        "judge": judge_path.name
        if judge_path
        else f"all of {definition.model and definition.model.values} values",
        "operators": operators,
        "rules": [
            dict(zip(names, (one.name, *one.written, len(one.rules) > 1), strict=True))
            for one in definition.equations
        ],
    }
