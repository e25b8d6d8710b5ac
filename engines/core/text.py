"""Text that can be stored as UTF-8, and text that is safe to show in a terminal."""

from __future__ import annotations


def is_text(text: str) -> bool:
    """Return whether all of a text can be written as UTF-8.

    >>> is_text("\N{GRINNING FACE}"), is_text("\\ud83d")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def make_printable(text: str) -> str:
    """Return the text with nothing in it that a terminal would act upon.

    Control and format characters, bidirectional overrides and lone surrogates become visible escapes; line
    ends count as control characters.

    >>> make_printable("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    if text.isprintable():
        return text
    import unicodedata

    return "".join(
        char
        if char.isprintable() or unicodedata.category(char) == "Zs"
        else char.encode("unicode_escape", "surrogatepass").decode("ascii")
        for char in text
    )
