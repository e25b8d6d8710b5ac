"""Other forms of an expression, written by a sequence-to-sequence model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.errors import EngineError
from engines.core.spec import Arg

__all__ = ["Rewrite", "rewrite"]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Other forms of an expression, written by a sequence-to-sequence model and verified."""

    model: Annotated[Path, Arg("A seq2seq model: folder or name.", ref="model")]
    expr: Annotated[str, Arg("Infix or prefix; may begin with -.", metavar="EXPR", words=True)]
    beams: Annotated[int, Arg("1 is greedy.", low=1, high=1000)] = 5


def rewrite(spec: Rewrite) -> dict[str, Any]:
    """What the model writes, best first.

    Returns: prefix (the expression as it was read) and `written`: prefix (None when it is no expression),
    score_nats a token, and the verdict. Raises: EngineError E641 for a model that writes nothing.
    """
    from engines.egen.expressions.language import prefix, read_prefix
    from engines.egen.models.decoding import write
    from engines.egen.models.embed import plain_prefix
    from engines.egen.models.encode import ModelEncoder, kept_encoder
    from engines.egen.verification.verify import verdict_row

    encoder = kept_encoder(spec.model)
    if not isinstance(encoder, ModelEncoder):
        raise EngineError(
            "this model writes nothing", code="E641", exit_code=2, remedy="Name one of a seq2seq recipe."
        )
    text = plain_prefix(spec.expr)
    (found,) = write(encoder.model, [read_prefix(text)], beams=spec.beams)
    written = [
        {
            "prefix": each.tree and prefix(each.tree),
            "score_nats": each.score_nats,
            **(verdict_row(each.verdict) if each.verdict else {"verdict": None}),
        }
        for each in found
    ]
    return {"prefix": text, "written": written}
