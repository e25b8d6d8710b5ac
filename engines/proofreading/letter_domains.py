r"""What kind of numbers the letters of a text stand for: as its formulas and words declare it, or by habit.

A letter is declared where the text says so, as by `n \in \mathbb{N}`, `k = 1, 2, \dots` or `a positive
integer n`, in the scope of that place. A letter that is declared several times, and always as a whole number,
is one in all of the document.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from engines.core.tree import ONE, ZERO, Tree
from engines.documents.reading import Document
from engines.formula.cursor import UnreadError
from engines.formula.layout import Piece
from engines.formula.lexer import LatexSource
from engines.formula.meaning import pieces_of
from engines.formula.reader import read
from engines.formula.symbols import PieceRole
from engines.formula.vocabulary import is_variable, name_of
from engines.mathematics.judging.names import INTEGERS, NUMBER_SETS
from engines.proofreading.cue_phrases import (
    has_last_word,
    is_made_of,
    is_restricted,
    last_sentence,
    mentions,
    words_of,
)
from engines.proofreading.reintroduced_letters import list_introduced_letters
from engines.proofreading.scopes import Position
from engines.proofreading.term_properties import free_symbols

_MOST_CHARACTERS = 120
"""Of a formula that declares a letter."""
_COMPLEX = Tree("ℂ")
_HABIT = 2
"""So many declarations of a letter make a habit."""
_USUAL = "nmkijlNMK"
"""Letters of which a bound by a whole number says that they are whole too."""
COUNTING = "nmkijlNMKpq"
"""Letters that are usual for positive whole numbers, primes among them."""
_DOTS = ("V!...", "V!⋯", "C!…")
_WORDS_OF_MEASURE = 3
"""Words that say of a letter that it measures something: `be the length`."""
_WORDS = 4
"""Words beside a letter that say what kind of number it is."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a letter is said to be.

    Attributes: conditions: statements that hold of it; piece: where it is said; restricted: it is of a kind
    that the conditions do not tell, as an even number.
    """

    conditions: tuple[Tree, ...]
    position: Position
    piece: int
    restricted: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the letter is a whole number."""
        return any(each.label == "in" and each.children[1] != _COMPLEX for each in self.conditions)

    @property
    def is_complex(self) -> bool:
        """Whether the letter is a complex number."""
        return any(each.children[1] == _COMPLEX for each in self.conditions)


@dataclass(frozen=True, slots=True)
class NumbersMeant:
    """The numbers over which all letters range, as a text says: `Let the domain be ℕ in part 2`.

    Attributes: kind: as `_list_kind` takes it; place: the words that say where, none for everywhere;
    position, piece: where it is said.
    """

    kind: str
    place: Sequence[str]
    position: Position
    piece: int

    def reaches(self, position: Position, piece: int) -> bool:
        """Return whether it is said of another place."""
        label = position.label.split()
        of_label = not self.place or not label or [*self.place[: len(label)]] == label
        return self.piece <= piece and of_label and self.position.scope.reaches(position.scope)


@dataclass(slots=True)
class LetterDomains:
    """The declarations of a document, by letter, in their order."""

    declared: defaultdict[str, list[Declaration]] = field(default_factory=lambda: defaultdict(list))
    sections_of_sets: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The letters that stand for sets, with the sections, by their identity, in which they do."""
    sections_of_groups: defaultdict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The letters that stand for groups, likewise."""
    members: defaultdict[str, list[tuple[str, Position]]] = field(default_factory=lambda: defaultdict(list))
    """The letters that stand for members of what has a letter itself: that letter, and where it is said."""
    ranged_over: list[NumbersMeant] = field(default_factory=list)
    """The numbers over which letters range of which nothing else is said."""

    def stands_for_member_of_group(self, name: str, position: Position) -> bool:
        """Return whether a letter stands for an element of a group at a place."""
        section = position.scope.section
        return any(
            id(section) in self.sections_of_groups.get(group, ()) and stated_at.scope.section is section
            for group, stated_at in self.members.get(name, ())
        )

    def stands_for_set(self, name: str, position: Position) -> bool:
        """Return whether a letter stands for a set in the section of a place."""
        return id(position.scope.section) in self.sections_of_sets.get(name, ())

    def list_conditions(self, names: Iterable[str], position: Position, piece: int) -> list[Tree]:
        """List what is known of letters at a place: by the last declaration in scope, else by habit."""
        return [
            condition
            for name in sorted(names)
            if (declaration := self.find_declaration(name, position, piece)) and not declaration.is_complex
            for condition in declaration.conditions
        ]

    def list_complex(self, names: Iterable[str], position: Position, piece: int) -> list[Tree]:
        """List the conditions of the letters that are said to be complex numbers."""
        declarations = (self.find_declaration(name, position, piece) for name in sorted(names))
        return [each for one in declarations if one is not None and one.is_complex for each in one.conditions]

    def are_restricted(self, names: Iterable[str], position: Position, piece: int) -> bool:
        """Return whether one of some letters is of a kind that its conditions do not tell, as an even
        number."""
        declarations = (self.find_declaration(name, position, piece) for name in names)
        return any(one is not None and one.restricted for one in declarations)

    def find_declaration(self, name: str, position: Position, piece: int) -> Declaration | None:
        """Find what a letter was last said to be at a place, or is by habit."""
        # The last declaration counts that stands before the place and reaches it.
        several = self.declared.get(name, ())
        for one in reversed(several):
            if one.piece <= piece and one.position.scope.reaches(position.scope):
                return one
        # A letter that a document always declares to be whole is that where nothing is said as well; the most
        # cautious of the declarations is taken.
        habit = len(several) >= _HABIT and all(one.is_whole for one in several)
        if habit:
            return max(several, key=lambda one: len(one.conditions))
        meant = next((one for one in reversed(self.ranged_over) if one.reaches(position, piece)), None)
        if meant is None:
            return None
        return Declaration(tuple(_list_kind(name, meant.kind)), meant.position, meant.piece)

    def add(
        self,
        name: str,
        conditions: Sequence[Tree],
        position: Position,
        piece: int,
        *,
        restricted: bool = False,
    ) -> None:
        """Note what a letter is said to be."""
        if name:
            self.declared[name].append(Declaration(tuple(conditions), position, piece, restricted))


def read_domains(document: Document, positions: Sequence[Position]) -> LetterDomains:
    r"""Read what kinds of numbers the letters of a document stand for.

    >>> from engines.documents.reading import TextPiece
    >>> from engines.proofreading.scopes import read_positions
    >>> document = Document("", (TextPiece("for all ", 1), TextPiece(r"n\in{\mathbb{N}}", 1, True)))
    >>> positions = read_positions(document)
    >>> known = read_domains(document, positions).list_conditions("n", positions[1], 1)
    >>> [each.list_labels() for each in known]
    [['in', 'n', 'ℤ'], ['>=', 'n', '1']]
    """
    domains = LetterDomains()
    names_universe = False
    for at, (piece, position) in enumerate(zip(document.pieces, positions, strict=True)):
        if not piece.formula or len(piece.text) > _MOST_CHARACTERS:
            continue
        before = document.pieces[at - 1].text if at else ""
        measured = before
        if at > 2 and document.pieces[at - 2].formula and is_made_of("joining", before):
            measured = document.pieces[at - 3].text  # "the sides a and b"
        after = document.pieces[at + 1].text if at + 1 < len(document.pieces) else ""
        names_universe = mentions("universe", before) or (names_universe and last_sentence(before) == before)
        if names_universe and (kind := _read_numbers(piece.text)):
            first, *place = (word.strip(".,;:") for word in (after.lower().split() or [""]))
            domains.ranged_over.append(NumbersMeant(kind, place if first == "in" else (), position, at))
        kept = is_restricted(before[-_MOST_CHARACTERS:]) or is_restricted(_words_behind(after))
        # Reading is slow, so formulas without signs of sets and inequalities are left out.
        is_read = any(sign in piece.text for sign in _SIGNS) or _QUOTIENT.fullmatch(piece.text)
        tree = read(piece.text).tree if is_read else None
        for name in (*_iterate_sets(tree), *_list_named("kind of set", piece.text, before)):
            domains.sections_of_sets[name].add(id(position.scope.section))
        for name in (*_list_quotient(tree), *_list_named("kind of group", piece.text, before, after)):
            domains.sections_of_groups[name].add(id(position.scope.section))
        for name, group in _iterate_members(tree):
            domains.members[name].append((group, position))
        for name, conditions in _iterate_declared(piece.text, tree, before, after, domains):
            domains.add(name, conditions, position, at, restricted=kept)
        if _is_measure(measured[-_MOST_CHARACTERS:]) or _says_measure(after):
            for name in list_introduced_letters(piece.text):
                known = domains.list_conditions((name,), position, at)
                if name[0] not in _USUAL:
                    domains.add(name, [*known, Tree(">", (Tree(name), ZERO))], position, at, restricted=kept)
    return domains


def _read_numbers(latex: str) -> str:
    r"""Return the kind of numbers that a formula names, which may list the first of them, `ℕ = {0, 1, …}`; ""
    for another formula."""
    try:
        first, *rest = pieces_of(LatexSource.from_latex(latex))
    except (UnreadError, ValueError):
        return ""
    name = name_of(first) if is_variable(first) else ""
    if name not in NUMBER_SETS or (rest and rest[0].text != "="):
        return ""
    listed = next((part.text for part in rest if part.role == PieceRole.NUMBER), "")
    kind = "N" if name in ("N", "ℕ") else "Z" if name in INTEGERS else "C" if name in ("C", "ℂ") else "R"
    return "N0" if kind == "N" and listed == "0" else kind


def list_conditions(statement: Tree | None) -> list[Tree]:
    """List the inequalities and memberships that a statement says together; none for another."""
    if statement is None:
        return []
    parts = statement.children if statement.label == "and" else (statement,)
    return [condition for each in parts for condition in _list_bounds(each)]


def _list_bounds(statement: Tree) -> list[Tree]:
    """List the inequalities that a statement says of its variables; of a letter in an interval those with its
    ends."""
    if statement.label in _CONDITIONS:
        return [statement]
    in_interval = statement.label == "in" and statement.children[1].label == "interval"
    return list_interval_ends(*statement.children) if in_interval else []


_CONDITIONS = ("<", ">", "<=", ">=", "!=")


_SIGNED_REALS = {"ℝ+": ">", "ℝ_+": ">=", "ℝ+0": ">="}
_SIGNS = (r"\in", "∈", r"\ge", "≥", ">", "<", r"\le", "≤", r"\cup", r"\cap", r"\setminus", r"\subset")
_QUOTIENT = re.compile(r"\s*[A-Z]\s*/\s*[A-Z]\s*")
"""What is read because it can be the quotient of groups."""
_OF_SETS = ("union", "intersection", "without", "subset")


def _iterate_sets(tree: Tree | None) -> Iterator[str]:
    """Yield the capital letters that a formula uses as sets: `A ∪ B`, `x ∈ A`."""
    for node in tree or ():
        parts = node.children if node.label in _OF_SETS else node.children[1:] if node.label == "in" else ()
        shifted = (part.children if part.label in ("+", "-") else (part,) for part in parts)  # A ∪ (B - e)
        letters = (part for several in shifted for part in several if not part.children)
        yield from (letter.label for letter in letters if letter.label[0].isupper())


def _is_measure(before: str) -> bool:
    """Return whether the words before a letter say that it measures something, as a side, length or area."""
    words = " ".join(words_of(before)[-2:])
    return has_last_word("measure", before) and not mentions("part of equation", words)


def _says_measure(after: str) -> bool:
    """Return whether the words behind a letter say that it measures something: `let x be the length`."""
    words = words_of(_words_behind(after))[:_WORDS_OF_MEASURE]
    return bool(words) and has_last_word("measure", " ".join(words))


def _list_named(cue: str, latex: str, before: str, after: str = "") -> list[str]:
    """List the capital letters of a formula of which the word before it says what they are, as `for any set
    X`, or the words behind it, as `let G be a group`."""
    said = mentions(cue, _words_behind(after))
    if not said and not has_last_word(cue, before[-_MOST_CHARACTERS:]):
        return []
    try:
        parts = pieces_of(LatexSource.from_latex(latex))
    except UnreadError:
        return []
    return [name for part in parts if is_variable(part) and (name := name_of(part))[0].isupper()]


def _list_quotient(tree: Tree | None) -> list[str]:
    """List the letters of a group and its subgroup of which a formula is the quotient, `G/H`."""
    if tree is None or tree.label != "/" or any(part.children for part in tree.children):
        return []
    names = [part.label for part in tree.children]
    return names if all(name.isalpha() and name.isupper() for name in names) else []


def _iterate_members(tree: Tree | None) -> Iterator[tuple[str, str]]:
    """Yield the letters that a formula says to be members of what has a capital letter, with that letter."""
    for node in tree or ():
        # A call of the sign alone, as in f(\in), has no sides.
        if node.label != "in" or len(node.children) != 2:
            continue
        member, group = node.children
        if not group.children and group.label[0].isupper():
            letters = member.children if member.label in ("list", "tuple") else (member,)
            yield from ((letter.label, group.label) for letter in letters if not letter.children)


def _words_behind(after: str) -> str:
    """Return the words behind a letter that say what it is; "" for others."""
    words = words_of(after.partition(".")[0].partition(",")[0])[: _WORDS + 1]
    return " ".join(words) if words[:1] in (["is"], ["be"], ["are"]) else ""


def _iterate_declared(
    latex: str, tree: Tree | None, before: str, after: str, domains: LetterDomains
) -> Iterator[tuple[str, list[Tree]]]:
    """Yield the letters that a formula declares, by what it says or by the words beside it."""
    # 1. The formula says it: `n ∈ ℕ`, `0 ≤ x < 1`.
    for statement in (tree.children if tree and tree.label == "and" else (tree,)) if tree else ():
        lone = len(statement.children) == 2 and not statement.children[0].children
        if lone and (conditions := _conditions_of(statement, domains)) is not None:
            yield statement.children[0].label, conditions
    # 2. It lists values, `n = 1, 2, …`, or is one letter or several, and words beside it say of what kind.
    try:
        parts = pieces_of(LatexSource.from_latex(latex))
    except UnreadError:
        return
    if not parts or not is_variable(parts[0]):
        return
    name = name_of(parts[0])
    if _is_range(parts):
        yield name, _list_kind(name, "N" if parts[2].text != "0" else "N0")
        return
    if kind := _kind_in_words(before, after if len(parts) == 1 else ""):
        listed = (one for one in parts[::2] if is_variable(one)) if _is_list(parts) else (parts[0],)
        for one in listed:
            yield name_of(one), _list_kind(name_of(one), kind)


def _is_range(parts: Sequence[Piece]) -> bool:
    """Return whether a formula lists the values of an index: `n = 1, 2, \\dots`."""
    return (
        len(parts) > 3
        and parts[1].text == "="
        and parts[2].role == PieceRole.NUMBER
        and parts[3].text == ","
        and any(one.alone.label in _DOTS for one in parts)
    )


def _is_list(parts: Sequence[Piece]) -> bool:
    return len(parts) > 1 and all(one.text == "," for one in parts[1::2])


def _kind_in_words(before: str, after: str) -> str:
    """Return what kind of number the words beside a letter say that it is; "" where they do not."""
    words = words_of(before[-80:])[-_WORDS:]
    beside = " ".join(words[-2:])
    behind = words_of(after[:60])[: _WORDS + 1]
    said = " ".join(behind) if behind[:1] in (["is"], ["be"], ["are"]) else ""
    if mentions("complex", beside) or mentions("complex", said):
        return "C"
    # A continuous variable n is no whole number, whatever the letter is used for elsewhere.
    if mentions("continuous", beside):
        return _name_reals(words)
    if not mentions("whole", beside) or mentions("counted", " ".join(words)):
        if not mentions("whole", said):
            return _name_reals(behind) if mentions("numeric", said) else ""
        words = behind
    text = " ".join(words)
    return (
        "N"
        if mentions("positive", text) or "natural" in words
        else "N0"
        if mentions("nonnegative", text)
        else "Z"
    )


def _name_reals(words: Sequence[str]) -> str:
    """Return the kind of real number that words name, by its sign."""
    text = " ".join(words)
    if mentions("nonzero", text) or {"non", "zero"} <= {*words}:
        return "R!="
    if mentions("nonnegative", text) or "non" in words:
        return "R>="
    return "R>" if mentions("positive", text) else "R<" if mentions("negative", text) else "R"


def _list_kind(name: str, kind: str) -> list[Tree]:
    """Return the conditions of a number: of Z any whole one, of N a positive one, of N0 one that is not
    negative, of C a complex one, of R a real one, with the sign that stands behind."""
    letter = Tree(name)
    if kind[0] == "R":
        return [Tree(kind[1:], (letter, ZERO))] if kind[1:] else []
    if kind == "C":
        return [Tree("in", (letter, _COMPLEX))]
    ends = {"N": ONE, "N0": ZERO}
    return [
        Tree("in", (letter, Tree("ℤ"))),
        *([Tree(">=", (letter, ends[kind]))] if kind in ends else []),
    ]


def list_interval_ends(letter: Tree, interval: Tree) -> list[Tree]:
    """List the inequalities that say that a letter is in an interval."""
    kind, low, high = interval.children
    signs = ">" if kind.label[0] == "o" else ">=", "<" if kind.label[1] == "o" else "<="
    ends = zip(signs, (low, high), strict=True)
    return [Tree(sign, (letter, end)) for sign, end in ends if "inf" not in end.list_labels()]


def _conditions_of(statement: Tree, domains: LetterDomains) -> list[Tree] | None:
    """Return what a statement says of the kind of its first letter; None where it says nothing of that."""
    letter, domain = statement.children
    if statement.label == "in":
        base = domain.label.rstrip("+0_*")
        if not domain.children and base in INTEGERS:
            natural = base in ("N", "ℕ") or "+" in domain.label
            return _list_kind(letter.label, ("N0" if "0" in domain.label else "N") if natural else "Z")
        if domain.label == "union" and domain.children[0].label in ("N", "ℕ"):
            return _list_kind(letter.label, "N0")
        if domain.label == "interval":
            return list_interval_ends(letter, domain)
        if sign := _SIGNED_REALS.get(domain.label):
            return [Tree(sign, (letter, ZERO))]
        return _list_kind(letter.label, "C") if base in ("C", "ℂ") else []
    if statement.label in (">=", ">") and letter.label in _USUAL and not domain.children:
        # `n ≥ M`, where M is a whole number: a letter that is usual for whole numbers is one here.
        known = domains.declared.get(domain.label, ())
        if known and known[-1].is_whole:
            return _list_kind(letter.label, "N")
    return None


def list_counts(statement: Tree) -> list[Tree]:
    """Return what the letters of factorials and binomials and at the ends of sums are: whole numbers that
    are not negative.

    >>> from engines.formula.reader import read
    >>> [each.list_labels() for each in list_counts(read("n! < x").tree)]
    [['in', 'n', 'ℤ'], ['>=', 'n', '0']]
    """
    counted = {
        part
        for node in statement
        if node.label in ("factorial", "binomial", "sum")
        for part in (node.children[1:3] if node.label == "sum" else node.children)
        if not part.children and free_symbols(part)
    }
    return [
        condition
        for letter in sorted(counted, key=lambda each: each.label)
        for condition in (Tree("in", (letter, Tree("ℤ"))), Tree(">=", (letter, Tree("0"))))
    ]
