"""The keys of the MathAMR screen and its panes."""

from __future__ import annotations

from screens.shell.keymap import scope

SCREEN_KEYS = scope(
    "mathamr",
    add=(
        "inspect or search",
        "Write a text with $formulas$ and look at its graph; in your files, search their formulas.",
    ),
    model=("parser", "Choose the graph to show: the published one, a parser's, or the edited one."),
    again=("parse again", "Parse the text again with the built-in parser, ignoring edits."),
    edit=(
        "edit",
        "Edit the graph as PENMAN in $EDITOR; strings and pictures follow. Of a formula found in files, open "
        "its file at the line.",
    ),
    diff=(
        "diff",
        "Compare the graph with the built-in parser's, or that with the published one, by Smatch; where runs "
        "are shown, compare these topic by topic; from the query derive the equal formula under the cursor.",
    ),
    inspect=("alignment", "List the source of each formula and node, and any warnings."),
    raw=("LaTeX", "Show formulas as LaTeX, or as plain text."),
    refresh=("read again", "Read the collection's topics again."),
    earlier="Go to the topic before this one.",
    later="Go to the topic after this one.",
    yank=("yank", "Copy what is selected; `Y` offers its forms and the command line."),
    export="Write the graph as SVG, DOT or PENMAN, or a list to a file.",
)
GRAPH_KEYS = scope(
    "graph",
    left=("fold", "Fold the node; on a folded node or a leaf, go to its parent."),
    right=("unfold", "Unfold the node, or go to its first child."),
)
TREE_KEYS = scope(
    "tree",
    open="Go to this node in the graph.",
    down="Go to the next node.",
    up="Go to the node before.",
    top="Go to the root.",
    bottom="Go to the last leaf.",
    left="Go to the operator above; from the root to the pane on the left.",
    right="Go to the first operand.",
)
KEYS = (*SCREEN_KEYS, *GRAPH_KEYS, *TREE_KEYS)
