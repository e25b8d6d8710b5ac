"""Problems: numbers masked, equations read and valued, files of every layout recognised."""

from __future__ import annotations

import gzip
import json
import math
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.errors import DataError, EngineError
from engines.core.system import asset
from engines.core.tree import Tree
from engines.mwp.problems.number_bindings import bind_numbers, list_bindings
from engines.mwp.problems.numbers import (
    language_of,
    list_unread_numbers,
    mask_numbers,
    mask_words,
    plain_digits,
    value_of,
)
from engines.mwp.problems.problem import (
    EquationError,
    evaluate,
    list_placeholders,
    normalise_equation,
    parse_prefix,
    read_equation,
    to_infix,
)
from engines.mwp.problems.readers import (
    DescribeProblems,
    described_problems,
    read_problems,
    write_problems,
)
from engines.mwp.problems.records import read_records
from tests.conftest import count_examples, expect_error

pytestmark = pytest.mark.filterwarnings("error")


def written(place: Path, *rows: Any) -> Path:
    path = place / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "masked", "values"),
    [
        ("A 3-foot rope costs $1,250.50.", "A N_0 -foot rope costs $ N_1.", ["3", "1250.5"]),
        ("2 1/2 cups, 1/4 cup, 20% more", "N_0 cups, N_1 cup, N_2 more", ["5/2", "1/4", "1/5"]),
        ("the 2nd of 7 days", "the 2nd of N_0 days", ["7"]),
        (
            "看了全书的(1/6)，第3天150%，每本0.35元",
            "看了全书的N_0，第N_1天N_2，每本N_3元",
            ["1/6", "3", "3/2", "7/20"],
        ),
        ("长3(1/2)米", "长N_0米", ["7/2"]),
        ("每小时行３．５千米．共１２小时", "每小时行N_0千米．共N_1小时", ["7/2", "12"]),
        ("1½ cups, ½ cup, 2/3rds, 4 and 1/2", "N_0 cups, N_1 cup, N_2, N_3", ["3/2", "1/2", "2/3", "9/2"]),
        (
            "1 000 or 1\u00a0250 or 5,00,000 or 21/2",
            "N_0 or N_1 or N_2 or N_3",
            ["1000", "1250", "500000", "21/2"],
        ),
        ("共1,200名，长3又1/2米", "共N_0名，长N_1米", ["1200", "7/2"]),
        ("长3又2分之1米，吃了8分之3和百分之20", "长N_0米，吃了N_1和N_2", ["7/2", "3/8", "1/5"]),
        (
            "A share of 80 % of 40, 20 percent, 5-per cent",
            "A share of N_0 of N_1, N_2, N_3",
            ["4/5", "40", "1/5", "1/20"],
        ),
        ("打了80 %，又 5.5 %", "打了N_0，又 N_1", ["4/5", "11/200"]),
        (
            "$1.5k, $2M, $ 3 bn, €4m and 5 m of rope",
            "N_0, N_1, N_2, N_3 and N_4 m of rope",
            ["1500", "2000000", "3000000000", "4000000", "5"],
        ),
        # A calculation is none of fractions, and a list with Chinese commas is none of thousands.
        ("计算40/16*2.5，1，200", "计算N_0/N_1*N_2，N_3，N_4", ["40", "16", "5/2", "1", "200"]),
    ],
)
def test_numbers_are_masked_with_their_exact_values(text: str, masked: str, values: list[str]) -> None:
    found = mask_numbers(text)
    assert found.text == masked
    assert found.values == tuple(map(Fraction, values))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Twenty-five birds and one hundred and five bees ate 3 crumbs.", [25, 105, 3]),
        ("Five twenty-dollar bills and twenty five-dollar bills", [5, 20, 20, 5]),
        ("six and seven, twenty five, the fifty-first of sixty", [6, 7, 25, 60]),
        (
            "two-thirds, one third of it, a half, two and a half, three-quarters",
            ["2/3", "1/3", "1/2", "5/2", "3/4"],
        ),
        ("three quarters and two dimes, two fifth graders, the third", [3, 2, 2]),
        ("a dozen, two dozen, half a dozen, how many dozen", [12, 24, 6]),
        ("a half-dozen, a half dozen, 1/2 dozen, 2 1/2 dozen, 1½ dozen", [6, 6, 6, 30, 18]),
        ("Two gave 1 1/2 million, 3/4 million", [2, 1_500_000, 750_000]),
        ("a one-and-a-half-hour film, two-and-a-quarter", [Fraction(3, 2), Fraction(9, 4)]),
        ("1.5 million, one million, two hundred thousand; eleven hundred", [1_500_000, 1_200_000, 1100]),
        ("two thousand, three thousand, one hundred and two hundred", [2000, 3100, 200]),
        ("half of the first half of the game", ["1/2"]),
        ("一百二十个，两万五，二〇一九年，一千零五十，十五", [120, 25000, 2019, 1050, 15]),
        ("一亿二千万人，三万亿元，两亿零五百", [120_000_000, 3 * 10**12, 200_000_500]),
        (
            "三分之二，百分之二十，三又二分之一米，一半，半小时，3个半小时",
            ["2/3", "1/5", "7/2", "1/2", "1/2", "7/2"],
        ),
        ("第三天，星期三，三角形，三年级，几十人，三四个，一起，十二月", []),
        ("1.5万元，五千米，三点一四", [15000, 5, "3.14"]),
        ("three point five cups, two point oh five", ["7/2", "2.05"]),
        ("hundred and twenty pens, a hundred and one", [120, 101]),
        ("Seven percent of it, twenty-five per cent, three point five percent", ["7/100", "1/4", "7/200"]),
        ("13万2个，廿五个，卅天，伍仟元，叁拾元，百万元", [132_000, 25, 30, 5000, 30, 1_000_000]),
        ("1百01个，3千5百米，2亿3千万人，壹万贰仟叁佰肆拾伍元", [101, 3500, 230_000_000, 12_345]),
    ],
)
def test_number_words_count_when_asked_for(text: str, values: list[Any]) -> None:
    found = mask_numbers(text, words=True)
    assert found.values == tuple(map(Fraction, values))
    # What is written to a file is read again.
    assert tuple(map(value_of, found.numbers)) == found.values
    assert not found.numbers or mask_numbers(text).numbers != found.numbers


def _said(value: int) -> str:
    """English as a dictionary has it, independent of the reader's pattern."""
    small = (
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    )
    small += "seventeen eighteen nineteen"
    tens = "twenty thirty forty fifty sixty seventy eighty ninety"
    for size, name in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if value >= size:
            rest = value % size
            return f"{_said(value // size)} {name}" + (f" {_said(rest)}" if rest else "")
    if value < 20:
        return small.split()[value - 1]
    return tens.split()[value // 10 - 2] + (f"-{_said(value % 10)}" if value % 10 else "")


def _han(value: int) -> str:
    if value >= 10_000:
        rest = value % 10_000
        return f"{_han(value // 10_000)}万" + (("零" if rest < 1000 else "") + _han(rest) if rest else "")
    said, gap = "", False
    for size, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // size % 10
        if digit:
            said += ("零" if gap and said else "") + "零一二三四五六七八九"[digit] + name
        gap = not digit
    return said


@given(st.integers(2, 99_999_999))
def test_every_number_in_words_is_read(value: int) -> None:
    assert mask_numbers(f"She has {_said(value)} pens.", words=True).values == (value,)
    assert mask_numbers(f"有{_han(value)}个", words=True).values == (value,)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("On 3/4/2020 she had 5.", "3/4/2020 is not read as a number"),
        ("It was -9 degrees.", "the minus before 9"),
        ("A 10² mess of 3.", "10² is read as 10"),
        ("A town of 12 500 people.", "12 500 is read as two numbers"),
        ("A rope of 3,5 m.", "3,5 is read as two numbers"),
        ("A town of 3 million people.", "the million behind 3"),
        ("A 5k run.", "the k behind 5"),
        ("公司有120万元", "the 万 behind 120"),
        ("She ate 1/0 of 5.", "1/0 is not read as a number"),
        ("A walk of 3-1/2 miles.", "3-1/2 is read as two numbers"),
        ("Three halves of it.", "the halves behind Three"),
        ("A million and a half people.", "A million and a half is read as 1,000,000.5"),
        ("一件衣服打八折出售", "the 折 behind 八"),
        ("今年增产三成", "the 成 behind 三"),
        ("气温是零下五度", "the 零下 before 五"),
    ],
)
def test_what_is_no_number_is_told(text: str, reason: str) -> None:
    masked = mask_numbers(text, words=not any(sign.isdigit() for sign in text))
    (told,) = list_unread_numbers(masked.text, masked.numbers, text)
    assert told.startswith(reason)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("several hundred of 3", "hundred"),
        ("half his 3 pens", "half"),
        ("dozens of 12", "dozens"),
        ("有几百万个和3个", "百万"),
        ("有二三十个", "二三十"),
    ],
)
def test_number_words_that_are_not_understood_are_told(text: str, reason: str) -> None:
    masked = mask_numbers(text, words=True)
    told = list_unread_numbers(masked.text, masked.numbers, text, words=True)
    assert told == [f"{reason} is read as a word"]


def test_number_words_are_told_where_digits_alone_are_read(tmp_path: Path) -> None:
    row = {"text": "Ann has two dozen eggs and 3 more, twenty percent broken. How many?", "answer": 27}
    (said,) = (
        note.reason for note in read_problems(written(tmp_path, row)).remarks if "words" in note.reason
    )
    assert said == "number words: two dozen, twenty percent not read as numbers without --words"
    found = read_problems(written(tmp_path, row), words=True)
    assert found.rows[0].numbers == ("two dozen", "3", "twenty percent")
    assert not any("words" in note.reason for note in found.remarks)


@pytest.mark.parametrize(
    ("equation", "form", "value"),
    [
        ("40*20/100", "N_0*N_1", 8),
        ("(0.2)*40", "N_0*N_1", 8),
        ("40*(20*.01)", "N_0*N_1", 8),
        ("40*(100-20)/100", "(C_100-C_100*N_0)*N_1/C_100", 32),
    ],
)
def test_a_percentage_of_the_text_is_one_of_the_equation(
    equation: str, form: str, value: float, tmp_path: Path
) -> None:
    (problem,) = read_problems(
        written(tmp_path, {"text": "20 % of 40 pens. How many?", "equation": equation})
    ).rows
    assert (problem.template, problem.answer) == (form, value)


def test_the_language_is_that_of_the_text() -> None:
    assert [
        language_of(text) for text in ("Tom和Ann共有5个苹果", "李明 has 5 pens ， how many？", "N_0厘米")
    ] == [
        "zh",
        "en",
        "zh",
    ]
    assert language_of("5+3=？", without="zh") == "zh"


def test_a_segmented_text_is_masked_word_by_word() -> None:
    found = mask_words(["第", "3", "天", "看", "了", "全书", "的", "(1/6)", "，", "甲2", "班"])
    assert found.text == "第N_0天看了全书的N_1，甲2班"
    assert value_of("((21)/(20))") == Fraction(21, 20)
    assert plain_digits("他有５个．") == "他有5个．"


def test_a_number_that_is_none_is_refused() -> None:
    for text in ("", "1/0", "(1/0)", "pens", "six and seven", "1e999", "--3", "3 4", "3,5", "一"):
        with pytest.raises(ValueError, match="is not a number"):
            value_of(text)


trees = st.recursive(
    st.sampled_from(["N_0", "N_1", "N_2", "C_1", "C_3_14"]).map(Tree),
    lambda children: st.builds(
        lambda label, left, right: Tree(label, (left, right)), st.sampled_from("+-*/"), children, children
    ),
    max_leaves=8,
)


@given(trees)
def test_an_equation_is_read_back_from_infix_and_from_prefix(tree: Tree) -> None:
    assert read_equation(to_infix(tree), Tree) == tree
    assert parse_prefix(tree.list_labels()) == tree


@given(st.text("()+-*/^ N_01C2.,%", max_size=12))
def test_any_text_is_an_equation_or_refused(text: str) -> None:
    try:
        tree = read_equation(text, lambda written: Tree("C_1"))
    except EngineError:
        return
    assert read_equation(to_infix(tree), Tree) == tree


@given(trees, st.sampled_from(["+", "-(", "*", ")"]))
def test_an_equation_cut_short_is_refused_at_its_end(tree: Tree, rest: str) -> None:
    with expect_error("E220"):
        read_equation(to_infix(tree) + rest, Tree)


@given(trees)
def test_its_value_is_sympys_also_when_normalised(tree: Tree) -> None:
    values = (Fraction(7, 2), Fraction(3), Fraction(11, 5))
    names = {"N_0": "(7/S(2))", "N_1": "S(3)", "N_2": "(11/S(5))", "C_1": "S(1)", "C_3_14": "(314/S(100))"}
    text = to_infix(tree)
    for name, value in names.items():
        text = text.replace(name, value)
    expected = sympy.sympify(text)
    if not expected.is_finite:
        with pytest.raises(EquationError):
            evaluate(tree, values)
        return
    assert evaluate(tree, values) == Fraction(int(expected.p), int(expected.q))
    assert evaluate(normalise_equation(tree), values) == evaluate(tree, values)


def test_normal_forms_ignore_the_order_of_operands_and_no_more() -> None:
    def form(text: str) -> str:
        return to_infix(normalise_equation(read_equation(text, Tree)))

    assert form("N_1+N_0") == form("N_0+N_1") == "N_0+N_1"
    assert form("N_1+N_1*N_3") == form("N_3*N_1+N_1") == "N_1*N_3+N_1"
    assert form("N_0-N_1") != form("N_1-N_0")
    assert form("N_0+(N_1+N_2)") != form("(N_0+N_1)+N_2")


def test_powers_leave_the_rational_numbers_only_where_they_must() -> None:
    assert evaluate(read_equation("N_0^C_2", Tree), [Fraction(3, 2)]) == Fraction(9, 4)
    for text in ("(N_0-C_9)^C_0_5", "C_2^C_999", "N_0/(N_0-N_0)"):
        with pytest.raises(EquationError):
            evaluate(read_equation(text, Tree), [Fraction(3)])


@pytest.mark.parametrize(
    ("text", "equation", "form", "answer"),
    [
        ("3/4 of a pie for 4 kids. How much each?", "(3/4)/4", "N_0/N_1", "3/16"),
        ("5 pies of 1/2 kg. How much?", "5*1/2", "N_0*N_1", "5/2"),
        ("1/2 of 8 by 4. How many?", "8/1/2", "N_1/C_1/C_2", 4),
        ("2 squared and 3. How many?", "2**2×3", "N_0^N_0*N_1", 12),
        ("5 up, 8 down, 2 on. How many?", "-5 + 8 − -2", "N_1-N_0+N_2", 5),
        ("1½ m and 2 1/4 m. How long?", "x = 1 1/2 + 2.25", "N_0+N_1", "15/4"),
        ("20% of 50. How much?", "ans={50 × 20 %}", "N_0*N_1", 10),
        ("25 of 5 kids and 3. How many?", "(25/5)*3", "N_0/N_1*N_2", 15),
        ("a third of 9. How many?", "9*1/3", "C_1*N_0/C_3", 3),
        ("0.3333333333333333 of 9. How many?", "9*(1/3)", "N_0*N_1", 3),
        ("长3又1/2米，宽2米，面积多少？", "答＝（3又1/2）÷2", "N_0/N_1", "7/4"),
        ("5 pens at $3. How much?", "=5*$3=15", "N_0*N_1", 15),
    ],
)
def test_equations_are_read_as_they_are_printed(
    text: str, equation: str, form: str, answer: Any, tmp_path: Path
) -> None:
    (problem,) = read_problems(written(tmp_path, {"text": text, "equation": equation})).rows
    assert problem.equation is not None
    assert problem.template == form
    assert problem.answer == pytest.approx(float(Fraction(answer)))


def test_other_toolkits_files_are_read_by_what_they_say(tmp_path: Path) -> None:
    english = "Tom had 8 pens . He gave 2 to Ann . How many pens has he ?"
    parted = "吃 了 ( 1 / 4 ) ， 有 8 个 ， 还 剩 多 少 个 ？"
    rows = [
        {"id": 1, "original_text": english, "segmented_text": english, "equation": "X=(8.0-2.0)", "ans": 6.0},
        {
            "id": 2,
            "original_text": parted.replace(" ", ""),
            "segmented_text": parted,
            "equation": "x=8*(1-(1/4))",
        },
        {"@ID": "n-3", "Body": "Tom had eight pens.", "Question": "How many?", "Formula": "8=8"},
        {"ID": "c-4", "Body": "Tom had 8 pens. He lost 2.", "Question": "How many?", "Answer": 6.0}
        | {"Equation": "( 8.0 - 2.0 )", "question": "Tom had 8 pens. He lost 2. How many?"},
        {
            "id": "5",
            "Question": "8 pens and 2. How many?",
            "question": "9 pens. How many?",
            "answer": "8/2=<<8/2=4>>4\n#### 10",
        },
    ]
    found = read_problems(written(tmp_path, *rows))
    assert [(one.language, one.template, one.numbers) for one in found.rows] == [
        ("en", "N_0-N_1", ("8", "2")),
        ("zh", "(C_1-N_0)*N_1", ("(1/4)", "8")),
        ("en", "N_0", ("eight",)),
        ("en", "N_0-N_1", ("8", "2")),
        ("en", "", ("8", "2")),
    ]
    assert (found.rows[0].original, found.rows[2].id, found.rows[4].answer) == (english, "n-3", 10.0)
    assert {note.reason for note in found.remarks if note.id == "5"} >= {
        "two columns 'question': the first is read"
    }


def test_a_spreadsheets_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text('\ufeffsep=;\nText;Equation;Answer\n"8 pens and 2. How many?";8+2;10\n', "utf-8")
    (problem,) = read_problems(path).rows
    assert (problem.template, problem.answer) == ("N_0+N_1", 10.0)


def test_math23k_is_read_raw_and_segmented(tmp_path: Path) -> None:
    row = {
        "id": "30",
        "original_text": "李东拿5元钱买文具．他买铅笔已用去1.5元，每本练习簿0.35元．他可以买多少本？",
        "segmented_text": "李 东 拿 5 元 钱 买 文具 ． 他 买 铅笔 已 用 去 1.5 元 ， 每 本 练习簿 "
        "0.35 元 ． 他 可以 买 多少 本 ？",
        "equation": "x=(5-1.5)/0.35",
        "ans": "10",
    }
    # As the data set is published: objects one after the other, over several lines.
    path = tmp_path / "raw.json"
    path.write_text(json.dumps(row, ensure_ascii=False, indent=4) + "\n" + json.dumps({**row, "id": "31"}))
    found = read_problems(path)
    assert found.format == "math23k"
    for problem in found.rows:
        assert problem.text == "李东拿N_0元钱买文具．他买铅笔已用去N_1元，每本练习簿N_2元．他可以买多少本？"
        assert problem.prefix == ("/", "-", "N_0", "N_1", "N_2")
        assert (problem.numbers, problem.answer) == (("5", "1.5", "0.35"), 10.0)


LAYOUTS = {
    "masked-csv": "Question,Numbers,Equation,Answer,group_nums\n"
    '"tom has number0 pens , and number1 more . how many ?",8 3,+ number0 number1,11.0,"[0, 1]"\n',
    "svamp": '{"ID": "c-1", "Body": "Tom had 8 pens. He got 3 more.", "Question": "How many?", '
    '"Equation": "( 8.0 + 3.0 )", "Answer": 11.0}',
    "mawps": '[{"iIndex": 4, "sQuestion": "Tom had 8 pens and got 3 more. How many?", '
    '"lEquations": ["X=(8.0+3.0)"], "lSolutions": [11.0]}]',
    "plain": "text;equation;answer\nTom had 8 pens and got 3 more. How many?;8+3;11\n",
    "asdiv": "<Machine-Reading-Corpus-File><ProblemSet><Problem ID='nluds-0001' Grade='1'><!-- a note -->"
    "<Body>Tom had eight pens. He got three more.</Body><Question>How many?</Question>"
    "<Answer>11 (pens)</Answer><Formula>8+3=11</Formula>"
    "</Problem></ProblemSet></Machine-Reading-Corpus-File>",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_is_recognised_by_its_content(layout: str, tmp_path: Path) -> None:
    path = tmp_path / "anything.dat"
    path.write_text(LAYOUTS[layout])
    (tmp_path / "nfolds" / "asdiv-a").mkdir(parents=True)
    (tmp_path / "nfolds" / "asdiv-a" / "fold3.txt").write_text("nluds-0001\n")
    found = read_problems(path)
    assert (found.format, found.skipped, found.disagreements) == (layout, (), ())
    (problem,) = found.rows
    assert (problem.template, problem.answer, len(problem.numbers)) == ("N_0+N_1", 11.0, 2)
    assert problem.fold == (3 if layout == "asdiv" else None)


def test_placeholders_are_renumbered_by_their_first_appearance(tmp_path: Path) -> None:
    row = {
        "masked": "of n2 pens he lost n1 . left ?",
        "numbers": [2, 9],
        "prefix": ["-", "n2", "n1"],
        "answer": 7,
    }
    (problem,) = read_problems(written(tmp_path, {**row, "text": "of 9 pens he lost 2 . left ?"})).rows
    assert problem.text == "of N_0 pens he lost N_1 . left ?"
    assert (problem.numbers, problem.prefix, problem.answer) == (("9", "2"), ("-", "N_0", "N_1"), 7.0)


def test_what_is_wrong_is_counted_and_named_by_line(tmp_path: Path) -> None:
    rows = [
        {"id": "fine", "text": "4 birds and 3 more. How many?", "equation": "4+3", "answer": "7 birds"},
        {"id": "none", "text": "Some birds. How many?", "equation": "4+3", "answer": 7},
        {"id": "strange", "text": "4 birds and 3 more. How many?", "equation": "4+48", "answer": 52},
        {"id": "wrong", "text": "4 birds and 3 more. How many?", "equation": "4-3", "answer": 7},
        {"id": "twice", "text": "4 birds and 4 more. How many?", "equation": "4+4", "answer": 8},
        {"id": "fine", "text": "6 birds. How many?", "equation": "6", "answer": 6},
        {"id": "blank", "text": " ", "equation": "6", "answer": 6},
        {"id": "units", "text": "4 birds and 3 more. How many?", "equation": "4 birds + 3", "answer": 7},
        {
            "id": "half",
            "text": "小明有5个苹果 he ate three red ones, how many are left?",
            "equation": "5-1",
            "answer": 4,
        },
        {"id": "wide", "text": "小明有５个苹果，吃了２个，还剩几个？", "equation": "5-2", "answer": 3},
        {
            "id": "many",
            "text": " ".join(map(str, range(50))) + " are how many?",
            "equation": "1+2",
            "answer": 3,
        },
        {"id": "zero", "text": "4 birds and 0 more. How many?", "equation": "4/0", "answer": 7},
        {"hello": 1},
        {"id": "masked", "text": "N_0 birds. How many?", "equation": "N_0", "answer": 7},
    ]
    path = written(tmp_path, *rows)
    path.write_text(path.read_text("utf-8") + "[1]\n{oops\n", "utf-8")
    found = read_problems(path)
    assert {(note.line, note.id) for note in found.skipped} == {
        (7, "blank"),
        (13, ""),
        (14, "masked"),
        (15, ""),
        (16, ""),
    }
    assert [(note.line, note.reason) for note in found.disagreements] == [
        (4, "N_0-N_1 gives 1, and the answer is 7")
    ]
    said = {(note.id, note.reason.partition(":")[0]) for note in found.remarks}
    assert said >= {
        ("fine", "a unit"),
        ("none", "no equation"),
        ("strange", "not in the text"),
        ("units", "no equation"),
        ("half", "mixed languages"),
        ("wide", "full-width digits"),
        ("many", "many numbers"),
        ("zero", "no equation"),
    }
    by_id = {problem.id: problem for problem in found.rows}
    assert by_id["none"].equation is None
    assert by_id["wide"].numbers == ("5", "2")
    assert by_id["wrong"].answer == 1.0


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "E314"),
        (b"hello,world\n1,2\n", "E318"),
        (b'{"a": 1}\n', "E318"),
        (b"<Problem", "E318"),
        (b"<a/>", "E318"),
        (b"[]", "E318"),
        (b"text,equation,answer\n", "E318"),
        (b"\x00\x01", "E315"),
    ],
)
def test_a_file_without_problems_is_refused(content: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(DataError) as refused:
        read_problems(path)
    assert refused.value.code == code


def test_rows_of_a_csv_with_other_columns_are_named(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(
        'text,equation,answer\n"4 birds\nand 3. How many?",4+3,8\na;b;c\n5 cats and 1. How many?,5+1,6\n'
        '"6 dogs and 1. How many?,6+1,7\n7 hens and 1. How many?,7+1,8\n'
    )
    found = read_problems(path)
    assert [problem.answer for problem in found.rows] == [7.0, 6.0]
    assert [(note.line, note.reason) for note in found.skipped] == [
        (4, "1 columns, not 3"),
        (6, "from here on the file is not CSV: a quote is not closed"),
    ]
    assert [note.line for note in found.disagreements] == [2]


def test_a_cell_that_no_csv_has_ends_the_reading_by_name(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"text,answer\n5 cats and 1. How many?,6\n{'x' * 200_000},7\n")
    found = read_problems(path)
    assert len(found.rows) == 1
    assert [(note.line, note.reason[:28]) for note in found.skipped] == [(3, "from here on the file is not")]


def test_several_files_become_one_that_is_read_back(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    first = written(
        tmp_path,
        {"id": "1", "text": "小明有5个苹果，吃了(1/2)，还剩几个？", "equation": "5*(1/2)", "answer": 2.5},
    )
    second = tmp_path / "b" / "other.jsonl.gz"
    with gzip.open(second, "wt") as file:
        file.write(json.dumps({"id": "1", "text": "3 pens and 4. How many?", "equation": "3+4", "answer": 7}))
    out = tmp_path / "all.jsonl"
    told = described_problems(DescribeProblems((first, second), out=out))
    assert (told["usable"], told["renamed"]) == (2, 1)
    again = read_problems(out)
    assert [problem.id for problem in again.rows] == ["1", "other/1"]
    for before, after in zip(
        (*read_problems(first).rows, *read_problems(second).rows), again.rows, strict=True
    ):
        assert (after.text, after.numbers, after.values, after.equation, after.answer) == (
            before.text,
            before.numbers,
            before.values,
            before.equation,
            before.answer,
        )


REAL = {
    "asdiv_a_folds0-3.jsonl": ("asdiv-masked", 952, 951),
    "asdiv_rest.jsonl": ("asdiv", 1087, None),
    "math23k_valid.jsonl.gz": ("math23k-masked", 1000, 1000),
    "mawps_5fold.jsonl.gz": ("mawps-masked", 1804, 1804),
    "paramawps_valid.jsonl.gz": ("plain", 1627, None),
    "svamp_half_a.jsonl": ("svamp", 500, 500),
}


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize("name", REAL)
def test_every_row_of_the_real_files_is_read_and_the_known_errors_are_found(
    name: str, real_data: Path
) -> None:
    path = real_data / "mwp" / name
    layout, problems, usable = REAL[name]
    found = read_problems(path)
    assert (found.format, len(found.rows), found.skipped) == (layout, problems, ())
    assert usable in (None, len(found.usable))
    with (gzip.open if name.endswith("gz") else open)(path, "rt") as file:  # type: ignore[operator]
        rows = [json.loads(line) for line in file]
    wrong = {str(row["id"]) for row in rows if row.get("value_ok") is False}
    assert wrong <= {note.id for note in found.disagreements}
    for row, problem in zip(rows, found.rows, strict=True):
        if row.get("value") is not None:
            assert problem.answer == pytest.approx(row["value"])


@pytest.mark.slow
@pytest.mark.real_data
def test_raw_math23k_gives_the_published_equations(tmp_path: Path, real_data: Path) -> None:
    with gzip.open(real_data / "mwp" / "math23k_valid.jsonl.gz", "rt") as file:
        rows = [json.loads(line) for line in file]
    keys = ("id", "original_text", "segmented_text", "equation", "answer_raw")
    raw = [{key: row[key] for key in keys} for row in rows]
    found = read_problems(written(tmp_path, *raw))
    assert found.format == "math23k"
    # The published files bind every number to the first equal one; these two have another unused.
    again = {"4817", "17228"}
    for row, problem in zip(rows, found.rows, strict=True):
        assert (list(problem.prefix) == row["prefix"]) == (row["id"] not in again)
        assert problem.text == row["text"]
        assert problem.answer == pytest.approx(row["answer"])


@pytest.mark.parametrize(("language", "least"), [("en", 150), ("zh", 100)])
def test_the_samples_are_read_masked_and_right(language: str, least: int) -> None:
    found = read_problems(asset(f"sample/problems/sample-{language}/problems.jsonl"))
    assert len(found.usable) == len(found.rows) >= least
    assert (found.skipped, found.disagreements) == ((), ())
    assert len({problem.template for problem in found.rows}) >= 30
    for problem in found.rows:
        assert problem.language == language
        assert mask_numbers(problem.original).text == problem.text
        assert problem.answer > 0


odd = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 10**30)
    | st.floats()
    | st.text(alphabet="N_019n.,%/()x=+-*^ 多少？", max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)
keys = st.sampled_from(
    [
        *("id", "text", "question", "body", "equation", "answer", "numbers", "masked", "prefix", "nums"),
        *("original_text", "original", "source", "formula", "lEquations", "sQuestion", "lSolutions", "fold"),
    ]
)


@settings(max_examples=count_examples(40))
@given(st.lists(st.dictionaries(keys, odd, max_size=8), min_size=1, max_size=4))
def test_no_row_is_too_odd_to_be_counted(rows: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as place:
        # One good row, so that the file is never refused as a whole.
        good = {"id": "good", "text": "3 pens and 4. How many?", "equation": "3+4"}
        found = read_problems(written(Path(place), *rows, good))
        assert len(found.rows) + len(found.skipped) == len(rows) + 1
        for problem in found.usable:
            assert math.isfinite(problem.answer)
            assert all(f"N_{place}" in problem.text for place in range(len(problem.numbers)))


def test_an_array_of_problems_may_be_one_long_line(tmp_path: Path) -> None:
    rows = [{"id": str(number), "text": "a" * 1_000, "equation": "1+2"} for number in range(17_000)]
    (tmp_path / "problems.json").write_text(json.dumps(rows))
    bad: list[tuple[int, str]] = []
    found = read_records(tmp_path / "problems.json", lambda line, why: bad.append((line, why)))
    assert sum(1 for _ in found) == 17_000
    assert not bad


def test_the_answer_is_kept_as_it_is_written(tmp_path: Path) -> None:
    question = "Ann has 3 pens and buys 4. How many?"
    path = written(
        tmp_path,
        {"id": "a", "question": question, "answer": "7 (pens)"},
        {"id": "b", "question": "Which of 3 and 4 is larger?", "answer": "B"},
        {"id": "c", "question": question, "equation": "3+4"},
    )
    rows = read_problems(path).rows
    assert [problem.answer_text for problem in rows] == ["7 (pens)", "B", ""]
    write_problems(tmp_path / "again.jsonl", rows)
    again = read_problems(tmp_path / "again.jsonl").rows
    assert [problem.answer_text for problem in again] == ["7 (pens)", "B", ""]


PETS = "A store had 12 siamese cats and 20 house cats. They sold 20 cats. How many are left?"


@pytest.mark.parametrize(
    ("text", "equation", "form", "ambiguous"),
    [
        (PETS, "12+20-20", "N_0+N_1-N_2", True),
        ("Two pens and 4 more, then 4 more. How many?", "4+4", "N_0+N_1", False),
        ("5 bags of 5 pens. How many?", "5*5", "N_0*N_1", False),
        # More uses than numbers, and fewer.
        ("5 bags of 5 pens, 2 lost. How many?", "5*5+5-2", "N_0*N_1+N_1-N_2", True),
        ("5 bags of 2 pens, 5 sold. How many?", "5*2", "N_0*N_1", True),
        # The text has each number once.
        ("5 bags of 2 pens. How many?", "5*5+2", "N_0*N_0+N_1", False),
    ],
)
def test_equal_numbers_are_each_used_once_in_their_order(
    text: str, equation: str, form: str, ambiguous: bool, tmp_path: Path
) -> None:
    found = read_problems(written(tmp_path, {"text": text, "equation": equation}))
    (problem,) = found.rows
    assert problem.template == form
    said = [note.reason for note in found.remarks if note.reason.startswith("ambiguous")]
    assert bool(said) == ambiguous
    if text == PETS:
        assert said == [
            "ambiguous: 20 stands more than once in the text, and N_0+N_1-N_2 could be N_0+N_2-N_1 too"
        ]


def test_a_files_placeholders_are_bound_anew_only_where_they_leave_an_equal_number_out(
    tmp_path: Path,
) -> None:
    row = {
        "masked": "n1 cats and n2 cats , n3 sold . left ?",
        "text": "12 cats and 20 cats , 20 sold . left ?",
    }
    rows = [
        {**row, "id": "once", "numbers": [12, 20, 20], "prefix": ["-", "+", "n1", "n3", "n2"]},
        {**row, "id": "twice", "numbers": [12, 20, 20], "prefix": ["-", "+", "n1", "n2", "n2"]},
    ]
    found = read_problems(written(tmp_path, *rows))
    assert [problem.template for problem in found.rows] == ["N_0+N_2-N_1", "N_0+N_1-N_2"]
    assert {(note.id, note.reason.partition(":")[0]) for note in found.remarks} == {
        ("twice", "bound anew"),
        ("twice", "ambiguous"),
    }
    # In a file of ours the equation is what it says.
    ours = found.rows[1].to_row() | {"equation": "N_0+N_1-N_1"}
    assert read_problems(written(tmp_path, ours)).rows[0].template == "N_0+N_1-N_1"


@given(trees, st.lists(st.integers(1, 3), min_size=3, max_size=3))
def test_every_binding_has_the_equations_value_and_none_uses_fewer_numbers(
    tree: Tree, numbers: list[int]
) -> None:
    values = tuple(map(Fraction, numbers))
    chosen = bind_numbers(tree, values)
    bindings = list_bindings(chosen, values)
    assert bindings[0] == chosen
    try:
        value = evaluate(tree, values)
    except EquationError:
        return
    assert {evaluate(one, values) for one in bindings} == {value}
    assert len({len({*list_placeholders(one)}) for one in bindings}) == 1
    assert len({*list_placeholders(chosen)}) >= len({*list_placeholders(tree)})
    assert bind_numbers(chosen, values) == chosen


def test_a_mixed_number_that_is_parted_into_signs_is_one_number(tmp_path: Path) -> None:
    original = "一根绳长12米，剪去5(5/12)米，又剪去3米的(1/4)，还剩多少米？"
    row = {
        "id": "1",
        "segmented_text": " ".join(original),
        "original_text": original,
        "ans": "(151/12)-7",
        "equation": "x=12-5(5/12)-3*(1/4)-(1/4)",
    }
    # As Ape210K has them, "12" is a word of its own and every sign another.
    row["segmented_text"] = row["segmented_text"].replace("1 2", "12")
    found = read_problems(written(tmp_path, row))
    (problem,) = found.rows
    assert problem.numbers == ("12", "5(5/12)", "3", "(1/4)")
    assert problem.answer == pytest.approx(12 - 65 / 12 - 0.75 - 0.25)
    assert problem.stated == pytest.approx(problem.answer)
    assert found.disagreements == ()


@pytest.mark.parametrize(
    ("answer", "value"),
    [("(3/4)/(1/3)", "9/4"), ("660/(1+10%)", "600"), ("100-15", "85"), ("2(1/2)", "5/2"), ("12 pens", "12")],
)
def test_an_answer_that_is_a_calculation_is_worked_out(answer: str, value: str, tmp_path: Path) -> None:
    found = read_problems(written(tmp_path, {"text": "8 pens. How many?", "answer": answer}))
    assert found.rows[0].stated == float(Fraction(value))
    said = [note.reason for note in found.remarks if note.reason.startswith("a calculation")]
    shown = f"a calculation: the answer {answer!r} is {float(Fraction(value)):.10g}"
    assert said == ([] if answer in ("2(1/2)", "12 pens") else [shown])
