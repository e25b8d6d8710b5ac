"""What the paper brings: the entry point names `PAPER`."""

from __future__ import annotations

from mathwb.workbench.operations import Background, Operation
from mathwb.workbench.paper import DataKey, Paper

OPERATIONS = (
    Operation(
        "words.count",
        "Count the words of a text.",
        "words_paper.count:count_words",
        background=Background("words count {text.name}", "counts {text}", target="text"),
    ),
)

PAPER = Paper(
    name="words",
    help="Words: count them.",
    operations="words_paper.paper:OPERATIONS",
    tables="words_paper.count",
    kinds="words_paper.data:KINDS",
    data=(DataKey("text", "text", "words_paper.data:find"),),
    references={"text": "words_paper.data:resolve"},
    settings="words_paper.data:SETTINGS",
    defaults={"words.least": (("words.count", "least"),)},
    folder="texts",
    doctor="words_paper.data:doctor",
    tour="words_paper.data:tour",
    title="Words",
    screen="words_paper.screen:WordsScreen",
    keys="words_paper.keys:KEYS",
    assets="words_paper",
)
