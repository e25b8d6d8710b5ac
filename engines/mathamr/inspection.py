"""Inspection: one formula in its context, from the text to graph, strings and links."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import DataError, EngineError
from engines.core.events import Sink, ignore
from engines.core.hashing import file_stamp
from engines.core.notebook_display import Shown
from engines.core.spec import Arg, exactly_one, make_refusal, specification
from engines.mathamr.graph.amr import Graph, GraphNode, classify_variable, read_graph, write_graph
from engines.mathamr.graph.grafting import graft_trees, lowercase_graph
from engines.mathamr.graph.linearization import linearize_graph
from engines.mathamr.parsing.lexicon import MODALS, PRONOUNS

if TYPE_CHECKING:
    from engines.formula.operator_tree_parser import ParsedFormula
    from engines.mathamr.parsing.parsers import Parser, ParserName
    from engines.mathamr.retrieval.formula_index import FormulaIndex
    from engines.mathamr.retrieval.task2 import Task2


_WORD = re.compile(r"[^\W\d_]+")
_STEM = 5
"""Letters that a concept and its word share at least; of shorter ones all."""


def find_formula_roots(graph: Graph, formulas: Mapping[str, ParsedFormula]) -> dict[str, str]:
    """Return which formula each `:math` tree of a graph is: by its string, else by its order."""
    from engines.mathamr.retrieval.texts import write_tree_string

    trees = [
        branch.target
        for node in graph.iterate_nodes()
        for branch in node.branches
        if branch.role == ":math" and isinstance(branch.target, GraphNode)
    ]
    strings = [unicodedata.normalize("NFKC", linearize_graph(Graph(tree))) for tree in trees]
    result: dict[str, str] = {}
    free = list(range(len(trees)))
    # First the trees whose string is that of a formula.
    for name, formula in formulas.items():
        wanted = write_tree_string(formula)
        match = next((at for at in free if strings[at] == wanted), None)
        if match is not None:
            result[name] = trees[match].variable
            free.remove(match)
    # The rest in the order of the text, since a tree that was changed is still in its place.
    for name in formulas:
        if name not in result and free:
            result[name] = trees[free.pop(0)].variable
    return result


def place_formulas(
    context: str, formulas: Mapping[str, ParsedFormula]
) -> tuple[str, dict[str, tuple[int, int]]]:
    """Return the context with `$latex$`, and where the LaTeX of each formula stands first."""
    from engines.mathamr.context import PLACEHOLDER

    parts: list[str] = []
    positions: dict[str, tuple[int, int]] = {}
    at = length = 0
    for match in PLACEHOLDER.finditer(context):
        # Positions are those in the new text, in which the placeholders before have other lengths.
        formula = formulas.get(match[1])
        before = context[at : match.start()]
        shown = match[0] if formula is None else f"${formula.latex}$"
        start = length + len(before) + 1
        if formula is not None:
            positions.setdefault(match[1], (start, start + len(formula.latex)))
        parts += [before, shown]
        length += len(before) + len(shown)
        at = match.end()
    return "".join([*parts, context[at:]]), positions


def link_formulas(
    formulas: Mapping[str, ParsedFormula],
    query: str,
    graph: Graph,
    roots: Mapping[str, str],
    lost: Sequence[str],
    places: Mapping[str, tuple[int, int]],
) -> tuple[list[dict[str, Any]], dict[str, tuple[str, tuple[int, int] | None]]]:
    """Return the formulas; and of each node of their trees the formula and its place in the text."""
    from engines.formula.operator_tree import OperatorTree
    from engines.formula.spans import node_spans

    known = graph.map_variables()
    rows: list[dict[str, Any]] = []
    spans: dict[str, tuple[str, tuple[int, int] | None]] = {}
    for name, formula in formulas.items():
        root = known.get(roots.get(name, ""))
        if root is not None:
            nodes = list(Graph(root).iterate_nodes())
            trees: dict[str, OperatorTree] = {}
            written_again: set[int] = set()
            # Children first: a node's operator tree is built of its children's.
            for node in reversed(nodes):
                children = []
                for branch in node.branches:
                    target = branch.target
                    if isinstance(target, GraphNode):
                        children.append(trees[target.variable])
                    # A re-entrancy is written as a leaf, and has no position of its own.
                    elif target in known:
                        children.append(OperatorTree(_tree_label(known[target])))
                        written_again.add(id(children[-1]))
                trees[node.variable] = OperatorTree(_tree_label(node), tuple(children))
            tree = trees[root.variable]
            start = places[name][0] if name in places else None
            spanned = zip(tree.walk_nodes(), node_spans(tree, formula), strict=True)
            own = (span for one, span in spanned if id(one) not in written_again)
            # Nodes and spans are in the same order, after the second occurrences have been left out.
            for node, span in zip(nodes, own, strict=True):
                span_in_text = None if start is None or span is None else (start + span[0], start + span[1])
                spans[node.variable] = (name, span_in_text)
        rows.append(
            {
                "id": name,
                "latex": formula.latex,
                "shown": formula.shown,
                "query": name == query,
                "place": places.get(name),
                "root": None if root is None else root.variable,
                "lost": name in lost,
                "tree": formula.tree.to_document(),
                "slt": formula.layout.to_document(),
            }
        )
    return rows, spans


def _tree_label(node: GraphNode) -> str:
    return f"{node.variable[:1]}!{unicodedata.normalize('NFKC', node.concept)}"


def build_node_rows(
    graph: Graph, text: str, spans: Mapping[str, tuple[str, tuple[int, int] | None]]
) -> list[dict[str, Any]]:
    """Return the nodes in the order written, with constants and references where they stand."""

    # Formulas become blanks of the same length, so that words keep their offsets.
    outside = re.sub(r"\$[^$]*\$", lambda match: " " * len(match[0]), text)
    words = [(match[0].lower(), match.start(), match.end()) for match in _WORD.finditer(outside)]
    known, used = graph.map_variables(), set[int]()
    rows: list[dict[str, Any]] = []
    for target, role, parent, depth in graph.iterate_branches():
        row: dict[str, Any] = {"variable": "", "concept": "", "role": role, "parent": parent, "depth": depth}
        if isinstance(target, GraphNode):
            formula, span = spans.get(target.variable, (None, None))
            kind = "operator" if formula is not None else classify_variable(target.variable)
            if formula is None:
                span = _find_word(target.concept, words, used)
            row |= {"variable": target.variable, "concept": target.concept, "kind": kind}
            row |= {"formula": formula, "place": span}
        elif (there := known.get(target)) is not None:
            row |= {"variable": target, "kind": "reference", "concept": there.concept}
            row |= {"formula": None, "place": None}
        else:
            row |= {"kind": "constant", "concept": target, "formula": None, "place": None}
        rows.append(row)
    return rows


def _find_word(concept: str, words: list[tuple[str, int, int]], used: set[int]) -> tuple[int, int] | None:
    """Return where the word of a concept stands: the first that begins like it, or is its pronoun or modal
    verb, and that no other concept has."""
    stem = re.sub(r"-\d+\Z", "", concept.lower()).partition("-")[0][:_STEM]
    for number, (word, start, end) in enumerate(words):
        meant = PRONOUNS.get(word) or MODALS.get(word, (word, ""))[0]
        alike = meant == concept or (word.startswith(stem) if len(stem) > 2 else word == stem)
        if number not in used and stem and alike:
            used.add(number)
            return start, end
    return None


def list_edges(graph: Graph) -> list[tuple[str, str, str]]:
    """Return the edges of a graph: source, role, target."""
    result = []
    for node in graph.iterate_nodes():
        result.append((node.variable, ":instance", node.concept))
        result += [(node.variable, branch.role, branch.name) for branch in node.branches]
    return result


@specification
class Inspect:
    """Show a formula in its context: sentence, graph, strings, nearest formulas with grades, runs.

    In a text, the last formula is the query. A topic's graph comes from the collection's files or from a
    parser; the built-in parser is approximate, amrlib's needs a model.
    """

    text: Annotated[str | None, Arg("A text with formulas between dollar signs.", option=False)] = None
    folder: Annotated[Path | None, Arg("A collection, or its name.", ref="collection")] = None
    topic: Annotated[str | None, Arg("A Task 2 topic of the collection.")] = None
    graph: Annotated[str | None, Arg("A MathAMR graph to use instead, as PENMAN text.")] = None
    parser: Annotated[
        Literal["published", "builtin", "amrlib"],
        Arg("Where the graph comes from; published: the topic's own, or else the built-in parser's."),
    ] = "published"
    model: Annotated[
        Path | None,
        Arg("The folder of amrlib's model.", metavar="FOLDER", shown="the setting mathamr.amr_model"),
    ] = None
    window: Annotated[int, Arg("Sentences to add before and after the formula's own.", low=0, high=3)] = 1
    index: Annotated[
        Path | None, Arg("Index of the collection's formulas.", ref="formulas", shown="the workspace's")
    ] = None
    k: Annotated[int, Arg("How many nearest formulas to show.", low=0, high=1_000, short="-k")] = 10
    equal: Annotated[bool, Arg("Also list formulas that are proved equal to it.")] = False

    def __post_init__(self) -> None:
        remedy = "As in: 'Solve $x^2=2$', or --folder NAME --topic B.1."
        exactly_one({"a text": self.text, "a topic of a collection": self.topic}, remedy)
        if self.topic is not None and self.folder is None:
            raise make_refusal("a topic's collection is needed", "E402", remedy)


def inspect(
    spec: Inspect,
    *,
    events: Sink = ignore,
    cache: Path | None = None,
) -> dict[str, Any]:
    """Return everything about a formula in its context, as one document.

    Returns:
        Id; text (the context, formulas as `$latex$`); formulas (id, latex, shown: for a terminal, query,
        place: [start, end] in text, root: its variable in the graph or None, lost: not found by the parser,
        tree, slt); parser; penman; nodes (variable, concept, role, parent, depth, kind: concept, operator,
        constant or reference; formula: the id of the formula whose tree it is of, or None; place in text, or
        None); triples; strings by representation; query; nearest (rank, score, formula, latex, visual_id,
        post, kind, grade, context, parts); equal (where asked for: formulas proved equal, then those after
        renaming: as nearest, score being the share of the equal part, with verdict, condition and renaming)
        and not_equal (why none could be looked for, or ""); runs (name, and of its formulas rank, formula,
        score, grade, latex, and elsewhere: the rank in each other run by its name, None where that lacks it);
        warnings. Places of an operator tree's nodes are exact up to letters that occur several times; those
        of concepts are by spelling.

    Raises:
        DataError: E329 for a graph that is none.
        EngineError: E354 for an unknown topic.

    >>> found = inspect(Inspect(text="Solve $x^2=2$."))
    >>> found["formulas"][0]["latex"], [row["concept"] for row in found["nodes"] if row["kind"] == "concept"]
    ('x^2=2', ['solve-01', 'string-entity', 'you'])
    """

    # 1. The text and its formulas: of a topic, a post, a graph or typed; then its graph, given or parsed.
    warnings: list[str] = []
    task: Task2 | None = None
    if spec.topic is not None:
        from engines.forum.folder import ArqmathFolder
        from engines.mathamr.retrieval.task2 import Task2

        assert spec.folder is not None
        task = Task2(ArqmathFolder.open(spec.folder), events)
    source = _load_source(spec, task, warnings)
    graph, roots, lost, parser = _load_graph(spec, source, task, warnings)
    # 2. Where each formula stands in the text, and which part of the graph is its tree.
    text, places = place_formulas(source.context, source.formulas)
    formulas, spans = link_formulas(source.formulas, source.query, graph, roots, lost, places)
    # 3. With an index, what is near it, what equals it, and where the runs of a collection have that.
    opened = _open_index(spec, cache, warnings) if spec.k else None
    result = None if opened is None else _NearestFormulas(spec, source, task, opened)
    equal, not_equal = ([], "") if result is None else result.list_equal(warnings)
    document = {
        "id": source.id,
        "text": text,
        "query": source.query,
        "formulas": formulas,
        "parser": parser,
        "penman": write_graph(graph),
        "nodes": build_node_rows(graph, text, spans),
        "triples": list_edges(graph),
        "strings": _make_strings(source, graph),
        "nearest": [] if result is None else result.list_nearest(),
        "equal": equal,
        "not_equal": not_equal,
        "runs": [] if result is None or task is None else result.list_runs(task),
        "warnings": warnings,
    }
    from engines.mathamr.graph.drawing import to_svg

    names = ("rank", "score", "formula", "latex", "post", "grade")
    return Shown(document, "nearest", names, title=text, draw=lambda: to_svg(graph))


@dataclass(frozen=True, slots=True)
class _QueryContext:
    """Where the query formula stands: `context` with placeholders, its formulas by short id."""

    id: str
    context: str
    query: str
    formulas: Mapping[str, ParsedFormula]


def _load_source(spec: Inspect, task: Task2 | None, warnings: list[str]) -> _QueryContext:
    from engines.formula.operator_tree_parser import ParsedFormula
    from engines.mathamr.context import find_ids, make_placeholder, mark_formulas
    from engines.mathamr.retrieval.texts import cut_topic_context

    if task is None:
        assert spec.text is not None
        result = mark_formulas(spec.text)
        warnings += result.warnings
        if not result.formulas:
            raise EngineError("the text has no formula", code="E376", remedy="Put it between dollar signs.")
        formulas = {name: ParsedFormula(one) for name, one in result.formulas.items()}
        return _QueryContext("", result.text, list(formulas)[-1], formulas)
    topic = task.find_topic(str(spec.topic))
    query, context, latex = cut_topic_context(topic, spec.window)
    if not context:
        what = f"the formula {topic.formula} is not in the text of {topic.id}"
        warnings.append(f"{what}; it is shown without context")
        return _QueryContext(topic.id, make_placeholder(query), query, {query: ParsedFormula(latex[query])})
    formulas = {one: ParsedFormula(latex[one]) for one in dict.fromkeys(find_ids(context)) if one in latex}
    return _QueryContext(topic.id, context, query, formulas)


def _load_graph(
    spec: Inspect, source: _QueryContext, task: Task2 | None, warnings: list[str]
) -> tuple[Graph, Mapping[str, str], tuple[str, ...], str]:
    from engines.mathamr.parsing.parsers import parse_contexts

    # The given graph wins over the published one, and that over the parser's.
    published = task.graphs.get(source.id) if task is not None and spec.parser == "published" else None
    given = spec.graph or published
    if given is not None:
        try:
            graph = read_graph(given)
        except DataError as error:
            if spec.graph is not None:
                raise
            what = f"the published graph cannot be read ({error.what})"
            warnings.append(f"{what}; the built-in parser's is shown")
        else:
            warnings += graph.list_warnings()
            roots = find_formula_roots(graph, source.formulas)
            lost = tuple(name for name in source.formulas if name not in roots)
            return graph, roots, lost, "given" if spec.graph is not None else "published"
    which: ParserName = "amrlib" if spec.parser == "amrlib" else "builtin"
    # The stamp of the model's folder is part of the cache's key: a folder trained again is opened again.
    state = (0, 0) if spec.model is None else file_stamp(spec.model / "config.json")
    result = next(parse_contexts([source.context], _open_parser(which, spec.model, state)))
    warnings += result.warnings
    graph = result.graph
    lowercase_graph(graph)
    made = graft_trees(graph, {name: formula.tree for name, formula in source.formulas.items()})
    if made.lost:
        warnings.append(f"{len(made.lost)} formulas were lost by the parser and are attached to the root")
    return made.graph, made.roots, made.lost, result.parser


@lru_cache(1)
def _open_parser(which: ParserName, model: Path | None, _state: tuple[int, int]) -> Parser:
    """Kept open: a model takes long to load."""
    from engines.mathamr.parsing.parsers import open_parser

    return open_parser(which, model)


def _make_strings(source: _QueryContext, graph: Graph) -> dict[str, str]:
    from engines.mathamr.retrieval.representations import REPRESENTATIONS, FormulaInContext

    given = FormulaInContext(source.query, source.formulas, source.context)
    results = {kind: one.write(given) for kind, one in REPRESENTATIONS.items() if one.needs != "amr"}
    return {
        **results,
        "mathamr": linearize_graph(graph, style="paper"),
        "mathamr-released": linearize_graph(graph),
    }


def _open_index(spec: Inspect, cache: Path | None, warnings: list[str]) -> FormulaIndex | None:
    from engines.forum.folder import ArqmathFolder
    from engines.mathamr.retrieval.indexing import find_index
    from engines.mathamr.retrieval.open_cache import open_index

    if spec.folder is None:
        return None if spec.index is None else open_index(spec.index)
    collection = ArqmathFolder.open(spec.folder)
    index = find_index(collection, spec.index, cache, values=spec.equal)
    if index is None and cache is not None:
        warnings.append("the collection's formulas are not indexed: run mathwb mathamr index")
    if index is None:
        return None
    return open_index(index, collection.path, lambda event: warnings.append(str(event.data["message"])))


@dataclass(frozen=True, slots=True)
class _NearestFormulas:
    """What an index has for the query, with the grades and runs of its topic."""

    spec: Inspect
    source: _QueryContext
    task: Task2 | None
    opened: FormulaIndex

    @property
    def formula(self) -> ParsedFormula:
        return self.source.formulas[self.source.query]

    def list_nearest(self) -> list[dict[str, Any]]:
        from engines.mathamr.retrieval.search import rank_formulas

        result = rank_formulas(self.opened, self.formula, self.spec.k)
        return [self.build_row(rank, look, score) for rank, (look, score) in enumerate(result, start=1)]

    def list_equal(self, warnings: list[str]) -> tuple[list[dict[str, Any]], str]:
        """Return what is equal to the query, then what is after renaming; and why neither could be looked
        for."""
        from engines.mathamr.retrieval.equal_formulas import Equality, EqualityKind

        if not self.spec.equal:
            return [], ""
        rows: list[dict[str, Any]] = []
        seen: set[int] = set()
        ways: tuple[EqualityKind, ...] = ("equal", "renamed")
        try:
            for by in ways:
                equality = Equality(self.opened, by)
                for one in equality.find_equal(self.formula.latex, self.spec.k):
                    if one.look not in seen:
                        seen.add(one.look)
                        rows.append({**self.build_row(len(seen), one.look, one.share), **one.to_record()})
                warnings += equality.list_warnings()
        except EngineError as error:
            return [], error.what
        return rows, ""

    def build_row(self, rank: int, look: int, score: float) -> dict[str, Any]:
        from engines.formula.operator_tree_parser import ParsedFormula
        from engines.mathamr.retrieval.search import match_parts

        result = self.opened.read_latex(look)
        member = self.opened.list_members(look)[0]
        return {
            "rank": rank,
            "score": round(score, 6),
            "formula": member["id"],
            "latex": result,
            "visual_id": self.opened.read_visual_id(look),
            "post": member["post"],
            "kind": member["kind"],
            "grade": None if self.task is None else self.find_grade(self.task, look),
            "context": self.read_context(member["id"]),
            "parts": match_parts(self.formula, ParsedFormula(result)),
        }

    def find_grade(self, task: Task2, look: int) -> int | None:
        """Return the highest grade of formulas that look the same: of their visual id, or any of them."""
        of_looks = task.visual_grades.get(self.source.id, {})
        of_formulas = task.grades.get(self.source.id, {})
        grades = [of_looks[visual]] if (visual := self.opened.read_visual_id(look)) in of_looks else []
        grades += [
            of_formulas[one["id"]] for one in self.opened.list_members(look) if one["id"] in of_formulas
        ]
        return max(grades, default=None)

    def read_context(self, formula: str) -> str:
        """Return the sentences around a formula, formulas as `$latex$`; "" where the collection has no
        text.
        """
        from engines.mathamr.context import cut_window, find_ids
        from engines.mathamr.retrieval.texts import restore_latex

        field = self.opened.field_of(formula)
        if field is None:
            return ""
        text = cut_window(field, formula, self.spec.window)
        return restore_latex(text, self.opened.latex_of(find_ids(text)))

    def list_runs(self, task: Task2) -> list[dict[str, Any]]:
        topic = str(self.spec.topic)
        ranks = {
            name: {formula: rank for rank, (formula, _) in enumerate(run.rankings.get(topic, ()), start=1)}
            for name, run in task.runs.items()
        }
        result = []
        for name, run in task.runs.items():
            rows = []
            for rank, (formula, score) in enumerate(run.rankings.get(topic, ())[: self.spec.k], start=1):
                look = self.opened.look_of(formula)
                grade = task.grades.get(topic, {}).get(formula)
                if grade is None and look is not None:
                    grade = self.find_grade(task, look)
                latex = "" if look is None else self.opened.read_latex(look)
                elsewhere = {other: own.get(formula) for other, own in ranks.items() if other != name}
                row = {"rank": rank, "formula": formula, "score": score, "grade": grade, "latex": latex}
                rows.append({**row, "elsewhere": elsewhere})
            result.append({"name": name, "formulas": rows})
        return result
