"""Where a statement stands, what it is for and what its text is about decide whether it is a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from engines.core.tree import Tree
from engines.documents.reading import Document, TextPiece
from engines.proofreading.chains import iterate_chains
from engines.proofreading.proofread_files import CheckedLink, Proofread, TextProofreader, exit_code, proofread
from engines.proofreading.stated_facts import Fact, give_several_values


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def _last(proofreader: TextProofreader, text: str) -> CheckedLink:
    return proofreader.check_links(text)[-1]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("For all real $x$ and $y$, $(x+y)^2 = x^2 + y^2$.", "wrong"),
        ("Therefore $(x-y)^2 = x^2 - y^2$.", "wrong"),
        ("Let $x$ and $y$ be real numbers. Hence $e^{x+y} = e^x + e^y$.", "wrong"),
        (r"For all real $x$, $\sqrt{x^2} = x$.", "wrong"),
        (r"For all positive $x$, $\sqrt{x^2} = x$.", "right"),
        ("We have $(x+1)^2 > 2x$ for all real $x$.", "right"),
        ("For all real $x$ and $y$, $(x+y)^2 > x^2 + y^2$.", "wrong"),
        (r"For all real $x$, $x^2 \ge x$.", "wrong"),
        (r"For all integers $n$, $n^2 \ge n$.", "given"),
        (r"For all real $x$, $x \ge 2$.", "given"),
        # A value at which something is looked at says nothing of all.
        ("At $x = 0$ both agree. For all real $x$, $(x+1)^2 = x^2 + 1$.", "wrong"),
        ("Suppose that $(x+y)^2 = x^2 + y^2$.", "given"),
        ("Is it true that $(x+y)^2 = x^2 + y^2$?", "not shown"),
        ("It is not true that $2 + 2 = 5$.", "not shown"),
        # What is denied beside it does not excuse a claim.
        ("The line is not straight, so $2 + 2 = 5$.", "wrong"),
        ("Then $0 = 1$, which is impossible.", "not shown"),
    ],
)
def test_claims_about_all_numbers_are_refuted(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert _last(proofreader, text).verdict == verdict


def test_the_condition_that_would_repair_a_claim_is_named(proofreader: TextProofreader) -> None:
    found = _last(proofreader, "$(x-y)^2 + 2xy = 1 + 2xy$")
    assert (found.verdict, found.reason) == ("right if", "x - y = ±1")
    assert (
        "it holds if x = 0 or y = 0" in _last(proofreader, "For all $x$ and $y$, $(x+y)^2 = x^2+y^2$.").reason
    )


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"In the ring $\mathbb{Z}/8$ we have $2 \cdot 4 = 0$.", "right"),
        ("The ideals are equal: $(-3) = (3)$.", "not shown"),
        (r"In $\mathbb{Z}/8$ we have $2 \cdot 4 = 0$.", "right"),
        (r"Computing modulo $7$, so $3 \cdot 5 = 1$.", "right"),
        (r"In $\mathbb{Z}/8$ all is well. Computing modulo $7$, so $2 \cdot 4 = 0$.", "not shown"),
        (r"Computing modulo $7$, so $3 \cdot 5 = 2$.", "wrong"),  # modulo 7 as well
        (r"So $3 \cdot 5 = 1$.", "wrong"),
    ],
)
def test_other_domains_are_not_judged_as_numbers(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert _last(proofreader, text).verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("## One\n\nLet $x = 3$.\n\n### Part\n\nThen $x^2 = 9$.", "follows"),
        ("## One\n\nLet $x = 3$.\n\n## Two\n\nThen $x^2 = 9$.", "not shown"),
        ("\\begin{example}Let $x = 3$.\\end{example}\n\nNow $x^2 = 9$.", "not shown"),
        ("\\begin{theorem}Let $x = 3$.\\end{theorem}\n\\begin{proof}Then $x^2 = 9$.\\end{proof}", "follows"),
        ("Case 1. Let $x = 3$.\n\nCase 2. Then $x^2 = 9$.", "not shown"),
        ("For $x = 3$ we look at it.\n\nThen $x^2 = 9$.", "not shown"),
    ],
)
def test_facts_hold_in_their_scope(proofreader: TextProofreader, text: str, verdict: str) -> None:
    found = _last(proofreader, text).verdict
    assert (found == "follows") == (verdict == "follows")


def test_what_needs_many_statements_does_not_follow(proofreader: TextProofreader) -> None:
    steps = ", ".join(f"$x_{{{n + 1}}} = x_{{{n}}} + {n}$" for n in range(1, 8))
    few = ", ".join(f"$x_{{{n + 1}}} = x_{{{n}}} + {n}$" for n in range(1, 4))
    assert _last(proofreader, f"Let {few}. Then $x_4 = x_1 + 6$.").verdict == "follows"
    assert _last(proofreader, f"Let {steps}. Then $x_8 = x_1 + 28$.").verdict == "not shown"


def _write_project(folder: Path) -> None:
    (folder / "parts").mkdir()
    (folder / "own.sty").write_text(
        "\\newcommand{\\half}{\\frac12}\n\\newenvironment{eq}{\\begin{equation}}{\\end{equation}}\n"
    )
    (folder / "book.tex").write_text(
        "\\documentclass{book}\n\\usepackage{own}\n\\newtheorem{thm}{Theorem}\n\\begin{document}\n"
        "\\input{parts/one}\n\\end{document}\n"
    )
    (folder / "parts" / "one.tex").write_text(
        "\\begin{thm}\nFirst\n\\end{thm}\n\\begin{eq}\n\\half + \\half\n = 2\n\\end{eq}\n"
    )


@pytest.mark.parametrize("name", ["", "book.tex", "parts", "parts/one.tex"])
def test_a_project_is_read_with_its_macros_and_environments(tmp_path: Path, name: str) -> None:
    _write_project(tmp_path)
    found = proofread(Proofread(tmp_path / name))
    links = [(Path(one["file"]).name, link) for one in found["documents"] for link in one["links"]]
    ((file, link),) = links
    assert (file, link["line"], link["verdict"]) == ("one.tex", 6, "wrong")


def test_findings_are_hidden_by_comments_and_a_baseline(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_text("$1 = 2$ % mathwb: ok\n\n$2 = 3$\n")
    found = proofread(Proofread(path, write_baseline=tmp_path / "known.json"))
    assert (found["hidden"], found["counts"]["wrong"]) == (1, 1)
    path.write_text("$1 = 2$ % mathwb: ok\n\nMoved.\n\n$2 = 3$ and $3 = 4$\n")
    found = proofread(Proofread(path, baseline=tmp_path / "known.json"))
    assert found["hidden"] == 2
    assert [link["left"] for one in found["documents"] for link in one["links"]] == ["3"]
    path.write_text("<!-- mathwb: ok -->\n$1 = 2$\n")
    assert exit_code(proofread(Proofread(path))) == 0


def test_what_is_given_holds_before_the_text(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("So $x^2 = 9$.")
    (document,) = proofread(Proofread(tmp_path / "a.md", given="Let $x = 3$."))["documents"]
    assert [(link["verdict"], link["line"]) for link in document["links"]] == [("follows", 1)]


def test_every_statement_is_shown_as_it_was_understood(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Roots\n\nLet $x > 0$. For all real $x$, $x+x = 2x$.")
    (document,) = proofread(Proofread(tmp_path / "a.md"))["documents"]
    read = [(each["statement"], each["role"], each["scope"]) for each in document["links"]]
    assert read == [
        ("x > 0", "given", "section Roots"),
        ("x + x = 2*x", "universal claim", "section Roots"),
    ]


def test_unread_links_are_counted_by_their_reason_and_fail(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("$1 + = 2$ and $3 + = 4$")
    found = proofread(Proofread(tmp_path / "a.md"))
    assert found["counts"]["unread"] == sum(each["count"] for each in found["notations"]) > 0
    assert exit_code(found) == 1


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # `For each` before the first value of an index says nothing of a number.
        ("For each $i = 1, 2, 3$ we do it.", "given"),
        ("For any $k = 0$ or more.", "given"),
        # What restricts the claim is said in words, in front or behind.
        (r"If $p$ is prime, then $\gcd(p, q) = 1$ for all $1 \le q < p$.", "given"),
        (r"Hence $|u - v| = u - v$, because the first lies above.", "not shown"),
        (r"Therefore $\sqrt{u^2} = u$, since the side is a length.", "right if"),
        ("In general, $u v^2 \\neq v^2 u$.", "not shown"),
        # shifts of bits, and two signs of products in one link
        (r"E.g. $6 \ll 1 = 110_2 \ll 1 = 12$.", "not shown"),
        (r"So $a \cdot b / c = a * b$.", "given"),
        # a contradiction as an example
        ("Then the last row says $0 = 3$.", "not shown"),
        ("The line is straight, so $2 + 1 = 5$.", "wrong"),
    ],
)
def test_what_restricts_a_statement_keeps_it_from_being_wrong(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    found = proofreader.check_links(text)
    assert "wrong" not in {each.verdict for each in found[:-1]}
    assert (found[-1].verdict == "wrong") == (verdict == "wrong")


@pytest.mark.parametrize(
    "text",
    [
        r"For $n > 0$ we find $\frac{\cos(n\pi)}{n} = \frac{(-1)^n}{n}$.",
        r"We expand $\frac{1}{1-t} = \sum_{k=0}^\infty t^k$.",
        r"$\int \frac{1}{t+1} \, dt = \ln \left\lvert t + 1 \right\rvert + C$",
    ],
)
def test_integers_and_series_lose_no_domain(proofreader: TextProofreader, text: str) -> None:
    assert _last(proofreader, text).verdict in ("right", "right if", "given", "not shown")


def test_a_modulus_is_that_of_its_section(proofreader: TextProofreader) -> None:
    text = "# One\n\nWe count modulo $5$.\n\n# Two\n\nWe count modulo $7$, so $3 \\cdot 5 = {}$."
    assert _last(proofreader, text.format(1)).verdict == "right"  # 15 leaves 1
    assert _last(proofreader, text.format(5)).verdict == "wrong"  # which leaves 0 by the other one


def test_where_the_work_ends_it_is_said(
    proofreader: TextProofreader, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = r"So $\int_{-1}^1 (1-x^2)^n \, dx = 2\int_0^1 (1-x^2)^n \, dx$."
    assert _last(proofreader, text).verdict == "right"
    monkeypatch.setattr("engines.proofreading.link_judge._MOST_WORK", 1_000)
    found = _last(proofreader, text)
    assert (found.verdict, found.reason) == ("not shown", "it takes more work than one link is given")


@pytest.mark.parametrize(
    ("right", "old", "new"),
    [
        # one digit, sign or index that makes an identity
        (r"Here $\frac{(t+4)(t-1)^2}{t-2} = \frac{t^3+2t^2-7t+4}{t-2}$.", "(t-1)^2", "(t-7)^2"),
        ("It is $(2 t + 1)(t + 3) = 2t^2 + 7t + 3$.", "7t", "9t"),
        ("So $a = b + (a-b)$.", "b +", "b -"),
        (r"Here $|p-q| = \max(p-q, q-p)$.", "|p-q|", "|p+q|"),
        (r"Here $\binom nk = \frac{n!}{k!(n-k)!}$.", "(n-k)", "(n+k)"),
        (r"Here $\frac{s(2+h)-s(2)}{(2+h)-2} = \frac{s(2+h)-s(2)}{h}$.", "h)-2", "h)+2"),
        (
            r"Here $\begin{vmatrix} a_1 & b_1 \\ a_2 & b_2 \end{vmatrix} = a_1b_2 - a_2b_1$.",
            "a_2b_1",
            "a_1b_1",
        ),
        ("So $(2,1) + t(1,t) = (2+t, 1+t^2)$.", "1+t^2)", "1-t^2)"),
        ("Here $(3,7) = 5(1,1) - 2(1,-1)$.", "(3,", "(6,"),
        ("Here $y - (y-1) = 1$.", "y-1", "y-2"),
        (
            "At $x = 0$ it stops. Let $x = 0$ and $h = (c_1 + c_2 x) r = c_1 r + c_2 x r$.",
            "c_2 x r",
            "c_1 x r",
        ),
        ("Let $h = r (\\cos t + i \\sin t) - 2 i r \\sin t = r (\\cos t - i \\sin t)$.", "- 2", "- 3"),
        (r"Here $e \approx 2.71828$.", "2.7", "7.7"),
        # operations of numbers, and digits that name their base, whatever the text is about
        (r"In a ring and modulo some unit, $23 \bmod 7 = 2$.", "7", "8"),
        ("In binary notation $101_2 = 5$.", "= 5", "= 4"),
        ("Work in your group. Your group and other groups compare: so $4^2 = 16$.", "4^2", "5^2"),
    ],
)
def test_a_mistyped_digit_or_sign_is_wrong(
    proofreader: TextProofreader, right: str, old: str, new: str
) -> None:
    assert _last(proofreader, right).verdict == "right"
    before, _, after = right.rpartition(old)
    assert _last(proofreader, before + new + after).verdict == "wrong"


@pytest.mark.parametrize(
    "text",
    [
        "Then $n = n/2$ in each step.",
        r"Here $t \le -2$ or $t \ge 3$. A root must satisfy $2t - 3 \ge 0$.",
        r"So $\begin{pmatrix} q_{t+1} \\ q_t \end{pmatrix} = \begin{pmatrix} 2 & 3 \\ 1 & 0 \end{pmatrix}"
        r" \begin{pmatrix} q_t \\ q_{t-1} \end{pmatrix}$",
        r"We find $(m-2)^2 = 9 \implies m - 2 = 3 \quad \text{or} \quad m - 2 = -3 \implies m = 5$.",
        r"By groups of digits, $111 \mid 010_2 = 7 \mid 2_8$.",
        "A function is even where $f(-t) = f(t)$, and periodic where $f(t+4) = f(t-4)$.",
        "Solve $3(x+1) = 3x+7$.",
        "Then $2x+3 = 2x+5$ has no solution.",
        "We have $a + b = a - b$ if $b$ vanishes.",
        "The equation $x(y+2) = x(2-y)$ holds on an axis.",
    ],
)
def test_equations_that_are_near_an_identity_are_not_wrong(proofreader: TextProofreader, text: str) -> None:
    assert "wrong" not in {each.verdict for each in proofreader.check_links(text)}


_SETS = r"Let $A=\{1,2,3\}$ and $B=\{2,3,4\}$. Then $"


def test_statements_that_contradict_each_other_prove_nothing(proofreader: TextProofreader) -> None:
    found = _last(proofreader, "Let $u^2 = 2$, and let $u^2 = 3$. Then $u^4 + u = 5$.")
    assert found.verdict == "not shown"
    assert "contradict each other" in found.reason
    assert _last(proofreader, "Let $u = v + 1$, and let $v = 2$. Then $v^2 + u = 7$.").verdict == "follows"


@pytest.mark.parametrize(
    ("text", "verdict", "reason"),
    [
        ("Let $-2x > 6$. Then $x < -3$.", "follows", "-2x > 6 (line 1)"),
        ("Let $-2x > 6$. Then $x > -3$.", "wrong", "says the opposite"),
        ("Let $-2x > 6$ and $x > -3$.", "not shown", "says the opposite"),
        ("Let $2t + 1 \\le 7$, so $t \\le 3$.", "follows", "2t + 1"),
        # sets by their members, and quantities of one kind in other units
        (_SETS + r"A\cap B = \{2,3\}$.", "follows", "by B"),
        (_SETS + r"A\cap B = \{2\}$.", "wrong", "3 belongs to one of them only, by B"),
        (_SETS + r"A\cup B = \{1,2,3,4,5\}$.", "wrong", "5 belongs"),
        (r"We have $1\text{ km} = 100\text{ m}$.", "wrong", "1000 and 100"),
        (r"We have $1\text{ lb} = 450\text{ g}$.", "not shown", "units differ"),
        # a root that squaring brought in
        (r"Solve $\sqrt{x+6} = x$. Squaring, $x+6 = x^2$, so $x = 3$.", "follows", "x+6 = x^2"),
        (
            r"Solve $\sqrt{x+6} = x$. Squaring, $x+6 = x^2$, so $x = -2$.",
            "wrong",
            r"but not \sqrt{x+6} = x",
        ),
        ("Let $x > 2$ and $x < 1$.", "given", "everything follows"),
        ("Let $x > 1$ and $x < 2$.", "given", ""),
    ],
)
def test_roots_and_bounds_are_carried(
    proofreader: TextProofreader, text: str, verdict: str, reason: str
) -> None:
    found = _last(proofreader, text)
    assert found.verdict == verdict
    assert reason in found.reason
    assert reason or not found.reason


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # A value of a function at one point says nothing of another point.
        ("Let $d = g(c)$. Then $g(5) = g(7)$.", "not shown"),
        ("Suppose $f(c) = 0$. Then $f(3) = 0$.", "not shown"),
        ("By assumption $E(X_i) = 18$. Then $E(X_1 - X_2) = 18$.", "not shown"),
        ("Let $f(x) = x^2$. Then $f(3) = 9$.", "follows"),
        ("Let $f(x) = x^2$. Then $f(2) = 5$.", "wrong"),
        ("Near $x = 0$ the function is small. Then $e^x = 1$.", "given"),
    ],
)
def test_a_value_at_a_point_is_no_definition(proofreader: TextProofreader, text: str, verdict: str) -> None:
    assert _last(proofreader, text).verdict == verdict


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (r"We have $3 \not< 2$.", "right"),
        (r"We have $2 \not\leq 3$.", "wrong"),
        (r"We have $3 \not> 2$.", "wrong"),
        (r"We have $7 \not\equiv 1 \pmod 8$.", "not shown"),
        (r"We have $7 \not\equiv 8 \pmod 7$.", "not shown"),
        (r"We have $-\frac13 = -0.333$.", "right"),
        (r"We have $-\frac13 = -0.343$.", "wrong"),
    ],
)
def test_not_turns_a_relation_and_a_minus_no_rounding(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert _last(proofreader, text).verdict == verdict


_THREE_CHAINS = [
    ("s", "=", "a"),
    ("a", "=", "1"),
    ("t", "=", "b"),
    ("b", "=", "2"),
    ("u", "=", "c"),
    ("c", "=", "3"),
]


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"f: \{0,1\}^n \to B", [("f", ":", r"\{0,1\}^n"), (r"\{0,1\}^n", r"\to", "B")]),
        (r"\bigl\{ z : |z| = 1 \bigr\} = S", [(r"\bigl\{ z : |z| = 1 \bigr\}", "=", "S")]),
        (r"A \leq_p B", [("A", r"\leq_p", "B")]),
        (r"X_n \xrightarrow{d} X", [("X_n", r"\xrightarrow{d}", "X")]),
        (r"x \overset{\text{def}}{=} y", [("x", "=", "y")]),
        (r"(\forall x \in A)\, x > 0", [("x", r"\in", "A"), ("x", ">", "0")]),
        (r"\xi = 1", [(r"\xi", "=", "1")]),
        (
            r"s &= a && = 1,\\ t &= b && = 2,\\ u &= c && = 3",
            _THREE_CHAINS,
        ),
        (
            r"s &= a && = 1\\ t &= b && = 2\\ u &= c && = 3",
            _THREE_CHAINS,
        ),
    ],
)
def test_relations_of_a_formula(formula: str, expected: list[tuple[str, str, str]]) -> None:
    document = Document("text", (TextPiece(formula, 1, formula=True),))
    found = [(link.left, link.relation, link.right) for chain in iterate_chains(document) for link in chain]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{theorem}$1+1=2$\\end{theorem}\\begin{proof}$2+2=4$\\end{theorem} $3+3=7$.\\end{proof}",
        "\\end{proof}\\item \\begin{proof}\\section{A} $3+3=7$. \\end{theorem}\\item\\item",
    ],
)
def test_environments_that_do_not_match_are_no_obstacle(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.tex").write_text(text)
    (document,) = proofread(Proofread(tmp_path / "a.tex"))["documents"]
    assert document["links"][-1]["verdict"] == "wrong"


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        (r"9 - 4x &\le 1 \\ -4x &\le -8 \\ x &\ge 2", "follows"),
        (r"9 - 4x &\le 1 \\ -4x &\le -8 \\ x &\le 2", "wrong"),
        # two rows alone can be a system
        (r"-4x &\le -8 \\ x &\le 2", "not shown"),
        (r"x &\ge 1 \\ -4x &\le -8 \\ x &\le 2", "not shown"),
    ],
)
def test_rows_that_rewrite_an_inequality_turn_it_with_a_negative_factor(
    proofreader: TextProofreader, rows: str, verdict: str
) -> None:
    text = rf"\begin{{align*}} {rows} \end{{align*}}"
    assert _last(proofreader, text).verdict == verdict


def test_a_value_far_before_says_nothing_of_letters_in_general(proofreader: TextProofreader) -> None:
    far = "\n\n".join(["Next we look at other curves."] * 12)
    told = "At $x = 0$ the curve has the height $y = 0$."
    assert proofreader.check_links(f"{told} There we have $y = -x^2$.")[-1].verdict == "follows"
    assert proofreader.check_links(f"{told}\n\n{far}\n\nWe have $y = -x^2$.")[-1].verdict == "not shown"
    # What is calculated from values is a value.
    assert proofreader.check_links(f"{told}\n\n{far}\n\nWe have $y + 3 = 3$.")[-1].verdict == "follows"


def test_two_values_of_one_letter_contradict_each_other() -> None:
    one, other, another = (
        Fact(Tree(name), Tree(value), f"{name} = {value}", 1, 1)
        for name, value in (("t", "1"), ("t", "2"), ("s", "2"))
    )
    assert give_several_values([one, another, other])
    assert not give_several_values([one, another, one])
