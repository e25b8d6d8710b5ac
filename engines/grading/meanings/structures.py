"""Groups and graphs by name: ℤ₂ × ℤ₃, C_6 and `the cyclic group of order 6` are one, up to isomorphism."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engines.grading.meanings.sentence_items import fold_word
from engines.grading.tokens import AnswerToken, Phrases, is_blank, tokenize, unwrap_texts
from engines.grading.verdicts import GradeVerdict, differ_by

FactorList = tuple[tuple[str, int, int], ...]
"""The factors of a product, each a name with its numbers; cyclic ones have the orders of prime powers."""

_LEADS = Phrases(
    dict.fromkeys(
        (
            *("it is isomorphic to", "isomorphic to", "it is", "the group is isomorphic to", "the group is"),
            *("G is isomorphic to", "is isomorphic to", "they are", "the groups are", "up to isomorphism"),
            *("the graph is", "this is", "the", "a", "an", "G ≅", "\\cong", "≅", "G", "group", "graph"),
            *("isomorphic zu", "die", "der", "das", "ist isomorph zu", "isomorph zu", "le", "la", "el", "is"),
            *("est isomorphe à", "isomorphe à", "es isomorfo a", "isomorfo a", "изоморфна", "同构于", "="),
            *(f"there are {count}" for count in ("two", "three", "four", "five", "2", "3", "4", "5")),
            *(f"there are exactly {count}" for count in ("two", "three", "four", "five", "2", "3", "4", "5")),
            *("direct product of", "product of", "direct sum of", "exactly", "namely", "answer", ":", "it"),
        ),
        "",
    )
)
_CYCLIC = Phrases(
    {
        **dict.fromkeys(
            (
                *("cyclic group of order", "cyclic group with", "cyclic group on", "cyclic of order"),
                *("zyklische gruppe der ordnung", "groupe cyclique d'ordre", "grupo cíclico de orden"),
                *(
                    "gruppo ciclico di ordine",
                    "циклическая группа порядка",
                    "integers modulo",
                    "integers mod",
                ),
                *("grupo cíclico de ordem", "additive group of integers modulo", "group of integers modulo"),
            ),
            "Z",
        ),
        **dict.fromkeys(
            ("symmetric group on", "symmetric group of degree", "symmetrische gruppe vom grad"), "S"
        ),
        **dict.fromkeys(("alternating group on", "alternating group of degree"), "A"),
        **dict.fromkeys(("dihedral group of order", "diedergruppe der ordnung"), "dihedral of order"),
        **dict.fromkeys(
            (
                "complete graph on",
                "complete graph with",
                "complete graph of order",
                "vollständiger graph mit",
            ),
            "K",
        ),
        **dict.fromkeys(
            ("cycle on", "cycle of length", "cycle graph on", "cycle with", "cycle graph with"), "cycle"
        ),
        **dict.fromkeys(("path on", "path with", "path graph on"), "path"),
        **dict.fromkeys(("star with", "star on"), "star"),
    }
)
_KLEIN_GROUP: FactorList = (("Z", 2, 0), ("Z", 2, 0))
_NAMED: Phrases[FactorList] = Phrases(
    {
        **dict.fromkeys(("klein four-group", "klein four group", "klein 4-group"), _KLEIN_GROUP),
        "kleinsche vierergruppe": _KLEIN_GROUP,
        "trivial group": (),
        "quaternion group": (("Q", 8, 0),),
        "infinite cyclic group": (("Z", 0, 0),),
        "infinite cyclic": (("Z", 0, 0),),
        "petersen graph": (("petersen", 0, 0),),
    }
)
_BIPARTITE = Phrases(
    dict.fromkeys(
        (
            "complete bipartite graph with",
            "complete bipartite graph on",
            "vollständiger bipartiter graph mit",
        ),
        "",
    )
)
_PARTS = Phrases(
    dict.fromkeys(
        (
            *("vertices", "elements", "letters", "symbols", "objects", "vertex", "points", "nodes", "edges"),
            *(
                "in each part",
                "in each class",
                "per part",
                "each",
                "in one part",
                "in the other",
                "parts of",
                "of",
            ),
            *("ecken", "knoten", "sommets", "vértices", "of size", "sizes", "parts", "in the first part"),
            *("in the second part", "part sizes", "and", "vertices in each part", "on each side"),
        ),
        "",
    )
)
_NUMERALS = {
    word: number
    for number, word in enumerate(
        ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 2
    )
}
_TIMES = ("×", "\\times", "⊕", "\\oplus", "x")


def _list_tokens(text: str) -> list[AnswerToken]:
    return [
        token
        for token in unwrap_texts(tokenize(text.strip(" .$")))
        if not is_blank(token)
        and token.text
        not in ("$", "{", "}", "\\mathbb", "\\mathbf", "\\left", "\\right", "\\,", "\\;", "\\ ")
    ]


def read_structures(text: str) -> list[FactorList] | None:
    r"""Return the groups or graphs that a text lists, each in its normal form; None for other texts.

    >>> read_structures(r"\mathbb Z_2\times\mathbb Z_3") == read_structures("the cyclic group of order 6")
    True
    >>> read_structures("Z_2 × Z_2") == read_structures("Z_4")
    False
    """
    parser = _StructureParser(_list_tokens(text))
    return parser.parse_list()


class _StructureParser:
    """Parser of products of named groups, and of graphs."""

    def __init__(self, tokens: Sequence[AnswerToken]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self, step: int = 0) -> str:
        at = self.at + step
        return self.tokens[at].text if at < len(self.tokens) else ""

    def take(self, *texts: str) -> bool:
        if self.peek() and self.peek() in texts:
            self.at += 1
            return True
        return False

    def take_phrase(self, phrases: Phrases[str]) -> str | None:
        match = phrases.match(self.tokens, self.at)
        if match is None:
            return None
        self.at = match[0]
        return match[1]

    def parse_list(self) -> list[FactorList] | None:
        found: list[FactorList] = []
        while self.at < len(self.tokens):
            while self.take_phrase(_LEADS) is not None:
                pass
            structure = self.parse_product()
            if structure is None:
                return None
            found.append(structure)
            if self.at < len(self.tokens) and not self.take(
                ",", ";", "and", "or", "und", "et", "y", "、", "和"
            ):
                return None
            self.take("and", "or")
        return found or None

    def parse_product(self) -> FactorList | None:
        factors: list[tuple[str, int, int]] = []
        while True:
            while self.take_phrase(_LEADS) is not None:
                pass
            factor = self.parse_factor()
            if factor is None:
                return None
            factors += factor
            if not self.take(*_TIMES):
                break
        return _normalise(factors)

    def parse_factor(self) -> list[tuple[str, int, int]] | None:
        """Return one factor, or several of them for a power."""
        if self.take("("):
            inside = self.parse_product()
            if inside is None or not self.take(")"):
                return None
            base = list(inside)
        else:
            single = self.parse_single()
            if single is None:
                return None
            base = list(single)
        if self.take("^"):
            power = self.take_number()
            return base * power if power else None
        return base

    def parse_single(self) -> FactorList | None:
        if (match := _NAMED.match(self.tokens, self.at)) is not None:
            self.at = match[0]
            return match[1]
        if self.take_phrase(_BIPARTITE) is not None:
            return self.parse_parts()
        if (kind := self.take_phrase(_CYCLIC)) is not None:
            number = self.take_number()
            while self.take_phrase(_PARTS) is not None:
                pass
            return ((kind, number, 0),) if number else None
        return self.parse_symbol()

    def parse_parts(self) -> FactorList | None:
        """Return a complete bipartite graph by the sizes of its parts."""
        sizes: list[int] = []
        each = False
        while True:
            number = self.take_number()
            # `two parts of 3 vertices each`: the first number counts the parts.
            if number == 2 and not sizes and fold_word(self.peek()) == "part":
                continue
            if number:
                sizes.append(number)
                continue
            start = self.at
            if self.take_phrase(_PARTS) is None:
                break
            each = each or any(fold_word(token.text) == "each" for token in self.tokens[start : self.at])
        sizes = sizes * 2 if each and len(sizes) == 1 else sizes
        return (("K", *sorted(sizes)),) if len(sizes) == 2 else None  # type: ignore[return-value]

    def parse_symbol(self) -> FactorList | None:
        name = self.peek()
        if name in ("Z", "ℤ") and self.peek(1) == "/":
            self.at += 2
            bracketed = self.take("(")
            number = self.take_number()
            self.take("\\mathbb")
            self.take("Z", "ℤ")
            if bracketed and not self.take(")"):
                return None
            return (("Z", number, 0),) if number else None
        if name not in ("Z", "ℤ", "C", "S", "A", "D", "Q", "V", "K", "P"):
            return None
        self.at += 1
        marked = self.take("_")
        number = self.take_number()
        if not number:
            return (("Z", 0, 0),) if name in ("Z", "ℤ") and not marked else None
        if name == "K" and self.take(","):
            other = self.take_number()
            return (("K", *sorted((number, other))),) if other else None  # type: ignore[return-value]
        if name == "V" and number == 4:
            return _KLEIN_GROUP
        return (({"ℤ": "Z", "C": "Z", "P": "path"}.get(name, name), number, 0),)

    def take_number(self) -> int:
        """Return the number that is taken; 0 without one."""
        text = self.peek()
        if text.isdecimal() and len(text) < len("1000000"):
            self.at += 1
            return int(text)
        if text.translate(_SUBSCRIPTS).isdecimal() and text:
            self.at += 1
            return int(text.translate(_SUBSCRIPTS))
        number = _NUMERALS.get(text.lower(), 0)
        self.at += bool(number)
        return number


_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def _normalise(factors: Sequence[tuple[str, int, int]]) -> FactorList:
    """Return factors in order: cyclic groups as those of prime powers, and small groups under one name."""
    parts: list[tuple[str, int, int]] = []
    for name, number, other in factors:
        if (name, number) == ("D", 3) or (name, number) == ("dihedral of order", 6):
            name, number = "S", 3
        if (name, number) in (("S", 2), ("K", 2)) and not other:
            name = "Z" if name == "S" else "path"
        if (name, number) == ("A", 3):
            name = "Z"
        if name == "Z" and number:
            parts += [("Z", power, 0) for power in _prime_powers(number)]
        else:
            parts.append((name, number, other))
    return tuple(sorted(parts))


def _prime_powers(number: int) -> list[int]:
    powers, prime = [], 2
    while number > 1:
        power = 1
        while number % prime == 0:
            number //= prime
            power *= prime
        if power > 1:
            powers.append(power)
        prime = prime + 1 if prime * prime <= number else max(number, 2)
    return powers


def compare_structures(gold: str, pred: str) -> GradeVerdict | None:
    """Compare groups or graphs that both texts name; None where one of them names others."""
    mine = read_structures(gold)
    theirs = read_structures(pred) if mine is not None else None
    if mine is None or theirs is None:
        return None
    kinds = [{name for structure in side for name, _, _ in structure} for side in (mine, theirs)]
    # C_n is a cyclic group or a cycle, and D_n has 2n elements to some and n to others.
    if any("dihedral of order" in said for said in kinds) and any("D" in said for said in kinds):
        return None
    if any("cycle" in said for said in kinds) and any("Z" in said for said in kinds):
        return None
    if Counter(mine) == Counter(theirs):
        return GradeVerdict("equal", reason="groups are compared up to isomorphism, graphs by their name")
    apart = [
        _spell_structures(Counter(one) - Counter(other)) for one, other in ((mine, theirs), (theirs, mine))
    ]
    return differ_by(" and ".join(part or "no other" for part in apart))


def _spell_structures(structures: Counter[FactorList]) -> str:
    return ", ".join(
        " × ".join(f"{name}_{number}" + f",{other}" * bool(other) for name, number, other in structure) or "1"
        for structure in structures
    )
