"""Calculations in the words of solutions: found, judged exactly, and the first wrong one named."""

from __future__ import annotations

import gzip
import json
import random
import re
from fractions import Fraction
from pathlib import Path

import pytest

from engines.documents.reading import Document, TextPiece
from engines.proofreading.proofread_files import Proofread, proofread
from engines.proofreading.worked_solutions import Calculation, find_calculations
from tests.conftest import mathwb


def find(text: str) -> list[Calculation]:
    return find_calculations(Document("a", (TextPiece(text, 1),)))


@pytest.mark.parametrize(
    ("text", "outcomes"),
    [
        ("She sold 48/2 = <<48/2=24>>24 clips.", ["right"]),
        ("So 16 - 4 = 12 litres a minute, and 240 / 12 = 20 minutes.", ["right", "right"]),
        ("(3 + 4) x 2 = 14, 3 × 4 = 13", ["right", "wrong"]),
        ("$12/60 = $0.2 and 1,000 * 3 = 3,001", ["right", "wrong"]),
        ("10 / 3 = 3.33, and 10/3 = 3.43", ["right", "wrong"]),
        ("17 / 5 = 3 remainder 2", []),
        ("17 / 5 = 3 full boxes", ["not shown"]),
        ("48 clips / 2 = 25 clips, 20 apples - 5 apples = 14 apples", ["wrong", "wrong"]),
        ("12 inches + 2 feet = 36 inches", ["not shown"]),
        ("7 hours * $15/hour = $105, 7 hours * $15/hour = $106", ["right", "wrong"]),
        ("20% * 50 = 10, 20% * 50 = 11, 100 - 20% = 80", ["right", "wrong", "not shown"]),
        ("32 / 96 * 100% = 33.333%, 1/3 = 33%, 1/3 = 35%", ["right", "right", "wrong"]),
        (
            "200 * 5% = 10, 200 * 5% = 1000, 100 * 1.5% = 150, 50% + 25% = 75",
            ["right", *["wrong"] * 2, "right"],
        ),
        ("30/60 * 100 = 50%, 50% + 25% = 7500%, 3/4 = 0.75%", ["right", "wrong", "not shown"]),
        ("100/7 = 14.29, 100/7 = 14.2, 100/7 = 14.28, 1.99 * 3 = 5.9", ["right", "wrong", "right", "wrong"]),
        ("0.1 * 0.1 = 0.1, 2/3 = 66%, 2/3 = 67%, 2/3 = 68%", ["wrong", "right", "right", "wrong"]),
        ("1.5 quarts = 4 * 1.5 = 6 cups", ["right"]),
        ("¾ x 3/3 = 9/12, 3/3 = 9/12", ["right", "wrong"]),
        ("3 * 4 = 12 = 24/2 = 13", ["right", "right", "wrong"]),
        ("3 * 4 = 12 + 5 = 17", ["not shown", "right"]),
        ("共16+4=20（个），每人20÷5=3个", ["right", "wrong"]),
        ("Half of 3 + 4 = 5. 2/3 of 4 + 5 = 7. A total of 3 + 4 = 8.", ["wrong"]),
        ("2x + 3 = 7, x - 1 + 4 = 8, f(3) = 4, 2 m + 3 = 9, N_0 + 1 = 4", []),
        ("2 + 5 = 3 apples + 4 pears", ["right"]),
        ("2 + 5 = 3 apples + 5 pears", ["not shown"]),
        ("At 10:30 - 9:15 = 1:15 on 3/4 = 7 we met", ["wrong"]),
        ("left = 12 * 5 - 7\nanswer = left = 54\nhalf = left / 2 = 26.5", ["wrong", "right"]),
        ("1/0 = 3, 2^100000 = 4, 9^0.5 = 3", []),
    ],
)
def test_calculations_in_words_are_judged(text: str, outcomes: list[str]) -> None:
    assert [one.outcome for one in find(text)] == outcomes


def test_the_first_wrong_step_is_named_in_text_and_json(tmp_path: Path) -> None:
    file = tmp_path / "solutions.jsonl"
    rows = [
        {"id": "a", "question": "Half of 48?", "answer": "In May 48/2 = <<48/2=25>>25.\n48 + 25 = 74."},
        {"id": "b", "problem": "Of 12 pens 5 break. 12 = 5?", "solution": "12 - 5 = 7, so $7 + 1 = 9$."},
        {"id": "c", "question": "3 and 4?", "response": "3 + 4 = 7"},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = {each["id"]: each["first_wrong"] for each in proofread(Proofread(file))["documents"]}
    assert found == {
        "a": {"step": 1, "line": 1, "text": "48/2 = 25", "reason": "it is 24"},
        "b": {"step": 2, "line": 1, "text": "7 + 1 = 9", "reason": "8 and 9"},
        "c": None,
    }
    said = mathwb("proofread", str(file)).stdout
    assert "a: first wrong step: line 1, step 1: 48/2 = 25, it is 24" in said
    assert json.loads(mathwb("proofread", str(file), "--json").stdout)["counts"]["wrong"] == 3


_STEP = re.compile(r"<<([^<>=]+)=([\d.]+)>>\s*\$?\s*([\d.,]*\d)")


@pytest.mark.slow
@pytest.mark.real_data
@pytest.mark.parametrize("annotated", [True, False])
def test_a_spoilt_step_of_a_solution_is_the_first_wrong_one(annotated: bool, real_data: Path) -> None:
    rng = random.Random(7)
    asked = named = early = alarms = 0
    with gzip.open(real_data / "math" / "gsm8k_test_half.jsonl.gz", "rt") as lines:
        texts = [json.loads(line)["answer"] for line in lines]
    for text in texts:
        plain = text if annotated else re.sub(r"<<[^<>]*>>", "", text)
        alarms += any(one.outcome == "wrong" for one in find(plain))
        steps = [match for match in _STEP.finditer(text) if re.search(r"\d\s*[-+*/]\s*\.?\d", match[1])]
        if not steps:
            continue
        step = rng.choice(steps)
        spoilt = f"{float(Fraction(step[2])) + rng.choice([1, 2, 5, 10]):.10g}"
        changed = f"{text[: step.start()]}<<{step[1]}={spoilt}>>{spoilt}{text[step.end() :]}"
        line = text.count("\n", 0, step.start()) + 1
        found = find(changed if annotated else re.sub(r"<<[^<>]*>>", "", changed))
        wrong = [one for one in found if one.outcome == "wrong"]
        asked += 1
        named += bool(wrong) and wrong[0].line == line
        early += bool(wrong) and wrong[0].line < line
    # One of the solutions says 3/4 of 364 = 364/4 = 273.
    assert (asked > 600, early, alarms) == (True, 0, 1)
    assert named >= (0.99 if annotated else 0.92) * asked
