"""`mathwb egen verify`: one document, one verdict per line, bad lines reported, bad files refused."""

from __future__ import annotations

import csv
import gzip
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engines.egen import verify_and_explain
from tests.conftest import mathwb

GOOD = "sin x\t/ 1 csc x\nx\tsqrt pow x 2\nx\tsin asin x\n* 2 ln x\tln pow x 2\n"


verify = partial(mathwb, "egen", "verify")


def document(*arguments: str | Path, stdin: bytes = b"") -> dict[str, Any]:
    result = verify(*arguments, "--json", stdin=stdin)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.slow
def test_one_verdict_per_line(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text(GOOD)
    found = document(file)
    assert [(row["line"], row["verdict"]) for row in found["results"]] == [
        (1, "equal"),
        (2, "different"),
        (3, "shrinks"),
        (4, "extends"),
    ]
    assert found["results"][0]["kept"] == 1.0
    assert found["results"][0]["counterexample"] is None
    assert 0 < found["results"][2]["kept"] < 1
    example = found["results"][1]["counterexample"]
    assert example["head"] == example["x"] == -example["member"]
    assert found["totals"]["lines"] == 4
    assert found["totals"]["equal"] == found["totals"]["different"] == 1
    assert found["totals"]["errors"] == 0
    assert document("-", stdin=GOOD.encode()) == found
    file.write_bytes(gzip.compress(GOOD.encode()))
    assert document(file) == found


def test_a_bad_line_is_reported_and_the_rest_is_done(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    bad = [b"no tab", b"x\tfoo x", b"x\t+ x", b"j\tx", b"x\t\xff", b"x\t" + b"sin " * 10_000 + b"x", b"x\t"]
    file.write_bytes(b"\n".join([GOOD.encode().strip(), *bad, b"", GOOD.encode()]))
    found = document(file)
    assert [row["line"] for row in found["results"] if "error" in row] == [5, 6, 7, 8, 9, 10, 11]
    assert found["totals"]["errors"] == 7
    assert found["totals"]["lines"] == 15
    assert found["totals"]["shrinks"] == 2


@pytest.mark.parametrize("more", [(), ("--theory", "sets")])
def test_a_third_column_is_no_factor(tmp_path: Path, more: tuple[str, ...]) -> None:
    file = tmp_path / "triplets.tsv"
    file.write_text("x\tx\nx\tx\tx\nx\tx\t\n")
    found = json.loads(verify(file, "--json", *more).stdout)
    assert [row.get("error") or row["verdict"] for row in found["results"]] == [
        "equal",
        "the line has more than one tab",
        "equal",
    ]


def test_a_table_for_people(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text(GOOD + "sin x\tcos x\n" * 20 + "x\t\x1b[31mred\n")
    result = verify(file)
    assert result.returncode == 0
    text = result.stdout
    assert "\x1b" not in text
    assert "equal" in text
    assert "sqrt pow x 2" in text
    assert "is not part of an expression" in text  # behind twenty other verdicts it would not be seen
    assert result.stderr == ""


def test_people_see_what_is_equal_with_exceptional_points(tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text("x\tx\n* x / x x\tx\n")
    text = verify(file).stdout
    assert re.search(r"with exceptional points +1\n", text)
    assert re.search(r"\n +2 +equal except at 0 ", text)
    assert not re.search(r"\n +1 +equal", text)
    file.write_text("x\tx\n")
    assert "exceptional" not in verify(file).stdout
    assert "every line holds" in verify(file).stdout
    (row,) = csv.DictReader(verify(file, "--csv").stdout.splitlines())
    assert (row["line"], row["verdict"], row["head"], row["member"]) == ("1", "equal", "x", "x")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "code", "exit_code"),
    [(b"", "E314", 2), (b"\x7fELF\0\0\0", "E315", 2), (None, "E312", 3), (b"just prose\n", "E300", 2)],
)
def test_a_bad_file_is_one_error(tmp_path: Path, content: bytes | None, code: str, exit_code: int) -> None:
    file = tmp_path / "pairs.tsv"
    if content is not None:
        file.write_bytes(content)
    result = verify(file, "--json")
    assert result.returncode == exit_code
    assert json.loads(result.stdout)["error"]["code"] == code
    assert str(file) in json.loads(result.stdout)["error"]["where"]
    assert len(result.stderr.splitlines()) == 1
    if content is not None:
        assert "standard input" in verify("-", stdin=content).stderr


def test_lines_are_judged_in_windows_with_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long files are judged window by window, so that memory does not grow with them."""
    pieces = [
        *GOOD.encode().splitlines(),
        b"no tab",
        b"x\t\xff",
        b"",
        b"x\tx",
        b"x\t\xff",
        b"x^2\tx*x",
        b"\xff",
    ]
    file = tmp_path / "pairs.tsv"
    file.write_bytes(b"\n".join(pieces * 3))
    whole = verify_and_explain.verify(verify_and_explain.Verify(file))
    assert [row["line"] for row in whole.results] == [
        number for number, line in enumerate(pieces * 3, 1) if line
    ]
    for lines in (1, 2, 7):
        monkeypatch.setattr(verify_and_explain, "_WINDOW_LINES", lines)
        windows = verify_and_explain.verify(verify_and_explain.Verify(file))
        assert [*windows.rows()] == [*whole.rows()]
        assert windows.totals == whole.totals
        assert windows._repr_html_() == whole._repr_html_()
        assert windows._repr_latex_() == whole._repr_latex_()


def test_a_verdict_does_not_depend_on_the_other_lines() -> None:
    pairs = [("x", "x*cos(y)/cos(y)"), ("x", "x*(x-7/3)/(x-7/3)"), ("x", "x*floor(z+2)/floor(z+2)")]
    together = list(verify_and_explain.verify(pairs).results)
    for pair, row in zip(pairs, together, strict=True):
        (alone,) = verify_and_explain.verify([pair]).results
        assert {**row, "line": 1} == alone
    assert together[1]["except"] == "7/3"
