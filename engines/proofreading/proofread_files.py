"""Where is the mistake: the verb `proofread`, and what it found as SARIF and as a page of HTML."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError, describe_defect
from engines.core.events import Sink, Stop, ignore, never, warn_of_left_out
from engines.core.files import atomic_writer
from engines.core.notebook_display import Shown
from engines.core.spec import Arg, specification
from engines.core.stored_rows import StoredRows
from engines.documents.reading import Document, TextPiece, of_row, read_documents, split_pieces
from engines.proofreading.suppression import Hiding, format_link, write_baseline

if TYPE_CHECKING:
    from engines.mathematics.judging.judge import Judge
    from engines.proofreading.link_verdicts import LinkVerdict


@specification
class Proofread:
    """Find the mistakes in a document, or in a folder of documents.

    Each link of a chain of relations gets a verdict: right, right if (a hypothesis holds), follows (from
    earlier statements), given, loses domain, wrong, doubtful, not shown or unread. LaTeX is read with all
    that it inputs.
    Exits with 1 if a link is wrong or loses domain, a part cannot be read or a document is not judged.
    """

    file: Annotated[
        Path,
        Arg(
            "A .tex, .md, .Rmd, .qmd, .ipynb, .html, .jsonl or .xml file, a folder, or a run with --posts.",
            inline=".md",
        ),
    ]
    posts: Annotated[Path | None, Arg("The posts that FILE, a run of ARQMath, ranks.")] = None
    only: Annotated[tuple[str, ...], Arg("Only the documents of these ids.", metavar="ID")] = ()
    given: Annotated[
        str,
        Arg("A text whose statements hold, as the problem that FILE solves.", metavar="TEXT", longest=20_000),
    ] = ""
    claims: Annotated[bool, Arg("Show every statement as it was understood, with its role and scope.")] = (
        False
    )
    baseline: Annotated[Path | None, Arg("Hide the findings that this file holds.")] = None
    write_baseline: Annotated[
        Path | None, Arg("Write what is found to this file, to hide it from now on.", writes=True)
    ] = None
    sarif: Annotated[Path | None, Arg("Also write SARIF 2.1.0 for editors and CI.", writes=True)] = None
    html: Annotated[Path | None, Arg("Also write an HTML page with colours.", writes=True)] = None
    every: Annotated[bool, Arg("Show every link, not only those that need a look.")] = False


@dataclass(frozen=True, slots=True)
class CheckedLink:
    """A relation that a text states between two formulas, with its verdict: right, right if, follows, given,
    loses domain, wrong, doubtful, not shown or unread, and why."""

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

    def check_links(self, text: str, problem: str = "") -> list[CheckedLink]:
        """Return the links of a text in their order. Args: problem: a text whose statements hold, as that of
        the question which the text answers."""
        from engines.proofreading.document_judge import proofread_document

        row = {"id": "", "problem": problem, "solution": text}
        document = of_row(row, "solution", 1, lambda *_: None)
        return [
            CheckedLink(each.link.left, each.link.relation, each.link.right, each.outcome, each.reason)
            for each in proofread_document(document, self._judge)
            if not each.link.of_problem
        ]


def proofread(spec: Proofread | str, *, events: Sink = ignore, stop: Stop = never) -> dict[str, Any]:
    """Judge every link of the chains of a file's documents, or of a text with formulas between dollar signs.

    >>> found = proofread("So $(a+b)^2 = a^2 + b^2$.")
    >>> [link["verdict"] for link in found["documents"][0]["links"]]
    ['wrong']

    Returns: `file`; `documents`: id, file, row (the line that it begins on in a file of several), `sections`
    with their counts, `first_wrong` (its step among the links, line, text and reason; None without one), and
    `links` with left, relation, right, line, verdict, reason, role, scope, domain,
    statement and hypotheses; `counts` of the verdicts; `notations`: why links are unread, with counts;
    `hidden`: how many findings a comment or the baseline hides; `bad`: what could not be read or judged, as
    file, line and what; `not_judged`: how many documents are passed over because a rule failed on them, a
    defect of this program; `complete`, whether it was not stopped.
    """
    from engines.documents.folder import read_project
    from engines.mathematics.judging import judge
    from engines.proofreading.document_judge import MAX_FORMULAS
    from engines.proofreading.link_verdicts import VERDICTS
    from engines.proofreading.worked_solutions import find_first_wrong

    bad: list[DataError] = []
    arbiter = judge()
    documents, ids = StoredRows(), set[str]()
    counts, notations = Counter[str](), Counter[str]()
    complete, not_judged = True, 0
    if isinstance(spec, str):
        text, spec = spec, Proofread(Path("text"))

        def report_unended(line: int, what: str) -> None:
            bad.append(DataError(what, path="text", line=line, remedy="Close the formula."))

        read: Iterable[tuple[Path, Document]] = [
            (spec.file, Document("text", tuple(split_pieces(text, report_unended))))
        ]
    elif spec.posts is not None:
        read = ((spec.file, each) for each in read_documents(spec.file, spec.posts, on_bad=bad.append))
    else:
        read = read_project(spec.file, bad.append)
    hiding = Hiding.read(spec.baseline)
    wanted = set(spec.only)
    for file, document in read:
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
            bad.append(DataError(what, path=file, line=document.row or 1, remedy=remedy))
        judged = _judge_or_report(document, file, spec.given, arbiter, bad)
        if judged is None:
            judged, not_judged = [], not_judged + 1
        links = [_to_row(each) for each in judged if not each.link.of_problem]
        notations.update(link["reason"] for link in links if link["verdict"] == "unread")
        sections = _count_sections(links)
        first_wrong = find_first_wrong(links)
        links = hiding.show(document, file, links)
        counts.update(link["verdict"] for link in links)
        row = {
            "id": document.id,
            "file": str(file),
            "row": document.row,
            "links": links,
            "sections": sections,
            "first_wrong": first_wrong,
        }
        documents.append(row)
        ids.add(document.id if wanted else "")
    if wanted and complete and (missing := wanted - ids):
        what = f"no document has the id {sorted(missing)[0]}"
        raise DataError(what, path=spec.file, remedy="Check --only.")
    if not documents and complete:
        remedy = "Check that it is whole."
        empty = DataError("the file has no documents", path=spec.file, code="E317", remedy=remedy)
        raise bad[0] if bad else empty
    warn_of_left_out(events, spec.file, ((error.where, error.what) for error in bad))
    result: dict[str, Any] = {
        "file": spec.file,
        "documents": documents,
        "counts": {verdict: counts[verdict] for verdict in VERDICTS},
        "notations": [{"what": what, "count": count} for what, count in notations.most_common()],
        "hidden": hiding.count,
        "bad": [{"file": str(error.path), "line": error.line, "what": error.what} for error in bad],
        "not_judged": not_judged,
        "complete": complete,
    }
    if spec.sarif is not None:
        write_sarif(spec.sarif, result)
    if spec.html is not None:
        write_html(spec.html, result)
    if spec.write_baseline is not None:
        write_baseline(spec.write_baseline, result)

    def iterate_links() -> Iterator[dict[str, Any]]:
        return ({"document": each["id"], **link} for each in documents for link in each["links"])

    counted = ", ".join(f"{count:,} {verdict}" for verdict, count in result["counts"].items() if count)
    names = ("document", "line", "left", "relation", "right", "verdict", "reason")
    return Shown(result, iterate_links, names, title=counted)


def _judge_or_report(
    document: Document, file: Path, given: str, judge: Judge, bad: list[DataError]
) -> list[LinkVerdict] | None:
    """Return the verdicts on the links of a document; None where a rule fails on it, which is reported: one
    document must not end the proofreading of a folder."""
    from engines.proofreading.document_judge import LinkError, proofread_document
    from engines.proofreading.worked_solutions import with_calculations

    try:
        judged = proofread_document(with_given(document, given), judge)
        # Rows are the solutions of problems, which calculate in their words too.
        return with_calculations(document, judged) if document.row else judged
    except LinkError as error:
        failure, line = error.cause, document.row or error.line
    except Exception as error:  # noqa: BLE001  # an error of any rule
        failure, line = error, document.row
    what = describe_defect(failure, f"document {document.id} was not judged")
    remedy = "All other documents are judged."
    bad.append(DataError(what, path=file, line=line or None, code="E900", remedy=remedy))
    return None


def with_given(document: Document, text: str) -> Document:
    """Return a document behind a text whose statements hold."""
    if not text:
        return document
    given = [replace(piece, line=1, said=True) for piece in split_pieces(text, lambda *_: None)]
    return replace(document, pieces=(*given, TextPiece("\n\n", 1), *document.pieces))


def _to_row(judged: LinkVerdict) -> dict[str, Any]:
    link = judged.link
    return {
        "left": link.left,
        "relation": link.relation,
        "right": link.right,
        "line": link.line,
        "verdict": judged.outcome,
        "reason": judged.reason,
        "role": judged.role,
        "scope": link.position.scope.name,
        "domain": link.position.domain,
        "statement": judged.statement,
        "hypotheses": list(judged.hypotheses),
        "chain": link.chain_index,
        "before": link.words_before[-80:],
    }


def _count_sections(links: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Count the verdicts of each scope, in the order of the text."""
    counts: dict[str, Counter[str]] = {}
    for link in links:
        counts.setdefault(link["scope"], Counter())[link["verdict"]] += 1
    return [{"scope": scope, "counts": dict(count)} for scope, count in counts.items()]


def exit_code(document: Mapping[str, Any]) -> int:
    """Return 1 where a link is wrong, loses domain or is unread, or a part was not read or judged; 130 if
    stopped."""
    if not document["complete"]:
        return 130
    counts = document["counts"]
    return 1 if document["bad"] or counts["wrong"] or counts["loses domain"] or counts["unread"] else 0


# ---- files

_LEVELS = {
    "wrong": "error", "doubtful": "warning", "loses domain": "warning", "not shown": "note", "unread": "note"
}  # fmt: skip
_COLOURS = {
    "right": "#d7f0d7", "right if": "#e6f0c8", "follows": "#d7ecf5", "given": "#eeeeee",
    "loses domain": "#ffe0b3", "wrong": "#ffc4c4", "doubtful": "#ffd9b8",
    "not shown": "#fff5cc", "unread": "#e5dcf0",
}  # fmt: skip


def write_sarif(path: Path, found: Mapping[str, Any]) -> None:
    """Write a report in SARIF 2.1.0.

    It has the links that are wrong or doubtful, lose domain, are not shown or not read, and what else could
    not be read.
    """
    rows = (
        (
            document["file"],
            link["verdict"],
            f"{format_link(link)}: {link['verdict']}. {link['reason']}".strip(),
            document["row"] or link["line"],
        )
        for document in found["documents"]
        for link in document["links"]
        if link["verdict"] in _LEVELS
    )
    bad = ((each["file"], "unread", each["what"], each["line"] or 1) for each in found["bad"])
    results = (
        {
            "ruleId": verdict.replace(" ", "-"),
            "level": _LEVELS[verdict],
            "message": {"text": text},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": Path(file).absolute().as_uri()},
                        "region": {"startLine": line},
                    }
                }
            ],
        }
        for file, verdict, text, line in chain(rows, bad)
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
    """Write a page that shows every link with its verdict as a colour, and needs no other file."""
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
