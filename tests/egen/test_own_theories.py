"""Theories of one's own: read, judged and grown by the code of all theories, each held against a verifier of
its own; and what is wrong with a file is said with its line."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import sympy

from engines.core.entry_points import load_entry_points
from engines.core.system import asset
from engines.core.tree import Tree
from engines.egen.corpora import (
    BuildCorpus,
    CorpusStats,
    ExportCorpus,
    FindFunction,
    ShowCluster,
    build_corpus,
    corpus_stats,
    export_corpus,
    find_function,
    show_cluster,
)
from engines.egen.corpus.folder import open_corpus
from engines.egen.egraph.derivation import derive
from engines.egen.egraph.member_selection import grow_cluster
from engines.egen.evaluations.check import Check, check_derivations
from engines.egen.rules_and_theories import CheckTheory, check_theory
from engines.egen.settings import EgenConfig, Limits
from engines.egen.theories import judges
from engines.egen.theories.registry import theory_of, theory_text
from engines.egen.theories.theory import Theory
from engines.egen.theories.user_theories import read_theory
from engines.egen.verify_and_explain import Verify, verify
from engines.formula.sign_languages import TheorySign, TheorySigns
from tests.conftest import expect_error, mathwb

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("modular", "boolean", "sets", "matrices", "regular")


def theory(name: str) -> Theory:
    return theory_of(theory_text(name), "")


def calculated(tree: Tree, at: Any, operations: dict[str, Callable[..., Any]]) -> Any:
    parts = [calculated(child, at, operations) for child in tree.children]
    return operations[tree.label](*parts) if tree.label in operations else at[tree.label]


def integers(one: Tree, other: Tree) -> bool:
    plain: dict[str, Callable[..., Any]] = {f"n{k}": partial(int, k) for k in range(8)}
    plain |= {"plus": int.__add__, "minus": int.__sub__, "times": int.__mul__, "negative": int.__neg__}
    rows = (dict(zip("xyz", row, strict=True)) for row in product(range(8), repeat=3))
    return all((calculated(one, at, plain) - calculated(other, at, plain)) % 8 == 0 for at in rows)


def truths(one: Tree, other: Tree) -> bool:
    plain: dict[str, Callable[..., Any]] = {
        "both": lambda a, b: a and b,
        "either": lambda a, b: a or b,
        "one_of": lambda a, b: a != b,
        "nand": lambda a, b: not (a and b),
        "not": lambda a: not a,
        "bottom": lambda: False,
        "top": lambda: True,
    }
    rows = (dict(zip("pqr", row, strict=True)) for row in product((False, True), repeat=3))
    return all(calculated(one, at, plain) == calculated(other, at, plain) for at in rows)


def finite_sets(one: Tree, other: Tree) -> bool:
    everything = frozenset(range(12))
    plain: dict[str, Callable[..., Any]] = {
        "union": frozenset.union,
        "intersection": frozenset.intersection,
        "difference": frozenset.difference,
        "symmetric": frozenset.symmetric_difference,
        "complement": everything.difference,
        "empty": frozenset,
        "universe": lambda: everything,
    }
    draw = random.Random(1)
    rows = (
        {name: frozenset(x for x in everything if draw.random() < 0.5) for name in "ABC"} for _ in range(40)
    )
    return all(calculated(one, at, plain) == calculated(other, at, plain) for at in rows)


def symbolic_matrices(one: Tree, other: Tree) -> bool:
    at = {name: sympy.Matrix(2, 2, sympy.symbols(f"{name}:4")) for name in "ABC"}
    plain: dict[str, Callable[..., Any]] = {
        "plus": lambda a, b: a + b,
        "minus": lambda a, b: a - b,
        "times": lambda a, b: a * b,
        "negative": lambda a: -a,
        "transposed": lambda a: a.T,
        "com": lambda a, b: a * b - b * a,
        "adj": lambda a: a.adjugate(),
        "zero": lambda: sympy.zeros(2),
        "one": lambda: sympy.eye(2),
    }
    apart = calculated(one, at, plain) - calculated(other, at, plain)
    return bool(apart.expand() == sympy.zeros(2))


def words(one: Tree, other: Tree) -> bool:
    """All words of up to 6 letters, by Python's own expressions."""
    plain: dict[str, Callable[..., Any]] = {
        "either": lambda a, b: f"(?:{a}|{b})",
        "then": lambda a, b: f"(?:{a}{b})",
        "star": lambda a: f"(?:{a})*",
        "some": lambda a: f"(?:{a})+",
        "nothing": lambda: "(?!)",
        "empty": lambda: "(?:)",
    }
    sides = [re.compile(calculated(tree, {"a": "a", "b": "b"}, plain)) for tree in (one, other)]
    texts = ("".join(word) for size in range(7) for word in product("ab", repeat=size))
    return all(len({side.fullmatch(text) is None for side in sides}) == 1 for text in texts)


CASES: dict[str, tuple[str, Callable[[Tree, Tree], bool], str, str]] = {
    "modular": ("5*(x + y) - 3*z", integers, "4*x*x + 2", "4*x + 2"),
    "boolean": ("(p & q) | ~(r ^ p)", truths, "p !& p", "~p"),
    "sets": ("(A \\ B) u (B n C)'", finite_sets, "A ^ B", "(A u B) \\ (A n B)"),
    "matrices": ("(A + B)*(C - A)", symbolic_matrices, "com(A, B)' + com(A', B')", "0"),
    "regular": ("(ab|a)*", words, "a+|1", "a*"),
}


_LARGE = ("sets", "regular")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in _LARGE)) for name in NAMES]
)
def test_what_grows_is_equal_by_a_verifier_of_its_own(name: str) -> None:
    text, same, start, target = CASES[name]
    known = theory(name)
    head = known.read_term(text)
    config = EgenConfig(
        members=25, max_tokens=15, limits=Limits(nodes=400, iterations=5), theory=theory_text(name)
    )
    cluster = grow_cluster(head, config)
    assert len(cluster.members) >= 5
    for member in cluster.members:
        tree = known.read_term(member.prefix, "prefix")
        assert same(head, tree), member.prefix
        assert all(
            known.read_term(known.to_row(tree)[how]) == tree
            for how in ("infix", "unicode", "latex", "prefix")
        )
    assert EgenConfig.from_document(json.loads(json.dumps(config.to_dict()))) == config
    one, other = known.read_term(start), known.read_term(target)
    steps = derive(one, other, theory=known).steps
    assert steps[-1].tree == other
    assert all(same(one, step.tree) for step in steps)


@pytest.mark.parametrize("name", NAMES)
def test_judges_agree_with_verifiers_on_random_terms(name: str) -> None:
    same, known = CASES[name][1], theory(name)
    leaves = {"modular": "xyz", "boolean": "pqr", "sets": "ABC", "matrices": "ABC", "regular": "ab"}[name]
    draw = random.Random(7)

    def term(depth: int) -> Tree:
        labels = [label for label, count in known.arity.items() if count <= depth]
        label = draw.choice([*labels, *leaves] if depth else [*leaves])
        return Tree(label, tuple(term(depth - 1) for _ in range(known.arity.get(label, 0))))

    seen = set()
    for _ in range(60):
        one, other = term(2), term(2)
        (verdict,) = known.make_judge(one).judge_members([other])
        assert (verdict.outcome == "equal") == same(one, other), (one.list_labels(), other.list_labels())
        seen.add(verdict.outcome)
    assert seen == {"equal", "different"}


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_are_short(name: str) -> None:
    files = [*asset("theories").glob(f"{name}.*")]
    assert sum(len(file.read_text().splitlines()) for file in files) <= 150


def test_pairs_of_a_file_are_verified(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("a*a*\ta*\n(ab)*\t(ba)*\na(\ta\nno tab\n")
    rows = {row["line"]: row for row in verify(Verify(file, theory="regular")).results}
    assert [rows[line]["verdict"] for line in (1, 2, 3, 4)] == ["equal", "different", None, None]
    assert "only the first has the word 'ab'" in rows[2]["counterexample"]["said"]
    found = verify([("x + 9*x", "2*x"), ("4*x*x", "4*x")], theory="modular").results
    assert [row["verdict"] for row in found] == [None, "equal"]  # there is no 9 modulo 8


GOOD = """\
name = "a semilattice"
rules = [
  {name = "commutes", left = "a + b", right = "b + a"},
  {name = "itself", left = "a + a", right = "a"},
]
[operators]
join = {infix = "+", binds = 1}
[model]
values = 3
join = "max(a, b)"
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ('right = "a"}', 'right = "a * b"}', 4, "'*' cannot stand here"),
        ('right = "a"}', 'right = "b"}', 4, "nothing says what 'b' is"),
        ('right = "a"}', 'right = "a", both = true}', 4, ""),
        (
            'left = "a + b", right = "b + a"',
            'left = "a + b", right = "a"',
            3,
            "'commutes' does not hold: at a = 0",
        ),
        ('{infix = "+", binds = 1}', '{infix = "+", binds = 1, arity = 3}', 7, "its arity is 3"),
        ('{infix = "+", binds = 1}', '{infix = "+", bind = 1}', 7, "unknown key 'bind'"),
        ('"max(a, b)"', '"max(a, b) + 1"', 10, "gives 3"),
        ('"max(a, b)"', "\"__import__('os').getcwd()\"", 10, "is not arithmetic"),
        ('"max(a, b)"', "[[0, 1], [1, 0]]", 10, "is not 3 × 3"),
        ('join = "max(a, b)"', 'meet = "max(a, b)"', 10, "'meet' is no operator"),
        ('"max(a, b)"', "[[0, 1, 2], [1, 1, 2], [2, 2, 2.5]]", 10, "is not 3 × 3"),
        ("[model]", 'meet = {infix = "*", also = ["+"]}\n[model]', 8, "'+' is that of 'join' and of 'meet'"),
        ("join = {infix", "sin = {infix", 7, "cannot be an operator's name"),
        ("values = 3", "values = 1000", 9, "'values' is 1000"),
        ('name = "a semilattice"', 'name = "a semilattice"\ncolour = 3', 2, "unknown key 'colour'"),
        ("[model]", "[model", 8, "not TOML"),
        ("binds = 1}", 'binds = 1, right = "no"}', 7, "right of 'join' is 'no'"),
        ('right = "a"}', 'right = "a", both = "no"}', 4, "both of 'itself' is 'no'"),
        ("[model]", 'one = {prefix = "~"}\ntwo = {prefix = "~~"}\n[model]', 8, "'~~a', which is read"),
        ('name = "a', 'judge = "../x.py"\nname = "a', 1, "judge is '../x.py'"),
    ],
)
def test_a_wrong_file_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(GOOD)
    assert check_theory(CheckTheory(str(file)))["rules"][1]["left"] == "a + a"
    file.write_text(GOOD.replace(old, new, 1))
    if not said:  # a + a = a backwards makes nothing new
        assert len(theory(str(file)).list_rules()) == 3
        return
    with expect_error("E222") as caught:
        read_theory(file)
    assert (caught.value.code, caught.value.line) == ("E222", line)
    assert caught.value.remedy


def test_terms_are_written_as_they_are_read() -> None:
    """Operators that bind alike, on every side and both ways."""
    table = {
        "plus": TheorySign("infix", "+", 2, 1),
        "up": TheorySign("infix", "@", 2, 1, right=True),
        "neg": TheorySign("prefix", "-", 1, 1),
        "no": TheorySign("prefix", "~", 1, 9),
        "mark": TheorySign("postfix", "'", 1, 9),
        "x": TheorySign("constant", "x", 0),
    }
    signs = TheorySigns(table, "signs")
    terms = [Tree("x")]
    for _ in range(3):
        terms = [
            Tree(name, parts) for name, sign in table.items() for parts in product(terms, repeat=sign.arity)
        ]
    assert len(terms) > 10_000
    for tree in terms:
        assert signs.read_term(signs.write_tree(tree), "infix") == tree


def test_letters_side_by_side_are_variables_and_no_names() -> None:
    known = theory("regular")
    assert known.read_term("awesome").list_labels().count("then") == 6
    assert known.read_term("some a") == known.read_term("a+")


def test_another_text_is_another_theory(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(GOOD)
    first = theory(str(file))
    file.write_text("# a comment\n" + GOOD)
    assert theory(str(file)).kind == first.kind
    file.write_text(GOOD.replace("values = 3", "values = 4"))
    assert theory(str(file)).kind != first.kind
    with expect_error("E222"):
        theory("modulra")


PYTHON = """\
import pathlib
pathlib.Path(__file__ if '__file__' in globals() else __spec__.origin).with_suffix('.ran').touch()
def differ(left, right):
    one, other = (sorted(node.label for node in tree if not node.children) for tree in (left, right))
    return None if one == other else f'{one} is not {other}'
"""


def test_a_judge_in_python_runs_only_when_it_was_trusted_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, judge, ran = (tmp_path / f"bag.{end}" for end in ("toml", "py", "ran"))
    text = GOOD[: GOOD.index("[model]")].replace('{name = "itself", left = "a + a", right = "a"},', "")
    file.write_text('judge = "bag.py"\n' + text)
    judge.write_text(PYTHON)
    with expect_error("E223"):
        theory(str(file))
    assert not ran.exists()
    found = check_theory(CheckTheory(str(file), trust=True))
    assert found["judge"] == "bag.py"
    assert ran.exists()
    recorded = theory_text(str(file))
    known = theory_of(recorded, "")
    assert str(tmp_path) not in recorded
    (verdict,) = known.make_judge(known.read_term("a + b")).judge_members([known.read_term("b + b")])
    assert verdict.counterexample
    assert "is not" in verdict.counterexample.said
    judge.write_text(PYTHON + "\n")
    for name in (str(file), recorded):
        judges._load_differ.cache_clear()
        with expect_error("E223"):
            other = theory_of(theory_text(name), "")
            other.make_judge(other.read_term("a + b")).judge_members([other.read_term("b + a")])
    judge.write_text(PYTHON.replace("return None", "return 1 / 0"))
    with expect_error("E222", line=4):
        check_theory(CheckTheory(str(file), trust=True))
    judge.write_text(PYTHON.replace("one, other", "1 / (len(left) - 1)\n    one, other"))
    check_theory(CheckTheory(str(file), trust=True))
    rows = verify([("a", "b"), ("a + b", "b + a")], theory=str(file)).results  # the rest of the lines is done
    assert [row["verdict"] for row in rows] == [None, "equal"]
    for answer in ("''", "False", "exit(3)"):
        judge.write_text(PYTHON.replace("return None", f"return {answer}"))
        with expect_error("E222", line=4):
            check_theory(CheckTheory(str(file), trust=True))
    judge.write_text(PYTHON.replace("    return", "    print('met')\n    return"))
    check_theory(CheckTheory(str(file), trust=True))
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "met\n")


def test_a_distribution_brings_a_theory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "lattice.toml").write_text(GOOD)
    (tmp_path / "lattice_theory.py").write_text(f"FILE = {str(tmp_path / 'lattice.toml')!r}\n")
    (tmp_path / "lattice-1.dist-info").mkdir()
    (tmp_path / "lattice-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: lattice\n")
    (tmp_path / "lattice-1.dist-info" / "entry_points.txt").write_text(
        f"[{judges.GROUP}]\nlattice = lattice_theory:FILE\nbroken = lattice_theory:NOTHING\n"
        "number = math:pi\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    load_entry_points.cache_clear()
    assert theory("lattice").read_term("a + b").label == "join"
    # A corpus of somebody else may name any hash: a file beside a theory is no judge.
    beside = hashlib.sha256((tmp_path / "lattice_theory.py").read_bytes()).hexdigest()
    with expect_error("E223"):
        judges._load_differ(beside)
    assert {row["name"] for row in check_theory(CheckTheory())["theories"]} == {*NAMES, "lattice"}
    monkeypatch.undo()
    load_entry_points.cache_clear()


def test_a_corpus_of_a_theory_is_built_merged_and_looked_into(tmp_path: Path) -> None:
    heads = tmp_path / "heads.txt"
    heads.write_text("(A u B) n C\nA \\ B\n(A n C) u (C n B)\n# no term\nA + B\n")
    out = tmp_path / "corpus"
    spec = BuildCorpus(out, str(heads), theory="sets", members=20, nodes=300, workers=1)
    built = build_corpus(spec)
    assert (built.complete, built.clusters, built.bad_lines) == (True, 2, 1)
    shown = show_cluster(ShowCluster(out, 0))
    known = theory("sets")
    assert shown["merged_from"] == [0, 2]
    assert shown["members"][0]["unicode"] == "(A ∪ B) ∩ C"
    for row in shown["members"]:
        assert finite_sets(known.read_term("(A u B) n C"), known.read_term(row["infix"]))
    found = find_function(FindFunction(out, "C n (B u A)"))["matches"]
    assert [(match["cluster"], match["verdict"], match["member"]) for match in found] == [(0, "equal", 0)]
    assert corpus_stats(CorpusStats(out))["clusters"] == 2
    export_corpus(ExportCorpus(out, tmp_path / "set", layout="dataset"))
    card = (tmp_path / "set" / "README.md").read_text()
    assert "| terms of | the algebra of sets |" in card
    assert "| rules |" not in card  # the table is that of real functions
    assert build_corpus(BuildCorpus(out, workers=1)).complete
    with expect_error("E452"):
        build_corpus(replace(spec, theory="boolean", templates=None))
    with expect_error("E458"):
        open_corpus(out)
    with expect_error("E427"):
        build_corpus(BuildCorpus(tmp_path / "other", "poly", theory="sets"))


def test_a_step_that_is_too_much_for_the_judge_is_undecided(tmp_path: Path) -> None:
    steps = tmp_path / "steps.txt"
    steps.write_text("a & b\nb & a\n\na&b&c&f&g&h&i&j&k&l&m\nn&o&p&q&r&s&t&u&v&w&x\n")
    rows = [
        each["transitions"][0] for each in check_derivations(Check(steps, theory="boolean"))["derivations"]
    ]
    assert [row["verdict"] for row in rows] == ["equal", "undecided"]
    assert "22 variables" in rows[1]["reason"]


def test_heads_that_cannot_be_compared_stay_apart(tmp_path: Path) -> None:
    heads, out = tmp_path / "heads.txt", tmp_path / "corpus"
    heads.write_text("a&b&c&f&g&h&i&j&k&l&m\nn&o&p&q&r&s&t&u&v&w&x\n")  # together 2^22 rows
    spec = BuildCorpus(out, str(heads), theory="boolean", members=2, nodes=60, workers=1)
    assert build_corpus(spec).clusters == 2
    found = find_function(FindFunction(out, "n&o&p&q&r&s&t&u&v&w&x"))["matches"]
    assert [(match["cluster"], match["verdict"]) for match in found] == [(1, "equal")]


def test_the_commands_of_the_guide_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (ROOT / "docs" / "guides" / "own-theory.md").read_text()
    (toml, *_), commands = (re.findall(rf"```{kind}\n(.*?)```", guide, re.DOTALL) for kind in ("toml", "sh"))
    (tmp_path / "tropical.toml").write_text(toml)
    (tmp_path / "words.toml").write_text(
        (asset("theories") / "regular.toml").read_text().replace("regular.py", "words.py")
    )
    (tmp_path / "words.py").write_text((asset("theories") / "regular.py").read_text() + "# mine\n")
    monkeypatch.chdir(tmp_path)
    for line in "".join(commands).splitlines():
        found = mathwb(*shlex.split(line)[1:])
        assert found.returncode == 0, found.stderr
        assert "no derivation" not in found.stdout
