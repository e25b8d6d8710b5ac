"""The index of a collection: building, resuming, searching, refusing."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from engines.arqmath.collection import index_build
from engines.arqmath.collection.index import open_index
from engines.arqmath.collection.index_build import build_index, document_text
from engines.arqmath.collection.indexing import ExportDocuments, PrepareIndex, export_documents, prepare_index
from engines.arqmath.first_stage import FirstStage
from engines.arqmath.ranking.search import Search, search
from engines.core.errors import DataError, EngineError, StoppedError
from engines.core.events import Event, Sink, Stop, ignore, never
from engines.forum.folder import ArqmathFolder
from engines.forum.topics import read_topics
from engines.retrieval.dense import Vectors, normalize_rows
from engines.retrieval.fusion import reciprocal_rank_fusion, weighted_sum
from engines.retrieval.index_terms import extract_terms
from engines.retrieval.trec import TrecRun, read_run
from tests.arqmath.small_collection import ROWS, row, small_collection
from tests.conftest import expect_error
from workbench.cli.command import app
from workbench.papers.arqmath import tables
from workbench.tables import HintLine


class BagEncoder:
    """Vectors of counted words; says how many texts it was given."""

    dimension = 64
    roles = ""

    def __init__(self, name: str = "bag") -> None:
        self.name = self.place = name
        self.fingerprint = f"{name:_<64}"
        self.texts = 0

    def encode(
        self, texts: Sequence[str], *, normalise: bool = True, events: Sink = ignore, stop: Stop = never
    ) -> Vectors:
        self.texts += len(texts)
        found = np.full((len(texts), self.dimension), 1e-3, np.float32)
        for vector, text in zip(found, texts, strict=True):
            for term in extract_terms(text):
                vector[zlib.crc32(term.encode()) % self.dimension] += 1
        return normalize_rows(found) if normalise else found

    def queries(self, texts: Sequence[str], **more: Any) -> Vectors:
        return self.encode(texts, **more)

    def documents(self, texts: Sequence[str], **more: Any) -> Vectors:
        return self.encode(texts, **more)


@pytest.fixture
def folder(tmp_path: Path) -> ArqmathFolder:
    return small_collection(tmp_path / "collection")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_build, "_VECTOR_PART", 3)
    monkeypatch.setattr(index_build, "_TERM_PART", 4)


def test_lexical_search_finds_words_formulas_and_titles(folder: ArqmathFolder, tmp_path: Path) -> None:
    built = build_index(folder, tmp_path / "index")
    assert (built["complete"], built["documents"], built["dense"]) == (True, 10, None)
    index = open_index(tmp_path / "index")
    assert (index.how, len(index)) == ("lexical", 10)
    assert index.search("$a^n a^m$", 3)[0].id == "10"
    assert {hit.id for hit in index.search("cyclic", 5)} == {"10", "11"}
    assert index.search("unheard of", 5) == []
    assert not (tmp_path / "index" / "parts").exists()
    with pytest.raises(EngineError) as caught:
        index.search("cyclic", how="dense")
    assert caught.value.code == "E670"


def test_documents_are_exported_as_they_are_searched(folder: ArqmathFolder, tmp_path: Path) -> None:
    build_index(folder, tmp_path / "index")
    out = tmp_path / "documents.jsonl"
    with pytest.raises(StoppedError):
        export_documents(ExportDocuments(tmp_path / "index", out), stop=lambda: True)
    assert not out.exists()
    assert export_documents(ExportDocuments(tmp_path / "index", out))["documents"] == 10
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert rows[0] == {"id": "10", "contents": "Cyclic groups\nYes, since $a^n a^m = a^m a^n$"}
    assert [row["id"] for row in rows] == [str(each["id"]) for each in ROWS if each["type"] == 2]


def test_dense_and_fused_search(folder: ArqmathFolder, tmp_path: Path) -> None:
    bag = BagEncoder()
    build_index(folder, tmp_path / "index", dense=True, encoder=bag)
    index = open_index(tmp_path / "index", encoder=bag)
    query = "an integral comparison"
    posts = list(index.store.get_posts(index.store.answer_ids()).values())
    cosines = bag.encode([document_text(post) for post in posts]) @ bag.encode([query])[0]
    dense = index.search(query, 10, how="dense")
    assert {hit.id: hit.score for hit in dense} == pytest.approx(
        {post.id: float(cosine) for post, cosine in zip(posts, cosines, strict=True)}, abs=1e-3
    )
    assert [hit.score for hit in dense] == sorted((hit.score for hit in dense), reverse=True)
    runs = [
        TrecRun.from_scores(how, {"": [(hit.id, hit.score) for hit in index.search(query, 10, how=how)]})
        for how in ("lexical", "dense")
    ]
    expected = reciprocal_rank_fusion(runs).rankings[""]
    assert [(hit.id, hit.score) for hit in index.search(query, 4, how="fused")] == list(expected[:4])


def test_answers_are_found_by_their_questions(folder: ArqmathFolder, tmp_path: Path) -> None:
    bag = BagEncoder()
    build_index(folder, tmp_path / "index", dense=True, encoder=bag)
    index = open_index(tmp_path / "index", encoder=bag)
    query = "does the harmonic integral converge"
    asked = index.store.get_posts(["1", "2"])
    texts = [f"{post.title}\n{post.text}" for post in asked.values()]
    cosines = dict(zip(asked, (bag.encode(texts) @ bag.encode([query])[0]).tolist(), strict=True))
    found = {hit.id: hit.score for hit in index.search(query, 10, how="questions")}
    parents = {"10": "1", "11": "1"} | {str(20 + n): "2" for n in range(7)}
    assert found == pytest.approx({answer: cosines[parent] for answer, parent in parents.items()}, abs=1e-3)
    runs = [index.rank_topics({"": query}, 10, how=how) for how in ("lexical", "dense", "questions")]
    assert index.search(query, 10) == index.search(query, 10, how="lexical + questions")
    for how, expected in (
        ("lexical + 0.5*dense + 2*questions", weighted_sum(runs, [1, 0.5, 2])),
        ("rrf(lexical, dense, questions)", reciprocal_rank_fusion(runs)),
    ):
        run = index.rank_topics({"": query}, 10, how=how)
        assert run.tag == how
        assert list(run.rankings[""]) == list(expected.rankings[""][:10])


def test_a_collections_own_questions_are_not_encoded_again(folder: ArqmathFolder, tmp_path: Path) -> None:
    from engines.arqmath.ranking.rank import Rank, rank

    bag = BagEncoder()
    build_index(folder, tmp_path / "index", dense=True, encoder=bag)  # no model has this name: none is opened
    rank(Rank(tmp_path / "index", tmp_path / "run.tsv", questions=True, rerank=False, first="questions"))
    store = open_index(tmp_path / "index").store
    rankings = read_run(tmp_path / "run.tsv").rankings
    assert len(rankings) > 1
    for question, ranking in rankings.items():
        own = store.list_answer_ids(question)
        assert own
        assert {answer for answer, _ in ranking[: len(own)]} == set(own)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("lexical", "lexical"),
        (" dense+ .5 * questions", "dense + 0.5*questions"),
        ("fused", "fused"),
        ("rrf( lexical,dense )", "fused"),
        ("rrf(questions, lexical)", "rrf(questions, lexical)"),
        ("2*dense + 1*lexical", "2*dense + lexical"),
        ("rrf(lexical, dense ,k = 20)", "rrf(lexical, dense, k=20)"),
        ("rrf(lexical, dense, questions, k=60)", "rrf(lexical, dense, questions)"),
    ],
)
def test_first_stages_are_read_and_written(text: str, read: str) -> None:
    assert str(FirstStage.from_text(text)) == read
    assert FirstStage.from_text(read) == FirstStage.from_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bm25",
        "lexical +",
        "lexical + lexical",
        "0*lexical + dense",
        "-1*lexical",
        "rrf(lexical)",
        "rrf(lexical, 2*dense)",
        "rrf(lexical, dense",
        "lexical + fused",
        "rrf(lexical, dense, k=-1)",
        "lexical + dense, k=20",
    ],
)
def test_first_stages_that_are_none(text: str) -> None:
    with expect_error("E435"):
        FirstStage.from_text(text)


def test_a_run_over_topics_equals_the_searches(folder: ArqmathFolder, tmp_path: Path) -> None:
    build_index(folder, tmp_path / "index")
    index = open_index(tmp_path / "index")
    topics = {"A.1": "cyclic groups", "A.2": "integral", "A.3": "qwertz"}
    run = index.rank_topics(topics, 5, tag="bm25")
    assert (run.tag, list(run.rankings)) == ("bm25", ["A.1", "A.2"])
    for topic, ranking in run.rankings.items():
        assert [(hit.id, hit.score) for hit in index.search(topics[topic], 5)] == list(ranking)


def files(path: Path) -> dict[str, bytes]:
    return {
        each.relative_to(path).as_posix(): each.read_bytes()
        for each in sorted(path.rglob("*"))
        if each.is_file() and each.suffix != ".sqlite" and each.name != "manifest.json"
    }


@pytest.mark.usefixtures("small_parts")
def test_a_stopped_build_goes_on_by_part(folder: ArqmathFolder, tmp_path: Path) -> None:
    whole, again = tmp_path / "whole", tmp_path / "again"
    first, second = BagEncoder(), BagEncoder()
    build_index(folder, whole, dense=True, encoder=first)
    attempts = 0
    for _ in range(8):
        attempts += 1
        flag: list[bool] = []

        def heard(event: Event, flag: list[bool] = flag, before: int = second.texts) -> None:
            """Stop after the first part that this attempt made."""
            if event.data.get("unit") == "answers encoded" and second.texts > before:
                flag.append(True)

        built = build_index(
            folder, again, dense=True, encoder=second, events=heard, stop=lambda flag=flag: bool(flag)
        )
        if built["complete"]:
            break
        with expect_error("E312"):
            open_index(again)
    assert attempts == 5
    assert second.texts == first.texts == 10 + 2
    assert files(again) == files(whole)


@pytest.mark.usefixtures("small_parts")
def test_a_killed_build_goes_on_and_a_broken_part_is_made_again(
    folder: ArqmathFolder, tmp_path: Path
) -> None:
    out = tmp_path / "index"

    class Dies(BagEncoder):
        def encode(self, texts: Sequence[str], **_: Any) -> Vectors:
            if self.texts >= 6:
                raise KeyboardInterrupt
            return super().encode(texts)

    with pytest.raises(KeyboardInterrupt):
        build_index(folder, out, dense=True, encoder=Dies())
    parts = sorted((out / "parts").glob("vectors-*"))
    assert len(parts) == 2
    parts[0].write_bytes(parts[0].read_bytes()[:40])
    bag = BagEncoder()
    assert build_index(folder, out, dense=True, encoder=bag)["complete"]
    assert bag.texts == 3 + 4 + 2
    assert open_index(out, encoder=bag).search("cyclic", 1)


def test_vectors_may_be_added_later(folder: ArqmathFolder, tmp_path: Path) -> None:
    out = tmp_path / "index"
    build_index(folder, out)
    bag = BagEncoder()
    assert build_index(folder, out, dense=True, encoder=bag)["dense"]["kind"] == "flat"
    assert build_index(folder, out)["dense"]["vectors"] == 10
    assert bag.texts == 10 + 2
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["encoder"]["sha256"] == bag.fingerprint
    assert manifest["dense"]["reason"]
    assert set(manifest["files"]) >= {"posts.sqlite", "documents.npy", "dense/index.faiss"}


def test_another_model_collection_or_version_is_refused(
    folder: ArqmathFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "index"
    build_index(folder, out, dense=True, encoder=BagEncoder())
    with expect_error("E668") as caught:
        build_index(folder, out, dense=True, encoder=BagEncoder("other"))
    with expect_error("E668") as caught:
        open_index(out, encoder=BagEncoder("other"))
    assert caught.value.remedy
    posts = folder.need_posts()
    posts.write_text(posts.read_text() + json.dumps(row(77, 2, parent_id="2", body="more")) + "\n")
    with expect_error("E668"):
        build_index(folder, out)
    newer = {"newer": extract_terms}
    monkeypatch.setattr("engines.arqmath.collection.index.TERMS", newer)
    with expect_error("E662"):
        open_index(out)


def test_terms_k1_and_b_are_chosen_when_an_index_is_begun(folder: ArqmathFolder, tmp_path: Path) -> None:
    out = tmp_path / "index"
    assert build_index(folder, out, terms="porter", k1=0.9)["lexical"]["bm25"] == {"k1": 0.9, "b": 0.75}
    again = build_index(folder, out, dense=True, encoder=BagEncoder())
    assert again["lexical"]["bm25"] == {"k1": 0.9, "b": 0.75}
    assert again["lexical"]["tokens"] == "porter-terms-2"
    lexical = open_index(out).open_retriever("lexical").part
    assert lexical.score_documents("diverging").tolist() == lexical.score_documents("diverges").tolist()
    assert lexical.score_documents("diverging").max() > 0
    for other in ({"terms": "math"}, {"k1": 1.2}, {"b": 0.4}):
        with expect_error("E668"):
            build_index(folder, out, **other)


def test_folders_that_are_something_else(folder: ArqmathFolder, tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        build_index(folder, folder.path)
    assert caught.value.code == "E667"
    theirs = tmp_path / "corpus"
    theirs.mkdir()
    (theirs / "plan.json").write_text('{"format": 1, "source": {}}')
    for work in (
        lambda: build_index(folder, theirs),
        lambda: prepare_index(PrepareIndex(folder.path, theirs)),
    ):
        with pytest.raises(EngineError) as caught:
            work()
        assert caught.value.code == "E667"
    assert (theirs / "plan.json").exists()
    with expect_error("E312"):
        open_index(tmp_path)
    with expect_error("E312"):
        build_index(ArqmathFolder(tmp_path, "empty"), tmp_path / "out")


def test_every_file_of_an_index_is_missed(folder: ArqmathFolder, tmp_path: Path) -> None:
    out = tmp_path / "index"
    build_index(folder, out, dense=True, encoder=BagEncoder())
    for name in json.loads((out / "manifest.json").read_text())["files"]:
        content = (out / name).read_bytes()
        (out / name).write_bytes(content[:-1])
        with pytest.raises(DataError) as caught:
            open_index(out)
        assert caught.value.where.endswith(name)
        (out / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with expect_error("E661"):
            open_index(out)
        (out / name).write_bytes(content)
    (out / "manifest.json").write_text("{")
    with expect_error("E661"):
        open_index(out)


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, ["arqmath", *map(str, arguments)])


def test_the_commands(folder: ArqmathFolder, tmp_path: Path) -> None:
    out = tmp_path / "index"
    built = call("index", folder.path, "--out", out, "--json")
    assert built.exit_code == 0, built.stderr
    assert json.loads(built.stdout)["documents"] == 10
    found = json.loads(call("search", out, "cyclic $a^n$", "-k", "2", "--json").stdout)
    assert (found["how"], found["answers"]) == ("lexical", 10)
    assert [hit["rank"] for hit in found["hits"]] == [1, 2]
    assert found["hits"][0]["id"] == "10"
    assert found["hits"][0]["title"] == "Cyclic groups"
    assert call("search", out, " ").exit_code == 2
    assert call("index", folder.path, "--out", out, "--dense", "--share", "4/3").exit_code == 2
    assert "only vectors" in call("index", folder.path, "--out", out, "--share", "1/3").stderr
    plain = call("search", out, "cyclic")
    assert "Yes, since $a^n a^m = a^m a^n$" in plain.stdout


def test_a_query_is_read_as_a_topic(folder: ArqmathFolder, tmp_path: Path) -> None:
    out, topics = tmp_path / "index", tmp_path / "topics.jsonl"
    build_index(folder, out)
    question = r"does {} diverge"
    marked = [r"$\sum n$", r"\(\sum n\)", r"\[\sum n\]", r"$$\sum n$$", r"<p>$\sum n$</p>"]
    lines = [{"id": f"A.{n}", "question": question.format(text)} for n, text in enumerate(marked)]
    topics.write_text("".join(json.dumps(line) + "\n" for line in lines))
    index = open_index(out)
    wanted = [index.search(topic.text, 5) for topic in read_topics(topics)]
    assert wanted[0]
    assert all(hits == wanted[0] for hits in wanted)
    for text in marked:
        found = search(Search(out, question.format(text), k=5))
        assert [(hit["id"], hit["score"]) for hit in found["hits"]] == [
            (hit.id, round(hit.score, 6)) for hit in wanted[0]
        ]
        assert found["query"] == question.format(text)
        assert found["matched"] is True


def test_a_query_without_any_match_says_so(
    folder: ArqmathFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "index"
    build_index(folder, out, dense=True, encoder=BagEncoder())
    index = open_index(out, encoder=BagEncoder())
    monkeypatch.setattr("engines.arqmath.collection.index.cached_index", lambda _: index)
    for how, near in ((None, True), ("dense", True), ("lexical", False)):
        spec = Search(out, "zzzz qqqq", how=how)
        found = search(spec)
        assert (found["matched"], bool(found["hits"])) == (False, near)
        first = next(iter(tables.search(found, spec)))
        assert first.startswith(("no answer has a word or symbol", "nothing found"))
        assert isinstance(first, HintLine) == near
    spec = Search(out, r"$\sum n$ zzzz")
    found = search(spec)
    assert found["matched"] is True
    assert not any("no answer" in line for line in tables.search(found, spec))


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_a_model_with_prompts_ranks_as_its_library(tmp_path: Path, similarity: str) -> None:
    """Queries and documents have different prompts; dot products are of vectors as they are."""
    from sentence_transformers import SentenceTransformer

    from tests.retrieval.test_encoders import MEAN, save_model

    model = save_model(tmp_path / "model", [MEAN])
    texts = [f"{'a ' * (n % 4)}{'b ' * (n % 3)}{'c ' * (n % 5)}d" for n in range(1, 12)]
    rows: list[dict[str, object]] = [{"id": "q", "type": 1, "title": "a", "body": "b", "tags": ["t"]}]
    for n, text in enumerate(texts):
        rows.append({"id": str(n), "type": 2, "title": "", "body": text, "parent_id": "q"})
    (tmp_path / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder = ArqmathFolder.open(tmp_path)
    build_index(folder, tmp_path / "plain", dense=True, encoder=model)
    about = {"prompts": {"query": "d d ", "document": "c "}, "similarity_fn_name": similarity}
    (model / "config_sentence_transformers.json").write_text(json.dumps(about))
    build_index(folder, tmp_path / "index", dense=True, encoder=model, exact=True)
    library = SentenceTransformer(str(model), device="cpu", local_files_only=True)
    for query in ("a b", "c c c d"):
        found = open_index(tmp_path / "index").search(query, len(texts), how="dense")
        asked, answers = (
            library.encode_query([query]),
            library.encode_document([f"a\n{one}" for one in texts]),
        )
        expected = library.similarity(asked, answers)[0].numpy()
        scores = {hit.id: hit.score for hit in found}
        assert [scores[str(n)] for n in range(len(texts))] == pytest.approx(expected.tolist(), rel=2e-3)
        assert np.ptp(expected) > 0.01
    with pytest.raises(EngineError) as caught:
        open_index(tmp_path / "plain").search("a", how="dense")
    assert caught.value.code == "E668"
