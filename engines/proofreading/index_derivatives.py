"""Partial derivatives by an index: `f_x` and `f_{xy}` of a function f(x, y) that the text defines."""

from __future__ import annotations

from engines.core.tree import Tree, differentiate
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.facts import Function
from engines.proofreading.link_context import LARGEST, VECTORS, LinkContext
from engines.proofreading.link_verdicts import Evidence, LinkVerdict
from engines.proofreading.scopes import NUMBERS
from engines.proofreading.stated_facts import Fact, describe_sources
from engines.proofreading.statement_roles import is_supposed
from engines.proofreading.term_properties import free_symbols

_NEAR_PARAGRAPHS = 6
"""A function of the same name can be another one further away."""


def judge_index_derivatives(
    context: LinkContext, link: ChainLink, left: Tree, right: Tree
) -> LinkVerdict | None:
    """Return the verdict on an equation with derivatives by index of functions that the text defines; None
    where it has none, or they do not decide: f_x = 0 is an equation to be solved."""
    if link.relation != "=" or link.of_problem or VECTORS.search(link.left + link.right):
        return None
    written = _WrittenDerivatives(context)
    value, other = written.work_out(left), written.work_out(right)
    if not written.used or link.position.domain != NUMBERS or len(value) + len(other) >= LARGEST:
        return None
    verdict = context.judge.equal(value, other)
    sources = describe_sources(list(dict.fromkeys(written.used)))
    if verdict.outcome == "equal" or (verdict.outcome == "equal if" and not verdict.witness):
        if not left.children:
            context.keep_equation(link, left, right)
        return LinkVerdict(link, "follows", sources)
    is_derivative = left != value and not _has_index_derivative(left) and other == right
    claimed = (
        is_derivative and free_symbols(value) == free_symbols(right) and "call" not in right.list_labels()
    )
    here = link.position
    near = all(
        fact.position.scope is here.scope and here.paragraph - fact.position.paragraph <= _NEAR_PARAGRAPHS
        for fact in written.used
    )
    denied = link.is_denied_directly or context.is_asked(link) or is_supposed(link, may_give_value=False)
    if verdict.outcome != "different" or not (claimed and near) or denied or link.may_be_one_of_several:
        return None
    evidence = Evidence("definition", tuple(dict.fromkeys(written.used)))
    return LinkVerdict(link, "wrong", f"{verdict.witness}, {sources}", evidence=evidence)


def _has_index_derivative(tree: Tree) -> bool:
    """Return whether a term is more than one derivative by index, or a value of one."""
    head = tree.children[0] if tree.label == "call" else tree
    return bool(head.children) or "_" not in head.label


class _WrittenDerivatives:
    """Works out the derivatives by index in terms.

    Attributes:
        used: The definitions that were used.
    """

    def __init__(self, context: LinkContext) -> None:
        self.context = context
        self.used: list[Fact] = []

    def work_out(self, tree: Tree) -> Tree:
        """Return a term with derivatives by index worked out."""
        if tree.label == "call":
            arguments = tuple(map(self.work_out, tree.children[1:]))
            value = self._differentiate(tree.children[0].label, arguments)
            return value or Tree("call", (tree.children[0], *arguments))
        if not tree.children:
            return self._differentiate(tree.label, ()) or tree
        return Tree(tree.label, tuple(map(self.work_out, tree.children)))

    def _differentiate(self, label: str, arguments: tuple[Tree, ...]) -> Tree | None:
        """Return the derivative that a name is, at the arguments if there are any; None where it is a name
        of something else."""
        name, _, index = label.partition("_")
        known = self.context.facts.functions.get(name)
        if known is None or not index or not self._is_meant(known, label, index):
            return None
        body: Tree = known.body
        try:
            for letter in index:
                body = differentiate(body, letter)
        except (KeyError, ValueError):
            return None
        if arguments:
            if len(arguments) != len(known.arguments):
                return None
            for letter in known.arguments:
                body = replace_variable(body, letter, Tree(f"_{letter}"))
            for letter, argument in zip(known.arguments, arguments, strict=True):
                body = replace_variable(body, f"_{letter}", argument)
        self.used.append(known.fact)
        return body

    def _is_meant(self, known: Function, label: str, index: str) -> bool:
        """Return whether a name with an index is a derivative: the letters of the index are arguments of a
        function of several, and nothing was said of the name before the function was defined."""
        facts = self.context.facts
        stated = [fact for fact in facts.in_scope if {label, f"{label}("} & fact.variables]
        stated += [facts.functions[label].fact] if label in facts.functions else []
        return (
            len(known.arguments) > 1
            and {*index} <= {*known.arguments}
            and known.is_certain_at(self.context.position)
            and all(fact.number > known.fact.number for fact in stated)
        )
