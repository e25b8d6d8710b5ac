"""The sample forum is what its formats say, and its judgements and runs fit its posts."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from engines.arqmath.collection.index import open_index
from engines.arqmath.collection.index_build import build_index
from engines.core.events import ignore, never
from engines.core.rows import read_lines
from engines.core.system import asset
from engines.forum.folder import ArqmathFolder
from engines.forum.readers import Post, Report, read_posts
from engines.forum.topics import Topic, read_topics
from engines.retrieval.measures import evaluate, evaluate_answers
from engines.retrieval.trec import Qrels, check_topics, read_answers, read_qrels, read_run

FORUM = ArqmathFolder.open(asset("sample/arqmath/sample-forum"))
_BRACKETS = {"}": "{", ")": "(", "]": "["}


@cache
def posts() -> dict[str, Post]:
    report = Report()
    assert FORUM.posts is not None
    found = list(read_posts(FORUM.posts, report))
    assert report.bad == 0
    assert report.read == len(found)
    by_id = {post.id: post for post in found}
    assert len(by_id) == len(found)
    return by_id


def topics() -> list[Topic]:
    return read_topics(FORUM.topics[1][0])


def qrels() -> Qrels:
    return read_qrels(FORUM.qrels[1][0])


def test_it_is_small_and_opens_by_its_description() -> None:
    files = [path for path in FORUM.path.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 400_000
    assert FORUM.title == "Sample forum"
    named = {path for _, path in FORUM.list_files()} | {FORUM.path / "arqmath.toml"}
    assert {path.name for path in set(files) - named} == {"task3_run_map.tsv"}


def test_every_post_fits_its_thread() -> None:
    questions = {post.id: post for post in posts().values() if post.kind == 1}
    answers = [post for post in posts().values() if post.kind == 2]
    assert len(questions) >= 70
    assert len(answers) >= 180
    assert all(post.text for post in posts().values())
    assert {answer.parent for answer in answers} == set(questions)
    own = {answer.id: answer.parent for answer in answers}
    for question in questions.values():
        assert question.title
        assert question.tags
        assert all(other in questions for other in (*question.related, *question.duplicates))
        assert question.id not in (*question.related, *question.duplicates)
        assert not question.accepted or own[question.accepted] == question.id
    assert any(question.duplicates for question in questions.values())
    assert any(len(answer.parent) and (answer.score or 0) < 0 for answer in answers)


def test_formulas_have_ids_of_their_own() -> None:
    ids: Counter[str] = Counter()
    assert FORUM.posts is not None
    for _, line in read_lines(FORUM.posts):
        row = json.loads(line)
        texts = [row["title"] or "", row["body"], *(comment["text"] for comment in row["comments"])]
        ids.update(re.findall(r'class="math-container" id="(\d+)"', " ".join(texts)))
    assert len(ids) > 700
    assert set(ids.values()) == {1}
    topic_ids = [
        one for topic in topics() for part in (topic.title, topic.question) for one, _ in part.formulas
    ]
    assert len(topic_ids) == len(set(topic_ids))
    assert all(re.fullmatch(r"q_\d+", one) for one in topic_ids)


def balanced(latex: str) -> bool:
    """Braces match, every \\left has its \\right, every \\begin its \\end."""
    text = re.sub(r"\\[{}|\\]", "", latex)
    depth = 0
    for character in text:
        depth += (character == "{") - (character == "}")
        if depth < 0:
            return False
    commands = Counter(re.findall(r"\\(left|right)(?![a-z])", text))
    begun, ended = (re.findall(rf"\\{word}\{{(\w+)\}}", text) for word in ("begin", "end"))
    return depth == 0 and commands["left"] == commands["right"] and begun == ended


def test_latex_is_balanced_everywhere() -> None:
    texts = [post.body.text for post in posts().values()] + [post.title for post in posts().values()]
    texts += [topic.text for topic in topics()]
    for path in FORUM.answers:
        texts += [answer.text for answer in read_answers(path)[0]]
    for text in texts:
        assert text.count("$") % 2 == 0, text
        for latex in re.findall(r"\$(.*?)\$", text, re.DOTALL):
            assert latex.strip(), text
            assert balanced(latex), latex
    assert not balanced(r"\frac{1}{2")
    assert not balanced(r"\left(x")


def test_the_topics_are_of_every_kind() -> None:
    found = topics()
    assert len(found) == 12
    assert len({topic.id for topic in found}) == 12
    (path,) = FORUM.topic_info
    header, *rows = (line.split(",") for _, line in read_lines(path))
    assert header == ["Topic", "Type", "Difficulty", "Dependency"]
    assert [row[0] for row in rows] == [topic.id for topic in found]
    assert {row[1] for row in rows} == {"Both", "Math", "Text"}
    for topic, row in zip(found, rows, strict=True):
        has_formula = bool(topic.title.formulas or topic.question.formulas)
        assert has_formula == (row[1] != "Text")


def test_judgements_are_of_answers_and_leave_some_out() -> None:
    judged = qrels()
    assert judged.topics == [topic.id for topic in topics()]
    for grades in judged.grades.values():
        assert 12 <= len(grades) <= 25
        assert {0, 1, 2, 3} == set(grades.values())
        assert all(posts()[identity].kind == 2 for identity in grades)
    everything = {identity for grades in judged.grades.values() for identity in grades}
    assert {post.id for post in posts().values() if post.kind == 2} - everything


def test_the_runs_rank_answers_of_the_forum_and_differ() -> None:
    judged = qrels()
    names = {path.name for path in FORUM.runs}
    assert {"bm25.tsv", "dense.tsv", "fused.tsv"} <= names
    scores = {}
    for path in FORUM.runs:
        run = read_run(path)
        assert not run.warnings
        assert not check_topics(run, judged, run_path=path, qrels_path=FORUM.qrels[1][0])
        assert all(posts()[id_].kind == 2 for ranking in run.rankings.values() for id_, _ in ranking)
        scores[path.stem] = {
            topic: row["ndcg_prime"] for topic, row in evaluate(run, judged).per_topic.items()
        }
        assert 0.3 < sum(scores[path.stem].values()) / 12 < 0.99
    # A screen that compares runs needs topics on which each of them is the worse one.
    for better in ("dense", "fused"):
        changes = [scores[better][topic] - scores["bm25"][topic] for topic in scores["bm25"]]
        assert min(changes) < 0 < max(changes)


def test_the_shipped_run_is_what_the_index_finds(tmp_path: Path) -> None:
    """When this fails after a change of terms, make the runs anew by the commands in assets/SOURCES.md."""
    build_index(FORUM, tmp_path / "index", events=ignore, stop=never)
    index = open_index(tmp_path / "index")
    shipped = read_run(FORUM.path / "runs" / "bm25.tsv")
    for topic in topics():
        found = [hit.id for hit in index.search(topic.text, 50, how="lexical")]
        assert [id_ for id_, _ in shipped.rankings[topic.id]] == found


@pytest.mark.parametrize("path", FORUM.answers, ids=lambda path: path.stem)
def test_written_answers_are_within_the_rules_and_judged(path: Path) -> None:
    answers, warnings = read_answers(path)
    assert not warnings
    assert [answer.topic for answer in answers] == [topic.id for topic in topics()]
    for answer in answers:
        assert all(posts()[source].kind == 2 for source in answer.sources.split())
    rows = [line.split("\t") for _, line in read_lines(FORUM.path / "task3_run_map.tsv")]
    own = [(topic, identity) for run, topic, identity in rows if run == answers[0].tag]
    assert [topic for topic, _ in own] == [answer.topic for answer in answers]
    result = evaluate_answers(own, read_qrels(FORUM.qrels[3][0], task=3))
    # The sums of the grades, added by hand: a careful system, and one that only repeats what it has read.
    total, judged = (33, 12) if "chalk" in path.stem else (9, 11)
    assert len(result.grades) == judged
    assert result.ar == pytest.approx(total / judged)
