"""MathAMR's results as rows, and as lines for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from workbench.operations import ResultDocument
from workbench.tables import Column, HintLine, TableSpec, align_rows, filter_columns, format_interval

if TYPE_CHECKING:
    from engines.mathamr.graph.comparison import CompareGraphs
    from engines.mathamr.parsing.parsers import Parse
    from engines.mathamr.trees import ParseOpt


def _formula_text(row: ResultDocument) -> str:
    from engines.formula.unicode import unicode_text

    return unicode_text(row["latex"])


def topic_row(topic: ResultDocument, _found: object = None) -> dict[str, Any]:
    """Make the row of a topic."""
    graph = "yes" if topic["graph"] else "no"
    row = {**topic, "topic": topic["id"], "judged": sum(topic["judged"]), "graph": graph}
    return {**row, "formula": _formula_text(topic)}


def _describe_verdict(hit: ResultDocument) -> str:
    """Return what was judged of a hit: `x → n, equal if x > 0`."""
    names = [f"{old} → {new}" for old, new in hit.get("renaming", {}).items()]
    said = " ".join(filter(None, [hit.get("verdict", ""), hit.get("condition", "")]))
    return ", ".join([*names, said]) if said else ""


def _describe_parts(hit: ResultDocument) -> str:
    if "verdict" in hit:
        return _describe_verdict(hit)
    if "bound" in hit:
        return ", ".join(
            f"?{name} = {_formula_text({'latex': latex})}" for name, latex in hit["bound"].items()
        )
    shown = hit["parts"][:2]
    return ", ".join(
        _formula_text({"latex": part["query"]}) + ("" if part["exact"] else " (other letters)")
        for part in shown
    )


def _describe_bindings(hit: ResultDocument) -> str:
    return _describe_parts(hit) if "bound" in hit else ""


def _shown_sentence(hit: ResultDocument) -> str:
    """Return a sentence in plain letters, on one line, at most what fits beside the formula."""
    from engines.formula.unicode import render_text

    text = " ".join(render_text(hit["sentence"]).split())
    return text if len(text) <= _SENTENCE else f"{text[: _SENTENCE - 1]}…"


_SENTENCE = 100
_RANK = Column("rank", "", 4, "right")
_SCORE = Column("score", "score", 5, "right", format=".4f")
_FORMULA = Column("formula", "formula", 8, on="text csv tex")

TOPICS = TableSpec(
    (
        Column("topic", "topic", 6),
        Column("nodes", "nodes", 5, "right", drop=2),
        Column("judged", "judged", 6, "right", unit="formulas", drop=3),
        Column("graph", "graph", 5, format=lambda row: row["graph"].removeprefix("no"), drop=1),
        Column("formula", "formula", on="screen text"),
        *filter_columns("latex title", "csv tex"),
    ),
    topic_row,
)
HITS = TableSpec(
    (
        _RANK,
        _SCORE,
        _FORMULA,
        Column("post", "post", 8),
        Column("latex", "", format=_formula_text),
        Column("verdict", "", on="csv tex", format=_describe_verdict),
        Column("parts", "parts in common", on="text", format=_describe_parts, unfiltered="it draws formulas"),
        *filter_columns("kind formulas"),
    )
)
PLACES = TableSpec(
    (
        _RANK,
        _SCORE,
        Column("place", "place", format=lambda hit: f"{hit['post']}:{hit['line']}"),
        Column("latex", "formula", format=_formula_text),
        Column("sentence", "sentence", format=_shown_sentence),
        Column(
            "parts",
            "",
            on="text",
            format=_describe_bindings,
            unfiltered="it draws formulas",
        ),
        *filter_columns("file line formulas", "csv tex"),
    )
)
"""Of formulas of documents."""
NEAREST = TableSpec(
    (
        _RANK,
        _SCORE,
        _FORMULA,
        Column("grade", "grade", 5),
        Column("latex", "formula", format=_formula_text),
        Column("post", "post", 8, on="screen", drop=1),
    )
)
"""Of the formulas nearest to one that is inspected, and of those that a run ranks."""
EQUAL = TableSpec(
    (
        _RANK,
        Column("score", "score", 5, "right", format=".3f"),
        _FORMULA,
        Column("grade", "grade", 5),
        Column("verdict", "verdict", 16, format=_describe_verdict),
        Column("latex", "formula", format=_formula_text),
        Column("post", "post", 8, on="screen", drop=1),
    )
)
"""Of the formulas that are proved equal to one that is inspected, by the share of their equal part."""


def topic_address(spec: Any) -> Callable[[ResultDocument], str]:
    """Return the function that gives the note address of a topic."""
    from workbench.papers.arqmath.data import name_of

    home = f"mathamr/{name_of(spec.folder)}/topic"
    return lambda topic: f"{home}/{topic['id']}"


def opt(tree: Mapping[str, Any], spec: ParseOpt) -> Iterator[str]:
    """Yield the tree, an operand a line under its operator; or as the formula that it stands for."""
    if spec.write != "tree":
        from engines.formula.operator_tree import OperatorTree
        from engines.formula.operator_tree_parser import operator_tree
        from engines.formula.render import to_latex
        from engines.formula.unicode import unicode_text

        source = spec.latex or ""
        built_in = spec.reader == "builtin"
        written = to_latex(
            operator_tree(source, spec.mode) if built_in else OperatorTree.from_document(tree), source
        )
        yield unicode_text(written) if spec.write == "unicode" else written
        return
    yield from slt(tree, spec)


def slt(tree: Mapping[str, Any], _spec: object) -> Iterator[str]:
    """Yield a tree, what hangs on a node indented under it."""
    from engines.core.tree import walk_outline
    from engines.mathamr.graph.drawing import readable_label

    for lead, node in walk_outline(tree, lambda node: node.get("children", ())):
        yield lead + readable_label(node["label"])


def draw(made: Mapping[str, Any], _spec: object) -> list[str]:
    """Return the lines that `mathwb mathamr draw` prints."""
    return str(made["text"]).splitlines()


def compare(result: ResultDocument, spec: CompareGraphs) -> Iterator[str]:
    """Yield the score, then the triples: - only in the first, + only in the other."""
    name = "Smatch" if spec.edges == "written" else f"standardised, edges {spec.edges}:"
    least = "" if result["optimal"] else "at least "
    figures = f"{result['f1']:.3f}, precision {result['precision']:.3f}, recall {result['recall']:.3f}"
    yield f"{name} {least}{figures}"
    if not result["optimal"]:
        yield HintLine("the node pairing could not be proved optimal in the time allowed")
    signs = {"both": " ", "one": "-", "other": "+"}
    for row in result["triples"]:
        yield f"{signs[row['in']]} {row['source']} {row['role']} {row['target']}"


def topics(result: ResultDocument, _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mathamr topics` prints."""
    yield from TOPICS.text_lines(result["topics"])
    if result["left_out"]:
        yield HintLine(f"lines and files that could not be read: {result['left_out']:,}")


def index(built: ResultDocument, _spec: object) -> list[str]:
    """Return the lines that `mathwb mathamr index` prints."""
    if not built["complete"]:
        return ["stopped; nothing was saved"]
    lines = [
        f"{built['formulas']:,} formulas, {built['looks']:,} of them visually distinct, in {built['out']}",
        f"{built['features']:,} parts of trees; formulas with an error node: {built['with_error_nodes']:,}",
    ]
    if "files" in built:
        others = ", ".join(f"{count:,} {kind}" for kind, count in built["files_left_out"].items())
        lines.append(
            f"files: {built['files']:,}, read now: {built['files_read']:,}"
            + (f"; of kinds that are not read: {others}" if others else "")
        )
    elif built["without_context"]:
        lines.append(f"formulas whose text the collection does not have: {built['without_context']:,}")
    if built["left_out"]:
        lines.append(f"rows and formulas that are left out: {built['left_out']:,}")
    return lines


def search(result: ResultDocument, _spec: object) -> Iterator[str]:
    """Yield the formulas, each with the largest part that it shares, or of documents the sentence; or what
    was ranked.
    """
    if "hits" not in result:
        done = f"{result['topics']:,} topics in {result['run']}"
        yield done if result["complete"] else "stopped; no run was written"
        return
    if any("file" in hit for hit in result["hits"]):
        yield from PLACES.text_lines(result["hits"])
        return
    yield from HITS.text_lines(result["hits"])


def inspect(result: ResultDocument, _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mathamr inspect` prints."""
    from engines.formula.unicode import render_text

    yield render_text(result["text"])
    yield ""
    yield from result["penman"].splitlines()
    yield f"graph: {result['parser']}" + (", approximate" if result["parser"] == "builtin" else "")
    yield ""
    yield f"string: {result['strings']['mathamr']}"
    if result["nearest"]:
        yield ""
        yield from NEAREST.text_lines(result["nearest"], latex="")
    if result["equal"]:
        yield ""
        yield from EQUAL.text_lines(result["equal"], latex="")
    for warning in result["warnings"]:
        yield HintLine(warning)


def evaluate(result: ResultDocument, _spec: object) -> Iterator[str]:
    """Yield the lines that `mathwb mathamr eval` prints."""
    from pathlib import Path

    yield f"{result['topics']} topics, {result['judged']:,} judged visually distinct formulas"
    header = ["run", "nDCG'@5", "nDCG'@10", "nDCG'@1000", "P'@5", "P'@10", "mAP'", "95 % of nDCG'@10"]
    rows = []
    for system in result["systems"]:
        figures = [f"{system[name]:.4f}" for name in _MEASURES]
        rows.append(
            [Path(system["run"]).name, *figures, format_interval(system["intervals"]["ndcg10_prime"])]
        )
    yield from align_rows(header, rows)
    if result["comparisons"]:
        yield ""
        tests = [
            [
                Path(system["run"]).name,
                system["measure"],
                f"{system['difference']:+.4f}",
                system["wins"],
                system["losses"],
                f"{system['t_p']:.4f}",
                f"{system['bonferroni_p']:.4f}",
            ]
            for system in result["comparisons"]
        ]
        head = ["against the first", "measure", "difference", "better", "worse", "t-test", "Bonferroni"]
        yield from align_rows(head, tests)
    thirds = [
        [Path(system["run"]).name, name, third["topics"], *(f"{third[key]:.4f}" for key in _MEASURES)]
        for system in result["systems"]
        for name, third in system.get("by_size", {}).items()
    ]
    if thirds:
        yield ""
        yield from align_rows(["run", "trees", "topics", *header[1:-1]], thirds)
    if "plot" in result:
        yield f"by topic: {result['plot']}"


_MEASURES = ("ndcg5_prime", "ndcg10_prime", "ndcg1000_prime", "p5_prime", "p10_prime", "map_prime")


def parse(document: Mapping[str, Any], spec: Parse) -> Iterator[str]:  # noqa: ARG001
    """Yield the lines that `mathwb mathamr parse` prints."""
    yield from document["mathamr"].splitlines()
    yield ""
    yield document["linear_mathamr"]
    for warning in document["warnings"]:
        yield HintLine(warning)
