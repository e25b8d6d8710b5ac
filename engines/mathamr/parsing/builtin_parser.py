"""The built-in parser: rules over the dependency parse of `engines.language`; approximate, and always
there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from engines.language.formulas import FORMULA
from engines.mathamr.graph.amr import Branch, Graph
from engines.mathamr.parsing.frames import frames
from engines.mathamr.parsing.parts import Part, written
from engines.mathamr.parsing.roles import roles
from engines.mathamr.parsing.rules import sentence_graph

__all__ = ["Builtin", "is_nothing", "parse"]

_PLACEHOLDER = re.compile(r'"?eqx\w+?eqx"?')
_RUN = re.compile(r'"?eqx\w+?eqx"?(?:[\s,;.]*"?eqx\w+?eqx"?)*')
_START = re.compile(rf"(?<={FORMULA})\s+(?=[A-Z][a-z]+\b|I\b)|(?<=:)\s+(?=[A-Z][a-z])")
"""Where a sentence begins without a full stop before it: at a capital after a formula or a colon."""


_NOTHING = '"…"'


class Builtin:
    """The built-in parser; see `parse`. Args: labeller: of roles, instead of the one that ships."""

    name = "builtin"

    def __init__(self, labeller: Path | None = None) -> None:
        self._labeller = labeller

    def __call__(self, contexts: Sequence[str]) -> Iterator[Graph]:
        return parse(contexts, self._labeller)


def parse(contexts: Iterable[str], labeller: Path | None = None) -> Iterator[Graph]:
    """The AMR graph of each context, in order; its formulas are the constants that stand in it, quoted.

    A context of several sentences is a multi-sentence with :snt1, :snt2, … A sentence of formulas alone hangs
    on the one before it; one without a word of content has no graph; a context without any is a string-entity
    "…", never nothing.
    """
    from engines.language.english import analysed

    split = [_sentences(text) for text in contexts]
    parsed = analysed(sentence.words for context in split for sentence in context)
    inventory, known = frames(), roles(labeller)
    for context in split:
        parts = [sentence_graph(next(parsed), sentence.formulas, inventory, known) for sentence in context]
        found: list[Part] = []
        for sentence, part in zip(context, parts, strict=True):
            if part is None:
                continue
            if found and sentence.is_formulas():
                found[-1].put(":mod", part)
            else:
                found.append(part)
        if not found:
            found = [Part("string-entity").put(":value", _NOTHING)]
        top = found[0]
        if len(found) > 1:
            top = Part("multi-sentence")
            for number, part in enumerate(found, start=1):
                top.put(f":snt{number}", part)
        yield written(top)


def is_nothing(graph: Graph) -> bool:
    """Whether a graph stands for a context in which `parse` found nothing."""
    return graph.root.branches == [Branch(":value", _NOTHING)]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """Words with the blanks after them, and the placeholders of those that are formulas, in quotes."""

    words: list[tuple[str, bool]]
    formulas: dict[int, str]

    def is_formulas(self) -> bool:
        """Whether there is no word but formulas."""
        return not any(
            re.search(r"\w", word) and place not in self.formulas
            for place, (word, _) in enumerate(self.words)
        )


def _sentences(text: str) -> list[_Sentence]:
    from engines.language.english import tokens
    from engines.language.sentences import sentences

    runs = [
        " ".join(f'"{one.strip(chr(34))}"' for one in _PLACEHOLDER.findall(match.group()))
        for match in _RUN.finditer(text)
    ]
    plain = _RUN.sub(f" {FORMULA} ", re.sub(rf"\b{FORMULA}\b", FORMULA.lower(), text))
    upcoming = iter(runs)
    found = []
    for start, end in sentences(plain):
        for piece in _START.split(plain[start:end]):
            words = tokens(_lowered(piece))
            marks = {place: next(upcoming) for place, (word, _) in enumerate(words) if word == FORMULA}
            found.append(_Sentence(words, marks))
    return found


def _lowered(sentence: str) -> str:
    """The sentence with its first word in small letters, unless it is a name or an acronym: the pipeline
    takes a capital for a name."""
    first = re.match(r"[A-Z][a-z]+\b", sentence)
    return sentence[:1].lower() + sentence[1:] if first else sentence
