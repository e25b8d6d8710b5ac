"""Every error code stands in one table, with one meaning, and is used."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from workbench.codes import CODES

ROOT = Path(__file__).resolve().parents[2]


def used() -> dict[str, set[str]]:
    """The codes of the program by the files that raise them."""
    found: dict[str, set[str]] = {}
    for room in ("engines", "workbench", "screens"):
        for path in (ROOT / room).rglob("*.py"):
            if path.name == "codes.py":
                continue
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and re.fullmatch(r"E\d{3}", str(node.value)):
                    found.setdefault(str(node.value), set()).add(path.relative_to(ROOT).as_posix())
    return found


def test_the_table_has_every_code_and_no_other() -> None:
    found = used()
    assert {code: sorted(files) for code, files in found.items() if code not in CODES} == {}
    assert sorted(CODES.keys() - found.keys()) == []


def test_no_two_codes_mean_the_same() -> None:
    assert len(set(CODES.values())) == len(CODES)
    assert list(CODES) == sorted(CODES)


def test_commands_that_messages_and_pages_name_exist() -> None:
    """What follows `mathwb` in a remedy or on a page is a command; docs/commands.md is made of all."""
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]
    known = set(re.findall(r"^#+ mathwb (.+)$", (ROOT / "docs/commands.md").read_text("utf-8"), re.MULTILINE))
    groups = {name.partition(" ")[0] for name in known if " " in name}
    sources = [path for room in ("engines", "workbench", "screens") for path in (ROOT / room).rglob("*.py")]
    unknown = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in (*sources, *pages)
        for match in re.finditer(r"mathwb ([a-z]+) ([a-z][a-z-]+)", path.read_text("utf-8"))
        if match[1] in groups and f"{match[1]} {match[2]}" not in known
    ]
    assert unknown == []
