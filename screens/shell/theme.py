"""Themes, glyphs, and text as the screens show it."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual.color import Color
from textual.content import Content
from textual.filter import LineFilter
from textual.theme import Theme

from engines.core.text import make_printable
from workbench.tables import choose_noun

# Themes: three sets of colours, the glyphs that stand for states, and plain ASCII in place of all of it.
#
# The accents are from Okabe and Ito's palette, which colour-blind readers can tell apart; blue leads and
# the others only carry meaning (orange: warning, vermilion: failure, bluish green: success).


def _make_theme(name: str, colours: str, series: str, cursor: str, *, dark: bool) -> Theme:
    """Return a theme.

    Args:
        colours: Primary, secondary, accent, warning, error, success, foreground, background, panel, quiet,
            off, line.
        series: The colours of curves from the second on.
        cursor: Its line, that line without focus, and the text on it.
    """
    # Both strings hold colours, separated by blanks, in the order of these names.
    first, second, accent, warning, error, success, text, ground, panel, quiet, off, line = colours.split()
    here, blurred, over = cursor.split()
    variables = {
        **{f"series-{number}": colour for number, colour in enumerate(series.split(), 2)},
        "quiet": quiet,
        "off": off,
        "line": line,
        "cursor": here,
        "cursor-blurred": blurred,
        "block-cursor-foreground": over,
        "block-cursor-background": here,
        "block-cursor-text-style": "none",
        "scrollbar": line,
        "scrollbar-background": ground,
        "scrollbar-hover": accent,
        "footer-background": "transparent",
        "input-cursor-text-style": "none",
    }
    return Theme(
        name=f"mathwb-{name}",
        primary=first,
        secondary=second,
        accent=accent,
        warning=warning,
        error=error,
        success=success,
        foreground=text,
        background=ground,
        surface=ground,
        panel=panel,
        dark=dark,
        variables=variables,
    )


THEMES = (
    _make_theme(
        "dark",
        "#56b4e9 #0072b2 #56b4e9 #e69f00 #e8743b #2fb891 #d8dee6 #11151a #1c232b #7d8a99 #4f5b68 #36414d",
        "#e69f00 #2fb891 #cc79a7 #f0e442 #e8743b",
        "#1f3a4d #1a242e #ffffff",
        dark=True,
    ),
    _make_theme(
        "light",
        "#0072b2 #56b4e9 #0072b2 #9a5f00 #b84300 #00735a #1d252d #fbfaf7 #eeece6 #66707a #b1aea6 #c6c3ba",
        "#b84300 #00735a #9c3f78 #7a6a00 #56606a",
        "#d3e6f2 #eceae4 #0b1116",
        dark=False,
    ),
    _make_theme(
        "contrast",
        "#ffffff #56b4e9 #f0e442 #ffb000 #ff7a45 #4dffc3 #ffffff #000000 #000000 #d0d0d0 #808080 #9a9a9a",
        "#ff7a45 #4dffc3 #ff9ad5 #56b4e9 #ffffff",
        "#00488a #2a2a2a #ffffff",
        dark=True,
    ),
)

STATES: dict[str, tuple[str, str]] = {
    "queued": ("·", "$quiet"),
    "starting": ("…", "$accent"),
    "running": ("…", "$accent"),
    "stopping": ("…", "$warning"),
    "succeeded": ("✓", "$success"),
    "stopped": ("■", "$quiet"),
    "failed": ("✗", "$error"),
    "lost": ("?", "$warning"),
}
"""A job's state: a glyph and a colour; the word always stands beside them."""


def state_label(word: str) -> tuple[str, str]:
    """Return a job's state with its glyph and colour, as a part of `Content.assemble`: `✓ succeeded`."""
    glyph, colour = STATES.get(word, ("·", "$quiet"))
    return f"{glyph} {word}", colour


def fill_cell(share: float | None) -> str:
    """Return one character that is filled in proportion to a share.

    Args:
        share: how much is done, 0 to 1; None when the total is unknown.

    Returns:
        One of ⡀⣀⣄⣤⣦⣶⣷⣿, or ⠶ for an unknown share.
    """
    if share is None:
        return "⠶"
    return "⡀⣀⣄⣤⣦⣶⣷⣿"[min(7, max(0, int(share * 8)))]


_ALIKE = {
    "-": "─═╌┄┈╴╶▔▁⎯‾−–—‐⁻₋↔",
    "=": "━⇔",
    "|": "│┃║▏▎▍▌▐▕╎┆┊‖∥∣",
    "+": "┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝╠╣╦╩╬┏┓┗┛✓",
    ">": "▸▶›»→⟩❯≥",
    "<": "◂◀‹«←⟨≤",
    "v": "▾▼↓∇∨",
    "^": "▴▲↑⇧∧",
    "#": "█▉▊▋▇▆▅▄▃▂■▪◆★□",
    "*": "●•·∙⋅",
    "o": "○◌◦∘°∞",
    '"': "“”″",
    "'": "‘’′",
    "~": "…≈±∓",
    "/": "✎÷∕⁄",
    "x": "✗×",
    "!": "≠¬",
    "d": "Δ∂",
    "S": "∫∑",
    " ": "\u00a0\u202f",
    **dict(zip("$rpePAEnu0", "⏎√π∈∏∀∃∩∪∅", strict=True)),
}
"""An ASCII character, and those that it stands for."""
_PLAIN = {sign: plain for plain, signs in _ALIKE.items() for sign in signs}
_NAMED = {
    ">": ("RIGHTWARDS", "GREATER", "SUCCEEDS", "SUPERSET"),
    "<": ("LEFTWARDS", "LESS", "PRECEDES", "SUBSET"),
    "^": ("UPWARDS", "NORTH"),
    "v": ("DOWNWARDS", "SOUTH"),
    "=": ("EQUAL", "IDENTICAL"),
    "~": ("TILDE",),
    "#": ("SQUARE",),
    "+": ("PLUS",),
    "*": ("TIMES",),
    "o": ("CIRCLED",),
}
"""Words in the Unicode names of characters, by what they make of them."""


def _by_name(character: str) -> str:
    """Return the letter that a Greek or other letter sounds like; of signs what their names say."""
    name = unicodedata.name(character, "")
    if " LETTER " in name:
        letter = name.split(" LETTER ")[1].removeprefix("FINAL ")[:1]
        return letter if "CAPITAL" in name else letter.lower()
    return next((plain for plain, words in _NAMED.items() if any(word in name for word in words)), "")


@lru_cache(4096)
def _plain_character(character: str) -> str:
    # In this order: a fixed replacement, braille by the number of its dots, the letter without its accents,
    # and the Unicode name.
    if character in _PLAIN:
        return _PLAIN[character]
    cells = cell_len(character)
    if "\u2800" <= character <= "\u28ff":
        dots = (ord(character) - 0x2800).bit_count()
        return " .:+*##@@"[dots]
    base = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    # A wide character becomes as many cells, so that columns still line up.
    return (base or _by_name(character) or "?")[:1].ljust(cells, "?") if cells else ""


_PAIRS = {"≠ ": "!=", "≤ ": "<=", "≥ ": ">="}
"""Signs that ASCII has no single character for take the blank behind them."""


@lru_cache(8192)
def _to_ascii(text: str) -> str:
    if text.isascii():
        return text
    # Such a pair has two cells before and after.
    for sign, plain in _PAIRS.items():
        text = text.replace(sign, plain)
    return "".join(map(_plain_character, text))


class Ascii(LineFilter):
    """Replace every character that is not ASCII by one that is, cell for cell."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """Return the segments with every character as ASCII."""
        return [Segment(_to_ascii(text), style, control) for text, style, control in segments]


DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of the dots of a braille character, four lines of two."""


def safe_text(text: object, style: str = "") -> Content:
    """Turn text from anywhere into content: markup is not read and control characters are escaped."""
    plain = make_printable(str(text))
    return Content.styled(plain, style) if style else Content(plain)


def text_width(text: str) -> int:
    """Return how many terminal cells a text takes."""
    return cell_len(text)


def elide(text: str, cells: int) -> str:
    """Shorten a text to at most `cells` cells by replacing its middle with `…`."""
    if cell_len(text) <= cells:
        return text
    if cells <= 1:
        return "…" if cells == 1 else ""
    head = cells // 2
    tail = cells - 1 - head
    # Cut by cells and not by characters, since some characters are two cells wide.
    left = set_cell_size(text, head)
    right = text[-tail:] if tail else ""
    while cell_len(right) > tail:
        right = right[1:]
    # Half of a wide character does not fit; a blank takes its place.
    return left + "…" + " " * (tail - cell_len(right)) + right


def fold_lines(text: str, cells: int) -> list[str]:
    """Wrap a text at word boundaries into lines of at most `cells` cells (never fewer than 8)."""
    parts = (Content(" ".join(part.split())) for part in text.splitlines() or [""])
    # Wrapping at fewer than 8 cells would put every word on several lines.
    return [line.plain for part in parts for line in part.wrap(max(8, cells))]


def format_count(number: int, digits: int = 15) -> str:
    """Format an integer with spaces between the thousands: `4 731`.

    Args:
        number: the integer.
        digits: longer numbers are written with an exponent, such as `2.1e16`.
    """
    if abs(number) >= 10**digits:
        whole = str(abs(number))
        return f"{'-' if number < 0 else ''}{whole[0]}.{whole[1]}e{len(whole) - 1}"
    return f"{number:,}".replace(",", " ")


def format_quantity(number: int, one: str, many: str = "") -> str:
    """Format a count with its noun: `1 node`, `4 731 nodes`.

    Args:
        number: the count.
        one: the singular.
        many: the plural, when it is not the singular with an s.
    """
    return f"{format_count(number)} {choose_noun(number, one, many)}"


def format_number(value: float) -> str:
    """Format a measured value with at most four digits: `0.3155`, `9.7e-5`, `41.2k`, `3.1M`, `1e21`."""
    if abs(value) >= 1e12 or 0 < abs(value) < 1e-4:
        digits, _, exponent = f"{value:.4g}".partition("e")
        return f"{digits}e{int(exponent)}" if exponent else f"{digits}"
    # From 10 000 on, in thousands: four digits are still exact below that.
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= limit:
            return f"{value / (limit if unit != 'k' else 1e3):.4g}{unit}"
    return f"{value:.4g}"


def format_percent(share: float, digits: int = 0) -> str:
    """Format a share from 0 to 1 as a percentage: `41 %`."""
    return f"{100 * share:.{digits}f} %"


GRADE_STYLES = ("$quiet", "", "$success", "$success bold")
"""The colours of the grades 0 to 3 of relevance."""


def grade_cell(grade: int | None, own: int | None = None) -> Content:
    """Draw an official relevance grade, the user's own grade in parentheses, or – for no grade."""
    if grade is not None:
        return safe_text(grade, GRADE_STYLES[min(grade, 3)])
    return safe_text("–", "$quiet") if own is None else safe_text(f"({own})", "$accent")


def format_time(seconds: float) -> str:
    """Format a time in Unix seconds as local `HH:MM:SS`."""
    import time

    return time.strftime("%H:%M:%S", time.localtime(seconds))
