"""What a paragraph states before a conclusion that is drawn from it: all of it, or nothing.

A conclusion is refuted by numbers that satisfy every premise, so nothing may be overlooked: where a formula
is not read, or words say more than that one statement leads to the next, the premises are not known.
"""

from __future__ import annotations

from collections.abc import Iterator

from engines.core.tree import ONE, Tree
from engines.proofreading.bounds import BOUNDS
from engines.proofreading.chains import ChainLink
from engines.proofreading.counterexamples import find_counterexample
from engines.proofreading.cue_phrases import is_made_of, last_clause, mentions, words_of
from engines.proofreading.letter_domains import COUNTING, list_interval_ends
from engines.proofreading.link_context import VECTORS, LinkContext
from engines.proofreading.scopes import NUMBERS, PARAGRAPH_SIGN
from engines.proofreading.statement_roles import is_concluded, list_letters
from engines.proofreading.term_properties import LOG, OF_ANGLES, free_symbols

_MOST_PIECES = 16
"""Pieces of a text from the first premise to the conclusion."""
_MOST_LETTERS = 2
"""With more, as ε, N and n, some are of a kind or sign that goes without saying."""
_PREMISES = (*BOUNDS, "=", "!=")
_OTHER_TERMS = frozenset(("pm", "unit", "text", "matrix", "set", "list", "tuple", "interval", "inf"))
"""What is no real number for every value of its letters."""
_WHOLE = Tree("ℤ")
_REALS = ("ℝ", "R")


def is_step_from_premises(link: ChainLink, statement: Tree) -> bool:
    """Return whether words or an arrow draw a statement about numbers from what stands before it, for every
    number and as the only conclusion."""
    clause = last_clause(link.words_before.rstrip(" ,"))
    drawn = is_concluded(link) or mentions("deducing", clause) or mentions("obtaining", clause)
    refused = link.of_problem or link.is_denied_directly or link.is_denied_by_words_after
    # "x < -3 or x > 3" is one conclusion of two parts.
    if not drawn or refused or link.alternatives or link.is_operand or link.is_restricted_behind:
        return False
    behind = link.words_after.partition(".")[0].partition(",")[0]
    if not is_made_of("step", behind) or (is_made_of("joining", behind) and words_of(behind)):
        return False
    names = free_symbols(statement)
    if any(not name.isalpha() for name in names) or VECTORS.search(link.left + link.right):
        return False
    # The base of a logarithm can be 10, and the unit of an angle a degree.
    labels = {*statement.list_labels()}
    return labels.isdisjoint(_OTHER_TERMS | OF_ANGLES) and not LOG.search(link.left + link.right)


def refute_equation(context: LinkContext, link: ChainLink, left: Tree, right: Tree) -> str:
    """Return where an equation fails that is drawn from statements, if it fails wherever those hold: behind
    `x < 0` the conclusion `|x| = x`; "" where it is not known to."""
    statement = Tree("=", (left, right))
    # Of two chains of implications each begins with a value of its own.
    if not left.children or link.argument >= 0 or not is_step_from_premises(link, statement):
        return ""
    premises = list_stated_premises(context, link, statement)
    # x^2 = 5 asks for a number unless x has a value.
    names = free_symbols(left)
    valued = {each.children[0].label for each in premises or () if each.label == "="}
    if premises is None or not (
        free_symbols(right) == names or (names <= valued and not free_symbols(right))
    ):
        return ""
    witness = find_counterexample(context.judge, statement, premises)
    if not witness or context.judge.holds(Tree("!=", (left, right)), premises).outcome != "equal":
        return ""
    return witness


def list_stated_premises(context: LinkContext, link: ChainLink, statement: Tree) -> list[Tree] | None:
    """List all that was stated of the letters of a conclusion; None where that is not known, or nothing
    was."""
    names = free_symbols(statement)
    premises: list[Tree] = [
        each
        for one, each in (
            *context.inequalities,
            *((one, Tree("=", (one_side, other_side))) for one, one_side, other_side in context.equations),
        )
        if one.piece_index == link.piece_index and one.chain_index != link.chain_index
    ]
    introduced: set[str] = set()
    first = link.piece_index
    for at, formula in _iterate_formulas_before(context, link):
        first = at
        if formula is None:
            return None
        if not names.isdisjoint(list_letters(formula)):
            stated = _read_statements(context, formula)
            if stated is None:
                return None
            # "Let x and y be real numbers" names letters only.
            introduced.update(each.label for each in stated if not each.children)
            premises += [each for each in stated if each.children]
    # What a letter is of which the paragraph says nothing is said elsewhere.
    if not names <= introduced.union(*map(free_symbols, premises)):
        return None
    names = names.union(*map(free_symbols, premises))
    if len(names) > _MOST_LETTERS or not _are_numbers(context, link, names):
        return None
    # What equations elsewhere say of the letters is overlooked here.
    if any(
        fact.piece < first or fact.position.paragraph != link.position.paragraph
        for fact in context.facts.facts_about(names)
    ):
        return None
    known = [*premises, *context.list_hypotheses(names), *_list_counts(names)]
    known += [each for each in context.facts.conditions if not names.isdisjoint(free_symbols(each))]
    return [each for each in dict.fromkeys(known) if each != statement]


def _iterate_formulas_before(context: LinkContext, link: ChainLink) -> Iterator[tuple[int, str | None]]:
    """Yield the formulas of the paragraph or case before a link with the indices of their pieces, the last
    one first; None where words between them say more than how the statements are connected."""
    for at in range(link.piece_index - 1, max(-1, link.piece_index - _MOST_PIECES), -1):
        piece = context.pieces[at]
        if piece.formula:
            # What another item says does not hold here.
            if context.positions[at].scope.reaches(link.position.scope):
                yield at, piece.text
            continue
        *_, words = PARAGRAPH_SIGN.split(piece.text)
        if not is_made_of("step", words) and not _declares_kind(context, at, words):
            yield at, None
        if words != piece.text or mentions("cases", words):
            return


def _declares_kind(context: LinkContext, at: int, words: str) -> bool:
    """Return whether words behind a letter say what kind of number it is, which is known of it: `Let x be a
    positive real number. Then`."""
    if not at or any(
        not (is_made_of("step", word) or is_made_of("kind of number", word)) for word in words_of(words)
    ):
        return False
    tree = context.read_formula(context.pieces[at - 1].text).tree
    known = None
    if tree is not None and not tree.children:
        known = context.domains.find_declaration(tree.label, context.positions[at], at)
    return known is not None and known.piece == at - 1


def _read_statements(context: LinkContext, formula: str) -> list[Tree] | None:
    """Read the equations and inequalities that a formula states, and the letters that it only names; None
    where it says anything else."""
    tree = context.read_formula(formula).tree
    parts = () if tree is None else tree.children if tree.label in ("and", "list") else (tree,)
    stated: list[Tree] = []
    for part in parts:
        if part.label == "in" and part.children[1].label == "interval":
            stated += list_interval_ends(*part.children)
        elif part.label == "in" and part.children[1].label in _REALS:
            stated.append(part.children[0])
        elif part.label not in _PREMISES and (part.children or not free_symbols(part)):
            return None
        else:
            stated.append(part)
    return stated or None


def _are_numbers(context: LinkContext, link: ChainLink, names: frozenset[str]) -> bool:
    """Return whether letters stand for real numbers of which all is known that the text says."""
    here, piece = link.position, link.piece_index
    return (
        all(name.isalpha() for name in names)
        and here.domain == NUMBERS
        and names.isdisjoint(context.matrices)
        and not context.domains.are_restricted(names, here, piece)
        and not context.domains.list_complex(names, here, piece)
        and not any(context.domains.stands_for_set(name, here) for name in names)
    )


def _list_counts(names: frozenset[str]) -> list[Tree]:
    """Return what the letters are by habit that are usual for positive whole numbers."""
    whole = (Tree(name) for name in sorted(names & {*COUNTING}))
    return [each for name in whole for each in (Tree("in", (name, _WHOLE)), Tree(">=", (name, ONE)))]
