"""Looking into a stored corpus: the members of a cluster, and the clusters that hold a function."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from engines.core.spec import Arg

__all__ = ["FindFunction", "ShowCluster", "find", "show"]


@dataclass(frozen=True, slots=True)
class FindFunction:
    """The cluster of a corpus that holds a function, in whatever form it is written."""

    corpus: Annotated[Path, Arg("A corpus folder, or its name.", metavar="FOLDER", ref="corpus")]
    expr: Annotated[str, Arg("Infix or prefix; may begin with -.", metavar="EXPR", words=True)]


@dataclass(frozen=True, slots=True)
class ShowCluster:
    """Print a stored cluster: its head, number 0, and its members with their verdicts."""

    corpus: Annotated[Path, Arg("A corpus folder, or its name.", metavar="FOLDER", ref="corpus")]
    cluster: Annotated[int, Arg("The cluster's number.", low=0)]


def find(spec: FindFunction) -> dict[str, Any]:
    """Which clusters hold a function.

    Returns: the expression, and `matches`: cluster, head, verdict of the expression against the head, and the
    member it is, if it is one.
    """
    from engines.egen.corpus.reader import open_corpus
    from engines.egen.expressions.language import LETTERS, read_prefix
    from engines.egen.expressions.notation import expression_row, read_head, unicode_infix
    from engines.egen.verification.verify import verdict_row

    corpus = open_corpus(spec.corpus, several=True)
    tree = read_head(spec.expr, letters=corpus.letters)
    matches = [
        {
            "cluster": match.cluster,
            "head": match.head,
            "unicode": unicode_infix(read_prefix(match.head, LETTERS)),
            "member": match.member,
            **verdict_row(match.verdict),
        }
        for match in corpus.find(tree)
    ]
    return {**expression_row(tree), "matches": matches}


def show(spec: ShowCluster) -> dict[str, Any]:
    """The members of a stored cluster.

    Returns: the cluster's row of the table of clusters, `assume` where something was, and `members`: rows
    with their number, 0 the head.
    """
    from engines.egen.corpus.reader import open_corpus
    from engines.egen.expressions.language import LETTERS, read_prefix
    from engines.egen.expressions.notation import expression_row

    corpus = open_corpus(spec.corpus, several=True)
    rows = [
        {
            "member": row["member"],
            **expression_row(read_prefix(row["prefix"], LETTERS)),
            "verdict": row["verdict"],
            "kept": row["kept"],
            "gained": row["gained"],
            **({"except": row["except"]} if row["except"] else {}),
        }
        for row in corpus.members(spec.cluster).to_pylist()
    ]
    assumed = {"assume": corpus.assumed(spec.cluster)} if corpus.assumed(spec.cluster) else {}
    return {**corpus.clusters().slice(spec.cluster, 1).to_pylist()[0], **assumed, "members": rows}
