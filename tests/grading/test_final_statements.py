"""What explanations state in the end, beside what their question says."""

import pytest

from engines.grading.grades import grade

RIGHT = [
    # The last exact side of a chain, whatever names it.
    ("12", r"$(2i)^2 = -4$, so $3\cdot(2i)^2\cdot(-1) = 12$", ""),
    (r"\frac{3}{4}", "P(X ≥ 1) = 1 − P(X = 0) = 3/4", ""),
    ("-24", r"$\boxed{\det(2B) = -24}$", r"Let $B$ be $3\times3$ with $\det B=-3$. Find $\det(2B)$."),
    ("7", "rank A = 7", ""),
    (r"\frac15", "Res(g, 2) = 1/5", ""),
    ("3", "deg(p) = 3, as the leading coefficient is not zero.", ""),
    (r"\frac{1}{s+3}", "L{e^{-3t}}(s) = 1/(s+3)", ""),
    ("4", "Die Dimension beträgt 7 − 3 = 4, d. h. eine Basis hat vier Vektoren.", ""),
    ("5", "因为 2⁵ ≡ 1，所以阶为五。", ""),
    ("4", "秩为 6 − 2 = 4，即有四个主元。", ""),
    ("2n+1", "Donc le terme suivant est un de plus, soit 1 + 2n.", ""),
    ("n+2", "На два ребра больше, то есть 2 + n.", ""),
    (r"\frac14", r"$P(B)=\frac{0.2}{0.8}$, which simplifies to one quarter", ""),
    ("10", "By Gauss's formula: the sum is **10**, as expected.", ""),
    (r"\pi i", "By the residue theorem the integral equals 2πi·(1/2) = πi.", ""),
    # Remarks that say more.
    ("9", "9 (so the matrix is invertible)", ""),
    ("(1,2)", "(1, 2), i.e. the point of intersection", ""),
    (r"y=\frac{2}{2-x}", "y = −2/(x − 2), valid for x < 2", "$y' = y^2/2$, $y(0)=1$"),
    (r"\frac{1}{(s-3)^2}", "F(s) = 1/(s² − 6s + 9) for s > 3", "Find the Laplace transform of $te^{3t}$."),
    # Names of several writings.
    (r"E(X)=6,\ \operatorname{Var}(X)=4", r"\mathbb{E}[X] = 6, \mathrm{Var}[X] = 4", ""),
    ("E(X)=3, Var(X)=2", "μ = 3, σ² = 2", ""),
    (r"(x,y)=(\sin t, \cos t)", "x(t) = sin t, y(t) = cos t", ""),
]
WRONG = [
    ("12", r"$(2i)^2 = -4$, so $3\cdot(2i)^2 = -12$", ""),
    ("-24", r"$\boxed{\det(2B) = -6}$", r"Let $B$ be $3\times3$ with $\det B=-3$. Find $\det(2B)$."),
    ("5", "The value is not 5", ""),
    ("5", "It is 5 or 6", ""),
    ("5", "**Step 5**: x = 3", ""),
    ("7", "The answer could be 7, but I think 8", ""),
    ("-40", "det(2A) = 2·(-5) = -10", r"Find $\det(2A)$ for $\det A=-5$ and size 3."),
    ("y=2x", "m = 2, b = 1", "Find the line $y=mx+b$."),
    ("4", "x = 2, i.e. x = 4 is impossible", ""),
    ("2", "x = 2, that is, x = 4", ""),
    ("5", "因为 2³ ≡ 1，所以阶为三。", ""),
    ("3", "9 − 3 = 6, so the dimension is 6", ""),
    ("2n+1", "Donc, soit 1 − 2n.", ""),
    (r"y=\frac{2}{2-x}", "y = −2/(x − 2), valid for x > 2", "$y' = y^2/2$, $y(0)=1$"),
    (r"\frac{1}{(s-3)^2}", "F(s) = 1/(s² − 6s + 9) for s < 3", "Find the Laplace transform of $te^{3t}$."),
    ("x^2", "x² for x > 0", ""),
    ("E(X)=3, Var(X)=2", "μ = 3, σ = 2", ""),
    (r"(x,y)=(\sin t, \cos t)", "x(t) = cos t, y(t) = sin t", ""),
]


@pytest.mark.parametrize(("gold", "pred", "problem"), RIGHT)
def test_final_statement_counts(gold, pred, problem):
    assert grade(gold, pred, problem=problem).verdict == "equal"


@pytest.mark.parametrize(("gold", "pred", "problem"), WRONG)
def test_other_final_statement_is_not_accepted(gold, pred, problem):
    assert grade(gold, pred, problem=problem).verdict != "equal"


ASKED = [
    ("y=2x+1", "m = 2, b = 1", "Find the line $y=mx+b$ through two points.", True),
    ("y=2x+1", "m = 1, b = 2", "Find the line $y=mx+b$ through two points.", False),
    ("y=x^2-3x+2", "a = 1, b = −3, c = 2", "Find the parabola $y=ax^2+bx+c$.", True),
    (r"6=2\cdot84-3\cdot54", "d = 6, x = 2, y = −3", r"Find $d=\gcd(84,54)$ and $84x+54y=d$.", True),
    (r"6=2\cdot84-3\cdot54", "6 = −7·84 + 11·54", r"Find $d=\gcd(84,54)$ and $84x+54y=d$.", True),
    (r"6=2\cdot84-3\cdot54", "d = 6, x = 2, y = 3", r"Find $d=\gcd(84,54)$ and $84x+54y=d$.", False),
    (r"6=2\cdot84-3\cdot54", "d = 12, x = 4, y = −6", r"Find $d=\gcd(84,54)$ and $84x+54y=d$.", False),
    (r"\left(\frac35,\frac45\right)", "(1/5)v", "Normalise $v=(3,4)$.", True),
    (r"\left(\frac35,\frac45\right)", "(1/7)v", "Normalise $v=(3,4)$.", False),
    (r"\{1,3,5,7\}", "±1, ±3", r"List the units of $\mathbb Z/8\mathbb Z$.", True),
    (r"\{1,3,5,7\}", "±1, ±2", r"List the units of $\mathbb Z/8\mathbb Z$.", False),
    (r"\{0\},\{0,2\},\mathbb Z_4", "⟨1⟩, ⟨2⟩ and ⟨0⟩", r"List the subgroups of $\mathbb Z_4$.", True),
    (r"\{0\},\{0,2\},\mathbb Z_4", "⟨1⟩, ⟨2⟩ and ⟨3⟩", r"List the subgroups of $\mathbb Z_4$.", False),
]


@pytest.mark.parametrize(("gold", "pred", "problem", "is_right"), ASKED)
def test_question_gives_letters_and_modulus(gold, pred, problem, is_right):
    assert (grade(gold, pred, problem=problem).verdict == "equal") == is_right


DIAGONAL = r"P=\begin{pmatrix}1&1\\1&-1\end{pmatrix},\ D=\begin{pmatrix}3&0\\0&1\end{pmatrix}"


@pytest.mark.parametrize(
    ("pred", "is_right"),
    [
        (r"D=\operatorname{diag}(1,3), P=\begin{pmatrix}-2&1\\2&1\end{pmatrix}", True),
        (r"D=\operatorname{diag}(3,1), P=\begin{pmatrix}-2&1\\2&1\end{pmatrix}", False),
        (r"D=\operatorname{diag}(1,3), P=\begin{pmatrix}1&1\\1&1\end{pmatrix}", False),
    ],
)
def test_diagonalisation_is_free_in_order_and_length(pred, is_right):
    assert (grade(DIAGONAL, pred).verdict == "equal") == is_right


OBJECTS = [
    ("(1 3 2)(4 5)", "(5 4)(2 1 3)", True),
    ("(1 2 3)", "(3 2 1)", False),
    (r"[2;\overline{1,4}]", "[2; 1, 4, 1, 4, …]", True),
    (r"[2;\overline{1,4}]", "[2; 4, 1, 4, 1, …]", False),
    (r"5\mathbb Z", "{…, −5, 0, 5, 10, …}", True),
    (r"5\mathbb Z", "10ℤ", False),
    (r"2\mathbb Z,\ 1+2\mathbb Z", "2ℤ und 2ℤ − 1", True),
    (r"2\mathbb Z,\ 1+2\mathbb Z", "2ℤ und 2ℤ + 4", False),
    (r"\{\emptyset,\{5\}\}", "{ {}, {5} }", True),
    (r"\{\emptyset,\{5\}\}", "{ {5} }", False),
    ("(2,0,-1)", r"2\hat x-\hat z", True),
    ("(2,0,-1)", r"2\hat x-\hat y", False),
    (r"\frac{\hbar}{2}", r"\frac{h}{4\pi}", True),
    (r"\frac{\hbar}{2}", r"\frac{h}{2\pi}", False),
    ("1.60 eV", r"2.56\times10^{-19}\text{ J}", True),
    ("1.60 eV", r"2.60\times10^{-19}\text{ J}", False),
    (r"\mathrm{kg\,m^2\,s^{-2}}", "N·m", True),
    (r"\mathrm{kg\,m^2\,s^{-2}}", "N·s", False),
    (r"\Theta(n\log n)", "Θ(n log₂ n)", True),
]


@pytest.mark.parametrize(("gold", "pred", "is_right"), OBJECTS)
def test_objects_are_compared_by_what_they_are(gold, pred, is_right):
    assert (grade(gold, pred).verdict == "equal") == is_right


LOGIC = [
    (r"\neg p\lor q", "!p || q", True),
    (r"\neg p\lor q", "p || q", False),
    (r"p\land\neg q", "p && ~q", True),
    (r"q\to p", "~q -> p", False),
    (
        r"\forall n\in\mathbb N\ \exists m\in\mathbb N:\ m>n",
        r"\neg\exists n\in\mathbb N\ \forall m\in\mathbb N:\ m\le n",
        True,
    ),
    (
        r"\forall n\in\mathbb N\ \exists m\in\mathbb N:\ m>n",
        r"\exists m\in\mathbb N\ \forall n\in\mathbb N:\ m>n",
        False,
    ),
]


@pytest.mark.parametrize(("gold", "pred", "is_right"), LOGIC)
def test_connectives_of_programs_and_chains_of_quantifiers(gold, pred, is_right):
    assert (grade(gold, pred).verdict == "equal") == is_right


@pytest.mark.parametrize(
    ("gold", "pred"),
    [
        (r"\int_0^2\int_y^2 f\,dx\,dy", r"\int_0^2\int_0^y f\,dx\,dy"),
        (r"\int_0^1 f\,dx", r"\int_1^2 f\,dx"),
        (r"\int_0^1\int_0^y h\,dx\,dy", r"\int_0^1\int_0^{1-y} h\,dx\,dy"),
        (r"\int_0^1 f\,r\,dr", r"\int_0^2 f\,r\,dr"),
    ],
)
def test_integral_of_unknown_function_depends_on_its_bounds(gold, pred):
    assert grade(gold, gold.replace("f", "f(x,y)") if "dy" in gold else gold).verdict != "different"
    assert grade(gold, pred).verdict != "equal"


WORDED = r"\exists y\in\mathbb{R}\ \forall n\in\mathbb{Z}:\ y\ge n"


@pytest.mark.parametrize(
    ("gold", "pred", "is_right"),
    [
        (WORDED, "There exists a real number y that is at least every integer.", True),
        (WORDED, "Es gibt eine reelle Zahl y, sodass für jede ganze Zahl n gilt: y ≥ n", True),
        (
            WORDED,
            "Существует вещественное число y такое, что для каждого целого числа n выполняется n ≤ y",
            True,
        ),
        (WORDED, "There exists a real number y that is at most every integer.", False),
        (WORDED, "For every real number y there is an integer n with y ≥ n.", False),
        (
            r"\forall x\,\exists y\;\neg Q(x,y)",
            "For each x there is some y such that Q(x, y) does not hold.",
            True,
        ),
        (
            r"\forall x\,\exists y\;\neg Q(x,y)",
            "There is some x such that for each y Q(x, y) does not hold.",
            False,
        ),
        (r"\forall x\in\mathbb R:\ x^4\ge x^2-1", "对任意实数 x，x⁴ 不小于 x²−1。", True),
        (r"\forall x\in\mathbb R:\ x^4\ge x^2-1", "对任意实数 x，x⁴ 不大于 x²−1。", False),
    ],
)
def test_quantifiers_in_words_are_those_of_formulas(gold, pred, is_right):
    assert (grade(gold, pred).verdict == "equal") == is_right


CURVE = r"r(t)=(2\cos t, 2\sin t),\ 0\le t\le 2\pi"


@pytest.mark.parametrize(
    ("gold", "pred", "problem", "is_right"),
    [
        (CURVE, "x = 2 cos(πs), y = 2 sin(πs), where s runs from 0 to 2", "", True),
        (CURVE, "x = 2 cos(πs), y = 2 sin(πs), 0 ≤ s ≤ 1", "", False),
        (CURVE, "x = 2 sin(πs), y = 2 cos(πs), 0 ≤ s ≤ 2", "", False),
        (
            r"\vec n(1;-2;2)",
            r"\begin{pmatrix}-3\\6\\-6\end{pmatrix}",
            "Gib einen Normalenvektor der Ebene an.",
            True,
        ),
        (
            r"\vec n(1;-2;2)",
            r"\begin{pmatrix}-3\\6\\6\end{pmatrix}",
            "Gib einen Normalenvektor der Ebene an.",
            False,
        ),
        ("(1,-2,2)", "(2,-4,4)", "Where does the line meet the plane?", False),
        ("B", "17", "Which one is prime? (A) 15 (B) 17 (C) 21", True),
        ("B", "15", "Which one is prime? (A) 15 (B) 17 (C) 21", False),
        ("3i", "3*I", "", True),
        ("1+x+x^2/2", "1 + x + x²/2 + O(x³)", "", True),
        ("1+x+x^2/2", "1 + x + O(x²)", "", False),
        (
            r"\begin{pmatrix}1&0\\2n&1\end{pmatrix}",
            r"$B^n = I + nM$, where $M=\begin{pmatrix}0&0\\2&0\end{pmatrix}$",
            "",
            True,
        ),
        (
            r"\begin{pmatrix}1&0\\2n&1\end{pmatrix}",
            r"$B^n = I + nM$, where $M=\begin{pmatrix}0&2\\0&0\end{pmatrix}$",
            "",
            False,
        ),
        (
            "(x,y,z)=(t,t,4-2t), t\\in\\mathbb{R}",
            "$x=y=2-\\frac{s}{2},\\ z=s$ with $s\\in\\mathbb{R}$",
            "",
            True,
        ),
        ("(x,y,z)=(t,t,4-2t), t\\in\\mathbb{R}", "$x=y=2-s,\\ z=s$ with $s\\in\\mathbb{R}$", "", False),
    ],
)
def test_answers_of_another_shape(gold, pred, problem, is_right):
    assert (grade(gold, pred, problem=problem).verdict == "equal") == is_right


@pytest.mark.parametrize(
    ("gold", "pred", "is_right"),
    [
        (
            "$g(x)=x^2$ for $x\\ge1$, $g(x)=2-x$ for $x<1$",
            r"g(x)=\begin{cases}2-x,&x<1\\x\cdot x,&x\ge1\end{cases}",
            True,
        ),
        (
            "$g(x)=x^2$ for $x\\ge1$, $g(x)=2-x$ for $x<1$",
            r"g(x)=\begin{cases}x^2,&x<1\\2-x,&x\ge1\end{cases}",
            False,
        ),
        (r"$m\neq 3$ and $m\neq -3$", "The system has one solution exactly for m with m² ≠ 9.", True),
        (r"$m\neq 3$ and $m\neq -3$", "The system has one solution exactly for m with m² ≠ 4.", False),
        ("(0,0,5)", "rot G = 5 ẑ, i.e. it has length 5 everywhere", True),
        ("(0,0,5)", "rot G = 5 x̂, i.e. it has length 5 everywhere", False),
        (r"\operatorname{span}\{(1,1,0)^T,(0,0,1)^T\}", r"$\ker B=\{(x,y,z)\in\mathbb{R}^3 : x-y=0\}$", True),
        (
            r"\operatorname{span}\{(1,1,0)^T,(0,0,1)^T\}",
            r"$\ker B=\{(x,y,z)\in\mathbb{R}^3 : x+y=0\}$",
            False,
        ),
    ],
)
def test_conditions_and_labels_around_values(gold, pred, is_right):
    assert (grade(gold, pred).verdict == "equal") == is_right
