"""Dense and sparse encoders of questions and answers: what they read, learn, and are used for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.arqmath import IndexCollection, Rank, index, rank
from engines.arqmath.collection.index import open_index
from engines.arqmath.collection.index_build import document_text
from engines.arqmath.ranking.rank import _load_questions
from engines.arqmath.training.bi_encoder import BiEncoderTask, DenseTask, SpladeTask, estimate_flops, info_nce
from engines.core.errors import EngineError
from engines.retrieval.trec import read_run
from engines.training import TrainConfig
from tests.arqmath.small_forum import backbone, forum
from tests.conftest import expect_error, weights

TINY = {"first_rank": 2, "last_rank": 20, "negatives": 2, "max_length": 40, "measured": 2, "candidates": 4}
TRAINERS = {"dense": DenseTask, "sparse": SpladeTask}
SAME = {1, 5, 9}
"""Duplicates of the forum, known as such; 13 is related to 14."""

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def data(place: Path) -> dict[str, Path]:
    posts = forum(place / "forum") / "posts.jsonl"
    rows = [json.loads(line) for line in posts.read_text().splitlines()]
    for row in rows:
        row |= {"related": ["14"]} if row["id"] == 13 else {}
    posts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    index(IndexCollection(place / "forum", place / "index"))
    run = place / "questions.tsv"
    rank(Rank(place / "index", run, questions=True, rerank=False, depth=60))
    return {"collection": place / "forum", "backbone": backbone(place), "run": run}


def epochs(task: BiEncoderTask, count: int = 4) -> list[Any]:
    table = task.train_data()
    shuffled = [table.shuffled(epoch) for epoch in range(count)]
    return [epoch[row] for epoch in shuffled for row in range(len(epoch))]


def named(task: BiEncoderTask) -> dict[int, tuple[str, str]]:
    return {row: name for name, row in task._texts[0].items()}


def test_texts_are_those_of_index_and_ranking(place: Path, data: dict[str, Path]) -> None:
    task = DenseTask({**TINY, "titled": 0.5}, data, seed=0)
    opened, tokenizer = open_index(place / "index"), task.backbone.tokenizer
    posts = opened.store.get_posts(opened.store.answer_ids())
    asked = {topic.id: topic.text for topic in _load_questions(opened)}
    written = {
        "question": asked,
        "titled": {name: document_text(post) for name, post in posts.items()},
        "bare": {name: post.text for name, post in posts.items()},
    }
    read = named(task)
    assert len(read) == len(task.threads.questions) + 2 * len(posts)
    cut = 0
    for row, (kind, name) in read.items():
        expected = tokenizer(written[kind][name], truncation=True, max_length=40)["input_ids"]
        assert task.pad_texts([row])["input_ids"][0].tolist() == expected
        cut += len(expected) == 40
    assert 0 < cut < len(read)


def test_no_right_answer_is_a_wrong_one(data: dict[str, Path]) -> None:
    task = DenseTask({**TINY, "titled": 0.5}, data, seed=0)
    read, run = named(task), read_run(data["run"]).rankings
    group = lambda question: SAME if question in SAME else {question}  # noqa: E731
    drawn = epochs(task)
    wrong_of_13, kinds = set(), set()
    for one in drawn:
        question = int(read[one.question][1])
        right, *wrong = (int(read[row][1]) // 100 for row in one.answers)
        assert right == question
        assert not group(question) & set(wrong)
        assert len(wrong) == 2
        ranked = [int(answer) // 100 for answer, _ in run[str(question)]]
        others = [other for other in ranked if other != question]
        assert set(wrong) <= set(others[1:20])
        wrong_of_13 |= set(wrong) if question == 13 else set()
        kinds.add(tuple({read[row][0] for row in one.answers}))
    assert kinds == {("titled",), ("bare",)}  # right and wrong ones alike
    assert 14 not in wrong_of_13
    ranked = [int(answer) // 100 for answer, _ in run["13"]]
    assert 14 in [other for other in ranked if other != 13][1:20]
    # A held-out question is never trained on, its candidates are no right answers, and it has its own.
    trained = {one.question for one in drawn}
    for one in task.held_out:
        assert one.question not in trained
        question = int(read[one.question][1])
        right, *wrong = (int(read[row][1]) // 100 for row in one.titled)
        assert (right, len(set(one.titled))) == (question, 4)
        assert not group(question) & set(wrong)
        assert [read[row][1] for row in one.bare] == [read[row][1] for row in one.titled]


def test_an_answer_whose_id_occurs_again_is_of_its_first_question(
    place: Path, data: dict[str, Path], tmp_path: Path
) -> None:
    """As the index has it; the second would be right and wrong at once."""
    shutil.copytree(place / "forum", tmp_path / "forum")
    again = {"id": 300, "type": 2, "body": "another", "parent_id": 7}
    with (tmp_path / "forum" / "posts.jsonl").open("a") as posts:
        posts.write(json.dumps(again) + "\n" + json.dumps({"id": 3, "type": 1, "title": "a", "body": "b"}))
    changed, first = (
        DenseTask(TINY, {**data, "collection": at}, seed=0).threads
        for at in (tmp_path / "forum", place / "forum")
    )
    assert changed == first


def test_without_a_run_the_batch_alone_has_wrong_answers(data: dict[str, Path]) -> None:
    task = DenseTask(TINY, {name: path for name, path in data.items() if name != "run"}, seed=0)
    assert {len(one.answers) for one in epochs(task, 2)} == {1}
    assert len(task.held_out) == 2
    assert task.collate(epochs(task, 1)[:3])["answer_ids"].shape[0] == 3


def test_info_nce_is_that_of_a_plain_loop() -> None:
    import torch

    draw = np.random.default_rng(0)
    questions, answers = draw.normal(size=(3, 5)), draw.normal(size=(9, 5))
    groups, of = [7, 8, 7], [1, 2, 7, 8, 7, 3, 8, 7, 4]  # those of the questions begin at 2
    losses = []
    for number in range(3):
        scores = {
            place: questions[number] @ answers[place] / 0.3
            for place in range(9)
            if place == 2 + number or of[place] != groups[number]
        }
        losses.append(np.log(sum(np.exp(score) for score in scores.values())) - scores[2 + number])
    same = torch.tensor(groups)[:, None] == torch.tensor(of)
    found = info_nce(torch.tensor(questions), torch.tensor(answers), same, begin=2, temperature=0.3)
    assert float(found) == pytest.approx(np.mean(losses), rel=1e-5)


@pytest.mark.parametrize("kind", TRAINERS)
def test_batches_without_a_wrong_answer_are_told(data: dict[str, Path], kind: str) -> None:
    import torch

    def evaluated(*sizes: int) -> dict[str, float]:
        task = TRAINERS[kind](TINY, {name: path for name, path in data.items() if name != "run"}, seed=0)
        model, examples = task.model(), epochs(task, 1)
        with torch.no_grad():
            assert task.evaluate(model)  # before the first step
            for size in sizes:
                task.loss(model, task.collate(examples[:size]))
            return task.evaluate(model)

    assert evaluated(1, 4, 1)
    with expect_error("E687") as nothing:
        evaluated(1, 1)
    assert nothing.value.code == "E687"


def test_flops_are_the_sum_of_squared_means() -> None:
    import torch

    weights = [[0.0, 1.0, 2.0], [0.0, 3.0, 0.0]]
    assert float(estimate_flops(torch.tensor(weights))) == pytest.approx(0 + 2.0**2 + 1.0**2)


def vectors(task: Any, model: Any, ids: Any, mask: Any) -> Any:
    """Dense and sparse vectors text by text, without padding, from the language model's own outputs."""
    import torch

    found = []
    for row, count in zip(ids, mask.sum(1).tolist(), strict=True):
        with torch.no_grad():
            output = model.language(input_ids=row[None, :count])
        if task.trainer == "arqmath.splade":
            found.append(np.log1p(np.maximum(output.logits[0].double().numpy(), 0)).max(0))
        else:
            states = output.last_hidden_state[0].double().numpy()
            mean = states[0] if task.settings.pooling == "cls" else states.mean(0)
            found.append(mean / np.linalg.norm(mean))
    return np.array(found)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("dense", {"pooling": "mean", "temperature": 0.1}),
        ("dense", {"pooling": "cls", "temperature": 0.1}),
        ("sparse", {"question_flops": 0.02, "answer_flops": 0.01, "flops_warmup": 4}),
    ],
)
def test_the_loss_is_that_of_the_formulas(data: dict[str, Path], kind: str, settings: dict[str, Any]) -> None:
    import torch

    task = TRAINERS[kind]({**TINY, **settings}, data, seed=0)
    model: Any = task.model().eval()
    duplicates = [one for one in epochs(task) if named(task)[one.question][1] in {"1", "5", "9"}]
    batch = task.collate([*epochs(task)[:3], *{one.question: one for one in duplicates}.values()])
    questions = vectors(task, model, batch["question_ids"], batch["question_mask"])
    answers = vectors(task, model, batch["answer_ids"], batch["answer_mask"])
    groups, of = batch["groups"].tolist(), batch["answer_groups"].tolist()
    masked, losses = 0, []
    for number, question in enumerate(questions):
        scores = answers @ question / settings.get("temperature", 1)
        left = [place for place in range(len(of)) if place == number or of[place] != groups[number]]
        masked += len(of) - len(left)
        losses.append(np.log(np.exp(scores[left]).sum()) - scores[number])
    assert masked > 0
    for seen in range(1, 7):
        expected = np.mean(losses)
        if kind == "sparse":
            costs = 0.02 * (questions.mean(0) ** 2).sum() + 0.01 * (answers.mean(0) ** 2).sum()
            assert costs > 1e-3
            expected += min(1, seen / 4) ** 2 * costs
        with torch.no_grad():
            assert float(task.loss(model, batch)) == pytest.approx(expected, rel=1e-4)


def test_a_question_ranks_its_answer_among_the_candidates(
    data: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    task = DenseTask({**TINY, "temperature": 0.5}, data, seed=0)
    first, second = task.held_out
    products = {
        first.titled: [0.5, 0.7, -1.0, -1.0],
        first.bare: [0.5, 0.7, 0.6, -1.0],
        second.titled: [0.2, 0.2, -3.0, -4.0],
        second.bare: [0.2, 0.1, -3.0, -4.0],
    }

    def given(model: Any, rows: Any) -> Any:
        return torch.tensor([[1.0]] if len(rows) == 1 else [[value] for value in products[rows]])

    monkeypatch.setattr(task, "encode_rows", given)
    found = task.evaluate(torch.nn.Linear(1, 1))
    assert found["validation_mrr"] == pytest.approx((1 / 2 + 1 / 1.5) / 2)
    assert found["validation_bare_mrr"] == pytest.approx((1 / 3 + 1) / 2)
    losses = [
        np.log(np.exp(np.array(products[one.titled]) / 0.5).sum()) - products[one.titled][0] / 0.5
        for one in (first, second)
    ]
    assert found["validation_loss_nats"] == pytest.approx(np.mean(losses), rel=1e-5)


CONFIG: dict[str, Any] = {
    "steps": 6, "batch_size": 6, "bucket": 2, "lr": 1e-3, "eval_every": 3, "log_every": 1, "device": "cpu",
    "best": "validation_bare_mrr",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_a_training_is_resumed_to_the_bit_and_what_it_saves_is_indexed(
    place: Path, data: dict[str, Path], kind: str
) -> None:
    import sentence_transformers
    import torch

    from engines.training import train

    more = {"flops_warmup": 5, "question_flops": 0.1} if kind == "sparse" else {}

    def run(out: Path, stop_at: int = 0, **settings: Any) -> Any:
        heard: list[int] = []
        stop = lambda: bool(stop_at) and max(heard, default=0) >= stop_at  # noqa: E731
        task = TRAINERS[kind]({**TINY, **more, **settings}, data, seed=0)
        told = lambda event: heard.append(event.step or 0)  # noqa: E731
        return task, train(task, TrainConfig(**CONFIG), out, events=told, stop=stop)

    whole, parts = place / f"whole-{kind}", place / f"parts-{kind}"
    task, found = run(whole)
    assert found.complete
    assert set(found.measures) == set(task.measures)
    assert 0 < found.measures["validation_mrr"] <= 1
    assert not run(parts, stop_at=4)[1].complete
    assert run(parts)[1].resumed_from == 4
    assert weights(whole) == weights(parts)
    with pytest.raises(EngineError) as caught:
        run(whole, titled=0.25)
    assert (caught.value.code, "titled" in str(caught.value)) == ("E637", True)
    # The library gives the vectors of the training.
    model = whole / "model"
    opened = open_index(place / "index")
    posts = list(opened.store.get_posts(opened.store.answer_ids()).values())
    again = TRAINERS[kind]({**TINY, **more}, {**data, "backbone": model}, seed=0)
    rows = again._texts[0]
    with torch.no_grad():
        ours = again.encode_rows(again.model().eval(), [rows["titled", post.id] for post in posts])
    texts = [document_text(post) for post in posts]
    if kind == "dense":
        library: Any = sentence_transformers.SentenceTransformer(str(model), device="cpu")
        theirs = library.encode(texts)
        assert np.linalg.norm(theirs, axis=1) == pytest.approx(1, rel=1e-5)
        wanted: dict[str, Any] = {"dense": True, "encoder": str(model)}
    else:
        library = sentence_transformers.SparseEncoder(str(model), device="cpu")
        theirs = library.encode(texts).to_dense().numpy()
        wanted = {"sparse": model}
    assert library.max_seq_length == 40
    assert np.abs(theirs - ours.numpy()).max() < 1e-5
    assert np.abs(theirs).max() > 0
    shutil.copytree(place / "index", place / f"index-{kind}")
    index(IndexCollection(data["collection"], place / f"index-{kind}", exact=True, **wanted))
    ranked = place / f"{kind}.tsv"
    rank(Rank(place / f"index-{kind}", ranked, questions=True, rerank=False, first=kind, depth=60))
    asked = {topic.id: topic.text for topic in _load_questions(opened)}
    products = dict(zip([post.id for post in posts], theirs @ _encoded(library, asked["13"]), strict=True))
    scores = dict(read_run(ranked).rankings["13"])
    assert scores
    for answer, score in scores.items():
        assert score == pytest.approx(products[answer], abs=2e-3)
    card = (model / "README.md").read_text()
    assert "questions.tsv" in card
    assert "validation_bare_mrr" in card


def _encoded(library: Any, text: str) -> Any:
    found = library.encode([text])
    return np.asarray(found[0] if isinstance(found, np.ndarray) else found.to_dense().numpy()[0])


def test_terms_that_are_not_0_are_counted(data: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    task = SpladeTask({**TINY, "candidates": 2}, data, seed=0)
    first, second = task.held_out

    def given(model: Any, rows: Any) -> Any:
        terms = {first.question: 3, second.question: 0, first.titled[0]: 5}
        return torch.stack([(torch.arange(9) < terms.get(row, 1)).float() for row in rows])

    monkeypatch.setattr(task, "encode_rows", given)
    found = task.evaluate(torch.nn.Linear(1, 1))
    assert (found["validation_question_terms"], found["validation_answer_terms"]) == (1.5, 2.0)
    monkeypatch.setattr(task, "encode_rows", lambda model, rows: torch.zeros(len(rows), 9))
    with expect_error("E687"):
        task.evaluate(torch.nn.Linear(1, 1))


def test_a_backbone_without_a_head_gets_one_of_its_words(data: dict[str, Path], tmp_path: Path) -> None:
    import torch

    from tests.arqmath import tiny_models

    bare = tiny_models.bert(tmp_path / "bare", head=False)
    task = SpladeTask(TINY, {**data, "backbone": bare}, seed=0)
    model, new = task.backbone.masked_model()
    words = model.get_input_embeddings().weight.detach().double().numpy()
    ids = torch.tensor([[2, 7, 9, 3]])
    with torch.no_grad():
        found = model(input_ids=ids).logits[0].double().numpy()
        states = model.base_model(input_ids=ids).last_hidden_state[0].double()
    straight = torch.nn.functional.gelu(states).numpy()
    normal = (straight - straight.mean(1, keepdims=True)) / np.sqrt(straight.var(1, keepdims=True) + 1e-12)
    assert new
    assert found == pytest.approx(normal @ words.T - 5 * np.linalg.norm(words, axis=1).mean(), abs=1e-3)
    # A head that is there stays as it is.
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.startswith("cls."):
                weight.add_(0.125)
    model.save_pretrained(bare)
    kept, new = SpladeTask(TINY, {**data, "backbone": bare}, seed=0).backbone.masked_model()
    assert not new
    for name, weight in model.named_parameters():
        # The first word is padding, which nothing reads; older versions of transformers put zeros there.
        begin = 1 if "word_embeddings" in name else 0
        assert kept.get_parameter(name)[begin:].equal(weight[begin:])


def test_what_cannot_be_trained_on_is_refused(place: Path, data: dict[str, Path], tmp_path: Path) -> None:
    for trainer in TRAINERS.values():
        with expect_error("E674") as missing:
            trainer(TINY, {}, seed=0)
        assert missing.value.code == "E674"
        for wrong, words in (
            ({"first_rank": 30}, "ranks 30 to 20 are not a range"),
            ({"candidates": 1}, "candidates"),
            ({"tittled": 1.0}, "titled"),
        ):
            with pytest.raises(EngineError) as caught:
                trainer({**TINY, **wrong}, data, seed=0)
            assert caught.value.code == "E676"
            assert words in f"{caught.value} {caught.value.remedy}"
    with expect_error("E676"):
        DenseTask({"temperature": 0.0}, data, seed=0)
    (tmp_path / "topics.tsv").write_text("A.1\tQ0\t100\t1\t1.0\tx\n")
    with expect_error("E674") as other:
        DenseTask(TINY, {**data, "run": tmp_path / "topics.tsv"}, seed=0).train_data()
    assert other.value.code == "E674"
    ranked = [line.split("\t") for line in data["run"].read_text().splitlines()]
    foreign = ["\t".join([*row[:2], f"7{row[2]}", *row[3:]]) for row in ranked]
    (tmp_path / "foreign.tsv").write_text("".join(f"{line}\n" for line in foreign))
    deep = {**TINY, "first_rank": 500, "last_rank": 600}
    for settings, run in ((TINY, tmp_path / "foreign.tsv"), (deep, data["run"])):
        with expect_error("E674") as none:
            DenseTask(settings, {**data, "run": run}, seed=0).train_data()
        assert (none.value.code, none.value.path) == ("E674", run)
        assert DenseTask({**settings, "negatives": 0}, {**data, "run": run}, seed=0).train_data()
    posts = [
        {"id": 1, "type": 1, "title": "t", "body": "b"},
        {"id": 2, "type": 2, "parent_id": 1, "body": "c"},
    ]
    (tmp_path / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in posts))
    alone = DenseTask(TINY, {"collection": tmp_path, "backbone": data["backbone"]}, seed=0)
    assert len(alone.train_data()) == 1
    assert alone.held_out == []
    assert alone.unmeasured("validation_mrr") == "no question is held out"


def test_every_recipe_can_be_used() -> None:
    from workbench.recipes import list_recipes
    from workbench.train import load_trainer

    found = {r.name: r for r in list_recipes() if r.name.startswith(("arqmath/encoder-", "arqmath/splade-"))}
    assert len(found) == 6
    for recipe in found.values():
        here = {kind: Path(value or "any") for kind, value in recipe.params["data"].items()}
        task: Any = load_trainer(recipe.params["trainer"])(recipe.params["model"], here, seed=0)
        assert TrainConfig.from_table(recipe.params["train"]).best in task.measures
    for kind in ("encoder", "splade"):
        paper = found[f"arqmath/{kind}-paper"].params
        assert (paper["train"]["lr"], paper["data"]["backbone"]) == (2e-5, "pretrain-mathse3-paper")
