r"""Items, parts in prose, chains of implications, quoted work and other objects: what is said of one of them
says nothing of the next, and real mistakes in them are still called so."""

from __future__ import annotations

import pytest

from engines.documents.reading import Document, html_pieces
from engines.mathematics.judging import judge as new_judge
from engines.proofreading.document_judge import proofread_document
from engines.proofreading.proofread_files import TextProofreader

_ACCUSED = ("wrong", "doubtful")


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def list_verdicts(proofreader: TextProofreader, text: str) -> list[str]:
    return [each.verdict for each in proofreader.check_links(text)]


def count_accused(proofreader: TextProofreader, text: str) -> int:
    return sum(verdict in _ACCUSED for verdict in list_verdicts(proofreader, text))


def list_verdicts_of_html(html: str) -> list[str]:
    document = Document("", tuple(html_pieces(html, lambda *_: None)))
    return [judged.outcome for judged in proofread_document(document, new_judge())]


FIRST = r"Here $x = A(x-1) + B$. For $x = 1$ we get $B = 1$, and $A = 1$."
SECOND = r"Here $x + 1 = A(x^2+1) + (Bx + C)x$. So $A = 1$ and $C = 1$, and $A + B = 0$."


def test_an_item_of_html_says_nothing_of_the_next() -> None:
    listed = f"<ol>\n<li>{FIRST}</li>\n<li>{SECOND}</li>\n</ol>"
    nested = f"<ul><li>One <ul><li>{FIRST}</li></ul></li><li>{SECOND}</li></ul>"
    unclosed = f"<ol><li>{FIRST}\n<li>{SECOND}</ol>"
    for html in (listed, nested, unclosed):
        assert not set(_ACCUSED) & set(list_verdicts_of_html(html))
    said = "<p>Let $k = 3$.</p><ol><li>Then $k^2 = 9$.</li><li>So $k^3 = 29$.</li></ol>"
    assert list_verdicts_of_html(said)[1] == "follows"


@pytest.mark.parametrize("mark", ["1.", "-"])
def test_an_item_goes_on_where_lines_are_indented(proofreader: TextProofreader, mark: str) -> None:
    space = " " * (len(mark) + 1)
    item = f"{mark} First.\n\n{space}Let $k = 3$.\n\n{space}Then $k^2 = 9$.\n\n"
    assert list_verdicts(proofreader, f"{item}{mark} Second. Then $k^2 + 1 = 17$.")[1:] == [
        "follows",
        "given",
    ]
    assert list_verdicts(proofreader, f"{item}{space}So $k^2 + 1 = 17$.")[-1] == "wrong"


def test_what_an_item_says_holds_in_those_inside_it(proofreader: TextProofreader) -> None:
    text = "- Let $k = 3$.\n  - Let $m = 4$.\n  - Then $k^2 = 9$ and $m^2 = 16$.\n- Also $k^2 = 25$."
    assert list_verdicts(proofreader, text)[2:] == ["follows", "given", "given"]


@pytest.mark.parametrize(
    "text",
    [
        r"For (a), the outer function is $f(u) = \sqrt u$. For (b), we use $f'(u) = \cos u$.",
        r"In part (a) the outer function is $f(u) = \sqrt u$. In part (b) we use $f'(u) = \cos u$.",
        r"Für (a) ist die äußere Funktion $f(u) = \sqrt u$. Für (b) gilt dann $f'(u) = \cos u$.",
    ],
)
def test_a_sentence_can_begin_a_part(proofreader: TextProofreader, text: str) -> None:
    assert count_accused(proofreader, text) == 0
    assert count_accused(proofreader, text.replace("(b)", "it")) == 1


def test_two_chains_of_implications_conclude_apart(proofreader: TextProofreader) -> None:
    chains = r"u = 0 \Rightarrow 3x = 0 \Rightarrow x = 0", r"u = 3 \Rightarrow 3x = 9 \Rightarrow x = 3"
    assert count_accused(proofreader, rf"$${chains[0]} \qquad {chains[1]}$$") == 0
    assert count_accused(proofreader, rf"$${chains[0]}$$ $${chains[1]}$$") == 0
    words = "$u = 0$ implies $3x = 0$, so $x = 0$. And $u = 3$ implies $3x = 9$, so $x = 3$."
    assert count_accused(proofreader, words) == 0
    assert count_accused(proofreader, words[:-4] + "= 4$.") == 1
    assert count_accused(proofreader, rf"$${chains[0]} \qquad {chains[1][:-1]}4$$") == 1


def test_a_value_solves_a_logarithm_to_the_base_that_is_meant(proofreader: TextProofreader) -> None:
    assert list_verdicts(proofreader, r"$\log x = 9 \Rightarrow x = 10^9$") == ["given", "right if"]
    assert list_verdicts(proofreader, r"$\log x = 9 \Rightarrow x = 10^8$") == ["given", "wrong"]


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        (r"Use the reciprocal identity: $\sec a = 4$ $\Rightarrow$ $\cos a = 0.3$", ["given", "not shown"]),
        (r"By the Pythagorean identity, $\cos\theta = 0.6$.", ["given"]),
        ("We use the identity $(x+y)^2 = x^2+y^2$.", ["wrong"]),
        ("Apply the binomial identity $(x+y)^2 = x^2+y^2$.", ["wrong"]),
        ("The identity $(x+y)^2 = x^2+y^2$ is known.", ["wrong"]),
        (r"We differentiate the identity $\arcsin(\sin x) = x$.", ["right if"]),
        (r"For all real $x$ we have $\arcsin(\sin x) = x$.", ["wrong"]),
    ],
)  # fmt: skip
def test_an_identity_is_applied_or_stated(
    proofreader: TextProofreader, text: str, verdicts: list[str]
) -> None:
    assert list_verdicts(proofreader, text) == verdicts


@pytest.mark.parametrize(
    "text",
    [
        r"For no $x \in A$ does $x < x$ hold.",
        "No real number satisfies $x < x$.",
        "There is no $x$ with $x > x$.",
        "At no point is $2 + 2 = 5$.",
        "Für kein $x$ gilt $x < x$.",
    ],
)
def test_what_holds_for_nothing_is_no_claim(proofreader: TextProofreader, text: str) -> None:
    assert count_accused(proofreader, text) == 0


@pytest.mark.parametrize(
    "text", ["There is no doubt that $2 + 2 = 5$.", "Since no $x$ is left, $2 + 2 = 5$."]
)
def test_another_no_excuses_nothing(proofreader: TextProofreader, text: str) -> None:
    assert count_accused(proofreader, text) == 1


WORK = (
    "A student solves $3x + 2 = 11$ as follows:\n\n$$3x = 11 + 2 = 14$$\n\n{}\n\n**Solution.** So $3x = 9$."
)


@pytest.mark.parametrize(
    "task",
    ["Spot *all* errors in this work.", "What mistake did the student make?", "Find the student's error."],
)
def test_work_in_which_mistakes_are_looked_for_is_not_accused(
    proofreader: TextProofreader, task: str
) -> None:
    assert list_verdicts(proofreader, WORK.format(task))[1:] == ["not shown", "not shown", "follows"]
    assert "wrong" in list_verdicts(proofreader, WORK.format("Solve it likewise."))


def test_another_object_has_its_own_equation(proofreader: TextProofreader) -> None:
    text = (
        r"The hyperbola is $$\frac{x^2}{a^2} = 1 + \frac{y^2}{b^2}.$$ "
        r"{} $$\frac{x^2}{a^2} - \frac{y^2}{b^2} = -1.$$"
    )
    for words in (r"The \emph{conjugate} hyperbola is", "The mirror image is", "The other branch has"):
        assert count_accused(proofreader, text.replace("{} ", f"{words} ")) == 0
    assert count_accused(proofreader, text.replace("{} ", "So we get ")) == 1


def test_a_new_line_can_go_on_from_a_label(proofreader: TextProofreader) -> None:
    text = "Find $4 \\cdot 5$:\n\nThe half of it is $x = 10$\n\n$= {}$"
    assert list_verdicts(proofreader, text.format("20"))[-1] == "right if"
    assert list_verdicts(proofreader, text.format("21"))[-1] == "wrong"


def test_the_distance_of_rows_is_no_term(proofreader: TextProofreader) -> None:
    text = r"$$\begin{aligned} (x+1)^2 &= x^2 + 2x + 1 \\[4pt] &= x^2 + x + 1 \end{aligned}$$"
    assert list_verdicts(proofreader, text) == ["right", "wrong"]


@pytest.mark.parametrize(
    "labels",
    [
        (r"\noindent{\bf 1.}", r"\noindent{\bf 2. }"),
        (r"\medskip\noindent\textbf{3.}", r"\medskip\noindent\textbf{4.}"),
        (r"\textbf{a.}", r"\textbf{b.}"),
        ("**a.**", "**b.**"),
    ],
)
def test_a_bold_label_begins_an_exercise_or_part(
    proofreader: TextProofreader, labels: tuple[str, str]
) -> None:
    text = f"{labels[0]} Let $k = 3$. Then $k^2 = 9$.\n\n{labels[1]} So $k^2 + 1 = 17$."
    assert count_accused(proofreader, text) == 0
    assert count_accused(proofreader, text.replace(labels[1], "")) == 1


@pytest.mark.parametrize(
    ("text", "accused"),
    [
        (r"Here $y = x^2 - a^2$. Relabelling $a^2 \to -a^2$ we get $y = x^2 + a^2$.", 0),
        (r"Here $y = x^2 - a^2$. So we get $y - x^2 = a^2$.", 1),
        (r"The curve is $b^2 x^2 - y^2 = b^2$. A hyperbola with no intercepts has $b^2x^2 - y^2 = -b^2$.", 0),
        (r"We have $P(k, c_1) = 5^k$. And $P(2, c_2) = 6^2$.", 0),
        (r"We have $P(k, c_1) = 5^k$. So $P(2, c_1) = 6^2$.", 1),
    ],
)
def test_letters_and_objects_that_are_others(proofreader: TextProofreader, text: str, accused: int) -> None:
    assert count_accused(proofreader, text) == accused


@pytest.mark.parametrize(
    "text",
    [
        r"For each $|x|^2$ we have $x = 0 \implies |x|^2 = 0 \text{ and } x \neq 0 \implies |x|^2 > 0$.",
        r"For all $i$, $$f(g(i)) = i \implies fg = d_I$$ and for all $x$, $$g(f(x)) = x \implies gf = d_X.$$",
        r"Here $v = u + w \text{ and } u + w = 0 \implies u = w = 0$.",
        r"Here $\vec x = \vec 0 \implies \langle \vec x, \vec x \rangle = 0$.",
        r"$$\begin{aligned} &\text{wrong way:} \\ &= 2 + 2 \\ &= 5 \end{aligned}$$",
    ],
)
def test_what_is_implied_rests_on_its_own_premise(proofreader: TextProofreader, text: str) -> None:
    assert count_accused(proofreader, text) == 0
