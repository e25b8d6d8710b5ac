"""The keys of the screen."""

from screens.shell.keymap import scope

KEYS = scope("words", again=("count", "Count the words again."))
