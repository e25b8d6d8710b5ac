"""ARQMath's operations in the order in which help lists them, its stops of the tour, and its registration."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from workbench.operations import Background, FilterableRows, Guide, Operation, ResultDocument
from workbench.paper import DataKey, Paper, Trainer

if TYPE_CHECKING:
    from workbench.workspace import Workspace

_TABLES = "workbench.papers.arqmath.tables"
_RESOLVE = "workbench.papers.arqmath.data:resolve_collection"

OPERATIONS = (
    Operation(
        "arqmath.topics",
        "A collection's topics with their scores.",
        "engines.arqmath.ranking.overview:list_topics",
        resolve=_RESOLVE,
        where=FilterableRows("topics", f"{_TABLES}:TOPICS", f"{_TABLES}:topic_address"),
        tool=True,
        tables=True,
    ),
    Operation(
        "arqmath.show",
        "A topic's ranking, compared with another run's.",
        "engines.arqmath.ranking.overview:show_topic",
        resolve=_RESOLVE,
        where=FilterableRows("answers", f"{_TABLES}:ANSWERS", f"{_TABLES}:answer_address"),
        tool=True,
        tables=True,
    ),
    Operation(
        "arqmath.post",
        "A post, with its formulas as plain text.",
        "engines.arqmath.collection.posts:read_post",
        resolve=_RESOLVE,
        tool=True,
    ),
    Operation(
        "arqmath.judgements", "Your own judgements, as qrels.", "workbench.papers.arqmath.data:own_judgements"
    ),
    Operation(
        "arqmath.backbone",
        "Learn a tokenizer, to pre-train from scratch.",
        "engines.arqmath.training.new_backbone:make_backbone",
    ),
    Operation(
        "arqmath.pretrain-data",
        "Segments or pairs to pre-train on.",
        "engines.arqmath.training.data_files:pretrain_data",
        tables=True,
    ),
    Operation(
        "arqmath.pairs",
        "Sample question-answer pairs to fine-tune on.",
        "engines.arqmath.training.data_files:write_drawn_pairs",
        tables=True,
    ),
    Operation(
        "arqmath.rank",
        "Rank answers for topics, by an index, a cross-encoder or both.",
        "engines.arqmath.ranking.rank:rank",
        background=Background("arqmath rank {run.name}", "ranks into {run}", target="run"),
    ),
    Operation("arqmath.fuse", "Fuse runs of any origin.", "engines.arqmath.ranking.rank:fuse"),
    Operation(
        "arqmath.index",
        "Make a collection searchable by terms and by vectors.",
        "engines.arqmath.collection.indexing:index",
        resolve="engines.arqmath.collection.indexing:check_share",
        background=Background("arqmath index {folder.name}", "builds {out}"),
    ),
    Operation(
        "arqmath.search",
        "Search the answers of an indexed collection.",
        "engines.arqmath.ranking.search:search",
        expressions=True,
        where=FilterableRows("hits", f"{_TABLES}:HITS", f"{_TABLES}:hit_address"),
        tool=True,
        tables=True,
    ),
    Operation(
        "arqmath.export",
        "The answers of an index as lines of JSON, for Pyserini.",
        "engines.arqmath.collection.indexing:export_documents",
        text=f"{_TABLES}:describe_export",
    ),
    Operation(
        "arqmath.eval",
        "A run's prime measures, per topic and on average.",
        "engines.arqmath.ranking.evaluate:evaluate",
        text=f"{_TABLES}:evaluate",
        document="engines.arqmath.ranking.evaluate:unwrap_single_run",
        tool=True,
        tables=True,
    ),
    Operation(
        "arqmath.tune",
        "Tune first stages on some topics, report on others.",
        "engines.arqmath.ranking.tune:tune",
        tables=True,
    ),
    Operation(
        "arqmath.generate",
        "Write an answer to each topic (Task 3).",
        "engines.arqmath.generation.generate:generate",
        recipes=True,
    ),
    Operation(
        "arqmath.compare",
        "Compare runs, with significance tests.",
        "engines.arqmath.ranking.evaluate:compare",
        tool=True,
        tables=True,
    ),
    Operation(
        "arqmath.ranking",
        "A topic in every run.",
        "engines.arqmath.ranking.overview:show_ranking",
        resolve=_RESOLVE,
        listed=False,
    ),
    Operation(
        "arqmath.snippets",
        "How posts begin.",
        "engines.arqmath.collection.posts:list_snippets",
        resolve=_RESOLVE,
        listed=False,
    ),
    Operation(
        "arqmath.prepare",
        "Index a small collection, again if its posts have changed.",
        "engines.arqmath.collection.indexing:prepare_index",
        text=f"{_TABLES}:index",
        listed=False,
    ),
    Operation(
        "arqmath.write-run",
        "A run of a collection in TREC's format.",
        "engines.arqmath.ranking.overview:write_run",
        resolve=_RESOLVE,
        listed=False,
    ),
    Operation(
        "arqmath.picture",
        "A bar plot of a run's scores by topic, as SVG.",
        "engines.arqmath.ranking.overview:draw_run",
        resolve=_RESOLVE,
        listed=False,
    ),
)


def run_tour(guide: Guide, workspace: Workspace) -> None:
    """Run the stops of the tour that show ARQMath on the sample."""
    from workbench.papers.arqmath.data import list_collections

    known = list_collections(workspace)
    if not known:
        guide.say("the workspace has no ARQMath collection, so this is skipped")
        return
    collection = known[0]
    params = {"folder": str(collection.path)}
    overview = guide.stop(
        f"Evaluate the runs of the collection {collection.name}", "arqmath.topics", params, _describe_runs
    )
    runs = [run["name"] for run in overview["runs"] if run["interval"]]
    if len(runs) > 1:
        ours, other = runs[:2]
        both = [topic for topic in overview["topics"] if {ours, other} <= topic["ndcg"].keys()]
        topic = min(both, key=lambda topic: float(topic["ndcg"][other] - topic["ndcg"][ours]))
        ranking = guide.stop(
            f"See where {other} loses most against {ours}: {topic['id']}",
            "arqmath.ranking",
            {**params, "topic": topic["id"]},
            lambda comparison: _side_by_side(comparison, overview, ours, other),
        )
        best = max(ranking["grades"], key=lambda id_: (ranking["grades"][id_], id_))
        guide.stop("Read its best answer", "arqmath.post", {**params, "id": best}, _describe_post)
    if overview["index"] == "small":
        index = {**params, "index": str(collection.index)}
        guide.stop("Index its answers", "arqmath.prepare", index, _describe_index)
    if overview["index"] in ("small", "ready"):
        query = "why is the sum of $\\frac{1}{n}$ infinite"
        asked = {"index": str(collection.index), "query": query, "k": 5}
        guide.stop(f"Search it: {query}", "arqmath.search", asked, _describe_hits)


def _describe_runs(result: ResultDocument) -> Iterator[str]:
    grades = ", ".join(f"{count} of grade {grade}" for grade, count in enumerate(result["grades"]))
    yield f"{len(result['topics'])} topics; judgements: {grades}"
    for run in result["runs"]:
        if run["interval"]:
            low, high = run["interval"]
            yield (
                f"  {run['name']:<14} nDCG' {run['ndcg_prime']:.3f} ({low:.3f} to {high:.3f})  "
                f"mAP' {run['map_prime']:.3f}  P'@10 {run['p10_prime']:.3f}"
            )
    for written in result["answers"]:
        if written["judged"]:
            yield f"  written answers of {written['name']}: AR {written['ar']:.2f}, P@1 {written['p1']:.2f}"


def _side_by_side(result: ResultDocument, overview: ResultDocument, ours: str, other: str) -> Iterator[str]:
    scores = {
        topic["id"]: (topic["ndcg"].get(ours, 0.0), topic["ndcg"].get(other, 0.0))
        for topic in overview["topics"]
    }
    better, worse = (sum(sign * (b - a) > 0 for a, b in scores.values()) for sign in (1, -1))
    yield f"{other} is better than {ours} on {better} topics and worse on {worse}"
    a, b = scores[result["topic"]]
    yield f"{result['shown']['title']} (nDCG' {b:.3f} against {a:.3f})"
    yield f"  rank  {ours:<20} {other}"
    for rank, pair in enumerate(
        zip(*(result["runs"][name][:5] for name in (ours, other)), strict=False), start=1
    ):
        mine, theirs = (f"{id_} {_format_grade(result['grades'].get(id_))}" for id_, _ in pair)
        yield f"  {rank:<4}  {mine:<20} {theirs}"


def _format_grade(grade: int | None) -> str:
    return "unjudged" if grade is None else f"grade {grade}"


def _describe_post(result: ResultDocument) -> Iterator[str]:
    if result["question"]:
        yield f"to: {result['question']['title']}"
    for line in result["text"].splitlines():
        yield from textwrap.wrap(line, 100)


def _describe_index(result: ResultDocument) -> Iterator[str]:
    yield f"{result['documents']:,} answers, {result['lexical']['terms']:,} terms"


def _describe_hits(result: ResultDocument) -> list[str]:
    return [f"{row['score']:6.2f}  {row['id']}  {row['title']}" for row in result["hits"]]


PAPER = Paper(
    name="arqmath",
    help="Answer retrieval: evaluate and compare runs.",
    operations="workbench.papers.arqmath.paper:OPERATIONS",
    tables="workbench.papers.arqmath.tables",
    trainers=(
        Trainer(
            "arqmath.pretrain",
            "engines.arqmath.training.pretraining:PretrainTask",
            ("engines.arqmath.training.settings:PretrainSettings",),
            data=("collection", "amps", "backbone"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.crossencoder",
            "engines.arqmath.training.finetuning:CrossEncoderTask",
            ("engines.arqmath.training.settings:FinetuneSettings",),
            data=("collection", "backbone", "annotated", "run", "hard_negatives", "exclude"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.reranker",
            "engines.arqmath.training.reranking:RerankTask",
            ("engines.arqmath.training.settings:RerankSettings",),
            data=("collection", "backbone", "run", "exclude"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.encoder",
            "engines.arqmath.training.bi_encoder:DenseTask",
            ("engines.arqmath.training.settings:DenseSettings",),
            data=("collection", "backbone", "run", "exclude"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.splade",
            "engines.arqmath.training.bi_encoder:SpladeTask",
            ("engines.arqmath.training.settings:SpladeSettings",),
            data=("collection", "backbone", "run", "exclude"),
            begins="backbone",
        ),
        Trainer(
            "arqmath.generator",
            "engines.arqmath.generation.training:GeneratorTask",
            data=("collection", "amps", "backbone"),
            begins="backbone",
        ),
    ),
    kinds="workbench.papers.arqmath.data:KINDS",
    data=(DataKey("collection", "arqmath", "workbench.papers.arqmath.data:locate_collection"),),
    folder="arqmath",
    tour="workbench.papers.arqmath.paper:run_tour",
    references={
        "index": "workbench.papers.arqmath.data:index_path",
        "collection": "workbench.papers.arqmath.data:collection_path",
        "source": "workbench.papers.arqmath.data:source_path",
        "encoder": "workbench.papers.arqmath.data:encoder_path",
    },
)
