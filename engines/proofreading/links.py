"""The links of a document's chains, each judged: right, wrong or given.

A link that holds wherever both sides are defined is *right*, under a hypothesis *right if*; one that holds by
what was said before *follows*. What fails is *wrong* only where it claims something of numbers, where a chain
of equal expressions changes its value, or where it contradicts what was said: a definition, a condition or an
equation to be solved fails alone and is *given*, anything else is *not shown*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat, zip_longest

from engines.core.tree import ZERO, Tree
from engines.formula.meaning import Names, Reading
from engines.formula.reader import read
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.mathematics.judging.shapes import choose_signs
from engines.mathematics.judging.verdicts import Verdict
from engines.mathematics.verification.work_limit import limit_work
from engines.proofreading.bounds import BOUNDS, carry_bound, find_opposite
from engines.proofreading.chains import (
    MAX_FORMULA,
    TOO_LONG,
    ChainLink,
)
from engines.proofreading.cue_phrases import (
    ends_with,
    has_condition,
    is_made_of,
    last_clause,
    last_cue_makes_given,
    mentions,
)
from engines.proofreading.definitions import find_undefined
from engines.proofreading.facts import MOST_STEPS, Fact, Facts, cite_fact, describe_sources
from engines.proofreading.failed_link_excuses import STAR, reconsider_link
from engines.proofreading.letter_domains import LetterDomains, list_conditions
from engines.proofreading.letter_meanings import LetterMeanings
from engines.proofreading.link_verdicts import LinkVerdict
from engines.proofreading.matrix_links import MatrixLinks
from engines.proofreading.number_links import NumberLinks
from engines.proofreading.rings_and_residues import judge_congruence, judge_in_domain
from engines.proofreading.roles import (
    find_repair,
    is_concluded,
    is_examined,
    is_universal,
    read_role,
    write_term,
)
from engines.proofreading.scopes import NOWHERE, Position
from engines.proofreading.slips import (
    find_identity_slip,
    find_odd_entry,
    find_slip,
    points_of,
)
from engines.proofreading.solution_changing_steps import explain_root, explain_sign
from engines.proofreading.term_properties import (
    DECIMAL,
    DEGREES,
    LOG,
    OF_ANGLES,
    UNSURE,
    as_products,
    constant_gap,
    count_members,
    count_terms,
    differ_everywhere,
    evaluate_term,
    exact_difference,
    free_symbols,
    is_expansion,
    is_slope,
    is_unsure,
    list_divisors,
    real_roots,
    values_agree,
)

_JUDGED = ("=", "<", ">", "<=", ">=", "!=", "approx")
_ANGLES = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc|pi|arc\w+|cis|operatorname|text\{cis\})")
_MOST_TERMS = 200
"""Of the sums and products of a link, with those inside others; more are not added up."""
_MOST_WORK = 60_000
"""Operations that the values of one link may take, all together."""
_LARGEST = 160
"""Nodes of a term: equality of larger ones is sought by exact algebra alone."""
_CALCULATED = frozenset(
    ("d", "limit", "sum", "prod", "integral", "antiderivative", "binomial", "det", "factorial")
)
_SETTLED = ("right", "right if", "wrong", "loses domain")
_BY_WORDS = (
    ("positive", ">", "0"), ("nonnegative", ">=", "0"), ("negative", "<", "0"), ("nonzero", "!=", "0"),
    ("whole", "in", "Z"),
)  # fmt: skip
"""What words say of the variables of a claim."""
_VECTORS = re.compile(r"\\(?:mathbf|vec|overrightarrow|boldsymbol|bm|hat|overline)(?![a-z])")


@dataclass(frozen=True, slots=True)
class Mention:
    """A formula that says something of letters, and does not only name them or say what kind they are."""

    piece: int
    position: Position
    letters: frozenset[str]
    said: bool


@dataclass(slots=True)
class LinkJudge:
    """Judge of the links of one document in their order, which remembers what the text has stated so far.

    Attributes:
        judge: The judge of single statements.
        meanings: What the document says of its letters.
        domains: What kinds of numbers the letters of the document stand for.
        facts: The assumptions, definitions and properties of operations that the text states.
        redefines_star: Whether the text defines an operation `*` of its own.
        sections_of_cases: The sections that distinguish cases, by their identity.
        modulus: The modulus that the congruences of the text name.
        matrices: The letters that stand for matrices.
        next_link: The link after the chain that is being judged.
        mentions: The formulas that say something of letters, in their order.
        settled: The indices of the pieces of the document whose links have all been decided.
        beside: The conditions that stand beside the link being judged.
        renewals: The letters that are introduced anew, by pieces, that are still to come.
        last_before: The number of the last equation that the text states before the chain being judged.
    """

    judge: Judge
    meanings: LetterMeanings
    domains: LetterDomains = field(default_factory=LetterDomains)
    facts: Facts = field(default_factory=Facts)
    readings: dict[tuple[str, Names], Reading] = field(default_factory=dict)
    position: Position = NOWHERE
    piece: int = 0
    equations: list[tuple[ChainLink, Tree, Tree]] = field(default_factory=list)
    bounds: list[tuple[ChainLink, Tree]] = field(default_factory=list)
    redefines_star: bool = False
    sections_of_cases: frozenset[int] = frozenset()
    modulus: str = ""
    matrices: frozenset[str] = frozenset()
    next_link: ChainLink | None = None
    mentions: Sequence[Mention] = ()
    settled: set[int] = field(default_factory=set)
    last_before: int = -1
    beside: Sequence[Tree] = ()
    renewals: list[tuple[int, Position, Sequence[str]]] = field(default_factory=list)

    @property
    def cases(self) -> bool:
        """Whether the section at hand distinguishes cases."""
        return id(self.facts.position.scope.section) in self.sections_of_cases

    @property
    def numbers(self) -> NumberLinks:
        """The judge of links without variables."""
        return NumberLinks(self.judge, self.read_formula, self.read_sides)

    @property
    def matrix_links(self) -> MatrixLinks:
        """The judge of equations of matrices."""
        return MatrixLinks(
            terms=self.judge,
            facts=self.facts,
            matrices=self.matrices,
            cases=self.cases,
            follow=self._make_follows_verdict,
            state=self._add_statement,
        )

    def read_formula(self, latex: str) -> Reading:
        names = self.meanings.names_at(self.position)
        found = self.readings.get((latex, names))
        if found is None:
            meant = as_products(latex, self.matrices) if self.matrices else latex
            found = self.readings[latex, names] = read(
                meant, "latex" if "{" in meant else "auto", names=names
            )
        return found

    def judge_chain(
        self, links: Sequence[ChainLink], next_link: ChainLink | None = None
    ) -> Iterator[LinkVerdict]:
        """Judge the links of a chain.

        Args:
            links: The links of the chain.
            next_link: The first link after the chain, if there is one.
        """
        settled = True
        self.position, self.piece = (links[0].position, links[0].piece) if links else (NOWHERE, 0)
        for judged in self._judge_all(links, next_link):
            link = judged.link
            settled = settled and judged.outcome in _SETTLED
            left, right = (
                (side.tree for side in self.read_sides(link)) if judged.outcome != "unread" else (None, None)
            )
            role = read_role(link, left, right)
            if left is None or right is None:
                yield replace(judged, role=role)
                continue
            free = free_symbols(left) | free_symbols(right)
            known = (each for each in self.facts.conditions if not free.isdisjoint(free_symbols(each)))
            statement = write_term(Tree(link.relation, (left, right)))
            yield replace(
                judged,
                role=role,
                statement=statement,
                hypotheses=tuple(dict.fromkeys(map(write_term, known)))[-3:],
            )
        if settled and links:
            self.settled.add(links[0].piece)

    def _judge_all(self, links: Sequence[ChainLink], next_link: ChainLink | None) -> Iterator[LinkVerdict]:
        equality_count = sum(link.relation == "=" for link in links)
        self.last_before = self.facts.last_number
        chain_start = self.read_sides(links[0])[0].tree if links else None
        for link, following in zip_longest(links, links[1:]):
            if link.relation == TOO_LONG:
                yield LinkVerdict(link, "unread", f"the formula has more than {MAX_FORMULA:,} characters")
                continue
            left, right = self.read_sides(link)
            if left.tree is None or right.tree is None:
                unread = left if left.tree is None else right
                yield LinkVerdict(link, "unread", unread.reason)
                continue
            if link.relation not in (*_JUDGED, "congruent", ":="):
                yield LinkVerdict(link, "not shown", f"the relation {link.relation} is not judged")
                continue
            self.facts.go_to(link.position)
            self._renew_letters(link.piece)
            free = free_symbols(left.tree) | free_symbols(right.tree)
            self.beside = [
                each
                for written in link.beside
                for each in list_conditions(self.read_formula(written).tree)
                if free_symbols(each) <= free
            ]
            next_side = (
                self.read_sides(following)[1].tree if following and following.relation == "=" else None
            )
            self.next_link = None if following else next_link
            with limit_work(_MOST_WORK) as limit:
                judged = self._judge_link(link, left.tree, right.tree, equality_count, next_side)
            unsettled = judged.outcome == "not shown" or (judged.outcome == "given" and not judged.reason)
            if unsettled and limit.refused and not link.said:
                judged = LinkVerdict(link, "not shown", "it takes more work than one link is given")
            # sides with a constant C, of the antiderivative that the chain begins with
            if (
                judged.outcome == "wrong"
                and chain_start
                and chain_start.label == "antiderivative"
                and all(
                    len(free_symbols(side) - free_symbols(chain_start)) == 1
                    and self.judge.equal(chain_start, side).outcome == "equal"
                    for side in (left.tree, right.tree)
                )
            ):
                judged = LinkVerdict(link, "right", "up to a constant")
            if judged.outcome == "wrong" and (base := self._logarithm_base(link)):
                judged = LinkVerdict(link, "right if", f"log is to the base {base}")
            if judged.outcome == "given" and (
                where := find_undefined(link, left.tree, right.tree, self.read_formula, self.judge)
            ):
                judged = LinkVerdict(link, "loses domain", f"defined only where {where}")
            if judged.outcome == "wrong":
                judged = reconsider_link(judged, links, left.tree, right.tree, self.judge, self.numbers)
            yield judged

    def _renew_letters(self, piece: int) -> None:
        """Introduce the letters anew that the text introduces up to a piece."""
        while self.renewals and self.renewals[0][0] <= piece:
            _, position, names = self.renewals.pop(0)
            self.facts.renew(names, position)

    def read_sides(self, link: ChainLink) -> tuple[Reading, Reading]:
        """Both sides, read. Degrees are plain numbers where nothing is taken of an angle."""
        sides = link.left, link.right
        if any(DEGREES.search(side) for side in sides) and not any(_ANGLES.search(side) for side in sides):
            sides = DEGREES.sub("", sides[0]), DEGREES.sub("", sides[1])
        return self.read_formula(sides[0]), self.read_formula(sides[1])

    def _logarithm_base(self, link: ChainLink) -> str:
        """Return the base of logarithms without one in which a link holds; "" where there is none."""
        for base in ("10", "2") if LOG.search(link.left + link.right) else ():
            based = [LOG.sub(rf"\\log_{{{base}}}", side) for side in (link.left, link.right)]
            left, right = (self.read_formula(side).tree for side in based)
            if left is None or right is None:
                continue
            found = self.numbers.compare_by_relation(link.relation, left, right)
            if found.outcome == "equal" or (found.outcome == "equal if" and not found.witness):
                return base
            # Bits are the unit of what a logarithm to the base 2 measures.
            if self.numbers.are_equal_without_units(replace(link, left=based[0], right=based[1])):
                return base
        return ""

    def _judge_link(
        self, link: ChainLink, left: Tree, right: Tree, equality_count: int, next_side: Tree | None
    ) -> LinkVerdict:
        if count_terms(left) + count_terms(right) > _MOST_TERMS:
            return LinkVerdict(link, "not shown", "a sum or product has too many terms")
        if self.redefines_star and STAR.search(link.left + link.right):
            return LinkVerdict(link, "unread", "the text defines an operation * of its own")
        if link.relation == ":=":
            self._add_statement(link, left, right)
            return LinkVerdict(link, "given", "a definition")
        if link.relation == "congruent" or (link.modulus and link.relation == "="):
            modulus = (
                self.read_formula(link.modulus or self.modulus) if link.modulus or self.modulus else None
            )
            return judge_congruence(link, left, right, modulus, self.judge)
        free = free_symbols(left) | free_symbols(right)
        if not free:
            return self.numbers.judge_numbers(link, count_members(left), count_members(right))
        if link.relation != "=":
            return self._judge_relation(link, left, right)
        if not self.matrices.isdisjoint(free):
            return self.matrix_links.judge(link, left, right)
        self.equations.append((link, left, right))
        if next_side is not None and not free_symbols(next_side):
            equality_count = 1  # a = b = 0 says that both are 0
        judged = self._judge_equation(link, left, right, free, equality_count)
        if judged.outcome in ("given", "not shown") and not (link.said or link.is_refused):
            said = self._find_slip(link) or (
                self._explain_odd_middle(left, right, next_side) if next_side else ""
            )
            judged = LinkVerdict(link, "wrong", said) if said else judged
        # A function that is written in another form is still defined once.
        form = (
            judged.outcome == "follows" and left.label == "call" and free_symbols(left) & free_symbols(right)
        )
        if form and self.facts.reduce_by_definitions(left, right):
            return judged
        if judged.outcome not in ("right", "wrong", "right if") or judged.reason.startswith("given"):
            self._add_statement(link, left, right)
        return judged

    def _make_follows_verdict(self, link: ChainLink, used: Sequence[Fact]) -> LinkVerdict:
        """Return the verdict of what holds by earlier statements: by few, each with its line, it follows."""
        if len(used) > MOST_STEPS:
            steps = f"it holds by {len(used)} earlier statements together, more than a reader follows"
            return LinkVerdict(link, "not shown", steps)
        left, right = (side.tree or ZERO for side in self.read_sides(link))
        if self._are_contradictory(link, used):
            contradicting = " and ".join(map(cite_fact, used))
            return LinkVerdict(link, "not shown", f"{contradicting} contradict each other, and all follows")
        # What holds only by the rest of its chain, or at one value, is near an identity by mistake.
        shared = free_symbols(left) & free_symbols(right)
        doubtful = any(
            one.number > self.last_before or (one.is_value and one.left.label in shared) for one in used
        )
        if doubtful and not link.is_refused and (said := self._find_slip(link, by_facts=False)):
            return LinkVerdict(link, "wrong", said)
        return LinkVerdict(link, "follows", describe_sources(used))

    def _are_contradictory(self, link: ChainLink, used: Sequence[Fact]) -> bool:
        left, right = (side.tree or ZERO for side in self.read_sides(link))
        return link.relation == "=" and self.facts.find_contradiction(left, right, used)

    def _add_statement(self, link: ChainLink, left: Tree, right: Tree) -> None:
        # Near x = 0 is not at x = 0.
        if ends_with("approached", link.before):
            return
        anew = last_cue_makes_given(last_clause(link.before)) is True
        examined = is_examined(link, left, right) or mentions("existing", link.before)
        claimed = link.position.scope.kind in ("theorem", "exercise") and (
            mentions("existing", link.before)
            or (last_cue_makes_given(link.before) is not True and mentions("proving", link.before))
        )
        sure = not (link.has_another_after if left.label == "call" else link.is_one_of_several)
        text = f"{link.left} = {link.right}"
        self.facts.add_fact(left, right, text, link.line, sure, anew=anew, examined=examined, claimed=claimed)

    # Statements about variables

    def _judge_relation(self, link: ChainLink, left: Tree, right: Tree) -> LinkVerdict:
        statement = Tree(link.relation, (left, right))
        given = link.said or last_cue_makes_given(link.before)
        simple = not left.children or not right.children
        # What is unequal in general is so at some values, and not at all.
        for_all = not simple and link.relation != "!=" and self._is_stated_for_all(link, left, right)
        if not link.said and link.relation in BOUNDS and len(free_symbols(statement)) == 1:
            self.bounds.append((link, statement))
        if not simple and len(statement) < _LARGEST:
            known = [*self._list_hypotheses(free_symbols(statement)), *self.facts.conditions[-4:]]
            found = self.judge.holds(statement, list(dict.fromkeys(known)))
            if found.outcome == "equal":
                return LinkVerdict(link, "right", found.reason)
        if for_all or self._is_concluded_for_all(link, left, right):
            found = self.judge.holds(statement, self._list_worded_hypotheses(link, left, right))
            if found.outcome == "different":
                return LinkVerdict(link, "wrong", f"it fails at {found.witness}")
        reduced = self.facts.reduce_by_facts(left, right)
        if reduced is not None and not (free_symbols(reduced.left) | free_symbols(reduced.right)):
            found = self.judge.holds(Tree(link.relation, (reduced.left, reduced.right)))
            if found.outcome == "equal":
                return self._make_follows_verdict(link, reduced.used)
        if statement in self.facts.conditions:
            return LinkVerdict(link, "follows", "it was said before")
        carried = (
            carry_bound(self.judge, link, statement, self.bounds)
            if simple and link.relation in BOUNDS
            else None
        )
        opposite = find_opposite(statement, self.facts.conditions) if simple and not carried else None
        while simple and not link.said and (old := find_opposite(statement, self.facts.conditions)):
            self.facts.replace_condition(old)
        if simple and link.relation in BOUNDS:
            self.facts.add_condition(statement)
        if carried is not None:
            return carried
        if opposite:
            return LinkVerdict(
                link,
                "given",
                f"nothing satisfies it and {write_term(opposite)}: everything follows from both",
            )
        if step := self._explain_multiplication(link, statement):
            return LinkVerdict(link, "not shown", step)
        if given or simple:
            return LinkVerdict(link, "given")
        return LinkVerdict(link, "not shown", "it depends on its variables")

    def _explain_multiplication(self, link: ChainLink, statement: Tree) -> str:
        """Return which inequality before was multiplied by an expression of either sign to get this one."""
        before = [(one, bound) for one, bound in self.bounds[-2:] if one is not link]
        if link.relation not in BOUNDS or not before or not (is_concluded(link) or link.joined == "row"):
            return ""
        previous, bound = before[-1]
        if previous.position.paragraph != link.position.paragraph or previous.chain == link.chain:
            return ""
        known = [*self._list_hypotheses(free_symbols(statement)), bound]
        step = explain_sign(bound, statement, [one for one in known if one != statement], self.judge)
        said = " ".join(f"{previous.left} {previous.relation} {previous.right}".split())
        return f"{said} (line {previous.line}) was {step}" if step else ""

    def judge_in_domain(self, judged: LinkVerdict, moduli: frozenset[int]) -> LinkVerdict:
        """Judge a link anew that is wrong of ordinary numbers, where the text is about something else.

        Args:
            moduli: those that its section names.
        """
        self.position = judged.link.position
        left, right = (side.tree for side in self.read_sides(judged.link))
        if left is None or right is None:
            return judged
        return judge_in_domain(judged, left, right, moduli, self.matrices)

    def _name_exceptions(self, left: Tree, right: Tree, free: frozenset[str]) -> str:
        """Return where only one side of an equation of equal rational functions has a value, as a reason."""
        if list_divisors(left) == list_divisors(right) or len(left) + len(right) >= _LARGEST:
            return ""
        found = self._compare(left, right, free)
        return f"where {found.condition}" if found.outcome == "equal if" else ""

    def _judge_equation(
        self, link: ChainLink, left: Tree, right: Tree, free: frozenset[str], equality_count: int
    ) -> LinkVerdict:
        """Judge an equation: as an identity, by what was stated, as a claim for all numbers, as a statement
        that is given, and last as a step that changes a value.
        """
        has_bare_side = not left.children or not right.children or left.label == "call"
        for_all = self._is_stated_for_all(link, left, right)
        exact_gap, labels = exact_difference(left, right), {*left.list_labels(), *right.list_labels()}
        # 1. Identities: by exact algebra, then by the judge. `exact_gap` is 0 where the difference of the
        # sides is zero, 1 where it is not, and None where algebra cannot tell.
        if exact_gap == 0:
            return LinkVerdict(link, "right", self._name_exceptions(left, right, free))
        found: Verdict | None = None
        shared = not has_bare_side or (
            free_symbols(left) == free_symbols(right) and left.label != "call" != right.label
        )
        never_equal = exact_gap is None and all(
            differ_everywhere(choose_signs(left, repeat(one)), choose_signs(right, repeat(other)))
            for one, other in (("+", "+"), ("+", "-"), ("-", "+"), ("-", "-"))[: 4 if "pm" in labels else 1]
        )
        if exact_gap is None and not never_equal and shared and len(left) + len(right) < _LARGEST:
            found = self._compare(left, right, free)
            if found.outcome == "equal":
                return LinkVerdict(link, "right", found.reason)
            if for_all and found.outcome == "equal if" and found.witness:
                return self._refute(link, left, right)
            if (
                found.outcome == "equal if"
                and not link.said
                and not (has_bare_side and last_cue_makes_given(link.before))
            ):
                if found.witness:
                    return LinkVerdict(link, "right if", found.condition)
                # Factorials and powers of -1 are of whole numbers, and an infinite sum converges where it
                # does: such conditions are meant, and no domain is lost.
                loses = not (
                    "≠" in found.condition
                    or "!=" in found.condition
                    or "factorial" in right.list_labels()
                    or found.condition.endswith("is an integer")
                    or (("sum" in labels or "prod" in labels) and "inf" in labels)
                )
                if loses:
                    beside = Tree("+", (left, Tree("*", (Tree("0"), right))))
                    loses = self._compare(left, beside, free).outcome == "equal if"
                # x = e^{log x} says of which x it speaks, and a law that is cited is meant where it holds.
                if not loses or (not left.children and "ln" in labels) or mentions("law", link.before):
                    return LinkVerdict(link, "right", f"where {found.condition}")
                return LinkVerdict(link, "loses domain", found.condition)
        # 2. What was stated before: definitions of functions alone, then equations and values.
        defined = self.facts.reduce_by_definitions(left, right)
        if defined and self.judge.equal(defined.left, defined.right).outcome == "equal":
            return self._make_follows_verdict(link, defined.used)
        reduced = self.facts.reduce_by_facts(left, right, values=not for_all)
        # A derivative is that everywhere, and not only at a value that was said.
        if reduced is not None and not (is_slope(left) and self._explain_misapplication(link, left, right)):
            if reduced.same:
                return self._make_follows_verdict(link, reduced.used)
            if (
                reduced.used
                and len(reduced.left) + len(reduced.right) < _LARGEST
                and not differ_everywhere(reduced.left, reduced.right)
            ):
                now = self._compare(reduced.left, reduced.right, free)
                if now.outcome == "equal":
                    return self._make_follows_verdict(link, reduced.used)
                if (
                    now.outcome == "equal if"
                    and not has_bare_side
                    and not self._are_contradictory(link, reduced.used)
                ):
                    chained = any(fact.number > self.last_before for fact in reduced.used)
                    if chained and (said := self._find_slip(link, by_facts=False)):
                        return LinkVerdict(link, "wrong", said)
                    return LinkVerdict(link, "right if", f"{now.condition}, {describe_sources(reduced.used)}")
        # 3. Claims for all numbers that no stated equation explains fail with a counterexample.
        if (
            for_all
            and (refuted := self._refute(link, left, right)).outcome == "wrong"
            and not any(not fact.is_value for fact in self.facts.facts_about(free))
        ):
            return refuted
        # 4. Values of an unknown are tried in its equation; what only begins something is given.
        solved = self._judge_solution(link, left, right)
        if solved is not None and solved.outcome == "follows":
            return solved
        if link.said or (last_cue_makes_given(link.before) and not link.joined and link.place == 0):
            return LinkVerdict(link, "given")
        if solved is not None:
            return solved
        # 5. What is left claims something: a derivative, a limit, a value of a function, a conclusion.
        if said := self._explain_misapplication(link, left, right) or self._explain_miscalculation(
            link, left, right
        ):
            return LinkVerdict(link, "wrong", said)
        if equality_count == 1 and self._is_concluded_for_all(link, left, right):
            refuted = self._refute(link, left, right)
            if refuted.outcome == "wrong":
                return refuted
        if exact_gap == 1 and (said := self._find_constant_gap(link, left, right)):
            return LinkVerdict(link, "wrong", said)
        # 6. Variables of which nothing was stated: an expansion is meant as an identity, other equations
        # restrict their variables unless one condition would repair them.
        constrained = bool(self.facts.facts_about(free))
        doubtful = link.is_denied or link.is_one_of_several
        if (
            not constrained
            and exact_gap == 1
            and not last_cue_makes_given(link.before)
            and is_expansion(left, right)
        ):
            if doubtful:
                return LinkVerdict(link, "not shown", "its sides differ")
            return LinkVerdict(link, "wrong", self.judge.equal(left, right).witness)
        if (
            not constrained
            and not has_bare_side
            and exact_gap == 1
            and len(free) > 1
            and link.place == 0
            and equality_count == 1
            and (is_concluded(link) or last_cue_makes_given(link.before) is None)
            and (repair := find_repair(left, right))
        ):
            return LinkVerdict(link, "right if", repair)
        if not constrained and (
            has_bare_side
            or (link.place == 0 and equality_count == 1 and not mentions("rewritten", link.before))
        ):
            return LinkVerdict(
                link, "given", "its variables are first mentioned here" if has_bare_side else ""
            )
        # 7. At last, contradictions and steps of a chain that change its value.
        if not doubtful and not link.is_rounded and (said := self._find_contradiction(left, right)):
            return LinkVerdict(link, "wrong", said)
        if (
            not doubtful
            and not has_bare_side
            and (not constrained or reduced is None or not reduced.used)
            and (link.place or exact_gap == 1)
            and self._is_transformation(left, right, equality_count, link)
        ):
            found = found or self._compare(left, right, free)
            if found.outcome == "different":
                return LinkVerdict(link, "wrong", found.witness)
        names = free_symbols(left)
        new = not left.children and all(names.isdisjoint(fact.variables) for fact in self.facts.said)
        if has_bare_side and (not constrained or new):
            return LinkVerdict(link, "given", "its variables are first mentioned here")
        reason = found.reason if found and found.outcome == "undecided" else ""
        return LinkVerdict(link, "not shown", reason or "it holds neither always nor by what was said before")

    def _is_stated_for_all(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether an equation or inequality is claimed for all numbers: it is not the value of a
        variable, as in `for each i = 1`, and no condition in words restricts it."""
        value = not left.children and not free_symbols(right)
        free = free_symbols(left) | free_symbols(right)
        known = is_universal(link, free) and not value and not has_condition(link.before)
        known = known and not self.domains.are_restricted(free, self.position, self.piece)
        return known and self._is_about_numbers(link, left, right)

    def _is_about_numbers(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether an equation has variables that stand for any numbers, the same on both sides."""
        one, other = free_symbols(left), free_symbols(right)
        if link.said or any(name.endswith("(") or name[-1] == "'" for name in one | other):
            return False
        labels = {*left.list_labels(), *right.list_labels()}
        if labels & {"pm", "unit", "text", "matrix", "set", "list", "tuple", "interval", "inf"}:
            return False
        return bool(one) and not _VECTORS.search(link.left + link.right) and (one == other or not other)

    def _is_concluded_for_all(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether a statement that is said to follow is one of any numbers: nothing was said of its
        variables."""
        if not (is_concluded(link) and self._is_about_numbers(link, left, right)) or self.cases or link.place:
            return False
        if has_condition(link.before) or (self.next_link and self.next_link.joined == "so"):
            return False  # it is an equation, if another is said to be the same
        if not (left.children and right.children) or free_symbols(left) != free_symbols(right):
            return False
        if link.is_denied or link.is_one_of_several or link.is_rounded or self._is_sought(free_symbols(left)):
            return False
        free = free_symbols(left)
        if self.facts.facts_about(free) or any(
            not free.isdisjoint(free_symbols(each)) for each in self.facts.conditions
        ):
            return False
        letters = {name[0] for name in free}
        return not any(
            not letters.isdisjoint(each.letters)
            and each.piece not in self.settled
            and (each.said or each.position.paragraph >= link.position.paragraph - 1)
            and each.position.scope.reaches(link.position.scope)
            for each in self.mentions
            if each.piece < link.piece
        )

    def _refute(self, link: ChainLink, left: Tree, right: Tree) -> LinkVerdict:
        """A claim about any numbers with one at which it fails, and with the condition under which it
        holds."""
        found = self.judge.equal(left, right, self._list_worded_hypotheses(link, left, right))
        if found.outcome == "equal" or (found.outcome == "equal if" and not found.witness):
            return LinkVerdict(link, "right", found.condition and f"where {found.condition}")
        if found.outcome == "undecided":
            return LinkVerdict(link, "not shown", found.reason)
        condition = found.condition or find_repair(left, right)
        return LinkVerdict(link, "wrong", found.witness + (f"; it holds if {condition}" if condition else ""))

    def _list_worded_hypotheses(self, link: ChainLink, left: Tree, right: Tree) -> list[Tree]:
        """Return what holds for the variables of a claim: by inequalities, and by the words beside it."""
        free = free_symbols(left) | free_symbols(right)
        words = f"{link.before} {link.after.partition('.')[0]}"
        named = [
            Tree(label, (Tree(name), Tree(bound)))
            for cue, label, bound in _BY_WORDS
            if mentions(cue, words)
            for name in sorted(free)
        ]
        return [*self._list_hypotheses(free), *named]

    def _judge_solution(self, link: ChainLink, left: Tree, right: Tree) -> LinkVerdict | None:
        """A value of a variable by the equation for it that was said last; None where there is none."""
        if left.children or not free_symbols(left) or free_symbols(right):
            return None
        known = self.facts.equation_for(left.label)
        if known is None or is_unsure(known.left) or is_unsure(known.right):
            return None
        if exact_difference(known.left, known.right) == 0:  # a derivative that was worked out
            return None
        held = []
        for value in {choose_signs(right, repeat(sign)) for sign in "+-"}:
            one, other = (replace_variable(side, left.label, value) for side in (known.left, known.right))
            held.append(self.judge.equal(one, other))
        if all(each.outcome == "equal" for each in held):
            if failed := self._find_failed(link, left.label, right, known):
                earlier, later = (Tree("=", (each.left, each.right)) for each in (failed, known))
                how = explain_root(earlier, later, self.judge)
                how = f", which was {how}" if how else ""
                solves = f"it solves {cite_fact(known)}, but not {cite_fact(failed)}{how}"
                return LinkVerdict(link, "not shown", solves)
            return LinkVerdict(link, "follows", f"it solves {cite_fact(known)}")
        claimed = is_made_of("leading", link.before.rpartition("§")[2]) and not link.is_denied_after
        last = known.number == self.facts.last_number or link.before.endswith("§ or")
        exact = not any(map(DECIMAL.match, right.list_labels())) and len(right) < _LARGEST
        angles = not OF_ANGLES.isdisjoint((*known.left.list_labels(), *known.right.list_labels()))
        linear = len(real_roots(known.left, known.right, left.label, {})) == 1
        if not (claimed and last and exact and known.sure) or angles or linear or link.said or self.cases:
            return None
        witness = next((each.witness for each in held if each.outcome == "different"), "")
        return LinkVerdict(link, "wrong", f"{witness}, by {cite_fact(known)}") if witness else None

    def _find_failed(self, link: ChainLink, name: str, value: Tree, known: Fact) -> Fact | None:
        """An equation of the paragraph for a variable, said before another, that a value does not solve: the
        value came in by squaring, or by a product."""
        at = evaluate_term(value, {})
        for fact in self.facts.said if at is not None else ():
            here = fact.position.paragraph == link.position.paragraph and fact.number < known.number
            if not here or fact.variables != {name} or fact.is_value or at is None:
                continue
            divided = list_divisors(fact.left) | list_divisors(fact.right)
            vanishing = any(evaluate_term(each, {name: at}) == 0 for each in divided)
            if vanishing or values_agree(fact.left, fact.right, {name: at}) is False:
                return fact
        return None

    def _explain_miscalculation(self, link: ChainLink, left: Tree, right: Tree) -> str:
        """Return why a derivative, a limit, a sum … is not what the text says; "" where it is, or its
        variables may be sought."""
        if (
            self.cases
            or left.label not in _CALCULATED
            or "call" in (*left.list_labels(), *right.list_labels())
        ):
            return ""
        if link.is_denied or link.is_one_of_several or LOG.search(link.left):
            return ""
        more = free_symbols(right) - free_symbols(left)
        if not free_symbols(left) <= free_symbols(right) or (more and left.label != "antiderivative"):
            return ""
        if len(more) > 1 or any(map(is_unsure, (left, right))) or self._is_sought(free_symbols(left)):
            return ""
        found = self._compare(left, right, free_symbols(right))
        return found.witness if found.outcome == "different" else ""

    def _is_sought(self, free: frozenset[str]) -> bool:
        """Return whether what comes next is an equation for the same variables, or their value: they are
        sought."""
        if (
            self.next_link is None
            or self.next_link.relation != "="
            or last_cue_makes_given(self.next_link.before.split("§")[-1])
        ):
            return False
        left, right = (side.tree for side in self.read_sides(self.next_link))
        names = free_symbols(left) if left else frozenset[str]()
        return bool(names) and names <= free and right is not None and not free_symbols(right)

    def _explain_misapplication(self, link: ChainLink, left: Tree, right: Tree) -> str:
        """Return why a value or a derivative of a function is not what the text's definition gives; "" where
        it is.

        A claim in variables could be an equation to be solved: it counts if it is the derivative, in the
        same variables, or is said to follow.
        """
        if self.cases or link.is_denied or link.is_one_of_several:
            return ""
        found = self.facts.reduce_by_definitions(left, right)
        if found is None or any(map(is_unsure, (found.left, found.right))):
            return ""
        sides = free_symbols(found.left), free_symbols(found.right)
        if sides[0] != sides[1] or len(found.left) + len(found.right) >= _LARGEST:
            return ""
        if sides[0]:
            is_value = left.label == "call" and all(not each.children for each in left.children)
            claimed = is_slope(left) or (last_cue_makes_given(link.before) is False and not is_value)
            if "call" in right.list_labels() or not claimed or self._is_sought(sides[0]):
                return ""
        if any(LOG.search(fact.text) for fact in found.used):
            return ""
        verdict = self._compare(found.left, found.right, sides[0])
        if verdict.outcome != "different" or (
            not sides[0] and self.numbers.explain_rounding(found.left, found.right, "=")
        ):
            return ""
        return f"{verdict.witness}, {describe_sources(found.used)}"

    def _find_constant_gap(self, link: ChainLink, left: Tree, right: Tree) -> str:
        """By which number the sides of a link differ whatever its variables are; "" where they do not, or
        where an equation may have no solution."""
        if not left.children or link.is_denied or link.is_one_of_several or last_cue_makes_given(link.before):
            return ""
        words = f"{link.before} {link.after}"
        if mentions("task", words) or mentions("unsolvable", words):
            return ""
        if right.children and not (link.place or is_concluded(link)):  # an equation without solution
            return ""
        gap = constant_gap(left, right)
        return f"the sides differ by {gap} whatever their variables are" if gap else ""

    def _find_slip(self, link: ChainLink, by_facts: bool = True) -> str:
        """Return where a link fails that one other number, sign or operator would make hold; "" where none
        does.

        Args: by_facts: look also for one by which it would follow from what was said.
        """
        left, right = (side.tree or ZERO for side in self.read_sides(link))
        free = free_symbols(left) | free_symbols(right)
        words = f"{link.before} {link.after}"
        if mentions("task", last_clause(link.before)) or mentions("unsolvable", words):
            return ""
        left, right = find_odd_entry(left, right, self._are_equal) or (left, right)
        found = find_identity_slip(left, right, self._are_equal)
        if found is None and by_facts and not self.cases and not link.is_denied:
            several = mentions("either", link.before.rpartition("§")[2])
            reduced = None if several else self.facts.reduce_by_facts(left, right)
            if reduced and reduced.points and self.facts.is_settled(free):
                found = find_slip(left, right, reduced.points, self._follows_from_facts, by_facts=True)
        return found.reason if found else ""

    def _explain_odd_middle(self, left: Tree, right: Tree, next_side: Tree) -> str:
        """Return whether a chain holds without the side in its middle only."""
        free = free_symbols(right)
        if (
            not right.children
            or left == next_side
            or not free <= free_symbols(left) | free_symbols(next_side)
        ):
            return ""
        if (
            any(name.endswith("(") for name in free)
            or "unit" in right.list_labels()
            or self._are_equal(right, next_side)
        ):
            return ""
        points: Sequence[Mapping[str, float]] = points_of(free | free_symbols(left))
        if not self._are_equal(left, next_side):
            reduced = self.facts.reduce_by_facts(left, next_side, sure=True)
            if reduced is None or not reduced.same or self._follows_from_facts(right, next_side):
                return ""
            reduced = self.facts.reduce_by_facts(left, right, sure=True)
            points = reduced.points if reduced else ()
        if not points or values_agree(left, right, points[0]) is not False:
            return ""
        return "the sides beside this one are equal, and it differs from them"

    def _are_equal(self, left: Tree, right: Tree) -> bool:
        if exact_difference(left, right) == 0:
            return True
        found = self.judge.equal(left, right)
        return found.outcome == "equal" or (found.outcome == "equal if" and not found.witness)

    def _follows_from_facts(self, left: Tree, right: Tree) -> bool:
        reduced = self.facts.reduce_by_facts(left, right)
        return reduced is not None and reduced.same and not self.facts.was_stated(left, right)

    def _compare(self, left: Tree, right: Tree, free: frozenset[str]) -> Verdict:
        """Judge whether two terms are equal for the numbers that their variables stand for; where that is not
        decided, for any."""
        found = self.judge.equal(left, right, self._list_hypotheses(free))
        if found.outcome == "undecided" and self.domains.list_conditions(free, self.position, self.piece):
            return self.judge.equal(left, right)
        return found

    def _list_hypotheses(self, free: frozenset[str]) -> list[Tree]:
        known = [*self.domains.list_conditions(free, self.position, self.piece), *self.beside]
        said = [each for each in self.facts.conditions[-8:] if free_symbols(each) <= free][-3:]
        return [*known, *(each for each in said if each not in known)]

    def _is_transformation(self, left: Tree, right: Tree, equality_count: int, link: ChainLink) -> bool:
        """Return whether an expression is written in another way: both sides share their variables."""
        one, other = free_symbols(left), free_symbols(right)
        if not one or one != other or any(name.endswith("(") for name in one | other):
            return False
        labels = {*left.list_labels(), *right.list_labels()}
        if _VECTORS.search(link.left + link.right) or labels & {"pm", "unit", "text"}:
            return False
        return equality_count >= 2

    def _find_contradiction(self, left: Tree, right: Tree) -> str:
        """By which facts a claim is false: they determine its variables, and no case was distinguished since;
        "" where none say so."""
        reduced = self.facts.reduce_by_facts(left, right, sure=True)
        if reduced is None or reduced.same or not reduced.used:
            return ""
        if free_symbols(reduced.left) | free_symbols(reduced.right):
            return ""
        base = left.children[0] if left.label == "pow" else left
        first = min(fact.number for fact in reduced.used)
        last = len(reduced.used) == 1 and first == self.facts.last_number
        defined = any(fact.left == base for fact in reduced.used)
        if (
            base.children
            or free_symbols(right)
            or not (last or (defined and any(each.number <= first for each in self.facts.said[-4:])))
        ):
            return ""
        if not all(fact.sure for fact in self.facts.said if fact.number >= first):
            return ""
        sides = [left, right, *(side for fact in reduced.used for side in (fact.left, fact.right))]
        if any(not UNSURE.isdisjoint(side.list_labels()) for side in sides):
            return ""
        if any(not side.children and side in (left, right) and free_symbols(side) for side in sides[2:]):
            # The variable has another value now.
            return ""
        found = self.judge.equal(reduced.left, reduced.right)
        if found.outcome != "different" or any(
            self.numbers.explain_rounding(reduced.left, each, "=") for each in (reduced.right, right)
        ):
            return ""
        return f"{found.witness}, {describe_sources(reduced.used)}"
