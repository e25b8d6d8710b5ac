"""Words that stand for themselves in AMR, or for a relation: closed classes of English."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "ADVERB_ROLES",
    "CLAUSE_ROLES",
    "MODALS",
    "ORDINALS",
    "PREPOSITION_ROLES",
    "PRONOUNS",
    "QUANTIFIERS",
    "TIMES",
    "UNKNOWN",
]

PRONOUNS: Mapping[str, str] = {
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), "i"),
    **dict.fromkeys(("you", "your", "yours", "yourself"), "you"),
    **dict.fromkeys(("we", "us", "our", "ours", "ourselves", "let's"), "we"),
    **dict.fromkeys(("he", "him", "his", "himself"), "he"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "she"),
    **dict.fromkeys(("it", "its", "itself"), "it"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "they"),
    "these": "this",
    "those": "that",
}
"""Pronouns in all their cases, and the concept of each."""
UNKNOWN = ("what", "which", "who", "whom", "whose", "how", "why", "where", "when")
"""Words that ask."""
MODALS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys(("can", "could", "may", "might", "ca"), ("possible-01", ":ARG1")),
    **dict.fromkeys(("must",), ("obligate-01", ":ARG2")),
    **dict.fromkeys(("should", "ought"), ("recommend-01", ":ARG1")),
}
"""The frame of a modal verb, and the role of what it governs."""
QUANTIFIERS = ("many", "few", "several", "much", "more", "less", "plenty", "lot")
TIMES = frozenset(("time", "day", "week", "month", "year", "moment", "now", "end", "beginning", "start"))
"""Concepts that a role of time may have."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ADVERB_ROLES: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "now",
            "then",
            "today",
            "already",
            "still",
            "yet",
            "later",
            "soon",
            "before",
            "recently",
            "currently",
        ),
        ":time",
    ),
    **dict.fromkeys(("always", "often", "sometimes", "usually", "never", "again"), ":frequency"),
    **dict.fromkeys(("very", "so", "too", "really", "quite", "completely", "fairly", "pretty"), ":degree"),
    **dict.fromkeys(("here", "there", "above", "below", "somewhere", "anywhere"), ":location"),
}
"""The role of an adverb that is not a manner."""
CLAUSE_ROLES: Mapping[str, str] = {
    **dict.fromkeys(("if", "unless", "provided", "suppose", "given", "assuming"), ":condition"),
    **dict.fromkeys(("when", "while", "whenever", "after", "before", "until", "once"), ":time"),
    **dict.fromkeys(("because", "since", "as"), "cause"),
    **dict.fromkeys(("although", "though", "even", "whereas"), ":concession"),
    **dict.fromkeys(("so", "thus", "hence"), "effect"),
    **dict.fromkeys(("by",), ":manner"),
    **dict.fromkeys(("without",), "without"),
    **dict.fromkeys(("where",), ":location"),
}
"""The role of a clause by the word that introduces it."""
PREPOSITION_ROLES: Mapping[str, str] = {
    "in": ":location",
    "on": ":location",
    "at": ":location",
    "within": ":location",
    "inside": ":location",
    "between": ":location",
    "over": ":location",
    "near": ":location",
    "with": ":accompanier",
    "by": ":manner",
    "via": ":manner",
    "using": ":manner",
    "through": ":manner",
    "without": ":manner",
    "from": ":source",
    "to": ":destination",
    "into": ":destination",
    "onto": ":destination",
    "for": ":purpose",
    "about": ":topic",
    "during": ":time",
    "after": ":time",
    "before": ":time",
    "since": ":time",
    "until": ":time",
    "like": ":compared-to",
    "of": ":mod",
    "because": ":cause",
}
"""The role of what a preposition introduces, where the frame has none for it."""
