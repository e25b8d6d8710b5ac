"""Training data and the two trainers, on clusters written down by hand."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.core.errors import EngineError
from engines.egen.corpus.folder import open_corpus
from engines.egen.corpus.published import import_published
from engines.egen.models.datasets import (
    Labelled,
    TrainingPairs,
    TrainingRows,
    Triplets,
    encode_expression,
    excluded_clusters,
    read_labelled,
    training_texts,
)
from engines.egen.models.model_folder import split_settings
from engines.egen.models.trainers import make_contrastive_task, make_seq2seq_task
from tests.conftest import card_code, expect_error
from tests.egen.small_clusters import clusters, write_clusters

pytestmark = pytest.mark.usefixtures("one_thread")
TINY = {"d_model": 32, "heads": 4, "ffn": 64, "layers": 1}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    import_published(write_clusters(folder / "clusters.jsonl"), folder / "corpus")
    return folder / "corpus"


def _rows(corpus: Path, exclude: Path | None = None) -> TrainingRows:
    texts = training_texts(open_corpus(corpus), "paper", max_length=200, exclude=exclude)
    return TrainingRows.from_texts(texts, max_length=200)


def test_labelled_expressions_come_from_a_file_and_from_a_corpus(corpus: Path, tmp_path: Path) -> None:
    of_file = read_labelled(write_clusters(tmp_path / "c.jsonl"))
    of_corpus = read_labelled(corpus)
    assert of_file.clusters == of_corpus.clusters == clusters()
    sides = [read_labelled(corpus, side=side) for side in ("train", "validation")]
    assert sorted(sides[0].texts + sides[1].texts) == sorted(of_corpus.texts)


def test_what_a_file_sets_apart_is_left_out_unless_wanted(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(
        '{"head": "x", "exprs": ["x", "+ x 0", "log 2 pow 2 x"], "partial_domain": ["sin asin x"]}\n'
        '{"head": "sin x", "exprs": ["sin x", "d e x"], "partial_domain": []}\n'
    )
    found = read_labelled(path)
    assert found.texts == ("x", "+ x 0", "/ ln pow 2 x ln 2")
    assert found.left_out == {
        "equal on a part of the domain": 1,
        "cannot be read": 1,
        "in a cluster of fewer than 2": 1,
    }
    assert "sin asin x" in read_labelled(path, partial=True).texts


def test_pairs_and_triplets_are_of_the_right_clusters(corpus: Path) -> None:
    rows = _rows(corpus)
    owner = rows.cluster_of
    pairs = TrainingPairs(rows.sizes, 0)
    found = pairs.__getitems__(range(len(pairs)))
    assert len(set(found)) == len(found)
    assert all(owner[a] == owner[b] and a != b for a, b in found)
    triplets = Triplets(rows.sizes, 0, 500)
    assert all(
        owner[a] == owner[p] != owner[n] and a != p for a, p, n in triplets.__getitems__(range(len(triplets)))
    )
    texts = read_labelled(corpus, side="train").texts
    assert [rows.sequences.pad_rows([n])[0].tolist() for n in range(len(texts))] == [
        list(encode_expression(t)) for t in texts
    ]


def test_what_is_measured_on_is_kept_out_in_any_form(corpus: Path, tmp_path: Path) -> None:
    measured = tmp_path / "m.jsonl"
    # The function of the first cluster in a form that it lacks; and an expression of the third, reordered,
    # under a head that is another function.
    third = clusters()[2]
    measured.write_text(
        '{"head": "- 0 sin - -5 * 3 x", "exprs": ["- 0 sin - -5 * 3 x"]}\n'
        '{"head": "x", "exprs": ["x", "sin * x 7"]}\n'
    )
    assert "sin * x 7" in third
    assert excluded_clusters(open_corpus(corpus), measured) == {0, 2}
    everything = _rows(corpus)
    rest = _rows(corpus, exclude=measured)
    assert len(rest.sizes) == len(everything.sizes) - rest.excluded
    assert rest.excluded > 0


@pytest.mark.parametrize("negatives", ["one", "batch", "positives"])
def test_a_batch_gives_the_loss_of_its_triplets(corpus: Path, negatives: str) -> None:
    import torch

    from engines.egen.models.losses import contrastive_loss as loss
    from engines.egen.models.transformer import embed

    task = make_contrastive_task({**TINY, "negatives": negatives}, {"corpus": corpus}, seed=0)
    torch.manual_seed(0)
    model = task.model().eval()
    table = task.train_data()
    examples = table.__getitems__(range(9))
    sequences = task.rows.sequences
    parts = [
        torch.stack([embed(model, torch.from_numpy(sequences.pad_rows([row])))[0] for row in column])
        for column in zip(*examples, strict=True)
    ]
    owner = torch.from_numpy(task.rows.cluster_of[[row[0] for row in examples]])
    expected = loss(*parts, negatives=negatives, tau=0.1, clusters=owner)
    assert task.loss(model, task.collate(examples)).item() == pytest.approx(expected.item(), abs=1e-4)
    encoded = examples[0][:2] if negatives == "positives" else examples[0]
    assert task.length(examples[0]) == sum(len(sequences.pad_rows([row])[0]) for row in encoded)


def test_two_clusters_at_least_are_measured_on(corpus: Path) -> None:
    both = read_labelled(corpus)
    assert len(set(both.labels)) > 2
    for measured, wanted in ((1, 2), (10_000, len(set(both.labels)))):
        task = make_contrastive_task({**TINY, "measured": measured}, {"corpus": corpus}, seed=0)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("engines.egen.models.trainers.read_labelled", lambda *_, **__: both)
            assert task.held_out is not None
        assert len(set(task.held_out.labels)) == wanted
        assert len(task.held_out.texts) == sum(label < wanted for label in both.labels)


@pytest.mark.parametrize("few", [None, 1])
def test_what_so_few_clusters_do_not_allow_is_known_before_a_step(corpus: Path, few: int | None) -> None:
    data = read_labelled(corpus)
    one = Labelled(data.texts[:1], data.labels[:1]) if few else None
    for make, last in ((make_contrastive_task, "train_loss_nats"), (make_seq2seq_task, "greedy_accuracy")):
        task = make(TINY, {"corpus": corpus}, seed=0)
        task.held_out = one
        for name in ("validation_kmeans_percent", "validation_retrieval_at_5_percent"):
            assert "fewer than two validation clusters" in task.unmeasured(name)
        assert bool(task.unmeasured(last)) == (last == "greedy_accuracy" and not few)
        task.held_out = data
        assert not any(map(task.unmeasured, task.measures))


@pytest.mark.slow
def test_a_contrastive_training_groups_equal_expressions(corpus: Path, tmp_path: Path) -> None:
    from engines.egen.models.encode import load_encoder
    from engines.retrieval.dense import precision_at
    from engines.training import TrainConfig, train

    settings = {**TINY, "negatives": "positives", "precision": "fp16"}
    task = make_contrastive_task(settings, {"corpus": corpus}, seed=0)
    config = TrainConfig(steps=60, batch_size=32, lr=5e-3, bucket=1, device="cpu", eval_every=30)
    # One validation cluster, as so small a corpus has, is nothing to measure on.
    task.held_out = data = read_labelled(corpus)

    def partners(model: object) -> float:
        from engines.egen.models.model_encoder import ModelEncoder

        return float(precision_at(ModelEncoder(model).encode(data.texts), data.labels, (5,))[5].mean())

    before = partners(task.model())
    result = train(task, config, tmp_path / "run")
    assert result.complete
    assert {"train_loss_nats", "validation_retrieval_at_5_percent"} <= set(result.measures)
    after = partners(load_encoder(Path(result.model), device="cpu").model)
    assert after > max(0.8, before + 0.1)
    assert "clusters excluded" in (Path(result.model) / "README.md").read_text()


@pytest.mark.slow
def test_a_sequence_model_learns_to_write(corpus: Path, tmp_path: Path) -> None:
    import torch

    from engines.egen.models.encode import load_encoder
    from engines.training import TrainConfig, train

    task = make_seq2seq_task({**TINY, "decoder_layers": 1, "measured": 40}, {"corpus": corpus}, seed=0)
    torch.manual_seed(0)
    model = task.model().eval()
    batch = task.collate(task.train_data().__getitems__(range(64)))
    with torch.inference_mode():
        before = float(task.loss(model, batch))
    result = train(task, TrainConfig(steps=60, batch_size=32, lr=5e-3, device="cpu"), tmp_path / "run")
    assert 0 <= result.measures["greedy_accuracy"] <= 1
    assert result.loss_nats is not None
    assert result.loss_nats < before - 1
    assert load_encoder(Path(result.model), device="cpu").model.config.decoder_layers == 1
    assert "writes others" in (Path(result.model) / "README.md").read_text()
    exec(card_code(Path(result.model)), {})


@pytest.mark.parametrize("trainer", [make_contrastive_task, make_seq2seq_task])
def test_every_epoch_has_the_same_examples_in_other_batches(corpus: Path, trainer: Any) -> None:
    from engines.training import TrainConfig
    from engines.training.data import Batches, StreamPosition, batches_per_epoch

    task = trainer({**TINY, "triplets": 60}, {"corpus": corpus}, seed=0)
    config = TrainConfig(steps=1, batch_size=8, bucket=1)
    count = batches_per_epoch(task.train_data(), config)

    def read(start: StreamPosition) -> Iterator[tuple[list[Any], StreamPosition]]:
        found = Batches(
            task.train_data(), config, length=task.length, collate=lambda rows: {"rows": rows}, start=start
        )
        for batch in found:
            yield sorted(batch["rows"]), found.position

    whole = list(islice(read(StreamPosition()), 2 * count))
    first, second = ([rows for rows, _ in part] for part in (whole[:count], whole[count:]))
    assert sorted(chain(*first)) == sorted(chain(*second))
    assert count > 4
    assert not [rows for rows in first if rows in second and len(rows) == 8]
    place = count + 2
    assert list(islice(read(whole[place - 1][1]), count - 2)) == whole[place:]


def test_a_folder_keeps_the_training_that_was_begun_in_it(corpus: Path, tmp_path: Path) -> None:
    from engines.training import TrainConfig, train

    config = TrainConfig(steps=2, batch_size=8, device="cpu")
    other = tmp_path / "other"
    lines = write_clusters(tmp_path / "c.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "c.jsonl").write_text("".join(lines[:12]))
    import_published(tmp_path / "c.jsonl", other)
    assert train(make_contrastive_task(TINY, {"corpus": corpus}, seed=0), config, tmp_path / "run").complete
    weights = (tmp_path / "run" / "model" / "model.safetensors").read_bytes()
    for model, data, differing in (
        (
            {"tau": 0.9, "pooling": "max"},
            {"corpus": corpus},
            ("model.pooling: 'mean' there, 'max'", "model.tau"),
        ),
        ({}, {"corpus": other}, ("data.corpus",)),
        ({}, {"corpus": corpus, "exclude": other}, ("data.exclude: nothing there",)),
    ):
        with pytest.raises(EngineError) as caught:
            train(make_contrastive_task({**TINY, **model}, data, seed=0), config, tmp_path / "run")
        assert (caught.value.code, caught.value.exit_code) == ("E637", 2)
        assert all(words in caught.value.what for words in differing)
        assert caught.value.what.count("requested") == len(differing)
    # The same corpus elsewhere is the same corpus.
    moved = tmp_path / "moved"
    shutil.copytree(corpus, moved)
    train(make_contrastive_task(TINY, {"corpus": moved}, seed=0), config, tmp_path / "run")
    assert (tmp_path / "run" / "model" / "model.safetensors").read_bytes() == weights


def test_settings_that_make_no_sense_are_refused(corpus: Path) -> None:
    for wrong in ({"negatives": "none"}, {"tau": 0.0}, {"precision": "int8"}, {"split": "half"}):
        with pytest.raises(EngineError) as caught:
            split_settings(wrong)
        assert caught.value.code == "E640"
    with expect_error("E640"):
        make_contrastive_task({"tau": "low"}, {"corpus": corpus}, seed=0)
    with expect_error("E640"):
        make_contrastive_task({"widht": 3}, {"corpus": corpus}, seed=0)
    with expect_error("E644"):
        make_contrastive_task(TINY, {}, seed=0)


def test_every_recipe_can_be_used() -> None:
    from engines.training import TrainConfig
    from workbench.recipes import list_recipes
    from workbench.train import load_trainer

    found = {recipe.name: recipe for recipe in list_recipes() if recipe.name.startswith("egen/")}
    wanted = {
        f"egen/{kind}-{size}"
        for kind in ("seq2seq", "cl-mean", "cl-max")
        for size in ("paper", "small", "tiny")
    }
    assert wanted <= set(found)
    for name in wanted | {"egen/semembed-paper", "egen/semembed-small"}:
        params = found[name].params
        task = load_trainer(params["trainer"])(params["model"], {"corpus": Path("none")}, seed=0)
        TrainConfig.from_table(params["train"])
        if name.endswith("small"):
            bytes_each = 2 if params["model"]["precision"] == "fp16" else 4
            encoder = sum(weights.numel() for weights in task.model().encoder.parameters())
            assert encoder * bytes_each < 12e6
    mean, paper = found["egen/cl-mean-paper"].params, found["egen/seq2seq-paper"].params
    assert (mean["train"]["batch_size"], mean["train"]["clip"], paper["model"]["smoothing"]) == (
        256,
        4.0,
        0.1,
    )


def test_pairs_of_one_cluster_cover_it(corpus: Path) -> None:
    rows = _rows(corpus)
    assert len(TrainingPairs(rows.sizes, 3)) == int(np.sum(rows.sizes * (rows.sizes - 1)))
