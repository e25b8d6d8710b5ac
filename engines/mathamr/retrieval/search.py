"""Searching the formulas of a collection: one formula, or the topics of Task 2 as a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop, ignore, never, warn
from engines.core.spec import Arg, exactly_one, make_refusal, no_effect, specification
from engines.core.system import MAX_LATEX
from engines.mathamr.retrieval.open_cache import open_encoder, open_index

if TYPE_CHECKING:
    from engines.formula.operator_tree_parser import ParsedFormula
    from engines.mathamr.retrieval.equal_formulas import Equality
    from engines.mathamr.retrieval.formula_index import FormulaIndex


SearchMethod = Literal["paths", "dense", "fused", "equal", "renamed"]
# Formulas of a topic in a run, as the task allows, and hits of a single query.
_DEPTH, _SHOWN = 1_000, 10
_SHOWN_PARTS = 5


@specification
class SearchFormulas:
    """Search an index for formulas, or write a run for the topics of Task 2.

    Each result shows which parts it shares with the query: exactly, or up to letters and numbers.
    """

    index: Annotated[
        Path, Arg("An index made by `mathwb mathamr index`, or a collection's name.", ref="formulas")
    ]
    latex: Annotated[
        str | None,
        Arg(
            "The formula, as LaTeX, plain text or Unicode; ?a is any sub-expression, ?? any operands. With "
            "words, or several formulas: 'sums of $k^2$'.",
            option=False,
            longest=MAX_LATEX,
            metavar="QUERY",
        ),
    ] = None
    topics: Annotated[tuple[Path, ...], Arg("A Task 2 topic file, instead of a formula; repeatable.")] = ()
    run: Annotated[Path | None, Arg("The run to write for the topics.", name="out", writes=True)] = None
    how: Annotated[
        SearchMethod,
        Arg(
            "Search by parts of operator trees, by vectors, or by both, fused. equal: formulas proved "
            "equal to it, wholly or in a part. renamed: equal after renaming variables."
        ),
    ] = "paths"
    k: Annotated[
        int | None,
        Arg(
            "How many visually distinct formulas to find.",
            low=1,
            high=_DEPTH,
            short="-k",
            shown="10, or 1,000 for a run",
        ),
    ] = None
    instances: Annotated[
        int | None, Arg("In a run, formulas to list of each visually distinct one.", low=1, shown="1")
    ] = None
    device: Annotated[str, Arg("auto, cpu or cuda.")] = "auto"

    def __post_init__(self) -> None:
        remedy = "As in: mathwb mathamr search INDEX 'x^2', or --topics FILE --out RUN."
        exactly_one({"a formula": self.latex, "a file of topics": self.topics}, remedy)
        if self.latex is not None and not self.latex.strip():
            raise make_refusal("the formula is empty", "E376", remedy)
        if bool(self.topics) != (self.run is not None):
            raise make_refusal("topics and a run to write are needed together", "E402", remedy)
        if self.run is None:
            no_effect({"--instances": self.instances}, "one formula, which finds visually distinct ones")
        if self.how not in ("dense", "fused"):
            no_effect({"--device": None if self.device == "auto" else self.device}, f"--how {self.how}")


def search(
    spec: SearchFormulas,
    *,
    events: Sink = ignore,
    stop: Stop = never,
) -> dict[str, Any]:
    """Return the formulas most similar to one, or a run.

    Returns:
        Of a formula query, tree, hits (rank, score, latex, visual_id, formula, post, kind, formulas: how many
        look so, parts: latex of the query's part and of the hit's, nodes, exact; of documents also file,
        line, sentence; of a pattern bound: the LaTeX that each wildcard stands for). Of topics run, topics,
        formulas, left_out (formulas beyond 1,000 of a topic), complete.

    Events:
        Progress in topics; warnings of a formula that is read in part, of topics that find nothing, and of
        what is left out.

    Raises:
        DataError: E661, E662 for an index that cannot be used, E670 for vectors or values that it lacks.
        EngineError: E376 for a formula that cannot be read as an expression or statement where `how` needs
            that.

    >>> from tempfile import mkdtemp
    >>> from engines.core.system import asset
    >>> from engines.mathamr import IndexFormulas, index
    >>> place = Path(mkdtemp()) / "index"
    >>> _ = index(IndexFormulas(asset("sample/arqmath/sample-forum"), place))
    >>> hit = search(SearchFormulas(place, "(ab)^2=a^2b^2"))["hits"][0]
    >>> hit["score"], hit["parts"][0]["exact"]
    (1.0, True)
    """
    opened, equality = open_index(spec.index), None
    if spec.how == "equal" or spec.how == "renamed":
        from engines.mathamr.retrieval.equal_formulas import Equality

        equality = Equality(opened, spec.how)
    try:
        if spec.latex is not None:
            return _search_formula(spec, opened, spec.latex, events, equality)
        return _search_topics(spec, opened, events, stop, equality)
    finally:
        opened.release_memory()


def rank_formulas(
    opened: FormulaIndex, formula: ParsedFormula, k: int, how: SearchMethod = "paths", device: str = "auto"
) -> list[tuple[int, float]]:
    """Return the visually distinct formulas most similar to one, as (number, score)."""
    from engines.mathamr.retrieval.formula_query import find_nearest
    from engines.retrieval.fusion import reciprocal_rank_fusion
    from engines.retrieval.trec import TrecRun

    results: list[list[tuple[int, float]]] = []
    if how != "dense":
        results.append([(one.look, one.score) for one in find_nearest(opened, formula.search_tree, k)])
    if how != "paths":
        from engines.mathamr.retrieval.texts import write_tree_string

        vectors = opened.vectors
        model = open_encoder(str(opened.about["encoder"]["place"]), device)
        # Vectors of other weights cannot be compared with those of the query.
        if model.fingerprint != opened.about["encoder"]["fingerprint"]:
            what = f"the vectors of the index are of other weights than the model {model.name} has now"
            raise EngineError(what, code="E668", remedy="Restore the model, or build the index again.")
        query = model.queries([write_tree_string(formula)])
        near, places = vectors.search(query, k)
        results.append([(int(row), float(score)) for row, score in zip(places[0], near[0], strict=True)])
    if len(results) == 1:
        return results[0]
    # The scores of the two methods are on different scales, so their ranks are fused.
    runs = [TrecRun("", {"q": [(str(row), score) for row, score in one]}) for one in results]
    fused = reciprocal_rank_fusion(runs).rankings["q"][:k]
    return [(int(row), score) for row, score in fused]


def _search_formula(
    spec: SearchFormulas, opened: FormulaIndex, typed: str, events: Sink, equality: Equality | None
) -> dict[str, Any]:
    from engines.formula.operator_tree_parser import ParsedFormula
    from engines.formula.render import to_latex as written
    from engines.mathamr.retrieval.formula_query import ScoredLook, answer_query, read_query

    query = read_query(typed)
    for asked in query.formulas:
        if asked.formula.tree.list_errors():
            warn(events, "part of the formula could not be parsed")
    first = query.formulas[0].formula
    k = spec.k or _SHOWN
    # Each way to search gives looks with scores and what is known of the match.
    matches: Iterable[tuple[ScoredLook, dict[str, Any]]]
    if spec.how == "paths":
        matches = ((one, {}) for one in answer_query(opened, query, k))
    elif len(query.formulas) > 1 or query.words or query.formulas[0].is_pattern:
        what = f"--how {spec.how} takes one formula, without words and wildcards"
        raise make_refusal(what, "E427", "Leave --how out, or ask for the formula alone.")
    elif equality is not None:
        equal = equality.find_equal(first.latex, k)
        matches = ((ScoredLook(one.look, one.share), one.to_record()) for one in equal)
    else:
        near = rank_formulas(opened, first, k, spec.how, spec.device)
        matches = ((ScoredLook(look, score), {}) for look, score in near)
    hits = []
    # A look stands for all formulas that look so; the first of them, or the one that matched, is shown.
    for rank, (one, judged) in enumerate(matches, start=1):
        latex, members = opened.read_latex(one.look), opened.rows_of(one.look)
        member = opened.read_formula(int(members[0]) if one.member < 0 else one.member)
        shown = ParsedFormula(latex)
        parts = [] if query.formulas[0].is_pattern else match_parts(first, shown)
        hits.append(
            {
                "rank": rank,
                "score": round(one.score, 6),
                "latex": latex,
                "visual_id": opened.read_visual_id(one.look),
                "formula": member["id"],
                "post": member["post"],
                "kind": member["kind"],
                "formulas": len(members),
                **_locate_member(opened, member),
                "parts": parts,
                **({"bound": {n: written(tree) for n, tree in one.bound.items()}} if one.bound else {}),
                **judged,
            }
        )
    for warning in () if equality is None else equality.list_warnings():
        warn(events, warning)
    if not hits and query.formulas[0].is_pattern:
        warn(events, "no formula matches the pattern")
    tree = query.formulas[0].tree if query.formulas[0].is_pattern else first.tree
    return {"query": typed, "tree": tree.to_document(), "how": spec.how, "hits": hits}


def _locate_member(opened: FormulaIndex, member: Mapping[str, Any]) -> dict[str, Any]:
    if "documents" not in opened.about:
        return {}
    root = Path(opened.about["documents"])
    file = root / member["post"] if root.is_dir() else root
    return {"file": str(file), "line": member["line"], "sentence": opened.read_text(member["field"])}


def match_parts(one: ParsedFormula, other: ParsedFormula) -> list[dict[str, Any]]:
    """Return the largest parts of a formula that another one has, with where they stand in both."""
    from engines.formula.operator_tree import shared_parts
    from engines.formula.render import to_latex as written

    nodes, others = list(one.search_tree.walk_nodes()), list(other.search_tree.walk_nodes())
    return [
        {
            "query": written(nodes[part.here]),
            "found": written(others[part.there]),
            "query_span": one.spans[part.here],
            "found_span": other.spans[part.there],
            "nodes": part.size,
            "exact": part.exact,
        }
        for part in shared_parts(one.search_tree, other.search_tree)[:_SHOWN_PARTS]
    ]


def _search_topics(
    spec: SearchFormulas, opened: FormulaIndex, events: Sink, stop: Stop, equality: Equality | None
) -> dict[str, Any]:
    from engines.formula.operator_tree_parser import ParsedFormula
    from engines.forum.topics import read_topic_files, warn_of_unanswered_topics
    from engines.retrieval.trec import TrecRun, check_out, write_manifest, write_run

    assert spec.run is not None
    topics = read_topic_files(spec.topics)
    check_out(spec.run, {topic.id for topic in topics})
    rankings: dict[str, list[tuple[str, float]]] = {}
    posts: dict[str, str] = {}
    for number, topic in enumerate(topics, start=1):
        if stop():
            return {"run": str(spec.run), "complete": False, "topics": number - 1}
        if not topic.latex:
            raise EngineError(
                f"topic {topic.id} has no formula",
                code="E376",
                remedy="Name a topic file of Task 2, whose topics have <Latex>.",
            )
        rankings[topic.id] = []
        # A topic whose formula cannot be read has no equal formulas, and the run goes on.
        if equality is not None:
            equal = equality.find_equal(topic.latex, spec.k or _DEPTH, blank=True)
            looks = [(one.look, one.share) for one in equal]
        else:
            looks = rank_formulas(opened, ParsedFormula(topic.latex), spec.k or _DEPTH, spec.how, spec.device)
        for look, score in looks:
            # A run names one instance of each look, or several where that is asked for.
            for member in opened.list_members(look)[: spec.instances or 1]:
                rankings[topic.id].append((member["id"], score))
                posts[member["id"]] = member["post"]
        opened.release_memory()
        events(Event("progress", {"done": number, "total": len(topics), "unit": "topics"}))
    for warning in () if equality is None else equality.list_warnings():
        warn(events, warning)
    run = TrecRun.from_scores(f"mathamr-{spec.how}", rankings)
    left_out = write_run(run, spec.run)
    warn_of_unanswered_topics(topics, {name for name, looks in rankings.items() if looks}, events)
    if left_out:
        warn(events, f"{left_out:,} formulas beyond the first {_DEPTH:,} of a topic are left out")
    document = {
        "run": str(spec.run),
        "complete": True,
        "topics": len(topics),
        "formulas": len(run) - left_out,
        "left_out": left_out,
    }
    reads = {"index": sorted(path for path in spec.index.rglob("*") if path.is_file()), "topics": spec.topics}
    write_manifest("mathamr.search", spec, spec.run, reads, document)
    return document
