r"""How well the mistakes of whole books and courses are found, and how often what is right is called wrong.

    .venv/bin/python -m benchmarks.proofread_texts FOLDER ...

Each FOLDER is a project: LaTeX, Markdown and notebooks, as `mathwb proofread FOLDER` takes them. Measured
are:

- the links by verdict, how many *follow* from what stands more than 60 lines away, how many a second of
  processor time, and the slowest document;
- alarms: the links that are called wrong in the texts as they are, written to `--alarms FILE` with the words
  around them, to be read by hand. Those that a reader found to be mistakes of the text are in
  `proofread_texts.tsv` and are counted apart. Doubtful links are written there too, and are no alarms;
- planted errors: in a side of so many links that were *right*, and of so many that *follow*, one sign or
  digit is changed, drawn by the seed, at most one within 60 lines. It is found when a link within three lines
  is newly called wrong or said to lose domain, and doubted when one is newly called doubtful. It is named
  when the changed link itself is not right and does not follow any more, so that a reader who looks at what
  is not shown sees it. Changes that leave their link right, as that of `a - 0`, are no errors and are not
  counted. `--misses FILE` gets those that are not found, with the row as it was and is, and the verdicts
  before and after.
"""

from __future__ import annotations

import csv
import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks._record import Record, parser_of, table
from engines.documents.folder import read_project
from engines.documents.reading import Document
from engines.mathematics.judging import judge as new_judge
from engines.proofreading.chains import iterate_chains
from engines.proofreading.document_judge import proofread_document
from engines.proofreading.link_verdicts import VERDICTS, LinkVerdict

READ = Path(__file__).with_name("proofread_texts.tsv")
_APART = 60
_NEAR = 3
_ALARMS = ("wrong", "loses domain")
_DOUBTS = ("doubtful",)
_PLACE = re.compile(r"(?<![\d.\\])\d|(?<=[\w)}\]\s])[+\-](?=[\s\w\\({])")
_COMMAND = re.compile(
    r"\\(?:begin|end|[hv]space|tag|label|ref|eqref|text|mbox)\*?\s*\{[^{}]*\}(?:\{[^{}]*\})?"
)
_CITED = re.compile(r"\(line (\d+)\)")


@dataclass(frozen=True, slots=True)
class Text:
    """A document of a project, by its place in it."""

    path: str
    document: Document


def read_texts(folder: Path) -> Iterator[Text]:
    for path, document in read_project(folder, lambda _: None):
        yield Text(f"{folder.name}/{path.relative_to(folder)}", document)


def _write_link(judged: LinkVerdict) -> tuple[str, str, str]:
    return judged.link.left, judged.link.relation, judged.link.right


def is_far(judged: LinkVerdict) -> bool:
    lines = [int(line) for line in _CITED.findall(judged.reason)]
    return judged.outcome == "follows" and any(judged.link.line - line > _APART for line in lines)


@dataclass(frozen=True, slots=True)
class PlantedError:
    """A mistake put into a text.

    Attributes: text: the index of the text. judged: the link as it was. document: the text with the mistake.
    was, now: the row of the formula that it is in, before and after.
    """

    text: int
    judged: LinkVerdict
    document: Document
    was: str = ""
    now: str = ""


def plant_error(
    at_text: int, document: Document, judged: LinkVerdict, source: random.Random
) -> PlantedError | None:
    """One digit or sign of a side of a link of a document changed; None where none can be."""
    link = judged.link
    for at, piece in enumerate(document.pieces):
        last = piece.line + piece.text.count("\n")
        if not piece.formula or not piece.line <= link.line <= last:
            continue
        sides = [side for side in (link.left, link.right) if len(side) > 1 and piece.text.count(side) == 1]
        for side in source.sample(sides, len(sides)):
            begun = piece.text.find(side)
            omitted = [one.span() for one in _COMMAND.finditer(piece.text)]
            places = [
                found
                for found in _PLACE.finditer(piece.text, begun, begun + len(side))
                if not any(start <= found.start() < end for start, end in omitted)
            ]
            for found in source.sample(places, len(places)):
                old = found[0]
                new = {"+": "-", "-": "+"}.get(old) or source.choice([d for d in "123456789" if d != old])
                text = piece.text[: found.start()] + new + piece.text[found.end() :]
                changed = replace(piece, text=text)
                one, other = (_write_chains(Document("", (each,))) for each in (piece, changed))
                if len(one) == len(other) and one != other:
                    pieces = (*document.pieces[:at], changed, *document.pieces[at + 1 :])
                    begin = piece.text.rfind("\n", 0, found.start()) + 1
                    rows = (whole[begin:].partition("\n")[0].strip() for whole in (piece.text, text))
                    return PlantedError(at_text, judged, replace(document, pieces=pieces), *rows)
    return None


def _write_chains(document: Document) -> list[tuple[str, str, str]]:
    return [(link.left, link.relation, link.right) for chain in iterate_chains(document) for link in chain]


def plant_errors(
    texts: Sequence[Text], judged: Sequence[Sequence[LinkVerdict]], number: int, seed: int
) -> list[PlantedError]:
    """The errors that texts get, each with the text as it is with those before."""
    source = random.Random(seed)
    changed: dict[int, Document] = {}
    planted: list[PlantedError] = []
    for verdict in ("right", "follows"):
        pool = [(at, one) for at, links in enumerate(judged) for one in links if one.outcome == verdict]
        source.shuffle(pool)
        count = 0
        for at, one in pool:
            if count == number:
                break
            lines = (each.judged.link.line for each in planted if each.text == at)
            if any(abs(one.link.line - line) < _APART for line in lines):
                continue
            if (result := plant_error(at, changed.get(at, texts[at].document), one, source)) is not None:
                changed[at] = result.document
                planted.append(result)
                count += 1
    return planted


def find_planted(
    before: Sequence[LinkVerdict],
    after: Sequence[LinkVerdict],
    line: int,
    outcomes: Sequence[str] = _ALARMS,
) -> list[LinkVerdict]:
    """The alarms, or links of other verdicts, near a line that were not there before."""
    known = {_write_link(one) for one in before if one.outcome in outcomes}
    return [
        one
        for one in after
        if one.outcome in outcomes and abs(one.link.line - line) <= _NEAR and _write_link(one) not in known
    ]


def list_changed(before: Sequence[LinkVerdict], after: Sequence[LinkVerdict], line: int) -> list[LinkVerdict]:
    """The links near a line that were not there before."""
    known = {_write_link(one) for one in before if abs(one.link.line - line) <= _NEAR}
    return [one for one in after if abs(one.link.line - line) <= _NEAR and _write_link(one) not in known]


def write_alarms(path: Path, rows: Sequence[tuple[str, LinkVerdict]]) -> None:
    with path.open("w", encoding="utf-8") as file:
        for place, one in rows:
            link = one.link
            formula = " ".join(f"{link.left} {link.relation} {link.right}".split())
            file.write(f"{place}:{link.line}\t{one.outcome}\t{formula}\t{one.reason}\n")
            file.write(f"    … {link.words_before[-200:]} ⟨⟩ {link.words_after[:80]}\n")


def write_misses(path: Path, missed: Sequence[tuple[str, PlantedError, Sequence[LinkVerdict]]]) -> None:
    """Each error that was not found: the row as it was and is, and the verdicts on its links."""
    with path.open("w", encoding="utf-8") as file:
        for place, one, now in missed:
            file.write(f"{place}:{one.judged.link.line}\n    {one.was}\n    {one.now}\n")
            for when, each in (("was", one.judged), *(("is", each) for each in now)):
                formula = " ".join(" ".join(_write_link(each)).split())
                file.write(f"    {when} {each.outcome}: {formula}\t{each.reason}\n")
            file.write(f"    … {one.judged.link.words_before[-200:]} ⟨⟩ {one.judged.link.words_after[:80]}\n")


def measure(
    texts: Sequence[Text], number: int, seed: int
) -> tuple[
    dict[str, Any],
    list[tuple[str, LinkVerdict]],
    list[tuple[str, PlantedError, Sequence[LinkVerdict]]],
]:
    arbiter = new_judge()
    judged: list[list[LinkVerdict]] = []
    took: list[float] = []
    for text in texts:
        began = time.process_time()
        judged.append(proofread_document(text.document, arbiter))
        took.append(time.process_time() - began)
    every = [(text.path, one) for text, links in zip(texts, judged, strict=True) for one in links]
    counts = Counter(one.outcome for _, one in every)
    alarms = [(path, one) for path, one in every if one.outcome in _ALARMS]
    doubts = [(path, one) for path, one in every if one.outcome in _DOUBTS]
    with READ.open(encoding="utf-8", newline="") as file:
        mistakes = {(row["file"], row["formula"]) for row in csv.DictReader(file, delimiter="\t")}
    real = [
        (path, one)
        for path, one in alarms
        if (path, " ".join(f"{one.link.left} {one.link.relation} {one.link.right}".split())) in mistakes
    ]
    planted = plant_errors(texts, judged, number, seed)
    changed = {one.text: one.document for one in planted}
    after = {at: proofread_document(document, arbiter) for at, document in changed.items()}
    harmless, found, doubted, named = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    missed: list[tuple[str, PlantedError, Sequence[LinkVerdict]]] = []
    for error in planted:
        before, now, one = judged[error.text], after[error.text], error.judged
        changed_links = list_changed(before, now, one.link.line)
        if changed_links and all(each.outcome == "right" for each in changed_links):
            harmless[one.outcome] += 1
            continue
        named[one.outcome] += any(each.outcome not in ("right", "follows", "given") for each in changed_links)
        if find_planted(before, now, one.link.line):
            found[one.outcome] += 1
        else:
            doubted[one.outcome] += bool(find_planted(before, now, one.link.line, _DOUBTS))
            missed.append((texts[error.text].path, error, changed_links))
    counted = Counter[str](error.judged.outcome for error in planted)
    counted -= harmless
    slowest = max(zip(took, texts, strict=True), key=lambda each: each[0])
    return (
        {
            "documents": len(texts),
            "links": len(every),
            "verdicts": {verdict: counts[verdict] for verdict in VERDICTS},
            "far": sum(is_far(one) for _, one in every),
            "alarms": len(alarms),
            "mistakes_of_the_texts": len(real),
            "false_per_1000": round(1000 * (len(alarms) - len(real)) / max(1, len(every)), 2),
            "doubtful_per_1000": round(1000 * len(doubts) / max(1, len(every)), 2),
            "planted": dict(counted),
            "harmless": dict(harmless),
            "found": dict(found),
            "doubted": dict(doubted),
            "named": dict(named),
            "missed": [
                f"{place}:{one.judged.link.line} was {one.judged.outcome}: {one.was} now {one.now}"
                for place, one, _ in missed
            ],
            "links_per_cpu_s": round(len(every) / max(sum(took), 1e-9), 1),
            "slowest_document_s": round(slowest[0], 2),
            "slowest_document": slowest[1].path,
        },
        [*alarms, *doubts],
        missed,
    )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--plant", type=int, default=100, metavar="N", help="errors in links of each kind")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth document")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--alarms", type=Path, metavar="FILE")
    parser.add_argument("--misses", type=Path, metavar="FILE", help="the planted errors that are not found")
    arguments = parser.parse_args()
    folders = [folder.name for folder in arguments.folders]
    asked = {"folders": folders, "plant": arguments.plant, "every": arguments.every, "seed": arguments.seed}
    record = Record("proofread_texts", arguments.out, **asked)
    texts = [
        text
        for folder in arguments.folders
        for text in islice(read_texts(folder), arguments.seed % arguments.every, None, arguments.every)
    ]
    figures, alarms, missed = measure(texts, arguments.plant, arguments.seed)
    if arguments.alarms is not None:
        write_alarms(arguments.alarms, alarms)
    if arguments.misses is not None:
        write_misses(arguments.misses, missed)
    record.write(figures)
    print(json.dumps(figures, indent=2, ensure_ascii=False))
    rows = [
        ("links", f"{figures['links']:,}"),
        *((f"… {verdict}", f"{count:,}") for verdict, count in figures["verdicts"].items()),
        ("*follows* from more than 60 lines away", f"{figures['far']:,}"),
        ("alarms", str(figures["alarms"])),
        ("… that are mistakes of the text", str(figures["mistakes_of_the_texts"])),
        ("others, of 1,000 links", str(figures["false_per_1000"])),
        ("doubtful, of 1,000 links", str(figures["doubtful_per_1000"])),
        *(
            (f"planted in what was *{kind}*: found", f"{figures['found'].get(kind, 0)} of {count}")
            for kind, count in figures["planted"].items()
        ),
        *(
            ("… : not found, but doubtful", f"{figures['doubted'].get(kind, 0)} of {count}")
            for kind, count in figures["planted"].items()
        ),
        *(
            (
                "… : found, or no longer right to a reader of all verdicts",
                f"{figures['named'].get(kind, 0)} of {count}",
            )
            for kind, count in figures["planted"].items()
        ),
        ("links a second of processor time", str(figures["links_per_cpu_s"])),
        ("slowest document, s", str(figures["slowest_document_s"])),
    ]
    print("\n".join(table(("", "all"), rows)))


if __name__ == "__main__":
    main()
