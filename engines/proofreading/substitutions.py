r"""Changes of variables in integrals: behind `u = x^2 + 1` the statements `du = 2x\,dx` and
`\int 2x(x^2+1)^3\,dx = \int u^3\,du`, and behind `dv = e^{2x}\,dx` the value of v.
"""

from __future__ import annotations

from engines.core.tree import ZERO, Tree, differentiate
from engines.mathematics.judging.names import free_variables, replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.differentials import DifferentialForm, read_differential
from engines.proofreading.link_context import LARGEST, VECTORS, LinkContext
from engines.proofreading.link_verdicts import Evidence, LinkVerdict
from engines.proofreading.scopes import NUMBERS
from engines.proofreading.slips import points_of
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_supposed
from engines.proofreading.term_properties import WHOLE, evaluate_term, free_symbols

_NEAR_PARAGRAPHS = 3
_PARAGRAPHS_OF_TOTAL = 6
"""From an integral with a name to the step in which it is written in another way."""
_LAST_FACTS = 6
_CLOSE = 1e-9
_DEPTH = 3
_SEEDS = 3
_SMALLER = 8
_VARYING = frozenset("xyztsuvwrθφ")
"""Letters beside a variable that are hardly constants."""
_MEASURES = frozenset("μνλm")
"""Letters by which integrals are taken that may be measures."""
_CONSTANTS = ("C", "c", "K", "k")


def judge_substitution(context: LinkContext, link: ChainLink, left: Tree, right: Tree) -> LinkVerdict | None:
    """Return the verdict on a differential, an antiderivative in another variable or a function whose
    differential was stated, by the variables that were introduced; None where these do not decide."""
    if link.relation != "=" or link.of_problem or link.is_denied_directly or context.is_asked(link):
        return None
    if VECTORS.search(link.left + link.right) or not context.matrices.isdisjoint(free_symbols(left)):
        return None
    if link.position.domain != NUMBERS or len(left) + len(right) >= LARGEST:
        return None
    known = _KnownVariables(context, link)
    # Three kinds: du = 2x dx, v of dv = …, and integrals in different variables.
    forms = read_differential(left), read_differential(right)
    if forms[0] is not None and forms[1] is not None:
        if _is_to_be_solved(forms[0], forms[1]):
            context.keep_equation(link, left, right)
            return LinkVerdict(link, "given", "an equation of differentials")
        return _judge_differentials(known, forms[0], forms[1])
    if not left.children:
        return _judge_integrated(known, left.label, right) or _judge_total(known, left, right)
    # An integral without ends that is a number is one over all.
    is_total = left.label == "antiderivative" and not free_symbols(right)
    if not is_total and "antiderivative" in (*left.list_labels(), *right.list_labels()):
        return _judge_antiderivatives(known, left, right)
    return None


class _KnownVariables:
    """What the text says variables are, near a link.

    Attributes:
        used: The facts that were used.
    """

    def __init__(self, context: LinkContext, link: ChainLink) -> None:
        self.context = context
        self.link = link
        self.used: list[Fact] = []

    def find_fact(self, name: str) -> Fact | None:
        """Return the last equation near the link that says what function a variable is."""
        for fact in reversed(self.context.facts.in_scope):
            if fact.left != Tree(name) or not free_symbols(fact.right) or name in free_symbols(fact.right):
                continue
            behind = self.link.position.paragraph - fact.position.paragraph
            is_near = 0 <= behind <= _NEAR_PARAGRAPHS and name not in _CONSTANTS
            # y' is the slope of a function that is sought, and no constant.
            varies = any("'" in symbol for symbol in free_symbols(fact.right))
            is_known = _UNLIKE_NUMBERS.isdisjoint(fact.right.list_labels()) and not varies
            return fact if is_near and is_known else None
        return None

    def express_in(self, tree: Tree, kept: str) -> Tree:
        """Return a term with what other variables are in their place."""
        for _ in range(_DEPTH):
            facts = [self.find_fact(name) for name in sorted(free_variables(tree) - {kept})]
            if not any(facts):
                break
            for fact in filter(None, facts):
                self.used.append(fact)
                tree = replace_variable(tree, fact.left.label, fact.right)
        return tree

    def find_slope(self, name: str, kept: str) -> Tree | None:
        """Return the derivative of a variable by another; None where it is not known."""
        fact = self.find_fact(name)
        if fact is None:
            return None
        self.used.append(fact)
        return _differentiate(self.express_in(fact.right, kept), kept)

    def compare(self, left: Tree, right: Tree, name: str) -> LinkVerdict | None:
        """Return the verdict on functions of a variable that are equal if the link holds."""
        if not self.used or len(left) + len(right) >= 2 * LARGEST:
            return None
        sources = describe_sources(list(dict.fromkeys(self.used)))
        verdict = self.context.judge.equal(left, right)
        if verdict.outcome == "equal" or (verdict.outcome == "equal if" and not verdict.witness):
            return LinkVerdict(self.link, "follows", sources)
        # Roots of squares have the sign that is meant; without a root there is one sign.
        has_root = _has_root(left) or _has_root(right)
        differs = _differ_in_size(left, right) or (not has_root and verdict.outcome == "different")
        if not self._may_be_accused(name) or not differs:
            return None
        witness = f"{verdict.witness}, " if verdict.outcome == "different" else ""
        evidence = Evidence("definition", tuple(dict.fromkeys(self.used)))
        return LinkVerdict(self.link, "wrong", f"{witness}{sources}", evidence=evidence)

    def _may_be_accused(self, name: str) -> bool:
        """Return whether the facts are those that are meant: they stand right before the link, have one
        variable, and the next link states no other."""
        here, following = self.link.position, self.context.next_link
        stated_next = (
            following.left.strip() if following and following.position.paragraph == here.paragraph else ""
        )
        return all(
            fact.position.scope is here.scope
            and (here.paragraph - fact.position.paragraph <= 1 or fact.right.label == "antiderivative")
            and not fact.alternative
            and (free_symbols(fact.right) - {name}).isdisjoint(_VARYING)
            and stated_next != fact.left.label
            for fact in self.used
        )


_UNLIKE_NUMBERS = frozenset(
    ("call", "matrix", "tuple", "list", "set", "pm", "unit", "text", "antiderivative", "d", "integral")
)
"""Labels of what is not differentiated."""


_OF_EITHER_SIGN = frozenset(("sqrt", "root", "abs", "norm"))
"""Operations that forget a sign."""


def _has_root(tree: Tree) -> bool:
    return any(
        node.label in _OF_EITHER_SIGN or (node.label == "pow" and not WHOLE.match(node.children[1].label))
        for node in tree
    )


def _differ_in_size(left: Tree, right: Tree) -> bool:
    """Return whether terms have other absolute values wherever both are defined."""
    names = free_symbols(left) | free_symbols(right)
    points = [at for seed in range(_SEEDS) for at in points_of(names, seed=seed)]
    # A root of 1 - x² has a value where x is small.
    points += [{name: value / _SMALLER for name, value in at.items()} for at in points]
    values = [(evaluate_term(left, at), evaluate_term(right, at)) for at in points]
    known = [(abs(one), abs(other)) for one, other in values if one is not None and other is not None]
    return len(known) > 1 and all(abs(one - other) > _CLOSE * (1 + one) for one, other in known)


def _differentiate(tree: Tree, name: str) -> Tree | None:
    try:
        return differentiate(tree, name)
    except (KeyError, ValueError):
        return None


# ---- du = 2x dx


def _is_to_be_solved(left: DifferentialForm, right: DifferentialForm) -> bool:
    """Return whether an equation of differentials is one to be solved, as dy/y = 2x dx."""
    if len(left) != 1 or len(right) != 1 or {*left} == {*right}:
        return False
    return all(free_symbols(factor) for form in (left, right) for factor in form.values())


def _judge_differentials(
    known: _KnownVariables, left: DifferentialForm, right: DifferentialForm
) -> LinkVerdict | None:
    """Return the verdict on an equation of differentials of two variables, by what one of them is."""
    if len(left) != 1 or len(right) != 1 or {*left} == {*right}:
        return None
    names = (*left, *right)
    for outer, inner in (names, names[::-1]):
        fact = known.find_fact(outer)
        if fact is None or inner not in free_symbols(fact.right):
            continue
        # Both sides are written with the differential of the inner variable, whose factors are compared.
        slope = known.find_slope(outer, inner)
        if slope is None:
            return None
        forms = (
            {**form, outer: Tree("*", (form[outer], slope))} if outer in form else form
            for form in (left, right)
        )
        one, other = (known.express_in(factor, inner) for form in forms for factor in form.values())
        # "Let u = x, dv = ..." begins another integration by parts.
        if fact.piece != known.link.piece_index and known.link.connective in (",", "and", "column"):
            return None
        # A letter that is new may depend on the variable.
        if not free_symbols(one) | free_symbols(other) <= free_symbols(fact.right):
            return None
        return known.compare(one, other, inner)
    return None


# ---- v of dv = e^{2x} dx


def _judge_integrated(known: _KnownVariables, name: str, right: Tree) -> LinkVerdict | None:
    """Return the verdict on what a variable is whose differential the paragraph states."""
    if not free_symbols(right) or known.find_fact(name) is not None:
        return None
    for fact in known.context.facts.in_scope[-_LAST_FACTS:]:
        if fact.position.paragraph != known.link.position.paragraph:
            continue
        left, other = read_differential(fact.left), read_differential(fact.right)
        if left is None or other is None or {*left} != {name} or len(other) != 1:
            continue
        ((inner, value),) = other.items()
        slope = _differentiate(right, inner)
        if slope is None or not free_symbols(right) <= {inner, *free_symbols(value), *_CONSTANTS}:
            return None
        known.used.append(fact)
        is_solved = name in free_symbols(left[name]) | free_symbols(value) or "call" in value.list_labels()
        factor, value = (replace_variable(each, name, right) for each in (left[name], value))
        judged = known.compare(Tree("*", (factor, slope)), value, inner)
        # What stands behind an equation of x and y may be another curve than one of its solutions.
        if judged is not None and judged.outcome == "wrong" and (is_solved or is_supposed(known.link)):
            return None
        if judged is not None and judged.outcome == "follows":
            known.context.keep_equation(known.link, Tree(name), right)
        return judged
    return None


# ---- ∫ 2x (x^2 + 1)^3 dx = ∫ u^3 du


def _judge_total(known: _KnownVariables, left: Tree, right: Tree) -> LinkVerdict | None:
    """Return the verdict on what a name is said to be that was said to be an antiderivative, as behind a step
    by parts."""
    facts = known.context.facts.in_scope
    fact = next((one for one in reversed(facts) if left in (one.left, one.right)), None)
    if fact is None or fact.right.label != "antiderivative" or not free_symbols(right) or known.link.index:
        return None
    apart = known.link.position.paragraph - fact.position.paragraph
    if apart > _PARAGRAPHS_OF_TOTAL or left.label in free_symbols(right) or is_supposed(known.link):
        return None
    known.used.append(fact)
    judged = _judge_antiderivatives(known, fact.right, right)
    if judged is not None and judged.outcome == "follows":
        known.context.keep_equation(known.link, left, right)
    return judged


def _judge_antiderivatives(known: _KnownVariables, left: Tree, right: Tree) -> LinkVerdict | None:
    """Return the verdict on an equation of antiderivatives in several variables, written in one of them."""
    letters = free_variables(left) | free_variables(right)
    if read_differential(left) or read_differential(right):
        return None  # = ∫ u du behind du = 2x dx goes on from further above
    nodes = [node for side in (left, right) for node in side if node.label == "antiderivative"]
    names = list(dict.fromkeys(node.children[0].label for node in nodes))
    if not _MEASURES.isdisjoint(names):
        return None
    # ∫ f(x, w) dw = g(x) is an integral over all w.
    if any(
        one.label == "antiderivative"
        and one.children[0].label not in free_symbols(other)
        and "antiderivative" not in other.list_labels()
        and "call" in one.list_labels()
        for one, other in ((left, right), (right, left))
    ):
        return None
    bases = [name for name in names if known.find_fact(name) is None]
    facts = filter(None, map(known.find_fact, names))
    if not bases:
        inner = {letter for fact in facts for letter in free_symbols(fact.right) & letters}
        bases = names[:1] if len(names) > 1 else sorted(inner - {*names})
    if len(bases) != 1:
        return None
    (name,) = bases
    slopes = [_differentiate_in(known, side, name) for side in (left, right)]
    if slopes[0] is None or slopes[1] is None:
        return None
    return known.compare(slopes[0], slopes[1], name)


def _differentiate_in(known: _KnownVariables, tree: Tree, name: str) -> Tree | None:
    """Return the derivative by a variable of a sum in which antiderivatives are terms, also in others."""
    if tree.label == "antiderivative":
        variable, body = tree.children
        written = known.express_in(body, name)
        if variable.label == name:
            return written
        slope = known.find_slope(variable.label, name)
        # P = N says at which place P rests, and not how P depends on the time of the other integral.
        return None if slope in (None, ZERO) else Tree("*", (written, slope))
    if "antiderivative" not in tree.list_labels():
        return _differentiate(known.express_in(tree, name), name)
    if tree.label in ("+", "-"):
        parts = [_differentiate_in(known, part, name) for part in tree.children]
        return None if parts[0] is None or parts[1] is None else Tree(tree.label, (parts[0], parts[1]))
    if tree.label == "*" and name not in free_variables(factor := known.express_in(tree.children[0], name)):
        inner = _differentiate_in(known, tree.children[1], name)
        return inner and Tree("*", (factor, inner))
    return None
