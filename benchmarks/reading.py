r"""How many formulas are read as terms and statements that can be judged, and how fast.

    .venv/bin/python -m benchmarks.reading COLLECTION SOLUTIONS [--fuzz 100000]

COLLECTION holds `formulas_mini.tsv.gz` (a column `latex`) and `posts_mini.jsonl.gz` (posts with `type` and
`body`; 2 is an answer), SOLUTIONS is `math_solutions.jsonl.gz` (a field `solution`). A formula counts as read
where each label of its tree is one that the judge works out or takes for a function of which nothing is
known: a text in words is not. Distinct formulas are counted, and each link of a chain of relations, where
both sides have to be read. The commonest reasons are shown for the rest. Rates are those of one core, in
processor time. `--fuzz` reads so many random strings besides, of commands and of pieces of the formulas: all
have to be read, or not, in a second, and the memory they take is recorded.
"""

from __future__ import annotations

import html
import json
import random
import re
import resource
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchmarks._record import Record, json_rows, parser_of
from benchmarks.formulas import formulas
from engines.core.tree import Tree
from engines.formula.document_names import names_of
from engines.formula.meaning import read, read_links
from engines.formula.operator_tree_parser import operator_tree

_IN_POST = re.compile(r'<span class="math-container"[^>]*>(.*?)</span>', re.DOTALL)
_TAG = re.compile(r"<[a-z]+ ")
"""In what is no formula, but more of a post."""
_IN_TEXT = re.compile(
    r"(?<!\\)\$\$(.+?)(?<!\\)\$\$|(?<!\\)\$(.+?)(?<!\\)\$|\\\[(.+?)\\\]|\\\((.+?)\\\)"
    r"|(\\begin\{(?:align|equation|gather)\*?\}.*?\\end\{(?:align|equation|gather)\*?\})",
    re.DOTALL,
)
_WORDS = (
    r"\frac \sqrt [ ] { } ( ) | \left \right . , ; : ^ _ ' x y n i e d f 1 23 0.5 + - * / \cdot \times = <"
    r" \in \sum \int \lim \to \infty \sin \log \max \text{if} \mathrm{tr} \begin{cases} \end{cases} & \\ ²"
    r" \begin{pmatrix} \end{pmatrix} \quad \, ! \% \pm \cup \overline \hat \binom \choose \over \partial √"
    r" \pmod \bmod \ldots \forall \neg \equiv \mid \land \Rightarrow \lfloor \rfloor \{ \} \langle \rangle"
    r" \circ \pi \mathbb{R} \operatorname{foo} \Big \displaystyle \substack \stackrel \prime ~ \def\a{b} ≤"
    r" \not \iint \mathbf{x} \$ $ #"
)
_COMMANDS = _WORDS.split()
_UNJUDGED = frozenset(("text",))
_SLOW_S = 1.0


def judgeable(tree: Tree | None) -> bool:
    return tree is not None and _UNJUDGED.isdisjoint(tree.list_labels())


def answers(path: Path) -> Iterator[list[str]]:
    """The formulas of each answer of a forum."""
    for post in json_rows(path):
        if post["type"] == 2:
            yield [html.unescape(one) for one in _IN_POST.findall(post["body"]) if not _TAG.search(one)]


def solutions(path: Path) -> Iterator[list[str]]:
    """The formulas of each solution."""
    for row in json_rows(path):
        yield [next(filter(None, one.groups())) for one in _IN_TEXT.finditer(row["solution"])]


def of_formulas(latex: Sequence[str]) -> dict[str, object]:
    reasons: Counter[str] = Counter()
    began = time.process_time()
    readings = [read(one, dialect="latex") for one in latex]
    took = time.process_time() - began
    for reading in readings:
        if not judgeable(reading.tree):
            reasons[reading.reason or "a text"] += 1
    began = time.process_time()
    for one in latex:
        operator_tree(one)
    parsed = time.process_time() - began
    return {
        "distinct": len(latex),
        "read": round(1 - reasons.total() / len(latex), 4),
        "read_per_cpu_s": round(len(latex) / took),
        "operator_trees_per_cpu_s": round(len(latex) / parsed),
        "reasons": dict(reasons.most_common(12)),
    }


def of_links(documents: Iterable[Sequence[str]]) -> dict[str, object]:
    reasons: Counter[str] = Counter()
    links = 0
    began = time.process_time()
    for latex in documents:
        names = names_of(latex)
        for one in latex:
            for link in read_links(one, names):
                links += 1
                if not judgeable(link.tree):
                    reasons[link.reason or "a text"] += 1
    took = time.process_time() - began
    return {
        "links": links,
        "read": round(1 - reasons.total() / links, 4),
        "links_per_cpu_s": round(links / took),
        "reasons": dict(reasons.most_common(12)),
    }


def fuzzed(latex: Sequence[str], count: int) -> dict[str, object]:
    """Random strings: each is read or not, in a second. Raises: what reading one raises."""
    source = random.Random(1)
    read_ones = 0
    slowest = 0.0
    for number in range(count):
        if number % 3 < 2:
            text = " "[: number % 3].join(source.choices(_COMMANDS, k=source.randint(1, 40)))
        else:
            one, other = source.choices(latex, k=2)
            first, second = source.randint(0, len(one)), source.randint(0, len(other))
            text = one[:first] + source.choice(_COMMANDS) + other[second:]
        began = time.process_time()
        reading = read(text, dialect=source.choice(("latex", "latex", "plain", "auto")))
        read_links(text)
        slowest = max(slowest, time.process_time() - began)
        if slowest > _SLOW_S or (reading.tree is None) != bool(reading.reason):
            raise SystemExit(f"this takes {slowest:.1f} s, or says nothing: {text!r}")
        read_ones += reading.tree is not None
    return {
        "strings": count,
        "read": round(read_ones / count, 4),
        "slowest_s": round(slowest, 3),
        "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("solutions", type=Path)
    parser.add_argument("--fuzz", type=int, default=0, metavar="N", help="random strings that are read")
    arguments = parser.parse_args()
    folder = arguments.collection
    table, posts = folder / "formulas_mini.tsv.gz", folder / "posts_mini.jsonl.gz"
    kept = Record("reading", arguments.out, formulas=table, posts=posts, solutions=arguments.solutions)
    latex = sorted(set(formulas(table)))
    figures: dict[str, object] = {"fuzz": fuzzed(latex, arguments.fuzz)} if arguments.fuzz else {}
    figures |= {
        "formulas": of_formulas(latex),
        "solutions": of_links(solutions(arguments.solutions)),
        "answers": of_links(answers(posts)),
    }
    kept.write(figures)
    print(json.dumps(figures, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
