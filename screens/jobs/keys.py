"""The keys of the Jobs screen."""

from screens.shell.keymap import scope

SCREEN_KEYS = scope(
    "jobs",
    add=("new job", "Start a new job: choose a recipe and fill in its fields."),
    stop="Ask the job to save its work and stop.",
    kill="Kill the job at once; unsaved work is lost.",
    again="Run it again: a job that did not succeed goes on from what it saved, one that did starts anew.",
    delete="Delete the run folder of a job that is over; u brings it back until mathwb is left.",
    diff=(
        "compare",
        "Compare the two marked jobs by settings, results and machine; without marks the settings of a "
        "sweep, or the last two attempts.",
    ),
    smooth="Smooth the curves: more, most, then not at all.",
    inspect="Show where the job ran: versions, machine, commit, hashes of its data.",
    edit=("open log", "Open the readable log, or on the files page the file, in $PAGER."),
    yank=("yank", "Copy the command line that shows this job."),
    export="Write the metrics, the table of jobs or the recipe to a file.",
)
FOLD_KEYS = scope(
    "sweep",
    left=("fold", "Fold the runs of a sweep; on a run, go to its sweep."),
    right=("unfold", "Show the runs of a sweep under it."),
)
KEYS = (*SCREEN_KEYS, *FOLD_KEYS)
