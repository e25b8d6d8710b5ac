"""E-Gen's operations, in the order in which help lists them."""

from __future__ import annotations

from workbench.operation import Background, Operation, Where

_TABLES = "workbench.papers.egen.tables"

OPERATIONS = (
    Operation(
        "grade",
        "Grade answers against references: equal, and where not, why.",
        "engines.egen.grading.pairs:grade_pairs",
        text=f"{_TABLES}:grade",
        document="engines.egen.grading.pairs:document",
        code="engines.egen.grading.pairs:code",
        expressions=True,
        tool=True,
    ),
    Operation(
        "proofread",
        "Find the mistakes in a document.",
        "engines.egen.proofreading.proofread:proofread",
        text=f"{_TABLES}:proofread",
        code="engines.egen.proofreading.proofread:code",
        tool=True,
    ),
    Operation(
        "egen.generate",
        "Generate expressions equal to one, each verified.",
        "engines.egen.generation:generate",
        document="engines.egen.generation:document",
        expressions=True,
        tool=True,
    ),
    Operation(
        "egen.verify",
        "Judge pairs of expressions from a file.",
        "engines.egen.verdicts:verify",
        document="engines.egen.verdicts:document",
        tool=True,
    ),
    Operation(
        "egen.rules",
        "The rewrite rules, and what each does to domains.",
        "engines.egen.check_rules:rules",
        document="engines.egen.check_rules:document",
        code=f"{_TABLES}:rules_code",
        tool=True,
    ),
    Operation(
        "egen.corpus",
        "Build a corpus of clusters from templates or a file.",
        "engines.egen.corpora:build_corpus",
        resolve="engines.egen.corpora:resolved",
        background=Background("egen corpus {out.name}", "builds {out}", home="corpora"),
    ),
    Operation(
        "egen.stats",
        "Statistics of a corpus.",
        "engines.egen.corpora:corpus_stats",
        tool=True,
    ),
    Operation(
        "egen.find",
        "The cluster that holds a function.",
        "engines.egen.corpora:find",
        where=Where("matches", f"{_TABLES}:MATCHES", f"{_TABLES}:cluster_address"),
        expressions=True,
        tool=True,
    ),
    Operation(
        "egen.show",
        "The members of a stored cluster.",
        "engines.egen.corpora:show",
        where=Where("members", f"{_TABLES}:MEMBERS", f"{_TABLES}:member_address"),
        tool=True,
    ),
    Operation(
        "egen.explain",
        "Explain a verdict, point by point.",
        "engines.egen.verdicts:explain",
        expressions=True,
        tool=True,
    ),
    Operation(
        "egen.curve",
        "Values of expressions for a plot.",
        "engines.egen.verdicts:curve",
        expressions=True,
        listed=False,
    ),
    Operation(
        "egen.derive",
        "Derive one expression from another.",
        "engines.egen.egraphs:derive",
        expressions=True,
        tool=True,
    ),
    Operation(
        "egen.egraph",
        "The classes of an expression's e-graph.",
        "engines.egen.egraphs:egraph",
        expressions=True,
        tool=True,
    ),
    Operation(
        "egen.save",
        "Save a generated cluster in a corpus.",
        "engines.egen.corpora:save",
        spec="engines.egen.corpora:SaveCluster",
    ),
    Operation(
        "egen.save-document",
        "Save a generated cluster that is in memory.",
        "engines.egen.corpora:save",
        spec="engines.egen.corpora:SaveDocument",
        listed=False,
    ),
    Operation(
        "egen.pairs", "Training pairs or triplets of a corpus, streamed.", "engines.egen.corpora:pairs"
    ),
    Operation(
        "egen.eval",
        "Evaluate a model by the paper's five tasks.",
        "workbench.papers.egen.evaluation:evaluate",
        text=f"{_TABLES}:evaluate",
        where=Where("mistakes", f"{_TABLES}:MISTAKES"),
        tool=True,
    ),
    Operation(
        "egen.semvec", "Evaluate an encoder on the SemVec benchmark.", "engines.egen.semvec.evaluate:evaluate"
    ),
    Operation(
        "egen.embed",
        "Embed the expressions of a file.",
        "engines.egen.models.embed:embed",
        resolve="engines.egen.models.embed:resolved",
        background=Background("egen embed {file.name}", "writes {out}"),
    ),
    Operation(
        "egen.index",
        "Encode a corpus, for fast neighbour searches.",
        "engines.egen.models.vectors:index",
        resolve="engines.egen.models.vectors:resolved",
        background=Background("egen index {data.name}", "encodes {data}", target="data"),
    ),
    Operation(
        "egen.nearest",
        "The expressions of a corpus nearest to one.",
        "engines.egen.models.nearest:nearest",
        where=Where("neighbours", f"{_TABLES}:NEIGHBOURS", f"{_TABLES}:neighbour_address"),
        expressions=True,
        tool=True,
    ),
    Operation(
        "egen.analogy",
        "x1 : y1 :: x2 : ? by vectors.",
        "engines.egen.models.nearest:analogy",
        expressions=True,
    ),
    Operation(
        "egen.analogies",
        "The analogies used for evaluation.",
        "engines.egen.models.nearest:analogies",
        listed=False,
    ),
    Operation(
        "egen.map",
        "A map of embeddings, as in the paper's Figure 3.",
        "workbench.papers.egen.evaluation:draw",
        text=f"{_TABLES}:draw_map",
    ),
    Operation(
        "egen.check",
        "The first wrong step of a derivation.",
        "engines.egen.evaluations.check:check",
        code="engines.egen.evaluations.check:code",
        tool=True,
    ),
    Operation(
        "egen.rewrite",
        "Other forms, written by a sequence-to-sequence model.",
        "engines.egen.models.nearest:rewrite",
        expressions=True,
        tool=True,
    ),
    Operation(
        "egen.semembed",
        "The corpus of the SymPy baseline.",
        "engines.egen.corpus.build_semembed:build_semembed",
        resolve="engines.egen.corpus.build_semembed:resolved",
    ),
    Operation(
        "egen.import",
        "Import clusters in E-Gen's published layout.",
        "engines.egen.corpora:import_clusters",
        text=f"{_TABLES}:imported",
    ),
    Operation(
        "egen.export", "Write a corpus in E-Gen's published layout.", "engines.egen.corpora:export_corpus"
    ),
)
