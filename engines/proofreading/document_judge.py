"""Every link of a document, judged in its order, and those that are the odd ones out among the others."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, zip_longest

from engines.core.tree import ONE, Tree
from engines.documents.reading import Document
from engines.formula.document_names import gather_evidence
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.numbers import point_shown
from engines.proofreading.chains import MAX_FORMULA, ChainLink, iterate_chains
from engines.proofreading.contradicted_statements import is_contradicted_behind
from engines.proofreading.cue_phrases import (
    describes_value,
    distinguishes_cases,
    is_made_of,
    mentions,
    read_last_cue,
    words_of,
)
from engines.proofreading.cue_translations import translate_words
from engines.proofreading.document_rings import count_named_rings, judge_in_named_rings
from engines.proofreading.evidence_grades import weigh_evidence
from engines.proofreading.letter_domains import read_domains
from engines.proofreading.letter_meanings import read_meanings
from engines.proofreading.link_context import Mention
from engines.proofreading.link_judge import LinkJudge
from engines.proofreading.link_verdicts import Evidence, LinkOutcome, LinkVerdict
from engines.proofreading.named_functions import name_functions
from engines.proofreading.named_moduli import Moduli
from engines.proofreading.number_links import UNSOLVABLE
from engines.proofreading.odd_statements import ComparedSides, find_odd_statements
from engines.proofreading.other_notations import is_infinity_signed
from engines.proofreading.own_notations import reconsider_own_notations
from engines.proofreading.prose_languages import name_unread_prose, withhold_accusation
from engines.proofreading.refuted_statements import excuse_false_premises, excuse_refuted_statements
from engines.proofreading.reintroduced_letters import read_renewals
from engines.proofreading.repeated_notations import excuse_repeated_notations
from engines.proofreading.repetitions import RELATIONS, RepeatedStatement, find_misquotations
from engines.proofreading.scopes import CHOICES_BEGIN, Position, read_positions
from engines.proofreading.slips import bound_meant
from engines.proofreading.statement_roles import list_letters
from engines.proofreading.term_properties import LOG, constant_gap, free_symbols, matrices_of
from engines.proofreading.worded_equations import read_worded_equations

MAX_LINKS = 2_000
"""Of one document; the links behind them are not judged, which is said of the first."""
MAX_FORMULAS = 10_000
"""So many formulas at the beginning say what the letters of a document are."""
_STAR = r"\s*(?:\\mathbin\s*\{\s*)?(?:\*|\\ast)\s*\}?\s*"
_OWN = re.compile(rf"[a-z]{_STAR}[a-z]\s*&?=|[A-Za-z]{_STAR}[A-Za-z]\s*&?:=")
_STARRED = re.compile(rf"\s*[A-Za-z]{_STAR}[A-Za-z]\s*")
_INTRODUCED = re.compile(
    r"[A-Za-z,\s]+(?:(?:\\in|\\geq?|\\leq?|\\neq?|>|<)\s*(?:\\mathbb\s*\{?[A-Z]\}?|\\R|\d+))?[.,]?\s*"
)

_ACCUSED = ("wrong", "doubtful", "loses domain")
_BITS = "logic and bits"
_LARGE = 10
"""Of a modulus that another section gives: few differences are multiples of it by chance."""
_MODULI = ("p", "q", "n", "m", "N")
"""Letters for numbers by which is divided."""
_NEXT_PIECES = 4
"""Pieces of a text from one formula to the second behind it."""
_BEHIND = 2
"""… and to the next, words between them."""
_LONGEST_NAME = 30
"""Characters of a formula that names a letter with an index."""
_NEAR_LINES = 20
"""Lines: other statements about the same unknown can be those of another task."""


class LinkError(Exception):
    """An error that nobody foresaw, while the links of a chain were judged; `line` is that of the first."""

    def __init__(self, line: int, cause: Exception) -> None:
        super().__init__(f"in line {line}: {cause}")
        self.line = line
        self.cause = cause


def _names_own_star(document: Document) -> bool:
    """Return whether words call `a * b` an operation: "denote by § the operation § "."""
    return any(
        piece.formula
        and _STARRED.fullmatch(piece.text) is not None
        and any(mentions("operation", beside.text) for beside in (before, behind) if not beside.formula)
        for before, piece, behind in zip(
            document.pieces, document.pieces[1:], document.pieces[2:], strict=False
        )
    )


def proofread_document(document: Document, judge: Judge) -> list[LinkVerdict]:
    """Return the verdicts on every link of a document, judged in its order.

    Raises:
        LinkError: Where a rule fails on a chain.
    """
    written, document = document, translate_words(document)
    # 1. What the whole document says of its letters, sections and operations is read before any link.
    formulas = [each.text for each in document.pieces if each.formula and len(each.text) <= MAX_FORMULA]
    words = " ".join(piece.text for piece in document.pieces if not piece.formula)
    positions = read_positions(document)
    renewals = read_renewals(document)
    evidence = gather_evidence(formulas[:MAX_FORMULAS], words)
    reader = LinkJudge(
        judge,
        read_meanings(document, positions, evidence.names),
        pieces=document.pieces,
        positions=positions,
        name_counts=evidence.numbered,
        domains=read_domains(document, positions),
        pending_renewals=[(at, positions[at], names) for at, names in sorted(renewals.items())],
        pending_worded=[
            (at, positions[at], said) for at, said in sorted(read_worded_equations(document).items())
        ],
        redefines_star=any(map(_OWN.search, formulas)) or _names_own_star(document),
        has_signed_infinity=any(map(is_infinity_signed, formulas)),
        sections_of_cases=frozenset(
            id(position.scope.section)
            for piece, position in zip(document.pieces, positions, strict=True)
            if not piece.formula and mentions("cases", piece.text)
        ),
        paragraphs_of_cases=sorted(
            {
                position.paragraph
                for piece, position in zip(document.pieces, positions, strict=True)
                if not piece.formula and distinguishes_cases(piece.text)
            }
        ),
        asked=[
            position
            for piece, position in zip(document.pieces, positions, strict=True)
            if not piece.formula and (mentions("asking", piece.text) or CHOICES_BEGIN.search(piece.text))
        ],
        asked_for_mistakes=[place for _, place in _find_words(document, positions, "asking for mistakes")],
        contradictions=_find_words(document, positions, "contradiction"),
        refutations=_find_words(document, positions, "contrary"),
        named_functions=name_functions(words),
        assigned=_find_words(document, positions, "assigning", "unsolvable"),
        matrices=matrices_of(document),
        mentions=[
            Mention(at, positions[at], list_letters(piece.text), piece.said)
            for at, piece in enumerate(document.pieces)
            if piece.formula
            and len(piece.text) <= MAX_FORMULA
            and not (_INTRODUCED.fullmatch(piece.text) and not _is_described(document, at))
        ],
    )
    # 2. The links, up to a limit; congruences without a modulus are those of the only one that is named.
    judged: list[LinkVerdict] = []
    linked: list[list[ChainLink]] = []
    many = 0
    for chain in iterate_chains(document, positions):
        linked.append(chain)
        many += len(chain)
        if many > MAX_LINKS:
            break
    congruences = {link.modulus for chain in linked for link in chain if link.modulus}
    reader.modulus = congruences.pop() if len(congruences) == 1 else ""
    # 3. Each chain is judged by what stands before it.
    for chain, next_chain in zip_longest(linked, linked[1:]):
        room = MAX_LINKS - len(judged)
        try:
            judged += reader.judge_chain(chain[:room], next_chain[0] if next_chain else None)
        except Exception as error:
            raise LinkError(chain[0].line, error) from error
        if len(chain) > room:
            many_links = f"the document has more than {MAX_LINKS:,} links: left out from here"
            judged.append(LinkVerdict(chain[room], "unread", many_links))
            break
    # 4. What only the rest of the document shows: the odd one of several equations or bounds, links that hold
    # in another domain, and copies with a mistake.
    if not reader.sections_of_cases:
        _accuse_odd_equations(judged, reader.equations, renewals)
        _accuse_unlike_bounds(judged, reader.bounds, judge)
    moduli = Moduli(document, positions)
    rings = count_named_rings(document)
    judged = [reader.judge_in_domain(each, moduli) if each.outcome in _ACCUSED else each for each in judged]
    judged = list(_reconsider_in_rings(judged, reader, rings, moduli))
    judged = reconsider_own_notations(judged, document, reader.read_trees, judge)
    _excuse_cases(judged, reader)
    _excuse_unsolvable(judged, reader)
    _accuse_misquotations(judged, reader, document)
    judged = [_confirm_name(each) for each in judged]
    judged = [_reconsider_supposed(each, reader) for each in judged]
    excuse_false_premises(judged)
    excuse_refuted_statements(judged, reader.read_trees)
    judged = excuse_repeated_notations(judged, reader.read_trees)
    unread_prose = name_unread_prose(written, positions)
    return [_withhold_unread(each, reader, unread_prose) for each in judged]


def _withhold_unread(judged: LinkVerdict, reader: LinkJudge, unread_prose: Mapping[int, str]) -> LinkVerdict:
    """Return the verdict on a link in the light of the prose around it, which may be one that is not read."""
    language = unread_prose.get(judged.link.piece_index, "")
    if judged.outcome not in _ACCUSED or not language:
        return judged
    left, right = (side.tree for side in reader.read_sides(judged.link))
    return withhold_accusation(judged, left or ONE, right or ONE, language)


def _confirm_name(judged: LinkVerdict) -> LinkVerdict:
    """Return the verdict on a doubtful copy of a statement: it is wrong if its name is one that the text
    neither introduces nor goes on to."""
    is_name = judged.outcome == "doubtful" and judged.evidence.kind == "name"
    return replace(judged, outcome="wrong") if is_name and judged.evidence.is_confirmed else judged


def _reconsider_in_rings(
    judged: Sequence[LinkVerdict], reader: LinkJudge, rings: Counter[int], moduli: Moduli
) -> Iterator[LinkVerdict]:
    """Yield the verdicts in the light of the rings of residues that the document names: those on accused
    links can change."""
    scopes = {id(one): one for each in judged for one in each.link.position.scope.lineage}
    names_bits = any(_BITS in scope.domains for scope in scopes.values())
    congruent = {each.link.chain_index for each in judged if each.link.relation == "congruent"}
    given = defaultdict(set)
    for each in judged:
        link = each.link
        if link.relation == "=" and link.left.strip() in _MODULI and link.right.strip().isdecimal():
            given[id(link.position.scope.section)].add(int(link.right))
    for each in judged:
        link = each.link
        if each.outcome not in ("wrong", "doubtful"):
            yield each
            continue
        left, right = (side.tree for side in reader.read_sides(link))
        if left is None or right is None:
            yield each
            continue
        meant = moduli.describe_rings(link.position, link.piece_index)
        named = set(meant.everywhere if link.chain_index in congruent else meant.nearby)
        # "Consider p = 37", in a text about residues, says by what is divided.
        if meant.everywhere:
            named |= given[id(link.position.scope.section)]
        if link.position.domain == "residues":
            named |= {one for several in given.values() for one in several if one >= _LARGE}
        yield judge_in_named_rings(each, left, right, rings, named, names_bits=names_bits)


def _reconsider_supposed(judged: LinkVerdict, reader: LinkJudge) -> LinkVerdict:
    """Return the verdict on what may follow from a supposition that the text refutes: a statement that fails
    is what it wants, but a step of a calculation and one with a slip are mistakes."""
    link = judged.link
    if judged.outcome not in ("wrong", "doubtful") or judged.is_mistyped or link.index or link.modulus:
        return judged
    left, right = (side.tree for side in reader.read_sides(link))
    if left is None or right is None or not reader.is_refuted_later(link):
        return judged
    worked_out = left.children and right.children and free_symbols(left) == free_symbols(right)
    if worked_out and link.relation == "=":
        return judged
    return LinkVerdict(link, "not shown", "it follows from what the text refutes")


def _excuse_cases(judged: list[LinkVerdict], reader: LinkJudge) -> None:
    """Call equations not shown that fail and say several different things of one term with variables, as
    `x[y] = x` and `x[y] = 2x`: the text distinguishes cases."""
    failing: dict[Tree, list[tuple[int, Tree]]] = defaultdict(list)
    for index, each in enumerate(judged):
        if each.outcome != "wrong" or each.link.relation != "=" or each.evidence.kind != "sides":
            continue
        # … and a slip is one in every case.
        if each.is_mistyped:
            continue
        left, right = (side.tree for side in reader.read_sides(each.link))
        # An antiderivative is one term but for a constant.
        if left is None or right is None or left.label == "antiderivative":
            continue
        if left.children and free_symbols(left):
            failing[left].append((index, right))
    for (index, one), (following, other) in (
        pair for several in failing.values() for pair in pairwise(several)
    ):
        lines = judged[following].link.line - judged[index].link.line
        if one != other and lines <= _NEAR_LINES:
            for at in (index, following):
                judged[at] = replace(judged[at], outcome="not shown", reason="it is said of several cases")


def _excuse_unsolvable(judged: list[LinkVerdict], reader: LinkJudge) -> None:
    """Call equations not shown of which the words behind them say that they have no solution, as `5 = 6`
    behind which `Impossible` stands, and those before that lead to them."""
    for last, each in enumerate(judged):
        words = each.link.words_after
        is_told = mentions("contradiction", words) or mentions("unsolvable", words)
        # 8 = 0, drawn from an equation, says that nothing solves that one.
        is_drawn = each.reason == UNSOLVABLE and each.link.connective == "so" and last > 0
        if not (is_drawn or (each.outcome == "wrong" and is_told)):
            continue
        # 5 = 6 is what no number solves; a rewritten term that fails is a slip.
        if any(side.tree is None or free_symbols(side.tree) for side in reader.read_sides(each.link)):
            continue
        for at in range(last - is_drawn, -1, -1):
            left, right = (side.tree for side in reader.read_sides(judged[at].link))
            apart = judged[last].link.line - judged[at].link.line > _NEAR_LINES
            if judged[at].outcome != "wrong" or apart or left is None or right is None:
                break
            # Sides that differ by a number are equal nowhere, however the equation is rewritten.
            if judged[at].link.relation != "=" or not constant_gap(left, right):
                break
            if is_drawn and not free_symbols(left) | free_symbols(right):
                break  # of 2 = 3 ⇒ 4 = 7 the first is one of numbers
            reason = "the words behind it say that nothing solves it"
            judged[at] = replace(judged[at], outcome="not shown", reason=reason)


def _find_words(document: Document, positions: Sequence[Position], *cues: str) -> list[tuple[int, Position]]:
    """Return the pieces whose words have a phrase of a cue, by their indices, and where they stand."""
    return [
        (at, position)
        for at, (piece, position) in enumerate(zip(document.pieces, positions, strict=True))
        if not piece.formula and any(mentions(cue, piece.text) for cue in cues)
    ]


def _is_described(document: Document, at: int) -> bool:
    """Return whether words beside a letter say what it is, as `let x be a solution`."""
    before, after = (
        document.pieces[index].text if 0 <= index < len(document.pieces) else "" for index in (at - 1, at + 1)
    )
    return describes_value(before, after)


def _accuse_unlike_bounds(
    judged: list[LinkVerdict], bounds: Sequence[tuple[ChainLink, Tree]], judge: Judge
) -> None:
    """Call bounds on a variable wrong where one number, sign or operator keeps them from saying what the
    next says."""
    indices = {id(each.link): index for index, each in enumerate(judged)}
    for (link, one), (following, other) in pairwise(bounds):
        index = indices[id(link)]
        near = (
            link.chain_index != following.chain_index
            and link.position.scope is following.position.scope
            and indices[id(following)] - index <= 3
            and (following.connective in ("so", "row") or _stands_before(link, following))
            and not (link.index or following.index)
            and following.connective not in (",", "and")
            and words_of(following.words_before)[-1:] != ["and"]  # both are conditions
            and free_symbols(one) == free_symbols(other)
            and (following.connective == "so" or not link.speaks_of_several_after)
            and not following.is_one_of_alternatives
            and not link.words_after.startswith((":", "："))  # n ≥ 1: it says when the next holds
        )
        # Behind a bound that follows the next one is the slip.
        accused = index if judged[index].outcome == "given" else indices[id(following)]
        is_settled = judged[index].outcome in ("given", "follows", "not shown")
        is_settled = is_settled and judged[accused].outcome == "given"
        if not near or not is_settled or link.is_denied_directly:
            continue
        if instead := bound_meant(
            one,
            other,
            lambda meant, as_: judge.equal(meant, as_).outcome == "equal",
            is_next_row=following.connective in ("so", "row"),
        ):
            other_link = following if accused == index else link
            written = f"{other_link.left} {other_link.relation} {other_link.right}"
            reason = f"it says what {written} says with {instead}"
            judged[accused] = LinkVerdict(judged[accused].link, "wrong", reason)


def _stands_before(link: ChainLink, following: ChainLink) -> bool:
    """Return whether a link stands in the sentence of another, before it."""
    return any(link.left in formula and link.right in formula for formula in following.formulas_before)


def _accuse_misquotations(judged: list[LinkVerdict], reader: LinkJudge, document: Document) -> None:
    """Call statements wrong that are copies of others but for one digit, sign or index."""
    statements = []
    begun: dict[int, str] = {}
    formulas = ((at, piece.text) for at, piece in enumerate(document.pieces) if piece.formula)
    names = ((at, text) for at, text in formulas if len(text) <= _LONGEST_NAME and "=" not in text)
    terms = ((at, reader.read_formula(text).tree) for at, text in names)
    named = [(at, tree.label) for at, tree in terms if tree is not None and not tree.children]
    for index, each in enumerate(judged):
        begun.setdefault(each.link.chain_index, " ".join(each.link.left.split()))
        if each.outcome == "unread" or each.link.relation not in (*RELATIONS, ":="):
            continue
        left, right = (side.tree for side in reader.read_sides(each.link))
        if left is None or right is None or not free_symbols(left) | free_symbols(right):
            continue  # numbers speak for themselves
        # 3 =? 2(1) + 1 is asked of each point in turn.
        if "related" not in left.list_labels():
            odd = each.outcome in ("given", "doubtful", "not shown") and not each.link.of_problem
            of_term = begun[each.link.chain_index] if each.link.index else ""
            statements.append(RepeatedStatement(index, each.link, left, right, odd, of_term))
    equations = {each.place: each for each in statements if each.link.relation == "="}
    for one in find_misquotations(statements, reader.name_counts, named):
        source = judged[one.by].link
        written = " ".join(f"{source.left} {source.relation} {source.right}".split())
        reason = f"it contradicts {written} (line {source.line}), with {one.instead}"
        is_certain, is_confirmed = one.is_certain, one.is_confirmed
        if not is_certain and {one.place, one.by} <= equations.keys() and one.by < one.place:
            behind = [each for index, each in equations.items() if index > one.place]
            pair = equations[one.by], equations[one.place]
            is_certain = is_confirmed = is_contradicted_behind(reader.judge, *pair, behind)
        if is_certain or (one.is_likely and judged[one.place].outcome not in ("wrong", "doubtful")):
            evidence = Evidence("copy", (), is_certain, is_confirmed, one.variation)
            outcome: LinkOutcome = "wrong" if is_certain else "doubtful"
            accused = replace(judged[one.place], outcome=outcome, reason=reason, evidence=evidence)
            weighed = weigh_evidence(accused)
            # Of a statement that can be about another thing nothing is said.
            judged[one.place] = judged[one.place] if weighed.outcome == "not shown" else weighed


def _accuse_odd_equations(
    judged: list[LinkVerdict],
    equations: Sequence[tuple[ChainLink, Tree, Tree]],
    renewals: Mapping[int, Sequence[str]],
) -> None:
    """Call the equations wrong that fail where those beside them hold.

    Args:
        renewals: The letters that get another meaning or value, by the pieces of the document.
    """
    indices = {id(each.link): index for index, each in enumerate(judged)}
    statements = []
    begun: dict[int, Tree] = {}
    names: dict[int, int] = {}
    for link, left, right in equations:
        index = indices[id(link)]
        names[index] = len(free_symbols(left) | free_symbols(right))
        first = begun.setdefault(link.chain_index, left)
        if link.index and not first.children and not free_symbols(right):
            statements.append(ComparedSides(index, first, right, link.words_before, link.words_after, True))
        if judged[index].outcome in ("right", "right if") or LOG.search(link.left + link.right):
            continue
        free = judged[index].outcome in ("given", "doubtful", "not shown") and not link.of_problem
        free = free and not link.has_denial_nearby
        pairs = [(left, right)]
        if left.label == right.label == "list" and len(left.children) == len(right.children):
            pairs = list(zip(left.children, right.children, strict=True))
        statements += [
            ComparedSides(index, one, other, link.words_before, link.words_after, not free)
            for one, other in pairs
        ]
    symbols = {each.place: free_symbols(each.left) | free_symbols(each.right) for each in statements}
    for odd in find_odd_statements(statements):
        by = " and ".join(f"{judged[one].link.left} = {judged[one].link.right}" for one in odd.by)
        link, where = judged[odd.place].link, " ".join(by.split())
        apart = [abs(judged[one].link.line - link.line) for one in odd.by]
        if not _is_drawn(link) or names[odd.place] != 1:
            continue
        if any(name.endswith("(") for name in symbols[odd.place]):
            continue  # values of a function that is not known are no roots
        if max(apart) > _NEAR_LINES or any(_are_listed_together(judged[one].link, link) for one in odd.by):
            continue
        # What an item or part of an exercise says of a letter, another does not contradict.
        here, scopes = link.position.scope, [judged[one].link.position.scope for one in odd.by]
        if not all(there.reaches(here) or here.reaches(there) for there in scopes):
            continue
        earliest = min(judged[one].link.piece_index for one in odd.by)
        since = (names for at, names in renewals.items() if earliest < at < link.piece_index)
        if any(not symbols[odd.place].isdisjoint(names) for names in since):
            continue
        # Of a system none of the equations leads to another: what follows from them may be the slip.
        unknowns = symbols[odd.place]
        if len(unknowns) > 1 and any(symbols[one] == unknowns for one in odd.by):
            continue
        reason = f"it does not hold at {point_shown(odd.at)}, where {where}"
        others = [judged[one].link for one in odd.by]
        evidence = Evidence("odd one", (), is_certain=_stand_beside(link, others))
        judged[odd.place] = weigh_evidence(LinkVerdict(link, "wrong", reason, evidence=evidence))
        for one in odd.by:
            if judged[one].outcome == "wrong":
                why = f"it contradicts {link.left} = {link.right}"
                judged[one] = LinkVerdict(judged[one].link, "not shown", why)


def _stand_beside(link: ChainLink, others: Sequence[ChainLink]) -> bool:
    """Return whether other equations stand in the paragraph of one, or together right before it."""
    paragraphs = {other.position.paragraph for other in others}
    behind = link.piece_index - max(other.piece_index for other in others)
    return len(paragraphs) == 1 and (0 < behind <= _NEXT_PIECES or link.position.paragraph in paragraphs)


def _are_listed_together(one: ChainLink, other: ChainLink) -> bool:
    """Return whether two equations are of one chain, stand in one formula with a comma or space between, or
    give one letter two values joined by `and`, as two bounds: of those all are said, and none of them leads
    to another."""
    first, second = sorted((one, other), key=lambda link: link.piece_index)
    joined = is_made_of("joining", second.words_before.rpartition("§")[2])
    if joined and second.piece_index - first.piece_index == _BEHIND and first.left == second.left:
        return True
    return one.piece_index == other.piece_index and (
        one.chain_index == other.chain_index or "," in (one.connective, other.connective)
    )


def _is_drawn(link: ChainLink) -> bool:
    """Return whether words, an arrow or a new row say of an equation that another leads to it."""
    # "x^2 + x + 1 = 0 has no real solutions" is said of the equation.
    if words_of(link.words_after)[:1] in (["has"], ["have"]):
        return False
    return read_last_cue(link.words_before) == "claimed" or link.index > 0 or link.connective in ("so", "row")
