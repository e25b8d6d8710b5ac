"""Make the moving picture of the README: twenty seconds of the screens on the sample workspace, as one SVG.

What is the same in several frames is drawn once; each piece is shown and hidden by a style sheet, so that any
browser plays it and nothing is fetched. `python -m docs.picture` draws it with the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

SIZE = (100, 28)
_CELL, _LINE, _BAR = 12.2, 24.4, 46
_SHOWN = re.compile(
    r'<text class="([\w-]+)" x="([\d.]+)" y="([\d.]+)" textLength="([\d.]+)"[^>]*>(.*?)</text>'
)
_PAINT = re.compile(
    r'<rect fill="(#\w+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"[^>]*/>'
)
_STYLE = re.compile(r"\.([\w-]+-r\d+) \{ ([^}]*?) \}")
_FONTS = "ui-monospace,'Cascadia Mono','DejaVu Sans Mono',Menlo,Consolas,monospace"


_PATIENCE = 60
"""Seconds that the engine may take for an answer."""


@dataclass(frozen=True, slots=True)
class Step:
    """Keys to press, what is said of it below the screen, how long it is shown, and how long it takes until
    the engine is asked."""

    keys: Sequence[str]
    says: str
    seconds: float
    wait_s: float = 1.0


STEPS = (
    Step((), "expressions, and what is equal to them: each is judged", 1.6, 12),
    Step(("a", *"cos(2x)"), "a  write one of your own", 1.4, 2),
    Step(("enter",), "⏎  an e-graph grows, and its members are verified", 2.0, 15),
    Step(("j", "j", "j"), "j  each of them …", 0.8, 3),
    Step(("enter",), "⏎  … says why: domains, values, a curve", 2.0, 5),
    Step(("2",), "2  word problems: the triplets that are hard to tell apart", 1.6, 10),
    Step(("j",), "j  the next one", 0.8, 4),
    Step(("3",), "3  jobs: trainings, their curves and logs", 1.6, 5),
    Step(("space", "space"), "space  mark two runs: their curves together", 1.8, 4),
    Step(("4",), "4  ARQMath: topics, and how runs rank their answers", 1.6, 10),
    Step(("enter", "enter"), "⏎  an answer in full", 1.4, 4),
    Step(("5",), "5  MathAMR: formulas in their sentences, as graphs", 1.4, 10),
    Step(("j",), "j  and as trees", 1.0, 4),
    Step(("?",), "?  every key, with a sentence", 1.0, 2),
)
"""Together twenty seconds."""


async def filmed(app: Any) -> list[str]:
    frames = []
    async with app.run_test(size=SIZE) as pilot:
        for step in STEPS:
            await pilot.press(*step.keys)
            await settled(app, pilot, step.wait_s)
            frames.append(app.export_screenshot())
    return frames


async def settled(app: Any, pilot: Any, wait_s: float = 1.0) -> None:
    """Wait until the engine has answered what is asked within `wait_s`."""
    await pilot.pause(wait_s)
    for _ in range(_PATIENCE):
        if app.engine._current is None:
            break
        await pilot.pause(1)
    await pilot.pause(1)


def film(frames: Sequence[str], steps: Sequence[Step] = STEPS) -> str:
    """One SVG that shows frame after frame, and begins again."""
    styles: dict[str, str] = {}
    painted: dict[str, set[int]] = {}
    written: dict[str, set[int]] = {}
    for number, (frame, step) in enumerate(zip(frames, steps, strict=True)):
        for element in _rectangles(frame):
            painted.setdefault(element, set()).add(number)
        y = SIZE[1] * _LINE + 34
        caption = f'<text class="c" x="{_CELL}" y="{y:g}">{escape(step.says)}</text>'
        for element in (*_texts(frame, styles), caption):
            written.setdefault(element, set()).add(number)
    groups: dict[tuple[int, ...], str] = {}
    body = [
        f'<g class="{groups.setdefault(when, f"k{len(groups)}")}">{"".join(elements)}</g>'
        for kind in (painted, written)
        for when, elements in _by_frames(kind)
    ]
    total = sum(step.seconds for step in steps)
    rules = [f".{name}{{{style}}}" for style, name in styles.items()]
    rules += [_shown(name, when, steps, total) for when, name in groups.items()]
    wide, high = SIZE[0] * _CELL + 2 * _CELL, SIZE[1] * _LINE + _LINE + _BAR
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}" xml:space="preserve">',
            f"<style>text{{font:20px {_FONTS};white-space:pre}}.c{{fill:#d8dee6}}{''.join(rules)}</style>",
            f'<rect width="{wide:g}" height="{high:g}" rx="8" fill="#11151a"/>',
            f'<g transform="translate({_CELL} {_LINE / 2})">',
            *body,
            "</g></svg>",
            "",
        ]
    )


def _rectangles(frame: str) -> Iterator[str]:
    """Backgrounds, those that touch in a line as one."""
    last: list[Any] = []
    for fill, *numbers in _PAINT.findall(frame):
        x, y, width, height = map(float, numbers)
        if last and last[0] == fill and last[2] == y and abs(last[1] + last[3] - x) < 0.1:
            last[3] += width
            continue
        if last:
            yield _rectangle(*last)
        last = [fill, x, y, width, height]
    if last:
        yield _rectangle(*last)


def _rectangle(fill: str, x: float, y: float, width: float, height: float) -> str:
    if fill == "#11151a":
        return ""
    return f'<path fill="{fill}" d="M{x:g} {y:g}h{width:g}v{height:g}h-{width:g}z"/>'


def _texts(frame: str, styles: dict[str, str]) -> Iterator[str]:
    known = dict(_STYLE.findall(frame))
    for name, x, y, length, text in _SHOWN.findall(frame):
        if name not in known or not text.replace("&#160;", "").strip():
            continue
        style = styles.setdefault(known[name].replace(": ", ":").strip(" ;"), f"r{len(styles)}")
        text = text.replace("&#160;", " ")
        yield f'<text class="{style}" x="{x}" y="{y}" textLength="{length}">{text}</text>'


def _by_frames(kind: dict[str, set[int]]) -> Iterable[tuple[tuple[int, ...], list[str]]]:
    found: dict[tuple[int, ...], list[str]] = {}
    for element, when in kind.items():
        if element:
            found.setdefault(tuple(sorted(when)), []).append(element)
    return found.items()


def _shown(name: str, when: tuple[int, ...], steps: Sequence[Step], total: float) -> str:
    """The rule that shows a group in its frames; where nothing moves, the first frame is seen."""
    begin, changes, before = 0.0, [], None
    for number, step in enumerate(steps):
        now = "visible" if number in when else "hidden"
        if now != before:
            changes.append(f"{100 * begin / total:.4g}%{{visibility:{now}}}")
        before, begin = now, begin + step.seconds
    if len(changes) == 1:
        return ""
    still = "visible" if 0 in when else "hidden"
    return (
        f".{name}{{visibility:{still};animation:{name} {total:g}s step-end infinite}}"
        f"@keyframes {name}{{{''.join(changes)}}}"
    )
