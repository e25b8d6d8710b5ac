"""Re-rankers with a cosine head: what their lists hold, what the head computes, and a training that ranks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from engines.arqmath.collection.index import cached_index
from engines.arqmath.ranking.cross_encoder import write_library_files
from engines.arqmath.ranking.rank import Rank, _load_questions, rank
from engines.arqmath.training.model_folder import best_window
from engines.arqmath.training.reranking import RerankTask
from engines.retrieval.trec import read_run
from tests.arqmath.small_forum import SUBJECTS, backbone, forum
from tests.conftest import expect_error

TINY = {"answers": 4, "first_rank": 3, "last_rank": 20, "max_length": 40, "measured": 2, "trained_layers": 1}

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def data(place: Path) -> dict[str, Path]:
    from engines.arqmath import IndexCollection, index

    collection = forum(place / "forum")
    index(IndexCollection(collection, place / "index"))
    found = rank(Rank(place / "index", place / "questions.tsv", questions=True, rerank=False, depth=30))
    assert found["topics"] == 24
    return {"collection": collection, "backbone": backbone(place), "run": place / "questions.tsv"}


@pytest.fixture
def task(data: dict[str, Path]) -> RerankTask:
    return RerankTask(TINY, data, seed=0)


def question_of(answer: str) -> int:
    return int(answer) // 100


def test_runs_of_questions_ask_title_and_body(data: dict[str, Path]) -> None:
    run = read_run(data["run"])
    title = SUBJECTS[13 // 4 % 4][0].lower()
    assert title == "rank of a matrix"
    assert run.rankings["13"][0][0] == "1300"  # the one answer that its own question's title stands before


def test_distilled_lists_leave_out_own_answers_and_follow_the_scores(task: RerankTask) -> None:
    ranked = read_run(task.data["run"]).rankings
    titled = [one for side in task._lists for one in side if one.titled]
    assert len(titled) > 10
    for one in titled:
        assert str(question_of(one.answers[0])) != one.question
        assert one.question not in {str(question_of(answer)) for answer in one.answers}
        scores = dict(ranked[one.question])
        by_score = sorted(one.answers, key=lambda answer: -scores[answer])
        by_target = [answer for _, answer in sorted(zip(one.target, one.answers, strict=True), reverse=True)]
        assert [scores[answer] for answer in by_score] == [scores[answer] for answer in by_target]
        assert sum(one.target) == pytest.approx(1)


def test_wrong_answers_are_of_no_linked_question_and_of_the_ranks_named(task: RerankTask) -> None:
    ranked = read_run(task.data["run"]).rankings
    same = [{1, 5, 9}]  # duplicates of the forum
    plain = [one for side in task._lists for one in side if not one.titled]
    assert plain
    for one in plain:
        right, *wrong = one.answers
        group = next((each for each in same if int(one.question) in each), {int(one.question)})
        assert question_of(right) in group
        assert not group & {question_of(answer) for answer in wrong}
        others = [a for a, _ in ranked[one.question] if question_of(a) != int(one.question)]
        assert all(2 <= others.index(answer) < 20 for answer in wrong)
        assert one.target == (1.0, 0.0, 0.0, 0.0)


def test_titles_are_read_in_distilled_lists_alone(task: RerankTask) -> None:
    tokenizer = task.backbone.tokenizer
    for one in task._lists[0][:6]:
        first = task._build_batch([one])
        count = int(first["attention_mask"][0].sum())
        second = first["input_ids"][0][:count][first["token_type_ids"][0][:count] == 1]
        shown = tokenizer.decode(second).lower()
        assert ("case" in shown.split("remark")[0]) == one.titled


def test_the_loss_is_that_of_cosines_of_mean_states(task: RerankTask) -> None:
    import torch

    model: Any = task.model().eval()
    examples = [0, 1]
    batch = task.collate(examples)
    with torch.no_grad():
        found = float(task.loss(model, batch))
        losses = []
        for place in range(2):
            cosines = []
            for row in range(place * 4, place * 4 + 4):
                inputs = {
                    name: batch[name][row : row + 1, : int(batch["attention_mask"][row].sum())]
                    for name in ("input_ids", "attention_mask", "token_type_ids")
                }
                states = model.encoder(**inputs).last_hidden_state[0].double().numpy()
                side = inputs["token_type_ids"][0].numpy()
                left, right = states[side == 0].mean(0), states[side == 1].mean(0)
                cosines.append(left @ right / np.linalg.norm(left) / np.linalg.norm(right))
            powers = np.exp(np.array(cosines) / 0.05)
            losses.append(-np.log(powers / powers.sum()) @ batch["target"][place].numpy())
    assert found == pytest.approx(np.mean(losses), rel=1e-4)


def test_a_trained_one_ranks_with_title_and_body(place: Path, data: dict[str, Path]) -> None:
    from engines.arqmath.ranking.cross_encoder import CrossEncoder
    from engines.arqmath.ranking.reranking import load_texts
    from engines.training import TrainConfig, train

    task = RerankTask({**TINY, "question_tokens": 5}, data, seed=0)
    config = TrainConfig(steps=6, batch_size=4, lr=1e-3, log_every=1, device="cpu", best="validation_mrr")
    before = {name: weight.clone() for name, weight in task.model().named_parameters()}
    found = train(task, config, place / "out")
    assert found.complete
    assert 0 < found.measures["validation_mrr"] <= 1
    changed = {name for name, weight in task.model().named_parameters() if not weight.equal(before[name])}
    assert changed
    assert all(".layer.1." in name for name in changed)  # the upper one of two
    model = CrossEncoder(place / "out" / "model", device="cpu", max_tokens=40, exact=True)
    one = next(one for one in task._lists[0] if one.titled)
    posts = load_texts(data["collection"] / "posts.jsonl", {one.question, *one.answers})
    topics = {topic.id: topic.text for topic in _load_questions(cached_index(place / "index"))}
    answers = posts.get_posts(one.answers)
    read = [model.select_text(answers[answer]) for answer in one.answers]
    for text, answer in zip(read, one.answers, strict=True):
        title, question, body = text.split("\n")
        assert (title, body.removeprefix("\x1e")) == (answers[answer].title, answers[answer].text)
        whole = task.backbone.tokenizer.tokenize(answers[answer].question)
        assert task.backbone.tokenizer.tokenize(question) == whole[:5]
        assert len(whole) > 5
    cosines = task._compute_cosines(task.model().eval(), task._build_batch([one]))[0].detach().numpy()
    scores = model.score([(topics[one.question], text) for text in read])
    assert np.allclose(scores, (1 + cosines) / 2, atol=1e-5)


def test_an_answer_to_a_linked_question_comes_before_others_with_their_titles(data: dict[str, Path]) -> None:
    task = RerankTask({**TINY, "question_tokens": 5}, data, seed=0)
    third = [one for side in task._lists for one in side if one.titled and one.target[0] == 1]
    assert {int(one.question) for one in third} <= {1, 5, 9}
    assert third
    for one in third:
        right, *wrong = map(question_of, one.answers)
        assert right in {1, 5, 9} - {int(one.question)}
        assert not {1, 5, 9} & set(wrong)


def test_the_best_window_shares_most_with_what_is_asked() -> None:
    draw = np.random.default_rng(0)
    for _ in range(200):
        text = draw.integers(0, 9, size=draw.integers(1, 25)).astype(np.int32)
        asked = draw.integers(0, 9, size=4).astype(np.int32)
        room = int(draw.integers(0, 12))
        shares = [
            sum(Fraction(token in asked, text.tolist().count(token)) for token in text[begin : begin + room])
            for begin in range(max(1, len(text) - room + 1))
        ]
        begin = shares.index(max(shares))
        assert best_window(text, asked, room).tolist() == text[begin : begin + room].tolist()


def test_what_stands_before_an_answer_stays_and_of_the_answer_the_best_window_is_read(
    place: Path, data: dict[str, Path]
) -> None:
    from engines.arqmath.ranking.cross_encoder import CrossEncoder
    from engines.training import TrainConfig, train

    task = RerankTask({**TINY, "question_tokens": 5}, data, seed=0)
    train(task, TrainConfig(steps=1, batch_size=2, device="cpu"), place / "windowed")
    reads = CrossEncoder(place / "windowed" / "model", device="cpu", max_tokens=20, exact=True)

    def side(text: str) -> list[str]:
        tokens = reads._tokenize_pairs([("rank of a matrix", text)])
        _, kept = reads._cut_sides(tokens, "rank of a matrix", text, 4, 11)
        return list(task.backbone.tokenizer.convert_ids_to_tokens(kept))

    def words(tokens: list[str]) -> str:
        return str(task.backbone.tokenizer.convert_tokens_to_string(tokens))

    long = "prime " * 30 + "the rank of a matrix is its rank " + "prime " * 30
    before = task.backbone.tokenizer.tokenize("sums of primes")
    shown = side(f"sums of primes\n\x1e{long}")
    assert shown[: len(before)] == before
    assert "matrix" in words(shown)
    assert "matrix" in words(side(long))


@pytest.fixture(scope="module")
def layers_alone(place: Path, data: dict[str, Path]) -> tuple[RerankTask, Path]:
    """A training that saves its layers alone, and the folder of its model."""
    from engines.training import TrainConfig, train

    given = {name: path for name, path in data.items() if name != "backbone"}
    settings = {**TINY, "trained_layers": 3, "layers_alone": True, "measured": 1}
    task = RerankTask(settings, given, seed=0)
    train(task, TrainConfig(steps=1, batch_size=1, lr=1e-4, device="cpu"), place / "alone")
    return task, place / "alone" / "model"


@pytest.mark.slow
def test_trained_layers_are_saved_alone_and_read_onto_minilm(
    layers_alone: tuple[RerankTask, Path], tmp_path: Path
) -> None:
    from engines.arqmath.ranking.cross_encoder import CrossEncoder

    task, saved = layers_alone
    folder = tmp_path / "model"
    shutil.copytree(saved, folder)
    assert sum(file.stat().st_size for file in folder.rglob("*")) <= 12e6
    model = CrossEncoder(folder, device="cpu", max_tokens=40, exact=True)
    layers: Any = task.model().encoder.encoder.layer
    read: Any = model._model.encoder.encoder.layer
    for number, (trained, opened) in enumerate(zip(layers, read, strict=True)):
        for one, other in zip(trained.parameters(), opened.parameters(), strict=True):
            assert (one.half() if number >= 3 else one).float().equal(other)
    config = (folder / "config.json").read_text()
    (folder / "config.json").write_text(config.replace('_sha256": "', '_sha256": "0'))
    with expect_error("E380"):
        CrossEncoder(folder)
    (folder / "config.json").write_text(config)
    weights = (folder / "layers.safetensors").read_bytes()
    (folder / "layers.safetensors").write_bytes(weights[:-100])
    with expect_error("E380"):
        CrossEncoder(folder)


def test_files_for_the_library_are_those_that_ship(tmp_path: Path) -> None:
    from workbench.papers.egen.data import model_path

    write_library_files(tmp_path)
    for file in tmp_path.iterdir():
        assert file.read_bytes() == (model_path("arqmath-reranker") / file.name).read_bytes()


@pytest.mark.slow
def test_sentence_transformers_alone_scores_the_same(layers_alone: tuple[RerankTask, Path]) -> None:
    """In a process that cannot import mathwb: with the model of a training, with the one that ships, and with
    what it saves of them as a whole."""
    from engines.arqmath.ranking.cross_encoder import CrossEncoder
    from workbench.papers.egen.data import model_path

    folders = [layers_alone[1], model_path("arqmath-reranker")]
    pairs = [
        ("What is the integral of $\\sin x$?", "It is $-\\cos x + C$."),
        ("sum of $1/n^2$ " * 30, "A title\n\x1eNo. " + "Basel gives $\\pi^2/6$, a sum. " * 60),
    ]
    code = """
import json, sys
from sentence_transformers import CrossEncoder
pairs = json.loads(sys.argv[1])
scores = []
for number, folder in enumerate(sys.argv[2:]):
    model = CrossEncoder(folder, trust_remote_code=True, device="cpu")
    first = model.predict(pairs).tolist()
    model.save_pretrained(f"whole-{number}")
    again = CrossEncoder(f"whole-{number}", trust_remote_code=True, device="cpu").predict(pairs).tolist()
    scores.append([first, again])
print(json.dumps(scores))
"""
    with TemporaryDirectory() as place:
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, json.dumps(pairs), *map(str, folders)],
            env={**os.environ, "HF_HOME": place, "PYTHONPATH": ""},
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    for folder, (first, again) in zip(folders, json.loads(done.stdout.splitlines()[-1]), strict=True):
        ours = CrossEncoder(folder, device="cpu", exact=True).score(pairs)
        assert np.allclose(first, ours, atol=1e-6)
        assert np.allclose(first, again, atol=1e-6)


@pytest.mark.slow
def test_the_one_that_ships_puts_good_answers_of_the_sample_forum_first(tmp_path: Path) -> None:
    from engines.core.system import asset
    from engines.retrieval.trec import read_qrels
    from workbench.papers.egen.data import model_path

    forum_folder, model = asset("sample/arqmath/sample-forum"), model_path("arqmath-reranker")
    assert sum(file.stat().st_size for file in model.iterdir()) <= 12e6
    topics, qrels = forum_folder / "topics_task1.xml", forum_folder / "qrels_task1.tsv"
    rank(
        Rank(
            forum_folder,
            tmp_path / "run.tsv",
            topics=(topics,),
            qrels=(qrels,),
            model=model,
            candidates="judged",
        )
    )
    assert json.loads((tmp_path / "run.tsv.json").read_text())["found"]["max_tokens"] == 192
    better = []
    for topic, ranking in read_run(tmp_path / "run.tsv").rankings.items():
        grades = read_qrels(qrels).grades[topic]
        for place, (answer, _) in enumerate(ranking):
            better += [
                grades[answer] >= grades[low]
                for low, _ in ranking[place + 1 :]
                if grades[answer] != grades[low]
            ]
    assert len(better) > 100
    assert np.mean(better) > 0.6  # of pairs of other grades; chance is one half


def test_what_cannot_be_trained_on_is_refused(place: Path, data: dict[str, Path]) -> None:
    with expect_error("E676"):
        RerankTask({**TINY, "answers": 9, "last_rank": 10}, data, seed=0)
    with expect_error("E674"):
        RerankTask(TINY, {"collection": data["collection"]}, seed=0)
    with expect_error("E676"):
        RerankTask({**TINY, "layers_alone": True, "trained_layers": 0}, data, seed=0)
    with expect_error("E676"):
        RerankTask({**TINY, "layers_alone": True}, data, seed=0)
    (place / "topics.tsv").write_text("A.1\tQ0\t100\t1\t1.0\tx\n")
    with expect_error("E674"):
        RerankTask(TINY, {**data, "run": place / "topics.tsv"}, seed=0).train_data()
    with expect_error("E672"):
        RerankTask(TINY, {**data, "backbone": backbone(place, "roberta")}, seed=0).model()
    with expect_error("E434"):
        Rank(place / "index", place / "x.tsv", rerank=False)
