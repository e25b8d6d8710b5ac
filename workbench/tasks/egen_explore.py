"""The tasks that look around among E-Gen's vectors: maps, neighbours, analogies.

Models and data are named as in `egen_models`. The vectors of a corpus are made once and kept (see
`workbench.vectors`); a caller who cannot wait gives `at_most`: a corpus with more expressions than that is
not encoded for it, but by the task `index`, as a job.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engines.core.errors import EngineError
from engines.core.events import Event, Sink, Stop
from workbench.tasks.egen_models import data_of, embedder_of, model_folder, place_of, texts_of
from workbench.vectors import Part, Pool, folder, known, model_print, pool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from engines.egen.encode import Embedder

__all__ = ["analogies", "analogy", "index", "map_", "nearest", "tsne"]

_CHECKED = 100
"""Hits that the verifier looks at, at most."""
_WHAT = ("model", "data", "seed")


def _pool(params: Mapping[str, Any], part: Part, events: Sink, stop: Stop) -> Pool:
    model, place = model_folder(str(params["model"])).absolute(), place_of(params.get("data"))
    most = params.get("at_most")
    if most is not None and part == "all" and place.is_dir() and not known(model, place, part):
        from engines.egen.corpus import open_corpus

        size = sum(open_corpus(place).clusters()["size"].to_pylist())
        if size > int(most):
            raise EngineError(
                f"the {size:,} expressions of this corpus have no vectors by this model yet",
                code="E647",
                exit_code=3,
                remedy="Let a job encode them.",
            )
    return pool(embedder_of(params), model, place, part, events=events, stop=stop)


def index(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Encode all expressions of a corpus, so that questions about neighbours are answered at once.

    Params: model, data. Returns: expressions, left_out.
    """
    heads, everything = (_pool(params, part, events, stop) for part in ("heads", "all"))
    return {"expressions": len(everything), "left_out": everything.left_out, "clusters": len(heads)}


def nearest(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """The expressions of a corpus nearest to one by cosine.

    Params: model, data, count, at_most, and expr; or cluster and member, the place of one in the corpus,
    which is then none of its neighbours. Returns: prefix, unicode, pool (how many expressions), and
    `neighbours`: prefix, unicode, cluster, member, cosine, same (whether of the cluster that was asked for,
    None when none was), and the verdict on them as members of the expression's cluster.
    """
    found = _pool(params, "all", events, stop)
    own = None
    if "expr" in params:
        (text,) = texts_of([str(params["expr"])])
    else:
        own = found.place(int(params["cluster"]), int(params["member"]))
        if own is None:
            raise EngineError(
                "the model cannot read this expression: it is too long, or a constant has no token",
                code="E640",
                exit_code=2,
            )
        text = found.rows([own])[0]["prefix"]
    query = _unit(embedder_of(params), [text])[0] if own is None else found.vectors[own]
    scores = found.scores(query)
    if own is not None:
        scores[own] = -2.0
    rows = _best(scores, int(params.get("count", 10)), len(found) - (own is not None))
    cluster = params.get("cluster")
    neighbours = _hits(found, rows, scores, text)
    for each in neighbours:
        each["same"] = None if cluster is None else each["cluster"] == int(cluster)
    return {**_named(text), "pool": len(found), "left_out": found.left_out, "neighbours": neighbours}


def _unit(embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
    from engines.retrieval.similarity import unit

    return unit(embedder.embed(texts))


def _best(scores: NDArray[np.float32], count: int, there_are: int) -> list[int]:
    """The places of the highest scores; equal ones in the order of the pool."""
    import numpy as np

    count = min(count, there_are)
    kept = np.sort(np.argpartition(-scores, min(count, len(scores) - 1))[: count + 1])
    order = np.argsort(-scores[kept], kind="stable")[:count]
    found: list[int] = kept[order].tolist()
    return found


def _named(text: str) -> dict[str, str]:
    from engines.egen.language import read_prefix
    from engines.egen.notation import unicode_infix

    return {"prefix": text, "unicode": unicode_infix(read_prefix(text))}


def _hits(
    found: Pool, rows: Sequence[int], scores: NDArray[np.float32], against: str | None
) -> list[dict[str, Any]]:
    """Records of places, each with its cosine and judged `against` a head."""
    hits = [
        {**_named(row["prefix"]), "cluster": row["cluster"], "member": row["member"], "cosine": float(cosine)}
        for row, cosine in zip(found.rows(rows), scores[list(rows)], strict=True)
    ]
    if against is not None:
        _judge(hits, against, "verdict")
    return hits


def _judge(hits: list[dict[str, Any]], head: str, name: str) -> None:
    from engines.egen.language import read_prefix
    from engines.egen.verify import Verifier

    trees = [read_prefix(hit["prefix"]) for hit in hits[:_CHECKED]]
    for hit, verdict in zip(hits, Verifier(read_prefix(head)).check(trees), strict=False):
        hit[name] = verdict.outcome


# Analogies


@lru_cache(maxsize=1)
def _families() -> tuple[Mapping[str, str], ...]:
    from engines.egen.tasks.analogies import PAPER_COUNT, build

    return tuple(
        {"family": each.family, "x1": each.x1, "y1": each.y1, "x2": each.x2, "y2": each.y2}
        for each in build(PAPER_COUNT)
    )


def analogies(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:  # noqa: ARG001
    """The analogies that are measured. Returns: `analogies`: family, x1, y1, x2, y2 (prefix notation)."""
    return {"analogies": [dict(each) for each in _families()]}


_answers: dict[str, tuple[list[str], Any]] = {}


def _answer_vectors(params: Mapping[str, Any], name: str) -> tuple[list[str], Any]:
    """The expressions that occur in analogies, which are candidates besides the corpus."""
    if name not in _answers:
        texts = list(dict.fromkeys(each[key] for each in _families() for key in ("x1", "y1", "x2", "y2")))
        _answers.clear()
        _answers[name] = texts, _unit(embedder_of(params), texts)
    return _answers[name]


def analogy(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """x1 is to y1 as x2 is to what? The nearest to f(y1) - f(x1) + f(x2) by cosine, among a corpus, the
    expressions of the analogies that are measured, and the one expected.

    Params: model, data, x1, y1, x2, expected (may be missing), count, at_most. Returns: the four as they were
    read; `hits`: prefix, unicode, cluster and member (None for what is of no corpus), cosine, `verdict`
    against what is expected (None when nothing is) and `echo`, whether it equals x2; `place`: which hit is
    the first that equals what is expected, from 1 on, and `place_without_echo`: the same where what equals x2
    does not count (None: none of the hits).
    """
    import numpy as np

    given = texts_of([str(params[name]) for name in ("x1", "y1", "x2")])
    (wanted,) = texts_of([str(params["expected"])]) if params.get("expected") else (None,)
    found = _pool(params, "all", events, stop)
    x1, y1, x2 = embedder_of(params).embed(given)
    target = y1 - x1 + x2
    target /= max(float(np.linalg.norm(target)), 1e-12)
    texts, vectors = _answer_vectors(params, found.name)
    if wanted is not None and wanted not in texts:
        texts, vectors = [*texts, wanted], np.concatenate([vectors, _unit(embedder_of(params), [wanted])])
    count, echo = int(params.get("count", 10)), set(given)
    scores = found.scores(target)
    # Three more, since what was asked with is no answer.
    hits = _hits(found, _best(scores, count + 3, len(found)), scores, None)
    others = vectors @ target
    for row in _best(others, count + 3, len(texts)):
        hits.append({**_named(texts[row]), "cluster": None, "member": None, "cosine": float(others[row])})
    hits = [hit for hit in hits if hit["prefix"] not in echo]
    # One of the corpus comes before the same expression without a place.
    hits.sort(key=lambda hit: (-round(hit["cosine"], 6), hit["cluster"] is None))
    first: dict[str, dict[str, Any]] = {}
    for hit in hits:
        first.setdefault(hit["prefix"], hit)
    hits = list(first.values())[:count]
    _judge(hits, given[2], "echo")
    for hit in hits:
        hit["echo"] = hit.get("echo") == "equal"
        hit["verdict"] = None
    if wanted is not None:
        _judge(hits, wanted, "verdict")
    return {
        **{name: _named(text) for name, text in zip(("x1", "y1", "x2"), given, strict=True)},
        "expected": wanted and _named(wanted),
        "candidates": len(found) + len(texts),
        "hits": hits,
        "place": _place_of_hit(hits),
        "place_without_echo": _place_of_hit([hit for hit in hits if not hit["echo"]]),
    }


def _place_of_hit(hits: Sequence[Mapping[str, Any]]) -> int | None:
    return next((place for place, hit in enumerate(hits, 1) if hit["verdict"] == "equal"), None)


# Maps


def map_(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """A plane map of embeddings.

    Params: model, method (tsne or pca), seed, `file` (.svg, .png or .csv to write), and what to show:
    `clusters` true: the heads of `data`, coloured by their kind; `exprs` with `names`; otherwise the 17
    families of Figure 3 from `data` (side all). Of clusters, `known` true takes an arrangement only when it
    was made before. Returns: model, method, points ([[x, y], …], None when it is not known), exprs, names,
    file, and of clusters their numbers and left_out.
    """
    embedder, method = embedder_of(params), str(params.get("method", "tsne"))
    more: dict[str, Any] = {"model": embedder.name, "method": method}
    if params.get("clusters"):
        heads = _pool(params, "heads", events, stop)
        texts, numbers = (heads.table[name].to_pylist() for name in ("prefix", "cluster"))
        names = _kinds(place_of(params.get("data")), numbers)
        more |= {"clusters": numbers, "left_out": heads.left_out}
        points = _arranged(params, heads.name, lambda: heads.vectors, events)
    else:
        texts, names = _shown(params)
        name = _name_of(params, texts)
        points = _arranged(params, name, lambda: embedder.embed(texts, events=events, stop=stop), events)
    if stop():
        raise EngineError("the map was stopped", code="E646", remedy="Start it again.")
    if params.get("file") and points is not None:
        _write(Path(params["file"]), points, texts, names, more)
    listed = None if points is None else points.tolist()
    return {**more, "points": listed, "exprs": texts, "names": names, "file": params.get("file")}


def _shown(params: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    from engines.egen.tasks.map import families

    if "exprs" in params:
        return texts_of(params["exprs"]), list(params.get("names") or params["exprs"])
    texts, names = families(data_of({"side": "all", **params}), most=int(params.get("most", 200)))
    if not texts:
        raise EngineError(
            "no cluster has a head with one of the 17 functions alone",
            code="E645",
            exit_code=2,
            remedy="Name a corpus of function templates, or show its --clusters.",
        )
    return texts, names


def _kinds(place: Path, numbers: Sequence[int]) -> list[str]:
    """Of each cluster the kind of template that it was grown from."""
    if not place.is_dir():
        return ["cluster"] * len(numbers)
    from engines.egen.corpus import open_corpus

    kinds = open_corpus(place).clusters()["kind"].to_pylist()
    return [kinds[number] or "own" for number in numbers]


def _plane(vectors: Any, method: str, seed: int) -> NDArray[np.float32]:
    from engines.egen.tasks.map import plane

    if method not in ("pca", "tsne"):
        raise EngineError(f"there is no arrangement {method!r}", code="E429", exit_code=2)
    return plane(vectors, method, seed=seed)  # type: ignore[arg-type]  # looked at above


def _name_of(params: Mapping[str, Any], texts: Sequence[str]) -> str:
    """Identifies vectors by model and expressions."""
    content = [model_print(model_folder(str(params["model"])).absolute()), *texts]
    return sha256("\n".join(content).encode()).hexdigest()[:32]


def _arranged(
    params: Mapping[str, Any], name: str, vectors: Callable[[], Any], events: Sink
) -> NDArray[np.float32] | None:
    """The places of vectors; those of t-SNE are kept by this name, since they take a while. With `known` in
    the parameters only what is kept."""
    import numpy as np

    from engines.core.files import write_array

    method, seed = str(params.get("method", "tsne")), int(params.get("seed", 0))
    if method == "pca":
        return _plane(vectors(), method, seed)
    path = folder() / f"{name}-{method}-{seed}.npy"
    if path.exists():
        found: NDArray[np.float32] = np.load(path)
        return found
    if params.get("known"):
        return None
    rows = vectors()
    points = _plane(rows, method, seed)
    events(Event("progress", {"done": len(rows), "total": len(rows), "unit": "points"}))
    write_array(path, points)
    return points


def tsne(params: dict[str, Any], *, events: Sink, stop: Stop) -> dict[str, Any]:
    """Arrange a corpus by t-SNE and keep it, so that `map` has it at once: what a job does.

    Params: model, data, what (tsne: the clusters; families), seed, out (a folder for `map.svg` and
    `map.csv`). Returns: points (how many), file.
    """
    wanted: dict[str, Any] = {name: params[name] for name in _WHAT if name in params}
    wanted |= {"method": "tsne", "clusters": params.get("what", "tsne") != "families"}
    out = Path(params["out"])
    out.mkdir(parents=True, exist_ok=True)
    found = map_({**wanted, "file": str(out / "map.svg")}, events=events, stop=stop)
    map_({**wanted, "file": str(out / "map.csv")}, events=events, stop=stop)
    return {"points": len(found["exprs"]), "file": found["file"]}


def _write(
    path: Path, points: Any, texts: Sequence[str], names: Sequence[str], more: Mapping[str, Any]
) -> None:
    """Write the map as a picture or as a table, as its name ends."""
    from engines.core.files import write_bytes, write_text
    from engines.egen.tasks.map import picture

    if path.suffix == ".csv":
        from workbench.export import write_table

        clusters = more.get("clusters", [""] * len(texts))
        rows = ((c, n, t, *map(float, p)) for c, n, t, p in zip(clusters, names, texts, points, strict=True))
        facts = {name: value for name, value in more.items() if name != "clusters"}
        write_table(path, ("cluster", "name", "prefix", "x", "y"), rows, provenance=facts)
        return
    ways = {"tsne": "t-SNE", "pca": "PCA"}
    what = "clusters" if "clusters" in more else "expressions"
    svg = picture(points, names, f"{more['model']}: {len(texts):,} {what}, {ways[more['method']]}")
    if path.suffix == ".png":
        import cairosvg  # type: ignore[import-untyped]

        write_bytes(path, cairosvg.svg2png(svg.encode(), output_width=1660))
    else:
        write_text(path, svg)
