r"""Forms that a question asks for: `x(x^2 - 4)` is equal to `x(x - 2)(x + 2)`, but not factored completely.

The reference shows the form: an answer lacks it where it has fewer factors, is a sum for a product, or keeps
what the reference has worked out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

from engines.core.tree import Tree
from engines.formula.statement_view import read_statement
from engines.grading.answer_vocabulary import make_phrases
from engines.grading.question_text import QuestionText
from engines.grading.restatements import split_restated
from engines.grading.tokens import AnswerToken, Phrases, is_blank, join_formulas, tokenize
from engines.mathematics.judging.names import free_variables

_SUMS = ("+", "-")
_PRODUCTS = ("*", "/", "pow")
_MOST_FACTORS = 1_000

_FACTORED = make_phrases(
    "factorise, factorize, factorising, factored form, factorised form, factorized form, fully factored",
    "completely factored, linear factors, prime factors, prime factorization, prime factorisation",
    "faktorisiere, faktorisieren, zerlege, zerlegen, Linearfaktoren, Primfaktoren, Primfaktorzerlegung",
    "Produktform, klammere aus, factorisez, factoriser, factorisée, facteurs premiers, décomposez",
    "factoriza, factorice, factorizar, factores primos, descompón, descomponga, fattorizza, fattorizzare",
    "scomponi, scomporre, fattori primi, fatore, fatorar, fatorize, fatores primos, decomponha",
    "разложите, разложить, на множители, 因式分解, 分解因式, 因数分解, 素因数分解, 质因数",
)
_FACTOR_VERB = "factor"
_BEFORE_VERBS = frozenset(("and", "to", "then", "or", "fully", "completely", "please", "first"))
_EXPANDED = make_phrases(
    "expand, expanded form, multiply out, remove the brackets, remove brackets, ausmultiplizieren",
    "multipliziere aus, multipliziere, löse die Klammern auf, développez, développer, développe",
    "desarrolla, desarrolle, desarrollar, sviluppa, sviluppare, expanda, expandir, desenvolva",
    "раскройте скобки, раскрыть скобки, 展开, 展開",
)
_SIMPLIFIED = make_phrases(
    "simplify, simplified, simplest form, lowest terms, reduced form, fully reduced, reduce",
    "vereinfache, vereinfachen, kürze, gekürzt, gekürzter, gekürzten, simplifiez, simplifier, irréductible",
    "simplifica, simplifique, simplificar, irreducible, semplifica, semplificare, ridotta, irredutível",
    "упростите, сократите, несократимой, 化简, 最简, 约分, 約分, 既約分数, 簡単に",
)
_SINGLE = make_phrases(
    "single fraction, one fraction, single power, one power, single logarithm, one logarithm, single term",
    "einen Bruch, einziger Bruch, einen einzigen Bruch, eine Potenz, einzige Potenz, einen Logarithmus",
    "einzigen Logarithmus, une seule fraction, une seule puissance, un seul logarithme, una sola fracción",
    "una sola potencia, un solo logaritmo, una sola frazione, un'unica frazione, una sola potenza",
    "un solo logaritmo, uma única fração, uma só fração, uma única potência, uma só potência",
    "одной дроби, одной степени, одного логарифма",
)
_DECOMPOSED = make_phrases(
    "partial fractions, partial fraction, Partialbrüche, Partialbruchzerlegung, éléments simples",
    "fracciones simples, fracciones parciales, fratti semplici, frações parciais, простейшие дроби",
    "простейших дробей, 部分分式, 部分分数",
)
_RATIONAL = make_phrases(
    "rationalise, rationalize, rationalised, rationalized, rational machen, mache den Nenner rational",
    "rationalisez, rationaliser, racionaliza, racionalice, racionalize, razionalizza, 有理化",
    "избавьтесь от иррациональности",
)
_SQUARED = make_phrases(
    "complete the square, completing the square, completed square, vertex form, Scheitelpunktform",
    "Scheitelform, quadratische Ergänzung, forme canonique, forma canónica, completa el cuadrado, 配方",
)
_POLAR = make_phrases(
    "polar form, exponential form, trigonometric form, Polarform, Exponentialform, forme exponentielle",
    "forme trigonométrique, forma polar, forma exponencial, forma trigonométrica, forma polare",
    "forma esponenziale, forma trigonometrica, 極形式, 极坐标形式, 指数形式",
)


def find_missing_form(problem: str, gold: str, pred: str, text: str) -> str:
    r"""Return why an equal answer is not in the form that the question asks for and the reference has; ""
    where it is, or no form is asked for.

    Args: gold, pred: the final answers. text: the whole answer, which may give that form before.

    >>> find_missing_form("Factor completely: $x^3-4x$.", "x(x-2)(x+2)", "x(x²-4)", "x(x²-4)")
    'it has 2 factors, and the reference 3'
    >>> find_missing_form("Factor completely: $x^3-4x$.", "x(x-2)(x+2)", "(x+2)x(x-2)", "(x+2)x(x-2)")
    ''
    """
    tokens = [token for token in tokenize(problem) if not is_blank(token)]
    asked = [find for phrases, find in _FORMS if _asks_for(phrases, problem, tokens)]
    references = _list_sides(gold) if asked else []
    # The reference is the last of the terms that it says to be equal.
    reference = references[-1] if references else None
    said = [
        side for part in (pred, *(one.text for one in split_restated(text))) for side in _list_sides(part)
    ]
    if reference is None or not said or reference in said:
        return ""
    given = {side for formula in QuestionText(problem).list_formulas() for side in _list_sides(formula)}
    lacks = [_find_lack(asked, given, reference, side) for side in said]
    return "" if "" in lacks else lacks[0]


def _find_lack(
    asked: Sequence[Callable[[Tree, Tree], str]], given: set[Tree], reference: Tree, side: Tree
) -> str:
    if side in given:
        return "it repeats the formula of the question, which asks for another form"
    return next((lack for find in asked if (lack := find(reference, side))), "")


def _asks_for(phrases: Phrases[str], problem: str, tokens: Sequence[AnswerToken]) -> bool:
    if phrases.find(tokenize(problem)) is not None:
        return True
    # As a noun, a factor may be that of a scale.
    return phrases is _FACTORED and any(
        token.text.lower() == _FACTOR_VERB
        and (not at or tokens[at - 1].kind != "word" or tokens[at - 1].text.lower() in _BEFORE_VERBS)
        for at, token in enumerate(tokens)
    )


def _list_sides(text: str) -> list[Tree]:
    """Return the terms that an answer is said to be equal to, the last of its formulas where it has words."""
    formulas = [one.text for one in join_formulas(text, tokenize(text)) if one.kind == "formula"]
    statement = read_statement(formulas[-1] if formulas else text.strip(" $."), is_answer=True)
    return [] if isinstance(statement, str) else _split_equation(statement.tree)


def _split_equation(tree: Tree) -> list[Tree]:
    if tree.label in ("=", "and"):
        return [side for part in tree.children for side in _split_equation(part)]
    return [tree]


def _find_unfactored(gold: Tree, pred: Tree) -> str:
    if "prod" in pred.list_labels():
        return ""  # whose factors are not written one by one
    counts = [_count_factors(side) or _count_primes(side) for side in (gold, pred)]
    if gold.label in _PRODUCTS and pred.label in _SUMS and counts[0]:
        return "it is a sum, and the question asks for a product"
    if counts[1] < counts[0]:
        return f"it has {_spell_count(counts[1])}, and the reference {counts[0]}"
    if _find_content(gold) == 1 and (content := _find_content(pred)) > 1:
        return f"the factor {content} is not taken out"
    return ""


def _spell_count(count: int) -> str:
    return "1 factor" if count == 1 else f"{count} factors"


def _count_factors(tree: Tree) -> int:
    """Return how many factors with letters a product has, those of a power as often as it says."""
    if not free_variables(tree):
        return 0
    if tree.label in ("*", "/"):
        return sum(map(_count_factors, tree.children))
    return _count_power(tree, _count_factors) or 1


def _count_primes(tree: Tree) -> int:
    """Return how many integers but 1 a product of numbers has."""
    if tree.label.isdecimal():
        return int(len(tree.label) > 1 or tree.label > "1")
    if tree.label == "*":
        return sum(map(_count_primes, tree.children))
    return _count_power(tree, _count_primes)


def _count_power(tree: Tree, count: Callable[[Tree], int]) -> int:
    exponent = tree.children[1].label if tree.label == "pow" else ""
    is_small = exponent.isdecimal() and len(exponent) < len(str(_MOST_FACTORS))
    return int(exponent) * count(tree.children[0]) if is_small else 0


def _find_content(tree: Tree) -> int:
    """Return the largest integer that divides all terms of a factor; 1 for none."""
    if tree.label == "*":
        return max(map(_find_content, tree.children))
    if tree.label == "pow":
        return _find_content(tree.children[0])
    return gcd(*map(_find_coefficient, _list_terms(tree))) if tree.label in _SUMS else 1


def _list_terms(tree: Tree) -> list[Tree]:
    return [term for part in tree.children for term in _list_terms(part)] if tree.label in _SUMS else [tree]


def _find_coefficient(tree: Tree) -> int:
    if tree.label == "*":
        return _find_coefficient(tree.children[0]) * _find_coefficient(tree.children[1])
    figures = tree.label.removeprefix("-")
    return int(figures) if figures.isdecimal() and len(figures) < len(str(_MOST_FACTORS)) else 1


def _find_unexpanded(gold: Tree, pred: Tree) -> str:
    has_brackets = not _holds_product(gold) and _holds_product(pred)
    return "it has a product of sums, and the reference has none" if has_brackets else ""


def _holds_product(tree: Tree) -> bool:
    """Return whether a sum with letters is multiplied, or taken to a power."""
    return any(
        (node.label == "*" or (node.label == "pow" and node.children[1].label.isdecimal()))
        and any(part.label in _SUMS and free_variables(part) for part in node.children)
        for node in tree
    )


def _find_unreduced(gold: Tree, pred: Tree) -> str:
    fractions = [[node for node in side if _is_reducible(node)] for side in (gold, pred)]
    if fractions[1] and not fractions[0]:
        return "its fraction can be reduced"
    degrees = [
        max((_find_degree(node.children[1]) for node in side if node.label == "/"), default=0)
        for side in (gold, pred)
    ]
    is_rational = all(
        node.label in (*_SUMS, *_PRODUCTS) for side in (gold, pred) for node in side if node.children
    )
    return "its denominator is of higher degree" if is_rational and degrees[0] < degrees[1] else ""


def _is_reducible(tree: Tree) -> bool:
    labels = [part.label for part in tree.children]
    return tree.label == "/" and all(map(str.isdecimal, labels)) and gcd(*map(int, labels)) > 1


def _find_degree(tree: Tree) -> int:
    """Return the degree of a polynomial in all of its letters."""
    if tree.label == "*":
        return sum(map(_find_degree, tree.children))
    if tree.label in _SUMS:
        return max(map(_find_degree, tree.children))
    return _count_power(tree, _find_degree) or int(bool(free_variables(tree)))


def _find_several(gold: Tree, pred: Tree) -> str:
    if pred.label in _SUMS and gold.label not in _SUMS:
        return "it is a sum, and the question asks for a single term"
    if gold.label == "pow" and pred.label in ("*", "/"):
        return "it has several factors, and the question asks for a single power"
    return ""


def _find_undecomposed(gold: Tree, pred: Tree) -> str:
    counts = [
        sum(_find_degree(node.children[1]) > 0 for node in side if node.label == "/") for side in (gold, pred)
    ]
    return "it has fewer fractions than the reference" if counts[1] < counts[0] else ""


def _find_irrational(gold: Tree, pred: Tree) -> str:
    below = [
        any(part.label in ("root", "sqrt") for node in side if node.label == "/" for part in node.children[1])
        for side in (gold, pred)
    ]
    return "its denominator has a root" if below[1] and not below[0] else ""


def _find_uncompleted(gold: Tree, pred: Tree) -> str:
    squares = [
        any(node.label == "pow" and node.children[0].label in _SUMS for node in side) for side in (gold, pred)
    ]
    return "it has no square of a sum" if squares[0] and not squares[1] else ""


def _find_cartesian(gold: Tree, pred: Tree) -> str:
    polar = [
        any(
            node.label in ("sin", "cos") or (node.label == "pow" and node.children[0].label == "e")
            for node in side
        )
        for side in (gold, pred)
    ]
    return "it has no modulus and argument" if polar[0] and not polar[1] else ""


_FORMS: Sequence[tuple[Phrases[str], Callable[[Tree, Tree], str]]] = (
    (_FACTORED, _find_unfactored),
    (_EXPANDED, _find_unexpanded),
    (_SIMPLIFIED, _find_unreduced),
    (_SINGLE, _find_several),
    (_DECOMPOSED, _find_undecomposed),
    (_RATIONAL, _find_irrational),
    (_SQUARED, _find_uncompleted),
    (_POLAR, _find_cartesian),
)
