"""Pre-training: documents and what is cut from them, masks, the loss, and a training that can be resumed."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.arqmath.training.corpora import read_documents
from engines.arqmath.training.pretraining import IGNORED, PretrainTask, cut_chunks, mask_tokens, order_pairs
from engines.arqmath.training.settings import PretrainSettings
from engines.core.errors import EngineError
from tests.arqmath.small_forum import backbone, forum
from tests.conftest import expect_error, weights

TINY = {"max_length": 48, "measured": 20, "held_out": 0.2}


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pretraining")


@pytest.fixture(scope="module")
def collection(place: Path) -> Path:
    return forum(place / "forum")


def test_each_strategy_has_its_documents(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {
            "id": 1,
            "type": 1,
            "title": "What now?",
            "body": "Find $x$. Is $x^2=4$ true? I tried $y$",
            "tags": [],
        },
        {
            "id": 2,
            "type": 2,
            "body": r"Since $a = b + c \le d$ holds for all of them, $q=1$.",
            "parent_id": 1,
        },
    ]
    (tmp_path / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def of(corpus: str) -> list[list[str]]:
        return [d for d in read_documents(PretrainSettings(corpora=corpus), {"collection": tmp_path}) if d]

    question = ["What now", "Find $x$", "Is $x^2=4$ true", "I tried $y$"]
    assert of("mathse1")[0] == question
    assert of("mathse2")[1] == ["Since", r"$a = b + c \le d$", "holds for all of them, $q=1$."]
    assert of("mathse3") == [["a =", r"b + c \le", "d"]]
    assert len(of("mathse1+mathse3")) == 3


def test_khan_is_a_part_of_amps(tmp_path: Path) -> None:
    for name, text in {
        "khan/sums/1.json": json.dumps({"problem": "2+3?", "hints": ["Count on from 2.", "It is 5."]}),
        "mathematica/algebra/1.txt": "Problem:\nSolve x=1.\nAnswer:\n1\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    khan = list(read_documents(PretrainSettings(corpora="khan"), {"amps": tmp_path}))
    assert khan == [["2+3?", "Count on from 2.", "It is 5."]]
    assert len(list(read_documents(PretrainSettings(corpora="amps"), {"amps": tmp_path}))) == 2


@given(st.lists(st.integers(1, 9), max_size=12), st.integers(4, 30), st.integers(0, 99))
def test_order_pairs_are_cut_from_consecutive_segments(sizes: list[int], room: int, seed: int) -> None:
    numbers = iter(range(sum(sizes)))
    document = [[next(numbers) for _ in range(size)] for size in sizes]
    starts = {segment[0] for segment in document}
    found = list(order_pairs(document, room, Random(seed)))
    if len(document) < 2:
        assert not found
    seen: set[int] = set()
    for left, right, swapped in found:
        first, second = (right, left) if swapped else (left, right)
        assert first
        assert second
        assert len(first) + len(second) <= room
        assert list(first) == list(range(first[0], first[-1] + 1))
        assert list(second) == list(range(second[0], second[-1] + 1))
        assert first[-1] < second[0]
        # Nothing was taken away: then the border is one of segments.
        if second[0] == first[-1] + 1:
            assert second[0] in starts or len(first) + len(second) == room
        assert seen.isdisjoint([*first, *second])
        seen.update([*first, *second])


def test_half_of_the_orders_are_swapped_and_chunks_lose_nothing() -> None:
    document = [[n] for n in range(4000)]
    swapped = [wrong for *_, wrong in order_pairs(document, 4, Random(1))]
    assert 0.4 < np.mean(swapped) < 0.6
    cut = [left for left, right, _ in cut_chunks(document, 7) if not right]
    assert [token for part in cut for token in part] == list(range(4000))
    assert max(map(len, cut)) == 7


def test_masks_are_as_bert_has_them() -> None:
    ids = np.arange(100, 20_100, dtype=np.int32)
    open_ = np.ones(len(ids), np.bool_)
    open_[::4] = False
    draw = np.random.default_rng(0)
    ordinary = np.arange(50_000, 50_100, dtype=np.int32)
    read, labels = mask_tokens(ids, open_, draw, share=0.15, mask=4, ordinary=ordinary)
    chosen = labels != IGNORED
    assert chosen.sum() == round(0.15 * open_.sum())
    assert not chosen[~open_].any()
    assert (labels[chosen] == ids[chosen]).all()
    assert (read[~chosen] == ids[~chosen]).all()
    assert (read[chosen] == 4).mean() == pytest.approx(0.8, abs=0.03)
    assert (read[chosen] >= 50_000).mean() == pytest.approx(0.1, abs=0.03)
    _, single = mask_tokens(
        ids[:3], np.array([False, True, False]), draw, share=0.15, mask=4, ordinary=ordinary
    )
    assert (single != IGNORED).tolist() == [False, True, False]


@pytest.mark.parametrize("family", ["bert", "albert", "roberta"])
def test_the_loss_is_that_of_transformers(place: Path, collection: Path, family: str) -> None:
    import torch

    task = PretrainTask(TINY, {"collection": collection, "backbone": backbone(place, family)}, seed=0)
    torch.manual_seed(0)
    model = task.model().eval()
    assert task.order is (family != "roberta")
    data = task.train_data()
    assert len(data) > 5
    examples = [data[n] for n in range(4)]
    batch = task.collate(examples)
    assert task.length(examples[2]) == int(batch["attention_mask"][2].sum()) <= 48
    inputs = dict(batch)
    if family == "albert":
        inputs["sentence_order_label"] = inputs.pop("next_sentence_label")
    with torch.inference_mode():
        assert task.loss(model, batch).sum().item() == pytest.approx(model(**inputs).loss.item(), abs=1e-5)
    assert all((task.collate(examples)[name] == values).all() for name, values in batch.items())
    other = task.collate([examples[n] for n in (1, 0, 2, 3)])["labels"][[1, 0, 2, 3]]
    assert not (other == batch["labels"]).all()
    assert {"[", r"\sum"} <= set(task.backbone.tokenizer.tokenize(r"[\sum"))


@pytest.mark.parametrize("family", ["bert", "albert", "roberta"])
def test_the_first_token_of_the_second_part_is_predicted(place: Path, collection: Path, family: str) -> None:
    """Of the variant that keeps the order: what is masked, and its loss, from the whole model's logits."""
    import torch
    from torch.nn.functional import cross_entropy

    data = {"collection": collection, "backbone": backbone(place, family)}
    task = PretrainTask({**TINY, "corpora": "mathse3", "order": False, "first_token": True}, data, seed=0)
    torch.manual_seed(0)
    model = task.model().eval()
    rows, tokenizer = task._train, task.backbone.tokenizer
    assert not rows.swapped.any()
    examples = list(range(min(4, len(rows))))
    batch = task.collate([task.train_data()[n] for n in examples])
    parts = {text for document in read_documents(task.settings, data) for text in document}
    for row in examples:
        at, ids = int(batch["first_place"][row]), batch["input_ids"][row]
        assert ids[at] == tokenizer.mask_token_id
        assert batch["labels"][row, at] == IGNORED
        first = rows.sequences[row][rows.first[row] :]
        assert batch["first_label"][row] == first[0]
        starts = {tokenizer(text, add_special_tokens=False)["input_ids"][0] for text in parts}
        assert int(first[0]) in starts
    inputs = {name: batch[name] for name in ("input_ids", "attention_mask", "token_type_ids")}
    with torch.inference_mode():
        found = model(**inputs)
        logits = getattr(found, "prediction_logits", None)
        logits = found.logits if logits is None else logits
        at = torch.tensor(examples), batch["first_place"]
        wanted = float(cross_entropy(logits[at], batch["first_label"]))
        assert float(task.loss(model, batch)[1]) == pytest.approx(wanted, abs=1e-5)
    assert 0 <= task.evaluate(model)["validation_first_token_accuracy"] <= 1
    with expect_error("E676"):
        PretrainTask({**TINY, "first_token": True}, data, seed=0)


def test_a_batch_of_one_is_masked_anew_in_each_epoch(place: Path, collection: Path) -> None:
    task = PretrainTask(TINY, {"collection": collection, "backbone": backbone(place)}, seed=0)

    def labels(epoch: int) -> dict[int, list[int]]:
        data = task.train_data().shuffled(epoch)
        made = (data[n] for n in range(len(data)))
        return {row: task.collate([(row, number)])["labels"][0].tolist() for row, number in made}

    first, second = labels(0), labels(1)
    assert first == labels(0)
    assert first.keys() == second.keys()
    assert np.mean([first[row] != second[row] for row in first]) > 0.9


def test_no_document_is_on_both_sides(place: Path, tmp_path: Path) -> None:
    twos = list(combinations("acdeghilmnorstu", 2))[:100]
    rows = [{"id": n, "type": 1, "title": "", "body": f"{a} {b}. {b} {a}"} for n, (a, b) in enumerate(twos)]
    (tmp_path / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    task = PretrainTask(
        {**TINY, "measured": 99}, {"collection": tmp_path, "backbone": backbone(place)}, seed=0
    )
    sides = [
        {tuple(sorted(rows.sequences[row])) for row in range(len(rows))}
        for rows in (task._train, task.held_out)
    ]
    assert len(task.train_data()) + len(task.held_out) > 95
    assert 8 < len(task.held_out) < 35
    assert not sides[0] & sides[1]


def test_a_training_is_resumed_to_the_bit_and_the_next_stage_goes_on(
    place: Path, collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import AutoModelForMaskedLM

    from engines.arqmath.training import pretraining as pretraining_data
    from engines.arqmath.training.model_folder import quieten_transformers
    from engines.training import TrainConfig, train

    config = TrainConfig(
        steps=8, batch_size=4, bucket=4, lr=1e-3, eval_every=4, log_every=1, device="cpu",
        best="validation_loss_nats", best_is_lowest=True,
    )  # fmt: skip
    data = {"collection": collection, "backbone": backbone(place)}
    tokenised, counted = pretraining_data.tokenize_texts, [0]

    def counting(tokenizer: Any, read: Any) -> Any:
        for ids in tokenised(tokenizer, read):
            counted[-1] += 1
            yield ids

    monkeypatch.setattr(pretraining_data, "tokenize_texts", counting)

    def run(out: Path, stop_at: int = 0, **changes: Any) -> Any:
        heard: list[int] = []
        task = PretrainTask({**TINY, **changes}, data, seed=0)
        stop = lambda: bool(stop_at) and max(heard, default=0) >= stop_at  # noqa: E731
        return train(task, config, out, events=lambda event: heard.append(event.step or 0), stop=stop)

    whole = run(place / "whole")
    assert whole.complete
    assert set(whole.measures) == {
        "validation_loss_nats",
        "validation_masked_accuracy",
        "validation_order_accuracy",
    }
    counted.append(0)
    assert not run(place / "parts", stop_at=5).complete
    assert run(place / "parts").resumed_from == 5
    assert counted[0] == counted[1] > 0
    assert weights(place / "whole") == weights(place / "parts")
    model = place / "whole" / "model"
    with quieten_transformers():
        _, info = AutoModelForMaskedLM.from_pretrained(model, output_loading_info=True)
    assert not info["missing_keys"]
    assert "sentence order" in (model / "README.md").read_text()
    data["backbone"] = model
    second = PretrainTask({**TINY, "corpora": "mathse2"}, data, seed=0)
    before = {name: value.clone() for name, value in second.model().named_parameters()}
    from safetensors.torch import load_file

    saved = load_file(model / "model.safetensors")
    assert all((saved[name] == value).all() for name, value in before.items() if name in saved)


def test_settings_and_data_that_are_missing(collection: Path) -> None:
    with expect_error("E674"):
        PretrainTask({}, {}, seed=0)
    with expect_error("E674"):
        PretrainTask({"corpora": "mathse1+khan"}, {"collection": collection}, seed=0)
    for wrong in ({"corpora": "mathse4"}, {"masked": 0.0}, {"max_length": 4}, {"lenght": 8}):
        with pytest.raises(EngineError) as caught:
            PretrainTask(wrong, {"collection": collection}, seed=0)
        assert caught.value.code == "E676"


def test_formulas_of_two_parts_give_no_training_data(place: Path, tmp_path: Path) -> None:
    (tmp_path / "posts.jsonl").write_text(
        '{"id": 1, "type": 1, "title": "a", "body": "so $a=b$", "tags": []}\n'
    )
    data = {"collection": tmp_path, "backbone": backbone(place)}
    with expect_error("E674"):
        PretrainTask({**TINY, "corpora": "mathse3"}, data, seed=0).train_data()


def test_the_recipes_follow_each_other() -> None:
    from engines.training import TrainConfig
    from workbench.recipes import list_recipes
    from workbench.train import load_trainer

    found = {
        r.name.partition("/")[2]: r.params for r in list_recipes() if r.name.startswith("arqmath/pretrain-")
    }
    chain = [f"pretrain-mathse{n}-{size}" for size in ("paper", "small") for n in (1, 2, 3)]
    others = ["pretrain-khan-paper", "pretrain-khan-mathse1-paper", "pretrain-amps-mathse1-paper"]
    assert {*chain, *others, "pretrain-tiny"} <= set(found)
    for name, params in found.items():
        data = {kind: Path(value) for kind, value in params["data"].items() if value}
        load_trainer(params["trainer"])(params["model"], data, seed=0)
        TrainConfig.from_table(params["train"])
        if name in chain and "mathse1" not in name:
            number = int(name[len("pretrain-mathse")])
            assert params["data"]["backbone"] == name.replace(f"mathse{number}", f"mathse{number - 1}")
    epochs = [found[f"pretrain-mathse{n}-paper"]["train"]["epochs"] for n in (1, 2, 3)]
    assert epochs == [13, 9, 20]
