"""The keys of the Triplets screen."""

from screens.shell.keymap import scope

KEYS = scope(
    "triplets",
    open=("edit path", "Show the edits between the anchor's equation and the one under the cursor."),
    next_choice=("strategy", "Take the next strategy: em, nn or joint, with each way to compare texts."),
    add=("solve", "Solve any problem with a trained model: equation, steps, answer and alternatives."),
    model=("model", "Choose the model that solves."),
    choose_run=("choose", "Choose strategy, comparison of texts and pool from a list."),
    judge=("label", "Label a bad triplet, or remove the label; labels are saved in the workspace."),
    all=("all triplets", "Find the triplets of all problems of a large set, to fill the margin column."),
    stop="Stop finding triplets; those found are kept.",
    refresh=("read again", "Read the problems again, and look for other sets."),
    inspect=("provenance", "Show where the problems come from, what the pool holds and what was skipped."),
    earlier="Go to the problem before this one.",
    later="Go to the problem after this one.",
    yank=(
        "yank",
        "Copy the line of the triplet; `Y` offers ids, texts, equation, JSON and the command line.",
    ),
    export="Write the triplets, the candidates or your labels to a file.",
)
