"""An ellipsis is a sum or product over an index where the terms beside it leave one reading."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("written", "right", "wrong"),
    [
        (r"1 + 2 + \dots + 100", "5050", "5040"),
        (r"1 + 2 + 4 + \cdots + 64", "127", "128"),
        (r"1 + 4 + 9 + \dots + 100", "385", "384"),
        (r"1^2 + 2^2 + \dots + 7^2", "140", "139"),
        (r"2^3 + 4^3 + \dots + 8^3", "800", "801"),
        (r"3^1 + 3^2 + \dots + 3^4", "120", "121"),
        (r"1 + 3 + 5 + \cdots + (2n-1)", "n^2", "n^2 + n"),
        (r"1 + 2 + \dots + (n-1) + n", r"\frac{n^2+n}{2}", r"\frac{n^2-n}{2}"),
        (r"1 \cdot 2 + 2 \cdot 3 + \cdots + n(n+1)", r"\frac{n(n+1)(n+2)}{3}", r"\frac{n(n+1)(n+2)}{2}"),
        (r"1 + r + r^2 + \cdots + r^n", r"\frac{1-r^{n+1}}{1-r}", r"\frac{1-r^n}{1-r}"),
        (r"x^{n-1} + x^{n-2} + \cdots + x + 1", r"\frac{x^n-1}{x-1}", r"\frac{x^n+1}{x-1}"),
        (r"1 \cdot 2 \cdot 3 \cdots n", "n!", "(n+1)!"),
    ],
)
def test_series_are_judged(proofreader: TextProofreader, written: str, right: str, wrong: str) -> None:
    assert proofreader.check_links(f"We know ${written} = {right}$.")[-1].verdict == "right"
    assert proofreader.check_links(f"We know ${written} = {wrong}$.")[-1].verdict == "wrong"


@pytest.mark.parametrize(
    "written",
    [
        r"1 + 2 + \cdots + 64 = 127",  # by ones or by powers of 2
        r"1 + \cdots + 10 = 56",
        r"a_1 + a_2 + \dots + a_n = 3",
        r"1 + x + x^2 + \cdots = 3",
        r"2 + 3 + 5 + 7 + \dots + 97 = 1060",
    ],
)
def test_what_can_go_on_in_several_ways_is_not_judged(proofreader: TextProofreader, written: str) -> None:
    assert proofreader.check_links(f"We know ${written}$.")[-1].verdict == "not shown"
