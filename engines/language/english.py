"""English: tags, lemmas and dependency relations of sentences, where they end, words for numbers.

The pipeline is a spaCy folder of ours (`assets/models/language-en`), trained by
`engines.language.training`; a folder of the user's may stand in for it. Nothing is fetched from anywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from engines.core.errors import DataError, EngineError
from engines.core.system import asset

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL = {word: value for value, word in enumerate(f"{_SMALL} seventeen eighteen nineteen".split())}
TENS = {word: 10 * value for value, word in enumerate(_TENS.split(), start=2)}
SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence: `tag` is the Penn Treebank's, `relation` that of Universal Dependencies to the
    word number `head` ("root" and its own number for the root), `lemma` lower-case but for names."""

    text: str
    lemma: str
    tag: str
    relation: str
    head: int


def load_pipeline(folder: Path | None = None) -> Language:
    """Return the pipeline of a folder, or the one that ships; loaded once.

    Raises:
        DataError E355: for a folder that is no spaCy pipeline. EngineError E355: for one without a tagger,
        a lemmatiser or a parser.
    """
    return _load_folder(folder or asset("models/language-en"))


def open_pipeline(folder: Path) -> Language:
    """Return the spaCy pipeline of a folder."""
    import spacy

    try:
        return spacy.load(folder)
    except (OSError, ValueError) as error:
        what = f"not a spaCy pipeline: {str(error).splitlines()[0]}"
        remedy = "Give the folder of a pipeline, with config.cfg and meta.json in it."
        raise DataError(what, path=folder, code="E355", exit_code=2, remedy=remedy) from error


@cache
def _load_folder(folder: Path) -> Language:
    nlp = open_pipeline(folder)
    lacking = [name for name in ("tagger", "parser") if name not in nlp.pipe_names]
    if not any("lemmatizer" in name for name in nlp.pipe_names):
        lacking.append("lemmatizer")
    if lacking:
        what = f"the pipeline has no {', no '.join(lacking)}"
        remedy = "Train one: mathwb mathamr language --recipe language/parser-en-small."
        raise EngineError(what, where=str(folder), code="E355", exit_code=1, remedy=remedy)
    return nlp


def tokenize_words(text: str) -> list[tuple[str, bool]]:
    """Return the words of a text, each with whether a blank follows it."""
    return [
        (token.text, bool(token.whitespace_))
        for token in load_pipeline().tokenizer(text)
        if not token.is_space
    ]


def analyse_sentences(sentences: Iterable[Sequence[tuple[str, bool]]]) -> Iterator[tuple[Word, ...]]:
    """Yield the analysis of sentences, given as (word, whether a blank follows), in order."""
    from spacy.tokens import Doc

    nlp = load_pipeline()

    def documents() -> Iterator[Doc]:
        for sentence in sentences:
            # The words are given, so documents are made by hand and the tokeniser is bypassed.
            yield Doc(
                nlp.vocab,
                words=[word for word, _ in sentence],
                spaces=[space for _, space in sentence],
                sent_starts=[index == 0 for index in range(len(sentence))],
            )

    # `pipe` processes many sentences in one batch, which is much faster than one call each.
    for document in nlp.pipe(documents()):
        yield tuple(
            Word(
                token.text,
                token.lemma_ or token.text.lower(),
                token.tag_,
                "root" if token.head == token else token.dep_,
                token.head.i,
            )
            for token in document
        )


Tongue = Literal["en", "zh"]


def split_sentences(text: str, tongue: Tongue = "en", pipeline: Path | None = None) -> list[tuple[int, int]]:
    """Return the sentences of an English or Chinese text as (start, end) in characters, without blanks around
    them.

    By full stops, question and exclamation marks of spaCy's sentencizer; or by a spaCy pipeline of the
    user's.

    >>> [("One? Two, e.g. two.")[start:end] for start, end in split_sentences("One? Two, e.g. two.")]
    ['One?', 'Two, e.g. two.']

    Raises:
        DataError E355: for a folder that is no spaCy pipeline.
    """
    result = []
    for span in _sentence_splitter(tongue, pipeline)(text).sents:
        words = span.text.strip()
        if words:
            start = span.start_char + span.text.index(words)
            result.append((start, start + len(words)))
    return result


@cache
def _sentence_splitter(tongue: Tongue, folder: Path | None) -> Language:
    import spacy

    if folder is None:
        nlp = spacy.blank(tongue)
        nlp.add_pipe("sentencizer")
        return nlp
    return open_pipeline(folder)
