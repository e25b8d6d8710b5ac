"""Training data written as files: pairs, segments, sentence orders."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any

from engines.core.errors import EngineError, did_you_mean
from engines.core.events import Sink, ignore, warn
from engines.core.files import atomic_writer
from engines.core.spec import Arg, make_refusal, no_effect, specification
from engines.forum.folder import ArqmathFolder, SomeCollection

# Sentence-order pairs as text, to look at or to train with elsewhere (Reusch, Thiele and Lehner, 2022).
#
# The pairs are those of `pretraining.order_pairs`: chunks of consecutive segments of up to 509 tokens
# (512 without the three special ones), one document in ten aiming at a random shorter length, split at a
# random border between segments, swapped half of the time, the longer side truncated. The label is 0 for the
# right order and 1 for swapped ones, as in Hugging Face's models and the published code; the paper's text has
# it the other way round. A document of one segment gives no pair.

ROOM = 512 - 3
"""Tokens of a pair without the special ones."""


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two pieces of a document; `label` is 0 when `first` comes first in it, 1 when they are swapped."""

    first: str
    second: str
    label: int


def build_text_pairs(
    documents: Iterable[Sequence[str]], tokenizer: Any, *, room: int = ROOM, seed: int = 0
) -> Iterator[TextPair]:
    """Yield the pairs of documents, each a list of segments.

    Args:
        tokenizer: A fast one; its tokens are counted, and what it cuts is cut between two of them.
    """
    from engines.arqmath.training.pretraining import order_pairs

    draw = Random(seed)
    for document in documents:
        pieces: list[str] = []
        numbered: list[range] = []
        for token_pieces in _split_at_tokens(document, tokenizer):
            numbered.append(range(len(pieces), len(pieces) + len(token_pieces)))
            pieces += token_pieces
        if len(numbered) < 2:
            continue
        for left, right, swapped in order_pairs(numbered, room, draw):
            first, second = ("".join(pieces[number] for number in side).strip() for side in (left, right))
            yield TextPair(first, second, int(swapped))


def write_segments(
    documents: Iterable[Sequence[str]], out: str | Path, *, tokenizer: Any | None = None, seed: int = 0
) -> dict[str, int]:
    """Write documents as JSON Lines: `{"segments": […]}` each, or, with a tokenizer, their sentence-order
    pairs.

    The file is packed if its name ends in .gz. A pair is `{"first", "second", "label"}`.

    Returns:
        Documents (that have a segment), single (of one segment only), segments, and, with a tokenizer, pairs
        and swapped (those of label 1).
    """
    counts = {"documents": 0, "single": 0, "segments": 0}

    def count_documents() -> Iterator[Sequence[str]]:
        for document in documents:
            if document:
                counts["documents"] += 1
                counts["single"] += len(document) == 1
                counts["segments"] += len(document)
                yield document

    def build_rows() -> Iterator[Mapping[str, object]]:
        if tokenizer is None:
            yield from ({"segments": list(document)} for document in count_documents())
            return
        counts.update(pairs=0, swapped=0)
        for pair in build_text_pairs(count_documents(), tokenizer, seed=seed):
            counts["pairs"] += 1
            counts["swapped"] += pair.label
            yield {"first": pair.first, "second": pair.second, "label": pair.label}

    out = Path(out)
    with atomic_writer(out, "wb") as file:
        # Without its name and time in it, the same content is the same file.
        packed = gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) if out.suffix == ".gz" else None
        with packed or nullcontext(file) as target:
            for row in build_rows():
                target.write((json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8", "replace"))
    return counts


def _split_at_tokens(document: Sequence[str], tokenizer: Any) -> Iterator[list[str]]:
    """Yield each segment cut where its tokens begin, with a space at its end; one without tokens is left
    out.
    """
    if not document:
        return
    encoded = tokenizer(
        list(document),
        add_special_tokens=False,
        return_offsets_mapping=True,
        return_attention_mask=False,
        verbose=False,
    )
    for segment, offsets in zip(document, encoded["offset_mapping"], strict=True):
        if offsets:
            starts = [0, *(begin for begin, _ in offsets[1:])]
            ends = [*starts[1:], len(segment)]
            cut = [segment[begin:end] for begin, end in zip(starts, ends, strict=True)]
            yield [*cut[:-1], cut[-1] + " "]


@specification
class DrawPairs:
    """Sample question-answer pairs: correct ones (1) and as many incorrect ones (0).

    Incorrect answers come from questions with a tag in common. A tenth of the questions is held out.
    """

    folder: SomeCollection
    out: Annotated[Path, Arg("The tab-separated table to write: .tsv.", option=True, writes=True)]
    per_question: Annotated[
        int | None, Arg("Correct answers per question, at most; the paper uses 1 or 10.", low=1, shown="1")
    ] = None
    annotated: Annotated[
        Path | None, Arg("Use the relevant answers of judged topics instead.", metavar="QRELS")
    ] = None
    run: Annotated[Path | None, Arg("A model's run, which gives the incorrect answers to judged topics.")] = (
        None
    )
    hard_negatives: Annotated[
        Path | None, Arg("A first stage's run over questions; its topics are question ids.", metavar="RUN")
    ] = None
    hard_share: Annotated[
        float | None, Arg("Share of the incorrect answers that are hard.", low=0, high=1, shown="0.5")
    ] = None
    exclude: Annotated[Path | None, Arg("Ids of posts used for evaluation, to leave out, one per line.")] = (
        None
    )
    seed: Annotated[int, Arg("Seed for answers, order and sides.", low=0)] = 0

    def __post_init__(self) -> None:
        if self.annotated is None and self.run is not None:
            remedy = "Give a first stage's run over questions as --hard-negatives."
            raise EngineError("--run needs --annotated", code="E427", remedy=remedy)
        if self.out.name.endswith((".json", ".jsonl", ".csv", ".gz")):
            what = f"pairs are written as a plain table with tabs, and {self.out.name} says otherwise"
            raise make_refusal(what, "E430", "Name a file that ends in .tsv.")
        if self.hard_negatives is None and self.hard_share is not None:
            raise make_refusal("--hard-share has no effect without --hard-negatives", "E427", "Leave it out.")
        if self.annotated is not None:
            idle = {"--per-question": self.per_question, "--hard-negatives": self.hard_negatives}
            no_effect(idle, "--annotated")


def write_drawn_pairs(spec: DrawPairs) -> dict[str, Any]:
    """Draw pairs and write them.

    Returns:
        Out, the counts of `draw_pairs`, left_out (by reason), seed.

    Raises:
        DataError: E674 when the files do not fit together or give no pair.
    """
    from engines.arqmath.training.finetuning import open_pair_sampler
    from engines.arqmath.training.pairs import draw_pairs, write_pairs

    source, threads = open_pair_sampler(
        ArqmathFolder.open(spec.folder),
        annotated=spec.annotated,
        run=spec.run,
        hard_negatives=spec.hard_negatives,
        hard_share=0.5 if spec.hard_share is None else spec.hard_share,
        exclude=spec.exclude,
    )
    many = len(threads.known) if spec.annotated is not None else spec.per_question or 1
    drawn = draw_pairs(source, per_question=many, seed=spec.seed)
    write_pairs(drawn, spec.out)
    return {"out": str(spec.out), **drawn.counts, "left_out": threads.left_out, "seed": spec.seed}


_CORPORA = {"1": "mathse1", "2": "mathse2", "3": "mathse3", "khan": "khan", "amps": "amps"}


@specification
class PretrainData:
    """Split a collection into segments for pre-training, or into sentence-order pairs of up to 512 tokens."""

    folder: Annotated[
        Path, Arg("A collection or its name, or the folder of AMPS.", ref="collection", metavar="FOLDER")
    ]
    strategy: Annotated[
        str,
        Arg("1 sentences, 2 text and formulas, 3 parts of formulas; khan or amps: exercises.", option=True),
    ]
    out: Annotated[Path, Arg("The JSON lines to write, .jsonl or .jsonl.gz.", option=True, writes=True)]
    pairs: Annotated[bool, Arg("Write sentence-order pairs instead of segments; label 1 means swapped.")] = (
        False
    )
    split_inside_formulas: Annotated[
        bool, Arg("End sentences also at punctuation inside formulas, as the published code does.")
    ] = False
    backbone: Annotated[
        str, Arg("With --pairs: the model whose tokenizer counts tokens, a folder or minilm.", ref="encoder")
    ] = "minilm"
    seed: Annotated[int, Arg("Seed for the pairs.", low=0)] = 0

    def __post_init__(self) -> None:
        if not self.pairs and self.backbone != "minilm":
            raise make_refusal(
                "--backbone has no effect without --pairs", "E427", "Add --pairs, or leave it out."
            )
        if self.strategy not in _CORPORA:
            raise EngineError(
                f"unknown strategy {self.strategy!r}",
                code="E404",
                remedy=did_you_mean(self.strategy, _CORPORA) or f"Strategies: {', '.join(_CORPORA)}.",
            )


def pretrain_data(spec: PretrainData, *, events: Sink = ignore) -> dict[str, Any]:
    """Write segments or pairs; see `write_segments`.

    Returns:
        Out, strategy, documents, single, segments, with pairs also pairs and swapped, left_out (rows that
        could not be read), broken (rows read with something missing), seed.

    Events:
        A warning for each of the first such rows.

    Raises:
        DataError: For files that cannot be read or written.
    """
    from engines.arqmath.training.corpora import read_documents
    from engines.arqmath.training.settings import PretrainSettings
    from engines.forum.readers import Report

    tokenizer = None
    if spec.pairs:
        from engines.arqmath.training.backbones import add_latex_tokens, open_backbone

        tokenizer = open_backbone(spec.backbone).tokenizer
        add_latex_tokens(tokenizer)
    report = Report()
    settings = PretrainSettings(
        corpora=_CORPORA[spec.strategy], split_inside_formulas=spec.split_inside_formulas
    )
    read = read_documents(settings, {"collection": spec.folder, "amps": spec.folder}, report)
    counts = write_segments(read, spec.out, tokenizer=tokenizer, seed=spec.seed)
    for line, reason in sorted(report.first + report.broken):
        warn(events, f"{spec.folder}: row {line}: {reason}")
    left = {"left_out": report.bad, "broken": report.warned}
    return {"out": str(spec.out), "strategy": spec.strategy, **counts, **left, "seed": spec.seed}
