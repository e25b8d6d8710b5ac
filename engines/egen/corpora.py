"""Corpora as operations: built, described, added to by hand, published, looked into."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core import system
from engines.core.errors import DataError
from engines.core.events import Sink, Stop, ignore, never
from engines.core.expression_language import LETTERS, read_prefix
from engines.core.spec import Arg, make_refusal, share_of, specification
from engines.core.system import reported_row
from engines.egen.settings import (
    CORPUS_CONFIG,
    MAX_MEMBERS,
    MAX_TOKENS,
    EgenConfig,
    FamilyWeights,
    Layout,
    Limits,
    Mode,
    OwnRules,
    SplitName,
    StyleChoice,
    families_of,
    normalise_family_weights,
    style_of,
)
from engines.mathematics.verification.verdicts import MemberVerdict

if TYPE_CHECKING:
    import pyarrow as pa

    from engines.egen.corpus.build import BuildResult
    from engines.egen.corpus.folder import Corpus, GrownHead, StoredMember


_ORIGIN = "saved"
_FACTS = ("stop_reason", "iterations", "nodes", "classes")


@specification
class SaveCluster:
    """Add a generated cluster to a corpus of saved clusters; those already in it do not change."""

    cluster: Annotated[Path, Arg("What `mathwb egen generate --out` wrote.", metavar="FILE")]
    out: Annotated[Path, Arg("The corpus folder of saved clusters.", option=True, writes=True)]


@specification
class SaveDocument:
    """Keep a generated cluster that is at hand, as `SaveCluster` keeps one of a file."""

    document: Annotated[str, Arg("What `mathwb egen generate --json` printed.", metavar="JSON")]
    out: Annotated[Path, Arg("The corpus folder of saved clusters.", option=True, writes=True)]


def save(spec: SaveCluster | SaveDocument) -> dict[str, Any]:
    """Save a cluster as `generation.cluster_document` describes it, or its head, stats and some members.

    Returns:
        Out and cluster, the number it has there.

    Raises:
        DataError: E318 for what is no such document, E456 for what is no real function.
        EngineError: E452 when the folder holds a corpus of another kind.
    """
    from engines.egen.corpus.folder import GrownHead

    path = spec.cluster if isinstance(spec, SaveCluster) else None
    document = _to_cluster_document(spec)
    try:
        stats, config = document["stats"], EgenConfig.from_document(document["config"])
        if config.theory != "reals":
            raise DataError(
                "corpora of saved clusters hold real functions",
                path=path,
                code="E456",
                remedy="Keep the file itself.",
            )
        head = {"prefix": document["head"], "verdict": "equal", "kept": 1.0}
        grown = GrownHead(
            0,
            tuple(map(_to_stored_member, (head, *document["members"]))),
            total_members=str(stats["total_members"]),
            **{name: stats[name] for name in _FACTS},
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise _no_cluster(path) from error
    return {"out": str(spec.out), "cluster": save_cluster(spec.out, grown, config)}


def _to_cluster_document(spec: SaveCluster | SaveDocument) -> Mapping[str, Any]:
    from engines.core.files import file_error

    path = spec.cluster if isinstance(spec, SaveCluster) else None
    try:
        text = spec.document if isinstance(spec, SaveDocument) else spec.cluster.read_text(encoding="utf-8")
        document = json.loads(text)
    except OSError as error:
        raise file_error(error, str(path), "read") from error
    except ValueError as error:
        raise _no_cluster(path) from error
    if not isinstance(document, Mapping):
        raise _no_cluster(path)
    return document


def _no_cluster(path: Path | None) -> DataError:
    return DataError(
        "this is no generated cluster",
        path=path,
        remedy="Make one with: mathwb egen generate EXPR --out FILE",
        code="E318",
    )


def _to_stored_member(row: Mapping[str, Any]) -> StoredMember:
    from engines.egen.corpus.folder import StoredMember

    read_prefix(row["prefix"], LETTERS)
    gained, exceptional = bool(row.get("gained", False)), str(row.get("except", ""))
    verdict = MemberVerdict(row["verdict"], float(row["kept"]), gained, exceptional_text=exceptional)
    return StoredMember(row["prefix"], verdict, str(row.get("by", "")))


def save_cluster(out: Path, cluster: GrownHead, config: EgenConfig) -> int:
    """Put a cluster into the corpus of saved clusters in `out`, behind those that are already there.

    One that is there already, with the same members and configuration, is not put there again. Each was grown
    with a configuration of its own: the manifest lists them as `configs`, by number, and as `config` the one
    of the cluster that came last.

    Returns:
        Its number there.

    Raises:
        EngineError: E452 when the folder holds a corpus of another kind.
    """
    from engines.core.build import ResumableBuild
    from engines.egen.corpus.assemble import assemble
    from engines.egen.corpus.build import Plan, library_versions, refuse_other_folder
    from engines.egen.corpus.folder import make_header, shard_files
    from engines.egen.corpus.sources import HeadSource, SourceHead, to_skeleton
    from engines.egen.rules.table import table_hash

    refuse_other_folder(out)
    with ResumableBuild(out).lock("E453"):
        clusters, configs = _read_saved_heads(out)
        index, settings = len(clusters), config.to_dict()
        # The same cluster is not saved twice.
        for number, old in enumerate(clusters):
            if (old.rows, configs[number]) == (cluster.rows, settings):
                return number
        clusters.append(replace(cluster, source=index))
        configs.append(settings)
        heads = tuple(
            SourceHead(one.head, "own", to_skeleton(read_prefix(one.head, LETTERS)), one.rows[0].tokens)
            for one in clusters
        )
        shards = write_shards(out / "shards", clusters)
        plan = Plan(HeadSource(_ORIGIN, heads), config, table_hash(), library_versions()).to_dict()
        beginning = make_header([head.prefix for head in heads], *(old.get("assume", "") for old in configs))
        plan = {**plan, **beginning, "origin": _ORIGIN, "configs": configs}
        assemble(out, plan, heads, shards, seed=0, merge=False)
        # Shards that the new ones replace are removed last, after the corpus names the new ones.
        for path in set(shard_files(out / "shards")) - set(shards.values()):
            path.unlink()
    return index


def write_shards(folder: Path, clusters: Sequence[GrownHead]) -> dict[int, Path]:
    """Return the files of all clusters, by block."""
    from engines.egen.corpus.folder import BLOCK, write_shard

    parts = (clusters[first : first + BLOCK] for first in range(0, len(clusters), BLOCK))
    return {block: folder / write_shard(folder, block, part).name for block, part in enumerate(parts)}


def _read_saved_heads(out: Path) -> tuple[list[GrownHead], list[dict[str, Any]]]:
    from engines.egen.corpus.build import other_folder
    from engines.egen.corpus.folder import open_corpus

    if not any((out / name).exists() for name in ("manifest.json", "plan.json")):
        return [], []
    corpus = open_corpus(out, several=True)
    if corpus.manifest.get("origin") != _ORIGIN:
        what = "this folder holds a corpus other than one of saved clusters"
        raise other_folder(out, what, "Save to another folder.")
    grown = [_read_grown_head(corpus, number) for number in range(corpus.read_clusters().num_rows)]
    return grown, list(corpus.manifest["configs"])


def _read_grown_head(corpus: Corpus, number: int) -> GrownHead:
    from engines.egen.corpus.folder import GrownHead

    (facts,) = corpus.read_clusters().slice(number, 1).to_pylist()
    rows = corpus.read_members(number).to_pylist()
    known = {name: facts[name] for name in (*_FACTS, "total_members")}
    return GrownHead(number, tuple(map(_to_stored_member, rows)), **known)


_SETTINGS = ("members", "max_tokens", "mode", "style", "weights", "forms", "assume", "padding", "seed")
"""Those of `BuildCorpus` that are of a configuration by the same name."""


@specification
class BuildCorpus:
    """Build a corpus of clusters, or finish the one started in the folder.

    Settings not given are taken from the unfinished corpus. Ctrl-C stops gently: finished shards are kept,
    and the same command continues from them. A second Ctrl-C quits at once.
    """

    out: Annotated[Path, Arg("The corpus folder to write.", option=True, writes=True)]
    templates: Annotated[
        str | None,
        Arg(
            "What to grow: published templates, or your own expressions, one per line, of x or of several "
            "variables.",
            shown="all",
            metavar="all|poly|functions|derivatives|FILE|NAME",
            ref="expressions",
        ),
    ] = None
    sample: Annotated[int | None, Arg("Sample this many heads, from every kind.", low=1)] = None
    members: Annotated[
        int | None, Arg("At most this many members per head.", shown="120", low=1, high=MAX_MEMBERS)
    ] = None
    max_tokens: Annotated[
        int | None, Arg("Longest member, in tokens.", shown="25", low=1, high=MAX_TOKENS)
    ] = None
    mode: Annotated[Mode | None, Arg("What counts as equal.", shown="strict")] = None
    style: StyleChoice = None
    weights: FamilyWeights = None
    forms: Annotated[
        str | None,
        Arg(
            "Families of classical forms that members may grow from: all, none, or names.",
            shown="the head multiplied out and factored",
            words=True,
        ),
    ] = None
    assume: Annotated[
        str | None, Arg("Assumptions for all heads: x > 0, n integer.", shown="nothing", words=True)
    ] = None
    rules: OwnRules = None
    theory: Annotated[
        str | None,
        Arg("Theory of the expressions: a theory's name, or FILE.toml.", shown="reals", metavar="NAME|FILE"),
    ] = None
    padding: Annotated[bool | None, Arg("Allow * 1, + 0 …", shown="no padding")] = None
    nodes: Annotated[int | None, Arg("Node limit of a head's e-graph.", shown="1000", low=1)] = None
    held_out: Annotated[
        float | None,
        Arg("Share of the clusters to hold out for validation.", low=0, high=0.5, shown="as in the paper"),
    ] = None
    share: Annotated[
        str | None,
        Arg(
            "Grow only the shards of one share, such as 3/16, and assemble nothing.",
            shown="all shards, assembled",
        ),
    ] = None
    workers: Annotated[int | None, Arg("Processes.", shown="one per processor", low=1)] = None
    seed: Annotated[int | None, Arg("Seed for the members.", shown="0", low=0)] = None

    def __post_init__(self) -> None:
        share_of(self.share)
        if self.theory not in (None, "reals") and (self.rules or self.weights or self.forms or self.assume):
            what = "rules, weights, forms and assumptions are of real functions"
            raise make_refusal(what, "E427", "Leave them out, or --theory.")
        if self.workers is not None and self.workers > 4 * (cores := system.count_processors()):
            raise make_refusal(f"workers is {self.workers}, and this machine has {cores} cores", "E424")


def resolve_build(spec: BuildCorpus) -> BuildCorpus:
    """Return the spec with nothing left open: from the plan of a begun corpus, by default otherwise."""
    from engines.egen.corpus.sources import source_name
    from engines.mathematics.assumptions import read_assumptions

    config, templates = CORPUS_CONFIG, spec.templates
    if (spec.out / "plan.json").exists():
        from engines.egen.corpus.build import saved_plan

        config = saved_plan(spec.out).config
    else:
        config = replace(config, style=style_of(spec.mode or config.mode))
        templates = templates or "all"
    results = {name: getattr(config, name) for name in _SETTINGS}
    results |= {"nodes": config.limits.nodes, "workers": system.count_processors()}
    left_open = {name: value for name, value in results.items() if getattr(spec, name) is None}
    if spec.weights is not None:
        left_open["weights"] = normalise_family_weights(spec.weights)
    families_of(spec.forms or "")
    if spec.assume is not None:
        left_open["assume"] = str(read_assumptions(spec.assume))
    if spec.theory and spec.theory.endswith(".toml"):
        left_open["theory"] = str(Path(spec.theory).expanduser().absolute())
    return replace(spec, **left_open, templates=templates and source_name(templates))


def build_corpus(spec: BuildCorpus, *, events: Sink = ignore, stop: Stop = never) -> BuildResult:
    """Build a corpus, or finish the one that was begun in its folder.

    Raises:
        EngineError: E451 for templates that are neither a name nor a file, E452 for a folder that was begun
            with other settings, E453 when another build is at work there.
        DataError: When it cannot be written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     built = build_corpus(BuildCorpus(Path(folder) / "few", "poly", sample=2, members=5))
    >>> built.clusters
    2
    """
    from engines.egen.corpus.build import build_corpus as build
    from engines.egen.corpus.build import saved_plan
    from engines.egen.corpus.sources import open_source, sample_heads
    from engines.egen.rules.user_rules import checked_rules
    from engines.egen.theories.registry import theory_of, theory_text

    spec = resolve_build(spec)
    # Settings that are not given are those the folder was begun with.
    begun = saved_plan(spec.out).config if (spec.out / "plan.json").exists() else CORPUS_CONFIG
    theory = theory_text(spec.theory) if spec.theory else begun.theory
    if spec.templates is None:
        source = saved_plan(spec.out).source
    else:
        source = open_source(spec.templates, theory=theory_of(theory, ""))
        if spec.sample is not None:
            source = sample_heads(source, spec.sample, spec.seed or 0)
    config = EgenConfig(
        **{name: getattr(spec, name) for name in _SETTINGS},
        limits=Limits(nodes=spec.nodes or begun.limits.nodes),
        rules=checked_rules(spec.rules) if spec.rules else begun.rules,
        theory=theory,
    )
    return build(
        source,
        spec.out,
        config,
        workers=spec.workers or system.count_processors(),
        held_out=spec.held_out,
        share=share_of(spec.share),
        events=events,
        stop=stop,
    )


_RENAMED = {"cluster_size": "mean_cluster_size", "tokens": "mean_tokens"}
"""Measures of the paper's table, and what they are called here."""


@specification
class CorpusStats:
    """Statistics of a corpus, next to those of the paper's Table 3."""

    corpus: Annotated[Path, Arg("A corpus folder, or its name.", metavar="FOLDER", ref="corpus")]


def corpus_stats(spec: CorpusStats) -> dict[str, Any]:
    """Describe a finished corpus by its table of clusters, after checking that every shard is complete.

    `pairs` are the ordered pairs inside training clusters (`pairs_in_all` inside all clusters),
    `distinct_triplets` the triplets that they give with a negative of another training cluster each, and
    `triplets` how many of those a training run draws, with repetition, for the paper's target. Token means
    are over expressions, heads included; `verdicts` are shares of members; `stop_reasons` and `kinds` count
    clusters.

    Raises:
        DataError: For a corpus that is unfinished or corrupt.
    """
    import pyarrow.compute as pc

    from engines.egen.corpus.assemble import OUTCOMES
    from engines.egen.corpus.folder import open_corpus

    corpus = open_corpus(spec.corpus, several=True)
    corpus.check_shards()
    table = corpus.read_clusters()
    size = table["size"].to_numpy()
    # A cluster of n expressions has n (n - 1) ordered pairs.
    ordered = size * (size - 1)
    members = int((size - 1).sum())
    heads = sum(len(sources) for sources in table["merged_from"].to_pylist())
    operators = Counter(name for names in table["operators"].to_pylist() for name in names)
    outcomes = {name: int(pc.sum(table[name]).as_py() or 0) for name in OUTCOMES}
    header: dict[str, Any] = {}
    if corpus.letters:
        assumed = {corpus.assumption_of_cluster(number) for number in range(table.num_rows)} - {""}
        header = {"variables": list(corpus.variables), "assumed": sorted(assumed)}
    return {
        "path": str(spec.corpus),
        "source": corpus.manifest["source"]["name"],
        "heads": corpus.manifest["source"]["heads"],
        **header,
        "clusters": table.num_rows,
        "merged_heads": heads - table.num_rows,
        "skipped": corpus.manifest["skipped"],
        "bad_lines": len(corpus.manifest["source"]["bad_lines"]),
        "expressions": int(size.sum()),
        "mean_cluster_size": round(float(size.mean()), 2) if len(size) else 0.0,
        "mean_members_per_head": round(members / heads, 2) if heads else 0.0,
        "clusters_of_one": int((size == 1).sum()),
        "mean_tokens": _weighted_mean(table["mean_tokens"], size),
        "mean_training_tokens": _weighted_mean(table["mean_training_tokens"], size),
        "operators": len(operators),
        "clusters_by_operator": dict(operators.most_common()),
        "pairs_in_all": int(ordered.sum()),
        **{name: _describe_split(table[name].to_pylist(), size) for name in ("split", "split_by_shape")},
        "verdicts": {name: round(count / members, 6) if members else 0.0 for name, count in outcomes.items()},
        "stop_reasons": _count_values(table["stop_reason"]),
        "kinds": _count_values(table["kind"]),
        "seed": corpus.manifest["config"]["seed"],
        "mode": corpus.manifest["config"]["mode"],
        "rules": corpus.manifest["rules"],
        "paper": {_RENAMED.get(key, key): value for key, value in reported_row("egen", 3, "corpus").items()},
    }


def _describe_split(sides: Sequence[str], size: Any) -> dict[str, Any]:
    from engines.egen.models.datasets import TRIPLETS

    count = {
        side: [int(n) for n, here in zip(size, sides, strict=True) if here == side]
        for side in ("train", "validation", "neither")
    }
    training = [n for n in count["train"] if n > 1]
    expressions = sum(training)
    return {
        **{side: {"clusters": len(sizes), "expressions": sum(sizes)} for side, sizes in count.items()},
        "pairs": sum(n * (n - 1) for n in training),
        "distinct_triplets": sum(n * (n - 1) * (expressions - n) for n in training),
        "triplets": (TRIPLETS // len(training) + 1) * len(training) if len(training) > 1 else 0,
    }


def _weighted_mean(means: pa.ChunkedArray, size: Any) -> float | None:
    pairs = [(mean, int(n)) for mean, n in zip(means.to_pylist(), size, strict=True) if mean is not None]
    total = sum(n for _, n in pairs)
    return round(sum(mean * n for mean, n in pairs) / total, 2) if total else None


def _count_values(column: pa.ChunkedArray) -> dict[str, int]:
    return dict(Counter(column.to_pylist()).most_common())


@specification
class ImportClusters:
    """Import published clusters as a corpus; every member is judged against its head."""

    file: Annotated[Path, Arg("Clusters in E-Gen's published layout.")]
    out: Annotated[Path, Arg("The corpus folder to write.", option=True, writes=True)]
    seed: Annotated[int, Arg("Seed for verification and splits.", low=0)] = 0


@specification
class ExportCorpus:
    """Write a corpus for others: with cluster, verdict and split, or as E-Gen published."""

    corpus: Annotated[Path, Arg("A corpus folder, or its name.", metavar="FOLDER", ref="corpus")]
    file: Annotated[Path, Arg("What to write; .gz compresses the published layouts.", writes=True)]
    layout: Annotated[
        Layout | None,
        Arg(
            "blocks: as E-Gen published. jsonl: one object per cluster. csv, parquet: one row per "
            "expression. dataset: a folder for HuggingFace datasets.",
            shown="by FILE's ending, else blocks",
        ),
    ] = None
    split: Annotated[SplitName, Arg("Which split rows name: of clusters, or of whole shapes.")] = "paper"


@specification
class Pairs:
    """Write training pairs (or triplets) in shuffled order, one per line."""

    corpus: Annotated[Path, Arg("A corpus folder, or its name.", metavar="FOLDER", ref="corpus")]
    triplets: Annotated[bool, Arg("Triplets instead of pairs: anchor, positive, negative.")] = False
    split: Annotated[SplitName, Arg("Use the training side of this split.")] = "paper"
    seed: Annotated[int, Arg("Seed for the order.", low=0)] = 0
    start: Annotated[int, Arg("Position to start at.", low=0)] = 0
    limit: Annotated[int | None, Arg("At most this many.", low=1)] = None
    jsonl: Annotated[bool, Arg("JSON lines instead of tabs.")] = False


def import_clusters(spec: ImportClusters, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Import clusters in one of the published layouts as a corpus."""
    from engines.egen.corpus.published import import_published

    assembled = import_published(spec.file, spec.out, seed=spec.seed, events=events, stop=stop)
    return {"out": str(spec.out), **asdict(assembled)}


def export_corpus(spec: ExportCorpus) -> dict[str, Any]:
    """Write all clusters of a corpus.

    Returns:
        File, layout, clusters, and for rows `sides`: clusters by side of the split.
    """
    from engines.egen.corpus.dataset import export_rows
    from engines.egen.corpus.folder import open_corpus
    from engines.egen.corpus.published import export_published

    ends: dict[str, Layout] = {".jsonl": "jsonl", ".csv": "csv", ".parquet": "parquet"}
    name = spec.file.name.lower()
    layout = spec.layout or ends.get(Path(name.removesuffix(".gz")).suffix, "blocks")
    if name.endswith(".gz") and layout not in ("blocks", "jsonl"):
        raise make_refusal(
            f"{layout} is not compressed", "E427", "Name a file without .gz, or --layout jsonl."
        )
    corpus = open_corpus(spec.corpus, several=True)
    made = {"file": str(spec.file), "layout": layout}
    if layout in ("blocks", "jsonl"):
        return {**made, "clusters": export_published(corpus, spec.file, layout=layout)}
    sides = export_rows(corpus, spec.file, layout, spec.split)
    return {**made, "clusters": sides.total(), "sides": dict(sides)}


def iterate_pairs(spec: Pairs) -> Iterator[tuple[str, ...]]:
    """Return pairs or triplets in training notation, in an order that the seed determines."""
    from itertools import islice

    from engines.egen.corpus.folder import open_corpus
    from engines.egen.models.datasets import stream_pairs, stream_triplets

    stream = stream_triplets if spec.triplets else stream_pairs
    rows = stream(open_corpus(spec.corpus), split=spec.split, seed=spec.seed, start=spec.start)
    return iter(islice(rows, spec.limit))


@specification
class FindFunction:
    """Find the cluster that contains a function, in whatever form the function is written."""

    corpus: Annotated[Path, Arg("A corpus folder, or its name.", metavar="FOLDER", ref="corpus")]
    expr: Annotated[str, Arg("Infix, LaTeX or prefix; may begin with -.", metavar="EXPR", words=True)]


@specification
class ShowCluster:
    """Print a stored cluster: its head, number 0, and its members with their verdicts."""

    corpus: Annotated[Path, Arg("A corpus folder, or its name.", metavar="FOLDER", ref="corpus")]
    cluster: Annotated[int, Arg("The cluster's number.", low=0)]


def find_function(spec: FindFunction) -> dict[str, Any]:
    """Return which clusters hold a function.

    Returns:
        The expression, and `matches`: cluster, head, verdict of the expression against the head, and the
        member it is, if it is one.
    """
    from engines.egen.corpus.folder import open_corpus
    from engines.egen.theories.real_functions import Reals
    from engines.mathematics.terms.notation import read_head
    from engines.mathematics.verification.verdicts import verdict_row

    corpus = open_corpus(spec.corpus, several=True)
    theory = corpus.theory
    real = isinstance(theory, Reals)
    tree = read_head(spec.expr, letters=corpus.letters) if real else theory.read_term(spec.expr)
    matches = [
        {
            "cluster": match.cluster,
            "head": match.head,
            "unicode": theory.to_row(theory.read_term(match.head, "prefix"))["unicode"],
            "member": match.member,
            **verdict_row(match.verdict),
        }
        for match in corpus.find_clusters(tree)
    ]
    return {**theory.to_row(tree), "matches": matches}


def show_cluster(spec: ShowCluster) -> dict[str, Any]:
    """Return the members of a stored cluster.

    Returns:
        The cluster's row of the table of clusters, `assume` where something was, and `members`: rows with
        their number, 0 the head.
    """
    from engines.egen.corpus.folder import open_corpus

    corpus = open_corpus(spec.corpus, several=True)
    theory = corpus.theory
    rows = [
        {
            "member": row["member"],
            **theory.to_row(theory.read_term(row["prefix"], "prefix", head=False)),
            "verdict": row["verdict"],
            "kept": row["kept"],
            "gained": row["gained"],
            **{name: row[name] for name in ("except", "by") if row[name]},
        }
        for row in corpus.read_members(spec.cluster).to_pylist()
    ]
    assumed = (
        {"assume": corpus.assumption_of_cluster(spec.cluster)}
        if corpus.assumption_of_cluster(spec.cluster)
        else {}
    )
    return {**corpus.read_clusters().slice(spec.cluster, 1).to_pylist()[0], **assumed, "members": rows}
