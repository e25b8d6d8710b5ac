"""Judges of theories of one's own: a finite model, gone through as a whole, or a Python file.

A Python file runs as the user, so it is imported only if it ships, if an installed distribution brings it, or
after the user has trusted exactly its bytes (`mathwb egen theory FILE --trust`). What a configuration, an
archive or a recipe records is the file's hash, never where it is.
"""

from __future__ import annotations

import ast
import json
import operator
import sys
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from functools import lru_cache
from hashlib import sha256
from importlib.abc import InspectLoader
from importlib.util import module_from_spec, spec_from_loader
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engines.core.entry_points import load_entry_points
from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.files import file_error
from engines.core.locks import update
from engines.core.system import asset, home_folder
from engines.core.tree import Tree
from engines.formula.sign_languages import TheorySigns, iterate_names
from engines.mathematics.verification.verdicts import Counterexample, MemberVerdict

GROUP = "mathwb.theories"
"""The group of entry points by which distributions bring theories: each names the path of a TOML file."""
_MOST_VALUES = 256
# A judge evaluates all assignments of values to variables, so their number is limited.
_MOST_ROWS = 2**20
# With more, the operations on constants would be most of the rules.
_MOST_GROUND = 512
_OPERATIONS: Mapping[type[ast.AST], Callable[..., int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
}
_CALLED: Mapping[str, Callable[..., int]] = {"min": min, "max": max}
_SAID = "Write integers, a, b, n (how many values), + - * // % & | ^ ~, min, max and brackets."


class OwnJudge(ABC):
    """Judges terms against a head."""

    reason = ""

    def __init__(self, head: Tree, language: TheorySigns) -> None:
        self.head, self.language = head, language

    def judge_members(self, members: Sequence[Tree | Sequence[str]]) -> list[MemberVerdict]:
        """Judge members, as trees or prefix notation."""
        trees = [one if isinstance(one, Tree) else self.language.from_prefix(one) for one in members]
        return [self.judge_member(tree) for tree in trees]

    @abstractmethod
    def judge_member(self, member: Tree) -> MemberVerdict:
        """Judge a member: equal, or different with what shows it."""


# Finite models


class Model:
    """Values 0, 1, … and for every operator the table of its results."""

    def __init__(self, language: TheorySigns, values: Any, tables: Mapping[str, Any]) -> None:
        """Raise ExpressionError that names the operator whose table is wrong."""
        if type(values) is not int or not 2 <= values <= _MOST_VALUES:
            raise ExpressionError(
                f"model: 'values' is {values!r}", remedy=f"A model has 2 to {_MOST_VALUES} values: 0, 1, 2, …"
            )
        self.language, self.values = language, values
        if unknown := sorted(tables.keys() - language.table.keys()):
            raise ExpressionError(f"model: {unknown[0]!r} is no operator", remedy="Leave it out.")
        self.tables = {
            name: self._read_table(name, sign.arity, tables.get(name))
            for name, sign in language.table.items()
        }

    def _read_table(self, name: str, arity: int, given: Any) -> NDArray[np.int64]:
        shape = (self.values,) * arity
        if given is None:
            what = f"model: {name!r} has no values"
            raise ExpressionError(what, remedy=f'Write {name} = "(a + b) % n", or a table of its results.')
        if isinstance(given, str):
            try:
                formula = ast.parse(given.strip(), mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                what = f"model: {name!r} = {given[:60]} cannot be read"
                raise ExpressionError(what, remedy=_SAID) from None
            positions = product(range(self.values), repeat=arity)
            results: Any = [_worked_out(name, formula, at, self.values) for at in positions]
        else:
            results = given
        try:
            table = np.array(results)
            # Results have to be integers: NumPy would silently cut fractions off, and take
            # truth values for numbers.
            if table.dtype.kind != "i":
                raise ValueError
            table = table.astype(np.int64).reshape(shape)
        except (ValueError, TypeError, OverflowError):
            shown = " × ".join(map(str, shape)) or "one number"
            raise ExpressionError(f"model: the table of {name!r} is not {shown}", remedy=_SAID) from None
        if table.min() < 0 or table.max() >= self.values:
            what = f"model: {name!r} gives {table.min() if table.min() < 0 else table.max()}"
            raise ExpressionError(what, remedy=f"Values are 0 to {self.values - 1}; write … % n.")
        return table

    def evaluate_column(self, tree: Tree, variables: Sequence[str]) -> NDArray[np.int64]:
        """Return the values of a term at every row of the variables' values."""
        rows = self.values ** len(variables)
        stack: list[NDArray[np.int64]] = []
        for node in reversed(list(tree)):
            if node.label in self.tables:
                stack.append(self.tables[node.label][tuple(stack.pop() for _ in node.children)] + 0)
            else:
                step = self.values ** variables.index(node.label)
                stack.append(np.arange(rows) // step % self.values)
        return np.broadcast_to(stack[0], (rows,))

    def name_constants(self) -> dict[int, str]:
        """Return a constant's name for every value that has one."""
        constants: dict[int, str] = {}
        for name, sign in self.language.table.items():
            if not sign.arity:
                constants.setdefault(int(self.tables[name]), name)
        return constants

    def list_ground_equations(self) -> Iterator[tuple[Tree, Tree]]:
        """Yield operations on constants and their results, if there are not too many."""
        named = self.name_constants()
        rows = [
            (name, at)
            for name, sign in self.language.table.items()
            for at in product(sorted(named), repeat=sign.arity)
        ]
        for name, at in rows if len(rows) <= _MOST_GROUND else ():
            result = named.get(int(self.tables[name][at]))
            left = Tree(name, tuple(Tree(named[value]) for value in at))
            if result is not None and left != Tree(result):
                yield left, Tree(result)


def _worked_out(name: str, node: ast.expr, at: tuple[int, ...], values: int) -> int:
    """Return the value of a formula, by going through its parts: only integers and `_OPERATIONS`."""
    known = {"n": values, **dict(zip("ab", at, strict=False))}

    def evaluate_part(part: ast.expr) -> int:
        # A formula of a model is evaluated as a tree of Python, never by `eval`:
        # files come from strangers.
        match part:
            case ast.Constant(value=int(number)) if abs(number) <= _MOST_VALUES**2:
                return int(number)
            case ast.Name(id=variable) if variable in known:
                return known[variable]
            case ast.BinOp(left, op, right) if type(op) in _OPERATIONS:
                return _OPERATIONS[type(op)](evaluate_part(left), evaluate_part(right))
            case ast.UnaryOp(op, operand) if type(op) in _OPERATIONS:
                return _OPERATIONS[type(op)](evaluate_part(operand))
            case ast.Call(func=ast.Name(id=called), args=[first, second]) if called in _CALLED:
                return _CALLED[called](evaluate_part(first), evaluate_part(second))
        raise ExpressionError(f"model: {name!r} = {ast.unparse(node)[:60]} is not arithmetic", remedy=_SAID)

    try:
        return evaluate_part(node)
    except (ZeroDivisionError, RecursionError) as error:
        raise ExpressionError(f"model: {name!r}: {error} for {at}", remedy=_SAID) from None


class ModelJudge(OwnJudge):
    """Goes through every row of a finite model: equal is a proof."""

    def __init__(self, head: Tree, model: Model) -> None:
        super().__init__(head, model.language)
        self.model = model

    def judge_member(self, member: Tree) -> MemberVerdict:
        """Judge a member by all rows of values of its variables."""
        variables = sorted({*iterate_names(self.head, self.language), *iterate_names(member, self.language)})
        rows = self.model.values ** len(variables)
        if rows > _MOST_ROWS:
            what = f"{len(variables)} variables of {self.model.values} values each make {rows:,} rows"
            raise ExpressionError(
                what, remedy=f"At most {_MOST_ROWS:,} are gone through: use fewer variables."
            )
        head, other = (self.model.evaluate_column(tree, variables) for tree in (self.head, member))
        # Columns have one entry for each assignment; the first row that differs is the counterexample.
        apart = np.flatnonzero(head != other)
        if not len(apart):
            return MemberVerdict("equal", 1.0, point_count=rows)
        row = int(apart[0])
        at = tuple(
            # The row number written in base n gives the values of the variables.
            (name, float(row // self.model.values**index % self.model.values))
            for index, name in enumerate(variables)
        )
        left, right = float(head[row]), float(other[row])
        example = Counterexample(at[0][1] if at else 0.0, left, right, right - left, at)
        return MemberVerdict("different", 1.0, point_count=rows, counterexample=example)


# Python files


class JudgeError(ExpressionError):
    """Terms on which a judge fails; what else there is to judge goes on."""

    code = "E222"


class PythonJudge(OwnJudge):
    """Asks `differ(head, member)` of a Python file: None where they are equal, else what shows that they are
    not, in words."""

    def __init__(self, head: Tree, language: TheorySigns, digest: str) -> None:
        super().__init__(head, language)
        self.digest = digest

    def judge_member(self, member: Tree) -> MemberVerdict:
        """Judge a member by the Python file."""
        path, differ = _load_differ(self.digest)
        try:
            with redirect_stdout(sys.stderr):
                said = differ(self.head, member)
            if said is not None and not (isinstance(said, str) and said):
                raise TypeError(f"it returned {said!r:.60}, neither None nor a sentence")
        except EngineError:
            raise
        except (Exception, SystemExit) as error:
            terms = " and ".join(self.language.write_tree(tree) for tree in (self.head, member))
            raise JudgeError(
                f"the judge failed on {terms}: {type(error).__name__}: {error}",
                remedy=f"Fix differ(left, right) in {path}, and trust the file again.",
            ) from error
        if said is None:
            return MemberVerdict("equal", 1.0)
        example = Counterexample(0.0, None, None, said=said[:500])
        return MemberVerdict("different", 1.0, counterexample=example)


class _Verified(InspectLoader):
    """Loads the source that was hashed, not what may stand in the file by then."""

    def __init__(self, source: str) -> None:
        self._source = source

    def get_source(self, _name: str) -> str:
        return self._source


@lru_cache(maxsize=8)
def _load_differ(digest: str) -> tuple[Path, Callable[[Tree, Tree], object]]:
    for path in _iterate_trusted(digest):
        try:
            source = path.read_bytes()
        except OSError:
            continue
        # The bytes that will be executed are compared, so that a change after the check has no effect.
        if sha256(source).hexdigest() == digest:
            break
    else:
        raise EngineError(
            "the judge of this theory is a Python file, which has not been trusted here or has changed since",
            remedy="Read it; then: mathwb egen theory FILE.toml --trust",
            code="E223",
        )
    name = f"mathwb_theory_{digest[:16]}"
    try:
        spec = spec_from_loader(name, _Verified(source.decode()), origin=str(path))
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        # What the judge prints must not get into the output of the program.
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
        result = module.differ
    # The judge is foreign code, which may raise anything.
    except (Exception, SystemExit) as error:
        what = f"the judge cannot be loaded: {type(error).__name__}: {error}"
        remedy = "It has to define differ(left, right): None, or what shows that they are not equal."
        raise DataError(what, path=path, remedy=remedy, code="E222") from error
    return path, result


def _trust_file() -> Path:
    return home_folder("config") / "judges.json"


def _read_trusted(data: bytes) -> dict[str, str]:
    try:
        result = json.loads(data)
    except ValueError:
        return {}
    return result if isinstance(result, dict) else {}


def _iterate_trusted(digest: str) -> Iterator[Path]:
    """Yield the Python files that may be imported, if their bytes have this hash."""
    yield from asset("theories").glob("*.py")
    for path in installed_theories().values():
        with suppress(OSError, ValueError, TypeError, LookupError):
            yield path.parent / tomllib.loads(path.read_text(encoding="utf-8"))["judge"]
    with suppress(OSError, LookupError):
        yield Path(str(_read_trusted(_trust_file().read_bytes())[digest]))


def trust_file(path: Path) -> None:
    """Let the Python file be imported as it is now."""
    try:
        digest = sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise file_error(error, path, "read") from error

    def add_trusted(data: bytes) -> bytes:
        kept = _read_trusted(data)
        # A list that cannot be read is not overwritten, since the trust in other files would be lost.
        if data and not kept:
            what = "the list of trusted judges is corrupt, and would be lost"
            raise DataError(
                what, path=_trust_file(), code="E463", remedy="Fix it, or remove it and trust anew."
            )
        document = {**kept, digest: str(path.absolute())}
        return json.dumps(document, indent=2, ensure_ascii=False).encode() + b"\n"

    update(_trust_file(), add_trusted)
    _load_differ.cache_clear()


def installed_theories() -> dict[str, Path]:
    """Return the theories of installed distributions, by name; one that cannot be loaded is left out."""
    named = load_entry_points(GROUP)
    return {name: Path(file) for name, file in named.items() if isinstance(file, str | Path)}
