"""What a sentence claims: which values of aspects it leaves, of what and where; the reason behind it is none.

A claim is a tree over aspects: `convergent, but not absolutely` leaves one of three values of convergence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product, zip_longest

from engines.core.tree import Tree
from engines.grading.meanings.class_vocabulary import ASPECTS, CLASSES
from engines.grading.meanings.sentence_items import SentenceItem, list_items
from engines.grading.tokens import AnswerToken

_MOST_ITEMS = 80
ELSEWHERE_PLACE = "elsewhere"
"""The place of what holds wherever the other part of a claim does not."""
_NULL_HYPOTHESES = ("H_0", "H_{0}", "H0", "H₀")


@dataclass(frozen=True, slots=True)
class ClaimPart:
    """A tree over aspects, and the places where it holds."""

    tree: Tree
    places: tuple[str, ...] = ()
    is_exact: bool = False
    """Whether it holds nowhere else, as behind `if and only if`."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a text claims.

    Attributes: parts: each with its places. letters: names of what it is said of, in their order. subjects:
    formulas of which it is said. points: at which it is. nouns: for it. domain: of solutions. tail: what
    stands behind it and is no part of it; is_reason: whether a word says so.
    """

    parts: tuple[ClaimPart, ...]
    letters: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    nouns: tuple[str, ...] = ()
    domain: str = ""
    tail: str = ""
    is_reason: bool = True


def read_claim(text: str) -> Claim | None:
    """Return what a text in words claims; None where a word of it is not known, or it is hedged.

    >>> read_claim("It converges, but not absolutely.").parts == read_claim("conditionally convergent").parts
    False
    >>> [list_worlds(read_claim(text).parts[0].tree, ["parity"]) for text in ("even", "It is not odd")]
    [[('even',)], [('even',), ('neither',)]]
    """
    tokens, items = list_items(text)
    if not items or len(items) > _MOST_ITEMS or not any(item.kind in ("class", "decision") for item in items):
        return None
    return _ClaimParser(tokens, items).parse_claim()


class _ClaimParser:
    """Parser of the clauses of one text."""

    def __init__(self, tokens: Sequence[AnswerToken], items: Sequence[SentenceItem]) -> None:
        self.tokens = tokens
        self.items = _count_solutions(
            _deny_properties([_decide(item, at, items) for at, item in enumerate(items)])
        )
        self.letters: list[str] = []
        self.subjects: list[str] = []
        self.points: list[str] = []
        self.nouns: list[str] = []
        self.domain = ""
        self.tail: list[SentenceItem] = []
        self.is_reason = True

    def parse_claim(self) -> Claim | None:
        """Return the claim, or None."""
        parts: list[ClaimPart] = []
        for mark, clause in self._split_clauses():
            if any(item.kind == "limit" for item in clause):
                return None
            if not parts and not self.tail and clause[0].kind == "reason" and mark == "":
                continue  # `Since p < 0.05, …`: a premise of what follows
            kept = [list(names) for names in (self.letters, self.subjects, self.points)]
            said = self._parse_clause(clause)
            if said is None:
                self.letters, self.subjects, self.points = kept
            if said is not None:
                parts += said
            elif parts and self._may_follow(mark, clause, parts):
                self.tail += clause
                self.is_reason = (
                    self.is_reason
                    and bool(clause)
                    and (mark == "(" or clause[0].kind == "reason" or _is_remark(mark, clause))
                )
            else:
                return None
        if not parts or self._is_contradicted(parts):
            return None
        tail = " ".join(self.tokens[at].text for item in self.tail for at in range(item.start, item.end))
        return Claim(
            _merge_parts(parts),
            tuple(self.letters),
            tuple(self.subjects),
            tuple(self.points),
            tuple(self.nouns),
            self.domain,
            tail,
            self.is_reason,
        )

    def _split_clauses(self) -> Iterator[tuple[str, list[SentenceItem]]]:
        """Return the clauses, each with the mark before it; what stands in brackets is one of its own."""
        mark, clause, depth = "", [], 0
        for item in self.items:
            if item.kind != "mark" or (depth and item.name not in ")）"):
                clause.append(item)
                continue
            if clause:
                yield mark, clause
            depth += (item.name in "(（") - (item.name in ")）")
            mark, clause = ("(" if depth else "," if item.name in ",，、)）" else item.name), []
        if clause:
            yield mark, clause

    def _may_follow(self, mark: str, clause: Sequence[SentenceItem], parts: Sequence[ClaimPart]) -> bool:
        """Return whether a clause that is not understood may be a reason for what was claimed before it."""
        is_verdict = [list_aspects(part.tree) for part in parts] == [["truth"]]
        # Behind a verdict and a mark the reason is a sentence of its own.
        contrasts = clause[:1] if is_verdict and mark in tuple(":;.") else clause
        if any(item.kind == "but" for item in contrasts):
            return False
        if clause[0].kind == "reason" or (mark and mark not in ",、，"):
            return True
        return len(parts) == 1 and list_aspects(parts[0].tree) == ["truth"]

    def _is_contradicted(self, parts: Sequence[ClaimPart]) -> bool:
        """Return whether nothing is left of a claim, or a class in the reason behind it denies it."""
        whole = _join("and", [part.tree for part in parts if not part.places])
        trees = [part.tree for part in parts if part.places] + ([whole] if whole is not None else [])
        if not all(list_worlds(tree, list_aspects(tree)) for tree in trees):
            return True
        denied = any(item.kind in ("not", "neither", "nor") for item in self.tail)
        for item in self.tail:
            if item.kind != "class" or denied or whole is None:
                continue
            other = class_tree(item.name)
            shared = set(list_aspects(other)) & set(list_aspects(whole))
            both = Tree("and", (whole, other))
            if shared and not list_worlds(both, list_aspects(both)):
                return True
        return False

    def _parse_clause(self, clause: Sequence[SentenceItem]) -> list[ClaimPart] | None:
        """Return what one clause claims; [] where it only introduces another, None where it is not
        understood."""
        groups = [_Group("")]
        neither = False
        at = 0
        while at < len(clause):
            item = clause[at]
            has_class = any(group.list_classes() for group in groups)
            if item.kind == "reason" or (item.kind == "conclusion" and has_class):
                if not has_class:
                    return None
                self.tail += clause[at:]
                break
            if item.kind == "unknown":
                return None
            if item.kind in ("and", "or", "but", "nor"):
                groups.append(_Group(item.kind))
            elif item.kind == "neither":
                neither = True
            elif item.kind == "domain":
                if any(one.name == "solutions" for one in clause):
                    self.domain = item.name
                else:
                    groups[-1].places.append(_FIELDS.get(item.name, item.name))
            elif item.kind in ("place", "point"):
                place, at = self._take_place(clause, at)
                if place is None:
                    return None
                groups[-1].is_exact = groups[-1].is_exact or item.name == "exact"
                if place:
                    (groups[-1].places if item.kind == "place" else self.points).append(place)
                continue
            elif item.kind == "elsewhere":
                groups[-1].places.append(ELSEWHERE_PLACE)
            elif item.kind == "formula" and item.name in _NULL_HYPOTHESES:
                pass  # a test rejects it, or not
            elif item.kind == "formula":
                if not self._take_formula(item, groups):
                    return None
            elif item.kind == "filler":
                behind = clause[at + 1] if at + 1 < len(clause) else item
                if item.name == "every" and behind.kind == "class":
                    return None  # the class is that of the subject: every even number
                self.nouns += [item.name] if item.name not in ("", "every") else []
            elif item.kind not in ("everywhere", "conclusion"):
                groups[-1].items.append(item)
            at += 1
        return self._join_groups(_gather_places(groups), neither=neither)

    def _take_place(self, clause: Sequence[SentenceItem], at: int) -> tuple[str | None, int]:
        """Return the formula behind words such as `on`, and the index behind it; "" where words name it."""
        behind = at + 1
        while behind < len(clause) and clause[behind].kind in ("filler", "place"):
            behind += 1
        if behind < len(clause) and clause[behind].kind == "formula":
            return clause[behind].name, behind + 1
        named = behind >= len(clause) or clause[behind].kind in ("class", "not", "everywhere")
        return ("" if named else None), behind

    def _take_formula(self, item: SentenceItem, groups: Sequence[_Group]) -> bool:
        """Keep a subject, or a further place behind a first one; return whether the formula may be one."""
        if any(group.places for group in groups) and groups[-1].connective and not groups[-1].items:
            groups[-1].places.append(item.name)
        elif len(item.name) == 1 and item.name.isalpha():
            self.letters.append(item.name)
        elif any(group.list_classes() for group in groups):
            return False  # a number or relation behind a class belongs to what is claimed
        else:
            self.subjects.append(item.name)
        return True

    def _join_groups(self, groups: Sequence[_Group], *, neither: bool) -> list[ClaimPart] | None:
        """Return the classes of a clause under its connectives."""
        parts: list[ClaimPart] = []
        joins: set[str] = set()
        denied = False
        for group in groups:
            connective, classes = group.connective, group.list_classes()
            nots = group.count_denials()
            if not classes:
                if nots and connective in ("and", "or"):
                    return None
                denied = denied or bool(nots)
                continue
            tree = _join("and", [class_tree(item.name) for item in classes])
            assert tree is not None
            self.domain = next((item.domain for item in classes if item.domain), self.domain)
            if len(classes) > 1 and nots and group.items[0].kind != "not" and len(list_aspects(tree)) > 1:
                return None  # which of both is denied is not said
            if denied and connective in ("and", "or") and not neither and not nots and parts:
                return None  # `not A and B`
            is_denied = (nots + neither + (connective == "nor" and not neither) + (denied and not nots)) % 2
            if connective and parts:
                joins.add("or" if connective == "or" and not neither else "and")
            denied = bool(nots) and connective != "nor"
            parts.append(
                ClaimPart(Tree("not", (tree,)) if is_denied else tree, tuple(group.places), group.is_exact)
            )
        if len(joins) > 1:
            return None
        if not parts:
            return None if any(group.items for group in groups) else []
        if any(part.places for part in parts):
            # Of `even and increasing on (0, 1)` the place may be that of both.
            return parts if all(part.places for part in parts) and joins <= {"and"} else None
        whole = _join(next(iter(joins), "and"), [part.tree for part in parts])
        assert whole is not None
        return [ClaimPart(whole)]


@dataclass(slots=True)
class _Group:
    """What stands between two connectives: its items, and the places that it names."""

    connective: str
    items: list[SentenceItem] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    is_exact: bool = False

    def list_classes(self) -> list[SentenceItem]:
        """Return the classes among the items; that solutions exist is said by `solutions` alone."""
        classes = [item for item in self.items if item.kind == "class"]
        named = any(item.name == "solutions" for item in classes)
        return [item for item in classes if not (named and item.name in ("exists", "missing"))]

    def count_denials(self) -> int:
        """Return how many words deny the classes; solutions that do not exist are none."""
        said = [item.name for item in self.items if item.kind == "class"]
        missing = "missing" in said and "solutions" in said
        return sum(item.kind == "not" for item in self.items) + missing


def _gather_places(groups: Sequence[_Group]) -> list[_Group]:
    """Return groups of which those with nothing but places are joined to the one before them."""
    result: list[_Group] = []
    for group in groups:
        if result and not group.items and group.places:
            result[-1].places += group.places
        else:
            result.append(group)
    return result


def _is_remark(mark: str, clause: Sequence[SentenceItem]) -> bool:
    """Return whether a sentence behind a verdict states no value that may be asked for."""
    kinds = ["", *(item.kind for item in clause)]
    return mark in tuple(":;.") and all(
        kinds[at] in ("place", "point") and "=" not in item.name
        for at, item in enumerate(clause)
        if item.kind == "formula" and any(char.isdecimal() for char in item.name)
    )


def _decide(item: SentenceItem, at: int, items: Sequence[SentenceItem]) -> SentenceItem:
    """Return a word such as `no` as the decision that it is at the beginning, or else as what it is in a
    sentence."""
    if item.kind != "decision":
        return item
    alone = at + 1 >= len(items) or items[at + 1].kind == "mark"
    if at == 0 and alone:
        return item._replace(kind="class", domain="")
    return item._replace(kind="not" if item.domain == "not" or item.name == "no" else "filler", domain="")


_FIELDS = {
    "real": "\\mathbb{R}",
    "complex": "\\mathbb{C}",
    "integer": "\\mathbb{Z}",
    "rational": "\\mathbb{Q}",
}
"""Domains as the sets of numbers over which something holds."""
_EMPTY_SETS = ("∅", "\\emptyset", "\\varnothing", "{}")
_COUNTED = {"0": "no solutions", "1": "unique solution", "2": "two solutions"}


def _deny_properties(items: Sequence[SentenceItem]) -> list[SentenceItem]:
    """Return items in which `holds` and `fails` behind a class say that it holds, or not, and `fails` before
    one that it does not."""
    result: list[SentenceItem] = []
    for item, following in zip_longest(items, items[1:]):
        is_property = (
            following is not None and following.kind == "class" and following.name not in ("yes", "no")
        )
        if is_property and (item.kind, item.name, item.domain) == ("class", "no", ""):
            item = item._replace(kind="not", name="")
        behind = item.kind == "class" and item.name in ("yes", "no") and result and result[-1].kind == "class"
        if behind and result[-1].name not in ("yes", "no") and item.domain == "":
            item = item._replace(kind="not" if item.name == "no" else "filler", name="")
        result.append(item)
    return result


def _count_solutions(items: Sequence[SentenceItem]) -> list[SentenceItem]:
    """Return items in which a figure before `solutions` and this noun are one class."""
    result: list[SentenceItem] = []
    for item in items:
        if item.kind == "formula" and item.name.endswith(_EMPTY_SETS):
            item = item._replace(kind="class", name="no solutions")  # L = ∅
        counted = item.name == "solutions" and result and result[-1].kind == "formula"
        if counted and (name := _COUNTED.get(result[-1].name)) is not None:
            item = item._replace(name=name, start=result.pop().start)
        result.append(item)
    return result


def class_tree(name: str) -> Tree:
    """Return what a class says of aspects."""
    said = CLASSES[name][0]
    leaves = [Tree("in", (Tree(aspect), *map(Tree, values.split()))) for aspect, values in said.items()]
    return leaves[0] if len(leaves) == 1 else Tree("and", tuple(leaves))


def _join(connective: str, trees: Sequence[Tree]) -> Tree | None:
    if len(trees) < 2:
        return trees[0] if trees else None
    return Tree(connective, tuple(trees))


def _merge_parts(parts: Sequence[ClaimPart]) -> tuple[ClaimPart, ...]:
    """Return parts of which those without a place are one."""
    free = _join("and", [part.tree for part in parts if not part.places])
    return (*([ClaimPart(free)] if free is not None else ()), *(part for part in parts if part.places))


def list_aspects(tree: Tree) -> list[str]:
    """Return the aspects of which a tree says something."""
    if tree.label == "in":
        return [tree.children[0].label]
    return sorted({aspect for part in tree.children for aspect in list_aspects(part)})


def list_worlds(tree: Tree, aspects: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the values of aspects for which a tree holds."""
    return [
        world
        for world in product(*(ASPECTS[aspect].split() for aspect in aspects))
        if holds_in(tree, dict(zip(aspects, world, strict=True)))
    ]


def holds_in(tree: Tree, world: dict[str, str]) -> bool:
    """Return whether a tree holds where aspects have these values."""
    if tree.label == "in":
        return any(value.label == world[tree.children[0].label] for value in tree.children[1:])
    parts = [holds_in(part, world) for part in tree.children]
    return not parts[0] if tree.label == "not" else any(parts) if tree.label == "or" else all(parts)
