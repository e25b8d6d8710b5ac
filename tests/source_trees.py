"""The sources of the program as syntax trees, for the tests that read them; parsed as seldom as possible."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("engines", "workbench", "screens")


class Import(NamedTuple):
    """An import, and whether it is executed, which those for type checking only are not."""

    node: ast.Import | ast.ImportFrom
    is_executed: bool


class ModuleOutline(NamedTuple):
    """What a module imports and the names that it gives: those of all functions but properties, with their
    lines; and those of public classes, types and functions that stand in no other."""

    file: str
    imports: list[Import]
    functions: list[tuple[int, str]]
    types: set[str]
    public_functions: set[str]


def parse_source(text: str) -> ast.Module:
    """Parse without looking for garbage among the nodes, which takes longer than parsing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(text)
    finally:
        if was_enabled:
            gc.enable()


def read_sources(*words: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the name and the tree of every file of the program in which one of the words stands; without
    words, of every file."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            text = path.read_text("utf-8")
            if not words or any(word in text for word in words):
                yield path.relative_to(ROOT).as_posix(), parse_source(text)


@cache
def outline_modules() -> list[ModuleOutline]:
    """Return the outlines of all modules, for which each is parsed once in a process."""
    return [outline_module(file, tree) for file, tree in read_sources()]


def outline_module(file: str, tree: ast.Module) -> ModuleOutline:
    """Return the outline of one module."""
    statements = list(_walk_statements(tree.body, True))
    imports = [
        Import(node, is_executed)
        for node, is_executed in statements
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    functions = [
        (node.lineno, node.name)
        for node, _ in statements
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_property(node)
    ]
    classes = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    types = {name for name in classes if not name.startswith("_")} | set(
        filter(None, map(_alias_name, tree.body))
    )
    public = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return ModuleOutline(file, imports, functions, types, {one for one in public if not one.startswith("_")})


def _walk_statements(body: list[ast.stmt], is_executed: bool) -> Iterator[tuple[ast.stmt, bool]]:
    """Yield all statements, also those inside others, and whether they are executed."""
    for node in body:
        is_run = is_executed and not (isinstance(node, ast.If) and _is_for_types(node.test))
        yield node, is_run
        for name in ("body", "orelse", "finalbody"):
            yield from _walk_statements(getattr(node, name, []), is_run)
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _walk_statements(part.body, is_run)


def _is_for_types(test: ast.expr) -> bool:
    return any(
        "TYPE_CHECKING" in (getattr(node, "id", ""), getattr(node, "attr", "")) for node in ast.walk(test)
    )


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {ast.unparse(item).rpartition(".")[2] for item in node.decorator_list}
    return bool(names & {"property", "cached_property", "setter", "overload"})


def _alias_name(node: ast.stmt) -> str | None:
    """Return the name that a statement gives to a type, such as `Ints = NDArray[np.int64]`."""
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return None
    name = node.targets[0].id
    is_type = isinstance(node.value, ast.Subscript | ast.BinOp) and name[:1].isupper() and not name.isupper()
    return name if is_type else None
