"""What two data sets have in common, so that nobody trains on what is measured on.

Expressions and clusters are compared by canonical form (equal up to the order of operands) and as functions
(equal values at the points of the fingerprints, then verified). Texts (word problems, posts, topics) are
compared without case, punctuation and markup, once more with every number taken for the same, and by how
much they agree; posts by their ids too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.files import json_object, read_lines
from workbench.text_overlap import EXAMPLES, Shared, Side, Unit, compare_texts

_TEXT_FIELDS = ("original_text", "text", "body_text", "body_html", "title", "body", "question")


@dataclass(frozen=True, slots=True)
class Overlap:
    """The comparisons that the kind of data allows; `bad` rows of A and of B could not be read."""

    kind: str
    found: tuple[Shared, ...]
    bad: tuple[int, int] = (0, 0)

    @property
    def any(self) -> bool:
        """Whether anything is shared."""
        return any(each.shared for each in self.found)


def overlap(a: Path, b: Path) -> Overlap:
    """Compare two data sets: corpora or files of expressions or clusters, or two sides of texts.

    A side of texts is an ARQMath collection (folder or file of posts), a file of topics, or a file with a
    JSON object with a text, or a text, on each line. Raises: DataError when a file cannot be read, or E326
    when one side is expressions and the other texts.
    """
    kinds = [_kind(path) for path in (a, b)]
    if ("expressions" in kinds) and kinds[0] != kinds[1]:
        raise DataError(
            f"this is {kinds[1]} and the other side is {kinds[0]}",
            path=b,
            code="E326",
            remedy="Compare expressions with expressions, and texts with texts.",
        )
    if kinds[0] == "expressions":
        return _expressions(a, b)
    bad = [0, 0]
    sides = [
        _side(path, kind, bad, place) for place, (path, kind) in enumerate(zip((a, b), kinds, strict=True))
    ]
    posts = kinds == ["posts", "posts"]
    found = compare_texts(*sides, ids=posts)
    return Overlap("posts" if posts else "texts", found, (bad[0], bad[1]))


def _kind(path: Path) -> str:
    """Expressions, posts or texts: by the names in a folder, or a file's first lines that say something."""
    from engines.egen.expressions.notation import read

    if path.is_dir():
        return "expressions" if (path / "manifest.json").exists() or not _collection(path) else "posts"
    for _, line in islice(((n, text) for n, text in read_lines(path) if text.strip()), 5):
        if line.lstrip("\ufeff ").startswith("<"):
            return "posts"
        if line.lstrip().startswith("{"):
            try:
                row = json_object(line)
            except ValueError:
                return "texts"
            if "exprs" in row:
                return "expressions"
            post = "body" in row and str(row.get("type")) in ("1", "2")
            return "posts" if post else "texts"
        try:
            read(line.strip())
        except ExpressionError:
            continue
        return "expressions"
    return "texts"


def _collection(path: Path) -> bool:
    from engines.forum.folder import ArqmathFolder

    try:
        ArqmathFolder.open(path)
    except EngineError:
        return (path / "arqmath.toml").exists()
    return True


def _clusters(path: Path) -> list[list[str]]:
    """Clusters of a corpus or a file; of a file of expressions each line is one."""
    from engines.egen.expressions.language import prefix
    from engines.egen.expressions.notation import read
    from engines.egen.models.datasets import read_labelled

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
            raise DataError(error.what, path=path, line=number, remedy=error.remedy, code="E317") from error
    return found


def _expressions(a: Path, b: Path) -> Overlap:
    from engines.egen.expressions.forms import canonical_key

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
    from engines.egen.corpus.assemble import fingerprints, look_alike
    from engines.egen.expressions.language import read_prefix
    from engines.egen.verification.verify import Verifier

    prints_a, prints_b = (fingerprints([text.split() for text in side]) for side in (ours, theirs))
    found = []
    for text, one in zip(ours, prints_a, strict=True):
        for row in look_alike(one, prints_b):
            (verdict,) = Verifier(read_prefix(theirs[row])).check([read_prefix(text)])
            if verdict.outcome in ("equal", "extends", "shrinks"):
                found.append((text, theirs[row]))
                break
    return Shared("clusters, as functions", len(ours), len(theirs), len(found), tuple(found[:EXAMPLES]))


def _side(path: Path, kind: str, bad: list[int], place: int) -> Side:
    """Gives the texts of a path, as often as asked for; counts in `bad` what could not be read."""
    if kind == "texts":
        return lambda: (Unit("", text) for text in _read_texts(path))
    return lambda: _read_posts(path, bad, place)


def _read_posts(path: Path, bad: list[int], place: int) -> Iterator[Unit]:
    """Posts, or topics where there are no posts."""
    from engines.forum.folder import ArqmathFolder
    from engines.forum.readers import Report, read_posts
    from engines.forum.topics import read_topics

    folder = ArqmathFolder.open(path)
    if folder.posts is None and folder.topics:
        for file in dict.fromkeys(file for files in folder.topics.values() for file in files):
            yield from (Unit(topic.id, topic.text) for topic in read_topics(file))
        return
    report = Report()
    for post in read_posts(folder.need_posts(), report):
        yield Unit(post.id, post.text)
    bad[place] = report.bad


def _read_texts(path: Path) -> Iterator[str]:
    for number, line in read_lines(path):
        if not line.strip():
            continue
        if not line.lstrip().startswith("{"):
            yield line.strip()
            continue
        try:
            row = json_object(line)
        except ValueError as error:
            raise _bad(str(error), path, number) from error
        parts = [str(row[name]) for name in _TEXT_FIELDS if row.get(name)]
        if not parts:
            raise _bad("the object has no text", path, number)
        # A text that is given whole makes the rest superfluous; body and question belong together.
        yield parts[0] if row.get("original_text") or row.get("text") else " ".join(parts)


def _bad(what: str, path: Path, line: int) -> DataError:
    remedy = f"Give each line a text, or a JSON object with one of {', '.join(_TEXT_FIELDS)}."
    return DataError(what, path=path, line=line, code="E317", remedy=remedy)
