"""The keys of the ARQMath screen."""

from screens.shell.keymap import scope

KEYS = scope(
    "arqmath",
    add=(
        "search",
        "Search the collection's answers; the best are re-ranked if there is a cross-encoder.",
    ),
    stop="Stop the search or the indexing; results so far are kept.",
    refresh=("read again", "Read the collection's runs and judgements again."),
    diff=(
        "side by side",
        "Put the two runs side by side, with the moves of relevant answers drawn; on the links of an answer "
        "derive one side of the equation under the cursor from the other, on the E-graphs screen.",
    ),
    inspect=(
        "provenance",
        "Show which files the runs and judgements come from, and any problems in them.",
    ),
    model=("re-ranker", "Choose the cross-encoder that re-ranks the best answers of a search, or none."),
    judge=("judge", "Judge an unjudged answer: 0 to 3; stored apart from the official grades."),
    edit="On the links of an answer: open a copy of its text in $EDITOR, at the line of the link.",
    raw=("LaTeX", "Show formulas as LaTeX, or as plain text."),
    choose_run=("run", "Choose the run that is shown."),
    against=("against", "Choose the run to compare with."),
    earlier="Go to the topic before this one.",
    later="Go to the topic after this one.",
    yank=("yank", "Copy the line of the run; `Y` offers id, text, LaTeX, JSON and the command line."),
    export="Write a run, a table, the bars or your judgements to a file.",
)
