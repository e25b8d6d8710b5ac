"""Where the heads of a corpus come from: the templates, or the user's own files."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b, sha256
from itertools import product, zip_longest
from pathlib import Path
from typing import Literal, cast, get_args

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.expression_language import (
    FUNCTIONS,
    LETTERS,
    VARIABLE,
    is_constant_token,
    to_prefix,
    variables_of,
)
from engines.core.rows import read_lines
from engines.core.spec import make_refusal
from engines.core.tree import Tree, parse_prefix
from engines.egen.theories.real_functions import Reals
from engines.egen.theories.registry import theory_of
from engines.egen.theories.theory import Theory
from engines.formula.reader import read_expression
from engines.mathematics.terms.notation import check_head

# The initial expressions of E-Gen: the shapes of its published generator, enumerated.
#
# A shape is written in prefix notation over single letters. `x` and digits stand for themselves, `f` for a
# function and `a b c d e` for constants, each drawn independently. Three marks choose an operator and are
# enumerated: `± u v` is u+v or u−v, `× a u` is a·u or u/a, `÷ a u` is a·u or a/u.

SourceKind = Literal["poly", "function", "poly_d", "function_d"]
HeadSelection = Literal["all", "poly", "functions", "derivatives"]

POLYNOMIAL_SHAPES: dict[str, tuple[str, ...]] = {
    "x": ("x",),
    "x^a": ("pow x a",),
    "x±a": ("± x a",),
    "ax": ("× a x",),
    "x^a±b": ("± pow x a b",),
    "ax^b": ("× a pow x b",),
    "ax±b": ("± × a x b",),
    # The published generator repeats two variants here instead of enumerating four.
    "x^a+bx": ("+ pow x a * b x", "+ pow x a * b x", "- pow x a / x b", "- pow x a / x b"),
    "(ax±b)^c": ("pow ± × a x b c",),
    "ax^b±c": ("± × a pow x b c",),
    "a(x^b±c)": ("× a ± pow x b c",),
    "ax^b±cx": ("± × a pow x b × c x",),
    "a(x^b±cx)": ("× a ± pow x b × c x",),
    "x^a±bx±c": ("± ± pow x a × b x c",),
    "a(bx±c)^d": ("× a pow ± × b x c d",),
    "(ax±b)^c±d": ("± pow ± × a x b c d",),
    "a(x±b)^c±d": ("± × a pow ± x b c d",),
    "a(bx)^c±d": ("± × a pow × b x c d",),
    "a(bx^c±d)": ("× a ± × b pow x c d",),
    "(ax±b)^c±dx": ("± pow ± × a x b c × d x",),
    "a(x±b)^c±dx": ("± × a pow ± x b c × d x",),
    "a(bx)^c±dx": ("± × a pow × b x c × d x",),
    "a(bx^c±dx)": ("× a ± × b pow x c × d x",),
    "a(x^b±cx)±d": ("± × a ± pow x b × c x d",),
    "a(x^b±cx±d)": ("× a ± ± pow x b × c x d",),
    "ax^b±cx±d": ("± ± × a pow x b × c x d",),
    "a(bx±c)^d±e": ("± × a pow ± × b x c d e",),
}
"""27 shapes, 222 variants."""

FUNCTION_SHAPES: dict[str, tuple[str, ...]] = {
    "f(x)": ("f x",),
    "f(x)^2": ("pow f x 2",),
    "f(x±a)": ("f ± x a",),
    "f(ax)": ("f × a x",),
    "f(x±b)^a": ("pow f ± x b a",),
    "f(bx)^a": ("pow f × b x a",),
    "c·f(ax)": ("÷ c f × a x",),
    "c·f(x±a)": ("× c f ± x a",),
    "c·f(x)±a": ("± × c f x a",),
    "f(ax±b)": ("f ± × a x b",),
    "f(ax)±b": ("± f × a x b",),
    "f(x±a)±b": ("± f ± x a b",),
    "c·f(ax)^b": ("÷ c pow f × a x b",),
    "c·f(x±a)^b": ("× c pow f ± x a b",),
    "c·f(x)^b±a": ("± × c pow f x b a",),
    "f(bx±c)^a": ("pow f ± × b x c a",),
    "f(bx)^a±c": ("± pow f × b x a c",),
    "f(x±b)^a±c": ("± pow f ± x b a c",),
    "c·f(ax±b)": ("× c f ± × a x b",),
    "c·f(ax)±b": ("± × c f × a x b",),
    "c·f(x±a)±b": ("± × c f ± x a b",),
    "f(ax±b)±c": ("± f ± × a x b c",),
}
"""22 shapes, 90 variants for each of the 25 functions."""

_SELECTED: dict[HeadSelection, tuple[SourceKind, ...]] = {
    "all": get_args(SourceKind),
    "poly": ("poly",),
    "functions": ("function",),
    "derivatives": ("poly_d", "function_d"),
}
_MARKS: dict[str, tuple[Callable[[Tree, Tree], Tree], ...]] = {
    "±": (lambda u, v: Tree("+", (u, v)), lambda u, v: Tree("-", (u, v))),
    "×": (lambda a, u: Tree("*", (a, u)), lambda a, u: Tree("/", (u, a))),
    "÷": (lambda a, u: Tree("*", (a, u)), lambda a, u: Tree("/", (a, u))),
}
_ARITY = {**dict.fromkeys((*_MARKS, "+", "-", "*", "/", "pow"), 2), "f": 1}


@dataclass(frozen=True, slots=True)
class Template:
    """An initial expression. `shape` is its row of the tables above, the same with and without d/dx; `size`
    counts the tokens of the shape's body, without `d x`, as the published file names do."""

    tree: Tree
    kind: SourceKind
    shape: str
    size: int


def list_templates(
    selection: HeadSelection = "all", *, seed: int = 42, derivative_seed: int = 84
) -> list[Template]:
    """Return the initial expressions: 222 poly, 2,250 functions, and both again as 2,472 derivatives.

    Constants have a fair sign and a magnitude uniform on 2..9. Each depends only on the seed and on its own
    place (kind, function, shape, variant, placeholder), so a selection holds the same expressions as `all`.
    """
    if selection not in _SELECTED:
        remedy = f"Choose one of: {', '.join(_SELECTED)}."
        raise EngineError(f"{selection!r} is not a set of templates", remedy=remedy, code="E450")
    return [
        template
        for kind in _SELECTED[selection]
        for template in _of_kind(kind, derivative_seed if kind.endswith("_d") else seed)
    ]


def _of_kind(kind: SourceKind, seed: int) -> Iterator[Template]:
    table = POLYNOMIAL_SHAPES if kind.startswith("poly") else FUNCTION_SHAPES
    for function in ("",) if table is POLYNOMIAL_SHAPES else FUNCTIONS:
        for shape, patterns in table.items():
            for number, variant in enumerate(v for pattern in patterns for v in _list_variants(pattern)):
                seed_text = f"{seed}|{kind}|{function}|{shape}|{number}"
                body = _fill_template(variant, function, seed_text)
                tree = Tree("d", (Tree("x"), body)) if kind.endswith("_d") else body
                yield Template(tree, kind, shape, len(body))


def _list_variants(pattern: str) -> list[Tree]:
    def list_choices(node: Tree) -> list[Tree]:
        children = list(product(*map(list_choices, node.children)))
        makers = _MARKS.get(node.label, (lambda *operands: Tree(node.label, operands),))
        return [make(*operands) for make in makers for operands in children]

    return list_choices(parse_prefix(pattern.split(), lambda token: _ARITY.get(token, 0)))


def _fill_template(variant: Tree, function: str, location: str) -> Tree:
    if variant.label in "abcde":
        draw = blake2b(f"{location}|{variant.label}".encode(), digest_size=1).digest()[0]
        magnitude = 2 + (draw & 7)
        return Tree(str(-magnitude if draw & 8 else magnitude))
    label = function if variant.label == "f" else variant.label
    return Tree(label, tuple(_fill_template(child, function, location) for child in variant.children))


@dataclass(frozen=True, slots=True)
class SourceHead:
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
    """A line that could not be read, and why."""

    line: int
    what: str


@dataclass(frozen=True, slots=True)
class HeadSource:
    """The heads of a corpus in order, each once; `repeated` counts lines that named a head again."""

    name: str
    heads: tuple[SourceHead, ...]
    bad_lines: tuple[BadLine, ...] = ()
    repeated: int = 0

    @property
    def sha256(self) -> str:
        """The SHA-256 of all heads."""
        return sha256("\n".join(head.prefix for head in self.heads).encode()).hexdigest()


def template_source(selection: HeadSelection = "all") -> HeadSource:
    """Return the published templates (or a part of them) with the default constants."""
    heads = (SourceHead(to_prefix(t.tree), t.kind, t.shape, len(t.tree)) for t in list_templates(selection))
    return _make_source(selection, heads)


def open_source(name: str, letters: str = LETTERS, *, theory: Theory | None = None) -> HeadSource:
    """Return the templates of that name (`all`, `poly`, `functions`, `derivatives`), or the file of that
    path.

    Args:
        letters: Other variables than x that a file may have.
        theory: Of the file, if not real functions.
    """
    if theory is not None and not isinstance(theory, Reals):
        if name in get_args(HeadSelection):
            raise make_refusal(
                "the published templates are of real functions", "E427", "Name a file of terms."
            )
        return file_source(Path(source_name(name)), theory=theory)
    if name in get_args(HeadSelection):
        return template_source(cast(HeadSelection, name))
    return file_source(Path(source_name(name)), letters)


def source_name(name: str) -> str:
    """Return the name that opens the same source from any folder: a file's is its absolute path."""
    if name in get_args(HeadSelection):
        return name
    path = Path(name).expanduser().absolute()
    if not path.exists():
        what = f"templates is {name!r}, not one of {', '.join(get_args(HeadSelection))} and not a file"
        remedy = "Give a file with one expression per line, one of those, or a name from: mathwb data list"
        raise EngineError(what, remedy=remedy, code="E451")
    return str(path)


def file_source(path: Path, letters: str = LETTERS, *, theory: Theory | None = None) -> HeadSource:
    """Return the user's own expressions, one per line, infix, LaTeX or prefix; empty lines and `# …` are
    skipped.

    A line that cannot be read, or holds what no rule speaks of, is kept in `bad_lines` and the rest is done.

    Args:
        letters: Other variables than x.
        theory: As for `open_source`.
    """
    heads: list[SourceHead] = []
    bad: list[BadLine] = []

    def refuse_line(error: DataError) -> None:
        bad.append(BadLine(error.line or 0, error.what))

    for number, line in read_lines(path, on_bad=refuse_line):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            if theory is not None:
                tree = theory.read_term(text)
                shape = " ".join(label if label in theory.arity else "v" for label in tree.list_labels())
                heads.append(SourceHead(to_prefix(tree), "own", shape, len(tree)))
                continue
            tree = read_expression(text, letters=letters)
            # Heads of a corpus must be expressions that the rules can rewrite.
            check_head(tree)
            if strange := sorted(variables_of(tree) - {*VARIABLE + letters}):
                raise ExpressionError(f"{strange[0]!r} is not a variable of a corpus")
            if unwritten := theory_of("reals", "", tree).unwritten:
                raise ExpressionError(unwritten)
        except ExpressionError as error:
            bad.append(BadLine(number, error.what))
            continue
        heads.append(SourceHead(to_prefix(tree), "own", to_skeleton(tree), len(tree)))
    if not heads:
        what = f"none of its {len(bad):,} lines is an expression" if bad else "it holds no expression"
        first = f" Line {bad[0].line}: {bad[0].what}." if bad else ""
        remedy = f"Write one per line, like: sin(2*x) + 3.{first}"
        raise DataError(what, path=path, remedy=remedy, code="E321")
    return _make_source(path.name, heads, tuple(bad))


def sample_heads(source: HeadSource, count: int, seed: int) -> HeadSource:
    """Return a sample of the heads of a source, with its kinds in equal parts as far as possible, in its
    order.
    """
    draw = random.Random(seed)
    kinds: dict[str, list[int]] = {}
    for number, head in enumerate(source.heads):
        kinds.setdefault(head.kind, []).append(number)
    for numbers in kinds.values():
        draw.shuffle(numbers)
    turns = [number for turn in zip_longest(*kinds.values()) for number in turn if number is not None]
    chosen = tuple(source.heads[number] for number in sorted(turns[:count]))
    return replace(source, name=f"{source.name}, {len(chosen)} of {len(source.heads)}", heads=chosen)


def _make_source(name: str, heads: Iterable[SourceHead], bad: tuple[BadLine, ...] = ()) -> HeadSource:
    given = list(heads)
    once = {head.prefix: head for head in reversed(given)}
    kept = tuple(once[text] for text in dict.fromkeys(head.prefix for head in given))
    return HeadSource(name, kept, bad, len(given) - len(kept))


def to_skeleton(tree: Tree) -> str:
    """Return an expression without its constants (`c`), signs (`±`, `×`) and function (`f`).

    >>> from engines.core.expression_language import read_prefix
    >>> to_skeleton(read_prefix("d x / sin + x 3 -7")) == to_skeleton(read_prefix("* 5 ln - x 2"))
    True
    """
    if tree.label == "d":
        return to_skeleton(tree.children[1])
    parts = [to_skeleton(child) for child in tree.children]
    if tree.label in ("+", "*", "/", "-"):
        return " ".join(("±" if tree.label in "+-" else "×", *sorted(parts)))
    label = "f" if tree.label in FUNCTIONS else "c" if is_constant_token(tree.label) else tree.label
    return " ".join((label, *parts))
