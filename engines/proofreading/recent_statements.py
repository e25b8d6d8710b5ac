"""Claims that one change would make follow from what stands right before them, whatever else was said.

Nearly all that a text said of some letters can be about another example, and a claim that only this makes
fail is no mistake. What the last few lines say is what the claim is drawn from, if it is drawn from anything:
a claim that is one digit or sign away from that is doubtful.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engines.core.tree import Tree
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import (
    ends_with_phrase,
    is_made_of,
    last_clause,
    last_sentence,
    mentions,
    read_last_cue,
)
from engines.proofreading.facts import Facts
from engines.proofreading.link_verdicts import Accusation
from engines.proofreading.near_consequences import (
    FAR_LINES,
    describe_change,
    find_places,
    find_slip_in_part,
    has_another_constant,
    is_row_of_system,
    says_the_same,
)
from engines.proofreading.slips import find_identity_slip, find_slip
from engines.proofreading.stated_facts import Fact
from engines.proofreading.term_properties import are_exactly_equal, free_symbols

_RECENT_LINES = 12
_LINES_OF_LETTER = 6
_MOST_FACTS = 4
_NEXT_PIECE = 2
"""Pieces of a text from one formula to the next, words between them."""
_LARGEST = 120
"""Nodes of two sides that are compared."""
_LEAST_NODES = 8
"""Nodes of a claim that no words draw from others; shorter ones are one change away from many things."""
_LEAST_REWRITTEN = 12
"""Nodes of two forms of one term."""
_LEAST_DEFINED = 6
"""Nodes of two terms, of which a definition gives one."""


def find_recent_slip(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, are_equal: Callable[[Tree, Tree], bool]
) -> Accusation | None:
    """Return the change by which a claim that fails would follow from the statements right before it; None
    where none does that.

    Args:
        are_equal: Whether two terms are equal whatever their variables are.
    """
    if link.is_denied_directly or link.is_one_of_alternatives or _gives_value(left, right):
        return None
    if "conj" in (*left.list_labels(), *right.list_labels()):  # an i beside it is no letter
        return None
    found = _find_rewritten_side(facts, link, left, right, are_equal)
    found = found or _find_consequence(facts, link, left, right, are_equal)
    return None if found and has_another_constant(facts, left, right, are_equal) else found


def _gives_value(left: Tree, right: Tree) -> bool:
    """Return whether a claim gives a letter, or a function at a place, a value: others have it elsewhere."""
    return any(
        not free_symbols(other)
        and (not side.children or (side.label == "call" and not any(map(free_symbols, side.children[1:]))))
        for side, other in ((left, right), (right, left))
    )


def _find_consequence(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, are_equal: Callable[[Tree, Tree], bool]
) -> Accusation | None:
    """Return the change by which a claim follows where the last statements hold, which two points show."""
    clause = last_clause(link.words_before.rstrip(" ,:"))
    is_drawn = link.connective == "so" or mentions("deducing", clause) or mentions("obtaining", clause)
    is_drawn = is_drawn or ends_with_phrase("rearranging", link.words_before)
    if not is_drawn and len(left) + len(right) < _LEAST_NODES:
        return None
    equations = _list_recent_equations(facts, link, left, right)
    known = find_places(equations, left, right) if equations else None
    if known is None:
        return None
    recent = [fact for _, _, fact in equations]
    says_of_both = link.index > 0 and not free_symbols(right)
    used: Sequence[Fact] = ()

    def follows(one: Tree, other: Tree) -> bool:
        nonlocal used
        one, other = (known.names.restore_parts(side) for side in (one, other))
        if are_exactly_equal(one, other):  # it holds without what was said
            return False
        reduced = facts.reduce_by_some(one, other, recent)
        if reduced is None or not reduced.used or any(_is_copy(fact, one, other) for fact in reduced.used):
            return False
        if any(_is_joined(link, fact, left) for fact in reduced.used):
            return False
        # A tangent line has the letters of the curve, whose slope says nothing of where the line is.
        if not _has_slope(left, right) and any(_has_slope(fact.left, fact.right) for fact in reduced.used):
            return False
        # a + b = b + c = 0 says that both are 0, and not what they are to each other.
        if says_of_both and all(fact.piece == link.piece_index for fact in reduced.used):
            return False
        used = reduced.used
        return reduced.same or are_equal(reduced.left, reduced.right)

    bare = any(not side.children for side in (left, right))
    slip = find_slip(
        *known.sides,
        known.points,
        follows,
        by_facts=True,
        others=known.unknowns,
        determined=bare,
        opposite=True,
    )
    instead = slip.instead if slip else find_slip_in_part(known, follows)
    # Words before a system lead to all of its rows.
    is_drawn = is_drawn and all(fact.piece != link.piece_index for fact in used)
    if not instead or not (is_drawn or not is_row_of_system(link, left, right, used)):
        return None
    return describe_change(f"it holds with {instead}", used, is_certain=False)


def _find_rewritten_side(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, are_equal: Callable[[Tree, Tree], bool]
) -> Accusation | None:
    """Return the change by which a side is what the last statements say of the other, in other words: by an
    equation of that side, or by the definitions of functions in it."""
    for one, other, used, is_quoted in _iterate_rewritten(facts, link, left, right):
        size = len(one) + len(other)
        if free_symbols(one) != free_symbols(other) or size > _LARGEST:
            continue

        def are_same(mine: Tree, theirs: Tree, is_quoted: bool = is_quoted) -> bool:
            # In another order it is not quoted, but written anew.
            copied = is_quoted and _list_operands(mine) == _list_operands(theirs)
            return not copied and are_equal(mine, theirs)

        if size < (_LEAST_REWRITTEN if is_quoted else _LEAST_DEFINED):
            continue
        if slip := find_identity_slip(one, other, are_same, alike=not is_quoted):
            # In one example a function is one, and an arrow leads on from what stands before it.
            of_function = not link.is_unannounced and all(
                fact.left.label == "call"
                and (fact.is_about_task_of(link.position) or _is_written_anew(facts, fact, link, left, right))
                for fact in used
            )
            from_last = link.connective == "so" and [fact.number for fact in used] == [facts.last_number]
            return describe_change(slip.reason, used, is_certain=of_function or from_last)
    return None


def _is_written_anew(facts: Facts, fact: Fact, link: ChainLink, left: Tree, right: Tree) -> bool:
    """Return whether a text draws another form of a function from what it said of it in the same scope: `So
    p(x) = (x - 1)(x - 2)`. Of three forms another may be the odd one."""
    here = fact.position.scope is link.position.scope and fact.left == left
    agreed = (other for other in facts.in_scope if other.left == left and other is not fact)
    drawn = read_last_cue(last_sentence(link.words_before)) == "claimed"
    return here and drawn and not any(are_exactly_equal(other.right, right) for other in agreed)


def _iterate_rewritten(
    facts: Facts, link: ChainLink, left: Tree, right: Tree
) -> Iterator[tuple[Tree, Tree, Sequence[Fact], bool]]:
    """Yield the sides of a claim with what the last statements say in the place of one, with the statements,
    and whether that is what one of them says of the whole side."""
    recent = [fact for fact in facts.in_scope[-_MOST_FACTS:] if _is_recent(fact, link)]
    for fact in reversed(recent):
        for side, other in ((left, right), (right, left)):
            # A letter is another curve a few lines further on.
            is_near = bool(side.children) or link.line - fact.line <= _LINES_OF_LETTER
            if is_near and free_symbols(side) and side in (fact.left, fact.right):
                yield fact.right if side == fact.left else fact.left, other, (fact,), True
    used: list[Fact] = []
    one, other = facts.apply_definitions(left, used), facts.apply_definitions(right, used)
    # Two functions that are said to be equal are so at some places.
    if used and (one == left or other == right) and all(_is_recent(fact, link) for fact in used):
        # … with their coefficients, where these were calculated
        one, other = (_insert_values(*pair, facts, link, used) for pair in ((one, other), (other, one)))
        is_quoted = {left, right} & {used[0].left, used[0].right} != set() and len({*used}) == 1
        yield one, other, tuple(dict.fromkeys(used)), is_quoted


def _insert_values(side: Tree, other: Tree, facts: Facts, link: ChainLink, used: list[Fact]) -> Tree:
    """Return a side of a claim with the values of the letters that the other has not.

    Args:
        used: Receives the statements that give them.
    """
    for _ in range(_MOST_FACTS):
        for name in sorted(free_symbols(side) - free_symbols(other)):
            said = [
                fact
                for fact in facts.in_scope
                if fact.left == Tree(name) and name not in free_symbols(fact.right) and _is_recent(fact, link)
            ]
            if not said or said[-1].alternative or len(said[-1].right) > _LARGEST:
                return side
            side = replace_variable(side, name, said[-1].right)
            used.append(said[-1])
    return side


def _is_recent(fact: Fact, link: ChainLink) -> bool:
    """Return whether a statement stands right before a link in its section, or in its example or exercise."""
    lines = link.line - fact.line
    if fact.is_about_task_of(link.position):
        return 0 <= lines <= FAR_LINES
    same_section = fact.position.scope.section is link.position.scope.section
    return same_section and 0 <= lines <= _RECENT_LINES


def _list_recent_equations(
    facts: Facts, link: ChainLink, left: Tree, right: Tree
) -> list[tuple[Tree, Tree, Fact]]:
    """Return what the last lines say of the letters of a claim, the last first."""
    free = free_symbols(left) | free_symbols(right)
    result = [
        (one, other, fact)
        for one, other, fact in facts.list_equations(left, right)
        if _is_recent(fact, link)
        and not free.isdisjoint(fact.variables)
        and "matrix" not in (*one.list_labels(), *other.list_labels())
    ]
    return sorted(result, key=lambda each: -each[2].number)[:_MOST_FACTS]


def _has_slope(*sides: Tree) -> bool:
    return any(node.label == "d" for side in sides for node in side)


def _is_joined(link: ChainLink, fact: Fact, left: Tree) -> bool:
    """Return whether the words `and` or `or` join a term for a letter to another that a fact gives it: two
    curves `y = 1/x` and `y = 1/x^2`."""
    joined = is_made_of("joining", link.words_before.rpartition("§")[2])
    beside = 0 < link.piece_index - fact.piece <= _NEXT_PIECE
    return joined and beside and not left.children and fact.left == left


def _is_copy(fact: Fact, left: Tree, right: Tree) -> bool:
    """Return whether an equation is a fact in the same words, and not its consequence: misquoted equations
    are compared elsewhere."""
    operands = sorted(_list_operands(left, right))
    return says_the_same(fact, left, right) and operands == sorted(_list_operands(fact.left, fact.right))


def _list_operands(*sides: Tree) -> list[str]:
    leaves = (node.label.lstrip("-") for side in sides for node in side if not node.children)
    return [label for label in leaves if label != "1"]
