"""Model folders of two layers and random weights, and a collection of a few posts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WORDS = (
    "the sum of series converges integral limit prove that prime is even odd for all n x and what how do "
    "group ring matrix rank zero one two answer question $ + = ( ) . ? ^ _ { } \\ frac int a b c"
)


def bert(folder: Path, *, labels: int = 2, head: bool = True, seed: int = 0) -> Path:
    """A BERT that classifies pairs of at most 64 tokens; without `head` a bare encoder."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertModel, BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    letters = list("abcdefghijklmnopqrstuvwxyz0123456789")
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        *WORDS.split(),
        *letters,
        *(f"##{c}" for c in letters),
    ]
    vocabulary = folder / "vocab.txt"
    vocabulary.write_text("\n".join(dict.fromkeys(words)) + "\n")
    tokenizer = BertTokenizerFast(vocab=str(vocabulary), model_max_length=64)
    config = BertConfig(**_sizes(len(tokenizer)), num_labels=labels)
    torch.manual_seed(seed)
    model = BertForSequenceClassification(config) if head else BertModel(config)
    _wake(model)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def roberta(folder: Path, *, labels: int = 2) -> Path:
    """A RoBERTa that classifies pairs: two separators between the texts, no segments."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaForSequenceClassification, RobertaTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator([WORDS], vocab_size=400, special_tokens=specials)
    # Not as vocab.json and merges.txt: transformers reads these from 5.17 only.
    trained.save(str(folder / "tokenizer.json"))
    tokenizer = RobertaTokenizerFast.from_pretrained(folder, model_max_length=64)
    torch.manual_seed(0)
    sizes = _sizes(len(tokenizer)) | {"max_position_embeddings": 66, "type_vocab_size": 1}
    model = RobertaForSequenceClassification(RobertaConfig(**sizes, pad_token_id=1, num_labels=labels))
    _wake(model)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _sizes(vocabulary: int) -> dict[str, int]:
    return {
        "vocab_size": vocabulary,
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 64,
    }


def _wake(model: Any) -> None:
    """Larger weights than at the start of a training, so that scores of different pairs differ."""
    import torch

    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.mul_(8)


def posts(folder: Path) -> Path:
    """Twelve answers to three questions, as `posts.jsonl`."""
    folder.mkdir(parents=True, exist_ok=True)
    words = WORDS.split()
    rows: list[dict[str, object]] = []
    for question in range(3):
        body = " ".join(words[question * 5 : question * 5 + 9])
        rows.append(
            {"id": f"q{question}", "type": 1, "title": f"question {question}", "body": body, "tags": ["t"]}
        )
    for answer in range(12):
        body = " ".join(words[(answer * 3 + step) % len(words)] for step in range(4 + 6 * (answer % 5)))
        rows.append(
            {"id": str(100 + answer), "type": 2, "title": "", "body": body, "parent_id": f"q{answer % 3}"}
        )
    (folder / "posts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    topics = "".join(
        f'<Topic number="A.{n}"><Title>sum of series {n}</Title>'
        f"<Question>prove the limit of {'x ' * n}</Question><Tags>t</Tags></Topic>"
        for n in (1, 2, 3)
    )
    (folder / "topics_task1.xml").write_text(f"<Topics>{topics}</Topics>")
    grades = "".join(
        f"A.{n}\t0\t{100 + answer}\t{(answer * n) % 4}\n" for n in (1, 2) for answer in range(n, 12, 2)
    )
    (folder / "qrels_task1.tsv").write_text(grades + "A.2\t0\t999\t1\n")
    return folder
