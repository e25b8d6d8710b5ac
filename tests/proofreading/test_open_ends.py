"""Terms that no bracket ends hold where they may end, and slips in them stay mistakes."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader

_DIAGONAL = (
    r"So $$\begin{{pmatrix}} 1 & {} \\ 0 & 2 \end{{pmatrix}} = "
    r"\begin{{pmatrix}} 1 & 1 \\ 0 & 1 \end{{pmatrix}} {{\begin{{pmatrix}} 1 & 0 \\ 0 & 2 \end{{pmatrix}} "
    r"\begin{{pmatrix}} 1 & 1 \\ 0 & 1 \end{{pmatrix}}}}^{{-1}}.$$"
)


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("holding", "failing"),
    [
        # what stands behind a slash belongs to the argument, with or without a sign that is not seen
        ("So $-\\log_3\u2061 1/K = \\log_3\u2061 K$.", "So $-\\log_3\u2061 1/K = \\log_2\u2061 K$."),
        (r"So $-q\ln 1/q = q\ln q$.", r"So $-q\ln 1/q = 2q\ln q$."),
        # braces are not printed: the power is that of the last part
        (r"So $w^2 - {3w}^2 = -2w^2$.", r"So $w^2 - {3w}^2 = -w^2$."),
        (r"So ${a(b+c)}^2 = a(b+c)^2$.", r"So ${a(b+c)}^2 = a(b-c)^2$."),
        (r"So ${b+2c}^2 = b + 2c^2$.", r"So ${b+2c}^2 = b + 3c^2$."),
        (_DIAGONAL.format(1), _DIAGONAL.format(3)),
    ],
)
def test_a_term_may_end_where_it_is_printed(proofreader: TextProofreader, holding: str, failing: str) -> None:
    assert [proofreader.check_links(text)[-1].verdict for text in (holding, failing)] == ["right if", "wrong"]


def test_a_power_of_braces_is_that_of_all_their_factors_as_well(proofreader: TextProofreader) -> None:
    assert proofreader.check_links(r"So $w^2 - {3w}^2 = -8w^2$.")[-1].verdict == "right"


def test_a_power_behind_a_bracket_in_braces_is_that_of_the_bracket(proofreader: TextProofreader) -> None:
    assert proofreader.check_links(r"So ${(b+c)}^2 = b + c^2$.")[-1].verdict == "wrong"
