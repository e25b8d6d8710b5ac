"""`mathwb egen`: one module per command, loaded when it runs."""

from __future__ import annotations

import typer

from workbench.cli.lazy import Entry, group

__all__ = ["COMMANDS", "app"]

_HERE = "workbench.cli.egen"
COMMANDS = (
    Entry(
        "generate", f"{_HERE}.generate:generate", "Expressions equal to one, each verified.", expressions=True
    ),
    Entry("verify", f"{_HERE}.verify:verify", "Judge pairs of expressions from a file."),
    Entry("rules", f"{_HERE}.rules:rules", "The rewrite rules, and what each does to domains."),
    Entry("corpus", f"{_HERE}.corpus:corpus", "Build a corpus of clusters from templates or a file."),
    Entry("stats", f"{_HERE}.corpus:stats", "Statistics of a corpus."),
    Entry("find", f"{_HERE}.corpus:find", "The cluster that holds a function.", expressions=True),
    Entry("show", f"{_HERE}.look:show", "The members of a stored cluster."),
    Entry(
        "explain",
        f"{_HERE}.look:explain",
        "Why an expression is judged as it is, point by point.",
        expressions=True,
    ),
    Entry("derive", f"{_HERE}.look:derive", "How one expression follows from another.", expressions=True),
    Entry("egraph", f"{_HERE}.look:egraph", "The classes of an expression's e-graph.", expressions=True),
    Entry("pairs", f"{_HERE}.corpus:pairs", "Training pairs or triplets of a corpus, streamed."),
    Entry("eval", f"{_HERE}.eval:evaluate", "Measure a model by the paper's five evaluations."),
    Entry("embed", f"{_HERE}.embed:embed", "Expressions of a file as vectors."),
    Entry(
        "nearest", f"{_HERE}.embed:nearest", "The expressions of a corpus nearest to one.", expressions=True
    ),
    Entry("analogy", f"{_HERE}.embed:analogy", "x1 : y1 :: x2 : ? by vectors.", expressions=True),
    Entry("map", f"{_HERE}.embed:map_", "A picture of embeddings, as the paper's Figure 3."),
    Entry("check", f"{_HERE}.check:check", "The first wrong step of a derivation."),
    Entry(
        "rewrite", f"{_HERE}.rewrite:rewrite", "Other forms, written by a sequence model.", expressions=True
    ),
    Entry("semembed", f"{_HERE}.rewrite:semembed", "The corpus of the SymPy baseline."),
    Entry("import", f"{_HERE}.corpus:import_", "Read clusters in E-Gen's published layout."),
    Entry("export", f"{_HERE}.corpus:export", "Write a corpus in E-Gen's published layout."),
)


def _settings(context: typer.Context) -> None:
    """The user's settings are the defaults of `generate`; options on the command line win."""
    from workbench.config import load_config

    settings = (load_config().settings[name] for name in ("egen.mode", "egen.max_tokens"))
    chosen = {s.name.removeprefix("egen."): s.value for s in settings if s.origin != "default"}
    context.default_map = {"generate": chosen}


app = group("egen", "Equivalent expressions: generate, verify, store, explore.", COMMANDS, prepare=_settings)
