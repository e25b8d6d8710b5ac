"""Parsers of English to AMR, and what comes out of them: a graph for every context, with its formulas
counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from engines.core.errors import EngineError
from engines.mathamr.context.placeholders import ids
from engines.mathamr.graph.amr import Graph

__all__ = ["BATCH", "Parsed", "Parser", "Which", "math_for_placeholders", "parsed", "parser"]

Which = Literal["builtin", "amrlib"]
BATCH = 64
"""Contexts that are given to a parser at once."""
_KEPT = re.compile(r'"?(?:eqx(\w+?)(?:eqx|eq|e)?|(\w+?)eqx)"?')
"""Placeholders as parsers return them: whole, or with one end lost."""


class Parser(Protocol):
    """Gives each context its AMR graph, in order; None where it has none."""

    name: str

    def __call__(self, contexts: Sequence[str]) -> Iterator[Graph | None]: ...


@dataclass(frozen=True, slots=True)
class Parsed:
    """A context's graph, never empty; the parser that made it; the formulas that are not in it; and what is
    to be said of it."""

    graph: Graph
    parser: str
    lost: tuple[str, ...]
    warnings: tuple[str, ...] = ()


def parser(
    which: Which, model: Path | None = None, device: str | None = None, labeller: Path | None = None
) -> Parser:
    """A parser by its name. Args: model: the folder of amrlib's. device: cpu, cuda:0 …, None: what there is.
    labeller: of roles, for the built-in parser, instead of the one that ships.

    Raises: EngineError E355 for amrlib without a model, or with a folder that is none.
    """
    if which == "builtin":
        from engines.mathamr.parsing.builtin_parser import Builtin

        return Builtin(labeller)
    if model is None:
        raise EngineError(
            "amrlib needs a model",
            code="E355",
            exit_code=3,
            remedy="Give the folder of a parse_xfm model: --model FOLDER, or once and for all "
            "mathwb config set mathamr.amr_model FOLDER. The built-in parser needs none.",
        )
    from engines.mathamr.parsing.amrlib_parser import Amrlib

    return Amrlib(model, device)


def parsed(contexts: Iterable[str], chosen: Parser) -> Iterator[Parsed]:
    """The graph of each context, in order. Where a parser gives none, the built-in one does, and says so."""
    batch: list[str] = []
    for context in contexts:
        batch.append(context)
        if len(batch) == BATCH:
            yield from _parsed(batch, chosen)
            batch = []
    if batch:
        yield from _parsed(batch, chosen)


def _parsed(contexts: Sequence[str], chosen: Parser) -> Iterator[Parsed]:
    from engines.mathamr.parsing.builtin_parser import is_nothing

    for context, graph in zip(contexts, chosen(contexts), strict=True):
        name = chosen.name
        if graph is None:
            spare = parser("builtin")
            name, graph = spare.name, next(spare([context]))
        assert graph is not None
        kept = {
            match[1] or match[2]
            for node in graph.nodes()
            for text in (node.concept, *(one.target for one in node.branches if isinstance(one.target, str)))
            if (match := _KEPT.fullmatch(text.lower()))
        }
        lost = tuple(one for one in dict.fromkeys(ids(context)) if one.lower() not in kept)
        warnings = []
        if name != chosen.name:
            warnings.append(f"{chosen.name} gave no graph; this is the {name} parser's")
        if is_nothing(graph):
            warnings.append("the text has no word that a graph is made of")
        yield Parsed(graph, name, lost, tuple(warnings))


def math_for_placeholders(graph: Graph) -> None:
    """Put the constant "MATH" for every placeholder of a graph, which is changed."""
    for node in graph.nodes():
        for branch in node.branches:
            if isinstance(branch.target, str) and _KEPT.fullmatch(branch.target.lower()):
                branch.target = '"MATH"'
