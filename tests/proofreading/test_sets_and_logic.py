"""Members, subsets, divisors and equivalent statements are judged where nothing in them varies."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"2 \in \{1, 2, 3\}", r"5 \in \{1, 2, 3\}"),
        (r"5 \notin \{1, 2, 3\}", r"2 \notin \{1, 2, 3\}"),
        (r"\frac62 \in \mathbb{N}", r"\frac12 \in \mathbb{Z}"),
        (r"\{1, 2\} \subseteq \{1, 2, 3\}", r"\{1, 4\} \subseteq \{1, 2, 3\}"),
        (r"\mathbb{Z} \subset \mathbb{Q}", r"\mathbb{R} \subset \mathbb{Q}"),
        (r"7 \mid 21", r"7 \mid 22"),
        (r"7 \nmid 22", r"7 \nmid 21"),
        (r"\{x \in \mathbb{R} : x^2 < 4\} = (-2, 2)", r"\{x \in \mathbb{R} : x^2 < 4\} = (-2, 3)"),
        (r"\neg(p \land q) \equiv \neg p \lor \neg q", r"\neg(p \land q) \equiv \neg p \land \neg q"),
        (r"p \oplus q \equiv (p \lor q) \land \neg(p \land q)", r"p \oplus q \equiv p \lor q"),
        (r"p \to q \equiv \neg p \lor q", r"p \to q \equiv q \to p"),
        (r"p \to q \equiv \neg q \to \neg p", r"p \to q \equiv \neg p \to \neg q"),
    ],
)
def test_a_conclusion_that_fails_is_wrong(proofreader: TextProofreader, right: str, wrong: str) -> None:
    assert [link.verdict for link in proofreader.check_links(f"Hence ${right}$.")] == ["right"]
    assert [link.verdict for link in proofreader.check_links(f"Hence ${wrong}$.")] == ["wrong"]


@pytest.mark.parametrize(
    "text",
    [
        r"True or false: $5 \in \{1, 2, 3\}$.",
        r"Let $x \in \{1, 2\}$.",
        r"Hence $1 \in N$.",
        r"Hence $n \mid 12$.",
        r"Hence $p \lor T \equiv T$.",
        r"Suppose that $p \lor q \equiv p$.",
        r"Hence $p \uparrow q \equiv p \land q$.",
    ],
)
def test_what_varies_or_may_mean_something_else_is_not_accused(
    proofreader: TextProofreader, text: str
) -> None:
    assert proofreader.check_links(text)[-1].verdict in ("not shown", "given")
