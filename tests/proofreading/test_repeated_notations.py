"""What fails time and again with one sign is a notation of the text, and no mistake; a single failure is."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


_EXCLUSIVE = [rf"We get $\neg {a} \vee {a} \equiv {b}$." for a, b in (("p", "q"), ("r", "s"), ("v", "w"))]


def test_a_sign_that_fails_repeatedly_is_the_own_notation_of_a_text(proofreader: TextProofreader) -> None:
    few, many = _EXCLUSIVE, [*_EXCLUSIVE, r"We get $\neg k \vee k \equiv l$."]
    for texts, verdict in ((few, "wrong"), (many, "not shown")):
        judged = proofreader.check_links("\n\n".join([*texts, "So $2 + 2 = 5$."]))
        assert [each.verdict for each in judged] == [*[verdict] * len(texts), "wrong"]


def test_a_sign_that_holds_more_often_than_it_fails_has_its_usual_meaning(
    proofreader: TextProofreader,
) -> None:
    held = [
        rf"We get $\neg {a} \vee {b} \equiv {b} \vee \neg {a}$." for a, b in ("pq", "rs", "uv", "wz", "kl")
    ]
    failed = [rf"We get $\neg {a} \vee {a} \equiv {b}$." for a, b in ("ab", "gh", "mn", "yz")]
    judged = proofreader.check_links("\n\n".join([*held, *failed]))
    assert [each.verdict for each in judged] == [*["right"] * len(held), *["wrong"] * len(failed)]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # an operation that is not known, with its result
        (r"We write $9 \parallel 5 = 6$.", "not shown"),
        (r"We write $9 \prec 5 = 6$.", "not shown"),
        # … and a calculation behind a relation
        (r"We have $a \sim 2 + 5 = 6$.", "wrong"),
        (r"We have $a = 5 = 6$.", "wrong"),
    ],
)
def test_a_sign_before_a_number_can_be_an_operation(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert proofreader.check_links(text)[-1].verdict == verdict
