"""What two data sets have in common, so that nobody trains on what is measured on.

Expressions and clusters are compared by canonical form (equal up to the order of operands) and as functions
(equal values at the points of the fingerprints, then verified). Texts (word problems, posts) are compared
without case, punctuation and markup, and once more with every number taken for the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from engines.core.errors import DataError, ExpressionError
from engines.core.files import read_lines

__all__ = ["Overlap", "Shared", "overlap"]

EXAMPLES = 20
_TEXT_FIELDS = ("original_text", "text", "body_html", "body", "title", "question")
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"\d+(?:[.,/]\d+)*")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Shared:
    """One way to compare: how many units each side has, how many of A's are in B too, and the first of them,
    as (A's, B's)."""

    what: str
    count_a: int
    count_b: int
    shared: int
    examples: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Overlap:
    """The comparisons that the kind of data allows."""

    kind: str
    found: tuple[Shared, ...]

    @property
    def any(self) -> bool:
        """Whether anything is shared."""
        return any(each.shared for each in self.found)

    def to_dict(self) -> dict[str, Any]:
        """JSON-able."""
        return {"kind": self.kind, "any": self.any, "found": [asdict(each) for each in self.found]}


def overlap(a: Path, b: Path) -> Overlap:
    """Compare two data sets: corpora or files of expressions or clusters, or two files of texts.

    A file of texts has JSON objects with a text, or one text per line. Raises: DataError when a file cannot
    be read, or E323 when one side is expressions and the other texts.
    """
    kinds = [_kind(path) for path in (a, b)]
    if kinds[0] != kinds[1]:
        raise DataError(
            f"this is {kinds[1]} and the other side is {kinds[0]}",
            path=b,
            code="E323",
            remedy="Compare expressions with expressions, and texts with texts.",
        )
    return _texts(a, b) if kinds[0] == "texts" else _expressions(a, b)


def _kind(path: Path) -> str:
    """Texts or expressions, by the first lines that say something."""
    from engines.egen.notation import read

    if path.is_dir():
        return "expressions"
    for _, line in islice(((n, text) for n, text in read_lines(path) if text.strip()), 5):
        if line.lstrip().startswith("{"):
            try:
                return "expressions" if "exprs" in json.loads(line) else "texts"
            except ValueError:
                return "texts"
        try:
            read(line.strip())
        except ExpressionError:
            continue
        return "expressions"
    return "texts"


def _clusters(path: Path) -> list[list[str]]:
    """Clusters of a corpus or a file; of a file of expressions each line is one."""
    from engines.egen.labelled import read_labelled
    from engines.egen.language import prefix
    from engines.egen.notation import read

    if path.is_dir() or next(read_lines(path))[1].lstrip().startswith("{"):
        return read_labelled(path, partial=True, min_size=1, max_length=10**6).clusters
    found = []
    for number, line in read_lines(path):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            found.append([prefix(read(text))])
        except ExpressionError as error:
            raise DataError(error.what, path=path, line=number, remedy=error.remedy, code="E321") from error
    return found


def _expressions(a: Path, b: Path) -> Overlap:
    from engines.egen.canonical import canonical_key

    ours, theirs = _clusters(a), _clusters(b)
    forms = {canonical_key(text.split()): text for texts in theirs for text in texts}
    mine = [text for texts in ours for text in texts]
    found = [(text, forms[key]) for text in mine if (key := canonical_key(text.split())) in forms]
    expressions = Shared(
        "expressions, in canonical form",
        len(mine),
        sum(map(len, theirs)),
        len(found),
        tuple(found[:EXAMPLES]),
    )
    functions = _functions([texts[0] for texts in ours], [texts[0] for texts in theirs])
    return Overlap("expressions", (expressions, functions))


def _functions(ours: list[str], theirs: list[str]) -> Shared:
    """Heads of A that are the same function as a head of B, at least where both are defined."""
    from engines.egen.language import read_prefix
    from engines.egen.merge import fingerprints, look_alike
    from engines.egen.verify import Verifier

    prints_a, prints_b = (fingerprints([text.split() for text in side]) for side in (ours, theirs))
    found = []
    for text, one in zip(ours, prints_a, strict=True):
        for row in look_alike(one, prints_b):
            (verdict,) = Verifier(read_prefix(theirs[row])).check([read_prefix(text)])
            if verdict.outcome in ("equal", "extends", "shrinks"):
                found.append((text, theirs[row]))
                break
    return Shared("clusters, as functions", len(ours), len(theirs), len(found), tuple(found[:EXAMPLES]))


def _texts(a: Path, b: Path) -> Overlap:
    ours, theirs = list(_read_texts(a)), list(_read_texts(b))
    rows = []
    for what, masked in (("texts", False), ("texts, whatever their numbers", True)):
        known = {_plain(text, masked): text for text in theirs}
        found = [(text, known[key]) for text in ours if (key := _plain(text, masked)) in known]
        rows.append(Shared(what, len(ours), len(theirs), len(found), tuple(found[:EXAMPLES])))
    return Overlap("texts", tuple(rows))


def _read_texts(path: Path) -> Iterator[str]:
    for number, line in read_lines(path):
        if not line.strip():
            continue
        if not line.lstrip().startswith("{"):
            yield line.strip()
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise DataError("this is no JSON object", path=path, line=number, code="E321") from error
        parts = [str(row[name]) for name in _TEXT_FIELDS if row.get(name)]
        if not parts:
            raise DataError(
                f"the object has no text: none of {', '.join(_TEXT_FIELDS)}",
                path=path,
                line=number,
                code="E321",
            )
        # A text that is given whole makes the rest superfluous; body and question belong together.
        yield parts[0] if row.get("original_text") or row.get("text") else " ".join(parts)


def _plain(text: str, masked: bool) -> str:
    text = _TAG.sub(" ", text).casefold()
    if masked:
        text = _NUMBER.sub("0", text)
    return " ".join(_WORD.findall(text))
