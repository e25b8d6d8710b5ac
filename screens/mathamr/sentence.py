"""The sentence on top: the context of a formula, with the words that a node comes from lit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.message import Message
from textual.style import Style
from textual.widgets import Static

from screens.mathamr.inspection import Inspection
from screens.shell.theme import safe_text

_FORMULA = re.compile(r"\$([^$]*)\$")
_WORD = re.compile(r"\S+\s*|\s+")
_LIT = "bold underline on $cursor"


class Sentence(Static):
    """Shows at most three lines of the text, those around what is lit; a click on a word says `Picked`."""

    DEFAULT_CSS = """
    Sentence {
        height: auto; max-height: 5; padding: 0 1; border: round $line;
        border-title-color: $quiet; border-subtitle-color: $quiet; border-subtitle-align: right;
    }
    """

    @dataclass
    class Picked(Message):
        """The word or part of a formula at this position of the text."""

        position: int

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.raw = False
        self._inspection: Inspection | None = None
        self._key = ""
        self._cells = 0

    def show(self, inspection: Inspection | None, origin: str = "") -> None:
        """Show another text; `origin` says whose graph of it is shown."""
        self._inspection, self._key = inspection, ""
        topic = inspection.subject.topic if inspection is not None else ""
        self.border_title = safe_text(topic or ("text" if inspection is not None else ""))
        self.border_subtitle = safe_text(origin)
        self.draw()

    def light(self, key: str) -> None:
        if key != self._key:
            self._key = key
            self.draw()

    def draw(self) -> None:
        inspection = self._inspection
        if inspection is None:
            self.update(Content.styled("A formula and the sentences around it.", "$quiet"))
            return
        whole = text_content(inspection, self._key, raw=self.raw)
        most = 3 if self.app.size.height >= 30 else 2
        self.update(_around(whole.wrap(self.size.width or 116), most))

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width != self._cells:
            self._cells = event.size.width
            self.draw()

    def on_click(self, event: events.Click) -> None:
        if (place := event.style.meta.get("place")) is not None:
            self.post_message(self.Picked(place))


def text_content(inspection: Inspection, key: str, *, raw: bool) -> Content:
    """The text with its formulas as `raw` LaTeX or as they are read, what the node comes from lit."""
    text, lit = inspection.text, inspection.place(key) or (-1, -1)
    query = inspection.query
    parts: list[Content] = []
    at = 0
    for match in _FORMULA.finditer(text):
        parts += _words(text, at, match.start(), lit)
        asked = query is not None and query["latex"] == match[1]
        look = "$accent bold" if asked else "$accent"
        parts.append(_formula(match[1], match.start(1), lit, look, raw))
        at = match.end()
    parts += _words(text, at, len(text), lit)
    return Content("").join(parts)


def _words(text: str, start: int, end: int, lit: tuple[int, int]) -> Iterator[Content]:
    for match in _WORD.finditer(text, start, end):
        here = match.start() < lit[1] and match.end() > lit[0]
        word = match[0].replace("\n", " ")
        bare = word.rstrip()
        shown = safe_text(bare, _LIT if here else "") + Content(word[len(bare) :])
        yield shown.stylize(Style.from_meta({"place": match.start()}))


def _formula(latex: str, start: int, lit: tuple[int, int], look: str, raw: bool) -> Content:
    """A formula between its brackets. One that is lit in part has that part under the mouse, too."""
    from engines.formula.unicode import unicode_text

    first, last = max(0, lit[0] - start), min(len(latex), lit[1] - start)
    shown, part = (latex, (first, last)) if raw else lit_part(latex, first, last, unicode_text)
    begin, end = ("$", "$") if raw else ("⟦", "⟧")
    here = first < last
    parts = [
        safe_text(begin, "$quiet"),
        safe_text(shown[: part[0]], look),
        safe_text(shown[part[0] : part[1]], f"{look} {_LIT}"),
        safe_text(shown[part[1] :], look),
        safe_text(end, "$quiet"),
    ]
    if not here:
        parts = [parts[0], safe_text(shown, look), parts[-1]]
    return Content("").join(parts).stylize(Style.from_meta({"place": start}))


def lit_part(latex: str, start: int, end: int, shown: Callable[[str], str]) -> tuple[str, tuple[int, int]]:
    """A formula as it is `shown`, and where in that the part `latex[start:end]` stands: the whole where it
    cannot be told.

    It is found by what changes: signs are put around the part, or other letters and digits in its place.
    """
    whole = shown(latex)
    if not start < end or (start, end) == (0, len(latex)):
        return whole, (0, len(whole))
    before, part, after = latex[:start], latex[start:end], latex[end:]
    marked = shown(f"{before}{{ǁ {part} ǁ}}{after}")
    left, right = marked.find("ǁ"), marked.rfind("ǁ")
    inner = marked[left + 1 : right].strip()
    if left < right and marked[:left] + inner + marked[right + 1 :] == whole:
        return whole, (left, left + len(inner))
    for letter, other in (("n", "i"), ("Q", "R")):
        changed = shown(before + _other(part, letter, other) + after)
        if len(changed) == len(whole) and changed != whole:
            places = [at for at, sign in enumerate(whole) if sign != changed[at]]
            return whole, (places[0], places[-1] + 1)
    return whole, (0, len(whole))


def _other(part: str, letter: str, other: str) -> str:
    def put(match: re.Match[str]) -> str:
        sign = match[0]
        if len(sign) > 1:
            return sign
        return str((int(sign) + 1) % 10) if sign.isdigit() else other if sign == letter else letter

    return re.sub(r"\\[A-Za-z]+|[A-Za-z0-9]", put, part)


def _around(lines: list[Content], most: int) -> Content:
    """So many of the lines, with the first that is lit among them; … says that there are more."""
    lit = next((n for n, line in enumerate(lines) if any(_LIT in str(span.style) for span in line.spans)), 0)
    start = max(0, min(lit - most // 2, len(lines) - most))
    shown = lines[start : start + most]
    dots = Content.styled("… ", "$quiet")
    if start > 0:
        shown[0] = dots + shown[0]
    if start + most < len(lines):
        shown[-1] = shown[-1].rstrip() + Content.styled(" …", "$quiet")
    return Content("\n").join(shown)
