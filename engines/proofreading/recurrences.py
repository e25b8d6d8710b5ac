"""Values of a sequence that its recurrence gives: behind `a_1 = 2` and `a_{n+1} = 3a_n + 1` a_2 is 7.

A formula for all members has to begin as the sequence does, and to satisfy its recurrence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engines.core.tree import Tree
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.chains import ChainLink
from engines.proofreading.cue_phrases import read_last_cue
from engines.proofreading.facts import Facts
from engines.proofreading.stated_facts import Fact
from engines.proofreading.stated_values import ValuedStatement
from engines.proofreading.statement_roles import is_concluded
from engines.proofreading.term_properties import WHOLE, free_symbols

_MOST_STEPS = 12
"""So many values are worked out, one from the others."""


@dataclass(slots=True)
class _Recurrence:
    """An equation for a member of a sequence by those before it.

    Attributes:
        name: The name of the sequence.
        variable: The variable in the index.
        shift: What is added to the variable on the left side.
        body: What the member is, with the other members by their indices.
        offsets: What is added to the variable for each member in the body, by that member.
        fact: The equation.
        values: The values that the text states, by their indices, with their equations.
    """

    name: str
    variable: str
    shift: int
    body: Tree
    offsets: Mapping[Tree, int]
    fact: Fact
    values: dict[int, tuple[Tree, Fact]] = field(default_factory=dict)
    used: dict[int, Fact] = field(default_factory=dict)

    @property
    def order(self) -> int:
        """How many members give the next one."""
        return self.shift - min(self.offsets.values())

    def work_out(self, index: int, steps: int = 0) -> Tree | None:
        """Return a member by the recurrence and the values before it; None where these are not known."""
        result = replace_variable(self.body, self.variable, Tree(str(index - self.shift)))
        # Each member on the right is replaced by its value, which may have to be worked out first.
        for member, offset in self.offsets.items():
            value = self._value_at(index - self.shift + offset, steps + 1)
            if value is None:
                return None
            placed = replace_variable(member, self.variable, Tree(str(index - self.shift)))
            result = _replace_term(result, placed, value)
        return None if free_symbols(result) else result

    def _value_at(self, index: int, steps: int) -> Tree | None:
        if index in self.values:
            value, fact = self.values[index]
            self.used[index] = fact
            return value
        return self.work_out(index, steps) if index > min(self.values) and steps < _MOST_STEPS else None


def find_recurrence_value(facts: Facts, link: ChainLink, left: Tree, right: Tree) -> ValuedStatement | None:
    """Return a statement about a member of a sequence with the value that the last recurrence before it gives
    the member; None where its paragraph has none, or not the values that it begins with."""
    name, index = _split_index(left.label) if not left.children else ("", -1)
    supposed = read_last_cue(link.words_before) == "given" and not link.connective and not link.index
    if link.relation != "=" or not name or free_symbols(right) or supposed or link.is_one_of_alternatives:
        return None
    here = [fact for fact in facts.in_scope if fact.position.paragraph == link.position.paragraph]
    recurrence = next(filter(None, (_read_recurrence(fact, name) for fact in reversed(here))), None)
    if recurrence is None or any(fact.alternative for fact in here):
        return None
    for fact in here:
        named, place = _split_index(fact.left.label)
        if named != name or place >= index:
            continue
        # F_1 = F_2 = 1 says that the first member is the second, which is 1.
        stated = next((one for one in here if one.is_value and one.left == fact.right), fact)
        if not stated.is_value:
            continue
        if place in recurrence.values and recurrence.values[place][0] != stated.right:
            return None  # several sequences have this name
        recurrence.values[place] = (stated.right, stated)
    value = recurrence.work_out(index) if recurrence.values else None
    if value is None:
        return None
    return ValuedStatement(value, right, (recurrence.fact, *recurrence.used.values()))


def find_closed_form_value(
    facts: Facts, link: ChainLink, left: Tree, right: Tree, judge: Judge
) -> ValuedStatement | None:
    """Return a formula for the members of a sequence at an index, with the member there: one that the text
    states, where the formula satisfies the recurrence, or that it gives, where the formula begins as the
    sequence does. None where the formula satisfies neither, or no conclusion is drawn."""
    name, _, variable = left.label.partition("_")
    if left.children or link.relation != "=" or free_symbols(right) != {variable} or not is_concluded(link):
        return None
    # "for § " may leave out the first members.
    if link.may_be_one_of_several or any(each.strip() != variable for each in link.restricting_formulas):
        return None
    known = [each for fact in facts.in_scope if (each := _read_recurrence(fact, name)) is not None]
    if len(known) != 1 or any(fact.alternative for fact in facts.in_scope):
        return None
    recurrence = known[0]
    for fact in facts.in_scope:
        named, place = _split_index(fact.left.label)
        if named != name or not fact.is_value:
            continue
        if recurrence.values.get(place, (fact.right,))[0] != fact.right:
            return None  # several sequences have this name
        recurrence.values[place] = (fact.right, fact)
    if len(recurrence.values) < recurrence.order:
        return None

    def work_out(index: Tree) -> Tree:
        return replace_variable(right, variable, index)

    def add_number(number: int) -> Tree:
        return Tree("+", (Tree(recurrence.variable), Tree(str(number))))

    following = recurrence.body
    for member, offset in recurrence.offsets.items():
        following = _replace_term(following, member, work_out(add_number(offset)))
    step = judge.equal(work_out(add_number(recurrence.shift)), following).outcome
    begun = {
        index: judge.equal(work_out(Tree(str(index))), value).outcome
        for index, (value, _) in recurrence.values.items()
    }
    odd = [index for index, outcome in begun.items() if outcome != "equal"]
    if step == "equal":
        index = odd[0] if odd else min(begun)
        value, fact = recurrence.values[index]
        stated = work_out(Tree(str(index))), value, (fact, recurrence.fact)
        return ValuedStatement(*stated, kind="only statement")
    index = max(begun) + 1
    expected = None if odd or step != "different" else recurrence.work_out(index)
    if expected is None:
        return None
    used = (recurrence.fact, *recurrence.used.values())
    return ValuedStatement(work_out(Tree(str(index))), expected, used, kind="only statement")


def _split_index(label: str) -> tuple[str, int]:
    """Return the name and the index of a member as `a_2`; an empty name for other labels."""
    name, _, index = label.partition("_")
    return (name, int(index)) if name and WHOLE.match(index) else ("", -1)


def _read_recurrence(fact: Fact, name: str) -> _Recurrence | None:
    """Read an equation as the recurrence of a sequence; None where it is none."""
    variables = [part for side in (fact.left, fact.right) for part in free_symbols(side) if len(part) == 1]
    for variable in dict.fromkeys(variables):
        first = _find_offset(fact.left, name, variable)
        if first is None:
            continue
        members = {
            node: offset for node in fact.right if (offset := _find_offset(node, name, variable)) is not None
        }
        rest = free_symbols(fact.right) - {variable, f"{name}_{variable}", name, f"{name}("}
        # It gives a member by earlier ones only, and has no other letters than the index.
        if members and all(offset < first for offset in members.values()) and not rest:
            return _Recurrence(name, variable, first, fact.right, members, fact)
    return None


def _find_offset(tree: Tree, name: str, variable: str) -> int | None:
    """Return what is added to the variable in the index of a member: 1 for `a_{n+1}`, 0 for `a_n`."""
    if not tree.children:
        return 0 if tree.label == f"{name}_{variable}" else None
    if tree.label != "call" or len(tree.children) != 2 or tree.children[0].label != name:
        return None
    index = tree.children[1]
    if index == Tree(variable):
        return 0
    if index.label not in ("+", "-") or index.children[0].label != variable:
        return None
    number = index.children[1].label
    return (1 if index.label == "+" else -1) * int(number) if WHOLE.match(number) else None


def _replace_term(tree: Tree, old: Tree, new: Tree) -> Tree:
    if tree == old:
        return new
    return Tree(tree.label, tuple(_replace_term(child, old, new) for child in tree.children))
