"""What a text said before a link, and the questions about a link that its judges ask of that."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat

from engines.core.tree import ZERO, Tree
from engines.documents.reading import TextPiece
from engines.formula.meaning import Names, Reading
from engines.formula.reader import read
from engines.mathematics.judging.ellipses import spell_out_ellipses
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.shapes import choose_signs
from engines.mathematics.judging.verdicts import Verdict
from engines.proofreading.calculus_slips import find_calculus_slip
from engines.proofreading.chains import ChainLink
from engines.proofreading.compared_sides import (
    differ_at_a_point,
    is_inverse_residue,
    list_summed_ranges,
    multiply_out,
)
from engines.proofreading.cue_phrases import (
    has_condition,
    has_first_word,
    has_last_word,
    last_clause,
    last_sentence,
    mentions,
    read_last_cue,
    words_of,
)
from engines.proofreading.definition_ranges import holds_for_all_numbers, read_range
from engines.proofreading.facts import MOST_STEPS, Facts
from engines.proofreading.kernel_vectors import HomogeneousEquation
from engines.proofreading.letter_domains import LetterDomains
from engines.proofreading.letter_meanings import LetterMeanings
from engines.proofreading.link_verdicts import Accusation, Evidence, LinkVerdict
from engines.proofreading.matrix_slips import find_entry_slip, find_odd_entry
from engines.proofreading.names_used_once import find_meant_name
from engines.proofreading.near_consequences import find_near_consequence
from engines.proofreading.number_links import NumberLinks
from engines.proofreading.other_notations import (
    is_cycle,
    name_unit,
    name_upright_units,
    write_plain_thousands,
)
from engines.proofreading.parallel_statements import is_parallel
from engines.proofreading.recent_statements import find_recent_slip
from engines.proofreading.scopes import NOWHERE, Position
from engines.proofreading.slips import find_identity_slip
from engines.proofreading.stated_facts import (
    Fact,
    cite_fact,
    describe_sources,
    give_several_values,
    list_distant_values,
)
from engines.proofreading.statement_roles import (
    is_claimed_for_all,
    is_concluded,
    is_supposed,
    is_value_to_look_at,
)
from engines.proofreading.term_properties import (
    DEGREES,
    are_exactly_equal,
    as_products,
    free_symbols,
    has_opposite_angle,
    is_slope,
    values_agree,
)
from engines.proofreading.vanishing_sums import find_vanishing_change
from engines.proofreading.worded_equations import WordedEquation

LARGEST = 160
"""Nodes of a term: equality of larger ones is sought by exact algebra alone."""
_LONG_STEP = 14
"""Nodes of a step of a chain that is written again."""
VECTORS = re.compile(r"\\(?:mathbf|vec|overrightarrow|boldsymbol|bm|hat|overline)(?![a-z])")
_ANGLES = re.compile(r"\\(?:sin|cos|tan|cot|sec|csc|pi|arc\w+|cis|operatorname|text\{cis\})")
_MOST_ITEMS = 12
"""Of a list of statements that the text asks about."""
_ORDERS = ("<", ">", "<=", ">=")
_OF_RESIDUES = re.compile(r"[ZFℤ]_\w")
_NEAR_PARAGRAPHS = 2
_OF_SIGNS = frozenset(("abs", "norm", "sqrt", "root", "call"))
"""Operations that tell a number from its opposite."""
_NEXT_PIECE = 2
"""Pieces of a text from one formula to the next, words between them."""
_REFUTING = ("proof", "solution", "supposition")
_BY_WORDS = (
    ("positive", ">", "0"), ("nonnegative", ">=", "0"), ("negative", "<", "0"), ("nonzero", "!=", "0"),
    ("whole", "in", "Z"),
)  # fmt: skip
"""What words say of the variables of a claim."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A formula that says something of letters, and does not only name them or say what kind they are."""

    piece: int
    position: Position
    letters: frozenset[str]
    of_problem: bool


@dataclass(slots=True)
class LinkContext:
    """What a text stated up to a link, and what it says of its letters.

    Attributes:
        judge: The judge of single statements.
        meanings: What the document says of its letters.
        domains: What kinds of numbers the letters of the document stand for.
        facts: The assumptions, definitions and properties of operations that the text states.
        pieces, positions: The words and formulas of the document, and where they stand.
        inequalities: The inequalities judged so far, with their links.
        inequality_before: The last inequality that is no bound on a letter.
        congruence_before: The last congruence of letters modulo a number, with its sides and that number.
        homogeneous_before: The last term that was said to be 0, and where.
        congruences: The residues that letters are said to leave, with their moduli, where they stand.
        redefines_star: Whether the text defines an operation `*` of its own.
        has_signed_infinity: Whether it writes +∞, so that ∞ can be of either sign.
        sections_of_cases: The sections that distinguish cases, by their identity.
        paragraphs_of_cases: The paragraphs that do, by their numbers.
        asked: Where the text asks whether statements are true.
        asked_for_mistakes: Where it asks for the mistakes of a work.
        contradictions: Where it says that there is a contradiction, by the indices of pieces.
        refutations: Where it says that it supposes the contrary, likewise.
        assigned: Where it sets equations as tasks, or says that they have no solution, likewise.
        named_functions: The letters that are functions which the text does not define.
        modulus: The modulus that the congruences of the text name.
        matrices: The letters that stand for matrices.
        next_link: The link after the chain that is being judged.
        mentions: The formulas that say something of letters, in their order.
        decided_pieces: The indices of the pieces of the document whose links have all been decided.
        conditions_beside: The conditions that stand beside the link being judged.
        ranges: The conditions on arguments for which definitions of functions hold.
        pending_renewals: The letters that are introduced anew, by pieces, that are still to come.
        pending_worded: The equations that words say of letters, likewise.
        last_uses: The last link that followed by each of the facts.
        quantity: The side with which that chain begins.
        has_several_equations: Whether the chain being judged has more than one equation.
        name_counts: How often the text has each name with a number below it.
        denied_piece: The piece of the last link of which the words behind it say that it does not hold.
        defines_by_steps: Whether that chain calculates, in several steps, what a name or a value of a
            function is: it begins with the name or the value, and all its sides have variables.
        has_unfounded_step: Whether it has a step that does not follow from the equation right before it; what
            follows from that step is judged by it all the same.
        last_fact_before_chain: The number of the last equation that the text states before the chain being
            judged.
    """

    judge: Judge
    meanings: LetterMeanings
    domains: LetterDomains = field(default_factory=LetterDomains)
    facts: Facts = field(default_factory=Facts)
    pieces: Sequence[TextPiece] = ()
    positions: Sequence[Position] = ()
    readings: dict[tuple[str, Names], Reading] = field(default_factory=dict)
    position: Position = NOWHERE
    piece: int = 0
    equations: list[tuple[ChainLink, Tree, Tree]] = field(default_factory=list)
    bounds: list[tuple[ChainLink, Tree]] = field(default_factory=list)
    inequalities: list[tuple[ChainLink, Tree]] = field(default_factory=list)
    inequality_before: tuple[ChainLink, Tree] | None = None
    congruence_before: tuple[ChainLink, Tree, Tree, int] | None = None
    homogeneous_before: HomogeneousEquation | None = None
    congruences: list[tuple[ChainLink, int, int]] = field(default_factory=list)
    redefines_star: bool = False
    has_signed_infinity: bool = False
    sections_of_cases: frozenset[int] = frozenset()
    paragraphs_of_cases: Sequence[int] = ()
    asked: Sequence[Position] = ()
    asked_for_mistakes: Sequence[Position] = ()
    contradictions: Sequence[tuple[int, Position]] = ()
    refutations: Sequence[tuple[int, Position]] = ()
    assigned: Sequence[tuple[int, Position]] = ()
    named_functions: frozenset[str] = frozenset()
    modulus: str = ""
    matrices: frozenset[str] = frozenset()
    next_link: ChainLink | None = None
    mentions: Sequence[Mention] = ()
    decided_pieces: set[int] = field(default_factory=set)
    last_fact_before_chain: int = -1
    has_several_equations: bool = False
    quantity: str = ""
    denied_piece: int = -1
    defines_by_steps: bool = False
    has_unfounded_step: bool = False
    name_counts: Mapping[str, int] = field(default_factory=dict)
    conditions_beside: Sequence[Tree] = ()
    ranges: dict[Fact, Sequence[Tree]] = field(default_factory=dict)
    pending_renewals: list[tuple[int, Position, Sequence[str]]] = field(default_factory=list)
    pending_worded: list[tuple[int, Position, Sequence[WordedEquation]]] = field(default_factory=list)
    last_uses: dict[Fact, ChainLink] = field(default_factory=dict)

    @property
    def cases(self) -> bool:
        """Whether the section at hand distinguishes cases."""
        return id(self.facts.position.scope.section) in self.sections_of_cases

    def are_cases_since(self, used: Sequence[Fact]) -> bool:
        """Return whether the text distinguishes cases in the paragraph at hand, or behind facts."""
        here = self.position.paragraph
        first = min((fact.position.paragraph for fact in used), default=here)
        return any(first <= paragraph <= here for paragraph in self.paragraphs_of_cases)

    def is_refuted_later(self, link: ChainLink) -> bool:
        """Return whether the text says in the same proof, at most two paragraphs behind a statement, that it
        leads to a contradiction, or before it that the proof is one by contradiction."""
        here = link.position
        proof = next((scope for scope in here.scope.lineage if scope.kind in _REFUTING), None)
        if any(mentions("contrary", scope.title) for scope in here.scope.lineage):
            return True
        if proof is not None and any(
            piece < link.piece_index and any(scope is proof for scope in place.scope.lineage)
            for piece, place in self.refutations
        ):
            return True
        return any(
            position.paragraph == here.paragraph
            or (
                proof is not None
                and proof.reaches(position.scope)
                and position.paragraph - here.paragraph <= _NEAR_PARAGRAPHS
            )
            for piece, position in self.contradictions
            if piece > link.piece_index
        )

    def is_asked(self, link: ChainLink) -> bool:
        """Return whether the text asks if a statement is true, in its paragraph, its exercise or before its
        list; its solution and proof tell."""
        here = link.position
        kinds = [scope.kind for scope in here.scope.lineage]
        if not {"solution", "proof"}.isdisjoint(kinds):
            return False
        # "Find the error:" asks of the formula behind it, which is a paragraph of its own.
        if mentions("asking", link.words_before):
            return True
        listed = not {"item", "list"}.isdisjoint(kinds)
        return any(
            question.paragraph == here.paragraph
            or question.scope.kind not in ("document", "section")
            or (listed and 0 < here.paragraph - question.paragraph <= _MOST_ITEMS)
            # A chain of several equations calculates, and is asked about only where mistakes are.
            for question in (self.asked_for_mistakes if self.has_several_equations else self.asked)
            if question.scope.reaches(here.scope)
            # The words that ask before a list end where its first item begins.
            or (
                listed
                and question.scope.kind == "item"
                and question.scope.parent is not None
                and question.scope.parent.reaches(here.scope)
                and 0 < here.paragraph - question.paragraph <= _MOST_ITEMS
            )
        )

    @property
    def numbers(self) -> NumberLinks:
        """The judge of links without variables."""
        return NumberLinks(self.judge, self.read_formula, self.read_sides)

    def read_formula(self, latex: str) -> Reading:
        """Read a formula with the names that hold at this position of the text."""
        names = self.meanings.names_at(self.position)
        reading = self.readings.get((latex, names))
        if reading is None:
            meant = write_plain_thousands(as_products(latex, self.matrices) if self.matrices else latex)
            reading = read(meant, "latex" if "{" in meant else "auto", names=names)
            if reading.tree is not None:
                reading = replace(reading, tree=spell_out_ellipses(reading.tree))
            self.readings[latex, names] = reading
        return reading

    def read_sides(self, link: ChainLink) -> tuple[Reading, Reading]:
        """Read both sides of a link.

        Degrees are plain numbers if neither side is of an angle or in radians.
        """
        left, right = link.left, link.right
        sides = name_unit(left, self.quantity), name_unit(right, self.quantity)
        in_degrees = [DEGREES.search(side) is not None for side in sides]
        if any(in_degrees) and not any(_ANGLES.search(side) for side in sides):
            plain = self.read_formula(DEGREES.sub("", sides[0])), self.read_formula(DEGREES.sub("", sides[1]))
            trees = [each.tree or ZERO for each in plain]
            # 1.11 ≈ 63.43° has an angle in radians on its left.
            if (
                all(in_degrees)
                or any(map(free_symbols, trees))
                or values_agree(trees[0], trees[1], {}) is not False
            ):
                return plain
        return name_upright_units(sides, self.read_formula(sides[0]), self.read_formula(sides[1]))

    def read_trees(self, link: ChainLink) -> tuple[Tree | None, Tree | None]:
        """Read both sides of a link as terms, None for one that cannot be read."""
        left, right = self.read_sides(link)
        return left.tree, right.tree

    def are_equal(self, left: Tree, right: Tree) -> bool:
        """Return whether the judge holds two terms equal, if need be under a condition without a witness."""
        if are_exactly_equal(left, right):
            return True
        if differ_at_a_point(left, right):
            return False
        verdict = self.judge.equal(left, right)
        return verdict.outcome == "equal" or (verdict.outcome == "equal if" and not verdict.witness)

    def _are_equal_powers(self, left: Tree, right: Tree) -> bool:
        """Return whether two terms are equal; laws of powers with variable exponents are those of positive
        bases."""
        if self.are_equal(left, right):
            return True
        nodes = (*left, *right)
        variable = any(node.label == "pow" and free_symbols(node.children[1]) for node in nodes)
        if not variable or not _OF_SIGNS.isdisjoint(node.label for node in nodes):
            return False
        positive = [
            Tree(">", (Tree(name), ZERO)) for name in sorted(free_symbols(left) | free_symbols(right))
        ]
        return self.judge.equal(left, right, positive).outcome == "equal"

    def _are_equal_here(self, left: Tree, right: Tree, known: Sequence[Tree]) -> bool:
        """Return whether two terms are equal for all numbers, or for those that their variables stand for."""
        return self._are_equal_powers(left, right) or (
            bool(known) and self.judge.equal(left, right, known).outcome == "equal"
        )

    def follows_from_facts(self, left: Tree, right: Tree) -> bool:
        """Return whether two terms are equal by earlier equations, none of which states just this."""
        reduced = self.facts.reduce_by_facts(left, right)
        return reduced is not None and reduced.same and not self.facts.was_stated(left, right)

    def compare(self, left: Tree, right: Tree, free: frozenset[str]) -> Verdict:
        """Judge whether two terms are equal for the numbers that their variables stand for; where that is not
        decided, for any."""
        hypotheses = [*self.list_hypotheses(free), *list_summed_ranges(left, right)]
        verdict = self.judge.equal(left, right, hypotheses)
        if verdict.outcome == "undecided" and self.domains.list_conditions(free, self.position, self.piece):
            return self.judge.equal(left, right)
        return verdict

    def list_hypotheses(self, free: frozenset[str]) -> list[Tree]:
        """Return what may be assumed here about some letters."""
        known = [*self.domains.list_conditions(free, self.position, self.piece), *self.conditions_beside]
        stated = [each for each in self.facts.conditions[-8:] if free_symbols(each) <= free][-3:]
        return [*known, *(each for each in stated if each not in known)]

    def list_worded_hypotheses(self, link: ChainLink, left: Tree, right: Tree) -> list[Tree]:
        """Return what holds for the variables of a claim: by inequalities, and by the words beside it."""
        free = free_symbols(left) | free_symbols(right)
        words = f"{link.words_before} {link.words_after.partition('.')[0]}"
        named = [
            Tree(label, (Tree(name), Tree(bound)))
            for cue, label, bound in _BY_WORDS
            if mentions(cue, words)
            for name in sorted(free)
        ]
        return [*self.list_hypotheses(free), *named]

    def is_stated_for_all(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether an equation or inequality is claimed for all numbers: it is not the value of a
        variable, as in `for each i = 1`, and no condition in words restricts it."""
        value = not left.children and not free_symbols(right)
        free = free_symbols(left) | free_symbols(right)
        claimed = is_claimed_for_all(link, free) or self._is_claimed_in_range(link, left, right)
        known = claimed and not value and not has_condition(link.words_before)
        known = known and not self.domains.are_restricted(free, self.position, self.piece)
        known = known and not any(
            self._names_other_members(formula, free) for formula in (*link.formulas_before, link.next_formula)
        )
        return known and self.is_about_numbers(link, left, right)

    def _is_claimed_in_range(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether an equation is claimed for a range of its only letter: "for 0 < a < 1 we have"."""
        opener, _, claim = last_sentence(link.words_before).rpartition("§")
        letters = free_symbols(left)
        if words_of(opener)[-1:] != ["for"] or read_last_cue(claim) != "claimed":
            return False
        if link.is_denied_directly or mentions("supposing", opener) or mentions("conditional", opener):
            return False
        if link.relation != "=" or len(letters) != 1 or free_symbols(right) != letters:
            return False
        stated = self.read_formula(link.formulas_before[-1]).tree if link.formulas_before else None
        bounds = () if stated is None else stated.children if stated.label == "and" else (stated,)
        return bool(bounds) and all(
            each.label in _ORDERS and free_symbols(each) == letters for each in bounds
        )

    def _names_other_members(self, formula: str, free: frozenset[str]) -> bool:
        """Return whether a formula says of a variable that it is a member of something else than a set of
        numbers, as of the vertices V(G) of a graph."""
        tree = self.read_formula(formula).tree if any(sign in formula for sign in ("\\in", "∈")) else None
        statements = () if tree is None else tree.children if tree.label == "and" else (tree,)
        return any(
            each.label == "in"
            and each.children[0].label in free
            and (each.children[1].label in ("call", "*") or _OF_RESIDUES.match(each.children[1].label))
            for each in statements
        )

    def is_about_numbers(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether an equation has variables that stand for any numbers, the same on both sides."""
        left_names, right_names = free_symbols(left), free_symbols(right)
        if link.of_problem or any(name.endswith("(") or name[-1] == "'" for name in left_names | right_names):
            return False
        labels = {*left.list_labels(), *right.list_labels()}
        if labels & {"pm", "unit", "text", "matrix", "set", "list", "tuple", "interval", "inf"}:
            return False
        return (
            bool(left_names)
            and not VECTORS.search(link.left + link.right)
            and (left_names == right_names or not right_names)
        )

    def is_concluded_for_all(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether a statement that is said to follow is one of any numbers: nothing was said of its
        variables."""
        if not (is_concluded(link) and self.is_about_numbers(link, left, right)) or self.cases or link.index:
            return False
        if has_condition(link.words_before) or (self.next_link and self.next_link.connective == "so"):
            return False  # it is an equation, if another is said to be the same
        if not (left.children and right.children) or free_symbols(left) != free_symbols(right):
            return False
        # An arrow in a formula leads on from the equation before it, whatever letters that has.
        before = self.facts.every[-1] if self.facts.every else None
        if link.connective == "so" and before is not None and before.piece == link.piece_index:
            return False
        if (
            link.has_denial_nearby
            or link.may_be_one_of_several
            or link.is_rounded
            or self.is_sought(free_symbols(left))
        ):
            return False
        free = free_symbols(left)
        if self.facts.facts_about(free) or any(
            not free.isdisjoint(free_symbols(each)) for each in self.facts.conditions
        ):
            return False
        letters = {name[0] for name in free}
        return not any(
            not letters.isdisjoint(each.letters)
            and each.piece not in self.decided_pieces
            and (each.of_problem or each.position.paragraph >= link.position.paragraph - 1)
            and each.position.scope.reaches(link.position.scope)
            for each in self.mentions
            if each.piece < link.piece_index
        )

    def is_sought(self, free: frozenset[str]) -> bool:
        """Return whether what comes next is an equation for the same variables, or their value: they are
        sought."""
        if (
            self.next_link is None
            or self.next_link.relation != "="
            or read_last_cue(self.next_link.words_before.split("§")[-1]) == "given"
        ):
            return False
        left, right = (side.tree for side in self.read_sides(self.next_link))
        names = free_symbols(left) if left else frozenset[str]()
        return bool(names) and names <= free and right is not None and not free_symbols(right)

    def describe_slip(self, link: ChainLink) -> str:
        """Return where a link fails that one other number, sign or operator would make hold; "" where none
        does."""
        if self._is_to_be_solved(link):
            return ""
        left, right = multiply_out(*(side.tree or ZERO for side in self.read_sides(link)))
        # T = ∫ f dt says what T is.
        if {left.label, right.label} & {"antiderivative"} and not (left.children and right.children):
            return ""
        # ln x + C holds where x > 0, and - C for + C does not make it hold.
        if "antiderivative" in left.list_labels() and self.are_equal(left, right):
            return ""
        entries = find_odd_entry(left, right, self.are_equal)
        # Long sides that are written alike but for one sign are no equation in the middle of a chain.
        values = left.label == "call" or right.label == "call"  # f(-x) = f(x) is said of a function
        if values and self.facts.has_functional_equation(left, right):
            return ""
        long = len(left) + len(right) >= _LONG_STEP
        # … nor are those further on in a chain that have the same letters.
        goes_on = link.index > 0 and free_symbols(left) == free_symbols(right)
        written = any(side.label in ("matrix", "tuple") for side in (left, right))
        calculated = (self.defines_by_steps or goes_on) and long and not values
        alike = (entries is not None and written) or calculated
        # Nobody writes a plus before a term but for a minus.
        signed = link.index > 0 and any(side.lstrip().startswith("+") for side in (link.left, link.right))
        opposite = self.defines_by_steps or signed or any(map(has_opposite_angle, (left, right)))
        known = self.list_hypotheses(free_symbols(left) | free_symbols(right))
        slip = find_identity_slip(
            *(entries or (left, right)),
            lambda one, other: self._are_equal_here(one, other, known),
            alike=alike,
            opposite=opposite,
            zeros=goes_on,
            known=known,
        )
        slip = slip or find_entry_slip(left, right, self.are_equal)
        slip = slip or find_calculus_slip(left, right, self.are_equal)
        return slip.reason if slip else ""

    def find_unused_name(self, link: ChainLink) -> Accusation | None:
        """Return which name is meant where a link that fails has one that the text has nowhere else; None
        where no other makes it hold."""
        left, right = (side.tree or ZERO for side in self.read_sides(link))
        # "If it turns out that" says nothing of what there is.
        words = last_sentence(link.words_before)
        if mentions("turning out", words) and mentions("conditional", words):
            return None
        if is_parallel(self.facts.in_scope, left, right):
            return None
        return find_meant_name(self.facts, link, left, right, self.name_counts, self.are_equal)

    def find_near_consequence(self, link: ChainLink) -> Accusation | None:
        """Return the change by which a link that fails would follow from what was said; None where no change
        does that."""
        left, right = (side.tree or ZERO for side in self.read_sides(link))
        if not self._is_drawn_from_facts(link, left):
            return None
        # x = 1 + t, y = 2 + t, z = 3 + 5t gives the points of a line.
        if link.connective == "," and not left.children and free_symbols(right) and not is_concluded(link):
            return None
        if not self.facts.is_settled(free_symbols(left) | free_symbols(right)):
            return None
        if is_parallel(self.facts.in_scope, left, right) or self._chooses_sign(left, right):
            return None
        found = find_near_consequence(self.facts, link, left, right, self.are_equal, self.are_cases_since)
        if found is not None and _is_of_other_label(link, left, found):
            return None
        # What another premise implies is no reason for what this one implies.
        others = found is not None and any(
            fact.argument not in (-1, link.argument) and not fact.is_premise
            for fact in found.evidence.sources
        )
        return None if others and link.argument >= 0 else found

    def _chooses_sign(self, left: Tree, right: Tree) -> bool:
        """Return whether an equation is one of the two that a fact with ± says."""
        return any(
            fact.left == left and right in {choose_signs(fact.right, repeat(sign)) for sign in "+-"}
            for fact in self.facts.in_scope
            if "pm" in fact.right.list_labels()
        )

    def find_recent_slip(self, link: ChainLink) -> Accusation | None:
        """Return the change by which a link that fails would follow from the lines right before it; None
        where none does that."""
        left, right = (side.tree or ZERO for side in self.read_sides(link))
        # "Let us try x = …, § " supposes what x is, and not its slope.
        drawn = self._is_drawn_from_facts(link, left) or self._restates_last(link, left, right)
        if not (drawn or (is_slope(left) and not link.of_problem)):
            return None
        if is_parallel(self.facts.in_scope, left, right) or self._chooses_sign(left, right):
            return None
        found = find_recent_slip(self.facts, link, left, right, self.are_equal)
        if found is not None and _is_of_other_label(link, left, found):
            return None
        # What was tried and refused is put right by the next statement, and not quoted.
        refused = found is not None and any(
            fact.piece <= self.denied_piece for fact in found.evidence.sources
        )
        return None if refused else found

    def find_vanishing_change(self, link: ChainLink) -> Accusation | None:
        """Return the change by which a sum is 0 that is said to be; None where no change of a kind that shows
        does that. Only in the middle of a calculation nothing is sought."""
        left, right = (side.tree or ZERO for side in self.read_sides(link))
        if self._is_to_be_solved(link) or link.is_denied_directly:
            return None
        # "by the formula with a = 2a" puts a multiple in the place of a letter.
        if not link.index and not left.children and left in right.children:
            return None
        # "It is one if and only if … = 0" asks for it.
        if mentions("characterising", last_sentence(link.words_before)):
            return None
        change = find_vanishing_change(left, right)
        if not change or (not link.index and self.is_sought(free_symbols(left) | free_symbols(right))):
            return None
        # y(0) = 0 a + 7 b = 0 says that b is 0.
        return Accusation(
            f"it holds with {change}", Evidence(is_certain=link.index > 0 and change[0] in "+-")
        )

    def _is_drawn_from_facts(self, link: ChainLink, left: Tree) -> bool:
        """Return whether an equation can be drawn from others: it is no task or condition, it is not supposed
        and not one of several."""
        if self._is_to_be_solved(link) or is_supposed(link, may_give_value=not left.children):
            return False
        # "Relabelling § → §" gives letters another meaning.
        if link.is_of_other_object or mentions("relabelling", last_sentence(link.words_before)):
            return False
        last = link.words_before.rpartition("§")[2]
        if not mentions("either", last) or mentions("equivalent", last):
            return True
        # "y - 1 = 2x or y = 2x + 1" is one line in two forms, and "y = 2x or y = 3x" are two.
        before = self.facts.every[-1] if self.facts.every else None
        right = self.read_sides(link)[1].tree or ZERO
        return (
            before is not None
            and link.piece_index - before.piece <= _NEXT_PIECE
            and not left.children
            and bool(right.children)
            and before.variables == free_symbols(left) | free_symbols(right)
            and left not in (before.left, before.right)
        )

    def _restates_last(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether an equation that is to be solved is about the letters of the one right before it,
        in the same scope: it is that equation in another form."""
        before = self.facts.every[-1] if self.facts.every else None
        return (
            before is not None
            and not before.is_value
            and before.position.scope is link.position.scope
            and link.position.paragraph - before.position.paragraph <= _NEAR_PARAGRAPHS
            and before.variables == free_symbols(left) | free_symbols(right)
            and self._is_to_be_solved(link)
            and not link.is_unannounced
        )

    def _is_to_be_solved(self, link: ChainLink) -> bool:
        """Return whether words say that an equation is a task or a condition, or has no solution."""
        if has_last_word("characterising", link.words_before):
            return True
        clause = last_clause(link.words_before)
        # What an arrow draws from a task is a step of its solution.
        is_step = link.connective == "so" or self.has_several_equations
        task = mentions("task", clause) and not mentions("obtaining", clause) and not is_step
        unled = not (words_of(last_sentence(link.words_before)) or link.connective == "so")
        return (
            task
            or mentions("unsolvable", f"{link.words_before} {link.words_after}")
            or (unled and self.is_assigned(link))
        )

    def is_assigned(self, link: ChainLink) -> bool:
        """Return whether the paragraph, or the words before the list of an equation, set it as a task or say
        that it has no solution."""
        here = link.position
        listed = any(scope.kind in ("item", "list") for scope in here.scope.lineage)
        return any(
            place.paragraph == here.paragraph
            or (listed and 0 < here.paragraph - place.paragraph <= _MOST_ITEMS)
            for piece, place in self.assigned
            if piece < link.piece_index
            # The words before a list go on to its first item.
            and next(each for each in place.scope.lineage if each.kind not in ("item", "list")).reaches(
                here.scope
            )
        )

    def conclude(self, link: ChainLink, used: Sequence[Fact]) -> LinkVerdict:
        """Return the verdict of what holds by earlier statements: by few, each with its line, it follows."""
        if len(used) > MOST_STEPS:
            # So many explain anything, and one change explains more.
            if link.relation == "=" and not link.is_denied_directly and (slip := self.describe_slip(link)):
                return LinkVerdict(link, "wrong", slip)
            steps = f"it holds by {len(used)} earlier statements together, more than a reader follows"
            return LinkVerdict(link, "not shown", steps)
        left, right = (side.tree or ZERO for side in self.read_sides(link))
        if self.are_contradictory(link, used):
            contradicting = " and ".join(map(cite_fact, used))
            return LinkVerdict(link, "not shown", f"{contradicting} contradict each other, and all follows")
        names = free_symbols(left), free_symbols(right)
        distant = list_distant_values(used, link.position, link.line) if all(names) else []
        if link.relation == "=" and (
            said := [one for one in distant if one.variables <= names[0] | names[1]]
        ):
            cited = " and ".join(map(cite_fact, said))
            return LinkVerdict(link, "not shown", f"it holds at {cited}, said of something else")
        earlier = [fact for fact in used if fact.number <= self.last_fact_before_chain]
        if 0 < len(earlier) < len(used) and self.facts.follows_from(left, right, earlier):
            used = earlier
        # What holds only by the rest of its chain, or at one value, is near an identity by mistake.
        shared = free_symbols(left) & free_symbols(right)
        doubtful = any(
            one.number > self.last_fact_before_chain or (one.is_value and one.left.label in shared)
            for one in used
        )
        # A long step of a chain with the same letters on both sides is rewritten, not by values of others.
        # … and what takes several others to hold was none by chance.
        shares_all = names[0] == names[1] or (len(used) > 1 and shared in names and bool(shared))
        long_step = self.has_several_equations and len(left) + len(right) >= _LONG_STEP and shares_all
        # What is written in another way needs no equations of other paragraphs, which may be about others.
        rewritten = (
            bool(left.children and right.children)
            and shared in names
            and all(fact.position.paragraph != link.position.paragraph for fact in used)
        )
        doubtful = (
            (doubtful or long_step or rewritten) and link.relation == "=" and not link.is_denied_directly
        )
        if doubtful and (slip := self.describe_slip(link)):
            return LinkVerdict(link, "wrong", slip)
        self.last_uses.update(dict.fromkeys(used, link))
        return LinkVerdict(link, "follows", describe_sources(used))

    def are_contradictory(self, link: ChainLink, used: Sequence[Fact]) -> bool:
        """Return whether the facts that a link uses contradict each other."""
        left, right = (side.tree or ZERO for side in self.read_sides(link))
        if link.relation != "=":
            return give_several_values(used)
        return give_several_values(used) or self.facts.find_contradiction(left, right, used)

    def _defines_again(self, link: ChainLink, left: Tree, right: Tree) -> bool:
        """Return whether a letter is said to be a term anew, `let u = x + 1`, that was another in another
        paragraph."""
        if left.children or not right.children or not has_last_word("introducing", link.words_before):
            return False
        here = self.facts.position.paragraph
        return any(
            fact.left == left and fact.right != right and fact.position.paragraph != here
            for fact in self.facts.in_scope
        )

    def _read_tree(self, latex: str) -> Tree | None:
        return self.read_formula(latex).tree

    def keep_equation(self, link: ChainLink, left: Tree, right: Tree) -> None:
        """Remember an equation for the links after it, unless it only holds near a point."""
        # Near x = 0 is not at x = 0.
        if has_last_word("approached", link.words_before):
            return
        if is_cycle(link.right):
            return
        # An inverse modulo n is no remainder of a fraction.
        if any(map(is_inverse_residue, (*left, *right))):
            return
        # A law that a text calls a mistake is nothing that it says.
        is_law = (
            bool(left.children) and bool(free_symbols(left)) and free_symbols(left) == free_symbols(right)
        )
        if is_law and (link.is_called_false or mentions("mistakes", last_sentence(link.words_before))):
            return
        # "A = 0 is not possible" says of no A what it is.
        if link.is_denied_by_words_after and is_value_to_look_at(link, left, right, anywhere=True):
            return
        anew = read_last_cue(last_clause(link.words_before)) == "given"
        if self._defines_again(link, left, right):
            self.facts.renew([left.label], self.facts.position)
        is_local = is_value_to_look_at(link, left, right) or mentions("existing", link.words_before)
        is_claim = link.position.scope.kind in ("theorem", "exercise") and (
            mentions("existing", link.words_before)
            or (read_last_cue(link.words_before) != "given" and mentions("proving", link.words_before))
        )
        # A function that "is the solution" is one; of a letter with a value there can be another.
        is_certain = not (link.speaks_of_others_after if left.label == "call" else link.may_be_one_of_several)
        is_certain = is_certain or holds_for_all_numbers(
            link, left, lambda latex: self.read_formula(latex).tree
        )
        text = f"{link.left} = {link.right}"
        known = self.facts.functions.copy()
        self.facts.add_fact(
            left,
            right,
            text,
            link.line,
            is_certain,
            anew=anew,
            is_local=is_local,
            is_claim=is_claim,
            alternative=link.is_one_of_alternatives or link.is_of_other_object,
            is_supposed=has_first_word("conditional", last_sentence(link.words_before)),
            piece=link.piece_index,
            argument=link.argument,
            is_premise=link.is_premise,
        )
        if left.label == "call" and (conditions := read_range(link, left, self._read_tree)):
            function = self.facts.functions.get(left.children[0].label)
            if function is not None and function is not known.get(left.children[0].label):
                self.ranges[function.fact] = conditions


def _is_of_other_label(link: ChainLink, left: Tree, found: Accusation) -> bool:
    """Return whether a label is before a statement that says anew what a source of an accusation says:
    `Second series: 1/w = …` is about another than `First series: 1/w = …`."""
    return any(
        source.left == left and (link.is_labelled or not source.position.is_labelled_as(link.position))
        for source in found.evidence.sources
    )
