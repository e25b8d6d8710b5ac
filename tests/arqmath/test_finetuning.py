"""Fine-tuning: what the model reads, what is measured, and a training that can be resumed and ranked with."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.arqmath.training.finetuning import CrossEncoderTask
from engines.core.errors import EngineError
from engines.core.system import reported_row
from engines.training import TrainConfig
from tests.arqmath.small_forum import backbone, forum
from tests.conftest import expect_error, weights

TINY = {"max_length": 40, "measured": 5, "candidates": 3, "per_question": 10}


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def data(place: Path) -> dict[str, Path]:
    return {"collection": forum(place / "forum"), "backbone": backbone(place)}


def texts(folder: Path) -> dict[str, str]:
    from engines.forum.readers import Report, read_posts

    return {post.id: post.text for post in read_posts(folder / "posts.jsonl", Report())}


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_long_pairs_are_cut_as_longest_first_cuts_them(
    place: Path, data: dict[str, Path], family: str
) -> None:
    task = CrossEncoderTask(TINY, {**data, "backbone": backbone(place, family)}, seed=0)
    rows, stored = task._texts
    names = {row: name for name, row in rows.items()}
    written = texts(data["collection"])
    examples = [task.train_data()[row] for row in range(len(task.train_data()))]
    batch = task.collate(examples)
    cut = 0
    for row, example in enumerate(examples):
        question, answer, label = example
        expected = task.backbone.tokenizer(
            written[names[question]], written[names[answer]], truncation="longest_first", max_length=40
        )
        count = int(batch["attention_mask"][row].sum())
        assert count == len(expected["input_ids"]) == task.length(example)
        assert batch["input_ids"][row][:count].tolist() == expected["input_ids"]
        types = expected.get("token_type_ids", [0] * count)
        assert batch["token_type_ids"][row][:count].tolist() == types
        assert int(batch["labels"][row]) == label
        cut += stored.whole[question] + stored.whole[answer] + task.frame.width > 40
    assert cut > 0
    assert task.truncated_percent() == pytest.approx(100 * cut / len(examples))


def test_held_out_questions_are_ranked(data: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    task = CrossEncoderTask({**TINY, "candidates": 4}, data, seed=0)
    assert len(task.groups) == 2
    held_out = {pair.question for pair in task.pairs if pair.held_out}
    for question, (right, *wrong) in task.groups:
        assert question in held_out
        assert str(int(right) // 100) == question
        assert len(wrong) == 3
    rows, _ = task._texts
    trained = {row for row, _, _ in (task.train_data()[n] for n in range(len(task.train_data())))}
    assert not trained & {rows[question] for question in held_out}
    # The correct answer is second of the first question, and first, beside an equal one, of the other.
    odds = np.array([0.5, 0.7, -1.0, -1.0, 0.2, 0.2, -3.0, -4.0])
    monkeypatch.setattr(task, "_compute_log_odds", lambda model, examples: odds)
    found = task.evaluate(None)  # type: ignore[arg-type]
    assert found["validation_accuracy"] == 2 / 4
    assert found["validation_pairwise_accuracy"] == pytest.approx((2 / 3 + 2.5 / 3) / 2)
    assert found["validation_mrr"] == pytest.approx((1 / 2 + 1 / 1.5) / 2)
    terms = [np.log1p(np.exp(-x)) for x in (0.5, -0.7, 0.2, -0.2)]
    assert found["validation_loss_nats"] == pytest.approx(np.mean(terms))


def test_trainings_that_share_a_folder_tokenise_once(
    tmp_path: Path, place: Path, data: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from engines.arqmath.training import model_folder
    from engines.training.checkpoints import Identity
    from engines.training.token_cache import TokenCache

    tokenised, made = model_folder.tokenize_texts, []

    def counting(tokenizer: Any, read: Any) -> Any:
        made.append(1)
        return tokenised(tokenizer, read)

    monkeypatch.setattr(model_folder, "tokenize_texts", counting)

    def rows(*, seed: int = 0, of: dict[str, Path] = data, **more: object) -> Any:
        task = CrossEncoderTask({**TINY, **more}, of, seed=seed)
        task.use_cache(
            TokenCache(tmp_path / "kept", Identity.of_task(task.origin(), TrainConfig(steps=1)).contents)
        )
        return task._texts

    first = rows()
    # Of so few posts every seed draws all.
    again = rows(hard_share=0.25, seed=1)
    assert len(made) == 1
    assert again[0] == first[0]
    assert again[1].ids.tobytes() == first[1].ids.tobytes()
    # One word of one post is another.
    shutil.copytree(data["collection"], tmp_path / "forum")
    posts = tmp_path / "forum" / "posts.jsonl"
    posts.write_text(posts.read_text().replace("a", "b", 1))
    others: list[dict[str, Any]] = [
        {"of": {**data, "collection": tmp_path / "forum"}},
        {"of": {**data, "backbone": backbone(place, "roberta")}},
        {"max_length": TINY["max_length"] + 1},
    ]
    for number, other in enumerate(others):
        rows(**other)
        assert len(made) == 2 + number, other


def test_a_training_is_resumed_to_the_bit_and_ranks(
    place: Path, data: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from engines.arqmath.ranking.cross_encoder import CrossEncoder
    from engines.arqmath.training import model_folder
    from engines.training import train

    tokenised, counted = model_folder.tokenize_texts, [0]

    def counting(tokenizer: Any, read: Any) -> Any:
        for ids in tokenised(tokenizer, read):
            counted[-1] += 1
            yield ids

    monkeypatch.setattr(model_folder, "tokenize_texts", counting)

    config = TrainConfig(
        steps=8, batch_size=8, bucket=4, lr=1e-3, eval_every=4, log_every=1, device="cpu",
        best="validation_mrr",
    )  # fmt: skip

    def run(out: Path, stop_at: int = 0) -> Any:
        heard: list[int] = []
        stop = lambda: bool(stop_at) and max(heard, default=0) >= stop_at  # noqa: E731
        task = CrossEncoderTask(TINY, data, seed=0)
        return train(task, config, out, events=lambda event: heard.append(event.step or 0), stop=stop)

    whole = run(place / "whole")
    assert whole.complete
    assert 0 <= whole.measures["validation_mrr"] <= 1
    counted.append(0)
    assert not run(place / "parts", stop_at=5).complete
    assert any((place / "parts" / "rows").iterdir())
    assert run(place / "parts").resumed_from == 5
    # Both attempts together tokenise what one does, and at the end only the model is left.
    assert counted[0] == counted[1] > 0
    assert not (place / "parts" / "rows").exists()
    assert weights(place / "whole") == weights(place / "parts")
    model = place / "whole" / "model"
    # What ranks with it reads the same tokens and gives the same odds.
    task = CrossEncoderTask(TINY, {**data, "backbone": model}, seed=0)
    rows, _ = task._texts
    names = {row: name for name, row in rows.items()}
    written = texts(data["collection"])
    examples = [task.train_data()[row] for row in range(6)]
    odds = task._compute_log_odds(task.model().eval(), examples)
    pairs = [(written[names[question]], written[names[answer]]) for question, answer, _ in examples]
    scores = CrossEncoder(model, device="cpu", max_tokens=40, exact=True).score(pairs)
    assert scores == pytest.approx(odds, abs=1e-5)
    assert "longer side is cut" in (model / "README.md").read_text()


def test_annotated_pairs_read_topics(place: Path, data: dict[str, Path], tmp_path: Path) -> None:
    folder = forum(tmp_path / "forum")
    topic = "<Title>Sum</Title><Question>of odd numbers</Question><Tags>sums</Tags>"
    topics = "".join(f'<Topic number="A.{n}">{topic}</Topic>' for n in (1, 2, 3))
    (folder / "topics_task1.xml").write_text(f"<Topics>{topics}</Topics>")
    qrels, run = tmp_path / "q.tsv", tmp_path / "r.tsv"
    qrels.write_text("".join(f"A.{n}\t0\t{answer}\t3\n" for n in (1, 2, 3) for answer in (100, 300)))
    run.write_text("".join(f"A.{n}\t{answer}\t1\t0.5\tm\n" for n in (1, 2, 3) for answer in (500, 600, 700)))
    chosen = {**data, "collection": folder, "annotated": qrels, "run": run}
    task = CrossEncoderTask({**TINY, "pairs": "annotated"}, chosen, seed=0)
    assert len(task.train_data()) == 8
    assert {question for question, _ in task.groups} < {"A.1", "A.2", "A.3"}
    (folder / "topics_task1.xml").unlink()
    with expect_error("E674"):
        CrossEncoderTask({**TINY, "pairs": "annotated"}, chosen, seed=0).train_data()


def test_settings_and_data_that_are_missing(data: dict[str, Path]) -> None:
    with expect_error("E674"):
        CrossEncoderTask({}, {}, seed=0)
    with expect_error("E674"):
        CrossEncoderTask({"pairs": "annotated"}, data, seed=0)
    for wrong in ({"pairs": "all"}, {"candidates": 1}, {"hard_share": 2.0}, {"per_qestion": 1}):
        with pytest.raises(EngineError) as caught:
            CrossEncoderTask(wrong, data, seed=0)
        assert caught.value.code == "E676"
    with expect_error("E676"):
        CrossEncoderTask({**TINY, "max_length": 65}, data, seed=0).model()


def test_a_recipe_finds_its_collection_and_backbone(
    data: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    from workbench.recipes import load_recipe, with_settings
    from workbench.train import job_spec
    from workbench.workspace import Workspace

    workspace = Workspace.open(tmp_path / "workspace")
    mine = Path(shutil.copytree(data["collection"], workspace.root / "arqmath" / "mine"))
    model = Path(shutil.copytree(data["backbone"], workspace.models / "tiny"))
    recipe = with_settings(
        load_recipe("arqmath/finetune-small"), ["data.collection=mine", "data.backbone=tiny"]
    )
    assert job_spec(workspace, recipe).params["data"] == {"collection": str(mine), "backbone": str(model)}
    recipe = with_settings(recipe, [f"data.collection={mine}", "data.backbone="])
    assert job_spec(workspace, recipe).params["data"] == {"collection": str(mine)}
    run = tmp_path / "run.tsv"
    run.write_text("x")
    monkeypatch.chdir(tmp_path)
    recipe = with_settings(recipe, ["data.hard_negatives=run.tsv"])
    assert job_spec(workspace, recipe).params["data"]["hard_negatives"] == str(run)
    for setting, words in (
        ("data.collection=no", "data add arqmath"),
        ("data.backbone=no", "Train it first"),
    ):
        with pytest.raises(EngineError) as caught:
            job_spec(workspace, with_settings(recipe, [setting]))
        assert (caught.value.code, words in caught.value.remedy) == ("E354", True)


def test_every_recipe_can_be_used() -> None:
    from workbench.recipes import list_recipes
    from workbench.train import load_trainer

    found = {r.name: r for r in list_recipes() if r.name.startswith("arqmath/finetune-")}
    names = {f"arqmath/finetune-{name}" for name in ("n1", "n10", "annotated", "small", "tiny")}
    assert set(found) == names
    for recipe in found.values():
        here = {kind: Path(value or "any") for kind, value in recipe.params["data"].items()}
        load_trainer(recipe.params["trainer"])(recipe.params["model"], here, seed=0)
        TrainConfig.from_table(recipe.params["train"])
    for name in ("n1", "n10", "annotated"):
        numbers = found[f"arqmath/finetune-{name}"].params["train"]
        assert [numbers[key] for key in ("lr", "warmup", "batch_size", "epochs")] == [2e-5, 200, 32, 3]
    assert reported_row("arqmath", 2, "math_10")["ndcg_prime_2020"] == 0.446
