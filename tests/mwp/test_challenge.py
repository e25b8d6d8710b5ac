"""Challenge sets: drawn by a seed, without doubtful texts, and never more than there are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engines.core.errors import EngineError
from engines.core.system import asset
from engines.mwp.augmentation.augment import Challenge, challenge, make_variants
from engines.mwp.problems.readers import read_problems

ZH = asset("sample/problems/sample-zh/problems.jsonl")
EN = asset("sample/problems/sample-en/problems.jsonl")


def made(out: Path, data: Path = ZH, **settings: Any) -> dict[str, Any]:
    return challenge(Challenge(data, out, **settings))


def test_the_same_seed_gives_the_same_coherent_set(tmp_path: Path) -> None:
    first, again, other = (tmp_path / name for name in ("a", "b", "c"))
    told = made(first, draw=60, keep=40)
    made(again, draw=60, keep=40)
    made(other, draw=60, keep=40, seed=1)
    assert first.read_bytes() == again.read_bytes() != other.read_bytes()
    assert (told["drawn"], told["kept"]) == (60, 40)
    kept = read_problems(first)
    assert (len(kept.usable), kept.skipped, kept.disagreements) == (40, (), ())
    by_id = {one.problem.id: one for one in make_variants(read_problems(ZH).usable, ("roda",)).made}
    for problem in kept.rows:
        assert by_id[problem.id].doubts == ()
        assert problem.answer == by_id[problem.id].problem.answer


def test_fewer_than_asked_for_are_told(tmp_path: Path) -> None:
    told = made(tmp_path / "a")
    assert told["kept"] == told["drawn"] - told["doubtful"] < told["asked"] == 400


def test_given_that_stands_between_question_and_facts(tmp_path: Path) -> None:
    made(tmp_path / "a", EN, how="given-that", draw=20, keep=20)
    for line in (tmp_path / "a").read_text("utf-8").splitlines():
        row = json.loads(line)
        assert " given that " in row["text"]
        assert row["original"].endswith("?")
        assert row["original"].startswith(("How", "What", "By", "With", "After", "In", "If", "At"))


@pytest.mark.parametrize(
    ("data", "settings", "code"),
    [
        (ZH, {"how": "given-that"}, "E683"),
        (ZH, {"draw": 5, "keep": 6}, "E424"),
    ],
)
def test_what_makes_no_challenge_is_refused(
    data: Path, settings: dict[str, Any], code: str, tmp_path: Path
) -> None:
    with pytest.raises(EngineError) as refused:
        made(tmp_path / "a", data, **settings)
    assert refused.value.code == code
    assert not (tmp_path / "a").exists()


def test_problems_that_cannot_be_turned_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps({"text": "9与4的差是多少？", "equation": "9-4"}, ensure_ascii=False))
    with pytest.raises(EngineError) as refused:
        made(tmp_path / "a", path, how="question-first")
    assert refused.value.code == "E686"
