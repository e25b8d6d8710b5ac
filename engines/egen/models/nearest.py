"""The expressions of a corpus nearest to one by cosine, judged by the verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.events import Sink, Stop, ignore, never
from engines.core.spec import Arg
from engines.egen.models.lookup import ModelFolder
from engines.egen.models.vectors import AtMost, Searched

__all__ = ["Nearest", "judge", "named", "nearest"]

_JUDGED = 100
"""Expressions that the verifier looks at, at most."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The expressions of a corpus that lie nearest to one, and whether they are equal to it."""

    model: ModelFolder
    expr: Annotated[str, Arg("Infix or prefix; may begin with -.", metavar="EXPR", words=True)]
    data: Searched = None
    count: Annotated[int, Arg("How many.", low=1, short="-k")] = 10
    cluster: Annotated[int | None, Arg("Where it is stored itself.", low=0, hidden=True)] = None
    member: Annotated[int | None, Arg("Where it is stored itself.", low=0, hidden=True)] = None
    at_most: AtMost = None


def nearest(
    spec: Nearest, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """The nearest expressions of a corpus; one that is stored there is none of its own neighbours.

    Args: cache: the folder that vectors are kept in.
    Returns: prefix, unicode, pool (how many expressions), left_out, and `neighbours`: prefix, unicode,
    cluster, member, cosine, verdict (as members of the expression's cluster; the first 100) and same (whether
    of the cluster where it is stored, None when that is not said).
    Raises: ExpressionError for an expression that the model cannot read; as `pool`.

    >>> import tempfile
    >>> from engines.egen.models.lookup import shipped_models
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "clusters.jsonl"
    ...     _ = file.write_text('{"head": "sin x", "exprs": ["sin x", "/ 1 csc x", "cos x"]}')
    ...     found = nearest(Nearest(shipped_models()[0], "0 - sin(-x)", file, count=2))
    >>> [each["verdict"] for each in found["neighbours"]]
    ['equal', 'equal']
    """
    from engines.egen.models.bounded import searched
    from engines.egen.models.embed import plain_prefix
    from engines.egen.models.encode import kept_encoder

    found = searched(spec.model, spec.data, cache=cache, at_most=spec.at_most, events=events, stop=stop)
    text, own = plain_prefix(spec.expr), None
    if spec.cluster is not None and spec.member is not None:
        own = found.place(spec.cluster, spec.member)
    query = kept_encoder(spec.model).encode([text]) if own is None else found.vector(own)
    neighbours = [
        {**named(each["prefix"]), **each, "same": None if own is None else each["cluster"] == spec.cluster}
        for each in found.nearest(query, spec.count + (own is not None))
        if own is None or (each["cluster"], each["member"]) != (spec.cluster, spec.member)
    ][: spec.count]
    judge(neighbours, text, "verdict")
    return {**named(text), "pool": len(found), "left_out": found.left_out, "neighbours": neighbours}


def named(text: str) -> dict[str, str]:
    """An expression in generator prefix notation, and in Unicode."""
    from engines.egen.expressions.language import read_prefix
    from engines.egen.expressions.notation import unicode_infix

    return {"prefix": text, "unicode": unicode_infix(read_prefix(text))}


def judge(records: Sequence[dict[str, Any]], head: str, name: str) -> None:
    """Put the verdict on each record's `prefix` as a member beside the head into it, for the first 100."""
    from engines.egen.expressions.language import read_prefix
    from engines.egen.verification.verify import Verifier

    trees = [read_prefix(record["prefix"]) for record in records[:_JUDGED]]
    for record, verdict in zip(records, Verifier(read_prefix(head)).check(trees), strict=False):
        record[name] = verdict.outcome
