"""The one error that a reader of this program ever sees: what happened, where, and what to do about it."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from pathlib import Path

from engines.core.error_codes import CODES

_ENGINES = str(Path(__file__).resolve().parents[1])
_LONGEST_MESSAGE = 200


class EngineError(Exception):
    """A failure that is explained.

    Args: what: the failure in one sentence. remedy: what the user can do next. code: one of `CODES`, where
    its exit code stands, which `exit_code` replaces. where: a file, `file:line` or position that the failure
    belongs to.
    """

    code = "E100"

    def __init__(
        self,
        what: str,
        *,
        remedy: str = "",
        where: str = "",
        code: str | None = None,
        exit_code: int | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy
        self.where = where
        usual, _ = CODES.get(code or self.code) or CODES.get(self.code) or CODES[EngineError.code]
        self.exit_code = usual if exit_code is None else exit_code
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        prefix = f"{self.where}: " if self.where else ""
        end = "" if self.what.endswith((".", "?", "!")) else "."
        advice = f"{end} {self.remedy}" if self.remedy else ""
        return f"{self.code} {prefix}{self.what}{advice}"

    def to_dict(self) -> dict[str, str | int]:
        """Return the error as the JSON object that `--json` prints."""
        return {
            "code": self.code,
            "what": self.what,
            "where": self.where,
            "remedy": self.remedy,
            "exit_code": self.exit_code,
        }


class ExpressionError(EngineError):
    """A formula that cannot be read; `position` counts characters or tokens from 0."""

    code = "E200"

    def __init__(self, what: str, *, text: str = "", position: int | None = None, remedy: str = "") -> None:
        super().__init__(what, remedy=remedy)
        self.text = text
        self.position = position


class StoppedError(EngineError):
    """Work that was stopped and has no result; a job ends as stopped by it."""

    code = "E646"


class DataError(EngineError):
    """A file that cannot be read or does not hold what it should; carries path and line."""

    code = "E300"

    def __init__(
        self,
        what: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        remedy: str = "",
        code: str | None = None,
        exit_code: int | None = None,
    ) -> None:
        where = "" if path is None else str(path) if line is None else f"{path}:{line}"
        super().__init__(what, remedy=remedy, where=where, code=code, exit_code=exit_code)
        self.path = path
        self.line = line


def raise_error(error: EngineError) -> None:
    """Raise the error: what a reader does with a bad line unless it is given another handler."""
    raise error


def describe_defect(error: Exception, part: str) -> str:
    """Return what is said of an error that nobody foresaw, in one part of many, which is passed over: that it
    is a defect of the program, where it arose, and what to do.

    Args: part: what could not be done with which part, as `the document was not judged`.

    Raises: the error itself where it is none of that part: the memory is full, or work was stopped.
    """
    if isinstance(error, MemoryError | StoppedError):
        raise error
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename.startswith(_ENGINES)] or [*frames]
    place = f" in {Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    what = f"{type(error).__name__}: {' '.join(str(error).split())}"[:_LONGEST_MESSAGE].removesuffix(": ")
    return (
        f"{part}: this is a defect of mathwb, not of the text ({what}{place}). Please report it with the text"
    )


def explain_unloadable_model(what: str, error: Exception, remedy: str) -> tuple[str, str]:
    """Return the message and the hint for a model that a library cannot load.

    A library's advice to run code that comes with the model is not passed on.
    """
    reason = " ".join(str(error).split())
    if "trust_remote_code" in reason:
        what += ": it needs its own code, which is never run here"
        return what, "Use a model of an architecture that the library transformers has."
    return f"{what}: {reason[:200] or type(error).__name__}", remedy


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `Did you mean 'theme'?`, or an empty text if no known word is close."""
    import difflib

    close = difflib.get_close_matches(word, list(known), n=1)
    return f"Did you mean {close[0]!r}?" if close else ""
