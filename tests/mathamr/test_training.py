"""Training of sentence and tree encoders: losses by hand, pairs and their split, and two steps of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.core.assets import asset
from engines.core.errors import DataError, EngineError
from engines.core.events import Event
from engines.formula.parser import operator_tree
from engines.mathamr.graph.amr import read_graph
from engines.mathamr.retrieval.indexing import IndexFormulas, index
from engines.mathamr.retrieval.reranking import Rerank, rerank
from engines.mathamr.retrieval.search import SearchFormulas, search
from engines.mathamr.retrieval.strings import EmbedStrings, Represent, embed, represent
from engines.mathamr.training.graph_data import GraphVocabulary
from engines.mathamr.training.graphs import graph_encoder
from engines.mathamr.training.sentences import Pair, Turns, judged_pairs, sentence_encoder, split
from engines.mathamr.training.settings import SentenceSettings
from engines.mathamr.training.structure_model import new_model, save_structure_encoder
from engines.mathamr.training.structures import Vocabulary, joined
from engines.mathamr.training.tree_data import TreeVocabulary
from engines.mathamr.training.trees import tree_encoder
from engines.retrieval.run import read_run
from engines.training import TrainConfig
from engines.training.identity import Identity

FORUM = asset("sample/arqmath/sample-forum")
PAIRS = [Pair(f"B.{topic}", "q", f"{topic} {grade}", grade) for topic in range(1, 11) for grade in range(4)]


def test_contrastive_loss_by_hand() -> None:
    """Cosine distances .2, .4 and 1 with labels 1, 0 and .5 and margin .5: .2², .1² and .5 · 1²."""
    torch = pytest.importorskip("torch")
    from engines.mathamr.training.sentences import contrastive

    left = torch.tensor([[1.0, 0.0]] * 3)
    right = torch.tensor([[0.8, 0.6], [0.6, 0.8], [0.0, 1.0]])
    labels = torch.tensor([1.0, 0.0, 0.5])
    found = contrastive(left, right, labels, margin=0.5, online=False)
    assert float(found) == pytest.approx((0.04 + 0.01 + 0.5) / 3, abs=1e-6)


def test_online_contrastive_keeps_hard_pairs() -> None:
    """The equal pair at .2 is closer than any unequal one, and the unequal one at 1 farther than every equal
    one: neither counts. What counts is the equal pair at .4 and the unequal one at .3."""
    torch = pytest.importorskip("torch")
    from engines.mathamr.training.sentences import contrastive

    cosine = torch.tensor([0.8, 0.6, 0.7, 0.0])
    right = torch.stack([cosine, (1 - cosine**2).sqrt()], -1)
    left = torch.tensor([[1.0, 0.0]] * 4)
    labels = torch.tensor([1.0, 1.0, 0.0, 0.0])
    found = contrastive(left, right, labels, margin=0.5, online=True)
    assert float(found) == pytest.approx((0.4**2 + 0.2**2) / 4, abs=1e-6)


def test_ranking_loss_by_hand() -> None:
    """Two orthogonal pairs at scale 1: -log(e / (e + 1)) each; the same text twice is right either time."""
    torch = pytest.importorskip("torch")
    from engines.mathamr.training.sentences import multiple_negatives

    rows = torch.eye(2)
    assert float(multiple_negatives(rows, rows, scale=1)) == pytest.approx(np.log(1 + np.exp(-1)), abs=1e-6)
    same = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    assert float(multiple_negatives(same, same, scale=1)) == pytest.approx(0, abs=1e-6)


def test_a_held_out_topic_is_whole() -> None:
    kept, held = split(PAIRS, SentenceSettings(held_out=0.2), seed=0)
    assert len({pair.topic for pair in held}) == 2
    assert not {pair.topic for pair in held} & {pair.topic for pair in kept}
    assert len(kept) + len(held) == len(PAIRS)


def test_held_out_pairs_are_a_share_of_each_grade() -> None:
    """As the paper splits: 10 % of each grade."""
    _, held = split(PAIRS, SentenceSettings(split="pairs", held_out=0.1), seed=0)
    assert sorted(pair.grade for pair in held) == [0, 1, 2, 3]


def test_blocks_take_turns() -> None:
    turns = Turns(PAIRS, 4, seed=0).shuffled(3)
    examples = [turns[place] for place in range(len(turns))]
    blocks = [examples[at : at + 4] for at in range(0, len(examples), 4)]
    assert [{turn for _, turn in block} for block in blocks[:4]] == [{0}, {1}, {0}, {1}]
    assert sorted(row for row, turn in examples if turn == 0) == list(range(40))
    assert all(PAIRS[row].grade >= 2 for row, turn in examples if turn == 1)


def test_pairs_of_the_sample_have_the_papers_labels() -> None:
    settings = SentenceSettings(kind="opt", last_topic=999)
    pairs, missing = judged_pairs(FORUM, None, settings)
    assert (len(pairs), missing) == (79, 0)
    assert {pair.grade: pair.label for pair in pairs} == {0: 0.0, 1: 0.5, 2: 1.0, 3: 1.0}


def test_batches_of_two_losses_are_refused() -> None:
    task = sentence_encoder({"block": 4}, {"collection": FORUM}, seed=0)
    with pytest.raises(EngineError, match="both losses"):
        task.collate([(0, 0), (1, 1)])


def test_renamed_and_near_formulas() -> None:
    trees = [operator_tree(latex) for latex in ("x+y", "a^2-b", r"\frac{1}{n}", "z+3")]
    vocabulary = TreeVocabulary.of(trees, 100)
    draw = np.random.default_rng(0)
    tree = vocabulary.arrays(trees[0], 16)
    equal, near = vocabulary.equal(tree, draw), vocabulary.near(tree, draw)
    assert (equal.types == tree.types).all()
    assert len(set(equal.labels[1:])) == 2
    assert (near.labels != tree.labels).sum() <= 1
    assert (near.types == tree.types).all()


def test_order_of_commutative_operands_means_nothing(tmp_path: Path) -> None:
    """Trained for two steps and opened again: one vector for `a+b^2` and `b^2+a`, another for `a-b^2`."""
    from safetensors.torch import load_file

    from engines.mathamr.training.structure_model import StructureEncoder
    from engines.training import TrainConfig, train

    settings = {"d_model": 16, "rounds": 2, "max_nodes": 32, "vocabulary": 100, "measured": 20}
    task = tree_encoder(settings, {"collection": FORUM}, seed=0)
    done = train(task, TrainConfig(steps=2, batch_size=8, lr=1e-2, device="cpu"), tmp_path)
    assert done.complete
    model = StructureEncoder(tmp_path / "model", "cpu")
    vectors = model.encode(["a+b^2", "b^2+a", "a-b^2"])
    assert vectors[0] @ vectors[1] == pytest.approx(1, abs=1e-5)
    assert vectors[0] @ vectors[2] < 0.999
    # Another training begins with its weights and labels, when it is of the same sizes.
    begun = {"collection": FORUM, "backbone": tmp_path / "model"}
    other = tree_encoder({**settings, "vocabulary": 16}, begun, seed=1)
    weights = load_file(tmp_path / "model" / "model.safetensors")
    assert all((weights[name] == value).all() for name, value in other.model().state_dict().items())
    assert {file.name for file in other.origin().data["backbone"]} >= {"model.safetensors", "labels.json"}
    with pytest.raises(EngineError, match="rounds 2 there, 3 asked for"):
        tree_encoder({**settings, "rounds": 3}, begun, seed=1).model()
    index(IndexFormulas(FORUM, tmp_path / "index", str(tmp_path / "model")))
    hits = search(SearchFormulas(tmp_path / "index", "ba=ab", how="dense", k=3))["hits"]
    assert "ba=ab" in [hit["latex"] for hit in hits if hit["score"] > 0.999]


def test_trees_are_joined_apart() -> None:
    trees = [operator_tree("x+1"), operator_tree("y^2")]
    vocabulary = TreeVocabulary.of(trees, 10)
    batch = joined([vocabulary.arrays(tree, 8) for tree in trees])
    assert batch["owner"].tolist() == [0, 0, 0, 1, 1, 1]
    assert batch["heads"].tolist() == [0, 0, 3, 3]
    assert batch["tails"].tolist() == [1, 2, 4, 5]
    assert batch["roots"].tolist() == [0, 3]
    assert len({*batch["roles"][:2].tolist()}) == 1, "operands of plus have no order"
    assert len({*batch["roles"][2:].tolist()}) == 2


GRAPH = """(f / find-01
      :arg1 (r / root
            :arg1-of (m / math :math (V1 / a))
            :op1 MATH
            :math (U1 / plus :mark target :op0 (V2 / b) :op0 (N1 / 2))
            :mod r))"""


def test_a_graph_is_read_from_its_formula() -> None:
    """Its formula first, then the words around it; every edge once, each constant a node of its own."""
    found = GraphVocabulary.labelled(read_graph(GRAPH))
    names = list(found.labels)
    assert names[:3] == ["U!plus", "V!b", "N!2"]
    assert list(found.formula) == [0, 1, 2]
    assert sorted(names[3:]) == ["T!MATH", "T!find-01", "T!math", "T!root", "T!target", "V!a"]
    edges = {(names[head], role, names[tail]) for head, role, tail in found.edges}
    assert edges == {
        ("U!plus", ":op0", "V!b"),
        ("U!plus", ":op0", "N!2"),
        ("U!plus", ":mark", "T!target"),
        ("T!find-01", ":arg1", "T!root"),
        ("T!root", ":arg1-of", "T!math"),
        ("T!math", ":math", "V!a"),
        ("T!root", ":op1", "T!MATH"),
        ("T!root", ":math", "U!plus"),
        ("T!root", ":mod", "T!root"),
    }
    assert len(found.edges) == len(edges)


@pytest.mark.parametrize(
    ("vocabulary", "texts", "other"),
    [
        (TreeVocabulary.of([operator_tree("x+1"), operator_tree("y^2")], 10), ["x+1", "y^2", "1+x"], "graph"),
        (GraphVocabulary.of([read_graph(GRAPH)], 100), [GRAPH, GRAPH.replace("plus", "minus")], "latex"),
    ],
)
def test_embed_gives_what_the_model_of_a_folder_gives(
    vocabulary: Vocabulary[Any], texts: list[str], other: str, tmp_path: Path
) -> None:
    """Beside the model called one text at a time, and a file of another representation is refused."""
    torch = pytest.importorskip("torch")
    torch.manual_seed(0)
    model = new_model(len(vocabulary), len(vocabulary.roles), 8, 2)
    settings = {"d_model": 8, "rounds": 2, "max_nodes": 32}
    save_structure_encoder(model, vocabulary, settings, tmp_path / "model")
    expected = []
    for text in texts:
        arrays = joined([vocabulary.arrays(vocabulary.read(text), 32)])
        with torch.inference_mode():
            expected.append(
                model({name: torch.from_numpy(one) for name, one in arrays.items()}, 1)[0].numpy()
            )
    for kind in (vocabulary.reads, other):
        lines = [{"id": str(place), "kind": kind, "string": text} for place, text in enumerate(texts)]
        (tmp_path / f"{kind}.jsonl").write_text("\n".join(json.dumps(line) for line in lines))
    made = embed(
        EmbedStrings(tmp_path / f"{vocabulary.reads}.jsonl", tmp_path / "out", str(tmp_path / "model"), "cpu")
    )
    assert (made["strings"], made["dimension"]) == (len(texts), 8)
    assert json.loads((tmp_path / "out" / "ids.json").read_text()) == [
        str(place) for place in range(len(texts))
    ]
    np.testing.assert_allclose(np.load(tmp_path / "out" / "vectors.npy"), expected, atol=1e-5)
    with pytest.raises(EngineError, match=f"reads the representation {vocabulary.reads}, not {other}"):
        embed(EmbedStrings(tmp_path / f"{other}.jsonl", tmp_path / "no", str(tmp_path / "model"), "cpu"))
    assert not (tmp_path / "no").exists()


def test_equal_and_near_graphs() -> None:
    """Letters change everywhere, words lose their label, and one label of the formula alone is another."""
    read = [
        read_graph(GRAPH.replace("plus", name).replace("2", number))
        for name, number in zip("mn", "34", strict=True)
    ]
    read = [read_graph(GRAPH), *read]
    vocabulary = GraphVocabulary.of(read, 100)
    one = vocabulary.arrays(read[0], 50)
    draw = np.random.default_rng(0)
    equal, near = vocabulary.equal(one, draw, hidden=1.0), vocabulary.near(one, draw)
    assert equal.labels[[0, 2]].tolist() == one.labels[[0, 2]].tolist()
    around = [place for place in range(len(one.labels)) if place > 2 and one.types[place] > 0]
    assert equal.labels[around].tolist() == one.types[around].tolist()
    changed = np.flatnonzero(near.labels != one.labels).tolist()
    assert changed in ([0], [2])


def test_an_encoder_of_graphs_reads_context_and_mark(tmp_path: Path) -> None:
    """Trained for two steps and opened again: which formula is marked counts, and so does the sentence; a
    run is reranked by graphs, and by nothing else."""
    from engines.mathamr.retrieval.encoding import open_encoder
    from engines.training import train

    settings = {
        "d_model": 16,
        "rounds": 2,
        "max_nodes": 48,
        "vocabulary": 200,
        "measured": 20,
        "formulas": 60,
    }
    task = graph_encoder(settings, {"collection": FORUM}, seed=0)
    assert train(task, TrainConfig(steps=2, batch_size=8, lr=1e-2, device="cpu"), tmp_path).complete
    folder = tmp_path / "model"
    model = open_encoder(str(folder), "cpu")
    other = GRAPH.replace(" :mark target", "").replace("(V1 / a)", "(V1 / a :mark target)")
    again = GRAPH.replace("(V2 / b) :op0 (N1 / 2)", "(N1 / 2) :op0 (V2 / b)")
    vectors = model.encode([GRAPH, other, GRAPH.replace("find-01", "know-01"), again])
    cosines = vectors @ vectors[0]
    assert cosines[1] < 0.999
    assert cosines[2] < 0.99999
    assert cosines[3] == pytest.approx(1, abs=1e-5), "operands of plus have no order"
    with pytest.raises(DataError, match="PENMAN"):
        model.encode(["x^2"])
    index(IndexFormulas(FORUM, tmp_path / "index", str(folder)))
    hits = search(SearchFormulas(tmp_path / "index", "ba=ab", how="dense", k=3))["hits"]
    assert "ba=ab" in [hit["latex"] for hit in hits if hit["score"] > 0.999]
    out = tmp_path / "run.tsv"
    found = rerank(Rerank(FORUM, tmp_path / "index", out, kind="graph", encoder=str(folder)))
    assert found["complete"]
    assert found["formulas"] == len(read_run(out, task=2).cut(1_000))
    for kind in ("opt", "graph"):
        rows = represent(Represent(FORUM, tmp_path / "index", kind))
        (tmp_path / f"{kind}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    file = tmp_path / "graph.jsonl"
    with pytest.raises(EngineError, match="reads the representation graph, not opt"):
        embed(EmbedStrings(tmp_path / "opt.jsonl", tmp_path / "vectors", str(folder)))
    events: list[Event] = []
    assert embed(EmbedStrings(file, tmp_path / "vectors", str(folder)), events=events.append)["complete"]
    assert not [event for event in events if event.kind == "warning"]
    unnamed, mixed = tmp_path / "unnamed.jsonl", tmp_path / "mixed.jsonl"
    unnamed.write_text('{"id": "1", "string": "(a / b)"}\n')
    embed(EmbedStrings(unnamed, tmp_path / "unnamed", str(folder)), events=events.append)
    warnings = [event.data["message"] for event in events if event.kind == "warning"]
    assert "does not say which representation" in str(warnings)
    mixed.write_text(unnamed.read_text() + file.read_text())
    with pytest.raises(EngineError, match="several representations"):
        embed(EmbedStrings(mixed, tmp_path / "mixed", str(folder)))
    with pytest.raises(EngineError, match="reads the representation graph, not mathamr-marked"):
        rerank(Rerank(FORUM, tmp_path / "index", tmp_path / "no.tsv", encoder=str(folder)))
    assert not (tmp_path / "no.tsv").exists()


@pytest.mark.parametrize("make", [tree_encoder, graph_encoder, sentence_encoder])
def test_another_index_or_encoder_is_another_training(make: Callable[..., Any], tmp_path: Path) -> None:
    data = {"collection": asset("sample/arqmath/sample-forum")}
    config = TrainConfig(steps=1)

    def identity(**more: Path) -> Mapping[str, Any]:
        return Identity.of(make({}, {**data, **more}, seed=0).origin(), config).settings

    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "looks.parquet").write_text(name)
    found = [identity(), identity(index=tmp_path / "one"), identity(index=tmp_path / "other")]
    assert found[0] != found[1] != found[2] != found[0]
    if make is sentence_encoder:
        assert identity(encoder=tmp_path / "one") not in (identity(), identity(encoder=tmp_path / "other"))
