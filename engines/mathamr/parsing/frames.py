"""Frames of PropBank: which there are, which words stand for them, which roles they have.

`assets/mathamr/frames.tsv.gz` holds the rolesets that AMR uses, with their words and roles and no
descriptions; `assets/mathamr/senses.tsv` says, in our own judgement, which sense a word has in mathematics.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engines.core.assets import asset
from engines.core.errors import DataError
from engines.core.files import atomic_writer, read_lines

__all__ = ["Frames", "derive", "frames"]


@dataclass(frozen=True, slots=True)
class Frames:
    """The inventory: `roles` of each roleset (number to function, as in {"0": "PAG"}), `words` the rolesets
    of "lemma/class", the classes being v, n, j and l (a verb and its object: make-use), in the order of their
    numbers; `senses` those chosen by us."""

    roles: Mapping[str, Mapping[str, str]]
    words: Mapping[str, tuple[str, ...]]
    senses: Mapping[str, str]

    def of(self, lemma: str, kind: str) -> str | None:
        """The roleset of a word of class v, n, j or l; None where it has none, "" not being one of them."""
        word = f"{lemma}/{kind}"
        if word in self.senses:
            return self.senses[word] or None
        found = self.words.get(word)
        return found[0] if found else None


@cache
def frames() -> Frames:
    """The inventory that ships."""
    roles: dict[str, Mapping[str, str]] = {}
    words: dict[str, list[str]] = {}
    for _, line in read_lines(asset("mathamr/frames.tsv.gz")):
        name, aliases, functions = line.split("\t")
        roles[name] = {one[0]: one[1:] for one in functions.split()}
        for alias in aliases.split():
            words.setdefault(alias, []).append(name)
    senses = {}
    for number, line in read_lines(path := asset("mathamr/senses.tsv")):
        if line.startswith("#") or not line.strip():
            continue
        word, _, sense = line.partition("\t")
        if sense and sense not in roles:
            raise DataError(f"there is no roleset {sense}", path=path, line=number, code="E317")
        senses[word] = sense
    return Frames(roles, {word: _ordered(word, named) for word, named in words.items()}, senses)


def _ordered(word: str, named: list[str]) -> tuple[str, ...]:
    """A word's rolesets: those called like it first, each group by number."""
    lemma = word.rpartition("/")[0]
    return tuple(sorted(named, key=lambda name: (name[:-3] != lemma, name[-2:])))


def derive(rolesets: Path, out: Path) -> None:
    """Write `frames.tsv.gz` from a table of PropBank's rolesets: roleset, name, aliases, roles, whether AMR
    has it (1), tab-separated with a header."""
    rows = []
    for number, line in read_lines(rolesets):
        if number == 1:
            continue
        name, _, aliases, roles, amr = line.split("\t")
        if amr != "1":
            continue
        kept = [alias.replace("_", "-") for alias in aliases.split() if alias.rpartition("/")[2] in "vnjl"]
        functions = [one.split()[:2] for one in roles.split("; ") if one.startswith("ARG")]
        written = [f"{role.removeprefix('ARG')}{function}" for role, function in functions]
        rows.append("\t".join((name.replace("_", "-"), " ".join(kept), " ".join(written))))
    with atomic_writer(out, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
        packed.write("\n".join(rows).encode() + b"\n")
