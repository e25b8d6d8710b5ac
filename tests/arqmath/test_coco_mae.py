"""Coco-MAE: spans, masks, what the decoder sees, the contrastive loss, a training that is resumed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.arqmath.training.coco_mae import CocoMaeTask, contrast_spans, draw_two_spans
from engines.arqmath.training.pretraining import IGNORED
from engines.core.errors import DataError, EngineError
from tests.arqmath.small_forum import backbone, forum
from tests.conftest import weights

TINY = {"max_length": 32, "measured": 20, "held_out": 0.2}

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("coco-mae")


@pytest.fixture(scope="module")
def collection(place: Path) -> Path:
    return forum(place / "forum")


@given(st.integers(16, 90), st.integers(4, 40), st.integers(0, 99))
def test_spans_are_two_windows_one_behind_the_other(length: int, room: int, seed: int) -> None:
    earlier, later = draw_two_spans(np.arange(length, dtype=np.int32), room, np.random.default_rng(seed))
    assert earlier[-1] < later[0]
    for span in (earlier, later):
        assert min(8, room) <= len(span) <= room
        assert (span == np.arange(span[0], span[0] + len(span))).all()


def test_the_contrastive_loss_is_that_of_a_plain_loop() -> None:
    import torch

    draw = np.random.default_rng(1)
    rows = draw.normal(size=(10, 6))
    unit = rows / np.sqrt((rows**2).sum(1, keepdims=True))
    losses = []
    for place in range(10):
        powers = {
            other: math.exp(float(unit[place] @ unit[other]) / 0.1) for other in range(10) if other != place
        }
        losses.append(-math.log(powers[(place + 5) % 10] / sum(powers.values())))
    assert float(contrast_spans(torch.tensor(rows), temperature=0.1)) == pytest.approx(
        np.mean(losses), rel=1e-5
    )


@pytest.mark.parametrize("family", ["bert", "albert", "roberta"])
def test_the_decoder_sees_one_state_of_the_other_span(place: Path, collection: Path, family: str) -> None:
    import torch

    data = {"collection": collection, "backbone": backbone(place, family)}
    task = CocoMaeTask(TINY, data, seed=0)
    torch.manual_seed(0)
    model: Any = task.model().eval()
    batch = task.collate(examples(task, 3))
    encode_spans = model.encode_spans
    with torch.no_grad():  # new weights are so small that all states are nearly the same
        for weight in model.parameters():
            if weight.dim() > 1:
                weight.mul_(8)

    def altered(ids: torch.Tensor, attention: torch.Tensor) -> torch.Tensor:
        states = encode_spans(ids, attention).clone()
        states[:, 1:] = 7.0
        return states

    with torch.inference_mode():
        _, before, firsts = task._predict_tokens(model, batch)
        model.encode_spans = altered
        _, after, same = task._predict_tokens(model, batch)
        del model.encode_spans
        assert torch.equal(before, after)
        assert torch.equal(firsts, same)
        # The token in the first place is not read, and the state there is that of the other span of the post.
        again = dict(batch) | {"decoder_ids": batch["decoder_ids"].clone()}
        again["decoder_ids"][:, 0] = 9
        assert torch.equal(task._predict_tokens(model, again)[1], before)
        assert torch.equal(firsts, encode_spans(batch["input_ids"], batch["attention_mask"])[:, 0])
        places = (batch["decoder_labels"] != IGNORED).nonzero()
        for row in range(6):
            own = firsts[(row + 3) % 6]
            logits = model.words(
                model.decode_spans(
                    batch["decoder_ids"][row : row + 1], batch["attention_mask"][row : row + 1], own[None]
                )
            )[0]
            mine = places[places[:, 0] == row][:, 1]
            assert torch.allclose(before[places[:, 0] == row], logits[mine], atol=1e-4)
        # Another state changes what it predicts.
        other = model.decode_spans(batch["decoder_ids"], batch["attention_mask"], firsts)
        mixed = model.words(other[batch["decoder_labels"] != IGNORED])
        assert not torch.allclose(before, mixed, atol=1e-3)


def test_the_losses_are_those_of_the_whole_model(place: Path, collection: Path) -> None:
    """The encoder's is transformers' own of the masked labels; the shares of masked tokens are as set."""
    import torch

    settings = {
        **TINY,
        "masked": 0.25,
        "decoder_masked": 0.5,
        "decoder_weight": 0.0,
        "contrastive_weight": 3.0,
    }
    task = CocoMaeTask(settings, {"collection": collection, "backbone": backbone(place)}, seed=0)
    torch.manual_seed(0)
    model: Any = task.model().eval()
    posts = examples(task, 8)
    batch = task.collate(posts)
    with torch.inference_mode():
        losses = task.loss(model, batch)
        logits = model.language(
            input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
        ).prediction_logits
        wanted = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch["labels"].flatten())
        apart = contrast_spans(encoded_firsts(model, batch), temperature=0.05)
    assert float(losses[0]) == pytest.approx(float(wanted), abs=1e-5)
    assert float(losses[1]) == 0
    assert float(losses[2]) == pytest.approx(3 * float(apart), rel=1e-5)
    lengths = batch["attention_mask"].sum(1) - 2
    for name, share in {"labels": 0.25, "decoder_labels": 0.5}.items():
        chosen = (batch[name] != IGNORED).sum(1)
        assert (chosen - share * lengths).abs().max() <= 0.5
        assert not (batch[name][:, 0] != IGNORED).any()
    assert task.counts(batch)[2] == 16
    texts = {tuple(task._texts[row].tolist()) for row, _ in posts}
    for row in range(8):
        spans = [restored(batch, place) for place in (row, row + 8)]
        assert any(contains(text, spans[0]) and contains(text, spans[1]) for text in texts)
    assert all((task.collate(posts)[name] == values).all() for name, values in batch.items())


def test_spans_and_masks_of_a_batch_of_one_are_drawn_anew_in_each_epoch(
    place: Path, collection: Path
) -> None:
    task = CocoMaeTask(TINY, {"collection": collection, "backbone": backbone(place)}, seed=0)

    def drawn(epoch: int) -> dict[int, tuple[tuple[int, ...], list[int]]]:
        data = task.train_data().shuffled(epoch)
        batches = {example[0]: task.collate([example]) for example in (data[n] for n in range(len(data)))}
        return {row: (restored(one, 0), one["labels"][0].tolist()) for row, one in batches.items()}

    first, second = drawn(0), drawn(1)
    assert first == drawn(0)
    assert first.keys() == second.keys()
    for part in (0, 1):
        assert np.mean([first[row][part] != second[row][part] for row in first]) > 0.8


def examples(task: CocoMaeTask, count: int) -> list[tuple[int, int]]:
    data = task.train_data()
    return [data[n] for n in range(count)]


def encoded_firsts(model: Any, batch: Any) -> Any:
    return model.language.base_model(
        input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]
    ).last_hidden_state[:, 0]


def restored(batch: Any, row: int) -> tuple[int, ...]:
    """The tokens of a span before any was masked, from either reading, which must agree."""
    end = int(batch["attention_mask"][row].sum()) - 1
    both = [
        [int(i if w == IGNORED else w) for i, w in zip(batch[ids][row], batch[labels][row], strict=True)]
        for ids, labels in (("input_ids", "labels"), ("decoder_ids", "decoder_labels"))
    ]
    assert both[0] == both[1]
    return tuple(both[0][1:end])


def contains(text: tuple[int, ...], span: tuple[int, ...]) -> bool:
    return any(text[at : at + len(span)] == span for at in range(len(text) - len(span) + 1))


def test_a_training_is_resumed_to_the_bit_and_its_folder_is_a_backbone(place: Path, collection: Path) -> None:
    import torch
    from transformers import AutoModel, AutoModelForMaskedLM

    from engines.arqmath.training.finetuning import CrossEncoderTask
    from engines.arqmath.training.model_folder import quieten_transformers
    from engines.training import TrainConfig, train

    config = TrainConfig(
        steps=8, batch_size=4, bucket=4, lr=1e-3, eval_every=4, log_every=1, device="cpu",
        best="validation_loss_nats", best_is_lowest=True,
    )  # fmt: skip
    data = {"collection": collection, "backbone": backbone(place)}
    kept: dict[str, Any] = {}

    def run(out: Path, stop_at: int = 0) -> Any:
        heard: list[int] = []
        task = CocoMaeTask(TINY, data, seed=0)
        save = task.save
        task.save = lambda model, *rest: (kept.update(model=model), save(model, *rest))[1]  # type: ignore[method-assign]
        stop = lambda: bool(stop_at) and max(heard, default=0) >= stop_at  # noqa: E731
        return train(task, config, out, events=lambda event: heard.append(event.step or 0), stop=stop)

    whole = run(place / "whole")
    assert whole.complete
    assert set(whole.measures) == set(CocoMaeTask(TINY, data, seed=0).measures)
    parts = sum(whole.measures[f"validation_{name}_nats"] for name in ("masked", "decoder", "contrastive"))
    assert whole.measures["validation_loss_nats"] == pytest.approx(parts)
    assert not run(place / "parts", stop_at=5).complete
    assert run(place / "parts").resumed_from == 5
    assert weights(place / "whole") == weights(place / "parts")
    folder = place / "whole" / "model"
    with quieten_transformers():
        language, info = AutoModelForMaskedLM.from_pretrained(folder, output_loading_info=True)
        assert not info["missing_keys"]
        bare = AutoModel.from_pretrained(folder)
    task = CocoMaeTask(TINY, data, seed=0)
    task.model()
    batch = task.collate(examples(task, 2))
    inputs = {name: batch[name] for name in ("input_ids", "attention_mask")}
    with torch.inference_mode():
        wanted = kept["model"].encode_spans(*inputs.values())
        assert torch.allclose(language.base_model(**inputs).last_hidden_state, wanted, atol=1e-5)
        assert torch.allclose(bare(**inputs).last_hidden_state, wanted, atol=1e-5)
        assert torch.allclose(language(**inputs).logits, kept["model"].words(wanted), atol=1e-4)
    CrossEncoderTask({"max_length": 32}, {"collection": collection, "backbone": folder}, seed=0).model()
    assert "finding the other span" in (folder / "README.md").read_text()


def test_batches_of_single_posts_are_told(place: Path, collection: Path) -> None:
    import torch

    def evaluated(weight: float, *sizes: int) -> dict[str, float]:
        data = {"collection": collection, "backbone": backbone(place)}
        task = CocoMaeTask({**TINY, "contrastive_weight": weight}, data, seed=0)
        model = task.model()
        with torch.no_grad():
            assert task.evaluate(model)  # before the first step
            for size in sizes:
                task.loss(model, task.collate(examples(task, size)))
            return task.evaluate(model)

    assert evaluated(1.0, 1, 3, 1)
    assert evaluated(0.0, 1)
    with pytest.raises(EngineError, match="every batch was 0") as nothing:
        evaluated(1.0, 1, 1)
    assert nothing.value.code == "E687"


def test_settings_and_data_that_are_missing(place: Path, collection: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="names no collection"):
        CocoMaeTask({}, {}, seed=0)
    for wrong in ({"masked": 0.0}, {"decoder_masked": 1.0}, {"temperature": 0.0}, {"decoder_layers": 0}):
        with pytest.raises(EngineError) as caught:
            CocoMaeTask(wrong, {"collection": collection}, seed=0)
        assert caught.value.code == "E676"
    (tmp_path / "posts.jsonl").write_text('{"id": 1, "type": 1, "title": "a", "body": "so", "tags": []}\n')
    short = CocoMaeTask(TINY, {"collection": tmp_path, "backbone": backbone(place)}, seed=0)
    with pytest.raises(DataError, match="no post has 16 tokens"):
        short.train_data()


def test_the_recipes_are_read() -> None:
    from engines.training import TrainConfig
    from workbench.recipes import recipes
    from workbench.train import trainer

    found = {r.name: r.params for r in recipes() if r.name.startswith("arqmath/coco-mae-")}
    assert set(found) == {f"arqmath/coco-mae-{size}" for size in ("paper", "small", "tiny")}
    for params in found.values():
        data = {kind: Path(value) for kind, value in params["data"].items() if value}
        trainer(params["trainer"])(params["model"], data, seed=0)
        TrainConfig.from_table(params["train"])
