"""E-Gen's operations in the order in which help lists them, its stops of the tour, and its registration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.operations import Background, FilterableRows, Guide, Operation, ResultDocument
from workbench.paper import Paper, Trainer

if TYPE_CHECKING:
    from workbench.workspace import Workspace

_TABLES = "workbench.papers.egen.tables"
_EVALUATION_TABLES = "workbench.papers.egen.evaluation_tables"

OPERATIONS = (
    Operation(
        "grade",
        "Grade answers against references: equal, and where not, why.",
        "engines.grading.graded_files:grade_pairs",
        text=f"{_TABLES}:grade",
        document="engines.grading.graded_files:grades_document",
        code="engines.grading.graded_files:exit_code",
        expressions=True,
        tool=True,
        tables=True,
    ),
    Operation(
        "proofread",
        "Find the mistakes in a document.",
        "engines.proofreading.proofread_files:proofread",
        spec="engines.proofreading.proofread_files:Proofread",
        text=f"{_EVALUATION_TABLES}:proofread",
        code="engines.proofreading.proofread_files:exit_code",
        tool=True,
    ),
    Operation(
        "egen.generate",
        "Generate expressions equal to one, each verified.",
        "engines.egen.generation:generate",
        spec="engines.egen.generation:Generate",
        document="engines.egen.generation:cluster_document",
        expressions=True,
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.verify",
        "Judge pairs of expressions from a file.",
        "engines.egen.verify_and_explain:verify",
        spec="engines.egen.verify_and_explain:Verify",
        document="engines.egen.verify_and_explain:verification_document",
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.rules",
        "The rewrite rules, and what each does to domains.",
        "engines.egen.rules_and_theories:list_rules",
        document="engines.egen.rules_and_theories:rules_document",
        code=f"{_TABLES}:rules_code",
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.theory",
        "List the theories, or check one of your own.",
        "engines.egen.rules_and_theories:check_theory",
        tables=True,
    ),
    Operation(
        "egen.corpus",
        "Build a corpus of clusters from templates or a file.",
        "engines.egen.corpora:build_corpus",
        resolve="engines.egen.corpora:resolve_build",
        background=Background("egen corpus {out.name}", "builds {out}", home="corpora"),
    ),
    Operation(
        "egen.stats", "Statistics of a corpus.", "engines.egen.corpora:corpus_stats", tool=True, tables=True
    ),
    Operation(
        "egen.find",
        "The cluster that holds a function.",
        "engines.egen.corpora:find_function",
        where=FilterableRows("matches", f"{_TABLES}:MATCHES", f"{_TABLES}:cluster_address"),
        expressions=True,
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.show",
        "The members of a stored cluster.",
        "engines.egen.corpora:show_cluster",
        where=FilterableRows("members", f"{_TABLES}:MEMBERS", f"{_TABLES}:member_address"),
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.explain",
        "Explain a verdict, point by point.",
        "engines.egen.verify_and_explain:explain",
        expressions=True,
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.curve",
        "Values of expressions for a plot.",
        "engines.egen.verify_and_explain:plot_curve",
        expressions=True,
        listed=False,
    ),
    Operation(
        "egen.derive",
        "Derive one expression from another.",
        "engines.egen.egraphs:derive",
        spec="engines.egen.egraphs:Derive",
        expressions=True,
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.egraph",
        "The classes of an expression's e-graph.",
        "engines.egen.egraphs:walk_egraph",
        expressions=True,
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.extract",
        "Terms of an e-graph of egg, egglog or Herbie.",
        "engines.egen.egraphs:extract",
        tool=True,
        tables=True,
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
        "egen.pairs",
        "Training pairs or triplets of a corpus, streamed.",
        "engines.egen.corpora:iterate_pairs",
    ),
    Operation(
        "egen.eval",
        "Evaluate a model by the paper's five tasks.",
        "workbench.papers.egen.evaluation:evaluate_row",
        text=f"{_EVALUATION_TABLES}:evaluate",
        where=FilterableRows("mistakes", f"{_EVALUATION_TABLES}:MISTAKES"),
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.semvec",
        "Evaluate an encoder on the SemVec benchmark.",
        "engines.egen.semvec.evaluate:evaluate",
        tables=True,
    ),
    Operation(
        "egen.embed",
        "Embed the expressions of a file.",
        "engines.egen.models.embed:embed",
        resolve="engines.egen.models.embed:resolve_embedding",
        background=Background("egen embed {file.name}", "writes {out}"),
    ),
    Operation(
        "egen.index",
        "Encode a corpus, for fast neighbour searches.",
        "engines.egen.models.vectors:index",
        resolve="engines.egen.models.vectors:resolve_index",
        background=Background("egen index {data.name}", "encodes {data}", target="data"),
    ),
    Operation(
        "egen.nearest",
        "The expressions of a corpus nearest to one.",
        "engines.egen.models.nearest:nearest",
        where=FilterableRows("neighbours", f"{_TABLES}:NEIGHBOURS", f"{_TABLES}:neighbour_address"),
        expressions=True,
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.analogy",
        "x1 : y1 :: x2 : ? by vectors.",
        "engines.egen.models.nearest:analogy",
        expressions=True,
        tables=True,
    ),
    Operation(
        "egen.analogies",
        "The analogies used for evaluation.",
        "engines.egen.models.nearest:find_analogies",
        listed=False,
    ),
    Operation(
        "egen.map",
        "A map of embeddings, as in the paper's Figure 3.",
        "workbench.papers.egen.evaluation:draw_map",
        text=f"{_TABLES}:draw_map",
        tables=True,
    ),
    Operation(
        "egen.check",
        "The first wrong step of a derivation.",
        "engines.egen.evaluations.check:check_derivations",
        text=f"{_EVALUATION_TABLES}:check",
        code="engines.egen.evaluations.check:exit_code",
        tool=True,
    ),
    Operation(
        "egen.rewrite",
        "Other forms, written by a sequence-to-sequence model.",
        "engines.egen.models.nearest:rewrite_expression",
        expressions=True,
        tool=True,
        tables=True,
    ),
    Operation(
        "egen.semembed",
        "The corpus of the SymPy baseline.",
        "engines.egen.corpus.build_semembed:build_semembed",
        resolve="engines.egen.corpus.build_semembed:resolve_build",
    ),
    Operation(
        "egen.import",
        "Import clusters in E-Gen's published layout.",
        "engines.egen.corpora:import_clusters",
        text=f"{_TABLES}:describe_import",
    ),
    Operation(
        "egen.export", "Write a corpus in E-Gen's published layout.", "engines.egen.corpora:export_corpus"
    ),
)


_WAYS = ("tan atan x", "pow sqrt x 2", "asin sin x")


def run_tour(guide: Guide, workspace: Workspace) -> None:
    """Run the stops of the tour that show E-Gen on the sample."""
    from tempfile import TemporaryDirectory

    from workbench.papers.egen.data import list_corpora

    guide.stop(
        "Grow the derivative of -9 sinh(2-7x) into expressions that equal it",
        "egen.generate",
        {"expr": "d x * -9 sinh - 2 * 7 x", "members": 12},
        _describe_members,
    )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "pairs.tsv"
        file.write_text("".join(f"x\t{member}\n" for member in _WAYS))
        guide.stop("Judge three ways to write x", "egen.verify", {"file": str(file)}, _describe_verdicts)
    corpus = next(list_corpora(workspace), None)
    if corpus is None:
        guide.say("the workspace has no corpus, so this is skipped")
        return
    params = {"corpus": str(corpus)}
    guide.stop(f"Count the corpus {corpus.name}", "egen.stats", params, _describe_statistics)
    cluster = guide.stop("Open its first cluster", "egen.show", {**params, "cluster": 0}, _describe_cluster)
    # A member that lost some of the domain is another function.
    equal = [row for row in cluster["members"] if row["verdict"] in ("head", "equal")]
    longest = max(equal, key=lambda row: row["tokens"])
    guide.stop(
        f"Find the cluster of {longest['infix']}",
        "egen.find",
        {**params, "expr": longest["prefix"]},
        _describe_matches,
    )


def _to_unicode(text: str) -> str:
    from engines.core.expression_language import read_prefix
    from engines.mathematics.terms.notation import unicode_infix

    return unicode_infix(read_prefix(text))


def _describe_members(result: ResultDocument) -> Iterator[str]:
    stats = result["stats"]
    yield (
        f"{stats['total_members']:,} expressions within the token limit, in {stats['nodes']:,} nodes and "
        f"{stats['classes']:,} classes (stop: {stats['stop_reason']}); {len(result['members'])} of them:"
    )
    for row in result["members"]:
        yield f"  {row['verdict']:<8} {row['tokens']:>3} tokens  {_to_unicode(row['prefix'])}"


def _describe_verdicts(result: ResultDocument) -> Iterator[str]:
    for row, member in zip(result["results"], _WAYS, strict=True):
        yield f"{_to_unicode(member)}: {row['verdict']}, defined at {row['kept']:.0%} of the points"


def _describe_statistics(result: ResultDocument) -> Iterator[str]:
    for name, value in result.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{name.replace('_', ' ')}: {value:,.6g}"


def _describe_cluster(result: ResultDocument) -> Iterator[str]:
    verdicts = Counter(row["verdict"] for row in result["members"])
    yield f"{len(result['members']):,} expressions: " + ", ".join(
        f"{n:,} {word}" for word, n in verdicts.items()
    )
    for row in result["members"][:4]:
        yield f"  {row['unicode']}"


def _describe_matches(result: ResultDocument) -> Iterator[str]:
    for match in result["matches"]:
        yield f"cluster {match['cluster']}, {match['unicode']}: {match['verdict']}"


_DATA = ("corpus", "exclude", "backbone")
_SETTINGS = ("engines.egen.models.model_folder:ModelSettings", "engines.egen.models.config:ModelConfig")

PAPER = Paper(
    name="egen",
    help="Equivalent expressions: generate, verify, store, explore.",
    operations="workbench.papers.egen.paper:OPERATIONS",
    tables="workbench.papers.egen.tables",
    trainers=(
        Trainer(
            "egen.contrastive",
            "engines.egen.models.trainers:make_contrastive_task",
            _SETTINGS,
            _DATA,
            "backbone",
        ),
        Trainer(
            "egen.seq2seq", "engines.egen.models.trainers:make_seq2seq_task", _SETTINGS, _DATA, "backbone"
        ),
        Trainer(
            "egen.composed",
            "engines.egen.composed.trainer:make_composed_task",
            ("engines.egen.composed.trainer:ComposedSettings", "engines.egen.composed.network:ComposedSizes"),
            _DATA,
            "backbone",
        ),
        Trainer(
            "egen.semvec",
            "engines.egen.semvec.trainer:SemVecTask",
            ("engines.egen.semvec.trainer:SemVecSettings",),
            ("classes", "backbone"),
            "backbone",
        ),
    ),
    kinds="workbench.papers.egen.data:KINDS",
    settings="workbench.papers.egen.data:KEYS",
    folder="corpora",
    doctor="workbench.papers.egen.data:check_egen",
    tour="workbench.papers.egen.paper:run_tour",
    references={
        "corpus": "workbench.papers.egen.data:corpus_path",
        "expressions": "workbench.papers.egen.data:expressions_path",
        "model": "workbench.papers.egen.data:model_path",
    },
    defaults={
        "egen.mode": (("egen.generate", "mode"),),
        "egen.style": (("egen.generate", "style"),),
        "egen.holes": (("egen.generate", "holes"),),
        "egen.order": (("egen.generate", "order"),),
        "egen.max_tokens": (("egen.generate", "max_tokens"),),
    },
)
