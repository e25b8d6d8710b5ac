"""Words that stand for themselves in AMR, or for a relation: closed classes of English."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = [
    "ACTIONS",
    "ADVERB_ROLES",
    "CLAUSE_ROLES",
    "EXTENTS",
    "FIXED",
    "MODALS",
    "OF_ROLES",
    "ORDINALS",
    "PLACES",
    "PREPOSITION_ROLES",
    "PRONOUNS",
    "QUANTIFIERS",
    "SMALL",
    "SPEECH",
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
EXTENTS = ("more", "most", "less", "least", "too", "enough")
"""Words that say how far an adjective holds."""
FIXED: Mapping[str, str] = {"all": ":degree", "last": ":time"}
"""What is one concept with "at" before it: not at all, and the role of that."""
SMALL = ("let", "suppose", "assume", "want", "expect", "need", "know", "show", "prove", "make", "see")
"""Verbs whose object is the subject of the clause that follows: let it be, want it to hold."""
SPEECH = frozenset(
    ("say-01", "answer-01", "reply-01", "ask-01", "ask-02", "know-01", "think-01", "see-01", "remark-01")
)
"""Frames of what is said or thought, in a clause beside it."""
TIMES = frozenset(
    (
        *("time", "day", "night", "morning", "evening", "week", "month", "year", "moment", "instant"),
        *("now", "end", "beginning", "start"),
    )
)
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
            "ever",
        ),
        ":time",
    ),
    **dict.fromkeys(("always", "often", "sometimes", "usually"), ":frequency"),
    **dict.fromkeys(("away", "back", "forward"), ":direction"),
    "well": ":manner",
    **dict.fromkeys(
        ("very", "so", "too", "really", "quite", "completely", "fairly", "pretty", "much"), ":degree"
    ),
    **dict.fromkeys(("here", "there", "above", "below", "somewhere", "anywhere", "everywhere"), ":location"),
}
"""The role of an adverb that is not a manner."""
OF_ROLES: Mapping[str, str] = {
    **dict.fromkeys(
        ("set", "sequence", "group", "collection", "family", "list", "pair", "class", "series"),
        ":consist-of",
    ),
    **dict.fromkeys(("number", "lot", "plenty", "couple", "amount", "majority"), ":quant-of"),
    **dict.fromkeys(("kind", "type", "sort"), ":mod-of"),
    **dict.fromkeys(
        (
            *("part", "side", "term", "leg", "element", "digit", "member", "edge", "vertex", "entry", "row"),
            *("column", "factor", "half", "face", "end"),
        ),
        ":part-of",
    ),
}
"""What "of" means after a noun that no frame stands for."""
PLACES = frozenset(
    (
        *("before", "after", "since", "until", "between", "under", "above", "below", "behind", "near"),
        *("inside", "outside", "around", "beyond", "among", "along", "across", "over"),
    )
)
"""Prepositions that are concepts of their own in a place or time: `:time (b / before :op1 …)`."""
ACTIONS: Mapping[str, str] = {
    **dict.fromkeys(("idea", "question", "thought", "clue", "hint"), ":topic"),
    **dict.fromkeys(("way", "method", "procedure", "technique"), ":manner-of"),
}
"""What an infinitive means after a noun that no frame stands for."""
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
    **dict.fromkeys(
        ("under", "above", "below", "behind", "outside", "around", "beyond", "among"), ":location"
    ),
    **dict.fromkeys(("along", "across"), ":location"),
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
