"""The links of an answer, judged by the operation `proofread` in an engine process of its own, and listed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.browser import BrowserScreen
from screens.shell.request import Answer
from screens.shell.theme import count as written_count
from screens.shell.theme import safe_text
from screens.widgets.listing import Listing
from screens.widgets.table import Record, Table
from workbench.tables import Column, TableSpec

_SIGNS = {
    "right": ("✓", "$success"),
    "right if": ("✓", "$success"),
    "follows": ("↳", "$success"),
    "wrong": ("✗", "$error"),
    "loses domain": ("▾", "$warning"),
    "not shown": ("?", "$warning"),
}
"""Of the verdicts of `proofread`; what is given or unread claims nothing."""
_FAULTS = ("wrong", "loses domain")
"""What is shown first."""
LEGEND = (
    ("✓ ↳", "a link that is right, perhaps under a condition, or follows from what was said"),
    ("✗ ▾ ?", "a link that is wrong, loses domain, or is not shown"),
)


def _sign(row: Record) -> Content:
    return Content.styled(*_SIGNS.get(row["verdict"], ("·", "$quiet")))


def _formula(link: Mapping[str, Any], raw: bool) -> str:
    from engines.formula.unicode import unicode_text

    sides = (link[side] if raw else unicode_text(link[side]) for side in ("left", "right"))
    return " ".join(f" {link['relation']} ".join(sides).split())


LINKS = TableSpec(
    (
        Column("sign", "", 1, show=_sign, unfiltered="it is the verdict"),
        Column("link", "link"),
        Column("verdict", "verdict", 12, drop=1),
        Column("line", "line", 4, "right", drop=2),
    )
)


_NONE: Mapping[str, Any] = {"documents": ()}


class Links:
    """Asks for an answer's links once, with what its question says as given. The operation reads files: the
    answers lie in a temporary folder until `close`."""

    def __init__(self, screen: BrowserScreen, then: Callable[[Answer], object]) -> None:
        self.request = screen.slow_request("proofread", then)
        self._folder: TemporaryDirectory[str] | None = None
        self._numbers = count(1)

    def get(self, name: str, post: Mapping[str, Any]) -> Any:
        """What is known of the answer with this id; None when it is asked."""
        if name in self.request.known or self.request.pending == name:
            return self.request.known.get(name)
        question = post["question"]
        said = f"{question['latex_title']}\n\n{question['latex']}" if question is not None else ""
        row = json.dumps({"id": name, "problem": said, "solution": post["latex"]}) + "\n"
        return self.request.get({"file": str(self._written(f"{next(self._numbers)}.jsonl", row))}, name)

    def text_file(self, name: str, post: Mapping[str, Any]) -> Path:
        """The answer as a text of its own, whose lines are those of its links. It is a copy: it can only be
        read."""
        safe = "".join(char for char in name if char.isalnum() or char in "-_") or "answer"
        return self._written(f"answer-{safe}.md", post["latex"] + "\n", mode=0o444)

    def _written(self, name: str, text: str, mode: int = 0o644) -> Path:
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="mathwb-")
        path = Path(self._folder.name) / name
        path.unlink(missing_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(mode)
        return path

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()


class LinksView(Vertical):
    """The links of an answer, how many there are of each verdict, and all of the one under the cursor."""

    DEFAULT_CSS = """
    LinksView Static { height: auto; padding: 0 1; }
    LinksView #link-about { max-height: 50%; border-top: solid $line; overflow-y: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.listing = Listing(LINKS.on("screen"), id="links", fields=LINKS.fields, counts=False)
        self._counts = Static(id="links-counts", classes="quiet")
        self._about = Static(id="link-about")
        self._found: Mapping[str, Any] | EngineError | None = None

    def compose(self) -> ComposeResult:
        yield self._counts
        yield self.listing
        yield self._about

    def show(self, found: Mapping[str, Any] | EngineError | None, *, waiting: bool, raw: bool) -> None:
        """What was found, or why that failed; None: nothing yet. `raw`: formulas as LaTeX."""
        same, self._found = found is self._found, found
        self._counts.update(safe_text(verdicts(found), "$quiet") if isinstance(found, Mapping) else Content())
        if isinstance(found, EngineError):
            self.listing.show_error(found)
        elif found is None and waiting:
            self.listing.show_loading("checking")
        else:
            self.listing.when_empty("No links", "A link is a formula with = or another relation in it.")
            links = (link for document in (found or _NONE)["documents"] for link in document["links"])
            rows = [{**link, "id": number, "link": _formula(link, raw)} for number, link in enumerate(links)]
            self.listing.load(rows, keep=same)
            faults = (row for fault in _FAULTS for row in rows if row["verdict"] == fault)
            if not same and (worst := next(faults, None)) is not None:
                self.listing.go_to(str(worst["id"]))
        self._describe()

    @property
    def link(self) -> Record | None:
        """The link under the cursor."""
        return self.listing.table.current

    @on(Table.Moved)
    def _describe(self) -> None:
        link = self.link
        self._about.display = link is not None
        if link is not None:
            reason = f"{link['verdict']}: {link['reason']}" if link["reason"] else link["verdict"]
            place = Content.styled(f"line {link['line']}   d derives it, o opens the text there", "$quiet")
            lines = [safe_text(link["link"]), _sign(link) + Content(" ") + safe_text(reason), place]
            self._about.update(Content("\n").join(lines))

    def why_not(self, verb: str) -> str:
        """Why the link under the cursor cannot be derived, or its text not be opened."""
        link = self.link
        if link is None:
            return "there is no link"
        if verb != "edit" and link["relation"] != "=":
            return f"only equations are derived, and this is {link['relation']}"
        return ""


def verdicts(found: Mapping[str, Any]) -> str:
    """`3 right, 1 wrong`."""
    counts = (f"{written_count(many)} {verdict}" for verdict, many in found["counts"].items() if many)
    return ", ".join(counts) or "no links"
