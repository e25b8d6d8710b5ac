"""Other meanings of what fails for ordinary numbers: by its notation, the words behind it, what is beside it.

A link that holds so is right, and of one that may hold so nobody can say that it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import gcd

from engines.core.tree import ONE, ZERO, Tree, differentiate
from engines.formula.brackets import find_closing
from engines.formula.meaning import Names
from engines.formula.reader import read
from engines.formula.vocabulary import variable_name
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.boolean_identities import holds_for_truth_values
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_clause, last_sentence, mentions, starts_with_phrase
from engines.proofreading.differentials import read_differential
from engines.proofreading.elimination_steps import are_steps_of_elimination
from engines.proofreading.facts import Facts
from engines.proofreading.group_words import is_identity_law
from engines.proofreading.imaginary_units import find_whole_powers, take_imaginary_unit
from engines.proofreading.legendre_symbols import judge_symbols
from engines.proofreading.link_verdicts import Evidence, LinkVerdict
from engines.proofreading.number_links import NumberLinks, list_terms
from engines.proofreading.number_notations import (
    compare_versions,
    hold_with_scripted_counts,
    is_measured,
    judge_number_notations,
)
from engines.proofreading.open_ends import hold_as, judge_open_ends
from engines.proofreading.other_notations import (
    are_equal_in_hexadecimal,
    find_replaced_name,
    find_whole_factors,
    has_blocks,
    has_bracketed_row,
    has_inner_product,
    has_leading_zero,
    has_zero_coefficient,
    hold_by_stirling,
    hold_for_real_parts,
    hold_for_reals,
    hold_for_vectors,
    is_binary_fraction,
    is_complement,
    is_divided_by_zero,
    join_thousands,
    multiply_mixed_numbers,
    take_constants_out,
    take_hypotenuse,
    take_other_arcsecants,
    take_summands_in,
    undo_inverses,
)
from engines.proofreading.permutations import (
    are_equal_permutations,
    are_rotated_rows,
    is_two_line_permutation,
)
from engines.proofreading.repair_conditions import write_term
from engines.proofreading.rounded_coefficients import has_rounded_coefficients
from engines.proofreading.scopes import ALGEBRA
from engines.proofreading.signs_and_branches import (
    differ_by_constant,
    differ_by_half_turns,
    find_positive_letters,
    is_root_of_square,
)
from engines.proofreading.statement_roles import quantifies_over
from engines.proofreading.term_properties import (
    DECIMAL,
    DEGREES,
    OF_ANGLES,
    WHOLE,
    evaluate_complex,
    evaluate_term,
    find_residue,
    find_units,
    free_symbols,
    has_summed_index,
    is_in_some_base,
)
from engines.proofreading.units_behind import (
    is_converted,
    is_mixed_quantity,
    is_multiple_of_unit,
    take_miles,
)

STAR = re.compile(r"(?<!\\)\*|\\ast(?![A-Za-z])")
"""A star as a sign of an operation."""
_ROMAN = re.compile(r"(?<![A-Za-z\\])(?:I{2,3}|IV|VI{1,3})(?![A-Za-z])")
_DOT = re.compile(r"\\cdot(?![A-Za-z])|\\bullet(?![A-Za-z])|·")
_ARROWED = re.compile(r"\\(?:mathbf|vec|overrightarrow|boldsymbol|bm)(?![a-z])")
_BOLD_ONE = re.compile(r"\\(?:mathbf|boldsymbol|bm|math(?:bb|bbm|ds))\s*\{?\s*1(?!\d)")
_PARTIAL = re.compile(r"\\partial(?![A-Za-z])")
_SIGN_OF_SIZES = re.compile(r"\\times(?![A-Za-z])|(?<!\\)\*")
_CROSS = re.compile(r"\\times(?![A-Za-z])")
_RELATIVE_ERROR = 1e-9
_SEEDS = 3
_SIGNED = 3
"""Nodes of a number with a sign."""
_BITS = 4
"""Digits of a number that is one to the base 2 by its 0 and 1."""
_BRACED_ARGUMENT = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc|ln|log|exp|Re|Im)\s*\{(?=\s*(?:\\left\s*)?\()")
_GIVING_ANGLES = frozenset(("asin", "acos", "atan"))
_INTEGRALS = frozenset(("integral", "antiderivative"))
_ORDERS = ("O", "o", "𝒪")
_DIVIDES = r"\mid"
_SHIFTS = (r"\ll", r"\gg", _DIVIDES, "<<", ">>")
_HALF = 0.5
_ANGLE_PAIR = re.compile(
    r"\\langle(?![A-Za-z])([^,\\]*(?:\\(?!langle|rangle)[^,\\]*)*),([^,\\]*(?:\\(?!langle|rangle)[^,\\]*)*)\\rangle(?![A-Za-z])"
)
"""Two terms in angle brackets, which can be an inner product."""
_BRACKETED_EXPONENT = re.compile(r"\^\s*\{\s*\(\s*\d+\s*\)\s*\}")
_CLASS = re.compile(r"\[\s*\([^\[\]]*\)\s*\]")
"""A tuple in square brackets: the class of a pair."""
_LONG_STEP = 14
"""Nodes of a link that one change hardly makes an identity by chance."""


def reconsider_link(
    judged: LinkVerdict,
    links: Sequence[ChainLink],
    left: Tree,
    right: Tree,
    judge: Judge,
    numbers: NumberLinks,
) -> LinkVerdict:
    """Return the verdict on a link that fails, in the light of what else it can mean.

    Args:
        judged: the verdict as it is for ordinary numbers.
        links: the chain of the link.
    """
    link = judged.link
    free = free_symbols(left) | free_symbols(right)
    # 1. What notation means besides numbers: symbols, units of imaginary numbers, constants, angles.
    if symbol := judge_symbols(links, link, left, right):
        return symbol
    # A letter that the words let range over numbers counts something.
    units = free & {variable_name("i"), "j"}
    if units and not quantifies_over(link, units) and hold_as(take_imaginary_unit, left, right, judge):
        return LinkVerdict(link, "right if", "i or j is the imaginary unit")
    imaginary = take_imaginary_unit(left), take_imaginary_unit(right)
    if units and judge.equal(imaginary[0], imaginary[1]).outcome == "undecided":
        return LinkVerdict(link, "not shown", "i or j can be the imaginary unit")
    if differ_by_constant(left, right):
        return LinkVerdict(link, "right", "up to a constant")
    if condition := find_whole_powers(left, right, judge):
        return LinkVerdict(link, "right if", condition)
    behind = link.words_after.partition(".")[0].partition(";")[0]
    words = f"{last_sentence(link.words_before)} {behind}"
    if not free and not mentions("in radians", words):
        if hold_as(take_degrees, left, right, judge):
            return LinkVerdict(link, "right", "with angles in degrees")
        rounded = numbers.describe_rounding(take_degrees(left), take_degrees(right), link.relation)
        if rounded or _are_rounded_degrees(link, left, right, numbers):
            return LinkVerdict(link, "right", "with angles in degrees, rounded")
    if _hold_with_braced_arguments(link, judge, numbers):
        return LinkVerdict(link, "right", "where braces in the source hold the argument of a function")
    if left.label == "/" and ":" in link.left and judge.equal(left.children[1], right).outcome == "equal":
        return LinkVerdict(link, "right if", "what stands before the colon names it")
    if integer_parts := _judge_integer_parts(judged, left, right, numbers):
        return integer_parts
    # By convention p and q are the chances of what happens and of what does not.
    if {"p", "q"} <= free and hold_as(_take_chances, left, right, judge):
        return LinkVerdict(link, "right if", "p + q = 1")
    if {"a", "b", "c"} <= free and hold_as(take_hypotenuse, left, right, judge):
        return LinkVerdict(link, "right if", "a^2 + b^2 = c^2")
    if coprime := _find_coprime(left, right, judge):
        return LinkVerdict(link, "right if", coprime)
    if _hold_as_inner_products(link, judge, numbers):
        return LinkVerdict(link, "right", "where angle brackets hold inner products")
    if are_equal_permutations(link) or are_rotated_rows(left, right):
        named = link.position.domain == "rings and groups"
        return LinkVerdict(link, "right" if named else "right if", "they are permutations")
    if _are_rounded_complex(left, right):
        return LinkVerdict(link, "right", "rounded")
    if versions := compare_versions(link, left, right):
        return versions
    if link.relation == "=" and (
        number := judge_number_notations(judged, links, left, right, judge, numbers)
    ):
        return number
    is_pair = left.label == "tuple" and _ANGLE_PAIR.match(link.left.lstrip()) is not None
    if is_pair and right.label not in ("tuple", "list", "matrix", "set"):
        return LinkVerdict(link, "not shown", "angle brackets with one value hold an inner product")
    if hold_with_scripted_counts(link, numbers):
        return LinkVerdict(link, "right if", "C and A with numbers below and above them count choices")
    if link.index and _hold_for_start(links[0], left, right, judge, numbers):
        return LinkVerdict(link, "right if", f"{links[0].left.strip()} is what the chain begins with")
    if not free and hold_as(take_miles, left, right, judge):
        return LinkVerdict(link, "right if", "m stands for a mile")
    # 2. Where a term ends that no bracket ends: the reader says which products those are.
    if open_end := judge_open_ends(link, left, right, judge, numbers):
        return open_end
    if not free and is_binary_fraction(left, right):
        return LinkVerdict(link, "right if", "the digits of its right side are to the base 2")
    if not free and is_complement(left, link.right):
        return LinkVerdict(link, "right if", "the bits are those of a negative number, by their complement")
    if free and holds_for_truth_values(left, right):
        named = link.position.domain == "logic and bits"
        return LinkVerdict(link, "right" if named else "right if", "the letters are truth values")
    if are_equal_in_hexadecimal(link.left, link.right):
        return LinkVerdict(link, "right if", "the digits are those of hexadecimal numbers")
    # Sums of decimal numbers hold to the base 2 by chance alone rarely, but words have to say so.
    named = link.position.domain in ("digits", "logic and bits") or mentions("in base two", link.words_before)
    decimal = mentions("in base ten", words)
    are_binary = not (free or decimal) and _are_binary(left, right, is_named=named)
    if are_binary and hold_as(_read_bits, left, right, judge):
        return LinkVerdict(link, "right" if named else "right if", "the numbers are to the base 2")
    if hold_as(_take_other_arccotangent, left, right, judge):
        return LinkVerdict(link, "right", "where the inverse of the cotangent has the sign of its argument")
    if not free and hold_as(take_other_arcsecants, left, right, judge):
        return LinkVerdict(link, "right", "where arcsec and arccsc of negative numbers are from π to 3π/2")
    if free and differ_by_half_turns(left, right):
        return LinkVerdict(link, "right if", "inverse tangents are meant up to multiples of π")
    if positive := find_positive_letters(left, right, judge):
        return LinkVerdict(link, "right if", positive)
    if hold_as(take_summands_in, left, right, judge):
        return LinkVerdict(link, "right if", "what stands behind the operation belongs to it")
    universal = mentions("universal", link.words_before)
    # An identity of angles is one of those that inverse functions give.
    if not mentions("for all", link.words_before) and hold_as(undo_inverses, left, right, judge):
        return LinkVerdict(link, "right if", "the angles are those that inverse functions give")
    of_decimals = free and not universal and link.relation in ("=", "approx")
    if free and (
        numbers.are_rounded_multiples(left, right) or (of_decimals and has_rounded_coefficients(left, right))
    ):
        return LinkVerdict(link, "right", "rounded")
    of_reals = mentions("continuous", link.words_before)
    if not of_reals and (condition := find_whole_factors(left, right)):
        return LinkVerdict(link, "right if", condition)
    if hold_by_stirling(left, right):
        return LinkVerdict(link, "right if", "factorials are approximated by Stirling's formula")
    of_reals = link.relation == "=" and mentions("for real", f"{link.words_before} {link.words_after}")
    if of_reals and hold_for_reals(left, right, judge):
        return LinkVerdict(link, "right", "of real numbers")
    if hold_for_real_parts(left, right, judge):
        return LinkVerdict(link, "right if", "the letters beside i are real")
    if hold_as(take_constants_out, left, right, judge):
        return LinkVerdict(link, "right if", "a factor without the index stands behind the product")
    if free and hold_as(multiply_mixed_numbers, left, right, judge):
        return LinkVerdict(link, "right if", "a whole number before a fraction is a factor")
    if not free and hold_as(join_thousands, left, right, judge):
        return LinkVerdict(link, "right if", "points separate thousands")
    if not free and has_leading_zero(f"{link.left} {link.right}"):
        return LinkVerdict(link, "not shown", "a number that begins with 0 is one of bits")
    # 3. What words before the link say of its letters.
    labels = [label for cue, label in _NORMS if mentions(cue, link.words_before)]
    if not quantifies_over(link, free) and hold_as(
        lambda side: _take_unit_norms(side, labels), left, right, judge
    ):
        return LinkVerdict(link, "right", "where the norms are 1")
    if left.label == "mod" and mentions("inverse of", last_clause(link.words_before)):
        inverse = Tree("mod", (Tree("pow", (left.children[0], Tree("-1"))), left.children[1]))
        if hold_as(_take_inverses, inverse, right, judge):
            return LinkVerdict(link, "right", "where its left side is what the inverse is of")
    if hold_as(_take_inverses, left, right, judge):
        return LinkVerdict(link, "right", "with inverses modulo a number")
    # 4. What may hold in another meaning, which nobody can tell.
    excuse = _find_excuse(judged, links, left, right) or _find_condition_behind(judged, left, right, numbers)
    if not excuse and _is_step_of_hospital(left, right, judge):
        excuse = "both sides of a fraction were differentiated, by l'Hôpital's rule"
    if not excuse and hold_as(_merge_cases, left, right, judge):
        excuse = "a name is written with small and large letters"
    return LinkVerdict(link, "not shown", excuse) if excuse else judged


def _hold_for_start(first: ChainLink, left: Tree, right: Tree, judge: Judge, numbers: NumberLinks) -> bool:
    """Return whether an equation holds where the letter that its chain begins with is in it, and is what the
    chain says that it is: I = ∫ … = x - I."""
    name, meant = (numbers.read_formula(side).tree for side in (first.left, first.right))
    if name is None or meant is None or name.children or name.label in free_symbols(meant):
        return False
    if name.label not in free_symbols(left) | free_symbols(right):
        return False
    return hold_as(lambda side: replace_variable(side, name.label, meant), left, right, judge)


def _find_excuse(judged: LinkVerdict, links: Sequence[ChainLink], left: Tree, right: Tree) -> str:
    link = judged.link
    words = f"{link.words_before} {link.words_after}"
    pairs = (left, right), (right, left)
    divides = link.position.domain in ("residues", ALGEBRA)
    if any(each.relation in _SHIFTS and not (divides and each.relation == _DIVIDES) for each in links):
        return "it stands beside shifts or groups of digits"
    coefficients = [_read_differential(side) for side in (left, right)]
    if None not in coefficients and any(each and free_symbols(each) for each in coefficients):
        return "it is an equation of differentials"
    if any(
        read_differential(one) is not None and not _INTEGRALS.isdisjoint(other.list_labels())
        for one, other in pairs
    ):
        return "a differential is no integral, which goes on from further above"
    if _are_divisors(links, left, right):
        return "numbers in brackets can be their greatest common divisor"
    # Beside a c it is the next letter, as in (az + b)/(cz + d).
    if "c" not in free_symbols(left) | free_symbols(right) and any(map(_has_differential, (left, right))):
        return "the letter d before a term can be that of a differential"
    of_sides = judged.evidence.kind == "sides" and not judged.is_mistyped
    if of_sides and is_partial_slope(link, left):
        return "a letter in a partial derivative can depend on its variable"
    if any(_is_slope_of_name(node) for side in (left, right) for node in side):
        return "a letter in a derivative can depend on another"
    if "arg" in left.list_labels() and "arg" in right.list_labels() and link.relation == "=":
        return "arguments are meant up to full turns"
    if any(is_identity_law(one, other) for one, other in pairs):
        return "e can be the identity of a group"
    if _BOLD_ONE.search(link.left + link.right):
        return "a bold 1 can be an identity or an indicator"
    if _SIGN_OF_SIZES.search(link.left + link.right) and _are_sizes(left, right):
        return "pairs of numbers can be sizes of matrices"
    if any(_is_one_sided_value(node) for side in (left, right) for node in side):
        return "a value at a + 0 or a - 0 is a limit from one side"
    begun_above = link.connective == "row" and link.left.startswith("+")
    if has_bracketed_row(f"{link.left} {link.right}") and "matrix" in (
        *left.list_labels(),
        *right.list_labels(),
    ):
        return "spaces in square brackets can part the entries of a row"
    if has_blocks(left) or has_blocks(right):
        return "a matrix of matrices can be one of blocks"
    if link.begins_before or link.continues_in_words or begun_above:
        return "a side goes on in the formula beside it"
    numbered = free_symbols(left) | free_symbols(right) <= frozenset("IVX")
    if numbered and any(map(_ROMAN.search, (link.left, link.right))):
        return "I, II and III can be names"
    if _has_contracted_index(left, right) or has_summed_index(left, right):
        return "an index that stands twice is summed over"
    if link.relation == "=" and (replaced := find_replaced_name(left, right)):
        return f"it puts {replaced[1]} for {replaced[0]}, which can be its value here"
    if all(map(_has_remainder, (left, right))):
        return "O and o are orders of what is left out"
    if STAR.search(link.left + link.right) and r"\cdot" in link.left + link.right:
        return "it has two signs for products"
    free = free_symbols(left) | free_symbols(right)
    if has_zero_coefficient(left) and not right.children:
        return "it is a row of zeros, which says that nothing solves a system"
    if free and not judged.is_mistyped and starts_with_phrase("reason", link.words_after):
        return "the words behind it say when it holds"
    if not free and starts_with_phrase("measured", link.words_after):
        return "the words behind it say in what it is measured"
    # A charge, a field or another quantity is written like the number e: E = eV.
    by_facts = judged.evidence.kind != "sides" and not judged.is_mistyped
    if by_facts and any(map(_is_multiple_of_e, (*left, *right))):
        return "e beside a letter can be another quantity"
    if any(_is_total(one, other) for one, other in pairs):
        return "an integral without ends that is a number is one over all"
    if not free and mentions("drawn to scale", words) and find_units(left) and find_units(right):
        return "a scale says for what a length stands"
    if not free and is_multiple_of_unit(link, left, right):
        return "the word behind it can name a multiple of a unit"
    if not free and (is_converted(link, left, right) or is_mixed_quantity(link, left, right)):
        return "the unit behind it is another than that of its left side"
    if by_facts and any(map(is_measured, right)):
        return "a value with its uncertainty is measured"
    if _is_index_in_matrix(judged.evidence):
        return "the letter i in a matrix can be the imaginary unit"
    if are_steps_of_elimination(left, right):
        return "a multiple of a row was added to another"
    if not free and all(map(_is_map_squared, (left, right))):
        return "π can be a map that is its own square"
    has_power = "pow" in (*left.list_labels(), *right.list_labels())
    if has_power and _BRACKETED_EXPONENT.search(f"{link.left} {link.right}"):
        return "a number in brackets above a term can be an index"
    if all(map(_CLASS.fullmatch, (link.left.strip(), link.right.strip()))):
        return "tuples in square brackets can be classes"
    if not free and all(map(is_two_line_permutation, (left, right))):
        return "matrices with the same numbers in all rows can be permutations"
    if not free and any(_is_inverse(one) and WHOLE.match(other.label) for one, other in pairs):
        return "an inverse that is whole is one modulo a number"
    if not free and any(_adds_digits(one, other) for one, other in pairs):
        return "the digits of a number are added"
    if not free and any(_is_written_in_base(one, left, right) for one, other in pairs if _has_powers(other)):
        return "its digits are those of another base"
    fractions = (node for side in (left, right) for node in side if node.label == "mod")
    if free and any("/" in part.list_labels() for node in fractions for part in node.children):
        return "residues of fractions are not judged"
    if _CROSS.search(link.left + link.right) and _ARROWED.search(link.left + link.right):
        return "products of vectors are not judged"
    if link.relation == "!=" and _has_both_orders(left, right):
        return "letters that do not commute are no numbers"
    crossed = _CROSS.search(link.left + link.right)
    if crossed and (_has_both_orders(left, right) or hold_for_vectors(left, right)):
        return "products of letters in both orders can be those of vectors"
    if _DOT.search(link.left + link.right) and has_inner_product(left, right):
        return "a product of a letter with itself or of unit vectors can be that of vectors"
    if "ln" in left.list_labels() and "i" in right.list_labels() and _are_values_of_logarithms(left, right):
        return "a logarithm has several values"
    if free and is_root_of_square(left, right):
        return "the sign of a root is that of an angle"
    infinite = any("inf" in side.list_labels() and len(side) <= _SIGNED for side in (left, right))
    # … but a limit is worked out.
    if infinite and "limit" not in (left.label, right.label):
        return "an infinite value is a convention"
    if any(one.label == "limit" and is_divided_by_zero(other) for one, other in pairs):
        return "0 below a fraction can stand for what tends to it"
    return ""


def _is_index_in_matrix(evidence: Evidence) -> bool:
    """Return whether the statements against a link say what number i is, and what matrix has i in it."""
    index = Tree(variable_name("i"))
    valued = any(fact.is_value and fact.left == index for fact in evidence.sources)
    return valued and any(
        node.label == "matrix" and index in (*node,) for fact in evidence.sources for node in fact.right
    )


def _is_multiple_of_e(node: Tree) -> bool:
    return node.label == "*" and Tree("e") in node.children and any(map(free_symbols, node.children))


def _is_total(side: Tree, value: Tree) -> bool:
    """Return whether a side is an antiderivative that is said to be a number."""
    return side.label == "antiderivative" and not free_symbols(value)


def _has_contracted_index(left: Tree, right: Tree) -> bool:
    """Return whether a name has a letter as an index below in one place and above in another: a_μ a^μ."""
    names = free_symbols(left) | free_symbols(right)
    below, above = ({tuple(name.split(mark)) for name in names if mark in name} for mark in "_^")
    above |= {
        (node.children[0].label, node.children[1].label)
        for side in (left, right)
        for node in side
        if node.label == "pow" and not any(part.children for part in node.children)
    }
    return any(not index.isdecimal() for _, *indices in below & above for index in indices)


def _is_inverse(tree: Tree) -> bool:
    return tree.label == "pow" and tree.children[1].label == "-1" and tree.children[0].label.isdecimal()


def _has_powers(tree: Tree) -> bool:
    return tree.list_labels().count("pow") > 1


def is_partial_slope(link: ChainLink, left: Tree) -> bool:
    r"""Return whether a term is a partial derivative with other letters, as r in `\frac{\partial}{\partial
    x} \frac{x}{r}`, that can stand for functions of its variable."""
    return left.label == "d" and _PARTIAL.search(link.left) is not None and len(free_symbols(left)) > 1


def _is_slope_of_name(node: Tree) -> bool:
    """Return whether a term is the derivative of a letter for another one, on which it depends then."""
    if node.label != "d" or len(node.children) < 2:
        return False
    body = node.children[-1]
    return not body.children and bool(free_symbols(body)) and body != node.children[0]


def _are_sizes(left: Tree, right: Tree) -> bool:
    """Return whether a pair of whole numbers is a product of such pairs: (2, 4) = (2, 3) × (3, 4)."""
    pairs = [node for side in (left, right) for node in side if node.label == "tuple"]
    whole = all(
        len(pair.children) == 2 and all(WHOLE.match(one.label) for one in pair.children) for pair in pairs
    )
    of_pairs = {
        node.label for side in (left, right) for node in side if node.label != "tuple" and node.children
    }
    return whole and len(pairs) > 2 and of_pairs == {"*"}


def _is_map_squared(side: Tree) -> bool:
    """Return whether a term is π or a power of it."""
    return Tree("pi") in (side, *side.children[:1]) and side.label in ("pi", "pow")


def _has_differential(side: Tree) -> bool:
    """Return whether a term has the letter d as a factor right before another one: `y d(x^2)`."""
    letter = Tree(variable_name("d"))
    products = [node for node in side if node.label == "*"]
    return any(
        bool(free_symbols(second)) and (first == letter or first.children[-1:] == (letter,))
        for first, second in (node.children for node in products)
    )


def _has_both_orders(left: Tree, right: Tree) -> bool:
    """Return whether two letters are multiplied in both orders: `a × b + b × a`."""
    products = {node.children for side in (left, right) for node in side if node.label == "*"}
    letters = {pair for pair in products if all(not one.children and free_symbols(one) for one in pair)}
    return any(pair[::-1] in letters for pair in letters if pair[0] != pair[1])


def _is_one_sided_value(node: Tree) -> bool:
    return node.label == "call" and any(
        part.label in ("+", "-") and len(part.children) == 2 and part.children[1] == ZERO
        for part in node.children[1:]
    )


def _read_differential(side: Tree) -> Tree | None:
    """Return the coefficient of a differential, as 2x of `2x dx`; None for another term."""
    side = side.children[1] if side.label == "*" and side.children[0].label == "-1" else side
    if side.label != "*" or side.children[1].children:
        return None
    letter, first = Tree(variable_name("d")), side.children[0]
    if first == letter:
        return ONE
    return first.children[0] if first.label == "*" and first.children[1] == letter else None


def _are_divisors(links: Sequence[ChainLink], left: Tree, right: Tree) -> bool:
    """Return whether lists of numbers are equal that have one divisor: (5, 2) = (7, 3) = 1."""
    pairs = [[int(part.label) for part in side.children if WHOLE.match(part.label)] for side in (left, right)]
    plain = left.label == right.label == "tuple" and all(len(pair) == len(left.children) for pair in pairs)
    numbers = [each.right for each in links if each.right.isdecimal()]
    return plain and bool(numbers) and gcd(*pairs[0]) == gcd(*pairs[1]) == int(numbers[0])


def _adds_digits(numeral: Tree, total: Tree) -> bool:
    """Return whether a sum or product is one of all digits of a number or a value, in their order."""
    if numeral.children and (value := evaluate_term(numeral, {})) is not None and value.is_integer():
        numeral = Tree(f"{value:.0f}")
    digits = [node.label for node in total if not node.children]
    operations = {node.label for node in total if node.children}
    added = len(digits) > 1 and operations in ({"+"}, {"*"}) and all(len(digit) == 1 for digit in digits)
    return added and numeral.label.isdecimal() and "".join(digits) == numeral.label


def _is_written_in_base(numeral: Tree, left: Tree, right: Tree) -> bool:
    """Return whether a side is what another is, by its digits in another base."""
    several = numeral.label.isdecimal() and len(numeral.label) > 1  # a digit alone is the same in all bases
    return several and is_in_some_base(numeral.label, left, right)


def _find_condition_behind(judged: LinkVerdict, left: Tree, right: Tree, numbers: NumberLinks) -> str:
    """Return an excuse if the words behind a link give an equation of its variables as its reason; none where
    it does not follow from that equation, and one change makes it hold without."""
    link, free = judged.link, free_symbols(left) | free_symbols(right)
    if not link.next_formula or not starts_with_phrase("reason", link.words_after):
        return ""
    tree = numbers.read_formula(link.next_formula).tree
    if tree is None or "=" not in tree.list_labels() or free.isdisjoint(free_symbols(tree)):
        return ""
    if judged.is_mistyped and tree.label == "=" and len(left) + len(right) >= _LONG_STEP:
        facts = Facts()
        facts.add_fact(tree.children[0], tree.children[1], link.next_formula, link.line)
        reduced = facts.reduce_by_facts(left, right)
        if reduced is None or not reduced.same:
            return ""
    return "the equation behind it says why it holds"


def _has_remainder(side: Tree) -> bool:
    """Return whether a side has a factor O or o, as of `O(1/n)` where nothing says that O is a function."""
    return any(node.label == "*" and node.children[0].label in _ORDERS for node in side)


def _is_step_of_hospital(left: Tree, right: Tree, judge: Judge) -> bool:
    """Return whether the limit of a fraction is said to be that of the derivatives of its parts."""
    if left.label != "limit" or right.label != "limit" or left.children[:3] != right.children[:3]:
        return False
    name, fraction = left.children[0].label, left.children[3]
    if fraction.label != "/":
        return False
    try:
        slopes = Tree("/", tuple(differentiate(part, name) for part in fraction.children))
    except (KeyError, ValueError):
        return False
    return judge.equal(slopes, right.children[3]).outcome in ("equal", "equal if")


def _are_binary(left: Tree, right: Tree, *, is_named: bool) -> bool:
    """Return whether all whole numbers of two terms can be read to the base 2, and one is long and no
    power of ten, or words name the base."""
    numerals = [label for side in (left, right) for label in side.list_labels() if label.isdecimal()]
    long = any(len(numeral) >= _BITS and "1" in numeral[1:] for numeral in numerals)
    return (long or is_named) and set("".join(numerals)) <= {"0", "1"}


def _read_bits(tree: Tree) -> Tree:
    if tree.label.isdecimal():
        return Tree(f"{int(tree.label, 2)}")
    return Tree(tree.label, tuple(map(_read_bits, tree.children)))


def _merge_cases(tree: Tree) -> Tree:
    """Return a term in which names that have an index have only small letters in it."""
    if tree.children:
        return Tree(tree.label, tuple(map(_merge_cases, tree.children)))
    base, index, below = tree.label.partition("_")
    return Tree(f"{base}{index}{below.lower()}")


def take_degrees(tree: Tree) -> Tree:
    """Return a term in which the numbers that angles are given by are degrees."""
    children = tuple(map(take_degrees, tree.children))
    if tree.label in OF_ANGLES and children and not children[0].children:
        children = (Tree("/", (Tree("*", (children[0], Tree("pi"))), Tree("180"))),)
    return Tree(tree.label, children)


def _are_rounded_degrees(link: ChainLink, left: Tree, right: Tree, numbers: NumberLinks) -> bool:
    """Return whether a link holds for an angle in degrees, of which a number shows some digits, or with a
    sign of degrees whole ones."""
    if _GIVING_ANGLES.isdisjoint((*left.list_labels(), *right.list_labels())):
        return False
    sides = [numbers.read_formula(DEGREES.sub("", side)).tree for side in (link.left, link.right)]
    if None in sides:
        return False
    one, other = (_give_degrees(side) for side in sides if side)
    if numbers.describe_rounding(one, other, link.relation):
        return True
    values = evaluate_term(one, {}), evaluate_term(other, {})
    whole = WHOLE.match(other.label) and DEGREES.search(link.right)
    return bool(whole) and None not in values and abs((values[0] or 0) - (values[1] or 0)) < _HALF


def _give_degrees(tree: Tree) -> Tree:
    """Return a term in which the angles that functions give are in degrees."""
    result = Tree(tree.label, tuple(map(_give_degrees, tree.children)))
    if tree.label in _GIVING_ANGLES:
        return Tree("/", (Tree("*", (result, Tree("180"))), Tree("pi")))
    return result


def _hold_with_braced_arguments(link: ChainLink, judge: Judge, numbers: NumberLinks) -> bool:
    r"""Return whether a link holds where braces behind a function hold its argument, as in `\Re{(1+i)e^t}`:
    the brackets that are seen are those of a factor."""
    written = _bracket_arguments(link.left), _bracket_arguments(link.right)
    if written == (link.left, link.right):
        return False
    one, other = (numbers.read_formula(side).tree for side in written)
    if one is None or other is None:
        return False
    return hold_for_reals(one, other, judge)


def _bracket_arguments(latex: str) -> str:
    """Return LaTeX with brackets around those arguments of functions that begin with one within braces."""
    match = _BRACED_ARGUMENT.search(latex)
    end = find_closing(latex, match.end() - 1) if match else -1
    if match is None or end < 0:
        return latex
    inside = _bracket_arguments(latex[match.end() : end])
    return f"{latex[: match.end() - 1]}\\left({inside}\\right){_bracket_arguments(latex[end + 1 :])}"


def _hold_as_inner_products(link: ChainLink, judge: Judge, numbers: NumberLinks) -> bool:
    """Return whether a link holds for the inner products of its pairs in angle brackets, as it does for one
    if it does for products of numbers."""
    written = [_ANGLE_PAIR.sub(r" (\1)(\2) ", side) for side in (link.left, link.right)]
    if written[0] == link.left or written[1] == link.right:
        return False
    one, other = (numbers.read_formula(side).tree for side in written)
    return one is not None and other is not None and judge.equal(one, other).outcome == "equal"


def _judge_integer_parts(
    judged: LinkVerdict, left: Tree, right: Tree, numbers: NumberLinks
) -> LinkVerdict | None:
    """Return the verdict on a link with square brackets where they are integer parts, `[7/2] = 3`; None where
    it fails so too. Sides that differ in them alone, as of `[x] < x`, are no mistake."""
    link = judged.link
    if "[" not in link.left + link.right:
        return None
    names = Names(reads_unknown_signs=True, has_integer_parts=True)
    one, other = (read(side, names=names).tree for side in (link.left, link.right))
    if one is None or other is None or "floor" not in (*one.list_labels(), *other.list_labels()):
        return None
    verdict = numbers.compare_by_relation(link.relation, one, other)
    if verdict.outcome == "equal":
        return LinkVerdict(link, "right if", "square brackets are integer parts")
    # [x^n] f(x) is what stands before x^n in f(x).
    if any(_takes_coefficient(node) for side in (one, other) for node in side):
        return LinkVerdict(link, "not shown", "a power in square brackets can take a coefficient")
    # A sum without end of integer parts has a value that is not worked out.
    is_infinite = "inf" in (*one.list_labels(), *other.list_labels())
    if left == right or (verdict.outcome == "undecided" and is_infinite):
        return LinkVerdict(link, "not shown", "square brackets can be integer parts")
    return None


def _takes_coefficient(node: Tree) -> bool:
    """Return whether a term is a product of a power of a letter in square brackets with another one."""
    if node.label != "*" or node.children[0].label != "floor":
        return False
    power = node.children[0].children[0]
    return power.label == "pow" and not power.children[0].children and bool(free_symbols(power.children[0]))


def _take_chances(tree: Tree) -> Tree:
    """Return a term with 1 - p for each q."""
    return replace_variable(tree, "q", Tree("-", (ONE, Tree("p"))))


def _find_coprime(left: Tree, right: Tree, judge: Judge) -> str:
    """Return which variables have to be coprime for a link with their greatest common divisor to hold, as for
    `fg/gcd(f, g) = fg`; "" where that does not help."""
    divisors = {node for side in (left, right) for node in side if node.label == "gcd" and free_symbols(node)}
    if not divisors or (left in divisors and not right.children) or (right in divisors and not left.children):
        return ""
    one, other = (_take_as_coprime(side) for side in (left, right))
    verdict = judge.equal(one, other)
    if verdict.outcome != "equal" and not (verdict.outcome == "equal if" and not verdict.witness):
        return ""
    return " and ".join(f"{write_term(divisor)} = 1" for divisor in sorted(divisors, key=write_term))


def _take_as_coprime(tree: Tree) -> Tree:
    """Return a term with 1 for each greatest common divisor of variables."""
    if tree.label == "gcd" and free_symbols(tree):
        return ONE
    return Tree(tree.label, tuple(map(_take_as_coprime, tree.children)))


def _take_other_arccotangent(tree: Tree) -> Tree:
    """Return a term in which the inverse of the cotangent is that of the tangent of a reciprocal."""
    children = tuple(map(_take_other_arccotangent, tree.children))
    if tree.label == "acot":
        return Tree("atan", (Tree("/", (ONE, *children)),))
    return Tree(tree.label, children)


_NORMS = (("unit length", "abs"), ("unit length", "norm"), ("normalised", "norm"))
"""What words say of which norms."""


def _take_unit_norms(tree: Tree, labels: Sequence[str]) -> Tree:
    """Return a term in which norms of letters are 1."""
    if tree.label in labels and not tree.children[0].children and free_symbols(tree):
        return ONE
    return Tree(tree.label, tuple(_take_unit_norms(part, labels) for part in tree.children))


def _are_rounded_complex(left: Tree, right: Tree) -> bool:
    """Return whether two complex numbers differ by no more than the decimals of one of them may be rounded:
    of the right one, or of a left one that is written as real and imaginary part."""
    if "i" not in (*left.list_labels(), *right.list_labels()):
        return False
    plain = all(not part.children for term in list_terms(left) for part in term.children)
    for written, value in ((right, left), (left, right)) if plain else ((right, left),):
        shown, exact = evaluate_complex(written, {}), evaluate_complex(value, {})
        if shown is None or exact is None:
            return False
        room = [_RELATIVE_ERROR, _RELATIVE_ERROR]
        # Each decimal is moved by half a unit of its last digit; the parts may differ by the sum of that.
        for label in {*filter(DECIMAL.match, written.list_labels())}:
            half = 5 / 10 ** (1 + len(label.partition(".")[2]))
            moved = evaluate_complex(replace_variable(written, label, Tree(f"{float(label) + half}")), {})
            if moved is not None:
                room[0] += abs(moved.real - shown.real)
                room[1] += abs(moved.imag - shown.imag)
        if abs(exact.real - shown.real) <= room[0] and abs(exact.imag - shown.imag) <= room[1]:
            return True
    return False


def _take_inverses(tree: Tree) -> Tree:
    """Return a term with the residues of reciprocals worked out, as 2 for `3^{-1} mod 5`."""
    if tree.label == "mod" and len(tree.children) == 2 and WHOLE.match(tree.children[1].label):
        residue = find_residue(tree.children[0], int(tree.children[1].label))
        if residue is not None:
            return Tree(f"{residue}")
    return Tree(tree.label, tuple(map(_take_inverses, tree.children)))


def _are_values_of_logarithms(left: Tree, right: Tree) -> bool:
    """Return whether terms have the same exponential, as all values of a sum of logarithms."""
    powers = [evaluate_complex(Tree("exp", (side,)), {}) for side in (left, right)]
    return powers[0] is not None and powers[1] is not None and abs(powers[0] - powers[1]) < _RELATIVE_ERROR
