"""What AMR graphs of mathematical sentences must say: what is denied, what is asked for, what exists.

The triples are written by hand, after AMR's guidelines and the graphs of The Little Prince; the sentences are
from no data set.
"""

from __future__ import annotations

import pytest

from engines.mathamr.context import mark_formulas
from engines.mathamr.graph.amr import Graph, GraphNode, read_graph, write_graph
from engines.mathamr.parsing.parsers import BuiltinParser


def triples(graph: Graph) -> set[str]:
    """Of each edge "concept role concept"; a formula is its LaTeX's number, as in "solve-01 :ARG1 1"."""
    nodes = graph.map_variables()

    def name(target: GraphNode | str) -> str:
        node = target if isinstance(target, GraphNode) else nodes.get(target)
        if node is None:
            return str(target).strip('"').removeprefix("eqx").removesuffix("eqx")
        for branch in node.branches:
            if node.concept == "string-entity" and branch.role == ":value":
                return name(branch.target)
        return node.concept

    found = {
        f"{name(node)} {edge.role} {name(edge.target)}"
        for node in graph.iterate_nodes()
        for edge in node.branches
    }
    return found | {f"top {name(graph.root)}"}


def meaning(text: str) -> set[str]:
    (graph,) = BuiltinParser()([mark_formulas(text).text])
    assert write_graph(read_graph(write_graph(graph))) == write_graph(graph)
    return triples(graph)


ASKED = ":quant amr-unknown"
YES_OR_NO = ":polarity amr-unknown"
SENTENCES: dict[str, list[str]] = {
    # What is denied.
    "Neither $A$ nor $B$ is invertible.": [
        "possible-01 :polarity -",
        "invert-01 :ARG1 or",
        "or :op1 1",
        "or :op2 2",
    ],
    "Neither $f$ nor $g$ has a zero.": ["have-03 :polarity -", "have-03 :ARG0 or", "have-03 :ARG1 zero"],
    "Neither the sum nor the product converges.": [
        "converge-01 :polarity -",
        "or :op1 sum",
        "or :op2 product",
    ],
    "Neither the limit nor the derivative exists.": ["exist-01 :polarity -", "exist-01 :ARG1 or"],
    "Neither of the matrices is invertible.": ["possible-01 :polarity -", "invert-01 :ARG1 matrix"],
    "Neither of these is an integer.": ["integer :polarity -", "integer :domain this"],
    "Neither sequence converges.": ["converge-01 :polarity -", "converge-01 :ARG0 sequence"],
    "The matrix is neither symmetric nor invertible.": [
        *(
            "symmetric :polarity -",
            "symmetric :domain matrix",
            "possible-01 :polarity -",
            "invert-01 :ARG1 matrix",
        ),
    ],
    "$x$ is neither even nor odd.": [
        "even :polarity -",
        "odd :polarity -",
        "even :domain 1",
        "odd :domain 1",
    ],
    "The set is neither open nor closed.": [
        "open-04 :polarity -",
        "close-01 :polarity -",
        "close-01 :ARG1 set",
    ],
    "We neither proved nor refuted it.": [
        "prove-01 :polarity -",
        "refute-01 :polarity -",
        "refute-01 :ARG0 we",
    ],
    "The proof uses neither induction nor contradiction.": [
        "use-01 :polarity -",
        "use-01 :ARG1 or",
        "use-01 :ARG0 prove-01",
    ],
    "I have neither a proof nor a counterexample.": ["have-03 :polarity -", "or :op2 counterexample"],
    "There is neither a maximum nor a minimum.": ["exist-01 :polarity -", "exist-01 :ARG1 or"],
    "What is the probability that neither of them wins?": ["win-01 :polarity -", "win-01 :ARG0 they"],
    "None of the eigenvalues is real.": ["real-04 :polarity -", "real-04 :ARG1 eigenvalue"],
    "None of these series converge.": ["converge-01 :polarity -", "converge-01 :ARG0 series"],
    "No prime divides both numbers.": [
        "prime :polarity -",
        "divide-01 :ARG0 prime",
        "divide-01 :ARG1 number",
    ],
    "No two of the lines are parallel.": ["line :polarity -", "line :quant 2", "parallel-01 :ARG0 line"],
    "No subgroup is normal.": ["subgroup :polarity -", "normal-02 :ARG1 subgroup"],
    "The function has no maximum or minimum.": ["or :polarity -", "or :op1 maximum", "or :op2 minimum"],
    "The matrix is not invertible.": ["possible-01 :polarity -", "possible-01 :ARG1 invert-01"],
    "$f$ is nowhere differentiable.": ["possible-01 :polarity -", "differentiate-01 :ARG1 1"],
    "The series never converges.": ["converge-01 :polarity -", "converge-01 :ARG0 series"],
    "No such $x$ exists.": ["exist-01 :ARG1 1", "1 :polarity -", "1 :mod such"],
    "There is no such $x$.": ["1 :polarity -", "1 :mod such"],
    "Not every function is continuous.": ["continue-01 :polarity -", "function-01 :mod every"],
    "It is not true that every function is continuous.": ["true-01 :polarity -", "true-01 :ARG1 continue-01"],
    "This does not hold for all $n$.": ["hold-01 :polarity -", "hold-01 :prep-for 1", "1 :mod all"],
    # What is asked for.
    "How many ways are there to seat five people?": [
        f"way {ASKED}",
        "way :manner-of seat-01",
        "people :quant 5",
    ],
    "How many ways can we choose $k$ elements?": [
        f"way {ASKED}",
        "choose-01 :manner way",
        "element :quant 1",
    ],
    "In how many ways can the letters be arranged?": [
        f"way {ASKED}",
        "arrange-01 :manner way",
        "arrange-01 :ARG1 letter",
    ],
    "In how many ways can $n$ people sit around a table?": [
        f"way {ASKED}",
        "sit-01 :manner way",
        "people :quant 1",
    ],
    "How many solutions does $x^2=2$ have?": [
        f"solve-01 {ASKED}",
        "have-03 :ARG0 1",
        "have-03 :ARG1 solve-01",
    ],
    "How many zeros does $f$ have in the disc?": [f"zero {ASKED}", "have-03 :ARG0 1", "have-03 :ARG1 zero"],
    "How many zeros has it?": [f"zero {ASKED}", "have-03 :ARG0 it", "have-03 :ARG1 zero"],
    "How many subgroups of order $p$ does the abelian group $G$ have?": [
        f"subgroup {ASKED}",
        "have-03 :ARG0 group-01",
        "have-03 :ARG1 subgroup",
    ],
    "How many elements does the set contain?": [
        f"element {ASKED}",
        "contain-01 :ARG0 set",
        "contain-01 :ARG1 element",
    ],
    "How many subsets of $S$ are there?": [f"subset {ASKED}", "top subset"],
    "How many solutions are there to $x+y=5$?": [f"solve-01 {ASKED}", "solve-01 :ARG1 1"],
    "How many different words can be formed?": [f"word {ASKED}", "form-01 :ARG1 word"],
    "How many digits are there in $2^{100}$?": [f"digit {ASKED}", "digit :location 1"],
    "How many of the numbers are prime?": [f"number {ASKED}", "prime :domain number"],
    "How many times does the clock ring?": [
        f"time {ASKED}",
        "ring-01 :frequency time",
        "ring-01 :ARG0 clock",
    ],
    "How much water is in the tank?": [f"water {ASKED}"],
    "How large is $n$?": ["large :degree amr-unknown", "large :domain 1"],
    "Given $n$, how many pairs satisfy the equation?": [f"pair {ASKED}", "satisfy-01 :ARG0 pair"],
    "Find how many integers satisfy $x^2<10$.": [
        "find-01 :ARG1 thing",
        "thing :quant-of integer",
        "integer :ARG0-of satisfy-01",
    ],
    "I want to know how many solutions the equation has.": [
        "know-01 :ARG1 thing",
        "thing :quant-of solve-01",
        "have-03 :ARG0 equation",
    ],
    "I don't understand how many terms there are.": ["understand-01 :ARG1 thing", "thing :quant-of term"],
    "For which $n$ is the number prime?": ["prime :domain number", "prime :prep-for 1", "1 :mod amr-unknown"],
    "Does every continuous function have a primitive?": [f"have-03 {YES_OR_NO}", "function-01 :mod every"],
    # What exists.
    "For every $\\epsilon>0$ there is $\\delta>0$ such that $|x-y|<\\delta$.": [
        "top exist-01",
        "exist-01 :ARG1 2",
        "exist-01 :prep-for 1",
        "1 :mod every",
        "2 :mod 3",
    ],
    "For every prime $p$ there is an integer $n$ with $n<p$.": [
        "top exist-01",
        "exist-01 :ARG1 integer",
        "exist-01 :prep-for prime",
    ],
    "For all $x$ there exists $y$ such that $x<y$.": ["exist-01 :ARG1 2", "exist-01 :prep-for 1", "2 :mod 3"],
    "For each set there exists a larger set.": ["exist-01 :ARG1 set", "exist-01 :prep-for set"],
    "Show that for every $n$ there is a prime $p>n$.": [
        "show-01 :ARG1 exist-01",
        "exist-01 :ARG1 prime",
        "show-01 :mode imperative",
    ],
    "For every positive integer $n$, there exists a prime between $n$ and $2n$.": [
        "exist-01 :ARG1 prime",
        "exist-01 :prep-for integer",
        "between :op1 and",
    ],
    "There can be no such function.": [
        "possible-01 :polarity -",
        "possible-01 :ARG1 exist-01",
        "exist-01 :ARG1 function-01",
    ],
    "There must be an error.": ["obligate-01 :ARG2 exist-01", "exist-01 :ARG1 err-01"],
    "There isn't any solution.": ["exist-01 :polarity -", "exist-01 :ARG1 solve-01"],
    "There is no $x$ such that $x^2=-1$.": ["1 :polarity -", "1 :mod 2"],
    "There are no integers $x$ and $y$ such that $x^2=2y^2$.": [
        "integer :polarity -",
        "and :op1 1",
        "and :op2 2",
    ],
    # How many there are of what is said.
    "Each of the numbers is prime.": ["prime :domain number", "number :mod each"],
    "Section 4 of this paper constructs a field.": [
        "construct-01 :ARG0 section",
        "section :mod 4",
        "paper :mod this",
    ],
    "Every $x$ has an inverse.": ["1 :mod every", "have-03 :ARG0 1"],
    "It has at least two roots.": ["root :quant at-least", "at-least :op1 2"],
    "$x$ is at most $3$.": ["equal-01 :ARG1 1", "equal-01 :ARG2 at-most", "at-most :op1 2"],
    "Prove that there is a prime that divides $n$.": [
        "prove-01 :mode imperative",
        "prove-01 :ARG1 prime",
        "prime :ARG0-of divide-01",
    ],
}


@pytest.mark.parametrize("text", SENTENCES)
def test_what_a_sentence_says(text: str) -> None:
    found = meaning(text)
    assert set(SENTENCES[text]) <= found, found
    if not any(YES_OR_NO in one for one in SENTENCES[text]):
        assert not any(YES_OR_NO in one for one in found)
