"""Notations of other languages and subjects: what holds in them is right, and what fails is still wrong."""

from __future__ import annotations

import pytest

from engines.documents.reading import Document, TextPiece
from engines.proofreading.cue_translations import translate_words
from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def list_verdicts(proofreader: TextProofreader, text: str) -> list[str]:
    return [each.verdict for each in proofreader.check_links(text)]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"Entonces $\frac{30.000}{60} = 500$.", "right if"),
        (r"Entonces $\frac{30.000}{60} = 700$.", "wrong"),
        ("Also $2.000,50 + 1.000,25 = 3.000,75$.", "right"),
        ("Also $2.000,50 + 1.000,25 = 3.100,75$.", "wrong"),
        ("Then $1101 + 1011 = 0100$.", "not shown"),
        ("Then $1101 + 1011 = 2100$.", "wrong"),
        (r"We need $x \to +\infty$. Then $\lim_{t \to 3^-} \frac{1}{t-3} = \infty$.", "right if"),
        (r"We need $x \to +\infty$. Then $\lim_{t \to 3^-} \frac{1}{t-3} = +\infty$.", "wrong"),
        (r"Then $\lim_{t \to 3^-} \frac{1}{t-3} = \infty$.", "wrong"),
        (r"We get $2 \arctan (-1)^2 = \frac{\pi}{2}$.", "right if"),
        (r"We get $2 \arctan (-1)^2 = \frac{\pi}{3}$.", "wrong"),
        (r"Hence $\int \frac{\sec^2 w}{\sqrt{1 + \tan^2 w}} dw = \int \sec w \, dw$.", "not shown"),
        (r"Hence $\int \frac{\sec^2 w}{\sqrt{1 + \tan^2 w}} dw = \int \cos w \, dw$.", "wrong"),
        # units, truth values, digits and branches that other subjects write
        ("The delays are in ns, so $1/(2 + 20 + 1) = 43.5$ MHz.", "not shown"),
        ("The delays are in ns, so $1/(2 + 20 + 1) = 45.3$ MHz.", "wrong"),
        ("It has $2^{20} = 1$M words.", "not shown"),
        ("By consensus $F = AB + A'C + BC = AB + A'C$.", "right if"),
        ("By consensus $F = AB + A'C + BC = AB + AC$.", "not shown"),
        ("The address is always $FFFF0 + 0001 = FFFF1$.", "right if"),
        (r"In this book $\operatorname{arccsc}(-1) = \frac{3\pi}{2}$.", "right"),
        (r"In this book $\operatorname{arccsc}(-1) = \frac{5\pi}{2}$.", "wrong"),
        (r"Indeed $\sin\pi/\pi = 0$.", "right if"),
        (r"Indeed $\sin\pi/2 = 0$.", "wrong"),
        ("Subtract the binary digits: $10 - 1 = 1$.", "right"),
        (
            r"Then $\begin{bmatrix}2&3\\2&4\end{bmatrix} = \begin{bmatrix}2&3\\0&1\end{bmatrix}$.",
            "not shown",
        ),
        (
            r"Then $\begin{bmatrix}2&3\\2&4\end{bmatrix} = \begin{bmatrix}2&3\\2&5\end{bmatrix}$.",
            "wrong",
        ),
        (r"So $\genfrac{(}{)}{}{}{19}{73} = \genfrac{(}{)}{}{}{73}{19}$.", "right if"),
        (r"So $\genfrac{(}{)}{}{}{5}{73} = \genfrac{(}{)}{}{}{19}{73}$.", "wrong"),
        (r"The sizes are $(7, 5) = (7, 1) \times (1, 5) * (1, 5)$.", "not shown"),
        (r"So $\frac{\partial y}{\partial x} = \frac{\partial (x w)}{\partial x} = w$.", "right"),
        (r"There are six of them: $|[4]^{(2)}| = 6$.", "not shown"),
        (r"As classes $[(4+1, 1+2)] = [(5,3)] = [(3,1)]$.", "not shown"),
        (r"So $|1 - (-1)| < 2$ by the triangle inequality. This is a contradiction.", "not shown"),
        ("El cociente es $50/8 = 6$ (parte entera).", "not shown"),
        ("El cociente es $50/8 = 6$ (exactamente).", "wrong"),
        ("Der Quotient ist $50/8 = 6$ mit Rest 2.", "not shown"),
    ],
)
def test_what_holds_in_another_notation_is_no_mistake(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert list_verdicts(proofreader, text)[-1] == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("The source has $U = 12$ and $V = 24V$.", "given"),
        (r"So $N = 2 \cdot 9.8 \cdot \cos(60) = 9.8 N$.", "not shown"),
        (r"The angle is $\phi = 90$, so $\cos\phi = 0$.", "not shown"),
        (r"The angle is $\phi = 60$, so $\cos\phi = 0$.", "wrong"),
    ],
)
def test_a_letter_can_be_a_unit_and_a_number_an_angle_in_degrees(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert list_verdicts(proofreader, text)[-1] == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"$$\begin{gather} 5 = 4 \\ 5 \neq 4 \end{gather}$$", "not shown"),
        (r"$$\begin{gather} 5 - 2 = 4 \\ 5 \neq 3 \end{gather}$$", "wrong"),
        (r"The last row says $0x + 0y = 3$, hence $0 = 3$.", "not shown"),
        ("The last row says $2x - 2x = 3$.", "wrong"),
        ("# Common mistakes\n\nFor all real $x$ and $y$, $(x+y)^2 = x^2 + y^2$.", "not shown"),
        ("# Squares\n\nFor all real $x$ and $y$, $(x+y)^2 = x^2 + y^2$.", "wrong"),
        ("Dann wäre $s < s$, ein Fehler.", "not shown"),
    ],
)
def test_what_the_text_denies_itself_is_not_accused(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert list_verdicts(proofreader, text)[0] == verdict


@pytest.mark.parametrize(("entry", "verdict"), [("0.333", "follows"), ("0.343", "wrong")])
def test_entries_of_a_matrix_can_be_rounded(proofreader: TextProofreader, entry: str, verdict: str) -> None:
    text = r"The matrix is $A = \begin{bmatrix} 3 & 4 \\ 1 & 2 \end{bmatrix}$. Then "
    result = rf"$\frac13 A = \begin{{bmatrix}} 1 & 1.333 \\ {entry} & 0.667 \end{{bmatrix}}$."
    assert list_verdicts(proofreader, text + result)[-1] == verdict


def test_a_matrix_of_matrices_is_not_accused_of_its_size(proofreader: TextProofreader) -> None:
    text = r"""With the matrix $B = \begin{bmatrix} 0 & 2 \\ 1 & 0 \end{bmatrix}$ we have
    $$\begin{bmatrix} B & 0 \end{bmatrix} = \begin{bmatrix} 0 & 2 & 0 \\ 1 & 0 & 0 \end{bmatrix}.$$"""
    assert "wrong" not in list_verdicts(proofreader, text)


SOLUTION = r"$$\frac{dy}{y} = 2x\,dx, \quad \ln|y| = x^2 + C, \quad y = Ce^{x^2}.$$"


def test_the_solution_of_a_differential_equation_follows_for_its_own_constant(
    proofreader: TextProofreader,
) -> None:
    assert list_verdicts(proofreader, SOLUTION)[-1] == "follows"
    assert list_verdicts(proofreader, SOLUTION.replace("y = C", "y = 3C"))[-1] == "follows"
    assert "follows" not in list_verdicts(proofreader, SOLUTION.replace("e^{x^2}", "e^{x^3}"))[-1]


@pytest.mark.parametrize(
    ("remark", "sign"),
    [
        (r", \quad w = x^2", ""),
        (r" \quad (w = x^2)", ""),
        (r" & [w = x^2]", "&"),
        (r", & w &= x^2", "&"),
        (r" \quad \text{where } w = x^2", "&"),
        (r" \qquad w = x^2, dw = 2x\,dx", "&"),
    ],
)
@pytest.mark.parametrize(("factor", "verdict"), [("", "right"), ("3", "wrong")])
def test_a_row_goes_on_with_what_stands_before_a_remark(
    proofreader: TextProofreader, remark: str, sign: str, factor: str, verdict: str
) -> None:
    rows = rf"\int 2x \cos(x^2)\,dx {sign}= \int \cos w\,dw{remark} \\ {sign}= {factor}\sin w + C"
    text = rf"$$\begin{{align}} {rows} \end{{align}}$$"
    last = list(proofreader.check_links(text))[-1]
    assert (last.left.rstrip(","), last.verdict) == (r"\int \cos w\,dw", verdict)


def test_a_row_goes_on_with_the_last_statement_if_that_is_no_remark(proofreader: TextProofreader) -> None:
    text = r"$$\begin{gather} p = 3, q = 2 + 2 \\ = 4 \end{gather}$$"
    assert list(proofreader.check_links(text))[-1].left == "2 + 2"


def test_a_page_of_one_line_has_paragraphs(proofreader: TextProofreader) -> None:
    between = "<p>All of this is smooth.</p>" * 30
    text = f"<p>Let $g(x) = x^2 + 1$.</p>{between}<p>Let $g$ be known, and $g(2) = 7$.</p>"
    document = [each.verdict for each in proofreader.check_links(text)]
    assert "wrong" not in document


@pytest.mark.parametrize("words", ["İSE", "Ası", "ӀF"])
def test_capitals_of_other_alphabets_are_words(words: str) -> None:
    lead = "Bu denklem için örnek ve çözüm: her bir "
    translated = translate_words(Document("", (TextPiece(f"{lead}{words} x", 1),)))
    assert "equation" in translated.pieces[0].text


def test_an_ellipsis_between_long_numbers_is_read(proofreader: TextProofreader) -> None:
    long = "7" * 200
    assert list_verdicts(proofreader, rf"Then $1 + {long} + \dots + 2 = 3$.")


@pytest.mark.parametrize(
    ("heading", "lead"),
    [("Aufgabe 1", "Lösung"), ("Exercice 1", "Solution"), ("Ejercicio 1", "Solución"), ("例 1", "解")],
)
def test_exercises_of_other_languages_are_scopes(
    proofreader: TextProofreader, heading: str, lead: str
) -> None:
    text = f"**{heading}.** Sea der wir pour 设 la die les $m = 3$.\n\n**{lead}:** $m + 1 = 4$."
    assert list(proofreader.check_links(text))


@pytest.mark.parametrize(
    ("lead", "verdict"), [("Find the error:", "not shown"), ("Find the value:", "wrong")]
)
def test_a_question_asks_of_the_formula_behind_it(
    proofreader: TextProofreader, lead: str, verdict: str
) -> None:
    assert list_verdicts(proofreader, f"{lead}\n\n$$ 4(7 - 9) = 4 \\cdot 2 $$") == [verdict]


def test_two_names_can_be_one_term(proofreader: TextProofreader) -> None:
    text = r"First, $S_1 = (P_1 \cdot \overline{P_0})$. Next, $S_0 = P_1 \cdot \overline{P_0}$."
    assert "wrong" not in list_verdicts(proofreader, text)
    sums = "First, $b_1 + c_2 + d_3 = 17e_4$. So $b_1 + c_2 + d_3 = 17e_4$, or $b_1 + c_2 + d_9 = 17e_4$."
    assert "wrong" in list_verdicts(proofreader, sums)


def test_spaces_in_square_brackets_part_the_entries_of_a_row(proofreader: TextProofreader) -> None:
    text = r"The matrix is $[p\ q]\begin{bmatrix} 2 & 1 \\ 1 & 3 \end{bmatrix} = [2p+q\ \ p+3q] = 7$."
    assert "wrong" not in list_verdicts(proofreader, text)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"Likewise $P_2 \times (P_1 - P_2) = P_2 \times P_1$ and so on, for all $P_1$ and $P_2$.", False),
        (r"Therefore $P_2 \times (P_1 - P_2) = P_1 \times P_2$ for all real numbers $P_1$ and $P_2$.", True),
        (r"Hence $\prod_{i=1}^{n}\sqrt{(2i-1)(2i+1)} = \prod_{i=1}^{n}(2i-1)\sqrt{2n+1}$.", False),
        (r"Hence $\prod_{i=1}^{n}\sqrt{(2i-1)(2i+1)} = \prod_{i=1}^{n}(2i-1)\sqrt{2n+3}$.", True),
        (r"Define $C = e^{k_1}$. At the start, $C(0) = 0$.", False),
        (r"Then $w_0 = \sqrt{500} = 22.4$. So $t = w_0/9.8 = 22.4/9.8$.", False),
        (r"Then $w_0 = \sqrt{500} = 22.4$. So $t = w_0/9.8 = 24.4/9.8$.", True),
        (r"For all $m > N$ we have $|b_m| < \delta < 1$, so $b_m^2 \le |b_m|$.", False),
        ("For all $k, m > N$ we have\n\n$$ s = 2^{-k}/3 < 1/(3k) $$\n\nand so on.", False),
        (r"We have $\exists N, \forall k, m > N: |b_k - b_m| < 1$.", False),
        (r"Take $\pi_1: A_1x + B_1y + D_1 = 0$ and $\pi_2: A_2x + B_2y + D_2 = 0$.", False),
    ],
)
def test_products_bounds_and_names_are_read_as_they_are_meant(
    proofreader: TextProofreader, text: str, *, verdict: bool
) -> None:
    assert ("wrong" in list_verdicts(proofreader, text)) == verdict


@pytest.mark.parametrize(("last", "verdict"), [("-", "right"), ("+", "wrong")])
def test_a_sign_of_another_class_goes_on_with_a_sum(
    proofreader: TextProofreader, last: str, verdict: str
) -> None:
    rows = rf"(1+x)(1-x) &= 1 - x \\ &\mathrel{{+}} x - x^2 \\ &= 1 {last} x^2"
    assert list_verdicts(proofreader, rf"$$\begin{{align}} {rows} \end{{align}}$$") == ["right", verdict]


@pytest.mark.parametrize(("sum_", "verdict"), [("3 + 4", "right"), ("3 + 5", "wrong")])
def test_a_paragraph_goes_on_with_what_stands_before_a_remark(
    proofreader: TextProofreader, sum_: str, verdict: str
) -> None:
    text = f"So $2 + 1 + 4 = 1 + 2 + 4$\n\nand $1 + 2 = 3$ , $2 + 2 = 4$\n\n$= {sum_} = {sum_}$."
    links = [each for each in proofreader.check_links(text) if each.left == "1 + 2 + 4"]
    assert [each.verdict for each in links] == [verdict]


def test_a_formula_that_touches_another_goes_on_with_it(proofreader: TextProofreader) -> None:
    left, right = (rf"\begin{{pmatrix}} 1 & {entry} \\ 0 & 1 \end{{pmatrix}}" for entry in (2, 3))
    assert "wrong" not in list_verdicts(
        proofreader, f"The matrix ${right}{left}{left} = {right}{left}$${left}$."
    )


def test_each_exercise_defines_its_own_functions(proofreader: TextProofreader) -> None:
    first = "\\newproblem{The surface is $h(x,y) = x^4 - y^4 + 3xy$.}\n\n"
    other = "The surface $h(x,y) = x^4 + y^4 + 3xy$ is flat."
    assert "wrong" not in list_verdicts(proofreader, f"{first}\\newproblem{{{other}}}")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"Then $q = e^{10^{22}\ln(1 - 0.001)} \approx e^{10^{22} \cdot -0.001}$.", False),
        (r"Then $q = e^{10^{22}\ln(1 - 0.001)} \approx e^{10^{22} \cdot -0.003}$.", True),
        (r"$$ s = k\ln W = k(N\ln p - \ln N!) = k(N\ln p - N\ln N + N) $$", False),
        (r"$$ s = k\ln W = k(N\ln p - \ln N!) = k(N\ln p - N\ln N - N) $$", True),
        (r"$$ m = |(a - b) - i(p - q)| = |\overline{(a - b) + i(p - q)}| $$", False),
        (r"$$ m = |(a - b) - i(p - q)| = |\overline{(a + b) + i(p - q)}| $$", True),
        (r"Let $Q * B := QBQ^T$. Then $P(QBQ^T) = P(Q * B) = P(QBQ^T)$.", False),
        (
            r"Clearly $\begin{bmatrix} 2 & 5 \\ 2 & 5 \end{bmatrix} = \begin{bmatrix} 2\begin{bmatrix} 1 \\ 1"
            r"\end{bmatrix} & 5\begin{bmatrix} 1 \\ 1 \end{bmatrix} \end{bmatrix}$.",
            False,
        ),
    ],
)
def test_what_physicists_and_algebraists_write_is_no_mistake(
    proofreader: TextProofreader, text: str, *, verdict: bool
) -> None:
    assert ("wrong" in list_verdicts(proofreader, text)) == verdict


@pytest.mark.parametrize(("total", "verdict"), [("3.6", "right"), ("3.64", "right"), ("3.7", "wrong")])
def test_a_multiple_of_units_in_letters_can_be_rounded(
    proofreader: TextProofreader, total: str, verdict: str
) -> None:
    unit = r"\frac{kJ}{mol}"
    text = rf"$$ Q = 2.53 {unit} + 1.11 {unit} = {total} {unit} $$"
    assert list_verdicts(proofreader, text)[-1] == verdict


@pytest.mark.parametrize(("functions", "verdict"), [((r"\sin", "-"), "right if"), ((r"\cos", "+"), "wrong")])
def test_letters_that_count_are_whole_as_factors_of_pi(
    proofreader: TextProofreader, functions: tuple[str, str], verdict: str
) -> None:
    function, sign = functions
    total = rf"\frac{{1}}{{n}}\left({function}(n\pi) {sign} {function}(-n\pi)\right)"
    text = rf"For all $n$ we get $$a = \frac{{1}}{{n}} \int_{{-n\pi}}^{{n\pi}} \cos(u) du = {total} = 0$$"
    assert list_verdicts(proofreader, text)[-1] == verdict
