"""What a command on formulas is given."""

from __future__ import annotations

from pathlib import Path

from engines.core.errors import EngineError

__all__ = ["one_formula_or_file"]


def one_formula_or_file(latex: str | None, file: Path | None) -> None:
    """Raises: EngineError E402 unless there is either a formula or a file."""
    if (latex is None) == (file is None):
        raise EngineError(
            "a formula or a file is needed, and not both",
            code="E402",
            exit_code=2,
            remedy="Name one: --latex 'x^2' or --file FILE.",
        )
