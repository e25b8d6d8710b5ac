"""The transformer, its losses, its folder and its decoding, each against something independent."""

from __future__ import annotations

import errno
import itertools
import json
import math
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from engines.core.errors import DataError, EngineError, ExpressionError
from engines.core.expression_language import read_prefix, to_prefix
from engines.core.files import write_array
from engines.core.spec import to_mapping
from engines.core.tree import Tree
from engines.egen.models import trainers
from engines.egen.models.config import ModelConfig
from engines.egen.models.datasets import Sequences, encode_expression, make_batches, without_log
from engines.egen.models.encode import load_encoder
from engines.egen.models.losses import contrastive_loss, sequence_loss
from engines.egen.models.model_encoder import ModelEncoder
from engines.egen.models.model_folder import load_model, prefix_tokenizer, save_model
from engines.egen.models.nearest import Rewrite, rewrite_expression
from engines.egen.models.transformer import (
    beam_search,
    begin_decoding,
    decode_step,
    embed,
    make_sinusoids,
    new_model,
    write,
)
from engines.egen.models.transformer import compute_logits as logits_of
from engines.egen.models.transformer import encode as encoded
from engines.mathematics.terms.notation import PAD, VOCABULARY, to_training
from tests.conftest import count_examples, expect_error
from tests.egen.expressions import trees

pytestmark = pytest.mark.usefixtures("one_thread")


def encode(tree: Tree) -> list[int]:
    """The ids a model is given: SOE, the tree's tokens, EOE."""
    return [1, *map(VOCABULARY.index, to_training(tree)), 2]


TEXTS = ["+ pow x 2 - * -12 x 304", "sin / x -0.5", "d x acoth x", "x", "* 2.25 pow e - 0 x", "ln abs / 1 x"]
SIZES = {"d_model": 32, "heads": 4, "ffn": 64, "layers": 2}


def _model(**settings: object) -> torch.nn.Module:
    """A model whose biases and norms are no longer 0 and 1."""
    torch.manual_seed(0)
    model = new_model(ModelConfig(**{**SIZES, **settings})).eval()
    for weights in model.parameters():
        if weights.dim() == 1:
            torch.nn.init.normal_(weights, 0.5, 0.5)
    return model


def _ids(texts: list[str]) -> torch.Tensor:
    return torch.from_numpy(Sequences.from_prefixes(texts, max_length=200).pad_rows(range(len(texts))))


# token ids


@given(trees())
@settings(max_examples=count_examples(60), deadline=None)
def test_ids_are_those_of_training_notation(tree) -> None:
    plain = without_log(tree)
    try:
        expected = encode(plain)
    except ExpressionError:
        return
    assert list(encode_expression(to_prefix(plain))) == expected


def test_a_logarithm_to_another_base_becomes_a_quotient() -> None:
    assert to_prefix(without_log(read_prefix("+ log 2 log x 3 x"))) == "+ / ln / ln 3 ln x ln 2 x"
    with expect_error("E200"):
        encode_expression("log 2 x")


def test_sequences_say_which_expression_is_too_long() -> None:
    with expect_error("E200", position=1) as caught:
        Sequences.from_prefixes(["x", "+ 1234567 x"], max_length=10)
    assert caught.value.position == 1


@given(st.lists(st.integers(1, 60), max_size=80), st.integers(1, 200))
@settings(max_examples=count_examples(60), deadline=None)
def test_batches_hold_every_row_once_within_the_budget(lengths: list[int], budget: int) -> None:
    found = make_batches(np.array(lengths, np.int64), budget)
    assert sorted(itertools.chain.from_iterable(part.tolist() for part in found)) == list(range(len(lengths)))
    for part in found:
        longest = max(lengths[row] for row in part)
        assert len(part) == 1 or longest * len(part) <= budget


# the model


def test_positions_are_the_formula() -> None:
    table = make_sinusoids(7, 6)
    for place, pair in itertools.product(range(7), range(3)):
        angle = place / 10_000 ** (2 * pair / 6)
        assert table[place, 2 * pair].item() == pytest.approx(math.sin(angle), abs=1e-5)
        assert table[place, 2 * pair + 1].item() == pytest.approx(math.cos(angle), abs=1e-5)


def test_the_paper_size_and_its_bias_free_attention() -> None:
    config = ModelConfig(decoder_layers=6)
    assert (config.d_model, config.heads, config.ffn, config.layers, config.max_length) == (
        512,
        8,
        2048,
        6,
        200,
    )
    names = [name for name, _ in _model(decoder_layers=1).named_parameters() if "attention." in name]
    assert names
    assert not [name for name in names if name.endswith("bias")]


@pytest.mark.parametrize("pooling", ["mean", "max"])
def test_embeddings_do_not_depend_on_the_rest_of_the_batch(pooling: str) -> None:
    model = _model(pooling=pooling)
    together = embed(model, _ids(TEXTS))
    for row, text in enumerate(TEXTS):
        assert torch.allclose(embed(model, _ids([text]))[0], together[row], atol=1e-5)


def test_pooling_leaves_out_start_and_end() -> None:
    for pooling, operation in (("mean", lambda s: s.mean(0)), ("max", lambda s: s.amax(0))):
        model = _model(pooling=pooling)
        for row in _ids(TEXTS):
            real = row[row != PAD][None]
            states = encoded(model, real)[0, 1:-1]
            assert torch.allclose(embed(model, row[None])[0], operation(states), atol=1e-5)


@pytest.mark.parametrize("wrong", [{"d_model": 30}, {"layers": 0}, {"pooling": "sum"}, {"width": 3}])
def test_sizes_that_make_no_model_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(EngineError) as caught:
        ModelConfig.from_table({**SIZES, **wrong})
    assert caught.value.code == "E640"


# losses


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.parametrize("negatives", ["one", "batch", "positives"])
def test_contrastive_loss_is_its_definition(negatives: str) -> None:
    draw = np.random.default_rng(1)
    a, p, n = draw.normal(size=(3, 5, 4))
    clusters = [0, 1, 2, 1, 4]
    tau = 0.1
    losses = []
    for i in range(5):
        right = math.exp(_cosine(a[i], p[i]) / tau)
        if negatives == "positives":
            rows = [j for j in range(5) if j == i or clusters[j] != clusters[i]]
            forth = sum(math.exp(_cosine(a[i], p[j]) / tau) for j in rows)
            back = sum(math.exp(_cosine(a[j], p[i]) / tau) for j in rows)
            losses += [-math.log(right / forth), -math.log(right / back)]
        else:
            others = [n[i]] if negatives == "one" else n
            losses.append(-math.log(right / (right + sum(math.exp(_cosine(a[i], v) / tau) for v in others))))
    found = contrastive_loss(
        *(torch.from_numpy(v) for v in (a, p, n)),
        negatives=negatives,
        tau=tau,
        clusters=torch.tensor(clusters),
    )
    assert found.item() == pytest.approx(np.mean(losses))


def test_smoothed_cross_entropy_is_its_definition() -> None:
    logits = torch.randn(1, 3, len(VOCABULARY), dtype=torch.float64)
    target = torch.tensor([[1, 17, 2, PAD]])
    chances = logits.log_softmax(-1)[0]
    parts = [0.9 * chances[k, token] + 0.1 * chances[k].mean() for k, token in enumerate((17, 2))]
    assert sequence_loss(logits, target, 0.1).item() == pytest.approx(-float(sum(parts)) / 2)


# decoding


def test_decoding_step_by_step_is_decoding_at_once() -> None:
    model = _model(decoder_layers=2)
    source, target = _ids(TEXTS[:3]), _ids(TEXTS[3:])
    at_once = logits_of(model, source, target)
    cache = begin_decoding(model, source)
    for place in range(target.shape[1] - 1):
        found = decode_step(model, target[:, place : place + 1], cache)[:, 0]
        assert torch.allclose(found, at_once[:, place], atol=1e-4)


def _log_probability(model: torch.nn.Module, source: torch.Tensor, written: list[int]) -> float:
    target = torch.tensor([[1, *written]])
    chances = logits_of(model, source, target).log_softmax(-1)[0]
    return float(chances[torch.arange(len(written)), torch.tensor(written)].mean())


def test_greedy_takes_the_likeliest_and_scores_are_log_probabilities() -> None:
    model = _model(decoder_layers=1)
    source = _ids(TEXTS[:2])
    with torch.inference_mode():
        for row, ((written, score),) in enumerate(beam_search(model, source, 1, 7)):
            only = source[row][source[row] != PAD][None]
            for place in range(len(written)):
                logits = logits_of(model, only, torch.tensor([[1, *written[: place + 1]]]))[0, place]
                assert int(logits.argmax()) == written[place]
            assert score == pytest.approx(_log_probability(model, only, written), abs=1e-4)


def test_beams_are_ranked() -> None:
    model = _model(decoder_layers=1)
    source = _ids(TEXTS[:3])
    with torch.inference_mode():
        for row, found in enumerate(beam_search(model, source, 4, 8)):
            only = source[row][source[row] != PAD][None]
            assert len({tuple(written) for written, _ in found}) == len(found) == 4
            assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
            for written, score in found:
                assert score == pytest.approx(_log_probability(model, only, written), abs=1e-3)


def test_what_is_written_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    model = _model(decoder_layers=1)

    def fixed(model: object, ids: torch.Tensor, cache: object) -> torch.Tensor:
        logits = torch.zeros(len(ids), 1, len(VOCABULARY))
        wanted = encode(read_prefix("+ 1 x"))[1:]
        logits[:, :, wanted[min(cache.length, len(wanted) - 1)]] = 30
        cache.length += 1
        return logits

    monkeypatch.setattr("engines.egen.models.transformer.decode_step", fixed)
    right, wrong = write(model, [read_prefix("+ x 1"), read_prefix("* x 2")])
    assert to_prefix(right[0].tree) == "+ 1 x"
    assert right[0].equal
    assert not wrong[0].equal
    assert wrong[0].verdict.counterexample is not None
    with expect_error("E641"):
        write(_model(), [read_prefix("x")])


# folders


@pytest.mark.parametrize(("pooling", "precision"), [("mean", "fp32"), ("max", "fp32"), ("max", "fp16")])
def test_a_folder_opens_in_transformers_and_sentence_transformers(
    tmp_path: Path, pooling: str, precision: str
) -> None:
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModel

    model = _model(pooling=pooling)
    save_model(model, tmp_path, precision=precision)
    with torch.inference_mode():
        own, ours = embed(model, _ids(TEXTS)), embed(load_model(tmp_path), _ids(TEXTS))
        theirs = SentenceTransformer(str(tmp_path), device="cpu").encode(TEXTS, convert_to_tensor=True)
        assert torch.allclose(ours, own, atol=1e-5 if precision == "fp32" else 2e-2)
        assert torch.allclose(theirs, ours, atol=1e-5)
        rows = _ids(TEXTS)
        encoder = AutoModel.from_pretrained(tmp_path).eval()
        states = encoder(input_ids=rows, attention_mask=(rows != PAD).long()).last_hidden_state
        shift = json.loads((tmp_path / "config.json").read_text())["egen_shift"]
        real = rows != PAD
        assert torch.allclose(states[real] - shift, encoded(load_model(tmp_path), rows)[real], atol=1e-4)


def test_the_tokenizer_reads_prefix_notation_and_refuses_the_unknown() -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(prefix_tokenizer())
    for text in [*TEXTS, "- -3 -0.25", "pow 1.5 -17", "* / pi e 0"]:
        assert tokenizer.encode(text).ids == list(encode_expression(text))
    for text in ("foo x", "0.3", "log 2 x"):
        with pytest.raises(Exception, match="UNK"):
            tokenizer.encode(text)


@pytest.mark.parametrize(("precision", "rounding"), [("fp32", 1e-4), ("fp16", 0.1)])
def test_a_folder_with_a_decoder_opens_in_transformers(
    tmp_path: Path, precision: str, rounding: float
) -> None:
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    model = _model(decoder_layers=2, pooling="max", max_length=40)
    # Or every token written would be the same.
    model["decoder"]["tokens"].weight.data *= 9
    model["decoder"]["norm"].bias.data.zero_()
    model["decoder"]["out"].bias.data *= 0.1
    save_model(model, tmp_path, precision=precision)
    ours = load_model(tmp_path)
    theirs, found = AutoModelForSeq2SeqLM.from_pretrained(
        tmp_path, local_files_only=True, output_loading_info=True
    )
    assert not any(found.values())
    tokenizer = AutoTokenizer.from_pretrained(tmp_path, local_files_only=True)
    source, target = _ids(TEXTS), _ids(TEXTS[::-1])
    read = tokenizer(TEXTS, padding=True, return_tensors="pt")
    assert torch.equal(read.input_ids, source)
    assert (source == PAD).any()
    with torch.inference_mode():
        expected = logits_of(ours, source, target)
        assert torch.allclose(expected, logits_of(model, source, target), atol=rounding)
        assert torch.allclose(theirs(**read, decoder_input_ids=target[:, :-1]).logits, expected, atol=1e-4)
        written = theirs.generate(**read)[:, 1:].tolist()
        own = [candidates[0][0] for candidates in beam_search(ours, source, 1, 40)]
        vectors = SentenceTransformer(str(tmp_path), device="cpu").encode(TEXTS, convert_to_tensor=True)
        assert torch.allclose(vectors, embed(ours, source), atol=rounding)
    assert len({token for row in own for token in row}) > 5
    assert [row[: len(wanted)] for row, wanted in zip(written, own, strict=True)] == own


def test_a_decoder_is_kept_and_damage_is_explained(tmp_path: Path) -> None:
    model = _model(decoder_layers=1, pooling="max")
    save_model(model, tmp_path)
    for name, weight in load_model(tmp_path).state_dict().items():
        torch.testing.assert_close(weight, model.state_dict()[name], rtol=1e-6, atol=1e-6)
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-9])
    with pytest.raises(DataError) as caught:
        load_model(tmp_path)
    assert (caught.value.code, caught.value.exit_code) == ("E642", 3)


@pytest.mark.parametrize(
    "change",
    [
        None,
        [],
        {"layers": 10**9},
        {"layers": 1},
        {"layers": -2},
        {"layers": "2"},
        {"layers": None},
        {"d_model": 10**6},
        {"heads": 10**9},
        {"heads": 0},
        {"ffn": 10**9},
        {"max_length": 10**9},
        {"decoder_layers": 10**9},
    ],
    ids=str,
)
@pytest.mark.parametrize("decoder", [0, 1])
@pytest.mark.parametrize("plain", [False, True])
def test_sizes_that_are_not_those_of_the_weights(
    tmp_path: Path, change: object, decoder: int, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused before a network is built, with torch and without."""
    save_model(_model(layers=2, decoder_layers=decoder), tmp_path)
    for place in (tmp_path, tmp_path / "0_Transformer")[: 1 + decoder]:
        config = json.loads((place / "config.json").read_text())
        if isinstance(change, dict):
            config["egen"] |= change
        (place / "config.json").write_text(json.dumps(config if isinstance(change, dict) else change))
    if plain:
        monkeypatch.setattr("engines.egen.models.encode.has_torch", lambda: False)
    with pytest.raises(DataError) as caught:
        load_encoder(tmp_path)
    assert caught.value.code == "E642"


@pytest.mark.parametrize("plain", [False, True])
def test_weights_that_are_no_numbers_give_no_figures(
    tmp_path: Path, plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = _model(layers=2, decoder_layers=1)
    with torch.no_grad():
        model["encoder"]["layers"][1]["up"].weight[0, 0] = math.nan
    save_model(model, tmp_path)
    assert torch.isnan(load_model(tmp_path)["encoder"]["layers"][1]["up"].weight).sum() == 1
    if plain:
        monkeypatch.setattr("engines.egen.models.encode.has_torch", lambda: False)
    encoder = load_encoder(tmp_path)
    for normalise in (False, True):
        with pytest.raises(DataError) as caught:
            encoder.encode(["pow sin x 2", "x"], normalise=normalise)
        assert caught.value.code == "E346"
    with pytest.raises(DataError) as caught:
        rewrite_expression(Rewrite(tmp_path, "sin(x)^2"))
    assert caught.value.code == "E346"


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[object, ...]:
            return os.mkdir, (str(tmp_path / "exploded"),)

    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "bert"}')
    (folder / "modules.json").write_text("[]")
    torch.save({"weight": Bomb()}, folder / "pytorch_model.bin")
    with pytest.raises(DataError) as caught:
        load_encoder(folder)
    assert caught.value.code == "E643"
    assert not (tmp_path / "exploded").exists()


@pytest.mark.parametrize("change", [{"egen": "yes"}, {"egen": {"layers": -3}}, {"egen": {"width": 3}}])
def test_a_config_of_something_else_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    save_model(_model(), tmp_path)
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), **change}))
    with pytest.raises(DataError) as caught:
        load_encoder(tmp_path)
    assert (caught.value.code, caught.value.exit_code) == ("E642", 3)
    assert caught.value.remedy


@pytest.mark.parametrize("config", [None, {"model_type": "bert", "hidden_size": 48, "vocab_size": 9}])
def test_a_corrupt_folder_of_sentence_transformers_is_refused(
    tmp_path: Path, config: object, capsys: pytest.CaptureFixture[str]
) -> None:
    save_model(_model(), tmp_path)
    (tmp_path / "config.json").unlink()
    if config is not None:
        (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(DataError) as caught:
        load_encoder(tmp_path, device="cpu")
    assert (caught.value.code, caught.value.exit_code) == ("E642", 3)
    assert "Loading weights" not in capsys.readouterr().err


def test_rows_come_in_the_order_of_the_texts(tmp_path: Path) -> None:
    model = _model()
    save_model(model, tmp_path)
    encoder = load_encoder(tmp_path, device="cpu")
    assert isinstance(encoder, ModelEncoder)
    texts = [text for text in TEXTS for _ in range(3)][::-1]
    expected = embed(model, _ids(texts)).detach().numpy()
    assert np.allclose(encoder.encode(texts, normalise=False), expected, atol=1e-5)


def test_vectors_that_do_not_fit_the_disk_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    full = partial(open, "/dev/full", "wb")
    monkeypatch.setattr("engines.core.files.atomic_writer", lambda *_: full())
    with pytest.raises(OSError, match="space") as caught:
        write_array(Path("v.npy"), np.ones((1000, 64), np.float32))
    assert caught.value.errno == errno.ENOSPC


def test_saved_vectors_are_a_numpy_file(tmp_path: Path) -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(3, 4)
    for each in (vectors, vectors[:, ::2], vectors.T, vectors[:0]):
        write_array(tmp_path / "v.npy", each)
        assert np.array_equal(np.load(tmp_path / "v.npy"), each)


def test_a_training_begins_with_the_weights_of_a_model(tmp_path: Path) -> None:
    given = _model()
    save_model(given, tmp_path / "model")
    sizes = {name: value for name, value in to_mapping(given.config).items() if name != "dropout"}
    data = {"corpus": tmp_path, "backbone": tmp_path / "model"}
    begun = trainers.make_contrastive_task({**sizes, "dropout": 0.3}, data, seed=1).model()
    assert begun.training
    for name, weight in begun.state_dict().items():
        torch.testing.assert_close(weight, given.state_dict()[name], rtol=1e-6, atol=1e-6)
    with expect_error("E640"):
        trainers.make_contrastive_task({**sizes, "layers": sizes["layers"] + 1}, data, seed=1).model()
