r"""How well answers are graded, and how fast.

    .venv/bin/python -m benchmarks.grade DATA CLUSTERS

DATA holds `answer_pairs.jsonl` (gold, pred and equal: expectations of Math-Verify's tests),
`math_solutions.jsonl.gz` (solution and answer of Hendrycks' MATH) and `gsm8k_test_half.jsonl.gz`; CLUSTERS
are clusters of E-Gen. Measured are:

- the expectations that are met, each other one listed;
- answers of MATH against five other spellings of themselves, made here;
- answers of MATH, and members of E-Gen, against themselves with one number, sign or function changed: none
  may be accepted;
- answers found in the solutions of MATH and GSM8K;
- pairs a second: final answers of MATH spelt otherwise and changed, on one core.

Prints the tables of `docs/measurements/grade.md`.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks._record import Record, json_rows, parser_of, put_into, table
from engines.core.errors import ExpressionError
from engines.core.expression_language import read_prefix
from engines.grading.grades import grade
from engines.mathematics.numbers.numeric import compile_many, evaluate
from engines.mathematics.terms.notation import to_latex

PAGE = Path(__file__).resolve().parents[1] / "docs" / "measurements" / "grade.md"
CHANGED = 10_000

_FRACTION = re.compile(r"\\[dt]?frac\s*(?:\{([^{}]*)\}|(\d))\s*(?:\{([^{}]*)\}|(\d))")
_SIMPLE = re.compile(r"\d+|[a-z]|\\pi")


# ---- other spellings


def _fraction(form: str) -> Callable[[re.Match[str]], str]:
    def written(found: re.Match[str]) -> str:
        above, below = found[1] or found[2], found[3] or found[4]
        if form == "slash":
            plain = _SIMPLE.fullmatch(above) and _SIMPLE.fullmatch(below)
            return f"{above}/{below}" if plain else f"({above})/({below})"
        if form == "short" and re.fullmatch(r"\d", above) and re.fullmatch(r"\d", below):
            return f"\\frac{above}{below}"
        return f"\\dfrac{{{above}}}{{{below}}}"

    return written


def _slash(text: str) -> str:
    whole = _FRACTION.fullmatch(text.strip().lstrip("-"))
    # a/b would join what stands next to it.
    if whole is None or "\\" in re.sub(r"\\pi", "", text[1:].replace("frac", "", 1).replace("\\", "", 1)):
        return _FRACTION.sub(_fraction("long"), text)
    return _FRACTION.sub(_fraction("slash"), text)


def _spaced(text: str) -> str:
    parts = re.split(r"(\\(?:text|mbox|begin|end)\s*\{[^{}]*\}|\\[A-Za-z]+|\d[\d,.{}!\\]*\d)", text)
    for place in range(0, len(parts), 2):
        parts[place] = re.sub(r"([-+=,])", r" \1 ", parts[place])
    return "  " + "".join(parts) + " "


def _braced(text: str) -> str:
    """The other dress: `\\left`, sizes, display style, dollar signs."""
    text = text.replace("\\left", "").replace("\\right", "")
    if text.count("(") == text.count(")") and "\\text" not in text:
        text = text.replace("(", "\\left(").replace(")", "\\right)")
    return f"$\\displaystyle {text}$"


def _decimal(text: str) -> str:
    match = re.fullmatch(r"(-?)\\[dt]?frac\{(\d+)\}\{(\d+)\}", text)
    if match:
        quotient = int(match[2]) / int(match[3])
        short = f"{quotient:.6f}".rstrip("0")
        if int(match[2]) * 10**6 % int(match[3]) == 0:
            return match[1] + short.rstrip(".")
        return f"{match[1]}\\frac{{{2 * int(match[2])}}}{{{2 * int(match[3])}}}"
    if re.fullmatch(r"-?\d+", text):
        return f"{text}.0" if len(text) % 2 else f"x = {text}"
    return f"\\boxed{{{text}}}"


def _reordered(text: str) -> str:
    """Sums, products with a root or π, and lists in another order; whole numbers in a sentence."""
    if re.fullmatch(r"-?\d+", text):
        return f"The final answer is ${text}$."
    if re.fullmatch(r"[^()\[\]{}]*,[^()\[\]{}]*", text) and not re.search(r"\\[,!]|\d,\d{3}|text", text):
        return ", ".join(reversed([part.strip() for part in text.split(",")]))
    match = re.fullmatch(r"([^-+()=<>,\\]*)\s*(\\sqrt\{?\d+\}?|\\pi)", text)
    if match and match[1].strip():
        return f"{match[2]} \\cdot {match[1]}"
    match = re.fullmatch(r"([^-+()=<>,&]+)\+([^-+()=<>,&]+)", text)
    even = match and all(one.count("{") == one.count("}") for one in (text, match[1]))
    if match and even and "text" not in text:
        return f"{match[2]} + {match[1]}"
    return f"Therefore the answer is \\boxed{{{text}}}."


SPELLINGS: dict[str, Callable[[str], str]] = {
    "fractions as `\\dfrac` or a/b": _slash,
    "spaces": _spaced,
    "`\\left`, `\\displaystyle`, dollar signs": _braced,
    "decimals, expanded fractions, `x =`, boxes": _decimal,
    "order of terms, factors, members; sentences": _reordered,
}


# ---- one thing changed

_NUMBER = re.compile(r"(?<![\d.])\d+(?![\d.])")
_FUNCTIONS = {"sin": "cos", "cos": "sin", "sqrt": "", "pi": "e", "tan": "cot", "cot": "tan", "ln": "cos"}


def changed(answer: str, chance: random.Random) -> str | None:
    """The answer with one number, sign or function changed; None where there is nothing to change."""
    places: list[tuple[int, int, str]] = []
    for found in _NUMBER.finditer(answer):
        number = int(found[0])
        other = number + chance.choice([1, 1, 2, 10]) if chance.random() < 0.7 else max(0, number - 1)
        if other != number:
            places.append((*found.span(), str(other)))
    for found in re.finditer(r"(?<![{(^,=])\s?([-+])(?=\s*[\d\\a-z])", answer):
        places.append((*found.span(1), "+" if found[1] == "-" else "-"))
    if re.match(r"[1-9]|\\d?frac|\\sqrt", answer):
        places.append((0, 0, "-"))
    for found in re.finditer(r"\\(sin|cos|tan|cot|pi)(?![a-z])", answer):
        places.append((*found.span(1), _FUNCTIONS[found[1]]))
    if not places:
        return None
    start, end, instead = chance.choice(places)
    if instead == "e":
        return answer[: start - 1] + "e" + answer[end:]
    return answer[:start] + instead + answer[end:]


# ---- measuring


def expectations(rows: list[dict[str, Any]]) -> tuple[list[int], list[dict[str, Any]]]:
    """How many pairs are graded as expected, and the others."""
    others = []
    for row in rows:
        result = grade(row["gold"], row["pred"])
        if result.accepted != row["equal"]:
            others.append({"expected": row["equal"], **asdict(result)})
    return [len(rows) - len(others), len(rows)], others


def spellings(answers: list[str]) -> tuple[dict[str, list[int]], list[dict[str, str]]]:
    """Of each spelling how many answers equal themselves, and those that do not."""
    counts, others = {}, []
    for name, write in SPELLINGS.items():
        found = [grade(answer, write(answer)) for answer in answers]
        counts[name] = [sum(one.accepted for one in found), len(found)]
        others += [asdict(one) for one in found if not one.accepted]
    return counts, others


def changes(answers: list[str], wanted: int) -> tuple[dict[str, int], list[list[str]]]:
    """Verdicts on changed answers, and those that were accepted."""
    chance = random.Random(1)
    counts: Counter[str] = Counter()
    accepted = []
    while counts.total() < wanted:
        answer = chance.choice(answers)
        other = changed(answer, chance)
        if other is None or other == answer:
            continue
        result = grade(answer, other)
        counts[result.verdict] += 1
        if result.accepted:
            accepted.append([answer, other])
    return dict(counts), accepted


def _pairs(path: Path) -> list[tuple[str, str]]:
    """Heads with each of their members, in prefix notation; without those that are no expression today."""
    result = []
    for row in json_rows(path):
        with suppress(ExpressionError):
            read_prefix(row["head"])
            result += [(row["head"], text) for text in row["exprs"]]
    return result


def _changed_term(prefix: str, chance: random.Random) -> str | None:
    """A term with one number, sign or function changed; None where that leaves its values as they were.

    The values are plain floating-point numbers, which the verdicts do not rest on.
    """
    tokens = prefix.split()
    places = [place for place, token in enumerate(tokens) if token.isdigit() or token in _TOKENS]
    if not places:
        return None
    place = chance.choice(places)
    token = tokens[place]
    tokens[place] = _TOKENS.get(token) or str(int(token) + chance.choice([-1, 1, 2]))
    with suppress(ExpressionError):
        trees = [read_prefix(prefix), read_prefix(" ".join(tokens))]
        result = evaluate(compile_many(trees), [0.31, -0.77, 1.43, 2.6, -3.9, 7.2])
        one, other = result.values
        # NaN, where one of them has no value, differs from nothing.
        if (abs(one - other) > 1e-9 * (1 + abs(one))).any():
            return " ".join(tokens)
    return None


_TOKENS = {
    "+": "-",
    "-": "+",
    "*": "/",
    "sin": "cos",
    "cos": "sin",
    "tan": "sin",
    "ln": "sqrt",
    "sqrt": "sin",
}


def _written(*terms: str) -> tuple[str, ...]:
    return tuple(to_latex(read_prefix(term)) for term in terms)


def members(
    clusters: list[tuple[str, str]], wanted: int
) -> tuple[list[int], dict[str, int], list[list[str]]]:
    """Members of clusters against their heads, and changed ones against themselves."""
    chance = random.Random(3)
    equal: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    accepted = []
    while counts.total() < wanted:
        head, member = chance.choice(clusters)
        other = _changed_term(member, chance)
        if other is None:
            continue
        one, whole, changed_one = _written(head, member, other)
        equal[grade(one, whole).verdict] += 1
        result = grade(whole, changed_one)
        counts[result.verdict] += 1
        if result.accepted:
            accepted.append([whole, changed_one])
    return [equal["equal"] + equal["equal if"], equal.total()], dict(counts), accepted


def solutions(
    rows: Iterable[dict[str, Any]], answer: Callable[[dict[str, Any]], str], text: str
) -> list[int]:
    """How many solutions are graded equal to their answer."""
    found = [grade(answer(row), row[text]).accepted for row in rows]
    return [sum(found), len(found)]


def speed_pairs(answers: list[str]) -> list[tuple[str, str]]:
    """800 answers spelt otherwise, 800 changed."""
    chance = random.Random(2)
    pairs = [(f"${one}$", f"The answer is $\\displaystyle {one}$.") for one in chance.sample(answers, 800)]
    while len(pairs) < 1_600:
        one = chance.choice(answers)
        other = changed(one, chance)
        if other and other != one:
            pairs.append((f"${one}$", f"${other}$"))
    return pairs


def function_pairs(clusters: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """240 pairs of terms: a member with its head, then a member with itself changed, and so on."""
    chance = random.Random(4)
    pairs: list[tuple[str, ...]] = []
    while len(pairs) < 240:
        head, member = chance.choice(clusters)
        other = _changed_term(member, chance)
        if other is not None:
            pairs += [_written(head, member), _written(member, other)]
    return [(f"${one}$", f"${other}$") for one, other in pairs]


def per_second(pairs: list[tuple[str, str]], judged: Callable[[str, str], Any]) -> float:
    """Pairs a second on one core, after everything is loaded."""
    judged("$x+1$", "$1+x$")
    begin = time.perf_counter()
    for gold, pred in pairs:
        judged(gold, pred)
    return len(pairs) / (time.perf_counter() - begin)


def math_verify() -> Callable[[str, str], Any] | None:
    """Math-Verify's judgement, where it is installed."""
    try:
        math_verify = import_module("math_verify")
    except ModuleNotFoundError:
        return None
    return lambda gold, pred: math_verify.verify(math_verify.parse(gold), math_verify.parse(pred))


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("data", type=Path, help="the folder of the three files")
    parser.add_argument("clusters", type=Path, help="clusters of E-Gen: lines with head and exprs")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    args = parser.parse_args()
    pairs, maths, gsm = (
        args.data / name
        for name in ("answer_pairs.jsonl", "math_solutions.jsonl.gz", "gsm8k_test_half.jsonl.gz")
    )
    record = Record("grade", args.out, pairs=pairs, maths=maths, gsm=gsm, clusters=args.clusters)
    rows, clusters = list(json_rows(maths)), _pairs(args.clusters)
    answers = [row["answer"] for row in rows]
    figures: dict[str, Any] = {}
    figures["expected"], figures["otherwise"] = expectations(list(json_rows(pairs)))
    figures["spellings"], figures["not_read"] = spellings(answers)
    figures["changed"], figures["accepted"] = changes(answers, CHANGED)
    figures["members"], figures["changed_members"], figures["accepted_members"] = members(clusters, 2_000)
    figures["math"] = solutions(rows, lambda row: row["answer"], "solution")
    figures["gsm8k"] = solutions(json_rows(gsm), lambda row: row["answer"].rpartition("####")[2], "answer")
    measured = {"mathwb": grade, "Math-Verify": math_verify()}
    kinds = {"answers": speed_pairs(answers), "functions": function_pairs(clusters)}
    figures["per_second"] = {
        name: {kind: round(per_second(some, judged)) for kind, some in kinds.items()}
        for name, judged in measured.items()
        if judged is not None
    }
    record.write(figures)
    text = "\n".join(_tables(figures))
    print(text)
    if args.write:
        put_into(PAGE, text, "grading")


def _tables(figures: dict[str, Any]) -> Iterator[str]:
    changed, others = figures["changed"], figures["changed_members"]
    yield from table(
        ["what", "accepted", "of"],
        [
            ["as Math-Verify's tests expect", *_shown(figures["expected"])],
            *([f"answers of MATH: {name}", *_shown(found)] for name, found in figures["spellings"].items()),
            ["answers of MATH, one thing changed", *_shown([changed.get("equal", 0), sum(changed.values())])],
            ["members of E-Gen with their heads", *_shown(figures["members"])],
            ["members of E-Gen, one thing changed", *_shown([others.get("equal", 0), sum(others.values())])],
            ["solutions of MATH", *_shown(figures["math"])],
            ["solutions of GSM8K", *_shown(figures["gsm8k"])],
        ],
    )
    yield from table(
        ["pairs a second", "final answers", "with functions"],
        [[name, *(f"{each:,}" for each in found.values())] for name, found in figures["per_second"].items()],
    )


def _shown(counts: list[int]) -> tuple[str, str]:
    return f"{counts[0]:,}", f"{counts[1]:,}"


if __name__ == "__main__":
    main()
