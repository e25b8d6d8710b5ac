"""Answers found in solutions, read and graded; each case is worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

from engines.core.errors import DataError, EngineError
from engines.core.events import Event
from engines.core.tree import Tree
from engines.grading import graded_files
from engines.grading.adapters import make_reward, parse, process_results, verify
from engines.grading.final_answer import answer
from engines.grading.graded_files import GradePairs, exit_code, grade_pairs, grades_document
from engines.grading.grades import Grade, GradePolicy, grade
from engines.mathematics.judging.judge import Judge
from engines.mathematics.judging.verdicts import Verdict


@pytest.mark.parametrize(
    ("solution", "found"),
    [
        (r"First \boxed{3}. No, that is wrong. So \boxed{\frac{1}{2}}.", r"\frac{1}{2}"),
        (r"Thus \boxed{1} and \boxed{-2}.", "1, -2"),
        (r"\boxed{7}. I repeat: the answer is \boxed{7}.", "7"),
        (r"we get \boxed{ \left\{ x : x > 0 \right\} }", r"\left\{ x : x > 0 \right\}"),
        ("12 + 8 = 20 and 20 / 4 = 5\n#### 5", "5"),
        ("The answer is $x^2$, because $3 > 2$.", "x^2"),
        ("So the answer is (B).", "(B)"),
        ("Final Answer: The largest $n$ is 34.", "34"),
        ("✅ Final Answer: **73**", "73"),
        ("<think>It is \\boxed{4}</think> The result is $5$.", "5"),
        ("Adding gives $2 + 3 = 5$, hence $y = 5$ is what we want.", "y = 5"),
        ("there are 1,200 apples in 3 boxes, so 400", "400"),
        (r"\[ x = 1 \] so it is \( \frac{2}{3} \).", r"\frac{2}{3}"),
        (r"\begin{align*} a &= 1 \\ &= \boxed{9} \end{align*}", "9"),
        ("$\\boxed{28 percent}", "28 percent"),
        ("<think>4?</think><answer>The total is 15</answer>", "15"),
        (r"Final Answer: the last digits of \(2003^{2002}\) are \[Answer: 009\]", "009"),
        ("", ""),
    ],
)
def test_the_answer_of_a_solution(solution: str, found: str) -> None:
    assert answer(solution) == found


EQUAL = [
    (r"\frac12", "0.5"),
    (r"\dfrac{1}{2}", "1/2"),
    (r"\frac{\pi}{2}", "pi/2"),
    ("e^{16} - 1", "-1 + exp(16)"),
    (r"14 - i", "14.0 + -1.0i"),
    ("1{,}000", "1000"),
    ("1,234,567", r"1\,234\,567"),
    (r"\$16,\!386.16", "16386.16 dollars"),
    ("x = 5", "5"),
    ("5", "x=5"),
    ("5", "5 = x"),
    (r"x \in [-2,7]", "[-2, 7]"),
    (r"-2 \le x \le 7", r"\left[-2,7\right]"),
    (r"x \ge 5", r"[5, \infty)"),
    ("(2,3)", "2 < x < 3"),
    (r"x \ne 3", r"(-\infty,3)\cup(3,\infty)"),
    ("1,2,3", "3, 2, 1"),
    (r"\{1,2\}", r"\left\{ 2, 1 \right\}"),
    (r"3 \pm 2\sqrt{2}", r"3+2\sqrt2, 3-2\sqrt2"),
    ("(1,2)", r"\left( \frac{2}{2}, 2.0 \right)"),
    ("AB=4, CD=5", "4, 5"),
    ("a=1, b=2", "b=2, a=1"),
    ("2x+4y-3=0", r"y = -\frac12 x + \frac34"),
    ("x<1", "-x>-1"),
    (r"15\mbox{ cm}^2", "15"),
    ("1 m", "100 cm"),
    (r"1\text{ m}^2", r"10000\text{ cm}^2"),
    (r"1 < |x| \le 2", r"[-2,-1)\cup(1,2]"),
    (r"2\text{ hours}", r"120 \text{ minutes}"),
    (r"90^\circ", r"\frac{\pi}{2}"),
    ("28%", "0.28"),
    (r"28\%", "28 percent"),
    (r"\text{(C)}", "C"),
    ("C", "The correct option is (C)."),
    (r"\text{Evelyn}", "Evelyn"),
    (r"\text{Even}", "even"),
    ("1:2", "2:4"),
    ("1:2", "1/2"),
    (r"1\frac{12}{13}", r"\frac{25}{13}"),
    ("204_5", "204_{5}"),
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\begin{bmatrix} 1 \\ 4/2 \end{bmatrix}"),
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\langle 1, 2 \rangle"),
    (r"\text{4:30 p.m.}", "4:30 PM"),
    (r"\emptyset", "no solution"),
    (r"\mathbb{R}", r"(-\infty,\infty)"),
    (r"\frac{x+2}{7}", r"\frac{x}{7}+\frac27"),
    ("x^2", "x**2"),
    (r"\frac{\sqrt3}{3}", r"1/\sqrt{3}"),
    (r"\frac{1}{12}", "0.0833333333333333"),
    (r"10^{10^{10}}", r"10^{10^{10}}"),
    (r"1.5 \times 10^{3}", "1500"),
    ("p=5,q=2;p=7,q=2", "(5,2),(7,2)"),
]
NOT_EQUAL = [
    ("1/3", "0.33", "different"),
    (r"\frac{1}{2004!}", r"\frac{1}{2006!}", "different"),
    ("1 - 1/e", "1 + 1/e", "different"),
    ("4", r"4\sqrt{2}", "different"),
    ("[0,9)", "[0,9]", "different"),
    (r"\{1,2\}", "(2, 1)", "equal if"),
    ("(1, 2)", r"\{1, 2\}", "equal if"),
    ("(1,2)", "(2,1)", "different"),
    ("1,2", "1.2", "equal if"),
    ("3,5", "3.5", "equal if"),
    ("x = 2,3", "x = 2.3", "equal if"),
    ("(1,2)", "1.2", "different"),
    ("1, 2", "1.2", "different"),
    ("1,2,3", "1,2", "different"),
    ("AB=4, CD=5", "5, 4", "different"),
    ("32349", "32, 349", "different"),
    ("12:00", "1:00", "different"),
    ("1:30 pm", "1:30 am", "different"),
    (r"9\text{ a.m.}", r"9 \text{ p.m.}", "different"),
    ("1 m", "1 km", "different"),
    ("28%", "28", "equal if"),
    ("x=5", "y=5", "equal if"),
    (r"3\text{ apples}", r"3\text{ pears}", "equal if"),
    ("204_5", "204_6", "different"),
    ("204_5", "204", "equal if"),
    ("204_5", "54", "equal if"),
    ("8_9", "8_{10}", "equal if"),
    (r"\text{Monday}", r"\text{Tuesday}", "different"),
    ("A", "B", "different"),
    ("3x - y + 13 = 0", "3x + 4y + 14 = 0", "different"),
    ("a + 3z = 0", "0", "undecided"),
    ("x > 5", "x < 5", "different"),
    (r"\begin{pmatrix} 1 \\ 2 \end{pmatrix}", r"\begin{pmatrix} 1 & 2 \end{pmatrix}", "different"),
    (r"\pm 2021", "2021", "different"),
    ("10^{10^{10}}", "10^{10^{11}}", "different"),
    ("x", "", "unread"),
    (r"\frac{1}{2}", r"\frac{1}{2", "unread"),
    ("90^\\circ", "90\\pi", "different"),
    ("5", "at least 5", "different"),
    ("5", r"5 \text{ million}", "different"),
    ("1/2", "1:2ise", "different"),
    ("1, 2 = + =", "1, 3 = + =", "unread"),
]


@pytest.mark.parametrize(("gold", "pred"), EQUAL)
def test_equal_answers(gold: str, pred: str) -> None:
    found = grade(gold, pred)
    assert found.verdict == "equal", found
    assert grade(gold, rf"We compute a while, and so $3 > 2$. Hence \boxed{{{pred}}}.").accepted


@pytest.mark.parametrize(("gold", "pred", "verdict"), NOT_EQUAL)
def test_answers_that_are_not_equal_say_why(gold: str, pred: str, verdict: str) -> None:
    found = grade(gold, pred)
    assert found.verdict == verdict, found
    assert found.condition or found.witness or found.reason


def test_numbers_are_rounded_when_asked_and_units_compared_as_asked() -> None:
    assert grade(r"\pi", "3.14", digits=2).accepted
    assert not grade(r"\pi", "3.15", digits=2).accepted
    assert not grade("0.33", "0.336", digits=2).accepted
    assert grade("(3/5, 8/3]", "(0.6, 2.667]", digits=3).accepted
    assert not grade("5 cm", "5", units="require").accepted
    assert grade("5 cm", "5 m", units="ignore").accepted
    assert grade("2000 nm", "0.002 mm").accepted
    assert not grade("2 nm", "2 Nm").accepted


def test_converted_quantities_that_differ_are_shown_with_their_unit() -> None:
    assert grade("3 km", "4000 m").witness == "3000 and 4000, in m"
    assert grade("2 ft^2", "3 m^2").witness.endswith(", in m^2")
    assert grade("3 km", "4 km").witness == "3 and 4"
    assert grade("3 km", "3000 m").accepted


@pytest.mark.parametrize(
    "text",
    [
        "9" * 1_000_000,
        "x" * 1_000_000,
        "(" * 100_000,
        "(" * 300 + "sqrt(4)" + ")" * 300,
        "sqrt(" * 300 + "4" + ")" * 300,
        "{" * 5_000 + "1" + "}" * 5_000,
        r"\boxed{" * 20_000,
        "[asy]" * 40_000,
        "<answer>" * 25_000,
        r"\(" * 100_000,
        r"\[" * 100_000,
        r"\begin{align}" * 15_000,
        "$" * 100_001,
        r"\frac{1}{0}",
        "10^{10^{10^{10}}}",
        r"9999999999!!!!",
        "1e999999999",
        "\x00\x01\x02\x7f",
        "\ud800",
        "NaN",
        r"\begin{pmatrix}" + "1 & " * 3_000 + r"\end{pmatrix}",
        ",".join(map(str, range(900))),
        r"\left\left\right)",
        "]" * 300 + "[" * 300,
        r"\text{" * 50,
        "=" * 1_000,
        "1_{0}",
        "1/0",
    ],
)
def test_hostile_answers_are_never_right(text: str) -> None:
    found = grade("2", text)
    assert found.verdict in ("different", "undecided", "unread")
    assert found.witness or found.reason
    assert not grade(text, "2").accepted


def test_long_lists_are_compared_in_any_order_or_said_to_be_too_long() -> None:
    numbers = [str(n) for n in range(150)]
    backwards = ", ".join(reversed(numbers))
    assert grade(", ".join(numbers), backwards).accepted
    assert grade(", ".join(numbers), ", ".join(f"{n}.0" for n in numbers)).accepted
    found = grade(", ".join(numbers), ", ".join(f"{n}.0" for n in reversed(numbers)))
    assert (found.verdict, "150 values" in found.reason) == ("undecided", True)
    assert grade(backwards, ", ".join(rf"\boxed{{{n}}}" for n in numbers)).accepted


def test_an_item_that_is_not_decided_makes_no_other_different() -> None:
    class Undecided:
        """Decides nothing of n! and 3; other terms differ."""

        def equal(self, one: Tree, other: Tree, assume: Sequence[Tree] = ()) -> Verdict:
            return Verdict("undecided" if "factorial" in (one.label, other.label) else "different")

        holds = equal

    judge = cast("Judge", Undecided())
    assert grade("n!, a+b", "3c, 3d", judge=judge).verdict == "undecided"
    assert grade("m+1, a+b", "3c, 3d", judge=judge).verdict == "different"


def test_threads_give_the_same_grades() -> None:
    pairs = [(r"\frac{\sqrt{3}}{3}", rf"\frac{{{n}}}{{{n}\sqrt{{3}}}}") for n in range(1, 40)]
    with ThreadPoolExecutor(4) as pool:
        assert all(found.accepted for found in pool.map(lambda pair: grade(*pair), pairs))


# ---- the command


def written(tmp_path: Path, name: str, text: str | bytes) -> GradePairs:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return GradePairs(path)


def test_a_csv_with_quotes_line_ends_and_commas(tmp_path: Path) -> None:
    spec = written(
        tmp_path, "a.csv", 'id,gold,pred\r\na,"(1, 2)","so\nit is (1,2)"\r\nb,"""x""",y\r\nc,5,5.0\r\n'
    )
    found = grades_document(grade_pairs(spec))
    assert [(row["line"], row["id"], row["verdict"]) for row in found["results"]][::2] == [
        (2, "a", "equal"),
        (5, "c", "equal"),
    ]
    assert found["totals"]["pairs"] == 3
    assert exit_code(found) == 1


def test_bad_rows_are_named_with_file_and_line(tmp_path: Path) -> None:
    rows = [
        '{"gold": 1, "pred": 1.0}',
        "{",
        '{"gold": "1"}',
        '{"gold": NaN, "pred": 2}',
        '{"gold": [], "pred": 2}',
    ]
    warnings: list[Event] = []
    spec = written(tmp_path, "a.jsonl", "\n".join(rows).encode() + b'\n{"gold": "\xff", "pred": "1"}\n')
    found = grade_pairs(spec, events=warnings.append)
    assert [row["verdict"] for row in found.results] == ["equal", *["unread"] * 5]
    assert found.totals["bad rows"] == 5
    for line, event in zip(range(2, 7), sorted(warnings, key=lambda one: str(one.data)), strict=True):
        assert f"a.jsonl:{line}" in str(event.data["message"])


def test_a_row_on_which_a_rule_fails_does_not_end_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grade_under_policy = graded_files.grade_under_policy

    def grade_or_fail(policy: GradePolicy, gold: str, *others: Any) -> Grade:
        if gold == "7":
            raise ZeroDivisionError("division by zero")
        return grade_under_policy(policy, gold, *others)

    monkeypatch.setattr(graded_files, "grade_under_policy", grade_or_fail)
    warnings: list[Event] = []
    spec = written(tmp_path, "a.csv", "gold,pred\n1,1\n7,7\n2,2\n")
    found = grade_pairs(spec, events=warnings.append)
    assert [row["verdict"] for row in found.results] == ["equal", "unread", "equal"]
    for said in ("a.csv:3", "defect of mathwb", "ZeroDivisionError: division by zero"):
        assert said in found.results[1]["reason"]
        assert said in str(warnings[0].data["message"])
    totals = found.totals
    assert (totals["pairs"], totals["not graded"], totals["bad rows"], len(warnings)) == (3, 1, 0, 1)
    assert exit_code(grades_document(found)) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("gold,answer\n1,2\n", "no column pred"),
        ("a,b\n1,2\n", "no column gold nor pred"),
        ("gold,pred\n", "no pairs"),
        ("gold,pred,pred\n1,2,1\n", "two columns pred"),
        ("{}\n", "no gold"),
        ("gold,pred\n1,2\n".encode("utf-16"), "UTF-16"),
        (b"gold,pred\n\xff,1\n", "not UTF-8"),
        ("", "empty"),
    ],
)
def test_a_file_that_cannot_be_used(tmp_path: Path, text: str | bytes, words: str) -> None:
    with pytest.raises(DataError, match=words) as caught:
        grade_pairs(written(tmp_path, "a.csv", text))
    assert "a.csv" in caught.value.where
    assert caught.value.exit_code == 2


def test_a_pair_is_whole_and_no_file_besides() -> None:
    for spec in (GradePairs(gold="1"), GradePairs(pred="1"), GradePairs(), GradePairs(Path("x"), "1", "2")):
        with pytest.raises(EngineError) as caught:
            grade_pairs(spec)
        assert caught.value.exit_code == 2
    assert grades_document(grade_pairs(GradePairs(gold="1", pred="2")))["totals"]["different"] == 1


# ---- where models are evaluated and trained


def test_the_functions_of_math_verify() -> None:
    gold = parse("${1,3} \\cup {2,4}$")
    assert verify(gold, parse("${1,2,3,4}$"))
    assert parse("   ") == []
    assert not verify(parse("5"), [])
    assert verify("1/3", "0.333333")
    assert not verify("1/3", "0.33333")
    assert not verify(parse(r"$\sqrt{x^2}$"), parse("$x$"))
    with pytest.raises(EngineError, match="strict=False"):
        verify("x=5", "y=5", strict=False)


def test_a_reward_is_the_same_in_threads_and_for_conversations() -> None:
    right = make_reward("answer", digits=2)
    completions = [[{"role": "assistant", "content": rf"It is \boxed{{{n / 4}}}."}] for n in range(20)]
    answers = [f"{n}/4" for n in range(20)]
    with ThreadPoolExecutor(4) as pool:
        runs = list(pool.map(lambda _: right(completions, answer=answers, prompts=completions), range(4)))
    assert runs == [[1.0] * 20] * 4
    assert right(["", "\x00" * 10_000], answer=["0", "1"]) == [0.0, 0.0]


def test_results_of_a_task() -> None:
    assert process_results({"solution": r"so \boxed{4}"}, ["**Answer:** 4."]) == {"exact_match": 1.0}
    assert process_results({"answer": 4, "solution": "5"}, ["5"]) == {"exact_match": 0.0}
    assert process_results({"answer": "4"}, []) == {"exact_match": 0.0}


@pytest.mark.parametrize(
    "pred",
    [
        *("< 6", r"\le 6", "> 6", r"\ne 6", r"\boxed{\ge 6}", r"6 \text{ or more}", "square root of 6"),
        *(
            "half of 6",
            "twice 6",
            "The answer cannot be 6.",
            "The answer is less than $6$",
            "between 5 and $6$",
        ),
        *("not $6$", "$6$ or more", "$6$ is wrong", "negative $6$", "the square root of $6$", "6 per cent"),
    ],
)
def test_what_stands_before_or_after_a_number_is_part_of_the_answer(pred: str) -> None:
    assert not grade("6", pred).accepted


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        ("34", r"3\cdot 4"),
        ("2^{10}", "2^1 0"),
        (r"\sqrt{23}", r"\sqrt23"),
        ("e^{2x}", "e^2x"),
        (r"3\cdot\frac{1}{2}", r"3\frac12"),
        (r"\{\{1\},\{2\}\}", r"\{1,2\}"),
        (r"\{\emptyset\}", r"\emptyset"),
        ("B", "option (B) is wrong, so (C)"),
        ("(1, 2)", r"\{1, 2\}"),
        (r"\frac52", r"1\frac32"),
    ],
)
def test_what_only_looks_alike_is_not_accepted(gold: str, pred: str) -> None:
    assert not grade(gold, pred).accepted


@pytest.mark.parametrize(
    ("gold", "pred", "verdict"),
    [
        (r"\log 100", "2", "undecided"),
        (r"\log 100", "3", "different"),
        (r"\log 8", r"3\log 2", "equal"),
        (r"\log_2 3", r"\frac{\log 3}{\log 2}", "equal"),
        (r"\{x \mid x > 2\}", r"(2, \infty)", "equal"),
        (r"\{2k : k \in \mathbb{Z}\}", r"\{0\}", "different"),
        (r"\infty", "infinity", "equal"),
        ("DNE", "does not exist", "equal"),
        ("42", "forty-two", "equal"),
        ("-3", "minus three", "equal"),
        ("B", r"\boxed{\textbf{(B)}\ 5}", "equal"),
        ("5", r"\boxed{\textbf{(B)}\ 5}", "equal"),
        ("B", r"\boxed{\textbf{(A)}\ 5}", "different"),
        ("42", r"So \boxed{41}, wait, no: \boxed{42}", "equal"),
        ("42", "The answer is 42, not 43.", "equal"),
        ("3", "Thus n=3.", "equal"),
        ("January 5", "5 January", "equal"),
        ("January 5", "6 January", "different"),
        (r"x \le 5", "≤ 5", "equal"),
    ],
)
def test_notations_of_answers(gold: str, pred: str, verdict: str) -> None:
    assert grade(gold, pred).verdict == verdict


@pytest.mark.parametrize(
    ("gold", "pred", "verdict"),
    [
        ("x^2+y^2=1", "x^2+y^2=2", "different"),
        (r"\frac{x^2}{4}+\frac{y^2}{9}=1", "4x^2+9y^2=36", "different"),
        ("x^2=y^2", "x=y", "different"),
        ("xy=0", "x=0", "different"),
        ("x^2+y^2=-1", "x^2+y^2=-2", "undecided"),  # neither has a solution
        (r"a\equiv b\pmod 3", r"b\equiv a\pmod 3", "equal"),
        (r"x\equiv 1\pmod 3", r"x\equiv 4\pmod 3", "equal"),
        (r"x\equiv 1\pmod 3", r"x\equiv 1\pmod 6", "different"),
        (r"2x\equiv 2\pmod 4", r"x\equiv 1\pmod 2", "equal"),
        (r"\overline{3+4i}", "3-4i", "equal"),
    ],
)
def test_equations_and_congruences_by_a_witness(gold: str, pred: str, verdict: str) -> None:
    assert grade(gold, pred).verdict == verdict


@pytest.mark.parametrize(
    ("gold", "pred", "verdict"),
    [
        (r"\mathbb R\setminus\{2\}", r"(-\infty,2)\cup(2,\infty)", "equal"),
        (r"\mathbb{R}\setminus\{2\}", r"(-\infty,2)\cup(3,\infty)", "different"),
        (r"\mathbb{R}\setminus\{2\}", r"\mathbb{R}\setminus\{3\}", "different"),
        (r"[0,5]\setminus\{2\}", r"[0,2)\cup(2,5]", "equal"),
        (r"\mathbb R\setminus[0,1]", r"(-\infty,0]\cup[1,\infty)", "different"),
        (r"\mathbb{R} - \{2, 3\}", r"x\ne 2, 3", "equal"),
        (r"\{1,2,3\}\setminus\{2\}", r"\{1,3\}", "equal"),
        ("xy=0", "x=0 or y=0", "equal"),
        (r"x=0 \text{ or } y=0", "xy=0", "equal"),
        ("xy=0", "x=0 and y=0", "different"),
        ("x^2-y^2=0", "x=y or x=-2y", "different"),
        ("(x-1)(y-2)=0", "x=1 or y=2", "equal"),
    ],
)
def test_sets_without_others_and_statements_of_which_one_holds(gold: str, pred: str, verdict: str) -> None:
    assert grade(gold, pred).verdict == verdict
    assert grade(pred, gold).verdict == verdict


@pytest.mark.parametrize(
    ("gold", "pred", "verdict"),
    [
        ("1/3", "0.333...", "equal"),
        (r"\frac16", r"0.1\overline{6}", "equal"),
        (r"\frac17", r"0.\dot{1}4285\dot{7}", "equal"),
        (r"\frac{7}{12}", "0.58(3)", "equal"),
        ("1", r"0.\overline{9}", "equal"),
        (r"-\frac13", "-0.333…", "equal"),
        ("1/3", "0.334...", "different"),
        (r"\pi", r"3.14159\ldots", "equal if"),
        (r"-\pi", r"3.14159\ldots", "different"),
        (r"\pi", r"3.1416\ldots", "different"),
        ("e", "2.718281828...", "equal if"),
        (r"\frac{x^2}{2}+C", r"\frac12x^2+K", "equal"),
        (r"\frac{x^2}{2}+C", r"\frac13x^3+K", "different"),
        (r"\frac{x^2}{2}+C", r"\frac{x^2}{2}", "different"),
        ("x+C", "x+y", "different"),
        ("Ce^x", "Ke^x", "equal if"),
        ("a+C", "a+K", "equal if"),
        ("212°F", r"100^\circ\text{C}", "equal"),
        (r"98.6\,^\circ\mathrm{F}", "37°C", "equal"),
        (r"100^\circ\text{C}", r"100^\circ\text{F}", "different"),
        (r"9^\circ\text{F}", r"5^\circ\text{C}", "equal if"),
        (r"3\mathbf i+4\mathbf j", "(3,4)", "equal"),
        (r"\hat{\imath}-2\hat{\jmath}+3\hat{k}", r"\langle 1,-2,3\rangle", "equal"),
        (r"\mathbf{i}+3\mathbf{k}", r"\begin{pmatrix}1\\0\\3\end{pmatrix}", "equal"),
        (r"2\vec j", "(0,2,0)", "equal"),
        (r"\mathbf{i}+3\mathbf{k}", "(1,3)", "different"),
        (r"\mathbf{k}", "k", "equal"),
        ("[[1,2],[3,4]]", r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "equal"),
        ("[[1,2],[3,4]]", r"\begin{pmatrix}1&3\\2&4\end{pmatrix}", "different"),
        ("[[1],[2]]", "(1,2)", "equal"),
    ],
)
def test_further_notations(gold: str, pred: str, verdict: str) -> None:
    assert grade(gold, pred).verdict == verdict
    assert grade(pred, gold).verdict == verdict
