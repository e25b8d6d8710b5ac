"""How strong the evidence against a link is, and which verdict it allows: the policy of all accusations.

Strong evidence makes a link *wrong*, weak evidence *doubtful*, and faint evidence neither: the link is *not
shown*, with the reason as a hint. What two sides show by themselves is strong. What rests on earlier
statements is as strong as it is certain that they are about the same thing: a text uses its letters again in
every example.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from types import MappingProxyType
from typing import Literal

from engines.core.tree import Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import last_sentence, mentions, read_last_cue, words_of
from engines.proofreading.link_verdicts import Evidence, LinkOutcome, LinkVerdict
from engines.proofreading.stated_facts import Fact
from engines.proofreading.statement_roles import is_concluded
from engines.proofreading.term_properties import free_symbols, has_summed_index

EvidenceGrade = Literal["strong", "weak", "faint"]
_ALLOWED: Mapping[EvidenceGrade, LinkOutcome] = {"strong": "wrong", "weak": "doubtful", "faint": "not shown"}
_MOST_APART = 2
"""Pieces of a text from one formula to the next, and paragraphs: a displayed formula is one of its own."""
_NEXT_LINES = 8
"""Lines: a definition so far away is that of the example at hand."""
_LINES_OF_FUNCTION = 12
"""Lines: so far on, a function of the same scope is the same one."""
_NEAR_LINES = 20
"""Lines: a statement so far away can still be about the same example."""


_WORKS = ("proof", "solution", "example")
"""Scopes that are about one thing."""
_LAST_WORDS = 2
_LEADING = ("deducing", "obtaining")
"""What words before a statement say that is drawn from others."""


def weigh_evidence(
    judged: LinkVerdict, last_uses: Mapping[Fact, ChainLink] = MappingProxyType({})
) -> LinkVerdict:
    """Return the verdict that the evidence against a link allows; one that is neither wrong nor doubtful, and
    a doubtful one with strong evidence, stay as they are.

    Args:
        last_uses: The last link that followed by each earlier statement.
    """
    if judged.outcome not in ("wrong", "doubtful"):
        return judged
    if judged.link.is_crossed_out:
        return replace(judged, outcome="not shown", reason=f"a cross marks it as wrong: {judged.reason}")
    grade = grade_evidence(judged.link, judged.evidence, last_uses)
    if judged.outcome == "doubtful" and grade == "strong":
        return judged
    return replace(judged, outcome=_ALLOWED[grade])


def grade_evidence(link: ChainLink, evidence: Evidence, last_uses: Mapping[Fact, ChainLink]) -> EvidenceGrade:
    """Return how strong the evidence is that a link is a mistake.

    Args:
        last_uses: The last link that followed by each earlier statement.
    """
    if any(has_summed_index(source.left, source.right) for source in evidence.sources):
        return "faint"  # T_ij = R_ip R_jq T_pq says nothing of numbers p and q
    match evidence.kind:
        case "sides":
            return "strong"
        case "last equation":
            return "strong" if _stand_beside(link, evidence) else "weak"
        case "definition" | "stated values":
            return _grade_sources(link, evidence, last_uses)
        case "only statement":
            lines = max((_measure_distance(link, source) for source in evidence.sources), default=0)
            return "strong" if lines <= _NEAR_LINES else "weak"
        case "near consequence":
            return _grade_near_consequence(link, evidence)
        case "copy":
            return _grade_copy(evidence)
        case "odd one":
            return "strong" if evidence.is_certain else "weak"
        case "name":
            return _grade_name(evidence)


def _grade_sources(link: ChainLink, evidence: Evidence, last_uses: Mapping[Fact, ChainLink]) -> EvidenceGrade:
    """Grade by where the statements stand that an accusation uses, or were last used by what holds."""
    lines = max((_measure_distance(link, last_uses.get(each, each)) for each in evidence.sources), default=0)
    # "For (b), with f'(u) = cos u" gives a function of another paragraph anew; "Solve …, y(1) = 1" is a task.
    elsewhere = any(source.position.paragraph != link.position.paragraph for source in evidence.sources)
    # "With the product rule" names what is applied.
    is_given = elsewhere and read_last_cue(" ".join(words_of(link.words_before)[-_LAST_WORDS:])) == "given"
    if is_given and link.position.scope.kind == "exercise":
        return "faint"
    if not is_given and (_stand_beside(link, evidence) or lines <= _NEXT_LINES):
        return "strong"
    if not is_given and evidence.sources and all(_defines_here(source, link) for source in evidence.sources):
        return "strong"
    # An exercise has its functions to its end; those of another are others a few lines further on.
    in_task = all(_defines_in_task(source, link) for source in evidence.sources)
    return "weak" if in_task or lines <= _NEAR_LINES else "faint"


def _defines_in_task(source: Fact, link: ChainLink) -> bool:
    """Return whether a statement says what a function is, in the example or exercise of a link."""
    return source.left.label == "call" and source.is_about_task_of(link.position)


def _defines_here(source: Fact, link: ChainLink) -> bool:
    """Return whether a statement says what a function is, shortly before a link in the same scope: there it
    is the same one."""
    here = source.left.label == "call" and source.position.scope is link.position.scope
    return here and _measure_distance(link, source) <= _LINES_OF_FUNCTION


def _stands_in_work(source: Fact, link: ChainLink) -> bool:
    """Return whether a statement stands shortly before a link in the same proof, solution or example, or in
    the same section, where words or a chain go on from what was said."""
    here = link.position.scope
    words = last_sentence(link.words_before)
    leads_on = link.index > 0 or is_concluded(link) or any(mentions(cue, words) for cue in _LEADING)
    within = here is source.position.scope and (here.kind in _WORKS or leads_on)
    return within and _measure_distance(link, source) <= _NEXT_LINES


def _measure_distance(link: ChainLink, source: Fact | ChainLink) -> int:
    """Return by how many lines or paragraphs a statement stands before a link, whichever are more."""
    # A page can be one line, of which the paragraphs are counted.
    return max(link.line - source.line, link.position.paragraph - source.position.paragraph)


def _stand_beside(link: ChainLink, evidence: Evidence) -> bool:
    """Return whether all statements that an accusation uses stand in its paragraph, or in one that ends right
    before it."""
    paragraphs = {source.position.paragraph for source in evidence.sources} or {link.position.paragraph}
    last = max((source.piece for source in evidence.sources), default=link.piece_index)
    before = (
        link.position.paragraph - min(paragraphs) <= _MOST_APART and link.piece_index - last <= _MOST_APART
    )
    return len(paragraphs) == 1 and (before or link.position.paragraph in paragraphs)


def _grade_near_consequence(link: ChainLink, evidence: Evidence) -> EvidenceGrade:
    """Grade a claim that would follow but for one change: what leads on from statements of its paragraph is
    hardly about something else, and variables get other values in every example."""
    if any(map(_adds_functions, evidence.sources)):
        return "faint"
    if not evidence.is_certain and _gives_two_values(evidence.sources):
        return "faint"
    if evidence.is_certain:
        # What a function is was said before the example began, or in the exercise of which this is a part.
        equations = tuple(source for source in evidence.sources if source.left.label != "call")
        in_task = all(
            _defines_in_task(source, link) or _defines_here(source, link) for source in evidence.sources
        )
        beside = _stand_beside(link, replace(evidence, sources=equations or evidence.sources))
        in_work = all(_stands_in_work(source, link) for source in evidence.sources)
        return "strong" if beside or in_task or in_work else "weak"
    return "faint" if all(source.is_value for source in evidence.sources) else "weak"


def _gives_two_values(sources: Sequence[Fact]) -> bool:
    """Return whether two paragraphs give one letter two terms: `k = f(0)`, and then `k = f(1)`."""
    return any(
        one.left == other.left
        and one.right != other.right
        and not one.left.children
        and bool(one.right.children and other.right.children)
        and one.position.paragraph != other.position.paragraph
        for one, other in combinations(sources, 2)
    )


def _adds_functions(source: Fact) -> bool:
    """Return whether a statement calls a function and has its name alone, too: (f + g)(x) = f(x) + g(x)."""
    called = _list_called(source.left) | _list_called(source.right)
    return not called.isdisjoint(free_symbols(source.left) | free_symbols(source.right))


def _list_called(tree: Tree) -> frozenset[str]:
    """Return the functions that a term calls: in dy/dx, of which y is a function, nothing is called."""
    if tree.label == "d":
        return frozenset()
    called = frozenset((tree.children[0].label,)) if tree.label == "call" else frozenset[str]()
    return called.union(*map(_list_called, tree.children))


def _grade_copy(evidence: Evidence) -> EvidenceGrade:
    """Grade a statement that another says with another digit, sign or index: where the text says the other
    again, or goes on with it, nothing else can be meant; else many are said of another thing, and an unknown
    can have another value."""
    if evidence.is_certain and evidence.is_confirmed and evidence.variation != "value":
        return "strong"
    # Of the copies that are said once each, most are of two examples, waves or matrices.
    is_faint = evidence.variation and not (evidence.is_certain or evidence.is_confirmed)
    return "faint" if is_faint else "weak"


def _grade_name(evidence: Evidence) -> EvidenceGrade:
    """Grade a name that the text has only in one place."""
    return "strong" if evidence.is_certain else "weak"
