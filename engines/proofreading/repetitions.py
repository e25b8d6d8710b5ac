"""Statements said twice, once with another digit, sign or index: the one that is said less often is odd.

A text says most of its equations again, and nearly always in the same way. One that is another's copy but for
one sign, one digit of a number or one index contradicts it, unless the text varies it: by words such as
`let` or `similarly`, in the same sentence, as one of several, or in another example. Small statements, such
as `n = 3`, are varied too often to say anything.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import inf
from typing import NamedTuple

from engines.core.tree import ZERO, Tree
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import (
    ends_with_phrase,
    has_last_word,
    is_made_of,
    last_sentence,
    mentions,
    read_last_cue,
)
from engines.proofreading.link_verdicts import CopyVariation
from engines.proofreading.term_properties import free_symbols, has_empty_range, is_slope

_MOST_TOKENS = 200
_MOST_ALIKE = 60
"""Statements that are alike but for one token; more are a table."""
_FAR_LINES = 60
"""Lines."""
_FAR_OF_RATE = 20
"""Lines: a rate in numbers that stands further away is that of another example."""
_PIECES_OF_NAME = 4
"""Pieces of a text with two formulas and the words behind them."""
_LEAST_OF_SERIES = 3
"""The least index of a name that a sentence goes on to behind others."""
_MOST_WORDS = 4
"""Before a statement; those that say that it is another one stand there."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?\Z")
_PART = re.compile(r"\d+|[+-]|[^\d+-]+")
_EVEN = ("abs", "norm")
RELATIONS = ("=", "approx", "<", ">", "<=", ">=", "!=")
"""The relations of which statements are compared."""
_BOUNDS = ("<", ">", "<=", ">=")
_PAIRS = ("list", "tuple", "interval")
_OF_THINGS = ("call", "ratio", "/")
_OVER_RANGES = ("integral", "sum", "prod", "limit")
_LIGHT = ("*", "/", "pow", "+", "-", "=", "neg")
_ONCE = 4.0
"""So much more is needed of two that are both said once, unless the difference is rare."""
_RARE = ("same fraction", "new name", "skipped index", "value")
_LONG_FRACTION = 2
"""Digits behind the point: numbers that share so many, and not those before it, are hardly two values."""
_SHORT = 4
"""Tokens of an equation of two names with an index."""
_SHORT_VALUE = 2
"""Digits of values that are rarely copied from elsewhere."""
_ENOUGH = {
    "digit": 4.0,
    "digit of a definition": 7.5,
    "same fraction": 2.5,
    "value": 14.0,
    "sign": 4.5,
    "sign of a definition": 5.0,
    "negation": 6.5,
    "negation of a definition": 8.5,
    "index": 5.5,
    "new name": 4.0,
    "skipped index": 4.0,
}
"""What two statements must share, by the kind of their difference: names count 1, digits 1, operators ½."""
_OF_DEFINITION = " of a definition"
_ENOUGH_ENCLOSED = 3.0
"""What they must share where the text says one of them before the other and behind it."""
_LONG_DEFINITION = 6.0
"""What two definitions share that are hardly of two things."""
_ENOUGH_TO_DOUBT = 4.0
"""What they must share so that the difference is at least doubtful; of values one more."""
_ENOUGH_TO_DOUBT_INDEX = 2.0
"""… where one has an index that the text has nowhere else, nor the number before it."""


@dataclass(frozen=True, slots=True)
class RepeatedStatement:
    """A statement of a text that is read.

    Attributes:
        place: Its index among the links.
        link: The link.
        left: Its left side.
        right: Its right side.
        odd: Whether it may be reported: it is not decided otherwise, nor the problem's.
        of_term: What its chain begins with, where it stands further on in that.
    """

    place: int
    link: ChainLink
    left: Tree
    right: Tree
    odd: bool = True
    of_term: str = ""

    def is_beside(self, other: RepeatedStatement) -> bool:
        """Return whether it and another in its sentence say two things of one term: two solutions."""
        if (
            self.left != other.left
            or self.right == other.right
            or self.link.piece_index == other.link.piece_index
        ):
            return False
        return _are_in_one_sentence(*sorted((self.link, other.link), key=lambda link: link.piece_index))


@dataclass(frozen=True, slots=True)
class Misquotation:
    """A statement that is another's copy but for one sign, digit or index.

    Attributes:
        place: The index of the statement among the links.
        by: The index of the other.
        instead: What the other has in its place, in words.
        is_certain: Whether they share so much that nothing else can be meant.
        is_likely: Whether they share enough to doubt it; less tells only where the text goes on with the
            other.
        is_confirmed: Whether the text says the other statement more than once, or what they differ in stands
            nowhere else.
        variation: What the copy may be of the other on purpose.
    """

    place: int
    by: int
    instead: str
    is_certain: bool = True
    is_likely: bool = True
    is_confirmed: bool = False
    variation: CopyVariation = ""


class _Token(NamedTuple):
    kind: str
    text: str

    @property
    def weight(self) -> float:
        if self.kind == "number":
            return max(1, len(self.text.replace(".", "").lstrip("0")))
        return 0.5 if self.text in _LIGHT else 1.0


_Key = tuple[str, tuple[_Token, ...], tuple[_Token, ...]]


def find_misquotations(
    statements: Sequence[RepeatedStatement],
    name_counts: Mapping[str, int],
    named: Sequence[tuple[int, str]] = (),
) -> Iterator[Misquotation]:
    """Yield the statements that contradict what the text says more often, or said before, the doubtful ones
    last, and behind them those that may be meant.

    Args:
        statements: The statements of a text, in their order.
        name_counts: How often the text has each name with a number below it.
        named: The names that stand alone in a formula, each behind the index of its piece.
    """
    written = {each.place: _write_statement(each) for each in statements}
    bounds = [each for each in statements if each.link.relation in _BOUNDS]
    known = {each.place: each for each in statements}
    names = _count_names((known[place].link.piece_index, tokens) for place, tokens in written.items())
    # Two statements that differ in one place are equal with that place left out: each statement is filed
    # under every such key, with what stands in the place.
    alike: dict[_Key, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, tokens in written.items():
        if len(tokens) <= _MOST_TOKENS:
            for key, text in _iterate_gaps(tokens):
                alike[key][text].append(place)
    reported: set[int] = set()
    doubtful: dict[int, Misquotation] = {}
    possible: dict[int, Misquotation] = {}
    for (kind, before, after), texts in alike.items():
        # Many different texts in one place are a series (x_1 = …, x_2 = …), which is meant.
        if not 2 <= len(texts) <= _MOST_ALIKE:
            continue
        shared = sum(token.weight for token in (*before, *after))
        for one, other in combinations(texts, 2):
            many = len(texts[one]), len(texts[other])
            # Of two that are both said again neither is a mistake of typing.
            if min(many) > 1:
                continue
            first, second = _choose_nearest(
                [known[place] for place in texts[one]], [known[place] for place in texts[other]]
            )
            # The one that is said less often is accused, of two that are said once the later one.
            text, instead = other, one
            if (many[1], -second.place) > (many[0], -first.place):
                first, second, text, instead = second, first, one, other
            many_near = sum(
                any(abs(known[place].link.line - second.link.line) <= _FAR_LINES for place in places)
                for places in texts.values()
            )
            kind_of = _name_difference(kind, text, instead, many_near, names, before, after)
            if kind == "index" and before:
                # Of a_{j+1} the names of statements are counted, by what is added.
                counts = names if before[-1].kind == "sign" else name_counts
                if _skips_index(before[-1].text, text, instead, counts):
                    kind_of = "skipped index"
            # What a function of which nothing is known is at 7 it can be at 8, too.
            at_others = _are_values_at_others(first, second)
            said_again = max(many) > 1 and not any(map(has_empty_range, (first.left, first.right)))
            if at_others and not said_again and kind in ("number", "negation"):
                continue
            # The more the two have in common, the less likely is a coincidence.
            if kind_of and (_gives_vector(first) or at_others):
                kind_of = "value"
            if kind_of + _OF_DEFINITION in _ENOUGH and any(map(_is_assignment, (first, second))):
                kind_of += _OF_DEFINITION
            enough = _ENOUGH[kind_of] if kind_of else inf
            # What is said once each can be two equations of a kind.
            enough += 0 if max(many) > 1 or kind_of in _RARE else _ONCE
            # Before and behind it the text says the other, and does not come back to a third.
            if kind_of not in ("", "value") and _is_enclosed(
                second, [known[place] for place in texts[instead]]
            ):
                enough = min(enough, _ENOUGH_ENCLOSED)
            common = shared + _count_shared(kind, text, instead)
            # Equations to be solved, values of either sign and inequalities vary.
            varies = kind in ("sign", "negation") and _is_varied(first)
            # … but the distance of two values of a kind is their difference.
            varies = varies and not (kind == "sign" and max(many) > 1 and _is_bound_on_distance(second))
            # A bound that is drawn from another does not contradict it.
            drawn = mentions("obtaining", _last_words(second.link, _MOST_WORDS))
            varies = varies or (drawn and second.link.relation in _BOUNDS)
            # Far away it can be about another example.
            reach = _FAR_OF_RATE if kind_of == "value" and _gives_rate(second) else _FAR_LINES
            apart = abs(first.link.line - second.link.line) > reach
            far = kind == "number" and apart
            # Words such as `let` or `similarly` say of another that it is meant.
            new = kind == "index" and kind_of in ("new name", "skipped index")
            parallel = not new and _are_parallel(first.link, second.link)
            varied = not new and mentions("varied", _last_words(second.link, _MOST_WORDS))
            varied = varied or has_last_word("conditional", second.link.words_before)
            varied = varied and not mentions("recalling", last_sentence(second.link.words_before))
            # Each exercise and example defines its own functions.
            defined_again = kind_of.endswith(_OF_DEFINITION) and _are_in_other_tasks(first.link, second.link)
            # + (something analytic) is another thing at another place.
            labels = {*first.left.list_labels(), *first.right.list_labels()}
            unsaid = max(many) == 1 and "text" in labels
            # sin A = a/c = 3/5 and sin B = a/c = 4/5 are said of two angles.
            of_others = bool(first.of_term and second.of_term) and first.of_term != second.of_term
            # Two names that are said once each to be the same thing may both be that.
            renamed = of_others or (max(many) == 1 and _is_of_other_name(first, second))
            is_value = kind_of == "value"
            # What is sought, and what holds at another place, contradicts nothing.
            sought = ends_with_phrase("sought with", second.link.words_before)
            of_another = (sought and second.link.relation == "=") or _are_led_by_others(
                first.link, second.link
            )
            of_another = of_another and not new
            # Of two numbers that bound one term both can be right.
            bounded = kind == "number" and max(many) == 1 and second.link.relation in _BOUNDS
            bounded = bounded and not free_symbols(first.right) | free_symbols(second.right)
            is_certain = common >= enough and not (
                varies
                or far
                or parallel
                or varied
                or renamed
                or unsaid
                or defined_again
                or bounded
                or of_others
                or of_another
            )
            may_be_meant = not kind_of or far or varied or defined_again or (is_value and parallel)
            may_be_meant = may_be_meant or of_another
            may_be_meant = may_be_meant or (kind == "number" and second.link.relation in _BOUNDS)
            # What is said of |a - b| once can be said of |a + b| too.
            varied_norm = varies and max(many) == 1 and _is_bound_on_norm(second)
            # A sign that differs far away is that of another example at least as often.
            may_be_meant = may_be_meant or bounded or varied_norm or of_others or apart
            least = _ENOUGH_TO_DOUBT_INDEX if kind_of == "skipped index" else _ENOUGH_TO_DOUBT + is_value
            is_likely = is_certain or not (may_be_meant or common < least)
            retyped = kind != "index" and (kind != "number" or _is_retyped(text, instead))
            if not is_likely and (varied or not retyped):
                continue
            if second.place in reported or not second.odd or not _contradict(first, second):
                continue
            # "Now only $x_2$ is used" says that it is meant.
            if kind == "index" and before and _is_named_before(f"{before[-1].text}{text}", second, named):
                continue
            if _is_bound_by_other(first, second, bounds):
                continue
            # "Derive both sides of A = πr³: A = πr²" goes back to what was said before.
            if any(second.is_beside(each) and not _restates(each, first) for each in statements):
                continue
            if kind == "index" and before and _goes_on_to(before[-1].text, text, second, statements, written):
                continue
            # Two bounds of one side hold together: |sin x| ≤ 0.5 and |sin x| ≤ 0.9.
            if max(many) == 1 and _are_bounds_of_one_term(first, second):
                continue
            change = _describe(kind, text, instead)
            # A name or the digits before a fraction that stand nowhere else are hardly meant.
            is_rare = new or kind_of == "same fraction"
            misquotation = Misquotation(
                second.place,
                first.place,
                change,
                is_certain,
                is_likely,
                is_confirmed=max(many) > 1 or is_rare,
                variation="" if is_rare else _name_variation(kind, before, after, second, common),
            )
            if is_certain:
                reported.add(second.place)
                yield misquotation
            else:
                uncertain = doubtful if is_likely else possible
                uncertain.setdefault(second.place, misquotation)
    yield from (one for place, one in doubtful.items() if place not in reported)
    yield from (one for place, one in possible.items() if place not in reported)


def _goes_on_to(
    base: str,
    index: str,
    copy: RepeatedStatement,
    statements: Sequence[RepeatedStatement],
    written: Mapping[int, tuple[_Token, ...]],
) -> bool:
    """Return whether the sentence of a copy has all names before one in other statements: behind `v_1` and
    `v_2` it goes on to `v_3`."""
    if not index.isdecimal() or int(index) < _LEAST_OF_SERIES:
        return False
    sentence = [
        each.place
        for each in statements
        if each.link.piece_index < copy.link.piece_index and _are_in_one_sentence(each.link, copy.link)
    ]
    names = _count_names((place, written[place]) for place in sentence)
    return all(f"{base}{number}" in names for number in range(1, int(index)))


def _is_named_before(name: str, statement: RepeatedStatement, named: Sequence[tuple[int, str]]) -> bool:
    """Return whether one of the two formulas before a statement is a name alone."""
    last = statement.link.piece_index
    return any(last - _PIECES_OF_NAME <= at < last and each == name for at, each in named)


def share_subject(one: RepeatedStatement, other: RepeatedStatement) -> bool:
    """Return whether two statements have a side with variables in common, of which both say what it is."""
    pairs = (one.left, other.left), (one.right, other.right)
    return any(mine == theirs and free_symbols(mine) for mine, theirs in pairs)


def _restates(one: RepeatedStatement, other: RepeatedStatement) -> bool:
    """Return whether a statement in a formula of its own says again what a letter is in terms of others."""
    same = (one.left, one.right) == (other.left, other.right) and bool(free_symbols(one.right))
    between = one.link.words_before.rpartition("§")[2]
    return same and (between.strip() == ":" or not is_made_of("joining", between))


def _name_variation(
    kind: str, before: Sequence[_Token], after: Sequence[_Token], copy: RepeatedStatement, common: float
) -> CopyVariation:
    """Return what a copy may be of another statement on purpose.

    Args:
        kind: The kind of the token in which they differ.
        before: The tokens before it.
        after: The tokens behind it.
        copy: The copy.
        common: How much the two share.
    """
    if kind == "negation":
        return "opposite"
    # The number of x^2 at the end of a formula is no value.
    alone = {token.text for token in before[-1:] if kind == "number"} <= {*RELATIONS}
    if kind in ("number", "index") and not after and alone:
        return "value"
    # Of two bounds one can be the coarser, and an unknown can have another value.
    if kind == "number" and (copy.link.relation in _BOUNDS or _gives_value(after, copy)):
        return "value"
    defines = common < _LONG_DEFINITION and (_is_assignment(copy) or _is_slope_alone(copy))
    return "definition" if defines and _is_introduced(copy) else ""


def _is_introduced(copy: RepeatedStatement) -> bool:
    """Return whether a statement stands alone, says what a letter is, or is introduced by words that do not
    go back to another: "an approximation to § " speaks of a function that was said to be something."""
    link, words = copy.link, last_sentence(copy.link.words_before)
    if mentions("recalling", words):
        return False
    varied = read_last_cue(words) == "given" or mentions("varied", _last_words(link, _MOST_WORDS))
    names_curve = "call" not in (copy.left.label, copy.right.label)
    return link.is_unannounced or varied or names_curve


def _gives_value(after: Sequence[_Token], copy: RepeatedStatement) -> bool:
    """Return whether a number stands in a side without variables, which says what the other side is."""
    within = not any(token.text in RELATIONS for token in after)
    constant = [side for side in (copy.left, copy.right) if not free_symbols(side)]
    return copy.link.relation == "=" and within and len(constant) == 1


def _are_in_other_tasks(one: ChainLink, other: ChainLink) -> bool:
    """Return whether two links stand in different exercises or examples, none of which is in the other."""
    first, second = one.position.scope.task, other.position.scope.task
    if first is None or second is None:
        return first is not second
    return not (first.reaches(second) or second.reaches(first))


def _is_of_other_name(one: RepeatedStatement, other: RepeatedStatement) -> bool:
    """Return whether two statements say of two names that they are one term: `a_0 = cd` and `a_1 = cd`."""
    named = not one.left.children and not other.left.children and one.left != other.left
    return named and one.right == other.right and bool(one.right.children)


def _are_bounds_of_one_term(one: RepeatedStatement, other: RepeatedStatement) -> bool:
    """Return whether two statements bound the size of one term by numbers, perhaps at different places."""
    bound = one.link.relation in _BOUNDS and one.link.relation == other.link.relation
    sized = one.left == other.left and one.left.label in _EVEN
    return bound and sized and not free_symbols(one.right) and not free_symbols(other.right)


def _gives_rate(statement: RepeatedStatement) -> bool:
    """Return whether a statement gives a derivative a number, which each example has anew: `du/dx = 6`."""
    return any(side.label == "d" for side in (statement.left, statement.right))


def _is_slope_alone(statement: RepeatedStatement) -> bool:
    return any(is_slope(side) and len(side) <= _SHORT for side in (statement.left, statement.right))


def _is_enclosed(copy: RepeatedStatement, others: Sequence[RepeatedStatement]) -> bool:
    """Return whether the same statement stands shortly before a copy of it and shortly behind."""
    link = copy.link
    near = [
        each.place
        for each in others
        if abs(each.link.line - link.line) <= _FAR_LINES
        and share_subject(each, copy)
        and each.link.position.scope.section is link.position.scope.section
    ]
    return bool(near) and min(near) < copy.place < max(near)


def _choose_nearest(
    some: Sequence[RepeatedStatement], others: Sequence[RepeatedStatement]
) -> tuple[RepeatedStatement, RepeatedStatement]:
    """Return the two that are said of the same things, or else those that stand nearest to each other."""
    return min(
        ((one, other) for one in some for other in others),
        key=lambda pair: (not _share_scope(*pair), abs(pair[0].link.line - pair[1].link.line)),
    )


def _share_scope(one: RepeatedStatement, other: RepeatedStatement) -> bool:
    """Return whether what is said in one statement holds where the other stands, or the other way round."""
    here, there = one.link.position.scope, other.link.position.scope
    return here.reaches(there) or there.reaches(here)


def _gives_vector(statement: RepeatedStatement) -> bool:
    """Return whether a name gets a vector or matrix of numbers, of which other calculations have another."""
    sides = statement.left, statement.right
    return any(
        not one.children and other.label in ("matrix", "tuple") and not free_symbols(other)
        for one, other in (sides, sides[::-1])
    )


def _are_values_at_others(one: RepeatedStatement, other: RepeatedStatement) -> bool:
    """Return whether a function has the same value at two arguments, as at both ends of an interval, or the
    same integral, sum or limit of a function that the text does not say over two ranges."""
    return any(
        mine.label == theirs.label
        and mine != theirs
        and value == same
        and (
            mine.label == "call" or (mine.label in _OVER_RANGES and mine.children[-1] == theirs.children[-1])
        )
        and any(name.endswith("(") for name in free_symbols(mine))
        for mine, value, theirs, same in (
            (one.left, one.right, other.left, other.right),
            (one.right, one.left, other.right, other.left),
        )
    )


def _is_assignment(statement: RepeatedStatement) -> bool:
    """Return whether a name or a function of names stands alone on a side, which may be defined anew."""
    return any(
        (not side.children and bool(free_symbols(side)))
        or (side.label == "call" and not any(one.children for one in side.children))
        for side in (statement.left, statement.right)
    )


def _is_varied(statement: RepeatedStatement) -> bool:
    """Return whether a statement is no equation, one between a term and a number, or one in one variable that
    is to be 0."""
    sides = statement.left, statement.right
    if statement.link.relation not in ("=", ":=", "approx"):
        return True
    number = any(not free_symbols(side) for side in sides)
    zero = any(side == ZERO for side in sides)
    return number and (not zero or len(free_symbols(sides[0]) | free_symbols(sides[1])) == 1)


def _is_distance(tree: Tree) -> bool:
    """Return whether a term is one of |x - x_0| and |x + x_0|, or one of |f(x) - f(x_0)| and the like."""
    if tree.label not in _EVEN or tree.children[0].label not in ("+", "-"):
        return False
    names = [
        part.children[0].label if part.label == "call" else part.label.partition("_")[0]
        for part in tree.children[0].children
        if part.label == "call" or (not part.children and free_symbols(part))
    ]
    return len(names) == len(tree.children[0].children) and len(names) > len(set(names))


def _is_bound_on_norm(statement: RepeatedStatement) -> bool:
    """Return whether a statement bounds the size of a sum or difference of two letters by another letter or a
    number, as |x - a| < r."""
    sides = statement.left, statement.right
    return statement.link.relation in _BOUNDS and any(
        one.label in _EVEN
        and one.children[0].label in ("+", "-")
        and all(not part.children and free_symbols(part) for part in one.children[0].children)
        and not other.children
        for one, other in (sides, sides[::-1])
    )


def _is_bound_on_distance(statement: RepeatedStatement) -> bool:
    """Return whether a statement bounds a distance by a number or a letter."""
    sides = statement.left, statement.right
    bound = any(not side.children for side in sides)
    return statement.link.relation in _BOUNDS and bound and any(map(_is_distance, sides))


def _describe(kind: str, text: str, instead: str) -> str:
    if kind == "negation":
        return "another sign"
    return f"{instead} for {text}"


def _skips_index(base: str, text: str, instead: str, name_counts: Mapping[str, int]) -> bool:
    """Return whether a name with an index stands in a text once, and none with the index before it, while
    another stands there again."""
    if not (text.isdecimal() and instead.isdecimal()) or int(text) < 2 or text.startswith("0"):
        return False
    once = name_counts.get(f"{base}{text}", 0) == 1
    follows = f"{base}{int(text) - 1}" in name_counts
    return once and not follows and name_counts.get(f"{base}{instead}", 0) > 1


def _name_difference(
    kind: str,
    text: str,
    instead: str,
    many: int,
    names: Mapping[str, int],
    before: tuple[_Token, ...],
    after: tuple[_Token, ...],
) -> str:
    """Return the kind of a difference that is hardly meant; "" for one that may be."""
    if kind in ("number", "index") and not _is_retyped(text, instead):
        return ""
    # a_3 = a_1 and a_3 = a_5 are both said of a sequence.
    if kind == "index" and len(before) + len(after) <= _SHORT:
        return ""
    if kind == "number":
        fraction = text.partition(".")[2]
        if len(fraction) >= _LONG_FRACTION and instead.partition(".")[2] == fraction:
            return "same fraction"
        alone = not after and before[-1].text in RELATIONS and len(text) <= _SHORT_VALUE
        return "" if many > 2 else "value" if alone else "digit"
    if kind == "index" and names.get(f"{before[-1].text}{text}" if before else text, 0) == 1:
        return "new name"
    if many > 2 or (kind == "index" and not any(token.text in RELATIONS for token in before)):
        return ""
    return kind


def _is_retyped(one: str, other: str) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def _count_shared(kind: str, one: str, other: str) -> float:
    """Return how many digits two numbers share."""
    return len(one.replace(".", "").lstrip("0")) - 1 if kind == "number" and len(one) == len(other) else 0


def _contradict(first: RepeatedStatement, second: RepeatedStatement) -> bool:
    """Return whether two statements are said of the same things, and in different sentences."""
    one, other = first.link, second.link
    if not _share_scope(first, second) or one.piece_index == other.piece_index:
        return False
    if _are_in_one_sentence(*((one, other) if one.piece_index < other.piece_index else (other, one))):
        return False
    if other.is_denied_directly or one.is_denied_directly:
        return False
    if one.position.scope.is_quotation or other.position.scope.is_quotation:
        return False
    if other.is_of_other_object or mentions("sign changed", last_sentence(other.words_before)):
        return False
    # (a, b) = 1 and [K, L] = 2 are said of the two that stand in brackets.
    if first.left.label in _PAIRS and first.left != second.left and not free_symbols(first.right):
        return False
    # … and so are [K : L] = 2 and the orders of two numbers, which are small numbers both.
    if _have_small_value(first, second):
        return False
    if one.remarks and other.remarks and one.remarks != other.remarks:
        return False  # "for small x" and "for large x" stand beside them
    if any(mentions("misprint", last_sentence(link.words_before)) for link in (one, other)):
        return False
    return not all(mentions("restricted", " ".join(link.words_after.split()[:1])) for link in (one, other))


def _have_small_value(one: RepeatedStatement, other: RepeatedStatement) -> bool:
    """Return whether two statements say of two things without variables that they are the same small number:
    the degrees of two fields, or a function at two numbers."""
    small = one.right == other.right and one.right.label.isdecimal() and len(one.right.label) == 1
    sides = one.left, other.left
    alike = all(side.label in _OF_THINGS and not _list_variables(side) for side in sides)
    return small and alike and sides[0] != sides[1]


def _list_variables(side: Tree) -> frozenset[str]:
    """List the variables of a term, but for the name of its function."""
    return frozenset[str]().union(
        *map(free_symbols, side.children[1:] if side.label == "call" else side.children)
    )


def _is_bound_by_other(
    one: RepeatedStatement, other: RepeatedStatement, bounds: Sequence[RepeatedStatement]
) -> bool:
    """Return whether two bounds differ in a letter of which a third says how it compares with that of the
    other: r > 1/a and r > 1/b, where a < b."""
    if one.link.relation not in _BOUNDS:
        return False
    names = [free_symbols(each.left) | free_symbols(each.right) for each in (one, other)]
    changed = names[0] ^ names[1]
    return len(changed) == 2 and any(
        changed <= free_symbols(each.left) | free_symbols(each.right) for each in bounds
    )


def _last_words(link: ChainLink, many: int) -> str:
    return " ".join(last_sentence(link.words_before).split()[-many:])


def _are_in_one_sentence(first: ChainLink, second: ChainLink) -> bool:
    """Return whether the second stands in the sentence of the first, with no more formulas between than it
    has."""
    # A task may end without a point before its solution.
    here = second.position.scope
    if here.kind in ("solution", "proof") and not here.reaches(first.position.scope):
        return False
    return second.piece_index - first.piece_index <= 2 * second.words_before.count("§")


def _are_parallel(one: ChainLink, other: ChainLink) -> bool:
    """Return whether the same words lead to both."""
    words = _last_words(one, 2)
    return bool(words) and words == _last_words(other, 2)


def _are_led_by_others(one: ChainLink, other: ChainLink) -> bool:
    """Return whether the same words lead to both with other formulas: `for 1 < t < 3 we get`, and then `for
    3 < t < 5 we get`, or two labels stand before them."""
    if not one.position.is_labelled_as(other.position):
        return True
    words = last_sentence(one.words_before)
    if one.is_labelled and other.is_labelled:
        return words != last_sentence(other.words_before)
    led = "§" in words and words == last_sentence(other.words_before)
    many = words.count("§")
    return led and one.formulas_before[-many:] != other.formulas_before[-many:]


def _write_statement(statement: RepeatedStatement) -> tuple[_Token, ...]:
    left, right, relation = statement.left, statement.right, statement.link.relation
    # `3 = x` and `x = 3` say the same, so the bare side comes first.
    if relation == "=" and (
        (left.children and not right.children and free_symbols(right))
        or (not free_symbols(left) and free_symbols(right))
    ):
        left, right = right, left
    relation = "=" if relation == ":=" else relation
    bounded = _is_bound_on_norm(statement)
    sides = (_write_term(side, is_bounded=bounded) for side in (left, right))
    return (*next(sides), _Token("name", relation), *next(sides))


def _write_term(tree: Tree, *, is_bounded: bool = False) -> Iterator[_Token]:
    """Return the tokens of a term, operators before their parts: signs, numbers, indices of names, names.

    Args:
        tree: The term.
        is_bounded: Whether a bound is given for the size of a sum or difference of letters.
    """
    if tree.label == "*" and len(tree.children) == 2 and tree.children[0].label == "-1":
        yield _NEGATION
        yield from _write_term(tree.children[1])
        return
    if tree.children:
        sign = tree.label in ("+", "-") and len(tree.children) == 2 and not _is_conjugated(tree.children[1])
        yield _Token("sign" if sign else "name", tree.label)
        if len(tree.children) > 2:
            yield _Token("name", f"{len(tree.children)}")
        for part in tree.children:
            for token in _write_term(part):
                # What holds of |x + y| holds of |x - y| too.
                within = tree.label in _EVEN and token.kind == "sign"
                within = within and not (is_bounded or _is_distance(tree))
                yield _Token("name", token.text) if within else token
        return
    if _NUMBER.match(tree.label):
        if tree.label.startswith("-"):
            yield _NEGATION
        yield _Token("number", tree.label.lstrip("-"))
        return
    # The parts of a name: its letters, then what stands below them.
    for at, part in enumerate(_PART.findall(tree.label)):
        if at and part in "+-":
            yield _Token("sign", part)
        else:
            yield _Token("index" if at and part.isdecimal() else "name", part)


def _is_conjugated(summand: Tree) -> bool:
    """Return whether a sum and a difference with a summand are conjugate: a root, or an imaginary number."""
    parts = summand.children if summand.label in ("*", "/") else (summand,)
    return any(
        part.label in ("sqrt", "root", "i") or (part.label == "pow" and "/" in part.list_labels())
        for part in parts
    )


_NEGATION = _Token("name", "neg")


def _iterate_gaps(tokens: tuple[_Token, ...]) -> Iterator[tuple[_Key, str]]:
    """Each place at which a statement may differ from another, with what stands there."""
    yield ("negation", tokens, ()), ""
    for at, token in enumerate(tokens):
        if token is _NEGATION:
            yield ("negation", (*tokens[:at], *tokens[at + 1 :]), ()), "-"
        elif token.kind != "name":
            yield (token.kind, tokens[:at], tokens[at + 1 :]), token.text


def _count_names(written: Iterable[tuple[int, tuple[_Token, ...]]]) -> Mapping[str, int]:
    """In how many formulas each name with an index occurs."""
    pieces_of_names: dict[str, set[int]] = defaultdict(set)
    for piece, tokens in written:
        for one, two in pairwise(tokens):
            if two.kind == "index":
                pieces_of_names[f"{one.text}{two.text}"].add(piece)
    return {name: len(pieces) for name, pieces in pieces_of_names.items()}
