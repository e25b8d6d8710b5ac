"""What a text has said so far, and what follows from it: by definitions, substitution and ideal membership.

The functions that it defines are applied, variables are replaced by what they are said to be, and of what is
left `polynomial_consequences` decides.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from operator import is_

from engines.core.tree import ONE, Tree, differentiate
from engines.mathematics.algebra.rational import TooLargeError
from engines.mathematics.judging.names import replace_variable
from engines.proofreading.polynomial_consequences import FactIdeal
from engines.proofreading.scopes import NOWHERE, Position
from engines.proofreading.stated_facts import Fact, Reduced, list_once
from engines.proofreading.term_properties import evaluate_term, free_symbols, has_empty_range

MOST_STEPS = 5
"""A claim that needs more earlier statements does not follow for a reader."""
_INFINITY = Tree("inf")
_NEAR_PARAGRAPHS = 3
"""Behind a definition, so many paragraphs of its scope are about it, if none defines it anew."""
_PARAGRAPHS_OF_EXAMPLE = 6
"""… and so many if its section defines no other of its name."""
_MOST_FACTS = 24
"""Of the statements that share something with a claim, so many of the last are used."""
_MOST_NODES = 400


@dataclass(frozen=True, slots=True)
class Function:
    """A function that the text defines, by `f(x) = …` or `y = …` with one variable more.

    Attributes: once: the text defines it in one way only. once_here: its paragraph does. once_in_section: its
    section does, up to the place at hand. once_in_task: its example or exercise does.
    """

    arguments: tuple[str, ...]
    body: Tree
    fact: Fact
    once: bool = True
    once_here: bool = True
    once_in_section: bool = False
    once_in_task: bool = False

    def is_certain_at(self, position: Position) -> bool:
        """Return whether it is this function at a place, and no other of its name."""
        there = self.fact.position
        behind = position.paragraph - there.paragraph
        near = there.scope is position.scope and 0 <= behind <= _NEAR_PARAGRAPHS
        in_section = there.scope.section is position.scope.section and 0 <= behind <= _PARAGRAPHS_OF_EXAMPLE
        in_task = there.scope.task is not None and there.scope.task is position.scope.task
        return (
            self.once
            or (self.once_here and near)
            or (self.once_in_section and in_section)
            or (self.once_in_task and in_task)
        )


@dataclass(slots=True)
class Facts:
    """The equations of a text so far, and the functions that it defines.

    Attributes: every, defined_functions, bounds: all of the text so far. in_scope, functions, conditions:
    those that hold at the position at hand. renewed: where letters were introduced anew, and the number of
    the last equation before.
    """

    every: list[Fact] = field(default_factory=list)
    defined_functions: dict[str, list[Function]] = field(default_factory=dict)
    bounds: list[tuple[Tree, Position]] = field(default_factory=list)
    position: Position = NOWHERE
    in_scope: list[Fact] = field(default_factory=list)
    functions: dict[str, Function] = field(default_factory=dict)
    conditions: list[Tree] = field(default_factory=list)
    renewed: defaultdict[str, list[tuple[int, Position]]] = field(default_factory=lambda: defaultdict(list))
    _reduced: dict[tuple[Tree, Tree, bool, bool], Reduced | None] = field(default_factory=dict)

    def go_to(self, position: Position) -> None:
        """Move to another place of the text: what was said in a scope that does not reach it is left out."""
        here = self.position
        self.position = position
        if here.scope is position.scope and here.paragraph == position.paragraph:
            return
        self._reduced.clear()
        around = {*position.scope.lineage}
        self.in_scope = [
            fact
            for fact in self.every
            if fact.position.scope in around
            and fact.holds_at(position)
            and not any(self._is_renewed(name, fact) for name in fact.variables)
        ]
        self.conditions = [bound for bound, stated_at in self.bounds if stated_at.scope in around]
        known = (
            (
                name,
                next(
                    (
                        one
                        for one in reversed(several)
                        if one.fact.position.scope in around
                        and one.fact.holds_at(position)
                        and not self._is_renewed(name, one.fact)
                    ),
                    None,
                ),
            )
            for name, several in self.defined_functions.items()
        )
        self.functions = {name: one for name, one in known if one is not None}

    @property
    def last_number(self) -> int:
        """The number of the equation that was said last, -1 for none."""
        return self.every[-1].number if self.every else -1

    def renew(self, names: Iterable[str], position: Position) -> None:
        """Introduce letters anew at a place: what was said of them does not hold any more there."""
        for name in names:
            self.renewed[name].append((self.last_number, position))
            self.renewed[f"{name}("].append((self.last_number, position))
            if not position.scope.reaches(self.position.scope):
                continue
            self.functions.pop(name, None)
            self.in_scope = [
                one for one in self.in_scope if name not in one.variables and f"{name}(" not in one.variables
            ]
            self.conditions = [one for one in self.conditions if name not in free_symbols(one)]
        self._reduced.clear()

    def forget(self, last: int) -> None:
        """Forget the equations that were stated behind one, and what was said before of the names that they
        define.

        Args:
            last: The number of the last equation that is kept.
        """
        defined = {
            name
            for name, several in self.defined_functions.items()
            if several and several[-1].fact.number > last
        }
        for fact in self.every:
            if fact.number > last and not fact.left.children:
                defined.add(fact.left.label)
        self.every = [fact for fact in self.every if fact.number <= last]
        self.in_scope = [fact for fact in self.in_scope if fact.number <= last]
        for name in defined:
            several = self.defined_functions.get(name, [])
            several[:] = [one for one in several if one.fact.number <= last]
        self.renew(sorted(defined), self.position)

    def leave_arguments(self, premise: Tree, other: Tree, argument: int) -> None:
        """Leave what its paragraph concludes from other values of an unknown than a premise: behind `u = 0 ⇒
        x = 1` another x follows from `u = 3`.

        Args:
            premise, other: The sides of the premise.
            argument: The chain of implications that begins with it.
        """
        names = free_symbols(premise) | free_symbols(other)
        if len(names) != 1 or self.was_stated(premise, other):
            return
        others = {
            fact.argument
            for fact in self.in_scope
            if fact.is_premise and fact.argument != argument and fact.variables == names
            if fact.position.paragraph == self.position.paragraph
        }
        reduced = self.reduce_by_facts(premise, other) if others else None
        if reduced is not None and not reduced.same:
            self.in_scope = [fact for fact in self.in_scope if fact.argument not in others]
            self._reduced.clear()

    def _is_renewed(self, name: str, fact: Fact) -> bool:
        return any(
            number >= fact.number and renewed_at.scope.reaches(self.position.scope)
            for number, renewed_at in self.renewed.get(name, ())
        )

    def replace_condition(self, old: Tree) -> None:
        """Drop an inequality, which another case contradicts."""
        self.conditions = [bound for bound in self.conditions if bound != old]
        self.bounds = [
            (bound, stated_at)
            for bound, stated_at in self.bounds
            if bound != old or not stated_at.scope.reaches(self.position.scope)
        ]

    def add_condition(self, statement: Tree) -> None:
        """Keep an inequality; every number is smaller than ∞."""
        if _INFINITY in statement.children:
            return
        self.bounds.append((statement, self.position))
        self.conditions.append(statement)

    def add_fact(
        self,
        left: Tree,
        right: Tree,
        text: str,
        line: int,
        is_certain: bool = True,
        *,
        anew: bool = False,
        is_local: bool = False,
        is_claim: bool = False,
        alternative: bool = False,
        is_supposed: bool = False,
        piece: int = 0,
        argument: int = -1,
        is_premise: bool = False,
    ) -> None:
        """Keep an equation; `f(x) = …` defines f.

        Args:
            anew: it gives a variable a value, and takes those from it that it had.
            is_certain, is_local, is_claim: As `Fact` describes them.
            alternative, is_supposed, piece, argument, is_premise: As `Fact` describes them.
        """
        if len(left) + len(right) > _MOST_NODES:
            return
        self._reduced.clear()
        names = free_symbols(left) | free_symbols(right)
        fact = Fact(
            left,
            right,
            text,
            line,
            self.last_number + 1,
            is_certain,
            names,
            self.position,
            is_local,
            is_claim,
            alternative,
            is_supposed,
            piece,
            argument,
            is_premise,
        )
        if anew and fact.is_value:
            old = [one for one in self.in_scope if one.is_value and one.left == left and one.right != right]
            self.in_scope = [one for one in self.in_scope if one not in old]
            self.every = [one for one in self.every if one not in old]
        for head, body in ((left, right), (right, left)):
            # `d = g(c)` and `f(c) = 0` are values at one point; only what names the argument tells of others.
            if head.label == "call" and free_symbols(body) & {one.label for one in head.children[1:]}:
                name, *arguments = (one.label for one in head.children)
                plain = all(not one.children and free_symbols(one) for one in head.children[1:])
                if plain and len(set(arguments)) == len(arguments) and f"{name}(" not in free_symbols(body):
                    known = self.functions.get(name)
                    if known and free_symbols(known.body) and not body.children:
                        # f(x) = 0 and f(x) = x are equations to be solved, or the second defines it anew.
                        if free_symbols(body):
                            self.functions[name] = replace(
                                known, once=False, once_here=False, once_in_section=False, once_in_task=False
                            )
                        break
                    # In another paragraph, a term in the argument and in other letters defines it anew.
                    anew_here = (
                        known is not None
                        and bool(body.children)
                        and known.fact.position.paragraph != self.position.paragraph
                    )
                    if free_symbols(body) <= {*arguments} or not known or anew_here:
                        self._define_function(name, tuple(arguments), body, fact)
                    elif body != known.body:
                        self.functions[name] = replace(
                            known, once=False, once_here=False, once_in_section=False, once_in_task=False
                        )
                    return
        self._write_by_arguments(left, right, piece)
        known = self.functions.get(left.label)
        later = known and known.fact.position.paragraph != self.position.paragraph
        # Behind Q(x, y) = … another Q = … of a later paragraph is another function.
        if known and later and known.fact.left.children and right.children:
            del self.functions[left.label]
        if (
            not left.children
            and len(free_symbols(left)) == len(free_symbols(right) - free_symbols(left)) == 1
        ):
            self._define_function(left.label, tuple(free_symbols(right)), right, fact)
        if left != right:
            self.in_scope.append(fact)
            self.every.append(fact)

    def _write_by_arguments(self, left: Tree, right: Tree, piece: int) -> None:
        """Take the last form of a function in its chain as what it is, if only that has no other letters than
        its arguments: `S(r) = 2r^2 + 2rh = 2r^2 + 54/r`."""
        for name, known in self.functions.items():
            letters = {*known.arguments}
            in_chain = known.body == left and known.fact.piece == piece
            if in_chain and free_symbols(right) == letters and not free_symbols(left) <= letters:
                self.functions[name] = replace(known, body=right)

    def _define_function(self, name: str, arguments: tuple[str, ...], body: Tree, fact: Fact) -> None:
        known = self.functions.get(name)
        again = known is not None and len(known.arguments) == len(arguments)
        # f(n) = n and f(t) = 0 can be equations to be solved.
        sure = fact.is_certain and bool(body.children and free_symbols(body))
        here = known is not None and again and known.fact.position.paragraph == fact.position.paragraph
        section = fact.position.scope.section
        places = [one.fact.position.scope for one in self.defined_functions.get(name, ())]
        in_section = any(scope.section is section for scope in places)
        task = fact.position.scope.task
        in_task = any(scope.task is task for scope in places)
        self.functions[name] = Function(
            arguments,
            body,
            fact,
            once=sure and not again,
            once_here=sure and not here,
            once_in_section=sure and not in_section,
            once_in_task=sure and not in_task,
        )
        self.defined_functions.setdefault(name, []).append(self.functions[name])

    def has_functional_equation(self, left: Tree, right: Tree) -> bool:
        """Return whether both are values of one function, and the text has an equation between two values of
        it, as for an even or a periodic function."""
        name = left.children[:1]
        return left.label == right.label == "call" and any(
            fact.left.label == fact.right.label == "call"
            and name == right.children[:1] == fact.left.children[:1] == fact.right.children[:1]
            for fact in self.in_scope
        )

    def facts_about(self, names: frozenset[str]) -> list[Fact]:
        """Return the facts that share a variable with these, directly or through others, the last first."""
        wanted, related = set(names), []
        pending = list(reversed(self.in_scope[-4 * _MOST_FACTS :]))
        for _ in range(3):
            more: list[Fact] = []
            rest: list[Fact] = []
            for fact in pending:
                (rest if wanted.isdisjoint(fact.variables) else more).append(fact)
            if not more:
                break
            related += more
            wanted.update(*(fact.variables for fact in more))
            pending = rest
        return sorted(related[:_MOST_FACTS], key=lambda fact: -fact.number)

    def list_equations(self, left: Tree, right: Tree) -> list[tuple[Tree, Tree, Fact]]:
        """List what was said of the terms of a claim: equations, and definitions of functions at the places
        where it takes their values or slopes."""
        names = free_symbols(left) | free_symbols(right)
        found = [(fact.left, fact.right, fact) for fact in self.facts_about(names)]
        sides = [left, right, *(side for one, other, _ in found for side in (one, other))]
        for part in {node for side in sides for node in side if node.children}:
            used: list[Fact] = []
            value: Tree | None = None
            if part.label == "call":
                value = self._value_of_function(part.children[0].label, part.children[1:], used, 1)
            elif part.label == "d" and self._is_own_slope(*part.children):
                value = self.apply_definitions(part, used)
            if used and value is not None and value != part:
                found.append((part, value, used[0]))
        return found

    def _is_own_slope(self, name: Tree, body: Tree) -> bool:
        """Return whether a derivative is by an argument that a function is defined with; dy/dx of a y(t) is
        not."""
        function = body.children[0] if body.label == "call" else body
        known = None if function.children else self.functions.get(function.label)
        return known is not None and name.label in known.arguments

    def is_slope_elsewhere(self, slope: Tree) -> bool:
        """Return whether a derivative, f'(y), is at another letter than the one that f is defined with."""
        known = self.functions.get(slope.children[0].label.rstrip("'")) if slope.label == "call" else None
        return known is not None and slope.children[1:] != tuple(map(Tree, known.arguments))

    def equation_for(self, name: str) -> Fact | None:
        """Return the last equation in one variable alone that is not its value."""
        for fact in reversed(self.in_scope):
            if name in fact.variables:
                sides = self.apply_definitions(fact.left, []), self.apply_definitions(fact.right, [])
                lone = any(
                    not one.children and not free_symbols(other) for one, other in (sides, sides[::-1])
                )
                if free_symbols(sides[0]) | free_symbols(sides[1]) != {name}:
                    return None
                if not lone:
                    return replace(fact, left=sides[0], right=sides[1], variables=frozenset((name,)))
        return None

    def find_contradiction(self, left: Tree, right: Tree, used: Sequence[Fact]) -> bool:
        """Return whether statements contradict each other: a claim that follows from them follows also
        where it is changed."""
        # … as it does where π is 0 by two values of one angle.
        return len(used) > 1 and any(
            self.follows_from(Tree("+", (left, more)), right, used) for more in (ONE, Tree("pi"))
        )

    def follows_from(self, left: Tree, right: Tree, used: Sequence[Fact]) -> bool:
        """Return whether a claim follows from these statements alone."""
        reduced = self.reduce_by_some(left, right, used)
        return reduced is not None and reduced.same

    def reduce_by_some(self, left: Tree, right: Tree, used: Sequence[Fact]) -> Reduced | None:
        """Return the sides of a claim by some statements alone; None where they say nothing of it."""
        kept = self.in_scope, self.functions
        self.in_scope = [fact for fact in self.in_scope if fact in used]
        self.functions = {name: one for name, one in self.functions.items() if one.fact in used}
        reduced = self._by_facts(left, right, certain_only=False, values=True)
        self.in_scope, self.functions = kept
        return reduced

    def was_stated(self, left: Tree, right: Tree) -> bool:
        """Return whether an equation was said as it stands."""
        return any((fact.left, fact.right) == (left, right) for fact in self.in_scope)

    def is_settled(self, names: frozenset[str]) -> bool:
        """Return whether no variable of a claim, or of what bears on it, was said to have two values; those
        that the paragraph at hand gives count before others."""
        values = [fact for fact in self.facts_about(names) if fact.is_value]
        here = {one.left for one in values if one.position.paragraph == self.position.paragraph}
        known: dict[Tree, Tree] = {}
        return all(
            known.setdefault(fact.left, fact.right) == fact.right
            for fact in values
            if fact.left not in here or fact.position.paragraph == self.position.paragraph
        )

    def apply_definitions(self, tree: Tree, used: list[Fact], depth: int = 4) -> Tree:
        """Return a term with the functions that the text defines applied, and their derivatives worked out.

        Args:
            tree: The term.
            used: Receives the definitions that were applied.
            depth: How many definitions may lie inside each other.
        """
        if not tree.children and not tree.label.endswith("'"):
            return tree
        if tree.label == "d":
            name, body = tree.children
            body = self._write_arguments(tree)
            inside = self.apply_definitions(body, used, depth)
            return _differentiate(inside, name.label) or Tree("d", (name, inside))
        if not tree.children:
            return self._value_of_function(tree.label, (), used, depth) or tree
        if tree.label != "call":
            parts = [self.apply_definitions(one, used, depth) for one in tree.children]
            return tree if all(map(is_, parts, tree.children)) else Tree(tree.label, tuple(parts))
        values = tuple(self.apply_definitions(one, used, depth) for one in tree.children[1:])
        return self._value_of_function(tree.children[0].label, values, used, depth) or Tree(
            "call", (tree.children[0], *values)
        )

    def _write_arguments(self, slope: Tree) -> Tree:
        """Return what a derivative is of, with all arguments: a partial one has those by which it is taken,
        in their order."""
        body, names = slope, list[Tree]()
        while body.label == "d":
            names.append(body.children[0])
            body = body.children[1]
        known = self.functions.get(body.children[0].label) if body.label == "call" else None
        if known is None or body.children[1:] != tuple(dict.fromkeys(names)):
            return slope.children[1]
        if not all(name.label in known.arguments for name in names):
            return slope.children[1]
        result = Tree("call", (body.children[0], *map(Tree, known.arguments)))
        for name in reversed(names[1:]):
            result = Tree("d", (name, result))
        return result

    def _value_of_function(
        self, name: str, values: tuple[Tree, ...], used: list[Fact], depth: int
    ) -> Tree | None:
        """Return what a function of the text, or a derivative of it such as f', is at a place."""
        base = self._find_base(name)
        known = self.functions.get(base)
        if known is None or not depth or (len(base) < len(name) and len(known.arguments) > 1):
            return None
        values = values or tuple(map(Tree, known.arguments))
        # P(k, λ_1) = e^{-1}/k! is said of one λ, as the term does not have it.
        if len(values) == len(known.arguments) and any(
            "_" in name and value != Tree(name) and name not in free_symbols(known.body)
            for name, value in zip(known.arguments, values, strict=True)
        ):
            return None
        facts = [known.fact]
        body: Tree | None = self.apply_definitions(known.body, facts, depth - 1)
        if body and len(base) < len(name):
            body = self._insert_dependent_letters(body, known.arguments, facts)
        for _ in name[len(base) :]:
            body = body and _differentiate(body, known.arguments[0])
        if body is None or len(values) != len(known.arguments) or len(body) >= _MOST_NODES:
            return None
        for argument in known.arguments:
            body = replace_variable(body, argument, Tree("_" + argument))
        for argument, value in zip(known.arguments, values, strict=True):
            body = replace_variable(body, "_" + argument, value)
        # |x| has no derivative at 0, where x/|x| has no value.
        if len(body) >= _MOST_NODES or _divides_by_zero(body):
            return None
        used += facts
        return body

    def _insert_dependent_letters(
        self, body: Tree, arguments: Sequence[str], used: list[Fact]
    ) -> Tree | None:
        """Return the body of a function with the terms for letters that the text gives by its argument, as
        the height h = 54/r^2 in S(r) = 2r^2 + 2rh, which is no constant where S is differentiated; None where
        it gives one several terms."""
        for letter in sorted(free_symbols(body) - {*arguments}):
            said = [
                fact
                for fact in self.facts_about(frozenset((letter,)))
                if fact.left.label == letter and {*arguments} & free_symbols(fact.right)
            ]
            if len({fact.right for fact in said}) > 1:
                return None
            if said:
                body = replace_variable(body, letter, said[0].right)
                used.append(said[0])
        return body

    def _find_base(self, name: str) -> str:
        """Return the function of which a derivative is worked out: f for f', or f' itself where the text says
        only what f' is, `f'(x) = 3x^2`."""
        base = name.rstrip("'")
        known = self.functions.get(base)
        if known is not None and not any(each.endswith("(") for each in free_symbols(known.body)):
            return base
        for end in range(len(name), len(base), -1):
            slope = self.functions.get(name[:end])
            # x' = x + 1 is another letter x', and no derivative.
            if slope is not None and slope.fact.left.label == "call":
                return name[:end]
        return base

    def reduce_by_definitions(self, left: Tree, right: Tree) -> Reduced | None:
        """Return the sides of a claim by definitions of functions alone, each of them the only one of its
        function; None where a function is left of which nothing is known."""
        used: list[Fact] = []
        left, right = self.apply_definitions(left, used), self.apply_definitions(right, used)
        once = {known.fact for known in self.functions.values() if known.is_certain_at(self.position)}
        unknown = any(name[-1] in "('" for name in free_symbols(left) | free_symbols(right))
        if not used or unknown or not once.issuperset(used):
            return None
        return Reduced(left, right, list_once(used), left == right)

    def reduce_by_facts(
        self, left: Tree, right: Tree, *, certain_only: bool = False, values: bool = True
    ) -> Reduced | None:
        """Return the sides of a claim by what was said before; None where that says nothing of it.

        Args:
            certain_only: Use only facts that hold in every case.
            values: use also the values of variables; they say nothing of a claim about any.
        """
        key = left, right, certain_only, values
        if key not in self._reduced:
            self._reduced[key] = self._by_facts(*key)
        return self._reduced[key]

    def _by_facts(self, left: Tree, right: Tree, certain_only: bool, values: bool) -> Reduced | None:
        used: list[Fact] = []
        left, right = self.apply_definitions(left, used), self.apply_definitions(right, used)
        names = free_symbols(left) | free_symbols(right)
        facts = [
            fact
            for fact in self.facts_about(names)
            if (fact.is_certain or not certain_only) and (values or not fact.is_value)
        ]
        if not facts and not used:
            return None
        if len(left) + len(right) > _MOST_NODES:
            return None
        left, right, facts = _substitute_variables(left, right, facts, used)
        if left == right:
            return Reduced(left, right, list_once(used), True)
        with suppress(TooLargeError, OverflowError, ZeroDivisionError):
            applied: list[Fact] = []
            sides = [
                (self.apply_definitions(f.left, applied), self.apply_definitions(f.right, applied), f)
                for f in facts
            ]
            sides = [each for each in sides if len(each[0]) + len(each[1]) <= _MOST_NODES]
            return FactIdeal(left, right, sides).reduce_claim(used, applied)
        return Reduced(left, right, list_once(used), False) if used else None


def _divides_by_zero(tree: Tree) -> bool:
    """Return whether a term has a quotient of which the lower side is a number, and this is 0."""
    below = (node.children[1] for node in tree if node.label == "/")
    return any(not free_symbols(each) and evaluate_term(each, {}) == 0 for each in below)


def _differentiate(tree: Tree, name: str) -> Tree | None:
    """Return the derivative of a term; None where it has parts that are not differentiated."""
    try:
        return differentiate(tree, name)
    except (KeyError, ValueError):
        return None


def _substitute_variables(
    left: Tree, right: Tree, facts: list[Fact], used: list[Fact]
) -> tuple[Tree, Tree, list[Fact]]:
    """Return the sides with what variables are said to be inside of functions, `sin(x)` where x = 1."""
    inside = {
        name
        for side in (left, right)
        for node in side
        if node.label not in "+-*/" and not (node.label == "pow" and not free_symbols(node.children[1]))
        for child in node.children
        for name in free_symbols(child)
    }
    # A matrix is no number of which polynomials are made.
    inside |= {fact.left.label for fact in facts if fact.right.label == "matrix"}
    if not inside:
        return left, right, facts
    unchanged = left, right, facts
    done: dict[str, Fact] = {}
    for _ in range(4):
        before = left, right
        for fact in facts:
            for head, body in ((fact.left, fact.right), (fact.right, fact.left)):
                name = head.label
                if (
                    head.children
                    or name not in free_symbols(head)
                    or name in free_symbols(body)
                    or name in done
                ):
                    continue
                if name in free_symbols(left) | free_symbols(right) and len(body) < 60:
                    done[name] = fact
                    left, right = replace_variable(left, name, body), replace_variable(right, name, body)
                    break
        if (left, right) == before or len(left) + len(right) > _MOST_NODES:
            break
    # Both ends of an interval are not one: x = a and x = b are said of them.
    if any(
        has_empty_range(now) and not has_empty_range(was)
        for now, was in ((left, unchanged[0]), (right, unchanged[1]))
    ):
        return unchanged
    used += done.values()
    return left, right, facts
