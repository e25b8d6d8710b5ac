"""What a text refutes elsewhere, or only builds an implication of, is not what it claims."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def _list_accused(proofreader: TextProofreader, text: str) -> list[str]:
    links = proofreader.check_links(text)
    return [
        f"{each.left}{each.relation}{each.right}" for each in links if each.verdict in ("wrong", "doubtful")
    ]


_STEPS = "Let $u=v$.\n\n1. $u^2=uv$\n2. $u+v=v$\n3. $2v=v$\n4. $4=3$\n\n"


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        (_STEPS + "Clearly $4=3$ is false. One step divides by zero.", []),
        (_STEPS + "But $4\\neq 3$. One step divides by zero.", []),
        # Nothing, or another statement, is called false.
        (_STEPS + "Clearly $4=3$ is useful.", ["2v=v", "4=3", "4=3"]),
        (_STEPS + "Clearly $5=3$ is false.", ["2v=v", "4=3"]),
        # The denial stands in another section.
        ("# One\n\nSo $5+4=8$.\n\n# Two\n\nOf course $5+4=8$ is false.", ["5+4=8"]),
        ("# One\n\nSo $5+4=8$.\n\nOf course $5+4=8$ is false.", []),
        # A quotation alone, and a question, refute nothing.
        ('So $5+4=8$.\n\nWe call it "$5+4=8$" from here on.', ["5+4=8"]),
        ("So $5+4=8$.\n\nIs $5+4=8$?", ["5+4=8"]),
        # What a letter is not in one task it can be said to be in another, where that is wrong.
        ("We solve $2x+3=9$. So $x=4$.\n\nOf the next equation $x=4$ is false.", ["x=4"]),
        ("Let $t\\neq 4$ and $2t=6$. Then $t=4$.", ["t=4"]),
        # A neighbour that is wrong stays so.
        ("So $5+4=8$ and $5+3=9$.\n\nOf course $5+4=8$ is false.", ["5+3=9"]),
    ],
)
def test_a_section_refutes_its_own_statement(
    proofreader: TextProofreader, text: str, accused: list[str]
) -> None:
    assert _list_accused(proofreader, text) == accused


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        (r"$2=3\Rightarrow 4=7$ is true, as its premise is false.", []),
        (r"$2=3\Leftrightarrow 4=7$ is true, too.", []),
        (r"$2=3\Rightarrow 2\cdot 2=5$ is vacuously true.", []),
        (r"The implication $2=3\Rightarrow 4=7$ needs no proof.", []),
        (r"$2=3$ is true.", ["2=3"]),
        (r"$1+1=2\Rightarrow 2\cdot 2=5$ is true.", [r"2\cdot 2=5"]),
        (r"$2=3\Rightarrow 4=7$ is short.", ["2=3"]),
        (r"$2=3\Rightarrow 4=7$ is true. So $5+4=8$.", ["5+4=8"]),
    ],
)
def test_parts_of_true_implications_are_not_claimed(
    proofreader: TextProofreader, text: str, accused: list[str]
) -> None:
    assert _list_accused(proofreader, text) == accused


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        (r"In Boolean algebra $1+1=1$, but in $\mathbb F_2$ we have $1+1=0$.", []),
        (r"In Boolean algebra $1+1=3$, but in $\mathbb F_2$ we have $1+1=0$.", ["1+1=3"]),
        (r"In $\mathbb F_2$ we have $1+1=1$.", ["1+1=1"]),
    ],
)
def test_the_words_before_a_statement_name_its_domain(
    proofreader: TextProofreader, text: str, accused: list[str]
) -> None:
    assert _list_accused(proofreader, text) == accused


_POWERS = "All is modulo $13$, where $2$ is a primitive root. "


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        (_POWERS + r"The discrete logarithms to the base $2$ are $\log 3=4$ and $\log 5=9$.", []),
        (_POWERS + r"The discrete logarithm fits: $\log(3\cdot 5)=\log 2=1$.", []),
        (_POWERS + r"So $\log 3=4$.", [r"\log 3=4"]),
        (_POWERS + r"Discrete logarithms are not needed, as $2^4=5$.", ["2^4=5"]),
        (_POWERS + r"Discrete logarithms differ from $\log 3=1.386$.", [r"\log 3=1.386"]),
    ],
)
def test_logarithms_of_residues_are_no_ordinary_ones(
    proofreader: TextProofreader, text: str, accused: list[str]
) -> None:
    assert _list_accused(proofreader, text) == accused


def test_a_rounded_calculation_is_a_number(proofreader: TextProofreader) -> None:
    verdicts = [each.verdict for each in proofreader.check_links(r"We get $\lfloor 90/7\rfloor=6+6=12$.")]
    assert verdicts == ["right", "right"]
    assert _list_accused(proofreader, r"We get $\lfloor 90/7\rfloor=6+7$.") == [r"\lfloor 90/7\rfloor=6+7"]


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        ("I found $5+4=8$. Why is this marked as wrong?", "I found $5+4=8$. Why is this useful?"),
        ("I found $5+4=8$. Why was it wrong?", "I found $5+4=8$. Why was it asked?"),
        (
            "I found $5+4=8$. My teacher marked this as wrong.",
            "I found $5+4=8$. My teacher marked this page.",
        ),
        ("I found $5+4=8$. This was marked as wrong.", "I found $5+4=8$. This was marked as done."),
    ],
)
def test_what_was_marked_as_wrong_is_not_claimed(
    proofreader: TextProofreader, marked: str, said: str
) -> None:
    assert [bool(_list_accused(proofreader, text)) for text in (marked, said)] == [False, True]
