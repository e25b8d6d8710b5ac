"""What two data sets have in common, so that nobody trains on what is measured on.

Expressions and clusters are compared by canonical form (equal up to the order of operands) and as functions
(equal values at the points of the fingerprints, then verified). Texts (word problems, posts, topics) are
compared by id, word for word without case, punctuation and markup, once more with every number taken for the
same, and nearly.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.rows import json_object, read_lines

# Texts. Both sides are streamed, and only hashes of them are kept (90 bytes a text), so whole collections of
# posts can be compared. Nearly the same means that the sets of runs of four words agree by 80 % (Jaccard).
# Candidates for that come from MinHash bands (8 of 4 rows: of the pairs that agree by 80 % they meet 98 of a
# hundred, by 90 % all but one in 5,000) and are then compared exactly.

EXAMPLES = 20
NEAR = 0.8
_RUN = 4
_BANDS, _ROWS = 8, 4
_CANDIDATES = 8
"""Candidates looked at for each band: a text only has to be found once."""
_EXCERPT = 160
_TAG = re.compile(r"<[^>]*>")
_NUMBER = re.compile(r"\d+(?:[.,/]\d+)*")
# Chinese is written without spaces: each character counts as a word.
_WORD = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")
_NOTHING = 0
"""The key of a text without words, which equals no other."""


class TextUnit(NamedTuple):
    """A text and its id, which is empty if texts have none."""

    id: str
    text: str


TextSide = Callable[[], Iterable[TextUnit]]
HashArray = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Shared:
    """The result of one comparison: units on each side, how many of A's are in B, and the first of them."""

    what: str
    count_a: int
    count_b: int
    shared: int
    examples: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Keys:
    ids: array[int] = field(default_factory=lambda: array("Q"))
    texts: array[int] = field(default_factory=lambda: array("Q"))
    masked: array[int] = field(default_factory=lambda: array("Q"))
    bands: array[int] = field(default_factory=lambda: array("Q"))


def compare_texts(a: TextSide, b: TextSide, *, ids: bool) -> tuple[Shared, ...]:
    """Compare two sides of texts; each is read twice.

    Near duplicates are found by MinHash (Broder, 1997): each band of 4 minima is a key, and texts with a
    common key are compared exactly by the Jaccard index of their runs of four words.

    Args:
        a: Gives the units of A at each call, in the same order.
        b: Gives the units of B.
        ids: Whether ids are compared too.
    """
    # Step 1: the exact comparisons, over hashes alone.
    ours, theirs = _collect_keys(a()), _collect_keys(b())
    same = _shared_rows(ours.texts, theirs.texts)
    rows = {
        **({"ids": _shared_rows(ours.ids, theirs.ids)} if ids else {}),
        "texts": same,
        "texts, ignoring numbers": _shared_rows(ours.masked, theirs.masked),
    }
    # Band keys find candidates; only their texts are read again and compared exactly.
    pairs = _find_candidates(ours, theirs, set(np.flatnonzero(same < 0).tolist()))
    # Step 2: choose what has to be read again: texts to show, and texts to compare exactly.
    examples = {what: np.flatnonzero(partners >= 0)[:EXAMPLES].tolist() for what, partners in rows.items()}
    shown = {(int(row), int(rows[what][row])) for what, shown_rows in examples.items() for row in shown_rows}
    needed_b = {row for candidates_b in pairs.values() for row in candidates_b}
    texts_b, runs_b = _read_again(b, {row for _, row in shown} | needed_b, needed_b)
    texts_a, runs_a = _read_again(a, {row for row, _ in shown} | pairs.keys(), pairs.keys())
    # Step 3: of each open text the nearest candidate, if it is near enough.
    near = same.copy()
    for row, candidates_b in pairs.items():
        best = max(candidates_b, key=lambda other: _estimate_agreement(runs_a[row], runs_b[other]))
        if _estimate_agreement(runs_a[row], runs_b[best]) >= NEAR:
            near[row] = best
    what = f"near-duplicate texts ({NEAR:.0%})"
    rows[what] = near
    # What is the same word for word has been shown above.
    examples[what] = np.flatnonzero((near >= 0) & (same < 0))[:EXAMPLES].tolist()
    # Step 4: the rows of the result, each with its first examples.
    return tuple(
        Shared(
            name,
            len(ours.texts),
            len(theirs.texts),
            int((partners >= 0).sum()),
            tuple((texts_a[row], texts_b[int(partners[row])]) for row in examples[name]),
        )
        for name, partners in rows.items()
    )


def _collect_keys(units: Iterable[TextUnit]) -> _Keys:
    keys = _Keys()
    for identity, text in units:
        keys.ids.append(_hash_text(identity))
        words = _split_words(text)
        keys.texts.append(_hash_text(" ".join(words)))
        keys.masked.append(_hash_text(" ".join(_split_words(text, masked=True))))
        keys.bands.extend(_band_keys(_hash_runs(words)))
    return keys


def _split_words(text: str, *, masked: bool = False) -> list[str]:
    text = _TAG.sub(" ", text).casefold()
    if masked:
        text = _NUMBER.sub("0", text)
    return _WORD.findall(text)


def _hash_text(text: str) -> int:
    # An empty id or text would match every other empty one.
    if not text:
        return _NOTHING
    # Eight bytes: among a hundred million texts the chance of any collision is about 3 in 10,000.
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def _hash_runs(words: list[str]) -> HashArray:
    # Plus one, so that no word has the code 0, which fills up short texts.
    codes = np.array([zlib.crc32(word.encode("utf-8", "replace")) + 1 for word in words], dtype=np.uint64)
    if 0 < len(codes) < _RUN:
        codes = np.concatenate([codes, np.zeros(_RUN - len(codes), dtype=np.uint64)])
    runs = np.zeros(max(len(codes) - _RUN + 1, 0), dtype=np.uint64)
    # A polynomial over the codes of the words, computed for all runs at once; overflow is intended.
    for index in range(_RUN):
        runs = runs * np.uint64(0x9E3779B97F4A7C15) + codes[index : len(codes) - _RUN + 1 + index]
    return np.unique(_mix_bits(runs))


def _mix_bits(values: HashArray) -> HashArray:
    # The finalizer of SplitMix64 (Steele, Lea and Flood, 2014): each bit of the input changes about half of
    # the output.
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _band_keys(runs: HashArray) -> list[int]:
    """Return the keys of a text's bands; texts that agree much share one of them."""
    if not len(runs):
        return [_NOTHING] * _BANDS
    # One salt for each of the 32 hash functions: the minimum over all runs is the MinHash value of that
    # function.
    salts = _mix_bits(np.arange(1, _BANDS * _ROWS + 1, dtype=np.uint64))
    least = _mix_bits(runs[:, None] ^ salts).min(axis=0).reshape(_BANDS, _ROWS)
    keys = np.arange(_BANDS, dtype=np.uint64)
    # The four minima of a band are combined into one key. The band's number is its start, so keys of
    # different bands do not meet.
    for row in range(_ROWS):
        keys = _mix_bits(keys ^ least[:, row])
    result: list[int] = keys.tolist()
    return result


def _shared_rows(ours: array[int], theirs: array[int]) -> NDArray[np.int64]:
    a, b = np.frombuffer(ours, dtype=np.uint64), np.frombuffer(theirs, dtype=np.uint64)
    # Sort their keys once, then find all of ours by binary search.
    order = np.argsort(b, kind="stable")
    positions = np.searchsorted(b[order], a)
    result = np.full(len(a), -1, dtype=np.int64)
    rows = np.flatnonzero((positions < len(b)) & (a != _NOTHING))
    others = order[positions[rows]]
    same = b[others] == a[rows]
    result[rows[same]] = others[same]
    return result


def _find_candidates(ours: _Keys, theirs: _Keys, open_rows: set[int]) -> dict[int, set[int]]:
    """For our rows that are still open: rows of theirs with the same key in some band."""
    a = np.frombuffer(ours.bands, dtype=np.uint64).reshape(-1, _BANDS)
    b = np.frombuffer(theirs.bands, dtype=np.uint64).reshape(-1, _BANDS)
    result: dict[int, set[int]] = {}
    for band in range(_BANDS):
        # The rows with one key lie next to each other in the sorted column, from `left` to `right`.
        order = np.argsort(b[:, band], kind="stable")
        column = b[order, band]
        left, right = (np.searchsorted(column, a[:, band], side=side) for side in ("left", "right"))
        for row in np.flatnonzero((right > left) & (a[:, band] != _NOTHING)).tolist():
            if row in open_rows:
                some = order[left[row] : min(right[row], left[row] + _CANDIDATES)]
                result.setdefault(row, set()).update(some.tolist())
    return result


def _read_again(
    side: TextSide, rows: Iterable[int], compared: Iterable[int]
) -> tuple[Mapping[int, str], Mapping[int, Any]]:
    """Return the excerpts of some rows, and the runs of those that are compared."""
    rows, compared = set(rows), set(compared)
    texts: dict[int, str] = {}
    runs: dict[int, Any] = {}
    if not rows:
        return texts, runs
    # Nothing after the last wanted row has to be read.
    last = max(rows)
    for row, (identity, text) in enumerate(side()):
        if row in rows:
            texts[row] = _make_excerpt(identity, text)
        if row in compared:
            runs[row] = _hash_runs(_split_words(text))
        if row >= last:
            break
    return texts, runs


def _make_excerpt(identity: str, text: str) -> str:
    text = " ".join(text.split())
    text = text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"
    return f"{identity} {text}".strip()


def _estimate_agreement(a: HashArray, b: HashArray) -> float:
    # `_hash_runs` returns unique values, so the sizes are those of sets.
    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common) if common else 0.0


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


def compare_data(a: Path, b: Path) -> Overlap:
    """Compare two data sets: corpora or files of expressions or clusters, or two sides of texts.

    A side of texts is an ARQMath collection (folder or file of posts), a file of topics, a set of problems,
    or a file with a text, or a JSON object with a text, on each line.

    Raises:
        DataError: E326 if one side is expressions and the other texts, and if a file cannot be read.
    """
    # A corpus of problems is a folder with one file of texts.
    a, b = (file if (file := path / "problems.jsonl").is_file() else path for path in (a, b))
    kinds = [_detect_kind(path) for path in (a, b)]
    if ("expressions" in kinds) and kinds[0] != kinds[1]:
        remedy = "Compare expressions with expressions, and texts with texts."
        raise DataError(f"this side has {kinds[1]}, the other {kinds[0]}", path=b, code="E326", remedy=remedy)
    if kinds[0] == "expressions":
        return _compare_expressions(a, b)
    bad = [0, 0]
    sides = [
        _open_side(path, kind, bad, index)
        for index, (path, kind) in enumerate(zip((a, b), kinds, strict=True))
    ]
    posts = kinds == ["posts", "posts"]
    result = compare_texts(*sides, ids=posts)
    return Overlap("posts" if posts else "texts", result, (bad[0], bad[1]))


def _detect_kind(path: Path) -> str:
    """Expressions, posts or texts: by the names in a folder, or a file's first lines that say something."""
    from engines.formula.reader import read_expression

    if path.is_dir():
        return "expressions" if (path / "manifest.json").exists() or not _is_collection(path) else "posts"
    # Five lines suffice to see what a file is; comments and titles may come before the first expression.
    for _, line in islice(((n, text) for n, text in read_lines(path) if text.strip()), 5):
        # A byte order mark may stand in front of XML.
        if line.lstrip("\ufeff ").startswith("<"):
            return "posts"
        if line.lstrip().startswith("{"):
            try:
                row = json_object(line)
            except ValueError:
                return "texts"
            # Clusters of expressions are JSON objects with `exprs`.
            if "exprs" in row:
                return "expressions"
            # Posts have a type: 1 is a question, 2 is an answer.
            post = "body" in row and str(row.get("type")) in ("1", "2")
            return "posts" if post else "texts"
        try:
            read_expression(line.strip())
        except ExpressionError:
            continue
        return "expressions"
    return "texts"


def _is_collection(path: Path) -> bool:
    from engines.forum.folder import ArqmathFolder

    try:
        ArqmathFolder.open(path)
    except EngineError:
        return (path / "arqmath.toml").exists()
    return True


def _read_clusters(path: Path) -> list[list[str]]:
    from engines.core.expression_language import to_prefix
    from engines.egen.models.datasets import read_labelled
    from engines.formula.reader import read_expression

    if path.is_dir() or next(read_lines(path))[1].lstrip().startswith("{"):
        return read_labelled(path, partial=True, min_size=1, max_length=10**6).clusters
    result = []
    for number, line in read_lines(path):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            result.append([to_prefix(read_expression(text))])
        except ExpressionError as error:
            raise DataError(error.what, path=path, line=number, remedy=error.remedy, code="E317") from error
    return result


def _compare_expressions(a: Path, b: Path) -> Overlap:
    from engines.mathematics.terms.canonical import canonical_key

    ours, theirs = _read_clusters(a), _read_clusters(b)
    # One form stands for all equal expressions of the other side.
    forms = {canonical_key(text.split()): text for texts in theirs for text in texts}
    mine = [text for texts in ours for text in texts]
    results = [(text, forms[key]) for text in mine if (key := canonical_key(text.split())) in forms]
    expressions = Shared(
        "expressions, in canonical form",
        len(mine),
        sum(map(len, theirs)),
        len(results),
        tuple(results[:EXAMPLES]),
    )
    functions = _compare_functions([texts[0] for texts in ours], [texts[0] for texts in theirs])
    return Overlap("expressions", (expressions, functions))


def _compare_functions(ours: list[str], theirs: list[str]) -> Shared:
    """Heads of A that are the same function as a head of B, at least where both are defined."""
    from engines.core.expression_language import read_prefix
    from engines.egen.corpus.same_functions import compute_fingerprints, look_alike
    from engines.mathematics.verification.verifier import Verifier

    prints_a, prints_b = (compute_fingerprints([text.split() for text in side]) for side in (ours, theirs))
    results = []
    for text, one in zip(ours, prints_a, strict=True):
        # The fingerprints only propose candidates; the verifier decides.
        for row in look_alike(one, prints_b):
            (verdict,) = Verifier(read_prefix(theirs[row])).judge_members([read_prefix(text)])
            if verdict.outcome in ("equal", "extends", "shrinks"):
                results.append((text, theirs[row]))
                break
    return Shared("clusters, as functions", len(ours), len(theirs), len(results), tuple(results[:EXAMPLES]))


def _open_side(path: Path, kind: str, bad: list[int], index: int) -> TextSide:
    """Give the texts of a path, as often as asked for; counts in `bad` what could not be read."""
    if kind == "texts":
        return lambda: (TextUnit("", text) for text in _read_texts(path))
    return lambda: _read_posts(path, bad, index)


def _read_posts(path: Path, bad: list[int], index: int) -> Iterator[TextUnit]:
    from engines.forum.folder import ArqmathFolder
    from engines.forum.readers import Report, read_posts
    from engines.forum.topics import read_topics

    folder = ArqmathFolder.open(path)
    if folder.posts is None and folder.topics:
        for file in dict.fromkeys(file for files in folder.topics.values() for file in files):
            yield from (TextUnit(topic.id, topic.text) for topic in read_topics(file))
        return
    report = Report()
    for post in read_posts(folder.need_posts(), report):
        yield TextUnit(post.id, post.text)
    bad[index] = report.bad


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
            raise _unreadable_error(str(error), path, number) from error
        parts = [str(row[name]) for name in _TEXT_FIELDS if row.get(name)]
        if not parts:
            raise _unreadable_error("the object has no text", path, number)
        # A text that is given whole makes the rest superfluous; body and question belong together.
        yield parts[0] if row.get("original_text") or row.get("text") else " ".join(parts)


def _unreadable_error(what: str, path: Path, line: int) -> DataError:
    remedy = f"Give each line a text, or a JSON object with one of {', '.join(_TEXT_FIELDS)}."
    return DataError(what, path=path, line=line, code="E317", remedy=remedy)
