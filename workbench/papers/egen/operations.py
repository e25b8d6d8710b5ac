"""E-Gen's operations, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Background, Operation, Where

__all__ = ["OPERATIONS"]

_TEXT = "workbench.papers.egen.text"
_ROWS = "workbench.papers.egen.rows"
_MODELS = "workbench.papers.egen.text_models"

OPERATIONS = (
    Operation(
        "egen.generate",
        "Expressions equal to one, each verified.",
        spec="engines.egen.generation:Generate",
        call="engines.egen.generation:generate",
        document="engines.egen.generation:document",
        text=f"{_TEXT}:generate",
        expressions=True,
    ),
    Operation(
        "egen.verify",
        "Judge pairs of expressions from a file.",
        spec="engines.egen.verdicts:Verify",
        call="engines.egen.verdicts:verify",
        document="engines.egen.verdicts:document",
        text=f"{_TEXT}:verify",
    ),
    Operation(
        "egen.rules",
        "The rewrite rules, and what each does to domains.",
        spec="engines.egen.check_rules:Rules",
        call="engines.egen.check_rules:rules",
        document="engines.egen.check_rules:document",
        text=f"{_TEXT}:rules",
        code=f"{_TEXT}:rules_code",
    ),
    Operation(
        "egen.corpus",
        "Build a corpus of clusters from templates or a file.",
        spec="engines.egen.corpus_building:BuildCorpus",
        call="engines.egen.corpus_building:build_corpus",
        settle="engines.egen.corpus_building:settled",
        text=f"{_TEXT}:corpus",
        background=Background("egen corpus {out.name}", "builds {out}", home="corpora"),
    ),
    Operation(
        "egen.stats",
        "Statistics of a corpus.",
        spec="engines.egen.corpus_stats:CorpusStats",
        call="engines.egen.corpus_stats:corpus_stats",
        text=f"{_TEXT}:stats",
    ),
    Operation(
        "egen.find",
        "The cluster that holds a function.",
        spec="engines.egen.look_up:FindFunction",
        call="engines.egen.look_up:find",
        text=f"{_TEXT}:find",
        where=Where(
            "matches", f"{_ROWS}:MATCH_FIELDS", f"{_ROWS}:expression_row", f"{_ROWS}:cluster_address"
        ),
        expressions=True,
    ),
    Operation(
        "egen.show",
        "The members of a stored cluster.",
        spec="engines.egen.look_up:ShowCluster",
        call="engines.egen.look_up:show",
        text=f"{_TEXT}:show",
        where=Where(
            "members", f"{_ROWS}:MEMBER_FIELDS", f"{_ROWS}:expression_row", f"{_ROWS}:member_address"
        ),
    ),
    Operation(
        "egen.explain",
        "Why an expression is judged as it is, point by point.",
        spec="engines.egen.verdicts:Explain",
        call="engines.egen.verdicts:explain",
        text=f"{_TEXT}:explain",
        expressions=True,
    ),
    Operation(
        "egen.curve",
        "Values of expressions for a plot.",
        spec="engines.egen.verdicts:Curve",
        call="engines.egen.verdicts:curve",
        expressions=True,
        listed=False,
    ),
    Operation(
        "egen.derive",
        "How one expression follows from another.",
        spec="engines.egen.egraphs:Derive",
        call="engines.egen.egraphs:derive",
        text=f"{_TEXT}:derive",
        expressions=True,
    ),
    Operation(
        "egen.egraph",
        "The classes of an expression's e-graph.",
        spec="engines.egen.egraphs:WalkEgraph",
        call="engines.egen.egraphs:egraph",
        text=f"{_TEXT}:egraph",
        expressions=True,
    ),
    Operation(
        "egen.save",
        "Keep a generated cluster in a corpus.",
        spec="engines.egen.save_cluster:SaveCluster",
        call="engines.egen.save_cluster:save",
        text=f"{_TEXT}:save",
    ),
    Operation(
        "egen.pairs",
        "Training pairs or triplets of a corpus, streamed.",
        spec="engines.egen.publish:Pairs",
        call="engines.egen.publish:pairs",
        text=f"{_TEXT}:pairs",
    ),
    Operation(
        "egen.eval",
        "Measure a model by the paper's five evaluations.",
        spec="workbench.papers.egen.evaluation:EvaluateRow",
        call="workbench.papers.egen.evaluation:evaluate",
        text=f"{_MODELS}:evaluate",
        where=Where("mistakes", f"{_ROWS}:MISTAKE_FIELDS"),
    ),
    Operation(
        "egen.semvec",
        "Measure an encoder on the SemVec benchmark.",
        spec="engines.egen.semvec.evaluate:SemVec",
        call="engines.egen.semvec.evaluate:evaluate",
        text=f"{_MODELS}:semvec",
    ),
    Operation(
        "egen.embed",
        "Expressions of a file as vectors.",
        spec="engines.egen.models.embed:Embed",
        call="engines.egen.models.embed:embed",
        text=f"{_MODELS}:embed",
        settle="engines.egen.models.embed:settled",
        background=Background("egen embed {file.name}", "writes {out}"),
    ),
    Operation(
        "egen.index",
        "Encode a corpus, so that neighbours are answered at once.",
        spec="engines.egen.models.vectors:Index",
        call="engines.egen.models.vectors:index",
        settle="engines.egen.models.vectors:settled",
        text=f"{_MODELS}:index",
        background=Background("egen index {data.name}", "encodes {data}", target="data"),
    ),
    Operation(
        "egen.nearest",
        "The expressions of a corpus nearest to one.",
        spec="engines.egen.models.nearest:Nearest",
        call="engines.egen.models.nearest:nearest",
        text=f"{_MODELS}:nearest",
        where=Where(
            "neighbours", f"{_ROWS}:NEIGHBOUR_FIELDS", f"{_ROWS}:expression_row", f"{_ROWS}:neighbour_address"
        ),
        expressions=True,
    ),
    Operation(
        "egen.analogy",
        "x1 : y1 :: x2 : ? by vectors.",
        spec="engines.egen.models.analogy:SolveAnalogy",
        call="engines.egen.models.analogy:analogy",
        text=f"{_MODELS}:analogy",
        expressions=True,
    ),
    Operation(
        "egen.analogies",
        "The analogies that are measured.",
        spec="engines.egen.models.analogy:Analogies",
        call="engines.egen.models.analogy:analogies",
        listed=False,
    ),
    Operation(
        "egen.map",
        "A picture of embeddings, as the paper's Figure 3.",
        spec="workbench.papers.egen.map:DrawMap",
        call="workbench.papers.egen.map:draw",
        text=f"{_MODELS}:draw_map",
    ),
    Operation(
        "egen.tsne",
        "Arrange a corpus by t-SNE and keep it.",
        spec="workbench.papers.egen.map:KeepMap",
        call="workbench.papers.egen.map:keep",
        listed=False,
    ),
    Operation(
        "egen.check",
        "The first wrong step of a derivation.",
        spec="engines.egen.evaluations.check:Check",
        call="engines.egen.evaluations.check:check",
        text=f"{_MODELS}:check",
        code="engines.egen.evaluations.check:code",
    ),
    Operation(
        "egen.rewrite",
        "Other forms, written by a sequence model.",
        spec="engines.egen.models.rewrite:Rewrite",
        call="engines.egen.models.rewrite:rewrite",
        text=f"{_MODELS}:rewrite",
        expressions=True,
    ),
    Operation(
        "egen.semembed",
        "The corpus of the SymPy baseline.",
        spec="engines.egen.corpus.build_semembed:BuildSemembed",
        call="engines.egen.corpus.build_semembed:build_semembed",
        settle="engines.egen.corpus.build_semembed:settled",
        text=f"{_MODELS}:semembed",
    ),
    Operation(
        "egen.import",
        "Read clusters in E-Gen's published layout.",
        spec="engines.egen.publish:ImportClusters",
        call="engines.egen.publish:import_clusters",
        text=f"{_TEXT}:imported",
    ),
    Operation(
        "egen.export",
        "Write a corpus in E-Gen's published layout.",
        spec="engines.egen.publish:ExportCorpus",
        call="engines.egen.publish:export_corpus",
        text=f"{_TEXT}:export",
    ),
)
