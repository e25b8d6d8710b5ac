"""A dependency parse: its recurring mistakes corrected, and as a tree of words.

The pipeline learnt from a treebank that has few questions and few sentences of mathematics, so that some of
their words hang elsewhere than they should. Each rule names what it looks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engines.language.english import Word
from engines.language.training import FORMULA
from engines.mathamr.parsing.lexicon import find_lemma, load_frames

_QUANTIFIERS = ("all", "each", "every", "any", "some", "no")
_LOOSE = ("dep", "appos", "compound", "flat", "nmod", "list")
"""Relations by which a noun hangs on its own quantifier."""
_PARTS = ("each", "none", "neither", "few", "many", "some", "any", "several", "most", "both")
"""What can stand before "of" for some of a number of things."""
_NAMED = ("nmod", "obl", "appos", "nsubj", "obj")
_DO = ("do", "does", "did")


def correct_words(words: Sequence[Word]) -> list[Word]:
    """Return the words of a sentence, of which some hang elsewhere."""
    # First what changes heads for other corrections to see: "using" and "that".
    results = [_correct_using(words, word) for word in words]
    results = [_correct_that(results, number) for number in range(len(results))]
    # Then a noun taken for the dependent of its quantifier: exchange them.
    for number, word in enumerate(results):
        noun = _find_quantified(results, number)
        if noun is None:
            continue
        head = noun if word.head == number else word.head
        results = [replace(one, head=noun) if one.head == number else one for one in results]
        results[noun] = replace(results[noun], head=head, relation=word.relation)
        results[number] = replace(word, head=noun, relation="det")
    # Then corrections that each concern one word, in this order, because later ones read earlier ones.
    parse = _Parse(results)
    for number in range(len(results)):
        parse.correct_noun(number)
        parse.correct_how_many(number)
        parse.correct_verb(number)
        parse.correct_there(number)
        parse.correct_partitive(number)
        parse.correct_counted(number)
        parse.correct_between(number)
    # Last those of clauses, which need every head to be right.
    for number in range(len(results)):
        parse.correct_such_that(number)
        parse.correct_marked(number)
    parse.correct_asked()
    parse.correct_negated()
    parse.correct_imperative()
    return parse.words


def _correct_using(words: Sequence[Word], word: Word) -> Word:
    """ "Using" below a noun belongs to the verb above it."""
    if word.text.lower() != "using" or word.relation != "acl":
        return word
    above = word.head
    while words[above].head != above:
        above = words[above].head
        if words[above].tag[:2] == "VB":
            return replace(word, relation="advcl", head=above)
    return word


def _correct_that(words: Sequence[Word], number: int) -> Word:
    """ "That" before "for all …" is no object."""
    word = words[number]
    if word.text.lower() != "that" or word.relation not in ("obj", "obl", "punct", "dep"):
        return word
    after = [one.text.lower() for one in words[number + 1 : number + 3]]
    follows = word.tag == "IN" or after[:1] == ["for"] or after == [",", "for"]
    return replace(word, relation="mark") if follows else word


def _find_quantified(words: Sequence[Word], number: int) -> int | None:
    """Return the noun or formula that hangs on its quantifier, close behind it and with nothing between; a
    formula right behind one, wherever it hangs.
    """
    if words[number].text.lower() not in _QUANTIFIERS:
        return None
    # The noun follows its quantifier within three words, adjectives included.
    for index in range(number + 1, min(number + 4, len(words))):
        if words[index].head == number and words[index].relation in _LOOSE:
            before = (one for one in words[:index] if one.head == index)
            return None if any(one.relation in ("case", "punct") for one in before) else index
    after = words[number + 1] if number + 1 < len(words) else None
    below = any(one.head == number and one.relation == "case" for one in words)
    if after and after.text == FORMULA and below and after.head == words[number].head:
        return number + 1
    return None


class _Parse:
    """A parse that is being corrected: `words` as they hang now."""

    def __init__(self, words: list[Word]) -> None:
        self.words = words

    def lowercase_text(self, number: int) -> str:
        return self.words[number].text.lower() if 0 <= number < len(self.words) else ""

    def list_below(self, number: int, *relations: str) -> list[int]:
        return [
            index
            for index, word in enumerate(self.words)
            if word.head == number != index and (not relations or word.relation in relations)
        ]

    def attach_word(self, number: int, head: int, relation: str, tag: str = "") -> None:
        word = self.words[number]
        self.words[number] = replace(word, head=head, relation=relation, tag=tag or word.tag)

    def swap_words(self, above: int, number: int, relation: str) -> None:
        """Put a word in the place of the one above it, with all that hangs there, and that one below it."""
        word = self.words[above]
        for one in self.list_below(above):
            if one != number:
                self.attach_word(one, number, self.words[one].relation)
        self.attach_word(number, number if word.head == above else word.head, word.relation)
        self.attach_word(above, number, relation)

    def correct_noun(self, number: int) -> None:
        """Correct words that name a noun more closely or deny it, and that the pipeline attached
        elsewhere.
        """
        word, after = self.words[number], number + 1
        # "Not" is never a subject or an object.
        if self.lowercase_text(number) in ("not", "n't") and word.relation in ("nsubj", "obj"):
            self.attach_word(number, word.head, "advmod")
        # "At least" and "at most" are one expression.
        is_bound = self.lowercase_text(number - 1) == "at" and self.lowercase_text(number) in (
            "least",
            "most",
        )
        if is_bound and (word.head == after or word.relation == "obl"):
            self.attach_word(number, word.head, "fixed")
            self.attach_word(number - 1, word.head, "fixed")
        # A quantifier before a formula belongs to the formula.
        if self.lowercase_text(number) in _QUANTIFIERS:
            if after < len(self.words) and self.words[after].text == FORMULA and not self.list_below(number):
                self.attach_word(number, after, "det")
            for one in self.list_below(number, "case") if word.relation[:3] == "det" else ():
                self.attach_word(one, self.words[number].head, "case")
        verb = self.list_below(number, "acl:relcl")
        if self.lowercase_text(number) == "such" and verb and self.words[after].head == verb[0]:
            # "No such $x$ exists."
            self.swap_words(number, verb[0], "amod")
            for one in [number, *self.list_below(verb[0], "det")]:
                self.attach_word(one, after, self.words[one].relation)
            return
        # An adjective in the place of a noun names the formula after it, or is a noun itself.
        if word.tag[:2] == "JJ" and word.relation in ("nsubj", "obj", "obl", "nmod", "root"):
            formula = after in self.list_below(number, "appos") and self.words[after].text == FORMULA
            if self.list_below(number, "det") and formula and word.lemma not in ("prime", "set"):
                self.swap_words(number, after, "amod")
            elif self.list_below(number, "det") and word.relation != "root":
                self.words[number] = replace(word, tag="NN")
        has_adjective = number - 1 in self.list_below(number, "amod", "compound") and not self.list_below(
            number, "nsubj"
        )
        if has_adjective and word.tag in ("VBZ", "VBP", "VBD") and self.list_below(number, "det"):
            # "No prime divides …": an adjective below the verb is its subject.
            self.attach_word(number - 1, number, "nsubj", "NN")
            for one in self.list_below(number, "det", "amod", "nummod"):
                if one < number:
                    self.attach_word(one, number - 1, self.words[one].relation)

    def correct_how_many(self, number: int) -> None:
        """ "How many zeros has it?", "I know how many zeros it has"."""
        word, many = self.words[number], number + 1
        if self.lowercase_text(number) != "how" or self.lowercase_text(many) not in ("many", "much"):
            return
        self.attach_word(number, many, "advmod")
        noun = many + 1
        # Pass over adjectives and participles between "many" and its noun.
        while noun < len(self.words) - 1 and self.words[noun].tag[:2] in ("JJ", "VB"):
            noun += 1
        if self.words[min(noun, len(self.words) - 1)].tag[:2] != "NN":
            return
        clause = self.list_below(noun, "acl:relcl")
        if clause and noun < clause[0] and word.relation != "root":
            # What it has is known, not the zeros.
            self.attach_word(clause[0], self.words[noun].head, "ccomp")
            self.attach_word(noun, clause[0], "nsubj" if self.list_below(clause[0], "expl") else "obj")
        verb = self.words[noun].head
        if self.words[verb].relation == "aux":
            verb = self.words[verb].head
        # With "do" after the noun, as in "how many zeros does it have", the noun is the object.
        if any(self.lowercase_text(one) in _DO for one in self.list_below(verb, "aux") if one > noun):
            self.attach_word(noun, verb, "obj")
        # Without it, as in "how many zeros has it", the word after "has" is the subject.
        elif verb == noun + 1 and self.words[verb].lemma == "have":
            for one in self.list_below(verb, "obj"):
                self.attach_word(one, verb, "nsubj")
                self.attach_word(noun, verb, "obj")

    def correct_such_that(self, number: int) -> None:
        """ "Such that …" is said of the noun before it."""
        if (
            self.lowercase_text(number - 2) != "such"
            or self.lowercase_text(number - 1) != "that"
            or number < 3
        ):
            return
        noun = number - 3 - (self.lowercase_text(number - 3) == ",")
        if self.words[number].text != FORMULA or self.words[noun].tag[:2] != "NN":
            return
        # Go up through appositions and coordinations to the noun that all of them belong to.
        while self.words[noun].relation in ("appos", "conj") and self.words[noun].head < noun:
            noun = self.words[noun].head
        if number not in (noun, self.words[noun].head) and self.words[number].head != number:
            self.attach_word(number, noun, "appos")

    def correct_verb(self, number: int) -> None:
        """A verb taken for a noun, and its subject for the first part of its name: "the series converges",
        "does the set contain …"."""
        word, subject, known = self.words[number], number - 1, load_frames().words
        lemma = find_lemma(replace(word, tag="VBZ"), load_frames())
        # Only a noun that may be a verb, and not an adjective, can be a mistaken verb.
        if word.tag not in ("NN", "NNS") or f"{lemma}/v" not in known or f"{lemma}/j" in known:
            return
        if subject not in self.list_below(number, "compound"):
            return
        asked = [
            one
            for one in (word.head, *self.list_below(number, "cop", "aux"))
            if self.lowercase_text(one) in _DO
        ]
        # A form of "do" before the subject makes a question of the sentence.
        helper = asked[0] if asked and asked[0] < subject else None
        # Otherwise the word stays a noun, unless its relation or an object after it speaks for a verb.
        if helper is None:
            right = any(one > number for one in self.list_below(number, "obj"))
            if word.relation in _LOOSE or (f"{lemma}/n" in known and not right):
                return
        elif helper == word.head:
            self.swap_words(helper, number, "aux")
        else:
            self.attach_word(helper, number, "aux")
        self.words[number] = replace(self.words[number], tag="VBZ" if helper is None else "VB")
        for one in self.list_below(number, "det", "amod", "nummod", "cc:preconj", "compound"):
            if one < subject:
                self.attach_word(one, subject, self.words[one].relation)
        for one in self.list_below(number, "nsubj", "appos"):
            self.attach_word(one, number, "obj")
        self.attach_word(subject, number, "nsubj")

    def correct_there(self, number: int) -> None:
        """ "There" that a sentence says to exist what follows, taken for a place."""
        if self.lowercase_text(number) != "there":
            return
        be = self.list_below(number, "cop")
        if be and abs(be[0] - number) == 1 and self.list_below(number, "nsubj"):
            self.swap_words(number, be[0], "expl")
            self.words[number] = replace(self.words[number], tag="EX")
        head = self.words[number].head
        after = self.words[number + 1].lemma if number + 1 < len(self.words) else ""
        if after == "exist":
            head = number + 1
            self.attach_word(number, head, "expl", "EX")
        if self.words[head].lemma in ("exist", "be") and self.words[number].relation == "expl":
            objects = [one for one in self.list_below(head, "obj") if one > number]
            if objects and not any(one > number for one in self.list_below(head, "nsubj")):
                self.attach_word(objects[0], head, "nsubj")

    def correct_partitive(self, number: int) -> None:
        """ "Each of the numbers", "two of the roots": the noun stands above what says how many of it."""
        word = self.words[number]
        named = word.text[0].isdigit() and word.relation in ("flat", "appos")  # "Section 4 of …"
        counts = word.tag == "CD" and not named
        if (not counts and self.lowercase_text(number) not in _PARTS) or self.lowercase_text(
            number + 1
        ) != "of":
            return
        # The noun is the head of "of", a few words after it: "two of the three real roots".
        for noun in range(number + 2, min(number + 7, len(self.words))):
            if self.words[number + 1].head == noun:
                break
        else:
            return
        if self.words[noun].head != number or self.words[noun].tag not in ("NNS", "PRP", "NN", "DT"):
            return
        many = self.lowercase_text(number) in ("many", "few", "several")
        self.swap_words(number, noun, "nummod" if counts else "amod" if many else "det")
        for one in self.list_below(noun, "advmod"):
            if one < number:
                self.attach_word(one, number, "advmod")
        self.attach_word(number + 1, number, "fixed")

    def correct_counted(self, number: int) -> None:
        """A formula before a noun that it counts: "$k$ elements"."""
        word, after = self.words[number], number + 1
        if word.text != FORMULA or after >= len(self.words) or self.words[after].tag != "NNS":
            return
        beside = word.head == self.words[after].head and word.relation == self.words[after].relation
        if beside or (word.head == after and word.relation == "compound"):
            for one in self.list_below(number):
                self.attach_word(one, word.head, self.words[one].relation)
            self.attach_word(number, after, "nummod")

    def correct_between(self, number: int) -> None:
        """Formulas side by side: "between $a$ and $b$", "integers $a$ and $b$"."""
        word = self.words[number]
        before = number - 2
        if (
            word.text != FORMULA
            or word.relation != "conj"
            or self.lowercase_text(number - 1) not in ("and", "or")
        ):
            return
        if before < 0 or self.words[before].text != FORMULA or word.head == before:
            return
        beside = self.words[before].head == word.head and self.words[before].relation in _NAMED
        if beside or self.lowercase_text(before - 1) == "between":
            self.attach_word(number, before, "conj")

    def correct_marked(self, number: int) -> None:
        """A subject with a preposition before it is none: "for every $x$ there is …"."""
        word = self.words[number]
        if word.relation != "nsubj":
            return
        for one in self.list_below(number, "case"):
            preposition = self.words[one].tag in ("IN", "TO") and self.lowercase_text(one) not in (
                "such",
                "than",
            )
            if one < number and preposition:
                self.attach_word(number, word.head, "obl")

    def correct_asked(self) -> None:
        """ "For which $x$ …?", "In how many ways …?": what is asked for stands behind a preposition."""
        if len(self.words) < 3 or self.words[0].tag != "IN" or self.words[1].tag[:1] != "W":
            return
        # The preposition and its question word come first, and the noun before the first verb.
        last = next((at for at, word in enumerate(self.words) if word.tag[:2] in ("VB", "MD")), 2)
        noun = next((at for at in range(2, last) if self.words[at].tag[:2] == "NN"), 0)
        if noun and self.words[noun].relation in ("nsubj", "obj", "obl"):
            self.attach_word(0, noun, "case")
            self.attach_word(noun, self.words[noun].head, "obl")
            if self.lowercase_text(1) != "how":
                self.attach_word(1, noun, "det")
            for one in self.list_below(self.words[noun].head, "obl:unmarked"):
                self.attach_word(one, self.words[one].head, "nsubj")

    def correct_negated(self) -> None:
        """ "Neither … nor …" of two things: the second stands beside the first, before the verb of both."""
        texts = [word.text.lower() for word in self.words]
        if "neither" not in texts or "nor" not in texts[texts.index("neither") :]:
            return
        neither = texts.index("neither")
        nor, one = texts.index("nor", neither), self.words[neither].head
        if nor == neither + 2 and nor + 1 == one and self.words[one].tag[:2] == "JJ":
            # "Neither even nor odd": the first taken for an adverb.
            one = neither + 1
            self.swap_words(nor + 1, one, "conj")
            self.attach_word(nor, nor + 1, "cc", "CC")
            self.words[one] = replace(self.words[one], tag="JJ")
        if self.words[neither].relation == "advmod":
            self.attach_word(neither, one, "cc:preconj")
        nouns = [at for at in range(nor + 1, len(texts)) if self.words[at].tag[:2] in ("NN", "PR")]
        if self.words[one].tag[:2] not in ("NN", "PR") or not nouns or self.words[nouns[0]].head == one:
            return
        noun = nouns[0]
        verb = self.words[noun].head
        if self.words[noun].relation not in ("nsubj", "nsubj:pass", "compound", "appos", "dep"):
            return
        if self.words[verb].head == one:
            self.swap_words(one, verb, self.words[noun].relation)
            for at in self.list_below(verb, "cc:preconj", "det", "amod"):
                self.attach_word(at, one if at < nor else noun, self.words[at].relation)
        self.attach_word(noun, one, "conj")
        self.attach_word(nor, noun, "cc")

    def correct_imperative(self) -> None:
        """A verb that begins a sentence and has no subject is an order: "Prove that …"."""
        if (
            self.words
            and self.words[0].tag == "VBP"
            and not self.list_below(0, "nsubj", "nsubj:pass", "expl")
        ):
            self.words[0] = replace(self.words[0], tag="VB")


class Dependencies:
    """The words of a sentence as a tree. Args: lemmas: one for each word."""

    def __init__(self, words: Sequence[Word], lemmas: Sequence[str]) -> None:
        self.words, self.lemmas = words, lemmas
        self.below: dict[int, list[int]] = {}
        for number, word in enumerate(self.words):
            if word.head != number:
                self.below.setdefault(word.head, []).append(number)

    def get_relation(self, number: int) -> str:
        """Return the relation of a word to its head."""
        return self.words[number].relation

    def get_lemma(self, number: int) -> str:
        """Return the lemma of a word."""
        return self.lemmas[number]

    def list_children(self, number: int, *relations: str) -> list[int]:
        """Return the words right below, of some relations; `obl` means `obl:tmod` too."""
        result = self.below.get(number, [])
        if not relations:
            return result
        return [
            one
            for one in result
            if self.get_relation(one) in relations or self.base_relation(one) in relations
        ]

    def base_relation(self, number: int) -> str:
        """Return its relation without what stands behind the colon."""
        return self.get_relation(number).partition(":")[0]

    def first_child(self, number: int, *relations: str) -> int | None:
        """Return the first child of a word with one of the relations, or None."""
        result = self.list_children(number, *relations)
        return result[0] if result else None

    def find_marker(self, number: int, *relations: str) -> str:
        """Return the preposition or conjunction that introduces a word, with what is fixed to it: `such
        as`.
        """
        result = self.first_child(number, *(relations or ("case", "mark")))
        return "" if result is None else self.get_lemma(result)

    def is_verb(self, number: int) -> bool:
        """Return whether it is a verb by its tag, or a noun by mistake: one with a subject and no copula."""
        tag = self.words[number].tag
        mistaken = (
            tag in ("NN", "NNS")
            and self.list_children(number, "nsubj")
            and not self.list_children(number, "cop")
        )
        return tag[:2] in ("VB", "MD") or bool(mistaken)

    def is_clause(self, number: int) -> bool:
        """Return whether a word is the head of a clause."""
        return self.is_verb(number) or bool(self.list_children(number, "cop", "nsubj"))
