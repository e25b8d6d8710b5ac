"""Comments and words that are struck out are no text, and decimal commas are no signs of lists."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def _count_wrong(proofreader: TextProofreader, text: str) -> int:
    return sum(each.verdict == "wrong" for each in proofreader.check_links(text))


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("<!-- before: $3+4=8$ --> We have $3+4=7$.", 0),
        ("<!-- before --> We have $3+4=8$.", 1),
        (r"\iffalse $3+4=8$ \fi We have $3+4=7$.", 0),
        (r"\iffalse before \fi We have $3+4=8$.", 1),
        ("~~$3+4=8$~~ $3+4=7$.", 0),
        ("~~We had $3+4=8$ here.~~ Now $3+4=7$.", 0),
        ("~~before~~ $3+4=8$ ~~behind~~", 1),
        # signs that nothing ends, and spaces of LaTeX
        ("~~ before $3+4=8$.", 1),
        ("The value~~is $3+4=8$.\n\nThe end~~.", 1),
    ],
)
def test_what_is_commented_out_is_not_judged(proofreader: TextProofreader, text: str, wrong: int) -> None:
    assert _count_wrong(proofreader, text) == wrong


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (r"Es gilt $4,5\cdot2=9$ und das ist die Antwort auf diese Frage.", 0),
        (r"Es gilt $4,5\cdot2=8$ und das ist die Antwort auf diese Frage.", 1),
        (r"On a donc $1,25 \cdot 4 = 5$ euros pour les quatre billets.", 0),
        (r"On a donc $1,25 \cdot 4 = 6$ euros pour les quatre billets.", 1),
        (r"Тогда имеем $1,5\cdot4=6$, что и требовалось.", 0),
        (r"Тогда имеем $1,5\cdot4=7$, что и требовалось.", 1),
        # coordinates and lists
        (r"Wir haben dann $(1,2)+(3,4)=(4,6)$ für die Summe der Vektoren.", 0),
        (r"Wir haben dann $(1,2)+(3,4)=(4,7)$ für die Summe der Vektoren.", 1),
        # a document with points has other commas
        (r"Es gilt $4.5\cdot2=9$ und auch $1,2\cdot3=6$ für die Liste.", 0),
        # the words are English
        (r"The list has the values $4,5\cdot2=10$ and so on.", 0),
    ],
)
def test_decimal_commas_are_those_of_the_language(
    proofreader: TextProofreader, text: str, wrong: int
) -> None:
    assert _count_wrong(proofreader, text) == wrong
