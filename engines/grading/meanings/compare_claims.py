"""Compare what two texts claim: a verdict counts without the reason behind it, unless that contradicts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from engines.core.tree import Tree
from engines.grading.compare import AnswerComparison
from engines.grading.forms import EMPTY, REALS, IntervalForm, Named
from engines.grading.meanings.claims import (
    ELSEWHERE_PLACE,
    Claim,
    ClaimPart,
    list_aspects,
    list_worlds,
    read_claim,
)
from engines.grading.meanings.class_vocabulary import ASPECTS
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.tokens import is_blank, tokenize
from engines.grading.verdicts import GradeVerdict, differ_by
from engines.mathematics.judging.names import NUMBER_SETS

_TRUTH = ["truth"]
_REAL = ("", "real")
_WITH_BOUNDS = ("monotonicity", "concavity", "sign")
"""Aspects that a function may have on one interval and not on another."""


def compare_claims(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare two texts that claim classes; None where one of them says something else, or more."""
    mine, theirs = read_claim(gold), read_claim(pred)
    if mine is None or theirs is None:
        claim, other = (mine, pred) if mine is not None else (theirs, gold)
        return None if claim is None else _compare_with_empty(claim, other)
    if not _speak_of_same(mine, theirs) or not _have_same_subjects(mine, theirs, comparison):
        return GradeVerdict("undecided", reason="it is not known whether they speak of the same")
    placed = [any(part.places for part in claim.parts) for claim in (mine, theirs)]
    if any(placed):
        return _compare_placed(mine, theirs, comparison)
    return _compare_trees(mine, theirs)


def _speak_of_same(mine: Claim, theirs: Claim) -> bool:
    """Return whether nothing shows that two claims are of different things."""
    domains = {mine.domain or "real", theirs.domain or "real"}
    if len(domains) > 1 and "" not in (mine.domain, theirs.domain):
        return False
    if len(domains) > 1 and "positive" in domains:
        return False
    if ("converse" in mine.nouns) != ("converse" in theirs.nouns):
        return False
    if mine.nouns and theirs.nouns and {*mine.nouns}.isdisjoint(theirs.nouns):
        return False
    if _is_made_of_letters(mine, theirs) or _is_made_of_letters(theirs, mine):
        return False
    if mine.letters and theirs.letters:
        return mine.letters == theirs.letters
    ordered = mine.letters or theirs.letters
    # `p is sufficient for q` and not `q for p`.
    conditions = {"necessary", "sufficient"} & {
        aspect for claim in (mine, theirs) for part in claim.parts for aspect in list_aspects(part.tree)
    }
    return not conditions or list(ordered) == sorted(ordered)


def _is_made_of_letters(one: Claim, other: Claim) -> bool:
    """Return whether a claim is of a term made of the letter that the other is of: n² and n."""
    for subject in one.subjects if not one.letters and not other.subjects else ():
        said = [token.text for token in tokenize(subject) if not is_blank(token)]
        is_defined = "(" in said[1:2] or not _RELATIONS.isdisjoint(said)
        if not is_defined and len(said) > 1 and not set(other.letters).isdisjoint(said):
            return True
    return False


_RELATIONS = frozenset((*"=<>≤≥≠≡∈≈", "\\le", "\\ge", "\\ne", "\\equiv", "\\in", "\\approx", "\\lt", "\\gt"))


def _have_same_subjects(mine: Claim, theirs: Claim, comparison: AnswerComparison) -> bool:
    """Return whether two claims are of the same formulas and points; one without any may be of those of the
    other, unless these are conditions, as `necessary: a > 0`."""
    for ours, others in ((mine.subjects, theirs.subjects), (mine.points, theirs.points)):
        if not ours or not others:
            continue
        if len(ours) != len(others):
            return False
        for one, other in zip(ours, others, strict=True):
            if one != other and comparison.compare(read_form(one), read_form(other)).outcome != "equal":
                return False
    alone = () if mine.subjects and theirs.subjects else mine.subjects or theirs.subjects
    said = {aspect for claim in (mine, theirs) for part in claim.parts for aspect in list_aspects(part.tree)}
    # `z = 0 is a pole` names a point, and `a = 0 is necessary` a condition.
    signs = _RELATIONS if said & _OF_CONDITIONS else _RELATIONS - {"="}
    return not any(
        sign in subject and "(" not in subject.split("=")[0] for subject in alone for sign in signs
    )


_OF_CONDITIONS = {"necessary", "sufficient", "truth", "solutions", "possibility"}


def _compare_trees(mine: Claim, theirs: Claim) -> GradeVerdict | None:
    trees = [_whole(claim) for claim in (mine, theirs)]
    aspects = [list_aspects(tree) for tree in trees]
    if _TRUTH in aspects:
        # The verdict of one side is compared with that of the other, whatever else this says.
        return _compare_decisions(mine, theirs, trees, aspects)
    if all("truth" in said for said in aspects):
        decided = _compare_decisions(mine, theirs, trees, aspects)
        if decided is None or decided.outcome != "equal":
            return decided
    classes = [_without_truth(claim) for claim in (mine, theirs)]
    if any("truth" in said for said in aspects) and None not in classes:
        trees = [tree for tree in classes if tree is not None]
    if _has_own_tail(mine) or (_has_own_tail(theirs) and _has_own_tail(mine)):
        return None
    return judge_trees(trees[0], trees[1])


def _compare_decisions(
    mine: Claim, theirs: Claim, trees: Sequence[Tree], aspects: Sequence[Sequence[str]]
) -> GradeVerdict | None:
    """Compare `yes` with `yes, since …`: a reference that says more is more than a verdict."""
    if not all("truth" in said for said in aspects):
        return None
    decisions = [
        {world[list(said).index("truth")] for world in list_worlds(tree, said)}
        for tree, said in zip(trees, aspects, strict=True)
    ]
    if decisions[0] != decisions[1]:
        apart = decisions[0].isdisjoint(decisions[1])
        return differ_by(" and ".join(map(_say, decisions))) if apart else None
    if _has_own_tail(mine) and mine.tail != theirs.tail:
        return None
    return GradeVerdict(
        "equal", reason="the verdict counts, and not the reason behind it" * bool(theirs.tail)
    )


def _say(decisions: set[str]) -> str:
    return " or ".join(sorted(decisions))


def _has_own_tail(claim: Claim) -> bool:
    """Return whether something stands behind a claim that may be part of the answer."""
    return bool(claim.tail) and not claim.is_reason


def _whole(claim: Claim) -> Tree:
    trees = tuple(part.tree for part in claim.parts)
    return trees[0] if len(trees) == 1 else Tree("and", trees)


def _without_truth(claim: Claim) -> Tree | None:
    """Return the classes of a claim without yes or no; None where there are none."""
    trees: list[Tree] = []
    for part in claim.parts:
        parts = part.tree.children if part.tree.label == "and" else (part.tree,)
        trees += [tree for tree in parts if list_aspects(tree) != _TRUTH]
    return trees[0] if len(trees) == 1 else Tree("and", tuple(trees)) if trees else None


def judge_trees(mine: Tree, theirs: Tree) -> GradeVerdict:
    """Return whether two trees leave the same values of aspects, or none in common."""
    aspects = sorted({*list_aspects(mine), *list_aspects(theirs)})
    worlds = [{*list_worlds(tree, aspects)} for tree in (mine, theirs)]
    if worlds[0] == worlds[1]:
        return GradeVerdict("equal", reason="classes are compared by what they mean")
    if worlds[0].isdisjoint(worlds[1]):
        # A world of each side shows it: of the aspects those that one of them decides.
        pair = zip(aspects, min(worlds[0]), min(worlds[1]), strict=True)
        return differ_by(", ".join(f"{name}: {one} and {other}" for name, one, other in pair if one != other))
    more = "answer" if worlds[1] < worlds[0] else "reference" if worlds[0] < worlds[1] else ""
    return GradeVerdict(
        "undecided", reason=f"the {more} says more" if more else "they say something of different aspects"
    )


def _compare_placed(mine: Claim, theirs: Claim, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare classes that hold in places, as `increasing on (0, 1)`."""
    if _has_own_tail(mine) or _has_own_tail(theirs):
        return None
    ours, others = _drop_complement(mine, theirs, comparison), _drop_complement(theirs, mine, comparison)
    mine, theirs = replace(mine, parts=ours), replace(theirs, parts=others)
    if any(ELSEWHERE_PLACE in part.places for part in (*ours, *others)):
        return None
    if len(mine.parts) != len(theirs.parts):
        return _compare_decided_with_place(mine, theirs)
    left = list(theirs.parts)
    verdicts: list[GradeVerdict] = []
    for part in mine.parts:
        same = next((one for one in left if judge_trees(part.tree, one.tree).outcome == "equal"), None)
        if same is None:
            return judge_trees(part.tree, left[0].tree) if len(left) == len(mine.parts) == 1 else None
        left.remove(same)
        compared = _compare_places(part, same, comparison)
        if compared is None:
            return None
        verdicts.append(compared)
    return next((one for one in verdicts if one.outcome != "equal"), verdicts[0])


def _drop_complement(claim: Claim, other: Claim, comparison: AnswerComparison) -> tuple[ClaimPart, ...]:
    """Return the parts of a claim, of which one says no more than the other: `converges for p > 1, diverges
    for p ≤ 1` is `converges if and only if p > 1`."""
    parts = claim.parts
    if len(parts) != 2 or any(len(part.places) != 1 for part in parts):
        return parts
    trees = [part.tree for part in parts]
    aspects = sorted({*list_aspects(trees[0]), *list_aspects(trees[1])})
    worlds = [{*list_worlds(tree, aspects)} for tree in trees]
    everything = {*product(*(ASPECTS[aspect].split() for aspect in aspects))}
    if worlds[0] & worlds[1] or worlds[0] | worlds[1] != everything:
        return parts
    (one,), (another,) = (part.places for part in parts)
    if ELSEWHERE_PLACE not in (one, another):
        opposite = _deny_relation(another)
        if not opposite or comparison.compare(read_form(one), read_form(opposite)).outcome != "equal":
            return parts
    named = [replace(part, is_exact=True) for part in parts if ELSEWHERE_PLACE not in part.places]
    said = [part for part in named if judge_trees(part.tree, other.parts[0].tree).outcome == "equal"]
    is_whole = len(other.parts) == 2 or other.parts[0].is_exact
    return (said[0],) if len(said) == 1 and is_whole else parts


def _deny_relation(text: str) -> str:
    """Return a relation with the opposite sign, as `p > 1` for `p ≤ 1`; "" for other texts."""
    tokens = tokenize(text)
    signs = [token for token in tokens if token.text in _RELATIONS]
    if len(signs) != 1 or signs[0].text not in _OPPOSITE_SIGNS:
        return ""
    return "".join(_OPPOSITE_SIGNS[token.text] if token is signs[0] else token.text for token in tokens)


_OPPOSITE_SIGNS = {
    "<": "≥",
    ">": "≤",
    "≤": ">",
    "≥": "<",
    "=": "≠",
    "≠": "=",
    "\\le": ">",
    "\\ge": "<",
    "\\leq": ">",
    "\\geq": "<",
    "\\ne": "=",
    "\\neq": "=",
    "\\lt": "≥",
    "\\gt": "≤",
}


def _compare_decided_with_place(mine: Claim, theirs: Claim) -> GradeVerdict | None:
    """Compare `no` with `no, f is not continuous on (0, 1)`."""
    first = [claim.parts[0] for claim in (mine, theirs)]
    if any(list_aspects(part.tree) != _TRUTH or part.places for part in first) or len(mine.parts) > 1:
        return None
    return judge_trees(first[0].tree, first[1].tree)


def _compare_places(mine: ClaimPart, theirs: ClaimPart, comparison: AnswerComparison) -> GradeVerdict | None:
    if (not mine.places or not theirs.places) and (mine.is_exact or theirs.is_exact):
        return None
    if not mine.places or not theirs.places:
        place = read_form(_join_places(mine.places or theirs.places))
        whole = place.value if isinstance(place, Named) else place
        bounded = not {*list_aspects(mine.tree)}.isdisjoint(_WITH_BOUNDS)
        bounded = bounded or "convergence" in list_aspects(mine.tree)
        # `for x > 0` limits what is claimed, and `on (0, 1)` is the domain of which the question speaks.
        is_field = isinstance(place, Term) and place.tree is not None and place.tree.label in NUMBER_SETS
        if whole == REALS or is_field or (not bounded and isinstance(place, IntervalForm)):
            return GradeVerdict("equal", reason="only one of them says where")
        return None
    sets = [read_form(_join_places(part.places)) for part in (mine, theirs)]
    return comparison.compare(*sets)


def _join_places(places: Sequence[str]) -> str:
    """Return several places as one set: `x < 0 or x > 2`, a union of intervals."""
    if all(not isinstance(read_form(place), IntervalForm) and "(" not in place for place in places):
        return " or ".join(places)
    return " \\cup ".join(places)


def _compare_with_empty(claim: Claim, other: str) -> GradeVerdict | None:
    """Compare `no solutions` with an empty set."""
    tree = _whole(claim)
    if list_aspects(tree) != ["solutions"] or list_worlds(tree, ["solutions"]) != [("0",)] or claim.tail:
        return None
    form = read_form(other)
    empty = form.value if isinstance(form, Named) else form
    return GradeVerdict("equal") if empty == EMPTY else None
