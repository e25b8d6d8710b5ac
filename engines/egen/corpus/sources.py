"""Where the heads of a corpus come from: the templates, or the user's own expressions, one per line."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import zip_longest
from pathlib import Path
from typing import cast, get_args

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.files import read_lines
from engines.core.tree import Tree
from engines.egen.corpus.templates import Selection, templates
from engines.egen.expressions.language import FUNCTIONS, LETTERS, is_constant_token, prefix
from engines.egen.expressions.notation import check_head, read
from engines.egen.theories.theory import theory_of

__all__ = [
    "BadLine",
    "Head",
    "Source",
    "file_source",
    "open_source",
    "sample",
    "skeleton",
    "source_name",
    "template_source",
]


@dataclass(frozen=True, slots=True)
class Head:
    """An initial expression in generator prefix notation.

    `kind` is a template's kind, `own` or `published`; heads of one `shape` differ in constants, signs and
    function only, or in a d/dx around the whole; `size` counts tokens.
    """

    prefix: str
    kind: str
    shape: str
    size: int


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that is no expression, and why."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class Source:
    """The heads of a corpus in order, each once; `repeated` counts lines that named a head again."""

    name: str
    heads: tuple[Head, ...]
    bad_lines: tuple[BadLine, ...] = ()
    repeated: int = 0

    @property
    def sha256(self) -> str:
        """Of the heads, one per line."""
        return sha256("\n".join(head.prefix for head in self.heads).encode()).hexdigest()


def template_source(selection: Selection = "all") -> Source:
    """The published templates (or a part of them) with the default constants."""
    heads = (Head(prefix(t.tree), t.kind, t.shape, len(t.tree)) for t in templates(selection))
    return _source(selection, heads)


def open_source(name: str, letters: str = LETTERS) -> Source:
    """The templates of that name (`all`, `poly`, `functions`, `derivatives`), or the file of that path.

    Args: letters: other variables than x that a file may have. Raises: EngineError E451 when it is neither;
    see also `file_source`.
    """
    if name in get_args(Selection):
        return template_source(cast(Selection, name))
    return file_source(Path(source_name(name)), letters)


def source_name(name: str) -> str:
    """The name that opens the same source from any folder: a file's is its absolute path.

    Raises: EngineError E451 for what is neither a set of templates nor a file.
    """
    if name in get_args(Selection):
        return name
    path = Path(name).expanduser().absolute()
    if not path.exists():
        raise EngineError(
            f"templates is {name!r}, neither one of {', '.join(get_args(Selection))} nor a file",
            remedy="Give a file with one expression per line, or one of those.",
            code="E451",
            exit_code=2,
        )
    return str(path)


def file_source(path: Path, letters: str = LETTERS) -> Source:
    """The user's own expressions in infix or prefix, one per line; empty lines and `# …` are passed over.

    A line that cannot be read, or holds what no rule speaks of, is kept in `bad_lines` and the rest is done.
    Args: letters: other variables than x. Raises: DataError when the file
    cannot be read as text or when no line of it is an expression.
    """
    heads: list[Head] = []
    bad: list[BadLine] = []

    def refuse(error: DataError) -> None:
        bad.append(BadLine(error.line or 0, error.what))

    for number, line in read_lines(path, on_bad=refuse):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            tree = read(text, letters=letters)
            check_head(tree)
            if unwritten := theory_of("reals", "", tree).unwritten:
                raise ExpressionError(unwritten)
        except ExpressionError as error:
            bad.append(BadLine(number, error.what))
            continue
        heads.append(Head(prefix(tree), "own", skeleton(tree), len(tree)))
    if not heads:
        what = f"none of its {len(bad):,} lines is an expression" if bad else "it holds no expression"
        first = f" Line {bad[0].line}: {bad[0].what}." if bad else ""
        raise DataError(
            what, path=path, remedy=f"Write one per line, like: sin(2*x) + 3.{first}", code="E321"
        )
    return _source(path.name, heads, tuple(bad))


def sample(source: Source, count: int, seed: int) -> Source:
    """So many heads of a source, of its kinds in equal parts as far as there are, in the source's order."""
    draw = random.Random(seed)
    kinds: dict[str, list[int]] = {}
    for number, head in enumerate(source.heads):
        kinds.setdefault(head.kind, []).append(number)
    for numbers in kinds.values():
        draw.shuffle(numbers)
    turns = [number for turn in zip_longest(*kinds.values()) for number in turn if number is not None]
    chosen = tuple(source.heads[number] for number in sorted(turns[:count]))
    return replace(source, name=f"{source.name}, {len(chosen)} of {len(source.heads)}", heads=chosen)


def _source(name: str, heads: Iterable[Head], bad: tuple[BadLine, ...] = ()) -> Source:
    given = list(heads)
    once = {head.prefix: head for head in reversed(given)}
    kept = tuple(once[text] for text in dict.fromkeys(head.prefix for head in given))
    return Source(name, kept, bad, len(given) - len(kept))


def skeleton(tree: Tree) -> str:
    """What is left of an expression without its constants (`c`), signs (`±`, `×`) and function (`f`).

    >>> from engines.egen.expressions.language import read_prefix
    >>> skeleton(read_prefix("d x / sin + x 3 -7")) == skeleton(read_prefix("* 5 ln - x 2"))
    True
    """
    if tree.label == "d":
        return skeleton(tree.children[1])
    parts = [skeleton(child) for child in tree.children]
    if tree.label in ("+", "*", "/", "-"):
        return " ".join(("±" if tree.label in "+-" else "×", *sorted(parts)))
    label = "f" if tree.label in FUNCTIONS else "c" if is_constant_token(tree.label) else tree.label
    return " ".join((label, *parts))
