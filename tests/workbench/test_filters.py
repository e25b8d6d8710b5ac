"""The filter grammar, against a plain reading of what each term says."""

from __future__ import annotations

import contextlib
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.tables import FilterError, parse_filter

FIELDS = ("head", "op", "size", "state", "done")
ROW = {"head": "d/dx(-9 sinh(2-7x))", "op": ["sinh", "+"], "size": 118, "state": "failed", "done": True}


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("", True),
        ("op:sinh", True),
        ("op:sin", False),
        ("op:+", True),
        ("!op:cosh", True),
        ("size>100", True),
        ("size>=118", True),
        ("size<118", False),
        ("size<=118.5", True),
        ("size=118", True),
        ("size:118", True),
        ("size:11", False),
        ("state:fail", True),
        ("state=fail", False),
        ("state=FAILED", True),
        ("!failed", False),
        ("SINH", True),
        ('"2-7x"', True),
        ('head:"sinh(2-7x)"', True),
        ("op:sinh size>100", True),
        ("op:sinh size>200", False),
        ("!size>200 !op:tan", True),
        ("done:yes", True),
        ("state>3", False),
        ("'size>200'", False),
    ],
)
def test_terms(text: str, passes: bool) -> None:
    assert parse_filter(text, FIELDS).matches(ROW) is passes


@pytest.mark.parametrize(
    ("text", "position", "remedy"),
    [
        ("op:sinh siz>100", 8, "size"),
        ("zzz:1", 0, "Fields: head"),
        ("size>many", 5, "size>100"),
        ("op:sinh size>", 13, "after it"),
        ("op:sinh !", 8, "leave out"),
        ('head:"sin x', 5, "second"),
    ],
)
def test_what_is_wrong_has_a_place(text: str, position: int, remedy: str) -> None:
    with pytest.raises(FilterError) as caught:
        parse_filter(text, FIELDS)
    assert caught.value.position == position
    assert remedy in caught.value.remedy
    assert caught.value.exit_code == 2


def test_a_row_that_lacks_the_field_does_not_pass() -> None:
    assert not parse_filter("size>1", FIELDS).matches({})
    assert parse_filter("!size>1", FIELDS).matches({})


def test_only_the_named_fields_are_looked_at() -> None:
    assert not parse_filter("secret", FIELDS).matches({**ROW, "other": "secret"})
    assert parse_filter("op:sinh size>1", FIELDS).names == ("op", "size")
    assert parse_filter("op:sinh word", FIELDS).names == FIELDS


@given(
    st.sampled_from([(">", operator.gt), (">=", operator.ge), ("<", operator.lt), ("<=", operator.le)]),
    st.integers(-(10**6), 10**6),
    st.floats(-1e6, 1e6, allow_nan=False),
)
def test_comparisons_are_those_of_numbers(sign: tuple[str, object], wanted: int, value: float) -> None:
    text, compare = sign
    assert parse_filter(f"size{text}{wanted}", FIELDS).matches({"size": value}) is compare(value, wanted)  # type: ignore[operator]


@given(st.text())
def test_any_text_is_read_or_refused_with_a_position(text: str) -> None:
    with contextlib.suppress(FilterError):
        parse_filter(text, FIELDS).matches(ROW)
        return
    with pytest.raises(FilterError) as caught:
        parse_filter(text, FIELDS)
    assert 0 <= caught.value.position <= len(text)


@given(st.text(st.characters(exclude_characters="'\"", exclude_categories=["Cs"]), min_size=1))
def test_quoted_words_are_looked_for_as_they_are(word: str) -> None:
    wanted = parse_filter(f'"{word}"', ("head",))
    assert wanted.matches({"head": f"before {word} behind"})
    assert not parse_filter(f'!"{word}"', ("head",)).matches({"head": word})
