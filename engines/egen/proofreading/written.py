"""What was found in a document as SARIF, for editors and CI, and as a page of HTML with colours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from engines.core.files import write_json, write_text

_LEVELS = {"wrong": "error", "loses domain": "warning", "not shown": "note", "unread": "note"}
_COLOURS = {
    "right": "#d7f0d7", "right if": "#e6f0c8", "follows": "#d7ecf5", "given": "#eeeeee",
    "loses domain": "#ffe0b3", "wrong": "#ffc4c4", "not shown": "#fff5cc", "unread": "#e5dcf0",
}  # fmt: skip


def write_sarif(path: Path, found: Mapping[str, Any]) -> None:
    """The links that are wrong, lose domain, are not shown or not read, and what else could not be read, as
    SARIF 2.1.0."""
    uri = Path(found["file"]).absolute().as_uri()
    told = [
        (
            link["verdict"],
            f"{formula(link)}: {link['verdict']}. {link['reason']}".strip(),
            document["row"] or link["line"],
        )
        for document in found["documents"]
        for link in document["links"]
        if link["verdict"] in _LEVELS
    ] + [("unread", bad["what"], bad["line"] or 1) for bad in found["bad"]]
    results = [
        {
            "ruleId": verdict.replace(" ", "-"),
            "level": _LEVELS[verdict],
            "message": {"text": text},
            "locations": [
                {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}}
            ],
        }
        for verdict, text, line in told
    ]
    rules = [{"id": verdict.replace(" ", "-")} for verdict in _LEVELS]
    run = {"tool": {"driver": {"name": "mathwb proofread", "rules": rules}}, "results": results}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    write_json(path, {"$schema": schema, "version": "2.1.0", "runs": [run]})


def write_html(path: Path, found: Mapping[str, Any]) -> None:
    """Every link with its verdict as a colour; the page needs nothing else."""
    write_text(path, "\n".join(_page(found)) + "\n")


def _page(found: Mapping[str, Any]) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><meta charset="utf-8"><title>Proofread</title><style>'
    yield "body{font:16px sans-serif;margin:2em auto;max-width:60em}td{padding:.2em .6em;vertical-align:top}"
    yield "</style>"
    yield f"<h1>{escape(Path(found['file']).name)}</h1>"
    for document in found["documents"]:
        yield f"<h2>{escape(document['id'])}</h2><table>"
        for link in document["links"]:
            cells = (str(link["line"]), formula(link), link["verdict"], link["reason"])
            yield f'<tr style="background:{_COLOURS[link["verdict"]]}">' + "".join(
                f"<td>{escape(cell)}</td>" for cell in cells
            )
        yield "</table>"
    yield "</html>"


def formula(link: Mapping[str, Any]) -> str:
    """`a = b`, on one line."""
    return " ".join(f"{link['left']} {link['relation']} {link['right']}".split())
