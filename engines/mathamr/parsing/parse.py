"""AMR graphs of contexts, and of one text everything up to its MathAMR graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.events import Event, Sink, ignore
from engines.core.shown import Shown
from engines.core.spec import Arg
from engines.mathamr.parsing.parsers import Which

_Parser = Annotated[Which, Arg("Which parser to use.")]
_Model = Annotated[
    Path | None,
    Arg("The folder of amrlib's model.", metavar="FOLDER", shown="the setting mathamr.amr_model"),
]
_Device = Annotated[str | None, Arg("Device for amrlib's model.", shown="a GPU if there is one")]
_Labeller = Annotated[
    Path | None,
    Arg(
        "Role labeller for the built-in parser, made by mathamr roles.",
        metavar="FILE",
        shown="the built-in one",
    ),
]


@dataclass(frozen=True, slots=True)
class Amr:
    """Parse contexts to AMR graphs, with each formula as the constant "MATH".

    The built-in parser is approximate: rules over a dependency parse. amrlib's models are better but large;
    give a model's folder with --model.
    """

    file: Annotated[
        Path, Arg('Lines {"topic_id": …, "context": text with placeholders}.', metavar="FILE", option=True)
    ]
    parser: _Parser = "builtin"
    model: _Model = None
    device: _Device = None
    labeller: _Labeller = None
    placeholders: Annotated[bool, Arg('Keep the placeholders instead of "MATH".')] = False


@dataclass(frozen=True, slots=True)
class Parse:
    """Build a text's MathAMR graph: its AMR, with the formulas' operator trees grafted in."""

    text: Annotated[str, Arg("A text with formulas between dollar signs.")]
    parser: _Parser = "builtin"
    model: _Model = None
    device: _Device = None
    labeller: _Labeller = None
    query: Annotated[str | None, Arg("Mark the formula with this id, counting from 1.")] = None


def amr(spec: Amr, *, events: Sink = ignore) -> Iterator[dict[str, Any]]:
    """Rows `{"topic_id", "amr"}`. What a parser could not parse, and what it lost, is warned of.

    Raises: DataError E317 for a row without topic_id or context. EngineError E355 for a model that is none.
    """
    from engines.mathamr.graph.amr import write_graph
    from engines.mathamr.parsing.parsers import math_for_placeholders, parsed, parser
    from engines.mathamr.rows import named_rows

    chosen = parser(spec.parser, spec.model, spec.device, spec.labeller)
    if spec.parser == "amrlib":
        events(Event("log", {"message": f"the graphs are by amrlib's model {spec.model}"}))
    lines = list(named_rows(spec.file, "topic_id", "context", events=events))
    for row, made in zip(lines, parsed((row["context"] for row in lines), chosen), strict=True):
        for warning in made.warnings:
            row.warn(warning)
        if made.lost:
            row.warn(f"the parser lost the formulas {', '.join(made.lost)}")
        if not spec.placeholders:
            math_for_placeholders(made.graph)
        yield {"topic_id": row["topic_id"], "amr": write_graph(made.graph)}


def parse(spec: Parse) -> dict[str, Any]:
    """`{"context", "formulas", "parser", "amr", "mathamr", "linear_mathamr", "lost", "warnings"}`; `lost`
    are the formulas whose placeholder the parser lost, which hang on the root.

    Raises: EngineError E376 for a query that is no formula of the text. E355 for a model that is none.

    >>> found = parse(Parse("Find $x$ such that $x^2=2$."))
    >>> found["formulas"], found["linear_mathamr"]
    ({'1': 'x', '2': 'x^2=2'}, 'find-01 you string-entity x string-entity eq 2 SUP x 2 imperative')
    """
    from engines.formula.parser import operator_tree
    from engines.mathamr.context import marked
    from engines.mathamr.graph.amr import write_graph
    from engines.mathamr.graph.drawing import to_svg
    from engines.mathamr.graph.graft import grafted, linear
    from engines.mathamr.parsing.parsers import parsed, parser

    result = marked(spec.text)
    result.need(spec.query)
    made = next(parsed([result.text], parser(spec.parser, spec.model, spec.device, spec.labeller)))
    warnings = [*result.warnings, *made.warnings]
    if made.parser == "builtin":
        warnings.append("the built-in parser is approximate")
    else:
        warnings.append(f"the graph is by amrlib's model {spec.model}")
    if not result.formulas:
        warnings.append("the text has no formula")
    text = write_graph(made.graph)
    trees = {name: operator_tree(latex) for name, latex in result.formulas.items()}
    for name, tree in trees.items():
        if any(node.label.startswith("E!") for node in tree.walk()):
            warnings.append(f"part of formula {name} could not be parsed")
    whole = grafted(text, trees, query=spec.query)
    if whole.lost:
        warnings.append(f"the parser lost {len(whole.lost)} formulas, which are attached to the root")
    document = {
        "context": result.text,
        "formulas": dict(result.formulas),
        "parser": made.parser,
        "amr": text,
        "mathamr": write_graph(whole.graph),
        "linear_mathamr": linear(whole.graph),
        "lost": list(whole.lost),
        "warnings": warnings,
    }
    rows = [{"formula": name, "latex": latex} for name, latex in result.formulas.items()]
    return Shown(
        document,
        lambda: rows,
        ("formula", "latex"),
        title="; ".join(warnings),
        draw=lambda: to_svg(whole.graph),
    )
