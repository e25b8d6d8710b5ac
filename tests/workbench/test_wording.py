"""What all errors and warnings say, by code, as `wording.txt` has it; other tests compare codes and fields.

`pytest tests/workbench/test_wording.py --snapshot-update` writes the file anew when words change on purpose.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from engines.core.error_codes import CODES
from tests.source_trees import read_sources

WORDING = Path(__file__).with_name("wording.txt")
WARNINGS = "warnings"
HOLE = "{…}"
"""What stands for a value in a message."""


def read_texts(node: ast.expr | None, values: dict[str, list[ast.expr]]) -> list[str]:
    """Return the texts that an expression may be, with holes for values; `values` are those of its names."""
    match node:
        case ast.Constant(str(text)):
            return [text]
        case ast.JoinedStr(parts):
            return ["".join(str(one.value) if isinstance(one, ast.Constant) else HOLE for one in parts)]
        case ast.IfExp(body=first, orelse=second):
            return read_texts(first, values) + read_texts(second, values)
        case ast.BinOp(first, ast.Add(), second):
            starts, ends = read_texts(first, values) or [HOLE], read_texts(second, values) or [HOLE]
            return [start + end for start in starts for end in ends]
        case ast.Name(name):
            others = {key: value for key, value in values.items() if key != name}
            return [text for value in values.get(name, []) for text in read_texts(value, others)]
    return []


@cache
def read_values(function: ast.AST) -> dict[str, list[ast.expr]]:
    """Return what each name is set to somewhere in a function."""
    values: dict[str, list[ast.expr]] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                names, parts = [target], [node.value]
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    names, parts = target.elts, node.value.elts
                for name, value in zip(names, parts, strict=False):
                    if isinstance(name, ast.Name):
                        values.setdefault(name.id, []).append(value)
    return values


def list_calls(module: ast.Module) -> Iterator[tuple[str, ast.Call, ast.AST]]:
    """Yield the calls of a module, each with the name of what is called and the function around it."""
    waiting: list[tuple[ast.AST, ast.AST]] = [(module, module)]
    while waiting:
        node, function = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            function = node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, node, function
        waiting += [(child, function) for child in ast.iter_child_nodes(node)]


def collect_wording(module: ast.Module) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what the errors and warnings of a module say, with their code, or their class without one; what
    users are advised to do stands after an arrow."""
    for name, call, function in list_calls(module):
        given = {word.arg: word.value for word in call.keywords}
        codes, said, advice = [WARNINGS], None, given.get("remedy")
        if name == "warn" and len(call.args) == 2:
            said = call.args[1]
        elif name.endswith("Error") and call.args and not hasattr(builtins, name):
            codes, said = read_texts(given.get("code"), read_values(function)) or [name], call.args[0]
        if said is not None:
            values = read_values(function)
            texts = read_texts(said, values), [f"→ {text}" for text in read_texts(advice, values)]
            yield from ((code, (*texts[0], *texts[1])) for code in codes)


def write_wording() -> str:
    """Return the document: what a code means, and below it what each of its errors says."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for _, tree in read_sources("Error(", "warn("):
        for heading, texts in collect_wording(tree):
            found.setdefault(heading, set()).add(texts)
    lines = []
    for heading in sorted(found):
        lines.append(f"{heading} {CODES[heading][1]}" if heading in CODES else heading)
        lines += ["    " + "\n    ".join(texts) for texts in sorted(found[heading]) if texts]
    return "\n".join(lines) + "\n"


def test_words_are_read_from_every_form_of_a_call() -> None:
    code = """
def refuse(path, many):
    what = f"{path} is empty" if many else "it is empty"
    warn(events, "it " + what)
    raise DataError(what, remedy="Name " + path, code="E314")
"""
    assert sorted(collect_wording(ast.parse(code))) == [
        ("E314", ("{…} is empty", "it is empty", "→ Name {…}")),
        ("warnings", ("it {…} is empty", "it it is empty")),
    ]


def test_errors_and_warnings_say_what_they_said(request: pytest.FixtureRequest) -> None:
    wording = write_wording()
    if request.config.getoption("update_snapshots"):
        WORDING.write_text(wording, "utf-8")
    assert wording == WORDING.read_text("utf-8")
