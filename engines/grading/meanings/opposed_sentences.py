"""Whether two sentences around the same answer say something else: that there is none, not, or of other x."""

from __future__ import annotations

from itertools import product

from engines.grading.answer_vocabulary import make_phrases
from engines.grading.final_answer import take_last_sentence
from engines.grading.meanings.claims import Claim, list_aspects, list_worlds, read_claim
from engines.grading.meanings.class_vocabulary import CLASSES
from engines.grading.meanings.compare_meanings import has_words
from engines.grading.meanings.quantifier_words import find_leading_quantifier, find_other_quantifiers
from engines.grading.meanings.sentence_items import SentenceItem, list_items
from engines.grading.meanings.sentence_vocabulary import DENYING
from engines.grading.tokens import Phrases, is_blank, tokenize

_LONGEST = 300
"""Longer texts are solutions, of which the last sentence counts."""
_MISSING = {"existence": "missing", "solutions": "0", "convergence": "divergent"}
_DENYING = Phrases(dict.fromkeys((phrase for phrase in DENYING.split(", ")), ""))


def find_opposition(gold: str, pred: str, problem: str = "") -> str:
    """Return what two texts with the same answer say differently around it; "" where nothing is found.

    Args: gold, pred: both texts. problem: the question, which may ask for a condition on one number.

    >>> find_opposition("The limit does not exist (left limit -1, right limit 1).", "The limit is 1.")
    'only one of them says that there is none'
    """
    sides = [text if len(text) <= _LONGEST else take_last_sentence(text) for text in (gold, pred)]
    if max(map(len, sides)) > _LONGEST or any("\\boxed" in side for side in sides):
        return ""
    valued = all(any(char.isdecimal() for char in side) for side in sides)
    missing = list(map(_says_missing, sides)) if valued else []
    if {*missing} == {True, False} and not _names_existence(sides[missing.index(False)]):
        return "only one of them says that there is none"
    if all(map(_is_verdict, sides)) and sum(map(_limits_verdict, sides)) == 1:
        return "only one of them limits its verdict"
    if _is_denial_of(*sides):
        return "one of them denies the other"
    asks_condition = _CONDITIONS.find(tokenize(problem)) is not None
    leads = [find_leading_quantifier(side) for side in sides]
    # A denial behind a quantifier turns it: not all birds can fly, some birds cannot.
    is_denied = any(item.kind == "not" for side in sides for item in list_items(side)[1][1:])
    if all(leads) and leads[0] != leads[1] and not is_denied:
        return f"one says {leads[0]}, the other {leads[1]}"
    for one, other in (sides, sides[::-1]):
        names_part = _names_part(one, _SOME) or (not asks_condition and _names_part(one, _ONE))
        if names_part and any(map(other.__contains__, _BOUNDS)) and not has_words(other):
            return "only one of them speaks of some numbers and not of all"
        if _states_alternatives(one) and _states_together(other):
            return "what one of them states together, the other states as alternatives"
    if other := find_other_quantifiers(*sides):
        return f"they differ in {other}"
    return ""


_SOME = make_phrases(
    "some, many, most, a few, few, several, einige, manche, viele, mehrere, die meisten, quelques",
    "certains, certaines, plusieurs, beaucoup de, algunos, algunas, muchos, muchas, varios, alcuni, alcune",
    "molti, molte, alguns, algumas, muitos, некоторые, многие, несколько, 一些, 有些, 某些, いくつかの",
)
"""Words before things that say that not all of them are meant."""
_ONE = make_phrases(
    "a number, some number, one number, a real number, an integer, a value, a positive number, eine Zahl",
    "eine reelle Zahl, eine ganze Zahl, un nombre, un nombre réel, un entier, un número, un número real",
    "un entero, un numero, un numero reale, um número, um número real, число, какое-то число",
)
"""Words before what is said of one number, and not of all."""
_CONDITIONS = make_phrases(
    "condition, conditions, satisfy, satisfies, what can be said, what must, what can you say, describe",
    "Bedingung, was muss, was gilt, beschreibe, condition sur, que peut-on dire, condición, qué condición",
    "condizione, condição, условие, условию, 条件",
)
"""Words of a question for what holds of a number that it names."""
_BOUNDS = (*"<>≤≥≠∈[", "\\le", "\\ge", "\\in", "\\ne", "\\lt", "\\gt", "\\infty", "∞")


def _names_part(text: str, phrases: Phrases[str]) -> bool:
    """Return whether a text begins with words for some of the things that it names."""
    tokens = tokenize(text.strip(" $"))
    match = phrases.match(tokens, 0)
    return match is not None and any(token.kind == "word" for token in tokens[match[0] :])


def _states_alternatives(text: str) -> bool:
    """Return whether `or` stands between a class and a formula: it converges or its sum is 2."""
    items = list_items(text)[1]
    kinds = [item.kind for item in items]
    return any(
        kind == "or"
        and {("class", "formula"), ("formula", "class")} & set(product(kinds[:at], kinds[at + 1 :]))
        for at, kind in enumerate(kinds)
    )


def _states_together(text: str) -> bool:
    """Return whether a text states a class and a formula without `or`."""
    kinds = {item.kind for item in list_items(text)[1]}
    return {"class", "formula"} <= kinds and "or" not in kinds


def _says_missing(text: str) -> bool:
    """Return whether the first clause of a sentence says that something does not exist, so that what stands
    behind it, as in brackets, is no value of it."""
    text = text.replace("**", "")
    tokens, items = list_items(text)
    end = next((at for at, item in enumerate(items) if _ends_clause(item)), len(items))
    behind = items[end:]
    is_remark = bool(behind) and behind[0].name.startswith(("(", "（"))
    # What follows from it, or another sentence, may state a value.
    if not end or any(item.kind in ("conclusion", "but") for item in behind):
        return False
    if any(item.kind == "mark" and item.name in ".。" and item is not behind[-1] for item in behind):
        return False
    last = items[end - 1].end
    clause = text[: tokens[last - 1].end]
    claim = read_claim(clause)
    if claim is None:
        # A noun that is not known is missing as well: `there is no such matrix (det = 5)`.
        return is_remark and find_leading_quantifier(clause) == "none"
    said = [list_aspects(part.tree) for part in claim.parts]
    is_refused = is_remark and said == [["truth"]] and ("no",) in list_worlds(claim.parts[0].tree, ["truth"])
    return is_refused or _leaves_nothing(claim)


def _ends_clause(item: SentenceItem) -> bool:
    is_equation_in_brackets = item.kind == "formula" and item.name.startswith("(") and "=" in item.name
    return is_equation_in_brackets or item.kind in ("mark", "reason", "but")


def _is_verdict(text: str) -> bool:
    """Return whether a text begins with a verdict, as yes or false."""
    items = list_items(text)[1]
    return bool(items) and items[0].kind in ("class", "decision") and items[0].name in ("yes", "no")


def _limits_verdict(text: str) -> bool:
    """Return whether words such as `only if` stand behind a verdict at the beginning."""
    items = list_items(text)[1]
    takes_back = any(
        item.kind == "but" and (behind.kind == "not" or behind.name == "no")
        for at, item in enumerate(items)
        for behind in items[at:]
    )
    return takes_back or any(item.kind == "limit" or item.name == "exact" for item in items[1:])


def _names_existence(text: str) -> bool:
    """Return whether words of a text say of something that it exists, or not, wherever they stand."""
    if any(
        item.kind == "not" or (item.kind, item.name) == ("decision", "no") for item in list_items(text)[1]
    ):
        return True
    return any(
        not _MISSING.keys().isdisjoint(CLASSES[item.name][0])
        for item in list_items(text)[1]
        if item.kind == "class"
    )


def _leaves_nothing(claim: Claim) -> bool:
    if len(claim.parts) != 1 or claim.parts[0].places or claim.domain not in ("", "real"):
        return False
    tree = claim.parts[0].tree
    aspects = list_aspects(tree)
    if tree.label == "not" and aspects == ["extremum"]:
        return True  # it has no maximum
    return len(aspects) == 1 and list_worlds(tree, aspects) == [(_MISSING.get(aspects[0], ""),)]


def _is_denial_of(gold: str, pred: str) -> bool:
    """Return whether two texts are the same but for one denial."""
    mine, theirs = map(_drop_denials, (gold, pred))
    return mine[1] != theirs[1] and bool(mine[0]) and mine[0] == theirs[0]


def _drop_denials(text: str) -> tuple[list[str], int]:
    """Return the words of a text without those that deny it, and whether it is denied."""
    tokens = [token for token in tokenize(text) if not is_blank(token)]
    words: list[str] = []
    denied, at = 0, 0
    while at < len(tokens):
        if (match := _DENYING.match(tokens, at)) is not None and tokens[at].kind == "word":
            denied, at = denied + 1, match[0]
            continue
        words.append(tokens[at].text.lower())
        at += 1
    return [word for word in words if word not in _ARTICLES], denied % 2


_ARTICLES = (
    "a",
    "an",
    "ein",
    "eine",
    "einen",
    "un",
    "une",
    "um",
    "uma",
    "do",
    "does",
    "ne",
    "n",
    "'",
    ".",
    "de",
)
"""Words that come and go with a denial."""
