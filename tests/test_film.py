"""The moving picture shows in each moment what the screen showed, and nothing of another moment."""

from __future__ import annotations

import re

import pytest
from lxml import etree

from docs.film import STEPS, Step, film

STEPS_HERE = (Step((), "begin", 1.0), Step(("j",), "next", 3.0), Step(("k",), "back", 4.0))


def frame(*lines: str) -> str:
    """As Textual exports a screen, with another name for its classes each time."""
    name = f"terminal-{abs(hash(lines))}"
    texts = "".join(
        f'<text class="{name}-r1" x="0" y="{20 + 24.4 * row}" textLength="24.4" clip-path="url(#c)">{line}'
        "</text>"
        for row, line in enumerate(lines)
    )
    cells = "".join(
        f'<rect fill="#223344" x="{x}" y="1.5" width="12.2" height="24.65" shape-rendering="crispEdges"/>'
        for x in (0, 12.2)
    )
    return f"<svg><style>.{name}-r1 {{ fill: #fff }}</style>{cells}{texts}</svg>"


def seen(svg: str, at: float) -> list[str]:
    """The texts that a browser shows at a share of the whole time: its style sheet read by the letter."""
    root = etree.fromstring(svg.encode())
    (style,) = (node.text for node in root.iterfind("{*}style"))
    found = []
    for group in root.iterfind(".//{*}g[@class]"):
        name, visible = group.get("class"), True
        if rules := re.search(rf"@keyframes {name}\{{(.*?\}})\}}", style):
            steps = re.findall(r"([\d.]+)%\{visibility:(\w+)\}", rules[1])
            visible = [value for begin, value in steps if float(begin) <= at][-1] == "visible"
        if visible:
            found += [node.text for node in group.iterfind("{*}text")]
    return found


def test_each_moment_shows_its_own_frame() -> None:
    frames = [frame("same", "a"), frame("same", "b"), frame("same", "a", "c")]
    svg = film(frames, STEPS_HERE)
    assert sorted(seen(svg, 5)) == ["a", "begin", "same"]
    assert sorted(seen(svg, 30)) == ["b", "next", "same"]
    assert sorted(seen(svg, 99)) == ["a", "back", "c", "same"]
    # What is in all frames is drawn once; two cells of one colour are one rectangle.
    assert svg.count(">same<") == 1
    assert svg.count("h24.4v") == 1


def test_the_story_takes_twenty_seconds() -> None:
    assert sum(step.seconds for step in STEPS) == pytest.approx(20)
    assert all(step.says for step in STEPS)
