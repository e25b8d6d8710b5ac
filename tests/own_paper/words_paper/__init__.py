"""A paper from outside: words are counted."""
