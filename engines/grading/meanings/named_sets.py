"""Sets in words: `the whole real line`, alle reellen Zahlen außer 0, and primes by their remainders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import gcd, lcm

from engines.formula.vocabulary import SET_EXCLUSIONS, SETS_IN_WORDS
from engines.grading.answer_vocabulary import map_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.forms import REALS, Form, Many, Named, UnreadForm, Without
from engines.grading.numbers import Term
from engines.grading.reading import read_form
from engines.grading.tokens import AnswerToken, Phrases, is_blank, skip_blanks, tokenize, unwrap_texts
from engines.grading.verdicts import GradeVerdict, differ_by

_SETS = Phrases(SETS_IN_WORDS)
_LEADS = Phrases(
    dict.fromkeys(
        (
            *(
                *(
                    "Lösung:",
                    "Lösung ist",
                    "Lösungsmenge:",
                    "solution:",
                    "solutions:",
                    "Solution :",
                    "solución:",
                ),
                *("soluzione:", "solução:", "решение:", "ответ:", "Antwort:", "answer:", "the solution is"),
                *("the solutions are", "les solutions sont", "las soluciones son"),
                "the closure is",
                "the domain is",
                "the range is",
                "the set is",
                "it is",
                "the solution set is",
            ),
            *("domain", "range", "the domain of f is", "the answer is", "x is", "x can be", "x may be", ":"),
            *("the closure of Q is", "the image is", "the function is defined for", "defined for", "for"),
            *("der Definitionsbereich ist", "Definitionsbereich", "die Lösungsmenge ist", "le domaine est"),
            *("el dominio es", "область определения", "定义域为", "定義域は", "is", "are", "the interior is"),
            *("the image of f is", "the span is", "the kernel is", "x ∈", "x \\in", "the solution is", "—"),
        ),
        "",
    )
)
_LOOSE = " .$,"


def read_named_set(text: str) -> Form | None:
    """Return the set of numbers that a text names, with what it leaves out; None for other texts."""
    tokens = [token for token in unwrap_texts(tokenize(text.strip(_LOOSE))) if token.text != "$"]
    tokens = [
        token for at, token in enumerate(tokens) if token.text != "," or not _leaves_out(tokens, at + 1)
    ]
    at = skip_blanks(tokens, 0)
    while (lead := _LEADS.match(tokens, at)) is not None and _SETS.match(tokens, at) is None:
        at = skip_blanks(tokens, lead[0])
    match = _SETS.match(tokens, at)
    if match is None:
        return None
    at, (numbers, is_left_out) = match
    rest = "".join(token.text for token in tokens[at:]).strip(_LOOSE)
    whole = REALS if numbers == "ℝ" else read_form(numbers)
    if not is_left_out and rest and whole == REALS:
        return _read_bounded(tokens, at)
    if not is_left_out or not rest:
        return None if is_left_out or rest else whole
    left = read_form(_ZERO.get(rest.lower(), rest))
    value = left.value if isinstance(left, Named) else left
    items = value.items if isinstance(value, Many) else (value,)
    if whole != REALS or not all(isinstance(item, Term) for item in items):
        return None
    return Without(REALS, Many("set", items))


def _read_bounded(tokens: Sequence[AnswerToken], at: int) -> Form | None:
    """Return the numbers within a bound that words behind their set say: `that are at most 3`."""
    at = skip_blanks(tokens, at)
    while at < len(tokens) and (tokens[at].text == "," or _RELATIVES.match(tokens, at) is not None):
        lead = _RELATIVES.match(tokens, at)
        at = skip_blanks(tokens, at + 1 if lead is None else lead[0])
    bound = _BOUNDS.match(tokens, at)
    if bound is None:
        return None
    number = [token.text for token in tokens[bound[0] :] if token.text.lower() not in _FINAL_VERBS]
    spelt = "".join(number).strip(_LOOSE)
    form = read_form(f"x {bound[1]} {spelt}")
    is_number = isinstance(read_form(spelt), Term) and any(char.isdecimal() for char in spelt)
    return form if is_number else None


_RELATIVES = Phrases(
    dict.fromkeys(
        (
            *(
                "that are",
                "which are",
                "that is",
                "x that are",
                "x",
                "with x",
                "being",
                "die",
                "welche",
                "sind",
            ),
            *("qui sont", "que son", "che sono", "que são", "которые", "mit x"),
        ),
        "",
    )
)
_BOUNDS = map_phrases(
    {
        "≤": "at most, no greater than, not greater than, less than or equal to, no more than"
        ", not exceeding"
        ", not more than, höchstens, kleiner oder gleich, kleiner gleich, nicht größer als, au plus"
        ", inférieurs ou égaux à, a lo sumo, como máximo, menores o iguales que, menores o iguales a"
        ", al massimo, minori o uguali a, no máximo, menores ou iguais a, не больше, не более",
        "≥": "at least, no less than, not less than, greater than or equal to, mindestens"
        ", größer oder gleich"
        ", größer gleich, nicht kleiner als, au moins, supérieurs ou égaux à, al menos, como mínimo"
        ", mayores o iguales que, mayores o iguales a, almeno, maggiori o uguali a, pelo menos, no mínimo"
        ", maiores ou iguais a, не меньше, не менее",
        "<": "less than, smaller than, below, strictly less than, kleiner als, unter, inférieurs à"
        ", strictement inférieurs à, menores que, minori di, menores do que, меньше, меньшие",
        ">": "greater than, larger than, more than, above, strictly greater than, bigger than, größer als"
        ", über, supérieurs à, strictement supérieurs à, mayores que, maggiori di, maiores que"
        ", maiores do que, больше, большие",
    }.items()
)
"""Words for a bound of numbers, and its sign."""
_FINAL_VERBS = ("sind", "ist", "sein")


def _leaves_out(tokens: Sequence[AnswerToken], at: int) -> bool:
    """Return whether a word follows that leaves values out, as кроме behind a comma."""
    behind = skip_blanks(tokens, at)
    return behind < len(tokens) and tokens[behind].text in SET_EXCLUSIONS


_ZERO = {"zero": "0", "null": "0", "zéro": "0", "cero": "0", "нуля": "0"}


def compare_named_sets(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare a set in words with another or with a formula; None where no side is in words."""
    named = [read_named_set(side) for side in (gold, pred)]
    if named[0] is None and named[1] is None:
        return None
    forms = [
        one if one is not None else read_form(side.strip(_LOOSE))
        for one, side in zip(named, (gold, pred), strict=True)
    ]
    if any(isinstance(form, UnreadForm) for form in forms):
        return None
    compared = comparison.compare(forms[0], forms[1])
    return compared if compared.outcome in ("equal", "different") else None


# ---- primes


@dataclass(slots=True)
class PrimeSet:
    """Primes that leave certain remainders, and further ones."""

    modulus: int = 1
    remainders: set[int] = field(default_factory=set)
    further: set[int] = field(default_factory=set)
    is_complement: bool = False

    def contains(self, prime: int) -> bool:
        """Return whether a prime belongs to the set."""
        inside = prime % self.modulus in self.remainders
        return inside != self.is_complement or prime in self.further


_PRIME_WORDS = map_phrases(
    (
        (
            "prime",
            "primes, prime, prime numbers, prime number, Primzahlen, nombres premiers, números primos",
        ),
        ("prime", "primos, простые числа, простые, 素数, 质数"),
        ("odd", "odd primes, odd prime"),
        (
            "except",
            "except, except for, other than, that are not, not, außer, sauf, excepto, кроме",
        ),
        ("mod", "mod, modulo, \\pmod, \\bmod, \\mod"),
        ("form", "of the form, of form, der Form, de la forme, de la forma, вида, can be written as"),
        (
            "join",
            "and, or, or else, together with, and also, und, oder, et, ou, y, o, и, или, \\text",
        ),
        (
            "skip",
            "all, the, exactly, those, that are, which are, are, is, congruent to, ≡, \\equiv, p, q, =",
        ),
        (
            "skip",
            "leaving remainder, with, for some integer, k, n, precisely, every, any, \\ , to, only, of",
        ),
        (
            "skip",
            "these are, they are, alle, les, los, tous, todos, все, kongruent, integer, congruent, ∈",
        ),
    )
)


def read_prime_set(text: str) -> PrimeSet | None:
    """Return the primes that a text names by remainders; None for other texts.

    >>> [read_prime_set(text).contains(5) for text in ("p = 2 or p ≡ 1 (mod 4)", "primes of the form 4k+3")]
    [True, False]
    """
    tokens = [
        token
        for token in unwrap_texts(tokenize(text.strip(_LOOSE)))
        if not is_blank(token) and token.text not in ("$", "(", ")", "{", "}", ",", "\\quad")
    ]
    numbers: list[int] = []
    found = PrimeSet()
    is_form = False
    named = False
    at = 0
    while at < len(tokens):
        if is_form and (linear := _take_linear(tokens, at)) is not None:
            at, step, rest = linear
            if found.modulus not in (1, step):
                return None
            found.modulus = step
            found.remainders.add(rest % step)
            is_form = True
            continue
        match = _PRIME_WORDS.match(tokens, at)
        if match is not None:
            at, kind = match
            named = named or kind in ("prime", "odd")
            if kind == "odd":
                return None
            if kind == "except":
                if found.remainders or found.is_complement or numbers:
                    return None
                found.is_complement = True
            if kind == "form":
                is_form = True
            if kind == "mod":
                if at >= len(tokens) or not tokens[at].text.isdecimal() or not numbers:
                    return None
                modulus = int(tokens[at].text)
                at += 1
                if found.modulus not in (1, modulus) or modulus < 2:
                    return None
                # Of `p = 2 or p ≡ 1 (mod 4)` the last number alone is a remainder, or all of `1, 3 (mod 8)`.
                last = _count_remainders(tokens, at)
                found.further.update(numbers[:-last])
                found.remainders.update(number % modulus for number in numbers[-last:])
                found.modulus, numbers = modulus, []
            continue
        if not tokens[at].text.isdecimal() or len(tokens[at].text) > _MOST_DIGITS:
            return None
        numbers.append(int(tokens[at].text))
        at += 1
    if found.is_complement and (numbers or found.further):
        return None
    found.further.update(numbers)
    is_read = found.modulus > 1 and bool(found.remainders)
    return found if is_read and (named or "p" in {token.text for token in tokens}) else None


_MOST_DIGITS = 4


def _count_remainders(tokens: Sequence[AnswerToken], end: int) -> int:
    """Return how many numbers before `mod` stand behind the last sign of congruence."""
    count = 0
    for token in reversed(tokens[: end - 2]):
        if token.text in ("≡", "\\equiv", "=", "to"):
            break
        count += token.text.isdecimal()
    return max(count, 1)


def _take_linear(tokens: Sequence[AnswerToken], at: int) -> tuple[int, int, int] | None:
    """Return the index behind `4k + 1`, its step and its constant; None where none begins."""
    texts = [token.text for token in tokens[at : at + 4]]
    if len(texts) < 4 or not texts[0].isdecimal() or len(texts[1]) != 1 or not texts[1].isalpha():
        return None
    if texts[2] not in tuple("+-−") or not texts[3].isdecimal() or texts[0] == "0":
        return None
    return at + 4, int(texts[0]), int(texts[3]) * (1 if texts[2] == "+" else -1)


def compare_prime_sets(gold: str, pred: str) -> GradeVerdict | None:
    """Compare primes by their remainders; None where a text names none, or none of them says `prime`."""
    if "rime" not in gold + pred and "prim" not in gold + pred and "素数" not in gold + pred:
        return None
    mine = read_prime_set(gold)
    theirs = read_prime_set(pred) if mine is not None else None
    if mine is None or theirs is None:
        return None
    # A class of remainders that is coprime to the modulus has primes; the others have divisors of it.
    modulus = lcm(mine.modulus, theirs.modulus)
    tested = [*(mine.further | theirs.further), *range(2, modulus + 1)]
    tested += [_first_prime(rest, modulus) for rest in range(modulus) if gcd(rest, modulus) == 1]
    apart = next((p for p in sorted(tested) if _is_prime(p) and mine.contains(p) != theirs.contains(p)), None)
    if apart is None:
        return GradeVerdict("equal", reason="primes are compared by their remainders")
    return differ_by(f"{apart} belongs to one of them only")


def _is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _first_prime(rest: int, modulus: int) -> int:
    """Return a prime above the modulus that leaves a remainder coprime to it."""
    return next(number for number in range(modulus + rest, 10**7, modulus) if _is_prime(number))
