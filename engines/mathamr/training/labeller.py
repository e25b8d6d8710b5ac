"""Training of the labeller of roles that the built-in parser has, with AMR graphs of the user's too."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import EngineError
from engines.core.spec import Arg


@dataclass(frozen=True, slots=True)
class TrainRoles:
    """Train the labeller of roles of the built-in parser, on PropBank's examples, AMR graphs, or both.

    Of a graph those roles are learnt whose frame and dependent are each one word of the sentence, the one
    hanging on the other. mathamr amr and mathamr parse take the file as --labeller.
    """

    out: Annotated[Path, Arg("The labeller to write.", metavar="FILE", option=True, writes=True)]
    examples: Annotated[
        Path | None,
        Arg("PropBank's examples: lines with roleset, text, rel and args.", metavar="FILE", option=True),
    ] = None
    amr: Annotated[
        tuple[Path, ...],
        Arg(
            "Graphs under their sentences, or a registered name; may be given again.", ref="amr", option=True
        ),
    ] = ()
    held_out: Annotated[
        float, Arg("The share of the sentences that accuracy is measured on instead.", low=0, high=0.9)
    ] = 0.0

    def __post_init__(self) -> None:
        """Raises: EngineError E402 where there is nothing to learn from."""
        if self.examples is None and not self.amr:
            raise EngineError(
                "examples or AMR graphs are needed",
                code="E402",
                exit_code=2,
                remedy="Name --examples FILE, --amr NAME, or both.",
            )


def train_roles(spec: TrainRoles) -> dict[str, Any]:
    """Write the labeller. Returns: out, and as `labelling.derive`. Raises: DataError E674 as there."""
    from engines.mathamr.parsing.roles import derive

    found = derive(spec.examples, spec.out, amr=spec.amr, held_out=spec.held_out)
    return {"out": str(spec.out), **found}
