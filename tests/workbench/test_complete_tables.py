"""Every table operation gives every row in every form: CSV, TeX, JSON and a file; people see how many more
there are."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.workbench.operation_samples import SAMPLES
from workbench.cli.command import app
from workbench.operations import all_operations, find_operation, write_json
from workbench.tables import HintLine, TableForm, TableLine, in_form
from workbench.workspace import Workspace

Document = Mapping[str, Any]
Given = Callable[[Path, Path], dict[str, Any]]


def grade(_workspace: Path, place: Path) -> dict[str, Any]:
    lines = [f'"{number}, 1","{number}, 1"' if number % 2 else f"{number},7.5" for number in range(100)]
    (place / "pairs.csv").write_text("\n".join(["gold,pred", *lines, "1"]))
    return {"pairs": str(place / "pairs.csv")}


def verify(_workspace: Path, place: Path) -> dict[str, Any]:
    pairs = ["x\ttan atan x", "x\tpow sqrt x 2", "x\t)("]
    (place / "pairs.tsv").write_text("".join(f"{pairs[number % 3]}\n" for number in range(51)))
    return {"file": str(place / "pairs.tsv")}


def sample_problems(**more: Any) -> Given:
    return lambda workspace, _place: {"data": str(workspace / "problems/sample-en/problems.jsonl"), **more}


def labels(workspace: Path, _place: Path) -> dict[str, Any]:
    from workbench.papers.mwp.data import TripletLabels, labels_path

    known = TripletLabels(labels_path())
    for number in range(12):
        parts = ("anchor", "positive", "negative", "pool", "strategy")
        known.set_label("sample-en", {part: f"{part}-{number}" for part in parts}, "other")
    return {}


MORE: Mapping[str, Given] = {
    "grade": grade,
    "egen.verify": verify,
    "egen.generate": lambda *_: {"expr": "-9 * sinh(2 - 7*x)", "members": 60, "nodes": 1_000},
    "egen.egraph": lambda *_: {"expr": "sin(x)^2 + cos(x)^2 + tan(x)", "nodes": 400},
    "mwp.problems": lambda workspace, place: {"data": [sample_problems()(workspace, place)["data"]]},
    "mwp.triplets": sample_problems(pool="train,qr"),
    "mwp.anchors": sample_problems(pool="train,qr"),
    "mwp.labels": labels,
    "arqmath.show": lambda *_: {"folder": "sample-forum", "topic": "A.901", "run": "bm25", "depth": 2},
    "egen.map": lambda workspace, place: {
        name: value for name, value in SAMPLES["egen.map"](workspace, place).items() if name != "file"
    },
}
"""What is asked so that there are more rows than people see; of other operations the usual sample."""


def rows_of(*keys: str) -> Callable[[Document], list[int]]:
    """The sizes of what a document holds under these keys, which are a table each."""
    return lambda document: [len(document[key]) for key in keys]


def if_any(*keys: str) -> Callable[[Document], list[int]]:
    return lambda document: [len(document[key]) for key in keys if document.get(key)]


def evaluated(document: Document) -> list[int]:
    families = document["setting"].get("by_family")
    return [len(document["figures"]), *([len(families)] if families else []), *if_any("mistakes")(document)]


def counted(document: Document) -> list[int]:
    counts = [value for name, value in document.items() if type(value) is int and name != "seed"]
    reasons = document["left_out"] if isinstance(document["left_out"], Mapping) else {}
    return [len(counts) + sum(bool(count) for count in reasons.values())]


def by_size(document: Document) -> list[int]:
    thirds = sum(len(system.get("by_size", {})) for system in document["systems"])
    return [*rows_of("systems")(document), *if_any("comparisons")(document), *([thirds] if thirds else [])]


COUNTS: Mapping[str, Callable[[Any], list[int]]] = {
    "grade": rows_of("results"),
    "egen.generate": rows_of("members"),
    "egen.verify": rows_of("results"),
    "egen.rules": lambda document: [len({rule["family"] for rule in document["rules"]}) + 1],
    "egen.theory": rows_of("operators", "rules"),
    "egen.stats": lambda document: [14 + ("variables" in document)],
    "egen.find": rows_of("matches"),
    "egen.show": rows_of("members"),
    "egen.explain": rows_of("points"),
    "egen.derive": rows_of("steps"),
    "egen.egraph": rows_of("classes"),
    "egen.extract": rows_of("counts", "members"),
    "egen.eval": evaluated,
    "egen.semvec": rows_of("figures"),
    "egen.nearest": rows_of("neighbours"),
    "egen.analogy": rows_of("hits"),
    "egen.map": rows_of("points"),
    "egen.rewrite": rows_of("written"),
    "mwp.problems": rows_of("templates"),
    "mwp.triplets": lambda document: [
        sum(row["triplets"] > 0 for row in document["hardness"].values()),
        len(document["triplets"]),
    ],
    "mwp.anchors": rows_of("templates", "anchors"),
    "mwp.audit": lambda document: [len(document["kinds"]), len(document["findings"])],
    "mwp.solutions": rows_of("solutions"),
    "mwp.steps": rows_of("steps"),
    "mwp.eval": lambda document: [
        len(document["ci95"]),
        len(document["mistakes"]["kinds"]),
        *rows_of("by_ops", "by_template")(document),
        *([len(document["probes"].keys() - {"remark"})] if document.get("probes") else []),
    ],
    "mwp.tsne": rows_of("ids"),
    "mwp.labels": lambda document: [len(document)],
    "arqmath.topics": rows_of("runs", "topics"),
    "arqmath.show": rows_of("answers"),
    "arqmath.pretrain-data": counted,
    "arqmath.pairs": counted,
    "arqmath.search": rows_of("hits"),
    "arqmath.eval": lambda document: [2 + sum(len(groups) for groups in document.get("by", {}).values())],
    "arqmath.tune": rows_of("systems"),
    "arqmath.compare": rows_of("systems"),
    "mathamr.topics": rows_of("topics"),
    "mathamr.inspect": if_any("nearest", "equal"),
    "mathamr.search": rows_of("hits"),
    "mathamr.eval": by_size,
}
"""The rows of each table of an operation, counted in the document of `--json`."""

ONLY_SOME = {
    "grade": lambda document: [document["totals"]["pairs"] - document["totals"]["equal"]],
    "egen.verify": lambda document: [sum(row["verdict"] != "equal" for row in document["results"])],
}
"""People see those that are not equal."""
QUICK = {
    *("grade", "egen.verify", "egen.find", "egen.show", "egen.egraph", "mwp.problems", "mwp.triplets"),
    *("mwp.anchors", "mwp.labels", "arqmath.show", "arqmath.topics"),
}
CUT = {"grade", "egen.verify", "egen.generate", "egen.egraph", "mwp.problems", "mwp.triplets", "mwp.anchors"}
"""What must be too long for people here, else nothing is tested."""
MORE_LINE = re.compile(r" *… and ([\d,]+) more; --json lists all")


def rows_of_csv(text: str) -> list[int]:
    blocks = [[*csv.reader(io.StringIO(block))] for block in text.split("\n\n")]
    assert all({len(row) for row in block} == {len(block[0])} for block in blocks)
    return [len(block) - 1 for block in blocks]


def rows_of_tex(text: str) -> list[int]:
    tables = re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", text, re.DOTALL)
    return [table.count(r" \\" + "\n") - 1 for table in tables]


def rows_people_know_of(lines: Iterable[str]) -> list[int]:
    """Of each table the lines that are shown, and those that are said to be more."""
    counts: list[int] = []
    for line in lines:
        if not isinstance(line, TableLine):
            continue
        if line.table is not None:
            counts.append(0)
        else:
            more = MORE_LINE.fullmatch(line)
            counts[-1] += int(more[1].replace(",", "")) if more else 1
    return counts


@pytest.mark.parametrize(
    "name",
    [
        name if name in QUICK else pytest.param(name, marks=pytest.mark.slow)
        for name in sorted(name for name, row in all_operations().items() if row.tables)
    ],
)
def test_every_row_is_in_every_form(
    name: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MATHWB_HOME", str(home))
    row = find_operation(name)
    spec = row.resolve_spec(MORE.get(name, SAMPLES[name])(Workspace.open().root, tmp_path))
    done = row.make_result(row.start(spec))
    pieces: list[str] = []
    write_json(done.streamed, pieces.append)
    document = json.loads("".join(pieces))
    assert document == done.document
    expected = COUNTS[name](document)

    def written(form: TableForm) -> str:
        # Hints go to stderr.
        lines = in_form(row.text_lines(done.record, spec), form)
        return "\n".join([*(line for line in lines if not isinstance(line, HintLine)), ""])

    assert rows_of_csv(written("csv").removesuffix("\n")) == expected
    assert rows_of_tex(written("tex")) == expected
    lines = [*row.text_lines(done.record, spec)]
    assert rows_people_know_of(lines) == ONLY_SOME.get(name, COUNTS[name])(document)
    assert any(map(MORE_LINE.fullmatch, lines)) or name not in CUT


def test_commands_print_what_is_counted_here(home: Path, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("MATHWB_HOME", str(home))
    file = grade(tmp_path, tmp_path)["pairs"]
    call = CliRunner().invoke
    assert rows_of_csv(call(app, ["grade", file, "--csv"]).stdout) == [101]
    assert rows_of_tex(call(app, ["grade", file, "--tex"]).stdout) == [101]
    assert len(json.loads(call(app, ["grade", file, "--json"]).stdout)["results"]) == 101
    assert "… and 41 more; --json lists all" in call(app, ["grade", file]).stdout
    problems = sample_problems()(Workspace.open().root, tmp_path)["data"]
    line = ["mwp", "triplets", problems, "--pool", "train,qr"]
    out = tmp_path / "triplets.jsonl"
    assert call(app, [*line, "--out", str(out)]).exit_code == 0
    assert rows_of_csv(call(app, [*line, "--csv"]).stdout)[-1] == len(out.read_text().splitlines()) > 100


def test_rows_of_an_iterator_are_written_as_they_come() -> None:
    pieces: list[str] = []

    def make_rows() -> Iterator[tuple[str, float]]:
        for number in range(3):
            yield f"row {number}", 0.5 * number
            assert sum("row" in piece for piece in pieces) >= number

    write_json(make_rows(), pieces.append)
    assert json.loads("".join(pieces)) == [["row 0", 0.0], ["row 1", 0.5], ["row 2", 1.0]]
    pieces.clear()
    write_json(iter(()), pieces.append)
    assert json.loads("".join(pieces)) == []
