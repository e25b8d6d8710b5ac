"""The cross-encoder, rankings that go on where they were, and the two stages."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from engines.arqmath.ranking.cross_encoder import CrossEncoder
from engines.arqmath.ranking.rank import combine_stages, compute_recall, judged_candidates, tune_interpolation
from engines.arqmath.ranking.reranking import ScoredRanking, journal_path, load_texts, score_candidates
from engines.arqmath.ranking.scorers import StoredText
from engines.core.errors import DataError, EngineError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.forum.topics import Topic, read_topics
from engines.retrieval.trec import Qrels, TrecRun, read_qrels, read_run
from tests.arqmath import tiny_models
from workbench.cli.command import app

PAIRS = [
    (question, answer)
    for question in ("what is the sum", "prove that the limit of the series converges " * 6, "x")
    for answer in ("zero", "the integral of \\frac{a}{b} is even " * 7, "group and ring " * 3, "")
]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.bert(tmp_path_factory.mktemp("models") / "bert")


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.posts(tmp_path_factory.mktemp("collection"))


def naive(folder: Path, pairs: Sequence[tuple[str, str]], tokens: int) -> tuple[list[float], int]:
    """Log-odds of the last label one pair at a time as Hugging Face has them, and how many pairs were too
    long."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    found, cut = [], 0
    with torch.no_grad():
        for question, answer in pairs:
            cut += len(tokenizer([question], [answer], verbose=False)["input_ids"][0]) > tokens
            inputs = tokenizer(
                [question], [answer], truncation="longest_first", max_length=tokens, return_tensors="pt"
            )
            logits = model(**inputs).logits[0].tolist()
            found.append(logits[-1] - (logits[0] if len(logits) == 2 else 0))
    return found, cut


@pytest.mark.parametrize("family", ["bert", "roberta"])
@pytest.mark.parametrize("tokens", [64, 29])
@pytest.mark.parametrize("labels", [1, 2])
def test_scores_are_those_of_hugging_face_pair_by_pair(
    family: str, tokens: int, labels: int, tmp_path: Path
) -> None:
    folder = getattr(tiny_models, family)(tmp_path / family, labels=labels)
    encoder = CrossEncoder(folder, device="cpu", max_tokens=tokens, exact=True)
    expected, cut = naive(folder, PAIRS, tokens)
    assert np.allclose(encoder.score(PAIRS), expected, atol=1e-5)
    assert np.ptp(expected) > 0.01
    assert encoder.truncated == cut
    assert 0 < cut < len(PAIRS)
    assert np.allclose(CrossEncoder(folder, device="cpu", max_tokens=tokens).score(PAIRS), expected, atol=0.3)


@pytest.mark.parametrize("kind", ["plain", "logits", "prompt"])
def test_one_label_scores_are_the_librarys(kind: str, tmp_path: Path) -> None:
    """Models such as ms-marco and bge-reranker; the library's score is the sigmoid of ours, or ours."""
    import torch
    from sentence_transformers import CrossEncoder as Library

    plain = tiny_models.bert(tmp_path / "plain", labels=1)
    how = {
        "plain": {},
        "logits": {"activation_fn": torch.nn.Identity()},
        "prompt": {"prompts": {"ask": "prove that "}, "default_prompt_name": "ask"},
    }
    folder = plain if kind == "plain" else tmp_path / kind
    if folder != plain:
        Library(str(plain), device="cpu", **how[kind]).save_pretrained(str(folder))
    theirs = Library(str(folder), device="cpu").predict(PAIRS)
    ours = CrossEncoder(folder, device="cpu", exact=True)
    scores = ours.score(PAIRS)
    shown = scores if kind == "logits" else [ours.probability(one) for one in scores]
    assert np.allclose(shown, theirs, atol=1e-6)
    assert np.ptp(theirs) > 0.01
    without = CrossEncoder(plain, device="cpu", exact=True).score(PAIRS)
    assert np.allclose(without, scores, atol=1e-5) == (kind != "prompt")


def test_the_order_of_sure_answers_is_kept(bert: Path, tmp_path: Path) -> None:
    """All probabilities are 1 in single precision, and many in double precision too."""
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(bert, tmp_path / "sure")
    weights = load_file(folder / "model.safetensors")
    bias = weights["classifier.bias"]
    weights["classifier.bias"] = bias + bias.new_tensor([-20.0, 20.0])
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    before, model = (CrossEncoder(one, device="cpu", exact=True) for one in (bert, folder))
    pairs = [("what is the sum", f"the integral of {word}") for word in tiny_models.WORDS.split()]
    wanted, scores = before.score(pairs), model.score(pairs)
    assert {float(np.float32(model.probability(score))) for score in scores} == {1.0}
    assert np.allclose(scores - 40, wanted, atol=1e-4)
    names = [f"{row:03}" for row in range(len(pairs))]
    run = TrecRun.from_scores("x", {"A.1": zip(names, scores, strict=True)})
    order = np.lexsort((names, scores))[::-1]
    assert [name for name, _ in run.rankings["A.1"]] == [names[row] for row in order]


def test_computed_scores_are_ordered_in_double_precision() -> None:
    close = {"a": 1.0 + 3e-12, "b": 1.0 + 1e-12, "c": 1.0 + 2e-12, "d": 1.0 + 2e-12}
    run = TrecRun.from_scores("x", {"1": close.items()})
    assert [name for name, _ in run.rankings["1"]] == ["a", "d", "c", "b"]


def test_sixteen_bits_leave_scores_apart(bert: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of the head's own 16 bits a hundred answers would have a few scores."""
    import torch

    monkeypatch.setattr("engines.arqmath.ranking.cross_encoder.half_precision", lambda _: torch.bfloat16)
    words = tiny_models.WORDS.split()
    pairs = [("prove", f"{one} {other}") for one in words[:10] for other in words[10:20]]
    for folder in (bert, tiny_models.roberta(tmp_path / "roberta", labels=1)):
        model = CrossEncoder(folder, device="cpu")
        assert model.half is torch.bfloat16
        near, exact = model.score(pairs), CrossEncoder(folder, device="cpu", exact=True).score(pairs)
        assert len(set(near.tolist())) >= 95
        assert np.corrcoef(near, exact)[0, 1] > 0.9


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_scores_that_are_no_numbers_are_refused(bert: Path, tmp_path: Path, number: float) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(bert, tmp_path / "diverged")
    weights = load_file(folder / "model.safetensors")
    weights["classifier.bias"][1] = number
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(DataError) as caught:
        CrossEncoder(folder, device="cpu", exact=True).score(PAIRS)
    assert caught.value.code == "E346"


def test_the_length_is_what_the_model_was_trained_with_and_at_most_what_it_reads(
    bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def length(recorded: int | None, **given: int) -> int:
        folder = shutil.copytree(bert, tmp_path / "model", dirs_exist_ok=True)
        saved = json.loads((folder / "tokenizer_config.json").read_text())
        saved.pop("model_max_length")
        said = {} if recorded is None else {"model_max_length": recorded}
        (folder / "tokenizer_config.json").write_text(json.dumps({**saved, **said}))
        return CrossEncoder(folder, device="cpu", **given).max_tokens

    assert length(40) == 40
    assert length(40, max_tokens=50) == 50
    assert length(40, max_tokens=90) == 64
    assert length(90) == 64
    assert length(None) == 64
    monkeypatch.setattr("engines.arqmath.ranking.cross_encoder.count_positions", lambda _: 4_096)
    assert length(600) == 600
    assert length(None) == 512


def test_a_stop_leaves_the_rest_unscored(bert: Path) -> None:
    assert np.isnan(CrossEncoder(bert, device="cpu").score(PAIRS, stop=lambda: True)).all()
    assert CrossEncoder(bert, device="cpu").score([]).shape == (0,)


def test_models_that_cannot_score_are_refused(bert: Path, tmp_path: Path) -> None:
    bare = shutil.copytree(bert, tmp_path / "no-tokenizer")
    for name in ("vocab.txt", "tokenizer.json"):
        (bare / name).unlink(missing_ok=True)
    damaged = shutil.copytree(bert, tmp_path / "damaged")
    (damaged / "model.safetensors").write_bytes(b"nothing")
    larger = shutil.copytree(bert, tmp_path / "larger")
    words = json.loads((larger / "tokenizer.json").read_text())
    words["model"]["vocab"]["surplus"] = len(words["model"]["vocab"])
    (larger / "tokenizer.json").write_text(json.dumps(words))
    for folder, code in (
        (bare, "E380"),
        (damaged, "E380"),
        (tmp_path, "E380"),
        (larger, "E382"),
        (tiny_models.bert(tmp_path / "encoder", head=False), "E381"),
        (tiny_models.bert(tmp_path / "three", labels=3), "E381"),
    ):
        with pytest.raises(EngineError) as caught:
            CrossEncoder(folder, device="cpu")
        assert caught.value.code == code
        assert folder.name in caught.value.where
        assert caught.value.remedy or code == "E380"


def test_the_fingerprint_follows_weights_and_length(bert: Path, tmp_path: Path) -> None:
    other = tiny_models.bert(tmp_path / "bert", seed=1)
    prints = {
        CrossEncoder(folder, device="cpu", max_tokens=tokens).fingerprint
        for folder, tokens in ((bert, 64), (bert, 32), (other, 64))
    }
    assert len(prints) == 3


# --- rankings, with a scorer that counts ---


@dataclass
class Counting:
    """Scores an answer by its length; remembers how many pairs it was given."""

    name: str = "counting"
    fingerprint: str = "1"
    truncated: int = 0
    asked: int = 0
    score_of: float | None = None

    def select_text(self, answer: StoredText) -> str:
        return answer.text

    def score(
        self, pairs: Sequence[tuple[str, str]], *, events: Sink = ignore, stop: Stop = never
    ) -> np.ndarray:
        if stop():
            return np.full(len(pairs), np.nan)
        self.asked += len(pairs)
        self.truncated += sum(len(answer) > 100 for _, answer in pairs)
        events(Event("progress", {"done": len(pairs), "total": len(pairs), "unit": "pairs"}))
        return np.array([self.score_of if self.score_of is not None else len(a) / 1e6 for _, a in pairs])


@dataclass(frozen=True)
class Text:
    text: str
    title: str = ""
    question: str = ""


class Store:
    def get_posts(self, ids: Sequence[str]) -> Mapping[str, Text]:
        return {name: Text("x" * int(name)) for name in ids if name != "0"}


def topic(name: str) -> Topic:
    from engines.forum.post_text import CleanText

    return Topic(name, CleanText(f"title {name}", ()), CleanText("body", ()), ())


TOPICS = [topic(f"A.{n}") for n in range(1, 6)]
CANDIDATES = {item.id: [str(n) for n in range(120)] for item in TOPICS}


def ranked(out: Path, scorer: Counting, stop: Stop = never, **more: int) -> ScoredRanking:
    return score_candidates(TOPICS, CANDIDATES, Store(), scorer, out, stop=stop, **more)


def test_a_ranking_is_sorted_cut_and_written(tmp_path: Path) -> None:
    heard: list[Event] = []
    out = tmp_path / "run.tsv"
    found = score_candidates(TOPICS, CANDIDATES, Store(), Counting(), out, depth=7, events=heard.append)
    assert (found.complete, found.topics, found.pairs, found.missing) == (True, 5, 5 * 119, 5)
    assert found.truncated == 5 * 19
    assert [name for name, _ in found.run.rankings["A.3"]] == [
        "119",
        "118",
        "117",
        "116",
        "115",
        "114",
        "113",
    ]
    assert read_run(out).rankings == found.run.rankings
    assert not journal_path(out).exists()
    *progress, missing = heard
    assert progress[-1].data["topic"] == "A.5"
    assert all(event.data["unit"] == "pairs" for event in progress)
    assert missing.data["message"].startswith("5 candidates are not in the collection")


def test_equal_scores_are_written_strictly_decreasing(tmp_path: Path) -> None:
    ranked(tmp_path / "run", Counting(score_of=1.0))
    scores = [float(line.split()[4]) for line in (tmp_path / "run").read_text().splitlines()]
    for begin in range(0, len(scores), 119):
        part = scores[begin : begin + 119]
        assert all(a > b for a, b in pairwise(part))


def test_a_stopped_ranking_goes_on_and_gives_the_same_run(tmp_path: Path) -> None:
    whole, out = tmp_path / "whole", tmp_path / "run"
    ranked(whole, Counting())
    first = Counting()
    found = ranked(out, first, stop=lambda: first.asked > 250)
    assert not found.complete
    assert not out.exists()
    assert len(found.run.rankings) == 3
    again = Counting()
    found = ranked(out, again)
    assert found.resumed == 3
    assert again.asked == 2 * 119
    assert found.pairs == 5 * 119
    assert out.read_bytes() == whole.read_bytes()


def test_a_torn_last_line_costs_one_topic(tmp_path: Path) -> None:
    out, scorer = tmp_path / "run", Counting()
    ranked(out, scorer, stop=lambda: scorer.asked > 250)
    journal = journal_path(out)
    journal.write_bytes(journal.read_bytes()[:-40])
    assert ranked(out, Counting()).resumed == 2


def test_a_killed_ranking_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from tests.arqmath import test_ranking as t\n"
        "class Slow(t.Counting):\n"
        "    def score(self, pairs, **more):\n"
        "        time.sleep(300 * (self.asked > 250))\n"
        "        return super().score(pairs, **more)\n"
        "t.ranked(Path(sys.argv[1]), Slow())\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(out)], env={**os.environ, "PYTHONPATH": "."})
    until = time.monotonic() + 120
    while not (journal_path(out).exists() and journal_path(out).read_text().count("\n") == 4):
        assert time.monotonic() < until
        time.sleep(0.02)
    child.send_signal(signal.SIGKILL)
    child.wait()
    assert ranked(out, Counting()).resumed == 3
    ranked(tmp_path / "whole", Counting())
    assert out.read_bytes() == (tmp_path / "whole").read_bytes()


def test_a_journal_of_another_model_is_refused(tmp_path: Path) -> None:
    out, scorer = tmp_path / "run", Counting()
    ranked(out, scorer, stop=lambda: scorer.asked > 0)
    with pytest.raises(EngineError) as caught:
        ranked(out, Counting(fingerprint="2"))
    assert caught.value.code == "E345"


def test_topics_with_other_candidates_are_scored_anew(tmp_path: Path) -> None:
    out, scorer = tmp_path / "run", Counting()
    ranked(out, scorer, stop=lambda: scorer.asked > 250)
    changed = {**CANDIDATES, "A.2": ["5", "6"]}
    assert score_candidates(TOPICS, changed, Store(), Counting(), out).resumed == 2


def test_rankings_without_sense_are_refused(tmp_path: Path) -> None:
    for candidates, scorer, code in (
        ({"B.1": ["1"]}, Counting(), "E343"),
        ({"A.1": ["0"]}, Counting(), "E343"),
        ({"A.1": ["1"]}, Counting(score_of=float("nan")), "E346"),
    ):
        with pytest.raises(EngineError) as caught:
            score_candidates(TOPICS, candidates, Store(), scorer, tmp_path / "run")
        assert caught.value.code == code


def test_judged_answers_of_a_collection(bert: Path, collection: Path, tmp_path: Path) -> None:
    topics, qrels = read_topics(collection / "topics_task1.xml"), read_qrels(collection / "qrels_task1.tsv")
    candidates = judged_candidates(topics, qrels)
    assert set(candidates) == {"A.1", "A.2"}
    texts = load_texts(collection / "posts.jsonl", {name for ids in candidates.values() for name in ids})
    found = score_candidates(topics, candidates, texts, CrossEncoder(bert, exact=True), tmp_path / "run")
    assert found.missing == 1
    expected, _ = naive(
        bert,
        [
            (topics[0].text, texts.get_posts(["101"])["101"].text),
            (topics[0].text, texts.get_posts(["103"])["103"].text),
        ],
        64,
    )
    scores = dict(found.run.rankings["A.1"])
    assert [scores["101"], scores["103"]] == pytest.approx(expected, abs=1e-5)
    with pytest.raises(EngineError) as caught:
        judged_candidates(topics, Qrels({"A.301": {"1": 1}}))
    assert caught.value.code == "E344"


# --- two stages ---


def first_of(topics: int, depth: int) -> TrecRun:
    found = [(str(n), 10.0 - n) for n in range(depth)]
    return TrecRun.from_scores("lexical", {f"A.{n}": found for n in range(1, topics + 1)})


def test_recall_counts_what_the_first_stage_found() -> None:
    run = first_of(3, 5)
    grades = {"A.1": {"0": 3, "4": 2, "8": 2, "1": 1}, "A.2": {"3": 2}, "A.3": {"1": 1}, "A.9": {"1": 3}}
    found = compute_recall(run, Qrels(grades), depths=(1, 4, 5, 10))
    assert found == pytest.approx({1: 1 / 6, 4: (1 / 3 + 1) / 2, 5: (2 / 3 + 1) / 2, 10: (2 / 3 + 1) / 2})


def test_the_second_stage_orders_the_top_and_keeps_the_rest() -> None:
    first = first_of(1, 6)
    scored = TrecRun.from_scores("model", {"A.1": [("0", 0.1), ("1", 0.2), ("2", 0.9)]})
    alone = combine_stages(first, scored)
    assert [name for name, _ in alone.rankings["A.1"]] == ["2", "1", "0", "3", "4", "5"]
    assert alone.tag == "model"
    half = combine_stages(first, scored, weight=0.3)
    assert [name for name, _ in half.rankings["A.1"]] == ["0", "1", "2", "3", "4", "5"]
    scores = [score for _, score in half.rankings["A.1"]]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 6


def test_the_weight_is_tuned_on_the_given_topics_only() -> None:
    first = first_of(2, 3)
    scores = [("0", 0.1), ("1", 0.2), ("2", 0.9)]
    scored = TrecRun.from_scores("model", {"A.1": scores, "A.2": scores})
    qrels = Qrels({"A.1": {"2": 3, "0": 0, "1": 0}, "A.2": {"0": 3, "1": 0, "2": 0}})
    model, _ = tune_interpolation(first, scored, qrels, topics=["A.1"])
    lexical, tried = tune_interpolation(first, scored, qrels, topics=["A.2"])
    assert model == 1.0
    assert lexical < 0.5
    assert len(tried) == 11


# --- the task and its command ---


@pytest.fixture(scope="module")
def index(collection: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from engines.arqmath.collection.index_build import build_index
    from engines.forum.folder import ArqmathFolder

    out = tmp_path_factory.mktemp("index") / "index"
    build_index(ArqmathFolder.open(collection), out)
    return out


def task(
    source: Path, collection: Path, out: Path, *, sink: Sink = ignore, **more: object
) -> dict[str, object]:
    from workbench.operations import find_operation

    params = {
        "source": str(source),
        "topics": [str(collection / "topics_task1.xml")],
        "run": str(out),
        **more,
    }
    return find_operation("arqmath.rank").run(params, events=sink, stop=never)


def test_the_task_ranks_judged_answers(bert: Path, collection: Path, index: Path, tmp_path: Path) -> None:
    heard: list[Event] = []
    qrels = [str(collection / "qrels_task1.tsv")]
    more = {"model": str(bert), "candidates": "judged", "qrels": qrels, "max_tokens": 32}
    found = task(collection, collection, tmp_path / "run", sink=heard.append, **more)
    assert (found["complete"], found["topics"], found["missing"], found["model"]) == (True, 2, 1, "bert")
    assert found["documents"] == len(read_run(tmp_path / "run"))
    assert 0 < found["truncated_share"] < 1
    assert "not in the collection" in next(e.data["message"] for e in heard if e.kind == "warning")
    task(index, collection, tmp_path / "by-index", **more)
    assert (tmp_path / "by-index").read_bytes() == (tmp_path / "run").read_bytes()


def test_the_task_ranks_in_two_stages(bert: Path, collection: Path, index: Path, tmp_path: Path) -> None:
    first = task(index, collection, tmp_path / "first", rerank=False, tag="bm25")
    lexical = read_run(tmp_path / "first")
    assert lexical.tag == "bm25"
    assert first["documents"] == len(lexical)
    short = task(index, collection, tmp_path / "short", rerank=False, depth=2)
    assert (short["documents"], read_run(tmp_path / "short").rankings) == (6, lexical.limit_depth(2).rankings)
    topics = str(collection / "topics_task1.xml")
    more = {"model": str(bert), "depth": 4, "qrels": [str(collection / "qrels_task1.tsv")], "device": "cpu"}
    found = task(index, collection, tmp_path / "second", **more)
    both = read_run(tmp_path / "second")
    assert (found["pairs"], found["weight"], found["first"]) == (12, 1.0, "lexical")
    assert set(found["recall"]) == {"10", "50", "100", "1000"}
    for name, ranking in lexical.rankings.items():
        before, after = [d for d, _ in ranking], [d for d, _ in both.rankings[name]]
        assert set(before[:4]) == set(after[:4])
        assert before[4:] == after[4:]
    tuned = task(index, collection, tmp_path / "tuned", tune_topics=[topics], **more)
    assert 0 <= tuned["weight"] <= 1
    everything = task(index, collection, tmp_path / "all", candidates="all", model=str(bert), device="cpu")
    assert everything["pairs"] == 3 * 12


def test_topics_that_find_nothing_or_ask_for_formulas_are_named(
    collection: Path, index: Path, tmp_path: Path
) -> None:
    topics = tmp_path / "topics.jsonl"
    rows = [{"id": "A.1", "text": "sum"}, {"id": "A.2", "text": "zzzqq"}, {"id": "A.3", "text": "qqzzz"}]
    topics.write_text("\n".join(json.dumps({**row, "latex": "x" * (row["id"] == "A.3")}) for row in rows))
    heard: list[Event] = []
    more = {"rerank": False, "first": "lexical", "topics": [str(topics)]}
    task(index, collection, tmp_path / "run", sink=heard.append, **more)
    assert [event.data["message"] for event in heard if event.kind == "warning"] == [
        "1 topics ask for formulas (Task 2), such as A.3; this searches answers",
        "2 topics found nothing and are not in the run: A.2, A.3",
    ]


def test_candidates_may_be_the_answers_of_shared_tags(bert: Path, tmp_path: Path) -> None:
    from engines.arqmath import IndexCollection, index
    from tests.arqmath.small_forum import SUBJECTS, forum

    asked = {"A.1": "sums", "A.2": "groups,proof", "A.3": "topology", "A.4": ""}
    rows = (
        f'<Topic number="{name}"><Title>Sum</Title><Question>Why</Question><Tags>{tags}</Tags></Topic>'
        for name, tags in asked.items()
    )
    topics = tmp_path / "topics.xml"
    topics.write_text(f"<Topics>{''.join(rows)}</Topics>")
    index(IndexCollection(forum(tmp_path / "forum"), tmp_path / "index"))
    heard: list[Event] = []
    more = {"candidates": "tagged", "model": str(bert), "device": "cpu", "topics": [str(topics)]}
    task(tmp_path / "index", tmp_path, tmp_path / "run", sink=heard.append, **more)
    found = {name: {answer for answer, _ in own} for name, own in read_run(tmp_path / "run").rankings.items()}
    tags = {n: {SUBJECTS[n // 4 % 4][2], *(["proof"] if n % 3 == 0 else [])} for n in range(1, 25)}
    wanted = {
        name: {str(100 * n + turn) for n in tags for turn in range(n % 4) if tags[n] & set(own.split(","))}
        for name, own in asked.items()
    }
    assert found == {name: answers for name, answers in wanted.items() if answers}
    assert len(found) == 2
    told = [event.data["message"] for event in heard if event.kind == "warning"]
    assert told == ["2 topics share no tag with any question and are left out, as A.3"]


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({}, "E434"),
        ({"model": "x", "candidates": "both"}, "E424"),
        ({"rerank": False, "candidates": "all"}, "E434"),
        ({"model": "x", "candidates": "tagged", "weight": 0.5}, "E434"),
        ({"model": "x", "candidates": "judged"}, "E434"),
        ({"rerank": False, "first": "dense"}, "E670"),
        ({"rerank": False, "first": "random"}, "E435"),
    ],
)
def test_what_makes_no_sense_is_refused(
    more: dict[str, object], code: str, collection: Path, index: Path, tmp_path: Path
) -> None:
    with pytest.raises(EngineError) as caught:
        task(index, collection, tmp_path / "run", **more)
    assert caught.value.code == code
    assert caught.value.remedy or "not one of" in caught.value.what


def test_the_command_needs_an_index_for_two_stages(collection: Path, tmp_path: Path) -> None:
    words = ["arqmath", "rank", str(collection), "--topics", str(collection / "topics_task1.xml")]
    result = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "run"), "--no-rerank"])
    assert result.exit_code == 2
    assert "mathwb arqmath index" in result.stderr


def test_a_posts_file_that_is_cut_off_behind_the_wanted_posts_is_noticed(tmp_path: Path) -> None:
    rows = [
        json.dumps({"id": str(number), "type": 2, "parent_id": 1, "body": str(number) * 99})
        for number in range(5000)
    ]
    whole = gzip.compress("\n".join(rows).encode())
    posts = tmp_path / "posts.jsonl.gz"
    posts.write_bytes(whole)
    loaded = load_texts(posts, {"3"}).get_posts(["3"])
    assert list(loaded) == ["3"]
    posts.write_bytes(whole[:-900])
    with pytest.raises(DataError) as caught:
        load_texts(posts, {"3"})
    assert caught.value.code == "E316"
