"""What trainings keep of their data: by what it depends on, up to a size."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from engines.training import token_cache as kept
from engines.training.token_cache import TokenCache, prune_cache

CONTENTS = {"collection": "c0", "topics": "t0", "backbone": "b0"}


def tokenizer(*words: str) -> Any:
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: number for number, word in enumerate(("[UNK]", "[PAD]", *words))}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    return PreTrainedTokenizerFast(tokenizer_object=made, unk_token="[UNK]", pad_token="[PAD]")


def cache_place(contents: dict[str, str] = CONTENTS, words: str = "a b", **settings: object) -> Path | None:
    store = TokenCache(Path("kept"), contents)
    return store.stored_path("texts", "collection", tokenizer=tokenizer(*words.split()), **settings)


def test_only_what_the_rows_depend_on_has_a_part_in_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    first = cache_place(most=8)
    assert cache_place({**CONTENTS, "topics": "t1", "backbone": "b1"}, most=8) == first
    others = [
        cache_place({**CONTENTS, "collection": "c1"}, most=8),
        cache_place(words="a c", most=8),
        cache_place(most=9),
    ]
    monkeypatch.setattr(kept, "_hash_own_code", lambda: "a later version")
    assert len({first, *others, cache_place(most=8)}) == 5
    assert TokenCache().stored_path("texts", tokenizer=tokenizer("a")) is None


def test_how_a_tokenizer_was_last_told_to_pad_is_no_part_of_it() -> None:
    one, other = tokenizer("a", "b"), tokenizer("a", "b")
    other(["a", "a b"], padding=True, truncation=True, max_length=1)
    assert other.backend_tokenizer.truncation is not None
    store = TokenCache(Path("kept"), CONTENTS)
    assert store.stored_path("texts", tokenizer=one) == store.stored_path("texts", tokenizer=other)


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    a, b, c, d = (letter * 32 for letter in "abcd")
    for age, name in enumerate((d, c, b, a, ".e.0123abcd.tmp", "theirs")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "ids.i4").write_bytes(bytes(100))
        (tmp_path / f"{name}.lock").touch()
        os.utime(folder, (now - 100 * age, now - 100 * age))
    monkeypatch.setattr(kept, "LIMIT_BYTES", 250)
    prune_cache(tmp_path / b)
    left = {path.name for path in tmp_path.iterdir() if path.is_dir()}
    # The one at hand stays though with it they are over the limit; what a killed writer left goes.
    assert left == {d, c, b, "theirs"}
    assert not (tmp_path / f"{a}.lock").exists()
    kept.remove_cache(tmp_path)
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"theirs"}


def test_comments_and_docstrings_leave_the_cache_as_it_is() -> None:
    """Only what the code does has a part in the name; independent of it, what the compiler sees."""
    plain = "def cut(text):\n    return text[:3]\n"
    spaced = "def cut(text):\n    return text[ : 3 ]  # three\n"
    documented = '"""Cuts."""\n# Three.\ndef cut(text):\n    """The beginning."""\n    return text[:3]\n'
    once = kept._hash_program(plain.encode())
    assert once == kept._hash_program(spaced.encode()) == kept._hash_program(documented.encode())
    others = [plain.replace("3", "4"), plain.replace("cut", "trim"), plain.replace("text[", "text[1")]
    others += [plain + "cut({1, 2} and 3 in {4, 5})\n", plain.replace("(text)", "(text, *, most=3)")]
    assert len({once, *(kept._hash_program(other.encode()) for other in others)}) == 1 + len(others)
