"""The keys of the screen."""

from mathwb.screens.shell.keymap import scope

KEYS = scope("words", again=("count", "Count the words again."))
