"""Formulas that are solved for one of their letters: `F = m a`, so `a = F/m`."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, repeat

from engines.core.tree import ZERO, Tree
from engines.mathematics.algebra.rational import number_tree
from engines.mathematics.judging.names import replace_variable
from engines.mathematics.judging.shapes import choose_signs
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_clause, mentions
from engines.proofreading.link_context import LARGEST, LinkContext
from engines.proofreading.link_verdicts import Evidence, LinkVerdict
from engines.proofreading.scopes import NUMBERS
from engines.proofreading.stated_facts import Fact, cite_fact
from engines.proofreading.statement_roles import is_concluded, is_supposed
from engines.proofreading.term_properties import differ_everywhere, evaluate_term, free_symbols, is_ambiguous

_NEXT_FORMULAS = 4
"""Pieces of a text from one formula to the next but one, words between them."""
_UNREADABLE = frozenset(
    ("call", "d", "antiderivative", "unit", "text", "matrix", "tuple", "set", "list", "inf")
)
_OF_LINEAR = frozenset(("+", "-", "*", "/"))
_MOST_SOURCES = 8
"""Of the equations before a link, so many of the last are looked at."""
_LARGEST_DENOMINATOR = 60
_CLOSE = 1e-9
_INVERSE = frozenset(("ln", "log", "e", "exp"))


def judge_solved_formula(
    context: LinkContext, link: ChainLink, name: Tree, value: Tree
) -> LinkVerdict | None:
    """Return the verdict on a letter that is said to be a term in other letters, by the formula right before
    it that has the same letters; None where there is none, or it may be about something else."""
    known = _find_formula(context, link, name.label, value)
    if known is None or len(known.left) + len(known.right) + len(value) >= LARGEST:
        return None
    chosen = {choose_signs(value, repeat(sign)) for sign in "+-"}
    tried = [
        [replace_variable(side, name.label, each) for side in (known.left, known.right)] for each in chosen
    ]
    verdicts = [context.judge.equal(left, right) for left, right in tried]
    if all(each.outcome == "equal" or (each.outcome == "equal if" and not each.witness) for each in verdicts):
        return LinkVerdict(link, "follows", f"it solves {cite_fact(known)}")
    clause = last_clause(link.words_before)
    claimed = is_concluded(link) or mentions("obtaining", clause)
    if not claimed or is_supposed(link) or mentions("exchanging", clause) or context.cases:
        return None
    if link.has_denial_nearby or link.is_rounded or link.is_one_of_alternatives:
        return None
    # Behind an arrow the only solution is claimed; else letters may be those of a case, as x = y.
    is_step = link.connective == "so" and known.piece == link.piece_index
    only = is_step and all(each.outcome == "different" for each in verdicts)
    only = only and free_symbols(known.left) | free_symbols(known.right) == free_symbols(value) | {name.label}
    reduced = context.facts.reduce_by_facts(name, value)
    only = only and _is_linear(context, known, name.label) and not (reduced and reduced.same)
    if not only and not all(differ_everywhere(left, right) for left, right in tried):
        return None
    witness = next((each.witness for each in verdicts if each.witness), "")
    reason = f"it does not solve {cite_fact(known)}" + (f": {witness}" if witness else "")
    if (near := context.find_near_consequence(link)) is not None:
        reason = near.reason
    return LinkVerdict(link, "wrong", reason, evidence=Evidence("last equation", (known,)))


def _find_formula(context: LinkContext, link: ChainLink, name: str, value: Tree) -> Fact | None:
    """Return the last equation before a link if it has a letter among others inside a side, and no letters
    besides those of the value."""
    if link.index or link.relation != "=" or link.of_problem or link.position.domain != NUMBERS:
        return None
    if not value.children:  # u = w = 0 says that both are 0
        return None
    letters = free_symbols(value)
    formulas = (fact for fact in reversed(context.facts.in_scope) if not fact.is_value)
    known = next(formulas, None)
    if known is None or not known.is_certain or link.piece_index - known.piece > _NEXT_FORMULAS:
        return None
    sides = known.left, known.right
    if any(side == Tree(name) for side in sides) or name in letters:
        return None
    others = (free_symbols(known.left) | free_symbols(known.right)) - letters
    if name not in others or not letters <= free_symbols(known.left) | free_symbols(known.right):
        return None
    if not all(_cancels(context, known, other) for other in others - {name}):
        return None
    labels = {*known.left.list_labels(), *known.right.list_labels()}
    if labels & _UNREADABLE or any(map(is_ambiguous, sides)):
        return None
    # ln y = x + C gives y = C e^x with another constant C.
    has_constant = any(letter[0] in "CcAK" for letter in letters)
    return None if has_constant and labels & _INVERSE else known


def _is_linear(context: LinkContext, known: Fact, name: str) -> bool:
    """Return whether a formula has one letter in the first power alone, so that one value solves it."""
    gap = Tree("-", (known.left, known.right))
    at = [replace_variable(gap, name, Tree(number)) for number in "012"]
    ends, middle = Tree("+", (at[0], at[2])), Tree("*", (Tree("2"), at[1]))
    return context.judge.equal(ends, middle).outcome == "equal"


def _cancels(context: LinkContext, known: Fact, letter: str) -> bool:
    """Return whether a letter is a factor of both sides of a formula alike, as the mass in `mv^2/2 = mgh`."""
    tripled = Tree("*", (Tree("3"), Tree(letter)))
    sides = [replace_variable(side, letter, tripled) for side in (known.left, known.right)]
    if ZERO in (known.left, known.right):  # a factor of the other side alone
        at = 1 if known.left == ZERO else 0
        whole = (known.left, known.right)[at]
        return context.judge.equal(sides[at], Tree("*", (Tree("3"), whole))).outcome == "equal"
    products = Tree("*", (known.left, sides[1])), Tree("*", (known.right, sides[0]))
    return context.judge.equal(*products).outcome == "equal"


def find_linear_source(context: LinkContext, left: Tree, right: Tree) -> Fact | None:
    """Return the equation before a link that makes its sides equal when it is solved for a letter in which it
    is linear: of angles with α + β + γ = π."""
    free = free_symbols(left) | free_symbols(right)
    equations = (fact for fact in reversed(context.facts.facts_about(free)) if not fact.is_value)
    for fact in islice(equations, _MOST_SOURCES):
        operations = {node.label for side in (fact.left, fact.right) for node in side if node.children}
        if fact.alternative or not operations <= _OF_LINEAR:
            continue
        for name in sorted(fact.variables & free):
            if (value := _solve_linear(fact, name)) is None:
                continue
            one, other = (replace_variable(side, name, value) for side in (left, right))
            if context.judge.equal(one, other).outcome == "equal":
                return fact
    return None


def find_rewritten_source(context: LinkContext, left: Tree, right: Tree) -> Fact | None:
    """Return the last equation before a link if that has one of its sides, and the other in another form."""
    fact = next(reversed(context.facts.in_scope), None)
    if fact is None or fact.is_value or not (left.children and fact.left.children):
        return None
    pairs = (fact.left, left, fact.right, right), (fact.right, right, fact.left, left)
    for one, now, same, other in pairs:
        if same == other and one != now and context.judge.equal(one, now).outcome == "equal":
            return fact
    return None


def _solve_linear(fact: Fact, name: str) -> Tree | None:
    """Return what a letter is by an equation in which it has a number as its factor."""
    gap = Tree("-", (fact.left, fact.right))
    rest = replace_variable(gap, name, ZERO)
    others = dict.fromkeys(free_symbols(gap), 1.25)
    values = [evaluate_term(gap, {**others, name: at}) for at in (0.0, 1.0, 2.0)]
    if values[0] is None or values[1] is None or values[2] is None:
        return None
    steps = values[1] - values[0], values[2] - values[1]
    factor = Fraction(steps[0]).limit_denominator(_LARGEST_DENOMINATOR)
    if not factor or any(abs(step - float(factor)) > _CLOSE for step in steps):
        return None
    return Tree("/", (Tree("*", (Tree("-1"), rest)), number_tree(factor)))
