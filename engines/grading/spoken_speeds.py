"""Speeds whose time stands before the number, as 秒速15 m and 时速60千米, written as 15 m/s and 60 km/h."""

from __future__ import annotations

from engines.grading.answer_vocabulary import map_phrases
from engines.grading.sentence_quantities import match_figures, match_unit
from engines.grading.tokens import Phrases, skip_blanks, tokenize

_TIMES = {
    "s": "秒速, 毎秒, 每秒, 초속",
    "min": "分速, 毎分, 每分, 每分钟, 분속",
    "h": "時速, 毎時, 时速, 每小时, 每时, 시속",
}
_SPEEDS = map_phrases(_TIMES.items())
_LENGTHS = {
    "千米": "km",
    "公里": "km",
    "米": "m",
    "キロ": "km",
    "キロメートル": "km",
    "メートル": "m",
}
_HOURS = {"时": "h", "小时": "h", "時": "h", "分": "min", "分钟": "min", "秒": "s"}
_UNITS_BEHIND = Phrases(
    {f"{length}/{time}": f"{_LENGTHS[length]}/{_HOURS[time]}" for length in _LENGTHS for time in _HOURS}
)


def spell_speeds(text: str) -> str:
    """Return a text with speeds whose time stands before them as quantities.

    >>> spell_speeds("秒速15 m"), spell_speeds("时速60千米"), spell_speeds("60千米/时")
    ('15 m/s', '60 km/h', '60 km/h')
    """
    tokens = tokenize(text)
    if not _SPEEDS.may_occur(tokens) and not _UNITS_BEHIND.may_occur(tokens):
        return text
    written, at = "", 0
    while at < len(tokens):
        speed, behind = _SPEEDS.match(tokens, at), _UNITS_BEHIND.match(tokens, at)
        if behind is not None:
            written += f" {behind[1]}"
            at = behind[0]
            continue
        first = len(tokens) if speed is None else skip_blanks(tokens, speed[0])
        end = match_figures(tokens, first, len(tokens)) if first < len(tokens) else 0
        unit = match_unit(tokens, skip_blanks(tokens, end)) if end else 0
        if speed is None or not unit or "/" in (spelled := text[tokens[end].start : tokens[unit - 1].end]):
            written += tokens[at].text
            at += 1
            continue
        length = _LENGTHS.get(spelled.strip(), spelled.strip())
        written += f"{text[tokens[first].start : tokens[end - 1].end]} {length}/{speed[1]}"
        at = unit
    return written
