r"""Sets of all numbers but a few: `ℂ \ {i, -i}`, `everywhere except at z = ±i`, `a ≠ 1 and a ≠ -1`."""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.formula.statement_view import Statement
from engines.grading.answer_vocabulary import JOINS, make_phrases
from engines.grading.compare import AnswerComparison
from engines.grading.forms import REALS, Form, Many, Named, RelationForm, Without
from engines.grading.linear_terms import list_conjuncts
from engines.grading.numbers import Term
from engines.grading.reading import form_of, read_form
from engines.grading.tokens import AnswerToken, is_blank, text_at, tokenize
from engines.grading.verdicts import GradeVerdict

_QUANTIFIERS = make_phrases(
    "for all, for every, for each, for any, for all real, for every real, für alle, für jedes",
    "für alle reellen, pour tout, pour tous, pour tout réel, para todo, para todos, para cualquier",
    "per ogni, per tutti, para todo real, для всех, для любого, при всех, 对所有, 对任意, すべての",
)
_EXCEPTIONS = make_phrases(
    "except, except at, except for, except when, but, but not, other than, apart from, excluding, außer",
    "außer bei, ausgenommen, mit Ausnahme von, sauf, sauf en, excepté, excepto, excepto en, salvo, salvo en",
    "eccetto, tranne, tranne in, exceto, exceto em, кроме, за исключением, 除了",
)
_EVERYTHING = frozenset(
    (
        *("everywhere", "all", "every", "numbers", "number", "values", "value", "of", "points", "point"),
        *("the", "in", "on", "for", "is", "it", "at", "holomorphic", "analytic", "continuous", "defined"),
        *("differentiable", "überall", "alle", "werte", "zahlen", "partout", "tous", "les", "valeurs"),
        *("todos", "los", "valores", "todo", "ovunque", "tutti", "i", "valori", "везде", "все", "числа"),
        *"xztakmnf",
    )
)
"""Words before an exception that leave nothing else out."""
_UNIVERSES = {
    **dict.fromkeys(("real", "reals", "ℝ", "\\mathbb{r}", "reelle", "reellen"), "ℝ"),
    **dict.fromkeys(("reales", "réels", "reali"), "ℝ"),
    **dict.fromkeys(("complex", "ℂ", "\\mathbb{c}", "komplexe", "komplexen"), "ℂ"),
    **dict.fromkeys(("complexes", "complejos"), "ℂ"),
}
_REAL_SIGNS = ("ℝ", "\\mathbb{R}", "\\mathbb R", "\\R", "real", "reell", "reel", "réel")
_Excluded = tuple[str, tuple[Form, ...]]


def compare_excluded(gold: str, pred: str, comparison: AnswerComparison) -> GradeVerdict | None:
    """Compare two sets of all numbers but a few by what they leave out; None for other answers."""
    mine, theirs = read_excluded(gold), read_excluded(pred)
    if mine is None or theirs is None or (mine[0] and theirs[0] and mine[0] != theirs[0]):
        return None
    sides = [Many("set", items) for _, items in (mine, theirs)]
    compared = comparison.compare(*sides)
    return compared if compared.outcome in ("equal", "different") else None


def drop_quantifier(text: str) -> str:
    """Return what stands behind `for all` at the beginning of an answer; "" where nothing does.

    >>> drop_quantifier("for all a > 3"), drop_quantifier("a > 3")
    ('a > 3', '')
    """
    tokens = tokenize(text)
    match = _QUANTIFIERS.match(tokens, 0)
    return text[tokens[match[0]].start :].strip() if match is not None and match[0] < len(tokens) else ""


def read_excluded(text: str) -> _Excluded | None:
    """Return the set of numbers that a text takes values from, or "", and these values; None for others."""
    plain = drop_quantifier(text) or text
    stated = _read_form(read_form(plain))
    if stated is None:
        return _read_words(plain.strip(" .$"))
    # x ≠ 1 does not say which numbers x may be.
    is_named = any(map(plain.__contains__, _REAL_SIGNS)) or stated[0] == "ℂ"
    return (stated[0] if is_named else "", stated[1])


def _read_form(form: Form) -> _Excluded | None:
    if isinstance(form, Named):
        form = form.value
    if isinstance(form, Without):
        items = form.taken.items if isinstance(form.taken, Many) else (form.taken,)
        return ("ℝ", _list_signs(items)) if form.whole == REALS else None
    tree = form.tree if isinstance(form, Statement | RelationForm) else None
    if tree is None:
        return None
    if tree.label == "in":
        tree = tree.children[1]
    if tree.label == "without" and tree.children[0].label in ("ℝ", "ℂ") and tree.children[1].label == "set":
        return tree.children[0].label, _list_signs([form_of(one) for one in tree.children[1].children])
    parts = list_conjuncts(tree)
    names = {part.children[0] for part in parts if part.label == "!=" and not part.children[0].children}
    if len(names) != 1 or any(part.label != "!=" for part in parts):
        return None
    return "", _list_signs([form_of(part.children[1]) for part in parts])


def _list_signs(items: Sequence[Form]) -> tuple[Form, ...]:
    """Return values with both values of each with a sign ±."""
    result: list[Form] = []
    for item in items:
        if isinstance(item, Many) and item.kind == "list":
            result += _list_signs(item.items)
            continue
        tree = item.tree if isinstance(item, Term) else None
        if tree is not None and tree.label == "pm" and len(tree.children) == 1:
            value = tree.children[0]
            result += [form_of(value), form_of(Tree("*", (Tree("-1"), value)))]
        else:
            result.append(item)
    return tuple(result)


def _read_words(text: str) -> _Excluded | None:
    """Read `everywhere except at z = i and z = -i`: known words, and a list behind the exception."""
    tokens = tokenize(text)
    found = _EXCEPTIONS.find(tokens)
    if found is None:
        return None
    universe = ""
    for token in tokens[: found[0]]:
        word = token.text.lower()
        universe = _UNIVERSES.get(word, universe)
        if not (is_blank(token) or word in _EVERYTHING or word in _UNIVERSES or word in ("$", ",")):
            return None
    behind = _drop_names([token for token in tokens[found[1] :] if token.text != "$"])
    form = read_form(behind)
    form = form.value if isinstance(form, Named) else form
    items = form.items if isinstance(form, Many) and form.kind in ("list", "set") else (form,)
    plain = all(isinstance(item, Term) and item.tree is not None for item in items)
    return (universe, _list_signs(items)) if plain and found[0] else None


def _drop_names(tokens: Sequence[AnswerToken]) -> str:
    """Return a list of values without the name of the variable before each, as `z = i`."""
    kept: list[str] = []
    at = 0
    while at < len(tokens):
        sign = at + 1 + (at + 1 < len(tokens) and is_blank(tokens[at + 1]))
        if len(tokens[at].text) == 1 and tokens[at].text.isalpha() and text_at(tokens, sign) == "=":
            at = sign + 1
            continue
        kept.append(", " if JOINS.match(tokens, at) is not None else tokens[at].text)
        at += 1
    return "".join(kept).strip(" .")
