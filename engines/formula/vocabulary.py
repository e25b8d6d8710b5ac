"""What letters, words and texts are in a formula: functions, relations, units, connectives between formulas;
and the pieces of a line with words, aligned rows and arguments found in them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.core.expression_language import ALIASES, FURTHER, HYPERBOLIC, TRIGONOMETRIC
from engines.core.tree import ZERO, Tree
from engines.formula.layout import Piece
from engines.formula.operator_tree import OperatorTree
from engines.formula.symbols import PieceRole, list_meanings

RELATION_NAMES = {label: symbol.term for label, symbol in list_meanings(PieceRole.RELATION).items()}
"""What relations are called in terms, by their labels in operator trees."""
SET_OPERATIONS = {label: symbol.term for label, symbol in list_meanings(PieceRole.ADD).items()}
"""What operations on sets are called in terms, by their labels in operator trees."""
TRIGONOMETRIC_AND_HYPERBOLIC = (*TRIGONOMETRIC, *HYPERBOLIC)
_WRITTEN_AS_SIGNS = ("factorial", "gamma", "mod", "root")
"""Operators that formulas write with a sign of their own, and never by these names."""
ONE_PLACE = {
    **{
        name: name
        for name in (
            *TRIGONOMETRIC_AND_HYPERBOLIC,
            *("ln", "exp", "abs", "tr", "det"),
            *(name for name, count in FURTHER.items() if count == 1 and name not in _WRITTEN_AS_SIGNS),
        )
    },
    **{f"a{name}": f"a{name}" for name in TRIGONOMETRIC_AND_HYPERBOLIC},
    **ALIASES,
    **dict.fromkeys(("sgn", "signum"), "sign"),
    "sh": "sinh",
    "ch": "cosh",
    "th": "tanh",
    "cth": "coth",
    **{f"ar{name}": f"a{full}" for name, full in (("sh", "sinh"), ("ch", "cosh"), ("th", "tanh"))},
    "ceiling": "ceil",
    "Re": "re",
    "Im": "im",
    "ℜ": "re",
    "ℑ": "im",
    "arg": "arg",
    "Arg": "arg",
    "Tr": "tr",
    "trace": "tr",
    "real": "re",
    "imag": "im",
    "sqrt": "sqrt",
    "conj": "conj",
    "log": "log",
    "lg": "log",
    "cis": "cis",
}
"""Functions of one argument by their names in print, and their labels."""
NAMES_IN_TEXT = frozenset(
    (
        *TRIGONOMETRIC_AND_HYPERBOLIC,
        *(f"a{name}" for name in TRIGONOMETRIC_AND_HYPERBOLIC),
        *ALIASES,
        "sqrt",
        "ln",
        "log",
        "exp",
        "det",
    )
)
"""Names that are functions in plain text too: `round`, `sign` and `real` are also words."""
SEVERAL = {"min": "min", "max": "max", "gcd": "gcd", "lcm": "lcm", "GCD": "gcd", "LCM": "lcm"}
PAIRS = {
    **{
        name: name
        for name, count in FURTHER.items()
        if count == 2 and name not in (*_WRITTEN_AS_SIGNS, *SEVERAL)
    },
    "binom": "binomial",
}
"""Functions of two arguments in brackets by their names in print, and their labels."""
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi"
    " chi psi omega varepsilon varphi Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega"
)
GREEK = frozenset(_GREEK.split())
"""Names of Greek letters."""
RANGING = {
    **{name: name for name in ("argmax", "argmin", "sup", "limsup", "liminf", "esssup", "essinf")},
    "inf": "infimum",
}
"""Names of operators over a range that stands below them, and what they are called."""
EXPECTED = frozenset(("𝔼", "ℙ", "𝕍", "Var", "Cov", "Corr", "Pr", "SD", "SE", "Prob"))
"""Names that are functions before any bracket: expectations and probabilities."""
PROBABILITIES = EXPECTED | {"P", "E"}
"""Names of functions of events in answers."""
CONSTANT_SIGNS = ("⊥", "⊤", "⋆", "∅", "♯", "♭", "★")
SIGNS = ("℘", "□", "◇", "◊", "△", "▽", "◻", *CONSTANT_SIGNS)
"""Signs that are no letters: those that stand alone, and those that may apply to what follows."""
GIVEN = ("|", "∥", "\\mid", "\\middle|", "\\vert")
"""Bars before what is given, as in conditional probabilities."""
SETS_OF_NUMBERS = ("ℝ", "ℤ", "ℕ", "ℚ", "ℂ")
USUAL_FUNCTION_LETTERS = frozenset("fghFGφϕψΦΨΓζ")
"""Letters that are functions before a bracket unless the document says otherwise."""
BETWEEN_NUMBERS = {"choose": "binomial", "out of": "/"}
"""Words between two numbers that make one of them, and the operators that these are."""
CONNECTIVES = {
    **dict.fromkeys(("and", "et", "und", "&", "и", "和", "与", "且"), "and"),
    **dict.fromkeys(("or", "oder", "ou", "или", "或", "或者", "または", "또는"), "or"),
    **dict.fromkeys(("if", "when", "whenever", "for", "where", "with", "provided", "as"), "if"),
    **dict.fromkeys(
        ("für", "wobei", "mit", "falls", "wenn", "pour", "où", "avec", "si", "para", "donde"), "if"
    ),
    **dict.fromkeys(("con", "где", "при", "если", "其中", "当"), "if"),
    **dict.fromkeys(("iff", "if and only if", "is equivalent to"), "iff"),
    **dict.fromkeys(("implies", "then", "so", "thus", "hence", "therefore", "gives"), "implies"),
    **dict.fromkeys(("only if", "is sufficient for", "is a sufficient condition for"), "implies"),
    **dict.fromkeys(("is necessary for", "is a necessary condition for"), "if"),
}
IMPLICATIONS = tuple(
    words for words, label in CONNECTIVES.items() if " " in words and label in ("if", "implies")
)
"""Connectives of several words between two statements."""
REMARKS_ON_OR = {**dict.fromkeys(("but not both", "and not both", "not both"), True), "or both": False}
"""Remarks behind two statements joined by `or`, and whether exactly one of them holds by them."""
_RANGES = {
    "": "",
    **dict.fromkeys(("real", "real numbers", "reals", "real number"), "ℝ"),
    **dict.fromkeys(("integers", "integer", "whole numbers"), "ℤ"),
    **dict.fromkeys(("natural numbers", "natural number"), "ℕ"),
    **dict.fromkeys(("rational numbers", "rational number", "rational"), "ℚ"),
    **dict.fromkeys(("complex numbers", "complex number", "complex"), "ℂ"),
    **dict.fromkeys(("réel", "réels", "reellen", "reellen Zahlen", "real", "действительных"), "ℝ"),
    **dict.fromkeys(("entier", "entiers", "ganzen Zahlen", "entero", "целых"), "ℤ"),
}
QUANTIFYING_PHRASES = {
    f"{phrase} {word}".strip(): (label, numbers)
    for label, phrases in (
        ("forall", ("for all", "for every", "for each", "for any")),
        (
            "forall",
            ("für alle", "für jedes", "pour tout", "pour tous", "para todo", "для всех", "для любого"),
        ),
        ("exists", ("for some", "there is", "there is a", "there is an", "there exist", "there exists")),
        ("exists", ("there exists a", "there exists an", "there exists some", "for some")),
    )
    for phrase in phrases
    for word, numbers in _RANGES.items()
}
"""Words that quantify what follows them: the label, and the numbers that it ranges over, if any."""
MEMBERSHIP_PHRASES = {
    f"{verb} {word}": numbers
    for verb in ("is a", "is an", "is any", "are", "is")
    for word, numbers in _RANGES.items()
    if word
}
"""Words behind a letter that say which numbers it stands for."""
SPOKEN_ROOTS = {
    f"{article}{root} of": index
    for article in ("", "the ")
    for root, index in (
        ("square root", ""),
        ("cube root", "[3]"),
        ("cubic root", "[3]"),
        ("fourth root", "[4]"),
    )
} | {"quadratwurzel aus": "", "racine carrée de": "", "raíz cuadrada de": ""}
"""Words before what a root is taken of, and how LaTeX writes which root."""
_BOUNDS = {
    ">": ("greater than", "more than", "larger than", "bigger than", "strictly greater than", "größer als"),
    "<": ("less than", "smaller than", "strictly less than", "kleiner als"),
}
BARE_BOUNDS = frozenset(phrase for phrases in _BOUNDS.values() for phrase in phrases)
"""Words that are a relation without a verb only behind `and` or at the beginning."""
DIFFERENCES = {
    **dict.fromkeys(("less than", "fewer than", "smaller than"), "-"),
    **dict.fromkeys(("more than", "greater than", "larger than"), "+"),
}
"""Words behind a number that take it from what follows, or add it: `1 less than 2^10`."""
BETWEENS = (
    {
        f"{verb}{how}{word}": closed
        for verbs, hows, words in (
            (
                ("", "is ", "are ", "lies ", "must be ", "has to be ", "can be ", "must lie ", "ranges "),
                {"": None, "strictly ": False, "inclusively ": True},
                ("between",),
            ),
            (("", "ist ", "liegt "), {"": None, "echt ": False, "strikt ": False}, ("zwischen",)),
            (
                ("", "est ", "est compris ", "est strictement compris "),
                {"": None, "strictement ": False},
                ("entre",),
            ),
            (("", "está ", "находится ", "лежит "), {"": None, "строго ": False}, ("между", "entre")),
        )
        for verb in verbs
        for how, closed in hows.items()
        for word in words
    }
    | {
        f"{article}{interval} {word}": closed
        for article in ("", "the ", "in the ", "is the ")
        for interval, closed in (("closed interval", True), ("open interval", False), ("interval", None))
        for word in ("from", "between")
    }
    | {
        **dict.fromkeys(("отрезок от", "das abgeschlossene intervall von", "l'intervalle fermé de"), True),
        **dict.fromkeys(("интервал от", "das offene intervall von", "l'intervalle ouvert de"), False),
        **dict.fromkeys(("промежуток от", "das intervall von", "l'intervalle de", "from"), None),
    }
)
"""Words before two bounds, and whether these belong to what is said; None where that is left open."""
RANGE_WORDS = ("to", "through", "до", "bis", "à")
"""Words other than `and` before the second of two bounds."""
BETWEEN_REMARKS = {
    **dict.fromkeys(("inclusive", "both inclusive", "inclusively", "inklusive", "включительно"), True),
    **dict.fromkeys(("exclusive", "both exclusive", "exclusively", "not inclusive", "exklusive"), False),
}
"""Words behind the bounds that say so."""
DENIALS_OF_STATEMENTS = (
    *("it is not the case that", "it is not true that", "it is false that", "not the case that"),
    *("il est faux que", "no es cierto que", "неверно что", "es gilt nicht"),
)
"""Words that deny the statement behind them."""
SPOKEN_SIGNS = {
    **dict.fromkeys(("equals", "is equal to", "are equal to", "must equal", "must be equal to"), "="),
    **dict.fromkeys(
        ("ist gleich", "est égal à", "est égale à", "es igual a", "равно", "равен", "равна"), "="
    ),
    **{
        f"{verb}{words}": sign
        for verb in ("", "is ", "are ", "must be ", "has to be ", "can be ", "should be ", "ist ")
        for sign, phrases in (
            (r"\ge ", ("at least", "no less than", "not less than", "greater than or equal to")),
            (r"\ge ", ("mindestens", "bigger than or equal to", "larger than or equal to")),
            (r"\le ", ("at most", "no more than", "no greater than", "less than or equal to")),
            (r"\le ", ("smaller than or equal to", "not greater than", "not more than", "höchstens")),
            *_BOUNDS.items(),
            (r"\ne ", ("not equal to", "different from", "ungleich")),
        )
        for words in phrases
    },
    **{
        f"{verb}{words}": r"\in "
        for verb in ("", "is ", "must ", "must be ", "has to ", "has to be ")
        for words in ("in the interval", "in the set", "an element of", "lie in", "lie in the interval")
    },
    **dict.fromkeys(("is in", "must be in", "lies in", "lies in the interval", "belongs to"), r"\in "),
    **dict.fromkeys(("liegt in", "appartient à", "pertenece a", "принадлежит", "属于"), r"\in "),
    "plus": "+",
    "minus": "-",
    "times": r"\cdot ",
    "divided by": "/",
    "squared": "^{2}",
    "cubed": "^{3}",
}
"""Signs in words, and how LaTeX writes them."""
_EXCEPT = ("except", "except for", "other than", "excluding", "without", "but not", "apart from")
_EXCEPT_ELSEWHERE = (
    "außer",
    "ohne",
    "sauf",
    "excepté",
    "excepto",
    "salvo",
    "кроме",
    "tranne",
    "eccetto",
    "exceto",
)
SET_EXCLUSIONS = (*_EXCEPT, *_EXCEPT_ELSEWHERE)
"""Words behind a set of numbers for what it does not have."""
_SIGNS = (
    *(("positive ", "ℝ+"), ("negative ", "ℝ-")),
    *((f"{word} ", "ℝ+0") for word in ("nonnegative", "non-negative")),
    *((f"{word} ", "ℝ-0") for word in ("nonpositive", "non-positive")),
)
SIGNS_OF_NUMBERS = {
    f"{sign}0": mark
    for mark, signs in (
        *(("+", ">"), ("-", "<"), ("+0", r"\ge \geq \geqslant ≥")),
        ("-0", r"\le \leq \leqslant ≤"),
    )
    for sign in signs.split()
}
"""Subscripts of a set of numbers, and what its name ends with by them."""
_INFINITE = Tree("inf")
_MINUS_INFINITE = Tree("*", (Tree("-1"), _INFINITE))
HALF_LINES = {
    "ℝ+": Tree("interval", (Tree("oo"), ZERO, _INFINITE)),
    "ℝ+0": Tree("interval", (Tree("co"), ZERO, _INFINITE)),
    "ℝ-": Tree("interval", (Tree("oo"), _MINUS_INFINITE, ZERO)),
    "ℝ-0": Tree("interval", (Tree("oc"), _MINUS_INFINITE, ZERO)),
}
"""Sets of all real numbers of a sign, and of these with 0."""
SETS_IN_WORDS = {
    f"{article}{plural}{exclusion}": (numbers, bool(exclusion))
    for article in ("", "all ", "the ", "all the ", "the set of ", "the set of all ", "every ", "any ")
    for plural, numbers in (
        *(("real numbers", "ℝ"), ("reals", "ℝ"), ("real number", "ℝ"), ("integers", "ℤ"), ("integer", "ℤ")),
        *((f"{sign}{plural}", label) for sign, label in _SIGNS for plural in ("real numbers", "reals")),
        *(("positive integers", "ℤ+"), ("natural numbers", "ℕ")),
        *(("rational numbers", "ℚ"), ("rationals", "ℚ"), ("complex numbers", "ℂ")),
    )
    for exclusion in ("", *(f" {word}" for word in _EXCEPT))
    if article or plural.endswith("s")
} | {
    f"{phrase}{exclusion}": (numbers, bool(exclusion))
    for numbers, phrases in (
        ("ℝ", ("alle reellen zahlen", "jede reelle zahl", "tous les réels", "tout réel", "tout nombre réel")),
        ("ℝ", ("tous les nombres réels", "todos los números reales", "todo número real", "todos los reales")),
        ("ℝ", ("все действительные числа", "любое действительное число", "tutti i numeri reali")),
        (
            "ℝ",
            (
                "the real line",
                "the whole real line",
                "the entire real line",
                "whole real line",
                "alle reellen",
            ),
        ),
        ("ℝ", ("die reelle achse", "die ganze reelle achse", "la droite réelle", "toda la recta real")),
        ("ℝ", ("вся числовая прямая", "整个实数轴", "実数全体", "todos os números reais", "tutti i reali")),
        ("ℝ", ("all reals", "every real", "any real", "全体实数", "所有实数", "一切实数", "すべての実数")),
        ("ℤ", ("alle ganzen zahlen", "tous les entiers", "todos los enteros", "все целые числа", "所有整数")),
    )
    for phrase in phrases
    for exclusion in ("", *(f" {word}" for word in _EXCEPT_ELSEWHERE))
}
"""Words for a set of numbers, and whether what follows them is excluded: `all real numbers except`."""
_MOST_WORDS = max(len(phrase.split()) for phrase in SETS_IN_WORDS)
_LONGEST_WORDS = 2 * max(map(len, SETS_IN_WORDS))
_FIRST_WORDS = frozenset(phrase.split()[0] for phrase in SETS_IN_WORDS)


REPETITIONS = {
    **dict.fromkeys(("twice", "double", "double root", "repeated twice", "doppelt", "racine double"), 2),
    **dict.fromkeys(("doppelte Nullstelle", "двойной корень", "дважды", "二重根", "重根"), 2),
    **dict.fromkeys(("triple", "triple root", "thrice", "dreifach", "三重根"), 3),
}
"""Remarks behind a value, and how often it counts by them."""
MULTIPLICITIES = (
    *("multiplicity", "with multiplicity", "of multiplicity", "mult.", "mult", "mit vielfachheit"),
    *("vielfachheit", "de multiplicité", "multiplicité", "con multiplicidad", "кратности"),
)
"""Words before how often a value counts."""


def count_repetitions(remark: Tree) -> int:
    """Return how often a value counts by the remark that it is multiplied by: `(twice)`, `(multiplicity 2)`;
    0 for other terms."""
    label, parts = remark.label, remark.children
    if label == "unit":
        words = parts[0].label.strip("() ,")
        *before, last = words.split() or [""]
        if last.isdigit() and " ".join(before).lower() in MULTIPLICITIES:
            return int(last)
        return REPETITIONS.get(words, REPETITIONS.get(words.lower(), 0))
    named = label == "*" and parts[0].label.replace("_", " ") in MULTIPLICITIES
    if named and parts[1].label.isdigit():
        return int(parts[1].label)
    return REPETITIONS.get(label, 0) if len(label) > 1 else 0


def begins_with_set(text: str) -> bool:
    """Return whether a text begins with words for a set of numbers."""
    words = text[:_LONGEST_WORDS].lower().split()[:_MOST_WORDS]
    if not words or words[0] not in _FIRST_WORDS:
        return False
    return any(" ".join(words[:count]) in SETS_IN_WORDS for count in range(1, len(words) + 1))


PARITIES = {
    f"{verb}{word}": remainder
    for verb in ("", "is ", "is an ", "are ")
    for word, remainder in (("even", "0"), ("odd", "1"), ("even integer", "0"), ("odd integer", "1"))
}
"""Words behind a letter that say what it leaves when divided by two."""
EVERY_PARITY = {
    f"{every} {word}": PARITIES[word] for every in ("all", "every", "any") for word in ("even", "odd")
}
"""Words before a letter that say so."""
_OPERATORS = (
    "sum prod integral antiderivative limit floor ceil round factorial gamma conj binomial pochhammer mod"
    " call pm tuple list set interval union intersection without matrix row det tr transpose inverse unit"
    " text root not pow log d e i pi inf in subset approx congruent and or implies iff re im arg sign forall"
    " exists cases such"
)
_RESERVED = frozenset((*_OPERATORS.split(), *FURTHER, *ONE_PLACE.values(), *SEVERAL.values()))
_SPELT = frozenset(
    (
        *TRIGONOMETRIC,
        *("sinh", "cosh", "tanh", "coth"),
        *(f"arc{name}" for name in ("sin", "cos", "tan")),
        "log",
        "ln",
        "exp",
        "lim",
        "mod",
        "gcd",
        "lcm",
        "sqrt",
    )
)
_FIRST = frozenset((*(word[0] for word in _SPELT), "R", "I"))
_ALIGNED = re.compile(
    r"\\?(?:align|aligned|alignat|alignedat|flalign|eqnarray|gather|gathered|multline|split|eqalign|eqalignno"
    r"|displaylines)\*?\Z"
)
_FAR = 200
"""Pieces that are looked at to tell a function from a product."""


@dataclass(frozen=True, slots=True)
class Line(OperatorTree):
    """An argument whose pieces are read later, where more is known of the letters in it."""

    parts: tuple[Piece, ...] = ()


def make_line(parts: list[Piece]) -> OperatorTree:
    """Return a line of pieces as a tree whose words are joined."""
    return Line("line", (), None, tuple(join_words(parts)))


def is_one_factor(parts: Sequence[Piece]) -> bool:
    """Return whether pieces are one, or all of them stand between the first and its closing bracket."""
    if len(parts) < 2:
        return True
    depth = 0
    for piece in parts[:-1]:
        depth += (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE)
        if depth < 1:
            return False
    return True


def argument_pieces(tree: OperatorTree) -> tuple[Piece, ...]:
    """Return the pieces of an argument."""
    return tree.parts if isinstance(tree, Line) else ()


def spell_argument(tree: OperatorTree) -> str:
    """Return the pieces of an argument as they are written."""
    return "".join(one.text for one in argument_pieces(tree))


def name_of(piece: Piece) -> str:
    """Return the name of a letter or word."""
    label = piece.alone.label
    if label[2:3] == "\\":
        return label[3:]
    if label.startswith("V!italic-"):
        return {"ε": "ϵ", "φ": "ϕ"}.get(label[9:], label[9:])
    return "ℓ" if piece.text == "\\ell" else label[2:]


def is_name(name: str) -> bool:
    """Return whether a text is a name: letters, digits, marks, underscores and primes."""
    return name[:1].isalpha() and all(
        one.isalnum() or unicodedata.combining(one) or one in "'_" for one in name
    )


def variable_name(name: str) -> str:
    """Return the label of a letter or word that is a variable: what is a label of the language gets a
    mark.
    """
    return f"{name}_" if name in _RESERVED else name


def sequence_name(name: str) -> str:
    """Return the label of a sequence as the name of a call: a word that is a label of the language gets a
    mark, and a letter does not, whose place tells it from a constant.

    >>> sequence_name("sum"), sequence_name("e")
    ('sum_', 'e')
    """
    return variable_name(name) if len(name) > 1 else name


def is_variable(piece: Piece) -> bool:
    """Return whether a piece is a single letter."""
    return piece.role == PieceRole.UNKNOWN and len(name := name_of(piece)) == 1 and is_name(name)


def words_of(piece: Piece) -> str:
    """Return the words of a text without the marks around them, in small letters."""
    label = piece.alone.label
    return label[2:].strip(" .,;:").lower() if label.startswith("T!") else ""


def is_alignment_mark(piece: Piece) -> bool:
    """Return whether a piece is an alignment mark."""
    return piece.role == PieceRole.STRAY and piece.text == "&"


def says_nothing(piece: Piece) -> bool:
    """Return whether a piece says nothing: a mark of alignment, a new line, an empty text."""
    label = piece.alone.label
    return (
        is_alignment_mark(piece)
        or piece.text in ("\\\\", "\\therefore", "\\because")
        or (label.startswith("T!") and not label[2:].strip())
    )


def is_connective(piece: Piece) -> bool:
    """Return whether a piece is a text that joins formulas: `and`, `if`, `for all`."""
    words = words_of(piece)
    return words in CONNECTIVES or words in QUANTIFYING_PHRASES or words in REMARKS_ON_OR


def join_words(parts: list[Piece]) -> list[Piece]:
    """Return the pieces with letters side by side that spell a function, as in `sin x`, as one word."""
    # Most formulas have none of the initial letters, so this check saves the search.
    if not any(piece.text in _FIRST and piece.role == PieceRole.UNKNOWN for piece in parts):
        return parts
    result: list[Piece] = []
    at = 0
    while at < len(parts):
        # Collect up to six single letters that touch each other.
        end, text = at, ""
        while end < len(parts) and len(text) < 6 and parts[end].role == PieceRole.UNKNOWN:
            if len(parts[end].text) != 1 or (end > at and parts[end].start != parts[end - 1].end):
                break
            text += parts[end].text
            end += 1
        # Take the longest name that they begin with.
        word = next((text[:size] for size in range(len(text), 1, -1) if text[:size] in _SPELT), "")
        if text in ("Re", "Im") and end < len(parts) and parts[end].text == "(":
            word = text
        # A letter directly before means that the letters are a product, as in "xsin".
        if word and (
            at == 0 or parts[at - 1].role != PieceRole.UNKNOWN or parts[at - 1].end != parts[at].start
        ):
            last = parts[at + len(word) - 1]
            tree = OperatorTree(f"V!{word}")
            result.append(Piece(PieceRole.UNKNOWN, word, tree, tree, parts[at].start, last.end))
            at += len(word)
        else:
            result.append(parts[at])
            at += 1
    return result


def unroll_cells(parts: list[Piece]) -> list[Piece]:
    """Return the pieces with the cells of aligned environments in the place of these, a new line after each
    row.
    """
    result: list[Piece] = []
    for piece in parts:
        if not piece.alone.label.startswith("M!M"):
            result.append(piece)
            continue
        # Cells count as lines only in an environment that aligns, or in an array whose
        # cells begin with relations.
        rows = piece.alone.children
        cells = [cell.parts for row in rows for cell in row.children if isinstance(cell, Line)]
        aligned = _ALIGNED.match(piece.text) or (
            piece.text in ("array", "\\substack")
            and any(cell and cell[0].role == PieceRole.RELATION for cell in cells)
        )
        if not aligned:
            result.append(piece)
            continue
        for row in rows:
            for cell in row.children:
                result += unroll_cells(list(cell.parts)) if isinstance(cell, Line) else []
            result.append(_NEW_LINE)
    return result


def flatten_rows(parts: Sequence[Piece]) -> Sequence[Piece]:
    r"""Return the lines of a `\substack`, one behind the other; other pieces as they are."""
    if len(parts) != 1 or not parts[0].alone.label.startswith("M!M"):
        return parts
    cells = [cell for row in parts[0].alone.children for cell in row.children]
    return [one for cell in cells for one in (*argument_pieces(cell), _NEW_LINE)]


_NEW_LINE = Piece(PieceRole.ATOM, "\\\\", OperatorTree("W!"), OperatorTree("W!"), 0, 0)


def iterate_lines(parts: Sequence[Piece]) -> Iterator[Sequence[Piece]]:
    """Yield the lines of a formula: itself, and those of its arguments."""
    pending: list[Sequence[Piece]] = [parts]
    while pending:
        result = pending.pop()
        yield result
        for piece in result:
            trees = [piece.alone] if piece.alone.children or isinstance(piece.alone, Line) else []
            while trees:
                tree = trees.pop()
                if isinstance(tree, Line):
                    pending.append(tree.parts)
                else:
                    trees += tree.children


def bracket_after(parts: Sequence[Piece], at: int) -> str:
    """Return "function" or "bracket" by what a bracket behind a name and its scripts holds, or ""
    if there is no bracket.

    The arguments of a function are one letter or number, several things, or sets.
    """
    at += 1
    while at < len(parts) and parts[at].role == PieceRole.SCRIPT:
        at += 1
    if at >= len(parts) or parts[at].text != "(" or parts[at].role != PieceRole.OPEN:
        return ""
    depth, size, several, bars = 0, 0, False, 0
    for piece in parts[at : at + _FAR]:
        depth += (piece.role == PieceRole.OPEN) - (piece.role == PieceRole.CLOSE)
        if not depth:
            break
        size += piece.role != PieceRole.SCRIPT
        sets = piece.role == PieceRole.ADD and piece.operator.label in SET_OPERATIONS
        several = (
            several or sets or (depth == 1 and piece.text == "," and piece.role == PieceRole.PUNCTUATION)
        )
        # A condition behind a bar is an argument too, and so is a relation.
        several = several or (depth == 1 and piece.role == PieceRole.RELATION)
        bars += depth == 1 and piece.role == PieceRole.BAR and piece.text == "|"
    lone = size == 2 and parts[at + 1].role in (PieceRole.UNKNOWN, PieceRole.NUMBER)
    return "function" if lone or several or bars == 1 else "bracket"
