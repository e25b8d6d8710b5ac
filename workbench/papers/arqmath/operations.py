"""ARQMath's operations, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Background, Operation, Where

_TABLES = "workbench.papers.arqmath.tables"
_RESOLVE = "workbench.papers.arqmath.data:resolved"

OPERATIONS = (
    Operation(
        "arqmath.topics",
        "A collection's topics with their scores.",
        "engines.arqmath.ranking.overview:topics",
        resolve=_RESOLVE,
        where=Where("topics", f"{_TABLES}:TOPICS", f"{_TABLES}:topic_address"),
        tool=True,
        tables=True,
    ),
    Operation(
        "arqmath.show",
        "A topic's ranking, compared with another run's.",
        "engines.arqmath.ranking.overview:show",
        resolve=_RESOLVE,
        where=Where("answers", f"{_TABLES}:ANSWERS", f"{_TABLES}:answer_address"),
        tool=True,
        tables=True,
    ),
    Operation(
        "arqmath.post",
        "A post, with its formulas as plain text.",
        "engines.arqmath.collection.lookup:post",
        resolve=_RESOLVE,
        tool=True,
    ),
    Operation(
        "arqmath.judgements",
        "Your own judgements, as qrels.",
        "workbench.papers.arqmath.judgements:own_judgements",
    ),
    Operation(
        "arqmath.backbone",
        "Learn a tokenizer, to pre-train from scratch.",
        "engines.arqmath.training.new_backbone:backbone",
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
        "engines.arqmath.training.data_files:pairs",
        tables=True,
    ),
    Operation(
        "arqmath.rank",
        "Rank answers for topics, by an index, a cross-encoder or both.",
        "engines.arqmath.ranking.rank:rank",
        background=Background("arqmath rank {run.name}", "ranks into {run}", target="run"),
    ),
    Operation("arqmath.fuse", "Fuse runs of any origin.", "engines.arqmath.ranking.fuse:fuse"),
    Operation(
        "arqmath.index",
        "Make a collection searchable by terms and by vectors.",
        "engines.arqmath.collection.indexing:index",
        resolve="engines.arqmath.collection.indexing:resolved",
        background=Background("arqmath index {folder.name}", "builds {out}"),
    ),
    Operation(
        "arqmath.search",
        "Search the answers of an indexed collection.",
        "engines.arqmath.ranking.search:search",
        expressions=True,
        where=Where("hits", f"{_TABLES}:HITS", f"{_TABLES}:hit_address"),
        tool=True,
        tables=True,
    ),
    Operation(
        "arqmath.export",
        "The answers of an index as lines of JSON, for Pyserini.",
        "engines.arqmath.collection.indexing:export",
        text=f"{_TABLES}:exported",
    ),
    Operation(
        "arqmath.eval",
        "A run's prime measures, per topic and on average.",
        "engines.arqmath.ranking.evaluate:evaluate",
        text=f"{_TABLES}:evaluate",
        document="engines.arqmath.ranking.evaluate:document",
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
        "engines.arqmath.ranking.overview:ranking",
        resolve=_RESOLVE,
        listed=False,
    ),
    Operation(
        "arqmath.snippets",
        "How posts begin.",
        "engines.arqmath.collection.lookup:snippets",
        resolve=_RESOLVE,
        listed=False,
    ),
    Operation(
        "arqmath.prepare",
        "Index a small collection, again if its posts have changed.",
        "engines.arqmath.collection.indexing:prepare",
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
        "engines.arqmath.ranking.overview:picture",
        resolve=_RESOLVE,
        listed=False,
    ),
)
