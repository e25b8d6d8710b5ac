"""Claims that are one digit, sign or index away from what follows from the statements before them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engines.core.tree import ZERO, Tree
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import (
    has_first_word,
    last_clause,
    last_sentence,
    mentions,
    read_last_cue,
)
from engines.proofreading.facts import MOST_STEPS, Facts
from engines.proofreading.known_points import PartNames, find_points
from engines.proofreading.link_verdicts import Accusation, Evidence
from engines.proofreading.number_links import list_terms
from engines.proofreading.slips import Slip, find_slip, is_retyped, iterate_changes
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_main_clause
from engines.proofreading.term_properties import are_exactly_equal, evaluate_term, free_symbols, values_agree

_LONGEST_VALUE = 30
_LEAST_CALL = 6
"""Nodes of a value of a function whose argument is calculated."""
_LONG_CLAIM = 6
"""Nodes of a claim that says something of its own where it may be about another example."""
_LONG_ROW = 16
"""Nodes of an equation that another one gives, but for one change."""
_WRAPPING = ("limit", "d", "re", "im", "conj", "integral", "antiderivative", "sum", "call")
"""Operations of which the last part is what they are of; those of terms that differ, differ."""
_CONSTANT = re.compile(r"[CKc](?:_\d+)?\Z")
"""Of integration, which a text writes alike whatever its value is."""
_FACTORS = tuple(
    Tree("/", (Tree(f"{sign}{top}"), Tree(f"{bottom}")))
    for top, bottom in ((1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (4, 1), (1, 4))
    for sign in ("-", "")
    if (top, bottom, sign) != (1, 1, "")
)
_LONG_VALUES = 10
"""Nodes of two values of a function; shorter ones can be equal at two places."""
_LINES_BESIDE = 3
"""Lines: the statement right before a conclusion."""
_LINES_AT_HAND = 8
"""Lines: what an example works with just now."""
_NEAR_LINES = 20
"""Lines: what was said shortly before."""
_APART = 1e-6
FAR_LINES = 60
"""Lines: what was said longer ago is no reason to call a claim wrong."""


@dataclass(frozen=True, slots=True)
class KnownPlaces:
    """Two places where everything holds that a text says of the terms of a claim.

    Attributes:
        sides: The sides of the claim, with names for what is not arithmetic.
        names: What these names stand for.
        points: The places.
        unknowns: Everything that has a value there.
    """

    sides: tuple[Tree, Tree]
    names: PartNames
    points: Sequence[dict[str, float]]
    unknowns: frozenset[str]

    @property
    def differ(self) -> bool:
        """Whether the sides of the claim differ there."""
        return values_agree(*self.sides, self.points[0]) is False

    @property
    def has_one_value(self) -> bool:
        """Whether everything in the claim has one value by what was said."""
        names = free_symbols(self.sides[0]) | free_symbols(self.sides[1])
        return not any(self.varies(Tree(name)) for name in names)

    def varies(self, side: Tree) -> bool:
        """Return whether a side has no one value by what was said."""
        first, second = (evaluate_term(side, point) for point in self.points)
        return first is not None and second is not None and abs(first - second) > _APART * (1 + abs(first))


def find_known_places(facts: Facts, left: Tree, right: Tree, line: int) -> KnownPlaces | None:
    """Return places where what was said of the terms of a claim holds; None where nothing was, or where none
    is found. Where all of it holds nowhere that is found, what was said last counts, then what the paragraph
    says."""
    every = [each for each in facts.list_equations(left, right) if not _has_matrix(*each[:2])]
    near = [each for each in every if line - each[2].line <= _NEAR_LINES]
    here = [each for each in near if each[2].position.paragraph == facts.position.paragraph]
    tried = {len(each): each for each in (here, near, every)}
    for equations in (tried[size] for size in sorted(tried, reverse=True)):
        if equations and (points := find_places(equations, left, right)):
            return points
    return None


def _has_matrix(*sides: Tree) -> bool:
    return any("matrix" in side.list_labels() for side in sides)


def find_places(equations: Sequence[tuple[Tree, Tree, Fact]], left: Tree, right: Tree) -> KnownPlaces | None:
    """Return places where equations hold; None where none is found."""
    names = PartNames({
        one.label: other
        for one, other, _ in equations
        if not one.children and free_symbols(one) - free_symbols(other) and len(other) < _LONGEST_VALUE
    })  # fmt: skip
    sides = names.replace_parts(left), names.replace_parts(right)
    known = [(names.replace_parts(one), names.replace_parts(other)) for one, other, _ in equations]
    known = [(one, other) for one, other in (*known, *names.list_relations()) if one != other]
    unknowns = frozenset[str]().union(*(free_symbols(side) for pair in (sides, *known) for side in pair))
    points = find_points(known, unknowns)
    return KnownPlaces(sides, names, points, unknowns) if points else None


def find_near_consequence(
    facts: Facts,
    link: ChainLink,
    left: Tree,
    right: Tree,
    are_equal: Callable[[Tree, Tree], bool],
    are_cases_since: Callable[[Sequence[Fact]], bool],
) -> Accusation | None:
    """Return what is to be changed in a claim that fails where all holds that was said before, so that it
    follows; None where no one change does that, or where it defines a function.

    Args:
        are_equal: Whether two terms are equal whatever their variables are.
        are_cases_since: Whether the text distinguishes cases from where facts stand on.
    """
    written = left, right
    left, right = _strip_shared(left, right)
    defines = _is_definition(left, right) and not _is_known_slope(facts, left)
    defines = defines and not mentions("recalling", last_clause(link.words_before))
    known = None if defines else find_known_places(facts, left, right, link.line)
    if known is None:
        return None
    clause = last_clause(link.words_before)
    follows_from_words = link.connective == "so" or any(
        mentions(cue, clause) for cue in ("deducing", "obtaining")
    )
    pairs = known.sides, known.sides[::-1]
    valued_anew = any(not free_symbols(side) and known.varies(other) for side, other in pairs)
    if valued_anew and not follows_from_words:
        return None  # it gives a variable its value, of which nothing was said
    free = free_symbols(left) | free_symbols(right)
    determined = any(
        (not one.children and bool(free_symbols(one)) and one.label not in free_symbols(other))
        or ((_is_value_at_number(one) or one.label == "d") and not free_symbols(other))
        for one, other in ((left, right), (right, left))
    )
    if determined and not (link.index or follows_from_words) and _is_set_anew(facts, link, free):
        return None
    wrapped = (left, right) != written
    is_slope_alone = any(
        one.label == "d" and one not in other for one, other in ((left, right), (right, left))
    )
    worked_out = wrapped or link.index > 0 or link.connective in ("so", "row") or is_main_clause(link)
    drawn = (
        worked_out
        or read_last_cue(link.words_before) == "claimed"
        or mentions("equivalent", link.words_before)
        or mentions("rearranging", last_sentence(link.words_before))
        or mentions("obtaining", last_sentence(link.words_before))
    )
    solved = mentions("rearranging", last_sentence(link.words_before))
    paragraph = link.position.paragraph
    used: Sequence[Fact] = ()
    doubtful: list[tuple[Tree, Tree]] = []

    def gives_other_value(fact: Fact) -> bool:
        """Return whether a fact gives the variables of the claim other values, and the claim is not drawn
        from just this fact."""
        is_last = drawn and fact.number == facts.last_number and fact.position.paragraph == paragraph
        calculated = not determined or _is_worked_out(fact.right, left if left.children else right)
        return _is_other_value(fact, left, right) and not (is_last and calculated)

    def exchanges_indices(one: Tree, other: Tree) -> bool:
        """Return whether a name became one with the same indices: u_xy is u_yx for most functions."""
        now = free_symbols(one) | free_symbols(other)
        return not {*map(_sort_letters, free - now)}.isdisjoint(map(_sort_letters, now))

    def follows(one: Tree, other: Tree) -> bool:
        nonlocal used
        one, other = (known.names.restore_parts(side) for side in (one, other))
        if are_exactly_equal(one, other):  # it holds without what was said
            return False
        reduced = facts.reduce_by_facts(one, other)
        if reduced is None or not (reduced.same or are_equal(reduced.left, reduced.right)):
            return False
        used = _choose_nearest(facts, link, one, other, reduced.used)
        # a + b = b + c = 0 says that both are 0, and not what they are to each other.
        if link.index and not free_symbols(right) and all(fact.piece == link.piece_index for fact in used):
            return False
        if any(
            (not wrapped and _is_written(fact, one, other))
            or gives_other_value(fact)
            or (not worked_out and says_the_same(fact, one, other))
            or (not (worked_out or follows_from_words) and _has_side_of(fact, left, right))
            # Each example of a text works out the same term anew.
            or (fact.position.paragraph != paragraph and _works_out(fact, left, right))
            for fact in used
        ):
            return False
        if exchanges_indices(one, other):
            return False
        near = all(link.line - fact.line <= FAR_LINES for fact in used)
        begun = link.piece_index - 2 * link.words_before.count("§")
        supposed = [fact for fact in used if fact.is_supposed and fact.piece < begun]
        if any(not follows_from_words or fact.position.paragraph != paragraph for fact in supposed):
            return False  # it was supposed in another sentence
        # Another equation of the same variables can be that of a second line; a function of a task is one.
        of_function = used[0].left.label == "call" and used[0].is_about_task_of(link.position)
        second = not drawn and len(used) == 1 and used[0].variables == free and not of_function
        # Behind the values of all its variables an equation can be that of another case.
        concluded = worked_out or follows_from_words or solved
        valued = determined or (not concluded and known.has_one_value)
        from_last = link.connective == "so" and [fact.number for fact in used] == [facts.last_number]
        reliable = not valued or from_last or _is_reliable(facts, link, one, other, used)
        # Two differential equations are rarely about the same function.
        differential = any("'" in name for fact in used for name in fact.variables)
        # … but what the last equations give is about that of its paragraph.
        direct = concluded and all(
            fact.position.paragraph == paragraph or link.line - fact.line <= _LINES_BESIDE for fact in used
        )
        several = (differential or second or valued_anew) and not direct
        if near and reliable and not several and not are_cases_since(used):
            return True
        doubtful.append((one, other))
        return False

    def follows_perhaps(one: Tree, other: Tree) -> bool:
        nonlocal used
        pair = known.names.restore_parts(one), known.names.restore_parts(other)
        reduced = facts.reduce_by_facts(*pair) if pair in doubtful else None
        used = reduced.used if reduced else used
        return reduced is not None

    def find_change(same: Callable[[Tree, Tree], bool]) -> Slip | None:
        return find_slip(
            *known.sides,
            known.points,
            same,
            by_facts=True,
            others=known.unknowns,
            determined=determined or wrapped or is_slope_alone,
            opposite=True,
        )

    is_certain = True
    if (slip := find_change(follows)) is None:
        if instead := find_slip_in_part(known, follows):
            return describe_change(f"it holds with {instead}", used, is_certain=True)
        is_long = len(left) + len(right) >= _LONG_CLAIM
        if doubtful and (is_long or link.index):
            slip, is_certain = find_change(follows_perhaps), False
            # What a chain goes on to is the value of its first side, too: no other has all digits but one.
            slip = slip if slip is None or is_long or is_retyped(slip.instead) else None
    if slip is None or is_row_of_system(link, left, right, used):
        return None
    if has_another_constant(facts, left, right, are_equal):
        return None
    shown = replace(slip, at=known.names.show_place(slip.at))
    return describe_change(shown.reason, used, is_certain=is_certain)


def _choose_nearest(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, used: Sequence[Fact]
) -> Sequence[Fact]:
    """Return the statements of the paragraph, and of the lines right before a claim, if it follows from these
    alone; else those that are used: further ones can lead to it, too, and are about other things."""

    def is_beside(fact: Fact, reach: int) -> bool:
        here = fact.position.paragraph == link.position.paragraph
        return here or 0 <= link.line - fact.line <= reach

    stated = (*facts.in_scope, *(known.fact for known in facts.functions.values()))
    for reach in (_LINES_BESIDE, _LINES_AT_HAND):
        if all(is_beside(fact, reach) for fact in used):
            break
        nearest = facts.reduce_by_some(left, right, [fact for fact in stated if is_beside(fact, reach)])
        if nearest is not None and nearest.same:
            return nearest.used
    return used


def describe_change(change: str, used: Sequence[Fact], *, is_certain: bool) -> Accusation:
    """Return a claim's mistake: the change that makes it follow from facts, and these.

    Args:
        is_certain: Whether nothing else is known that would explain the claim.
    """
    evidence = Evidence("near consequence", tuple(used), is_certain)
    return Accusation(f"{change}, {describe_sources(used)}", evidence)


def has_another_constant(
    facts: Facts, left: Tree, right: Tree, are_equal: Callable[[Tree, Tree], bool]
) -> bool:
    """Return whether a claim follows for another value of a constant of integration, which takes up signs and
    factors: behind -1/y = x + C stands 1/y = -x + C."""
    for name in sorted(free_symbols(left) | free_symbols(right)):
        # C = -3 says of C itself what it is.
        taken_up = _CONSTANT.match(name) and Tree(name) not in (left, right)
        # … and c is a coefficient as often, where it is no summand.
        taken_up = taken_up and (
            name[0] != "c" or any(Tree(name) in list_terms(side) for side in (left, right))
        )
        for factor in _FACTORS if taken_up else ():
            value = Tree("*", (factor, Tree(name)))
            one, other = (replace_variable(side, name, value) for side in (left, right))
            reduced = facts.reduce_by_facts(one, other)
            if reduced is not None and (reduced.same or are_equal(reduced.left, reduced.right)):
                return True
    return False


def _is_set_anew(facts: Facts, link: ChainLink, free: frozenset[str]) -> bool:
    """Return whether a value stands without words, gives a reason, is one of an argument of a function, or is
    that of a letter to which the paragraph gave another term."""
    arguments = {name for known in facts.functions.values() for name in known.arguments}
    given = {
        fact.left
        for fact in facts.in_scope
        if fact.position.paragraph == link.position.paragraph and fact.right.children and not fact.is_value
    }
    return (
        link.is_unannounced
        or any(Tree(name) in given for name in free & {link.left.strip()})
        or has_first_word("explaining", last_clause(link.words_before))
        or free <= arguments
    )


def _strip_shared(left: Tree, right: Tree) -> tuple[Tree, Tree]:
    """Return the terms of which both sides are the same limit, slope, value of a function, …"""
    while (
        left.label == right.label
        and left.label in _WRAPPING
        and left.children[:-1] == right.children[:-1]
        and (left.label != "call" or len(left) + len(right) >= _LONG_VALUES)
    ):
        left, right = left.children[-1], right.children[-1]
    return left, right


def _is_other_value(fact: Fact, left: Tree, right: Tree) -> bool:
    """Return whether a fact gives the variables of a claim other values."""
    bare = not left.children and not right.children
    return free_symbols(left) | free_symbols(right) == fact.variables and (fact.is_value or bare)


def _has_side_of(fact: Fact, left: Tree, right: Tree) -> bool:
    """Return whether a fact says what a term of a claim is, which may be another in another case."""
    return any(mine.children and mine in (fact.left, fact.right) for mine in (left, right))


def _works_out(fact: Fact, left: Tree, right: Tree) -> bool:
    """Return whether a fact says what a sum is of which a claim says something else: `U - W = 5p` behind
    `U - W = 3v`."""
    sums = ("+", "-")
    return any(
        mine == theirs and mine.label in sums and free_symbols(said) != free_symbols(mine)
        for mine in (left, right)
        for theirs, said in ((fact.left, fact.right), (fact.right, fact.left))
    )


def _sort_letters(name: str) -> str:
    return "".join(sorted(name))


def says_the_same(fact: Fact, left: Tree, right: Tree) -> bool:
    """Return whether a fact is the equation of two sides, also where a side is written in another way."""
    sides = (fact.left, fact.right), (fact.right, fact.left)
    return _is_written(fact, left, right) or any(
        are_exactly_equal(one, left) and are_exactly_equal(other, right) for one, other in sides
    )


def _is_written(fact: Fact, left: Tree, right: Tree) -> bool:
    """Return whether a fact is the equation of two sides as they are written."""
    return (left, right) in ((fact.left, fact.right), (fact.right, fact.left))


def find_slip_in_part(known: KnownPlaces, same: Callable[[Tree, Tree], bool]) -> str:
    """Return the change inside of a part that is not arithmetic, as |x + c|, which makes it another part of
    the claim or of what was said, by the values of variables, so that the claim follows."""
    names = known.names
    parts = {meant: name for name, meant in names.meant.items()}
    used = frozenset[str]().union(*map(free_symbols, known.sides))
    for own in sorted(used & names.meant.keys()) if known.differ else ():
        part = names.parts[own]
        # f(-x) = f(x) may be said of any f, and f(x - h) = f(x + h) hardly.
        added = any(argument.label in ("+", "-") for argument in part.children[1:])
        plain = part.label == "call" and len(part) < _LEAST_CALL and not added
        if part.label not in _LOOKED_INTO or len(part) > _LONGEST_VALUE or plain:
            continue
        for path, changed, instead in iterate_changes(part):
            whole = part.replace_subtree(path, changed)
            if parts.get(names.find_meaning(whole), own) == own:
                continue
            sides = (names.restore_parts(replace_variable(side, own, _CHANGED)) for side in known.sides)
            if same(*(replace_variable(side, _CHANGED.label, whole) for side in sides)):
                return instead
    return ""


_CHANGED = Tree("⟦changed⟧")
_LOOKED_INTO = frozenset(
    ("abs", "norm", "sqrt", "exp", "ln", "sin", "cos", "limit", "integral", "sum", "pow", "call")
)


def _is_value_at_number(tree: Tree) -> bool:
    """Return whether a term is the value of a function at numbers, as f(0, 3)."""
    return tree.label == "call" and not any(map(free_symbols, tree.children[1:]))


def _is_reliable(facts: Facts, link: ChainLink, left: Tree, right: Tree, used: Sequence[Fact]) -> bool:
    """Return whether a value of a variable follows from what is no case of several and no other value of it,
    and in part is more than a value, and which nothing contradicts."""
    paragraph = link.position.paragraph
    near = all(
        not fact.alternative
        and (fact.is_certain or fact.position.paragraph == paragraph or link.line - fact.line <= _NEAR_LINES)
        for fact in used
    )
    assigned = any(
        one == bare and free_symbols(bare) and free_symbols(other) <= free_symbols(value)
        for bare, value in ((left, right), (right, left))
        if not bare.children
        for fact in used
        for one, other in ((fact.left, fact.right), (fact.right, fact.left))
        if not _is_worked_out(other, value)
    )
    # x = y = 0 says nothing of an x and a y that have values elsewhere.
    terms = (side for fact in used for side in (fact.left, fact.right))
    calculated = not assigned and any(
        side.children and (free_symbols(side) or not _OF_CALCULUS.isdisjoint(side.list_labels()))
        for side in terms
    )
    # y(1) = 2 beside a y = 3x + 1 can be a condition of another task; `f(x) = …` is said of f alone.
    names = [one.children[0].label.rstrip("'") for one in (left, right) if _is_value_at_number(one)]
    functions = [facts.functions.get(name) for name in names]
    certain = all(
        known is not None
        and known.is_certain_at(link.position)
        and known.fact.left.label == "call"
        and (known.fact.position.paragraph == paragraph or known.fact.is_about_task_of(link.position))
        for known in functions
    )
    whole = not link.left.startswith("+") and len(used) <= MOST_STEPS
    if link.is_one_of_alternatives or not (near and calculated and whole and certain):
        return False
    return not facts.find_contradiction(left, right, used)


_OF_CALCULUS = frozenset(("integral", "sum", "prod", "limit", "det"))
"""Operations whose value a text works out."""


def _is_worked_out(term: Tree, value: Tree) -> bool:
    """Return whether a term is to be worked out, and another is what that can give."""
    return not _OF_CALCULUS.isdisjoint(term.list_labels()) and _OF_CALCULUS.isdisjoint(value.list_labels())


def is_row_of_system(link: ChainLink, left: Tree, right: Tree, used: Sequence[Fact]) -> bool:
    """Return whether a system goes on, which may have no solution: behind `x + y = 2` and `x - y = 0` stands
    `3x + 2y = 1`, and no conclusion is drawn."""
    of_zeros = right == ZERO and all(fact.right == ZERO and fact.piece == link.piece_index for fact in used)
    # … unless they say of two components in one formula that they are 0
    if len(used) == 1 and len(left) + len(right) >= _LONG_ROW and not of_zeros:
        return False  # two rows that are so long are hardly one equation but for a number
    rows = [(left, right), *((fact.left, fact.right) for fact in used)]
    counts = [sorted(len(_list_unknowns(side)) for side in row) for row in rows]
    alike = all(fewer == 0 and more > 1 for fewer, more in counts)
    return alike and link.connective in ("", "row", ",", "and")


def _list_unknowns(tree: Tree) -> frozenset[Tree]:
    """Return the letters of a term and its derivatives, each of which is one unknown."""
    if tree.label == "d" or not tree.children:
        return frozenset((tree,)) if free_symbols(tree) else frozenset()
    return frozenset[Tree]().union(*map(_list_unknowns, tree.children))


def _is_known_slope(facts: Facts, left: Tree) -> bool:
    """Return whether a term is a derivative of a function that the text defines: `f'(x)`."""
    name = left.children[0].label
    return name.endswith("'") and name.rstrip("'") in facts.functions


def _is_definition(left: Tree, right: Tree) -> bool:
    """Return whether an equation can define a function: `f(x) = …`."""
    arguments = {one.label for one in left.children[1:]} if left.label == "call" else set()
    plain = all(not one.children and free_symbols(one) for one in left.children[1:])
    return bool(arguments) and plain and free_symbols(right) <= arguments
