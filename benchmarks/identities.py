"""The list of identities that derivations are measured on, and its reader."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from engines.core.errors import DataError
from engines.core.files import read_lines

__all__ = ["LIST", "Identity", "Meant", "read_identities"]

LIST = Path(__file__).with_name("identities.tsv")

Meant = Literal["", "common", "false", "lost"]
"""What the list says of a line; see its head."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A line of the list: two expressions in infix notation and what is said of them."""

    line: int
    family: str
    left: str
    right: str
    meant: Meant

    @property
    def holds(self) -> bool:
        """Whether it is to be derived; otherwise it is to be refused."""
        return self.meant in ("", "common")


def read_identities(path: Path = LIST) -> list[Identity]:
    """The lines of a list. Raises: DataError that names the first line that is none."""
    found = []
    for number, line in read_lines(path):
        text = line.rstrip("\n")
        if text.startswith("#") or not text.strip():
            continue
        family, left, right, *rest = [*text.split("\t"), "", ""]
        meant = rest[0]
        if not right or meant not in get_args(Meant) or any(rest[1:]):
            raise DataError(f"not family, left, right and {get_args(Meant)}", path=path, line=number)
        found.append(Identity(number, family, left, right, meant))
    return found
