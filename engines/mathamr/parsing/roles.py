"""Roles learnt from PropBank's examples: what a dependent means to a frame, by its relation and preposition.

Counts of (roleset, relation, preposition) -> role, and of (relation, preposition) -> function, for rolesets
without an example of it: the function of a numbered role (PAG, PPT, GOL, …), or a modifier's name (LOC,
TMP, …).
"""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from engines.core.assets import asset
from engines.core.files import atomic_writer, read_lines
from engines.language.english import Word
from engines.mathamr.parsing.frames import frames

__all__ = ["Roles", "derive", "introduced", "roles"]

_MODIFIERS: Mapping[str, str] = {
    "LOC": ":location",
    "TMP": ":time",
    "MNR": ":manner",
    "PRP": ":purpose",
    "PNC": ":purpose",
    "CAU": ":cause",
    "GOL": ":destination",
    "DIR": ":direction",
    "COM": ":accompanier",
    "EXT": ":degree",
    "PRD": ":mod",
    "ADV": ":mod",
}
_RELATIONS = (
    "nsubj",
    "nsubj:pass",
    "obj",
    "iobj",
    "obl",
    "nmod",
    "nmod:poss",
    "ccomp",
    "xcomp",
    "advcl",
    "acl",
)
_ENOUGH = 2
"""Examples of a frame itself that outweigh those of all frames."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The counts: `frames` by "roleset relation preposition", `functions` by "relation preposition"."""

    frames: Mapping[str, Mapping[str, int]]
    functions: Mapping[str, Mapping[str, int]]

    def of(self, frame: str, relation: str, preposition: str, taken: Collection[str]) -> str | None:
        """The likeliest role (:ARG2, :location …) that the frame has and that is not taken; None: none known.

        Args: relation: of Universal Dependencies. preposition: or the mark of a clause, "" where there is
        none.
        """
        known = self.frames.get(f"{frame} {relation} {preposition}", {})
        for role, _ in sorted(known.items(), key=lambda item: (-item[1], item[0])):
            found = f":ARG{role}" if role.isdigit() else _MODIFIERS.get(role)
            if found and (found not in taken or not role.isdigit()):
                return found
        numbers = frames().roles.get(frame, {})
        scores: Counter[str] = Counter()
        for function, count in self.functions.get(f"{relation} {preposition}", {}).items():
            for number, own in numbers.items():
                if own == function and f":ARG{number}" not in taken:
                    scores[f":ARG{number}"] += count
            if function.startswith("M-") and function[2:] in _MODIFIERS:
                scores[_MODIFIERS[function[2:]]] += count
        return min(scores, key=lambda role: (-scores[role], role)) if scores else None


def introduced(words: Sequence[Word], number: int) -> str:
    """The preposition or mark of a word, as it is counted."""
    for place, word in enumerate(words):
        if word.head == number and place != number and word.relation in ("case", "mark"):
            return word.lemma.lower()
    return ""


@cache
def roles() -> Roles:
    """The counts that ship."""
    found: dict[str, dict[str, dict[str, int]]] = {"frame": {}, "function": {}}
    for _, line in read_lines(asset("mathamr/roles.tsv.gz")):
        kind, key, counts = line.split("\t")
        found[kind][key] = {
            role: int(count) for role, _, count in (one.partition("=") for one in counts.split())
        }
    return Roles(found["frame"], found["function"])


def derive(examples: Path, rolesets: Path, out: Path) -> dict[str, int]:
    """Write `roles.tsv.gz` from PropBank's examples (JSON Lines: roleset, text, rel, args) and rolesets,
    parsed by the English pipeline. Returns how many arguments there were, and how many depend on their
    predicate."""
    from engines.language.english import analysed

    functions = _functions(rolesets)
    rows = [json.loads(line) for _, line in read_lines(examples)]
    by_frame: dict[str, Counter[str]] = defaultdict(Counter)
    by_function: dict[str, Counter[str]] = defaultdict(Counter)
    seen = used = 0
    parsed = analysed([(word or "_", True) for word in row["text"].split(" ")] for row in rows)
    for row, words in zip(rows, parsed, strict=True):
        frame = row["roleset"].replace("_", "-")
        for role, key in _dependents(row, words):
            seen += 1
            if key is None:
                continue
            used += 1
            name = role.removeprefix("ARGM-").removeprefix("ARG")
            by_frame[f"{frame} {key}"][name] += 1
            function = functions.get(frame, {}).get(name) if name.isdigit() else f"M-{name}"
            if function:
                by_function[key][function] += 1
    lines = [
        f"{kind}\t{key}\t" + " ".join(f"{role}={count}" for role, count in sorted(counts.items()))
        for kind, table, least in (("frame", by_frame, 1), ("function", by_function, _ENOUGH))
        for key, counts in sorted(table.items())
        if counts.total() >= least
    ]
    with atomic_writer(out, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
        packed.write("\n".join(lines).encode() + b"\n")
    return {"arguments": seen, "used": used}


def _functions(rolesets: Path) -> dict[str, dict[str, str]]:
    found = {}
    for number, line in read_lines(rolesets):
        name, _, _, written, _ = line.split("\t")
        pairs = [one.split()[:2] for one in written.split("; ") if number > 1 and one.startswith("ARG")]
        found[name.replace("_", "-")] = {role.removeprefix("ARG"): function for role, function in pairs}
    return found


def _dependents(row: Mapping[str, Any], words: Sequence[Word]) -> list[tuple[str, str | None]]:
    """Each argument's role, and its "relation preposition" where its head hangs on the predicate."""
    found: list[tuple[str, str | None]] = []
    first_of = str(row["rel"]).split()[0]
    predicate = int(first_of) if first_of.isdigit() else len(words)
    for role, first, last in row["args"]:
        key = None
        if predicate < len(words) and last < len(words):
            for place in range(first, last + 1):
                word = words[place]
                if word.head == predicate and place != predicate and word.relation in _RELATIONS:
                    key = f"{word.relation} {introduced(words, place)}"
                    break
        found.append((role, key))
    return found
