"""Texts in many languages: what denies, supposes or asks is read; where it cannot be, nothing is accused."""

from __future__ import annotations

import pytest

from engines.proofreading.proofread_files import TextProofreader
from engines.proofreading.prose_languages import find_languages

_CLAIMS = [
    "ולכן לכל $a$ ממשי מתקיים $(a+2)^2 = a^2 + 4$.",
    "وبالتالي لكل عدد حقيقي $a$ لدينا $(a+2)^2 = a^2 + 4$.",
    "Отже, для всіх дійсних $a$ маємо $(a+2)^2 = a^2 + 4$.",
    "Dus voor alle reële $a$ geldt $(a+2)^2 = a^2 + 4$.",
    "Tedy pro všechna reálná $a$ platí $(a+2)^2 = a^2 + 4$.",
]
_ABSURDITIES = [
    "נניח בשלילה שזה נכון. אז נקבל $4 = 5$, סתירה.",
    "لنفرض أن العكس صحيح. إذن $4 = 5$ وهذا تناقض.",
    "역을 가정하면 $4 = 5$ 이므로 모순이다.",
    "すると $4 = 5$ となり矛盾。",
    "मान लीजिए ऐसा है। तब $4 = 5$, जो विरोधाभास है।",
    "Припустимо супротивне. Тоді $4 = 5$, суперечність.",
    "Stel dat het niet zo is. Dan is $4 = 5$, een tegenspraak.",
    "Předpokládejme opak. Pak $4 = 5$, což je spor.",
    "Antag motsatsen. Då är $4 = 5$, en motsägelse.",
]
_FINNISH = "Jos luku on pieni niin se ei ole suuri, ja luku on myös kokonainen. Siis"


@pytest.fixture(scope="module")
def proofreader() -> TextProofreader:
    return TextProofreader()


def list_verdicts(proofreader: TextProofreader, text: str) -> list[str]:
    return [each.verdict for each in proofreader.check_links(text)]


@pytest.mark.parametrize("text", _CLAIMS)
def test_claims_for_all_numbers_are_read(proofreader: TextProofreader, text: str) -> None:
    assert list_verdicts(proofreader, text) == ["wrong"]
    assert list_verdicts(proofreader, text.replace("a^2 + 4", "a^2 + 4a + 4")) == ["right"]


@pytest.mark.parametrize("text", _ABSURDITIES)
def test_what_is_refuted_is_no_mistake(proofreader: TextProofreader, text: str) -> None:
    assert list_verdicts(proofreader, text) == ["not shown"]


@pytest.mark.parametrize(
    ("words", "languages"),
    [("ולכן לכל מספר", "he"), ("Therefore (следовательно) we get the", "en ru"), ("よって任意の", "ja")],
)
def test_the_language_is_found_by_letters_and_common_words(words: str, languages: str) -> None:
    assert find_languages(words) == (tuple(languages.split()), "")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("ดังนั้นสำหรับทุกจำนวนจริงจะได้ว่า", "Thai letters"),
        ("Άρα για κάθε πραγματικό ισχύει", "Greek letters"),
        (_FINNISH, "Finnish"),
    ],
)
def test_nothing_is_accused_where_the_words_cannot_be_read(
    proofreader: TextProofreader, words: str, name: str
) -> None:
    links = list(proofreader.check_links(f"{words} $4 < 3$ {words}\n\n$2 + 5 = 8$"))
    assert [each.verdict for each in links] == ["not shown", "doubtful"]
    assert all(f"in {name}, which cannot be read" in each.reason for each in links)


def test_a_few_words_of_another_language_hide_no_mistake(proofreader: TextProofreader) -> None:
    assert list_verdicts(proofreader, "Then we see (ดังนั้น) that $2 + 5 = 8$ and so on.") == ["wrong"]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("״$5 < 3$״ הוא פסוק", "not shown"),
        ('"Then $6$ is even and $5 < 3$" is a sentence.', "not shown"),
        ("We read „so $5 < 3$“ there.", "not shown"),
        ('The "parity" of it shows that $5 < 3$ holds.', "wrong"),
        ("Hence $5 < 3$ **— a contradiction.**", "not shown"),
        ("Hence $5 < 3$ **— a surprise.**", "wrong"),
    ],
)
def test_quoted_and_refuted_statements_are_no_claims(
    proofreader: TextProofreader, text: str, verdict: str
) -> None:
    assert list_verdicts(proofreader, text) == [verdict]


def test_a_point_before_a_formula_from_right_to_left_ends_its_sentence(proofreader: TextProofreader) -> None:
    assert list_verdicts(proofreader, "לכן מתקיים $.5 + 2 = 7$") == ["right"]
    assert list_verdicts(proofreader, "לכן מתקיים $.5 + 2 = 8$") == ["wrong"]
    assert list_verdicts(proofreader, "Thus we have $.5 + 2 = 2.5$") == ["right"]
