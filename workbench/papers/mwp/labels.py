"""The user's own labels of bad triplets, kept in the workspace."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Sink, ignore, warn
from engines.core.files import atomic_writer
from engines.core.spec import Arg
from workbench.notes import RecordFile

LABELS: Mapping[str, str] = {
    "incoherent": "a text makes no sense",
    "equation": "an equation is wrong for its text",
    "positive": "the positive is of other logic after all",
    "negative": "the negative is of the same logic after all",
    "other": "bad for another reason",
}
"""What can be wrong with a triplet."""


@dataclass(frozen=True, slots=True)
class Label:
    """A triplet that is bad. Args: set: of problems. pool, strategy: as it was found. changed: in UTC."""

    set: str
    anchor: str
    positive: str
    negative: str
    pool: str
    strategy: str
    label: str
    changed: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """The set and the three ids: the same triplet by another strategy has the same label."""
        return self.set, self.anchor, self.positive, self.negative


class Labels(RecordFile[tuple[str, str, str, str], Label]):
    """Labels in a file of JSON lines, one for each triplet."""

    what = "label"

    def __len__(self) -> int:
        return len(self.known)

    def read(self, row: Mapping[str, Any]) -> Label:
        one = Label(**{name: str(value) for name, value in row.items()})
        if one.label not in LABELS:
            raise ValueError(f"the label {one.label!r}")
        return one

    def key(self, record: Label) -> tuple[str, str, str, str]:
        return record.key

    def of(self, set_: str, triplet: Mapping[str, Any]) -> str:
        key = set_, str(triplet["anchor"]), str(triplet["positive"]), str(triplet["negative"])
        found = self.known.get(key)
        return found.label if found is not None else ""

    def put(self, set_: str, triplet: Mapping[str, Any], label: str) -> None:
        """Label a triplet; an empty label removes it. Raises: DataError E374 for an unknown label."""
        if label and label not in LABELS:
            raise DataError(
                f"unknown label {label!r}",
                code="E374",
                remedy=f"Take one of: {', '.join(LABELS)}.",
            )
        names = {name: str(triplet[name]) for name in ("anchor", "positive", "negative", "pool", "strategy")}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        made = Label(set_, **names, label=label, changed=now)
        with self.changing() as known:
            if label:
                known[made.key] = made
            else:
                known.pop(made.key, None)

    def export(self, path: Path, *, set_: str | None = None) -> Path:
        """Write all labels, or those of one set, as JSON Lines. Returns: the path."""
        with atomic_writer(path) as file:
            file.writelines(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in self.of_set(set_))
        return path

    def of_set(self, set_: str | None) -> list[Label]:
        return [one for one in self.all() if set_ is None or one.set == set_]


def labels_path() -> Path:
    """The file of the open workspace."""
    from workbench.workspace import Workspace

    return Workspace.open(create=False).folder("problems") / "labels.jsonl"


@dataclass(frozen=True, slots=True)
class OwnLabels:
    """Print the triplets that you labelled bad.

    Training leaves them out with data.labels=FILE, and mwp triplets with --without FILE."""

    set: Annotated[str | None, Arg("Only those of one set of problems.", shown="all")] = None
    out: Annotated[Path | None, Arg("Write to this file as JSON Lines.", writes=True)] = None


def own_labels(spec: OwnLabels, *, events: Sink = ignore) -> list[Label]:
    """The labels of the workspace, by set and ids. Events: warnings of lines that cannot be read."""
    labels = Labels(labels_path())
    for problem in labels.problems:
        warn(events, str(problem))
    if spec.out is not None:
        labels.export(spec.out, set_=spec.set)
    return labels.of_set(spec.set)
