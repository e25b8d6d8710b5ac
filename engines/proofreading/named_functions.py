r"""Functions that a text means by their usual letters and does not define: that of Euler, `\varphi(72) = 24`,
and the one of the standard normal distribution, `\Phi(1) = 0.8413`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from engines.core.tree import Tree
from engines.proofreading.phrase_search import index_phrases
from engines.proofreading.term_properties import WHOLE, evaluate_term, free_symbols

_TOTIENT, _NORMAL, _DIVISORS, _SUM = "φ", "Φ", "τ", "σ"
_PHRASES: Mapping[str, str] = {
    _TOTIENT: "totient* euler's_function euler_function euler's_§ euler's_phi euler_phi euler's_theorem",
    _DIVISORS: "number_of_divisors divisor_function",
    _SUM: "sum_of_divisors sum_of_the_divisors sum_of_all_divisors",
    _NORMAL: "normal_distribution* normally_distributed standard_normal normal_random_variable*",
}
"""Words of a document that say that a letter is such a function."""
_LARGEST, _MOST = 10**6, 10**4


def name_functions(words: str) -> frozenset[str]:
    """Return the letters that are such functions in a document. Args: words: all its words."""
    return frozenset(
        letter
        for letter, phrases in _PHRASES.items()
        if next(index_phrases(phrases).iterate_spans(words), None) is not None
    )


def work_out_named(tree: Tree, letters: frozenset[str]) -> Tree:
    """Return a term with the values of such functions at numbers.

    >>> work_out_named(Tree("call", (Tree("φ"), Tree("72"))), frozenset("φ")).label
    '24'
    """
    if not tree.children or not letters:
        return tree
    if tree.label == "call" and len(tree.children) == 2 and tree.children[0].label in letters:
        letter, argument = tree.children[0].label, tree.children[1]
        if letter == _TOTIENT and WHOLE.match(argument.label) and 0 < int(argument.label) <= _LARGEST:
            return Tree(str(_count_coprime(int(argument.label))))
        if letter in (_DIVISORS, _SUM) and WHOLE.match(argument.label) and 0 < int(argument.label) <= _MOST:
            number = int(argument.label)
            divisors = [each for each in range(1, number + 1) if number % each == 0]
            return Tree(str(len(divisors) if letter == _DIVISORS else sum(divisors)))
        value = evaluate_term(argument, {}) if letter == _NORMAL and not free_symbols(argument) else None
        if value is not None:
            return Tree(f"{(1 + math.erf(value / math.sqrt(2))) / 2:.15f}")
    return Tree(tree.label, tuple(work_out_named(child, letters) for child in tree.children))


def _count_coprime(number: int) -> int:
    """Return how many of the numbers up to a number have no divisor in common with it."""
    result, rest, prime = number, number, 2
    while prime * prime <= rest:
        if rest % prime == 0:
            result -= result // prime
            while rest % prime == 0:
                rest //= prime
        prime += 1
    return result - result // rest if rest > 1 else result
