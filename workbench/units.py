"""Durations and counted things as people read them."""

from __future__ import annotations

_DAY = 86_400
_YEAR = 365.25 * _DAY


def duration(seconds: float | None) -> str:
    """Seconds as people read them: `8s`, `14m`, `3h 05m`, `40d`, `2.9 years`; empty when unknown."""
    if seconds is None or seconds < 0:
        return ""
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m"
    if whole < _DAY:
        return f"{whole // 3600}h {whole % 3600 // 60:02}m"
    if whole < 10 * _DAY:
        return f"{whole // _DAY}d {whole % _DAY // 3600:02}h"
    return f"{whole // _DAY}d" if whole < _YEAR else f"{whole / _YEAR:.1f} years"


def to_the_second(seconds: float | None) -> str:
    """`52s`, `7m42s`, `3h05m`; empty when unknown."""
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes:02d}m" if hours else f"{minutes}m{rest:02d}s" if minutes else f"{rest}s"


def noun(count: int, one: str, many: str = "") -> str:
    """The word for so many: `node`, `nodes`; `many` when it is not `one` with an s."""
    return one if count == 1 else many or f"{one}s"
