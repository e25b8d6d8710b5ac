"""Keys of the E-graphs screen, its panes and what it opens."""

from __future__ import annotations

from screens.shell.keymap import SCATTER_KEYS, SHEET_KEYS, scope

SCREEN_KEYS = scope(
    "egraphs",
    add=("grow", "Write an expression and grow its cluster."),
    stop="Stop the growth and keep the members so far; stop the encoding.",
    keep="Save the grown cluster in the corpus `grown` of this workspace.",
    again=("grow again", "Grow the cluster's head again, with the same settings."),
    refresh="Read the corpora again, and look for others.",
    evaluate="Evaluate the model by the paper's five tasks, costliest mistakes first.",
    model="Choose the model that makes vectors.",
    diff=("derive", "Derive one of the two marked members from the other, one checked step per line."),
    inspect=("provenance", "Show how the cluster was made: settings, stop reason, rules that fired."),
    earlier="Draw the slice before this one, where there are several variables.",
    later="Draw the next slice: another variable varies, then the others take other values.",
    yank=("yank", "Copy the expression; `Y` offers prefix, infix, LaTeX, tree, JSON and the command line."),
    export="Write members, e-graph, map, neighbours or the list of clusters to a file.",
)
EGRAPH_KEYS = scope(
    "egraph",
    left=("fold", "Fold the class or node; on a line inside one, go to what it belongs to."),
    right=("unfold", "Unfold the class into its nodes, or the node into the classes of its operands."),
)
GROW_KEYS = scope(
    "grow",
    style="While an expression is written: another style for it, plain, distinct or any.",
    order="While an expression is written: another order of its members, shortest, readable or random.",
)
MISTAKE_KEYS = scope(
    "mistakes",
    open="Show the question, what was expected and what was predicted in full.",
    next_tab="Show the next evaluation.",
    previous_tab="Show the previous evaluation.",
)
ANALOGY_KEYS = scope(
    "analogies",
    add=("write one", "Write an analogy: x1 : y1 :: x2, and = what is expected if you know it."),
)
KEYS = (*SCREEN_KEYS, *GROW_KEYS, *EGRAPH_KEYS, *SCATTER_KEYS, *SHEET_KEYS, *MISTAKE_KEYS, *ANALOGY_KEYS)
