"""The keys of the ARQMath screen."""

from screens.shell.keymap import scope

KEYS = scope(
    "arqmath",
    add=(
        "search",
        "Search the answers of the collection for anything; the best are ranked again if they can be.",
    ),
    stop="Stop the search or the indexing; what there is stays.",
    refresh=("read again", "Read the collection's runs and judgements again."),
    diff=("side by side", "Put the two runs side by side, with the moves of relevant answers drawn."),
    inspect=(
        "provenance",
        "Show which files the runs and judgements come from, and what was wrong with them.",
    ),
    model=("re-ranker", "Choose the cross-encoder that ranks the best answers of a search again, or none."),
    judge=("judge", "Judge an answer that nobody judged: 0 to 3; kept apart from the official grades."),
    raw=("LaTeX", "Show formulas as LaTeX, or as they are read."),
    choose_run=("run", "Choose the run that is shown."),
    against=("against", "Choose the run that it is held against."),
    earlier="Go to the topic before this one.",
    later="Go to the topic after this one.",
    yank=("yank", "Copy the line of the run; `Y` offers id, text, LaTeX, JSON and the command line."),
    export="Write a run, a table, the bars or your judgements to a file.",
)
