"""The English pipeline: treebanks, formulas in them, training, sentences, and the pipeline that ships."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from engines.core.errors import EngineError
from engines.core.system import asset
from engines.language.english import analyse_sentences, load_pipeline, split_sentences, tokenize_words
from engines.language.training import (
    FORMULA,
    Sentence,
    TrainLanguage,
    read_treebank,
    train_language,
    with_formula,
)

ROWS = """# text = I don't want it.
1\tI\tI\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\twant\twant\tVERB\tVB\t_\t0\troot\t_\t_
4.1\twant\twant\tVERB\tVB\t_\t_\t_\t_\t_
5\tit\tit\tPRON\tPRP\t_\t4\tobj\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

1\tNumbers\tnumber\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2\tconverge\tconverge\tVERB\tVBP\t_\t0\troot\t_\t_

"""


def treebank(folder: Path) -> Path:
    for part in ("train", "dev"):
        (folder / f"own-ud-{part}.conllu").write_text(ROWS * 25)
    return folder


def test_a_treebank_is_read(tmp_path: Path) -> None:
    found = list(read_treebank(treebank(tmp_path) / "own-ud-dev.conllu"))
    assert [len(one.words) for one in found[:2]] == [6, 2]
    first = found[0]
    text = "".join(word + " " * space for word, space in zip(first.words, first.spaces, strict=True))
    assert text.strip() == "I don't want it."
    assert first.heads == (3, 3, 3, 3, 3, 3)
    assert first.relations[3] == "root"


WORD = "{}\tgo\tgo\tVERB\tVBP\t_\t{}\tdep\t_\t_\n"


@pytest.mark.parametrize(
    "row",
    [
        "1\tword\n",
        ROWS.replace("\t4\tobj", "\t9\tobj"),
        "1-x" + "\t_" * 9 + "\n" + WORD.format(1, 0),
        "1-2-3" + "\t_" * 9 + "\n" + WORD.format(1, 0),
        WORD.format("one", 0),
        WORD.format(2, 0),
        WORD.format(1, "²"),
        WORD.format(1, 2) + WORD.format(2, 1),
        WORD.format(1, 0) + WORD.format(2, 0),
        WORD.format(1, 0) + WORD.format(2, 3) + WORD.format(3, 2),
        "# a comment alone\n",
    ],
)
def test_a_line_that_is_no_word_is_named(tmp_path: Path, row: str) -> None:
    path = tmp_path / "broken.conllu"
    path.write_text(row)
    with pytest.raises(EngineError) as caught:
        list(read_treebank(path))
    assert str(path) in caught.value.where


def trees(sentence: Sentence) -> None:
    """Heads are words, one root, no circle: every word reaches the root."""
    size = len(sentence.words)
    assert {len(one) for one in (sentence.tags, sentence.lemmas, sentence.heads, sentence.relations)} == {
        size
    }
    for word in range(size):
        at = word
        for _ in range(size):
            at = sentence.heads[at]
        assert sentence.heads[at] == at
    assert sentence.relations.count("root") == 1


@pytest.mark.real_data
def test_formulas_stand_in_trees(real_data: Path) -> None:
    random = Random(0)
    changed = Counter[bool]()
    for sentence in read_treebank(real_data / "ud_ewt" / "en_ewt-ud-dev.conllu.gz"):
        made = with_formula(sentence, random)
        changed[made is not None] += 1
        if made is not None:
            trees(made)
            assert made.words.count(FORMULA) == 1
    assert changed[True] > 2 * changed[False]


@pytest.mark.real_data
def test_the_pipeline_that_ships_parses(real_data: Path) -> None:
    """Labelled and unlabelled attachment on the first 300 sentences of the test set, with its own tokens."""
    gold = list(islice(read_treebank(real_data / "ud_ewt" / "en_ewt-ud-test.conllu.gz"), 300))
    found = analyse_sentences(list(zip(one.words, one.spaces, strict=True)) for one in gold)
    hits = words = 0
    for right, own in zip(gold, found, strict=True):
        for place, word in enumerate(own):
            words += 1
            hits += (word.head, word.relation) == (right.heads[place], right.relations[place])
    assert hits / words > 0.78


def test_what_ships_parses_a_plain_sentence_and_holds_no_pickle() -> None:
    (words,) = analyse_sentences([tokenize_words("John bought three apples.")])
    shown = {word.text: (word.relation, words[word.head].text) for word in words}
    assert shown["apples"] == ("obj", "bought")
    assert shown["John"] == ("nsubj", "bought")
    assert next(word for word in words if word.text == "apples").lemma == "apple"
    pickles = {bytes((0x80, protocol)) for protocol in range(2, 6)}
    files = [file for file in asset("models/language-en").rglob("*") if file.is_file()]
    assert not [file.name for file in files if file.read_bytes()[:2] in pickles]


def test_a_folder_that_is_no_pipeline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        load_pipeline(tmp_path)
    assert caught.value.code == "E355"


@pytest.mark.slow
def test_training_writes_a_pipeline(tmp_path: Path) -> None:
    made = train_language(TrainLanguage(treebank(tmp_path), tmp_path / "english", epochs=1, width=16))
    assert set(made["scores"]) == {"epoch", "tag", "lemma", "uas", "las"}
    assert {"tagger", "parser", "trainable_lemmatizer"} <= set(load_pipeline(tmp_path / "english").pipe_names)


def test_a_folder_without_a_treebank_is_named(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        train_language(TrainLanguage(tmp_path, tmp_path / "out"))
    assert caught.value.code == "E312"


def test_sentences_of_both_languages() -> None:
    text = 'Is "eqx1eqx" even? Yes, e.g. 4. Dr. Who'
    assert next(text[a:b] for a, b in split_sentences(text)) == 'Is "eqx1eqx" even?'
    chinese = "小明有3个苹果。他吃了1个，还剩几个？"
    assert [chinese[a:b] for a, b in split_sentences(chinese, "zh")] == [
        "小明有3个苹果。",
        "他吃了1个，还剩几个？",
    ]
    assert split_sentences("  ") == []
