"""Trees as LaTeX: what is written is read again as the same tree, whatever stands under whatever."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.formula.operator_tree import OperatorTree, apply_operator
from engines.formula.operator_tree_parser import ParserMode, operator_tree
from engines.formula.render import to_latex
from engines.formula.symbols import PieceRole, symbol_roles
from tests.conftest import count_examples

Trees = st.SearchStrategy[OperatorTree]


def _labels(*wanted: str) -> list[str]:
    return sorted({known.operator.label for known in symbol_roles().values() if known.role in wanted})


_LEAVES = [
    "V!x",
    "V!y",
    "V!α",
    "V!italic-φ",
    "V!...",
    "N!2",
    "N!12.5",
    "C!infinity",
    "C!emptyset",
    "V!&quest;",
]
_BODIES = [label for label in _labels(PieceRole.BIG, PieceRole.LIMIT) if label not in ("F!max", "F!min")]
_LARGE = sorted(
    {known.alone.label for known in symbol_roles().values() if known.role in (PieceRole.BIG, PieceRole.LIMIT)}
)
_FENCES = ["F!abs", "O!norm", "F!floor", "F!ceiling", "M!D-lsqb;&rsqb;", "M!D-lang;&rang;", "M!S-1"]
_PREFIXES = (
    _labels("accent", PieceRole.POSTFIX, PieceRole.OPERATOR, PieceRole.FUNCTION)
    + _BODIES
    + ["F!max", "F!min", "O!not"]
)
_SIGNS = ["O!minus", "U!plus", "O!plus-or-minus"]
_PAIRS = [*_labels("fraction", "infix"), "O!root", "O!conditional", "O!rem"]
_INTERVALS = ["O!interval(O-O)", "O!interval(C-C)", "O!interval(O-C)", "O!interval(C-O)"]
_INFIX = _labels(PieceRole.ADD, PieceRole.MULTIPLY)


def _over(labels: list[str], operands: Trees, least: int, most: int) -> Trees:
    many = st.lists(operands, min_size=least, max_size=most).map(tuple)
    return st.builds(OperatorTree, st.sampled_from(labels), many)


def _scripted(label: str, operand: OperatorTree, script: OperatorTree) -> OperatorTree:
    return apply_operator(OperatorTree("O!SUB", (OperatorTree(label), script)), [operand])


def _grown(smaller: Trees) -> Trees:
    return st.one_of(
        _over(_INFIX, smaller, 2, 2),
        _over([label for label in _INFIX if label.startswith("U!")], smaller, 3, 3),
        _over([*_PREFIXES, *_FENCES, *_SIGNS], smaller, 1, 1),
        _over([*_PAIRS, *_INTERVALS], smaller, 2, 2),
        _over(["M!V-3", "M!S-3"], smaller, 3, 3),
        _over(["O!SUP", "O!SUB"], smaller, 2, 2),
        st.builds(_scripted, st.sampled_from([*_LARGE, *_labels(PieceRole.FUNCTION)]), smaller, smaller),
        smaller.map(lambda tree: OperatorTree("O!annotated", (tree, OperatorTree("F!pmod", (tree,))))),
        smaller.map(lambda tree: OperatorTree("O!cases", (tree, OperatorTree("V!x")))),
        smaller.map(lambda tree: OperatorTree("M!M-1x1", (OperatorTree("M!R!", (tree,)),))),
        smaller.map(lambda tree: OperatorTree("O!int", (tree, OperatorTree("W!"), OperatorTree("W!")))),
    )


_EXPRESSIONS = st.recursive(st.sampled_from(_LEAVES).map(OperatorTree), _grown, max_leaves=8)
_RELATIONS = _over(_labels(PieceRole.RELATION), _EXPRESSIONS, 2, 2)


@settings(max_examples=count_examples(300))
@given(st.one_of(_EXPRESSIONS, _RELATIONS), st.sampled_from(["arqmath", "correct"]))
def test_every_operator_over_every_other_is_read_again(tree: OperatorTree, mode: ParserMode) -> None:
    assert str(operator_tree(to_latex(tree), mode)) == str(tree)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        (r"a \bmod (b+c)", r"a \bmod (b + c)"),
        (r"\bigcup C", r"\bigcup C"),
        (r"\bigcup_{i}A_i\cup B", r"\bigcup_{i} A_{i} \cup B"),
        (r"\langle u,v\rangle", r"\langle u, v\rangle"),
        (r"a\equiv b+c\pmod n", r"a \equiv b + c \pmod{n}"),
        (r"\vec{x}", r"\vec{x}"),
        (r"a<b\le c", r"a < b \le c"),
        (r"2\cdot 3\times 4", r"(2 \cdot 3) \times 4"),
        (r"2\times\frac12", r"2 \times \frac{1}{2}"),
        (r"\begin{bmatrix}1&2\\3&4\end{bmatrix}", r"\begin{bmatrix}1 & 2 \\ 3 & 4\end{bmatrix}"),
        (r"\begin{cases}1&x>0\\0&x<0\end{cases}", r"\begin{cases}1 & x > 0 \\ 0 & x < 0\end{cases}"),
        (r"\frac ab^2", r"(\frac{a}{b})^{2}"),
        (r"\frac{ a+ ) Q}{b}", r"\frac{a+ ) Q}{b}"),
        (r"\@ x", r"\@ x"),
        (r"a\mathbin{\square}b", r"a \mathbin{\square} b"),
        (r"\frac 1.5", r"\frac{1}{.} \times 5"),
        ("{1+) \\over 2}", r"\frac{1+)}{2}"),
        (r"\mathbb{A}\to ) x", r"\mathbb{A}\to ) x"),
    ],
)
def test_what_is_written_means_the_same(source: str, written: str) -> None:
    for mode in ("arqmath", "correct"):
        tree = operator_tree(source, mode)
        assert to_latex(tree, source) == written
        assert str(operator_tree(written, mode)) == str(tree)
        if not tree.list_errors():
            assert str(operator_tree(to_latex(tree), mode)) == str(tree)


def test_an_error_node_keeps_its_source_in_its_document() -> None:
    source = r"\sqrt{(a B)) + 1}"
    tree = operator_tree(source)
    error = tree.list_errors()[0]
    assert tree.to_document()["children"][0]["span"] == [6, 16]
    assert OperatorTree.from_document(tree.to_document()).list_errors()[0].span == error.span
    assert to_latex(OperatorTree.from_document(tree.to_document()), source) == source
