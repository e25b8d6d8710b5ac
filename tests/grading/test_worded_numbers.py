"""Shares, changes, times of day, ratios, bounds and terms of sets in words, beside their wrong neighbours."""

from __future__ import annotations

import pytest

from engines.grading.grades import grade


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        ("1/4", "13 chances sur 52", "13 chances sur 50"),
        ("1/3", "12 of the 36 outcomes", "13 of the 36 outcomes"),
        ("-30 €", "a loss of 30 €", "a gain of 30 €"),
        ("-30 €", "he loses €30", "he wins €30"),
        ("-30 €", "-30 €", "-30 $"),
        ("It falls by 6%.", "-6 %", "+6 %"),
        ("It falls by 6%.", "It is 6% cheaper", "It falls to 6%"),
        (
            r"-3\ \text{m/s}^2",
            "the speed drops by 3 m/s every second",
            "the speed rises by 3 m/s every second",
        ),
        (r"-3\ \text{m/s}^2", "a deceleration of 3 m/s²", "a deceleration of -3 m/s²"),
        ("20:00", "at eight in the evening", "at eight in the morning"),
        ("20:30", "at 8:30 pm", "at 8:30 am"),
    ],
)
def test_amounts_in_words(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).accepted
    assert not grade(gold, wrong).accepted


def test_a_rise_is_a_positive_change() -> None:
    assert grade("+4 %", "It rises by 4 %").accepted


@pytest.mark.parametrize(
    ("question", "gold", "right", "wrong"),
    [
        (
            "Ratio of cats to dogs?",
            "2:5",
            "for every 2 cats there are 5 dogs",
            "for every 5 cats there are 2 dogs",
        ),
        ("Ratio of cats to dogs?", "2:5", "dogs : cats = 5 : 2", "dogs : cats = 2 : 5"),
        ("Verhältnis Katzen zu Hunde?", "2:5", "auf 2 Katzen kommen 5 Hunde", "auf 5 Katzen kommen 2 Hunde"),
        ("Vereenvoudig de verhouding 4 : 10.", "2 : 5", "2 staat tot 5", "5 staat tot 2"),
        ("What are the odds against it?", "5:1", "five to one against", "one to five against"),
    ],
)
def test_ratios_in_the_order_of_the_question(question: str, gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right, problem=question).accepted
    assert not grade(gold, wrong, problem=question).accepted


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (
            r"$[4,7)\cup(7,\infty)$",
            "x must be at least 4 and x can't be 7",
            "x must be at most 4 and x can't be 7",
        ),
        (r"$[4,7)\cup(7,\infty)$", "x ≥ 4, and x = 7 is excluded", "x ≥ 4, and x = 6 is excluded"),
        (r"$x\le9$", "all real numbers not exceeding 9", "all real numbers exceeding 9"),
        (r"$x\le9$", "x can't be bigger than 9", "x can't be 9"),
        (r"$x\ge9$", "x ne peut pas être plus petit que 9", "x ne peut pas être plus grand que 9"),
        (r"$x\ne9$", "x darf nicht 9 sein", "x muss 9 sein"),
    ],
)
def test_denied_orders_are_bounds(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).accepted
    assert not grade(gold, wrong).accepted


def test_a_bound_is_no_number() -> None:
    assert not grade("9", "x must not exceed 9").accepted
    assert not grade("9", "x is not 9").accepted


@pytest.mark.parametrize(
    ("question", "gold", "right", "wrong"),
    [
        (
            r"Let $U$ be the universal set. Simplify $A^c\cup(A\cap B)^c$ for $A\subset B$.",
            "$A^c$",
            "U \\ A",
            "A \\ U",
        ),
        (r"Let $U$ be the universal set. Simplify $(A^c\cap U)$.", "$A^c$", "the complement of A", "A"),
        (r"Simplify $\lnot(p\lor q)$.", r"$\lnot p\land\lnot q$", "~q & ~p", "~q | ~p"),
        (r"Simplify $\lnot(p\land\lnot q)$.", r"$p\to q$", "not p or q", "q -> p"),
    ],
)
def test_terms_of_sets_and_propositions(question: str, gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right, problem=question).accepted
    assert not grade(gold, wrong, problem=question).accepted


def test_commas_between_semicolons_part_decimals() -> None:
    assert grade(r"$\{-1/4, 2/3\}$", "{-0,25; 2/3}").accepted
    assert not grade(r"$\{-1/4, 2/3\}$", "{-0,2; 2/3}").accepted
    assert not grade("[1.2; 3.4]", "[1,2; 3,4]").accepted


def test_letters_that_count_terms_are_integers() -> None:
    assert grade("$a_n=3^n-(-1)^n$", "$3^n+(-1)^{n+1}$").accepted
    assert grade("$3^n-(-1)^n$", "$3^n+(-1)^{n+1}$").verdict == "equal if"
    assert not grade("$a_n=3^n-(-1)^n$", "$3^n+(-1)^n$").accepted


def test_a_fraction_sign_before_a_function_is_a_factor() -> None:
    assert grade(r"$\frac12\ln|x|+C$", "½ ln|x| + C").accepted
    assert not grade(r"$\frac12\ln|x|+C$", "¼ ln|x| + C").accepted


@pytest.mark.parametrize(
    ("question", "gold", "right", "wrong"),
    [
        (
            r"Over the reals, negate.",
            r"$\exists x\ \forall y:\ x\ge y$",
            "There is a real x that is at least as large as every real y.",
            "There is a real x that is at most as large as every real y.",
        ),
        (
            r"Negate.",
            r"$\exists x\,(P(x)\land\neg Q(x))$",
            "There is some x for which P(x) holds but Q(x) does not.",
            "There is some x for which Q(x) holds but P(x) does not.",
        ),
        (
            r"Say it for $f:\mathbb R\to\mathbb R$.",
            r"$\forall r>0\ \exists s>0\ \forall x:\ |x|<s\Rightarrow|f(x)|<r$",
            "For each positive r there is a positive s such that for all x, |f(x)| < r whenever |x| < s.",
            "For each positive r there is a positive s such that for all x, |x| < s whenever |f(x)| < r.",
        ),
    ],
)
def test_quantified_statements_in_words(question: str, gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right, problem=question).accepted
    assert not grade(gold, wrong, problem=question).accepted


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (
            "If it is not open, then it does not ring.",
            "If it isn't open, it isn't ringing.",
            "If it isn't ringing, it isn't open.",
        ),
        (
            "If n is odd, then n is not divisible by 8.",
            "Whenever n is not even, 8 does not divide n.",
            "Whenever n is even, 8 does not divide n.",
        ),
        (
            "Wenn n ungerade ist, dann ist n² ungerade.",
            "Ist n nicht gerade, so ist n² nicht gerade.",
            "Ist n nicht gerade, so ist n² gerade.",
        ),
        (
            "Wenn n ungerade ist, dann ist n² ungerade.",
            "n nicht gerade ⇒ n² nicht gerade",
            "n² nicht gerade ⇒ n nicht gerade",
        ),
    ],
)
def test_implications_with_other_verbs(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).accepted
    assert not grade(gold, wrong).accepted


def test_what_an_answer_says_beside_its_value() -> None:
    question = "Is the series convergent?"
    assert grade("No", "It diverges.", problem=question).accepted
    assert not grade("No", "No, that is false: it converges.", problem=question).accepted
    assert not grade("16", "at x = 16", problem="Find the maximum of f.").accepted
    assert grade("16", "at x = 16", problem="Where is the maximum of f?").accepted
    assert not grade("3", "the first digit is 3", problem="What is the last digit?").accepted


def test_a_value_with_its_label_and_place() -> None:
    question = "Find the maximum of xy^2."
    assert grade("32", "max = 32, attained at x = 2, y = 4", problem=question).accepted
    assert grade("32", "32, attained at x = y = 4", problem=question).accepted
    assert not grade("32", "min = 32", problem=question).accepted
    assert not grade("32", "4 at x = 32 and y = 32", problem=question).accepted
    assert grade("60", "m.c.m. = 60").accepted
    assert not grade("60", "gcd = 60", problem="Find the lcm of 12 and 20.").accepted


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("Find the mean.", "mean = 7", "median = 7"),
        ("Find the area.", "area = 7", "perimeter = 7"),
        ("Find the radius.", "radius = 7", "diameter = 7"),
    ],
)
def test_a_label_names_what_is_asked(question: str, right: str, wrong: str) -> None:
    assert grade("7", right, problem=question).accepted
    assert not grade("7", wrong, problem=question).accepted


@pytest.mark.parametrize(
    ("gold", "right", "wrong"),
    [
        (r"$\infty$", "It grows without bound.", "It decreases without bound."),
        (r"$-\infty$", "goes to -infinity", "goes to infinity"),
        (r"$-\infty$", "It decreases without bound.", "It does not decrease without bound."),
        ("24", "4 factorial", "3 factorial"),
        (r"$2\ln 3$", "natural log of 9", "natural log of 6"),
        ("Reject $H_0$", "The null hypothesis gets rejected.", "The null hypothesis must not be rejected."),
        ("1/2", "The ratio approaches 1/2 as n approaches infinity.", "It approaches infinity."),
    ],
)
def test_infinity_factorials_and_decisions_in_words(gold: str, right: str, wrong: str) -> None:
    assert grade(gold, right).accepted
    assert not grade(gold, wrong).accepted


def test_a_bound_of_a_time_is_no_time() -> None:
    assert grade("21:15", "at 9:15 pm").accepted
    assert not grade("21:15", "before 9:15 pm").accepted
    assert not grade("21:15", "after 21:15").accepted
