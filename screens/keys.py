"""The keys of all screens, and `docs/keys.md`, which `python -m screens.keys` writes."""

from __future__ import annotations

from pathlib import Path
from string import ascii_letters

from engines.core.files import write_text
from screens.registry import SCREEN_KEYS, SCREENS, ScreenEntry
from screens.shell.keymap import (
    APP_KEYS,
    LIST_KEYS,
    SCATTER_KEYS,
    SHEET_KEYS,
    TEXT_KEYS,
    VERBS,
    VIEW_KEYS,
    Verb,
    VerbKey,
    key_text,
    scope,
)

EGRAPHS_SCREEN = scope(
    "egraphs",
    add=("grow", "Write an expression and grow its cluster."),
    stop="Stop the growth and keep the members so far; stop the encoding.",
    keep="Save the grown cluster in the corpus `grown` of this workspace.",
    again=("grow again", "Grow the cluster's head again, with the same settings."),
    refresh="Reload the corpora, and look for new ones.",
    evaluate="Evaluate the model by the paper's five tasks, costliest mistakes first.",
    model="Choose the model that makes vectors.",
    diff=("derive", "Derive one of the two marked members from the other, one checked step per line."),
    inspect=("provenance", "Show how the cluster was made: settings, stop reason, rules that fired."),
    earlier="Draw the slice before this one, where there are several variables.",
    later="Draw the next slice: another variable varies, then the others take other values.",
    yank="Copy the expression; `Y` offers prefix, infix, LaTeX, tree, JSON and the command line.",
    export="Write members, e-graph, map, neighbours or the list of clusters to a file.",
)
EGRAPH_KEYS = scope(
    "egraph",
    left=("fold", "Fold the class or node; on a line inside one, go to what it belongs to."),
    right=("unfold", "Unfold the class into its nodes, or the node into the classes of its operands."),
)
GROW_KEYS = scope(
    "grow",
    style=(
        Verb(("f2",), "style", hint=False),
        "While you type an expression: switch its style between plain, distinct and any.",
    ),
    order=(
        Verb(("f3",), "order", hint=False),
        "While you type an expression: order its members by length, readability or at random.",
    ),
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
_SHEETS = SHEET_KEYS + MISTAKE_KEYS + ANALOGY_KEYS
EGRAPHS_KEYS = EGRAPHS_SCREEN + GROW_KEYS + EGRAPH_KEYS + SCATTER_KEYS + _SHEETS

TRIPLETS_SCREEN = scope(
    "triplets",
    open=("edit path", "Show the edits between the anchor's equation and the one under the cursor."),
    next_choice=("strategy", "Take the next strategy: em, nn or joint, with each way to compare texts."),
    add=("solve", "Solve any problem with a trained model: equation, steps, answer and alternatives."),
    model=("model", "Choose the model that solves."),
    choose_run=("choose", "Choose strategy, comparison of texts and pool from a list."),
    judge=("label", "Label a bad triplet, or remove the label; labels are saved in the workspace."),
    evaluate=(
        "evaluate",
        "Show the solutions of the set as steps, its audit, the wrong answers of a solver by kind, and what "
        "flipped against another solver.",
    ),
    all=("all triplets", "Find the triplets of all problems of a large set, to fill the margin column."),
    stop="Stop finding triplets; those found are kept.",
    refresh=("read again", "Read the problems again, and look for other sets."),
    inspect=("provenance", "Show where the problems come from, what the pool holds and what was skipped."),
    earlier="Go to the problem before this one.",
    later="Go to the problem after this one.",
    yank="Copy the line of the triplet; `Y` offers ids, texts, equation, JSON and the command line.",
    export="Write the triplets, the candidates or your labels to a file.",
)
EVALUATION_KEYS = scope(
    "evaluation",
    open=("its triplet", "Close the evaluation and go to the triplet of this problem."),
    next_tab="Show the next of solutions, audit, wrong answers and flips.",
    previous_tab="Show the previous of solutions, audit, wrong answers and flips.",
    model=("evaluated", "Choose what is evaluated: a solver, or a file with anybody's answers."),
    against=(
        "against",
        "Choose the solver to compare with: problems that only one gets right are the flips.",
    ),
    stop="Stop the evaluation.",
)
TRIPLETS_KEYS = TRIPLETS_SCREEN + EVALUATION_KEYS

JOBS_SCREEN = scope(
    "jobs",
    add=("new job", "Start a new job: choose a recipe and fill in its fields."),
    stop="Ask the job to save its work and stop.",
    kill="Kill the job at once; unsaved work is lost.",
    again="Run it again: an unfinished job resumes from what it saved, a finished one starts anew.",
    delete="In the list: put a job that is over into the trash, a sweep with its runs; u restores it.",
    protect=(
        Verb(("P",), "protect", hint=False),
        "Protect the job, or the sweep with its runs, from being deleted; again: no longer.",
    ),
    diff=(
        "compare",
        "Compare the two marked jobs by settings, results and machine; without marks the settings of a "
        "sweep, or the last two attempts.",
    ),
    smooth="Smooth the curves: more, most, then not at all.",
    inspect="Show where the job ran: versions, machine, commit, hashes of its data.",
    edit=("open log", "Open the readable log, or on the files page the file, in $PAGER."),
    yank="Copy the command line that shows this job.",
    export="Write the metrics, the table of jobs or the recipe to a file.",
)
FOLD_KEYS = scope(
    "sweep",
    left=("fold", "Fold the runs of a sweep; on a run, go to its sweep."),
    right=("unfold", "Show the runs of a sweep under it."),
)
JOBS_KEYS = (*JOBS_SCREEN, *FOLD_KEYS)

ARQMATH_KEYS = scope(
    "arqmath",
    add=("search", "Search the collection's answers; the best are re-ranked if there is a cross-encoder."),
    stop="Stop the search or the indexing; results so far are kept.",
    refresh=("read again", "Read the collection's runs and judgements again."),
    diff=(
        "side by side",
        "Put the two runs side by side, with the moves of relevant answers drawn; on the links of an answer "
        "derive one side of the equation under the cursor from the other, on the E-graphs screen.",
    ),
    inspect=("provenance", "Show which files the runs and judgements come from, and any problems in them."),
    model=("re-ranker", "Choose the cross-encoder that re-ranks the best answers of a search, or none."),
    judge=("judge", "Judge an unjudged answer: 0 to 3; stored apart from the official grades."),
    edit="On the links of an answer: open a copy of its text in $EDITOR, at the line of the link.",
    raw=("LaTeX", "Show formulas as LaTeX, or as plain text."),
    choose_run=("run", "Choose the run that is shown."),
    against=("against", "Choose the run to compare with."),
    earlier="Go to the topic before this one.",
    later="Go to the topic after this one.",
    yank="Copy the line of the run; `Y` offers id, text, LaTeX, JSON and the command line.",
    export="Write a run, a table, the bars or your judgements to a file.",
)

MATHAMR_SCREEN = scope(
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
    yank="Copy what is selected; `Y` offers its forms and the command line.",
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
MATHAMR_KEYS = (*MATHAMR_SCREEN, *GRAPH_KEYS, *TREE_KEYS)


def list_scopes() -> list[tuple[str, tuple[VerbKey, ...]]]:
    """Return the keys of every scope with the title under which they are documented."""
    shared = [
        ("Everywhere", SCREEN_KEYS + APP_KEYS),
        ("On every screen", VIEW_KEYS),
        ("In lists", LIST_KEYS),
        ("In texts and logs", TEXT_KEYS),
    ]
    return shared + [(f"{entry.key} {entry.title}", entry.load_keys()) for entry in SCREENS]


def list_free_letters() -> list[str]:
    """Return the letters that no verb of any screen has as its key."""
    list_scopes()  # every screen's keys are loaded here, with the verbs that they add
    used = {key for verb in VERBS.values() for key in verb.keys}
    return [letter for letter in ascii_letters if letter not in used]


def write_reference() -> str:
    """Return the page of all keys, in Markdown."""
    lines = [
        "# Keys",
        "",
        "The same letter means the same verb on every screen. `?` lists the keys that apply where you are.",
        'Remap them in the settings file, by id (`[keymap]`, `jobs.stop = "z"`) or by verb for all screens',
        '(`stop = "z"`). This page is written by `python -m screens.keys`.',
    ]
    lines += ["", "## One letter, one verb", ""]
    scopes = list_scopes()  # every screen's keys are loaded here, with the verbs that they add
    lines += [f"| key | {' | '.join(entry.title for entry in SCREENS)} |", "|---" * (len(SCREENS) + 1) + "|"]
    for verb, known in VERBS.items():
        labels = [_label_of(entry, verb) for entry in SCREENS]
        if any(labels):
            lines.append(f"| `{key_text(known.keys[0])}` | {' | '.join(labels)} |")
    lines += ["", f"Letters that are free: {' '.join(f'`{letter}`' for letter in list_free_letters())}."]
    for title, keys in scopes:
        lines += ["", f"## {title}", "", "| key | id | what it does |", "|---|---|---|"]
        for key in keys:
            shown = " ".join(f"`{key_text(name)}`" for name in key.keys)
            sentence = key.sentence.replace("|", "\\|")
            lines.append(f"| {shown} | {key.id} | {sentence} |")
    return "\n".join(lines) + "\n"


def _label_of(entry: ScreenEntry, verb: str) -> str:
    return next((key.label for key in entry.load_keys() if key.id == f"{entry.name}.{verb}"), "")


def main() -> None:
    """Write the page of all keys to `docs/keys.md`."""
    write_text(Path(__file__).parent.parent / "docs" / "keys.md", write_reference())


if __name__ == "__main__":
    main()
