"""Reranking, fusion and evaluation of formulas, on the sample forum and by hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.core.errors import EngineError
from engines.core.events import Event
from engines.core.system import asset
from engines.formula.operator_tree_parser import ParsedFormula
from engines.forum.folder import ArqmathFolder
from engines.mathamr import Inspect, inspect
from engines.mathamr.graph.amr import read_graph
from engines.mathamr.retrieval.formula_reranking import Rerank, rerank_formulas
from engines.mathamr.retrieval.fuse_formula_runs import FuseFormulaRuns, fuse_runs
from engines.mathamr.retrieval.indexing import IndexFormulas, index
from engines.mathamr.retrieval.representations import (
    REPRESENTATIONS,
    EmbedStrings,
    FormulaInContext,
    Represent,
    embed_strings,
    write_strings,
)
from engines.mathamr.retrieval.search import SearchFormulas, search
from engines.mathamr.retrieval.task2 import EvaluateFormulas, EvaluateRuns, Task2, evaluate, evaluate_runs
from engines.mathamr.retrieval.texts import write_tree_string
from engines.retrieval.measures import ndcg
from engines.retrieval.trec import read_run, write_run
from tests.conftest import expect_error

FORUM = asset("sample/arqmath/sample-forum")
QRELS = FORUM / "qrels_task2.tsv"


@pytest.fixture(scope="module")
def formulas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("formulas") / "index"
    index(IndexFormulas(FORUM, place))
    return place


class Letters:
    """An encoder that counts letters: equal strings have equal vectors."""

    name, place, dimension, fingerprint = "letters", "letters", 128, "0"

    def encode(self, texts: Sequence[str], **_: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
        found = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for letter in text:
                found[row, ord(letter) % self.dimension] += 1
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    queries = documents = encode


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engines.mathamr.retrieval.open_cache.open_encoder", lambda *_: Letters())
    monkeypatch.setattr("engines.retrieval.encoders.encoder", lambda *_, **__: Letters())


def test_representations_of_one_formula() -> None:
    """As in the paper's section 4.1: LaTeX or the tree's string, in the text or in the AMR's string."""
    formulas = {"1": ParsedFormula("x^2"), "2": ParsedFormula("y")}
    context = 'Find "eqx1eqx" and "eqx2eqx"'

    def made(kind: str) -> str:
        amr = read_graph('(f / find-01 :ARG1 (a / and :op1 "eqx1eqx" :op2 "eqx2eqx"))')
        return REPRESENTATIONS[kind].write(FormulaInContext("1", formulas, context, amr))

    assert made("opt") == "SUP x 2"
    assert made("slt") == "x above 2"
    assert made("raw-latex") == "Find x^2 and y"
    assert made("raw-opt") == "Find SUP x 2 and y"
    assert made("amr-latex") == "find-01 and x^2 y"
    # The roles come in alphabetic order, and :math before :op1.
    assert sorted(made("mathamr").split()) == sorted(["find-01", "and", "math", "SUP", "x", "2", "math", "y"])
    assert "target" in made("mathamr-marked").split()


def test_a_lost_formula_is_at_the_end() -> None:
    given = FormulaInContext("1", {"1": ParsedFormula("x^2")}, 'Find "eqx1eqx"', read_graph("(f / find-01)"))
    assert REPRESENTATIONS["amr-latex"].write(given) == "find-01 x^2"


def test_strings_of_topics_and_judged_formulas(formulas: Path) -> None:
    rows = {row["id"]: row["string"] for row in write_strings(Represent(FORUM, formulas, "raw-opt"))}
    assert len([name for name in rows if name.startswith("B.")]) == 8
    assert write_tree_string(ParsedFormula(r"\frac{a+b}2\ge\sqrt{ab}")) in rows["724"]


def test_equal_strings_are_ordered_by_their_formulas(formulas: Path, tmp_path: Path, letters: None) -> None:
    """Formulas of one title share its string in raw-latex; the one more like the query comes first."""
    base = tmp_path / "base.tsv"
    base.write_text("".join(f"B.905\tQ0\t{one}\t{at}\t{9 - at}\tx\n" for at, one in enumerate((691, 690), 1)))
    found = rerank_formulas(Rerank(FORUM, formulas, tmp_path / "run.tsv", base, "raw-latex"))
    assert found["ties"] == 1
    rerank_formulas(Rerank(FORUM, formulas, tmp_path / "paths.tsv", base, "paths"))
    orders = [
        [one for one, _ in read_run(tmp_path / name).rankings["B.905"]] for name in ("run.tsv", "paths.tsv")
    ]
    assert orders[0] == orders[1] == ["690", "691"]


def test_a_run_of_other_formulas_is_refused(formulas: Path, tmp_path: Path) -> None:
    base = tmp_path / "base.tsv"
    base.write_text("B.901\tQ0\tnone\t1\t1\tx\n")
    with expect_error("E343"):
        rerank_formulas(Rerank(FORUM, formulas, tmp_path / "run.tsv", base, "paths"))


def test_score_weighted_fusion_by_hand(tmp_path: Path) -> None:
    """Three documents each, so that min-max gives 1, a fraction and 0."""
    one, other = tmp_path / "a.tsv", tmp_path / "b.tsv"
    one.write_text("B.1 Q0 x 1 4 a\nB.1 Q0 y 2 3 a\nB.1 Q0 z 3 0 a\n")
    other.write_text("B.1 Q0 y 1 2 b\nB.1 Q0 x 2 1 b\nB.1 Q0 z 3 0 b\n")
    fuse_runs(FuseFormulaRuns((one, other), tmp_path / "fused.tsv"))
    scores = dict(read_run(tmp_path / "fused.tsv").rankings["B.1"])
    assert scores["x"] == pytest.approx(1 / 61 + 0.5 / 62)
    assert scores["y"] == pytest.approx(0.75 / 62 + 1 / 61)
    assert scores["z"] == pytest.approx(0)


def test_weights_go_with_the_runs(tmp_path: Path) -> None:
    with expect_error("E434"):
        FuseFormulaRuns((tmp_path, tmp_path), tmp_path, "weighted", (1.0,))


def test_evaluation_by_looks(formulas: Path, tmp_path: Path) -> None:
    """Against the measure worked out by hand: B.906 has no two formulas of one look."""
    run = FORUM / "runs_task2" / "paths.tsv"
    found = evaluate(EvaluateFormulas((run, run), formulas, (QRELS,), topics=(FORUM / "topics_task2.xml",)))
    system = found["systems"][0]
    grades: dict[str, dict[str, int]] = {}
    for line in QRELS.read_text().splitlines():
        topic, _, formula, grade = line.split()
        grades.setdefault(topic, {})[formula] = int(grade)
    assert found["judged"] < sum(map(len, grades.values()))  # \\binom{n+k-1}{k} is judged three times
    ranked = [grades["B.906"][one] for one, _ in read_run(run).rankings["B.906"] if one in grades["B.906"]]
    expected = ndcg(ranked, grades["B.906"].values(), k=10)
    assert system["per_topic"]["B.906"]["ndcg10_prime"] == pytest.approx(expected)
    assert {name: third["topics"] for name, third in system["by_size"].items()} == {
        "low": 3,
        "medium": 2,
        "high": 3,
    }
    assert found["comparisons"][0]["difference"] == 0
    assert found["comparisons"][0]["bonferroni_p"] == 1


def _drawn(path: Path) -> dict[str, float]:
    """The topics of a picture and their values, as its bars are titled."""
    from lxml import etree

    titles = etree.parse(str(path)).iterfind(".//{http://www.w3.org/2000/svg}title")
    return {name: float(value) for name, value in (str(title.text).split() for title in titles)}


def test_runs_are_drawn_by_topic(formulas: Path, tmp_path: Path) -> None:
    """One run as it is; of two the differences from the first, as the figures by topic have them."""
    run = FORUM / "runs_task2" / "paths.tsv"
    worse, picture = tmp_path / "worse.tsv", tmp_path / "by-topic.svg"
    rows = [line.split("\t") for line in run.read_text().splitlines()]
    worse.write_text("".join("\t".join([*row[:4], f"-{row[4]}", "worse"]) + "\n" for row in rows))
    evaluate(EvaluateFormulas((run,), formulas, (QRELS,), plot=picture))
    alone = _drawn(picture)
    found = evaluate(EvaluateFormulas((run, worse), formulas, (QRELS,), plot=picture))
    first, other = (
        {topic: row["ndcg10_prime"] for topic, row in system["per_topic"].items()}
        for system in found["systems"]
    )
    assert found["plot"] == str(picture)
    assert alone == pytest.approx(first, abs=1e-4)
    assert _drawn(picture) == pytest.approx({t: other[t] - first[t] for t in first}, abs=1e-4)
    test = found["comparisons"][0]
    assert test["losses"] == sum(other[topic] < first[topic] - 1e-9 for topic in first) > 0
    with expect_error("E430"):
        EvaluateFormulas((run,), formulas, (QRELS,), plot=tmp_path / "by-topic.gif")


def test_a_run_of_something_else_is_not_measured_in_silence(formulas: Path, tmp_path: Path) -> None:
    """Other topics are refused; formulas that the index lacks are counted."""
    run = tmp_path / "run.tsv"
    said: list[str] = []
    run.write_text("A.1\tQ0\t17\t1\t1\tanswers\n")
    with expect_error("E300"):
        evaluate(EvaluateFormulas((run,), formulas, (QRELS,)))
    run.write_text("B.901\tQ0\t999999\t1\t1\tx\nB.901\tQ0\t999998\t2\t.5\tx\n")
    spec = EvaluateFormulas((run,), formulas, (QRELS,))
    evaluate(spec, events=lambda event: said.append(event.data["message"]))
    assert any("2 formulas are not in the index" in one for one in said)


def test_an_empty_formula_is_not_searched(formulas: Path) -> None:
    """It would be as similar as can be to formulas of which nothing is left."""
    with expect_error("E376"):
        SearchFormulas(formulas, " ")


def test_embedding_keeps_ids_and_order(tmp_path: Path, letters: None) -> None:
    (tmp_path / "strings.jsonl").write_text('{"id": "a", "string": "xy"}\n{"id": "b", "string": "zz"}\n')
    made = embed_strings(EmbedStrings(tmp_path / "strings.jsonl", tmp_path / "vectors"))
    vectors = np.load(tmp_path / "vectors" / "vectors.npy")
    assert (made["strings"], (tmp_path / "vectors" / "ids.json").read_text()) == (2, '["a", "b"]')
    assert np.array_equal(vectors, Letters().encode(["xy", "zz"]))


def test_a_folder_of_something_else_is_not_replaced(tmp_path: Path, letters: None) -> None:
    (tmp_path / "strings.jsonl").write_text('{"id": "a", "string": "xy"}\n')
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("all my work")
    for make in (
        lambda: embed_strings(EmbedStrings(tmp_path / "strings.jsonl", mine)),
        lambda: index(IndexFormulas(FORUM, mine)),
    ):
        with expect_error("E452"):
            make()
    assert (mine / "thesis.tex").read_text() == "all my work"


def test_formulas_beyond_a_runs_depth_are_counted(formulas: Path, tmp_path: Path) -> None:
    """Of fused runs 1,000 of a topic are kept; in a reranked run what is beyond --depth keeps its order."""
    runs = [tmp_path / name for name in ("a.tsv", "b.tsv")]
    for offset, path in enumerate(runs):
        rows = (f"B.1\tQ0\tf{(row + 700 * offset)}\t1\t{2000 - row}\tx\n" for row in range(1000))
        path.write_text("".join(rows))
    said: list[str] = []
    spec = FuseFormulaRuns(tuple(runs), tmp_path / "fused.tsv")
    found = fuse_runs(spec, events=lambda event: said.append(event.data["message"]))
    assert (found["formulas"], found["left_out"]) == (1000, 700)
    assert len((tmp_path / "fused.tsv").read_text().splitlines()) == 1000
    assert any("700 documents beyond" in one for one in said)

    run = FORUM / "runs_task2" / "paths.tsv"
    rows_of: dict[str, int] = {}
    for line in run.read_text().splitlines():
        rows_of[line.split("\t")[0]] = rows_of.get(line.split("\t")[0], 0) + 1
    said.clear()
    again = Rerank(FORUM, formulas, tmp_path / "again.tsv", run, "paths", depth=3)
    reranked = rerank_formulas(
        again, events=lambda event: said.append(event.data["message"]) if event.kind == "warning" else None
    )
    assert (reranked["left_out"], said) == (0, [])
    assert reranked["behind"] == sum(max(0, count - 3) for count in rows_of.values()) > 0
    before, after = (read_run(path, task=2).rankings for path in (run, tmp_path / "again.tsv"))
    for topic, ranking in before.items():
        names, others = ([name for name, _ in own] for own in (ranking, after[topic]))
        assert (sorted(others[:3]), others[3:]) == (sorted(names[:3]), names[3:])


def test_evaluation_says_when_a_run_is_cut_short(formulas: Path, tmp_path: Path) -> None:
    run, said = FORUM / "runs_task2" / "paths.tsv", list[str]()
    write_run(read_run(run, task=2).limit_depth(2), tmp_path / "cut.tsv")
    for other, depth in ((tmp_path / "cut.tsv", True), (run, False)):
        said.clear()
        evaluate(
            EvaluateFormulas((run, other), formulas, (QRELS,)),
            events=lambda event: said.append(event.data["message"]),
        )
        assert any("unequal depth" in one for one in said) is depth


def test_only_judgements_that_look_like_another_unit_are_asked_about(tmp_path: Path) -> None:
    (tmp_path / "formulas.tsv").write_text(
        "id\tpost_id\ttype\tvisual_id\tlatex\n1\t9\tanswer\tv1\tx\n2\t9\tanswer\tv1\ty\n3\t9\tanswer\tv3\tz\n"
    )
    said: list[str] = []

    def tell(event: Event) -> None:
        said.append(str(event.data.get("message")))

    built = index(IndexFormulas(tmp_path, tmp_path / "index"), events=tell)
    assert list(built["doubts"].values()) == [1]
    assert any("differ from the first with their visual id" in one for one in said)
    (tmp_path / "run.tsv").write_text("B.1\tQ0\t1\t1\t1\tx\n")
    qrels = tmp_path / "qrels.tsv"
    for names, unit, asked in (
        ("v1 a b c d", "visual", False),
        ("1 a b c d", "formula", False),
        ("1 v1 v3", "formula", True),
    ):
        qrels.write_text("".join(f"B.1 0 {name} 2\n" for name in names.split()))
        said.clear()
        evaluate(EvaluateFormulas((tmp_path / "run.tsv",), tmp_path / "index", (qrels,), unit), events=tell)
        assert any("left out" in one for one in said)
        assert any("do they name" in one for one in said) is asked


def test_evaluation_names_doubtful_runs_and_what_it_leaves_out(formulas: Path, tmp_path: Path) -> None:
    judged: dict[str, list[str]] = {}
    for line in QRELS.read_text().splitlines():
        topic, _, formula, _ = line.split()
        judged.setdefault(topic, []).append(formula)
    one, other, *_ = judged
    qrels = tmp_path / "qrels.tsv"
    qrels.write_text(
        "".join(f"{one} 0 {name} 2\n" for name in judged[one][:3])
        + "".join(f"{other} 0 {name} 0\n" for name in judged[other][:3])
    )
    runs = {"equal": lambda _: 1, "ranks": lambda rank: rank}
    for kind, score in runs.items():
        run = tmp_path / f"{kind}.tsv"
        rows = [f"{one} Q0 {name} {rank} {score(rank)} x" for rank, name in enumerate(judged[one][:3], 1)]
        run.write_text("\n".join([*rows, f"{one} Q0 {judged[one][0]} 9 0 x", "B.77 Q0 a 1 1 x"]) + "\n")
        if kind == "ranks":
            run.write_text("\n".join(rows) + "\nB.77 Q0 a 1 1 x\n")
        said: list[str] = []
        spec = EvaluateFormulas((run,), formulas, (qrels,))
        found = evaluate(spec, events=lambda event, said=said: said.append(event.data["message"]))
        assert (found["topics"], found["without_positive"]) == (1, 1)
        assert any(
            f"1 topics are left out, such as {other}: the index has no relevant" in line for line in said
        )
        assert any("1 of its topics are not evaluated, such as B.77" in line for line in said)
        wanted = "occurs again" if kind == "equal" else "every score equals the rank"
        assert any(wanted in line for line in said)
        assert any("all scores of a topic are equal" in line for line in said) == (kind == "equal")


def test_runs_whose_names_begin_alike_are_both_there(tmp_path: Path) -> None:
    forum = tmp_path / "forum"
    shutil.copytree(FORUM, forum)
    run = forum / "runs_task2" / "paths.tsv"
    shutil.copy(run, run.with_name("paths.again.tsv"))
    assert len(Task2(ArqmathFolder.open(forum)).runs) == len(list(run.parent.glob("*.tsv")))


def heard(work: Callable[..., Any], spec: Any) -> tuple[Any, list[str]]:
    """What a command gives, and its warnings."""
    events: list[Event] = []
    found = work(spec, events=events.append)
    found = list(found) if isinstance(found, Iterator) else found
    return found, [event.data["message"] for event in events if event.kind == "warning"]


def test_judgements_that_differ_between_files_are_counted(formulas: Path, tmp_path: Path) -> None:
    topic, _, formula, grade = QRELS.read_text().splitlines()[0].split()
    again = tmp_path / "again.tsv"
    again.write_text(f"{topic} 0 {formula} {(int(grade) + 1) % 4}\n")
    run = FORUM / "runs_task2" / "paths.tsv"
    _, said = heard(evaluate, EvaluateFormulas((run,), formulas, (QRELS, again)))
    assert said == ["1 judgements differ from an earlier file's; the highest grade counts"]
    assert heard(evaluate, EvaluateFormulas((run,), formulas, (QRELS, QRELS)))[1] == []


def test_topics_that_find_nothing_are_named(formulas: Path, tmp_path: Path) -> None:
    topics, run = tmp_path / "topics.jsonl", tmp_path / "run.tsv"
    rows = [("B.1", "x^2"), ("B.2", "\\forall")]
    lines = [{"id": name, "text": "?", "formula_id": "q_1", "latex": latex} for name, latex in rows]
    topics.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found, said = heard(search, SearchFormulas(formulas, topics=(topics, topics), run=run, instances=10_000))
    assert said == ["1 topics found nothing and are not in the run: B.2"]
    assert found["formulas"] == len(run.read_text().splitlines())
    assert heard(search, SearchFormulas(formulas, "x^{2"))[1] == ["part of the formula could not be parsed"]
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({**lines[0], "latex": "y"}) + "\n")
    with expect_error("E434"):
        search(SearchFormulas(formulas, topics=(topics, other), run=run))


def test_strings_without_their_context_are_counted(tmp_path: Path) -> None:
    """Comments are among the formulas of a collection, and not among its texts."""
    forum = tmp_path / "forum"
    forum.mkdir()
    for name in ("posts.jsonl", "topics_task2.xml", "qrels_task2.tsv"):
        shutil.copy(FORUM / name, forum)
    known = [line.split()[2] for line in QRELS.read_text().splitlines()]
    rows = "".join(f"{one}\t999999\tcomment\tx+{one}\n" for one in dict.fromkeys(known))
    (forum / "formulas.tsv").write_text("id\tpost_id\ttype\tformula\n" + rows)
    index(IndexFormulas(forum, tmp_path / "index"))
    found, said = heard(write_strings, Represent(forum, tmp_path / "index", "raw-latex"))
    assert f"{len(set(known))} strings contain only the formula" in said[0]
    assert found[-1]["string"] == f"x+{found[-1]['id']}"
    assert heard(write_strings, Represent(forum, tmp_path / "index", "latex"))[1] == []


def test_an_index_of_another_collection_is_named_and_not_replaced(formulas: Path, tmp_path: Path) -> None:
    """The copy has the same ids: nothing but its place tells the two apart."""
    other, link = tmp_path / "other", tmp_path / "link"
    shutil.copytree(FORUM, other)
    link.symlink_to(FORUM)
    out = tmp_path / "run.tsv"
    for run, make in (
        (write_strings, lambda folder: Represent(folder, formulas, "latex")),
        (rerank_formulas, lambda folder: Rerank(folder, formulas, out, None, "paths")),
        (evaluate_runs, lambda folder: EvaluateRuns(folder, formulas)),
    ):
        said = heard(run, make(other))[1]
        assert any(f"{formulas} is the index of {FORUM.resolve()}, not of {other}" in one for one in said)
        assert not any("is the index of" in one for one in heard(run, make(link))[1])
    found = inspect(Inspect(folder=other, topic="B.901", index=formulas))
    assert any("is the index of" in one for one in found["warnings"])

    before = (formulas / "about.json").read_bytes()
    with expect_error("E452"):
        index(IndexFormulas(other, formulas))
    assert (formulas / "about.json").read_bytes() == before
    assert index(IndexFormulas(link, formulas))["complete"]


def test_what_cannot_be_fused_or_reranked_is_refused(formulas: Path, tmp_path: Path) -> None:
    run = tmp_path / "run.tsv"
    run.write_text("B.901 Q0 1 1 1 x\nB.77 Q0 1 1 1 x\n")
    with expect_error("E354") as caught:
        rerank_formulas(Rerank(FORUM, formulas, tmp_path / "out.tsv", run, "paths"))
    assert (caught.value.where, caught.value.code) == (str(run), "E354")
    with expect_error("E434"):
        FuseFormulaRuns((run, run), tmp_path / "out.tsv", "weighted", (0.0, 0.0))
    with pytest.raises(EngineError) as caught:
        fuse_runs(FuseFormulaRuns((run, run), tmp_path))
    assert (caught.value.code, caught.value.where) == ("E313", str(tmp_path))
