"""`mathwb arqmath`: one module per command, loaded when it runs."""

from __future__ import annotations

import typer

from workbench.cli.lazy import Entry, lazy_group

__all__ = ["app"]

_HERE = "workbench.cli.arqmath"
COMMANDS = (
    Entry("topics", f"{_HERE}.topics:topics", "A collection's topics with their scores."),
    Entry("show", f"{_HERE}.topics:show", "A topic's ranking, held against another run's."),
    Entry("post", f"{_HERE}.topics:post", "A post, with its formulas written for a terminal."),
    Entry("judgements", f"{_HERE}.topics:judgements", "Your own judgements, as qrels."),
    Entry("backbone", f"{_HERE}.backbone:backbone", "Learn a tokenizer, to pre-train from nothing."),
    Entry("pretrain-data", f"{_HERE}.pretrain_data:pretrain_data", "Segments or pairs to pre-train on."),
    Entry("pairs", f"{_HERE}.pairs:pairs", "Draw pairs of question and answer to fine-tune on."),
    Entry("rank", f"{_HERE}.rank:rank", "Rank answers for topics, by an index, a cross-encoder or both."),
    Entry("index", f"{_HERE}.index:index", "Make a collection searchable by terms and by vectors."),
    Entry("search", f"{_HERE}.search:search", "Search the answers of an indexed collection."),
    Entry("eval", f"{_HERE}.eval:evaluate_run", "A run's prime measures, per topic and on average."),
    Entry("generate", f"{_HERE}.generate:generate_answers", "Answers of their own to topics (Task 3)."),
    Entry("compare", f"{_HERE}.compare:compare_runs", "Runs side by side, with significance tests."),
)

app = typer.Typer(
    name="arqmath",
    cls=lazy_group(COMMANDS),
    help="ARQMath answer retrieval: evaluate and compare runs.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback()
def arqmath() -> None:
    """ARQMath answer retrieval: evaluate and compare runs."""
