"""Forms of English verbs: what do, does and did stand for."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["base", "past", "present", "with_do"]

_PAST = {
    pair.partition("/")[0]: pair.partition("/")[2]
    for line in (
        "be/was become/became begin/began bend/bent bite/bit blow/blew break/broke bring/brought",
        "build/built buy/bought catch/caught choose/chose come/came cost/cost cut/cut dig/dug do/did",
        "draw/drew drink/drank drive/drove eat/ate fall/fell feed/fed feel/felt fight/fought",
        "find/found fly/flew forget/forgot get/got give/gave go/went grow/grew have/had hear/heard",
        "hide/hid hit/hit hold/held keep/kept know/knew lay/laid lead/led leave/left lend/lent",
        "let/let lose/lost make/made mean/meant meet/met pay/paid put/put read/read ride/rode",
        "ring/rang rise/rose run/ran say/said see/saw sell/sold send/sent set/set shake/shook",
        "shoot/shot show/showed shut/shut sing/sang sit/sat sleep/slept speak/spoke spend/spent",
        "stand/stood steal/stole stick/stuck swim/swam take/took teach/taught tear/tore tell/told",
        "think/thought throw/threw wake/woke wear/wore win/won write/wrote",
    )
    for pair in line.split()
}
_DOUBLED = (
    "bag",
    "bat",
    "beg",
    "chop",
    "clap",
    "drag",
    "drop",
    "fit",
    "flip",
    "grab",
    "hop",
    "hug",
    "jog",
    "knit",
    "mop",
    "nap",
    "pat",
    "pet",
    "pin",
    "plan",
    "plug",
    "pop",
    "rip",
    "rob",
    "rub",
    "scrub",
    "ship",
    "shop",
    "skip",
    "slip",
    "spot",
    "step",
    "stop",
    "tag",
    "tap",
    "tip",
    "trap",
    "trim",
    "trip",
    "wrap",
    "zip",
)


def past(verb: str) -> str:
    """The past of a verb.

    >>> past("eat"), past("carry"), past("bake"), past("stop"), past("play")
    ('ate', 'carried', 'baked', 'stopped', 'played')
    """
    if verb in _PAST:
        return _PAST[verb]
    if verb in _DOUBLED:
        return f"{verb}{verb[-1]}ed"
    if verb.endswith("e"):
        return f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ied"
    return f"{verb}ed"


def base(form: str, lemma: str, known: Callable[[str], bool]) -> str:
    """The verb of a past or present form; `lemma` is a guess, `known` says what is a word.

    >>> words = {"travel", "swim", "bake", "have"}.__contains__
    >>> [base(*pair, words) for pair in (("travelled", "travell"), ("swam", "swam"), ("baked", "bak"))]
    ['travel', 'swim', 'bake']
    """
    if form == "need":
        return form
    tried = [lemma, *(verb for verb, found in _PAST.items() if found == form and verb != "be")]
    for end in ("ed", "d", "es", "s"):
        if form.endswith(end):
            stem = form.removesuffix(end)
            tried += [stem + "e", stem]
            tried += [stem[:-1]] if stem[-2:-1] == stem[-1:] else []
            tried += [stem[:-1] + "y"] if stem.endswith("i") else []
    tried.append("have")
    fitting = [verb for verb in tried if form in (past(verb), present(verb), f"{verb}{verb[-1:]}ed")]
    return next(filter(known, fitting), fitting[0] if fitting else lemma)


def present(verb: str) -> str:
    """The third person of a verb.

    >>> present("have"), present("carry"), present("fix"), present("buy")
    ('has', 'carries', 'fixes', 'buys')
    """
    if verb in ("have", "be"):
        return {"have": "has", "be": "is"}[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def with_do(auxiliary: str, verb: str) -> str:
    """What do, does or did says with a verb: `did eat` is `ate`."""
    if auxiliary == "did":
        return past(verb)
    return present(verb) if auxiliary == "does" else verb
