r"""How well the mistakes of worked solutions are found, and how fast.

    .venv/bin/python -m benchmarks.proofread SOLUTIONS

SOLUTIONS is `math_solutions.jsonl.gz` (`id`, `problem` and `solution` of Hendrycks' MATH, written by people
and nearly all right). Those of odd and of even numbers stand apart. Measured are, on one core:

- the share of the claims (links that are not given) that are right, right if a hypothesis holds, or follow;
- the solutions with a link called wrong, each by its id, with what the slip is where the source has one;
- solutions a second of processor time;
- mutations: in a random sample of the solutions one number, sign or operator in a chain is changed, drawn
  uniformly from all such places. A hit is a link newly called wrong that is the changed one or beside it.
  Some changes are no mistakes: of a value that only the problem's words give, of an example. So those are
  counted apart where the rest of the text proves the changed link false, by mpmath and nothing of the
  proofreader's.

Prints the table of `docs/measurements/proofread.md` and puts it there.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks._provable import Said, is_provable
from benchmarks._record import Record, parser_of, put_into, table
from engines.documents.reading import Document, read_documents
from engines.formula.document_names import names_of
from engines.formula.meaning import read
from engines.mathematics.judging import judge as new_judge
from engines.mathematics.judging.judge import Judge
from engines.proofreading.document_judge import proofread_document
from engines.proofreading.link_verdicts import VERDICTS, LinkVerdict
from workbench.cli.launcher import look_rarely_for_garbage

PAGE = Path(__file__).resolve().parents[1] / "docs" / "measurements" / "proofread.md"
_PLACE = re.compile(r"(?<![\d.])\d+(?![\d.])|\d+\.\d+|[+\-]|\\(?:cdot|times|div)(?![A-Za-z])")
_COMMAND = re.compile(
    r"\\(?:begin|end|hspace|vspace|tag|label)\*?\s*\{[^{}]*\}(?:\{[^{}]*\})?|\\\\\[[^\]]*\]"
)
SLIPS = {
    "math-909": "the discriminant of y^2 - 4y - 1 has - 4, not + 4",
    "math-1482": "an equals sign is missing between 51!/(49! 2!) and the next fraction",
    "math-2203": "r_1 is 2/4, not 4/2",
    "math-2317": "25 * 4 + 5 * 4 + 4 is 124",
    "math-2381": "a_6 is 2 a_5 - a_4, and the factor 2 is missing",
    "math-2462": "P(1) is 1 - 2 - 5",
    "math-2468": "log_9 4 is meant by log_4 9",
    "math-2735": "64x^3 is to be 64x^6, as the problem has it",
    "math-2559": "L_1 is 1, and L_2 is 3",
    "math-2677": "the product above has a factor too many",
    "math-2939": "(n - 17!) is meant to be (n - 17)!",
    "math-2686": "9! is 362880",
    "math-3060": "+ 11 is missing in two lines",
    "math-953": "4^(3^(1/3)) is meant to be (4^3)^(1/3)",
    "math-1141": "9(u - t) = 27 gives u - t = 3, not t - u",
    "math-2239": "a_3 has the factor 1 in a_6, not 2",
    "math-3131": "c - 2b is -13",
    "math-4781": "cis(-120°) is -1/2 - sqrt(3)/2 i",
    "math-2198": "the equation above is a^2 = 1",
    "math-2208": "15/4 z is meant to be 15/4 x",
    "math-2764": "the coefficient of x^3 is b - 3a, not its opposite",
    "math-2618": "x^2 + x - 2 is (x - 1)(x + 2)",
    "math-2778": "6c^2 is meant to be 36c^2",
    "math-2800": "a^2 b is 4b, not 4a",
    "math-2984": "- A is meant to be + A",
    "math-3133": "a sum of cubes has - (20 - n)n",
    "math-4363": "51 9/10 is meant to be 51 9/20",
    "math-4494": "56y is meant to be 56xy",
}
"""Solutions that a reader found to be wrong there, with what is."""


def _written(found: Sequence[LinkVerdict]) -> list[tuple[str, str, str]]:
    return [(each.link.left, each.link.relation, each.link.right) for each in found]


def mutated(document: Document, judged: Sequence[LinkVerdict], source: random.Random) -> Document | None:
    """The document with one place changed; None where it has no chain with such a place."""
    places = []
    for at, piece in enumerate(document.pieces):
        if piece.formula and not piece.said:
            left_out = [found.span() for found in _COMMAND.finditer(piece.text)]
            places += [
                (at, found)
                for found in _PLACE.finditer(piece.text)
                if not any(begin <= found.start() < end for begin, end in left_out)
            ]
    source.shuffle(places)
    before = _written(judged)
    for at, found in places:
        old = found[0]
        if old[0].isdigit():
            whole, dot, digits = old.partition(".")
            new = f"{whole}{dot}{(int(digits) + 1) % 10 ** len(digits):0{len(digits)}}" if dot else ""
            new = new or str(max(0, int(old) + source.choice((-1, 1, 2))))
            new = new if new != old else str(int(old) + 1)
        else:
            new = {"+": "-", "-": "+"}.get(old, "+")
        piece = document.pieces[at]
        text = piece.text[: found.start()] + new + piece.text[found.end() :]
        pieces = (*document.pieces[:at], replace(piece, text=text), *document.pieces[at + 1 :])
        changed = replace(document, pieces=pieces)
        if _links(changed) != before:
            return changed
    return None


def _links(document: Document) -> list[tuple[str, str, str]]:
    from engines.proofreading.chains import iterate_chains

    return [(link.left, link.relation, link.right) for chain in iterate_chains(document) for link in chain]


def _said(document: Document) -> list[Said | None]:
    names = names_of(
        [piece.text for piece in document.pieces if piece.formula],
        " ".join(piece.text for piece in document.pieces if not piece.formula),
    )
    result: list[Said | None] = []
    for place, (left, relation, right) in enumerate(_links(document)):
        one, other = read(left, names).tree, read(right, names).tree
        result.append(None if one is None or other is None else Said(place, relation, one, other))
    return result


def provable(document: Document, changed: Document) -> bool:
    """Whether a link that was changed is false by the rest of the text."""
    before, after = _said(document), _said(changed)
    if len(before) != len(after):
        return False
    known = [each for each in before if each is not None]
    pairs = zip(_links(document), _links(changed), before, after, strict=True)
    return any(
        is_provable(was, now, known)
        for old, new, was, now in pairs
        if old != new and was is not None and now is not None
    )


def is_hit(before: Sequence[LinkVerdict], after: Sequence[LinkVerdict]) -> bool:
    """Whether a link at a change, or beside it, is newly called wrong."""
    old = {(one, each.outcome) for one, each in zip(_written(before), before, strict=True)}
    known = {one for one, _ in old}
    links = _written(after)
    changed = {at for at, one in enumerate(links) if one not in known}
    return any(
        each.outcome == "wrong" and (links[at], "wrong") not in old and changed & {at - 1, at, at + 1}
        for at, each in enumerate(after)
    )


def of_half(half: Sequence[Document], arbiter: Judge, sample: int, seed: int) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    wrong: dict[str, list[str]] = {}
    judged: dict[str, list[LinkVerdict]] = {}
    began = time.process_time()
    for document in half:
        result = judged[document.id] = proofread_document(document, arbiter)
        claims = [each for each in result if not each.link.of_problem]
        counts.update(each.outcome for each in claims)
        if said := [
            f"{each.link.left} {each.link.relation} {each.link.right} ({each.reason})"
            for each in claims
            if each.outcome == "wrong"
        ]:
            wrong[document.id] = said
    took = time.process_time() - began
    source = random.Random(seed)
    hits = tried = proved = found_of_proved = 0
    verdicts: Counter[str] = Counter()
    for document in source.sample(list(half), len(half)):
        if tried == sample:
            break
        before = judged[document.id]
        made = mutated(document, before, source)
        if made is None:
            continue
        after = proofread_document(made, arbiter)
        hit = is_hit(before, after)
        false = provable(document, made)
        proved += false
        found_of_proved += hit and false
        tried += 1
        hits += hit
        known = set(_written(before))
        if not hit:
            links = zip(after, _written(after), strict=True)
            verdicts.update({each.outcome for each, one in links if one not in known})
    claims_n = counts.total() - counts["given"]
    held = counts["right"] + counts["right if"] + counts["follows"]
    return {
        "solutions": len(half),
        "verdicts": {verdict: counts[verdict] for verdict in VERDICTS},
        "claims": claims_n,
        "shown": round(held / claims_n, 4),
        "wrong": wrong,
        "slips": {name: SLIPS[name] for name in wrong if name in SLIPS},
        "false_wrong": round(len(set(wrong) - set(SLIPS)) / len(half), 4),
        "per_cpu_s": round(len(half) / took, 1),
        "mutations": tried,
        "found": round(hits / tried, 4),
        "provable": proved,
        "found_of_provable": round(found_of_proved / proved, 4),
        "missed_as": dict(verdicts.most_common()),
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("solutions", type=Path)
    parser.add_argument("--sample", type=int, default=300, metavar="N", help="mutated solutions of a half")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    asked = {"sample": arguments.sample, "seed": arguments.seed}
    kept = Record("proofread", arguments.out, solutions=arguments.solutions, **asked)
    look_rarely_for_garbage()
    arbiter = new_judge()
    all_ = list(read_documents(arguments.solutions, on_bad=lambda _: None))
    figures = {}
    for name, odd in (("odd", 1), ("even", 0)):
        half = [each for each in all_ if int(each.id.rpartition("-")[2]) % 2 == odd]
        figures[name] = of_half(half, arbiter, arguments.sample, arguments.seed)
    kept.write(figures)
    print(json.dumps(figures, indent=2))
    told_of: tuple[tuple[str, Callable[[dict[str, Any]], str]], ...] = (
        ("solutions", lambda of: str(of["solutions"])),
        ("claims", lambda of: f"{of['claims']:,}"),
        ("… right, right if or following", lambda of: f"{of['shown']:.1%}"),
        ("… not read", lambda of: f"{of['verdicts']['unread'] / of['claims']:.1%}"),
        ("solutions with a wrong link", lambda of: str(len(of["wrong"]))),
        ("… that are slips of the source", lambda of: str(len(of["slips"]))),
        ("others, of all solutions", lambda of: f"{of['false_wrong']:.2%}"),
        ("one place changed: called wrong there", lambda of: f"{of['found']:.1%} of {of['mutations']}"),
        (
            "… where the text proves the change false",
            lambda of: f"{of['found_of_provable']:.1%} of {of['provable']}",
        ),
        ("solutions a second and core", lambda of: str(of["per_cpu_s"])),
    )
    rows = [(words, *(shown(figures[half]) for half in ("odd", "even"))) for words, shown in told_of]
    lines = table(("", "odd", "even"), rows)
    print("\n".join(lines))
    if arguments.out is None:
        put_into(PAGE, "\n".join(lines), "proofread")


if __name__ == "__main__":
    main()
