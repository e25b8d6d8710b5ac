"""The keys of the dummy's screen."""

from screens.shell.keymap import scope

KEYS = scope("dummy", again=("count", "Count the words again."))
