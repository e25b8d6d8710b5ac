"""Files of math word problems, solvers and the user's labels in the workspace, by name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import DataError, EngineError, did_you_mean
from engines.core.events import Sink, ignore, warn
from engines.core.files import atomic_writer
from engines.core.spec import Arg, specification, suggest_name
from engines.core.system import asset, models_folder
from workbench.doctor import DoctorFinding
from workbench.errors import MissingError
from workbench.notes import RecordFile
from workbench.workspace import BadLineSink, DataKind, Workspace

_HERE = "workbench.papers.mwp.data"
_FILE = "problems.jsonl"
KINDS = (
    DataKind(
        "problems",
        "math word problems: ASDiv, MAWPS, SVAMP, ParaMAWPS, Math23K or rows of text, equation and answer",
        f"{_HERE}:check_problems",
        held=f"{_HERE}:own_folders",
        count=f"{_HERE}:count_rows",
        many="sets of problems",
    ),
)


def own_folders(workspace: Workspace) -> Iterator[Path]:
    """Yield the sets of problems in the workspace itself."""
    yield from sorted(file.parent for file in (workspace.root / "problems").glob(f"*/{_FILE}"))


def count_rows(folder: Path) -> int:
    """Return the number of problems of a set."""
    with (folder / _FILE).open("rb") as file:
        return sum(1 for line in file if line.strip())


def list_sets(workspace: Workspace) -> dict[str, Path]:
    """Return all sets of problems by name: those of the workspace, then the registered ones."""
    result = {folder.name: folder / _FILE for folder in own_folders(workspace)}
    for name, entry in workspace.data.entries_of("problems").items():
        result.setdefault(name, Path(entry.path))
    return result


def check_problems(path: Path, report: BadLineSink) -> dict[str, int]:
    """Count problems, and those with an equation. Rows that are none and disagreeing answers are reported."""
    from engines.mwp.problems.readers import read_problems

    result = read_problems(path)
    for note in (*result.skipped, *result.disagreements):
        report(DataError(note.reason, path=path, line=note.line, code="E317"))
    return {"records": len(result.rows), **result.count_rows()}


def locate_set(workspace: Workspace, name: str) -> Path | None:
    """Return the file of a set of problems of the workspace, a registered one, or one that ships, or None."""
    named = Path(name) / _FILE
    if len(named.parts) == 2 and (workspace.make_folder("problems") / named).exists():
        return workspace.make_folder("problems") / named
    if (registered := workspace.data.entries_of("problems").get(name)) is not None:
        return registered.locate_data()
    shipped = asset("sample/problems") / named
    return shipped if len(named.parts) == 2 and shipped.exists() else None


def problems_path(name: str) -> Path:
    """Return the file that a name stands for: a path, a set of the workspace, a registered one, or a
    sample.

    Raises:
        MissingError: E354 for an unknown name.
    """
    path = Path(name).expanduser()
    if path.is_dir() and (path / _FILE).exists():
        return (path / _FILE).absolute()
    if path.exists() or len(path.parts) > 1:
        return path.absolute()
    workspace = Workspace.open()
    if (result := locate_set(workspace, name)) is not None:
        return result
    known = list(list_sets(workspace))
    remedy = (
        suggest_name(name, known) or "Name a file of problems, or register one: mathwb data add problems FILE"
    )
    raise MissingError(f"there are no problems {name!r}", code="E354", remedy=remedy)


def check_mwp() -> Iterator[DoctorFinding]:
    """Check whether the workspace has word problems."""
    try:
        sets = [folder.name for folder in own_folders(Workspace.open(create=False))]
    except EngineError:
        return  # said of the workspace
    if sets:
        yield DoctorFinding("word problems", "ok", f"sets in the workspace: {', '.join(sets)}")
    else:
        remedy = "Register some: mathwb data add problems FILE"
        yield DoctorFinding("word problems", "note", "the workspace has no problems", remedy)


_SOLVER = "solver.json"


def list_solvers(workspace: Workspace) -> list[Path]:
    """List the solvers that ship, then those of the workspace, which hide shipped ones with their names."""
    shipped = sorted(models_folder().glob(f"*/{_SOLVER}"))
    own = sorted(workspace.models.glob(f"*/{_SOLVER}"))
    return list({path.parent.name: path.parent for path in (*shipped, *own)}.values())


def solver_path(name: str) -> Path:
    """Return the folder of a solver: a path, a name in the workspace, or one that ships (`mwp-…`).

    Raises:
        MissingError: E355 if there is none with that name.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        return path.absolute()
    known = {folder.name: folder for folder in list_solvers(Workspace.open())}
    if name in known:
        return known[name]
    listed = f"There are: {', '.join(known)}." if known else "Train one: mathwb train mwp/solver-tiny"
    remedy = did_you_mean(name, list(known)) or listed
    raise MissingError(f"there is no solver {name!r}", code="E355", remedy=remedy)


LABELS: Mapping[str, str] = {
    "incoherent": "a text makes no sense",
    "equation": "an equation is wrong for its text",
    "positive": "the positive is of other logic after all",
    "negative": "the negative is of the same logic after all",
    "other": "bad for another reason",
}
"""What can be wrong with a triplet."""


@dataclass(frozen=True, slots=True)
class TripletLabel:
    """The user's label of a bad triplet.

    Args:
        set: The set of problems.
        anchor: The id of the anchor.
        positive: The id of the positive.
        negative: The id of the negative.
        pool: The pool in which it was found.
        strategy: The strategy by which it was found.
        label: One of `LABELS`.
        changed: When, UTC, ISO 8601.
    """

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


class TripletLabels(RecordFile[tuple[str, str, str, str], TripletLabel]):
    """The labels of a workspace, in a file of JSON lines."""

    what = "label"

    def read_record(self, row: Mapping[str, Any]) -> TripletLabel:
        """Return a label of a stored row."""
        one = TripletLabel(**{name: str(value) for name, value in row.items()})
        if one.label not in LABELS:
            raise ValueError(f"the label {one.label!r}")
        return one

    def record_key(self, record: TripletLabel) -> tuple[str, str, str, str]:
        """Return what identifies a label: the triplet."""
        return record.key

    def label_of(self, set_: str, triplet: Mapping[str, Any]) -> str:
        """Return the label of a triplet, or ""."""
        key = set_, str(triplet["anchor"]), str(triplet["positive"]), str(triplet["negative"])
        result = self.known.get(key)
        return result.label if result is not None else ""

    def set_label(self, set_: str, triplet: Mapping[str, Any], label: str) -> None:
        """Label a triplet; an empty label removes it.

        Raises:
            DataError: E374 for an unknown label.
        """
        if label and label not in LABELS:
            what = f"unknown label {label!r}"
            raise DataError(what, code="E374", remedy=f"Take one of: {', '.join(LABELS)}.")
        names = {name: str(triplet[name]) for name in ("anchor", "positive", "negative", "pool", "strategy")}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        made = TripletLabel(set_, **names, label=label, changed=now)

        def change_label(known: dict[tuple[str, str, str, str], TripletLabel]) -> None:
            known.pop(made.key, None)
            if label:
                known[made.key] = made

        self.change_records(change_label)

    def export_labels(self, path: Path, *, set_: str | None = None) -> Path:
        """Write all labels, or those of one set, as JSON Lines, and return the path."""
        with atomic_writer(path) as file:
            file.writelines(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in self.of_set(set_))
        return path

    def of_set(self, set_: str | None) -> list[TripletLabel]:
        """List the labels of a set of problems, or all."""
        return [one for one in self.all_records() if set_ is None or one.set == set_]


def labels_path() -> Path:
    """Return the file of labels of the open workspace."""
    return Workspace.open(create=False).make_folder("problems") / "labels.jsonl"


@specification
class OwnLabels:
    """Print the triplets that you labelled bad.

    Training leaves them out with data.labels=FILE, and mwp triplets with --without FILE."""

    set: Annotated[str | None, Arg("Only those of one set of problems.", shown="all")] = None
    out: Annotated[Path | None, Arg("Write to this file as JSON Lines.", writes=True)] = None


def own_labels(spec: OwnLabels, *, events: Sink = ignore) -> list[TripletLabel]:
    """Return the labels of the workspace, by set and ids.

    Args:
        spec: Which labels, and the file to write them to.
        events: Receives warnings of lines that cannot be read.
    """
    labels = TripletLabels(labels_path())
    for problem in labels.problems:
        warn(events, str(problem))
    if spec.out is not None:
        labels.export_labels(spec.out, set_=spec.set)
    return labels.of_set(spec.set)
