"""Search of formulas: features, the index against a direct count, spans, and what a hit has in common."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.core.events import Event
from engines.core.system import asset
from engines.core.tree import Tree
from engines.formula.meaning import read
from engines.formula.operator_tree import OperatorTree, count_features, shared_parts
from engines.formula.operator_tree_parser import operator_tree, search_tree
from engines.formula.spans import node_spans
from engines.forum.folder import ArqmathFolder
from engines.mathamr import Inspect, inspect
from engines.mathamr.retrieval.formula_index import ALPHA, FormulaIndex
from engines.mathamr.retrieval.indexing import IndexFormulas, index
from engines.mathamr.retrieval.search import SearchFormulas, search
from engines.mathamr.retrieval.task2 import FormulaTopics, Task2, list_topics
from engines.mathematics.judging.fingerprint import Fingerprint
from engines.mathematics.judging.verdicts import Verdict
from engines.retrieval.trec import read_run
from tests.conftest import expect_error

FORUM = asset("sample/arqmath/sample-forum")

letters = st.sampled_from(["V!x", "V!y", "N!1", "N!2"]).map(OperatorTree)
trees = st.recursive(
    letters,
    lambda inner: st.builds(
        lambda label, operands: OperatorTree(label, tuple(operands)),
        st.sampled_from(["U!plus", "U!times", "O!minus", "O!SUP"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=10,
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> FormulaIndex:
    place = tmp_path_factory.mktemp("formulas") / "index"
    assert index(IndexFormulas(FORUM, place))["complete"]
    return FormulaIndex(place)


@given(trees)
def test_order_of_commutative_operands_is_no_feature(tree: OperatorTree) -> None:
    def turned(one: OperatorTree) -> OperatorTree:
        inner = [turned(child) for child in one.children]
        return OperatorTree(one.label, tuple(reversed(inner) if one.unordered else inner))

    assert count_features(turned(tree)) == count_features(tree)


@given(trees, trees)
def test_shared_parts_are_equal_and_apart(one: OperatorTree, other: OperatorTree) -> None:
    nodes, others = list(one.walk_nodes()), list(other.walk_nodes())
    here: set[int] = set()
    there: set[int] = set()
    for part in shared_parts(one, other):
        if part.exact:
            assert str(nodes[part.here].sort_operands()) == str(others[part.there].sort_operands())
        ours, theirs = range(part.here, part.here + part.size), range(part.there, part.there + part.size)
        assert not here.intersection(ours)
        assert not there.intersection(theirs)
        here.update(ours)
        there.update(theirs)


def test_the_index_gives_tverskys_index(opened: FormulaIndex) -> None:
    """Against the definition, worked out over all looks from their features."""
    import math

    every = [count_features(search_tree(latex)) for latex in opened.looks["latex"].to_pylist()]
    query = count_features(search_tree(r"\frac{a+b}{2}\ge\sqrt{ab}"))
    holders: dict[str, int] = {}
    for one in every:
        for feature in one:
            holders[feature] = holders.get(feature, 0) + 1

    def mass(counts: dict[str, int]) -> float:
        number = len(every)
        return sum(
            count * math.log1p((number - holders.get(name, 0) + 0.5) / (holders.get(name, 0) + 0.5))
            for name, count in counts.items()
        )

    found = opened.score_looks(query)
    for look, one in enumerate(every):
        expected = mass(query & one) / ((1 - ALPHA) * mass(query) + ALPHA * mass(one))
        assert found[look] == pytest.approx(expected, abs=1e-4)


def test_a_hit_says_which_parts_match(opened: FormulaIndex) -> None:
    hits = search(SearchFormulas(opened.folder, r"\frac{c+d}{2}\ge\sqrt{ab}"))["hits"]
    assert hits[0]["latex"] == r"\frac{a+b}2\ge\sqrt{ab}"
    parts = {part["query"]: part["exact"] for part in hits[0]["parts"]}
    assert parts == {r"\frac{c + d}{2} \ge \sqrt{a b}": False}


def test_a_run_of_topics_can_be_read(opened: FormulaIndex, tmp_path: Path) -> None:
    made = search(
        SearchFormulas(opened.folder, topics=(FORUM / "topics_task2.xml",), run=tmp_path / "run.tsv", k=20)
    )
    run = read_run(tmp_path / "run.tsv", task=2)
    assert (made["topics"], len(run.rankings)) == (8, 8)
    assert run.rankings["B.906"][0][0] == "724"


def test_a_formula_or_topics_are_needed() -> None:
    with expect_error("E402"):
        SearchFormulas(Path("index"))


@pytest.mark.parametrize("inside", [".", "models", "nowhere"])
def test_a_folder_without_an_index_is_told_from_a_corrupt_one(
    opened: FormulaIndex, tmp_path: Path, inside: str
) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "card.json").write_text("{}")
    with expect_error("E312") as caught:
        search(SearchFormulas(tmp_path / inside, "x^2"))
    assert "mathwb mathamr index" in caught.value.remedy
    begun = Path(shutil.copytree(opened.folder, tmp_path / "begun"))
    (begun / "about.json").unlink()
    with expect_error("E661"):
        FormulaIndex(begun)


@pytest.mark.parametrize("name", ["looks.arrow", "formulas.arrow", "fields.arrow", "counts.npy"])
def test_bytes_that_came_between_are_noticed(opened: FormulaIndex, tmp_path: Path, name: str) -> None:
    damaged = Path(shutil.copytree(opened.folder, tmp_path / "damaged"))
    content = (damaged / name).read_bytes()
    (damaged / name).write_bytes(
        content[: len(content) // 3] + b"\xff\xfe{]\n" + content[len(content) // 3 :]
    )
    with expect_error("E661") as caught:
        FormulaIndex(damaged)
    assert (caught.value.code, name in caught.value.where) == ("E661", True)


def test_an_index_of_another_version_is_refused(opened: FormulaIndex, tmp_path: Path) -> None:
    shutil.copytree(opened.folder, tmp_path / "old")
    about = json.loads((tmp_path / "old" / "about.json").read_text())
    (tmp_path / "old" / "about.json").write_text(json.dumps(about | {"version": 0}))
    with expect_error("E662"):
        FormulaIndex(tmp_path / "old")


@given(trees)
def test_spans_lie_in_each_other(tree: OperatorTree) -> None:
    from engines.formula.render import to_latex

    text = to_latex(tree)
    read = operator_tree(text)
    spans = node_spans(read, text)
    nodes = list(read.walk_nodes())
    assert len(spans) == len(nodes)
    for node, span in zip(nodes, spans, strict=True):
        if span is not None and not node.children and node.label[:1] in "VN":
            assert text[slice(*span)] == node.label[2:]


def test_inspection_links_graph_and_text(tmp_path: Path) -> None:
    """Way 6: a node of an operator tree leads to its place in the formula in the sentence."""
    found = inspect(Inspect(folder=FORUM, topic="B.906", k=3), cache=tmp_path)
    assert found["parser"] == "published"
    nodes = {node["variable"]: node for node in found["nodes"]}
    formula = next(one for one in found["formulas"] if one["query"])
    root = nodes[formula["root"]]
    assert (root["concept"], root["formula"]) == ("geq", formula["id"])
    divided = next(node for node in found["nodes"] if node["concept"] == "divide")
    assert found["text"][slice(*divided["place"])].startswith(r"\frac{a+b}{2")
    shown = next(node for node in found["nodes"] if node["concept"] == "show-01")
    assert found["text"][slice(*shown["place"])] == "Show"
    assert [node["kind"] for node in found["nodes"] if node["concept"] == "you"] == ["concept", "reference"]
    assert [(one["formula"], one["grade"]) for one in found["nearest"]] == [
        ("724", 3),
        ("764", 2),
        ("726", 3),
    ]
    assert found["runs"][0]["formulas"][0]["grade"] == 3


def test_an_unknown_topic_is_named(tmp_path: Path) -> None:
    with expect_error("E354"):
        inspect(Inspect(folder=FORUM, topic="B.1"), cache=tmp_path)


def test_a_sentence_may_begin_with_a_formula() -> None:
    from engines.mathamr.context import cut_window

    text = 'Why does it go away? "eqx1eqx" is clear. "eqx2eqx"'
    assert cut_window(text, "1", 0) == '"eqx1eqx" is clear.'
    assert cut_window(text, "1", 1) == text


def _task2(folder: Path, *numbers: str) -> Path:
    """A collection with topics of these numbers, one without number where it is ""."""
    topic = "<Topic{}><Latex>x^2</Latex><Question>What is it?</Question></Topic>\n"
    named = "".join(topic.format(f' number="{number}"' if number else "") for number in numbers)
    (folder / "topics_task2.xml").write_text(f"<Topics>\n{named}</Topics>\n", "utf-8")
    table = "id\tpost_id\ttype\tvisual_id\tlatex\n7\t1\tbody\t1\tx\n"
    (folder / "formulas.tsv").write_text(table, "utf-8")
    return folder


def test_bad_lines_of_task_2_are_named_and_the_rest_is_shown(tmp_path: Path) -> None:
    _task2(tmp_path, "B.1", "", "B.2", "B.1")
    (tmp_path / "qrels_task2.tsv").write_text("B.1\t0\t7\t3\nB.1\t0\t8\tx\nB.2\t0\t7\n", "utf-8")
    graph = {"topic_id": "B.2", "mathamr": "(s / solve-01)"}
    (tmp_path / "mathamr_topics.jsonl").write_text(f"{json.dumps(graph)}\n[]\n", "utf-8")
    said: list[str] = []
    found = list_topics(FormulaTopics(tmp_path), events=lambda event: said.append(str(event.data["message"])))
    rows = [(one["id"], one["judged"], one["graph"]) for one in found["topics"]]
    assert rows == [("B.1", [0, 0, 0, 1], False), ("B.2", [0, 0, 0, 0], True)]
    places = ["topics_task2.xml:3", "topics_task2.xml:5", "qrels_task2.tsv:2", "qrels_task2.tsv:3"]
    places.append("mathamr_topics.jsonl:2")
    assert found["left_out"] == 5
    assert [message.partition(": ")[0].rpartition("/")[2] for message in said] == places


def test_topics_none_of_which_can_be_read_are_refused(tmp_path: Path) -> None:
    with expect_error("E300"):
        list_topics(FormulaTopics(_task2(tmp_path, "")))


def test_odd_rows_of_formula_tables_are_counted(tmp_path: Path) -> None:
    """One of several with an id counts, the first; a formula's text is that of its own post."""
    spans = [
        f'<span class="math-container" id="{name}">{latex}</span>' for name, latex in (("1", "x"), ("2", "y"))
    ]
    posts = [
        {"type": 1, "id": number, "body": f"<p>In {number}: {spans[number - 7]}.</p>"} for number in (7, 8)
    ]
    (tmp_path / "posts.jsonl").write_text("".join(json.dumps(post) + "\n" for post in posts))
    table = tmp_path / "formulas.tsv"
    rows = [
        ("1", "7", "question", "v1", "x"),
        ("2", "7", "comment", "v2", "y"),
        ("1", "8", "question", "v2", "y"),
        ("3", "8", "poem", "", "z"),
        ("4", "8", "answer", "v4", " "),
    ]
    lines = ["id\tpost_id\ttype\tvisual_id\tformula", *map("\t".join, rows), "cut\toff"]
    table.write_text("\n".join(lines) + "\n")
    said: list[str] = []
    built = index(
        IndexFormulas(tmp_path, tmp_path / "index"),
        events=lambda event: said.append(str(event.data["message"])) if event.kind == "warning" else None,
    )
    assert (built["formulas"], built["left_out"], built["without_context"]) == (4, 2, 3)
    for what, line in (
        ("1 formulas have the id of an earlier one", 4),
        ("1 formulas are in the text of another post", 3),
        ("1 formulas have no visual id", 5),
        ("1 formulas are in another field", 5),
        ("1 formulas have no LaTeX", 6),
        ("1 rows could not be read", 7),
    ):
        assert [f"{table}:{line}" in one for one in said if one.startswith(what)] == [True], what
    made = FormulaIndex(tmp_path / "index")
    assert made.latex_of(["1"]) == {"1": "x"}
    assert made.field_of("1") == 'In 7: "eqx1eqx".'
    assert made.field_of("2") is None


def test_formulas_of_one_id_in_several_posts_stand_in_their_own(tmp_path: Path) -> None:
    span = '<span class="math-container" id="1">x</span>'
    posts = [
        {"type": 1, "id": number, "body": f"<p>In {number}: {span} and {span}.</p>"} for number in (7, 8)
    ]
    (tmp_path / "posts.jsonl").write_text("".join(json.dumps(post) + "\n" for post in posts))
    alone = index(IndexFormulas(tmp_path, tmp_path / "alone"))
    assert (alone["formulas"], alone["doubts"]) == (1, {"formulas have the id of an earlier one": 1})
    (tmp_path / "formulas.tsv").write_text("id\tpost_id\ttype\tformula\n1\t8\tquestion\tx\n")
    built = index(IndexFormulas(tmp_path, tmp_path / "index"))
    assert (built["formulas"], built["doubts"]) == (1, {})
    assert FormulaIndex(tmp_path / "index").field_of("1") == 'In 8: "eqx1eqx" and "eqx1eqx".'


def test_files_of_task_2_that_differ_are_named_and_the_first_counts(tmp_path: Path) -> None:
    for name in ("posts.jsonl", "topics_task2.xml", "qrels_task2.tsv", "mathamr_topics.jsonl"):
        shutil.copy(FORUM / name, tmp_path)
    first = json.loads((FORUM / "mathamr_topics.jsonl").read_text().splitlines()[0])
    (tmp_path / "mathamr_topics_2.jsonl").write_text(json.dumps({**first, "mathamr": "(x / other)"}) + "\n")
    topic, _, formula, grade = (FORUM / "qrels_task2.tsv").read_text().splitlines()[0].split()
    (tmp_path / "qrels_task2_more.tsv").write_text(f"{topic} 0 {formula} {(int(grade) + 1) % 4}\n")
    other = f'<Topics><Topic number="{topic}"><Question>Why?</Question></Topic></Topics>'
    (tmp_path / "topics_task2_more.xml").write_text(other)
    said: list[str] = []
    task = Task2(ArqmathFolder.open(tmp_path), lambda event: said.append(str(event.data["message"])))
    assert task.graphs[first["topic_id"]] == first["mathamr"]
    assert task.grades[topic][formula] == int(grade)
    assert task.topics[topic].question.text != "Why?"
    assert [one.partition(" differs")[0].rpartition(": ")[2] for one in said] == [
        f"the graph of {first['topic_id']}",
        f"the grade of {formula} for {topic}",
        f"the topic {topic}",
    ]
    assert task.left_out == 3


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="the system does not say what is held")
def test_a_search_leaves_nothing_of_the_index_in_memory(opened: FormulaIndex) -> None:
    """By what Linux says of each file that the process has mapped."""

    def held() -> int:
        kilobytes, ours = 0, False
        for line in Path("/proc/self/smaps").read_text("utf-8").splitlines():
            if "-" in line.split()[0] and ":" not in line.split()[0]:
                ours = str(opened.folder) in line
            elif ours and line.startswith("Rss:"):
                kilobytes += int(line.split()[1])
        return kilobytes

    first = search(SearchFormulas(opened.folder, "x^2+y^2"))
    assert first["hits"]
    opened.release_memory()
    assert held() == 0
    opened.search(count_features(search_tree("x^2+y^2")), 5)
    assert held() > 0
    assert search(SearchFormulas(opened.folder, "x^2+y^2")) == first
    opened.release_memory()
    assert held() == 0


class _ByText:
    """Judge and fingerprints that know one thing: letters stand in any order."""

    version = 7

    def compute_fingerprint(self, tree: Tree) -> Fingerprint:
        key = (sum(map(ord, "".join(sorted(tree.list_labels())))),)
        parts = tuple(
            ((place,), self.compute_fingerprint(child).whole)
            for place, child in enumerate(tree.children)
            if child.children
        )
        return Fingerprint(key, (), parts)

    def iterate_renamings(self, one: Tree, other: Tree) -> Iterator[tuple[Mapping[str, str], Tree]]:
        yield from ()

    def equal(self, left: Tree, right: Tree, assume: Sequence[Tree] = ()) -> Verdict:
        same = sorted(left.list_labels()) == sorted(right.list_labels())
        return Verdict("equal if", "it is said") if same else Verdict("different")

    def holds(self, statement: Tree, assume: Sequence[Tree] = ()) -> Verdict:
        return Verdict("undecided")


def test_equal_formulas_are_those_that_the_judge_proves(
    opened: FormulaIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_text, place = _ByText(), tmp_path / "values"
    for name in ("judge", "ValueFingerprints"):
        monkeypatch.setattr(f"engines.mathamr.retrieval.equal_formulas.{name}", lambda: by_text)
    built = index(IndexFormulas(FORUM, place, values=True))
    assert built["values"]["version"] == 7
    texts = FormulaIndex(place).looks["latex"].to_pylist()
    trees = [tree for one in texts if (tree := read(one).tree) is not None]
    with_keys = [
        one for one in map(by_text.compute_fingerprint, trees) if one.whole or one.renamed or one.parts
    ]
    assert built["values"]["looks"] == len(with_keys) < len(texts)
    asked = SearchFormulas(place, r"b+a", how="equal")
    hits = search(asked)["hits"]
    assert hits
    assert {hit["verdict"] for hit in hits} == {"equal if"}
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    assert all("a" in hit["latex"] and "b" in hit["latex"] for hit in hits)
    with expect_error("E670"):
        search(SearchFormulas(opened.folder, "a", how="equal"))
    with expect_error("E376"):
        search(SearchFormulas(place, r"\frac{a}{", how="equal"))
    monkeypatch.setattr("engines.mathamr.retrieval.equal_formulas._REFUSED", 0)
    told: list[Event] = []
    assert not search(asked, events=told.append)["hits"]
    assert "the rest was not judged" in str(told[-1].data["message"])


@pytest.mark.parametrize("name", ["", "q-7"])
def test_a_topic_whose_formula_is_not_in_its_text_is_shown_without_context(name: str, tmp_path: Path) -> None:
    (tmp_path / "topics_task2.xml").write_text(
        f'<Topics><Topic number="B.1"><Formula_Id>{name}</Formula_Id><Latex>x^2+1</Latex>'
        "<Title>A square</Title><Question>No formula.</Question><Tags>sums</Tags></Topic></Topics>"
    )
    found = inspect(Inspect(folder=tmp_path, topic="B.1", k=0), cache=tmp_path)
    assert [one["latex"] for one in found["formulas"]] == ["x^2+1"]
    assert any("without context" in warning for warning in found["warnings"])
