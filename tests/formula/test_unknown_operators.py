"""Operators and relations of which nothing is known, as documents write them: each notation with its tree."""

from __future__ import annotations

import pytest

from engines.formula.document_names import names_of
from engines.formula.meaning import Names, read

DOCUMENT = Names(reads_unknown_signs=True)


def said(text: str, names: Names = DOCUMENT) -> str:
    tree = read(text, names, "latex").tree
    return "unread" if tree is None else " ".join(tree.list_labels())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # probabilities and expectations
        (r"P(A \mid B) P(B)", "* call P A call given B call P B"),
        (r"P(A|B) = 1", "= call P A call given B 1"),
        (r"p(x, y | z = 1; \theta)", "call p x y call given call = z 1 θ"),
        (r"P(X \le a)", "call P call <= X a"),
        ("E[X]", "call E[] X"),
        (r"\mathbb{E}_{}\left[X^k\right]", "call 𝔼 pow X k"),
        (r"E_{x \sim p}[f(x)]", "call E[] call related ∼ •x p call f •x"),
        (r"\operatorname{Var}[X] + \Pr(A)", "+ call Var X call Pr A"),
        (r"P(A \cap \neg B)", "call P intersection A call not B"),
        (r"\mathrm{KL}(q \| p)", "call KL q call given p"),
        (r"\mathbf{1}\{x \in A\} + 1_A", "+ call 1 call in x A call 1 A"),
        # operators over a range; the variable is bound
        (r"\sum_{x \in D} x^2", "call ∑ call in •x D pow •x 2"),
        (r"\sum_i a_i", "call ∑ •i_ call a •i_"),
        (r"\sum_{i,j} a_{ij}", "call ∑ •i_ •j call a •i_ •j"),
        (r"\sum_{i \ne j} x_i", "call ∑ call != •i_ •j call x •i_"),
        (r"\prod_{c \in C} f(c)", "call ∏ call in •c C call f •c"),
        (r"\sum_{k=1}^n k", "sum k 1 n k"),
        (r"\max_{x \in S} f(x) + 1", "+ call max call in •x S call f •x 1"),
        (r"\operatorname{argmax}_x f(x)", "call argmax •x call f •x"),
        (r"\arg\min_x f(x)", "call argmin •x call f •x"),
        (r"\sup A", "call sup A"),
        (r"\bigcup_{n=1}^\infty A_n", "call ⋃ call = •n 1 inf call A •n"),
        (r"\lim_{t \downarrow 1} f(t)", "limit t 1 + call f t"),
        (
            r"\lim_{\substack{t \to 0\\t \in \mathbb{R}}} f(t)",
            "call lim call and call related → •t 0 call in •t ℝ call f •t",
        ),
        (r"\lambda x.\,x + 1", "call λ •x + •x 1"),
        # integrals over regions
        (r"2\int_\Gamma f(z)\,dz", "* 2 call ∫ Γ •z call f •z"),
        (r"\iint_D xy\,dx\,dy", "call ∬ D •x •y * •x •y"),
        (r"\oint_C z\,dz", "call ∮ C •z •z"),
        (r"\int f(x)\,d\mu(x)", "call ∫ call μ •x call f •x"),
        # derivatives
        (r"\nabla_\theta f(x)", "call ∇_θ call f x"),
        (r"\nabla \cdot F", "call ∇· F"),
        (r"\partial U", "call ∂ U"),
        (r"\frac{\partial^2 f}{\partial x \partial y}", "d x d y call f x y"),
        (r"\frac{\partial L}{\partial w_1}", "d w_1 call L w_1"),
        (r"\frac{\partial f}{\partial \bar z}", "call ∂ conj z f"),
        (r"\frac{\partial u}{\partial x}\big|_{z_0}", "call | d x call u x z_0"),
        # marks above, elements, brackets
        (r"\{0,1\}^*", "call ^* set 0 1"),
        ("x^* + x^{**}", "+ x^* x^**"),
        ("A^T", "call ^T A"),
        (r"(AB)_{23}", "call _ AB 23"),
        ("[n]", "call [] n"),
        (r"\langle x | y \rangle", "call ⟨|⟩ x call given y"),
        ("[A | I]", "call [|] A call given I"),
        (r"\overline{\Delta(0)}", "call ¯ call Δ 0"),
        (r"\vec{x}", "x\u20d7"),
        (r"\underbrace{x + y}_{2}", "+ x y"),
        ("f^2(x)", "call f^ 2 x"),
        ("0'", "call ' 0"),
        (r"\mathbf{NP}", "𝐍𝐏"),
        (r"\Re^n", "pow ℜ n"),
        (r"\{x \mid P(x)\}", "call such x call P x"),
        (r"\langle A, \le \rangle", "tuple A call le"),
        # norms and products that do not commute
        (r"\|x - y\|^2 + \lVert f \rVert_1", "+ pow call norm - x y 2 call _ call norm f 1"),
        (r"\mathbf{x}^\top \mathbf{A} \mathbf{x}", "call · transpose 𝐱 𝐀 𝐱"),
        (r"\mathbf{A}^2", "call ^ 𝐀 2"),
        (r"a \oplus b \oplus c", "call ⊕ a b c"),
        (r"a \otimes b + c", "+ call ⊗ a b c"),
        (r"(f \circ g)(x) + f \circ g(x)", "+ call f call g x call f call g x"),
        (r"f \circ g \circ h", "call ∘ f g h"),
        # what is left out
        (r"1 + 2 + \cdots + n", "+ + + 1 2 … n"),
        (r"\{1, \ldots, n\}", "set 1 … n"),
        (r"f(x_1, \dots, x_n)", "call f x_1 … x_n"),
        # signs of logic
        (r"!A \land \lnot !B", "and call ! A not call ! B"),
        (r"\Box \lnot A", "call □ call not A"),
        (r"\{\lnot \bot\}", "set call not call ⊥"),
        # statements of which nothing is known
        (r"f\colon A \to B", "maps f A B"),
        (r"x \sim y", "related ∼ x y"),
        (r"\Gamma \vdash A", "related ⊢ Γ A"),
        (r"A \le_p B", "related le_p A B"),
        (r"x \equiv y", "related ≡ x y"),
        # conditions of cases
        (
            r"\begin{cases} 1 & \text{if $x > 0$} \\ 0 & \text{if $x$ is even} \end{cases}",
            "cases 1 > x 0 0 call said text x is even",
        ),
        (r"\nicefrac{1}{2}", "/ 1 2"),
    ],
)
def test_a_notation_of_documents_has_its_tree(text: str, expected: str) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        r"\foo{x}", r"\sum f(x)", r"\mathbb{C}\mathbb{P}^1", "x +", r"x \foo y",
        r"\frac{\partial^k f}{\partial x_1 \partial x_2}", r"\frac{d^{²} f}{d x^{²}}",
    ],
)  # fmt: skip
def test_what_has_no_meaning_here_stays_unread(text: str) -> None:
    assert said(text) == "unread"


@pytest.mark.parametrize("text", [r"1 + \cdots + n", r"\|x\|", "[x]", r"\sum_i a_i", "E[X]", "f^2(x)"])
def test_expressions_and_answers_have_no_unknown_operators(text: str) -> None:
    assert said(text, Names()) == "unread"
    # What dots of an answer leave out is found later.
    assert said(text, Names(is_answer=True)) == ("+ + 1 … n" if "cdots" in text else "unread")


def test_bound_variables_are_those_of_no_statement() -> None:
    assert "x" not in said(r"\sum_{x \in D} f(x)").split()
    assert "x" in said(r"\sum_{y \in D} f(x)").split()


def test_formulas_of_a_document_are_read_with_unknown_operators() -> None:
    assert names_of([]).reads_unknown_signs
