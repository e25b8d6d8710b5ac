"""Compare answers in words."""

from __future__ import annotations

from fractions import Fraction

from engines.grading.answer_vocabulary import CONTRASTING, COPULA_VERBS, HEDGES, REASONS_BEHIND, STATING_VERBS
from engines.grading.forms import Form, Many, WordsForm
from engines.grading.messages import to_message_text
from engines.grading.numbers import Term
from engines.grading.sentence_quantities import find_denial
from engines.grading.times import count_minutes, read_date
from engines.grading.tokens import TEXT_COMMANDS, AnswerToken, is_blank, skip_blanks, tokenize
from engines.grading.verdicts import EQUAL, GradeVerdict, differ_by, differ_in_kind


def compare_words(gold: Form, pred: Form) -> GradeVerdict:
    """Return whether words are the same but for case, hyphens and articles; their meaning is not compared."""
    gold_words, pred_words = (_plain_words(item) for item in (gold, pred))
    clocks = [_count_clock(item) for item in (gold, pred)]
    if None not in clocks and any(isinstance(item, WordsForm) for item in (gold, pred)):
        return (
            EQUAL
            if clocks[0] == clocks[1]
            else differ_by(f"“{to_message_text(gold)}” and “{to_message_text(pred)}”")
        )
    if gold_words is None or pred_words is None:
        word = gold_words if pred_words is None else pred_words
        if word is None or word in _DECIDED:
            return differ_in_kind(gold, pred)
        return GradeVerdict("undecided", reason="what words mean is not compared with a formula")
    if gold_words == pred_words or (
        " and " in f" {gold_words} " and sorted(gold_words.split()) == sorted(pred_words.split())
    ):
        return EQUAL
    if any(_is_subject(*pair) for pair in ((gold, pred), (pred, gold))):
        return GradeVerdict("equal", reason="it is what the sentence speaks of")
    if any(_is_predicate(*pair) for pair in ((gold, pred), (pred, gold))):
        return GradeVerdict("equal", reason="it is what the sentence says of its subject")
    mine, theirs = _take_decision(gold), _take_decision(pred)
    if mine is not None and theirs is not None and not (mine[1] and theirs[1]):
        return EQUAL if mine[0] == theirs[0] else differ_by(f"{mine[0]} and {theirs[0]}")
    dates = [
        item.text if isinstance(item, WordsForm) and read_date(tokenize(item.text)) == item.text else ""
        for item in (gold, pred)
    ]
    if all(dates):
        if dates[0].startswith(f"{dates[1]},") or dates[1].startswith(f"{dates[0]},"):
            return GradeVerdict("equal if", condition=f"both are in {max(dates, key=len).split()[-1]}")
        return differ_by(" and ".join(dates))
    choices = _list_choices(gold), _list_choices(pred)
    if choices[0] and choices[1]:
        same = {*choices[0]} == {*choices[1]}
        return EQUAL if same else differ_by(f"{' and '.join(choices[0])} are not {' and '.join(choices[1])}")
    for together, apart in ((gold, choices[1]), (pred, choices[0])):
        if apart and sorted(text := getattr(together, "text", "")) == sorted(apart):
            return GradeVerdict("equal if", condition=f"{text} lists choices")
    if _is_time(gold_words) and f"{gold_words} pm" == pred_words and gold_words.startswith("12 "):
        return GradeVerdict("equal", reason="12 p.m. is noon")
    if (
        _is_time(gold_words)
        and _is_time(pred_words)
        and pred_words.startswith(gold_words) != gold_words.startswith(pred_words)
    ):
        return GradeVerdict(
            "equal if", condition=f"both are {max(gold_words, pred_words, key=len).split()[-1]}"
        )
    if _has_other_script(gold_words) != _has_other_script(pred_words):
        return GradeVerdict("undecided", reason="they are words of different languages")
    if (gold_words in _DECIDED) != (pred_words in _DECIDED):
        return GradeVerdict("undecided", reason="one of them only says yes or no")
    if len(gold_words.split()) == len(pred_words.split()) == 1 or (
        _is_time(gold_words) and _is_time(pred_words)
    ):
        return GradeVerdict("different", witness=f"“{to_message_text(gold)}” and “{to_message_text(pred)}”")
    return GradeVerdict("undecided", reason="words are compared by their letters, not by what they mean")


def _count_clock(item: Form) -> int | None:
    """Return the minutes since midnight of a time of day, also as `9 pm` or 21h30; None for anything else."""
    if isinstance(item, WordsForm):
        return count_minutes(item.text)
    if not isinstance(item, Term) or item.value is None or item.unit is None:
        return None
    half = next((half for half in ("a.m.", "p.m.") if item.unit.measures_only(half)), "")
    if half and 0 < item.value <= 12 and item.value.denominator == 1:  # hours of a clock
        return count_minutes(f"{item.value}:00 {half.replace('.', '')}")
    minutes = item.value * item.unit.factor / 60 if item.unit.measures_only("time") else Fraction(-1)
    return int(minutes) if 0 <= minutes < _DAY and minutes.denominator == 1 else None


_DAY = 24 * 60


def _has_other_script(words: str) -> bool:
    """Return whether a text has letters that are not Latin ones."""
    return any(letter.isalpha() and letter > _LAST_LATIN for letter in words)


def _take_decision(item: Form) -> tuple[str, str] | None:
    """Return the yes or no that a text is or begins with, and what follows; none where that limits it."""
    text = item.text if isinstance(item, WordsForm) else ""
    tokens = tokenize(text)
    word = tokens[0].text.lower() if tokens else ""
    rest = text[len(word) :].strip(" ,.!")
    limited = any(table.find(tokens[1:]) is not None for table in (HEDGES, CONTRASTING))
    parted = not rest or (len(tokens) > 1 and tokens[1].text in tuple(",.!"))
    return (word, rest) if word in _DECIDED and parted and not limited else None


def _is_predicate(short: Form, sentence: Form) -> bool:
    """Return whether a word is what a sentence says of its subject: `similar` in `they are similar by AA`."""
    word = short.text if isinstance(short, WordsForm) else ""
    said = sentence.text if isinstance(sentence, WordsForm) else ""
    if not word.isalpha() or len(word) < _SHORTEST_PREDICATE or len(said) <= len(word):
        return False
    tokens = tokenize(said)
    places = [at for at, token in enumerate(tokens) if token.text.lower() == word.lower()]
    if len(places) != 1:
        return False
    at = places[0]
    behind = skip_blanks(tokens, at + 1)
    reason = REASONS_BEHIND.match(tokens, behind) is not None
    ends = reason or behind >= len(tokens) or tokens[behind].text in tuple(".,;")
    before = at
    while before and (is_blank(tokens[before - 1]) or tokens[before - 1].text.lower() in _ADVERBS):
        before -= 1
    verb = any(table.match_before(tokens, before) is not None for table in (COPULA_VERBS, STATING_VERBS))
    if HEDGES.find(tokens) is not None:
        return False
    return ends and verb and find_denial(tokens, 0, at) is None


def compare_properties(gold: str, pred: str) -> GradeVerdict | None:
    """Compare what two sentences say that something is, and is not; None where one of them says something
    else.

    >>> compare_properties("reflexive, not symmetric", "It is reflexive but not symmetric.").outcome
    'equal'
    """
    mine, theirs = _list_properties(gold), _list_properties(pred)
    if not mine or not theirs:
        return None
    if mine.keys() != theirs.keys():
        return GradeVerdict("undecided", reason="they name different properties")
    apart = [word for word, holds in mine.items() if holds != theirs[word]]
    return differ_by(f"{apart[0]} and not {apart[0]}") if apart else EQUAL


def find_restriction(text: str) -> str:
    """Return the property that a sentence denies behind another one: `sufficient` of `necessary but not
    sufficient`; "" where it denies none, or repeats itself as in `even, not odd`.

    >>> find_restriction("It is continuous but not differentiable."), find_restriction("even, not odd")
    ('differentiable', '')
    """
    denied = [word for word, holds in _list_properties(text).items() if not holds]
    is_contrast = any(token.text.lower() == "but" for token in tokenize(text))
    return denied[0] if denied and is_contrast else ""


def may_list_properties(text: str) -> bool:
    """Return whether a text has words that join or deny properties, so that it is worth parsing it."""
    return any(f" {word} " in text for word in ("and", "not", "nor", "but"))


def _list_properties(text: str) -> dict[str, bool]:
    """Return what a sentence says that something is, and is not: `reflexive, but not symmetric`; {} for other
    texts, and for a single property."""
    tokens = [token for token in tokenize(text) if token.text not in tuple(".$")]
    verb = COPULA_VERBS.find(tokens)
    said: dict[str, bool] = {}
    holds, neither, fresh = True, False, True
    for token in tokens[verb[1] if verb is not None and verb[0] < _MOST_SUBJECT else 0 :]:
        word = _PROPERTIES.get(token.text.lower(), token.text.lower())
        if is_blank(token) or word in ("both", "it", "is", "holds", "hold"):
            continue
        if word in _CAUSES and said:
            break
        if word in _FAILING and not fresh:
            said[[*said][-1]] = False  # transitivity fails
        elif word in _PARTING:
            fresh, holds = True, not neither
        elif word in ("not", "neither", *_FAILING):
            neither, holds = word == "neither", False
        elif token.kind == "word" and fresh and len(word) >= _SHORTEST_PREDICATE and word not in said:
            said[word], fresh = holds, False
        else:
            return {}
    return said if len(said) > 1 else {}


_PARTING = (",", ";", "and", "but", "nor")
_FAILING = ("fails", "lacks", "fail", "lack")
_CAUSES = ("because", "since", "as", "for", "(")
_PROPERTIES = {
    noun: f"{noun.removesuffix('ity')}e" if noun.endswith("ivity") else adjective
    for noun, adjective in (
        *((f"{stem}ivity", "") for stem in ("transit", "reflex", "inject", "surject", "biject", "associat")),
        *((f"{prefix}symmetry", f"{prefix}symmetric") for prefix in ("", "a", "anti")),
        *(("continuity", "continuous"), ("differentiability", "differentiable"), ("linearity", "linear")),
        *(("commutativity", "commutative"), ("boundedness", "bounded"), ("monotonicity", "monotonic")),
    )
}
"""Nouns for properties, with the words that say them of something."""
_MOST_SUBJECT = 8
"""Tokens before the verb of a sentence that lists properties."""


def _is_subject(short: Form, sentence: Form) -> bool:
    """Return whether a name is what a sentence says something unique of: `Mia` of `Mia is the tallest`."""
    name = short.text if isinstance(short, WordsForm) else ""
    tokens = tokenize(sentence.text if isinstance(sentence, WordsForm) else "")
    said = [token.text for token in tokens if not is_blank(token)]
    if not name.isalpha() or not name.istitle() or said[:1] != [name] or said[2:3] != ["the"]:
        return False
    others = any(word[:1].isupper() for word in said[1:])
    limited = any(table.find(tokens) is not None for table in (HEDGES, CONTRASTING))
    return said[1] in _VERBS and not others and not limited and find_denial(tokens, 0, len(tokens)) is None


_VERBS = ("is", "was", "has", "had", "won", "wins", "got")
_ADVERBS = ("a", "an", "always", "also", "indeed")
_SHORTEST_PREDICATE = 4


def _list_choices(item: Form) -> list[str]:
    """Return the letters of several choices, as `A, C` or `C and A`; [] for anything else."""
    parts = item.items if isinstance(item, Many) else (item,)
    said = [
        token.text
        for part in parts
        for token in tokenize(part.text if isinstance(part, WordsForm | Term) else "?")
        if not is_blank(token) and token.text not in (*TEXT_COMMANDS, *"{},;、", "and")
    ]
    is_list = isinstance(item, Many) or " and " in getattr(item, "text", "")
    return said if is_list and len(said) > 1 and all(one in _CHOICES for one in said) else []


def _is_time(words: str) -> bool:
    """Return whether words are a time of day: its hour and minute, and which half of the day."""
    hour, minute, *half = words.split() if words[:1].isdecimal() else ("", "")
    return hour.isdecimal() and minute.isdecimal() and half in ([], ["am"], ["pm"])


_CHOICES = tuple("ABCDEFGHJ")
_LAST_LATIN = "\u024f"
_DECIDED = ("yes", "no", "true", "false")


def _plain_words(item: Form) -> str | None:
    if isinstance(item, Many) and all(isinstance(one, WordsForm | Term) for one in item.items):
        parts = [_plain_words(one) for one in item.items]
        return None if None in parts else " ".join(part for part in parts if part)
    if not isinstance(item, WordsForm | Term) or (isinstance(item, Term) and item.value is not None):
        return None
    tokens = [token for token in tokenize(item.text) if token.text not in TEXT_COMMANDS]
    if isinstance(item, Term) and not all(_is_of_words(token) for token in tokens):
        return None
    spaced = "".join(token.text if token.kind in ("word", "digits") else " " for token in tokens)
    words = spaced.casefold().split()
    article = words[:1] and words[0] in _ARTICLES and len("".join(words[1:2])) > 1
    return " ".join(words[1:] if article else words)


def _is_of_words(token: AnswerToken) -> bool:
    return (
        is_blank(token) or (token.kind == "word" and token.text.isascii()) or token.text in tuple("{}().'-")
    )


_ARTICLES = ("the", "a", "an")
