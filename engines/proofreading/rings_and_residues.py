"""Links of texts about something else than ordinary numbers: residues, rings, bits, digits, matrices."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import reduce
from itertools import combinations

from engines.core.tree import ZERO, Tree
from engines.formula.meaning import Reading
from engines.formula.unit_table import UNIT_WORDS
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import free_variables, replace_variable
from engines.mathematics.judging.propositions import CONNECTIVES, is_proposition
from engines.proofreading.chains import ChainLink
from engines.proofreading.congruence_slips import find_congruence_slip
from engines.proofreading.cue_phrases import last_clause, read_last_cue, words_of
from engines.proofreading.domain_words import find_domains
from engines.proofreading.group_words import IDENTITY, find_inverse_slip
from engines.proofreading.link_verdicts import LinkOutcome, LinkVerdict
from engines.proofreading.residue_rings import (
    RingsMeant,
    are_equal_incidences,
    find_difference,
    find_least_modulus,
    list_coefficients,
)
from engines.proofreading.scopes import ALGEBRA, NUMBERS
from engines.proofreading.term_properties import (
    DECIMAL,
    LOG,
    WHOLE,
    are_equal_modulo,
    are_exactly_equal,
    differ_everywhere,
    evaluate_term,
    find_residue,
    free_symbols,
    is_in_some_base,
)

_OF_NUMBERS = frozenset(
    [
        "sin",
        "cos",
        "tan",
        "cot",
        "sec",
        "csc",
        "ln",
        "log",
        "asin",
        "acos",
        "atan",
        "pi",
        "integral",
        "antiderivative",
        "d",
        "limit",
        "mod",
        "floor",
        "ceil",
        "abs",
    ]
)
"""Operations of ordinary numbers, whatever else a text is about."""
_BASE = re.compile(r"\d_\{?\d")


_LETTER = Tree("p")
_CERTAIN = Tree("or", (_LETTER, Tree("not", (_LETTER,))))
_TRUTH_VALUES = {"true": _CERTAIN, "false": Tree("not", (_CERTAIN,))}
"""What is always true or false, whatever a letter is."""


def _judge_equivalence(link: ChainLink, left: Tree, right: Tree, judge: Judge) -> LinkVerdict:
    """Judge whether two statements made of letters are equivalent, `p \\to q \\equiv \\neg p \\lor q`."""
    for name, value in _TRUTH_VALUES.items():
        left, right = replace_variable(left, name, value), replace_variable(right, name, value)
    verdict = judge.holds(Tree("iff", (left, right)))
    if verdict.outcome == "equal":
        return LinkVerdict(link, "right", verdict.reason)
    if verdict.outcome != "different" or not (is_proposition(left) and is_proposition(right)):
        return LinkVerdict(link, "not shown", verdict.reason or verdict.condition)
    # T and F, t and c can stand for what is always true or false.
    free = free_variables(left, right)
    supposed = link.of_problem or link.is_denied_directly or read_last_cue(link.words_before) == "given"
    # A letter alone is given a form, as in `ψ ≡ α ∧ β`.
    supposed = supposed or (not (left.children or link.index) and left.label not in free_variables(right))
    if supposed or not free or not free.isdisjoint("TFtfc"):
        return LinkVerdict(link, "not shown", verdict.witness)
    return LinkVerdict(link, "wrong", verdict.witness)


def judge_congruence(
    link: ChainLink, left: Tree, right: Tree, modulus: Reading | None, judge: Judge
) -> LinkVerdict:
    """Judge a congruence. Args: modulus: None where the text names none."""
    if {left.label, right.label} & {*CONNECTIVES}:
        return _judge_equivalence(link, left, right, judge)
    if modulus is None:
        judged = judge.equal(left, right)
        if judged.outcome == "equal":
            return LinkVerdict(link, "right")
        return LinkVerdict(link, "unread", "the modulus of the congruence is not named beside it")
    if modulus.tree is None:
        return LinkVerdict(link, "unread", modulus.reason)
    free = free_symbols(left) | free_symbols(right) | free_symbols(modulus.tree)
    supposed = link.of_problem or read_last_cue(link.words_before) == "given" or link.has_denial_nearby
    supposed = supposed or link.left.startswith("+") or "{-" in link.left
    if free and (supposed or not left.children):
        return LinkVerdict(link, "right" if are_exactly_equal(left, right) else "given")
    if not free and WHOLE.match(modulus.tree.label) and int(modulus.tree.label) > 1:
        sides = [find_residue(side, int(modulus.tree.label)) for side in (left, right)]
        if None not in sides and (sides[0] == sides[1] or not (link.of_problem or link.is_denied_directly)):
            verdict: LinkOutcome = "right" if sides[0] == sides[1] else "wrong"
            return LinkVerdict(link, verdict, f"they leave {sides[0]} and {sides[1]}")
    is_numbered = bool(free) and not supposed and WHOLE.match(modulus.tree.label) is not None
    if is_numbered and (slip := find_congruence_slip(left, right, int(modulus.tree.label), judge)):
        return LinkVerdict(link, "wrong", f"it holds with {slip}")
    if free and differ_everywhere(Tree("mod", (Tree("-", (left, right)), modulus.tree)), ZERO):
        return LinkVerdict(link, "given" if supposed else "not shown", "it depends on its variables")
    judged = judge.holds(Tree("congruent", (left, right, modulus.tree)))
    if judged.outcome == "equal":
        return LinkVerdict(link, "right")
    return LinkVerdict(link, "not shown" if not supposed else "given", judged.reason)


_OF_NUMBERS_IN = {
    "sets": frozenset(("sqrt", "/", "exp")),
    "logic and bits": frozenset(("sqrt", "exp", "e", "tanh", "sinh", "cosh")),
}
"""Operations that are those of ordinary numbers in a text about something else."""
_BITWISE: Mapping[str, tuple[Callable[[int, int], int], ...]] = {
    "+": (operator.add, operator.or_, operator.xor),
    "*": (operator.mul, operator.and_),
    "-": (operator.sub, operator.xor),
    "pow": (operator.pow, operator.xor),
}
"""What signs mean in a text about bits."""
_LARGEST_EXPONENT = 64


def _differ_by_bits(left: Tree, right: Tree) -> bool:
    """Return whether two terms of whole numbers differ whatever their signs mean in a text about bits."""
    if not left.children and not right.children:
        return False
    values = [_list_values(side) for side in (left, right)]
    return bool(values[0] and values[1]) and values[0].isdisjoint(values[1])


def _list_values(tree: Tree) -> set[int]:
    """Return what a term of whole numbers can be worth; an empty set where that is not known."""
    if not tree.children:
        long_zeros = tree.label.startswith("0") and len(tree.label) > 1
        return {int(tree.label)} if WHOLE.match(tree.label) and not long_zeros else set()
    if tree.label not in _BITWISE or len(tree.children) != 2:
        return set()
    # 1^n and 0^n are strings of bits.
    if tree.label == "pow" and tree.children[0].label in ("0", "1"):
        return set()
    sides = [_list_values(part) for part in tree.children]
    return {
        operation(one, other)
        for operation in _BITWISE[tree.label]
        for one in sides[0]
        for other in sides[1]
        if tree.label != "pow" or 0 <= other <= _LARGEST_EXPONENT
    }


def _read_discrete_logarithm(left: Tree, right: Tree) -> tuple[int, int, int] | None:
    """Return the base, the number and the exponent of a logarithm that is said to be whole; None for another
    link."""
    for one, other in ((left, right), (right, left)):
        labels = [part.label for part in (*one.children, other)]
        if one.label == "log" and len(labels) == _OF_LOGARITHM and all(map(WHOLE.match, labels)):
            base, number, exponent = map(int, labels)
            if exponent >= 0:
                return base, number, exponent
    return None


_OF_LOGARITHM = 3


def _has_plain_logarithm(link: ChainLink, left: Tree, right: Tree) -> bool:
    """Return whether a link of whole numbers has a logarithm that is written without a base: a decimal number
    is the value of an ordinary one."""
    leaves = [node.label for side in (left, right) for node in side if not node.children]
    return LOG.search(link.left + link.right) is not None and all(map(WHOLE.match, leaves))


def _is_order(side: Tree) -> bool:
    """Return whether a side is |a|, which is the order of an element of a group."""
    return side.label == "abs" and (not side.children[0].children or not free_symbols(side))


def accuse_word(judged: LinkVerdict, left: Tree, right: Tree) -> LinkVerdict:
    """Call an equation of words of a group wrong that one inverse keeps from holding in every group."""
    link = judged.link
    settled = judged.outcome in ("right", "right if", "follows", "unread")
    if settled or link.relation not in ("=", "congruent") or link.of_problem or link.is_denied_directly:
        return judged
    slip = find_inverse_slip(left, right)
    return LinkVerdict(link, "wrong", f"{_IN_GROUPS} with {slip}") if slip else judged


def is_slip_of_word(judged: LinkVerdict) -> bool:
    """Return whether a link is wrong because of an inverse in a word of a group."""
    return judged.reason.startswith(_IN_GROUPS)


_IN_GROUPS = "of elements of a group it holds"


def is_word_of_group(tree: Tree) -> bool:
    """Return whether a term can be an element of a group: a product of powers of letters, or e.

    >>> from engines.formula.reader import read
    >>> [is_word_of_group(read(text).tree) for text in ("aba^{-1}", "e", "2a", "a + b")]
    [True, True, False, False]
    """
    if tree.label == "pow":
        return (
            is_word_of_group(tree.children[0]) and WHOLE.match(tree.children[1].label.lstrip("-")) is not None
        )
    if tree.label == "*":
        return all(map(is_word_of_group, tree.children))
    return not tree.children and (tree == IDENTITY or bool(free_symbols(tree)))


def judge_in_domain(
    judged: LinkVerdict,
    left: Tree,
    right: Tree,
    rings: RingsMeant,
    matrices: frozenset[str],
) -> LinkVerdict:
    """Judge a link anew that is wrong of ordinary numbers, where the text is about something else.

    Args:
        rings: what the text says of rings of residues around it.
        matrices: the letters that stand for matrices.
    """
    link = judged.link
    domain = link.position.domain
    free = free_symbols(left) | free_symbols(right)
    modulus, moduli = rings.modulus, rings.nearby
    least = find_least_modulus(left, right)
    is_reduced = modulus is not None and modulus >= least and link.relation == "="
    if modulus is not None and is_reduced and are_equal_modulo(left, right, modulus):
        return replace(judged, outcome="right", reason=f"modulo {modulus}")
    if rings.has_discrete_logarithms and _has_plain_logarithm(link, left, right):
        return replace(judged, outcome="not shown", reason="log is a discrete logarithm here")
    if domain == NUMBERS or (link.relation == "congruent" and link.modulus):
        return judged
    labels = {*left.list_labels(), *right.list_labels()}
    of_elements = domain == ALGEBRA or link.position.scope.section.is_algebra
    if of_elements and any(map(_is_order, (left, right))):
        return replace(judged, outcome="not shown", reason="it can be the order of an element")
    if labels & _OF_NUMBERS_IN.get(domain, frozenset()):
        return judged
    # Bits and their operations are no powers, and no products of large numbers.
    if domain == "logic and bits" and not free and _differ_by_bits(left, right):
        return judged
    # Residues of functions, in a text that names no modulus.
    if domain == "residues" and not moduli and "i" in labels:
        return judged
    # Powers of i are what they are in every ring that has it.
    if domain == ALGEBRA and not free and "i" in labels and judged.outcome == "wrong":
        return judged
    logarithm = _read_discrete_logarithm(left, right)
    if logarithm is not None and domain in ("residues", ALGEBRA):
        base, number, exponent = logarithm
        # In a group that is written as a sum the exponent is a factor.
        powers = [(n, {pow(base, exponent, n), base * exponent % n}) for n in moduli]
        if domain == "residues" and moduli and not any(number % n in fitting for n, fitting in powers):
            return judged
        return replace(judged, outcome="not shown", reason="a logarithm can be one modulo a number")
    if link.relation == "=" and _hold_if_anticommuting(left, right):
        return replace(judged, outcome="right if", reason="its letters anticommute")
    if (
        link.relation == "="
        and domain in ("residues", ALGEBRA)
        and _fails_as_residues(judged, left, right, rings)
    ):
        return judged
    capitals = any(name[0].isupper() for name in free)
    if domain == "matrices" and (free & matrices or judged.is_mistyped or not capitals):
        return judged
    if domain != "matrices" and (labels & _OF_NUMBERS or any(map(DECIMAL.match, labels))):
        return judged
    by_vanishing = domain == ALGEBRA and _adds_vanishing_term(left, right)
    if domain == ALGEBRA and _is_mistyped_law(judged, left, right) and not by_vanishing:
        return judged
    mistyped = domain in ("residues", ALGEBRA) and _is_mistyped_identity(judged, left, right)
    if mistyped and not by_vanishing:
        if rings.exclude(left, right) and not _agree_at_ones(left, right):
            return judged
        # A short one may be said of a ring in which 2 is 0, but seldom is: there nobody writes plus and minus
        # in a law of several letters, unless the text is about such rings.
        if domain == ALGEBRA and len(free) > 1:
            of_sign = judged.reason.endswith(_SIGN_SLIPS) and len(free) > 2 and 2 not in rings.everywhere
            return judged if of_sign else replace(judged, outcome="doubtful")
    if domain == "sets" and (_is_of_numerals(left, right) or _lists_members(left, right)):
        return judged
    # Sums of letters are those of every group, and a residue is less than its modulus.
    drawn = judged.is_mistyped and _BY_FACTS in judged.reason
    if domain in ("residues", ALGEBRA) and drawn and _is_of_sums(left, right):
        return judged
    # Letters that the text gives values are numbers.
    valued = {source.left.label for source in judged.evidence.sources if source.is_value}
    if domain == ALGEBRA and not moduli and drawn and free and free <= valued:
        return judged
    if domain == "residues" and _is_no_residue(left, right):
        return judged
    if domain == ALGEBRA and not moduli and _is_of_ordinary_numbers(link, left, right):
        return judged
    numerals = [side.label for side in (left, right) if WHOLE.match(side.label)]
    if domain in ("digits", "logic and bits") and _BASE.search(link.left + link.right):
        return judged
    if domain == "digits" and not any(is_in_some_base(one, left, right) for one in numerals):
        return judged
    # "In Boolean algebra 1 + 1 = 1, but in F_2 …": the words right before it say where it holds.
    is_said = domain in find_domains(last_clause(link.words_before)) and domain != "residues"
    if "residues" in (domain, *link.position.near) and moduli and not is_said:
        sides = {
            modulus: [find_residue(side, modulus) for side in (left, right)] for modulus in sorted(moduli)
        }
        if not free and all(None not in pair and pair[0] != pair[1] for pair in sides.values()):
            return judged
        equal = [
            modulus
            for modulus, pair in sides.items()
            if None not in pair and pair[0] == pair[1] and modulus >= least
        ]
        # With several moduli nobody knows which is meant here.
        if not free and equal and len(sides) == 1:
            return replace(judged, outcome="right", reason=f"modulo {equal[0]}")
    reason = f"it is not judged, since the text is about {domain} here; of ordinary numbers: {judged.reason}"
    return replace(judged, outcome="not shown", reason=reason)


_SIGN_SLIPS = ("it holds with - for +", "it holds with + for -")
_BY_FACTS = ", by "
"""What stands in a reason before the statements that a verdict uses."""
_OF_COUNTING = frozenset(("+", "-", "*", "pow", "factorial", "binomial"))
"""Operations of whole numbers that sets have not, or count with."""
_OF_MEMBERS = ("union", "intersection", "without")


def _is_of_numerals(left: Tree, right: Tree) -> bool:
    """Return whether a link calculates with whole numbers alone."""
    nodes = [*left, *right]
    calculated = [node for node in nodes if node.children]
    return bool(calculated) and all(
        node.label in _OF_COUNTING if node.children else WHOLE.match(node.label) for node in nodes
    )


def _lists_members(left: Tree, right: Tree) -> bool:
    """Return whether a link says which members a union, intersection or difference has."""
    return left.label in _OF_MEMBERS and right.label == "set"


def _is_of_sums(left: Tree, right: Tree) -> bool:
    """Return whether sides only add and subtract letters."""
    return all(
        node.label in ("+", "-") if node.children else bool(free_symbols(node)) for node in (*left, *right)
    )


def _is_no_residue(left: Tree, right: Tree) -> bool:
    """Return whether a numeral is no residue of another number: the modulus would divide their difference,
    and be no larger than the numeral. Of two numerals the smaller one is the residue."""
    sides = [(left, right), (right, left)]
    if WHOLE.match(left.label) and WHOLE.match(right.label):
        sides = sides[:1] if int(left.label) <= int(right.label) else sides[1:]
    for numeral, other in sides:
        if WHOLE.match(numeral.label) and not free_symbols(other):
            value, residue = evaluate_term(other, {}), int(numeral.label)
            if value is not None and abs(value - residue) <= residue:
                return True
    return False


def _fails_as_residues(judged: LinkVerdict, left: Tree, right: Tree, rings: RingsMeant) -> bool:
    """Return whether a link that is false of numbers is so of residues too: its equals sign is that of
    integers, since the text has another for congruences, or no modulus that the text names divides the
    difference of its integers."""
    link, nodes = judged.link, [*left, *right]
    # An inverse has a negative exponent, and a fraction may be a symbol of Legendre.
    if any(node.label == "pow" and node.children[1].label.startswith("-") for node in nodes):
        return False
    # … of which one change does not make an identity with sums.
    has_sums = any(node.label in ("+", "-") and len(node.children) > 1 for node in nodes)
    if any(node.label == "/" for node in nodes) and not (judged.is_mistyped and has_sums):
        return False
    of_algebra = link.position.domain == ALGEBRA
    free = free_symbols(left) | free_symbols(right)
    if rings.has_plain_equals and not of_algebra:
        # Powers of a letter can be reduced modulo a polynomial.
        meant = judged.is_mistyped or not free
        return meant and (find_difference(left, right) is None or rings.exclude(left, right, rings.nearby))
    if free or not rings.exclude(left, right):
        return False
    # Of residues without a modulus it can be any number.
    if not of_algebra and not rings.everywhere:
        return find_least_modulus(left, right) > (find_difference(left, right) or 0)
    # Numbers in brackets can be ideals or permutations, and those of zeros and ones words of a code.
    in_brackets = _IN_BRACKETS.match(link.left) or _IN_BRACKETS.match(link.right)
    of_bits = all({*node.label} <= {*"01"} for node in nodes if not node.children)
    # … but those of matrices are multiplied, and only as relations 1 + 1 is 1.
    if of_bits and "row" in (node.label for node in nodes):
        of_bits = are_equal_incidences(left, right)
    if of_algebra and (in_brackets or of_bits):
        return False
    # Where no modulus is named, 1 + 1 = 1 holds of idempotent elements, and powers are multiples in a group
    # that is written as a sum, of which there are no products.
    counted = any(node.label in ("factorial", "binomial", "gcd", "lcm") for node in nodes)
    operations = {node.label for node in nodes if node.children}
    unclear = right.label in ("0", "1") or operations == {"pow"}
    return bool(rings.nearby) or counted or not unclear


def _is_mistyped_identity(judged: LinkVerdict, left: Tree, right: Tree) -> bool:
    """Return whether one change makes an equation with sums or differences an identity: its letters are small
    ones, or such as those of polynomials."""
    nodes = [*left, *right]
    names = free_symbols(left) | free_symbols(right)
    return (
        judged.is_mistyped
        and _BY_FACTS not in judged.reason
        and len(nodes) >= _SHORT
        and any(node.label in ("+", "-") and len(node.children) > 1 for node in nodes)
        # Sums of roots of unity or characters are numbers.
        and (not {"sum", "prod"} & {node.label for node in nodes} or all(map(free_symbols, (left, right))))
        and all(node.label in _OF_RINGS_AND_ROOTS for node in nodes if node.children)
        and all(_PLAIN_NAME.match(name) and (name[0].islower() or name[0] in "NTXYZ") for name in names)
    )


def _adds_vanishing_term(left: Tree, right: Tree) -> bool:
    """Return whether a number in an equation divides the coefficients by which its sides differ, as in
    `3 x y = 6 x y + 3 x y`: a term of it can be 0."""
    difference, least = find_difference(left, right) or 1, find_least_modulus(left, right)
    numbers = (*list_coefficients(left), *list_coefficients(right))
    return any(one >= least and difference % one == 0 for one in numbers)


def _agree_at_ones(left: Tree, right: Tree) -> bool:
    """Return whether an equation holds where all its letters are 1, and has no others in exponents: it may be
    one of roots of unity, or of idempotent elements."""
    exponents = (node.children[1] for side in (left, right) for node in side if node.label == "pow")
    if any(map(free_symbols, exponents)):
        return False
    ones = dict.fromkeys(free_symbols(left) | free_symbols(right), 1.0)
    return evaluate_term(left, ones) == evaluate_term(right, ones)


def _is_of_ordinary_numbers(link: ChainLink, left: Tree, right: Tree) -> bool:
    """Return whether a link in a text about rings and groups, which names no modulus, calculates with
    ordinary numbers: a unit stands behind it, it has a fraction, or no modulus makes it hold."""
    if free_symbols(left) | free_symbols(right):
        return False
    nodes = [*left, *right]
    if not all(node.label in _OF_RINGS if node.children else WHOLE.match(node.label) for node in nodes):
        return False
    unit = next(iter(words_of(link.words_after)), "")
    if len(unit) >= _LONG_WORD and unit in UNIT_WORDS:
        return True
    # 1 + 1 = 1 holds of idempotent elements, numbers in brackets can be ideals or permutations, and powers
    # are multiples in a group that is written as a sum.
    if _IN_BRACKETS.match(link.left) or _IN_BRACKETS.match(link.right) or right.label in ("0", "1"):
        return False
    if any(node.label == "pow" for node in nodes):
        return False
    return any(node.label == "/" for node in nodes) or _is_no_residue(left, right)


def _hold_if_anticommuting(left: Tree, right: Tree) -> bool:
    """Return whether a link holds where letters change the sign of a product when they change places, as
    `ab + ba = 0` does."""
    one, other = _sort_letters(left), _sort_letters(right)
    return (one, other) != (left, right) and are_exactly_equal(one, other) is True


def _sort_letters(tree: Tree) -> Tree:
    """Return a term in which the letters of each product are sorted, with a minus for each two of them that
    changed places."""
    factors = _list_factors(tree)
    letters = [factor.label for factor in factors if not factor.children and free_symbols(factor)]
    if len(letters) < 2 or any(factor.children for factor in factors):
        return Tree(tree.label, tuple(map(_sort_letters, tree.children)))
    changes = sum(first > second for first, second in combinations(letters, 2))
    sign = Tree("-1" if changes % 2 else "1")
    numerals = (factor for factor in factors if factor.label not in letters)
    return reduce(
        lambda product, factor: Tree("*", (product, factor)), [*numerals, *map(Tree, sorted(letters))], sign
    )


def _list_factors(tree: Tree) -> list[Tree]:
    """List the factors of a product in their order."""
    return (
        [factor for part in tree.children for factor in _list_factors(part)] if tree.label == "*" else [tree]
    )


_LONG_WORD = 4
"""Letters of a unit that is no other word, as `in` is."""
_IN_BRACKETS = re.compile(r"\s*(?:\\left\s*)?[(\[]\s*\d+(?:[\s~\\;]+\d+)*\s*(?:\\right\s*)?[)\]]")


_OF_RINGS = frozenset(("+", "-", "*", "/", "pow"))
_OF_RINGS_AND_ROOTS = _OF_RINGS | {"sqrt", "factorial", "binomial", "sum", "prod"}
_LONG = 15
"""Nodes of an equation that one change hardly makes an identity by chance."""
_SHORT = 9
"""… and so many of one that hardly is meant as a condition."""
_PLAIN_NAME = re.compile(r"[A-Za-zα-ω](?:_\w*)?'*\Z")


def _is_mistyped_law(judged: LinkVerdict, left: Tree, right: Tree) -> bool:
    """Return whether one change makes a long equation one that holds in every commutative ring: its letters
    are Latin or Greek, as those of ideals and of rings are not, and at least one side adds products of
    them."""
    nodes = [*left, *right]
    names = free_symbols(left) | free_symbols(right)
    sums = {"+", "-", "/"} & {node.label for node in nodes if len(node.children) > 1}
    return (
        judged.is_mistyped
        and _BY_FACTS not in judged.reason
        and len(nodes) >= _LONG
        and bool(sums)
        and len(names) > 1
        and all(node.label in _OF_RINGS for node in nodes if node.children)
        and all(_PLAIN_NAME.match(name) for name in names)
        and all(WHOLE.match(node.children[1].label) for node in nodes if node.label == "pow")
    )
