"""What a text says of its statements by words: that one is given, claimed, or denied."""

from __future__ import annotations

import re

_GIVEN = """
    let suppose assume assuming if when whenever where set setting denote define given for with letting
    choose consider considering solve want wants wanted need needs find take taking call satisfy
    satisfies satisfying provided unless whether plugging substituting substitute plug equation
    equations system such recall line equating case otherwise try guess trying minimize maximize form
    desired require requires represent represents condition constraint graph function defined curve
    circle parabola hyperbola ellipse plane lines label letter
"""
_CLAIMED = """
    then so thus therefore hence have get gets gives give yields yield implies obtain becomes become
    simplifies simplify follows since because which means consequently conclude answer expand expands
    expanding factor factors factoring equals equal is are compute calculate finally reduces rewrite
    write simplifying solving see leads now note notice that's indeed
"""
_LEADING = frozenset(
    ("so", "then", "thus", "hence", "therefore", "or", "we", "get", "gives", "have", "which")
)
_DENIED = re.compile(
    r"\b(?:not|never|cannot|can't|impossible|contradict\w*|absurd|false|wrong|incorrect\w*|mistake\w*|isn't|"
    r"doesn't|does not|unless|whether|would|erroneous\w*|fallac\w*|claims?|student|suppose|assume|if|"
    r"counterexample)\b"
)
_REFUSED = re.compile(
    r"\b(?:not|never|cannot|can't|impossible|contradict\w*|absurd|false|wrong|incorrect\w*|mistake\w*|isn't|"
    r"doesn't|whether|would|erroneous\w*|fallac\w*|claims?|student|suppose|assume)\b"
)
_DENIED_AFTER = re.compile(
    r"^[\s,;]*(?:(?:which|this|that|it|a|an|is|are|would|be|was|we|but)\s+){0,3}"
    r"(?:not|false|wrong|impossible|absurd|never|contradict\w*|incorrect|isn't|doesn't|cannot|fails?)\b"
)
_ALTERNATIVE = re.compile(
    r"\b(?:or|case|cases|either|both|respectively|values?|roots?|solutions?|try|trying|possib\w+|"
    r"when|if|suppose|assume|for|otherwise|let|other|another|similarly|test\w*|example|instance|each)\b"
)
_EQUATED = re.compile(
    r"\b(?:expand\w*|simplif\w*|factor\w*|rewrit\w*|written|identity|distribut\w*|combin\w*|note|notice|comput\w*|"
    r"calculat\w*|evaluat\w*|for all|always|equals?|equivalent|same)\b"
)
_WORD = re.compile(r"[a-z']+")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_SIGN = {**dict.fromkeys(_GIVEN.split(), True), **dict.fromkeys(_CLAIMED.split(), False)}


def is_given(before: str) -> bool | None:
    """Whether the words of the sentence before a statement make it one that is given: the last word that says
    so decides. None where no word does.

    >>> is_given("let"), is_given("if § then"), is_given("whose")
    (True, False, None)
    """
    for word in reversed(_WORD.findall(before)[-25:]):
        if word in _SIGN:
            return _SIGN[word]
    return None


def is_claimed(words: str) -> bool:
    """Whether the words that lead to a statement say that it follows, and nothing else.

    >>> is_claimed("so we get"), is_claimed("or"), is_claimed("so by symmetry")
    (True, True, False)
    """
    return set(_WORD.findall(words)) <= _LEADING


def is_denied(before: str, after: str) -> bool:
    """Whether the words around a statement deny it, or only suppose it."""
    return _DENIED.search(before[-120:]) is not None or _DENIED_AFTER.search(after) is not None


def is_refused(before: str, after: str) -> bool:
    """Whether the words beside a statement about numbers deny it or say that it is another's."""
    clause = re.split(r"[,;§] ?(?=\S+ \S)", before[-60:])[-1]
    return (
        _REFUSED.search(" ".join(clause.split()[-4:])) is not None or _DENIED_AFTER.search(after) is not None
    )


def is_one_of_several(before: str, after: str) -> bool:
    """Whether a statement is one case of several, such as one of two roots."""
    after = _SENTENCE_END.split(after[:40])[0]
    return _ALTERNATIVE.search(before) is not None or _ALTERNATIVE.search(after) is not None


def is_rewriting(before: str) -> bool:
    """Whether the words say that an expression is written in another way."""
    return _EQUATED.search(before) is not None
