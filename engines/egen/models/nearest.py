"""What a model is asked: the nearest expressions, analogies, other forms of an expression."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import EngineError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.spec import Arg, specification
from engines.egen.models.model_folder import ModelFolder
from engines.egen.models.vectors import AtMost, Searched, model_print

if TYPE_CHECKING:
    from engines.egen.evaluations.analogies import Analogy
    from engines.retrieval.dense import Vectors


_JUDGED = 100
"""Expressions that the verifier looks at, at most."""


@specification
class Nearest:
    """Find the expressions of a corpus nearest to one, and say whether each equals it."""

    model: ModelFolder
    expr: Annotated[str, Arg("Infix, LaTeX or prefix; may begin with -.", metavar="EXPR", words=True)]
    data: Searched = None
    count: Annotated[int, Arg("How many.", low=1, short="-k")] = 10
    cluster: Annotated[int | None, Arg("Where it is stored itself.", low=0, hidden=True)] = None
    member: Annotated[int | None, Arg("Where it is stored itself.", low=0, hidden=True)] = None
    at_most: AtMost = None


def nearest(
    spec: Nearest, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Return the nearest expressions of a corpus; one that is stored there is none of its own neighbours.

    Args:
        cache: The folder that vectors are kept in.

    Returns:
        Prefix, unicode, pool (how many expressions), left_out, and `neighbours`: prefix, unicode, cluster,
        member, cosine, verdict (as members of the expression's cluster; the first 100) and same (whether of
        the cluster where it is stored, None when that is not said).

    Raises:
        ExpressionError: For an expression that the model cannot read; as `vectors.open_pool`.

    >>> import tempfile
    >>> from engines.egen.models.model_folder import shipped_models
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "clusters.jsonl"
    ...     _ = file.write_text('{"head": "sin x", "exprs": ["sin x", "/ 1 csc x", "cos x"]}')
    ...     found = nearest(Nearest(shipped_models()[0], "0 - sin(-x)", file, count=2))
    >>> [each["verdict"] for each in found["neighbours"]]
    ['equal', 'equal']
    """
    from engines.egen.models.embed import plain_prefix
    from engines.egen.models.encode import cached_encoder
    from engines.egen.models.vectors import open_searched_pool

    text, own = plain_prefix(spec.expr), None
    query = cached_encoder(spec.model).encode([text])  # refused, if it is, before a corpus is encoded
    result = open_searched_pool(
        spec.model, spec.data, cache=cache, at_most=spec.at_most, events=events, stop=stop
    )
    # A stored expression is asked by its stored vector, and is not its own neighbour.
    if spec.cluster is not None and spec.member is not None:
        own = result.find_row(spec.cluster, spec.member)
    query = query if own is None else result.vector_of(own)
    neighbours = [
        {
            **write_notations(row["prefix"]),
            **row,
            "same": None if own is None else row["cluster"] == spec.cluster,
        }
        for row in result.find_nearest(query, spec.count + (own is not None))
        if own is None or (row["cluster"], row["member"]) != (spec.cluster, spec.member)
    ][: spec.count]
    judge_neighbours(neighbours, text, "verdict")
    return {
        **write_notations(text),
        "pool": len(result),
        "left_out": result.left_out,
        "neighbours": neighbours,
    }


def write_notations(text: str) -> dict[str, str]:
    """Return an expression in prefix notation as `{"prefix", "unicode"}`."""
    from engines.core.expression_language import read_prefix
    from engines.mathematics.terms.notation import unicode_infix

    return {"prefix": text, "unicode": unicode_infix(read_prefix(text))}


def judge_neighbours(records: Sequence[dict[str, Any]], head: str, name: str) -> None:
    """Put the verdict on each record's `prefix` as a member beside the head into it, for the first 100."""
    from engines.core.expression_language import read_prefix
    from engines.mathematics.verification.verifier import Verifier

    trees = [read_prefix(record["prefix"]) for record in records[:_JUDGED]]
    for record, verdict in zip(records, Verifier(read_prefix(head)).judge_members(trees), strict=False):
        record[name] = verdict.outcome


@specification
class SolveAnalogy:
    """Solve x1 : y1 :: x2 : ? by vector arithmetic, and say whether the answer is right.

    Candidates are the expressions of a corpus and of the analogies in `egen eval algebra`.
    """

    model: ModelFolder
    x1: Annotated[str, Arg("First expression of the example pair.")]
    y1: Annotated[str, Arg("Second expression of the example pair.")]
    x2: Annotated[str, Arg("Expression to complete in the same way.")]
    expected: Annotated[str | None, Arg("The right answer, if known.", metavar="EXPR")] = None
    data: Searched = None
    count: Annotated[int, Arg("How many.", low=1, short="-k")] = 10
    at_most: AtMost = None


@specification
class Analogies:
    """List the analogies that `egen eval algebra` measures."""


def find_analogies(spec: Analogies) -> dict[str, Any]:  # noqa: ARG001  # there is nothing to choose
    """Return `analogies`: family, x1, y1, x2, y2 (prefix notation)."""
    return {"analogies": [asdict(each) for each in _measured_analogies()]}


@lru_cache(maxsize=1)
def _measured_analogies() -> tuple[Analogy, ...]:
    from engines.egen.evaluations.analogies import PAPER_COUNT, build_analogies

    return tuple(build_analogies(PAPER_COUNT))


_candidates: dict[str, tuple[list[str], Vectors]] = {}


def _of_analogies(model: Path) -> tuple[list[str], Vectors]:
    from engines.egen.models.encode import cached_encoder

    name = model_print(model)
    if name not in _candidates:
        texts = list(
            dict.fromkeys(t for each in _measured_analogies() for t in (each.x1, each.y1, each.x2, each.y2))
        )
        _candidates.clear()
        _candidates[name] = texts, cached_encoder(model).encode(texts)
    return _candidates[name]


def analogy(
    spec: SolveAnalogy, *, cache: Path | None = None, events: Sink = ignore, stop: Stop = never
) -> dict[str, Any]:
    """Solve an analogy: the nearest to f(y1) - f(x1) + f(x2) by cosine.

    Candidates are a corpus, the expressions of the analogies that are measured, and the expected one; x1, y1
    and x2 are no answers.

    Args:
        cache: The folder that vectors are kept in.

    Returns:
        X1, y1, x2 and expected as they were read; `hits`: prefix, unicode, cluster and member (None for what
        is of no corpus), cosine, `verdict` against what is expected (None when nothing is) and `echo`,
        whether it equals x2; `place`: which hit is the first that equals what is expected, from 1 on, and
        `place_without_echo`: the same where what equals x2 does not count (None: none of the hits).
    """
    import numpy as np

    from engines.egen.models.embed import plain_prefix
    from engines.egen.models.encode import cached_encoder
    from engines.egen.models.vectors import open_searched_pool
    from engines.retrieval.dense import nearest, normalize_rows

    given = [plain_prefix(text) for text in (spec.x1, spec.y1, spec.x2)]
    expected = plain_prefix(spec.expected) if spec.expected else None
    encoder = cached_encoder(spec.model)
    x1, y1, x2 = encoder.encode(given, normalise=False)
    result = open_searched_pool(
        spec.model, spec.data, cache=cache, at_most=spec.at_most, events=events, stop=stop
    )
    target = normalize_rows((y1 - x1 + x2)[None])
    texts, vectors = _of_analogies(spec.model)
    if expected is not None and expected not in texts:
        texts, vectors = [*texts, expected], np.concatenate([vectors, encoder.encode([expected])])
    # Three more, since what was asked with is no answer.
    hits = result.find_nearest(target, spec.count + 3)
    cosines, rows = nearest(target, vectors, spec.count + 3)
    for row, cosine in zip(rows[0].tolist(), cosines[0].tolist(), strict=True):
        hits.append({"prefix": texts[row], "cluster": None, "member": None, "cosine": cosine})
    # One of the corpus comes before the same expression without a place.
    hits.sort(key=lambda hit: (-round(hit["cosine"], 6), hit["cluster"] is None))
    # Keep the best hit of each expression, without those asked with.
    first: dict[str, dict[str, Any]] = {}
    for hit in hits:
        if hit["prefix"] not in given:
            first.setdefault(hit["prefix"], {**write_notations(hit["prefix"]), **hit})
    hits = list(first.values())[: spec.count]
    # An echo is a hit that equals x2: the analogy was not solved, only repeated.
    judge_neighbours(hits, given[2], "echo")
    for hit in hits:
        hit["echo"] = hit.get("echo") == "equal"
        hit["verdict"] = None
    if expected is not None:
        judge_neighbours(hits, expected, "verdict")
    return {
        **{name: write_notations(text) for name, text in zip(("x1", "y1", "x2"), given, strict=True)},
        "expected": expected and write_notations(expected),
        "candidates": len(result) + len(texts),
        "hits": hits,
        "place": _find_place(hits),
        "place_without_echo": _find_place([hit for hit in hits if not hit["echo"]]),
    }


def _find_place(hits: Sequence[Mapping[str, Any]]) -> int | None:
    return next((index for index, hit in enumerate(hits, 1) if hit["verdict"] == "equal"), None)


@specification
class Rewrite:
    """Write other forms of an expression with a sequence-to-sequence model, and verify them."""

    model: Annotated[Path, Arg("A seq2seq model: folder or name.", ref="model")]
    expr: Annotated[str, Arg("Infix, LaTeX or prefix; may begin with -.", metavar="EXPR", words=True)]
    beams: Annotated[int, Arg("Beam width; 1 is greedy decoding.", low=1, high=1000)] = 5


def rewrite_expression(spec: Rewrite) -> dict[str, Any]:
    """Return what the model writes for an expression, best first.

    Returns:
        Prefix (the expression as it was read) and `written`: prefix (None when it is no expression),
        score_nats a token, and the verdict.

    Raises:
        EngineError: E641 for a model that writes nothing.
    """
    from engines.core.expression_language import read_prefix, to_prefix
    from engines.core.model_checks import check_weights
    from engines.egen.models.embed import plain_prefix
    from engines.egen.models.encode import cached_encoder
    from engines.egen.models.model_encoder import ModelEncoder
    from engines.egen.models.transformer import write
    from engines.mathematics.verification.verdicts import verdict_row

    encoder = cached_encoder(spec.model)
    if not isinstance(encoder, ModelEncoder):
        remedy = "Name a model trained with a seq2seq recipe."
        raise EngineError("this model cannot generate", code="E641", remedy=remedy)
    check_weights(encoder.model, encoder.name)
    text = plain_prefix(spec.expr)
    (rewritings,) = write(encoder.model, [read_prefix(text)], beams=spec.beams)
    written = [
        {
            "prefix": each.tree and to_prefix(each.tree),
            "score_nats": each.score_nats,
            **(verdict_row(each.verdict) if each.verdict else {"verdict": None}),
        }
        for each in rewritings
    ]
    return {"prefix": text, "written": written}
