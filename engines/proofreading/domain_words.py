"""What a text can be about besides ordinary numbers, by the words that name it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engines.proofreading.phrase_search import index_phrases

_DOMAINS: Mapping[str, str] = {
    "residues": """
        modulo mod modular residue residues primitive_root clock_arithmetic legendre_symbol* jacobi_symbol*
        quadratic_residue* multiplicative_inverse discrete_log* gf galois_field
    """,
    "rings and groups": """
        ring rings subring* ideals an_ideal the_ideal prime_ideal maximal_ideal principal_ideal
        ideal_generated ideal_of integral_domain* coset cosets subgroup* abelian homomorphism* isomorphism*
        isomorphic automorphism* epimorphism* monomorphism* endomorphism* semigroup* groupoid* monoid*
        finite_field* field_extension* splitting_field* galois group_theory group_of_order be_a_group
        is_a_group group_in_which finite_group* group_operation identity_element group_action* cyclic_group*
        symmetric_group* dihedral zero_divisor* nilpotent annihilator p-adic characteristic_p
        characteristic_zero field_of_characteristic of_characteristic in_characteristic characteristic_two
        quaternion* clifford exterior_algebra grassmann anticommut* non-commutative noncommutative
        permutation_group* quotient_ring* quotient_group* noetherian unique_factorization
    """,
    "sets": """
        empty_set ordinal ordinals power_set cardinal cardinality von_neumann set_theory set_difference
        symmetric_difference axiom_of_choice zermelo
    """,
    "logic and bits": """
        boolean boole truth_value* truth_table* bitwise xor bits the_bit each_bit bitmask* bitshift* nim
        nimber*
    """,
    "digits": """
        in_binary binary_representation* binary_number* binary_digit* binary_notation binary_expansion*
        hexadecimal octal ternary in_base numeral_system* number_representation* balanced_ternary gray_code*
    """,
    "matrices": "matrix matrices",
}
"""What a text can be about besides ordinary numbers, by the words that say so."""
_OFTEN: Mapping[str, str] = {"rings and groups": "group groups field_of"}
"""Words that mean a domain only where they come often."""


_DISCRETE_LOGARITHMS = """
    discrete_log* index_calculus table_of_indices indices_modulo indices_mod logarithm_modulo
    logarithms_modulo logarithms_mod
"""


def names_discrete_logarithms(words: str) -> bool:
    """Return whether words speak of logarithms, or indices, modulo a number.

    >>> names_discrete_logarithms("discrete logarithms to the base"), names_discrete_logarithms("logarithms")
    (True, False)
    """
    return next(index_phrases(_DISCRETE_LOGARITHMS).iterate_spans(words), None) is not None


def find_domains(words: str, often: bool = False) -> Iterator[str]:
    """Return the domains besides numbers that words name, each as often as they do.

    Args:
        often: by the words that mean one only where they come often.
    """
    for domain, phrases in (_OFTEN if often else _DOMAINS).items():
        for _ in index_phrases(phrases).iterate_spans(words):
            yield domain
