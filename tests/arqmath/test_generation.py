"""Task 3: training sequences, the tokenizer's digits, decoding that can be taken up again, the three ways."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engines.arqmath.generation.answer_writers import (
    AnswerDraft,
    Decoding,
    choose_shortest,
    extract_answers,
    generate_answers,
)
from engines.arqmath.generation.training import (
    GeneratorTask,
    ProblemSequences,
    ProblemTexts,
    make_prompt,
    split_digits,
    train_tokenizer,
)
from engines.arqmath.training.model_folder import open_tokenizer
from engines.forum.topics import read_topics
from engines.retrieval.trec import Answer, read_answers, write_answers
from tests.conftest import expect_error

POSTS = [
    {
        "id": "1",
        "type": 1,
        "title": "A square",
        "body": "<p>What is (a+b)^2 for 12?</p>",
        "tags": ["algebra"],
    },
    {"id": "2", "type": 2, "body": "<p>Expand it: a^2+2ab+b^2.</p>", "parent_id": "1"},
    {"id": "3", "type": 2, "body": "<p>Multiply twice.</p>", "parent_id": "1"},
    {"id": "4", "type": 1, "title": "A sum", "body": "<p>Compute 12+34.</p>", "tags": ["arithmetic"]},
    {"id": "5", "type": 2, "body": "<p>46</p>", "parent_id": "4"},
    {"id": "6", "type": 1, "title": "Nobody answers", "body": "<p>Why?</p>", "tags": ["soft"]},
]
TOPICS = (
    '<Topics><Topic number="A.1"><Title>One</Title><Question>What is 12?</Question><Tags>a</Tags></Topic>'
    '<Topic number="A.2"><Title>Two</Title><Question>And 34?</Question><Tags>a</Tags></Topic></Topics>'
)
TINY = {"max_length": 96, "width": 32, "layers": 2, "heads": 2, "vocabulary": 300}


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "forum"
    folder.mkdir()
    (folder / "posts.jsonl").write_text("\n".join(map(json.dumps, POSTS)), encoding="utf-8")
    return folder


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    path = tmp_path / "topics_task3.xml"
    path.write_text(TOPICS, encoding="utf-8")
    return path


@pytest.fixture
def task(collection: Path) -> GeneratorTask:
    return GeneratorTask(TINY, {"collection": collection}, seed=0)


@pytest.fixture
def model(task: GeneratorTask, tmp_path: Path) -> Path:
    import torch

    torch.manual_seed(0)
    folder = tmp_path / "gpt"
    written: Any = task.model()
    written.save_pretrained(folder)
    task.tokenizer.save_pretrained(folder)
    return folder


def test_each_answered_question_comes_with_one_of_its_answers(task: GeneratorTask) -> None:
    tokenizer, problems = task.tokenizer, task.problems
    texts = []
    for pair in range(len(problems)):
        ids, begin = problems.build_sequence(pair)
        texts.append((tokenizer.decode(ids[:begin]), tokenizer.decode(ids[begin:])))
    end = tokenizer.eos_token
    assert texts[0][0] == make_prompt("A square What is (a+b)^2 for 12?")
    assert texts[0][1] in (f"Expand it: a^2+2ab+b^2.{end}", f"Multiply twice.{end}")
    assert texts[1] == (make_prompt("A sum Compute 12+34."), f"46{end}")
    assert len(texts) == 2


def test_the_loss_is_on_the_solution_alone(task: GeneratorTask) -> None:
    batch = task.collate([task.problems.build_sequence(0), task.problems.build_sequence(1)])
    for row, pair in enumerate((0, 1)):
        ids, begin = task.problems.build_sequence(pair)
        assert batch["labels"][row, :begin].tolist() == [-100] * begin
        assert batch["labels"][row, begin : len(ids)].tolist() == ids[begin:]
        assert batch["mask"][row].sum() == len(ids)


def test_a_pair_that_is_too_long_keeps_both_sides() -> None:
    import numpy as np

    tokenizer = train_tokenizer(["some words to learn from"], 300)
    texts = [(0, "why " * 200), (1, "because " * 3)]
    found = ProblemSequences(tokenizer, [ProblemTexts(texts, 2, np.array([[0, 1]]))], max_length=96)
    ids, begin = found.build_sequence(0)
    assert len(ids) == 96
    assert tokenizer.decode(ids[begin:]) == "because " * 3 + tokenizer.eos_token
    assert found.cut == 1.0


def test_digits_are_tokens_of_their_own_in_any_gpt_tokenizer() -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import BPE
    from tokenizers.pre_tokenizers import ByteLevel
    from tokenizers.trainers import BpeTrainer
    from transformers import PreTrainedTokenizerFast

    backend = Tokenizer(BPE())
    backend.pre_tokenizer = ByteLevel(add_prefix_space=False)
    trainer = BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(["the year 1234 and the year 1234"] * 9, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=backend, eos_token="<|endoftext|>")
    assert "1234" in "".join(tokenizer.tokenize("year 1234")[-1:]).replace("Ġ", "")
    before = tokenizer.get_vocab()
    apart = split_digits(tokenizer)
    assert [token for token in apart.tokenize("year 1234") if any(c.isdigit() for c in token)] == list("1234")
    assert apart.get_vocab() == before
    assert split_digits(apart).tokenize("12") == ["1", "2"]


def test_answers_are_the_same_after_an_interruption(model: Path, topics: Path, tmp_path: Path) -> None:
    found = read_topics(topics)
    how = Decoding(beams=1, sample=True, new_tokens=12, seed=3)
    whole = generate_answers(
        found, model, how, AnswerDraft.for_run(tmp_path / "a.tsv", topics, model, asdict(how)), tag="t"
    )
    broken = AnswerDraft.for_run(tmp_path / "b.tsv", topics, model, asdict(how))
    assert len(generate_answers(found, model, how, broken, tag="t", stop=lambda: bool(broken.answers))) == 1
    with open(broken.path, "a", encoding="utf-8") as file:
        file.write('{"topic": "A.2", "te')  # killed while it wrote
    again = AnswerDraft.for_run(tmp_path / "b.tsv", topics, model, asdict(how))
    assert set(again.answers) == {"A.1"}
    assert generate_answers(found, model, how, again, tag="t") == whole


def test_a_draft_of_other_settings_is_begun_anew(model: Path, topics: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.tsv"
    AnswerDraft.for_run(out, topics, model, asdict(Decoding(beams=2))).add_answer(
        Answer("A.1", "text", 1.0, "", "")
    )
    assert AnswerDraft.for_run(out, topics, model, asdict(Decoding(beams=2))).answers["A.1"].text == "text"
    assert AnswerDraft.for_run(out, topics, model, asdict(Decoding(beams=3))).answers == {}


def test_an_answer_with_hint_begins_with_it(model: Path, topics: Path, tmp_path: Path) -> None:
    how = Decoding(beams=2, hint=True, new_tokens=8, length_penalty=2.0)
    answers = generate_answers(
        read_topics(topics),
        model,
        how,
        AnswerDraft.for_run(tmp_path / "r", topics, model, asdict(how)),
        tag="t",
    )
    assert all(answer.text.startswith("HINT") for answer in answers)


def test_a_question_of_any_length_leaves_room_for_the_answer(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.xml"
    path.write_text(TOPICS.replace("What is 12?", "why " * 5000), encoding="utf-8")
    how = Decoding(beams=1, new_tokens=8)
    assert (
        len(
            generate_answers(
                read_topics(path),
                model,
                how,
                AnswerDraft.for_run(tmp_path / "r", path, model, asdict(how)),
                tag="t",
            )
        )
        == 2
    )


@pytest.mark.parametrize(
    "missing",
    ["tokenizer.json", "config.json", "model.safetensors"],
)
def test_a_folder_that_is_no_model_says_why(model: Path, topics: Path, tmp_path: Path, missing: str) -> None:
    draft = AnswerDraft.for_run(tmp_path / "r", topics, model, asdict(Decoding()))
    (model / missing).unlink()
    with expect_error("E650"):
        generate_answers(read_topics(topics), model, Decoding(new_tokens=8), draft, tag="t")


def test_more_new_tokens_than_the_model_has_are_refused(model: Path, topics: Path, tmp_path: Path) -> None:
    how = Decoding(new_tokens=90)
    with expect_error("E653"):
        generate_answers(
            read_topics(topics),
            model,
            how,
            AnswerDraft.for_run(tmp_path / "r", topics, model, asdict(how)),
            tag="t",
        )


def test_accumulated_batches_count_by_their_tokens(task: GeneratorTask) -> None:
    import torch

    from tests.training.steps import alike, gradients, rows

    batch = task.collate([task.problems.build_sequence(pair) for pair in range(len(task.problems))])
    torch.manual_seed(0)
    model = task.model()
    parts = [rows(batch, 0, 1), rows(batch, 1, 2)]
    assert len({task.counts(part) for part in parts}) == 2
    alike(gradients(task, model, parts), gradients(task, model, [batch]))


def test_the_shortest_of_several_runs() -> None:
    one = [Answer("A.1", "long enough", 1.0, "one", ""), Answer("A.2", "b", 1.0, "one", "")]
    two = [Answer("A.1", "short", 1.0, "two", ""), Answer("A.2", " ", 1.0, "two", "")]
    found = choose_shortest([one, two], "mine")
    assert [(a.topic, a.text, a.tag, a.sources) for a in found] == [
        ("A.1", "short", "mine", "two"),
        ("A.2", "b", "mine", "one"),
    ]


def test_the_best_passage_of_the_best_answers_is_taken_and_kept(topics: Path, tmp_path: Path) -> None:
    texts = {"7": "Nothing to see. " * 90 + "The 12 is a dozen.", "8": "Unrelated."}
    asked: list[str] = []

    def score(text: str, passages: Sequence[str]) -> list[float]:
        asked.append(text)
        return [float("dozen" in passage) for passage in passages]

    def run(draft: AnswerDraft, **more: Any) -> list[Answer]:
        return extract_answers(
            read_topics(topics),
            lambda text, depth: ["7", "8", "gone"][:depth] if "34" not in text else [],
            lambda posts: {post: texts[post] for post in posts if post in texts},
            score,
            draft,
            tag="t",
            **more,
        )

    found = run(AnswerDraft(tmp_path / "draft", {}))
    assert run(AnswerDraft(tmp_path / "draft", {})) == found
    assert run(AnswerDraft(tmp_path / "draft", {"other": 1}), stop=lambda: True) == []
    assert len(asked) == 1
    assert [answer.sources for answer in found] == ["7"]
    assert all("dozen" in answer.text and len(answer.text) <= 1200 for answer in found)


def test_a_written_run_reads_back(tmp_path: Path) -> None:
    answers = [Answer("A.1", "two\nlines\tand a tab", 1.0, "me", "12"), Answer("A.2", "$x$", 0.5, "me", "")]
    write_answers(answers, tmp_path / "run.tsv")
    found, warnings = read_answers(tmp_path / "run.tsv")
    assert [a.text for a in found] == ["two lines and a tab", "$x$"]
    assert warnings == ()


def test_the_command_writes_a_run(model: Path, topics: Path, tmp_path: Path) -> None:
    from workbench.cli.command import app

    out = tmp_path / "mine.tsv"
    call = ["arqmath", "generate", str(topics), "--out", str(out), "--json"]
    done = CliRunner().invoke(app, [*call, "--model", str(model), "--beams", "1", "--new-tokens", "6"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["answers"] == 2
    assert {answer.tag for answer in read_answers(out)[0]} == {"mine"}
    assert not out.with_name("mine.tsv.draft").exists()
    assert CliRunner().invoke(app, call).exit_code == 2
    write_answers([Answer("A.1", "It is 144.", 1.0, "one", ""), Answer("A.2", "So.", 1.0, "one", "")], out)
    copy = ["arqmath", "generate", str(topics), "--out", str(tmp_path / "s.tsv"), "--shortest", str(out)]
    assert CliRunner().invoke(app, copy).exit_code == 0
    assert [a.text for a in read_answers(tmp_path / "s.tsv")[0]] == [a.text for a in read_answers(out)[0]]


def test_a_tokenizer_is_needed(tmp_path: Path) -> None:
    with expect_error("E650"):
        open_tokenizer(tmp_path, "E650")
