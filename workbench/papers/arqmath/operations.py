"""ARQMath's operations, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Background, Operation, Where

__all__ = ["OPERATIONS"]

_ENGINE = "engines.arqmath"
_TEXT = "workbench.papers.arqmath.text"
_ROWS = "workbench.papers.arqmath.rows"
_SETTLE = "workbench.papers.arqmath.collections:settled"

OPERATIONS = (
    Operation(
        "arqmath.topics",
        "A collection's topics with their scores.",
        spec=f"{_ENGINE}.ranking.topics:Topics",
        call=f"{_ENGINE}.ranking.topics:topics",
        settle=_SETTLE,
        text=f"{_TEXT}:topics",
        where=Where("topics", f"{_ROWS}:TOPIC_FIELDS", f"{_ROWS}:topic_row", f"{_ROWS}:topic_address"),
    ),
    Operation(
        "arqmath.show",
        "A topic's ranking, held against another run's.",
        spec=f"{_ENGINE}.ranking.topics:Show",
        call=f"{_ENGINE}.ranking.topics:show",
        settle=_SETTLE,
        text=f"{_TEXT}:show",
        where=Where("answers", f"{_ROWS}:ANSWER_FIELDS", f"{_ROWS}:answer_row", f"{_ROWS}:answer_address"),
    ),
    Operation(
        "arqmath.post",
        "A post, with its formulas written for a terminal.",
        spec=f"{_ENGINE}.collection.posts:Post",
        call=f"{_ENGINE}.collection.posts:post",
        settle=_SETTLE,
        text=f"{_TEXT}:post",
    ),
    Operation(
        "arqmath.judgements",
        "Your own judgements, as qrels.",
        spec="workbench.papers.arqmath.judgements:OwnJudgements",
        call="workbench.papers.arqmath.judgements:own_judgements",
        text=f"{_TEXT}:judgements",
    ),
    Operation(
        "arqmath.backbone",
        "Learn a tokenizer, to pre-train from scratch.",
        spec=f"{_ENGINE}.training.new_backbone:NewBackbone",
        call=f"{_ENGINE}.training.new_backbone:backbone",
        text=f"{_TEXT}:backbone",
    ),
    Operation(
        "arqmath.pretrain-data",
        "Segments or pairs to pre-train on.",
        spec=f"{_ENGINE}.training.pretraining_file:PretrainData",
        call=f"{_ENGINE}.training.pretraining_file:pretrain_data",
        text=f"{_TEXT}:pretrain_data",
    ),
    Operation(
        "arqmath.pairs",
        "Draw pairs of question and answer to fine-tune on.",
        spec=f"{_ENGINE}.training.pairs_file:DrawPairs",
        call=f"{_ENGINE}.training.pairs_file:pairs",
        text=f"{_TEXT}:pairs",
    ),
    Operation(
        "arqmath.rank",
        "Rank answers for topics, by an index, a cross-encoder or both.",
        spec=f"{_ENGINE}.ranking.rank:Rank",
        call=f"{_ENGINE}.ranking.rank:rank",
        text=f"{_TEXT}:rank",
        background=Background("arqmath rank {run.name}", "ranks into {run}", target="run"),
    ),
    Operation(
        "arqmath.fuse",
        "Fuse runs of any origin.",
        spec=f"{_ENGINE}.ranking.fuse:Fuse",
        call=f"{_ENGINE}.ranking.fuse:fuse",
    ),
    Operation(
        "arqmath.index",
        "Make a collection searchable by terms and by vectors.",
        spec=f"{_ENGINE}.collection.indexing:IndexCollection",
        call=f"{_ENGINE}.collection.indexing:index",
        settle=f"{_ENGINE}.collection.indexing:settled",
        text=f"{_TEXT}:index",
        background=Background("arqmath index {folder.name}", "builds {out}"),
    ),
    Operation(
        "arqmath.search",
        "Search the answers of an indexed collection.",
        spec=f"{_ENGINE}.ranking.search:Search",
        call=f"{_ENGINE}.ranking.search:search",
        text=f"{_TEXT}:search",
        where=Where("hits", f"{_ROWS}:HIT_FIELDS", f"{_ROWS}:hit_row", f"{_ROWS}:hit_address"),
    ),
    Operation(
        "arqmath.export",
        "The answers of an index as lines of JSON, for Pyserini.",
        spec=f"{_ENGINE}.collection.export:ExportDocuments",
        call=f"{_ENGINE}.collection.export:export",
        text=f"{_TEXT}:exported",
    ),
    Operation(
        "arqmath.eval",
        "A run's prime measures, per topic and on average.",
        spec=f"{_ENGINE}.ranking.evaluate:Evaluate",
        call=f"{_ENGINE}.ranking.evaluate:evaluate",
        text=f"{_TEXT}:evaluate",
        document=f"{_ENGINE}.ranking.evaluate:document",
    ),
    Operation(
        "arqmath.tune",
        "Choose first stages on some topics, report on others.",
        spec=f"{_ENGINE}.ranking.tune:Tune",
        call=f"{_ENGINE}.ranking.tune:tune",
        text=f"{_TEXT}:tune",
    ),
    Operation(
        "arqmath.generate",
        "Answers of their own to topics (Task 3).",
        spec=f"{_ENGINE}.generation.generate:Generate",
        call=f"{_ENGINE}.generation.generate:generate",
        text=f"{_TEXT}:generate",
        recipes=True,
    ),
    Operation(
        "arqmath.compare",
        "Runs side by side, with significance tests.",
        spec=f"{_ENGINE}.ranking.compare:Compare",
        call=f"{_ENGINE}.ranking.compare:compare",
        text=f"{_TEXT}:compare",
    ),
    Operation(
        "arqmath.ranking",
        "A topic in every run.",
        spec=f"{_ENGINE}.ranking.topics:Ranking",
        call=f"{_ENGINE}.ranking.topics:ranking",
        settle=_SETTLE,
        listed=False,
    ),
    Operation(
        "arqmath.snippets",
        "How posts begin.",
        spec=f"{_ENGINE}.collection.posts:Snippets",
        call=f"{_ENGINE}.collection.posts:snippets",
        settle=_SETTLE,
        listed=False,
    ),
    Operation(
        "arqmath.prepare",
        "Index a small collection, anew where its posts are others.",
        spec=f"{_ENGINE}.collection.indexing:Prepare",
        call=f"{_ENGINE}.collection.indexing:prepare",
        text=f"{_TEXT}:index",
        listed=False,
    ),
    Operation(
        "arqmath.write-run",
        "A run of a collection in TREC's format.",
        spec=f"{_ENGINE}.ranking.topics:WriteRun",
        call=f"{_ENGINE}.ranking.topics:write_run",
        settle=_SETTLE,
        listed=False,
    ),
    Operation(
        "arqmath.picture",
        "The bars of a run over the topics, as SVG.",
        spec=f"{_ENGINE}.ranking.topics:Picture",
        call=f"{_ENGINE}.ranking.topics:picture",
        settle=_SETTLE,
        text=f"{_TEXT}:picture",
        listed=False,
    ),
)
