"""`i`: with what a cluster was made."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from textual import work

from engines.core.errors import EngineError
from screens.egraphs.looks import stop_words
from screens.text import count
from screens.widgets.listing import ReaderBox
from screens.widgets.rows import Record
from screens.widgets.textscreen import TextScreen

if TYPE_CHECKING:
    from screens.egraphs.screen import EgraphsScreen

__all__ = ["Provenance"]


class Provenance(TextScreen):
    """What is stored of a cluster at once; the rules that fired when its e-graph has been grown again."""

    def __init__(self, owner: EgraphsScreen, title: str, record: Record, facts: Mapping[str, Any]) -> None:
        super().__init__(title, _known(record, facts))
        self._owner = owner

    def on_mount(self) -> None:
        self._tell_rules()

    @work(exclusive=True, exit_on_error=False)
    async def _tell_rules(self) -> None:
        try:
            graph = await self._owner.grown()
        except EngineError as error:
            lines = ["", f"the rules that fired are not known: {error}"]
        else:
            fired = graph.made["fired"]
            lines = ["", f"rules that fired, {count(len(fired))} of them, by matches"]
            most = max([len(count(number)) for number in fired.values()] + [1])
            ordered = sorted(fired.items(), key=lambda item: (-item[1], item[0]))
            lines += [f"  {count(number):>{most}}  {name}" for name, number in ordered]
        self.query_one(ReaderBox).reader.append(lines)


def _known(record: Record, facts: Mapping[str, Any]) -> list[str]:
    lines = [
        f"head        {record.get('infix')}",
        f"prefix      {record['head']}",
        f"stopped     {stop_words(record['stop'])}, after {count(record['iterations'])} iterations",
        f"e-graph     {count(record['nodes'])} nodes in {count(record['classes'])} classes",
        f"members     {count(record['size'] - 1)} of {int(record['total']):,} terms".replace(",", " "),
        f"seed        {record['seed']}",
    ]
    if "rules" in facts:
        lines.append(f"rule table  {facts['rules']}")
    for name in ("config", "source", "versions"):
        if name in facts:
            lines += ["", name]
            lines += [
                f"  {key:<12} {value if isinstance(value, str) else json.dumps(value)}"
                for key, value in facts[name].items()
            ]
    return lines
