"""How it looks: three themes, the shapes that stand for states, and the plain-ASCII rendering of all of it.

The accents are from Okabe and Ito's palette, which colour-blind readers can tell apart; blue leads and
the others only carry meaning (orange: warning, vermilion: failure, bluish green: success).
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from rich.cells import cell_len
from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter
from textual.theme import Theme

__all__ = ["STATES", "THEMES", "Ascii", "fill", "state"]

_QUIET = {
    "block-cursor-text-style": "none",
    "footer-background": "transparent",
    "input-cursor-text-style": "none",
}

THEMES = (
    Theme(
        name="mathwb-dark",
        primary="#56b4e9",
        secondary="#0072b2",
        accent="#56b4e9",
        warning="#e69f00",
        error="#e8743b",
        success="#2fb891",
        foreground="#d8dee6",
        background="#11151a",
        surface="#11151a",
        panel="#1c232b",
        dark=True,
        variables={
            **_QUIET,
            "quiet": "#7d8a99",
            "off": "#4f5b68",
            "line": "#36414d",
            "series-2": "#e69f00",
            "series-3": "#2fb891",
            "series-4": "#cc79a7",
            "series-5": "#f0e442",
            "series-6": "#e8743b",
            "cursor": "#1f3a4d",
            "cursor-blurred": "#1a242e",
            "block-cursor-foreground": "#ffffff",
            "block-cursor-background": "#1f3a4d",
            "scrollbar": "#36414d",
            "scrollbar-background": "#11151a",
            "scrollbar-hover": "#56b4e9",
        },
    ),
    Theme(
        name="mathwb-light",
        primary="#0072b2",
        secondary="#56b4e9",
        accent="#0072b2",
        warning="#9a5f00",
        error="#b84300",
        success="#00735a",
        foreground="#1d252d",
        background="#fbfaf7",
        surface="#fbfaf7",
        panel="#eeece6",
        dark=False,
        variables={
            **_QUIET,
            "quiet": "#66707a",
            "off": "#b1aea6",
            "line": "#c6c3ba",
            "series-2": "#b84300",
            "series-3": "#00735a",
            "series-4": "#9c3f78",
            "series-5": "#7a6a00",
            "series-6": "#56606a",
            "cursor": "#d3e6f2",
            "cursor-blurred": "#eceae4",
            "block-cursor-foreground": "#0b1116",
            "block-cursor-background": "#d3e6f2",
            "scrollbar": "#c6c3ba",
            "scrollbar-background": "#fbfaf7",
            "scrollbar-hover": "#0072b2",
        },
    ),
    Theme(
        name="mathwb-contrast",
        primary="#ffffff",
        secondary="#56b4e9",
        accent="#f0e442",
        warning="#ffb000",
        error="#ff7a45",
        success="#4dffc3",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#000000",
        dark=True,
        variables={
            **_QUIET,
            "quiet": "#d0d0d0",
            "off": "#808080",
            "line": "#9a9a9a",
            "series-2": "#ff7a45",
            "series-3": "#4dffc3",
            "series-4": "#ff9ad5",
            "series-5": "#56b4e9",
            "series-6": "#ffffff",
            "cursor": "#00488a",
            "cursor-blurred": "#2a2a2a",
            "block-cursor-foreground": "#ffffff",
            "block-cursor-background": "#00488a",
            "scrollbar": "#9a9a9a",
            "scrollbar-background": "#000000",
            "scrollbar-hover": "#f0e442",
        },
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


def state(word: str) -> tuple[str, str]:
    """`✓ succeeded` with its colour, as a part of `Content.assemble`."""
    glyph, colour = STATES.get(word, ("·", "$quiet"))
    return f"{glyph} {word}", colour


def fill(share: float | None) -> str:
    """One cell that fills up with the share done (0 to 1); ⠶ when the total is unknown."""
    if share is None:
        return "⠶"
    return "⡀⣀⣄⣤⣦⣶⣷⣿"[min(7, max(0, int(share * 8)))]


_PLAIN = {
    **dict.fromkeys("─━═╌┄┈╴╶▔▁⎯‾", "-"),
    **dict.fromkeys("│┃║▏▎▍▌▐▕╎┆┊", "|"),
    **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯╔╗╚╝╠╣╦╩╬┏┓┗┛", "+"),
    **dict.fromkeys("▸▶›»→⟩❯", ">"),
    **dict.fromkeys("◂◀‹«←⟨", "<"),
    **dict.fromkeys("▾▼↓", "v"),
    **dict.fromkeys("▴▲↑⇧", "^"),
    **dict.fromkeys("█▉▊▋▇▆▅▄▃▂■▪◆★", "#"),
    **dict.fromkeys("●•·∙×⋅", "*"),
    **dict.fromkeys("−–—‐", "-"),
    **dict.fromkeys("○◌◦", "o"),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("‘’′", "'"),
    "…": "~",
    "✓": "+",
    "✗": "x",
    "⏎": "$",
    "√": "r",
    "Δ": "d",
    "π": "p",
    "≤": "<",
    "≥": ">",
    "≠": "!",
    "≈": "~",
    "⁻": "-",
    "\u00a0": " ",
    "\u202f": " ",
}


@lru_cache(4096)
def _plain(character: str) -> str:
    if character in _PLAIN:
        return _PLAIN[character]
    cells = cell_len(character)
    if "\u2800" <= character <= "\u28ff":
        dots = (ord(character) - 0x2800).bit_count()
        return " .:+*##@@"[dots]
    base = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode()
    return (base or "?")[:1].ljust(cells, "?") if cells else ""


@lru_cache(8192)
def _ascii(text: str) -> str:
    return text if text.isascii() else "".join(map(_plain, text))


class Ascii(LineFilter):
    """Replaces every character that is not ASCII by one that is, cell for cell."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:  # noqa: ARG002
        """The same line in ASCII."""
        return [Segment(_ascii(text), style, control) for text, style, control in segments]
