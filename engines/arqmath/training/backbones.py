"""Language models to begin with: BERT, ALBERT and RoBERTa, from a folder or new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from engines.arqmath.training.model_folder import (
    MINILM,
    backbone_folder,
    check_tokens,
    open_model,
    open_tokenizer,
    read_architecture,
    refuse_lost,
    unusable_model_error,
)
from engines.arqmath.training.new_backbone import BackboneFamily
from engines.core.errors import DataError, EngineError
from engines.core.system import asset
from engines.training.libraries import quick_imports

if TYPE_CHECKING:
    import torch


# LaTeX tokens for the vocabulary of a language model (Reusch, Thiele and Lehner 2022).
#
# A tokenizer of everyday text splits `\frac` into pieces. The list here is derived, not copied: the symbols
# of standard LaTeX, amsmath and amssymb, ranked by how often ARQMath's formulas use them.

SIZE = 540
"""Length of the list; the vocabulary of BERT lacks about 500 of it."""


@cache
def latex_tokens() -> tuple[str, ...]:
    """Return the shipped list, most frequent first, derived from the formulas of ARQMath's mini
    collection.
    """
    lines = asset("latex/tokens.tsv").read_text(encoding="utf-8").splitlines()
    return tuple(line.split("\t")[0] for line in lines[1:])


def add_latex_tokens(tokenizer: Any, model: Any | None = None) -> int:
    r"""Add the list to a fast tokenizer, so that every token stays whole and keeps its case.

    Added tokens are looked for before the text is lower-cased: `\Gamma` and `\gamma` stay apart in every
    tokenizer. Names of environments count as whole words only. `model` gets rows for the new tokens in its
    embeddings; each begins as the mean of the pieces that the tokenizer cut the token into before.

    Returns:
        How many were new.

    Raises:
        EngineError: For a slow tokenizer, which handles added tokens otherwise.
    """
    from transformers import AddedToken

    if not tokenizer.is_fast:
        remedy = "Save the model with its tokenizer.json."
        raise EngineError("LaTeX tokens need a fast tokenizer", code="E361", remedy=remedy)
    known = tokenizer.get_vocab()
    missing = [token for token in latex_tokens() if token not in known]
    pieces = [tokenizer(token, add_special_tokens=False)["input_ids"] for token in missing]
    count = tokenizer.add_tokens(
        [AddedToken(token, normalized=False, single_word=token[0].isalpha()) for token in missing]
    )
    if model is not None:
        if model.get_input_embeddings().num_embeddings < len(tokenizer):
            model.resize_token_embeddings(len(tokenizer))
        positions = tokenizer.convert_tokens_to_ids(missing)
        _initialise_rows(model, {index: ids for index, ids in zip(positions, pieces, strict=True) if ids})
    return count


def _initialise_rows(model: Any, pieces: Mapping[int, Sequence[int]]) -> None:
    """Set the rows of new tokens, and of what predicts them, to the mean of the rows of their pieces."""
    import torch

    head = model.get_output_embeddings()
    tables = [model.get_input_embeddings().weight, *([] if head is None else [head.weight, head.bias])]
    with torch.no_grad():
        for table in {id(table): table for table in tables if table is not None}.values():
            for position, ids in pieces.items():
                table[position] = table[torch.tensor(ids, device=table.device)].mean(0)


# Language models to begin with: BERT, ALBERT and RoBERTa, from a folder or new.
#
# A backbone is a Hugging Face folder: config.json, a tokenizer, and weights as safetensors. One without
# weights is begun from random ones; `new_backbone.new_backbone` makes such a folder, and learns its
# tokenizer. A dependency brings the weights of all-MiniLM-L6-v2 (BERT with 6 layers of width 384): they need
# no download.

CODE = "E671"
_CLASSES = {"bert": "Bert", "albert": "Albert", "roberta": "Roberta"}
_ORDER = (".pooler.", "seq_relationship.", "sop_classifier.")
"""Parts that only the order of segments needs."""
_HEADS = {"bert": "cls.predictions.transform", "albert": "predictions", "roberta": "lm_head"}
"""What lies between states and words."""
_CLEAR = 5.0
"""How far the score of a word lies above others, in lengths of word vectors, if it stands out: of MiniLM's
30,522 words some 200 in a post, its own and their like."""
_HEADLESS = ("pooler.", "position_ids")
"""Parts that a checkpoint without the fitting objective lacks, and that may begin anew."""


@dataclass(frozen=True, slots=True)
class Backbone:
    """An opened backbone. `folder` is where its weights are; None begins from random ones."""

    name: str
    family: BackboneFamily
    config: Any
    tokenizer: Any
    folder: Path | None

    @property
    def max_length(self) -> int:
        """Tokens it can read. RoBERTa counts its positions from behind that of the padding."""
        positions = int(self.config.max_position_embeddings)
        return positions - int(self.config.pad_token_id) - 1 if self.family == "roberta" else positions

    @property
    def types(self) -> int:
        """The number of token types that the model distinguishes."""
        return int(self.config.type_vocab_size)

    def check_length(self, max_length: int) -> None:
        """Raise EngineError E676 when it cannot read so many tokens."""
        if max_length > self.max_length:
            what = f"max_length is {max_length}, and {self.name} reads {self.max_length} tokens"
            raise EngineError(what, code="E676", remedy=f"Set max_length={self.max_length} or less.")

    def pretraining_model(self, *, order: bool = True) -> torch.nn.Module:
        """Open the model with heads for masked tokens and, except for RoBERTa, for the order of two segments.

        Without `order`, the parts for it exist but are not trained.
        """
        model, _ = self._open_with_head("MaskedLM" if self.family == "roberta" else "PreTraining")
        for name, weight in model.named_parameters():
            if not order and any(part in name for part in _ORDER):
                weight.requires_grad_(False)
        return model

    def open_classifier(self) -> torch.nn.Module:
        """Open the model with a linear layer of two classes on the state of the first token: 0 incorrect, 1
        correct.
        """
        labels = {"id2label": {0: "incorrect", 1: "correct"}, "label2id": {"incorrect": 0, "correct": 1}}
        return self._open_with_head("SequenceClassification", num_labels=2, **labels)[0]

    def masked_model(self) -> tuple[torch.nn.Module, bool]:
        """Open the model with the head for masked tokens, and return whether that head is new because the
        folder lacks it.

        A new head tells words by their own vectors, as every tied model, and begins with what these know: its
        transform is the identity, if it changes no width, and its bias leaves the words that stand out. Of
        random weights nothing does, and everything is left.
        """
        import torch

        model, missing = self._open_with_head("MaskedLM")
        new = self.folder is None or bool(missing)
        if new:
            head: Any = model.get_submodule(_HEADS[self.family])
            with torch.no_grad():
                if head.dense.in_features == head.dense.out_features:
                    head.dense.weight.copy_(torch.eye(head.dense.in_features))
                    head.dense.bias.zero_()
                if self.folder is not None:
                    words: Any = model.get_output_embeddings()
                    words.bias.fill_(-_CLEAR * float(words.weight.norm(dim=1).mean()))
        return model, new

    def open_encoder(self) -> torch.nn.Module:
        """Open the model without a head: it returns the states of all tokens."""
        with quick_imports():
            import transformers

            cls = getattr(transformers, f"{_CLASSES[self.family]}Model")

        if self.folder is None:
            return cls(self.config, add_pooling_layer=False)
        model, loading_report = open_model(cls, self.folder, CODE, add_pooling_layer=False)
        self._refuse_lost(loading_report["missing_keys"])
        return model

    def _open_with_head(self, purpose: str, **changes: Any) -> tuple[torch.nn.Module, list[str]]:
        """In single precision, and which of its weights the folder lacks: they are drawn at random, and only
        heads may."""
        with quick_imports():
            import transformers

            cls = getattr(transformers, f"{_CLASSES[self.family]}For{purpose}")

        if self.folder is None:
            for key, value in changes.items():
                setattr(self.config, key, value)
            return cls(self.config), []
        model, loading_report = open_model(cls, self.folder, CODE, **changes)
        missing = sorted(loading_report["missing_keys"])
        self._refuse_lost(key for key in missing if key.startswith(f"{model.base_model_prefix}."))
        return model, missing

    def _refuse_lost(self, missing: Iterable[str]) -> None:
        """Raise DataError E671 for weights that are missing and may not begin anew."""
        assert self.folder is not None
        lost = (key for key in missing if not any(part in key for part in _HEADLESS))
        remedy = "Copy the folder again, whole; config.json and weights belong together."
        refuse_lost(self.folder, lost, CODE, remedy)


def open_backbone(path: str | Path, *, max_length: int = 0) -> Backbone:
    """Return a backbone from its folder, or `minilm`, the one that needs no folder.

    Args:
        max_length: Of the texts that it is to read and its tokenizer to make; 0: as much as it can.

    Raises:
        DataError: E671 for a folder without config, tokenizer or readable weights, E672 for another
            architecture, E673 for weights that would have to be unpickled.
        EngineError: E676 for texts that are longer than what it reads.
    """
    folder = backbone_folder(path)
    name = "all-MiniLM-L6-v2" if str(path) == MINILM else folder.resolve().name
    config = _open_config(folder)
    weights = any(folder.glob("*.safetensors"))
    if not weights and (pickled := sorted(folder.glob("*.bin"))):
        raise DataError(
            f"{pickled[0].name} is a pickle, which could run code when loaded",
            path=folder,
            code="E673",
            remedy="If you trust it, convert it: "
            "AutoModel.from_pretrained(F).save_pretrained(F) makes model.safetensors.",
        )
    tokenizer = _open_tokenizer(folder)
    check_tokens(folder, tokenizer, config.vocab_size, CODE)
    result = Backbone(name, config.model_type, config, tokenizer, folder if weights else None)
    if max_length:
        result.check_length(max_length)
        tokenizer.model_max_length = max_length
    return result


def _open_config(folder: Path) -> Any:
    with quick_imports():
        from transformers import AutoConfig

    kind = read_architecture(folder, CODE)
    if kind not in get_args(BackboneFamily):
        remedy = f"Use one of the architectures {', '.join(get_args(BackboneFamily))}."
        raise DataError(f"a {kind} model cannot be trained here", path=folder, code="E672", remedy=remedy)
    try:
        return AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # the library raises whatever the fault happens to lead to
        what = f"the config cannot be loaded: {str(error)[:200]}"
        raise unusable_model_error(folder, what, CODE, "Fix or replace its config.json.") from error


def _open_tokenizer(folder: Path) -> Any:
    result = open_tokenizer(folder, CODE)
    if not result.is_fast or result.mask_token_id is None or result.pad_token_id is None:
        what = "the tokenizer has no tokenizer.json, no mask token or no padding"
        remedy = "Save it again with transformers: AutoTokenizer.from_pretrained(F).save_pretrained(F)."
        raise unusable_model_error(folder, what, CODE, remedy)
    # Those of sentence-transformers cut and pad on their own.
    result.backend_tokenizer.no_truncation()
    result.backend_tokenizer.no_padding()
    return result
