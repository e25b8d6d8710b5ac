"""Sentences with quantifiers: `Some student passed no exam`, `There is a student who did not pass any exam`.

A sentence is a tree of quantifiers over nouns, with a predicate that is denied or not; a denial goes inwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from engines.core.tree import Tree
from engines.grading.tokens import tokenize
from engines.grading.verdicts import GradeVerdict, differ_by

_EVERY = ("every", "each", "all", "any")
_SOME = ("some", "a", "an")
_EXISTS = ("there is", "there exists", "there are", "there exist", "there's")
_RELATIVES = ("who", "that", "which", "such")
_DENIALS = ("not", "cannot", "never")
_LACKS = ("without", "lack", "lacks", "lacked")
"""Words that say that a subject does not have something."""
_OWNING = ("has", "have", "had")
_PLACES = ("in", "of", "on", "from")
_DETERMINERS = ("the", "this", "our", "my", "their", "that")
_AUXILIARIES = (
    *("did", "does", "do", "is", "are", "was", "were", "has", "have", "had", "can", "could", "will", "be"),
    *("it", "the", "of", "at", "least", "one", "them", "they", "he", "she"),
)
_IRREGULAR = {
    **dict.fromkeys(("children",), "child"),
    **dict.fromkeys(("people", "persons"), "person"),
    **dict.fromkeys(("men",), "man"),
    **dict.fromkeys(("women",), "woman"),
}
_MOST_WORDS = 24
BY_QUANTIFIERS = "sentences are compared by their quantifiers"
"""The reason for a verdict that words such as `not every` have been read for."""
_DUAL = {"all": "some", "some": "all"}


def find_stem(word: str) -> str:
    """Return a word without the endings of plurals and verbs.

    >>> find_stem("passed"), find_stem("passes"), find_stem("students")
    ('pass', 'pass', 'student')
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending, shortest in (("ies", 2), ("ied", 2)):
        if word.endswith(ending) and len(word) > len(ending) + shortest:
            return word.removesuffix(ending) + "y"
    for ending in ("ed", "ing", "es", "s"):
        stem = word.removesuffix(ending)
        sibilant = ending != "es" or stem.endswith(("s", "x", "z", "ch", "sh", "o"))
        if stem != word and len(stem) > 2 and sibilant and not (ending == "s" and stem.endswith("s")):
            return stem.removesuffix("e")
    return word.removesuffix("e")


def read_quantified(text: str) -> Tree | None:
    """Return a sentence with quantifiers as a tree, its denials inside; None for other texts.

    >>> read_quantified("Not all birds can fly.") == read_quantified("Some birds cannot fly.")
    True
    """
    written = text.strip(" .").replace("’", "'").replace("n't", " not").replace("cannot", "can not")
    written = written.replace("There's", "There is").replace("there's", "there is")
    tokens = [token for token in tokenize(written) if token.kind not in ("space", "line")]
    if not 2 < len(tokens) <= _MOST_WORDS or any(token.kind != "word" for token in tokens):
        return None
    return _SentenceParser([token.text.lower() for token in tokens]).parse_sentence()


class _SentenceParser:
    """Parser of one sentence: a quantified subject, a predicate, and an object that may be quantified."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.at = 0
        self.is_denied = False

    def peek(self, step: int = 0) -> str:
        at = self.at + step
        return self.words[at] if at < len(self.words) else ""

    def take(self, *words: str) -> bool:
        if self.peek() and self.peek() in words:
            self.at += 1
            return True
        return False

    def parse_sentence(self) -> Tree | None:
        denied = self.take("not")
        if f"{self.peek()} {self.peek(1)}" in _EXISTS:
            self.at += 2
            quantifier = "none" if self.take("no") else "some"
            if self.peek() == "at" and not self.take_quantifier():
                return None
            self.take(*_SOME)
        else:
            quantifier = self.take_quantifier()
            if not quantifier:
                return None
        noun = self.take_noun()
        if not noun:
            return None
        self.take(*_RELATIVES)
        self.take("that")
        body = self.parse_predicate()
        if body is None or self.at < len(self.words):
            return None
        if quantifier == "all" and self.is_denied:
            return None  # `all of them are not` is said of each or of not all
        if quantifier == "none":
            quantifier, body = "all", deny(body)
        sentence = Tree(quantifier, (Tree(noun), body))
        return deny(sentence) if denied else sentence

    def take_quantifier(self) -> str:
        """Return all, some or none; "" without a quantifier."""
        if self.take(*_EVERY):
            return "all"
        if self.take("at"):
            return "some" if self.take("least") and self.take("one") else ""
        if self.take("no"):
            return "none"
        return "some" if self.take(*_SOME) else ""

    def take_noun(self) -> str:
        self.take("of")
        self.take("the")
        word = self.peek()
        self.at += bool(word)
        if not word or word in (*_AUXILIARIES, *_DENIALS, *_RELATIVES):
            return ""
        noun = find_stem(word)
        # A student in the class is another one than any student.
        while self.peek() in _PLACES and self.peek(1) in _DETERMINERS and self.peek(2):
            noun += f" {self.peek()} {find_stem(self.peek(2))}"
            self.at += 3
        return noun

    def parse_predicate(self) -> Tree | None:
        """Return what is said of the subject: a verb with an object, or words."""
        denied = False
        owns = False
        while self.peek() in (*_AUXILIARIES, *_DENIALS, *_LACKS) or (owns and self.peek() == "no"):
            denied = denied != (self.peek() in (*_DENIALS, *_LACKS, "no"))
            owns = self.peek() in _OWNING
            self.at += 1
        said: list[str] = []
        while self.at < len(self.words):
            word = self.peek()
            if said and word in (*_EVERY, "no", "some", "at"):
                break
            if word in (*_DENIALS, *_RELATIVES, "and", "or", "but", "if", "only", "both", "except", "unless"):
                return None
            self.at += 1
            if word not in (*_SOME, "the"):
                said.append(find_stem(word))
        self.is_denied = denied
        if not said:
            return None
        body = Tree("says", tuple(map(Tree, said)))
        if self.at < len(self.words):
            is_any = self.peek() == "any"
            quantifier = self.take_quantifier()
            noun = self.take_noun()
            if not quantifier or not noun:
                return None
            while self.at < len(self.words) and self.take("at", "all"):
                pass
            if quantifier == "none":
                quantifier, body = "all", deny(body)
            elif denied and quantifier == "some":
                return None  # `did not pass some exam` is said of one exam or of all
            elif is_any and denied:
                quantifier = "some"
            body = Tree(quantifier, (Tree(noun), body))
        return deny(body) if denied else body


def deny(tree: Tree) -> Tree:
    """Return the denial of a sentence, in which only predicates are denied."""
    if tree.label in _DUAL:
        return Tree(_DUAL[tree.label], (tree.children[0], deny(tree.children[1])))
    return tree.children[0] if tree.label == "not" else Tree("not", (tree,))


def compare_quantified(gold: str, pred: str) -> GradeVerdict | None:
    """Compare two sentences with quantifiers; None where one of them is none, or has other words."""
    mine = read_quantified(gold)
    theirs = read_quantified(pred) if mine is not None else None
    if mine is None or theirs is None:
        return None
    if mine == theirs:
        return GradeVerdict("equal", reason=BY_QUANTIFIERS)
    if theirs == deny(mine):
        return differ_by("each of them denies the other")
    return GradeVerdict("undecided", reason="their quantifiers or words differ")
