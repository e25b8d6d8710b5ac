"""Reversed questions in English: the text step, on the dependency parse of `engines.language`.

The clause with the asked number becomes the question at the end; the old question becomes the statement of
its answer. What a clause loses by moving, the name behind a pronoun and the time that it speaks of, is put
back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engines.language.english import Word, analyse_sentences, load_pipeline
from engines.mwp.augmentation.reversal import ReversedText
from engines.mwp.augmentation.variant import is_question, split_problem_sentences
from engines.mwp.problems.problem import Problem

_PLACE = re.compile(r"N_\d+")
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


def past_tense(verb: str) -> str:
    """Return the past of a verb.

    >>> past_tense("eat"), past_tense("carry"), past_tense("bake"), past_tense("stop"), past_tense("play")
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


def verb_lemma(form: str, lemma: str, known: Callable[[str], bool]) -> str:
    """Return the verb of a past or present form; `lemma` is a guess, `known` says what is a word.

    >>> words = {"travel", "swim", "bake", "have"}.__contains__
    >>> [verb_lemma(*pair, words) for pair in (("travelled", "travell"), ("swam", "swam"), ("baked", "bak"))]
    ['travel', 'swim', 'bake']
    """
    if form == "need":
        return form
    tried = [lemma, *(verb for verb, past_form in _PAST.items() if past_form == form and verb != "be")]
    for end in ("ed", "d", "es", "s"):
        if form.endswith(end):
            stem = form.removesuffix(end)
            tried += [stem + "e", stem]
            tried += [stem[:-1]] if stem[-2:-1] == stem[-1:] else []
            tried += [stem[:-1] + "y"] if stem.endswith("i") else []
    tried.append("have")
    fitting = [
        verb for verb in tried if form in (past_tense(verb), third_person(verb), f"{verb}{verb[-1:]}ed")
    ]
    return next(filter(known, fitting), fitting[0] if fitting else lemma)


def third_person(verb: str) -> str:
    """Return the third person of a verb.

    >>> third_person("have"), third_person("carry"), third_person("fix"), third_person("buy")
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
    """Return the form of a verb that stands without its auxiliary: `did eat` becomes `ate`."""
    if auxiliary == "did":
        return past_tense(verb)
    return third_person(verb) if auxiliary == "does" else verb


# Clauses of English problems: statements turned into questions, and questions into statements.
#
# Words keep the blanks between them as masked problems have them; a number is its placeholder.

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
        """The words of the clause as one text."""
        return " ".join(self.words)

    def tag_at(self, index: int) -> str:
        """Return the tag of a word; "" behind the end."""
        return self.parse[index].tag if index < len(self.parse) else ""

    def list_descendants(self, position: int) -> set[int]:
        """Return the positions of a word and of everything that depends on it."""
        result, grown = {position}, True
        while grown:
            more = {child for child, word in enumerate(self.parse) if word.head in result} - result
            grown = bool(more)
            result |= more
        return result


_TITLE = re.compile(r"\b(mrs?|ms|dr|prof) ?\. ?([^\W\d_]+)", re.IGNORECASE)
_TIE = "\u203f"
"""Between a title and its name, which are one word until the text is done."""
_TIED = re.compile(rf"(\w+){_TIE}(\w+)")


@lru_cache(maxsize=4096)
def parse_clause(text: str) -> Clause:
    """Return a clause of its text, without marks at its end."""
    words = tuple(text.strip(" .?!,;").split())
    if not words:
        return Clause((), ())
    # The parser reads a title with its name as a name alone.
    read = [
        (
            _NUMBER
            if _PLACE.fullmatch(word)
            else word.rpartition(_TIE)[2].capitalize()
            if _TIE in word
            else word,
            True,
        )
        for word in words
    ]
    return Clause(words, next(analyse_sentences([read])))


# --- statement to question


def ask_for_number(statement: Clause, number: str) -> str | None:
    """Return the question for a number of a statement; None where no rule makes one.

    >>> ask_for_number(parse_clause("tom ate N_1 red apples"), "N_1")
    'how many red apples did tom eat'
    """
    words, parse = statement.words, statement.parse
    at = words.index(number)
    # "20-dollar", "1/2" and "50%" are parts of a word or a fraction: no rule asks for them.
    if words[at + 1 : at + 2] and words[at + 1].startswith(("-", "/", "%")):
        return None
    money = at > 0 and words[at - 1] == "$"
    first = at - 1 if money else at
    last = _phrase_end(statement, at, money)
    if last is None:
        return None
    # The question begins with the phrase of the number: "how many red apples".
    what = ["how", "much", "money"] if money else ["how", "many", *words[at + 1 : last + 1]]
    root = next(index for index, word in enumerate(parse) if word.relation == "root")
    # "There are N apples in the box" becomes "how many apples are there in the box".
    there = next((index for index, word in enumerate(words) if word == "there"), None)
    if there is not None and words[there + 1 : there + 2] and words[there + 1] in _BE and first > there:
        if first != there + 2:
            return None
        rest = [*(word for word in words[last + 1 :] if word not in ("too", "also")), *words[:there]]
        return " ".join([*what, words[there + 1], "there", *rest])
    subject = _subject_of(statement, root)
    if subject is None or parse[subject[0]].tag in ("IN", "RB", "TO", "CC"):
        return None
    start, end = subject
    if what == ["how", "many"] and statement.tag_at(last + 1) in ("NN", "NNS", "JJ"):
        return None
    lead, after = words[:start], list(words[end + 1 :])
    # The number is in the subject: "N birds sat" becomes "how many birds sat", without inversion.
    if start <= first <= end:
        if first != start or money:
            return None
        return " ".join([*what, *words[last + 1 : end + 1], *after, *lead])
    if first <= end:
        return None
    # Otherwise the helping verb moves before the subject, made of do where there is none.
    verbs = _find_verb_group(statement, end + 1)
    if verbs is None or first < verbs[1] + 1:
        return None
    begin, done = verbs
    # Another finite verb behind the first: the clause is two clauses, which no rule separates.
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
                [verb_lemma(group[0], word.lemma, _is_known_word)],
            )
        else:
            return None
    else:
        helper, group = group[0], group[1:]
    before = list(words[done + 1 : first])
    trailing = [word for word in words[last + 1 :] if word not in ("too", "also")]
    # A preposition before the number goes to the front with it: "in how many boxes".
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
    # Idiom: "how many years old" is "how old".
    if what[:2] == ["how", "many"] and words[at + 1 : last + 1] == ("years",) and trailing[:1] == ["old"]:
        what, trailing = ["how", "old"], trailing[1:]
    return " ".join([*what, helper, *words[start : end + 1], *adverbs, *group, *before, *trailing, *lead])


def _is_known_word(word: str) -> bool:
    return bool(load_pipeline().vocab.has_vector(word))


def _phrase_end(statement: Clause, at: int, money: bool) -> int | None:
    """Return where the phrase of a number ends: at its noun and `of …` behind that; None where it is not
    clear."""
    words, parse = statement.words, statement.parse
    # An amount of money is a phrase of its own, unless a noun follows that it counts ("5 dollar bills").
    if money:
        following = statement.tag_at(at + 1)
        return None if following[:2] in ("NN", "JJ") and words[at + 1] not in ("each", "more") else at
    end = at
    # Take the adjectives and nouns behind the number, up to its head noun.
    while statement.tag_at(end + 1) in ("JJ", "JJR", "NN", "NNS", "NNP", "NNPS", "VBG", "VBN", "CD"):
        if _PLACE.fullmatch(words[end + 1]) or parse[end + 1].relation in ("root", "conj", "acl"):
            break
        if words[end + 1] in ("yesterday", "today", "tomorrow"):
            break
        end += 1
        if parse[end].tag in ("NNS",) and parse[end].relation != "compound":
            break
    # "5 more" has no noun of its own.
    if end == at and words[end + 1 : end + 2] == ("more",):
        end += 1
    if end > at and parse[end].tag[:2] not in ("NN",) and words[end] not in ("more", "fewer", "less"):
        return None
    # "5 of her apples": take what the number is a part of.
    if words[end + 1 : end + 2] == ("of",):
        of = end + 1
        while statement.tag_at(of + 1) in ("DT", "PRP$", "JJ", "NN", "NNS", "PRP", "NNP"):
            if words[of + 1] in ("yesterday", "today", "tomorrow"):
                break
            of += 1
            if statement.tag_at(of) in ("NNS", "PRP"):
                break
        end = of
    return end


def _subject_of(statement: Clause, root: int) -> tuple[int, int] | None:
    for index, word in enumerate(statement.parse):
        if word.relation in ("nsubj", "nsubj:pass") and word.head == root and index < root:
            span = {one for one in statement.list_descendants(index) if one < root}
            first, last = min(span), max(span)
            return (first, last) if last - first + 1 == len(span) else None
    return None


def _find_verb_group(statement: Clause, begin: int) -> tuple[int, int] | None:
    """Return the first and last word of the verb's group, adverbs passed over: `has already eaten`."""
    words, parse = statement.words, statement.parse
    while statement.tag_at(begin) == "RB":
        begin += 1
    if statement.tag_at(begin)[:2] not in ("VB", "MD"):
        return None
    done = begin
    while (
        statement.tag_at(done + 1)[:2] == "VB"
        and words[begin] in (*_BE, *_OTHER, *_DO)
        and not _PLACE.fullmatch(words[done + 1])
    ):
        done += 1
    if any(
        parse[index].tag == "RB" and words[index] in ("not", "n't")
        for index in range(begin, done + 2)
        if index < len(parse)
    ):
        return None
    return begin, done


# --- question to statement


def state_answer(question: Clause, answer: str, *, money: bool) -> str | None:
    """Return a question as the statement of its answer; None where no rule makes one.

    Args:
        money: Whether the problem speaks of dollars.

    >>> state_answer(parse_clause("how many apples did tom eat in all ?"), "N_2", money=False)
    'tom ate N_2 apples in all'
    """
    words = question.words
    if words[:1] == ("what",):
        return _state_what_question(words, answer, money=money)
    if words[:2] == ("how", "old") and words[2:3] and words[2] in _BE:
        return (
            " ".join([*words[3:4], words[2], answer, "years", "old", *words[4:]]) if len(words) < 6 else None
        )
    if words[:2] not in (("how", "many"), ("how", "much")):
        return None
    helper = next((at for at in range(2, len(words)) if words[at] in (*_DO, *_BE, *_OTHER)), None)
    verb = next((at for at in range(2, len(words)) if question.tag_at(at)[:2] in ("VB", "MD")), None)
    if helper is None or (
        verb is not None and verb < helper and question.tag_at(verb) in ("VBD", "VBZ", "VBP")
    ):
        return _subject_question(question, verb, answer, money=money)
    what = _build_amount(words, helper, answer, money=money)
    if what is None:
        return None
    return _state_inverted_question(question, helper, what)


def _build_amount(words: Sequence[str], end: int, answer: str, *, money: bool) -> list[str] | None:
    noun = list(words[2:end])
    if words[1] == "many":
        return [answer, *noun]
    if noun[-1:] == ["money"] or (not noun and money) or (noun == ["more"] and money):
        return ["$", answer, *[word for word in noun if word != "money"]]
    return None


def _subject_question(question: Clause, verb: int | None, answer: str, *, money: bool) -> str | None:
    if verb is None or question.words[1] != "many" or verb < 3:
        return None
    what = _build_amount(question.words, verb, answer, money=money)
    return " ".join([*what, *question.words[verb:]]) if what else None


def _state_inverted_question(question: Clause, helper: int, what: list[str]) -> str | None:
    words, aux = question.words, question.words[helper]
    # "How many apples are there …": the amount comes after the verb.
    if words[helper + 1 : helper + 2] == ("there",):
        be = list(words[helper + 2 : helper + 3]) if words[helper + 2 : helper + 3] == ("be",) else []
        return " ".join(["there", aux, *be, *what, *words[helper + 2 + len(be) :]])
    # "How many apples did Tom eat": undo do-support and put the amount behind the verb.
    if aux in _DO:
        rest_of_clause = range(helper + 2, len(words))
        verb = next(
            (at for at in rest_of_clause if question.tag_at(at) == "VB" or words[at] in _LEADING), None
        )
        if verb is None:
            return None
        group, rest = [with_do(aux, words[verb])], list(words[verb + 1 :])
        # A chain of verbs ("wants to buy") stays together if only its last verb takes the amount.
        while len(rest) > 1 and rest[0] == "to" and question.tag_at(len(words) - len(rest) + 1) == "VB":
            if group[-1] not in (words[verb], group[0]) and group[-1] not in _LEADING:
                break
            if (len(group) == 1 and words[verb] not in _LEADING) or rest[2:3] == ["with"]:
                break
            if question.tag_at(len(words) - len(rest) + 2) in ("DT", "NN", "NNS", "PRP", "PRP$", "CD", "JJ"):
                break
            group, rest = group + rest[:2], rest[2:]
        if rest and rest[0] in _PARTICLES:
            group, rest = [*group, rest[0]], rest[1:]
        if what[0] == "$" and len(what) == 2 and words[1] == "much" and words[verb] not in _PAID:
            return None
        return _join_statement([*words[helper + 1 : verb], *group], what, rest)
    following = question.tag_at(helper + 1)
    # Another auxiliary with a subject: the auxiliary moves back before its verb.
    if (
        following in _SUBJECT
        or "able" in words[helper:]
        or words[helper + 1 : helper + 2] in (("each",), ("every",))
    ):
        among = [at for at in range(helper + 2, len(words)) if question.tag_at(at) in ("VB", "VBG", "VBN")]
        verb = None if not among else among[-1] if "able" in words[helper:] else among[0]
        if verb is not None and words[verb] == "have" and question.tag_at(verb + 1) == "VBN":
            verb += 1
        if verb is None:
            return None
        return _join_statement(
            [*words[helper + 1 : helper + 1], *_move_helper(words, helper, verb, question)],
            what,
            list(words[verb + 1 :]),
        )
    # "How many birds sat …": the question word is the subject.
    if words[1] != "many":
        return None
    return " ".join([*what, *words[helper:]])


def _move_helper(words: Sequence[str], helper: int, verb: int, question: Clause) -> list[str]:
    end = helper + 1
    while (end < verb and question.tag_at(end) in (*_SUBJECT, "CD", "POS", "IN")) or words[end] in (
        "each",
        "every",
    ):
        end += 1
        if end >= verb:
            break
    while question.tag_at(end - 1) == "IN":
        end -= 1
    return [*words[helper + 1 : end], words[helper], *words[end : verb + 1]]


def _join_statement(before: Sequence[str], what: Sequence[str], rest: list[str]) -> str:
    """Subject and verb, the amount, the rest; the amount goes behind a preposition that waits for it."""
    if before[-1:] in (["take"], ["took"], ["takes"]) and "to" in rest[1:5]:
        at = rest.index("to")
        return " ".join([*before, *rest[:at], *what, *rest[at:]])
    if rest and rest[-1] in ("in", "into", "on", "with", "for", "to", "from", "at", "by"):
        return " ".join([*before, *rest, *what])
    return " ".join([*before, *what, *rest])


def _state_what_question(words: Sequence[str], answer: str, *, money: bool) -> str | None:
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


# --- the text step

_ASK = re.compile(r"\b(?:how (?:many|much|old)|what(?: is| was| 's| are| were)(?= (?:the|his|her|their)\b))")
_IF = re.compile(r"^(?:and |but |so |now |then )?if\b\s*")
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
class _SplitProblem:
    """A problem taken apart: the clauses that state, in order, the question, and what led to it."""

    statements: tuple[str, ...]
    question: str
    lead: str


def _tie_titles(text: str) -> str:
    return _TITLE.sub(rf"\1{_TIE}\2", text)


def refusal(problem: Problem) -> str:
    """Return why a problem cannot be reversed, or an empty text if it may be."""
    taken = _split_problem(_tie_titles(problem.text))
    return taken if isinstance(taken, str) else ""


def reversed_text(problem: Problem, number: int, answer: int) -> ReversedText | str:
    """Return the text that asks for a number and tells the answer as the placeholder `N_{answer}`; or why
    not.
    """
    taken = _split_problem(_tie_titles(problem.text))
    if isinstance(taken, str):
        return taken
    name = f"N_{number}"
    # Exactly one statement must contain the number.
    positions = [at for at, one in enumerate(taken.statements) if name in one.split()]
    if len(positions) != 1:
        return (
            "the number is in the question itself"
            if name in taken.question.split()
            else "the number is unclear"
        )
    (position,) = positions
    money = "$" in problem.text or "dollar" in problem.text
    # The old question becomes the statement of its answer.
    statement = state_answer(parse_clause(taken.question), f"N_{answer}", money=money)
    if statement is None:
        return "the old question has no known form"
    moved = taken.statements[position]
    rest = list(taken.statements)
    # Two amounts joined in one clause are split: one stays, one is asked for.
    pair = _split_amounts(moved, name)
    if pair is not None:
        moved, rest[position] = pair
    else:
        rest[position] = ""
    question = ask_for_number(parse_clause(moved), name)
    if question is None:
        return "the number's clause has no known form"
    # Words before the old question ("In total, how many …") stay with its statement.
    if taken.lead:
        statement = f"{taken.lead} {statement}"
    parts = [*(one for one in rest if one), statement]
    # A pronoun whose antecedent has moved away is replaced by the name.
    parts, question, clear = _replace_pronouns(parts, question, taken.statements)
    question = _in_time(question, moved, position, taken)
    doubts = _list_doubts(problem, number, moved, question, taken, parts)
    if not clear:
        return "a pronoun would have no antecedent"
    if re.search(r"[A-Z](?!_\d)", problem.text):
        parts, question = [part[:1].upper() + part[1:] for part in parts], question[:1].upper() + question[1:]
    text = " ".join(f"{part} ." for part in parts) + f" {question} ?"
    return ReversedText(_TIED.sub(r"\1. \2", text), doubts)


@lru_cache(maxsize=4096)
def _split_problem(text: str) -> _SplitProblem | str:
    parts = [_lower_first_word(part) for part in split_problem_sentences(_MARK.sub(r" \1", text))]
    asking = [at for at, part in enumerate(parts) if is_question(part, "en")]
    if len(asking) != 1 or asking[0] != len(parts) - 1:
        return "there is not one question at the end"
    match = _ASK.search(parts[-1])
    if match is None:
        return "the question has no known form"
    before, question = parts[-1][: match.start()].strip(" ,"), parts[-1][match.start() :].strip(" ?.")
    stating = [one for part in parts[:-1] for one in _split_clauses(part)]
    tail = question.find(" if ")
    behind = ""
    if tail > 0:
        question, behind = question[:tail], question[tail + 4 :]
    lead = ""
    if before:
        inner = parse_clause(before)
        if any(word.tag in ("VBD", "VBZ", "VBP", "MD") for word in inner.parse):
            stating += _split_clauses(_IF.sub("", re.sub(r"\b(?:and|then|so|,)$", "", before).strip()))
        elif len(inner.words) <= 6 and not _PLACE.search(before):
            lead = before if before not in ("and", "then", "so", "now", "about") else ""
        else:
            return "the text before the question has no known form"
    stating += _split_clauses(behind) if behind else []
    return _SplitProblem(tuple(stating), question, lead)


def _lower_first_word(sentence: str) -> str:
    """Return a sentence with its first word in small letters, unless that may be a name."""
    first, _, rest = sentence.partition(" ")
    return f"{first.lower()} {rest}" if first.lower() in _STARTS else sentence


def _split_clauses(sentence: str) -> list[str]:
    sentence = _IF.sub("", sentence.strip(" .!?,;"))
    sentence_clause = parse_clause(sentence)
    # Look for the first conjunction behind which a clause of its own begins; the rest is split again.
    for position, word in enumerate(sentence_clause.words):
        if word not in ("and", "but", "then", ",", "so") or position < 2:
            continue
        after = position + 1
        while sentence_clause.words[after : after + 1] and sentence_clause.words[after] in (
            "and",
            "but",
            "then",
            "so",
            "also",
            ",",
        ):
            after += 1
        if after >= len(sentence_clause.words) - 1:
            continue
        left, right = " ".join(sentence_clause.words[:position]), list(sentence_clause.words[after:])
        tag, following = sentence_clause.parse[after], sentence_clause.tag_at(after + 1)
        # A pronoun after the conjunction is the subject of a new clause.
        if tag.text in _PRONOUNS or tag.text in ("i", "we", "there"):
            return [*_split_clauses(left), *_split_clauses(" ".join(right))]
        first = parse_clause(left)
        # A finite verb without a subject continues the subject of the first clause, which is repeated.
        if (
            tag.tag in ("VBD", "VBZ")
            and following != "IN"
            and any(one.tag in ("VBD", "VBZ") for one in first.parse)
        ):
            subject = _find_subject(first)
            if subject:
                return [*_split_clauses(left), *_split_clauses(" ".join([subject, *right]))]
        # A noun phrase begins a clause only if a verb follows it.
        if tag.tag in ("DT", "PRP$", "NN", "NNP", "CD") and _has_verb_after_subject(sentence_clause, after):
            return [*_split_clauses(left), *_split_clauses(" ".join(right))]
    return [sentence] if sentence else []


def _has_verb_after_subject(whole: Clause, begin: int) -> bool:
    """Return whether a noun phrase begins there that is the subject of a verb of its own, with one before it
    too.
    """
    if not any(one.tag in ("VBD", "VBZ", "VBP") for one in whole.parse[:begin]):
        return False
    for at in range(begin, min(begin + 6, len(whole.words))):
        tag = whole.tag_at(at)
        if tag in ("VBD", "VBZ", "VBP", "MD"):
            return at > begin
        if tag not in ("DT", "PRP$", "NN", "NNS", "NNP", "JJ", "CD", "POS"):
            return False
    return False


def _find_subject(one: Clause) -> str:
    for index, word in enumerate(one.parse):
        if word.relation in ("nsubj", "nsubj:pass"):
            span = sorted(at for at in one.list_descendants(index) if at <= index)
            if one.tag_at(span[0]) in ("IN", "RB", "TO", "CC", "CD") or one.words[span[0]] in (
                "each",
                "every",
            ):
                return ""
            return " ".join(one.words[at] for at in span)
    return ""


def _split_amounts(statement: str, name: str) -> tuple[str, str] | None:
    """Return a statement of two amounts as two of one, the named first: "a has N_0 x and N_1 y" for N_0 as "a
    has N_0 x" and "a has N_1 y".
    """
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
    shared = _shared_ending(words, second)
    one += [] if set(between) & set(_NO_NOUN) else shared
    return (" ".join(one), " ".join(two)) if words[first] == name else (" ".join(two), " ".join(one))


def _shared_ending(words: list[str], second: int) -> list[str]:
    """Return what stands behind both amounts: "… N_0 cows and N_1 pigs in the barn"."""
    for at in range(second + 1, len(words)):
        if words[at] in ("in", "on", "at", "for", "from", "to", "during", "with"):
            return words[at:]
    return []


def _replace_pronouns(
    parts: list[str], question: str, statements: tuple[str, ...]
) -> tuple[list[str], str, bool]:
    """Return the parts with the name for the pronoun that would come first; whether every pronoun has a
    name.
    """
    names = [_find_subject(parse_clause(one)) for one in statements]
    name = next((one for one in names if one and one.split()[0] not in _PRONOUNS), "")
    before: list[str] = []
    for at, part in enumerate([*parts, question]):
        words = part.split()
        subject = _find_subject(parse_clause(part)) if at < len(parts) else ""
        result = subject if subject in ("he", "she", "it") else None
        if at == len(parts):
            result = next((word for word in words if word in ("he", "she", "it")), None)
        known = any(
            set(one.split()) - set(_PRONOUNS) and _find_subject(parse_clause(one)) not in ("", *_PRONOUNS)
            for one in before
        )
        if result and not known and at < len(parts):
            if not name or result in ("it",):
                return parts, question, False
            words[words.index(result)] = name
            parts[at] = " ".join(words)
        elif result and not known:
            return parts, question, False
        before.append(part)
    if name and name not in " ".join(parts):
        for pronoun in _PRONOUNS:
            question = re.sub(rf"\b{pronoun}\b", name, question, count=1)
    return parts, question, True


def _in_time(question: str, moved: str, index: int, taken: _SplitProblem) -> str:
    """Return the question with "at first" where the clause speaks of what was before something changed."""
    shared = re.search(r"\b(?:each|every|per|than)\b", " ".join((*taken.statements, taken.question)))
    if shared or not question.startswith("how") or re.search(r"\b(?:more|fewer|first|before)\b", question):
        return question
    if "difference" in taken.question:
        return question
    if _content_words(question) <= _content_words(taken.question):
        for now, before in ((" are ", " were "), (" is ", " was "), (" does ", " did "), (" do ", " did ")):
            question = question.replace(now, before)
        return f"{question} at first"
    changes = set(taken.question.split()) & set(_CHANGED) or len(taken.statements) > 1
    same = index == 0 and re.search(r"\b(?:had|has|have|were|are|was)\b", moved)
    compared = re.search(
        r"\b(?:more|fewer|less|total|altogether|all|together|each|every|difference)\b", taken.question
    )
    if not (same and changes) or compared or re.search(r"\b(?:each|every)\b", moved):
        return question
    owner = _find_subject(parse_clause(moved))
    about = owner and owner in taken.question
    if "there" in moved.split() or about or re.search(r"\b(?:he|she|they)\b", taken.question):
        question = re.sub(r"^(.*?)\bdoes\b(?=.* have\b)", r"\1did", question)
        question = re.sub(r"^(.*?)\bare there\b", r"\1were there", question)
        return f"{question} at first"
    return question


_ASKING_WORDS = "how many much did does do the a of he she they have has"
_ASKING = frozenset(_ASKING_WORDS.split())


def _content_words(question: str) -> set[str]:
    plain = set(re.findall(r"[a-z]+", question))
    return plain - _ASKING


def _list_doubts(
    problem: Problem, number: int, moved: str, question: str, taken: _SplitProblem, parts: list[str]
) -> tuple[str, ...]:
    result = []
    # Each check below is a reason for a person to read the variant before it is used.
    asks_for = taken.question.split()
    if (
        "more" in asks_for
        and "than" not in asks_for
        and not {"need", "needs", "needed", "must"} & set(asks_for)
    ):
        result.append("the old question compares with nothing")
    same_words = _content_words(question) - {"more", "first", "at", "then"} <= _content_words(taken.question)
    if same_words and not _TOTAL & set(asks_for):
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
