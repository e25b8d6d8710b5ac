"""The prime measures against worked examples, ir_measures (trec_eval) and the published per-topic figures."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from engines.core.errors import DataError
from engines.retrieval.fusion import reciprocal_rank_fusion, tune_weights, weighted_sum
from engines.retrieval.measures import evaluate, evaluate_answers
from engines.retrieval.significance import (
    bonferroni,
    bootstrap_bounds,
    bootstrap_interval,
    compare,
    holm,
    sign_p,
    student_quantile,
)
from engines.retrieval.trec import (
    Qrels,
    TrecRun,
    by_grade,
    check_topics,
    read_answers,
    read_qrels,
    read_run,
    read_visual_ids,
    to_visual_ids,
    write_run,
)
from tests.conftest import expect_error

QRELS = Qrels({"T": {"a": 3, "b": 0, "c": 2, "d": 1, "e": 2}})
NAMES = [
    "Baseline_LinkedMSE",
    "MathDowsers_alpha05noReRank",
    "PSU_post_anserini",
    "PSU_post_rrf_mlt_anserini_roberta",
    "PSU_prim_A",
    "PSU_prim_P",
    "zbMATH_P",
]


def ranked(*documents: str) -> TrecRun:
    return TrecRun("test", {"T": [(document, float(-rank)) for rank, document in enumerate(documents)]})


def test_worked_example_of_the_fact_sheet() -> None:
    row = evaluate(ranked("u1", "b", "a", "u2", "d", "c", "u3"), QRELS).per_topic["T"]
    assert row["ndcg_prime"] == pytest.approx(0.5717, abs=5e-5)
    assert row["map_prime"] == pytest.approx(1 / 3)
    assert row["p10_prime"] == pytest.approx(0.2)


def test_missing_topics_count_as_zero_in_the_mean_only() -> None:
    qrels = Qrels({"T": {"a": 3}, "U": {"a": 3}})
    result = evaluate(ranked("a"), qrels)
    assert result.mean["ndcg_prime"] == pytest.approx(0.5)
    assert result.mean_in_run["ndcg_prime"] == pytest.approx(1.0)
    assert result.topics_in_run == ("T",)


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize("name", NAMES)
def test_published_runs_topic_by_topic(real_data: Path, name: str) -> None:
    folder = real_data / "arqmath" / "runs_task1_2020"
    qrels = read_qrels(real_data / "arqmath" / "qrels_task1_2020.tsv.gz")
    result = evaluate(read_run(folder / f"{name}.tsv.gz"), qrels)
    with open(folder / f"{name}.per_topic.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) == 77
    for row in rows:
        ours = result.per_topic[row["topic"]]
        assert ours["ndcg_prime"] == pytest.approx(float(row["ndcg_prime"]), abs=5e-5)
        assert ours["map_prime"] == pytest.approx(float(row["ap_prime_rel2"]), abs=5e-5)
        assert ours["p10_prime"] == pytest.approx(float(row["p10_prime_rel2"]), abs=5e-5)
        assert result.judged_counts[row["topic"]][0] == int(row["judged_retrieved"])
    with open(folder / "scores.tsv", encoding="utf-8") as file:
        means = {row["run"]: row for row in csv.DictReader(file, delimiter="\t")}[name]
    assert result.mean["ndcg_prime"] == pytest.approx(float(means["ndcg_prime"]), abs=5e-5)
    assert result.mean["map_prime"] == pytest.approx(float(means["map_prime_rel2"]), abs=5e-5)
    assert result.mean["p10_prime"] == pytest.approx(float(means["p10_prime_rel2"]), abs=5e-5)


@pytest.mark.real_data
@pytest.mark.parametrize("name", NAMES)
def test_equal_to_ir_measures(real_data: Path, name: str) -> None:
    import ir_measures
    from ir_measures import AP, RR, Bpref, P, nDCG

    run = read_run(real_data / "arqmath" / "runs_task1_2020" / f"{name}.tsv.gz")
    qrels = read_qrels(real_data / "arqmath" / "qrels_task1_2020.tsv.gz")
    names = {
        nDCG(judged_only=True): "ndcg_prime",
        nDCG(judged_only=True) @ 10: "ndcg10_prime",
        AP(rel=2, judged_only=True): "map_prime",
        P(rel=2, judged_only=True) @ 10: "p10_prime",
        P(rel=2, judged_only=True) @ 5: "p5_prime",
        RR(rel=2, judged_only=True): "mrr",
        Bpref(rel=2): "bpref",
    }
    theirs = ir_measures.iter_calc(
        list(names),
        {topic: dict(grades) for topic, grades in qrels.grades.items()},
        {topic: dict(ranking) for topic, ranking in run.rankings.items()},
    )
    ours = evaluate(run, qrels).per_topic
    compared = 0
    for metric in theirs:
        assert ours[metric.query_id][names[metric.measure]] == pytest.approx(metric.value, abs=5e-5), metric
        compared += 1
    assert compared >= 7 * len(run.rankings)


@pytest.mark.real_data
def test_stored_trec_eval_output(real_data: Path) -> None:
    folder = real_data / "arqmath" / "runs_task1_2020"
    text = (folder / "trec_eval_output.prim_MathDowsers-task1-alpha05noReRank-auto-both-A.txt").read_text()
    theirs = {line.split()[0]: line.split()[-1] for line in text.splitlines()}
    qrels = read_qrels(real_data / "arqmath" / "qrels_task1_2020.tsv.gz")
    ours = evaluate(read_run(folder / "MathDowsers_alpha05noReRank.tsv.gz"), qrels).mean
    for measure, name in {
        "map": "map_prime",
        "bpref": "bpref",
        "recip_rank": "mrr",
        "P_5": "p5_prime",
    }.items():
        assert ours[name] == pytest.approx(float(theirs[measure]), abs=5e-5)


@pytest.mark.real_data
def test_task_3_scores(real_data: Path) -> None:
    folder = real_data / "arqmath"
    qrels = read_qrels(folder / "task3_qrels_2022.tsv", task=3)
    runs: dict[str, list[tuple[str, str]]] = {}
    for line in (folder / "task3_run_map_2022.tsv").read_text().splitlines():
        name, topic, document = line.split("\t")
        runs.setdefault(name, []).append((topic, document))
    with open(folder / "task3_scores_2022.tsv", encoding="utf-8") as file:
        expected = list(csv.DictReader(file, delimiter="\t"))
    assert len(expected) == 7
    for row in expected:
        ours = evaluate_answers(runs[row["run"]], qrels)
        assert len(ours.grades) == int(row["topics_judged"])
        assert ours.ar == pytest.approx(float(row["AR"]), abs=5e-5)
        assert ours.p1 == pytest.approx(float(row["P@1"]), abs=5e-5)


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (1, 0), (5, 5), (2, 11), (30, 12)])
def test_the_sign_test_is_that_of_a_fair_coin(wins: int, losses: int) -> None:
    from scipy import stats

    count = wins + losses
    expected = stats.binomtest(wins, count).pvalue if count else 1
    assert sign_p(wins, losses) == pytest.approx(expected)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_five_and_six_columns_give_the_same_run(tmp_path: Path) -> None:
    trec = write(tmp_path / "trec", "A.1\tQ0\t12\t1\t3.5\tme\nA.1\tQ0\t13\t2\t2.5\tme\n")
    arqmath = write(tmp_path / "arqmath", "A.1\t12\t1\t3.5\tme\nA.1\t13\t2\t2.5\tme\n")
    assert read_run(trec).rankings == read_run(arqmath).rankings == {"A.1": [("12", 3.5), ("13", 2.5)]}


def test_task_2_file_with_post_ids(tmp_path: Path) -> None:
    path = write(tmp_path / "run", "B.1\t701\t12\t1\t3.5\tme\nB.1\t702\t13\t2\t2.5\tme\n")
    run = read_run(path, task=2)
    assert run.rankings == {"B.1": [("701", 3.5), ("702", 2.5)]}
    assert run.posts == {"701": "12", "702": "13"}


def test_formulas_that_look_the_same_count_once(tmp_path: Path) -> None:
    ids = read_visual_ids(write(tmp_path / "ids", "id\tpost_id\tvisual_id\n1\t9\t77\n2\t9\t77\n3\t9\t\n"))
    run, unknown = to_visual_ids(TrecRun("me", {"B.1": [("1", 1.0), ("2", 2.0), ("3", 3.0)]}), ids)
    assert run.rankings == {"B.1": [("77", 2.0)]}
    assert unknown == 1


def test_duplicates_keep_the_best_score_and_are_reported(tmp_path: Path) -> None:
    run = read_run(write(tmp_path / "run", "A.1\tQ0\t12\t1\t1\tme\nA.1\tQ0\t12\t2\t5\tme\n"))
    assert run.rankings == {"A.1": [("12", 5.0)]}
    (warning,) = run.warnings
    assert "line 2" in warning


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("A.1\tQ0\t12\t1\tnan\tme\n", 1),
        ("A.1\tQ0\t12\t1\t1\tme\nA.1\tQ0\t12\t1\tinf\tme\n", 2),
        ("A.1\tQ0\t12\t1\tgood\tme\n", 1),
        ("A.1\tQ0\t12\t1\t1\tme\nA.1\t12\t1\t1\n", 2),
        ("A.1 0 12 3\n", 1),
    ],
)
def test_broken_runs_name_file_and_line(tmp_path: Path, text: str, line: int) -> None:
    with pytest.raises(DataError) as caught:
        read_run(write(tmp_path / "broken", text))
    assert caught.value.where.endswith(f"broken:{line}")


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("A.1\t1\t0.5\tgpt\t9001\tBy $x$, so it is.\n", 3),
        ("B.1\tq_7\t12\t1\t3.5\tme\nB.1\tq_8\t12\t2\t3.1\tme\n", 2),
    ],
)
def test_runs_of_another_task_are_told(tmp_path: Path, text: str, task: int) -> None:
    with expect_error("E318") as caught:
        read_run(write(tmp_path / "run", text))
    assert f"Task {task}" in caught.value.what


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("A.1\t0\t12\n", 1),
        ("A.1\t0\t12\thigh\n", 1),
        ("A.1\t0\t12\t9\n", 3),
        ("A 0 1 1\nA 0 1 2\n", 1),
    ],
)
def test_broken_qrels_are_refused(tmp_path: Path, text: str, task: int) -> None:
    with pytest.raises(DataError):
        read_qrels(write(tmp_path / "qrels", text), task=task)


def test_qrels_of_another_task_are_refused() -> None:
    with expect_error("E300"):
        check_topics(ranked("a"), Qrels({"B.1": {"a": 1}}), run_path="run", qrels_path="qrels")


@pytest.mark.parametrize(
    ("lines", "doubt"),
    [
        (("T Q0 a 1 1 x", "T Q0 b 2 2 x"), "the rank"),
        (("T\ta\t1\t1.0\tx", "T\tb\t2\t2.0\tx"), "the rank"),
        (("T Q0 a 1 7 x", "T Q0 b 2 7 x", "U Q0 a 1 3 x"), "are equal"),
        (("T Q0 a 1 2 x", "T Q0 b 2 1 x"), ""),
        (("T Q0 a 2 7 x", "T Q0 b 1 3 x"), "by rank"),
        (("T Q0 a 1 7 x", "T Q0 b 2 3 y"), "names 2 runs"),
        (("T Q0 a 1 1 x", "U Q0 b 1 1 x"), ""),
        (("T Q0 a 1 7 x", "T Q0 b 2 7 x", "U Q0 a 1 3 x", "U Q0 b 2 1 x"), ""),
    ],
)
def test_scores_that_look_like_none_are_named(tmp_path: Path, lines: tuple[str, ...], doubt: str) -> None:
    doubts = read_run(write(tmp_path / "run", "\n".join(lines) + "\n")).doubts
    assert len(doubts) == bool(doubt)
    assert all(doubt in one for one in doubts)


def test_ordinary_grades_of_trec(tmp_path: Path) -> None:
    path = write(tmp_path / "qrels", "A 0 a 7\nA 0 b -2\nA 0 c 5\nA 0 d 0\nB 0 a -1\n")
    qrels = read_qrels(path)
    assert qrels.grades == {"A": {"a": 7, "c": 5, "d": 0}, "B": {}}
    assert by_grade(qrels.grades["A"].values()) == [1, 0, 0, 2]
    with expect_error("E300", line=2):
        read_qrels(write(tmp_path / "two", "A 0 a -3\nA 0 a 1\n"))
    with expect_error("E300"):
        read_qrels(write(tmp_path / "none", "A 0 a -1\n"))
    with expect_error("E300", line=1):
        read_qrels(write(tmp_path / "no", "A 0 a 1.5\n"))


def test_judgements_below_0_are_removed_as_trec_eval_does(tmp_path: Path) -> None:
    pytrec_eval = pytest.importorskip("pytrec_eval")
    draw = np.random.default_rng(4)
    marks = {
        topic: {f"d{n}": int(draw.integers(-2, 4)) for n in range(60) if draw.random() < 0.5}
        for topic in "ABCDEFGH"
    }
    marks["H"] = {"d1": -1, "d2": -2}
    scores = {topic: {f"d{n}": float(draw.integers(0, 1_000)) for n in range(60)} for topic in marks}
    qrels = "".join(f"{topic} 0 {name} {mark}\n" for topic in marks for name, mark in marks[topic].items())
    run = "".join(f"{topic} Q0 {name} 1 {at} x\n" for topic in scores for name, at in scores[topic].items())
    ours = evaluate(read_run(write(tmp_path / "run", run)), read_qrels(write(tmp_path / "qrels", qrels)))
    names = {"ndcg": "ndcg_prime", "map": "map_prime", "P_10": "p10_prime", "recip_rank": "mrr"}
    theirs = pytrec_eval.RelevanceEvaluator(
        marks, set(names), relevance_level=2, judged_docs_only_flag=True
    ).evaluate(scores)
    assert any(mark < 0 for documents in marks.values() for mark in documents.values())
    assert theirs.keys() == ours.per_topic.keys()
    for topic, values in theirs.items():
        for name, value in values.items():
            assert ours.per_topic[topic][names[name]] == pytest.approx(value, abs=1e-9), (topic, name)


@pytest.mark.parametrize(
    "lines",
    [
        ("A.1 Q0 17 1 9.5", "A.1 Q0 18 2 8.5"),
        ("A.1\tQ0\t17\t1\t9.5",),
        ("A.1 0 17 1 9.5", "A.1 0 18 2 8.5"),
        ("A.1 q0 17 1 7", "A.1 q0 18 2 7"),
        ("B.1\tq_1\t17\t1\t0.9", "B.1\tq_2\t17\t2\t0.8"),
    ],
)
def test_a_run_without_its_tag_says_so(tmp_path: Path, lines: tuple[str, ...]) -> None:
    path = write(tmp_path / "run", "\n".join(lines) + "\n")
    for task in (None, 1, 2):
        with expect_error("E300", line=1) as caught:
            read_run(path, task=task)
        assert "append a tag" in caught.value.remedy


@pytest.mark.parametrize("tag", ["x", "7", "2020", "1e3"])
def test_a_tag_may_be_a_number(tmp_path: Path, tag: str) -> None:
    run = read_run(write(tmp_path / "run", f"A.1\t17\t1\t9.5\t{tag}\nA.1\t18\t2\t8.5\t{tag}\n"))
    assert (run.tag, [document for document, _ in run.rankings["A.1"]]) == (tag, ["17", "18"])


def test_a_tag_of_several_words_is_one_column(tmp_path: Path) -> None:
    write_run(TrecRun("lexical + dense", {"A": [("a", 1.0)]}), tmp_path / "run")
    assert len((tmp_path / "run").read_text().split()) == 6


def test_marks_5_and_6_count_as_0(tmp_path: Path) -> None:
    qrels = read_qrels(write(tmp_path / "qrels", "A\t0\ta\t5\nA\t0\tb\t6\nA\t0\tc\t3\n"), task=3)
    assert qrels.distribution() == {0: 2, 3: 1}


def test_written_scores_fall_strictly_in_single_precision(tmp_path: Path) -> None:

    scores = [1.0, 1.0, 1.0 - 1e-12, 0.5, 0.0, 0.0, -2.0, -2.0]
    run = TrecRun("me", {"A.1": [(str(i), score) for i, score in enumerate(scores)]})
    write_run(run, tmp_path / "run")
    lines = (tmp_path / "run").read_text().splitlines()
    written = np.array([line.split("\t")[4] for line in lines], dtype=np.float32)
    assert np.all(np.diff(written) < 0)
    assert [doc for doc, _ in read_run(tmp_path / "run").rankings["A.1"]] == [str(i) for i in range(8)]


def test_ties_follow_trec_eval() -> None:
    run = TrecRun.from_scores("me", {"T": [("a", 1.0), ("c", 1.0 + 1e-12), ("b", 1.0)]})
    assert [document for document, _ in run.rankings["T"]] == ["c", "b", "a"]


def test_task_3_answers_are_checked(tmp_path: Path) -> None:
    long = "x" * 1201
    path = write(tmp_path / "run", f"A.1\t1\t1.0\tme\tmodel\tan answer with $x\nA.2\t1\t1\tme\tm\t{long}\n")
    answers, warnings = read_answers(path)
    assert [answer.topic for answer in answers] == ["A.1", "A.2"]
    assert len(warnings) == 2
    with expect_error("E300", line=2):
        read_answers(write(tmp_path / "twice", "A.1\t1\t1\tme\tm\ta\nA.1\t1\t1\tme\tm\tb\n"))


def test_reciprocal_rank_fusion_by_hand() -> None:
    one, two = ranked("a", "b"), ranked("b", "c")
    scores = dict(reciprocal_rank_fusion([one, two], k=60).rankings["T"])
    assert scores == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})
    weighted = TrecRun("w", {"T": [("a", 0.9), ("b", 0.3)]})
    scores = dict(reciprocal_rank_fusion([weighted], by_score=True).rankings["T"])
    assert scores == pytest.approx({"a": 0.9 / 61, "b": 0.3 / 62})


def test_the_weighted_sum_by_hand() -> None:
    one = TrecRun("one", {"T": [("a", 3.0), ("b", 2.0), ("c", 1.0)]})
    two = TrecRun("two", {"T": [("b", 10.0), ("d", 0.0)]})
    assert dict(weighted_sum([one, two], [0.5, 0.5]).rankings["T"]) == pytest.approx(
        {"a": 0.5, "b": 0.75, "c": 0.0, "d": 0.0}
    )


def test_weights_are_tuned_on_the_given_topics_only() -> None:
    good = TrecRun("good", {"T": [("a", 1.0), ("b", 0.0)], "U": [("b", 1.0), ("a", 0.0)]})
    bad = TrecRun("bad", {"T": [("b", 1.0), ("a", 0.0)], "U": [("a", 1.0), ("b", 0.0)]})
    qrels = Qrels({"T": {"a": 3, "b": 0}, "U": {"a": 3, "b": 0}})
    on_t, _ = tune_weights([good, bad], qrels, topics=["T"])
    on_u, _ = tune_weights([good, bad], qrels, topics=["U"])
    assert on_t[0] > 0.5 > on_u[0]


def test_tuned_weights_are_measured_as_the_sums_of_whole_runs() -> None:
    generator = np.random.default_rng(0)
    names = [f"d{number}" for number in range(30)]
    runs = [
        TrecRun.from_scores(
            str(run),
            {
                topic: [(d, float(generator.integers(9))) for d in generator.permutation(names)[:20]]
                for topic in "TUV"
            },
        )
        for run in range(3)
    ]
    qrels = Qrels({topic: {d: int(generator.integers(4)) for d in names[::3]} for topic in "TUVW"})
    _, tried = tune_weights(runs, qrels, topics=["T", "U", "W"], steps=4)
    assert len(tried) == 15
    chosen = Qrels({topic: qrels.grades[topic] for topic in "TUW"})
    for weights, value in tried.items():
        whole = weighted_sum(runs, [float(weight) for weight in weights.split()])
        assert evaluate(whole, chosen).mean["ndcg_prime"] == value


@pytest.mark.parametrize("free", [1, 2, 4, 29, 10_000])
def test_quantiles_of_student_against_scipy(free: int) -> None:
    from scipy import stats

    for share in (0.5, 0.95, 0.999):
        assert student_quantile(share, free) == pytest.approx(stats.t.ppf(0.5 + share / 2, free), rel=1e-9)


def test_paired_tests_against_scipy() -> None:
    from scipy import stats

    a = {str(i): value for i, value in enumerate([0.1, 0.4, 0.3, 0.5, 0.2, 0.7, 0.3, 0.1])}
    b = {str(i): value for i, value in enumerate([0.3, 0.5, 0.3, 0.6, 0.5, 0.6, 0.5, 0.4])}
    result = compare(a, b)
    assert result.t_p == pytest.approx(stats.ttest_rel(list(b.values()), list(a.values())).pvalue)
    exact = stats.permutation_test(
        (list(b.values()), list(a.values())), lambda x, y: (x - y).mean(), permutation_type="samples"
    ).pvalue
    assert result.randomisation_p == pytest.approx(exact)
    assert (result.wins, result.losses) == (6, 1)
    values = np.array([b[topic] - a[topic] for topic in a])
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=10_000, batch=1_000, method="percentile", rng=np.random.default_rng(0)
    ).confidence_interval
    assert result.interval == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_interval_covers_the_mean_as_often_as_it_says() -> None:

    generator = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        low, high = bootstrap_interval(generator.normal(0.4, 0.2, 70).tolist(), draws=1_000)
        hits += low <= 0.4 <= high
    assert 180 <= hits <= 199


def test_corrections() -> None:
    assert bonferroni([0.01, 0.04, 0.5]) == pytest.approx([0.03, 0.12, 1.0])
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_bootstrap_of_groups_and_of_nothing() -> None:
    values = np.array([0.1, 0.5, 0.9, 0.4])
    by_rows = bootstrap_bounds(lambda rows: values[rows].mean(-1), 4, draws=500, seed=3)
    assert by_rows == bootstrap_interval(values.tolist(), draws=500, seed=3)
    generator = np.random.default_rng(3)
    means = [values[generator.integers(4, size=4)].mean() for _ in range(500)]
    assert by_rows == pytest.approx(tuple(np.percentile(means, [2.5, 97.5])))
    assert bootstrap_interval([0.3]) == (0.3, 0.3)
    assert all(np.isnan(bootstrap_interval([])))
