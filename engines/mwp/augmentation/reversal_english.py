"""Reversed questions in English: the text step, on the dependency parse of `engines.language`.

The clause with the asked number becomes the question at the end; the old question becomes the statement of
its answer. What a clause loses by moving, the name behind a pronoun and the time that it speaks of, is put
back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from engines.mwp.augmentation.english import Clause, asked, clause, stated
from engines.mwp.augmentation.reversal import ReversedText
from engines.mwp.augmentation.variant import asks, sentences
from engines.mwp.problems.problem import Problem

_ASK = re.compile(r"\b(?:how (?:many|much|old)|what(?: is| was| 's| are| were)(?= (?:the|his|her|their)\b))")
_IF = re.compile(r"^(?:and |but |so |now |then )?if\b\s*")
_PLACE = re.compile(r"N_\d+")
_CHANGED = ("left", "now", "remaining", "remain", "still", "after", "leftover")
_PRONOUNS = ("he", "she", "it", "they")
_TOTAL_WORDS = "total all altogether now left then end together combined still will would"
_TOTAL = frozenset(_TOTAL_WORDS.split())
_NO_NOUN = ("more", "for", "in", "on", "at", "to", "from", "of", "by", "with", "during", "each", "per")
_MARK = re.compile(r"\s*([,.?!;])(?=\s|$)")
_STARTS_WORDS = """
he she it they we you the a an there if each every then now how what his her their its in at on after before
later some for
"""
_STARTS = frozenset(_STARTS_WORDS.split())
_UNSURE = re.compile(
    r"\b(?:half|twice|double|triple|first|second|third|rest|other|others|another|same|both|percent|%)\b"
)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A problem taken apart: the clauses that state, in order, the question, and what led to it."""

    statements: tuple[str, ...]
    question: str
    lead: str


def refusal(problem: Problem) -> str:
    """Why nothing of a problem is reversed; empty where something may be."""
    taken = _taken(problem.text)
    return taken if isinstance(taken, str) else ""


def reversed_text(problem: Problem, number: int, answer: int) -> ReversedText | str:
    """The text that asks for a number and tells the answer as the placeholder `N_{answer}`; or why not."""
    taken = _taken(problem.text)
    if isinstance(taken, str):
        return taken
    name = f"N_{number}"
    places = [at for at, one in enumerate(taken.statements) if name in one.split()]
    if len(places) != 1:
        return (
            "the number is in the question itself"
            if name in taken.question.split()
            else "the number is unclear"
        )
    (place,) = places
    money = "$" in problem.text or "dollar" in problem.text
    statement = stated(clause(taken.question), f"N_{answer}", money=money)
    if statement is None:
        return "the old question has no known form"
    moved = taken.statements[place]
    rest = list(taken.statements)
    pair = _apart(moved, name)
    if pair is not None:
        moved, rest[place] = pair
    else:
        rest[place] = ""
    question = asked(clause(moved), name)
    if question is None:
        return "the number's clause has no known form"
    if taken.lead:
        statement = f"{taken.lead} {statement}"
    parts = [*(one for one in rest if one), statement]
    parts, question, clear = _named(parts, question, taken.statements)
    question = _in_time(question, moved, place, taken)
    doubts = _doubts(problem, number, moved, question, taken, parts)
    if not clear:
        return "a pronoun would have no antecedent"
    if re.search(r"[A-Z](?!_\d)", problem.text):
        parts, question = [part[:1].upper() + part[1:] for part in parts], question[:1].upper() + question[1:]
    return ReversedText(" ".join(f"{part} ." for part in parts) + f" {question} ?", doubts)


@lru_cache(maxsize=4096)
def _taken(text: str) -> _Taken | str:
    parts = [_lowered(part) for part in sentences(_MARK.sub(r" \1", text))]
    asking = [at for at, part in enumerate(parts) if asks(part, "en")]
    if len(asking) != 1 or asking[0] != len(parts) - 1:
        return "there is not one question at the end"
    match = _ASK.search(parts[-1])
    if match is None:
        return "the question has no known form"
    before, question = parts[-1][: match.start()].strip(" ,"), parts[-1][match.start() :].strip(" ?.")
    stating = [one for part in parts[:-1] for one in _clauses(part)]
    tail = question.find(" if ")
    behind = ""
    if tail > 0:
        question, behind = question[:tail], question[tail + 4 :]
    lead = ""
    if before:
        inner = clause(before)
        if any(word.tag in ("VBD", "VBZ", "VBP", "MD") for word in inner.parse):
            stating += _clauses(_IF.sub("", re.sub(r"\b(?:and|then|so|,)$", "", before).strip()))
        elif len(inner.words) <= 6 and not _PLACE.search(before):
            lead = before if before not in ("and", "then", "so", "now", "about") else ""
        else:
            return "the text before the question has no known form"
    stating += _clauses(behind) if behind else []
    return _Taken(tuple(stating), question, lead)


def _lowered(sentence: str) -> str:
    """A sentence with its first word in small letters, unless that may be a name."""
    first, _, rest = sentence.partition(" ")
    return f"{first.lower()} {rest}" if first.lower() in _STARTS else sentence


def _clauses(sentence: str) -> list[str]:
    sentence = _IF.sub("", sentence.strip(" .!?,;"))
    whole = clause(sentence)
    for at, word in enumerate(whole.words):
        if word not in ("and", "but", "then", ",", "so") or at < 2:
            continue
        after = at + 1
        while whole.words[after : after + 1] and whole.words[after] in (
            "and",
            "but",
            "then",
            "so",
            "also",
            ",",
        ):
            after += 1
        if after >= len(whole.words) - 1:
            continue
        left, right = " ".join(whole.words[:at]), list(whole.words[after:])
        tag, following = whole.parse[after], whole.tag(after + 1)
        if tag.text in _PRONOUNS or tag.text in ("i", "we", "there"):
            return [*_clauses(left), *_clauses(" ".join(right))]
        first = clause(left)
        if (
            tag.tag in ("VBD", "VBZ")
            and following != "IN"
            and any(one.tag in ("VBD", "VBZ") for one in first.parse)
        ):
            subject = _subject(first)
            if subject:
                return [*_clauses(left), *_clauses(" ".join([subject, *right]))]
        if tag.tag in ("DT", "PRP$", "NN", "NNP", "CD") and _has_verb_after_subject(whole, after):
            return [*_clauses(left), *_clauses(" ".join(right))]
    return [sentence] if sentence else []


def _has_verb_after_subject(whole: Clause, begin: int) -> bool:
    """Whether a noun phrase begins there that is the subject of a verb of its own, with one before it too."""
    if not any(one.tag in ("VBD", "VBZ", "VBP") for one in whole.parse[:begin]):
        return False
    for at in range(begin, min(begin + 6, len(whole.words))):
        tag = whole.tag(at)
        if tag in ("VBD", "VBZ", "VBP", "MD"):
            return at > begin
        if tag not in ("DT", "PRP$", "NN", "NNS", "NNP", "JJ", "CD", "POS"):
            return False
    return False


def _subject(one: Clause) -> str:
    for place, word in enumerate(one.parse):
        if word.relation in ("nsubj", "nsubj:pass"):
            span = sorted(at for at in one.below(place) if at <= place)
            if one.tag(span[0]) in ("IN", "RB", "TO", "CC", "CD") or one.words[span[0]] in ("each", "every"):
                return ""
            return " ".join(one.words[at] for at in span)
    return ""


def _apart(statement: str, name: str) -> tuple[str, str] | None:
    """A statement of two amounts as two of one, the named first: "a has N_0 x and N_1 y" for N_0 as
    "a has N_0 x" and "a has N_1 y"."""
    words = statement.split()
    amounts = [at for at, word in enumerate(words) if _PLACE.fullmatch(word)]
    if len(amounts) != 2:
        return None
    first, second = amounts
    between = words[first + 1 : second]
    dollars = words[first - 1] == "$" and between[-1:] == ["$"]
    if dollars:
        between = between[:-1]
    if between[-1:] != ["and"] or len(between) > 6:
        return None
    begin, start = (first - 1, second - 1) if dollars else (first, second)
    one = [*words[:begin], *words[begin : second - 1 - dollars]]
    two = [*words[:begin], *words[start:]]
    if begin == 0 or not words[second + 1 : second + 2] or words[second + 1] in _NO_NOUN:
        return None
    shared = _shared(words, second)
    one += [] if set(between) & set(_NO_NOUN) else shared
    return (" ".join(one), " ".join(two)) if words[first] == name else (" ".join(two), " ".join(one))


def _shared(words: list[str], second: int) -> list[str]:
    """What stands behind both amounts: "… N_0 cows and N_1 pigs in the barn"."""
    for at in range(second + 1, len(words)):
        if words[at] in ("in", "on", "at", "for", "from", "to", "during", "with"):
            return words[at:]
    return []


def _named(parts: list[str], question: str, statements: tuple[str, ...]) -> tuple[list[str], str, bool]:
    """The parts with the name for the pronoun that would come first; whether every pronoun has a name."""
    names = [_subject(clause(one)) for one in statements]
    name = next((one for one in names if one and one.split()[0] not in _PRONOUNS), "")
    before: list[str] = []
    for at, part in enumerate([*parts, question]):
        words = part.split()
        subject = _subject(clause(part)) if at < len(parts) else ""
        found = subject if subject in ("he", "she", "it") else None
        if at == len(parts):
            found = next((word for word in words if word in ("he", "she", "it")), None)
        known = any(
            set(one.split()) - set(_PRONOUNS) and _subject(clause(one)) not in ("", *_PRONOUNS)
            for one in before
        )
        if found and not known and at < len(parts):
            if not name or found in ("it",):
                return parts, question, False
            words[words.index(found)] = name
            parts[at] = " ".join(words)
        elif found and not known:
            return parts, question, False
        before.append(part)
    if name and name not in " ".join(parts):
        for pronoun in _PRONOUNS:
            question = re.sub(rf"\b{pronoun}\b", name, question, count=1)
    return parts, question, True


def _in_time(question: str, moved: str, place: int, taken: _Taken) -> str:
    """The question with "at first" where the clause speaks of what was before something changed."""
    shared = re.search(r"\b(?:each|every|per|than)\b", " ".join((*taken.statements, taken.question)))
    if shared or not question.startswith("how") or re.search(r"\b(?:more|fewer|first|before)\b", question):
        return question
    if "difference" in taken.question:
        return question
    if _content(question) <= _content(taken.question):
        for now, before in ((" are ", " were "), (" is ", " was "), (" does ", " did "), (" do ", " did ")):
            question = question.replace(now, before)
        return f"{question} at first"
    changes = set(taken.question.split()) & set(_CHANGED) or len(taken.statements) > 1
    same = place == 0 and re.search(r"\b(?:had|has|have|were|are|was)\b", moved)
    compared = re.search(
        r"\b(?:more|fewer|less|total|altogether|all|together|each|every|difference)\b", taken.question
    )
    if not (same and changes) or compared or re.search(r"\b(?:each|every)\b", moved):
        return question
    owner = _subject(clause(moved))
    about = owner and owner in taken.question
    if "there" in moved.split() or about or re.search(r"\b(?:he|she|they)\b", taken.question):
        question = re.sub(r"^(.*?)\bdoes\b(?=.* have\b)", r"\1did", question)
        question = re.sub(r"^(.*?)\bare there\b", r"\1were there", question)
        return f"{question} at first"
    return question


_ASKING_WORDS = "how many much did does do the a of he she they have has"
_ASKING = frozenset(_ASKING_WORDS.split())


def _content(question: str) -> set[str]:
    plain = set(re.findall(r"[a-z]+", question))
    return plain - _ASKING


def _doubts(
    problem: Problem,
    number: int,
    moved: str,
    question: str,
    taken: _Taken,
    parts: list[str],
) -> tuple[str, ...]:
    result = []
    asks_for = taken.question.split()
    if (
        "more" in asks_for
        and "than" not in asks_for
        and not {"need", "needs", "needed", "must"} & set(asks_for)
    ):
        result.append("the old question compares with nothing")
    alike = _content(question) - {"more", "first", "at", "then"} <= _content(taken.question)
    if alike and not _TOTAL & set(asks_for):
        result.append("the total is not named as such")
    if _PLACE.search(taken.question):
        result.append("the old question contains a number")
    if re.search(r"\b(?:them|their|this|these|those|they|it)\b|^N_\d+ (?:are|were)\b", parts[0]):
        result.append("the text begins with a reference to earlier text")
    if problem.values.count(problem.values[number]) > 1:
        result.append("the number asked for occurs twice in the text")
    if abs(problem.answer - round(problem.answer)) > 1e-9 and "$" not in problem.text:
        result.append("the stated answer is not a whole number")
    if _UNSURE.search(moved):
        result.append("the clause refers to earlier text")
    if len(_PLACE.findall(moved)) > 1:
        result.append("the question contains another number")
    if re.search(r"\b(?:some|several|few|any)\b", " ".join(taken.statements)):
        result.append("the text mentions another unknown amount")
    if re.search(r"\b(?:it|them|this|these|those|that|which|who)\b", question):
        result.append("the question refers to earlier text")
    if len(question.split()) < 5:
        result.append("the question is very short")
    if taken.lead:
        result.append("there were words before the old question")
    return tuple(result)
