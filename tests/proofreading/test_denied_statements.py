"""What a text denies, quotes or reports is not what it says."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("denied", "said"),
    [
        ("Nobody believes that $5+4=8$.", "Nobody doubts that $5+4=8$."),
        ("Rather than $5+4=8$ we get $5+4=9$.", "Rather than guessing, we get $5+4=8$."),
        ("Instead of $5+4=8$ we get $5+4=9$.", "Instead, $5+4=8$."),
        ("$5+4=8$ is a common mistake.", "It is a common mistake to stop here. So $5+4=8$."),
        ("You are tempted to write $5+4=8$.", "We are not tempted to stop here, so $5+4=8$."),
        ("The typo $5+4=8$ should read $5+4=9$.", "There is no typo here: $5+4=8$."),
        ("The first print had $5+4=8$, later corrected.", "We know that $5+4=8$, later used."),
        ("We would need $5+4=8$.", "We need $5+4=8$ pages."),
        ("Unless $5+4=8$, we are done.", "We are done since $5+4=8$."),
        ("The program printed $5+4=8$ because of a bug.", "The program printed $5+4=8$."),
        ("My brother wrote $5+4=8$.", "Above we wrote $5+4=8$."),
        ("A: $5+4=8$. B: No, it is $5+4=9$.", "We have $5+4=8$. No, there is nothing else to do."),
        ("Far from $5+4=8$, we have $5+4=9$.", "It is far from obvious that $5+4=8$."),
        ("Neither $5=4$ nor $2+2=5$ holds.", "Neither of them is hard. We get $5+4=8$."),
        ("Were $5+4=8$, we would stop.", "The values were $5+4=8$."),
        ("A false statement such as $5+4=8$ implies anything.", "A true statement such as $5+4=8$ is short."),
        ("Неверно, что $5+4=8$.", "Верно, что $5+4=8$."),
        ("$5+4=8$ 是错误的。", "因为 $5+4=8$。"),
        ("$5+4=8$ は誤りです。", "したがって $5+4=8$ です。"),
    ],
)
def test_denials_and_reports_accuse_nobody(proofreader: TextProofreader, denied: str, said: str) -> None:
    verdicts = [[each.verdict for each in proofreader.check_links(text)] for text in (denied, said)]
    assert ["wrong" in several for several in verdicts] == [False, True]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Prove or disprove: $9 \\cdot 12 = 109$.", "We prove the next equation: $9 \\cdot 12 = 109$."),
        ("Verify or disprove that $9 \\cdot 12 = 109$.", "We verify it: $9 \\cdot 12 = 109$."),
        (
            "What is $3^3$? (A) $3^3 = 9$ (B) $3^3 = 26$ (C) $3^3 = 27$",
            "Two values: (A) $3^3 = 9$ (B) $3^2 = 9$",
        ),
        (
            "What is $3^3$?\n\n(A) $3^3 = 9$\n\n(B) $3^3 = 27$",
            "Two values:\n\n(A) $3^3 = 9$\n\n(B) $3^2 = 9$",
        ),
    ],
)
def test_what_is_asked_is_not_claimed(proofreader: TextProofreader, asked: str, said: str) -> None:
    verdicts = [[each.verdict for each in proofreader.check_links(text)] for text in (asked, said)]
    assert ["wrong" in several for several in verdicts] == [False, True]
