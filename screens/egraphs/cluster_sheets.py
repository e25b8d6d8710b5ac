"""Sheets of a cluster: the derivation of one member from another, and how the cluster was made."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from textual import on
from textual.containers import Vertical

from screens.egraphs.columns import VERDICTS, stop_words
from screens.egraphs.notation import shown, variables
from screens.egraphs.sources import Cluster
from screens.shell.frame import Frame
from screens.shell.keymap import SHEET_KEYS, bindings
from screens.shell.request import Answer, Request
from screens.shell.text import count, some, width
from screens.widgets.dialogs import TextScreen
from screens.widgets.listing import ReaderBox

__all__ = ["Derivation", "Provenance"]

_Document = Mapping[str, Any]

# Texts


_ENGINE_DOES = {
    "egen.map": "the encoding for the map",
    "egen.nearest": "the encoding for neighbours",
    "egen.generate": "the growth of a cluster",
    "egen.egraph": "the growth of an e-graph",
}
"""What the engine may be at while another question waits."""


class _Asking(TextScreen):
    """Lines that are there at once, and under them those that an operation answers.

    `y` copies the command that prints the same.

    Args: doing: what is said while it is answered. params: what is asked, None for nothing. command: the
    words of that command.
    """

    BINDINGS = bindings([key for key in SHEET_KEYS if key.verb == "yank"])

    class Answered(Answer):
        """The operation has ended."""

    def __init__(
        self,
        workbench: Frame,
        title: str,
        known: Sequence[str],
        operation: str,
        params: _Document | None,
        *,
        doing: str,
        command: str,
    ) -> None:
        super().__init__(title, [*known, *([f"… {doing}"] if params is not None else [])])
        self._workbench = workbench
        self._known = known
        self._params = params
        self._doing = doing
        self._command = command
        self._since = 0.0
        self._request = Request(self, lambda: workbench.engine, operation, self.Answered)

    def on_mount(self) -> None:
        box = self.query_one(Vertical)
        box.border_subtitle = "/ filter   w wrap   y command   esc close"
        if self._params is not None:
            self._since = time.monotonic()
            self._clock = self.set_interval(0.25, self._say)
            # What it does is to be seen before the engine is begun, which may take a moment.
            self.call_after_refresh(self._request.ask, self._params)

    def _say(self) -> None:
        """Say how long it takes, and what it waits for."""
        what, seconds = self._doing, int(time.monotonic() - self._since)
        if behind := self._request.behind:
            what = f"waiting for {_ENGINE_DOES.get(behind, behind)} to end (esc, then x, stops that)"
        self._show([f"… {what}" + (f", {seconds} s" if seconds else "")])

    def _show(self, lines: Iterable[str]) -> None:
        self.query_one(ReaderBox).reader.show([*self._known, *lines], keep=True)

    def action_yank(self) -> None:
        self._workbench.copy(self._command, "command line")

    def told(self, answer: Answer) -> Iterable[str]:
        """The lines for what it answered."""
        raise NotImplementedError

    @on(Answered)
    def _answered(self, event: Answered) -> None:
        self._clock.stop()
        self._show(self.told(event))


class Derivation(_Asking):
    """How one member follows from another, a step a line, each line judged against the first."""

    def __init__(self, workbench: Frame, left: str, right: str, cluster: Cluster) -> None:
        mode, assume = cluster.mode, cluster.assume
        rules = f"rules    {mode}; each line is judged against the first"
        where = [f"where    {assume}"] if assume else []
        ends = (f"from     {shown(left)}", f"to       {shown(right)}", *where, rules, "")
        params = {"start": left, "target": right, "assume": assume, "mode": mode}
        words = ("egen", "derive", *cluster.assuming, "--mode", mode, "--", left, right)
        command = workbench.command_line(*words)
        doing = "taking both apart until two lines are equal, or growing one e-graph from both"
        super().__init__(workbench, "derivation", ends, "egen.derive", params, doing=doing, command=command)

    def told(self, answer: Answer) -> Iterable[str]:
        if answer.error is not None:
            return ["no derivation:", f"  {answer.error}"]
        none = "No derivation was found within the bound; there may be a longer one."
        steps = _steps(answer.value["steps"]) or [answer.value.get("reason") or none]
        return [*steps, "", self._command]


def _steps(steps: Sequence[_Document]) -> list[str]:
    """One line a step: its verdict against the first, the expression, the rule (none for the start)."""
    texts = [shown(step["prefix"]) for step in steps]
    cells = min(64, max(map(width, texts), default=0))
    lines = []
    for step, text in zip(steps, texts, strict=True):
        glyph = VERDICTS.get(step.get("verdict") or "", ("·", ""))[0]
        lines.append(f"{glyph} {text}{' ' * max(0, cells - width(text))}   {step.get('rule') or 'start'}")
    return lines


class Provenance(_Asking):
    """What is stored of a cluster at once; the rules that fired when its e-graph has been grown again.

    Args: graph: the document of `egen.egraph`, if it is known already.
    """

    def __init__(self, workbench: Frame, cluster: Cluster, graph: _Document | None) -> None:
        title = f"{cluster.source.title}, cluster {cluster.number}"
        known = [*_facts(cluster), *(_rules(graph) if graph is not None else [])]
        params = cluster.egraph_params
        command = workbench.command_line(*cluster.egraph_command)
        doing = "growing its e-graph again, to count the rules that fire"
        asked = None if graph is not None else params
        super().__init__(workbench, title, known, "egen.egraph", asked, doing=doing, command=command)

    def told(self, answer: Answer) -> Iterable[str]:
        if answer.error is not None:
            return ["", f"the rules that fired are not known: {answer.error}"]
        return _rules(answer.value)


def _rules(graph: _Document) -> list[str]:
    fired: Mapping[str, int] = graph["fired"]
    most = max([len(count(number)) for number in fired.values()] + [1])
    ordered = sorted(fired.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"  {count(number):>{most}}  {name}" for name, number in ordered]
    return ["", f"rules that fired, {count(len(fired))} of them, by matches", *lines]


def _facts(cluster: Cluster) -> Iterator[str]:
    row, facts, settings = cluster.row, cluster.source.facts(cluster.number), cluster.settings
    yield f"head        {row.get('infix')}"
    yield f"prefix      {row['head']}"
    yield f"variables   {', '.join(variables(cluster.head)) or 'none'}"
    yield f"assumed     {cluster.assume or 'nothing'}"
    yield f"style       {settings['style']}, {settings.get('order', 'shortest')} first"
    if cluster.weights:
        yield f"weights     {cluster.weights}"
    yield f"stopped     {stop_words(row['stop'])}, after {some(row['iterations'], 'iteration')}"
    yield f"e-graph     {some(row['nodes'], 'node')} in {some(row['classes'], 'class', 'classes')}"
    yield f"members     {count(row['size'] - 1)} of {int(row['total']):,} terms".replace(",", " ")
    yield f"seed        {row['seed']}"
    if "rules" in facts:
        yield f"rule table  {facts['rules']}"
    for name in ("config", "source", "versions"):
        if name in facts:
            yield from ("", name)
            for key, value in facts[name].items():
                yield f"  {key:<12} {value if isinstance(value, str) else json.dumps(value)}"
