"""E-Gen's registration, and its stops of the tour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.paper import Paper, Trainer

if TYPE_CHECKING:
    from workbench.tour import Found, Guide
    from workbench.workspace import Workspace

_WAYS = ("tan atan x", "pow sqrt x 2", "asin sin x")


def tour(guide: Guide, workspace: Workspace) -> None:
    """Grow, judge, count, look up."""
    from tempfile import TemporaryDirectory

    from workbench.papers.egen.data import corpora

    guide.stop(
        "Grow the derivative of -9 sinh(2-7x) into expressions that equal it",
        "egen.generate",
        {"expr": "d x * -9 sinh - 2 * 7 x", "members": 12},
        _members,
    )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "pairs.tsv"
        file.write_text("".join(f"x\t{member}\n" for member in _WAYS))
        guide.stop("Judge three ways to write x", "egen.verify", {"file": str(file)}, _verdicts)
    corpus = next(corpora(workspace), None)
    if corpus is None:
        guide.say("the workspace has no corpus, so this is skipped")
        return
    place = {"corpus": str(corpus)}
    guide.stop(f"Count the corpus {corpus.name}", "egen.stats", place, _statistics)
    cluster = guide.stop("Open its first cluster", "egen.show", {**place, "cluster": 0}, _cluster)
    # A member that lost some of the domain is another function.
    equal = [row for row in cluster["members"] if row["verdict"] in ("head", "equal")]
    longest = max(equal, key=lambda row: row["tokens"])
    guide.stop(
        f"Find the cluster of {longest['infix']}", "egen.find", {**place, "expr": longest["prefix"]}, _matches
    )


def _shown(text: str) -> str:
    from engines.egen.expressions.language import read_prefix
    from engines.egen.expressions.notation import unicode_infix

    return unicode_infix(read_prefix(text))


def _members(found: Found) -> Iterator[str]:
    stats = found["stats"]
    yield (
        f"{stats['total_members']:,} expressions within the token limit, in {stats['nodes']:,} nodes and "
        f"{stats['classes']:,} classes (stop: {stats['stop_reason']}); {len(found['members'])} of them:"
    )
    for row in found["members"]:
        yield f"  {row['verdict']:<8} {row['tokens']:>3} tokens  {_shown(row['prefix'])}"


def _verdicts(found: Found) -> Iterator[str]:
    for row, member in zip(found["results"], _WAYS, strict=True):
        yield f"{_shown(member)}: {row['verdict']}, defined at {row['kept']:.0%} of the points"


def _statistics(found: Found) -> Iterator[str]:
    for name, value in found.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{name.replace('_', ' ')}: {value:,.6g}"


def _cluster(found: Found) -> Iterator[str]:
    verdicts = Counter(row["verdict"] for row in found["members"])
    yield f"{len(found['members']):,} expressions: " + ", ".join(
        f"{n:,} {word}" for word, n in verdicts.items()
    )
    for row in found["members"][:4]:
        yield f"  {row['unicode']}"


def _matches(found: Found) -> Iterator[str]:
    for match in found["matches"]:
        yield f"cluster {match['cluster']}, {match['unicode']}: {match['verdict']}"


_DATA = ("corpus", "exclude", "backbone")
_SETTINGS = ("engines.egen.models.settings:Settings", "engines.egen.models.settings:ModelConfig")

PAPER = Paper(
    name="egen",
    help="Equivalent expressions: generate, verify, store, explore.",
    operations="workbench.papers.egen.operations:OPERATIONS",
    tables="workbench.papers.egen.tables",
    trainers=(
        Trainer("egen.contrastive", "engines.egen.models.trainers:contrastive", _SETTINGS, _DATA, "backbone"),
        Trainer("egen.seq2seq", "engines.egen.models.trainers:seq2seq", _SETTINGS, _DATA, "backbone"),
        Trainer(
            "egen.composed",
            "engines.egen.composed.trainer:composed",
            ("engines.egen.composed.trainer:ComposedSettings", "engines.egen.composed.network:ComposedSizes"),
            _DATA,
            "backbone",
        ),
        Trainer(
            "egen.semvec",
            "engines.egen.semvec.trainer:SemVecTask",
            ("engines.egen.semvec.trainer:SemVecSettings",),
            ("classes", "backbone"),
            "backbone",
        ),
    ),
    kinds="workbench.papers.egen.data:KINDS",
    settings="workbench.papers.egen.data:KEYS",
    folder="corpora",
    doctor="workbench.papers.egen.data:examine",
    tour="workbench.papers.egen.paper:tour",
    lends={
        "judge": "engines.egen.judging:judge",
        "proofreader": "engines.egen.proofreading.proofread:TextProofreader",
        "fingerprints": "engines.egen.judging.fingerprint:ValueFingerprints",
    },
    references={
        "corpus": "workbench.papers.egen.data:corpus_path",
        "expressions": "workbench.papers.egen.data:expressions_path",
        "model": "workbench.papers.egen.data:model_path",
    },
    defaults={
        "egen.mode": (("egen.generate", "mode"),),
        "egen.style": (("egen.generate", "style"),),
        "egen.order": (("egen.generate", "order"),),
        "egen.max_tokens": (("egen.generate", "max_tokens"),),
    },
)
