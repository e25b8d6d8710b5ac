"""The plan of an index: what its folder was begun with, so that nothing else goes on in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engines.core.errors import EngineError
from engines.core.files import file_error, write_json
from engines.retrieval.bm25 import Bm25
from engines.retrieval.encoders import StoredEncoder
from engines.retrieval.sparse import SparseEncoder
from engines.retrieval.stored import corrupt
from engines.retrieval.tokens import TERMS, VERSIONS

__all__ = ["AGAIN", "FORMAT", "MANIFEST", "PLAN", "begun", "read_json"]

FORMAT = 1
MANIFEST, PLAN = "manifest.json", "plan.json"
AGAIN = "Remove the index and build it again, or choose another folder."


def _facts(chosen: StoredEncoder | SparseEncoder) -> dict[str, Any]:
    return {
        "name": chosen.name,
        "place": chosen.place,
        "dim": chosen.dimension,
        "sha256": chosen.fingerprint,
    }


def begun(
    out: Path,
    plan: dict[str, Any],
    named: Mapping[str, Any],
    chosen: Mapping[str, StoredEncoder | SparseEncoder | None],
) -> dict[str, Any]:
    """The plan, written, or checked against that which the folder was begun with; an encoder may be added
    later, and settings of BM25 that are not named are the folder's own.

    Raises: EngineError E668 for a folder that was begun with others.
    """
    path = out / PLAN
    old: dict[str, Any] = read_json(path) if path.exists() else {}
    was = {"tokens": old.get("tokens"), **(old.get("bm25") or asdict(Bm25()))}
    if was["tokens"] not in TERMS:
        was["tokens"] = VERSIONS["porter" if str(was["tokens"]).startswith("porter") else "math"]
    of_terms = {name: was[name] if value is None else value for name, value in named.items()}
    plan |= {"tokens": of_terms["tokens"], "bm25": {name: of_terms[name] for name in ("k1", "b")}}
    if old:
        names = {"format": "version", "posts": "posts", "links": "links", "tokens": "terms", "bm25": "BM25"}
        for key, name in names.items():
            if old.get(key) != plan[key]:
                raise EngineError(
                    f"the index in this folder was begun with other settings: {name}",
                    where=str(out),
                    code="E668",
                    exit_code=2,
                    remedy=AGAIN,
                )
    for key, encoder in chosen.items():
        own = old.get(key)
        facts: dict[str, Any] = _facts(encoder) if encoder is not None else own or {}
        if own and own["sha256"] != facts["sha256"]:
            raise EngineError(
                f"the vectors in this folder are those of {own['name']}, and {facts['name']} is asked for",
                where=str(out),
                code="E668",
                exit_code=2,
                remedy=AGAIN,
            )
        plan[key] = facts or None
    if plan != old:
        write_json(path, plan)
    return plan


def read_json(path: Path) -> dict[str, Any]:
    """A plan or manifest. Raises: DataError E661 for one that is corrupt, E312 for one that is missing."""
    try:
        found: dict[str, Any] = json.loads(path.read_bytes())
        found["format"]
    except FileNotFoundError as error:
        raise file_error(error, path, "read") from error
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise corrupt(path, error) from error
    return found
