"""Where is the mistake: the verb `proofread`, and what it found as SARIF and as a page of HTML."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Sink, Stop, ignore, never, warn_of_lines
from engines.core.files import atomic_writer
from engines.core.shown import Shown
from engines.core.spec import Arg, specification
from engines.core.stored_rows import StoredRows
from engines.documents.reading import Document, of_row, read_documents, split_pieces

if TYPE_CHECKING:
    from engines.proofreading.links import LinkVerdict


@specification
class Proofread:
    """Find the mistakes in a document.

    Each link of a chain of relations gets a verdict: right, right if (a hypothesis holds), follows (from
    earlier statements), given, loses domain, wrong, not shown or unread. Exits with 1 if a link is wrong or
    loses domain, or a part cannot be read.
    """

    file: Annotated[
        Path, Arg("A .tex, .md, .ipynb, .html, .jsonl or .xml file, or a run with --posts.", inline=".md")
    ]
    posts: Annotated[Path | None, Arg("The posts that FILE, a run of ARQMath, ranks.")] = None
    only: Annotated[tuple[str, ...], Arg("Only the documents of these ids.", metavar="ID")] = ()
    sarif: Annotated[Path | None, Arg("Also write SARIF 2.1.0 for editors and CI.", writes=True)] = None
    html: Annotated[Path | None, Arg("Also write an HTML page with colours.", writes=True)] = None
    every: Annotated[bool, Arg("Show every link, not only those that need a look.")] = False


@dataclass(frozen=True, slots=True)
class CheckedLink:
    """A relation that a text states between two formulas, with its verdict: right, right if, follows, given,
    loses domain, wrong, not shown or unread, and why."""

    left: str
    relation: str
    right: str
    verdict: str
    reason: str = ""


class TextProofreader:
    """Finds the mistakes in single texts."""

    def __init__(self) -> None:
        from engines.mathematics.judging import judge

        self._judge = judge()

    def check_links(self, text: str, said: str = "") -> list[CheckedLink]:
        """Return the links of a text in their order. Args: said: a text whose statements hold, as that of the
        question which the text answers."""
        from engines.proofreading.links import proofread_document

        row = {"id": "", "problem": said, "solution": text}
        document = of_row(row, "solution", 1, lambda *_: None)
        return [
            CheckedLink(each.link.left, each.link.relation, each.link.right, each.outcome, each.reason)
            for each in proofread_document(document, self._judge)
            if not each.link.said
        ]


def proofread(spec: Proofread | str, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Judge every link of the chains of a file's documents, or of a text with formulas between dollar signs.

    >>> found = proofread("So $(a+b)^2 = a^2 + b^2$.")
    >>> [link["verdict"] for link in found["documents"][0]["links"]]
    ['wrong']

    Returns: `file`; `documents`: id, row (the line that it begins on in a file of several) and `links` with
    left, relation, right, line, reason and verdict; `counts` of the verdicts; `bad`: what could not be read,
    as line and what; `complete`, whether it was not stopped.
    """
    from engines.mathematics.judging import judge
    from engines.proofreading.links import MAX_FORMULAS, VERDICTS, proofread_document

    bad: list[DataError] = []
    arbiter = judge()
    found, ids = StoredRows(), set[str]()
    counts = Counter[str]()
    complete = True
    if isinstance(spec, str):
        text, spec = spec, Proofread(Path("text"))

        def report_unended(line: int, what: str) -> None:
            bad.append(DataError(what, path="text", line=line, remedy="Close the formula."))

        read: Iterable[Document] = [Document("text", tuple(split_pieces(text, report_unended)))]
    else:
        read = read_documents(spec.file, spec.posts, on_bad=bad.append)
    wanted = set(spec.only)
    for document in read:
        if stop():
            complete = False
            break
        if wanted and document.id not in wanted:
            continue
        if sum(piece.formula for piece in document.pieces) > MAX_FORMULAS:
            what = (
                f"what letters mean is told by the first {MAX_FORMULAS:,} formulas of document {document.id}"
            )
            remedy = "Split it into several."
            bad.append(DataError(what, path=spec.file, line=document.row or 1, remedy=remedy))
        links = [_to_row(each) for each in proofread_document(document, arbiter) if not each.link.said]
        counts.update(link["verdict"] for link in links)
        found.append({"id": document.id, "row": document.row, "links": links})
        ids.add(document.id if wanted else "")
    if wanted and complete and (missing := wanted - ids):
        what = f"no document has the id {sorted(missing)[0]}"
        raise DataError(what, path=spec.file, remedy="Check --only.")
    if not found and complete:
        remedy = "Check that it is whole."
        empty = DataError("the file has no documents", path=spec.file, code="E317", remedy=remedy)
        raise bad[0] if bad else empty
    warn_of_lines(events, spec.file, ((each.line, each.what) for each in bad))
    result: dict[str, Any] = {
        "file": spec.file,
        "documents": found,
        "counts": {verdict: counts[verdict] for verdict in VERDICTS},
        "bad": [{"line": error.line, "what": error.what} for error in bad],
        "complete": complete,
    }
    if spec.sarif is not None:
        write_sarif(spec.sarif, result)
    if spec.html is not None:
        write_html(spec.html, result)

    def iterate_links() -> Iterator[dict[str, Any]]:
        return ({"document": each["id"], **link} for each in found for link in each["links"])

    said = ", ".join(f"{count:,} {verdict}" for verdict, count in result["counts"].items() if count)
    names = ("document", "line", "left", "relation", "right", "verdict", "reason")
    return Shown(result, iterate_links, names, title=said)


def _to_row(judged: LinkVerdict) -> dict[str, Any]:
    link = judged.link
    return {
        "left": link.left,
        "relation": link.relation,
        "right": link.right,
        "line": link.line,
        "verdict": judged.outcome,
        "reason": judged.reason,
        "chain": link.chain,
        "before": link.before[-80:],
    }


def exit_code(document: Mapping[str, Any]) -> int:
    """The exit code: 1 if a link is wrong or loses domain, or something could not be read; 130 if stopped."""
    if not document["complete"]:
        return 130
    counts = document["counts"]
    return 1 if document["bad"] or counts["wrong"] or counts["loses domain"] else 0


# ---- files

_LEVELS = {"wrong": "error", "loses domain": "warning", "not shown": "note", "unread": "note"}
_COLOURS = {
    "right": "#d7f0d7", "right if": "#e6f0c8", "follows": "#d7ecf5", "given": "#eeeeee",
    "loses domain": "#ffe0b3", "wrong": "#ffc4c4", "not shown": "#fff5cc", "unread": "#e5dcf0",
}  # fmt: skip


def write_sarif(path: Path, found: Mapping[str, Any]) -> None:
    """The links that are wrong, lose domain, are not shown or not read, and what else could not be read, as
    SARIF 2.1.0."""
    uri = Path(found["file"]).absolute().as_uri()
    rows = (
        (
            link["verdict"],
            f"{format_link(link)}: {link['verdict']}. {link['reason']}".strip(),
            document["row"] or link["line"],
        )
        for document in found["documents"]
        for link in document["links"]
        if link["verdict"] in _LEVELS
    )
    bad = (("unread", each["what"], each["line"] or 1) for each in found["bad"])
    results = (
        {
            "ruleId": verdict.replace(" ", "-"),
            "level": _LEVELS[verdict],
            "message": {"text": text},
            "locations": [
                {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}
            ],
        }
        for verdict, text, line in chain(rows, bad)
    )
    rules = [{"id": verdict.replace(" ", "-")} for verdict in _LEVELS]
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    beginning = json.dumps({"$schema": schema, "version": "2.1.0"}).removesuffix("}")
    tool = json.dumps({"driver": {"name": "mathwb proofread", "rules": rules}})
    with atomic_writer(path) as file:
        file.write(f'{beginning}, "runs": [{{"tool": {tool}, "results": [')
        for number, result in enumerate(results):
            file.write(f"{',' if number else ''}\n{json.dumps(result)}")
        file.write("\n]}]}\n")


def write_html(path: Path, found: Mapping[str, Any]) -> None:
    """Every link with its verdict as a colour; the page needs nothing else."""
    with atomic_writer(path) as file:
        file.writelines(f"{line}\n" for line in _iterate_page(found))


def _iterate_page(found: Mapping[str, Any]) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><meta charset="utf-8"><title>Proofread</title><style>'
    yield "body{font:16px sans-serif;margin:2em auto;max-width:60em}td{padding:.2em .6em;vertical-align:top}"
    yield "</style>"
    yield f"<h1>{escape(Path(found['file']).name)}</h1>"
    for document in found["documents"]:
        yield f"<h2>{escape(document['id'])}</h2><table>"
        for link in document["links"]:
            cells = (str(link["line"]), format_link(link), link["verdict"], link["reason"])
            yield f'<tr style="background:{_COLOURS[link["verdict"]]}">' + "".join(
                f"<td>{escape(cell)}</td>" for cell in cells
            )
        yield "</table>"
    yield "</html>"


def format_link(link: Mapping[str, Any]) -> str:
    """`a = b`, on one line."""
    return " ".join(f"{link['left']} {link['relation']} {link['right']}".split())
