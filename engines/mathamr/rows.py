"""Settings and rows that MathAMR's commands share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from engines.core.errors import DataError, EngineError, StoppedError
from engines.core.events import Sink, Stop, warn
from engines.core.rows import read_json_rows
from engines.core.spec import Arg

ONE_FORMULA = "Name one: --latex 'x^2' or --file FILE."
"""What to do where neither or both are given."""

CollectionPath = Annotated[
    Path, Arg("A collection, or its name.", ref="collection", metavar="FOLDER", option=False)
]
FormulaIndexed = Annotated[
    Path,
    Arg("An index made by `mathwb mathamr index`, or a collection's name.", ref="formulas", option=True),
]
SomeEncoder = Annotated[str, Arg("minilm, or a model folder.", ref="encoder")]
Window = Annotated[int, Arg("Sentences to add before and after the formula's own.", low=0, high=3)]
LatexReader = Annotated[
    Literal["builtin", "latexml"], Arg("latexml: LaTeXML, if installed, on all formulas at once.")
]
"""What reads LaTeX."""


@dataclass(frozen=True, slots=True)
class InputRow:
    """A row, the topic or formula that it is of, and `file:line`."""

    held: dict[str, Any]
    name: str
    location: str
    events: Sink

    def __getitem__(self, key: str) -> Any:
        return self.held[key]

    def warn_of_row(self, message: str) -> None:
        """Send a warning with the place and the name of the row."""
        name = f"{self.name}: " if self.name else ""
        warn(self.events, f"{self.location}: {name}{message}")

    @contextmanager
    def locate_errors(self) -> Iterator[None]:
        """Add the place of this row to errors that are raised in the block."""
        try:
            yield
        except EngineError as error:
            if not error.where:
                error.where, error.what = (
                    self.location,
                    f"{self.name}: {error.what}" if self.name else error.what,
                )
            raise


def read_named_rows(
    path: Path, *keys: str, events: Sink, name: str = "topic_id", one_of: tuple[str, ...] = ()
) -> Iterator[InputRow]:
    """Yield the rows of a JSON Lines file in order, as `rows`; with a warning at the end of names that occur
    again, and of rows without one. Args: name: the key that tells rows apart. Raises: as `rows`, and
    DataError E314 for a file without rows.
    """
    seen: set[str] = set()
    again: list[InputRow] = []
    nameless: list[InputRow] = []
    for line, held in read_json_rows(path, *keys, one_of=one_of):
        known = held.get(name)
        row = InputRow(held, "" if known is None else str(known), f"{path}:{line}", events)
        if not row.name:
            nameless.append(row)
        elif row.name in seen:
            again.append(row)
        seen.add(row.name)
        yield row
    if not seen:
        raise DataError(
            "the file has no rows", path=path, code="E314", remedy="Name a file that is not empty."
        )
    if again:
        again[0].warn_of_row(f"{len(again):,} rows repeat an earlier {name}; this is the first of them")
    if nameless:
        nameless[0].warn_of_row(f"{len(nameless):,} rows have no {name}; this is the first of them")


def check(stop: Stop) -> None:
    """Raise StoppedError where the work is to stop; what is finished stays for the next time."""
    if stop():
        raise StoppedError("indexing was stopped", remedy="Start it again.")
