"""Parts of an exercise use letters anew, and what was said of them before is about another part."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def list_verdicts(proofreader: TextProofreader, text: str) -> list[str]:
    return [each.verdict for each in proofreader.check_links(text)]


LABELS = [
    ("**a)**", "**b)**"),
    ("(a)", "(b)"),
    ("a)", "b)"),
    (r"\textbf{(a)}", r"\textbf{(b)}"),
    ("（1）", "（2）"),
    ("①", "②"),
    ("**(i)**", "**(ii)**"),
    (r"\noindent{\bf a.}", r"\noindent{\bf b.}"),
]


@pytest.mark.parametrize("labels", LABELS)
def test_a_part_says_nothing_of_the_next(proofreader: TextProofreader, labels: tuple[str, str]) -> None:
    matrices = [rf"\begin{{bmatrix}} 2 & {entry} \\ 1 & 3 \end{{bmatrix}}" for entry in (5, 1, 7)]
    equation = f"$$ {matrices[1]} X = {matrices[2]} $$"
    text = f"{labels[0]} The matrix is $X = {matrices[0]}$.\n\n{labels[1]} We solve\n{equation}"
    assert "wrong" not in list_verdicts(proofreader, text)
    same = text.replace(f"\n\n{labels[1]} We solve", " We get")
    assert "wrong" in list_verdicts(proofreader, same)


@pytest.mark.parametrize("labels", LABELS)
def test_a_part_knows_what_its_exercise_says(proofreader: TextProofreader, labels: tuple[str, str]) -> None:
    parts = f"{labels[0]} Here $f(2) = 5$.\n\n{labels[1]} Here $f'(3) = 7$."
    text = f"**Exercise 4.** Let $f(x) = x^2 + 1$.\n\n{parts}"
    assert list_verdicts(proofreader, text)[-2:] == ["follows", "wrong"]


@pytest.mark.parametrize(
    "labels", [(r"\textbf{5.}", r"\textbf{6.}"), (r"\noindent{\bf 5.}", r"\noindent{\bf 6.}")]
)
def test_an_exercise_with_a_bold_number_says_nothing_of_the_next(
    proofreader: TextProofreader, labels: tuple[str, str]
) -> None:
    text = f"{labels[0]} Let $x = 2$. Then $x^2 = 4$.\n\n{labels[1]} We see that $x^2 = 9$."
    assert list_verdicts(proofreader, text) == ["given", "follows", "given"]


def test_the_solution_of_a_part_is_in_it(proofreader: TextProofreader) -> None:
    text = "**b)** Let $k = 3$.\n\n**Solution:** Then $k^2 = 9$ and $k^3 = 29$."
    assert list_verdicts(proofreader, text) == ["given", "follows", "doubtful"]


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        (r"$x=-2: 54A = -162 \implies A=-3$", ["given", "given", "follows"]),
        ("$6:3 = 2$", ["right"]),
        ("$6:3 = 4$", ["wrong"]),
    ],
)
def test_a_colon_behind_a_value_parts_it_from_an_equation(
    proofreader: TextProofreader, text: str, verdicts: list[str]
) -> None:
    assert list_verdicts(proofreader, text) == verdicts


@pytest.mark.parametrize(("next_row", "verdict"), [("12b - 9 = 3", "given"), ("12b - 9 = 4", "wrong")])
def test_an_equation_that_is_solved_is_no_identity(
    proofreader: TextProofreader, next_row: str, verdict: str
) -> None:
    text = f"Substitute it into the second one:\n$2(b-3) + 4b - 3(1-2b) = 3$\n${next_row}$"
    assert list_verdicts(proofreader, text)[0] == verdict


def test_each_integration_by_parts_has_its_own_letters(proofreader: TextProofreader) -> None:
    first = r"Take $u=x^2, dv=\cos x\,dx \implies du=2x\,dx, v=\sin x$. "
    again = r"Then again: $u=x, dv=\sin x\,dx \implies du=dx, v=-\cos x$."
    assert "wrong" not in list_verdicts(proofreader, first + again)
    assert "wrong" in list_verdicts(proofreader, first.replace("du=2x", "du=3x"))


@pytest.mark.parametrize(("lead", "verdict"), [("Here", "right if"), ("For all real $s$,", "wrong")])
def test_inverse_functions_undo_functions_of_their_angles(
    proofreader: TextProofreader, lead: str, verdict: str
) -> None:
    angle = r"\arcsin(2\sin s\cos s) = \arcsin(\sin 2s) = 2s"
    assert list_verdicts(proofreader, f"{lead} ${angle}$.") == ["right", verdict]


def test_each_step_works_out_the_same_sum_anew(proofreader: TextProofreader) -> None:
    first = r"In step one $$ Q = U - W = 3p(v-w) $$"
    again = first + "\n\nIn step two $$ R = U - W = 5p(v-w) $$"
    assert "wrong" not in list_verdicts(proofreader, again)
    assert "wrong" in list_verdicts(proofreader, first + " so $U = W + 5p(v-w)$")


def test_a_letter_that_is_let_be_another_term_is_another(proofreader: TextProofreader) -> None:
    text = "Let $u = 3x$. Then $u - x = 2x$.\n\nLet $u = 5x$. Then $u - x = "
    assert list_verdicts(proofreader, f"{text}2x$.")[-1] == "wrong"
    assert list_verdicts(proofreader, f"{text}4x$.")[-1] == "follows"
    assert "follows" not in list_verdicts(proofreader, f"{text}4x$. So $3x + 2 = 5x + 2$.")[-1]


@pytest.mark.parametrize(("term", "verdict"), [("s_n", False), ("s", True)])
def test_terms_of_a_sequence_are_no_numbers_at_will(
    proofreader: TextProofreader, term: str, *, verdict: bool
) -> None:
    text = rf"For all real numbers ${term}$ we have $\sin {term} < {term}$."
    assert ("wrong" in list_verdicts(proofreader, text)) == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Check the following congruences:\n\n1. $17 \\equiv 3 \\pmod{10}$", "not shown"),
        ("Consider the following congruences:\n\n1. Hence $17 \\equiv 3 \\pmod{10}$", "wrong"),
        ('Write the converse of the statements:\n\n1. "If $2 + 2 = 4$, then $2 + 5 = 8$."', "not shown"),
        ("Zbadaj, czy dla każdego $x$ zachodzi $2 + 5 = 8$.", "not shown"),
    ],
)
def test_statements_that_are_asked_about_are_no_claims(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert list_verdicts(proofreader, text)[-1] == verdict


def test_a_matrix_of_another_task_is_another(proofreader: TextProofreader) -> None:
    text = "The matrix is $A = \\begin{pmatrix} 1 & 2 \\\\ 2 & 5 \\end{pmatrix}$." + "\n\nAll is smooth." * 15
    assert "wrong" not in list_verdicts(proofreader, f"{text}\n\nFor every matrix with $A^2 = I$ it holds.")
    near = text.split("\n\n")[0]
    assert "wrong" in list_verdicts(proofreader, f"{near} Therefore $A^2 = I$.")
