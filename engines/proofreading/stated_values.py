"""Calculations with the values that a paragraph gives its variables: `Let a = 3. Then a^2 + 1 = 12`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import NamedTuple

from engines.core.tree import ZERO, Tree
from engines.documents.reading import TextPiece
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.mathematics.judging.shapes import choose_signs
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import (
    ends_with_phrase,
    has_last_word,
    is_made_of,
    last_clause,
    last_sentence,
    mentions,
    read_last_cue,
    words_of,
)
from engines.proofreading.facts import Facts
from engines.proofreading.known_points import find_positive_roots
from engines.proofreading.link_verdicts import Accusation, Evidence, EvidenceKind
from engines.proofreading.number_links import NumberLinks
from engines.proofreading.operation_values import OF_REAL
from engines.proofreading.other_meanings import take_degrees
from engines.proofreading.separate_equations import solves_another
from engines.proofreading.slips import iterate_changes, iterate_retyped
from engines.proofreading.stated_facts import Fact, cite_fact, describe_sources
from engines.proofreading.statement_roles import is_concluded
from engines.proofreading.term_properties import (
    DEGREES,
    evaluate_complex,
    evaluate_term,
    find_units,
    free_symbols,
    is_ambiguous,
    real_roots,
    remove_units,
    values_agree,
)

VECTOR_PRODUCT = "×("
"""How the operation between two vectors is named among the symbols of a term."""
_NEXT_PIECE = 2
"""Pieces of a text from one formula to the next, words between them."""
_BOTH = 2
"""Roots of a quadratic equation."""
_EXACT = frozenset(("sqrt", "root", "ln", "log", "exp", "pi", "e", "sin", "cos", "tan"))
"""What a value is written with that was not rounded."""
_MOST_VALUES = 8
"""So many variables are given their values, those that others are calculated from among them."""


class ValuedStatement(NamedTuple):
    """Both sides of a conclusion with the values that its paragraph gives all of its variables, also with
    angles in radians that it gives in degrees, and what an accusation by them rests on."""

    left: Tree
    right: Tree
    used: tuple[Fact, ...]
    in_radians: tuple[Tree, Tree] | None = None
    kind: EvidenceKind = "stated values"


def find_valued_statement(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, judge: Judge
) -> ValuedStatement | None:
    """Return a conclusion with values for its variables; None where one has no value or more than one."""
    free = (free_symbols(left) | free_symbols(right)) - {VECTOR_PRODUCT}
    # a = 4 behind a = 3 gives the variable another value
    calculated = any(side.children and free_symbols(side) for side in (left, right))
    bare = any(not side.children and free_symbols(side) for side in (left, right))
    if link.relation != "=" or not free or not calculated or bare:
        return None
    if (
        link.of_problem
        or link.is_denied_directly
        or link.is_one_of_alternatives
        or mentions("either", link.words_before)
    ):
        return None
    # "That occurs when § is 0" says where something holds, and not what holds at the value before.
    if has_last_word("conditional", link.words_before):
        return None
    # "The balance equations are" announces what is to be solved.
    if mentions("task", " ".join(words_of(link.words_before)[-2:])):
        return None
    values = _list_values(facts, link, free, judge)
    if values is None or not _is_drawn(link, values):
        return None
    # Every letter has a value in the paragraph: what is left are two numbers.
    one, other = (_multiply_vectors(_insert_values(side, values)) for side in (left, right))
    if free_symbols(one) | free_symbols(other) or _has_vectors(one) or _has_vectors(other):
        return None
    radians = {name: _take_radians(fact) for name, fact in values.items()}
    in_radians = _insert_values(left, radians), _insert_values(right, radians)
    return ValuedStatement(one, other, tuple(values[name] for name in sorted(values)), in_radians)


def describe_failed_calculation(
    statement: ValuedStatement, judge: Judge, numbers: NumberLinks
) -> Accusation | None:
    """Return what the sides of a calculation are, if they differ; None if they do not."""
    one, other, used, in_radians, kind = statement
    verdict = judge.equal(one, other)
    # What the values were rounded for leaves digits that are a little off.
    if verdict.outcome != "different" or numbers.are_about_equal(one, other):
        return None
    if numbers.are_rounded_in_parts(one, other) or _is_rounded_to_units(one, other):
        return None
    if is_zero_of_its_kind(judge, one, other):
        return None
    if in_radians is not None and in_radians != (one, other) and numbers.are_about_equal(*in_radians):
        return None
    # "r = 3 m" can have its unit behind the formula.
    lacks_unit = find_units(one) != find_units(other) or not all(find_units(fact.right) for fact in used)
    if lacks_unit and values_agree(remove_units(one), remove_units(other), {}):
        return None
    in_degrees = take_degrees(one), take_degrees(other)
    if in_degrees != (one, other) and values_agree(*in_degrees, {}) is not False:
        return None
    return Accusation(f"{verdict.witness}, {describe_sources(used)}", Evidence(kind, used))


def find_formula_value(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> ValuedStatement | None:
    """Return the value of a quantity by the formula that the text gives for it and the values of its letters,
    with the value that it is said to have: behind `c^2 = a^2 + b^2`, `a = 3` and `b = 4` the statement
    `c^2 = 25`; None where the text gives no formula, or not all of its letters have one value nearby.
    """
    if link.relation != "=" or link.of_problem or link.is_denied_directly or link.is_one_of_alternatives:
        return None
    _, value, behind = link.words_before.rpartition("§")
    follows_value = bool(value) and behind.strip() in (":", ",")
    given = read_last_cue(link.words_before) == "given" and not (link.index or link.connective)
    if free_symbols(right) or not free_symbols(left) or left.label == "call" or link.is_of_other_object:
        return None
    if given and not follows_value:
        return None
    near = [
        fact
        for fact in facts.in_scope
        if fact.position.scope is link.position.scope and 0 <= link.line - fact.line <= _NEAR_LINES
    ]
    # A letter is another quantity a few lines further on.
    if not left.children:
        near = [fact for fact in near if fact.position.paragraph == link.position.paragraph]
    formulas = [fact for fact in near if fact.left == left and not fact.alternative]
    if not formulas or not free_symbols(formulas[-1].right) or any(fact.right == right for fact in formulas):
        return None
    values: dict[str, Fact] = {}
    for name in sorted(free_symbols(formulas[-1].right)):
        said = {fact.right: fact for fact in near if fact.is_value and fact.left == Tree(name)}
        if len(said) != 1 or next(iter(said.values())).alternative:
            return None
        values[name] = next(iter(said.values()))
    formula = formulas[-1].right
    one = _insert_at_once(formula, {name: fact.right for name, fact in values.items()})
    radians = {name: _take_radians(fact).right for name, fact in values.items()}
    in_radians = _insert_at_once(formula, radians), right
    return ValuedStatement(one, right, (formulas[-1], *values.values()), in_radians)


_NEAR_LINES = 8


def _insert_at_once(side: Tree, values: Mapping[str, Tree]) -> Tree:
    """Return a term with values for its variables, in which a unit can have the letter of a variable."""
    for name in values:
        side = replace_variable(side, name, Tree(f"_{name}"))
    for name, value in values.items():
        side = replace_variable(side, f"_{name}", value)
    return side


def is_zero_of_its_kind(judge: Judge, term: Tree, number: Tree) -> bool:
    """Return whether a term is said to be 0 and is the matrix or vector 0."""
    return number == ZERO and judge.equal(term, Tree("*", (Tree("2"), term))).outcome == "equal"


def _is_rounded_to_units(value: Tree, written: Tree) -> bool:
    """Return whether a calculation with whole numbers is what a value of roots or angles is, rounded: of
    `h = 150 tan 32°`, which is 93.7, `h + 6 = 94 + 6`."""
    is_whole = all(node.label in ("+", "-") if node.children else node.label.isdecimal() for node in written)
    exact, shown = evaluate_term(value, {}), evaluate_term(written, {})
    if not is_whole or exact is None or shown is None or OF_REAL.keys().isdisjoint(value.list_labels()):
        return False
    return shown >= _SEVERAL_UNITS and abs(exact - shown) < _HALF_UNIT


_SEVERAL_UNITS, _HALF_UNIT = 10, 0.5


def _take_radians(fact: Fact) -> Fact:
    """Return a value in radians that a fact gives with a sign of degrees, others as they are."""
    if DEGREES.search(fact.text) is None:
        return fact
    return replace(fact, right=Tree("/", (Tree("*", (fact.right, Tree("pi"))), Tree("180"))))


def _multiply_vectors(tree: Tree) -> Tree:
    """Return a term in which vector products of vectors with known entries are products."""
    parts = tuple(map(_multiply_vectors, tree.children))
    is_product = tree.label == "call" and parts[0].label == VECTOR_PRODUCT.removesuffix("(")
    if is_product and all(part.label in ("tuple", "matrix") for part in parts[1:]):
        return Tree("*", parts[1:])
    return Tree(tree.label, parts)


def describe_failed_step(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return where a step from the equation right before it fails, if it holds at none of the roots of that
    equation: behind `3x + 2 = 11` the conclusion `3x = 13`; None if it holds at one, or they are not known.
    """
    names = free_symbols(left) | free_symbols(right)
    clause = last_clause(link.words_before.rstrip(" ,"))
    drawn = is_concluded(link) or mentions("obtaining", clause)
    drawn = drawn or ends_with_phrase("restating", link.words_before)
    drawn = drawn or mentions("rearranging", last_sentence(link.words_before))
    if link.relation != "=" or len(names) != 1 or not drawn:
        return None
    # "Differentiating § gives" is a step of another kind, and "the derivative is § , and § gives" is none.
    before, _, behind = link.words_before.rpartition("§")
    if mentions("differentiating", f"{last_clause(before)} {behind}"):
        return None
    if any(not side.children and free_symbols(side) for side in (left, right)):
        return None  # a root, of which the equation may have others
    if (
        link.of_problem
        or link.is_denied_directly
        or link.is_one_of_alternatives
        or mentions("either", link.words_before)
    ):
        return None
    (name,) = names
    if name.endswith("("):
        return None  # a function of which nothing is known has no roots
    known = facts.equation_for(name)
    if known is None or known.number != facts.last_number or known.alternative:
        return None
    if known.position.scope is not link.position.scope or link.piece_index - known.piece > _NEXT_PIECE:
        return None
    # A step from an equation holds at one of its roots at least.
    roots = real_roots(known.left, known.right, name, {})
    if not roots:
        return _describe_strange_roots(known, name, left, right)
    if any(values_agree(left, right, {name: root}) is not False for root in roots):
        return None
    places = " and ".join(f"{name} = {root:.6g}" for root in roots)
    reason = f"it does not hold at {places}, {describe_sources([known])}"
    return Accusation(reason, Evidence("last equation", (known,)))


def _describe_strange_roots(known: Fact, name: str, left: Tree, right: Tree) -> Accusation | None:
    """Return which roots of a step solve the equation before it at none, whose roots are not known: of
    `r^3 = 16`; None where one does."""
    value = evaluate_term(right, {}) if not free_symbols(right) else None
    is_power = left.label == "pow" and left.children[0] == Tree(name) and left.children[1].label.isdecimal()
    if is_power and value is not None and value > 0:
        exponent = int(left.children[1].label)
        root = value ** (1 / exponent) if exponent else 1.0
        roots = [root] if exponent % 2 else [root, -root]
    else:
        roots = real_roots(left, right, name, {})
    if not roots or any(values_agree(known.left, known.right, {name: root}) is not False for root in roots):
        return None
    places = " and ".join(f"{name} = {root:.6g}" for root in roots)
    reason = f"it holds at {places}, and {cite_fact(known)} does not"
    return Accusation(reason, Evidence("last equation", (known,)))


def find_failed_root(
    facts: Facts, pieces: Sequence[TextPiece], link: ChainLink, left: Tree, right: Tree
) -> Accusation | None:
    """Return the change by which a value solves the equation from which it is drawn, which it does not solve
    as it stands; None where it does, or no change does that."""
    if left.children or not free_symbols(left) or free_symbols(right):
        return None
    known = facts.equation_for(left.label)
    if known is None or known.number != facts.last_number or link.piece_index - known.piece > _NEXT_PIECE:
        return None
    answers = _is_answer(link, known)
    beside = known.position.paragraph == link.position.paragraph and _is_value_drawn(link, right)
    beside = beside and not known.alternative
    if not (answers or beside) or link.of_problem or link.is_denied_directly:
        return None
    if has_last_word("examined", link.words_before):
        return None  # "for x = 3 the left side is negative"
    if any(map(is_ambiguous, (known.left, known.right))) or not _differ_there(known, left.label, right):
        return None
    if solves_another(facts, pieces, link, known, left.label, right):
        return None
    changes = chain(iterate_changes(right), [((), Tree("*", (Tree("-1"), right)), "the opposite")])
    for path, part, instead in changes:
        if _solves(known, left.label, right.replace_subtree(path, part)):
            reason = f"it holds with {instead}, {describe_sources([known])}"
            is_drawn = is_concluded(link) or mentions(
                "obtaining", last_clause(link.words_before.rstrip(" ,"))
            )
            # Nobody gives both roots of another equation.
            is_certain = answers or is_drawn or "pm" in right.list_labels()
            return Accusation(reason, Evidence("last equation", (known,), is_certain))
    return None


def _is_answer(link: ChainLink, known: Fact) -> bool:
    """Return whether a solution begins with a value, and the equation is the exercise that it belongs to."""
    here, task = link.position.scope, known.position.scope
    begun = link.piece_index - known.piece == _NEXT_PIECE and here is not task
    return link.relation == "=" and begun and here.kind == "solution" and task.reaches(here)


def find_failed_approximation(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, numbers: NumberLinks
) -> Accusation | None:
    """Return the digit by which a rounded value of a function is what the text says of the function, which it
    is not as it stands; None where it is, or no digit does that."""
    if left.label != "call" or free_symbols(right) or any(map(free_symbols, left.children[1:])):
        return None
    known = facts.functions.get(left.children[0].label)
    if known is None or not known.is_certain_at(link.position) or link.is_one_of_alternatives:
        return None
    if not facts.is_settled(free_symbols(known.body) - {*known.arguments}):
        return None

    def is_value(call: Tree, value: Tree) -> bool | None:
        """Return whether a function has about a value at a number; None where that is not known."""
        reduced = facts.reduce_by_facts(call, value)
        if reduced is None or not reduced.used or free_symbols(reduced.left) | free_symbols(reduced.right):
            return None
        return numbers.are_about_equal(reduced.left, reduced.right, link.relation)

    if is_value(left, right) is not False:
        return None
    arguments = (((at,), part) for at, part in enumerate(left.children) if at and not part.children)
    for path, part in (*arguments, ((), right)):
        for new in iterate_retyped(part.label) if not part.children else ():
            changed = Tree(new)
            if is_value(left.replace_subtree(path, changed) if path else left, right if path else changed):
                reason = f"it holds with {new} for {part.label}, by {cite_fact(known.fact)}"
                return Accusation(reason, Evidence("definition", (known.fact,)))
    return None


def find_lost_root(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> Accusation | None:
    """Return the change by which an equation holds at both roots of the one that it is drawn from, in the row
    or words before it, and at one of which it fails; None where no change does that."""
    names = free_symbols(left) | free_symbols(right)
    drawn = link.connective in ("so", "row") or is_concluded(link)
    if len(names) != 1 or not drawn or link.of_problem or link.is_denied_directly:
        return None
    if any(not side.children and free_symbols(side) for side in (left, right)):
        return None
    (name,) = names
    known = facts.equation_for(name)
    if known is None or known.number != facts.last_number or known.alternative:
        return None
    roots = real_roots(known.left, known.right, name, {})
    if len(roots) < _BOTH or link.piece_index - known.piece > _NEXT_PIECE:
        return None

    if all(values_agree(left, right, {name: root}) is not False for root in roots):
        return None
    for sides in ((left, right), (right, left)):
        for path, part, instead in iterate_changes(sides[0]):
            changed = sides[0].replace_subtree(path, part)
            if name not in free_symbols(changed) | free_symbols(sides[1]) or instead.endswith(" 0"):
                continue
            if not all(values_agree(changed, sides[1], {name: root}) for root in roots):
                continue
            reduced = facts.reduce_by_some(changed, sides[1], [known])
            if reduced is not None and reduced.same:
                reason = f"it holds with {instead}, {describe_sources([known])}"
                return Accusation(reason, Evidence("last equation", (known,)))
    return None


def holds_at_roots_before(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> bool:
    """Return whether an equation in one unknown that fails in general is drawn from the equation right before
    it, and holds at its roots: it is solved, and is no identity with a slip."""
    names = free_symbols(left) | free_symbols(right)
    drawn = link.relation == "=" and not link.index and link.connective in ("so", "row")
    if len(names) != 1 or not (drawn or is_concluded(link)):
        return False
    (name,) = names
    known = facts.equation_for(name)
    if known is None or known.number != facts.last_number:
        return False
    roots = find_positive_roots(known.left, known.right, name)
    return bool(roots) and all(values_agree(left, right, {name: root}) for root in roots)


def _is_value_drawn(link: ChainLink, value: Tree) -> bool:
    """Return whether a value is said to solve the equation before it: by words, an arrow or a row that lead
    to it, by a sign ±, or as the place where that holds, "§ when § ", which no comma parts from it."""
    # -ln(2)/7 is no rounded number, whatever is said to be "about" something behind it.
    is_rounded = link.is_rounded and _EXACT.isdisjoint(value.list_labels())
    if link.of_problem or link.is_denied_directly or is_rounded or link.relation != "=":
        return False
    if "pm" in value.list_labels():
        return True
    _, formula, last = link.words_before.rpartition("§")
    leading = link.connective or (last if formula else "")
    where = is_made_of("examined", leading) and bool(words_of(leading))
    clause = last_clause(link.words_before.rstrip(" ,"))
    is_next = link.connective == "row" or (formula and not link.connective and last.strip() in ("", ":"))
    return where or is_concluded(link) or bool(is_next) or mentions("obtaining", clause)


def _differ_there(known: Fact, name: str, value: Tree) -> bool:
    if "i" in value.list_labels():
        gaps = _list_complex_gaps(known, name, value)
        return bool(gaps) and all(gap > _SEEN_GAP for gap in gaps)
    return all(
        values_agree(known.left, known.right, {name: each}) is False for each in _list_signed_values(value)
    )


def _solves(known: Fact, name: str, value: Tree) -> bool:
    if "i" in value.list_labels():
        gaps = _list_complex_gaps(known, name, value)
        return bool(gaps) and all(gap < _NO_GAP for gap in gaps)
    values = _list_signed_values(value)
    return bool(values) and all(values_agree(known.left, known.right, {name: each}) for each in values)


_SEEN_GAP, _NO_GAP = 1e-3, 1e-9


def _list_complex_gaps(known: Fact, name: str, value: Tree) -> list[float]:
    """Return by how much the sides of an equation differ at the imaginary values of a term with ±."""
    gaps = []
    for signed in dict.fromkeys(choose_signs(value, repeat(sign)) for sign in "+-"):
        place = evaluate_complex(signed, {})
        sides = [evaluate_complex(side, {name: place or 0}) for side in (known.left, known.right)]
        if place is None or sides[0] is None or sides[1] is None:
            return []
        gaps.append(abs(sides[0] - sides[1]))
    return gaps


def _list_signed_values(value: Tree) -> list[float]:
    """Return the values of a term, two of them where it has ±."""
    signed = dict.fromkeys(choose_signs(value, repeat(sign)) for sign in "+-")
    return [one for each in signed if (one := evaluate_term(each, {})) is not None]


def _list_values(
    facts: Facts, link: ChainLink, names: frozenset[str], judge: Judge
) -> Mapping[str, Fact] | None:
    """Return the only value of each variable in the paragraph, or the equation that gives it by others with a
    value; None where one has none, or several."""
    values: dict[str, Fact] = {}
    pending = sorted(names)
    while pending:
        name = pending.pop()
        about = [fact for fact in facts.facts_about(frozenset((name,))) if name in fact.variables]
        here = [fact for fact in about if fact.position.paragraph == link.position.paragraph]
        named = [fact for fact in here if fact.left == Tree(name)]
        given = [fact for fact in named if fact.is_value] or named
        if not given or any(fact.right != given[0].right for fact in given):
            return None
        begun = link.piece_index - 2 * link.words_before.count("§")
        if any(fact.alternative or (fact.is_supposed and fact.piece < begun) for fact in given):
            return None
        values[name] = given[0]
        # The value may be an expression of other letters, which have values in turn.
        pending += sorted(free_symbols(given[0].right) - values.keys() - {*pending})
        if len(values) > _MOST_VALUES:
            return None
    # What else is said of a variable alone has to hold for its value, which may be one of several roots.
    for fact in facts.facts_about(frozenset(values)):
        near = fact.position.paragraph == link.position.paragraph
        if near and not fact.is_value and len(fact.variables) == 1 and fact.variables <= values.keys():
            left, right = _insert_values(fact.left, values), _insert_values(fact.right, values)
            if judge.equal(left, right).outcome != "equal":
                return None
    return values


def _is_drawn(link: ChainLink, values: Mapping[str, Fact]) -> bool:
    """Return whether words behind the values say that a conclusion is drawn: behind `x = 0, y = 0 and` a line
    is named."""
    sentence = link.words_before.split("§")
    behind = (link.piece_index - max(fact.piece for fact in values.values())) // 2
    words = " ".join(sentence[-behind:] if behind else sentence[-1:])
    return link.index > 0 or is_concluded(link) or read_last_cue(words) == "claimed"


def _has_vectors(side: Tree) -> bool:
    """Return whether a pair has vectors: `(x, y)` is their inner product then."""
    shapes = ("tuple", "matrix")
    return any(node.label == "tuple" and any(part.label in shapes for part in node.children) for node in side)


def _insert_values(side: Tree, values: Mapping[str, Fact]) -> Tree:
    """Return a term with values for its variables, those of the values among them."""
    for _ in values:
        for name in free_symbols(side) & values.keys():
            side = replace_variable(side, name, values[name].right)
        if free_symbols(side).isdisjoint(values):
            break
    return side


def is_product_with_zero(facts: Facts, left: Tree, right: Tree) -> bool:
    """Return whether a letter that is defined without an argument stands before (0), and the result is 0:
    behind C = e^c, C(0) is a product."""
    known = facts.functions.get(left.children[0].label) if left.label == "call" else None
    bare = known is not None and not known.fact.left.children
    return bare and left.children[1:] == (ZERO,) and right == ZERO
