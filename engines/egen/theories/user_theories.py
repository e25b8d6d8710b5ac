"""Theories of one's own, from a TOML file: operators and how they are written, rules, and who judges.

What a configuration records of one is its whole text, with the hash of a judge in Python (`judges`): what was
grown under other rules, other signs or another judge is never taken for the same.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from string import ascii_letters
from typing import TYPE_CHECKING, Any, NoReturn

from engines.core.errors import DataError, EngineError, ExpressionError, did_you_mean
from engines.core.expression_language import ARITY, FURTHER
from engines.core.files import file_error
from engines.core.system import asset
from engines.core.tree import Tree
from engines.egen.egraph.analysis import GUARDS
from engines.egen.rules.table import Rule, is_variable, match_pattern, pattern_variables
from engines.egen.theories.judges import Model, ModelJudge, OwnJudge, PythonJudge, installed_theories
from engines.egen.theories.logic import LOGIC
from engines.egen.theories.terms import FreeTerms
from engines.egen.theories.theory import BUILT_IN, Forms, PlainForms, Theory, TheoryChecker
from engines.formula.sign_languages import Place, TheorySign, TheorySigns, ac_key
from engines.mathematics.verification.verdicts import Counterexample, describe_point

if TYPE_CHECKING:
    from engines.formula.reader import Notation
    from engines.mathematics.terms.canonical import Subterms

_PLACES: Mapping[str, tuple[Place, int]] = {
    "infix": ("infix", 2),
    "prefix": ("prefix", 1),
    "postfix": ("postfix", 1),
    "constant": ("constant", 0),
    "function": ("function", 1),
}
_SIGN = {*_PLACES, "arity", "binds", "right", "unicode", "latex", "also"}
_FIELDS = {"name", "example", "operators", "rules", "model", "judge"}
_TAKEN = {*ARITY, *FURTHER, "x", "num", "var", "known", "root", "deg", "clash", "calm", "applied", "math"}
_TAKEN |= {guard.lower() for guard in GUARDS}
_NAME = re.compile(r"[a-z][a-z0-9_]+\Z")
_RULE = re.compile(r"[\w .,()'/-]+\Z")
_EXAMPLE = "See docs/guides/own-theory.md."


class Definition:
    """The definition of a theory, read from its text and checked.

    Raises:
        ExpressionError: With a message that says what is wrong.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        if unknown := sorted(document.keys() - _FIELDS):
            raise _WrongError(
                f"unknown key {unknown[0]!r}", f"There are {', '.join(sorted(_FIELDS))}.", unknown[0]
            )
        self.name = _read_text(document, "name")
        operators = document.get("operators")
        if not isinstance(operators, Mapping) or not operators:
            raise _WrongError(
                "the theory has no operators", 'Write [operators] with plus = {infix = "+", binds = 1}.'
            )
        table = {name: _read_sign(name, row) for name, row in operators.items()}
        _tell_apart(table)
        self.signs = TheorySigns(
            table, self.name, remedy=str(document.get("example", "")) or f"Operators: {', '.join(table)}."
        )
        _read_back(self.signs)
        self.model: Model | None = None
        self.judge = str(document.get("judge", ""))
        given = document.get("model")
        if (given is None) == (not self.judge):
            raise _WrongError(
                "a theory has either a model or a judge",
                'Write [model] with values = 2, or judge = "FILE.py".',
            )
        if given is not None:
            if not isinstance(given, Mapping):
                raise _WrongError(
                    "model is no table", "Write [model] with values = 2 and a line for each operator."
                )
            tables = {name: value for name, value in given.items() if name != "values"}
            self.model = Model(self.signs, given.get("values", 0), tables)
        rows = document.get("rules", [])
        if not isinstance(rows, list):
            raise _WrongError("rules is no list", 'Write rules = [{name = "…", left = "…", right = "…"}].')
        self.equations = [_read_equation(row, self.signs) for row in rows]
        # Rules of the file, and the operations on constants that its model evaluates.
        rules = [rule for one in self.equations for rule in one.rules]
        name_counts = Counter(rule.name for rule in rules)
        if repeated_name := next((name for name, times in name_counts.items() if times > 1), None):
            raise _WrongError(
                f"two rules are named {repeated_name!r}", "Give each a name of its own.", repeated_name
            )
        # Operations on constants are computed from the model, as further rules without variables.
        ground = self.model.list_ground_equations() if self.model else ()
        rules += [
            _make_rule(" ".join(left.list_labels()), left, right, "of constants") for left, right in ground
        ]
        self.rules = tuple(rules)

    @cached_property
    def shapes(self) -> tuple[frozenset[str], frozenset[str], tuple[Tree, ...]]:
        """The operators that commute and those that associate, and what is a shorter term in disguise, by the
        rules."""
        commuting, associating, disguises = set(), set(), []
        for rule in self.rules:
            (op, parts), right = (rule.left.label, rule.left.children), rule.right
            if is_variable(right):
                disguises.append(rule.left)
            if len(parts) != 2 or right.label != op:
                continue
            if right.children == parts[::-1] and all(map(is_variable, parts)):
                commuting.add(op)
            if _is_associativity(rule.left, right) or _is_associativity(right, rule.left):
                associating.add(op)
        return frozenset(commuting), frozenset(associating), tuple(disguises)


def _is_associativity(left: Tree, right: Tree) -> bool:
    """Return whether they are (a ∘ b) ∘ c and a ∘ (b ∘ c)."""
    match left, right:
        case Tree(p, (Tree(q, (a, b)), c)), Tree(r, (d, Tree(s, (e, f)))):
            return (
                p == q == r == s
                and (a, b, c) == (d, e, f)
                and len(pattern_variables(left)) == 3 == len(left) - 2
            )
    return False


class _WrongError(ExpressionError):
    """`about` stands in the line that is wrong."""

    def __init__(self, what: str, remedy: str, *about: str) -> None:
        super().__init__(what, remedy=remedy)
        self.about = about


@dataclass(frozen=True, slots=True)
class Equation:
    """A rule as it is written: its sides as terms, and its directions as rules."""

    name: str
    written: tuple[str, str]
    sides: tuple[Tree, Tree]
    rules: tuple[Rule, ...]


def _read_text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _WrongError(f"{name} is missing, or not text", f'Write {name} = "…".', name)
    return value


def _read_switch(row: Mapping[str, Any], key: str, name: str) -> bool:
    if not isinstance(value := row.get(key, False), bool):
        raise _WrongError(f"{key} of {name!r} is {value!r}", f"Write {key} = true, or leave it out.", name)
    return value


def _read_sign(name: str, row: Any) -> TheorySign:
    if not _NAME.match(name) or name in _TAKEN or name.startswith("subsumed"):
        what = f"{name!r} cannot be an operator's name"
        raise _WrongError(
            what, "Names are words of small letters that no function of numbers has: plus, meet.", name
        )
    # Exactly one key says where the sign is written.
    position_keys = [key for key in _PLACES if isinstance(row, Mapping) and key in row]
    if len(position_keys) != 1 or (unknown := sorted(row.keys() - _SIGN)):
        what = f"the operator {name!r} " + (
            f"has an unknown key {unknown[0]!r}" if len(position_keys) == 1 else "has no place"
        )
        raise _WrongError(
            what,
            f"Write one of {', '.join(_PLACES)} = SIGN, and of {', '.join(sorted(_SIGN - _PLACES.keys()))}.",
            name,
        )
    position, arity = _PLACES[position_keys[0]]
    given = row.get("arity", arity)
    if given not in ((1, 2) if position == "function" else (arity,)):
        what = f"the operator {name!r} is {position_keys[0]}, and its arity is {given!r}"
        raise _WrongError(
            what, f"{position_keys[0]} takes {'1 or 2' if position == 'function' else arity}.", name
        )
    sign = row[position_keys[0]]
    # All spellings are text without characters that the reader needs.
    texts = [sign, row.get("unicode", ""), row.get("latex", ""), *(also := row.get("also", []))]
    if not sign or not all(isinstance(text, str) for text in texts) or not isinstance(also, list):
        raise _WrongError(
            f"the signs of {name!r} are not text", 'Write infix = "+", also = ["plus", "⊕"].', name
        )
    if bad := next((text for text in texts if re.search(r"[\s(),?\"]", text)), None):
        raise _WrongError(
            f"the sign {bad!r} of {name!r} has a blank, bracket, comma or ?", "Choose another sign.", name
        )
    binds = row.get("binds", 1 if position == "infix" else 100)
    if not isinstance(binds, int) or not 0 < binds < 1000:
        raise _WrongError(f"binds of {name!r} is {binds!r}", "The more, the tighter: 1 to 999.", name)
    return TheorySign(
        position,
        sign,
        given,
        binds,
        _read_switch(row, "right", name),
        row.get("unicode", ""),
        row.get("latex", ""),
        tuple(also),
    )


def _tell_apart(table: Mapping[str, TheorySign]) -> None:
    """Refuse a sign of two operators where it says not which is meant: before operands, or behind one."""
    taken: dict[tuple[bool, str], str] = {}
    for name, sign in table.items():
        for spelling in {*sign.spellings, name}:
            other = taken.setdefault((sign.place in ("infix", "postfix"), spelling), name)
            if other != name:
                what = f"the sign {spelling!r} is that of {other!r} and of {name!r}"
                raise _WrongError(what, "Choose another for one of them.", name)


def _read_back(signs: TheorySigns) -> None:
    """Refuse signs that make another term where they stand together, such as ! twice where there is !!."""
    leaf = Tree(next(letter for letter in ascii_letters if signs.is_variable(letter)))
    for (name, sign), (inner, other) in product(signs.table.items(), repeat=2):
        for index in range(sign.arity):
            parts = [leaf] * sign.arity
            parts[index] = Tree(inner, (leaf,) * other.arity)
            tree = Tree(name, tuple(parts))
            for text in (signs.write_tree(tree, how) for how in ("ascii", "unicode", "latex")):
                try:
                    result = signs.read_term(text, "infix")
                except ExpressionError:
                    result = leaf
                if result != tree:
                    what = f"{name!r} of {inner!r} is written {text!r}, which is read otherwise"
                    raise _WrongError(what, "Choose another sign for one of them.", name)


def _read_equation(row: Any, signs: TheorySigns) -> Equation:
    if not isinstance(row, Mapping) or row.keys() - {"name", "left", "right", "both"}:
        raise _WrongError(
            "a rule is no name, left and right", 'Write {name = "…", left = "…", right = "…", both = true}.'
        )
    name = _read_text(row, "name")
    if not _RULE.match(name):
        raise _WrongError(
            f"the name of the rule {name!r} has other signs than letters", "Use letters and blanks.", name
        )
    written = _read_text(row, "left"), _read_text(row, "right")
    sides = []
    for text in written:
        try:
            sides.append(signs.read_term(text))
        except ExpressionError as error:
            raise _WrongError(f"the rule {name!r}: {text!r}: {error.what}", error.remedy, name) from error
    left, right = (_to_pattern(tree, signs) for tree in sides)
    rules = [_make_rule(name, left, right)]
    if _read_switch(row, "both", name):
        rules.append(_make_rule(name + "~", right, left))
    for rule in rules:
        if unbound := sorted({*pattern_variables(rule.right)} - {*pattern_variables(rule.left)}):
            back = rule.name.endswith("~")
            what = f"the rule {name!r}{' backwards' if back else ''}: nothing says what {unbound[0][1:]!r} is"
            remedy = "Leave out both = true." if back else "What is made has to stand in what is matched."
            raise _WrongError(what, remedy, name)
    return Equation(name, written, (sides[0], sides[1]), tuple(rules))


def _to_pattern(tree: Tree, signs: TheorySigns) -> Tree:
    if signs.is_variable(tree.label):
        return Tree("?" + tree.label)
    return Tree(tree.label, tuple(_to_pattern(child, signs) for child in tree.children))


def _make_rule(name: str, left: Tree, right: Tree, family: str = "own") -> Rule:
    return Rule(name, family, left, right, (), ((),), "sound")


# Files and names


def _shipped_theories() -> dict[str, Path]:
    return {path.stem: path for path in sorted(asset("theories").glob("*.toml"))}


def theory_names() -> dict[str, Path]:
    """Return the theories that ship or that installed distributions bring, by name, with their files."""
    return {**installed_theories(), **_shipped_theories()}


def theory_file(name: str) -> Path:
    """Return the file of a theory: a path that ends in .toml, or a known name.

    Raises:
        EngineError: E222.
    """
    if name.endswith(".toml"):
        return Path(name).expanduser().absolute()
    known = _shipped_theories() if name in _shipped_theories() else theory_names()
    if name not in known:
        remedy = (
            did_you_mean(name, (*BUILT_IN, *known))
            or f"There are {', '.join((*BUILT_IN, *known))}; or FILE.toml."
        )
        raise EngineError(f"there is no theory {name[:60]!r}", remedy=remedy, code="E222")
    return known[name]


def _read_document(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        source = path.read_bytes().decode()
        return source, tomllib.loads(source)
    except OSError as error:
        raise file_error(error, path, "read") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        match = re.search(r"line (\d+)", str(error))
        line = int(match[1]) if match else None
        what = f"the theory is not TOML: {error}"
        raise DataError(what, path=path, line=line, code="E222", remedy=_EXAMPLE) from error


def judge_file(path: Path) -> Path | None:
    """Return the Python file that judges the theory of a file, which need not be trusted; None for a
    model.
    """
    source, document = _read_document(path)
    judge = document.get("judge")
    if judge is None:
        return None
    if not isinstance(judge, str) or judge != Path(judge).name or not judge.endswith(".py"):
        remedy = "Name a Python file beside the TOML."
        line = _find_line(source, ["judge"], "")
        raise DataError(f"judge is {judge!r}", path=path, line=line, remedy=remedy, code="E222")
    return path.parent / judge


def read_theory(path: Path) -> str:
    """Return the text of a theory's file, each of its rules checked by its judge.

    Raises:
        DataError: E222 with the line, where the file is no theory or a rule of it does not hold; E223 for a
            judge that has not been trusted.
    """
    source, document = _read_document(path)

    def refuse_theory(error: EngineError, *about: str) -> NoReturn:
        line = _find_line(source, about, "[model]" if error.what.startswith("model: ") else "")
        raise DataError(
            error.what, path=path, line=line, remedy=error.remedy or _EXAMPLE, code="E222"
        ) from error

    if python := judge_file(path):
        try:
            # The digest stands for the judge, so that a theory with a changed judge is another theory.
            document["judge"] = sha256(python.read_bytes()).hexdigest()
        except OSError as error:
            raise file_error(error, python, "read") from error
    text = json.dumps(document, ensure_ascii=False, sort_keys=True, default=str)
    try:
        definition = _define_theory(text)
    except _WrongError as error:
        refuse_theory(error, *error.about)
    except ExpressionError as error:  # of the model
        refuse_theory(error, *re.findall(r"'([a-z0-9_]+)'", error.what)[:1])
    for one in definition.equations:
        try:
            (verdict,) = _make_judge(definition, one.sides[0]).judge_members([one.sides[1]])
        except ExpressionError as error:
            refuse_theory(error, one.name)
        if verdict.counterexample:
            what = f"the rule {one.name!r} does not hold: {tell_counterexample(verdict.counterexample)}"
            refuse_theory(EngineError(what, remedy="Fix it or leave it out."), one.name)
    return text


def _find_line(source: str, about: Sequence[str], below: str) -> int | None:
    """Return the first line that has these words, below the one that has this."""
    met = not below
    for number, line in enumerate(source.split("\n"), 1):
        met = met or below in line
        if met and about and all(re.search(rf"(?<![\w]){re.escape(word)}(?![\w])", line) for word in about):
            return number
    return None


def tell_counterexample(example: Counterexample) -> str:
    """Return a counterexample in words."""
    if example.said:
        return example.said
    point = describe_point(example.x, dict(example.at))
    return f"at {point} the sides are {example.head:g} and {example.member:g}"


_MET: dict[str, TheorySigns] = {"logic": LOGIC}


@lru_cache(maxsize=16)
def _define_theory(text: str) -> Definition:
    definition = Definition(json.loads(text))
    _MET[text] = definition.signs
    return definition


def register_theory(text: str) -> None:
    """Show terms by the signs of this theory, before others whose operators have the same names."""
    signs = Own(text).definition.signs
    _MET.pop(text, None)
    _MET[text] = signs


def show_registered_term(prefix: str) -> tuple[dict[str, Any], Tree]:
    """Return a term in prefix notation with its notations, by the last theory met here that has its
    operators; else it is an s-expression.

    Raises:
        ExpressionError: Where it is neither.
    """
    for signs in tuple(_MET.values())[::-1]:
        if all(token in signs.table or signs.is_variable(token) for token in prefix.split()):
            return signs.to_row(tree := signs.from_prefix(prefix.split())), tree
    tree = FreeTerms().read_term(prefix)
    return FreeTerms().to_row(tree), tree


def _make_judge(definition: Definition, head: Tree) -> OwnJudge:
    if definition.model is not None:
        return ModelJudge(head, definition.model)
    return PythonJudge(head, definition.signs, definition.judge)


@dataclass(frozen=True, slots=True)
class Own(Theory):
    """A theory by its text.

    Raises:
        DataError: For a text that is none.
    """

    text: str

    @property
    def definition(self) -> Definition:
        """The definition; a stored text is read and checked again."""
        try:
            return _define_theory(self.text)
        except (EngineError, ValueError, TypeError, AttributeError) as error:
            what = f"the theory that a configuration records cannot be read: {error}"
            raise DataError(what, remedy="Name the theory's file again.", code="E222") from error

    @property
    def kind(self) -> Hashable:
        """The key of the theory, for caches."""
        return self.text

    @property
    def name(self) -> str:
        """The name of the theory."""
        return self.definition.name

    @property
    def arity(self) -> Mapping[str, int]:
        """The number of operands of each operator."""
        return self.definition.signs.arity

    def list_rules(self) -> tuple[Rule, ...]:
        """Return the rewrite rules."""
        return self.definition.rules

    def make_judge(self, head: Tree, *, seed: int = 0) -> TheoryChecker:
        """Return the judge of terms against a head."""
        del seed  # nothing is drawn
        return _make_judge(self.definition, head)

    def make_forms(self, terms: Subterms, *, direct: bool = False) -> Forms:
        """Return what tells sampled terms apart."""
        del direct
        return _Forms(terms, self.definition)

    def read_term(self, text: str, notation: Notation = "auto", *, head: bool = True) -> Tree:
        """Read a term."""
        del head  # every term can be one
        return self.definition.signs.read_term(text, notation)

    def to_infix(self, tree: Tree) -> str:
        """Return a term in infix notation."""
        return self.definition.signs.write_tree(tree)

    def to_row(self, tree: Tree) -> dict[str, Any]:
        """Return a term in all notations, as a row of JSON."""
        return self.definition.signs.to_row(tree)


@dataclass(frozen=True, slots=True)
class _Forms(PlainForms):
    definition: Definition

    def is_padded(self, number: int) -> bool:
        tree = self.definition.signs.from_prefix(self.terms.tokens_of(number))
        return any(match_pattern(pattern, node, {}) for node in tree for pattern in self.definition.shapes[2])

    def key_of(self, number: int) -> str:
        commuting, associating, _ = self.definition.shapes
        return ac_key(self.definition.signs.from_prefix(self.terms.tokens_of(number)), commuting, associating)
