"""Whether expressions are equal: judging pairs of a file, the case for one verdict, values for a plot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

from engines.core.errors import DataError, ExpressionError
from engines.core.events import Event, Sink, ignore
from engines.core.expression_language import LETTERS, VARIABLE, to_prefix
from engines.core.notebook_display import MOST, Shown, Tabular
from engines.core.spec import Arg, specification
from engines.core.stored_rows import StoredRows
from engines.egen.settings import Assume, AssumeAny, TheoryName
from engines.formula.reader import read_expression
from engines.mathematics.assumptions import read_assumptions
from engines.mathematics.terms.notation import read_head
from engines.mathematics.verification.verdicts import MemberOutcome, describe_point, format_distinguishable

if TYPE_CHECKING:
    from engines.core.tree import Tree
    from engines.mathematics.verification.verifier import JudgedLine, VerifierFactory


_WINDOW_LINES = 20_000
"""So many lines are judged together, those of one head at once. Longer files are judged in several windows,
so that their lines need not fit into memory."""


@specification
class Verify:
    """Judge pairs of expressions: equal, extends, shrinks, nowhere, different or undecided.

    A line that cannot be read is reported and counted; the others are judged.
    """

    file: Annotated[
        Path, Arg("Lines `head<TAB>member`, prefix, infix or LaTeX; - is standard input.", inline=".tsv")
    ]
    assume: AssumeAny = ""
    theory: TheoryName = "reals"
    seed: Annotated[int, Arg("Seed for the points.", low=0)] = 0


@specification
class Explain:
    """Judge an expression against a head and show why: domains, values at each point, what fails where."""

    head: Annotated[str, Arg("Infix, LaTeX or prefix; may begin with -.")]
    member: Annotated[str, Arg("The expression to judge: infix, LaTeX or prefix.")]
    assume: Assume = ""
    seed: Annotated[int, Arg("Seed for the points.", low=0)] = 0


@specification
class PlotCurve:
    """Values of expressions for a plot."""

    exprs: Annotated[tuple[str, ...], Arg("Infix, LaTeX or prefix.", metavar="EXPR")]
    low: Annotated[float, Arg("The first x.")] = -5.0
    high: Annotated[float, Arg("The last x.")] = 5.0
    count: Annotated[int, Arg("How many points.", low=2, high=100_000)] = 201
    over: Annotated[str, Arg("The variable that runs.")] = VARIABLE
    at: Annotated[Mapping[str, float], Arg("Values of the others.")] = field(default_factory=dict)
    assume: Assume = ""


@dataclass(frozen=True, slots=True)
class Verified(Tabular):
    """Every line with its verdict, and how many have which. `texts` has the head and the member of each line
    as they are written, in the same order."""

    results: StoredRows
    totals: dict[str, int]
    texts: StoredRows
    theory: str = "reals"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the results one by one, each with its head and member."""
        return ({**row, **texts} for row, texts in zip(self.results, self.texts, strict=True))

    def table(self) -> tuple[str, Sequence[str], Iterable[Sequence[Any]]]:
        """Return the title, the columns and the rows that a notebook shows."""
        names = ("line", "member", "verdict", "kept", "except", "because")
        title = ", ".join(f"{count:,} {name}" for name, count in self.totals.items() if count)
        rows = ({**row, "because": explain_row(row)} for row in self.rows())
        return title, names, ([row.get(name) for name in names] for row in rows)

    def _repr_latex_(self) -> str:
        """Return the pairs of the first lines that could be read, with what stands between them."""
        from engines.egen.theories.registry import theory_of

        theory, lines = theory_of(self.theory, ""), []
        for row in islice((row for row in self.rows() if row["verdict"]), MOST):
            head, member = (
                theory.to_row(theory.read_term(row[side], head=False))["latex"] for side in ("head", "member")
            )
            sign = {"equal": "=", "different": r"\ne"}.get(row["verdict"])
            said = sign or rf"\overset{{\text{{{row['verdict']}}}}}{{=}}"
            lines.append(f"{head} &{said} {member}")
        body = r" \\ ".join(lines)
        return rf"$$\begin{{aligned}}{body}\end{{aligned}}$$"


def explain_row(row: Mapping[str, Any]) -> str:
    """Return the counterexample in words, or why the line cannot be read."""
    result = row["counterexample"]
    if result is None or "said" in result:
        return (result or {}).get("said") or row.get("error") or ""
    sides = format_distinguishable(result["head"], result["member"], result.get("difference"), digits=6)
    return f"{describe_point(result['x'], result.get('at'), digits=4)}: {' and '.join(sides)}"


def verify(
    spec: Verify | Iterable[tuple[str, str]], *, theory: str = "reals", events: Sink = ignore
) -> Verified:
    """Judge whether heads and members are equal: the pairs of a file, or pairs given as texts.

    Args:
        spec: The spec of a file, or an iterable of pairs (head, member) in prefix, infix or LaTeX.
        theory: The theory of pairs given as texts; a file's is `Verify.theory`.
        events: Receives progress and warnings.

    Returns:
        The verdict on each pair, with the counts of the verdicts.

    Raises:
        DataError: If no pair can be read.

    >>> [row["verdict"] for row in verify([("x", "tan(atan(x))"), ("x", "sqrt(x)^2")]).results]
    ['equal', 'shrinks']

    >>> from tempfile import NamedTemporaryFile
    >>> with NamedTemporaryFile("w", suffix=".tsv") as file:
    ...     _ = file.write("x\\ttan atan x\\nx\\tpow sqrt x 2\\n")
    ...     file.flush()
    ...     found = verify(Verify(Path(file.name)))
    >>> [row["verdict"] for row in found.results]
    ['equal', 'shrinks']
    """
    from engines.core.rows import read_lines, readable_file
    from engines.egen.theories.registry import theory_text
    from engines.mathematics.verification.verifier import JudgedLine, make_verifier

    pairs = None if isinstance(spec, Verify) else spec
    settings = spec if isinstance(spec, Verify) else Verify(Path("pairs"), theory=theory)
    name = theory_text(settings.theory)
    is_real = name == "reals"
    assumptions = read_assumptions(settings.assume if is_real else "")

    def make_line_verifier(head: Tree, member_terms: Sequence[Tree]) -> Any:
        return make_verifier(head, *member_terms, assumptions=assumptions, seed=settings.seed)

    in_theory = partial(_judge_in_theory, name=name, settings=settings)
    judge_lines = partial(_judge_reals, make_verifier=make_line_verifier) if is_real else in_theory
    bad: list[DataError] = []
    results, texts = StoredRows(), StoredRows()
    counts: Counter[str | None] = Counter()
    with readable_file(settings.file) if pairs is None else nullcontext(settings.file) as path:
        if pairs is None:
            lines = read_lines(path, on_bad=bad.append)
        else:
            lines = enumerate(
                (" ".join(left.split()) + "\t" + " ".join(right.split()) for left, right in pairs), 1
            )
        # Windows bound the memory, and are large enough for heads to be judged together.
        while (window := list(islice(lines, _WINDOW_LINES))) or bad:
            judged = [
                *judge_lines(window),
                *(JudgedLine(error.line or 0, "", "", error=error) for error in bad),
            ]
            bad.clear()
            # Judging groups lines by their heads, so the order of the file is restored.
            for item in sorted(judged, key=lambda item: item.line):
                row = _to_row(item)
                counts[row["verdict"]] += 1
                results.append(row)
                texts.append({"head": item.head, "member": item.member})
            if len(window) == _WINDOW_LINES:
                events(Event("progress", {"done": len(results), "total": None, "unit": "lines"}))
    if counts[None] == len(results):
        first = f"; line {results[0]['line']}: {results[0]['error']}" if results else ""
        raise DataError(
            f"none of {len(results):,} lines can be read{first}",
            path="standard input" if str(settings.file) == "-" else settings.file,
            remedy="Each line is: head, one tab, member.",
        )
    totals = {
        "lines": len(results),
        **{outcome: counts[outcome] for outcome in get_args(MemberOutcome)},
        "errors": counts[None],
    }
    return Verified(results, totals, texts, name)


def _judge_reals(lines: Iterable[tuple[int, str]], make_verifier: VerifierFactory) -> Iterator[JudgedLine]:
    """Yield the lines in prefix notation, then those read as infix or LaTeX; each as it is written."""
    from engines.mathematics.verification.verifier import verify_lines

    originals: dict[int, JudgedLine] = {}
    prefix_lines: list[tuple[int, str]] = []
    for item in verify_lines(lines, make_line_verifier=make_verifier):
        if item.error is None or not item.member:
            yield item
            continue
        try:
            sides = [to_prefix(read_expression(text, letters=LETTERS)) for text in (item.head, item.member)]
        except ExpressionError as error:
            yield item._replace(error=error)
            continue
        originals[item.line] = item
        prefix_lines.append((item.line, "\t".join(sides)))
    for item in verify_lines(prefix_lines, make_line_verifier=make_verifier):
        yield item._replace(head=originals[item.line].head, member=originals[item.line].member)


def _judge_in_theory(lines: Iterable[tuple[int, str]], name: str, settings: Verify) -> Iterator[JudgedLine]:
    """Judge each line's two terms in another theory; yield each with its verdict or error."""
    from engines.egen.theories.registry import theory_of
    from engines.mathematics.verification.verifier import JudgedLine

    read = partial(theory_of(name, settings.assume).read_term, head=False)
    for number, line in lines:
        head, tab, member = line.strip("\r\n").partition("\t")
        if not line.strip():
            continue
        try:
            if not tab or "\t" in member.strip():
                what = "the line has more than one tab" if tab else "the line has no tab"
                raise ExpressionError(what, text=line, remedy="Write: head, one tab, member.")
            left, right = read(head), read(member)
            theory = theory_of(name, settings.assume, left, right)
            (verdict,) = theory.make_judge(left, seed=settings.seed).judge_members([right])
        except ExpressionError as error:
            yield JudgedLine(number, head, member, error=error)
            continue
        yield JudgedLine(number, head, member, verdict)


def verification_document(verified: Verified) -> dict[str, Any]:
    """Return the results as the JSON document of the command."""
    return {"results": verified.results, "totals": verified.totals}


def explain(spec: Explain) -> dict[str, Any]:
    """Return the case for a verdict; see `engines.mathematics.verification.explain.explain`.

    >>> explain(Explain("x", "sqrt(x^2)"))["verdict"]["verdict"]
    'different'
    """
    from engines.mathematics.verification.explain import explain as explain_case

    head, member = read_head(spec.head, letters=LETTERS), read_expression(spec.member, letters=LETTERS)
    result = explain_case(head, member, assumptions=read_assumptions(spec.assume), seed=spec.seed)
    said = f"{spec.member} beside {spec.head}: {result['verdict']['verdict']}, {result['because']}"
    return Shown(result, "points", ("x", "head", "member", "why"), title=said)


def plot_curve(spec: PlotCurve) -> dict[str, Any]:
    """Return values for a plot; see `engines.mathematics.verification.explain.sample_curve`."""
    from engines.mathematics.verification.explain import sample_curve as values

    return values(
        [read_expression(text, letters=LETTERS) for text in spec.exprs],
        spec.low,
        spec.high,
        spec.count,
        over=_spell_variable(spec.over),
        at={_spell_variable(name): value for name, value in spec.at.items()},
        assumptions=read_assumptions(spec.assume),
    )


def _spell_variable(text: str) -> str:
    """Return a variable as expressions have it: `λ_1` for `lambda_1`."""
    tree = read_expression(text, letters=LETTERS)
    return text if tree.children else tree.label


def _to_row(item: JudgedLine) -> dict[str, Any]:
    from engines.mathematics.verification.verdicts import verdict_row

    if item.verdict is None:
        assert item.error is not None
        return {
            "line": item.line,
            "verdict": None,
            "kept": None,
            "counterexample": None,
            "error": item.error.what,
        }
    return {"line": item.line, **verdict_row(item.verdict)}
