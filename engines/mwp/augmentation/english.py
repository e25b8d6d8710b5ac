"""Clauses and verbs of English problems: statements turned into questions and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engines.language.english import Word, analysed, pipeline

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
_DOUBLED_WORDS = """
bag bat beg chop clap drag drop fit flip grab hop hug jog knit mop nap pat pet pin plan plug pop rip rob rub
scrub ship shop skip slip spot step stop tag tap tip trap trim trip wrap zip
"""
_DOUBLED = tuple(_DOUBLED_WORDS.split())


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


# Clauses of English problems: statements turned into questions, and questions into statements.
#
# Words keep the blanks between them as masked problems have them; a number is its placeholder.

_PLACE = re.compile(r"N_\d+")
_NUMBER = "47"
"""What the parser reads for a placeholder."""
_DO = ("do", "does", "did")
_BE = ("is", "are", "was", "were")
_OTHER = ("will", "would", "can", "could", "should", "must", "has", "have", "had")
_PARTICLES = ("up", "out", "off", "away", "back", "down", "over")
_PAID_WORDS = "cost spend pay earn make save owe need have get receive raise charge"
_PAID = tuple(_PAID_WORDS.split())
_LEADING = ("need", "want", "have", "like", "plan", "try", "get", "decide", "manage")
"""Verbs whose object is that of the verb after them."""
_SUBJECT = ("PRP", "NN", "NNS", "NNP", "NNPS", "DT", "PRP$", "EX")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause: its words and their analysis."""

    words: tuple[str, ...]
    parse: tuple[Word, ...]

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def tag(self, place: int) -> str:
        """The tag of a word; "" behind the end."""
        return self.parse[place].tag if place < len(self.parse) else ""

    def below(self, place: int) -> set[int]:
        """A word with all that hangs on it."""
        result, grown = {place}, True
        while grown:
            more = {at for at, word in enumerate(self.parse) if word.head in result} - result
            grown = bool(more)
            result |= more
        return result


@lru_cache(maxsize=4096)
def clause(text: str) -> Clause:
    """A clause of its text, without marks at its end."""
    words = tuple(text.strip(" .?!,;").split())
    if not words:
        return Clause((), ())
    read = [(_NUMBER if _PLACE.fullmatch(word) else word, True) for word in words]
    return Clause(words, next(analysed([read])))


# --- statement to question


def asked(statement: Clause, number: str) -> str | None:
    """The question for a number of a statement; None where no rule makes one.

    >>> asked(clause("tom ate N_1 red apples"), "N_1")
    'how many red apples did tom eat'
    """
    words, parse = statement.words, statement.parse
    at = words.index(number)
    if words[at + 1 : at + 2] and words[at + 1].startswith(("-", "/", "%")):
        return None
    money = at > 0 and words[at - 1] == "$"
    first = at - 1 if money else at
    last = _phrase_end(statement, at, money)
    if last is None:
        return None
    what = ["how", "much", "money"] if money else ["how", "many", *words[at + 1 : last + 1]]
    root = next(place for place, word in enumerate(parse) if word.relation == "root")
    there = next((place for place, word in enumerate(words) if word == "there"), None)
    if there is not None and words[there + 1 : there + 2] and words[there + 1] in _BE and first > there:
        if first != there + 2:
            return None
        rest = [*(word for word in words[last + 1 :] if word not in ("too", "also")), *words[:there]]
        return " ".join([*what, words[there + 1], "there", *rest])
    subject = _subject(statement, root)
    if subject is None or parse[subject[0]].tag in ("IN", "RB", "TO", "CC"):
        return None
    start, end = subject
    if what == ["how", "many"] and statement.tag(last + 1) in ("NN", "NNS", "JJ"):
        return None
    lead, after = words[:start], list(words[end + 1 :])
    if start <= first <= end:
        if first != start or money:
            return None
        return " ".join([*what, *words[last + 1 : end + 1], *after, *lead])
    if first <= end:
        return None
    verbs = _verbs(statement, end + 1)
    if verbs is None or first < verbs[1] + 1:
        return None
    begin, done = verbs
    if any(one.tag in ("VBD", "VBZ", "VBP", "MD") for one in parse[done + 1 :]):
        return None
    adverbs = [word for word in words[end + 1 : begin] if word not in ("now", "then")]
    group = list(words[begin : done + 1])
    if len(group) == 1:
        word = parse[begin]
        if group[0] in _BE:
            helper, group = group[0], []
        elif word.tag in ("VBD", "VBZ", "VBP"):
            helper, group = (
                {"VBD": "did", "VBZ": "does", "VBP": "do"}[word.tag],
                [base(group[0], word.lemma, _known)],
            )
        else:
            return None
    else:
        helper, group = group[0], group[1:]
    before = list(words[done + 1 : first])
    behind = [word for word in words[last + 1 :] if word not in ("too", "also")]
    if before and parse[first - 1].tag in ("IN", "TO"):
        if before[-1] in ("of", "than", "as", "about", "at"):
            return None
        if parse[last].relation.startswith("nmod"):
            return None
        what = [before.pop(), *what]
    elif before and before[-1] in ("a", "an", "the", "his", "her", "their", "another", "only", "about"):
        if before[-1] in ("a", "an", "the", "his", "her", "their"):
            return None
        before.pop()
    if what[:2] == ["how", "many"] and words[at + 1 : last + 1] == ("years",) and behind[:1] == ["old"]:
        what, behind = ["how", "old"], behind[1:]
    return " ".join([*what, helper, *words[start : end + 1], *adverbs, *group, *before, *behind, *lead])


def _known(word: str) -> bool:
    return bool(pipeline().vocab.has_vector(word))


def _phrase_end(statement: Clause, at: int, money: bool) -> int | None:
    """Where the phrase of a number ends: at its noun and `of …` behind that; None where it is not clear."""
    words, parse = statement.words, statement.parse
    if money:
        following = statement.tag(at + 1)
        return None if following[:2] in ("NN", "JJ") and words[at + 1] not in ("each", "more") else at
    end = at
    while statement.tag(end + 1) in ("JJ", "JJR", "NN", "NNS", "NNP", "NNPS", "VBG", "VBN", "CD"):
        if _PLACE.fullmatch(words[end + 1]) or parse[end + 1].relation in ("root", "conj", "acl"):
            break
        if words[end + 1] in ("yesterday", "today", "tomorrow"):
            break
        end += 1
        if parse[end].tag in ("NNS",) and parse[end].relation != "compound":
            break
    if end == at and words[end + 1 : end + 2] == ("more",):
        end += 1
    if end > at and parse[end].tag[:2] not in ("NN",) and words[end] not in ("more", "fewer", "less"):
        return None
    if words[end + 1 : end + 2] == ("of",):
        of = end + 1
        while statement.tag(of + 1) in ("DT", "PRP$", "JJ", "NN", "NNS", "PRP", "NNP"):
            if words[of + 1] in ("yesterday", "today", "tomorrow"):
                break
            of += 1
            if statement.tag(of) in ("NNS", "PRP"):
                break
        end = of
    return end


def _subject(statement: Clause, root: int) -> tuple[int, int] | None:
    for place, word in enumerate(statement.parse):
        if word.relation in ("nsubj", "nsubj:pass") and word.head == root and place < root:
            span = {one for one in statement.below(place) if one < root}
            first, last = min(span), max(span)
            return (first, last) if last - first + 1 == len(span) else None
    return None


def _verbs(statement: Clause, begin: int) -> tuple[int, int] | None:
    """The first and last word of the verb's group, adverbs passed over: `has already eaten`."""
    words, parse = statement.words, statement.parse
    while statement.tag(begin) == "RB":
        begin += 1
    if statement.tag(begin)[:2] not in ("VB", "MD"):
        return None
    done = begin
    while (
        statement.tag(done + 1)[:2] == "VB"
        and words[begin] in (*_BE, *_OTHER, *_DO)
        and not _PLACE.fullmatch(words[done + 1])
    ):
        done += 1
    if any(
        parse[place].tag == "RB" and words[place] in ("not", "n't")
        for place in range(begin, done + 2)
        if place < len(parse)
    ):
        return None
    return begin, done


# --- question to statement


def stated(question: Clause, answer: str, *, money: bool) -> str | None:
    """A question as the statement of its answer; None where no rule makes one. Args: money: whether the
    problem speaks of dollars.

    >>> stated(clause("how many apples did tom eat in all ?"), "N_2", money=False)
    'tom ate N_2 apples in all'
    """
    words = question.words
    if words[:1] == ("what",):
        return _what(words, answer, money=money)
    if words[:2] == ("how", "old") and words[2:3] and words[2] in _BE:
        return (
            " ".join([*words[3:4], words[2], answer, "years", "old", *words[4:]]) if len(words) < 6 else None
        )
    if words[:2] not in (("how", "many"), ("how", "much")):
        return None
    helper = next(
        (at for at in range(2, len(words)) if words[at] in (*_DO, *_BE, *_OTHER)),
        None,
    )
    verb = next((at for at in range(2, len(words)) if question.tag(at)[:2] in ("VB", "MD")), None)
    if helper is None or (verb is not None and verb < helper and question.tag(verb) in ("VBD", "VBZ", "VBP")):
        return _subject_question(question, verb, answer, money=money)
    what = _amount(words, helper, answer, money=money)
    if what is None:
        return None
    return _inverted(question, helper, what)


def _amount(words: Sequence[str], end: int, answer: str, *, money: bool) -> list[str] | None:
    noun = list(words[2:end])
    if words[1] == "many":
        return [answer, *noun]
    if noun[-1:] == ["money"] or (not noun and money) or (noun == ["more"] and money):
        return ["$", answer, *[word for word in noun if word != "money"]]
    return None


def _subject_question(question: Clause, verb: int | None, answer: str, *, money: bool) -> str | None:
    if verb is None or question.words[1] != "many" or verb < 3:
        return None
    what = _amount(question.words, verb, answer, money=money)
    return " ".join([*what, *question.words[verb:]]) if what else None


def _inverted(question: Clause, helper: int, what: list[str]) -> str | None:
    words, aux = question.words, question.words[helper]
    if words[helper + 1 : helper + 2] == ("there",):
        be = list(words[helper + 2 : helper + 3]) if words[helper + 2 : helper + 3] == ("be",) else []
        return " ".join(["there", aux, *be, *what, *words[helper + 2 + len(be) :]])
    if aux in _DO:
        behind = range(helper + 2, len(words))
        verb = next((at for at in behind if question.tag(at) == "VB" or words[at] in _LEADING), None)
        if verb is None:
            return None
        group, rest = [with_do(aux, words[verb])], list(words[verb + 1 :])
        while len(rest) > 1 and rest[0] == "to" and question.tag(len(words) - len(rest) + 1) == "VB":
            if group[-1] not in (words[verb], group[0]) and group[-1] not in _LEADING:
                break
            if (len(group) == 1 and words[verb] not in _LEADING) or rest[2:3] == ["with"]:
                break
            if question.tag(len(words) - len(rest) + 2) in ("DT", "NN", "NNS", "PRP", "PRP$", "CD", "JJ"):
                break
            group, rest = group + rest[:2], rest[2:]
        if rest and rest[0] in _PARTICLES:
            group, rest = [*group, rest[0]], rest[1:]
        if what[0] == "$" and len(what) == 2 and words[1] == "much" and words[verb] not in _PAID:
            return None
        return _told([*words[helper + 1 : verb], *group], what, rest)
    following = question.tag(helper + 1)
    if (
        following in _SUBJECT
        or "able" in words[helper:]
        or words[helper + 1 : helper + 2] in (("each",), ("every",))
    ):
        among = [at for at in range(helper + 2, len(words)) if question.tag(at) in ("VB", "VBG", "VBN")]
        verb = None if not among else among[-1] if "able" in words[helper:] else among[0]
        if verb is not None and words[verb] == "have" and question.tag(verb + 1) == "VBN":
            verb += 1
        if verb is None:
            return None
        return _told(
            [*words[helper + 1 : helper + 1], *_moved(words, helper, verb, question)],
            what,
            list(words[verb + 1 :]),
        )
    if words[1] != "many":
        return None
    return " ".join([*what, *words[helper:]])


def _moved(words: Sequence[str], helper: int, verb: int, question: Clause) -> list[str]:
    end = helper + 1
    while (end < verb and question.tag(end) in (*_SUBJECT, "CD", "POS", "IN")) or words[end] in (
        "each",
        "every",
    ):
        end += 1
        if end >= verb:
            break
    while question.tag(end - 1) == "IN":
        end -= 1
    return [*words[helper + 1 : end], words[helper], *words[end : verb + 1]]


def _told(before: Sequence[str], what: Sequence[str], rest: list[str]) -> str:
    """Subject and verb, the amount, the rest; the amount goes behind a preposition that waits for it."""
    if before[-1:] in (["take"], ["took"], ["takes"]) and "to" in rest[1:5]:
        at = rest.index("to")
        return " ".join([*before, *rest[:at], *what, *rest[at:]])
    if rest and rest[-1] in ("in", "into", "on", "with", "for", "to", "from", "at", "by"):
        return " ".join([*before, *rest, *what])
    return " ".join([*before, *what, *rest])


def _what(words: Sequence[str], answer: str, *, money: bool) -> str | None:
    if (
        len(words) < 4
        or words[1] not in ("is", "was", "'s", "are", "were")
        or words[2] not in ("the", "his", "her", "their")
    ):
        return None
    verb = "is" if words[1] == "'s" else words[1]
    dollars = ["$"] if money and {"cost", "price", "money", "profit", "amount"} & set(words) else []
    if "fraction" in words or "percent" in words or "percentage" in words:
        return None
    return " ".join([*words[2:], verb, *dollars, answer])
