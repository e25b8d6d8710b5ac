"""Whether answers that are read as a whole say the same: statements with connectives or quantifiers,
families, values by cases, sets by what holds of their members."""

from __future__ import annotations

from dataclasses import replace

from engines.core.tree import Tree
from engines.formula.cursor import is_statement
from engines.grading.families import (
    cases_of,
    compare_cases,
    compare_families,
    family_without_range,
    read_family,
)
from engines.grading.forms import Form, Many, Named
from engines.grading.forms_beside_others import open_interval
from engines.grading.linear_systems import compare_solved
from engines.grading.messages import to_message_text
from engines.grading.numbers import Term
from engines.grading.reading import is_constant, write_tree
from engines.grading.trees import list_relations, name_relations, statement_of_form
from engines.grading.verdicts import (
    GradeVerdict,
    combine_verdicts,
    differ_by,
    is_settled,
    read_both,
    to_grade_verdict,
)
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import INTEGERS, free_variables

_PROPOSITIONS = "pqrs"


def compare_statements(judge: Judge, gold: Form, pred: Form) -> GradeVerdict:
    """Return what is read as a whole: statements with connectives or quantifiers, families, cases,
    sets."""
    gold, pred = open_interval(gold, pred), open_interval(pred, gold)
    trees = read_both(statement_of_form(gold), statement_of_form(pred))
    if isinstance(trees, GradeVerdict):
        return trees
    families = [read_family(tree) for tree in trees]
    undeclared = ""
    # One side declares its integer and the other writes `k*pi`: the letter is taken for any integer.
    if families.count(None) == 1:
        at = families.index(None)
        families[at], undeclared = family_without_range(trees[at])
    if families[0] is not None and families[1] is not None:
        verdict = to_grade_verdict(compare_families(families[0], families[1]))
        if undeclared and verdict.outcome == "equal":
            verdict = replace(verdict, reason=f"{undeclared} stands for any integer")
        names = {one.name for one in families if one is not None and one.name}
        if len(names) > 1 and verdict.outcome == "equal":
            return GradeVerdict("equal if", condition=" stands for ".join(sorted(names)))
        return verdict
    if (membership := _compare_memberships(judge, *trees)) is not None:
        return membership
    # A family has infinitely many values, so finitely many settled values differ from it.
    if any(families):
        single = pred if families[0] is not None else gold
        value = single.value if isinstance(single, Named) else single
        if isinstance(value, Many) or (isinstance(value, Term) and is_settled(value)):
            return differ_by(f"{to_message_text(single)} has no value for each integer")
        return GradeVerdict("undecided", reason="only one of them is read as a family of values")
    # Values by cases are compared piece by piece, with a formula on every piece.
    mine, theirs = cases_of(trees[0]), cases_of(trees[1])
    if mine is not None and theirs is not None:
        verdict = to_grade_verdict(compare_cases(judge, mine[1], theirs[1]))
        if mine[0] and theirs[0] and mine[0] != theirs[0] and verdict.outcome == "equal":
            return GradeVerdict("equal if", condition="they are values of the same function")
        return verdict
    if mine is not None or theirs is not None:
        return _compare_with_cases(judge, *trees)
    verdict = to_grade_verdict(judge.equal(*trees))
    if verdict.outcome != "equal" and _list_same_relations(judge, *trees):
        return GradeVerdict("equal", reason="each of the relations is one of the others")
    # The judge does not enumerate integers: a difference that it finds need not be one of the value
    # sets.
    ranged = any(
        node.label == "in" and node.children and node.children[1].label in INTEGERS
        for tree in trees
        for node in tree
    )
    if verdict.outcome == "undecided":
        solved = compare_solved(judge, trees[0], pred) or compare_solved(judge, trees[1], gold)
        verdict = solved or _compare_independent(judge, *trees) or verdict
    if verdict.outcome == "different" and ranged:
        return GradeVerdict("undecided", reason="it is not known whether they have the same values")
    return verdict


def _compare_memberships(judge: Judge, gold: Tree, pred: Tree) -> GradeVerdict | None:
    """Compare a set made of named sets with what is said of its members, as `A ∪ B` with `x ∈ A or x ∈ B`;
    None for other answers."""
    letters: dict[str, str] = {}
    said = [_describe_member(tree, letters) for tree in (gold, pred)]
    if (gold.label in _OF_SETS) == (pred.label in _OF_SETS) or len(letters) > len(_PROPOSITIONS):
        return None
    if said[0] is None or said[1] is None:
        return None
    verdict = to_grade_verdict(judge.equal(said[0], said[1]))
    witness = verdict.witness
    for name, letter in letters.items():
        witness = witness.replace(f"{letter} is", f"x ∈ {name} is")
    return replace(verdict, witness=witness)


_COMPLEMENTS = ("c", "C", "complement")
"""Exponents of a set for what does not belong to it."""
_OF_SETS = {"union": "or", "intersection": "and", "without": ""}
"""Operations on sets, and how what belongs to the sets is joined by them."""


def _describe_member(tree: Tree, letters: dict[str, str]) -> Tree | None:
    """Return what holds of the members of a set, a letter for each named set that they may belong to; None
    for anything else."""
    label, parts = tree.label, tree.children
    if label == "in" and not parts[0].children:
        return _describe_member(parts[1], letters)
    if label == "such":
        return _describe_member(parts[1], letters)
    if not parts:
        free = iter(_PROPOSITIONS[len(letters) :])
        if not (len(label) == 1 and "A" <= label <= "Z") or (label not in letters and len(letters) >= 4):
            return None
        return Tree(letters.setdefault(label, next(free, "")))
    if label == "pow" and parts[1].label in _COMPLEMENTS and not parts[0].children:
        inside = _describe_member(parts[0], letters)
        return None if inside is None else Tree("not", (inside,))
    if label not in (*_OF_SETS, "and", "or", "not"):
        return None
    said = [_describe_member(part, letters) for part in parts]
    known = tuple(one for one in said if one is not None)
    if len(known) < len(said):
        return None
    if label == "without":
        return Tree("and", (known[0], Tree("not", (known[1],))))
    return Tree(_OF_SETS.get(label, label), known)


def _compare_independent(judge: Judge, gold: Tree, pred: Tree) -> GradeVerdict | None:
    """Statements of equations, each of another name, by which of these hold; None for others."""
    equations = list(dict.fromkeys((*list_relations(gold), *list_relations(pred))))
    names = {one.children[0] for one in equations if one.label == "=" and is_constant(one.children[1])}
    names = {name for name in names if not name.children}
    if len(names) < len(equations) or len(equations) > len(_PROPOSITIONS):
        return None
    letters = dict(zip(equations, _PROPOSITIONS, strict=False))
    verdict = judge.equal(name_relations(gold, letters), name_relations(pred, letters))
    if verdict.outcome != "different":
        return None
    witness = verdict.witness
    for equation, letter in letters.items():
        witness = witness.replace(f"{letter} is", f"{' = '.join(map(write_tree, equation.children))} is")
    return differ_by(witness)


def _list_same_relations(judge: Judge, gold: Tree, pred: Tree) -> bool:
    """Return whether two texts list relations that say the same one by one.

    Of curves, as of the asymptotes y = 2x and y = -2x, it says nothing whether "and" or "or" joins them.
    """
    lists = [list(tree.children) for tree in (gold, pred)]
    if not {gold.label, pred.label} <= {"and", "or"} or len(lists[0]) != len(lists[1]):
        return False
    relations = [*lists[0], *lists[1]]
    if any(one.label not in _RELATIONS for one in relations):
        return False
    names = {frozenset(free_variables(one)) for one in relations}
    are_curves = len(names) == 1 and len(min(names)) > 1 and all(one.label == "=" for one in relations)
    if gold.label != pred.label and not are_curves:
        return False
    for one in lists[0]:
        same = (other for other in lists[1] if judge.holds(Tree("iff", (one, other))).outcome == "equal")
        if (partner := next(same, None)) is None:
            return False
        lists[1].remove(partner)
    return True


_RELATIONS = ("=", "!=", "<", ">", "<=", ">=")


def _is_of_index(condition: Tree, sequence: Tree) -> bool:
    """Return whether a condition says from where on the index of a sequence runs: `n >= 0` of a_n."""
    subject = sequence.children[0].label if sequence.label == "=" else ""
    index = condition.children[0].label if condition.label in (">=", ">") else ""
    number = condition.children[1].label if index else ""
    return bool(index) and subject.endswith(f"_{index}") and number in ("0", "1", "2")


def _compare_with_cases(judge: Judge, gold: Tree, pred: Tree) -> GradeVerdict:
    """Values by cases and a single term: they are the same where they are in each case."""
    by_cases = cases_of(gold) or cases_of(pred)
    assert by_cases is not None
    single = pred if cases_of(gold) else gold
    if single.label == "=":
        single = single.children[1]
    if is_statement(single) or single.label in ("list", "tuple", "set"):
        return GradeVerdict("undecided", reason="only one of them is a value by cases")
    cases = by_cases[1]
    verdict = combine_verdicts(
        to_grade_verdict(judge.equal(value, single, [condition])) for value, condition in cases
    )
    if verdict.outcome != "equal":
        return verdict
    conditions = tuple(condition for _, condition in cases)
    if len(conditions) == 1 and _is_of_index(conditions[0], gold if cases_of(pred) else pred):
        return GradeVerdict("equal", reason=f"{write_tree(conditions[0])} says where the sequence begins")
    if len(conditions) == 1 and conditions[0].label == "!=":
        return GradeVerdict("equal", reason=f"{write_tree(conditions[0])} limits only where it is stated")
    covered = Tree("or", conditions) if len(conditions) > 1 else conditions[0]
    names = sorted(free_variables(covered))
    everything = Tree("in", (Tree(names[0]), Tree("ℝ"))) if len(names) == 1 else None
    if everything is not None and judge.equal(covered, everything).outcome == "equal":
        return verdict
    return GradeVerdict("equal if", condition="one of the cases holds")
