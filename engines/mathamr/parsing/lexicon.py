"""Words and their spelling, and the PropBank frames that they stand for.

`assets/mathamr/frames.tsv.gz` holds the rolesets that AMR uses, with their words and roles;
`assets/mathamr/senses.tsv` says, in our own judgement, which sense a word has in mathematics.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from engines.core.errors import DataError
from engines.core.rows import read_lines
from engines.core.system import asset
from engines.language import english
from engines.language.english import Word


@dataclass(frozen=True, slots=True)
class Frames:
    """The inventory: `roles` of each roleset (number to function, as in {"0": "PAG"}), `words` the rolesets
    of "lemma/class", the classes being v, n, j and l (a verb and its object: make-use), in the order of their
    numbers; `senses` those chosen by us."""

    roles: Mapping[str, Mapping[str, str]]
    words: Mapping[str, tuple[str, ...]]
    senses: Mapping[str, str]

    def find_frame(self, lemma: str, kind: str) -> str | None:
        """Return the roleset of a word of class v, n, j or l; None where it has none, "" not being one of
        them.
        """
        word = f"{lemma}/{kind}"
        if word in self.senses:
            return self.senses[word] or None
        result = self.words.get(word)
        return result[0] if result else None


@cache
def load_frames() -> Frames:
    """Load the frames of PropBank with their words and roles, and our choice of senses for mathematics."""
    roles: dict[str, Mapping[str, str]] = {}
    words: dict[str, list[str]] = {}
    for _, line in read_lines(asset("mathamr/frames.tsv.gz")):
        name, aliases, functions = line.split("\t")
        roles[name] = {one[0]: one[1:] for one in functions.split()}
        for alias in aliases.split():
            words.setdefault(alias, []).append(name)
    senses = {}
    for number, line in read_lines(path := asset("mathamr/senses.tsv")):
        if line.startswith("#") or not line.strip():
            continue
        word, _, sense = line.partition("\t")
        if sense and sense not in roles:
            raise DataError(f"there is no roleset {sense}", path=path, line=number, code="E317")
        senses[word] = sense
    ordered = {}
    for word, named in words.items():  # those called like it first, each group by number
        lemma = word.rpartition("/")[0]
        ordered[word] = tuple(sorted(named, key=lambda name: (name[:-3] != lemma, name[-2:])))
    return Frames(roles, ordered, senses)


_PLURALS = {"matrices": "matrix", "vertices": "vertex", "indices": "index", "axes": "axis", "bases": "basis"}

_ALIKE = ("series", "species", "means", "thanks")
"""Plurals that are their own lemmas."""


def find_lemma(word: Word, frames: Frames) -> str:
    """Return the lemma of a word; where the learnt one is no known verb or a rare plural, by the rules of
    spelling.
    """
    lemma, text = word.lemma.lower(), word.text.lower()
    # Plurals of mathematics, such as vertices, are often unknown to the pipeline, and regular ones too.
    if word.tag == "NNS":
        if text in _PLURALS:
            return _PLURALS[text]
        if text.endswith("oes") and len(text) > 5:
            return text[:-2]
        if text.endswith("ies") and len(text) > 5 and text not in _ALIKE:
            return text[:-3] + "y"
        regular = lemma == text and re.fullmatch(r"[a-z]{3,}[^siu]s", text) and text not in _ALIKE
        return text[:-1] if regular else lemma
    if word.tag[:2] == "VB" and f"{lemma}/v" not in frames.words:
        # Undo the spelling of an ending: stopping, using, tries.
        for end in ("ing", "ed", "es", "s"):
            stem = text.removesuffix(end)
            if stem == text:
                continue
            for tried in (stem, stem + "e", stem[:-1], stem[:-1] + "y"):
                if f"{tried}/v" in frames.words:
                    return tried
    return lemma


def derive_adjective(lemma: str) -> str:
    """Return the adjective of an adverb: simply, simple; basically, basic; exactly, exact."""
    if not lemma.endswith("ly") or len(lemma) < 6:
        return lemma
    for end, own in (("ically", "ic"), ("bly", "ble"), ("ply", "ple"), ("ily", "y")):
        if lemma.endswith(end):
            return lemma.removesuffix(end) + own
    return lemma[:-2]


_DENYING = ("non-", "non", "un", "in", "im", "ir")


def strip_negation(lemma: str, frames: Frames) -> str:
    """Return an adjective without a prefix that denies it, where it has no frame and the rest has one:
    uneven, even.
    """
    if f"{lemma}/j" in frames.words:
        return lemma
    for prefix in _DENYING:
        rest = lemma.removeprefix(prefix)
        if rest != lemma and (f"{rest}/j" in frames.words or find_possible_frame(rest, frames)):
            return rest
    return lemma


def find_possible_frame(lemma: str, frames: Frames) -> str | None:
    """Return the frame of the verb of an adjective that says what is possible: integrable, integrate-01."""
    if f"{lemma}/j" in frames.words:
        return None
    # Prefixes such as "in" and "non" deny what the rest of the adjective says.
    for prefix in ("", *_DENYING):
        rest = lemma.removeprefix(prefix)
        for end in ("able", "ible"):
            stem = rest.removesuffix(end)
            if stem == rest or len(stem) < 3 or (prefix and rest == lemma):
                continue
            # "divisible" is made of "divide", and "integrable" of "integrate".
            changed = stem[:-1] + "de" if stem.endswith("s") else stem
            for verb in (stem, stem + "e", stem + "ate", changed):
                if frame := frames.find_frame(verb, "v"):
                    return frame
    return None


def to_number(text: str) -> str:
    """Return a number as AMR has it: digits, or the word in quotes."""
    if text in english.SMALL:
        return str(english.SMALL[text])
    digits = text.replace(",", "")
    return digits if re.fullmatch(r"-?\d+(\.\d+)?", digits) else '"' + re.sub(r'["\\]', "", digits) + '"'


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
    "must": ("obligate-01", ":ARG2"),
    **dict.fromkeys(("should", "ought"), ("recommend-01", ":ARG1")),
}
"""The frame of a modal verb, and the role of what it governs."""
QUANTITY_LEMMAS = ("many", "few", "several", "much", "more", "less", "plenty", "lot")
EVERY = ("every", "each", "all", "any")
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
    **dict.fromkeys(("now", "then", "today", "already", "still", "yet", "later", "soon"), ":time"),
    **dict.fromkeys(("before", "recently", "currently", "ever"), ":time"),
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
ASKED: Mapping[str, str] = {"way": ":manner", "time": ":frequency"}
"""The role of what "how many" asks for, where it is no thing."""
CLAUSE_ROLES: Mapping[str, str] = {
    **dict.fromkeys(("if", "unless", "provided", "suppose", "given", "assuming"), ":condition"),
    **dict.fromkeys(("when", "while", "whenever", "after", "before", "until", "once"), ":time"),
    **dict.fromkeys(("because", "since", "as"), "cause"),
    **dict.fromkeys(("although", "though", "even", "whereas"), ":concession"),
    **dict.fromkeys(("so", "thus", "hence"), "effect"),
    "by": ":manner",
    "without": "without",
    "where": ":location",
}
"""The role of a clause by the word that introduces it."""
PREPOSITION_ROLES: Mapping[str, str] = {
    **dict.fromkeys(("in", "on", "at", "within", "inside", "between", "over", "near"), ":location"),
    **dict.fromkeys(("under", "above", "below", "behind", "outside", "around", "beyond"), ":location"),
    **dict.fromkeys(("among", "along", "across"), ":location"),
    "with": ":accompanier",
    **dict.fromkeys(("by", "via", "using", "through", "without"), ":manner"),
    "from": ":source",
    **dict.fromkeys(("to", "into", "onto"), ":destination"),
    "for": ":purpose",
    "about": ":topic",
    **dict.fromkeys(("during", "after", "before", "since", "until"), ":time"),
    "like": ":compared-to",
    "of": ":mod",
    "because": ":cause",
}
"""The role of what a preposition introduces, where the frame has none for it."""
