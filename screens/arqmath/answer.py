"""The right pane: an answer as people read it, or as LaTeX; its links, judged; the topic; one's own grade."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from textual import events, on
from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from engines.core.errors import EngineError
from screens.arqmath.columns import (
    GRADES,
    Chosen,
    Runs,
    answer_selection,
    format_fraction,
    format_signed,
    move_cell,
)
from screens.shell.export import CommandLine, PaneSelection
from screens.shell.request import RequestAnswer
from screens.shell.screen import BrowserScreen
from screens.shell.theme import (
    GRADE_STYLES,
    elide,
    fold_lines,
    format_count,
    format_percent,
    format_quantity,
    safe_text,
)
from screens.widgets.dialogs import FootLine
from screens.widgets.listing import Listing, ReaderBox
from screens.widgets.pane import Page, Pane
from screens.widgets.table import Table
from screens.widgets.table_columns import Record
from workbench.tables import Column, TableSpec

_HEADING, _FAILED = "│ ", "✗ "
_PATIENCE_S = 0.15
"""So long the text before may stand there until the next one comes."""


class AnswerPane(Pane):
    """The right pane: an answer, its topic, its judged links, and the user's grade."""

    DEFAULT_CSS = """
    AnswerPane #about { height: 1; max-height: 12; padding: 0 1; margin-bottom: 1; }
    AnswerPane.-low #about { max-height: 5; margin-bottom: 0; }
    """

    def __init__(self, *, id: str, share: int) -> None:
        super().__init__(title="answer", id=id, share=share)
        self.raw = False
        self._chosen: Chosen | None = None
        self.post: Mapping[str, Any] | None = None
        """What is shown; None while it is on its way, and where there is nothing to read."""
        self._links: Mapping[str, Any] | EngineError | None = None
        self._links_view = LinksView()
        self._topic: Mapping[str, Any] | None = None
        self._instead = False
        self._height = 1

    def compose(self) -> ComposeResult:
        answer, topic = (ReaderBox(id=f"{name}-text") for name in ("answer", "topic"))
        for box in (answer, topic):
            box.reader.style = _line_style
        yield Page("answer", Static(id="about"), answer, id="answer-page")
        yield Page("topic", topic, id="topic-page")
        yield Page("links", self._links_view, id="links-page")
        yield from super().compose()

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(event.size.height < 16, "-low")
        self.call_after_refresh(self._fill_pages)

    def show_topic(self, topic: Mapping[str, Any] | None) -> None:
        """Show the question that the answers belong to."""
        self._topic = topic
        self._tell_about()
        self._fill_topic()

    def show_answer(self, chosen: Chosen | None) -> None:
        """Show where an answer is ranked; its text comes by `show_post`. None means there is no answer."""
        self._chosen = chosen
        self.show_links(None)
        self.title = f"answer {chosen.row['id']}" if chosen is not None else "answer"
        self._tell_about()
        if chosen is None:
            self.show_instead([])

    def show_waiting(self) -> None:
        """Mark the text as being read; after a moment it replaces the text before."""
        self.post = None
        chosen = self._chosen

        # Answers that arrive quickly should not flicker through a waiting text.
        def still_waiting() -> None:
            if self.post is None and chosen is self._chosen and not self._instead:
                self.show_instead(["… reading"])

        self.set_timer(_PATIENCE_S, still_waiting)

    def show_instead(self, lines: Sequence[str]) -> None:
        """Show these lines in place of an answer's text."""
        self.post, self._instead = None, True
        self.query_one("#answer-text", ReaderBox).reader.show_lines(
            [part for line in lines for part in fold_lines(line, self._cells)]
        )

    def show_failure(self, error: EngineError) -> None:
        """Show the error in place of an answer's text."""
        prefix = f"{error.where}: " if error.where else ""
        self.show_instead([f"{_FAILED}{error.code} {prefix}{error.what}", error.remedy])

    def show_post(self, post: Mapping[str, Any]) -> None:
        """Show the text of the answer."""
        self.post = post
        self._fill_answer()

    def show_links(self, result: Mapping[str, Any] | EngineError | None) -> None:
        """Show what `proofread` answered, or its error; None means nothing yet."""
        self._links = result
        self._fill_links()
        if self._chosen is not None and "written" in self._chosen.row:
            self._fill_answer()

    def _tell_about(self) -> None:
        about = self.query_one("#about", Static)
        row = self._chosen.row if self._chosen is not None else None
        words = describe_answer(row, self._cells) if row is not None else Content()
        if row is not None and self._topic is not None and row.get("topic", True):
            # In a low pane the text of the answer matters more than the question.
            most = 1 if self.has_class("-low") else 4
            words = _question_content(self._topic, self.raw, self._cells, most) + Content("\n") + words
        height = words.get_height({}, self._cells) or 1
        if height != self._height:
            self._height = height
            about.styles.height = height
        # Its place is known: the pane need not be arranged anew for every answer one passes.
        about.update(words, layout=False)

    @property
    def _cells(self) -> int:
        return max(8, (self.size.width or 46) - 4)

    @property
    def empty(self) -> bool:
        """Return whether neither an answer nor a topic is shown."""
        return self._chosen is None and self._topic is None

    def selection(self, line: CommandLine) -> PaneSelection | None:
        return None if self._chosen is None else answer_selection(self._chosen, self.post, line)

    def toggle_raw(self) -> None:
        """Switch between LaTeX and rendered formulas."""
        self.raw = not self.raw
        self._fill_pages()

    def _fill_pages(self) -> None:
        if self.is_attached and self.query("#answer-text"):
            self._tell_about()
            self._fill_answer()
            self._fill_links()
            self._fill_topic()

    def _fill_answer(self) -> None:
        if self.post is not None:
            self._instead = False
            reader = self.query_one("#answer-text", ReaderBox).reader
            lines = _answer_lines(self.post, self.raw, self._cells - 1)
            if "written" in (self._chosen.row if self._chosen is not None else {}):
                result = self._links if isinstance(self._links, Mapping) else None
                checked = f"checked: {format_verdict_counts(result)}" if result is not None else "… checking"
                lines = [*(_HEADING + part for part in fold_lines(checked, self._cells - 3)), "", *lines]
            reader.show_lines(lines)

    @on(Pane.PageShown)
    def _fill_links(self) -> None:
        if self.page_name == "links":
            self._links_view.show_links(self._links, waiting=self.post is not None, raw=self.raw)

    @property
    def link(self) -> Record | None:
        """The link under the cursor, where links are shown."""
        return self._links_view.link if self.page_name == "links" else None

    def why_no_link(self, verb: str) -> str:
        """Return the reason that a verb does not apply to a link."""
        return self._links_view.why_not(verb) if self.page_name == "links" else "no link is shown"

    @on(Table.Opened, "#links-table")
    def _link_opened(self) -> None:
        self.post_message(self.Opened(self))

    @on(Table.Moved, "#links-table")
    def _link_moved(self) -> None:
        self.post_message(self.Selected(self))

    def list_signs(self) -> Sequence[tuple[str, str]]:
        return _LINKS_LEGEND if self.page_name == "links" else ()

    def _fill_topic(self) -> None:
        lines = _topic_lines(self._topic, self.raw, self._cells - 1) if self._topic else []
        self.query_one("#topic-text", ReaderBox).reader.show_lines(lines)


def _line_style(line: str) -> str:
    return "$quiet" if line.startswith((_HEADING, "…")) else "$error" if line.startswith(_FAILED) else ""


def _question_content(topic: Mapping[str, Any], raw: bool, cells: int, most: int) -> Content:
    """Return the question in at most so many lines: its title, then as much of its text as there is room
    for.
    """
    texts = topic if raw else topic["shown"]
    title = [safe_text(line, "bold") for line in fold_lines(texts["title"] or str(topic["topic"]), cells)]
    lines = (title + [safe_text(line, "$quiet") for line in fold_lines(texts["question"], cells)])[: most + 1]
    if len(lines) > most:
        lines[most - 1 :] = [lines[most - 1].truncate(cells - 2) + Content("…")]
    return Content("\n").join(lines)


def describe_answer(row: Record, cells: int) -> Content:
    """Return a few lines about an answer: its grade, its rank, its gain, and its ranks in other runs."""
    lines = []
    # 1. Its grade: the official one, the user's own, or none.
    grade, own = row["grade"], row["own"]
    if grade is not None:
        lines.append(safe_text(f"grade {grade}  {GRADES[min(grade, 3)]}", GRADE_STYLES[min(grade, 3)]))
    elif own is not None:
        words = f"your grade {own}  {GRADES[own]}"
        lines.append(Content.styled(words, "$accent") + Content.styled("   officially unjudged", "$quiet"))
    elif row.get("topic", True):
        lines.append(Content.assemble("– unjudged", ("   J judges it", "$quiet")))
    # 2. Its rank, and what it contributes to the score.
    heading: list[Content | str] = []
    if row.get("rank") is not None:
        heading += [f"rank {row['rank']} ", move_cell(row)]
    elif row.get("other") is not None:
        heading.append(Content.styled("not in this run", "$warning"))
    if row.get("gain") is not None:
        change = f" ({format_signed(row['change'], 2)})" if row.get("change") is not None else ""
        heading.append(f"   gain {format_fraction(row['gain'], 2)}{change}")
    if row.get("first") is not None:
        heading.append(f"first stage {row['first']}")
        if row.get("again") is not None:
            heading.append(f"   cross-encoder {format_fraction(row['again'])}")
    if heading:
        lines.append(Content("").join(heading))
    # 3. Its ranks in the other runs.
    if row.get("ranks"):
        ranks = " · ".join(f"{rank} {name}" for name, rank in row["ranks"].items())
        lines += [safe_text(line, "$quiet") for line in fold_lines(ranks, cells)]
    return Content("\n").join(lines)


def _answer_lines(post: Mapping[str, Any], raw: bool, cells: int) -> list[str]:
    lines = [*fold_lines(post["latex"] if raw else post["text"], cells), ""]
    if post["score"] is not None:
        lines.append(f"{_HEADING}votes {post['score']}")
    question = post["question"]
    if question is not None:
        lines.append(f"{_HEADING}question it answers: {question['id']}")
        lines += fold_lines(question["latex_title"] if raw else question["title"], cells)
        if question["tags"]:
            lines += [
                _HEADING + part for part in fold_lines("tags " + ", ".join(question["tags"]), cells - 2)
            ]
        lines += ["", *fold_lines(question["latex"] if raw else question["text"], cells)]
    return lines


def _topic_lines(topic: Mapping[str, Any], raw: bool, cells: int) -> list[str]:
    texts = topic if raw else topic["shown"]
    lines = [*fold_lines(texts["title"] or f"{topic['topic']}: its text is not here", cells)]
    if topic["tags"]:
        lines += [_HEADING + part for part in fold_lines("tags " + ", ".join(topic["tags"]), cells - 2)]
    if topic["info"]:
        words = ", ".join(f"{name} {value}" for name, value in topic["info"].items())
        lines += [_HEADING + part for part in fold_lines(words, cells - 2)]
    return [*lines, "", *fold_lines(texts["question"], cells)]


# Its links, judged

_SIGNS = {
    "right": ("✓", "$success"),
    "right if": ("✓", "$success"),
    "follows": ("↳", "$success"),
    "wrong": ("✗", "$error"),
    "loses domain": ("▾", "$warning"),
    "doubtful": ("≟", "$warning"),
    "not shown": ("?", "$warning"),
}
"""Of the verdicts of `proofread`; what is given or unread claims nothing."""
_FAULTS = ("wrong", "doubtful", "loses domain")
"""What is shown first."""
_LINKS_LEGEND = (
    ("✓ ↳", "a link that is right, perhaps under a condition, or follows from what was said"),
    ("✗ ≟ ▾ ?", "a link that is wrong, doubtful, loses domain, or is not shown"),
)


def _verdict_sign(row: Record) -> Content:
    return Content.styled(*_SIGNS.get(row["verdict"], ("·", "$quiet")))


def _link_text(link: Mapping[str, Any], raw: bool) -> str:
    from engines.formula.unicode import unicode_text

    sides = (link[side] if raw else unicode_text(link[side]) for side in ("left", "right"))
    return " ".join(f" {link['relation']} ".join(sides).split())


LINKS = TableSpec(
    (
        Column("sign", "", 1, show=_verdict_sign, unfiltered="it is the verdict"),
        Column("link", "link"),
        Column("verdict", "verdict", 12, drop=1),
        Column("line", "line", 4, "right", drop=2),
    )
)


_NONE: Mapping[str, Any] = {"documents": ()}


class LinkRequests:
    """Requests for the links in answers, one for each answer, with the question's text as given.

    The operation reads files, so the answers are written to a temporary folder until `close`.
    """

    def __init__(self, screen: BrowserScreen, then: Callable[[RequestAnswer], object]) -> None:
        self.request = screen.slow_request("proofread", then)
        self._folder: TemporaryDirectory[str] | None = None
        self._asked = 0

    def get_links(self, name: str, post: Mapping[str, Any]) -> Any:
        """Return the links of an answer by its id; if they are not known, ask for them and return None."""
        # Known, or being asked for at the moment.
        if name in self.request.known or self.request.pending == name:
            return self.request.known.get(name)
        question = post["question"]
        said = f"{question['latex_title']}\n\n{question['latex']}" if question is not None else ""
        row = json.dumps({"id": name, "problem": said, "solution": post["latex"]}) + "\n"
        self._asked += 1
        return self.request.get({"file": str(self._write_file(f"{self._asked}.jsonl", row))}, name)

    def text_file(self, name: str, post: Mapping[str, Any]) -> Path:
        """Write the answer to a read-only file whose lines are those of its links; return the path."""
        safe = "".join(char for char in name if char.isalnum() or char in "-_") or "answer"
        return self._write_file(f"answer-{safe}.md", post["latex"] + "\n", mode=0o444)

    def _write_file(self, name: str, text: str, mode: int = 0o644) -> Path:
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="mathwb-")
        path = Path(self._folder.name) / name
        # Removed first, because the file of an earlier text is read-only.
        path.unlink(missing_ok=True)
        path.write_text(text, "utf-8")
        path.chmod(mode)
        return path

    def close(self) -> None:
        """Delete the temporary files."""
        if self._folder is not None:
            self._folder.cleanup()


class LinksView(Vertical):
    """The links of an answer: how many have each verdict, a list, and details of the selected one."""

    DEFAULT_CSS = """
    LinksView Static { height: auto; padding: 0 1; }
    LinksView #link-about { max-height: 50%; border-top: solid $line; overflow-y: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.listing = Listing(LINKS.columns_on("screen"), id="links", fields=LINKS.fields)
        self._counts = Static(id="links-counts", classes="quiet")
        self._about = Static(id="link-about")
        self._found: Mapping[str, Any] | EngineError | None = None

    def compose(self) -> ComposeResult:
        yield self._counts
        yield self.listing
        yield self._about

    def show_links(self, result: Mapping[str, Any] | EngineError | None, *, waiting: bool, raw: bool) -> None:
        """Show the links of an answer.

        Args:
            result: what `proofread` answered, its error, or None for nothing yet.
            waiting: whether the answer is expected.
            raw: whether formulas are shown as LaTeX.
        """
        same, self._found = result is self._found, result
        self._counts.update(
            safe_text(format_verdict_counts(result), "$quiet") if isinstance(result, Mapping) else Content()
        )
        if isinstance(result, EngineError):
            self.listing.show_error(result)
        elif result is None and waiting:
            self.listing.show_loading("checking")
        else:
            self.listing.when_empty("No links", "A link is a formula with = or another relation in it.")
            links = (link for document in (result or _NONE)["documents"] for link in document["links"])
            rows = [
                {**link, "id": number, "link": _link_text(link, raw)} for number, link in enumerate(links)
            ]
            self.listing.load(rows, keep=same)
            # The cursor begins at the first fault, since faults are what one looks for.
            faults = (row for fault in _FAULTS for row in rows if row["verdict"] == fault)
            if not same and (worst := next(faults, None)) is not None:
                self.listing.go_to(str(worst["id"]))
        self._describe_link()

    @property
    def link(self) -> Record | None:
        """Return the link under the cursor, or None."""
        return self.listing.table.current

    @on(Table.Moved)
    def _describe_link(self) -> None:
        link = self.link
        self._about.display = link is not None
        if link is not None:
            reason = f"{link['verdict']}: {link['reason']}" if link["reason"] else link["verdict"]
            location = Content.styled(f"line {link['line']}   d derives it, o opens the text there", "$quiet")
            lines = [
                safe_text(link["link"]),
                _verdict_sign(link) + Content(" ") + safe_text(reason),
                location,
            ]
            self._about.update(Content("\n").join(lines))

    def why_not(self, verb: str) -> str:
        """Return the reason that the selected link cannot be derived or its text opened."""
        link = self.link
        if link is None:
            return "there is no link"
        if verb != "edit" and link["relation"] != "=":
            return f"only equations are derived, and this is {link['relation']}"
        return ""


def format_verdict_counts(result: Mapping[str, Any]) -> str:
    """Format how many links have each verdict: `3 right, 1 wrong`."""
    counts = (f"{format_count(many)} {verdict}" for verdict, many in result["counts"].items() if many)
    return ", ".join(counts) or "no links"


# The user's own grade

_TAKEN_BACK = "-"


class GradeLine(FootLine[str]):
    """Wait for one key: a grade of `what`.

    With `taken_back` one more key removes the user's grade. With a `refusal`, the reason that it cannot be
    judged is shown, and no grade is taken.
    """

    def __init__(self, what: str, *, taken_back: bool = False, refusal: str = "") -> None:
        super().__init__()
        self._what = what
        self._refusal = refusal
        grades = {} if refusal else {str(grade): word for grade, word in enumerate(GRADES)}
        self._keys = {**grades, _TAKEN_BACK: "removes it"} if taken_back else grades

    def compose(self) -> ComposeResult:
        with Vertical():
            if self._refusal:
                yield Static(safe_text(f"✗ {self._what} cannot be judged: {self._refusal}", "$warning"))
                yield Static(safe_text("esc cancels", "$quiet"))
            else:
                yield Static(safe_text(f"grade 0-3 of {self._what}, esc cancels", "$accent"))
                parts = [
                    Content.assemble((key, "$accent bold"), " ", word) for key, word in self._keys.items()
                ]
                yield Static(Content("   ").join(parts))

    def on_key(self, event: events.Key) -> None:
        if event.character in self._keys:
            event.stop()
            self.dismiss(event.character)


def ask_grade(app: App[Any], topic: str, row: Record, done: Callable[[int | None], None]) -> None:
    """Ask for a grade, 0 to 3, of an answer to a topic; `done` gets None to remove the user's grade."""
    line = GradeLine(f"answer {row['id']} to {topic}", taken_back=row["own"] is not None)
    line.ask(app, lambda grade: done(None if grade == _TAKEN_BACK else int(grade)))


def refuse_grade(app: App[Any], row: Record | None, reason: str) -> None:
    """Show why nothing can be judged; the digits that follow `J` then go nowhere else."""
    app.push_screen(GradeLine(f"answer {row['id']}" if row is not None else "this", refusal=reason))


def judged_lines(runs: Runs, topic: str, judgements: int | None) -> list[str]:
    """Describe how grades are distributed, overall and for one topic, and how much of each run is judged.

    Args:
        runs: the collection's runs.
        topic: the topic's id.
        judgements: how many judgements the user has made, or None if they cannot be read.
    """
    overview = runs.overview
    if not overview:
        return []
    # 1. The official grades, over all topics and for this one.
    everything = overview["grades"]
    here = next((known for known in overview["topics"] if known["id"] == topic), None)
    own = here["grades"] if here is not None and here["grades"] is not None else [0, 0, 0, 0]
    total, most = sum(everything), max([1, *everything])
    lines = [f"{'grade':<14}{'all topics':>11}{'':>5}  {'':<6}{topic:>7}"]
    for grade in (3, 2, 1, 0):
        share = format_percent(everything[grade] / total) if total else ""
        length = "█" * round(6 * everything[grade] / most)
        figures = f"{format_count(everything[grade]):>9}{share:>5}  {length:<6}{format_count(own[grade]):>7}"
        lines.append(f"{grade} {GRADES[grade]:<14}{figures}")
    judged = sum(known["grades"] is not None for known in overview["topics"])
    lines.append(f"{'judged':<16}{format_count(total):>9}{'':>5}  {'':<6}{format_count(sum(own)):>7}")
    lines += ["", f"{format_count(judged)} of {format_count(len(overview['topics']))} topics are judged"]
    # 2. How many answers of each run are judged for this topic.
    if here is not None and here["judged"]:
        lines += ["", f"answers to {topic} that are judged"]
        widest = min(24, max(map(len, here["judged"])))
        lines += [
            f"  {elide(name, widest):<{widest}}  {format_count(known):>6} of {format_count(of)}"
            for name, (known, of) in here["judged"].items()
        ]
    # 3. The user's own grades, and the written answers.
    if judgements is not None:
        lines += ["", f"{format_quantity(judgements, 'judgement')} of your own, in no score"]
    if overview["answers"]:
        lines += ["", "written answers (Task 3)"]
        for one in overview["answers"]:
            figures = f"AR {one['ar']:.3f}  P@1 {one['p1']:.3f}" if one["ar"] is not None else "not judged"
            lines += [f"  {one['name']}", f"    {figures}  over {one['judged']} of {one['topics']} answers"]
    return lines
